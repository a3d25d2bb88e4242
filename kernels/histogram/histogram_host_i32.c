/* SPDX-License-Identifier: Apache-2.0 */
#define UHI_TYPE   i32
#define UHI_BITS   32
#define UHI_FLOATS 0
#include "kernels/histogram/histogram_compared.inc"
