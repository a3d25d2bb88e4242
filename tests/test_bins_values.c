/* SPDX-License-Identifier: Apache-2.0 */
/* Values of bins: the same ones however they come, weights, and quantiles. */
#include <unihist/save.h>

#include "tests/bins_fixture.h"
#include "tests/tested.h"

/* ---- values ---- */

static void have_same_values(uh_bins *a, uh_bins *b) {
    uh_bins_properties of_a = {.struct_size = sizeof of_a}, of_b = of_a;
    test_good(uh_bins_get_properties(a, &of_a));
    test_good(uh_bins_get_properties(b, &of_b));
    assert_memory_equal(&of_a, &of_b, sizeof of_a);
    const struct chosen chosen_a = choose(a, UH_RULE_CLUSTERS, RULE(.bins = 7)),
                        chosen_b = choose(b, UH_RULE_CLUSTERS, RULE(.bins = 7));
    assert_memory_equal(&chosen_a, &chosen_b, sizeof chosen_a);
}

static void choose_alike(uh_bins *a, uh_bins *b) {
    for (int rule = 0; rule <= UH_RULE_EQUAL_PROBABILITY; rule++) {
        const uh_rule_options options = options_of((uh_rule)rule);
        const struct chosen of_a = choose(a, (uh_rule)rule, &options), of_b = choose(b, (uh_rule)rule, &options);
        assert_memory_equal(&of_a.result, &of_b.result, sizeof of_a.result);
        assert_memory_equal(of_a.edges, of_b.edges, (of_a.result.bins + 1) * sizeof *of_a.edges);
    }
}

/* Adds values backwards, in pieces, some by merges. */
static void add_in_pieces(uh_bins *to, const uh_bins_options *options, const double *x, const double *weights,
                          size_t n) {
    const ptrdiff_t back = -(ptrdiff_t)sizeof *x;
    for (size_t at = n; at > 0;) {
        const size_t last = at - 1, some = at < 777 ? at : 777;
        uh_bins *piece = bins_of(options);
        at -= some;
        test_good(uh_bins_add(at % 2 ? to : piece, STRIDED(UH_F64, x + last, some, back),
                              weights ? STRIDED(UH_F64, weights + last, some, back) : NULL));
        test_good(uh_bins_merge(to, piece));
    }
}

UNIT_TEST(values_are_the_same_in_any_order_and_pieces) {
    enum { N = 30000 };
    double *x = test_memory(N * sizeof *x);
    const uh_bins_options few = {.struct_size = sizeof few, .max_values = 1024}, *options[] = {NULL, &few};
    uint64_t random = 7;
    for (size_t i = 0; i < N; i++)
        x[i] = i % 1000 == 0 ? (i % 2000 ? NAN : INFINITY) : exp(5 * test_random_f64(&random)) * (i % 3 ? 1 : -1);
    for (size_t o = 0; o < 2; o++) {
        uh_bins *whole = bins_of(options[o]), *parts = bins_of(options[o]);
        uh_bins_properties properties = {.struct_size = sizeof properties};
        test_good(uh_bins_add(whole, ARRAY(UH_F64, x, N), NULL));
        add_in_pieces(parts, options[o], x, NULL, N);
        have_same_values(whole, parts);
        test_good(uh_bins_get_properties(whole, &properties));
        assert_int_equal(properties.n, N - 30);
        assert_true(properties.nan == 15 && properties.beyond == 15);
        assert_true(o ? properties.joined > 0 && properties.values <= 1024 && properties.values > 512
                      : properties.joined == 0);
    }
}

UNIT_TEST(saved_values_are_the_same_and_go_on) {
    enum { N = 5000 };
    static double x[N], weights[N];
    const double range[] = {-3, 60};
    uint64_t random = 9;
    for (size_t i = 0; i < N; i++) {
        x[i] = exp(5 * test_random_f64(&random)) * (i % 3 ? 1 : -1);
        weights[i] = test_random_f64(&random);
    }
    for (int way = 0; way < 8; way++) {
        const uh_bins_options options = {
            .struct_size = sizeof options, .range = way & 1 ? range : NULL, .max_values = way & 2 ? 1024 : 0};
        const uh_array *with = way & 4 ? ARRAY(UH_F64, weights, N) : NULL;
        uh_bins *bins = bins_of(&options), *loaded = NULL;
        const size_t half = way == 6 ? 0 : N / 2;
        size_t length;
        if (half)
            test_good(uh_bins_add(bins, ARRAY(UH_F64, x, half), with ? ARRAY(UH_F64, weights, half) : NULL));
        test_good(uh_bins_save_bytes(bins, NULL, 0, &length));
        unsigned char *bytes = test_memory(length);
        test_invalid(uh_bins_save_bytes(bins, bytes, length - 1, &length), "expected at least");
        test_good(uh_bins_save_bytes(bins, bytes, length, &length));
        test_good(uh_bins_load_bytes(bytes, length, &loaded));
        for (int i = 0; i < 2; i++)
            test_good(uh_bins_add(i ? bins : loaded, ARRAY(UH_F64, x + half, N - half),
                                  with ? ARRAY(UH_F64, weights + half, N - half) : NULL));
        have_same_values(bins, loaded);
        choose_alike(bins, loaded);
        uh_bins_destroy(loaded);
        bytes[length / 2] ^= 1;
        test_assert_failed(uh_bins_load_bytes(bytes, length, &loaded), UH_ERROR_INVALID_ARGUMENT, "bytes: ", "");
        test_assert_failed(uh_bins_load_bytes(bytes, length / 2, &loaded), UH_ERROR_INVALID_ARGUMENT, "bytes: ", "");
    }
}

/* Values of several magnitudes, of both signs, some of them no number or infinite. */
static float value_away(size_t i, uint64_t *random) {
    const double u = test_random_f64(random);
    return i % 997 == 0 ? (float)(i % 2 ? NAN : INFINITY)
           : i % 3 == 0 ? (float)(u - 0.5)
           : i % 3 == 1 ? (float)ldexp(u, (int)(i % 60) - 30)
                        : (float)floor(40 * u);
}

/* Float32 has a shorter way by its own bits, of which zero and the numbers near it have no part. */
UNIT_TEST(float32_counts_as_float64) {
    enum { N = 200000 };
    const uh_bins_options options = {.struct_size = sizeof options, .max_values = 1024};
    float *single = test_memory(N * sizeof *single);
    double *x = test_memory(N * sizeof *x), q[9], values[2][9];
    uint64_t random = 5;
    for (size_t j = 0; j < 9; j++)
        q[j] = (double)j / 8;
    /* Bits of all numbers; a third of them zeros of both signs; numbers near zero; none of these. */
    for (int way = 0; way < 4; way++) {
        for (size_t i = 0; i < N; i++) {
            const uint32_t bits = (uint32_t)(test_random_f64(&random) * 0x1p32);
            const uint32_t kept = way == 3                 ? (bits & 0x87ffffff) | 0x38000000
                                  : way == 2               ? bits & 0x81ffffff
                                  : way == 1 && i % 3 == 0 ? bits & 1u << 31
                                                           : bits;
            memcpy(&single[i], &kept, sizeof kept);
            if (i < N / 2 && isnan(single[i]))
                single[i] = 1;
            x[i] = (double)single[i];
        }
        uh_bins *a = bins_of(&options), *b = bins_of(&options);
        for (int again = 1, too = 1; again;) {
            test_good(uh_bins_add(a, ARRAY(UH_F32, single, N), NULL));
            test_good(uh_bins_add(b, ARRAY(UH_F64, x, N), NULL));
            test_good(uh_bins_refine(a, q, 9, 0, &again));
            test_good(uh_bins_refine(b, q, 9, 0, &too));
            assert_int_equal(again, too);
        }
        have_same_values(a, b);
        test_good(uh_bins_quantiles(a, q, 9, 0, values[0]));
        test_good(uh_bins_quantiles(b, q, 9, 0, values[1]));
        assert_memory_equal(values[0], values[1], sizeof values[0]);
        uh_bins *all = bins_of(NULL);
        test_good(uh_bins_add(all, ARRAY(UH_F64, x, N), NULL));
        test_good(uh_bins_quantiles(all, q, 9, 0, values[1]));
        assert_memory_equal(values[0], values[1], sizeof values[0]);
    }
}

UNIT_TEST(values_in_the_memory_of_a_device_are_the_same) {
    enum { N = 1 << 18 };
    static const double range[] = {-0.3, 7.7}, q[] = {0.1, 0.25, 0.5, 0.9};
    float *x = test_memory(2 * N * sizeof *x), *weights = test_memory(N * sizeof *weights);
    uint64_t random = 9;
    for (size_t i = 0; i < 2 * N; i++) {
        x[i] = value_away(i, &random);
        weights[i / 2] = (float)(i % 7);
    }
    const float *x_there = test_to_device(tested.queue, x, 2 * N * sizeof *x),
                *weights_there = test_to_device(tested.queue, weights, N * sizeof *weights);
    for (int way = 0; way < 6; way += 1 + way / 2, test_end_from(4)) { /* 0, 1, 2 and 4 */
        const uh_bins_options options = {.struct_size = sizeof options,
                                         .range = way > 0 ? range : NULL,
                                         .max_values = way < 4 ? 1024 : 0,
                                         .queue = tested.queue};
        const int weighted = way == 2;
        uh_bins *here = bins_of(&options), *there = bins_of(&options);
        uh_bins_properties a = {.struct_size = sizeof a}, b = a;
        double of_here[4], of_there[4];
        for (int pass = 0, again = 1, too = 1; again; pass++) {
            test_good(uh_bins_add(here, STRIDED(UH_F32, x + 1, N, 2 * sizeof *x),
                                  weighted ? ARRAY(UH_F32, weights, N) : NULL));
            test_good(uh_bins_add(there, STRIDED(UH_F32, x_there + 1, N, 2 * sizeof *x),
                                  weighted ? ARRAY(UH_F32, weights_there, N) : NULL));
            if (pass == 0) {
                test_good(uh_bins_get_properties(here, &a));
                test_good(uh_bins_get_properties(there, &b));
                assert_memory_equal(&a, &b, sizeof a);
            }
            test_good(uh_bins_refine(here, q, 4, 0, &again));
            test_good(uh_bins_refine(there, q, 4, 0, &too));
            assert_int_equal(again, too);
        }
        test_good(uh_bins_quantiles(here, q, 4, 0, of_here));
        test_good(uh_bins_quantiles(there, q, 4, 0, of_there));
        assert_memory_equal(of_here, of_there, sizeof of_here);
    }
}

UNIT_TEST(values_of_all_types_and_of_a_range_count) {
    static const int16_t small[] = {-3, 5, 5, 9};
    static const uint64_t large[] = {UINT64_C(1) << 63, 7};
    static const float single[] = {0.1F, -INFINITY};
    static const double range[] = {-3, 7};
    const uh_bins_options options = {.struct_size = sizeof options, .range = range};
    uh_bins_properties all = {.struct_size = sizeof all}, some = all;
    uh_bins *bins = bins_of(NULL), *ranged = bins_of(&options);
    for (int i = 0; i < 2; i++) {
        uh_bins *to = i ? ranged : bins;
        test_good(uh_bins_add(to, ARRAY(UH_I16, small, 4), NULL));
        test_good(uh_bins_add(to, ARRAY(UH_U64, large, 2), NULL));
        test_good(uh_bins_add(to, ARRAY(UH_F32, single, 2), NULL));
    }
    test_good(uh_bins_get_properties(bins, &all));
    test_good(uh_bins_get_properties(ranged, &some));
    assert_true(all.n == 7 && all.values == 6 && all.beyond == 1 && all.min == -3 && all.max == 0x1p63);
    assert_true(some.n == 5 && some.values == 4 && some.beyond == 3 && some.max == 7);
    const struct chosen chosen = choose(ranged, UH_RULE_KNUTH, NULL);
    assert_true(chosen.edges[0] == -3 && chosen.edges[chosen.result.bins] == 7);
    test_assert_failed(uh_bins_merge(bins, ranged), UH_ERROR_INCOMPATIBLE, "from has another range or max_values", "");
}

/* ---- weights ---- */

UNIT_TEST(whole_weights_repeat_values_and_equal_ones_make_no_difference) {
    double x[MAX_POINTS], repeated[8 * MAX_POINTS], quarters[MAX_POINTS];
    int16_t weights[MAX_POINTS];
    static const double q[] = {0, 0.1, 0.25, 0.5, 0.777, 1};
    for (uint64_t seed = 0; seed < 80; seed++, test_end_from(0)) {
        uint64_t random = seed / 2;
        const int equal = seed % 2 == 1;
        const size_t n = sorted_values(seed / 2, x);
        size_t all = 0;
        uh_bins_properties of_a = {.struct_size = sizeof of_a}, of_b = of_a;
        for (size_t i = 0; i < n; i++) {
            quarters[i] = 0.25;
            weights[i] = (int16_t)(i == 0 || i == n - 1 ? 3 : floor(8 * test_random_f64(&random)));
            for (int k = 0; k < (equal ? 1 : weights[i]); k++)
                repeated[all++] = x[i];
        }
        uh_bins *a = bins_of(NULL), *b = bins_with(repeated, all);
        test_good(uh_bins_add(a, ARRAY(UH_F64, x, n), equal ? ARRAY(UH_F64, quarters, n) : ARRAY(UH_I16, weights, n)));
        test_good(uh_bins_get_properties(a, &of_a));
        test_good(uh_bins_get_properties(b, &of_b));
        assert_true(of_a.n <= n && of_b.n == all && of_a.effective == (double)all);
        assert_true(of_a.weight == (equal ? 0.25 : 1) * (double)all);
        choose_alike(a, b);
        for (int type = 0; type <= 9; type++) {
            double of_weights[6], of_all[6];
            if (equal && type == 3) /* which fractions have not */
                continue;
            test_good(uh_bins_quantiles(a, q, 6, type, of_weights));
            test_good(uh_bins_quantiles(b, q, 6, type, of_all));
            for (size_t j = 0; j < 6; j++)
                test_near(of_weights[j], of_all[j], equal ? 1e-12 * (1 + fabs(of_all[j])) : 0);
        }
    }
}

UNIT_TEST(sums_of_weights_do_not_depend_on_order_pieces_and_scale) {
    enum { N = 20000 };
    double *x = test_memory(N * sizeof *x), *weights = test_memory(2 * N * sizeof *weights), *scaled = weights + N;
    uint64_t random = 5;
    for (size_t i = 0; i < N; i++) {
        x[i] = floor(200 * test_random_f64(&random)) / 7;
        weights[i] = ldexp(test_random_f64(&random), (int)(i % 40) - 20); /* sums of them are rounded in most orders */
        scaled[i] = 0x1p-300 * weights[i];
    }
    uh_bins *whole = bins_of(NULL), *parts = bins_of(NULL), *small = bins_of(NULL);
    uh_bins_properties a = {.struct_size = sizeof a}, b = a;
    test_good(uh_bins_add(whole, ARRAY(UH_F64, x, N), ARRAY(UH_F64, weights, N)));
    test_good(uh_bins_add(small, ARRAY(UH_F64, x, N), ARRAY(UH_F64, scaled, N)));
    add_in_pieces(parts, NULL, x, weights, N);
    test_good(uh_bins_get_properties(whole, &a));
    test_good(uh_bins_get_properties(parts, &b));
    assert_memory_equal(&a, &b, sizeof a);
    double sum = 0, squares = 0;
    for (size_t i = 0; i < N; i++) {
        sum += weights[i];
        squares += weights[i] * weights[i];
    }
    test_near(a.weight, sum, 1e-12 * sum);
    test_near(a.effective, sum * sum / squares, 1e-11 * a.effective);
    choose_alike(whole, parts);
    choose_alike(whole, small);
}

/* ---- quantiles ---- */

/* Hyndman and Fan (1996): Q(p) = (1 - g) x_j + g x_(j + 1) with p n + m = j + fraction, from 1 on. */
static double hyndman_fan(const double *x, size_t n, double p, int type) {
    const double m[] = {0, 0, 0, -0.5, 0, 0.5, p, 1 - p, (p + 1) / 3, p / 4 + 3.0 / 8};
    const double at = (double)n * p + m[type], j = floor(at + 1e-12), fraction = fmax(at - j, 0);
    const int exact = fraction < 1e-12;
    const double g = type == 1   ? !exact
                     : type == 2 ? (exact ? 0.5 : 1)
                     : type == 3 ? !(exact && fmod(fabs(j), 2) == 0)
                                 : fraction;
    const double below = fmin(fmax(j, 1), (double)n), above = fmin(fmax(j + 1, 1), (double)n);
    return (1 - g) * x[(size_t)below - 1] + g * x[(size_t)above - 1];
}

UNIT_TEST(quantiles_of_all_types_are_those_of_the_definition) {
    double x[MAX_POINTS], q[17], values[17];
    for (size_t j = 0; j <= 16; j++) /* times any n they are exact */
        q[j] = (double)j / 16;
    for (uint64_t seed = 0; seed < 60; seed++, test_end_from(0)) {
        const size_t n = sorted_values(seed, x);
        uh_bins *bins = bins_with(x, n);
        for (int type = 1; type <= 9; type++) {
            test_good(uh_bins_quantiles(bins, q, 17, type, values));
            for (size_t j = 0; j <= 16; j++)
                test_near(values[j], hyndman_fan(x, n, q[j], type), 1e-11 * (1 + fabs(values[j])));
        }
    }
}

UNIT_TEST(weighted_quantiles_invert_or_average_the_distribution) {
    static const double x[] = {1, 2, 3, 10}, weights[] = {0.5, 0.25, 0.125, 0.125}, q[] = {0.5, 0.5 + 1e-9, 0.8};
    double values[3];
    uh_bins *bins = bins_of(NULL);
    test_good(uh_bins_add(bins, ARRAY(UH_F64, x, 4), ARRAY(UH_F64, weights, 4)));
    test_good(uh_bins_quantiles(bins, q, 3, 1, values));
    assert_true(values[0] == 1 && values[1] == 2 && values[2] == 3);
    test_good(uh_bins_quantiles(bins, q, 3, 2, values));
    assert_true(values[0] == 1.5 && values[1] == 2 && values[2] == 3);
    /* n = 1 / sum of squares = 32 / 11; type 7 averages F^-1 from q (n - 1) / n on over 1 / n */
    const double n = 32.0 / 11, from = 0.5 * (n - 1) / n, to = from + 1 / n;
    test_good(uh_bins_quantiles(bins, q, 1, 7, values));
    test_near(values[0], n * ((0.5 - from) * 1 + (to - 0.5) * 2), 1e-12);
}

UNIT_TEST(a_second_pass_makes_quantiles_exact) {
    enum { N = 200000 };
    const uh_bins_options options = {.struct_size = sizeof options, .max_values = 1024};
    double *x = test_memory(N * sizeof *x), *weights = test_memory(N * sizeof *weights), q[9], exact[9], values[9];
    uint64_t random = 3;
    for (size_t i = 0; i < N; i++) {
        x[i] = i % 2 ? test_random_f64(&random) - 0.5 : 1 + 0x1p-40 * floor(4096 * test_random_f64(&random));
        weights[i] = test_random_f64(&random);
    }
    for (size_t j = 0; j < 9; j++)
        q[j] = (double)j / 8;
    for (int weighted = 0; weighted < 2; weighted++)
        for (int type = 1; type <= 9; type += 3) {
            const uh_array *with = weighted ? ARRAY(UH_F64, weights, N) : NULL;
            uh_bins *few = bins_of(&options), *all = bins_of(NULL);
            uh_rule_result result = {.struct_size = sizeof result};
            uh_axis *axis = NULL;
            int again = 1, passes = 0;
            test_good(uh_bins_add(all, ARRAY(UH_F64, x, N), with));
            test_good(uh_bins_quantiles(all, q, 9, type, exact));
            test_good(uh_bins_add(few, ARRAY(UH_F64, x, N), with));
            test_good(uh_bins_axis(few, UH_RULE_QUANTILE, RULE(.bins = 8, .quantile_type = type), &axis, &result));
            assert_true(result.joined > 0);
            uh_axis_destroy(axis);
            for (; again; passes++) {
                test_good(uh_bins_refine(few, q, 9, type, &again));
                if (again)
                    test_good(uh_bins_add(few, ARRAY(UH_F64, x, N), with));
            }
            assert_int_equal(passes, 2);
            test_good(uh_bins_quantiles(few, q, 9, type, values));
            assert_memory_equal(values, exact, sizeof exact);
            test_good(uh_bins_axis(few, UH_RULE_QUANTILE, RULE(.bins = 8, .quantile_type = type), &axis, &result));
            assert_int_equal(result.joined, 0);
            uh_axis_destroy(axis);
            test_invalid(uh_bins_add(few, ARRAY(UH_F64, x, 1), NULL), "bins has been refined, expected no more values");
        }
    uh_bins *bins = bins_of(&options);
    int again = 0;
    test_good(uh_bins_add(bins, ARRAY(UH_F64, x, N), NULL));
    test_good(uh_bins_refine(bins, q, 9, 0, &again));
    assert_true(again);
    test_good(uh_bins_add(bins, ARRAY(UH_F64, x, N - 1), NULL));
    test_assert_failed(uh_bins_quantiles(bins, q, 9, 0, values), UH_ERROR_INCOMPATIBLE,
                       "bins has been given other values than in the first pass", "");
}

UNIT_TEST(wrong_values_and_quantiles_are_named) {
    static const double x[] = {1, 2, 3};
    uh_bins *bins = bins_with(x, 3);
    static const double weights[] = {1, -2, 3}, infinite[] = {1, (double)INFINITY, 3}, up[] = {0.5, 0.2};
    static const uint64_t large[] = {1, (uint64_t)1 << 53, 3};
    test_invalid(uh_bins_add(bins, ARRAY(UH_F64, x, 3), ARRAY(UH_F64, weights, 2)), "weights->count is 2, expected 3");
    test_invalid(uh_bins_add(bins, ARRAY(UH_F64, x, 3), ARRAY(UH_F64, weights, 3)), "weights[1] is -2, expected 0 or");
    test_invalid(uh_bins_add(bins, ARRAY(UH_F64, x, 3), ARRAY(UH_F64, infinite, 3)), "weights[1] is inf, expected");
    test_invalid(uh_bins_add(bins, ARRAY(UH_F64, x, 3), ARRAY(UH_U64, large, 3)), "whole weights exceed 2^53");
    double value;
    int again;
    test_invalid(uh_bins_quantiles(bins, up, 2, 0, &value), "q[1] is 0.20000000000000001, expected at least q[0]");
    test_invalid(uh_bins_quantiles(bins, up, 1, 10, &value), "type is 10, expected 0 to 9");
    test_invalid(uh_bins_quantiles(bins, weights, 2, 0, &value), "q[1] is -2, expected 0 to 1");
    test_invalid(uh_bins_refine(bins_of(NULL), up, 1, 0, &again), "bins has no values");
    uh_bins *weighted = bins_of(NULL);
    test_good(uh_bins_add(weighted, ARRAY(UH_F64, x, 3), ARRAY(UH_F64, x, 3)));
    test_invalid(uh_bins_quantiles(weighted, up, 1, 3, &value), "type is 3, expected another one");
    uh_distribution fit = {.struct_size = sizeof fit};
    static const double equal[] = {2, 2}, negative[] = {-2, 3};
    test_invalid(uh_bins_fit(bins, UH_DISTRIBUTION_TABLE, &fit), "kind is 3, expected a uh_distribution_kind");
    test_invalid(uh_bins_fit(bins_with(equal, 2), UH_DISTRIBUTION_NORMAL, &fit), "bins has values from 2 to 2");
    test_invalid(uh_bins_fit(bins_with(negative, 2), UH_DISTRIBUTION_WEIBULL, &fit), "bins has the value -2");
    test_invalid(uh_bins_bandwidth(bins_with(equal, 2), &value), "bins has equal values");
}

TESTED_MAIN(test_bins_values)
