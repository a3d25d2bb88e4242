/* SPDX-License-Identifier: Apache-2.0 */
/* Points for the tests of stores, adding them on the host or on $UNIHIST_TEST_DEVICE, and what comes of it exactly. */
#ifndef TEST_ACCUMULATE_POINTS_H
#define TEST_ACCUMULATE_POINTS_H

#include <stddef.h>
#include <stdint.h>

#include "kernels/accumulate/store.h"
#include "tests/big.h"
#include "tests/fixture.h"

enum { MOST_THREADS = 8, KINDS_OF_WEIGHTS = 7 };

struct points {
    size_t n, cells;
    uint32_t *cell;
    uh_dtype dtype;
    void *w; /* NULL: none */
};

/* Of each slot. */
struct exact {
    struct big *sum, *squares;
    uint64_t *count;
};

extern uh_queue *acc_queues[MOST_THREADS + 1]; /* by their threads where the device is the host's; else only [1] */
extern int acc_on_host;
extern const uh_dtype acc_dtypes[4];

/* Finds the device and makes the queues: 0, or what the test exits with. The end destroys them: 0 or 1. */
int acc_begin(void);
int acc_end(void);

/* n points in random cells, a few outside, with room for weights. Freed by acc_points_free. */
struct points acc_points(size_t n, size_t cells, uh_dtype dtype, uint64_t *seed);
void acc_points_free(struct points *p);

/* Makes weight i of a kind from a random number: any finite bits (0), values of one size, denormals, what cancels,
 * zeros, the ends of the range of either sign, and of one. */
void acc_set_weight(struct points *p, size_t i, int kind, uint64_t r);

/* Puts the points in another order. */
void acc_shuffle(struct points *p, uint64_t *seed);

/* Adds points [from, to), by `threads` threads where they are the host's, and brings them to the store. */
void acc_add(struct uhi_store *store, const struct points *p, size_t from, size_t to, uint32_t threads);

/* A new store with all points. */
struct uhi_store *acc_store(const struct points *p, uh_storage storage, uint32_t threads);

/* What it must hold. Freed by acc_exact_free. */
struct exact acc_exact(const struct points *p);
void acc_exact_free(struct exact *e);

#endif
