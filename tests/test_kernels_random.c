/* SPDX-License-Identifier: Apache-2.0 */
/* Every kernel of random at work on few values, see test_kernels_histogram.c. What they make is compared with the
 * host's, which test_random.c compares with Random123. */
#include "tests/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/random/random_run.h"
#include "tests/fixture.h"

enum { FEW = 61, MANY = 3 * 16 * 64 * 4 + 7, GUARD = 0x5a };

static uh_device *device;
static uh_queue *queue, *host;

/* Elements from an odd offset on, `shift` elements behind a vector's place. */
static void check(enum uhi_random_kind kind, uh_generator generator, uint64_t bound, size_t shift, size_t n) {
    static char expected[(MANY + 8) * 8], found[sizeof expected];
    const size_t size = uhi_random_size(kind), bytes = (n + 8) * size;
    void *there = NULL;
    memset(expected, GUARD, bytes);
    memset(found, GUARD, bytes);
    assert_int_equal(
        uhi_random_fill(host, "test", generator, kind, 1, UINT64_C(1) << 63, 5, bound, -3, expected + shift * size, n),
        UH_SUCCESS);
    assert_int_equal(uh_malloc_device(device, bytes, 0, &there), UH_SUCCESS);
    assert_int_equal(uh_memcpy(queue, there, found, bytes, NULL, 0, NULL), UH_SUCCESS);
    assert_int_equal(uhi_random_fill(queue, "test", generator, kind, 1, UINT64_C(1) << 63, 5, bound, -3,
                                     (char *)there + shift * size, n),
                     UH_SUCCESS);
    assert_int_equal(uh_memcpy(queue, found, there, bytes, NULL, 0, NULL), UH_SUCCESS);
    assert_int_equal(uh_queue_wait(queue), UH_SUCCESS);
    assert_memory_equal(found, expected, bytes);
    assert_int_equal(uh_free(there), UH_SUCCESS);
}

static void every_kind_is_made_by_both_generators(void **state) {
    (void)state;
    for (int kind = UHI_RANDOM_U32; kind <= UHI_RANDOM_BOUNDED_64; kind++)
        for (int g = 0; g < 2; g++) {
            check((enum uhi_random_kind)kind, (uh_generator)g, (UINT64_C(1) << 31) + 1, 0, FEW);
            check((enum uhi_random_kind)kind, (uh_generator)g, 0, 3, FEW);
            check((enum uhi_random_kind)kind, (uh_generator)g, 10, 1, 1);
        }
}

static void several_groups_share_the_work(void **state) {
    (void)state;
    check(UHI_RANDOM_U32, UH_PHILOX4X32_10, 0, 3, MANY);
    check(UHI_RANDOM_F64, UH_PHILOX4X32_10, 0, 0, FEW * 8);
}

/* To plain host memory, through buffers. */
static void numbers_come_back(void **state) {
    (void)state;
    uint32_t found[FEW], expected[FEW];
    assert_int_equal(uh_random_u32(queue, UH_PHILOX4X32_10, 3, 4, 5, found, FEW), UH_SUCCESS);
    assert_int_equal(uh_random_u32(host, UH_PHILOX4X32_10, 3, 4, 5, expected, FEW), UH_SUCCESS);
    assert_memory_equal(found, expected, sizeof found);
}

static int setup(void **state) {
    (void)state;
    host = test_queue(1, 0);
    return uh_queue_create(device, NULL, &queue) != UH_SUCCESS;
}

static int teardown(void **state) {
    (void)state;
    return uh_queue_destroy(queue) || uh_queue_destroy(host) ? -1 : 0;
}

TEST_MAIN(test_kernels_random) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_is_made_by_both_generators),
        cmocka_unit_test(several_groups_share_the_work),
        cmocka_unit_test(numbers_come_back),
    };
    const char *selector = getenv("UNIHIST_TEST_DEVICE");
    if (uh_device_select(selector ? selector : "level_zero", &device)) {
        printf("skipped: %s\n", uh_last_error());
        return 77;
    }
    return cmocka_run_group_tests(tests, setup, teardown);
}
