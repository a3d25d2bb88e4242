/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of integration on the host: how they begin and end, what they report, and what they refuse. */
#include "tests/integrate_fixture.h"

/* How many iterations did not count, and the most evaluations of one of them. */
struct warm_up {
    size_t iterations;
    uint64_t calls;
};

static int keep_warm_up(const uh_iteration *iteration, void *context) {
    struct warm_up *warm_up = context;
    if (iteration->counts) {
        assert_true(iteration->error > 0 || iteration->integral == 0);
        return 0;
    }
    assert_true(iteration->deviation > 0 && isfinite(iteration->deviation)); /* cubes have two samples */
    assert_int_equal(warm_up->iterations++, iteration->number);
    assert_true(iteration->integral == 0 && iteration->error == 0);
    warm_up->calls = iteration->calls > warm_up->calls ? iteration->calls : warm_up->calls;
    return 0;
}

UNIT_TEST(vegas_plus_warms_up_with_few_samples_until_the_grid_has_settled) {
    static const struct integrand_of easy = {F5, 1}, plane = {F5, 2}, peak = {F4, 8};
    static const uint64_t strata[] = {300, 500};
    static const struct {
        const struct integrand_of *f;
        uh_integrate_variant variant;
        uint64_t calls;
        size_t skipped, least, most;
        uint64_t most_calls;
        const uint64_t *strata;
    } cases[] = {{&easy, UH_INTEGRATE_VEGAS_PLUS, 1600000, 0, 2, 4, 200000 + 1024, NULL},
                 {&plane, UH_INTEGRATE_VEGAS_PLUS, 1600000, 3, 3, 3, 300000 + 1024, strata},
                 {&peak, UH_INTEGRATE_VEGAS_PLUS, 1600000, 0, 5, 16, 2 * 200000, NULL},
                 {&peak, UH_INTEGRATE_VEGAS_PLUS, 100000, 0, 5, 16, 2 * 64000, NULL},
                 {&easy, UH_INTEGRATE_VEGAS_PLUS, 20000, 6, 6, 6, 12800 + 1024, NULL},
                 {&easy, UH_INTEGRATE_VEGAS_PLUS, 800000, SIZE_MAX, 0, 0, 0, NULL},
                 {&easy, UH_INTEGRATE_MCUBES, 100000, 0, 3, 3, 100000 + 1024, NULL},
                 {&easy, UH_INTEGRATE_PLAIN, 100000, 0, 0, 0, 0, NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const uh_integrand integrand = integrand_for(cases[i].f);
        struct warm_up warm_up = {.iterations = 0};
        integrate(test_queue(2, 0), &integrand,
                  INTEGRATE(.variant = cases[i].variant, .max_calls = cases[i].calls, .skipped = cases[i].skipped,
                            .strata = cases[i].strata, .relative_error = 1e-3, .report = keep_warm_up,
                            .report_context = &warm_up));
        assert_in_range(warm_up.iterations, cases[i].least, cases[i].most);
        assert_true(warm_up.calls <= cases[i].most_calls);
    }
    assert_int_equal(uh_integrate_default_bins(1, 0), 10);
    assert_int_equal(uh_integrate_default_bins(3, 20000), 100);
    assert_int_equal(uh_integrate_default_bins(3, 1000000), 500);
    assert_int_equal(uh_integrate_default_bins(2, 1000000), 50);
}

static int stop_at_four(const uh_iteration *iteration, void *context) {
    ++*(int *)context;
    return iteration->number == 4;
}

UNIT_TEST(it_ends_by_the_caller_or_the_time_with_what_is_known) {
    static const struct integrand_of f = {F2, 4};
    const uh_integrand integrand = integrand_for(&f);
    int reports = 0;
    uh_integral got = integrate(
        test_queue(2, 0), &integrand,
        INTEGRATE(.max_calls = 20000, .relative_error = 1e-9, .report = stop_at_four, .report_context = &reports));
    assert_int_equal(got.end, UH_INTEGRATE_STOPPED);
    assert_int_equal(got.iterations, 5);
    assert_int_equal(reports, 5);
    got =
        integrate(test_queue(2, 0), &integrand,
                  INTEGRATE(.max_calls = 20000, .relative_error = 1e-9, .iterations = 4000, .time_limit_ns = 50000000));
    assert_int_equal(got.end, UH_INTEGRATE_TIME);
    assert_true(got.error > 0 && got.iterations < 4000);
}

/* What was said within an iteration, of which the second part ends it where `stops`. */
struct said {
    uint64_t done[4], calls;
    size_t n;
    int stops;
};

static int keep_said(uint64_t done, uint64_t calls, void *context) {
    struct said *said = context;
    assert_in_range(said->n, 0, 3);
    said->done[said->n++] = done;
    said->calls = calls;
    return said->stops && said->n == 2;
}

UNIT_TEST(long_iterations_tell_how_far_they_are_and_can_be_ended) {
    const double height = 2;
    const uint64_t strata[] = {(3 << 23) + 1}; /* more than vegas_plus has */
    const uh_integrand integrand = {
        .struct_size = sizeof integrand, .dims = 1, .function = constant, .context = &height};
    for (int stops = 0; stops < 2; stops++) {
        struct said said = {.stops = stops};
        const uh_integral got =
            integrate(test_queue(2, 0), &integrand,
                      INTEGRATE(.variant = UH_INTEGRATE_MCUBES, .max_calls = (3 << 24) + 2, .strata = strata,
                                .iterations = 1, .progress = keep_said, .progress_context = &said));
        assert_int_equal(said.n, stops ? 2 : 3);
        for (size_t i = 0; i < said.n; i++)
            assert_int_equal(said.done[i], (i + 1) << 24);
        assert_int_equal(said.calls, (3 << 24) + 2);
        assert_int_equal(got.end, stops ? UH_INTEGRATE_STOPPED : UH_INTEGRATE_ITERATIONS);
        assert_int_equal(got.iterations, !stops);
    }
}

UNIT_TEST(wrong_arguments_are_named) {
    static const struct integrand_of f = {F2, 2};
    static const double one[] = {1, 1}, down[] = {1, 0}, huge[] = {-DBL_MAX, 0}, top[] = {DBL_MAX, 1}, nan[] = {NAN, 1};
    static const uint64_t none[] = {5, 0}, many[] = {100, 51}, most[] = {1 << 24, 2}, wide[] = {UINT64_C(1) << 32, 1};
    uh_integrand integrand = integrand_for(&f);
    uh_queue *queue = test_queue(1, 0);
    uh_integral got = {.struct_size = sizeof got};
    test_invalid(uh_integrate(NULL, &integrand, NULL, &got), "queue");
    test_invalid(uh_integrate(queue, NULL, NULL, &got), "integrand");
    test_invalid(uh_integrate(queue, &integrand, NULL, NULL), "integral");
    integrand.dims = 0;
    test_invalid(uh_integrate(queue, &integrand, NULL, &got), "integrand->dims is 0, expected 1 to 20");
    integrand.dims = 21;
    test_invalid(uh_integrate(queue, &integrand, NULL, &got), "integrand->dims is 21, expected 1 to 20");
    integrand = integrand_for(&f);
    integrand.values = UH_INTEGRATE_MAX_VALUES + 1;
    test_invalid(uh_integrate(queue, &integrand, NULL, &got), "integrand->values is 1001, expected 0 to 1000");
    integrand.values = 1;
    integrand.function = NULL;
    test_invalid(uh_integrate(queue, &integrand, NULL, &got), "integrand->function is NULL");
    integrand = integrand_for(&f);
    const struct {
        uh_integrate_options options;
        const char *text;
    } cases[] = {
        {{.relative_error = -1}, "options->relative_error is -1"},
        {{.absolute_error = (double)NAN}, "options->absolute_error is nan"},
        {{.alpha = -2}, "options->alpha is -2"},
        {{.beta = 3}, "options->beta is 3, expected 0 to 2"},
        {{.max_chi2_dof = -1}, "options->max_chi2_dof is -1"},
        {{.max_calls = 3}, "options->max_calls is 3, expected 4 to 2^40"},
        {{.bins = 10001}, "options->bins is 10001"},
        {{.iterations = 5000}, "options->iterations is 5000"},
        {{.variant = (uh_integrate_variant)8}, "options->variant is 8"},
        {{.scramble = (uh_scramble)3}, "options->scramble is 3"},
        {{.periodise = (uh_periodise)3}, "options->periodise is 3"},
        {{.scramble = UH_SCRAMBLE_SHIFT}, "options->scramble is shift with variant auto, expected owen or, with"},
        {{.variant = UH_INTEGRATE_SOBOL, .scramble = UH_SCRAMBLE_NONE},
         "with variant sobol, expected owen or, with variant sobol, shift"},
        {{.variant = UH_INTEGRATE_SOBOL, .periodise = UH_PERIODISE_NONE},
         "with variant sobol, expected variant lattice"},
        {{.randomisations = 16}, "options->randomisations is 16 with variant auto, expected variant sobol or lattice"},
        {{.variant = UH_INTEGRATE_LATTICE, .randomisations = 15}, "options->randomisations is 15, expected 16 to 1024"},
        {{.variant = UH_INTEGRATE_SOBOL, .max_calls = 16383, .iterations = 1},
         "options->max_calls is 16383 for each of 1 iterations, expected 1024 samples or more for each of 16"},
        {{.max_calls = 10001, .strata = none},
         "options->strata[1] is 0, expected 1 to 1000, for at most 5000 cubes (half of max_calls)"},
        {{.max_calls = 10001, .strata = many}, "options->strata[1] is 51, expected 1 to 50, for at most 5000 cubes ("},
        {{.max_calls = 1 << 26, .strata = most},
         "options->strata[1] is 2, expected 1 to 1, for at most 16777216 cubes (the limit of vegas_plus)"},
        {{.variant = UH_INTEGRATE_MCUBES, .max_calls = UINT64_C(1) << 40, .strata = wide},
         "options->strata[0] is 4294967296, expected 1 to 4294967295"},
        {{.variant = UH_INTEGRATE_SOBOL, .strata = many},
         "options->strata is given with variant sobol, expected variant mcubes, mcubes1d or vegas_plus"},
        {{.upper = down}, "options->lower[1] is 0 and upper[1] is 0, expected less"},
        {{.lower = one}, "options->lower[0] is 1 and upper[0] is 1, expected less"},
        {{.lower = nan}, "options->lower[0] is nan"},
        {{.lower = huge, .upper = top}, "overflows"},
        {{.upper = top, .variant = UH_INTEGRATE_MCUBES1D}, "mcubes1d, expected the same sides"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uh_integrate_options options = cases[i].options;
        options.struct_size = sizeof options;
        test_invalid(uh_integrate(queue, &integrand, &options, &got), "uh_integrate: ", cases[i].text);
    }
}

UNIT_TEST(wrong_grids_and_points_are_named) {
    static const struct integrand_of f = {F2, 2};
    const uh_integrand integrand = integrand_for(&f);
    uh_queue *const queue = test_queue(1, 0);
    uh_integral got = {.struct_size = sizeof got};
    uh_grid *grid = NULL;
    test_invalid(uh_grid_create(0, 5, NULL, NULL, NULL, &grid), "dims is 0");
    test_invalid(uh_grid_create(2, 0, NULL, NULL, NULL, &grid), "bins is 0");
    test_invalid(uh_grid_create(1, 2, NULL, NULL, (const double[]){0, 0.5, 0.9}, &grid), "edges[2] is 0.9");
    test_invalid(uh_grid_create(1, 2, NULL, NULL, (const double[]){0, 0, 1}, &grid), "edges[1] is 0");
    test_invalid(uh_grid_create(1, 9, (const double[]){1}, (const double[]){1 + 0x1p-50}, NULL, &grid), "too close");
    test_good(uh_grid_create(3, 5, NULL, NULL, NULL, &grid));
    test_invalid(uh_integrate(queue, &integrand, INTEGRATE(.grid = grid), &got),
                 "options->grid has 3 axes, expected 2");
    test_invalid(uh_grid_points(queue, grid, NULL, NULL), "points is NULL");
    test_invalid(uh_grid_points(queue, grid, &(uh_points){.n = 5}, NULL), "rows");
    test_invalid(uh_grid_points(queue, grid, &(uh_points){.offset = UINT64_MAX, .n = 5}, (double[20]){0}), "offset");
    test_invalid(uh_grid_points(queue, grid, &(uh_points){.integrand = &integrand, .n = 5}, (double[20]){0}),
                 "grid has 3 axes, expected 2");
    test_good(uh_grid_points(queue, grid, &(uh_points){.n = 0}, NULL));
    uh_grid_destroy(grid);
}
