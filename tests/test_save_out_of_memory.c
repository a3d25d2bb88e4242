/* SPDX-License-Identifier: Apache-2.0 */
/* Each allocation of saving and loading fails once. Linked with --wrap, so that the library's calls of malloc and its
 * kin come here. */
#include "tests/support.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <unihist/save.h>

#include "tests/failing_malloc.h"
#include "tests/fixture.h"

enum { MOST_ALLOCATIONS = 64 };

static const char path[] = "/tmp/unihist-test-save-out-of-memory.uh";

static uh_status save(uh_queue *queue, uh_histogram *histogram) {
    (void)queue;
    return uh_histogram_save(histogram, path);
}

static uh_status load(uh_queue *queue, uh_histogram *histogram) {
    uh_histogram *loaded = NULL;
    (void)histogram;
    uh_status status = uh_histogram_load(queue, path, &loaded);
    assert_int_equal(loaded == NULL, status != UH_SUCCESS);
    uh_histogram_destroy(loaded);
    return status;
}

static uh_status peek(uh_queue *queue, uh_histogram *histogram) {
    uh_saved_info info = {.struct_size = sizeof info};
    (void)queue;
    (void)histogram;
    return uh_saved_peek(path, &info);
}

static void every_failed_allocation_is_an_error_that_leaves_nothing_behind(void **state) {
    static uh_status (*const calls[])(uh_queue *, uh_histogram *) = {save, load, peek};
    static const size_t least[] = {3, 6, 3};
    static const int64_t edges[] = {0, 1, 3};
    uh_queue *queue = test_queue(1, 0);
    uh_histogram *histogram;
    uh_axis *axis;
    (void)state;
    assert_int_equal(uh_axis_create_edges(UH_I64, edges, 3, UH_CLOSED_LEFT, &axis), UH_SUCCESS);
    assert_int_equal(uh_histogram_create(queue, axis, NULL, &histogram), UH_SUCCESS);
    unlink(path);
    for (size_t c = 0; c < sizeof calls / sizeof *calls; c++) {
        size_t allocations;
        for (allocations = 0; allocations < MOST_ALLOCATIONS; allocations++) {
            seen = 0;
            fails_at = allocations + 1;
            uh_status status = calls[c](queue, histogram);
            fails_at = 0;
            if (seen <= allocations) {
                assert_int_equal(status, UH_SUCCESS);
                break;
            }
            test_assert_failed(status, UH_ERROR_OUT_OF_MEMORY, "no memory");
            assert_int_equal(access(path, F_OK), c == 0 ? -1 : 0);
        }
        assert_in_range(allocations, least[c], MOST_ALLOCATIONS - 1);
    }
    unlink(path);
    uh_histogram_destroy(histogram);
    uh_axis_destroy(axis);
    uh_queue_destroy(queue);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_failed_allocation_is_an_error_that_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
