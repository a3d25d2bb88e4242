/* SPDX-License-Identifier: Apache-2.0 */
/* Adds points to a histogram over several axes, on the queue's device: each axis in turn appends its digit to the
 * points' cells, and the store accumulates by cell. Counts have separate paths, on the host and, if all axes are alike,
 * on a device. */
#ifndef UHI_HISTOGRAMDD_RUN_H
#define UHI_HISTOGRAMDD_RUN_H

#include <unihist/histogram.h>

#include "kernels/accumulate/store.h"
#include "kernels/common/frame.h"
#include "kernels/common/shape.h"
#include "kernels/histogramdd/histogramdd.h"
#include "kernels/plan/plan.h"

/* The points of one call. */
struct uhi_histogramdd_points {
    size_t naxes, n;
    const struct uhi_histogram_plan *plan[UH_MAX_AXES];
    struct uhi_values x[UH_MAX_AXES];
    const uh_array *values; /* weights or samples; NULL: none */
};

/* Numbers of points. */
struct uhi_histogramdd_counters {
    uint64_t flow[UH_MAX_AXES][3]; /* below, above, NaN */
    uint64_t points, outside;      /* all filled; those in no cell */
};

/* Destination of points. */
struct uhi_histogramdd_sums {
    struct uhi_store *store;
    struct uhi_histogramdd_counters *counters;
};

/* An axis's plan on a device. */
struct uhi_histogramdd_uploaded {
    const struct uhi_histogram_plan *plan; /* NULL: not uploaded */
    void *image;
    uh_kernel *kernel; /* appends its digit to cells; NULL: not needed yet */
};

enum { UHI_FUSED_AXES = 3 };

/* Counts of all axes in one launch on a device, with slots as digits, or sums of weights on one axis. */
struct uhi_histogramdd_fused {
    unsigned tiers; /* set of allowed tiers; fewer in trials and tests */
    size_t naxes;   /* 0: nothing requested yet */
    const struct uhi_histogram_plan *plan[UHI_FUSED_AXES];
    struct uhi_shape shape;       /* for these plans */
    uh_dtype weights;             /* of these weights; UH_DTYPE_COUNT: none */
    uh_kernel *kernel;            /* NULL: none, points go axis by axis */
    struct uhi_counters counters; /* one per slot */
    uint32_t bins[UHI_FUSED_AXES];
    size_t slots;
    uint64_t *read; /* per slot, not yet in the store; NULL before first use */
    int holds;      /* points were counted since the last fold or forget */
};

/* State of one histogram between calls. `call` below is the public call, for messages. */
struct uhi_histogramdd_run {
    struct uhi_frame frame;
    /* On a device: */
    struct uhi_counters flows;                                 /* UHI_FLOW_COUNT per axis */
    uint64_t flows_read[UH_MAX_AXES * UHI_FLOW_COUNT], points; /* not yet in the histogram's counters */
    size_t max_piece;                                          /* points per piece; 0: any; smaller in tests */
    struct uhi_histogramdd_uploaded (*plans)[UH_DTYPE_COUNT];  /* per axis; NULL before first use */
    struct uhi_histogramdd_fused fused;
};

/* Initializes it without waiting or allocating. The queue must outlive it. */
void uhi_histogramdd_open(struct uhi_histogramdd_run *run, uh_queue *queue);

/* Waits for pending work and frees everything. The store that points were added to must be destroyed before. */
void uhi_histogramdd_close(struct uhi_histogramdd_run *run);

/* Does the one-time preparation for adding points with these plans. Errors as uhi_histogramdd_add. */
uh_status uhi_histogramdd_ready(struct uhi_histogramdd_run *run, const char *call,
                                const struct uhi_histogramdd_points *points, struct uhi_histogramdd_sums sums);

/* Adds the points, at once or on uhi_histogramdd_settle. On failure nothing is added. Points in plain host memory, host
 * or shared USM may be reused on return. */
uh_status uhi_histogramdd_add(struct uhi_histogramdd_run *run, const char *call,
                              const struct uhi_histogramdd_points *points, struct uhi_histogramdd_sums sums);

/* Moves everything still on a device to the host. On failure all is unchanged. */
uh_status uhi_histogramdd_settle(struct uhi_histogramdd_run *run, const char *call, struct uhi_histogramdd_sums sums);

/* Discards everything still on a device, and any failure of it. */
void uhi_histogramdd_forget(struct uhi_histogramdd_run *run, struct uhi_store *store);

/* Describes how a device adds points with these plans and weights in one launch, like snprintf, with the full length in
 * *length; nothing if it does not, and nothing for the host. */
uh_status uhi_histogramdd_where(struct uhi_histogramdd_run *run, const char *call,
                                const struct uhi_histogramdd_points *points, struct uhi_histogramdd_sums sums,
                                char *text, size_t size, int *length);

/* ---- shared by the files of this directory ---- */

/* Counters of one host thread, in separate cache lines. */
struct uhi_histogramdd_part {
    _Alignas(64) struct uhi_histogramdd_counters counters;
};

/* State of one call. */
struct uhi_histogramdd_filling {
    struct uhi_histogramdd_run *run;
    const struct uhi_histogramdd_points *points;
    struct uhi_histogramdd_sums sums;
    const struct uhi_histogram_host *find;
    const struct uhi_histogramdd_host *host;
    struct uhi_histogramdd_part *parts; /* one per host thread */
};

/* Finds the cells of points [from, from + n), n <= UHI_FIND_BLOCK, and counts points that miss axes in part `part`;
 * `context` is the filling. */
void uhi_histogramdd_cells(const void *context, size_t part, size_t from, size_t n, uint32_t *cell);

/* Adds `from` to `to`. */
void uhi_histogramdd_add_counters(struct uhi_histogramdd_counters *to, const struct uhi_histogramdd_counters *from);

/* Counts the points on the host if the storage is COUNT and a separate path pays; *done tells whether it did. */
uh_status uhi_histogramdd_count(struct uhi_frame *frame, struct uhi_histogramdd_filling *filling, int *done);

/* Lays out two axes of few cuts with float32 coordinates for uhi_histogramdd_host's count_pair, if that exists and is
 * faster and `padded` cells are at most UINT16_MAX. Returns whether it did. */
int uhi_histogramdd_pair(const struct uhi_histogramdd_filling *filling, size_t padded, struct uhi_pair_axis axes[2]);

/* Determines whether points with these plans and weights go in one launch: run->fused.kernel is then set. Errors as
 * building a kernel. */
uh_status uhi_histogramdd_fuse(struct uhi_histogramdd_filling *filling);

/* Adds the weights of a piece in one launch, and counts its flow; for uhi_store_add, with the filling as context. */
uh_status uhi_histogramdd_sum_fused(void *context, const struct uhi_piece *piece, const struct uhi_device_sums *sums);

/* Counts the points, whose plans are on the device, in one launch. On failure none is counted. */
uh_status uhi_histogramdd_count_fused(struct uhi_frame *frame, struct uhi_histogramdd_filling *filling);

/* Reading brings such counts to the host; on failure all is unchanged. Folding adds the counts read to the sums and
 * cannot fail. Forgetting discards all. */
uh_status uhi_histogramdd_read_fused(struct uhi_histogramdd_run *run);
void uhi_histogramdd_fold_fused(struct uhi_histogramdd_fused *fused, struct uhi_histogramdd_sums sums);
void uhi_histogramdd_forget_fused(struct uhi_histogramdd_run *run);

static inline uint32_t uhi_histogramdd_bins(const struct uhi_histogramdd_points *points, size_t axis) {
    return points->plan[axis]->tables.bins;
}

#endif
