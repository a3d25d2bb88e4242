/* SPDX-License-Identifier: Apache-2.0 */
/* A folder in $TMPDIR in which compilers work, with all that they read, and how they are run. It is gone when it is
 * closed, and where a signal ends the command meanwhile. */
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
    char source[PATH_MAX]; /* the text's file, in the folder or the user's own */
    const struct cli_text *text;
    struct cli_error *error; /* where messages go */
};

/* Makes the folder and fills it. 0, or -1 with a message; cli_folder_close follows either. */
int cli_folder_open(struct cli_folder *folder, const struct cli_text *text, struct cli_error *error);

/* Removes it; a signal that came since it was opened has its way then. */
void cli_folder_close(const struct cli_folder *folder);

/* Writes a file of it, `name` with folders. 0, or -1 with a message. */
int cli_folder_write(const struct cli_folder *folder, const char *name, const char *bytes, size_t size);

/* A command line. */
struct cli_line {
    char *word[CLI_LINE_WORDS + 1]; /* lent, or kept in `room` */
    size_t n, used;                 /* more than CLI_LINE_WORDS: it is too long */
    char room[4 * PATH_MAX];
};

void cli_line_add(struct cli_line *line, const char *word);
void cli_line_add_all(struct cli_line *line, const char *const *words); /* NULL ends them */
/* Adds a word put together of a beginning, a middle and an end. */
void cli_line_add_joined(struct cli_line *line, const char *before, const char *middle, const char *behind);

/* Runs a program. Returns 0; 1 where there is no such program; or -1 with a message. */
int cli_folder_run(const struct cli_folder *folder, struct cli_line *line);

/* Shows the first lines of what a compiler has said, closes that, and stores that it has refused the text. NULL: it has
 * said nothing. Returns -1. */
int cli_folder_fail(const struct cli_folder *folder, const char *compiler, FILE *said);

#endif
