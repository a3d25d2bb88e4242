/* SPDX-License-Identifier: Apache-2.0 */
/* What text is printed on, and what it can show. */
#ifndef CLI_TERMINAL_H
#define CLI_TERMINAL_H

#include <stddef.h>
#include <stdio.h>

#include "api/cli/display/text.h"

struct cli_terminal {
    FILE *out;
    size_t width;    /* the terminal's, else $COLUMNS, else 80 */
    int utf8;        /* the locale's encoding is UTF-8 (LC_ALL, LC_CTYPE, LANG); else ASCII is printed */
    int colour;      /* a terminal, NO_COLOR is not set and TERM is not dumb */
    int is_terminal; /* not a file or a pipe */
};

/* Returns the columns of a terminal, 0 where they are not known or the stream is none. */
size_t cli_terminal_columns(FILE *stream);

/* Tells of standard output. */
struct cli_terminal cli_terminal_look(void);

/* Prints a text of any content, cut to so many columns, and what ends it. */
void cli_terminal_text(const struct cli_terminal *terminal, const char *text, size_t columns, const char *end);

/* Prints the name of what is shown, which may be NULL and is cut, and what its values are. */
void cli_terminal_title(const struct cli_terminal *terminal, const char *title, const char *label);

/* Returns lines of items that are printed on the terminal, which is lent. */
struct cli_lines cli_terminal_lines(const struct cli_terminal *terminal);

/* Prints `count` times `text`. */
void cli_terminal_repeat(const struct cli_terminal *terminal, const char *text, size_t count);

/* Goes on in another style: DIM is for axes and labels. Prints nothing where colour is off. */
enum cli_style { CLI_NORMAL, CLI_DIM, CLI_BAR };
void cli_terminal_style(const struct cli_terminal *terminal, enum cli_style style);

/* Ends a line, in the style of the next. */
void cli_terminal_end(const struct cli_terminal *terminal);

#endif
