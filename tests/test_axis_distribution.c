/* SPDX-License-Identifier: Apache-2.0 */
/* Axes of integers, and of bins that follow a distribution: their edges. What lies in them: test_random_axes.py. */
#include "kernels/plan/plan.h"
#include "tests/arrays.h"
#include "tests/oracle.h"

/* A quantile is off by no more than this part of itself, and of the location: a rounding of each step, and those of
 * libm's erf, exp and log, of which each is one unit in the last place or two. */
#define QUANTILE_TOLERANCE (6 * DBL_EPSILON)

/* F by its definition: erf and exp are off by a few units in the last place of a double, and log(x) - location by one
 * of the larger of both. */
#define CDF_TOLERANCE (8 * DBL_EPSILON)

static const uh_distribution normal = {sizeof normal, UH_DISTRIBUTION_NORMAL, 0, 1, NULL, NULL, 0};
static const uh_distribution exponential = {sizeof exponential, UH_DISTRIBUTION_EXPONENTIAL, 0, 1, NULL, NULL, 0};
static const uh_distribution lognormal = {sizeof lognormal, UH_DISTRIBUTION_LOGNORMAL, 0.5, 2, NULL, NULL, 0};

static const uh_distribution *const all[] = {&normal, &exponential, &lognormal};

UNIT_TEST(each_integer_has_its_bin) {
    static const struct {
        int64_t first, last;
    } cases[] = {{0, 0},
                 {-3, 4},
                 {1, 255},
                 {INT64_MIN, INT64_MIN + 5},
                 {-5, -1},
                 {9007199254740990, 9007199254740999},
                 {-1, 1},
                 {INT64_MAX - 4, INT64_MAX},
                 {INT64_MAX, INT64_MAX}};
    uh_queue *queue = test_queue(1, 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int64_t first = cases[i].first, last = cases[i].last;
        const size_t bins = (size_t)(last - first) + 1;
        uh_axis *axis = test_integer_axis(first, last);
        uh_histogram *histogram = test_line(queue, axis);
        assert_int_equal(test_axis_properties(axis).bins, bins);
        assert_int_equal(test_axis_properties(axis).closed, UH_HALF_OPEN_LEFT);
        for (size_t j = 0; j <= bins; j++)
            assert_true(test_axis_properties(axis).edges[j] == (double)((long double)first + (long double)j));
        for (size_t j = 0; j < bins; j++) {
            const int64_t x = first + (int64_t)j;
            const uint64_t above = (uint64_t)last + 1;
            int64_t index = -1;
            test_good(uh_histogram_digitize(histogram, ARRAY(UH_I64, &x, 1), UH_I64, &index));
            assert_int_equal(index, j + 1);
            if (first >= 0) {
                test_good(uh_histogram_digitize(histogram, ARRAY(UH_U64, &x, 1), UH_I64, &index));
                assert_int_equal(index, j + 1);
                test_good(uh_histogram_digitize(histogram, ARRAY(UH_U64, &above, 1), UH_I64, &index));
                assert_int_equal(index, bins + 1);
            }
        }
    }
}

UNIT_TEST(integers_that_are_no_axis_are_refused) {
    uh_axis *axis = NULL;
    test_invalid(uh_axis_create_integer(5, 4, &axis), "first is 5 and last is 4");
    test_invalid(uh_axis_create_integer(INT64_MIN, INT64_MAX, &axis), "at most");
    test_invalid(uh_axis_create_integer(0, (int64_t)UH_MAX_BINS, &axis), "1073741824");
    test_invalid(uh_axis_create_integer(0, 1, NULL), "axis is NULL");
    assert_null(axis);
}

/* F in long double, by its definition, or 1 - F. */
static long double part_of(const uh_distribution *d, long double x, int rest) {
    if (d->kind == UH_DISTRIBUTION_LOGNORMAL)
        x = x > 0 ? logl(x) : -(long double)INFINITY;
    const long double z = (x - d->location) / d->scale;
    if (d->kind == UH_DISTRIBUTION_EXPONENTIAL)
        return z > 0 ? (rest ? expl(-z) : -expm1l(-z)) : rest;
    return erfcl((rest ? z : -z) * sqrtl(0.5L)) / 2;
}

static long double cdf(const uh_distribution *d, long double x) { return part_of(d, x, 0); }

static long double rest(const uh_distribution *d, long double x) { return part_of(d, x, 1); }

UNIT_TEST(normal_quantiles_are_the_published_ones) {
    /* Wichura, Applied Statistics 37 (1988), algorithm AS 241: 0.25, 0.001, 1e-20. The others: NIST/SEMATECH
     * e-Handbook, 1.3.6.7.1, to its digits. */
    static const struct {
        double v, x, tolerance;
    } known[] = {{0.25, -0.6744897501960817, 2e-16},
                 {0.001, -3.090232306167814, 1e-15},
                 {1e-20, -9.262340089798408, 2e-15},
                 {0.5, 0, 0},
                 {0.975, 1.960, 5e-4},
                 {0.995, 2.576, 5e-4},
                 {0.999, 3.090, 5e-4},
                 {0.90, 1.282, 5e-4}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        assert_true(fabs(uhi_distribution_quantile(&normal, known[i].v) - known[i].x) <= known[i].tolerance);
    assert_true(uhi_distribution_quantile(&normal, 0) == -(double)INFINITY &&
                uhi_distribution_quantile(&normal, 1) == (double)INFINITY);
    assert_true(uhi_distribution_quantile(&exponential, 0) == 0 &&
                uhi_distribution_quantile(&exponential, 1) == (double)INFINITY);
    assert_true(uhi_distribution_quantile(&lognormal, 0) == 0 &&
                uhi_distribution_quantile(&lognormal, 1) == (double)INFINITY);
    assert_true(fabs(uhi_distribution_quantile(&exponential, 0.5) - 0.69314718055994531) <= DBL_EPSILON);
}

/* F at a little less than the quantile is no more than v, and at a little more no less. */
static void check_inverse(const uh_distribution *d, double v) {
    const long double x = uhi_distribution_quantile(d, v), z = d->kind == UH_DISTRIBUTION_LOGNORMAL ? logl(x) : x;
    /* exp() makes of an absolute error of its argument a relative one. */
    const long double error = QUANTILE_TOLERANCE * (fabsl(z) + fabsl((long double)d->location) + DBL_TRUE_MIN);
    const long double off = d->kind == UH_DISTRIBUTION_LOGNORMAL ? x * (error + 4 * DBL_EPSILON) : error;
    if (v < 0.5 ? !(cdf(d, x - off) <= v && v <= cdf(d, x + off))
                : !(rest(d, x + off) <= 1 - (long double)v && 1 - (long double)v <= rest(d, x - off)))
        fail_msg("kind %d: quantile %.17g is %.17Lg, more than %.3Lg away", (int)d->kind, v, x, off);
}

UNIT_TEST(quantiles_invert_the_distribution_up_to_rounding) {
    static const double locations[] = {0, 3, -1e6}, scales[] = {1, 0.25, 300};
    for (int kind = UH_DISTRIBUTION_EXPONENTIAL; kind <= UH_DISTRIBUTION_LOGNORMAL; kind++)
        for (size_t i = 0; i < 9; i++) {
            const int narrow = kind == UH_DISTRIBUTION_LOGNORMAL; /* else it overflows */
            const uh_distribution d = {.struct_size = sizeof d,
                                       .kind = (uh_distribution_kind)kind,
                                       .location = narrow ? 1 : locations[i % 3],
                                       .scale = narrow ? 2 : scales[i / 3]};
            for (int j = 1; j < 1000; j++) {
                check_inverse(&d, j / 1000.);
                check_inverse(&d, 0.5 + ldexp(j - 500, -30));
                check_inverse(&d, ldexp(1, -j));
                check_inverse(&d, 1 - ldexp(1, -1 - j % 53));
            }
        }
}

UNIT_TEST(the_distribution_is_its_definition_up_to_rounding) {
    for (size_t i = 0; i < 3; i++)
        for (int j = -40 * 32; j <= 40 * 32; j++) {
            const double x = j / 32.0;
            double v = (double)NAN;
            test_good(uh_distribution_cdf(all[i], x, &v));
            /* A tail's relative error is as much larger as its exponent; below DBL_MIN there are fewer digits. */
            assert_true(fabsl(v - cdf(all[i], x)) <= CDF_TOLERANCE * (1 + x * x) * cdf(all[i], x) + DBL_MIN);
        }
    for (size_t i = 0; i < 3; i++) {
        double v = (double)NAN;
        test_good(uh_distribution_cdf(all[i], -(double)INFINITY, &v));
        assert_true(v == 0);
        test_good(uh_distribution_cdf(all[i], (double)INFINITY, &v));
        assert_true(v == 1);
    }
}

UNIT_TEST(a_table_is_straight_lines_with_steps_and_flats) {
    static const double x[] = {-1, 0, 0, 2, 6, 6, 8}, f[] = {0.125, 0.25, 0.5, 0.5, 0.75, 1, 1};
    const uh_distribution d = {sizeof d, UH_DISTRIBUTION_TABLE, 0, 0, x, f, 7};
    static const double cdf_of[][2] = {{-9, 0.125}, {-1, 0.125}, {-0.5, 0.1875}, {0, 0.5}, {1, 0.5},
                                       {2, 0.5},    {4, 0.625},  {6, 1},         {7, 1},   {99, 1}};
    static const double quantile_of[][2] = {{0, -1},  {0.125, -1}, {0.1875, -0.5}, {0.25, 0}, {0.4, 0},
                                            {0.5, 0}, {0.625, 4},  {0.75, 6},      {0.9, 6},  {1, 6}};
    for (size_t i = 0; i < 10; i++) {
        double v = (double)NAN;
        test_good(uh_distribution_cdf(&d, cdf_of[i][0], &v));
        assert_true(v == cdf_of[i][1]);
        assert_true(uhi_distribution_quantile(&d, quantile_of[i][0]) == quantile_of[i][1]);
    }
}

/* Where x - location, scale * quantile, or the width of a table's line is no float64, though the result is one. */
UNIT_TEST(the_largest_parameters_do_not_overflow_within) {
    static const double ends[] = {-1.5e308, 1.5e308}, part[] = {0.25, 0.75};
    const double e = 1e308;
    const uh_distribution wide = {sizeof wide, UH_DISTRIBUTION_NORMAL, DBL_MAX, DBL_MAX, NULL, NULL, 0};
    const uh_distribution left = {sizeof left, UH_DISTRIBUTION_EXPONENTIAL, -e, e, NULL, NULL, 0};
    const uh_distribution logs = {sizeof logs, UH_DISTRIBUTION_LOGNORMAL, -e, e / 2, NULL, NULL, 0};
    const uh_distribution table = {sizeof table, UH_DISTRIBUTION_TABLE, 0, 0, ends, part, 2};
    const struct {
        const uh_distribution *d;
        double x, v;
    } rows[] = {{&wide, -DBL_MAX, 0.5 * erfc(sqrt(2))},
                {&wide, 0, 0.5 * erfc(sqrt(0.5))},
                {&left, e, -expm1(-2)},
                {&left, -0.5 * e, -expm1(-0.5)},
                {&table, 0, 0.5},
                {&table, 0.75e308, 0.625},
                {&table, -1.125e308, 0.3125}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double v = (double)NAN;
        test_good(uh_distribution_cdf(rows[i].d, rows[i].x, &v));
        assert_true(fabs(v - rows[i].v) <= 1e-14 * rows[i].v);
        assert_true(fabs(uhi_distribution_quantile(rows[i].d, rows[i].v) - rows[i].x) <= 1e-13 * e);
    }
    double v = (double)NAN;
    test_good(uh_distribution_cdf(&logs, 1, &v)); /* 2 scales above the location */
    assert_true(fabs(v - 0.5 * erfc(-sqrt(2))) <= 1e-14);
    assert_true(uhi_distribution_quantile(&logs, 0.5) == 0 &&
                uhi_distribution_quantile(&logs, 0.99) == (double)INFINITY);
    assert_true(uhi_distribution_quantile(&wide, 0) == -(double)INFINITY &&
                uhi_distribution_quantile(&left, 1) == (double)INFINITY);
}

UNIT_TEST(edges_are_the_quantiles_of_eq_6) {
    static const double ends[][2] = {{0, 1}, {0.001, 0.999}, {0, 0.25}, {1e-300, 1}, {0.75, 0.75 + 1e-15}};
    for (size_t i = 0; i < 3; i++)
        for (size_t e = 0; e < 5; e++) {
            enum { BINS = 700 };
            const double first = ends[e][0], last = ends[e][1];
            const uh_axis *axis = test_distribution_axis(all[i], BINS, first, last, UH_CLOSED_RIGHT);
            const double *edges = test_axis_properties(axis).edges;
            assert_int_equal(test_axis_properties(axis).bins, BINS);
            assert_int_equal(test_axis_properties(axis).closed, UH_CLOSED_RIGHT);
            assert_true(edges[0] == uhi_distribution_quantile(all[i], first) &&
                        edges[BINS] >= uhi_distribution_quantile(all[i], last));
            for (size_t j = 1; j < BINS; j++) {
                const double v = first + (double)j * ((last - first) / BINS);
                assert_true(edges[j] >= edges[j - 1] && edges[j] <= edges[j + 1]);
                assert_true(edges[j] == uhi_distribution_quantile(all[i], v) || edges[j] == edges[j - 1]);
            }
            assert_int_equal(test_axis_properties(axis).distribution->kind, all[i]->kind);
        }
}

UNIT_TEST(an_axis_with_a_distribution_has_the_same_edges_and_outlives_the_first) {
    static const int64_t edges[] = {INT64_MIN, -5, 9007199254740993, INT64_MAX};
    double x[] = {0, 1}, f[] = {0, 1};
    const uh_distribution d = {sizeof d, UH_DISTRIBUTION_TABLE, 0, 0, x, f, 2};
    uh_axis *axis = test_axis_of(UH_I64, edges, 4, UH_CLOSED_RIGHT), *with = NULL;
    const uh_axis *same = test_axis_of(UH_I64, edges, 4, UH_CLOSED_RIGHT);
    assert_null(test_axis_properties(axis).distribution);
    test_good(uh_axis_create_with_distribution(axis, &d, &with));
    uh_axis *again = test_axis_with(with, &normal);
    x[1] = f[1] = -1; /* they were copied */
    uh_axis_destroy(test_take(axis));
    assert_int_equal(test_axis_properties(with).distribution->points, 2);
    assert_true(test_axis_properties(with).distribution->x[1] == 1 &&
                test_axis_properties(with).distribution->f[1] == 1);
    uh_axis_destroy(with);
    assert_int_equal(test_axis_properties(again).distribution->kind, UH_DISTRIBUTION_NORMAL);
    assert_true(uh_axis_equal(again, same));
    assert_memory_equal(test_axis_properties(again).edges, test_axis_properties(same).edges, 4 * sizeof(double));
    test_good(uh_axis_create_with_distribution(again, NULL, &axis));
    assert_true(uh_axis_equal(axis, same) && !test_axis_properties(axis).distribution);
    uh_axis_destroy(axis);
}

UNIT_TEST(distributions_that_are_none_are_refused) {
    enum { SIZE = sizeof(uh_distribution) };
    static const double x[] = {0, 1, 2}, back[] = {0, 2, 1}, nan[] = {0, (double)NAN, 1}, f[] = {0, 0.5, 1},
                        high[] = {0, 0.5, 1.5}, low[] = {-0.5, 0, 1}, flat[] = {0.5, 0.5, 0.5},
                        inf[] = {0, 1, (double)INFINITY};
    static const struct {
        uh_distribution distribution;
        const char *text;
    } wrong[] = {
        {{8, UH_DISTRIBUTION_NORMAL, 0, 1, NULL, NULL, 0}, "struct_size is 8"},
        {{SIZE, (uh_distribution_kind)6, 0, 1, NULL, NULL, 0}, "kind is 6"},
        {{SIZE, UH_DISTRIBUTION_NORMAL, (double)INFINITY, 1, NULL, NULL, 0}, "location is inf"},
        {{SIZE, UH_DISTRIBUTION_NORMAL, 0, 0, NULL, NULL, 0}, "scale is 0"},
        {{SIZE, UH_DISTRIBUTION_NORMAL, 0, (double)NAN, NULL, NULL, 0}, "scale is nan"},
        {{SIZE, UH_DISTRIBUTION_EXPONENTIAL, 0, 1, x, NULL, 0}, "none for the kind exponential"},
        {{SIZE, UH_DISTRIBUTION_TABLE, 0, 0, x, f, 1}, "points is 1"},
        {{SIZE, UH_DISTRIBUTION_TABLE, 0, 1, x, f, 3}, "expected 0 for a table"},
        {{SIZE, UH_DISTRIBUTION_TABLE, 0, 0, x, NULL, 3}, "f is NULL"},
        {{SIZE, UH_DISTRIBUTION_TABLE, 0, 0, x, back, 3}, "f[2] is 1, expected at least f[1] = 2"},
        {{SIZE, UH_DISTRIBUTION_TABLE, 0, 0, x, high, 3}, "0 to 1.5"},
        {{SIZE, UH_DISTRIBUTION_TABLE, 0, 0, x, low, 3}, "-0.5 to 1"},
        {{SIZE, UH_DISTRIBUTION_TABLE, 0, 0, x, flat, 3}, "0.5 to 0.5"},
        {{SIZE, UH_DISTRIBUTION_TABLE, 0, 0, back, f, 3}, "x[2] is 1"},
        {{SIZE, UH_DISTRIBUTION_TABLE, 0, 0, nan, f, 3}, "x[1] is nan"},
        {{SIZE, UH_DISTRIBUTION_TABLE, 0, 0, inf, f, 3}, "x[2] is inf"},
    };
    enum { ROWS = sizeof wrong / sizeof *wrong };
    uh_axis *axis = NULL, *edges = test_equal_axis(3, 0, 1);
    double out = 7;
    for (size_t i = 0; i <= ROWS; i++) {
        const uh_distribution *d = i < ROWS ? &wrong[i].distribution : NULL;
        const char *text = i < ROWS ? wrong[i].text : "distribution is NULL";
        test_invalid(uh_distribution_cdf(d, 0, &out), text);
        test_invalid(uh_axis_create_distribution(d, 3, 0, 1, UH_CLOSED_LEFT, &axis), text);
        if (d)
            test_invalid(uh_axis_create_with_distribution(edges, d, &axis), text);
    }
    assert_true(out == 7);
    assert_null(axis);
}

UNIT_TEST(other_bad_arguments_are_refused) {
    uh_axis *axis = NULL;
    double out;
    test_invalid(uh_distribution_cdf(&normal, (double)NAN, &out), "x is nan");
    test_invalid(uh_distribution_cdf(&normal, 0, NULL), "v is NULL");
    test_invalid(uh_axis_create_distribution(&normal, 0, 0, 1, UH_CLOSED_LEFT, &axis), "bins is 0");
    test_invalid(uh_axis_create_distribution(&normal, 3, -0.5, 1, UH_CLOSED_LEFT, &axis), "v_first is -0.5");
    test_invalid(uh_axis_create_distribution(&normal, 3, 0.5, 0.5, UH_CLOSED_LEFT, &axis), "v_last is 0.5");
    test_invalid(uh_axis_create_distribution(&normal, 3, 0, (double)NAN, UH_CLOSED_LEFT, &axis), "v_last is nan");
    test_invalid(uh_axis_create_distribution(&normal, 3, 0, 1, (uh_closed)9, &axis), "closed is 9");
    test_invalid(uh_axis_create_distribution(&normal, 3, 0, 1, UH_CLOSED_LEFT, NULL), "axis is NULL");
    test_invalid(uh_axis_create_with_distribution(NULL, &normal, &axis), "axis is NULL");
    assert_null(axis);
}
