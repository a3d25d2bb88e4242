/* SPDX-License-Identifier: Apache-2.0 */
/* The distinct inner thresholds, which a map's cells are filled with. */
#include "kernels/histogram/plan.h"
#include "kernels/histogram/types.h"

#define UHI_EACH "kernels/histogram/plan_inner.inc"
#include "kernels/histogram/each_type.inc"
