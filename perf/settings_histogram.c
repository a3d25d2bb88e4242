/* SPDX-License-Identifier: Apache-2.0 */
#include "perf/settings_histogram.h"

#include <stdio.h>
#include <string.h>

static const char help[] =
    "Usage: unihist-perf histogram [OPTION...]\n"
    "Measure histograms with non-uniform bins over (0, 1000). By default: the workload of the paper's\n"
    "section V (float32; k = 100 and 1000; h = 0.1, 0.01 and 0.001; three families of bins) and three more\n"
    "shapes of data. LISTs have commas between their items.\n\n"
    "  --k LIST            numbers of bins; default: 100,1000\n"
    "  --bins LIST         families: worst, random, almost, or all (the default)\n"
    "  --h LIST            h_min (worst, random) or h_v (almost); default: 0.1,0.01,0.001\n"
    "  --data LIST         shapes: uniform, narrow, onebin, sorted, or all (the default)\n"
    "  --dtype T           f32 (the default) or f64\n"
    "  --methods LIST      the library's methods, or all; default: auto,mesh,binary\n" PERF_PEER_HELP
        PERF_OPTION_ARRAY_HELP PERF_OPTION_HELP;

void perf_histogram_help(void) {
    fputs(help, stdout);
}

enum {
    OPTION_K = PERF_OPTION_OWN,
    OPTION_BINS,
    OPTION_H,
    OPTION_DATA,
    OPTION_DTYPE,
    OPTION_METHODS,
    OPTION_PEERS,
    OPTION_PEER_TIMEOUT
};

static const struct option option_rows[] = {{"k", required_argument, NULL, OPTION_K},
                                            {"bins", required_argument, NULL, OPTION_BINS},
                                            {"h", required_argument, NULL, OPTION_H},
                                            {"data", required_argument, NULL, OPTION_DATA},
                                            {"dtype", required_argument, NULL, OPTION_DTYPE},
                                            {"methods", required_argument, NULL, OPTION_METHODS},
                                            {"peers", required_argument, NULL, OPTION_PEERS},
                                            {"peer-timeout", required_argument, NULL, OPTION_PEER_TIMEOUT},
                                            PERF_OPTION_ARRAY_ROWS,
                                            PERF_OPTION_ROWS};

static int take_bins(const char *option, const char *text, void *user, struct perf_error *error) {
    int *wanted = user;
    enum case_bins family;
    if (strcmp(text, "all") == 0) {
        for (int i = 0; i < CASE_BINS_COUNT; i++)
            wanted[i] = 1;
        return PERF_OK;
    }
    if (case_bins_from_name(text, &family))
        return perf_usage(error, "%s has '%s', expected worst, random, almost or all", option, text);
    wanted[family] = 1;
    return PERF_OK;
}

static int take_data(const char *option, const char *text, void *user, struct perf_error *error) {
    int *wanted = user;
    enum case_data shape;
    if (strcmp(text, "all") == 0) {
        for (int i = 0; i < CASE_DATA_COUNT; i++)
            wanted[i] = 1;
        return PERF_OK;
    }
    if (case_data_from_name(text, &shape))
        return perf_usage(error, "%s has '%s', expected uniform, narrow, onebin, sorted or all", option, text);
    wanted[shape] = 1;
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

static int take_dtype(const char *text, uh_dtype *dtype, struct perf_error *error) {
    uh_dtype found;
    if (uh_dtype_from_name(text, &found) || (found != UH_F32 && found != UH_F64))
        return perf_usage(error, "--dtype is '%s', expected f32 or f64", text);
    *dtype = found;
    return PERF_OK;
}

static int take_option(struct histogram_settings *settings, int code, char **argv, struct perf_error *error) {
    switch (code) {
    case OPTION_K: return perf_parse_numbers("--k", optarg, 1, (double)UH_MAX_BINS, 1, &settings->k, error);
    case OPTION_H: return perf_parse_numbers("--h", optarg, 1e-30, PERF_HISTOGRAM_RANGE, 0, &settings->h, error);
    case OPTION_BINS:
        memset(settings->bins, 0, sizeof settings->bins);
        return perf_parse_list("--bins", optarg, take_bins, settings->bins, error);
    case OPTION_DATA:
        memset(settings->data, 0, sizeof settings->data);
        return perf_parse_list("--data", optarg, take_data, settings->data, error);
    case OPTION_DTYPE: return take_dtype(optarg, &settings->dtype, error);
    case OPTION_METHODS:
        settings->method_count = 0;
        return perf_parse_list("--methods", optarg, take_method, settings, error);
    case OPTION_PEERS: return perf_peers_take(optarg, &settings->peers, error);
    case OPTION_PEER_TIMEOUT:
        return perf_parse_number("--peer-timeout", optarg, 0.001, 86400, 0, &settings->peers.timeout, error);
    default: return perf_take_option(&settings->common, code, argv, error);
    }
}

int perf_histogram_settings(struct histogram_settings *settings, int argc, char **argv, struct perf_error *error) {
    *settings = (struct histogram_settings){.common = PERF_OPTIONS_DEFAULT,
                                            .k = {2, {100, 1000}},
                                            .h = {3, {0.1, 0.01, 0.001}},
                                            .bins = {1, 1, 1},
                                            .data = {1, 1, 1, 1},
                                            .dtype = UH_F32,
                                            .method_count = 3,
                                            .method = {UH_METHOD_AUTO, UH_METHOD_MESH, UH_METHOD_BINARY},
                                            .peers = PERF_PEER_OPTIONS_DEFAULT};
    int status = PERF_OK, code;
    opterr = 0;
    while (status == PERF_OK && (code = getopt_long(argc, argv, ":h", option_rows, NULL)) != -1)
        status = take_option(settings, code, argv, error);
    if (status == PERF_OK && !settings->common.help && optind < argc)
        status = perf_usage(error, "'%s' is not expected, all is told by options; see --help", argv[optind]);
    return status;
}
