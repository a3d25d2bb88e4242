/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/options.h"

#include <getopt.h>
#include <stdarg.h>
#include <string.h>

struct option_text {
    char letter; /* or 0 */
    const char *name;
    const char *argument; /* NULL for a flag */
    const char *help;     /* lines of at most 60 characters */
};

static const struct option_text texts[CLI_OPTION_COUNT] = {
    [CLI_OPTION_EDGES] = {'e', "edges", "FILE|LIST",
                          "the bins' edges, in non-decreasing order: a file\n"
                          "(.npy or text) or numbers with commas between them"},
    [CLI_OPTION_BINS] = {'b', "bins", "BINS",
                         "N equal bins; log:N, each edge a constant factor above\n"
                         "the one before; quantile:N, of equal content; cdf:N, of\n"
                         "equal parts of --distribution; integers; or a rule:\n"
                         "sqrt, rice, sturges, doane, scott, fd, stone or auto,\n"
                         "as numpy.histogram_bin_edges (default: auto)"},
    [CLI_OPTION_RANGE] = {'r', "range", "LO,HI",
                          "the range that --bins fills (default: the smallest to the\n"
                          "largest value; for log:N, to the smallest positive one;\n"
                          "for cdf:N, all of the distribution)"},
    [CLI_OPTION_DISTRIBUTION] = {0, "distribution", "D",
                                 "what the values follow, for --bins cdf:N and --method\n"
                                 "cdf: exponential:LOCATION,SCALE, normal:MEAN,SD,\n"
                                 "lognormal:MU,SIGMA or table:FILE, pairs of x and F(x)"},
    [CLI_OPTION_AXES_EDGES] = {'e', "edges", "FILE|LIST",
                               "the bins' edges, once an axis or once for all: a file or\n"
                               "a list; or the files of all axes with commas between"},
    [CLI_OPTION_AXES_BINS] = {'b', "bins", "BINS,...",
                              "bins of each axis, with commas between or given once an\n"
                              "axis; one for all. N equal bins; log:N; quantile:N;\n"
                              "cdf:N; integers; a file of edges; or a rule: sqrt, rice,\n"
                              "sturges, doane, scott, fd, stone or auto (default: auto)"},
    [CLI_OPTION_AXES_RANGE] = {'r', "range", "LO,HI",
                               "the range that --bins fill, once an axis or once for all;\n"
                               "'data', as by default, is the smallest to the largest\n"
                               "value"},
    [CLI_OPTION_AXES_DISTRIBUTION] = {0, "distribution", "D",
                                      "what coordinates follow, once an axis or once for all, for\n"
                                      "cdf:N and --method cdf: exponential:LOCATION,SCALE,\n"
                                      "normal:MEAN,SD, lognormal:MU,SIGMA or table:FILE"},
    [CLI_OPTION_AXES_METHOD] = {'m', "method", "METHOD,...",
                                "how coordinates find their bins, of each axis or one for\n"
                                "all: auto, mesh, binary, uniform, logarithm, piecewise,\n"
                                "compare, packed or cdf; the result is the same"},
    [CLI_OPTION_RIGHT] = {0, "right", NULL, "a bin holds its right edge instead of its left one"},
    [CLI_OPTION_DENSITY] = {0, "density", NULL, "show and write densities: the bins' areas sum to 1"},
    [CLI_OPTION_CUMULATIVE] = {0, "cumulative", NULL, "show and write running sums of the counts"},
    [CLI_OPTION_BIN_WEIGHTS] = {'w', "weights", "FILE",
                                "a weight for each value: exact sums of weights instead of\n"
                                "counts. .npy, raw (with --vtype), or text: FILE:COLUMN"},
    [CLI_OPTION_WEIGHT_DTYPE] = {0, "vtype", "T", "as --dtype, of --weights"},
    [CLI_OPTION_MINLENGTH] = {0, "minlength", "N", "the least number of bins (default: 0)"},
    [CLI_OPTION_MAX] = {0, "max", "M",
                        "the largest value there may be: a larger one is an error\n"
                        "(default: none; the result grows)"},
    [CLI_OPTION_WEIGHTS] = {'w', "weights", "FILE",
                            "a weight for each value: sums of weights instead of\n"
                            "counts. .npy, raw (with --vtype), or text: FILE:COLUMN"},
    [CLI_OPTION_POINT_WEIGHTS] = {'w', "weights", "FILE",
                                  "a weight for each point: sums of weights instead of\n"
                                  "counts. .npy, raw (with --vtype), or text: FILE:COLUMN"},
    [CLI_OPTION_SAMPLE] = {0, "sample", "FILE",
                           "a number for each point, like --weights: each cell keeps\n"
                           "its mean and variance"},
    [CLI_OPTION_VALUE_DTYPE] = {0, "vtype", "T", "as --dtype, of --weights and --sample"},
    [CLI_OPTION_STORAGE] = {0, "storage", "KIND",
                            "what cells keep: count, u8 or u16 (count, 255 or 65535 at\n"
                            "most), sum or weighted (sums of weights; of their squares\n"
                            "too), mean (default: count; sum or mean with values)"},
    [CLI_OPTION_FAST] = {0, "fast", NULL,
                         "add in float64 in any order; else sums are exact and\n"
                         "rounded once"},
    [CLI_OPTION_COLUMNS] = {'c', "columns", "N|NAME,...",
                            "one input: the columns of text, by number from 0 or by\n"
                            "name, or of rows, by number (default: all of rows);\n"
                            "several text inputs: the column of each"},
    [CLI_OPTION_ROW] = {0, "row", "N", "one input of raw binary: how many values a row has"},
    [CLI_OPTION_COLUMN] = {'c', "column", "N|NAME",
                           "text: the column to read, by number from 0 or by its name\n"
                           "in the header line (default: 0)"},
    [CLI_OPTION_DTYPE] = {'t', "dtype", "T",
                          "the type of a raw binary file's values, or what text is\n"
                          "read as: f32, f64, i8 to i64, u8 to u64 or NumPy's names\n"
                          "(default: .npy files say it, text is float64)"},
    [CLI_OPTION_INTEGER_DTYPE] = {'t', "dtype", "T",
                                  "the type of a raw binary file's values, or what text is\n"
                                  "read as: i8 to i64, u8 to u64 or NumPy's names (default:\n"
                                  ".npy files say it, text is int64)"},
    [CLI_OPTION_METHOD] = {'m', "method", "METHOD",
                           "how values find their bins: auto, mesh, binary, uniform,\n"
                           "logarithm, piecewise, compare, packed or cdf; the result\n"
                           "is the same"},
    [CLI_OPTION_LEAF] = {0, "leaf", "L", "bins left to --method mesh's linear search, 1 to 64\n(default: 4)"},
    [CLI_OPTION_DEVICE] = {'d', "device", "D", "the device to count on, see 'unihist devices'"},
    [CLI_OPTION_THREADS] = {'j', "threads", "N", "host threads (default: OMP_NUM_THREADS, or one a core)"},
    [CLI_OPTION_OUTPUT] = {'o', "output", "FILE",
                           "write the result to FILE: .npy, .csv, .json or .uh, which\n"
                           "keeps all of it for 'unihist merge'"},
    [CLI_OPTION_OUTPUT_INDICES] = {'o', "output", "FILE",
                                   "write the indices to FILE: .npy, .csv or .txt\n"
                                   "(default: one a line to standard output)"},
    [CLI_OPTION_OUTPUT_CELLS] = {'o', "output", "FILE",
                                 "write the cells to FILE: .npy, .csv, .json or .uh, which\n"
                                 "keeps all of it for 'unihist merge'"},
    [CLI_OPTION_HEAT] = {'p', "plot", "FILE", "two axes: draw a heat map to FILE: .png or .svg"},
    [CLI_OPTION_COLOUR] = {0, "colour", "SCALE", "the colours' scale: auto, linear or log"},
    [CLI_OPTION_PLOT] = {'p', "plot", "FILE", "draw the histogram to FILE: .png or .svg"},
    [CLI_OPTION_STATS] = {'s', "stats", NULL, "print totals, mean, plan, times and rates"},
    [CLI_OPTION_JSON] = {0, "json", NULL, "print JSON"},
    [CLI_OPTION_OUTPUT_BMP] = {'o', "output", "FILE", "write Parboil's picture of the counts to FILE: .bmp"},
    [CLI_OPTION_COUNTS] = {0, "counts", "FILE", "write the counts to FILE: .npy"},
    [CLI_OPTION_ITERATIONS] = {'n', "iterations", "N", "how often to do it all, each time anew (default: 1)"},
    [CLI_OPTION_HELP] = {'h', "help", NULL, "print this and exit"},
};

int cli_usage(struct cli_error *error, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    return CLI_USAGE;
}

/* getopt's codes for options without a letter. */
enum { FIRST_CODE = 256 };

static int code_of(enum cli_option_id id) {
    return FIRST_CODE + (int)id;
}

struct getopt_tables {
    char letters[2 + 2 * CLI_OPTION_COUNT];
    struct option options[CLI_OPTION_COUNT + 1];
    enum cli_option_id of_letter[128];
};

static void make_tables(const struct cli_command *command, struct getopt_tables *tables) {
    char *letter = tables->letters;
    struct option *option = tables->options;
    memset(tables, 0, sizeof *tables);
    *letter++ = ':';
    for (const enum cli_option_id *id = command->options; *id; id++) {
        const struct option_text *text = &texts[*id];
        *option++ = (struct option){text->name, text->argument ? required_argument : no_argument, NULL, code_of(*id)};
        if (!text->letter)
            continue;
        *letter++ = text->letter;
        if (text->argument)
            *letter++ = ':';
        tables->of_letter[(unsigned char)text->letter] = *id;
    }
}

/* Whether some options' names begin as the word "--name" or "--name=value" does. */
static int begins_options(const struct cli_command *command, const char *word) {
    size_t length = strncmp(word, "--", 2) == 0 ? strcspn(word, "=") - 2 : 0;
    for (const enum cli_option_id *id = command->options; *id; id++)
        if (length > 0 && strncmp(texts[*id].name, word + 2, length) == 0)
            return 1;
    return 0;
}

/* Words the complaints of getopt_long; `word` is the argument that it looked at last. */
static int complain(const struct cli_command *command, int code, int option, const char *word,
                    struct cli_error *error) {
    char name[64];
    if (option >= FIRST_CODE)
        snprintf(name, sizeof name, "--%s", texts[option - FIRST_CODE].name);
    else
        snprintf(name, sizeof name, "-%c", option);
    if (code == ':')
        return cli_usage(error, "option '%s' needs a value; see 'unihist %s --help'", name, command->name);
    if (option >= FIRST_CODE)
        return cli_usage(error, "option '%s' takes no value", name);
    return cli_usage(error, "%s option '%.200s'; see 'unihist %s --help'",
                     option || !begins_options(command, word) ? "unknown" : "ambiguous", option ? name : word,
                     command->name);
}

int cli_options_parse(const struct cli_command *command, int argc, char **argv, cli_option_set set, void *context,
                      int *first, struct cli_error *error) {
    struct getopt_tables tables;
    int code;
    make_tables(command, &tables);
    opterr = 0;
    optind = 1;
    while ((code = getopt_long(argc, argv, tables.letters, tables.options, NULL)) != -1) {
        if (code == '?' || code == ':')
            return complain(command, code, optopt, argv[optind - 1], error);
        enum cli_option_id id =
            code >= FIRST_CODE ? (enum cli_option_id)(code - FIRST_CODE) : tables.of_letter[code & 127];
        if (id == CLI_OPTION_HELP)
            return CLI_SHOW_HELP;
        int result = set(context, id, texts[id].argument ? optarg : NULL, error);
        if (result)
            return result;
    }
    *first = optind;
    return 0;
}

void cli_options_help(FILE *out, const struct cli_command *command) {
    enum { COLUMN = 26 };
    fprintf(out, "Usage: unihist %s [options]%s%s\n\n%s.\n\nOptions:\n", command->name, *command->operands ? " " : "",
            command->operands, command->summary);
    for (const enum cli_option_id *id = command->options; *id; id++) {
        const struct option_text *text = &texts[*id];
        char left[64];
        int used = snprintf(left, sizeof left, text->letter ? "  -%c, " : "      ", text->letter);
        used += snprintf(left + used, sizeof left - (size_t)used, "--%s%s%s", text->name, text->argument ? " " : "",
                         text->argument ? text->argument : "");
        fprintf(out, "%-*s", COLUMN, left);
        if (used >= COLUMN)
            fprintf(out, "\n%*s", COLUMN, "");
        for (const char *line = text->help; *line;) {
            size_t length = strcspn(line, "\n");
            fprintf(out, "%*s%.*s\n", line == text->help ? 0 : COLUMN, "", (int)length, line);
            line += length + (line[length] == '\n');
        }
    }
    if (*command->notes)
        fprintf(out, "\n%s", command->notes);
}
