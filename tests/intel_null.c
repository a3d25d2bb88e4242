/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/intel_null.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

size_t trace_files;
static char file_name[4200];
static int standard_error = -1;

const char *intel_null_missing(void) {
    static const char *const libraries[] = {"libze_loader.so.1", "libze_intel_gpu.so.1"};
    const char *keys = getenv("NEOReadDebugKeys"), *receiver = getenv("SetCommandStreamReceiver");
    if (!keys || !receiver)
        return "NEOReadDebugKeys=1 SetCommandStreamReceiver=1 are not set";
    for (int i = 0; i < 2; i++) {
        void *library = dlopen(libraries[i], RTLD_LAZY | RTLD_LOCAL);
        if (!library)
            return i ? "there is no libze_intel_gpu.so.1 (package intel-opencl-icd)"
                     : "there is no libze_loader.so.1 (package libze1)";
        if (i == 0)
            dlclose(library); /* the driver starts threads of its own: it stays open */
    }
    return NULL;
}

void trace_begin(const char *folder) {
    snprintf(file_name, sizeof file_name, "%.4000s/trace", folder);
    setenv("UNIHIST_LOG", "trace", 1);
    fflush(stderr);
    standard_error = dup(STDERR_FILENO);
    if (standard_error < 0 || !freopen(file_name, "w+", stderr))
        abort();
}

char *trace_read(void) {
    fflush(stderr);
    FILE *file = fopen(file_name, "r");
    if (!file || fseek(file, 0, SEEK_END))
        abort();
    size_t size = (size_t)ftell(file);
    char *text = malloc(size + 1);
    rewind(file);
    if (!text || fread(text, 1, size, file) != size)
        abort();
    text[size] = '\0';
    fclose(file);
    return text;
}

void trace_end(void) {
    char *text = trace_read(), *rest = text;
    fflush(stderr);
    dup2(standard_error, STDERR_FILENO);
    close(standard_error);
    for (char *line; (line = rest) != NULL && *line;) {
        rest = strchr(line, '\n');
        if (rest)
            *rest++ = '\0';
        if (strncmp(line, "unihist: trace:", 15) != 0 && strncmp(line, "unihist: info:", 14) != 0)
            fprintf(stderr, "%s\n", line);
    }
    free(text);
}
