/* SPDX-License-Identifier: Apache-2.0 */
/* A store: what the bins of a histogram keep, given the cell of every point. It has `cells` cells and, as number
 * `cells`, one more for the points that lie in none.
 *
 * Exact sums are superaccumulators (Kulisch's long accumulator; planes.h cites). Every weight (float32, float64, int32,
 * int64, also in turn) is an integer times a power of two, and is added as such to fixed-point numbers that are wide
 * enough for 2^63 of the largest and the smallest: nothing is ever rounded while adding, so that threads, devices,
 * pieces and order cannot matter. A read rounds once, to the nearest float64, ties to even: |read - exact sum| <= half
 * a unit in the last place of the exact sum (2^-53 of it, or 2^-1075 among the denormals). Sums of squares are of the
 * exact squares, also of float64. A sum of at least 2^1024 - 2^970 in magnitude is no float64 and reads as infinity, by
 * the same rounding; as float32 it is rounded once to 24 bits instead. NaN and infinite weights are three flags a cell:
 * NaN, or both infinities, read as NaN. What no number can hold is an error and changes nothing: UH_ERROR_OVERFLOW from
 * uhi_store_sums_i64.
 *
 * A mean store keeps the count and both exact sums; mean = S / n and m2 = Q - S^2 / n are found from the exact numbers
 * and rounded once. UH_SUM_FAST concerns UH_STORAGE_SUM and UH_STORAGE_WEIGHTED, and there the host alone.
 *
 * A store belongs to one thread at a time. Functions that fail have called uhi_fail and leave the store as it was. */
#ifndef UHI_ACCUMULATE_STORE_H
#define UHI_ACCUMULATE_STORE_H

#include <unihist/storage.h>

#include "kernels/common/frame.h"

/* So many cells are asked for at once, at most. */
enum { UHI_CELL_BLOCK = 2048 };

struct uhi_store;

/* Makes an empty store of 1 to UINT32_MAX - 1 cells. `call` is for messages here and everywhere below. The caller
 * destroys it. UH_ERROR_OUT_OF_MEMORY. */
uh_status uhi_store_create(const char *call, size_t cells, uh_storage storage, uh_sum sum, struct uhi_store **store);
void uhi_store_destroy(struct uhi_store *store); /* NULL is allowed */

/* Empties it, also on a device. */
void uhi_store_clear(struct uhi_store *store);

size_t uhi_store_cells(const struct uhi_store *store);
uh_storage uhi_store_storage(const struct uhi_store *store);
uh_sum uhi_store_sum(const struct uhi_store *store);

/* ---- adding ------------------------------------------------------------------------------------------------------ */

/* Windows (accumulate.h) on a device: so many, 2 words for each window and slot; `used` has a word for each. */
struct uhi_device_windows {
    uint32_t *words, *used;
    uint32_t count;
};

/* What of a store is there for weights of one type, for who adds to it itself. */
struct uhi_device_sums {
    struct uhi_device_windows sums, squares; /* squares of WEIGHTED and MEAN alone */
    uint32_t *flags;                         /* a word for each slot */
    uint32_t *counts;                        /* of MEAN: 2 words for each slot */
};

/* Who finds the cells of a frame's points: 0 to cells - 1, or `cells` of a point that lies in none; on a device whatever
 * is larger is taken as that. */
struct uhi_cell_source {
    /* On the host: stores the cells of points [from, from + n), n <= UHI_CELL_BLOCK. It is called by several threads at
     * once, `part` (below the queue's threads) tells for whom; each goes through its part of the points from the start
     * to the end. It must not fail. */
    void (*on_host)(const void *context, size_t part, size_t from, size_t n, uint32_t *cell);
    /* On a device: submits to the engine's queue what writes the cells of a piece, `cell` being of the device. */
    uh_status (*on_device)(void *context, const struct uhi_piece *piece, uint32_t *cell);
    /* In its stead, where it is not NULL, for SUM, WEIGHTED or MEAN and values: submits what adds a piece's values
     * there too, and leaves its event in piece->done. It may have added nothing where it fails. */
    uh_status (*sum_on_device)(void *context, const struct uhi_piece *piece, const struct uhi_device_sums *sums);
    void *context;
    struct uhi_counters *counters; /* that on_device adds to besides, `several` of them set; NULL: none */
    uint64_t *counts;              /* what has to leave them, as uhi_counters_add's `to` */
    size_t max_piece;              /* points that on_device takes at a time, at most; 0: as many as there are */
};

/* The dtype where there are no values. */
#define UHI_NO_VALUES UH_DTYPE_COUNT

/* Adds the points of a frame's call, by a stage of the frame. The frame's last input is their values, weights or
 * samples of type float32, float64, int32 or int64; UHI_NO_VALUES for the storages that take none, and with SUM and
 * WEIGHTED for weights of 1. On a device they may stay there until uhi_store_settle; the store always goes with the
 * same frame then, which it does not outlive. No number of points overflows anything. On failure nothing was added;
 * where earlier points were lost with it, the frame's next call says so (frame->lost). UH_ERROR_OUT_OF_MEMORY, and what
 * a device may say. */
uh_status uhi_store_add(struct uhi_store *store, struct uhi_frame *frame, const struct uhi_cell_source *source,
                        uh_dtype dtype);

/* Waits, and moves all that a device holds into the store: what is read, folded and exported below. On failure all is
 * as it was: what an error of the queue has spoilt is to be forgotten. */
uh_status uhi_store_settle(const char *call, struct uhi_store *store);

/* Forgets what a device holds. */
void uhi_store_forget(struct uhi_store *store);

/* COUNT: lends the counters of all cells, that of the points in none behind them, for who counts faster alone. */
uint64_t *uhi_store_lend_counts(struct uhi_store *store);

/* COUNT, U8, U16: adds so many points to a cell, which may be `cells`. */
void uhi_store_count(struct uhi_store *store, size_t cell, uint64_t points);

/* ---- reading: cells [from, from + n), from + n <= cells + 1 -------------------------------------------------------
 */

/* COUNT, MEAN, U8, U16. */
void uhi_store_counts(const struct uhi_store *store, size_t from, size_t n, uint64_t *counts);
/* SUM, WEIGHTED (and MEAN: of the samples). Either may be NULL; sums of squares are for WEIGHTED and MEAN. */
void uhi_store_sums(const struct uhi_store *store, size_t from, size_t n, double *sum, double *squares);
/* The same as float32: exact sums are rounded once, those of UH_SUM_FAST as the float64 that they are. */
void uhi_store_sums_f32(const struct uhi_store *store, size_t from, size_t n, float *sum, float *squares);
/* Of UH_SUM_EXACT. UH_ERROR_OVERFLOW, naming the first cell whose sum is no int64 (a fraction, infinite and NaN too);
 * nothing was stored then. */
uh_status uhi_store_sums_i64(const char *call, const struct uhi_store *store, size_t from, size_t n, int64_t *sum);
/* MEAN: any may be NULL. Of an empty cell the mean is NaN and m2 is 0. */
void uhi_store_means(const struct uhi_store *store, size_t from, size_t n, uint64_t *count, double *mean, double *m2);

/* The sum and, unless `squares` is NULL, the sum of squares of the first n cells together, rounded once. Those that
 * uhi_store_sums reads. UH_ERROR_OUT_OF_MEMORY. */
uh_status uhi_store_total(const char *call, const struct uhi_store *store, size_t n, double *sum, double *squares);

/* ---- putting stores together --------------------------------------------------------------------------------------
 */

/* Makes room in `target` for whatever cells of `source` hold, so that folding cannot fail. Both of one storage and sum;
 * cells may differ. UH_ERROR_OUT_OF_MEMORY. */
uh_status uhi_store_reserve(const char *call, struct uhi_store *target, const struct uhi_store *source);

/* Adds one cell of `source` to one of `target`, exactly (FAST: one float64 addition; saturating ones: at most their
 * largest). After uhi_store_reserve. Cells may be `cells` themselves, the outside. */
void uhi_store_fold(struct uhi_store *target, size_t target_cell, const struct uhi_store *source, size_t source_cell);

/* Adds all of `source`, of as many cells, storage and sum: reserve and fold of every cell. */
uh_status uhi_store_merge(const char *call, struct uhi_store *target, const struct uhi_store *source);

/* ---- saving ---------------------------------------------------------------------------------------------------------
 */

/* What a store keeps, as arrays with a row for each cell and behind them for the points in none; the same for stores
 * that hold the same, however they came to it. */
enum uhi_store_array {
    UHI_STORE_COUNTS,        /* uint64 (COUNT, MEAN), uint8 (U8), uint16 (U16) */
    UHI_STORE_SUMS,          /* float64 (FAST) */
    UHI_STORE_SQUARES,       /* likewise */
    UHI_STORE_SUM_DIGITS,    /* uint32, the lowest digit first: exact sums as numbers in two's complement */
    UHI_STORE_SQUARE_DIGITS, /* likewise */
    UHI_STORE_FLAGS,         /* uint8 (SUM, WEIGHTED, MEAN): 1 NaN, 2 +inf, 4 -inf */
    UHI_STORE_ARRAYS
};

struct uhi_store_layout {
    const char *type; /* of an element, as NumPy writes it; NULL: there is no such array */
    uint64_t columns; /* elements of a row: 1, or how many digits there are */
    int64_t exponent; /* of the lowest digit: it counts 2^exponent */
};

/* How the array is, of what the store holds now. */
struct uhi_store_layout uhi_store_layout(const struct uhi_store *store, enum uhi_store_array array);

/* Writes the array, which the store has, to memory aligned for its elements. */
void uhi_store_export(const struct uhi_store *store, enum uhi_store_array array, const struct uhi_store_layout *layout,
                      void *to);

/* Reads an array that the storage has into an empty store, from any alignment. UH_ERROR_INVALID_ARGUMENT for what can
 * be none, UH_ERROR_OUT_OF_MEMORY. */
uh_status uhi_store_import(const char *call, struct uhi_store *store, enum uhi_store_array array,
                           const struct uhi_store_layout *layout, const void *from);

/* ---- in words -------------------------------------------------------------------------------------------------------
 * The same arrays as words of 64 bits, `columns` of them for a cell, of cells [from, from + n), n of them and from + n
 * <= cells + 1. Digits, of which the last one has the sign, are apart: what several stores have in one layout, which
 * may be wider than any store's own, may be added word by word, modulo 2^64. */

/* Writes the words of an array, which the store has, float64 as its bits. */
void uhi_store_read_words(const struct uhi_store *store, enum uhi_store_array array,
                          const struct uhi_store_layout *layout, size_t from, size_t n, uint64_t *words);

/* Makes room for digits of that layout, added up; other arrays need none. UH_ERROR_OUT_OF_MEMORY. */
uh_status uhi_store_reserve_words(const char *call, struct uhi_store *store, enum uhi_store_array array,
                                  const struct uhi_store_layout *layout);

/* Replaces what the cells hold of an array by words, which those of `summands` stores, at most 2^30, have been put
 * together to: added up, of UHI_STORE_FLAGS by `or`. After uhi_store_reserve_words; saturating counts stay at their
 * largest. */
void uhi_store_write_words(struct uhi_store *store, enum uhi_store_array array, const struct uhi_store_layout *layout,
                           size_t from, size_t n, const uint64_t *words, uint64_t summands);

#endif
