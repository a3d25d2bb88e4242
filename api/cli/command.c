/* SPDX-License-Identifier: Apache-2.0 */
/* Finds and runs the subcommand, and prints a one-line message if it fails. */
#define _GNU_SOURCE /* strchrnul */
#include <errno.h>
#include <omp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "api/cli/group.h"
#include "api/cli/input/container.h"
#include "api/cli/input/csv.h"
#include "api/cli/options.h"
#include "api/cli/output/atomic.h"

static const char *running; /* name of the subcommand */

void cli_warn(const char *format, ...) {
    va_list arguments;
    if (!cli_group_is_first())
        return;
    va_start(arguments, format);
    fprintf(stderr, "%s %s: warning: ", cli_program, running);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

/* ---- shell completion, from the table of options ----------------------------------------------------------------- */

static void put_devices(void) {
    size_t count = 0;
    uh_device *device;
    uh_device_properties properties = {.struct_size = sizeof properties};
    uh_device_count(&count);
    for (size_t i = 0; i < count; i++)
        if (!uh_device_get(i, &device) && !uh_device_get_properties(device, &properties))
            printf("%s\n", properties.selector);
}

static const char *next_word(const char *words) {
    words += strcspn(words, " ");
    return words + strspn(words, " ");
}

/* The words of an unfinished line after the program's name; the last one is unfinished. */
struct line {
    const struct cli_command *command;
    int count;
    char **words;
};

/* Returns the option that a word names, or NULL if it takes no value. A value would begin after `length` characters. */
static const struct cli_option *valued(const struct cli_command *command, const char *word, size_t *length) {
    const struct cli_option *option = cli_option_named(command, word, 0);
    *length = word[1] == '-' ? strcspn(word, "=") : 2;
    return option && option->argument && (option->kind != CLI_SWITCH || word[*length] == '=') ? option : NULL;
}

/* Prints the names in a text's header, the first line that is no comment or the comment before it. */
static void put_header(char *text, size_t bytes, int cut, int list) {
    struct cli_dialect dialect = CLI_DIALECT_FOUND;
    const struct cli_dialect_use use = {.named = 1};
    struct csv_text name;
    if (memchr(text, 0, bytes) || cli_dialect_find(&dialect, "", text, bytes, cut, &use))
        return;
    char *line = text, *end = strchrnul(text, '\n');
    while (dialect.comment && *line == dialect.comment && *end &&
           (!dialect.names_follow || end[1] == dialect.comment)) {
        line = end + 1;
        end = strchrnul(line, '\n');
    }
    end -= end > line && end[-1] == '\r';
    const char *at = line + (dialect.names_follow && *line == dialect.comment);
    while (csv_line_field(&at, end, (char)dialect.separator, &name)) {
        name = csv_line_unquote(name);
        if (!list || !memchr(name.text, ',', name.length))
            printf("%.*s\n", (int)name.length, name.text);
    }
}

/* Prints the names of the columns of the last input that is a regular file. */
static void put_columns(const struct line *all, int list) {
    static char text[1 << 16];
    struct stat info;
    size_t length;
    for (int i = all->count - 2; i > 0; i--) {
        const int is_value = valued(all->command, all->words[i - 1], &length) && !all->words[i - 1][length];
        FILE *file =
            is_value || stat(all->words[i], &info) || !S_ISREG(info.st_mode) ? NULL : fopen(all->words[i], "r");
        if (!file)
            continue;
        const size_t bytes = fread(text, 1, sizeof text - 1, file);
        fclose(file);
        const size_t mark = memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0; /* of byte order */
        put_header(text + mark, bytes - mark, bytes == sizeof text - 1, list);
        return;
    }
}

/* Prints the table's candidates for a value that begins at `value` in the last word. */
static void put_values(const char *values, const struct line *all, const char *value) {
    const char *comma = *values == ',' ? strrchr(value, ',') : NULL, *word = all->words[all->count - 1];
    const int list = *values == ',';
    value = comma ? comma + 1 : value;
    values += list;
    for (const char *at = values; *at; at = next_word(at)) {
        const size_t fixed = strcspn(at, "* ");
        if (fixed > 0 && at[fixed] == '*' && strncmp(value, at, fixed) == 0) {
            value += fixed;
            values = at = "*"; /* only a file fits after "table:" */
        }
    }
    printf("%.*s\n", (int)(value - word), word);
    for (; *values; values = next_word(values))
        if (strncmp(values, CLI_DEVICES_WORD, strlen(CLI_DEVICES_WORD)) == 0)
            put_devices();
        else if (*values == *CLI_COLUMNS_WORD)
            put_columns(all, list);
        else
            printf("%.*s\n", (int)strcspn(values, *values == '*' ? " " : "* "), values);
}

static void complete_of(const struct line *all) {
    const char *previous = all->words[all->count - 2], *word = all->words[all->count - 1];
    size_t length;
    const struct cli_option *option = valued(all->command, previous, &length);
    if (option && !previous[length]) {
        put_values(option->values, all, word);
    } else if ((option = valued(all->command, word, &length)) && word[length]) {
        put_values(option->values, all, word + length + (word[1] == '-'));
    } else if (word[0] != '-') {
        put_values(all->command->files, all, word);
    } else {
        putchar('\n');
        for (option = NULL; (option = cli_option_next(all->command, option));)
            printf("--%s\t%s\n", option->name, option->help);
    }
}

/* Prints candidates for the script. `words`: those after the program's name up to the unfinished one. The first line is
 * the part of that word to keep; then one line per candidate, with a description after a tab, or per pattern of files,
 * with '*'. The shell selects those that match the unfinished word. */
static void complete(int count, char **words) {
    if (count >= 2 && strcmp(words[0], "help") != 0) {
        const struct cli_command *named = cli_command_named(words[0]);
        if (named)
            complete_of(&(struct line){named, count, words});
        else if (strcmp(words[0], "--completion") == 0)
            fputs("\nbash\nfish\nzsh\n", stdout);
        return;
    }
    putchar('\n');
    for (const struct cli_command *const *command = cli_commands; *command; command++)
        printf("%s\t%s\n", (*command)->name, (*command)->summary);
    if (count < 2)
        fputs("help\tPrint the help of a command\n--help\tprint this and exit\n--version\tprint the version and exit\n"
              "--completion\tprint the script for completion in bash, zsh or fish, and exit\n",
              stdout);
}

#define HEAD                                                                                                           \
    "# SPDX-License-Identifier: Apache-2.0\n"                                                                          \
    "# Completion of the unihist command, as `unihist --completion` prints it.\n"

static const struct {
    const char *shell, *script;
} scripts[] = {
    {"bash", HEAD "_unihist() {\n"
                  "    local line=${COMP_LINE:0:COMP_POINT} typed rest cut words lines word\n"
                  "    typed=${line##*[[:space:]]}\n"
                  "    read -r -a words <<<\"${line%\"$typed\"}\"\n"
                  "    mapfile -t lines < <(\n"
                  "        \"${words[0]/#\\~/$HOME}\" --complete \"${words[@]:1}\" \"$typed\" 2>/dev/null | cut -f 1)\n"
                  "    rest=${typed#\"${lines[0]:-}\"}\n"
                  "    COMPREPLY=()\n"
                  "    for word in \"${lines[@]:1}\"; do\n"
                  "        if [[ $word == \\** ]]; then\n"
                  "            mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(\n"
                  "                compgen -d -- \"$rest\"\n"
                  "                compgen -f -X \"!$word\" -- \"$rest\")\n"
                  "            compopt -o filenames 2>/dev/null\n"
                  "        elif [[ $word == \"$rest\"* ]]; then\n"
                  "            printf -v word %q \"$word\"\n"
                  "            COMPREPLY+=(\"$word\")\n"
                  "        fi\n"
                  "    done\n"
                  "    COMPREPLY=(\"${COMPREPLY[@]/#/\"${lines[0]:-}\"}\")\n"
                  "    [[ ${COMPREPLY[0]:-} != *: ]] || compopt -o nospace 2>/dev/null\n"
                  "    cut=${typed##*[ \"${COMP_WORDBREAKS//[^:=]/}\"]} # all of the word that readline replaces\n"
                  "    COMPREPLY=(\"${COMPREPLY[@]#\"${typed%\"$cut\"}\"}\")\n"
                  "}\n"
                  "complete -F _unihist unihist\n"},
    {"fish",
     HEAD "function __unihist\n"
          "    set -l words (commandline -opc)\n"
          "    set -l typed (commandline -ct)\n"
          "    set -l program (string replace -r -- '^~' $HOME $words[1])\n"
          "    set -l lines (command $program --complete $words[2..-1] \"$typed\" 2>/dev/null)\n"
          "    for line in $lines[2..-1]\n"
          "        if not string match -q -- '\\**' $line\n"
          "            printf '%s\\n' $lines[1]$line\n"
          "            continue\n"
          "        end\n"
          "        for file in (__fish_complete_path (string replace -- \"$lines[1]\" '' \"$typed\"))\n"
          "            set file (string replace -r -- '\\t.*' '' $file)\n"
          "            string match -q -- '*/' $file; or string match -q -- $line $file; and echo $lines[1]$file\n"
          "        end\n"
          "    end\n"
          "end\n"
          "complete -c unihist -f -a '(__unihist)'\n"},
    /* A file of fpath is the function's body, and defines it; sourced after compinit, it is the function's definition.
     */
    {"zsh",
     "#compdef unihist\n" HEAD "_unihist() {\n"
     "    local line ret=1\n"
     "    local -a lines described patterns\n"
     "    lines=(\"${(@f)$(${words[1]/#\\~/$HOME} --complete $words[2,CURRENT-1] \"$PREFIX\" 2>/dev/null)}\")\n"
     "    IPREFIX+=$lines[1]\n"
     "    PREFIX=${PREFIX#$lines[1]}\n"
     "    for line in $lines[2,-1]; do\n"
     "        case $line in\n"
     "        *$'\\t'*) described+=(\"${line/$'\\t'/:}\") ;;\n"
     "        \\**) patterns+=($line) ;;\n"
     "        *:) compadd -S '' -- $line && ret=0 ;;\n"
     "        *) compadd -- $line && ret=0 ;;\n"
     "        esac\n"
     "    done\n"
     "    (($#described)) && _describe unihist described && ret=0\n"
     "    (($#patterns > 1)) && patterns=(\"(${(j:|:)patterns})\")\n"
     "    (($#patterns)) && _files -g \"$patterns\" && ret=0\n"
     "    return ret\n"
     "}\n"
     "if [[ $zsh_eval_context[-1] == loadautofunc ]]; then _unihist \"$@\"; else compdef _unihist unihist; fi\n"},
};

/* ---- subcommands ------------------------------------------------------------------------------------------------- */

/* Prints a message about a word, or none if that is NULL, with an addition such as a suggestion. */
static int usage_error(const char *text, const char *word, const char *more) {
    if (cli_group_is_first())
        fprintf(stderr, "%s: %s%s%s%s%s; see '%s --help'\n", cli_program, text, word ? " '" : "", word ? word : "",
                word ? "'" : "", more, cli_program);
    return CLI_USAGE;
}

/* Returns the command of that name, or NULL after printing an error. */
static const struct cli_command *find_command(const char *name) {
    static const char *const options[] = {"--completion", "--help", "--version"};
    const struct cli_command *found = cli_command_named(name);
    struct cli_nearest nearest = {.text = ""};
    for (const struct cli_command *const *command = cli_commands; *command; command++)
        cli_nearest_try(&nearest, name, (*command)->name);
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        cli_nearest_try(&nearest, name, options[i]);
    if (!found)
        usage_error(name[0] == '-' ? "unknown option" : "unknown command", name, nearest.text);
    return found;
}

static int print_help(void) {
    printf("Usage: %s COMMAND [options] [INPUT...]\n\nExact, fast histograms%s.\n\nCommands:\n", cli_program,
           cli_group ? ", by the ranks of an MPI program together" : "");
    for (const struct cli_command *const *command = cli_commands; *command; command++)
        printf("  %-12s %s\n", (*command)->name, (*command)->summary);
    printf("  %-12s %s\n\nOptions:\n", "help CMD", "Print the help of a command");
    printf("  -h, --help          print this and exit\n  -V, --version       print the version and exit\n");
    if (!cli_group)
        printf("  --completion SHELL  print the script for completion in bash, zsh or fish, and exit\n");
    printf("\nSee '%s COMMAND --help' and the manual pages %s(1) and unihist-COMMAND(1).\n", cli_program, cli_program);
    return CLI_OK;
}

static int completion(int argc, char **argv) {
    if (argc > 3)
        return usage_error("--completion expects one shell, found also", argv[3], "");
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts && argc == 3; i++)
        if (strcmp(argv[2], scripts[i].shell) == 0)
            return fputs(scripts[i].script, stdout) < 0 ? CLI_FAILURE : CLI_OK;
    return usage_error("--completion expects bash, zsh or fish, got", argc == 3 ? argv[2] : "", "");
}

static int help(int argc, char **argv) {
    const struct cli_command *command;
    if (argc > 3)
        return usage_error("help expects one command, found also", argv[3], "");
    if (argc < 3)
        return print_help();
    if (!(command = find_command(argv[2])))
        return CLI_USAGE;
    cli_options_help(command);
    return CLI_OK;
}

/* Texts are parsed by as many threads as the library has. */
static int run_on_threads(const struct cli_command *command, struct cli_arguments *arguments) {
    const uint64_t given = arguments->threads.value, threads = given || !cli_group ? given : cli_group->threads;
    if (threads)
        omp_set_num_threads((int)threads);
    return command->run(arguments);
}

/* A pipe without a reader is an error with a message if it was named as an output. */
static int prepare_outputs(const struct cli_arguments *arguments) {
    for (const struct cli_option *option = NULL; (option = cli_option_next(arguments->command, option));) {
        const char *path = cli_option_output(option, arguments);
        if (path && cli_atomic_is_stream(path))
            signal(SIGPIPE, SIG_IGN);
        if (path && cli_atomic_is_standard_output(path) && cli_atomic_take_standard_output())
            return -1;
    }
    return 0;
}

static int run_command(const struct cli_command *command, int argc, char **argv) {
    struct cli_arguments arguments;
    running = command->name;
    int result = cli_arguments_parse(command, argc, argv, &arguments);
    if (result == 0 && arguments.help)
        cli_options_help(command);
    else if (result == 0)
        result = prepare_outputs(&arguments) || run_on_threads(command, &arguments) ? -1 : 0;
    cli_arguments_free(&arguments);
    result = cli_group_agree(result);
    if (result == 0)
        return CLI_OK;
    /* Control characters in a file's name or line must not split the message into several lines. */
    for (char *p = cli_error.text; *p; p++)
        if ((unsigned char)*p < ' ' || *p == 127)
            *p = '?';
    fflush(stdout);
    if (cli_group_is_first())
        fprintf(stderr, "%s %s: %s\n", cli_program, running, cli_error.text);
    return cli_error.usage ? CLI_USAGE : CLI_FAILURE;
}

static int dispatch(int argc, char **argv) {
    const struct cli_command *command;
    if (argc < 2)
        return usage_error("a command is missing", NULL, "");
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
        printf("%s %s\nreads %s\n", cli_program, uh_version(), cli_container_list);
        return CLI_OK;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
        return print_help();
    if (strcmp(argv[1], "--completion") == 0 && !cli_group)
        return completion(argc, argv);
    if (strcmp(argv[1], "--complete") == 0 && !cli_group) {
        complete(argc - 2, argv + 2);
        return CLI_OK;
    }
    if (strcmp(argv[1], "help") == 0)
        return help(argc, argv);
    return (command = find_command(argv[1])) ? run_command(command, argc - 1, argv + 1) : CLI_USAGE;
}

int cli_chooses_device(int argc, char **argv) {
    struct cli_arguments arguments;
    const struct cli_command *command = argc > 1 ? cli_command_named(argv[1]) : NULL;
    if (!command)
        return 0;
    const int reads = cli_arguments_parse(command, argc - 1, argv + 1, &arguments) == 0;
    const int chooses = reads && !arguments.help && (!arguments.device || strcasecmp(arguments.device, "auto") == 0);
    cli_arguments_free(&arguments);
    return chooses;
}

void cli_try_drivers(void) {
    const char *said = getenv("UNIHIST_LEVEL_ZERO");
    if (!said || !*said)
        setenv("UNIHIST_LEVEL_ZERO", "try", 1);
}

int cli_main(int argc, char **argv) {
    cli_try_drivers();
    int result = dispatch(argc, argv);
    if ((fflush(stdout) || ferror(stdout)) && result == CLI_OK) {
        fprintf(stderr, "%s: cannot write to standard output: %s\n", cli_program, strerror(errno));
        result = CLI_FAILURE;
    }
    return result;
}
