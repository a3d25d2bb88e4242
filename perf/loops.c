/* SPDX-License-Identifier: Apache-2.0 */
/* Compiled with UH_ISA=v2, v3 or v4 and UH_ISA_BYTES, the bytes of its vectors. */

/* Functions of the C library for whole vectors, which its headers declare with -ffast-math alone; clang takes an option
 * to know them. */
#ifdef __clang__
#define VECTORS
#define FOR_VECTORS
#else
#define VECTORS     _Pragma("omp simd")
#define FOR_VECTORS _Pragma("omp declare simd notinbranch")
#endif
FOR_VECTORS extern double exp(double);
FOR_VECTORS extern double sin(double);
FOR_VECTORS extern double cos(double);

#include "perf/loops.h"

#include <string.h>

#define JOIN(a, b)        a##b
#define NAME(prefix, isa) JOIN(prefix, isa)

typedef uint64_t vector __attribute__((vector_size(UH_ISA_BYTES)));

/* The hardware prefetcher follows one stream a page. Eight pages read side by side keep more cache lines under way than
 * one stream does: 1.6 times the bytes per second on one Sapphire Rapids core. */
enum { PAGE = 4096, PAGES = 8 };

static inline vector load(const unsigned char *data) {
    vector v;
    memcpy(&v, data, sizeof v);
    return v;
}

static uint64_t add_up(const unsigned char *data, size_t bytes) {
    vector sums[PAGES] = {{0}};
    uint64_t sum = 0;
    size_t at = 0;
    for (; bytes - at >= (size_t)PAGES * PAGE; at += (size_t)PAGES * PAGE)
        for (size_t i = 0; i < PAGE; i += sizeof(vector))
            for (size_t page = 0; page < PAGES; page++)
                sums[page] += load(data + at + page * PAGE + i);
    for (; bytes - at >= sizeof(vector); at += sizeof(vector))
        sums[0] += load(data + at);
    for (; bytes - at >= sizeof sum; at += sizeof sum) {
        uint64_t word;
        memcpy(&word, data + at, sizeof word);
        sum += word;
    }
    for (size_t page = 0; page < PAGES; page++)
        for (size_t lane = 0; lane < sizeof(vector) / sizeof(uint64_t); lane++)
            sum += sums[page][lane];
    return sum;
}

static void count(const float *x, size_t n, const float *edges, size_t k, uint64_t *slots) {
    const float last = edges[k];
    for (size_t i = 0; i < n; i++) {
        const float value = x[i];
        const float *at = edges;
        for (size_t left = k + 1; left > 1;) {
            size_t half = left / 2;
            at += half & -(size_t)(at[half - 1] <= value); /* a mask, for which no compiler makes a branch */
            left -= half;
        }
        size_t slot = (size_t)(at - edges) + (*at <= value);
        slots[slot - (value == last)]++;
    }
}

static void saturate(const uint32_t *indices, size_t n, uint32_t *table, size_t bins, uint8_t *out) {
    memset(table, 0, bins * sizeof *table);
    for (size_t i = 0; i < n; i++)
        table[indices[i]]++;
    for (size_t bin = 0; bin < bins; bin++)
        out[bin] = (uint8_t)(table[bin] < 255 ? table[bin] : 255);
}

/* Chains of floats of each kind: enough that no operation waits for the one before it (latencies are 3 or 4 cycles, at
 * two a cycle), and few enough for sixteen registers. Integers take a cycle, so that two chains do. */
enum { CHAINS = 6 };

/* So that no compiler knows them; nor may it put two additions of integers together. */
static volatile double one = 1, zero = 0;
#ifdef __AVX512F__
#define KEEP(vector) __asm__("" : "+v"(vector))
#else
#define KEEP(vector) __asm__("" : "+x"(vector))
#endif

#define ADD_INTEGERS                                                                                                   \
    even += none;                                                                                                      \
    KEEP(even);                                                                                                        \
    odd += none;                                                                                                       \
    KEEP(odd)

#define DEFINE(name, type, whole)                                                                                      \
    typedef type name##_vector __attribute__((vector_size(UH_ISA_BYTES)));                                             \
    typedef whole name##_integers __attribute__((vector_size(UH_ISA_BYTES)));                                          \
    static double name(size_t interactions, struct perf_operations each) {                                             \
        enum { LANES = UH_ISA_BYTES / sizeof(type) };                                                                  \
        const name##_vector by = (type)one - (name##_vector){0}, more = (type)zero - (name##_vector){0};               \
        const name##_integers none = (whole)zero - (name##_integers){0};                                               \
        const unsigned i = each.integers, m = each.multiplications, a = each.additions;                                \
        name##_vector product[CHAINS], sum[CHAINS];                                                                    \
        name##_integers even = none, odd = none;                                                                       \
        double total = 0;                                                                                              \
        for (int c = 0; c < CHAINS; c++)                                                                               \
            product[c] = sum[c] = by;                                                                                  \
        for (size_t done = 0; done < interactions; done += (size_t)CHAINS * LANES) {                                   \
            for (unsigned k = 0; k < i; k++) {                                                                         \
                for (int c = 0; c < CHAINS; c++) {                                                                     \
                    product[c] *= by;                                                                                  \
                    sum[c] += more;                                                                                    \
                }                                                                                                      \
                ADD_INTEGERS;                                                                                          \
                ADD_INTEGERS;                                                                                          \
                ADD_INTEGERS;                                                                                          \
            }                                                                                                          \
            for (unsigned k = i; k < m; k++)                                                                           \
                for (int c = 0; c < CHAINS; c++) {                                                                     \
                    product[c] *= by;                                                                                  \
                    sum[c] += more;                                                                                    \
                }                                                                                                      \
            for (unsigned k = m; k < a; k++)                                                                           \
                for (int c = 0; c < CHAINS; c++)                                                                       \
                    sum[c] += more;                                                                                    \
        }                                                                                                              \
        for (int c = 0; c < CHAINS; c++)                                                                               \
            for (int lane = 0; lane < LANES; lane++)                                                                   \
                total += (double)(product[c][lane] + sum[c][lane]) + (double)(even[lane] + odd[lane]);                 \
        return total / (2 * CHAINS * LANES);                                                                           \
    }
DEFINE(interact_f32, float, int32_t)
DEFINE(interact_f64, double, int64_t)

/* ---- integrands ------------------------------------------------------------------------------------------------- */

/* 1 / (0.01 sqrt(2 pi)) */
#define PEAK 39.894228040143267794

/* What an axis adds to the sum or, of f2 and f6, what the product is multiplied by. */
static inline double of_axis(enum integrand_name name, double d, double y) {
    const double offset = y - 0.5;
    switch (name) {
    case F1:
    case F3: return (d + 1) * y;
    case F2: return 1 / 2500.0 + offset * offset;
    case F4: return offset * offset;
    case F5: return fabs(offset);
    case F6: return (d + 5) * y;
    case FA: return y;
    default: return y * y;
    }
}

static inline double power(double base, size_t n) {
    double product = 1;
    for (size_t i = 0; i < n; i++)
        product *= base;
    return product;
}

/* Whole vectors of points, axis by axis; `name` is a constant wherever this is used. */
static inline __attribute__((always_inline)) void batch(enum integrand_name name, size_t n, const double *const *x,
                                                        double *const *value, const void *context) {
    const size_t dims = ((const struct integrand_of *)context)->dims, whole = (n + 15) / 16 * 16;
    double *restrict v = __builtin_assume_aligned(value[0], 64);
    double inside[UH_INTEGRATE_BATCH]; /* of f6 */
    const double scale = power(PEAK, dims);
    for (size_t i = 0; i < whole; i++) {
        v[i] = name == F2;
        inside[i] = 1;
    }
    for (size_t d = 0; d < dims; d++) {
        const double *restrict y = __builtin_assume_aligned(x[d], 64);
        for (size_t i = 0; i < whole; i++) {
            const double part = of_axis(name, (double)d, y[i]);
            v[i] = name == F2 ? v[i] * part : v[i] + part;
            if (name == F6)
                inside[i] = y[i] < (4 + (double)d) / 10 ? inside[i] : 0;
        }
    }
    VECTORS
    for (size_t i = 0; i < whole; i++)
        switch (name) {
        case F1: v[i] = cos(v[i]); break;
        case F2: v[i] = 1 / v[i]; break;
        case F3: v[i] = 1 / power(1 + v[i], dims + 1); break;
        case F4: v[i] = exp(-625 * v[i]); break;
        case F5: v[i] = exp(-10 * v[i]); break;
        case F6: v[i] = inside[i] * exp(v[i]); break;
        case FA: v[i] = sin(v[i]); break;
        default: v[i] = exp(-5000 * v[i]) * scale; break;
        }
}

#define INTEGRANDS(X) X(F1) X(F2) X(F3) X(F4) X(F5) X(F6) X(FA) X(FB)
#define DEFINE_BATCH(name)                                                                                             \
    static void batch_##name(size_t n, const double *const *x, double *const *value, const void *context) {            \
        batch(name, n, x, value, context);                                                                             \
    }
INTEGRANDS(DEFINE_BATCH)

#define ROW(name) [name] = batch_##name,
static const uh_integrand_function integrands[INTEGRAND_NAMES] = {INTEGRANDS(ROW)};

const struct perf_loops NAME(perf_loops_, UH_ISA) = {add_up, count, saturate, interact_f32, interact_f64, integrands};
