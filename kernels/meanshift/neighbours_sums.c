/* SPDX-License-Identifier: Apache-2.0 */
/* Sums for places whose candidates have been found: in pieces, on one device or distributed over several. */
#include <stdlib.h>
#include <string.h>

#include "kernels/common/shares.h"
#include "kernels/meanshift/neighbours.h"
#include "kernels/meanshift/tuning.h"
#include "runtime/queue.h"
#include "runtime/status.h"

/* State of the parts of a combined device's queue. */
struct uhi_neighbours_shares {
    struct uhi_speeds speeds;
    struct uhi_frame frame[UHI_MAX_SHARES];
    int is_open[UHI_MAX_SHARES], is_sent[UHI_MAX_SHARES];
    int stopped; /* by the caller's progress */
};

uh_status uhi_neighbours_share(struct uhi_neighbours *neighbours) {
    const uh_queue *queue = neighbours->queue;
    if (!uhi_is_shared(queue) || (neighbours->shares = calloc(1, sizeof *neighbours->shares)))
        return UH_SUCCESS;
    return uhi_fail_memory(neighbours->call, "no memory for the state of %zu devices", queue->nparts);
}

void uhi_neighbours_shares_close(struct uhi_neighbours *neighbours) {
    for (size_t i = 0; neighbours->shares && i < UHI_MAX_SHARES; i++)
        uhi_frame_close(&neighbours->shares->frame[i]);
    free(neighbours->shares);
}

/* ---- one device -------------------------------------------------------------------------------------------------- */

/* Returns the first place that has at least this many interactions before it. */
static size_t place_of(const struct uhi_neighbours *neighbours, uint64_t interactions) {
    return uhi_cells_find(neighbours->before, neighbours->order.count, 0, interactions);
}

static void sum_part(const void *context, size_t part, size_t parts) {
    const struct uhi_neighbours *neighbours = context;
    const struct uhi_summing *s = &neighbours->summing;
    const uint64_t first = neighbours->before[neighbours->from], all = neighbours->before[neighbours->to] - first;
    const size_t from = place_of(neighbours, first + all / parts * part),
                 to = part + 1 < parts ? place_of(neighbours, first + all / parts * (part + 1)) : neighbours->to;
    if (neighbours->place.size == sizeof(float))
        uhi_meanshift_host()->sum_f32(s, from, to);
    else
        uhi_meanshift_host()->sum_f64(s, from, to);
}

static uh_status sum_on_host(struct uhi_frame *frame, void *context) {
    struct uhi_neighbours *neighbours = context;
    const size_t places = neighbours->to - neighbours->from;
    const uint64_t worth = neighbours->interactions / UHI_MEANSHIFT_THREAD;
    const size_t threads = uhi_host_threads(frame->queue), maximum = threads == 1 ? 1 : threads * UHI_MEANSHIFT_PARTS;
    size_t parts = worth < maximum ? (size_t)worth : maximum;
    parts = parts < places ? parts : places;
    uhi_host_parallel(frame->queue, "mean shift: sums", sum_part, neighbours, parts ? parts : 1);
    return UH_SUCCESS;
}

static const struct uhi_stage sum = {"mean shift: sums", sum_on_host, uhi_meanshift_sum_on_device};

/* Returns the maximum number of interactions of the next launch. */
static uint64_t max_interactions(const struct uhi_neighbours *neighbours, const struct uhi_frame *frame) {
    enum { CLOCKS = 16, CLOCKS_AN_AXIS = 8 }; /* maximum per interaction and lane */
    static const struct uhi_pace unknown;
    const uh_device_properties *device = &frame->queue->device->properties;
    const uint64_t lanes = uhi_pace_lanes(device), places = neighbours->order.count, group = uhi_group_size(device);
    /* With tiles all work-items of a group work, even those without a place. */
    const uint64_t items = neighbours->chosen == UH_MEAN_SHIFT_TILES ? (places + group - 1) / group * group : places;
    const double clocks = (double)(CLOCKS + CLOCKS_AN_AXIS * neighbours->summing.dims);
    return uhi_pace_max(frame->engine ? uhi_pace_of(&frame->engine->paces, &sum) : &unknown,
                        clocks * uhi_pace_clock_ns(device) * (double)items / (double)places /
                            (double)(lanes < items ? lanes : items));
}

/* Returns the minimum number of interactions worth a piece on a device: a work-item has one place, and fewer places
 * than lanes, or than work-items of a group, leave most of them idle and take as long. */
static uint64_t min_interactions(const struct uhi_neighbours *neighbours, const struct uhi_frame *frame) {
    const uh_device_properties *device = &frame->queue->device->properties;
    const uint64_t lanes = uhi_pace_lanes(device), items = uhi_group_size(device), places = neighbours->order.count;
    const uint64_t collective = lanes > items ? lanes : items;
    return (neighbours->interactions / places + 1) * (collective < places ? collective : places);
}

/* Returns the interactions of the current places with their candidates before number `last`. */
static uint64_t count_until(const struct uhi_neighbours *neighbours, uint32_t last) {
    const uint64_t *before = neighbours->before;
    uint64_t count = 0;
    if (last == UHI_ALL_CANDIDATES)
        return before[neighbours->to] - before[neighbours->from];
    for (size_t i = neighbours->from; i < neighbours->to && last > 0; i++)
        count += before[i + 1] - before[i] < last ? before[i + 1] - before[i] : last;
    return count;
}

/* Returns whether there is more to sum for places before `end`. */
static int is_left(const struct uhi_neighbours *neighbours, size_t end) {
    return neighbours->to < end || neighbours->last != UHI_ALL_CANDIDATES;
}

/* Returns the end of the candidates, starting at `first`, for a launch of at most `maximum` interactions. */
static uint32_t last_of(const struct uhi_neighbours *neighbours, uint64_t maximum) {
    const uint64_t each = maximum / (neighbours->to - neighbours->from), minimum = UHI_MEANSHIFT_MIN_CANDIDATES,
                   last = neighbours->first + (each > minimum ? each : minimum);
    const uint64_t all = count_until(neighbours, UHI_ALL_CANDIDATES);
    if (all - count_until(neighbours, neighbours->first) <= maximum || last >= neighbours->cells.sorted.count)
        return UHI_ALL_CANDIDATES;
    return count_until(neighbours, (uint32_t)last) < all ? (uint32_t)last : UHI_ALL_CANDIDATES;
}

/* Selects what comes next before place `end`: further candidates of the same places, if they have too many for one
 * launch; otherwise the places from number `to` on, as many as fit in a piece. */
static void take_next(struct uhi_neighbours *neighbours, const struct uhi_frame *frame, size_t end) {
    const int on_host = frame->body == UHI_BODY_HOST;
    const uint64_t maximum = on_host ? UHI_MEANSHIFT_HOST_PIECE : max_interactions(neighbours, frame);
    neighbours->first = neighbours->last;
    if (neighbours->last == UHI_ALL_CANDIDATES) {
        const size_t from = neighbours->from = neighbours->to;
        const uint64_t minimum = on_host ? 0 : min_interactions(neighbours, frame);
        const size_t to = place_of(neighbours, neighbours->before[from] + (maximum > minimum ? maximum : minimum));
        neighbours->to = to > end ? end : to > from ? to : from + 1;
        neighbours->first = 0;
    }
    neighbours->last = on_host ? UHI_ALL_CANDIDATES : last_of(neighbours, maximum);
}

static uh_status sum_next(struct uhi_neighbours *neighbours, struct uhi_frame *frame, size_t end) {
    take_next(neighbours, frame, end);
    const uint64_t begin = uhi_host_now();
    UHI_TRY(uhi_queue_check_cancelled(frame->queue, frame->call));
    UHI_TRY(uhi_frame_run(frame, &sum, neighbours));
    if (frame->engine)
        uhi_pace_note(uhi_pace_of(&frame->engine->paces, &sum),
                      count_until(neighbours, neighbours->last) - count_until(neighbours, neighbours->first),
                      uhi_host_now() - begin);
    return UH_SUCCESS;
}

/* Reports `done` interactions; returns whether to stop. */
static int tell_progress(const struct uhi_neighbours *neighbours, uint64_t done) {
    const uint64_t known = neighbours->earlier + neighbours->interactions;
    return neighbours->progress(neighbours->earlier + done, known > neighbours->expected ? known : neighbours->expected,
                                neighbours->progress_context) != 0;
}

/* Sums in pieces, and calls `progress` between them. */
static uh_status sum_pieces(struct uhi_neighbours *neighbours, int *stopped) {
    const size_t end = neighbours->order.count;
    uh_status status = UH_SUCCESS;
    neighbours->to = 0;
    neighbours->last = UHI_ALL_CANDIDATES;
    while (!status && !*stopped && is_left(neighbours, end)) {
        status = sum_next(neighbours, &neighbours->frame, end);
        if (!status && is_left(neighbours, end) && neighbours->progress)
            *stopped = tell_progress(neighbours,
                                     neighbours->before[neighbours->from] + count_until(neighbours, neighbours->last));
    }
    return status;
}

/* ---- several devices --------------------------------------------------------------------------------------------- */

/* Sums the interactions of a part, which are those of whole places. */
static uh_status sum_piece(void *context, size_t part, size_t first, size_t n) {
    struct uhi_neighbours *all = context;
    struct uhi_neighbours_shares *shares = all->shares;
    struct uhi_neighbours here = *all; /* a copy: only the members below are written */
    struct uhi_frame *frame = &shares->frame[part];
    uh_status status = UH_SUCCESS;
    const size_t end = first + n < all->interactions ? place_of(all, first + n) : all->order.count;
    here.to = place_of(all, first);
    here.last = UHI_ALL_CANDIDATES;
    here.is_sent = shares->is_sent[part];
    if (!shares->is_open[part])
        uhi_frame_open(frame, all->queue->parts[part], uhi_meanshift_variants());
    shares->is_open[part] = 1;
    if (is_left(&here, end))
        status = uhi_frame_begin(frame, all->call, all->cells.sorted.count);
    while (!status && is_left(&here, end))
        status = sum_next(&here, frame, end);
    shares->is_sent[part] = here.is_sent && !here.is_cut;
    return status;
}

static int report_progress(void *context, size_t done) {
    const struct uhi_neighbours *neighbours = context;
    return neighbours->shares->stopped = tell_progress(neighbours, done);
}

static uh_status sum_shared(struct uhi_neighbours *neighbours, int *stopped) {
    struct uhi_neighbours_shares *shares = neighbours->shares;
    const struct uhi_share share = {.call = neighbours->call,
                                    .queue = neighbours->queue,
                                    .n = (size_t)neighbours->interactions,
                                    .min_piece = UHI_MEANSHIFT_MIN_SHARE,
                                    .piece = sum_piece,
                                    .progress = neighbours->progress ? report_progress : NULL,
                                    .context = neighbours};
    memset(shares->is_sent, 0, sizeof shares->is_sent);
    shares->stopped = 0;
    const uh_status status = uhi_share_out(&share, &shares->speeds);
    *stopped = shares->stopped;
    return status;
}

uh_status uhi_neighbours_sum_found(struct uhi_neighbours *neighbours, int *stopped) {
    neighbours->is_sent = 0;
    return neighbours->shares && neighbours->interactions > 0 ? sum_shared(neighbours, stopped)
                                                              : sum_pieces(neighbours, stopped);
}
