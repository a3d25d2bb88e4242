/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* mkdtemp, nftw, strsep */
#include "tests/intel_null.h"

#include <dlfcn.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support.h"

uh_device *null_device;
uh_device_properties null_properties;
uh_queue *null_queue;
static char folder[] = "intel_null.XXXXXX";
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

void trace_begin(const char *where) {
    snprintf(file_name, sizeof file_name, "%.4000s/trace", where);
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

void no_call_of_level_zero_has_failed(void **state) {
    const size_t *least = *state;
    char *trace = trace_read(), *rest = trace;
    size_t calls = 0, failures = 0;
    for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
        char function[64], result[64];
        if (sscanf(line, "unihist: trace: ze%60[A-Za-z]: %60[A-Z0-9_x]", function, result) != 2)
            continue;
        calls++;
        /* A program with double on a device that has none is meant to fail; this driver has no clock and no PCI address
         * without hardware; an event may not have happened yet. */
        int meant =
            (strcmp(function, "ModuleCreate") == 0 && !null_properties.fp64 && strstr(result, "BUILD_FAILURE")) ||
            strcmp(function, "DeviceGetGlobalTimestamps") == 0 || strcmp(function, "DevicePciGetPropertiesExt") == 0;
        if (strcmp(result, "ZE_RESULT_SUCCESS") != 0 && strcmp(result, "ZE_RESULT_NOT_READY") != 0 && !meant) {
            printf("%s\n", line);
            failures++;
        }
    }
    free(trace);
    printf("%zu calls of Level Zero, %zu failed\n", calls, failures);
    assert_true(calls > *least);
    assert_int_equal(failures, 0);
}

/* ---- the run ---------------------------------------------------------------------------------------------------- */

static int set_up(void **state) {
    (void)state;
    null_properties.struct_size = sizeof null_properties;
    if (uh_device_select("level_zero:0", &null_device) != UH_SUCCESS)
        fail_msg("%s", uh_last_error());
    assert_int_equal(uh_device_get_properties(null_device, &null_properties), UH_SUCCESS);
    assert_int_equal(uh_queue_create(null_device, NULL, &null_queue), UH_SUCCESS);
    printf("%s: %s, driver %s, %llu bytes of local memory%s\n", null_properties.selector, null_properties.name,
           null_properties.driver_version, (unsigned long long)null_properties.local_memory,
           null_properties.fp64 ? ", float64" : "");
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    uh_queue_destroy(null_queue);
    return 0;
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *walk) {
    (void)status;
    (void)type;
    (void)walk;
    return remove(path);
}

/* The cache has what took most of the time: the layer sees modules made from what Intel's compiler has made of them.
 * That it takes SPIR-V is proved by test_runtime_ze_module. */
static int run_again_validated(void) {
    static const char *const layer[] = {"ZE_ENABLE_VALIDATION_LAYER=1", "ZE_ENABLE_PARAMETER_VALIDATION=1", NULL};
    struct test_child child;
    test_run_child("validated", layer, &child);
    printf("under the validation layer:\n%s%s", child.out, child.exit_code ? child.err : "");
    return child.exit_code;
}

int intel_null_run(const char *name, const struct CMUnitTest *tests, size_t n, int argc, char **argv) {
    const int validated = argc > 1 && strcmp(argv[1], "validated") == 0;
    char path[sizeof folder + 4096];
    const char *why = intel_null_missing();
    if (why) {
        printf("skipped: %s\n", why);
        return 77;
    }
    if (!getcwd(path, 4096) || !mkdtemp(folder))
        return 1;
    strcat(strcat(path, "/"), folder);
    if (!validated) /* else it is the parent's */
        setenv("XDG_CACHE_HOME", path, 1);
    trace_begin(path);
    int failed = _cmocka_run_group_tests(name, tests, n, set_up, tear_down);
    trace_end();
    if (!failed && !validated)
        failed = run_again_validated();
    nftw(path, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
    return failed;
}
