/* SPDX-License-Identifier: Apache-2.0 */
/* Integrals of texts on devices: with float64 the host's bits for all variants; with float32 the truth within its
 * error. (The points of grids, and failures, are in cases_integrate.c.) */
#include "tests/tested.h"

#include "kernels/common/pace.h"
#include "line.c.h"
#include "moments.c.h"
#include "pieces.c.h"
#include "pole.c.h"
#include "powers.c.h"
#include "tests/integrands/slopes_state.h"
#include "tests/integrate_fixture.h"

/* With the device's arithmetic the host's: all the same. Else the truth. */
static void compare(const struct integrated *device, const struct integrated *host) {
    const uh_integral *a = &device->integral, *b = &host->integral;
    assert_int_equal(a->iterations, b->iterations);
    assert_int_equal(a->dtype, tested.properties.fp64 ? UH_F64 : UH_F32);
    if (tested.properties.fp64) {
        assert_int_equal(a->calls, b->calls);
        assert_memory_equal(device->values, host->values, sizeof host->values);
        assert_memory_equal(device->covariance, host->covariance, sizeof host->covariance);
        assert_memory_equal(device->edges, host->edges, sizeof host->edges);
        assert_true(a->chi2_dof == b->chi2_dof);
        return;
    }
    test_near(a->value, b->value, 7 * (a->error + b->error));
    test_near(a->error, b->error, 0.5 * b->error);
}

static void on_host_and_device(const uh_integrand_code *code, const uh_integrate_options *given, const double *lower,
                               const double *upper, double truth) {
    const uh_integrand integrand = integrand_of(code);
    uh_integrate_options options = *given;
    options.lower = lower;
    options.upper = upper;
    options.seed = 5;
    options.relative_error = 1e-12;
    options.iterations = 4;
    options.skipped = 1;
    const struct integrated *device = integrate_on_grid(tested.queue, &integrand, options);
    test_near(device->integral.value, truth, 6 * device->integral.error + 1e-6 * fabs(truth));
    compare(device, integrate_on_grid(test_queue(0, 0), &integrand, options));
}

static void needs_local_memory(void) {
    if (!device_takes_integrands(&tested.properties))
        skip_because("the device has too little local memory");
}

UNIT_TEST(a_device_that_is_too_small_is_reported) {
    const uh_integrand integrand = integrand_of(&uh_integrand_slopes);
    uh_integral integral = {.struct_size = sizeof integral, .value = 17};
    if (device_takes_integrands(&tested.properties))
        skip_because("the device has enough local memory");
    test_assert_failed(uh_integrate(tested.queue, &integrand, NULL, &integral), UH_ERROR_UNSUPPORTED,
                       "uh_integrate: integrand takes groups of 256 work-items with ", tested.properties.selector);
    assert_true(integral.value == 17);
}

UNIT_TEST(variants_give_the_bits_of_the_host) {
    enum { MCUBES = 1 << UH_INTEGRATE_MCUBES, MCUBES1D = 1 << UH_INTEGRATE_MCUBES1D, PLAIN = 1 << UH_INTEGRATE_PLAIN };
    enum { PLUS = 1 << UH_INTEGRATE_VEGAS_PLUS, ALL = MCUBES | MCUBES1D | PLAIN | PLUS };
    static const uint64_t strata[] = {3, 1, 5, 2, 4};
    const double pi = 3.14159265358979323846, inf = (double)INFINITY, each = 1 + 1 / 2.0 + 1 / 3.0;
    const double lower[] = {0, -inf}, upper[] = {inf, inf};
    const struct {
        const uh_integrand_code *code;
        double truth;
        unsigned variants;
        const uint64_t *strata;
        const double *lower, *upper;
        uint64_t calls[4];
    } rows[] = {/* State, and two samples a cube; cubes in strips and across them, across units; many units. */
                {&uh_integrand_slopes, slopes_truth(), ALL, NULL, NULL, NULL, {2 * 243, 7 * 243, 40000, 120001}},
                {&uh_integrand_slopes, slopes_truth(), ALL & ~PLAIN, strata, NULL, NULL, {2 * 120, 5 * 120, 30000}},
                /* Cubes of many samples lie across strips and units. */
                {&uh_integrand_line, 0.5, PLUS, NULL, NULL, NULL, {10000, 100000}},
                /* Several values of a point, and infinite sides. */
                {&uh_integrand_moments, pi * pi / 4, PLUS | PLAIN, NULL, lower, upper, {1500, 30000}},
                {&uh_integrand_powers, pi * pi / 16, PLUS, NULL, NULL, NULL, {1500, 30000}},
                /* Several work-items evaluate a sample. */
                {&uh_integrand_pieces, each * each * each * each, PLUS | MCUBES, NULL, NULL, NULL, {3001, 20000}}};
    needs_local_memory();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (unsigned variant = 0; rows[i].variants >> variant; variant++)
            for (size_t c = 0; c < 4 && rows[i].calls[c] && rows[i].variants >> variant & 1; c++)
                on_host_and_device(rows[i].code,
                                   INTEGRATE(.variant = (uh_integrate_variant)variant, .max_calls = rows[i].calls[c],
                                             .strata = rows[i].strata),
                                   rows[i].lower, rows[i].upper, rows[i].truth);
}

UNIT_TEST(sequences_give_the_bits_of_the_host) {
    needs_local_memory();
    static const double inf = (double)INFINITY, pi = 3.14159265358979323846, lower[] = {0, -HUGE_VAL};
    const double upper[] = {inf, inf};
    static const uh_integrate_options rows[] = {
        {.variant = UH_INTEGRATE_SOBOL},
        {.variant = UH_INTEGRATE_SOBOL, .scramble = UH_SCRAMBLE_SHIFT, .randomisations = 33},
        {.variant = UH_INTEGRATE_LATTICE, .adjusting = 2},
        {.variant = UH_INTEGRATE_LATTICE, .periodise = UH_PERIODISE_NONE},
        {.variant = UH_INTEGRATE_LATTICE, .periodise = UH_PERIODISE_KOROBOV, .adjusting = 1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uh_integrate_options options = rows[i];
        options.max_calls = 20000;
        on_host_and_device(&uh_integrand_slopes, &options, NULL, NULL, slopes_truth());
        on_host_and_device(&uh_integrand_moments, &options, lower, upper, pi * pi / 4);
    }
}

UNIT_TEST(values_that_are_not_finite_are_reported_with_the_point) {
    needs_local_memory();
    const uh_integrand integrand = integrand_of(&uh_integrand_pole);
    uh_integral integral = {.struct_size = sizeof integral, .value = 17};
    double x, y, z;
    test_invalid(uh_integrate(tested.queue, &integrand,
                              INTEGRATE(.variant = UH_INTEGRATE_VEGAS_PLUS, .max_calls = 5000, .seed = 3), &integral),
                 "integrand is inf at (", "of the ");
    assert_int_equal(sscanf(strchr(uh_last_error(), '('), "(%lf, %lf, %lf)", &x, &y, &z), 3);
    assert_true(x > 0 && y > 0 && z > 0 && x + y + z < 0.25001);
    assert_true(integral.value == 17);
    test_good(uh_integrate(tested.queue, &integrand,
                           INTEGRATE(.variant = UH_INTEGRATE_VEGAS_PLUS, .max_calls = 5000, .seed = 3,
                                     .relative_error = 1e-9, .zero_not_finite = 1),
                           &integral));
    assert_true(integral.not_finite > 0 && integral.not_finite < integral.calls);
    test_near(integral.value, 1 - 0.25 * 0.25 * 0.25 / 6, 6 * integral.error);
}

UNIT_TEST(one_struct_may_have_one_text_after_the_other) {
    const uh_integrand_code *const texts[] = {&uh_integrand_line, &uh_integrand_moments, &uh_integrand_line};
    static const double pi = 3.14159265358979323846, infinite[] = {(double)INFINITY, (double)INFINITY}, zero[] = {0, 0};
    uh_program fp64, fp32;
    uh_integrand_code code = {.name = "text", .fp64 = &fp64, .fp32 = &fp32};
    needs_local_memory();
    for (size_t i = 0; i < 3; i++) {
        const int is_line = texts[i] == &uh_integrand_line;
        memcpy(code.level, texts[i]->level, sizeof code.level);
        fp64 = *texts[i]->fp64;
        fp32 = *texts[i]->fp32;
        on_host_and_device(&code, INTEGRATE(.variant = UH_INTEGRATE_VEGAS_PLUS, .max_calls = 20000),
                           is_line ? NULL : zero, is_line ? NULL : infinite, is_line ? 0.5 : pi * pi / 8);
    }
}

UNIT_TEST(a_text_is_built_once_however_often_and_wherever_it_is) {
    const struct soft_gpu gpu = test_soft_gpu();
    uh_program programs[5];
    uint64_t modules = 0;
    needs_local_memory();
    for (size_t i = 0; i < 40; i++) {
        uh_program *program = &programs[i % 5];
        *program = *(tested.properties.fp64 ? uh_integrand_line.fp64 : uh_integrand_line.fp32);
        uh_integrand_code code = uh_integrand_line;
        code.fp64 = code.fp32 = program;
        const uh_integrand integrand = integrand_of(&code);
        uh_integral integral = {.struct_size = sizeof integral};
        test_good(uh_integrate(tested.queue, &integrand,
                               INTEGRATE(.variant = UH_INTEGRATE_VEGAS_PLUS, .max_calls = 2000, .iterations = 2),
                               &integral));
        modules = i == 0 ? gpu.calls("zeModuleCreate") : modules;
    }
    assert_int_equal(gpu.calls("zeModuleCreate"), modules);
}

/* Rows of another text's kernel are shorter, and what lies between is garbage. */
UNIT_TEST(sums_that_cannot_be_are_not_called_values_of_the_integrand) {
    (void)test_soft_gpu();
    uh_integrand_code code = uh_integrand_moments;
    const uh_integrand integrand = integrand_of(&code);
    uh_integrate_options options = {
        .struct_size = sizeof options, .variant = UH_INTEGRATE_VEGAS_PLUS, .max_calls = 20000};
    uh_integral integral = {.struct_size = sizeof integral, .value = 17};
    needs_local_memory();
    code.fp64 = uh_integrand_line.fp64;
    code.fp32 = uh_integrand_line.fp32;
    assert_int_equal(setenv("UNIHIST_SELF_TEST", "off", 1), 0);
    for (options.zero_not_finite = 0; options.zero_not_finite < 2; options.zero_not_finite++)
        test_assert_failed(uh_integrate(tested.queue, &integrand, &options, &integral), UH_ERROR_INTERNAL,
                           "uh_integrate: the device's sums say that ", " values are not finite");
    assert_int_equal(unsetenv("UNIHIST_SELF_TEST"), 0);
    assert_true(integral.value == 17);
}

/* ---- time and transfers, on the soft driver ---- */

enum { ADJUSTING = 3, ITERATIONS = 8 };

/* What is known at the end of each iteration. */
struct reported {
    const struct soft_gpu *gpu;
    size_t n;
    uint64_t kernel_ns, copies[ITERATIONS];
};

static int look(const uh_iteration *iteration, void *context) {
    struct reported *reported = context;
    assert_int_equal(iteration->number, reported->n);
    assert_true(iteration->kernel_ns > 0 && iteration->kernel_ns <= iteration->total_ns);
    reported->kernel_ns += iteration->kernel_ns;
    reported->copies[reported->n++] = reported->gpu->calls("zeCommandListAppendMemoryCopy");
    return 0;
}

static struct reported watch(const struct soft_gpu *gpu, uint32_t profiling, uh_integrate_variant variant,
                             uh_integral *integral) {
    const uh_integrand integrand = integrand_of(&uh_integrand_slopes);
    struct reported reported = {.gpu = gpu};
    *integral = (uh_integral){.struct_size = sizeof *integral};
    test_good(
        uh_integrate(test_queue_of(tested.device, QUEUE_OPTIONS(.profiling = profiling)), &integrand,
                     INTEGRATE(.variant = variant, .max_calls = 40000, .iterations = ITERATIONS, .adjusting = ADJUSTING,
                               .skipped = 1, .relative_error = 1e-12, .report = look, .report_context = &reported),
                     integral));
    assert_int_equal(reported.n, ITERATIONS);
    return reported;
}

UNIT_TEST(kernels_are_timed_by_the_clock_of_the_device_where_the_queue_has_profiling) {
    const struct soft_gpu gpu = test_soft_gpu();
    uh_integral integral;
    needs_local_memory();
    for (uint32_t profiling = 0; profiling < 2; profiling++) {
        const struct reported reported = watch(&gpu, profiling, UH_INTEGRATE_VEGAS_PLUS, &integral);
        assert_int_equal(integral.kernel_ns, reported.kernel_ns);
        assert_true(integral.kernel_ns <= integral.total_ns);
    }
    /* The library takes a tick for 52 ns still: what the device's clock measures seems a hundredth. */
    assert_int_equal(gpu.set("timer=5200"), 0);
    for (uint32_t profiling = 0; profiling < 2; profiling++) {
        (void)watch(&gpu, profiling, UH_INTEGRATE_VEGAS_PLUS, &integral);
        assert_int_equal(integral.kernel_ns < integral.total_ns / 50, profiling);
    }
    assert_int_equal(gpu.set("timer=52"), 0);
}

UNIT_TEST(a_time_that_the_driver_does_not_tell_is_a_failure) {
    const struct soft_gpu gpu = test_soft_gpu();
    const uh_integrand integrand = integrand_of(&uh_integrand_slopes);
    uh_integral integral = {.struct_size = sizeof integral, .value = 17};
    needs_local_memory();
    uh_queue *queue = test_queue_of(tested.device, QUEUE_OPTIONS(.profiling = 1));
    assert_int_equal((gpu.fail)("zeEventQueryKernelTimestamp:2=ERROR_UNKNOWN"), 0);
    test_assert_failed(uh_integrate(queue, &integrand, NULL, &integral), UH_ERROR_DRIVER, "uh_integrate",
                       "zeEventQueryKernelTimestamp");
    assert_true(integral.value == 17);
    assert_int_equal((gpu.fail)(NULL), 0);
    test_good(uh_integrate(queue, &integrand, NULL, &integral));
}

UNIT_TEST(where_cubes_begin_is_copied_to_the_device_only_when_it_has_changed) {
    const struct soft_gpu gpu = test_soft_gpu();
    uh_integral integral;
    needs_local_memory();
    uhi_pace_fix(UINT64_MAX); /* an iteration is one launch, however slow the machine is */
    /* The same without: cubes of as many samples each. */
    const struct reported alike = watch(&gpu, 0, UH_INTEGRATE_MCUBES, &integral),
                          shared = watch(&gpu, 0, UH_INTEGRATE_VEGAS_PLUS, &integral);
    for (size_t i = ADJUSTING; i < ITERATIONS; i++)
        assert_int_equal(shared.copies[i] - shared.copies[i - 1],
                         alike.copies[i] - alike.copies[i - 1] + (i == ADJUSTING));
    uhi_pace_fix(0);
}

static void never(size_t n, const double *const *x, double *const *value, const void *context) { abort(); }

UNIT_TEST(what_a_device_lacks_is_reported) {
    needs_local_memory();
    const uh_integrand function = {.struct_size = sizeof function, .dims = 2, .function = never};
    const uh_integrand_code host_only = {.name = "alone", .level = {uh_integrand_slopes.level[0]}};
    const uh_integrand alone = {.struct_size = sizeof alone, .code = &host_only};
    uh_integrand unsized = integrand_of(&uh_integrand_slopes);
    uh_integral integral = {.struct_size = sizeof integral, .value = 17};
    unsized.tables = unsized.context_size = 0;
    test_assert_failed(uh_integrate(tested.queue, &function, NULL, &integral), UH_ERROR_UNSUPPORTED,
                       "uh_integrate: integrand is a C function, which runs on the host only, and the queue is of ",
                       tested.properties.selector);
    assert_string_equal(uh_last_error_info()->argument, "integrand");
    test_assert_failed(uh_integrate(tested.queue, &alone, NULL, &integral), UH_ERROR_UNSUPPORTED,
                       "integrand->code has no kernel for ", tested.properties.selector);
    test_assert_failed(uh_integrate(tested.queue, &unsized, NULL, &integral), UH_ERROR_INVALID_ARGUMENT,
                       "integrand->context_size is 0", tested.properties.selector);
    assert_true(integral.value == 17);
}

TESTED_MAIN(test_integrate_device)
