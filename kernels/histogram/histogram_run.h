/* SPDX-License-Identifier: Apache-2.0 */
/* Adds points to a histogram by a plan for each axis, or finds indices of values, on the queue's device. Counts on one
 * axis go to counters of slots; all else goes to a store. */
#pragma once

#include <unihist/histogram.h>

#include "kernels/accumulate/store.h"
#include "kernels/common/engine.h"
#include "kernels/common/frame.h"
#include "kernels/common/shape.h"
#include "kernels/histogram/histogram.h"
#include "kernels/plan/plan.h"

/* The points of one call. */
struct uhi_histogram_points {
    size_t naxes, n;
    const struct uhi_histogram_plan *plan[UH_MAX_AXES];
    struct uhi_values x[UH_MAX_AXES];
    const uh_array *values;   /* weights or samples; NULL: none */
    const char *const *names; /* of each axis's data, and at UH_MAX_AXES of the values' data */
};

struct uhi_histogram_numbers {
    uint64_t flow[UH_MAX_AXES][3]; /* below, above, NaN */
    uint64_t points, outside;      /* all filled; those in no cell */
};

/* Destination of points. */
struct uhi_histogram_target {
    uint64_t *counts; /* on one axis: k + 3, a slot each; NULL: the members below */
    struct uhi_store *store;
    struct uhi_histogram_numbers *numbers;
};

/* An axis's plan on a device. */
struct uhi_uploaded {
    const struct uhi_histogram_plan *plan; /* NULL: not uploaded */
    void *image;
    uh_kernel *kernel; /* appends its digit to cells; NULL: not needed yet */
};

enum { UHI_LAUNCH_AXES = 3 };

/* All of a call's points in one launch on a device: counts of one axis or of several, with slots as digits, or sums of
 * weights on one axis. */
struct uhi_histogram_launch {
    unsigned tiers; /* set of allowed tiers; fewer in trials and tests */
    size_t naxes;   /* 0: nothing requested yet */
    const struct uhi_histogram_plan *plan[UHI_LAUNCH_AXES];
    struct uhi_shape shape;       /* for these plans */
    uh_dtype weights;             /* of these weights, or UHI_NO_VALUES */
    uh_kernel *kernel;            /* NULL: none, points go axis by axis */
    struct uhi_counters counters; /* one per slot */
    uint32_t bins[UHI_LAUNCH_AXES];
    size_t slots;
    uint64_t *read; /* of several axes: per slot, not yet in the store; NULL before first use */
    int holds;      /* points were counted since the last read or discard */
};

/* State of one histogram between calls. `call` below is the public call, for messages. */
struct uhi_histogram_run {
    struct uhi_frame frame;
    /* On a device: */
    struct uhi_counters flows;                                 /* UHI_FLOW_COUNT per axis */
    uint64_t flows_read[UH_MAX_AXES * UHI_FLOW_COUNT], points; /* not yet in the histogram's numbers */
    size_t max_piece;                                          /* points per piece; 0: any; smaller in tests */
    struct uhi_uploaded (*plans)[UH_DTYPE_COUNT];              /* per axis; NULL before first use */
    struct uhi_histogram_launch launch;
};

/* Initializes it without waiting or allocating. The queue must outlive it. */
void uhi_histogram_open(struct uhi_histogram_run *run, uh_queue *queue);

/* Waits for pending work and frees everything. A store that points were added to must be destroyed before. */
void uhi_histogram_close(struct uhi_histogram_run *run);

/* Does the one-time preparation for adding points with these plans. Errors as uhi_histogram_add. */
uh_status uhi_histogram_ready(struct uhi_histogram_run *run, const char *call,
                              const struct uhi_histogram_points *points, struct uhi_histogram_target target);

/* Adds the points, at once or on uhi_histogram_settle. On failure nothing is added: UH_ERROR_OUT_OF_MEMORY or a device
 * error. Points in plain host memory, host or shared USM may be reused on return. */
uh_status uhi_histogram_add(struct uhi_histogram_run *run, const char *call, const struct uhi_histogram_points *points,
                            struct uhi_histogram_target target);

/* Moves everything still on a device to the host. On failure all is unchanged. */
uh_status uhi_histogram_settle(struct uhi_histogram_run *run, const char *call, struct uhi_histogram_target target);

/* Discards everything still on a device, and any failure of it. The store may be NULL. */
void uhi_histogram_discard(struct uhi_histogram_run *run, struct uhi_store *store);

/* Where the numbers of values' bins are stored densely, as a type of uh_histogram_digitize: as numpy.digitize has them,
 * 0, 1 to k, k + 1 above and for NaN; or as codes, 0 to k - 1, and k for NaN, where the outer bins have no ends. */
struct uhi_index {
    void *to;
    uh_dtype dtype;
    int codes;
};

/* A slot's number is less than the slot by 1 for each of `less` that it is above. */
void uhi_index_numbers(uint32_t bins, int codes, uint32_t less[2]);

/* Stores the numbers of n slots at a pitch of `pitch` bytes. */
void uhi_index_store(const uint32_t *slot, size_t n, const uint32_t less[2], uh_dtype dtype, char *to, ptrdiff_t pitch);

/* Stores the numbers. If a device fails midway, the earlier pieces of `index` remain written. */
uh_status uhi_histogram_index(struct uhi_histogram_run *run, const char *call, const struct uhi_histogram_plan *plan,
                              struct uhi_values x, struct uhi_index index);

/* Describes how a device adds points with these plans and weights in one launch, like snprintf, with the full length in
 * *length; nothing if it does not, and nothing for the host. */
uh_status uhi_histogram_where(struct uhi_histogram_run *run, const char *call,
                              const struct uhi_histogram_points *points, struct uhi_histogram_target target, char *text,
                              size_t size, int *length);

void uhi_histogram_add_numbers(struct uhi_histogram_numbers *to, const struct uhi_histogram_numbers *from);

/* ---- shared by the files of this directory ---- */

/* Numbers of one host thread, in separate cache lines. */
struct uhi_histogram_part {
    _Alignas(64) struct uhi_histogram_numbers numbers;
};

/* State of one call. */
struct uhi_histogram_filling {
    struct uhi_histogram_run *run;
    const struct uhi_histogram_points *points;
    struct uhi_histogram_target target;
    const struct uhi_histogram_host *host;
    struct uhi_histogram_part *parts; /* one per host thread */
};

/* Host body of a count on one axis: chooses where each thread counts, and adds up the counts. */
uh_status uhi_histogram_count_values(struct uhi_frame *frame, const struct uhi_histogram_filling *filling);

/* Finds the cells of points [from, from + n), n <= UHI_FIND_BLOCK, and counts points that miss axes in part `part`;
 * `context` is the filling. */
void uhi_histogram_cells(const void *context, size_t part, size_t from, size_t n, uint32_t *cell);

/* Counts the points on the host if the storage is COUNT and a separate path pays; *done tells whether it did. */
uh_status uhi_histogram_count_points(struct uhi_frame *frame, struct uhi_histogram_filling *filling, int *done);

/* Lays out two axes of few cuts with float32 coordinates for uhi_points_host's count_pair, if that exists and is faster
 * and `padded` cells are at most UINT16_MAX. Returns whether it did. */
int uhi_histogram_pair(const struct uhi_histogram_filling *filling, size_t padded, struct uhi_pair_axis axes[2]);

/* Copies an axis's plan to the device if it is not there yet. UH_ERROR_UNSUPPORTED if the device cannot look up exactly
 * by it. */
uh_status uhi_histogram_load_plan(struct uhi_histogram_run *run, size_t axis, const struct uhi_histogram_plan *plan,
                                  struct uhi_uploaded **uploaded);

/* Determines whether points with these plans and weights go in one launch: run->launch.kernel is then set. Errors as
 * building a kernel. */
uh_status uhi_histogram_choose_launch(struct uhi_histogram_filling *filling);

/* Adds the weights of a piece in one launch, and counts its flow; for uhi_store_add, with the filling as context. */
uh_status uhi_histogram_sum_in_launch(void *context, const struct uhi_piece *piece, const struct uhi_device_sums *sums);

/* Counts the points, whose plans are on the device, in one launch. On failure none is counted. */
uh_status uhi_histogram_count_in_launch(struct uhi_frame *frame, struct uhi_histogram_filling *filling);

/* Reading moves such counts to the host; on failure all is unchanged. Folding adds the counts read to the target and
 * cannot fail. Discarding drops all counts. */
uh_status uhi_histogram_read_launch(struct uhi_histogram_run *run, uint64_t *counts);
void uhi_histogram_fold_launch(struct uhi_histogram_launch *launch, struct uhi_histogram_target target);
void uhi_histogram_discard_launch(struct uhi_histogram_run *run);

static inline uint32_t uhi_points_bins(const struct uhi_histogram_points *points, size_t axis) {
    return points->plan[axis]->tables.bins;
}

/* ---- buckets (histogram_buckets.c) ---- */

/* Counting in tables larger than the caches. Values first go into buckets, by the part of the tables that their
 * look-ups touch. A full bucket is counted at once, with its part in the second-level cache. The choice of bucket
 * affects only speed. Values that come in order are counted in place. */

struct uhi_buckets {
    uint32_t count; /* 0: buckets do not pay */
    uint32_t shift; /* bucket number = first-level cell >> shift, or the group there */
    size_t bytes;   /* of values per bucket */
};

/* Returns the first-level cells of packed cells or of cdf. */
size_t uhi_first_cells(const struct uhi_histogram_tables *tables);

struct uhi_buckets uhi_buckets_for(const struct uhi_histogram_tables *tables, size_t n, size_t threads);

/* Bytes of memory for one thread's buckets, in whole cache lines. */
size_t uhi_buckets_room(const struct uhi_buckets *buckets);

#define UHI_ANY_BUCKET UINT32_MAX

/* Calls count(context, values, bucket) for all values, in contiguous, aligned portions; UHI_ANY_BUCKET for those of
 * several buckets. */
void uhi_buckets_each(const struct uhi_buckets *buckets, const struct uhi_histogram_host *host,
                      const struct uhi_histogram_tables *tables, struct uhi_values x, void *room,
                      void (*count)(const void *context, struct uhi_values values, uint32_t bucket),
                      const void *context);

/* ---- a plan as device kernels read it: parameters and tables in one image (histogram_upload.c) ---- */

/* Bytes of the near tables, which every look-up reads first; a multiple of 16. */
uint64_t uhi_histogram_near_bytes(const struct uhi_histogram_plan *plan);

/* Counters of a group that counts in local memory: one per slot, or one per rank, converted to slots at the end. */
size_t uhi_histogram_counters(const struct uhi_histogram_tables *tables);

/* Bytes of the image: parameters and tables. */
uint64_t uhi_histogram_image_bytes(const struct uhi_histogram_plan *plan);

/* Writes the image; `image` has room for uhi_histogram_image_bytes(), at most UINT32_MAX. */
void uhi_histogram_image_write(const struct uhi_histogram_plan *plan, void *image);

/* Returns the look-up in the names of the kernels that the tables are for: also the map of packed cells, but of int64.
 */
const char *uhi_histogram_lookup_name(const struct uhi_histogram_tables *tables);

/* UH_ERROR_UNSUPPORTED, naming `call`, if the engine's device cannot look up exactly by this plan. */
uh_status uhi_histogram_check_device(const char *call, const struct uhi_engine *engine,
                                     const struct uhi_histogram_plan *plan);

/* Writes the name of the plan's kernel for a task in a tier, or in none (UHI_TIERS), like snprintf. Not every plan has
 * a kernel for every task. */
int uhi_histogram_kernel_name(const struct uhi_histogram_plan *plan, const char *task, enum uhi_tier tier, char *name,
                              size_t size);

/* Returns the kernel for a task without tiers in *kernel; do not free it. */
uh_status uhi_histogram_kernel(struct uhi_engine *engine, const struct uhi_histogram_plan *plan, const char *task,
                               uh_kernel **kernel);

/* Copies the image to the device and waits. The caller frees *image with uh_free. */
uh_status uhi_histogram_upload(const char *call, const struct uhi_engine *engine, const struct uhi_histogram_plan *plan,
                               void **image);
