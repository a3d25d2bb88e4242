/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/random_oracle.h"

#include <math.h>
#include <string.h>

#include <Random123/philox.h>

static uint64_t random_oracle_64(uh_generator generator, uint64_t seed, uint64_t stream, uint64_t i) {
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

void random_oracle_store(const struct uhi_random_job *job, uint64_t i, void *to) {
    const uint64_t at = job->offset + i;
    const int bits = job->kind == UHI_RANDOM_BOUNDED_64 ? 64 : 32;
    uint64_t value = 0;
    float f;
    double d;
    switch (job->kind) {
    case UHI_RANDOM_U32: value = random_oracle_32(job->generator, job->seed, job->stream, at); break;
    case UHI_RANDOM_U64: value = random_oracle_64(job->generator, job->seed, job->stream, at); break;
    case UHI_RANDOM_F32:
        f = ldexpf((float)(random_oracle_32(job->generator, job->seed, job->stream, at) >> 8), -24);
        memcpy(to, &f, sizeof f);
        return;
    case UHI_RANDOM_F64:
        d = ldexp((double)(random_oracle_64(job->generator, job->seed, job->stream, at) >> 11), -53);
        memcpy(to, &d, sizeof d);
        return;
    default: value = job->add + random_oracle_bounded(job->generator, job->seed, job->stream, at, job->bound, bits);
    }
    memcpy(to, &value, uhi_random_size(job->kind)); /* little-endian */
}
