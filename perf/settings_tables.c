/* SPDX-License-Identifier: Apache-2.0 */
#include "perf/settings_tables.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

static const char help[] =
    "Usage: unihist-perf tables [OPTION...]\n"
    "Measure what tables I to XIII of the UNIHIST paper show, on this machine, and print it beside the paper's\n"
    "figures: numpy.histogram, the methods binary, mesh (the paper's UNIHIST) and auto; of table XIII\n"
    "numpy.random.Generator.choice and the sampler's methods. Every count and sample is checked.\n\n"
    "  --device NAME       a device as unihist devices lists it, or all that are no tiles; default: cpu\n"
    "  --only LIST         tables, such as I,II,XIII; default: all\n"
    "  --out DIR           folder for tables.md, tables.json, tables.gp and tables.png, made if need be;\n"
    "                      default: unihist-tables\n"
    "  --n N               values; default: four times the last-level cache, 16 to 64 Mi (GPU: 256 Mi), and at\n"
    "                      most a quarter of the memory; samples of table XIII: as in the paper\n"
    "  --threads T         threads of the host; default: OMP_NUM_THREADS, or one a core\n" PERF_OPTION_HELP
    "numpy.histogram is the peer numpy of unihist-perf histogram, Generator.choice the peer numpy_choice.\n";

void perf_tables_help(void) {
    fputs(help, stdout);
}

enum { OPTION_DEVICE = PERF_OPTION_OWN, OPTION_ONLY, OPTION_OUT };

static const struct option option_rows[] = {{"device", required_argument, NULL, OPTION_DEVICE},
                                            {"only", required_argument, NULL, OPTION_ONLY},
                                            {"out", required_argument, NULL, OPTION_OUT},
                                            PERF_OPTION_ARRAY_ROWS,
                                            PERF_OPTION_ROWS};

static int take_table(const char *option, const char *text, void *user, struct perf_error *error) {
    int *wanted = user;
    for (size_t i = 0; i < PAPER_TABLES; i++)
        if (strcasecmp(text, paper_number(i)) == 0) {
            wanted[i] = 1;
            return PERF_OK;
        }
    return perf_usage(error, "%s has '%s', expected numbers from I to XIII", option, text);
}

static int take_text(const char *option, const char *what, const char **text, struct perf_error *error) {
    *text = optarg;
    return *optarg ? PERF_OK : perf_usage(error, "%s is empty, expected %s", option, what);
}

static int take_option(struct tables_settings *settings, int code, char **argv, struct perf_error *error) {
    switch (code) {
    case OPTION_DEVICE: return take_text("--device", "a device or all", &settings->device, error);
    case OPTION_OUT: return take_text("--out", "the name of a folder", &settings->out, error);
    case OPTION_ONLY:
        memset(settings->wanted, 0, sizeof settings->wanted);
        return perf_parse_list("--only", optarg, take_table, settings->wanted, error);
    default: return perf_take_option(&settings->common, code, argv, error);
    }
}

int perf_tables_settings(struct tables_settings *settings, int argc, char **argv, struct perf_error *error) {
    *settings = (struct tables_settings){.common = PERF_OPTIONS_DEFAULT, .device = "cpu", .out = "unihist-tables"};
    for (size_t i = 0; i < PAPER_TABLES; i++)
        settings->wanted[i] = 1;
    int status = PERF_OK, code;
    opterr = 0;
    while (status == PERF_OK && (code = getopt_long(argc, argv, ":h", option_rows, NULL)) != -1)
        status = take_option(settings, code, argv, error);
    if (status == PERF_OK && !settings->common.help && optind < argc)
        status = perf_usage(error, "'%s' is not expected, all is told by options; see --help", argv[optind]);
    return status;
}
