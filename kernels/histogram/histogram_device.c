/* SPDX-License-Identifier: Apache-2.0 */
/* Points in one launch, where a kernel exists: counts on one axis, or on two or three whose coordinates have one type
 * and one look-up, or sums of float32 weights on one axis, with everything else that is kept of them. */
#include <stdlib.h>
#include <string.h>

#include "kernels/histogram/histogram_run.h"
#include "kernels/registry.h"
#include "runtime/status.h"

/* Most points per piece on several axes: the kernels index them with 32 bits, and go past the end by up to one step of
 * the whole device. */
#define MAX_POINTS ((size_t)1 << 31)

/* Slots are digits, so there are more slots than cells; limits of that overhead. */
enum { SPARE_SLOTS = 1 << 16, MAX_SLOTS_PER_CELL = 2 };

/* ---- which points ------------------------------------------------------------------------------------------------ */

static int counts_alone(const struct uhi_histogram_filling *filling) {
    const uh_storage storage = filling->target.store->storage;
    return storage == UH_STORAGE_COUNT || storage == UH_STORAGE_U8 || storage == UH_STORAGE_U16;
}

static int are_alike(const struct uhi_histogram_tables *a, const struct uhi_histogram_tables *b) {
    return a->compare == b->compare && a->value_bytes == b->value_bytes &&
           strcmp(uhi_histogram_lookup_name(a), uhi_histogram_lookup_name(b)) == 0;
}

/* Counters over all axes; 0 if there are too many, as their numbers have 32 bits. */
static size_t slots_of(const struct uhi_histogram_points *points, size_t cells) {
    uint64_t slots = 1;
    for (size_t a = 0; a < points->naxes; a++)
        if (__builtin_mul_overflow(slots, (uint64_t)uhi_points_bins(points, a) + 3, &slots) || slots > UINT32_MAX)
            return 0;
    return slots <= SPARE_SLOTS || slots / MAX_SLOTS_PER_CELL <= cells ? slots : 0;
}

/* Words per copy of the sums of float32 weights on one axis; 0 without such weights or sums. */
static size_t sum_words(const struct uhi_histogram_points *points, const struct uhi_store *store) {
    const size_t sums = (size_t)2 * UHI_SUM_DEPTH, squares = (size_t)2 * UHI_SQUARE_DEPTH;
    size_t words = 0;
    if (!points->values || points->values->dtype != UH_F32)
        return 0;
    switch (store->storage) {
    case UH_STORAGE_SUM: words = sums; break;
    case UH_STORAGE_WEIGHTED: words = sums + squares; break;
    case UH_STORAGE_MEAN: words = sums + squares + 1; break;
    default: return 0;
    }
    return words * (store->cells + 1) + UHI_FLOW_OUTSIDE + UHI_SUM_WORDS;
}

/* Counters of a group, or its words of sums; 0 if the points do not go in one launch. */
static size_t words_of(const struct uhi_histogram_filling *filling) {
    const struct uhi_histogram_points *points = filling->points;
    const struct uhi_store *store = filling->target.store;
    if (filling->target.counts)
        return uhi_histogram_counters(&points->plan[0]->tables);
    if (points->naxes == 1)
        return sum_words(points, store);
    return counts_alone(filling) ? slots_of(points, store->cells) : 0;
}

/* Tiers that have kernels and are allowed; counts on one axis have one that every device supports. */
static unsigned tiers_of(const struct uhi_histogram_filling *filling) {
    const struct uhi_histogram_points *points = filling->points;
    const unsigned allowed = filling->run->launch.tiers;
    if (filling->target.counts)
        return (allowed & UHI_TIERS_OF_VALUES) | UHI_TIER_SET(UHI_TIER_PRIVATE);
    for (size_t a = 1; a < points->naxes; a++)
        if (!are_alike(&points->plan[a]->tables, &points->plan[0]->tables))
            return 0;
    return allowed & (points->naxes > 1 ? UHI_TIERS_OF_POINTS : UHI_TIERS_LOCAL);
}

/* Chooses where they are added, within the available memory; tier UHI_TIERS if the points do not go in one launch. */
static uh_status choose_shape(const struct uhi_histogram_filling *filling, struct uhi_shape *shape) {
    const struct uhi_histogram_points *points = filling->points;
    const struct uhi_histogram_launch *launch = &filling->run->launch;
    const struct uhi_engine *engine = filling->run->frame.engine;
    const size_t words = words_of(filling);
    const size_t slots = filling->target.counts ? (size_t)uhi_points_bins(points, 0) + 3 : words;
    uint64_t tables = 0;
    for (size_t a = 0; a < points->naxes; a++)
        tables += uhi_histogram_near_bytes(points->plan[a]);
    *shape = uhi_engine_shape(engine, words == 0 ? 0 : tiers_of(filling), words, tables);
    return uhi_memory_room_shape(engine, slots, (uint64_t)launch->counters.room * sizeof *launch->counters.words,
                                 shape);
}

static int is_known(const struct uhi_histogram_launch *launch, const struct uhi_histogram_points *points) {
    int known = launch->naxes == points->naxes && launch->weights == uhi_values_dtype(points->values);
    for (size_t a = 0; a < points->naxes && known; a++)
        known = launch->plan[a] == points->plan[a];
    return known;
}

static const char *task_of(const struct uhi_histogram_filling *filling) {
    if (filling->target.counts)
        return "count";
    if (filling->points->naxes > 1)
        return filling->points->naxes == 3 ? "triple" : "pair";
    switch (filling->target.store->storage) {
    case UH_STORAGE_SUM: return "sum";
    case UH_STORAGE_WEIGHTED: return "weighted";
    default: return "mean";
    }
}

/* Returns the kernel in *kernel, or NULL if such coordinates have none; do not free it. */
static uh_status find_kernel(const struct uhi_histogram_filling *filling, enum uhi_tier tier, uh_kernel **kernel) {
    char name[64];
    *kernel = NULL;
    if (tier == UHI_TIERS)
        return UH_SUCCESS;
    uhi_histogram_kernel_name(filling->points->plan[0], task_of(filling), tier, name, sizeof name);
    return uhi_find_variant(uhi_histogram_variants(), name)
               ? uhi_engine_kernel(filling->run->frame.engine, name, kernel)
               : UH_SUCCESS;
}

uh_status uhi_histogram_choose_launch(struct uhi_histogram_filling *filling) {
    struct uhi_histogram_launch *launch = &filling->run->launch;
    const struct uhi_histogram_points *points = filling->points;
    if (points->naxes < 1 || points->naxes > UHI_LAUNCH_AXES || is_known(launch, points))
        return UH_SUCCESS;
    struct uhi_shape shape;
    uh_kernel *kernel = NULL;
    UHI_TRY(choose_shape(filling, &shape));
    UHI_TRY(find_kernel(filling, shape.tier, &kernel));
    launch->shape = shape;
    launch->kernel = kernel;
    launch->naxes = points->naxes;
    launch->weights = uhi_values_dtype(points->values);
    for (size_t a = 0; a < points->naxes; a++)
        launch->plan[a] = points->plan[a];
    return UH_SUCCESS;
}

/* ---- counting ---------------------------------------------------------------------------------------------------- */

static uh_status launch_count(void *context, const struct uhi_piece *piece) {
    const struct uhi_histogram_filling *filling = context;
    const struct uhi_histogram_run *run = filling->run;
    const struct uhi_histogram_launch *launch = &run->launch;
    const struct uhi_shape *shape = &launch->shape;
    const uint64_t n = piece->n; /* of several axes the kernels read the low half */
    const uint32_t tables = (uint32_t)launch->counters.tables;
    uh_arg args[2 * UHI_LAUNCH_AXES + 6];
    size_t nargs = 0;
    for (size_t a = 0; a < launch->naxes; a++) {
        args[nargs++] = uh_arg_pointer(run->plans[a][filling->points->plan[a]->dtype].image);
        args[nargs++] = uh_arg_pointer(piece->in[a]);
    }
    args[nargs++] = uh_arg_value(&n, launch->naxes > 1 ? sizeof(uint32_t) : sizeof n);
    args[nargs++] = uh_arg_pointer(launch->counters.words);
    args[nargs++] = UHI_ARG(shape->spread);
    args[nargs++] = UHI_ARG(tables);
    args[nargs++] = uh_arg_local(uhi_shape_local_bytes(shape));
    if (shape->tier == UHI_TIER_LOCAL)
        args[nargs++] = uh_arg_local(shape->local_counts);
    return uhi_engine_run_after(run->frame.engine, launch->kernel, uhi_shape_groups(shape, n), shape->group_size, args,
                                nargs, piece->ready, launch->naxes, piece->done);
}

static size_t windows_args(const struct uhi_device_windows *windows, uh_arg *args) {
    args[0] = uh_arg_pointer(windows->words);
    args[1] = uh_arg_pointer(windows->used);
    args[2] = UHI_ARG(windows->count);
    return 3;
}

/* For weights on one axis. */
uh_status uhi_histogram_sum_in_launch(void *context, const struct uhi_piece *piece,
                                      const struct uhi_device_sums *sums) {
    const struct uhi_histogram_filling *filling = context;
    const struct uhi_histogram_run *run = filling->run;
    const struct uhi_shape *shape = &run->launch.shape;
    const uh_storage storage = filling->target.store->storage;
    const uint32_t n = (uint32_t)piece->n;
    uh_arg args[16] = {uh_arg_pointer(run->plans[0][filling->points->plan[0]->dtype].image),
                       uh_arg_pointer(piece->in[0]), uh_arg_pointer(piece->in[1]), UHI_ARG(n),
                       uh_arg_pointer(sums->flags)};
    size_t nargs = 5;
    nargs += windows_args(&sums->sums, args + nargs);
    if (storage != UH_STORAGE_SUM)
        nargs += windows_args(&sums->squares, args + nargs);
    if (storage == UH_STORAGE_MEAN)
        args[nargs++] = uh_arg_pointer(sums->counts);
    args[nargs++] = uh_arg_pointer(run->flows.words);
    args[nargs++] = UHI_ARG(shape->spread);
    if (shape->tier == UHI_TIER_LOCAL)
        args[nargs++] = uh_arg_local(shape->local_tables ? shape->local_tables : 16);
    args[nargs++] = uh_arg_local(shape->local_counts);
    return uhi_engine_run_after(run->frame.engine, run->launch.kernel, uhi_shape_groups(shape, n), shape->group_size,
                                args, nargs, piece->ready, 2, piece->done);
}

/* Allocates what is read from the device, for a store; the bins of an axis never change. */
static uh_status ready_read(const char *call, const struct uhi_histogram_filling *filling) {
    struct uhi_histogram_launch *launch = &filling->run->launch;
    const struct uhi_histogram_points *points = filling->points;
    if (launch->read)
        return UH_SUCCESS;
    launch->slots = 1;
    for (size_t a = 0; a < points->naxes; a++) {
        launch->bins[a] = uhi_points_bins(points, a);
        launch->slots *= (size_t)launch->bins[a] + 3;
    }
    if (filling->target.counts)
        return UH_SUCCESS;
    launch->read = calloc(launch->slots, sizeof *launch->read);
    return launch->read ? UH_SUCCESS : uhi_fail_memory(call, "no memory for the counts of %zu cells", launch->slots);
}

static uh_status count_on_device(struct uhi_frame *frame, void *context) {
    struct uhi_histogram_filling *filling = context;
    struct uhi_histogram_launch *launch = &filling->run->launch;
    struct uhi_counters *counters = &launch->counters;
    struct uhi_pieces pieces;
    uint64_t *counts = filling->target.counts;
    UHI_TRY(ready_read(frame->call, filling));
    /* The number of tables stays as the first plans set it, because the counters hold counts. */
    const size_t tables = counters->tables ? counters->tables : launch->shape.private_tables;
    UHI_TRY(uhi_counters_ready(counters, frame->engine, frame->call, launch->slots, tables));
    const size_t maximum = launch->naxes > 1 && counters->max_pending > MAX_POINTS ? MAX_POINTS : counters->max_pending;
    UHI_TRY(uhi_pieces_open(&pieces, frame->engine, frame->call, &frame->operands, maximum));
    launch->holds = 1;
    return uhi_counters_add(counters, &pieces, launch_count, NULL, filling, counts ? counts : launch->read);
}

static const struct uhi_stage count = {"histogram: count", NULL, count_on_device};

uh_status uhi_histogram_count_in_launch(struct uhi_frame *frame, struct uhi_histogram_filling *filling) {
    return uhi_frame_run(frame, &count, filling);
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* Adds the count of one slot to the cell of its digits, or to the flows. */
static void fold_slot(const struct uhi_histogram_launch *launch, const uint32_t *digit, uint64_t number,
                      struct uhi_histogram_target target) {
    size_t cell = 0;
    int inside = 1;
    for (size_t a = 0; a < launch->naxes; a++) {
        const uint32_t bins = launch->bins[a];
        cell = cell * bins + digit[a] - 1;
        if (digit[a] - 1 < bins)
            continue;
        inside = 0;
        target.numbers->flow[a][digit[a] == 0 ? UHI_FLOW_BELOW : digit[a] - bins] += number;
    }
    uhi_direct_count(target.store, inside ? cell : target.store->cells, number, 0);
    target.numbers->outside += inside ? 0 : number;
    target.numbers->points += number;
}

void uhi_histogram_fold_launch(struct uhi_histogram_launch *launch, struct uhi_histogram_target target) {
    uint32_t digit[UHI_LAUNCH_AXES] = {0};
    for (size_t i = 0; i < launch->slots && launch->holds; i++) {
        if (launch->read[i])
            fold_slot(launch, digit, launch->read[i], target);
        launch->read[i] = 0;
        for (size_t a = launch->naxes; a-- > 0;) { /* the next number */
            if (++digit[a] < launch->bins[a] + 3)
                break;
            digit[a] = 0;
        }
    }
    launch->holds = 0;
}

uh_status uhi_histogram_read_launch(struct uhi_histogram_run *run, uint64_t *counts) {
    return run->launch.holds ? uhi_counters_read(&run->launch.counters, run->frame.engine, counts) : UH_SUCCESS;
}

void uhi_histogram_discard_launch(struct uhi_histogram_run *run) {
    struct uhi_histogram_launch *launch = &run->launch;
    uhi_counters_discard(&launch->counters, run->frame.engine);
    if (launch->holds && launch->read)
        memset(launch->read, 0, launch->slots * sizeof *launch->read);
    launch->holds = 0;
}
