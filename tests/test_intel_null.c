/* SPDX-License-Identifier: Apache-2.0 */
/* Intel's own driver and graphics compiler without hardware: they build every kernel of the library, take every call,
 * and compute nothing. tests/tests.cmake sets the environment for this, for several devices. All of it runs once more,
 * in a child, under the loader's validation layer. Every call of Level Zero is read from the library's trace. What the
 * runtime's tests ask of any driver they ask of this one too (tests/tests.cmake).
 */

#include <level_zero/ze_api.h>
#include <unihist/unihist.h>

#include "kernels/common/trial.h"
#include "kernels/registry.h"
#include "tests/described.h"
#include "tests/module_cache_fixture.h"
#include "tests/tested.h"

static FILE *trace_file;
static char *trace; /* the text after trace_read */
static size_t trace_size;

static void add_to_trace(uh_log_level level, const char *message, void *context) {
    if (level == UH_LOG_TRACE)
        fprintf(trace_file, "%s\n", message);
    else if (level <= UH_LOG_WARN)
        fprintf(stderr, "%s\n", message);
}

static char *trace_read(void) {
    assert_int_equal(fflush(trace_file), 0);
    return trace;
}

static const struct uhi_variants *(*const variants[])(void) = {
    uhi_common_variants,
#define UH_OPERATION(op) uhi_##op##_variants,
#include "kernels/registry.def"
#undef UH_OPERATION
};
enum { OPERATIONS = sizeof variants / sizeof variants[0] };

/* The kernels for Iris Xe are hardly others than those for adl-p, each of which test_perf_isa looks at. So where there
 * is no float64, what stands in for it, which is for such devices alone, is all that is built and launched here of the
 * operations with many kernels, but for UNIHIST_TEST_ALL=1. */
static int is_left_out(size_t kernels, const char *name, const char *float64) {
    enum { MANY = 100 };
    return !tested.properties.fp64 && kernels > MANY && !strstr(name, float64) && !getenv("UNIHIST_TEST_ALL");
}

/* Whether a variant is left out so, or not for this device. */
static int is_skipped(const struct uhi_variants *all, const struct uhi_variant *variant) {
    return (variant->fp64 && !tested.properties.fp64) || is_left_out(all->count, variant->name, "_k64_");
}

/* Those of points are histogram's. */
static size_t kernels_of(const char *operation) {
    if (strcmp(operation, "points") == 0)
        return uhi_histogram_variants()->count;
#define UH_OPERATION(op)                                                                                               \
    if (strcmp(operation, #op) == 0)                                                                                   \
        return uhi_##op##_variants()->count;
#include "kernels/registry.def"
#undef UH_OPERATION
    return 0;
}

/* Whether the driver makes of a variant what it should. */
static int is_good(const struct uhi_variant *variant) {
    uh_kernel_properties kernel_properties = {.struct_size = sizeof kernel_properties};
    uh_module *module = test_module(tested.device, variant->program, NULL);
    test_good(uh_kernel_get_properties(test_kernel_of(module, variant->name), &kernel_properties));
    const int good = !kernel_properties.spill_memory && !kernel_properties.private_memory;
    if (!good)
        printf("%s spills %u bytes and has private arrays of %u bytes, a hardware thread\n", variant->name,
               (unsigned)kernel_properties.spill_memory, (unsigned)kernel_properties.private_memory);
    if (kernel_properties.local_memory > tested.properties.local_memory)
        fail_msg("%s takes %llu bytes of local memory, %s has %llu", variant->name,
                 (unsigned long long)kernel_properties.local_memory, tested.properties.name,
                 (unsigned long long)tested.properties.local_memory);
    assert_true(kernel_properties.arguments > 0);
    assert_true(kernel_properties.sub_group_size >= 8);
    assert_in_range(kernel_properties.max_group_size, 1, tested.properties.max_group_size);
    uh_module_destroy(module);
    return good;
}

static void every_variant_builds_and_none_spills(void **state) {
    size_t bad = 0;
    for (int op = 0; op < OPERATIONS; op++) {
        const struct uhi_variants *all = variants[op]();
        assert_true(all->count > 0);
        for (size_t i = 0; i < all->count; i++)
            bad += !is_skipped(all, &all->variant[i]) && !is_good(&all->variant[i]);
    }
    assert_int_equal(bad, 0);
}

/* Every case that a description has for this, in memory of the device and in plain memory; what comes back means
 * nothing here. What the device cannot do must be refused. */
static void kernels_of_an_operation_are_taken(void **state) {
    const struct description *description = *state;
    struct tried tried;
    size_t cases = 0;
    for (size_t i = 0; described_case(description, i, &tried) == 0; i++) {
        if (is_left_out(kernels_of(description->name), tried.name, "float64"))
            continue;
        for (int plain = 0; plain < (cases < 80 ? 2 : 1) && tried.in_null; plain++, cases++) {
            char problem[1024];
            struct use use = {
                .device = tested.device, .queue = tested.queue, .place = plain ? PLACE_PLAIN : PLACE_DEVICE};
            if (use_try(&use, description, i, tried.in_null, i, tested.properties.fp64 != 0, problem, sizeof problem))
                fail_msg("%s", problem);
        }
    }
    assert_true(cases > 0);
    test_good(uh_queue_wait(tested.queue));
}

/* What bincount launches only where results ask for it: to name a value that is too large, and counts of 8 bits in
 * global memory, which they do not take on these devices. */
static void kernels_that_results_lead_to_are_taken(void **state) {
    static const char *const widths[] = {"8", "16", "32", "64"};
    const uint32_t few = 7, tables = 1;
    const uint64_t n = 50000;
    void *values = test_ze_alloc(tested.device, UH_MEMORY_DEVICE, n * sizeof(uint64_t)),
         *words = test_ze_alloc(tested.device, UH_MEMORY_DEVICE, n * sizeof(uint64_t));
    const uh_arg count[] = {uh_arg_pointer(values), VALUE(n),      uh_arg_pointer(words),   VALUE(few),
                            uh_arg_pointer(words),  VALUE(tables), uh_arg_local(sizeof few)};
    const uh_arg above[] = {count[0], count[1], VALUE(n), count[2]};
    for (size_t i = 0; i < 8; i++) {
        char name[32];
        snprintf(name, sizeof name, "%s_%s", i < 4 ? "count_global" : "first_above", widths[i % 4]);
        const struct uhi_variant *variant = uhi_find_variant(uhi_bincount_variants(), name);
        assert_non_null(variant);
        uh_module *module = test_module(tested.device, variant->program, NULL);
        test_good(uh_parallel_for(tested.queue, test_kernel_of(module, name), RANGE_OF(256, 64), i < 4 ? count : above,
                                  i < 4 ? 7 : 4, NULL));
        test_good(uh_queue_wait(tested.queue));
        uh_module_destroy(module);
    }
    test_good(uh_free(values));
    test_good(uh_free(words));
}

/* What computes nothing is no device to use. */
static void the_self_test_refuses_a_driver_without_hardware(void **state) {
    const struct uhi_variants *all = uhi_common_variants();
    assert_int_equal(unsetenv("UNIHIST_SELF_TEST"), 0);
    for (size_t i = 0; i < all->count; i++) {
        const struct uhi_variant *variant = &all->variant[i];
        if (variant->fp64 && !tested.properties.fp64)
            continue;
        test_assert_failed(uhi_self_test(tested.queue, "uh_some_call", all, variant, NULL), UH_ERROR_UNSUPPORTED,
                           "kernels run and store nothing");
    }
    assert_int_equal(setenv("UNIHIST_SELF_TEST", "off", 1), 0);
}

/* What no case of these devices' sizes comes to; trials launch it on the soft driver (test_kernels_self_test). The
 * slots of all 65,536 values do not fit local memory; those of all bytes, and a front of a binary search, do where
 * counts do, but for a few numbers of bins; and counts of the cases' integers fit the larger local memory. */
static int is_out_of_reach(const char *kernel) {
    static const char *const of_all[] = {"count_local_d16_direct", "count_mixed_d8_direct", "count_binary_mixed"},
                             *const of_larger[] = {"count_global_i32_packed_linear",
                                                   "count_global_i32_packed_logarithm", "count_global_i64_packed"};
    int out = 0;
    for (size_t i = 0; i < sizeof of_all / sizeof *of_all; i++)
        out |= strcmp(kernel, of_all[i]) == 0;
    for (size_t i = 0; tested.properties.local_memory > 1 << 16 && i < sizeof of_larger / sizeof *of_larger; i++)
        out |= strcmp(kernel, of_larger[i]) == 0;
    return out;
}

static void every_variant_has_been_launched(void **state) {
    const char *text = trace_read();
    size_t missing = 0;
    for (int op = 0; op < OPERATIONS; op++) {
        const struct uhi_variants *all = variants[op]();
        for (size_t i = 0; i < all->count; i++) {
            char line[256];
            if (is_out_of_reach(all->variant[i].name) || is_skipped(all, &all->variant[i]))
                continue;
            snprintf(line, sizeof line, "uh_parallel_for: %s, ", all->variant[i].name);
            if (!strstr(text, line)) {
                printf("nothing has launched %s\n", all->variant[i].name);
                missing++;
            }
        }
    }
    assert_int_equal(missing, 0);
}

/* The layer tells by the result of the call, before the driver sees it; the driver itself would crash at these. */
static void the_validation_layer_reports_wrong_calls(void **state) {
    if (!getenv("ZE_ENABLE_VALIDATION_LAYER"))
        skip_because("not under the validation layer");
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
static void no_call_of_level_zero_has_failed(void **state) {
    enum { MIN_CALLS = 1000 };
    size_t calls = 0, failures = 0;
    for (const char *line = trace_read(), *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
        char function[64], result[64];
        if (sscanf(line, "ze%60[A-Za-z]: %60[A-Z0-9_x]", function, result) != 2)
            continue;
        calls++;
        /* A program with double on a device that has none is meant to fail; this driver has no clock and no PCI address
         * without hardware; an event may not have happened yet. */
        int meant =
            (strcmp(function, "ModuleCreate") == 0 && !tested.properties.fp64 && strstr(result, "BUILD_FAILURE")) ||
            strcmp(function, "DeviceGetGlobalTimestamps") == 0 || strcmp(function, "DevicePciGetPropertiesExt") == 0;
        if (strcmp(result, "ZE_RESULT_SUCCESS") != 0 && strcmp(result, "ZE_RESULT_NOT_READY") != 0 && !meant) {
            printf("%.*s\n", (int)(end - line), line);
            failures++;
        }
    }
    printf("%zu calls of Level Zero, %zu failed\n", calls, failures);
    assert_true(calls > MIN_CALLS);
    assert_int_equal(failures, 0);
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

static int run_group(const struct CMUnitTest *tests, size_t n, int argc, char **argv) {
    const int validated = argc > 1 && strcmp(argv[1], "validated") == 0;
    trace_file = open_memstream(&trace, &trace_size);
    if (!trace_file || (!validated && make_cache_folder(NULL))) /* else the folder is the parent's */
        return 1;
    test_good(uh_set_log(UH_LOG_TRACE, add_to_trace, NULL));
    setenv("UNIHIST_TEST_DEVICE", "level_zero", 0);
    int failed = tested_begin();
    if (!failed) {
        printf("%s: %s, driver %s, %llu bytes of local memory%s\n", tested.properties.selector, tested.properties.name,
               tested.properties.driver_version, (unsigned long long)tested.properties.local_memory,
               tested.properties.fp64 ? ", float64" : "");
        failed = tested_end(_cmocka_run_group_tests("intel_null", tests, n, NULL, NULL));
    }
    test_good(uh_set_log(UH_LOG_OFF, NULL, NULL));
    fclose(trace_file);
    free(trace);
    if (!failed && !validated)
        failed = run_again_validated();
    if (!validated)
        files_teardown(NULL);
    return failed;
}

TEST_MAIN(test_intel_null) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_variant_builds_and_none_spills),
#define UH_OPERATION(op)                                                                                               \
    {"kernels_of_" #op "_are_taken", kernels_of_an_operation_are_taken, NULL, NULL, (void *)(uintptr_t)&describe_##op},
#include "kernels/registry.def"
#undef UH_OPERATION
        {"kernels_of_points_are_taken", kernels_of_an_operation_are_taken, NULL, NULL,
         (void *)(uintptr_t)&describe_points},
        cmocka_unit_test(kernels_that_results_lead_to_are_taken),
        cmocka_unit_test(the_self_test_refuses_a_driver_without_hardware),
        cmocka_unit_test(every_variant_has_been_launched),
        cmocka_unit_test(the_validation_layer_reports_wrong_calls),
        cmocka_unit_test(no_call_of_level_zero_has_failed),
    };
    return run_group(tests, sizeof tests / sizeof *tests, argc, argv);
}
