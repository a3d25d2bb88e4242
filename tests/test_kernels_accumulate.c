/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel of the stores that comes to work only after very many points, on few words. */
#include "tests/tested.h"

#include "kernels/accumulate/store.h"
#include "kernels/common/engine.h"
#include "kernels/registry.h"

/* Windows of 16 bits that hold more, which comes only after very many points. */
UNIT_TEST(what_windows_hold_too_much_is_carried) {
    enum { SLOTS = 40, WINDOWS = 3 };
    int64_t window[WINDOWS][SLOTS], after[WINDOWS][SLOTS];
    uint32_t words[2 * SLOTS * WINDOWS + WINDOWS] = {0}, used[WINDOWS];
    uint64_t seed = 1;
    for (size_t w = 0; w < WINDOWS; w++)
        for (size_t s = 0; s < SLOTS; s++) {
            window[w][s] = s % 4 == 3 ? 0 : (int64_t)(test_random_u64(&seed) >> 36) - (1 << 27);
            memcpy(words + 2 * (w * SLOTS + s), &window[w][s], 8);
        }
    const uint32_t slots = SLOTS, windows = WINDOWS;
    struct uhi_engine engine;
    uh_kernel *kernel;
    test_good(uhi_engine_open(&engine, "test", tested.queue, uhi_accumulate_variants()));
    test_good(uhi_engine_kernel(&engine, "carry", &kernel));
    uint32_t *there = test_to_device(tested.queue, words, sizeof words),
             *there_used = there + (size_t)2 * SLOTS * WINDOWS;
    const uh_arg args[] = {uh_arg_pointer(there), uh_arg_value(&slots, sizeof slots),
                           uh_arg_value(&windows, sizeof windows), uh_arg_pointer(there_used)};
    test_good(uhi_engine_run(&engine, kernel, 2, uhi_group_size(&engine.properties), args, 4, NULL, NULL));
    test_good(uh_memcpy(tested.queue, after, there, sizeof after, NULL));
    test_good(uh_memcpy(tested.queue, used, there_used, sizeof used, NULL));
    test_good(uh_queue_wait(tested.queue));
    for (size_t s = 0; s < SLOTS; s++) {
        int64_t before = 0, now = 0;
        for (size_t w = WINDOWS; w-- > 0;) {
            before = before * 65536 + window[w][s];
            now = now * 65536 + after[w][s];
            assert_true(w == WINDOWS - 1 || (after[w][s] >= -32768 && after[w][s] < 32768));
            assert_true(after[w][s] == 0 || used[w]);
        }
        assert_true(before == now);
    }
    uhi_engine_close(&engine);
}

TEST_MAIN(test_kernels_accumulate) {
    setenv("UNIHIST_TEST_DEVICE", "level_zero", 0);
    return tested_run();
}
