/* SPDX-License-Identifier: Apache-2.0 */
/* unihist sample: draws random samples, or counts them as they are drawn. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include <unihist/sample.h>

#include "api/cli/display/progress.h"
#include "api/cli/group.h"
#include "api/cli/interrupt.h"
#include "api/cli/publish.h"

/* Minimum samples of the first piece. Pieces double until one takes a tenth of a second, so that progress is shown.
 * Clearing and adding the outcomes per piece does not matter if they are no more than the samples. */
#define FIRST_PIECE ((uint64_t)1 << 22)
#define LONG_ENOUGH 0.1

#define MAX_COUNTED ((uint64_t)1 << 31) /* outcomes that the library counts */

/* Edges beyond 2^53 are no longer all float64. */
#define MAX_DRAWN ((int64_t)1 << 53)

enum { DRAWN = 1 << 21 }; /* samples drawn at a time */

/* `job` must be first: its callbacks find the other members from it. */
struct sampling {
    struct cli_job job;
    uh_discrete distribution;   /* source without weights */
    struct cli_numbers weights; /* owned, until the sampler has drawn */
    uint64_t n, seed, offset;   /* of this process, */
    uint64_t before;            /* number of earlier samples, of other processes */
    int shares;                 /* `n` is a part of all samples */
    uh_dtype dtype;             /* of the samples: UH_U32, UH_U64, UH_I32 or UH_I64 */
    uh_sampler *sampler;
    uh_sampler_properties properties; /* of the current sampler */

    double start;
    char *name, *title; /* of the source, such as "poisson(4.5)", and with the seed; owned */
    struct cli_result result;

    struct cli_output_integers out;
    void *samples;           /* of a piece; owned, as are: */
    uint64_t *counts, *part; /* of all, and of a piece */
};

#define AT(member) offsetof(uh_discrete, member)

/* Parameters in the format of cli_parameters_read, and where they are stored. */
static const struct {
    const char *name;
    uh_discrete_kind kind;
    const char *types;
    size_t at[3];
    const char *expected;
} forms[] = {
    {"weights", UH_DISCRETE_UNIFORM, "", {0}, ""},
    {"uniform", UH_DISCRETE_UNIFORM, "ii", {AT(low), AT(high)}, "two whole numbers"},
    {"bernoulli", UH_DISCRETE_BERNOULLI, "d", {AT(p)}, "a number"},
    {"binomial", UH_DISCRETE_BINOMIAL, "ud", {AT(n), AT(p)}, "a whole number and a number"},
    {"poisson", UH_DISCRETE_POISSON, "d", {AT(mean)}, "a number"},
    {"geometric", UH_DISCRETE_GEOMETRIC, "d", {AT(p)}, "a number"},
    {"negative-binomial", UH_DISCRETE_NEGATIVE_BINOMIAL, "dd", {AT(r), AT(p)}, "two numbers"},
    {"hypergeometric", UH_DISCRETE_HYPERGEOMETRIC, "uuu", {AT(good), AT(bad), AT(draws)}, "three whole numbers"},
    {"zipf", UH_DISCRETE_ZIPF, "du", {AT(s), AT(n)}, "a number and a whole number"},
};

static int fail_missing(const struct cli_command *command) {
    char names[400] = "";
    for (const struct cli_option *option = NULL; (option = cli_option_next(command, option));)
        if (option->kind == CLI_SOURCE)
            cli_append(names, sizeof names, ", ", "--%s %s", option->name, option->argument);
    return cli_usage("nothing to draw from; give one of %s", names);
}

static int set_source(struct sampling *sampling, struct cli_arguments *arguments) {
    const struct cli_option *option = arguments->source;
    void *to[3];
    int form = 0;
    if (!option)
        return fail_missing(arguments->command);
    while (strcmp(forms[form].name, option->name) != 0)
        form++;
    for (int i = 0; i < 3; i++)
        to[i] = (char *)&sampling->distribution + forms[form].at[i];
    sampling->distribution = (uh_discrete){.struct_size = sizeof sampling->distribution, .kind = forms[form].kind};
    if (!*forms[form].types)
        arguments->weights = arguments->source_text;
    else if (cli_parameters_read(arguments->source_text, forms[form].types, to))
        return cli_usage("--%s '%.200s': expected %s, %s", option->name, arguments->source_text, option->argument,
                         forms[form].expected);
    return 0;
}

static int check_options(const struct cli_arguments *arguments) {
    if (arguments->vtype && !arguments->weights)
        return cli_usage("--vtype requires --weights");
    if (!arguments->number.given)
        return cli_usage("how many samples? give --number N");
    if (arguments->number.value > CLI_SAMPLES - arguments->offset.value)
        return cli_usage("--offset %" PRIu64 " and --number %" PRIu64 " end beyond 2^63, a seed's last sample",
                         arguments->offset.value, arguments->number.value);
    if (arguments->plot && !arguments->tally)
        return cli_usage("--plot draws counts and requires --count");
    if (arguments->dtype && arguments->tally)
        return cli_usage("--dtype is the type of samples; it does not go with --count");
    return 0;
}

static uh_status make_sampler(struct cli_job *job) {
    struct sampling *sampling = (struct sampling *)job;
    const int method = job->arguments->sample_method;
    const uh_sampler_options options = {.struct_size = sizeof options,
                                        .method = (uh_sample_method)(method ? method - 1 : UH_SAMPLE_AUTO)};
    const uh_array weights = uh_array_of(sampling->weights.dtype, sampling->weights.data, sampling->weights.n);
    const uh_discrete weighted = {.struct_size = sizeof weighted, .kind = UH_DISCRETE_WEIGHTS, .weights = &weights};
    const uh_status status = CLI_INTERRUPTIBLE(
        job->queue, uh_sampler_create(job->queue, job->points.values ? &weighted : &sampling->distribution, &options,
                                      &sampling->sampler));
    sampling->properties.struct_size = sizeof sampling->properties;
    return status ? status : uh_sampler_get_properties(sampling->sampler, &sampling->properties);
}

static void drop_sampler(struct cli_job *job) {
    struct sampling *sampling = (struct sampling *)job;
    uh_sampler_destroy(sampling->sampler);
    sampling->sampler = NULL;
}

/* Parameters or weights that the library rejected are reported as the user gave them. */
static int fail_source(const struct sampling *sampling) {
    const struct cli_arguments *arguments = sampling->job.arguments;
    const uh_error_info *info = uh_last_error_info();
    if (info->status != UH_ERROR_INVALID_ARGUMENT && !*info->argument) /* a failure of the device or memory */
        return -1;
    if (sampling->job.points.values)
        return cli_fail("%s: %s", cli_inputs_name(sampling->job.points.values), info->text);
    return cli_usage("--%s '%.200s': %s", arguments->source->name, arguments->source_text, info->text);
}

static int open_sampler(struct sampling *sampling) {
    struct cli_job *job = &sampling->job;
    struct cli_numbers *weights = &sampling->weights;
    if (cli_job_open_queue(job) || cli_job_open_values(job, job->arguments->weights) ||
        (job->points.values && cli_inputs_read(job->points.values, UH_SAMPLER_MAX_ITEMS, weights)))
        return -1;
    if (job->points.values && weights->n == 0)
        return cli_fail("%s holds no weights", cli_inputs_name(job->points.values));
    return cli_job_make(job) ? fail_source(sampling) : 0;
}

static int choose_dtype(struct sampling *sampling) {
    const int64_t first = sampling->properties.first, last = sampling->properties.last;
    const int fits_u32 = first >= 0 && last <= UINT32_MAX;
    const char *settings = sampling->job.arguments->dtype;
    unsigned dtype = fits_u32 ? UH_U32 : UH_I64;
    if (settings && uh_enum_from_name(UH_ENUM_DTYPE, settings, &dtype))
        return cli_fail_library();
    sampling->dtype = (uh_dtype)dtype;
    if ((sampling->dtype == UH_U32 && !fits_u32) || (sampling->dtype == UH_U64 && first < 0) ||
        (sampling->dtype == UH_I32 && (first < INT32_MIN || last > INT32_MAX)))
        return cli_usage("--dtype '%.200s': the outcomes are %" PRId64 " to %" PRId64, settings, first, last);
    return 0;
}

static int choose_seed(struct sampling *sampling) {
    sampling->seed = sampling->job.arguments->seed.value;
    if (!sampling->job.arguments->seed.given &&
        getrandom(&sampling->seed, sizeof sampling->seed, 0) != (ssize_t)sizeof sampling->seed)
        return cli_fail("no random seed: %s; give --seed S", strerror(errno));
    return cli_group_broadcast(0, &sampling->seed, sizeof sampling->seed);
}

/* Takes n samples after `done` others. */
typedef int (*take_samples)(struct sampling *sampling, uint64_t done, uint64_t n);

/* Takes all samples, `piece` at a time; with `grows`, pieces double until one takes a tenth of a second. */
static int take_all(struct sampling *sampling, uint64_t piece, int grows, take_samples take) {
    /* The bar would appear among the printed samples. */
    FILE *terminal = !grows && !sampling->job.arguments->output && cli_terminal_detect().is_terminal ? NULL : stderr;
    struct cli_progress *progress = cli_progress_start(terminal, "drawing", sampling->n, "", sampling->shares);
    int result = 0;
    for (uint64_t done = 0; done < sampling->n && result == 0;) {
        const uint64_t n = sampling->n - done < piece ? sampling->n - done : piece;
        const double start = cli_clock();
        result = take(sampling, done, n);
        if (done == 0)
            cli_numbers_free(&sampling->weights); /* the host can no longer take over */
        if (grows && cli_clock() - start < LONG_ENOUGH && piece < UINT64_MAX / 2)
            piece *= 2;
        done += n;
        cli_progress_update(progress, done);
    }
    cli_progress_finish(progress);
    return result;
}

/* Each of several processes draws its part, wherever the samples go. */
static void read_share(struct sampling *sampling) {
    const uint64_t n = sampling->n;
    sampling->before = cli_group_share(n, cli_group_rank(), cli_group_ranks());
    sampling->n = cli_group_share(n, cli_group_rank() + 1, cli_group_ranks()) - sampling->before;
    sampling->shares = 1;
    sampling->offset += sampling->before;
}

static int draw_piece(struct sampling *sampling, uint64_t done, uint64_t n) {
    while (CLI_INTERRUPTIBLE(sampling->job.queue,
                             uh_sampler_draw(sampling->sampler, sampling->seed, sampling->offset + done,
                                             sampling->dtype, sampling->samples, (size_t)n)))
        if (cli_job_recover(&sampling->job, done > 0))
            return -1;
    return cli_output_integers_append(&sampling->out, sampling->samples, (size_t)n);
}

static int draw_samples(struct sampling *sampling) {
    const struct cli_arguments *arguments = sampling->job.arguments;
    const char *path = arguments->output ? arguments->output : "-";
    /* All processes write a .npy file together, where each knows the place of its part. */
    const int shared = cli_group && !cli_atomic_is_stream(path) &&
                       cli_output_format(path, arguments->format, CLI_OUTPUT_INTEGERS) == CLI_INTEGERS_NPY;
    if (shared)
        read_share(sampling);
    else if (!cli_group_is_first()) /* writing lines takes longer than drawing samples */
        return 0;
    const size_t room = sampling->n < DRAWN ? (size_t)sampling->n : DRAWN;
    sampling->samples = cli_have(malloc((room ? room : 1) * uh_dtype_size(sampling->dtype)));
    const struct cli_share share = {sampling->before, arguments->number.value, shared};
    if (cli_output_integers_open(&sampling->out, path, arguments->format, sampling->dtype, &share) ||
        take_all(sampling, DRAWN, 0, draw_piece))
        return -1;
    return cli_output_integers_commit(&sampling->out);
}

/* The first piece is counted directly into the result. */
static int count_piece(struct sampling *sampling, uint64_t done, uint64_t n) {
    const size_t bins = sampling->result.axis[0].bins;
    uint64_t *counts = done ? sampling->part : sampling->counts;
    while (CLI_INTERRUPTIBLE(sampling->job.queue, uh_sampler_count(sampling->sampler, sampling->seed,
                                                                   sampling->offset + done, n, counts, bins)))
        if (cli_job_recover(&sampling->job, done > 0))
            return -1;
    for (size_t j = 0; j < bins && done; j++)
        sampling->counts[j] += counts[j];
    return 0;
}

/* Draws the outcomes from the first to the last that came up. */
static int draw_counts(const struct sampling *sampling) {
    struct cli_result drawn = sampling->result;
    struct cli_axis *axis = &drawn.axis[0];
    while (axis->bins && !drawn.counts[axis->bins - 1])
        axis->bins--;
    for (; axis->bins && !*drawn.counts; drawn.counts++, axis->bins--)
        axis->first++;
    double *edges = cli_have(malloc((axis->bins + 1) * sizeof *edges));
    for (size_t i = 0; i <= axis->bins; i++)
        edges[i] = (double)(int64_t)((uint64_t)axis->first + i);
    if (axis->first >= -MAX_DRAWN && axis->first <= MAX_DRAWN - (int64_t)axis->bins)
        axis->edges = edges;
    const int result = cli_publish_show(sampling->job.arguments, &drawn);
    free(edges);
    return result;
}

static int write_file(const struct sampling *sampling) {
    struct cli_result result = sampling->result;
    const struct cli_fact facts[] = {
        CLI_TEXT("distribution", sampling->name),
        CLI_INTEGER("seed", sampling->seed),
        CLI_INTEGER("offset", sampling->job.arguments->offset.value),
    };
    result.facts = facts;
    result.nfacts = sizeof facts / sizeof *facts;
    return cli_output_write(sampling->job.arguments->output, sampling->job.arguments->format, &result);
}

static int count_samples(struct sampling *sampling) {
    struct cli_result *result = &sampling->result;
    const uint64_t size = sampling->properties.size;
    if (size == 0 || size > MAX_COUNTED)
        return cli_fail("--count: outcomes range from %" PRId64 " to %" PRId64 ", expected at most 2^31",
                        result->axis[0].first, sampling->properties.last);
    read_share(sampling);
    const uint64_t piece = size > FIRST_PIECE ? size : FIRST_PIECE;
    result->axis[0].bins = (size_t)size;
    result->counts = sampling->counts = cli_have(calloc((size_t)size, sizeof *sampling->counts));
    if (sampling->n > piece)
        sampling->part = cli_have(malloc((size_t)size * sizeof *sampling->part));
    if (take_all(sampling, piece, 1, count_piece) || cli_group_add(sampling->counts, result->axis[0].bins))
        return -1;
    if (!cli_group_is_first())
        return 0;
    result->device = sampling->job.device_text;
    result->seconds = cli_clock() - sampling->start;
    /* Files first: if one cannot be written, nothing has been shown yet. */
    if (sampling->job.arguments->output && write_file(sampling))
        return -1;
    return draw_counts(sampling);
}

static void name_source(struct sampling *sampling) {
    const struct cli_arguments *arguments = sampling->job.arguments;
    char from[40] = "";
    if (sampling->offset)
        snprintf(from, sizeof from, " from %" PRIu64, sampling->offset);
    sampling->name = cli_format("%s(%s)", arguments->source->name, arguments->source_text);
    sampling->title = cli_format("%s, seed %" PRIu64 "%s", sampling->name, sampling->seed, from);
}

static int sample_source(struct sampling *sampling, struct cli_arguments *arguments) {
    sampling->start = cli_clock();
    sampling->n = arguments->number.value;
    sampling->offset = arguments->offset.value;
    if (set_source(sampling, arguments) || check_options(arguments) ||
        cli_publish_check_files(arguments, arguments->tally ? CLI_OUTPUT_RESULT : CLI_OUTPUT_INTEGERS) ||
        open_sampler(sampling) || choose_dtype(sampling) || choose_seed(sampling))
        return -1;
    name_source(sampling);
    if (cli_group_is_first())
        fprintf(stderr, "seed: %" PRIu64 "\n", sampling->seed);
    sampling->result = (struct cli_result){
        .naxes = 1,
        .axis[0] = {.integers = 1,
                    .first = sampling->properties.first,
                    .name = "outcome",
                    .method = uh_enum_name(UH_ENUM_SAMPLE_METHOD, sampling->properties.method)},
        .n = sampling->n,
        .title = sampling->title,
    };
    return arguments->tally ? count_samples(sampling) : draw_samples(sampling);
}

static int run_sample(struct cli_arguments *arguments) {
    struct sampling sampling = {.job = {.arguments = arguments, .make = make_sampler, .drop = drop_sampler}};
    if (arguments->npaths)
        return cli_usage("unexpected argument '%.200s': the options select the distribution", arguments->paths[0]);
    const int result = sample_source(&sampling, arguments);
    cli_atomic_abort(&sampling.out.atomic);
    cli_numbers_free(&sampling.weights);
    free(sampling.name);
    free(sampling.title);
    free(sampling.samples);
    free(sampling.counts);
    free(sampling.part);
    cli_job_close(&sampling.job);
    return result;
}

const struct cli_command cli_sample_command = {
    CLI_SAMPLE,
    "sample",
    "",
    "",
    "Draw random samples of weights or a distribution",
    "One of --weights to --zipf selects the distribution; outcomes are numpy.random's.\n"
    "Sample i depends only on it, the method, the seed and i, not on the device: with\n"
    "--offset a run continues another one. Samples are printed unless -o is\n"
    "given; with --count a bar chart is, unless -o is given and standard output is no\n"
    "terminal.\n",
    run_sample,
};
