/* SPDX-License-Identifier: Apache-2.0 */
/* unihist-perf bincount: how often each integer occurs, with the length found and given, beside numpy.bincount and
 * reading the array. */
#include "perf/bench.h"
#include "perf/family.h"
#include "perf/peers.h"

#include <stdlib.h>
#include <string.h>

#define NUMPY          "numpy_bincount"
#define NUMPY_PATIENCE 600 /* seconds for one count */

enum { USUAL_N = 1 << 24 };

static const struct type {
    const char *what;
    uh_dtype dtype;
    size_t k;
    int goal;
} types[] = {{"i32/k:1000", UH_I32, 1000, 1},
             {"i64/k:1000", UH_I64, 1000, 0},
             {"u8/k:256", UH_U8, 256, 0},
             {"i32/k:1000000", UH_I32, 1000000, 0}};

struct work {
    const struct type *type;
    void *x;
    size_t n;
    uint64_t *expected, *found;
    double *edges;           /* of the unit bins, as peers want them */
    struct perf_peer *numpy; /* NULL: it is not there */
};

struct counted {
    struct work *work;
    uh_queue *queue;
    size_t length;
};

/* ---- rivals ----------------------------------------------------------------------------------------------------- */

static int check(struct work *work, const char *who, size_t length, struct perf_error *error) {
    const size_t k = work->type->k;
    if (length != k)
        return perf_fail(error, "%s gave %zu bins, expected %zu", who, length, k);
    for (size_t v = 0; v < k; v++)
        if (work->found[v] != work->expected[v])
            return perf_fail(error, "%s counted %llu of the value %zu, expected %llu", who,
                             (unsigned long long)work->found[v], v, (unsigned long long)work->expected[v]);
    memset(work->found, 0xff, k * sizeof *work->found);
    return PERF_OK;
}

static int run_found(void *context, struct perf_error *error) {
    struct counted *counted = context;
    struct work *work = counted->work;
    uint64_t *counts = NULL;
    if (uh_bincount(counted->queue, work->type->dtype, work->x, work->n, 0, &counts, &counted->length))
        return family_library_failed(error);
    memcpy(work->found, counts, (counted->length < work->type->k ? counted->length : work->type->k) * sizeof *counts);
    uh_bincount_free(counts);
    return PERF_OK;
}

static int run_given(void *context, struct perf_error *error) {
    struct counted *counted = context;
    struct work *work = counted->work;
    counted->length = work->type->k;
    if (uh_bincount_into(counted->queue, work->type->dtype, work->x, work->n, work->found, work->type->k))
        return family_library_failed(error);
    return PERF_OK;
}

static int check_library(void *context, struct perf_error *error) {
    const struct counted *counted = context;
    return check(counted->work, "the library", counted->length, error);
}

/* ---- cases ------------------------------------------------------------------------------------------------------ */

/* The last value is the largest; of one bin all are. */
static int make(struct work *work, enum family_data data, struct perf_error *error) {
    const size_t k = work->type->k, size = uh_dtype_size(work->type->dtype);
    work->x = perf_array_create(work->n * size, 2);
    work->expected = calloc(k, sizeof *work->expected);
    work->found = malloc(k * sizeof *work->found);
    if (!work->x || !work->expected || !work->found)
        return perf_fail(error, "out of memory for %zu values", work->n);
    for (size_t i = 0; i < work->n; i++) {
        uint64_t value = data == FAMILY_ONE_BIN  ? k - 1
                         : data == FAMILY_SORTED ? (uint64_t)((double)i / (double)work->n * (double)k)
                                                 : (uint64_t)family_random(1, i) * k >> 32;
        value = i + 1 == work->n ? k - 1 : value;
        memcpy((char *)work->x + i * size, &value, size); /* the lowest bytes come first */
        work->expected[value]++;
    }
    return PERF_OK;
}

/* Starts NumPy, and says where it is not there why. */
static int start_numpy(struct family *family, struct perf_peers **numpy, struct perf_error *error) {
    const struct perf_peer_options options = {.timeout = NUMPY_PATIENCE, .count = 1, .name = {NUMPY}};
    int status = perf_peers_create(&options, NULL, numpy, error);
    if (status == PERF_OK && !perf_peers_title(*numpy, 0))
        status = perf_report_fact(family->report, "left out", perf_peers_left_out(*numpy), error);
    return status;
}

/* Hands NumPy all values. */
static int offer_numpy(struct perf_peers *numpy, struct work *work, struct perf_error *error) {
    const size_t k = work->type->k;
    size_t count = 0;
    work->edges = malloc((k + 1) * sizeof *work->edges);
    if (!work->edges)
        return perf_fail(error, "out of memory for %zu edges", k + 1);
    for (size_t j = 0; j <= k; j++)
        work->edges[j] = (double)j;
    const struct perf_peers_case what = {.name = "bincount/*",
                                         .dtype = work->type->dtype,
                                         .x = work->x,
                                         .n = work->n,
                                         .k = k,
                                         .edges = work->edges,
                                         .most = work->n};
    int status = perf_peers_take_case(numpy, &what, &count, error);
    work->numpy = status == PERF_OK && count > 0 ? perf_peers_at(numpy, 0) : NULL;
    return status;
}

static void set_goals(struct family *family, const struct family_case *what, uint32_t threads, double *usual) {
    const double rate = family_rate(what, "found", threads), numpy = family_rate(what, "numpy", 1);
    if (what->data == FAMILY_USUAL) {
        usual[threads] = rate;
        if (numpy > 0)
            family_goal(family, what, "bincount i32 k=1000", "found", threads, "x numpy", rate / numpy, 3, 6);
    } else {
        family_goal(family, what, "bincount i32 k=1000", "found", threads, "x usual", rate / usual[threads], 0.5, 1);
    }
}

static int run_case(struct family *family, const struct type *type, enum family_data data, struct perf_peers *numpy,
                    double *usual, struct perf_error *error) {
    struct family_case what = {
        .operation = "bincount", .what = type->what, .data = data, .bytes = (double)uh_dtype_size(type->dtype)};
    struct work work = {.type = type, .n = family_length(family, USUAL_N)};
    struct counted counted[2] = {{&work, family->queues[0], 0}, {&work, family->queues[1], 0}};
    struct perf_limit limit;
    const int lists = family_lists(family);
    int status = lists ? PERF_OK : make(&work, data, error);
    if (status == PERF_OK && !lists)
        status = offer_numpy(numpy, &work, error);
    if (status == PERF_OK) {
        const double n = (double)work.n;
        struct perf_subject subject = {.run = NULL};
        if (work.numpy)
            subject = work.numpy->subject;
        perf_limit_init(&limit, work.x, lists ? 0 : work.n * uh_dtype_size(type->dtype), 1);
        family_add(&what, "limit", 1, n, perf_limit_subject(&limit))->limit = 1;
        if (lists || work.numpy)
            family_add(&what, "numpy", 1, n, subject)->baseline = 1;
        family_add(&what, "found", 1, n, (struct perf_subject){NULL, run_found, check_library, &counted[0], NULL});
        family_add(&what, "given", 1, n, (struct perf_subject){NULL, run_given, check_library, &counted[0], NULL});
        if (lists || family->queues[1])
            family_add(&what, "found", 2, n, (struct perf_subject){NULL, run_found, check_library, &counted[1], NULL});
        status = family_measure(family, &what, error);
    }
    for (uint32_t threads = 1; status == PERF_OK && type->goal && threads <= 2; threads++)
        set_goals(family, &what, threads, usual);
    free(work.x);
    free(work.edges);
    free(work.expected);
    free(work.found);
    return status;
}

int family_bincount(struct family *family, struct perf_error *error) {
    struct perf_peers *numpy = NULL;
    int status = family_lists(family) ? PERF_OK : start_numpy(family, &numpy, error);
    for (size_t type = 0; type < sizeof types / sizeof *types; type++) {
        double usual[3] = {0};
        for (int data = 0; status == PERF_OK && data < FAMILY_DATA_COUNT; data++)
            status = run_case(family, &types[type], (enum family_data)data, numpy, usual, error);
    }
    perf_peers_destroy(numpy);
    return status;
}

int uhi_perf_bincount(int argc, char **argv, struct perf_error *error) {
    static const family_cases cases[] = {family_bincount};
    return family_main(argc, argv,
                       "Measure uh_bincount, with the length found and given, beside numpy.bincount (one thread).",
                       cases, 1, error);
}
