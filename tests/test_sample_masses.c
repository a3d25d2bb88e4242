/* SPDX-License-Identifier: Apache-2.0 */
/* Masses of distributions beside exact numbers: products of integers and of the parameters as they are. */
#include "tests/support.h"

#include <math.h>
#include <stdlib.h>

#include <unihist/runtime.h>

#include "kernels/sample/masses.h"
#include "tests/big.h"

/* What an outcome's part of the whole may be wrong by: the tails that are left out, 2^-63, and next to nothing. With
 * the table's own 2^-64 that is within the 2^-62 of sample.h. */
static const double most_wrong = 0x1p-63 * (1 + 0x1p-6);
/* The same where nothing is left out. */
static const double most_wrong_whole = 0x1p-69;

enum { MOST = 200 };

/* Exact weights of outcomes 0 .. n - 1, in proportion to their probabilities. */
struct exact {
    struct big weight[MOST];
    size_t n;
};

static struct big big_mass(uhi_mass m) {
    struct big x = {{0}};
    for (int i = 0; i < 4; i++)
        x.word[BIG_POINT / 32 + i] = (uint32_t)(m >> 32 * i);
    return x;
}

static struct big absolute(struct big x) {
    if (big_sign(&x) < 0)
        big_negate(&x);
    return x;
}

static int is_less(struct big x, struct big y) {
    big_negate(&y);
    big_add(&x, &y);
    return big_sign(&x) < 0;
}

static struct big sum_of(const struct exact *exact) {
    struct big sum = {{0}};
    for (size_t i = 0; i < exact->n; i++)
        big_add(&sum, &exact->weight[i]);
    return sum;
}

static uhi_mass *masses_of(const struct uhi_mass_list *list) {
    uhi_mass *mass = malloc(list->masses.n * sizeof *mass);
    assert_non_null(mass);
    list->masses.get(list->masses.context, 0, list->masses.n, mass);
    return mass;
}

static uhi_mass total(const uhi_mass *mass, size_t n) {
    uhi_mass sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += mass[i];
    return sum;
}

/* Every part of the whole is right, what is left out at either end weighs less than 2^-64, and one more would not. */
static void check(struct uhi_mass_list *list, const struct exact *exact, double wrong) {
    uhi_mass *mass = masses_of(list);
    const size_t n = list->masses.n, first = (size_t)list->first;
    const struct big all = sum_of(exact), found = big_mass(total(mass, n));
    const struct big room = big_product(big_product(all, found), big_double(wrong));
    const struct big part = big_product(all, big_double(0x1p-64));
    struct big below = {{0}}, above = {{0}};
    assert_true(list->first >= 0 && first + n <= exact->n);
    for (size_t i = 0; i < n; i++) {
        struct big got = big_product(big_mass(mass[i]), all), expected = big_product(exact->weight[first + i], found);
        big_negate(&expected);
        big_add(&got, &expected);
        if (!is_less(absolute(got), room))
            fail_msg("outcome %zu of %zu has a wrong mass", first + i, n);
    }
    for (size_t i = 0; i < first; i++)
        big_add(&below, &exact->weight[i]);
    for (size_t i = first + n; i < exact->n; i++)
        big_add(&above, &exact->weight[i]);
    assert_true(is_less(below, part) && is_less(above, part));
    /* The ends themselves matter: beside what is left out already they are no less than 2^-64. The decision is made
     * with 2^-30 to spare. */
    const struct big most = big_product(part, big_double(1 - 0x1p-20));
    if (first) {
        big_add(&below, &exact->weight[first]);
        assert_false(is_less(below, most));
    }
    if (first + n < exact->n && n > 1) {
        big_add(&above, &exact->weight[first + n - 1]);
        assert_false(is_less(above, most));
    }
    free(mass);
    uhi_masses_free(list);
}

/* ---- exact weights ---- */

static struct big power(struct big x, size_t n) {
    struct big y = big_i64(1);
    while (n--)
        y = big_product(y, x);
    return y;
}

/* C(n, x) for all x, by Pascal's triangle. */
static void choose(size_t n, struct big *row) {
    for (size_t i = 0; i <= n; i++) {
        row[i] = big_i64(1);
        for (size_t x = i; x-- > 1;)
            big_add(&row[x], &row[x - 1]);
    }
}

static struct big one_less(double p) {
    struct big one = big_i64(1), x = big_double(p);
    big_negate(&x);
    big_add(&one, &x);
    return one;
}

static void exact_binomial(size_t n, double p, struct exact *exact) {
    const struct big yes = big_double(p), no = one_less(p);
    struct big some = big_i64(1), rest = some;
    choose(n, exact->weight);
    exact->n = n + 1;
    for (size_t x = 0; x <= n; x++) {
        exact->weight[x] = big_product(exact->weight[x], some);
        exact->weight[n - x] = big_product(exact->weight[n - x], rest);
        some = big_product(some, yes);
        rest = big_product(rest, no);
    }
}

static void exact_hypergeometric(size_t good, size_t bad, size_t draws, struct exact *exact) {
    static struct big a[MOST], b[MOST];
    choose(good, a);
    choose(bad, b);
    exact->n = good + 1;
    for (size_t x = 0; x <= good; x++) {
        const struct big none = {{0}};
        exact->weight[x] = x <= draws && draws - x <= bad ? big_product(a[x], b[draws - x]) : none;
    }
}

/* Products of ahead(0), ..., ahead(x - 1) times last! / x!: what is beyond `last` must not matter. `ahead` is
 * mean, or (r + i) q. */
static void exact_series(double mean, double r, struct big q, size_t last, struct exact *exact) {
    struct big rising = big_i64(1);
    exact->n = last + 1;
    for (size_t x = 0; x <= last; x++) {
        exact->weight[x] = rising;
        for (size_t i = x + 1; i <= last; i++)
            exact->weight[x] = big_times(exact->weight[x], i);
        struct big ahead = big_double(r);
        const struct big steps = big_i64((int64_t)x);
        big_add(&ahead, &steps);
        rising = big_product(rising, mean > 0 ? big_double(mean) : big_product(ahead, q));
    }
}

/* ---- tests ---- */

UNIT_TEST(binomial_masses_are_those_of_exact_arithmetic) {
    static const double p[] = {0.5, 0.25, 0.1, 0.9, 0.3, 1 - 0x1p-20, 0x1p-12};
    struct exact exact;
    struct uhi_mass_list list;
    for (size_t n = 0; n <= 36; n += 1 + n / 5)
        for (size_t i = 0; i < sizeof p / sizeof *p; i++) {
            exact_binomial(n, p[i], &exact);
            assert_int_equal(uhi_masses_binomial("test", n, p[i], &list), UH_SUCCESS);
            check(&list, &exact, list.masses.n == n + 1 ? most_wrong_whole : most_wrong);
        }
}

UNIT_TEST(hypergeometric_masses_are_those_of_exact_arithmetic) {
    struct exact exact;
    struct uhi_mass_list list;
    for (size_t good = 0; good <= 70; good += 1 + good)
        for (size_t bad = 0; bad <= 70; bad += 1 + bad)
            for (size_t draws = 0; draws <= good + bad; draws += 1 + draws / 2) {
                exact_hypergeometric(good, bad, draws, &exact);
                assert_int_equal(uhi_masses_hypergeometric("test", good, bad, draws, &list), UH_SUCCESS);
                check(&list, &exact, most_wrong);
            }
}

UNIT_TEST(poisson_masses_are_those_of_exact_arithmetic) {
    static const double mean[] = {0, 5e-324, 0x1p-70, 0x1p-33, 0.1, 1, 2.5, 7.25};
    struct exact exact;
    struct uhi_mass_list list;
    for (size_t i = 0; i < sizeof mean / sizeof *mean; i++) {
        exact_series(mean[i], 1, big_double(0), mean[i] < 0.1 ? 6 : mean[i] < 3 ? 38 : 70, &exact);
        assert_int_equal(uhi_masses_poisson("test", mean[i], &list), UH_SUCCESS);
        check(&list, &exact, most_wrong);
    }
}

UNIT_TEST(negative_binomial_masses_are_those_of_exact_arithmetic) {
    static const double r[] = {1, 2, 3.5, 0.5, 0.0078125, 0x1p-60, 0x1p-70}, p[] = {1, 0.875, 0.75};
    struct exact exact;
    struct uhi_mass_list list;
    for (size_t i = 0; i < sizeof r / sizeof *r; i++)
        for (size_t j = 0; j < sizeof p / sizeof *p; j++) {
            exact_series(0, r[i], one_less(p[j]), r[i] < 0x1p-20 ? 30 : 60, &exact);
            assert_int_equal(uhi_masses_negative_binomial("test", r[i], p[j], &list), UH_SUCCESS);
            check(&list, &exact, most_wrong);
        }
}

UNIT_TEST(geometric_masses_are_those_of_exact_arithmetic) {
    static const double p[] = {1, 0.875, 0.5, 0.375};
    struct exact exact;
    struct uhi_mass_list list;
    for (size_t j = 0; j < sizeof p / sizeof *p; j++) {
        exact.n = 150;
        for (size_t x = 0; x < exact.n; x++)
            exact.weight[x] = power(one_less(p[j]), x);
        assert_int_equal(uhi_masses_geometric_digits(p[j]), 1);
        assert_int_equal(uhi_masses_geometric("test", p[j], 0, 1, &list), UH_SUCCESS);
        check(&list, &exact, most_wrong);
    }
}

UNIT_TEST(bernoulli_masses_are_the_parameter_and_what_is_left) {
    static const double p[] = {0, 5e-324, 0x1p-126, 0.1, 0.5, 1 - 0x1p-53, 1};
    struct exact exact = {.n = 2};
    struct uhi_mass_list list;
    for (size_t j = 0; j < sizeof p / sizeof *p; j++) {
        exact.weight[0] = one_less(p[j]);
        exact.weight[1] = big_double(p[j]);
        uhi_masses_bernoulli(p[j], &list);
        assert_int_equal(list.masses.n, 2);
        check(&list, &exact, 0x1p-125);
    }
}

UNIT_TEST(zipf_masses_are_powers_within_the_rounding_of_powl) {
    struct exact exact = {.n = 11};
    struct uhi_mass_list list;
    for (size_t s = 0; s <= 7; s++) {
        for (size_t i = 1; i <= 10; i++) {
            exact.weight[0] = (struct big){{0}};
            exact.weight[i] = power(big_i64(2520 / (int64_t)i), s);
        }
        assert_int_equal(uhi_masses_zipf("test", (double)s, 10, &list), UH_SUCCESS);
        assert_int_equal(list.masses.n, 10);
        /* powl is within an ulp or so, 2^-63 of it */
        check(&list, &exact, 0x1p-62);
    }
}

UNIT_TEST(masses_of_symmetric_distributions_are_symmetric) {
    struct uhi_mass_list list;
    for (int which = 0; which < 3; which++) {
        if (which < 2)
            assert_int_equal(uhi_masses_binomial("test", which ? 1000001 : 1000000, 0.5, &list), UH_SUCCESS);
        else
            assert_int_equal(uhi_masses_hypergeometric("test", 500000, 500000, 300000, &list), UH_SUCCESS);
        uhi_mass *mass = masses_of(&list);
        const size_t n = list.masses.n;
        assert_int_equal((uint64_t)list.first * 2 + n - 1, which == 2 ? 300000 : which ? 1000001 : 1000000);
        for (size_t i = 0; i < n; i++) {
            const uhi_mass a = mass[i], b = mass[n - 1 - i];
            assert_true(a + 2 >= b && b + 2 >= a);
        }
        assert_true(n > 4000 && n < 20000);
        free(mass);
        uhi_masses_free(&list);
    }
}

UNIT_TEST(masses_are_largest_at_the_mode_and_fall_to_either_side) {
    struct uhi_mass_list list;
    for (int which = 0; which < 4; which++) {
        static const int64_t mode[] = {1000000, 123456789, 99999, 666};
        if (which == 0)
            assert_int_equal(uhi_masses_poisson("test", 1000000.5, &list), UH_SUCCESS);
        else if (which == 1)
            assert_int_equal(uhi_masses_binomial("test", 1000000000, 0.123456789, &list), UH_SUCCESS);
        else if (which == 2) /* floor((r - 1) (1 - p) / p) */
            assert_int_equal(uhi_masses_negative_binomial("test", 100000.5, 0.5, &list), UH_SUCCESS);
        else /* floor((draws + 1) (good + 1) / (good + bad + 2)) = floor(1001 * 20001 / 30002) */
            assert_int_equal(uhi_masses_hypergeometric("test", 20000, 10000, 1000, &list), UH_SUCCESS);
        uhi_mass *mass = masses_of(&list);
        for (size_t i = 1; i < list.masses.n; i++) {
            const int64_t x = list.first + (int64_t)i;
            if (x <= mode[which] + (which == 3))
                assert_true(mass[i - 1] <= mass[i] || x == mode[which] + 1);
            else
                assert_true(mass[i - 1] >= mass[i]);
        }
        free(mass);
        uhi_masses_free(&list);
    }
}

/* ---- digits ---- */

UNIT_TEST(digits_of_the_geometric_distribution_multiply_to_one_table) {
    static const double p[] = {0.0007, 0.001, 0.01, 0.25};
    for (size_t j = 0; j < sizeof p / sizeof *p; j++) {
        struct uhi_mass_list table, low, high;
        assert_int_equal(uhi_masses_geometric_digits(p[j]), 1);
        assert_int_equal(uhi_masses_geometric("test", p[j], 0, 1, &table), UH_SUCCESS);
        assert_int_equal(uhi_masses_geometric("test", p[j], 0, 0, &low), UH_SUCCESS);
        assert_int_equal(uhi_masses_geometric("test", p[j], 1, 1, &high), UH_SUCCESS);
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
        free(one);
        free(mass);
        free(top);
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
    assert_int_equal(uhi_masses_geometric("test", 0x1p-56, 3, 1, &list), UH_SUCCESS);
    /* (1 - 2^-56)^(2^48 x) = e^(-x / 256) >= 2^-64 for x <= 64 ln 2 * 256 = 11356.5 */
    assert_int_equal(list.masses.n, 11357);
    uhi_masses_free(&list);
}

/* ---- what is too much ---- */

UNIT_TEST(more_outcomes_than_a_table_holds_are_refused_soon) {
    struct uhi_mass_list list = {.first = 17};
    assert_int_equal(uhi_masses_binomial("test", (uint64_t)1 << 62, 0.5, &list), UH_ERROR_UNSUPPORTED);
    assert_string_equal(uh_last_error(), "test: about 1.93e+10 outcomes have a mass that matters (all others of less "
                                         "than 2^-64), expected at most 134217728");
    assert_int_equal(uhi_masses_hypergeometric("test", (uint64_t)1 << 60, (uint64_t)1 << 60, (uint64_t)1 << 60, &list),
                     UH_ERROR_UNSUPPORTED);
    assert_int_equal(uhi_masses_negative_binomial("test", 2, 1e-8, &list), UH_ERROR_UNSUPPORTED);
    assert_int_equal(uhi_masses_negative_binomial("test", 0.5, 1e-8, &list), UH_ERROR_UNSUPPORTED);
    assert_int_equal(uhi_masses_negative_binomial("test", 0.5, 5e-324, &list), UH_ERROR_UNSUPPORTED);
    assert_int_equal(uhi_masses_negative_binomial("test", 1e300, 0.5, &list), UH_ERROR_UNSUPPORTED);
    assert_int_equal(uhi_masses_negative_binomial("test", 1e-15, 1e-300, &list), UH_ERROR_UNSUPPORTED);
    assert_int_equal(list.first, 17);
}

UNIT_TEST(extreme_parameters_leave_what_has_mass) {
    struct uhi_mass_list list;
    assert_int_equal(uhi_masses_binomial("test", (uint64_t)1 << 62, 1, &list), UH_SUCCESS);
    assert_true(list.masses.n == 1 && list.first == (int64_t)1 << 62);
    uhi_masses_free(&list);
    assert_int_equal(uhi_masses_binomial("test", (uint64_t)1 << 62, 5e-324, &list), UH_SUCCESS);
    assert_true(list.masses.n == 1 && list.first == 0);
    uhi_masses_free(&list);
    /* 2^-53 failures in 2^62 trials: 512 of them on average, so like Poisson's */
    struct uhi_mass_list like;
    assert_int_equal(uhi_masses_binomial("test", (uint64_t)1 << 62, 1 - 0x1p-53, &list), UH_SUCCESS);
    assert_int_equal(uhi_masses_poisson("test", 512, &like), UH_SUCCESS);
    assert_int_equal(list.masses.n, like.masses.n);
    assert_int_equal(list.first + (int64_t)list.masses.n - 1, ((int64_t)1 << 62) - like.first);
    uhi_masses_free(&list);
    uhi_masses_free(&like);
    /* r so small that 0 has all but less than 2^-64 whatever p is, or a few more where it is a little larger */
    assert_int_equal(uhi_masses_negative_binomial("test", 5e-324, 5e-324, &list), UH_SUCCESS);
    assert_true(list.masses.n == 1 && list.first == 0);
    uhi_masses_free(&list);
    assert_int_equal(uhi_masses_negative_binomial("test", 7e-23, 1e-300, &list), UH_SUCCESS);
    assert_true(list.masses.n == 1 && list.first == 0);
    uhi_masses_free(&list);
    assert_int_equal(uhi_masses_negative_binomial("test", 2.4e-21, 1e-10, &list), UH_SUCCESS);
    assert_true(list.masses.n == 2 && list.first == 0);
    uhi_masses_free(&list);
}

TEST_MAIN(test_sample_masses) {
    return TEST_RUN(NULL, NULL);
}
