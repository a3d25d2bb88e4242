/* SPDX-License-Identifier: Apache-2.0 */
/* unihist meanshift: reads points, moves them to the modes of their density, and tells the clusters. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unihist/meanshift.h>

#include "api/cli/display/clusters.h"
#include "api/cli/display/display.h"
#include "api/cli/display/progress.h"
#include "api/cli/group.h"
#include "api/cli/input/number.h"
#include "api/cli/input/rows.h"
#include "api/cli/interrupt.h"
#include "api/cli/job.h"
#include "api/cli/output/atomic.h"
#include "api/cli/output/clusters.h"
#include "api/cli/output/output.h"
#include "api/cli/publish.h"
#include "api/cli/stats.h"

#define QUANTILE   0.3  /* scikit-learn's default */
#define SAMPLES    2000 /* points whose neighbours an estimate looks for, at most, */
#define LEAST      100  /* at least, */
#define DISTANCES  4e8  /* and distances that it computes for it: some seconds of a core */
#define ITERATIONS 300  /* the library's default, which files tell */
#define MAX_POINTS ((size_t)1 << 31)
#define PLAN       1024

_Static_assert(CLI_CSV_COLUMNS == UH_MEAN_SHIFT_MAX_DIMS && CLI_MAX_WORDS == UH_MEAN_SHIFT_MAX_DIMS,
               "as many columns as there may be coordinates");

struct shifting {
    struct cli_job job;
    struct cli_terminal terminal;
    double start;

    double bandwidth; /* as it is given, 0: to be estimated */
    double quantile;  /* 0: it is given */
    size_t shown[2], nshown;
    struct cli_rows points;
    uh_mean_shift_options options;

    uh_mean_shift_iteration *iteration; /* owned; so many: */
    size_t iterations, room;
    int out_of_memory;
    size_t named;                  /* 1 more than the number of the iteration that progress shows */
    size_t moving;                 /* points, in it */
    struct cli_progress *progress; /* of the iteration at work */
    uh_clusters *clusters;
    uh_clusters_properties found;
};

/* ---- what the options say ---------------------------------------------------------------------------------------- */

static int check_bandwidth(struct shifting *shifting, const struct cli_arguments *arguments, struct cli_error *error) {
    const char *text = arguments->bandwidth;
    const int estimated = text ? strcmp(text, "auto") == 0 : !(arguments->sigma > 0) && !(arguments->radius > 0);
    if (text && (arguments->sigma > 0 || arguments->radius > 0))
        return cli_usage(error, "--bandwidth says what --%s says; give one", arguments->sigma > 0 ? "sigma" : "radius");
    if (text && !estimated &&
        (cli_parse_double(text, strlen(text), &shifting->bandwidth) || !(shifting->bandwidth > 0) ||
         !isfinite(shifting->bandwidth)))
        return cli_usage(error, "--bandwidth '%.200s': expected a number above 0, or auto", text);
    if (arguments->quantile > 0 && !estimated)
        return cli_usage(error, "--quantile is of --bandwidth auto; the bandwidth is given by --%s",
                         text                   ? "bandwidth"
                         : arguments->sigma > 0 ? "sigma"
                                                : "radius");
    if (arguments->sigma > 0 && arguments->density_kernel > 1)
        return cli_usage(error, "--sigma is of the gaussian kernel, %s has a --radius",
                         uh_density_kernel_name((uh_density_kernel)(arguments->density_kernel - 1)));
    if (arguments->squared && !(arguments->radius > 0) && !(arguments->delta > 0))
        return cli_usage(error, "--squared is of --radius and --delta, and none is given");
    if (estimated)
        shifting->quantile = arguments->quantile > 0 ? arguments->quantile : QUANTILE;
    return 0;
}

static int check_seeds(const struct cli_arguments *arguments, struct cli_error *error) {
    if (arguments->seed_bins > 0 && arguments->algorithm == UH_MEAN_SHIFT_BLURRING + 1)
        return cli_usage(error, "--seed-bins goes with --algorithm modes, not with blurring, where all points move");
    if (arguments->seed_points.given && !(arguments->seed_bins > 0))
        return cli_usage(error, "--seed-points is of --seed-bins, which is not given");
    return 0;
}

/* "I" or "I,J". Whether there are as many, the points will tell. */
static int read_plot_axes(struct shifting *shifting, const char *text, struct cli_error *error) {
    for (const char *at = text; at;) {
        char number[8];
        uint64_t axis;
        const size_t length = strcspn(at, ",");
        snprintf(number, sizeof number, "%.*s", length < sizeof number ? (int)length : 7, at);
        if (shifting->nshown == 2 || length >= sizeof number ||
            cli_parse_u64(number, 0, UH_MEAN_SHIFT_MAX_DIMS - 1, &axis))
            return cli_usage(error, "--plot-axes '%.200s': expected one or two numbers from 0 to %d", text,
                             UH_MEAN_SHIFT_MAX_DIMS - 1);
        shifting->shown[shifting->nshown++] = (size_t)axis;
        at = at[length] ? at + length + 1 : NULL;
    }
    return 0;
}

static int read_eps(struct shifting *shifting, const char *text, struct cli_error *error) {
    double eps;
    if (!text)
        return 0;
    if (cli_parse_double(text, strlen(text), &eps) || !(eps >= 0) || !isfinite(eps))
        return cli_usage(error, "--eps '%.200s': expected a number from 0", text);
    shifting->options.eps = eps > 0 ? eps : -1;
    return 0;
}

static int is_file(const char *path) {
    return path && strcmp(path, "-") != 0;
}

static int check_files(const struct cli_arguments *arguments, struct cli_error *error) {
    const char *const paths[] = {arguments->output, arguments->centroids, arguments->shifted};
    static const char *const names[] = {"output", "centroids", "shifted"};
    if (arguments->json && arguments->output && !is_file(arguments->output))
        return cli_usage(error, "--json and --output - both go to standard output");
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < i; j++)
            if (is_file(paths[i]) && is_file(paths[j]) && strcmp(paths[i], paths[j]) == 0)
                return cli_usage(error, "--%s and --%s both go to '%.200s'", names[j], names[i], paths[i]);
    if (is_file(arguments->output) && cli_output_check(arguments->output, CLI_OUTPUT_INTEGERS, error))
        return -1;
    for (size_t i = 1; i < 3; i++)
        if (paths[i] && cli_output_check(paths[i], CLI_CLUSTERS_TABLES, error))
            return -1;
    return arguments->plot ? cli_display_check(arguments->plot, error) : 0;
}

static int read_options(struct shifting *shifting, const struct cli_arguments *arguments, struct cli_error *error) {
    const struct cli_whole *iterations = &arguments->iterations;
    shifting->options = (uh_mean_shift_options){
        .struct_size = sizeof shifting->options,
        .algorithm = (uh_mean_shift_algorithm)(arguments->algorithm ? arguments->algorithm - 1 : 0),
        .kernel = (uh_density_kernel)(arguments->density_kernel ? arguments->density_kernel - 1 : 0),
        .method = (uh_mean_shift_method)(arguments->neighbours ? arguments->neighbours - 1 : 0),
        .reduction = (uh_mean_shift_reduction)(arguments->reduction ? arguments->reduction - 1 : 0),
        .radius = arguments->radius,
        .sigma = arguments->sigma,
        .delta = arguments->delta,
        .squared = arguments->squared,
        .iterations = !iterations->given  ? ITERATIONS
                      : iterations->value ? (size_t)iterations->value
                                          : SIZE_MAX,
        .seed_bins = arguments->seed_bins,
        .seed_points = arguments->seed_points.given ? (size_t)arguments->seed_points.value : 1,
    };
    return check_bandwidth(shifting, arguments, error) || check_seeds(arguments, error) ||
           read_eps(shifting, arguments->eps, error) ||
           (arguments->plot_axes && read_plot_axes(shifting, arguments->plot_axes, error)) ||
           check_files(arguments, error);
}

/* ---- points ------------------------------------------------------------------------------------------------------ */

static int read_points(struct shifting *shifting, const struct cli_arguments *arguments, struct cli_error *error) {
    const struct cli_rows_options options = {.paths = arguments->paths,
                                             .npaths = arguments->npaths,
                                             .dtype = arguments->dtype,
                                             .row = (size_t)arguments->row.value,
                                             .columns = (const char *const *)arguments->columns.word,
                                             .ncolumns = arguments->columns.n};
    struct cli_rows *points = &shifting->points;
    if (cli_rows_read(points, &options, error))
        return -1;
    if (points->n >= MAX_POINTS)
        return cli_fail(error, "there are %zu points, expected fewer than 2^31", points->n);
    for (size_t i = 0; i < shifting->nshown; i++)
        if (shifting->shown[i] >= points->width)
            return cli_usage(error, "--plot-axes '%.200s': expected numbers from 0 to %zu, of %zu coordinate%s",
                             arguments->plot_axes, points->width - 1, points->width, points->width == 1 ? "" : "s");
    if (shifting->nshown == 0) {
        shifting->nshown = points->width > 1 ? 2 : 1;
        shifting->shown[1] = 1;
    }
    return 0;
}

static void list_arrays(const struct shifting *shifting, uh_array arrays[UH_MEAN_SHIFT_MAX_DIMS]) {
    uh_arrays_of_rows(shifting->points.dtype, shifting->points.data, shifting->points.n, shifting->points.width,
                      arrays);
}

/* What all processes were given is wrong for all: which rank says so does not matter. */
static const char *skip_rank(const char *text) {
    static const char rank[] = "rank ";
    const size_t digits = strncmp(text, rank, strlen(rank)) == 0 ? strspn(text + strlen(rank), "0123456789") : 0;
    const char *end = text + strlen(rank) + digits;
    return digits && strncmp(end, ": ", 2) == 0 ? end + 2 : text;
}

/* What the library calls options->seed_points is --seed-points here, and points[1].data the coordinate of a name. */
static int fail_argument(const struct shifting *shifting, struct cli_error *error) {
    static const char member[] = "options->", points[] = "points[", data[] = "].data";
    const char *text = skip_rank(uh_last_error_info()->text);
    char *end;
    if (strncmp(text, points, strlen(points)) == 0) {
        const unsigned long axis = strtoul(text + strlen(points), &end, 10);
        if (axis < shifting->points.width && strncmp(end, data, strlen(data)) == 0)
            return cli_fail(error, "coordinate %s%s", shifting->points.names[axis], end + strlen(data));
    }
    if (strncmp(text, member, strlen(member)) != 0)
        return cli_fail_library(error);
    cli_fail(error, "--%s", text + strlen(member));
    for (char *at = error->text; *at && *at != ' '; at++)
        *at = *at == '_' ? '-' : *at;
    return -1;
}

/* What is wrong with points or options is so on every device. */
static int recover(struct shifting *shifting, struct cli_error *error) {
    char text[600];
    if (uh_last_error_info()->status == UH_ERROR_INVALID_ARGUMENT)
        return fail_argument(shifting, error);
    if (cli_job_recover(&shifting->job, shifting->iterations > 0, error))
        return -1;
    snprintf(text, sizeof text, "moving points on the host: %s", shifting->job.why_host);
    cli_job_warn(&shifting->job, text);
    return 0;
}

/* By this process, or by all together. */
static uh_status estimate(struct shifting *shifting, const uh_array *arrays) {
    const size_t dims = shifting->points.width;
    const size_t samples = (size_t)fmin(fmax(DISTANCES / (double)shifting->points.all, LEAST), SAMPLES);
    uh_queue *queue = shifting->job.queue;
    return cli_group ? uh_estimate_bandwidth_exchange(queue, arrays, dims, shifting->quantile, samples,
                                                      cli_group->exchange, &shifting->bandwidth)
                     : uh_estimate_bandwidth(queue, arrays, dims, shifting->quantile, samples, &shifting->bandwidth);
}

/* Of the gaussian kernel, whose radius is three times its bandwidth, the estimate is the radius: it says how far
 * neighbours are. */
static int find_bandwidth(struct shifting *shifting, struct cli_error *error) {
    uh_array arrays[UH_MEAN_SHIFT_MAX_DIMS];
    uh_mean_shift_options *options = &shifting->options;
    const int gaussian = options->kernel == UH_KERNEL_GAUSSIAN;
    char number[CLI_OUTPUT_NUMBER_SIZE];
    if (options->sigma > 0 || options->radius > 0)
        return 0;
    if (shifting->quantile > 0) {
        list_arrays(shifting, arrays);
        if (cli_group_agree(0, error))
            return -1;
        while (CLI_INTERRUPTIBLE(shifting->job.queue, estimate(shifting, arrays)))
            if (recover(shifting, error))
                return -1;
        shifting->bandwidth /= gaussian ? 3 : 1;
        if (!(shifting->bandwidth > 0))
            return cli_fail(error, "the estimated bandwidth is 0; give a larger --quantile, or --bandwidth");
        cli_output_number(number, shifting->bandwidth);
        if (cli_group_is_first())
            fprintf(stderr, "bandwidth: %s\n", number);
    }
    if (gaussian)
        options->sigma = shifting->bandwidth;
    else
        options->radius = options->squared ? shifting->bandwidth * shifting->bandwidth : shifting->bandwidth;
    return 0;
}

/* ---- iterations -------------------------------------------------------------------------------------------------- */

static void name_iteration(struct shifting *shifting) {
    char label[64], count[CLI_TEXT_COUNT_SIZE];
    if (shifting->named == shifting->iterations + 1)
        return;
    shifting->named = shifting->iterations + 1;
    cli_text_count(count, shifting->moving);
    snprintf(label, sizeof label, "iteration %zu, %s moving", shifting->named, count);
    cli_progress_next(shifting->progress, label);
}

static int take_iteration(const uh_mean_shift_iteration *iteration, void *context) {
    struct shifting *shifting = context;
    if (shifting->iterations == shifting->room) {
        const size_t room = 2 * shifting->room + 16;
        uh_mean_shift_iteration *grown = realloc(shifting->iteration, room * sizeof *grown);
        if (!grown)
            return shifting->out_of_memory = 1;
        shifting->iteration = grown;
        shifting->room = room;
    }
    const uint64_t own = iteration->interactions / cli_group_ranks(); /* of what was too short to tell more of */
    name_iteration(shifting);
    cli_progress_expect(shifting->progress, own);
    cli_progress_update(shifting->progress, own);
    shifting->iteration[shifting->iterations++] = *iteration;
    shifting->moving = iteration->moving;
    name_iteration(shifting);
    return cli_interrupt_is_there();
}

static int take_progress(uint64_t done, uint64_t interactions, void *context) {
    struct shifting *shifting = context;
    name_iteration(shifting);
    cli_progress_expect(shifting->progress, interactions);
    cli_progress_update(shifting->progress, done);
    return cli_interrupt_is_there();
}

/* By this process, or by all together. */
static uh_status call_library(struct shifting *shifting, const uh_array *arrays) {
    const size_t dims = shifting->points.width;
    return cli_group ? uh_mean_shift_exchange(shifting->job.queue, arrays, dims, &shifting->options,
                                              cli_group->exchange, &shifting->clusters)
                     : uh_mean_shift(shifting->job.queue, arrays, dims, &shifting->options, &shifting->clusters);
}

static int shift(struct shifting *shifting, struct cli_error *error) {
    uh_array arrays[UH_MEAN_SHIFT_MAX_DIMS];
    int result = 0;
    list_arrays(shifting, arrays);
    shifting->options.report = take_iteration;
    shifting->options.progress = take_progress;
    shifting->options.report_context = shifting->options.progress_context = shifting;
    shifting->moving = (size_t)shifting->points.all;
    shifting->progress = cli_progress_share(stderr, "", 0, "");
    name_iteration(shifting);
    cli_interrupt_ask();
    do {
        result = cli_group_agree(0, error);
        if (result || !CLI_INTERRUPTIBLE(shifting->job.queue, call_library(shifting, arrays)))
            break;
        result = recover(shifting, error);
    } while (result == 0);
    cli_progress_finish(shifting->progress);
    if (result)
        return -1;
    if (shifting->out_of_memory)
        return cli_fail(error, "out of memory for %zu iterations", shifting->room);
    shifting->found.struct_size = sizeof shifting->found;
    return uh_clusters_get_properties(shifting->clusters, &shifting->found) ? cli_fail_library(error) : 0;
}

/* ---- the result -------------------------------------------------------------------------------------------------- */

static void warn_of_end(const struct shifting *shifting) {
    char text[200];
    if (shifting->found.end == UH_MEAN_SHIFT_CONVERGED || shifting->options.iterations == SIZE_MAX)
        return;
    snprintf(text, sizeof text, "did not converge: %s; iterations: %zu, points that still move: %zu",
             shifting->found.end == UH_MEAN_SHIFT_STOPPED ? "it was interrupted" : "all iterations are done",
             shifting->iterations, shifting->moving);
    cli_job_warn(&shifting->job, text);
}

static int show(const struct shifting *shifting, const struct cli_clusters *clusters, struct cli_error *error) {
    const struct cli_arguments *arguments = shifting->job.arguments;
    const int taken = arguments->output && !is_file(arguments->output); /* standard output has the labels */
    const struct cli_terminal *terminal = &shifting->terminal;
    if (arguments->json)
        cli_clusters_json(stdout, clusters);
    else if (!taken && terminal->is_terminal && cli_display_clusters_print(terminal, clusters, error))
        return -1;
    else if (!taken && !terminal->is_terminal)
        cli_clusters_print_lines(clusters->found);
    if (!arguments->json && !taken && (terminal->is_terminal || arguments->stats))
        cli_clusters_print_words(terminal, clusters, arguments->stats);
    if (!arguments->json && !taken && arguments->stats)
        cli_stats_print_shares(stdout, shifting->job.queue);
    return 0;
}

static int publish(const struct shifting *shifting, struct cli_error *error) {
    const struct cli_arguments *arguments = shifting->job.arguments;
    const struct cli_clusters_files files = {arguments->output, arguments->centroids, arguments->shifted,
                                             arguments->plot};
    char plan[PLAN];
    uint64_t moved = shifting->found.moved;
    if (cli_group_add(&moved, 1, error))
        return -1;
    char *title = cli_publish_title(arguments);
    if (!title)
        return cli_fail(error, "out of memory");
    const struct cli_clusters clusters = {
        .title = title,
        .points = &shifting->points,
        .moved = moved,
        .options = &shifting->options,
        .quantile = shifting->quantile,
        .found = &shifting->found,
        .iteration = shifting->iteration,
        .plan = plan,
        .device = shifting->job.device_text,
        .threads = cli_job_is_on_host(&shifting->job) ? uh_queue_threads(shifting->job.queue) : 0,
        .seconds = cli_clock() - shifting->start,
        .shown = {shifting->shown[0], shifting->shown[1]},
        .nshown = shifting->nshown};
    /* Files first: where one cannot be written, nothing has been shown yet. */
    int result = uh_clusters_plan_text(shifting->clusters, plan, sizeof plan, NULL) ? cli_fail_library(error) : 0;
    if (result == 0)
        result = cli_clusters_write(&files, &clusters, error);
    if (result == 0 && cli_group_is_first()) {
        result = show(shifting, &clusters, error);
        if (result == 0)
            warn_of_end(shifting);
    }
    free(title);
    return result;
}

/* ---- the command ------------------------------------------------------------------------------------------------- */

static int work(struct shifting *shifting, const struct cli_arguments *arguments, struct cli_error *error) {
    shifting->start = cli_clock();
    shifting->terminal = cli_terminal_look();
    shifting->job.profiling = 1;
    if (cli_job_check(arguments, error) || read_options(shifting, arguments, error) ||
        read_points(shifting, arguments, error) || cli_job_open_queue(&shifting->job, error) ||
        find_bandwidth(shifting, error) || shift(shifting, error))
        return -1;
    if (shifting->found.end == UH_MEAN_SHIFT_STOPPED && shifting->iterations == 0) {
        cli_job_warn(&shifting->job, "it was interrupted before an iteration was done");
        return 0;
    }
    return publish(shifting, error);
}

static int run(struct cli_arguments *arguments, struct cli_error *error) {
    struct shifting shifting = {.job = {.arguments = arguments}};
    const int result = work(&shifting, arguments, error);
    uh_clusters_destroy(shifting.clusters);
    cli_rows_free(&shifting.points);
    cli_job_close(&shifting.job);
    free(shifting.iteration);
    cli_interrupt_obey(); /* what is known is told */
    return result;
}

const struct cli_command cli_meanshift_command = {
    CLI_MEANSHIFT,
    "meanshift",
    "INPUT...",
    "*",
    "Find clusters of points: the modes of their density, by mean shift",
    "INPUT is a .npy array of rows of up to 16 coordinates (or of numbers), text (CSV), raw\n"
    "binary (with --dtype and --row), or '-' for standard input; several are read one after\n"
    "the other. All points are held in memory, by ranks of unihist-mpi each its part. A pipe\n"
    "gets a line 'NUMBER POINTS X0 X1 ...' for each cluster, the largest first; a terminal a\n"
    "picture and a table.\n",
    run,
};
