/* SPDX-License-Identifier: Apache-2.0 */
/* The windows of each weight type, on the host and on devices. */
#ifndef UHI_ACCUMULATE_WINDOWS_H
#define UHI_ACCUMULATE_WINDOWS_H

#include "kernels/accumulate/tables.h"

#include <unihist/base.h>

struct uhi_window_range {
    uint32_t first, windows, digits;
};

/* Indexed by uhi_value_kind. */
extern const struct uhi_window_range uhi_sum_windows[4], uhi_square_windows[4];

/* Returns whether window w may be nonzero: used[] tells per window whether the lowest digit of a number, which has
 * `digits` of them, was added to it. */
static inline int uhi_window_holds(const uint8_t *used, uint32_t digits, uint32_t w) {
    for (uint32_t d = 0; d < digits && 2 * d <= w; d++)
        if (used[w - 2 * d])
            return 1;
    return 0;
}

/* Stores the kind of a type and returns 0; returns -1 if it is not a weight type. */
int uhi_find_kind(uh_dtype dtype, enum uhi_value_kind *kind);

#endif
