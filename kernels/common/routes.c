/* SPDX-License-Identifier: Apache-2.0 */
/* Ranges are found by sample sort (W. D. Frazer and A. C. McKellar 1970, doi:10.1145/321592.321600): each process
 * shares SAMPLES of its rows at equal distances of worth, and all compute the same division from them. */
#include "kernels/common/collective.h"

#include <stdlib.h>

#include "kernels/common/values.h"
#include "runtime/status.h"

enum { SAMPLES = 128 };

uh_status uhi_routes_open(struct uhi_routes *routes, struct uhi_collective *collective) {
    const size_t ranks = uhi_collective_ranks(collective);
    routes->collective = collective;
    routes->sent = calloc(4 * ranks, sizeof *routes->sent);
    routes->out = calloc(ranks, sizeof *routes->out);
    routes->in = calloc(ranks, sizeof *routes->in);
    if (!routes->sent || !routes->out || !routes->in)
        return uhi_fail_memory(collective->call, "no memory for the shares of %zu processes", ranks);
    routes->received = routes->sent + ranks;
    routes->give = routes->received + ranks;
    routes->take = routes->give + ranks;
    return UH_SUCCESS;
}

void uhi_routes_free(struct uhi_routes *routes) {
    free(routes->sent);
    free(routes->out);
    free(routes->in);
}

/* ---- samples ----------------------------------------------------------------------------------------------------- */

/* Words per sample: its worth, the number of key words, and the key words of a row. */
static size_t width_of(const struct uhi_routed_rows *rows) { return 2 + rows->words; }

static int compare_words(const uint64_t *a, const uint64_t *b, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return 0;
}

static int compare_samples(const void *a, const void *b) {
    const uint64_t *x = a, *y = b;
    return compare_words(x + 2, y + 2, (size_t)x[1]);
}

static uint64_t worth_of(const struct uhi_routed_rows *rows, size_t i) {
    return rows->worth ? rows->worth(rows->context, i) : 1;
}

/* Divides the total worth of the rows into SAMPLES parts and stores the middle row of each; returns their number. */
static size_t take_samples(const struct uhi_routed_rows *rows, uint64_t *samples) {
    uint64_t all = 0, before = 0;
    size_t taken = 0;
    for (size_t i = 0; i < rows->count; i++)
        all += worth_of(rows, i);
    const uint64_t each = all / SAMPLES + 1;
    for (size_t i = 0; i < rows->count; i++) {
        before += worth_of(rows, i);
        for (; taken * each + each / 2 < before && taken < SAMPLES; taken++) {
            uint64_t *sample = samples + taken * width_of(rows);
            sample[0] = each;
            sample[1] = rows->words;
            rows->row(rows->context, i, sample + 2);
        }
    }
    return taken;
}

/* Returns the first row not before a sample. */
static size_t find_row(const struct uhi_routed_rows *rows, const uint64_t *sample) {
    uint64_t words[UHI_ROUTES_KEY_WORDS];
    size_t first = 0, last = rows->count;
    while (first < last) {
        const size_t middle = first + (last - first) / 2;
        rows->row(rows->context, middle, words);
        if (compare_words(words, sample + 2, rows->words) < 0)
            first = middle + 1;
        else
            last = middle;
    }
    return first;
}

/* Divides this process's rows by the sorted samples of all. */
static void divide_rows(struct uhi_routes *routes, const struct uhi_routed_rows *rows, const uint64_t *samples,
                        size_t n) {
    const size_t ranks = uhi_collective_ranks(routes->collective), width = width_of(rows);
    uint64_t all = 0, before = 0;
    size_t from = 0, sample = 0;
    for (size_t i = 0; i < n; i++)
        all += samples[i * width];
    for (size_t r = 0; r < ranks; r++) {
        const uint64_t end = uhi_part_start(all, ranks, r + 1);
        while (sample < n && before + samples[sample * width] / 2 < end)
            before += samples[sample++ * width];
        const size_t to = r + 1 < ranks && sample < n ? find_row(rows, samples + sample * width) : rows->count;
        routes->sent[r] = to - from;
        from = to;
    }
}

uh_status uhi_routes_exchange_counts(struct uhi_routes *routes) {
    const size_t ranks = uhi_collective_ranks(routes->collective);
    for (size_t r = 0; r < ranks; r++) {
        routes->out[r] = &routes->sent[r];
        routes->in[r] = &routes->received[r];
        routes->give[r] = sizeof *routes->sent;
    }
    const uh_status status =
        uhi_collective_trade(routes->collective, routes->out, routes->give, routes->in, routes->give);
    routes->given = routes->taken = 0;
    for (size_t r = 0; r < ranks && !status; r++) {
        routes->given += routes->sent[r];
        routes->taken += routes->received[r];
    }
    return status;
}

uh_status uhi_routes_assign(struct uhi_routes *routes, const struct uhi_routed_rows *rows) {
    struct uhi_collective *collective = routes->collective;
    const size_t width = width_of(rows);
    uint64_t samples[SAMPLES * (2 + UHI_ROUTES_KEY_WORDS)], *all = NULL;
    size_t total = 0;
    uh_status status = uhi_collective_gather(collective, samples, take_samples(rows, samples) * width, &all, &total);
    if (!status && all) {
        qsort(all, total / width, width * sizeof *all, compare_samples);
        divide_rows(routes, rows, all, total / width);
        status = uhi_routes_exchange_counts(routes);
    }
    free(all);
    return status;
}

/* ---- row data ---------------------------------------------------------------------------------------------------- */

static uh_status move_rows(struct uhi_routes *routes, const char *from, const size_t *sent, char *to,
                           const size_t *received, size_t size) {
    for (size_t r = 0; r < uhi_collective_ranks(routes->collective); r++) {
        routes->out[r] = from;
        routes->in[r] = to;
        from += routes->give[r] = sent[r] * size;
        to += routes->take[r] = received[r] * size;
    }
    return uhi_collective_trade(routes->collective, routes->out, routes->give, routes->in, routes->take);
}

uh_status uhi_routes_send(struct uhi_routes *routes, const void *mine, size_t size, void *theirs) {
    return move_rows(routes, mine, routes->sent, theirs, routes->received, size);
}

uh_status uhi_routes_return(struct uhi_routes *routes, const void *theirs, size_t size, void *mine) {
    return move_rows(routes, theirs, routes->received, mine, routes->sent, size);
}
