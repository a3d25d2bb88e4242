/* SPDX-License-Identifier: Apache-2.0 */
/* The arrays of a call on their way to a device's kernels and back, in pieces: read and written in place where the
 * kernels can, packed on the device where values are strided, else copied through a ring of buffers, so that copying
 * and computing go on at the same time. Of large arrays in plain host memory the driver is told for the stage
 * (uhi_engine_import): the device then reads them in place, or copies them itself.
 *
 *     status = uhi_pieces_open(&pieces, engine, call, operands, max);
 *     if (!status)
 *         status = uhi_pieces_each(&pieces, launch, context);
 *     status = uhi_pieces_finish(&pieces, status);
 */
#ifndef UHI_PIECES_H
#define UHI_PIECES_H

#include "kernels/common/engine.h"
#include "kernels/common/ring.h"

/* One piece, for the launches that read and write it. */
struct uhi_piece {
    size_t from, n;
    const void *in[UHI_MAX_INPUTS];  /* where the kernels read the values of each input, side by side */
    uh_event *ready[UHI_MAX_INPUTS]; /* what a launch that reads them comes after; NULL: nothing */
    void *out;                       /* where they write the results; NULL where there are none */
    uh_event **done;                 /* the last launch stores its event here */
    struct uhi_slot *slot;
};

/* How one array goes. */
struct uhi_way {
    enum uhi_place place;
    int direct;   /* the kernels use the array itself */
    int imported; /* the device copies it from where it is */
};

/* One call's. */
struct uhi_pieces {
    struct uhi_engine *engine;
    const char *call;
    const struct uhi_operands *operands;
    struct uhi_way in[UHI_MAX_INPUTS], out;
    size_t max; /* elements of a piece, by its buffers and its operation */
    struct uhi_pace *pace;
    double worst_ns; /* of an element */
};

/* Finds out how the arrays go, and makes the buffers for it: pieces are of `max` elements, or fewer where the device
 * has little memory, or would be at work on one for too long (pace.h). Waits for nothing but buffers that it replaces.
 * The engine's programs have the kernel `pack`. */
uh_status uhi_pieces_open(struct uhi_pieces *pieces, struct uhi_engine *engine, const char *call,
                          const struct uhi_operands *operands, size_t max);

/* Whether the caller may write to an array that the kernels read in place, as soon as the call returns. */
int uhi_pieces_shared(const struct uhi_pieces *pieces);

/* How many elements from number `from` on the next piece has. */
size_t uhi_pieces_length(const struct uhi_pieces *pieces, size_t from);

/* Makes elements [from, from + n) ready, n <= uhi_pieces_length; uhi_pieces_end, which begins the results' way back,
 * follows when the launches are submitted, before UHI_RING_SLOTS - 1 further pieces are begun. UH_ERROR_CANCELLED where
 * the queue is asked to end. */
uh_status uhi_pieces_begin(const struct uhi_pieces *pieces, size_t from, size_t n, struct uhi_piece *piece);
uh_status uhi_pieces_end(const struct uhi_pieces *pieces, const struct uhi_piece *piece);

/* Begins, launches and ends all pieces, so that the results of one come back while the next is at work. `length`, where
 * it is not NULL, tells how many of n elements from number `from` on one launch can take. */
uh_status uhi_pieces_each(const struct uhi_pieces *pieces,
                          uh_status (*launch)(void *context, const struct uhi_piece *piece),
                          size_t (*length)(const void *context, size_t from, size_t n), void *context);

/* With UH_SUCCESS, waits until all results are in the array, where there are any. With a failure, waits until nothing
 * uses the arrays and buffers any more. Returns the first failure. */
uh_status uhi_pieces_finish(const struct uhi_pieces *pieces, uh_status status);

#endif
