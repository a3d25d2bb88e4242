/* SPDX-License-Identifier: Apache-2.0 */
/* A store: the contents of a histogram's bins, given the cell of every point. It has `cells` cells and, at index
 * `cells`, one more for points outside all cells.
 *
 * Exact sums are superaccumulators (Kulisch's long accumulator; references in planes.h). Every weight (float32,
 * float64, int32, int64, also mixed between calls) is an integer times a power of two and is added as such to
 * fixed-point numbers wide enough for 2^63 of the largest and the smallest: adding never rounds, so results do not
 * depend on threads, devices, pieces or order. A read rounds once, to the nearest float64, ties to even: |read - exact
 * sum| <= half a unit in the last place of the exact sum (2^-53 of it, or 2^-1075 among the denormals). Sums of squares
 * are of the exact squares, also for float64. A sum of at least 2^1024 - 2^970 in magnitude reads as infinity, by the
 * same rounding; for float32 a sum is rounded once to 24 bits instead. NaN and infinite weights set three flags per
 * cell: NaN, or both infinities, read as NaN. A result that cannot be represented is an error and changes nothing:
 * UH_ERROR_OVERFLOW from uhi_store_sums_integer.
 *
 * A mean store keeps the count and both exact sums; mean = S / n and m2 = Q - S^2 / n are computed from the exact
 * numbers and rounded once. UH_SUM_FAST affects only UH_STORAGE_SUM and UH_STORAGE_WEIGHTED, and only on the host.
 *
 * A store may be used by one thread at a time. Functions that fail have called uhi_fail and leave the store
 * unchanged. */
#pragma once

#include <unihist/base.h>

#include "kernels/accumulate/planes.h"
#include "kernels/accumulate/tables.h"
#include "kernels/common/frame.h"

/* Maximum number of cells requested at once. */
enum { UHI_CELL_BLOCK = 2048 };

struct uhi_device_tables;

/* One array per quantity, with the points outside all cells at the end. Other rooms read `cells`, `storage` and
 * `counts`. */
struct uhi_store {
    size_t cells, slots; /* slots = cells + 1 */
    uh_storage storage;
    uh_sum sum;
    uint64_t *counts;                /* COUNT, MEAN */
    void *saturated;                 /* U8, U16 */
    double *fast, *fast_squares;     /* FAST */
    struct uhi_planes sums, squares; /* unused with FAST, except for sums from a device */
    uint8_t *flags;                  /* SUM, WEIGHTED, MEAN: UHI_FLAG_* */
    void *scratch;                   /* the threads' tables, all zero between adds */
    size_t scratch_bytes;
    struct uhi_device_tables *device; /* data still on a device; NULL before the first add on one */
};

static inline int uhi_store_has_sums(uh_storage storage) {
    return storage == UH_STORAGE_SUM || storage == UH_STORAGE_WEIGHTED || storage == UH_STORAGE_MEAN;
}
static inline int uhi_store_has_squares(uh_storage storage) {
    return storage == UH_STORAGE_WEIGHTED || storage == UH_STORAGE_MEAN;
}
static inline int uhi_store_has_counts(uh_storage storage) {
    return storage == UH_STORAGE_COUNT || storage == UH_STORAGE_MEAN;
}
static inline size_t uhi_store_saturated_size(uh_storage storage) { /* bytes per saturating counter; 0 otherwise */
    return storage == UH_STORAGE_U8 ? sizeof(uint8_t) : storage == UH_STORAGE_U16 ? sizeof(uint16_t) : 0;
}
static inline uint32_t uhi_store_saturated_max(uh_storage storage) {
    return storage == UH_STORAGE_U8 ? UINT8_MAX : UINT16_MAX;
}
static inline uint16_t uhi_saturated_cell(const struct uhi_store *store, size_t slot) {
    return store->storage == UH_STORAGE_U8 ? ((const uint8_t *)store->saturated)[slot]
                                           : ((const uint16_t *)store->saturated)[slot];
}

/* Creates an empty store of 1 to UINT32_MAX - 1 cells. `call` is for messages, here and below. The caller destroys the
 * store. UH_ERROR_OUT_OF_MEMORY. */
uh_status uhi_store_create(const char *call, size_t cells, uh_storage storage, uh_sum sum, struct uhi_store **store);
void uhi_store_destroy(struct uhi_store *store); /* NULL is allowed */

/* Empties the store, also on a device. */
void uhi_store_clear(struct uhi_store *store);

/* ---- adding ------------------------------------------------------------------------------------------------------ */

/* Windows (accumulate.h) on a device: `count` of them, 2 words per window and slot; `used` has a word per window. */
struct uhi_device_windows {
    uint32_t *words, *used;
    uint32_t count;
};

/* A store's memory for weights of one type, for a caller that adds to it directly. */
struct uhi_device_sums {
    struct uhi_device_windows sums, squares; /* squares: WEIGHTED and MEAN only */
    uint32_t *flags;                         /* one word per slot */
    uint32_t *counts;                        /* MEAN: 2 words per slot */
};

/* Finds the cells of a frame's points: 0 to cells - 1, or `cells` for points outside all cells; on a device larger
 * numbers are treated as `cells`. */
struct uhi_cell_source {
    /* On the host: stores the cells of points [from, from + n), n <= UHI_CELL_BLOCK. Several threads call it at once;
     * `part` (below the queue's threads) identifies the caller, and each part goes through its points from start to
     * end. Must not fail. */
    void (*on_host)(const void *context, size_t part, size_t from, size_t n, uint32_t *cell);
    /* On a device: submits to the engine's queue the launches that write the cells of a piece to device memory
     * `cell`. */
    uh_status (*on_device)(void *context, const struct uhi_piece *piece, uint32_t *cell);
    /* Replaces on_device if not NULL, for SUM, WEIGHTED or MEAN with values: submits launches that find the cells and
     * add a piece's values, and leaves the last event in piece->done. On failure it must have added nothing. */
    uh_status (*sum_on_device)(void *context, const struct uhi_piece *piece, const struct uhi_device_sums *sums);
    void *context;
    struct uhi_counters *counters; /* also updated by on_device, with `several` set; NULL: none */
    uint64_t *counts;              /* receives counts that must leave `counters`, as `to` of uhi_counters_add */
    size_t max_piece;              /* maximum points per call of on_device; 0: no limit */
};

/* The dtype if there are no values. */
#define UHI_NO_VALUES UH_DTYPE_COUNT
static inline uh_dtype uhi_values_dtype(const uh_array *values) { return values ? values->dtype : UHI_NO_VALUES; }

/* Adds the points of a frame's call in a stage of the frame. The frame's last input holds their values: weights or
 * samples of type float32, float64, int32, int64 or, on the host, uint64. UHI_NO_VALUES for storages without values,
 * and with SUM and WEIGHTED for weights of 1. On a device the data may stay there until uhi_store_read_device; the
 * store must then always be used with the same frame and must not outlive it. No number of points causes an overflow.
 * On failure nothing was added; if earlier points were lost as well, the frame's next call reports it (frame->lost).
 * UH_ERROR_OUT_OF_MEMORY and device errors. */
uh_status uhi_store_add(struct uhi_store *store, struct uhi_frame *frame, const struct uhi_cell_source *source,
                        uh_dtype dtype);

/* Waits, and moves everything on a device into the store, from which the functions below read, fold and export. On
 * failure nothing changes; data spoilt by a queue error must be discarded with uhi_store_discard. */
uh_status uhi_store_read_device(const char *call, struct uhi_store *store);

/* Discards the data on a device. */
void uhi_store_discard(struct uhi_store *store);

/* ---- reading: cells [from, from + n), from + n <= cells + 1 ------------------------------------------------------ */

/* COUNT, MEAN, U8, U16. */
void uhi_store_counts(const struct uhi_store *store, size_t from, size_t n, uint64_t *counts);
/* SUM, WEIGHTED (and MEAN: of the samples). Either may be NULL; sums of squares require WEIGHTED or MEAN. */
void uhi_store_sums(const struct uhi_store *store, size_t from, size_t n, double *sum, double *squares);
/* The same as float32: exact sums are rounded once, UH_SUM_FAST sums are converted from float64. */
void uhi_store_sums_f32(const struct uhi_store *store, size_t from, size_t n, float *sum, float *squares);
/* UH_SUM_EXACT, as int64 or uint64. UH_ERROR_OVERFLOW, naming the first cell whose sum is not one (also fractions,
 * infinities and NaN); nothing is stored then. */
uh_status uhi_store_sums_integer(const char *call, const struct uhi_store *store, size_t n, uh_dtype dtype, void *sum);
/* MEAN: any may be NULL. An empty cell has mean NaN and m2 0. */
void uhi_store_means(const struct uhi_store *store, size_t from, size_t n, uint64_t *count, double *mean, double *m2);

/* The sum of uhi_store_sums over the first n cells, rounded once. UH_ERROR_OUT_OF_MEMORY. */
uh_status uhi_store_total(const char *call, const struct uhi_store *store, size_t n, double *sum);

/* Notes the contents of all cells in a trial (accumulate_trial.c); all NaNs are equal. */
void uhi_store_note(const struct uhi_store *store, struct uhi_trial *trial);

/* ---- merging stores ---------------------------------------------------------------------------------------------- */

/* Makes room in `target` for all contents of `source`, so that folding cannot fail. Both must have the same storage and
 * sum; their cells may differ. UH_ERROR_OUT_OF_MEMORY. */
uh_status uhi_store_reserve(const char *call, struct uhi_store *target, const struct uhi_store *source);

/* Adds one cell of `source` to one of `target`, exactly (FAST: one float64 addition; saturating storages: up to their
 * maximum). Call uhi_store_reserve first. Cell `cells`, the outside, is allowed. */
void uhi_store_fold(struct uhi_store *target, size_t target_cell, const struct uhi_store *source, size_t source_cell);

/* ---- saving ------------------------------------------------------------------------------------------------------ */

/* A store's contents as arrays with one row per cell, followed by one for the points outside. Equal contents give equal
 * arrays, however they came about. */
enum uhi_store_array {
    UHI_STORE_COUNTS,        /* uint64 (COUNT, MEAN), uint8 (U8), uint16 (U16) */
    UHI_STORE_SUMS,          /* float64 (FAST) */
    UHI_STORE_SQUARES,       /* likewise */
    UHI_STORE_SUM_DIGITS,    /* uint32, lowest digit first: exact sums in two's complement */
    UHI_STORE_SQUARE_DIGITS, /* likewise */
    UHI_STORE_FLAGS,         /* uint8 (SUM, WEIGHTED, MEAN): 1 NaN, 2 +inf, 4 -inf */
    UHI_STORE_ARRAYS
};

struct uhi_store_layout {
    const char *type; /* of an element, in NumPy notation; NULL: no such array */
    uint64_t columns; /* elements per row: 1, or the number of digits */
    int64_t exponent; /* of the lowest digit, which counts 2^exponent */
};

/* Returns the layout of the array for the store's current contents. */
struct uhi_store_layout uhi_store_layout(const struct uhi_store *store, enum uhi_store_array array);

/* Writes an array that the store has to memory aligned for its elements. */
void uhi_store_export(const struct uhi_store *store, enum uhi_store_array array, const struct uhi_store_layout *layout,
                      void *to);

/* Reads an array of the storage, at any alignment, into an empty store. UH_ERROR_INVALID_ARGUMENT for invalid contents,
 * UH_ERROR_OUT_OF_MEMORY. */
uh_status uhi_store_import(const char *call, struct uhi_store *store, enum uhi_store_array array,
                           const struct uhi_store_layout *layout, const void *from);

/* ---- as words -------------------------------------------------------------------------------------------------------
 * The same arrays as 64-bit words, `columns` per cell, for n cells [from, from + n), from + n <= cells + 1. Each digit
 * has a word of its own, and the last one has the sign: words of several stores in a common layout, which may be wider
 * than any store's own, can be added word by word, modulo 2^64. */

/* Writes the words of an array that the store has, float64 as its bits. */
void uhi_store_read_words(const struct uhi_store *store, enum uhi_store_array array,
                          const struct uhi_store_layout *layout, size_t from, size_t n, uint64_t *words);

/* Makes room for sums of digits in that layout; other arrays need none. UH_ERROR_OUT_OF_MEMORY. */
uh_status uhi_store_reserve_words(const char *call, struct uhi_store *store, enum uhi_store_array array,
                                  const struct uhi_store_layout *layout);

/* Replaces the contents of an array for these cells by words combined from `summands` stores, at most 2^30: added up,
 * for UHI_STORE_FLAGS OR-ed. Call uhi_store_reserve_words first. Saturating counts are limited to their maximum. */
void uhi_store_write_words(struct uhi_store *store, enum uhi_store_array array, const struct uhi_store_layout *layout,
                           size_t from, size_t n, const uint64_t *words, uint64_t summands);

/* ---- adding points one by one to a store's own arrays: few points, or too many cells for a table per thread ---- */

/* Widens *lowest and *above to the exponents of n contiguous values: multiples of 2^*lowest, below 2^*above. Leaves
 * them unchanged if all values are 0 or not finite. */
void uhi_exponents_of(enum uhi_value_kind kind, const void *w, size_t n, int *lowest, int *above);

/* Adds n points. `w`: contiguous aligned values, or NULL; `shared`: other threads do the same. */
void uhi_direct_add(struct uhi_store *store, enum uhi_value_kind kind, const void *w, const uint32_t *cell, size_t n,
                    int shared);

/* Adds `count` points of weight 1 to one slot. */
void uhi_direct_count(struct uhi_store *store, size_t slot, uint64_t count, int shared);
