/* SPDX-License-Identifier: Apache-2.0 */
/* Samplers of distributions: what they refuse, their supports, degenerate parameters, and digits. That probabilities
 * are right is shown by test_sample_distributions_exact.py. */
#include "tests/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/sample/sample_run.h"
#include "tests/distributions.h"
#include "tests/fixture.h"

static uh_queue *queue;

static int setup(void **state) {
    (void)state;
    queue = test_queue(2, 0);
    return 0;
}

static int teardown(void **state) {
    (void)state;
    return uh_queue_destroy(queue) == UH_SUCCESS ? 0 : -1;
}

static uh_sampler *const untouched = (uh_sampler *)(uintptr_t)0x1230;

static double minus_at_7(int64_t outcome, void *context) {
    (void)context;
    return outcome == 7 ? -0.5 : 1;
}

static double nan_at_minus_3(int64_t outcome, void *context) {
    (void)context;
    return outcome == -3 ? (double)NAN : 1;
}

static double infinite(int64_t outcome, void *context) {
    (void)outcome;
    (void)context;
    return (double)INFINITY;
}

static double nothing(int64_t outcome, void *context) {
    (void)outcome;
    (void)context;
    return 0;
}

static int calls;

/* ---- what is refused ---- */

/* The message is that of the call, and the sampler is as it was. */
UNIT_TEST(wrong_parameters_are_refused_by_name_and_value) {
    const double inf = (double)INFINITY, nan = fabs((double)NAN);
    const uint64_t top = (uint64_t)1 << 62, min = (uint64_t)INT64_MIN, max = INT64_MAX;
    const struct {
        const char *text;
        struct distributed d;
    } rows[] = {
        {"uniform: low is 3 and high is 2, expected low <= high", {UNIFORM, .whole = {3, 2}}},
        {"bernoulli: p is 1.5, expected 0 to 1", {BERNOULLI, .real = {1.5}}},
        {"bernoulli: p is nan, expected 0 to 1", {BERNOULLI, .real = {nan}}},
        {"binomial: p is -1, expected 0 to 1", {BINOMIAL, .real = {-1}, .whole = {10}}},
        {"binomial: n is 4611686018427387905, expected at most 2^62", {BINOMIAL, .real = {0}, .whole = {top + 1}}},
        {"poisson: mean is -0.25, expected 0 to 2^40", {POISSON, .real = {-0.25}}},
        {"poisson: mean is inf, expected 0 to 2^40", {POISSON, .real = {inf}}},
        {"geometric: p is 0, expected 2^-56 to 1", {GEOMETRIC, .real = {0}}},
        {"negative_binomial: r is 0, expected a number above 0", {NEGATIVE_BINOMIAL, .real = {0, 0.5}}},
        {"negative_binomial: r is inf, expected a number above 0", {NEGATIVE_BINOMIAL, .real = {inf, 0.5}}},
        {"negative_binomial: p is 0, expected above 0, to 1", {NEGATIVE_BINOMIAL, .real = {1, 0}}},
        {"hypergeometric: draws is 6, expected at most good + bad, 5", {HYPERGEOMETRIC, .whole = {2, 3, 6}}},
        {"hypergeometric: good is 9223372036854775808, expected at most 2^62",
         {HYPERGEOMETRIC, .whole = {2 * top, 2 * top}}},
        {"hypergeometric: good + bad is 4611686018427387905, expected at most 2^62",
         {HYPERGEOMETRIC, .whole = {top, 1}}},
        {"zipf: s is -0.5, expected a number, 0 or more", {ZIPF, .real = {-0.5}, .whole = {10}}},
        {"zipf: n is 0, expected 1 to 134217728", {ZIPF, .real = {1}, .whole = {0}}},
        {"mass: mass is NULL, expected a function", {MASS, .whole = {0, 1}}},
        {"mass: first is 1 and last is 0, expected first <= last", {MASS, .whole = {1, 0}, .mass = nothing}},
        {"mass: mass(7) is -0.5, expected 0 or more", {MASS, .whole = {(uint64_t)-100, 100}, .mass = minus_at_7}},
        {"mass: mass(-3) is nan, expected 0 or more", {MASS, .whole = {(uint64_t)-100, 100}, .mass = nan_at_minus_3}},
        {"mass: mass(4) is inf, expected 0 or more", {MASS, .whole = {4, 5}, .mass = infinite}},
        {"mass: mass is 0 from -7 to 9, expected some that is more",
         {MASS, .whole = {(uint64_t)-7, 9}, .mass = nothing}},
        /* more outcomes than a table holds */
        {"zipf: n is 134217729, expected 1 to 134217728", {ZIPF, .real = {1}, .whole = {UH_SAMPLER_MAX_ITEMS + 1}}},
        {"mass: first is -9223372036854775808 and last is 9223372036854775807, expected at most 134217728 outcomes",
         {MASS, .whole = {min, max}, .mass = nothing}},
        {"negative_binomial: about 1.2e+10 outcomes have a mass that matters (all others of less than 2^-64), expected "
         "at most 134217728",
         {NEGATIVE_BINOMIAL, .real = {1e18, 0.75}}},
    };
    enum { ROWS = sizeof rows / sizeof *rows, TOO_MANY = 3 };
    static const char call[] = "uh_sampler_create_";
    for (size_t i = 0; i < ROWS; i++) {
        uh_sampler *sampler = untouched;
        test_assert_failed(distributed_create(queue, &rows[i].d, NULL, &sampler),
                           i < ROWS - TOO_MANY ? UH_ERROR_INVALID_ARGUMENT : UH_ERROR_UNSUPPORTED, call);
        assert_string_equal(uh_last_error() + strlen(call), rows[i].text);
        assert_ptr_equal(sampler, untouched);
    }
}

static double square(int64_t outcome, void *context);

static const struct distributed usual[] = {{UNIFORM, .whole = {0, 1}},
                                           {BERNOULLI, .real = {0.3}},
                                           {BINOMIAL, .real = {0.3}, .whole = {100}},
                                           {POISSON, .real = {30}},
                                           {GEOMETRIC, .real = {0.5}},
                                           {NEGATIVE_BINOMIAL, .real = {2.5, 0.1}},
                                           {HYPERGEOMETRIC, .whole = {50, 60, 70}},
                                           {ZIPF, .real = {1}, .whole = {100}},
                                           {MASS, .whole = {(uint64_t)-10, 10}, .mass = square, .context = &calls}};
enum { USUAL = sizeof usual / sizeof *usual };

UNIT_TEST(every_distribution_wants_a_queue_a_place_and_options_of_this_size) {
    const uh_sampler_options options = {.struct_size = 1};
    uh_sampler *sampler = untouched;
    for (size_t i = 0; i < USUAL; i++) {
        test_invalid(distributed_create(NULL, &usual[i], NULL, &sampler), "uh_sampler_create_");
        test_invalid(distributed_create(queue, &usual[i], NULL, NULL), "uh_sampler_create_");
        test_invalid(distributed_create(queue, &usual[i], &options, &sampler), "uh_sampler_create_");
    }
    assert_ptr_equal(sampler, untouched);
}

/* ---- supports ---- */

/* The sampler's outcomes are first .. last; those that it draws are within; it is destroyed. */
static void check_support(uh_sampler *sampler, int64_t first, int64_t last) {
    enum { N = 1000 };
    int64_t drawn[N];
    assert_int_equal(uh_sampler_first(sampler), first);
    assert_int_equal(uh_sampler_last(sampler), last);
    assert_int_equal(uh_sampler_size(sampler), (uint64_t)last - (uint64_t)first + 1);
    test_good(uh_sampler_draw(sampler, N, 42, 7, UH_I64, drawn));
    for (int i = 0; i < N; i++)
        if (drawn[i] < first || drawn[i] > last)
            fail_msg("sample %d is %lld", i, (long long)drawn[i]);
    test_good(uh_sampler_destroy(sampler));
}

UNIT_TEST(degenerate_parameters_give_the_outcome_that_is_certain) {
    uh_sampler *sampler;
    for (uint64_t n = 0; n <= 1000000000000; n = 10 * n + 1) {
        const struct {
            struct distributed d;
            uint64_t outcome;
        } rows[] = {{{BINOMIAL, .real = {0}, .whole = {n}}, 0},    {{BINOMIAL, .real = {1}, .whole = {n}}, n},
                    {{HYPERGEOMETRIC, .whole = {0, n, n}}, 0},     {{HYPERGEOMETRIC, .whole = {n, 0, n / 2}}, n / 2},
                    {{HYPERGEOMETRIC, .whole = {n, 7, n + 7}}, n}, {{HYPERGEOMETRIC, .whole = {n, 7, 0}}, 0}};
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            test_good(distributed_create(queue, &rows[i].d, NULL, &sampler));
            check_support(sampler, (int64_t)rows[i].outcome, (int64_t)rows[i].outcome);
        }
    }
}

UNIT_TEST(bernoulli_has_both_outcomes_even_where_one_is_certain) {
    static const double p[] = {0, 5e-324, 0.25, 1 - 0x1p-53, 1};
    for (size_t i = 0; i < sizeof p / sizeof *p; i++) {
        uh_sampler *sampler;
        uint64_t c[2], counts[2];
        test_good(uh_sampler_create_bernoulli(queue, p[i], NULL, &sampler));
        /* C[1] = floor((1 - p) 2^64); where that is 2^64 itself no uint64 holds it */
        if (p[i] >= 0x1p-64) {
            test_good(uh_sampler_cumulative(sampler, c));
            assert_int_equal(c[0], 0);
            assert_int_equal(c[1], (uint64_t)ldexp(1 - p[i], 64));
        }
        test_good(uh_sampler_count(sampler, 10000, 1, 0, counts, 2));
        assert_int_equal(counts[0] + counts[1], 10000);
        if (p[i] < 0.1 || p[i] > 0.9)
            assert_int_equal(counts[p[i] > 0.9], 10000);
        check_support(sampler, 0, 1);
    }
}

/* context: how often it was called */
static double square(int64_t outcome, void *context) {
    ++*(int *)context;
    return (double)outcome * (double)outcome;
}

UNIT_TEST(supports_are_what_the_distributions_say) {
    const uint64_t min = (uint64_t)INT64_MIN, max = INT64_MAX;
    const struct {
        struct distributed d;
        int64_t first, last;
    } rows[] = {
        {{POISSON, .real = {0}}, 0, 0},
        {{POISSON, .real = {0x1p-1074}}, 0, 0},
        {{GEOMETRIC, .real = {1}}, 1, 1},
        {{NEGATIVE_BINOMIAL, .real = {1e300, 1}}, 0, 0},
        {{ZIPF, .real = {1e300}, .whole = {1}}, 1, 1},
        {{UNIFORM, .whole = {min, min}}, INT64_MIN, INT64_MIN},
        {{UNIFORM, .whole = {(uint64_t)-5, 17}}, -5, 17},
        {{UNIFORM, .whole = {min, max}}, INT64_MIN, INT64_MAX},
        {{BINOMIAL, .real = {0.5}, .whole = {12}}, 0, 12},
        {{HYPERGEOMETRIC, .whole = {20, 10, 15}}, 5, 15},
        {{ZIPF, .real = {1.5}, .whole = {1000}}, 1, 1000},
        {{GEOMETRIC, .real = {0.5}}, 1, 65}, /* P(X > 64) = 2^-64 is not below it */
        {{NEGATIVE_BINOMIAL, .real = {1, 0.5}}, 0, 64},
        {{POISSON, .real = {0x1p-63}}, 0, 1}, /* P(X > 0) >= 2^-64 > P(X > 1) */
        {{MASS, .whole = {(uint64_t)-3, 5}, .mass = square, .context = &calls}, -3, 5},
        {{MASS, .whole = {max - 2, max}, .mass = square, .context = &calls}, INT64_MAX - 2, INT64_MAX},
    };
    uh_sampler *sampler;
    calls = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        test_good(distributed_create(queue, &rows[i].d, NULL, &sampler));
        check_support(sampler, rows[i].first, rows[i].last);
    }
    assert_true(calls >= 12);
}

UNIT_TEST(a_mass_function_is_held_like_weights) {
    uh_sampler *sampler, *same;
    double weights[9];
    uint64_t c[9], expected[9];
    for (int i = 0; i < 9; i++)
        weights[i] = (i - 3) * (i - 3);
    test_good(uh_sampler_create_mass(queue, square, &calls, -3, 5, NULL, &sampler));
    test_good(uh_sampler_create(queue, UH_F64, weights, 9, NULL, &same));
    test_good(uh_sampler_cumulative(sampler, c));
    test_good(uh_sampler_cumulative(same, expected));
    assert_memory_equal(c, expected, sizeof c);
    test_good(uh_sampler_destroy(sampler));
    test_good(uh_sampler_destroy(same));
}

UNIT_TEST(every_method_makes_every_distribution) {
    for (uh_sample_method method = UH_SAMPLE_UNIHIST; method <= UH_SAMPLE_BINARY; method++)
        for (size_t i = 0; i < USUAL; i++) {
            const uh_sampler_options options = {sizeof options, method};
            uh_sampler *sampler;
            test_good(distributed_create(queue, &usual[i], &options, &sampler));
            assert_true(usual[i].distribution == UNIFORM || uh_sampler_method(sampler) == method);
            check_support(sampler, uh_sampler_first(sampler), uh_sampler_last(sampler));
        }
}

/* ---- geometric digits ---- */

/* Which outcome of a table has u: the definition, one after the other. */
static uint64_t look_up(const struct uhi_sample_table *table, uint64_t u) {
    uint32_t rank = 0;
    while (rank + 1 < table->items && ((uint64_t)table->top[rank + 1] << 32 | table->low[rank + 1]) <= u)
        rank++;
    return table->map ? table->map[rank] : rank;
}

UNIT_TEST(samples_of_digits_are_put_together_from_their_streams) {
    static const struct {
        double p;
        size_t parts;
    } tried[] = {{0.1, 1}, {1e-4, 2}, {1e-10, 3}, {0x1p-56, 4}};
    enum { N = 60, OFFSET = 1001 };
    for (size_t t = 0; t < sizeof tried / sizeof *tried; t++) {
        uint64_t drawn[N], expected[N];
        uint32_t w[N], v[N];
        uh_sampler *sampler;
        test_good(uh_sampler_create_geometric(queue, tried[t].p, NULL, &sampler));
        const struct uhi_sampler_form *form = uhi_sampler_get_form(sampler);
        assert_int_equal(form->parts, tried[t].parts);
        test_good(uh_sampler_draw(sampler, N, 99, OFFSET, UH_U64, drawn));
        for (size_t i = 0; i < N; i++)
            expected[i] = 1;
        for (unsigned d = 0; d < form->parts; d++) {
            const uint64_t stream = ((uint64_t)1 << 63) + 2 * d;
            test_good(uh_random_bits(queue, UH_PHILOX4X32_10, 99, stream, OFFSET, UH_U32, w, N));
            test_good(uh_random_bits(queue, UH_PHILOX4X32_10, 99, stream + 1, OFFSET, UH_U32, v, N));
            for (size_t i = 0; i < N; i++)
                expected[i] += look_up(form->part[d], (uint64_t)w[i] << 32 | v[i]) << 16 * d;
        }
        assert_memory_equal(drawn, expected, sizeof drawn);
        check_support(sampler, 1, uh_sampler_last(sampler));
    }
}

UNIT_TEST(digits_have_no_cumulative) {
    uh_sampler *sampler;
    uint64_t c = 17;
    test_good(uh_sampler_create_geometric(queue, 1e-6, NULL, &sampler));
    assert_int_equal(uh_sampler_cumulative(sampler, &c), UH_ERROR_UNSUPPORTED);
    assert_int_equal(c, 17);
    test_good(uh_sampler_destroy(sampler));
}

TEST_AROUND(test_sample_distributions, setup, teardown)
