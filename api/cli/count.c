/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/count.h"

#include <stdio.h>
#include <stdlib.h>

#include "api/cli/collect.h"
#include "api/cli/publish.h"
#include "api/cli/stats.h"

/* The pass. */
struct counting {
    const struct cli_count *count;
    struct cli_stats stats[UH_MAX_AXES]; /* of each axis; times and bytes are in the first */
};

static int count_points(void *context, const uh_array *coordinates, const uh_array *values, struct cli_error *error) {
    struct counting *counting = context;
    struct cli_job *job = counting->count->job;
    struct cli_stats *stats = &counting->stats[0];
    const uint64_t n = coordinates->count;
    const double start = cli_stats_clock();
    while (uh_histogram_fill(job->histogram, coordinates, values))
        if (cli_job_recover(job, stats->bytes > 0, error))
            return -1;
    stats->counting += cli_stats_clock() - start;
    for (size_t a = 0; a < counting->count->points->naxes; a++) {
        stats->bytes += n * uh_dtype_size(coordinates[a].dtype);
        if (job->stats)
            cli_stats_add(&counting->stats[a], &coordinates[a]);
    }
    stats->bytes += values ? n * uh_dtype_size(values->dtype) : 0;
    return 0;
}

/* Everything that a result lends. */
struct lent {
    struct cli_cells cells;
    char *plan[UH_MAX_AXES], *title;
};

static int get_plan(const struct cli_count *count, size_t axis, char **plan, struct cli_error *error) {
    uh_histogram *histogram = count->job->histogram;
    const uh_dtype dtype = cli_inputs_facts(count->points->axis[axis].inputs)->dtype;
    size_t length;
    if (uh_histogram_plan_text(histogram, axis, dtype, NULL, 0, &length))
        return cli_job_fail(count->job, error);
    if (!(*plan = malloc(length + 1)))
        return cli_fail(error, "out of memory");
    return uh_histogram_plan_text(histogram, axis, dtype, *plan, length + 1, NULL) ? cli_job_fail(count->job, error)
                                                                                   : 0;
}

static int collect(const struct cli_count *count, struct lent *lent, struct cli_result *result,
                   struct cli_error *error) {
    const struct cli_job *job = count->job;
    const int collected = cli_collect(job->histogram, job->density, &lent->cells, result, error);
    if (collected)
        return collected > 0 ? cli_job_fail(job, error) : -1;
    if (job->cumulative && cli_collect_running(&lent->cells, result, error))
        return -1;
    for (size_t a = 0; a < result->naxes; a++) {
        struct cli_axis *axis = &result->axis[a];
        if (get_plan(count, a, &lent->plan[a], error))
            return -1;
        axis->name = count->axis[a].name;
        axis->dtype = cli_inputs_dtypes(count->points->axis[a].inputs);
        axis->method = count->axis[a].method;
        axis->plan = lent->plan[a];
        axis->log = count->axis[a].log;
    }
    if (!(lent->title = cli_publish_title(job->paths, job->npaths, job->values)))
        return cli_fail(error, "out of memory");
    result->device = job->device_text;
    result->values = job->value_inputs ? job->values : NULL;
    result->values_dtype = job->value_inputs ? cli_inputs_dtypes(job->value_inputs) : NULL;
    result->title = lent->title;
    result->histogram = job->histogram;
    return 0;
}

int cli_count(const struct cli_count *count, struct cli_error *error) {
    const struct cli_job *job = count->job;
    struct counting counting = {.count = count};
    struct cli_result result = {.naxes = 0};
    struct lent lent = {.title = NULL};
    int status = -1;
    for (size_t a = 0; a < UH_MAX_AXES; a++)
        cli_stats_start(&counting.stats[a]);
    counting.stats[0].preparing = cli_stats_clock() - count->start;
    if (cli_points_check(count->points, error) ||
        cli_points_pass(count->points, "counting", count_points, &counting, error))
        return -1;
    result.seconds = cli_stats_clock() - count->start;
    if (collect(count, &lent, &result, error) || cli_publish(job->output, job->plot, count->scale, &result, error))
        goto out;
    if (job->stats)
        cli_stats_print(stdout, counting.stats, &result, uh_queue_threads(job->queue), job->why_host);
    status = 0;
out:
    cli_cells_free(&lent.cells);
    for (size_t a = 0; a < UH_MAX_AXES; a++)
        free(lent.plan[a]);
    free(lent.title);
    return status;
}
