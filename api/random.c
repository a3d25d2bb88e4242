/* SPDX-License-Identifier: Apache-2.0 */
#include <unihist/random.h>

#include <string.h>

#include "kernels/random/random_run.h"
#include "runtime/status.h"

static const char *const names[UHI_GENERATORS] = {[UH_PHILOX4X32_10] = "philox4x32", [UH_PHILOX4X64_10] = "philox4x64"};

const char *uh_generator_name(uh_generator generator) {
    return (unsigned)generator < UHI_GENERATORS ? names[generator] : NULL;
}

uh_status uh_generator_parse(const char *name, uh_generator *generator) {
    if (!name)
        return uhi_fail_null(__func__, "name", "the name of a generator");
    if (!generator)
        return uhi_fail_null(__func__, "generator", "where to store the generator");
    for (unsigned i = 0; i < UHI_GENERATORS; i++) {
        if (strcmp(name, names[i]) == 0) {
            *generator = (uh_generator)i;
            return UH_SUCCESS;
        }
    }
    return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: name is '%s', expected %s or %s", __func__, name, names[0],
                    names[1]);
}

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
