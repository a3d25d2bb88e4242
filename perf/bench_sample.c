/* SPDX-License-Identifier: Apache-2.0 */
/* Weighted sampling by each method, and counts of samples that are never stored, compared with the library's own bulk
 * generator and other libraries' samplers. */
#include "perf/bench.h"
#include "perf/sample_reference.h"
#include "tests/random_oracle.h"

#define SEED   UINT64_C(20230629)
#define STREAM ((uint64_t)1 << 63) /* that samples are made of */

/* Samples that are compared one by one, and those that are taken from a device at once. */
enum { COMPARED = 1 << 24, PIECE = 1 << 22 };

struct work {
    size_t n, k, compared;
    float *weights;
    uint32_t *right;             /* the first samples */
    uint64_t *right_counts;      /* of those */
    uint64_t *counts, *of_alias; /* of a run; of the first one by alias */
    int alias_counted;
    uint32_t *there, *piece; /* samples; some of them, NULL if they are on the host */
};

/* ---- data ------------------------------------------------------------------------------------------------------- */

static void make(struct perf_case *what, void *shared) {
    static const enum sample_shape shapes[PERF_SHAPES] = {SAMPLE_AS_MADE, SAMPLE_ONE_ITEM, SAMPLE_ASCENDING};
    struct work *work = shared;
    const size_t n = what->n, k = what->k, bytes = n * sizeof(uint32_t);
    *work = (struct work){.n = n, .k = k, .compared = n < COMPARED ? n : COMPARED};
    what->bytes = sizeof(uint32_t);
    work->there = perf_array_there(what, bytes);
    work->piece = what->device->host ? NULL : perf_array(what, PIECE * sizeof(uint32_t));
    work->weights = perf_array(what, k * sizeof(float));
    work->right = perf_array(what, work->compared * sizeof(uint32_t));
    work->right_counts = perf_array(what, 3 * k * sizeof(uint64_t));
    work->counts = work->right_counts + k;
    work->of_alias = work->counts + k;
    if (!work->piece)
        memset(work->there, 0xff, bytes);
    perf_sample_weights((enum sample_weights)what->row->kind, shapes[what->shape], k, work->weights);
    what->shared = (struct perf_peers_case){.k = k, .weights = work->weights};
    perf_samples_draw(work->weights, k, SEED, work->compared, work->right, work->right_counts);
}

/* Returns `count` samples from number `first` on. */
static const uint32_t *look_at(const struct perf_subject *subject, size_t first, size_t count) {
    const struct work *work = subject->work;
    const uint32_t *from = work->there + first;
    if (!work->piece)
        return from;
    perf_check(uh_memcpy(subject->queue, work->piece, from, count * sizeof *from, NULL) ||
               uh_queue_wait(subject->queue));
    return work->piece;
}

/* What a run does not write stays wrong. */
static void spoil(const struct work *work) {
    if (work->there && !work->piece)
        memset(work->there, 0xff, work->n * sizeof *work->there);
}

/* ---- subjects --------------------------------------------------------------------------------------------------- */

static void run_words(struct perf_subject *subject) {
    const struct work *work = subject->work;
    const uh_random_stream from = {UH_PHILOX4X32_10, SEED, STREAM, 0};
    perf_check(uh_random(subject->queue, &from, 0, UH_U32, work->there, work->n));
}

/* The first ones and the last ones. */
static void check_words(struct perf_subject *subject) {
    enum { SOME = 4096 };
    const struct work *work = subject->work;
    const size_t count = work->n < SOME ? work->n : SOME;
    for (size_t first = 0, part = 0; part < 2; part++, first = work->n - count) {
        const uint32_t *words = look_at(subject, first, count);
        for (size_t i = 0; i < count; i++) {
            const uint32_t right = random_oracle_32(UH_PHILOX4X32_10, SEED, STREAM, first + i);
            if (words[i] != right)
                perf_fail("wrong: word %zu is %lu, expected %lu", first + i, (unsigned long)words[i],
                          (unsigned long)right);
        }
    }
    spoil(work);
}

static void start(struct perf_subject *subject) {
    const struct work *work = subject->work;
    const uh_sampler_options options = {.struct_size = sizeof options, .method = (uh_sample_method)subject->choice};
    const uh_array weights = uh_array_of(UH_F32, work->weights, work->k);
    const uh_discrete weighted = {.struct_size = sizeof weighted, .kind = UH_DISCRETE_WEIGHTS, .weights = &weights};
    uh_sampler_properties properties = {.struct_size = sizeof properties};
    uh_sampler *sampler = NULL;
    const double start_time = perf_now();
    perf_check(uh_sampler_create(subject->queue, &weighted, &options, &sampler));
    subject->state = sampler;
    subject->prepare = perf_now() - start_time;
    perf_check(uh_sampler_get_properties(sampler, &properties));
    snprintf(subject->note, sizeof subject->note, "%s", properties.plan);
}

static void end(struct perf_subject *subject) { uh_sampler_destroy(subject->state); }

static void draw(struct perf_subject *subject) {
    const struct work *work = subject->work;
    perf_check(uh_sampler_draw(subject->state, SEED, 0, UH_U32, work->there, work->n));
}

static void compare(const struct work *work, const uint32_t *sample, size_t first, size_t count) {
    const size_t known = first < work->compared ? work->compared - first : 0;
    count = count < known ? count : known;
    size_t i = 0;
    while (i < count && sample[i] == work->right[first + i])
        i++;
    if (i < count)
        perf_fail("wrong: sample %zu is %lu, expected %lu", first + i, (unsigned long)sample[i],
                  (unsigned long)work->right[first + i]);
}

static void add_up(const struct work *work, const uint32_t *sample, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (sample[i] >= work->k)
            perf_fail("wrong: sample %zu is %lu, expected one below %zu", i, (unsigned long)sample[i], work->k);
        work->counts[sample[i]]++;
    }
}

/* The first samples one by one if it is known what they are; and the frequencies of all if that is not enough. */
static void check_draw(struct perf_subject *subject) {
    struct work *work = subject->work;
    const int alias = subject->choice == UH_SAMPLE_ALIAS, counted = alias || work->n > work->compared;
    memset(work->counts, 0, work->k * sizeof *work->counts);
    for (size_t first = 0; first < work->n; first += PIECE) {
        const size_t count = work->n - first < PIECE ? work->n - first : PIECE;
        const uint32_t *sample = look_at(subject, first, count);
        if (perf_interrupted)
            perf_fail("interrupted");
        if (!alias)
            compare(work, sample, first, count);
        if (counted)
            add_up(work, sample, count);
    }
    if (counted)
        perf_frequencies_check(work->weights, work->k, work->counts, work->n);
    if (alias && !work->alias_counted)
        memcpy(work->of_alias, work->counts, work->k * sizeof *work->counts);
    else if (alias && memcmp(work->counts, work->of_alias, work->k * sizeof *work->counts) != 0)
        perf_fail("wrong: the samples are not those of the first run");
    work->alias_counted |= alias;
    spoil(work);
}

static void count_draws(struct perf_subject *subject) {
    const struct work *work = subject->work;
    perf_check(uh_sampler_count(subject->state, SEED, 0, work->n, work->counts, work->k));
}

static void check_count(struct perf_subject *subject) {
    const struct work *work = subject->work;
    if (work->n > work->compared)
        perf_frequencies_check(work->weights, work->k, work->counts, work->n);
    else
        perf_same_counts("sample", work->counts, work->right_counts, work->k);
    memset(work->counts, 0xff, work->k * sizeof *work->counts);
}

/* ---- the table -------------------------------------------------------------------------------------------------- */

#define SAMPLER(method, run_, check_) .choice = (method), .start = start, .run = (run_), .check = (check_), .end = end

/* Of equal weights those that store samples, each by the threads of the case; of others all. */
static void pick(const struct perf_case *what, struct perf_subject *picked, size_t *picked_count) {
    const uint32_t one = what->row->by_threads ? 0 : 1;
    const struct perf_subject all[] = {{.name = "u32", .role = PERF_LIMIT, .run = run_words, .check = check_words},
                                       {SAMPLER(UH_SAMPLE_UNIHIST, draw, check_draw), .name = "unihist"},
                                       {SAMPLER(UH_SAMPLE_ALIAS, draw, check_draw), .name = "alias", .threads = one},
                                       {SAMPLER(UH_SAMPLE_BINARY, draw, check_draw), .name = "binary", .threads = one},
                                       {SAMPLER(UH_SAMPLE_UNIHIST, count_draws, check_count), .name = "count"}};
    *picked_count = sizeof all / sizeof *all - !one;
    memcpy(picked, all, *picked_count * sizeof *picked);
}

#define ROW(k_, weights) .k = (k_), .kind = (weights), .dtype = UH_F32, .n = 1 << 24

/* The first one is that of the paper's table XIII. */
static const struct perf_row rows[] = {
    {"f32/k:1000/equal", ROW(1000, SAMPLE_EQUAL), .shapes = PERF_USUAL_ONLY, .by_threads = 1},
    {"f32/k:1000/random", ROW(1000, SAMPLE_RANDOM), .shapes = PERF_EVERY_SHAPE, .title = "sample k=1000 random",
     PERF_GOALS({PERF_GOAL_SUBJECT, "x u32", "unihist", "u32", .floor = 0.3, .goal = 0.7},
                {PERF_GOAL_SUBJECT, "x u32, v3", "unihist", "u32", 1, 1, .floor = 0.33, .goal = 0.6, .isa = "v3"},
                {PERF_GOAL_SUBJECT, "x numpy", "unihist", "numpy", 1, 1, .floor = 20, .goal = 40},
                {PERF_GOAL_SUBJECT, "x gsl", "unihist", "gsl", 1, 1, .floor = 5, .goal = 10},
                {PERF_GOAL_USUAL, "x usual", "unihist", .floor = 0.5, .goal = 1})},
    {"f32/k:1000000/random", ROW(1000000, SAMPLE_RANDOM), .shapes = PERF_EVERY_SHAPE},
    {"f32/k:1000/zipf", ROW(1000, SAMPLE_ZIPF), .shapes = PERF_EVERY_SHAPE}};

const struct perf_operation uhi_perf_sample = {
    .name = "sample",
    .about =
        "sample: weighted sampling, stored and counted, compared with uh_random and the samplers of NumPy and GSL\n"
        "(one thread).",
    .options = "rows sample",
    PERF_ROWS(rows),
    .pick = pick,
    .baseline = "x gsl",
    .peers = {{"numpy_choice", "numpy", PERF_COMPARED}, {"gsl_discrete", "gsl", PERF_BASELINE}},
    .on_device = {{"cupy_choice", "cupy", PERF_BASELINE}},
    .work_size = sizeof(struct work),
    .make = make};
