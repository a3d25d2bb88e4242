/* SPDX-License-Identifier: Apache-2.0 */
/* Who works on histograms: the library by each method, a plain loop, and looking at edges. */
#include "perf/histogram.h"
#include "perf/loops.h"

#include <stdlib.h>
#include <string.h>

/* ---- axes ------------------------------------------------------------------------------------------------------- */

static uh_status carry_table(const double *edges, size_t k, const uh_axis *axis, uh_axis **made) {
    double *part = malloc((k + 1) * sizeof *part);
    if (!part)
        return UH_ERROR_OUT_OF_MEMORY;
    for (size_t j = 0; j <= k; j++)
        part[j] = (double)j / (double)k;
    const uh_distribution table = {
        .struct_size = sizeof table, .kind = UH_DISTRIBUTION_TABLE, .x = edges, .f = part, .points = k + 1};
    uh_status status = uh_axis_create_with_distribution(axis, &table, made);
    free(part);
    return status;
}

int histogram_axis(const struct perf_subject *subject, uh_axis **axis, struct perf_error *error) {
    const enum case_bins bins = (enum case_bins)subject->what->bins;
    const size_t k = subject->what->k;
    const double *edges = ((struct histogram_work *)subject->work)->edges;
    uh_distribution distribution = {.struct_size = sizeof distribution};
    uh_axis *plain = NULL;
    if (uh_axis_create_edges(UH_F64, edges, k + 1, UH_CLOSED_LEFT, &plain))
        return perf_library_failed(error);
    if (subject->choice != UH_METHOD_CDF) {
        *axis = plain;
        return PERF_OK;
    }
    uh_status status;
    if (case_bins_parameters(bins, edges[k], &distribution.location, &distribution.scale)) {
        distribution.kind = bins == CASE_BINS_NORMAL        ? UH_DISTRIBUTION_NORMAL
                            : bins == CASE_BINS_EXPONENTIAL ? UH_DISTRIBUTION_EXPONENTIAL
                                                            : UH_DISTRIBUTION_LOGNORMAL;
        status = uh_axis_create_with_distribution(plain, &distribution, axis);
    } else {
        status = carry_table(edges, k, plain, axis);
    }
    uh_axis_destroy(plain);
    return status ? perf_library_failed(error) : PERF_OK;
}

/* ---- a histogram of the library --------------------------------------------------------------------------------- */

static int create(struct perf_subject *subject, uh_axis *axis, struct perf_error *error) {
    const uh_method method = (uh_method)subject->choice;
    const uh_histogram_options options = {.struct_size = sizeof options, .methods = &method};
    uh_histogram *made = NULL;
    int failed = uh_histogram_create(subject->queue, &axis, 1, &options, &made) ||
                 uh_histogram_prepare(made, &subject->what->dtype);
    subject->state = made;
    return failed ? perf_library_failed(error) : PERF_OK;
}

static int note_plan(struct perf_subject *subject, struct perf_error *error) {
    return uh_histogram_plan_text(subject->state, 0, subject->what->dtype, subject->note, sizeof subject->note, NULL)
               ? perf_library_failed(error)
               : PERF_OK;
}

static int start(struct perf_subject *subject, struct perf_error *error) {
    uh_axis *axis = NULL;
    int status = histogram_axis(subject, &axis, error);
    const double begun = perf_now();
    if (status == PERF_OK)
        status = create(subject, axis, error);
    subject->prepare = perf_now() - begun;
    uh_axis_destroy(axis);
    return status == PERF_OK ? note_plan(subject, error) : status;
}

/* The reset of a device is its own work, which must not be in the timing. */
int perf_histogram_reset(struct perf_subject *subject, struct perf_error *error) {
    return uh_histogram_reset(subject->state) || uh_queue_wait(subject->queue) ? perf_library_failed(error) : PERF_OK;
}

static int fill(struct perf_subject *subject, struct perf_error *error) {
    const struct perf_case *what = subject->what;
    const size_t bytes = subject->n * uh_dtype_size(what->dtype);
    const unsigned char *x = ((struct histogram_work *)subject->work)->there;
    for (size_t call = 0; call < what->calls; call++) {
        const uh_array values = uh_array_of(what->dtype, x + call * bytes, subject->n);
        if (uh_histogram_fill(subject->state, &values, NULL))
            return perf_library_failed(error);
    }
    return uh_queue_wait(subject->queue) ? perf_library_failed(error) : PERF_OK;
}

static int check_histogram(struct perf_subject *subject, uh_histogram *histogram, struct perf_error *error) {
    struct oracle_counts *found = &((struct histogram_work *)subject->work)->found;
    uh_flow flow;
    if (uh_histogram_counts(histogram, found->bins) || uh_histogram_flow(histogram, 0, &flow))
        return perf_library_failed(error);
    found->below = flow.below;
    found->above = flow.above;
    found->nan = flow.nan;
    return histogram_compare(subject, found, error);
}

static int check(struct perf_subject *subject, struct perf_error *error) {
    return check_histogram(subject, subject->state, error);
}

void perf_histogram_end(struct perf_subject *subject) {
    uh_histogram_destroy(subject->state);
}

/* ---- the making of a plan --------------------------------------------------------------------------------------- */

static int drop_plan(struct perf_subject *subject, struct perf_error *error) {
    (void)error;
    perf_histogram_end(subject);
    subject->state = NULL;
    return PERF_OK;
}

/* On an axis that is there. */
static int start_plans(struct perf_subject *subject, struct perf_error *error) {
    uh_axis *axis = NULL;
    int status = histogram_axis(subject, &axis, error);
    subject->lent = axis;
    return status;
}

static int make_plan(struct perf_subject *subject, struct perf_error *error) {
    return create(subject, subject->lent, error);
}

/* Some values show that the plan is one of these bins. */
static int check_plan(struct perf_subject *subject, struct perf_error *error) {
    int status = *subject->note ? PERF_OK : note_plan(subject, error);
    if (status == PERF_OK)
        status = fill(subject, error);
    return status == PERF_OK ? check(subject, error) : status;
}

static void end_plans(struct perf_subject *subject) {
    uh_histogram_destroy(subject->state);
    uh_axis_destroy(subject->lent);
}

/* The edges go to a copy; where they did not ascend, one would have to sort. */
struct copy {
    size_t ascending;
    double edges[];
};

static int start_copy(struct perf_subject *subject, struct perf_error *error) {
    subject->state = calloc(1, sizeof(struct copy) + (subject->what->k + 1) * sizeof(double));
    return subject->state ? PERF_OK : perf_fail(error, "out of memory for %zu edges", subject->what->k + 1);
}

static int copy_edges(struct perf_subject *subject, struct perf_error *error) {
    struct copy *copy = subject->state;
    const double *edges = ((struct histogram_work *)subject->work)->edges;
    size_t ascending = 0;
    (void)error;
    copy->edges[0] = edges[0];
    for (size_t j = 1; j <= subject->what->k; j++) {
        ascending += edges[j - 1] <= edges[j];
        copy->edges[j] = edges[j];
    }
    copy->ascending = ascending;
    return PERF_OK;
}

static int check_copy(struct perf_subject *subject, struct perf_error *error) {
    const struct copy *copy = subject->state;
    const double *edges = ((struct histogram_work *)subject->work)->edges;
    const size_t k = subject->what->k;
    if (copy->ascending != k || memcmp(copy->edges, edges, (k + 1) * sizeof *edges) != 0)
        return perf_fail(error, "wrong: the copied edges differ, or %zu of %zu ascend", copy->ascending, k);
    return PERF_OK;
}

/* ---- a plain loop ----------------------------------------------------------------------------------------------- */

/* What the user's own program would hold: float32 edges, and counts with one more at each end. */
struct plain {
    const struct perf_loops *loops;
    float *edges;
    uint64_t slots[];
};

static int start_plain(struct perf_subject *subject, struct perf_error *error) {
    const double *edges = ((struct histogram_work *)subject->work)->edges;
    const size_t k = subject->what->k;
    struct plain *plain = calloc(1, sizeof *plain + (k + 2) * sizeof(uint64_t) + (k + 1) * sizeof(float));
    subject->state = plain;
    if (!plain)
        return perf_fail(error, "out of memory for %zu bins", k);
    plain->loops = perf_loops(subject->what->bench->machine.isa);
    plain->edges = (float *)(void *)(plain->slots + k + 2);
    for (size_t j = 0; j <= k; j++)
        plain->edges[j] = (float)edges[j];
    return PERF_OK;
}

static int clear_plain(struct perf_subject *subject, struct perf_error *error) {
    struct plain *plain = subject->state;
    (void)error;
    memset(plain->slots, 0, (subject->what->k + 2) * sizeof *plain->slots);
    return PERF_OK;
}

static int count_plainly(struct perf_subject *subject, struct perf_error *error) {
    struct plain *plain = subject->state;
    const float *x = ((struct histogram_work *)subject->work)->x;
    (void)error;
    for (size_t call = 0; call < subject->what->calls; call++)
        plain->loops->count(x + call * subject->n, subject->n, plain->edges, subject->what->k, plain->slots);
    return PERF_OK;
}

static int check_plain(struct perf_subject *subject, struct perf_error *error) {
    struct plain *plain = subject->state;
    const size_t k = subject->what->k;
    const struct oracle_counts found = {
        .bins = plain->slots + 1, .below = plain->slots[0], .above = plain->slots[k + 1]};
    return histogram_compare(subject, &found, error);
}

/* ---- who takes part --------------------------------------------------------------------------------------------- */

/* What the library is compared with: of arrays the limit, of small fills a plain loop, of plans looking at the edges.
 */
static const struct perf_subject firsts[] = {
    [PERF_FILL] = {PERF_LIMIT_ROW},
    [PERF_CALLS] = {.name = "plain",
                    .role = PERF_BASELINE,
                    .note = "a loop in C: branch-free binary search in float32 edges",
                    .start = start_plain,
                    .before = clear_plain,
                    .run = count_plainly,
                    .check = check_plain,
                    .end = perf_free_state},
    [PERF_PLAN] = {.name = "limit",
                   .role = PERF_BASELINE,
                   .note = "checks the edges' order and copies them",
                   .threads = 1,
                   .start = start_copy,
                   .run = copy_edges,
                   .check = check_copy,
                   .end = perf_free_state}};
static const struct perf_subject library[] = {
    [PERF_FILL] =
        {.start = start, .before = perf_histogram_reset, .run = fill, .check = check, .end = perf_histogram_end},
    [PERF_CALLS] =
        {.start = start, .before = perf_histogram_reset, .run = fill, .check = check, .end = perf_histogram_end},
    [PERF_PLAN] = {.start = start_plans, .before = drop_plan, .run = make_plan, .check = check_plan, .end = end_plans}};

void histogram_pick(const struct perf_case *what, struct perf_subject *picked, size_t *count) {
    const unsigned by_auto = 1 << UH_METHOD_AUTO, by_binary = 1 << UH_METHOD_BINARY, by_mesh = 1 << UH_METHOD_MESH;
    const struct perf_options *options = &what->bench->options;
    const int fill_case = what->measured == PERF_FILL, given = (options->given & PERF_GIVEN_METHODS) != 0;
    unsigned methods = fill_case || given ? options->methods : by_auto;
    if (what->goals)
        methods = fill_case ? by_auto | by_binary : by_auto;
    else if (what->of_paper)
        methods = by_auto | by_mesh | by_binary;
    *count = 0;
    if (what->device->host)
        picked[(*count)++] = firsts[what->measured];
    for (unsigned method = 0; methods >> method; method++) {
        const int binary = method == UH_METHOD_BINARY;
        if (!(methods >> method & 1))
            continue;
        struct perf_subject *subject = &picked[(*count)++];
        *subject = library[what->measured];
        subject->name = uh_enum_name(UH_ENUM_METHOD, method);
        subject->choice = (int)method;
        subject->role = fill_case && binary ? PERF_BASELINE : PERF_COMPARED;
        subject->n = binary && what->search && what->search < what->n ? what->search : what->n;
    }
}
