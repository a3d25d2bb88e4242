/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/input/csv.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/cli/input/calendar.h"

static struct csv_syntax syntax_of(const struct cli_csv *csv) {
    return (struct csv_syntax){(char)csv->dialect.separator, (char)csv->dialect.comment};
}

void cli_csv_facts_add(struct cli_csv_facts *to, const struct cli_csv_facts *more) {
    to->rows += more->rows;
    to->skipped += more->skipped;
    to->blank += more->blank;
    to->comments += more->comments;
    to->missing += more->missing;
}

void cli_csv_reset(struct cli_csv *csv) {
    csv->started = csv->plain = 0;
    csv->facts = (struct cli_csv_facts){.rows = 0};
    csv->line = csv->next_line = 1;
    csv->ncolumns = csv->all ? 0 : csv->ncolumns;
}

uint32_t cli_csv_kinds(const struct cli_csv *csv, int times) {
    uint32_t columns = 0;
    for (size_t i = 0; i < csv->ncolumns; i++)
        columns |= (uint32_t)(csv->columns[i].line[times] != 0) << i;
    return columns;
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
                            .dialect = {.separator = ',', .decimal = '.'},
                            .element_bytes = uh_dtype_size(dtype)};
    cli_csv_reset(csv);
    for (size_t i = 0; i < ncolumns; i++)
        if (read_column(columns[i], &csv->columns[i]))
            return -1;
    return 0;
}

/* Counts the cells of a line, without an empty one after its last separator. */
static size_t count_cells(struct csv_text line, char separator) {
    const char *at = line.text;
    struct csv_text field = {at, 0};
    size_t seen = 0;
    while (csv_line_field(&at, line.text + line.length, separator, &field))
        seen++;
    return seen - (seen > 1 && field.length == 0);
}

/* Counts a line; returns whether it is skipped. Until the table has started, `comment` becomes the last comment. */
static int is_skipped(struct cli_csv *csv, struct csv_text line, struct csv_text *comment) {
    const enum csv_line kind = csv_line_kind(line, syntax_of(csv));
    const int before = !csv->started && csv->line <= csv->dialect.skip;
    csv->facts.skipped += before != 0;
    csv->facts.blank += !before && kind == CSV_BLANK;
    csv->facts.comments += !before && kind == CSV_COMMENTED;
    if (!before && kind == CSV_COMMENTED)
        *comment = line;
    return before || kind != CSV_DATA;
}

/* Finds the next line that is not skipped, without its line end; see is_skipped. Returns 1; 0 if none is found, or if
 * its end is unknown and more text follows; -1 on error. */
static int find_line(struct cli_csv *csv, const char **at, const char *end, int last, struct csv_text *line,
                     struct csv_text *comment) {
    while (*at < end) {
        const char *begin = *at, *stop = memchr(begin, '\n', (size_t)(end - begin));
        const int odd = stop ? memchr(begin, '"', (size_t)(stop - begin)) != NULL : last;
        enum csv_state state = CSV_LINE;
        if (odd)
            stop = csv_line_end(begin, end, syntax_of(csv), &state);
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
        if (!is_skipped(csv, *line, comment))
            return 1;
        /* A comment after the table's begin, where nobody has said that there are comments. */
        if (csv->started && csv->dialect.comment_found && csv_line_may_be_row(*line, (char)csv->dialect.comment))
            return cli_fail("%s:%" PRIu64 ": the line may be a comment or a row; give --comment '%c' or --no-comment",
                            csv->name, csv->line, csv->dialect.comment);
    }
    return 0;
}

static int next_line(struct cli_csv *csv, const char **at, const char *end, int last, struct csv_text *line) {
    struct csv_text ignored;
    return find_line(csv, at, end, last, line, &ignored);
}

/* Reads the requested columns of a data line, which has no more cells than the first one; cells that it lacks are
 * empty. */
static int read_columns(struct cli_csv *csv, struct csv_text line, unsigned char *element) {
    const char separator = (char)csv->dialect.separator;
    const size_t cells = count_cells(line, separator);
    if (cells > csv->width)
        return cli_fail("%s:%" PRIu64 ": the line has %zu cells, expected at most %zu as in the first", csv->name,
                        csv->line, cells, csv->width);
    for (size_t i = 0; i < csv->ncolumns; i++, element += csv->element_bytes) {
        struct csv_text cell = {line.text, 0};
        if (csv->columns[i].number < cells)
            (void)csv_line_find(line, separator, csv->columns[i].number, &cell);
        if (csv_cell_read(csv, &csv->columns[i], cell, element))
            return -1;
    }
    csv->facts.rows++;
    return 0;
}

/* Reads lines as most are: they begin with a cell, have no quotes with newlines, and not too many separators. Stops
 * before another one, or one without room. Returns the number of lines, or -1. */
static long read_plain(struct cli_csv *csv, const char **at, const char *end, unsigned char *element, size_t room) {
    const char separator = (char)csv->dialect.separator, comment = (char)csv->dialect.comment, *begin = *at;
    const int usual = csv->dialect.decimal != ',' && !csv->finite;
    size_t n = 0;
    for (; (n + 1) * csv->ncolumns <= room && begin < end && *begin != comment; n++) {
        if ((unsigned char)*begin <= ' ' && (*begin != '\t' || separator != '\t'))
            break;
        const char *stop = csv_line_scan(begin, end, separator, &csv->cuts);
        if (!stop && !(stop = csv_line_walk(begin, end, separator, &csv->cuts)))
            break;
        if (csv->cuts.n >= csv->width || stop - begin > CLI_CSV_LINE_LIMIT)
            break;
        const struct csv_text line = {begin, (size_t)(stop - begin) - (stop[-1] == '\r')};
        for (size_t i = 0; i < csv->ncolumns; i++, element += csv->element_bytes) {
            struct cli_csv_column *column = &csv->columns[i];
            struct csv_text cell = {begin, 0};
            if (column->number <= csv->cuts.n)
                cell = csv_line_cut(line, separator, &csv->cuts, column->number);
            if (usual && column->line[0] &&
                cli_number_parse_within(cell.text, cell.length, csv->limit, csv->dtype, element) == CLI_NUMBER_OK)
                continue;
            csv->line = csv->next_line + n;
            if (csv_cell_read(csv, column, cell, element))
                return -1;
        }
        begin = stop + 1;
    }
    *at = begin;
    csv->next_line += n;
    csv->facts.rows += n;
    return (long)n;
}

/* Finds a named column in the header, which is line `number`: the one of that name or, without one, the only one whose
 * name differs in case alone. See find_columns for names that are numbers. */
static int find_column(const struct cli_csv *csv, struct csv_text header, uint64_t number, const char *wanted,
                       struct cli_csv_column *column) {
    size_t found[] = {0, 0, 0}, first[] = {0, 0, 0}, names = 0;
    const char *at = header.text, *end = at + header.length;
    struct csv_text field;
    char text[CLI_TEXT_QUOTE], list[600];
    for (size_t i = 0; csv_line_field(&at, end, (char)csv->dialect.separator, &field); i++) {
        double value;
        const int how = csv_line_is_named(field, wanted);
        if (found[how]++ == 0)
            first[how] = i;
        names += field.length && cli_number_parse(field.text, field.length, UH_F64, &value) != CLI_NUMBER_OK;
    }
    const int how = found[2] ? 2 : 1;
    if (found[how] == 1) {
        column->number = first[how];
        return 0;
    }
    const char *name = wanted + (*wanted == '=');
    cli_text_quote(text, name, strlen(name));
    if (found[2])
        return cli_fail("%s:%" PRIu64 ": more than one column is named %s; give the number of one", csv->name, number,
                        text);
    csv_line_names(header, (char)csv->dialect.separator, found[1] ? wanted : NULL, list, sizeof list);
    if (found[1])
        return cli_fail("%s:%" PRIu64 ": no column is named %s, and %s differ in case alone", csv->name, number, text,
                        list);
    return cli_fail("%s:%" PRIu64 ": no column is named %s, %s %s%s", csv->name, number, text,
                    names ? "expected one of" : "as the line has no names:", list,
                    names ? "" : "; give the number of one, from 0");
}

static int take_columns(struct cli_csv *csv) {
    if (csv->all && csv->width > CLI_CSV_COLUMNS)
        return cli_fail("%s:%" PRIu64 ": the line has %zu columns, expected at most %d; name some by --columns",
                        csv->name, csv->line, csv->width, CLI_CSV_COLUMNS);
    for (size_t i = 0; csv->all && i < csv->width; i++)
        csv->columns[i].number = i;
    csv->ncolumns = csv->all ? csv->width : csv->ncolumns;
    return 0;
}

static void name_columns(struct cli_csv *csv, struct csv_text header) {
    for (struct cli_csv_column *column = csv->columns; column < csv->columns + csv->ncolumns; column++) {
        struct csv_text field;
        if (csv_line_find(header, (char)csv->dialect.separator, column->number, &field) <= column->number)
            continue;
        field = csv_line_unquote(field);
        const size_t room = sizeof column->header - 1, length = field.length < room ? field.length : room;
        memcpy(column->header, field.text, length);
        column->header[length] = 0;
    }
}

/* Finds the columns of the table, by its header, or its first line if it has none. */
static int find_columns(struct cli_csv *csv, struct csv_text header) {
    csv->width = count_cells(header, (char)csv->dialect.separator);
    if (take_columns(csv))
        return -1;
    for (size_t i = 0; i < csv->ncolumns; i++) {
        struct cli_csv_column *column = &csv->columns[i];
        char digits[24];
        snprintf(digits, sizeof digits, "%zu", column->number);
        if (column->name && find_column(csv, header, csv->line, column->name, column))
            return -1;
        if (!column->name && column->number >= csv->width && csv->facts.header) /* a name that is a number */
            (void)find_column(csv, header, csv->line, digits, column);
        if (column->number >= csv->width)
            return cli_fail("%s:%" PRIu64 ": the line has %zu column%s, expected column %zu (the first is 0)",
                            csv->name, csv->line, csv->width, csv->width == 1 ? "" : "s", column->number);
    }
    if (csv->facts.header)
        name_columns(csv, header);
    csv->cuts.wanted = 0;
    for (size_t i = 0; i < csv->ncolumns; i++)
        if (csv->columns[i].number >= csv->cuts.wanted)
            csv->cuts.wanted = csv->columns[i].number + 1;
    csv->plain = csv->dialect.separator != CLI_BLANKS && csv->cuts.wanted <= CSV_CUTS;
    csv->started = 1;
    return 0;
}

/* Finds the first data line, like next_line, and the columns. Nothing is used up without the first line that is not
 * skipped. */
static int first_line(struct cli_csv *csv, const char **at, const char *end, int last, struct csv_text *line) {
    const char *begin = *at;
    const struct cli_csv before = *csv;
    struct csv_text comment = {"", 0};
    const int rc = find_line(csv, at, end, last, line, &comment);
    if (rc == 0 && !last) {
        *at = begin;
        csv->next_line = before.next_line;
        csv->facts = before.facts;
    }
    if (rc <= 0)
        return rc;
    const char *mark = csv->dialect.names_follow ? memchr(comment.text, csv->dialect.comment, comment.length) : NULL;
    csv->facts.header = csv->dialect.header ? csv->line : 0;
    if (mark) {
        csv->facts.comments--;
        comment.length -= (size_t)(mark + 1 - comment.text);
        comment.text = mark + 1;
    }
    if (find_columns(csv, mark ? comment : *line))
        return -1;
    return csv->dialect.header && !mark ? next_line(csv, at, end, last, line) : 1;
}

/* A header alone is an empty table if a column was requested by name, otherwise an error. */
static int check_end(const struct cli_csv *csv) {
    if (csv->facts.rows || !csv->facts.header || csv->columns[0].name || csv->dialect.names_follow)
        return 0;
    const struct cli_csv_column *column = &csv->columns[0];
    const struct csv_text name = {column->header, strlen(column->header)};
    return csv_cell_fail(csv, column, csv->facts.header, name, " and no line follows");
}

/* Reads any line. Returns the number of lines, 0 at the end, or -1. */
static int read_other(struct cli_csv *csv, const char **at, const char *end, int last, unsigned char *element) {
    struct csv_text line;
    const int rc = csv->started ? next_line(csv, at, end, last, &line) : first_line(csv, at, end, last, &line);
    if (rc < 0 || (rc == 0 && last && check_end(csv)))
        return -1;
    return rc && read_columns(csv, line, element) ? -1 : rc;
}

int cli_csv_parse(struct cli_csv *csv, const char *text, size_t bytes, int last, size_t *used, void *elements,
                  size_t capacity, size_t *stored) {
    const char *at = text, *end = text + bytes;
    unsigned char *element = elements;
    csv->limit = end + 1;
    size_t n = 0;
    while (n + (csv->started || !csv->all ? csv->ncolumns : CLI_CSV_COLUMNS) <= capacity) {
        unsigned char *to = element + n * csv->element_bytes;
        long lines = csv->plain ? read_plain(csv, &at, end, to, capacity - n) : 0;
        if (lines == 0)
            lines = read_other(csv, &at, end, last, to);
        if (lines < 0)
            return -1;
        if (lines == 0)
            break;
        n += (size_t)lines * csv->ncolumns;
    }
    *used = (size_t)(at - text);
    *stored = n;
    return 0;
}

/* ---- all numbers of a small text --------------------------------------------------------------------------------- */

/* Reads the numbers, or dates, of a line. Returns their count, -1 on error, or 0 if the first is a name and
 * `may_be_header`. */
static long read_numbers(struct cli_csv *csv, struct csv_text line, int may_be_header, double *values) {
    const char *at = line.text, *whole = at;
    const char mark = memchr(at, ',', line.length) ? ',' : memchr(at, ';', line.length) ? ';' : CLI_BLANKS;
    struct csv_text field = {at, 0};
    struct cli_time time;
    long n = 0;
    (void)csv_line_field(&whole, at + line.length, CLI_SINGLE, &field);
    field = csv_line_unquote(field);
    const char separator = cli_time_parse(field.text, field.length, &time) ? mark : CLI_SINGLE;
    for (; csv_line_field(&at, line.text + line.length, separator, &field); n++) {
        if (!field.length && !at) /* separator at the end of the line */
            break;
        field = csv_line_unquote(field);
        const int times = cli_time_parse(field.text, field.length, &time) == 0;
        if (times)
            values[n] = time.seconds;
        if ((times || cli_number_parse(field.text, field.length, UH_F64, &values[n]) == CLI_NUMBER_OK) &&
            (isinf(values[n]) || !csv->columns->line[!times])) {
            csv->columns->line[times] = isinf(values[n]) ? csv->columns->line[times] : csv->line;
            continue;
        }
        if (field.length && n == 0 && may_be_header && !strchr("0123456789+-.", *field.text))
            return 0;
        char quoted[CLI_TEXT_QUOTE] = "nothing between two separators";
        if (field.length)
            cli_text_quote(quoted, field.text, field.length);
        return cli_fail("%s:%" PRIu64 ": %s, expected a %s%s", csv->name, csv->line, quoted,
                        csv->columns->line[1] ? "date or time" : "number",
                        cli_time_is_near(field.text, field.length) && !times ? "; " CLI_TIME_FORM : "");
    }
    return n;
}

int cli_csv_numbers(const char *name, const char *text, size_t bytes, struct cli_numbers *numbers) {
    struct cli_csv csv = {
        .name = name, .next_line = 1, .dialect = {.separator = CLI_ANY, .comment = '#', .decimal = '.'}};
    uint64_t header = 0;
    struct csv_text line;
    int rc;
    double *data = cli_have(malloc((bytes / 2 + 1) * sizeof *data)); /* every number but the last has a byte after it */
    *numbers = (struct cli_numbers){.dtype = UH_F64, .data = data};
    for (const char *at = text; (rc = next_line(&csv, &at, text + bytes, 1, &line)) > 0;) {
        const long got = read_numbers(&csv, line, !header && numbers->n == 0, data + numbers->n);
        if (got < 0)
            return -1;
        header = got ? header : csv.line;
        numbers->n += (size_t)got;
    }
    numbers->times = csv.columns->line[1] != 0;
    if (rc == 0 && header && numbers->n == 0)
        return cli_fail("%s:%" PRIu64 ": no numbers, expected some separated by newlines, commas or blanks", name,
                        header);
    return rc;
}
