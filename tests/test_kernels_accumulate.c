/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel of the stores that comes to work only after very many points, on few words. */
#include "tests/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/accumulate/store.h"
#include "kernels/common/engine.h"
#include "kernels/registry.h"
#include "tests/fixture.h"

static uh_device *device;
static uh_queue *queue;

static void *on_device(const void *data, size_t size) {
    void *there = NULL;
    test_good(uh_malloc_device(device, size, 0, &there));
    test_good(uh_memcpy(queue, there, data, size, NULL, 0, NULL));
    test_good(uh_queue_wait(queue));
    return there;
}

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
    test_good(uhi_engine_open(&engine, "test", queue, uhi_accumulate_variants()));
    test_good(uhi_engine_kernel(&engine, "carry", &kernel));
    uint32_t *there = on_device(words, sizeof words), *there_used = there + (size_t)2 * SLOTS * WINDOWS;
    const uh_arg args[] = {uh_arg_pointer(there), uh_arg_value(&slots, sizeof slots),
                           uh_arg_value(&windows, sizeof windows), uh_arg_pointer(there_used)};
    test_good(uhi_engine_run(&engine, kernel, 2, uhi_group_size(&engine.properties), args, 4, NULL, NULL));
    test_good(uh_memcpy(queue, after, there, sizeof after, NULL, 0, NULL));
    test_good(uh_memcpy(queue, used, there_used, sizeof used, NULL, 0, NULL));
    test_good(uh_queue_wait(queue));
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
    test_good(uh_free(there));
    uhi_engine_close(&engine);
}

static int setup(void **state) {
    (void)state;
    return uh_queue_create(device, NULL, &queue) != UH_SUCCESS;
}

static int teardown(void **state) {
    (void)state;
    return uh_queue_destroy(queue) != UH_SUCCESS;
}

TEST_MAIN(test_kernels_accumulate) {
    const char *selector = getenv("UNIHIST_TEST_DEVICE");
    if (uh_device_select(selector ? selector : "level_zero", &device)) {
        printf("skipped: %s\n", uh_last_error());
        return 77;
    }
    return test_run_units(setup, teardown);
}
