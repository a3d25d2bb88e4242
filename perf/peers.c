/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* memfd_create */
#include "perf/bench.h"
#include "perf/peer_process.h"
#include "perf/sample_reference.h"
#include "tests/oracle.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <sys/mman.h>
#include <unistd.h>

/* A larger array is cut into blocks of that many values, and some of them are taken: sorted values stay sorted. */
#define BLOCK ((size_t)4096)

enum { VALUES, EDGES, COUNTS, SHARED };

/* The question, the answers of a peer that can do it, and its items. */
enum task { COUNTING, DRAWING, INTEGRATING, SHIFTING };
static const struct {
    const char *word, *answers[3], *expected, *items;
} tasks[] = {
    [COUNTING] = {"case", {"ok closed", "ok open"}, "'ok closed', 'ok open' or 'cannot WHY'", "values"},
    [DRAWING] = {"draw", {"ok drawn"}, "'ok drawn' or 'cannot WHY'", "samples"},
    [INTEGRATING] = {"integral", {"ok integrated"}, "'ok integrated' or 'cannot WHY'", "samples"},
    [SHIFTING] = {"shift", {"ok shifted"}, "'ok shifted' or 'cannot WHY'", "points"},
};

struct peer {
    struct perf_peers *all;
    struct peer_process process;
    char refused[PERF_PEER_LINE];  /* why it could not do the last case; empty: it could */
    int open;                      /* its last bin lacks its right edge; the library's bins are closed */
    double seconds, cpu;           /* of its last run */
    struct perf_integral integral; /* the same of one that integrates */
};

struct perf_peers {
    double timeout;
    size_t count, active_count;
    struct peer peer[PERF_LIST_MAX];
    struct peer *active[PERF_LIST_MAX]; /* those that can do the case */
    int shared[SHARED];
    void *memory[SHARED]; /* the same, mapped; NULL: not yet */
    size_t bytes[SHARED];
    struct perf_peers_case what; /* its arrays are not copied */
    enum task task;
    size_t n; /* of the case's values, those that peers work on */
    /* Right counts, found without the library; of samples the frequencies are judged by their weights. */
    struct oracle_counts closed; /* by the library's rule */
    uint64_t at_last_edge;       /* values that equal it */
};

/* ---- all of them ------------------------------------------------------------------------------------------------ */

static void append(char *text, size_t size, const char *separator, const char *what, const char *why) {
    size_t length = strlen(text);
    snprintf(text + length, size - length, "%s%s%s%s", length ? separator : "", what, why ? ": " : "", why ? why : "");
}

/* Returns 1 with the path of a peer, those of no histograms in the folder "others", or 0 with the reason. */
static int find_program(const struct perf_peer_options *options, const char *name, char path[PATH_MAX],
                        char why[PERF_PEER_LINE]) {
    for (int others = 1; others >= 0; others--) {
        snprintf(path, PATH_MAX, "%s%s/%s", options->folder, others ? "/others" : "", name);
        if (access(path, X_OK) == 0)
            return 1;
    }
    snprintf(why, PERF_PEER_LINE, "there is no program %.400s", path);
    return 0;
}

static void start_all(struct perf_peers *peers, const struct perf_peer_options *options) {
    char there[2048] = "", left_out[4096] = "";
    for (size_t i = 0; i < options->count; i++) {
        char path[PATH_MAX], why[PERF_PEER_LINE] = "";
        struct peer *peer = &peers->peer[peers->count];
        *peer = (struct peer){.all = peers, .process = {.log = -1}};
        if (find_program(options, options->name[i], path, why))
            peer_process_start(&peer->process, options->name[i], path, peers->shared, peers->timeout, why);
        if (*why) {
            peer_process_end(&peer->process);
            append(left_out, sizeof left_out, "; ", options->name[i], why);
        } else {
            append(there, sizeof there, ", ", peer->process.title, NULL);
            peers->count++;
        }
    }
    if (*there)
        perf_report_fact("peers", there);
    if (*left_out)
        perf_report_fact("peers_left_out", left_out);
}

/* Those at work, which a failure ends. */
static struct perf_peers *present;

static void kill_all(void) {
    for (size_t i = 0; present && i < PERF_LIST_MAX; i++)
        peer_process_kill(&present->peer[i].process);
}

struct perf_peers *perf_peers_create(const struct perf_peer_options *options) {
    if (options->count == 0)
        return NULL;
    struct perf_peers *made = present = perf_memory(1, sizeof *made);
    perf_before_end = kill_all;
    made->timeout = options->timeout;
    for (int i = 0; i < SHARED; i++)
        if ((made->shared[i] = memfd_create("unihist-perf-peers", MFD_CLOEXEC)) < 0)
            perf_fail("cannot make shared memory for the peers: %s", strerror(errno));
    start_all(made, options);
    return made;
}

void perf_peers_destroy(struct perf_peers *peers) {
    if (!peers)
        return;
    present = NULL;
    for (size_t i = 0; i < peers->count; i++)
        peer_process_end(&peers->peer[i].process);
    for (int i = 0; i < SHARED; i++) {
        if (peers->memory[i])
            munmap(peers->memory[i], peers->bytes[i]);
        close(peers->shared[i]);
    }
    free(peers->closed.bins);
    free(peers);
}

/* ---- one peer ---------------------------------------------------------------------------------------------------- */

static _Noreturn void unexpected(const struct peer *peer, const char *question, const char *line,
                                 const char *expected) {
    perf_fail("peer %s answers '%.100s' to '%s', expected %s", peer->process.name, line, question, expected);
}

/* Reads "seconds WALL CPU", and of an integral "VALUE ERROR CHI2 EVALUATIONS REACHED" after it. Returns 0 if it is
 * another answer. */
static int read_times(const char *line, struct peer *peer) {
    static const char word[] = "seconds";
    double number[7] = {0};
    const size_t count = peer->all->task == INTEGRATING ? 7 : 2;
    if (strncmp(line, word, sizeof word - 1) != 0)
        return 0;
    line += sizeof word - 1;
    for (size_t i = 0; i < count; i++) {
        char *end;
        if (*line != ' ')
            return 0;
        number[i] = strtod(line, &end);
        if (end == line)
            return 0;
        line = end;
    }
    peer->seconds = number[0];
    peer->cpu = number[1];
    peer->integral = (struct perf_integral){.value = number[2],
                                            .error = number[3],
                                            .chi2 = number[4],
                                            .evaluations = number[5],
                                            .reached = number[6] > 0,
                                            .total = number[0]};
    return *line == '\0' && peer->seconds >= 0 && peer->cpu >= 0;
}

/* A count that the peer does not write cannot be right. */
static void spoil_counts(struct perf_subject *subject) {
    const struct perf_peers *peers = ((struct peer *)subject->state)->all;
    if (peers->task != INTEGRATING)
        memset(peers->memory[COUNTS], 0xff, peers->bytes[COUNTS]);
}

static void run_peer(struct perf_subject *subject) {
    struct peer *peer = subject->state;
    char line[PERF_PEER_LINE] = "run";
    const double start = perf_now();
    peer_process_ask(&peer->process, line);
    if (!read_times(line, peer))
        unexpected(peer, "run", line,
                   peer->all->task == INTEGRATING ? "'seconds WALL CPU VALUE ERROR CHI2 EVALUATIONS REACHED'"
                                                  : "'seconds WALL CPU'");
    const double waited = perf_now() - start;
    if (peer->seconds > waited)
        perf_fail("peer %s says that a run took %g seconds, but its answer came after %g", peer->process.name,
                  peer->seconds, waited);
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

static void check_bins(const struct peer *peer, const uint64_t *counts) {
    const struct perf_peers *peers = peer->all;
    const double *edges = peers->what.edges;
    for (size_t bin = 0; bin < peers->what.k; bin++) {
        const int last = bin + 1 == peers->what.k;
        const uint64_t expected = peers->closed.bins[bin] - (last && peer->open ? peers->at_last_edge : 0);
        if (counts[bin] != expected)
            perf_fail("wrong: bin %zu [%.17g, %.17g%s counts %" PRIu64 ", expected %" PRIu64, bin, edges[bin],
                      edges[bin + 1], last && !peer->open ? "]" : ")", counts[bin], expected);
    }
}

static void check_integral(struct perf_subject *subject) {
    const struct peer *peer = subject->state;
    const struct perf_integral_task *task = peer->all->what.integral;
    subject->evaluations = peer->integral.evaluations;
    if (!(task->tau > 0)) /* a rate, of what was evaluated */
        subject->n = (size_t)peer->integral.evaluations;
    perf_integral_check(task, &peer->integral);
}

static void check_peer(struct perf_subject *subject) {
    const struct peer *peer = subject->state;
    const struct perf_peers *peers = peer->all;
    const uint64_t *counts = peers->memory[COUNTS];
    switch (peers->task) {
    case DRAWING: perf_frequencies_check(peers->what.weights, peers->what.k, counts, peers->n); break;
    case INTEGRATING: check_integral(subject); break;
    case SHIFTING: perf_same_counts("cluster", counts, peers->what.shift->counts, peers->what.k); break;
    default: check_bins(peer, counts); break;
    }
}

/* ---- a case ----------------------------------------------------------------------------------------------------- */

/* Makes a shared file as large as that, and maps it. Returns where. */
static void *resize_shared(struct perf_peers *peers, int number, size_t bytes) {
    const int descriptor = peers->shared[number];
    void *memory = MAP_FAILED;
    if (peers->memory[number])
        munmap(peers->memory[number], peers->bytes[number]);
    if (ftruncate(descriptor, 0) == 0 && ftruncate(descriptor, (off_t)bytes) == 0)
        memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    if (memory == MAP_FAILED)
        perf_fail("cannot share %zu bytes with the peers: %s", bytes, strerror(errno));
    peers->bytes[number] = bytes;
    return peers->memory[number] = memory;
}

static void share(struct perf_peers *peers, int number, const void *from, size_t bytes) {
    memcpy(resize_shared(peers, number, bytes), from, bytes);
}

static void share_blocks(struct perf_peers *peers, size_t size) {
    const struct perf_peers_case *what = &peers->what;
    const size_t blocks = peers->n / BLOCK;
    char *values = resize_shared(peers, VALUES, peers->n * size);
    for (size_t block = 0; block < blocks; block++) {
        const size_t first = (size_t)((double)(what->n - BLOCK) * (double)block / (double)(blocks - 1));
        memcpy(values + block * BLOCK * size, (const char *)what->x + first * size, BLOCK * size);
    }
}

static void share_values(struct perf_peers *peers) {
    const struct perf_peers_case *what = &peers->what;
    const size_t k = what->k, size = uh_dtype_size(what->dtype);
    const uint32_t threads = what->threads ? what->threads : 1; /* as the peers */
    const double last[2] = {what->edges[k], what->edges[k]};
    struct oracle_counts at_last_edge = {.bins = &peers->at_last_edge};
    share(peers, EDGES, what->edges, (k + 1) * sizeof *what->edges);
    if (peers->n == what->n)
        share(peers, VALUES, what->x, what->n * size);
    else
        share_blocks(peers, size);
    free(peers->closed.bins);
    peers->closed.bins = perf_memory(k + 1, sizeof *peers->closed.bins);
    if (oracle_count(peers->memory[VALUES], what->dtype, peers->n, what->edges, k, threads, &peers->closed) ||
        oracle_count(peers->memory[VALUES], what->dtype, peers->n, last, 1, threads, &at_last_edge))
        perf_fail("out of memory for the counts of %zu bins", k);
}

static void share_case(struct perf_peers *peers) {
    const struct perf_peers_case *what = &peers->what;
    if (peers->task == INTEGRATING)
        return;
    resize_shared(peers, COUNTS, what->k * sizeof(uint64_t));
    if (peers->task == SHIFTING)
        share(peers, VALUES, what->x, what->n * what->shift->dims * uh_dtype_size(what->dtype));
    else if (peers->task == DRAWING)
        share(peers, VALUES, what->weights, what->k * sizeof *what->weights);
    else
        share_values(peers);
}

static void write_question(const struct perf_peers *peers, char question[PERF_PEER_LINE]) {
    const struct perf_peers_case *what = &peers->what;
    const struct perf_integral_task *task = what->integral;
    const struct perf_shift_task *shift = what->shift;
    int length = snprintf(question, PERF_PEER_LINE, "%s ", tasks[peers->task].word);
    if (task) {
        snprintf(
            question + length, (size_t)(PERF_PEER_LINE - length), "%s %zu %" PRIu64 " %zu %zu %.17g %.17g %" PRIu64,
            task->row ? task->row->name : perf_integrand_name(task->f.name), task->row ? task->row->dims : task->f.dims,
            task->calls, task->iterations, task->skipped, task->tau, task->seconds, task->seed);
        return;
    }
    length += snprintf(question + length, (size_t)(PERF_PEER_LINE - length), "%s %zu %zu",
                       uh_enum_name(UH_ENUM_DTYPE, what->dtype), peers->n, shift ? shift->dims : what->k);
    if (shift)
        snprintf(question + length, (size_t)(PERF_PEER_LINE - length), " %.17g %zu %zu %.200s", shift->radius,
                 shift->iterations, shift->clusters, shift->cpus);
}

static void offer_case(struct peer *peer) {
    struct perf_peers *peers = peer->all;
    char question[PERF_PEER_LINE], line[PERF_PEER_LINE];
    write_question(peers, question);
    memcpy(line, question, sizeof line);
    peer_process_ask(&peer->process, line);
    if (strncmp(line, "cannot ", 7) == 0) {
        if (strcmp(peer->refused, line + 7) != 0) {
            perf_report_progress(NULL);
            printf("# %s is left out: %s\n", peer->process.name, line + 7);
        }
        snprintf(peer->refused, sizeof peer->refused, "%s", line + 7);
        return;
    }
    peer->refused[0] = '\0';
    for (int i = 0; tasks[peers->task].answers[i]; i++)
        if (strcmp(line, tasks[peers->task].answers[i]) == 0) {
            peer->open = i;
            peers->active[peers->active_count++] = peer;
            return;
        }
    unexpected(peer, question, line, tasks[peers->task].expected);
}

size_t perf_peers_take_case(struct perf_peers *peers, const struct perf_peers_case *what) {
    const size_t max = what->integral || what->shift ? what->n : what->max ? what->max : PERF_PEER_VALUES;
    peers->active_count = 0;
    if (peers->count == 0)
        return 0;
    peers->what = *what;
    peers->task = what->shift ? SHIFTING : what->integral ? INTEGRATING : what->weights ? DRAWING : COUNTING;
    peers->what.dtype = what->weights ? UH_F32 : what->dtype;
    peers->n = what->n < max ? what->n : max;
    share_case(peers);
    for (size_t i = 0; i < peers->count; i++)
        offer_case(&peers->peer[i]);
    return peers->active_count;
}

void perf_peers_at(const struct perf_peers *peers, size_t index, struct perf_subject *subject) {
    struct peer *peer = peers->active[index];
    *subject = (struct perf_subject){.name = peer->process.name,
                                     .title = peer->process.title,
                                     .n = peers->n,
                                     .before = spoil_counts,
                                     .run = run_peer,
                                     .check = check_peer,
                                     .times = tell_times,
                                     .state = peer};
    snprintf(subject->note, sizeof subject->note, "%s: %s; %zu of %zu %s", peer->process.title, peer->process.how,
             peers->n, peers->what.n, tasks[peers->task].items);
}
