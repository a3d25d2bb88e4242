/* SPDX-License-Identifier: Apache-2.0 */
/* Texts for charts and pictures. */
#ifndef CLI_TEXT_H
#define CLI_TEXT_H

#include <stddef.h>
#include <stdint.h>

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

#endif
