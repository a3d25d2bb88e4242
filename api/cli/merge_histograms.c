/* SPDX-License-Identifier: Apache-2.0 */
/* unihist merge for histograms over one axis. */
#include <stdio.h>
#include <stdlib.h>

#include <unihist/save.h>

#include "api/cli/merge.h"
#include "api/cli/publish.h"
#include "api/cli/stats.h"

/* Loads a file and adds it to `sum`. */
static int add_file(const struct cli_merge *merge, const char *path, uh_histogram *sum, struct cli_error *error) {
    uh_histogram *next = NULL;
    uh_status status = uh_histogram_load(merge->queue, path, &next);
    if (status)
        return cli_merge_fail_load(merge, path, status, UH_SAVED_HISTOGRAM, error);
    int result =
        cli_merge_check_axes(merge->paths[0], uh_histogram_axis(sum), path, uh_histogram_axis(next), -1, error);
    if (!result && uh_histogram_merge(sum, next))
        result = cli_fail(error, "'%s': %s", path, cli_library_message());
    uh_histogram_destroy(next);
    return result;
}

/* What a result lends. */
struct arrays {
    uint64_t *counts, *cumulative;
    double *density;
    char *title;
};

static int collect(const struct cli_merge *merge, uh_histogram *sum, struct arrays *arrays, struct cli_result *result,
                   struct cli_error *error) {
    const uh_axis *axis = uh_histogram_axis(sum);
    size_t bins = uh_axis_bins(axis);
    arrays->counts = malloc(bins * sizeof *arrays->counts);
    arrays->cumulative = merge->cumulative ? malloc(bins * sizeof *arrays->cumulative) : NULL;
    arrays->density = merge->density ? malloc(bins * sizeof *arrays->density) : NULL;
    arrays->title = cli_publish_title(merge->paths, merge->npaths, NULL);
    if (!arrays->counts || (merge->cumulative && !arrays->cumulative) || (merge->density && !arrays->density) ||
        !arrays->title)
        return cli_fail(error, "out of memory for the counts of %zu bins", bins);
    if (uh_histogram_counts(sum, arrays->counts) || uh_histogram_flow(sum, &result->axis[0].flow) ||
        uh_histogram_total(sum, &result->n) ||
        (merge->cumulative && uh_histogram_cumulative(sum, arrays->cumulative)) ||
        (merge->density && uh_histogram_density(sum, arrays->density)))
        return cli_fail_library(error);
    result->naxes = 1;
    result->flat = 1;
    result->axis[0].bins = bins;
    result->axis[0].edges = uh_axis_edges(axis);
    result->axis[0].log = cli_merge_is_log(axis);
    result->counts = arrays->counts;
    result->cumulative = arrays->cumulative;
    result->density = arrays->density;
    result->title = arrays->title;
    result->histogram = sum;
    result->seconds = cli_stats_clock() - merge->start;
    return 0;
}

int cli_merge_histograms(const struct cli_merge *merge, struct cli_error *error) {
    struct arrays arrays = {0};
    struct cli_result result = {0};
    uh_histogram *sum = NULL;
    int status = uh_histogram_load(merge->queue, merge->paths[0], &sum) ? cli_fail_library(error) : 0;
    for (size_t i = 1; i < merge->npaths && !status; i++)
        status = add_file(merge, merge->paths[i], sum, error);
    if (!status)
        status = collect(merge, sum, &arrays, &result, error);
    if (!status)
        status = cli_publish(merge->output, merge->plot, CLI_HEAT_AUTO, &result, error);
    free(arrays.counts);
    free(arrays.cumulative);
    free(arrays.density);
    free(arrays.title);
    uh_histogram_destroy(sum);
    return status;
}
