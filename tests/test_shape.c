/* SPDX-License-Identifier: Apache-2.0 */
/* Where a device counts: a function of the histogram and the device's properties alone. */
#include "tests/support.h"

#include "kernels/common/shape.h"
#include "tests/invented_devices.h"

/* Of nobody's make: two groups share what one may have. */
static uh_device_properties stranger(void) {
    uh_device_properties device = iris_xe;
    device.vendor_id = 0x1234;
    return device;
}

UNIT_TEST(few_bins_are_counted_in_local_memory_with_their_tables) {
    struct uhi_shape shape = uhi_shape_choose(103, 4096, &iris_xe);
    assert_int_equal(shape.tier, UHI_TIER_LOCAL);
    assert_int_equal(shape.spread, 4);
    assert_int_equal(shape.local_tables, 4096);
    assert_int_equal(shape.local_counts, 16 * 103 * 4);
    assert_int_equal(shape.private_tables, 1);
    assert_int_equal(shape.group_size, 512);
    assert_int_equal(shape.groups, 6 * 3); /* 112 threads of 16 lanes in each of 6 cores */
}

UNIT_TEST(half_of_the_threads_are_resident_at_least) {
    /* Iris Xe: two groups of 32 threads, of 112, have 64 KiB each. */
    struct uhi_shape shape = uhi_shape_choose(1003, 32768, &iris_xe);
    assert_int_equal(shape.tier, UHI_TIER_LOCAL);
    assert_int_equal(shape.spread, 3); /* 8 times 1003 counters take 32,096 bytes */
    assert_int_equal(shape.groups, 6 * 2);
    /* Max 1550: one group of 32 threads, of 64, has all of a core's memory. */
    shape = uhi_shape_choose(1003, 65536, &max_1550);
    assert_int_equal(shape.tier, UHI_TIER_LOCAL);
    assert_int_equal(shape.spread, 4);
    assert_int_equal(shape.group_size, 1024);
    assert_int_equal(shape.groups, 64);
    /* And two groups where both fit. */
    assert_int_equal(uhi_shape_choose(1003, 0, &max_1550).groups, 2 * 64);
    assert_int_equal(uhi_shape_choose(1024, 1, &max_1550).groups, 64);
}

UNIT_TEST(room_is_what_counters_with_copies_leave) {
    assert_int_equal(uhi_shape_room(103, &iris_xe), 65536 - 16 * 103 * 4);
    assert_int_equal(uhi_shape_room(1003, &iris_xe), 65536 - 8 * 1003 * 4);
    assert_int_equal(uhi_shape_room(1003, &max_1550), 131072 - 16 * 1003 * 4);
    assert_int_equal(uhi_shape_room(10003, &iris_xe), 65536 - 10003 * 4); /* more than half: one copy */
    assert_int_equal(uhi_shape_room(16385, &iris_xe), 0);
    const uh_device_properties device = stranger();
    assert_int_equal(uhi_shape_room(103, &device), 32768 - 16 * 103 * 4);
}

UNIT_TEST(tables_that_do_not_fit_stay_in_global_memory) {
    struct uhi_shape shape = uhi_shape_choose(1003, 262144, &iris_xe);
    assert_int_equal(shape.tier, UHI_TIER_MIXED);
    assert_int_equal(shape.spread, 4); /* 64,192 bytes */
    assert_int_equal(shape.local_tables, 0);
    /* One table of counts may take all of the local memory, and no more. */
    shape = uhi_shape_choose(16384, 262144, &iris_xe);
    assert_int_equal(shape.tier, UHI_TIER_MIXED);
    assert_int_equal(shape.spread, 0);
    assert_int_equal(shape.local_counts, 65536);
    assert_int_equal(uhi_shape_choose(16385, 262144, &iris_xe).tier, UHI_TIER_PRIVATE);
    /* Also where that is more than its share of the core. */
    const uh_device_properties device = stranger();
    shape = uhi_shape_choose(16384, 16, &device);
    assert_int_equal(shape.tier, UHI_TIER_MIXED);
    assert_int_equal(shape.spread, 0);
}

UNIT_TEST(many_bins_are_counted_in_global_memory) {
    uh_device_properties device = max_1550;
    struct uhi_shape shape = uhi_shape_choose(65539, 1 << 20, &device);
    assert_int_equal(shape.tier, UHI_TIER_PRIVATE);
    assert_int_equal(shape.private_tables, 128); /* of 255 that 64 MiB hold */
    assert_int_equal(shape.local_counts, 0);
    shape = uhi_shape_choose(10000003, 1 << 20, &device);
    assert_int_equal(shape.tier, UHI_TIER_PRIVATE + 1);
    assert_int_equal(shape.private_tables, 1);
    /* All private tables together take little of a small memory. */
    device.memory = 64 << 20;
    shape = uhi_shape_choose(65539, 1 << 20, &device);
    assert_int_equal(shape.private_tables, 64); /* of 127 that 32 MiB hold */
    device.memory = 1 << 20;
    assert_int_equal(uhi_shape_choose(65539, 1 << 20, &device).tier, UHI_TIER_GLOBAL);
}

UNIT_TEST(points_are_counted_in_local_memory_or_looked_up_there_where_either_fits) {
    struct uhi_shape shape = uhi_shape_among(UHI_TIERS_OF_POINTS, 23 * 23, 4096, &iris_xe);
    assert_int_equal(shape.tier, UHI_TIER_LOCAL);
    assert_int_equal(shape.spread, 4);
    assert_int_equal(shape.local_tables, 4096);
    assert_int_equal(shape.local_counts, 16 * 23 * 23 * 4);
    /* 100 bins on each axis, whose tables take 33 KiB on each. */
    shape = uhi_shape_among(UHI_TIERS_OF_POINTS, 103 * 103, 66 << 10, &max_1550);
    assert_int_equal(shape.tier, UHI_TIER_LOCAL);
    assert_int_equal(shape.spread, 0);
    shape = uhi_shape_among(UHI_TIERS_OF_POINTS, 103 * 103, 32 << 10, &iris_xe);
    assert_int_equal(shape.tier, UHI_TIER_TABLES);
    assert_int_equal(shape.local_tables, 32 << 10);
    assert_int_equal(shape.local_counts, 0);
    assert_int_equal(shape.groups, 6 * 3);
    assert_int_equal(shape.private_tables, 16); /* of 18 groups; 64 MiB hold 1,581 */
    uh_device_properties device = iris_xe;
    device.memory = 1 << 20;
    shape = uhi_shape_among(UHI_TIERS_OF_POINTS, 103 * 103, 32 << 10, &device);
    assert_int_equal(shape.private_tables, 8); /* of 12 that half of it holds */
    device.memory = 1 << 10;
    shape = uhi_shape_among(UHI_TIERS_OF_POINTS, 103 * 103, 32 << 10, &device);
    assert_int_equal(shape.private_tables, 1);
    assert_int_equal(shape.tier, UHI_TIER_TABLES);
    shape = uhi_shape_among(UHI_TIERS_OF_POINTS, 103 * 103, 66 << 10, &iris_xe);
    assert_int_equal(shape.tier, UHI_TIER_MIXED);
    assert_int_equal(shape.local_tables, 0);
    assert_int_equal(shape.local_counts, 103 * 103 * 4);
    assert_int_equal(uhi_shape_among(UHI_TIERS_OF_POINTS, 1003 * 1003, 66 << 10, &iris_xe).tier, UHI_TIERS);
}

UNIT_TEST(a_tier_that_is_asked_for_is_given_where_it_fits) {
    for (unsigned tier = UHI_TIER_LOCAL; tier <= UHI_TIER_PRIVATE; tier++)
        assert_int_equal(uhi_shape_among(UHI_TIER_SET(tier), 144, 1000, &iris_xe).tier, tier);
    assert_int_equal(uhi_shape_among(0, 144, 1000, &iris_xe).tier, UHI_TIERS);
    assert_int_equal(uhi_shape_among(UHI_TIER_SET(UHI_TIER_LOCAL), 16000, 2000, &iris_xe).tier, UHI_TIERS);
    assert_int_equal(uhi_shape_among(UHI_TIER_SET(UHI_TIER_MIXED), 20000, 0, &iris_xe).tier, UHI_TIERS);
    assert_int_equal(uhi_shape_among(UHI_TIER_SET(UHI_TIER_TABLES), 4, 65537, &iris_xe).tier, UHI_TIERS);
    /* Also where that is more than its share of the core, and only then. */
    const uh_device_properties device = stranger();
    struct uhi_shape shape = uhi_shape_among(UHI_TIER_SET(UHI_TIER_LOCAL), 5000, 40000, &device);
    assert_int_equal(shape.tier, UHI_TIER_LOCAL);
    assert_int_equal(shape.spread, 0);
    assert_int_equal(uhi_shape_among(UHI_TIERS_OF_POINTS, 5000, 40000, &device).tier, UHI_TIER_MIXED);
    assert_int_equal(uhi_shape_among(UHI_TIERS_OF_POINTS, 20000, 40000, &device).tier, UHI_TIER_TABLES);
}

/* Work-items of a core that are resident, of those it has room for. */
static double resident(const struct uhi_shape *shape, const uh_device_properties *device) {
    const size_t core = 128 << 10, items = device == &iris_xe ? (size_t)112 * 16 : (size_t)64 * 32;
    const size_t bytes = shape->local_tables + shape->local_counts;
    size_t groups = items / shape->group_size;
    groups = bytes && core / bytes < groups ? core / bytes : groups;
    return (double)(groups * shape->group_size) / (double)items;
}

/* Every combination, also of devices that tell nothing, is one that the device can launch. */
UNIT_TEST(every_shape_fits_its_device) {
    static const uint64_t locals[] = {0, 1, 64, 4096, 32768, 65536, 131072, UINT64_C(1) << 33};
    static const uint64_t groups[] = {0, 1, 3, 64, 100, 256, 512, 1024, UINT64_MAX};
    static const uint64_t memories[] = {0, 4096, 1 << 20, UINT64_C(1) << 40};
    static const uint64_t tables[] = {0, 16, 5000, 65536, UINT64_C(1) << 33, UINT64_MAX};
    static const size_t slots[] = {4, 5, 13, 103, 1003, 8195, 16384, 65539, 1000003, 10000003, (1u << 30) + 3u};
    for (size_t i = 0; i < 8 * 9 * 4 * 6 * 11; i++) {
        uh_device_properties device = iris_xe;
        device.local_memory = locals[i % 8];
        device.max_group_size = groups[i / 8 % 9];
        device.memory = memories[i / 72 % 4];
        device.threads = i % 3 == 0 ? 0 : 672;
        device.cores = i % 5 == 0 ? 0 : 96;
        device.vendor_id = i % 2 == 0 ? 0x8086 : 0;
        const uint64_t table = tables[i / 288 % 6];
        const size_t count = slots[i / 1728];
        const uint64_t counts = (uint64_t)count * 4, most = device.local_memory < 131072 ? device.local_memory : 131072;
        const struct uhi_shape shape = uhi_shape_choose(count, table, &device),
                               points = uhi_shape_among(UHI_TIERS_OF_POINTS, count, table, &device);
        assert_in_range(shape.group_size, 1, device.max_group_size ? device.max_group_size : 1);
        assert_int_equal(shape.group_size & (shape.group_size - 1), 0);
        assert_in_range(shape.groups, 1, 4096);
        assert_true(shape.local_tables + shape.local_counts <= device.local_memory);
        assert_true(shape.spread <= 4 && shape.private_tables >= 1 && shape.private_tables <= shape.groups);
        assert_int_equal(shape.private_tables & (shape.private_tables - 1), 0);
        if (shape.local_counts)
            assert_int_equal(shape.local_counts, counts << shape.spread);
        else
            assert_true(counts > most);
        assert_true(shape.local_counts <= most && points.local_counts <= most);
        assert_true(points.local_tables + points.local_counts <= device.local_memory);
        assert_true(points.private_tables == 1 || points.tier == UHI_TIER_TABLES);
        assert_true((points.tier == UHI_TIER_LOCAL) == (shape.tier == UHI_TIER_LOCAL));
        assert_true(points.tier != UHI_TIERS || (counts > most && table > 0));
        assert_true(uhi_shape_room(count, &device) <= device.local_memory);
        assert_true(shape.local_tables == (shape.tier == UHI_TIER_LOCAL ? table : 0));
        assert_true(shape.private_tables == 1 || shape.tier == UHI_TIER_PRIVATE);
        assert_in_range(uhi_shape_groups(&shape, 0), 1, 1);
        assert_in_range(uhi_shape_groups(&shape, SIZE_MAX), shape.groups, shape.groups);
    }
}

UNIT_TEST(on_known_devices_no_shape_keeps_half_of_the_threads_out) {
    static const uh_device_properties *const devices[] = {&iris_xe, &max_1550};
    for (size_t slots = 1; slots < 40000; slots += 1 + slots / 3)
        for (uint64_t table = 0; table < 140000; table += 16 + table / 48 * 16)
            for (size_t i = 0; i < 4; i++) {
                const uh_device_properties *device = devices[i % 2];
                const unsigned tiers = i < 2 ? UHI_TIERS_OF_VALUES : UHI_TIERS_OF_POINTS;
                const struct uhi_shape shape = uhi_shape_among(tiers, slots, table, device);
                assert_true(shape.tier == UHI_TIERS || resident(&shape, device) >= 0.5);
            }
}

UNIT_TEST(few_values_launch_few_groups) {
    struct uhi_shape shape = uhi_shape_choose(103, 4096, &max_1550);
    assert_int_equal(uhi_shape_groups(&shape, 1), 1);
    assert_int_equal(uhi_shape_groups(&shape, 3 * 1024 * 64), 3);
    assert_int_equal(uhi_shape_groups(&shape, (size_t)1 << 40), shape.groups);
}

UNIT_TEST(a_shape_says_what_it_is) {
    char text[200];
    struct uhi_shape shape = uhi_shape_choose(103, 4096, &iris_xe);
    int length = uhi_shape_text(&shape, text, sizeof text);
    assert_int_equal(length, strlen(text));
    assert_string_equal(text, "; tables and counts (16 times) in local memory, 18 groups of 512");
    shape = uhi_shape_choose(1003, 1 << 20, &iris_xe);
    uhi_shape_text(&shape, text, sizeof text);
    assert_string_equal(text, "; counts (16 times) in local memory, 12 groups of 512");
    shape = uhi_shape_among(UHI_TIERS_OF_POINTS, 103 * 103, 32 << 10, &iris_xe);
    uhi_shape_text(&shape, text, sizeof text);
    assert_string_equal(text, "; tables in local memory, counts (16 times) in global memory, 18 groups of 512");
    shape = uhi_shape_choose(1000003, 1 << 20, &iris_xe);
    uhi_shape_text(&shape, text, sizeof text);
    assert_string_equal(text, "; 16 tables of counts in global memory, 18 groups of 512");
    shape = uhi_shape_choose(10000003, 1 << 20, &iris_xe);
    assert_int_equal(uhi_shape_text(&shape, NULL, 0),
                     strlen("; one table of counts in global memory, 18 groups of 512"));
}
