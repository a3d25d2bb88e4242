/* SPDX-License-Identifier: Apache-2.0 */
/* Transfer of a call's arrays to device kernels and back, in pieces: accessed in place if kernels can, packed on the
 * device if strided, otherwise copied through a ring of buffers, so that copying and computing overlap. Large arrays
 * in plain host memory are imported for the stage (uhi_engine_import): the device then reads them in place, or
 * copies them itself. A call is uhi_pieces_open, uhi_pieces_for_each, uhi_pieces_finish. */
#pragma once

#include "kernels/common/engine.h"
#include "kernels/common/ring.h"

/* One piece, for launches. */
struct uhi_piece {
    size_t from, n;
    const void *in[UHI_MAX_INPUTS];  /* dense values of each input, for the kernels */
    uh_event *ready[UHI_MAX_INPUTS]; /* dependency of launches that read them; NULL: none */
    void *out;                       /* results of the kernels; NULL if none */
    uh_event **done;                 /* the last launch stores its event here */
    struct uhi_slot *slot;
};

/* Transfer of one array. */
struct uhi_transfer {
    enum uhi_location place;
    int direct;   /* kernels use the array itself */
    int imported; /* the device copies from the array itself */
};

/* Transfers of one call. */
struct uhi_pieces {
    struct uhi_engine *engine;
    const char *call;
    const struct uhi_operands *operands;
    struct uhi_transfer in[UHI_MAX_INPUTS], out;
    size_t max; /* elements per piece, by its buffers and its operation */
    struct uhi_pace *pace;
    double worst_ns; /* per element */
};

/* Chooses the transfer of each array and allocates its buffers: pieces have `max` elements, or fewer if the device
 * has little memory or would be busy too long (pace.h). Waits only for buffers that it replaces. The engine's
 * programs must have the kernel `pack`. */
uh_status uhi_pieces_open(struct uhi_pieces *pieces, struct uhi_engine *engine, const char *call,
                          const struct uhi_operands *operands, size_t max);

/* Returns 1 if the device reads an array in place that the caller may overwrite as soon as the call returns. */
int uhi_pieces_shared(const struct uhi_pieces *pieces);

/* Returns the number of elements of the next piece, which starts at `from`. */
size_t uhi_pieces_length(const struct uhi_pieces *pieces, size_t from);

/* Prepares elements [from, from + n), n <= uhi_pieces_length. The download of results follows after the launches are
 * submitted and before UHI_RING_SLOTS - 1 more pieces begin. UH_ERROR_CANCELLED if the queue is cancelled. */
uh_status uhi_pieces_begin(const struct uhi_pieces *pieces, size_t from, size_t n, struct uhi_piece *piece);

/* Begins, launches and ends all pieces; the download of one overlaps with the work of the next. `length`, unless
 * NULL, returns how many of n elements from `from` on one launch can take. */
uh_status uhi_pieces_for_each(const struct uhi_pieces *pieces,
                              uh_status (*launch)(void *context, const struct uhi_piece *piece),
                              size_t (*length)(const void *context, size_t from, size_t n), void *context);

/* If `status` is UH_SUCCESS, waits until all results, if any, are in the array; otherwise until the arrays and
 * buffers are unused. Returns the first failure. */
uh_status uhi_pieces_finish(const struct uhi_pieces *pieces, uh_status status);
