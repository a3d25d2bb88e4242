/* SPDX-License-Identifier: Apache-2.0 */
/* Many histograms at once: rows of points, each in a bin of the first axis. */
#include "api/histogram.h"
#include "kernels/histogram/tuning.h"
#include "kernels/registry.h"
#include "runtime/queue.h"
#include "runtime/status.h"

enum {
    BLOCK_POINTS = 1 << 18,   /* filled at once with numbers of rows */
    VALUES_A_REPLICATED = 16, /* per counter, from which several tables per row pay off */
};

/* Rows of counts on one axis on the host. */
struct counting {
    const struct uhi_histogram_host *host;
    const struct uhi_histogram_tables *tables;
    const uh_rows *rows;
    uint64_t *counts; /* of the first row */
    struct uhi_histogram_numbers *numbers;
    uint32_t *memory; /* part p begins at p * part_size */
    size_t part_size, pitch;
};

/* ---- checks ---- */

/* Whether each bin holds one integer, the next one of that before. */
static int is_of_integers(const uh_axis *axis) {
    const struct uhi_edges *edges = &axis->edges;
    const uint64_t *values = edges->values; /* int64 as its bits */
    return !uhi_axis_grows(axis) && edges->dtype != UH_F64 && !edges->order && !edges->below && !edges->above &&
           (edges->closed == UH_CLOSED_LEFT || edges->closed == UH_HALF_OPEN_LEFT) &&
           values[edges->count - 1] - values[0] == edges->count - 1;
}

static uh_status check(const uh_histogram *histogram, const uh_rows *rows) {
    static const char call[] = "uh_histogram_fill_rows";
    if (histogram->naxes < 2 || !is_of_integers(histogram->axes[0]))
        return uhi_fail_argument(call, "histogram", "has %s, expected several, the first of integers with a bin each",
                                 histogram->naxes < 2 ? "one axis" : "another first axis");
    const size_t bins = uhi_axis_bins(histogram->axes[0]);
    if (rows->first > bins || rows->count > bins - rows->first)
        return uhi_fail_argument(call, "rows", "has first %zu and count %zu, expected rows of the axis's %zu bins",
                                 rows->first, rows->count, bins);
    UHI_NEED(call, rows->arrays, "rows->arrays: one per axis but the first");
    UHI_NEED(call, rows->pitches, "rows->pitches: one per array");
    for (size_t a = 0; a + 1 < histogram->naxes; a++) {
        UHI_TRY(uhi_check_array(call, "rows->arrays", a, &rows->arrays[a]));
        if (rows->arrays[a].count != rows->arrays->count)
            return uhi_fail_member(UH_ERROR_INVALID_ARGUMENT, call, "rows->arrays", a, "count",
                                   "is %zu, expected %zu, as of rows->arrays[0]", rows->arrays[a].count,
                                   rows->arrays->count);
    }
    UHI_TRY(uhi_histogram_check_weights(call, histogram, rows->weights, rows->arrays->count));
    if (rows->arrays->count > 0 && rows->count > SIZE_MAX / rows->arrays->count)
        return uhi_fail_argument(call, "rows", "has count %zu of %zu points, more than memory holds", rows->count,
                                 rows->arrays->count);
    return UH_SUCCESS;
}

/* ---- counts on one axis ---- */

static void count_row(const struct counting *c, size_t row, uint32_t *memory, uint64_t flow[3]) {
    const struct uhi_histogram_tables *tables = c->tables;
    const size_t bins = tables->bins, counters = uhi_counter_count(tables);
    const uint32_t *const slot_of = uhi_counter_slots(tables);
    struct uhi_values x = uhi_array_values(&c->rows->arrays[0]);
    uint64_t *const counts = c->counts + row * bins;
    x.first += (ptrdiff_t)row * c->rows->pitches[0];
    const uint32_t *const table = c->host->count_replicas(tables, x, memory, c->pitch);
    for (size_t i = 0; i < counters; i++) {
        const size_t slot = slot_of ? slot_of[i] : i;
        uint64_t n = table[i];
        for (size_t replica = 1; replica < UHI_REPLICAS && c->pitch; replica++)
            n += table[replica * c->pitch + i];
        if (slot - 1 < bins)
            counts[slot - 1] += n;
        else
            flow[slot == 0 ? UHI_FLOW_BELOW : slot == bins + 1 ? UHI_FLOW_ABOVE : UHI_FLOW_NAN] += n;
    }
}

static void count_rows(const void *context, size_t part, size_t parts) {
    const struct counting *c = context;
    const size_t end = uhi_part_start(c->rows->count, parts, part + 1);
    uint64_t flow[3] = {0};
    for (size_t row = uhi_part_start(c->rows->count, parts, part); row < end; row++)
        count_row(c, row, c->memory + part * c->part_size, flow);
    for (size_t i = 0; i < 3; i++) {
        __atomic_fetch_add(&c->numbers->flow[1][i], flow[i], __ATOMIC_RELAXED);
        __atomic_fetch_add(&c->numbers->outside, flow[i], __ATOMIC_RELAXED);
    }
}

/* Counts each row in a table of its thread's, and adds it to the row's cells. */
static uh_status count_on_host(const char *call, uh_histogram *histogram, const uh_rows *rows) {
    const uh_array *x = &rows->arrays[0];
    const struct uhi_histogram_plan *plan = NULL;
    struct uhi_histogram_numbers numbers = {.points = rows->count * x->count};
    const char *const last = (const char *)x->data + (ptrdiff_t)(rows->count - 1) * rows->pitches[0];
    UHI_TRY(uhi_histogram_get_plan(call, histogram, 1, x->dtype, &plan));
    UHI_TRY(uhi_check_host_memory(histogram->queue, call, "rows->arrays[0].data", x->data, 1));
    UHI_TRY(uhi_check_host_memory(histogram->queue, call, "rows->arrays[0].data", last, 1));
    struct counting c = {.host = uhi_histogram_host(), .tables = &plan->tables, .rows = rows, .numbers = &numbers};
    const size_t counters = uhi_counter_count(c.tables), pitch = (counters + 15) / 16 * 16 + 16;
    const size_t wanted = uhi_parts_for(histogram->queue, rows->count * x->count, UHI_VALUES_A_THREAD),
                 parts = wanted < rows->count ? wanted : rows->count;
    c.pitch = x->count / counters >= VALUES_A_REPLICATED ? pitch : 0;
    c.part_size = (c.pitch ? UHI_REPLICAS : 1) * pitch + UHI_PLACES_BYTES / sizeof *c.memory;
    c.memory = uhi_frame_scratch(&histogram->run.frame, parts * c.part_size * sizeof *c.memory);
    c.counts = histogram->store->counts + rows->first * c.tables->bins;
    if (!c.memory)
        return UH_ERROR_OUT_OF_MEMORY;
    uhi_host_parallel(histogram->queue, "histogram: rows", count_rows, &c, parts);
    histogram->store->counts[histogram->cells] += numbers.outside;
    uhi_histogram_add_numbers(&histogram->numbers, &numbers);
    return UH_SUCCESS;
}

static int is_simple(const uh_histogram *histogram, const uh_rows *rows) {
    return histogram->naxes == 2 && histogram->storage == UH_STORAGE_COUNT && !histogram->shares &&
           uhi_body_of(histogram->queue) == UHI_BODY_HOST && !histogram->queue->options.cancelled &&
           rows->arrays->count < UINT32_MAX;
}

/* ---- points of all kinds: the row is a coordinate ---- */

/* Fills some rows, whose points follow one another if there are several. */
static uh_status fill_some(const char *call, uh_histogram *histogram, const uh_rows *rows, size_t from, size_t n,
                           uint64_t *number) {
    static const char *const names[UH_MAX_AXES + 1] = {
        "rows->first",          "rows->arrays[0].data", "rows->arrays[1].data",
        "rows->arrays[2].data", "rows->arrays[3].data", "rows->arrays[4].data",
        "rows->arrays[5].data", "rows->arrays[6].data", "rows->weights->data"};
    const size_t each = rows->arrays->count;
    const struct uhi_edges *edges = &histogram->axes[0]->edges;
    const uint64_t first = ((const uint64_t *)edges->values)[0] + rows->first + from;
    uh_array arrays[UH_MAX_AXES] = {{edges->dtype, number, n > 1 ? sizeof *number : 0, n * each}};
    for (size_t i = 0; i < (n > 1 ? n * each : 1); i++)
        number[i] = first + i / each;
    for (size_t a = 1; a < histogram->naxes; a++) {
        arrays[a] = rows->arrays[a - 1];
        arrays[a].data = (const char *)arrays[a].data + (ptrdiff_t)from * rows->pitches[a - 1];
        arrays[a].count = n * each;
    }
    uh_array weights = rows->weights ? *rows->weights : (uh_array){.count = 0};
    weights.count = n * each;
    if (rows->weights)
        weights.data = (const char *)weights.data + (ptrdiff_t)from * rows->weights_pitch;
    return uhi_histogram_fill(call, histogram, &(struct uhi_filled){arrays, rows->weights ? &weights : NULL, names});
}

static int follow(const uh_array *x, ptrdiff_t pitch) { return pitch == (ptrdiff_t)x->count * x->stride; }

static uh_status fill_by_points(const char *call, uh_histogram *histogram, const uh_rows *rows) {
    const size_t each = rows->arrays->count;
    int dense = !rows->weights || follow(rows->weights, rows->weights_pitch);
    for (size_t a = 0; a + 1 < histogram->naxes; a++)
        dense = dense && follow(&rows->arrays[a], rows->pitches[a]);
    const size_t some = dense && each < BLOCK_POINTS ? BLOCK_POINTS / each : 1;
    uint64_t *number = malloc((some > 1 ? some * each : 1) * sizeof *number);
    uh_status status = number ? UH_SUCCESS : uhi_fail_memory(call, "no memory for numbers of %zu rows", some);
    for (size_t from = 0; from < rows->count && !status; from += some)
        status = fill_some(call, histogram, rows, from, rows->count - from < some ? rows->count - from : some, number);
    free(number);
    return status;
}

uh_status uh_histogram_fill_rows(uh_histogram *histogram, const uh_rows *rows) {
    uh_rows taken = {.struct_size = 0};
    UHI_NEED(__func__, histogram, "a histogram");
    UHI_NEED(__func__, rows, "rows of points");
    UHI_TRY(uhi_sized_read(__func__, "rows", rows, &taken, sizeof taken));
    UHI_TRY(check(histogram, &taken));
    if (taken.count == 0 || taken.arrays->count == 0)
        return UH_SUCCESS;
    if (!is_simple(histogram, &taken))
        return fill_by_points(__func__, histogram, &taken);
    UHI_TRY(uhi_histogram_expect(__func__, histogram, taken.count * taken.arrays->count));
    return count_on_host(__func__, histogram, &taken);
}
