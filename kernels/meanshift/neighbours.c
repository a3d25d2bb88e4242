/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/meanshift/neighbours.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernels/meanshift/tuning.h"
#include "runtime/status.h"

/* ---- the rule ---------------------------------------------------------------------------------------------------- */

/* Ensures that n weights, and n differences times weights, add up in 63 bits. */
static int weight_bits(size_t size, uint64_t n) {
    int log2 = 0;
    while ((uint64_t)1 << log2 < n)
        log2++;
    if (size == sizeof(float))
        return UHI_WEIGHT_BITS_F32;
    return 62 - log2 < UHI_WEIGHT_BITS_F64 ? 62 - log2 : UHI_WEIGHT_BITS_F64;
}

struct uhi_rule uhi_rule_of(const struct uhi_window *window, size_t size, uint64_t n) {
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

/* ---- creation and destruction ------------------------------------------------------------------------------------ */

/* Allocates new room for places: the old contents are not needed any more. */
static int make_places(struct uhi_neighbours *neighbours, const struct uhi_coordinates *points, size_t places) {
    uhi_order_free(&neighbours->order);
    free(neighbours->place.x);
    free(neighbours->group);
    free(neighbours->before);
    free(neighbours->sums);
    neighbours->place.x = NULL;
    neighbours->group = malloc((places + 1) * sizeof *neighbours->group);
    neighbours->before = malloc((places + 1) * sizeof *neighbours->before);
    neighbours->sums = malloc((places + 1) * (points->dims + 1) * sizeof *neighbours->sums);
    return uhi_order_make(&neighbours->order, places) &&
           uhi_coordinates_make(&neighbours->place, points->size, points->dims, places) && neighbours->group &&
           neighbours->before && neighbours->sums;
}

uh_status uhi_neighbours_reserve(struct uhi_neighbours *neighbours, const struct uhi_coordinates *points,
                                 size_t places) {
    int made = 1;
    if (points->count > neighbours->point_room || !neighbours->cells.key) {
        uhi_cells_free(&neighbours->cells);
        neighbours->point_room = points->count;
        made = uhi_cells_make(&neighbours->cells, points);
    }
    if (made && (places > neighbours->place_room || !neighbours->sums)) {
        neighbours->place_room = places;
        made = make_places(neighbours, points, places);
    }
    return made ? UH_SUCCESS
                : uhi_fail_memory(neighbours->call, "no memory to sort %zu points and %zu places", points->count,
                                  places);
}

uh_status uhi_neighbours_make(struct uhi_neighbours *neighbours, uh_queue *queue, const char *call,
                              const struct uhi_coordinates *points, size_t places) {
    neighbours->queue = queue;
    neighbours->call = call;
    uhi_frame_open(&neighbours->frame, queue, uhi_meanshift_variants());
    UHI_TRY(uhi_frame_begin(&neighbours->frame, call, 1));
    UHI_TRY(uhi_neighbours_reserve(neighbours, points, places));
    if (points->dims <= UHI_MEANSHIFT_DEVICE_DIMS)
        return uhi_neighbours_share(neighbours);
    neighbours->frame.body = UHI_BODY_HOST;
    return UH_SUCCESS;
}

void uhi_neighbours_close(struct uhi_neighbours *neighbours) {
    uhi_neighbours_shares_close(neighbours);
    uhi_frame_close(&neighbours->frame);
    uhi_cells_free(&neighbours->cells);
    uhi_order_free(&neighbours->order);
    free(neighbours->place.x);
    free(neighbours->group);
    free(neighbours->candidates);
    free(neighbours->before);
    free(neighbours->sums);
}

void uhi_neighbours_take(struct uhi_neighbours *neighbours, const struct uhi_coordinates *points) {
    const int whole = neighbours->method == UH_MEAN_SHIFT_TILES || neighbours->method == UH_MEAN_SHIFT_NAIVE;
    struct uhi_span spans[UH_MEAN_SHIFT_MAX_DIMS];
    for (size_t a = 0; a < points->dims; a++)
        spans[a] = uhi_coordinates_span(points, a);
    uhi_cells_choose(&neighbours->cells, spans, points->dims, neighbours->window.radius, whole);
    uhi_cells_sort(&neighbours->cells, points);
    neighbours->all = points->count;
}

/* Sums change if a moved point was, or is now, a neighbour. */
uh_status uhi_neighbours_take_moved(struct uhi_neighbours *neighbours, const struct uhi_coordinates *points,
                                    const uint8_t *moved) {
    struct uhi_cell_list changed = {0, malloc((2 * points->count + 1) * sizeof *changed.key)};
    if (!changed.key)
        return uhi_fail_memory(neighbours->call, "no memory for the cells of %zu points", points->count);
    uhi_cells_list(&neighbours->cells.order, moved, &changed);
    uhi_cells_sort(&neighbours->cells, points);
    uhi_cells_list(&neighbours->cells.order, moved, &changed);
    uhi_cells_order_adjacent(&neighbours->cells, &changed, &neighbours->order);
    free(changed.key);
    return UH_SUCCESS;
}

/* ---- choice of candidates ---------------------------------------------------------------------------------------- */

/* Finds each group's candidates, and the number of interactions before each place. */
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
        return uhi_fail_memory(neighbours->call, "no memory for %zu runs of candidates", groups * runs);
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

/* Returns whether cells are requested, or cost less than all pairs. */
static int cells_pay(const struct uhi_neighbours *neighbours) {
    const uint64_t runs = uhi_cells_runs(&neighbours->cells) * neighbours->order.count;
    return neighbours->method == UH_MEAN_SHIFT_CELLS ||
           (neighbours->method == UH_MEAN_SHIFT_AUTO && neighbours->cells.axes > 0 &&
            neighbours->around + UHI_MEANSHIFT_RUN_COST * runs < neighbours->pairs);
}

/* Without cells one group has all points: their order does not matter. */
static void choose_cells(struct uhi_neighbours *neighbours) {
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
        return snprintf(
            text, size,
            "cells: %zu with points, over %zu axes; %.1f candidates per point of %zu, and %zu runs of them, "
            "which cost as much as %d each",
            cells->cells, cells->axes, around, cells->sorted.count, uhi_cells_runs(cells), UHI_MEANSHIFT_RUN_COST);
    if (neighbours->method != UH_MEAN_SHIFT_AUTO)
        return snprintf(text, size, "%s: %zu candidates per point, as requested", name, cells->sorted.count);
    return snprintf(
        text, size,
        "%s: %zu candidates per point; cells over %zu axes would have %.1f, and %zu runs of them, which cost "
        "as much as %d each",
        name, cells->sorted.count, cells->axes, around, uhi_cells_runs(cells), UHI_MEANSHIFT_RUN_COST);
}

/* ---- sums -------------------------------------------------------------------------------------------------------- */

uh_status uhi_neighbours_find(struct uhi_neighbours *neighbours, const struct uhi_coordinates *places) {
    const struct uhi_cells *cells = &neighbours->cells;
    uhi_cells_order(cells, places, &neighbours->order);
    uhi_coordinates_gather(places, &neighbours->order, &neighbours->place);
    UHI_TRY(find_candidates(neighbours));
    choose_cells(neighbours);
    neighbours->summing = (struct uhi_summing){
        .rule = uhi_rule_of(&neighbours->window, cells->sorted.size, neighbours->all),
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

uh_status uhi_neighbours_sum(struct uhi_neighbours *neighbours, const struct uhi_coordinates *places, int *stopped) {
    UHI_TRY(uhi_neighbours_find(neighbours, places));
    const uint64_t begin = uhi_host_now();
    uh_status status = uhi_neighbours_sum_found(neighbours, stopped);
    neighbours->kernel_ns = uhi_host_now() - begin;
    return status;
}
