/* SPDX-License-Identifier: Apache-2.0 */
/* Which values may be counted, the largest value, and the error for the first that may not be counted. */
#ifndef UHI_BINCOUNT_LIMIT_H
#define UHI_BINCOUNT_LIMIT_H

#include "kernels/bincount/bincount.h"
#include "kernels/common/frame.h"

/* If given, values up to `max` are allowed; otherwise all that are not negative and fit in memory. */
struct uhi_bincount_limit {
    int given;
    uint64_t max;
};

/* The largest value of a type that may be counted, if memory holds that many bins. */
uint64_t uhi_bincount_allowed(uh_dtype dtype, struct uhi_bincount_limit limit);

/* Number of 8-byte bins that this machine's memory holds. */
uint64_t uhi_bincount_room(void);

/* UH_ERROR_INVALID_ARGUMENT if a valid dtype is not one of integers. */
uh_status uhi_bincount_check_dtype(const char *call, const char *argument, uh_dtype dtype);

/* UH_ERROR_OUT_OF_MEMORY if memory does not hold a result of this length. */
uh_status uhi_bincount_check_length(const char *call, const char *argument, size_t length);

/* Finds the largest value of the frame's first input, in any memory. If a value may not be counted, fails as
 * uhi_bincount_refuse. */
uh_status uhi_bincount_find_largest(struct uhi_frame *frame, uh_dtype dtype, struct uhi_bincount_limit limit,
                                    uint64_t *largest);

/* Reports the first value of the frame's first input that may not be counted: negative or above the limit
 * (UH_ERROR_INVALID_ARGUMENT), or, if none is found, one that needs more than the memory (UH_ERROR_OUT_OF_MEMORY).
 * Always fails. */
uh_status uhi_bincount_refuse(struct uhi_frame *frame, uh_dtype dtype, struct uhi_bincount_limit limit);

#endif
