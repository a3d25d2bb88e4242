/* SPDX-License-Identifier: Apache-2.0 */
/* Whether error bars mean what they say: of many runs with different seeds the pulls, (integral - truth) / error, are
 * about normal numbers, and no result that has converged is beyond five errors. The seeds are fixed.
 *
 * UNIHIST_TEST_RUNS=N: the number of runs per integrand and variant; by default 20. */
#include "tests/integrands/set.h"
#include "tests/integrate_fixture.h"

enum { CALLS = 20000, FAR = 5 };
#define RMS_MIN 0.35
#define RMS_MAX 1.55

/* What the integrators do not do yet: integrands of the training set with silent failures, as a part of the runs, and
 * with pulls of up to that. A row that no variant needs is to go. */
static const struct known {
    const char *name;
    double silent, rms;
} known[] = {
    {"inverse_root_d1", 0.15, 4}, {"crease_0.5_d2", 0, 2}, {"far_peaks_d8", 0.15, INFINITY}}; /* one is never seen */
enum { KNOWN = sizeof known / sizeof *known };

struct found {
    size_t silent;
    double rms;
};

static struct found run(uh_queue *queue, const struct set_row *row, uh_integrate_variant variant, size_t runs) {
    struct found found = {.silent = 0};
    double lower[UH_INTEGRATE_MAX_DIMS], upper[UH_INTEGRATE_MAX_DIMS], squares = 0;
    for (size_t d = 0; d < row->dims; d++) {
        lower[d] = row->lower;
        upper[d] = row->upper;
    }
    for (uint64_t seed = 0; seed < runs; seed++) {
        const struct set_integrand f = set_draw(row, seed);
        const uh_integrand integrand = {
            .struct_size = sizeof integrand, .dims = row->dims, .function = set_batch, .context = &f};
        const double truth = set_truth(&f);
        const uh_integral got =
            integrate(queue, &integrand,
                      INTEGRATE(.lower = lower, .upper = upper, .variant = variant, .max_calls = CALLS, .seed = seed));
        const double error = got.value - truth, pull = fabs(error) < 1e-12 * fabs(truth) ? 0 : error / got.error;
        found.silent += got.end == UH_INTEGRATE_CONVERGED && !(fabs(pull) <= FAR);
        squares += pull * pull;
    }
    found.rms = sqrt(squares / (double)runs);
    return found;
}

static const struct known *find_known(const char *name) {
    for (size_t i = 0; i < KNOWN; i++)
        if (strcmp(known[i].name, name) == 0)
            return &known[i];
    return NULL;
}

/* By a grid; sequences without one miss narrow peaks. */
UNIT_TEST(error_bars_mean_what_they_say) {
    const char *given = getenv("UNIHIST_TEST_RUNS");
    const size_t runs = given ? strtoul(given, NULL, 10) : 20;
    size_t wrong = 0;
    for (const struct set_row *row = set_rows; row < set_rows + SET_ROWS; row++) {
        const struct known *except = find_known(row->name);
        int needed = 0;
        for (unsigned v = 0; uh_enum_name(UH_ENUM_INTEGRATE_VARIANT, v) && row->part == SET_TRAINING; v++) {
            if (v == UH_INTEGRATE_PLAIN || v >= UH_INTEGRATE_SOBOL ||
                (v == UH_INTEGRATE_MCUBES1D && !set_is_symmetric(row)))
                continue;
            const struct found found = run(test_queue(2, 0), row, (uh_integrate_variant)v, runs);
            const double least = v == UH_INTEGRATE_AUTO ? 0 : RMS_MIN; /* errors of cubature are far too large */
            const int good = found.silent == 0 && found.rms < RMS_MAX && !(found.rms > 0 && found.rms < least);
            needed |= !good;
            if (good || (except && (double)found.silent <= except->silent * (double)runs && found.rms <= except->rms))
                continue;
            wrong++;
            printf("  %s by %s: rms pull %.3g, %zu of %zu converged beyond %d errors\n", row->name,
                   uh_enum_name(UH_ENUM_INTEGRATE_VARIANT, v), found.rms, found.silent, runs, FAR);
        }
        if (except && !needed)
            printf("  %s: as good as others\n", row->name);
    }
    assert_int_equal(wrong, 0);
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
