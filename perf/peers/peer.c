/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* madvise */
#include "perf/peers/peer.h"
#include "perf/peers/peer_integral.h"

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
static struct perf_integral_task task;

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

double peer_now(void) {
    return seconds(CLOCK_MONOTONIC);
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

/* NULL, or why the peer cannot do what is asked for. */
static const char *take_case(const struct peer *peer, const char *line) {
    static const char *const questions[] = {"case ", "case ", "draw ", "integrate "};
    static const char *const tasks[] = {"it counts values", "it counts values", "it draws samples", "it integrates"};
    const size_t length = strlen(questions[peer->rule]);
    if (strncmp(line, questions[peer->rule], length) != 0)
        return tasks[peer->rule];
    if (peer->rule == PEER_INTEGRATED)
        return peer_read_task(line + length, &task) ? peer->take_task(&task) : "it does not understand the task";
    const char *why = load_case(line + length, peer->rule == PEER_DRAWN);
    if (!why && peer->rule == PEER_DRAWN)
        why = make_samples();
    return why ? why : peer->take(&current);
}

static int write_counts(const struct peer *peer) {
    const size_t bytes = current.k * sizeof(uint64_t);
    void *counts = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, FD_COUNTS, 0);
    if (counts == MAP_FAILED)
        return -1;
    if (peer->draw)
        count_samples(counts);
    else
        peer->counts(&current, counts);
    return munmap(counts, bytes);
}

static void answer_run(const struct peer *peer) {
    struct perf_integral found = {.reached = 0};
    if (peer->rule == PEER_DRAWN)
        memset(samples, 0xff, current.n * sizeof *samples);
    else if (peer->rule != PEER_INTEGRATED)
        peer->reset();
    double cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
    const double start = peer_now();
    if (peer->rule == PEER_INTEGRATED)
        peer->integrate(&task, &found);
    else if (peer->rule == PEER_DRAWN)
        peer->draw(samples, current.n);
    else
        peer->run(&current);
    const double wall = peer_now() - start;
    cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    if (peer->rule == PEER_INTEGRATED)
        printf("seconds %.9f %.9f %.17g %.17g %.17g %.17g %d\n", wall, cpu, found.value, found.error, found.chi2,
               found.evaluations, found.reached);
    else if (write_counts(peer))
        printf("failed mmap\n");
    else
        printf("seconds %.9f %.9f\n", wall, cpu);
}

int peer_main(const struct peer *peer) {
    static const char *const rules[] = {"closed", "open", "drawn", "integrated"};
    char line[256];
    int taken = 0;
    printf("ready %s %s\n", peer->version, peer->how);
    fflush(stdout);
    while (fgets(line, sizeof line, stdin)) {
        if (taken && strcmp(line, "run\n") == 0) {
            answer_run(peer);
        } else {
            const char *why = take_case(peer, line);
            taken = !why;
            printf("%s %s\n", why ? "cannot" : "ok", why ? why : rules[peer->rule]);
        }
        fflush(stdout);
    }
    return 0;
}
