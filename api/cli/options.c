/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/options.h"

#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api/cli/input/input.h"
#include "api/cli/input/number.h"
#include "api/cli/output/atomic.h"

const struct cli_command *const *cli_commands;
const char *cli_program = "unihist";

const struct cli_option *cli_option_next(const struct cli_command *command, const struct cli_option *option) {
    option = option ? option + 1 : cli_options;
    while (option->name && !(option->commands & command->which))
        option++;
    return option->name ? option : NULL;
}

const struct cli_option *cli_option_named(const struct cli_command *command, const char *word, int started) {
    const size_t length = strncmp(word, "--", 2) == 0 ? strcspn(word, "=") : 0;
    const struct cli_option *option = NULL;
    while ((option = cli_option_next(command, option)))
        if (length > 2 ? strncmp(option->name, word + 2, length - 2) == 0 && (started || !option->name[length - 2])
                       : !length && word[0] == '-' && word[1] && option->letter == word[1])
            break;
    return option;
}

const struct cli_command *cli_command_named(const char *name) {
    const struct cli_command *const *command = cli_commands;
    while (*command && strcmp((*command)->name, name) != 0)
        command++;
    return *command;
}

static int add_word(struct cli_words *words, const struct cli_option *option, const char *text, size_t length) {
    const size_t max = option->max ? (size_t)option->max : UH_MAX_AXES;
    if (words->n == max)
        return cli_usage("--%s is given for more than %zu axes", option->name, max);
    if (length == 0)
        return cli_usage("--%s: a word between commas is empty", option->name);
    words->word[words->n++] = cli_have(strndup(text, length));
    return 0;
}

static int add_words(struct cli_words *words, const struct cli_option *option, const char *text) {
    for (const char *at = text; at;) {
        const size_t length = strcspn(at, ",");
        if (add_word(words, option, at, length))
            return -1;
        at = at[length] ? at + length + 1 : NULL;
    }
    return 0;
}

static void free_words(struct cli_words *words) {
    while (words->n)
        free(words->word[--words->n]);
}

char *cli_file_of(const char *word, uint64_t *axis) {
    const char *colon = strrchr(word, ':');
    *axis = UINT64_MAX;
    if (strcmp(word, "-") == 0 || access(word, F_OK) == 0)
        return strdup(word);
    if (!colon || cli_parse_u64(colon + 1, 0, UH_MAX_AXES - 1, axis))
        return NULL;
    char *path = strndup(word, (size_t)(colon - word));
    if (path && access(path, F_OK) == 0)
        return path;
    free(path);
    return NULL;
}

static int is_list_of_files(const struct cli_option *option, const char *text) {
    struct cli_words files = {.n = 0};
    int all = strchr(text, ',') && access(text, F_OK) != 0 && add_words(&files, option, text) == 0;
    for (size_t i = 0; i < files.n; i++) {
        uint64_t axis;
        char *file = cli_file_of(files.word[i], &axis);
        all = all && file;
        free(file);
    }
    free_words(&files);
    return all;
}

/* Returns the option's words, without the comma that allows lists. */
static const char *first_word(const struct cli_option *option) { return option->values + (option->values[0] == ','); }

/* Returns the number from 1 of the option's word that equals the value or, for types, names the same type; 0 if none
 * does. */
static int number_of(const struct cli_option *option, const char *value) {
    struct cli_stored wanted, listed;
    int number = 1;
    if (option->kind == CLI_DTYPE &&
        (cli_stored_from_name(value, &wanted) || (option->commands == CLI_SAMPLE && strpbrk(value, "<>=|"))))
        return 0;
    for (const char *word = first_word(option); *word; word += *word == ' ', number++) {
        char name[16];
        const size_t length = strcspn(word, " ");
        snprintf(name, sizeof name, "%.*s", (int)length, word);
        if (option->kind == CLI_DTYPE
                ? !cli_stored_from_name(name, &listed) && listed.dtype == wanted.dtype && listed.half == wanted.half
                : !strcmp(name, value))
            return number;
        word += length;
    }
    return 0;
}

static int fail_listed(const struct cli_option *option, const char *value) {
    char words[200] = "";
    for (const char *at = first_word(option), *end; *at; at = end + (*end == ' ')) {
        end = at + strcspn(at, " ");
        cli_append(words, sizeof words, *end ? ", " : " or ", "%.*s", (int)(end - at), at);
    }
    return cli_usage("--%s '%.200s': expected %s%s", option->name, value, words,
                     option->kind == CLI_DTYPE ? ", or NumPy's name of one" : "");
}

static int set_whole(const struct cli_option *option, const char *value, struct cli_whole *whole) {
    whole->given = 1;
    if (!cli_parse_u64(value, option->min, option->max, &whole->value))
        return 0;
    return cli_usage("--%s '%.200s': expected a whole number from %" PRIu64 " to %" PRIu64, option->name, value,
                     option->min, option->max);
}

static int set_real(const struct cli_option *option, const char *value, double *to) {
    const int bad = cli_parse_double(value, strlen(value), to) || !(*to > 0) || !isfinite(*to);
    if (!bad && (!option->max || *to <= (double)option->max))
        return 0;
    return option->max ? cli_usage("--%s '%.200s': expected a number above 0, at most %" PRIu64, option->name, value,
                                   option->max)
                       : cli_usage("--%s '%.200s': expected a number above 0", option->name, value);
}

static int set_choice(const struct cli_option *option, const char *value, struct cli_words *words) {
    if (add_words(words, option, value))
        return -1;
    for (size_t i = 0; i < words->n; i++)
        if (!number_of(option, words->word[i]))
            return fail_listed(option, words->word[i]);
    return 0;
}

static int set(const struct cli_option *option, const char *value, struct cli_arguments *arguments) {
    void *at = (char *)arguments + option->at;
    if (!value) { /* a flag, or a switch without a word */
        *(int *)at = 1;
        return 0;
    }
    switch (option->kind) {
    case CLI_FLAG: return 0; /* has no word */
    case CLI_TEXT:
    case CLI_OUTPUT: *(const char **)at = value; return 0;
    case CLI_SWITCH: *(int *)at = 1 + number_of(option, value); return *(int *)at == 1 ? fail_listed(option, value) : 0;
    case CLI_WORD: *(int *)at = number_of(option, value); return *(int *)at ? 0 : fail_listed(option, value);
    case CLI_NAME:
    case CLI_DTYPE: *(const char **)at = value; return number_of(option, value) ? 0 : fail_listed(option, value);
    case CLI_WHOLE: return set_whole(option, value, at);
    case CLI_REAL: return set_real(option, value, at);
    case CLI_WORDS: return add_words(at, option, value);
    case CLI_CHOICE: return set_choice(option, value, at);
    case CLI_FILES:
        if (is_list_of_files(option, value))
            return add_words(at, option, value);
        return add_word(at, option, value, strlen(value));
    case CLI_ITEM: return add_word(at, option, value, strlen(value));
    case CLI_LITERAL: {
        char *name = cli_format("=%s", value);
        const int failed = add_word(at, option, name, strlen(name));
        free(name);
        return failed;
    }
    case CLI_SOURCE:
        if (arguments->source && arguments->source != option)
            return cli_usage("--%s and --%s both select the distribution; give one", arguments->source->name,
                             option->name);
        arguments->source = option;
        arguments->source_text = value;
        return 0;
    }
    return cli_fail("an option of an invalid kind");
}

/* Lists the subcommands that have an option, separated by commas. Returns whether there are some. */
static int name_takers(const char *word, int started, char *names, size_t size) {
    names[0] = '\0';
    for (const struct cli_command *const *command = cli_commands; command && *command; command++)
        if (cli_option_named(*command, word, started))
            cli_append(names, size, ", ", "%s", (*command)->name);
    return *names != '\0';
}

/* getopt's code of an option is this plus its index in the table. */
enum { FIRST_CODE = 256 };

/* Stores the messages of getopt_long's errors; `word`: the last argument it examined. */
static int complain(const struct cli_command *command, int code, int option, const char *word) {
    char name[64], known[64], takers[128];
    struct cli_nearest nearest = {.text = ""};
    if (option >= FIRST_CODE)
        snprintf(name, sizeof name, "--%s", cli_options[option - FIRST_CODE].name);
    else
        snprintf(name, sizeof name, "-%c", option);
    if (code == ':')
        return cli_usage("option '%s' needs a value; see 'unihist %s --help'", name, command->name);
    if (option >= FIRST_CODE)
        return cli_usage("option '%s' takes no value", name);
    const char *given = option ? name : word;
    if (!option && cli_option_named(command, word, 1))
        return cli_usage("ambiguous option '%.200s'; see 'unihist %s --help'", given, command->name);
    if (name_takers(given, 0, takers, sizeof takers) || name_takers(given, 1, takers, sizeof takers))
        return cli_usage("option '%.*s' is unknown to %s, valid for %s; see 'unihist %s --help'",
                         (int)strcspn(given, "="), given, command->name, takers, command->name);
    snprintf(takers, sizeof takers, "%.*s", (int)strcspn(given, "="), given);
    for (const struct cli_option *other = NULL; (other = cli_option_next(command, other));) {
        snprintf(known, sizeof known, "--%s", other->name);
        cli_nearest_try(&nearest, takers, known);
    }
    return cli_usage("unknown option '%.200s'%s; see 'unihist %s --help'", given, nearest.text, command->name);
}

/* Returns how many letters have to be inserted, removed, replaced or swapped, at most 1 more than `most`. */
static size_t distance(const char *a, const char *b, size_t most) {
    while (*a && *a == *b)
        a++, b++;
    if (most == 0 || (!*a && !*b))
        return *a || *b;
    const size_t one = *a != 0, other = *b != 0, both = one && other && a[0] == b[1] && a[1] == b[0] ? 2 : 0;
    const size_t skipped[][2] = {{one, 0}, {0, other}, {one, other}, {both, both}};
    size_t least = most;
    for (size_t i = 0; i < sizeof skipped / sizeof *skipped; i++) {
        const size_t more = distance(a + skipped[i][0], b + skipped[i][1], most - 1);
        least = more < least ? more : least;
    }
    return 1 + least;
}

void cli_nearest_try(struct cli_nearest *nearest, const char *typed, const char *name) {
    const size_t length = strlen(typed), most = length < 5 ? 1 : 2;
    const size_t mistakes = strncmp(name, typed, length) == 0 ? 0 : distance(typed, name, most);
    if (length < 2 || mistakes > most || (*nearest->text && mistakes > nearest->mistakes))
        return;
    if (!*nearest->text || mistakes < nearest->mistakes)
        snprintf(nearest->text, sizeof nearest->text, ", did you mean '%s'", name);
    else
        cli_append(nearest->text, sizeof nearest->text, " or ", "'%s'", name);
    nearest->mistakes = mistakes;
}

const char *cli_option_output(const struct cli_option *option, const struct cli_arguments *arguments) {
    return option->kind == CLI_OUTPUT ? *(const char *const *)((const char *)arguments + option->at) : NULL;
}

static int are_one_file(const char *path, const char *other) {
    struct stat info, others;
    if (cli_atomic_is_stream(path) || cli_atomic_is_stream(other))
        return strcmp(path, other) == 0 ? strcmp(path, "/dev/null") != 0
                                        : cli_atomic_is_standard_output(path) && cli_atomic_is_standard_output(other);
    return strcmp(path, other) == 0 || (stat(path, &info) == 0 && stat(other, &others) == 0 &&
                                        info.st_dev == others.st_dev && info.st_ino == others.st_ino);
}

/* Refuses an output that is another one too, or an input, which would be lost. */
static int check_outputs(const struct cli_arguments *arguments) {
    const struct cli_command *command = arguments->command;
    const char *const more[] = {arguments->weights, arguments->sample, arguments->source_text};
    const char *path, *also;
    if (arguments->format && !arguments->output)
        return cli_usage("--format is the format of --output, which is missing");
    for (const struct cli_option *option = NULL; (option = cli_option_next(command, option));) {
        if (!(path = cli_option_output(option, arguments)))
            continue;
        for (const struct cli_option *first = NULL; (first = cli_option_next(command, first)) != option;)
            if ((also = cli_option_output(first, arguments)) && are_one_file(path, also))
                return cli_usage("--%s and --%s both go to '%.200s'", first->name, option->name, path);
        for (size_t i = 0; i < arguments->npaths + 3 && command->which != CLI_MERGE; i++) {
            also = i < 3 ? more[i] : arguments->paths[i - 3];
            if (also && !cli_atomic_is_stream(path) && are_one_file(path, strcmp(also, "-") ? also : "/dev/stdin"))
                return cli_usage("--%s '%.200s' is also an input, which would be lost", option->name, path);
        }
    }
    return 0;
}

enum { OPTIONS = 64 }; /* maximum per subcommand */

int cli_arguments_parse(const struct cli_command *command, int argc, char **argv, struct cli_arguments *arguments) {
    char letters[2 + 2 * OPTIONS] = ":", *letter = letters + 1;
    struct option options[OPTIONS + 1] = {{0}}, *last = options;
    int code;
    for (const struct cli_option *option = NULL; (option = cli_option_next(command, option));) {
        const int has = option->kind == CLI_SWITCH ? optional_argument
                        : option->argument         ? required_argument
                                                   : no_argument;
        *last++ = (struct option){option->name, has, NULL, FIRST_CODE + (int)(option - cli_options)};
        if (option->letter)
            letter += snprintf(letter, 3, has == required_argument ? "%c:" : "%c", option->letter);
    }
    *arguments = (struct cli_arguments){.command = command};
    opterr = 0;
    optind = 1;
    while ((code = getopt_long(argc, argv, letters, options, NULL)) != -1) {
        if (code == '?' || code == ':')
            return complain(command, code, optopt, argv[optind - 1]);
        const struct cli_option *option = code < FIRST_CODE
                                              ? cli_option_named(command, (char[]){'-', (char)code, '\0'}, 0)
                                              : &cli_options[code - FIRST_CODE];
        if (optarg && !*optarg)
            return cli_usage("the value of option '--%s' is empty; see 'unihist %s --help'", option->name,
                             command->name);
        if (set(option, optarg, arguments))
            return -1;
        if (arguments->help)
            return 0;
    }
    for (int i = optind; i < argc; i++)
        if (!*argv[i])
            return cli_usage("an argument is empty; see 'unihist %s --help'", command->name);
    arguments->paths = argv + optind;
    arguments->npaths = (size_t)(argc - optind);
    return check_outputs(arguments) ? -1 : cli_text_options_read(arguments);
}

void cli_arguments_free(struct cli_arguments *arguments) {
    for (int i = 0; i < CLI_AXIS_OPTIONS; i++)
        free_words(&arguments->axis[i]);
    free_words(&arguments->columns);
}

enum { COLUMN = 26, WIDTH = 60 }; /* of the options' texts in the help */

static void print_wrapped(const char *text) {
    for (const char *at = text; *at; at += *at == ' ') {
        size_t length = strlen(at);
        for (size_t end = WIDTH; length > WIDTH; end--)
            length = at[end] == ' ' ? end : length;
        printf("%*s%.*s\n", at == text ? 0 : COLUMN, "", (int)length, at);
        at += length;
    }
}

void cli_options_help(const struct cli_command *command) {
    printf("Usage: %s %s [options]%s%s\n\n%s.\n\nOptions:\n", cli_program, command->name, *command->operands ? " " : "",
           command->operands, command->summary);
    for (const struct cli_option *option = NULL; (option = cli_option_next(command, option));) {
        char left[64];
        int used = snprintf(left, sizeof left, option->letter ? "  -%c, " : "      ", option->letter);
        used += snprintf(left + used, sizeof left - (size_t)used, "--%s%s%s", option->name,
                         option->argument && option->kind != CLI_SWITCH ? " " : "",
                         option->argument ? option->argument : "");
        printf("%-*s", COLUMN, left);
        if (used >= COLUMN)
            printf("\n%*s", COLUMN, "");
        print_wrapped(option->help);
    }
    if (*command->notes)
        printf("\n%s", command->notes);
}
