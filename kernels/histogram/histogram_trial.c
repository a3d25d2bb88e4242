/* SPDX-License-Identifier: Apache-2.0 */
/* Trial of the kernels of histograms: values on one axis, as counts, as indices and with weights; points on two equal
 * axes, so that each is first and last once, and a third of few bins. */
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/histogram/histogram_run.h"
#include "kernels/histogram/trial_plans.h"
#include "runtime/status.h"

static const char *const names[UH_MAX_AXES + 1] = {"x->data", "x->data", "x->data", [UH_MAX_AXES] = "weights->data"};

/* The tier of the kernel that counts in one launch; none for counts by cells. */
static unsigned choose_tiers(const struct uhi_trial *trial) {
    return uhi_trial_is(trial, "local")    ? UHI_TIER_SET(UHI_TIER_LOCAL)
           : uhi_trial_is(trial, "mixed")  ? UHI_TIER_SET(UHI_TIER_MIXED)
           : uhi_trial_is(trial, "tables") ? UHI_TIER_SET(UHI_TIER_TABLES)
           : uhi_trial_is(trial, "global") ? UHI_TIER_SET(UHI_TIER_PRIVATE)
                                           : 0;
}

/* ---- one axis ---------------------------------------------------------------------------------------------------- */

/* A count that differs shows a value in another slot; there are k + 3 counts. */
static uh_status count(struct uhi_histogram_run *run, struct uhi_trial *trial, const struct uhi_trial_plans *plans,
                       size_t p) {
    uint64_t counts[UHI_TRIAL_EDGES + 3] = {0};
    const struct uhi_histogram_plan *plan = plans->plan[p];
    const struct uhi_values x = uhi_trial_plans_values(plans, p);
    const struct uhi_histogram_points points = {.naxes = 1, .n = x.n, .plan = {plan}, .x = {x}, .names = names};
    const struct uhi_histogram_target target = {.counts = counts};
    uh_status status = uhi_histogram_add(run, trial->call, &points, target);
    if (!status)
        status = uhi_histogram_settle(run, trial->call, target);
    uhi_trial_add_all(trial, "the count of slot", counts, (size_t)plan->tables.bins + 3, sizeof *counts);
    return status;
}

static uh_status find_indices(struct uhi_histogram_run *run, struct uhi_trial *trial,
                              const struct uhi_trial_plans *plans, size_t p) {
    const struct uhi_values x = uhi_trial_plans_values(plans, p);
    int64_t *index = calloc(x.n, sizeof *index);
    uint64_t differ = 0;
    if (!index)
        return uhi_fail_memory(trial->call, "no memory for the indices of a self-test");
    const uh_status status =
        uhi_histogram_index(run, trial->call, plans->plan[p], x, (struct uhi_index){index, UH_I64, 0});
    for (size_t i = 0; i < plans->n[p]; i++)
        uhi_trial_add(trial, "the index of the value", uhi_trial_plans_bits(plans, p, i), (uint64_t)index[i]);
    for (size_t i = plans->n[p]; i < x.n; i++)
        differ += index[i] != index[i - plans->n[p]];
    uhi_trial_add_one(trial, "indices of a value that differ", differ);
    free(index);
    return status;
}

static uh_status try_values(uh_queue *queue, struct uhi_trial *trial, const struct uhi_trial_plans *plans, size_t p) {
    struct uhi_histogram_run run;
    uhi_histogram_open(&run, queue);
    run.launch.tiers = choose_tiers(trial);
    const uh_status status =
        uhi_trial_is(trial, "index") ? find_indices(&run, trial, plans, p) : count(&run, trial, plans, p);
    uhi_histogram_close(&run);
    return status;
}

/* ---- a store ----------------------------------------------------------------------------------------------------- */

/* Makes a plan for a third axis, of so few bins that it fits local memory, with equidistant or exponentially spaced
 * edges. On a device its look-up is that of `like`; otherwise *third is NULL. */
static uh_status make_third(const struct uhi_trial *trial, enum uhi_body body, const struct uhi_histogram_plan *like,
                            struct uhi_histogram_plan **third) {
    static const double equal[] = {-1, 0, 1, 2, 3, 4}, far[] = {1e-5, 1e-3, 0.1, 10, 1e3, 1e5};
    const struct uhi_edges edges = {
        .dtype = UH_F64, .values = uhi_trial_is(trial, "packed_logarithm") ? far : equal, .count = 6};
    uh_status status = UH_SUCCESS;
    *third = NULL;
    const struct uhi_plan_options options = {
        .lookup = like->wanted, .body = body, .leaf_bins = 1, .table_bytes = 1 << 12};
    status = uhi_plan_create(trial->call, &edges, like->dtype, &options, third);
    if (!status && body != UHI_BODY_HOST &&
        strcmp(uhi_histogram_lookup_name(&(*third)->tables), uhi_histogram_lookup_name(&like->tables)) != 0) {
        uhi_plan_destroy(*third);
        *third = NULL;
    }
    return status;
}

/* Adds the points to a new store, and notes its contents. */
static uh_status add(uh_queue *queue, struct uhi_trial *trial, const struct uhi_histogram_points *points,
                     uh_storage storage, size_t cells) {
    struct uhi_histogram_numbers numbers = {.points = 0};
    struct uhi_histogram_run run;
    struct uhi_store *store = NULL;
    uhi_histogram_open(&run, queue);
    run.launch.tiers = choose_tiers(trial);
    uh_status status = uhi_store_create(trial->call, cells, storage, UH_SUM_EXACT, &store);
    const struct uhi_histogram_target target = {.store = store, .numbers = &numbers};
    if (!status)
        status = uhi_histogram_add(&run, trial->call, points, target);
    if (!status)
        status = uhi_histogram_settle(&run, trial->call, target);
    if (!status) {
        uhi_store_note(store, trial);
        uhi_trial_add_all(trial, "the flow of number", numbers.flow, 3 * points->naxes, sizeof(uint64_t));
        uhi_trial_add_one(trial, "points in no cell", numbers.outside);
    }
    uhi_store_destroy(store);
    uhi_histogram_close(&run);
    return status;
}

/* Fills along the diagonal: a value that finds another bin on one axis leaves it. */
static uh_status fill(uh_queue *queue, struct uhi_trial *trial, const struct uhi_histogram_plan *plan,
                      const struct uhi_histogram_plan *third, struct uhi_values x) {
    const struct uhi_histogram_points points = {
        .naxes = third ? 3 : 2, .n = x.n, .plan = {plan, plan, third}, .x = {x, x, x}, .names = names};
    const size_t bins = plan->tables.bins, cells = bins * bins * (third ? third->tables.bins : 1);
    return add(queue, trial, &points, UH_STORAGE_COUNT, cells);
}

/* Weights of all values on one axis: cancelling, denormal, largest, infinite and NaN. */
static uh_status weigh(uh_queue *queue, struct uhi_trial *trial, const struct uhi_histogram_plan *plan,
                       struct uhi_values x) {
    static const float hostile[] = {FLT_MAX, 0x1p-149f, 1, 0x1.8p-140f, -FLT_MAX, 0x1p-24f, 16777215, -0x1p-149f,
                                    0.1f,    -1,        0, 65536,       INFINITY, 0x1p-20f, NAN};
    enum { HOSTILE = sizeof hostile / sizeof *hostile };
    float *weights = malloc(x.n * sizeof *weights);
    const uh_storage storage = uhi_trial_is(trial, "mean")       ? UH_STORAGE_MEAN
                               : uhi_trial_is(trial, "weighted") ? UH_STORAGE_WEIGHTED
                                                                 : UH_STORAGE_SUM;
    if (!weights)
        return uhi_fail_memory(trial->call, "no memory for the weights of a self-test");
    for (size_t i = 0; i < x.n; i++) { /* few non-finite weights, so that finite sums remain */
        const size_t k = i % (x.n / UHI_TRIAL_TIMES);
        weights[i] = hostile[k % (k % 40 < HOSTILE ? HOSTILE : HOSTILE - 3)];
    }
    const uh_array values = {UH_F32, weights, sizeof *weights, x.n};
    const struct uhi_histogram_points points = {
        .naxes = 1, .n = x.n, .plan = {plan}, .x = {x}, .values = &values, .names = names};
    const uh_status status = add(queue, trial, &points, storage, plan->tables.bins);
    free(weights);
    return status;
}

static int sums_weights(const struct uhi_trial *trial) {
    return uhi_trial_is(trial, "sum") || uhi_trial_is(trial, "weighted") || uhi_trial_is(trial, "mean");
}

uh_status uhi_histogram_trial(uh_queue *queue, struct uhi_trial *trial) {
    const enum uhi_body body = uhi_body_of(queue);
    struct uhi_trial_plans plans;
    uh_status status = uhi_trial_plans_make(trial, body, &plans);
    for (size_t p = 0; p < plans.count && !status; p++) {
        struct uhi_histogram_plan *third = NULL;
        if (uhi_trial_is(trial, "triple"))
            status = make_third(trial, body, plans.plan[p], &third);
        if (!status && (uhi_trial_is(trial, "count") || uhi_trial_is(trial, "index")))
            status = try_values(queue, trial, &plans, p);
        else if (!status)
            status = sums_weights(trial) ? weigh(queue, trial, plans.plan[p], uhi_trial_plans_values(&plans, p))
                                         : fill(queue, trial, plans.plan[p], third, uhi_trial_plans_values(&plans, p));
        uhi_plan_destroy(third);
    }
    uhi_trial_plans_free(&plans);
    return status;
}
