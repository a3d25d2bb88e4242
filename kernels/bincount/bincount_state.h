/* SPDX-License-Identifier: Apache-2.0 */
/* What counting integers keeps on a device, between the files that work on it. */
#ifndef UHI_BINCOUNT_STATE_H
#define UHI_BINCOUNT_STATE_H

#include "kernels/bincount/bincount_device.h"
#include "kernels/common/feed.h"

/* Bins are numbers of 32 bits on a device, and so are the places of all its tables together. */
#define UHI_BINCOUNT_MOST_BINS ((uint64_t)1 << 31)

struct uhi_bincount_device {
    struct uhi_engine engine;
    struct uhi_stream stream;  /* of the values */
    struct uhi_stream weights; /* and of their weights */
    uint64_t most;             /* values that the counters may hold */
    uint32_t *words;           /* on the device, `room` of them; where there are counts or cells, the first one tells
                                  whether a value was beyond the bins */
    size_t room;
};

/* Lends the kernel `what`_`type`. */
uh_status uhi_bincount_state_kernel(struct uhi_bincount_device *state, const char *what, const char *type,
                                    uh_kernel **kernel);

/* The suffix of the kernels for integers of a type's width. */
const char *uhi_bincount_width_name(uh_dtype dtype);

/* Makes state->words at least `words` long; the first `clear` of them are zero then. */
uh_status uhi_bincount_state_words(struct uhi_bincount_device *state, size_t words, size_t clear);

/* Copies from the device, after all that was submitted, and waits. */
uh_status uhi_bincount_state_fetch(struct uhi_bincount_device *state, void *to, const void *from, size_t bytes);

/* Finds out how n values get to the kernels, in pieces of `most` at the most. */
uh_status uhi_bincount_state_feed(struct uhi_bincount_device *state, const char *call, uh_dtype dtype, const void *x,
                                  size_t n, size_t most, struct uhi_feed *feed);

/* How many values the piece has that begins at number `from`. */
static inline size_t uhi_bincount_piece_length(const struct uhi_feed *feed, size_t from) {
    return feed->x.n - from < feed->most ? feed->x.n - from : feed->most;
}

/* Makes `n` values from number `from` on ready at *values, for work that waits for (*slot)->copied. */
uh_status uhi_bincount_state_piece(const struct uhi_feed *feed, size_t from, size_t n, struct uhi_stream_slot **slot,
                                   const void **values);

/* Ends what has been begun, whatever it ended with. */
void uhi_bincount_state_settle(struct uhi_bincount_device *state);

/* Says what is wrong with the first value above `most`, wherever the values are; UH_SUCCESS where there is none. */
uh_status uhi_bincount_state_refuse(const char *call, struct uhi_bincount_device *state,
                                    struct uhi_bincount_limit limit, uint64_t most, uh_dtype dtype, const void *x,
                                    size_t n);

#endif
