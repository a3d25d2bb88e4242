/* SPDX-License-Identifier: Apache-2.0 */
/* The histogram on a device: values of every type but float64, and what comes before and after the counting. */
#include "kernels/histogram/histogram_device.inc"

#define KERNELS "kernels/histogram/histogram_count.inc"
#include "kernels/histogram/histogram_types.inc"
