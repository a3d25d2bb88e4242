/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/options.h"

#define DTYPES         "f32 f64 i8 i16 i32 i64 u8 u16 u32 u64"
#define INTEGER_DTYPES "i8 i16 i32 i64 u8 u16 u32 u64"
#define BINS           "log: quantile: cdf: integers sqrt rice sturges doane scott fd stone auto"
#define DISTRIBUTIONS  "exponential: normal: lognormal: table:*"
#define METHODS        "auto mesh binary cdf"
#define PICTURES       "*.png *.svg"

const struct cli_option_text cli_option_texts[CLI_OPTION_COUNT] = {
    [CLI_OPTION_EDGES] = {'e', "edges", "FILE|LIST", "*",
                          "the bins' edges, in non-decreasing order: a file\n"
                          "(.npy or text) or numbers with commas between them"},
    [CLI_OPTION_BINS] = {'b', "bins", "BINS", CLI_LIST BINS " *",
                         "N equal bins; log:N, each edge a constant factor above\n"
                         "the one before; quantile:N, of equal content; cdf:N, of\n"
                         "equal parts of --distribution; integers; a rule: sqrt,\n"
                         "rice, sturges, doane, scott, fd, stone or auto, as\n"
                         "numpy.histogram_bin_edges (default: auto); or a file of\n"
                         "edges"},
    [CLI_OPTION_RANGE] = {'r', "range", "LO,HI", "data",
                          "the range that --bins fills (default: data, the smallest\n"
                          "to the largest value; for log:N, from the smallest\n"
                          "positive one; for cdf:N, all of the distribution)"},
    [CLI_OPTION_DISTRIBUTION] = {0, "distribution", "D", DISTRIBUTIONS,
                                 "what the values follow, for --bins cdf:N and --method\n"
                                 "cdf: exponential:LOCATION,SCALE, normal:MEAN,SD,\n"
                                 "lognormal:MU,SIGMA or table:FILE, pairs of x and F(x)"},
    [CLI_OPTION_RIGHT] = {0, "right", NULL, NULL, "a bin holds its right edge instead of its left one"},
    [CLI_OPTION_DENSITY] = {0, "density", NULL, NULL, "show and write densities: the bins' areas sum to 1"},
    [CLI_OPTION_CUMULATIVE] = {0, "cumulative", NULL, NULL, "show and write running sums of the counts"},
    [CLI_OPTION_MINLENGTH] = {0, "minlength", "N", NULL, "the least number of bins (default: 0)"},
    [CLI_OPTION_MAX] = {0, "max", "M", NULL,
                        "the largest value there may be: a larger one is an error\n"
                        "(default: none; the result grows)"},
    [CLI_OPTION_WEIGHTS] = {'w', "weights", "FILE", "*",
                            "a weight for each value or point: sums of weights instead\n"
                            "of counts. .npy, raw (with --vtype), or text: FILE:COLUMN,\n"
                            "where the input's own column is just :COLUMN"},
    [CLI_OPTION_SAMPLE] = {0, "sample", "FILE", "*",
                           "a number for each point, like --weights: each cell keeps\n"
                           "its mean and variance"},
    [CLI_OPTION_VALUE_DTYPE] = {0, "vtype", "T", DTYPES, "as --dtype, of the file of weights or samples"},
    [CLI_OPTION_STORAGE] = {0, "storage", "KIND", "count sum weighted mean u8 u16",
                            "what cells keep: count, u8 or u16 (count, 255 or 65535 at\n"
                            "most), sum or weighted (sums of weights; of their squares\n"
                            "too), mean (default: count; sum or mean with values)"},
    [CLI_OPTION_FAST] = {0, "fast", NULL, NULL,
                         "add in float64 in any order; else sums are exact and\n"
                         "rounded once"},
    [CLI_OPTION_AXES] = {0, "axes", NULL, NULL,
                         "several axes: each input is one; one input alone is rows,\n"
                         "and each of their columns an axis"},
    [CLI_OPTION_COLUMNS] = {0, "columns", "N|NAME,...", NULL,
                            "the columns of one input that are the axes: of text by\n"
                            "number from 0 or by name, of other rows by number; with\n"
                            "--axes and several inputs of text, the column of each"},
    [CLI_OPTION_ROW] = {0, "row", "N", NULL,
                        "one input of raw binary: how many values a row has, each\n"
                        "of them on an axis of its own"},
    [CLI_OPTION_COLUMN] = {'c', "column", "N|NAME", NULL,
                           "text: the column to read, by number from 0 or by its name\n"
                           "in the header line (default: 0)"},
    [CLI_OPTION_DTYPE] = {'t', "dtype", "T", DTYPES,
                          "the type of a raw binary file's values, or what text is\n"
                          "read as: f32, f64, i8 to i64, u8 to u64 or NumPy's names\n"
                          "(default: .npy files say it, text is float64)"},
    [CLI_OPTION_INTEGER_DTYPE] = {'t', "dtype", "T", INTEGER_DTYPES,
                                  "the type of a raw binary file's values, or what text is\n"
                                  "read as: i8 to i64, u8 to u64 or NumPy's names (default:\n"
                                  ".npy files say it, text is int64)"},
    [CLI_OPTION_METHOD] = {'m', "method", "METHOD", CLI_LIST METHODS,
                           "how values find their bins: auto, mesh, binary or cdf; the\n"
                           "result is the same"},
    [CLI_OPTION_LEAF] = {0, "leaf", "L", NULL, "bins left to --method mesh's linear search, 1 to 64\n(default: 4)"},
    [CLI_OPTION_DEVICE] = {'d', "device", "D", "auto cpu gpu " CLI_DEVICES, "the device to use, see 'unihist devices'"},
    [CLI_OPTION_THREADS] = {'j', "threads", "N", NULL, "host threads (default: OMP_NUM_THREADS, or one a core)"},
    [CLI_OPTION_OUTPUT] = {'o', "output", "FILE", "*.npy *.csv *.json *.uh",
                           "write the result to FILE: .npy, .csv, .json or .uh, which\n"
                           "keeps all of it for 'unihist merge'"},
    [CLI_OPTION_OUTPUT_INDICES] = {'o', "output", "FILE", "*.npy *.csv *.txt",
                                   "write the indices to FILE: .npy, .csv or .txt\n"
                                   "(default: one a line to standard output)"},
    [CLI_OPTION_PLOT] = {'p', "plot", "FILE", PICTURES, "draw the histogram to FILE: .png or .svg"},
    [CLI_OPTION_COLOUR] = {0, "colour", "SCALE", "auto linear log", "the map's colours: auto, linear or log"},
    [CLI_OPTION_STATS] = {'s', "stats", NULL, NULL, "print totals, mean, plan, times and rates"},
    [CLI_OPTION_JSON] = {0, "json", NULL, NULL, "print JSON"},
    [CLI_OPTION_OUTPUT_BMP] = {'o', "output", "FILE", "*.bmp", "write Parboil's picture of the counts to FILE: .bmp"},
    [CLI_OPTION_COUNTS] = {0, "counts", "FILE", "*.npy", "write the counts to FILE: .npy"},
    [CLI_OPTION_ITERATIONS] = {'n', "iterations", "N", NULL, "how often to do it all, each time anew (default: 1)"},
    [CLI_OPTION_DRAW_WEIGHTS] = {'w', "weights", "FILE", "*",
                                 "draw 0, 1, ... in proportion to these weights: .npy, raw\n"
                                 "(with --vtype), text, FILE:COLUMN or '-'"},
    [CLI_OPTION_DRAW_VALUE_DTYPE] = {0, "vtype", "T", DTYPES,
                                     "the type of a raw binary file's weights, or what text is\n"
                                     "read as: f32, f64, i8 to i64, u8 to u64 or NumPy's names\n"
                                     "(default: .npy files say it, text is float64)"},
    [CLI_OPTION_UNIFORM] = {0, "uniform", "LOW,HIGH", NULL, "draw integers from LOW to HIGH, all alike"},
    [CLI_OPTION_BERNOULLI] = {0, "bernoulli", "P", NULL, "draw 1 with probability P, else 0"},
    [CLI_OPTION_BINOMIAL] = {0, "binomial", "N,P", NULL, "draw the successes among N trials of probability P"},
    [CLI_OPTION_POISSON] = {0, "poisson", "MEAN", NULL, "draw by the Poisson distribution of this mean"},
    [CLI_OPTION_GEOMETRIC] = {0, "geometric", "P", NULL, "draw how many trials the first success takes: 1, 2, ..."},
    [CLI_OPTION_NEGATIVE_BINOMIAL] = {0, "negative-binomial", "R,P", NULL,
                                      "draw the failures before the R-th success; R is any\n"
                                      "positive number"},
    [CLI_OPTION_HYPERGEOMETRIC] = {0, "hypergeometric", "GOOD,BAD,DRAWS", NULL,
                                   "draw the good ones among DRAWS without replacement"},
    [CLI_OPTION_ZIPF] = {0, "zipf", "S,N", NULL, "draw 1 to N, i in proportion to i^-S"},
    [CLI_OPTION_NUMBER] = {'n', "number", "N", NULL, "how many samples, such as 1000 or 1e9"},
    [CLI_OPTION_SEED] = {0, "seed", "S", NULL,
                         "the seed, which is printed on standard error (default: a\n"
                         "random one)"},
    [CLI_OPTION_OFFSET] = {0, "offset", "O", NULL, "the number of the first sample of the seed (default: 0)"},
    [CLI_OPTION_TALLY] = {0, "count", NULL, NULL,
                          "count how often each outcome comes up instead; the samples\n"
                          "are not stored"},
    [CLI_OPTION_DRAW_METHOD] = {'m', "method", "METHOD", "auto unihist alias binary",
                                "how samples are looked up: auto, unihist, alias or binary;\n"
                                "alias gives other samples of the same probabilities"},
    [CLI_OPTION_DRAW_DTYPE] = {'t', "dtype", "T", "uint32 uint64 int32 int64",
                               "the type of the samples: uint32, uint64, int32 or int64\n"
                               "(default: uint32 where all outcomes fit, else int64)"},
    [CLI_OPTION_DRAW_OUTPUT] = {'o', "output", "FILE", "*.npy *.csv *.txt *.json",
                                "write the samples to FILE: .npy, .csv or .txt (default:\n"
                                "one a line to standard output); with --count the counts:\n"
                                ".npy, .csv or .json"},
    [CLI_OPTION_DRAW_PLOT] = {'p', "plot", "FILE", PICTURES, "with --count: draw the counts to FILE: .png or .svg"},
    [CLI_OPTION_HELP] = {'h', "help", NULL, NULL, "print this and exit"},
};
