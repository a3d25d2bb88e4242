/* SPDX-License-Identifier: Apache-2.0 */
/* Sum of the histograms of several processes. Each process copies its histogram (counts of one axis: as an array),
 * replaces all words of the copy by the combined words, and finally replaces the histogram by the copy, so that a
 * failure on the way leaves the histogram unchanged. Steps that can fail on a single process precede the words, and the
 * processes agree on their outcome. */

#include <stdio.h>

#include <unihist/save.h>

#include "api/histogram.h"
#include "kernels/common/collective.h"
#include "runtime/status.h"

/* Maximum number of words read from a store at a time. */
enum { BLOCK_WORDS = 1 << 18 };

/* Indices of the numbers whose maximum the processes find. A minimum is found as the maximum of differences from a
 * constant. */
enum { HASH, NOT_HASH, CELLS, EXPONENTS, NUMBERS = EXPONENTS + 4 };
enum { ABOVE_EXPONENTS = 1 << 20, DIGIT_BITS = 32 };

/* ---- kinds ----
 *
 * Processes must have histograms of one kind. They compare hashes of the description; if these differ, rank 0 sends its
 * histogram, emptied, in the saved form, and the others compare it as for a merge. */

static uint64_t hash_of(const uh_histogram *histogram) {
    const uint64_t head[] = {histogram->naxes, (uint64_t)histogram->storage, (uint64_t)histogram->sum};
    char version[32] = "";
    uint64_t words[sizeof version / sizeof(uint64_t)], hash = 0;
    snprintf(version, sizeof version, "%s", uh_version());
    memcpy(words, version, sizeof words);
    hash = uhi_exchange_hash(hash, words, sizeof words / sizeof *words);
    hash = uhi_exchange_hash(hash, head, sizeof head / sizeof *head);
    for (size_t a = 0; a < histogram->naxes; a++) {
        const struct uhi_edges *edges = &histogram->axes[a]->edges; /* of 8 bytes each */
        const uint64_t of_axis[] = {(uint64_t)edges->dtype, uhi_edges_values(edges), (uint64_t)edges->closed,
                                    edges->order != NULL, (uint64_t)uhi_axis_flow_bins(histogram->axes[a])};
        hash = uhi_exchange_hash(hash, of_axis, sizeof of_axis / sizeof *of_axis);
        hash = uhi_exchange_hash(hash, edges->values, uhi_edges_values(edges));
    }
    return hash;
}

/* Stores the numbers that describe a histogram whose contents are on the host and, unless its storage is COUNT, the
 * layouts of its store's arrays. */
static void describe(const uh_histogram *histogram, struct uhi_store_layout layout[UHI_STORE_ARRAYS],
                     uint64_t numbers[NUMBERS]) {
    uint64_t *exponents = numbers + EXPONENTS;
    numbers[HASH] = hash_of(histogram);
    numbers[NOT_HASH] = ~numbers[HASH];
    numbers[CELLS] = histogram->cells;
    memset(exponents, 0, (NUMBERS - EXPONENTS) * sizeof *exponents);
    for (enum uhi_store_array i = 0; i < UHI_STORE_ARRAYS && histogram->storage != UH_STORAGE_COUNT; i++) {
        layout[i] = uhi_store_layout(histogram->store, i);
        if (i != UHI_STORE_SUM_DIGITS && i != UHI_STORE_SQUARE_DIGITS)
            continue;
        if (layout[i].type && layout[i].columns > 0) {
            exponents[0] = (uint64_t)(ABOVE_EXPONENTS - layout[i].exponent);
            exponents[1] = (uint64_t)(ABOVE_EXPONENTS + layout[i].exponent + DIGIT_BITS * (int64_t)layout[i].columns);
        }
        exponents += 2;
    }
}

/* Applies the maxima: widens the layouts to the range of all processes and stores the number of cells. Returns 1 if the
 * processes' histograms may differ in kind. */
static int take(const uint64_t numbers[NUMBERS], struct uhi_store_layout layout[UHI_STORE_ARRAYS], size_t *cells) {
    const uint64_t *exponents = numbers + EXPONENTS;
    for (enum uhi_store_array i = UHI_STORE_SUM_DIGITS; i <= UHI_STORE_SQUARE_DIGITS; i++, exponents += 2)
        if (exponents[0]) {
            layout[i].exponent = ABOVE_EXPONENTS - (int64_t)exponents[0];
            layout[i].columns = (exponents[1] + exponents[0] - 2 * (uint64_t)ABOVE_EXPONENTS) / DIGIT_BITS;
        }
    *cells = (size_t)numbers[CELLS];
    return numbers[HASH] != ~numbers[NOT_HASH];
}

/* ---- hashes that differ ---- */

/* Header of rank 0's histogram, sent to the others. */
struct header {
    char version[32];
    uint64_t size;
};

/* Saves an empty histogram like that of the process. The caller frees the bytes. */
static uh_status save_empty(const char *call, const uh_histogram *histogram, void **bytes, uint64_t *length) {
    const uh_histogram_options options = {
        .struct_size = sizeof options, .storage = histogram->storage, .sum = histogram->sum};
    uh_histogram *empty = NULL;
    size_t size = 0;
    uh_status status = uhi_histogram_make(call, histogram->queue, (const uh_axis *const *)histogram->axes,
                                          histogram->naxes, &options, &empty);
    if (!status)
        status = uhi_fail_of(call, uh_histogram_save_bytes(empty, NULL, 0, &size));
    if (!status && !(*bytes = malloc(size)))
        status = uhi_fail_memory(call, "no memory for %zu bytes to compare", size);
    if (!status)
        status = uhi_fail_of(call, uh_histogram_save_bytes(empty, *bytes, size, &size));
    *length = size;
    uh_histogram_destroy(empty);
    return status;
}

static uh_status compare_with(const char *call, uh_histogram *histogram, const struct header *header,
                              const void *bytes) {
    uh_histogram *first = NULL;
    if (strcmp(header->version, uh_version()) != 0)
        return uhi_fail(UH_ERROR_INCOMPATIBLE, call, NULL, "the library's version is %s, and rank 0's %s", uh_version(),
                        header->version);
    uh_status status =
        uhi_fail_of(call, uh_histogram_load_bytes(histogram->queue, bytes, (size_t)header->size, &first));
    if (!status) /* a histogram over integers can be merged into a growing one, but not vice versa */
        status = uhi_histogram_check_alike(call, histogram, first);
    if (!status)
        status = uhi_histogram_check_alike(call, first, histogram);
    uh_histogram_destroy(first);
    if (status != UH_ERROR_INCOMPATIBLE)
        return status;
    return uhi_fail(status, call, NULL, "compared with that of rank 0, as source: %s", uh_last_error_info()->text);
}

/* Compares the histograms of all processes with that of rank 0. Returns UH_ERROR_INCOMPATIBLE on all of them. */
static uh_status compare(const char *call, const uh_exchange *exchange, uh_histogram *histogram) {
    struct header header = {"", 0};
    void *bytes = NULL;
    uh_status mine = UH_SUCCESS;
    snprintf(header.version, sizeof header.version, "%s", uh_version());
    if (exchange->rank == 0)
        mine = save_empty(call, histogram, &bytes, &header.size);
    uh_status status = uhi_exchange_agree(call, exchange, mine);
    if (!status)
        status = exchange->broadcast(exchange->context, 0, &header, sizeof header);
    if (!status) {
        if (!bytes && !(bytes = malloc((size_t)header.size)))
            mine = uhi_fail_memory(call, "no memory for %zu bytes to compare", (size_t)header.size);
        status = uhi_exchange_agree(call, exchange, mine);
    }
    if (!status)
        status = exchange->broadcast(exchange->context, 0, bytes, (size_t)header.size);
    if (!status)
        status = uhi_exchange_agree(call, exchange, compare_with(call, histogram, &header, bytes));
    free(bytes);
    return status;
}

/* ---- combining ---- */

struct exchanging {
    const char *call;
    const uh_exchange *exchange;
    uh_histogram *histogram, *sum; /* the process's own; its copy, which becomes the sum */
    int line;     /* counts of one axis, copied as an array: a second histogram takes longer to make than to send */
    size_t cells; /* of the sum */
    struct uhi_store_layout layout[UHI_STORE_ARRAYS]; /* of the storage's arrays, wide enough for all processes */
    struct uhi_histogram_numbers numbers;             /* of the sum */
    uint64_t *words;                                  /* BLOCK_WORDS words, or the copy of the counts */
};

static uh_status copy_line(struct exchanging *all) {
    all->words = malloc(all->cells * sizeof *all->words);
    if (!all->words)
        return uhi_fail_memory(all->call, "no memory for words to send");
    memcpy(all->words, uhi_histogram_get_counts(all->histogram), all->cells * sizeof *all->words);
    return UH_SUCCESS;
}

/* Makes the copy and reserves room for the sum, in the copy and in the histogram. */
static uh_status prepare(struct exchanging *all) {
    if (all->line)
        return copy_line(all);
    uh_histogram *own = all->histogram;
    const uh_histogram_options options = {.struct_size = sizeof options, .storage = own->storage, .sum = own->sum};
    const struct uhi_histogram_numbers numbers = uhi_histogram_numbers(own);
    UHI_TRY(own->growing ? uhi_growing_make(all->call, own, all->cells, &all->sum)
                         : uhi_histogram_make(all->call, own->queue, (const uh_axis *const *)own->axes, own->naxes,
                                              &options, &all->sum));
    if (all->exchange->receives)
        UHI_TRY(uhi_histogram_check_alike(all->call, own, all->sum)); /* the sum may exceed the histogram's limit */
    UHI_TRY(all->sum->contents->fetch(all->call, all->sum));
    UHI_TRY(all->sum->contents->merge(all->call, all->sum, own, &numbers));
    for (enum uhi_store_array i = 0; i < UHI_STORE_ARRAYS; i++)
        if (all->layout[i].type)
            UHI_TRY(uhi_store_reserve_words(all->call, all->sum->store, i, &all->layout[i]));
    if (all->exchange->receives && own->growing)
        UHI_TRY(uhi_growing_reserve(all->call, own, all->cells));
    if (all->exchange->receives && own->storage != UH_STORAGE_COUNT)
        UHI_TRY(uhi_store_reserve(all->call, own->store, all->sum->store));
    all->words = malloc(BLOCK_WORDS * sizeof *all->words);
    return all->words ? UH_SUCCESS : uhi_fail_memory(all->call, "no memory for words to send");
}

/* Adds the numbers of points. None exceeds the number of all points, whose 32-bit halves are added separately to detect
 * an overflow. Only receiving processes detect it; it is stored in *mine. */
static uh_status add_numbers(struct exchanging *all, uh_status *mine) {
    enum { FLOWS = 3, FIRST_FLOW = 3, HALF = 32 };
    const uh_exchange *exchange = all->exchange;
    uint64_t words[FIRST_FLOW + FLOWS * UH_MAX_AXES];
    struct uhi_histogram_numbers *numbers = &all->numbers;
    const size_t n = FIRST_FLOW + FLOWS * all->histogram->naxes;
    *numbers = uhi_histogram_numbers(all->histogram);
    words[0] = numbers->points & UINT32_MAX;
    words[1] = numbers->points >> HALF;
    words[2] = numbers->outside;
    memcpy(words + FIRST_FLOW, numbers->flow, (n - FIRST_FLOW) * sizeof *words);
    uh_status status = exchange->combine(exchange->context, UH_COMBINE_ADD, words, n);
    if (status || !exchange->receives)
        return status;
    if ((words[1] += words[0] >> HALF) > UINT32_MAX && !*mine)
        *mine = uhi_fail(UH_ERROR_OVERFLOW, all->call, NULL, "the points of all processes pass 2^64 - 1");
    numbers->points = words[1] << HALF | (words[0] & UINT32_MAX);
    numbers->outside = words[2];
    memcpy(numbers->flow, words + FIRST_FLOW, (n - FIRST_FLOW) * sizeof *words);
    return UH_SUCCESS;
}

/* Combines an array of the store block by block. */
static uh_status add_array(struct exchanging *all, enum uhi_store_array array) {
    const uh_exchange *exchange = all->exchange;
    const struct uhi_store_layout *layout = &all->layout[array];
    const size_t columns = (size_t)layout->columns, block = BLOCK_WORDS / columns;
    const size_t slots = all->cells + (all->sum->growing ? 0 : 1); /* includes the slot of points in no cell */
    const uh_combine how = array == UHI_STORE_FLAGS                                ? UH_COMBINE_OR
                           : array == UHI_STORE_SUMS || array == UHI_STORE_SQUARES ? UH_COMBINE_ADD_F64
                                                                                   : UH_COMBINE_ADD;
    for (size_t from = 0; from < slots; from += block) {
        const size_t n = slots - from < block ? slots - from : block;
        uhi_store_read_words(all->sum->store, array, layout, from, n, all->words);
        UHI_TRY(exchange->combine(exchange->context, how, all->words, n * columns));
        if (exchange->receives)
            uhi_store_write_words(all->sum->store, array, layout, from, n, all->words, exchange->ranks);
    }
    return UH_SUCCESS;
}

static uh_status add_cells(struct exchanging *all) {
    const uh_exchange *exchange = all->exchange;
    if (all->line)
        return exchange->combine(exchange->context, UH_COMBINE_ADD, all->words, all->cells);
    if (all->sum->storage == UH_STORAGE_COUNT)
        return exchange->combine(exchange->context, UH_COMBINE_ADD, uhi_histogram_get_counts(all->sum), all->cells);
    for (enum uhi_store_array i = 0; i < UHI_STORE_ARRAYS; i++)
        if (all->layout[i].type && all->layout[i].columns > 0)
            UHI_TRY(add_array(all, i));
    return UH_SUCCESS;
}

/* Replaces the histogram's contents by the sum. Cannot fail because the room is reserved. */
static uh_status replace(struct exchanging *all) {
    uh_histogram *own = all->histogram;
    if (all->line) {
        memcpy(uhi_histogram_get_counts(own), all->words, all->cells * sizeof *all->words);
        uhi_histogram_set_numbers(own, &all->numbers);
        return UH_SUCCESS;
    }
    if (all->sum->growing)
        all->sum->numbers = all->numbers;
    else
        uhi_histogram_set_numbers(all->sum, &all->numbers);
    uh_status status = uh_histogram_reset(own);
    own->most = all->numbers.points;
    return status ? status : own->contents->merge(all->call, own, all->sum, &all->numbers);
}

uh_status uh_histogram_exchange(uh_histogram *histogram, const uh_exchange *exchange) {
    struct exchanging all = {
        .call = uhi_exchange_call(exchange, __func__), .exchange = exchange, .histogram = histogram};
    uint64_t said[1 + NUMBERS] = {0};
    UHI_TRY(uhi_exchange_check(all.call, "exchange", exchange));
    uh_status mine = histogram ? histogram->contents->fetch(all.call, histogram)
                               : uhi_fail_null(all.call, "histogram", "a histogram");
    if (!mine)
        describe(histogram, all.layout, said + 1);
    UHI_TRY(uhi_exchange_maximum(all.call, exchange, mine, said, 1 + NUMBERS));
    if (!histogram) /* never after the agreement */
        return mine;
    all.line = histogram->counts != NULL;
    uh_status status = UH_SUCCESS;
    if (take(said + 1, all.layout, &all.cells))
        status = compare(all.call, exchange, histogram);
    if (status)
        return status;
    mine = prepare(&all);
    status = add_numbers(&all, &mine);
    if (!status)
        status = uhi_exchange_agree(all.call, exchange, mine);
    if (!status)
        status = add_cells(&all);
    if (!status && exchange->receives)
        status = replace(&all);
    free(all.words);
    uh_histogram_destroy(all.sum);
    return status;
}

uh_status uh_exchange_agree(const uh_exchange *exchange, uh_status status) {
    const char *call = uhi_exchange_call(exchange, __func__);
    uh_status checked = uhi_exchange_check(call, "exchange", exchange);
    return checked ? checked : uhi_exchange_agree(call, exchange, status);
}
