/* SPDX-License-Identifier: Apache-2.0 */
/* The paper's workload (section V) and what it left out, by every method; small fills; the making of plans; and the
 * rows of what has a floor or a goal. */
#include "perf/histogram.h"

/* The binary search is so slow that a part of the array does. */
#define SEARCH_MAX ((size_t)4 << 20)

#define H 0.01

enum {
    WORST = 1 << CASE_WORST,
    RANDOM = 1 << CASE_RANDOM,
    ALMOST = 1 << CASE_ALMOST,
    DECADES = 1 << CASE_DECADES,
    EQUAL = 1 << CASE_EQUAL,
    PAPER = WORST | RANDOM | ALMOST,
    UNIFORM = 1 << CASE_UNIFORM,
    F32 = 1 << UH_F32,
    EVERY_SHAPE = (1 << CASE_DATA_COUNT) - 1
};

#define SEARCH(floor_, goal_)                                                                                          \
    { PERF_GOAL_SUBJECT, "x search", "auto", "binary", 1, .floor = (floor_), .goal = (goal_), .shapes = EVERY_SHAPE }
#define LIMIT(goal_)                                                                                                   \
    { PERF_GOAL_SUBJECT, "of limit", "auto", "limit", 1, .goal = (goal_), .shapes = EVERY_SHAPE }
/* Compared with FastBinarySearch: with AVX2, and with AVX-512. */
#define FBS(v3_floor, v3_goal, v4_floor, v4_goal)                                                                      \
    {PERF_GOAL_SUBJECT,     "x FBS",    "auto", "fbs", 1, .floor = (v3_floor), .goal = (v3_goal),                      \
     .shapes = EVERY_SHAPE, .isa = "v3"},                                                                              \
    {                                                                                                                  \
        PERF_GOAL_SUBJECT, "x FBS, v4", "auto", "fbs", 1, .floor = (v4_floor), .goal = (v4_goal),                      \
                                                          .shapes = EVERY_SHAPE, .isa = "v4"                           \
    }
#define FEW_FBS FBS(1.2, 1.6, 1.6, 2.5)
#define LARGE   .measured = PERF_FILL, .n = {1, {PERF_N_LARGE}}, .threads = {1, {1}}, .search = SEARCH_MAX, .name_n = 1
#define CACHE   .measured = PERF_FILL, .n = {1, {PERF_N_CACHE}}, .threads = {1, {1}}, .search = SEARCH_MAX, .name_n = 1
#define CALLS                                                                                                          \
    .measured = PERF_CALLS, .n = {3, {100, 1000, 10000}}, .threads = {1, {1}}, .name_n = 1, .bins = RANDOM,            \
    .data = UNIFORM, .dtypes = F32
#define PLANS                                                                                                          \
    .measured = PERF_PLAN, .n = {1, {1}}, .threads = {1, {1}}, .bins = PAPER | DECADES, .data = UNIFORM, .dtypes = F32

#define F32_UNIFORM .data = UNIFORM, .dtypes = F32

/* In an order that keeps the array as long as it can be. */
static const struct histogram_rows with_goals[] = {
    {"k=100", LARGE, .bins = PAPER, F32_UNIFORM, .k = {1, {100}}, .h = {1, {H}}, .by_two = RANDOM,
     PERF_GOALS(SEARCH(6, 11), LIMIT(0.5), FEW_FBS)},
    {"k=1000", LARGE, .bins = PAPER, F32_UNIFORM, .k = {1, {1000}}, .h = {1, {H}}, .by_two = RANDOM,
     PERF_GOALS(SEARCH(9, 16), LIMIT(0.5), FEW_FBS)},
    {"k=10, 64, 255", LARGE, .bins = PAPER, F32_UNIFORM, .k = {3, {10, 64, 255}}, .h = {1, {H}},
     PERF_GOALS(SEARCH(5, 10), LIMIT(0.6), FEW_FBS)},
    {"k=10,000", LARGE, .bins = PAPER, F32_UNIFORM, .k = {1, {10000}}, .h = {1, {0.001}},
     PERF_GOALS(SEARCH(0, 0), LIMIT(0), FEW_FBS)},
    {"k=100,000 and 500,000", LARGE, .bins = PAPER, F32_UNIFORM, .k = {2, {100000, 500000}}, .h = {1, {0.0001}},
     PERF_GOALS(SEARCH(0, 0), LIMIT(0), FBS(1, 1.5, 1.6, 2.5))},
    {"k=65,536", LARGE, .bins = RANDOM, F32_UNIFORM, .k = {1, {65536}}, .h = {1, {0.001}},
     PERF_GOALS(SEARCH(5, 9), LIMIT(0))},
    {"k=1,000,000", LARGE, .bins = RANDOM, F32_UNIFORM, .k = {1, {1000000}}, .h = {1, {0.0001}},
     PERF_GOALS(SEARCH(12, 20), LIMIT(0))},
    {"data sorted", LARGE, .bins = RANDOM, .data = 1 << CASE_SORTED, .dtypes = F32, .k = {2, {100, 1000}},
     .h = {1, {H}}, PERF_GOALS({PERF_GOAL_USUAL, "x uniform", "auto", NULL, 1, .floor = 0.5, .goal = 1})},
    {"all data in one bin", LARGE, .bins = RANDOM, .data = 1 << CASE_ONEBIN, .dtypes = F32, .k = {2, {100, 1000}},
     .h = {1, {H}}, PERF_GOALS({PERF_GOAL_USUAL, "x uniform", "auto", NULL, 1, .floor = 0.5, .goal = 1})},
    {"data in the narrowest bins", LARGE, .bins = WORST | RANDOM, .data = 1 << CASE_NARROW, .dtypes = F32,
     .k = {1, {1000}}, .h = {1, {H}}, PERF_GOALS(SEARCH(5, 10), LIMIT(0))},
    {"60 decades, log-normal data", LARGE, .bins = DECADES, .data = 1 << CASE_LOGNORMAL, .dtypes = F32,
     .k = {1, {1000}}, .h = {1, {0}}, PERF_GOALS(SEARCH(5, 10), LIMIT(0))},
    {"k=100, in cache", CACHE, .bins = PAPER, F32_UNIFORM, .k = {1, {100}}, .h = {1, {H}},
     PERF_GOALS(SEARCH(6, 11), LIMIT(0.5))},
    {"k=1000, in cache", CACHE, .bins = PAPER, F32_UNIFORM, .k = {1, {1000}}, .h = {1, {H}},
     PERF_GOALS(SEARCH(9, 16), LIMIT(0.5))},
    {"f64, k=1000", LARGE, .bins = PAPER, .data = UNIFORM, .dtypes = 1 << UH_F64, .k = {1, {1000}}, .h = {1, {H}},
     PERF_GOALS(SEARCH(7, 12), LIMIT(0.5))},
    {"i32, k=1000 equal", LARGE, .bins = EQUAL, .data = UNIFORM, .dtypes = 1 << UH_I32, .k = {1, {1000}}, .h = {1, {0}},
     PERF_GOALS(SEARCH(0, 0), LIMIT(0.5))},
    {"u8, 256 integer bins", LARGE, .bins = EQUAL, .data = UNIFORM, .dtypes = 1 << UH_U8, .k = {1, {256}},
     .h = {1, {0}}, PERF_GOALS(SEARCH(0, 0), LIMIT(0.5))},
    {"small calls", CALLS, .k = {2, {100, 1000}}, .h = {1, {H}},
     PERF_GOALS({PERF_GOAL_SUBJECT, "x plain", "auto", "plain", 1, .floor = 1, .goal = 2})},
    {"making the plan, k=1000", PLANS, .k = {1, {1000}}, .h = {1, {0.0001}},
     PERF_GOALS({PERF_GOAL_TIME, "us", "auto", NULL, 1, .goal = 20})},
    {"making the plan, k=1,000,000", PLANS, .k = {1, {1000000}}, .h = {1, {0.0001}},
     PERF_GOALS({PERF_GOAL_TIME, "us", "auto", NULL, 1, .goal = 40000})},
    {"2 threads against 1", LARGE, .bins = RANDOM, F32_UNIFORM, .k = {2, {100, 1000}}, .h = {1, {H}}, .again = 1,
     PERF_GOALS({PERF_GOAL_SUBJECT, "x 1 thr", "auto", "auto", 2, 1, .floor = 1.7, .goal = 1.95})},
    {"AVX2 against AVX-512", LARGE, .bins = PAPER, F32_UNIFORM, .k = {2, {100, 1000}}, .h = {1, {H}}, .again = 1,
     PERF_GOALS({PERF_GOAL_LEVEL, "x v4", "auto", NULL, 1, .floor = 0.4, .goal = 0.6})},
};

static void list_goals(struct perf_bench *bench) {
    for (size_t i = 0; i < sizeof with_goals / sizeof *with_goals; i++) {
        struct histogram_rows rows = with_goals[i];
        const unsigned by_two = bench->cpus.count < 2 ? 0 : rows.by_two;
        if (rows.measured == PERF_FILL && rows.n.value[0] > PERF_N_CACHE && bench->options.n.count)
            rows.n = bench->options.n;
        rows.bins &= ~by_two;
        histogram_add_cases(bench, &uhi_perf_histogram, &rows);
        rows.bins = by_two;
        rows.threads = (struct perf_numbers){2, {1, 2}};
        histogram_add_cases(bench, &uhi_perf_histogram, &rows);
    }
}

static void list(struct perf_bench *bench) {
    const struct perf_options *options = &bench->options;
    struct histogram_rows rows = {.measured = options->measured,
                                  .bins = options->bins,
                                  .data = options->data,
                                  .dtypes = options->dtypes,
                                  .k = options->k,
                                  .h = options->h,
                                  .n = options->n.count ? options->n : (struct perf_numbers){1, {PERF_N_LARGE}},
                                  .threads = options->threads,
                                  .name_n = options->calls || options->n.count > 1};
    if (options->goals)
        list_goals(bench);
    else
        histogram_add_cases(bench, &uhi_perf_histogram, &rows);
}

const struct perf_operation uhi_perf_histogram = {
    .name = "histogram",
    .about =
        "histogram: by default the workload of the paper's section V (float32 on (0, 1000); k = 100 and 1000;\n"
        "h = 0.1, 0.01 and 0.001; three families of bins) and three more shapes of data. Cases that make no sense,\n"
        "or whose h does not fit, are left out and named.",
    .options = "histogram",
    .level = "k=100,1000 bins=worst,random,almost h=0.01 data=uniform methods=auto threads=1",
    .peers = {{"numpy", "numpy", PERF_COMPARED}, {"fast_binary_search", "fbs", PERF_COMPARED}},
    .work_size = sizeof(struct histogram_work),
    .list = list,
    .pick = histogram_pick,
    .make = histogram_make};
