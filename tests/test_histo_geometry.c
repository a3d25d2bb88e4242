/* SPDX-License-Identifier: Apache-2.0 */
/* Where the eye is and how a device counts it: functions of a sample, the sizes and the device's properties alone. */

#include "kernels/histo/histo.h"
#include "kernels/histo/histo_run.h"
#include "tests/fixture.h"

static const struct uhi_histo_size parboil = {256, 4096};
enum { PARBOIL_N = 1035840 };

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
    /* 1000 to 3000; -1000 to 5000, cut at the edge; all; the mean's row alone */
    static const unsigned sigmas[] = {1, 3, 255, 0}, first[] = {10, 0, 0, 20}, rows[] = {21, 51, 100, 1};
    for (size_t i = 0; i < 4; i++) {
        const struct uhi_histo_eye eye = uhi_histo_find_eye(size, sums, sigmas[i]);
        assert_int_equal(eye.first, first[i]);
        assert_int_equal(eye.rows, rows[i]);
    }
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

/* The integers' eye compared with the real numbers': at least as large, and a unit of the samples larger at most, at
 * each end. */
UNIT_TEST(the_eye_of_integers_is_that_of_real_numbers_rounded_outwards) {
    const struct uhi_histo_size sizes[] = {{1, 1 << 24}, {1, 5000}, {256, 4096}, {1 << 16, 1 << 16}, {3, 100001}};
    uint32_t x[500];
    uint64_t sums[UHI_HISTO_SUMS], seed = 1;
    for (size_t i = 0; i < 5000; i++) {
        const struct uhi_histo_size size = sizes[i % 5];
        const uint64_t bins = uhi_histo_bins(size), range = 1 + test_random_u64(&seed) % (bins < 77 ? bins : bins / 77),
                       from = test_random_u64(&seed) % (bins - range + 1);
        const size_t n = 1 + (size_t)(test_random_u64(&seed) % 500);
        long double sum = 0, squares = 0;
        for (size_t j = 0; j < n; j++) {
            x[j] = (uint32_t)(from + test_random_u64(&seed) % range);
            sum += x[j] >> uhi_histo_shift(size);
        }
        const long double mean = sum / (long double)n;
        for (size_t j = 0; j < n; j++) {
            const long double difference = (long double)(x[j] >> uhi_histo_shift(size)) - mean;
            squares += difference * difference;
        }
        const long double reach = 3 * sqrtl(squares / (long double)n),
                          unit = (long double)(1u << uhi_histo_shift(size)), end = (long double)bins - 1,
                          low = (mean - reach) * unit, high = (mean + reach + 1) * unit;
        uhi_histo_sample(size, side_by_side(x, n), sums);
        const struct uhi_histo_eye eye = uhi_histo_find_eye(size, sums, 3);
        const long double first = (long double)(eye.first * size.width),
                          last = (long double)((eye.first + eye.rows) * size.width) - 1, row = (long double)size.width;
        /* The variance of integers is up to 2 more than the real one, which three of its roots are at most 5 for. */
        assert_true(first <= fmaxl(low, 0) && first >= fmaxl(low - 5 * unit, 0) - row);
        assert_true(last >= fminl(high - 1, end) && last <= fminl(high + 5 * unit, end) + row);
    }
}

/* What becomes of an eye of these rows: of a sample that has it, as far as there is one. */
static struct uhi_histo_geometry decide(const struct uhi_histo_room *room, size_t first, size_t rows) {
    struct uhi_histo_geometry g;
    struct uhi_histo_limits limits = room->limits;
    const uint64_t width = limits.width, low = first * width >> limits.shift, /* as samples */
        high = ((first + rows) * width - 1) >> limits.shift, mean = low + (high - low) / 2;
    uint64_t sums[UHI_HISTO_SUMS] = {0}, reach = high - mean > 1 ? high - mean - 1 : 0;
    if (rows > 0) { /* two samples, on both sides of the mean, one standard deviation from it */
        limits.sigmas = 1;
        reach = mean - low < reach ? mean - low : reach;
        sums[UHI_HISTO_COUNT] = 2;
        sums[UHI_HISTO_SUM] = 2 * mean;
        sums[UHI_HISTO_SQUARES] = 2 * (mean * mean + reach * reach);
    }
    uhi_histo_decide(&limits, sums, &g);
    return g;
}

/* Half the local memory of Iris Xe holds 64 rows of Parboil's in 16 bits, that of Max 1550 128. */
UNIT_TEST(an_eye_is_shared_among_groups_and_a_huge_one_is_counted_in_global_memory) {
    enum { MANY = 100 << 20 };
    static const struct {
        const uh_device_properties *device;
        size_t width, height, first, rows, n;
        uint32_t at, size, batches, tiles, tile, bits; /* at, size: of the bins that are counted so, whole words */
    } cases[] = {
        {&iris_xe, 256, 4096, 1849, 143, PARBOIL_N, 1849 * 256, 143 * 256, 8, 3, 48 * 256, 16},
        {&max_1550, 256, 4096, 1849, 143, PARBOIL_N, 1849 * 256, 143 * 256, 15, 2, 72 * 256, 16},
        {&max_1550, 256, 4096, 1849, 143, MANY, 1849 * 256, 143 * 256, 64, 2, 72 * 256, 16},
        {&iris_xe, 256, 4096, 0, 1500, MANY, 0, 1500 * 256, 2, 12, 125 * 256, 8}, /* of 16 bits they would be 24 */
        {&iris_xe, 256, 4096, 0, 4096, MANY, 0, 4096 * 256, 1, 32, 128 * 256, 8},
        {&iris_xe, 256, 8192, 0, 8192, MANY, 0, 0, 24, 1, 0, 0}, /* in global memory */
        {&iris_xe, 256, 4096, 0, 0, PARBOIL_N, 0, 0, 24, 1, 0, 0},
        {&iris_xe, 100001, 10, 3, 1, PARBOIL_N, 300000, 100004, 3, 7, 16384, 16}, /* too wide a row is divided */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct uhi_histo_size size = {cases[i].width, cases[i].height};
        const struct uhi_histo_room room = uhi_histo_choose(size, cases[i].n, 512, cases[i].device);
        const struct uhi_histo_geometry g = decide(&room, cases[i].first, cases[i].rows);
        assert_true(g.first == cases[i].at && g.size == cases[i].size && g.pitch == (g.size + 3) / 4);
        assert_true(g.eye == cases[i].first && g.eye_rows == cases[i].rows);
        assert_true(g.batches == cases[i].batches && g.tiles == cases[i].tiles);
        assert_true(g.tile == cases[i].tile && g.bits == cases[i].bits);
    }
}

UNIT_TEST(a_geometry_says_what_it_is) {
    const struct uhi_histo_room room = uhi_histo_choose(parboil, PARBOIL_N, 512, &iris_xe),
                                few = uhi_histo_choose(parboil, 1, 512, &iris_xe);
    const struct uhi_histo_geometry made[] = {decide(&room, 1849, 143), decide(&few, 0, 1), decide(&room, 0, 0)};
    static const char *const texts[] = {"eye of 36608 bins, 8 batches of 3 groups of 512, each 12288 bins of 16 bits",
                                        "eye of 256 bins, 1 batch of 1 group of 512, each 256 bins of 16 bits",
                                        "no eye, 24 groups of 512 add in global memory"};
    for (size_t i = 0; i < 3; i++) {
        char text[200];
        const int length = uhi_histo_geometry_text(i == 1 ? &few : &room, &made[i], text, sizeof text);
        assert_string_equal(text, texts[i]);
        assert_int_equal(length, strlen(text));
    }
}

/* As the model has it: half of what a group may have; Iris Xe has four such groups in each of its 6 cores, Max 1550 two
 * in each of 64 of a tile. */
UNIT_TEST(as_many_groups_are_worth_having_as_a_device_holds_at_once) {
    const uh_device_properties other = {
        .cores = 512, .threads = 4096, .local_memory = 65536, .memory = 1 << 30, .max_group_size = 1024};
    assert_int_equal(uhi_histo_choose(parboil, SIZE_MAX / 4, 512, &iris_xe).limits.groups, 6 * 4);
    assert_int_equal(uhi_histo_choose(parboil, SIZE_MAX / 4, 512, &max_1550).limits.groups, 64 * 2);
    assert_int_equal(uhi_histo_choose(parboil, SIZE_MAX / 4, 512, &other).limits.groups, 64);
    assert_int_equal(uhi_histo_choose(parboil, 100, 512, &max_1550).limits.groups, 1);
    assert_int_equal(uhi_histo_choose(parboil, PARBOIL_N, 512, &max_1550).limits.groups, 31);
    /* More are launched where the eye may need them. */
    assert_int_equal(uhi_histo_choose(parboil, 100, 512, &max_1550).groups, 32);
    assert_int_equal(uhi_histo_choose((struct uhi_histo_size){256, 100}, 100, 512, &max_1550).groups, 1);
}

static void check_room(const struct uhi_histo_room *room, const uh_device_properties *device) {
    assert_in_range(room->group_size, 1, 256);
    assert_true(room->group_size <= (device->max_group_size ? device->max_group_size : 1));
    assert_true(room->groups >= 1 && room->groups <= 4096 && room->limits.groups <= room->groups);
    assert_true(room->local_bytes >= 16 && (room->local_bytes == 16 || room->local_bytes <= device->local_memory / 2));
    assert_true(room->limits.partial_bytes <= (uint64_t)64 << 20);
}

static void check_geometry(const struct uhi_histo_room *room, const struct uhi_histo_geometry *g) {
    const uint64_t bins = (uint64_t)room->limits.last + 1, width = room->limits.width;
    assert_true(g->batches >= 1 && g->tiles >= 1 && g->tiles <= 32);
    assert_true((uint64_t)g->batches * g->tiles <= room->groups);
    assert_true(g->bits == 0 || g->bits == 8 || g->bits == 16);
    for (uint64_t group = 0; group < room->groups; group++) /* as the kernel divides */
        assert_int_equal(group * g->inverse >> 20, group / g->tiles);
    if (g->bits == 0) {
        assert_true(g->size == 0 && g->tile == 0 && g->pitch == 0);
        return;
    }
    assert_true((uint64_t)g->tile * g->bits / 8 <= room->local_bytes);
    assert_true(g->first % 4 == 0 && g->tile % 4 == 0 && g->tile > 0);
    assert_true(g->first <= g->eye * width && g->first + (uint64_t)g->size <= bins);
    assert_true(g->first + (uint64_t)g->size >= (g->eye + g->eye_rows) * width || g->first + (uint64_t)g->size == bins);
    assert_true(g->size % 4 == 0 || g->first + (uint64_t)g->size == bins);
    assert_true((uint64_t)g->tiles * g->tile >= g->size && (g->tiles - 1) * (uint64_t)g->tile < g->size);
    assert_true((uint64_t)g->pitch * 4 >= g->size);
    assert_true((uint64_t)g->pitch * 4 * g->batches <= room->limits.partial_bytes);
}

/* Every combination, also of devices that tell nothing, is one that the device can launch and that covers the eye, also
 * with less memory than was wanted. */
UNIT_TEST(every_geometry_fits_its_device_and_covers_the_eye) {
    static const uint64_t locals[] = {0, 1, 7, 8, 64, 256, 4096, 65536, 131072, UINT64_C(1) << 34};
    static const uint64_t groups[] = {0, 1, 3, 64, 512, 1024, UINT64_MAX};
    static const struct uhi_histo_size sizes[] = {{1, 1},   {1, 100000}, {100000, 1},    {3, 5},
                                                  {77, 99}, {256, 4096}, {70000, 70000}, {1, SIZE_MAX}};
    static const double eyes[][2] = {{0, 0}, {0, 1}, {0.25, 0.01}, {0.9, 0.1}, {0.4, 0.3}};
    static const size_t ns[] = {0, 1, 100000, SIZE_MAX / 4};
    const size_t combinations = (size_t)10 * 7 * 8 * 5 * 4;
    size_t shared = 0;
    for (size_t i = 0; i < combinations; i++) {
        uh_device_properties device = i % 2 ? iris_xe : max_1550;
        device.local_memory = locals[i % 10];
        device.max_group_size = groups[i / 10 % 7];
        const struct uhi_histo_size size = sizes[i / 70 % 8];
        const double *part = eyes[i / 560 % 5];
        const uint64_t bins = uhi_histo_bins(size), height = (bins + size.width - 1) / size.width;
        const size_t first = (size_t)floor((double)height * part[0]);
        size_t rows = (size_t)ceil((double)height * part[1]);
        rows = rows < height - first ? rows : height - first;
        struct uhi_histo_room room = uhi_histo_choose(size, ns[i / 2800], 256, &device);
        check_room(&room, &device);
        struct uhi_histo_geometry g = decide(&room, first, rows);
        check_geometry(&room, &g);
        shared += g.bits > 0;
        room.limits.partial_bytes /= 5;
        g = decide(&room, first, rows);
        check_geometry(&room, &g);
    }
    assert_true(shared > combinations / 4);
}
