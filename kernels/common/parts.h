/* SPDX-License-Identifier: Apache-2.0 */
/* Division of n values among host threads: a part extends from its start to that of the next. */
#pragma once

#include "runtime/host.h"

/* Elements per thread between two checks for cancellation: some milliseconds at 1 to 10 ns per element. */
enum { UHI_HOST_PIECE = 1 << 21 };

/* Returns the number of parts that justify a thread each, at `each` values per part. At least 1, at most
 * uhi_host_threads. */
static inline size_t uhi_parts_for(const uh_queue *queue, size_t n, size_t each) {
    const size_t worth = n / each;
    if (worth <= 1)
        return 1;
    const size_t threads = uhi_host_threads(queue);
    return worth < threads ? worth : threads;
}

/* Returns the start of part `part` of n values; part `parts` starts at n. */
static inline size_t uhi_part_start(size_t n, size_t parts, size_t part) {
    const size_t each = n / parts, rest = n % parts;
    return part * each + (part < rest ? part : rest);
}
