/* SPDX-License-Identifier: Apache-2.0 */
/* unihist meanshift: reads points, moves them to the modes of their density, and reports the clusters. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/cli/display/clusters.h"
#include "api/cli/display/display.h"
#include "api/cli/display/progress.h"
#include "api/cli/group.h"
#include "api/cli/interrupt.h"
#include "api/cli/publish.h"

#define SAMPLES     2000 /* maximum points whose neighbours an estimate searches, */
#define MIN_SAMPLES 100  /* minimum, */
#define DISTANCES   4e8  /* and distances computed for it: some seconds of a core */
#define MAX_POINTS  ((size_t)1 << 31)
#define QUANTILE    0.3 /* scikit-learn's default */
#define ITERATIONS  300 /* the library's default, which files show */

_Static_assert(CLI_CSV_COLUMNS <= UH_MEAN_SHIFT_MAX_DIMS && CLI_MAX_WORDS == CLI_CSV_COLUMNS,
               "as many words as columns, which are coordinates");

struct shift_options {
    double bandwidth;              /* as given, 0: to be estimated */
    double quantile;               /* 0: the bandwidth is given */
    size_t shown[2], nshown;       /* coordinates; 0: not given */
    uh_mean_shift_options options; /* without the bandwidth */
};

struct shifting {
    struct cli_job job;
    struct cli_terminal terminal;
    double start;

    struct shift_options settings;
    struct cli_rows points;

    uh_mean_shift_iteration *iteration; /* owned; used and allocated: */
    size_t iterations, room;
    size_t named;                  /* 1 more than the iteration shown as progress */
    size_t moving;                 /* points in it */
    struct cli_progress *progress; /* of the running iteration */
    uh_clusters *clusters;
    uh_clusters_properties found;
};

static int check_bandwidth(struct shift_options *settings, const struct cli_arguments *arguments) {
    const char *text = arguments->bandwidth;
    const int estimated = text ? strcmp(text, "auto") == 0 : !(arguments->sigma > 0) && !(arguments->radius > 0);
    if (text && (arguments->sigma > 0 || arguments->radius > 0))
        return cli_usage("--bandwidth and --%s both set the bandwidth; give one",
                         arguments->sigma > 0 ? "sigma" : "radius");
    if (text && !estimated &&
        (cli_parse_double(text, strlen(text), &settings->bandwidth) || !(settings->bandwidth > 0) ||
         !isfinite(settings->bandwidth)))
        return cli_usage("--bandwidth '%.200s': expected a number above 0, or auto", text);
    if (arguments->quantile > 0 && !estimated)
        return cli_usage("--quantile is of --bandwidth auto; the bandwidth is given by --%s", text ? "bandwidth"
                                                                                              : arguments->sigma > 0
                                                                                                  ? "sigma"
                                                                                                  : "radius");
    if (arguments->sigma > 0 && arguments->density_kernel > 1)
        return cli_usage("--sigma is of the gaussian kernel, %s has a --radius",
                         uh_enum_name(UH_ENUM_DENSITY_KERNEL, (unsigned)(arguments->density_kernel - 1)));
    if (arguments->squared && !(arguments->radius > 0) && !(arguments->delta > 0))
        return cli_usage("--squared requires --radius or --delta");
    if (estimated)
        settings->quantile = arguments->quantile > 0 ? arguments->quantile : QUANTILE;
    return 0;
}

static int check_seeds(const struct cli_arguments *arguments) {
    if (arguments->seed_bins > 0 && arguments->algorithm == UH_MEAN_SHIFT_BLURRING + 1)
        return cli_usage("--seed-bins requires --algorithm modes; with blurring all points move");
    if (arguments->seed_points.given && !(arguments->seed_bins > 0))
        return cli_usage("--seed-points requires --seed-bins");
    return 0;
}

/* "I" or "I,J". Compared with the number of coordinates once the points are read. */
static int read_plot_axes(struct shift_options *settings, const char *text) {
    uint64_t axis[2] = {0, 0};
    settings->nshown = strchr(text, ',') ? 2 : 1;
    if (cli_parameters_read(text, settings->nshown == 2 ? "uu" : "u", (void *[]){&axis[0], &axis[1]}) ||
        axis[0] >= CLI_CSV_COLUMNS || axis[1] >= CLI_CSV_COLUMNS)
        return cli_usage("--plot-axes '%.200s': expected one or two numbers from 0 to %d", text, CLI_CSV_COLUMNS - 1);
    settings->shown[0] = (size_t)axis[0];
    settings->shown[1] = (size_t)axis[1];
    return 0;
}

static int read_eps(struct shift_options *settings, const char *text) {
    double eps;
    if (!text)
        return 0;
    if (cli_parse_double(text, strlen(text), &eps) || !(eps >= 0) || !isfinite(eps))
        return cli_usage("--eps '%.200s': expected a number from 0", text);
    settings->options.eps = eps > 0 ? eps : -1;
    return 0;
}

static int check_files(const struct cli_arguments *arguments) {
    const char *const tables[] = {arguments->centroids, arguments->shifted};
    if (arguments->json && cli_atomic_standard_output_is_taken())
        return cli_usage("--json and another output both go to standard output");
    for (size_t i = 0; i < 2; i++)
        if (tables[i] && cli_output_check(tables[i], NULL, CLI_CLUSTERS_TABLES))
            return -1;
    return cli_publish_check_files(arguments, CLI_OUTPUT_INTEGERS);
}

/* Reads the options that do not depend on the points. */
static int read_options(struct shift_options *settings, const struct cli_arguments *arguments) {
    const struct cli_whole *iterations = &arguments->iterations;
    settings->options = (uh_mean_shift_options){
        .struct_size = sizeof settings->options,
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
    return check_bandwidth(settings, arguments) || check_seeds(arguments) || read_eps(settings, arguments->eps) ||
                   (arguments->plot_axes && read_plot_axes(settings, arguments->plot_axes)) || check_files(arguments)
               ? -1
               : 0;
}

static int read_points(struct shifting *shifting, const struct cli_arguments *arguments) {
    const struct cli_input_options options = {.dialect = &arguments->dialect,
                                              .dtype = arguments->dtype,
                                              .row = (size_t)arguments->row.value,
                                              .rows = 1,
                                              .columns = (const char *const *)arguments->columns.word,
                                              .ncolumns = arguments->columns.n,
                                              .all_columns = !arguments->columns.n,
                                              .finite = 1};
    struct cli_rows *points = &shifting->points;
    if (cli_rows_read(points, arguments->paths, arguments->npaths, &options))
        return -1;
    if (points->n >= MAX_POINTS)
        return cli_fail("found %zu points, expected fewer than 2^31", points->n);
    for (size_t i = 0; i < shifting->settings.nshown; i++)
        if (shifting->settings.shown[i] >= points->width)
            return cli_fail("--plot-axes '%.200s': expected numbers from 0 to %zu, of %zu coordinate%s",
                            arguments->plot_axes, points->width - 1, points->width, points->width == 1 ? "" : "s");
    if (shifting->settings.nshown == 0) {
        shifting->settings.nshown = points->width > 1 ? 2 : 1;
        shifting->settings.shown[1] = 1;
    }
    return 0;
}

static void list_arrays(const struct shifting *shifting, uh_array arrays[UH_MEAN_SHIFT_MAX_DIMS]) {
    uh_arrays_of_rows(shifting->points.dtype, shifting->points.data, shifting->points.n, shifting->points.width,
                      arrays);
}

/* Translates names: the library's options->seed_points is --seed-points, points[1].data the coordinate of a name. The
 * rank that reports an error in the input of all processes does not matter. */
static int fail_argument(const struct shifting *shifting) {
    static const char member[] = "options->", points[] = "points[", data[] = "].data";
    const char *text = uh_last_error_info()->text;
    int used = 0;
    char *end;
    (void)sscanf(text, "rank %*u: %n", &used);
    text += used;
    if (strncmp(text, points, strlen(points)) == 0) {
        const unsigned long axis = strtoul(text + strlen(points), &end, 10);
        if (axis < shifting->points.width && strncmp(end, data, strlen(data)) == 0)
            return cli_fail("coordinate %s%s", shifting->points.names[axis], end + strlen(data));
    }
    if (strncmp(text, member, strlen(member)) != 0)
        return cli_fail_library();
    cli_fail("--%s", text + strlen(member));
    for (char *at = cli_error.text; *at && *at != ' '; at++)
        *at = *at == '_' ? '-' : *at;
    return -1;
}

/* Invalid points or options are invalid on every device. */
static int recover(struct shifting *shifting) {
    if (uh_last_error_info()->status == UH_ERROR_INVALID_ARGUMENT)
        return fail_argument(shifting);
    if (cli_job_recover(&shifting->job, shifting->iterations > 0))
        return -1;
    cli_warn("moving points on the host: %s", shifting->job.why_host);
    return 0;
}

static uh_status estimate_bandwidth(struct shifting *shifting, const uh_array *arrays) {
    const size_t dims = shifting->points.width;
    const size_t samples = (size_t)fmin(fmax(DISTANCES / (double)shifting->points.all, MIN_SAMPLES), SAMPLES);
    const uh_bandwidth_options options = {.struct_size = sizeof options,
                                          .quantile = shifting->settings.quantile,
                                          .samples = samples,
                                          .exchange = cli_group ? cli_group->exchange : NULL};
    return uh_estimate_bandwidth(shifting->job.queue, arrays, dims, &options, &shifting->settings.bandwidth);
}

/* For the gaussian kernel, whose radius is three times its bandwidth, the estimate is the radius: it measures the
 * distance of neighbours. */
static int find_bandwidth(struct shifting *shifting) {
    uh_array arrays[UH_MEAN_SHIFT_MAX_DIMS];
    uh_mean_shift_options *options = &shifting->settings.options;
    const int gaussian = options->kernel == UH_KERNEL_GAUSSIAN;
    char number[CLI_OUTPUT_NUMBER_SIZE];
    if (options->sigma > 0 || options->radius > 0)
        return 0;
    if (shifting->settings.quantile > 0) {
        list_arrays(shifting, arrays);
        if (cli_group_agree(0))
            return -1;
        while (CLI_INTERRUPTIBLE(shifting->job.queue, estimate_bandwidth(shifting, arrays)))
            if (recover(shifting))
                return -1;
        shifting->settings.bandwidth /= gaussian ? 3 : 1;
        if (!(shifting->settings.bandwidth > 0))
            return cli_fail("the estimated bandwidth is 0; give a larger --quantile, or --bandwidth");
        cli_output_number(number, shifting->settings.bandwidth);
        if (cli_group_is_first())
            fprintf(stderr, "bandwidth: %s\n", number);
    }
    if (gaussian)
        options->sigma = shifting->settings.bandwidth;
    else
        options->radius = options->squared ? shifting->settings.bandwidth * shifting->settings.bandwidth
                                           : shifting->settings.bandwidth;
    return 0;
}

static void name_iteration(struct shifting *shifting) {
    char label[64], count[CLI_TEXT_COUNT_SIZE];
    if (shifting->named == shifting->iterations + 1)
        return;
    shifting->named = shifting->iterations + 1;
    cli_text_count(count, shifting->moving);
    snprintf(label, sizeof label, "iteration %zu, %s moving", shifting->named, count);
    cli_progress_next(shifting->progress, label);
}

static int take_progress(uint64_t done, uint64_t interactions, void *context) {
    struct shifting *shifting = context;
    name_iteration(shifting);
    cli_progress_expect(shifting->progress, interactions);
    cli_progress_update(shifting->progress, done);
    return cli_interrupt_requested();
}

static int take_iteration(const uh_mean_shift_iteration *iteration, void *context) {
    struct shifting *shifting = context;
    if (shifting->iterations == shifting->room) {
        shifting->room = 2 * shifting->room + 16;
        shifting->iteration = cli_have(realloc(shifting->iteration, shifting->room * sizeof *shifting->iteration));
    }
    const uint64_t own = iteration->interactions / cli_group_ranks(); /* for iterations too short to report progress */
    take_progress(own, own, shifting);
    shifting->iteration[shifting->iterations++] = *iteration;
    shifting->moving = iteration->moving;
    name_iteration(shifting);
    return cli_interrupt_requested();
}

static int shift_points(struct shifting *shifting) {
    uh_array arrays[UH_MEAN_SHIFT_MAX_DIMS];
    int result = 0;
    list_arrays(shifting, arrays);
    shifting->settings.options.exchange = cli_group ? cli_group->exchange : NULL;
    shifting->settings.options.report = take_iteration;
    shifting->settings.options.progress = take_progress;
    shifting->settings.options.report_context = shifting->settings.options.progress_context = shifting;
    shifting->moving = (size_t)shifting->points.all;
    shifting->progress = cli_progress_start(stderr, "", 0, "", 1);
    name_iteration(shifting);
    cli_interrupt_catch();
    do {
        result = cli_group_agree(0);
        if (result ||
            !CLI_INTERRUPTIBLE(shifting->job.queue, uh_mean_shift(shifting->job.queue, arrays, shifting->points.width,
                                                                  &shifting->settings.options, &shifting->clusters)))
            break;
        result = recover(shifting);
    } while (result == 0);
    cli_progress_finish(shifting->progress);
    if (result)
        return -1;
    shifting->found.struct_size = sizeof shifting->found;
    return uh_clusters_get_properties(shifting->clusters, &shifting->found) ? cli_fail_library() : 0;
}

static void warn_of_end(const struct shifting *shifting) {
    if (shifting->found.end == UH_MEAN_SHIFT_CONVERGED || shifting->settings.options.iterations == SIZE_MAX)
        return;
    cli_warn("did not converge: %s; iterations: %zu, points that still move: %zu",
             shifting->found.end == UH_MEAN_SHIFT_STOPPED ? "it was interrupted" : "all iterations are done",
             shifting->iterations, shifting->moving);
}

static int show_clusters(const struct shifting *shifting, const struct cli_clusters *clusters) {
    const struct cli_arguments *arguments = shifting->job.arguments;
    const int taken = cli_atomic_standard_output_is_taken();
    const struct cli_terminal *terminal = &shifting->terminal;
    if (arguments->json)
        cli_clusters_json(stdout, clusters);
    else if (terminal->is_terminal && cli_display_clusters_print(terminal, clusters))
        return -1;
    else if (!taken && !terminal->is_terminal)
        cli_clusters_print_lines(clusters->found);
    if (!arguments->json && (terminal->is_terminal || arguments->stats))
        cli_clusters_print_words(terminal, clusters, arguments->stats);
    if (!arguments->json && arguments->stats == CLI_STATS_PLAN)
        cli_stats_print_shares(shifting->job.queue);
    return 0;
}

static int publish_clusters(const struct shifting *shifting) {
    const struct cli_arguments *arguments = shifting->job.arguments;
    uint64_t moved = shifting->found.moved;
    if (cli_group_add(&moved, 1))
        return -1;
    char *title = cli_publish_title(arguments);
    const struct cli_clusters clusters = {
        .title = title,
        .points = &shifting->points,
        .moved = moved,
        .options = &shifting->settings.options,
        .quantile = shifting->settings.quantile,
        .found = &shifting->found,
        .iteration = shifting->iteration,
        .device = shifting->job.device_text,
        .threads = cli_job_is_on_host(&shifting->job) ? cli_job_queue(&shifting->job).threads : 0,
        .seconds = cli_clock() - shifting->start,
        .shown = {shifting->settings.shown[0], shifting->settings.shown[1]},
        .nshown = shifting->settings.nshown};
    /* Files first: if one cannot be written, nothing has been shown yet. */
    int result = cli_clusters_write(arguments, &clusters);
    if (result == 0 && cli_group_is_first()) {
        result = show_clusters(shifting, &clusters);
        if (result == 0)
            warn_of_end(shifting);
    }
    free(title);
    return result;
}

static int find_clusters(struct shifting *shifting, const struct cli_arguments *arguments) {
    shifting->start = cli_clock();
    shifting->terminal = cli_terminal_detect();
    shifting->job.profiling = 1;
    if (cli_job_check(arguments) || read_options(&shifting->settings, arguments) || read_points(shifting, arguments) ||
        cli_job_open_queue(&shifting->job) || find_bandwidth(shifting) || shift_points(shifting))
        return -1;
    if (shifting->found.end == UH_MEAN_SHIFT_STOPPED && shifting->iterations == 0) {
        cli_warn("it was interrupted before an iteration was done");
        return 0;
    }
    return publish_clusters(shifting);
}

static int run_meanshift(struct cli_arguments *arguments) {
    struct shifting shifting = {.job = {.arguments = arguments}};
    const int result = find_clusters(&shifting, arguments);
    uh_clusters_destroy(shifting.clusters);
    cli_rows_free(&shifting.points);
    cli_job_close(&shifting.job);
    free(shifting.iteration);
    cli_interrupt_obey(); /* after the results were printed */
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
    "the other. All points are held in memory, with unihist-mpi each rank's share. A pipe\n"
    "gets a line 'NUMBER POINTS X0 X1 ...' per cluster, the largest first; a terminal a\n"
    "picture and a table.\n",
    run_meanshift,
};
