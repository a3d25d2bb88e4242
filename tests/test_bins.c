/* SPDX-License-Identifier: Apache-2.0 */
/* Bins that the data choose: each rule against its definition, tried in all ways, and the same values however they
 * come. */
#include <unihist/bins.h>

#include "tests/arrays.h"
#include "tests/fixture.h"

enum { MAX_POINTS = 400 };

#define RULE(...) (&(const uh_rule_options){.struct_size = sizeof(uh_rule_options), __VA_ARGS__})

static void end_bins(void *bins) { uh_bins_destroy(bins); }

static uh_bins *bins_of(const uh_bins_options *options) {
    uh_bins *bins = NULL;
    test_good(uh_bins_create(options, &bins));
    return test_at_end(bins, end_bins);
}

static uh_bins *bins_with(const double *x, size_t n) {
    uh_bins *bins = bins_of(NULL);
    test_good(uh_bins_add(bins, ARRAY(UH_F64, x, n)));
    return bins;
}

/* Edges of a rule, MAX_POINTS at most. */
struct chosen {
    uh_rule_result result;
    double edges[MAX_POINTS + 1];
};

static struct chosen choose(uh_bins *bins, uh_rule rule, const uh_rule_options *options) {
    struct chosen chosen = {.result = {.struct_size = sizeof chosen.result}};
    uh_axis_properties properties = {.struct_size = sizeof properties};
    uh_axis *axis = NULL;
    test_good(uh_bins_axis(bins, rule, options, &axis, &chosen.result));
    test_good(uh_axis_get_properties(axis, &properties));
    assert_int_equal(properties.bins, chosen.result.bins);
    assert_in_range(properties.bins, 1, MAX_POINTS);
    memcpy(chosen.edges, properties.edges, (properties.bins + 1) * sizeof *chosen.edges);
    uh_axis_destroy(axis);
    return chosen;
}

static int by_value(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sorted values of several kinds: uniform, clustered, integers with many ties, two rates. */
static size_t sorted_values(uint64_t seed, double *x) {
    uint64_t state = seed + 1;
    const size_t n = 2 + (size_t)(test_random_f64(&state) * (double)(seed % 3 ? 30 : MAX_POINTS - 2));
    for (size_t i = 0; i < n; i++) {
        const double u = test_random_f64(&state);
        x[i] = seed % 4 == 0   ? u
               : seed % 4 == 1 ? floor(8 * u * u)
               : seed % 4 == 2 ? (i % 3 ? u : 0.4 + u / 20)
                               : -log(1 - u);
    }
    qsort(x, n, sizeof *x, by_value);
    x[n - 1] += x[n - 1] == x[0];
    return n;
}

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

/* Scargle's dynamic programme, as published: all beginnings are tried. */
static size_t blocks_by_definition(const double *x, size_t n, double prior, double *edges) {
    double t[MAX_POINTS] = {0}, cell[MAX_POINTS + 1], best[MAX_POINTS], fitness, count[MAX_POINTS] = {0};
    size_t values = 0, start[MAX_POINTS] = {0}, blocks = 0;
    for (size_t i = 0; i < n; i++) {
        if (values == 0 || x[i] > t[values - 1])
            t[values++] = x[i];
        count[values - 1]++;
    }
    for (size_t i = 0; i <= values; i++)
        cell[i] = i == 0 ? t[0] : i == values ? t[values - 1] : 0.5 * (t[i - 1] + t[i]);
    prior = prior > 0 ? prior : 4 - log(73.53 * 0.05 * pow((double)values, -0.478));
    for (size_t end = 0; end < values; end++) {
        double in = 0;
        best[end] = -INFINITY;
        for (size_t begin = end + 1; begin-- > 0;) {
            in += count[begin];
            fitness = in * (log(in) - log(cell[end + 1] - cell[begin])) - prior + (begin > 0 ? best[begin - 1] : 0);
            if (fitness >= best[end]) {
                best[end] = fitness;
                start[end] = begin;
            }
        }
    }
    for (size_t end = values; end > 0; end = start[end - 1])
        blocks++;
    for (size_t end = values, at = blocks; end > 0; end = start[end - 1])
        edges[at--] = cell[end];
    edges[0] = t[0];
    return blocks;
}

UNIT_TEST(blocks_are_those_of_trying_all_beginnings) {
    static const double priors[] = {0, 0.01, 1, 3, 20};
    double x[MAX_POINTS], edges[MAX_POINTS + 1];
    size_t most = 0;
    for (uint64_t seed = 0; seed < 400; seed++, test_end_from(0))
        for (size_t p = 0; p < sizeof priors / sizeof *priors; p++) {
            const size_t n = sorted_values(seed, x), blocks = blocks_by_definition(x, n, priors[p], edges);
            const struct chosen chosen = choose(bins_with(x, n), UH_RULE_BLOCKS, RULE(.ncp_prior = priors[p]));
            if (chosen.result.bins != blocks || memcmp(chosen.edges, edges, (blocks + 1) * sizeof *edges) != 0)
                fail_msg("seed %" PRIu64 ", prior %g: %zu blocks, expected %zu", seed, priors[p], chosen.result.bins,
                         blocks);
            most = blocks > most ? blocks : most;
        }
    assert_true(most > 20);
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

UNIT_TEST(values_are_the_same_in_any_order_and_pieces) {
    enum { N = 30000 };
    double *x = test_memory(N * sizeof *x);
    const uh_bins_options few = {.struct_size = sizeof few, .max_values = 1024}, *options[] = {NULL, &few};
    uint64_t random = 7;
    for (size_t i = 0; i < N; i++)
        x[i] = i % 1000 == 0 ? (i % 2000 ? NAN : INFINITY) : exp(5 * test_random_f64(&random)) * (i % 3 ? 1 : -1);
    for (size_t o = 0; o < 2; o++) {
        uh_bins *whole = bins_of(options[o]), *parts = bins_of(options[o]), *one = bins_of(options[o]);
        uh_bins_properties properties = {.struct_size = sizeof properties};
        test_good(uh_bins_add(whole, ARRAY(UH_F64, x, N)));
        for (size_t at = N; at > 0;) { /* backwards, in pieces, some by merges */
            const size_t n = at < 777 ? at : 777;
            uh_bins *piece = bins_of(options[o]);
            at -= n;
            test_good(uh_bins_add(at % 2 ? one : piece, STRIDED(UH_F64, x + at + n - 1, n, -(ptrdiff_t)sizeof *x)));
            test_good(uh_bins_merge(parts, piece));
        }
        test_good(uh_bins_merge(parts, one));
        have_same_values(whole, parts);
        test_good(uh_bins_get_properties(whole, &properties));
        assert_int_equal(properties.n, N - 30);
        assert_true(properties.nan == 15 && properties.beyond == 15);
        assert_true(o ? properties.joined > 0 && properties.values <= 1024 && properties.values > 512
                      : properties.joined == 0);
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
        test_good(uh_bins_add(to, ARRAY(UH_I16, small, 4)));
        test_good(uh_bins_add(to, ARRAY(UH_U64, large, 2)));
        test_good(uh_bins_add(to, ARRAY(UH_F32, single, 2)));
    }
    test_good(uh_bins_get_properties(bins, &all));
    test_good(uh_bins_get_properties(ranged, &some));
    assert_true(all.n == 7 && all.values == 6 && all.beyond == 1 && all.min == -3 && all.max == 0x1p63);
    assert_true(some.n == 5 && some.values == 4 && some.beyond == 3 && some.max == 7);
    const struct chosen chosen = choose(ranged, UH_RULE_KNUTH, NULL);
    assert_true(chosen.edges[0] == -3 && chosen.edges[chosen.result.bins] == 7);
    test_assert_failed(uh_bins_merge(bins, ranged), UH_ERROR_INCOMPATIBLE, "from has another range or max_values", "");
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
    test_invalid(uh_bins_axis(bins, (uh_rule)9, NULL, &axis, NULL), "rule is 9, expected a uh_rule, 0 to 4");
    test_invalid(uh_bins_axis(bins, UH_RULE_KNUTH, RULE(.bins = 2), &axis, NULL),
                 "options->bins is 2, expected 0: the rule knuth finds it");
    test_invalid(uh_bins_axis(bins, UH_RULE_CLUSTERS, NULL, &axis, NULL), "options->bins is 0, expected 1 to 65536");
    test_invalid(uh_bins_axis(bins, UH_RULE_CLUSTERS, RULE(.bins = 4), &axis, NULL),
                 "options->bins is 4, expected at most 3, the number of different values");
    test_invalid(uh_bins_axis(bins, UH_RULE_KNUTH, RULE(.p0 = 0.1), &axis, NULL),
                 "options->p0 is given, or gamma or ncp_prior, expected 0");
    test_invalid(uh_bins_axis(bins, UH_RULE_BLOCKS, RULE(.p0 = 0.1, .gamma = 0.1), &axis, NULL),
                 "options->p0 is given with gamma or ncp_prior");
    test_invalid(uh_bins_axis(bins, UH_RULE_BLOCKS, RULE(.p0 = 2), &axis, NULL), "options->p0 is 2, expected 0 to 1");
    test_invalid(uh_bins_axis(bins, UH_RULE_BLOCKS, RULE(.slant = 2), &axis, NULL), "options->slant is 2, expected 0");
    test_invalid(uh_bins_axis(bins, UH_RULE_BLOCKS, RULE(.max_bins = 1 << 21), &axis, NULL),
                 "options->max_bins is 2097152");
}
