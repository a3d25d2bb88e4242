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

enum { MOST_ALLOCATIONS = 400 };

static const char path[] = "/tmp/unihist-test-save-out-of-memory.uh";

static uh_queue *queue;
static uh_histogram *histogram;
static uh_histogramdd *histogramdd;

static uh_status save(void) {
    return uh_histogram_save(histogram, path);
}

static uh_status save_dd(void) {
    return uh_histogramdd_save(histogramdd, path);
}

static uh_status load(void) {
    uh_histogram *loaded = NULL;
    uh_status status = uh_histogram_load(queue, path, &loaded);
    assert_int_equal(loaded == NULL, status != UH_SUCCESS);
    uh_histogram_destroy(loaded);
    return status;
}

static uh_status load_dd(void) {
    uh_histogramdd *loaded = NULL;
    uh_status status = uh_histogramdd_load(queue, path, &loaded);
    assert_int_equal(loaded == NULL, status != UH_SUCCESS);
    uh_histogramdd_destroy(loaded);
    return status;
}

static uh_status peek(void) {
    uh_saved_info info = {.struct_size = sizeof info};
    return uh_saved_peek(path, &info);
}

static void every_failed_allocation_is_an_error_that_leaves_nothing_behind(void **state) {
    static const struct {
        uh_status (*call)(void);
        size_t least; /* allocations that it makes */
        int writes;
    } calls[] = {{save, 3, 1}, {load, 6, 0}, {peek, 3, 0}, {save_dd, 3, 1}, {load_dd, 8, 0}};
    static const int64_t edges[] = {0, 1, 3}, x[] = {0, 1, 2};
    static const double weights[] = {1e-300, 2, 1e300};
    const uh_histogramdd_options options = {.struct_size = sizeof options, .storage = UH_STORAGE_WEIGHTED};
    const uh_array coordinates = uh_array_dense(UH_I64, x), values = uh_array_dense(UH_F64, weights);
    static const double numbers[] = {0, 1};
    const uh_distribution table = {
        .struct_size = sizeof table, .kind = UH_DISTRIBUTION_TABLE, .x = numbers, .f = numbers, .points = 2};
    uh_axis *plain, *axis;
    (void)state;
    queue = test_queue(1, 0);
    assert_int_equal(uh_axis_create_edges(UH_I64, edges, 3, UH_CLOSED_LEFT, &plain), UH_SUCCESS);
    assert_int_equal(uh_axis_create_with_distribution(plain, &table, &axis), UH_SUCCESS);
    assert_int_equal(uh_histogram_create(queue, axis, NULL, &histogram), UH_SUCCESS);
    assert_int_equal(uh_histogramdd_create(queue, (const uh_axis *const *)&axis, 1, &options, &histogramdd),
                     UH_SUCCESS);
    assert_int_equal(uh_histogramdd_fill(histogramdd, &coordinates, 3, &values), UH_SUCCESS);
    for (size_t c = 0; c < sizeof calls / sizeof *calls; c++) {
        size_t allocations;
        if (calls[c].writes)
            unlink(path);
        for (allocations = 0; allocations < MOST_ALLOCATIONS; allocations++) {
            seen = 0;
            fails_at = allocations + 1;
            uh_status status = calls[c].call();
            fails_at = 0;
            if (seen <= allocations) {
                assert_int_equal(status, UH_SUCCESS);
                break;
            }
            test_assert_failed(status, UH_ERROR_OUT_OF_MEMORY, "no memory");
            assert_int_equal(access(path, F_OK), calls[c].writes ? -1 : 0);
        }
        assert_in_range(allocations, calls[c].least, MOST_ALLOCATIONS - 1);
    }
    unlink(path);
    uh_histogramdd_destroy(histogramdd);
    uh_histogram_destroy(histogram);
    uh_axis_destroy(axis);
    uh_axis_destroy(plain);
    uh_queue_destroy(queue);
}

TEST_MAIN(test_save_out_of_memory) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_failed_allocation_is_an_error_that_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
