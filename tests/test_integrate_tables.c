/* SPDX-License-Identifier: Apache-2.0 */
/* An integrand of six dimensions with a state: three tables and objects of three structs. Its integral is a sum of
 * products of integrals over one axis or two, whose true values come from the numbers of the tables. */
#include "tests/tested.h"

#include "detector.c.h"
#include "detector_parts.c.h"
#include "tests/integrands/detector.h"

enum { ENERGIES = 25, HEIGHTS = 20, COLUMNS = 12, ROWS = 9, LAYERS = 3, LINES = 7 };

static const double height_step = 0.5, air_base = 0.25, deepest = 5, resonance_side = 1.5;

static const struct layer layers[LAYERS] = {{0, 3.5F, 1.25F}, {1, 5, 0.75F}, {0.5F, 4.25F, 2}};
static const struct line lines[LINES] = {{-0.75F, 0.5F, 1},   {0.25F, 0.125F, 0.5F}, {0, 1, 2},       {1, 0.25F, 3},
                                         {-0.5F, 0.25F, 0.5}, {0.625F, 0.5F, 1},     {0.125F, 2, 0.5}};
static const struct channel channels[DETECTOR_CHANNELS] = {
    {0.5F, 0, 0, 0, 2}, {0.25F, 1, 1, 2, 1}, {0.125F, 2, 2, 3, 3}, {0.125F, 3, 0, 4, 3}};

/* The state, the arrays that it points to, and the integral of each table. */
static struct loaded {
    struct {
        double spectrum[DETECTOR_CHANNELS], air, efficiency;
    } truth;
    struct detector state;
    double energy[ENERGIES], flux[DETECTOR_CHANNELS][ENERGIES], height[HEIGHTS], air[HEIGHTS], slope[HEIGHTS];
    double column[COLUMNS], row[ROWS], efficiency[ROWS][COLUMNS];
} loaded;

/* Ascending at random distances. */
static void ascend(size_t n, double *x, uint64_t *random) {
    for (size_t i = 0; i < n; i++)
        x[i] = i == 0 ? -1 : x[i - 1] + 0.125 + test_random_f64(random);
}

/* The flux of each spectrum: straight lines between the energies. */
static void make_spectra(uint64_t *random) {
    struct loaded *l = &loaded;
    ascend(ENERGIES, l->energy, random);
    for (size_t c = 0; c < DETECTOR_CHANNELS; c++)
        for (size_t i = 0; i < ENERGIES; i++) {
            l->flux[c][i] = test_random_f64(random);
            if (i > 0)
                l->truth.spectrum[c] += (l->energy[i] - l->energy[i - 1]) * (l->flux[c][i] + l->flux[c][i - 1]) / 2;
        }
}

/* The air at each height. A sum of cubic B-splines over equal steps that end within the table is its own natural
 * spline, and the integral of each is a step. */
static void make_air(uint64_t *random) {
    for (size_t i = 0; i < HEIGHTS; i++) {
        loaded.height[i] = height_step * (double)i;
        loaded.air[i] = air_base;
    }
    loaded.truth.air = air_base * height_step * (HEIGHTS - 1);
    for (size_t k = 2; k + 2 < HEIGHTS; k++) {
        const double share = test_random_f64(random);
        for (size_t i = k - 1; i <= k + 1; i++)
            loaded.air[i] += share * (i == k ? 4 : 1) / 6;
        loaded.truth.air += share * height_step;
    }
    test_good(uh_spline_slopes(HEIGHTS, loaded.height, loaded.air, 1, loaded.slope));
}

/* The efficiency at each crossing of rows and columns. */
static void make_efficiency(uint64_t *random) {
    struct loaded *l = &loaded;
    ascend(COLUMNS, l->column, random);
    ascend(ROWS, l->row, random);
    for (size_t j = 0; j < ROWS; j++)
        for (size_t i = 0; i < COLUMNS; i++) {
            double *at = &l->efficiency[j][i];
            *at = test_random_f64(random);
            if (i > 0 && j > 0)
                l->truth.efficiency += (l->column[i] - l->column[i - 1]) * (l->row[j] - l->row[j - 1]) *
                                       (at[0] + at[-1] + at[-COLUMNS] + at[-COLUMNS - 1]) / 4;
        }
}

static int set_up(void **state) {
    uint64_t random = 1313;
    make_spectra(&random);
    make_air(&random);
    make_efficiency(&random);
    loaded.state = (struct detector){.energies = ENERGIES,
                                     .heights = HEIGHTS,
                                     .columns = COLUMNS,
                                     .rows = ROWS,
                                     .energy = loaded.energy,
                                     .flux = loaded.flux[0],
                                     .height = loaded.height,
                                     .air = loaded.air,
                                     .air_slope = loaded.slope,
                                     .column = loaded.column,
                                     .row = loaded.row,
                                     .efficiency = loaded.efficiency[0],
                                     .channel = channels,
                                     .layer = layers,
                                     .line = lines};
    return 0;
}

static double true_integral(float attenuation) {
    double sum = 0;
    for (size_t c = 0; c < DETECTOR_CHANNELS; c++) {
        const struct channel *channel = &channels[c];
        const struct layer *layer = &layers[channel->layer];
        const double deep = (double)layer->far - (double)layer->near, rate = (double)attenuation;
        double resonance = 0;
        for (size_t i = channel->first_line; i < channel->first_line + channel->lines; i++) {
            const double center = (double)lines[i].center, width = (double)lines[i].width;
            resonance += (double)lines[i].height * width *
                         (atan((resonance_side - center) / width) + atan((resonance_side + center) / width));
        }
        sum += (double)channel->branching * loaded.truth.spectrum[channel->spectrum] * (double)layer->density *
               (rate > 0 ? -expm1(-rate * deep) / rate : deep) * resonance;
    }
    return sum * loaded.truth.air * loaded.truth.efficiency;
}

/* Over the tables, to the deepest layer's end and to both sides of the resonances. */
static uh_integral integrate(uh_queue *queue, const uh_integrand_code *code, float attenuation,
                             uh_integrate_options options) {
#define TABLE(member, dtype, n)                                                                                        \
    { offsetof(struct detector, member), dtype, n }
    static const uh_integrand_table tables[] = {TABLE(energy, UH_F64, ENERGIES),
                                                TABLE(flux, UH_F64, DETECTOR_CHANNELS * ENERGIES),
                                                TABLE(height, UH_F64, HEIGHTS),
                                                TABLE(air, UH_F64, HEIGHTS),
                                                TABLE(air_slope, UH_F64, HEIGHTS),
                                                TABLE(column, UH_F64, COLUMNS),
                                                TABLE(row, UH_F64, ROWS),
                                                TABLE(efficiency, UH_F64, ROWS * COLUMNS),
                                                TABLE(channel, UH_U8, sizeof channels),
                                                TABLE(layer, UH_U8, sizeof layers),
                                                TABLE(line, UH_U8, sizeof lines)};
#undef TABLE
    const struct loaded *from = &loaded;
    const double lower[] = {from->energy[0], 0, from->column[0], from->row[0], 0, -resonance_side},
                 upper[] = {from->energy[ENERGIES - 1],
                            from->height[HEIGHTS - 1],
                            from->column[COLUMNS - 1],
                            from->row[ROWS - 1],
                            deepest,
                            resonance_side};
    const uh_integrand integrand = {.struct_size = sizeof integrand,
                                    .code = code,
                                    .context = &loaded.state,
                                    .context_size = sizeof loaded.state,
                                    .table = tables,
                                    .tables = sizeof tables / sizeof *tables};
    uh_integral integral = {.struct_size = sizeof integral};
    loaded.state.attenuation = attenuation;
    options.struct_size = sizeof options;
    options.lower = lower;
    options.upper = upper;
    options.seed = 29;
    options.relative_error = 1e-12;
    test_good(uh_integrate(queue, &integrand, &options, &integral));
    return integral;
}

static const uh_integrate_options adjusted = {.max_calls = 150000, .iterations = 6, .adjusting = 3, .skipped = 2};

/* With the same samples for any values. */
static const uh_integrate_options plain = {
    .max_calls = 100000, .iterations = 2, .variant = UH_INTEGRATE_PLAIN, .skipped = SIZE_MAX};

static void expect_same(const uh_integral *a, const uh_integral *b) {
    assert_int_equal(a->dtype, b->dtype);
    assert_int_equal(a->calls, b->calls);
    assert_memory_equal(&a->value, &b->value, sizeof a->value);
    assert_memory_equal(&a->error, &b->error, sizeof a->error);
    assert_memory_equal(&a->chi2_dof, &b->chi2_dof, sizeof a->chi2_dof);
}

UNIT_TEST(the_integral_is_that_of_the_tables_numbers_whole_or_in_parts) {
    static const float attenuations[] = {0, 0.375F};
    for (size_t i = 0; i < 2; i++) {
        const double truth = true_integral(attenuations[i]);
        const uh_integral whole = integrate(tested.queue, &uh_integrand_detector, attenuations[i], adjusted),
                          parts = integrate(tested.queue, &uh_integrand_detector_parts, attenuations[i], adjusted);
        printf("  %.0f ns a sample, in parts %.0f\n", (double)whole.kernel_ns / (double)whole.calls,
               (double)parts.kernel_ns / (double)parts.calls);
        test_near(whole.value, truth, 5 * whole.error);
        assert_true(whole.error < 2e-3 * truth);
        expect_same(&parts, &whole);
    }
}

/* exp(-0) is 1 everywhere. */
UNIT_TEST(a_device_with_float64_gives_the_bits_of_the_host_without_exp) {
    tested_on_devices_only();
    if (!tested.properties.fp64)
        skip_because("the device has no float64");
    const uh_integral there = integrate(tested.queue, &uh_integrand_detector, 0, adjusted),
                      here = integrate(test_queue(2, 0), &uh_integrand_detector, 0, adjusted);
    expect_same(&there, &here);
}

/* What rounds, in units of the device's arithmetic: its exp 3 (OpenCL C, 7.4) and the host's 1 (glibc), products 5,
 * sums of 2^17 samples in strips, units and pieces fewer than 40; and in float32 coordinates and tables, of which a
 * place between two points of a table takes up to 100, of either sign. */
UNIT_TEST(with_exp_or_float32_it_is_the_host_s_within_rounding) {
    tested_on_devices_only();
    const double rounding = 100 * (tested.properties.fp64 ? 0x1p-53 : 0x1p-24);
    const uh_integral there = integrate(tested.queue, &uh_integrand_detector, 0.375F, plain),
                      here = integrate(test_queue(2, 0), &uh_integrand_detector, 0.375F, plain);
    assert_int_equal(there.dtype, tested.properties.fp64 ? UH_F64 : UH_F32);
    assert_int_equal(there.calls, here.calls);
    test_near(there.value, here.value, rounding * here.value);
    test_near(there.error, here.error, 10 * rounding * here.error);
}

TEST_MAIN(test_integrate_tables) {
    const int why = tested_begin();
    return why ? why : tested_end(test_run_units(set_up, NULL));
}
