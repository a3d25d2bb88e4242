/* SPDX-License-Identifier: Apache-2.0 */
/* unihist merge: the sum of saved histograms. */
#include <stdio.h>
#include <stdlib.h>

#include <unihist/save.h>

#include "api/cli/collect_dd.h"
#include "api/cli/merge.h"
#include "api/cli/publish.h"
#include "api/cli/stats.h"

/* Returns 0 where two histograms can be added, else -1 with a line that names the files and the first difference. */
static int check_alike(const char *path_a, const uh_histogram *a, const char *path_b, const uh_histogram *b,
                       struct cli_error *error) {
    static const char *const sums[] = {[UH_SUM_EXACT] = "exact", [UH_SUM_FAST] = "fast"};
    size_t naxes = uh_histogram_naxes(a);
    int result = 0;
    if (naxes != uh_histogram_naxes(b))
        return cli_fail(error, "'%s' and '%s' differ: histograms over %zu and %zu axes", path_a, path_b, naxes,
                        uh_histogram_naxes(b));
    if (uh_histogram_storage(a) != uh_histogram_storage(b))
        return cli_fail(error, "'%s' and '%s' differ: cells of storage %s and %s", path_a, path_b,
                        uh_storage_name(uh_histogram_storage(a)), uh_storage_name(uh_histogram_storage(b)));
    if (uh_histogram_sum_mode(a) != uh_histogram_sum_mode(b))
        return cli_fail(error, "'%s' and '%s' differ: %s and %s sums", path_a, path_b, sums[uh_histogram_sum_mode(a)],
                        sums[uh_histogram_sum_mode(b)]);
    for (size_t axis = 0; axis < naxes && !result; axis++)
        result = cli_merge_check_axes(path_a, uh_histogram_axis(a, axis), path_b, uh_histogram_axis(b, axis),
                                      naxes > 1 ? (int)axis : -1, error);
    return result;
}

/* Loads a file and adds it to `sum`. */
static int add_file(const struct cli_merge *merge, const char *path, uh_histogram *sum, struct cli_error *error) {
    uh_histogram *next = NULL;
    if (uh_histogram_load(merge->queue, path, &next))
        return cli_fail_library(error);
    int result = check_alike(merge->paths[0], sum, path, next, error);
    if (!result && uh_histogram_merge(sum, next))
        result = cli_fail(error, "'%s': %s", path, cli_library_message());
    uh_histogram_destroy(next);
    return result;
}

/* One axis of counts or sums is shown and written as `unihist histogram` does. */
static int is_flat(const uh_histogram *histogram) {
    uh_storage storage = uh_histogram_storage(histogram);
    return uh_histogram_naxes(histogram) == 1 && (storage == UH_STORAGE_COUNT || storage == UH_STORAGE_SUM);
}

static int check_usage(const struct cli_merge *merge, const uh_histogram *sum, struct cli_error *error) {
    size_t naxes = uh_histogram_naxes(sum);
    const char *storage = uh_storage_name(uh_histogram_storage(sum));
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

int cli_merge_histograms(const struct cli_merge *merge, struct cli_error *error) {
    struct cli_cells cells = {.counts = NULL};
    struct cli_result result = {.naxes = 0};
    uh_histogram *sum = NULL;
    char *title = cli_publish_title(merge->paths, merge->npaths, NULL);
    int status = !title ? cli_fail(error, "out of memory") : 0;
    if (!status && uh_histogram_load(merge->queue, merge->paths[0], &sum))
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
    result.histogram = sum;
    result.flat = is_flat(sum);
    result.seconds = cli_stats_clock() - merge->start;
    for (size_t axis = 0; axis < result.naxes; axis++)
        result.axis[axis].log = cli_merge_is_log(uh_histogram_axis(sum, axis));
    if (merge->cumulative)
        status = cli_collect_running(&cells, &result, error);
    if (!status)
        status = cli_publish(merge->output, merge->plot, CLI_HEAT_AUTO, &result, error);
out:
    cli_cells_free(&cells);
    uh_histogram_destroy(sum);
    free(title);
    return status;
}
