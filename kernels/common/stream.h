/* SPDX-License-Identifier: Apache-2.0 */
/* How values get to a device in pieces, copying and computing at the same time: a ring of buffers. A buffer is written
 * again when the work that reads it has ended. One for each array that is fed. */
#ifndef UHI_STREAM_H
#define UHI_STREAM_H

#include "kernels/common/engine.h"
#include "kernels/common/values.h"

enum { UHI_STREAM_SLOTS = 3 };

struct uhi_stream {
    struct uhi_engine *engine; /* whose queues copy and compute; not the stream's */
    size_t bytes;              /* of each buffer, 0 before the first is needed */
    unsigned next;
    uh_status failed; /* first failure of work in the ring; the owner clears it */
    struct uhi_stream_slot {
        void *host;       /* what the host fills */
        void *device;     /* what the kernels read; `host` where memory is one */
        uh_event *copied; /* NULL where nothing is under way */
        uh_event *used;
    } slots[UHI_STREAM_SLOTS];
};

/* Makes buffers for pieces of up to `wanted` bytes, or smaller ones where the device has too little memory for that;
 * waits for earlier work if it has to replace the buffers. UH_ERROR_OUT_OF_DEVICE_MEMORY and others. */
uh_status uhi_stream_reserve(struct uhi_stream *stream, size_t wanted);

/* Lends the next place in the ring, its earlier work ended; returns the first failure of that work. */
uh_status uhi_stream_take(struct uhi_stream *stream, struct uhi_stream_slot **slot);

/* Copies values to the slot's device buffer, side by side. `x.first` is plain host memory and may be reused on return.
 * The work that reads the buffer waits for slot->copied, unless it is NULL. */
uh_status uhi_stream_upload(struct uhi_stream *stream, struct uhi_stream_slot *slot, struct uhi_values x, size_t size);

/* Waits for all work in the ring; returns its first failure. */
uh_status uhi_stream_drain(struct uhi_stream *stream);

/* Waits until nothing uses the buffers, whatever the work ended with, and forgets its failure. */
void uhi_stream_settle(struct uhi_stream *stream);

/* Waits and frees the buffers. A zeroed stream may be freed. */
void uhi_stream_free(struct uhi_stream *stream);

#endif
