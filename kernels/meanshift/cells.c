/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/meanshift/cells.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_CELLS = 1 << 21, /* per axis: keys of three fit in 63 bits, and rounding of a coordinate is far below... */
    MIN_CELLS = 3,       /* fewer exclude nothing */
    DIGIT = 11           /* bits of a key sorted per pass */
};
#define SLACK 0x1p-10 /* ... the fraction by which cells are wider than the radius */

/* ---- memory ------------------------------------------------------------------------------------------------------ */

int uhi_coordinates_make(struct uhi_coordinates *points, size_t size, size_t dims, size_t count) {
    const size_t pad = UHI_MEANSHIFT_PAD, stride = (count + 2 * pad - 1) / pad * pad;
    *points = (struct uhi_coordinates){.size = size, .dims = dims, .count = count, .stride = stride};
    points->x = calloc(dims * stride, size);
    return points->x != NULL;
}

int uhi_order_make(struct uhi_order *order, size_t count) {
    order->count = count;
    const size_t room = count > 0 ? count : 1; /* one of several processes may have none */
    order->id = malloc(room * sizeof *order->id);
    order->other_id = malloc(room * sizeof *order->other_id);
    order->key = malloc(room * sizeof *order->key);
    order->other_key = malloc(room * sizeof *order->other_key);
    return order->id && order->other_id && order->key && order->other_key;
}

void uhi_order_free(struct uhi_order *order) {
    free(order->id);
    free(order->other_id);
    free(order->key);
    free(order->other_key);
    *order = (struct uhi_order){.count = 0};
}

int uhi_cells_make(struct uhi_cells *cells, const struct uhi_coordinates *points) {
    cells->key = malloc((points->count + 1) * sizeof *cells->key);
    cells->start = malloc((points->count + 1) * sizeof *cells->start);
    return cells->key && cells->start && uhi_order_make(&cells->order, points->count) &&
           uhi_coordinates_make(&cells->sorted, points->size, points->dims, points->count);
}

void uhi_cells_free(struct uhi_cells *cells) {
    uhi_order_free(&cells->order);
    free(cells->sorted.x);
    free(cells->key);
    free(cells->start);
    cells->sorted.x = cells->key = NULL;
    cells->start = NULL;
}

/* ---- keys -------------------------------------------------------------------------------------------------------- */

struct uhi_span uhi_coordinates_span(const struct uhi_coordinates *points, size_t axis) {
    struct uhi_span extent = {INFINITY, -INFINITY};
    for (size_t i = 0; i < points->count; i++) {
        const double x = uhi_coordinate(points, axis, i);
        extent.lower = x < extent.lower ? x : extent.lower;
        extent.upper = x > extent.upper ? x : extent.upper;
    }
    return extent;
}

static struct uhi_cell_line divide_axis(const struct uhi_span *of, size_t axis, double radius) {
    const double width = radius * (1 + SLACK), extent = of->upper - of->lower, cells = extent / width;
    if (!(cells < MAX_CELLS - 1))
        return (struct uhi_cell_line){axis, MAX_CELLS, of->lower, (MAX_CELLS - 1) / extent};
    return (struct uhi_cell_line){axis, (uint64_t)cells + 1, of->lower, 1 / width};
}

/* Takes the axes with the most cells; of equal ones, the first. */
void uhi_cells_choose(struct uhi_cells *cells, const struct uhi_span *spans, size_t dims, double radius, int whole) {
    cells->axes = 0;
    for (size_t axis = 0; axis < dims && !whole; axis++) {
        const struct uhi_cell_line line = divide_axis(&spans[axis], axis, radius);
        size_t at = cells->axes;
        if (line.count < MIN_CELLS)
            continue;
        while (at > 0 && cells->line[at - 1].count < line.count)
            at--;
        if (at == UHI_CELL_AXES)
            continue;
        for (size_t i = cells->axes < UHI_CELL_AXES ? cells->axes++ : UHI_CELL_AXES - 1; i > at; i--)
            cells->line[i] = cells->line[i - 1];
        cells->line[at] = line;
    }
}

/* Places outside are in the cells at the ends, which is equivalent: their neighbours are there or next to them. */
static uint64_t key_of(const struct uhi_cells *cells, const struct uhi_coordinates *places, size_t i) {
    uint64_t key = 0;
    for (size_t c = 0; c < cells->axes; c++) {
        const double at =
            (uhi_coordinate(places, cells->line[c].axis, i) - cells->line[c].lower) * cells->line[c].scale;
        const uint64_t last = cells->line[c].count - 1, number = at > 0 ? at < (double)last ? (uint64_t)at : last : 0;
        key = key * cells->line[c].count + number;
    }
    return key;
}

/* Stable sort by bits [shift, shift + DIGIT) of keys. */
static void sort_by_digit(struct uhi_order *order, int shift) {
    uint32_t start[1 << DIGIT] = {0}, sum = 0;
    for (size_t i = 0; i < order->count; i++)
        start[order->key[i] >> shift & ((1 << DIGIT) - 1)]++;
    for (size_t d = 0; d < (size_t)1 << DIGIT; d++) {
        const uint32_t count = start[d];
        start[d] = sum;
        sum += count;
    }
    for (size_t i = 0; i < order->count; i++) {
        const uint32_t to = start[order->key[i] >> shift & ((1 << DIGIT) - 1)]++;
        order->other_key[to] = order->key[i];
        order->other_id[to] = order->id[i];
    }
    uint64_t *key = order->key;
    uint32_t *id = order->id;
    order->key = order->other_key;
    order->id = order->other_id;
    order->other_key = key;
    order->other_id = id;
}

void uhi_cells_order(const struct uhi_cells *cells, const struct uhi_coordinates *places, struct uhi_order *order) {
    uint64_t last = 1;
    int sorted = 1;
    for (size_t c = 0; c < cells->axes; c++)
        last *= cells->line[c].count;
    for (size_t i = 0; i < order->count; i++) {
        order->key[i] = key_of(cells, places, order->id[i]);
        sorted = sorted && (i == 0 || order->key[i - 1] <= order->key[i]);
    }
    for (int shift = 0; !sorted && shift < 64 && (last - 1) >> shift > 0; shift += DIGIT)
        sort_by_digit(order, shift);
}

void uhi_coordinates_gather(const struct uhi_coordinates *from, const struct uhi_order *order,
                            struct uhi_coordinates *to) {
    to->count = order->count;
    for (size_t a = 0; a < from->dims; a++)
        if (from->size == sizeof(float)) {
            const float *x = (const float *)from->x + a * from->stride;
            float *sorted = (float *)to->x + a * to->stride;
            for (size_t i = 0; i < order->count; i++)
                sorted[i] = x[order->id[i]];
        } else {
            const double *x = (const double *)from->x + a * from->stride;
            double *sorted = (double *)to->x + a * to->stride;
            for (size_t i = 0; i < order->count; i++)
                sorted[i] = x[order->id[i]];
        }
}

void uhi_cells_choose_as(struct uhi_cells *cells, const struct uhi_cells *others) {
    cells->axes = others->axes;
    memcpy(cells->line, others->line, sizeof cells->line);
}

void uhi_cells_sort(struct uhi_cells *cells, const struct uhi_coordinates *points) {
    struct uhi_order *order = &cells->order;
    uhi_order_all(order, points->count);
    uhi_cells_order(cells, points, order);
    uhi_coordinates_gather(points, order, &cells->sorted);
    cells->cells = 0;
    for (size_t i = 0; i < points->count; i++)
        if (i == 0 || order->key[i] != order->key[i - 1]) {
            cells->key[cells->cells] = order->key[i];
            cells->start[cells->cells++] = (uint32_t)i;
        }
    cells->start[cells->cells] = (uint32_t)points->count;
}

/* ---- candidates -------------------------------------------------------------------------------------------------- */

size_t uhi_cells_runs(const struct uhi_cells *cells) { return cells->axes < 2 ? 1 : cells->axes == 2 ? 3 : 9; }

size_t uhi_cells_groups(const struct uhi_order *order, uint32_t *group) {
    uint32_t groups = 0;
    for (size_t i = 0; i < order->count; i++) {
        groups += i == 0 || order->key[i] != order->key[i - 1];
        group[i] = groups - 1;
    }
    return groups;
}

uint64_t uhi_cells_reach(const struct uhi_cells *cells) {
    uint64_t reach = 0, stride = 1;
    for (size_t c = cells->axes; c-- > 0; stride *= cells->line[c].count)
        reach += stride;
    return reach;
}

size_t uhi_cells_find(const uint64_t *keys, size_t n, size_t from, uint64_t key) {
    size_t step = 1, to = from;
    while (to < n && keys[to] < key) {
        from = to + 1;
        to += step;
        step *= 2;
    }
    to = to < n ? to : n;
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        if (keys[middle] < key)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

static int compare_keys(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

size_t uhi_keys_unique(uint64_t *keys, size_t n) {
    size_t kept = 0;
    if (n > 0)
        qsort(keys, n, sizeof *keys, compare_keys);
    for (size_t i = 0; i < n; i++)
        if (kept == 0 || keys[kept - 1] != keys[i])
            keys[kept++] = keys[i];
    return kept;
}

/* Finds the cells of a row that are next to number `at` along the last axis: stores their first and last keys; returns
 * 0 for a row outside. Rows are numbered starting with the one before in both other axes. */
static int find_row(const struct uhi_cells *cells, uint64_t key, size_t row, uint64_t *first, uint64_t *last) {
    const size_t axes = cells->axes;
    const uint64_t along = cells->line[axes - 1].count, at = key % along;
    uint64_t rest = key / along, base = 0, stride = 1;
    for (size_t c = axes - 1; c-- > 0; row /= 3) {
        const uint64_t number = rest % cells->line[c].count + row % 3; /* 1 too large */
        if (number == 0 || number > cells->line[c].count)
            return 0;
        base += (number - 1) * stride;
        stride *= cells->line[c].count;
        rest /= cells->line[c].count;
    }
    *first = base * along + (at ? at - 1 : 0);
    *last = base * along + (at + 1 < along ? at + 1 : at);
    return 1;
}

void uhi_cells_candidates(const struct uhi_cells *cells, const struct uhi_order *order, const uint32_t *group,
                          struct uhi_candidates *candidates) {
    const size_t runs = uhi_cells_runs(cells);
    size_t at[9] = {0}; /* keys ascend, and so does the first cell of each row */
    if (cells->axes == 0) {
        *candidates = (struct uhi_candidates){0, cells->start[cells->cells]};
        return;
    }
    for (size_t i = 0; i < order->count; i++) {
        if (i > 0 && group[i] == group[i - 1])
            continue;
        for (size_t r = 0; r < runs; r++) {
            struct uhi_candidates *run = candidates + group[i] * runs + r;
            uint64_t first, last;
            *run = (struct uhi_candidates){0, 0};
            if (!find_row(cells, order->key[i], r, &first, &last))
                continue;
            at[r] = uhi_cells_find(cells->key, cells->cells, at[r], first);
            const size_t end = uhi_cells_find(cells->key, cells->cells, at[r], last + 1);
            *run = (struct uhi_candidates){cells->start[at[r]], cells->start[end]};
        }
    }
}

/* ---- cells around changes ---------------------------------------------------------------------------------------- */

void uhi_cells_list(const struct uhi_order *order, const uint8_t *flag, struct uhi_cell_list *list) {
    for (size_t i = 0; i < order->count; i++)
        if (flag[order->id[i]] && (list->count == 0 || list->key[list->count - 1] != order->key[i]))
            list->key[list->count++] = order->key[i];
}

/* Returns whether a list has a cell next to this one or the same. at[row] is the position of the last search in a row,
 * for ascending cells. */
static int has_adjacent(const struct uhi_cells *cells, const struct uhi_cell_list *list, uint64_t key, size_t at[9]) {
    const size_t runs = uhi_cells_runs(cells);
    uint64_t first, last;
    if (cells->axes == 0)
        return list->count > 0;
    for (size_t r = 0; r < runs; r++) {
        if (!find_row(cells, key, r, &first, &last))
            continue;
        at[r] = uhi_cells_find(list->key, list->count, at[r], first);
        if (at[r] < list->count && list->key[at[r]] <= last)
            return 1;
    }
    return 0;
}

void uhi_cells_order_adjacent(const struct uhi_cells *cells, struct uhi_cell_list *list, struct uhi_order *order) {
    size_t at[9] = {0};
    list->count = uhi_keys_unique(list->key, list->count);
    order->count = 0;
    for (size_t c = 0; c < cells->cells; c++) {
        if (!has_adjacent(cells, list, cells->key[c], at))
            continue;
        for (size_t i = cells->start[c]; i < cells->start[c + 1]; i++, order->count++) {
            order->id[order->count] = cells->order.id[i];
            order->key[order->count] = cells->order.key[i];
        }
    }
}
