/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/intel_null.h"

#include <dlfcn.h>
#include <math.h>
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

/* ---- launches --------------------------------------------------------------------------------------------------- */

const uh_dtype null_dtypes[UH_DTYPE_COUNT] = {UH_F32, UH_F64, UH_I8,  UH_I16, UH_I32,
                                              UH_I64, UH_U8,  UH_U16, UH_U32, UH_U64};
uh_device *null_device;
uh_device_properties null_properties;
uh_queue *null_queue;

uh_axis *intel_null_axis(size_t bins, int family) {
    const uh_distribution normal = {
        .struct_size = sizeof normal, .kind = UH_DISTRIBUTION_NORMAL, .location = 15000, .scale = 5000};
    double *edges = malloc((bins + 1) * sizeof *edges);
    uh_axis *axis = NULL, *made = NULL;
    assert_non_null(edges);
    for (size_t i = 0; i <= bins; i++) {
        double part = (double)i / (double)bins, side = 2 * part - 1;
        double crowded = family == 1 ? part * part * part : side * side * side * side * side * side * side;
        edges[i] = family == 3 ? pow(1e9, part) : 100 + 30000 * (family == 0 ? part : crowded);
    }
    assert_int_equal(uh_axis_create_edges(UH_F64, edges, bins + 1, UH_CLOSED_LEFT, &axis), UH_SUCCESS);
    assert_int_equal(uh_axis_create_with_distribution(axis, &normal, &made), UH_SUCCESS);
    uh_axis_destroy(axis);
    free(edges);
    return made;
}

void *intel_null_values(void) {
    const uint64_t zero = 0;
    void *values = NULL;
    assert_int_equal(uh_malloc_device(null_device, NULL_VALUES * sizeof zero, 0, &values), UH_SUCCESS);
    assert_int_equal(uh_fill(null_queue, values, &zero, sizeof zero, NULL_VALUES, NULL, 0, NULL), UH_SUCCESS);
    return values;
}

int intel_null_can(uh_dtype dtype, uh_method method) {
    return null_properties.fp64 ||
           (dtype != UH_F64 && (dtype == UH_F32 || uh_dtype_size(dtype) < 4 || method != UH_METHOD_MESH));
}
