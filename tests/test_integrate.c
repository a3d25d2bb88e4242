/* SPDX-License-Identifier: Apache-2.0 */
/* Integrals on the host: against closed forms, against one iteration by the definition, and the same bits however the
 * work is shared. */
#include "kernels/common/philox.h"
#include "kernels/integrate/integrate_run.h"
#include "runtime/cpu.h"
#include "tests/integrate_fixture.h"

static const uh_integrate_variant variants[] = {UH_INTEGRATE_MCUBES, UH_INTEGRATE_MCUBES1D, UH_INTEGRATE_VEGAS_PLUS,
                                                UH_INTEGRATE_PLAIN};
enum { VARIANTS = sizeof variants / sizeof *variants };

UNIT_TEST(integrals_are_within_their_errors_of_closed_forms) {
    static const struct integrand_of cases[] = {{F1, 1}, {F2, 2}, {F2, 6}, {F3, 3}, {F3, 8}, {F4, 5},
                                                {F4, 8}, {F5, 8}, {F6, 6}, {FA, 3}, {F5, 1}};
    uh_queue *queue = test_queue(2, 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t v = 0; v < VARIANTS - 1; v++) {
            const struct integrand_of *f = &cases[i];
            const uh_integrand integrand = integrand_for(f);
            const struct box box = box_of(f);
            if (variants[v] == UH_INTEGRATE_MCUBES1D && (f->name == F1 || f->name == F3 || f->name == F6))
                continue;
            const uh_integral got = integrate(queue, &integrand,
                                              IN(box, .variant = variants[v], .max_calls = 100000, .seed = 7 + i,
                                                 .iterations = 40, .adjusting = 20, .skipped = 6));
            const double pull = (got.value - integrand_true(f)) / got.error;
            printf("  f%d, %zu axes, %s: %.6g, error %.2g, pull %.2f, chi2 %.2f, %zu iterations, end %d\n",
                   (int)f->name + 1, f->dims, uh_enum_name(UH_ENUM_INTEGRATE_VARIANT, variants[v]), got.value,
                   got.error, pull, got.chi2_dof, got.iterations, (int)got.end);
            assert_int_equal(got.variant, variants[v]);
            assert_true(fabs(pull) < 4.5);
            assert_true(got.error < 0.02 * fabs(integrand_true(f)));
        }
}

static void exponentials(size_t n, const double *const *x, double *const *value, const void *context) {
    for (size_t i = 0; i < n; i++) /* the maps are worst where their ends are */
        value[0][i] = exp(-x[0][i] * x[0][i]) * exp(-(x[1][i] - 1)) * exp(x[2][i] + 3);
}

UNIT_TEST(sides_may_be_infinite) {
    static const double lower[] = {-HUGE_VAL, 1, -HUGE_VAL}, upper[] = {HUGE_VAL, HUGE_VAL, -3};
    const uh_integrand integrand = {.struct_size = sizeof integrand, .dims = 3, .function = exponentials};
    const uh_integral got = integrate(test_queue(2, 0), &integrand,
                                      INTEGRATE(.lower = lower, .upper = upper, .max_calls = 200000, .seed = 3));
    assert_int_equal(got.end, UH_INTEGRATE_CONVERGED);
    assert_true(fabs(got.value - sqrt(3.14159265358979323846)) < 4.5 * got.error);
}

static double word_of(uint64_t seed, uint64_t iteration, uint64_t sample, size_t d) {
    const uhi_philox_block_32 block = uhi_philox4x32(seed, UH_INTEGRATE_STREAM + 8 * iteration + d / 4, sample);
    return (block.v[d % 4] + 0.5) / 4294967296.0;
}

/* Estimate and deviation of the first iteration, over equal bins of the unit cube. */
static void by_definition(const struct integrand_of *f, uint64_t seed, const uint64_t *g, uint64_t each,
                          double *estimate, double *deviation) {
    long double sum = 0, variance = 0;
    uint64_t m = 1;
    for (size_t d = 0; d < f->dims; d++)
        m *= g[d];
    for (uint64_t cube = 0; cube < m; cube++) {
        long double values = 0, squares = 0;
        for (uint64_t k = 0; k < each; k++) {
            double x[UH_INTEGRATE_MAX_DIMS];
            uint64_t rest = cube;
            for (size_t d = 0; d < f->dims; rest /= g[d++])
                x[d] = ((double)(rest % g[d]) + word_of(seed, 0, cube * each + k, d)) / (double)g[d];
            const double v = integrand_at(f, x);
            values += v;
            squares += (long double)v * v;
        }
        const long double n = (long double)each, mean = values / n;
        sum += mean;
        variance += (squares / n - mean * mean) / (n - 1);
    }
    *estimate = (double)(sum / m);
    *deviation = (double)sqrtl(variance / m / m);
}

static int keep_first(const uh_iteration *iteration, void *context) {
    if (iteration->number == 0)
        *(uh_iteration *)context = *iteration;
    return 0;
}

UNIT_TEST(an_iteration_is_what_its_definition_says) {
    static const struct {
        struct integrand_of f;
        uh_integrate_variant variant;
        uint64_t calls, each, g;
        uint64_t strata[4]; /* of all axes, if g is 0 */
    } cases[] = {{{F3, 3}, UH_INTEGRATE_MCUBES, 20000, 2, 21, {0}},
                 {{F5, 2}, UH_INTEGRATE_MCUBES, 50000, 2, 158, {0}},
                 {{F3, 9}, UH_INTEGRATE_MCUBES, 9000, 17, 2, {0}},
                 {{F1, 20}, UH_INTEGRATE_MCUBES, 30000, 30000, 1, {0}},
                 {{F6, 6}, UH_INTEGRATE_MCUBES, 30000, 7, 4, {0}},
                 {{F3, 4}, UH_INTEGRATE_PLAIN, 12345, 12345, 1, {0}},
                 {{F3, 3}, UH_INTEGRATE_VEGAS_PLUS, 40001, 2, 25, {0}},
                 {{F3, 4}, UH_INTEGRATE_MCUBES, 20001, 95, 0, {7, 2, 5, 3}},
                 {{F5, 3}, UH_INTEGRATE_MCUBES1D, 5000, 41, 0, {3, 1, 40}},
                 {{F3, 3}, UH_INTEGRATE_VEGAS_PLUS, 3001, 2, 0, {500, 1, 3}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const uint64_t *strata = cases[i].g ? NULL : cases[i].strata;
        uint64_t g[UH_INTEGRATE_MAX_DIMS] = {0};
        for (size_t d = 0; d < cases[i].f.dims; d++)
            g[d] = strata ? strata[d] : cases[i].g;
        const uh_integrand integrand = integrand_for(&cases[i].f);
        uh_iteration first = {.number = 9};
        double estimate, deviation;
        const uh_integral got =
            integrate(test_queue(2, 0), &integrand,
                      INTEGRATE(.variant = cases[i].variant, .max_calls = cases[i].calls, .strata = strata,
                                .iterations = 1, .skipped = SIZE_MAX, .adjusting = SIZE_MAX, .seed = i,
                                .report = keep_first, .report_context = &first));
        by_definition(&cases[i].f, i, g, cases[i].each, &estimate, &deviation);
        assert_memory_equal(got.intervals, g, sizeof g);
        assert_int_equal(got.calls, cases[i].each * got.cubes + 1024); /* those that tell how large values are */
        assert_true(fabs(first.estimate / estimate - 1) < 1e-9);
        assert_true(fabs(first.deviation / deviation - 1) < 1e-6);
        assert_true(got.value == first.estimate && got.error > 0);
    }
}

UNIT_TEST(any_number_of_axes_samples_and_bins_will_do) {
    static const uint64_t calls[] = {4, 5, 7, 100, 4095, 4097, 10001};
    static const size_t bins[] = {1, 2, 500};
    for (size_t dims = 1; dims <= UH_INTEGRATE_MAX_DIMS; dims++) {
        const struct integrand_of f = {F3, dims};
        uh_queue *queue = test_queue(1 + (uint32_t)dims % 3, 0);
        for (size_t i = 0; i < 7 * VARIANTS; i++) {
            const uh_integrand integrand = integrand_for(&f);
            const uh_integral got = integrate(
                queue, &integrand,
                INTEGRATE(.variant = variants[i % VARIANTS], .max_calls = calls[i / VARIANTS], .bins = bins[i % 3],
                          .iterations = 6, .adjusting = 5, .skipped = 1, .relative_error = 1e-15, .seed = i));
            assert_int_equal(got.iterations, 6);
            assert_true(got.calls >= 1024 && got.calls <= 1024 + 12 * calls[i / VARIANTS]);
            assert_true(got.value > 0 && got.error >= 0 && isfinite(got.value) && isfinite(got.error));
        }
    }
}

static void several(size_t n, const double *const *x, double *const *value, const void *context) {
    integrand_batch(n, x, value, context);
    for (size_t i = 0; i < n; i++) {
        value[1][i] = 2 * value[0][i];
        value[2][i] = x[0][i];
    }
}

UNIT_TEST(threads_change_no_bit) {
    static const struct integrand_of f = {F4, 4};
    const uh_integrand integrand = {
        .struct_size = sizeof integrand, .dims = 4, .values = 3, .function = several, .context = &f};
    for (size_t v = 0; v < VARIANTS; v++) {
        double first[13];
        for (uint32_t threads = 1; threads <= 8; threads++) {
            double values[3], covariance[9], now[13];
            uh_integral integral = {.struct_size = sizeof integral, .values = values, .covariance = covariance};
            test_good(uh_integrate(test_queue(threads, 0), &integrand,
                                   INTEGRATE(.variant = variants[v], .max_calls = 70001, .iterations = 8,
                                             .adjusting = 5, .relative_error = 1e-9, .seed = 5),
                                   &integral));
            memcpy(now, values, sizeof values);
            memcpy(now + 3, covariance, sizeof covariance);
            now[12] = integral.chi2_dof;
            if (threads == 1)
                memcpy(first, now, sizeof first);
            assert_memory_equal(first, now, sizeof now);
            assert_true(values[1] == 2 * values[0]);
            assert_true(covariance[1] == covariance[3] && fabs(covariance[1] / covariance[0] - 2) < 1e-9);
        }
    }
}

TEST_CHILD(print) {
    static const struct integrand_of f = {F5, 6};
    const uh_integrand integrand = integrand_for(&f);
    for (int variant = UH_INTEGRATE_MCUBES; variant <= UH_INTEGRATE_LATTICE; variant++)
        for (uint64_t calls = 5000; calls <= 50001; calls += 45001) { /* 2 samples per cube, and more */
            uh_grid *grid = NULL;
            uh_grid_properties made = {.struct_size = sizeof made};
            uh_integral got = {.struct_size = sizeof got};
            if (uh_grid_create(f.dims, 10, NULL, NULL, NULL, &grid) ||
                uh_integrate(test_queue(1, 0), &integrand,
                             INTEGRATE(.variant = (uh_integrate_variant)variant, .max_calls = calls, .grid = grid,
                                       .iterations = 6, .adjusting = 4, .relative_error = 1e-12, .seed = 9),
                             &got) ||
                uh_grid_get_properties(grid, &made))
                return 1;
            printf("%a %a %a", got.value, got.error, got.chi2_dof);
            for (size_t j = 1; j < f.dims * 11; j += 2) /* every other edge fits the text of a child */
                printf(" %a", made.edges[j]);
            uh_grid_destroy(grid);
        }
    return 0;
}

/* A process for each level that this CPU has. */
UNIT_TEST(levels_of_x86_64_change_no_bit) {
    static const char *const levels[] = {"UNIHIST_ISA=v2", "UNIHIST_ISA=v3", "UNIHIST_ISA=v4"};
    static struct test_child first, other;
#ifdef UNIHIST_ONE_LEVEL
    skip_because("the build has one level");
#endif
    for (size_t level = 0; level <= uhi_cpu_isa() - UHI_ISA_V2; level++) {
        test_run_child("print", (const char *const[]){levels[level], NULL}, level ? &other : &first);
        assert_int_equal(level ? other.exit_code : first.exit_code, 0);
        assert_true(strlen(first.out) > 5000 && (level == 0 || strcmp(first.out, other.out) == 0));
    }
}

static void assert_is_grid(const double *edges, size_t bins, double low, double high) {
    assert_true(edges[0] == low && edges[bins] == high);
    for (size_t j = 0; j < bins; j++)
        assert_true(edges[j] < edges[j + 1]);
}

/* A cube gets two samples, and of the others its part by its variance to the power of beta / 2. */
UNIT_TEST(cubes_share_samples_by_their_deviations_damped) {
    static const struct {
        double beta;
        uint64_t starts[5];
    } rows[] = {{0, {0, 27, 54, 81, 108}}, {1, {0, 2, 18, 48, 107}}, {0.5, {0, 2, 26, 60, 107}}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double variance[] = {0, 1, 4, 16};
        uint64_t starts[5];
        struct uhi_sampling sampling = {.cubes = 4};
        uhi_cubes_share(&sampling, variance, starts, 108, rows[i].beta, 0);
        assert_memory_equal(starts, rows[i].starts, sizeof starts);
        assert_int_equal(sampling.samples, starts[4]);
    }
}

UNIT_TEST(a_grid_stays_valid_for_any_contributions) {
    enum { BINS = 500, KINDS = 6 };
    static double c[BINS], edges[BINS + 1], memory[2 * BINS + 1];
    uint64_t random = 1;
    for (int kind = 0; kind < KINDS; kind++) {
        for (size_t j = 0; j <= BINS; j++)
            edges[j] = -3 + (double)j / BINS * 4;
        edges[BINS] = 1;
        for (int round = 0; round < 100; round++) {
            for (size_t j = 0; j < BINS; j++)
                c[j] = kind == 0   ? j == 250
                       : kind == 1 ? 0
                       : kind == 2 ? 0x1p62
                       : kind == 3 ? (double)(j == 0) * 0x1p62
                       : kind == 4 ? (double)(j == BINS - 1)
                                   : ldexp(1, (int)(test_random_u64(&random) % 62));
            uhi_grid_adjust(edges, BINS, c, 1.5, round % 3 * 0.1, memory);
            assert_is_grid(edges, BINS, -3, 1);
        }
        for (size_t j = 0; j <= BINS && (kind == 1 || kind == 2); j++) /* bins that are given as much stay equal */
            assert_true(fabs(edges[j] - (-3 + (double)j / BINS * 4)) < 1e-9);
    }
}

UNIT_TEST(bins_gather_where_the_integrand_is_and_serve_again) {
    static const struct integrand_of f = {F4, 3};
    const uh_integrand integrand = integrand_for(&f);
    uh_queue *queue = test_queue(2, 0);
    uh_grid *grid = NULL, *copy = NULL;
    uh_grid_properties properties = {.struct_size = sizeof properties};
    test_good(uh_grid_create(3, 100, NULL, NULL, NULL, &grid));
    (void)integrate(queue, &integrand, INTEGRATE(.grid = grid, .max_calls = 100000, .seed = 1));
    test_good(uh_grid_get_properties(grid, &properties));
    size_t near = 0;
    for (size_t j = 0; j < 100; j++)
        near += fabs(properties.edges[j] - 0.5) < 0.1;
    assert_true(near > 80);
    test_good(
        uh_grid_create(3, 100, properties.lower, properties.upper, properties.edges, &copy)); /* kept as numbers */
    const uh_integral again =
        integrate(queue, &integrand, INTEGRATE(.grid = copy, .max_calls = 100000, .seed = 2, .skipped = SIZE_MAX));
    assert_int_equal(again.iterations, 2);
    assert_true(fabs(again.value - integrand_true(&f)) < 4.5 * again.error);
    uh_grid_destroy(grid);
    uh_grid_destroy(copy);
}

UNIT_TEST(variances_of_cubes_are_added_by_bin) {
    const struct uhi_sampling s = {.field = {.dims = 3, .bins = 2}, .intervals = {4, 2, 6}, .cubes = 48};
    double variance[48], sum[2];
    for (size_t d = 0, stride = 1; d < 3; stride *= s.intervals[d++])
        for (size_t half = 0; half < 2; half++) {
            for (size_t c = 0; c < 48; c++) /* of one half of this axis, and rounding errors */
                variance[c] = c / stride % s.intervals[d] * 2 / s.intervals[d] == half ? 1 : -1e-9;
            uhi_cubes_by_bin(&s, variance, d, sum);
            assert_true(sum[half] == 24 && sum[!half] == 0);
        }
}

/* 1 / (x - a quarter) by steps of an eighth: infinite on two of them, no number on another. */
static void holes(size_t n, const double *const *x, double *const *value, const void *context) {
    for (size_t i = 0; i < n; i++)
        value[0][i] = x[0][i] < 0.25 ? (double)INFINITY : x[0][i] < 0.5 ? (double)NAN : 2;
}

UNIT_TEST(values_that_are_not_finite_are_reported_or_count_as_0) {
    const uh_integrand integrand = {.struct_size = sizeof integrand, .dims = 2, .function = holes};
    uh_integral got = {.struct_size = sizeof got, .value = 17};
    test_invalid(uh_integrate(test_queue(2, 0), &integrand, INTEGRATE(.max_calls = 20000), &got),
                 "uh_integrate: integrand is inf at (", "of the 5000 samples of iteration 0 are not");
    assert_true(got.value == 17);
    got = integrate(test_queue(2, 0), &integrand, INTEGRATE(.max_calls = 20000, .zero_not_finite = 1));
    assert_true(fabs(got.value - 1) < 1e-12 + 4.5 * got.error);
    assert_true(got.not_finite > 0 && 2 * got.not_finite < got.calls + 2000);
}
