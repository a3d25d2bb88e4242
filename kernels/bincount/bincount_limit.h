/* SPDX-License-Identifier: Apache-2.0 */
/* Which values may be counted, and what is said of the first that may not. */
#ifndef UHI_BINCOUNT_LIMIT_H
#define UHI_BINCOUNT_LIMIT_H

#include "kernels/bincount/bincount.h"

/* Every value up to `most` may come where it is given, else every one that is not negative and fits in memory. */
struct uhi_bincount_limit {
    int given;
    uint64_t most;
};

/* The largest value of a type, as unsigned: what is larger is negative. */
uint64_t uhi_bincount_largest_of(uh_dtype dtype);

/* The largest value that may be counted: the given one, or that of the type. */
uint64_t uhi_bincount_allowed(uh_dtype dtype, struct uhi_bincount_limit limit);

/* How many bins of 8 bytes this machine's memory holds. */
uint64_t uhi_bincount_room(void);

/* UH_ERROR_INVALID_ARGUMENT where dtype is none of integers. */
uh_status uhi_bincount_check_dtype(const char *call, uh_dtype dtype);

/* What is wrong with value number `at`, whose bits are `value`: it is above what is allowed
 * (UH_ERROR_INVALID_ARGUMENT), or else needs more than the memory (UH_ERROR_OUT_OF_MEMORY). */
uh_status uhi_bincount_refuse(const char *call, uh_dtype dtype, struct uhi_bincount_limit limit, uint64_t at,
                              uint64_t value);

#endif
