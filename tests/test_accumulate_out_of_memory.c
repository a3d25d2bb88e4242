/* SPDX-License-Identifier: Apache-2.0 */
/* Every allocation of a store's life fails once: the call says so, and the store is as it was. */
#include "tests/support.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/accumulate/store.h"
#include "kernels/registry.h"
#include "tests/failing_malloc.h"
#include "tests/fixture.h"

enum { N = 5000, CELLS = 11, MOST = 400 };

static uint32_t cell[N];
static double weights[N];

static void copy_cells(const void *context, size_t part, size_t from, size_t n, uint32_t *to) {
    (void)context;
    (void)part;
    memcpy(to, cell + from, n * sizeof *to);
}

/* Fails at allocation `at` of the call that follows; tells whether there were so many. */
#define WITH_FAILURE(at, call) (fails_at = (at), seen = 0, status = (call), fails_at = 0, status != UH_SUCCESS)

static uh_status add(uh_queue *queue, struct uhi_store *store, uh_dtype dtype) {
    const struct uhi_cell_source source = {.on_host = copy_cells};
    const struct uhi_values values = {(const char *)weights, N, (ptrdiff_t)sizeof *weights};
    struct uhi_frame frame;
    uhi_frame_open(&frame, queue, uhi_accumulate_variants());
    uh_status status = uhi_frame_begin(&frame, "test", N);
    if (!status)
        status = uhi_frame_input(&frame, "values", values, uh_dtype_size(dtype));
    if (!status)
        status = uhi_store_add(store, &frame, &source, dtype);
    uhi_frame_close(&frame);
    return status;
}

static void a_store_that_finds_no_memory_is_as_it_was(void **state) {
    static const uh_storage storages[] = {UH_STORAGE_SUM, UH_STORAGE_WEIGHTED, UH_STORAGE_MEAN};
    uh_queue *queue = test_queue(1, 0);
    (void)state;
    for (size_t s = 0; s < 3; s++) {
        struct uhi_store *store = NULL, *other = NULL;
        uh_status status;
        double before[CELLS + 1], after[CELLS + 1];
        size_t at = 1;
        for (; WITH_FAILURE(at, uhi_store_create("test", CELLS, storages[s], UH_SUM_EXACT, &store)); at++) {
            assert_int_equal(status, UH_ERROR_OUT_OF_MEMORY);
            assert_null(store);
        }
        assert_in_range(at, 2, MOST);
        for (at = 1; WITH_FAILURE(at, add(queue, store, UH_F32)); at++) {
            assert_int_equal(status, UH_ERROR_OUT_OF_MEMORY);
            assert_non_null(strstr(uh_last_error(), "test: no memory"));
            uhi_store_sums(store, 0, CELLS + 1, after, NULL);
            for (size_t i = 0; i <= CELLS; i++)
                assert_true(after[i] == 0);
            assert_true(at < MOST);
        }
        assert_in_range(at, 2, MOST);
        uhi_store_sums(store, 0, CELLS + 1, before, NULL);
        for (at = 1; WITH_FAILURE(at, add(queue, store, UH_F64)); at++) {
            assert_int_equal(status, UH_ERROR_OUT_OF_MEMORY);
            uhi_store_sums(store, 0, CELLS + 1, after, NULL);
            assert_memory_equal(before, after, sizeof before);
        }
        assert_in_range(at, 2, MOST);
        assert_int_equal(uhi_store_create("test", CELLS, storages[s], UH_SUM_EXACT, &other), UH_SUCCESS);
        for (at = 1; WITH_FAILURE(at, uhi_store_merge("test", other, store)); at++) {
            assert_int_equal(status, UH_ERROR_OUT_OF_MEMORY);
            uhi_store_sums(other, 0, CELLS + 1, after, NULL);
            for (size_t i = 0; i <= CELLS; i++)
                assert_true(after[i] == 0);
        }
        assert_in_range(at, 2, MOST);
        uhi_store_sums(store, 0, CELLS + 1, before, NULL);
        uhi_store_sums(other, 0, CELLS + 1, after, NULL);
        assert_memory_equal(before, after, sizeof before);
        uhi_store_destroy(store);
        uhi_store_destroy(other);
    }
    assert_int_equal(uh_queue_destroy(queue), UH_SUCCESS);
}

TEST_MAIN(test_accumulate_out_of_memory) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_store_that_finds_no_memory_is_as_it_was)};
    for (size_t i = 0; i < N; i++) {
        cell[i] = (uint32_t)(i % CELLS);
        weights[i] = 1.5 + (double)i;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
