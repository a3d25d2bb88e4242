/* SPDX-License-Identifier: Apache-2.0 */
/* Other libraries, side by side with ours: programs in a folder, each a child with one thread that counts a copy of the
 * array, or of a part of it, or draws samples, or integrates. perf/README.md, "Adding a peer", has the protocol. */
#pragma once

#include "perf/harness.h"
#include "perf/integral.h"
#include "perf/options.h"

#include <unihist/base.h>

/* A peer works on that many values at most by default, spread over the array, because some take half a
 * minute for all of it. */
#define PERF_PEER_VALUES ((size_t)1 << 22)

struct perf_peers;

/* Starts them, on the CPUs of the calling thread, which must outlive them. Missing ones are left out; two
 * facts name those that run and those that do not. The caller destroys them, also after a failure. */
struct perf_peers *perf_peers_create(const struct perf_peer_options *options);

void perf_peers_destroy(struct perf_peers *peers);

/* Mean shift with the flat kernel from every point, until a point moves by at most a thousandth of the radius. */
struct perf_shift_task {
    size_t dims;
    double radius;
    size_t iterations;      /* at most */
    size_t clusters;        /* that there are, and */
    const uint64_t *counts; /* the points of each, most first */
    const char *cpus;       /* numbers with commas between: the peer may use all of them */
};

/* A case for them. */
struct perf_peers_case {
    uh_dtype dtype;
    const void *x;
    size_t n, k;
    const double *edges;  /* k + 1 of them; to stay until the next case */
    size_t max;           /* values that they count of those at most; 0: PERF_PEER_VALUES */
    uint32_t threads;     /* that find the right counts; 0: one */
    const float *weights; /* not NULL: they draw n samples by k weights, which stay until the next case; no x, edges */
    const struct perf_integral_task *integral; /* not NULL: they find it; to stay until the next case; no others */
    const struct perf_shift_task *shift; /* not NULL: x has n rows of coordinates; to stay as well; k is `clusters` */
};

/* Hands them a case, and says in a line of the table which of them cannot do it, and why. Returns how many can. */
size_t perf_peers_take_case(struct perf_peers *peers, const struct perf_peers_case *what);

/* Makes a subject of one of those that can, which checks its counts; its texts last as long as the peers. */
void perf_peers_at(const struct perf_peers *peers, size_t index, struct perf_subject *subject);

/* What such a subject found in its last run, right or not. */
struct perf_integral perf_peers_integral(const struct perf_subject *subject);
