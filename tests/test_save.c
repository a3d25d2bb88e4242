/* SPDX-License-Identifier: Apache-2.0 */
/* Saved histograms, over one axis and several, of every storage, and grids of integrals: what goes through the format
 * and back. */
#include <unihist/integrate.h>

#include "tests/dd_cases.h"
#include "tests/files.h"
#include "tests/saved_fixture.h"
#include "tests/tested.h"

enum { CASES = 64, MAX_POINTS = 5000, STORAGES = UH_STORAGE_U16 + 1 };

UNIT_TEST(every_type_of_edges_and_closed_end_comes_back_exactly) {
    static const double f64[] = {-INFINITY, -1e300, -0.0, 0x1p-1074, 0.1, 0.1, 1e300, INFINITY};
    static const float f32[] = {-1, 0.1f, 3e38f};
    static const int64_t i64[] = {INT64_MIN, -1, (INT64_C(1) << 53) + 1, INT64_MAX - 1, INT64_MAX};
    static const uint64_t u64[] = {0, (UINT64_C(1) << 53) + 1, UINT64_MAX - 1, UINT64_MAX};
    static const int8_t i8[] = {-128, 0, 127};
    static const uh_array all[] = {
        {UH_F64, f64, 8, 8}, {UH_F32, f32, 4, 3}, {UH_I64, i64, 8, 5}, {UH_U64, u64, 8, 4}, {UH_I8, i8, 1, 3}};
    for (size_t a = 0; a < sizeof all / sizeof *all; a++)
        for (int closed = UH_CLOSED_LEFT; closed <= UH_HALF_OPEN_RIGHT; closed++) {
            const uh_array edges = all[a];
            uh_axis *axis = test_axis_of(edges.dtype, edges.data, edges.count, (uh_closed)closed);
            uh_histogram *both[] = {test_line(tested.queue, axis), NULL};
            test_good(uh_histogram_fill(both[0], &edges, NULL)); /* each edge is a value too */
            both[1] = test_saved_assert_back(both[0]);
            assert_int_equal(test_axis_properties(uh_histogram_axis(both[1], 0)).closed, closed);
            /* A copy counts as the first one does: the edges are the same beyond float64's precision. */
            for (size_t h = 0; h < 2; h++) {
                test_good(uh_histogram_fill(both[h], ARRAY(UH_I64, i64, 5), NULL));
                test_good(uh_histogram_fill(both[h], ARRAY(UH_U64, u64, 4), NULL));
            }
            test_saved_assert_same(both[0], both[1]);
        }
}

UNIT_TEST(every_storage_comes_back_as_the_oracle_has_it_and_so_does_what_is_made_of_it) {
    unsigned storages = 0;
    for (uint64_t number = 0; number < CASES; number++) {
        const struct dd_case *tried = dd_case(number, MAX_POINTS);
        uh_histogram *histogram = dd_case_filled(tested.queue, tried), *part = NULL;
        const size_t last = tried->naxes - 1, bins = test_axis_properties(tried->axes[last]).bins;
        size_t *to = test_memory(bins * sizeof *to);
        dd_assert_holds(test_saved_assert_back(histogram), dd_expect(tried));
        test_good(uh_histogram_project(histogram, &last, 1, &part));
        for (size_t j = 0; j < bins; j++)
            to[j] = j % 3 ? j % 3 - 1 : UH_NO_INDEX;
        test_saved_assert_back(test_at_end_first(part, test_end_histogram));
        test_saved_assert_back(test_rebinned(histogram, last, test_equal_axis(2, 0, 1), to));
        storages |= 1u << tried->storage;
        test_end_from(0);
    }
    assert_int_equal(storages, (1u << STORAGES) - 1);
}

UNIT_TEST(parts_of_several_files_merged_are_the_bytes_of_one_run) {
    enum { PARTS = 3 };
    for (uint64_t number = 0; number < CASES; number++) {
        const struct dd_case *tried = dd_case(number, MAX_POINTS);
        uh_histogram *sum = NULL;
        for (size_t p = 0; p < PARTS; p++) {
            uh_histogram *part = dd_case_create(tested.queue, tried), *loaded = NULL;
            dd_case_fill(part, tried, p * tried->n / PARTS, (p + 1) * tried->n / PARTS);
            test_good(uh_histogram_save(part, "part.uh"));
            test_good(uh_histogram_load(tested.queue, "part.uh", &loaded));
            test_at_end_first(loaded, test_end_histogram);
            if (sum)
                test_good(uh_histogram_merge(loaded, sum));
            sum = loaded;
        }
        const struct saved expected = test_saved(dd_case_filled(tested.queue, tried));
        test_saved_assert_holds(sum, &expected);
        test_end_from(0);
    }
    unlink("part.uh");
}

UNIT_TEST(edges_and_counts_are_stored_as_they_are) {
    static const int64_t edges[] = {INT64_MIN, (INT64_C(1) << 53) + 1, INT64_MAX}, x[] = {5, 5, INT64_MAX};
    static const uint64_t counts[] = {2, 1, 0};
    uh_histogram *histogram = test_line(tested.queue, test_axis_of(UH_I64, edges, 3, UH_CLOSED_LEFT));
    test_good(uh_histogram_fill(histogram, ARRAY(UH_I64, x, 3), NULL));
    const struct saved saved = test_saved(histogram);
    assert_memory_equal(saved.bytes + test_saved_data(&saved, "axis0.edges"), edges, sizeof edges);
    assert_memory_equal(saved.bytes + test_saved_data(&saved, "counts"), counts, sizeof counts);
}

UNIT_TEST(counts_up_to_the_largest_come_back) {
    static const uint64_t inside = UINT64_MAX - 3, count = UINT64_MAX - 5; /* 3 are outside, 2 in another bin */
    uint64_t counts[3], totals[2];
    uh_histogram *histogram = test_saved_sample(TEST_SAVED_LINE);
    struct saved saved = test_saved(histogram);
    memcpy(saved.bytes + test_saved_data(&saved, "counts") + 8, &count, sizeof count);
    memcpy(saved.bytes + test_saved_data(&saved, "points"), &inside, sizeof inside);
    test_saved_repair(&saved);
    uh_histogram *loaded = test_saved_load(&saved);
    test_good(uh_histogram_counts(loaded, counts));
    assert_true(counts[0] == 1 && counts[1] == count && counts[2] == 1);
    test_good(uh_histogram_total(loaded, &totals[0], &totals[1]));
    assert_true(totals[0] == inside && totals[1] == 3);
    assert_int_equal(uh_histogram_merge(loaded, histogram), UH_ERROR_OVERFLOW);
}

UNIT_TEST(bytes_need_not_be_aligned) {
    uh_histogram *histogram = test_saved_sample(TEST_SAVED_LINE);
    const struct saved saved = test_saved(histogram);
    unsigned char *moved = test_memory(saved.size + 1);
    memcpy(moved + 1, saved.bytes, saved.size);
    const struct saved odd = {moved + 1, saved.size};
    uh_histogram *loaded = test_saved_load(&odd);
    memset(moved, 0, saved.size + 1); /* it may be reused on return */
    test_saved_assert_same(histogram, loaded);
}

static const uh_storage storages_of_sums[] = {UH_STORAGE_SUM, UH_STORAGE_WEIGHTED, UH_STORAGE_MEAN};

/* Numbers from the smallest to the largest, of which only exact sums keep the small ones. */
static const double weights[] = {DBL_MAX,  0x1p-1074, -DBL_MAX, 1,         1e-30,    -1, NAN,
                                 INFINITY, -INFINITY, INFINITY, 0x1p-1074, -DBL_MAX, 3};
static const double at_x[] = {0.5, 0.5, 0.5, 1.5, 1.5, 1.5, 1.5, 1.5, 0.5, 0.5, 9, 9, -1};
static const double at_y[] = {0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 1.5, 2.5, 1.5, 1.5, 0, 0, NAN};
enum { POINTS = sizeof weights / sizeof *weights };

/* A histogram of points [from, to). */
static uh_histogram *make_sums(uh_storage storage, uh_sum sum, const double *w, size_t from, size_t to) {
    uh_axis *const axes[] = {test_equal_axis(2, 0, 2), test_equal_axis(3, 0, 3)};
    const uh_array points[] = {uh_array_of(UH_F64, at_x + from, to - from),
                               uh_array_of(UH_F64, at_y + from, to - from)};
    uh_histogram *histogram = test_histogram_over(tested.queue, axes, 2, OPTIONS(.storage = storage, .sum = sum));
    test_good(uh_histogram_fill(histogram, points, ARRAY(UH_F64, w + from, to - from)));
    return histogram;
}

UNIT_TEST(sums_of_extreme_weights_stay_exact_across_files) {
    for (size_t s = 0; s < 3; s++)
        for (size_t cut = 0; cut <= POINTS; cut++) {
            const uh_storage storage = storages_of_sums[s];
            double sum[6];
            uh_histogram *one = make_sums(storage, UH_SUM_EXACT, weights, 0, POINTS);
            uh_histogram *a = test_saved_assert_back(make_sums(storage, UH_SUM_EXACT, weights, 0, cut));
            uh_histogram *b = test_saved_assert_back(make_sums(storage, UH_SUM_EXACT, weights, cut, POINTS));
            test_saved_assert_back(one);
            test_good(uh_histogram_merge(a, b));
            const struct saved whole = test_saved(one);
            test_saved_assert_holds(a, &whole);
            if (storage != UH_STORAGE_MEAN) {
                test_good(uh_histogram_sums(a, UH_F64, sum, NULL));
                assert_true(sum[0] == 0x1p-1074); /* what DBL_MAX - DBL_MAX leaves */
                assert_true(isnan(sum[1]) && sum[3] == 1e-30 && isnan(sum[4]) && isinf(sum[5]));
            }
            test_end_from(0);
        }
}

UNIT_TEST(fast_sums_come_back_and_do_not_merge_with_exact_ones) {
    static const double w[] = {0.1, 0.2, 0.3, 1e300, -5};
    for (size_t s = 0; s < 3; s++) {
        uh_histogram *loaded = test_saved_assert_back(make_sums(storages_of_sums[s], UH_SUM_FAST, w, 0, 5));
        uh_histogram *exact = make_sums(storages_of_sums[s], UH_SUM_EXACT, w, 0, 0);
        assert_int_equal(test_properties(loaded).sum, UH_SUM_FAST);
        assert_int_equal(uh_histogram_merge(exact, loaded), UH_ERROR_INCOMPATIBLE);
    }
}

UNIT_TEST(the_distribution_that_an_axis_carries_comes_back) {
    for (int kind = UH_DISTRIBUTION_EXPONENTIAL; kind <= UH_DISTRIBUTION_WEIBULL; kind++) {
        const uh_distribution *expected = NULL;
        uh_histogram *loaded = test_saved_assert_back(test_saved_carrying((uh_distribution_kind)kind, &expected));
        const uh_distribution *got = test_axis_properties(uh_histogram_axis(loaded, 0)).distribution;
        const struct saved saved = test_saved(loaded);
        const size_t size = expected->points * sizeof(double);
        assert_non_null(got);
        assert_int_equal(got->kind, expected->kind);
        assert_true(got->location == expected->location && got->scale == expected->scale);
        assert_int_equal(got->points, expected->points);
        if (size > 0) {
            const size_t table = test_saved_data(&saved, "meta.axis0.table");
            assert_memory_equal(got->x, expected->x, size);
            assert_memory_equal(got->f, expected->f, size);
            assert_memory_equal(saved.bytes + table, expected->x, size);
            assert_memory_equal(saved.bytes + table + size, expected->f, size);
        }
        assert_memory_equal(saved.bytes + test_saved_data(&saved, "meta.axis0.parameters"), &expected->location,
                            sizeof(double));
    }
}

UNIT_TEST(a_distribution_of_others_is_skipped) {
    uh_histogram *histogram = test_saved_carrying(UH_DISTRIBUTION_NORMAL, NULL);
    struct saved saved = test_saved(histogram);
    saved.bytes[test_saved_section(&saved, "meta.axis0.distribution") + 11] = 'D';
    test_saved_repair(&saved);
    uh_histogram *loaded = test_saved_load(&saved);
    test_saved_assert_same(loaded, test_line(tested.queue, test_equal_axis(11, -3, 8)));
    assert_null(test_axis_properties(uh_histogram_axis(loaded, 0)).distribution);
}

static const char grid_path[] = "grid.uh";

static void end_grid(void *grid) { uh_grid_destroy(grid); }

static void peak(size_t n, const double *const *x, double *const *value, const void *context) {
    for (size_t i = 0; i < n; i++)
        value[0][i] = exp(-x[0][i] * x[0][i] - 100 * (x[1][i] - 3) * (x[1][i] - 3));
}

/* One that has followed a peak, over a finite side and an infinite one. */
static uh_grid *make_grid(void) {
    static const double lower[] = {-HUGE_VAL, 0}, upper[] = {HUGE_VAL, 4};
    const uh_integrand integrand = {.struct_size = sizeof integrand, .dims = 2, .function = peak};
    uh_integrate_options options = {.struct_size = sizeof options, .max_calls = 20000, .seed = 3};
    uh_integral integral = {.struct_size = sizeof integral};
    uh_grid *grid = NULL;
    test_good(uh_grid_create(2, 37, lower, upper, NULL, &grid));
    options.grid = test_at_end_first(grid, end_grid);
    test_good(uh_integrate(tested.queue, &integrand, &options, &integral));
    return grid;
}

static struct saved read_saved(void) {
    struct saved saved;
    saved.bytes = files_read(grid_path, &saved.size);
    return saved;
}

static void assert_refused(const struct saved *saved, const char *text) {
    uh_grid *grid = NULL;
    files_write(grid_path, saved->bytes, saved->size);
    test_invalid(uh_grid_load(grid_path, &grid), "uh_grid_load: 'grid.uh': ", text);
    assert_null(grid);
}

UNIT_TEST(a_grid_comes_back_to_the_bit_and_integrates_the_same) {
    uh_integral integral = {.struct_size = sizeof integral}, again = integral;
    uh_grid *grid = make_grid(), *loaded = NULL;
    uh_grid_properties a = {.struct_size = sizeof a}, b = a;
    test_good(uh_grid_save(grid, grid_path));
    assert_int_equal(files_in(files_directory, NULL, 0), 1);
    test_good(uh_grid_load(grid_path, &loaded));
    (void)test_at_end_first(loaded, end_grid);
    test_good(uh_grid_get_properties(grid, &a));
    test_good(uh_grid_get_properties(loaded, &b));
    assert_int_equal(b.dims, 2);
    assert_int_equal(b.bins, 37);
    assert_memory_equal(a.lower, b.lower, 2 * sizeof *a.lower);
    assert_memory_equal(a.upper, b.upper, 2 * sizeof *a.upper);
    assert_memory_equal(a.edges, b.edges, (size_t)2 * 38 * sizeof *a.edges);

    const uh_integrand integrand = {.struct_size = sizeof integrand, .dims = 2, .function = peak};
    uh_integrate_options options = {.struct_size = sizeof options, .max_calls = 5000, .seed = 9, .grid = grid};
    test_good(uh_integrate(tested.queue, &integrand, &options, &integral));
    options.grid = loaded;
    test_good(uh_integrate(tested.queue, &integrand, &options, &again));
    assert_true(again.value == integral.value && again.error == integral.error);
    unlink(grid_path);
}

UNIT_TEST(numbers_that_make_no_grid_are_refused) {
    static const double nan = NAN, less = -5;
    test_good(uh_grid_save(make_grid(), grid_path));
    const struct saved good = read_saved();
    const struct {
        const char *section;
        size_t number;
        const double *value;
        const char *text;
    } cases[] = {{"lower", 1, &nan, "lower"}, {"upper", 1, &less, "lower"}, {"edges", 50, &less, "edges"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct saved bad = test_saved_copy(&good);
        memcpy(bad.bytes + test_saved_data(&bad, cases[i].section) + 8 * cases[i].number, cases[i].value, 8);
        test_saved_repair(&bad);
        assert_refused(&bad, cases[i].text);
    }
    struct saved bad = test_saved_copy(&good);
    const size_t edges = test_saved_section(&bad, "edges") + 48;
    memcpy(bad.bytes + edges, &(uint64_t){38}, 8); /* 38 axes of 2 edges */
    memcpy(bad.bytes + edges + 8, &(uint64_t){2}, 8);
    test_saved_repair(&bad);
    assert_refused(&bad, "section 'edges' has 38 x 2 numbers");
    memcpy(bad.bytes + edges, &(uint64_t){1}, 8);
    memcpy(bad.bytes + edges + 8, &(uint64_t){76}, 8);
    test_saved_repair(&bad);
    assert_refused(&bad, "sections 'lower' and 'upper' have 2 and 2 numbers, expected 1");
    unlink(grid_path);
}

UNIT_TEST(files_of_others_and_wrong_arguments_of_grids_are_named) {
    uh_grid *grid = make_grid(), *none = NULL;
    uh_histogram *loaded = NULL;
    const struct saved other = test_saved(test_saved_sample(TEST_SAVED_LINE));
    assert_refused(&other, "histogram");
    test_good(uh_grid_save(grid, grid_path));
    test_invalid(uh_histogram_load(tested.queue, grid_path, &loaded), "uh_histogram_load: 'grid.uh': ", "grid");
    unlink(grid_path);
    test_assert_failed(uh_grid_load(grid_path, &none), UH_ERROR_IO, "uh_grid_load: cannot read 'grid.uh'");
    test_assert_failed(uh_grid_save(grid, "nowhere/grid.uh"), UH_ERROR_IO,
                       "uh_grid_save: cannot write 'nowhere/grid.uh'");
    test_null_is_refused(uh_grid_save(NAMED(grid, grid), NAMED(path, grid_path)));
    test_null_is_refused(uh_grid_load(NAMED(path, grid_path), NAMED(grid, &none)));
}

TEST_MAIN(test_save) {
    if (files_setup(NULL) || chdir(files_directory) != 0)
        return 1;
    const int failed = tested_run();
    return chdir("/") != 0 || rmdir(files_directory) != 0 ? 1 : failed;
}
