/* SPDX-License-Identifier: Apache-2.0 */
/* Modules and kernels on any Level Zero driver. */
#include "runtime/spirv.h"
#include "runtime/ze.h"
#include "tests/fixture.h"

#include "module_kernels.cl.h"
#include "module_kernels_f64.cl.h"

static uh_device *device;

static const char *const kernel_names[] = {"nothing", "constants", "add",   "tell",      "take",
                                           "is_null", "fixed",     "holds", "take_tight"};
enum { KERNELS = sizeof kernel_names / sizeof kernel_names[0] };

static const int64_t of_the_program[4] = {-1, -2, -4, -8}; /* the constants where none is given */

static uh_module *make(const uh_module_options *options) {
    return test_module(device, &uh_program_module_kernels, options);
}

UNIT_TEST(a_module_has_the_kernels_of_its_program_which_tell_their_arguments_and_memory) {
    static const uint32_t arguments[KERNELS] = {0, 1, 2, 1, 11, 3, 1, 2, 2};
    uh_module *module = make(NULL);
    uh_module_properties known = {.struct_size = sizeof known};
    const uh_device_properties d = test_device_properties(device);
    test_good(uh_module_get_properties(module, &known));
    assert_int_equal(known.kernels, KERNELS);
    for (size_t i = 0; i < KERNELS; i++) {
        uh_kernel_properties p = {.struct_size = sizeof p};
        int fixed = strcmp(kernel_names[i], "fixed") == 0, found = 0;
        for (size_t j = 0; j < KERNELS; j++)
            found += strcmp(known.kernel_names[j], kernel_names[i]) == 0;
        assert_int_equal(found, 1);
        test_good(uh_kernel_get_properties(test_kernel_of(module, kernel_names[i]), &p));
        assert_int_equal(p.arguments, arguments[i]);
        assert_int_equal(p.spill_memory, 0);
        assert_true(p.max_group_size >= 1 && p.max_group_size <= d.max_group_size);
        assert_int_equal(p.required_group_size[0], fixed ? 8 : 0);
        assert_int_equal(p.required_group_size[1], fixed ? 4 : 0);
        assert_int_equal(p.required_group_size[2], fixed ? 1 : 0);
        if (fixed)
            assert_int_equal(p.max_group_size, 32);
        if (strcmp(kernel_names[i], "holds") == 0)
            assert_int_equal(p.local_memory, 4096);
    }
}

UNIT_TEST(the_compilers_spirv_declares_parameters_as_opencl_c_does) {
    static const struct uhi_parameter expected[] = {
        {UHI_PARAMETER_POINTER, 0}, {UHI_PARAMETER_VALUE, 1},   {UHI_PARAMETER_VALUE, 2},  {UHI_PARAMETER_VALUE, 4},
        {UHI_PARAMETER_VALUE, 8},   {UHI_PARAMETER_VALUE, 4},   {UHI_PARAMETER_VALUE, 16}, {UHI_PARAMETER_VALUE, 24},
        {UHI_PARAMETER_LOCAL, 0},   {UHI_PARAMETER_POINTER, 0}, {UHI_PARAMETER_LOCAL, 0}};
    struct uhi_signature *signatures = NULL;
    size_t count = 0, seen = 0;
    test_good(uhi_spirv_read("test", uh_program_module_kernels.spirv, uh_program_module_kernels.spirv_size, NULL, 0,
                             &signatures, &count));
    assert_int_equal(count, KERNELS);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(signatures[i].name, "take_tight") == 0) { /* members side by side: 1 + 8 + 2 bytes */
            assert_int_equal(signatures[i].count, 2);
            assert_int_equal(signatures[i].parameters[1].size, 11);
            seen++;
        }
        if (strcmp(signatures[i].name, "take") != 0)
            continue;
        assert_int_equal(signatures[i].count, sizeof expected / sizeof expected[0]);
        for (size_t j = 0; j < signatures[i].count; j++) {
            assert_int_equal(signatures[i].parameters[j].kind, expected[j].kind);
            assert_int_equal(signatures[i].parameters[j].size, expected[j].size);
        }
        seen++;
    }
    assert_int_equal(seen, 2);
    uhi_signatures_free(signatures, count);
}

/* Runs the kernel `constants` of a module and checks what it sees, where the device computes. */
static void check_constants(uh_module *module, const int64_t expected[4]) {
    uh_queue *queue = test_ze_queue(device, 0);
    int64_t *out = test_ze_alloc(device, UH_MEMORY_HOST, 4 * sizeof *out);
    test_good(
        uh_parallel_for(queue, test_kernel_of(module, "constants"), RANGE_OF(1, 1), ARGS(uh_arg_pointer(out)), NULL));
    test_good(uh_queue_wait(queue));
    for (int i = 0; i < 4 && test_ze_computes(); i++)
        assert_int_equal(out[i], expected[i]);
    test_good(uh_free(test_take(out)));
    uh_queue_destroy(test_take(queue));
}

UNIT_TEST(constants_have_their_given_values_and_else_the_programs) {
    const int8_t one = 17;
    const int16_t two = -1234;
    const int32_t four = 0x12345678;
    const int64_t eight = INT64_C(0x123456789ab);
    const uh_constant all[] = {{8, 8, &eight}, {1, 1, &one}, {4, 4, &four}, {2, 2, &two}};
    const int64_t all_set[] = {one, two, four, eight}, one_set[] = {-1, -2, four, -8};
    const uh_constant unknown = {3, 4, &four};
    uh_module *module = NULL;
    check_constants(make(NULL), of_the_program);
    check_constants(make(MODULE_OPTIONS(.constants = all, .nconstants = 4)), all_set);
    check_constants(make(MODULE_OPTIONS(.constants = &all[2], .nconstants = 1)), one_set);
    test_invalid(uh_module_create(device, &uh_program_module_kernels,
                                  MODULE_OPTIONS(.constants = &unknown, .nconstants = 1), &module),
                 "options->constants[0].id is 3, expected one of the program's: ");
}

UNIT_TEST(a_native_binary_is_given_and_taken_back) {
    size_t size = 0, small = 3, larger;
    uh_module *module = make(NULL);
    test_good(uh_module_native(module, NULL, &size));
    assert_true(size > 100);
    larger = size + 10;
    unsigned char *binary = test_memory(larger);
    test_invalid(uh_module_native(module, binary, &small), "uh_module_native: *size is 3, expected at least ");
    assert_int_equal(small, size);
    assert_int_equal(binary[0], 0);
    test_good(uh_module_native(module, binary, &larger));
    assert_int_equal(larger, size);
    check_constants(test_module(device, NATIVE(binary, size), NULL), of_the_program);
    test_invalid(uh_module_native(NULL, NULL, &size), "module is NULL");
}

UNIT_TEST(what_is_no_binary_of_the_device_fails_to_build) {
    uh_module *module = (uh_module *)state;
    const char nonsense[256] = "no binary of any device";
    /* Intel's drivers of today call it ZE_RESULT_ERROR_MODULE_BUILD_FAILURE, those of 2022 and the specification
     * ZE_RESULT_ERROR_INVALID_NATIVE_BINARY. */
    test_assert_failed(uh_module_create(device, NATIVE(nonsense, sizeof nonsense), NULL, &module), UH_ERROR_BUILD,
                       "uh_module_create: zeModuleCreate failed with ZE_RESULT_ERROR_", "for a program on ");
    assert_ptr_equal(module, state);
}

UNIT_TEST(a_program_that_needs_what_the_device_lacks_is_refused_by_name) {
    uh_module *module = (uh_module *)state;
    if (test_device_properties(device).fp64) {
        (void)test_kernel_of(test_module(device, &uh_program_module_kernels_f64, NULL), "halve");
        return;
    }
    test_assert_failed(uh_module_create(device, &uh_program_module_kernels_f64, NULL, &module), UH_ERROR_UNSUPPORTED,
                       "uh_module_create: module_kernels_f64 needs SPIR-V's capability Float64, which level_zero:0 (",
                       ") does not have");
    assert_ptr_equal(module, state);
}

/* The program with another capability before the others; the driver of a device that has it takes it or does not. */
UNIT_TEST(what_a_program_declares_is_known_before_the_driver_sees_it) {
    static const struct {
        uint32_t capability;
        const char *name;
    } rows[] = {{9, "Float16"}, {62, "GroupNonUniformVote"}, {5568, "SubgroupShuffleINTEL"}};
    const uh_program *from = &uh_program_module_kernels;
    const size_t size = from->spirv_size + 8;
    const struct soft_gpu gpu = test_soft_gpu();
    uint32_t *code = test_memory(size);
    uh_module *module = (uh_module *)state;
    memcpy(code, from->spirv, 20);
    memcpy(code + 7, (const char *)from->spirv + 20, from->spirv_size - 20);
    code[5] = 2 << 16 | 17;
    const uint64_t modules = gpu.calls("zeModuleCreate");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        code[6] = rows[i].capability;
        test_assert_failed(uh_module_create(device, SPIRV(code, size), NULL, &module), UH_ERROR_UNSUPPORTED,
                           "uh_module_create: a program needs SPIR-V's capability ", rows[i].name);
    }
    assert_int_equal(gpu.calls("zeModuleCreate"), modules);
    code[6] = 12; /* Int64Atomics, which there are */
    (void)test_module(device, SPIRV(code, size), NULL);
}

UNIT_TEST(a_module_that_the_driver_says_nothing_was_built_for_is_no_module) {
    const uh_module_options *options = MODULE_OPTIONS(.build_options = "--no-such-option");
    const struct soft_gpu gpu = test_soft_gpu();
    uh_module *module = (uh_module *)state;
    const size_t live = gpu.live_handles(NULL, 0);
    assert_int_equal(gpu.set("unbuilt=1"), 0);
    test_assert_failed(uh_module_create(device, &uh_program_module_kernels, options, &module), UH_ERROR_BUILD,
                       "zeModuleCreate has built nothing and gave ZE_RESULT_SUCCESS", "for module_kernels on ",
                       "unknown build option '--no-such-option'", "error: backend compiler failed build.");
    assert_int_equal(gpu.set("unbuilt=0"), 0);
    assert_ptr_equal(module, state);
    assert_int_equal(gpu.live_handles(NULL, 0), live);
    assert_int_equal(gpu.misuses(NULL, 0), 0);
    make(NULL);
}

/* ---- binaries made ahead of time: in a child, whose log tells which way the module came -------------------------- */

/* A target that the device is, or NULL. */
static const char *target_of(const uh_device *d) {
    static const char *const targets[] = {"tgllp", "adl-p", "pvc"};
    const uh_device_properties p = test_device_properties(d);
    for (size_t i = 0; i < 3; i++)
        if (uhi_ze_target_is(targets[i], p.device_id))
            return targets[i];
    return NULL;
}

/* Makes the module with these binaries, runs it, and returns 0. */
static int run_ahead_of_time(const uh_native_binary *binaries, size_t nbinaries, const uh_module_options *options) {
    uh_program program = uh_program_module_kernels;
    program.binaries = binaries;
    program.nbinaries = nbinaries;
    uh_module *module = test_module(device, &program, options);
    check_constants(module, of_the_program);
    uh_module_destroy(module);
    return 0;
}

static int child_of_binaries(const char *mode) {
    static const char nonsense[256] = "nonsense";
    const uh_module_options plain = {.struct_size = sizeof plain, .build_options = "-ze-opt-disable"};
    const char *target = target_of(device);
    size_t size = 0;
    uh_module *module = make(NULL);
    test_good(uh_module_native(module, NULL, &size));
    void *binary = malloc(size);
    if (!binary)
        return 1;
    test_good(uh_module_native(module, binary, &size));
    uh_module_destroy(module);
    const uh_native_binary ours[] = {{"no-such-target", nonsense, sizeof nonsense}, {target, binary, size}};
    const uh_native_binary others[] = {{"no-such-target", binary, size},
                                       {"tgllp", nonsense, sizeof nonsense},
                                       {"adl-p", nonsense, sizeof nonsense},
                                       {"pvc", nonsense, sizeof nonsense}};
    int result = 1;
    fprintf(stderr, "now\n");
    if (strcmp(mode, "ours") == 0)
        result = run_ahead_of_time(ours, 2, NULL);
    else if (strcmp(mode, "options") == 0)
        result = run_ahead_of_time(ours, 2, &plain);
    else if (strcmp(mode, "others") == 0)
        result = run_ahead_of_time(others, 4, NULL);
    free(binary);
    return result;
}

/* The log of the child after "now". */
static const char *log_of(const char *mode) {
    const char *const *environment = TEST_ENVIRONMENT("UNIHIST_LOG=info", "UNIHIST_CACHE=off");
    return strstr(test_expect_child(mode, environment, 0, "", "now\n")->err, "now\n");
}

UNIT_TEST(a_binary_for_the_device_is_preferred_without_options) {
    if (!target_of(device)) {
        print_message("no target of ocloc is this device: that no binary is taken is all there is to test\n");
    } else {
        const char *log = log_of("ours");
        assert_non_null(strstr(log, "module module_kernels: loaded on level_zero:0 made ahead of time"));
        assert_null(strstr(log, "from SPIR-V"));
    }
    const char *log = log_of("options");
    assert_null(strstr(log, "made ahead of time"));
    assert_non_null(strstr(log, "built on level_zero:0 from SPIR-V"));
}

UNIT_TEST(a_binary_that_is_refused_gives_way_to_spirv_without_an_error) {
    const char *log = log_of("others");
    /* One of the three may be this device's; the others are not even tried. */
    int tried = strstr(log, "refuses the binary made ahead of time") != NULL;
    assert_int_equal(tried, target_of(device) != NULL);
    assert_non_null(strstr(log, "built on level_zero:0 from SPIR-V"));
    assert_null(strstr(log, "error"));
}

UNIT_TEST(targets_are_distinguished_by_device_ids) {
    static const struct {
        const char *target;
        uint32_t id;
        int is;
    } rows[] = {
        {"tgllp", 0x9a49, 1},   {"tgllp", 0xff20, 1}, {"adl-p", 0x46a6, 1}, {"pvc", 0x0bd5, 1}, {"dg2-g10", 0x56a0, 1},
        {"bmg-g21", 0xe20b, 1}, {"pvc", 0x9a49, 0},   {"tgllp", 0x46a6, 0}, {"tgllp", 0, 0},    {"", 0, 0},
        {"dg2-g11", 0x56a0, 0}, {NULL, 0x9a49, 0},    {"pvc", 0x0bd4, 0}, /* of another release than the others */
        {"dg2", 0x56a0, 0}};                                              /* several devices */
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(uhi_ze_target_is(rows[i].target, rows[i].id), rows[i].is);
}

TEST_MAIN(test_runtime_ze_module) {
    device = test_ze_device();
    if (!device)
        return test_ze_skip();
    if (argc == 2)
        return child_of_binaries(argv[1]);
    return test_run_units(NULL, NULL);
}
