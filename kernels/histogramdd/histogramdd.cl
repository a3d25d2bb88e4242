/* SPDX-License-Identifier: Apache-2.0 */
/* Cells of points on a device: for coordinates of every type but float64. */
#include "kernels/histogram/histogram_device.inc"
#include "kernels/histogramdd/histogramdd.h"

#define KERNELS "kernels/histogramdd/histogramdd_cells.inc"
#include "kernels/histogram/histogram_types.inc"

