/* SPDX-License-Identifier: Apache-2.0 */
/* unihist-model COMMAND [OPTION VALUE...]: what kernels may reach on GPUs that are not here (README.md). */
#include "perf/model/report.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct command {
    const char *name, *about;
    int (*run)(const struct model_options *options, struct perf_error *error);
} commands[] = {
    {"cases", "one operation by families of bins, shapes of data, and methods", model_report_cases},
    {"goals",
     "what kernels are meant to reach, floors and goals, beside what is predicted; exit status 1 below a floor",
     model_report_goals},
    {"tables",
     "the UNIHIST paper's tables of GPUs, a line a figure: table, method, k, h, millions of points a second, what "
     "binds",
     model_report_tables},
    {"kernels", "every kernel, by its finished code alone", model_report_kernels},
    {"banks", "cycles of local memory for messages on standard input, a line each: load 0 4 8, atomic 0 0 64",
     model_report_banks},
};
enum { COMMANDS = sizeof commands / sizeof *commands };

static int print_help(void) {
    puts("Usage: unihist-model COMMAND [OPTION VALUE]...\n"
         "Predict, by a model and without hardware, what binds the kernels on Intel's GPUs. Nothing is measured.\n");
    for (size_t i = 0; i < COMMANDS; i++)
        printf("  %-8s %s\n", commands[i].name, commands[i].about);
    puts("\n  --device NAME  tgllp, adl-p, pvc, dg2 or bmg; default: all (banks: tgllp)\n"
         "  --isa FOLDER   where isa-NAME.txt are, which perf/isa.py --figures writes; default: beside this program\n"
         "of cases:\n"
         "  --operation NAME  histogram, pair (two axes), sum (exact sums), bincount or draw; default: histogram\n"
         "  --type NAME    of a histogram's values: f32 or f64; default: f32\n"
         "  --k N          bins; default: 100, then 1000\n"
         "  --h H          h_min or h_v of the bins; default: 0.01\n"
         "  --bins NAME    worst, random, almost, equal, ...; default: the first three\n"
         "  --data NAME    uniform, narrow, sorted, onebin, ...; default: these\n"
         "  --method NAME  auto, mesh or binary; default: each\n"
         "of tables:\n"
         "  --table NAME   IV to VI or X to XII; default: each");
    return PERF_OK;
}

static int take_method(struct model_options *options, const char *value, struct perf_error *error) {
    unsigned method;
    if (uh_enum_from_name(UH_ENUM_METHOD, value, &method) ||
        (method != UH_METHOD_AUTO && method != UH_METHOD_MESH && method != UH_METHOD_BINARY))
        return perf_usage(error, "--method is '%s', expected auto, mesh or binary", value);
    options->method = (int)method;
    return PERF_OK;
}

static int take_operation(struct model_options *options, const char *value, struct perf_error *error) {
    return model_operation_find(value, &options->operation)
               ? perf_usage(error, "--operation is '%s', expected histogram, pair, sum, bincount or draw", value)
               : PERF_OK;
}

static int take_type(struct model_options *options, const char *value, struct perf_error *error) {
    const int is_f64 = strcmp(value, "f64") == 0;
    options->type = is_f64 ? UH_F64 : UH_F32;
    return is_f64 || strcmp(value, "f32") == 0 ? PERF_OK
                                               : perf_usage(error, "--type is '%s', expected f32 or f64", value);
}

static int take_table(struct model_options *options, const char *value, struct perf_error *error) {
    const struct model_device *device;
    for (size_t i = 0; (device = model_device_at(i)); i++)
        for (size_t j = 0; j < MODEL_TABLES && device->tables[j]; j++)
            if (strcmp(device->tables[j], value) == 0)
                options->table = device->tables[j];
    return options->table ? PERF_OK : perf_usage(error, "--table is '%s', expected IV to VI or X to XII", value);
}

static int take_number(const char *name, const char *value, double low, double high, double *number,
                       struct perf_error *error) {
    char *end;
    *number = strtod(value, &end);
    if (end == value || *end || !(*number >= low && *number <= high))
        return perf_usage(error, "%s is '%s', expected a number from %g to %g", name, value, low, high);
    return PERF_OK;
}

static int take(struct model_options *options, const char *name, const char *value, struct perf_error *error) {
    enum case_bins bins;
    enum case_data data;
    double number;
    int status = PERF_OK;
    if (strcmp(name, "--isa") == 0) {
        options->folder = value;
    } else if (strcmp(name, "--device") == 0) {
        options->device = model_device_find(value);
        return options->device ? PERF_OK
                               : perf_usage(error, "--device is '%s', expected tgllp, adl-p, pvc, dg2 or bmg", value);
    } else if (strcmp(name, "--k") == 0) {
        status = take_number(name, value, 1, 1e6, &number, error);
        if (status == PERF_OK && floor(number) < number)
            return perf_usage(error, "--k is '%s', expected a whole number", value);
        options->k = status == PERF_OK ? (size_t)number : 0;
    } else if (strcmp(name, "--h") == 0) {
        status = take_number(name, value, 1e-30, MODEL_RANGE, &options->h, error);
    } else if (strcmp(name, "--bins") == 0) {
        if (case_bins_from_name(value, &bins))
            return perf_usage(error, "--bins is '%s', expected a family such as random", value);
        options->bins = (int)bins;
    } else if (strcmp(name, "--data") == 0) {
        if (case_data_from_name(value, &data))
            return perf_usage(error, "--data is '%s', expected a shape such as uniform", value);
        options->data = (int)data;
    } else if (strcmp(name, "--operation") == 0) {
        return take_operation(options, value, error);
    } else if (strcmp(name, "--type") == 0) {
        return take_type(options, value, error);
    } else if (strcmp(name, "--table") == 0) {
        return take_table(options, value, error);
    } else if (strcmp(name, "--method") == 0) {
        return take_method(options, value, error);
    } else {
        return perf_usage(error, "no option is called '%s'; see --help", name);
    }
    return status;
}

/* The folder of this program. */
static int find_folder(char *path, size_t size, struct perf_error *error) {
    const ssize_t length = readlink("/proc/self/exe", path, size - 1);
    if (length < 0)
        return perf_fail(error, "/proc/self/exe: %s; give --isa", strerror(errno));
    path[length] = '\0';
    *strrchr(path, '/') = '\0';
    return PERF_OK;
}

static int run(int argc, char **argv, struct perf_error *error) {
    char folder[4096];
    struct model_options options = {.type = -1, .h = 0.01, .bins = -1, .data = -1, .method = -1};
    const struct command *command = NULL;
    for (size_t i = 0; i < COMMANDS; i++)
        command = strcmp(argv[1], commands[i].name) == 0 ? &commands[i] : command;
    if (!command)
        return perf_usage(
            error, "no command is called '%s', expected cases, goals, tables, kernels or banks; see --help", argv[1]);
    int status = PERF_OK;
    for (int i = 2; status == PERF_OK && i < argc; i += 2)
        status = i + 1 < argc ? take(&options, argv[i], argv[i + 1], error)
                              : perf_usage(error, "%s has no value; see --help", argv[i]);
    if (status == PERF_OK && !options.folder) {
        status = find_folder(folder, sizeof folder, error);
        options.folder = folder;
    }
    return status == PERF_OK ? command->run(&options, error) : status;
}

int main(int argc, char **argv) {
    struct perf_error error = {""};
    if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0))
        return print_help();
    int status = argc > 1 ? run(argc, argv, &error) : perf_usage(&error, "nothing is given; see --help");
    if (status == PERF_OK && (fflush(stdout) || ferror(stdout)))
        status = perf_fail(&error, "cannot write to standard output");
    if (status != PERF_OK)
        fprintf(stderr, "unihist-model: %s\n", error.text);
    return status;
}
