/* SPDX-License-Identifier: Apache-2.0 */
#include "perf/plain.h"

#include <Random123/philox.h>

void perf_plain_philox(uint64_t seed, uint64_t stream, uint64_t block, uint32_t *words, size_t n) {
    const philox4x32_key_t key = {{(uint32_t)seed, (uint32_t)(seed >> 32)}};
    for (size_t i = 0; i + 4 <= n; i += 4, block++) {
        const philox4x32_ctr_t counter = {
            {(uint32_t)block, (uint32_t)(block >> 32), (uint32_t)stream, (uint32_t)(stream >> 32)}};
        const philox4x32_ctr_t four = philox4x32(counter, key);
        words[i] = four.v[0];
        words[i + 1] = four.v[1];
        words[i + 2] = four.v[2];
        words[i + 3] = four.v[3];
    }
}
