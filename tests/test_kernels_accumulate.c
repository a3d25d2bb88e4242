/* SPDX-License-Identifier: Apache-2.0 */
/* Every kernel of the stores at work on few points, see test_kernels_histogram.c. */
#include "tests/support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/accumulate/store.h"
#include "kernels/common/engine.h"
#include "kernels/registry.h"

enum { CELLS = 10, MOST_POINTS = 3 * 16 * 64 + 7 };

static uh_device *device;
static uh_queue *queue;
static struct uhi_frame frame;
static uint32_t cell[MOST_POINTS];
static double weight[MOST_POINTS];

static void works(uh_status status) {
    if (status)
        fail_msg("%s", uh_last_error());
}

static void *on_device(const void *data, size_t size) {
    void *there = NULL;
    works(uh_malloc_device(device, size, 0, &there));
    works(uh_memcpy(queue, there, data, size, NULL, 0, NULL));
    works(uh_queue_wait(queue));
    return there;
}

static uh_status copy_cells(void *context, const struct uhi_piece *piece, uint32_t *to) {
    return uh_memcpy(queue, to, (const uint32_t *)context + piece->from, piece->n * sizeof *to, NULL, 0, NULL);
}

/* The first n points added to a store; `dtype` of the weights, or UH_DTYPE_COUNT for none. */
static struct uhi_store *add(uh_storage storage, size_t n, uh_dtype dtype) {
    struct uhi_store *store = NULL;
    static char values[MOST_POINTS * 8];
    const int weighted = dtype != UH_DTYPE_COUNT;
    const size_t size = weighted ? uh_dtype_size(dtype) : 0;
    for (size_t i = 0; weighted && i < n; i++) {
        const float f = (float)weight[i];
        const int64_t whole = isnan(weight[i]) ? 0 : (int64_t)weight[i];
        const void *from = dtype == UH_F32 ? (const void *)&f : dtype == UH_F64 ? (const void *)&weight[i] : &whole;
        memcpy(values + i * size, from, size); /* little-endian */
    }
    void *cells = on_device(cell, n * sizeof *cell), *w = weighted ? on_device(values, n * size) : NULL;
    works(uhi_store_create("test", CELLS, storage, UH_SUM_EXACT, &store));
    const struct uhi_cell_source source = {.on_device = copy_cells, .context = cells};
    works(uhi_frame_begin(&frame, "test", n));
    if (weighted)
        works(uhi_frame_input(&frame, "values", (struct uhi_values){w, n, (ptrdiff_t)size}, size));
    works(uhi_store_add(store, &frame, &source, weighted ? dtype : UHI_NO_VALUES));
    works(uhi_store_settle("test", store));
    works(uh_free(cells));
    works(uh_free(w));
    return store;
}

/* The slot of a point: the last is for those in no cell. */
static size_t slot_of(size_t i) {
    return cell[i] < CELLS ? cell[i] : CELLS;
}

static void check_counts(size_t n) {
    uint64_t expected[CELLS + 1] = {0}, found[CELLS + 1];
    for (size_t i = 0; i < n; i++)
        expected[slot_of(i)]++;
    struct uhi_store *store = add(UH_STORAGE_COUNT, n, UH_DTYPE_COUNT);
    uhi_store_counts(store, 0, CELLS + 1, found);
    assert_memory_equal(found, expected, sizeof found);
    uhi_store_destroy(store);
}

static void check_saturated(uh_storage storage, size_t n) {
    const uint64_t max = storage == UH_STORAGE_U8 ? 255 : 65535;
    uint64_t expected[CELLS + 1] = {0}, found[CELLS + 1];
    for (size_t i = 0; i < n; i++)
        expected[slot_of(i)]++;
    struct uhi_store *store = add(storage, n, UH_DTYPE_COUNT);
    uhi_store_counts(store, 0, CELLS + 1, found);
    for (size_t c = 0; c <= CELLS; c++)
        assert_int_equal(found[c], expected[c] < max ? expected[c] : max);
    uhi_store_destroy(store);
}

static void points_are_counted(void **state) {
    (void)state;
    check_counts(100);
    check_counts(MOST_POINTS);
    check_saturated(UH_STORAGE_U8, 100);
    check_saturated(UH_STORAGE_U8, MOST_POINTS);
    check_saturated(UH_STORAGE_U16, 100);
}

/* Weights are such that all sums and sums of squares are float64 numbers. */
static void check_sums(uh_storage storage, uh_dtype dtype, size_t n) {
    double sums[CELLS + 1] = {0}, squares[CELLS + 1] = {0}, found[2][CELLS + 1];
    const int whole = dtype == UH_I32 || dtype == UH_I64, with_squares = storage != UH_STORAGE_SUM;
    struct uhi_store *store = add(storage, n, dtype);
    for (size_t i = 0; i < n; i++) {
        const double w = !whole ? weight[i] : isnan(weight[i]) ? 0 : trunc(weight[i]);
        sums[slot_of(i)] += w;
        squares[slot_of(i)] += w * w;
    }
    uhi_store_sums(store, 0, CELLS + 1, found[0], with_squares ? found[1] : NULL);
    for (size_t c = 0; c <= CELLS; c++) {
        assert_true(found[0][c] == sums[c] || (isnan(found[0][c]) && isnan(sums[c])));
        assert_true(!with_squares || found[1][c] == squares[c] || (isnan(found[1][c]) && isnan(squares[c])));
    }
    uhi_store_destroy(store);
}

static void weights_of_every_type_are_added(void **state) {
    (void)state;
    static const uh_dtype dtypes[] = {UH_F32, UH_F64, UH_I32, UH_I64};
    for (size_t i = 0; i < 4; i++) {
        check_sums(UH_STORAGE_SUM, dtypes[i], 100);
        check_sums(UH_STORAGE_WEIGHTED, dtypes[i], 100);
        check_sums(UH_STORAGE_MEAN, dtypes[i], 100);
    }
    check_sums(UH_STORAGE_SUM, UH_F32, MOST_POINTS);
}

/* Windows of 16 bits that hold more, which comes only after very many points. */
static void what_windows_hold_too_much_is_carried(void **state) {
    (void)state;
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
    works(uhi_engine_open(&engine, "test", queue, uhi_accumulate_variants()));
    works(uhi_engine_kernel(&engine, "carry", &kernel));
    uint32_t *there = on_device(words, sizeof words), *there_used = there + (size_t)2 * SLOTS * WINDOWS;
    const uh_arg args[] = {uh_arg_pointer(there), uh_arg_value(&slots, sizeof slots),
                           uh_arg_value(&windows, sizeof windows), uh_arg_pointer(there_used)};
    works(uhi_engine_run(&engine, kernel, 2, uhi_group_size(&engine.properties), args, 4, NULL, NULL));
    works(uh_memcpy(queue, after, there, sizeof after, NULL, 0, NULL));
    works(uh_memcpy(queue, used, there_used, sizeof used, NULL, 0, NULL));
    works(uh_queue_wait(queue));
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
    works(uh_free(there));
    uhi_engine_close(&engine);
}

static int setup(void **state) {
    uint64_t seed = 9;
    (void)state;
    for (size_t i = 0; i < MOST_POINTS; i++) {
        const uint64_t draw = test_random_u64(&seed);
        cell[i] = i % 11 == 3 ? UHI_OUTSIDE : (uint32_t)(draw % CELLS);
        weight[i] = ((double)(draw >> 8 & 63) - 30) / 8 * (i % 2 ? 65536 : 1);
    }
    weight[4] = NAN;
    if (uh_queue_create(device, NULL, &queue))
        return 1;
    uhi_frame_open(&frame, queue, uhi_accumulate_variants());
    return 0;
}

static int teardown(void **state) {
    (void)state;
    uhi_frame_close(&frame);
    return uh_queue_destroy(queue) != UH_SUCCESS;
}

TEST_MAIN(test_kernels_accumulate) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_are_counted),
        cmocka_unit_test(weights_of_every_type_are_added),
        cmocka_unit_test(what_windows_hold_too_much_is_carried),
    };
    const char *selector = getenv("UNIHIST_TEST_DEVICE");
    if (uh_device_select(selector ? selector : "level_zero", &device)) {
        printf("skipped: %s\n", uh_last_error());
        return 77;
    }
    return cmocka_run_group_tests(tests, setup, teardown);
}
