/* SPDX-License-Identifier: Apache-2.0 */
/* Many integrals in one call. A small one fills neither several threads nor a device, whose answers it waits for: so
 * several are computed at a time, by queues of their own that share them as the parts of a combined device would. */
#include <stdlib.h>
#include <string.h>

#include "api/integrate.h"
#include "kernels/common/frame.h"
#include "kernels/common/shares.h"
#include "kernels/integrate/integrate_run.h"
#include "runtime/host.h"
#include "runtime/status.h"

enum {
    POINTS_A_THREAD = 65536, /* of an iteration: about 1 ms */
    IN_FLIGHT = 4,           /* integrals on a device, with at most */
    MAX_IN_FLIGHT = 1 << 22  /* points of an iteration: not measured */
};

/* An integral until all are known. */
struct result {
    size_t values; /* of the integrand */
    uh_integral integral;
    int is_known;
    uh_grid *grid; /* refined */
};

struct batch {
    const char *call;
    uh_queue *queue, *parts[UHI_MAX_SHARES];
    const uh_integrand *integrands;
    size_t n;
    uh_integrate_options options;
    uh_grid *const *grids;
    struct result *results;
};

/* ---- an integral ---- */

struct reporter {
    const uh_integrate_options *options;
    size_t integrand;
};

static int report(const uh_iteration *iteration, void *context) {
    const struct reporter *reporter = context;
    uh_iteration numbered = *iteration;
    numbered.integrand = reporter->integrand;
    return reporter->options->report(&numbered, reporter->options->report_context);
}

/* On failure nothing is known of the integral, and another queue may try. */
static uh_status integrate_one(struct batch *batch, uh_queue *queue, size_t i) {
    struct result *result = &batch->results[i];
    struct reporter reporter = {&batch->options, i};
    const uh_grid *grid = batch->grids ? batch->grids[i] : batch->options.grid;
    uh_integrate_options how = batch->options;
    uh_status status = UH_SUCCESS;
    how.report = how.report ? report : NULL;
    how.report_context = &reporter;
    how.grid = NULL;
    if (grid)
        status =
            uhi_grid_make(batch->call, "", grid->dims, grid->bins, grid->lower, grid->upper, grid->edges, &how.grid);
    if (!status)
        status = uh_integrate(queue, &batch->integrands[i], &how, &result->integral);
    if (!status && batch->grids)
        result->grid = how.grid;
    else
        uhi_grid_free(how.grid);
    result->is_known = !status;
    return status;
}

/* ---- several at a time ---- */

/* Whether two devices compute the same bits. */
static int are_alike(const uh_device *a, const uh_device *b) {
    const uh_device_properties *p = &a->properties, *q = &b->properties;
    return a->backend == b->backend && p->vendor_id == q->vendor_id && p->device_id == q->device_id &&
           p->fp64 == q->fp64;
}

/* Makes a queue for each integral at a time, on the device or on parts like the lead. Returns their number: 0 if an
 * integral keeps the device busy. */
static size_t open_queues(struct batch *batch) {
    const uint64_t given = batch->options.max_calls, max_calls = given ? given : UHI_INTEGRATE_USUAL_CALLS;
    uh_queue *queue = batch->queue, *lead = uhi_queue_lead(queue);
    const int on_host = uhi_body_of(lead) == UHI_BODY_HOST;
    uh_queue_options options = lead->options;
    uh_device *devices[UHI_MAX_SHARES] = {lead->device};
    size_t ndevices = 1, count = 0;
    for (size_t p = 0; p < queue->nparts; p++)
        if (queue->parts[p] != lead && are_alike(queue->parts[p]->device, lead->device))
            devices[ndevices++] = queue->parts[p]->device;
    const size_t each = on_host ? (size_t)(max_calls / POINTS_A_THREAD) + 1 : 1,
                 lanes = on_host ? uhi_host_workers(options.threads) : IN_FLIGHT * ndevices,
                 fit = lanes / each < batch->n ? lanes / each : batch->n,
                 wanted = fit < UHI_MAX_SHARES ? fit : UHI_MAX_SHARES;
    if (wanted < 2 || max_calls > MAX_IN_FLIGHT)
        return 0;
    options.error_callback = NULL; /* failures are the call's */
    options.threads = on_host ? (uint32_t)(lanes / wanted) : options.threads;
    for (size_t i = 0; i < wanted; i++)
        count += uh_queue_create(devices[i % ndevices], &options, &batch->parts[count]) == UH_SUCCESS;
    return count;
}

static uh_status integrate_piece(void *context, size_t part, size_t from, size_t n) {
    struct batch *batch = context;
    for (size_t i = from; i < from + n; i++)
        if (!batch->results[i].is_known) /* known from a queue that has failed since */
            UHI_TRY(integrate_one(batch, batch->parts[part], i));
    return UH_SUCCESS;
}

/* Puts the integrand's number in front of a failure's text. */
static uh_status fail_at(const char *call, size_t i, uh_status status) {
    return status ? uhi_fail_at(status, call, "integrands", i, ": %s", uh_last_error_info()->text) : UH_SUCCESS;
}

/* What other queues leave when they fail, the caller's does in order: the failure is that of the first integrand. */
static uh_status integrate_all(struct batch *batch) {
    struct uhi_message before;
    struct uhi_speeds speeds = {{0}};
    uhi_message_keep(&before);
    uh_queue together = {.parts = batch->parts, .nparts = open_queues(batch)};
    const struct uhi_share share = {.call = batch->call,
                                    .queue = &together,
                                    .n = batch->n,
                                    .min_piece = 1,
                                    .piece = integrate_piece,
                                    .context = batch};
    (void)(together.nparts ? uhi_share_out(&share, &speeds) : UH_SUCCESS);
    for (size_t p = 0; p < together.nparts; p++)
        uh_queue_destroy(batch->parts[p]);
    uhi_message_restore(&before);
    for (size_t i = 0; i < batch->n; i++)
        if (!batch->results[i].is_known)
            UHI_TRY(fail_at(batch->call, i, integrate_one(batch, batch->queue, i)));
    return UH_SUCCESS;
}

/* ---- the call ---- */

static uh_status check_one(const struct batch *batch, size_t i, const uh_integral *integral) {
    uh_integrand taken = {.struct_size = 0};
    UHI_TRY(uhi_sized_check(batch->call, "integral", integral, sizeof *integral));
    UHI_TRY(uhi_integrand_check(batch->call, &batch->integrands[i], &taken));
    batch->results[i].values = taken.values;
    return uhi_integral_make(batch->call, integral, taken.values, &batch->results[i].integral);
}

uh_status uh_integrate_many(uh_queue *queue, const uh_integrand *integrands, size_t n,
                            const uh_integrate_options *options, uh_grid *const *grids, uh_integral *integrals) {
    struct batch batch = {.call = __func__, .queue = queue, .integrands = integrands, .n = n, .grids = grids};
    UHI_NEED(__func__, queue, "a queue");
    UHI_NEED(__func__, integrands, "n integrands");
    UHI_NEED(__func__, integrals, "where to store n integrals");
    UHI_TRY(uhi_sized_read(__func__, "options", options, &batch.options, sizeof batch.options));
    if (batch.options.exchange)
        return uhi_fail_argument(__func__, "options->exchange", "is given, expected NULL");
    if (grids && batch.options.grid)
        return uhi_fail_argument(__func__, "options->grid", "is given in addition to grids, expected one of them");
    batch.results = calloc(n + 1, sizeof *batch.results);
    if (!batch.results)
        return uhi_fail_memory(__func__, "no memory for %zu integrals", n);
    uh_status status = UH_SUCCESS;
    for (size_t i = 0; i < n && !status; i++)
        status = fail_at(__func__, i, check_one(&batch, i, &integrals[i]));
    status = status ? status : integrate_all(&batch);
    for (size_t i = 0; i < n; i++) {
        if (!status)
            uhi_integral_store(&integrals[i], &batch.results[i].integral, batch.results[i].values);
        if (!status && grids && batch.results[i].grid)
            memcpy(grids[i]->edges, batch.results[i].grid->edges,
                   grids[i]->dims * (grids[i]->bins + 1) * sizeof *grids[i]->edges);
        uhi_grid_free(batch.results[i].grid);
        uhi_integral_free(&batch.results[i].integral);
    }
    free(batch.results);
    return status;
}
