/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers out of text: columns of a table, or all the numbers there are.
 *
 * A table's lines end in LF or CRLF. Its separator is what its first line of data has outside quotes: a tab, else a
 * semicolon, else a comma, else blanks (any number of them counts as one). Lines that are blank or begin with # are
 * skipped. The first of the others is a header if a column is asked for by name, or if its field there is not a
 * number. Fields may stand in double quotes, a doubled quote inside them is one quote. An empty field is NaN, and an
 * error for integers. */
#ifndef CLI_CSV_H
#define CLI_CSV_H

#include <stddef.h>

#include <unihist/histogram.h>

#include "api/cli/error.h"

#define CLI_CSV_LINE_LIMIT (16 << 20) /* bytes; a longer line is refused */

struct cli_csv;

#define CLI_CSV_COLUMNS 16 /* of a reader, at most */

/* Makes a reader of columns, each a number from 0 or a name: the elements of one line follow each other. Without any,
 * `ncolumns` 0, it is one of all columns, and a line that has fewer or more than the first is an error. `name` is the
 * file's, for messages. The texts are lent. Returns 0 and a reader for cli_csv_destroy, or -1. */
int cli_csv_create(const char *name, const char *const *columns, size_t ncolumns, uh_dtype dtype, struct cli_csv **out,
                   struct cli_error *error);

void cli_csv_destroy(struct cli_csv *csv);

/* Makes errors of infinities, NaN and empty fields. */
void cli_csv_require_finite(struct cli_csv *csv);

/* Returns what separates fields, once something was read. */
char cli_csv_separator(const struct cli_csv *csv);

/* Returns how many columns it reads: 0 until the first line is read where those are all. */
size_t cli_csv_columns(const struct cli_csv *csv);

/* Lends what the header calls the i-th of them, "" without a header. */
const char *cli_csv_column_name(const struct cli_csv *csv, size_t i);

/* Starts again, as if just made. */
void cli_csv_reset(struct cli_csv *csv);

/* Returns the number of the next line, from 1, or sets it. */
uint64_t cli_csv_line(const struct cli_csv *csv);
void cli_csv_set_line(struct cli_csv *csv, uint64_t line);

/* Reads lines from the text until they are used up or `capacity` elements (a line's or more) are stored in `elements`,
 * those of a line together. A line whose end is not there is not used: it is to be given again, with what follows it;
 * `last` says that nothing does. So it is with a header, whose end is that of the line after it. The byte behind the
 * text can be read and is none of a number. Returns 0, how many bytes were used and how many elements stored; -1 on an
 * error. At the end, call it until it has used all and stored none. */
int cli_csv_parse(struct cli_csv *csv, const char *text, size_t bytes, int last, size_t *used, void *elements,
                  size_t capacity, size_t *stored, struct cli_error *error);

/* Reads all the numbers of a whole text. A line has one, or several with commas, semicolons or blanks between them, and
 * may end with a separator. Lines that are blank or begin with # are skipped, and so is the first of the others where
 * it begins with no number. What is behind the text is as for cli_csv_parse. The caller frees `*numbers`, also after a
 * failure. Returns 0 or -1. */
int cli_csv_numbers(const char *name, const char *text, size_t bytes, double **numbers, size_t *n,
                    struct cli_error *error);

/* ---- lines: where they end, and what fields they have ------------------------------------------------------------ */

/* How fields are separated, besides '\t', ';' and ','. */
enum { CSV_BLANKS = ' ', CSV_SINGLE = '\0' /* a line is one field */ };

/* A line without its end, or a field without the blanks around it. */
struct csv_text {
    const char *text;
    size_t length;
};

/* What a character of a text belongs to: nothing of a line yet, or of a field; a field; one within quotes; a quote in
 * it, which ends these unless another one follows; a comment. */
enum csv_state { CSV_LINE, CSV_FIELD, CSV_PLAIN, CSV_QUOTED, CSV_QUOTE, CSV_COMMENT };

/* Goes on from a state to the newline that ends the line, behind which it is CSV_LINE; `separator` is 0 while it is not
 * known. Returns NULL where the line goes on after `end`. */
const char *csv_line_end(const char *text, const char *end, char separator, enum csv_state *state);

/* Says whether the line holds nothing, or a comment. */
int csv_line_is_skipped(struct csv_text line, char separator);

/* Finds the separator that a line uses. */
char csv_line_separator(struct csv_text line);

/* Gives the first field and moves `*at` behind its separator, to NULL after the last one. Returns 0 when `*at` is
 * NULL already. */
int csv_line_field(const char **at, const char *end, char separator, struct csv_text *field);

/* Takes the quotes off a field, if it has them. Doubled quotes within stay so. */
struct csv_text csv_line_unquote(struct csv_text field);

#endif
