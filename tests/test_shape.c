/* SPDX-License-Identifier: Apache-2.0 */
/* Where a device counts: a function of the histogram and the device's properties alone. */

#include "kernels/common/shape.h"
#include "tests/fixture.h"

/* Of nobody's make: two groups share what one may have. */
static uh_device_properties stranger(void) {
    uh_device_properties device = iris_xe;
    device.vendor_id = 0x1234;
    return device;
}

/* What a shape is; numbers that are -1 are not compared. */
enum device { IRIS, MAX, STRANGER };
static const struct row {
    enum device device;
    uint64_t memory; /* 0: that of the device */
    unsigned tiers;
    size_t slots;
    uint64_t tables;
    int64_t tier, spread, local_tables, local_counts, private_tables, groups;
} rows[] = {
    /* Few bins are counted in local memory with their tables; 112 threads of 16 lanes in each of 6 cores. */
    {IRIS, 0, UHI_TIERS_OF_VALUES, 103, 4096, UHI_TIER_LOCAL, 4, 4096, 16 * 103 * 4, 1, 6 * 3},
    /* Two groups of 32 threads, of 112, have 64 KiB each; 8 times 1003 counters take 32,096 bytes. */
    {IRIS, 0, UHI_TIERS_OF_VALUES, 1003, 32768, UHI_TIER_LOCAL, 3, -1, -1, -1, 6 * 2},
    /* One group of 32 threads, of 64, has all of a core's memory; and two groups where both fit. */
    {MAX, 0, UHI_TIERS_OF_VALUES, 1003, 65536, UHI_TIER_LOCAL, 4, -1, -1, -1, 64},
    {MAX, 0, UHI_TIERS_OF_VALUES, 1003, 0, UHI_TIER_LOCAL, -1, -1, -1, -1, 2 * 64},
    {MAX, 0, UHI_TIERS_OF_VALUES, 1024, 1, UHI_TIER_LOCAL, -1, -1, -1, -1, 64},
    /* Tables that do not fit stay in global memory; one table of counts may take all of the local memory, also where
     * that is more than its share of the core, and no more. */
    {IRIS, 0, UHI_TIERS_OF_VALUES, 1003, 262144, UHI_TIER_MIXED, 4, 0, 16 * 1003 * 4, -1, -1},
    {IRIS, 0, UHI_TIERS_OF_VALUES, 16384, 262144, UHI_TIER_MIXED, 0, -1, 65536, -1, -1},
    {IRIS, 0, UHI_TIERS_OF_VALUES, 16385, 262144, UHI_TIER_PRIVATE, -1, -1, -1, -1, -1},
    {STRANGER, 0, UHI_TIERS_OF_VALUES, 16384, 16, UHI_TIER_MIXED, 0, -1, -1, -1, -1},
    /* Many bins are counted in global memory, in private tables that take little of a small memory together: 128 of
     * 255 that 64 MiB hold, 64 of 127 that 32 MiB hold. */
    {MAX, 0, UHI_TIERS_OF_VALUES, 65539, 1 << 20, UHI_TIER_PRIVATE, -1, -1, 0, 128, -1},
    {MAX, 0, UHI_TIERS_OF_VALUES, 10000003, 1 << 20, UHI_TIER_GLOBAL, -1, -1, -1, 1, -1},
    {MAX, 64 << 20, UHI_TIERS_OF_VALUES, 65539, 1 << 20, UHI_TIER_PRIVATE, -1, -1, -1, 64, -1},
    {MAX, 1 << 20, UHI_TIERS_OF_VALUES, 65539, 1 << 20, UHI_TIER_GLOBAL, -1, -1, -1, -1, -1},
    /* Points are counted in local memory, or looked up there where either fits. */
    {IRIS, 0, UHI_TIERS_OF_POINTS, 23 * 23, 4096, UHI_TIER_LOCAL, 4, 4096, 16 * 23 * 23 * 4, -1, -1},
    {MAX, 0, UHI_TIERS_OF_POINTS, 103 * 103, 66 << 10, UHI_TIER_LOCAL, 0, -1, -1, -1, -1},
    /* 16 private tables of 18 groups; 8 of 12 that half of the memory holds. */
    {IRIS, 0, UHI_TIERS_OF_POINTS, 103 * 103, 32 << 10, UHI_TIER_TABLES, -1, 32 << 10, 0, 16, 6 * 3},
    {IRIS, 1 << 20, UHI_TIERS_OF_POINTS, 103 * 103, 32 << 10, UHI_TIER_TABLES, -1, -1, -1, 8, -1},
    {IRIS, 1 << 10, UHI_TIERS_OF_POINTS, 103 * 103, 32 << 10, UHI_TIER_TABLES, -1, -1, -1, 1, -1},
    {IRIS, 0, UHI_TIERS_OF_POINTS, 103 * 103, 66 << 10, UHI_TIER_MIXED, -1, 0, 103 * 103 * 4, -1, -1},
    {IRIS, 0, UHI_TIERS_OF_POINTS, 1003 * 1003, 66 << 10, UHI_TIERS, -1, -1, -1, -1, -1},
    /* A requested tier is given where it fits, also where that is more than the share of the core. */
    {IRIS, 0, UHI_TIER_SET(UHI_TIER_LOCAL), 144, 1000, UHI_TIER_LOCAL, -1, -1, -1, -1, -1},
    {IRIS, 0, UHI_TIER_SET(UHI_TIER_TABLES), 144, 1000, UHI_TIER_TABLES, -1, -1, -1, -1, -1},
    {IRIS, 0, UHI_TIER_SET(UHI_TIER_MIXED), 144, 1000, UHI_TIER_MIXED, -1, -1, -1, -1, -1},
    {IRIS, 0, UHI_TIER_SET(UHI_TIER_PRIVATE), 144, 1000, UHI_TIER_PRIVATE, -1, -1, -1, -1, -1},
    {IRIS, 0, 0, 144, 1000, UHI_TIERS, -1, -1, -1, -1, -1},
    {IRIS, 0, UHI_TIER_SET(UHI_TIER_LOCAL), 16000, 2000, UHI_TIERS, -1, -1, -1, -1, -1},
    {IRIS, 0, UHI_TIER_SET(UHI_TIER_MIXED), 20000, 0, UHI_TIERS, -1, -1, -1, -1, -1},
    {IRIS, 0, UHI_TIER_SET(UHI_TIER_TABLES), 4, 65537, UHI_TIERS, -1, -1, -1, -1, -1},
    {STRANGER, 0, UHI_TIER_SET(UHI_TIER_LOCAL), 5000, 40000, UHI_TIER_LOCAL, 0, -1, -1, -1, -1},
    {STRANGER, 0, UHI_TIERS_OF_POINTS, 5000, 40000, UHI_TIER_MIXED, -1, -1, -1, -1, -1},
    {STRANGER, 0, UHI_TIERS_OF_POINTS, 20000, 40000, UHI_TIER_TABLES, -1, -1, -1, -1, -1},
};

UNIT_TEST(counts_and_tables_are_where_they_fit_and_half_of_the_threads_are_resident) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *r = &rows[i];
        uh_device_properties device = r->device == IRIS ? iris_xe : r->device == MAX ? max_1550 : stranger();
        device.memory = r->memory ? r->memory : device.memory;
        const struct uhi_shape shape = uhi_shape_among(r->tiers, r->slots, r->tables, &device);
        const int64_t wanted[] = {r->spread, r->local_tables, r->local_counts, r->private_tables, r->groups};
        const int64_t got[] = {shape.spread, (int64_t)shape.local_tables, (int64_t)shape.local_counts,
                               shape.private_tables, (int64_t)shape.groups};
        assert_int_equal(shape.tier, r->tier);
        for (size_t k = 0; k < sizeof got / sizeof *got; k++)
            if (wanted[k] >= 0 && got[k] != wanted[k])
                fail_msg("row %zu: number %zu is %lld, expected %lld", i, k, (long long)got[k], (long long)wanted[k]);
        if (shape.tier < UHI_TIERS && r->tiers == UHI_TIERS_OF_VALUES)
            assert_int_equal(shape.group_size, r->device == MAX ? 1024 : 512);
    }
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
        const struct uhi_shape shape = uhi_shape_among(UHI_TIERS_OF_VALUES, count, table, &device),
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
    struct uhi_shape shape = uhi_shape_among(UHI_TIERS_OF_VALUES, 103, 4096, &max_1550);
    assert_int_equal(uhi_shape_groups(&shape, 1), 1);
    assert_int_equal(uhi_shape_groups(&shape, 3 * 1024 * 64), 3);
    assert_int_equal(uhi_shape_groups(&shape, (size_t)1 << 40), shape.groups);
}

UNIT_TEST(a_shape_says_what_it_is) {
    static const struct {
        unsigned tiers;
        size_t slots;
        uint64_t tables;
        const char *text;
    } said[] = {
        {UHI_TIERS_OF_VALUES, 103, 4096, "; tables and counts (16 times) in local memory, 18 groups of 512"},
        {UHI_TIERS_OF_VALUES, 1003, 1 << 20, "; counts (16 times) in local memory, 12 groups of 512"},
        {UHI_TIERS_OF_POINTS, 103 * 103, 32 << 10,
         "; tables in local memory, counts (16 times) in global memory, 18 groups of 512"},
        {UHI_TIERS_OF_VALUES, 1000003, 1 << 20, "; 16 tables of counts in global memory, 18 groups of 512"},
        {UHI_TIERS_OF_VALUES, 10000003, 1 << 20, "; one table of counts in global memory, 18 groups of 512"},
    };
    for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
        char text[200];
        const struct uhi_shape shape = uhi_shape_among(said[i].tiers, said[i].slots, said[i].tables, &iris_xe);
        assert_int_equal(uhi_shape_text(&shape, text, sizeof text), strlen(said[i].text));
        assert_string_equal(text, said[i].text);
        assert_int_equal(uhi_shape_text(&shape, NULL, 0), strlen(text));
    }
}
