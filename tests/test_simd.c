/* SPDX-License-Identifier: Apache-2.0 */
/* The vector operations of every x86-64 level that this CPU has: what the host's kernels are made of. */
#include "runtime/cpu.h"
#include "tests/support.h"

/* Of simd_level.c: the name of an operation that is wrong with random elements, or NULL. */
typedef const char *simd_wrong_function(uint64_t seed);
extern simd_wrong_function simd_wrong_v2, simd_wrong_v3, simd_wrong_v4;

UNIT_TEST(operations_of_each_level_give_what_c_gives) {
    simd_wrong_function *const levels[] = {simd_wrong_v2, simd_wrong_v3, simd_wrong_v4};
    for (int level = 2; level <= uhi_cpu_level(); level++)
        for (uint64_t seed = 0; seed < 20000; seed++) {
            const char *wrong = levels[level - 2](seed);
            if (wrong)
                fail_msg("v%d, seed %" PRIu64 ": %s", level, seed, wrong);
        }
}
