/* SPDX-License-Identifier: Apache-2.0 */
/* The subcommands' options: one table for parsing, for the help texts, the manual and completion. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <unihist/histogram.h>

#include "api/cli/error.h"

/* ---- what a command line says ------------------------------------------------------------------------------------ */

/* A whole number. */
struct cli_whole {
    int given;
    uint64_t value;
};

/* Words of an option that is given once an axis, or once for all. Zeroed: none. */
enum { CLI_MAX_WORDS = 16 };
struct cli_words {
    size_t n;
    char *word[CLI_MAX_WORDS]; /* owned */
};

/* The options that each axis may have its own of. */
enum cli_axis_option { CLI_EDGES, CLI_BINS, CLI_RANGE, CLI_DISTRIBUTION, CLI_METHOD, CLI_FLOW_BINS, CLI_AXIS_OPTIONS };

/* What options say; of what they do not say, 0 or NULL. The texts are lent. */
struct cli_arguments {
    const struct cli_command *command;
    char **paths; /* the operands */
    size_t npaths;
    struct cli_words axis[CLI_AXIS_OPTIONS], columns;
    int help, axes, categories, right, density, cumulative, fast, stats, json, tally;
    int zero_not_finite;
    int squared;
    int storage, sample_method, colour, variant; /* words by number, as the enumerations have them, and 1 more */
    int algorithm, density_kernel, neighbours, reduction;
    const char *column, *dtype, *vtype, *weights, *sample, *device, *output, *counts, *plot, *box, *file, *grid,
        *save_grid, *bandwidth, *eps, *centroids, *shifted, *plot_axes;
    struct cli_whole row, minlength, max, threads, iterations, number, seed, offset, max_calls, grid_bins, skip, adjust,
        seed_points;
    double epsrel, epsabs, alpha, beta, max_chi2, time_limit;
    double sigma, radius, delta, quantile, seed_bins;
    const struct cli_option *source; /* which option says what samples are drawn from, */
    const char *source_text;         /* and its value */
};

/* ---- the table --------------------------------------------------------------------------------------------------- */

/* What an option's value is, and how it is stored in the arguments. */
enum cli_option_kind {
    CLI_FLAG,   /* none: int, 1 */
    CLI_TEXT,   /* any text: const char * */
    CLI_WORD,   /* one of `values`: int, its number from 1 */
    CLI_DTYPE,  /* the name of an element type of `values`, or NumPy's: const char * */
    CLI_WHOLE,  /* a number from `min` to `max`: struct cli_whole */
    CLI_REAL,   /* a number above 0, at most `max` where that is not 0: double */
    CLI_WORDS,  /* words with commas between, at most `max`, of axes where that is 0: struct cli_words, all there are */
    CLI_CHOICE, /* the same, each of them one of `values` */
    CLI_ITEM,   /* a text: a word of struct cli_words */
    CLI_FILES,  /* words with commas between where all of them are files, else a text */
    CLI_SOURCE, /* one option of this kind may be given: `source` and `source_text` */
    CLI_HELP    /* none: int, 1; nothing behind it is looked at */
};

/* Subcommands, as sets. */
enum {
    CLI_HISTOGRAM = 1,
    CLI_BINCOUNT = 2,
    CLI_DIGITIZE = 4,
    CLI_HISTO = 8,
    CLI_SAMPLE = 16,
    CLI_MERGE = 32,
    CLI_DEVICES = 64,
    CLI_INTEGRATE = 128,
    CLI_MEANSHIFT = 256,
    CLI_ALL = 511
};

/* `values`: the words that may be completed, with blanks between. A word that ends in ':' goes on behind it; one with
 * '*' is a pattern of files' names, behind the colon where it has one. CLI_DEVICES_WORD are the selectors that `unihist
 * devices` lists; a comma before the words says that several may stand with commas between. "" for none. */
#define CLI_DEVICES_WORD "@devices"

struct cli_option {
    unsigned commands; /* that have it */
    char letter;       /* or 0 */
    const char *name;
    const char *argument; /* NULL for a flag */
    const char *values;
    enum cli_option_kind kind;
    size_t at; /* in the arguments */
    uint64_t min, max;
    const char *help; /* lines of at most 60 characters */
};

/* One subcommand. */
struct cli_command {
    unsigned which;
    const char *name;
    const char *operands; /* after "[options]" in the usage line, or "" */
    const char *files;    /* a pattern of the operands' names for completion, "" for no operands */
    const char *summary;  /* one line */
    const char *notes;    /* what the help says under the options, or "" */
    /* Returns 0, or -1 with a message. It may set what is said by no option of its own. */
    int (*run)(struct cli_arguments *arguments, struct cli_error *error);
};

/* Returns the option of a subcommand behind another one, NULL behind the last; the first one for NULL. */
const struct cli_option *cli_option_next(const struct cli_command *command, const struct cli_option *option);

/* Returns the option of a subcommand that a word names, -x, -x..., --name or --name=..., where `begun` is 1 also the
 * beginning of its name; NULL for none. */
const struct cli_option *cli_option_named(const struct cli_command *command, const char *word, int begun);

/* ---- parsing ----------------------------------------------------------------------------------------------------- */

/* Parses a command line, options and operands in any order; argv[0] is the subcommand's name. Returns 0, or -1 with a
 * message; cli_arguments_free in any case. */
int cli_arguments_parse(const struct cli_command *command, int argc, char **argv, struct cli_arguments *arguments,
                        struct cli_error *error);

void cli_arguments_free(struct cli_arguments *arguments);

/* Prints a subcommand's help. */
void cli_options_help(FILE *out, const struct cli_command *command);

/* Prints the script for completion in bash, fish or zsh. -1 for another shell. */
int cli_completion(FILE *out, const char *shell);

/* Prints what the script asks for, of the words behind the program's name up to the one begun: a line of what stays of
 * that word; then a line for each that may follow, with a description behind a tabulator, or a pattern with '*' of
 * files that may. Which of them fit what is begun, the shell finds out. */
void cli_complete(FILE *out, int count, char **words);

/* All subcommands, in the order of the help, then NULL; main sets it. NULL: none is known but the one that runs. */
extern const struct cli_command *const *cli_commands;

/* What the program is called, "unihist" where main does not say otherwise. */
extern const char *cli_program;

/* Has the library try drivers in a process of their own before it opens them, unless UNIHIST_LEVEL_ZERO says otherwise.
 * cli_main begins with it. */
void cli_try_drivers(void);

/* Returns whether a command line leaves it to the command which device it works on. */
int cli_chooses_device(int argc, char **argv);

/* Does what a command line says; main's exit status. */
int cli_main(int argc, char **argv);

extern const struct cli_option cli_options[];

extern const struct cli_command cli_histogram_command;
extern const struct cli_command cli_bincount_command;
extern const struct cli_command cli_digitize_command;
extern const struct cli_command cli_histo_command;
extern const struct cli_command cli_sample_command;
extern const struct cli_command cli_integrate_command;
extern const struct cli_command cli_meanshift_command;
extern const struct cli_command cli_merge_command;
extern const struct cli_command cli_devices_command;

#endif
