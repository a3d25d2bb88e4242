/* SPDX-License-Identifier: Apache-2.0 */
/* What cells keep: each storage with each type of weights, in few cells and in many. The cell of a point is an integer
 * coordinate, so that its look-up is nothing. Weights are eighths and small integers, so that sums and sums of squares
 * of float64 are exact. */

#include "kernels/accumulate/accumulate.h"
#include "tests/cells.h"
#include "tests/support.h"

static const struct kept {
    uh_storage storage;
    const char *name;
    int weighted; /* else, of sums, each weight is 1 */
    uh_sum sum;
} storages[] = {
    {UH_STORAGE_COUNT, "count", 0, UH_SUM_EXACT},       {UH_STORAGE_U8, "u8", 0, UH_SUM_EXACT},
    {UH_STORAGE_U16, "u16", 0, UH_SUM_EXACT},           {UH_STORAGE_SUM, "sum", 1, UH_SUM_EXACT},
    {UH_STORAGE_WEIGHTED, "weighted", 1, UH_SUM_EXACT}, {UH_STORAGE_MEAN, "mean", 1, UH_SUM_EXACT},
    {UH_STORAGE_SUM, "fast sum", 1, UH_SUM_FAST},       {UH_STORAGE_WEIGHTED, "fast weighted", 1, UH_SUM_FAST},
    {UH_STORAGE_WEIGHTED, "weighted", 0, UH_SUM_EXACT},
};
static const size_t cells_tried[] = {21, 1000, 100000};
static const uh_dtype dtypes[] = {UH_F32, UH_F64, UH_I32, UH_I64};
enum { STORAGES = 9, CELLS = 3, DTYPES = 4, LITTLE = 21 };

/* Of the first cells, if there are enough points: filled once, twice or three times they are around what a count
 * saturates at. */
static const size_t hits[] = {0,   1,     84,    85,    86,    127,   128,   129,   254,   255,  256,
                              257, 21844, 21845, 21846, 32767, 32768, 32769, 65534, 65535, 65536};
enum { HITS = sizeof hits / sizeof *hits, ALL_HITS = 362106 };

struct kept_points {
    struct kept kept;
    uh_dtype dtype;
    size_t n;
    uint32_t *x;
    char *weights;
    struct cells cells;
};

static int describe(size_t number, struct tried *tried) {
    if (number >= STORAGES * CELLS * DTYPES)
        return -1;
    const struct kept kept = storages[number / DTYPES / CELLS];
    const size_t cells = cells_tried[number / DTYPES % CELLS];
    const uh_dtype dtype = dtypes[number % DTYPES];
    snprintf(tried->name, sizeof tried->name, "%s of %zu cells, %s", kept.name, cells,
             kept.weighted ? uh_enum_name(UH_ENUM_DTYPE, dtype) : "no weights");
    if (!kept.weighted && dtype != UH_F32)
        return 0; /* nothing for any driver */
    const int counts =
        kept.storage == UH_STORAGE_COUNT || kept.storage == UH_STORAGE_U8 || kept.storage == UH_STORAGE_U16;
    tried->exact = counts ? 4 * ALL_HITS + 30000 : 50000;
    if (!counts && (!kept.weighted || kept.sum == UH_SUM_FAST))
        return 0; /* on a device as the others */
    tried->few = cells > LITTLE ? 0 : 100;
    if (cells == LITTLE && dtype == UH_F32 && (kept.storage <= UH_STORAGE_SUM || kept.storage == UH_STORAGE_U8))
        tried->few = 3 * 16 * 64 + 7; /* several groups */
    if (cells == 1000 && (kept.storage == UH_STORAGE_COUNT || kept.storage == UH_STORAGE_U8))
        tried->in_faults = 3000;
    if (cells == 1000 && dtype == UH_I32 && kept.storage == UH_STORAGE_SUM)
        tried->in_faults = 40000;
    if (cells == LITTLE && dtype == UH_F64 && kept.storage == UH_STORAGE_MEAN)
        tried->in_faults = 3000;
    tried->in_null = 5000;
    if (kept.storage == UH_STORAGE_SUM && cells == LITTLE && dtype == UH_I32)
        tried->in_null = ((size_t)1 << UHI_HEADROOM) + 1; /* more than a window holds: it is carried in between */
    return 0;
}

static size_t cell_with_hits(size_t at) {
    size_t cell = 0;
    while (at >= hits[cell])
        at -= hits[cell++];
    return cell;
}

/* Cells with hits one after the other, or in turn. Some points lie outside. */
static size_t choose_cell(const struct kept_points *p, size_t i, int in_turn, uint64_t random) {
    const int with_hits = !p->kept.weighted && p->n > ALL_HITS;
    if (with_hits && i < ALL_HITS)
        return cell_with_hits(in_turn ? i * 100003 % ALL_HITS : i);
    const size_t cells = p->cells.cells;
    if (i % 11 == 3 || (with_hits && cells == HITS))
        return cells;
    return with_hits ? HITS + (size_t)(random % (cells - HITS)) : (size_t)(random % cells);
}

/* One weight is no number. */
static void fill(struct kept_points *p, uint64_t seed) {
    const size_t size = uh_dtype_size(p->dtype);
    const int is_float = p->dtype == UH_F32 || p->dtype == UH_F64, in_turn = seed % 2 != 0;
    for (size_t i = 0; i < p->n; i++) {
        const uint64_t random = test_random_u64(&seed);
        const size_t cell = choose_cell(p, i, in_turn, random);
        const long double whole = (long double)(random >> 32 & 4095) - 2048;
        const long double weight = is_float ? (i == 4 ? (long double)NAN : whole / 8) : whole;
        const long double w = oracle_store(p->dtype, p->kept.weighted ? weight : 1, p->weights + i * size);
        p->x[i] = (uint32_t)cell;
        cells_add(&p->cells, cell, w);
        p->cells.flow[0][1] += cell == p->cells.cells;
    }
    p->cells.whole = !is_float && p->kept.sum == UH_SUM_EXACT;
}

static void *make(size_t number, size_t n, uint64_t seed) {
    struct kept_points *p = case_new(sizeof *p);
    p->kept = storages[number / DTYPES / CELLS];
    p->dtype = dtypes[number % DTYPES];
    p->n = n;
    p->x = case_array(p, n, sizeof *p->x);
    p->weights = case_array(p, n, uh_dtype_size(p->dtype));
    p->cells = case_cells(p, cells_tried[number / DTYPES % CELLS], 1);
    fill(p, seed);
    return p;
}

/* ---- a use: contents after a number of fills --------------------------------------------------------------------- */

/* Fills this number of times with all points; returns how many fills were successful. */
static uint64_t add(struct use *use, const struct kept_points *p, uh_histogram *histogram, const void *x,
                    const void *weights, size_t fills) {
    const uh_array coordinates = uh_array_of(UH_U32, x, p->n), values = uh_array_of(p->dtype, weights, p->n);
    uint64_t times = 0;
    for (size_t i = 0; i < fills; i++)
        times += use_call(use, "uh_histogram_fill",
                          uh_histogram_fill(histogram, &coordinates, p->kept.weighted ? &values : NULL))
                     ? 1
                     : 0;
    return times;
}

/* A second fill finds what the first has left on the device, and what another histogram holds is merged. */
static void run(struct use *use, const void *made) {
    const struct kept_points *p = made;
    const uh_histogram_options options = {
        .struct_size = sizeof options, .storage = p->kept.storage, .sum = p->kept.sum};
    const size_t size = uh_dtype_size(p->dtype);
    const void *x = use_input(use, p->x, p->n * sizeof *p->x), *weights = use_input(use, p->weights, p->n * size);
    uh_axis *axis = NULL;
    uh_histogram *histogram = NULL, *other = NULL;
    if (!x || !weights ||
        !use_call(use, "uh_axis_create_integer", uh_axis_create_integer(0, (int64_t)p->cells.cells - 1, &axis)))
        return;
    if (use_call(use, "uh_histogram_create", uh_histogram_create(use->queue, &axis, 1, &options, &histogram)) &&
        use_call(use, "uh_histogram_create", uh_histogram_create(use->queue, &axis, 1, &options, &other))) {
        uint64_t times = add(use, p, histogram, x, weights, use->place == PLACE_PLAIN ? 2 : 1);
        if (use->computes) {
            if (p->n > ALL_HITS) /* merging would hide by how little a count is wrong */
                use_cells(use, histogram, &p->cells, times, &p->cells, 0);
            const uint64_t more = add(use, p, other, x, p->weights, 1);
            if (use_call(use, "uh_histogram_merge", uh_histogram_merge(histogram, other)))
                times += more;
            use_cells(use, histogram, &p->cells, times, &p->cells, 0);
        } else { /* what would come back means nothing, not even as sums: it is dropped */
            (void)use_call(use, "uh_queue_wait", uh_queue_wait(use->queue));
            (void)use_call(use, "uh_histogram_reset", uh_histogram_reset(histogram));
        }
    }
    uh_histogram_destroy(other);
    uh_histogram_destroy(histogram);
    uh_axis_destroy(axis);
}

const struct description describe_accumulate = {"accumulate", describe, make, run, case_free};
