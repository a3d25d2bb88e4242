/* SPDX-License-Identifier: Apache-2.0 */
/* An array on its way to the kernels: read in place, packed on the device, or copied from the host in pieces. Several
 * arrays are fed side by side, each with a stream of its own. */
#ifndef UHI_FEED_H
#define UHI_FEED_H

#include "kernels/common/engine.h"
#include "kernels/common/stream.h"
#include "kernels/common/values.h"

struct uhi_feed {
    struct uhi_engine *engine;
    struct uhi_stream *stream;
    struct uhi_values x;
    size_t size;          /* of a value */
    enum uhi_place place; /* of x */
    int direct;           /* the kernels read x itself */
    size_t most;          /* values of one piece */
};

/* Finds out how values of `size` bytes get to the kernels of the stream's engine in pieces of `most` at the most, and
 * makes buffers for that. Messages name `call` and `argument`. The engine's program has the kernel of pack.inc. */
uh_status uhi_feed_open(struct uhi_stream *stream, const char *call, const char *argument, struct uhi_values x,
                        size_t size, size_t most, struct uhi_feed *feed);

/* Makes `n` values from number `from` on ready in *values, for work that waits for slot->copied. */
uh_status uhi_feed_piece(const struct uhi_feed *feed, size_t from, size_t n, struct uhi_stream_slot *slot,
                         const void **values);

#endif
