/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/toy/toy.h"

#include <string.h>

#include "runtime/status.h"

uh_status uh_toy_bits(uh_queue *queue, const uint32_t *x, size_t n, uint64_t *counts) {
    if (!queue)
        return uhi_fail_null(__func__, "queue", "a queue");
    if (!x && n > 0)
        return uhi_fail_null(__func__, "x", "values");
    if (!counts)
        return uhi_fail_null(__func__, "counts", "room for 32 counts");
    if (n > 0)
        return uhi_toy_bits(queue, __func__, x, n, counts);
    memset(counts, 0, UHI_TOY_BITS * sizeof *counts);
    return UH_SUCCESS;
}
