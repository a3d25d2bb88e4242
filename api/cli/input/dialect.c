/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/input/dialect.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/cli/input/dialect_sample.h"

enum { OTHERS = 5 };

static const char candidates[OTHERS] = {'\t', ';', '|', ',', CLI_BLANKS};

static const char *separator_name(int separator) {
    static const struct {
        int separator;
        const char *name;
    } names[] = {{'\t', "tab"},         {';', "semicolon"},    {',', "comma"},
                 {'|', "vertical bar"}, {CLI_BLANKS, "blank"}, {CLI_SINGLE, "none"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].separator == separator)
            return names[i].name;
    return NULL;
}

void cli_dialect_separator(const struct cli_dialect *dialect, char text[32]) {
    const char *name = separator_name(dialect->separator);
    if (name)
        snprintf(text, 32, "%s", name);
    else
        snprintf(text, 32, "'%c'", dialect->separator);
}

/* How well the sample is a table: its records have all the same number of cells; or none has more than the first one;
 * or most have as many. */
enum fit { NO_TABLE, NEARLY, RAGGED, PERFECT };

static enum fit fit_of(const struct cli_sample_table *table) {
    if (table->width < 2 || 2 * (table->longer + table->shorter) > table->records)
        return NO_TABLE;
    return table->longer ? NEARLY : table->shorter ? RAGGED : PERFECT;
}

/* Whether `a` explains the sample better than `b`: -1 worse, 0 as well. */
static int compare(const struct cli_sample_table *a, const struct cli_sample_table *b) {
    const int fit = (int)fit_of(a) - (int)fit_of(b);
    return fit ? fit : (a->numeric > b->numeric) - (a->numeric < b->numeric);
}

/* Whether no other column than the first is read. */
static int is_of_first(const struct cli_dialect_use *use) {
    for (size_t i = 0; i < use->ncolumns; i++)
        if (strcmp(use->columns[i], "0") != 0)
            return 0;
    return 1;
}

static int has_columns(const struct cli_sample_table *table, const struct cli_dialect_use *use) {
    for (size_t i = 0; i < use->ncolumns; i++) {
        char *end;
        int found = strtoul(use->columns[i], &end, 10) < table->width && !*end;
        for (size_t c = 0; c < table->width && c < CLI_SAMPLE_COLUMNS && !found; c++)
            found = csv_line_is_named(table->columns[c].cell, use->columns[i]);
        if (!found)
            return 0;
    }
    return 1;
}

/* Which tables are looked for: those that fit; of these, or also of others whose records have no more cells than the
 * first one, only tables with the requested columns. */
enum look { FITTING, WITH_COLUMNS, RAGGED_WITH_COLUMNS };

/* Finds the best separator of a table, CLI_SINGLE without one, with what it makes of the sample but its columns in
 * *found. *equal: another one that is as good, or 0. */
static char find_best(const struct cli_dialect *dialect, const struct cli_sample *sample, enum look look,
                      struct cli_sample_table *found, struct cli_sample_table *other, char *equal) {
    char best = CLI_SINGLE;
    *equal = 0;
    for (int i = 0; i < OTHERS; i++) {
        cli_sample_read(other, candidates[i], dialect, sample);
        const int fits =
            (look == RAGGED_WITH_COLUMNS ? other->width > 1 && !other->longer : fit_of(other) != NO_TABLE) &&
            (look == FITTING || has_columns(other, sample->use));
        const int better = !fits || (other->halves && best != CLI_SINGLE) ? -1
                           : best != CLI_SINGLE                           ? compare(other, found)
                                                                          : 1;
        if (better == 0 && !(best == '\t' && candidates[i] == CLI_BLANKS))
            *equal = candidates[i];
        if (better <= 0)
            continue;
        *found = *other;
        best = candidates[i];
        *equal = 0;
    }
    return best;
}

static int fail_separator(const struct cli_sample *sample, char one, char another) {
    return cli_fail("%s: the cells may be separated by %s or by %s; --delimiter says by which", sample->name,
                    separator_name(one), separator_name(another));
}

static int has_values_only(const struct cli_sample_column *column) {
    return cli_cell_is_value(column->first) && !column->of_kind[NAME] && !column->of_kind[OTHER];
}

/* Whether a requested column has values in both tables, and others. */
static int differ(const struct cli_sample_table *a, const struct cli_sample_table *b,
                  const struct cli_dialect_use *use) {
    for (size_t i = 0; i < use->ncolumns; i++) {
        char *end;
        const unsigned long c = strtoul(use->columns[i], &end, 10);
        const int both = !*end && c < a->width && c < b->width && c < CLI_SAMPLE_COLUMNS;
        if (both && has_values_only(&a->columns[c]) && has_values_only(&b->columns[c]) &&
            a->columns[c].cell.length != b->columns[c].cell.length)
            return 1;
    }
    return 0;
}

/* A separator that leaves cells without values is doubtful if another one fits as well and gives other values. */
static int check_others(const struct cli_dialect *dialect, const struct cli_sample *sample,
                        const struct cli_sample_table *table, struct cli_sample_table *other) {
    for (int i = 0; i < OTHERS && table->numeric < 1; i++) {
        cli_sample_read(other, candidates[i], dialect, sample);
        if (candidates[i] != table->separator && !other->halves && fit_of(other) == fit_of(table) &&
            differ(table, other, sample->use))
            return fail_separator(sample, table->separator, candidates[i]);
    }
    return 0;
}

/* Finds the separator, and the sample by it in *table. `other` has room for another. */
static int find_separator(struct cli_dialect *dialect, const struct cli_sample *sample, struct cli_sample_table *table,
                          struct cli_sample_table *other) {
    const struct cli_dialect_use *use = sample->use;
    struct cli_sample_table found = {.width = 0};
    char equal, quoted[CLI_TEXT_QUOTE];
    cli_sample_read(table, CLI_SINGLE, dialect, sample);
    const int lines_suffice = has_columns(table, use);
    char best = find_best(dialect, sample, WITH_COLUMNS, &found, other, &equal);
    if (best == CLI_SINGLE && !lines_suffice)
        best = find_best(dialect, sample, RAGGED_WITH_COLUMNS, &found, other, &equal);
    if (best == CLI_SINGLE && !lines_suffice)
        best = find_best(dialect, sample, FITTING, &found, other, &equal);
    if (equal && found.numeric > 0)
        return fail_separator(sample, best, equal);
    const struct csv_text first = table->columns[0].cell;
    const int numbers = table->records && table->numeric >= 1;
    if (best == ',' && found.width == 2 && numbers && dialect->decimal == CLI_FOUND && !use->integers &&
        is_of_first(use) && use->ncolumns) {
        cli_text_quote(quoted, first.text, first.length);
        return cli_fail("%s: %s may be two cells or a number with a decimal comma; give --delimiter ',' and "
                        "--column, or --decimal ','",
                        sample->name, quoted);
    }
    const int cuts = found.halves && best == CLI_BLANKS && lines_suffice && table->below >= 1;
    if ((found.numeric <= 0 && table->numeric > 0 && !use->named) || cuts || (best == ',' && dialect->decimal == ','))
        best = CLI_SINGLE;
    dialect->separator = best;
    if (best == CLI_SINGLE)
        return 0;
    cli_sample_read(table, best, dialect, sample);
    return check_others(dialect, sample, table, other);
}

/* A text before the table: lines of other widths than all that follow. */
static int check_preamble(const struct cli_dialect *dialect, const struct cli_sample *sample,
                          struct cli_sample_table *other) {
    for (int i = 0; i < OTHERS; i++) {
        cli_sample_read(other, candidates[i], dialect, sample);
        if (other->same > 1 && other->same < other->records && other->last_width > 1)
            return cli_fail("%s: the lines from %" PRIu64 " on have %zu cells separated by %s, and those before have "
                            "not; --skip %" PRIu64 " leaves these out",
                            sample->name, other->same_line, other->last_width, separator_name(candidates[i]),
                            other->same_line - 1);
    }
    return 0;
}

/* The comment before the table may be its header, or a row. */
static int look_at_comment(struct cli_dialect *dialect, const char *name, const struct cli_sample_table *table,
                           int found) {
    if (!table->comments)
        return 0;
    const char *begin = memchr(table->comment.text, dialect->comment, table->comment.length), *at;
    const char *end = table->comment.text + table->comment.length;
    char quoted[CLI_TEXT_QUOTE];
    struct csv_text cell;
    size_t n = 0, names = 0, numbers = 0, data = 0;
    if (!begin)
        return 0;
    const int close = csv_line_may_be_row(table->comment, (char)dialect->comment);
    for (at = begin + 1; csv_line_field(&at, end, table->separator, &cell); n++) {
        const enum cli_kind_of_cell kind = cli_cell_kind(dialect, cell);
        names += kind == NAME;
        numbers += (size_t)cli_cell_is_value(kind);
    }
    if (found && close && (table->records == 0 || (n > 1 ? names < n : numbers))) {
        cli_text_quote(quoted, table->comment.text, table->comment.length);
        return cli_fail("%s: %s may be a comment or a row; give --comment '#' or --no-comment", name, quoted);
    }
    for (size_t c = 0; c < n && c < table->width && c < CLI_SAMPLE_COLUMNS; c++)
        data += (size_t)cli_cell_is_value(table->columns[c].first);
    if (names == n && n == table->width && data && dialect->header == CLI_FOUND)
        dialect->names_follow = dialect->header = 1;
    return 0;
}

/* Whether a column has values below the first record, and nothing else but missing cells. */
static int has_values_below(const struct cli_sample_column *column) {
    const uint32_t *of_kind = column->of_kind;
    const int numbers = of_kind[INTEGER] + of_kind[NUMBER] + of_kind[COMMA] + of_kind[GROUPED] > 0;
    return numbers != (of_kind[TIME] > 0) && !of_kind[NAME] && !of_kind[OTHER];
}

/* Whether the integers of the first record may be names: years, or numbers that follow each other. */
static int are_like_names(const struct cli_sample_table *table, size_t *count) {
    unsigned long last = 0; /* wraps */
    int years = 1, follow = 1;
    *count = 0;
    for (size_t c = 0; c < table->width && c < CLI_SAMPLE_COLUMNS; c++) {
        if (table->columns[c].first != INTEGER)
            continue;
        const unsigned long value = strtoul(csv_line_unquote(table->columns[c].cell).text, NULL, 10);
        years &= value >= 1900 && value <= 2100;
        follow &= *count == 0 || value == last + 1;
        last = value;
        ++*count;
    }
    return *count > 0 && (years || (follow && *count > 1));
}

static int fail_header(const char *name, const struct cli_sample_table *table) {
    char text[4 * (CLI_TEXT_QUOTE + 2)] = "", quoted[CLI_TEXT_QUOTE];
    for (size_t c = 0; c < table->width && c < 4; c++) {
        const struct csv_text cell = csv_line_unquote(table->columns[c].cell);
        cli_text_quote(quoted, cell.text, cell.length);
        cli_append(text, sizeof text, ", ", "%s", quoted);
    }
    return cli_fail("%s:%" PRIu64 ": %s%s may be a header or a row; give --header or --no-header", name,
                    table->first_line, text, table->width > 4 ? ", ..." : "");
}

/* Whether a requested number is that of no column, but in the first record. */
static int is_asked_for(const struct cli_sample_table *table, const struct cli_dialect_use *use) {
    int found = 0, names = 0;
    for (size_t c = 0; c < table->width && c < CLI_SAMPLE_COLUMNS; c++) {
        names |= table->columns[c].first == NAME;
        for (size_t i = 0; i < use->ncolumns; i++)
            if (strtoul(use->columns[i], NULL, 10) >= table->width &&
                csv_line_is_named(table->columns[c].cell, use->columns[i]))
                found |= strlen(use->columns[i]) > 3 ? 3 : 1; /* not a column's number that is one too large */
    }
    return found == 3 || (found && names);
}

/* Whether a cell of the first record is no name: a number with a fraction or a sign, or a word of missing cells. */
static int has_values(const struct cli_sample_table *table) {
    for (size_t c = 0; c < table->width && c < CLI_SAMPLE_COLUMNS; c++) {
        const struct csv_text cell = csv_line_unquote(table->columns[c].cell);
        const enum cli_kind_of_cell kind = table->columns[c].first;
        if (kind == NUMBER || kind == COMMA || (kind == INTEGER && *cell.text == '-') ||
            (kind == MISSING && cell.length))
            return 1;
    }
    return 0;
}

static int find_header(struct cli_dialect *dialect, const char *name, const struct cli_sample_table *table) {
    size_t names = 0, numbers = 0, fractions = 0, missing = 0, times = 0, dated = 0, integers;
    const int like_names = are_like_names(table, &integers), values = has_values(table);
    for (size_t c = 0; c < table->width && c < CLI_SAMPLE_COLUMNS; c++) {
        const struct cli_sample_column *column = &table->columns[c];
        const int below = has_values_below(column), other = column->first == TIME && below && !column->of_kind[TIME];
        names += column->first == NAME;
        dated += column->first == NAME && below && column->of_kind[TIME];
        if (column->first == NAME && below && !column->of_kind[TIME]) {
            dialect->header = 1;
            return 0;
        }
        const int unknown = column->of_kind[MISSING] + 1 == table->records; /* of one record too */
        numbers += cli_cell_is_value(column->first) && (unknown || below) && !other;
        times += (size_t)other;
        missing += column->first == MISSING && below;
        fractions += column->first == INTEGER && below && !column->of_kind[INTEGER];
    }
    dialect->header = names > 0 && numbers == 0 && !values;
    if (dated   ? numbers || values
        : times ? !names || numbers
                : names && table->records > 1 && !values && (numbers ? like_names : missing > 0))
        return fail_header(name, table);
    if (names || table->records < 2)
        return 0;
    const struct cli_sample_column *first = &table->columns[0];
    const int index = first->first == MISSING && !first->of_kind[MISSING] && integers + 1 == table->width &&
                      integers > 0 && strtol(csv_line_unquote(table->columns[1].cell).text, NULL, 10) == 0 &&
                      (like_names || integers == 1);
    dialect->header = index; /* as pandas writes columns without names */
    return !index && like_names && fractions == integers && fractions > 1 ? fail_header(name, table) : 0;
}

static int find_decimal(struct cli_dialect *dialect, const char *name, const struct cli_sample_table *table,
                        const struct cli_dialect_use *use) {
    uint32_t commas = 0, grouped_ = 0, points = 0;
    struct csv_text example = {"", 0};
    char quoted[CLI_TEXT_QUOTE];
    for (size_t c = 0; c < table->width && c < CLI_SAMPLE_COLUMNS; c++) {
        int wanted = use->ncolumns == 0;
        for (size_t i = 0; i < use->ncolumns; i++) {
            char *end;
            const unsigned long number = strtoul(use->columns[i], &end, 10);
            wanted |= *end || !*use->columns[i]
                          ? dialect->names_follow || csv_line_is_named(table->columns[c].cell, use->columns[i])
                          : number == c;
        }
        const struct cli_sample_column *column = &table->columns[c];
        if (!wanted)
            continue;
        const int data = !dialect->header || dialect->names_follow;
        commas += column->of_kind[COMMA] + (data && column->first == COMMA);
        grouped_ += column->of_kind[GROUPED] + (data && column->first == GROUPED);
        points += column->of_kind[NUMBER] + (data && column->first == NUMBER);
        if (column->of_kind[GROUPED])
            example = csv_line_unquote(column->grouped);
        else if (data && column->first == GROUPED)
            example = csv_line_unquote(column->cell);
    }
    dialect->decimal = commas && !points ? ',' : '.';
    if (grouped_ && !commas && !dialect->thousands) {
        cli_text_quote(quoted, example.text, example.length);
        return cli_fail("%s: %s may be a number with a decimal comma or with a comma between thousands; give --decimal "
                        "',' or --thousands ','",
                        name, quoted);
    }
    return 0;
}

int cli_dialect_find(struct cli_dialect *dialect, const char *name, const char *text, size_t bytes, int cut,
                     const struct cli_dialect_use *use) {
    const char *end = text + bytes;
    struct cli_sample_column *columns = cli_have(calloc((size_t)2 * CLI_SAMPLE_COLUMNS, sizeof *columns));
    struct cli_sample_table table = {.columns = columns}, other = {.columns = columns + CLI_SAMPLE_COLUMNS};
    const int comment_found = dialect->comment == CLI_FOUND;
    int result = -1;
    const struct cli_sample sample = {name, text, end, cut, use};
    if (comment_found)
        dialect->comment = cli_sample_has_comments(&sample, dialect->skip) ? '#' : 0;
    dialect->comment_found = comment_found;
    if (dialect->separator != CLI_FOUND)
        cli_sample_read(&table, (char)dialect->separator, dialect, &sample);
    else if (find_separator(dialect, &sample, &table, &other) ||
             (dialect->separator == CLI_SINGLE && table.below < 1 && check_preamble(dialect, &sample, &other)))
        goto out;
    if (dialect->comment && look_at_comment(dialect, name, &table, comment_found))
        goto out;
    if (dialect->header == CLI_FOUND && (use->named || is_asked_for(&table, use)))
        dialect->header = 1;
    if (dialect->header == CLI_FOUND && find_header(dialect, name, &table))
        goto out;
    if (dialect->decimal == CLI_FOUND && find_decimal(dialect, name, &table, use))
        goto out;
    result = 0;
out:
    free(columns);
    return result;
}
