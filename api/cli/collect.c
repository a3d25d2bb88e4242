/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/collect.h"

#include <math.h>
#include <stdlib.h>

const double cli_quantile_parts[CLI_QUANTILES] = {0.05, 0.25, 0.5, 0.75, 0.95};

static int make_room(size_t cells, int wanted, double **array) {
    *array = wanted ? malloc(cells * sizeof **array) : NULL;
    return wanted && !*array;
}

static int read_cells(uh_histogram *histogram, uh_storage storage, struct cli_cells *cells) {
    switch (storage) {
    case UH_STORAGE_SUM:
    case UH_STORAGE_WEIGHTED: return uh_histogram_sums(histogram, UH_F64, cells->sums, cells->squares) != UH_SUCCESS;
    case UH_STORAGE_MEAN:
        return uh_histogram_means(histogram, cells->counts, cells->means, cells->deviations) != UH_SUCCESS;
    default: return uh_histogram_counts(histogram, cells->counts) != UH_SUCCESS;
    }
}

static int read_totals(uh_histogram *histogram, int density, const struct cli_cells *cells, struct cli_result *result) {
    for (size_t a = 0; a < result->naxes; a++) {
        uh_axis_properties axis = {.struct_size = sizeof axis};
        if (uh_axis_get_properties(uh_histogram_axis(histogram, a), &axis) ||
            uh_histogram_flow(histogram, a, &result->axis[a].flow))
            return -1;
        result->axis[a].bins = axis.bins;
        result->axis[a].edges = axis.edges;
    }
    uint64_t inside;
    if (uh_histogram_total(histogram, &inside, &result->outside))
        return -1;
    result->n = inside + result->outside;
    return (cells->sums &&
            uh_histogram_outside(histogram, &result->outside_sum, cells->squares ? &result->outside_squares : NULL)) ||
           (density && uh_histogram_density(histogram, cells->density));
}

/* Sums may be less than none, or no numbers: then they are no distribution, and have no quantiles. */
static int have_quantiles(const double *sums, size_t bins) {
    for (size_t i = 0; i < bins && sums; i++)
        if (!(sums[i] >= 0) || isinf(sums[i]))
            return 0;
    return 1;
}

static int read_estimates(uh_histogram *histogram, struct cli_cells *cells) {
    struct cli_estimates *estimates = &cells->estimates;
    uh_moments moments = {.struct_size = sizeof moments};
    if (uh_histogram_moments(histogram, 0, &moments))
        return -1;
    estimates->mean = moments.mean;
    estimates->deviation = sqrt(moments.variance);
    for (size_t i = 0; i < CLI_QUANTILES; i++)
        estimates->quantile[i] = NAN;
    return have_quantiles(cells->sums, uh_histogram_cells(histogram)) &&
           uh_histogram_quantiles(histogram, cli_quantile_parts, CLI_QUANTILES, estimates->quantile);
}

/* One axis of counts or sums has the form that numpy.histogram gives. */
static int is_flat(size_t naxes, uh_storage storage) {
    return naxes == 1 && (storage == UH_STORAGE_COUNT || storage == UH_STORAGE_SUM);
}

int cli_collect_check(size_t naxes, uh_storage storage, int cumulative, const char *plot, const char *subject,
                      struct cli_error *error) {
    const char *name = uh_storage_name(storage);
    if (cumulative && !is_flat(naxes, storage))
        return cli_usage(error, "--cumulative goes with one axis of counts or sums; %s %zu of storage %s", subject,
                         naxes, name);
    if (plot && naxes != 2 && !is_flat(naxes, storage))
        return cli_usage(error, "--plot goes with two axes, or one of counts or sums; %s %zu of storage %s", subject,
                         naxes, name);
    return 0;
}

int cli_collect(uh_histogram *histogram, int density, struct cli_cells *cells, struct cli_result *result,
                struct cli_error *error) {
    uh_histogram_properties properties = {.struct_size = sizeof properties};
    if (uh_histogram_get_properties(histogram, &properties)) {
        cli_fail_library(error);
        return 1;
    }
    const uh_storage storage = properties.storage;
    size_t n = uh_histogram_cells(histogram);
    int sums = storage == UH_STORAGE_SUM || storage == UH_STORAGE_WEIGHTED, means = storage == UH_STORAGE_MEAN;
    result->naxes = properties.naxes;
    result->storage = storage;
    result->flat = is_flat(result->naxes, storage);
    result->sum = properties.sum;
    cells->counts = sums ? NULL : malloc(n * sizeof *cells->counts);
    if ((!sums && !cells->counts) || make_room(n, sums, &cells->sums) ||
        make_room(n, storage == UH_STORAGE_WEIGHTED, &cells->squares) || make_room(n, means, &cells->means) ||
        make_room(n, means, &cells->deviations) || make_room(n, density, &cells->density))
        return cli_fail(error, "out of memory for %zu cells", n);
    if (read_cells(histogram, storage, cells) || read_totals(histogram, density, cells, result) ||
        (result->flat && read_estimates(histogram, cells))) {
        cli_fail_library(error);
        return 1;
    }
    result->counts = cells->counts;
    result->sums = cells->sums;
    result->squares = cells->squares;
    result->means = cells->means;
    result->deviations = cells->deviations;
    result->density = cells->density;
    result->estimates = result->flat ? &cells->estimates : NULL;
    return 0;
}

int cli_collect_running(struct cli_cells *cells, struct cli_result *result, struct cli_error *error) {
    const size_t bins = result->axis[0].bins;
    uint64_t count = 0;
    double sum = 0;
    cells->cumulative = result->counts ? malloc(bins * sizeof *cells->cumulative) : NULL;
    cells->running = result->sums ? malloc(bins * sizeof *cells->running) : NULL;
    if (!cells->cumulative && !cells->running)
        return cli_fail(error, "out of memory for the sums of %zu bins", bins);
    for (size_t i = 0; i < bins && cells->cumulative; i++)
        cells->cumulative[i] = count += result->counts[i];
    for (size_t i = 0; i < bins && cells->running; i++)
        cells->running[i] = sum += result->sums[i];
    result->cumulative = cells->cumulative;
    result->running = cells->running;
    return 0;
}

void cli_cells_free(struct cli_cells *cells) {
    free(cells->counts);
    free(cells->sums);
    free(cells->squares);
    free(cells->means);
    free(cells->deviations);
    free(cells->density);
    free(cells->cumulative);
    free(cells->running);
    *cells = (struct cli_cells){.counts = NULL};
}
