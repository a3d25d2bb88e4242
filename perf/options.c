/* SPDX-License-Identifier: Apache-2.0 */
#include "perf/options.h"

#include "perf/jobs_runtime.h"
#include "perf/peers_list.h"
#include "tests/cases_histogram.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- values ----------------------------------------------------------------------------------------------------- */

/* Reads one number within [low, high] and, where `whole` is not 0, without a fraction ("1e8" is a whole number). */
static int read_number(const char *option, const char *text, double low, double high, int whole, double *value,
                       struct perf_error *error) {
    char *end = NULL;
    double number = strtod(text, &end);
    /* strtod also takes blanks, signs, hexadecimal digits, "inf" and "nan"; none of them is meant here. */
    int plain = *text && strspn(text, "0123456789.eE+-") == strlen(text) && *text != '+' && *end == '\0';
    if (!plain || !(number >= low && number <= high) || (whole && floor(number) < number))
        return perf_usage(error, "%s is '%s', expected %s from %.10g to %.10g", option, text,
                          whole ? "a whole number" : "a number", low, high);
    *value = number;
    return PERF_OK;
}

static int add_number(struct perf_numbers *numbers, double value) {
    for (size_t i = 0; i < numbers->count; i++)
        if (!(numbers->value[i] < value || numbers->value[i] > value))
            return PERF_OK;
    numbers->value[numbers->count++] = value;
    return PERF_OK;
}

/* How the text of an option, or each part of its list, is taken. */
typedef int (*taker)(struct perf_options *options, const char *option, const char *text, struct perf_error *error);

static int take_n(struct perf_options *options, const char *option, const char *text, struct perf_error *error) {
    double number = 0;
    if (strcmp(text, "large") == 0)
        number = PERF_N_LARGE;
    else if (strcmp(text, "cache") == 0)
        number = PERF_N_CACHE;
    else if (read_number(option, text, 1, PERF_N_MAX, 1, &number, error) != PERF_OK)
        return perf_usage(error, "%s is '%s', expected large, cache or a whole number from 1 to %.10g", option, text,
                          PERF_N_MAX);
    return add_number(&options->n, number);
}

static int take_threads(struct perf_options *options, const char *option, const char *text, struct perf_error *error) {
    double number = 0;
    int status = read_number(option, text, 1, 4096, 1, &number, error); /* the most of uh_queue_create */
    return status == PERF_OK ? add_number(&options->threads, number) : status;
}

static int take_k(struct perf_options *options, const char *option, const char *text, struct perf_error *error) {
    double number = 0;
    int status = read_number(option, text, 1, (double)UH_MAX_BINS, 1, &number, error);
    return status == PERF_OK ? add_number(&options->k, number) : status;
}

static int take_h(struct perf_options *options, const char *option, const char *text, struct perf_error *error) {
    double number = 0;
    int status = read_number(option, text, 1e-30, 1000, 0, &number, error);
    return status == PERF_OK ? add_number(&options->h, number) : status;
}

static int take_bins(struct perf_options *options, const char *option, const char *text, struct perf_error *error) {
    enum case_bins family = CASE_WORST;
    int all = strcmp(text, "all") == 0;
    if (!all && case_bins_from_name(text, &family))
        return perf_usage(
            error, "%s has '%s', expected worst, random, almost, decades, equal, normal, exponential, lognormal or all",
            option, text);
    options->bins |= all ? (1U << CASE_BINS_COUNT) - 1 : 1U << family;
    return PERF_OK;
}

static int take_data(struct perf_options *options, const char *option, const char *text, struct perf_error *error) {
    enum case_data shape = CASE_UNIFORM;
    int all = strcmp(text, "all") == 0;
    if (!all && case_data_from_name(text, &shape))
        return perf_usage(error, "%s has '%s', expected uniform, narrow, onebin, sorted, eachbin, lognormal or all",
                          option, text);
    options->data |= all ? (1U << CASE_DATA_COUNT) - 1 : 1U << shape;
    return PERF_OK;
}

static int take_dtype(struct perf_options *options, const char *option, const char *text, struct perf_error *error) {
    uh_dtype dtype;
    if (uh_dtype_from_name(text, &dtype) || (dtype != UH_F32 && dtype != UH_F64 && dtype != UH_I32 && dtype != UH_U8))
        return perf_usage(error, "%s has '%s', expected f32, f64, i32 or u8", option, text);
    options->dtypes |= 1U << dtype;
    return PERF_OK;
}

static void add_method(struct perf_options *options, uh_method method) {
    for (size_t i = 0; i < options->method_count; i++)
        if (options->method[i] == method)
            return;
    options->method[options->method_count++] = method;
}

static int take_method(struct perf_options *options, const char *option, const char *text, struct perf_error *error) {
    uh_method method;
    if (strcmp(text, "all") == 0)
        for (int i = 0; uh_method_name((uh_method)i); i++)
            add_method(options, (uh_method)i);
    else if (uh_method_from_name(text, &method))
        return perf_usage(error, "%s has '%s': %s", option, text, uh_last_error());
    else
        add_method(options, method);
    return PERF_OK;
}

static int take_peer(struct perf_options *options, const char *option, const char *text, struct perf_error *error) {
    char known[512];
    size_t i = 0;
    if (strcmp(text, "all") == 0)
        options->all_peers = 1;
    if (strcmp(text, "all") == 0 || strcmp(text, "none") == 0)
        return PERF_OK;
    if (!perf_peers_known(text, known, sizeof known))
        return perf_usage(error, "%s has '%s', expected %sa program in the folder of peers, all or none", option, text,
                          known);
    while (i < options->peer_count && strcmp(options->peer[i], text) != 0)
        i++;
    snprintf(options->peer[i], sizeof options->peer[i], "%s", text);
    options->peer_count += i == options->peer_count;
    return PERF_OK;
}

static int take_timeout(struct perf_options *options, const char *option, const char *text, struct perf_error *error) {
    return read_number(option, text, 0.001, 86400, 0, &options->peer_timeout, error);
}

static int take_min_time(struct perf_options *options, const char *option, const char *text, struct perf_error *error) {
    return read_number(option, text, 0, 3600, 0, &options->min_time, error);
}

static int take_job(struct perf_options *options, const char *option, const char *text, struct perf_error *error) {
    unsigned found = 0;
    for (int job = 0; job < PERF_JOB_RELAUNCH; job++)
        if (strcmp(text, "all") == 0 || strcmp(text, perf_job_name((enum perf_job)job)) == 0)
            found |= 1U << job;
    options->jobs |= found;
    if (found)
        return PERF_OK;
    return perf_usage(error, "%s has '%s', expected launch, copy, copy-usm, fill, event, build, disk, memory or all",
                      option, text);
}

static int take_batch(struct perf_options *options, const char *option, const char *text, struct perf_error *error) {
    double number = 0;
    int status = read_number(option, text, 1, PERF_JOB_BATCH_MAX, 1, &number, error);
    options->batch = (size_t)number;
    return status;
}

static int take_table(struct perf_options *options, const char *option, const char *text, struct perf_error *error) {
    for (size_t i = 0; i < PAPER_TABLES; i++)
        if (strcasecmp(text, paper_number(i)) == 0) {
            options->wanted[i] = 1;
            return PERF_OK;
        }
    return perf_usage(error, "%s has '%s', expected numbers from I to XIII", option, text);
}

static int take_name(const char **name, const char *option, const char *text, struct perf_error *error) {
    *name = text;
    return *text ? PERF_OK : perf_usage(error, "%s is empty, expected a name", option);
}

static int take_device(struct perf_options *options, const char *option, const char *text, struct perf_error *error) {
    return take_name(&options->device, option, text, error);
}

static int take_out(struct perf_options *options, const char *option, const char *text, struct perf_error *error) {
    return take_name(&options->out, option, text, error);
}

static int take_json(struct perf_options *options, const char *option, const char *text, struct perf_error *error) {
    return take_name(&options->json, option, text, error);
}

static int take_word(struct perf_options *options, const char *option, const char *text, struct perf_error *error) {
    enum perf_measured measured = strcmp(option, "--calls") == 0 ? PERF_CALLS : PERF_PLAN;
    (void)text;
    if (strcmp(option, "--list") == 0) {
        options->list = 1;
    } else if (strcmp(option, "--goals") == 0) {
        options->goals = 1;
    } else if (strcmp(option, "--build-ahead") == 0) {
        options->build_ahead = 1;
    } else {
        if (options->measured != PERF_FILL && options->measured != measured)
            return perf_usage(error, "--calls and --plan are given together, expected one of them");
        options->measured = measured;
    }
    return PERF_OK;
}

/* ---- the table -------------------------------------------------------------------------------------------------- */

enum value { NO_VALUE, ONE_VALUE, A_LIST };

static const struct option {
    const char *name;
    enum value value;
    unsigned of, given;
    taker take;
    const char *metavar, *help;
} table[] = {
    {"k", A_LIST, PERF_OF_HISTOGRAM, PERF_GIVEN_K, take_k, "LIST", "numbers of bins; default: 100,1000"},
    {"bins", A_LIST, PERF_OF_HISTOGRAM, PERF_GIVEN_BINS, take_bins, "LIST",
     "families: worst, random, almost, decades (edges from 1e-30 to 1e30), equal, normal,\n"
     "exponential, lognormal (equal parts of that distribution), or all;\n"
     "default: worst,random,almost, and equal for integers (which have no other)"},
    {"h", A_LIST, PERF_OF_HISTOGRAM, PERF_GIVEN_H, take_h, "LIST",
     "h_min (worst, random) or h_v (almost); default: 0.1,0.01,0.001"},
    {"data", A_LIST, PERF_OF_HISTOGRAM, PERF_GIVEN_DATA, take_data, "LIST",
     "shapes: uniform, narrow, onebin, sorted, eachbin (each bin as often), lognormal, or\n"
     "all; default: the first four"},
    {"dtype", A_LIST, PERF_OF_HISTOGRAM, PERF_GIVEN_DTYPE, take_dtype, "LIST",
     "types: f32 (the default), f64, i32, u8"},
    {"methods", A_LIST, PERF_OF_HISTOGRAM, PERF_GIVEN_METHODS, take_method, "LIST",
     "the library's methods, or all; default: auto,mesh,binary"},
    {"calls", NO_VALUE, PERF_OF_HISTOGRAM, 0, take_word, NULL,
     "small fills with a ready plan on one thread, beside a plain loop in C; default:\n"
     "--n 100,1000,10000 --bins random --h 0.01 --data uniform --methods auto"},
    {"plan", NO_VALUE, PERF_OF_HISTOGRAM, 0, take_word, NULL,
     "the making of plans; default: --k 1000,1000000 --h 0.0001\n"
     "--bins worst,random,almost,decades --threads 1 --methods auto"},
    {"jobs", A_LIST, PERF_OF_RUNTIME, 0, take_job, "LIST",
     "launch, copy, copy-usm, fill, event, build, disk, memory, or all (the default)"},
    {"batch", ONE_VALUE, PERF_OF_RUNTIME, 0, take_batch, "N",
     "jobs that are submitted and timed at once, before they are waited for; default: 100.\n"
     "With more than 127 in flight a queue waits for the device"},
    {"build-ahead", NO_VALUE, PERF_OF_RUNTIME, 0, take_word, NULL,
     "only build the modules that disk loads: what another process does before"},
    {"only", A_LIST, PERF_OF_TABLES, 0, take_table, "LIST", "tables, such as I,II,XIII; default: all"},
    {"out", ONE_VALUE, PERF_OF_TABLES, 0, take_out, "DIR",
     "folder for tables.md, tables.json, tables.gp and tables.png, made if need be;\n"
     "default: unihist-tables"},
    {"device", ONE_VALUE, PERF_OF_HISTOGRAM | PERF_OF_RUNTIME | PERF_OF_TABLES, 0, take_device, "NAME",
     "a device as unihist devices lists it; default: cpu, of runtime the first GPU, or\n"
     "cpu. tables: all takes each device that is no tile"},
    {"n", A_LIST, PERF_OF_ROWS | PERF_OF_HISTOGRAM | PERF_OF_TABLES, PERF_GIVEN_N, take_n, "LIST",
     "elements: numbers, large (four times the last-level cache, at most a quarter of the\n"
     "memory) or cache (a quarter of that cache); default: of histogram large, of others\n"
     "as the manual tells"},
    {"threads", A_LIST, PERF_OF_HISTOGRAM | PERF_OF_TABLES, PERF_GIVEN_THREADS, take_threads, "LIST",
     "threads of the host; default: OMP_NUM_THREADS, or one a core"},
    {"peers", A_LIST, PERF_OF_ROWS | PERF_OF_HISTOGRAM | PERF_OF_TABLES, PERF_GIVEN_PEERS, take_peer, "LIST",
     "other libraries in the same rounds, one thread each: numpy, boost, gsl, upper_bound,\n"
     "... (programs in the folder \"peers\" beside this one, or in UNIHIST_PERF_PEERS), all\n"
     "or none; default: the operation's own, of histogram none"},
    {"peer-timeout", ONE_VALUE, PERF_OF_ROWS | PERF_OF_HISTOGRAM | PERF_OF_TABLES, 0, take_timeout, "S",
     "seconds a peer may take for an answer; default: 600"},
    {"goals", NO_VALUE, PERF_OF_ALL & ~(unsigned)PERF_OF_TABLES, 0, take_word, NULL,
     "measure what has a floor or a goal, say whether each is met, and fail where a floor\n"
     "is missed"},
    {"min-time", ONE_VALUE, PERF_OF_ALL, 0, take_min_time, "S",
     "seconds each measurement lasts at least, in at least five repetitions; default: 1,\n"
     "with --goals 0.5"},
    {"json", ONE_VALUE, PERF_OF_ALL, 0, take_json, "FILE", "also write the results in Google Benchmark's JSON format"},
    {"list", NO_VALUE, PERF_OF_ALL, 0, take_word, NULL, "name what would be measured, and measure nothing"},
};
#define TABLE_COUNT (sizeof table / sizeof *table)

void perf_options_help(unsigned of) {
    for (size_t i = 0; i < TABLE_COUNT; i++) {
        char name[32];
        if (!(table[i].of & of))
            continue;
        snprintf(name, sizeof name, "--%s %s", table[i].name, table[i].metavar ? table[i].metavar : "");
        for (const char *line = table[i].help; line;) {
            const char *end = strchr(line, '\n');
            printf("  %-19s %.*s\n", line == table[i].help ? name : "", (int)(end ? end - line : (long)strlen(line)),
                   line);
            line = end ? end + 1 : NULL;
        }
    }
    printf("  %-19s show this help\n", "-h, --help");
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
            status = row->take(options, option, part, error);
        part = comma ? comma + 1 : NULL;
    }
    free(copy);
    return status;
}

/* A second list replaces the first. */
static void forget(struct perf_options *options, const struct option *row) {
    struct perf_numbers *numbers = row->take == take_k         ? &options->k
                                   : row->take == take_h       ? &options->h
                                   : row->take == take_n       ? &options->n
                                   : row->take == take_threads ? &options->threads
                                                               : NULL;
    if (numbers)
        numbers->count = 0;
    options->bins = row->take == take_bins ? 0 : options->bins;
    options->data = row->take == take_data ? 0 : options->data;
    options->dtypes = row->take == take_dtype ? 0 : options->dtypes;
    options->jobs = row->take == take_job ? 0 : options->jobs;
    options->method_count = row->take == take_method ? 0 : options->method_count;
    if (row->take == take_peer)
        options->peer_count = 0;
    options->all_peers = row->take == take_peer ? 0 : options->all_peers;
    if (row->take == take_table)
        memset(options->wanted, 0, sizeof options->wanted);
}

static const struct option *find_option(const char *name, size_t length, unsigned of) {
    for (size_t i = 0; i < TABLE_COUNT; i++)
        if (strlen(table[i].name) == length && strncmp(table[i].name, name, length) == 0 && (table[i].of & of))
            return &table[i];
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
        return perf_usage(error, "'%s' is not expected, all is told by options; see --help", text);
    const struct option *row = text[1] == '-' ? find_option(text + 2, length - 2, of) : NULL;
    if (!row)
        return perf_usage(error, "%.*s is not an option of this operation; see --help", (int)length, text);
    snprintf(option, sizeof option, "--%s", row->name);
    if (row->value == NO_VALUE)
        return equals ? perf_usage(error, "%s takes no value; see --help", option)
                      : row->take(options, option, NULL, error);
    if (!equals && *index + 1 == argc)
        return perf_usage(error, "%s needs a value; see --help", option);
    const char *value = equals ? equals + 1 : argv[++*index];
    options->given |= row->given;
    forget(options, row);
    return row->value == A_LIST ? take_list(options, row, option, value, error)
                                : row->take(options, option, value, error);
}

/* Measurements that are not of arrays, and goals, refuse what means nothing to them. */
static int check_together(const struct perf_options *options, struct perf_error *error) {
    static const struct {
        enum perf_given given;
        const char *option;
        int goals, calls, plan; /* not 0: refused there */
    } refused[] = {{PERF_GIVEN_K, "--k", 1, 0, 0},
                   {PERF_GIVEN_H, "--h", 1, 0, 0},
                   {PERF_GIVEN_BINS, "--bins", 1, 0, 0},
                   {PERF_GIVEN_METHODS, "--methods", 1, 0, 0},
                   {PERF_GIVEN_DATA, "--data", 1, 0, 1},
                   {PERF_GIVEN_DTYPE, "--dtype", 1, 1, 0},
                   {PERF_GIVEN_THREADS, "--threads", 1, 1, 0},
                   {PERF_GIVEN_N, "--n", 0, 0, 1},
                   {PERF_GIVEN_PEERS, "--peers", 0, 1, 1}};
    const int calls = options->measured == PERF_CALLS, plan = options->measured == PERF_PLAN;
    const char *mode = options->goals ? "--goals" : calls ? "--calls" : "--plan";
    if (options->goals && (calls || plan))
        return perf_usage(error, "--goals is given with %s, but has cases of its own", calls ? "--calls" : "--plan");
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if ((options->given & refused[i].given) &&
            ((options->goals && refused[i].goals) || (calls && refused[i].calls) || (plan && refused[i].plan)))
            return perf_usage(error, "%s is given with %s, to which it means nothing", refused[i].option, mode);
    return PERF_OK;
}

/* Only histograms have lists of lengths, or words for them. */
static int check_n(const struct perf_options *options, unsigned of, struct perf_error *error) {
    if (options->n.count > 1 && (options->goals || !(of & PERF_OF_HISTOGRAM)))
        return perf_usage(error, "--n is a list, expected one number");
    for (size_t i = 0; i < options->n.count; i++)
        if (options->n.value[i] < 1 && (options->goals || options->measured == PERF_CALLS || of != PERF_OF_HISTOGRAM))
            return perf_usage(error, "--n has a word, expected a number");
    if ((of & PERF_OF_TABLES) && options->threads.count > 1)
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
                                     .method_count = 3,
                                     .method = {UH_METHOD_AUTO, UH_METHOD_MESH, UH_METHOD_BINARY},
                                     .peer_timeout = 600,
                                     .jobs = (1U << PERF_JOB_RELAUNCH) - 1,
                                     .batch = 100,
                                     .out = "unihist-tables",
                                     .min_time = -1};
    int status = PERF_OK;
    for (size_t i = 0; i < PAPER_TABLES; i++)
        options->wanted[i] = 1;
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
