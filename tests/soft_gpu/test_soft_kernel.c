/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of the soft GPU: arguments, groups, local memory, atomics, rounding. */
#include "soft_fixture.h"

#include <stdlib.h>
#include <string.h>

static ze_module_handle_t module;

static int setup(void **state) {
    soft_setup(state);
    module = soft_module();
    return 0;
}

static int teardown(void **state) {
    OK(zeModuleDestroy(module));
    return soft_teardown(state);
}

static ze_result_t launch(ze_kernel_handle_t kernel, uint32_t x, uint32_t y, uint32_t z) {
    ze_group_count_t groups = {x, y, z};
    ze_result_t result = zeCommandListAppendLaunchKernel(soft.list, kernel, &groups, NULL, 0, NULL);
    if (!result)
        soft_finish();
    return result;
}

UNIT_TEST(arguments_of_every_kind_arrive) {
    struct mixed {
        int8_t small;
        uint64_t large;
        int16_t tail;
    } mixed = {-3, 40000, 12};
    ze_kernel_handle_t kernel = soft_kernel(module, "values");
    float *out = soft_shared_memory(4 * 16), *middle = out + 4, *table = out + 12, vector[4] = {1, 2, 3, 99};
    int8_t c = -100;
    int16_t s = -30000;
    uint64_t l = UINT64_C(12345) << 40;
    table[0] = 1;
    table[1] = 0.25f;
    SOFT_ARGUMENTS(kernel, {8, &middle}, {1, &c}, {2, &s}, {8, &l}, {16, vector}, {24, &mixed}, {8, &table});
    OK(zeKernelSetGroupSize(kernel, 1, 1, 1));
    OK(launch(kernel, 1, 1, 1));
    const float expected[] = {-100, -30000, 12345, 321, 401197, 0.25f};
    assert_memory_equal(middle, expected, sizeof expected);
}

/* `affine` over 32 words, two cache lines. */
static void expect_torn(const char *settings, uint32_t groups, size_t right) {
    ze_kernel_handle_t kernel = soft_kernel(module, "affine");
    uint32_t *values = soft_shared_memory(32 * sizeof *values), factor = 2, addend = 1;
    for (uint32_t i = 0; i < 32; i++)
        values[i] = i;
    assert_int_equal(soft.gpu.set(settings), 0);
    SOFT_ARGUMENTS(kernel, {8, &values}, {4, &factor}, {4, &addend});
    OK(zeKernelSetGroupSize(kernel, 32 / groups, 1, 1));
    OK(launch(kernel, groups, 1, 1));
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(values[i], i < right ? 2 * i + 1 : i);
}

UNIT_TEST(launches_of_many_groups_may_lose_a_line) {
    expect_torn("torn=2,torn_in=aff", 1, 32);
    expect_torn("torn=2,torn_in=aff", 2, 16);
    expect_torn("torn=3", 2, 32);
    expect_torn("torn=3", 4, 16);
    expect_torn("torn=2,torn_in=other", 4, 32);
    expect_torn("torn=0", 4, 32);
}

UNIT_TEST(wrong_arguments_are_refused) {
    ze_kernel_handle_t kernel = soft_kernel(module, "values"), summing = soft_kernel(module, "sum_of_group");
    uint64_t value = 0;
    void *host = &value;
    IS(zeKernelSetArgumentValue(kernel, 7, 8, &value), ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX);
    IS(zeKernelSetArgumentValue(kernel, 1, 2, &value), ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE);
    IS(zeKernelSetArgumentValue(kernel, 4, 12, &value), ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE);
    IS(zeKernelSetArgumentValue(kernel, 0, 4, &value), ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE);
    IS(zeKernelSetArgumentValue(summing, 2, 64, &value), ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE);
    IS(zeKernelSetArgumentValue(summing, 2, 0, NULL), ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE);
    IS(zeKernelSetArgumentValue(kernel, 0, 8, &host), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    soft_expect_misuse("no allocation");
    OK(zeKernelSetGroupSize(kernel, 1, 1, 1));
    IS(launch(kernel, 1, 1, 1), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    soft_expect_misuse("argument 0 of values is not set");
}

UNIT_TEST(properties_tell_what_the_source_says) {
    ze_kernel_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_KERNEL_PROPERTIES};
    ze_kernel_handle_t kernel = soft_kernel(module, "required");
    OK(zeKernelGetProperties(kernel, &properties));
    assert_int_equal(properties.numKernelArgs, 1);
    assert_int_equal(properties.requiredGroupSizeX, 4);
    assert_int_equal(properties.requiredGroupSizeY, 2);
    assert_int_equal(properties.requiredGroupSizeZ, 1);
    assert_int_equal(properties.localMemSize, 2048);
    assert_int_equal(properties.spillMemSize, 0);
    IS(zeKernelSetGroupSize(kernel, 8, 1, 1), ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION);
    OK(zeKernelSetGroupSize(kernel, 4, 2, 1));
    uint32_t x, y, z;
    OK(zeKernelSuggestGroupSize(kernel, 64, 64, 1, &x, &y, &z));
    assert_true(x == 4 && y == 2 && z == 1);
}

UNIT_TEST(groups_and_local_memory_beyond_the_limits_are_refused) {
    ze_kernel_handle_t kernel = soft_kernel(module, "peek");
    uint32_t *out = soft_shared_memory(4 * 2048);
    assert_int_equal(soft.gpu.set("group=128,slm=4096"), 0);
    IS(zeKernelSetGroupSize(kernel, 129, 1, 1), ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION);
    IS(zeKernelSetGroupSize(kernel, 64, 2, 2), ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION);
    IS(zeKernelSetGroupSize(kernel, 1, 0, 1), ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION);
    IS(zeKernelSetGroupSize(kernel, 65536, 65536, 1), ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION);
    soft_argument(kernel, 0, 8, &out);
    OK(zeKernelSetGroupSize(kernel, 128, 1, 1));
    /* 256 bytes are the kernel's own. */
    soft_argument(kernel, 1, 4096 - 256 + 1, NULL);
    IS(launch(kernel, 1, 1, 1), ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY);
    soft_argument(kernel, 1, 4096 - 256, NULL);
    OK(launch(kernel, 1, 1, 1));
    assert_int_equal(soft.gpu.set("group=1024,slm=65536"), 0);
}

UNIT_TEST(local_memory_is_that_of_the_group_and_begins_as_garbage) {
    enum { GROUPS = 37, GROUP = 64, N = GROUPS * GROUP };
    ze_kernel_handle_t sum = soft_kernel(module, "sum_of_group"), peek = soft_kernel(module, "peek");
    uint32_t *in = soft_shared_memory(4 * N), *out = soft_shared_memory(8 * N);
    for (uint32_t i = 0; i < N; i++)
        in[i] = i * i;
    SOFT_ARGUMENTS(sum, {8, &in}, {8, &out}, {4 * GROUP, NULL});
    OK(zeKernelSetGroupSize(sum, GROUP, 1, 1));
    OK(launch(sum, GROUPS, 1, 1));
    for (uint32_t group = 0; group < GROUPS; group++) {
        uint32_t expected = 0;
        for (uint32_t i = 0; i < GROUP; i++)
            expected += (group * GROUP + i) * (group * GROUP + i);
        assert_int_equal(out[group], expected);
    }
    SOFT_ARGUMENTS(peek, {8, &out}, {4 * GROUP, NULL});
    OK(zeKernelSetGroupSize(peek, GROUP, 1, 1));
    /* Most threads of PoCL are reached each time. */
    uint32_t untouched = 2 * GROUP;
    for (int attempt = 0; attempt < 50 && untouched; attempt++) {
        OK(launch(peek, 1, 1, 1));
        untouched = 0;
        for (uint32_t i = 0; i < 2 * GROUP; i++)
            untouched += out[i] == 0;
    }
    assert_int_equal(untouched, 0);
}

UNIT_TEST(the_time_model_makes_launches_last_and_the_watchdog_ends_those_that_last_too_long) {
    enum { GROUPS = 3000, FACTOR = 300 };
    ze_kernel_handle_t kernel = soft_kernel(module, "count");
    uint64_t *counts = soft_shared_memory(16), *wide = counts + 1;
    ze_group_count_t groups = {GROUPS, 1, 1};
    ze_kernel_timestamp_result_t times;
    memset(counts, 0, 16);
    SOFT_ARGUMENTS(kernel, {8, &counts}, {8, &wide}, {4, NULL});
    OK(zeKernelSetGroupSize(kernel, 50, 1, 1));
    assert_int_equal(soft.gpu.set("slow=300,timer=1,timer_bits=64"), 0);
    assert_int_equal(soft.gpu.longest(), 0);
    OK(zeCommandListAppendLaunchKernel(soft.list, kernel, &groups, soft.events[0], 0, NULL));
    OK(zeEventHostSynchronize(soft.events[0], FOREVER));
    OK(zeEventQueryKernelTimestamp(soft.events[0], &times));
    const uint64_t longest = soft.gpu.longest();
    assert_in_range(longest, FACTOR * 10000, FACTOR * UINT64_C(1000000000)); /* 150,000 items; the CPU is no faster */
    assert_true(times.global.kernelEnd - times.global.kernelStart >= longest);
    assert_int_equal(soft.gpu.longest(), 0);
    assert_int_equal(soft.gpu.set("slow=1000000,watchdog=1"), 0);
    OK(zeEventHostReset(soft.events[0]));
    OK(zeCommandListAppendLaunchKernel(soft.list, kernel, &groups, soft.events[0], 0, NULL));
    IS(zeEventHostSynchronize(soft.events[0], FOREVER), ZE_RESULT_ERROR_DEVICE_LOST);
    soft.gpu.recover();
    assert_int_equal(soft.gpu.set("slow=0,watchdog=0,timer=52,timer_bits=36"), 0);
}

UNIT_TEST(atomics_count_every_item_of_every_group) {
    ze_kernel_handle_t kernel = soft_kernel(module, "count");
    uint64_t *counts = soft_shared_memory(16), *wide = counts + 1;
    uint32_t narrow;
    memset(counts, 0, 16);
    SOFT_ARGUMENTS(kernel, {8, &counts}, {8, &wide}, {4, NULL});
    OK(zeKernelSetGroupSize(kernel, 50, 1, 1));
    OK(launch(kernel, 3000, 1, 1));
    memcpy(&narrow, counts, 4);
    assert_int_equal(narrow, 3 * 50 * 3000);
    assert_true(*wide == UINT64_C(50) * 3000 << 33);
}

UNIT_TEST(every_atomic_does_what_it_is_for) {
    enum { GROUP = 48, GROUPS = 101, N = GROUP * GROUPS };
    ze_kernel_handle_t kernel = soft_kernel(module, "atomics");
    uint32_t *words = soft_shared_memory(4 * 9), *out = soft_shared_memory(4 * GROUPS), exclusive = 0;
    int64_t *wide = soft_shared_memory(24);
    const uint32_t begin[9] = {N + 5, 0, 0, 0, UINT32_MAX, 0, 0, UINT32_MAX, 7};
    memcpy(words, begin, sizeof begin);
    memset(wide, 0, 24);
    for (uint32_t i = 0; i < N; i++)
        exclusive ^= i;
    SOFT_ARGUMENTS(kernel, {8, &words}, {8, &wide}, {4, NULL}, {8, &out});
    OK(zeKernelSetGroupSize(kernel, GROUP, 1, 1));
    OK(launch(kernel, GROUPS, 1, 1));
    assert_int_equal(words[0], 5);
    assert_int_equal(words[1], N - 1);
    assert_int_equal(words[2], (uint32_t)1 - N);
    assert_int_equal(words[3], UINT32_MAX);
    assert_int_equal(words[4], 0);
    assert_int_equal(words[5], exclusive);
    assert_in_range(words[6], 1, N);
    assert_in_range(words[7], 0, N - 1);
    assert_int_equal(words[8], N + 7);
    assert_true(wide[0] == -3 * N && wide[1] == (int64_t)(N - 1) << 40 && wide[2] == -((int64_t)(N - 1) << 40));
    for (int i = 0; i < GROUPS; i++)
        assert_int_equal(out[i], GROUP);
}

UNIT_TEST(vectors_are_loaded_and_stored) {
    ze_kernel_handle_t kernel = soft_kernel(module, "vectors");
    float *in = soft_shared_memory(4 * 40), *out = soft_shared_memory(4 * 40);
    for (int i = 0; i < 40; i++)
        in[i] = (float)i;
    SOFT_ARGUMENTS(kernel, {8, &in}, {8, &out});
    OK(zeKernelSetGroupSize(kernel, 5, 1, 1));
    OK(launch(kernel, 2, 1, 1));
    for (int i = 0; i < 40; i++) {
        int from = i - i % 4 + 3 - i % 4;
        assert_true(out[i] == (float)from);
    }
}

UNIT_TEST(three_dimensions_and_an_offset_number_the_items) {
    enum { W = 12, H = 10, D = 6 };
    ze_kernel_handle_t kernel = soft_kernel(module, "ids");
    uint32_t *out = soft_shared_memory(4 * W * H * D), width = W, height = H;
    SOFT_ARGUMENTS(kernel, {8, &out}, {4, &width}, {4, &height});
    OK(zeKernelSetGroupSize(kernel, 4, 5, 2));
    for (uint32_t offset = 0; offset < 20; offset += 9) {
        OK(zeKernelSetGlobalOffsetExp(kernel, offset, 2 * offset, 3 * offset));
        memset(out, 0xff, 4 * W * H * D);
        OK(launch(kernel, 3, 2, 3));
        for (uint32_t i = 0; i < W * H * D; i++)
            assert_int_equal(out[i],
                             i % W + offset + 1000 * (i / W % H + 2 * offset) + 1000000 * (i / W / H + 3 * offset));
    }
    OK(launch(kernel, 0, 1, 1));
}

UNIT_TEST(suggested_groups_divide_the_global_size) {
    ze_kernel_handle_t kernel = soft_kernel(module, "affine");
    for (uint32_t n = 1; n < 5000; n += 1 + n / 7) {
        uint32_t x = 0, y = 0, z = 0;
        OK(zeKernelSuggestGroupSize(kernel, n, 1 + n % 13, 1 + n % 3, &x, &y, &z));
        assert_true(x && y && z && n % x == 0 && (1 + n % 13) % y == 0 && (1 + n % 3) % z == 0 && x * y * z <= 1024);
    }
}

UNIT_TEST(every_operation_rounds_and_denormals_stay) {
    ze_kernel_handle_t kernel = soft_kernel(module, "round_twice");
    float *values = soft_shared_memory(24);
    /* (1 + 2^-12)^2 = 1 + 2^-11 + 2^-24, whose last bit is lost when the product is rounded. */
    const float in[6] = {1 + 0x1p-12f, 1 + 0x1p-12f, -(1 + 0x1p-11f), 9, 0x1p-126f, 9};
    memcpy(values, in, sizeof in);
    soft_argument(kernel, 0, 8, &values);
    OK(zeKernelSetGroupSize(kernel, 1, 1, 1));
    OK(launch(kernel, 1, 1, 1));
    assert_true(values[3] == 0);
    assert_true(values[5] == 0x1p-127f);
}

UNIT_TEST(launches_do_not_see_later_arguments) {
    ze_kernel_handle_t kernel = soft_kernel(module, "affine");
    uint32_t *values = soft_shared_memory(4 * 8), one = 1;
    ze_group_count_t groups = {1, 1, 1};
    memset(values, 0, 32);
    OK(zeKernelSetGroupSize(kernel, 1, 1, 1));
    soft_argument(kernel, 1, 4, &one);
    for (uint32_t i = 0; i < 8; i++) {
        uint32_t *place = values + i, addend = i + 1;
        soft_argument(kernel, 0, 8, &place);
        soft_argument(kernel, 2, 4, &addend);
        OK(zeCommandListAppendLaunchKernel(soft.list, kernel, &groups, NULL, 1, &soft.events[0]));
    }
    OK(zeEventHostSignal(soft.events[0]));
    soft_finish();
    for (uint32_t i = 0; i < 8; i++)
        assert_int_equal(values[i], i + 1);
    OK(zeEventHostReset(soft.events[0]));
}

TEST_AROUND(test_soft_kernel, setup, teardown)
