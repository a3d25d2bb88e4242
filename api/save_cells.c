/* SPDX-License-Identifier: Apache-2.0 */
/* The cells of saved histograms: one stream, as uhi_store_export writes it, of which the sections are pieces. */
#include <stdio.h>
#include <string.h>

#include "api/save.h"
#include "kernels/accumulate/store.h"
#include "runtime/status.h"

_Static_assert(sizeof(struct uhi_saved_head) == 32, "as store.h says of what uhi_store_export begins with");

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
    struct uhi_saved_head head;
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
    const uh_histogram *histogram = from;
    struct behind_head to = {.sink = sink, .context = context};
    if (!histogram->counts)
        return uhi_store_export(histogram->store, take, &to);
    const uint64_t outside = uhi_histogram_numbers(histogram).outside;
    uh_status status = sink(context, histogram->counts + 1, histogram->cells * sizeof *histogram->counts);
    return status ? status : sink(context, &outside, sizeof outside);
}

static void save_digits(struct uhi_sections *sections, const char *name, struct uhi_saved_digits digits,
                        uint64_t slots) {
    const uint64_t dims[2] = {slots, digits.count};
    uhi_sections_add(sections, name, "<u4", 2, dims, NULL);
}

static void save_exponent(struct uhi_sections *sections, const char *name, struct uhi_saved_digits digits,
                          int below_1) {
    const int64_t exponent = DIGIT_BITS * ((int64_t)digits.first - below_1);
    const uint64_t one = 1;
    uhi_sections_add(sections, name, "<i8", 1, &one, &exponent);
}

/* Adds the sections, in the order of the stream, behind those that say what they mean. */
static void add_sections(struct uhi_sections *sections, const struct uhi_saved_head *head) {
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
}

uh_status uhi_save_cells(const char *call, struct uhi_sections *sections, uh_histogram *histogram) {
    struct behind_head first = {.head = {.storage = UH_STORAGE_COUNT, .cells = histogram->cells}};
    if (!histogram->counts) {
        (void)uhi_store_export(histogram->store, take, &first);
        if (first.got < sizeof first.head)
            return uhi_fail(UH_ERROR_INTERNAL, call, NULL, "the cells cannot be exported");
    }
    add_sections(sections, &first.head);
    sections->stream = stream_cells;
    sections->stream_from = histogram;
    return UH_SUCCESS;
}

/* ---- loading ---- */

static void add_piece(struct uhi_saved_cells *cells, const void *data, uint64_t size) {
    cells->list[cells->count++] = (struct uhi_saved_piece){data, size};
}

static uh_status read_pieces(void *from, void *bytes, size_t size) {
    struct uhi_saved_cells *cells = from;
    char *to = bytes;
    while (size > 0) {
        if (cells->now == cells->count)
            return uhi_fail(UH_ERROR_INVALID_ARGUMENT, cells->source->call, NULL, "its cells end too early");
        struct uhi_saved_piece *piece = &cells->list[cells->now];
        size_t part = size < piece->size ? size : (size_t)piece->size;
        memcpy(to, piece->next, part);
        piece->next += part;
        piece->size -= part;
        to += part;
        size -= part;
        cells->now += piece->size == 0;
    }
    return UH_SUCCESS;
}

/* Finds the array of one element a slot of that name. */
static uh_status find_slots(struct uhi_sections *sections, const char *name, const char *type,
                            struct uhi_saved_cells *cells) {
    const struct uhi_section *section = NULL;
    const uint64_t slots = cells->head.cells + 1;
    uh_status status = uhi_sections_get(cells->source, sections, name, type, 1, &slots, &section);
    if (!status)
        add_piece(cells, section->data, slots * uhi_section_element(type));
    return status;
}

static uh_status find_digits(struct uhi_sections *sections, const char *digits_name, const char *exponent_name,
                             int below_1, struct uhi_saved_digits *digits, struct uhi_saved_cells *cells) {
    const struct uhi_section *section = NULL, *exponents = NULL;
    const uint64_t dims[2] = {cells->head.cells + 1, 0}, one = 1;
    const int64_t min = -(int64_t)DIGIT_BITS * below_1;
    int64_t exponent;
    uh_status status = uhi_sections_get(cells->source, sections, digits_name, "<u4", 2, dims, &section);
    if (!status)
        status = uhi_sections_get(cells->source, sections, exponent_name, "<i8", 1, &one, &exponents);
    if (status)
        return status;
    memcpy(&exponent, exponents->data, sizeof exponent);
    if (exponent % DIGIT_BITS != 0 || exponent < min || exponent > 4096)
        return uhi_source_fail(cells->source, "section '%s' says %lld, expected a multiple of %d from %d",
                               exponent_name, (long long)exponent, DIGIT_BITS, (int)min);
    if (section->dims[1] > 256)
        return uhi_source_fail(cells->source, "section '%s' has too many digits", digits_name);
    digits->first = (uint32_t)(exponent / DIGIT_BITS + below_1);
    digits->count = (uint32_t)section->dims[1];
    add_piece(cells, section->data, uhi_section_elements(section) * 4);
    return UH_SUCCESS;
}

uh_status uhi_find_cells(const struct uhi_source *source, struct uhi_sections *sections,
                         const struct uhi_saved_shape *shape, struct uhi_saved_cells *cells) {
    const uh_storage storage = shape->storage;
    const int fast = is_fast(storage, shape->sum);
    const char *counts = type_of_counts(storage);
    uh_status status = UH_SUCCESS;
    *cells = (struct uhi_saved_cells){
        .source = source, .head = {.storage = (uint32_t)storage, .sum = (uint32_t)shape->sum, .cells = shape->cells}};
    add_piece(cells, &cells->head, sizeof cells->head); /* then as add_sections does */
    if (counts)
        status = find_slots(sections, "counts", counts, cells);
    if (!status && fast)
        status = find_slots(sections, "sums", "<f8", cells);
    if (!status && fast && has_squares(storage))
        status = find_slots(sections, "squares", "<f8", cells);
    if (!status && has_sums(storage))
        status = find_digits(sections, "sums.digits", "sums.exponent", SUM_DIGITS_BELOW_1, &cells->head.sums, cells);
    if (!status && has_squares(storage))
        status = find_digits(sections, "squares.digits", "squares.exponent", SQUARE_DIGITS_BELOW_1,
                             &cells->head.squares, cells);
    if (!status && has_sums(storage))
        status = find_slots(sections, "flags", "|u1", cells);
    return status ? status : uhi_sections_all_taken(source, sections);
}

/* Whether the counts add up to the points in cells, where a storage keeps all counts. */
static uh_status check_counts(const struct uhi_source *source, const uh_histogram *histogram,
                              const struct uhi_histogramdd_counters *numbers) {
    enum { BLOCK = 1024 };
    uint64_t counts[BLOCK], sum = 0;
    int overflow = 0;
    if (histogram->storage != UH_STORAGE_COUNT && histogram->storage != UH_STORAGE_MEAN)
        return UH_SUCCESS;
    for (size_t from = 0; from < histogram->cells; from += BLOCK) {
        size_t n = histogram->cells - from < BLOCK ? histogram->cells - from : BLOCK;
        uhi_histogram_read_counts(histogram, from, n, counts);
        for (size_t i = 0; i < n; i++)
            overflow |= __builtin_add_overflow(sum, counts[i], &sum);
    }
    if (overflow || sum != numbers->points - numbers->outside)
        return uhi_source_fail(source, "its counts do not add up to the number of points in section 'points'");
    return UH_SUCCESS;
}

uh_status uhi_load_cells(struct uhi_saved_cells *cells, const struct uhi_histogramdd_counters *numbers,
                         uh_histogram *histogram) {
    struct uhi_store *store = NULL;
    uh_status status;
    if (histogram->counts) {
        cells->now = 1; /* behind the head */
        status = read_pieces(cells, histogram->counts + 1, histogram->cells * sizeof *histogram->counts);
    } else {
        status = uhi_store_import(cells->source->call, histogram->cells, histogram->storage, histogram->sum,
                                  read_pieces, cells, &store);
        if (!status) {
            uhi_store_destroy(histogram->store);
            histogram->store = store;
        }
    }
    if (status)
        return uhi_source_failed(cells->source, NULL);
    status = check_counts(cells->source, histogram, numbers);
    if (!status)
        uhi_histogram_set_numbers(histogram, numbers);
    return status;
}
