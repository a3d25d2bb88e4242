/* SPDX-License-Identifier: Apache-2.0 */
/* What errors are at least: of integrands that are constant in parts of the box, whose samples are alike in nearly all
 * cubes; and that smooth ones, tiny ones and huge ones keep theirs. */
#include "tests/integrands/set.h"
#include "tests/integrate_fixture.h"

static const uh_integrate_variant variants[] = {UH_INTEGRATE_VEGAS_PLUS, UH_INTEGRATE_MCUBES, UH_INTEGRATE_MCUBES1D,
                                                UH_INTEGRATE_PLAIN};
enum { VARIANTS = sizeof variants / sizeof *variants, CALLS = 20000 };

/* `inside` where the last coordinate is in from to to, elsewhere `outside`, both times `scale`, and slopes. */
struct step {
    double from, to, inside, outside, scale, slope;
};

static void steps(size_t n, const double *const *x, double *const *value, const void *context) {
    const struct step *s = context;
    for (size_t i = 0; i < n; i++)
        value[0][i] =
            s->scale * (x[0][i] >= s->from && x[0][i] < s->to ? s->inside : s->outside) * exp(s->slope * x[0][i]);
}

static uh_integral of_step(uh_queue *queue, const struct step *step, size_t dims, uh_integrate_variant variant,
                           uint64_t seed) {
    const uh_integrand integrand = {.struct_size = sizeof integrand, .dims = dims, .function = steps, .context = step};
    return integrate(queue, &integrand, INTEGRATE(.variant = variant, .max_calls = CALLS, .seed = seed));
}

/* The integral of a slope from 0 to x. */
static double below(const struct step *s, double x) { return s->slope > 0 ? expm1(s->slope * x) / s->slope : x; }

static double truth(const struct step *s) {
    return s->outside * below(s, 1) + (s->inside - s->outside) * (below(s, s->to) - below(s, s->from));
}

/* Of one edge the error bar is right as well; not where an interval is thinner than a cube or has two edges, or all
 * cubes along an edge are missed at once, as by mcubes on several axes: such iterations are not known from others. */
UNIT_TEST(no_step_is_wrong_without_an_error) {
    const size_t edges = test_is_coarse() ? 25 : 100;
    uh_queue *queue = test_queue(1, 0);
    uint64_t random = 1;
    for (size_t dims = 1; dims <= 3; dims++)
        for (size_t v = 0; v < VARIANTS; v++) {
            double squares = 0;
            if (variants[v] == UH_INTEGRATE_MCUBES1D && dims > 1) /* whose axes are to be alike */
                continue;
            for (size_t i = 0; i < edges; i++) {
                const double edge = 0.01 + 0.98 * test_random_f64(&random);
                const struct step kinds[] = {{.to = edge, .inside = 1, .scale = 1},
                                             {.to = edge, .inside = 1, .outside = -1, .scale = 1},
                                             {.to = edge, .inside = 2, .outside = 1, .scale = 1, .slope = 0.5},
                                             {.from = edge, .to = edge + 1e-4, .inside = 1, .scale = 1},
                                             {.from = edge, .to = edge + 1e-7, .outside = 1, .scale = 1}};
                for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
                    const uh_integral got = of_step(queue, &kinds[k], dims, variants[v], i);
                    const double off = fabs(got.value - truth(&kinds[k]));
                    if (!(got.error > 0) && !(got.warning == UH_INTEGRATE_ALL_ZERO && got.value == 0))
                        fail_msg("%zu axes, %s, kind %zu at %.17g: %g without an error", dims,
                                 uh_enum_name(UH_ENUM_INTEGRATE_VARIANT, variants[v]), k, edge, got.value);
                    if ((k != 0 && k != 2) || (variants[v] == UH_INTEGRATE_MCUBES && dims > 1))
                        continue;
                    squares += off / got.error * (off / got.error);
                    if (off > 5 * got.error)
                        fail_msg("%zu axes, %s, a step at %.17g: off by %g, the error is %g", dims,
                                 uh_enum_name(UH_ENUM_INTEGRATE_VARIANT, variants[v]), edge, off, got.error);
                }
            }
            assert_true(sqrt(squares / 2 / (double)edges) < 1.5);
        }
}

/* 1, and of it what lies in an interval that many iterations miss: 0 then, which is not to outweigh the others. */
static void thin(size_t n, const double *const *x, double *const *value, const void *context) {
    const double from = *(const double *)context;
    for (size_t i = 0; i < n; i++) {
        value[0][i] = 1 + x[0][i];
        value[1][i] = x[0][i] >= from && x[0][i] < from + 2e-5;
    }
}

UNIT_TEST(no_other_value_is_wrong_without_an_error) {
    uh_queue *queue = test_queue(1, 0);
    uint64_t random = 2;
    size_t some = 0;
    for (size_t v = 0; v < VARIANTS; v++)
        for (uint64_t i = 0; i < 25; i++) {
            const double from = 0.98 * test_random_f64(&random);
            double values[2], covariance[4];
            uh_integral got = {.struct_size = sizeof got, .values = values, .covariance = covariance};
            const uh_integrand integrand = {
                .struct_size = sizeof integrand, .dims = 1, .values = 2, .function = thin, .context = &from};
            test_good(uh_integrate(
                queue, &integrand,
                INTEGRATE(.variant = variants[v], .max_calls = CALLS, .relative_error = 1e-9, .seed = i), &got));
            assert_true(covariance[3] > 0 || values[1] == 0);
            some += values[1] > 0;
        }
    assert_true(some > 50);
}

/* With m cubes it is some m^-3/2, where that of a step is 1 / m. */
UNIT_TEST(smooth_integrands_keep_their_small_errors) {
    uh_queue *queue = test_queue(1, 0);
    for (size_t v = 0; v < VARIANTS - 1; v++) {
        double squares = 0;
        for (uint64_t seed = 0; seed < 40; seed++) {
            const struct step smooth = {.to = 2, .inside = 1, .scale = 1, .slope = 0.1 + (double)seed / 40};
            const uh_integral got = of_step(queue, &smooth, 1, variants[v], seed);
            const double exact = expm1(smooth.slope) / smooth.slope, pull = (got.value - exact) / got.error;
            assert_true(got.error < 1e-6 && fabs(pull) < 5);
            squares += pull * pull;
        }
        assert_true(sqrt(squares / 40) > 0.7 && sqrt(squares / 40) < 1.4);
    }
}

UNIT_TEST(constants_are_exact_and_have_a_small_error_and_zeros_are_not_known) {
    static const double heights[] = {3.25, -1e300, 1e-308, 0};
    uh_queue *queue = test_queue(2, 0);
    for (size_t v = 0; v < VARIANTS; v++)
        for (size_t i = 0; i < 4; i++) {
            const struct step constant = {.to = 2, .inside = 1, .scale = heights[i]};
            const uh_integral got = of_step(queue, &constant, 5, variants[v], i);
            assert_int_equal(got.end, heights[i] == 0 ? UH_INTEGRATE_ITERATIONS : UH_INTEGRATE_CONVERGED);
            assert_int_equal(got.warning, heights[i] == 0 ? UH_INTEGRATE_ALL_ZERO : UH_INTEGRATE_NO_WARNING);
            assert_true(fabs(got.value - heights[i]) <= 1e-12 * fabs(heights[i]));
            assert_true(got.error <= 1e-3 * fabs(heights[i]) && (got.error > 0 || heights[i] == 0));
        }
}

/* Powers of two change no bit but of exponents; the smallest leave numbers without digits, and so the least of them. */
UNIT_TEST(errors_are_in_proportion_at_all_scales) {
    static const int scales[] = {-1022, -1000, -997, -900, -600, -400, -100, 50, 300, 599, 700, 1000, 1021};
    static const double ends[] = {0.3, 2}; /* a step, and none */
    uh_queue *queue = test_queue(1, 0);
    for (size_t v = 0; v < VARIANTS; v++)
        for (size_t e = 0; e < 2; e++) {
            const double to = ends[e];
            struct step step = {.to = to, .inside = 1, .scale = 1, .slope = to > 1 ? 0.5 : 0};
            const uh_integral one = of_step(queue, &step, 1, variants[v], 3);
            for (size_t i = 0; i < sizeof scales / sizeof *scales; i++) {
                step.scale = ldexp(1, scales[i]);
                const uh_integral got = of_step(queue, &step, 1, variants[v], 3);
                assert_true(fabs(ldexp(got.value, -scales[i]) - one.value) <= 1e-12 * one.value);
                assert_true(fabs(ldexp(got.error, -scales[i]) - one.error) <= 1e-6 * one.error);
                assert_true(got.end == one.end && got.iterations == one.iterations);
            }
            step.scale = 1e-320;
            const uh_integral least = of_step(queue, &step, 1, variants[v], 3);
            assert_true(fabs(least.value / step.scale - one.value) < 1e-2 && least.error > 0);
        }
}

/* Values that change from iteration to iteration, of which each hardly varies within itself. */
static void drifting(size_t n, const double *const *x, double *const *value, const void *context) {
    size_t *calls = *(size_t *const *)context;
    for (size_t i = 0; i < n; i++, ++*calls)
        value[0][i] = (double)(1 + *calls / 1024 % 2) + 1e-3 * x[0][i];
}

UNIT_TEST(an_error_is_at_least_that_of_the_scatter) {
    size_t calls = 0, *counter = &calls;
    const uh_integrand integrand = {
        .struct_size = sizeof integrand, .dims = 1, .function = drifting, .context = &counter};
    const uh_integral got = integrate(
        test_queue(1, 0), &integrand,
        INTEGRATE(.variant = UH_INTEGRATE_PLAIN, .max_calls = 1024, .iterations = 16, .relative_error = 1e-9));
    assert_true(got.error > 0.4 / sqrt(15) && got.error < 0.6 / sqrt(15));
}

/* x^power, of the first axis. */
static void power_of(size_t n, const double *const *x, double *const *value, const void *context) {
    for (size_t i = 0; i < n; i++)
        value[0][i] = pow(x[0][i], *(const double *)context);
}

/* Of two distant peaks each pilot sees one. Then the error holds, and there is no warning of a single one. */
UNIT_TEST(several_peaks_are_a_warning) {
    size_t warned = 0;
    for (uint64_t seed = 0; seed < 30; seed++) {
        const struct set_row *row = set_find(seed < 20 ? "far_peaks_d8" : "f4_d8");
        const struct set_integrand f = set_draw(row, seed);
        const uh_integrand integrand = {
            .struct_size = sizeof integrand, .dims = row->dims, .function = set_batch, .context = &f};
        const uh_integral got = integrate(test_queue(1, 0), &integrand, INTEGRATE(.max_calls = 50000, .seed = seed));
        const int several = got.warning == UH_INTEGRATE_SEVERAL_PEAKS;
        warned += several ? 1 : 0;
        assert_true(!several || seed < 20);
        assert_true(!several ||
                    (got.end == UH_INTEGRATE_ITERATIONS && fabs(got.value - set_truth(&f)) < 5 * got.error));
    }
    assert_true(warned >= 6);
}

UNIT_TEST(heavy_tails_are_a_warning) {
    for (uint64_t i = 0; i < 20; i++) {
        const double power = i % 2 ? -0.9 : -0.3;
        const uh_integrand integrand = {
            .struct_size = sizeof integrand, .dims = 2, .function = power_of, .context = &power};
        const uh_integral got = integrate(
            test_queue(1, 0), &integrand,
            INTEGRATE(.variant = i < 10 ? UH_INTEGRATE_PLAIN : UH_INTEGRATE_AUTO, .max_calls = 20000, .seed = i));
        assert_int_equal(got.warning, i % 2 ? UH_INTEGRATE_HEAVY_TAILS : UH_INTEGRATE_NO_WARNING);
        assert_true((got.end == UH_INTEGRATE_CONVERGED) <= !got.warning);
    }
}
