/* SPDX-License-Identifier: Apache-2.0 */
/* The executor on NVIDIA cards, without one: what it asks of a libcuda that checks calls and runs no kernel. */
#define _GNU_SOURCE
#include "soft_fixture.h"

#include "tests/files.h"

#include "fake_cuda.h"
#include "module_kernels.cl.h"

static struct fake_cuda fake;

static const char ptx[] =
    ".version 7.0\n.target sm_70\n"
    ".visible .entry nothing()\n{ ret; }\n"
    ".visible .entry add(.param .u64 .ptr .global .align 4 add_param_0,\n.param .u32 add_param_1)\n//threads 512\n"
    ".visible .entry take(.param .u64 .ptr .global a0, .param .u8 a1, .param .u16 a2, .param .u32 a3, .param .u64 a4, "
    ".param .f32 a5, .param .align 16 .b8 a6[16], .param .align 8 .b8 a7[24], .param .u64 .ptr .shared a8, "
    ".param .u64 .ptr .const a9, .param .u64 .ptr .shared a10)\n"
    ".visible .entry holds(.param .u64 .ptr .global h0, .param .u64 .ptr .shared h1)\n//static 4100\n"
    ".visible .entry fixed(.param .u64 .ptr .global f0)\n";

/* The path of the PTX of the kernels: FNV-1a of their SPIR-V. */
static const char *ptx_path(void) {
    const unsigned char *spirv = uh_program_module_kernels.spirv;
    uint64_t digest = UINT64_C(0xcbf29ce484222325);
    char name[32];
    for (size_t i = 0; i < uh_program_module_kernels.spirv_size; i++)
        digest = (digest ^ spirv[i]) * UINT64_C(0x100000001b3);
    snprintf(name, sizeof name, "%016" PRIx64 ".ptx", digest);
    return files_path(name);
}

static void write_ptx(const char *text) { files_write(ptx_path(), text, strlen(text)); }

static ze_kernel_handle_t kernel_of(const char *name) {
    write_ptx(ptx);
    return soft_kernel(soft_module(&uh_program_module_kernels), name);
}

static int setup(void **state) {
    if (files_setup(state) || setenv("SOFT_GPU_PTX", files_directory, 1) != 0)
        return -1;
    const int failed = soft_setup(state);
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD), *table = NULL;
    if (failed || !library || !(table = dlsym(library, "fake_cuda_table")))
        return -1;
    memcpy(&fake, table, sizeof fake);
    free(fake.take_log());
    return 0;
}

static int teardown(void **state) {
    if (!fake.live) /* the setup has failed */
        return -1;
    (fake.fail)(NULL, 0, 0);
    const int failed = soft_teardown(state) || files_teardown(state);
    char *log = fake.take_log();
    const int is_wrong = strstr(log, "wrong:") != NULL;
    if (is_wrong)
        print_error("%s", log);
    free(log);
    if (fake.live())
        print_error("%zu objects of CUDA are alive\n", fake.live());
    return failed || is_wrong || fake.live() ? -1 : 0;
}

/* The line of the log that begins so (malloc); the log begins anew. */
static char *line_of(const char *begin) {
    char *log = fake.take_log(), *line = NULL;
    const char *at = strstr(log, "wrong:") ? NULL : strstr(log, begin);
    if (at)
        line = strndup(at, strcspn(at, "\n"));
    else
        fail_msg("no '%s' in\n%s", begin, log);
    free(log);
    return test_at_end(line, free);
}

UNIT_TEST(sizes_are_those_of_the_card) {
    ze_device_properties_t device = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES};
    ze_device_compute_properties_t compute = {.stype = ZE_STRUCTURE_TYPE_DEVICE_COMPUTE_PROPERTIES};
    OK(zeDeviceGetProperties(soft.device, &device));
    OK(zeDeviceGetComputeProperties(soft.device, &compute));
    assert_string_equal(device.name, "Fake card");
    assert_int_equal(device.vendorId, 0x10de);
    assert_int_equal(device.numSlices * device.numSubslicesPerSlice, 132);
    assert_int_equal(device.numEUsPerSubslice, 4);
    assert_int_equal(device.physicalEUSimdWidth, 32);
    assert_int_equal(compute.subGroupSizes[0], 32);
    assert_int_equal(compute.maxTotalGroupSize, 1024);
    assert_int_equal(compute.maxSharedLocalMemory, FAKE_CUDA_SHARED - 1024);
    assert_int_equal(device.maxMemAllocSize, FAKE_CUDA_MEMORY - FAKE_CUDA_MEMORY / 16);
}

/* The log of a build that fails. */
static const char *failed_build(void) {
    ze_module_handle_t module;
    char *log;
    IS(soft_build(ZE_MODULE_FORMAT_IL_SPIRV, uh_program_module_kernels.spirv, uh_program_module_kernels.spirv_size,
                  &module, &log),
       ERROR_MODULE_BUILD_FAILURE);
    return test_at_end(log, free);
}

UNIT_TEST(a_module_is_the_ptx_of_its_digest) {
    files_clear();
    assert_non_null(strstr(failed_build(), strrchr(ptx_path(), '/') + 1));
    write_ptx("no PTX");
    assert_string_equal(failed_build(), "this is no PTX");
}

UNIT_TEST(a_native_binary_holds_the_ptx) {
    ze_module_handle_t again = NULL, module = soft_module((write_ptx(ptx), &uh_program_module_kernels));
    size_t size = 0;
    OK(zeModuleGetNativeBinary(module, &size, NULL));
    uint8_t *binary = test_at_end(malloc(size), free);
    OK(zeModuleGetNativeBinary(module, &size, binary));
    files_clear();
    OK(soft_build(ZE_MODULE_FORMAT_NATIVE, binary, size, &again, NULL));
    OK(zeModuleDestroy(again));
}

UNIT_TEST(copies_and_fills_give_the_same_bytes) {
    enum { BYTES = 1000 };
    static const size_t patterns[] = {1, 2, 4, 8, 16, 128};
    unsigned char pattern[128], expected[BYTES], found[BYTES];
    char *there = soft_memory(ZE_MEMORY_TYPE_DEVICE, BYTES + 3);
    for (size_t i = 0; i < sizeof pattern; i++)
        pattern[i] = (unsigned char)(i * 7 + 1);
    for (size_t k = 0; k < sizeof patterns / sizeof *patterns; k++)
        for (size_t shift = 0; shift < 4; shift += 3) {
            const size_t n = BYTES / patterns[k] * patterns[k];
            for (size_t i = 0; i < n; i++)
                expected[i] = pattern[i % patterns[k]];
            OK(zeCommandListAppendMemoryFill(soft.list, there + shift, pattern, patterns[k], n, NULL, 0, NULL));
            OK(zeCommandListAppendBarrier(soft.list, NULL, 0, NULL));
            OK(zeCommandListAppendMemoryCopy(soft.list, found, there + shift, n, NULL, 0, NULL));
            soft_finish();
            assert_memory_equal(found, expected, n);
        }
    (void)line_of("cuMemsetD8Async 1000");
}

UNIT_TEST(fresh_memory_is_filled_unless_it_is_to_be_left) {
    (void)soft_memory(ZE_MEMORY_TYPE_DEVICE, 1000);
    (void)line_of("cuMemsetD8Async 1000");
    assert_int_equal(soft.gpu.set("garbage=0"), 0);
    (void)soft_memory(ZE_MEMORY_TYPE_DEVICE, 1000);
    char *log = test_at_end(fake.take_log(), free);
    assert_int_equal(soft.gpu.set("garbage=1"), 0);
    assert_non_null(strstr(log, "cuMemsetD8Async 256")); /* the bytes after it */
    assert_null(strstr(log, "cuMemsetD8Async 1000"));
}

UNIT_TEST(device_memory_is_the_cards_and_other_memory_is_the_hosts) {
    (void)soft_memory(ZE_MEMORY_TYPE_DEVICE, 1000);
    (void)line_of("cuMemAlloc_v2");
    (void)soft_memory(ZE_MEMORY_TYPE_HOST, 1000);
    (void)line_of("cuMemHostAlloc");
    int *shared = soft_memory(ZE_MEMORY_TYPE_SHARED, 1000);
    (void)line_of("cuMemHostAlloc");
    shared[0] = 1;
}

UNIT_TEST(a_write_past_the_end_is_seen_when_the_memory_is_freed) {
    const ze_device_mem_alloc_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD), *pointer = NULL;
    CUresult (*set_context)(CUcontext), (*retain)(CUcontext *, CUdevice),
        (*copy)(CUdeviceptr, CUdeviceptr, size_t, CUstream);
    *(void **)&set_context = dlsym(library, "cuCtxSetCurrent");
    *(void **)&retain = dlsym(library, "cuDevicePrimaryCtxRetain");
    *(void **)&copy = dlsym(library, "cuMemcpyAsync");
    CUcontext context;
    OK(zeMemAllocDevice(soft.context, &desc, 1001, 0, soft.device, &pointer));
    assert_int_equal(retain(&context, 7) || set_context(context), 0);
    assert_int_equal(copy((CUdeviceptr)(uintptr_t)pointer + 1001, (CUdeviceptr)(uintptr_t) "x", 1, NULL), 0);
    MISUSE(zeMemFree(soft.context, pointer), SUCCESS, "written past the end of the 1001 bytes");
}

UNIT_TEST(allocations_fail_as_the_card_does_and_are_aligned) {
    const ze_device_mem_alloc_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    void *pointer = NULL;
    (fake.fail)("cuMemAlloc_v2", 1, CUDA_ERROR_OUT_OF_MEMORY);
    assert_int_not_equal(zeMemAllocDevice(soft.context, &desc, 64, 0, soft.device, &pointer), ZE_RESULT_SUCCESS);
    for (size_t alignment = 1; alignment <= (size_t)1 << 21; alignment *= 2) {
        OK(zeMemAllocDevice(soft.context, &desc, 64, alignment, soft.device, &pointer));
        assert_int_equal((uintptr_t)pointer % alignment, 0);
        OK(zeMemFree(soft.context, pointer));
    }
}

static void set(ze_kernel_handle_t kernel, uint32_t index, size_t size, const void *value) {
    OK(zeKernelSetArgumentValue(kernel, index, size, value));
}

/* The bytes of a value as the log has them. */
static const char *hex(const void *value, size_t size) {
    char *text = test_at_end(calloc(2 * size + 1, 1), free);
    for (size_t i = 0; i < size; i++)
        sprintf(text + 2 * i, "%02x", ((const unsigned char *)value)[i]);
    return text;
}

#define HEX(value) hex(&(value), sizeof(value))

UNIT_TEST(arguments_arrive_with_local_memory_as_addresses) {
    struct {
        int first;
        long second;
        char third;
    } g;
    memset(&g, 7, sizeof g);
    const signed char a = -1;
    const int16_t b = -2;
    const int32_t c = -3, f[4] = {1, 2, 3, 4};
    const int64_t d = -4;
    const float e = 1.5f;
    const uint64_t first = FAKE_CUDA_LOCAL_BASE, second = first + 128; /* 13 words, and the alignment */
    const void *out = soft_memory(ZE_MEMORY_TYPE_DEVICE, 100), *table = soft_memory(ZE_MEMORY_TYPE_DEVICE, 8);
    ze_kernel_handle_t kernel = kernel_of("take");
    set(kernel, 0, sizeof out, &out);
    set(kernel, 1, sizeof a, &a);
    set(kernel, 2, sizeof b, &b);
    set(kernel, 3, sizeof c, &c);
    set(kernel, 4, sizeof d, &d);
    set(kernel, 5, sizeof e, &e);
    set(kernel, 6, sizeof f, f);
    set(kernel, 7, sizeof g, &g);
    set(kernel, 8, 13 * sizeof(uint64_t), NULL);
    set(kernel, 9, sizeof table, &table);
    set(kernel, 10, 13 * sizeof(uint32_t), NULL);
    OK(zeKernelSetGroupSize(kernel, 13, 1, 1));
    OK(soft_launch(soft.list, kernel, 3, NULL));
    soft_finish();
    char expected[1024];
    snprintf(expected, sizeof expected,
             "cuLaunchKernel take grid 3 1 1 block 13 1 1 shared 180: %s %s %s %s %s %s %s %s %s %s %s", HEX(out),
             HEX(a), HEX(b), HEX(c), HEX(d), HEX(e), HEX(f), HEX(g), HEX(first), HEX(table), HEX(second));
    assert_string_equal(line_of("cuLaunchKernel take"), expected);
}

UNIT_TEST(local_arguments_follow_the_kernels_own_local_memory) {
    const void *out = soft_memory(ZE_MEMORY_TYPE_DEVICE, 4096);
    const uint64_t more = FAKE_CUDA_LOCAL_BASE + 4224; /* 4,100 bytes to the next multiple of 128 */
    ze_kernel_handle_t kernel = kernel_of("holds");
    set(kernel, 0, sizeof out, &out);
    set(kernel, 1, 200, NULL);
    OK(zeKernelSetGroupSize(kernel, 32, 2, 1));
    OK(zeCommandListAppendLaunchKernel(soft.list, kernel, &(ze_group_count_t){4, 5, 6}, NULL, 0, NULL));
    soft_finish();
    char expected[256];
    snprintf(expected, sizeof expected, "cuLaunchKernel holds grid 4 5 6 block 32 2 1 shared 324: %s %s", HEX(out),
             HEX(more));
    assert_string_equal(line_of("cuLaunchKernel holds"), expected);
}

UNIT_TEST(groups_are_as_large_as_the_kernel_allows_or_requires) {
    ze_kernel_handle_t add = kernel_of("add"), fixed = kernel_of("fixed");
    ze_kernel_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_KERNEL_PROPERTIES};
    OK(zeKernelGetProperties(add, &properties));
    assert_int_equal(properties.maxSubgroupSize * properties.maxNumSubgroups, 512);
    IS(zeKernelSetGroupSize(add, 513, 1, 1), ERROR_INVALID_GROUP_SIZE_DIMENSION);
    OK(zeKernelSetGroupSize(add, 512, 1, 1));
    OK(zeKernelGetProperties(fixed, &properties));
    assert_int_equal(properties.requiredGroupSizeX, 8);
    assert_int_equal(properties.requiredGroupSizeY, 4);
    IS(zeKernelSetGroupSize(fixed, 8, 8, 1), ERROR_INVALID_GROUP_SIZE_DIMENSION);
}

/* The result of a launch of `nothing`. */
static ze_result_t launch_nothing(ze_kernel_handle_t kernel, ze_group_count_t groups) {
    OK(zeKernelSetGroupSize(kernel, 1, 1, 1));
    OK(zeCommandListAppendLaunchKernel(soft.list, kernel, &groups, soft.events[0], 0, NULL));
    const ze_result_t result = zeEventHostSynchronize(soft.events[0], FOREVER);
    if (result != ZE_RESULT_ERROR_DEVICE_LOST)
        soft_reset_events();
    return result;
}

UNIT_TEST(launches_that_the_card_cannot_do_are_refused) {
    ze_kernel_handle_t kernel = kernel_of("nothing");
    IS(launch_nothing(kernel, (ze_group_count_t){1, 65536, 1}), ERROR_INVALID_GLOBAL_WIDTH_DIMENSION);
    IS(launch_nothing(kernel, (ze_group_count_t){1, 1, 65536}), ERROR_INVALID_GLOBAL_WIDTH_DIMENSION);
    OK(launch_nothing(kernel, (ze_group_count_t){65536, 1, 1}));
    OK(launch_nothing(kernel, (ze_group_count_t){0, 1, 1}));
    OK(zeKernelSetGlobalOffsetExp(kernel, 1, 0, 0));
    IS(launch_nothing(kernel, (ze_group_count_t){1, 1, 1}), ERROR_INVALID_GLOBAL_WIDTH_DIMENSION);
}

UNIT_TEST(failures_of_the_card_are_those_of_the_driver) {
    enum { ILLEGAL_ADDRESS = 700 };
    ze_kernel_handle_t kernel = kernel_of("nothing");
    (fake.fail)("cuLaunchKernel", 1, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
    IS(launch_nothing(kernel, (ze_group_count_t){1, 1, 1}), ERROR_OUT_OF_DEVICE_MEMORY);
    OK(launch_nothing(kernel, (ze_group_count_t){1, 1, 1}));
    (fake.fail)("cuStreamSynchronize", 1, ILLEGAL_ADDRESS);
    IS(launch_nothing(kernel, (ze_group_count_t){1, 1, 1}), ERROR_DEVICE_LOST);
    soft.gpu.recover();
    soft_reset_events();
    OK(launch_nothing(kernel, (ze_group_count_t){1, 1, 1}));
}

TEST_AROUND(test_soft_cuda, setup, teardown)
