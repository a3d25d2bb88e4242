/* SPDX-License-Identifier: Apache-2.0 */
#include "perf/options_table.h"

#include "perf/jobs_runtime.h"
#include "tests/cases_histogram.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* As the command's help prints its options: the manual is made of it (api/cli/man/man.awk). */
void perf_options_help(unsigned of) {
    puts("Options:");
    for (size_t i = 0; i < perf_options_count; i++) {
        const struct option *row = &perf_options_table[i];
        char name[32];
        if (!(row->of & of))
            continue;
        snprintf(name, sizeof name, "--%s %s", row->name, row->metavar ? row->metavar : "");
        for (const char *line = row->help; line;) {
            const char *end = strchr(line, '\n');
            printf("      %-20s%.*s\n", line == row->help ? name : "", (int)(end ? end - line : (long)strlen(line)),
                   line);
            line = end ? end + 1 : NULL;
        }
    }
    printf("  %-24s%s\n", "-h, --help", "show this help");
}

/* ---- reading ---------------------------------------------------------------------------------------------------- */

static int take_list(struct perf_options *options, const struct option *row, const char *option, const char *text,
                     struct perf_error *error) {
    int status = PERF_OK;
    char *copy = strdup(text);
    if (!copy)
        return perf_fail(error, "%s: out of memory", option);
    char *part = copy;
    for (size_t count = 0; part && status == PERF_OK; count++) {
        char *comma = strchr(part, ',');
        if (comma)
            *comma = '\0';
        if (count == PERF_LIST_MAX)
            status = perf_usage(error, "%s is '%s', expected at most %d items", option, text, PERF_LIST_MAX);
        else
            status = row->take(options, row, option, part, error);
        part = comma ? comma + 1 : NULL;
    }
    free(copy);
    return status;
}

static const struct option *find_option(const char *name, size_t length, unsigned of) {
    for (size_t i = 0; i < perf_options_count; i++) {
        const struct option *row = &perf_options_table[i];
        if (strlen(row->name) == length && strncmp(row->name, name, length) == 0 && (row->of & of))
            return row;
    }
    return NULL;
}

/* Takes argv[*index] and, where it has one, its value: behind a '=', or the next argument. */
static int take_option(struct perf_options *options, unsigned of, int argc, char **argv, int *index,
                       struct perf_error *error) {
    const char *text = argv[*index], *equals = strchr(text, '=');
    const size_t length = equals ? (size_t)(equals - text) : strlen(text);
    char option[32];
    if (strcmp(text, "-h") == 0 || strcmp(text, "--help") == 0) {
        options->help = 1;
        return PERF_OK;
    }
    if (text[0] != '-' || text[1] == '\0')
        return perf_usage(error, "'%s' is not expected, expected options; see --help", text);
    const struct option *row = text[1] == '-' ? find_option(text + 2, length - 2, of) : NULL;
    if (!row)
        return perf_usage(error, "%.*s is not an option of this operation; see --help", (int)length, text);
    snprintf(option, sizeof option, "--%s", row->name);
    if (row->value == NO_VALUE)
        return equals ? perf_usage(error, "%s takes no value; see --help", option)
                      : row->take(options, row, option, NULL, error);
    if (!equals && *index + 1 == argc)
        return perf_usage(error, "%s needs a value; see --help", option);
    const char *value = equals ? equals + 1 : argv[++*index];
    options->given |= row->given;
    if (row->value == A_LIST)
        memset(perf_option_field(options, row), 0, row->size);
    return row->value == A_LIST ? take_list(options, row, option, value, error)
                                : row->take(options, row, option, value, error);
}

/* Measurements that are not of arrays, goals, and what the paper shows refuse what means nothing to them. */
static int check_together(const struct perf_options *options, struct perf_error *error) {
    const int calls = options->measured == PERF_CALLS, plan = options->measured == PERF_PLAN, paper = options->paper;
    const struct {
        int given;
        unsigned bit;
        const char *text;
    } modes[] = {{options->goals, GOALS, "--goals"},
                 {calls, CALLS, "--calls"},
                 {plan, PLAN, "--plan"},
                 {paper, PAPER, "--paper"}};
    if (options->goals + calls + plan + paper > 1)
        return perf_usage(error, "%s is given with %s, but has cases of its own",
                          options->goals ? "--goals" : "--paper",
                          calls  ? "--calls"
                          : plan ? "--plan"
                                 : "--paper");
    for (size_t i = 0; i < perf_options_count; i++)
        for (size_t j = 0; j < sizeof modes / sizeof *modes; j++) {
            const struct option *row = &perf_options_table[i];
            if (modes[j].given && (options->given & row->given) && (row->not_with & modes[j].bit))
                return perf_usage(error, "--%s is given with %s, to which it means nothing", row->name, modes[j].text);
        }
    return PERF_OK;
}

/* Only histograms have lists of lengths, or words for them. */
static int check_n(const struct perf_options *options, unsigned of, struct perf_error *error) {
    if (options->n.count > 1 && (options->goals || !(of & PERF_OF_HISTOGRAM)))
        return perf_usage(error, "--n is a list, expected one number");
    for (size_t i = 0; i < options->n.count; i++)
        if (options->n.value[i] < 1 && (options->goals || options->measured == PERF_CALLS || of != PERF_OF_HISTOGRAM))
            return perf_usage(error, "--n has a word, expected a number");
    if ((options->given & PERF_GIVEN_THREADS) && !(of & (PERF_OF_HISTOGRAM | PERF_OF_EXPERIMENTS)) && !options->paper)
        return perf_usage(error, "--threads is given without --paper, the only case of samples that takes it");
    if ((options->paper || of == PERF_OF_EXPERIMENTS) && options->threads.count > 1)
        return perf_usage(error, "--threads is a list, expected one number");
    return PERF_OK;
}

int perf_options_read(struct perf_options *options, unsigned of, int argc, char **argv, struct perf_error *error) {
    *options = (struct perf_options){.k = {2, {100, 1000}},
                                     .h = {3, {0.1, 0.01, 0.001}},
                                     .threads = {1, {0}},
                                     .bins = 1 << CASE_WORST | 1 << CASE_RANDOM | 1 << CASE_ALMOST,
                                     .data = 1 << CASE_UNIFORM | 1 << CASE_NARROW | 1 << CASE_ONEBIN | 1 << CASE_SORTED,
                                     .dtypes = 1 << UH_F32,
                                     .methods = 1 << UH_METHOD_AUTO | 1 << UH_METHOD_MESH | 1 << UH_METHOD_BINARY,
                                     .peer_timeout = 600,
                                     .jobs = (1U << PERF_JOB_COUNT) - 1,
                                     .batch = 100,
                                     .operations = ~0U,
                                     .min_time = -1};
    int status = PERF_OK;
    for (int i = 0; status == PERF_OK && i < argc; i++)
        status = take_option(options, of, argc, argv, &i, error);
    if (status == PERF_OK && !options->help)
        status = check_together(options, error);
    if (status == PERF_OK && !options->help)
        status = check_n(options, of, error);
    if (options->min_time < 0)
        options->min_time = options->goals ? 0.5 : 1;
    return status;
}
