/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the SPIR-V tools on modules. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "spirv.h"

/* All that a file gives from its position on, and a 0 after it; malloc. */
static char *read_all(FILE *file, size_t *size) {
    char *data = NULL;
    FILE *to = open_memstream(&data, size);
    for (int c; to && (c = getc(file)) != EOF;)
        (void)putc(c, to);
    return to && fclose(to) == 0 ? data : NULL;
}

/* Runs `tool` with `code` as the file that follows its options. Returns its output (malloc), or NULL with `log`. Broken
 * modules have made such tools hang: they have a minute. */
static char *run_tool(const char *tool, const char *options, const void *code, size_t size, size_t *written,
                      char **log) {
    const int input = memfd_create("soft_gpu", MFD_CLOEXEC), errors = memfd_create("soft_gpu", MFD_CLOEXEC);
    const long pid = (long)getpid();
    char command[1024], *output = NULL;
    FILE *said = errors >= 0 ? fdopen(errors, "r+") : NULL, *pipe = NULL;
    int status = -1;
    snprintf(command, sizeof command, "ulimit -t 60; ulimit -c 0; exec '%s' /proc/%ld/fd/%d %s 2>/proc/%ld/fd/%d", tool,
             pid, input, options, pid, errors);
    if (said && input >= 0 && write(input, code, size) == (ssize_t)size)
        pipe = popen(command, "re");
    if (pipe) {
        output = read_all(pipe, written);
        status = pclose(pipe);
    }
    if (status != 0) {
        size_t length = 0;
        char *text = said ? read_all(said, &length) : NULL;
        const char *how = status == -1 ? "cannot be run" : WIFSIGNALED(status) ? "has crashed" : "says";
        if (asprintf(log, "%s %s: %s", tool, how, length ? text : output ? output : "") < 0)
            *log = NULL;
        free(text);
        free(output);
        output = NULL;
    }
    if (said)
        fclose(said);
    if (input >= 0)
        close(input);
    return output;
}

void *soft_translate(const void *code, size_t size, size_t *bitcode_size, char **log) {
    return run_tool(SOFT_GPU_LLVM_SPIRV, "-r --spirv-target-env=CL1.2 -o -", code, size, bitcode_size, log);
}

bool soft_validate(const void *code, size_t size, char **log) {
    size_t written;
    char *said = *SOFT_GPU_SPIRV_VAL ? run_tool(SOFT_GPU_SPIRV_VAL, "", code, size, &written, log) : strdup("");
    free(said);
    return said != NULL;
}
