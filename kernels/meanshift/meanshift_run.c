/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/meanshift/meanshift_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/common/keys.h"
#include "kernels/common/shares.h"
#include "runtime/status.h"

enum { MAX_PARTS = 256 };

/* State of moving points. */
struct moving {
    uh_queue *queue;
    const uh_mean_shift_options *options;
    struct uhi_collective collective; /* the processes, each with its own points */
    struct uhi_neighbours_of_all neighbours;
    struct uhi_coordinates at; /* current coordinates; points move after all sums are done */
    uint8_t *moved;            /* by the last iteration */
    uint64_t *densities;       /* the weight around the place of each point's last move */
    uint64_t active;           /* of all processes */
    uh_clusters_properties *known;
};

/* ---- an iteration ------------------------------------------------------------------------------------------------ */

/* Moves one point by the mean difference; returns the distance. Without weight it stays. */
static double move_point(const struct moving *moving, size_t row, double unit) {
    const struct uhi_coordinates *at = &moving->at;
    const int64_t *sums = moving->neighbours.sums + row * (at->dims + 1);
    const size_t id = moving->neighbours.order->id[row];
    double squared = 0;
    moving->densities[id] = (uint64_t)sums[0];
    for (size_t a = 0; a < at->dims && sums[0] > 0; a++) {
        const double x = uhi_coordinate(at, a, id);
        const double to = x + (double)sums[a + 1] / (double)sums[0] * unit;
        uhi_coordinate_set(at, a, id, to);
        const double by = uhi_coordinate(at, a, id) - x;
        squared += by * by;
    }
    return sqrt(squared);
}

/* Input of threads that move points. */
struct step {
    const struct moving *moving;
    double unit;     /* of mean differences */
    double minimum;  /* points that move more have not ended */
    double *largest; /* per part: the largest distance moved */
};

static void move_part(const void *context, size_t part, size_t parts) {
    const struct step *step = context;
    const struct uhi_order *order = step->moving->neighbours.order;
    const size_t to = uhi_part_start(order->count, parts, part + 1);
    double largest = 0;
    for (size_t i = uhi_part_start(order->count, parts, part); i < to; i++) {
        const double by = move_point(step->moving, i, step->unit);
        step->moving->moved[order->id[i]] = by > step->minimum;
        largest = fmax(largest, by);
    }
    step->largest[part] = largest;
}

/* Moves all points that have been summed; stores the largest distance moved. */
static uh_status move_all(struct moving *moving, double minimum, double *furthest) {
    enum { EACH = 1 << 13 };
    const uh_queue *queue = moving->queue;
    const size_t threads = uhi_parts_for(queue, moving->neighbours.order->count, EACH),
                 parts = threads < MAX_PARTS ? threads : MAX_PARTS;
    double largest_of[MAX_PARTS], largest = 0;
    const struct step step = {moving, uhi_of_all_unit(&moving->neighbours, moving->at.size), minimum, largest_of};
    uhi_host_parallel(queue, "mean shift: moves", move_part, &step, parts);
    for (size_t part = 0; part < parts; part++)
        largest = fmax(largest, largest_of[part]);
    uint64_t key = uhi_key_of_f64(largest);
    const uh_status status = uhi_collective_maximum(&moving->collective, &key, 1);
    *furthest = uhi_f64_of_key(key);
    return status;
}

/* Counts the points of all processes for the next iteration. */
static uh_status count_active(struct moving *moving) {
    moving->active = moving->neighbours.order->count;
    return uhi_collective_add(&moving->collective, &moving->active, 1);
}

/* With modes, points that have not ended continue; as nothing else moves, one that does not move has ended, too. */
static uh_status climb(struct moving *moving, uh_mean_shift_iteration *iteration) {
    struct uhi_order *order = moving->neighbours.order;
    const size_t count = order->count;
    const uh_status status = move_all(moving, fmax(moving->options->eps, 0), &iteration->largest);
    order->count = 0;
    for (size_t i = 0; i < count; i++)
        if (moving->moved[order->id[i]])
            order->id[order->count++] = order->id[i];
    return status ? status : count_active(moving);
}

/* With blurring, a point continues as long as something around it has moved, and all end together. */
static uh_status blur(struct moving *moving, uh_mean_shift_iteration *iteration) {
    struct uhi_neighbours_of_all *neighbours = &moving->neighbours;
    memset(moving->moved, 0, moving->at.count * sizeof *moving->moved);
    uh_status status = move_all(moving, 0, &iteration->largest);
    moving->active = 0;
    if (status || iteration->largest <= fmax(moving->options->eps, 0))
        return status;
    status = uhi_of_all_take_moved(neighbours, &moving->at, moving->moved);
    return status ? status : count_active(moving);
}

/* Runs one iteration; if it is stopped before it is complete, nothing has moved. */
static uh_status iterate(struct moving *moving, size_t number, int *stopped) {
    struct uhi_neighbours_of_all *neighbours = &moving->neighbours;
    const uint64_t begin = uhi_host_now();
    uh_mean_shift_iteration iteration = {
        .struct_size = sizeof iteration, .number = number, .moved = (size_t)moving->active};
    uh_status status = uhi_of_all_sum(neighbours, &moving->at, stopped);
    if (status || *stopped)
        return status;
    status = (moving->options->algorithm == UH_MEAN_SHIFT_BLURRING ? blur : climb)(moving, &iteration);
    iteration.moving = (size_t)moving->active;
    iteration.interactions = neighbours->interactions;
    iteration.kernel_ns = neighbours->kernel_ns;
    iteration.total_ns = uhi_host_now() - begin;
    moving->known->iterations++;
    moving->known->interactions += iteration.interactions;
    moving->known->kernel_ns += iteration.kernel_ns;
    moving->known->method = neighbours->chosen;
    if (!status && moving->options->report)
        *stopped = moving->options->report(&iteration, moving->options->report_context) != 0;
    return uhi_collective_agree_to_stop(&moving->collective, status, stopped);
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

/* Sums the densities of points that have not been moved. */
static uh_status sum_densities(struct moving *moving) {
    struct uhi_neighbours_of_all *neighbours = &moving->neighbours;
    const struct uhi_order *order = neighbours->order;
    int stopped = 0;
    neighbours->here.progress = NULL;
    UHI_TRY(uhi_of_all_sum(neighbours, &moving->at, &stopped));
    for (size_t i = 0; i < order->count; i++)
        moving->densities[order->id[i]] = (uint64_t)neighbours->sums[i * (moving->at.dims + 1)];
    return UH_SUCCESS;
}

/* Makes the rows of moved points that callers can read. */
static uh_status keep_shifted(const struct moving *moving, struct uh_clusters *clusters) {
    const struct uhi_coordinates *at = &moving->at;
    clusters->shifted = malloc((at->count + 1) * at->dims * at->size);
    if (!clusters->shifted)
        return uhi_fail_memory(moving->collective.call, "no memory for %zu moved points", at->count);
    for (size_t i = 0; i < at->count; i++)
        for (size_t a = 0; a < at->dims; a++)
            memcpy((char *)clusters->shifted + (i * at->dims + a) * at->size,
                   (const char *)at->x + (a * at->stride + i) * at->size, at->size);
    return UH_SUCCESS;
}

static int is_seeded(const uh_mean_shift_options *options) { return options->seed_bins > 0 || options->seeds; }

static uh_status reduce(struct moving *moving, const struct uhi_coordinates *points, double delta_squared,
                        struct uh_clusters *clusters) {
    const uh_mean_shift_options *options = moving->options;
    if (options->reduction == UH_MEAN_SHIFT_DENSEST && moving->known->iterations == 0)
        UHI_TRY(uhi_collective_agree(&moving->collective, sum_densities(moving)));
    const struct uhi_reducing reducing = {.queue = moving->queue,
                                          .collective = &moving->collective,
                                          .reduction = options->reduction,
                                          .squared = delta_squared,
                                          .points = points,
                                          .moved = &moving->at,
                                          .seeded = is_seeded(options),
                                          .densities = moving->densities};
    return uhi_clusters_reduce(&reducing, clusters);
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

/* Makes room for the moving points: own points, or a part of the seeds of all. */
static uh_status make_moving(struct moving *moving, const struct uhi_coordinates *first, size_t from, size_t count) {
    if (!uhi_coordinates_make(&moving->at, first->size, first->dims, count) ||
        !(moving->moved = calloc(count + 1, sizeof *moving->moved)) ||
        !(moving->densities = calloc(count + 1, sizeof *moving->densities)))
        return uhi_fail_memory(moving->collective.call, "no memory to move %zu points", count);
    for (size_t a = 0; a < first->dims; a++)
        memcpy((char *)moving->at.x + a * moving->at.stride * first->size,
               (const char *)first->x + (a * first->stride + from) * first->size, count * first->size);
    return UH_SUCCESS;
}

static uh_status make_seeds(struct moving *moving, const struct uhi_coordinates *points) {
    const uh_mean_shift_options *options = moving->options;
    const size_t rank = uhi_collective_rank(&moving->collective), ranks = uhi_collective_ranks(&moving->collective);
    struct uhi_coordinates seeds = {.count = 0};
    uh_status status =
        uhi_mean_shift_seeds(&moving->collective, points, options->seed_bins, options->seed_points, &seeds);
    if (!status && seeds.count == 0)
        status = uhi_collective_fail(&moving->collective,
                                     uhi_fail_argument(moving->collective.call, "options->seed_points",
                                                       "is %zu, expected no more points than some bin of seeds has",
                                                       options->seed_points));
    const size_t from = uhi_part_start(seeds.count, ranks, rank), to = uhi_part_start(seeds.count, ranks, rank + 1);
    if (!status)
        status = make_moving(moving, &seeds, from, to - from);
    free(seeds.x);
    return status;
}

static uh_status start_points(struct moving *moving, const struct uhi_coordinates *points,
                              const struct uhi_coordinates *seeds) {
    struct uhi_neighbours_of_all *neighbours = &moving->neighbours;
    const struct uhi_coordinates *first = moving->options->seeds ? seeds : points;
    uh_status status =
        moving->options->seed_bins > 0 ? make_seeds(moving, points) : make_moving(moving, first, 0, first->count);
    neighbours->are_points = !is_seeded(moving->options);
    if (!status)
        status = uhi_of_all_make(neighbours, &moving->collective, moving->queue, points, moving->at.count);
    UHI_TRY(uhi_collective_agree(&moving->collective, status));
    uhi_order_all(neighbours->order, moving->at.count);
    UHI_TRY(uhi_of_all_take(neighbours, points));
    return count_active(moving);
}

/* With several processes: checks that all do the same, and that there are points. */
static uh_status compare(struct moving *moving, const struct uhi_coordinates *points, double delta_squared) {
    const uh_mean_shift_options *o = moving->options;
    const struct uhi_window *window = &moving->neighbours.here.window;
    const double numbers[] = {o->eps,         o->seed_bins,  delta_squared,
                              window->radius, window->sigma, window->radius_squared};
    uint64_t words[8 + sizeof numbers / sizeof *numbers] = {
        (uint64_t)o->algorithm, (uint64_t)o->reduction, (uint64_t)o->method,      o->iterations,
        o->seed_points,         points->dims,           (uint64_t)window->kernel, points->size};
    uint64_t maximum = points->count;
    memcpy(words + 8, numbers, sizeof numbers);
    UHI_TRY(uhi_collective_compare(&moving->collective, UH_SUCCESS, words, sizeof words / sizeof *words,
                                   "options, dims or types differ between processes, expected the same on all"));
    UHI_TRY(uhi_collective_maximum(&moving->collective, &maximum, 1));
    if (maximum > 0)
        return UH_SUCCESS;
    return uhi_collective_fail(&moving->collective,
                               uhi_fail_member(UH_ERROR_INVALID_ARGUMENT, moving->collective.call, "points", 0, "count",
                                               "is 0 on all processes, expected 1 at least on one"));
}

static uh_status move_and_reduce(struct moving *moving, const struct uhi_coordinates *points,
                                 const struct uhi_coordinates *seeds, double delta_squared,
                                 struct uh_clusters *clusters) {
    const size_t size = sizeof clusters->plan;
    UHI_TRY(compare(moving, points, delta_squared));
    UHI_TRY(start_points(moving, points, seeds));
    UHI_TRY(iterate_all(moving));
    if (clusters->properties.iterations > 0) {
        const int written = uhi_of_all_text(&moving->neighbours, clusters->plan, size);
        if (written > 0 && (size_t)written < size)
            (void)uhi_share_text(moving->queue, clusters->plan + written, size - (size_t)written);
    }
    UHI_TRY(reduce(moving, points, delta_squared, clusters));
    return keep_shifted(moving, clusters);
}

uh_status uhi_mean_shift(uh_queue *queue, const char *call, const struct uhi_coordinates *points,
                         const struct uhi_coordinates *seeds, const struct uhi_window *window,
                         const uh_mean_shift_options *options, double delta_squared, struct uh_clusters *clusters) {
    const uint64_t begin = uhi_host_now();
    struct moving moving = {.queue = queue,
                            .options = options,
                            .collective = {.call = call, .exchange = options->exchange},
                            .known = &clusters->properties};
    moving.neighbours.here = (struct uhi_neighbours){.window = *window,
                                                     .method = options->method,
                                                     .progress = options->progress,
                                                     .progress_context = options->progress_context};
    const uh_status status =
        uhi_collective_agree(&moving.collective, move_and_reduce(&moving, points, seeds, delta_squared, clusters));
    clusters->properties.moved = moving.at.count;
    clusters->properties.total_ns = uhi_host_now() - begin;
    uhi_of_all_close(&moving.neighbours);
    free(moving.at.x);
    free(moving.moved);
    free(moving.densities);
    return status;
}
