/* SPDX-License-Identifier: Apache-2.0 */
/* Modules of the soft GPU: building, logs, specialization constants, native binaries. */
#include "soft_fixture.h"

#include <stdlib.h>
#include <string.h>

static unsigned char *spirv(const char *name, size_t *size) {
    char path[1024] = SOFT_KERNELS "/";
    strcat(path, name);
    return soft_read(path, size);
}

static void expect_failure(const void *code, size_t size, const char *flags, const char *part) {
    char *log = NULL;
    ze_module_handle_t module;
    IS(soft_build(ZE_MODULE_FORMAT_IL_SPIRV, code, size, flags, NULL, &module, &log),
       ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
    assert_null(module);
    if (!strstr(log, part))
        fail_msg("the log '%s' does not say '%s'", log, part);
    free(log);
}

UNIT_TEST(a_module_names_its_kernels) {
    static const char *const expected[] = {"affine", "sum_of_group", "peek",        "count",   "ids",    "constants",
                                           "values", "required",     "round_twice", "atomics", "vectors"};
    ze_module_handle_t module = soft_module();
    uint32_t count = 0;
    const char *names[16] = {NULL};
    OK(zeModuleGetKernelNames(module, &count, NULL));
    assert_int_equal(count, 11);
    OK(zeModuleGetKernelNames(module, &count, names));
    for (uint32_t i = 0; i < 11; i++)
        assert_string_equal(names[i], expected[i]);
    ze_kernel_handle_t kernel;
    ze_kernel_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = "affin"};
    IS(zeKernelCreate(module, &desc, &kernel), ZE_RESULT_ERROR_INVALID_KERNEL_NAME);
}

UNIT_TEST(broken_spirv_does_not_build_and_the_log_says_why) {
    size_t size;
    unsigned char *code = spirv("kernels.spv", &size), *broken = malloc(size);
    assert_non_null(broken);
    expect_failure("junk", 4, NULL, "invalid SPIR-V: no header");
    expect_failure(code, size - 1, NULL, "invalid SPIR-V: no header");
    expect_failure(code, 20, NULL, "spirv-val");
    expect_failure(code, size - 40, NULL, "");
    memcpy(broken, code, size);
    memset(broken + 12, 0xff, 4);
    expect_failure(broken, size, NULL, "bound of ids");
    memcpy(broken, code, size);
    memset(broken + 20, 0, 4);
    expect_failure(broken, size, NULL, "has 0 words");
    free(broken);
}

/* Whatever a changed word does, it is a module that builds or one that says why not. */
UNIT_TEST(changed_words_never_crash) {
    size_t size;
    unsigned char *code = spirv("double.spv", &size);
    int failed = 0;
    for (size_t at = 20; at + 4 <= size; at += 4 * 11) {
        char *log;
        ze_module_handle_t module;
        unsigned char before[4];
        memcpy(before, code + at, 4);
        code[at] ^= 1 << at % 7;
        code[at + 2] ^= at % 3 == 0;
        ze_result_t result = soft_build(ZE_MODULE_FORMAT_IL_SPIRV, code, size, NULL, NULL, &module, &log);
        if (result) {
            failed++;
            IS(result, ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
            assert_true(strlen(log) > 10);
        } else {
            OK(zeModuleDestroy(module));
        }
        free(log);
        memcpy(code + at, before, 4);
    }
    assert_true(failed > 3);
}

UNIT_TEST(devices_without_double_refuse_it) {
    size_t size;
    unsigned char *code = spirv("double.spv", &size);
    ze_module_handle_t module;
    assert_int_equal(soft.gpu.set("fp64=0"), 0);
    expect_failure(code, size, NULL, "double");
    assert_int_equal(soft.gpu.set("fp64=1"), 0);
    OK(soft_build(ZE_MODULE_FORMAT_IL_SPIRV, code, size, NULL, NULL, &module, NULL));
    OK(zeModuleDestroy(module));
}

UNIT_TEST(build_options_are_taken_or_refused) {
    size_t size;
    unsigned char *code = spirv("double.spv", &size);
    ze_module_handle_t module;
    OK(soft_build(ZE_MODULE_FORMAT_IL_SPIRV, code, size, "-ze-opt-level=2 -ze-opt-large-register-file -cl-mad-enable",
                  NULL, &module, NULL));
    OK(zeModuleDestroy(module));
    expect_failure(code, size, "-ze-opt-level=2 --nonsense", "unknown build option '--nonsense'");
}

UNIT_TEST(a_module_may_be_created_without_having_been_built) {
    size_t size;
    unsigned char *code = spirv("double.spv", &size);
    ze_module_handle_t module;
    ze_kernel_handle_t kernel;
    uint32_t count = 0;
    char *log = NULL;
    const ze_kernel_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = "twice"};
    assert_int_equal(soft.gpu.set("fp64=0,unbuilt=1"), 0);
    OK(soft_build(ZE_MODULE_FORMAT_IL_SPIRV, code, size, NULL, NULL, &module, &log));
    assert_non_null(strstr(log, "double"));
    assert_non_null(strstr(log, "\nerror: backend compiler failed build.\n"));
    IS(zeModuleGetKernelNames(module, &count, NULL), ZE_RESULT_ERROR_UNKNOWN);
    IS(zeModuleGetNativeBinary(module, &size, NULL), ZE_RESULT_ERROR_UNKNOWN);
    IS(zeKernelCreate(module, &desc, &kernel), ZE_RESULT_ERROR_UNKNOWN);
    assert_int_equal(soft.gpu.misuses(NULL, 0), 3);
    OK(zeModuleDestroy(module));
    free(log);
    assert_int_equal(soft.gpu.set("fp64=1,unbuilt=0"), 0);
}

static void run_constants(ze_module_handle_t module, float *got) {
    ze_kernel_handle_t kernel = soft_kernel(module, "constants");
    float *out = soft_shared_memory(16);
    ze_group_count_t one = {1, 1, 1};
    soft_argument(kernel, 0, sizeof out, &out);
    OK(zeKernelSetGroupSize(kernel, 1, 1, 1));
    OK(zeCommandListAppendLaunchKernel(soft.list, kernel, &one, NULL, 0, NULL));
    soft_finish();
    memcpy(got, out, 16);
    soft_free(test_take(out));
    OK(zeKernelDestroy(test_take(kernel)));
}

UNIT_TEST(specialization_constants_replace_their_defaults) {
    size_t size;
    unsigned char *code = spirv("kernels.spv", &size);
    ze_module_handle_t module;
    float got[4];
    const float standard[4] = {11, 7, 4768, 0.5f}, special[4] = {-5, 200, 4096, 0x1.3p-7f};
    OK(soft_build(ZE_MODULE_FORMAT_IL_SPIRV, code, size, NULL, NULL, &module, NULL));
    run_constants(module, got);
    assert_memory_equal(got, standard, sizeof got);
    OK(zeModuleDestroy(module));
    int32_t integer = -5;
    uint8_t byte = 200;
    uint64_t wide = UINT64_C(1) << 32;
    float real = 0x1.3p-7f;
    uint32_t ids[] = {2, 70, 3, 1, 9};
    const void *values[] = {&real, &wide, &integer, &byte, &byte};
    ze_module_constants_t constants = {4, ids, values};
    OK(soft_build(ZE_MODULE_FORMAT_IL_SPIRV, code, size, NULL, &constants, &module, NULL));
    run_constants(module, got);
    assert_memory_equal(got, special, sizeof got);
    OK(zeModuleDestroy(module));
    char *log;
    constants.numConstants = 5;
    IS(soft_build(ZE_MODULE_FORMAT_IL_SPIRV, code, size, NULL, &constants, &module, &log),
       ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
    assert_non_null(strstr(log, "no specialization constant 9"));
    free(log);
}

UNIT_TEST(native_binaries_keep_the_constants) {
    size_t size, native_size = 0;
    unsigned char *code = spirv("kernels.spv", &size);
    ze_module_handle_t module;
    int32_t integer = 77;
    uint32_t id = 3;
    const void *value = &integer;
    float got[4];
    ze_module_constants_t constants = {1, &id, &value};
    OK(soft_build(ZE_MODULE_FORMAT_IL_SPIRV, code, size, NULL, &constants, &module, NULL));
    OK(zeModuleGetNativeBinary(module, &native_size, NULL));
    uint8_t *native = malloc(native_size);
    assert_non_null(native);
    OK(zeModuleGetNativeBinary(module, &native_size, native));
    OK(zeModuleDestroy(module));
    OK(soft_build(ZE_MODULE_FORMAT_NATIVE, native, native_size, NULL, NULL, &module, NULL));
    run_constants(module, got);
    assert_true(got[0] == 77 && got[1] == 7);
    OK(zeModuleDestroy(module));
    free(native);
}

UNIT_TEST(native_binaries_that_are_not_whole_or_not_for_this_device_are_refused) {
    size_t size = 0;
    ze_module_handle_t module = soft_module();
    OK(zeModuleGetNativeBinary(module, &size, NULL));
    uint8_t *native = malloc(size);
    assert_non_null(native);
    OK(zeModuleGetNativeBinary(module, &size, native));
    OK(zeModuleDestroy(test_take(module)));
    for (size_t at = 0; at < size; at += at < 64 ? 1 : 997) {
        native[at] ^= 0x10;
        IS(soft_build(ZE_MODULE_FORMAT_NATIVE, native, size, NULL, NULL, &module, NULL),
           ZE_RESULT_ERROR_INVALID_NATIVE_BINARY);
        native[at] ^= 0x10;
    }
    for (size_t less = 1; less < size; less = less * 3 + 1)
        IS(soft_build(ZE_MODULE_FORMAT_NATIVE, native, size - less, NULL, NULL, &module, NULL),
           ZE_RESULT_ERROR_INVALID_NATIVE_BINARY);
    assert_int_equal(soft.gpu.set("name=Another"), 0);
    IS(soft_build(ZE_MODULE_FORMAT_NATIVE, native, size, NULL, NULL, &module, NULL),
       ZE_RESULT_ERROR_INVALID_NATIVE_BINARY);
    assert_int_equal(soft.gpu.set("name=Soft GPU"), 0);
    OK(soft_build(ZE_MODULE_FORMAT_NATIVE, native, size, NULL, NULL, &module, NULL));
    OK(zeModuleDestroy(module));
    free(native);
}

TEST_AROUND(test_soft_module, soft_setup, soft_teardown)
