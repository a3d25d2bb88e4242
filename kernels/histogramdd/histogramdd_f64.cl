/* SPDX-License-Identifier: Apache-2.0 */
/* Cells of points on a device with double: for float64 coordinates, and the paper's mesh over integers. */
#include "kernels/histogram/histogram_device.inc"
#include "kernels/histogramdd/histogramdd.h"

#define KERNELS "kernels/histogramdd/histogramdd_cells.inc"
#include "kernels/histogram/histogram_types_f64.inc"
