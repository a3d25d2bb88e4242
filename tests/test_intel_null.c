/* SPDX-License-Identifier: Apache-2.0 */
/* Intel's own driver and graphics compiler without hardware: they build every kernel of the library, take every call,
 * and compute nothing. tests/CMakeLists.txt sets the environment that makes them do so, for several devices, and runs
 * all of it once more under the loader's validation layer. Every call of Level Zero is read from the library's trace.
 */
#define _GNU_SOURCE /* mkdtemp, nftw */
#include "tests/support.h"

#include <dlfcn.h>
#include <ftw.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <level_zero/ze_api.h>
#include <unihist/unihist.h>

#include "kernels/bincount/bincount_state.h"
#include "kernels/registry.h"
#include "tests/intel_null.h"

static uh_device *device;
static uh_device_properties properties;
static uh_queue *queue;
static char folder[] = "intel_null.XXXXXX";

/* ---- programs --------------------------------------------------------------------------------------------------- */

static const uh_program *(*const programs[])(void) = {
#define UH_OPERATION(op) uhi_##op##_program,
#include "kernels/registry.def"
#undef UH_OPERATION
};
static const uh_program *(*const programs_f64[])(void) = {
#define UH_OPERATION(op) uhi_##op##_f64_program,
#include "kernels/registry.def"
#undef UH_OPERATION
};
enum { OPERATIONS = sizeof programs / sizeof programs[0] };

static uh_module *build(const uh_program *program) {
    uh_module *module = NULL;
    if (uh_module_create_program(device, program, NULL, &module) != UH_SUCCESS)
        fail_msg("%s: %s", program->name, uh_last_error());
    return module;
}

/* Returns how many kernels are not as they should be. */
static size_t check_kernels(const uh_program *program) {
    uh_module *module = build(program);
    size_t count = 0, bad = 0;
    assert_int_equal(uh_module_kernel_count(module, &count), UH_SUCCESS);
    assert_true(count > 0);
    for (size_t i = 0; i < count; i++) {
        const char *name = uh_module_kernel_name(module, i);
        uh_kernel_properties kernel_properties = {.struct_size = sizeof kernel_properties};
        uh_kernel *kernel = NULL;
        assert_int_equal(uh_kernel_get(module, name, &kernel), UH_SUCCESS);
        assert_int_equal(uh_kernel_get_properties(kernel, &kernel_properties), UH_SUCCESS);
        if (kernel_properties.spill_memory || kernel_properties.private_memory) {
            printf("%s of %s spills %u bytes and has private arrays of %u bytes, a hardware thread\n", name,
                   program->name, (unsigned)kernel_properties.spill_memory, (unsigned)kernel_properties.private_memory);
            bad++;
        }
        if (kernel_properties.local_memory > properties.local_memory)
            fail_msg("%s takes %llu bytes of local memory, %s has %llu", name,
                     (unsigned long long)kernel_properties.local_memory, properties.name,
                     (unsigned long long)properties.local_memory);
        assert_true(kernel_properties.arguments > 0);
        assert_true(kernel_properties.sub_group_size >= 8);
        assert_in_range(kernel_properties.max_group_size, 1, properties.max_group_size);
    }
    printf("%s: %zu kernels, %zu with spills\n", program->name, count, bad);
    assert_int_equal(uh_module_destroy(module), UH_SUCCESS);
    return bad;
}

static void every_program_builds_and_no_kernel_spills(void **state) {
    (void)state;
    size_t bad = 0;
    for (int op = 0; op < OPERATIONS; op++) {
        assert_non_null(programs[op]());
        bad += check_kernels(programs[op]());
        if (programs_f64[op]() && properties.fp64)
            bad += check_kernels(programs_f64[op]());
    }
    assert_int_equal(bad, 0);
}

static void a_program_with_double_is_refused_where_the_device_has_none(void **state) {
    (void)state;
    if (properties.fp64)
        skip();
    for (int op = 0; op < OPERATIONS; op++) {
        uh_module *module = NULL;
        if (!programs_f64[op]())
            continue;
        uh_status status = uh_module_create_program(device, programs_f64[op](), NULL, &module);
        assert_true(status == UH_ERROR_BUILD || status == UH_ERROR_UNSUPPORTED);
        assert_null(module);
        assert_true(strlen(uh_last_error()) > 20);
    }
}

static void a_native_binary_makes_the_same_module(void **state) {
    (void)state;
    uh_module *module = build(programs[0]()), *again = NULL;
    const uh_module_options options = {.struct_size = sizeof options, .format = UH_MODULE_NATIVE};
    size_t size = 0, count = 0, count_again = 0;
    assert_int_equal(uh_module_native(module, NULL, &size), UH_SUCCESS);
    assert_true(size > 1000);
    void *binary = malloc(size);
    assert_non_null(binary);
    assert_int_equal(uh_module_native(module, binary, &size), UH_SUCCESS);
    if (uh_module_create(device, binary, size, &options, &again) != UH_SUCCESS)
        fail_msg("%s", uh_last_error());
    uh_module_kernel_count(module, &count);
    uh_module_kernel_count(again, &count_again);
    assert_int_equal(count, count_again);
    for (size_t i = 0; i < count; i++) {
        uh_kernel *kernel = NULL;
        assert_int_equal(uh_kernel_get(again, uh_module_kernel_name(module, i), &kernel), UH_SUCCESS);
    }
    free(binary);
    uh_module_destroy(again);
    uh_module_destroy(module);
}

static int count_file(const char *path, const struct stat *status, int type, struct FTW *walk) {
    (void)path;
    (void)status;
    (void)walk;
    trace_files += type == FTW_F;
    return 0;
}

/* The first test has built it, so that this process and the next ones need not. */
static void what_was_built_is_kept_on_disk(void **state) {
    (void)state;
    const char *cache = getenv("XDG_CACHE_HOME");
    trace_files = 0;
    assert_true(cache && nftw(cache, count_file, 8, FTW_PHYS) == 0);
    assert_true(trace_files > 0);
    uh_module *module = build(programs[0]());
    uh_module_destroy(module);
}

/* ---- launches --------------------------------------------------------------------------------------------------- */

static const uh_dtype dtypes[] = {UH_F32, UH_F64, UH_I8, UH_I16, UH_I32, UH_I64, UH_U8, UH_U16, UH_U32, UH_U64};
enum { DTYPES = sizeof dtypes / sizeof dtypes[0], VALUES = 50000 };

enum family { EQUAL, CROWDED_LEFT, CROWDED_WITHIN, LOGARITHMIC, FAMILIES };

/* Equal bins, and ones that crowd somewhere, as look-ups of two levels are for. */
static uh_axis *make_axis(size_t bins, int family) {
    double *edges = malloc((bins + 1) * sizeof *edges);
    uh_axis *axis = NULL;
    assert_non_null(edges);
    for (size_t i = 0; i <= bins; i++) {
        double part = (double)i / (double)bins, side = 2 * part - 1;
        double crowded = family == CROWDED_LEFT ? part * part * part : side * side * side * side * side * side * side;
        edges[i] = family == LOGARITHMIC ? pow(1e9, part) : 100 + 30000 * (family == EQUAL ? part : crowded);
    }
    assert_int_equal(uh_axis_create_edges(UH_F64, edges, bins + 1, UH_CLOSED_LEFT, &axis), UH_SUCCESS);
    free(edges);
    return axis;
}

/* Counts and digitizes values of a type; what comes back means nothing here. */
static void run_histogram(uh_dtype dtype, uh_method method, size_t bins, int family, const void *values) {
    const uh_histogram_options options = {.struct_size = sizeof options, .method = method};
    int64_t index[100];
    uh_axis *axis = make_axis(bins, family);
    uh_histogram *histogram = NULL;
    uint64_t *counts = calloc(bins, sizeof *counts);
    assert_non_null(counts);
    uh_status status = uh_histogram_create(queue, axis, &options, &histogram);
    if (!status)
        status = uh_histogram_fill(histogram, dtype, values, VALUES);
    if (!status)
        status = uh_histogram_fill_strided(histogram, dtype, values, VALUES / 4, 3 * (ptrdiff_t)uh_dtype_size(dtype));
    if (!status)
        status = uh_histogram_digitize(histogram, dtype, values, 100, (ptrdiff_t)uh_dtype_size(dtype), index);
    if (!status)
        status = uh_histogram_counts(histogram, counts);
    if (status && (status != UH_ERROR_UNSUPPORTED || properties.fp64))
        fail_msg("%s, %s, %zu bins: %s", uh_dtype_name(dtype), uh_method_name(method), bins, uh_last_error());
    assert_int_equal(uh_histogram_destroy(histogram), UH_SUCCESS);
    uh_axis_destroy(axis);
    free(counts);
}

/* Tables and counts in local memory, counts in local memory, counts in global memory: for each size of local memory
 * that Intel's devices have. */
static void every_method_and_type_is_taken_in_every_variant(void **state) {
    (void)state;
    const size_t bins[] = {50, 500, 10000, 20000, 40000};
    void *values = NULL;
    const uint64_t zero = 0;
    assert_int_equal(uh_malloc_device(device, VALUES * sizeof zero, 0, &values), UH_SUCCESS);
    assert_int_equal(uh_fill(queue, values, &zero, sizeof zero, VALUES, NULL, 0, NULL), UH_SUCCESS);
    for (int type = 0; type < DTYPES; type++)
        for (size_t i = 0; i < sizeof bins / sizeof bins[0]; i++)
            for (int method = 0; uh_method_name((uh_method)method); method++)
                for (int family = 0; family < FAMILIES; family++)
                    run_histogram(dtypes[type], (uh_method)method, bins[i], family, values);
    assert_int_equal(uh_queue_wait(queue), UH_SUCCESS);
    assert_int_equal(uh_free(values), UH_SUCCESS);
}

/* The Parboil histogram with an eye in counters of 16 and of 8 bits, without one, and where only the device has the
 * indices. */
static void the_parboil_histogram_is_taken_in_every_geometry(void **state) {
    (void)state;
    const size_t heights[] = {100, 1500, 16384};
    uint32_t *indices = malloc(VALUES * sizeof *indices);
    void *there = NULL;
    assert_non_null(indices);
    assert_int_equal(uh_malloc_device(device, VALUES * sizeof *indices, 0, &there), UH_SUCCESS);
    for (size_t i = 0; i < sizeof heights / sizeof heights[0]; i++) {
        const size_t bins = 256 * heights[i];
        uint8_t *out = malloc(bins);
        assert_non_null(out);
        for (size_t v = 0; v < VALUES; v++)
            indices[v] = (uint32_t)(v * bins / VALUES);
        if (uh_histo_saturating_2d(queue, indices, VALUES, 256, heights[i], out, NULL) ||
            uh_histo_saturating_2d(queue, there, VALUES, 256, heights[i], out, NULL))
            fail_msg("%zu rows: %s", heights[i], uh_last_error());
        free(out);
    }
    assert_int_equal(uh_free(there), UH_SUCCESS);
    free(indices);
}

static void assert_taken(uh_status status) {
    if (status && status != UH_ERROR_INVALID_ARGUMENT && status != UH_ERROR_OUT_OF_MEMORY)
        fail_msg("%s", uh_last_error());
}

/* Integers of each width counted in local and in global memory, looked at, and made cells of. */
static void integers_are_counted_in_every_tier_of_memory(void **state) {
    (void)state;
    static const uh_dtype integers[] = {UH_U8, UH_I16, UH_U32, UH_I64};
    static const char *const widths[] = {"8", "16", "32", "64"};
    const size_t bins[] = {100, 100000};
    struct uhi_bincount_device *counter = NULL;
    uint64_t *counts = calloc(bins[1], sizeof *counts), nan;
    double low, high;
    void *values = NULL;
    const struct uhi_bincount_limit limit = {1, 5};
    assert_non_null(counts);
    assert_int_equal(uh_malloc_device(device, VALUES * sizeof(uint64_t), 0, &values), UH_SUCCESS);
    assert_int_equal(uhi_bincount_device_create("test", queue, &counter), UH_SUCCESS);
    for (size_t i = 0; i < 4; i++) {
        /* Counting every value of 8 bits takes no global memory: the kernel is given fewer bins than it could have. */
        const uint32_t few = 7, slabs = 1;
        const uint64_t n = VALUES;
        uh_kernel *kernel = NULL;
        /* What comes back means nothing: there may seem to be values beyond the bins. */
        for (size_t b = 0; b < 2; b++)
            assert_taken(uh_bincount_into(queue, integers[i], values, VALUES, counts, bins[b]));
        assert_taken(uhi_bincount_state_refuse("test", counter, limit, 5, integers[i], values, VALUES));
        assert_int_equal(uhi_bincount_state_words(counter, VALUES + 1, VALUES + 1), UH_SUCCESS);
        const uh_arg args[] = {uh_arg_pointer(values),         uh_arg_value(&n, sizeof n),
                               uh_arg_pointer(counter->words), uh_arg_value(&few, sizeof few),
                               uh_arg_pointer(counter->words), uh_arg_value(&slabs, sizeof slabs)};
        const uh_arg cells[] = {args[0], args[1], args[3], args[4], uh_arg_pointer(counter->words + 1)};
        assert_int_equal(uhi_bincount_state_kernel(counter, "count_global", widths[i], &kernel), UH_SUCCESS);
        assert_int_equal(uhi_engine_run(&counter->engine, kernel, 4, 64, args, 6, NULL, NULL), UH_SUCCESS);
        assert_int_equal(uhi_bincount_state_kernel(counter, "cells", widths[i], &kernel), UH_SUCCESS);
        assert_int_equal(uhi_engine_run(&counter->engine, kernel, 4, 64, cells, 5, NULL, NULL), UH_SUCCESS);
    }
    for (int type = 0; type < DTYPES; type++)
        assert_int_equal(uh_min_max(queue, dtypes[type], values, VALUES, &low, &high, &nan), UH_SUCCESS);
    assert_int_equal(uh_queue_wait(queue), UH_SUCCESS);
    uhi_bincount_device_destroy(counter);
    assert_int_equal(uh_free(values), UH_SUCCESS);
    free(counts);
}

/* Returns how many kernels nothing has launched. */
static size_t check_launched(const uh_program *program, const char *trace) {
    uh_module *module = build(program);
    size_t count = 0, missing = 0;
    uh_module_kernel_count(module, &count);
    for (size_t i = 0; i < count; i++) {
        char line[256];
        /* The slots of all 65,536 values do not fit into half of the local memory of any of these devices. */
        if (strcmp(uh_module_kernel_name(module, i), "count_local_d16_direct") == 0 &&
            properties.local_memory < 1 << 18)
            continue;
        snprintf(line, sizeof line, "uh_parallel_for: %s, ", uh_module_kernel_name(module, i));
        if (!strstr(trace, line)) {
            printf("nothing has launched %s of %s\n", uh_module_kernel_name(module, i), program->name);
            missing++;
        }
    }
    uh_module_destroy(module);
    return missing;
}

static void every_kernel_has_been_launched(void **state) {
    (void)state;
    char *trace = trace_read();
    size_t missing = 0;
    for (int op = 0; op < OPERATIONS; op++) {
        missing += check_launched(programs[op](), trace);
        if (programs_f64[op]() && properties.fp64)
            missing += check_launched(programs_f64[op](), trace);
    }
    free(trace);
    assert_int_equal(missing, 0);
}

static void groups_up_to_the_kernels_largest_are_taken_and_larger_ones_refused(void **state) {
    (void)state;
    uh_module *module = build(uhi_histogram_program());
    uh_kernel *kernel = NULL;
    uh_kernel_properties kernel_properties = {.struct_size = sizeof kernel_properties};
    void *memory = NULL;
    const int64_t stride = 4;
    const uint32_t size = 4;
    const uint64_t n = 16;
    assert_int_equal(uh_kernel_get(module, "pack", &kernel), UH_SUCCESS);
    assert_int_equal(uh_kernel_get_properties(kernel, &kernel_properties), UH_SUCCESS);
    assert_int_equal(uh_malloc_shared(device, 4096, 0, &memory), UH_SUCCESS);
    const uh_arg args[] = {uh_arg_pointer(memory), uh_arg_value(&stride, sizeof stride),
                           uh_arg_value(&size, sizeof size), uh_arg_value(&n, sizeof n), uh_arg_pointer(memory)};
    const size_t most = (size_t)kernel_properties.max_group_size;
    for (size_t local = 1; local <= 2 * most; local *= 2) {
        const uh_nd_range range = {.dims = 1, .global = {2 * local}, .local = {local}, .offset = {local}};
        assert_int_equal(uh_parallel_for(queue, kernel, &range, args, 5, NULL, 0, NULL),
                         local <= most ? UH_SUCCESS : UH_ERROR_INVALID_ARGUMENT);
    }
    const uh_nd_range ranges[] = {{.dims = 2, .global = {64, 6}, .local = {16, 2}},
                                  {.dims = 3, .global = {8, 6, 4}, .local = {4, 3, 2}, .offset = {1, 2, 3}},
                                  {.dims = 3, .global = {35, 7, 5}}};
    for (int i = 0; i < 3; i++)
        if (uh_parallel_for(queue, kernel, &ranges[i], args, 5, NULL, 0, NULL) != UH_SUCCESS)
            fail_msg("range %d: %s", i, uh_last_error());
    assert_int_equal(uh_queue_wait(queue), UH_SUCCESS);
    assert_int_equal(uh_free(memory), UH_SUCCESS);
    uh_module_destroy(module);
}

/* ---- memory and events ------------------------------------------------------------------------------------------ */

enum { BYTES = 100000 };

static void copies_fills_and_prefetches_between_all_kinds_are_taken(void **state) {
    (void)state;
    static unsigned char plain[BYTES] = {0}, other[BYTES] = {0};
    static const unsigned char pattern[] = "0123456789abcdef";
    void *there[5] = {plain, NULL, NULL, NULL, NULL};
    uh_pointer_info info;
    assert_int_equal(uh_malloc_device(device, BYTES, 0, &there[1]), UH_SUCCESS);
    assert_int_equal(uh_malloc_host(device, BYTES, 4096, &there[2]), UH_SUCCESS);
    assert_int_equal(uh_malloc_shared(device, BYTES, 256, &there[3]), UH_SUCCESS);
    there[4] = other;
    for (int kind = 1; kind < 4; kind++) {
        assert_int_equal(uh_pointer_type(there[kind], &info), UH_SUCCESS);
        assert_int_equal(info.kind, kind);
    }
    for (int to = 0; to < 5; to++) {
        for (int from = 0; from < 5; from++)
            if (to != from && uh_memcpy(queue, there[to], there[from], BYTES, NULL, 0, NULL) != UH_SUCCESS)
                fail_msg("from %d to %d: %s", from, to, uh_last_error());
        for (size_t size = 1; size <= 16 && to > 0 && to < 4; size *= 2)
            if (uh_fill(queue, (char *)there[to] + 3, pattern, size, 100, NULL, 0, NULL) != UH_SUCCESS)
                fail_msg("memory %d, patterns of %zu bytes: %s", to, size, uh_last_error());
    }
    assert_int_equal(uh_prefetch(queue, there[3], BYTES, NULL, 0, NULL), UH_SUCCESS);
    assert_int_equal(uh_queue_wait(queue), UH_SUCCESS);
    for (int kind = 1; kind < 4; kind++)
        assert_int_equal(uh_free(there[kind]), UH_SUCCESS);
}

static void a_fill_of_plain_host_memory_is_taken(void **state) {
    (void)state;
    static unsigned char plain[1000] = {0};
    if (uh_fill(queue, plain + 1, "abcd", 4, 200, NULL, 0, NULL) != UH_SUCCESS)
        fail_msg("%s", uh_last_error());
    assert_int_equal(uh_queue_wait(queue), UH_SUCCESS);
}

/* Waits return at once: the driver takes everything for done that it was given. */
static void events_order_queues_and_waits_return(void **state) {
    (void)state;
    const uh_queue_options copies = {.struct_size = sizeof copies, .engine = UH_ENGINE_COPY};
    const uh_queue_options timed = {.struct_size = sizeof timed, .profiling = 1};
    uh_queue *other = NULL, *profiled = NULL;
    uh_event *events[3] = {NULL, NULL, NULL};
    void *memory = NULL;
    const uint32_t pattern = 1;
    assert_int_equal(uh_queue_create(device, &copies, &other), UH_SUCCESS);
    assert_int_equal(uh_queue_create(device, &timed, &profiled), UH_SUCCESS);
    assert_int_equal(uh_malloc_device(device, 8192, 0, &memory), UH_SUCCESS);
    assert_int_equal(uh_fill(queue, memory, &pattern, 4, 1024, NULL, 0, &events[0]), UH_SUCCESS);
    assert_int_equal(uh_memcpy(other, (char *)memory + 4096, memory, 4096, events, 1, &events[1]), UH_SUCCESS);
    assert_int_equal(uh_fill(profiled, memory, &pattern, 4, 1024, events, 2, &events[2]), UH_SUCCESS);
    for (int i = 2; i >= 0; i--) {
        assert_int_equal(uh_event_wait_for(events[i], 1000000), UH_SUCCESS);
        assert_int_equal(uh_event_wait(events[i]), UH_SUCCESS);
    }
    for (int i = 0; i < 3; i++)
        assert_int_equal(uh_event_destroy(events[i]), UH_SUCCESS);
    assert_int_equal(uh_queue_destroy(profiled), UH_SUCCESS);
    assert_int_equal(uh_queue_destroy(other), UH_SUCCESS);
    assert_int_equal(uh_free(memory), UH_SUCCESS);
}

/* ---- what the driver and the validation layer said -------------------------------------------------------------- */

static void no_call_of_level_zero_has_failed(void **state) {
    (void)state;
    char *trace = trace_read(), *rest = trace;
    size_t calls = 0, failures = 0;
    for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
        char function[64], result[64];
        if (sscanf(line, "unihist: trace: ze%60[A-Za-z]: %60[A-Z0-9_x]", function, result) != 2)
            continue;
        calls++;
        /* A program with double on a device that has none is meant to fail; this driver has no clock without hardware;
         * an event may not have happened yet. */
        int meant = (strcmp(function, "ModuleCreate") == 0 && !properties.fp64 && strstr(result, "BUILD_FAILURE")) ||
                    strcmp(function, "DeviceGetGlobalTimestamps") == 0;
        if (strcmp(result, "ZE_RESULT_SUCCESS") != 0 && strcmp(result, "ZE_RESULT_NOT_READY") != 0 && !meant) {
            printf("%s\n", line);
            failures++;
        }
    }
    free(trace);
    printf("%zu calls of Level Zero, %zu failed\n", calls, failures);
    assert_true(calls > 1000);
    assert_int_equal(failures, 0);
}

/* The layer tells by the result of the call, before the driver sees it; the driver itself would crash at these. */
static void the_validation_layer_reports_wrong_calls(void **state) {
    (void)state;
    if (!getenv("ZE_ENABLE_VALIDATION_LAYER"))
        skip();
    void *loader = dlopen("libze_loader.so.1", RTLD_NOW);
    assert_non_null(loader);
    __typeof__(&zeKernelSetGroupSize) set_group_size;
    __typeof__(&zeDriverGet) driver_get;
    void *address = dlsym(loader, "zeKernelSetGroupSize");
    memcpy(&set_group_size, &address, sizeof address);
    address = dlsym(loader, "zeDriverGet");
    memcpy(&driver_get, &address, sizeof address);
    assert_int_equal(set_group_size(NULL, 1, 1, 1), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    assert_int_equal(driver_get(NULL, NULL), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    dlclose(loader);
}

/* ---- the run ---------------------------------------------------------------------------------------------------- */

static int set_up(void **state) {
    (void)state;
    properties.struct_size = sizeof properties;
    if (uh_device_select("level_zero:0", &device) != UH_SUCCESS)
        fail_msg("%s", uh_last_error());
    assert_int_equal(uh_device_get_properties(device, &properties), UH_SUCCESS);
    assert_int_equal(uh_queue_create(device, NULL, &queue), UH_SUCCESS);
    printf("%s: %s, driver %s, %llu bytes of local memory%s\n", properties.selector, properties.name,
           properties.driver_version, (unsigned long long)properties.local_memory, properties.fp64 ? ", float64" : "");
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    return uh_queue_destroy(queue) != UH_SUCCESS;
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *walk) {
    (void)status;
    (void)type;
    (void)walk;
    return remove(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_program_builds_and_no_kernel_spills),
        cmocka_unit_test(a_program_with_double_is_refused_where_the_device_has_none),
        cmocka_unit_test(what_was_built_is_kept_on_disk),
        cmocka_unit_test(a_native_binary_makes_the_same_module),
        cmocka_unit_test(every_method_and_type_is_taken_in_every_variant),
        cmocka_unit_test(the_parboil_histogram_is_taken_in_every_geometry),
        cmocka_unit_test(integers_are_counted_in_every_tier_of_memory),
        cmocka_unit_test(every_kernel_has_been_launched),
        cmocka_unit_test(groups_up_to_the_kernels_largest_are_taken_and_larger_ones_refused),
        cmocka_unit_test(copies_fills_and_prefetches_between_all_kinds_are_taken),
        cmocka_unit_test(a_fill_of_plain_host_memory_is_taken),
        cmocka_unit_test(events_order_queues_and_waits_return),
        cmocka_unit_test(the_validation_layer_reports_wrong_calls),
        cmocka_unit_test(no_call_of_level_zero_has_failed),
    };
    char path[sizeof folder + 4096];
    const char *why = intel_null_missing();
    if (why) {
        printf("skipped: %s\n", why);
        return 77;
    }
    if (!getcwd(path, 4096) || !mkdtemp(folder))
        return 1;
    strcat(strcat(path, "/"), folder);
    setenv("XDG_CACHE_HOME", path, 1);
    trace_begin(path);
    int failed = cmocka_run_group_tests_name("intel_null", tests, set_up, tear_down);
    trace_end();
    nftw(path, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
    return failed;
}
