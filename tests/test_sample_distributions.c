/* SPDX-License-Identifier: Apache-2.0 */
/* Samplers of distributions: what they refuse, their supports, degenerate parameters, and digits. That probabilities
 * are right is shown by test_sample_masses, and by test_sample_distributions_exact.py of what comes out. */
#include "tests/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <unihist/sample.h>

#include "kernels/sample/masses.h"
#include "kernels/sample/sample_run.h"
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

/* A call went well. */
static void good(uh_status status) {
    if (status)
        fail_msg("%s", uh_last_error());
}

static uh_sampler *const untouched = (uh_sampler *)(uintptr_t)0x1230;

/* A call that stores in a sampler is refused: the status, the text and the sampler as it was. */
#define REFUSED(status, text, call)                                                                                    \
    do {                                                                                                               \
        uh_sampler *sampler = untouched;                                                                               \
        assert_int_equal(call, status);                                                                                \
        assert_string_equal(uh_last_error(), text);                                                                    \
        assert_ptr_equal(sampler, untouched);                                                                          \
    } while (0)
#define INVALID(text, call)  REFUSED(UH_ERROR_INVALID_ARGUMENT, text, call)
#define TOO_MANY(text, call) REFUSED(UH_ERROR_UNSUPPORTED, text, call)

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

/* context: how often it was called */
static double square(int64_t outcome, void *context) {
    ++*(int *)context;
    return (double)outcome * (double)outcome;
}

/* ---- what is refused ---- */

UNIT_TEST(parameters_outside_their_range_are_refused_by_name_and_value) {
    INVALID("uh_sampler_create_uniform: low is 3 and high is 2, expected low <= high",
            uh_sampler_create_uniform(queue, 3, 2, NULL, &sampler));
    INVALID("uh_sampler_create_bernoulli: p is 1.5, expected 0 to 1",
            uh_sampler_create_bernoulli(queue, 1.5, NULL, &sampler));
    INVALID("uh_sampler_create_bernoulli: p is nan, expected 0 to 1",
            uh_sampler_create_bernoulli(queue, fabs((double)NAN), NULL, &sampler));
    INVALID("uh_sampler_create_binomial: p is -1, expected 0 to 1",
            uh_sampler_create_binomial(queue, 10, -1, NULL, &sampler));
    INVALID("uh_sampler_create_binomial: n is 4611686018427387905, expected at most 2^62",
            uh_sampler_create_binomial(queue, ((uint64_t)1 << 62) + 1, 0, NULL, &sampler));
    INVALID("uh_sampler_create_poisson: mean is -0.25, expected 0 to 2^40",
            uh_sampler_create_poisson(queue, -0.25, NULL, &sampler));
    INVALID("uh_sampler_create_poisson: mean is inf, expected 0 to 2^40",
            uh_sampler_create_poisson(queue, (double)INFINITY, NULL, &sampler));
    INVALID("uh_sampler_create_geometric: p is 0, expected 2^-56 to 1",
            uh_sampler_create_geometric(queue, 0, NULL, &sampler));
    INVALID("uh_sampler_create_negative_binomial: r is 0, expected a number above 0",
            uh_sampler_create_negative_binomial(queue, 0, 0.5, NULL, &sampler));
    INVALID("uh_sampler_create_negative_binomial: r is inf, expected a number above 0",
            uh_sampler_create_negative_binomial(queue, (double)INFINITY, 0.5, NULL, &sampler));
    INVALID("uh_sampler_create_negative_binomial: p is 0, expected above 0, to 1",
            uh_sampler_create_negative_binomial(queue, 1, 0, NULL, &sampler));
    INVALID("uh_sampler_create_hypergeometric: draws is 6, expected at most good + bad, 5",
            uh_sampler_create_hypergeometric(queue, 2, 3, 6, NULL, &sampler));
    INVALID("uh_sampler_create_hypergeometric: good is 9223372036854775808, expected at most 2^62",
            uh_sampler_create_hypergeometric(queue, (uint64_t)1 << 63, (uint64_t)1 << 63, 0, NULL, &sampler));
    INVALID("uh_sampler_create_hypergeometric: good + bad is 4611686018427387905, expected at most 2^62",
            uh_sampler_create_hypergeometric(queue, (uint64_t)1 << 62, 1, 0, NULL, &sampler));
    INVALID("uh_sampler_create_zipf: s is -0.5, expected a number, 0 or more",
            uh_sampler_create_zipf(queue, -0.5, 10, NULL, &sampler));
    INVALID("uh_sampler_create_zipf: n is 0, expected 1 to 134217728",
            uh_sampler_create_zipf(queue, 1, 0, NULL, &sampler));
}

UNIT_TEST(mass_functions_that_are_none_are_refused_by_outcome_and_value) {
    INVALID("uh_sampler_create_mass: mass is NULL, expected a function",
            uh_sampler_create_mass(queue, NULL, NULL, 0, 1, NULL, &sampler));
    INVALID("uh_sampler_create_mass: first is 1 and last is 0, expected first <= last",
            uh_sampler_create_mass(queue, nothing, NULL, 1, 0, NULL, &sampler));
    INVALID("uh_sampler_create_mass: mass(7) is -0.5, expected 0 or more",
            uh_sampler_create_mass(queue, minus_at_7, NULL, -100, 100, NULL, &sampler));
    INVALID("uh_sampler_create_mass: mass(-3) is nan, expected 0 or more",
            uh_sampler_create_mass(queue, nan_at_minus_3, NULL, -100, 100, NULL, &sampler));
    INVALID("uh_sampler_create_mass: mass(4) is inf, expected 0 or more",
            uh_sampler_create_mass(queue, infinite, NULL, 4, 5, NULL, &sampler));
    INVALID("uh_sampler_create_mass: mass is 0 from -7 to 9, expected some that is more",
            uh_sampler_create_mass(queue, nothing, NULL, -7, 9, NULL, &sampler));
}

UNIT_TEST(more_outcomes_than_a_table_holds_are_unsupported) {
    TOO_MANY("uh_sampler_create_zipf: n is 134217729, expected 1 to 134217728",
             uh_sampler_create_zipf(queue, 1, UH_SAMPLER_MAX_ITEMS + 1, NULL, &sampler));
    TOO_MANY("uh_sampler_create_mass: first is -9223372036854775808 and last is 9223372036854775807, expected at most "
             "134217728 outcomes",
             uh_sampler_create_mass(queue, nothing, NULL, INT64_MIN, INT64_MAX, NULL, &sampler));
    TOO_MANY("uh_sampler_create_negative_binomial: about 1.2e+10 outcomes have a mass that matters (all others of less "
             "than 2^-64), expected at most 134217728",
             uh_sampler_create_negative_binomial(queue, 1e18, 0.75, NULL, &sampler));
}

UNIT_TEST(every_distribution_wants_a_queue_a_place_and_options_of_this_size) {
    const uh_sampler_options options = {.struct_size = 1};
    uh_sampler *sampler = untouched;
    const uh_status refused = UH_ERROR_INVALID_ARGUMENT;
    for (int wrong = 0; wrong < 3; wrong++) {
        uh_queue *const q = wrong == 0 ? NULL : queue;
        uh_sampler **const to = wrong == 1 ? NULL : &sampler;
        const uh_sampler_options *const given = wrong == 2 ? &options : NULL;
        assert_int_equal(uh_sampler_create_uniform(q, 0, 1, given, to), refused);
        assert_int_equal(uh_sampler_create_bernoulli(q, 0.5, given, to), refused);
        assert_int_equal(uh_sampler_create_binomial(q, 1, 0.5, given, to), refused);
        assert_int_equal(uh_sampler_create_poisson(q, 1, given, to), refused);
        assert_int_equal(uh_sampler_create_geometric(q, 0.5, given, to), refused);
        assert_int_equal(uh_sampler_create_negative_binomial(q, 1, 0.5, given, to), refused);
        assert_int_equal(uh_sampler_create_hypergeometric(q, 1, 1, 1, given, to), refused);
        assert_int_equal(uh_sampler_create_zipf(q, 1, 2, given, to), refused);
        assert_int_equal(uh_sampler_create_mass(q, nothing, NULL, 0, 1, given, to), refused);
        assert_non_null(strstr(uh_last_error(), "uh_sampler_create_mass: "));
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
    good(uh_sampler_draw(sampler, N, 42, 7, UH_I64, drawn));
    for (int i = 0; i < N; i++)
        if (drawn[i] < first || drawn[i] > last)
            fail_msg("sample %d is %lld", i, (long long)drawn[i]);
    good(uh_sampler_destroy(sampler));
}

UNIT_TEST(degenerate_parameters_give_the_outcome_that_is_certain) {
    uh_sampler *sampler;
    for (int64_t n = 0; n <= 1000000000000; n = 10 * n + 1) {
        good(uh_sampler_create_binomial(queue, (uint64_t)n, 0, NULL, &sampler));
        check_support(sampler, 0, 0);
        good(uh_sampler_create_binomial(queue, (uint64_t)n, 1, NULL, &sampler));
        check_support(sampler, n, n);
        good(uh_sampler_create_hypergeometric(queue, 0, (uint64_t)n, (uint64_t)n, NULL, &sampler));
        check_support(sampler, 0, 0);
        good(uh_sampler_create_hypergeometric(queue, (uint64_t)n, 0, (uint64_t)n / 2, NULL, &sampler));
        check_support(sampler, n / 2, n / 2);
        good(uh_sampler_create_hypergeometric(queue, (uint64_t)n, 7, (uint64_t)n + 7, NULL, &sampler));
        check_support(sampler, n, n);
        good(uh_sampler_create_hypergeometric(queue, (uint64_t)n, 7, 0, NULL, &sampler));
        check_support(sampler, 0, 0);
    }
    good(uh_sampler_create_poisson(queue, 0, NULL, &sampler));
    check_support(sampler, 0, 0);
    good(uh_sampler_create_poisson(queue, 0x1p-1074, NULL, &sampler));
    check_support(sampler, 0, 0);
    good(uh_sampler_create_geometric(queue, 1, NULL, &sampler));
    check_support(sampler, 1, 1);
    good(uh_sampler_create_negative_binomial(queue, 1e300, 1, NULL, &sampler));
    check_support(sampler, 0, 0);
    good(uh_sampler_create_zipf(queue, 1e300, 1, NULL, &sampler));
    check_support(sampler, 1, 1);
    good(uh_sampler_create_uniform(queue, INT64_MIN, INT64_MIN, NULL, &sampler));
    check_support(sampler, INT64_MIN, INT64_MIN);
}

UNIT_TEST(bernoulli_has_both_outcomes_even_where_one_is_certain) {
    static const double p[] = {0, 5e-324, 0.25, 1 - 0x1p-53, 1};
    for (size_t i = 0; i < sizeof p / sizeof *p; i++) {
        uh_sampler *sampler;
        uint64_t c[2], counts[2];
        good(uh_sampler_create_bernoulli(queue, p[i], NULL, &sampler));
        /* C[1] = floor((1 - p) 2^64); where that is 2^64 itself no uint64 holds it */
        if (p[i] >= 0x1p-64) {
            good(uh_sampler_cumulative(sampler, c));
            assert_int_equal(c[0], 0);
            assert_int_equal(c[1], (uint64_t)ldexp(1 - p[i], 64));
        }
        good(uh_sampler_count(sampler, 10000, 1, 0, counts, 2));
        assert_int_equal(counts[0] + counts[1], 10000);
        if (p[i] < 0.1 || p[i] > 0.9)
            assert_int_equal(counts[p[i] > 0.9], 10000);
        check_support(sampler, 0, 1);
    }
}

UNIT_TEST(supports_are_what_the_distributions_say) {
    uh_sampler *sampler;
    good(uh_sampler_create_uniform(queue, -5, 17, NULL, &sampler));
    check_support(sampler, -5, 17);
    good(uh_sampler_create_uniform(queue, INT64_MIN, INT64_MAX, NULL, &sampler));
    check_support(sampler, INT64_MIN, INT64_MAX);
    good(uh_sampler_create_binomial(queue, 12, 0.5, NULL, &sampler));
    check_support(sampler, 0, 12);
    good(uh_sampler_create_hypergeometric(queue, 20, 10, 15, NULL, &sampler));
    check_support(sampler, 5, 15);
    good(uh_sampler_create_zipf(queue, 1.5, 1000, NULL, &sampler));
    check_support(sampler, 1, 1000);
    good(uh_sampler_create_geometric(queue, 0.5, NULL, &sampler)); /* P(X > 64) = 2^-64 is not below it */
    check_support(sampler, 1, 65);
    good(uh_sampler_create_negative_binomial(queue, 1, 0.5, NULL, &sampler));
    check_support(sampler, 0, 64);
    good(uh_sampler_create_poisson(queue, 0x1p-63, NULL, &sampler)); /* P(X > 0) >= 2^-64 > P(X > 1) */
    check_support(sampler, 0, 1);
    int calls = 0;
    good(uh_sampler_create_mass(queue, square, &calls, -3, 5, NULL, &sampler));
    assert_true(calls >= 9);
    check_support(sampler, -3, 5);
    good(uh_sampler_create_mass(queue, square, &calls, INT64_MAX - 2, INT64_MAX, NULL, &sampler));
    check_support(sampler, INT64_MAX - 2, INT64_MAX);
}

UNIT_TEST(a_mass_function_is_held_like_weights) {
    uh_sampler *sampler, *same;
    double weights[9];
    uint64_t c[9], expected[9];
    int calls = 0;
    for (int i = 0; i < 9; i++)
        weights[i] = (i - 3) * (i - 3);
    good(uh_sampler_create_mass(queue, square, &calls, -3, 5, NULL, &sampler));
    good(uh_sampler_create(queue, UH_F64, weights, 9, NULL, &same));
    good(uh_sampler_cumulative(sampler, c));
    good(uh_sampler_cumulative(same, expected));
    assert_memory_equal(c, expected, sizeof c);
    good(uh_sampler_destroy(sampler));
    good(uh_sampler_destroy(same));
}

UNIT_TEST(every_method_makes_every_distribution) {
    for (uh_sample_method method = UH_SAMPLE_UNIHIST; method <= UH_SAMPLE_BINARY; method++) {
        const uh_sampler_options options = {sizeof options, method};
        uh_sampler *sampler[7];
        int calls = 0;
        good(uh_sampler_create_bernoulli(queue, 0.3, &options, &sampler[0]));
        good(uh_sampler_create_binomial(queue, 100, 0.3, &options, &sampler[1]));
        good(uh_sampler_create_poisson(queue, 30, &options, &sampler[2]));
        good(uh_sampler_create_negative_binomial(queue, 2.5, 0.1, &options, &sampler[3]));
        good(uh_sampler_create_hypergeometric(queue, 50, 60, 70, &options, &sampler[4]));
        good(uh_sampler_create_zipf(queue, 1, 100, &options, &sampler[5]));
        good(uh_sampler_create_mass(queue, square, &calls, -10, 10, &options, &sampler[6]));
        for (int i = 0; i < 7; i++) {
            assert_int_equal(uh_sampler_method(sampler[i]), method);
            check_support(sampler[i], uh_sampler_first(sampler[i]), uh_sampler_last(sampler[i]));
        }
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
        good(uh_sampler_create_geometric(queue, tried[t].p, NULL, &sampler));
        const struct uhi_sampler_form *form = uhi_sampler_get_form(sampler);
        assert_int_equal(form->parts, tried[t].parts);
        good(uh_sampler_draw(sampler, N, 99, OFFSET, UH_U64, drawn));
        for (size_t i = 0; i < N; i++)
            expected[i] = 1;
        for (unsigned d = 0; d < form->parts; d++) {
            const uint64_t stream = ((uint64_t)1 << 63) + 2 * d;
            good(uh_random_u32(queue, UH_PHILOX4X32_10, 99, stream, OFFSET, w, N));
            good(uh_random_u32(queue, UH_PHILOX4X32_10, 99, stream + 1, OFFSET, v, N));
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
    good(uh_sampler_create_geometric(queue, 1e-6, NULL, &sampler));
    assert_int_equal(uh_sampler_cumulative(sampler, &c), UH_ERROR_UNSUPPORTED);
    assert_int_equal(c, 17);
    good(uh_sampler_destroy(sampler));
}

/* Masses of a table, of all its outcomes, in parts of 2^64. */
static uint64_t *table_masses(const struct uhi_sample_table *table) {
    uint64_t *mass = calloc(table->size, sizeof *mass);
    assert_non_null(mass);
    for (uint32_t r = 0; r < table->items; r++) {
        const uint64_t from = (uint64_t)table->top[r] << 32 | table->low[r];
        const uint64_t to = r + 1 < table->items ? (uint64_t)table->top[r + 1] << 32 | table->low[r + 1] : 0;
        mass[table->map ? table->map[r] : r] = to - from;
    }
    return mass;
}

UNIT_TEST(digits_and_one_table_realise_the_same_distribution) {
    static const double p[] = {0.0007, 0.003, 0.1};
    for (size_t t = 0; t < sizeof p / sizeof *p; t++) {
        struct uhi_mass_list list;
        struct uhi_sample_table *table[2];
        uh_sampler *sampler;
        good(uh_sampler_create_geometric(queue, p[t], NULL, &sampler));
        const struct uhi_sampler_form *form = uhi_sampler_get_form(sampler);
        assert_int_equal(form->parts, 1);
        for (unsigned d = 0; d < 2; d++) {
            good(uhi_masses_geometric("test", p[t], d, d == 1, &list));
            good(uhi_sample_table_create(queue, "test", &list.masses, UH_SAMPLE_BINARY, &table[d]));
            uhi_masses_free(&list);
        }
        uint64_t *one = table_masses(form->part[0]), *low = table_masses(table[0]), *high = table_masses(table[1]);
        for (size_t x = 0; x < (size_t)65536 * table[1]->size; x++) {
            /* in parts of 2^128; each way is within 2^-62. The last digit may be certain: 2^64 is said by 0. */
            const uint64_t top = high[x >> 16];
            const uhi_mass product =
                top || table[1]->items > 1 ? (uhi_mass)low[x & 65535] * top : (uhi_mass)low[x & 65535] << 64;
            const uhi_mass expected = x < form->part[0]->size ? (uhi_mass)one[x] << 64 : 0;
            const uhi_mass wrong = product > expected ? product - expected : expected - product;
            assert_true(wrong <= (uhi_mass)2 << (128 - 62));
        }
        free(one);
        free(low);
        free(high);
        uhi_sample_table_destroy(table[0]);
        uhi_sample_table_destroy(table[1]);
        good(uh_sampler_destroy(sampler));
    }
}

TEST_MAIN(test_sample_distributions) {
    return TEST_RUN(setup, teardown);
}
