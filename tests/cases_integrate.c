/* SPDX-License-Identifier: Apache-2.0 */
/* Integration: points of a grid, of up to 20 axes, with finite and infinite sides; and integrals of texts, with state
 * and a table too, which devices compute whose groups and local memory are as large as its kernel wants them. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <unihist/integrate.h>

#include "kernels/common/philox.h"
#include "moments.c.h"
#include "pieces.c.h"
#include "tests/description.h"
#include "tests/integrands/slopes_state.h"

static const struct row {
    size_t dims, bins;
    int infinite;                  /* sides are: of the first axes above, below and both */
    const uh_integrand_code *code; /* whose values there are */
    size_t values;
} rows[] = {{3, 10, 0, NULL, 0},
            {1, 500, 0, NULL, 0},
            {4, 37, 3, NULL, 0},
            {5, 64, 0, NULL, 0},
            {20, 7, 1, NULL, 0},
            {2, 37, 1, &uh_integrand_moments, 3},
            {4, 10, 0, &uh_integrand_pieces, 2},
            {5, 40, 0, &uh_integrand_slopes, 1}};

static const uint64_t unequal[] = {3, 1, 5, 2, 4};

/* Integrals over the unit cube. Oclgrind has memory of its own and does not know pointers in a state. */
static const struct {
    const char *name;
    const uh_integrand_code *code;
    uh_integrate_variant variant;
    size_t bins, few;
    const uint64_t *strata;
} integrals[] = {
    {"lines by vegas_plus", &uh_integrand_slopes, UH_INTEGRATE_VEGAS_PLUS, 40, 0, NULL},
    {"lines by mcubes1d", &uh_integrand_slopes, UH_INTEGRATE_MCUBES1D, 64, 0, NULL},
    {"lines by vegas_plus in unequal cubes", &uh_integrand_slopes, UH_INTEGRATE_VEGAS_PLUS, 40, 0, unequal},
    {"moments by vegas_plus", &uh_integrand_moments, UH_INTEGRATE_VEGAS_PLUS, 37, 700, NULL},
    {"moments by mcubes", &uh_integrand_moments, UH_INTEGRATE_MCUBES, 500, 200, NULL},
    {"parts by mcubes", &uh_integrand_pieces, UH_INTEGRATE_MCUBES, 30, 200, NULL},
    {"lines by sobol", &uh_integrand_slopes, UH_INTEGRATE_SOBOL, 40, 0, NULL},
    {"moments by lattice", &uh_integrand_moments, UH_INTEGRATE_LATTICE, 37, 700, NULL},
    {"lines by cubature", &uh_integrand_slopes, UH_INTEGRATE_CUBATURE, 1, 0, NULL},
    {"parts by cubature", &uh_integrand_pieces, UH_INTEGRATE_CUBATURE, 1, 300, NULL},
};
enum { ROWS = sizeof rows / sizeof *rows, INTEGRALS = sizeof integrals / sizeof *integrals };

struct drawn {
    size_t number; /* of the case */
    struct row row;
    size_t n;
    uint64_t seed, offset;
    double lower[UH_INTEGRATE_MAX_DIMS], upper[UH_INTEGRATE_MAX_DIMS];
    double *edges, *expected;
};

static int describe(size_t number, struct tried *tried) {
    if (number >= ROWS + INTEGRALS)
        return -1;
    if (number >= ROWS) {
        snprintf(tried->name, sizeof tried->name, "%s", integrals[number - ROWS].name);
        tried->fp64 = integrals[number - ROWS].variant == UH_INTEGRATE_CUBATURE;
        tried->exact = 60000;
        tried->few = integrals[number - ROWS].few;
        tried->in_faults = number == ROWS ? 600 : 0;
        tried->in_null = 600;
        return 0;
    }
    snprintf(tried->name, sizeof tried->name, "points of %zu axes, %zu bins, %d with infinite sides, %zu values",
             rows[number].dims, rows[number].bins, rows[number].infinite, rows[number].values);
    tried->fp64 = 1;
    tried->exact = number == 0 ? 100003 : 5003;
    tried->few = rows[number].code == &uh_integrand_slopes ? 0 : 61;
    tried->in_faults = number == 0 ? 3001 : number == 2 || rows[number].values == 1 ? 501 : 0;
    tried->in_null = 500;
    tried->pieces = number == 0 ? ((size_t)5 << 20) + 5 : 0;
    return 0;
}

/* The coordinate of t, and what its map makes of the weight. */
static double map(const struct drawn *drawn, size_t d, double t, double *weight) {
    const double lower = drawn->lower[d], upper = drawn->upper[d];
    if (!isinf(lower) && !isinf(upper))
        return t;
    t = fmin(t, 1 - 0x1p-53);
    const int two = isinf(lower) && isinf(upper), n = drawn->row.infinite, k = n == 1 ? 0 : n < 6 ? 1 : n < 10 ? 2 : 3;
    const double both = t * (1 - t), r = two ? (2 * t - 1) / (4 * both) : t / (1 - t),
                 slope = two ? (1 - both - both) / (4 * both * both) : 1 / ((1 - t) * (1 - t)),
                 scaled = r * (1 / (double)(2 * k + 1)), z = scaled * scaled;
    double power[4] = {1};
    for (int i = 1; i <= k; i++)
        power[i] = power[i - 1] * (1 + z);
    *weight *= slope * (k ? power[k - 1] * ((1 + z) + 2 * k * z) : 1);
    return (two ? 0 : isinf(upper) ? lower : upper) + (isinf(upper) ? r * power[k] : -(r * power[k]));
}

/* Adds the values at a row's point, and makes its weight that of the event. */
static void evaluate(struct row of, double *row) {
    enum { FEW = 16, MAX = 5 };
    _Alignas(64) double x[MAX][FEW] = {{0}}, value[MAX][FEW];
    const double *points[MAX] = {x[0], x[1], x[2], x[3], x[4]};
    double *values[MAX] = {value[0], value[1], value[2], value[3], value[4]};
    for (size_t d = 0; d < of.dims; d++)
        x[d][0] = row[d];
    of.code->level[0]->function(1, points, values, integrand_of(of.code).context);
    row[of.dims] *= value[0][0];
    for (size_t k = 0; k < of.values; k++)
        row[of.dims + 1 + k] = value[k][0];
}

static void make_row(const struct drawn *drawn, uint64_t point, double *row) {
    const size_t dims = drawn->row.dims, bins = drawn->row.bins;
    double weight = 1;
    for (size_t d = 0; d < dims; d++) {
        const double *edges = drawn->edges + d * (bins + 1);
        const uhi_philox_block_32 words =
            uhi_philox4x32(drawn->seed, UH_INTEGRATE_STREAM + 8 * 4095 + d / 4, drawn->offset + point);
        const double y = (words.v[d % 4] + 0.5) / 4294967296.0 * (double)bins;
        const size_t bin = (size_t)y < bins ? (size_t)y : bins - 1;
        const double width = (edges[bin + 1] - edges[bin]) * (double)bins;
        weight *= width;
        row[d] = map(drawn, d, edges[bin] + (y - (double)bin) * (1 / (double)bins) * width, &weight);
    }
    row[dims] = weight;
    if (drawn->row.code)
        evaluate(drawn->row, row);
}

static void *make(size_t number, size_t n, uint64_t seed) {
    struct drawn *drawn = case_new(sizeof *drawn);
    drawn->number = number;
    drawn->n = n;
    drawn->seed = seed * UINT64_C(0x9e3779b97f4a7c15);
    if (number >= ROWS)
        return drawn;
    const struct row row = drawn->row = rows[number];
    drawn->offset = seed % 3 == 0 ? 0 : (UINT64_C(1) << 32) - n / 2;
    drawn->edges = case_array(drawn, row.dims * (row.bins + 1), sizeof *drawn->edges);
    drawn->expected = case_array(drawn, n * (row.dims + 1 + row.values), sizeof *drawn->expected);
    for (size_t d = 0; d < row.dims; d++) {
        const int kind = row.infinite && (int)d < row.infinite ? (int)d % 3 : -1;
        drawn->lower[d] = kind > 0 ? -(double)INFINITY : -2.5 - (double)d;
        drawn->upper[d] = kind == 0 || kind == 2 ? (double)INFINITY : 3 + (double)d;
        const double low = kind < 0 ? drawn->lower[d] : 0, high = kind < 0 ? drawn->upper[d] : 1;
        double *edges = drawn->edges + d * (row.bins + 1);
        for (size_t j = 0; j <= row.bins; j++) { /* narrower towards the lower side */
            const double part = (double)j / (double)row.bins;
            edges[j] = j == row.bins ? high : low + part * part * (high - low);
        }
    }
    for (size_t i = 0; i < n; i++)
        make_row(drawn, i, drawn->expected + i * (row.dims + 1 + row.values));
    return drawn;
}

static double truth_of(const uh_integrand_code *code) {
    static const double quarter = 0.78539816339744830962; /* of pi */
    if (code == &uh_integrand_moments)
        return (quarter / 2 + 0.25) * quarter;
    if (code == &uh_integrand_pieces)
        return pow(1 + 1 / 2.0 + 1 / 3.0, 4);
    return slopes_truth();
}

/* Whether the device can take an integrand's groups, or refuses the variant before it asks for them. */
static int has_room(struct use *use, uh_integrate_variant variant) {
    uh_device_properties device = {.struct_size = sizeof device};
    return use_call(use, "uh_device_get_properties", uh_device_get_properties(use->device, &device)) &&
           (strcmp(device.backend, "host") == 0 || device_takes_integrands(&device) ||
            (variant == UH_INTEGRATE_CUBATURE && !device.fp64));
}

/* By n samples and some more in each iteration, the first of which the grid and the cubes' samples are adjusted
 * after. */
static void integrate(struct use *use, const struct drawn *drawn) {
    enum { MIN_CALLS = 900, MIN_OF_SEQUENCES = 4096, VALUES = 3 };
    const size_t i = drawn->number - ROWS;
    const int is_sequence = integrals[i].variant > UH_INTEGRATE_PLAIN;
    const uh_integrand integrand = integrand_of(integrals[i].code);
    const uh_integrate_options options = {.struct_size = sizeof options,
                                          .max_calls = (is_sequence ? MIN_OF_SEQUENCES : MIN_CALLS) + drawn->n,
                                          .bins = integrals[i].bins,
                                          .strata = integrals[i].strata,
                                          .variant = integrals[i].variant,
                                          .seed = drawn->seed,
                                          .iterations = 4,
                                          .adjusting = 2,
                                          .skipped = 1,
                                          .relative_error = 1e-12};
    double values[VALUES];
    uh_integral integral = {.struct_size = sizeof integral, .values = values};
    const double truth = truth_of(integrals[i].code);
    const int room = has_room(use, integrals[i].variant);
    const uh_status status = uh_integrate(use->queue, &integrand, &options, &integral);
    if (!room)
        use_expect(use, status == UH_ERROR_UNSUPPORTED, "a device without room for a group gave %d", (int)status);
    else if (use_data_call(use, "uh_integrate", status))
        use_expect(use, fabs(integral.value - truth) <= 7 * integral.error && integral.error < 0.1 * truth,
                   "the integral is %.9g +- %g, expected %.9g", integral.value, integral.error, truth);
    else
        use_expect(use, integral.value == 0, "a refused integral is %.9g", integral.value);
}

static void draw(struct use *use, const struct drawn *drawn) {
    const struct row row = drawn->row;
    const uh_integrand integrand = integrand_of(row.code);
    const uh_points points = {row.code ? &integrand : NULL, drawn->seed, drawn->offset, drawn->n};
    uh_grid *grid = NULL;
    double *out = use_output(use, drawn->n, (row.dims + 1 + row.values) * sizeof *out);
    if (!out || !use_call(use, "uh_grid_create",
                          uh_grid_create(row.dims, row.bins, drawn->lower, drawn->upper, drawn->edges, &grid)))
        return;
    const uh_status status = uh_grid_points(use->queue, grid, &points, out);
    if (status == UH_ERROR_UNSUPPORTED && strcmp(uh_last_error_info()->argument, "integrand") == 0)
        use_expect(use, !has_room(use, UH_INTEGRATE_AUTO), "a device with room for a group refused an integrand");
    else
        (void)use_written(use, "uh_grid_points", status, out, drawn->expected, USE_TORN);
    uh_grid_destroy(grid);
}

static void run(struct use *use, const void *made) {
    const struct drawn *drawn = made;
    if (drawn->number < ROWS)
        draw(use, drawn);
    else
        integrate(use, drawn);
}

const struct description describe_integrate = {"integrate", describe, make, run, case_free};
