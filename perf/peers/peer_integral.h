/* SPDX-License-Identifier: Apache-2.0 */
/* Integrands and tasks of the peers that find integrals. */
#ifndef PERF_PEER_INTEGRAL_H
#define PERF_PEER_INTEGRAL_H

#include "perf/integral.h"
#include "perf/peers/peer.h"

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

/* The functions of a peer that integrates, for those of peer.h: the first gives NULL, or why it cannot. */
typedef const char *peer_take_function(const struct perf_integral_task *task);
typedef void peer_integrate_function(const struct perf_integral_task *task, struct perf_integral *found);
void peer_integral_use(peer_take_function *take, peer_integrate_function *run);

#endif
