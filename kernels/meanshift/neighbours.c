/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/meanshift/neighbours.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/common/shares.h"
#include "kernels/meanshift/tuning.h"
#include "runtime/backend.h"
#include "runtime/queue.h"
#include "runtime/status.h"

/* ---- the rule ---------------------------------------------------------------------------------------------------- */

/* So that n weights, and n differences times weights, add up in 63 bits. */
static int weight_bits(size_t size, size_t n) {
    int log2 = 0;
    while ((uint64_t)1 << log2 < n)
        log2++;
    if (size == sizeof(float))
        return UHI_WEIGHT_BITS_F32;
    return 62 - log2 < UHI_WEIGHT_BITS_F64 ? 62 - log2 : UHI_WEIGHT_BITS_F64;
}

struct uhi_rule uhi_rule_of(const struct uhi_window *window, size_t size, size_t n) {
    const double log2_e = 0x1.71547652b82fep+0, scale = ldexp(1, weight_bits(size, n));
    struct uhi_rule rule = {.gaussian = window->kernel == UH_KERNEL_GAUSSIAN};
    rule.number[UHI_RULE_LIMIT] = window->radius_squared;
    rule.number[UHI_RULE_FALLING] = rule.gaussian                      ? -log2_e / (2 * window->sigma * window->sigma)
                                    : window->kernel == UH_KERNEL_FLAT ? 0
                                                                       : 1 / window->radius_squared;
    rule.number[UHI_RULE_SCALE] = scale;
    rule.number[UHI_RULE_STRETCH] = scale / window->radius;
    for (size_t i = 0; i < UHI_RULE_NUMBERS && size == sizeof(float); i++)
        rule.number[i] = (double)(float)rule.number[i];
    rule.unit = scale / rule.number[UHI_RULE_STRETCH];
    return rule;
}

/* What the parts of a combined device's queue sum with. */
struct uhi_neighbours_shares {
    struct uhi_speeds speeds;
    struct uhi_frame frame[UHI_MAX_SHARES];
    int is_open[UHI_MAX_SHARES], is_sent[UHI_MAX_SHARES];
    int stopped;       /* by the caller's progress */
    size_t begin, end; /* the places that they share */
};

/* ---- life -------------------------------------------------------------------------------------------------------- */

uh_status uhi_neighbours_make(struct uhi_neighbours *neighbours, uh_queue *queue, const char *call,
                              const struct uhi_coordinates *points, size_t places) {
    uhi_frame_open(&neighbours->frame, queue, uhi_meanshift_variants());
    neighbours->queue = queue;
    const uh_status status = uhi_frame_begin(&neighbours->frame, call, points->count);
    if (status)
        return status;
    neighbours->group = malloc(places * sizeof *neighbours->group);
    neighbours->before = malloc((places + 1) * sizeof *neighbours->before);
    neighbours->sums = malloc(places * (points->dims + 1) * sizeof *neighbours->sums);
    if (!uhi_cells_make(&neighbours->cells, points) || !uhi_order_make(&neighbours->order, places) ||
        !uhi_coordinates_make(&neighbours->place, points->size, points->dims, places) || !neighbours->group ||
        !neighbours->before || !neighbours->sums)
        return uhi_fail(UH_ERROR_OUT_OF_MEMORY, call, NULL, "no memory to sort %zu points and %zu places",
                        points->count, places);
    if (uhi_is_shared(queue) && !(neighbours->shares = calloc(1, sizeof *neighbours->shares)))
        return uhi_fail(UH_ERROR_OUT_OF_MEMORY, call, NULL, "no memory for the state of %zu devices", queue->nparts);
    return UH_SUCCESS;
}

void uhi_neighbours_close(struct uhi_neighbours *neighbours) {
    for (size_t i = 0; neighbours->shares && i < UHI_MAX_SHARES; i++)
        uhi_frame_close(&neighbours->shares->frame[i]);
    free(neighbours->shares);
    uhi_frame_close(&neighbours->frame);
    uhi_cells_free(&neighbours->cells);
    uhi_order_free(&neighbours->order);
    free(neighbours->left.key);
    free(neighbours->reached.key);
    free(neighbours->place.x);
    free(neighbours->group);
    free(neighbours->candidates);
    free(neighbours->before);
    free(neighbours->sums);
}

void uhi_neighbours_take(struct uhi_neighbours *neighbours, const struct uhi_coordinates *points) {
    const int whole = neighbours->method == UH_MEAN_SHIFT_TILES || neighbours->method == UH_MEAN_SHIFT_NAIVE;
    uhi_cells_choose(&neighbours->cells, points, neighbours->window.radius, whole);
    uhi_cells_sort(&neighbours->cells, points);
}

/* Sums change where a neighbour has been, or is now, that has moved. */
uh_status uhi_neighbours_take_moved(struct uhi_neighbours *neighbours, const struct uhi_coordinates *points,
                                    const uint8_t *moved) {
    struct uhi_cell_list *left = &neighbours->left, *reached = &neighbours->reached;
    if (!left->key)
        left->key = malloc(points->count * sizeof *left->key);
    if (!reached->key)
        reached->key = malloc(points->count * sizeof *reached->key);
    if (!left->key || !reached->key)
        return uhi_fail(UH_ERROR_OUT_OF_MEMORY, neighbours->frame.call, NULL, "no memory for the cells of %zu points",
                        points->count);
    uhi_cells_list(&neighbours->cells, moved, left);
    uhi_cells_sort(&neighbours->cells, points);
    uhi_cells_list(&neighbours->cells, moved, reached);
    uhi_cells_order_near(&neighbours->cells, left, reached, &neighbours->order);
    return UH_SUCCESS;
}

/* ---- which candidates -------------------------------------------------------------------------------------------- */

/* Finds each group's candidates, and how many interactions there are before each place. */
static uh_status find_candidates(struct uhi_neighbours *neighbours) {
    const struct uhi_order *order = &neighbours->order;
    const size_t runs = uhi_cells_runs(&neighbours->cells), groups = uhi_cells_groups(order, neighbours->group);
    if (groups * runs > neighbours->candidate_room) {
        free(neighbours->candidates);
        neighbours->candidate_room = groups * runs;
        neighbours->candidates = malloc(neighbours->candidate_room * sizeof *neighbours->candidates);
    }
    if (!neighbours->candidates) {
        neighbours->candidate_room = 0;
        return uhi_fail(UH_ERROR_OUT_OF_MEMORY, neighbours->frame.call, NULL, "no memory for %zu runs of candidates",
                        groups * runs);
    }
    uhi_cells_candidates(&neighbours->cells, order, neighbours->group, neighbours->candidates);
    uint64_t sum = 0, each = 0;
    for (size_t i = 0; i < order->count; i++) {
        const struct uhi_candidates *run = neighbours->candidates + neighbours->group[i] * runs;
        if (i == 0 || neighbours->group[i] != neighbours->group[i - 1])
            for (size_t r = each = 0; r < runs; r++)
                each += run[r].to - run[r].from;
        neighbours->before[i] = sum;
        sum += each;
    }
    neighbours->before[order->count] = sum;
    neighbours->around = sum;
    neighbours->pairs = (uint64_t)order->count * neighbours->cells.sorted.count;
    return UH_SUCCESS;
}

/* Cells where they are asked for, or cost less than all pairs. */
static int cells_pay(const struct uhi_neighbours *neighbours) {
    const uint64_t runs = uhi_cells_runs(&neighbours->cells) * neighbours->order.count;
    return neighbours->method == UH_MEAN_SHIFT_CELLS ||
           (neighbours->method == UH_MEAN_SHIFT_AUTO && neighbours->cells.axes > 0 &&
            neighbours->around + UHI_MEANSHIFT_RUN_COST * runs < neighbours->pairs);
}

/* One group with all points: their order does not matter. */
static void choose(struct uhi_neighbours *neighbours) {
    if (cells_pay(neighbours)) {
        neighbours->chosen = UH_MEAN_SHIFT_CELLS;
        neighbours->interactions = neighbours->around;
        return;
    }
    neighbours->chosen = neighbours->method == UH_MEAN_SHIFT_NAIVE ? UH_MEAN_SHIFT_NAIVE : UH_MEAN_SHIFT_TILES;
    neighbours->interactions = neighbours->pairs;
    neighbours->candidates[0] = (struct uhi_candidates){0, (uint32_t)neighbours->cells.sorted.count};
    for (size_t i = 0; i <= neighbours->order.count; i++)
        neighbours->before[i] = (uint64_t)i * neighbours->cells.sorted.count;
}

int uhi_neighbours_text(const struct uhi_neighbours *neighbours, char *text, size_t size) {
    const struct uhi_cells *cells = &neighbours->cells;
    const size_t places = neighbours->summing.places;
    const double around = (double)neighbours->around / (double)places;
    const char *name = neighbours->chosen == UH_MEAN_SHIFT_NAIVE ? "naive" : "tiles";
    if (neighbours->chosen == UH_MEAN_SHIFT_CELLS)
        return snprintf(text, size,
                        "cells: %zu with points, over %zu axes; %.1f candidates a point of %zu, and %zu runs of them, "
                        "which cost as much as %d each",
                        cells->cells, cells->axes, around, cells->sorted.count, uhi_cells_runs(cells),
                        UHI_MEANSHIFT_RUN_COST);
    if (neighbours->method != UH_MEAN_SHIFT_AUTO)
        return snprintf(text, size, "%s: %zu candidates a point, as asked for", name, cells->sorted.count);
    return snprintf(text, size,
                    "%s: %zu candidates a point; cells over %zu axes would have %.1f, and %zu runs of them, which cost "
                    "as much as %d each",
                    name, cells->sorted.count, cells->axes, around, uhi_cells_runs(cells), UHI_MEANSHIFT_RUN_COST);
}

/* ---- sums -------------------------------------------------------------------------------------------------------- */

size_t uhi_neighbours_place(const struct uhi_neighbours *neighbours, uint64_t interactions) {
    size_t first = 0, last = neighbours->order.count;
    while (first < last) {
        const size_t middle = first + (last - first) / 2;
        if (neighbours->before[middle] < interactions)
            first = middle + 1;
        else
            last = middle;
    }
    return first;
}

static void sum_part(const void *context, size_t part, size_t parts) {
    const struct uhi_neighbours *neighbours = context;
    const struct uhi_summing *s = &neighbours->summing;
    const uint64_t first = neighbours->before[neighbours->from], all = neighbours->before[neighbours->to] - first;
    const size_t from = uhi_neighbours_place(neighbours, first + all / parts * part),
                 to = part + 1 < parts ? uhi_neighbours_place(neighbours, first + all / parts * (part + 1))
                                       : neighbours->to;
    if (neighbours->place.size == sizeof(float))
        uhi_meanshift_host()->sum_f32(s, from, to);
    else
        uhi_meanshift_host()->sum_f64(s, from, to);
}

static uh_status sum_on_host(struct uhi_frame *frame, void *context) {
    struct uhi_neighbours *neighbours = context;
    const size_t places = neighbours->to - neighbours->from;
    const uint64_t worth = neighbours->interactions / UHI_MEANSHIFT_THREAD;
    const size_t threads = uhi_host_threads(frame->queue), most = threads == 1 ? 1 : threads * UHI_MEANSHIFT_PARTS;
    size_t parts = worth < most ? (size_t)worth : most;
    parts = parts < places ? parts : places;
    uhi_host_parallel(frame->queue, "mean shift: sums", sum_part, neighbours, parts ? parts : 1);
    return UH_SUCCESS;
}

static const struct uhi_stage sum = {"mean shift: sums", sum_on_host, uhi_meanshift_sum_on_device};

/* Interactions of the next launch, at most. */
static uint64_t most_of(const struct uhi_neighbours *neighbours, const struct uhi_frame *frame) {
    enum { CLOCKS = 16, CLOCKS_AN_AXIS = 8 }; /* that an interaction takes a lane, at most */
    static const struct uhi_pace unknown;
    const uh_device_properties *device = &frame->queue->device->properties;
    const uint64_t lanes = uhi_pace_lanes(device), places = neighbours->order.count, group = uhi_group_size(device);
    /* In tiles all work-items of a group are at work, also those without a place. */
    const uint64_t items = neighbours->chosen == UH_MEAN_SHIFT_TILES ? (places + group - 1) / group * group : places;
    const double clocks = (double)(CLOCKS + CLOCKS_AN_AXIS * neighbours->summing.dims);
    return uhi_pace_most(frame->engine ? uhi_pace_of(&frame->engine->paces, &sum) : &unknown,
                         clocks * uhi_pace_clock_ns(device) * (double)items / (double)places /
                             (double)(lanes < items ? lanes : items));
}

/* Those of so many places that it is worth a piece of a device: a work-item has a place, and few leave most of them
 * idle, so that fewer than it has lanes, or a group has work-items, take as long. */
static uint64_t least_of(const struct uhi_neighbours *neighbours, const struct uhi_frame *frame) {
    const uh_device_properties *device = &frame->queue->device->properties;
    const uint64_t lanes = uhi_pace_lanes(device), items = uhi_group_size(device), places = neighbours->order.count;
    const uint64_t together = lanes > items ? lanes : items;
    return (neighbours->interactions / places + 1) * (together < places ? together : places);
}

/* Interactions of the places at work with their candidates before number `last`. */
static uint64_t count_until(const struct uhi_neighbours *neighbours, uint32_t last) {
    const uint64_t *before = neighbours->before;
    uint64_t count = 0;
    if (last == UHI_ALL_CANDIDATES)
        return before[neighbours->to] - before[neighbours->from];
    for (size_t i = neighbours->from; i < neighbours->to && last > 0; i++)
        count += before[i + 1] - before[i] < last ? before[i + 1] - before[i] : last;
    return count;
}

/* Whether there is more to sum of places before `end`. */
static int is_left(const struct uhi_neighbours *neighbours, size_t end) {
    return neighbours->to < end || neighbours->last != UHI_ALL_CANDIDATES;
}

/* The end of the candidates from number `first` on that a launch of at most so many interactions takes. */
static uint32_t last_of(const struct uhi_neighbours *neighbours, uint64_t most) {
    const uint64_t each = most / (neighbours->to - neighbours->from), least = UHI_MEANSHIFT_LEAST_CANDIDATES,
                   last = neighbours->first + (each > least ? each : least);
    const uint64_t all = count_until(neighbours, UHI_ALL_CANDIDATES);
    if (all - count_until(neighbours, neighbours->first) <= most || last >= neighbours->cells.sorted.count)
        return UHI_ALL_CANDIDATES;
    return count_until(neighbours, (uint32_t)last) < all ? (uint32_t)last : UHI_ALL_CANDIDATES;
}

/* What comes next before place `end`: further candidates of the same places, where they have too many for one launch;
 * or the places from number `to` on, as many as a piece has. */
static void take_next(struct uhi_neighbours *neighbours, const struct uhi_frame *frame, size_t end) {
    const int on_host = frame->body == UHI_BODY_HOST;
    const uint64_t most = on_host ? UHI_MEANSHIFT_HOST_PIECE : most_of(neighbours, frame);
    neighbours->first = neighbours->last;
    if (neighbours->last == UHI_ALL_CANDIDATES) {
        const size_t from = neighbours->from = neighbours->to;
        const uint64_t least = on_host ? 0 : least_of(neighbours, frame);
        const size_t to = uhi_neighbours_place(neighbours, neighbours->before[from] + (most > least ? most : least));
        neighbours->to = to > end ? end : to > from ? to : from + 1;
        neighbours->first = 0;
    }
    neighbours->last = on_host ? UHI_ALL_CANDIDATES : last_of(neighbours, most);
}

static uh_status sum_next(struct uhi_neighbours *neighbours, struct uhi_frame *frame, size_t end) {
    take_next(neighbours, frame, end);
    const uint64_t begin = uhi_host_now();
    uh_status status = uhi_queue_check_cancelled(frame->queue, frame->call);
    if (!status)
        status = uhi_frame_run(frame, &sum, neighbours);
    if (!status && frame->engine)
        uhi_pace_note(uhi_pace_of(&frame->engine->paces, &sum),
                      count_until(neighbours, neighbours->last) - count_until(neighbours, neighbours->first),
                      uhi_host_now() - begin);
    return status;
}

/* In pieces, between which `progress` is told. */
static uh_status sum_pieces(struct uhi_neighbours *neighbours, size_t begin, size_t end, int *stopped) {
    uh_status status = UH_SUCCESS;
    neighbours->to = begin;
    neighbours->last = UHI_ALL_CANDIDATES;
    while (!status && !*stopped && is_left(neighbours, end)) {
        status = sum_next(neighbours, &neighbours->frame, end);
        if (!status && is_left(neighbours, end) && neighbours->progress)
            *stopped =
                neighbours->progress(neighbours->before[neighbours->from] + count_until(neighbours, neighbours->last),
                                     neighbours->interactions, neighbours->progress_context) != 0;
    }
    return status;
}

/* Interactions of a part, which are those of whole places. */
static uh_status sum_piece(void *context, size_t part, size_t first, size_t n) {
    struct uhi_neighbours *all = context;
    struct uhi_neighbours_shares *shares = all->shares;
    struct uhi_neighbours here = *all; /* of which all but these are read */
    struct uhi_frame *frame = &shares->frame[part];
    uh_status status = UH_SUCCESS;
    const uint64_t base = all->before[shares->begin], most = all->before[shares->end];
    const size_t end = base + first + n < most ? uhi_neighbours_place(all, base + first + n) : shares->end;
    here.to = uhi_neighbours_place(all, base + first);
    here.last = UHI_ALL_CANDIDATES;
    here.is_sent = shares->is_sent[part];
    if (!shares->is_open[part])
        uhi_frame_open(frame, all->queue->parts[part], uhi_meanshift_variants());
    shares->is_open[part] = 1;
    if (is_left(&here, end))
        status = uhi_frame_begin(frame, all->frame.call, all->cells.sorted.count);
    while (!status && is_left(&here, end))
        status = sum_next(&here, frame, end);
    shares->is_sent[part] = here.is_sent && !here.is_cut;
    return status;
}

static int tell(void *context, size_t done) {
    const struct uhi_neighbours *neighbours = context;
    struct uhi_neighbours_shares *shares = neighbours->shares;
    shares->stopped = neighbours->progress(done, neighbours->interactions, neighbours->progress_context) != 0;
    return shares->stopped;
}

static uh_status sum_shared(struct uhi_neighbours *neighbours, size_t begin, size_t end, int *stopped) {
    struct uhi_neighbours_shares *shares = neighbours->shares;
    const struct uhi_share share = {.call = neighbours->frame.call,
                                    .queue = neighbours->queue,
                                    .n = (size_t)(neighbours->before[end] - neighbours->before[begin]),
                                    .least = UHI_MEANSHIFT_LEAST_SHARE,
                                    .piece = sum_piece,
                                    .progress = neighbours->progress ? tell : NULL,
                                    .context = neighbours};
    memset(shares->is_sent, 0, sizeof shares->is_sent);
    shares->stopped = 0;
    shares->begin = begin;
    shares->end = end;
    const uh_status status = uhi_share_out(&share, &shares->speeds);
    *stopped = shares->stopped;
    return status;
}

uh_status uhi_neighbours_sum_places(struct uhi_neighbours *neighbours, size_t from, size_t to, int *stopped) {
    neighbours->is_sent = 0;
    return neighbours->shares && neighbours->before[to] > neighbours->before[from]
               ? sum_shared(neighbours, from, to, stopped)
               : sum_pieces(neighbours, from, to, stopped);
}

uh_status uhi_neighbours_find(struct uhi_neighbours *neighbours, const struct uhi_coordinates *places) {
    const struct uhi_cells *cells = &neighbours->cells;
    uhi_cells_order(cells, places, &neighbours->order);
    uhi_coordinates_gather(places, &neighbours->order, &neighbours->place);
    const uh_status status = find_candidates(neighbours);
    if (status)
        return status;
    choose(neighbours);
    neighbours->summing = (struct uhi_summing){
        .rule = uhi_rule_of(&neighbours->window, cells->sorted.size, cells->sorted.count),
        .dims = cells->sorted.dims,
        .runs = neighbours->chosen == UH_MEAN_SHIFT_CELLS ? uhi_cells_runs(cells) : 1,
        .points = cells->sorted.count,
        .places = neighbours->order.count,
        .point_stride = cells->sorted.stride,
        .place_stride = neighbours->place.stride,
        .point = cells->sorted.x,
        .place = neighbours->place.x,
        .group = neighbours->chosen == UH_MEAN_SHIFT_CELLS ? neighbours->group : NULL,
        .candidates = neighbours->candidates,
        .sums = neighbours->sums,
    };
    return UH_SUCCESS;
}
