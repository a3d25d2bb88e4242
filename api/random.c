/* SPDX-License-Identifier: Apache-2.0 */
#include <unihist/random.h>

#include "kernels/random/random_run.h"

uh_status uh_random_u32(uh_queue *queue, uh_generator generator, uint64_t seed, uint64_t stream, uint64_t offset,
                        uint32_t *out, size_t n) {
    return uhi_random_fill(queue, __func__, generator, UHI_RANDOM_U32, seed, stream, offset, 0, 0, out, n);
}

uh_status uh_random_u64(uh_queue *queue, uh_generator generator, uint64_t seed, uint64_t stream, uint64_t offset,
                        uint64_t *out, size_t n) {
    return uhi_random_fill(queue, __func__, generator, UHI_RANDOM_U64, seed, stream, offset, 0, 0, out, n);
}

uh_status uh_random_uniform_f32(uh_queue *queue, uh_generator generator, uint64_t seed, uint64_t stream,
                                uint64_t offset, float *out, size_t n) {
    return uhi_random_fill(queue, __func__, generator, UHI_RANDOM_F32, seed, stream, offset, 0, 0, out, n);
}

uh_status uh_random_uniform_f64(uh_queue *queue, uh_generator generator, uint64_t seed, uint64_t stream,
                                uint64_t offset, double *out, size_t n) {
    return uhi_random_fill(queue, __func__, generator, UHI_RANDOM_F64, seed, stream, offset, 0, 0, out, n);
}

uh_status uh_random_bounded_u32(uh_queue *queue, uh_generator generator, uint64_t seed, uint64_t stream,
                                uint64_t offset, uint32_t bound, uint32_t *out, size_t n) {
    return uhi_random_fill(queue, __func__, generator, UHI_RANDOM_BOUNDED_32, seed, stream, offset, bound, 0, out, n);
}

uh_status uh_random_bounded_u64(uh_queue *queue, uh_generator generator, uint64_t seed, uint64_t stream,
                                uint64_t offset, uint64_t bound, uint64_t *out, size_t n) {
    return uhi_random_fill(queue, __func__, generator, UHI_RANDOM_BOUNDED_64, seed, stream, offset, bound, 0, out, n);
}
