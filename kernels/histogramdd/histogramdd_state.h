/* SPDX-License-Identifier: Apache-2.0 */
/* What a histogram over several axes keeps on a device. */
#ifndef UHI_HISTOGRAMDD_STATE_H
#define UHI_HISTOGRAMDD_STATE_H

#include "kernels/common/stream.h"
#include "kernels/histogramdd/histogramdd.h"
#include "kernels/histogramdd/histogramdd_device.h"

/* An axis's plan on the device. */
struct uhi_histogramdd_uploaded {
    const struct uhi_histogram_plan *plan; /* NULL: not there */
    void *image;
    uh_kernel *kernel;
};

struct uhi_histogramdd_device {
    struct uhi_engine engine;
    struct uhi_store_device *store;
    struct uhi_histogramdd_uploaded plans[UH_MAX_AXES][UH_DTYPE_COUNT];
    struct uhi_stream streams[UH_MAX_AXES + 1]; /* of the coordinates, and of the values */
    size_t naxes;                               /* 0 before the first points */
    uint32_t *cells;                            /* on the device: of one piece */
    size_t room, piece;                         /* points of `cells` now, and at most */
    uint32_t *flows[2];                         /* on the device: UHI_FLOW_COUNT counters an axis; the next piece's */
    unsigned current;                           /* which of them counts */
    uint32_t readback[UH_MAX_AXES * UHI_FLOW_COUNT];
    uint64_t most_pending; /* points that the counters may hold: 2^32 - 1, or fewer to test what happens then */
    uint64_t pending;      /* points that they hold, and the store on the device */
    int dirty;             /* the counters hold what is to be forgotten; pending is 0 */
    int unsure;            /* the store may have begun to add a piece that failed */
    uh_status failed;      /* what made it impossible to go on */
};

#endif
