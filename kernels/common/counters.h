/* SPDX-License-Identifier: Apache-2.0 */
/* Counters of 32 bits that gather on a device, in one table or in several private ones, and are brought to the host's
 * of 64 bits before one can overflow. */
#ifndef UHI_COUNTERS_H
#define UHI_COUNTERS_H

#include "kernels/common/pieces.h"

/* Zeroed, but for max_pending and several, it has nothing yet. */
struct uhi_counters {
    uint32_t *words;      /* on the device: `tables` tables of `count` */
    uint32_t *readback;   /* on the host: `count` */
    size_t count, tables; /* tables: a power of two */
    size_t room;          /* words that there is memory for */
    uint64_t max_pending; /* elements they may hold: 2^32 - 1, or fewer to test what happens then */
    uint64_t pending;     /* elements they hold */
    int dirty;            /* they hold what is to be forgotten; pending is 0 */
    int several;          /* a piece is counted by several launches: one may fail after another has counted */
    uint32_t *before;     /* on the device: where `several`, what the words were before a piece; NULL: not needed yet */
};

/* Has `tables` tables of `count` counters, which hold what is pending. Nothing may be pending where there were others.
 * Messages name `call`. */
uh_status uhi_counters_ready(struct uhi_counters *counters, struct uhi_engine *engine, const char *call, size_t count,
                             size_t tables);

/* Whether one piece takes all elements of a call, and the counters have room for them: then nothing has to leave the
 * device, whatever comes of it. */
int uhi_counters_take_whole(const struct uhi_counters *counters, const struct uhi_pieces *pieces);

/* Counts all pieces by `launch`, which adds 1 for each element to some counter; `length` as for uhi_pieces_each. What
 * has to make room for them is added to to[count]. On failure nothing is counted, and what was pending before is
 * pending, or has been added to `to`. */
uh_status uhi_counters_add(struct uhi_counters *counters, const struct uhi_pieces *pieces,
                           uh_status (*launch)(void *context, const struct uhi_piece *piece),
                           size_t (*length)(const void *context, size_t from, size_t n), void *context, uint64_t *to);

/* Moves what the counters hold to to[count]; waits. On failure both are as before. */
uh_status uhi_counters_read(struct uhi_counters *counters, struct uhi_engine *engine, uint64_t *to);

/* Forgets what the counters hold, and any failure of the engine's work. */
void uhi_counters_forget(struct uhi_counters *counters, struct uhi_engine *engine);

/* Frees them; nothing may use them any more. */
void uhi_counters_free(struct uhi_counters *counters);

#endif
