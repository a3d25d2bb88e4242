/* SPDX-License-Identifier: Apache-2.0 */
/* Adding points to a thread's own tables, compiled once per x86-64 level. Plain loops: those that turn weights into
 * places and integers have no branch and are vectorized; those that add do one addition to memory per point. */
#include <string.h>

#include "kernels/accumulate/tables.h"
#include "kernels/registry.h"

enum { CHUNK = 256, AHEAD = 4096 /* bytes */, LINE = 64, SAME = 64, LARGEST_LANES = 8 };

/* ---- counts ------------------------------------------------------------------------------------------------------ */

/* Returns whether the next SAME cells are equal, in which case each addition would wait for the store before it.
 * Usually only the first and the last are compared. */
static inline int all_same(const uint32_t *cell) {
    uint32_t other = 0;
    if (cell[0] != cell[SAME - 1])
        return 0;
    for (int i = 0; i < SAME; i++)
        other |= cell[i] ^ cell[0];
    return other == 0;
}

static void count(const struct uhi_store_tables *t, const uint32_t *cell, size_t n) {
    uint32_t *c0 = t->count, *c1 = c0 + (t->replicas > 1 ? t->pitch : 0);
    uint32_t *c2 = c0 + (t->replicas > 2 ? 2 * (size_t)t->pitch : 0), *c3 = c2 + (c1 - c0);
    size_t i = 0;
    for (; i + SAME <= n; i += SAME) {
        if (all_same(cell + i)) {
            c0[cell[i]] += SAME;
            continue;
        }
        for (int j = 0; j < SAME; j += 4) {
            c0[cell[i + (size_t)j]]++;
            c1[cell[i + (size_t)j + 1]]++;
            c2[cell[i + (size_t)j + 2]]++;
            c3[cell[i + (size_t)j + 3]]++;
        }
    }
    for (; i < n; i++)
        c0[cell[i]]++;
}

/* ---- exact sums -------------------------------------------------------------------------------------------------- */

static inline void add_all(int64_t *table, size_t copy_offset, const uint32_t *place, const int64_t *value, size_t n) {
    int64_t *other = table + copy_offset;
    size_t i = 0;
    for (; i + SAME <= n; i += SAME) {
        if (all_same(place + i)) {
            int64_t sum = 0;
            for (size_t j = 0; j < SAME; j++)
                sum += value[i + j];
            table[place[i]] += sum;
            continue;
        }
        for (size_t j = i; j < i + SAME; j += 2) {
            table[place[j]] += value[j];
            other[place[j + 1]] += value[j + 1];
        }
    }
    for (; i < n; i++)
        table[place[i]] += value[i];
}

/* Prefetches the weights AHEAD bytes on, because the reads in between defeat the hardware prefetcher. */
static inline void prefetch(const void *w, size_t bytes) {
    for (size_t at = 0; at < bytes; at += LINE)
        __builtin_prefetch((const char *)w + AHEAD + at);
}

/* Infinite or NaN weights of bits T: flags, and 0 to add; `other` may be NULL. */
#define FLAG(t_, T, infinite)                                                                                          \
    static void flag_##t_(const struct uhi_store_tables *t, const T *w, const uint32_t *cell, size_t n,                \
                          int64_t *value, int64_t *other) {                                                            \
        for (size_t i = 0; i < n; i++)                                                                                 \
            if ((w[i] & (infinite)) == (infinite)) {                                                                   \
                uhi_flag_cell(t->flags, cell[i], uhi_flag_##t_(w[i]));                                                 \
                value[i] = 0;                                                                                          \
                if (other)                                                                                             \
                    other[i] = 0;                                                                                      \
            }                                                                                                          \
    }
FLAG(f32, uint32_t, 0x7f800000)
FLAG(f64, uint64_t, (uint64_t)0x7ff << 52)

/* Not for speed: later reads skip windows that were never written. */
static inline void note_windows(uint8_t *used, uint32_t mask) {
    for (; mask; mask &= mask - 1)
        used[__builtin_ctz(mask)] = 1;
}

static void sum_f32(const struct uhi_store_tables *t, const void *values, const uint32_t *cell, size_t n) {
    _Alignas(64) uint32_t place[CHUNK];
    _Alignas(64) int64_t value[CHUNK];
    const uint32_t *w = values, pitch = t->pitch;
    for (size_t from = 0, m; from < n; from += m, w += m, cell += m) {
        m = n - from < CHUNK ? n - from : CHUNK;
        uint32_t mask = 0, top = 0;
        prefetch(w, CHUNK * sizeof *w);
        for (size_t i = 0; i < m; i++) {
            const uint32_t b = w[i], at = uhi_offset_f32(b), sign = (uint32_t)((int32_t)b >> 31);
            const int32_t mantissa = (int32_t)((uhi_mantissa_f32(b) ^ sign) - sign);
            place[i] = cell[i] + (at >> 4) * pitch;
            value[i] = (int64_t)((uint64_t)(int64_t)mantissa << (at & 15));
            mask |= (uint32_t)1 << (at >> 4);
            top = (b & 0x7fffffff) > top ? b & 0x7fffffff : top;
        }
        if (top >= 0x7f800000)
            flag_f32(t, w, cell, m, value, NULL);
        note_windows(t->sum.used, mask);
        add_all(t->sum.value, t->sum.copy_offset, place, value, m);
    }
}

/* ---- exact sums by float64 additions ---------------------------------------------------------------------------- */

static void span(const uint32_t *w, size_t n, uint32_t *minimum, uint32_t *maximum) {
    uint32_t low = UINT32_MAX, high = 0; /* low: less 1, so that 0 sorts above all others */
    prefetch(w, n * sizeof *w);
    for (size_t i = 0; i < n; i++) {
        const uint32_t b = w[i] & 0x7fffffff;
        low = b - 1 < low ? b - 1 : low;
        high = b > high ? b : high;
    }
    *minimum = low + 1;
    *maximum = high;
}

static void add_doubles(const struct uhi_double_table *t, const void *values, const uint32_t *cell, size_t n) {
    double *table = t->value, *other = table + t->copy_offset;
    const float *w = values;
    size_t i = 0;
    for (; i + SAME <= n; i += SAME) {
        if (all_same(cell + i)) {
            double sum[8] = {0};
            for (size_t j = 0; j < SAME; j += 8)
                for (size_t lane = 0; lane < 8; lane++)
                    sum[lane] += (double)w[i + j + lane];
            for (size_t lane = 0; lane < 8; lane++)
                table[cell[i]] += sum[lane];
            continue;
        }
        for (size_t j = i; j < i + SAME; j += 4) {
            const uint32_t c0 = cell[j], c1 = cell[j + 1], c2 = cell[j + 2], c3 = cell[j + 3];
            table[c0] += (double)w[j];
            other[c1] += (double)w[j + 1];
            table[c2] += (double)w[j + 2];
            other[c3] += (double)w[j + 3];
        }
    }
    for (; i < n; i++)
        table[cell[i]] += (double)w[i];
}

static double largest(const struct uhi_double_table *t, size_t slots) {
    const double *value = t->value, *other = value + t->copy_offset;
    double maximum[LARGEST_LANES] = {0};
    /* Slots beyond the last are 0: the table size is a multiple of the lanes. */
    for (size_t i = 0; i < slots; i += LARGEST_LANES)
        for (size_t lane = 0; lane < LARGEST_LANES; lane++) {
            const double both = __builtin_fabs(value[i + lane]) + __builtin_fabs(other[i + lane]);
            maximum[lane] = both > maximum[lane] ? both : maximum[lane];
        }
    for (size_t lane = 1; lane < LARGEST_LANES; lane++)
        maximum[0] = maximum[lane] > maximum[0] ? maximum[lane] : maximum[0];
    return maximum[0];
}

/* ---- exact sums of other types ----------------------------------------------------------------------------------- */

static void sum_i32(const struct uhi_store_tables *t, const void *values, const uint32_t *cell, size_t n) {
    const int32_t *w = values;
    int64_t *table = t->sum.value, *other = table + t->sum.copy_offset;
    size_t i = 0;
    t->sum.used[0] = 1;
    for (; i + 2 <= n; i += 2) {
        table[cell[i]] += w[i];
        other[cell[i + 1]] += w[i + 1];
    }
    for (; i < n; i++)
        table[cell[i]] += w[i];
}

/* Adds integers of 64 bits, made of weights w of a type, to a table: two digits each. */
#define INTEGERS(name, type, table, number)                                                                            \
    static void name(const struct uhi_store_tables *t, const void *values, const uint32_t *cell, size_t n) {           \
        const type *w = values;                                                                                        \
        int64_t *low = t->table.value, *high = low + 2 * (size_t)t->pitch;                                             \
        const size_t copy_offset = t->table.copy_offset;                                                               \
        t->table.used[0] = 1;                                                                                          \
        for (size_t i = 0; i < n; i++) {                                                                               \
            const int64_t integer = (number);                                                                          \
            const size_t at = cell[i] + (i & 1 ? copy_offset : 0);                                                     \
            low[at] += integer & 0xffffffff;                                                                           \
            high[at] += integer >> 32;                                                                                 \
        }                                                                                                              \
    }
INTEGERS(sum_i64, int64_t, sum, w[i])
INTEGERS(squares_i32, int32_t, squares, (int64_t)w[i] * w[i])

/* Adds two digits per point, the second two windows above the first. */
static void add_pairs(const struct uhi_store_tables *t, const struct uhi_window_table *table, const uint32_t *cell,
                      const uint32_t *window, const int64_t *low, const int64_t *high, size_t n) {
    int64_t *value = table->value, *above = value + 2 * (size_t)t->pitch;
    const uint32_t pitch = t->pitch;
    const size_t copy_offset = table->copy_offset;
    uint8_t *used = table->used;
    size_t i = 0;
    for (; i + SAME <= n; i += SAME) {
        if (all_same(cell + i) && all_same(window + i)) {
            int64_t sum = 0, high_sum = 0;
            for (size_t j = i; j < i + SAME; j++) {
                sum += low[j];
                high_sum += high[j];
            }
            used[window[i]] = 1;
            value[cell[i] + (size_t)window[i] * pitch] += sum;
            above[cell[i] + (size_t)window[i] * pitch] += high_sum;
            continue;
        }
        for (size_t j = i; j < i + SAME; j++) {
            const size_t at = cell[j] + (size_t)window[j] * pitch + (j & 1 ? copy_offset : 0);
            used[window[j]] = 1;
            value[at] += low[j];
            above[at] += high[j];
        }
    }
    for (; i < n; i++) {
        const size_t at = cell[i] + (size_t)window[i] * pitch;
        used[window[i]] = 1;
        value[at] += low[i];
        above[at] += high[i];
    }
}

static void sum_f64(const struct uhi_store_tables *t, const void *values, const uint32_t *cell, size_t n) {
    _Alignas(64) uint32_t window[CHUNK];
    _Alignas(64) int64_t low[CHUNK], high[CHUNK];
    const uint64_t *w = values;
    for (size_t from = 0, m; from < n; from += m, w += m, cell += m) {
        m = n - from < CHUNK ? n - from : CHUNK;
        uint64_t top = 0;
        for (size_t i = 0; i < m; i++) {
            const uint64_t b = w[i], mantissa = uhi_mantissa_f64(b);
            const int64_t sign = (int64_t)b >> 63;
            const uint32_t at = uhi_offset_f64(b), shift = at & 15;
            window[i] = at >> 4;
            low[i] = (uhi_low_digit(mantissa, shift) ^ sign) - sign;
            high[i] = (uhi_high_digit(mantissa, shift) ^ sign) - sign;
            top = (b & INT64_MAX) > top ? b & INT64_MAX : top;
        }
        if (top >= (uint64_t)0x7ff << 52)
            flag_f64(t, w, cell, m, low, high);
        add_pairs(t, &t->sum, cell, window, low, high, m);
    }
}

static void squares_f32(const struct uhi_store_tables *t, const void *values, const uint32_t *cell, size_t n) {
    _Alignas(64) uint32_t window[CHUNK];
    _Alignas(64) int64_t low[CHUNK], high[CHUNK];
    const uint32_t *w = values;
    for (size_t from = 0, m; from < n; from += m, w += m, cell += m) {
        m = n - from < CHUNK ? n - from : CHUNK;
        uint32_t top = 0;
        for (size_t i = 0; i < m; i++) {
            const uint32_t b = w[i], at = uhi_square_offset_f32(b);
            const uint64_t mantissa = uhi_mantissa_f32(b), square = mantissa * mantissa;
            window[i] = at >> 4;
            low[i] = uhi_low_digit(square, at & 15);
            high[i] = uhi_high_digit(square, at & 15);
            top = (b & 0x7fffffff) > top ? b & 0x7fffffff : top;
        }
        if (top >= 0x7f800000)
            flag_f32(t, w, cell, m, low, high);
        add_pairs(t, &t->squares, cell, window, low, high, m);
    }
}

/* Adds a 128-bit square, shifted by less than 16: four digits, each two windows above the last. */
static void add_square(const struct uhi_store_tables *t, uint32_t cell, uint32_t window, uint64_t mantissa,
                       uint32_t shift) {
    const unsigned __int128 square = (unsigned __int128)mantissa * mantissa;
    const uint64_t low = (uint64_t)square, high = (uint64_t)(square >> 64);
    int64_t *value = t->squares.value + (size_t)window * t->pitch + cell;
    const size_t step = 2 * (size_t)t->pitch;
    const uint64_t above = shift ? high << shift | low >> (64 - shift) : high;
    t->squares.used[window] = 1;
    value[0] += (int64_t)(low << shift & 0xffffffff);
    value[step] += (int64_t)(low << shift >> 32);
    value[2 * step] += (int64_t)(above & 0xffffffff);
    value[3 * step] += (int64_t)(above >> 32);
}

static void squares_f64(const struct uhi_store_tables *t, const void *values, const uint32_t *cell, size_t n) {
    const uint64_t *w = values;
    for (size_t i = 0; i < n; i++) {
        if ((w[i] >> 52 & 0x7ff) == 0x7ff) {
            uhi_flag_cell(t->flags, cell[i], uhi_flag_f64(w[i]));
            continue;
        }
        const uint32_t at = uhi_square_offset_f64(w[i]);
        add_square(t, cell[i], at >> 4, uhi_mantissa_f64(w[i]), at & 15);
    }
}

static void squares_i64(const struct uhi_store_tables *t, const void *values, const uint32_t *cell, size_t n) {
    const int64_t *w = values;
    for (size_t i = 0; i < n; i++)
        add_square(t, cell[i], 0, w[i] < 0 ? 0u - (uint64_t)w[i] : (uint64_t)w[i], 0);
}

/* ---- float64 additions ------------------------------------------------------------------------------------------- */

#define FAST(name, type)                                                                                               \
    static void name(const struct uhi_store_tables *t, const void *values, const uint32_t *cell, size_t n) {           \
        const type *w = values;                                                                                        \
        double *sum = t->fast, *squares = t->fast_squares;                                                             \
        if (!squares) {                                                                                                \
            for (size_t i = 0; i < n; i++)                                                                             \
                sum[cell[i]] += (double)w[i];                                                                          \
            return;                                                                                                    \
        }                                                                                                              \
        for (size_t i = 0; i < n; i++) {                                                                               \
            const double x = (double)w[i];                                                                             \
            sum[cell[i]] += x;                                                                                         \
            squares[cell[i]] += x * x;                                                                                 \
        }                                                                                                              \
    }
FAST(fast_f32, float)
FAST(fast_f64, double)
FAST(fast_i32, int32_t)
FAST(fast_i64, int64_t)

UHI_HOST_TABLE(accumulate) = {
    .count = count,
    .sum = {sum_f32, sum_f64, sum_i32, sum_i64},
    .squares = {squares_f32, squares_f64, squares_i32, squares_i64},
    .fast = {fast_f32, fast_f64, fast_i32, fast_i64},
    .span = span,
    .add_doubles = add_doubles,
    .largest = largest,
};
