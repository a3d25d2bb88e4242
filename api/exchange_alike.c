/* SPDX-License-Identifier: Apache-2.0 */
/* Checks that processes have histograms of one kind. They compare hashes of the description; if these differ, rank 0
 * sends its histogram, emptied, in the saved form, and the others compare it as for a merge. */
#include "api/exchange.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unihist/save.h>

#include "api/histogram.h"
#include "runtime/status.h"

/* Indices of the numbers. A minimum is found as the maximum of differences from a constant. */
enum { HASH, NOT_HASH, CELLS, EXPONENTS };
enum { ABOVE_EXPONENTS = 1 << 20, DIGIT_BITS = 32 };

/* ---- numbers ---- */

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

void uhi_exchange_describe(const uh_histogram *histogram, struct uhi_store_layout layout[UHI_STORE_ARRAYS],
                           uint64_t numbers[UHI_EXCHANGE_NUMBERS]) {
    uint64_t *exponents = numbers + EXPONENTS;
    numbers[HASH] = hash_of(histogram);
    numbers[NOT_HASH] = ~numbers[HASH];
    numbers[CELLS] = histogram->cells;
    memset(exponents, 0, (UHI_EXCHANGE_NUMBERS - EXPONENTS) * sizeof *exponents);
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

int uhi_exchange_take(const uint64_t numbers[UHI_EXCHANGE_NUMBERS], struct uhi_store_layout layout[UHI_STORE_ARRAYS],
                      size_t *cells) {
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

uh_status uhi_exchange_compare(const char *call, const uh_exchange *exchange, uh_histogram *histogram) {
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
