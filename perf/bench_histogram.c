/* SPDX-License-Identifier: Apache-2.0 */
/* The paper's workload (section V) and what it left out, by every method; small fills; the making of plans; and the
 * rows of what has a floor or a goal: the cases, their names, their edges, values and right counts. */
#include "perf/histogram.h"

#define EDGE_SEED UINT64_C(20230627)
#define DATA_SEED UINT64_C(1)

/* The paper draws on (0, 1000). Small integers cannot; the others get a range with room for a million bins. */
#define RANGE         1000.0
#define RANGE_DECADES 1e30
#define RANGE_U8      256.0
#define RANGE_I32     0x1p30

/* Values that show that a plan is one of these bins. */
enum { PLAN_VALUES = 10000 };

static double case_range(const struct perf_case *what) {
    if (what->bins == CASE_DECADES)
        return RANGE_DECADES;
    return what->dtype == UH_U8 ? RANGE_U8 : what->dtype == UH_I32 ? RANGE_I32 : RANGE;
}

/* Writes the k + 1 edges. Returns 0, or -1 if h does not fit. */
static int make_edges(const struct perf_case *what, double *edges) {
    if (case_edges((enum case_bins)what->bins, what->k, case_range(what), what->h, EDGE_SEED, edges))
        return -1;
    /* The plain loop in C has float32 edges, and so has the library in its cases. */
    for (size_t j = 0; what->measured == PERF_CALLS && j <= what->k; j++)
        edges[j] = (float)edges[j];
    return 0;
}

/* How many values of a type `n` means: a number, or one of the words. At least 1; in the cache no more than a sixteenth
 * of the array of `large`. */
static size_t case_length(const struct perf_bench *bench, double n, uh_dtype dtype) {
    const uint64_t size = uh_dtype_size(dtype), unknown_cache = (uint64_t)64 << 20;
    const uint64_t cache = bench->machine.last_level_cache ? bench->machine.last_level_cache : unknown_cache;
    const uint64_t quarter = bench->machine.memory / 4;
    if (n >= 1)
        return (size_t)n;
    uint64_t bytes = n < 0 ? cache / 4 : 4 * cache;
    bytes = quarter && bytes > quarter ? quarter : bytes;
    const uint64_t sixteenth = bench->options.n.count ? (uint64_t)bench->options.n.value[0] / 16 * size : bytes;
    bytes = n < 0 && bench->options.goals && bytes > sixteenth ? sixteenth : bytes;
    return bytes < size ? 1 : (size_t)(bytes / size);
}

/* Fills of n values each that one repetition is made of, so that neither the clock nor a branch predictor that has
 * learnt the values matters: about a quarter of a million values, no two of them the same. */
static size_t case_calls(size_t n) {
    const size_t values = (size_t)1 << 18;
    return n < values ? values / n : 1;
}

static void write_name(const struct perf_case *what, enum case_data shape, int name_n, char name[PERF_NAME_MAX]) {
    static const char *const measured[] = {[PERF_FILL] = "", [PERF_CALLS] = "/calls", [PERF_PLAN] = "/plan"};
    char h[32] = "", data[32] = "", n[32] = "";
    if (case_bins_have_h((enum case_bins)what->bins))
        snprintf(h, sizeof h, "/h:%g", what->h);
    if (what->measured != PERF_PLAN)
        snprintf(data, sizeof data, "/%s", case_data_name(shape));
    if (name_n)
        snprintf(n, sizeof n, "/n:%zu", what->n);
    snprintf(name, PERF_NAME_MAX, "histogram%s/%s/k:%zu%s%s/%s/*/#%s", measured[what->measured],
             case_bins_name((enum case_bins)what->bins), what->k, h, data, perf_dtype_word(what->dtype), n);
}

/* ---- the list --------------------------------------------------------------------------------------------------- */

/* Adds the case, or the reason why not. `edges` has room for them. */
static void add_or_leave_out(struct perf_bench *bench, const struct histogram_rows *rows, struct perf_case *what,
                             double *edges) {
    const int whole = what->dtype != UH_F32 && what->dtype != UH_F64;
    const char *bins = case_bins_name((enum case_bins)what->bins);
    char reason[192];
    write_name(what, (enum case_data)what->shape, rows->name_n, what->name);
    write_name(what, CASE_UNIFORM, rows->name_n, what->usual);
    if (whole && what->bins != CASE_EQUAL)
        snprintf(reason, sizeof reason, "--bins %s is for floats, expected equal for --dtype %s", bins,
                 perf_dtype_word(what->dtype));
    else if (what->dtype == UH_U8 && what->k > 256)
        snprintf(reason, sizeof reason, "--k %zu does not suit --dtype u8, expected at most its 256 values", what->k);
    else if (make_edges(what, edges))
        snprintf(reason, sizeof reason, "--h %g does not fit --k %zu (%s bins), expected k * h below %g", what->h,
                 what->k, bins, case_range(what));
    else
        *reason = '\0';
    if (*reason)
        perf_leave_out(bench, reason);
    else
        perf_add_case(bench, what);
}

/* Adds the cases of one type, length and shape of data. */
static void add_bins(struct perf_bench *bench, const struct histogram_rows *rows, struct perf_case *what,
                     double *edges) {
    const int whole = what->dtype != UH_F32 && what->dtype != UH_F64;
    const unsigned wanted = whole && !rows->goals && bench->options.equal_integers ? 1U << CASE_EQUAL : rows->bins;
    for (int bins = 0; bins < CASE_BINS_COUNT; bins++) {
        const int has_h = case_bins_have_h((enum case_bins)bins);
        for (size_t k = 0; (wanted >> bins & 1) && k < rows->k.count; k++)
            for (size_t h = 0; h < (has_h ? rows->h.count : 1); h++) {
                what->bins = bins;
                what->k = (size_t)rows->k.value[k];
                what->h = has_h ? rows->h.value[h] : 0;
                add_or_leave_out(bench, rows, what, edges);
            }
    }
}

void histogram_add_cases(struct perf_bench *bench, const struct histogram_rows *rows) {
    static const uh_dtype dtypes[] = {UH_F32, UH_F64, UH_I32, UH_U8};
    struct perf_case what = {.operation = &uhi_perf_histogram,
                             .unit = rows->measured == PERF_FILL    ? PERF_RATES
                                     : rows->measured == PERF_CALLS ? PERF_CALL_TIMES
                                                                    : PERF_TIMES,
                             .baseline = rows->measured == PERF_CALLS ? "x plain" : "x binary",
                             .threads = rows->threads,
                             .measured = rows->measured,
                             .search = rows->search,
                             .title = rows->title,
                             .goals = rows->goals};
    double k_max = 0;
    for (size_t k = 0; k < rows->k.count; k++)
        k_max = rows->k.value[k] > k_max ? rows->k.value[k] : k_max;
    double *edges = perf_memory((size_t)k_max + 1, sizeof *edges);
    perf_settle_threads(&bench->device, &what.threads);
    for (size_t t = 0; t < sizeof dtypes / sizeof *dtypes; t++)
        for (size_t n = 0; (rows->dtypes >> dtypes[t] & 1) && n < rows->n.count; n++)
            for (int shape = 0; shape < CASE_DATA_COUNT; shape++)
                if (rows->data >> shape & 1) {
                    what.shape = shape;
                    what.dtype = dtypes[t];
                    what.n =
                        what.measured == PERF_PLAN ? PLAN_VALUES : case_length(bench, rows->n.value[n], what.dtype);
                    what.calls = what.measured == PERF_CALLS ? case_calls(what.n) : 1;
                    what.bytes = (double)uh_dtype_size(what.dtype);
                    add_bins(bench, rows, &what, edges);
                }
    free(edges);
}

/* ---- data ------------------------------------------------------------------------------------------------------- */

static void draw_values(struct histogram_work *work, struct perf_case *what) {
    const enum case_data shape = (enum case_data)what->shape;
    const size_t n = what->n * what->calls, k = what->k, bytes = n * uh_dtype_size(what->dtype);
    const double *edges = work->edges;
    work->x = perf_array(what, bytes);
    if (case_fill(what->dtype, shape, k, edges, DATA_SEED, work->x, n))
        perf_fail("out of memory for %zu bins", k);
    work->there = perf_copy_there(what, work->x, bytes);
}

/* The first `search` values are counted first, and then the rest. */
static void count_values(struct histogram_work *work, const struct perf_case *what) {
    struct oracle_counts *all = &work->expected, *part = &work->part;
    const uint32_t threads = what->bench->threads_max ? what->bench->threads_max : (uint32_t)what->bench->cpus.count;
    const size_t n = what->n * what->calls, size = uh_dtype_size(what->dtype);
    const size_t first = what->search && what->search < n ? what->search : 0;
    const unsigned char *rest = (const unsigned char *)work->x + first * size;
    if (oracle_count(rest, what->dtype, n - first, work->edges, what->k, threads, all) ||
        (first && oracle_count(work->x, what->dtype, first, work->edges, what->k, threads, part)))
        perf_fail("out of memory for %u times %zu counts", (unsigned)threads, what->k);
    if (!first)
        return;
    for (size_t bin = 0; bin < what->k; bin++)
        all->bins[bin] += part->bins[bin];
    all->below += part->below;
    all->above += part->above;
    all->nan += part->nan;
}

static void make(struct perf_case *what, void *shared) {
    struct histogram_work *work = shared;
    const size_t k = what->k;
    work->edges = perf_array(what, (k + 1) * sizeof *work->edges);
    work->expected.bins = perf_array(what, k * sizeof(uint64_t));
    work->part.bins = perf_array(what, k * sizeof(uint64_t));
    work->found.bins = perf_array(what, k * sizeof(uint64_t));
    if (make_edges(what, work->edges))
        perf_fail("h = %g does not fit %zu bins", what->h, k);
    draw_values(work, what);
    what->x = work->x;
    what->x_bytes = what->n * uh_dtype_size(what->dtype);
    if (what->measured == PERF_FILL)
        what->shared = (struct perf_peers_case){.x = work->x, .k = k, .edges = work->edges};
    count_values(work, what);
}

/* ---- what is measured ------------------------------------------------------------------------------------------- */

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
#define X_1_THR                                                                                                        \
    { PERF_GOAL_SUBJECT, "x 1 thr", "auto", "auto", 2, 1, .floor = 1.7, .goal = 1.95 }
#define MEMORY .measured = PERF_FILL, .n = {1, {PERF_N_LARGE}}, .search = SEARCH_MAX, .name_n = 1
#define LARGE  MEMORY, .threads = {1, {1}}
#define BY_TWO MEMORY, .threads = {2, {1, 2}} /* given enough CPUs */
#define CACHE  .measured = PERF_FILL, .n = {1, {PERF_N_CACHE}}, .threads = {1, {1}}, .search = SEARCH_MAX, .name_n = 1
#define CALLS                                                                                                          \
    .measured = PERF_CALLS, .n = {3, {100, 1000, 10000}}, .threads = {1, {1}}, .name_n = 1, .bins = RANDOM,            \
    .data = UNIFORM, .dtypes = F32
#define PLANS                                                                                                          \
    .measured = PERF_PLAN, .n = {1, {1}}, .threads = {1, {1}}, .bins = PAPER | DECADES, .data = UNIFORM, .dtypes = F32

#define F32_UNIFORM .data = UNIFORM, .dtypes = F32

/* In an order that keeps the array as long as it can be. */
static const struct histogram_rows with_goals[] = {
    {"k=100", LARGE, .bins = WORST | ALMOST, F32_UNIFORM, .k = {1, {100}}, .h = {1, {H}},
     PERF_GOALS(SEARCH(6, 11), LIMIT(0.5), FEW_FBS)},
    {"k=100", BY_TWO, .bins = RANDOM, F32_UNIFORM, .k = {1, {100}}, .h = {1, {H}},
     PERF_GOALS(SEARCH(6, 11), LIMIT(0.5), FEW_FBS, X_1_THR)},
    {"k=1000", LARGE, .bins = WORST | ALMOST, F32_UNIFORM, .k = {1, {1000}}, .h = {1, {H}},
     PERF_GOALS(SEARCH(9, 16), LIMIT(0.5), FEW_FBS)},
    {"k=1000", BY_TWO, .bins = RANDOM, F32_UNIFORM, .k = {1, {1000}}, .h = {1, {H}},
     PERF_GOALS(SEARCH(9, 16), LIMIT(0.5), FEW_FBS, X_1_THR)},
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
};

static void list_goals(struct perf_bench *bench) {
    for (size_t i = 0; i < sizeof with_goals / sizeof *with_goals; i++) {
        struct histogram_rows rows = with_goals[i];
        if (rows.measured == PERF_FILL && rows.n.value[0] > PERF_N_CACHE && bench->options.n.count)
            rows.n = bench->options.n;
        if (bench->cpus.count < 2)
            rows.threads.count = 1;
        histogram_add_cases(bench, &rows);
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
        histogram_add_cases(bench, &rows);
}

const struct perf_operation uhi_perf_histogram = {
    .name = "histogram",
    .about =
        "histogram: by default the workload of the paper's section V (float32 on (0, 1000); k = 100 and 1000;\n"
        "h = 0.1, 0.01 and 0.001; three families of bins) and three more shapes of data. Cases that make no sense,\n"
        "or whose h does not fit, are left out and named.",
    .options = "histogram",
    .peers = {{"numpy", "numpy", PERF_COMPARED}, {"fast_binary_search", "fbs", PERF_COMPARED}},
    .on_device = {{"cub_sum", "read", PERF_LIMIT},
                  {"cub_range", "cub_range", PERF_COMPARED},
                  {"cub_even", "cub_even", PERF_COMPARED},
                  {"cupy_histogram", "cupy", PERF_COMPARED},
                  {"cupy_digitize", "cupy_digitize", PERF_COMPARED},
                  {"torch_histc", "torch", PERF_COMPARED}},
    .work_size = sizeof(struct histogram_work),
    .list = list,
    .pick = histogram_pick,
    .make = make};
