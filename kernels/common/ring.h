/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers for transfers of arrays to a device and back: a ring of slots, each with one buffer per array. A slot is
 * reused when the work of its last piece has ended. */
#pragma once

#include <unihist/gpu.h>

#include "kernels/common/pace.h"
#include "kernels/common/values.h"

/* Buffer i is for input i, the last one for results. */
enum { UHI_RING_SLOTS = 3, UHI_OUT = UHI_MAX_INPUTS, UHI_RING_BUFFERS };

struct uhi_ring {
    unsigned next;
    uh_status failed;               /* first failure of its work, until cleared */
    size_t bytes[UHI_RING_BUFFERS]; /* of each slot's buffer, 0 until needed */
    uint64_t ended;                 /* end of work that the host waited for; 0: it had already ended */
    struct uhi_slot {
        struct {
            void *host;       /* read and written by the host */
            void *device;     /* used by kernels; equals `host` if memory is unified */
            uh_event *copied; /* copy between both; NULL if none is pending */
        } buffer[UHI_RING_BUFFERS];
        uh_event *done;        /* end of the launches */
        struct uhi_pace *pace; /* of their work; NULL: not recorded */
        size_t elements;       /* of that work */
        uint64_t started;      /* host time just before their submission */
        char *to;              /* destination of `to_bytes` bytes of results; 0: none pending */
        size_t to_bytes;
    } slots[UHI_RING_SLOTS];
};

struct uhi_engine;

/* Allocates buffers `which` for pieces of up to `wanted` bytes, or smaller ones if device memory is short; waits for
 * earlier work if it must replace them. UH_ERROR_OUT_OF_DEVICE_MEMORY and others. */
uh_status uhi_ring_reserve(struct uhi_engine *engine, size_t which, size_t wanted);

/* Stores a pointer to the next slot, after its work has ended and its results are stored; owned by the ring. Returns
 * the first failure of that work. */
uh_status uhi_ring_take(struct uhi_engine *engine, struct uhi_slot **slot);

/* Packs values into the slot's buffer `which`. `x` is plain host memory, reusable on return. */
uh_status uhi_ring_upload(struct uhi_engine *engine, struct uhi_slot *slot, size_t which, struct uhi_values x,
                          size_t size);

/* The same by the device, from memory that must not change until the copy has ended. Requires `engine->copy`. */
uh_status uhi_ring_send(struct uhi_engine *engine, struct uhi_slot *slot, size_t which, const void *from, size_t bytes);

/* Starts the transfer of slot->to_bytes of results from the slot's buffer to slot->to. */
uh_status uhi_ring_download(struct uhi_engine *engine, struct uhi_slot *slot);

/* Waits for all work in the ring; returns its first failure. */
uh_status uhi_ring_drain(struct uhi_engine *engine);

/* Frees the buffers, which must not be in use. */
void uhi_ring_free(struct uhi_engine *engine);
