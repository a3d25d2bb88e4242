/* SPDX-License-Identifier: Apache-2.0 */
#include "perf/options.h"

#include "perf/bench.h"
#include "perf/jobs_runtime.h"
#include "perf/peers_list.h"
#include "tests/cases_histogram.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum value { NO_VALUE, ONE_VALUE, A_LIST };
enum { GOALS = 1, CALLS = 2, PLAN = 4, PAPER = 8 };

struct option {
    const char *name;
    enum value value;
    unsigned of, given;
    /* Takes the text, or one part of a list; `option` is the name with its dashes. */
    int (*take)(struct perf_options *options, const struct option *row, const char *option, const char *text,
                struct perf_error *error);
    size_t at, size; /* of what it sets in the options; a second list begins there anew */
    const char *metavar, *help;
    double low, high; /* of numbers */
    int whole;
    const char *(*word)(unsigned index); /* of take_words: what stands for a bit; NULL at the end */
    unsigned not_with;                   /* bits of what it means nothing to */
};

static void *field_of(struct perf_options *options, const struct option *row) {
    return (char *)options + row->at;
}

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

/* ---- values ----------------------------------------------------------------------------------------------------- */

static int take_number(struct perf_options *options, const struct option *row, const char *option, const char *text,
                       struct perf_error *error) {
    return read_number(option, text, row->low, row->high, row->whole, field_of(options, row), error);
}

static int add_number(struct perf_numbers *numbers, double value) {
    for (size_t i = 0; i < numbers->count; i++)
        if (!(numbers->value[i] < value || numbers->value[i] > value))
            return PERF_OK;
    numbers->value[numbers->count++] = value;
    return PERF_OK;
}

static int take_numbers(struct perf_options *options, const struct option *row, const char *option, const char *text,
                        struct perf_error *error) {
    double number = 0;
    int status = read_number(option, text, row->low, row->high, row->whole, &number, error);
    return status == PERF_OK ? add_number(field_of(options, row), number) : status;
}

static int take_n(struct perf_options *options, const struct option *row, const char *option, const char *text,
                  struct perf_error *error) {
    if (strcmp(text, "large") == 0)
        return add_number(&options->n, PERF_N_LARGE);
    if (strcmp(text, "cache") == 0)
        return add_number(&options->n, PERF_N_CACHE);
    if (take_numbers(options, row, option, text, error) == PERF_OK)
        return PERF_OK;
    return perf_usage(error, "%s is '%s', expected large, cache or a whole number from 1 to %.10g", option, text,
                      row->high);
}

static const char *bins_word(unsigned index) {
    return index < CASE_BINS_COUNT ? case_bins_name((enum case_bins)index) : NULL;
}

static const char *data_word(unsigned index) {
    return index < CASE_DATA_COUNT ? case_data_name((enum case_data)index) : NULL;
}

static const char *job_word(unsigned index) {
    return index < PERF_JOB_COUNT ? perf_job_name((enum perf_job)index) : NULL;
}

static const char *method_word(unsigned index) {
    return uh_enum_name(UH_ENUM_METHOD, index);
}

/* Types of histograms; "" are the others. */
static const char *dtype_word(unsigned index) {
    static const char *const names[] = {[UH_F32] = "f32", [UH_F64] = "f64", [UH_I32] = "i32", [UH_U8] = "u8"};
    return index >= sizeof names / sizeof *names ? NULL : names[index] ? names[index] : "";
}

/* Sets the bits of a word. */
static int take_words(struct perf_options *options, const struct option *row, const char *option, const char *text,
                      struct perf_error *error) {
    const int all = strcmp(text, "all") == 0;
    unsigned found = 0;
    char words[256] = "";
    for (unsigned i = 0; row->word(i); i++) {
        const size_t length = strlen(words);
        snprintf(words + length, sizeof words - length, *row->word(i) ? "%s, " : "%s", row->word(i));
        found |= *row->word(i) && (all || strcasecmp(text, row->word(i)) == 0) ? 1U << i : 0;
    }
    *(unsigned *)field_of(options, row) |= found;
    return found ? PERF_OK : perf_usage(error, "%s has '%s', expected %sor all", option, text, words);
}

static int take_peer(struct perf_options *options, const struct option *row, const char *option, const char *text,
                     struct perf_error *error) {
    char known[512];
    size_t i = 0;
    (void)row;
    if (strcmp(text, "all") == 0)
        options->peers.all = 1;
    if (strcmp(text, "all") == 0 || strcmp(text, "none") == 0)
        return PERF_OK;
    if (!perf_peers_known(text, known, sizeof known))
        return perf_usage(error, "%s has '%s', expected %sa program in the folder of peers, all or none", option, text,
                          known);
    while (i < options->peers.count && strcmp(options->peers.name[i], text) != 0)
        i++;
    snprintf(options->peers.name[i], sizeof options->peers.name[i], "%s", text);
    options->peers.count += i == options->peers.count;
    return PERF_OK;
}

static int take_name(struct perf_options *options, const struct option *row, const char *option, const char *text,
                     struct perf_error *error) {
    *(const char **)field_of(options, row) = text;
    return *text ? PERF_OK : perf_usage(error, "%s is empty, expected a name", option);
}

static int take_flag(struct perf_options *options, const struct option *row, const char *option, const char *text,
                     struct perf_error *error) {
    (void)option;
    (void)text;
    (void)error;
    *(int *)field_of(options, row) = 1;
    return PERF_OK;
}

static int take_measured(struct perf_options *options, const struct option *row, const char *option, const char *text,
                         struct perf_error *error) {
    const enum perf_measured measured = strcmp(option, "--calls") == 0 ? PERF_CALLS : PERF_PLAN;
    (void)row;
    (void)text;
    if (options->measured != PERF_FILL && options->measured != measured)
        return perf_usage(error, "--calls and --plan are given together, expected one of them");
    options->measured = measured;
    return PERF_OK;
}

/* ---- the rows --------------------------------------------------------------------------------------------------- */

#define FIELD(member) offsetof(struct perf_options, member), sizeof((struct perf_options *)NULL)->member

static const struct option table[] = {
    {"k", A_LIST, PERF_OF_HISTOGRAM, PERF_GIVEN_K, take_numbers, FIELD(k), "LIST",
     .help = "numbers of bins; default: 100,1000", .low = 1, .high = (double)UH_MAX_BINS, .whole = 1,
     .not_with = GOALS | PAPER},
    {"bins", A_LIST, PERF_OF_HISTOGRAM, PERF_GIVEN_BINS, take_words, FIELD(bins), "LIST",
     .help = "families: worst, random, almost, decades (edges from 1e-30 to 1e30), equal, normal,\n"
             "exponential, lognormal (equal parts of that distribution), or all;\n"
             "default: worst,random,almost, and equal for integers (which have no other)",
     .word = bins_word, .not_with = GOALS},
    {"h", A_LIST, PERF_OF_HISTOGRAM, PERF_GIVEN_H, take_numbers, FIELD(h), "LIST",
     .help = "the h_min of worst and random, the h_v of almost; default: 0.1,0.01,0.001", .low = 1e-30, .high = 1000,
     .not_with = GOALS | PAPER},
    {"data", A_LIST, PERF_OF_HISTOGRAM, PERF_GIVEN_DATA, take_words, FIELD(data), "LIST",
     .help = "shapes: uniform, narrow, onebin, sorted, eachbin (each bin as often), lognormal, or\n"
             "all; default: the first four",
     .word = data_word, .not_with = GOALS | PAPER | PLAN},
    {"dtype", A_LIST, PERF_OF_HISTOGRAM, PERF_GIVEN_DTYPE, take_words, FIELD(dtypes), "LIST",
     .help = "types: f32 (the default), f64, i32, u8", .word = dtype_word, .not_with = GOALS | PAPER | CALLS},
    {"methods", A_LIST, PERF_OF_HISTOGRAM, PERF_GIVEN_METHODS, take_words, FIELD(methods), "LIST",
     .help = "the library's methods, or all; default: auto,mesh,binary", .word = method_word,
     .not_with = GOALS | PAPER},
    {"calls", NO_VALUE, PERF_OF_HISTOGRAM, 0, take_measured, FIELD(measured), NULL,
     .help = "small fills with a ready plan on one thread, compared with a plain loop in C; default:\n"
             "--n 100,1000,10000 --bins random --h 0.01 --data uniform --methods auto"},
    {"plan", NO_VALUE, PERF_OF_HISTOGRAM, 0, take_measured, FIELD(measured), NULL,
     .help = "the making of plans; default: --k 1000,1000000 --h 0.0001\n"
             "--bins worst,random,almost,decades --threads 1 --methods auto"},
    {"jobs", A_LIST, PERF_OF_RUNTIME, 0, take_words, FIELD(jobs), "LIST",
     .help = "launch, copy, event, or all (the default)", .word = job_word},
    {"batch", ONE_VALUE, PERF_OF_RUNTIME, 0, take_number, FIELD(batch), "N",
     .help = "jobs that are submitted and timed at once, before they are waited for; default: 100;\n"
             "with more than 127 in flight a queue waits for the device",
     .low = 1, .high = PERF_JOB_BATCH_MAX, .whole = 1},
    {"operations", A_LIST, PERF_OF_TUNE, 0, take_words, FIELD(operations), "LIST",
     .help = "operations that are tuned, such as histogram,random; default: all", .word = perf_tune_operation},
    {"paper", NO_VALUE, PERF_OF_HISTOGRAM | PERF_OF_SAMPLE, 0, take_flag, FIELD(paper), NULL,
     .help = "only what tables I to XIII of the UNIHIST paper show, with NumPy working on all values;\n"
             "perf/paper/tables.py puts it into the paper's tables"},
    {"device", ONE_VALUE, PERF_OF_ALL, PERF_GIVEN_DEVICE, take_name, FIELD(device), "NAME",
     .help = "a device as unihist devices lists it; default: cpu, of runtime and experiments the first\n"
             "GPU, or cpu, of tune the first GPU; all is each device that is no tile"},
    {"n", A_LIST, PERF_OF_ROWS | PERF_OF_HISTOGRAM | PERF_OF_TUNE, PERF_GIVEN_N, take_n, FIELD(n), "LIST",
     .help = "elements: numbers, large (four times the last-level cache, at most a quarter of the\n"
             "memory) or cache (a quarter of that cache); default: of histogram large, of others\n"
             "as the manual tells",
     .low = 1, .high = PERF_N_MAX, .whole = 1, .not_with = PLAN},
    {"threads", A_LIST, PERF_OF_HISTOGRAM | PERF_OF_SAMPLE | PERF_OF_EXPERIMENTS, PERF_GIVEN_THREADS, take_numbers,
     FIELD(threads), "LIST",
     .help = "threads of the host, of sample with --paper alone; default: OMP_NUM_THREADS, or one a\n"
             "core, of experiments one",
     .low = 1, .high = 4096 /* the most of uh_queue_create */, .whole = 1, .not_with = GOALS | CALLS},
    {"peers", A_LIST, PERF_OF_ROWS | PERF_OF_HISTOGRAM, PERF_GIVEN_PEERS, take_peer, FIELD(peers), "LIST",
     .help = "other libraries in the same rounds, one thread each: numpy, boost, gsl, upper_bound,\n"
             "... (programs in the folder \"peers\" next to this one, or in UNIHIST_PERF_PEERS), all\n"
             "or none; default: the operation's own, of histogram none",
     .not_with = CALLS | PLAN},
    {"peer-timeout", ONE_VALUE, PERF_OF_ROWS | PERF_OF_HISTOGRAM | PERF_OF_EXPERIMENTS, 0, take_number,
     FIELD(peer_timeout), "S", .help = "seconds a peer may take for an answer; default: 600", .low = 0.001,
     .high = 86400},
    {"goals", NO_VALUE, PERF_OF_ALL & ~(unsigned)(PERF_OF_EXPERIMENTS | PERF_OF_TUNE), 0, take_flag, FIELD(goals), NULL,
     .help = "measure what has a floor or a goal, say whether each is met, and fail where a floor\n"
             "is missed"},
    {"min-time", ONE_VALUE, PERF_OF_ALL, PERF_GIVEN_MIN_TIME, take_number, FIELD(min_time), "S",
     .help = "seconds each measurement lasts at least, in at least five repetitions; default: 1,\n"
             "with --goals 0.5",
     .low = 0, .high = 3600},
    {"json", ONE_VALUE, PERF_OF_ALL, PERF_GIVEN_JSON, take_name, FIELD(json), "FILE",
     .help = "also write the results in Google Benchmark's JSON format"},
    {"list", NO_VALUE, PERF_OF_ALL, 0, take_flag, FIELD(list), NULL,
     .help = "name what would be measured, and measure nothing"},
};
static const size_t table_count = sizeof table / sizeof *table;

/* ---- help ------------------------------------------------------------------------------------------------------- */

/* As the command's help prints its options: the manual is made of it (api/cli/man/man.awk). */
void perf_options_help(unsigned of) {
    puts("Options:");
    for (size_t i = 0; i < table_count; i++) {
        const struct option *row = &table[i];
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
    for (size_t i = 0; i < table_count; i++) {
        const struct option *row = &table[i];
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
        memset(field_of(options, row), 0, row->size);
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
    for (size_t i = 0; i < table_count; i++)
        for (size_t j = 0; j < sizeof modes / sizeof *modes; j++) {
            const struct option *row = &table[i];
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
