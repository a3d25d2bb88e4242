/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/descriptions.h"

const struct description *const descriptions[] = {
#define UH_OPERATION(op) &describe_##op,
#include "kernels/registry.def"
#undef UH_OPERATION
    &describe_points, NULL};
