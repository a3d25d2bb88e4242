/* SPDX-License-Identifier: Apache-2.0 */
/* The processes that run one command together, each with a share of its input: one, but for unihist-mpi. All of them go
 * the same way and meet in the functions below. Each meeting begins with whether all go on: a process that has failed
 * meets the others once more, in the end, so that what has happened to it is what happens to all, and is told once. */
#ifndef CLI_GROUP_H
#define CLI_GROUP_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <unihist/exchange.h>

#include "api/cli/error.h"

/* How far a process has come with its part of a work. */
struct cli_part {
    char label[64]; /* the work's */
    uint64_t done, total;
};

/* Somebody looks on: what processes do by themselves is told to the first one, which shows it. */
struct cli_watch {
    FILE *terminal; /* of the first one; NULL on others */
    void *context;
    void (*tell)(void *context, const struct cli_part *part); /* by others; never waits */
    struct cli_part *(*look)(void *context);                  /* by the first one: lends what each has told last */
};

struct cli_group {
    const uh_exchange *exchange;   /* connects them; all receive */
    const char *device;            /* a selector: what this process works on where the user does not say */
    uint32_t threads;              /* and with so many */
    const struct cli_watch *watch; /* or NULL */
};

/* main sets it; NULL: there is one process. */
extern const struct cli_group *cli_group;

size_t cli_group_rank(void);
size_t cli_group_ranks(void);

/* Returns whether this process speaks for all: it prints, and writes files. */
int cli_group_is_first(void);

/* Each process tells what has come of its work: `result`, 0 or -1 with a message. Returns 0 where that is 0 for all,
 * else -1 and the message of the first that failed, on all. */
int cli_group_agree(int result, struct cli_error *error);

/* Replace numbers by the sums of all processes' (modulo 2^64; of float64, by their bits, in any order), or the largest
 * of them. 0, or -1 with a message. */
int cli_group_add(uint64_t *numbers, size_t n, struct cli_error *error);
int cli_group_add_f64(uint64_t *bits, size_t n, struct cli_error *error);
int cli_group_largest(uint64_t *numbers, size_t n, struct cli_error *error);

/* Makes of the histogram the sum of all processes' histograms. 0, or -1 with a message. */
int cli_group_sum(uh_histogram *histogram, struct cli_error *error);

/* Brings the bytes of the first process, or of another, to all. 0, or -1 with a message. */
int cli_group_tell(void *bytes, size_t size, struct cli_error *error);
int cli_group_tell_from(size_t rank, void *bytes, size_t size, struct cli_error *error);

/* Things of all processes, n of this one, stand in the order of the processes: says how many there are, and which this
 * one's first is. 0, or -1 with a message. */
int cli_group_place(uint64_t n, uint64_t *first, uint64_t *all, struct cli_error *error);

/* Brings the first process what the others have, n things of `size` bytes, in that order: `take` is given some at a
 * time there. 0, or -1 with a message. */
typedef int (*cli_group_take)(void *context, const void *things, size_t n, struct cli_error *error);
int cli_group_collect(const void *things, size_t n, size_t size, cli_group_take take, void *context,
                      struct cli_error *error);

/* Where the share of a process begins, of n things divided in order; that of the next one is its end. */
uint64_t cli_group_share(uint64_t n, size_t rank, size_t ranks);

#endif
