/* SPDX-License-Identifier: Apache-2.0 */
/* Options of the subcommands: one table for parsing, help texts, the manual and completion. */
#pragma once

#include <stdio.h>

#include <unihist/unihist.h>

#include "api/cli/error.h"
#include "api/cli/input/dialect.h"

/* Samples of a seed are numbered up to this. */
#define CLI_SAMPLES ((uint64_t)1 << 63)

struct cli_whole {
    int given;
    uint64_t value;
};

/* Words of an option that is given once per axis, or once for all. Zero: none. */
enum { CLI_MAX_WORDS = 16 };
struct cli_words {
    size_t n;
    char *word[CLI_MAX_WORDS]; /* owned */
};

enum { CLI_STATS_PLAN = 2 }; /* of `stats` */

enum cli_axis_option {
    CLI_EDGES,
    CLI_BINS,
    CLI_RANGE,
    CLI_DISTRIBUTION,
    CLI_METHOD,
    CLI_FLOW_BINS,
    CLI_UNIT,
    CLI_AXIS_OPTIONS
};

/* Values of the options; 0 or NULL if not given. The texts are borrowed. */
struct cli_arguments {
    const struct cli_command *command;
    char **paths; /* the operands */
    size_t npaths;
    struct cli_words axis[CLI_AXIS_OPTIONS], columns;
    int help, axes, categories, right, density, cumulative, fast, stats, json, tally;
    int zero_not_finite, header, no_header, no_comment;
    int squared;
    /* Words by number: 1 more than in the enumerations. */
    int storage, sample_method, colour, variant, scramble, periodise;
    int algorithm, density_kernel, neighbours, reduction;
    const char *column, *dtype, *vtype, *weights, *sample, *device, *output, *counts, *plot, *box, *file, *grid,
        *save_grid, *strata, *format, *bandwidth, *eps, *centroids, *shifted, *plot_axes, *delimiter, *comment, *na,
        *decimal, *thousands, *encoding;
    struct cli_dialect dialect; /* of texts, from the options above */
    struct cli_whole row, minlength, max, threads, iterations, number, seed, offset, max_calls, grid_bins, skip, adjust,
        randomisations, seed_points;
    double epsrel, epsabs, alpha, beta, max_chi2, time_limit;
    double sigma, radius, delta, quantile, seed_bins;
    const struct cli_option *source; /* option that defines the source of samples, */
    const char *source_text;         /* and its value */
};

/* Type of an option's value, and how it is stored in the arguments. */
enum cli_option_kind {
    CLI_FLAG,    /* none: int, 1 */
    CLI_TEXT,    /* any text: const char * */
    CLI_OUTPUT,  /* a file that is written: const char * */
    CLI_NAME,    /* one of `values`: const char * */
    CLI_SWITCH,  /* one of `values`, or none: int, 1 more than its number */
    CLI_WORD,    /* one of `values`: int, its number from 1 */
    CLI_DTYPE,   /* name of an element type of `values`, or NumPy's: const char * */
    CLI_WHOLE,   /* a number from `min` to `max`: struct cli_whole */
    CLI_REAL,    /* a number above 0, at most `max` unless that is 0: double */
    CLI_WORDS,   /* comma-separated words, at most `max`, or UH_MAX_AXES if 0: struct cli_words */
    CLI_CHOICE,  /* the same, each one of `values` */
    CLI_ITEM,    /* a text: a word of struct cli_words */
    CLI_LITERAL, /* the same, after '=' */
    CLI_FILES,   /* comma-separated words if all are files, otherwise a text */
    CLI_SOURCE   /* at most one option of this kind: `source` and `source_text` */
};

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
    CLI_CHOOSE = 512,
    CLI_ALL = 1023
};

/* `values`: words for completion, separated by blanks. A word ending in ':' continues after it; one with '*' is a
 * pattern of file names, which starts after its colon, if any. CLI_DEVICES_WORD stands for the selectors listed by
 * `unihist devices`, CLI_COLUMNS_WORD for the names in the input's header; a comma before the words allows
 * comma-separated lists. "" for none. */
#define CLI_DEVICES_WORD "@devices"
#define CLI_COLUMNS_WORD "@columns"

struct cli_option {
    unsigned commands; /* subcommands that have it */
    char letter;       /* or 0 */
    const char *name;
    const char *argument; /* NULL for a flag; "[=...]" of a CLI_SWITCH */
    const char *values;
    enum cli_option_kind kind;
    size_t at; /* offset in the arguments */
    uint64_t min, max;
    const char *help;
};

struct cli_command {
    unsigned which;
    const char *name;
    const char *operands; /* after "[options]" in the usage line, or "" */
    const char *files;    /* pattern of the operands' names for completion, "" for no operands */
    const char *summary;  /* one line */
    const char *notes;    /* text of the help below the options, or "" */
    /* Returns 0, or -1 with a message. May set arguments for which it has no option. */
    int (*run)(struct cli_arguments *arguments);
};

/* Returns the option of a subcommand after another one, NULL after the last; the first one for NULL. */
const struct cli_option *cli_option_next(const struct cli_command *command, const struct cli_option *option);

/* Returns the option of a subcommand that a word names: -x, -x..., --name or --name=..., if `started` is 1 also the
 * beginning of its name. NULL if none is found. */
const struct cli_option *cli_option_named(const struct cli_command *command, const char *word, int started);

/* Names like one that was typed: those that begin with it, otherwise those of the fewest mistakes. */
struct cli_nearest {
    char text[128]; /* ", did you mean 'NAME' or 'NAME'", or "" */
    size_t mistakes;
};
void cli_nearest_try(struct cli_nearest *nearest, const char *typed, const char *name);

/* Returns the file that an option of kind CLI_OUTPUT was given, or NULL. */
const char *cli_option_output(const struct cli_option *option, const struct cli_arguments *arguments);

/* Parses a command line, options and operands in any order; argv[0] is the subcommand's name. Call cli_arguments_free
 * in both cases. */
int cli_arguments_parse(const struct cli_command *command, int argc, char **argv, struct cli_arguments *arguments);
void cli_arguments_free(struct cli_arguments *arguments);

/* Returns the path that a word of edges gives: of an existing file, "-", or FILE:AXIS, whose axis becomes `*axis`
 * (otherwise UINT64_MAX). The caller frees it. NULL: it is no file. */
char *cli_file_of(const char *word, uint64_t *axis);
void cli_options_help(const struct cli_command *command);
const struct cli_command *cli_command_named(const char *name);

/* All subcommands in the order of the help, then NULL; set by main. NULL: only the running one is known. */
extern const struct cli_command *const *cli_commands;

/* Name of the program, "unihist" unless main sets another. */
extern const char *cli_program;

/* Makes the library test drivers in a separate process before it opens them, unless UNIHIST_LEVEL_ZERO is set. cli_main
 * calls it first. */
void cli_try_drivers(void);

/* Returns whether a command line leaves the choice of the device to the command. */
int cli_chooses_device(int argc, char **argv);
int cli_main(int argc, char **argv);

extern const struct cli_option cli_options[];

extern const struct cli_command cli_bins_command, cli_histogram_command, cli_bincount_command, cli_digitize_command,
    cli_histo_command, cli_sample_command, cli_integrate_command, cli_meanshift_command, cli_merge_command,
    cli_devices_command;

/* Reads the options of texts (text_options.c). */
int cli_text_options_read(struct cli_arguments *arguments);
