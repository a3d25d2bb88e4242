/* SPDX-License-Identifier: Apache-2.0 */
/* Compiled with UH_ISA=v2, v3 or v4. */
#include <stddef.h>

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

#define JOIN(a, b)        a##b
#define NAME(prefix, isa) JOIN(prefix, isa)

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
#define DEFINE(name)                                                                                                   \
    static void batch_##name(size_t n, const double *const *x, double *const *value, const void *context) {            \
        batch(name, n, x, value, context);                                                                             \
    }
INTEGRANDS(DEFINE)

#define ROW(name) [name] = batch_##name,
extern const uh_integrand_function NAME(perf_integrands_, UH_ISA)[INTEGRAND_NAMES]; /* of loops.c */
const uh_integrand_function NAME(perf_integrands_, UH_ISA)[INTEGRAND_NAMES] = {INTEGRANDS(ROW)};
