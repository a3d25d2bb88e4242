/* SPDX-License-Identifier: Apache-2.0 */
/* Quotients of wide integers against those of big ones (tests/big.h); digits and flags that a store refuses. */
#include "kernels/accumulate/accumulate.h"
#include "kernels/accumulate/planes.h"
#include "kernels/accumulate/store.h"
#include "tests/big.h"
#include "tests/fixture.h"

enum { LIMBS = 4 };

static void check(const int64_t *limb, unsigned count, uint64_t n) {
    struct uhi_wide x;
    struct big exact = big_i64(0);
    for (unsigned j = count; j-- > 0;) {
        const struct big next = big_i64(limb[j]);
        exact = big_times(exact, UINT64_C(1) << 32);
        big_add(&exact, &next);
    }
    uhi_wide_from_limbs(&x, 0, 0, limb, count);
    const double quotient = uhi_wide_divide(&x, n);
    if (!big_is_quotient(&exact, n, quotient))
        fail_msg("%" PRId64 " and %u limbs more, by %" PRIu64 ": %a is not the nearest", limb[0], count - 1, n,
                 quotient);
}

UNIT_TEST(quotients_are_rounded_once) {
    uint64_t seed = 1;
    for (int i = 0; i < 3000; i++) {
        const unsigned count = 1 + (unsigned)(test_random_u64(&seed) % LIMBS);
        const uint64_t n = test_random_u64(&seed) >> test_random_u64(&seed) % 64;
        int64_t limb[LIMBS];
        for (unsigned j = 0; j < count; j++)
            limb[j] = (int64_t)test_random_u64(&seed) >> test_random_u64(&seed) % 64;
        check(limb, count, n ? n : 1);
    }
}

/* 1 / (2^64 - d) is 2^-64 + d 2^-128 + d^2 2^-192 ...: with an odd multiple of 2^11 for d the first two terms are in
 * the middle between two float64, and only the digits after 128 bits say that the quotient is past it. */
UNIT_TEST(digits_after_the_last_one_decide_a_tie) {
    for (uint64_t odd = 1; odd < 64; odd += 2)
        for (int shift = 0; shift < 31; shift += 5)
            for (int sign = -1; sign <= 1; sign += 2) {
                const int64_t limb = sign * ((int64_t)1 << shift);
                check(&limb, 1, 0 - (odd << 11));
            }
}

UNIT_TEST(digits_and_flags_that_cannot_be_are_refused) {
    static const struct {
        int64_t exponent;
        uint64_t digits;
    } bad[] = {{1, 1},         {-UHI_SUM_BIAS - 32, 1}, {INT64_MIN, 1}, {INT64_MAX - 31, 1},
               {INT64_MAX, 1}, {0, UINT64_MAX},         {1088, 2},      {-UHI_SUM_BIAS, UHI_SUM_LIMBS}};
    static const uint8_t flags[] = {0, 7, 8};
    struct uhi_store *store = NULL;
    test_good(uhi_store_create("test", 2, UH_STORAGE_SUM, UH_SUM_EXACT, &store));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const struct uhi_store_layout layout = {"<u4", bad[i].digits, bad[i].exponent};
        test_invalid(uhi_store_import("test", store, UHI_STORE_SUM_DIGITS, &layout, flags),
                     "expected a multiple of 32");
    }
    const struct uhi_store_layout layout = {"|u1", 1, 0};
    test_invalid(uhi_store_import("test", store, UHI_STORE_FLAGS, &layout, flags), "the flags of cell 2 are 8");
    uhi_store_destroy(store);
}
