/* SPDX-License-Identifier: Apache-2.0 */
/* Where the eye is and how a device counts it: functions of a sample, the sizes and the device's properties alone. */
#include "tests/support.h"

#include <math.h>
#include <string.h>

#include "kernels/histo/histo.h"
#include "kernels/histo/histo_geometry.h"
#include "tests/invented_devices.h"

static const struct uhi_histo_size parboil = {256, 4096};
enum { PARBOIL_N = 1035840 };

/* ---- the eye ---------------------------------------------------------------------------------------------------- */

static struct uhi_values side_by_side(const uint32_t *x, size_t n) {
    return (struct uhi_values){.first = (const char *)x, .n = n, .stride = sizeof *x};
}

UNIT_TEST(the_eye_is_the_rows_about_the_mean_of_the_sample) {
    /* Indices 1000 and 3000 in turn: mean 2000, standard deviation 1000. */
    uint32_t x[1000];
    uint64_t sums[UHI_HISTO_SUMS];
    const struct uhi_histo_size size = {100, 100};
    for (size_t i = 0; i < 1000; i++)
        x[i] = i % 2 ? 3000 : 1000;
    uhi_histo_sample(size, side_by_side(x, 1000), sums);
    assert_int_equal(sums[UHI_HISTO_COUNT], 1000);
    assert_int_equal(sums[UHI_HISTO_SUM], 2000000);
    assert_int_equal(sums[UHI_HISTO_SQUARES], UINT64_C(5000000000));
    struct uhi_histo_eye eye = uhi_histo_find_eye(size, sums, 1.5);
    assert_int_equal(eye.first, 5); /* 500 to 3500 */
    assert_int_equal(eye.rows, 31);
    eye = uhi_histo_find_eye(size, sums, 3); /* -1000 to 5000: cut at the edge */
    assert_int_equal(eye.first, 0);
    assert_int_equal(eye.rows, 51);
    eye = uhi_histo_find_eye(size, sums, 1e9);
    assert_int_equal(eye.first, 0);
    assert_int_equal(eye.rows, 100);
    eye = uhi_histo_find_eye(size, sums, 0);
    assert_int_equal(eye.first, 20);
    assert_int_equal(eye.rows, 1);
}

UNIT_TEST(samples_beyond_the_histogram_do_not_matter_and_no_sample_is_no_eye) {
    const struct uhi_histo_size size = {10, 10};
    const uint32_t x[] = {100, UINT32_MAX, 55, 101};
    uint64_t sums[UHI_HISTO_SUMS];
    uhi_histo_sample(size, side_by_side(x, 4), sums);
    assert_int_equal(sums[UHI_HISTO_COUNT], 1);
    struct uhi_histo_eye eye = uhi_histo_find_eye(size, sums, 3);
    assert_int_equal(eye.first, 5);
    assert_int_equal(eye.rows, 1);
    uhi_histo_sample(size, side_by_side(x, 2), sums);
    assert_int_equal(uhi_histo_find_eye(size, sums, 3).rows, 0);
    uhi_histo_sample(size, side_by_side(NULL, 0), sums);
    assert_int_equal(uhi_histo_find_eye(size, sums, 3).rows, 0);
}

UNIT_TEST(a_sample_is_spread_over_all_and_its_sums_do_not_overflow) {
    const size_t ns[] = {1, 2, UHI_HISTO_SAMPLES, UHI_HISTO_SAMPLES + 1, 1000003, SIZE_MAX / 4, SIZE_MAX};
    for (size_t i = 0; i < sizeof ns / sizeof *ns; i++) {
        const size_t distance = uhi_histo_distance(ns[i]);
        assert_int_not_equal(distance, 0);
        assert_true((ns[i] - 1) / distance < UHI_HISTO_SAMPLES);
        assert_true(ns[i] < UHI_HISTO_SAMPLES || (ns[i] - 1) / distance >= UHI_HISTO_SAMPLES / 2 - 1);
    }
    assert_int_equal(uhi_histo_distance(0), 0);
    const struct uhi_histo_size sizes[] = {{1, 1}, {256, 4096}, {1 << 16, 1 << 16}, {SIZE_MAX, 1}, {1, SIZE_MAX}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const uint64_t largest = (uhi_histo_bins(sizes[i]) - 1) >> uhi_histo_shift(sizes[i]);
        assert_true(largest <= UINT64_MAX / UHI_HISTO_SAMPLES / (largest ? largest : 1));
        /* The largest samples only: the eye is at the end. */
        const uint64_t sums[] = {UHI_HISTO_SAMPLES, UHI_HISTO_SAMPLES * largest, UHI_HISTO_SAMPLES * largest * largest};
        const struct uhi_histo_eye eye = uhi_histo_find_eye(sizes[i], sums, 3);
        const uint64_t last = (uhi_histo_bins(sizes[i]) - 1) / sizes[i].width;
        assert_true(eye.rows >= 1 && eye.first <= last && eye.first + eye.rows - 1 == last);
    }
}

/* ---- the geometry ----------------------------------------------------------------------------------------------- */

static struct uhi_histo_geometry choose(struct uhi_histo_size size, size_t first, size_t rows, size_t n,
                                        const uh_device_properties *device) {
    return uhi_histo_choose(size, (struct uhi_histo_eye){first, rows}, n, 512, device);
}

UNIT_TEST(parboils_eye_is_shared_among_a_few_groups) {
    uh_device_properties device = iris_xe;
    struct uhi_histo_geometry g = choose(parboil, 1849, 143, PARBOIL_N, &device);
    assert_int_equal(g.bits, 16);
    assert_int_equal(g.first, 1849 * 256);
    assert_int_equal(g.size, 143 * 256);
    assert_int_equal(g.tiles, 3); /* half the local memory holds 64 rows */
    assert_int_equal(g.tile, 48 * 256);
    assert_int_equal(g.local_bytes, 48 * 256 * 2);
    assert_int_equal(g.group_size, 512);
    assert_int_equal(g.batches, 672 * 32 / 512 / 3);
    device = max_1550;
    g = choose(parboil, 1849, 143, PARBOIL_N, &device);
    assert_int_equal(g.tiles, 2); /* of 128 rows */
    assert_int_equal(g.tile, 72 * 256);
    assert_int_equal(g.batches, 31); /* worth it for so many indices; 128 pairs of groups would fill the device */
    assert_int_equal(choose(parboil, 1849, 143, (size_t)100 << 20, &device).batches, 128);
}

UNIT_TEST(a_large_eye_is_counted_in_bytes_and_a_huge_one_in_global_memory) {
    const uh_device_properties device = iris_xe;
    struct uhi_histo_geometry g = choose(parboil, 0, 1500, (size_t)100 << 20, &device);
    assert_int_equal(g.bits, 8);
    assert_int_equal(g.tiles, 12); /* of 128 rows; of 16 bits they would be 24 */
    assert_int_equal(g.tile, 125 * 256);
    g = choose(parboil, 0, 4096, (size_t)100 << 20, &device);
    assert_int_equal(g.bits, 8);
    assert_int_equal(g.tiles, 32);
    g = choose((struct uhi_histo_size){256, 8192}, 0, 8192, (size_t)100 << 20, &device);
    assert_int_equal(g.bits, 0);
    assert_int_equal(g.tiles, 1);
    assert_int_equal(g.size, 0);
    assert_int_equal(g.batches, 42);
    assert_int_equal(choose(parboil, 0, 0, PARBOIL_N, &device).bits, 0);
}

UNIT_TEST(a_row_too_wide_for_local_memory_is_divided) {
    const uh_device_properties device = iris_xe;
    const struct uhi_histo_geometry g = choose((struct uhi_histo_size){100001, 50}, 3, 1, PARBOIL_N, &device);
    assert_int_equal(g.first, 300000); /* 300003, rounded to a word */
    assert_int_equal(g.size, 100004);
    assert_int_equal(g.tile % 4, 0);
    assert_true(g.tile < 100001 && (uint64_t)g.tile * g.tiles >= g.size);
}

/* Every combination, also of devices that tell nothing, is one that the device can launch and that covers the eye. */
UNIT_TEST(every_geometry_fits_its_device_and_covers_the_eye) {
    static const uint64_t locals[] = {0, 1, 7, 8, 64, 256, 4096, 65536, 131072, UINT64_C(1) << 34};
    static const uint64_t groups[] = {0, 1, 3, 64, 512, 1024, UINT64_MAX};
    static const uint64_t memories[] = {0, 4096, 1 << 20, UINT64_C(1) << 40};
    static const struct uhi_histo_size sizes[] = {{1, 1},   {1, 100000}, {100000, 1},    {3, 5},
                                                  {77, 99}, {256, 4096}, {70000, 70000}, {1, SIZE_MAX}};
    static const double parts[][2] = {{0, 0}, {0, 1}, {0.25, 0.01}, {0.9, 0.1}, {0.4, 0.3}};
    static const size_t ns[] = {0, 1, 100000, SIZE_MAX / 4};
    const size_t combinations = (size_t)10 * 7 * 4 * 8 * 5 * 4;
    for (size_t i = 0; i < combinations; i++) {
        uh_device_properties device = iris_xe;
        device.local_memory = locals[i % 10];
        device.max_group_size = groups[i / 10 % 7];
        device.memory = memories[i / 70 % 4];
        const struct uhi_histo_size size = sizes[i / 280 % 8];
        const double *part = parts[i / 2240 % 5];
        const size_t n = ns[i / 11200];
        const uint64_t bins = uhi_histo_bins(size), height = (bins + size.width - 1) / size.width;
        const size_t first = (size_t)floor((double)height * part[0]);
        size_t rows = (size_t)ceil((double)height * part[1]);
        rows = rows < height - first ? rows : height - first;
        const struct uhi_histo_geometry g =
            uhi_histo_choose(size, (struct uhi_histo_eye){first, rows}, n, 256, &device);
        assert_in_range(g.group_size, 1, 256);
        assert_true(g.group_size <= (device.max_group_size ? device.max_group_size : 1));
        assert_true(g.batches >= 1 && g.tiles >= 1 && g.tiles <= 32 && g.batches * g.tiles * g.tiles < 1 << 20);
        assert_true(g.bits == 0 || g.bits == 8 || g.bits == 16);
        if (g.bits == 0) {
            assert_true(g.size == 0 && g.local_bytes == 0 && g.partial_size == 0);
            continue;
        }
        assert_true(g.local_bytes > 0 && g.local_bytes <= device.local_memory);
        assert_int_equal(g.local_bytes, (uint64_t)g.tile * g.bits / 8);
        assert_true(g.first % 4 == 0 && g.tile % 4 == 0 && g.tile > 0);
        assert_true(g.first <= first * size.width);
        assert_true(g.first + g.size >= (first + rows) * size.width || g.first + g.size == bins);
        assert_true(g.first + g.size <= bins && (g.size % 4 == 0 || g.first + g.size == bins));
        assert_true(g.tiles * g.tile >= g.size && (g.tiles - 1) * g.tile < g.size);
        assert_true(g.partial_size % 4 == 0 && g.partial_size >= g.size);
        assert_true(g.partial_size * g.batches <= device.memory / 16);
    }
}

UNIT_TEST(a_geometry_says_what_it_is) {
    const uh_device_properties device = iris_xe;
    char text[200];
    struct uhi_histo_geometry g = choose(parboil, 1849, 143, PARBOIL_N, &device);
    const int length = uhi_histo_geometry_text(&g, text, sizeof text);
    assert_int_equal(length, strlen(text));
    assert_string_equal(text, "eye of 36608 bins, 14 batches of 3 groups of 512, each 12288 bins of 16 bits");
    g = choose(parboil, 0, 1, 1, &device);
    uhi_histo_geometry_text(&g, text, sizeof text);
    assert_string_equal(text, "eye of 256 bins, 1 batch of 1 group of 512, each 256 bins of 16 bits");
    g = choose(parboil, 0, 0, PARBOIL_N, &device);
    uhi_histo_geometry_text(&g, text, sizeof text);
    assert_string_equal(text, "no eye, 31 groups of 512 add in global memory");
}
