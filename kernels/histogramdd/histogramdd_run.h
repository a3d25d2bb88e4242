/* SPDX-License-Identifier: Apache-2.0 */
/* Adding points to a histogram over several axes, on whatever device a queue has: one axis after the other brings its
 * digit into the points' cells, and the store adds what the cells keep. Counts have ways of their own, on the host and,
 * where all axes are alike, on a device. */
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
    const uh_array *values; /* weights or samples, NULL for none */
    int x_alone;            /* messages name `x` and `values`; else `arrays` and `weights` */
};

/* Numbers of points. */
struct uhi_histogramdd_counters {
    uint64_t flow[UH_MAX_AXES][3]; /* below, above, NaN */
    uint64_t points, outside;      /* filled; those of them in no cell */
};

/* What points are added to. */
struct uhi_histogramdd_sums {
    struct uhi_store *store;
    struct uhi_histogramdd_counters *counters;
};

/* An axis's plan on a device. */
struct uhi_histogramdd_uploaded {
    const struct uhi_histogram_plan *plan; /* NULL: not there */
    void *image;
    uh_kernel *kernel; /* that brings its digit into cells; NULL: not needed yet */
};

enum { UHI_FUSED_AXES = 3 };

/* Counts of all axes in one launch, on a device, each slot a digit; or sums of weights on one axis. */
struct uhi_histogramdd_fused {
    unsigned tiers; /* that it may take, a set; for trials and tests fewer than all */
    size_t naxes;   /* 0: nothing has been asked for yet */
    const struct uhi_histogram_plan *plan[UHI_FUSED_AXES];
    struct uhi_shape shape;       /* for these */
    uh_dtype weights;             /* and these weights; UH_DTYPE_COUNT: none */
    uh_kernel *kernel;            /* NULL: there is none, they go axis by axis */
    struct uhi_counters counters; /* by slot */
    uint32_t bins[UHI_FUSED_AXES];
    size_t slots;
    uint64_t *read; /* of each slot, what is not in the store yet; NULL: nothing ever */
    int holds;      /* points have been counted since the last folding or forgetting */
};

/* What one histogram keeps from one call to the next. `call` below is the public call, for messages. */
struct uhi_histogramdd_run {
    struct uhi_frame frame;
    /* On a device: */
    struct uhi_counters flows;                                 /* UHI_FLOW_COUNT an axis */
    uint64_t flows_read[UH_MAX_AXES * UHI_FLOW_COUNT], points; /* what is not in the histogram's counters yet */
    size_t max_piece;                                          /* points of a piece; 0: any, fewer for tests */
    struct uhi_histogramdd_uploaded (*plans)[UH_DTYPE_COUNT];  /* of each axis; NULL before the first */
    struct uhi_histogramdd_fused fused;
};

/* Sets it up; waits for nothing and allocates nothing. The queue outlives it. */
void uhi_histogramdd_open(struct uhi_histogramdd_run *run, uh_queue *queue);

/* Waits for what is under way and frees what it has. The store that points were added to is destroyed before. */
void uhi_histogramdd_close(struct uhi_histogramdd_run *run);

/* Does what adding points with these plans needs to be done once. Errors as uhi_histogramdd_add. */
uh_status uhi_histogramdd_ready(struct uhi_histogramdd_run *run, const char *call,
                                const struct uhi_histogramdd_points *points, struct uhi_histogramdd_sums sums);

/* Adds the points, at once or when uhi_histogramdd_settle is called. On failure nothing is added. Points in plain host
 * memory, host or shared USM may be reused on return. */
uh_status uhi_histogramdd_add(struct uhi_histogramdd_run *run, const char *call,
                              const struct uhi_histogramdd_points *points, struct uhi_histogramdd_sums sums);

/* Brings to the host what is still on a device. On failure all is as before. */
uh_status uhi_histogramdd_settle(struct uhi_histogramdd_run *run, const char *call, struct uhi_histogramdd_sums sums);

/* Forgets what is still on a device, and any failure of it. */
void uhi_histogramdd_forget(struct uhi_histogramdd_run *run, struct uhi_store *store);

/* Says how a device adds points with these plans and weights, where that is in one launch, as snprintf does, with the
 * whole length in *length; nothing else, and nothing for the host. */
uh_status uhi_histogramdd_where(struct uhi_histogramdd_run *run, const char *call,
                                const struct uhi_histogramdd_points *points, struct uhi_histogramdd_sums sums,
                                char *text, size_t size, int *length);

/* ---- between the files of this room ---- */

/* Counters of one of the host's threads, in cache lines of their own. */
struct uhi_histogramdd_part {
    _Alignas(64) struct uhi_histogramdd_counters counters;
};

/* One call. */
struct uhi_histogramdd_filling {
    struct uhi_histogramdd_run *run;
    const struct uhi_histogramdd_points *points;
    struct uhi_histogramdd_sums sums;
    const struct uhi_histogram_host *find;
    const struct uhi_histogramdd_host *host;
    struct uhi_histogramdd_part *parts; /* the host's threads' */
};

/* Finds the cells of points [from, from + n), n <= UHI_FIND_BLOCK, and counts those that miss axes for part `part`;
 * `context` is the filling. */
void uhi_histogramdd_cells(const void *context, size_t part, size_t from, size_t n, uint32_t *cell);

/* Adds counters to others. */
void uhi_histogramdd_add_counters(struct uhi_histogramdd_counters *to, const struct uhi_histogramdd_counters *from);

/* Counts the points on the host, where the storage is COUNT and a way of its own is worth it: *done tells. */
uh_status uhi_histogramdd_count(struct uhi_frame *frame, struct uhi_histogramdd_filling *filling, int *done);

/* Lays the axes out for uhi_histogramdd_host's count_pair, if that is there and faster, and there are two axes of few
 * cuts with float32 coordinates, and `padded` cells at most UINT16_MAX. Returns whether it has. */
int uhi_histogramdd_pair(const struct uhi_histogramdd_filling *filling, size_t padded, struct uhi_pair_axis axes[2]);

/* Finds out whether points with these plans and weights go in one launch: run->fused.kernel tells. Fails as building a
 * kernel does. */
uh_status uhi_histogramdd_fuse(struct uhi_histogramdd_filling *filling);

/* Adds the weights of a piece so, and counts its flow; for uhi_store_add, whose context is the filling. */
uh_status uhi_histogramdd_sum_fused(void *context, const struct uhi_piece *piece, const struct uhi_device_sums *sums);

/* Counts the points so, whose plans are on the device. On failure none is. */
uh_status uhi_histogramdd_count_fused(struct uhi_frame *frame, struct uhi_histogramdd_filling *filling);

/* Brings such counts to the host; on failure all is as before. What has been brought is added to the sums, which cannot
 * fail. Forgets all. */
uh_status uhi_histogramdd_read_fused(struct uhi_histogramdd_run *run);
void uhi_histogramdd_fold_fused(struct uhi_histogramdd_fused *fused, struct uhi_histogramdd_sums sums);
void uhi_histogramdd_forget_fused(struct uhi_histogramdd_run *run);

static inline uint32_t uhi_histogramdd_bins(const struct uhi_histogramdd_points *points, size_t axis) {
    return points->plan[axis]->tables.bins;
}

#endif
