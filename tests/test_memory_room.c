/* SPDX-License-Identifier: Apache-2.0 */
/* Private tables take half of what is free of a device's memory, at most. */
#include "tests/tested.h"

#include <unihist/unihist.h>

#include "api/histogram.h"
#include "kernels/common/shape.h"
#include "runtime/backend.h"
#include "tests/soft_gpu/soft_gpu.h"

enum { MIB = 1 << 20 };

static struct soft_gpu gpu;
static struct uhi_engine engine;

static uint64_t room_of(uint64_t wanted, uint64_t mine) {
    uint64_t room = 77;
    test_good(uhi_memory_room(&engine, wanted, mine, &room));
    return room;
}

static uint64_t left(void) {
    uint64_t bytes = 0;
    test_good(uh_device_free_memory(tested.device, &bytes));
    return bytes;
}

static void *take(size_t bytes) {
    void *taken = NULL;
    test_good(uh_malloc(tested.device, UH_MEMORY_DEVICE, bytes, 0, &taken));
    return taken;
}

UNIT_TEST(tables_have_half_of_what_is_free_and_what_they_have_counts_as_free) {
    const uint64_t all = left();
    assert_in_range(all, 32 * MIB, 64 * MIB);
    assert_int_equal(room_of(all, 0), all / 2);
    assert_int_equal(room_of(5 * MIB, 0), 5 * MIB);
    void *others = take(30 * MIB);
    assert_int_equal(room_of(all, 0), left() / 2);
    assert_true(left() <= all - 30 * MIB);
    assert_int_equal(room_of(all, 10 * MIB), (left() + 10 * MIB) / 2);
    test_good(uh_free(others));
    assert_int_equal(room_of(all, 0), all / 2);
}

UNIT_TEST(small_sizes_need_no_query_and_a_failure_is_reported) {
    uint64_t room = 77;
    const uint64_t before = gpu.calls("zeDeviceGetProperties");
    assert_int_equal(room_of(MIB, 0), MIB);
    assert_int_equal(gpu.calls("zeDeviceGetProperties"), before);
    assert_int_equal(room_of(MIB + 1, 0), MIB + 1);
    assert_int_equal(gpu.calls("zeDeviceGetProperties"), before + 1);
    assert_int_equal((gpu.fail)("zeDeviceGetProperties:1=ERROR_UNKNOWN"), 0);
    assert_int_equal(uhi_memory_room(&engine, 2 * MIB, 0, &room), UH_ERROR_DRIVER);
    assert_int_equal((gpu.fail)(NULL), 0);
    /* Of a small memory little is less. */
    engine.properties.memory = 4 * MIB;
    assert_int_equal(room_of(MIB, 0), MIB);
    assert_int_equal(gpu.calls("zeDeviceGetProperties"), before + 3);
    engine.properties.memory = tested.properties.memory;
}

/* As of a driver that does not tell. */
UNIT_TEST(of_a_device_that_does_not_tell_all_memory_counts) {
    uh_device silent = *tested.device;
    struct uhi_backend backend = *silent.backend;
    backend.free_memory = NULL;
    silent.backend = &backend;
    engine.device = &silent;
    assert_int_equal(room_of(UINT64_MAX, 0), tested.properties.memory / 2);
    assert_int_equal(room_of(UINT64_MAX, 5 * MIB), tested.properties.memory / 2);
    engine.device = tested.device;
}

UNIT_TEST(a_shape_has_fewer_tables_where_there_is_less_room) {
    struct uhi_shape shape = {.tier = UHI_TIER_PRIVATE, .private_tables = 16};
    const size_t slots = MIB / 4 / 2; /* of half a MiB */
    test_good(uhi_memory_room_shape(&engine, slots, 0, &shape));
    assert_int_equal(shape.private_tables, 16);
    void *others = take((size_t)left() - 9 * MIB);
    test_good(uhi_memory_room_shape(&engine, slots, 0, &shape));
    assert_int_equal(shape.private_tables, 8);
    assert_int_equal(shape.tier, UHI_TIER_PRIVATE);
    test_good(uhi_memory_room_shape(&engine, 10 * slots, 0, &shape));
    assert_int_equal(shape.private_tables, 1);
    assert_int_equal(shape.tier, UHI_TIER_GLOBAL);
    shape = (struct uhi_shape){.tier = UHI_TIER_TABLES, .private_tables = 16};
    test_good(uhi_memory_room_shape(&engine, 10 * slots, 0, &shape));
    assert_int_equal(shape.private_tables, 1);
    assert_int_equal(shape.tier, UHI_TIER_TABLES); /* the others are where they were */
    test_good(uh_free(others));
}

/* A whole count on a device that is nearly full: with the tables that fit it is the same. */
UNIT_TEST(integers_are_counted_where_little_is_free) {
    enum { N = 30000, BINS = 100000 };
    static uint32_t x[N];
    static uint64_t counts[BINS], expected[BINS];
    uint64_t seed = 1;
    for (size_t i = 0; i < N; i++)
        expected[x[i] = (uint32_t)(test_random_u64(&seed) % BINS)]++;
    void *others = take((size_t)left() - 2 * MIB);
    test_good(uh_bincount(tested.queue, ARRAY(UH_U32, x, N), counts, BINS, NULL));
    assert_memory_equal(counts, expected, sizeof counts);
    test_good(uh_free(others));
}

/* The same of points, whose tables are in local memory and whose counts are not. */
UNIT_TEST(points_are_counted_where_little_is_free) {
    enum { N = 30000, BINS = 300 };
    static float x[N], y[N];
    static uint64_t counts[BINS * BINS], expected[BINS * BINS];
    uint64_t seed = 1;
    for (size_t i = 0; i < N; i++) {
        const uint64_t cell = test_random_u64(&seed) % (BINS * BINS), row = cell / BINS, column = cell % BINS;
        x[i] = (float)row + 0.5F;
        y[i] = (float)column + 0.25F;
        expected[cell]++;
    }
    uh_axis *const axes[] = {test_equal_axis(BINS, 0, BINS), test_equal_axis(BINS, 0, BINS)};
    const uh_array arrays[] = {uh_array_of(UH_F32, x, N), uh_array_of(UH_F32, y, N)};
    uint32_t tables[2];
    for (size_t i = 0; i < 2; i++) {
        void *others = i ? take((size_t)left() - 4 * MIB) : NULL;
        uh_histogram *histogram = test_histogram_over(tested.queue, axes, 2, NULL);
        test_good(uh_histogram_fill(histogram, arrays, NULL));
        assert_int_equal(histogram->run.launch.shape.tier, UHI_TIER_TABLES);
        tables[i] = histogram->run.launch.shape.private_tables;
        test_good(uh_histogram_counts(histogram, counts));
        assert_memory_equal(counts, expected, sizeof counts);
        uh_histogram_destroy(test_take(histogram));
        test_good(uh_free(others));
    }
    assert_true(tables[1] < tables[0]);
}

TEST_MAIN(test_memory_room) {
    if (soft_gpu_find(&gpu))
        return 77;
    const int why = tested_begin();
    if (why)
        return why;
    assert_int_equal(uhi_engine_open(&engine, "test", tested.queue, uhi_bincount_variants()), UH_SUCCESS);
    const int failed = test_run_units(NULL, NULL);
    uhi_engine_close(&engine);
    return tested_end(failed);
}
