/* SPDX-License-Identifier: Apache-2.0 */
/* Reads numbers from text: columns of a table, as unihist-text(5) describes, or all numbers. */
#pragma once

#include <unihist/histogram.h>

#include "api/cli/error.h"
#include "api/cli/input/dialect.h"
#include "api/cli/input/number.h"

#define CLI_CSV_LINE_LIMIT (16 << 20) /* bytes; a longer line is an error */

#define CLI_CSV_COLUMNS 16 /* maximum per reader */

struct cli_csv_column {
    const char *name; /* requested; NULL: by number */
    size_t number;
    char header[64];  /* its name in the header, cut; "" without a header */
    uint64_t line[2]; /* of its first number, or of its first date or time; 0: none */
};

/* What has been read. */
struct cli_csv_facts {
    uint64_t rows, header;             /* lines with values; the header's line, or 0 */
    uint64_t skipped, blank, comments; /* lines left out */
    uint64_t missing;                  /* cells, of those read */
};

/* Adds the numbers of lines and cells. */
void cli_csv_facts_add(struct cli_csv_facts *to, const struct cli_csv_facts *more);

/* The separators of a line: their number, and the places of the first ones up to `wanted`. */
enum { CSV_CUTS = 32 };
struct csv_cuts {
    size_t n, wanted;
    uint32_t at[CSV_CUTS];
};

/* A reader of columns; the elements of a line are consecutive. */
struct cli_csv {
    const char *name; /* of the file, for messages */
    struct cli_csv_column columns[CLI_CSV_COLUMNS];
    size_t ncolumns; /* if all are requested, 0 until the first line is read */
    int all;         /* the columns are those of the first line */
    int finite;      /* infinities, NaN and empty fields are errors; may be set before reading */
    int no_times;    /* so are dates and times */
    uh_dtype dtype;
    size_t element_bytes;
    struct cli_dialect dialect; /* known; set before reading */
    int started;                /* the columns are known */
    size_t width;               /* cells of the header, or of the first line */
    int plain;                  /* and found by the places of separators, `cuts` */
    struct csv_cuts cuts;
    const char *limit;  /* of the bytes that are readable: after the text and one more */
    uint64_t line;      /* number of the current line, from 1 */
    uint64_t next_line; /* number of the line after it; may be set */
    struct cli_csv_facts facts;
};

/* Makes a reader of columns, each a number from 0, a name, or '=' and a name that may be digits, of lines with cells
 * between commas. With `ncolumns` 0 it reads all columns. The texts are borrowed. */
int cli_csv_start(struct cli_csv *csv, const char *name, const char *const *columns, size_t ncolumns, uh_dtype dtype);

/* Returns the columns that are known to be of numbers or, if `times` is 1, of dates and times; column i as bit i. */
uint32_t cli_csv_kinds(const struct cli_csv *csv, int times);

/* Restarts, as if just made. */
void cli_csv_reset(struct cli_csv *csv);

/* Reads lines from the text until it is used up or `capacity` elements (at least a line's) are stored in `elements`,
 * line by line. A line without its end is not used: pass it again with the text after it, or set `last` if there is
 * none. The same holds for a header, and all before the table. The byte after the text must be readable
 * and no part of a number. Returns 0, the bytes used and the elements stored; -1 on error. At the end, call it until it
 * has used all and stored none. */
int cli_csv_parse(struct cli_csv *csv, const char *text, size_t bytes, int last, size_t *used, void *elements,
                  size_t capacity, size_t *stored);

/* Reads all numbers, or dates and times, of a whole text. A line has one, or several separated by commas, semicolons or
 * blanks, and may end with a separator. Lines that are blank or begin with # are skipped, as is the first other line if
 * it begins with a name. For the byte after the text see cli_csv_parse. The caller frees the numbers, also after a
 * failure. */
int cli_csv_numbers(const char *name, const char *text, size_t bytes, struct cli_numbers *numbers);

/* ---- lines: their ends and fields -------------------------------------------------------------------------------- */

struct csv_syntax {
    char separator, comment; /* the latter 0 for none */
};

/* A line without its end, or a field without surrounding blanks. */
struct csv_text {
    const char *text;
    size_t length;
};

/* Reads a column's field in the current line into `element`. */
int csv_cell_read(struct cli_csv *csv, struct cli_csv_column *column, struct csv_text field, void *element);

/* Stores the message that a field is not what is expected; `problem`: "" or how it differs. Returns -1. */
int csv_cell_fail(const struct cli_csv *csv, const struct cli_csv_column *column, uint64_t line, struct csv_text field,
                  const char *problem);

/* State after a character: nothing of a line yet, or of a field; in a field; within quotes; at a quote there, which
 * ends them unless another follows; in a comment. */
enum csv_state { CSV_LINE, CSV_FIELD, CSV_PLAIN, CSV_QUOTED, CSV_QUOTE, CSV_COMMENT };

/* Finds the newline that ends a line without quotes, and its separators, in one pass. Returns NULL if the line has
 * quotes, or may go on to the last bytes before `end`. */
const char *csv_line_scan(const char *text, const char *end, char separator, struct csv_cuts *cuts);

/* The same for a line with quotes. Returns NULL if it has newlines within them, or may go on after `end`. */
const char *csv_line_walk(const char *text, const char *end, char separator, struct csv_cuts *cuts);

/* Continues from a state to the newline that ends the line, after which it is CSV_LINE. Returns NULL if the line
 * continues after `end`. */
const char *csv_line_end(const char *text, const char *end, struct csv_syntax syntax, enum csv_state *state);

enum csv_line { CSV_BLANK, CSV_COMMENTED, CSV_DATA };
enum csv_line csv_line_kind(struct csv_text line, struct csv_syntax syntax);

/* Returns whether a comment may also be a row: neither a blank nor another mark follows its mark. */
int csv_line_may_be_row(struct csv_text line, char mark);

/* Finds the first field and moves `*at` after its separator, to NULL after the last one. Returns 0 if `*at` is NULL
 * already. */
int csv_line_field(const char **at, const char *end, char separator, struct csv_text *field);

static inline int csv_is_blank(char c) { return c == ' ' || c == '\t'; }

/* Skips blanks that are not separators. */
static inline const char *csv_skip_blanks(const char *p, const char *end, char separator) {
    while (p < end && csv_is_blank(*p) && *p != separator)
        p++;
    return p;
}

/* Returns the text up to `end`, without trailing blanks. */
static inline struct csv_text csv_text_to(const char *begin, const char *end) {
    while (end > begin && csv_is_blank(end[-1]))
        end--;
    return (struct csv_text){begin, (size_t)(end - begin)};
}

/* Returns a field of a line with its separators' places, of which `number` are known or are all. */
static inline struct csv_text csv_line_cut(struct csv_text line, char separator, const struct csv_cuts *cuts,
                                           size_t number) {
    const char *begin = number ? line.text + cuts->at[number - 1] + 1 : line.text;
    const char *end = number < cuts->n ? line.text + cuts->at[number] : line.text + line.length;
    return csv_text_to(csv_skip_blanks(begin, end, separator), end);
}

/* Removes the quotes of a field, if any. Doubled quotes inside stay doubled. */
struct csv_text csv_line_unquote(struct csv_text field);

/* Finds a field by its number. Returns the number of fields seen: that number plus 1, or fewer. */
size_t csv_line_find(struct csv_text line, char separator, size_t number, struct csv_text *field);

/* Lists the names in a header, as many as fit; with `wanted`, those of this name but for case. */
void csv_line_names(struct csv_text header, char separator, const char *wanted, char *list, size_t size);

/* Returns 2 if a header field is the name, 1 if it differs in the case of ASCII letters, otherwise 0; a doubled quote
 * within quotes counts as one, and a name may follow '='. */
int csv_line_is_named(struct csv_text field, const char *name);
