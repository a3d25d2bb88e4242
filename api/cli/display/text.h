/* SPDX-License-Identifier: Apache-2.0 */
/* Texts for charts and pictures, and the terminals they are printed on. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Bytes for a number: 20 digits, 6 commas, the final null. */
#define CLI_TEXT_COUNT_SIZE 28

/* Puts commas between groups of three digits of the whole part of a number, which needs room for a third more. */
void cli_text_group(char *number);

/* Writes a count, or any number with at most `digits` digits (17 or less). Numbers of at least `from` have commas: on a
 * coordinate 2000 may be a year. */
enum { CLI_TEXT_CONTENT = 1000, CLI_TEXT_COORDINATE = 10000 };
void cli_text_count(char text[CLI_TEXT_COUNT_SIZE], uint64_t count);
void cli_text_number(char text[CLI_TEXT_COUNT_SIZE], double value, int digits, int from);

/* Returns the digits that show differences of `step` between numbers up to `largest`, at least `min`. */
int cli_text_digits(double largest, double step, int min);

/* Copies `source` (NULL is "") in displayable form: control characters and invalid UTF-8 become '?', with `utf8` 0 all
 * non-ASCII characters too. A text wider than `columns` is cut and ends in an ellipsis. Writes at most `size` bytes
 * including the final null; `size` must suffice for the ellipsis. */
void cli_text_clean(char *text, size_t size, const char *source, size_t columns, int utf8);

/* Returns the columns of a text in UTF-8; the second form is a `measure` callback. */
size_t cli_text_columns(const char *text);
double cli_text_measure(void *on, const char *text);

/* Items in lines that break between items when full. */
struct cli_lines {
    double room; /* of a line, in units of `measure` */
    double (*measure)(void *on, const char *text);
    void (*print)(void *on, const char *line);
    void *on;
    const char *between; /* separator of items */
    size_t used;
    char line[2048];
};

/* Adds an item, such as "n 1,018". */
__attribute__((format(printf, 2, 3))) void cli_lines_add(struct cli_lines *lines, const char *format, ...);
void cli_lines_count(struct cli_lines *lines, const char *name, uint64_t count);
void cli_lines_number(struct cli_lines *lines, const char *name, double value, int digits, int from);
void cli_lines_end(struct cli_lines *lines);

struct cli_terminal {
    FILE *out;
    size_t width;    /* of the terminal, otherwise $COLUMNS, otherwise 80 */
    int utf8;        /* the locale's encoding is UTF-8 (LC_ALL, LC_CTYPE, LANG); otherwise ASCII is printed */
    int colour;      /* a terminal, NO_COLOR is not set and TERM is not dumb */
    int is_terminal; /* not a file or a pipe */
};

/* Returns the columns of a terminal, 0 if unknown or if the stream is not a terminal. */
size_t cli_terminal_columns(FILE *stream);

struct cli_terminal cli_terminal_detect(void);

/* Prints any text, cut to `columns`, and then `end`. */
void cli_terminal_text(const struct cli_terminal *terminal, const char *text, size_t columns, const char *end);

/* Prints the title, which may be NULL and is cut, and the label of the values. */
void cli_terminal_title(const struct cli_terminal *terminal, const char *title, const char *label);

/* Returns lines of items for the terminal, which is borrowed. */
struct cli_lines cli_terminal_lines(const struct cli_terminal *terminal);

/* Changes the style; DIM is for axes and labels. Prints nothing if colour is off. */
enum cli_style { CLI_NORMAL, CLI_DIM, CLI_BAR };
void cli_terminal_style(const struct cli_terminal *terminal, enum cli_style style);

/* Returns the colour nearest to red, green and blue, eight bits each, among a terminal's 256, in the cube of six levels
 * per component. */
unsigned cli_terminal_code(unsigned rgb);

/* Ends a line, in the style of the next. */
void cli_terminal_end(const struct cli_terminal *terminal);
