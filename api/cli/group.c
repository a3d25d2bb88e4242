/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/group.h"

#include <stdlib.h>
#include <string.h>

enum { PIECE = 1 << 22 };

const struct cli_group *cli_group;

size_t cli_group_rank(void) { return cli_group ? cli_group->exchange->rank : 0; }

size_t cli_group_ranks(void) { return cli_group ? cli_group->exchange->ranks : 1; }

int cli_group_is_first(void) { return cli_group_rank() == 0; }

int cli_group_agree(int result) {
    enum { FAILED, WENT_ON, NUMBERS };
    const uh_exchange *exchange = cli_group ? cli_group->exchange : NULL;
    struct cli_error first = {.text = ""};
    if (!exchange || cli_error.is_shared)
        return result;
    uint64_t numbers[NUMBERS] = {result ? exchange->ranks - exchange->rank : 0, result == 0};
    if (exchange->maximum(exchange->context, numbers, NUMBERS))
        return cli_fail_library();
    if (numbers[FAILED] == 0)
        return 0;
    const size_t rank = exchange->ranks - (size_t)numbers[FAILED];
    if (rank == exchange->rank)
        first = cli_error;
    if (exchange->broadcast(exchange->context, rank, &first, sizeof first))
        return cli_fail_library();
    /* A failure of all ranks is not attributed to one. */
    if (numbers[WENT_ON])
        cli_fail("rank %zu: %.1000s", rank, first.text);
    else
        cli_error = first;
    cli_error.usage = first.usage;
    cli_error.is_shared = 1;
    return -1;
}

#define EXCHANGE cli_group->exchange

/* Calls a function of the exchange if there are several processes and all go on. */
#define TOGETHER(call) (!cli_group ? 0 : cli_group_agree(0) ? -1 : (call) ? cli_fail_library() : 0)

int cli_group_add(uint64_t *numbers, size_t n) {
    return TOGETHER(EXCHANGE->combine(EXCHANGE->context, UH_COMBINE_ADD, numbers, n));
}

int cli_group_add_f64(uint64_t *bits, size_t n) {
    return TOGETHER(EXCHANGE->combine(EXCHANGE->context, UH_COMBINE_ADD_F64, bits, n));
}

int cli_group_largest(uint64_t *numbers, size_t n) {
    return TOGETHER(EXCHANGE->maximum(EXCHANGE->context, numbers, n));
}

int cli_group_sum(uh_histogram *histogram) { return TOGETHER(uh_histogram_exchange(histogram, EXCHANGE)); }

int cli_group_broadcast(size_t rank, void *bytes, size_t size) {
    return TOGETHER(EXCHANGE->broadcast(EXCHANGE->context, rank, bytes, size));
}

/* Returns the number of things of each process, which the caller frees; NULL with a message on failure. */
static uint64_t *count_all(uint64_t n) {
    const size_t ranks = cli_group_ranks();
    uint64_t *counts = cli_have(calloc(ranks, sizeof *counts));
    counts[cli_group_rank()] = n;
    if (cli_group_add(counts, ranks) == 0)
        return counts;
    free(counts);
    return NULL;
}

int cli_group_offset(uint64_t n, uint64_t *first, uint64_t *all) {
    uint64_t *counts = count_all(n);
    *first = *all = 0;
    for (size_t rank = 0; rank < cli_group_ranks() && counts; rank++) {
        *first += rank < cli_group_rank() ? counts[rank] : 0;
        *all += counts[rank];
    }
    free(counts);
    return counts ? 0 : -1;
}

int cli_group_collect(const void *things, size_t n, size_t size, cli_group_take take, void *context) {
    const size_t at_most = PIECE / size;
    if (!cli_group)
        return 0;
    char *piece = cli_have(malloc(PIECE));
    uint64_t *counts = count_all(n);
    int result = counts ? 0 : -1;
    for (size_t rank = 1; rank < cli_group_ranks() && result == 0; rank++)
        for (uint64_t done = 0; done < counts[rank] && result == 0; done += at_most) {
            const size_t part = counts[rank] - done < at_most ? (size_t)(counts[rank] - done) : at_most;
            if (rank == cli_group_rank())
                memcpy(piece, (const char *)things + done * size, part * size);
            result = cli_group_broadcast(rank, piece, part * size);
            if (result == 0 && cli_group_is_first())
                result = take(context, piece, part);
        }
    free(counts);
    free(piece);
    return result;
}

uint64_t cli_group_share(uint64_t n, size_t rank, size_t ranks) {
    const uint64_t parts = ranks;
    return n / parts * rank + n % parts * rank / parts; /* ranks are at most 2^30 */
}
