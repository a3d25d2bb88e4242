/* SPDX-License-Identifier: Apache-2.0 */
/* Integrals whose samples all ranks share: the bits of one process, and no more messages than there should be. */
#include "tests/mpi_fixture.h"

#include "tests/integrate_fixture.h"

#define TOGETHER(...) INTEGRATE(.exchange = test_mpi.exchange, __VA_ARGS__)

enum { DIMS = 3, VALUES = 2 };

/* A peak in a corner of the unit cube, and the square of its distance; `context` is a value in place of the first. */
static void peak(size_t n, const double *const *x, double *const *value, const void *context) {
    for (size_t i = 0; i < n; i++) {
        double square = 0;
        for (size_t d = 0; d < DIMS; d++)
            square += (x[d][i] - 0.1) * (x[d][i] - 0.1);
        value[0][i] = context && x[0][i] > 0.9 ? *(const double *)context : exp(-30 * square);
        value[1][i] = square;
    }
}

static uh_integrand integrand_of(const double *context) {
    return (uh_integrand){
        .struct_size = sizeof(uh_integrand), .dims = DIMS, .values = VALUES, .function = peak, .context = context};
}

static const struct integrated *find(const uh_integrate_options *asked, int together) {
    uh_integrate_options options = *asked;
    const uh_integrand integrand = integrand_of(NULL);
    options.exchange = together ? test_mpi.exchange : NULL;
    return integrate_on_grid(tested.queue, &integrand, options);
}

/* The integral of exp(-30 (x - 0.1)^2) over [0, 1], to the third power. */
static double truth(void) {
    const double half = sqrt(acos(-1) / 30) / 2;
    return pow(half * (erf(0.9 * sqrt(30)) + erf(0.1 * sqrt(30))), 3);
}

UNIT_TEST(all_ranks_get_the_bits_of_one_process_in_every_variant) {
    static const uint64_t calls[] = {40000, 1025, 5};
    for (int variant = UH_INTEGRATE_MCUBES; variant <= UH_INTEGRATE_CUBATURE; variant++)
        for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
            const uh_integrate_options *options =
                INTEGRATE(.variant = (uh_integrate_variant)variant, .iterations = 9,
                          .max_calls = calls[i] + (variant > UH_INTEGRATE_PLAIN ? 2048 : 0), .relative_error = 1e-9,
                          .seed = 5);
            const struct integrated *one = find(options, 0), *all = find(options, 1);
            assert_memory_equal(all->values, one->values, sizeof one->values);
            assert_memory_equal(all->covariance, one->covariance, sizeof one->covariance);
            assert_memory_equal(all->edges, one->edges, sizeof one->edges);
            assert_int_equal(all->integral.calls, one->integral.calls);
            assert_int_equal(all->integral.iterations, one->integral.iterations);
            assert_int_equal(all->integral.end, one->integral.end);
            assert_true(all->integral.chi2_dof == one->integral.chi2_dof);
            if (calls[i] == 40000)
                assert_true(fabs(all->values[0] - truth()) < 6 * all->integral.error);
            test_end_from(0);
        }
}

UNIT_TEST(pieces_of_an_iteration_are_added_up_in_their_order) {
    const uh_integrate_options *options =
        INTEGRATE(.max_calls = 3000000, .iterations = 3, .skipped = SIZE_MAX, .relative_error = 1e-9);
    const struct integrated *one = find(options, 0), *all = find(options, 1);
    assert_memory_equal(all->values, one->values, sizeof one->values);
    assert_memory_equal(all->edges, one->edges, sizeof one->edges);
}

UNIT_TEST(messages_of_an_iteration_grow_by_the_logarithm_of_the_ranks) {
    uint64_t messages[2], collectives[2];
    for (size_t i = 0; i < 2; i++) {
        test_mpi_count_anew();
        (void)find(INTEGRATE(.max_calls = 20000, .iterations = 4 + i, .skipped = SIZE_MAX, .relative_error = 1e-9), 1);
        messages[i] = test_mpi.messages;
        collectives[i] = test_mpi.collectives;
    }
    /* Rows, sums of bins, and variances of cubes; for each, blocks there and back. */
    assert_in_range(messages[1] - messages[0], 0, 3 * 2 * test_mpi_rounds());
    assert_int_equal(collectives[1] - collectives[0], 4);
}

static int stop_at_two(const uh_iteration *iteration, void *context) {
    return *(const int *)context && iteration->number == 2;
}

UNIT_TEST(what_ends_iterations_on_one_rank_ends_them_on_all) {
    int last = test_mpi_is_last();
    const struct integrated *all = find(INTEGRATE(.max_calls = 5000, .skipped = SIZE_MAX, .relative_error = 1e-9,
                                                  .report = stop_at_two, .report_context = &last),
                                        1);
    assert_int_equal(all->integral.end, UH_INTEGRATE_STOPPED);
    assert_int_equal(all->integral.iterations, 3);
}

UNIT_TEST(what_is_wrong_on_one_rank_fails_on_all) {
    static const double lower[DIMS] = {0}, upper[DIMS] = {1, 1, 1};
    const double bad = NAN;
    const int last = test_mpi_is_last();
    const uint64_t strata[DIMS] = {last ? 3 : 5, last ? 5 : 3, 2};
    const uh_integrand good = integrand_of(NULL), wrong = integrand_of(&bad);
    uh_integral integral = {.struct_size = sizeof integral, .value = 77};
    TEST_MPI_FAILS(
        uh_integrate(tested.queue, &wrong, TOGETHER(.lower = lower, .upper = upper, .max_calls = 5000), &integral),
        INVALID_ARGUMENT, "integrand is nan at (", "samples of iteration 0");
    TEST_MPI_FAILS(uh_integrate(tested.queue, last ? NULL : &good, TOGETHER(.lower = lower, .upper = upper), &integral),
                   INVALID_ARGUMENT, "LAST: ", "integrand is NULL");
    if (test_mpi.ranks > 1)
        TEST_MPI_FAILS(uh_integrate(tested.queue, &good, TOGETHER(.lower = lower, .upper = upper, .seed = last ? 1 : 2),
                                    &integral),
                       INCOMPATIBLE, "options, grids", "differ");
    if (test_mpi.ranks > 1)
        TEST_MPI_FAILS(
            uh_integrate(tested.queue, &good, TOGETHER(.lower = lower, .upper = upper, .strata = strata), &integral),
            INCOMPATIBLE, "options, grids", "differ");
    assert_true(integral.value == 77);
}

MPI_TEST_MAIN(test_mpi_integrate)
