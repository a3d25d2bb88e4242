/* SPDX-License-Identifier: Apache-2.0 */
/* unihist merge for histograms over several axes, and for those over one that keep more than counts. */
#include <stdio.h>
#include <stdlib.h>

#include <unihist/save.h>

#include "api/cli/collect_dd.h"
#include "api/cli/merge.h"
#include "api/cli/publish.h"
#include "api/cli/stats.h"

/* Returns 0 where two histograms can be added, else -1 with a line that names the files and the first difference. */
static int check_alike(const char *path_a, const uh_histogramdd *a, const char *path_b, const uh_histogramdd *b,
                       struct cli_error *error) {
    static const char *const sums[] = {[UH_SUM_EXACT] = "exact", [UH_SUM_FAST] = "fast"};
    size_t naxes = uh_histogramdd_naxes(a);
    int result = 0;
    if (naxes != uh_histogramdd_naxes(b))
        return cli_fail(error, "'%s' and '%s' differ: histograms over %zu and %zu axes", path_a, path_b, naxes,
                        uh_histogramdd_naxes(b));
    if (uh_histogramdd_storage(a) != uh_histogramdd_storage(b))
        return cli_fail(error, "'%s' and '%s' differ: cells of storage %s and %s", path_a, path_b,
                        uh_storage_name(uh_histogramdd_storage(a)), uh_storage_name(uh_histogramdd_storage(b)));
    if (uh_histogramdd_sum_mode(a) != uh_histogramdd_sum_mode(b))
        return cli_fail(error, "'%s' and '%s' differ: %s and %s sums", path_a, path_b, sums[uh_histogramdd_sum_mode(a)],
                        sums[uh_histogramdd_sum_mode(b)]);
    for (size_t axis = 0; axis < naxes && !result; axis++)
        result = cli_merge_check_axes(path_a, uh_histogramdd_axis(a, axis), path_b, uh_histogramdd_axis(b, axis),
                                      naxes > 1 ? (int)axis : -1, error);
    return result;
}

/* Loads a file and adds it to `sum`. */
static int add_file(const struct cli_merge *merge, const char *path, uh_histogramdd *sum, struct cli_error *error) {
    uh_histogramdd *next = NULL;
    uh_status status = uh_histogramdd_load(merge->queue, path, &next);
    if (status)
        return cli_merge_fail_load(merge, path, status, UH_SAVED_HISTOGRAMDD, error);
    int result = check_alike(merge->paths[0], sum, path, next, error);
    if (!result && uh_histogramdd_merge(sum, next))
        result = cli_fail(error, "'%s': %s", path, cli_library_message());
    uh_histogramdd_destroy(next);
    return result;
}

/* ---- one axis of counts or sums, which is shown and written as `unihist histogram` does ---- */

static int is_flat(const uh_histogramdd *histogram) {
    uh_storage storage = uh_histogramdd_storage(histogram);
    return uh_histogramdd_naxes(histogram) == 1 && (storage == UH_STORAGE_COUNT || storage == UH_STORAGE_SUM);
}

/* Adds the running counts or sums, which the caller frees. */
static int accumulate(struct cli_result *result, uint64_t **cumulative, double **running, struct cli_error *error) {
    const size_t bins = result->axis[0].bins;
    uint64_t count = 0;
    double sum = 0;
    *cumulative = result->counts ? malloc(bins * sizeof **cumulative) : NULL;
    *running = result->sums ? malloc(bins * sizeof **running) : NULL;
    if (!*cumulative && !*running)
        return cli_fail(error, "out of memory for the sums of %zu bins", bins);
    for (size_t i = 0; i < bins; i++)
        if (result->counts)
            (*cumulative)[i] = count += result->counts[i];
        else
            (*running)[i] = sum += result->sums[i];
    result->cumulative = *cumulative;
    result->running = *running;
    return 0;
}

/* ---- any ---- */

static int check_usage(const struct cli_merge *merge, const uh_histogramdd *sum, struct cli_error *error) {
    size_t naxes = uh_histogramdd_naxes(sum);
    const char *storage = uh_storage_name(uh_histogramdd_storage(sum));
    if (is_flat(sum))
        return 0;
    if (merge->cumulative)
        return cli_usage(error, "--cumulative goes with one axis of counts or sums; '%s' has %zu of storage %s",
                         merge->paths[0], naxes, storage);
    if (merge->plot && naxes != 2)
        return cli_usage(error, "--plot goes with two axes, or one of counts or sums; '%s' has %zu of storage %s",
                         merge->paths[0], naxes, storage);
    return 0;
}

int cli_merge_histogramdd(const struct cli_merge *merge, struct cli_error *error) {
    struct cli_cells cells = {.counts = NULL};
    struct cli_result result = {.naxes = 0};
    uh_histogramdd *sum = NULL;
    uint64_t *cumulative = NULL;
    double *running = NULL;
    char *title = cli_publish_title(merge->paths, merge->npaths, NULL);
    int status = !title ? cli_fail(error, "out of memory") : 0;
    if (!status && uh_histogramdd_load(merge->queue, merge->paths[0], &sum))
        status = cli_fail_library(error);
    if (!status)
        status = check_usage(merge, sum, error);
    for (size_t i = 1; i < merge->npaths && !status; i++)
        status = add_file(merge, merge->paths[i], sum, error);
    if (!status)
        status = cli_collect_dd(sum, merge->density, &cells, &result, error);
    if (status)
        goto out;
    result.title = title;
    result.weighted = sum;
    result.flat = is_flat(sum);
    result.seconds = cli_stats_clock() - merge->start;
    for (size_t axis = 0; axis < result.naxes; axis++)
        result.axis[axis].log = cli_merge_is_log(uh_histogramdd_axis(sum, axis));
    if (merge->cumulative)
        status = accumulate(&result, &cumulative, &running, error);
    if (!status)
        status = cli_publish(merge->output, merge->plot, CLI_HEAT_AUTO, &result, error);
out:
    free(cumulative);
    free(running);
    cli_cells_free(&cells);
    uh_histogramdd_destroy(sum);
    free(title);
    return status;
}
