/* SPDX-License-Identifier: Apache-2.0 */
/* Saved histograms over several axes, of every storage: what goes through the format and back, sums across files, and
 * what is refused. */
#include "tests/support.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <unihist/save.h>

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

static uh_histogramdd *make(const struct dd_case *tried) {
    const uh_histogramdd_options options = {
        .struct_size = sizeof options, .storage = tried->storage, .methods = tried->methods};
    uh_histogramdd *histogram = NULL;
    assert_int_equal(
        uh_histogramdd_create(queue, (const uh_axis *const *)tried->axes, tried->naxes, &options, &histogram),
        UH_SUCCESS);
    return histogram;
}

/* Fills points [from, to). */
static void fill(uh_histogramdd *histogram, const struct dd_case *tried, size_t from, size_t to) {
    uh_array coordinates[UH_MAX_AXES], values = tried->values;
    for (size_t a = 0; a < tried->naxes; a++) {
        coordinates[a] = tried->coordinates[a];
        coordinates[a].data = (const char *)coordinates[a].data + (ptrdiff_t)from * coordinates[a].stride;
    }
    if (tried->has_values)
        values.data = (const char *)values.data + (ptrdiff_t)from * values.stride;
    assert_int_equal(uh_histogramdd_fill(histogram, coordinates, to - from, tried->has_values ? &values : NULL),
                     UH_SUCCESS);
}

static uh_histogramdd *load(const struct saved *saved) {
    uh_histogramdd *histogram = NULL;
    if (uh_histogramdd_load_bytes(queue, saved->bytes, saved->size, &histogram))
        fail_msg("%s", uh_last_error());
    return histogram;
}

static void assert_same_bytes(const struct saved *a, const struct saved *b) {
    assert_int_equal(a->size, b->size);
    assert_memory_equal(a->bytes, b->bytes, a->size);
}

/* A histogram comes back from its bytes: axes, counters, cells, and the bytes again. */
static void assert_comes_back(uh_histogramdd *histogram) {
    struct saved saved = test_saved_dd(histogram);
    uh_histogramdd *loaded = load(&saved);
    assert_int_equal(uh_histogramdd_naxes(loaded), uh_histogramdd_naxes(histogram));
    assert_int_equal(uh_histogramdd_storage(loaded), uh_histogramdd_storage(histogram));
    assert_int_equal(uh_histogramdd_sum_mode(loaded), uh_histogramdd_sum_mode(histogram));
    for (size_t a = 0; a < uh_histogramdd_naxes(histogram); a++) {
        uh_flow flows[2];
        assert_true(uh_axis_equal(uh_histogramdd_axis(loaded, a), uh_histogramdd_axis(histogram, a)));
        assert_int_equal(uh_histogramdd_flow(loaded, a, &flows[0]), UH_SUCCESS);
        assert_int_equal(uh_histogramdd_flow(histogram, a, &flows[1]), UH_SUCCESS);
        assert_memory_equal(&flows[0], &flows[1], sizeof *flows);
    }
    uint64_t totals[4];
    assert_int_equal(uh_histogramdd_total(loaded, &totals[0], &totals[1]), UH_SUCCESS);
    assert_int_equal(uh_histogramdd_total(histogram, &totals[2], &totals[3]), UH_SUCCESS);
    assert_memory_equal(totals, totals + 2, 2 * sizeof *totals);
    dd_assert_same_cells(loaded, histogram);
    struct saved again = test_saved_dd(loaded);
    assert_same_bytes(&saved, &again);
    free(again.bytes);
    free(saved.bytes);
    uh_histogramdd_destroy(loaded);
}

/* ---- there and back ---- */

static void every_storage_comes_back_as_the_oracle_has_it(void **state) {
    unsigned storages = 0;
    (void)state;
    for (uint64_t number = 0; number < CASES; number++) {
        struct dd_case tried;
        struct dd_expected expected;
        dd_case_make(number, MOST_POINTS, &tried);
        dd_expect(&tried, &expected);
        uh_histogramdd *histogram = make(&tried);
        fill(histogram, &tried, 0, tried.n);
        assert_comes_back(histogram);
        struct saved saved = test_saved_dd(histogram);
        uh_histogramdd *loaded = load(&saved);
        dd_assert_holds(loaded, &expected);
        storages |= 1u << tried.storage;
        free(saved.bytes);
        uh_histogramdd_destroy(loaded);
        uh_histogramdd_destroy(histogram);
        dd_expected_free(&expected);
        dd_case_free(&tried);
    }
    assert_int_equal(storages, (1u << STORAGES) - 1);
}

static void parts_of_several_files_merged_are_the_bytes_of_one_run(void **state) {
    enum { PARTS = 3 };
    char path[] = "/tmp/unihist-test-save-dd.uh";
    (void)state;
    for (uint64_t number = 0; number < CASES; number++) {
        struct dd_case tried;
        dd_case_make(number, MOST_POINTS, &tried);
        uh_histogramdd *one = make(&tried), *sum = NULL;
        fill(one, &tried, 0, tried.n);
        for (size_t p = 0; p < PARTS; p++) {
            uh_histogramdd *part = make(&tried), *loaded = NULL;
            fill(part, &tried, p * tried.n / PARTS, (p + 1) * tried.n / PARTS);
            assert_int_equal(uh_histogramdd_save(part, path), UH_SUCCESS);
            assert_int_equal(uh_histogramdd_load(queue, path, &loaded), UH_SUCCESS);
            if (sum)
                assert_int_equal(uh_histogramdd_merge(loaded, sum), UH_SUCCESS);
            uh_histogramdd_destroy(sum);
            sum = loaded;
            uh_histogramdd_destroy(part);
        }
        struct saved expected = test_saved_dd(one), got = test_saved_dd(sum);
        assert_same_bytes(&expected, &got);
        free(expected.bytes);
        free(got.bytes);
        uh_histogramdd_destroy(sum);
        uh_histogramdd_destroy(one);
        dd_case_free(&tried);
    }
    unlink(path);
}

static void what_is_made_of_a_histogram_comes_back_too(void **state) {
    (void)state;
    for (uint64_t number = 0; number < CASES; number++) {
        struct dd_case tried;
        uh_histogramdd *made = NULL;
        dd_case_make(number, MOST_POINTS, &tried);
        uh_histogramdd *histogram = make(&tried);
        fill(histogram, &tried, 0, tried.n);
        const size_t last = tried.naxes - 1, bins = uh_axis_bins(tried.axes[last]);
        assert_int_equal(uh_histogramdd_project(histogram, &last, 1, &made), UH_SUCCESS);
        assert_comes_back(made);
        uh_histogramdd_destroy(made);
        assert_int_equal(uh_histogramdd_crop(histogram, last, bins / 3, bins / 3 + 1, &made), UH_SUCCESS);
        assert_comes_back(made);
        uh_histogramdd_destroy(made);
        assert_int_equal(uh_histogramdd_rebin(histogram, last, bins, &made), UH_SUCCESS);
        assert_comes_back(made);
        uh_histogramdd_destroy(made);
        if (tried.naxes > 1) {
            assert_int_equal(uh_histogramdd_slice(histogram, 0, 0, &made), UH_SUCCESS);
            assert_comes_back(made);
            uh_histogramdd_destroy(made);
        }
        uh_histogramdd_destroy(histogram);
        dd_case_free(&tried);
    }
}

/* ---- sums ---- */

static uh_histogramdd *make_plain(uh_storage storage, uh_sum sum) {
    const uh_histogramdd_options options = {.struct_size = sizeof options, .storage = storage, .sum = sum};
    uh_axis *axes[2] = {NULL, NULL};
    uh_histogramdd *histogram = NULL;
    assert_int_equal(uh_axis_create_equal(2, 0, 2, UH_CLOSED_LEFT, &axes[0]), UH_SUCCESS);
    assert_int_equal(uh_axis_create_equal(3, 0, 3, UH_CLOSED_LEFT, &axes[1]), UH_SUCCESS);
    assert_int_equal(uh_histogramdd_create(queue, (const uh_axis *const *)axes, 2, &options, &histogram), UH_SUCCESS);
    uh_axis_destroy(axes[0]);
    uh_axis_destroy(axes[1]);
    return histogram;
}

static void fill_plain(uh_histogramdd *histogram, const double *x, const double *y, const double *w, size_t n) {
    const uh_array coordinates[2] = {uh_array_dense(UH_F64, x), uh_array_dense(UH_F64, y)};
    const uh_array weights = uh_array_dense(UH_F64, w);
    assert_int_equal(uh_histogramdd_fill(histogram, coordinates, n, w ? &weights : NULL), UH_SUCCESS);
}

/* Numbers from the smallest to the largest, of which only exact sums keep the small ones. */
static const double weights[] = {DBL_MAX,  0x1p-1074, -DBL_MAX, 1,         1e-30,    -1, NAN,
                                 INFINITY, -INFINITY, INFINITY, 0x1p-1074, -DBL_MAX, 3};
static const double at_x[] = {0.5, 0.5, 0.5, 1.5, 1.5, 1.5, 1.5, 1.5, 0.5, 0.5, 9, 9, -1};
static const double at_y[] = {0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 1.5, 2.5, 1.5, 1.5, 0, 0, NAN};
enum { POINTS = sizeof weights / sizeof *weights };

static void sums_of_extreme_weights_stay_exact_across_files(void **state) {
    static const uh_storage storages[] = {UH_STORAGE_SUM, UH_STORAGE_WEIGHTED, UH_STORAGE_MEAN};
    (void)state;
    for (size_t s = 0; s < 3; s++)
        for (size_t cut = 0; cut <= POINTS; cut++) {
            double sum[6];
            uh_histogramdd *one = make_plain(storages[s], UH_SUM_EXACT), *first = make_plain(storages[s], UH_SUM_EXACT),
                           *second = make_plain(storages[s], UH_SUM_EXACT);
            fill_plain(one, at_x, at_y, weights, POINTS);
            fill_plain(first, at_x, at_y, weights, cut);
            fill_plain(second, at_x + cut, at_y + cut, weights + cut, POINTS - cut);
            assert_comes_back(one);
            struct saved parts[2] = {test_saved_dd(first), test_saved_dd(second)}, whole = test_saved_dd(one);
            uh_histogramdd *a = load(&parts[0]), *b = load(&parts[1]);
            assert_int_equal(uh_histogramdd_merge(a, b), UH_SUCCESS);
            struct saved merged = test_saved_dd(a);
            assert_same_bytes(&merged, &whole);
            if (storages[s] != UH_STORAGE_MEAN) {
                assert_int_equal(uh_histogramdd_sums(a, sum, NULL), UH_SUCCESS);
                assert_true(sum[0] == 0x1p-1074); /* what DBL_MAX - DBL_MAX leaves */
                assert_true(isnan(sum[1]) && sum[3] == 1e-30 && isnan(sum[4]) && isinf(sum[5]));
            }
            uh_histogramdd *const all[] = {one, first, second, a, b};
            struct saved *const bytes[] = {&parts[0], &parts[1], &whole, &merged};
            for (size_t i = 0; i < 5; i++)
                uh_histogramdd_destroy(all[i]);
            for (size_t i = 0; i < 4; i++)
                free(bytes[i]->bytes);
        }
}

static void fast_sums_come_back_and_do_not_merge_with_exact_ones(void **state) {
    static const uh_storage storages[] = {UH_STORAGE_SUM, UH_STORAGE_WEIGHTED, UH_STORAGE_MEAN};
    static const double w[] = {0.1, 0.2, 0.3, 1e300, -5};
    (void)state;
    for (size_t s = 0; s < 3; s++) {
        uh_histogramdd *fast = make_plain(storages[s], UH_SUM_FAST), *exact = make_plain(storages[s], UH_SUM_EXACT);
        fill_plain(fast, at_x, at_y, w, 5);
        assert_comes_back(fast);
        struct saved saved = test_saved_dd(fast);
        uh_histogramdd *loaded = load(&saved);
        assert_int_equal(uh_histogramdd_merge(exact, loaded), UH_ERROR_INCOMPATIBLE);
        uh_histogramdd_destroy(loaded);
        uh_histogramdd_destroy(exact);
        uh_histogramdd_destroy(fast);
        free(saved.bytes);
    }
}

/* ---- looking ---- */

static void a_look_tells_shape_and_storage(void **state) {
    uh_saved_info info = {.struct_size = sizeof info};
    uh_histogramdd *histogram = make_plain(UH_STORAGE_WEIGHTED, UH_SUM_FAST);
    struct saved saved = test_saved_dd(histogram);
    (void)state;
    assert_int_equal(uh_saved_peek_bytes(saved.bytes, saved.size, &info), UH_SUCCESS);
    assert_int_equal(info.kind, UH_SAVED_HISTOGRAMDD);
    assert_int_equal(info.naxes, 2);
    assert_int_equal(info.bins[0], 2);
    assert_int_equal(info.bins[1], 3);
    assert_int_equal(info.bins[2], 0);
    assert_int_equal(info.storage, UH_STORAGE_WEIGHTED);
    assert_int_equal(info.sum, UH_SUM_FAST);
    free(saved.bytes);
    uh_histogramdd_destroy(histogram);
}

/* ---- what is refused ---- */

static void assert_refused(const struct saved *saved, uh_status expected, const char *text) {
    uh_histogramdd *histogram = NULL;
    test_assert_failed(uh_histogramdd_load_bytes(queue, saved->bytes, saved->size, &histogram), expected,
                       "uh_histogramdd_load_bytes: bytes: ", text);
    assert_null(histogram);
}

static struct saved plain(uh_storage storage, const double *w) {
    uh_histogramdd *histogram = make_plain(storage, UH_SUM_EXACT);
    fill_plain(histogram, at_x, at_y, w, POINTS);
    struct saved saved = test_saved_dd(histogram);
    uh_histogramdd_destroy(histogram);
    return saved;
}

static void every_changed_byte_and_truncation_is_noticed_in_every_storage(void **state) {
    (void)state;
    for (int storage = 0; storage < STORAGES; storage++) {
        const int takes = storage == UH_STORAGE_SUM || storage == UH_STORAGE_WEIGHTED || storage == UH_STORAGE_MEAN;
        struct saved saved = plain((uh_storage)storage, takes ? weights : NULL);
        uh_histogramdd *loaded = NULL;
        for (size_t i = 0; i < saved.size; i++) {
            saved.bytes[i] ^= (unsigned char)(1 << i % 8);
            assert_int_not_equal(uh_histogramdd_load_bytes(queue, saved.bytes, saved.size, &loaded), UH_SUCCESS);
            saved.bytes[i] ^= (unsigned char)(1 << i % 8);
            assert_int_equal(uh_histogramdd_load_bytes(queue, saved.bytes, i, &loaded), UH_ERROR_INVALID_ARGUMENT);
        }
        assert_null(loaded);
        free(saved.bytes);
    }
}

/* As in test_save.c: other bytes in a section, with a right checksum. */
static const struct hostile {
    uh_storage storage;
    const char *section;
    size_t offset;
    uint64_t value;
    size_t size;
    const char *text;
} hostile[] = {
    {UH_STORAGE_COUNT, "shape", 48, 1, 8, "which is not what its dimensions say"},
    {UH_STORAGE_COUNT, "shape", 56, 3, 8, "section 'shape' and the edges of axis 0 differ"},
    {UH_STORAGE_COUNT, "shape", 64, 2, 8, "section 'shape' and the edges of axis 1 differ"},
    {UH_STORAGE_COUNT, "storage", 56, 'C', 1, "expected count, sum, weighted, mean, u8 or u16"},
    {UH_STORAGE_COUNT, "sum", 56, 'E', 1, "expected exact or fast"},
    {UH_STORAGE_COUNT, "points", 56, UINT64_MAX, 8, "section 'points' says more than 2^64 - 1 points"},
    {UH_STORAGE_COUNT, "points", 56, 7, 8, "its counts do not add up to the number of points in section 'points'"},
    {UH_STORAGE_COUNT, "axis0.flow", 56, 14, 8, "section 'axis0.flow' has more points than section 'points'"},
    {UH_STORAGE_COUNT, "axis1.flow", 56, UINT64_MAX, 8, "section 'axis1.flow' has more points than section 'points'"},
    {UH_STORAGE_COUNT, "axis1.edges", 56, UINT64_C(0x7ff8000000000000), 8, "axis1.edges[0] is NaN"},
    {UH_STORAGE_COUNT, "axis1.edges", 4, '2', 1, "section 'axis1.edges' is missing"},
    {UH_STORAGE_COUNT, "counts", 56, UINT64_MAX, 8, "its counts do not add up"},
    {UH_STORAGE_MEAN, "counts", 56, 4, 8, "its counts do not add up"},
    {UH_STORAGE_MEAN, "counts", 24, 'x', 1, "unknown type"},
    {UH_STORAGE_U8, "counts", 25, 'i', 1, "section 'counts' is of type '|i1', expected '|u1'"},
    {UH_STORAGE_SUM, "sums.exponent", 56, 1, 1, "expected a multiple of 32 from -1088"},
    {UH_STORAGE_SUM, "sums.exponent", 56, UINT64_MAX - 32 * 35 + 1, 8, "expected a multiple of 32 from -1088"},
    {UH_STORAGE_SUM, "sums.exponent", 56, UINT64_C(1) << 40, 8, "expected a multiple of 32"},
    {UH_STORAGE_SUM, "sums.exponent", 56, 4096, 8, "contents are of"},
    {UH_STORAGE_SUM, "flags", 56, 8, 1, "the flags of cell 0 are 8, expected at most 7"},
    {UH_STORAGE_SUM, "flags", 0, 'g', 1, "section 'flags' is missing"},
    {UH_STORAGE_WEIGHTED, "squares.exponent", 56, 4096, 8, "contents are of"},
    {UH_STORAGE_WEIGHTED, "squares.digits", 25, 'f', 1, "section 'squares.digits' is of type '<f4', expected '<u4'"},
    {UH_STORAGE_WEIGHTED, "meta.writer", 0, 'n', 1, "section 'neta.writer' is unknown"},
};

static void hostile_fields_with_a_right_checksum_are_refused(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++) {
        const uh_storage storage = hostile[i].storage;
        struct saved bad = plain(storage, storage == UH_STORAGE_COUNT || storage >= UH_STORAGE_U8 ? NULL : weights);
        memcpy(bad.bytes + test_saved_section(&bad, hostile[i].section) + hostile[i].offset, &hostile[i].value,
               hostile[i].size);
        test_saved_repair(&bad);
        assert_refused(&bad, UH_ERROR_INVALID_ARGUMENT, hostile[i].text);
        free(bad.bytes);
    }
}

static void any_byte_may_be_anything_without_harm(void **state) {
    enum { TRIES = 2 };
    uint64_t random = 11;
    (void)state;
    for (int storage = 0; storage < STORAGES; storage++) {
        const int takes = storage == UH_STORAGE_SUM || storage == UH_STORAGE_WEIGHTED || storage == UH_STORAGE_MEAN;
        struct saved saved = plain((uh_storage)storage, takes ? at_x : NULL);
        size_t taken = 0;
        for (size_t i = 0; i < saved.size - 32; i++)
            for (size_t t = 0; t < TRIES; t++) {
                uh_histogramdd *loaded = NULL;
                const unsigned char before = saved.bytes[i];
                saved.bytes[i] = (unsigned char)test_random_u64(&random);
                test_saved_repair(&saved);
                if (uh_histogramdd_load_bytes(queue, saved.bytes, saved.size, &loaded) == UH_SUCCESS) {
                    const uh_status merged = uh_histogramdd_merge(loaded, loaded);
                    assert_true(merged == UH_SUCCESS || merged == UH_ERROR_OVERFLOW);
                    assert_comes_back(loaded);
                    taken++;
                }
                uh_histogramdd_destroy(loaded);
                saved.bytes[i] = before;
            }
        assert_true(taken > 20);
        free(saved.bytes);
    }
}

static void the_two_kinds_are_told_apart(void **state) {
    uh_histogramdd *histogram = make_plain(UH_STORAGE_COUNT, UH_SUM_EXACT), *loaded = NULL;
    uh_histogram *simple = NULL, *other = NULL;
    struct saved saved = test_saved_dd(histogram);
    (void)state;
    test_assert_failed(uh_histogram_load_bytes(queue, saved.bytes, saved.size, &other), UH_ERROR_INCOMPATIBLE,
                       "bytes: it is a saved uh_histogramdd, expected a uh_histogram");
    free(saved.bytes);
    assert_int_equal(uh_histogram_create(queue, uh_histogramdd_axis(histogram, 0), NULL, &simple), UH_SUCCESS);
    saved = test_saved(simple);
    test_assert_failed(uh_histogramdd_load_bytes(queue, saved.bytes, saved.size, &loaded), UH_ERROR_INCOMPATIBLE,
                       "bytes: it is a saved uh_histogram, expected a uh_histogramdd");
    assert_true(!loaded && !other);
    free(saved.bytes);
    uh_histogram_destroy(simple);
    uh_histogramdd_destroy(histogram);
}

static void wrong_arguments_are_named(void **state) {
    unsigned char byte = 0xa5;
    size_t length = 77;
    uh_histogramdd *histogram = make_plain(UH_STORAGE_COUNT, UH_SUM_EXACT), *loaded = NULL;
    (void)state;
    test_assert_failed(uh_histogramdd_save_bytes(NULL, NULL, 0, &length), UH_ERROR_INVALID_ARGUMENT,
                       "histogram is NULL");
    test_assert_failed(uh_histogramdd_save_bytes(histogram, NULL, 0, NULL), UH_ERROR_INVALID_ARGUMENT,
                       "length is NULL");
    test_assert_failed(uh_histogramdd_save_bytes(histogram, &byte, 1, &length), UH_ERROR_INVALID_ARGUMENT,
                       "size is 1, expected at least ");
    assert_true(byte == 0xa5 && length == 77);
    test_assert_failed(uh_histogramdd_save(histogram, NULL), UH_ERROR_INVALID_ARGUMENT, "path is NULL");
    test_assert_failed(uh_histogramdd_save(NULL, "x"), UH_ERROR_INVALID_ARGUMENT, "histogram is NULL");
    test_assert_failed(uh_histogramdd_save(histogram, "/none/x"), UH_ERROR_IO, "uh_histogramdd_save: cannot write");
    test_assert_failed(uh_histogramdd_load(queue, NULL, &loaded), UH_ERROR_INVALID_ARGUMENT, "path is NULL");
    test_assert_failed(uh_histogramdd_load(NULL, "x", &loaded), UH_ERROR_INVALID_ARGUMENT, "queue is NULL");
    test_assert_failed(uh_histogramdd_load(queue, "x", NULL), UH_ERROR_INVALID_ARGUMENT, "histogram is NULL");
    test_assert_failed(uh_histogramdd_load(queue, "/none/x", &loaded), UH_ERROR_IO, "uh_histogramdd_load: cannot read");
    test_assert_failed(uh_histogramdd_load_bytes(queue, NULL, 1, &loaded), UH_ERROR_INVALID_ARGUMENT, "bytes is NULL");
    assert_null(loaded);
    uh_histogramdd_destroy(histogram);
}

TEST_MAIN(test_save_dd) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_storage_comes_back_as_the_oracle_has_it),
        cmocka_unit_test(parts_of_several_files_merged_are_the_bytes_of_one_run),
        cmocka_unit_test(what_is_made_of_a_histogram_comes_back_too),
        cmocka_unit_test(sums_of_extreme_weights_stay_exact_across_files),
        cmocka_unit_test(fast_sums_come_back_and_do_not_merge_with_exact_ones),
        cmocka_unit_test(a_look_tells_shape_and_storage),
        cmocka_unit_test(every_changed_byte_and_truncation_is_noticed_in_every_storage),
        cmocka_unit_test(hostile_fields_with_a_right_checksum_are_refused),
        cmocka_unit_test(any_byte_may_be_anything_without_harm),
        cmocka_unit_test(the_two_kinds_are_told_apart),
        cmocka_unit_test(wrong_arguments_are_named),
    };
    return cmocka_run_group_tests(tests, make_queue, destroy_queue);
}
