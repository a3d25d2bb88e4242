/* SPDX-License-Identifier: Apache-2.0 */
/* Trial of the kernels of histograms over one axis. */
#include <stdlib.h>

#include "kernels/common/trial.h"
#include "kernels/histogram/histogram_run.h"
#include "kernels/histogram/trial_plans.h"
#include "runtime/status.h"

/* A count that differs shows a value in another slot; there are k + 3 counts. */
static uh_status count(struct uhi_histogram_run *run, struct uhi_trial *trial, const struct uhi_trial_plans *plans,
                       size_t p) {
    uint64_t counts[UHI_TRIAL_EDGES + 3] = {0};
    const struct uhi_histogram_plan *plan = plans->plan[p];
    uh_status status = uhi_histogram_count(run, trial->call, "x->data", plan, uhi_trial_plans_values(plans, p), counts);
    if (!status)
        status = uhi_histogram_settle(run, trial->call, counts);
    uhi_trial_add_all(trial, "the count of slot", counts, (size_t)plan->tables.bins + 3, sizeof *counts);
    return status;
}

static uh_status find_indices(struct uhi_histogram_run *run, struct uhi_trial *trial,
                              const struct uhi_trial_plans *plans, size_t p) {
    const struct uhi_values x = uhi_trial_plans_values(plans, p);
    int64_t *index = calloc(x.n, sizeof *index);
    uint64_t differ = 0;
    if (!index)
        return uhi_fail(UH_ERROR_OUT_OF_MEMORY, trial->call, NULL, "no memory for the indices of a self-test");
    const uh_status status = uhi_histogram_index(run, trial->call, plans->plan[p], x, index);
    for (size_t i = 0; i < plans->n[p]; i++)
        uhi_trial_add(trial, "the index of the value", uhi_trial_plans_bits(plans, p, i), (uint64_t)index[i]);
    for (size_t i = plans->n[p]; i < x.n; i++)
        differ += index[i] != index[i - plans->n[p]];
    uhi_trial_note(trial, (struct uhi_trial_result){"indices of a value that differ", 0, 0, differ, 0});
    free(index);
    return status;
}

/* Limit of local memory, in bytes, with which the counts are where the kernel has them. */
static uint64_t choose_local(const struct uhi_trial *trial, const struct uhi_histogram_plan *plan) {
    if (uhi_trial_is(trial, "count_global"))
        return 0;
    const uint64_t slots = ((uint64_t)plan->tables.bins + 3) | 1;
    return uhi_trial_is(trial, "count_mixed") ? slots * sizeof(uint32_t) : UINT64_MAX;
}

uh_status uhi_histogram_trial(uh_queue *queue, struct uhi_trial *trial) {
    struct uhi_trial_plans plans;
    uh_status status = uhi_trial_plans_make(trial, uhi_body_of(queue), &plans);
    for (size_t p = 0; p < plans.count && !status; p++) {
        struct uhi_histogram_run run;
        uhi_histogram_open(&run, queue);
        trial->local_memory = choose_local(trial, plans.plan[p]);
        status = uhi_trial_is(trial, "index") ? find_indices(&run, trial, &plans, p) : count(&run, trial, &plans, p);
        struct uhi_message message;
        uhi_message_keep(&message);
        uhi_histogram_close(&run);
        uhi_message_restore(&message);
    }
    uhi_trial_plans_free(&plans);
    return status;
}
