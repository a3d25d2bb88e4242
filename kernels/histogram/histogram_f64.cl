/* SPDX-License-Identifier: Apache-2.0 */
/* The histogram on a device with double: float64 values, and the paper's mesh over integers, whose cells are of double. */
#include "kernels/histogram/histogram_device.inc"

#define KERNELS "kernels/histogram/histogram_count.inc"
#include "kernels/histogram/histogram_types_f64.inc"
