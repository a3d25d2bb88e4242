/* SPDX-License-Identifier: Apache-2.0 */
/* Saving and loading histograms over several axes. What the cells keep comes as one stream from uhi_store_export, of
 * which the sections are pieces. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/histogramdd.h"
#include "api/save.h"
#include "kernels/accumulate/store.h"
#include "runtime/status.h"

/* What uhi_store_export begins with. */
struct head {
    uint32_t storage, sum;
    uint64_t cells;
    struct digits {
        uint32_t first, count;
    } sums, squares;
};
_Static_assert(UHI_SECTION_OWN >= 8 * UH_MAX_AXES, "the shape is copied");
_Static_assert(sizeof(struct head) == 32, "as store.h says");

/* The digits' weights there: digit i of sums is 2^(32 * (i - 34)). */
enum { SUM_DIGITS_BELOW_1 = 34, SQUARE_DIGITS_BELOW_1 = 68, DIGIT_BITS = 32 };

/* ---- what there is of which storage ---- */

static int has_sums(uh_storage storage) {
    return storage == UH_STORAGE_SUM || storage == UH_STORAGE_WEIGHTED || storage == UH_STORAGE_MEAN;
}

static int has_squares(uh_storage storage) {
    return storage == UH_STORAGE_WEIGHTED || storage == UH_STORAGE_MEAN;
}

static int is_fast(uh_storage storage, uh_sum sum) {
    return sum == UH_SUM_FAST && (storage == UH_STORAGE_SUM || storage == UH_STORAGE_WEIGHTED);
}

/* The type of counts, NULL where there are none. */
static const char *type_of_counts(uh_storage storage) {
    switch (storage) {
    case UH_STORAGE_COUNT:
    case UH_STORAGE_MEAN: return "<u8";
    case UH_STORAGE_U8: return "|u1";
    case UH_STORAGE_U16: return "<u2";
    default: return NULL;
    }
}

/* ---- saving ---- */

/* A sink that keeps the head of an export, and hands on what comes behind it. */
struct behind_head {
    struct head head;
    size_t got;
    uhi_sections_sink sink; /* NULL: the head is all that is wanted */
    void *context;
};

static uh_status take(void *context, const void *bytes, size_t size) {
    struct behind_head *to = context;
    size_t part = sizeof to->head - to->got;
    part = size < part ? size : part;
    memcpy((char *)&to->head + to->got, bytes, part);
    to->got += part;
    if (part == size)
        return UH_SUCCESS;
    /* Anything but success ends the export. */
    return to->sink ? to->sink(to->context, (const char *)bytes + part, size - part) : UH_ERROR_INTERNAL;
}

static uh_status stream_cells(const void *from, uhi_sections_sink sink, void *context) {
    struct behind_head to = {.sink = sink, .context = context};
    return uhi_store_export(from, take, &to);
}

static void save_digits(struct uhi_sections *sections, const char *name, struct digits digits, uint64_t slots) {
    const uint64_t dims[2] = {slots, digits.count};
    uhi_sections_add(sections, name, "<u4", 2, dims, NULL);
}

static void save_exponent(struct uhi_sections *sections, const char *name, struct digits digits, int below_1) {
    const int64_t exponent = DIGIT_BITS * ((int64_t)digits.first - below_1);
    const uint64_t one = 1;
    uhi_sections_add(sections, name, "<i8", 1, &one, &exponent);
}

/* Adds the sections of the cells, in the order of the stream, behind those that say what they mean. */
static void save_cells(struct uhi_sections *sections, const struct head *head, const struct uhi_store *store) {
    const uint64_t slots = head->cells + 1;
    const uh_storage storage = (uh_storage)head->storage;
    const char *counts = type_of_counts(storage);
    if (has_sums(storage))
        save_exponent(sections, "sums.exponent", head->sums, SUM_DIGITS_BELOW_1);
    if (has_squares(storage))
        save_exponent(sections, "squares.exponent", head->squares, SQUARE_DIGITS_BELOW_1);
    if (counts)
        uhi_sections_add(sections, "counts", counts, 1, &slots, NULL);
    if (is_fast(storage, (uh_sum)head->sum)) {
        uhi_sections_add(sections, "sums", "<f8", 1, &slots, NULL);
        if (has_squares(storage))
            uhi_sections_add(sections, "squares", "<f8", 1, &slots, NULL);
    }
    if (has_sums(storage))
        save_digits(sections, "sums.digits", head->sums, slots);
    if (has_squares(storage))
        save_digits(sections, "squares.digits", head->squares, slots);
    if (has_sums(storage))
        uhi_sections_add(sections, "flags", "|u1", 1, &slots, NULL);
    sections->stream = stream_cells;
    sections->stream_from = store;
}

static uh_status collect(const char *call, uh_histogramdd *histogram, struct uhi_sections *sections) {
    struct behind_head first = {.got = 0};
    if (!histogram)
        return uhi_fail_null(call, "histogram", "a histogram");
    uh_status status = uhi_histogramdd_bring(call, histogram);
    if (status)
        return status;
    (void)uhi_store_export(histogram->store, take, &first);
    if (first.got < sizeof first.head)
        return uhi_fail(UH_ERROR_INTERNAL, "%s: the cells cannot be exported", call);
    const struct uhi_histogramdd_counters *counters = &histogram->counters;
    const uint64_t naxes = histogram->naxes, two = 2;
    const uint64_t points[2] = {counters->points - counters->outside, counters->outside};
    uint64_t shape[UH_MAX_AXES];
    for (size_t a = 0; a < naxes; a++)
        shape[a] = uh_axis_bins(histogram->axes[a]);
    sections->count = 0;
    uhi_save_kind(sections, UH_SAVED_HISTOGRAMDD);
    uhi_sections_add(sections, "shape", "<u8", 1, &naxes, shape);
    uhi_sections_add_text(sections, "storage", uhi_saved_storage((uh_storage)first.head.storage));
    uhi_sections_add_text(sections, "sum", uhi_saved_sum((uh_sum)first.head.sum));
    uhi_sections_add(sections, "points", "<u8", 1, &two, points);
    for (size_t a = 0; a < naxes; a++) {
        const uint64_t *flow = counters->flow[a];
        uhi_save_axis(sections, a, histogram->axes[a], &(uh_flow){.below = flow[0], .above = flow[1], .nan = flow[2]});
    }
    save_cells(sections, &first.head, histogram->store);
    return UH_SUCCESS;
}

uh_status uh_histogramdd_save(uh_histogramdd *histogram, const char *path) {
    struct uhi_sections sections;
    if (!path)
        return uhi_fail_null(__func__, "path", "the name of a file");
    uh_status status = collect(__func__, histogram, &sections);
    return status ? status : uhi_save_file(__func__, &sections, path);
}

uh_status uh_histogramdd_save_bytes(uh_histogramdd *histogram, void *bytes, size_t size, size_t *length) {
    struct uhi_sections sections;
    if (!length)
        return uhi_fail_null(__func__, "length", "where to store how many bytes there are");
    uh_status status = collect(__func__, histogram, &sections);
    return status ? status : uhi_save_memory(__func__, &sections, bytes, size, length);
}

/* ---- loading ---- */

/* The stream that uhi_store_import reads: the head, and the data of sections one after the other. */
struct pieces {
    const struct uhi_source *source;
    struct head head;
    struct piece {
        const char *next;
        uint64_t size;
    } list[8];
    size_t count, now;
};

static void add_piece(struct pieces *pieces, const void *data, uint64_t size) {
    pieces->list[pieces->count++] = (struct piece){data, size};
}

static uh_status read_pieces(void *from, void *bytes, size_t size) {
    struct pieces *pieces = from;
    char *to = bytes;
    while (size > 0) {
        if (pieces->now == pieces->count)
            return uhi_source_fail(pieces->source, "its cells end too early");
        struct piece *piece = &pieces->list[pieces->now];
        size_t part = size < piece->size ? size : (size_t)piece->size;
        memcpy(to, piece->next, part);
        piece->next += part;
        piece->size -= part;
        to += part;
        size -= part;
        pieces->now += piece->size == 0;
    }
    return UH_SUCCESS;
}

/* Finds the array of one element a slot of that name. */
static uh_status find_slots(struct uhi_sections *sections, const char *name, const char *type, struct pieces *pieces) {
    const struct uhi_section *section = NULL;
    const uint64_t slots = pieces->head.cells + 1;
    uh_status status = uhi_sections_get(pieces->source, sections, name, type, 1, &slots, &section);
    if (!status)
        add_piece(pieces, section->data, slots * uhi_section_element(type));
    return status;
}

static uh_status find_digits(struct uhi_sections *sections, const char *digits_name, const char *exponent_name,
                             int below_1, struct digits *digits, struct pieces *pieces) {
    const struct uhi_section *section = NULL, *exponents = NULL;
    const uint64_t dims[2] = {pieces->head.cells + 1, 0}, one = 1;
    const int64_t min = -(int64_t)DIGIT_BITS * below_1;
    int64_t exponent;
    uh_status status = uhi_sections_get(pieces->source, sections, digits_name, "<u4", 2, dims, &section);
    if (!status)
        status = uhi_sections_get(pieces->source, sections, exponent_name, "<i8", 1, &one, &exponents);
    if (status)
        return status;
    memcpy(&exponent, exponents->data, sizeof exponent);
    if (exponent % DIGIT_BITS != 0 || exponent < min || exponent > 4096)
        return uhi_source_fail(pieces->source, "section '%s' says %lld, expected a multiple of %d from %d",
                               exponent_name, (long long)exponent, DIGIT_BITS, (int)min);
    if (section->dims[1] > 256)
        return uhi_source_fail(pieces->source, "section '%s' has too many digits", digits_name);
    digits->first = (uint32_t)(exponent / DIGIT_BITS + below_1);
    digits->count = (uint32_t)section->dims[1];
    add_piece(pieces, section->data, uhi_section_elements(section) * 4);
    return UH_SUCCESS;
}

/* Collects what save_cells saved, in the same order. */
static uh_status find_cells(struct uhi_sections *sections, struct pieces *pieces) {
    const uh_storage storage = (uh_storage)pieces->head.storage;
    const int fast = is_fast(storage, (uh_sum)pieces->head.sum);
    const char *counts = type_of_counts(storage);
    uh_status status = UH_SUCCESS;
    add_piece(pieces, &pieces->head, sizeof pieces->head);
    if (counts)
        status = find_slots(sections, "counts", counts, pieces);
    if (!status && fast)
        status = find_slots(sections, "sums", "<f8", pieces);
    if (!status && fast && has_squares(storage))
        status = find_slots(sections, "squares", "<f8", pieces);
    if (!status && has_sums(storage))
        status = find_digits(sections, "sums.digits", "sums.exponent", SUM_DIGITS_BELOW_1, &pieces->head.sums, pieces);
    if (!status && has_squares(storage))
        status = find_digits(sections, "squares.digits", "squares.exponent", SQUARE_DIGITS_BELOW_1,
                             &pieces->head.squares, pieces);
    if (!status && has_sums(storage))
        status = find_slots(sections, "flags", "|u1", pieces);
    return status ? status : uhi_sections_all_taken(pieces->source, sections);
}

static uh_status load_cells(const struct uhi_source *source, struct uhi_sections *sections,
                            const struct uhi_saved_shape *shape, struct uhi_store **store) {
    struct pieces pieces = {.source = source,
                            .head = {.storage = shape->storage, .sum = shape->sum, .cells = shape->cells}};
    char call[512];
    uh_status status = find_cells(sections, &pieces);
    if (status)
        return status;
    snprintf(call, sizeof call, "%s: %.400s", source->call, source->name);
    return uhi_store_import(call, shape->cells, shape->storage, shape->sum, read_pieces, &pieces, store);
}

/* No counter is larger than the number of points, on which merging relies. */
static uh_status load_counters(const struct uhi_source *source, struct uhi_sections *sections,
                               const struct uhi_saved_shape *shape, const uh_flow *flows,
                               struct uhi_histogramdd_counters *counters) {
    const struct uhi_section *section = NULL;
    const uint64_t two = 2;
    uint64_t points[2];
    uh_status status = uhi_sections_get(source, sections, "points", "<u8", 1, &two, &section);
    if (status)
        return status;
    memcpy(points, section->data, sizeof points);
    *counters = (struct uhi_histogramdd_counters){.outside = points[1]};
    if (__builtin_add_overflow(points[0], points[1], &counters->points))
        return uhi_source_fail(source, "section 'points' says more than 2^64 - 1 points");
    for (size_t a = 0; a < shape->naxes; a++) {
        const uint64_t flow[3] = {flows[a].below, flows[a].above, flows[a].nan};
        uint64_t sum;
        if (__builtin_add_overflow(flow[0], flow[1], &sum) || __builtin_add_overflow(sum, flow[2], &sum) ||
            sum > counters->points)
            return uhi_source_fail(source, "section 'axis%zu.flow' has more points than section 'points'", a);
        memcpy(counters->flow[a], flow, sizeof flow);
    }
    return UH_SUCCESS;
}

/* Whether the counts add up to the points in cells, where a storage keeps all counts. */
static uh_status check_counts(const struct uhi_source *source, const struct uhi_saved_shape *shape,
                              const struct uhi_store *store, const struct uhi_histogramdd_counters *counters) {
    enum { BLOCK = 1024 };
    uint64_t counts[BLOCK], sum = 0;
    int overflow = 0;
    if (shape->storage != UH_STORAGE_COUNT && shape->storage != UH_STORAGE_MEAN)
        return UH_SUCCESS;
    for (size_t from = 0; from < shape->cells; from += BLOCK) {
        size_t n = shape->cells - from < BLOCK ? shape->cells - from : BLOCK;
        uhi_store_counts(store, from, n, counts);
        for (size_t i = 0; i < n; i++)
            overflow |= __builtin_add_overflow(sum, counts[i], &sum);
    }
    if (overflow || sum != counters->points - counters->outside)
        return uhi_source_fail(source, "its counts do not add up to the number of points in section 'points'");
    return UH_SUCCESS;
}

static uh_status build(const struct uhi_source *source, uh_queue *queue, struct uhi_sections *sections,
                       uh_histogramdd **histogram) {
    struct uhi_histogramdd_counters counters;
    struct uhi_saved_shape shape = {.naxes = 0};
    uh_histogramdd *made = NULL;
    struct uhi_store *store = NULL;
    uh_axis *axes[UH_MAX_AXES] = {NULL};
    uh_flow flows[UH_MAX_AXES];
    uh_status status = uhi_load_kind_as(source, sections, UH_SAVED_HISTOGRAMDD);
    if (!status)
        status = uhi_load_shape(source, sections, &shape);
    for (size_t a = 0; a < shape.naxes && !status; a++)
        status = uhi_load_axis(source, sections, a, &axes[a], &flows[a]);
    if (!status)
        status = load_counters(source, sections, &shape, flows, &counters);
    if (!status)
        status = load_cells(source, sections, &shape, &store);
    if (!status)
        status = check_counts(source, &shape, store, &counters);
    if (status)
        goto out;
    const uh_histogramdd_options options = {.struct_size = sizeof options, .storage = shape.storage, .sum = shape.sum};
    status = uhi_histogramdd_make(source->call, queue, (const uh_axis *const *)axes, shape.naxes, &options, &made);
    if (!status) {
        uhi_store_destroy(made->store);
        made->store = store;
        made->counters = counters;
        store = NULL;
        *histogram = made;
    }
out:
    uhi_store_destroy(store);
    for (size_t a = 0; a < shape.naxes; a++)
        uh_axis_destroy(axes[a]);
    return status;
}

static uh_status load(const struct uhi_source *source, uh_queue *queue, const void *bytes, size_t size,
                      uh_histogramdd **histogram) {
    struct uhi_sections sections;
    uh_status status = uhi_sections_parse(source, bytes, size, &sections);
    return status ? status : build(source, queue, &sections, histogram);
}

uh_status uh_histogramdd_load(uh_queue *queue, const char *path, uh_histogramdd **histogram) {
    struct uhi_saved_file file;
    uh_status status = uhi_load_check(__func__, queue, histogram);
    if (status)
        return status;
    if (!path)
        return uhi_fail_null(__func__, "path", "the name of a file");
    status = uhi_saved_file_read(__func__, path, &file);
    if (!status) {
        const struct uhi_source source = {__func__, file.name};
        status = load(&source, queue, file.bytes, file.size, histogram);
    }
    uhi_saved_file_free(&file);
    return status;
}

uh_status uh_histogramdd_load_bytes(uh_queue *queue, const void *bytes, size_t size, uh_histogramdd **histogram) {
    const struct uhi_source source = {__func__, "bytes"};
    uh_status status = uhi_load_check(__func__, queue, histogram);
    if (status)
        return status;
    if (!bytes && size > 0)
        return uhi_fail_null(__func__, "bytes", "a saved histogram");
    return load(&source, queue, bytes, size, histogram);
}
