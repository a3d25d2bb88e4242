/* SPDX-License-Identifier: Apache-2.0 */
/* unihist-perf sample: weighted sampling by each method, and counts of samples that are never stored, beside the
 * library's own bulk generator and other libraries' samplers. */
#include "perf/bench.h"
#include "perf/family.h"
#include "perf/frequencies.h"
#include "perf/peers.h"
#include "perf/sample_reference.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PEER_PATIENCE 600 /* seconds for one run */
#define SEED          UINT64_C(20230629)
#define STREAM        ((uint64_t)1 << 63) /* that samples are made of */

enum { USUAL_N = 1 << 24 };

static const struct kind {
    const char *what;
    enum sample_weights weights;
    size_t k;
    int shapes, goal; /* not 0: also in other shapes; its rates have goals */
} kinds[] = {{"f32/k:1000/equal", SAMPLE_EQUAL, 1000, 0, 0},
             {"f32/k:1000/random", SAMPLE_RANDOM, 1000, 1, 1},
             {"f32/k:1000000/random", SAMPLE_RANDOM, 1000000, 1, 0},
             {"f32/k:1000/zipf", SAMPLE_ZIPF, 1000, 1, 0}};

/* Rivals that are peers: their names there, and in the table. */
static const struct {
    const char *peer, *name;
} rivals[] = {{"numpy_choice", "numpy"}, {"gsl_discrete", "gsl"}, {"boost_discrete", "boost"}, {"std_discrete", "std"}};
#define RIVALS (sizeof rivals / sizeof *rivals)

struct work {
    const struct kind *kind;
    size_t n;
    float *weights;
    uint32_t *sample, *alias; /* what was stored last; samples by alias that have been checked */
    uint64_t *counts;
    int alias_checked;
    struct perf_samples right;
};

/* One of the library's, at work. */
struct drawer {
    struct work *work;
    uh_queue *queue;
    uint32_t threads;
    uh_sampler *sampler;
    const char *name;
    double prepare;
    char plan[256];
};

/* Those of the library: a sampler of each method and number of threads. */
enum { ONE, TWO, ALIAS, BINARY, DRAWERS };

/* ---- the library ------------------------------------------------------------------------------------------------ */

static int run_words(void *context, struct perf_error *error) {
    const struct drawer *drawer = context;
    struct work *work = drawer->work;
    if (uh_random_u32(drawer->queue, UH_PHILOX4X32_10, SEED, STREAM, 0, work->sample, work->n))
        return family_library_failed(error);
    return PERF_OK;
}

/* The first ones and the last ones. */
static int check_words(void *context, struct perf_error *error) {
    enum { SOME = 4096 };
    const struct drawer *drawer = context;
    const struct work *work = drawer->work;
    const size_t count = work->n < SOME ? work->n : SOME;
    uint32_t right[SOME];
    for (size_t first = 0, part = 0; part < 2; part++, first = work->n - count) {
        perf_sample_words(SEED, STREAM, first, right, count);
        for (size_t i = 0; i < count; i++)
            if (work->sample[first + i] != right[i])
                return perf_fail(error, "u32: wrong: word %zu is %lu, expected %lu", first + i,
                                 (unsigned long)work->sample[first + i], (unsigned long)right[i]);
    }
    memset(work->sample, 0xff, work->n * sizeof *work->sample);
    return PERF_OK;
}

static int run_draw(void *context, struct perf_error *error) {
    const struct drawer *drawer = context;
    struct work *work = drawer->work;
    return uh_sampler_draw(drawer->sampler, work->n, SEED, 0, UH_U32, work->sample) ? family_library_failed(error)
                                                                                    : PERF_OK;
}

static int check_draw(void *context, struct perf_error *error) {
    const struct drawer *drawer = context;
    struct work *work = drawer->work;
    int status = perf_samples_check(&work->right, work->sample, drawer->name, error);
    memset(work->sample, 0xff, work->n * sizeof *work->sample);
    return status;
}

/* Frequencies of the first ones, which later ones must equal. `counts` is there for the time being. */
static int check_alias(void *context, struct perf_error *error) {
    const struct drawer *drawer = context;
    struct work *work = drawer->work;
    const size_t k = work->kind->k, bytes = work->n * sizeof *work->sample;
    const struct perf_samples before = {.n = work->n, .k = k, .sample = work->alias};
    int status;
    if (work->alias_checked) {
        status = perf_samples_check(&before, work->sample, drawer->name, error);
    } else {
        memset(work->counts, 0, k * sizeof *work->counts);
        status = perf_frequencies_count(work->sample, work->n, work->counts, k, drawer->name, error);
        if (status == PERF_OK)
            status = perf_frequencies_check(work->weights, k, work->counts, work->n, drawer->name, error);
        memcpy(work->alias, work->sample, bytes);
        memset(work->counts, 0xff, k * sizeof *work->counts);
    }
    work->alias_checked = 1;
    memset(work->sample, 0xff, bytes);
    return status;
}

static int run_count(void *context, struct perf_error *error) {
    const struct drawer *drawer = context;
    struct work *work = drawer->work;
    return uh_sampler_count(drawer->sampler, work->n, SEED, 0, work->counts, work->kind->k)
               ? family_library_failed(error)
               : PERF_OK;
}

static int check_count(void *context, struct perf_error *error) {
    const struct drawer *drawer = context;
    struct work *work = drawer->work;
    for (size_t j = 0; j < work->kind->k; j++)
        if (work->counts[j] != work->right.counts[j])
            return perf_fail(error, "count: wrong: %llu samples are %zu, expected %llu",
                             (unsigned long long)work->counts[j], j, (unsigned long long)work->right.counts[j]);
    memset(work->counts, 0xff, work->kind->k * sizeof *work->counts);
    return PERF_OK;
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int make_drawers(struct family *family, struct work *work, struct drawer *drawers, struct perf_error *error) {
    static const uh_sample_method methods[DRAWERS] = {
        [ALIAS] = UH_SAMPLE_ALIAS, [BINARY] = UH_SAMPLE_BINARY, [ONE] = UH_SAMPLE_AUTO, [TWO] = UH_SAMPLE_AUTO};
    static const char *const names[DRAWERS] = {
        [ALIAS] = "alias", [BINARY] = "binary", [ONE] = "unihist", [TWO] = "unihist"};
    for (size_t i = 0; i < DRAWERS; i++) {
        struct drawer *drawer = &drawers[i];
        const uh_sampler_options options = {.struct_size = sizeof options, .method = methods[i]};
        *drawer = (struct drawer){
            .work = work, .queue = family->queues[i == TWO], .threads = i == TWO ? 2 : 1, .name = names[i]};
        if (family_lists(family) || !drawer->queue)
            continue;
        double start = now();
        if (uh_sampler_create(drawer->queue, UH_F32, work->weights, work->kind->k, &options, &drawer->sampler))
            return family_library_failed(error);
        drawer->prepare = now() - start;
        if (uh_sampler_plan_text(drawer->sampler, drawer->plan, sizeof drawer->plan, NULL))
            return family_library_failed(error);
    }
    return PERF_OK;
}

/* ---- cases ------------------------------------------------------------------------------------------------------ */

static int make(struct work *work, enum family_data data, struct perf_error *error) {
    static const enum sample_shape shapes[FAMILY_DATA_COUNT] = {SAMPLE_AS_MADE, SAMPLE_ONE_ITEM, SAMPLE_ASCENDING};
    const size_t k = work->kind->k, bytes = work->n * sizeof *work->sample;
    work->weights = perf_sample_weights(work->kind->weights, shapes[data], k);
    work->sample = perf_array_create(bytes, 2);
    work->alias = perf_array_create(bytes, 2);
    work->counts = malloc(k * sizeof *work->counts);
    if (!work->weights || !work->sample || !work->alias || !work->counts)
        return perf_fail(error, "out of memory for %zu samples", work->n);
    memset(work->sample, 0xff, bytes);
    memset(work->counts, 0xff, k * sizeof *work->counts);
    return perf_samples_draw(work->weights, k, SEED, work->n, &work->right, error);
}

/* Starts the peers, and says which are not there, and why. */
static int start_peers(struct family *family, struct perf_peers **peers, struct perf_error *error) {
    struct perf_peer_options options = {.timeout = PEER_PATIENCE, .count = RIVALS};
    for (size_t i = 0; i < RIVALS; i++)
        memcpy(options.name[i], rivals[i].peer, strlen(rivals[i].peer) + 1);
    int status = perf_peers_create(&options, NULL, peers, error);
    if (status == PERF_OK && *perf_peers_left_out(*peers))
        status = perf_report_fact(family->report, "left out", perf_peers_left_out(*peers), error);
    return status;
}

static void add_peers(struct family *family, struct family_case *what, const struct perf_peers *peers, size_t count) {
    for (size_t i = 0; i < RIVALS; i++) {
        struct family_rival *rival = NULL;
        if (family_lists(family))
            rival = family_add(what, rivals[i].name, 1, 0, (struct perf_subject){.run = NULL});
        for (size_t j = 0; j < count; j++) {
            const struct perf_peer *peer = perf_peers_at(peers, j);
            if (strcmp(peer->name, rivals[i].peer) == 0) {
                rival = family_add(what, rivals[i].name, 1, (double)peer->n, peer->subject);
                rival->note = peer->note;
            }
        }
        if (rival)
            rival->baseline = strcmp(rivals[i].name, "gsl") == 0;
    }
}

/* A row of the library's, unless there is no CPU for its threads. */
static void add_ours(struct family *family, struct family_case *what, const char *name, struct drawer *drawer,
                     int (*run)(void *, struct perf_error *), int (*check)(void *, struct perf_error *)) {
    if (!family_lists(family) && !drawer->queue)
        return;
    struct family_rival *rival = family_add(what, name, drawer->threads, (double)drawer->work->n,
                                            (struct perf_subject){NULL, run, check, drawer, NULL});
    rival->limit = run == run_words;
    rival->prepare = run == run_words ? 0 : drawer->prepare;
    rival->note = run == run_words ? NULL : drawer->plan;
}

static void set_goals(struct family *family, const struct family_case *what, double *usual) {
    const char *const row = "sample k=1000 random";
    for (uint32_t threads = 1; threads <= 2; threads++) {
        const double rate = family_rate(what, "unihist", threads), words = family_rate(what, "u32", threads);
        if (what->data == FAMILY_USUAL && words > 0)
            family_goal(family, what, row, "unihist", threads, "x u32", rate / words, 0.3, 0.7);
        if (what->data != FAMILY_USUAL)
            family_goal(family, what, row, "unihist", threads, "x usual", rate / usual[threads], 0.5, 1);
        usual[threads] = what->data == FAMILY_USUAL ? rate : usual[threads];
    }
    const double numpy = family_rate(what, "numpy", 1), gsl = family_rate(what, "gsl", 1);
    if (what->data == FAMILY_USUAL && numpy > 0)
        family_goal(family, what, row, "unihist", 1, "x numpy", usual[1] / numpy, 20, 40);
    if (what->data == FAMILY_USUAL && gsl > 0)
        family_goal(family, what, row, "unihist", 1, "x gsl", usual[1] / gsl, 5, 10);
}

/* Adds all rivals and measures them. */
static int measure(struct family *family, struct family_case *what, struct work *work, struct drawer *drawers,
                   struct perf_peers *peers, struct perf_error *error) {
    size_t count = 0;
    if (!family_lists(family)) {
        const struct perf_peers_case drawn = {.name = "*", .n = work->n, .k = work->kind->k, .weights = work->weights};
        int status = perf_peers_take_case(peers, &drawn, &count, error);
        if (status != PERF_OK)
            return status;
    }
    add_ours(family, what, "u32", &drawers[ONE], run_words, check_words);
    add_ours(family, what, "u32", &drawers[TWO], run_words, check_words);
    add_peers(family, what, peers, count);
    add_ours(family, what, "unihist", &drawers[ONE], run_draw, check_draw);
    add_ours(family, what, "unihist", &drawers[TWO], run_draw, check_draw);
    add_ours(family, what, "alias", &drawers[ALIAS], run_draw, check_alias);
    add_ours(family, what, "binary", &drawers[BINARY], run_draw, check_draw);
    add_ours(family, what, "count", &drawers[ONE], run_count, check_count);
    add_ours(family, what, "count", &drawers[TWO], run_count, check_count);
    return family_measure(family, what, error);
}

static int run_case(struct family *family, const struct kind *kind, enum family_data data, struct perf_peers *peers,
                    double *usual, struct perf_error *error) {
    struct family_case what = {
        .operation = "sample", .what = kind->what, .data = data, .bytes = (double)sizeof(uint32_t)};
    struct work work = {.kind = kind, .n = family_length(family, USUAL_N)};
    struct drawer drawers[DRAWERS] = {{.work = NULL}};
    int status = family_lists(family) ? PERF_OK : make(&work, data, error);
    if (status == PERF_OK)
        status = make_drawers(family, &work, drawers, error);
    if (status == PERF_OK)
        status = measure(family, &what, &work, drawers, peers, error);
    if (status == PERF_OK && kind->goal)
        set_goals(family, &what, usual);
    for (size_t i = 0; i < DRAWERS; i++)
        uh_sampler_destroy(drawers[i].sampler);
    perf_samples_free(&work.right);
    free(work.weights);
    free(work.sample);
    free(work.alias);
    free(work.counts);
    return status;
}

static int family_sample(struct family *family, struct perf_error *error) {
    struct perf_peers *peers = NULL;
    int status = family_lists(family) ? PERF_OK : start_peers(family, &peers, error);
    for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++) {
        double usual[3] = {0};
        for (int data = 0; status == PERF_OK && data < (kinds[kind].shapes ? FAMILY_DATA_COUNT : 1); data++)
            status = run_case(family, &kinds[kind], (enum family_data)data, peers, usual, error);
    }
    perf_peers_destroy(peers);
    return status;
}

int uhi_perf_sample(int argc, char **argv, struct perf_error *error) {
    static const family_cases cases[] = {family_sample};
    return family_main(
        argc, argv,
        "Measure weighted sampling, stored and counted, beside uh_random_u32 and the samplers of NumPy,\n"
        "GSL, Boost and C++ (one thread).",
        cases, 1, error);
}
