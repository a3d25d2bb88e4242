/* SPDX-License-Identifier: Apache-2.0 */
/* Every kernel of the Parboil histogram at work on few indices, see test_kernels_histogram.c. */
#include "tests/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unihist/histo.h>

#include "tests/cases_histo.h"

enum { MOST_BINS = 64 * 40, MOST_INDICES = 3 * 16 * 64 + 7 };

static uh_device *device;
static uh_queue *queue;

/* From the host, or from memory of the device `shift` bytes behind a vector's place. */
static void check(enum case_wafer wafer, size_t n, size_t width, size_t height, int there, size_t shift) {
    static uint32_t indices[MOST_INDICES], counts[MOST_BINS];
    static uint8_t limited[MOST_BINS], out[MOST_BINS];
    const size_t bins = width * height;
    uint64_t beyond = 0;
    void *memory = NULL;
    const void *x = indices;
    case_wafer_make(wafer, width, height, indices, n);
    const uint64_t far = case_wafer_count(indices, n, bins, counts, limited);
    if (there) {
        assert_int_equal(uh_malloc_device(device, shift + n * sizeof *indices, 0, &memory), UH_SUCCESS);
        x = (char *)memory + shift;
        assert_int_equal(uh_memcpy(queue, (char *)memory + shift, indices, n * sizeof *indices, NULL, 0, NULL),
                         UH_SUCCESS);
    }
    memset(out, 0x5a, sizeof out);
    if (uh_histo_saturating_2d(queue, x, n, width, height, out, &beyond))
        fail_msg("%s", uh_last_error());
    assert_memory_equal(out, limited, bins);
    assert_int_equal(beyond, far);
    assert_int_equal(uh_free(memory), UH_SUCCESS);
}

static void every_wafer_is_counted(void **state) {
    (void)state;
    for (int wafer = 0; wafer < CASE_WAFER_COUNT; wafer++) {
        check((enum case_wafer)wafer, 600, 24, 20, 1, 4);
        check((enum case_wafer)wafer, 600, 7, 3, 0, 0);
    }
}

static void indices_at_odd_addresses_are_packed_on_the_device(void **state) {
    (void)state;
    check(CASE_WAFER_EYE, 300, 24, 20, 1, 2);
}

static void several_groups_count_together(void **state) {
    (void)state;
    check(CASE_WAFER_FAR, MOST_INDICES, 16, 16, 1, 12);
    check(CASE_WAFER_ONE, MOST_INDICES, 16, 16, 1, 0);
}

static void a_table_larger_than_local_memory_is_counted(void **state) {
    (void)state;
    check(CASE_WAFER_FAR, 1000, 64, 40, 1, 0);
    check(CASE_WAFER_UNIFORM, 300, 64, 40, 0, 0);
}

static int setup(void **state) {
    (void)state;
    return uh_queue_create(device, NULL, &queue) != UH_SUCCESS;
}

static int teardown(void **state) {
    (void)state;
    return uh_queue_destroy(queue) != UH_SUCCESS;
}

TEST_MAIN(test_kernels_histo) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_wafer_is_counted),
        cmocka_unit_test(indices_at_odd_addresses_are_packed_on_the_device),
        cmocka_unit_test(several_groups_count_together),
        cmocka_unit_test(a_table_larger_than_local_memory_is_counted),
    };
    const char *selector = getenv("UNIHIST_TEST_DEVICE");
    if (uh_device_select(selector ? selector : "level_zero", &device)) {
        printf("skipped: %s\n", uh_last_error());
        return 77;
    }
    return cmocka_run_group_tests(tests, setup, teardown);
}
