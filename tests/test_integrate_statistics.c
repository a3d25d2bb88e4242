/* SPDX-License-Identifier: Apache-2.0 */
/* Whether error bars mean what they say: of many runs with different seeds the pulls, (integral - truth) / error, are
 * normal numbers. The seeds are fixed.
 *
 * UNIHIST_TEST_RUNS=N: the number of runs per integrand; by default 100. UNIHIST_TEST_TAU=T: relative errors from
 * 10^-3, each a fifth of the one before, down to T; by default that alone. */
#include "tests/integrate_fixture.h"

static const struct integrand_of cases[] = {{F2, 6}, {F3, 3}, {F3, 8}, {F4, 5}, {F4, 8}, {F5, 8}, {F6, 6}};
enum { CASES = sizeof cases / sizeof *cases };

static double setting(const char *name, double usual) {
    const char *text = getenv(name);
    return text ? atof(text) : usual;
}

struct pulls {
    size_t n, far;
    double sum, squares;
};

static void add(struct pulls *pulls, double pull) {
    pulls->n++;
    pulls->far += fabs(pull) > 3;
    pulls->sum += pull;
    pulls->squares += pull * pull;
}

/* Whether they could be normal numbers; the bounds widen for few. */
static int are_normal(const struct pulls *pulls) {
    const double n = (double)pulls->n, rms = sqrt(pulls->squares / n), spread = 0.1 + 3 / sqrt(2 * n);
    return fabs(rms - 1) < spread && fabs(pulls->sum / n) < 3 / sqrt(n) &&
           (double)pulls->far <= 0.015 * n + 2 * sqrt(0.015 * n) + 1;
}

/* Samples enough for a relative error: twice those with which a run converges. */
static uint64_t find_calls(uh_queue *queue, const struct integrand_of *f, uh_integrate_variant variant, double tau) {
    const struct box box = box_of(f);
    const uh_integrand integrand = integrand_for(f);
    for (uint64_t calls = 20000;; calls *= 2) {
        const uh_integral got = integrate(
            queue, &integrand, IN(box, .variant = variant, .max_calls = calls, .relative_error = tau, .seed = 12345));
        if (got.end == UH_INTEGRATE_CONVERGED && got.value != 0)
            return 2 * calls;
    }
}

static struct pulls run(uh_queue *queue, const struct integrand_of *f, uh_integrate_variant variant, double tau,
                        size_t runs) {
    struct pulls pulls = {.n = 0};
    const uint64_t calls = find_calls(queue, f, variant, tau);
    const double truth = integrand_true(f);
    const struct box box = box_of(f);
    const uh_integrand integrand = integrand_for(f);
    uint64_t all = 0;
    size_t converged = 0;
    for (size_t r = 0; r < runs; r++) {
        const uh_integral got =
            integrate(queue, &integrand,
                      IN(box, .variant = variant, .max_calls = calls, .relative_error = tau, .seed = 1000 * r + 17));
        add(&pulls, (got.value - truth) / got.error);
        converged += got.end == UH_INTEGRATE_CONVERGED;
        all += got.calls;
    }
    printf(
        "  f%d d=%zu %-10s tau %.1e: rms pull %.2f, mean %+.2f, beyond 3: %zu of %zu, converged %zu, %.3g calls each\n",
        (int)f->name + 1, f->dims, uh_enum_name(UH_ENUM_INTEGRATE_VARIANT, variant), tau,
        sqrt(pulls.squares / (double)runs), pulls.sum / (double)runs, pulls.far, runs, converged,
        (double)all / (double)runs);
    return pulls;
}

UNIT_TEST(error_bars_mean_what_they_say) {
    const size_t runs = (size_t)setting("UNIHIST_TEST_RUNS", 100);
    const double least = setting("UNIHIST_TEST_TAU", 1e-3);
    uh_queue *queue = test_queue(2, 0);
    struct pulls all = {.n = 0};
    int normal = 1;
    double tau = 1e-3;
    for (int step = 0; step < 9 && tau >= least * 0.999; step++, tau /= 5)
        for (size_t i = 0; i < CASES; i++)
            for (uh_integrate_variant v = UH_INTEGRATE_MCUBES; v <= UH_INTEGRATE_VEGAS_PLUS; v++) {
                if (v == UH_INTEGRATE_MCUBES1D)
                    continue;
                const struct pulls pulls = run(queue, &cases[i], v, tau, runs);
                normal &= are_normal(&pulls);
                all.n += pulls.n;
                all.far += pulls.far;
                all.sum += pulls.sum;
                all.squares += pulls.squares;
            }
    printf("  all: rms pull %.3f, mean %+.3f, beyond 3: %.2f %%\n", sqrt(all.squares / (double)all.n),
           all.sum / (double)all.n, 100 * (double)all.far / (double)all.n);
    assert_true(normal);
    assert_true(fabs(sqrt(all.squares / (double)all.n) - 1) < 0.1);
    assert_true((double)all.far <= 0.015 * (double)all.n);
}

/* The peak takes 10^-8 of the box: nearly all values are too small for float64 at first. */
UNIT_TEST(a_narrow_peak_is_found) {
    static const struct integrand_of f = {FB, 9};
    static const uh_integrate_variant variants[] = {UH_INTEGRATE_MCUBES, UH_INTEGRATE_VEGAS_PLUS};
    for (size_t v = 0; v < 2; v++) {
        const struct box box = box_of(&f);
        const uh_integrand integrand = integrand_for(&f);
        const uh_integral integral = integrate(
            test_queue(2, 0), &integrand,
            IN(box, .variant = variants[v], .max_calls = 1000000, .iterations = 40, .adjusting = 30, .seed = 18));
        printf("  f8 d=9 %-10s: %.6f +- %.1e, %zu iterations\n", uh_enum_name(UH_ENUM_INTEGRATE_VARIANT, variants[v]),
               integral.value, integral.error, integral.iterations);
        assert_true(fabs(integral.value - 1) < 4.5 * integral.error && integral.error < 2e-3);
    }
}
