/* SPDX-License-Identifier: Apache-2.0 */
/* The descriptions by name: describe_<op> of tests/cases_<op>.c for each operation; and histograms over several axes.
 */
#ifndef TEST_DESCRIPTIONS_H
#define TEST_DESCRIPTIONS_H

#include "tests/description.h"

#define UH_OPERATION(op) extern const struct description describe_##op;
#include "kernels/registry.def"
#undef UH_OPERATION
extern const struct description describe_points;

#endif
