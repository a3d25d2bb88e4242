/* SPDX-License-Identifier: Apache-2.0 */
/* Trials of the store kernels: cancelling sums, denormal and largest weights, saturating counters, carries between
 * windows. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "kernels/accumulate/store.h"
#include "kernels/common/trial.h"
#include "runtime/status.h"

enum { POINTS = 600, CELLS = 5 };

/* ---- points ------------------------------------------------------------------------------------------------------ */

static void put_weight(uh_dtype dtype, size_t i, void *weights) {
    static const float f32[] = {FLT_MAX, 0x1p-149f, 1, 0x1.8p-140f, -FLT_MAX, 0x1p-24f, 16777215, -0x1p-149f, 0.1f, -1};
    static const double f64[] = {DBL_MAX, 0x1p-1074, 1, 0x1.8p-1060, -DBL_MAX, 0x1p-53, 0x1p53, -0x1p-1074, 0.1, -1};
    static const int32_t i32[] = {INT32_MAX, INT32_MIN, 1, -1, 65535, -65536, 16777217, 0, INT32_MIN, 32768};
    static const int64_t i64[] = {INT64_MAX,           INT64_MIN,          1, -1,        UINT32_MAX,
                                  -(INT64_C(1) << 32), (INT64_C(1) << 53), 0, INT64_MIN, 65536};
    /* Every 70th point replaces the first weight of its round, so that the sum of a cell is not 0. */
    const size_t at = i % 10 == 0 && i % 70 == 0 ? 2 : i % 10;
    switch (dtype) {
    case UH_F32: ((float *)weights)[i] = f32[at]; break;
    case UH_F64: ((double *)weights)[i] = f64[at]; break;
    case UH_I32: ((int32_t *)weights)[i] = i32[at]; break;
    default: ((int64_t *)weights)[i] = i64[at];
    }
}

static uint32_t cell_of(size_t i) { return i % 3 == 0 ? 0 : i % 61 == 0 ? CELLS : (uint32_t)(i / 10 % CELLS); }

struct cells {
    uh_queue *queue;
    uint32_t cell[POINTS];
};

static void find_on_host(const void *context, __attribute__((unused)) size_t part, size_t from, size_t n,
                         uint32_t *cell) {
    const struct cells *cells = context;
    memcpy(cell, cells->cell + from, n * sizeof *cell);
}

static uh_status find_on_device(void *context, const struct uhi_piece *piece, uint32_t *cell) {
    const struct cells *cells = context;
    return uh_memcpy(cells->queue, cell, cells->cell + piece->from, piece->n * sizeof *cell, NULL);
}

/* ---- stores ------------------------------------------------------------------------------------------------------ */

static void note_sum(struct uhi_trial *trial, const char *what, size_t cell, double sum) {
    uint64_t bits;
    sum = isnan(sum) ? (double)NAN : sum;
    memcpy(&bits, &sum, sizeof bits);
    uhi_trial_add(trial, what, cell, bits);
}

void uhi_store_note(const struct uhi_store *store, struct uhi_trial *trial) {
    const int sums = uhi_store_has_sums(store->storage), squares = uhi_store_has_squares(store->storage);
    for (size_t cell = 0; cell < store->slots; cell++) {
        double sum = 0, square = 0;
        uint64_t count = 0;
        if (sums) {
            uhi_store_sums(store, cell, 1, &sum, squares ? &square : NULL);
            note_sum(trial, "the sum of cell", cell, sum);
            note_sum(trial, "the sum of squares of cell", cell, square);
        }
        uhi_store_counts(store, cell, 1, &count); /* none in storages of sums alone */
        uhi_trial_add(trial, "the count of cell", cell, count);
    }
}

static uh_status add_points(struct uhi_frame *frame, struct uhi_trial *trial, struct uhi_store *store, uh_dtype dtype) {
    uint64_t weights[POINTS];
    struct cells cells = {.queue = frame->queue};
    const struct uhi_cell_source source = {.on_host = find_on_host, .on_device = find_on_device, .context = &cells};
    for (size_t i = 0; i < POINTS; i++) {
        cells.cell[i] = cell_of(i);
        if (dtype != UHI_NO_VALUES)
            put_weight(dtype, i, weights);
    }
    uh_status status = uhi_frame_begin(frame, trial->call, POINTS);
    if (!status && dtype != UHI_NO_VALUES) {
        const size_t size = uh_dtype_size(dtype);
        const struct uhi_values values = {(const char *)weights, POINTS, (ptrdiff_t)size};
        status = uhi_frame_input(frame, "weights", values, size);
    }
    if (!status)
        status = uhi_store_add(store, frame, &source, dtype);
    if (!status)
        status = uhi_store_read_device(trial->call, store);
    else if (frame->engine)
        uhi_engine_quiesce(frame->engine); /* may still be copying the cells */
    if (!status)
        uhi_store_note(store, trial);
    return status;
}

static uh_status try_store(uh_queue *queue, struct uhi_trial *trial) {
    const int sums = uhi_trial_is(trial, "sum"), squares = uhi_trial_is(trial, "squares");
    const uh_dtype dtype = uhi_trial_is(trial, "f32")   ? UH_F32
                           : uhi_trial_is(trial, "f64") ? UH_F64
                           : uhi_trial_is(trial, "i32") ? UH_I32
                           : uhi_trial_is(trial, "i64") ? UH_I64
                                                        : UHI_NO_VALUES;
    const uh_storage storage = sums                              ? UH_STORAGE_SUM
                               : squares                         ? UH_STORAGE_WEIGHTED
                               : uhi_trial_is(trial, "saturate") ? UH_STORAGE_U8
                                                                 : UH_STORAGE_COUNT;
    struct uhi_frame frame;
    struct uhi_store *store = NULL;
    trial->local_memory = uhi_trial_is(trial, "global") ? 0 : UINT64_MAX;
    uhi_frame_open(&frame, queue, uhi_accumulate_variants());
    uh_status status = uhi_store_create(trial->call, CELLS, storage, UH_SUM_EXACT, &store);
    if (!status)
        status = add_points(&frame, trial, store, dtype);
    uhi_store_destroy(store);
    uhi_frame_close(&frame);
    return status;
}

/* ---- the carry --------------------------------------------------------------------------------------------------- */

enum { SLOTS = 7, WINDOWS = 3 };

/* In the order of the kernel's memory. */
struct windows {
    int64_t window[WINDOWS][SLOTS];
    uint32_t used[WINDOWS + 1];
};

static uh_status carry_on_device(uh_queue *queue, const struct uhi_trial *trial, struct windows *windows) {
    const uint32_t slots = SLOTS, count = WINDOWS;
    struct uhi_trial_launch launch;
    const uh_status status =
        uhi_trial_begin(queue, trial, uhi_accumulate_variants(), windows, sizeof *windows, &launch);
    const uh_arg args[] = {uh_arg_pointer(launch.there), UHI_ARG(slots), UHI_ARG(count),
                           uh_arg_pointer(launch.there + offsetof(struct windows, used))};
    return uhi_trial_finish(&launch, status, SLOTS, 0, args, 4);
}

/* Reduces windows but the last to 16 bits, signed; the rest goes into the next. */
static void carry_on_host(struct windows *windows) {
    for (size_t s = 0; s < SLOTS; s++)
        for (size_t w = 0; w + 1 < WINDOWS; w++) {
            const int64_t rest = (int64_t)(int16_t)(uint16_t)windows->window[w][s];
            windows->window[w + 1][s] += (windows->window[w][s] - rest) / 65536;
            windows->window[w][s] = rest;
        }
}

static uh_status try_carry(uh_queue *queue, struct uhi_trial *trial) {
    static const int64_t hostile[SLOTS] = {
        0, 32767, 32768, -32768, -32769, INT64_C(0x7fffffff8000), -(INT64_C(1) << 46)};
    struct windows windows = {.used = {0}};
    uh_status status = UH_SUCCESS;
    for (size_t w = 0; w < WINDOWS; w++)
        for (size_t s = 0; s < SLOTS; s++)
            windows.window[w][s] = hostile[(s + w) % SLOTS];
    if (uhi_body_of(queue) == UHI_BODY_DEVICE)
        status = carry_on_device(queue, trial, &windows);
    else
        carry_on_host(&windows);
    uhi_trial_add_all(trial, "window", windows.window, (size_t)SLOTS * WINDOWS, sizeof(int64_t));
    return status;
}

uh_status uhi_accumulate_trial(uh_queue *queue, struct uhi_trial *trial) {
    return uhi_trial_is(trial, "carry") ? try_carry(queue, trial) : try_store(queue, trial);
}
