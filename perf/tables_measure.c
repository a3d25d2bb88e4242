/* SPDX-License-Identifier: Apache-2.0 */
#include "perf/tables_measure.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#define EDGE_SEED UINT64_C(20230627)

/* One rival at work on the current bins. */
struct contender {
    struct tables_site *site;
    enum tables_variant variant;
    size_t k;
    char name[PERF_NAME_MAX];
    uh_histogram *histogram;
    double prepare;
    char plan[512];
    struct tables_guest guest; /* numpy.histogram */
};

static int library_failed(struct perf_error *error) {
    return perf_fail(error, "%s", uh_last_error());
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

int perf_site_interrupted(const struct tables_site *site, struct perf_error *error) {
    return *site->interrupted ? perf_fail(error, "interrupted") : PERF_OK;
}

int perf_site_failed(const struct tables_site *site, int status, struct perf_error *error) {
    return status != PERF_OK && *site->interrupted ? perf_fail(error, "interrupted") : status;
}

/* ---- rivals ----------------------------------------------------------------------------------------------------- */

static int check_counts(const struct contender *contender, const struct perf_counts *counts, struct perf_error *error) {
    const struct tables_site *site = contender->site;
    return perf_reference_compare(contender->name, counts, &site->expected, site->edges, contender->k, error);
}

/* The reset of a device is its own work, which must not be in the timing. */
static int reset_histogram(void *context, struct perf_error *error) {
    const struct contender *contender = context;
    if (*contender->site->interrupted)
        return perf_site_interrupted(contender->site, error);
    return uh_histogram_reset(contender->histogram) || uh_queue_wait(contender->site->queue) ? library_failed(error)
                                                                                             : PERF_OK;
}

static int fill_histogram(void *context, struct perf_error *error) {
    const struct contender *contender = context;
    const struct tables_site *site = contender->site;
    return uh_histogram_fill(contender->histogram, UH_F32, site->there, site->device->n) || uh_queue_wait(site->queue)
               ? library_failed(error)
               : PERF_OK;
}

static int check_histogram(void *context, struct perf_error *error) {
    const struct contender *contender = context;
    struct perf_counts counts = {.bins = contender->site->bins};
    uh_flow flow;
    if (uh_histogram_counts(contender->histogram, counts.bins) || uh_histogram_flow(contender->histogram, &flow))
        return library_failed(error);
    counts.below = flow.below;
    counts.above = flow.above;
    counts.nan = flow.nan;
    return check_counts(contender, &counts, error);
}

static int before_guest(void *context, struct perf_error *error) {
    const struct tables_guest *guest = context;
    return perf_site_interrupted(guest->site, error);
}

static int run_guest(void *context, struct perf_error *error) {
    const struct tables_guest *guest = context;
    const struct perf_subject *subject = &guest->peer->subject;
    return perf_site_failed(guest->site, subject->run(subject->context, error), error);
}

static int check_guest(void *context, struct perf_error *error) {
    const struct tables_guest *guest = context;
    const struct perf_subject *subject = &guest->peer->subject;
    return perf_site_failed(guest->site, subject->after(subject->context, error), error);
}

static void tell_guests_times(void *context, double *seconds, double *cpu) {
    const struct tables_guest *guest = context;
    guest->peer->subject.times(guest->peer->subject.context, seconds, cpu);
}

struct perf_subject perf_site_guest(struct tables_guest *guest) {
    return (struct perf_subject){
        .before = before_guest, .run = run_guest, .after = check_guest, .times = tell_guests_times, .context = guest};
}

/* Hands NumPy all values, and the bins. Its results are named after it. */
static int offer_numpy(struct contender *contender, struct perf_error *error) {
    const struct tables_site *site = contender->site;
    const size_t n = site->device->n;
    char pattern[PERF_NAME_MAX];
    size_t count = 0;
    snprintf(pattern, sizeof pattern, "%.*s*", (int)(strrchr(contender->name, '/') + 1 - contender->name),
             contender->name);
    const struct perf_peers_case what = {
        .name = pattern, .dtype = UH_F32, .x = site->x, .n = n, .k = contender->k, .edges = site->edges, .most = n};
    int status = perf_site_failed(site, perf_peers_take_case(site->numpy, &what, &count, error), error);
    if (status == PERF_OK && count == 0)
        return perf_fail(error, "the peer numpy does not take the case %s", contender->name);
    contender->guest = (struct tables_guest){contender->site, status == PERF_OK ? perf_peers_at(site->numpy, 0) : NULL};
    return status;
}

static int make_histogram(struct contender *contender, const uh_axis *axis, struct perf_error *error) {
    const uh_method methods[TABLES_VARIANTS] = {
        [TABLES_BINARY] = UH_METHOD_BINARY, [TABLES_UNIHIST] = UH_METHOD_MESH, [TABLES_AUTO] = UH_METHOD_AUTO};
    uh_histogram_options options = {.struct_size = sizeof options, .method = methods[contender->variant]};
    double start = now();
    if (uh_histogram_create(contender->site->queue, axis, &options, &contender->histogram) ||
        uh_histogram_prepare(contender->histogram, UH_F32))
        return library_failed(error);
    contender->prepare = now() - start;
    return uh_histogram_plan_text(contender->histogram, UH_F32, contender->plan, sizeof contender->plan, NULL)
               ? library_failed(error)
               : PERF_OK;
}

/* ---- one choice of bins ----------------------------------------------------------------------------------------- */

void perf_tables_name(const struct tables_device *device, enum paper_bins bins, size_t k, size_t h,
                      enum tables_variant variant, char *name, size_t size) {
    static const char *const variants[TABLES_VARIANTS] = {"numpy", "binary", "unihist", "auto", "limit"};
    snprintf(name, size, "tables/%s/k:%zu/h:%g/%s/%s", case_bins_name(paper_families[bins].bins), paper_k[k],
             paper_h[h], device->properties.selector, variants[variant]);
}

int perf_tables_takes_part(const struct tables_device *device, enum tables_variant variant) {
    return variant == TABLES_NUMPY ? device->numpy.version[0] != '\0' : variant != TABLES_LIMIT || device->host;
}

static int report_cell(struct tables_site *site, enum paper_bins bins, size_t k, size_t h,
                       const struct contender *contenders, struct perf_error *error) {
    const struct perf_timing *timing = site->device->timing[bins][k][h];
    const char *notes[TABLES_VARIANTS] = {[TABLES_NUMPY] = "numpy.histogram", [TABLES_LIMIT] = "reads the array once"};
    int status = PERF_OK;
    for (int variant = 0; status == PERF_OK && variant < TABLES_VARIANTS; variant++) {
        if (!timing[variant].repetitions)
            continue;
        int alone = variant == TABLES_NUMPY || !site->device->host;
        struct perf_result result = {
            .note = contenders[variant].histogram ? contenders[variant].plan : notes[variant],
            .threads = alone ? 1 : site->threads,
            .items = (double)site->device->n,
            .bytes = (double)site->device->n * sizeof(float),
            .timing = timing[variant],
            .prepare = contenders[variant].prepare,
            .limit = timing[TABLES_LIMIT].repetitions ? timing[TABLES_LIMIT].median / timing[variant].median : 0,
            .baseline = perf_tables_ratio(timing, (enum tables_variant)variant),
        };
        snprintf(result.name, sizeof result.name, "%s", contenders[variant].name);
        status = perf_report_add(site->report, &result, error);
    }
    return status;
}

/* Makes a rival of each row, and its subject. Returns how many there are in `*count`. */
static int make_contenders(struct tables_site *site, enum paper_bins bins, size_t k, size_t h,
                           struct contender *contenders, struct perf_subject *subjects, size_t *count,
                           struct perf_error *error) {
    int status = PERF_OK;
    uh_axis *axis = NULL;
    if (uh_axis_create_edges(UH_F64, site->edges, paper_k[k] + 1, UH_CLOSED_LEFT, &axis))
        return library_failed(error);
    for (int variant = 0; status == PERF_OK && variant < TABLES_VARIANTS; variant++) {
        struct contender *contender = &contenders[variant];
        if (!perf_tables_takes_part(site->device, (enum tables_variant)variant))
            continue;
        *contender = (struct contender){.site = site, .variant = (enum tables_variant)variant, .k = paper_k[k]};
        perf_tables_name(site->device, bins, k, h, contender->variant, contender->name, sizeof contender->name);
        if (variant == TABLES_NUMPY) {
            status = offer_numpy(contender, error);
            subjects[*count] = perf_site_guest(&contender->guest);
        } else if (variant == TABLES_LIMIT) {
            subjects[*count] = perf_limit_subject(&site->limit);
        } else {
            status = make_histogram(contender, axis, error);
            subjects[*count] = (struct perf_subject){
                .before = reset_histogram, .run = fill_histogram, .after = check_histogram, .context = contender};
        }
        ++*count;
    }
    uh_axis_destroy(axis);
    return status;
}

static int measure_cell(struct tables_site *site, enum paper_bins bins, size_t k, size_t h, struct perf_error *error) {
    struct contender contenders[TABLES_VARIANTS] = {{0}};
    struct perf_subject subjects[TABLES_VARIANTS];
    struct perf_timing timings[TABLES_VARIANTS];
    struct perf_timing *cell = site->device->timing[bins][k][h];
    size_t count = 0, next = 0;
    char pinning[128];
    int status = make_contenders(site, bins, k, h, contenders, subjects, &count, error);
    /* Again, for a team of another size that made the tables may have replaced the pinned threads. */
    if (site->device->host)
        perf_pin_threads(site->cpus, site->threads, pinning, sizeof pinning);
    if (status == PERF_OK)
        status = perf_measure(subjects, count, site->min_time, timings, error);
    for (int variant = 0; status == PERF_OK && variant < TABLES_VARIANTS; variant++)
        if (perf_tables_takes_part(site->device, (enum tables_variant)variant))
            cell[variant] = timings[next++];
    perf_report_progress(NULL);
    if (status == PERF_OK)
        status = report_cell(site, bins, k, h, contenders, error);
    for (int variant = 0; variant < TABLES_VARIANTS; variant++)
        uh_histogram_destroy(contenders[variant].histogram);
    return status;
}

int perf_site_measure(struct tables_site *site, enum paper_bins bins, size_t k, size_t h, struct perf_error *error) {
    enum case_bins family = paper_families[bins].bins;
    if (*site->interrupted)
        return perf_site_interrupted(site, error);
    perf_report_progress("%s: %s bins, k = %zu, h = %g", site->device->properties.selector, case_bins_name(family),
                         paper_k[k], paper_h[h]);
    if (case_edges(family, paper_k[k], PAPER_RANGE, paper_h[h], EDGE_SEED, site->edges))
        return perf_fail(error, "%s bins of k = %zu and h = %g do not fit", case_bins_name(family), paper_k[k],
                         paper_h[h]);
    int status = perf_reference_count(site->x, UH_F32, site->device->n, site->edges, paper_k[k], site->threads,
                                      &site->expected, error);
    return status == PERF_OK ? measure_cell(site, bins, k, h, error) : status;
}
