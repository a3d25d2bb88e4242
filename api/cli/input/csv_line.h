/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of a table: where they end, and what fields they have. */
#ifndef CLI_CSV_LINE_H
#define CLI_CSV_LINE_H

#include <stddef.h>

/* How fields are separated, besides '\t', ';' and ','. */
enum { CSV_BLANKS = ' ', CSV_SINGLE = '\0' /* a line is one field */ };

struct csv_field {
    const char *text; /* without the blanks around it */
    size_t length;
};

/* Finds the newline that ends a line with quotes in it; `separator` is 0 while it is not known. Returns NULL where the
 * line goes on after `end`, and whether within quotes. */
const char *csv_line_end(const char *text, const char *end, char separator, int *quoted);

/* Says whether the line holds nothing, or a comment. */
int csv_line_is_skipped(const char *text, size_t length, char separator);

/* Finds the separator that a line uses. */
char csv_line_separator(const char *text, size_t length);

/* Gives the first field and moves `*at` behind its separator, to NULL after the last one. Returns 0 when `*at` is
 * NULL already. */
int csv_line_field(const char **at, const char *end, char separator, struct csv_field *field);

/* Takes the quotes off a field, if it has them. Doubled quotes within stay so. */
struct csv_field csv_line_unquote(struct csv_field field);

#endif
