/* SPDX-License-Identifier: Apache-2.0 */
#define UHI_TYPE   f64
#define UHI_BITS   64
#define UHI_FLOATS 1
#include "kernels/histogram/histogram_compared.inc"
