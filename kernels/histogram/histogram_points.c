/* SPDX-License-Identifier: Apache-2.0 */
/* Cells of points on the host, and their counts: few points one by one, many in private tables per thread with the
 * slots themselves as digits. */
#include <math.h>
#include <string.h>

#include "kernels/histogram/histogram_run.h"

#include "kernels/histogram/histogram.h"
#include "kernels/histogram/tuning.h"
#include "runtime/cpu.h"

/* Most points in a table of 32-bit counters before it is emptied. */
#define WIDE_POINTS ((size_t)1 << 31)

/* One batch of points, shared by the threads. */
struct batch {
    const struct uhi_histogram_filling *filling;
    size_t from, n, parts;
    size_t padded, pitch; /* slots of the histogram; of one table */
    uint32_t *wide;       /* part p: `padded` counters from p * pitch on */
    uint16_t *narrow;     /* likewise */
    struct uhi_pair_axis pair[2];
    int has_pair;
};

/* ---- cells ----------------------------------------------------------------------------------------------------- */

void uhi_histogram_cells(const void *context, size_t part, size_t from, size_t n, uint32_t *cell) {
    const struct uhi_histogram_filling *filling = context;
    const struct uhi_histogram_points *points = filling->points;
    struct uhi_histogram_numbers *numbers = &filling->parts[part].numbers;
    _Alignas(64) uint32_t slot[UHI_FIND_BLOCK];
    const uint32_t outside = (uint32_t)filling->target.store->cells;
    size_t missed = 0;
    size_t a = 0; /* there is at least one axis */
    do {
        const uint32_t none = a + 1 == points->naxes ? outside : UHI_NO_CELL;
        const struct uhi_find find = {.cell = slot, .first = 1};
        const uint32_t bins = uhi_points_bins(points, a);
        filling->host->find(&points->plan[a]->tables, uhi_values_part(points->x[a], from, n), &find);
        const size_t here = filling->host->points->combine(slot, n, bins, a == 0, none, cell);
        if (here > 0)
            filling->host->points->flow(slot, n, bins, numbers->flow[a]);
        missed += here;
    } while (++a < points->naxes);
    numbers->points += n;
    if (missed > 0)
        numbers->outside += filling->host->points->outside(cell, n, outside);
}

void uhi_histogram_add_numbers(struct uhi_histogram_numbers *to, const struct uhi_histogram_numbers *from) {
    for (size_t a = 0; a < UH_MAX_AXES; a++)
        for (size_t i = 0; i < UHI_FLOW_OUTSIDE; i++)
            to->flow[a][i] += from->flow[a][i];
    to->points += from->points;
    to->outside += from->outside;
}

/* ---- few points: only a block as scratch ------------------------------------------------------------------------- */

static void count_directly(const struct uhi_histogram_filling *filling) {
    struct uhi_histogram_part part = {0};
    struct uhi_histogram_filling own = *filling;
    _Alignas(64) uint32_t cell[UHI_FIND_BLOCK];
    struct uhi_store *store = filling->target.store;
    uint64_t *counts = store->counts;
    const size_t all = filling->points->n;
    own.parts = &part;
    for (size_t i = 0, n; i < all; i += n) {
        n = all - i < UHI_FIND_BLOCK ? all - i : UHI_FIND_BLOCK;
        uhi_histogram_cells(&own, 0, i, n, cell);
        for (size_t j = 0; j < n; j++)
            counts[cell[j]]++;
    }
    uhi_histogram_add_numbers(filling->target.numbers, &part.numbers);
}

/* ---- many points: slots as digits -------------------------------------------------------------------------------- */

/* Number of cells with slots as digits; 0 if there are too many. */
static size_t padded_cells(const struct uhi_histogram_points *points) {
    size_t cells = 1;
    for (size_t a = 0; a < points->naxes; a++) {
        cells *= (size_t)uhi_points_bins(points, a) + 3;
        if (cells > UHI_MAX_PADDED)
            return 0;
    }
    return cells;
}

/* Finds a block's cells and counts the `old` ones: shared among the axes, or with the last axis if they are this
 * block's. */
static void find_block(const struct uhi_histogram_filling *filling, size_t from, size_t n, uint32_t *cell,
                       const uint32_t *old, size_t old_count, uint16_t *counts) {
    const struct uhi_histogram_points *points = filling->points;
    const size_t unit = (size_t)UHI_FIND_SHARES * UHI_UNIT_BLOCKS;
    size_t a = 0; /* there is at least one axis */
    do {
        const size_t left = points->naxes - a;
        const size_t shared = old == cell ? 0 : (old_count / unit + left - 1) / left * unit;
        const size_t share = left == 1 ? old_count : shared;
        const struct uhi_find find = {.cell = cell,
                                      .digits = uhi_points_bins(points, a) + 3,
                                      .first = a == 0,
                                      .old = old,
                                      .old_count = share,
                                      .counts = counts};
        filling->host->find(&points->plan[a]->tables, uhi_values_part(points->x[a], from, n), &find);
        old += share;
        old_count -= share;
    } while (++a < points->naxes);
}

/* Counts points `from` to `end` - 1 on both axes at once. */
static void count_pairs(const struct batch *batch, size_t from, size_t end, uint16_t *narrow, uint32_t *wide) {
    const struct uhi_histogram_filling *filling = batch->filling;
    const size_t max = UINT16_MAX / UHI_FIND_BLOCK * UHI_FIND_BLOCK; /* before a counter can overflow */
    char buffers[2][UHI_PACKED_BYTES];
    for (size_t i = from, n, counted = 0; i < end; i += n) {
        const struct uhi_values x = uhi_values_packed(filling->points->x[0], i, sizeof(float), buffers[0]);
        const struct uhi_values y = uhi_values_packed(filling->points->x[1], i, sizeof(float), buffers[1]);
        n = x.n < y.n ? x.n : y.n;
        n = n < end - i ? n : end - i;
        n = n < max - counted ? n : max - counted;
        filling->host->points->count_pair(batch->pair, (const void *)x.first, (const void *)y.first, n, narrow);
        counted += n;
        if (counted == max) {
            filling->host->points->widen(narrow, batch->pitch, wide);
            counted = 0;
        }
    }
}

/* Counts points `from` to `end` - 1 in blocks, one axis after the other. */
static void count_blocks(const struct batch *batch, size_t from, size_t end, uint16_t *narrow, uint32_t *wide) {
    const struct uhi_histogram_filling *filling = batch->filling;
    _Alignas(64) uint32_t cells[UHI_FIND_BLOCK]; /* of one block, or of two in turn */
    const size_t block = UHI_COUNT_DURING_LOOKUP ? UHI_FIND_BLOCK / 2 : UHI_FIND_BLOCK;
    uint32_t *cell = cells, *old = cells + (block < UHI_FIND_BLOCK ? block : 0);
    size_t blocks = 0, waiting = 0; /* old cells not counted yet */
    for (size_t i = from, n; i < end; i += n) {
        n = end - i < block ? end - i : block;
        find_block(filling, i, n, cell, old, cell == old ? n : waiting, narrow);
        if (cell != old) {
            uint32_t *found = cell;
            cell = old;
            old = found;
            waiting = n;
        }
        if (++blocks % (UINT16_MAX / block) == 0) /* before a counter can overflow */
            filling->host->points->widen(narrow, batch->pitch, wide);
    }
    for (size_t i = 0; i < waiting; i++)
        narrow[old[i]]++; /* NOLINT(clang-analyzer-core.uninitialized.ArraySubscript): the last block's */
}

static void count_part(const void *context, size_t part, size_t parts) {
    const struct batch *batch = context;
    const size_t from = batch->from + uhi_part_start(batch->n, parts, part);
    const size_t end = batch->from + uhi_part_start(batch->n, parts, part + 1);
    uint32_t *wide = batch->wide + part * batch->pitch;
    uint16_t *narrow = batch->narrow + part * batch->pitch;
    memset(wide, 0, batch->pitch * sizeof *wide);
    memset(narrow, 0, batch->pitch * sizeof *narrow);
    if (batch->has_pair)
        count_pairs(batch, from, end, narrow, wide);
    else
        count_blocks(batch, from, end, narrow, wide);
    batch->filling->host->points->widen(narrow, batch->pitch, wide);
}

/* Adds up one cell of the threads' tables that has a digit outside the bins, in the outside cell and in all such
 * flows. */
static void settle_flow(const struct batch *batch, size_t padded, const uint32_t *slot, uint64_t *counts) {
    const struct uhi_histogram_points *points = batch->filling->points;
    const struct uhi_histogram_target target = batch->filling->target;
    uint64_t count = 0;
    for (size_t part = 0; part < batch->parts; part++)
        count += batch->wide[part * batch->pitch + padded];
    for (size_t a = 0; a < points->naxes && count > 0; a++) {
        const uint32_t bins = uhi_points_bins(points, a);
        if (slot[a] - 1 >= bins)
            target.numbers->flow[a][slot[a] == 0 ? UHI_FLOW_BELOW : slot[a] - bins] += count;
    }
    counts[target.store->cells] += count;
    target.numbers->outside += count;
}

/* Adds up a row, given by all digits but the last, in the cells and flows that it belongs to. */
static void settle_row(const struct batch *batch, size_t padded, uint32_t *slot, uint64_t *counts) {
    const struct uhi_histogram_points *points = batch->filling->points;
    const size_t last = points->naxes - 1;
    const uint32_t bins = uhi_points_bins(points, last);
    size_t cell = 0;
    int inside = 1;
    for (size_t a = 0; a < last; a++) {
        cell = cell * uhi_points_bins(points, a) + slot[a] - 1;
        inside = inside && slot[a] - 1 < uhi_points_bins(points, a);
    }
    for (size_t part = 0; inside && part < batch->parts; part++) {
        const uint32_t *wide = batch->wide + part * batch->pitch + padded + 1;
        for (size_t bin = 0; bin < bins; bin++)
            counts[cell * bins + bin] += wide[bin];
    }
    for (uint32_t i = 0; i < bins + 3; i++) {
        slot[last] = i;
        if (!inside || i - 1 >= bins)
            settle_flow(batch, padded + i, slot, counts);
    }
}

static void settle_padded(const struct batch *batch) {
    const struct uhi_histogram_points *points = batch->filling->points;
    const size_t last = points->naxes - 1, width = (size_t)uhi_points_bins(points, last) + 3;
    uint64_t *counts = batch->filling->target.store->counts;
    uint32_t slot[UH_MAX_AXES] = {0};
    for (size_t i = 0; i < batch->padded; i += width) {
        settle_row(batch, i, slot, counts);
        for (size_t a = last; a-- > 0;) { /* the next number */
            if (++slot[a] < uhi_points_bins(points, a) + 3)
                break;
            slot[a] = 0;
        }
    }
    batch->filling->target.numbers->points += batch->n;
}

static uh_status count_padded(struct uhi_frame *frame, struct batch *batch) {
    const size_t n = batch->filling->points->n, max = WIDE_POINTS * batch->parts;
    batch->pitch = (batch->padded + 31) / 32 * 32;
    batch->wide = uhi_frame_scratch(frame, batch->parts * batch->pitch * (sizeof *batch->wide + sizeof *batch->narrow));
    if (!batch->wide)
        return UH_ERROR_OUT_OF_MEMORY;
    batch->narrow = (uint16_t *)(batch->wide + batch->parts * batch->pitch);
    batch->has_pair = uhi_histogram_pair(batch->filling, batch->padded, batch->pair);
    for (batch->from = 0; batch->from < n; batch->from += batch->n) {
        batch->n = n - batch->from < max ? n - batch->from : max;
        uhi_host_parallel(frame->queue, "histogram: count points", count_part, batch, batch->parts);
        settle_padded(batch);
    }
    return UH_SUCCESS;
}

/* ---- selection --------------------------------------------------------------------------------------------------- */

uh_status uhi_histogram_count_points(struct uhi_frame *frame, struct uhi_histogram_filling *filling, int *done) {
    const size_t n = filling->points->n;
    struct batch batch = {.filling = filling};
    *done = filling->target.store->storage == UH_STORAGE_COUNT;
    if (!*done)
        return UH_SUCCESS;
    if (n <= UHI_DIRECT_POINTS) {
        count_directly(filling);
        return UH_SUCCESS;
    }
    batch.parts = uhi_parts_for(frame->queue, n, UHI_POINTS_A_THREAD);
    batch.padded = padded_cells(filling->points);
    *done = batch.padded > 0 && n / batch.parts >= UHI_POINTS_A_PADDED_SLOT * batch.padded;
    return *done ? count_padded(frame, &batch) : UH_SUCCESS;
}

/* ---- two axes of few cuts, laid out for the CPU's registers ---- */

/* The path with its bits reversed: the position among the cuts. */
static uint32_t turned(uint32_t path, uint32_t steps) {
    uint32_t place = 0;
    for (uint32_t step = 0; step < steps; step++)
        place |= (path >> step & 1) << (steps - 1 - step);
    return place;
}

static uint32_t slot_of(const struct uhi_histogram_tables *t, uint32_t rank) {
    return t->cut_slot ? t->cut_slot[rank] : rank;
}

static void lay_out(const struct uhi_histogram_tables *t, uint32_t radix, struct uhi_pair_axis *axis) {
    const float *cuts = t->cuts;
    float *cut = axis->cut[0];
    for (uint32_t step = 0; step < UHI_PAIR_STEPS; step++)
        for (uint32_t path = 0; path < 16 || path >> step == 0; path++) {
            const uint32_t width = (UHI_PAIR_NAN + 1) >> step;
            const uint32_t at = turned(path & ((1u << step) - 1), step) * width + width / 2 - 1;
            *cut++ = at < t->cut_count ? cuts[at] : NAN; /* no value reaches NaN */
        }
    for (uint32_t path = 0; path < UHI_PAIR_NAN; path++) {
        const uint32_t rank = turned(path, UHI_PAIR_STEPS);
        axis->digit[path] = (uint16_t)(rank <= t->cut_count ? slot_of(t, rank) * radix : 0);
    }
    axis->digit[UHI_PAIR_NAN] = (uint16_t)(slot_of(t, t->cut_count + 1) * radix);
}

static int fits(const struct uhi_histogram_tables *t) {
    return uhi_finds_ranks(t->on_host) && t->compare == UHI_COMPARE_F32 && t->cut_count <= UHI_PAIR_CUTS;
}

int uhi_histogram_pair(const struct uhi_histogram_filling *filling, size_t padded, struct uhi_pair_axis axes[2]) {
    const struct uhi_histogram_points *points = filling->points;
    if (!UHI_PAIR_IN_REGISTERS || !filling->host->points->count_pair || points->naxes != 2 || padded > UINT16_MAX ||
        !fits(&points->plan[0]->tables) || !fits(&points->plan[1]->tables))
        return 0;
    lay_out(&points->plan[0]->tables, uhi_points_bins(points, 1) + 3, &axes[0]);
    lay_out(&points->plan[1]->tables, 1, &axes[1]);
    return 1;
}
