/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of histograms over several axes, tried: two axes alike, so that each is the first and the last once. */
#include "kernels/common/trial.h"
#include "kernels/histogram/trial_plans.h"
#include "kernels/histogramdd/histogramdd_run.h"
#include "runtime/status.h"

/* Fills along the diagonal: a value that finds another bin on one of the axes leaves it. */
static uh_status fill(uh_queue *queue, struct uhi_trial *trial, const struct uhi_trial_plans *plans, size_t p) {
    const struct uhi_values x = uhi_trial_plans_values(plans, p);
    const struct uhi_histogramdd_points points = {
        .naxes = 2, .n = x.n, .plan = {plans->plan[p], plans->plan[p]}, .x = {x, x}};
    const size_t bins = plans->plan[p]->tables.bins;
    struct uhi_histogramdd_counters counters = {.points = 0};
    struct uhi_histogramdd_run run;
    struct uhi_store *store = NULL;
    uhi_histogramdd_open(&run, queue);
    uh_status status = uhi_store_create(trial->call, bins * bins, UH_STORAGE_COUNT, UH_SUM_EXACT, &store);
    const struct uhi_histogramdd_sums sums = {store, &counters};
    if (!status)
        status = uhi_histogramdd_add(&run, trial->call, &points, sums);
    if (!status)
        status = uhi_histogramdd_settle(&run, trial->call, sums);
    if (!status) {
        uhi_trial_add_all(trial, "the count of cell", uhi_store_lend_counts(store), bins * bins, sizeof(uint64_t));
        uhi_trial_add_all(trial, "the flow of number", counters.flow, 6, sizeof(uint64_t));
        uhi_trial_note(trial, (struct uhi_trial_result){"points in no cell", 0, 0, counters.outside});
    }
    struct uhi_message message;
    uhi_message_keep(&message);
    uhi_store_destroy(store);
    uhi_histogramdd_close(&run);
    uhi_message_restore(&message);
    return status;
}

uh_status uhi_histogramdd_trial(uh_queue *queue, struct uhi_trial *trial) {
    struct uhi_trial_plans plans;
    uh_status status = uhi_trial_plans_make(trial, uhi_body_of(queue), &plans);
    for (size_t p = 0; p < plans.count && !status; p++)
        status = fill(queue, trial, &plans, p);
    uhi_trial_plans_free(&plans);
    return status;
}
