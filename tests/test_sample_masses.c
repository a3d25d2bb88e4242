/* SPDX-License-Identifier: Apache-2.0 */
/* Masses of distributions: digits, and extreme parameters. That they are right is shown of samplers,
 * beside exact numbers, by test_sample_distributions_exact.py. */
#include <unihist/runtime.h>

#include "kernels/sample/masses.h"
#include "tests/fixture.h"

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

/* ---- digits ---- */

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
    test_good(uhi_masses_geometric("test", 0x1p-56, 3, 1, &list));
    /* (1 - 2^-56)^(2^48 x) = e^(-x / 256) >= 2^-64 for x <= 64 ln 2 * 256 = 11356.5 */
    assert_int_equal(list.masses.n, 11357);
    uhi_masses_free(&list);
}

/* ---- what is too much ---- */

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

UNIT_TEST(extreme_parameters_leave_what_has_mass) {
    struct uhi_mass_list list;
    test_good(uhi_masses_binomial("test", (uint64_t)1 << 62, 1, &list));
    assert_true(list.masses.n == 1 && list.first == (int64_t)1 << 62);
    uhi_masses_free(&list);
    test_good(uhi_masses_binomial("test", (uint64_t)1 << 62, 5e-324, &list));
    assert_true(list.masses.n == 1 && list.first == 0);
    uhi_masses_free(&list);
    /* 2^-53 failures in 2^62 trials: 512 of them on average, so like Poisson's */
    struct uhi_mass_list like;
    test_good(uhi_masses_binomial("test", (uint64_t)1 << 62, 1 - 0x1p-53, &list));
    test_good(uhi_masses_poisson("test", 512, &like));
    assert_int_equal(list.masses.n, like.masses.n);
    assert_int_equal(list.first + (int64_t)list.masses.n - 1, ((int64_t)1 << 62) - like.first);
    uhi_masses_free(&list);
    uhi_masses_free(&like);
    /* r so small that 0 has all but less than 2^-64 whatever p is, or a few more where it is a little larger */
    test_good(uhi_masses_negative_binomial("test", 5e-324, 5e-324, &list));
    assert_true(list.masses.n == 1 && list.first == 0);
    uhi_masses_free(&list);
    test_good(uhi_masses_negative_binomial("test", 7e-23, 1e-300, &list));
    assert_true(list.masses.n == 1 && list.first == 0);
    uhi_masses_free(&list);
    test_good(uhi_masses_negative_binomial("test", 2.4e-21, 1e-10, &list));
    assert_true(list.masses.n == 2 && list.first == 0);
    uhi_masses_free(&list);
}
