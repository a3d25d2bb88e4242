/* SPDX-License-Identifier: Apache-2.0 */
/* unihist sample: draws random samples, or counts them. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "api/cli/options.h"
#include "api/cli/output/output.h"
#include "api/cli/publish.h"
#include "api/cli/sample.h"

static const enum cli_option_id options[] = {CLI_OPTION_DRAW_WEIGHTS,
                                             CLI_OPTION_UNIFORM,
                                             CLI_OPTION_BERNOULLI,
                                             CLI_OPTION_BINOMIAL,
                                             CLI_OPTION_POISSON,
                                             CLI_OPTION_GEOMETRIC,
                                             CLI_OPTION_NEGATIVE_BINOMIAL,
                                             CLI_OPTION_HYPERGEOMETRIC,
                                             CLI_OPTION_ZIPF,
                                             CLI_OPTION_DRAW_VALUE_DTYPE,
                                             CLI_OPTION_NUMBER,
                                             CLI_OPTION_SEED,
                                             CLI_OPTION_OFFSET,
                                             CLI_OPTION_TALLY,
                                             CLI_OPTION_DRAW_METHOD,
                                             CLI_OPTION_DRAW_DTYPE,
                                             CLI_OPTION_DEVICE,
                                             CLI_OPTION_THREADS,
                                             CLI_OPTION_DRAW_OUTPUT,
                                             CLI_OPTION_DRAW_PLOT,
                                             CLI_OPTION_STATS,
                                             CLI_OPTION_HELP,
                                             CLI_OPTION_END};

/* A seed's samples are numbered to 2^63. */
#define SAMPLES_END ((uint64_t)1 << 63)

/* ---- options ---- */

static int set_dtype(struct cli_sampling *sampling, const char *value, struct cli_error *error) {
    if (uh_dtype_from_name(value, &sampling->dtype) || (sampling->dtype != UH_U32 && sampling->dtype != UH_U64 &&
                                                        sampling->dtype != UH_I32 && sampling->dtype != UH_I64))
        return cli_usage(error, "--dtype '%.200s': expected uint32, uint64, int32 or int64", value);
    sampling->dtype_text = value;
    return 0;
}

static int set_option(void *context, enum cli_option_id id, const char *value, struct cli_error *error) {
    struct cli_sampling *sampling = context;
    if (cli_source_is(id)) {
        const int result = cli_source_set(&sampling->source, id, value, error);
        return result || id != CLI_OPTION_DRAW_WEIGHTS ? result : cli_job_set(&sampling->job, id, value, error);
    }
    switch (id) {
    case CLI_OPTION_NUMBER:
        sampling->has_n = 1;
        return cli_usage_number("number", value, 0, SAMPLES_END, &sampling->n, error);
    case CLI_OPTION_SEED:
        sampling->has_seed = 1;
        return cli_usage_number("seed", value, 0, UINT64_MAX, &sampling->seed, error);
    case CLI_OPTION_OFFSET: return cli_usage_number("offset", value, 0, SAMPLES_END, &sampling->offset, error);
    case CLI_OPTION_TALLY: sampling->count = 1; return 0;
    case CLI_OPTION_DRAW_METHOD:
        if (uh_sample_method_from_name(value, &sampling->method))
            return cli_usage(error, "--method '%.200s': expected auto, unihist, alias or binary", value);
        return 0;
    case CLI_OPTION_DRAW_DTYPE: return set_dtype(sampling, value, error);
    default: return cli_job_set(&sampling->job, id, value, error);
    }
}

static int parse(struct cli_sampling *sampling, int argc, char **argv, struct cli_error *error) {
    struct cli_job *job = &sampling->job;
    int first, result;
    job->command = &cli_sample_command;
    if ((result = cli_options_parse(&cli_sample_command, argc, argv, set_option, sampling, &first, error)))
        return result;
    if (first < argc)
        return cli_usage(error, "unexpected argument '%.200s': samples are drawn from what the options say",
                         argv[first]);
    if ((result = cli_source_check(&sampling->source, error)))
        return result;
    if (job->values_input.dtype && !job->values)
        return cli_usage(error, "--vtype is the type of weights, and there are none");
    if (!sampling->has_n)
        return cli_usage(error, "how many samples? give --number N");
    if (sampling->n > SAMPLES_END - sampling->offset)
        return cli_usage(error, "--offset %" PRIu64 " and --number %" PRIu64 " end beyond 2^63, a seed's last sample",
                         sampling->offset, sampling->n);
    if (job->plot && !sampling->count)
        return cli_usage(error, "--plot draws counts; it goes with --count");
    if (sampling->dtype_text && sampling->count)
        return cli_usage(error, "--dtype is the type of samples; it does not go with --count");
    return 0;
}

/* ---- the sampler ---- */

static uh_status make(struct cli_job *job) {
    struct cli_sampling *sampling = (struct cli_sampling *)job;
    const uh_status status =
        cli_source_create(&sampling->source, job->queue, cli_job_is_on_host(job), sampling->method, &sampling->sampler);
    sampling->properties.struct_size = sizeof sampling->properties;
    return status ? status : uh_sampler_get_properties(sampling->sampler, &sampling->properties);
}

static void drop(struct cli_job *job) {
    struct cli_sampling *sampling = (struct cli_sampling *)job;
    uh_sampler_destroy(sampling->sampler);
    sampling->sampler = NULL;
}

/* Opens everything that samples come from. */
static int open_sampler(struct cli_sampling *sampling, struct cli_error *error) {
    struct cli_job *job = &sampling->job;
    job->make = make;
    job->drop = drop;
    if (cli_job_open_queue(job, error) || cli_job_open_values(job, error) ||
        (job->values && cli_source_read(&sampling->source, job->value_inputs, error)))
        return -1;
    if (cli_job_make(job, error))
        return sampling->source.message[0]
                   ? cli_source_fail(&sampling->source, job->values ? cli_inputs_name(job->value_inputs) : "", error)
                   : -1;
    return 0;
}

/* Chooses the samples' type, or checks that the one that was asked for holds all outcomes. */
static int choose_dtype(struct cli_sampling *sampling, struct cli_error *error) {
    const int64_t first = sampling->properties.first, last = sampling->properties.last;
    const int fits_u32 = first >= 0 && last <= UINT32_MAX;
    if (!sampling->dtype_text)
        sampling->dtype = fits_u32 ? UH_U32 : UH_I64;
    else if ((sampling->dtype == UH_U32 && !fits_u32) || (sampling->dtype == UH_U64 && first < 0) ||
             (sampling->dtype == UH_I32 && (first < INT32_MIN || last > INT32_MAX)))
        return cli_usage(error, "--dtype '%.200s': the outcomes are %" PRId64 " to %" PRId64, sampling->dtype_text,
                         first, last);
    return 0;
}

static int choose_seed(struct cli_sampling *sampling, struct cli_error *error) {
    if (sampling->has_seed || getrandom(&sampling->seed, sizeof sampling->seed, 0) == (ssize_t)sizeof sampling->seed)
        return 0;
    return cli_fail(error, "no random seed: %s; give --seed S", strerror(errno));
}

/* ---- the command ---- */

static int check_files(const struct cli_sampling *sampling, struct cli_error *error) {
    const struct cli_job *job = &sampling->job;
    if (sampling->count)
        return cli_publish_check(job->output, 0, job->plot, error);
    return job->output ? cli_output_integers_check(job->output, error) : 0;
}

static int run_job(struct cli_sampling *sampling, struct cli_error *error) {
    int result;
    sampling->start = cli_stats_clock();
    cli_stats_start(&sampling->stats);
    if (check_files(sampling, error))
        return -1;
    if ((result = open_sampler(sampling, error)) || (result = choose_dtype(sampling, error)) ||
        (result = choose_seed(sampling, error)))
        return result;
    if (!(sampling->name = cli_source_name(&sampling->source)))
        return cli_fail(error, "out of memory");
    fprintf(stderr, "seed: %" PRIu64 "\n", sampling->seed);
    sampling->stats.preparing = cli_stats_clock() - sampling->start;
    sampling->result = (struct cli_result){
        .naxes = 1,
        .flat = 1,
        .axis[0] = {.first = sampling->properties.first,
                    .name = "outcome",
                    .method = uh_sample_method_name(sampling->properties.method)},
        .n = sampling->n,
    };
    return sampling->count ? cli_sampling_count(sampling, error) : cli_sampling_draw(sampling, error);
}

static int run(int argc, char **argv, struct cli_error *error) {
    struct cli_sampling sampling = {.n = 0};
    int result = parse(&sampling, argc, argv, error);
    if (result == 0)
        result = run_job(&sampling, error);
    cli_source_free(&sampling.source);
    free(sampling.name);
    cli_job_close(&sampling.job);
    return result;
}

const struct cli_command cli_sample_command = {
    "sample",
    "",
    NULL,
    "Draw random samples of weights or a distribution",
    "One of --weights to --zipf says what to draw from; outcomes are numpy.random's.\n"
    "Sample i depends on that, on the method, the seed and i alone, not on the device: with\n"
    "--offset a run goes on where another one ended. Samples are printed unless -o is\n"
    "given; with --count a bar chart is, unless -o is given and standard output is no\n"
    "terminal.\n",
    options,
    run,
};
