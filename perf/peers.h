/* SPDX-License-Identifier: Apache-2.0 */
/* Other libraries' histograms, side by side with ours: programs in a folder, each a child with one thread that counts a
 * copy of the array, or of a part of it. perf/README.md, "Adding a peer", has the protocol. */
#ifndef PERF_PEERS_H
#define PERF_PEERS_H

#include "perf/harness.h"
#include "perf/options.h"
#include "perf/report.h"

#include <unihist/base.h>

#define PERF_PEERS_MAX     PERF_LIST_MAX
#define PERF_PEER_NAME_MAX 32

/* A peer counts at most so many values, spread over the array, for some take half a minute for all of it. */
#define PERF_PEER_VALUES ((size_t)1 << 22)

/* The command line's part: which, and how many seconds each may take for an answer. */
struct perf_peer_options {
    double timeout;
    size_t count;
    char name[PERF_PEERS_MAX][PERF_PEER_NAME_MAX];
};

#define PERF_PEER_OPTIONS_DEFAULT                                                                                      \
    { .timeout = 60 }

#define PERF_PEER_HELP                                                                                                 \
    "  --peers LIST        other libraries beside this one, one thread each: numpy, boost, gsl,\n"                     \
    "                      upper_bound, ... (programs in the folder \"peers\" beside this one, or in\n"                \
    "                      UNIHIST_PERF_PEERS), or all; default: none\n"                                               \
    "  --peer-timeout S    seconds a peer may take for an answer; default: 60\n"

/* Takes the text of --peers. A name that is neither known nor in the folder gives PERF_USAGE. */
int perf_peers_take(const char *text, struct perf_peer_options *options, struct perf_error *error);

/* The peers of one run. */
struct perf_peers;

/* Starts them, on the CPUs of the calling thread, which must outlive them. One that is not there is left out; the
 * report is told which there are and which not. The caller destroys them, also after a failure. */
int perf_peers_create(const struct perf_peer_options *options, struct perf_report *report, struct perf_peers **peers,
                      struct perf_error *error);

/* Ends them. NULL is allowed. */
void perf_peers_destroy(struct perf_peers *peers);

/* A case for them. */
struct perf_peers_case {
    const char *name; /* of its results, with a "*" for the method; "threads:1" takes the place of what follows */
    uh_dtype dtype;
    const void *x;
    size_t n, k;
    const double *edges; /* k + 1 of them */
};

/* The name of a peer's result, from the pattern of struct perf_peers_case. */
void perf_peers_name(const char *pattern, const char *peer, char name[PERF_NAME_MAX]);

/* Hands them a case, and writes a subject for each that can do it, at most PERF_PEERS_MAX; they are checked against
 * perf/reference.h. The edges have to stay until the next case. Says in a line of the table which cannot, and why. NULL
 * for `peers`: none. */
int perf_peers_take_case(struct perf_peers *peers, const struct perf_peers_case *what, struct perf_subject *subjects,
                         size_t *count, struct perf_error *error);

/* What the results of the others were of, in the same rounds. */
struct perf_peers_rivals {
    const struct perf_timing *limit, *baseline; /* the latter may be NULL */
    double items;                               /* that each of the two read */
    size_t label;                               /* which label of a result names the method */
};

/* Reports the results of the subjects; `like` is a result of the same case, of which the labels are taken. */
int perf_peers_report(const struct perf_peers *peers, struct perf_report *report, const struct perf_result *like,
                      const struct perf_peers_rivals *rivals, const struct perf_timing *timings,
                      struct perf_error *error);

#endif
