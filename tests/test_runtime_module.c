/* SPDX-License-Identifier: Apache-2.0 */
/* Modules as far as no driver is needed: refusals, and the lifetime of kernels. */
#include "runtime/spirv.h"
#include "tests/fake_device.h"
#include "tests/fixture.h"
#include "tests/module_spirv.h"

static const uh_program spirv_program = {"test", test_spirv, sizeof test_spirv, NULL, 0};
#define SPIRV_OF_TEST SPIRV(test_spirv, sizeof test_spirv)

UNIT_TEST(the_host_device_takes_no_modules) {
    uh_module *module = (uh_module *)state;
    test_assert_failed(uh_module_create(test_host(), SPIRV_OF_TEST, NULL, &module), UH_ERROR_UNSUPPORTED,
                       "uh_module_create: device is host:0, which runs C functions");
    assert_ptr_equal(module, state);
}

UNIT_TEST(creating_refuses_what_is_missing) {
    uh_device *d = fake_device();
    uh_module *module = (uh_module *)state;
    const uh_native_binary of_target = {"pvc", "code", 4}, no_code = {NULL, NULL, 4}, no_size = {NULL, "code", 0};
    const uh_native_binary two[] = {{NULL, "code", 4}, {NULL, "code", 4}};
    const uh_program none[] = {{.name = "empty"},
                               {.binaries = &of_target, .nbinaries = 1},
                               {.binaries = &no_code, .nbinaries = 1},
                               {.binaries = &no_size, .nbinaries = 1},
                               {.binaries = two, .nbinaries = 2}};
    const uh_program no_binaries = {"test", test_spirv, sizeof test_spirv, NULL, 2};
    size_t before = fake_builds();
    test_null_is_refused(
        uh_module_create(NAMED(device, d), NAMED(program, &spirv_program), NULL, NAMED(module, &module)));
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        test_invalid(uh_module_create(d, &none[i], NULL, &module),
                     "program->spirv is NULL, expected SPIR-V, or one native binary without a target");
    test_invalid(uh_module_create(d, &no_binaries, NULL, &module), "program->binaries is NULL, expected 2");
    test_invalid(uh_module_create(d, SPIRV(test_spirv, 0), NULL, &module), "program->spirv is not SPIR-V: it has 0");
    assert_ptr_equal(module, state);
    assert_int_equal(fake_builds(), before);
}

UNIT_TEST(options_out_of_bounds_are_refused) {
    uh_module *module = (uh_module *)state;
    const uint32_t value = 1;
    const size_t size = sizeof(uh_module_options);
    const uh_constant bytes3 = {7, 3, &value}, null = {7, 4, NULL}, fits = {7, 4, &value};
    const struct {
        uh_module_options options;
        const char *says;
    } wrong[] = {
        {{size - 1, NULL, NULL, 0}, "options->struct_size is "},
        {{size, NULL, NULL, 2}, "options->constants is NULL, expected 2"},
        {{size, NULL, &bytes3, 1}, "options->constants[0].size is 3, expected 1, 2, 4 or 8"},
        {{size, NULL, &null, 1}, "options->constants[0].value is NULL, expected a value of 4 bytes"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        test_invalid(uh_module_create(fake_device(), SPIRV_OF_TEST, &wrong[i].options, &module),
                     "uh_module_create: ", wrong[i].says);
    test_invalid(
        uh_module_create(fake_device(), NATIVE("code", 4), &(uh_module_options){size, NULL, &fits, 1}, &module),
        "options->nconstants is 1, expected 0 for a native binary");
    assert_ptr_equal(module, state);
}

UNIT_TEST(constants_must_be_the_programs_and_have_its_sizes) {
    uh_module *module = (uh_module *)state;
    const uint64_t value = 1;
    const struct {
        uh_constant constant;
        const char *says; /* NULL: it is right */
    } cases[] = {
        {{7, 4, &value}, NULL},
        {{8, 1, &value}, NULL},
        {{9, 8, &value}, NULL},
        {{7, 8, &value}, "options->constants[0].size is 8, expected 4 as the program declares constant 7"},
        {{8, 4, &value}, "options->constants[0].size is 4, expected 1 as the program declares constant 8"},
        {{9, 4, &value}, "options->constants[0].size is 4, expected 8 as the program declares constant 9"},
        {{10, 4, &value}, "options->constants[0].id is 10, expected one of the program's: 7, 8, 9"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const uh_module_options *options = MODULE_OPTIONS(.constants = &cases[i].constant, .nconstants = 1);
        if (cases[i].says)
            test_invalid(uh_module_create(fake_device(), SPIRV_OF_TEST, options, &module), cases[i].says);
        else
            (void)test_module(fake_device(), SPIRV_OF_TEST, options);
        assert_ptr_equal(module, state);
    }
}

UNIT_TEST(what_is_no_spirv_is_refused_before_the_driver_sees_it) {
    uh_module *module = (uh_module *)state;
    unsigned char bytes[sizeof test_spirv + 1];
    size_t before = fake_builds();
    memcpy(bytes + 1, test_spirv, sizeof test_spirv);
    for (size_t size = 1; size < 20; size++)
        test_invalid(uh_module_create(fake_device(), SPIRV(bytes + 1, size), NULL, &module),
                     "program->spirv is not SPIR-V: it has ");
    for (size_t size = 20; size < sizeof test_spirv; size++)
        if (size % 4)
            test_invalid(uh_module_create(fake_device(), SPIRV(bytes + 1, size), NULL, &module),
                         "expected a multiple of 4");
    test_invalid(uh_module_create(fake_device(), SPIRV(bytes + 1, 24), NULL, &module),
                 "the instruction at word 5 does not end in it");
    memset(bytes + 1 + 40, 0, 4);
    test_invalid(uh_module_create(fake_device(), SPIRV(bytes + 1, sizeof test_spirv), NULL, &module),
                 "the instruction at word 10 does not end in it");
    test_invalid(
        uh_module_create(fake_device(), SPIRV("OpenCL C is not SPIR-V: kernel void f() {}", 40), NULL, &module),
        "expected at least 20 bytes that start with 0x07230203");
    assert_int_equal(fake_builds(), before);
    /* And it may lie anywhere. */
    memcpy(bytes + 1, test_spirv, sizeof test_spirv);
    (void)test_module(fake_device(), SPIRV(bytes + 1, sizeof test_spirv), NULL);
}

UNIT_TEST(parameters_are_read_as_the_program_declares_them) {
    static const struct uhi_parameter expected[] = {{UHI_PARAMETER_POINTER, 0},
                                                    {UHI_PARAMETER_VALUE, 4},
                                                    {UHI_PARAMETER_LOCAL, 0},
                                                    {UHI_PARAMETER_VALUE, 16},
                                                    {UHI_PARAMETER_VALUE, 24}};
    struct uhi_signature *signatures = NULL;
    size_t count = 0;
    test_good(uhi_spirv_read("test", test_spirv, sizeof test_spirv, NULL, 0, &signatures, &count));
    assert_int_equal(count, 2);
    assert_string_equal(signatures[0].name, "first");
    assert_int_equal(signatures[0].count, 5);
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(signatures[0].parameters[i].kind, expected[i].kind);
        assert_int_equal(signatures[0].parameters[i].size, expected[i].size);
    }
    assert_string_equal(signatures[1].name, "second");
    assert_int_equal(signatures[1].count, 0);
    uhi_signatures_free(signatures, count);
}

UNIT_TEST(spirv_with_any_word_altered_is_read_without_harm) {
    static const uint32_t values[] = {0, 1, 2, 3, 5, 8, 9, 21, 22, 0x7fffffff, 0xffffffff};
    const uint64_t value = 0;
    const uh_constant constants[] = {{7, 4, &value}, {8, 1, &value}, {9, 8, &value}};
    for (size_t i = 1; i < sizeof test_spirv / 4; i++)
        for (size_t j = 0; j < sizeof values / sizeof values[0]; j++) {
            uint32_t *words = malloc(sizeof test_spirv);
            struct uhi_signature *signatures = NULL;
            size_t count = 0;
            assert_non_null(words);
            memcpy(words, test_spirv, sizeof test_spirv);
            words[i] = values[j];
            for (size_t n = 0; n <= 3; n += 3)
                if (uhi_spirv_read("test", words, sizeof test_spirv, constants, n, &signatures, &count) == UH_SUCCESS)
                    uhi_signatures_free(signatures, count);
            free(words);
        }
}

UNIT_TEST(a_module_has_one_kernel_per_name_which_lives_as_long_as_the_module) {
    size_t before = fake_live_objects();
    uh_module *module = test_take(test_module(fake_device(), SPIRV_OF_TEST, NULL));
    uh_module_properties known = {.struct_size = sizeof known};
    uh_kernel *first = NULL, *again = NULL, *second = NULL, *untouched = (uh_kernel *)state;
    test_good(uh_module_get_properties(module, &known));
    assert_int_equal(known.kernels, 2);
    assert_string_equal(known.kernel_names[0], "first");
    assert_string_equal(known.kernel_names[1], "second");
    assert_string_equal(known.build_log, "");
    test_invalid(uh_module_get_properties(NULL, &known), "uh_module_get_properties: module is NULL");
    test_good(uh_kernel_get(module, "first", &first));
    test_good(uh_kernel_get(module, "second", &second));
    test_good(uh_kernel_get(module, "first", &again));
    assert_ptr_equal(first, again);
    assert_ptr_not_equal(first, second);
    assert_int_equal(fake_live_objects(), before + 3);
    uh_kernel_destroy(first); /* the module's: nothing happens */
    test_good(uh_kernel_get(module, "first", &again));
    assert_ptr_equal(first, again);
    test_assert_failed(uh_kernel_get(module, "third", &untouched), UH_ERROR_NOT_FOUND,
                       "uh_kernel_get: name is \"third\", expected one of the module's kernels: first, second");
    test_null_is_refused(uh_kernel_get(NAMED(module, module), NAMED(name, "first"), NAMED(kernel, &untouched)));
    assert_ptr_equal(untouched, state);
    uh_module_destroy(module);
    assert_int_equal(fake_live_objects(), before);
    uh_module_destroy(NULL);
}

UNIT_TEST(kernels_tell_what_they_are) {
    const uh_kernel_properties wanted = {.arguments = 5,
                                         .sub_group_size = 16,
                                         .spill_memory = 64,
                                         .private_memory = 128,
                                         .local_memory = 256,
                                         .max_group_size = 512,
                                         .required_group_size = {8, 4, 2}};
    uh_kernel_properties got = {.struct_size = sizeof got}, small = {.struct_size = 8};
    fake_kernel(&wanted);
    uh_kernel *kernel = test_kernel_of(test_module(fake_device(), SPIRV_OF_TEST, NULL), "first");
    test_good(uh_kernel_get_properties(kernel, &got));
    got.struct_size = 0;
    assert_memory_equal(&got, &wanted, sizeof got);
    test_invalid(uh_kernel_get_properties(kernel, &small), "properties->struct_size is 8, expected ");
    test_null_is_refused(uh_kernel_get_properties(NAMED(kernel, kernel), NAMED(properties, &got)));
}
