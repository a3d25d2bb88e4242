/* SPDX-License-Identifier: Apache-2.0 */
/* Values that are tried on an axis. */
#ifndef TEST_CASES_VALUES_H
#define TEST_CASES_VALUES_H

#include "tests/oracle.h"

/* How many values case_values_fill writes at least, so that all edges (of an axis of many bins, some) and their
 * neighbours and the type's special values are among them. */
size_t case_values_least(const struct oracle_axis *axis);

/* Writes `n` values of `dtype`: the edges and the values next to them; zeros, infinities, NaN of both signs and with
 * payloads, denormals, the type's ends; then random ones: in the bins, in and around the range, near the edges, and
 * random bits. */
void case_values_fill(const struct oracle_axis *axis, uh_dtype dtype, uint64_t seed, char *to, size_t n);

#endif
