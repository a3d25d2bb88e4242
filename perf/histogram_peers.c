/* SPDX-License-Identifier: Apache-2.0 */
/* Other libraries as rivals: each a child with one thread, which has its turn in the same rounds. */
#include "perf/histogram_rivals.h"

#include <stdio.h>

static int peer_run(void *context, struct perf_error *error) {
    const struct histogram_rival *rival = context;
    const struct perf_peer *peer = rival->state;
    return peer->subject.run(peer->subject.context, error);
}

static int peer_after(void *context, struct perf_error *error) {
    const struct histogram_rival *rival = context;
    const struct perf_peer *peer = rival->state;
    return peer->subject.after(peer->subject.context, error);
}

static void peer_times(void *context, double *seconds, double *cpu) {
    const struct histogram_rival *rival = context;
    const struct perf_peer *peer = rival->state;
    peer->subject.times(peer->subject.context, seconds, cpu);
}

int histogram_peers_rivals(struct histogram_bench *bench, const struct histogram_case *what,
                           struct histogram_rivals *rivals, struct perf_error *error) {
    const struct histogram_work *work = &bench->work;
    char name[PERF_NAME_MAX];
    size_t count = 0;
    histogram_case_name(what, "*", 1, name, sizeof name);
    const struct perf_peers_case shared = {
        .name = name, .dtype = what->dtype, .x = work->x, .n = what->n, .k = what->k, .edges = work->edges};
    int status = perf_peers_take_case(bench->peers, &shared, &count, error);
    for (size_t i = 0; status == PERF_OK && i < count; i++) {
        struct perf_peer *peer = perf_peers_at(bench->peers, i);
        struct histogram_rival rival = {.bench = bench,
                                        .what = what,
                                        .method = peer->name,
                                        .title = peer->title,
                                        .threads = 1,
                                        .n = peer->n,
                                        .run = peer_run,
                                        .after = peer_after,
                                        .times = peer_times,
                                        .state = peer};
        snprintf(rival.note, sizeof rival.note, "%s", peer->note);
        status = histogram_rivals_add(rivals, &rival, error);
    }
    return status;
}
