/* SPDX-License-Identifier: Apache-2.0 */
#ifndef UHI_ACCUMULATE_STORE_WIDE_H
#define UHI_ACCUMULATE_STORE_WIDE_H

#include "kernels/accumulate/store_state.h"
#include "kernels/accumulate/wide.h"

/* The number in one slot. */
void uhi_planes_wide(const struct uhi_planes *planes, size_t slot, struct uhi_wide *x);

#endif
