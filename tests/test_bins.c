/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of bins against their definitions, tried in all ways. */
#include "tests/bins_fixture.h"

/* ---- rules against their definitions ---- */

/* The number of values in [lo, hi), of the last bin in [lo, hi]. */
static double count_in(const double *x, size_t n, double lo, double hi, int last) {
    double count = 0;
    for (size_t i = 0; i < n; i++)
        count += x[i] >= lo && (x[i] < hi || (last && x[i] <= hi));
    return count;
}

static double score_of(uh_rule rule, const double *x, size_t n, size_t bins) {
    const double m = (double)bins, all = (double)n, lo = x[0], hi = x[n - 1], step = (hi - lo) / m;
    double sum = 0;
    for (size_t j = 0; j < bins; j++) {
        const double count =
            count_in(x, n, (double)j * step + lo, j + 1 < bins ? (double)(j + 1) * step + lo : hi, j + 1 == bins);
        sum += rule == UH_RULE_KNUTH ? lgamma(count + 0.5) : (count - all / m) * (count - all / m);
    }
    return rule == UH_RULE_KNUTH ? all * log(m) + lgamma(m / 2) - m * lgamma(0.5) - lgamma(all + m / 2) + sum
                                 : -(2 * all / m - sum / m) / (step * step);
}

static size_t different(const double *x, size_t n) {
    size_t values = 1;
    for (size_t i = 1; i < n; i++)
        values += x[i] > x[i - 1];
    return values;
}

UNIT_TEST(knuth_and_shimazaki_have_the_best_number_of_all) {
    double x[MAX_POINTS];
    for (uint64_t seed = 0; seed < 60; seed++, test_end_from(0))
        for (int r = UH_RULE_KNUTH; r <= UH_RULE_SHIMAZAKI; r++) {
            const uh_rule rule = (uh_rule)r;
            const size_t n = sorted_values(seed, x), values = different(x, n), most = values < 100 ? values : 100;
            const struct chosen chosen = choose(bins_with(x, n), rule, NULL);
            const double sign = rule == UH_RULE_KNUTH ? 1 : -1, score = sign * chosen.result.score;
            assert_int_equal(chosen.result.tried, most);
            assert_int_equal(chosen.result.limited, chosen.result.bins == most && most < values);
            test_near(score_of(rule, x, n, chosen.result.bins), score, 1e-9 * fabs(score));
            for (size_t m = 1; m <= most; m++)
                assert_true(score_of(rule, x, n, m) <= score + 1e-9 * fabs(score));
            assert_true(chosen.edges[0] == x[0] && chosen.edges[chosen.result.bins] == x[n - 1]);
        }
}

/* Scargle's dynamic programme, as published: all beginnings are tried. Of n places t in order each has terms a and b,
 * of which a block has the sums: by `fitness` of them and of its width. The prior is Scargle's own where it is 0,
 * or below 0 the opposite of a probability. */
static size_t best_blocks(const double *t, const double *a, const double *b, size_t n, double prior,
                          double (*fitness)(double a, double b, double width), double *edges) {
    double cell[MAX_POINTS + 1], best[MAX_POINTS];
    size_t start[MAX_POINTS] = {0}, blocks = 0;
    for (size_t i = 0; i <= n; i++)
        cell[i] = i == 0 ? t[0] : i == n ? t[n - 1] : 0.5 * (t[i - 1] + t[i]);
    prior = prior > 0 ? prior : 4 - log(73.53 * (prior < 0 ? -prior : 0.05) * pow((double)n, -0.478));
    for (size_t end = 0; end < n; end++) {
        double sum_a = 0, sum_b = 0;
        best[end] = -INFINITY;
        for (size_t begin = end + 1; begin-- > 0;) {
            sum_a += a[begin];
            sum_b += b[begin];
            const double whole =
                fitness(sum_a, sum_b, cell[end + 1] - cell[begin]) - prior + (begin > 0 ? best[begin - 1] : 0);
            if (whole >= best[end]) {
                best[end] = whole;
                start[end] = begin;
            }
        }
    }
    for (size_t end = n; end > 0; end = start[end - 1])
        blocks++;
    for (size_t end = n, at = blocks; end > 0; end = start[end - 1])
        edges[at--] = cell[end];
    edges[0] = t[0];
    return blocks;
}

/* Of the numbers of values. */
static double fitness_of_events(double count, double unused, double width) { return count * (log(count) - log(width)); }

static size_t blocks_by_definition(const double *x, size_t n, double prior, double *edges) {
    double t[MAX_POINTS] = {0}, count[MAX_POINTS] = {0};
    size_t values = 0;
    for (size_t i = 0; i < n; i++) {
        if (values == 0 || x[i] > t[values - 1])
            t[values++] = x[i];
        count[values - 1]++;
    }
    return best_blocks(t, count, count, values, prior, fitness_of_events, edges);
}

UNIT_TEST(blocks_are_those_of_trying_all_beginnings) {
    static const double priors[] = {0, 0.01, 1, 3, 20, -0.5, -0.001}; /* below 0: probabilities */
    double x[MAX_POINTS], edges[MAX_POINTS + 1];
    size_t most = 0;
    for (uint64_t seed = 0; seed < 400; seed++, test_end_from(0))
        for (size_t p = 0; p < sizeof priors / sizeof *priors; p++) {
            const size_t n = sorted_values(seed, x), blocks = blocks_by_definition(x, n, priors[p], edges);
            const struct chosen chosen = choose(bins_with(x, n), UH_RULE_BLOCKS,
                                                RULE(.ncp_prior = fmax(priors[p], 0), .p0 = fmax(-priors[p], 0)));
            if (chosen.result.bins != blocks || memcmp(chosen.edges, edges, (blocks + 1) * sizeof *edges) != 0)
                fail_msg("seed %" PRIu64 ", prior %g: %zu blocks, expected %zu", seed, priors[p], chosen.result.bins,
                         blocks);
            most = blocks > most ? blocks : most;
        }
    assert_true(most > 20);
}

/* Of measures, B^2 / 2 A. */
static double fitness_of_measures(double a, double b, double unused) { return b * b / (2 * a); }

UNIT_TEST(blocks_of_measures_are_those_of_trying_all_beginnings) {
    double t[MAX_POINTS], x[MAX_POINTS], sigma[MAX_POINTS], a[MAX_POINTS], b[MAX_POINTS], edges[MAX_POINTS + 1];
    size_t most = 0;
    for (uint64_t seed = 0; seed < 300; seed++, test_end_from(0)) {
        uint64_t random = seed + 3;
        const size_t n = 2 + seed;
        const double prior = seed % 3 ? 0.2 * (double)(1 + seed % 7) : 0;
        uh_axis_properties known = {.struct_size = sizeof known};
        uh_rule_result result = {.struct_size = sizeof result};
        uh_axis *axis = NULL;
        for (size_t i = 0; i < n; i++) {
            t[i] = (double)i + 0.5 * test_random_f64(&random);
            sigma[i] = 0.5 + test_random_f64(&random);
            x[i] = 3 * (double)(i / 17 % 3) + 4 * sigma[i] * (test_random_f64(&random) - 0.5);
            a[i] = 1 / (sigma[i] * sigma[i]);
            b[i] = x[i] / (sigma[i] * sigma[i]);
        }
        const size_t blocks = best_blocks(t, a, b, n, prior, fitness_of_measures, edges);
        test_good(uh_blocks_of_measures(ARRAY(UH_F64, t, n), ARRAY(UH_F64, x, n), ARRAY(UH_F64, sigma, n),
                                        RULE(.ncp_prior = prior), &axis, &result));
        test_good(uh_axis_get_properties(axis, &known));
        assert_int_equal(result.bins, blocks);
        assert_memory_equal(known.edges, edges, (blocks + 1) * sizeof *edges);
        most = blocks > most ? blocks : most;
        uh_axis_destroy(axis);
    }
    assert_true(most > 12);
    uh_axis *axis = NULL;
    sigma[1] = 0;
    test_invalid(
        uh_blocks_of_measures(ARRAY(UH_F64, t, 3), ARRAY(UH_F64, x, 2), ARRAY(UH_F64, sigma, 3), NULL, &axis, NULL),
        "t->count is 3, of x 2 and of sigma 3, expected the same");
    test_invalid(
        uh_blocks_of_measures(ARRAY(UH_F64, t, 3), ARRAY(UH_F64, x, 3), ARRAY(UH_F64, sigma, 3), NULL, &axis, NULL),
        "sigma[1] is 0, expected a finite number above 0");
}

/* The smallest sum of squares of values from `from` on in `count` clusters, by all partitions. */
static double best_clusters(const double *x, size_t n, size_t from, size_t count) {
    double best = INFINITY;
    for (size_t to = from + 1; to <= n - (count - 1); to++) {
        double mean = 0, sum = 0;
        if (to < n && x[to] == x[to - 1])
            continue;
        for (size_t i = from; i < to; i++)
            mean += x[i] / (double)(to - from);
        for (size_t i = from; i < to; i++)
            sum += (x[i] - mean) * (x[i] - mean);
        if (count > 1)
            best = fmin(best, sum + best_clusters(x, n, to, count - 1));
        else if (to == n)
            best = sum;
    }
    return best;
}

UNIT_TEST(clusters_have_the_smallest_sum_of_all_partitions) {
    double x[MAX_POINTS];
    for (uint64_t seed = 0; seed < 200; seed++, test_end_from(0)) {
        const size_t sorted = sorted_values(seed, x), n = sorted < 12 ? sorted : 12;
        uh_bins *bins = bins_with(x, n);
        for (size_t count = 1; count <= different(x, n) && count < 6 && x[n - 1] > x[0]; count++) {
            const struct chosen chosen = choose(bins, UH_RULE_CLUSTERS, RULE(.bins = count));
            double sum = 0;
            for (size_t j = 0; j < count; j++) {
                double in = 0, mean = 0;
                const double lo = chosen.edges[j], hi = chosen.edges[j + 1];
                const int last = j + 1 == count;
                for (size_t i = 0; i < n; i++)
                    if (x[i] >= lo && (x[i] < hi || last)) {
                        in++;
                        mean += x[i];
                    }
                for (size_t i = 0; i < n; i++)
                    if (x[i] >= lo && (x[i] < hi || last))
                        sum += (x[i] - mean / in) * (x[i] - mean / in);
            }
            test_near(chosen.result.score, best_clusters(x, n, 0, count), 1e-12 * (1 + x[n - 1] * x[n - 1]));
            test_near(sum, chosen.result.score, 1e-12 * (1 + x[n - 1] * x[n - 1]));
        }
    }
}

UNIT_TEST(denby_and_mallows_bins_lie_between_equal_width_and_equal_content) {
    double x[MAX_POINTS];
    for (uint64_t seed = 0; seed < 60; seed += 4) { /* without ties */
        const size_t n = sorted_values(seed, x), count = 1 + n / 4;
        const double slants[] = {1e-9, 0.5, 3, (double)INFINITY};
        uh_bins *bins = bins_with(x, n);
        for (size_t s = 0; s < 4; s++) {
            const struct chosen chosen = choose(bins, UH_RULE_DENBY_MALLOWS, RULE(.bins = count, .slant = slants[s]));
            const double slant = s < 3 ? slants[s] : 1, width = s < 3 ? 1 : 0;
            const double each = (width * (x[n - 1] - x[0]) + slant) / (double)count;
            for (size_t j = 1; j < chosen.result.bins; j++) { /* within the jump of a value */
                const double at = width * (chosen.edges[j] - x[0]), level = (double)j * each;
                const double below = at + slant * count_in(x, n, x[0], chosen.edges[j], 0) / (double)n;
                if (chosen.result.bins == count)
                    assert_true(below <= level + 1e-12 && level <= below + slant / (double)n + 1e-12);
            }
        }
    }
}

/* ---- formulas and nice edges: test_command_bins.py compares the formulas with NumPy's ---- */

UNIT_TEST(no_rule_makes_more_bins_than_values) {
    double x[MAX_POINTS];
    for (size_t i = 0; i < MAX_POINTS; i++)
        x[i] = (double)i;
    x[MAX_POINTS - 1] = 1e300; /* of 7e298 interquartile ranges */
    for (int rule = 0; rule <= UH_RULE_EQUAL_PROBABILITY; rule++) {
        const uh_rule_options options = options_of((uh_rule)rule);
        const struct chosen chosen = choose(bins_with(x, MAX_POINTS), (uh_rule)rule, &options);
        if (rule == UH_RULE_FD)
            assert_true(chosen.result.bins == MAX_POINTS && chosen.result.limited && chosen.result.wanted > 1e290);
    }
}

UNIT_TEST(nice_edges_are_multiples_of_1_2_or_5) {
    double x[MAX_POINTS];
    for (uint64_t seed = 0; seed < 200; seed++, test_end_from(0)) {
        const double scale = pow(10, (double)(seed % 41) - 20), shift = seed % 3 ? 0 : 12.5 * scale;
        const size_t n = sorted_values(seed, x), wanted = 1 + seed % 30;
        for (size_t i = 0; i < n; i++)
            x[i] = x[i] * scale - shift;
        const struct chosen chosen = choose(bins_with(x, n), UH_RULE_NICE, RULE(.bins = wanted));
        const size_t bins = chosen.result.bins;
        const double width = (chosen.edges[bins] - chosen.edges[0]) / (double)bins,
                     power = floor(log10(1.0001 * width));
        const double first = width / pow(10, power), step = round(first);
        assert_true(chosen.edges[0] <= x[0] && chosen.edges[bins] >= x[n - 1]);
        assert_true(chosen.edges[1] > x[0] && chosen.edges[bins - 1] < x[n - 1]);
        test_near(first, step, 1e-9);
        assert_true(step == 1 || step == 2 || step == 5);
        assert_in_range(bins, wanted / 2, 2 * wanted + 2);
        for (size_t j = 0; j <= bins; j++) /* the nearest float64 of a short decimal number */
            if (chosen.edges[j] != 0) {
                char text[40];
                snprintf(text, sizeof text, "%.12g", chosen.edges[j]);
                assert_true(strtod(text, NULL) == chosen.edges[j]);
            }
    }
}

UNIT_TEST(nice_edges_of_the_largest_integers_end) {
    static const double x[] = {1e16, 1e16 + 2, 1e16 + 6};
    for (size_t bins = 1; bins < 9; bins++) {
        const struct chosen chosen = choose(bins_with(x, 3), UH_RULE_NICE, RULE(.bins = bins));
        assert_true(chosen.edges[0] <= x[0] && chosen.edges[chosen.result.bins] >= x[2]);
    }
}

/* ---- edges of the options ---- */

UNIT_TEST(one_value_and_too_many_bins) {
    static const double one[] = {4, 4, 4}, outlier[] = {0, 1e-300, 1};
    struct chosen chosen = choose(bins_with(one, 3), UH_RULE_BLOCKS, NULL);
    assert_true(chosen.result.bins == 1 && chosen.edges[0] == 3.5 && chosen.edges[1] == 4.5);
    const double large = 1e300;
    chosen = choose(bins_with(&large, 1), UH_RULE_KNUTH, NULL);
    assert_true(chosen.edges[0] < large && chosen.edges[1] > large);
    double x[MAX_POINTS];
    for (size_t i = 0; i < MAX_POINTS; i++)
        x[i] = (double)i + (double)(i / 40 % 2) * 0.5 * (double)(i % 2);
    uh_bins *bins = bins_with(x, MAX_POINTS);
    chosen = choose(bins, UH_RULE_BLOCKS, RULE(.ncp_prior = 1e-3));
    const size_t all = chosen.result.bins;
    assert_true(all > 10 && !chosen.result.limited);
    chosen = choose(bins, UH_RULE_BLOCKS, RULE(.ncp_prior = 1e-3, .max_bins = all - 3));
    assert_true(chosen.result.bins == all - 3 && chosen.result.limited && chosen.edges[all - 3] == x[MAX_POINTS - 1]);
    assert_int_equal(choose(bins, UH_RULE_KNUTH, RULE(.max_bins = 300)).result.tried, 300);
    chosen = choose(bins_with(outlier, 3), UH_RULE_SHIMAZAKI, NULL); /* never more than there are values */
    assert_true(chosen.result.bins <= 3);
}

UNIT_TEST(wrong_arguments_are_named) {
    static const double x[] = {1, 2, 3}, reversed[] = {2, 1};
    uh_bins *bins = bins_with(x, 3), *none = NULL;
    uh_axis *axis = NULL;
    test_null_is_refused(uh_bins_axis(NAMED(bins, bins), UH_RULE_KNUTH, NULL, NAMED(axis, &axis), NULL));
    test_invalid(uh_bins_merge(bins, bins), "from is bins itself, expected another object");
    test_invalid(uh_bins_create(&(uh_bins_options){.struct_size = sizeof(uh_bins_options), .range = reversed}, &none),
                 "options->range is 2 to 1, expected finite numbers that ascend");
    test_invalid(uh_bins_create(&(uh_bins_options){.struct_size = sizeof(uh_bins_options), .max_values = 9}, &none),
                 "options->max_values is 9, expected 1024 to");
    test_invalid(uh_bins_axis(bins_of(NULL), UH_RULE_KNUTH, NULL, &axis, NULL), "bins has no values, expected some");
    static const double wide[] = {-DBL_MAX, 0, DBL_MAX};
    test_invalid(uh_bins_axis(bins_with(wide, 3), UH_RULE_BLOCKS, NULL, &axis, NULL),
                 "bins reaches from -1.79769e+308 to 1.79769e+308, expected a difference");
    test_invalid(uh_bins_axis(bins, (uh_rule)16, NULL, &axis, NULL), "rule is 16, expected a uh_rule, 0 to 15");
    test_invalid(uh_bins_axis(bins, UH_RULE_KNUTH, RULE(.bins = 2), &axis, NULL),
                 "options->bins is 2, expected 0: the rule knuth finds it");
    test_invalid(uh_bins_axis(bins, UH_RULE_CLUSTERS, NULL, &axis, NULL), "options->bins is 0, expected 1 to 65536");
    test_invalid(uh_bins_axis(bins, UH_RULE_CLUSTERS, RULE(.bins = 4), &axis, NULL),
                 "options->bins is 4, expected at most 3, the number of different values");
    test_invalid(uh_bins_axis(bins, UH_RULE_KNUTH, RULE(.p0 = 0.1), &axis, NULL),
                 "options->p0 is 0.1, expected 0 with the rule knuth");
    test_invalid(uh_bins_axis(bins, UH_RULE_BLOCKS, RULE(.p0 = 0.1, .gamma = 0.1), &axis, NULL),
                 "options->p0 is given with gamma or ncp_prior");
    test_invalid(uh_bins_axis(bins, UH_RULE_BLOCKS, RULE(.p0 = 2), &axis, NULL), "options->p0 is 2, expected 0 to 1");
    test_invalid(uh_bins_axis(bins, UH_RULE_BLOCKS, RULE(.slant = 2), &axis, NULL), "options->slant is 2, expected 0");
    test_invalid(uh_bins_axis(bins, UH_RULE_BLOCKS, RULE(.max_bins = 1 << 21), &axis, NULL),
                 "options->max_bins is 2097152");
    test_invalid(uh_bins_axis(bins, UH_RULE_EQUAL_PROBABILITY, NULL, &axis, NULL),
                 "options->distribution is NULL, expected one with the rule equal_probability");
    test_invalid(uh_bins_axis(bins, UH_RULE_QUANTILE, RULE(.bins = 2, .quantile_type = 10), &axis, NULL),
                 "options->quantile_type is 10, expected 0 to 9");
}
