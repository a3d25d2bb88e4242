/* SPDX-License-Identifier: Apache-2.0 */
/* unihist-perf experiments: single integrals and single runs of mean shift, for the scripts of perf/paper, which choose
 * the next one by the outcome of the last. A question and an answer is a line each:
 *
 *     integral INTEGRAND,DIMS BY CALLS ITERATIONS SKIPPED TAU SECONDS SEED
 *         integral VALUE ERROR TRUTH EVALUATIONS REACHED KERNEL_SECONDS SECONDS
 *     shift N DIMS BY THREADS ITERATIONS SIGMA RADIUS_SQUARED DELTA_SQUARED
 *         shift SECONDS ITERATIONS CLUSTERS
 *
 * BY of an integral is a variant of the library, or gsl; of mean shift a method of the library, or sequential, the mean
 * shift paper's program. 0 THREADS are the device. The answer to what cannot be done here is "missing WHY". */
#include "perf/bench.h"
#include "perf/loops.h"
#include "perf/meanshift_points.h"

#define SEED UINT64_C(20261123)

/* How much centroids may differ, of coordinates up to about 20 with a deviation of 3: float32 sums in another order,
 * and because points at the radius are in or out by them. */
#define CENTROID_TOLERANCE 0.05

enum { CENTROIDS_MAX = 256, WORDS = 11 };

struct shift {
    size_t n, dims, iterations;
    unsigned threads;
    const char *by;
    double sigma, radius_squared, delta_squared;
};

/* The points of one number and dimensionality, and what the sequential program finds in them. */
struct points {
    char question[128]; /* that they were drawn for; empty: none */
    struct shift of;
    float *given, *moved, *room;
    size_t centroid_count;
    float centroids[CENTROIDS_MAX * UH_MEAN_SHIFT_MAX_DIMS];
};

struct laboratory {
    struct perf_bench *bench;
    struct perf_device host;
    struct perf_device *device; /* `host` if there is no other */
    uint32_t threads;           /* of integrals */
    struct perf_peers *gsl;
    struct points points;
};

/* ---- integrals --------------------------------------------------------------------------------------------------- */

static int integrate_by_gsl(struct laboratory *lab, const struct perf_integral_task *task,
                            struct perf_integral *found) {
    const struct perf_peers_case what = {.k = task->f.dims, .n = (size_t)task->calls, .integral = task};
    struct perf_peer_options options = lab->bench->options.peers;
    struct perf_subject subject;
    options.count = 1;
    snprintf(options.name[0], sizeof options.name[0], "gsl_vegas");
    if (!lab->gsl)
        lab->gsl = perf_peers_create(&options);
    if (perf_peers_take_case(lab->gsl, &what) == 0)
        return 0;
    perf_peers_at(lab->gsl, 0, &subject);
    subject.run(&subject);
    *found = perf_peers_integral(&subject);
    return 1;
}

static void answer_integral(struct laboratory *lab, char **word) {
    struct perf_integral found = {.reached = 0};
    struct perf_integral_task task = {.f = {perf_integrand_find(word[1]), strtoull(word[2], NULL, 10)},
                                      .calls = strtoull(word[4], NULL, 10),
                                      .iterations = strtoull(word[5], NULL, 10),
                                      .skipped = strtoull(word[6], NULL, 10),
                                      .tau = strtod(word[7], NULL),
                                      .seconds = strtod(word[8], NULL),
                                      .seed = strtoull(word[9], NULL, 10)};
    const char *by = word[3];
    unsigned variant;
    if (task.f.name == INTEGRAND_NAMES)
        perf_usage("'%s' is no integral", word[1]);
    if (strcmp(by, "gsl") != 0) {
        perf_check(uh_enum_from_name(UH_ENUM_INTEGRATE_VARIANT, by, &variant));
        perf_integral_run(perf_queue(&lab->host, lab->threads), lab->bench->machine.isa, (uh_integrate_variant)variant,
                          &task, &found);
    } else if (!integrate_by_gsl(lab, &task, &found)) {
        puts("missing gsl_vegas");
        return;
    }
    printf("integral %.17g %.17g %.17g %.17g %d %.9f %.9f\n", found.value, found.error, integrand_true(&task.f),
           found.evaluations, found.reached, found.kernel, found.total);
}

/* ---- mean shift -------------------------------------------------------------------------------------------------- */

static double run_sequential(struct points *points, size_t iterations) {
    const struct shift *of = &points->of;
    memcpy(points->moved, points->given, of->n * of->dims * sizeof(float));
    const double start = perf_now();
    plain_sequential(points->moved, points->room, of->n, of->dims, iterations, (float)of->sigma,
                     (float)of->radius_squared);
    points->centroid_count =
        plain_centroids(points->moved, of->n, of->dims, (float)of->delta_squared, points->centroids, CENTROIDS_MAX);
    return perf_now() - start;
}

/* Draws other points than before, and lets the sequential program move them once. */
static void draw_points(struct points *points, const struct shift *shift, char **word) {
    const size_t coordinates = shift->n * shift->dims;
    char question[sizeof points->question];
    snprintf(question, sizeof question, "%s %s %s %s %s %s", word[1], word[2], word[5], word[6], word[7], word[8]);
    if (strcmp(points->question, question) == 0)
        return;
    memcpy(points->question, question, sizeof question);
    free(points->given);
    points->of = *shift;
    points->given = perf_memory(3 * coordinates, sizeof *points->given);
    points->moved = points->given + coordinates;
    points->room = points->moved + coordinates;
    meanshift_points(MEANSHIFT_PAPER, SEED + shift->n, shift->n, shift->dims, 1, UH_F32, points->given);
    run_sequential(points, shift->iterations);
}

static void check_clusters(const struct points *points, const uh_clusters_properties *found) {
    const size_t dims = points->of.dims;
    if (found->clusters != points->centroid_count)
        perf_fail("wrong: there are %zu clusters, expected %zu", found->clusters, points->centroid_count);
    for (size_t i = 0; i < found->clusters * dims; i++)
        if (!(fabs(found->centroids[i] - (double)points->centroids[i]) <= CENTROID_TOLERANCE))
            perf_fail("wrong: coordinate %zu of centroid %zu is %.6g, expected %.6g", i % dims, i / dims,
                      found->centroids[i], (double)points->centroids[i]);
}

static void run_library(struct laboratory *lab, const struct shift *shift) {
    uh_mean_shift_options options = {.struct_size = sizeof options,
                                     .algorithm = UH_MEAN_SHIFT_BLURRING,
                                     .kernel = UH_KERNEL_GAUSSIAN,
                                     .reduction = UH_MEAN_SHIFT_GREEDY,
                                     .radius = shift->radius_squared,
                                     .sigma = shift->sigma,
                                     .delta = shift->delta_squared,
                                     .squared = 1,
                                     .eps = -1,
                                     .iterations = shift->iterations};
    uh_array arrays[UH_MEAN_SHIFT_MAX_DIMS];
    uh_clusters *clusters = NULL;
    uh_clusters_properties found = {.struct_size = sizeof found};
    unsigned method;
    perf_check(uh_enum_from_name(UH_ENUM_MEAN_SHIFT_METHOD, shift->by, &method));
    options.method = (uh_mean_shift_method)method;
    uh_queue *queue = perf_queue(shift->threads ? &lab->host : lab->device, shift->threads);
    uh_arrays_of_rows(UH_F32, lab->points.given, shift->n, shift->dims, arrays);
    const double start = perf_now();
    perf_check(uh_mean_shift(queue, arrays, shift->dims, &options, &clusters));
    const double seconds = perf_now() - start;
    perf_check(uh_clusters_get_properties(clusters, &found));
    check_clusters(&lab->points, &found);
    printf("shift %.9f %zu %zu\n", seconds, found.iterations, found.clusters);
    uh_clusters_destroy(clusters);
}

static void answer_shift(struct laboratory *lab, char **word) {
    const struct shift shift = {.n = strtoull(word[1], NULL, 10),
                                .dims = strtoull(word[2], NULL, 10),
                                .by = word[3],
                                .threads = (unsigned)strtoul(word[4], NULL, 10),
                                .iterations = strtoull(word[5], NULL, 10),
                                .sigma = strtod(word[6], NULL),
                                .radius_squared = strtod(word[7], NULL),
                                .delta_squared = strtod(word[8], NULL)};
    if (shift.n == 0 || shift.dims == 0 || shift.dims > UH_MEAN_SHIFT_MAX_DIMS)
        perf_usage("%s points of %s axes cannot be moved", word[1], word[2]);
    if (shift.threads == 0 && lab->device == &lab->host) {
        puts("missing there is no device but the host");
        return;
    }
    perf_pin_threads(&lab->bench->cpus, shift.threads ? shift.threads : 1);
    draw_points(&lab->points, &shift, word);
    if (strcmp(shift.by, "sequential") != 0) {
        run_library(lab, &shift);
        return;
    }
    const double seconds = run_sequential(&lab->points, shift.iterations);
    printf("shift %.9f %zu %zu\n", seconds, shift.iterations, lab->points.centroid_count);
}

/* ---- all of them ------------------------------------------------------------------------------------------------- */

/* Finds the host, and the device that is named or the first GPU. */
static void begin(struct laboratory *lab) {
    struct perf_bench *bench = lab->bench;
    char text[160];
    lab->host.host = 1;
    perf_check(uh_device_select("cpu", &lab->host.device));
    perf_find_device(bench, "gpu");
    lab->device = bench->device.host ? &lab->host : &bench->device;
    lab->threads = bench->options.threads.value[0] > 0 ? (uint32_t)bench->options.threads.value[0] : 1;
    if (!bench->described)
        perf_report_machine(&bench->machine);
    if (!lab->device->host)
        perf_report_fact("device", lab->device->properties.name);
    snprintf(text, sizeof text, "%u thread%s, %s", (unsigned)lab->threads, lab->threads > 1 ? "s" : "",
             perf_pin_threads(&bench->cpus, lab->threads));
    perf_report_fact("threads", text);
}

void perf_experiments(struct perf_bench *bench) {
    char question[512], *word[WORDS], *rest;
    struct laboratory *lab = perf_memory(1, sizeof *lab);
    lab->bench = bench;
    begin(lab);
    while (!fflush(stdout) && fgets(question, sizeof question, stdin)) {
        size_t count = 0;
        for (char *at = strtok_r(question, " ,\n", &rest); at && count < WORDS; at = strtok_r(NULL, " ,\n", &rest))
            word[count++] = at;
        if (count == 9 && strcmp(word[0], "shift") == 0)
            answer_shift(lab, word);
        else if (count == 10 && strcmp(word[0], "integral") == 0)
            answer_integral(lab, word);
        else
            perf_usage("'%s' with %zu words is no question", count ? word[0] : "", count);
    }
    if (perf_interrupted)
        perf_fail("interrupted");
    perf_peers_destroy(lab->gsl);
    perf_close_queues(&lab->host);
    perf_drop_cases(bench);
    free(lab->points.given);
    free(lab);
}
