/* SPDX-License-Identifier: Apache-2.0 */
/* Compiled with UH_ISA=v2, v3 or v4 and UH_ISA_BYTES, the bytes of its vectors. */
#include "perf/interactions.h"

#include <stdint.h>

#define JOIN(a, b)        a##b
#define NAME(prefix, isa) JOIN(prefix, isa)

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

const struct perf_interactions NAME(perf_interactions_, UH_ISA) = {interact_f32, interact_f64};
