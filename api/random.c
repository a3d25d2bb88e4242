/* SPDX-License-Identifier: Apache-2.0 */
#include <unihist/random.h>

#include "kernels/random/random_run.h"
#include "runtime/status.h"

static uh_status fail_dtype(const char *call, uh_dtype dtype, const char *expected) {
    const char *name = uh_dtype_name(dtype);
    return uhi_fail(UH_ERROR_INVALID_ARGUMENT, call, "dtype", "is %s, expected %s", name ? name : "none", expected);
}

uh_status uh_random_bits(uh_queue *queue, uh_generator generator, uint64_t seed, uint64_t stream, uint64_t offset,
                         uh_dtype dtype, void *out, size_t n) {
    if (dtype != UH_U32 && dtype != UH_U64)
        return fail_dtype(__func__, dtype, "uint32 or uint64");
    return uhi_random_fill(queue, __func__, generator, dtype == UH_U32 ? UHI_RANDOM_U32 : UHI_RANDOM_U64, seed, stream,
                           offset, 0, 0, out, n);
}

uh_status uh_random_uniform(uh_queue *queue, uh_generator generator, uint64_t seed, uint64_t stream, uint64_t offset,
                            uh_dtype dtype, void *out, size_t n) {
    if (dtype != UH_F32 && dtype != UH_F64)
        return fail_dtype(__func__, dtype, "float32 or float64");
    return uhi_random_fill(queue, __func__, generator, dtype == UH_F32 ? UHI_RANDOM_F32 : UHI_RANDOM_F64, seed, stream,
                           offset, 0, 0, out, n);
}

uh_status uh_random_bounded(uh_queue *queue, uh_generator generator, uint64_t seed, uint64_t stream, uint64_t offset,
                            uint64_t bound, uh_dtype dtype, void *out, size_t n) {
    if (dtype != UH_U32 && dtype != UH_U64)
        return fail_dtype(__func__, dtype, "uint32 or uint64");
    if (dtype == UH_U32 && bound > (uint64_t)1 << 32)
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, __func__, "bound", "is %llu, expected at most 2^32 for uint32",
                        (unsigned long long)bound);
    return uhi_random_fill(queue, __func__, generator, dtype == UH_U32 ? UHI_RANDOM_BOUNDED_32 : UHI_RANDOM_BOUNDED_64,
                           seed, stream, offset, bound, 0, out, n);
}
