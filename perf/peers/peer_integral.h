/* SPDX-License-Identifier: Apache-2.0 */
/* Integrands and tasks of the peers that integrate. */
#ifndef PERF_PEER_INTEGRAL_H
#define PERF_PEER_INTEGRAL_H

#include "perf/integral.h"

/* An integrand for one point at a time; it counts its calls. */
struct peer_integrand {
    const struct integrand_of f;
    double calls;
};
typedef double (*peer_integrand_function)(const double *x, struct peer_integrand *integrand);

/* That of a name, compiled for it alone. */
peer_integrand_function peer_integrand_of(enum integrand_name name);

/* Seconds of a clock that never goes back. */
double peer_now(void);

/* Takes "NAME DIMS CALLS ITERATIONS SKIPPED TAU SECONDS SEED". Returns 0 where it is another text. */
int peer_read_task(const char *text, struct perf_integral_task *task);

#endif
