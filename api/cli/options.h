/* SPDX-License-Identifier: Apache-2.0 */
/* The subcommands' options: one table for parsing and for the help texts. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stdint.h>
#include <stdio.h>

#include "api/cli/error.h"

/* What a subcommand returns to have its help printed. */
enum { CLI_SHOW_HELP = 100 };

/* Every option of every subcommand. */
enum cli_option_id {
    CLI_OPTION_END = 0,
    CLI_OPTION_EDGES,
    CLI_OPTION_BINS,
    CLI_OPTION_RANGE,
    CLI_OPTION_DISTRIBUTION,
    CLI_OPTION_RIGHT,
    CLI_OPTION_DENSITY,
    CLI_OPTION_CUMULATIVE,
    CLI_OPTION_MINLENGTH,
    CLI_OPTION_MAX,
    CLI_OPTION_WEIGHTS,
    CLI_OPTION_SAMPLE,
    CLI_OPTION_VALUE_DTYPE,
    CLI_OPTION_STORAGE,
    CLI_OPTION_FAST,
    CLI_OPTION_COLUMN,
    CLI_OPTION_COLUMNS,
    CLI_OPTION_AXES,
    CLI_OPTION_ROW,
    CLI_OPTION_DTYPE,
    CLI_OPTION_INTEGER_DTYPE,
    CLI_OPTION_METHOD,
    CLI_OPTION_LEAF,
    CLI_OPTION_DEVICE,
    CLI_OPTION_THREADS,
    CLI_OPTION_OUTPUT,
    CLI_OPTION_OUTPUT_INDICES,
    CLI_OPTION_PLOT,
    CLI_OPTION_COLOUR,
    CLI_OPTION_STATS,
    CLI_OPTION_JSON,
    CLI_OPTION_OUTPUT_BMP,
    CLI_OPTION_COUNTS,
    CLI_OPTION_ITERATIONS,
    CLI_OPTION_DRAW_WEIGHTS,
    CLI_OPTION_DRAW_VALUE_DTYPE,
    CLI_OPTION_UNIFORM,
    CLI_OPTION_BERNOULLI,
    CLI_OPTION_BINOMIAL,
    CLI_OPTION_POISSON,
    CLI_OPTION_GEOMETRIC,
    CLI_OPTION_NEGATIVE_BINOMIAL,
    CLI_OPTION_HYPERGEOMETRIC,
    CLI_OPTION_ZIPF,
    CLI_OPTION_NUMBER,
    CLI_OPTION_SEED,
    CLI_OPTION_OFFSET,
    CLI_OPTION_TALLY,
    CLI_OPTION_DRAW_METHOD,
    CLI_OPTION_DRAW_DTYPE,
    CLI_OPTION_DRAW_OUTPUT,
    CLI_OPTION_DRAW_PLOT,
    CLI_OPTION_HELP,
    CLI_OPTION_COUNT
};

/* `values`: the words that may be completed, with blanks between. A word that ends in ':' goes on behind it; one with
 * '*' is a pattern of files' names, behind the colon where it has one. CLI_DEVICES are the selectors that `unihist
 * devices` lists; CLI_LIST before the words says that several may stand with commas between. NULL for none. */
#define CLI_DEVICES "@devices"
#define CLI_LIST    ","

struct cli_option_text {
    char letter; /* or 0 */
    const char *name;
    const char *argument; /* NULL for a flag */
    const char *values;
    const char *help; /* lines of at most 60 characters */
};

extern const struct cli_option_text cli_option_texts[CLI_OPTION_COUNT];

/* One subcommand. */
struct cli_command {
    const char *name;
    const char *operands;              /* after "[options]" in the usage line, or "" */
    const char *files;                 /* a pattern of the operands' names for completion, NULL for no operands */
    const char *summary;               /* one line */
    const char *notes;                 /* what the help says under the options, or "" */
    const enum cli_option_id *options; /* ended by CLI_OPTION_END */
    /* argv[0] is the subcommand's name. Returns 0, -1 or CLI_USAGE with a message, or CLI_SHOW_HELP. */
    int (*run)(int argc, char **argv, struct cli_error *error);
};

/* Reads the value of a number's option, without its dashes. 0, or CLI_USAGE with a message. */
int cli_usage_number(const char *option, const char *value, uint64_t min, uint64_t max, uint64_t *number,
                     struct cli_error *error);

/* Takes one option; `value` is NULL for a flag, else not empty. Returns 0, -1 or CLI_USAGE with a message. */
typedef int (*cli_option_set)(void *context, enum cli_option_id id, const char *value, struct cli_error *error);

/* Parses the arguments, options and operands in any order, and hands each option to `set`. The operands are then
 * argv[*first] and those behind it. Returns 0, what `set` returned, CLI_USAGE with a message or CLI_SHOW_HELP. */
int cli_options_parse(const struct cli_command *command, int argc, char **argv, cli_option_set set, void *context,
                      int *first, struct cli_error *error);

/* Prints a subcommand's help. */
void cli_options_help(FILE *out, const struct cli_command *command);

/* Prints the script for completion of all subcommands in bash, fish or zsh. -1 for another shell. */
int cli_completion(FILE *out, const char *shell);

/* All subcommands, in the order of the help, then NULL; main sets it. NULL: none is known but the one that runs. */
extern const struct cli_command *const *cli_commands;

extern const struct cli_command cli_histogram_command;
extern const struct cli_command cli_bincount_command;
extern const struct cli_command cli_digitize_command;
extern const struct cli_command cli_histo_command;
extern const struct cli_command cli_sample_command;
extern const struct cli_command cli_merge_command;
extern const struct cli_command cli_devices_command;

#endif
