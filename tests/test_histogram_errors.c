/* SPDX-License-Identifier: Apache-2.0 */
/* What histograms refuse, and that a call writes what it says and nothing else. */
#include "tests/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <unihist/histogram.h>

static uh_queue *queue;
static uh_axis *axis;

enum { BINS = 7, GUARDS = 4 };
static const double edges[] = {0, 21, 25, 28, 44, 47, 57, 70};
static const double values[] = {-1, 0, 30, 70, 71, NAN};
enum { VALUES = 6 };

static int make_axis(void **state) {
    uh_device *host;
    (void)state;
    return uh_device_select("host", &host) || uh_queue_create(host, NULL, &queue) ||
                   uh_axis_create_edges(UH_F64, edges, BINS + 1, UH_CLOSED_LEFT, &axis)
               ? -1
               : 0;
}

static int destroy_axis(void **state) {
    (void)state;
    uh_axis_destroy(axis);
    return uh_queue_destroy(queue) == UH_SUCCESS ? 0 : -1;
}

static uh_histogram *make(void) {
    uh_histogram *histogram = NULL;
    assert_int_equal(uh_histogram_create(queue, axis, NULL, &histogram), UH_SUCCESS);
    assert_int_equal(uh_histogram_fill(histogram, UH_F64, values, VALUES), UH_SUCCESS);
    return histogram;
}

static void assert_refused(uh_status status, const char *call, const char *argument, const char *value) {
    assert_int_equal(status, UH_ERROR_INVALID_ARGUMENT);
    if (!strstr(uh_last_error(), call) || !strstr(uh_last_error(), argument) || !strstr(uh_last_error(), value))
        fail_msg("'%s' does not name %s, %s and %s", uh_last_error(), call, argument, value);
}

/* ---- creation ---- */

static void bad_options_are_refused(void **state) {
    uh_histogram *histogram = NULL;
    uh_histogram_options options = {.struct_size = sizeof options};
    const char *call = "uh_histogram_create";
    (void)state;
    assert_refused(uh_histogram_create(NULL, axis, NULL, &histogram), call, "queue", "NULL");
    assert_refused(uh_histogram_create(queue, NULL, NULL, &histogram), call, "axis", "NULL");
    assert_refused(uh_histogram_create(queue, axis, NULL, NULL), call, "histogram", "NULL");
    options.struct_size = 0;
    assert_refused(uh_histogram_create(queue, axis, &options, &histogram), call, "struct_size", "0");
    options.struct_size = sizeof options + 8;
    assert_refused(uh_histogram_create(queue, axis, &options, &histogram), call, "struct_size", "32");
    options.struct_size = sizeof options;
    options.method = (uh_method)9;
    assert_refused(uh_histogram_create(queue, axis, &options, &histogram), call, "method", "9");
    options.method = UH_METHOD_CDF;
    assert_refused(uh_histogram_create(queue, axis, &options, &histogram), call, "distribution", "none");
    options.method = (uh_method)-1;
    assert_refused(uh_histogram_create(queue, axis, &options, &histogram), call, "method", "-1");
    options.method = UH_METHOD_MESH;
    options.leaf_bins = 65;
    assert_refused(uh_histogram_create(queue, axis, &options, &histogram), call, "leaf_bins", "65");
    assert_null(histogram);
    options.leaf_bins = 64;
    assert_int_equal(uh_histogram_create(queue, axis, &options, &histogram), UH_SUCCESS);
    uh_histogram_destroy(histogram);
}

static void methods_have_names_both_ways(void **state) {
    static const char *const names[] = {"auto",      "mesh",    "binary", "uniform", "logarithm",
                                        "piecewise", "compare", "packed", "cdf"};
    uh_method method;
    (void)state;
    for (int i = 0; i < 9; i++) {
        assert_string_equal(uh_method_name((uh_method)i), names[i]);
        assert_int_equal(uh_method_from_name(names[i], &method), UH_SUCCESS);
        assert_int_equal(method, i);
    }
    assert_null(uh_method_name((uh_method)9));
    assert_null(uh_method_name((uh_method)-1));
    assert_int_equal(uh_method_from_name("Mesh", &method), UH_ERROR_NOT_FOUND);
    for (int i = 0; i < 9; i++)
        assert_non_null(strstr(uh_last_error(), names[i]));
    assert_non_null(strstr(uh_last_error(), "Mesh"));
    assert_int_equal(uh_method_from_name("", &method), UH_ERROR_NOT_FOUND);
    assert_int_equal(method, UH_METHOD_CDF);
    assert_refused(uh_method_from_name(NULL, &method), "uh_method_from_name", "name", "NULL");
    assert_refused(uh_method_from_name("mesh", NULL), "uh_method_from_name", "method", "NULL");
}

/* ---- counting ---- */

static void bad_values_are_refused_and_nothing_is_counted(void **state) {
    uh_histogram *histogram = make();
    uint64_t before[BINS], after[BINS], total;
    (void)state;
    assert_int_equal(uh_histogram_counts(histogram, before), UH_SUCCESS);
    assert_refused(uh_histogram_fill(NULL, UH_F64, values, 1), "uh_histogram_fill", "histogram", "NULL");
    assert_refused(uh_histogram_fill(histogram, (uh_dtype)10, values, 1), "uh_histogram_fill", "dtype", "10");
    assert_refused(uh_histogram_fill(histogram, UH_F64, NULL, 3), "uh_histogram_fill", "x", "3");
    assert_refused(uh_histogram_fill_strided(NULL, UH_F64, values, 1, 8), "uh_histogram_fill_strided", "histogram",
                   "NULL");
    assert_refused(uh_histogram_fill_strided(histogram, (uh_dtype)-1, values, 1, 8), "uh_histogram_fill_strided",
                   "dtype", "-1");
    assert_refused(uh_histogram_fill_strided(histogram, UH_F64, NULL, 1, 0), "uh_histogram_fill_strided", "x", "NULL");
    assert_refused(uh_histogram_prepare(NULL, UH_F64), "uh_histogram_prepare", "histogram", "NULL");
    assert_refused(uh_histogram_prepare(histogram, (uh_dtype)99), "uh_histogram_prepare", "dtype", "99");
    assert_refused(uh_histogram_reset(NULL), "uh_histogram_reset", "histogram", "NULL");
    assert_refused(uh_histogram_merge(NULL, histogram), "uh_histogram_merge", "target", "NULL");
    assert_refused(uh_histogram_merge(histogram, NULL), "uh_histogram_merge", "source", "NULL");
    assert_int_equal(uh_histogram_counts(histogram, after), UH_SUCCESS);
    assert_memory_equal(before, after, sizeof before);
    assert_int_equal(uh_histogram_total(histogram, &total), UH_SUCCESS);
    assert_int_equal(total, VALUES);
    uh_histogram_destroy(histogram);
}

static void prepared_tables_change_no_count(void **state) {
    uint64_t total;
    uh_histogram *histogram = make();
    (void)state;
    for (int dtype = 0; dtype < UH_DTYPE_COUNT; dtype++)
        assert_int_equal(uh_histogram_prepare(histogram, (uh_dtype)dtype), UH_SUCCESS);
    assert_int_equal(uh_histogram_total(histogram, &total), UH_SUCCESS);
    assert_int_equal(total, VALUES);
    uh_histogram_destroy(histogram);
}

static void bad_arguments_of_digitize_are_refused(void **state) {
    uh_histogram *histogram = make();
    int64_t index[] = {7};
    const char *call = "uh_histogram_digitize";
    (void)state;
    assert_refused(uh_histogram_digitize(NULL, UH_F64, values, 1, 8, index), call, "histogram", "NULL");
    assert_refused(uh_histogram_digitize(histogram, (uh_dtype)11, values, 1, 8, index), call, "dtype", "11");
    assert_refused(uh_histogram_digitize(histogram, UH_F64, NULL, 1, 8, index), call, "x", "NULL");
    assert_refused(uh_histogram_digitize(histogram, UH_F64, values, 1, 8, NULL), call, "index", "NULL");
    assert_int_equal(index[0], 7);
    uh_histogram_destroy(histogram);
}

/* ---- reading ---- */

static void bad_arguments_of_readers_are_refused(void **state) {
    uh_histogram *histogram = make();
    uint64_t counts[BINS];
    double density[BINS];
    uh_flow flow;
    (void)state;
    assert_refused(uh_histogram_counts(NULL, counts), "uh_histogram_counts", "histogram", "NULL");
    assert_refused(uh_histogram_counts(histogram, NULL), "uh_histogram_counts", "counts", "NULL");
    assert_refused(uh_histogram_flow(NULL, &flow), "uh_histogram_flow", "histogram", "NULL");
    assert_refused(uh_histogram_flow(histogram, NULL), "uh_histogram_flow", "flow", "NULL");
    assert_refused(uh_histogram_total(NULL, counts), "uh_histogram_total", "histogram", "NULL");
    assert_refused(uh_histogram_total(histogram, NULL), "uh_histogram_total", "total", "NULL");
    assert_refused(uh_histogram_density(NULL, density), "uh_histogram_density", "histogram", "NULL");
    assert_refused(uh_histogram_density(histogram, NULL), "uh_histogram_density", "density", "NULL");
    assert_refused(uh_histogram_cumulative(NULL, counts), "uh_histogram_cumulative", "histogram", "NULL");
    assert_refused(uh_histogram_cumulative(histogram, NULL), "uh_histogram_cumulative", "cumulative", "NULL");
    uh_histogram_destroy(histogram);
}

static void readers_write_k_numbers_and_no_more(void **state) {
    union {
        uint64_t counts[BINS + 2 * GUARDS];
        double density[BINS + 2 * GUARDS];
    } out;
    uint64_t guard[GUARDS];
    uh_histogram *histogram = make();
    (void)state;
    memset(guard, 0x5a, sizeof guard);
    for (int reader = 0; reader < 3; reader++) {
        memset(&out, 0x5a, sizeof out);
        assert_int_equal(reader == 0   ? uh_histogram_counts(histogram, out.counts + GUARDS)
                         : reader == 1 ? uh_histogram_cumulative(histogram, out.counts + GUARDS)
                                       : uh_histogram_density(histogram, out.density + GUARDS),
                         UH_SUCCESS);
        assert_memory_equal(out.counts, guard, sizeof guard);
        assert_memory_equal(out.counts + GUARDS + BINS, guard, sizeof guard);
        for (size_t j = 0; j < BINS; j++)
            assert_memory_not_equal(out.counts + GUARDS + j, guard, sizeof *guard);
    }
    uh_histogram_destroy(histogram);
}

static void one_call_functions_write_what_they_say_and_no_more(void **state) {
    uint64_t counts[BINS + 2 * GUARDS], guard[GUARDS];
    double out_edges[BINS + 1 + 2 * GUARDS];
    int64_t index[VALUES + 2 * GUARDS];
    static const double range[] = {0, 70};
    (void)state;
    memset(guard, 0x5a, sizeof guard);
    memset(counts, 0x5a, sizeof counts);
    memset(out_edges, 0x5a, sizeof out_edges);
    memset(index, 0x5a, sizeof index);
    assert_int_equal(
        uh_histogram_of(queue, UH_F64, values, VALUES, BINS, range, counts + GUARDS, out_edges + GUARDS, NULL),
        UH_SUCCESS);
    assert_int_equal(uh_digitize(queue, UH_F64, values, VALUES, UH_F64, edges, BINS + 1, 0, index + GUARDS),
                     UH_SUCCESS);
    assert_memory_equal(counts, guard, sizeof guard);
    assert_memory_equal(counts + GUARDS + BINS, guard, sizeof guard);
    assert_memory_equal(out_edges, guard, sizeof guard);
    assert_memory_equal(out_edges + GUARDS + BINS + 1, guard, sizeof guard);
    assert_memory_equal(index, guard, sizeof guard);
    assert_memory_equal(index + GUARDS + VALUES, guard, sizeof guard);
    memset(counts, 0x5a, sizeof counts);
    assert_int_equal(
        uh_histogram_of_edges(queue, UH_F64, values, VALUES, UH_F64, edges, BINS + 1, counts + GUARDS, NULL),
        UH_SUCCESS);
    assert_memory_equal(counts, guard, sizeof guard);
    assert_memory_equal(counts + GUARDS + BINS, guard, sizeof guard);
}

/* ---- the plan's line ---- */

static void the_plan_is_one_line_that_names_map_cells_levels_bytes_and_comparisons(void **state) {
    (void)state;
    static const uh_distribution normal = {sizeof normal, UH_DISTRIBUTION_NORMAL, 3, 2, NULL, NULL, 0};
    uh_axis *with = NULL;
    assert_int_equal(uh_axis_create_with_distribution(axis, &normal, &with), UH_SUCCESS);
    for (int method = 0; method <= UH_METHOD_CDF; method++)
        for (int dtype = 0; dtype < UH_DTYPE_COUNT; dtype++) {
            const uh_histogram_options options = {.struct_size = sizeof options, .method = (uh_method)method};
            uh_histogram *histogram = NULL;
            char text[1000];
            size_t length = 0;
            static const char *const words[] = {"map", "cell", "level", "bytes", "look-up", "comparison"};
            assert_int_equal(uh_histogram_create(queue, with, &options, &histogram), UH_SUCCESS);
            assert_int_equal(uh_histogram_plan_text(histogram, (uh_dtype)dtype, text, sizeof text, &length),
                             UH_SUCCESS);
            assert_int_equal(strstr(text, "cdf: normal, map ") == text, method == UH_METHOD_CDF);
            assert_int_equal(length, strlen(text));
            assert_null(strchr(text, '\n'));
            assert_ptr_equal(strstr(text, uh_method_name((uh_method)method)), text);
            for (size_t i = 0; i < sizeof words / sizeof *words; i++)
                if (!strstr(text, words[i]))
                    fail_msg("'%s' does not say %s", text, words[i]);
            uh_histogram_destroy(histogram);
        }
    uh_axis_destroy(with);
}

static void the_plans_line_is_cut_as_by_snprintf(void **state) {
    char whole[1000], part[1000];
    size_t length, again;
    uh_histogram *histogram = make();
    const char *call = "uh_histogram_plan_text";
    (void)state;
    assert_int_equal(uh_histogram_plan_text(histogram, UH_F32, whole, sizeof whole, &length), UH_SUCCESS);
    for (size_t size = 0; size <= length + 2; size++) {
        memset(part, 'x', sizeof part);
        again = 0;
        assert_int_equal(uh_histogram_plan_text(histogram, UH_F32, size ? part : NULL, size, &again), UH_SUCCESS);
        assert_int_equal(again, length);
        size_t kept = size == 0 ? 0 : size - 1 < length ? size - 1 : length;
        assert_memory_equal(part, whole, kept);
        if (size)
            assert_int_equal(part[kept], 0);
        assert_int_equal(part[size ? kept + 1 : 0], 'x');
    }
    assert_int_equal(uh_histogram_plan_text(histogram, UH_F32, part, sizeof part, NULL), UH_SUCCESS);
    assert_string_equal(part, whole);
    assert_refused(uh_histogram_plan_text(NULL, UH_F32, part, 10, NULL), call, "histogram", "NULL");
    assert_refused(uh_histogram_plan_text(histogram, (uh_dtype)10, part, 10, NULL), call, "dtype", "10");
    assert_refused(uh_histogram_plan_text(histogram, UH_F32, NULL, 10, NULL), call, "text", "NULL");
    uh_histogram_destroy(histogram);
}

TEST_MAIN(test_histogram_errors) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_options_are_refused),
        cmocka_unit_test(methods_have_names_both_ways),
        cmocka_unit_test(bad_values_are_refused_and_nothing_is_counted),
        cmocka_unit_test(prepared_tables_change_no_count),
        cmocka_unit_test(bad_arguments_of_digitize_are_refused),
        cmocka_unit_test(bad_arguments_of_readers_are_refused),
        cmocka_unit_test(readers_write_k_numbers_and_no_more),
        cmocka_unit_test(one_call_functions_write_what_they_say_and_no_more),
        cmocka_unit_test(the_plan_is_one_line_that_names_map_cells_levels_bytes_and_comparisons),
        cmocka_unit_test(the_plans_line_is_cut_as_by_snprintf),
    };
    return cmocka_run_group_tests(tests, make_axis, destroy_axis);
}
