/* SPDX-License-Identifier: Apache-2.0 */
#include <unihist/random.h>

#include "api/histogram.h"
#include "kernels/common/sequence.h"
#include "kernels/random/random.h"
#include "runtime/status.h"

/* The kinds of elements that are not bounded. */
static const enum uhi_random_kind kinds[UH_DTYPE_COUNT] = {
    [UH_U32] = UHI_RANDOM_U32, [UH_U64] = UHI_RANDOM_U64, [UH_F32] = UHI_RANDOM_F32, [UH_F64] = UHI_RANDOM_F64};

uh_status uh_random(uh_queue *queue, const uh_random_stream *from, uint64_t bound, uh_dtype dtype, void *out,
                    size_t n) {
    const char *name = uh_enum_name(UH_ENUM_DTYPE, dtype);
    UHI_NEED(__func__, from, "a position in a stream");
    if (dtype != UH_U32 && dtype != UH_U64 && dtype != UH_F32 && dtype != UH_F64)
        return uhi_fail_argument(__func__, "dtype", "is %s, expected uint32, uint64, float32 or float64",
                                 name ? name : "invalid");
    if ((dtype == UH_F32 || dtype == UH_F64) && bound)
        return uhi_fail_argument(__func__, "bound", "is %llu, expected 0 for %s", (unsigned long long)bound, name);
    if (dtype == UH_U32 && bound > (uint64_t)1 << 32)
        return uhi_fail_argument(__func__, "bound", "is %llu, expected at most 2^32 for uint32",
                                 (unsigned long long)bound);
    const enum uhi_random_kind bounded = dtype == UH_U32 ? UHI_RANDOM_BOUNDED_32 : UHI_RANDOM_BOUNDED_64;
    const struct uhi_random_job job = {.generator = from->generator,
                                       .kind = bound ? bounded : kinds[dtype],
                                       .seed = from->seed,
                                       .stream = from->stream,
                                       .offset = from->offset,
                                       .bound = bound};
    return uhi_random_fill(queue, __func__, &job, out, n);
}

uh_status uh_random_sobol(uh_queue *queue, const uh_sobol *from, uh_dtype dtype, void *out, size_t n) {
    const char *name = uh_enum_name(UH_ENUM_DTYPE, dtype);
    UHI_NEED(__func__, from, "a position in a sequence");
    if (dtype != UH_U32 && dtype != UH_F32 && dtype != UH_F64)
        return uhi_fail_argument(__func__, "dtype", "is %s, expected uint32, float32 or float64",
                                 name ? name : "invalid");
    UHI_TRY(uhi_check_enum(__func__, "from->scramble", UH_NO_INDEX, UH_ENUM_SCRAMBLE, from->scramble));
    UHI_TRY(uhi_check_between(__func__, "from->dims", UH_NO_INDEX, from->dims, 1, UH_SOBOL_MAX_DIMS));
    if (from->offset > (uint64_t)1 << 32 || n > ((uint64_t)1 << 32) - from->offset)
        return uhi_fail_argument(__func__, "from->offset", "is %llu and n is %zu, expected points before 2^32",
                                 (unsigned long long)from->offset, n);
    const struct uhi_random_job job = {.kind = kinds[dtype],
                                       .seed = from->seed,
                                       .stream = from->stream,
                                       .offset = from->offset,
                                       .sequence =
                                           from->scramble == UH_SCRAMBLE_OWEN ? UHI_SEQUENCE_OWEN : UHI_SEQUENCE_SHIFT,
                                       .scrambled = from->scramble != UH_SCRAMBLE_NONE,
                                       .dims = from->dims};
    return uhi_random_fill(queue, __func__, &job, out, n);
}
