/* SPDX-License-Identifier: Apache-2.0 */
/* Points in one launch, where a kernel exists: counts on two or three axes whose coordinates have one type and one
 * look-up, or sums of float32 weights on one axis, with everything else that is kept of them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/common/engine_shape.h"
#include "kernels/common/memory_room.h"
#include "kernels/histogram/histogram_upload.h"
#include "kernels/histogramdd/histogramdd_run.h"
#include "kernels/registry.h"
#include "runtime/status.h"

/* Most points per piece: the kernels index them with 32 bits, and go past the end by up to one step of the whole
 * device. */
#define MOST_POINTS ((size_t)1 << 31)

/* Slots are digits, so there are more slots than cells; limits of that overhead. */
enum { SPARE_SLOTS = 1 << 16, MOST_SLOTS_A_CELL = 2 };

/* ---- which points ------------------------------------------------------------------------------------------------ */

static int counts_alone(const struct uhi_histogramdd_filling *filling) {
    const uh_storage storage = uhi_store_storage(filling->sums.store);
    return storage == UH_STORAGE_COUNT || storage == UH_STORAGE_U8 || storage == UH_STORAGE_U16;
}

static int are_alike(const struct uhi_histogram_tables *a, const struct uhi_histogram_tables *b) {
    return a->compare == b->compare && a->value_bytes == b->value_bytes &&
           strcmp(uhi_histogram_lookup_name(a), uhi_histogram_lookup_name(b)) == 0;
}

/* Counters over all axes; 0 if there are too many, as their numbers have 32 bits. */
static size_t slots_of(const struct uhi_histogramdd_points *points, size_t cells) {
    uint64_t slots = 1;
    for (size_t a = 0; a < points->naxes; a++)
        if (__builtin_mul_overflow(slots, (uint64_t)uhi_histogramdd_bins(points, a) + 3, &slots) || slots > UINT32_MAX)
            return 0;
    return slots <= SPARE_SLOTS || slots / MOST_SLOTS_A_CELL <= cells ? slots : 0;
}

/* Words per copy of the sums of float32 weights on one axis; 0 without such weights or sums. */
static size_t sum_words(const struct uhi_histogramdd_points *points, const struct uhi_store *store) {
    const size_t sums = (size_t)2 * UHI_SUM_DEPTH, squares = (size_t)2 * UHI_SQUARE_DEPTH;
    size_t words = 0;
    if (!points->values || points->values->dtype != UH_F32)
        return 0;
    switch (uhi_store_storage(store)) {
    case UH_STORAGE_SUM: words = sums; break;
    case UH_STORAGE_WEIGHTED: words = sums + squares; break;
    case UH_STORAGE_MEAN: words = sums + squares + 1; break;
    default: return 0;
    }
    return words * (uhi_store_cells(store) + 1) + UHI_FLOW_OUTSIDE + UHI_SUM_WORDS;
}

/* Counters, or words of sums; 0 if the points do not go in one launch. */
static size_t words_of(const struct uhi_histogramdd_filling *filling) {
    const struct uhi_histogramdd_points *points = filling->points;
    const struct uhi_store *store = filling->sums.store;
    if (points->naxes == 1)
        return sum_words(points, store);
    return counts_alone(filling) ? slots_of(points, uhi_store_cells(store)) : 0;
}

/* Chooses where they are added, within the available memory; tier UHI_TIERS if the points do not go in one launch. */
static uh_status choose_shape(const struct uhi_histogramdd_filling *filling, struct uhi_shape *shape) {
    const struct uhi_histogramdd_points *points = filling->points;
    const struct uhi_histogramdd_fused *fused = &filling->run->fused;
    const struct uhi_engine *engine = filling->run->frame.engine;
    const size_t words = words_of(filling);
    unsigned tiers = words == 0 ? 0 : fused->tiers & (points->naxes > 1 ? UHI_TIERS_OF_POINTS : UHI_TIERS_LOCAL);
    uint64_t tables = 0;
    for (size_t a = 0; a < points->naxes; a++) {
        tables += uhi_histogram_near_bytes(points->plan[a]);
        if (!are_alike(&points->plan[a]->tables, &points->plan[0]->tables))
            tiers = 0;
    }
    *shape = uhi_engine_shape(engine, tiers, words, tables);
    return uhi_memory_room_shape(engine, words, (uint64_t)fused->counters.room * sizeof *fused->counters.words, shape);
}

static uh_dtype weights_of(const struct uhi_histogramdd_points *points) {
    return points->values ? points->values->dtype : UH_DTYPE_COUNT;
}

static int is_known(const struct uhi_histogramdd_fused *fused, const struct uhi_histogramdd_points *points) {
    int known = fused->naxes == points->naxes && fused->weights == weights_of(points);
    for (size_t a = 0; a < points->naxes && known; a++)
        known = fused->plan[a] == points->plan[a];
    return known;
}

/* Returns the kernel in *kernel, or NULL if there is none for such coordinates; do not free it. */
static uh_status find_kernel(const struct uhi_histogramdd_filling *filling, enum uhi_tier tier, uh_kernel **kernel) {
    static const char *const tiers[UHI_TIERS + 1] = {
        [UHI_TIER_LOCAL] = "local", [UHI_TIER_TABLES] = "global", [UHI_TIER_MIXED] = "mixed"};
    const struct uhi_histogramdd_points *points = filling->points;
    const uh_storage storage = uhi_store_storage(filling->sums.store);
    const char *task = points->naxes == 3               ? "triple"
                       : points->naxes == 2             ? "pair"
                       : storage == UH_STORAGE_SUM      ? "sum"
                       : storage == UH_STORAGE_WEIGHTED ? "weighted"
                                                        : "mean";
    char prefix[32], name[64];
    *kernel = NULL;
    if (!tiers[tier])
        return UH_SUCCESS;
    snprintf(prefix, sizeof prefix, "%s_%s", task, tiers[tier]);
    uhi_histogram_kernel_name(points->plan[0], prefix, name, sizeof name);
    return uhi_find_variant(uhi_histogramdd_variants(), name)
               ? uhi_engine_kernel(filling->run->frame.engine, name, kernel)
               : UH_SUCCESS;
}

uh_status uhi_histogramdd_fuse(struct uhi_histogramdd_filling *filling) {
    struct uhi_histogramdd_fused *fused = &filling->run->fused;
    const struct uhi_histogramdd_points *points = filling->points;
    if (points->naxes < 1 || points->naxes > UHI_FUSED_AXES || is_known(fused, points))
        return UH_SUCCESS;
    struct uhi_shape shape;
    uh_kernel *kernel = NULL;
    uh_status status = choose_shape(filling, &shape);
    if (!status)
        status = find_kernel(filling, shape.tier, &kernel);
    if (status)
        return status;
    fused->shape = shape;
    fused->kernel = kernel;
    fused->naxes = points->naxes;
    fused->weights = weights_of(points);
    for (size_t a = 0; a < points->naxes; a++)
        fused->plan[a] = points->plan[a];
    return UH_SUCCESS;
}

/* ---- counting ---------------------------------------------------------------------------------------------------- */

static uh_status launch(void *context, const struct uhi_piece *piece) {
    const struct uhi_histogramdd_filling *filling = context;
    const struct uhi_histogramdd_run *run = filling->run;
    const struct uhi_histogramdd_fused *fused = &run->fused;
    const struct uhi_shape *shape = &fused->shape;
    const uint32_t n = (uint32_t)piece->n, tables = (uint32_t)fused->counters.tables;
    uh_arg args[2 * UHI_FUSED_AXES + 6];
    size_t nargs = 0;
    for (size_t a = 0; a < fused->naxes; a++) {
        args[nargs++] = uh_arg_pointer(run->plans[a][filling->points->plan[a]->dtype].image);
        args[nargs++] = uh_arg_pointer(piece->in[a]);
    }
    args[nargs++] = uh_arg_value(&n, sizeof n);
    args[nargs++] = uh_arg_pointer(fused->counters.words);
    args[nargs++] = uh_arg_value(&shape->spread, sizeof shape->spread);
    args[nargs++] = uh_arg_value(&tables, sizeof tables);
    args[nargs++] = uh_arg_local(uhi_shape_local_bytes(shape));
    if (shape->tier == UHI_TIER_LOCAL)
        args[nargs++] = uh_arg_local(shape->local_counts);
    return uhi_engine_run_after(run->frame.engine, fused->kernel, uhi_shape_groups(shape, n), shape->group_size, args,
                                nargs, piece->ready, fused->naxes, piece->done);
}

static size_t windows_args(const struct uhi_device_windows *windows, uh_arg *args) {
    args[0] = uh_arg_pointer(windows->words);
    args[1] = uh_arg_pointer(windows->used);
    args[2] = uh_arg_value(&windows->count, sizeof windows->count);
    return 3;
}

/* For weights on one axis. */
uh_status uhi_histogramdd_sum_fused(void *context, const struct uhi_piece *piece, const struct uhi_device_sums *sums) {
    const struct uhi_histogramdd_filling *filling = context;
    const struct uhi_histogramdd_run *run = filling->run;
    const struct uhi_shape *shape = &run->fused.shape;
    const uh_storage storage = uhi_store_storage(filling->sums.store);
    const uint32_t n = (uint32_t)piece->n;
    uh_arg args[16] = {uh_arg_pointer(run->plans[0][filling->points->plan[0]->dtype].image),
                       uh_arg_pointer(piece->in[0]), uh_arg_pointer(piece->in[1]), uh_arg_value(&n, sizeof n),
                       uh_arg_pointer(sums->flags)};
    size_t nargs = 5;
    nargs += windows_args(&sums->sums, args + nargs);
    if (storage != UH_STORAGE_SUM)
        nargs += windows_args(&sums->squares, args + nargs);
    if (storage == UH_STORAGE_MEAN)
        args[nargs++] = uh_arg_pointer(sums->counts);
    args[nargs++] = uh_arg_pointer(run->flows.words);
    args[nargs++] = uh_arg_value(&shape->spread, sizeof shape->spread);
    if (shape->tier == UHI_TIER_LOCAL)
        args[nargs++] = uh_arg_local(shape->local_tables ? shape->local_tables : 16);
    args[nargs++] = uh_arg_local(shape->local_counts);
    return uhi_engine_run_after(run->frame.engine, run->fused.kernel, uhi_shape_groups(shape, n), shape->group_size,
                                args, nargs, piece->ready, 2, piece->done);
}

/* Allocates the counts read from the device; the bins of an axis never change. */
static uh_status ready_read(const char *call, const struct uhi_histogramdd_points *points,
                            struct uhi_histogramdd_fused *fused) {
    if (fused->read)
        return UH_SUCCESS;
    fused->slots = 1;
    for (size_t a = 0; a < points->naxes; a++) {
        fused->bins[a] = uhi_histogramdd_bins(points, a);
        fused->slots *= (size_t)fused->bins[a] + 3;
    }
    fused->read = calloc(fused->slots, sizeof *fused->read);
    return fused->read
               ? UH_SUCCESS
               : uhi_fail(UH_ERROR_OUT_OF_MEMORY, call, NULL, "no memory for the counts of %zu cells", fused->slots);
}

static uh_status count_on_device(struct uhi_frame *frame, void *context) {
    struct uhi_histogramdd_filling *filling = context;
    struct uhi_histogramdd_fused *fused = &filling->run->fused;
    struct uhi_counters *counters = &fused->counters;
    struct uhi_pieces pieces;
    uh_status status = ready_read(frame->call, filling->points, fused);
    /* The number of tables stays as the first plans set it, because the counters hold counts. */
    const size_t tables = counters->tables ? counters->tables : fused->shape.private_tables;
    if (!status)
        status = uhi_counters_ready(counters, frame->engine, frame->call, fused->slots, tables);
    if (!status)
        status = uhi_pieces_open(&pieces, frame->engine, frame->call, &frame->operands,
                                 counters->max_pending < MOST_POINTS ? counters->max_pending : MOST_POINTS);
    if (status)
        return status;
    fused->holds = 1;
    return uhi_counters_add(counters, &pieces, launch, NULL, filling, fused->read);
}

static const struct uhi_stage count = {"histogramdd: count", NULL, count_on_device};

uh_status uhi_histogramdd_count_fused(struct uhi_frame *frame, struct uhi_histogramdd_filling *filling) {
    return uhi_frame_run(frame, &count, filling);
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* Adds the count of one slot to the cell of its digits, or to the flows. */
static void fold_slot(const struct uhi_histogramdd_fused *fused, const uint32_t *digit, uint64_t number,
                      struct uhi_histogramdd_sums sums) {
    size_t cell = 0;
    int inside = 1;
    for (size_t a = 0; a < fused->naxes; a++) {
        const uint32_t bins = fused->bins[a];
        cell = cell * bins + digit[a] - 1;
        if (digit[a] - 1 < bins)
            continue;
        inside = 0;
        sums.counters->flow[a][digit[a] == 0          ? UHI_FLOW_BELOW
                               : digit[a] == bins + 1 ? UHI_FLOW_ABOVE
                                                      : UHI_FLOW_NAN] += number;
    }
    uhi_store_count(sums.store, inside ? cell : uhi_store_cells(sums.store), number);
    sums.counters->outside += inside ? 0 : number;
    sums.counters->points += number;
}

void uhi_histogramdd_fold_fused(struct uhi_histogramdd_fused *fused, struct uhi_histogramdd_sums sums) {
    uint32_t digit[UHI_FUSED_AXES] = {0};
    for (size_t i = 0; i < fused->slots && fused->holds; i++) {
        if (fused->read[i])
            fold_slot(fused, digit, fused->read[i], sums);
        fused->read[i] = 0;
        for (size_t a = fused->naxes; a-- > 0;) { /* the next number */
            if (++digit[a] < fused->bins[a] + 3)
                break;
            digit[a] = 0;
        }
    }
    fused->holds = 0;
}

uh_status uhi_histogramdd_read_fused(struct uhi_histogramdd_run *run) {
    return run->fused.holds ? uhi_counters_read(&run->fused.counters, run->frame.engine, run->fused.read) : UH_SUCCESS;
}

void uhi_histogramdd_forget_fused(struct uhi_histogramdd_run *run) {
    struct uhi_histogramdd_fused *fused = &run->fused;
    uhi_counters_forget(&fused->counters, run->frame.engine);
    if (fused->holds && fused->read)
        memset(fused->read, 0, fused->slots * sizeof *fused->read);
    fused->holds = 0;
}
