/* SPDX-License-Identifier: Apache-2.0 */
/* How the parts of a combined device's queue share the elements of one call. Each part takes the next piece when it has
 * done the one before, on a host thread of its own; how long its pieces are follows from how fast it has been, and they
 * become shorter towards the end, so that all end together (guided self-scheduling: C. D. Polychronopoulos and
 * D. J. Kuck, IEEE Transactions on Computers C-36, 1987; here weighted by speed).
 *
 * An operation has an object of its own on each part's queue. Its function for a piece returns when the piece is done
 * and what came of it is on the host: what a part has done is never lost with it. A part that fails gives the piece
 * back and takes no more in this call, and where its device is lost, in none; the others do what is left. So a call
 * fails where an argument is at fault, or where every part has failed: with the first failure.
 *
 * What each part has done is kept with its queue (uh_queue_get_share), failures are logged. */
#ifndef UHI_SHARES_H
#define UHI_SHARES_H

#include <unihist/runtime.h>

/* The largest number of parts. */
enum { UHI_MAX_SHARES = 32 };

/* How fast parts were lately, in elements a second; 0: not known. Zeros to begin with; an object may keep
 * it from one call to the next. */
struct uhi_speeds {
    double of[UHI_MAX_SHARES];
};

/* Arrays that a call reads and writes: a part to which one is out of reach takes none of the work. */
enum { UHI_SHARE_ARRAYS = 10 };

struct uhi_share {
    const char *call; /* for messages */
    uh_queue *queue;  /* of a combined device */
    size_t n, least;  /* elements; a piece has so many at least, and fewer only at the end */
    const void *array[UHI_SHARE_ARRAYS];
    size_t narrays;
    /* Does elements [from, from + n) on part number `part`. On failure nothing of the piece may have been kept. Several
     * threads call it at once, each for a part of its own. */
    uh_status (*piece)(void *context, size_t part, size_t from, size_t n);
    /* Optional: is told by the thread that called, after pieces, how many elements are done; not 0 ends the work, which
     * is not whole then. */
    int (*progress)(void *context, size_t done);
    void *context;
};

/* Does all elements, after the queue's earlier work. `speeds` is read and written. */
uh_status uhi_share_out(const struct uhi_share *share, struct uhi_speeds *speeds);

/* Writes among which devices a queue's work is divided, for people: those of a combined one's parts that are not lost;
 * for others "". At most `size` bytes with the terminating 0, as snprintf; returns the length of the whole. */
size_t uhi_share_text(const uh_queue *queue, char *text, size_t size);

/* Whether the queue is a combined device's, so that work on it is shared. */
int uhi_is_shared(const uh_queue *queue);

#endif
