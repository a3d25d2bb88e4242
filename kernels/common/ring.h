/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers through which arrays get to a device and back: a ring of slots, each with a buffer for every array. A slot is
 * used again when the work of its last piece has ended. */
#ifndef UHI_RING_H
#define UHI_RING_H

#include <unihist/runtime.h>

#include "kernels/common/pace.h"
#include "kernels/common/values.h"

/* The buffer of input i is number i; the results have the last. */
enum { UHI_RING_SLOTS = 3, UHI_OUT = UHI_MAX_INPUTS, UHI_RING_BUFFERS };

struct uhi_ring {
    unsigned next;
    uh_status failed;               /* first failure of the work in it; uhi_engine_settle forgets it */
    size_t bytes[UHI_RING_BUFFERS]; /* of each slot's buffer, 0 before it is needed */
    uint64_t ended;                 /* when the host saw work end that it waited for; 0: the last had ended before */
    struct uhi_slot {
        struct {
            void *host;       /* what the host reads and writes */
            void *device;     /* what the kernels do; `host` where memory is one */
            uh_event *copied; /* the way between both; NULL where nothing is under way */
        } buffer[UHI_RING_BUFFERS];
        uh_event *done;        /* the end of the launches */
        struct uhi_pace *pace; /* of their work; NULL: nobody wants to know it */
        size_t elements;       /* of it */
        uint64_t begun;        /* when, by the host's clock, they were about to be submitted */
        char *to;              /* where the results go, `to_bytes` of them; 0: nothing is to come */
        size_t to_bytes;
    } slots[UHI_RING_SLOTS];
};

struct uhi_engine;

/* Makes buffers of number `which` for pieces of up to `wanted` bytes, or smaller ones where the device has too little
 * memory for that; waits for earlier work if it has to replace them. UH_ERROR_OUT_OF_DEVICE_MEMORY and others. */
uh_status uhi_ring_reserve(struct uhi_engine *engine, size_t which, size_t wanted);

/* Lends the next slot, its earlier work ended and its results stored; returns the first failure of that work. */
uh_status uhi_ring_take(struct uhi_engine *engine, struct uhi_slot **slot);

/* Copies values side by side to the slot's buffer number `which`. `x` is plain host memory, to be reused on return. */
uh_status uhi_ring_upload(struct uhi_engine *engine, struct uhi_slot *slot, size_t which, struct uhi_values x,
                          size_t size);

/* The same, by the device alone, of memory that stays as it is until the copy has ended. Where the engine copies. */
uh_status uhi_ring_send(struct uhi_engine *engine, struct uhi_slot *slot, size_t which, const void *from, size_t bytes);

/* Begins the way of slot->to_bytes of results from the slot's buffer to slot->to. */
uh_status uhi_ring_download(struct uhi_engine *engine, struct uhi_slot *slot);

/* Waits for all work in the ring; returns its first failure. */
uh_status uhi_ring_drain(struct uhi_engine *engine);

/* Frees the buffers, which nothing uses any more. */
void uhi_ring_free(struct uhi_engine *engine);

#endif
