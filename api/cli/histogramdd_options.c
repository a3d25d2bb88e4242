/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/cli/histogramdd_job.h"

static int add_word(struct cli_words *words, const char *option, const char *text, size_t length,
                    struct cli_error *error) {
    if (words->n == UH_MAX_AXES)
        return cli_usage(error, "--%s is given for more than %d axes", option, UH_MAX_AXES);
    if (length == 0)
        return cli_usage(error, "--%s: a word between commas is empty", option);
    if (!(words->word[words->n] = strndup(text, length)))
        return cli_fail(error, "out of memory");
    words->n++;
    return 0;
}

/* Adds the words that commas divide. */
static int add_words(struct cli_words *words, const char *option, const char *text, struct cli_error *error) {
    int result = 0;
    for (const char *at = text; result == 0 && at;) {
        size_t length = strcspn(at, ",");
        result = add_word(words, option, at, length, error);
        at = at[length] ? at + length + 1 : NULL;
    }
    return result;
}

static void free_words(struct cli_words *words) {
    for (size_t i = 0; i < words->n; i++)
        free(words->word[i]);
    words->n = 0;
}

static int is_file(const char *word) {
    return access(word, F_OK) == 0;
}

/* The words of an option as they come; those that cannot be right are refused before any file is opened. */
static int set_bins(struct cli_jobdd *jobdd, const char *value, struct cli_error *error) {
    size_t before = jobdd->bins.n;
    int result = add_words(&jobdd->bins, "bins", value, error);
    for (size_t i = before; i < jobdd->bins.n && result == 0; i++) {
        struct cli_bins bins = {.count = 0};
        const char *word = jobdd->bins.word[i];
        result = is_file(word) && strspn(word, "0123456789") < strlen(word) ? 0 : cli_bins_parse(word, &bins, error);
    }
    return result;
}

static int set_range(struct cli_jobdd *jobdd, const char *value, struct cli_error *error) {
    struct cli_bins bins = {.count = 0};
    int result = strcmp(value, "data") == 0 ? 0 : cli_bins_parse_range(value, &bins, error);
    return result ? result : add_word(&jobdd->ranges, "range", value, strlen(value), error);
}

static int set_methods(struct cli_jobdd *jobdd, const char *value, struct cli_error *error) {
    size_t before = jobdd->methods.n;
    uh_method method;
    int result = add_words(&jobdd->methods, "method", value, error);
    for (size_t i = before; i < jobdd->methods.n && result == 0; i++)
        result = cli_job_method(jobdd->methods.word[i], &method, error);
    return result;
}

static int set_distribution(struct cli_jobdd *jobdd, const char *value, struct cli_error *error) {
    struct cli_distribution distribution = {.given = 0};
    int result = cli_distribution_parse(value, &distribution, error);
    cli_distribution_free(&distribution);
    return result ? result : add_word(&jobdd->distributions, "distribution", value, strlen(value), error);
}

/* A list of files, else as it is: a file, or a list of numbers. */
static int set_edges(struct cli_jobdd *jobdd, const char *value, struct cli_error *error) {
    struct cli_words files = {.n = 0};
    int result = 0, all = strchr(value, ',') && !is_file(value) && add_words(&files, "edges", value, error) == 0;
    for (size_t i = 0; i < files.n; i++)
        all = all && is_file(files.word[i]);
    for (size_t i = 0; i < files.n && all && result == 0; i++)
        result = add_word(&jobdd->edges, "edges", files.word[i], strlen(files.word[i]), error);
    free_words(&files);
    return all ? result : add_word(&jobdd->edges, "edges", value, strlen(value), error);
}

static int set_values(struct cli_jobdd *jobdd, int sampled, const char *value, struct cli_error *error) {
    if (jobdd->job.values && jobdd->sampled != sampled)
        return cli_usage(error, "--weights and --sample both say what is added up; give one");
    jobdd->sampled = sampled;
    jobdd->job.values = value;
    return 0;
}

static int set_row(struct cli_jobdd *jobdd, const char *value, struct cli_error *error) {
    uint64_t row = 0;
    int result = cli_usage_number("row", value, 1, 1 << 20, &row, error);
    jobdd->row = (size_t)row;
    return result;
}

static int set_option(void *context, enum cli_option_id id, const char *value, struct cli_error *error) {
    struct cli_jobdd *jobdd = context;
    switch (id) {
    case CLI_OPTION_AXES_EDGES: return set_edges(jobdd, value, error);
    case CLI_OPTION_AXES_BINS: return set_bins(jobdd, value, error);
    case CLI_OPTION_AXES_RANGE: return set_range(jobdd, value, error);
    case CLI_OPTION_AXES_METHOD: return set_methods(jobdd, value, error);
    case CLI_OPTION_AXES_DISTRIBUTION: return set_distribution(jobdd, value, error);
    case CLI_OPTION_COLUMNS: return add_words(&jobdd->columns, "columns", value, error);
    case CLI_OPTION_ROW: return set_row(jobdd, value, error);
    case CLI_OPTION_WEIGHTS: return set_values(jobdd, 0, value, error);
    case CLI_OPTION_SAMPLE: return set_values(jobdd, 1, value, error);
    case CLI_OPTION_STORAGE:
        jobdd->stored = 1;
        return uh_storage_from_name(value, &jobdd->storage)
                   ? cli_usage(error, "--storage '%.200s': expected count, sum, weighted, mean, u8 or u16", value)
                   : 0;
    case CLI_OPTION_COLOUR:
        return cli_heat_scale_from_name(value, &jobdd->scale)
                   ? cli_usage(error, "--colour '%.200s': expected auto, linear or log", value)
                   : 0;
    default: return cli_job_set(&jobdd->job, id, value, error);
    }
}

/* What cells keep suits what there is. */
static int check_storage(struct cli_jobdd *jobdd, struct cli_error *error) {
    if (!jobdd->stored)
        jobdd->storage = !jobdd->job.values ? UH_STORAGE_COUNT : jobdd->sampled ? UH_STORAGE_MEAN : UH_STORAGE_SUM;
    uh_storage storage = jobdd->storage;
    const char *name = uh_storage_name(storage);
    int sums = storage == UH_STORAGE_SUM || storage == UH_STORAGE_WEIGHTED;
    if (storage == UH_STORAGE_MEAN && !jobdd->sampled)
        return cli_usage(error, "--storage mean needs --sample, the numbers to take the mean of");
    if (jobdd->job.values && jobdd->sampled && storage != UH_STORAGE_MEAN)
        return cli_usage(error, "--storage %s does not go with --sample, which is for mean", name);
    if (jobdd->job.values && !jobdd->sampled && !sums)
        return cli_usage(error, "--storage %s does not go with --weights, which are for sum and weighted", name);
    if (jobdd->job.density && storage == UH_STORAGE_MEAN)
        return cli_usage(error, "--density is of counts or sums; means have none");
    return 0;
}

int cli_jobdd_parse(struct cli_jobdd *jobdd, const struct cli_command *command, int argc, char **argv,
                    struct cli_error *error) {
    int first, result;
    cli_job_begin(&jobdd->job, command);
    if ((result = cli_options_parse(command, argc, argv, set_option, jobdd, &first, error)) ||
        (result = cli_job_operands(&jobdd->job, argc, argv, first, error)) || (result = check_storage(jobdd, error)))
        return result;
    size_t npaths = jobdd->job.npaths;
    if (npaths > UH_MAX_AXES)
        return cli_usage(error, "%zu inputs, one an axis, are more than %d", npaths, UH_MAX_AXES);
    if (jobdd->row && npaths > 1)
        return cli_usage(error, "--row is for one input of rows, there are %zu inputs", npaths);
    if (npaths > 1 && jobdd->columns.n && jobdd->columns.n != npaths)
        return cli_usage(error, "--columns names %zu columns for %zu inputs, expected one each", jobdd->columns.n,
                         npaths);
    if (jobdd->edges.n && jobdd->bins.n)
        return cli_usage(error,
                         "--edges and --bins both say what the bins are; give one (--bins takes files of edges)");
    if (jobdd->edges.n && jobdd->ranges.n)
        return cli_usage(error, "--range goes with --bins; --edges say their range themselves");
    return 0;
}

/* ---- for each axis ---------------------------------------------------------------------------------------------- */

/* Lends the axis's word, NULL where there is none. */
static const char *word_of(const struct cli_words *words, size_t axis) {
    return words->n == 0 ? NULL : words->word[words->n == 1 ? 0 : axis];
}

static int check_number(const struct cli_words *words, const char *option, size_t naxes, struct cli_error *error) {
    return words->n <= 1 || words->n == naxes ? 0
                                              : cli_usage(error, "--%s is given for %zu axes, but there %s %zu", option,
                                                          words->n, naxes == 1 ? "is" : "are", naxes);
}

static int settle_axis(struct cli_jobdd *jobdd, size_t axis, struct cli_error *error) {
    struct cli_bins *bins = &jobdd->axis_bins[axis];
    const char *text = word_of(&jobdd->bins, axis), *edges = word_of(&jobdd->edges, axis);
    const char *range = word_of(&jobdd->ranges, axis), *method = word_of(&jobdd->methods, axis);
    const char *distribution = word_of(&jobdd->distributions, axis);
    int result = 0;
    bins->kind = CLI_BINS_RULE;
    bins->rule = CLI_RULE_auto;
    if (edges)
        result = cli_bins_read_edges(edges, 2, bins, error);
    else if (text && is_file(text) && strspn(text, "0123456789") < strlen(text))
        result = cli_bins_read_edges(text, 2, bins, error);
    else if (text)
        result = cli_bins_parse(text, bins, error);
    if (result == 0 && range && strcmp(range, "data") != 0 && bins->kind != CLI_BINS_EDGES)
        result = cli_bins_parse_range(range, bins, error);
    if (result == 0 && method)
        result = cli_job_method(method, &jobdd->axis_methods[axis], error);
    int used = bins->kind == CLI_BINS_CDF || jobdd->axis_methods[axis] == UH_METHOD_CDF;
    if (result == 0 && distribution && used)
        result = cli_distribution_parse(distribution, &bins->distribution, error);
    jobdd->distributed |= used;
    return result ? result : cli_bins_check(bins, range, jobdd->job.right, jobdd->axis_methods[axis], error);
}

int cli_jobdd_settle(struct cli_jobdd *jobdd, size_t naxes, struct cli_error *error) {
    int result;
    if ((result = check_number(&jobdd->bins, "bins", naxes, error)) ||
        (result = check_number(&jobdd->edges, "edges", naxes, error)) ||
        (result = check_number(&jobdd->ranges, "range", naxes, error)) ||
        (result = check_number(&jobdd->methods, "method", naxes, error)) ||
        (result = check_number(&jobdd->distributions, "distribution", naxes, error)))
        return result;
    if (jobdd->job.plot && naxes != 2)
        return cli_usage(error, "--plot draws two axes, there %s %zu", naxes == 1 ? "is" : "are", naxes);
    for (size_t a = 0; a < naxes && result == 0; a++)
        result = settle_axis(jobdd, a, error);
    if (result == 0 && jobdd->distributions.n && !jobdd->distributed)
        return cli_usage(error, "--distribution goes with --bins cdf:N or --method cdf");
    return result;
}

void cli_jobdd_close(struct cli_jobdd *jobdd) {
    cli_job_close(&jobdd->job);
    for (size_t a = 0; a < UH_MAX_AXES; a++) {
        uh_axis_destroy(jobdd->axes[a]);
        cli_bins_free(&jobdd->axis_bins[a]);
        cli_inputs_close(jobdd->sources[a]);
    }
    free_words(&jobdd->edges);
    free_words(&jobdd->bins);
    free_words(&jobdd->ranges);
    free_words(&jobdd->methods);
    free_words(&jobdd->distributions);
    free_words(&jobdd->columns);
}
