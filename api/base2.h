/* SPDX-License-Identifier: Apache-2.0 */
/* Exponential histograms, and their axes. */
#pragma once

#include <unihist/base2.h>

#include "api/histogram.h"

enum { UHI_SIGNS = 2 };

/* Buckets from `lo` to `hi`; none if hi < lo. */
struct uhi_base2_range {
    int64_t lo, hi;
};

static inline size_t uhi_base2_width(struct uhi_base2_range range) {
    return range.hi < range.lo ? 0 : (size_t)(range.hi - range.lo + 1);
}

/* An axis over buckets of negative and positive values. Other values have bins too: if there is one of zeros, those
 * between zeros and buckets; and if the axis is closed, finite ones beyond the buckets. */
struct uhi_base2_axis {
    int scale, closed, zeros;
    struct uhi_base2_range range[UHI_SIGNS];
    double zero_threshold;
    /* Set by uhi_base2_axis_make: the bin of zeros, and the bins of lowest number that are buckets. */
    size_t zero, first[UHI_SIGNS];
};

uh_status uhi_base2_axis_make(const char *call, struct uhi_base2_axis *axis, uh_axis **made);

/* Returns the range of buckets that have a float64. */
struct uhi_base2_range uhi_base2_all(int scale);

/* Makes an empty histogram over such an axis. */
uh_status uhi_base2_over(const char *call, uh_queue *queue, struct uhi_base2_axis *over, uh_histogram **histogram);

/* Stores the number of all values, NaN too; returns 0 if it passes 2^64 - 1. */
int uhi_base2_count(const uh_base2_contents *contents, uint64_t *all);

/* Contents with memory for their counts. */
struct uhi_base2_kept {
    uh_base2_contents contents;
    uint64_t *counts; /* owned, of both signs */
};

/* Counts values over an axis that is wider than the contents. */
struct uhi_base2_counter {
    struct uhi_base2_axis axis;
    uh_histogram *histogram; /* empty between calls; NULL: none yet */
};

struct uh_base2 {
    uh_queue *queue;
    size_t max_bins;
    int32_t max_scale;
    struct uhi_base2_kept kept;
    struct uhi_base2_counter counter;
};
