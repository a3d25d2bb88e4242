/* SPDX-License-Identifier: Apache-2.0 */
/* Which values may be counted, the largest there is, and what is said of the first that may not. */
#ifndef UHI_BINCOUNT_LIMIT_H
#define UHI_BINCOUNT_LIMIT_H

#include "kernels/bincount/bincount.h"
#include "kernels/common/frame.h"

/* Every value up to `max` may come where it is given, else every one that is not negative and fits in memory. */
struct uhi_bincount_limit {
    int given;
    uint64_t max;
};

/* The largest value of a type that may be counted, if memory holds as many bins. */
uint64_t uhi_bincount_allowed(uh_dtype dtype, struct uhi_bincount_limit limit);

/* How many bins of 8 bytes this machine's memory holds. */
uint64_t uhi_bincount_room(void);

/* UH_ERROR_INVALID_ARGUMENT where a dtype, which is one, is none of integers. */
uh_status uhi_bincount_check_dtype(const char *call, const char *argument, uh_dtype dtype);

/* UH_ERROR_OUT_OF_MEMORY for a length of a result that memory does not hold. */
uh_status uhi_bincount_check_length(const char *call, const char *argument, size_t length);

/* Finds the largest value of the frame's first input, wherever that is. Where one may not be counted, fails as
 * uhi_bincount_refuse. */
uh_status uhi_bincount_find_largest(struct uhi_frame *frame, uh_dtype dtype, struct uhi_bincount_limit limit,
                                    uint64_t *largest);

/* Says what is wrong with the first value of the frame's first input that may not be counted: it is negative or above
 * the limit (UH_ERROR_INVALID_ARGUMENT), or, where none is, needs more than the memory (UH_ERROR_OUT_OF_MEMORY). Always
 * fails. */
uh_status uhi_bincount_refuse(struct uhi_frame *frame, uh_dtype dtype, struct uhi_bincount_limit limit);

#endif
