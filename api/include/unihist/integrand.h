/* SPDX-License-Identifier: Apache-2.0 */
/** @file integrand.h
 * Integrands as one source for the host and for devices: a file in the common subset of C and OpenCL C, for the CMake
 * function unihist_add_integrand() and for `unihist integrate --file`. It evaluates one point:
 *
 *     #include <unihist/integrand.h>
 *
 *     struct place { UH_GLOBAL const UH_REAL *center; };
 *
 *     static void peak(const UH_REAL *x, UH_REAL *value, UH_GLOBAL const struct place *state) {
 *         UH_REAL sum = 0;
 *         for (int a = 0; a < 3; a++)
 *             sum += (x[a] - state->center[a]) * (x[a] - state->center[a]);
 *         value[0] = exp(-sum);
 *     }
 *
 *     UH_INTEGRAND(peak, 3, 1, struct place)
 *
 * It may use all that both languages share: numbers, if, loops, functions, structs, arrays; exp, sin, fabs, fmin and
 * the rest of <math.h>, and the tables of <unihist/interpolate.h>. UH_REAL is double, and float on devices without
 * float64, where constants such as 0.5 are float too. The state is a struct of integers, floats and pointers to arrays
 * in UH_GLOBAL memory, whose lengths are in uh_integrand; `void` for none. It may have doubles if devices without
 * float64 need not be supported. Host and devices do the same operations without contracting them; functions such as
 * exp may differ in the last bits.
 *
 * Several work-items of a device may evaluate a large integrand together: it is divided into `parts` terms, which one
 * function computes and another combines, in their order:
 *
 *     static void term(const UH_REAL *x, int part, UH_REAL *value, UH_GLOBAL const struct place *state);
 *     static void whole(const UH_REAL *terms, UH_REAL *value);
 *
 *     UH_INTEGRAND_IN_PARTS(term, whole, 3, 1, struct place, 4)
 *
 * `value` has `values` elements, and terms[p * values + k] is value k of part p. There are 2, 4, 8 or 16 parts. */
#ifndef UNIHIST_INTEGRAND_H
#define UNIHIST_INTEGRAND_H

#include <unihist/interpolate.h>

#ifdef __OPENCL_C_VERSION__

#define UH_GLOBAL global

/* Definitions that the kernel uses. */
#define UH_INTEGRAND(function, dims, values, state_type)                                                               \
    enum { UHI_DIMS = (dims), UHI_VALUES = (values), UHI_PARTS = 1 };                                                  \
    static inline void uhi_evaluate(const UH_REAL *x, UH_REAL *value, global const void *state) {                      \
        function(x, value, (global const state_type *)state);                                                          \
    }                                                                                                                  \
    static inline void uhi_term(const UH_REAL *x, int part, UH_REAL *value, global const void *state) {}               \
    static inline void uhi_whole(const UH_REAL *terms, UH_REAL *value) {}

#define UH_INTEGRAND_IN_PARTS(term, whole, dims, values, state_type, parts)                                            \
    enum { UHI_DIMS = (dims), UHI_VALUES = (values), UHI_PARTS = (parts) };                                            \
    static inline void uhi_evaluate(const UH_REAL *x, UH_REAL *value, global const void *state) {}                     \
    static inline void uhi_term(const UH_REAL *x, int part, UH_REAL *value, global const void *state) {                \
        term(x, part, value, (global const state_type *)state);                                                        \
    }                                                                                                                  \
    static inline void uhi_whole(const UH_REAL *terms, UH_REAL *value) { whole(terms, value); }

#else

#include <math.h>

#include <unihist/integrate.h>

#define UH_GLOBAL

/* The variable that the source defines: for the x86-64 level that it is compiled for. */
#ifndef UH_INTEGRAND_HOST
#define UH_INTEGRAND_HOST uh_integrand_here
#endif

/* For callers that cannot pass a state, such as `unihist integrate --file`. */
#ifdef UH_INTEGRAND_STATELESS
#define UHI_CHECK_STATE(state_type)                                                                                    \
    _Static_assert(_Generic((state_type *)0, void * : 1, default : 0), "expected void as the type of the state");
#else
#define UHI_CHECK_STATE(state_type)
#endif

/* Suppresses clang's warning if the loop is not vectorized. */
#ifdef __clang__
#define UHI_NO_DEPENDENCE _Pragma("clang loop vectorize(assume_safety)")
#define UHI_BEGIN_BATCH   _Pragma("clang diagnostic push") _Pragma("clang diagnostic ignored \"-Wpass-failed\"")
#define UHI_END_BATCH     _Pragma("clang diagnostic pop")
#else
#define UHI_NO_DEPENDENCE _Pragma("GCC ivdep")
#define UHI_BEGIN_BATCH
#define UHI_END_BATCH
#endif

/* Applies a function of one point to a batch of points, so that the compiler can vectorize. */
#define UHI_BATCH(dims, values, evaluate)                                                                              \
    extern const char uhi_at_most_64_values[(values) <= (int)UH_INTEGRAND_MAX_VALUES ? 1 : -1];                        \
    UHI_BEGIN_BATCH static void uhi_batch(size_t n, const double *const *x, double *const *value,                      \
                                          const void *context) {                                                       \
        const double *from[dims];                                                                                      \
        double *to[values];                                                                                            \
        (void)context;                                                                                                 \
        for (int d = 0; d < (dims); d++)                                                                               \
            from[d] = (const double *)__builtin_assume_aligned(x[d], 64);                                              \
        for (int k = 0; k < (values); k++)                                                                             \
            to[k] = (double *)__builtin_assume_aligned(value[k], 64);                                                  \
        UHI_NO_DEPENDENCE for (size_t i = 0; i < n; i++) {                                                             \
            double point[dims], result[values];                                                                        \
            for (int d = 0; d < (dims); d++)                                                                           \
                point[d] = from[d][i];                                                                                 \
            evaluate;                                                                                                  \
            for (int k = 0; k < (values); k++)                                                                         \
                to[k][i] = result[k];                                                                                  \
        }                                                                                                              \
    }                                                                                                                  \
    UHI_END_BATCH                                                                                                      \
    extern const uh_integrand_host UH_INTEGRAND_HOST;                                                                  \
    const uh_integrand_host UH_INTEGRAND_HOST = {dims, values, uhi_batch};

#define UH_INTEGRAND(function, dims, values, state_type)                                                               \
    UHI_CHECK_STATE(state_type)                                                                                        \
    UHI_BATCH(dims, values, function(point, result, (const state_type *)context))

#define UH_INTEGRAND_IN_PARTS(term, whole, dims, values, state_type, parts)                                            \
    static inline void uhi_in_parts(const double *x, double *value, const state_type *state) {                         \
        double terms[(parts) * (values)];                                                                              \
        for (int p = 0; p < (parts); p++)                                                                              \
            term(x, p, terms + p * (values), state);                                                                   \
        whole(terms, value);                                                                                           \
    }                                                                                                                  \
    UHI_CHECK_STATE(state_type)                                                                                        \
    UHI_BATCH(dims, values, uhi_in_parts(point, result, (const state_type *)context))

#endif
#endif
