/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/input/csv.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/cli/input/number.h"

void cli_csv_reset(struct cli_csv *csv) {
    csv->started = 0;
    csv->separator = '\0';
    csv->line = csv->next_line = 1;
    csv->ncolumns = csv->all ? 0 : csv->ncolumns;
}

static int read_column(const char *text, struct cli_csv_column *column) {
    uint64_t number = 0;
    enum cli_number parsed = CLI_NUMBER_MALFORMED;
    if (strspn(text, "0123456789") == strlen(text))
        parsed = cli_number_parse(text, strlen(text), UH_U64, &number);
    if (!*text || parsed == CLI_NUMBER_OUT_OF_RANGE)
        return cli_fail("column is '%s', expected a number from 0 or a name", text);
    *column = (struct cli_csv_column){.name = parsed == CLI_NUMBER_OK ? NULL : text, .number = (size_t)number};
    return 0;
}

int cli_csv_start(struct cli_csv *csv, const char *name, const char *const *columns, size_t ncolumns, uh_dtype dtype) {
    *csv = (struct cli_csv){.name = name,
                            .ncolumns = ncolumns,
                            .all = ncolumns == 0,
                            .dtype = dtype,
                            .element_bytes = uh_dtype_size(dtype)};
    cli_csv_reset(csv);
    for (size_t i = 0; i < ncolumns; i++)
        if (read_column(columns[i], &csv->columns[i]))
            return -1;
    return 0;
}

/* Finds the next line that is not skipped, without its line end. Returns 1; 0 if none is found, or if its end is
 * unknown and more text follows; -1 on error. */
static int next_line(struct cli_csv *csv, const char **at, const char *end, int last, struct csv_text *line) {
    while (*at < end) {
        const char *begin = *at, *stop = memchr(begin, '\n', (size_t)(end - begin));
        const int odd = stop ? memchr(begin, '"', (size_t)(stop - begin)) != NULL : last;
        enum csv_state state = CSV_LINE;
        if (odd)
            stop = csv_line_end(begin, end, csv->separator, &state);
        *line = (struct csv_text){begin, (size_t)((stop ? stop : end) - begin)};
        csv->line = csv->next_line;
        if (line->length > CLI_CSV_LINE_LIMIT)
            return cli_fail("%s:%" PRIu64 ": the line is longer than %d bytes", csv->name, csv->line,
                            CLI_CSV_LINE_LIMIT);
        if (!stop && !last)
            return 0;
        if (!stop && state == CSV_QUOTED)
            return cli_fail("%s:%" PRIu64 ": a quoted field begins in this line and never ends", csv->name, csv->line);
        *at = stop ? stop + 1 : end;
        csv->next_line++;
        for (size_t i = 0; odd && i < line->length; i++)
            csv->next_line += begin[i] == '\n';
        if (line->length > 0 && begin[line->length - 1] == '\r')
            line->length--;
        if (!csv_line_is_skipped(*line, csv->separator))
            return 1;
    }
    return 0;
}

static const char *expected_of(uh_dtype dtype) {
    static const char *const texts[UH_DTYPE_COUNT] = {
        [UH_F32] = "a number",
        [UH_F64] = "a number",
        [UH_I8] = "an integer from -128 to 127",
        [UH_I16] = "an integer from -32768 to 32767",
        [UH_I32] = "an integer from -2147483648 to 2147483647",
        [UH_I64] = "an integer from -9223372036854775808 to 9223372036854775807",
        [UH_U8] = "an integer from 0 to 255",
        [UH_U16] = "an integer from 0 to 65535",
        [UH_U32] = "an integer from 0 to 4294967295",
        [UH_U64] = "an integer from 0 to 18446744073709551615",
    };
    return texts[dtype];
}

static int fail_field(const struct cli_csv *csv, const struct cli_csv_column *column, uint64_t line,
                      struct csv_text field, const char *problem) {
    char text[CLI_TEXT_QUOTE], name[CLI_TEXT_QUOTE] = "";
    cli_text_quote(text, field.text, field.length);
    if (column->name)
        cli_text_quote(name, column->name, strlen(column->name));
    return cli_fail("%s:%" PRIu64 ": column %zu%s%s is %s%s, expected %s", csv->name, line, column->number,
                    column->name ? ", " : "", name, field.length ? text : "empty", problem, expected_of(csv->dtype));
}

/* Returns whether a parsed number is not allowed. */
static int is_refused(const struct cli_csv *csv, const void *element) {
    return csv->finite && ((csv->dtype == UH_F32 && !isfinite(*(const float *)element)) ||
                           (csv->dtype == UH_F64 && !isfinite(*(const double *)element)));
}

/* Reads a column's field into `element`. */
static int read_field(const struct cli_csv *csv, const struct cli_csv_column *column, struct csv_text field,
                      void *element) {
    struct csv_text inner = field.length && *field.text == '"' ? csv_line_unquote(field) : field;
    int is_float = csv->dtype == UH_F32 || csv->dtype == UH_F64;
    if (inner.length == 0 && is_float && !csv->finite)
        inner = (struct csv_text){"nan", 3};
    switch (cli_number_parse(inner.text, inner.length, csv->dtype, element)) {
    case CLI_NUMBER_OK: return is_refused(csv, element) ? fail_field(csv, column, csv->line, field, ", not finite") : 0;
    case CLI_NUMBER_OUT_OF_RANGE: return fail_field(csv, column, csv->line, field, ", out of range");
    default: return fail_field(csv, column, csv->line, inner.length ? field : inner, "");
    }
}

/* Reads the requested columns of a data line. */
static int read_columns(const struct cli_csv *csv, struct csv_text line, unsigned char *element) {
    for (size_t i = 0; i < csv->ncolumns; i++, element += csv->element_bytes) {
        const struct cli_csv_column *column = &csv->columns[i];
        struct csv_text field = {line.text, 0};
        const size_t seen = csv_line_find(line, csv->separator, column->number, &field);
        if (seen <= column->number)
            return cli_fail("%s:%" PRIu64 ": the line has %zu column%s, expected column %zu (the first is 0)",
                            csv->name, csv->line, seen, seen == 1 ? "" : "s", column->number);
        if (read_field(csv, column, field, element))
            return -1;
    }
    return 0;
}

/* Reads all columns of a line. */
static int read_all(const struct cli_csv *csv, struct csv_text line, unsigned char *element) {
    const char *at = line.text;
    struct csv_text field;
    size_t seen = 0;
    for (; csv_line_field(&at, line.text + line.length, csv->separator, &field); seen++)
        if (seen < csv->ncolumns && read_field(csv, &csv->columns[seen], field, element + seen * csv->element_bytes))
            return -1;
    return seen == csv->ncolumns ? 0
                                 : cli_fail("%s:%" PRIu64 ": the line has %zu column%s, expected %zu as before",
                                            csv->name, csv->line, seen, seen == 1 ? "" : "s", csv->ncolumns);
}

/* Returns whether the column's field is a number, or is empty while no other field is text. */
static int has_number(const struct cli_csv_column *column, struct csv_text line, char separator) {
    struct csv_text field;
    const char *at = line.text;
    double value;
    int empty = 0, text = 0;
    for (size_t i = 0; csv_line_field(&at, line.text + line.length, separator, &field); i++) {
        field = csv_line_unquote(field);
        const int number = cli_number_parse(field.text, field.length, UH_F64, &value) == CLI_NUMBER_OK;
        if (i == column->number && number)
            return 1;
        empty |= i == column->number && field.length == 0;
        text |= !number && field.length > 0;
    }
    return empty && !text;
}

/* Returns whether the first line is data: every column's field could be. */
static int is_data(const struct cli_csv *csv, struct csv_text line, char separator) {
    for (size_t i = 0; i < csv->ncolumns; i++)
        if (csv->columns[i].name || !has_number(&csv->columns[i], line, separator))
            return 0;
    return 1;
}

/* Finds a named column in the header, which is line `number`. */
static int find_column(const struct cli_csv *csv, struct csv_text header, uint64_t number,
                       struct cli_csv_column *column) {
    size_t found = 0;
    const char *at = header.text, *end = at + header.length;
    struct csv_text field;
    for (size_t i = 0; csv_line_field(&at, end, csv->separator, &field); i++)
        if (csv_line_is_named(field, column->name) && found++ == 0)
            column->number = i;
    if (found == 1)
        return 0;
    char text[CLI_TEXT_QUOTE], names[600];
    cli_text_quote(text, column->name, strlen(column->name));
    if (found)
        return cli_fail("%s:%" PRIu64 ": more than one column is named %s; give the number of one", csv->name, number,
                        text);
    csv_line_names(header, csv->separator, names, sizeof names);
    return cli_fail("%s:%" PRIu64 ": no column is named %s, expected one of %s", csv->name, number, text, names);
}

/* Takes all columns of a line if all are requested. */
static int take_columns(struct cli_csv *csv, struct csv_text line, char separator) {
    const char *at = line.text;
    struct csv_text field;
    if (!csv->all)
        return 0;
    for (csv->ncolumns = 0; csv_line_field(&at, line.text + line.length, separator, &field); csv->ncolumns++)
        if (csv->ncolumns < CLI_CSV_COLUMNS)
            csv->columns[csv->ncolumns] = (struct cli_csv_column){.number = csv->ncolumns};
    return csv->ncolumns <= CLI_CSV_COLUMNS
               ? 0
               : cli_fail("%s:%" PRIu64 ": the line has %zu columns, expected at most %d; name some by --columns",
                          csv->name, csv->line, csv->ncolumns, CLI_CSV_COLUMNS);
}

/* Stores the header's names of the columns. */
static void name_columns(struct cli_csv *csv, struct csv_text header) {
    for (struct cli_csv_column *column = csv->columns; column < csv->columns + csv->ncolumns; column++) {
        struct csv_text field;
        if (csv_line_find(header, csv->separator, column->number, &field) <= column->number)
            continue;
        field = csv_line_unquote(field);
        const size_t room = sizeof column->header - 1, length = field.length < room ? field.length : room;
        memcpy(column->header, field.text, length);
        column->header[length] = 0;
    }
}

/* Finds the first data line, like next_line, and determines the table from it and the header before it, which is not
 * used up without it. A header alone is an empty table if a name was requested; any other text without data is an
 * error. */
static int first_line(struct cli_csv *csv, const char **at, const char *end, int last, struct csv_text *line) {
    const char *begin = *at;
    const uint64_t begin_line = csv->next_line;
    struct csv_text field;
    int named = 0, rc = next_line(csv, at, end, last, line);
    if (rc <= 0)
        return rc;
    const struct csv_text header = *line;
    const uint64_t number = csv->line;
    if (take_columns(csv, header, csv_line_separator(header)))
        return -1;
    const int has_header = !is_data(csv, header, csv_line_separator(header));
    if (has_header && (rc = next_line(csv, at, end, last, line)) == 0 && !last) {
        *at = begin;
        csv->next_line = begin_line;
    }
    if (rc < 0 || (rc == 0 && !last))
        return rc;
    csv->started = 1;
    csv->separator = csv_line_separator(rc ? *line : header);
    if (take_columns(csv, rc ? *line : header, csv->separator))
        return -1;
    for (size_t i = 0; i < csv->ncolumns; i++) {
        named |= csv->columns[i].name != NULL;
        if (csv->columns[i].name && find_column(csv, header, number, &csv->columns[i]))
            return -1;
    }
    if (has_header)
        name_columns(csv, header);
    if (rc || named)
        return rc;
    if (csv_line_find(header, csv->separator, csv->columns[0].number, &field) <= csv->columns[0].number)
        field = header;
    return fail_field(csv, &csv->columns[0], number, field, " and no line follows");
}

int cli_csv_parse(struct cli_csv *csv, const char *text, size_t bytes, int last, size_t *used, void *elements,
                  size_t capacity, size_t *stored) {
    const char *at = text, *end = text + bytes;
    unsigned char *element = elements;
    size_t n = 0;
    struct csv_text line;
    for (; n + (csv->started || !csv->all ? csv->ncolumns : CLI_CSV_COLUMNS) <= capacity; n += csv->ncolumns) {
        const int rc = csv->started ? next_line(csv, &at, end, last, &line) : first_line(csv, &at, end, last, &line);
        if (rc < 0)
            return -1;
        if (rc == 0)
            break;
        if ((csv->all ? read_all : read_columns)(csv, line, element + n * csv->element_bytes))
            return -1;
    }
    *used = (size_t)(at - text);
    *stored = n;
    return 0;
}

/* ---- all numbers of a small text --------------------------------------------------------------------------------- */

/* Reads the numbers of a line. Returns their count, -1 on error, or 0 if the first is invalid and `may_be_header`. */
static long read_numbers(const struct cli_csv *csv, struct csv_text line, int may_be_header, double *values) {
    const char *at = line.text;
    const char separator = memchr(at, ',', line.length) ? ',' : memchr(at, ';', line.length) ? ';' : CSV_BLANKS;
    struct csv_text field;
    long n = 0;
    for (; csv_line_field(&at, line.text + line.length, separator, &field); n++) {
        if (!field.length && !at) /* separator at the end of the line */
            break;
        field = csv_line_unquote(field);
        if (cli_number_parse(field.text, field.length, UH_F64, &values[n]) == CLI_NUMBER_OK)
            continue;
        if (field.length && n == 0 && may_be_header)
            return 0;
        char quoted[CLI_TEXT_QUOTE] = "nothing between two separators";
        if (field.length)
            cli_text_quote(quoted, field.text, field.length);
        return cli_fail("%s:%" PRIu64 ": %s, expected a number", csv->name, csv->line, quoted);
    }
    return n;
}

int cli_csv_numbers(const char *name, const char *text, size_t bytes, double **numbers, size_t *n) {
    struct cli_csv csv = {.name = name, .next_line = 1};
    uint64_t header = 0;
    struct csv_text line;
    int rc;
    *n = 0;
    *numbers = malloc((bytes / 2 + 1) * sizeof **numbers); /* every number but the last has a byte after it */
    if (!*numbers)
        return cli_fail("%s: out of memory", name);
    for (const char *at = text; (rc = next_line(&csv, &at, text + bytes, 1, &line)) > 0;) {
        const long got = read_numbers(&csv, line, !header && *n == 0, *numbers + *n);
        if (got < 0)
            return -1;
        header = got ? header : csv.line;
        *n += (size_t)got;
    }
    if (rc == 0 && header && *n == 0)
        return cli_fail("%s:%" PRIu64 ": no numbers, expected some separated by newlines, commas or blanks", name,
                        header);
    return rc;
}
