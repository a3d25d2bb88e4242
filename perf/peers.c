/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* memfd_create */
#include "perf/peers.h"

#include "perf/frequencies.h"
#include "perf/peer_process.h"
#include "perf/report.h"
#include "tests/oracle.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* A larger array is cut into blocks of so many values, and some of them are taken: sorted values stay sorted. */
#define BLOCK ((size_t)4096)

enum { VALUES, EDGES, COUNTS, SHARED };

/* What a peer says of itself. */
enum peer_rule {
    PEER_CLOSED, /* the last bin has its right edge, as the library's */
    PEER_OPEN,   /* a value at the last edge is in no bin */
    PEER_DRAWN,  /* it draws samples: there are no edges, and the counts are as random */
    PEER_INTEGRATED,
    PEER_SHIFTED, /* it finds clusters: the counts are of the points of each, most first */
    PEER_RULE_COUNT
};

struct peer {
    struct perf_peers *all;
    struct peer_process process;
    char name[PERF_PEER_NAME_MAX], title[96], how[160];
    char refused[PERF_PEER_LINE]; /* why it could not do the last case; empty: it could */
    enum peer_rule rule;
    double seconds, cpu; /* of its last run */
    struct perf_integral integral; /* the same of one that integrates */
};

struct perf_peers {
    double timeout;
    char left_out[4096]; /* programs that are missing, and why */
    size_t count, active_count;
    struct peer peer[PERF_LIST_MAX];
    struct peer *active[PERF_LIST_MAX]; /* those that can do the case */
    int shared[SHARED];
    size_t item_size, n, all_n, k;
    /* What is right, found without the library; of samples the weights, and the frequencies are judged. */
    const double *edges;                       /* lent */
    struct oracle_counts closed;               /* by the library's rule */
    uint64_t at_last_edge;                     /* values that equal it */
    const float *weights;                      /* lent; NULL: values are counted */
    const struct perf_integral_task *integral; /* lent; NULL: none */
    const struct perf_shift_task *shift;       /* lent; NULL: none */
};

/* ---- all of them ------------------------------------------------------------------------------------------------ */

static int start_peer(struct perf_peers *peers, const char *name, const char *path, char why[PERF_PEER_LINE],
                      struct perf_error *error) {
    struct peer *peer = &peers->peer[peers->count];
    char version[48] = "", line[PERF_PEER_LINE];
    int how = 0;
    *peer = (struct peer){.all = peers};
    snprintf(peer->name, sizeof peer->name, "%.*s", PERF_PEER_NAME_MAX - 1, name);
    int status = peer_process_start(&peer->process, peer->name, path, peers->shared, error);
    if (status == PERF_OK)
        status = peer_process_read(&peer->process, peers->timeout, line, error);
    if (status == PERF_OK && strncmp(line, "missing ", 8) == 0) {
        snprintf(why, PERF_PEER_LINE, "%s", line + 8);
    } else if (status == PERF_OK && sscanf(line, "ready %47s %n", version, &how) == 1 && how > 0) {
        snprintf(peer->title, sizeof peer->title, "%s %s", name, version);
        snprintf(peer->how, sizeof peer->how, "%.150s", line + how);
        peers->count++;
        return PERF_OK;
    } else if (status == PERF_OK) {
        status = perf_fail(error, "peer %s begins with '%.100s', expected 'ready VERSION CALL' or 'missing WHY'", name,
                           line);
    }
    peer_process_end(&peer->process);
    return status;
}

static void append(char *text, size_t size, const char *separator, const char *what, const char *why) {
    size_t length = strlen(text);
    snprintf(text + length, size - length, "%s%s%s%s", length ? separator : "", what, why ? ": " : "", why ? why : "");
}

static int start_all(struct perf_peers *peers, const struct perf_peer_options *options, struct perf_error *error) {
    char there[2048] = "";
    int status = PERF_OK;
    for (size_t i = 0; status == PERF_OK && i < options->count; i++) {
        char path[PEERS_PATH_MAX], why[PERF_PEER_LINE] = "";
        if (peers_list_find(options->name[i], path, why))
            status = start_peer(peers, options->name[i], path, why, error);
        if (status == PERF_OK && *why)
            append(peers->left_out, sizeof peers->left_out, "; ", options->name[i], why);
        else if (status == PERF_OK)
            append(there, sizeof there, ", ", peers->peer[peers->count - 1].title, NULL);
    }
    if (status == PERF_OK && *there)
        perf_report_fact("peers", there);
    if (status == PERF_OK && *peers->left_out)
        perf_report_fact("peers_left_out", peers->left_out);
    return status;
}

int perf_peers_create(const struct perf_peer_options *options, struct perf_peers **peers, struct perf_error *error) {
    *peers = NULL;
    if (options->count == 0)
        return PERF_OK;
    struct perf_peers *made = calloc(1, sizeof *made);
    if (!made)
        return perf_fail(error, "out of memory for the peers");
    *peers = made;
    made->timeout = options->timeout;
    for (int i = 0; i < SHARED; i++)
        made->shared[i] = -1;
    for (int i = 0; i < SHARED; i++)
        if ((made->shared[i] = memfd_create("unihist-perf-peers", MFD_CLOEXEC)) < 0)
            return perf_fail(error, "cannot make shared memory for the peers: %s", strerror(errno));
    return start_all(made, options, error);
}

void perf_peers_destroy(struct perf_peers *peers) {
    if (!peers)
        return;
    for (size_t i = 0; i < peers->count; i++)
        peer_process_end(&peers->peer[i].process);
    for (int i = 0; i < SHARED; i++)
        if (peers->shared[i] >= 0)
            close(peers->shared[i]);
    free(peers->closed.bins);
    free(peers);
}

const char *perf_peers_left_out(const struct perf_peers *peers) {
    return peers->left_out;
}

/* ---- one peer ---------------------------------------------------------------------------------------------------- */

static int unexpected(const struct peer *peer, const char *question, const char *line, const char *expected,
                      struct perf_error *error) {
    return perf_fail(error, "peer %s answers '%.100s' to '%s', expected %s", peer->name, line, question, expected);
}

/* Reads "seconds WALL CPU", and of an integral "VALUE ERROR CHI2 EVALUATIONS REACHED" after it. Returns 0 where it is
 * another answer. */
static int read_times(const char *line, struct peer *peer) {
    static const char word[] = "seconds";
    double number[7];
    const size_t count = peer->rule == PEER_INTEGRATED ? 7 : 2;
    if (strncmp(line, word, sizeof word - 1) != 0)
        return 0;
    line += sizeof word - 1;
    for (size_t i = 0; i < count; i++) {
        char *end;
        number[i] = *line == ' ' ? strtod(line, &end) : -1;
        if (*line != ' ' || end == line)
            return 0;
        line = end;
    }
    peer->seconds = number[0];
    peer->cpu = number[1];
    if (count > 2)
        peer->integral = (struct perf_integral){.value = number[2],
                                                .error = number[3],
                                                .chi2 = number[4],
                                                .evaluations = number[5],
                                                .reached = number[6] > 0,
                                                .total = number[0]};
    return *line == '\0' && peer->seconds >= 0 && peer->cpu >= 0;
}

static uint64_t *map_counts(const struct perf_peers *peers, struct perf_error *error) {
    const size_t bytes = peers->k * sizeof(uint64_t);
    void *counts = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, peers->shared[COUNTS], 0);
    if (counts != MAP_FAILED)
        return counts;
    perf_fail(error, "cannot map the counts of the peers: %s", strerror(errno));
    return NULL;
}

/* A count that the peer does not write cannot be right. */
static int forget_counts(struct perf_subject *subject, struct perf_error *error) {
    const struct peer *peer = subject->state;
    if (peer->all->integral)
        return PERF_OK;
    uint64_t *counts = map_counts(peer->all, error);
    if (!counts)
        return PERF_FAILURE;
    memset(counts, 0xff, peer->all->k * sizeof *counts);
    munmap(counts, peer->all->k * sizeof *counts);
    return PERF_OK;
}

static int run_peer(struct perf_subject *subject, struct perf_error *error) {
    struct peer *peer = subject->state;
    char line[PERF_PEER_LINE] = "run";
    const double start = perf_now();
    const int status = peer_process_ask(&peer->process, peer->all->timeout, line, error);
    if (status != PERF_OK)
        return status;
    if (!read_times(line, peer))
        return unexpected(peer, "run", line,
                          peer->rule == PEER_INTEGRATED ? "'seconds WALL CPU VALUE ERROR CHI2 EVALUATIONS REACHED'"
                                                        : "'seconds WALL CPU'",
                          error);
    const double waited = perf_now() - start;
    if (peer->seconds > waited)
        return perf_fail(error, "peer %s says that a run took %g seconds, but its answer came after %g", peer->name,
                         peer->seconds, waited);
    return PERF_OK;
}

static void tell_times(const struct perf_subject *subject, double *seconds, double *cpu) {
    const struct peer *peer = subject->state;
    *seconds = peer->seconds;
    *cpu = peer->cpu;
}

struct perf_integral perf_peers_integral(const struct perf_subject *subject) {
    const struct peer *peer = subject->state;
    return peer->integral;
}

static int check_clusters(const struct perf_shift_task *task, const uint64_t *counts, struct perf_error *error) {
    for (size_t i = 0; i < task->clusters; i++)
        if (counts[i] != task->counts[i])
            return perf_fail(error, "wrong: cluster %zu has %" PRIu64 " points, expected %" PRIu64, i, counts[i],
                             task->counts[i]);
    return PERF_OK;
}

static int check_counts(const struct perf_peers *peers, enum peer_rule rule, const uint64_t *counts,
                        struct perf_error *error) {
    const double *edges = peers->edges;
    if (rule == PEER_SHIFTED)
        return check_clusters(peers->shift, counts, error);
    if (rule == PEER_DRAWN)
        return perf_frequencies_check(peers->weights, peers->k, counts, peers->n, error);
    for (size_t bin = 0; bin < peers->k; bin++) {
        const int last = bin + 1 == peers->k;
        const uint64_t expected = peers->closed.bins[bin] - (last && rule == PEER_OPEN ? peers->at_last_edge : 0);
        if (counts[bin] != expected)
            return perf_fail(error, "wrong: bin %zu [%.17g, %.17g%s counts %" PRIu64 ", expected %" PRIu64, bin,
                             edges[bin], edges[bin + 1], last && rule == PEER_CLOSED ? "]" : ")", counts[bin],
                             expected);
    }
    return PERF_OK;
}

static int check_integral(struct perf_subject *subject, struct perf_error *error) {
    const struct peer *peer = subject->state;
    const struct perf_integral_task *task = peer->all->integral;
    subject->evaluations = peer->integral.evaluations;
    if (!(task->tau > 0)) /* a rate, of what was evaluated */
        subject->n = (size_t)peer->integral.evaluations;
    return perf_integral_check(task, &peer->integral, error);
}

static int check_peer(struct perf_subject *subject, struct perf_error *error) {
    const struct peer *peer = subject->state;
    const struct perf_peers *peers = peer->all;
    if (peers->integral)
        return check_integral(subject, error);
    uint64_t *counts = map_counts(peers, error);
    if (!counts)
        return PERF_FAILURE;
    const int status = check_counts(peers, peer->rule, counts, error);
    munmap(counts, peers->k * sizeof *counts);
    return status;
}

/* ---- a case ----------------------------------------------------------------------------------------------------- */

/* Makes a shared file as large as that and maps it. The caller unmaps it. */
static void *resize_shared(int descriptor, size_t bytes, struct perf_error *error) {
    void *memory = MAP_FAILED;
    if (ftruncate(descriptor, 0) == 0 && ftruncate(descriptor, (off_t)bytes) == 0)
        memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    if (memory == MAP_FAILED) {
        perf_fail(error, "cannot share %zu bytes with the peers: %s", bytes, strerror(errno));
        return NULL;
    }
    return memory;
}

static void copy_values(const struct perf_peers_case *what, size_t n, size_t size, unsigned char *to) {
    const unsigned char *from = what->x;
    size_t blocks = n / BLOCK;
    if (n == what->n) {
        memcpy(to, from, n * size);
        return;
    }
    for (size_t block = 0; block < blocks; block++) {
        size_t first = (size_t)((double)(what->n - BLOCK) * (double)block / (double)(blocks - 1));
        memcpy(to + block * BLOCK * size, from + first * size, BLOCK * size);
    }
}

/* The rule that the peer answers with, PEER_RULE_COUNT where it is none for the question. */
static enum peer_rule read_rule(const struct perf_peers *peers, const char *line) {
    static const char *const rules[PEER_RULE_COUNT] = {"closed", "open", "drawn", "integrated", "shifted"};
    const int first = peers->shift      ? PEER_SHIFTED
                      : peers->integral ? PEER_INTEGRATED
                      : peers->weights  ? PEER_DRAWN
                                        : PEER_CLOSED;
    const int last = first == PEER_CLOSED ? PEER_OPEN : first;
    for (int rule = first; rule <= last; rule++)
        if (strncmp(line, "ok ", 3) == 0 && strcmp(line + 3, rules[rule]) == 0)
            return (enum peer_rule)rule;
    return PEER_RULE_COUNT;
}

static void write_question(const struct perf_peers *peers, const char *type, char question[PERF_PEER_LINE]) {
    const struct perf_integral_task *task = peers->integral;
    const struct perf_shift_task *shift = peers->shift;
    if (shift)
        snprintf(question, PERF_PEER_LINE, "shift %s %zu %zu %.17g %zu %zu %.200s", type, peers->n, shift->dims,
                 shift->radius, shift->iterations, shift->clusters, shift->cpus);
    else if (task)
        snprintf(question, PERF_PEER_LINE, "integrate %s %zu %" PRIu64 " %zu %zu %.17g %.17g %" PRIu64,
                 perf_integrand_name(task->f.name), task->f.dims, task->calls, task->iterations, task->skipped,
                 task->tau, task->seconds, task->seed);
    else
        snprintf(question, PERF_PEER_LINE, "%s %s %zu %zu", peers->weights ? "draw" : "case", type, peers->n, peers->k);
}

static int offer_case(struct peer *peer, const char *type, struct perf_error *error) {
    struct perf_peers *peers = peer->all;
    char question[PERF_PEER_LINE], line[PERF_PEER_LINE];
    write_question(peers, type, question);
    memcpy(line, question, sizeof line);
    const int status = peer_process_ask(&peer->process, peers->timeout, line, error);
    if (status != PERF_OK)
        return status;
    if (strncmp(line, "cannot ", 7) == 0) {
        if (strcmp(peer->refused, line + 7) != 0) {
            perf_report_progress(NULL);
            printf("# %s is left out: %s\n", peer->name, line + 7);
        }
        snprintf(peer->refused, sizeof peer->refused, "%s", line + 7);
        return PERF_OK;
    }
    peer->refused[0] = '\0';
    peer->rule = read_rule(peers, line);
    if (peer->rule == PEER_RULE_COUNT)
        return unexpected(peer, question, line,
                          peers->shift      ? "'ok shifted' or 'cannot WHY'"
                          : peers->integral ? "'ok integrated' or 'cannot WHY'"
                          : peers->weights  ? "'ok drawn' or 'cannot WHY'"
                                            : "'ok closed', 'ok open' or 'cannot WHY'",
                          error);
    peers->active[peers->active_count++] = peer;
    return PERF_OK;
}

/* Shares edges and values, and counts these; the peers have one thread, and so has this. */
static int share_values(struct perf_peers *peers, const struct perf_peers_case *what, void *values,
                        struct perf_error *error) {
    const size_t k = what->k, n = peers->n, bytes = (k + 1) * sizeof *what->edges;
    const double last[2] = {what->edges[k], what->edges[k]};
    struct oracle_counts at_last_edge = {.bins = &peers->at_last_edge};
    double *edges = resize_shared(peers->shared[EDGES], bytes, error);
    if (!edges)
        return PERF_FAILURE;
    memcpy(edges, what->edges, bytes);
    munmap(edges, bytes);
    copy_values(what, n, peers->item_size, values);
    uint64_t *bins = realloc(peers->closed.bins, (k + 1) * sizeof *bins);
    if (!bins)
        return perf_fail(error, "out of memory for the counts of %zu bins", k);
    peers->closed.bins = bins;
    if (oracle_count(values, what->dtype, n, what->edges, k, 1, &peers->closed) ||
        oracle_count(values, what->dtype, n, last, 1, 1, &at_last_edge))
        return perf_fail(error, "out of memory for the counts of %zu bins", k);
    return PERF_OK;
}

/* Values or weights, edges if there are any, and room for counts. */
static int share_case(struct perf_peers *peers, const struct perf_peers_case *what, void *values,
                      struct perf_error *error) {
    if (what->integral)
        return PERF_OK;
    void *counts = resize_shared(peers->shared[COUNTS], what->k * sizeof(uint64_t), error);
    if (!counts)
        return PERF_FAILURE;
    munmap(counts, what->k * sizeof(uint64_t));
    if (what->shift)
        memcpy(values, what->x, peers->n * what->shift->dims * peers->item_size);
    else if (!what->weights)
        return share_values(peers, what, values, error);
    else
        memcpy(values, what->weights, what->k * sizeof *what->weights);
    return PERF_OK;
}

int perf_peers_take_case(struct perf_peers *peers, const struct perf_peers_case *what, size_t *count,
                         struct perf_error *error) {
    *count = 0;
    peers->active_count = 0;
    if (peers->count == 0)
        return PERF_OK;
    peers->k = what->k;
    peers->edges = what->edges;
    peers->weights = what->weights;
    peers->integral = what->integral;
    peers->shift = what->shift;
    const uh_dtype dtype = what->weights ? UH_F32 : what->dtype;
    peers->item_size = uh_dtype_size(dtype);
    peers->all_n = what->n;
    const size_t max = what->integral || what->shift ? what->n : what->max ? what->max : PERF_PEER_VALUES;
    peers->n = what->n < max ? what->n : max;
    const size_t rows = what->shift ? what->shift->dims : 1;
    const size_t bytes = (what->weights ? what->k : what->integral ? 1 : peers->n * rows) * peers->item_size;
    void *values = resize_shared(peers->shared[VALUES], bytes, error);
    if (!values)
        return PERF_FAILURE;
    int status = share_case(peers, what, values, error);
    for (size_t i = 0; status == PERF_OK && i < peers->count; i++)
        status = offer_case(&peers->peer[i], uh_enum_name(UH_ENUM_DTYPE, dtype), error);
    munmap(values, bytes);
    *count = status == PERF_OK ? peers->active_count : 0;
    return status;
}

void perf_peers_at(const struct perf_peers *peers, size_t index, struct perf_subject *subject) {
    struct peer *peer = peers->active[index];
    *subject = (struct perf_subject){.name = peer->name,
                                     .title = peer->title,
                                     .n = peers->n,
                                     .before = forget_counts,
                                     .run = run_peer,
                                     .check = check_peer,
                                     .times = tell_times,
                                     .state = peer};
    snprintf(subject->note, sizeof subject->note, "%s: %s; %zu of %zu %s", peer->title, peer->how, peers->n,
             peers->all_n,
             peers->shift                        ? "points"
             : peers->weights || peers->integral ? "samples"
                                                 : "values");
}
