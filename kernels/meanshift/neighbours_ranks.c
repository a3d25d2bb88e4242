/* SPDX-License-Identifier: Apache-2.0 */
/* Sums over neighbours, which several processes may share (exchange.h). Each has all points, and sums for a part of the
 * places, with about as many interactions as the others; sums are integers, so that all get what one process would. */
#include <stdlib.h>
#include <string.h>

#include "kernels/common/exchange.h"
#include "kernels/common/parts.h"
#include "kernels/meanshift/neighbours.h"
#include "runtime/host.h"
#include "runtime/status.h"

uh_status uhi_neighbours_agree(struct uhi_neighbours *neighbours, uh_status mine) {
    if (!neighbours->exchange || neighbours->failed_together)
        return mine;
    const uh_status status = uhi_exchange_agree(neighbours->call, neighbours->exchange, mine);
    neighbours->failed_together = status != UH_SUCCESS;
    return status;
}

uh_status uhi_neighbours_agree_to_stop(struct uhi_neighbours *neighbours, uh_status mine, int *stopped) {
    const uh_exchange *exchange = neighbours->exchange;
    uint64_t one = *stopped != 0;
    uh_status status = uhi_neighbours_agree(neighbours, mine);
    if (status || !exchange)
        return status;
    status = exchange->maximum(exchange->context, &one, 1);
    neighbours->failed_together = status != UH_SUCCESS; /* what connects them is broken */
    *stopped = one != 0;
    return status;
}

static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size) {
    enum { BLOCK = 1 << 12 };
    uint64_t words[BLOCK];
    for (size_t at = 0; at < size; at += sizeof words) {
        const size_t n = size - at < sizeof words ? size - at : sizeof words;
        words[(n - 1) / sizeof *words] = 0;
        memcpy(words, (const char *)bytes + at, n);
        hash = uhi_exchange_hash(hash, words, (n + sizeof *words - 1) / sizeof *words);
    }
    return hash;
}

uh_status uhi_neighbours_compare(struct uhi_neighbours *neighbours, const struct uhi_coordinates *points,
                                 const void *options, size_t size) {
    const uint64_t words[] = {points->count, points->dims, points->size, (uint64_t)neighbours->window.kernel};
    const double numbers[] = {neighbours->window.radius, neighbours->window.sigma, neighbours->window.radius_squared};
    const uh_exchange *exchange = neighbours->exchange;
    uint64_t hash = uhi_exchange_hash(0, words, sizeof words / sizeof *words);
    if (!exchange)
        return UH_SUCCESS;
    hash = hash_bytes(hash_bytes(hash, numbers, sizeof numbers), options, size);
    for (size_t a = 0; a < points->dims; a++)
        hash =
            hash_bytes(hash, (const char *)points->x + a * points->stride * points->size, points->count * points->size);
    uint64_t said[] = {hash, ~hash};
    const uh_status status = exchange->maximum(exchange->context, said, 2);
    if (status || said[0] == ~said[1])
        return status;
    neighbours->failed_together = 1;
    return uhi_fail(UH_ERROR_INCOMPATIBLE, neighbours->call, NULL,
                    "points or options differ between processes, expected the same on all");
}

/* Has each process sum for a part of the places, and brings the sums to all. */
static uh_status sum_together(struct uhi_neighbours *neighbours, int *stopped) {
    const uh_exchange *exchange = neighbours->exchange;
    const size_t all = (size_t)neighbours->interactions, places = neighbours->order.count,
                 words = places * (neighbours->summing.dims + 1);
    const size_t from = uhi_neighbours_place(neighbours, uhi_part_start(all, exchange->ranks, exchange->rank)),
                 to = exchange->rank + 1 == exchange->ranks
                          ? places
                          : uhi_neighbours_place(neighbours, uhi_part_start(all, exchange->ranks, exchange->rank + 1));
    memset(neighbours->sums, 0, words * sizeof *neighbours->sums);
    uh_status status = from < to ? uhi_neighbours_sum_places(neighbours, from, to, stopped) : UH_SUCCESS;
    status = uhi_neighbours_agree_to_stop(neighbours, status, stopped);
    if (status || *stopped)
        return status;
    status = exchange->combine(exchange->context, UH_COMBINE_ADD, (uint64_t *)neighbours->sums, words);
    neighbours->failed_together = status != UH_SUCCESS;
    return status;
}

uh_status uhi_neighbours_sum(struct uhi_neighbours *neighbours, const struct uhi_coordinates *places, int *stopped) {
    uh_status status = uhi_neighbours_agree(neighbours, uhi_neighbours_find(neighbours, places));
    if (status)
        return status;
    const uint64_t begin = uhi_host_now();
    status = neighbours->exchange ? sum_together(neighbours, stopped)
                                  : uhi_neighbours_sum_places(neighbours, 0, neighbours->order.count, stopped);
    neighbours->kernel_ns = uhi_host_now() - begin;
    return status;
}
