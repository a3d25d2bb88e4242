/* SPDX-License-Identifier: Apache-2.0 */
/* Who works on histograms: the library by each method, a plain loop, and looking at edges. */
#include "perf/histogram.h"
#include "perf/loops.h"

#include <inttypes.h>

/* ---- axes ------------------------------------------------------------------------------------------------------- */

/* The axis with a distribution that is a table of its edges. */
static void carry_table(const double *edges, size_t k, const uh_axis *axis, uh_axis **made) {
    double *part = perf_memory(k + 1, sizeof *part);
    for (size_t j = 0; j <= k; j++)
        part[j] = (double)j / (double)k;
    const uh_distribution table = {
        .struct_size = sizeof table, .kind = UH_DISTRIBUTION_TABLE, .x = edges, .f = part, .points = k + 1};
    perf_check(uh_axis_create_with_distribution(axis, &table, made));
    free(part);
}

/* For the method cdf it carries the distribution of the family or, if that has none, a table of the edges. The caller
 * destroys it. */
static uh_axis *make_axis(const struct perf_subject *subject) {
    const enum case_bins bins = (enum case_bins)subject->what->bins;
    const size_t k = subject->what->k;
    const double *edges = ((struct histogram_work *)subject->work)->edges;
    uh_distribution distribution = {.struct_size = sizeof distribution};
    uh_axis *plain, *axis;
    perf_check(uh_axis_create_edges(UH_F64, edges, k + 1, UH_CLOSED_LEFT, &plain));
    if (subject->choice != UH_METHOD_CDF)
        return plain;
    if (case_bins_parameters(bins, edges[k], &distribution.location, &distribution.scale)) {
        distribution.kind = bins == CASE_BINS_NORMAL        ? UH_DISTRIBUTION_NORMAL
                            : bins == CASE_BINS_EXPONENTIAL ? UH_DISTRIBUTION_EXPONENTIAL
                                                            : UH_DISTRIBUTION_LOGNORMAL;
        perf_check(uh_axis_create_with_distribution(plain, &distribution, &axis));
    } else {
        carry_table(edges, k, plain, &axis);
    }
    uh_axis_destroy(plain);
    return axis;
}

/* ---- a histogram of the library --------------------------------------------------------------------------------- */

static void create(struct perf_subject *subject, uh_axis *axis) {
    const uh_method method = (uh_method)subject->choice;
    const uh_histogram_options options = {.struct_size = sizeof options, .methods = &method};
    uh_histogram *made;
    perf_check(uh_histogram_create(subject->queue, &axis, 1, &options, &made) ||
               uh_histogram_prepare(made, &subject->what->dtype));
    subject->state = made;
}

void perf_histogram_start(struct perf_subject *subject, const double *const *edges, size_t k, size_t axes,
                          const uh_histogram_options *options) {
    uh_axis *axis[UH_MAX_AXES] = {NULL};
    uh_histogram *made;
    for (size_t i = 0; i < axes; i++)
        perf_check(uh_axis_create_edges(UH_F64, edges[i], k + 1, UH_CLOSED_LEFT, &axis[i]));
    perf_check(uh_histogram_create(subject->queue, axis, axes, options, &made));
    while (axes > 0)
        uh_axis_destroy(axis[--axes]);
    subject->state = made;
}

static void note_plan(struct perf_subject *subject) {
    perf_check(
        uh_histogram_plan_text(subject->state, 0, subject->what->dtype, subject->note, sizeof subject->note, NULL));
}

static void start(struct perf_subject *subject) {
    uh_axis *axis = make_axis(subject);
    const double start_time = perf_now();
    create(subject, axis);
    subject->prepare = perf_now() - start_time;
    uh_axis_destroy(axis);
    note_plan(subject);
}

/* The reset of a device is its own work, which must not be in the timing. */
void perf_histogram_reset(struct perf_subject *subject) {
    perf_check(uh_histogram_reset(subject->state) || uh_queue_wait(subject->queue));
}

static void fill(struct perf_subject *subject) {
    const struct perf_case *what = subject->what;
    const size_t bytes = subject->n * uh_dtype_size(what->dtype);
    const unsigned char *x = ((struct histogram_work *)subject->work)->there;
    for (size_t call = 0; call < what->calls; call++) {
        const uh_array values = uh_array_of(what->dtype, x + call * bytes, subject->n);
        perf_check(uh_histogram_fill(subject->state, &values, NULL));
    }
    perf_check(uh_queue_wait(subject->queue));
}

static void compare(const struct perf_subject *subject, const struct oracle_counts *found) {
    const struct histogram_work *work = subject->work;
    const struct oracle_counts *expected = subject->n < subject->what->n ? &work->part : &work->expected;
    const double *edges = work->edges;
    if (found->below != expected->below || found->above != expected->above || found->nan != expected->nan)
        perf_fail("wrong: %" PRIu64 " below, %" PRIu64 " above, %" PRIu64 " NaN, expected %" PRIu64 ", %" PRIu64
                  ", %" PRIu64,
                  found->below, found->above, found->nan, expected->below, expected->above, expected->nan);
    for (size_t bin = 0; bin < subject->what->k; bin++)
        if (found->bins[bin] != expected->bins[bin])
            perf_fail("wrong: bin %zu [%.17g, %.17g) counts %" PRIu64 ", expected %" PRIu64, bin, edges[bin],
                      edges[bin + 1], found->bins[bin], expected->bins[bin]);
}

static void check(struct perf_subject *subject) {
    struct oracle_counts *found = &((struct histogram_work *)subject->work)->found;
    uh_flow flow = {0};
    perf_check(uh_histogram_counts(subject->state, found->bins) || uh_histogram_flow(subject->state, 0, &flow));
    found->below = flow.below;
    found->above = flow.above;
    found->nan = flow.nan;
    compare(subject, found);
}

void perf_histogram_end(struct perf_subject *subject) { uh_histogram_destroy(subject->state); }

/* ---- the making of a plan --------------------------------------------------------------------------------------- */

static void drop_plan(struct perf_subject *subject) {
    perf_histogram_end(subject);
    subject->state = NULL;
}

static void start_plans(struct perf_subject *subject) { subject->axis = make_axis(subject); }

static void make_plan(struct perf_subject *subject) { create(subject, subject->axis); }

/* Some values show that the plan is one of these bins. */
static void check_plan(struct perf_subject *subject) {
    if (!*subject->note)
        note_plan(subject);
    fill(subject);
    check(subject);
}

static void end_plans(struct perf_subject *subject) {
    uh_histogram_destroy(subject->state);
    uh_axis_destroy(subject->axis);
}

/* ---- a plain loop ----------------------------------------------------------------------------------------------- */

/* What the user's own program would hold: float32 edges, and counts with one more at each end. */
struct plain {
    const struct perf_loops *loops;
    float *edges;
    uint64_t slots[];
};

static void start_plain(struct perf_subject *subject) {
    const double *edges = ((struct histogram_work *)subject->work)->edges;
    const size_t k = subject->what->k;
    struct plain *plain = perf_memory(1, sizeof *plain + (k + 2) * sizeof(uint64_t) + (k + 1) * sizeof(float));
    subject->state = plain;
    plain->loops = perf_loops(subject->what->bench->machine.isa);
    plain->edges = (float *)(void *)(plain->slots + k + 2);
    for (size_t j = 0; j <= k; j++)
        plain->edges[j] = (float)edges[j];
}

static void clear_plain(struct perf_subject *subject) {
    struct plain *plain = subject->state;
    memset(plain->slots, 0, (subject->what->k + 2) * sizeof *plain->slots);
}

static void count_plainly(struct perf_subject *subject) {
    struct plain *plain = subject->state;
    const float *x = ((struct histogram_work *)subject->work)->x;
    for (size_t call = 0; call < subject->what->calls; call++)
        plain->loops->count(x + call * subject->n, subject->n, plain->edges, subject->what->k, plain->slots);
}

static void check_plain(struct perf_subject *subject) {
    struct plain *plain = subject->state;
    const size_t k = subject->what->k;
    const struct oracle_counts found = {
        .bins = plain->slots + 1, .below = plain->slots[0], .above = plain->slots[k + 1]};
    compare(subject, &found);
}

/* ---- who takes part --------------------------------------------------------------------------------------------- */

#define PLAIN_ROW                                                                                                      \
    .name = "plain", .role = PERF_BASELINE, .note = "a loop in C: branch-free binary search in float32 edges",         \
    .start = start_plain, .before = clear_plain, .run = count_plainly, .check = check_plain, .end = perf_free_state

/* What the library is compared with: of arrays the limit, of small fills a plain loop. */
static const struct perf_subject firsts[] = {[PERF_FILL] = {PERF_LIMIT_ROW}, [PERF_CALLS] = {PLAIN_ROW}};
static const struct perf_subject fills = {
    .start = start, .before = perf_histogram_reset, .run = fill, .check = check, .end = perf_histogram_end};
static const struct perf_subject plans = {
    .start = start_plans, .before = drop_plan, .run = make_plan, .check = check_plan, .end = end_plans};

void histogram_pick(const struct perf_case *what, struct perf_subject *picked, size_t *count) {
    const unsigned by_auto = 1 << UH_METHOD_AUTO, by_binary = 1 << UH_METHOD_BINARY;
    const int fill_case = what->measured == PERF_FILL;
    unsigned methods = what->bench->options.methods;
    if (what->goals)
        methods = fill_case ? by_auto | by_binary : by_auto;
    *count = 0;
    if (what->device->host && what->measured != PERF_PLAN)
        picked[(*count)++] = firsts[what->measured];
    for (unsigned method = 0; methods >> method; method++) {
        const int binary = method == UH_METHOD_BINARY;
        if (!(methods >> method & 1))
            continue;
        struct perf_subject *subject = &picked[(*count)++];
        *subject = what->measured == PERF_PLAN ? plans : fills;
        subject->name = uh_enum_name(UH_ENUM_METHOD, method);
        subject->choice = (int)method;
        subject->role = fill_case && binary ? PERF_BASELINE : PERF_COMPARED;
        subject->n = binary && what->search && what->search < what->n ? what->search : what->n;
    }
}
