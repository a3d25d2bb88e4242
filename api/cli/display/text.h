/* SPDX-License-Identifier: Apache-2.0 */
/* Texts for charts and pictures, and what they are printed on. */
#ifndef CLI_TEXT_H
#define CLI_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The bytes that cli_text_count needs: 20 digits, 6 commas, the end. */
#define CLI_TEXT_COUNT_SIZE 28

/* Writes a count with commas between groups of three digits. Returns the length. */
int cli_text_count(char text[CLI_TEXT_COUNT_SIZE], uint64_t count);

/*
 * Copies `source` (NULL is "") fit to be shown: control characters and what is not UTF-8 become '?', and with `utf8` 0
 * all but ASCII. A text wider than `columns` is cut and ends in an ellipsis. At most `size` bytes are written, the end
 * included; there are enough for the ellipsis.
 */
void cli_text_clean(char *text, size_t size, const char *source, size_t columns, int utf8);

/* Returns the columns that a text in UTF-8 takes; the second one for those who measure on any paper. */
size_t cli_text_columns(const char *text);
double cli_text_measure(void *on, const char *text);

/* Items in lines that break between them where they are full. */
struct cli_lines {
    double room; /* of a line, as `measure` tells it */
    double (*measure)(void *on, const char *text);
    void (*print)(void *on, const char *line);
    void *on;
    const char *between; /* two items of a line */
    size_t used;
    char line[2048];
};

/* Adds an item, such as "n 1,018". */
__attribute__((format(printf, 2, 3))) void cli_lines_add(struct cli_lines *lines, const char *format, ...);
void cli_lines_count(struct cli_lines *lines, const char *name, uint64_t count);

/* Prints the last line, if something is in it. */
void cli_lines_end(struct cli_lines *lines);

/* ---- terminals -------------------------------------------------------------------------------------------------- */

/* What text is printed on, and what it can show. */
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

/* Goes on in another style: DIM is for axes and labels. Prints nothing where colour is off. */
enum cli_style { CLI_NORMAL, CLI_DIM, CLI_BAR };
void cli_terminal_style(const struct cli_terminal *terminal, enum cli_style style);

/* Ends a line, in the style of the next. */
void cli_terminal_end(const struct cli_terminal *terminal);

#endif
