/* SPDX-License-Identifier: Apache-2.0 */
/* Redistributes the rows of all processes: each process gets those of one range of the order, and ranges ascend with
 * ranks, so that rows are sorted across processes. Within a process they stay in the order sent. */
#pragma once

#include "kernels/common/collective.h"

/* Maximum key words per row. */
enum { UHI_ROUTES_KEY_WORDS = 18 };

/* Rows of one process, in order. */
struct uhi_routed_rows {
    size_t count, words;
    /* Stores the key words of a row; rows ascend lexicographically. */
    void (*row)(const void *context, size_t i, uint64_t *words);
    /* Returns the worth of a row, at least 1; NULL: all equal. Processes get rows of about equal total worth. */
    uint32_t (*worth)(const void *context, size_t i);
    const void *context;
};

/* Zero it, then call uhi_routes_open; uhi_routes_free works at any stage. */
struct uhi_routes {
    struct uhi_collective *collective;
    size_t *sent, *received; /* rows to and from each process */
    size_t given, taken;     /* totals of these */
    size_t *give, *take;     /* bytes per process in a trade */
    const void **out;        /* buffers per process in a trade */
    void **in;
};

uh_status uhi_routes_open(struct uhi_routes *routes, struct uhi_collective *collective);
void uhi_routes_free(struct uhi_routes *routes);

/* Decides the destination of each row; the first rows go to rank 0. */
uh_status uhi_routes_assign(struct uhi_routes *routes, const struct uhi_routed_rows *rows);

/* Exchanges the row counts if the caller has set `sent`. */
uh_status uhi_routes_exchange_counts(struct uhi_routes *routes);

/* Send `size` bytes per row to the process that received the row, and back to its origin. */
uh_status uhi_routes_send(struct uhi_routes *routes, const void *mine, size_t size, void *theirs);
uh_status uhi_routes_return(struct uhi_routes *routes, const void *theirs, size_t size, void *mine);
