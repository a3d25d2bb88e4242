/* SPDX-License-Identifier: Apache-2.0 */
/* What a peer's counts must be, by its own rule for values at an edge, found without the library; or, of one that draws
 * samples, may be. */
#ifndef PERF_PEERS_CHECK_H
#define PERF_PEERS_CHECK_H

#include "perf/error.h"
#include "tests/oracle_count.h"

#include <unihist/base.h>

#include <stddef.h>

/* What a peer says of itself. */
enum peer_rule {
    PEER_CLOSED,  /* the last bin has its right edge, as the library's */
    PEER_OPEN,    /* a value at the last edge is in no bin */
    PEER_ROUNDED, /* a value within a few roundings of an edge may be on its other side */
    PEER_DRAWN,   /* it draws samples: there are no edges, and the counts are as random */
    PEER_RULE_COUNT
};

/* The right counts of one case. All zero: none yet. */
struct peers_right {
    size_t k;
    const double *edges;            /* lent */
    struct oracle_counts closed;    /* by the library's rule */
    uint64_t at_last_edge;          /* values that equal it */
    struct oracle_counts low, high; /* of the same bins, all of them a little lower and higher; for PEER_ROUNDED */
    const float *weights;           /* lent; for PEER_DRAWN, which has none of the above */
    uint64_t draws;
};

/* Counts n values in k bins. The edges have to stay while anything is checked. */
int peers_right_find(struct peers_right *right, const void *x, uh_dtype dtype, size_t n, const double *edges, size_t k,
                     struct perf_error *error);

/* Counts them again, for PEER_ROUNDED. */
int peers_right_find_bounds(struct peers_right *right, const void *x, uh_dtype dtype, size_t n,
                            struct perf_error *error);

/* Sets what `draws` samples by k weights are compared with. The weights have to stay while anything is checked. */
void peers_right_draw(struct peers_right *right, const float *weights, size_t k, uint64_t draws);

/* Compares k counts. */
int peers_right_check(const struct peers_right *right, enum peer_rule rule, const uint64_t *counts,
                      struct perf_error *error);

/* Frees what it holds. */
void peers_right_free(struct peers_right *right);

#endif
