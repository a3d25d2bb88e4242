/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/axes.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const names[CLI_AXES_OPTIONS] = {"edges", "bins", "range", "method", "distribution"};

/* ---- words ------------------------------------------------------------------------------------------------------ */

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

int cli_words_add(struct cli_words *words, const char *option, const char *text, struct cli_error *error) {
    int result = 0;
    for (const char *at = text; result == 0 && at;) {
        size_t length = strcspn(at, ",");
        result = add_word(words, option, at, length, error);
        at = at[length] ? at + length + 1 : NULL;
    }
    return result;
}

void cli_words_free(struct cli_words *words) {
    for (size_t i = 0; i < words->n; i++)
        free(words->word[i]);
    words->n = 0;
}

static int is_file(const char *word) {
    return access(word, F_OK) == 0;
}

/* Whether the text is no file, but a list of files with commas between them. */
static int is_list_of_files(const char *text) {
    struct cli_words files = {.n = 0};
    struct cli_error ignored;
    int all = strchr(text, ',') && !is_file(text) && cli_words_add(&files, "edges", text, &ignored) == 0;
    for (size_t i = 0; i < files.n; i++)
        all = all && is_file(files.word[i]);
    cli_words_free(&files);
    return all;
}

/* ---- what a word says ------------------------------------------------------------------------------------------- */

static int read_method(const char *name, uh_method *method, struct cli_error *error) {
    if (uh_method_from_name(name, method))
        return cli_usage(error, "--method '%.200s': expected auto, mesh, binary or cdf", name);
    return 0;
}

/* What is not a kind of bins may be a file of edges: it is read later, unless there is none. */
static int read_bins(const char *word, struct cli_bins *bins, int *is_edges, struct cli_error *error) {
    const int result = cli_bins_parse(word, bins, error);
    *is_edges = result && is_file(word);
    return *is_edges ? 0 : result;
}

static int read_range(const char *word, struct cli_bins *bins, struct cli_error *error) {
    return strcmp(word, "data") == 0 ? 0 : cli_bins_parse_range(word, bins, error);
}

static int check_word(enum cli_axes_option option, const char *word, struct cli_error *error) {
    struct cli_bins bins = {.count = 0};
    uh_method method;
    int is_edges, result = 0;
    switch (option) {
    case CLI_AXES_BINS: return read_bins(word, &bins, &is_edges, error);
    case CLI_AXES_RANGE: return read_range(word, &bins, error);
    case CLI_AXES_METHOD: return read_method(word, &method, error);
    case CLI_AXES_DISTRIBUTION:
        result = cli_distribution_parse(word, &bins.distribution, error);
        cli_bins_free(&bins);
        return result;
    default: return 0;
    }
}

/* ---- options ---------------------------------------------------------------------------------------------------- */

/* `divided`: commas stand between the words of several axes; else they are part of one axis's. */
static int add(struct cli_axes *axes, enum cli_axes_option option, const char *value, int divided,
               struct cli_error *error) {
    struct cli_words *words = &axes->words[option];
    const size_t before = words->n;
    int result = divided ? cli_words_add(words, names[option], value, error)
                         : add_word(words, names[option], value, strlen(value), error);
    for (size_t i = before; i < words->n && result == 0; i++)
        result = check_word(option, words->word[i], error);
    return result;
}

int cli_axes_set(struct cli_axes *axes, enum cli_option_id id, const char *value, struct cli_error *error) {
    uint64_t leaf = 0;
    int result;
    switch (id) {
    case CLI_OPTION_EDGES: return add(axes, CLI_AXES_EDGES, value, is_list_of_files(value), error);
    case CLI_OPTION_BINS: return add(axes, CLI_AXES_BINS, value, 1, error);
    case CLI_OPTION_RANGE: return add(axes, CLI_AXES_RANGE, value, 0, error);
    case CLI_OPTION_METHOD: return add(axes, CLI_AXES_METHOD, value, 1, error);
    case CLI_OPTION_DISTRIBUTION: return add(axes, CLI_AXES_DISTRIBUTION, value, 0, error);
    default:
        result = cli_usage_number("leaf", value, 1, 64, &leaf, error);
        axes->leaf_bins = (uint32_t)leaf;
        return result;
    }
}

/* ---- for each axis ---------------------------------------------------------------------------------------------- */

/* Lends the axis's word, NULL where there is none. */
static const char *word_of(const struct cli_axes *axes, enum cli_axes_option option, size_t axis) {
    const struct cli_words *words = &axes->words[option];
    return words->n == 0 ? NULL : words->word[words->n == 1 ? 0 : axis];
}

static int settle_axis(struct cli_axes *axes, size_t axis, size_t min_edges, int right, struct cli_error *error) {
    struct cli_bins *bins = &axes->bins[axis];
    const char *edges = word_of(axes, CLI_AXES_EDGES, axis), *text = word_of(axes, CLI_AXES_BINS, axis);
    const char *range = word_of(axes, CLI_AXES_RANGE, axis), *method = word_of(axes, CLI_AXES_METHOD, axis);
    const char *distribution = word_of(axes, CLI_AXES_DISTRIBUTION, axis);
    int result = 0, is_edges = edges != NULL;
    bins->kind = CLI_BINS_RULE;
    bins->rule = CLI_RULE_auto;
    if (text)
        result = read_bins(text, bins, &is_edges, error);
    if (is_edges)
        result = edges ? cli_bins_read_edges("edges", edges, min_edges, bins, error)
                       : cli_bins_read_edges("bins", text, min_edges, bins, error);
    if (result == 0 && range && !is_edges)
        result = read_range(range, bins, error);
    if (result == 0 && method)
        result = read_method(method, &axes->methods[axis], error);
    const int distributed = bins->kind == CLI_BINS_CDF || axes->methods[axis] == UH_METHOD_CDF;
    if (result == 0 && distribution && distributed)
        result = cli_distribution_parse(distribution, &bins->distribution, error);
    return result ? result : cli_bins_check(bins, range, right, axes->methods[axis], error);
}

/* What is given and no axis has a use for. */
static int check_use(const struct cli_axes *axes, struct cli_error *error) {
    int ranged = 0, distributed = 0, meshed = 0;
    for (size_t a = 0; a < axes->n; a++) {
        ranged |= axes->bins[a].kind != CLI_BINS_EDGES;
        distributed |= axes->bins[a].kind == CLI_BINS_CDF || axes->methods[a] == UH_METHOD_CDF;
        meshed |= axes->methods[a] == UH_METHOD_MESH;
    }
    if (axes->words[CLI_AXES_RANGE].n && !ranged)
        return cli_usage(error, "--range goes with --bins; --edges and files of edges say their range themselves");
    if (axes->words[CLI_AXES_DISTRIBUTION].n && !distributed)
        return cli_usage(error, "--distribution goes with --bins cdf:N or --method cdf");
    if (axes->leaf_bins && !meshed)
        return cli_usage(error, "--leaf goes with --method mesh");
    return 0;
}

int cli_axes_settle(struct cli_axes *axes, size_t naxes, size_t min_edges, int right, struct cli_error *error) {
    int result = 0;
    if (axes->words[CLI_AXES_EDGES].n && axes->words[CLI_AXES_BINS].n)
        return cli_usage(error,
                         "--edges and --bins both say what the bins are; give one (--bins takes files of edges)");
    for (size_t i = 0; i < CLI_AXES_OPTIONS; i++)
        if (axes->words[i].n > 1 && axes->words[i].n != naxes)
            return cli_usage(error, "--%s is given for %zu axes, but there %s %zu", names[i], axes->words[i].n,
                             naxes == 1 ? "is" : "are", naxes);
    axes->n = naxes;
    for (size_t a = 0; a < naxes && result == 0; a++)
        result = settle_axis(axes, a, min_edges, right, error);
    return result ? result : check_use(axes, error);
}

void cli_axes_free(struct cli_axes *axes) {
    for (size_t a = 0; a < axes->n; a++) {
        uh_axis_destroy(axes->axis[a]);
        cli_bins_free(&axes->bins[a]);
    }
    for (size_t i = 0; i < CLI_AXES_OPTIONS; i++)
        cli_words_free(&axes->words[i]);
}
