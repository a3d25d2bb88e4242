/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/options.h"

#include <getopt.h>
#include <inttypes.h>
#include <string.h>

#include "api/cli/input/number.h"

const struct cli_command *const *cli_commands;

int cli_usage_number(const char *option, const char *value, uint64_t min, uint64_t max, uint64_t *number,
                     struct cli_error *error) {
    if (cli_parse_u64(value, min, max, number))
        return cli_usage(error, "--%s '%.200s': expected a whole number from %" PRIu64 " to %" PRIu64, option, value,
                         min, max);
    return 0;
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

/* Fills tables that are empty. */
static void make_tables(const struct cli_command *command, struct getopt_tables *tables) {
    char *letter = tables->letters;
    struct option *option = tables->options;
    *letter++ = ':';
    for (const enum cli_option_id *id = command->options; *id; id++) {
        const struct cli_option_text *text = &cli_option_texts[*id];
        *option++ = (struct option){text->name, text->argument ? required_argument : no_argument, NULL, code_of(*id)};
        if (!text->letter)
            continue;
        *letter++ = text->letter;
        if (text->argument)
            *letter++ = ':';
        tables->of_letter[(unsigned char)text->letter] = *id;
    }
}

/* Whether a subcommand has an option named "--name" or "--name=value"; `whole`: by more than an abbreviation. */
static int has_name(const struct cli_command *command, const char *word, int whole) {
    const size_t length = strncmp(word, "--", 2) == 0 ? strcspn(word, "=") - 2 : 0;
    for (const enum cli_option_id *id = command->options; *id; id++) {
        const char *name = cli_option_texts[*id].name;
        if (length > 0 && strncmp(name, word + 2, length) == 0 && (!whole || !name[length]))
            return 1;
    }
    return 0;
}

static int has_letter(const struct cli_command *command, int letter) {
    for (const enum cli_option_id *id = command->options; *id; id++)
        if (cli_option_texts[*id].letter == letter)
            return 1;
    return 0;
}

/* Names the subcommands that have the option of a letter, or else of a name, with commas between. Returns how many. */
static size_t name_takers(int letter, const char *word, int whole, char *names, size_t size) {
    size_t takers = 0, used = 0;
    names[0] = '\0';
    for (const struct cli_command *const *command = cli_commands; command && *command; command++)
        if ((letter ? has_letter(*command, letter) : has_name(*command, word, whole)) && used < size)
            used += (size_t)snprintf(names + used, size - used, "%s%s", takers++ ? ", " : "", (*command)->name);
    return takers;
}

/* Words the complaints of getopt_long; `word` is the argument that it looked at last. */
static int complain(const struct cli_command *command, int code, int option, const char *word,
                    struct cli_error *error) {
    char name[64], takers[128];
    if (option >= FIRST_CODE)
        snprintf(name, sizeof name, "--%s", cli_option_texts[option - FIRST_CODE].name);
    else
        snprintf(name, sizeof name, "-%c", option);
    if (code == ':')
        return cli_usage(error, "option '%s' needs a value; see 'unihist %s --help'", name, command->name);
    if (option >= FIRST_CODE)
        return cli_usage(error, "option '%s' takes no value", name);
    const char *given = option ? name : word;
    if (!option && has_name(command, word, 0))
        return cli_usage(error, "ambiguous option '%.200s'; see 'unihist %s --help'", given, command->name);
    if (name_takers(option, word, 1, takers, sizeof takers) > 0 ||
        name_takers(option, word, 0, takers, sizeof takers) > 0)
        return cli_usage(error, "option '%.*s' means nothing for %s, it is for %s; see 'unihist %s --help'",
                         (int)strcspn(given, "="), given, command->name, takers, command->name);
    return cli_usage(error, "unknown option '%.200s'; see 'unihist %s --help'", given, command->name);
}

int cli_options_parse(const struct cli_command *command, int argc, char **argv, cli_option_set set, void *context,
                      int *first, struct cli_error *error) {
    struct getopt_tables tables = {.letters = ""};
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
        if (cli_option_texts[id].argument && !*optarg)
            return cli_usage(error, "an option's value is empty; see 'unihist %s --help'", command->name);
        int result = set(context, id, cli_option_texts[id].argument ? optarg : NULL, error);
        if (result)
            return result;
    }
    for (int i = optind; i < argc; i++)
        if (!*argv[i])
            return cli_usage(error, "an argument is empty; see 'unihist %s --help'", command->name);
    *first = optind;
    return 0;
}

void cli_options_help(FILE *out, const struct cli_command *command) {
    enum { COLUMN = 26 };
    fprintf(out, "Usage: unihist %s [options]%s%s\n\n%s.\n\nOptions:\n", command->name, *command->operands ? " " : "",
            command->operands, command->summary);
    for (const enum cli_option_id *id = command->options; *id; id++) {
        const struct cli_option_text *text = &cli_option_texts[*id];
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
