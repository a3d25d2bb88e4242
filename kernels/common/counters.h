/* SPDX-License-Identifier: Apache-2.0 */
/* 32-bit counters on a device, in one table or in several private ones, added to the host's 64-bit counters before
 * one can overflow. */
#pragma once

#include "kernels/common/pieces.h"

/* Initially zero, except max_pending and several. */
struct uhi_counters {
    uint32_t *words;      /* on the device: `tables` tables of `count` */
    uint32_t *readback;   /* on the host: `count` */
    size_t count, tables; /* tables: a power of two */
    size_t room;          /* words allocated */
    uint64_t max_pending; /* limit of `pending`: 2^32 - 1, or less in tests */
    uint64_t pending;     /* elements counted but not yet read */
    int dirty;            /* counts are invalid and must be cleared; pending is 0 */
    int several;          /* a piece takes several launches: one may fail after another has counted */
    uint32_t *before;     /* on the device: words saved before a piece if `several`; NULL until needed */
};

/* Provides `tables` tables of `count` counters and keeps pending counts. The sizes may change only while nothing is
 * pending. Messages name `call`. */
uh_status uhi_counters_ready(struct uhi_counters *counters, struct uhi_engine *engine, const char *call, size_t count,
                             size_t tables);

/* Returns 1 if one piece takes all elements of a call and the counters have room for them: then nothing has to be
 * read, even on failure. */
int uhi_counters_fit_all(const struct uhi_counters *counters, const struct uhi_pieces *pieces);

/* Counts all pieces by `launch`, which adds 1 to a counter per element; `length` as for uhi_pieces_for_each. Counts
 * read to make room are added to to[count]. On failure nothing is counted; earlier pending counts remain pending or
 * have been added to `to`. */
uh_status uhi_counters_add(struct uhi_counters *counters, const struct uhi_pieces *pieces,
                           uh_status (*launch)(void *context, const struct uhi_piece *piece),
                           size_t (*length)(const void *context, size_t from, size_t n), void *context, uint64_t *to);

/* Adds the counts to to[count] and clears them; waits. On failure both are unchanged. */
uh_status uhi_counters_read(struct uhi_counters *counters, struct uhi_engine *engine, uint64_t *to);

/* Discards pending counts and any failure of the engine's work. */
void uhi_counters_discard(struct uhi_counters *counters, struct uhi_engine *engine);

/* Frees the memory, which must not be in use. */
void uhi_counters_free(struct uhi_counters *counters);
