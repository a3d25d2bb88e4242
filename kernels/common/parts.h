/* SPDX-License-Identifier: Apache-2.0 */
/* How the host's threads share n values: each takes a part of them, from its start to that of the next. */
#ifndef UHI_PARTS_H
#define UHI_PARTS_H

#include "runtime/host.h"

/* Elements of a thread between two looks at whether the queue is cancelled: some milliseconds, where one takes one to
 * ten nanoseconds. */
enum { UHI_HOST_PIECE = 1 << 21 };

/* How many parts are worth a thread each, where one is for `each` values. At least 1, at most uhi_host_threads. */
static inline size_t uhi_parts_for(const uh_queue *queue, size_t n, size_t each) {
    const size_t worth = n / each;
    if (worth <= 1)
        return 1;
    const size_t threads = uhi_host_threads(queue);
    return worth < threads ? worth : threads;
}

/* Where part number `part` of n values begins; part number `parts` begins at n. */
static inline size_t uhi_part_start(size_t n, size_t parts, size_t part) {
    const size_t each = n / parts, rest = n % parts;
    return part * each + (part < rest ? part : rest);
}

#endif
