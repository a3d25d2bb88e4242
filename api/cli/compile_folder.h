/* SPDX-License-Identifier: Apache-2.0 */
/* A folder in $TMPDIR with all files that compilers read, and functions to run them. It is removed by cli_folder_close,
 * also if a signal (interrupt.h) ends the command in between. */
#ifndef CLI_COMPILE_FOLDER_H
#define CLI_COMPILE_FOLDER_H

#include <limits.h>
#include <stddef.h>
#include <stdio.h>

#include "api/cli/compile.h"

enum {
    CLI_FOLDER = 1024,
    CLI_FOLDER_PATH = CLI_FOLDER + 64, /* of a file in it */
    CLI_LINE_WORDS = 40
};

struct cli_folder {
    char path[CLI_FOLDER];
    char source[PATH_MAX]; /* path of the text, in the folder or the user's own file */
    const struct cli_text *text;
};

/* Makes and fills the folder. Call cli_folder_close in both cases. */
int cli_folder_open(struct cli_folder *folder, const struct cli_text *text);

/* Removes the folder, then raises any signal received since it was opened. */
void cli_folder_close(const struct cli_folder *folder);

/* Writes a file of the folder; `name` may contain folders. Returns 0, or -1 with a message. */
int cli_folder_write(const struct cli_folder *folder, const char *name, const char *bytes, size_t size);

/* A command line: add one word, formatted, or all words of a text. */
struct cli_line {
    char *word[CLI_LINE_WORDS + 1]; /* in `room` */
    size_t n, used;                 /* n > CLI_LINE_WORDS: too long */
    char room[4 * PATH_MAX];
};

__attribute__((format(printf, 2, 3))) void cli_line_add(struct cli_line *line, const char *format, ...);
void cli_line_add_words(struct cli_line *line, const char *words);

/* Runs a program. Returns 0, 1 if there is no such program, or -1 with a message. */
int cli_folder_run(const struct cli_folder *folder, struct cli_line *line);

/* Prints the first lines of a compiler's output, closes it, and stores the message that it rejected the text. `said`:
 * NULL if there is no output. Returns -1. */
int cli_folder_fail(const struct cli_folder *folder, const char *compiler, FILE *said);

#endif
