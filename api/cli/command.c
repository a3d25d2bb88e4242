/* SPDX-License-Identifier: Apache-2.0 */
/* Finds and runs the subcommand, and prints a one-line message if it fails. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "api/cli/group.h"
#include "api/cli/options.h"

static int usage_error(const char *text, const char *word) {
    if (cli_group_is_first())
        fprintf(stderr, "%s: %s%s%s%s; see '%s --help'\n", cli_program, text, word ? " '" : "", word ? word : "",
                word ? "'" : "", cli_program);
    return CLI_USAGE;
}

/* Returns the command of that name, or NULL after printing an error. */
static const struct cli_command *find_command(const char *name) {
    const struct cli_command *command = cli_command_named(name);
    if (!command)
        usage_error(name[0] == '-' ? "unknown option" : "unknown command", name);
    return command;
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
        return usage_error("--completion expects one shell, found also", argv[3]);
    if (argc < 3 || cli_completion(stdout, argv[2]))
        return usage_error("--completion expects bash, zsh or fish, got", argc == 3 ? argv[2] : "");
    return CLI_OK;
}

static int help(int argc, char **argv) {
    const struct cli_command *command;
    if (argc > 3)
        return usage_error("help expects one command, found also", argv[3]);
    if (argc < 3)
        return print_help();
    if (!(command = find_command(argv[2])))
        return CLI_USAGE;
    cli_options_help(stdout, command);
    return CLI_OK;
}

static int run_command(const struct cli_command *command, int argc, char **argv) {
    struct cli_arguments arguments;
    int result = cli_arguments_parse(command, argc, argv, &arguments);
    if (result == 0 && arguments.help)
        cli_options_help(stdout, command);
    else if (result == 0)
        result = command->run(&arguments);
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
        fprintf(stderr, "%s %s: %s\n", cli_program, command->name, cli_error.text);
    return cli_error.usage ? CLI_USAGE : CLI_FAILURE;
}

static int dispatch(int argc, char **argv) {
    const struct cli_command *command;
    if (argc < 2)
        return usage_error("a command is missing", NULL);
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
        printf("%s %s\n", cli_program, uh_version());
        return CLI_OK;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
        return print_help();
    if (strcmp(argv[1], "--completion") == 0 && !cli_group)
        return completion(argc, argv);
    if (strcmp(argv[1], "--complete") == 0 && !cli_group) {
        cli_complete(stdout, argc - 2, argv + 2);
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
