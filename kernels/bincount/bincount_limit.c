/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/bincount/bincount_limit.h"

#include <inttypes.h>
#include <unistd.h>

#include "kernels/bincount/extent.h"
#include "runtime/status.h"

static int is_signed(uh_dtype dtype) {
    return dtype == UH_I8 || dtype == UH_I16 || dtype == UH_I32 || dtype == UH_I64;
}

uint64_t uhi_bincount_largest_of(uh_dtype dtype) {
    const uint64_t all = UINT64_MAX >> (64 - 8 * uhi_value_size(dtype));
    return is_signed(dtype) ? all >> 1 : all;
}

uint64_t uhi_bincount_allowed(uh_dtype dtype, struct uhi_bincount_limit limit) {
    const uint64_t largest = uhi_bincount_largest_of(dtype);
    return limit.given && limit.most < largest ? limit.most : largest;
}

uint64_t uhi_bincount_room(void) {
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    const uint64_t most = (SIZE_MAX >> 1) / sizeof(uint64_t);
    if (pages <= 0 || page <= 0)
        return most;
    const uint64_t bins = (uint64_t)pages * (uint64_t)page / sizeof(uint64_t);
    return bins < most ? bins : most;
}

uh_status uhi_bincount_check_dtype(const char *call, uh_dtype dtype) {
    if (dtype == UH_F32 || dtype == UH_F64 || !uh_dtype_size(dtype))
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: dtype is %s, expected a type of integers, int8 to uint64", call,
                        uh_dtype_size(dtype) ? uh_dtype_name(dtype) : "none");
    return UH_SUCCESS;
}

uh_status uhi_bincount_refuse(const char *call, uh_dtype dtype, struct uhi_bincount_limit limit, uint64_t at,
                              uint64_t value) {
    const uint64_t largest = uhi_bincount_largest_of(dtype);
    if (value > largest)
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: x[%" PRIu64 "] is %" PRId64 ", expected no negative value",
                        call, at, (int64_t)(value - 2 * largest - 2));
    if (limit.given && value > limit.most)
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: x[%" PRIu64 "] is %" PRIu64 ", expected at most %" PRIu64, call,
                        at, value, limit.most);
    return uhi_fail(UH_ERROR_OUT_OF_MEMORY,
                    "%s: x[%" PRIu64 "] is %" PRIu64 ", which asks for more bins than memory holds, expected at most "
                    "%" PRIu64,
                    call, at, value, uhi_bincount_room() - 1);
}
