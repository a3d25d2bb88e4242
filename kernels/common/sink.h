/* SPDX-License-Identifier: Apache-2.0 */
/* Results on their way from the kernels to the caller's array: written in place where the device reaches it, else in
 * pieces to a ring of buffers. While one piece is computed, the one before is copied from the device and the one before
 * that goes to the array.
 *
 *     status = uhi_sink_open(&sink, call, "out", out, n, size, most);
 *     for (size_t from = 0, m; from < n && !status; from += m) {
 *         m = n - from < sink.most ? n - from : sink.most;
 *         status = uhi_sink_take(&sink, from, m, &slot, &to);
 *         if (!status)
 *             status = uhi_engine_run(..., to ..., &slot->used);
 *         if (!status)
 *             status = uhi_sink_send(&sink, slot);
 *     }
 *     status = uhi_sink_finish(&sink, status);
 */
#ifndef UHI_SINK_H
#define UHI_SINK_H

#include "kernels/common/stream.h"

struct uhi_sink {
    struct uhi_stream ring; /* `used` is the end of the kernel's work, `copied` that of the way back; the owner sets
                               ring.engine, zeroes the rest, and keeps the sink for further results */
    char *out;
    size_t size; /* of a result */
    size_t most; /* results of one piece */
    int direct;  /* the kernels write to `out` itself */
    struct uhi_sink_piece {
        char *to;
        size_t bytes; /* 0: nothing is to come */
    } pieces[UHI_STREAM_SLOTS];
};

/* Finds out how n results of `size` bytes get to `out` in pieces of `most` at the most, and makes buffers for that.
 * Messages name `call` and `argument`. */
uh_status uhi_sink_open(struct uhi_sink *sink, const char *call, const char *argument, void *out, size_t n, size_t size,
                        size_t most);

/* Lends a place in the ring for `n` results from number `from` on, which the kernels are to write to *to. Their launch
 * leaves its event in (*slot)->used, and uhi_sink_send follows. */
uh_status uhi_sink_take(struct uhi_sink *sink, size_t from, size_t n, struct uhi_stream_slot **slot, void **to);

/* Begins the way back of the slot's piece; waits for nothing. */
uh_status uhi_sink_send(struct uhi_sink *sink, struct uhi_stream_slot *slot);

/* With UH_SUCCESS, waits until all results are in the array. With a failure, waits until nothing writes to it or to the
 * buffers any more. Returns the first failure. */
uh_status uhi_sink_finish(struct uhi_sink *sink, uh_status status);

/* Waits and frees the buffers. A zeroed sink may be freed. */
void uhi_sink_free(struct uhi_sink *sink);

#endif
