/* SPDX-License-Identifier: Apache-2.0 */
/* Launches of every kernel of the stores: all that bins can keep, all types of weights, in local and in global memory.
 */
#include "tests/intel_null.h"

#include <stdint.h>

#include "kernels/accumulate/accumulate.h"
#include "kernels/accumulate/store.h"
#include "kernels/registry.h"

static const uh_dtype weights[] = {UH_F32, UH_F64, UH_I32, UH_I64};
enum { WEIGHTS = sizeof weights / sizeof weights[0] };

static void taken(uh_status status, uh_storage storage, size_t cells, uh_dtype dtype) {
    if (status)
        fail_msg("storage %d of %zu cells, %s: %s", (int)storage, cells, uh_dtype_name(dtype), uh_last_error());
}

static uh_status copy_cells(void *context, const struct uhi_piece *piece, uint32_t *to) {
    return uh_memcpy(null_queue, to, (const uint32_t *)context + piece->from, piece->n * sizeof *to, NULL, 0, NULL);
}

/* Adds n points. What would come back means nothing here, not even as sums: it is forgotten. */
static void run_store(uh_storage storage, size_t cells, uh_dtype dtype, const uint32_t *cell, const void *values,
                      size_t n) {
    struct uhi_store *store = NULL;
    const struct uhi_values at = {values, n, (ptrdiff_t)uh_dtype_size(dtype)};
    const struct uhi_cell_source source = {.on_device = copy_cells, .context = (void *)(uintptr_t)cell};
    struct uhi_frame frame;
    taken(uhi_store_create("test", cells, storage, UH_SUM_EXACT, &store), storage, cells, dtype);
    uhi_frame_open(&frame, null_queue, uhi_accumulate_variants());
    taken(uhi_frame_begin(&frame, "test", n), storage, cells, dtype);
    if (values)
        taken(uhi_frame_input(&frame, "values", at, uh_dtype_size(dtype)), storage, cells, dtype);
    taken(uhi_store_add(store, &frame, &source, values ? dtype : UHI_NO_VALUES), storage, cells, dtype);
    taken(uh_queue_wait(null_queue), storage, cells, dtype);
    uhi_store_forget(store);
    uhi_store_destroy(store);
    uhi_frame_close(&frame);
}

/* Counters, and a single window, that fit into local memory or not. */
static void every_storage_and_type_is_taken(void) {
    static const uh_storage counts[] = {UH_STORAGE_COUNT, UH_STORAGE_U8, UH_STORAGE_U16};
    static const uh_storage sums[] = {UH_STORAGE_SUM, UH_STORAGE_WEIGHTED, UH_STORAGE_MEAN};
    const size_t cells[] = {10, 1000, 100000};
    void *values = intel_null_values();
    for (size_t c = 0; c < sizeof cells / sizeof cells[0]; c++)
        for (size_t s = 0; s < 3; s++) {
            run_store(counts[s], cells[c], UH_F32, values, NULL, NULL_VALUES);
            for (size_t w = 0; w < WEIGHTS; w++)
                run_store(sums[s], cells[c], weights[w], values, values, NULL_VALUES);
        }
    assert_int_equal(uh_free(values), UH_SUCCESS);
}

/* More points than a window takes, so that it is carried in between. One array is both cells and weights. */
static void more_points_than_windows_hold_are_taken(void) {
    const size_t n = ((size_t)1 << UHI_HEADROOM) + 1;
    const uint32_t zero = 0;
    void *values = NULL;
    assert_int_equal(uh_malloc_device(null_device, n * sizeof zero, 0, &values), UH_SUCCESS);
    assert_int_equal(uh_fill(null_queue, values, &zero, sizeof zero, n, NULL, 0, NULL), UH_SUCCESS);
    run_store(UH_STORAGE_SUM, 10, UH_I32, values, values, n);
    assert_int_equal(uh_free(values), UH_SUCCESS);
}

void intel_null_accumulate(void **state) {
    (void)state;
    every_storage_and_type_is_taken();
    more_points_than_windows_hold_are_taken();
}
