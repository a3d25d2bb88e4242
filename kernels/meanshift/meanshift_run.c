/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/meanshift/meanshift_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/common/shares.h"
#include "runtime/status.h"

enum { MOST_PARTS = 256 };

/* Points on their way. */
struct moving {
    const uh_mean_shift_options *options;
    struct uhi_neighbours neighbours;
    struct uhi_coordinates at; /* where they are now: they move when all sums are there */
    uint8_t *moved;            /* by the last iteration */
    size_t active;
    uh_clusters_properties *known;
};

/* ---- an iteration ------------------------------------------------------------------------------------------------ */

/* Moves one point by the mean difference; returns how far. Without weight it stays. */
static double move(const struct moving *moving, size_t row) {
    const struct uhi_neighbours *neighbours = &moving->neighbours;
    const struct uhi_coordinates *at = &moving->at;
    const int64_t *sums = neighbours->sums + row * (at->dims + 1);
    const size_t id = neighbours->order.id[row];
    double squared = 0;
    for (size_t a = 0; a < at->dims && sums[0] > 0; a++) {
        const double x = uhi_coordinate(at, a, id);
        const double to = x + (double)sums[a + 1] / (double)sums[0] * neighbours->summing.rule.unit;
        uhi_coordinate_set(at, a, id, to);
        const double by = uhi_coordinate(at, a, id) - x;
        squared += by * by;
    }
    return sqrt(squared);
}

/* What threads move. */
struct step {
    const struct moving *moving;
    double least;    /* what moves more has not ended */
    double *largest; /* of each part: how far one has moved, at most */
};

static void move_part(const void *context, size_t part, size_t parts) {
    const struct step *step = context;
    const struct uhi_order *order = &step->moving->neighbours.order;
    const size_t to = uhi_part_start(order->count, parts, part + 1);
    double largest = 0;
    for (size_t i = uhi_part_start(order->count, parts, part); i < to; i++) {
        const double by = move(step->moving, i);
        step->moving->moved[order->id[i]] = by > step->least;
        largest = fmax(largest, by);
    }
    step->largest[part] = largest;
}

/* Moves all that have been summed; returns how far one has moved at most. */
static double move_all(struct moving *moving, double least) {
    enum { EACH = 1 << 13 };
    const uh_queue *queue = moving->neighbours.frame.queue;
    const size_t threads = uhi_parts_for(queue, moving->neighbours.order.count, EACH),
                 parts = threads < MOST_PARTS ? threads : MOST_PARTS;
    double largest_of[MOST_PARTS], largest = 0;
    const struct step step = {moving, least, largest_of};
    uhi_host_parallel(queue, "mean shift: moves", move_part, &step, parts);
    for (size_t part = 0; part < parts; part++)
        largest = fmax(largest, largest_of[part]);
    return largest;
}

/* By modes, points that have not ended climb on; where nothing else moves, one that does not move has ended, too. */
static void climb(struct moving *moving, uh_mean_shift_iteration *iteration) {
    struct uhi_order *order = &moving->neighbours.order;
    const size_t count = order->count;
    iteration->largest = move_all(moving, fmax(moving->options->eps, 0));
    order->count = 0;
    for (size_t i = 0; i < count; i++)
        if (moving->moved[order->id[i]])
            order->id[order->count++] = order->id[i];
    moving->active = order->count;
}

/* By blurring, a point goes on as long as something around it has moved, and all end together. */
static uh_status blur(struct moving *moving, uh_mean_shift_iteration *iteration) {
    struct uhi_neighbours *neighbours = &moving->neighbours;
    memset(moving->moved, 0, moving->at.count * sizeof *moving->moved);
    iteration->largest = move_all(moving, 0);
    moving->active = 0;
    if (iteration->largest <= fmax(moving->options->eps, 0))
        return UH_SUCCESS;
    const uh_status status = uhi_neighbours_take_moved(neighbours, &moving->at, moving->moved);
    moving->active = neighbours->order.count;
    return status;
}

/* One iteration; where it is stopped before it is whole, nothing has moved. */
static uh_status iterate(struct moving *moving, size_t number, int *stopped) {
    struct uhi_neighbours *neighbours = &moving->neighbours;
    const uint64_t begin = uhi_host_now();
    uh_mean_shift_iteration iteration = {
        .struct_size = sizeof iteration, .number = number, .moved = neighbours->order.count};
    uh_status status = uhi_neighbours_sum(neighbours, &moving->at, stopped);
    if (status || *stopped)
        return status;
    if (moving->options->algorithm == UH_MEAN_SHIFT_BLURRING)
        status = blur(moving, &iteration);
    else
        climb(moving, &iteration);
    iteration.moving = moving->active;
    iteration.interactions = neighbours->interactions;
    iteration.kernel_ns = neighbours->kernel_ns;
    iteration.total_ns = uhi_host_now() - begin;
    moving->known->iterations++;
    moving->known->interactions += iteration.interactions;
    moving->known->kernel_ns += iteration.kernel_ns;
    moving->known->method = neighbours->chosen;
    if (!status && moving->options->report)
        *stopped = moving->options->report(&iteration, moving->options->report_context) != 0;
    return uhi_neighbours_agree_to_stop(neighbours, status, stopped);
}

static uh_status iterate_all(struct moving *moving) {
    uh_status status = UH_SUCCESS;
    int stopped = 0;
    for (size_t i = 0; i < moving->options->iterations && moving->active > 0 && !stopped && !status; i++)
        status = iterate(moving, i, &stopped);
    moving->known->end = stopped              ? UH_MEAN_SHIFT_STOPPED
                         : moving->active > 0 ? UH_MEAN_SHIFT_ITERATIONS
                                              : UH_MEAN_SHIFT_CONVERGED;
    return status;
}

/* ---- clusters ---------------------------------------------------------------------------------------------------- */

/* How many points are within the radius of each moved one. */
static uh_status count_neighbours(struct moving *moving, uint64_t **counts) {
    struct uhi_neighbours *neighbours = &moving->neighbours;
    struct uhi_order *order = &neighbours->order;
    int stopped = 0;
    order->count = moving->at.count;
    for (size_t i = 0; i < order->count; i++)
        order->id[i] = (uint32_t)i;
    neighbours->window.kernel = UH_KERNEL_FLAT;
    neighbours->progress = NULL;
    if (moving->options->algorithm == UH_MEAN_SHIFT_BLURRING)
        uhi_neighbours_take(neighbours, &moving->at);
    const uh_status status = uhi_neighbours_sum(neighbours, &moving->at, &stopped);
    if (status)
        return status;
    *counts = malloc(order->count * sizeof **counts);
    for (size_t i = 0; *counts && i < order->count; i++)
        (*counts)[order->id[i]] = (uint64_t)neighbours->sums[i * (moving->at.dims + 1)];
    return *counts ? UH_SUCCESS
                   : uhi_fail(UH_ERROR_OUT_OF_MEMORY, neighbours->frame.call, NULL,
                              "no memory for the neighbours of %zu points", order->count);
}

/* The rows that callers are lent. */
static uh_status keep_shifted(const struct moving *moving, struct uh_clusters *clusters) {
    const struct uhi_coordinates *at = &moving->at;
    clusters->shifted = malloc(at->count * at->dims * at->size);
    if (!clusters->shifted)
        return uhi_fail(UH_ERROR_OUT_OF_MEMORY, moving->neighbours.frame.call, NULL, "no memory for %zu moved points",
                        at->count);
    for (size_t i = 0; i < at->count; i++)
        for (size_t a = 0; a < at->dims; a++)
            memcpy((char *)clusters->shifted + (i * at->dims + a) * at->size,
                   (const char *)at->x + (a * at->stride + i) * at->size, at->size);
    return UH_SUCCESS;
}

static uh_status reduce(struct moving *moving, const struct uhi_coordinates *points, double delta_squared,
                        struct uh_clusters *clusters) {
    const uh_mean_shift_options *options = moving->options;
    uint64_t *counts = NULL;
    uh_status status = UH_SUCCESS;
    if (options->reduction == UH_MEAN_SHIFT_DENSEST)
        status = count_neighbours(moving, &counts);
    const struct uhi_reducing reducing = {.queue = moving->neighbours.frame.queue,
                                          .call = moving->neighbours.frame.call,
                                          .reduction = options->reduction,
                                          .squared = delta_squared,
                                          .points = points,
                                          .moved = &moving->at,
                                          .seeded = options->seed_bins > 0,
                                          .neighbours = counts};
    if (!status)
        status = uhi_clusters_reduce(&reducing, clusters);
    free(counts);
    return status;
}

void uhi_clusters_free(struct uh_clusters *clusters) {
    if (!clusters)
        return;
    free(clusters->centroids);
    free(clusters->counts);
    free(clusters->labels);
    free(clusters->shifted);
    free(clusters);
}

/* ---- the call ---------------------------------------------------------------------------------------------------- */

static uh_status make_moving(struct moving *moving, uh_queue *queue, const char *call,
                             const struct uhi_coordinates *points) {
    const uh_mean_shift_options *options = moving->options;
    struct uhi_neighbours *neighbours = &moving->neighbours;
    struct uhi_coordinates first = *points;
    uh_status status = UH_SUCCESS;
    if (options->seed_bins > 0)
        status = uhi_mean_shift_seeds(call, points, options->seed_bins, options->seed_points, &first);
    if (!status && first.count == 0)
        status = uhi_fail(UH_ERROR_INVALID_ARGUMENT, call, "options->seed_points",
                          "is %zu, expected no more points than some bin of seeds has", options->seed_points);
    if (!status && (!uhi_coordinates_make(&moving->at, points->size, points->dims, first.count) ||
                    !(moving->moved = calloc(first.count, sizeof *moving->moved))))
        status = uhi_fail(UH_ERROR_OUT_OF_MEMORY, call, NULL, "no memory to move %zu points", first.count);
    for (size_t a = 0; a < points->dims && !status; a++)
        memcpy((char *)moving->at.x + a * moving->at.stride * points->size,
               (char *)first.x + a * first.stride * points->size, first.count * points->size);
    if (options->seed_bins > 0)
        free(first.x);
    if (!status)
        status = uhi_neighbours_make(neighbours, queue, call, points, first.count);
    if (status)
        return status;
    for (size_t i = 0; i < first.count; i++)
        neighbours->order.id[i] = (uint32_t)i;
    moving->active = first.count;
    uhi_neighbours_take(neighbours, points);
    return UH_SUCCESS;
}

/* Of processes that move points together: whether they move the same. */
static uh_status compare(struct moving *moving, const struct uhi_coordinates *points, double delta_squared) {
    const uh_mean_shift_options *o = moving->options;
    const double numbers[] = {o->eps, o->seed_bins, delta_squared};
    const uint64_t words[] = {(uint64_t)o->algorithm, (uint64_t)o->reduction, o->iterations, o->seed_points};
    char bytes[sizeof numbers + sizeof words];
    memcpy(bytes, numbers, sizeof numbers);
    memcpy(bytes + sizeof numbers, words, sizeof words);
    return uhi_neighbours_compare(&moving->neighbours, points, bytes, sizeof bytes);
}

static void tell_plan(const struct uhi_neighbours *neighbours, const uh_queue *queue, struct uh_clusters *clusters) {
    const size_t size = sizeof clusters->plan;
    const int written = uhi_neighbours_text(neighbours, clusters->plan, size);
    if (written > 0 && (size_t)written < size)
        (void)uhi_share_text(queue, clusters->plan + written, size - (size_t)written);
}

uh_status uhi_mean_shift(uh_queue *queue, const char *call, const struct uhi_coordinates *points,
                         const struct uhi_window *window, const uh_mean_shift_options *options,
                         const uh_exchange *exchange, double delta_squared, struct uh_clusters *clusters) {
    const uint64_t begin = uhi_host_now();
    struct moving moving = {.options = options, .known = &clusters->properties};
    moving.neighbours.window = *window;
    moving.neighbours.method = options->method;
    moving.neighbours.progress = options->progress;
    moving.neighbours.progress_context = options->progress_context;
    moving.neighbours.exchange = exchange;
    moving.neighbours.call = call;
    uh_status status = uhi_neighbours_agree(&moving.neighbours, make_moving(&moving, queue, call, points));
    if (!status)
        status = compare(&moving, points, delta_squared);
    if (!status)
        status = iterate_all(&moving);
    if (!status && clusters->properties.iterations > 0)
        tell_plan(&moving.neighbours, queue, clusters);
    if (!status)
        status = reduce(&moving, points, delta_squared, clusters);
    if (!status)
        status = keep_shifted(&moving, clusters);
    status = uhi_neighbours_agree(&moving.neighbours, status);
    clusters->properties.moved = moving.at.count;
    clusters->properties.total_ns = uhi_host_now() - begin;
    uhi_neighbours_close(&moving.neighbours);
    free(moving.at.x);
    free(moving.moved);
    return status;
}
