/* SPDX-License-Identifier: Apache-2.0 */
/* Quasi-Monte Carlo on the host: iterations by their definition, and errors that are true and small. */
#include "kernels/common/philox.h"
#include "tests/integrate_fixture.h"

#define SHIFT   .scramble = UH_SCRAMBLE_SHIFT
#define NONE    .periodise = UH_PERIODISE_NONE
#define KOROBOV .periodise = UH_PERIODISE_KOROBOV

/* ---- by the definition ---- */

enum { AXES = 5, MAX_RANDOMISATIONS = 32, MAX_POINTS = 4096 };
#define KEYS (UH_INTEGRATE_STREAM + 32768)

static uint32_t reverse(uint32_t word) {
    uint32_t reversed = 0;
    for (int b = 0; b < 32; b++)
        reversed |= (word >> b & 1) << (31 - b);
    return reversed;
}

/* A lattice point's coordinate on the unit interval, which multiplies the weight. */
static double coordinate(const uh_integrate_options *o, size_t r, uint32_t point, size_t axis, double *weight) {
    static const uint32_t z[AXES] = {1, 7114117, 5383257, 2569987, 7820745};
    uint32_t word = reverse(point) * z[axis] + uhi_philox4x32(o->seed, KEYS + r, axis).v[1];
    const double u = (word + 0.5) * 0x1p-32;
    if (o->periodise == UH_PERIODISE_BAKER)
        word = word < 0x80000000 ? 2 * word : 0xffffffff - 2 * (word - 0x80000000);
    if (o->periodise == UH_PERIODISE_KOROBOV) {
        word = (uint32_t)floor(0x1p32 * (3 * u * u - 2 * u * u * u));
        *weight *= 6 * u * (1 - u);
    }
    return (word + 0.5) * 0x1p-32;
}

/* A product of curves over five axes, whose integral over the unit cube is 1, and the square of the first coordinate.
 */
static double curves_at(const double *x) {
    double product = 1;
    for (size_t d = 0; d < AXES; d++)
        product *= 1 + 0.5 * (exp(x[d]) - 1.71828182845904523536);
    return product;
}

/* Both, times the number in the context. */
static void curves(size_t n, const double *const *x, double *const *value, const void *context) {
    for (size_t i = 0; i < n; i++) {
        const double point[AXES] = {x[0][i], x[1][i], x[2][i], x[3][i], x[4][i]};
        const double scale = context ? *(const double *)context : 1;
        value[0][i] = curves_at(point) * scale;
        value[1][i] = x[0][i] * x[0][i] * scale;
    }
}

static const uh_integrand smooth = {.struct_size = sizeof smooth, .dims = AXES, .values = 2, .function = curves};

static void by_definition(const uh_integrate_options *o, size_t n, double *value, double *covariance) {
    const size_t R = o->randomisations;
    long double mean[MAX_RANDOMISATIONS][2] = {{0}}, sum[2] = {0}, product[3] = {0};
    for (size_t r = 0; r < R; r++) {
        static uint32_t words[MAX_POINTS][AXES];
        const uh_sobol of = {AXES, o->scramble, o->seed, KEYS + r, 0};
        test_good(uh_random_sobol(test_queue(1, 0), &of, UH_U32, words, n));
        for (uint32_t point = 0; point < n; point++) {
            double x[AXES], weight = 1;
            for (size_t d = 0; d < AXES; d++)
                x[d] = o->variant == UH_INTEGRATE_SOBOL ? (words[point][d] + 0.5) * 0x1p-32
                                                        : coordinate(o, r, point, d, &weight);
            mean[r][0] += weight * curves_at(x) / (double)n;
            mean[r][1] += weight * (x[0] * x[0]) / (double)n;
        }
    }
    for (size_t r = 0; r < R; r++)
        for (size_t k = 0; k < 2; k++)
            sum[k] += mean[r][k] / (long double)R;
    for (size_t r = 0; r < R; r++)
        for (size_t k = 0; k < 3; k++) /* both variances, and the covariance */
            product[k] += (mean[r][k / 2] - sum[k / 2]) * (mean[r][k > 0] - sum[k > 0]);
    for (size_t k = 0; k < 3; k++)
        covariance[k] = (double)(product[k] / (long double)(R * (R - 1)));
    value[0] = (double)sum[0];
    value[1] = (double)sum[1];
}

UNIT_TEST(iterations_double_the_points_of_the_definition) {
    static const uh_integrate_options rows[] = {{.variant = UH_INTEGRATE_SOBOL, .seed = 3},
                                                {.variant = UH_INTEGRATE_SOBOL, SHIFT, .seed = 4},
                                                {.variant = UH_INTEGRATE_LATTICE, .seed = 5},
                                                {.variant = UH_INTEGRATE_LATTICE, NONE, .seed = 6},
                                                {.variant = UH_INTEGRATE_LATTICE, KOROBOV, .seed = 7}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (size_t n = 1024; n <= 4096; n *= 2) {
            double values[2] = {0}, matrix[4] = {0}, value[2], covariance[3];
            uh_integrate_options options = rows[i];
            uh_integral got = {.struct_size = sizeof got, .values = values, .covariance = matrix};
            options.struct_size = sizeof options;
            options.randomisations = 17 + i;
            options.max_calls = n * options.randomisations;
            options.iterations = 1;
            options.relative_error = 1e-15;
            test_good(uh_integrate(test_queue(2, 0), &smooth, &options, &got));
            by_definition(&options, n, value, covariance);
            assert_int_equal(got.calls, options.max_calls + 1024);
            assert_int_equal(got.cubes, options.randomisations);
            assert_int_equal(got.dof, options.randomisations - 1);
            for (size_t k = 0; k < 2; k++) {
                assert_true(fabs(values[k] - value[k]) < 1e-6 * sqrt(covariance[2 * k]) + 1e-12);
                assert_true(fabs(matrix[3 * k] / covariance[2 * k] - 1) < 1e-6);
            }
            assert_true(fabs(matrix[1] - covariance[1]) < 1e-6 * sqrt(covariance[0] * covariance[2]));
            assert_true(got.chi2_dof == 0 && got.error == sqrt(matrix[0]));
        }
}

/* ---- errors ---- */

/* Of 100 seeds: the root mean square of pulls, which have Student's distribution with 15 degrees of freedom, and of
 * true errors, which decrease with a power of the number of points. */
UNIT_TEST(errors_are_true_and_decrease_faster_than_those_of_random_points) {
    static const struct {
        uh_integrate_options options;
        double largest, rate; /* of 16 x 8192 points */
    } rows[] = {{{.variant = UH_INTEGRATE_SOBOL}, 7e-6, 0.95},
                {{.variant = UH_INTEGRATE_SOBOL, SHIFT}, 2e-5, 0.85},
                {{.variant = UH_INTEGRATE_LATTICE}, 2e-6, 1.3},
                {{.variant = UH_INTEGRATE_LATTICE, NONE}, 1e-4, 0.8},
                {{.variant = UH_INTEGRATE_LATTICE, KOROBOV}, 8e-5, 0.4}};
    enum { SEEDS = 100 };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double squares[2] = {0}, pulls[2] = {0};
        for (uint64_t run = 0; run < (uint64_t)2 * SEEDS; run++) {
            uh_integrate_options options = rows[i].options;
            options.struct_size = sizeof options;
            options.max_calls = run % 2 ? 131072 : 32768;
            options.iterations = 1;
            options.relative_error = 1e-15;
            options.seed = run / 2;
            const uh_integral got = integrate(test_queue(2, 0), &smooth, &options);
            squares[run % 2] += (got.value - 1) * (got.value - 1) / SEEDS;
            pulls[run % 2] += (got.value - 1) * (got.value - 1) / (got.error * got.error) / SEEDS;
        }
        const double rate = log2(squares[0] / squares[1]) / 4;
        printf("  row %zu: pulls %.2f, %.2f; error %.2g; rate %.2f\n", i, sqrt(pulls[0]), sqrt(pulls[1]),
               sqrt(squares[1]), rate);
        assert_true(sqrt(pulls[0]) > 0.85 && sqrt(pulls[0]) < 1.25);
        assert_true(sqrt(pulls[1]) > 0.85 && sqrt(pulls[1]) < 1.25);
        assert_true(sqrt(squares[1]) < rows[i].largest && rate > rows[i].rate);
    }
}

/* 1 on a part of the box, whose size is the context. */
static void part(size_t n, const double *const *x, double *const *value, const void *context) {
    for (size_t i = 0; i < n; i++)
        value[0][i] = x[0][i] < *(const double *)context ? 1 : 0;
}

UNIT_TEST(means_that_are_all_equal_are_not_taken_for_the_truth) {
    static const double sizes[] = {0.5 + 1e-6, 1.0 / 3, 2, 0};
    enum { SEEDS = 40 };
    for (size_t i = 0; i < 2 * sizeof sizes / sizeof *sizes; i++)
        for (uint64_t seed = 0; seed < SEEDS; seed++) {
            const double size = sizes[i / 2];
            const uh_integrand integrand = {
                .struct_size = sizeof integrand, .dims = 1, .function = part, .context = &size};
            const uh_integral got =
                integrate(test_queue(1, 0), &integrand,
                          INTEGRATE(.variant = i % 2 ? UH_INTEGRATE_SOBOL : UH_INTEGRATE_LATTICE, .max_calls = 65536,
                                    .iterations = 1, .absolute_error = 1e-12, .seed = seed));
            assert_int_equal(got.warning, size > 0 ? UH_INTEGRATE_NO_WARNING : UH_INTEGRATE_ALL_ZERO);
            assert_true(fabs(got.value - fmin(size, 1)) <= 5 * got.error);
            assert_true(size == 0 ? got.error == 0 : got.error > 0 && got.error < 1e-3);
        }
}

UNIT_TEST(values_of_any_size_and_threads_change_no_bit) {
    static const double sizes[] = {1, 0x1p-1000, 0x1p900, 0x1p1000, 0x1p-1040};
    uh_integral first = {.value = 0};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        uh_integrand integrand = smooth;
        integrand.context = &sizes[i];
        const uh_integral got = integrate(
            test_queue(1 + (uint32_t)i, 0), &integrand,
            INTEGRATE(.variant = UH_INTEGRATE_SOBOL, .randomisations = 20, .relative_error = 1e-5, .iterations = 1));
        first = i == 0 ? got : first;
        assert_int_equal(got.end, UH_INTEGRATE_CONVERGED);
        assert_true(i < 4 ? got.value == first.value * sizes[i] && got.error == first.error * sizes[i]
                          : fabs(got.value / sizes[i] - 1) < 1e-4);
    }
}

static int keep_counts(const uh_iteration *iteration, void *context) {
    uint64_t *calls = context;
    calls[iteration->counts] += iteration->calls;
    calls[2] += !iteration->counts;
    return 0;
}

UNIT_TEST(a_grid_may_be_adjusted_first) {
    static const struct integrand_of peak = {F4, 6};
    const uh_integrand integrand = integrand_for(&peak);
    for (int variant = UH_INTEGRATE_SOBOL; variant <= UH_INTEGRATE_LATTICE; variant++) {
        uh_integral got[2];
        for (size_t adjusting = 0; adjusting <= 3; adjusting += 3) {
            uint64_t calls[3] = {0};
            got[adjusting > 0] = integrate(test_queue(2, 0), &integrand,
                                           INTEGRATE(.variant = (uh_integrate_variant)variant, .max_calls = 400000,
                                                     .iterations = 4, .adjusting = adjusting, .relative_error = 1e-9,
                                                     .report = keep_counts, .report_context = calls));
            assert_int_equal(calls[2], adjusting);
            assert_in_range(calls[0], adjusting * 50000, adjusting * 90000);
            assert_int_equal(calls[1], (adjusting ? 0 : 1024) + 16 * 65536);
        }
        assert_true(fabs(got[1].value - integrand_true(&peak)) < 5 * got[1].error);
        assert_true(got[1].error < got[0].error / 3);
    }
}
