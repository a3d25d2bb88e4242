/* SPDX-License-Identifier: Apache-2.0 */
/* The processes that run one command together, each with a share of its input; only unihist-mpi has more than one. All
 * of them call the functions below in the same order. Each call first checks whether all go on; a failed process takes
 * part in one last check at its end, so that its failure becomes that of all and is reported once. */
#pragma once

#include <stdio.h>

#include <unihist/histogram.h>

#include "api/cli/error.h"

struct cli_part {
    char label[64]; /* of the work */
    uint64_t done, total;
};

/* Progress display: all processes report their own progress to the first, which shows it. */
struct cli_watch {
    FILE *terminal; /* of the first process; NULL on others */
    void *context;
    void (*report)(void *context, const struct cli_part *part); /* by others; never waits */
    struct cli_part *(*look)(void *context);                    /* by the first: last report of each, borrowed */
};

struct cli_group {
    const uh_exchange *exchange;   /* connects them; all receive the results */
    const char *device;            /* selector of this process's device if the user gives none */
    uint32_t threads;              /* threads of this process if the user gives none */
    const struct cli_watch *watch; /* or NULL */
};

/* Set by main; NULL if there is one process. */
extern const struct cli_group *cli_group;

size_t cli_group_rank(void);
size_t cli_group_ranks(void);

/* Returns whether this process prints and writes files for all. */
int cli_group_is_first(void);

/* Processes exchange the outcome of their work: `result`, 0 or -1 with a message. Returns 0 if it is 0 on all,
 * otherwise -1 with the message of the first that failed, on all. */
int cli_group_agree(int result);

/* Replace numbers by their sums over all processes (modulo 2^64; of float64, given as bits, in any order), or by their
 * maxima. */
int cli_group_add(uint64_t *numbers, size_t n);
int cli_group_add_f64(uint64_t *bits, size_t n);
int cli_group_largest(uint64_t *numbers, size_t n);

/* Replaces the histogram by the sum of all processes' histograms. */
int cli_group_sum(uh_histogram *histogram);
int cli_group_broadcast(size_t rank, void *bytes, size_t size);

/* Numbers the things of all processes, n on this one, in the order of the processes: stores the number of all, and the
 * index of this one's first. */
int cli_group_offset(uint64_t n, uint64_t *first, uint64_t *all);

/* Collects things of the other processes, n of `size` bytes each, on the first one in the order of processes; `take`
 * gets some at a time there. */
typedef int (*cli_group_take)(void *context, const void *things, size_t n);
int cli_group_collect(const void *things, size_t n, size_t size, cli_group_take take, void *context);

/* Returns the start of a process's share of n things divided in order; it ends at the start of the next. */
uint64_t cli_group_share(uint64_t n, size_t rank, size_t ranks);
