/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/sample_oracle.h"

#include <Random123/philox.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/sample/sample_run.h"
#include "tests/support.h"

struct oracle oracle;

static void oracle_sum(void) {
    u128 total = 0, sum = 0;
    for (size_t j = 0; j < oracle.k; j++)
        total += oracle.weight[j];
    for (size_t j = 0; total && j <= oracle.k; j++) {
        oracle.c[j] = (sum << 64) / total;
        sum += j < oracle.k ? oracle.weight[j] : 0;
    }
}

uint32_t word(uint64_t seed, uint64_t stream, uint64_t i) {
    const philox4x32_ctr_t counter = {
        {(uint32_t)(i / 4), (uint32_t)(i / 4 >> 32), (uint32_t)stream, (uint32_t)(stream >> 32)}};
    const philox4x32_key_t key = {{(uint32_t)seed, (uint32_t)(seed >> 32)}};
    return philox4x32_R(10, counter, key).v[i % 4];
}

uint64_t both_words(uint64_t seed, uint64_t i) {
    return (uint64_t)word(seed, STREAM, i) << 32 | word(seed, STREAM + 1, i);
}

uint64_t oracle_sample(uint64_t seed, uint64_t i) {
    const uint64_t u = both_words(seed, i);
    size_t low = 0, high = oracle.k; /* C[low] <= u < C[high] */
    while (high - low > 1) {
        const size_t middle = (low + high) / 2;
        *(oracle.c[middle] <= u ? &low : &high) = middle;
    }
    return low;
}

uint64_t sample_oracle_alias(const uh_sampler *sampler, uint64_t seed, uint64_t i) {
    const struct uhi_sample_table *t = uhi_sampler_get_form(sampler)->part[0];
    const uint64_t u = both_words(seed, i), column = u >> (64 - t->bits);
    const uint64_t own = (uint64_t)t->threshold[column] << 32 | t->rest[column];
    return (u & (((uint64_t)1 << (64 - t->bits)) - 1)) < own ? column : t->alias[column];
}

void make_weights(enum kind kind, size_t k, uint32_t most) {
    uint64_t state = k * 10 + kind;
    oracle.k = k;
    for (size_t j = 0; j < k; j++) {
        const uint32_t r = (uint32_t)(test_random_u64(&state) >> 32);
        switch (kind) {
        case EQUAL: oracle.weight[j] = most; break;
        case RANDOM: oracle.weight[j] = r % most + 1; break;
        case STEEP: oracle.weight[j] = most / (uint32_t)(j + 1) + 1; break;
        case HOLES: oracle.weight[j] = r % 3 ? 0 : r / 3 % most + (r / 3 % most == 0); break;
        case ONE_OF_MANY: oracle.weight[j] = j == k / 2 ? most : 0; break;
        default: oracle.weight[j] = j % 7 == 3 ? most : 1; break;
        }
    }
    oracle.weight[k / 3] += oracle.weight[k / 3] == 0 && kind != ONE_OF_MANY;
    oracle_sum();
}

uint32_t most_of(uh_dtype dtype) {
    switch (dtype) {
    case UH_I8: return 100;
    case UH_U8: return 200;
    case UH_I16: return 30000;
    case UH_U16: return 60000;
    default: return 16000000; /* what a float32 holds */
    }
}

void *typed_weights(uh_dtype dtype, int odd) {
    char *array = malloc(oracle.k * 8 + 1);
    assert_non_null(array);
    for (size_t j = 0; j < oracle.k; j++) {
        const uint32_t w = oracle.weight[j];
        char *at = array + odd + j * uh_dtype_size(dtype);
        switch (dtype) {
#define STORE(T, value)                                                                                                \
    do {                                                                                                               \
        const T typed = (T)(value);                                                                                    \
        memcpy(at, &typed, sizeof typed);                                                                              \
    } while (0)
        case UH_F32: STORE(float, (double)w / 1024); break;
        case UH_F64: STORE(double, (double)w * 0x1p990); break;
        case UH_I8: STORE(int8_t, w); break;
        case UH_U8: STORE(uint8_t, w); break;
        case UH_I16: STORE(int16_t, w); break;
        case UH_U16: STORE(uint16_t, w); break;
        case UH_I32: STORE(int32_t, w); break;
        case UH_U32: STORE(uint32_t, w); break;
        case UH_I64: STORE(int64_t, (uint64_t)w << 38); break;
        case UH_U64: STORE(uint64_t, (uint64_t)w << 39); break;
        }
    }
    return array;
}
