/* SPDX-License-Identifier: Apache-2.0 */
/* Values of several processes. */
#include <stdlib.h>
#include <string.h>

#include "api/bins_values.h"
#include "kernels/common/collective.h"
#include "runtime/status.h"

/* What a process sends before its keys, then their counts or sums. */
enum {
    SENT_OFFERED,
    SENT_N,
    SENT_BEYOND,
    SENT_NAN,
    SENT_WHOLE,
    SENT_LOWEST,
    SENT_HIGHEST,
    SENT_JOINED,
    SENT_SUMS,
    SENT_KEYS,
    SENT_WEIGHT,
    SENT_SQUARES = SENT_WEIGHT + 3,
    SENT_WORDS = SENT_SQUARES + 3
};
enum { SUM_WORDS = sizeof(struct uhi_wide_sum) / sizeof(uint64_t) };

static size_t words_per_key(int sums) { return 1 + (sums ? (size_t)SUM_WORDS : 1); }

/* Returns the words to send, NULL without memory. */
static uint64_t *words_of(const uh_bins *bins, const struct uhi_keys *keys, size_t *n) {
    const uint64_t head[SENT_WEIGHT] = {bins->refining ? bins->seen : bins->offered,
                                        bins->n,
                                        bins->beyond,
                                        bins->nan,
                                        bins->whole,
                                        bins->lowest,
                                        bins->highest,
                                        keys->joined,
                                        keys->sum != NULL,
                                        keys->n};
    *n = SENT_WORDS + keys->n * words_per_key(keys->sum != NULL);
    uint64_t *words = malloc(*n * sizeof *words);
    if (!words)
        return NULL;
    memcpy(words, head, sizeof head);
    memcpy(words + SENT_WEIGHT, &bins->sum, sizeof bins->sum);
    memcpy(words + SENT_SQUARES, &bins->squares, sizeof bins->squares);
    if (keys->n > 0) {
        memcpy(words + SENT_WORDS, keys->key, keys->n * sizeof *keys->key);
        if (keys->sum)
            memcpy(words + SENT_WORDS + keys->n, keys->sum, keys->n * sizeof *keys->sum);
        else
            memcpy(words + SENT_WORDS + keys->n, keys->count, keys->n * sizeof *keys->count);
    }
    return words;
}

/* Adds what the other processes have sent, in the order of ranks. */
static uh_status take_all(const char *call, uh_bins *bins, size_t rank, uint64_t *words, size_t n) {
    for (size_t at = 0, process = 0; at < n; process++) {
        uint64_t *const sent = words + at, *const key = sent + SENT_WORDS;
        const size_t keys = sent[SENT_KEYS];
        const int sums = sent[SENT_SUMS] != 0;
        struct uh_bins from = {.n = sent[SENT_N],
                               .offered = sent[SENT_OFFERED],
                               .seen = sent[SENT_OFFERED],
                               .beyond = sent[SENT_BEYOND],
                               .nan = sent[SENT_NAN],
                               .whole = sent[SENT_WHOLE],
                               .lowest = sent[SENT_LOWEST],
                               .highest = sent[SENT_HIGHEST]};
        struct uhi_keys *const made = bins->refining ? &from.fine : &from.keys;
        memcpy(&from.sum, sent + SENT_WEIGHT, sizeof from.sum);
        memcpy(&from.squares, sent + SENT_SQUARES, sizeof from.squares);
        *made = (struct uhi_keys){.n = keys,
                                  .joined = (unsigned)sent[SENT_JOINED],
                                  .key = key,
                                  .count = sums ? NULL : key + keys,
                                  .sum = sums ? (struct uhi_wide_sum *)(void *)(key + keys) : NULL,
                                  .weighted = sums};
        if (process != rank)
            UHI_TRY(uhi_bins_join(call, bins, &from));
        at += SENT_WORDS + keys * words_per_key(sums);
    }
    return UH_SUCCESS;
}

uh_status uh_bins_exchange(uh_bins *bins, const uh_exchange *exchange) {
    struct uhi_collective all = {.call = uhi_exchange_call(exchange, __func__), .exchange = exchange};
    uint64_t options[5] = {0}, *words = NULL, *received = NULL;
    size_t sent = 0, n = 0;
    UHI_TRY(uhi_exchange_check(all.call, "exchange", exchange));
    uh_status status =
        bins ? uhi_bins_check_unrefined(all.call, bins) : uhi_fail_null(all.call, "bins", "bins to add to");
    if (!exchange->receives)
        status = uhi_fail_argument(all.call, "exchange->receives", "is 0, expected that all receive");
    if (bins) {
        struct uhi_keys *const keys = bins->refining ? &bins->fine : &bins->keys;
        status = status ? status : uhi_keys_sort(all.call, keys);
        words = words_of(bins, keys, &sent);
        memcpy(options, bins->range, sizeof bins->range);
        options[2] = bins->options.max_values;
        options[3] = (uint64_t)bins->ranged;
        options[4] = (uint64_t)bins->refining;
    }
    if (!status && !words)
        status = uhi_fail_memory(all.call, "no memory to send %zu words", sent);
    status = uhi_collective_compare(&all, status, options, 5, "ranges, max_values or passes differ between processes");
    if (!status && words)
        status = uhi_collective_gather(&all, words, sent, &received, &n);
    if (!status && received)
        status = take_all(all.call, bins, exchange->rank, received, n);
    free(words);
    free(received);
    return uhi_collective_agree(&all, status);
}
