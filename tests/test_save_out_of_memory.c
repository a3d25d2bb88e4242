/* SPDX-License-Identifier: Apache-2.0 */
/* Each allocation of saving and loading fails once. Linked with --wrap, so that the library's calls of malloc and its
 * kin come here. */
#include <unihist/save.h>

#include "tests/arrays.h"
#include "tests/failing_malloc.h"

enum { MOST_ALLOCATIONS = 400 };

static const char path[] = "/tmp/unihist-test-save-out-of-memory.uh";

static uh_queue *queue;
static uh_histogram *histogram; /* that is saved */

static uh_status save(void) {
    return uh_histogram_save(histogram, path);
}

static uh_status load(void) {
    uh_histogram *loaded = NULL;
    uh_status status = uh_histogram_load(queue, path, &loaded);
    assert_int_equal(loaded == NULL, status != UH_SUCCESS);
    uh_histogram_destroy(loaded);
    return status;
}

/* Each allocation of a call fails in turn. */
static void fail_each(uh_status (*call)(void), size_t least, int writes) {
    size_t allocations;
    if (writes)
        unlink(path);
    for (allocations = 0; allocations < MOST_ALLOCATIONS; allocations++) {
        seen = 0;
        fails_at = allocations + 1;
        uh_status status = call();
        fails_at = 0;
        if (seen <= allocations) {
            test_good(status);
            break;
        }
        test_assert_failed(status, UH_ERROR_OUT_OF_MEMORY, "no memory");
        assert_int_equal(access(path, F_OK), writes ? -1 : 0);
    }
    assert_in_range(allocations, least, MOST_ALLOCATIONS - 1);
}

UNIT_TEST(every_failed_allocation_is_an_error_that_leaves_nothing_behind) {
    static const int64_t edges[] = {0, 1, 3}, x[] = {0, 1, 2};
    static const double weights[] = {1e-300, 2, 1e300}, numbers[] = {0, 1};
    const uh_distribution table = {
        .struct_size = sizeof table, .kind = UH_DISTRIBUTION_TABLE, .x = numbers, .f = numbers, .points = 2};
    uh_axis *axis = NULL;
    queue = test_queue(1, 0);
    test_good(uh_axis_create_with_distribution(test_axis_of(UH_I64, edges, 3, UH_CLOSED_LEFT), &table, &axis));
    test_at_end(axis, test_end_axis);
    for (int weighted = 0; weighted < 2; weighted++) {
        histogram =
            test_histogram_over(queue, &axis, 1, OPTIONS(.storage = weighted ? UH_STORAGE_WEIGHTED : UH_STORAGE_COUNT));
        test_good(uh_histogram_fill(histogram, ARRAY(UH_I64, x, 3), weighted ? ARRAY(UH_F64, weights, 3) : NULL));
        fail_each(save, 3, 1);
        fail_each(load, weighted ? 8 : 6, 0);
    }
    unlink(path);
}
