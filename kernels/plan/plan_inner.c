/* SPDX-License-Identifier: Apache-2.0 */
/* The distinct inner thresholds, which search, mesh and cdf find ranks among. */
#include "kernels/plan/plan.h"
#include "kernels/plan/types.h"

#define UHI_EACH "kernels/plan/plan_inner.inc"
#include "kernels/plan/each_type.inc"
