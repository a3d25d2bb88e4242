/* SPDX-License-Identifier: Apache-2.0 */
/* Table XIII on one device. */
#include "perf/frequencies.h"
#include "perf/sample_reference.h"
#include "perf/tables_measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SEED   UINT64_C(20230629)
#define STREAM ((uint64_t)1 << 63) /* that samples are made of */

/* Samples that are compared one by one, and those that are taken from a device at once. */
enum { COMPARED = 1 << 20, PIECE = 1 << 22 };

/* What the rows have in common. */
struct sampling {
    struct tables_site *site;
    float *weights;
    uint32_t *there;           /* the samples, on the host or in memory of the device */
    uint32_t *piece;           /* of them; NULL where they are on the host */
    struct perf_samples right; /* the first ones */
    uint32_t *words;           /* the first ones */
    uint64_t counts[PAPER_SAMPLING_K];
};

struct row {
    struct sampling *sampling;
    enum tables_sampler which;
    char name[PERF_NAME_MAX];
    uh_sampler *sampler;
    double prepare;
    char plan[512];
    struct tables_guest guest;
};

static int library_failed(struct perf_error *error) {
    return perf_fail(error, "%s", uh_last_error());
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* ---- rows ------------------------------------------------------------------------------------------------------- */

static int before(void *context, struct perf_error *error) {
    const struct row *row = context;
    return perf_site_interrupted(row->sampling->site, error);
}

static int run_draw(void *context, struct perf_error *error) {
    const struct row *row = context;
    const struct sampling *sampling = row->sampling;
    return uh_sampler_draw(row->sampler, sampling->site->device->samples, SEED, 0, UH_U32, sampling->there)
               ? library_failed(error)
               : PERF_OK;
}

static int run_words(void *context, struct perf_error *error) {
    const struct row *row = context;
    const struct tables_site *site = row->sampling->site;
    return uh_random_u32(site->queue, UH_PHILOX4X32_10, SEED, STREAM, 0, row->sampling->there, site->device->samples)
               ? library_failed(error)
               : PERF_OK;
}

/* Lends `count` samples from number `first` on. NULL where they cannot be had. */
static const uint32_t *look_at(struct sampling *sampling, size_t first, size_t count) {
    const uint32_t *from = sampling->there + first;
    if (!sampling->piece)
        return from;
    uh_queue *queue = sampling->site->queue;
    int failed = uh_memcpy(queue, sampling->piece, from, count * sizeof *from, NULL, 0, NULL) || uh_queue_wait(queue);
    return failed ? NULL : sampling->piece;
}

static int check_words(void *context, struct perf_error *error) {
    const struct row *row = context;
    struct sampling *sampling = row->sampling;
    const struct perf_samples right = {.n = sampling->right.n, .k = 0, .sample = sampling->words};
    const uint32_t *words = look_at(sampling, 0, right.n);
    return words ? perf_samples_check(&right, words, row->name, error) : library_failed(error);
}

/* The first samples one by one where it is known what they are, and the frequencies of all. */
static int check_draw(void *context, struct perf_error *error) {
    const struct row *row = context;
    struct sampling *sampling = row->sampling;
    const size_t n = sampling->site->device->samples;
    int status = PERF_OK;
    memset(sampling->counts, 0, sizeof sampling->counts);
    for (size_t first = 0; status == PERF_OK && first < n; first += PIECE) {
        const size_t count = n - first < PIECE ? n - first : PIECE;
        const uint32_t *sample = look_at(sampling, first, count);
        status = perf_site_interrupted(sampling->site, error);
        if (status == PERF_OK && !sample)
            status = library_failed(error);
        if (status == PERF_OK && first == 0 && row->which != SAMPLER_ALIAS)
            status = perf_samples_check(&sampling->right, sample, row->name, error);
        if (status == PERF_OK)
            status = perf_frequencies_count(sample, count, sampling->counts, PAPER_SAMPLING_K, row->name, error);
    }
    if (status == PERF_OK)
        status = perf_frequencies_check(sampling->weights, PAPER_SAMPLING_K, sampling->counts, n, row->name, error);
    return status;
}

void perf_tables_sampling_name(const struct tables_device *device, enum tables_sampler sampler, char *name,
                               size_t size) {
    static const char *const rows[TABLES_SAMPLERS] = {"numpy", "unihist", "alias", "binary", "u32"};
    snprintf(name, size, "tables/sampling/k:%d/%s/%s", PAPER_SAMPLING_K, device->properties.selector, rows[sampler]);
}

int perf_tables_samples(const struct tables_device *device, enum tables_sampler sampler) {
    return sampler != SAMPLER_NUMPY || device->choice.version[0];
}

/* Hands NumPy the weights. */
static int offer_numpy(struct row *row, struct perf_error *error) {
    struct tables_site *site = row->sampling->site;
    char pattern[PERF_NAME_MAX];
    size_t count = 0;
    snprintf(pattern, sizeof pattern, "%.*s*", (int)(strrchr(row->name, '/') + 1 - row->name), row->name);
    const struct perf_peers_case what = {.name = pattern,
                                         .n = site->device->samples,
                                         .k = PAPER_SAMPLING_K,
                                         .weights = row->sampling->weights,
                                         .most = site->device->samples};
    int status = perf_site_failed(site, perf_peers_take_case(site->choice, &what, &count, error), error);
    if (status == PERF_OK && count == 0)
        return perf_fail(error, "the peer numpy_choice does not take the case %s", row->name);
    row->guest = (struct tables_guest){site, status == PERF_OK ? perf_peers_at(site->choice, 0) : NULL};
    return status;
}

static int make_sampler(struct row *row, struct perf_error *error) {
    static const uh_sample_method methods[TABLES_SAMPLERS] = {
        [SAMPLER_UNIHIST] = UH_SAMPLE_UNIHIST, [SAMPLER_ALIAS] = UH_SAMPLE_ALIAS, [SAMPLER_BINARY] = UH_SAMPLE_BINARY};
    const uh_sampler_options options = {.struct_size = sizeof options, .method = methods[row->which]};
    const struct sampling *sampling = row->sampling;
    double start = now();
    if (uh_sampler_create(sampling->site->queue, UH_F32, sampling->weights, PAPER_SAMPLING_K, &options, &row->sampler))
        return library_failed(error);
    row->prepare = now() - start;
    return uh_sampler_plan_text(row->sampler, row->plan, sizeof row->plan, NULL) ? library_failed(error) : PERF_OK;
}

static int make_rows(struct sampling *sampling, struct row *rows, struct perf_subject *subjects, size_t *count,
                     struct perf_error *error) {
    int status = PERF_OK;
    for (int which = 0; status == PERF_OK && which < TABLES_SAMPLERS; which++) {
        struct row *row = &rows[which];
        struct perf_subject subject = {.before = before, .run = run_draw, .after = check_draw, .context = row};
        *row = (struct row){.sampling = sampling, .which = (enum tables_sampler)which};
        if (!perf_tables_samples(sampling->site->device, row->which))
            continue;
        perf_tables_sampling_name(sampling->site->device, row->which, row->name, sizeof row->name);
        if (which == SAMPLER_NUMPY) {
            status = offer_numpy(row, error);
            subject = perf_site_guest(&row->guest);
        } else if (which == SAMPLER_WORDS) {
            subject.run = run_words;
            subject.after = check_words;
        } else {
            status = make_sampler(row, error);
        }
        subjects[(*count)++] = subject;
    }
    return status;
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

static int make(struct sampling *sampling, struct perf_error *error) {
    const struct tables_site *site = sampling->site;
    const struct tables_device *device = site->device;
    const size_t n = device->samples, some = n < COMPARED ? n : COMPARED;
    void *there = NULL;
    if (n > SIZE_MAX / sizeof *sampling->there)
        return perf_fail(error, "out of memory for %zu samples; --n sets how many", n);
    if (!device->host && uh_malloc_device(device->device, n * sizeof *sampling->there, 0, &there))
        return perf_fail(error, "%s; --n sets how many samples", uh_last_error());
    sampling->there = device->host ? perf_array_create(n * sizeof *sampling->there, site->threads) : there;
    sampling->piece = device->host ? NULL : malloc(PIECE * sizeof *sampling->piece);
    sampling->weights = perf_sample_weights(SAMPLE_EQUAL, SAMPLE_AS_MADE, PAPER_SAMPLING_K);
    sampling->words = malloc(some * sizeof *sampling->words);
    if (!sampling->there || !(sampling->piece || device->host) || !sampling->weights || !sampling->words)
        return perf_fail(error, "out of memory for %zu samples; --n sets how many", n);
    perf_sample_words(SEED, STREAM, 0, sampling->words, some);
    return perf_samples_draw(sampling->weights, PAPER_SAMPLING_K, SEED, some, &sampling->right, error);
}

static int report_rows(const struct sampling *sampling, const struct row *rows, struct perf_error *error) {
    const struct tables_site *site = sampling->site;
    const struct perf_timing *timing = site->device->sampling, *words = &timing[SAMPLER_WORDS];
    int status = PERF_OK;
    for (int which = 0; status == PERF_OK && which < TABLES_SAMPLERS; which++) {
        if (!timing[which].repetitions)
            continue;
        const char *note = which == SAMPLER_WORDS ? "uh_random_u32" : rows[which].plan;
        struct perf_result result = {
            .note = which == SAMPLER_NUMPY ? rows[which].guest.peer->note : note,
            .threads = which == SAMPLER_NUMPY || !site->device->host ? 1 : site->threads,
            .items = (double)site->device->samples,
            .bytes = (double)site->device->samples * sizeof(uint32_t),
            .timing = timing[which],
            .prepare = rows[which].prepare,
            .limit = words->median / timing[which].median,
        };
        snprintf(result.name, sizeof result.name, "%s", rows[which].name);
        status = perf_report_add(site->report, &result, error);
    }
    return status;
}

int perf_site_sample(struct tables_site *site, struct perf_error *error) {
    struct sampling sampling = {.site = site};
    struct row rows[TABLES_SAMPLERS] = {{.sampling = NULL}};
    struct perf_subject subjects[TABLES_SAMPLERS];
    struct perf_timing timings[TABLES_SAMPLERS];
    size_t count = 0, next = 0;
    char pinning[128];
    perf_report_progress("%s: samples, k = %d", site->device->properties.selector, PAPER_SAMPLING_K);
    int status = perf_site_interrupted(site, error);
    if (status == PERF_OK)
        status = make(&sampling, error);
    if (status == PERF_OK)
        status = make_rows(&sampling, rows, subjects, &count, error);
    /* As for histograms: what made the tables may have replaced the pinned threads. */
    if (site->device->host)
        perf_pin_threads(site->cpus, site->threads, pinning, sizeof pinning);
    if (status == PERF_OK)
        status = perf_measure(subjects, count, site->min_time, timings, error);
    for (int which = 0; status == PERF_OK && which < TABLES_SAMPLERS; which++)
        if (perf_tables_samples(site->device, (enum tables_sampler)which))
            site->device->sampling[which] = timings[next++];
    perf_report_progress(NULL);
    if (status == PERF_OK)
        status = report_rows(&sampling, rows, error);
    for (size_t i = 0; i < TABLES_SAMPLERS; i++)
        uh_sampler_destroy(rows[i].sampler);
    perf_samples_free(&sampling.right);
    free(sampling.weights);
    free(sampling.words);
    free(sampling.piece);
    if (site->device->host)
        free(sampling.there);
    else
        uh_free(sampling.there);
    return status;
}
