/* SPDX-License-Identifier: Apache-2.0 */
/* Integration: points of a grid on every device, of up to 20 axes, with finite and infinite sides; and on the host,
 * which alone runs functions in C, the integral of a constant. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <unihist/integrate.h>

#include "kernels/common/philox.h"
#include "tests/descriptions.h"

static const struct row {
    size_t dims, bins;
    int infinite; /* sides are: of the first axes above, below and both */
} rows[] = {{3, 10, 0}, {1, 500, 0}, {4, 37, 3}, {5, 64, 0}, {20, 7, 1}};
enum { ROWS = sizeof rows / sizeof *rows };

struct drawn {
    struct row row;
    size_t n;
    uint64_t seed, offset;
    double lower[UH_INTEGRATE_MAX_DIMS], upper[UH_INTEGRATE_MAX_DIMS];
    double *edges, *expected;
};

static int describe(size_t number, struct tried *tried) {
    if (number >= ROWS)
        return -1;
    snprintf(tried->name, sizeof tried->name, "points of %zu axes, %zu bins, %d with infinite sides", rows[number].dims,
             rows[number].bins, rows[number].infinite);
    tried->fp64 = 1;
    tried->exact = number == 0 ? 100003 : 5003;
    tried->few = 61;
    tried->in_faults = number == 0 ? 3001 : number == 2 ? 501 : 0;
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
    if (isinf(lower) && isinf(upper)) {
        const double both = t * (1 - t);
        *weight *= (1 - both - both) / (4 * both * both);
        return (2 * t - 1) / (4 * both);
    }
    *weight /= (1 - t) * (1 - t);
    return isinf(upper) ? lower + t / (1 - t) : upper - t / (1 - t);
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
}

static void *make(size_t number, size_t n, uint64_t seed) {
    struct drawn *drawn = case_new(sizeof *drawn);
    const struct row row = drawn->row = rows[number];
    drawn->n = n;
    drawn->seed = seed * UINT64_C(0x9e3779b97f4a7c15);
    drawn->offset = seed % 3 == 0 ? 0 : (UINT64_C(1) << 32) - n / 2;
    drawn->edges = case_array(drawn, row.dims * (row.bins + 1), sizeof *drawn->edges);
    drawn->expected = case_array(drawn, n * (row.dims + 1), sizeof *drawn->expected);
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
        make_row(drawn, i, drawn->expected + i * (row.dims + 1));
    return drawn;
}

static void constant(size_t n, const double *const *x, double *const *value, const void *context) {
    (void)x;
    for (size_t i = 0; i < n; i++)
        value[0][i] = *(const double *)context;
}

/* Enough to adjust a grid and share samples. */
static void integrate(struct use *use, const struct drawn *drawn) {
    const double height = 2.5;
    const uh_integrand integrand = {
        .struct_size = sizeof integrand, .dims = drawn->row.dims, .function = constant, .context = &height};
    const uh_integrate_options options = {.struct_size = sizeof options,
                                          .lower = drawn->lower,
                                          .upper = drawn->upper,
                                          .max_calls = 2000,
                                          .bins = drawn->row.bins,
                                          .iterations = 3,
                                          .skipped = 1,
                                          .relative_error = 1e-9};
    uh_integral integral = {.struct_size = sizeof integral};
    double volume = 1;
    for (size_t d = 0; d < drawn->row.dims; d++)
        volume *= drawn->upper[d] - drawn->lower[d];
    if (use_call(use, "uh_integrate", uh_integrate(use->queue, &integrand, &options, &integral)))
        use_expect(use, fabs(integral.value - height * volume) <= 1e-3 * volume, "the integral of %g over %g is %g",
                   height, volume, integral.value);
}

static void run(struct use *use, const void *made) {
    const struct drawn *drawn = made;
    const struct row row = drawn->row;
    uh_device_properties properties = {.struct_size = sizeof properties};
    uh_grid *grid = NULL;
    double *out = use_output(use, drawn->n, (row.dims + 1) * sizeof *out);
    if (!out || !use_call(use, "uh_grid_create",
                          uh_grid_create(row.dims, row.bins, drawn->lower, drawn->upper, drawn->edges, &grid)))
        return;
    (void)use_written(use, "uh_grid_points",
                      uh_grid_points(use->queue, grid, drawn->seed, drawn->offset, drawn->n, out), out, drawn->expected,
                      USE_TORN);
    (void)uh_grid_destroy(grid);
    if (!row.infinite && !uh_device_get_properties(use->device, &properties) && strcmp(properties.backend, "host") == 0)
        integrate(use, drawn);
}

const struct description describe_integrate = {"integrate", describe, make, run, case_free};
