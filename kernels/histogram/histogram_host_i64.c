/* SPDX-License-Identifier: Apache-2.0 */
#define UHI_TYPE   i64
#define UHI_BITS   64
#define UHI_FLOATS 0
#include "kernels/histogram/histogram_compared.inc"
