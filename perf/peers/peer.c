/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* madvise */
#include "perf/peers/peer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/* Where unihist-perf puts its shared memory. */
enum { FD_VALUES = 3, FD_EDGES = 4, FD_COUNTS = 5 };

static struct peer_case current;
static uint32_t *samples; /* of peers that draw */

static const struct {
    const char *name;
    size_t size;
} types[] = {
#define PEER_TYPE(name, type) {#name, sizeof(type)},
    PEER_TYPES(PEER_TYPE)
#undef PEER_TYPE
};

/* Copies a file of shared memory to memory of its own, on huge pages where there are some, as unihist-perf's array.
 * NULL where it cannot. The caller frees it. */
static void *copy_of(int descriptor, size_t bytes) {
    const size_t huge = (size_t)2 << 20;
    void *copy = bytes <= SIZE_MAX - huge ? aligned_alloc(huge, (bytes + huge) / huge * huge) : NULL;
    if (!copy)
        return NULL;
    madvise(copy, (bytes + huge) / huge * huge, MADV_HUGEPAGE); /* a hint */
    for (size_t done = 0; done < bytes;) {
        ssize_t got = pread(descriptor, (char *)copy + done, bytes - done, (off_t)done);
        if (got <= 0) {
            free(copy);
            return NULL;
        }
        done += (size_t)got;
    }
    return copy;
}

/* Takes "TYPE N K": NULL, or why not. */
static const char *load_case(const char *line, int draws) {
    static void *values, *edges;
    size_t i = 0, length = strcspn(line, " ");
    char *end;
    while (i < PEER_TYPE_COUNT && (strlen(types[i].name) != length || strncmp(types[i].name, line, length) != 0))
        i++;
    if (i == PEER_TYPE_COUNT)
        return "it counts numbers that float64 holds exactly";
    size_t n = (size_t)strtoull(line + length, &end, 10), k = (size_t)strtoull(end, NULL, 10);
    free(values);
    free(edges);
    const size_t length_of_x = draws ? k : n;
    values = length_of_x <= SIZE_MAX / types[i].size ? copy_of(FD_VALUES, length_of_x * types[i].size) : NULL;
    edges = k < SIZE_MAX / sizeof(double) && !draws ? copy_of(FD_EDGES, (k + 1) * sizeof(double)) : NULL;
    current = (struct peer_case){(enum peer_type)i, values, n, k, edges};
    return values && (edges || draws) ? NULL : "out of memory";
}

static double seconds(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static const char *make_samples(void) {
    free(samples);
    samples = malloc(current.n * sizeof *samples);
    return current.type != PEER_float32 ? "its weights are float32" : samples ? NULL : "out of memory";
}

static void count_samples(uint64_t *counts) {
    memset(counts, 0, current.k * sizeof *counts);
    for (size_t i = 0; i < current.n; i++)
        if (samples[i] < current.k)
            counts[samples[i]]++;
}

/* The question is "case TYPE N K" or "draw TYPE N K". */
static void answer_case(const struct peer *peer, const char *line) {
    static const char *const rules[] = {"closed", "open", "drawn"};
    const int draws = strncmp(line, "draw ", 5) == 0;
    const char *why = draws == (peer->rule == PEER_DRAWN) ? load_case(line + strlen("case "), draws)
                      : draws                             ? "it counts values"
                                                          : "it draws samples";
    if (!why && draws)
        why = make_samples();
    if (!why)
        why = peer->take(&current);
    if (why)
        printf("cannot %s\n", why);
    else
        printf("ok %s\n", rules[peer->rule]);
}

static void answer_run(const struct peer *peer) {
    if (peer->draw)
        memset(samples, 0xff, current.n * sizeof *samples);
    else
        peer->reset();
    double cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
    double start = seconds(CLOCK_MONOTONIC);
    if (peer->draw)
        peer->draw(samples, current.n);
    else
        peer->run(&current);
    double wall = seconds(CLOCK_MONOTONIC) - start;
    cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    printf("seconds %.9f %.9f\n", wall, cpu);
}

static void answer_counts(const struct peer *peer) {
    size_t bytes = current.k * sizeof(uint64_t);
    void *counts = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, FD_COUNTS, 0);
    if (counts == MAP_FAILED) {
        printf("failed mmap\n");
        return;
    }
    if (peer->draw)
        count_samples(counts);
    else
        peer->counts(&current, counts);
    munmap(counts, bytes);
    printf("ok\n");
}

int peer_main(const struct peer *peer) {
    char line[256];
    printf("ready %s %s\n", peer->version, peer->how);
    fflush(stdout);
    while (fgets(line, sizeof line, stdin)) {
        if (strncmp(line, "case ", 5) == 0 || strncmp(line, "draw ", 5) == 0)
            answer_case(peer, line);
        else if (current.x && strcmp(line, "run\n") == 0)
            answer_run(peer);
        else if (current.x && strcmp(line, "counts\n") == 0)
            answer_counts(peer);
        else
            printf("failed not understood\n");
        fflush(stdout);
    }
    return 0;
}
