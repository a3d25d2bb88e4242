/* SPDX-License-Identifier: Apache-2.0 */
/* A run: each case is made, its subjects take turns, and what they gave is reported. */
#include "perf/bench.h"

/* ---- subjects --------------------------------------------------------------------------------------------------- */

static struct perf_subject *add(const struct perf_case *what, const struct perf_subject *row, uint32_t threads,
                                struct perf_subject *subjects, size_t *count) {
    struct perf_subject *subject = &subjects[(*count)++];
    *subject = *row;
    subject->what = what;
    subject->threads = threads;
    subject->n = subject->n ? subject->n : what->n;
    perf_result_name(what, what->name, subject->name, threads, subject->result);
    return subject;
}

static void list_widths(const struct perf_case *what, const struct perf_subject *rows, size_t row_count,
                        struct perf_subject *subjects, size_t *count) {
    uint32_t group_size, groups;
    size_t row = 0;
    while (row + 1 < row_count && strcmp(rows[row].name, what->tuned) != 0)
        row++;
    for (size_t i = 0; perf_tune_width(&what->device->properties, i, &group_size, &groups); i++) {
        struct perf_subject *subject = add(what, &rows[row], 1, subjects, count);
        const size_t length = strlen(subject->result);
        subject->group_size = group_size;
        subject->groups = groups;
        snprintf(subject->width, sizeof subject->width, "as now");
        if (i)
            snprintf(subject->width, sizeof subject->width, "%u x %u", (unsigned)groups, (unsigned)group_size);
        snprintf(subject->result + length, sizeof subject->result - length, "/group:%u/groups:%u", (unsigned)group_size,
                 (unsigned)groups);
        subject->title = subject->width;
    }
}

/* Lists the subjects of a case, all but peers, with each of its numbers of threads. */
static void list_subjects(const struct perf_case *what, struct perf_subject *subjects, size_t *count) {
    const struct perf_operation *operation = what->operation;
    struct perf_subject rows[PERF_LIST_MAX];
    const size_t numbers = what->threads.count;
    size_t row_count = 0;
    *count = 0;
    if (operation->pick)
        operation->pick(what, rows, &row_count);
    for (size_t i = 0; i < operation->subject_count; i++)
        if (!operation->subjects[i].kinds || operation->subjects[i].kinds >> (what->row->kind % 8) & 1)
            rows[row_count++] = operation->subjects[i];
    if (what->tuned) {
        list_widths(what, rows, row_count, subjects, count);
        return;
    }
    for (size_t t = 0; t < (numbers ? numbers : 1); t++) {
        const uint32_t threads = numbers ? (uint32_t)what->threads.value[t] : 1;
        for (size_t i = 0; i < row_count; i++)
            if (what->device->host ? !rows[i].threads || rows[i].threads == threads : !rows[i].host)
                add(what, &rows[i], threads, subjects, count);
    }
}

static const struct perf_known_peer *known_peers(const struct perf_case *what) {
    return what->device->host ? what->operation->peers : what->operation->on_device;
}

/* What a peer of the operation is called and whether ratios to it are shown. */
static struct perf_known_peer known_peer(const struct perf_case *what, const char *program) {
    const struct perf_known_peer *known = known_peers(what);
    for (size_t i = 0; i < PERF_PEERS_OF && known[i].program; i++)
        if (strcmp(known[i].program, program) == 0)
            return known[i];
    return (struct perf_known_peer){program, program, PERF_COMPARED};
}

static uint32_t peer_threads(const struct perf_operation *operation) {
    return operation->peer_threads ? operation->peer_threads : 1;
}

/* Hands the case to the peers, and adds each that can do it. */
static void add_peers(struct perf_case *what, struct perf_subject *subjects, size_t *count) {
    struct perf_peers_case shared = what->shared;
    if (!what->bench->peers || what->alone || !shared.k)
        return;
    if (!what->device->host) { /* a part would be in the card's cache */
        shared.max = what->n;
        shared.threads = (uint32_t)what->bench->cpus.count;
    }
    shared.n = what->n;
    shared.dtype = what->dtype;
    const size_t peer_count = perf_peers_take_case(what->bench->peers, &shared);
    for (size_t i = 0; i < peer_count; i++) {
        struct perf_subject peer;
        perf_peers_at(what->bench->peers, i, &peer);
        const struct perf_known_peer known = known_peer(what, peer.name);
        peer.name = known.name;
        peer.role = known.role;
        add(what, &peer, peer_threads(what->operation), subjects, count);
    }
}

/* Whether a goal of the operation's cases, from this one on, is a ratio to a peer. */
static int is_a_goal(const struct perf_case *what, const char *peer) {
    const struct perf_case *end = what->bench->cases + what->bench->case_count;
    for (const struct perf_case *c = what; c < end && c->operation == what->operation; c++)
        for (const struct perf_goal *goal = c->goals; goal && goal->unit; goal++)
            if (goal->other && strcmp(goal->other, peer) == 0)
                return 1;
    return 0;
}

/* The peers that an operation is to have: --peers, or its own, or those that goals are ratios to. */
static void choose_peers(const struct perf_case *what, struct perf_peer_options *chosen) {
    const struct perf_options *options = &what->bench->options;
    const struct perf_operation *operation = what->operation;
    const struct perf_known_peer *known = known_peers(what);
    const int host = what->device->host, own = !host || operation->row_count > 0;
    const int given = !options->peers.own, all = given ? options->peers.all : host && own;
    *chosen = options->peers;
    chosen->count = 0;
    for (size_t i = 0; (own || !given) && i < PERF_PEERS_OF && known[i].program; i++) {
        int wanted = all || (!given && is_a_goal(what, known[i].name));
        for (size_t j = 0; j < options->peers.count; j++)
            wanted |= strcmp(options->peers.name[j], known[i].program) == 0;
        if (wanted)
            snprintf(chosen->name[chosen->count++], PERF_PEER_NAME_MAX, "%s", known[i].program);
    }
    for (size_t j = 0; !own && j < options->peers.count; j++)
        memcpy(chosen->name[chosen->count++], options->peers.name[j], PERF_PEER_NAME_MAX);
}

void perf_print_names(struct perf_bench *bench) {
    struct perf_subject *subjects = perf_memory(PERF_SUBJECTS_MAX, sizeof *subjects);
    struct perf_peer_options peers;
    char name[PERF_NAME_MAX];
    size_t count = 0;
    for (size_t i = 0; i < bench->case_count; i++) {
        const struct perf_case *what = &bench->cases[i];
        list_subjects(what, subjects, &count);
        for (size_t j = 0; j < count; j++)
            puts(subjects[j].result);
        choose_peers(what, &peers);
        const int has_peers = what->measured == PERF_FILL && !what->alone;
        for (size_t j = 0; has_peers && j < peers.count; j++) {
            perf_result_name(what, what->name, known_peer(what, peers.name[j]).name, peer_threads(what->operation),
                             name);
            puts(name);
        }
    }
    free(subjects);
}

/* The fastest geometry of those that a case is measured with. */
static void choose_width(struct perf_case *what, const struct perf_subject *subjects, size_t count) {
    what->best_rate = what->usual_rate = (double)subjects[0].n / subjects[0].timing.median;
    for (size_t i = 1; i < count; i++) {
        const double rate = (double)subjects[i].n / subjects[i].timing.median;
        if (rate > what->best_rate) {
            what->best_rate = rate;
            what->best_size = subjects[i].group_size;
            what->best_groups = subjects[i].groups;
        }
    }
}

/* ---- a case ----------------------------------------------------------------------------------------------------- */

/* A queue of the subject's own, on which operations are as wide as it says. */
static void make_queue(const struct perf_case *what, struct perf_subject *subject) {
    const uh_queue_options options = {
        .struct_size = sizeof options, .group_size = subject->group_size, .groups = subject->groups};
    perf_check(uh_queue_create(what->device->device, &options, &subject->own));
    subject->queue = subject->own;
}

static void start(struct perf_case *what, void *work, struct perf_subject *subjects, size_t count) {
    const int pinned = what->device->host && !what->operation->free_threads;
    int differ = 0;
    uint32_t threads = 1;
    for (size_t i = 0; i < count; i++) {
        threads = subjects[i].threads > threads ? subjects[i].threads : threads;
        differ |= subjects[i].threads != subjects[0].threads;
    }
    for (size_t i = 0; i < count; i++) {
        struct perf_subject *subject = &subjects[i];
        subject->work = work;
        subject->cpus = pinned && differ ? &what->bench->cpus : NULL;
        if (what->tuned)
            make_queue(what, subject);
        else if (!what->operation->free_threads)
            subject->queue = perf_queue(what->device, subject->threads);
        if (subject->start)
            subject->start(subject);
    }
    if (pinned)
        perf_pin_threads(&what->bench->cpus, threads);
}

static void measure(struct perf_bench *bench, struct perf_case *what, struct perf_subject *subjects, size_t count) {
    perf_measure(subjects, count, bench->options.min_time);
    perf_report_progress(NULL);
    if (what->tuned)
        choose_width(what, subjects, count);
    perf_report_case(what, subjects, count);
}

static void run_case(struct perf_bench *bench, struct perf_case *what, void *work) {
    struct perf_subject *subjects = perf_memory(PERF_SUBJECTS_MAX, sizeof *subjects);
    size_t count = 0;
    if (what->device->host && !what->operation->free_threads)
        perf_pin_threads(&bench->cpus, bench->threads_max); /* near which perf_array places its pages */
    if (what->operation->make)
        what->operation->make(what, work);
    list_subjects(what, subjects, &count);
    add_peers(what, subjects, &count);
    if (perf_interrupted)
        perf_fail("interrupted");
    start(what, work, subjects, count);
    if (count)
        measure(bench, what, subjects, count);
    for (size_t i = 0; i < count; i++) {
        if (subjects[i].end)
            subjects[i].end(&subjects[i]);
        uh_queue_destroy(subjects[i].own);
    }
    while (what->array_count)
        free(what->arrays[--what->array_count]);
    while (what->there_count)
        uh_free(what->there[--what->there_count]);
    free(subjects);
}

/* ---- an operation ----------------------------------------------------------------------------------------------- */

/* Runs the cases of one operation, from number *next on. */
static void run_operation(struct perf_bench *bench, size_t *next) {
    const struct perf_operation *operation = bench->cases[*next].operation;
    struct perf_peer_options peers;
    void *work = perf_memory(1, operation->work_size ? operation->work_size : 1);
    choose_peers(&bench->cases[*next], &peers);
    bench->peers = perf_peers_create(&peers);
    if (operation->begin)
        operation->begin(bench, work);
    for (; *next < bench->case_count && bench->cases[*next].operation == operation; ++*next) {
        struct perf_case *what = &bench->cases[*next];
        if (*next == 0 || what[-1].operation != operation || what[-1].unit != what->unit)
            perf_report_head(what->unit, what->baseline ? what->baseline : "x baseline");
        perf_report_progress("[%zu/%zu] %s", *next + 1, bench->case_count, what->name);
        run_case(bench, what, work);
    }
    perf_report_progress(NULL);
    if (operation->end)
        operation->end(work);
    free(work);
    perf_peers_destroy(bench->peers);
    bench->peers = NULL;
}

void perf_run_cases(struct perf_bench *bench) {
    for (size_t next = 0; next < bench->case_count;)
        run_operation(bench, &next);
}
