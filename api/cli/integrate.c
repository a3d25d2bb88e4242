/* SPDX-License-Identifier: Apache-2.0 */
/* unihist integrate: compiles an expression or a file, integrates it, and reports each iteration. */
#include <dlfcn.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/cli/compile.h"
#include "api/cli/display/display.h"
#include "api/cli/display/progress.h"
#include "api/cli/group.h"
#include "api/cli/interrupt.h"
#include "api/cli/publish.h"

/* The library's defaults, which files and pictures show. */
enum { MAX_CALLS = 1000000, ITERATIONS = 20, ADJUSTING = 10, RANDOMISATIONS = 16, MAX_DOUBLINGS = 64 };
#define ALPHA    1.5
#define BETA     0.5
#define MAX_CHI2 1.5
#define EPSREL   1e-3

struct integrating {
    struct cli_job job;
    struct cli_terminal terminal;
    double start;

    size_t dims, pairs; /* of the box, as given */
    double lower[UH_INTEGRATE_MAX_DIMS], upper[UH_INTEGRATE_MAX_DIMS];
    uint64_t strata[UH_INTEGRATE_MAX_DIMS];

    char *text; /* owned; of an expression */
    struct cli_text source;
    void *library; /* owned; has the integrand for the host */
    const uh_integrand_host *host;
    uh_program program; /* for the device unless it is the host; its SPIR-V is owned */

    uh_integrate_options options;
    uh_grid *grid;
    uh_iteration *iteration;       /* owned; room for all */
    size_t iterations;             /* reported */
    struct cli_progress *progress; /* of the running iteration, if it is long */
    double values[UH_INTEGRAND_MAX_VALUES], covariance[UH_INTEGRAND_MAX_VALUES * UH_INTEGRAND_MAX_VALUES];
    uh_integral integral;
};

static int read_box(struct integrating *in, const char *text) {
    size_t n = 0;
    if (!text)
        return cli_usage("no box; give --box LO,HI,... (see 'unihist integrate --help')");
    for (const char *at = text; at; n++) {
        const size_t length = strcspn(at, ",");
        double side;
        if (cli_parse_double(at, length, &side) || isnan(side))
            return cli_usage("--box '%.200s': number %zu, '%.*s', is invalid", text, n + 1,
                             length < 40 ? (int)length : 40, at);
        if (n == (size_t)2 * UH_INTEGRATE_MAX_DIMS)
            return cli_usage("--box '%.200s': expected at most %d pairs", text, UH_INTEGRATE_MAX_DIMS);
        (n % 2 ? in->upper : in->lower)[n / 2] = side;
        at = at[length] ? at + length + 1 : NULL;
    }
    if (n % 2)
        return cli_usage("--box '%.200s': expected pairs LO,HI, not %zu numbers", text, n);
    in->pairs = n / 2;
    for (size_t d = 0; d < in->pairs; d++)
        if (!(in->lower[d] < in->upper[d]))
            return cli_usage("--box '%.200s': axis %zu is from %g to %g, expected LO below HI", text, d, in->lower[d],
                             in->upper[d]);
    return 0;
}

static int read_grid(struct integrating *in, const struct cli_arguments *arguments) {
    uh_grid_properties grid = {.struct_size = sizeof grid};
    if (arguments->box || arguments->grid_bins.given || in->options.variant == UH_INTEGRATE_PLAIN)
        return cli_usage("--grid has a box and bins of its own, expected no %s with it", arguments->box ? "--box"
                                                                                         : arguments->grid_bins.given
                                                                                             ? "--bins"
                                                                                             : "--variant plain");
    if (uh_grid_load(arguments->grid, &in->grid) || uh_grid_get_properties(in->grid, &grid))
        return cli_fail_library();
    memcpy(in->lower, grid.lower, grid.dims * sizeof *grid.lower);
    memcpy(in->upper, grid.upper, grid.dims * sizeof *grid.upper);
    in->dims = in->pairs = grid.dims;
    return 0;
}

static int check_source(const struct cli_arguments *arguments) {
    if (arguments->npaths > 1)
        return cli_usage("unexpected argument '%.200s': expected one expression, in quotes", arguments->paths[1]);
    if (arguments->file && arguments->npaths)
        return cli_usage("expected an expression or --file FILE, not both");
    return arguments->file || arguments->npaths
               ? 0
               : cli_usage("no expression; give one in quotes, or --file FILE.c (see 'unihist integrate --help')");
}

static int read_source(struct integrating *in, const struct cli_arguments *arguments) {
    in->dims = in->pairs > 1 || in->grid ? in->pairs : 0;
    in->source.file = arguments->file;
    if (arguments->file)
        return 0;
    in->text = cli_expression_text(arguments->paths[0], &in->dims);
    in->source.text = in->text;
    return in->text ? 0 : -1;
}

static size_t number_of(const struct cli_whole *given, size_t usual) {
    return !given->given ? usual : given->value ? (size_t)given->value : SIZE_MAX;
}

static double positive(double given, double usual) { return given > 0 ? given : usual; }

static int is_sequence(const uh_integrate_options *options) {
    return options->variant == UH_INTEGRATE_SOBOL || options->variant == UH_INTEGRATE_LATTICE;
}

/* Options of VEGAS ask for it. */
static uh_integrate_variant variant_of(const struct cli_arguments *a) {
    const int vegas = a->grid || a->save_grid || a->strata || a->grid_bins.given || a->adjust.given || a->skip.given ||
                      a->alpha > 0 || a->beta > 0 || a->max_chi2 > 0;
    return a->variant > UH_INTEGRATE_AUTO + 1 ? (uh_integrate_variant)(a->variant - 1)
           : vegas                            ? UH_INTEGRATE_VEGAS_PLUS
                                              : UH_INTEGRATE_AUTO;
}

static void read_options(struct integrating *in, const struct cli_arguments *arguments) {
    in->options = (uh_integrate_options){
        .struct_size = sizeof in->options,
        .variant = variant_of(arguments),
        .max_calls = number_of(&arguments->max_calls, MAX_CALLS),
        .iterations = number_of(&arguments->iterations, ITERATIONS),
        .skipped = number_of(&arguments->skip, 0),
        .alpha = positive(arguments->alpha, ALPHA),
        .beta = positive(arguments->beta, BETA),
        .relative_error = positive(arguments->epsrel, arguments->epsabs > 0 ? 0 : EPSREL),
        .absolute_error = arguments->epsabs,
        .max_chi2_dof = positive(arguments->max_chi2, MAX_CHI2),
        .seed = arguments->seed.value,
        .time_limit_ns = (uint64_t)ceil(arguments->time_limit * 1e9),
        .zero_not_finite = arguments->zero_not_finite,
        .scramble = (uh_scramble)(arguments->scramble ? arguments->scramble - 1 : UH_SCRAMBLE_OWEN),
        .periodise = (uh_periodise)(arguments->periodise ? arguments->periodise - 1 : UH_PERIODISE_BAKER),
    };
    in->options.adjusting = number_of(&arguments->adjust, is_sequence(&in->options) ? SIZE_MAX : ADJUSTING);
    in->options.randomisations = number_of(&arguments->randomisations, is_sequence(&in->options) ? RANDOMISATIONS : 0);
}

static int check_files(const struct cli_arguments *arguments) {
    const char *grid = arguments->save_grid;
    return cli_publish_check_files(arguments, ".json") || (grid && cli_atomic_check(grid, 1)) ? -1 : 0;
}

static int warn_of_host(struct integrating *in) {
    cli_warn("integrating on the host: %s", in->job.why_host);
    return 0;
}

/* Always compiles for the host, which gives the number of coordinates of a file's integrand. */
static int compile_integrand(struct integrating *in) {
    uh_device_properties host = {.struct_size = sizeof host};
    uh_device *device;
    if (uh_device_select("host", &device) || uh_device_get_properties(device, &host))
        return cli_fail_library();
    in->host = cli_compile_host(&in->source, host.isa, &in->library);
    if (!in->host)
        return -1;
    if (in->dims && in->host->dims != in->dims)
        return cli_usage("the box has %zu axes, but '%.200s' has %zu coordinate%s", in->pairs, in->source.file,
                         in->host->dims, in->host->dims == 1 ? "" : "s");
    in->dims = in->host->dims;
    for (size_t d = in->pairs; d < in->dims; d++) {
        in->lower[d] = in->lower[0];
        in->upper[d] = in->upper[0];
    }
    if (cli_job_is_on_host(&in->job) || !cli_compile_device(&in->source, in->job.properties.fp64 != 0, &in->program))
        return 0;
    return cli_job_use_host(&in->job, cli_error.text) ? -1 : warn_of_host(in);
}

static int read_strata(struct integrating *in, const char *text) {
    char types[UH_INTEGRATE_MAX_DIMS + 1] = {0};
    void *to[UH_INTEGRATE_MAX_DIMS];
    for (size_t d = 0; d < in->dims; d++) {
        types[d] = 'u';
        to[d] = &in->strata[d];
    }
    in->options.strata = text ? in->strata : NULL;
    return text && cli_parameters_read(text, types, to)
               ? cli_usage("--strata '%.200s': expected one whole number per axis, %zu in all", text, in->dims)
               : 0;
}

static int make_grid(struct integrating *in) {
    const struct cli_whole *bins = &in->job.arguments->grid_bins;
    if (in->grid)
        return 0;
    const uh_integrate_variant variant = in->options.variant;
    const int one = variant == UH_INTEGRATE_PLAIN || variant == UH_INTEGRATE_CUBATURE ||
                    (is_sequence(&in->options) && in->options.adjusting == SIZE_MAX);
    const size_t n = one           ? 1
                     : bins->given ? (size_t)bins->value
                                   : uh_integrate_default_bins(in->dims, in->options.max_calls);
    return uh_grid_create(in->dims, n, in->lower, in->upper, NULL, &in->grid) ? cli_fail_library() : 0;
}

static int take_iteration(const uh_iteration *iteration, void *context) {
    struct integrating *in = context;
    in->iteration[in->iterations++] = *iteration;
    cli_progress_finish(in->progress);
    in->progress = NULL;
    if (in->terminal.is_terminal)
        cli_integral_print_iteration(iteration);
    return cli_interrupt_requested();
}

static int take_progress(uint64_t done, uint64_t calls, void *context) {
    struct integrating *in = context;
    char label[40];
    snprintf(label, sizeof label, "iteration %zu", in->iterations + 1);
    if (!in->progress)
        in->progress = cli_progress_start(stderr, label, calls, "", 0);
    cli_progress_update(in->progress, done);
    return cli_interrupt_requested();
}

/* Non-finite values are the integrand's fault, on every device. */
static int fail_integral(struct integrating *in) {
    const uh_error_info *info = uh_last_error_info();
    if (info->status == UH_ERROR_INVALID_ARGUMENT)
        return cli_fail("%.800s%s", info->text,
                        strstr(info->text, "finite") ? "; --zero-not-finite counts them as 0" : "");
    return cli_job_recover(&in->job, in->iterations > 0) ? -1 : warn_of_host(in);
}

static int run_iterations(struct integrating *in) {
    int result = 0;
    in->iteration = cli_have(calloc(2 * UH_INTEGRATE_PASSES + MAX_DOUBLINGS, sizeof *in->iteration));
    in->options.exchange = cli_group ? cli_group->exchange : NULL;
    in->options.report = take_iteration;
    in->options.progress = take_progress;
    in->options.report_context = in->options.progress_context = in;
    in->integral =
        (uh_integral){.struct_size = sizeof in->integral, .values = in->values, .covariance = in->covariance};
    uh_integrate_options how = in->options;
    how.grid = in->grid;
    if (how.variant == UH_INTEGRATE_AUTO) { /* which is vegas_plus with these */
        how.grid = NULL;
        how.lower = in->lower;
        how.upper = in->upper;
        how.adjusting = how.skipped = 0;
        how.alpha = how.beta = how.max_chi2_dof = 0;
    }
    cli_interrupt_catch();
    do {
        const uh_integrand_code code = {.name = "integrand",
                                        .level = {in->host, NULL, NULL},
                                        .fp64 = in->job.properties.fp64 ? &in->program : NULL,
                                        .fp32 = in->job.properties.fp64 ? NULL : &in->program};
        const uh_integrand integrand = {.struct_size = sizeof integrand, .code = &code};
        if (cli_group_agree(0))
            return -1;
        const uh_status status =
            CLI_INTERRUPTIBLE(in->job.queue, uh_integrate(in->job.queue, &integrand, &how, &in->integral));
        cli_progress_finish(in->progress);
        in->progress = NULL;
        if (!status)
            break;
        result = fail_integral(in);
    } while (result == 0);
    return result;
}

static void warn_of_end(const struct integrating *in) {
    static const char *const why[] = {"", "all iterations are done", "the time is up", "it was interrupted"};
    static const char *const warnings[] = {
        "", ", and all values were 0, which says nothing about the integrand between the samples",
        ", and a single sample makes much of the variance, which may be infinite: the error may be far too small",
        ", and two pilots ended at different places: there may be more peaks that no sample has seen"};
    const uh_integral *integral = &in->integral;
    if (integral->end != UH_INTEGRATE_CONVERGED)
        cli_warn("did not converge: %s%s; integral %.6g, error %.3g, chi-square per degree of freedom %.3g",
                 why[integral->end], warnings[integral->warning], integral->value, integral->error, integral->chi2_dof);
}

static int publish_integral(struct integrating *in) {
    const struct cli_arguments *arguments = in->job.arguments;
    uh_grid_properties grid = {.struct_size = sizeof grid};
    char name[32];
    if (uh_grid_get_properties(in->grid, &grid))
        return cli_fail_library();
    const struct cli_integral found = {.expression = arguments->file ? NULL : arguments->paths[0],
                                       .file = arguments->file,
                                       .options = &in->options,
                                       .integral = &in->integral,
                                       .values = in->host->values,
                                       .iteration = in->iteration,
                                       .grid = &grid,
                                       .axes = in->options.variant ? grid.dims : 0,
                                       .device = in->job.device_text,
                                       .threads = cli_job_is_on_host(&in->job) ? cli_job_queue(&in->job).threads : 0,
                                       .seconds = cli_clock() - in->start};
    /* Files first: if one cannot be written, nothing has been shown yet. */
    if (arguments->save_grid && uh_grid_save(in->grid, cli_atomic_name(arguments->save_grid, name)))
        return cli_fail_library();
    if ((arguments->output && cli_atomic_write(arguments->output, cli_integral_json, &found)) ||
        (arguments->plot && cli_display_integral(arguments->plot, &found)))
        return -1;
    if (in->terminal.is_terminal || !arguments->output)
        cli_integral_print(&in->terminal, &found);
    if (in->terminal.is_terminal || arguments->stats)
        cli_integral_print_words(&found);
    if (arguments->stats == CLI_STATS_PLAN)
        cli_stats_print_shares(in->job.queue);
    warn_of_end(in);
    return 0;
}

static int integrate_source(struct integrating *in, const struct cli_arguments *arguments) {
    in->start = cli_clock();
    in->terminal = cli_terminal_detect();
    in->job.profiling = 1;
    read_options(in, arguments);
    if (check_source(arguments) || (arguments->grid ? read_grid(in, arguments) : read_box(in, arguments->box)) ||
        read_source(in, arguments) || check_files(arguments) || cli_job_open_queue(&in->job) || compile_integrand(in) ||
        read_strata(in, arguments->strata) || make_grid(in) || run_iterations(in))
        return -1;
    if (in->integral.end == UH_INTEGRATE_STOPPED &&
        (in->iterations == 0 || !in->iteration[in->iterations - 1].counts)) {
        cli_warn("it was interrupted before an iteration counts");
        return 0;
    }
    return cli_group_is_first() ? publish_integral(in) : 0;
}

static int run_integrate(struct cli_arguments *arguments) {
    struct integrating in = {.job = {.arguments = arguments}};
    const int result = integrate_source(&in, arguments);
    uh_grid_destroy(in.grid);
    cli_job_close(&in.job);
    if (in.library)
        dlclose(in.library);
    free((void *)in.program.spirv);
    free(in.text);
    free(in.iteration);
    cli_interrupt_obey(); /* after the results were printed */
    return result;
}

const struct cli_command cli_integrate_command = {
    CLI_INTEGRATE,
    "integrate",
    "EXPRESSION",
    "",
    "Integrate an expression or a file over a box of up to 20 dimensions",
    "EXPRESSION: numbers, pi, the coordinates x0 to x19 (x, y, z are the first three),\n"
    "+ - * /, ^ for powers, < <= > >= == != && || (giving 1 or 0), a ? b : c, and:\n"
    "  sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh exp exp2 expm1 log\n"
    "  log2 log10 log1p sqrt cbrt fabs floor ceil round trunc erf erfc tgamma lgamma, and\n"
    "  with two arguments pow atan2 fmin fmax fmod fdim hypot copysign\n"
    "One that begins with '-' must follow '--' as the last word. It is compiled by the\n"
    "machine's C compiler, and for a GPU by clang and llvm-spirv, or libocloc. A pipe gets\n"
    "a line 'INTEGRAL ERROR', a terminal one line per iteration.\n",
    run_integrate,
};
