/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/random_oracle.h"

#include <math.h>
#include <string.h>

#include <Random123/philox.h>

#include "kernels/random/random_run.h"

uint64_t random_oracle_64(uh_generator generator, uint64_t seed, uint64_t stream, uint64_t i) {
    if (generator == UH_PHILOX4X64_10) {
        const philox4x64_ctr_t counter = {{i / 4, 0, 0, 0}};
        const philox4x64_key_t key = {{seed, stream}};
        return philox4x64(counter, key).v[i % 4];
    }
    const uint64_t block = i / 2;
    const philox4x32_ctr_t counter = {
        {(uint32_t)block, (uint32_t)(block >> 32), (uint32_t)stream, (uint32_t)(stream >> 32)}};
    const philox4x32_key_t key = {{(uint32_t)seed, (uint32_t)(seed >> 32)}};
    const philox4x32_ctr_t words = philox4x32(counter, key);
    return words.v[i % 2 * 2] | (uint64_t)words.v[i % 2 * 2 + 1] << 32;
}

uint32_t random_oracle_32(uh_generator generator, uint64_t seed, uint64_t stream, uint64_t i) {
    return (uint32_t)(random_oracle_64(generator, seed, stream, i / 2) >> i % 2 * 32);
}

__extension__ typedef unsigned __int128 wide;

uint64_t random_oracle_bounded(uh_generator generator, uint64_t seed, uint64_t stream, uint64_t i, uint64_t bound,
                               int bits) {
    const wide all = (wide)1 << bits, below = bound ? bound : all;
    for (uint64_t t = 0;; t++) {
        const uint64_t word = bits == 32 ? random_oracle_32(generator, seed, stream ^ t << 32, i)
                                         : random_oracle_64(generator, seed, stream ^ t << 32, i);
        const wide product = word * below;
        if (product % all >= all % below)
            return (uint64_t)(product / all);
    }
}

void random_oracle_store(enum uhi_random_kind kind, uh_generator generator, uint64_t seed, uint64_t stream, uint64_t i,
                         uint64_t bound, void *to) {
    uint64_t value = 0;
    float f;
    double d;
    switch (kind) {
    case UHI_RANDOM_U32: value = random_oracle_32(generator, seed, stream, i); break;
    case UHI_RANDOM_U64: value = random_oracle_64(generator, seed, stream, i); break;
    case UHI_RANDOM_F32:
        f = ldexpf((float)(random_oracle_32(generator, seed, stream, i) >> 8), -24);
        memcpy(to, &f, sizeof f);
        return;
    case UHI_RANDOM_F64:
        d = ldexp((double)(random_oracle_64(generator, seed, stream, i) >> 11), -53);
        memcpy(to, &d, sizeof d);
        return;
    case UHI_RANDOM_BOUNDED_64: value = random_oracle_bounded(generator, seed, stream, i, bound, 64); break;
    default: value = random_oracle_bounded(generator, seed, stream, i, bound, 32); break;
    }
    memcpy(to, &value, uhi_random_size(kind));
}

const char *random_call(enum uhi_random_kind kind) {
    switch (kind) {
    case UHI_RANDOM_U32: return "uh_random_u32";
    case UHI_RANDOM_U64: return "uh_random_u64";
    case UHI_RANDOM_F32: return "uh_random_uniform_f32";
    case UHI_RANDOM_F64: return "uh_random_uniform_f64";
    case UHI_RANDOM_BOUNDED_32: return "uh_random_bounded_u32";
    case UHI_RANDOM_BOUNDED_64: return "uh_random_bounded_u64";
    default: return "uhi_random_fill";
    }
}

uh_status random_make(uh_queue *queue, enum uhi_random_kind kind, uh_generator generator, uint64_t seed,
                      uint64_t stream, uint64_t offset, uint64_t bound, void *out, size_t n) {
    switch (kind) {
    case UHI_RANDOM_U32: return uh_random_u32(queue, generator, seed, stream, offset, out, n);
    case UHI_RANDOM_U64: return uh_random_u64(queue, generator, seed, stream, offset, out, n);
    case UHI_RANDOM_F32: return uh_random_uniform_f32(queue, generator, seed, stream, offset, out, n);
    case UHI_RANDOM_F64: return uh_random_uniform_f64(queue, generator, seed, stream, offset, out, n);
    case UHI_RANDOM_BOUNDED_32:
        return uh_random_bounded_u32(queue, generator, seed, stream, offset, (uint32_t)bound, out, n);
    case UHI_RANDOM_BOUNDED_64: return uh_random_bounded_u64(queue, generator, seed, stream, offset, bound, out, n);
    default: return uhi_random_fill(queue, random_call(kind), generator, kind, seed, stream, offset, bound, 0, out, n);
    }
}
