/* SPDX-License-Identifier: Apache-2.0 */
/* The operations of simd.h and philox_simd.h, element by element, against C. Compiled once for each x86-64
 * level: test_simd.c runs those of the levels that the CPU has. */
#include <math.h>
#include <string.h>

#include "kernels/common/philox_simd.h"
#include "tests/splitmix.h"

#define NAME_OF(level)  simd_wrong_##level
#define NAME(level)     NAME_OF(level)
#define EXPECT(op, got) /* of lane j */                                                                                \
    if (!(got))                                                                                                        \
    return op

/* Numbers near each other and near the ends, so that comparisons are close and signs matter. */
static uint64_t draw(uint64_t *state) {
    static const uint64_t ends[] = {0, 1, 0x7fffffff, 0x80000000, 0xffffffff, UINT64_C(1) << 63, UINT64_MAX};
    const uint64_t r = splitmix_next(state);
    return ends[r % 7] + (r >> 8 & 1) * (r >> 32) - (r >> 9 & 1);
}

/* Floats F with suffix f and integers I with suffix i, whose indices are x and masks m. */
#define LANES(x, m, lanes, f, F, i, I, U)                                                                              \
    static const char *indices_##i(uint64_t *state) {                                                                  \
        uint32_t a[lanes], b[lanes], n[lanes], mask[lanes], table[64], out[13][lanes];                                 \
        int top = 0, half = 0, all = 1;                                                                                \
        uint32_t alike = 0;                                                                                            \
        for (size_t j = 0; j < 64; j++)                                                                                \
            table[j] = (uint32_t)draw(state);                                                                          \
        for (size_t j = 0; j < (lanes); j++) {                                                                         \
            a[j] = (uint32_t)draw(state);                                                                              \
            b[j] = draw(state) % 3 ? (uint32_t)draw(state) : a[j] ^ (uint32_t)(draw(state) % 2 ? 1 : 0x10000);         \
            n[j] = (uint32_t)(splitmix_next(state) % 34);                                                              \
            mask[j] = a[j] <= b[j];                                                                                    \
            top |= a[j] >> 31 != 0;                                                                                    \
            half |= a[j] >> 16 == b[j] >> 16 || (a[j] & 0xffff) == (b[j] & 0xffff);                                    \
            alike |= (uint32_t)(((a[j] ^ b[j]) & 0xff00) == 0) << j;                                                   \
            all &= a[j] == a[0];                                                                                       \
        }                                                                                                              \
        const x va = x##_load(a), vb = x##_load(b), vn = x##_load(n);                                                  \
        const x at = x##_and(va, x##_set(63));                                                                         \
        const m le = x##_le(va, vb);                                                                                   \
        const x results[] = {x##_select(le, va, vb),                                                                   \
                             x##_min(va, vb),                                                                          \
                             x##_add_if(le, va, vb),                                                                   \
                             x##_increment(le, va),                                                                    \
                             x##_srlv(va, vn),                                                                         \
                             x##_sllv(va, vn),                                                                         \
                             x##_add(va, vb),                                                                          \
                             x##_mul(va, vb),                                                                          \
                             x##_and(va, vb),                                                                          \
                             x##_select(m##_and(le, m##_or(m##_all(0), le)), x##_set(1), x##_set(0)),                  \
                             x##_gather(table, at),                                                                    \
                             x##_load_scalar(table, at),                                                               \
                             x##_gather_if(le, va, table, at)};                                                        \
        for (size_t k = 0; k < 13; k++)                                                                                \
            x##_store(out[k], results[k]);                                                                             \
        for (size_t j = 0; j < (lanes); j++) {                                                                         \
            EXPECT(#x "_le, _select", out[0][j] == (mask[j] ? a[j] : b[j]));                                           \
            EXPECT(#x "_min", out[1][j] == (mask[j] ? a[j] : b[j]));                                                   \
            EXPECT(#x "_add_if", out[2][j] == a[j] + (mask[j] ? b[j] : 0));                                            \
            EXPECT(#x "_increment", out[3][j] == a[j] + mask[j]);                                                      \
            EXPECT(#x "_srlv", out[4][j] == (n[j] > 31 ? 0 : a[j] >> n[j]));                                           \
            EXPECT(#x "_sllv", out[5][j] == (n[j] > 31 ? 0 : a[j] << n[j]));                                           \
            EXPECT(#x "_add", out[6][j] == a[j] + b[j]);                                                               \
            EXPECT(#x "_mul", out[7][j] == a[j] * b[j]);                                                               \
            EXPECT(#x "_and", out[8][j] == (a[j] & b[j]));                                                             \
            EXPECT(#m "_and, _or", out[9][j] == mask[j]);                                                              \
            EXPECT(#x "_gather", out[10][j] == table[a[j] & 63]);                                                      \
            EXPECT(#x "_load_scalar", out[11][j] == table[a[j] & 63]);                                                 \
            EXPECT(#x "_gather_if", out[12][j] == (mask[j] ? table[a[j] & 63] : a[j]));                                \
        }                                                                                                              \
        EXPECT(#x "_any_top", (x##_any_top(va) != 0) == top);                                                          \
        EXPECT(#x "_any_half", (x##_any_half(va, vb) != 0) == half);                                                   \
        EXPECT(#x "_alike", x##_alike(va, vb, 0xff00) == alike);                                                       \
        EXPECT(#x "_all_are", (x##_all_are(a, a[0]) != 0) == all);                                                     \
        return NULL;                                                                                                   \
    }                                                                                                                  \
    static const char *integers_##i(uint64_t *state) {                                                                 \
        I a[lanes], b[lanes];                                                                                          \
        uint32_t out[8][lanes];                                                                                        \
        for (size_t j = 0; j < (lanes); j++) {                                                                         \
            a[j] = (I)(U)draw(state);                                                                                  \
            b[j] = draw(state) % 4 ? (I)(U)draw(state) : a[j];                                                         \
        }                                                                                                              \
        const uhi_v##i va = uhi_load_##i(a), vb = uhi_load_##i(b);                                                     \
        const x one = x##_set(1), zero = x##_set(0);                                                                   \
        x##_store(out[0], x##_select(uhi_ge_##i(va, vb), one, zero));                                                  \
        x##_store(out[1], x##_select(uhi_lt_##i(va, vb), one, zero));                                                  \
        x##_store(out[2], uhi_index_##i(uhi_max_##i(va, vb)));                                                         \
        x##_store(out[3], uhi_index_##i(uhi_min_##i(va, vb)));                                                         \
        x##_store(out[4], uhi_index_##i(uhi_sub_##i(va, vb)));                                                         \
        x##_store(out[5], uhi_index_##i(uhi_xor_##i(va, vb)));                                                         \
        x##_store(out[6], uhi_index_##i(uhi_srl_##i(va, 5)));                                                          \
        x##_store(out[7], uhi_index_##i(uhi_srlv_##i(va, x##_set(7))));                                                \
        for (size_t j = 0; j < (lanes); j++) {                                                                         \
            EXPECT("uhi_ge_" #i, out[0][j] == (a[j] >= b[j]));                                                         \
            EXPECT("uhi_lt_" #i, out[1][j] == (a[j] < b[j]));                                                          \
            EXPECT("uhi_max_" #i, out[2][j] == (uint32_t)(a[j] > b[j] ? a[j] : b[j]));                                 \
            EXPECT("uhi_min_" #i, out[3][j] == (uint32_t)(a[j] < b[j] ? a[j] : b[j]));                                 \
            EXPECT("uhi_sub_" #i, out[4][j] == (uint32_t)((U)a[j] - (U)b[j]));                                         \
            EXPECT("uhi_xor_" #i, out[5][j] == (uint32_t)(a[j] ^ b[j]));                                               \
            EXPECT("uhi_srl_" #i, out[6][j] == (uint32_t)((U)a[j] >> 5));                                              \
            EXPECT("uhi_srlv_" #i, out[7][j] == (uint32_t)((U)a[j] >> 7));                                             \
        }                                                                                                              \
        return NULL;                                                                                                   \
    }                                                                                                                  \
    static const char *floats_##f(uint64_t *state) {                                                                   \
        static const F some[] = {0, 1, 1, -1, 2.5F, 1e9F, -1e9F, 99.75F, NAN, INFINITY, -INFINITY};                    \
        F a[lanes], b[lanes];                                                                                          \
        I key;                                                                                                         \
        uint32_t out[6][lanes];                                                                                        \
        for (size_t j = 0; j < (lanes); j++) {                                                                         \
            a[j] = some[splitmix_next(state) % 11];                                                                    \
            b[j] = some[splitmix_next(state) % 11];                                                                    \
        }                                                                                                              \
        const uhi_v##f va = uhi_load_##f(a), vb = uhi_load_##f(b), high = uhi_set_##f(100);                            \
        const x one = x##_set(1), zero = x##_set(0);                                                                   \
        x##_store(out[0], x##_select(uhi_ge_##f(va, vb), one, zero));                                                  \
        x##_store(out[1], x##_select(uhi_lt_##f(va, vb), one, zero));                                                  \
        x##_store(out[2], x##_select(uhi_nan_##f(va), one, zero));                                                     \
        x##_store(out[3], uhi_index_##f(uhi_clamp_##f(va, high)));                                                     \
        x##_store(out[4], uhi_index_##f(uhi_limit_##f(va, high)));                                                     \
        x##_store(out[5], uhi_index_##i(uhi_key_##f(va)));                                                             \
        for (size_t j = 0; j < (lanes); j++) {                                                                         \
            const F clamped = a[j] > 0 ? a[j] < 100 ? a[j] : 100 : 0;                                                  \
            memcpy(&key, &a[j], sizeof key);                                                                           \
            key = key < 0 ? key ^ (I)((U)-1 >> 1) : key;                                                               \
            EXPECT("uhi_ge_" #f, out[0][j] == (a[j] >= b[j]));                                                         \
            EXPECT("uhi_lt_" #f, out[1][j] == (a[j] < b[j]));                                                          \
            EXPECT("uhi_nan_" #f, out[2][j] == (a[j] != a[j]));                                                        \
            EXPECT("uhi_clamp_" #f, out[3][j] == (uint32_t)clamped);                                                   \
            EXPECT("uhi_limit_" #f, out[4][j] == (a[j] != a[j] ? UINT32_C(1) << 31 : (uint32_t)clamped));              \
            EXPECT("uhi_key_" #f, out[5][j] == (uint32_t)key);                                                         \
        }                                                                                                              \
        return NULL;                                                                                                   \
    }

LANES(uhi_x32, uhi_m32, UHI_LANES_32, f32, float, i32, int32_t, uint32_t)
LANES(uhi_x64, uhi_m64, UHI_LANES_64, f64, double, i64, int64_t, uint64_t)

/* Words from any block on, and around the end of the lower half of the block number. */
static const char *philox(uint64_t *state) {
    const uint64_t seed = splitmix_next(state), stream = splitmix_next(state), r = splitmix_next(state),
                   block = r % 3 ? r : (r & ~(uint64_t)UINT32_MAX) - r % 64;
    uint32_t words[2 * UHI_PHILOX_WORDS];
    struct uhi_philox p;
    uhi_philox_begin(&p, seed, stream, block);
    uhi_philox_store(&p, words);
    uhi_x32 next[UHI_PHILOX_VECTORS];
    uhi_philox_next(&p, next);
    for (size_t v = 0; v < UHI_PHILOX_VECTORS; v++)
        uhi_x32_store(words + UHI_PHILOX_WORDS + v * UHI_LANES_32, next[v]);
    for (uint64_t b = 0; b < 2 * UHI_PHILOX_BLOCKS; b++) {
        const uhi_philox_block_32 one = uhi_philox4x32(seed, stream, block + b);
        EXPECT(b < UHI_PHILOX_BLOCKS ? "uhi_philox_store" : "uhi_philox_next",
               memcmp(words + 4 * b, one.v, sizeof one.v) == 0);
    }
    return NULL;
}

typedef const char *part_function(uint64_t *seed);

extern const char *NAME(UH_ISA)(uint64_t seed); /* used by test_simd.c */
const char *NAME(UH_ISA)(uint64_t seed) {
    part_function *const parts[] = {indices_i32, indices_i64, integers_i32, integers_i64,
                                    floats_f32,  floats_f64,  philox};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const char *wrong = parts[i](&seed);
        if (wrong)
            return wrong;
    }
    return NULL;
}
