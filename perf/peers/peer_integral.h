/* SPDX-License-Identifier: Apache-2.0 */
/* What a peer in C that integrates has to fill in; peer.h is of those that count or draw. perf/README.md, "Adding a
 * peer", has the protocol. */
#ifndef PERF_PEER_INTEGRAL_H
#define PERF_PEER_INTEGRAL_H

#include "perf/integral.h"

struct peer_integrator {
    const char *version;                                        /* of the library, without blanks */
    const char *how;                                            /* a few words for the report: which call it is */
    const char *(*take)(const struct perf_integral_task *task); /* NULL, or why it cannot (static) */
    void (*integrate)(const struct perf_integral_task *task, struct perf_integral *found); /* timed */
};

/* An integrand for one point at a time; it counts its calls. */
struct peer_integrand {
    const struct integrand_of f;
    double calls;
};
typedef double (*peer_integrand_function)(const double *x, struct peer_integrand *integrand);

/* That of a name, compiled for it alone. */
peer_integrand_function peer_integrand_of(enum integrand_name name);

/* Seconds of a clock that never goes back. */
double peer_integral_now(void);

/* Answers unihist-perf until it closes the connection. To be returned from main. */
int peer_integral_main(const struct peer_integrator *peer);

#endif
