/* SPDX-License-Identifier: Apache-2.0 */
/* Texts for charts and pictures. */
#ifndef CLI_TEXT_H
#define CLI_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "api/cli/output/result.h"

/* The bytes that cli_text_count needs: 20 digits, 6 commas, the end. */
#define CLI_TEXT_COUNT_SIZE 28

/* Writes a count with commas between groups of three digits. Returns the length. */
int cli_text_count(char text[CLI_TEXT_COUNT_SIZE], uint64_t count);

/* Writes what the bins `first` to `last` - 1 hold together: a count with commas, or a sum. */
void cli_text_bins(char text[CLI_TEXT_COUNT_SIZE], const struct cli_result *result, size_t first, size_t last);

/*
 * Copies `source` (NULL is "") fit to be shown: control characters and what is not UTF-8 become '?', and with `utf8` 0
 * all but ASCII. A text wider than `columns` is cut and ends in an ellipsis. At most `size` bytes are written, the end
 * included. Returns the columns that it takes.
 */
size_t cli_text_clean(char *text, size_t size, const char *source, size_t columns, int utf8);

/* Returns the columns that a text in UTF-8 takes. */
size_t cli_text_columns(const char *text);

/*
 * Returns how many significant digits %g needs to write numbers up to `largest` without a power of ten; 1 where that is
 * shorter.
 */
int cli_text_digits(double largest);

/* Text that grows within its room: begins with `used` 0. What has no room is cut. */
struct cli_line {
    char *text;
    size_t size, used;
};

void cli_line_add(struct cli_line *line, const char *before, const char *text);
void cli_line_count(struct cli_line *line, const char *before, uint64_t count);

#endif
