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
#define PERF_PEER_WIDTH    22 /* of a column for their titles */

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
 * report, unless NULL, is told which there are and which not. The caller destroys them, also after a failure. */
int perf_peers_create(const struct perf_peer_options *options, struct perf_report *report, struct perf_peers **peers,
                      struct perf_error *error);

/* Lends the title of one of those that are there, such as "numpy 1.24.2"; NULL behind the last. */
const char *perf_peers_title(const struct perf_peers *peers, size_t index);

/* Lends which are left out, and why: "NAME: WHY; ...", empty for none. */
const char *perf_peers_left_out(const struct perf_peers *peers);

/* Ends them. NULL is allowed. */
void perf_peers_destroy(struct perf_peers *peers);

/* A case for them. */
struct perf_peers_case {
    const char *name; /* of its results, with a "*" for the method */
    uh_dtype dtype;
    const void *x;
    size_t n, k;
    const double *edges;  /* k + 1 of them; to stay until the next case */
    size_t most;          /* values that they count of those at most; 0: PERF_PEER_VALUES */
    const float *weights; /* not NULL: they draw n samples by k weights, which stay until the next case; no x, edges */
};

/* One peer in the present case. Its texts last as long as the peers. */
struct perf_peer {
    const char *name, *title; /* "numpy", "numpy 1.24.2" */
    const char *note;         /* title, which call it is, how many of the values */
    size_t n;                 /* values or samples of one run */
    struct perf_subject subject;
};

/* Hands them a case, and says in a line of the table which of them cannot do it, and why. Writes how many can. NULL for
 * `peers`: none. */
int perf_peers_take_case(struct perf_peers *peers, const struct perf_peers_case *what, size_t *count,
                         struct perf_error *error);

/* One of those that can; its subject checks the counts against perf/reference.h, or those of samples against
 * perf/frequencies.h. */
struct perf_peer *perf_peers_at(const struct perf_peers *peers, size_t index);

#endif
