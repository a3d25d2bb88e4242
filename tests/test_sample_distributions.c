/* SPDX-License-Identifier: Apache-2.0 */
/* Samplers of named distributions, and the masses that they are made of. Their tables are compared with exact numbers,
 * and uniform integers one by one, by test_probabilities.py. */

#include "kernels/sample/masses.h"
#include "kernels/sample/sample_run.h"
#include "tests/tested.h"

static uh_sampler *const untouched = (uh_sampler *)(uintptr_t)0x1230;

static double minus_at_7(int64_t outcome, void *context) { return outcome == 7 ? -0.5 : 1; }

static double nan_at_minus_3(int64_t outcome, void *context) { return outcome == -3 ? (double)NAN : 1; }

static double infinite(int64_t outcome, void *context) { return (double)INFINITY; }

static double nothing(int64_t outcome, void *context) { return 0; }

static int calls;

/* The message is that of the call, and the sampler is as it was. */
UNIT_TEST(wrong_parameters_are_refused_by_name_and_value) {
    const double inf = (double)INFINITY, nan = fabs((double)NAN);
    const uint64_t top = (uint64_t)1 << 62;
    const struct {
        const char *text;
        uh_discrete d;
    } rows[] = {
        {"distribution->low is 3 and high is 2, expected low <= high", DISCRETE(UNIFORM, .low = 3, .high = 2)},
        {"distribution->p is 1.5, expected 0 to 1", DISCRETE(BERNOULLI, .p = 1.5)},
        {"distribution->p is nan, expected 0 to 1", DISCRETE(BERNOULLI, .p = nan)},
        {"distribution->p is -1, expected 0 to 1", DISCRETE(BINOMIAL, .p = -1, .n = 10)},
        {"distribution->n is 4611686018427387905, expected at most 2^62", DISCRETE(BINOMIAL, .n = top + 1)},
        {"distribution->mean is -0.25, expected 0 to 2^40", DISCRETE(POISSON, .mean = -0.25)},
        {"distribution->mean is inf, expected 0 to 2^40", DISCRETE(POISSON, .mean = inf)},
        {"distribution->p is 0, expected 2^-56 to 1", DISCRETE(GEOMETRIC, .p = 0)},
        {"distribution->r is 0, expected a number above 0", DISCRETE(NEGATIVE_BINOMIAL, .p = 0.5)},
        {"distribution->r is inf, expected a number above 0", DISCRETE(NEGATIVE_BINOMIAL, .r = inf, .p = 0.5)},
        {"distribution->p is 0, expected above 0, to 1", DISCRETE(NEGATIVE_BINOMIAL, .r = 1)},
        {"distribution->draws is 6, expected at most good + bad, 5",
         DISCRETE(HYPERGEOMETRIC, .good = 2, .bad = 3, .draws = 6)},
        {"distribution->good is 9223372036854775808, expected at most 2^62",
         DISCRETE(HYPERGEOMETRIC, .good = 2 * top, .bad = 2 * top)},
        {"distribution->good + bad is 4611686018427387905, expected at most 2^62",
         DISCRETE(HYPERGEOMETRIC, .good = top, .bad = 1)},
        {"distribution->s is -0.5, expected a number, 0 or more", DISCRETE(ZIPF, .s = -0.5, .n = 10)},
        {"distribution->n is 0, expected 1 to 134217728", DISCRETE(ZIPF, .s = 1)},
        {"distribution->mass is NULL, expected a function", DISCRETE(MASS, .last = 1)},
        {"distribution->first is 1 and last is 0, expected first <= last", DISCRETE(MASS, .first = 1, .mass = nothing)},
        {"distribution->mass(7) is -0.5, expected 0 or more",
         DISCRETE(MASS, .first = -100, .last = 100, .mass = minus_at_7)},
        {"distribution->mass(-3) is nan, expected 0 or more",
         DISCRETE(MASS, .first = -100, .last = 100, .mass = nan_at_minus_3)},
        {"distribution->mass(4) is inf, expected 0 or more", DISCRETE(MASS, .first = 4, .last = 5, .mass = infinite)},
        {"distribution->mass is 0 from -7 to 9, expected some that is more",
         DISCRETE(MASS, .first = -7, .last = 9, .mass = nothing)},
        {"distribution->kind is 10, expected a uh_discrete_kind, 0 to 9",
         {.struct_size = sizeof(uh_discrete), .kind = (uh_discrete_kind)10}},
        {"distribution->kind is -1, expected a uh_discrete_kind, 0 to 9",
         {.struct_size = sizeof(uh_discrete), .kind = (uh_discrete_kind)-1}},
        /* more outcomes than a table holds */
        {"distribution->n is 134217729, expected 1 to 134217728",
         DISCRETE(ZIPF, .s = 1, .n = UH_SAMPLER_MAX_ITEMS + 1)},
        {"distribution->first is -9223372036854775808 and last is 9223372036854775807, expected at most 134217728 "
         "outcomes",
         DISCRETE(MASS, .first = INT64_MIN, .last = INT64_MAX, .mass = nothing)},
        {"distribution has about 1.2e+10 outcomes of a mass that matters (all others of less than 2^-64), expected at "
         "most 134217728",
         DISCRETE(NEGATIVE_BINOMIAL, .r = 1e18, .p = 0.75)},
    };
    enum { ROWS = sizeof rows / sizeof *rows, TOO_MANY = 3 };
    static const char call[] = "uh_sampler_create: ";
    for (size_t i = 0; i < ROWS; i++) {
        uh_sampler *sampler = untouched;
        test_assert_failed(uh_sampler_create(tested.queue, &rows[i].d, NULL, &sampler),
                           i < ROWS - TOO_MANY ? UH_ERROR_INVALID_ARGUMENT : UH_ERROR_UNSUPPORTED, call);
        assert_string_equal(uh_last_error() + strlen(call), rows[i].text);
        assert_ptr_equal(sampler, untouched);
    }
}

static double square(int64_t outcome, void *context);

static const uh_discrete usual[] = {DISCRETE(UNIFORM, .low = 0, .high = 1),
                                    DISCRETE(BERNOULLI, .p = 0.3),
                                    DISCRETE(BINOMIAL, .p = 0.3, .n = 100),
                                    DISCRETE(POISSON, .mean = 30),
                                    DISCRETE(GEOMETRIC, .p = 0.5),
                                    DISCRETE(NEGATIVE_BINOMIAL, .r = 2.5, .p = 0.1),
                                    DISCRETE(HYPERGEOMETRIC, .good = 50, .bad = 60, .draws = 70),
                                    DISCRETE(ZIPF, .s = 1, .n = 100),
                                    DISCRETE(MASS, .first = -10, .last = 10, .mass = square, .context = &calls)};
enum { USUAL = sizeof usual / sizeof *usual };

UNIT_TEST(a_distribution_wants_a_queue_a_place_and_structs_of_this_size) {
    const uh_sampler_options options = {.struct_size = 1};
    const uh_discrete unsized = {.struct_size = 2};
    uh_sampler *sampler = untouched;
    test_null_is_refused(
        uh_sampler_create(NAMED(queue, tested.queue), NAMED(distribution, usual), NULL, NAMED(sampler, &sampler)));
    test_invalid(uh_sampler_create(tested.queue, usual, &options, &sampler), "options->struct_size is 1");
    test_invalid(uh_sampler_create(tested.queue, &unsized, NULL, &sampler), "distribution->struct_size is 2");
    assert_ptr_equal(sampler, untouched);
}

/* The sampler's outcomes are first .. last; those that it draws are within. */
static void check_support(uh_sampler *sampler, int64_t first, int64_t last) {
    enum { N = 1000 };
    int64_t drawn[N];
    const uh_sampler_properties properties = test_sampler_properties(sampler);
    assert_int_equal(properties.first, first);
    assert_int_equal(properties.last, last);
    assert_int_equal(properties.size, (uint64_t)last - (uint64_t)first + 1);
    test_good(uh_sampler_draw(sampler, 42, 7, UH_I64, drawn, N));
    for (int i = 0; i < N; i++)
        if (drawn[i] < first || drawn[i] > last)
            fail_msg("sample %d is %lld", i, (long long)drawn[i]);
}

UNIT_TEST(degenerate_parameters_give_the_outcome_that_is_certain) {
    for (uint64_t n = 0; n <= 1000000000000; n = 10 * n + 1) {
        const struct {
            uh_discrete d;
            uint64_t outcome;
        } rows[] = {{DISCRETE(BINOMIAL, .p = 0, .n = n), 0},
                    {DISCRETE(BINOMIAL, .p = 1, .n = n), n},
                    {DISCRETE(HYPERGEOMETRIC, .bad = n, .draws = n), 0},
                    {DISCRETE(HYPERGEOMETRIC, .good = n, .draws = n / 2), n / 2},
                    {DISCRETE(HYPERGEOMETRIC, .good = n, .bad = 7, .draws = n + 7), n},
                    {DISCRETE(HYPERGEOMETRIC, .good = n, .bad = 7), 0}};
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
            check_support(test_sampler_of(tested.queue, &rows[i].d, NULL), (int64_t)rows[i].outcome,
                          (int64_t)rows[i].outcome);
    }
}

UNIT_TEST(bernoulli_has_both_outcomes_even_where_one_is_certain) {
    static const double p[] = {0, 5e-324, 0.25, 1 - 0x1p-53, 1};
    for (size_t i = 0; i < sizeof p / sizeof *p; i++) {
        uint64_t c[2], counts[2];
        size_t used = 0;
        uh_sampler *sampler = test_sampler_of(tested.queue, &(uh_discrete)DISCRETE(BERNOULLI, .p = p[i]), NULL);
        /* C[1] = floor((1 - p) 2^64); where that is 2^64 itself no uint64 holds it */
        test_good(uh_sampler_cumulative(sampler, c, &used));
        assert_int_equal(c[0], 0);
        const double below = p[i] >= 0x1p-64 ? 1 - p[i] : 0;
        assert_int_equal(c[1], (uint64_t)(below * 0x1p64));
        assert_int_equal(used, p[i] >= 0x1p-64 ? 2 : 1);
        test_good(uh_sampler_count(sampler, 1, 0, 10000, counts, 2));
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
    const struct {
        uh_discrete d;
        int64_t first, last;
    } rows[] = {
        {DISCRETE(POISSON, .mean = 0), 0, 0},
        {DISCRETE(POISSON, .mean = 0x1p-1074), 0, 0},
        {DISCRETE(GEOMETRIC, .p = 1), 1, 1},
        {DISCRETE(NEGATIVE_BINOMIAL, .r = 1e300, .p = 1), 0, 0},
        {DISCRETE(ZIPF, .s = 1e300, .n = 1), 1, 1},
        {DISCRETE(UNIFORM, .low = INT64_MIN, .high = INT64_MIN), INT64_MIN, INT64_MIN},
        {DISCRETE(UNIFORM, .low = -5, .high = 17), -5, 17},
        {DISCRETE(UNIFORM, .low = INT64_MIN, .high = INT64_MAX), INT64_MIN, INT64_MAX},
        {DISCRETE(BINOMIAL, .p = 0.5, .n = 12), 0, 12},
        {DISCRETE(HYPERGEOMETRIC, .good = 20, .bad = 10, .draws = 15), 5, 15},
        {DISCRETE(ZIPF, .s = 1.5, .n = 1000), 1, 1000},
        {DISCRETE(GEOMETRIC, .p = 0.5), 1, 65}, /* P(X > 64) = 2^-64 is not below it */
        {DISCRETE(NEGATIVE_BINOMIAL, .r = 1, .p = 0.5), 0, 64},
        {DISCRETE(POISSON, .mean = 0x1p-63), 0, 1}, /* P(X > 0) >= 2^-64 > P(X > 1) */
        {DISCRETE(MASS, .first = -3, .last = 5, .mass = square, .context = &calls), -3, 5},
        {DISCRETE(MASS, .first = INT64_MAX - 2, .last = INT64_MAX, .mass = square, .context = &calls), INT64_MAX - 2,
         INT64_MAX},
    };
    calls = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        check_support(test_sampler_of(tested.queue, &rows[i].d, NULL), rows[i].first, rows[i].last);
    assert_true(calls >= 12);
}

UNIT_TEST(every_method_makes_every_distribution) {
    for (uh_sample_method method = UH_SAMPLE_UNIHIST; method <= UH_SAMPLE_BINARY; method++)
        for (size_t i = 0; i < USUAL; i++) {
            const uh_sampler_options options = {sizeof options, method};
            uh_sampler *sampler = test_sampler_of(tested.queue, &usual[i], &options);
            const uh_sampler_properties properties = test_sampler_properties(sampler);
            assert_true(usual[i].kind == UH_DISCRETE_UNIFORM || properties.method == method);
            check_support(sampler, properties.first, properties.last);
        }
}

/* Which outcome of a table has u: the definition, one after the other. */
static uint64_t look_up(const struct uhi_sample_table *table, uint64_t u) {
    uint32_t rank = 0;
    while (rank + 1 < table->items && ((uint64_t)table->top[rank + 1] << 32 | table->low[rank + 1]) <= u)
        rank++;
    return table->map ? table->map[rank] : rank;
}

/* Each sample is put together from its words of the streams, two for each table. */
static void check_samples(const uh_discrete *distribution, size_t parts) {
    enum { N = 300, OFFSET = 1001 };
    int64_t drawn[N];
    uint64_t expected[N];
    uint32_t w[N], v[N];
    uh_sampler *sampler = test_sampler_of(tested.queue, distribution, NULL);
    const struct uhi_sampler_form *form = &sampler->form;
    assert_int_equal(form->parts, parts);
    test_good(uh_sampler_draw(sampler, 99, OFFSET, UH_I64, drawn, N));
    for (size_t i = 0; i < N; i++)
        expected[i] = (uint64_t)form->first;
    for (unsigned d = 0; d < form->parts; d++) {
        const uint64_t stream = ((uint64_t)1 << 63) + 2 * d;
        test_good(uh_random(tested.queue, &(uh_random_stream){UH_PHILOX4X32_10, 99, stream, OFFSET}, 0, UH_U32, w, N));
        test_good(
            uh_random(tested.queue, &(uh_random_stream){UH_PHILOX4X32_10, 99, stream + 1, OFFSET}, 0, UH_U32, v, N));
        for (size_t i = 0; i < N; i++)
            expected[i] += look_up(form->part[d], (uint64_t)w[i] << 32 | v[i]) << 16 * d;
    }
    assert_memory_equal(drawn, expected, sizeof drawn);
}

UNIT_TEST(samples_are_what_their_streams_words_have_in_the_tables) {
    static const double p[] = {0.1, 1e-4, 1e-10, 0x1p-56}; /* geometric: of one to four digits */
    for (size_t i = 0; i < 4; i++)
        check_samples(&(uh_discrete)DISCRETE(GEOMETRIC, .p = p[i]), i + 1);
    for (size_t i = 0; i < USUAL; i++)
        if (usual[i].kind != UH_DISCRETE_UNIFORM)
            check_samples(&usual[i], 1);
}

UNIT_TEST(digits_have_no_cumulative) {
    uint64_t c = 17;
    size_t used = 17;
    uh_sampler *sampler = test_sampler_of(tested.queue, &(uh_discrete)DISCRETE(GEOMETRIC, .p = 1e-6), NULL);
    assert_int_equal(uh_sampler_cumulative(sampler, &c, &used), UH_ERROR_UNSUPPORTED);
    assert_true(c == 17 && used == 17);
}

static uhi_mass *masses_of(const struct uhi_mass_list *list) {
    uhi_mass *mass = test_memory(list->masses.n * sizeof *mass);
    list->masses.get(list->masses.context, 0, list->masses.n, mass);
    return mass;
}

static uhi_mass total(const uhi_mass *mass, size_t n) {
    uhi_mass sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += mass[i];
    return sum;
}

UNIT_TEST(digits_of_the_geometric_distribution_multiply_to_one_table) {
    static const double p[] = {0.0007, 0.001, 0.01, 0.25};
    for (size_t j = 0; j < sizeof p / sizeof *p; j++) {
        struct uhi_mass_list table, low, high;
        assert_int_equal(uhi_masses_geometric_digits(p[j]), 1);
        test_good(uhi_masses_geometric("test", p[j], 0, 1, &table));
        test_good(uhi_masses_geometric("test", p[j], 0, 0, &low));
        test_good(uhi_masses_geometric("test", p[j], 1, 1, &high));
        uhi_mass *one = masses_of(&table), *mass = masses_of(&low), *top = masses_of(&high);
        assert_int_equal(low.masses.n, 65536);
        assert_true(table.masses.n <= 65536);
        const long double all = (long double)total(one, table.masses.n), sum = (long double)total(mass, 65536);
        const long double high_sum = (long double)total(top, high.masses.n);
        for (size_t x = 0; x < 65536 * high.masses.n; x++) {
            const long double expected = x < table.masses.n ? (long double)one[x] / all : 0;
            const long double got = (long double)mass[x & 65535] / sum * ((long double)top[x >> 16] / high_sum);
            /* 2^-62 of numbers that are rounded to 64 bits, and what the ends leave out */
            assert_true(fabsl(got - expected) <= 0x1p-62L * expected + 0x1p-63L * (1 - 0x1p-53L) * p[j] + 0x1p-63L);
        }
        uhi_masses_free(&table);
        uhi_masses_free(&low);
        uhi_masses_free(&high);
    }
}

UNIT_TEST(geometric_digits_are_as_many_as_the_last_one_needs) {
    /* one table while (1 - p)^65536 < 2^-64, 1 - p < 2^(-1/1024) */
    assert_int_equal(uhi_masses_geometric_digits(6.766e-4), 2);
    assert_int_equal(uhi_masses_geometric_digits(6.768e-4), 1);
    assert_int_equal(uhi_masses_geometric_digits(1.0329e-8), 2);
    assert_int_equal(uhi_masses_geometric_digits(1.0328e-8), 3);
    assert_int_equal(uhi_masses_geometric_digits(1.57e-13), 4);
    assert_int_equal(uhi_masses_geometric_digits(0x1p-56), 4);
    struct uhi_mass_list list;
    test_good(uhi_masses_geometric("test", 0x1p-56, 3, 1, &list));
    /* (1 - 2^-56)^(2^48 x) = e^(-x / 256) >= 2^-64 for x <= 64 ln 2 * 256 = 11356.5 */
    assert_int_equal(list.masses.n, 11357);
    uhi_masses_free(&list);
}

UNIT_TEST(more_outcomes_than_a_table_holds_are_refused_soon) {
    static const double r_and_p[][2] = {{2, 1e-8}, {0.5, 1e-8}, {0.5, 5e-324}, {1e300, 0.5}, {1e-15, 1e-300}};
    const uint64_t many = (uint64_t)1 << 60;
    struct uhi_mass_list list = {.first = 17};
    test_assert_failed(
        uhi_masses_binomial("test", (uint64_t)1 << 62, 0.5, &list), UH_ERROR_UNSUPPORTED,
        "test: distribution has about 1.93e+10 outcomes of a mass that matters (all others of less than 2^-64), "
        "expected at most 134217728");
    test_assert_failed(uhi_masses_hypergeometric("test", many, many, many, &list), UH_ERROR_UNSUPPORTED);
    for (size_t i = 0; i < sizeof r_and_p / sizeof *r_and_p; i++)
        test_assert_failed(uhi_masses_negative_binomial("test", r_and_p[i][0], r_and_p[i][1], &list),
                           UH_ERROR_UNSUPPORTED);
    assert_int_equal(list.first, 17);
}

/* The list was made, and begins and ends so; frees it. */
static void assert_masses(uh_status made, struct uhi_mass_list *list, int64_t first, int64_t last) {
    test_good(made);
    assert_int_equal(list->first, first);
    assert_int_equal(list->first + (int64_t)list->masses.n - 1, last);
    uhi_masses_free(list);
}

UNIT_TEST(extreme_parameters_leave_what_has_mass) {
    const uint64_t top = (uint64_t)1 << 62;
    struct uhi_mass_list list, like;
    assert_masses(uhi_masses_binomial("test", top, 1, &list), &list, (int64_t)top, (int64_t)top);
    assert_masses(uhi_masses_binomial("test", top, 5e-324, &list), &list, 0, 0);
    /* 2^-53 failures in 2^62 trials: 512 of them on average, so like Poisson's */
    test_good(uhi_masses_poisson("test", 512, &like));
    assert_masses(uhi_masses_binomial("test", top, 1 - 0x1p-53, &list), &list,
                  (int64_t)(top + 1 - like.masses.n) - like.first, (int64_t)top - like.first);
    uhi_masses_free(&like);
    /* r so small that 0 has all but less than 2^-64 for any p, or a few more where it is a little larger */
    assert_masses(uhi_masses_negative_binomial("test", 5e-324, 5e-324, &list), &list, 0, 0);
    assert_masses(uhi_masses_negative_binomial("test", 7e-23, 1e-300, &list), &list, 0, 0);
    assert_masses(uhi_masses_negative_binomial("test", 2.4e-21, 1e-10, &list), &list, 0, 1);
}

TESTED_MAIN(test_sample_distributions)
