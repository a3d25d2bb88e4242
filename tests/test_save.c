/* SPDX-License-Identifier: Apache-2.0 */
/* Saved histograms: what goes through the format and back, over one axis and several, of every storage. */
#include "tests/support.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <unihist/save.h>

#include "tests/arrays.h"
#include "tests/dd_cases.h"
#include "tests/fixture.h"
#include "tests/saved_fixture.h"

enum { CASES = 64, MOST_POINTS = 5000, STORAGES = UH_STORAGE_U16 + 1 };

static uh_queue *queue;

static int make_queue(void **state) {
    (void)state;
    queue = test_queue(2, 0);
    return queue ? 0 : -1;
}

static int destroy_queue(void **state) {
    (void)state;
    return uh_queue_destroy(queue) == UH_SUCCESS ? 0 : -1;
}

static uh_histogram *make(uh_dtype dtype, const void *edges, size_t nedges, uh_closed closed) {
    uh_axis *axis = NULL;
    uh_histogram *histogram = NULL;
    test_good(uh_axis_create_edges(dtype, edges, nedges, closed, &axis));
    test_good(uh_histogram_create(queue, &axis, 1, NULL, &histogram));
    test_good(uh_axis_destroy(axis));
    return histogram;
}

static void assert_same_bytes(const struct saved *a, const struct saved *b) {
    assert_int_equal(a->size, b->size);
    assert_memory_equal(a->bytes, b->bytes, a->size);
}

/* ---- there and back ---- */

UNIT_TEST(every_type_of_edges_and_closed_end_comes_back_exactly) {
    static const double f64[] = {-INFINITY, -1e300, -0.0, 0x1p-1074, 0.1, 0.1, 1e300, INFINITY};
    static const float f32[] = {-1, 0.1f, 3e38f};
    static const int64_t i64[] = {INT64_MIN, -1, (INT64_C(1) << 53) + 1, INT64_MAX - 1, INT64_MAX};
    static const uint64_t u64[] = {0, (UINT64_C(1) << 53) + 1, UINT64_MAX - 1, UINT64_MAX};
    static const int8_t i8[] = {-128, 0, 127};
    static const struct {
        uh_dtype dtype;
        const void *edges;
        size_t nedges;
    } axes[] = {{UH_F64, f64, 8}, {UH_F32, f32, 3}, {UH_I64, i64, 5}, {UH_U64, u64, 4}, {UH_I8, i8, 3}};
    for (size_t a = 0; a < sizeof axes / sizeof *axes; a++)
        for (int closed = UH_CLOSED_LEFT; closed <= UH_HALF_OPEN_RIGHT; closed++) {
            uh_histogram *histogram = make(axes[a].dtype, axes[a].edges, axes[a].nedges, (uh_closed)closed);
            /* Each edge is a value too. */
            test_good(uh_histogram_fill(histogram, ARRAY(axes[a].dtype, axes[a].edges, axes[a].nedges), NULL));
            struct saved saved = test_saved(histogram);
            uh_histogram *loaded = test_saved_load(queue, &saved);
            test_saved_assert_same(histogram, loaded);
            assert_int_equal(uh_axis_closed(uh_histogram_axis(loaded, 0)), closed);
            /* A copy counts as the first one does: the edges are the same beyond float64's precision. */
            test_good(uh_histogram_fill(histogram, ARRAY(UH_I64, i64, 5), NULL));
            test_good(uh_histogram_fill(loaded, ARRAY(UH_I64, i64, 5), NULL));
            test_good(uh_histogram_fill(histogram, ARRAY(UH_U64, u64, 4), NULL));
            test_good(uh_histogram_fill(loaded, ARRAY(UH_U64, u64, 4), NULL));
            test_saved_assert_same(histogram, loaded);
            uh_histogram_destroy(loaded);
            uh_histogram_destroy(histogram);
            free(saved.bytes);
        }
}

UNIT_TEST(every_storage_comes_back_as_the_oracle_has_it) {
    unsigned storages = 0;
    for (uint64_t number = 0; number < CASES; number++) {
        struct dd_case tried;
        struct dd_expected expected;
        dd_case_make(number, MOST_POINTS, &tried);
        dd_expect(&tried, &expected);
        uh_histogram *histogram = dd_case_create(queue, &tried);
        dd_case_fill(histogram, &tried, 0, tried.n);
        test_saved_assert_back(queue, histogram);
        struct saved saved = test_saved(histogram);
        uh_histogram *loaded = test_saved_load(queue, &saved);
        dd_assert_holds(loaded, &expected);
        storages |= 1u << tried.storage;
        free(saved.bytes);
        uh_histogram_destroy(loaded);
        uh_histogram_destroy(histogram);
        dd_expected_free(&expected);
        dd_case_free(&tried);
    }
    assert_int_equal(storages, (1u << STORAGES) - 1);
}

UNIT_TEST(parts_of_several_files_merged_are_the_bytes_of_one_run) {
    enum { PARTS = 3 };
    char path[] = "/tmp/unihist-test-save-dd.uh";
    for (uint64_t number = 0; number < CASES; number++) {
        struct dd_case tried;
        dd_case_make(number, MOST_POINTS, &tried);
        uh_histogram *one = dd_case_create(queue, &tried), *sum = NULL;
        dd_case_fill(one, &tried, 0, tried.n);
        for (size_t p = 0; p < PARTS; p++) {
            uh_histogram *part = dd_case_create(queue, &tried), *loaded = NULL;
            dd_case_fill(part, &tried, p * tried.n / PARTS, (p + 1) * tried.n / PARTS);
            test_good(uh_histogram_save(part, path));
            test_good(uh_histogram_load(queue, path, &loaded));
            if (sum)
                test_good(uh_histogram_merge(loaded, sum));
            uh_histogram_destroy(sum);
            sum = loaded;
            uh_histogram_destroy(part);
        }
        struct saved expected = test_saved(one), got = test_saved(sum);
        assert_same_bytes(&expected, &got);
        free(expected.bytes);
        free(got.bytes);
        uh_histogram_destroy(sum);
        uh_histogram_destroy(one);
        dd_case_free(&tried);
    }
    unlink(path);
}

UNIT_TEST(what_is_made_of_a_histogram_comes_back_too) {
    for (uint64_t number = 0; number < CASES; number++) {
        struct dd_case tried;
        uh_histogram *made = NULL;
        dd_case_make(number, MOST_POINTS, &tried);
        uh_histogram *histogram = dd_case_create(queue, &tried);
        dd_case_fill(histogram, &tried, 0, tried.n);
        const size_t last = tried.naxes - 1, bins = uh_axis_bins(tried.axes[last]);
        test_good(uh_histogram_project(histogram, &last, 1, &made));
        test_saved_assert_back(queue, made);
        uh_histogram_destroy(made);
        test_good(uh_histogram_crop(histogram, last, bins / 3, bins / 3 + 1, &made));
        test_saved_assert_back(queue, made);
        uh_histogram_destroy(made);
        test_good(uh_histogram_rebin(histogram, last, bins, &made));
        test_saved_assert_back(queue, made);
        uh_histogram_destroy(made);
        if (tried.naxes > 1) {
            test_good(uh_histogram_slice(histogram, 0, 0, &made));
            test_saved_assert_back(queue, made);
            uh_histogram_destroy(made);
        }
        uh_histogram_destroy(histogram);
        dd_case_free(&tried);
    }
}

UNIT_TEST(edges_are_stored_as_they_are_and_counts_beside_them) {
    static const int64_t edges[] = {INT64_MIN, (INT64_C(1) << 53) + 1, INT64_MAX}, x[] = {5, 5, INT64_MAX};
    static const uint64_t counts[] = {2, 1, 0};
    uh_histogram *histogram = make(UH_I64, edges, 3, UH_CLOSED_LEFT);
    test_good(uh_histogram_fill(histogram, ARRAY(UH_I64, x, 3), NULL));
    struct saved saved = test_saved(histogram);
    assert_memory_equal(saved.bytes + test_saved_data(&saved, "axis0.edges"), edges, sizeof edges);
    assert_memory_equal(saved.bytes + test_saved_data(&saved, "counts"), counts, sizeof counts);
    uh_histogram_destroy(histogram);
    free(saved.bytes);
}

UNIT_TEST(counts_up_to_the_largest_come_back) {
    static const uint64_t inside = UINT64_MAX - 3, count = UINT64_MAX - 5; /* 3 are outside, 2 in another bin */
    uint64_t counts[3], totals[2];
    uh_histogram *histogram = test_saved_sample(queue, TEST_SAVED_LINE);
    struct saved saved = test_saved(histogram);
    memcpy(saved.bytes + test_saved_data(&saved, "counts") + 8, &count, sizeof count);
    memcpy(saved.bytes + test_saved_data(&saved, "points"), &inside, sizeof inside);
    test_saved_repair(&saved);
    uh_histogram *loaded = test_saved_load(queue, &saved);
    test_good(uh_histogram_counts(loaded, counts));
    assert_true(counts[0] == 1 && counts[1] == count && counts[2] == 1);
    test_good(uh_histogram_total(loaded, &totals[0], &totals[1]));
    assert_true(totals[0] == inside && totals[1] == 3);
    assert_int_equal(uh_histogram_merge(loaded, histogram), UH_ERROR_OVERFLOW);
    uh_histogram_destroy(loaded);
    uh_histogram_destroy(histogram);
    free(saved.bytes);
}

UNIT_TEST(bytes_need_not_be_aligned) {
    uh_histogram *histogram = test_saved_sample(queue, TEST_SAVED_LINE);
    struct saved saved = test_saved(histogram);
    unsigned char *moved = malloc(saved.size + 1);
    assert_non_null(moved);
    memcpy(moved + 1, saved.bytes, saved.size);
    const struct saved odd = {moved + 1, saved.size};
    uh_histogram *loaded = test_saved_load(queue, &odd);
    free(moved);
    test_saved_assert_same(histogram, loaded);
    uh_histogram_destroy(loaded);
    uh_histogram_destroy(histogram);
    free(saved.bytes);
}

/* ---- sums ---- */

static uh_histogram *make_plain(uh_storage storage, uh_sum sum) {
    const uh_histogram_options options = {.struct_size = sizeof options, .storage = storage, .sum = sum};
    uh_axis *axes[2] = {NULL, NULL};
    uh_histogram *histogram = NULL;
    test_good(uh_axis_create_equal(2, 0, 2, UH_CLOSED_LEFT, &axes[0]));
    test_good(uh_axis_create_equal(3, 0, 3, UH_CLOSED_LEFT, &axes[1]));
    test_good(uh_histogram_create(queue, axes, 2, &options, &histogram));
    uh_axis_destroy(axes[0]);
    uh_axis_destroy(axes[1]);
    return histogram;
}

static void fill_plain(uh_histogram *histogram, const double *x, const double *y, const double *w, size_t n) {
    const uh_array coordinates[2] = {uh_array_of(UH_F64, x, n), uh_array_of(UH_F64, y, n)};
    const uh_array weights = uh_array_of(UH_F64, w, n);
    test_good(uh_histogram_fill(histogram, coordinates, w ? &weights : NULL));
}

/* Numbers from the smallest to the largest, of which only exact sums keep the small ones. */
static const double weights[] = {DBL_MAX,  0x1p-1074, -DBL_MAX, 1,         1e-30,    -1, NAN,
                                 INFINITY, -INFINITY, INFINITY, 0x1p-1074, -DBL_MAX, 3};
static const double at_x[] = {0.5, 0.5, 0.5, 1.5, 1.5, 1.5, 1.5, 1.5, 0.5, 0.5, 9, 9, -1};
static const double at_y[] = {0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 1.5, 2.5, 1.5, 1.5, 0, 0, NAN};
enum { POINTS = sizeof weights / sizeof *weights };

UNIT_TEST(sums_of_extreme_weights_stay_exact_across_files) {
    static const uh_storage storages[] = {UH_STORAGE_SUM, UH_STORAGE_WEIGHTED, UH_STORAGE_MEAN};
    for (size_t s = 0; s < 3; s++)
        for (size_t cut = 0; cut <= POINTS; cut++) {
            double sum[6];
            uh_histogram *one = make_plain(storages[s], UH_SUM_EXACT), *first = make_plain(storages[s], UH_SUM_EXACT),
                         *second = make_plain(storages[s], UH_SUM_EXACT);
            fill_plain(one, at_x, at_y, weights, POINTS);
            fill_plain(first, at_x, at_y, weights, cut);
            fill_plain(second, at_x + cut, at_y + cut, weights + cut, POINTS - cut);
            test_saved_assert_back(queue, one);
            struct saved parts[2] = {test_saved(first), test_saved(second)}, whole = test_saved(one);
            uh_histogram *a = test_saved_load(queue, &parts[0]), *b = test_saved_load(queue, &parts[1]);
            test_good(uh_histogram_merge(a, b));
            struct saved merged = test_saved(a);
            assert_same_bytes(&merged, &whole);
            if (storages[s] != UH_STORAGE_MEAN) {
                test_good(uh_histogram_sums(a, sum, NULL));
                assert_true(sum[0] == 0x1p-1074); /* what DBL_MAX - DBL_MAX leaves */
                assert_true(isnan(sum[1]) && sum[3] == 1e-30 && isnan(sum[4]) && isinf(sum[5]));
            }
            uh_histogram *const all[] = {one, first, second, a, b};
            struct saved *const bytes[] = {&parts[0], &parts[1], &whole, &merged};
            for (size_t i = 0; i < 5; i++)
                uh_histogram_destroy(all[i]);
            for (size_t i = 0; i < 4; i++)
                free(bytes[i]->bytes);
        }
}

UNIT_TEST(fast_sums_come_back_and_do_not_merge_with_exact_ones) {
    static const uh_storage storages[] = {UH_STORAGE_SUM, UH_STORAGE_WEIGHTED, UH_STORAGE_MEAN};
    static const double w[] = {0.1, 0.2, 0.3, 1e300, -5};
    for (size_t s = 0; s < 3; s++) {
        uh_histogram *fast = make_plain(storages[s], UH_SUM_FAST), *exact = make_plain(storages[s], UH_SUM_EXACT);
        fill_plain(fast, at_x, at_y, w, 5);
        test_saved_assert_back(queue, fast);
        struct saved saved = test_saved(fast);
        uh_histogram *loaded = test_saved_load(queue, &saved);
        uh_saved_info info = {.struct_size = sizeof info};
        test_good(uh_saved_peek_bytes(saved.bytes, saved.size, &info));
        assert_int_equal(info.sum, UH_SUM_FAST);
        assert_int_equal(uh_histogram_merge(exact, loaded), UH_ERROR_INCOMPATIBLE);
        uh_histogram_destroy(loaded);
        uh_histogram_destroy(exact);
        uh_histogram_destroy(fast);
        free(saved.bytes);
    }
}

/* ---- looking ---- */

UNIT_TEST(a_look_tells_shape_and_storage) {
    for (int number = 0; number < TEST_SAVED_SAMPLES; number++) {
        const int line = number == TEST_SAVED_LINE;
        uh_saved_info info = {.struct_size = sizeof info, .naxes = 99};
        uh_histogram *histogram = test_saved_sample(queue, number);
        struct saved saved = test_saved(histogram);
        test_good(uh_saved_peek_bytes(saved.bytes, saved.size, &info));
        assert_int_equal(info.version, 1);
        assert_int_equal(info.bytes, saved.size);
        assert_int_equal(info.naxes, line ? 1 : 2);
        assert_true(info.bins[0] == 3 && info.bins[1] == (line ? 0 : 3) && info.bins[2] == 0);
        assert_int_equal(info.storage, line ? 0 : number);
        assert_int_equal(info.sum, UH_SUM_EXACT);
        uh_histogram_destroy(histogram);
        free(saved.bytes);
    }
}

/* ---- distributions ---- */

/* A histogram whose axis carries the distribution. */
static uh_histogram *carrying(const uh_distribution *distribution) {
    uh_axis *plain = NULL, *axis = NULL;
    uh_histogram *histogram = NULL;
    test_good(uh_axis_create_integer(-3, 7, &plain));
    test_good(uh_axis_create_with_distribution(plain, distribution, &axis));
    test_good(uh_histogram_create(queue, &axis, 1, NULL, &histogram));
    uh_axis_destroy(plain);
    uh_axis_destroy(axis);
    return histogram;
}

enum { TABLE = 12 };
static const double table_x[TABLE] = {-3, -2, -2, 0, 1, 2, 3, 4, 5, 6, 7, 0x1.5p300};
static const double table_f[TABLE] = {0, 0.1, 0.2, 0.3, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95};
static const uh_distribution distributions[] = {
    {.struct_size = sizeof *distributions, .kind = UH_DISTRIBUTION_EXPONENTIAL, .location = -1, .scale = 0.1},
    {.struct_size = sizeof *distributions, .kind = UH_DISTRIBUTION_NORMAL, .location = 0x1p-1074, .scale = 1e300},
    {.struct_size = sizeof *distributions, .kind = UH_DISTRIBUTION_LOGNORMAL, .location = 0, .scale = 2},
    {.struct_size = sizeof *distributions, .kind = UH_DISTRIBUTION_TABLE, .x = table_x, .f = table_f, .points = TABLE},
};

UNIT_TEST(the_distribution_that_an_axis_carries_comes_back) {
    for (size_t i = 0; i < sizeof distributions / sizeof *distributions; i++) {
        const uh_distribution *saved_one = &distributions[i];
        uh_histogram *histogram = carrying(saved_one);
        struct saved saved = test_saved(histogram);
        uh_histogram *loaded = test_saved_load(queue, &saved);
        struct saved again = test_saved(loaded);
        const uh_distribution *got = uh_axis_distribution(uh_histogram_axis(loaded, 0));
        test_saved_assert_same(histogram, loaded);
        assert_non_null(got);
        assert_int_equal(got->kind, saved_one->kind);
        assert_true(got->location == saved_one->location && got->scale == saved_one->scale);
        assert_int_equal(got->points, saved_one->points);
        if (saved_one->points > 0) {
            assert_memory_equal(got->x, table_x, sizeof table_x);
            assert_memory_equal(got->f, table_f, sizeof table_f);
            assert_memory_equal(saved.bytes + test_saved_data(&saved, "meta.axis0.x"), table_x, sizeof table_x);
            assert_memory_equal(saved.bytes + test_saved_data(&saved, "meta.axis0.f"), table_f, sizeof table_f);
        } else {
            assert_memory_equal(saved.bytes + test_saved_data(&saved, "meta.axis0.parameters"), &saved_one->location,
                                sizeof(double));
        }
        assert_int_equal(again.size, saved.size);
        assert_memory_equal(again.bytes, saved.bytes, saved.size);
        uh_histogram_destroy(loaded);
        uh_histogram_destroy(histogram);
        free(saved.bytes);
        free(again.bytes);
    }
}

/* `sample` is the number of the distribution here. */
static const struct saved_change hostile[] = {
    {1, "meta.axis0.distribution", 56, 'N', 1, "section 'meta.axis0.distribution' says 'Normal', expected exponential"},
    {1, "meta.axis0.parameters", 64, 0, 8, "meta.axis0.distribution: distribution->scale is 0, expected a finite"},
    {1, "meta.axis0.parameters", 11, 'q', 1, "section 'meta.axis0.parameters' is missing"},
    {1, "meta.axis0.parameters", 25, 'i', 1, "section 'meta.axis0.parameters' is of type '<i8', expected '<f8'"},
    {3, "meta.axis0.x", 11, 'y', 1, "section 'meta.axis0.x' is missing"},
    {3, "meta.axis0.f", 11, 'y', 1, "section 'meta.axis0.f' is missing"},
    {3, "meta.axis0.x", 56, UINT64_C(0x7ff8000000000000), 8, "distribution->x[0] is nan, expected a finite number"},
    {3, "meta.axis0.f", 56, UINT64_C(0xbff0000000000000), 8, "distribution->f runs from -1 to"},
};

UNIT_TEST(hostile_distributions_are_refused_and_unknown_ones_skipped) {
    for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++) {
        uh_histogram *histogram = carrying(&distributions[hostile[i].sample]);
        struct saved saved = test_saved(histogram);
        test_saved_assert_hostile(queue, &saved, &hostile[i]);
        uh_histogram_destroy(histogram);
        free(saved.bytes);
    }
    uh_histogram *histogram = carrying(&distributions[1]);
    struct saved saved = test_saved(histogram);
    saved.bytes[test_saved_section(&saved, "meta.axis0.distribution") + 11] = 'D'; /* a section of others */
    test_saved_repair(&saved);
    uh_histogram *loaded = test_saved_load(queue, &saved);
    test_saved_assert_same(histogram, loaded);
    assert_null(uh_axis_distribution(uh_histogram_axis(loaded, 0)));
    uh_histogram_destroy(loaded);
    uh_histogram_destroy(histogram);
    free(saved.bytes);
}

TEST_MAIN(test_save) {
    return TEST_RUN(make_queue, destroy_queue);
}
