/* SPDX-License-Identifier: Apache-2.0 */
/* Intel's own driver and graphics compiler without hardware: they build every kernel of the library, take every call,
 * and compute nothing. tests/tests.cmake sets the environment that makes them do so, for several devices. All of it
 * runs once more, in a child, under the loader's validation layer. Every call of Level Zero is read from the library's
 * trace.
 */
#define _GNU_SOURCE /* mkdtemp, nftw */
#include "tests/support.h"

#include <dlfcn.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <level_zero/ze_api.h>
#include <unihist/unihist.h>

#include "kernels/common/self_test.h"
#include "kernels/registry.h"
#include "tests/child.h"
#include "tests/described.h"
#include "tests/intel_null.h"

static char folder[] = "intel_null.XXXXXX";
static uh_device *null_device;
static uh_device_properties null_properties;
static uh_queue *null_queue;

/* ---- programs --------------------------------------------------------------------------------------------------- */

static const struct uhi_variants *(*const variants[])(void) = {
    uhi_common_variants,
#define UH_OPERATION(op) uhi_##op##_variants,
#include "kernels/registry.def"
#undef UH_OPERATION
};
enum { OPERATIONS = sizeof variants / sizeof variants[0] };

static uh_module *build(const uh_program *program) {
    uh_module *module = NULL;
    if (uh_module_create_program(null_device, program, NULL, &module) != UH_SUCCESS)
        fail_msg("%s: %s", program->name, uh_last_error());
    return module;
}

/* Whether the driver makes of a variant what it should. */
static int is_good(const struct uhi_variant *variant) {
    uh_kernel_properties kernel_properties = {.struct_size = sizeof kernel_properties};
    uh_module *module = build(variant->program);
    uh_kernel *kernel = NULL;
    assert_int_equal(uh_kernel_get(module, variant->name, &kernel), UH_SUCCESS);
    assert_int_equal(uh_kernel_get_properties(kernel, &kernel_properties), UH_SUCCESS);
    const int good = !kernel_properties.spill_memory && !kernel_properties.private_memory;
    if (!good)
        printf("%s spills %u bytes and has private arrays of %u bytes, a hardware thread\n", variant->name,
               (unsigned)kernel_properties.spill_memory, (unsigned)kernel_properties.private_memory);
    if (kernel_properties.local_memory > null_properties.local_memory)
        fail_msg("%s takes %llu bytes of local memory, %s has %llu", variant->name,
                 (unsigned long long)kernel_properties.local_memory, null_properties.name,
                 (unsigned long long)null_properties.local_memory);
    assert_true(kernel_properties.arguments > 0);
    assert_true(kernel_properties.sub_group_size >= 8);
    assert_in_range(kernel_properties.max_group_size, 1, null_properties.max_group_size);
    assert_int_equal(uh_module_destroy(module), UH_SUCCESS);
    return good;
}

static void every_variant_builds_and_none_spills(void **state) {
    (void)state;
    size_t bad = 0;
    for (int op = 0; op < OPERATIONS; op++) {
        const struct uhi_variants *all = variants[op]();
        assert_true(all->count > 0);
        for (size_t i = 0; i < all->count; i++)
            if (!all->variant[i].fp64 || null_properties.fp64)
                bad += !is_good(&all->variant[i]);
    }
    assert_int_equal(bad, 0);
}

static void a_program_with_double_is_refused_where_the_device_has_none(void **state) {
    (void)state;
    uh_module *module = NULL;
    if (null_properties.fp64)
        skip();
    const struct uhi_variant *variant = uhi_find_variant(uhi_histogram_variants(), "index_f64_search");
    assert_non_null(variant);
    uh_status status = uh_module_create_program(null_device, variant->program, NULL, &module);
    assert_true(status == UH_ERROR_BUILD || status == UH_ERROR_UNSUPPORTED);
    assert_null(module);
    assert_true(strlen(uh_last_error()) > 20);
}

static void a_native_binary_makes_the_same_module(void **state) {
    (void)state;
    uh_module *module = build(uhi_histogram_variants()->variant[0].program), *again = NULL;
    const uh_module_options options = {.struct_size = sizeof options, .format = UH_MODULE_NATIVE};
    size_t size = 0, count = 0;
    assert_int_equal(uh_module_native(module, NULL, &size), UH_SUCCESS);
    assert_true(size > 1000);
    void *binary = malloc(size);
    assert_non_null(binary);
    assert_int_equal(uh_module_native(module, binary, &size), UH_SUCCESS);
    if (uh_module_create(null_device, binary, size, &options, &again) != UH_SUCCESS)
        fail_msg("%s", uh_last_error());
    for (const char *name; (name = uh_module_kernel_name(module, count)); count++) {
        uh_kernel *kernel = NULL;
        assert_int_equal(uh_kernel_get(again, name, &kernel), UH_SUCCESS);
    }
    assert_true(count > 0);
    assert_null(uh_module_kernel_name(again, count));
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
    uh_module *module = build(uhi_histogram_variants()->variant[0].program);
    uh_module_destroy(module);
}

/* ---- launches --------------------------------------------------------------------------------------------------- */

/* Every case that a description has for this, in memory of the device and in plain memory; what comes back means
 * nothing here. What the device cannot do must be refused. */
static void kernels_of_an_operation_are_taken(void **state) {
    const struct description *description = *state;
    struct tried tried;
    size_t cases = 0;
    for (size_t i = 0; described_case(description, i, &tried) == 0; i++)
        for (int plain = 0; plain < (cases < 80 ? 2 : 1) && tried.in_null; plain++, cases++) {
            char problem[1024];
            struct use use = {.device = null_device, .queue = null_queue, .place = plain ? PLACE_PLAIN : PLACE_DEVICE};
            if (use_try(&use, description, i, tried.in_null, i, null_properties.fp64 != 0, problem, sizeof problem))
                fail_msg("%s", problem);
        }
    assert_true(cases > 0);
    assert_int_equal(uh_queue_wait(null_queue), UH_SUCCESS);
}

/* What bincount launches only where results ask for it: to name a value that is too large, and counts of 8 bits in
 * global memory, which they do not take on these devices. */
static void kernels_that_results_lead_to_are_taken(void **state) {
    static const char *const widths[] = {"8", "16", "32", "64"};
    const uint32_t few = 7, tables = 1;
    const uint64_t n = 50000;
    void *values = NULL, *words = NULL;
    (void)state;
    assert_int_equal(uh_malloc(null_device, UH_MEMORY_DEVICE, n * sizeof(uint64_t), 0, &values), UH_SUCCESS);
    assert_int_equal(uh_malloc(null_device, UH_MEMORY_DEVICE, n * sizeof(uint64_t), 0, &words), UH_SUCCESS);
    const uh_arg count[] = {uh_arg_pointer(values), uh_arg_value(&n, sizeof n),
                            uh_arg_pointer(words),  uh_arg_value(&few, sizeof few),
                            uh_arg_pointer(words),  uh_arg_value(&tables, sizeof tables)};
    const uh_arg above[] = {count[0], count[1], uh_arg_value(&n, sizeof n), count[2]};
    const uh_nd_range range = {.dims = 1, .global = {256}, .local = {64}};
    for (size_t i = 0; i < 8; i++) {
        char name[32];
        uh_kernel *kernel = NULL;
        snprintf(name, sizeof name, "%s_%s", i < 4 ? "count_global" : "first_above", widths[i % 4]);
        const struct uhi_variant *variant = uhi_find_variant(uhi_bincount_variants(), name);
        assert_non_null(variant);
        uh_module *module = build(variant->program);
        assert_int_equal(uh_kernel_get(module, name, &kernel), UH_SUCCESS);
        if (uh_parallel_for(null_queue, kernel, &range, i < 4 ? count : above, i < 4 ? 6 : 4, NULL, 0, NULL))
            fail_msg("%s: %s", name, uh_last_error());
        assert_int_equal(uh_queue_wait(null_queue), UH_SUCCESS);
        assert_int_equal(uh_module_destroy(module), UH_SUCCESS);
    }
    assert_int_equal(uh_free(values), UH_SUCCESS);
    assert_int_equal(uh_free(words), UH_SUCCESS);
}

/* What computes nothing is no device to use. */
static void the_self_test_refuses_a_driver_without_hardware(void **state) {
    const struct uhi_variants *all = uhi_common_variants();
    (void)state;
    assert_int_equal(unsetenv("UNIHIST_SELF_TEST"), 0);
    for (size_t i = 0; i < all->count; i++) {
        const struct uhi_variant *variant = &all->variant[i];
        if (variant->fp64 && !null_properties.fp64)
            continue;
        assert_int_equal(uhi_self_test(null_device, "uh_some_call", all, variant), UH_ERROR_UNSUPPORTED);
        assert_non_null(strstr(uh_last_error(), "kernels run and store nothing"));
    }
    assert_int_equal(setenv("UNIHIST_SELF_TEST", "off", 1), 0);
}

/* What no case of these devices' sizes comes to; trials launch it on the soft driver (test_kernels_self_test). The
 * slots of all 65,536 values do not fit local memory; those of all bytes, and a front of a binary search, do where
 * counts do, but for a few numbers of bins; and counts of the cases' integers fit the larger local memory. */
static int is_out_of_reach(const char *kernel) {
    static const char *const of_all[] = {"count_local_d16_direct", "count_mixed_d8_direct", "count_binary_mixed"},
                             *const of_larger[] = {
                                 "count_global_i32_packed_linear", "count_global_i32_packed_logarithm",
                                 "count_global_i64_packed_linear", "count_global_i64_packed_logarithm"};
    int out = 0;
    for (size_t i = 0; i < sizeof of_all / sizeof *of_all; i++)
        out |= strcmp(kernel, of_all[i]) == 0;
    for (size_t i = 0; null_properties.local_memory > 1 << 16 && i < sizeof of_larger / sizeof *of_larger; i++)
        out |= strcmp(kernel, of_larger[i]) == 0;
    return out;
}

static void every_variant_has_been_launched(void **state) {
    (void)state;
    char *trace = trace_read();
    size_t missing = 0;
    for (int op = 0; op < OPERATIONS; op++) {
        const struct uhi_variants *all = variants[op]();
        for (size_t i = 0; i < all->count; i++) {
            char line[256];
            if (is_out_of_reach(all->variant[i].name))
                continue;
            if (all->variant[i].fp64 && !null_properties.fp64)
                continue;
            snprintf(line, sizeof line, "uh_parallel_for: %s, ", all->variant[i].name);
            if (!strstr(trace, line)) {
                printf("nothing has launched %s\n", all->variant[i].name);
                missing++;
            }
        }
    }
    free(trace);
    assert_int_equal(missing, 0);
}

static void groups_up_to_the_kernels_largest_are_taken_and_larger_ones_refused(void **state) {
    (void)state;
    uh_module *module = build(uhi_find_variant(uhi_common_variants(), "pack")->program);
    uh_kernel *kernel = NULL;
    uh_kernel_properties kernel_properties = {.struct_size = sizeof kernel_properties};
    void *memory = NULL;
    const int64_t stride = 4;
    const uint32_t size = 4;
    const uint64_t n = 16;
    assert_int_equal(uh_kernel_get(module, "pack", &kernel), UH_SUCCESS);
    assert_int_equal(uh_kernel_get_properties(kernel, &kernel_properties), UH_SUCCESS);
    assert_int_equal(uh_malloc(null_device, UH_MEMORY_SHARED, 4096, 0, &memory), UH_SUCCESS);
    const uh_arg args[] = {uh_arg_pointer(memory), uh_arg_value(&stride, sizeof stride),
                           uh_arg_value(&size, sizeof size), uh_arg_value(&n, sizeof n), uh_arg_pointer(memory)};
    const size_t most = (size_t)kernel_properties.max_group_size;
    for (size_t local = 1; local <= 2 * most; local *= 2) {
        const uh_nd_range range = {.dims = 1, .global = {2 * local}, .local = {local}, .offset = {local}};
        assert_int_equal(uh_parallel_for(null_queue, kernel, &range, args, 5, NULL, 0, NULL),
                         local <= most ? UH_SUCCESS : UH_ERROR_INVALID_ARGUMENT);
    }
    const uh_nd_range ranges[] = {{.dims = 2, .global = {64, 6}, .local = {16, 2}},
                                  {.dims = 3, .global = {8, 6, 4}, .local = {4, 3, 2}, .offset = {1, 2, 3}},
                                  {.dims = 3, .global = {35, 7, 5}}};
    for (int i = 0; i < 3; i++)
        if (uh_parallel_for(null_queue, kernel, &ranges[i], args, 5, NULL, 0, NULL) != UH_SUCCESS)
            fail_msg("range %d: %s", i, uh_last_error());
    assert_int_equal(uh_queue_wait(null_queue), UH_SUCCESS);
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
    assert_int_equal(uh_malloc(null_device, UH_MEMORY_DEVICE, BYTES, 0, &there[1]), UH_SUCCESS);
    assert_int_equal(uh_malloc(null_device, UH_MEMORY_HOST, BYTES, 4096, &there[2]), UH_SUCCESS);
    assert_int_equal(uh_malloc(null_device, UH_MEMORY_SHARED, BYTES, 256, &there[3]), UH_SUCCESS);
    there[4] = other;
    for (int kind = 1; kind < 4; kind++) {
        assert_int_equal(uh_pointer_type(there[kind], &info), UH_SUCCESS);
        assert_int_equal(info.kind, kind);
    }
    for (int to = 0; to < 5; to++) {
        for (int from = 0; from < 5; from++)
            if (to != from && uh_memcpy(null_queue, there[to], there[from], BYTES, NULL, 0, NULL) != UH_SUCCESS)
                fail_msg("from %d to %d: %s", from, to, uh_last_error());
        for (size_t size = 1; size <= 16 && to > 0 && to < 4; size *= 2)
            if (uh_fill(null_queue, (char *)there[to] + 3, pattern, size, 100, NULL, 0, NULL) != UH_SUCCESS)
                fail_msg("memory %d, patterns of %zu bytes: %s", to, size, uh_last_error());
    }
    assert_int_equal(uh_prefetch(null_queue, there[3], BYTES, NULL, 0, NULL), UH_SUCCESS);
    for (int advice = UH_ADVICE_READ_MOSTLY; advice <= UH_ADVICE_PREFER_NONE; advice++)
        assert_int_equal(uh_mem_advise(null_queue, there[3], BYTES, (uh_memory_advice)advice, NULL, 0, NULL),
                         UH_SUCCESS);
    assert_int_equal(uh_queue_wait(null_queue), UH_SUCCESS);
    for (int kind = 1; kind < 4; kind++)
        assert_int_equal(uh_free(there[kind]), UH_SUCCESS);
}

static void a_fill_of_plain_host_memory_is_taken(void **state) {
    (void)state;
    static unsigned char plain[1000] = {0};
    if (uh_fill(null_queue, plain + 1, "abcd", 4, 200, NULL, 0, NULL) != UH_SUCCESS)
        fail_msg("%s", uh_last_error());
    assert_int_equal(uh_queue_wait(null_queue), UH_SUCCESS);
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
    assert_int_equal(uh_queue_create(null_device, &copies, &other), UH_SUCCESS);
    assert_int_equal(uh_queue_create(null_device, &timed, &profiled), UH_SUCCESS);
    assert_int_equal(uh_malloc(null_device, UH_MEMORY_DEVICE, 8192, 0, &memory), UH_SUCCESS);
    assert_int_equal(uh_fill(null_queue, memory, &pattern, 4, 1024, NULL, 0, &events[0]), UH_SUCCESS);
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
    return uh_queue_destroy(null_queue) != UH_SUCCESS;
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

TEST_MAIN(test_intel_null) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_variant_builds_and_none_spills),
        cmocka_unit_test(a_program_with_double_is_refused_where_the_device_has_none),
        cmocka_unit_test(what_was_built_is_kept_on_disk),
        cmocka_unit_test(a_native_binary_makes_the_same_module),
#define UH_OPERATION(op)                                                                                               \
    {"kernels_of_" #op "_are_taken", kernels_of_an_operation_are_taken, NULL, NULL, (void *)(uintptr_t)&describe_##op},
#include "kernels/registry.def"
#undef UH_OPERATION
        cmocka_unit_test(kernels_that_results_lead_to_are_taken),
        cmocka_unit_test(the_self_test_refuses_a_driver_without_hardware),
        cmocka_unit_test(every_variant_has_been_launched),
        cmocka_unit_test(groups_up_to_the_kernels_largest_are_taken_and_larger_ones_refused),
        cmocka_unit_test(copies_fills_and_prefetches_between_all_kinds_are_taken),
        cmocka_unit_test(a_fill_of_plain_host_memory_is_taken),
        cmocka_unit_test(events_order_queues_and_waits_return),
        cmocka_unit_test(the_validation_layer_reports_wrong_calls),
        cmocka_unit_test(no_call_of_level_zero_has_failed),
    };
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
    int failed = cmocka_run_group_tests_name("intel_null", tests, set_up, tear_down);
    trace_end();
    if (!failed && !validated)
        failed = run_again_validated();
    nftw(path, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
    return failed;
}
