/* SPDX-License-Identifier: Apache-2.0 */
#include "perf/settings_histogram.h"

#include <stdio.h>
#include <string.h>

static const char help[] =
    "Usage: unihist-perf histogram [OPTION...]\n"
    "       unihist-perf histogram --calls | --plan | --goals [OPTION...]\n"
    "Measure histograms. By default: the workload of the paper's section V (float32 on (0, 1000); k = 100 and\n"
    "1000; h = 0.1, 0.01 and 0.001; three families of bins) and three more shapes of data. LISTs have commas\n"
    "between their items. Cases that make no sense, or whose h does not fit, are left out and named.\n\n"
    "  --k LIST            numbers of bins; default: 100,1000\n"
    "  --bins LIST         families: worst, random, almost, decades (edges from 1e-30 to 1e30), equal, normal,\n"
    "                      exponential, lognormal (equal parts of that distribution), or all;\n"
    "                      default: worst,random,almost, and equal for integers (which have no other)\n"
    "  --h LIST            h_min (worst, random) or h_v (almost); default: 0.1,0.01,0.001\n"
    "  --data LIST         shapes: uniform, narrow, onebin, sorted, eachbin (each bin as often), lognormal, or\n"
    "                      all; default: the first four\n"
    "  --dtype LIST        types: f32 (the default), f64, i32, u8\n"
    "  --methods LIST      the library's methods, or all; default: auto,mesh,binary\n" PERF_PEER_HELP
    "  --n LIST            elements of the array: numbers, large (the default: four times the last-level cache,\n"
    "                      at most a quarter of the memory) or cache (a quarter of the last-level cache)\n"
    "  --threads LIST      threads; default: OMP_NUM_THREADS, or one a core\n\n"
    "  --calls             measure small fills with a ready plan on one thread, beside a plain loop in C;\n"
    "                      default: --n 100,1000,10000 --bins random --h 0.01 --data uniform --methods auto\n"
    "  --plan              measure the making of plans; default: --k 1000,1000000 --h 0.0001\n"
    "                      --bins worst,random,almost,decades --threads 1 --methods auto\n"
    "  --goals             measure the cases that have a goal, print each goal and whether it is met, and fail\n"
    "                      where a floor is missed; takes --n (a number), --min-time (default: 0.5), --json\n\n" //
    PERF_OPTION_HELP;

void perf_histogram_help(void) {
    fputs(help, stdout);
}

const char *perf_histogram_dtype_name(uh_dtype dtype) {
    switch (dtype) {
    case UH_F32: return "f32";
    case UH_F64: return "f64";
    case UH_I32: return "i32";
    case UH_U8: return "u8";
    default: return NULL;
    }
}

/* ---- the options ------------------------------------------------------------------------------------------------ */

enum {
    OPTION_K = PERF_OPTION_OWN,
    OPTION_BINS,
    OPTION_H,
    OPTION_DATA,
    OPTION_DTYPE,
    OPTION_METHODS,
    OPTION_PEERS,
    OPTION_PEER_TIMEOUT,
    OPTION_CALLS,
    OPTION_PLAN,
    OPTION_GOALS,
    OPTION_END
};

static const struct option option_rows[] = {{"k", required_argument, NULL, OPTION_K},
                                            {"bins", required_argument, NULL, OPTION_BINS},
                                            {"h", required_argument, NULL, OPTION_H},
                                            {"data", required_argument, NULL, OPTION_DATA},
                                            {"dtype", required_argument, NULL, OPTION_DTYPE},
                                            {"methods", required_argument, NULL, OPTION_METHODS},
                                            {"peers", required_argument, NULL, OPTION_PEERS},
                                            {"peer-timeout", required_argument, NULL, OPTION_PEER_TIMEOUT},
                                            {"calls", no_argument, NULL, OPTION_CALLS},
                                            {"plan", no_argument, NULL, OPTION_PLAN},
                                            {"goals", no_argument, NULL, OPTION_GOALS},
                                            PERF_OPTION_ARRAY_ROWS,
                                            PERF_OPTION_ROWS};

/* What was given, by its code. */
struct given {
    unsigned char option[OPTION_END];
};

static void want_all(int *wanted, int count) {
    for (int i = 0; i < count; i++)
        wanted[i] = 1;
}

static int take_bins(const char *option, const char *text, void *user, struct perf_error *error) {
    int *wanted = user;
    enum case_bins family;
    if (strcmp(text, "all") == 0)
        want_all(wanted, CASE_BINS_COUNT);
    else if (case_bins_from_name(text, &family))
        return perf_usage(
            error, "%s has '%s', expected worst, random, almost, decades, equal, normal, exponential, lognormal or all",
            option, text);
    else
        wanted[family] = 1;
    return PERF_OK;
}

static int take_data(const char *option, const char *text, void *user, struct perf_error *error) {
    int *wanted = user;
    enum case_data shape;
    if (strcmp(text, "all") == 0)
        want_all(wanted, CASE_DATA_COUNT);
    else if (case_data_from_name(text, &shape))
        return perf_usage(error, "%s has '%s', expected uniform, narrow, onebin, sorted, eachbin, lognormal or all",
                          option, text);
    else
        wanted[shape] = 1;
    return PERF_OK;
}

static int take_dtype(const char *option, const char *text, void *user, struct perf_error *error) {
    int *wanted = user;
    uh_dtype dtype;
    if (uh_dtype_from_name(text, &dtype) || !perf_histogram_dtype_name(dtype))
        return perf_usage(error, "%s has '%s', expected f32, f64, i32 or u8", option, text);
    wanted[dtype] = 1;
    return PERF_OK;
}

static void add_method(struct histogram_settings *settings, uh_method method) {
    for (size_t i = 0; i < settings->method_count; i++)
        if (settings->method[i] == method)
            return;
    if (settings->method_count < PERF_LIST_MAX)
        settings->method[settings->method_count++] = method;
}

static int take_method(const char *option, const char *text, void *user, struct perf_error *error) {
    uh_method method;
    if (strcmp(text, "all") == 0)
        for (int i = 0; uh_method_name((uh_method)i); i++)
            add_method(user, (uh_method)i);
    else if (uh_method_from_name(text, &method))
        return perf_usage(error, "%s has '%s': %s", option, text, uh_last_error());
    else
        add_method(user, method);
    return PERF_OK;
}

static void add_number(struct perf_numbers *numbers, double value) {
    for (size_t i = 0; i < numbers->count; i++)
        if (!(numbers->value[i] < value || numbers->value[i] > value))
            return;
    numbers->value[numbers->count++] = value;
}

static int take_n(const char *option, const char *text, void *user, struct perf_error *error) {
    double number;
    if (strcmp(text, "large") == 0)
        number = HISTOGRAM_N_LARGE;
    else if (strcmp(text, "cache") == 0)
        number = HISTOGRAM_N_CACHE;
    else if (perf_parse_number(option, text, 1, PERF_N_MAX, 1, &number, error) != PERF_OK)
        return perf_usage(error, "%s is '%s', expected large, cache or a whole number from 1 to %.10g", option, text,
                          PERF_N_MAX);
    add_number(user, number);
    return PERF_OK;
}

static int take_threads(const char *option, const char *text, void *user, struct perf_error *error) {
    double number;
    int status = perf_parse_number(option, text, 1, PERF_THREADS_MAX, 1, &number, error);
    if (status == PERF_OK)
        add_number(user, number);
    return status;
}

static int take_measure(struct histogram_settings *settings, enum histogram_measure measure, struct perf_error *error) {
    if (settings->measure != HISTOGRAM_FILL && settings->measure != measure)
        return perf_usage(error, "--calls, --plan and --goals are given together, expected one of them");
    settings->measure = measure;
    return PERF_OK;
}

static int take_option(struct histogram_settings *settings, int code, char **argv, struct perf_error *error) {
    switch (code) {
    case OPTION_K: return perf_parse_numbers("--k", optarg, 1, (double)UH_MAX_BINS, 1, &settings->k, error);
    case OPTION_H: return perf_parse_numbers("--h", optarg, 1e-30, 1000, 0, &settings->h, error);
    case OPTION_BINS:
        memset(settings->bins, 0, sizeof settings->bins);
        settings->bins_chosen = 1;
        return perf_parse_list("--bins", optarg, take_bins, settings->bins, error);
    case OPTION_DATA:
        memset(settings->data, 0, sizeof settings->data);
        return perf_parse_list("--data", optarg, take_data, settings->data, error);
    case OPTION_DTYPE:
        memset(settings->dtypes, 0, sizeof settings->dtypes);
        return perf_parse_list("--dtype", optarg, take_dtype, settings->dtypes, error);
    case OPTION_METHODS:
        settings->method_count = 0;
        return perf_parse_list("--methods", optarg, take_method, settings, error);
    case OPTION_PEERS: return perf_peers_take(optarg, &settings->peers, error);
    case OPTION_PEER_TIMEOUT:
        return perf_parse_number("--peer-timeout", optarg, 0.001, 86400, 0, &settings->peers.timeout, error);
    case PERF_OPTION_N: settings->n.count = 0; return perf_parse_list("--n", optarg, take_n, &settings->n, error);
    case PERF_OPTION_THREADS:
        settings->threads.count = 0;
        return perf_parse_list("--threads", optarg, take_threads, &settings->threads, error);
    case OPTION_CALLS: return take_measure(settings, HISTOGRAM_CALLS, error);
    case OPTION_PLAN: return take_measure(settings, HISTOGRAM_PLAN, error);
    case OPTION_GOALS: return take_measure(settings, HISTOGRAM_GOALS, error);
    default: return perf_take_option(&settings->common, code, argv, error);
    }
}

/* ---- what the kinds of measurement differ in -------------------------------------------------------------------- */

static int refuse(const struct given *given, int code, const char *option, const char *mode, const char *why,
                  struct perf_error *error) {
    return given->option[code] ? perf_usage(error, "%s is given with %s, which %s", option, mode, why) : PERF_OK;
}

static int check_goals(const struct histogram_settings *settings, const struct given *given, struct perf_error *error) {
    static const struct {
        int code;
        const char *name;
    } others[] = {{OPTION_K, "--k"},
                  {OPTION_BINS, "--bins"},
                  {OPTION_H, "--h"},
                  {OPTION_DATA, "--data"},
                  {OPTION_DTYPE, "--dtype"},
                  {OPTION_METHODS, "--methods"},
                  {PERF_OPTION_THREADS, "--threads"}};
    int status = PERF_OK;
    for (size_t i = 0; status == PERF_OK && i < sizeof others / sizeof *others; i++)
        status = refuse(given, others[i].code, others[i].name, "--goals", "has cases of its own", error);
    if (status == PERF_OK && given->option[PERF_OPTION_N] && (settings->n.count > 1 || settings->n.value[0] < 1))
        return perf_usage(error, "--n is a list or a word with --goals, expected one number");
    return status;
}

static int check_calls(const struct histogram_settings *settings, const struct given *given, struct perf_error *error) {
    int status = refuse(given, PERF_OPTION_THREADS, "--threads", "--calls", "measures one thread", error);
    if (status == PERF_OK)
        status = refuse(given, OPTION_DTYPE, "--dtype", "--calls", "measures f32, as the plain loop", error);
    for (size_t i = 0; status == PERF_OK && given->option[PERF_OPTION_N] && i < settings->n.count; i++)
        if (settings->n.value[i] < 1)
            status = perf_usage(error, "--n has a word with --calls, expected numbers");
    return status;
}

static int check_plan(const struct given *given, struct perf_error *error) {
    int status = refuse(given, OPTION_DATA, "--data", "--plan", "looks at no values", error);
    return status == PERF_OK ? refuse(given, PERF_OPTION_N, "--n", "--plan", "looks at no values", error) : status;
}

static void set_numbers(struct perf_numbers *numbers, const struct given *given, int code, struct perf_numbers value) {
    if (!given->option[code])
        *numbers = value;
}

/* The defaults of a measurement that is not of arrays. */
static int settle(struct histogram_settings *settings, const struct given *given, struct perf_error *error) {
    const int goals = settings->measure == HISTOGRAM_GOALS, calls = settings->measure == HISTOGRAM_CALLS;
    if (settings->measure == HISTOGRAM_FILL)
        return PERF_OK;
    int status = goals   ? check_goals(settings, given, error)
                 : calls ? check_calls(settings, given, error)
                         : check_plan(given, error);
    if (status == PERF_OK)
        status = refuse(given, OPTION_PEERS, "--peers",
                        goals   ? "--goals"
                        : calls ? "--calls"
                                : "--plan",
                        "measures no others", error);
    set_numbers(&settings->threads, given, PERF_OPTION_THREADS, (struct perf_numbers){1, {1}});
    set_numbers(&settings->h, given, OPTION_H, (struct perf_numbers){1, {calls ? 0.01 : 0.0001}});
    if (calls)
        set_numbers(&settings->n, given, PERF_OPTION_N, (struct perf_numbers){3, {100, 1000, 10000}});
    if (settings->measure == HISTOGRAM_PLAN)
        set_numbers(&settings->k, given, OPTION_K, (struct perf_numbers){2, {1000, 1e6}});
    if (!given->option[OPTION_BINS]) {
        settings->bins[CASE_WORST] = settings->bins[CASE_ALMOST] = settings->bins[CASE_DECADES] = !calls;
        settings->bins[CASE_RANDOM] = 1;
    }
    if (!given->option[OPTION_DATA]) {
        memset(settings->data, 0, sizeof settings->data);
        settings->data[CASE_UNIFORM] = 1;
    }
    if (!given->option[OPTION_METHODS])
        settings->method_count = goals ? 2 : 1; /* auto, and binary to compare with */
    if (goals) {
        settings->method[1] = UH_METHOD_BINARY;
        settings->common.min_time = given->option[PERF_OPTION_TIME] ? settings->common.min_time : 0.5;
    }
    return status;
}

int perf_histogram_settings(struct histogram_settings *settings, int argc, char **argv, struct perf_error *error) {
    *settings = (struct histogram_settings){.common = PERF_OPTIONS_DEFAULT,
                                            .k = {2, {100, 1000}},
                                            .h = {3, {0.1, 0.01, 0.001}},
                                            .n = {1, {HISTOGRAM_N_LARGE}},
                                            .threads = {1, {0}},
                                            .bins = {1, 1, 1},
                                            .data = {1, 1, 1, 1},
                                            .dtypes = {[UH_F32] = 1},
                                            .method_count = 3,
                                            .method = {UH_METHOD_AUTO, UH_METHOD_MESH, UH_METHOD_BINARY},
                                            .peers = PERF_PEER_OPTIONS_DEFAULT};
    struct given given = {{0}};
    int status = PERF_OK, code;
    opterr = 0;
    while (status == PERF_OK && (code = getopt_long(argc, argv, ":h", option_rows, NULL)) != -1) {
        status = take_option(settings, code, argv, error);
        if (code >= 0 && code < OPTION_END)
            given.option[code] = 1;
    }
    if (status == PERF_OK && !settings->common.help && optind < argc)
        status = perf_usage(error, "'%s' is not expected, all is told by options; see --help", argv[optind]);
    return status == PERF_OK && !settings->common.help ? settle(settings, &given, error) : status;
}
