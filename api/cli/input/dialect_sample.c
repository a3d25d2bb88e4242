/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/input/dialect_sample.h"

#include <stdio.h>
#include <string.h>

#include "api/cli/input/calendar.h"
#include "api/cli/input/number.h"

static const char usual_words[] = "NA,N/A,NaN,nan,null,NULL,None,\\N";

int cli_dialect_is_missing(const struct cli_dialect *dialect, const char *text, size_t length) {
    if (length == 0)
        return 1;
    for (const char *word = dialect->na ? dialect->na : usual_words; *word;) {
        const size_t n = strcspn(word, ",");
        if (n == length && memcmp(word, text, n) == 0)
            return 1;
        word += n + (word[n] == ',');
    }
    return 0;
}

/* Whether digits from `text` on are in groups of three, after one to three: the length of all, 0 if not. */
static size_t grouped(const char *text, size_t length, char separator) {
    size_t at = 0, groups = 0;
    while (at < length && cli_is_digit(text[at]))
        at++;
    if (at == 0 || at > 3)
        return 0;
    for (; at + 3 < length && text[at] == separator; at += 4, groups++)
        if (!cli_is_digit(text[at + 1]) || !cli_is_digit(text[at + 2]) || !cli_is_digit(text[at + 3]))
            return 0;
    return groups && (at == length || !cli_is_digit(text[at])) ? at : 0;
}

size_t cli_dialect_plain(const struct cli_dialect *dialect, const char *text, size_t length, char *plain, size_t size) {
    const size_t sign = length && (*text == '-' || *text == '+');
    const size_t whole =
        dialect->thousands ? grouped(text + sign, length - sign, (char)dialect->thousands) + sign : sign;
    size_t used = 0, points = 0;
    if (length + 1 > size || (dialect->decimal == ',' && memchr(text, '.', length) && dialect->thousands != '.'))
        return 0;
    for (size_t i = 0; i < length; i++) {
        const int point = i >= whole && dialect->decimal == ',' && text[i] == ',';
        if (i < whole && i >= sign && text[i] == dialect->thousands)
            continue;
        points += (size_t)point;
        plain[used++] = (char)(point ? '.' : text[i]);
    }
    plain[used] = '\0';
    return points <= 1 && (points || whole > sign) ? used : 0;
}

static int is_number(const char *text, size_t length) {
    double value;
    return cli_number_parse(text, length, UH_F64, &value) == CLI_NUMBER_OK;
}

static int is_grouped(const char *text, size_t length) { return length > 0 && grouped(text, length, ',') == length; }

enum cli_kind_of_cell cli_cell_kind(const struct cli_dialect *dialect, struct csv_text cell) {
    const struct cli_dialect comma = {.decimal = ','};
    char plain[64];
    cell = csv_line_unquote(cell);
    if (cli_dialect_is_missing(dialect, cell.text, cell.length))
        return MISSING;
    const size_t sign = *cell.text == '-' || *cell.text == '+';
    if (is_number(cell.text, cell.length))
        return memchr(cell.text, '.', cell.length) ? NUMBER : INTEGER;
    struct cli_time time;
    if (cli_time_parse(cell.text, cell.length, &time) == 0)
        return TIME;
    size_t n = cli_dialect_plain(dialect, cell.text, cell.length, plain, sizeof plain);
    if (n && is_number(plain, n))
        return NUMBER;
    n = dialect->decimal == '.' ? 0 : cli_dialect_plain(&comma, cell.text, cell.length, plain, sizeof plain);
    if (n && cli_is_digit(plain[sign]) && plain[n - 1] != '.' && is_number(plain, n))
        return is_grouped(cell.text + sign, cell.length - sign) ? GROUPED : COMMA;
    if (!dialect->thousands && is_grouped(cell.text + sign, cell.length - sign))
        return GROUPED;
    const unsigned char first = (unsigned char)cell.text[sign < cell.length ? sign : 0];
    const int money = first == '$' || first == '%' || first == '.' || (first == 0xc2 && (cell.text[1] & 0xff) <= 0xa5);
    return cli_is_digit((char)first) || money || sign ? OTHER : NAME;
}

int cli_cell_is_value(enum cli_kind_of_cell kind) { return kind >= INTEGER && kind <= TIME; }

static void add_record(struct cli_sample_table *table, const struct cli_dialect *dialect, struct csv_text line,
                       uint64_t line_number) {
    const char *at = line.text;
    struct csv_text cell = {at, 0};
    size_t n = 0;
    for (; csv_line_field(&at, line.text + line.length, table->separator, &cell); n++) {
        if (n >= CLI_SAMPLE_COLUMNS || (table->records && n >= table->width))
            continue;
        struct cli_sample_column *column = &table->columns[n];
        const enum cli_kind_of_cell kind = cli_cell_kind(dialect, cell);
        const char *rest = at ? at : line.text + line.length;
        table->halves += kind == TIME && table->separator == CLI_BLANKS &&
                         cli_time_is_clock(rest, (size_t)(line.text + line.length - rest));
        if (table->records == 0) {
            *column = (struct cli_sample_column){.first = kind, .cell = cell};
        } else if (column->of_kind[kind]++ == 0 && kind == GROUPED) {
            column->grouped = cell;
        }
    }
    if (n > table->width && table->records && cell.length == 0) /* a separator at the end */
        n--;
    if (table->records == 0)
        table->width = n;
    table->shorter += n < table->width;
    table->longer += n > table->width;
    table->same_line = n == table->last_width ? table->same_line : line_number;
    table->same = n == table->last_width ? table->same + 1 : 1;
    table->last_width = n;
}

/* The part of cells that are values, of those that are not missing; `otherwise` if all are. */
static double part_of_numbers(const double cells_of_kind[KINDS], double otherwise) {
    double cells = 0, numbers = 0;
    for (int kind = INTEGER; kind < KINDS; kind++) {
        cells += cells_of_kind[kind];
        numbers += cli_cell_is_value((enum cli_kind_of_cell)kind) ? cells_of_kind[kind] : 0;
    }
    return cells > 0 ? numbers / cells : otherwise;
}

void cli_sample_read(struct cli_sample_table *table, char separator, const struct cli_dialect *dialect,
                     const struct cli_sample *sample) {
    const struct csv_syntax syntax = {separator, dialect->comment > 0 ? (char)dialect->comment : '\0'};
    const char *end = sample->end;
    uint64_t line = 1;
    *table = (struct cli_sample_table){.separator = separator, .columns = table->columns};
    for (const char *at = sample->text; at < end && table->records < CLI_SAMPLE_RECORDS; line++) {
        enum csv_state state = CSV_LINE;
        const char *stop = csv_line_end(at, end, syntax, &state);
        if (!stop && sample->cut)
            break;
        struct csv_text record = {at, (size_t)((stop ? stop : end) - at)};
        const uint64_t begin = line;
        for (size_t i = 0; i < record.length; i++)
            line += at[i] == '\n';
        at = stop ? stop + 1 : end;
        record.length -= record.length && record.text[record.length - 1] == '\r';
        const enum csv_line kind = csv_line_kind(record, syntax);
        if (begin <= dialect->skip)
            continue;
        if (kind == CSV_COMMENTED && table->records == 0) {
            table->comment = record;
            table->comments++;
        }
        if (kind != CSV_DATA)
            continue;
        add_record(table, dialect, record, begin);
        table->first_line = table->records == 0 ? begin : table->first_line;
        table->records++;
    }
    double cells[KINDS] = {0};
    const size_t columns = table->width < CLI_SAMPLE_COLUMNS ? table->width : CLI_SAMPLE_COLUMNS;
    for (size_t c = 0; c < columns; c++)
        for (int kind = 0; kind < KINDS; kind++)
            cells[kind] += table->columns[c].of_kind[kind];
    table->below = part_of_numbers(cells, 1);
    for (size_t c = 0; c < columns; c++)
        cells[table->columns[c].first]++;
    table->numeric = part_of_numbers(cells, 0);
}

int cli_sample_has_comments(const struct cli_sample *sample, uint64_t skip) {
    uint64_t line = 0;
    for (const char *at = sample->text, *end = sample->end; at < end; line++) {
        const char *stop = memchr(at, '\n', (size_t)(end - at)), *p = at;
        stop = stop ? stop : end;
        while (p < stop && (*p == ' ' || *p == '\t' || *p == '\r'))
            p++;
        if (line >= skip && p < stop)
            return *p == '#';
        at = stop + 1;
    }
    return 0;
}
