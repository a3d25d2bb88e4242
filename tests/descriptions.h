/* SPDX-License-Identifier: Apache-2.0 */
/* The descriptions by name: describe_<op> of tests/cases_<op>.c for each operation. */
#ifndef TEST_DESCRIPTIONS_H
#define TEST_DESCRIPTIONS_H

#include "tests/description.h"

#define UH_OPERATION(op) extern const struct description describe_##op;
#include "kernels/registry.def"
#undef UH_OPERATION

#endif
