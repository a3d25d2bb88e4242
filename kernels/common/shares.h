/* SPDX-License-Identifier: Apache-2.0 */
/* Division of one call's elements among the parts of a combined device's queue. Each part takes the next piece after
 * finishing one, on its own host thread. The length of its pieces depends on its speed and decreases towards the
 * end, so that all finish together (guided self-scheduling: C. D. Polychronopoulos and D. J. Kuck, IEEE Transactions
 * on Computers C-36, 1987; here weighted by speed).
 *
 * An operation has one object per part's queue. Its function for a piece returns when the piece is done and its
 * results are on the host: finished work is never lost with a part. A part that fails returns its piece and takes no
 * more in this call, and in no call if its device is lost; the others do the rest. So a call fails only if an
 * argument is at fault, or if every part has failed: with the first failure.
 *
 * The work of each part is recorded in its queue (uh_queue_get_share); failures are logged. */
#pragma once

#include <unihist/device.h>

/* Maximum number of parts. */
enum { UHI_MAX_SHARES = 32 };

/* Recent speeds of parts, in elements per second; 0: unknown. Initially zero; an object may keep it between calls. */
struct uhi_speeds {
    double of[UHI_MAX_SHARES];
};

/* Maximum number of arrays of a call: a part that cannot access one of them takes no work. */
enum { UHI_SHARE_ARRAYS = 10 };

struct uhi_share {
    const char *call;    /* for messages */
    uh_queue *queue;     /* of a combined device */
    size_t n, min_piece; /* elements; minimum per piece, except at the end */
    const void *array[UHI_SHARE_ARRAYS];
    size_t narrays;
    /* Does elements [from, from + n) on part `part`. On failure it must keep nothing of the piece. Called by several
     * threads at once, each for a different part. */
    uh_status (*piece)(void *context, size_t part, size_t from, size_t n);
    /* Optional: called by the calling thread between pieces with the number of elements done; a non-zero return
     * stops the work, which is then incomplete. */
    int (*progress)(void *context, size_t done);
    void *context;
};

/* Does all elements after the queue's earlier work. Reads and updates `speeds`. */
uh_status uhi_share_out(const struct uhi_share *share, struct uhi_speeds *speeds);

/* Writes the devices that share a queue's work, for people: those of a combined device's parts that are not lost; ""
 * for other queues. At most `size` bytes with the terminating 0, as snprintf; returns the full length. */
size_t uhi_share_text(const uh_queue *queue, char *text, size_t size);

/* Returns 1 if the queue belongs to a combined device, so that work on it is shared. */
int uhi_is_shared(const uh_queue *queue);
