/* SPDX-License-Identifier: Apache-2.0 */
/* The integrands of the m-CUBES paper by vectors, compiled once for each x86-64 level. */
#ifndef PERF_INTEGRANDS_H
#define PERF_INTEGRANDS_H

#include "tests/integrands.h"

extern const uh_integrand_function perf_integrands_v2[INTEGRAND_NAMES], perf_integrands_v3[INTEGRAND_NAMES],
    perf_integrands_v4[INTEGRAND_NAMES];

#endif
