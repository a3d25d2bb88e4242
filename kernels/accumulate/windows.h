/* SPDX-License-Identifier: Apache-2.0 */
/* Which windows a type of weights has, on the host and on devices. */
#ifndef UHI_ACCUMULATE_WINDOWS_H
#define UHI_ACCUMULATE_WINDOWS_H

#include "kernels/accumulate/tables.h"

#include <unihist/base.h>

struct uhi_window_range {
    uint32_t first, windows, digits;
};

/* By uhi_value_kind. */
extern const struct uhi_window_range uhi_sum_windows[4], uhi_square_windows[4];

/* Whether window w may hold something: used[] tells of each window whether the lowest digit of a number, which has
 * `digits` of them, has been added to it. */
static inline int uhi_window_holds(const uint8_t *used, uint32_t digits, uint32_t w) {
    for (uint32_t d = 0; d < digits && 2 * d <= w; d++)
        if (used[w - 2 * d])
            return 1;
    return 0;
}

/* Stores which kind a type is and returns 0, or returns -1 where weights cannot be of it. */
int uhi_find_kind(uh_dtype dtype, enum uhi_value_kind *kind);

#endif
