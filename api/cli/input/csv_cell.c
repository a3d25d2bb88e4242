/* SPDX-License-Identifier: Apache-2.0 */
/* The values of cells. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/cli/input/calendar.h"
#include "api/cli/input/csv.h"
#include "api/cli/input/number.h"

static const char *expected_of(uh_dtype dtype, int times, char text[80]) {
    const int is_signed = dtype == UH_I8 || dtype == UH_I16 || dtype == UH_I32 || dtype == UH_I64;
    const uint64_t most = UINT64_MAX >> (64 + is_signed - 8 * (int)uh_dtype_size(dtype));
    snprintf(text, 80, "an integer from %" PRId64 " to %" PRIu64, is_signed ? -(int64_t)most - 1 : 0, most);
    if (times)
        return dtype == UH_F64   ? "a date or time"
               : dtype == UH_F32 ? "a date or time that float32 holds"
                                 : "a date or time in whole seconds";
    return dtype == UH_F32 || dtype == UH_F64 ? "a number" : text;
}

/* The option that reads such a cell, or nothing. */
static const char *hint_of(struct csv_text cell, char hint[96]) {
    char quoted[CLI_TEXT_QUOTE];
    const int digits = cell.length && (unsigned)(*cell.text - '0') < 10;
    cli_text_quote(quoted, cell.text, cell.length);
    *hint = '\0';
    if (cli_time_is_near(cell.text, cell.length))
        return "; " CLI_TIME_FORM;
    if (digits && memchr(cell.text, ',', cell.length))
        return "; see --decimal and --thousands";
    if (cell.length && *cell.text == '#')
        return "; --comment '#' leaves such lines out";
    if (cell.length && cell.length < 20 && !digits && !memchr(cell.text, '"', cell.length))
        snprintf(hint, 96, "; --na %s makes it missing", quoted);
    return hint;
}

int csv_cell_fail(const struct cli_csv *csv, const struct cli_csv_column *column, uint64_t line, struct csv_text field,
                  const char *problem) {
    char text[CLI_TEXT_QUOTE], name[CLI_TEXT_QUOTE] = "", hint[96], as[40] = "", expected[80];
    const struct csv_text cell = csv_line_unquote(field);
    struct cli_time time;
    const int is_time = cli_time_parse(cell.text, cell.length, &time) == 0, times = column->line[1] != 0;
    const int wanted = times || (is_time && !csv->no_times && !column->line[0] && !*problem);
    cli_text_quote(text, field.text, field.length);
    if (column->name)
        cli_text_quote(name, column->name + (*column->name == '='), strlen(column->name) - (*column->name == '='));
    if (times || (is_time && column->line[0]))
        snprintf(as, sizeof as, " as in line %" PRIu64, column->line[times]);
    return cli_fail("%s:%" PRIu64 ": column %zu%s%s is %s%s, expected %s%s%s", csv->name, line, column->number,
                    column->name ? ", " : "", name, field.length ? text : "empty", problem,
                    expected_of(csv->dtype, wanted, expected), as, *problem || is_time ? "" : hint_of(cell, hint));
}

static int is_refused(const struct cli_csv *csv, const void *element) {
    return csv->finite && ((csv->dtype == UH_F32 && !isfinite(*(const float *)element)) ||
                           (csv->dtype == UH_F64 && !isfinite(*(const double *)element)));
}

/* Returns whether a parsed cell says nothing of the column: NaN may be a missing number or date. */
static int is_nan(const struct cli_csv *csv, const void *element) {
    return (csv->dtype == UH_F32 && isnan(*(const float *)element)) ||
           (csv->dtype == UH_F64 && isnan(*(const double *)element));
}

static int is_float(const struct cli_csv *csv) { return csv->dtype == UH_F32 || csv->dtype == UH_F64; }

/* Reads a number that has another form: of the dialect, or a whole one with a point or an exponent. */
static enum cli_number parse_other(const struct cli_csv *csv, struct csv_text cell, void *element) {
    char plain[128];
    const size_t n = cli_dialect_plain(&csv->dialect, cell.text, cell.length, plain, sizeof plain);
    enum cli_number parsed = CLI_NUMBER_MALFORMED;
    if (n) {
        cell = (struct csv_text){plain, n};
        parsed = cli_number_parse(plain, n, csv->dtype, element);
    }
    return parsed == CLI_NUMBER_MALFORMED && !is_float(csv)
               ? cli_number_parse_whole(cell.text, cell.length, csv->dtype, element)
               : parsed;
}

static enum cli_number parse_time(const struct cli_csv *csv, struct csv_text cell, void *element) {
    struct cli_time time;
    char whole[32];
    if (csv->no_times || cli_time_parse(cell.text, cell.length, &time))
        return CLI_NUMBER_MALFORMED;
    if (!is_float(csv)) {
        const int n = snprintf(whole, sizeof whole, "%" PRId64 "%s", time.whole, time.fraction ? "." : "");
        return cli_number_parse(whole, (size_t)n, csv->dtype, element);
    }
    const float single = (float)time.seconds;
    if (csv->dtype == UH_F32 && (double)single != time.seconds)
        return CLI_NUMBER_MALFORMED;
    memcpy(element, csv->dtype == UH_F32 ? (const void *)&single : &time.seconds, csv->element_bytes);
    return CLI_NUMBER_OK;
}

static int store_missing(struct cli_csv *csv, const struct cli_csv_column *column, struct csv_text field,
                         void *element) {
    const double nan = NAN;
    const float single = NAN;
    csv->facts.missing++;
    if (!is_float(csv) || csv->finite)
        return csv_cell_fail(csv, column, csv->line, field, "");
    memcpy(element, csv->dtype == UH_F32 ? (const void *)&single : &nan, csv->element_bytes);
    return 0;
}

int csv_cell_read(struct cli_csv *csv, struct cli_csv_column *column, struct csv_text field, void *element) {
    const struct csv_text inner = field.length && *field.text == '"' ? csv_line_unquote(field) : field;
    const struct cli_dialect *dialect = &csv->dialect;
    /* With a decimal comma a point is no decimal point. */
    const int usual = dialect->decimal != ',' || !memchr(inner.text, '.', inner.length);
    int times = column->line[1] != 0;
    enum cli_number parsed = times ? parse_time(csv, inner, element)
                             : usual
                                 ? cli_number_parse_within(inner.text, inner.length, csv->limit, csv->dtype, element)
                                 : CLI_NUMBER_MALFORMED;
    if (parsed == CLI_NUMBER_MALFORMED && cli_dialect_is_missing(dialect, inner.text, inner.length))
        return store_missing(csv, column, inner.length ? field : inner, element);
    if (parsed == CLI_NUMBER_MALFORMED && !times)
        parsed = parse_other(csv, inner, element);
    if (parsed == CLI_NUMBER_MALFORMED && !times && !column->line[0]) {
        parsed = parse_time(csv, inner, element);
        times = parsed == CLI_NUMBER_OK;
    }
    if (parsed == CLI_NUMBER_OK && !column->line[times] && !is_nan(csv, element))
        column->line[times] = csv->line;
    switch (parsed) {
    case CLI_NUMBER_OK:
        return is_refused(csv, element) ? csv_cell_fail(csv, column, csv->line, field, ", not finite") : 0;
    case CLI_NUMBER_OUT_OF_RANGE: return csv_cell_fail(csv, column, csv->line, field, ", out of range");
    default: return csv_cell_fail(csv, column, csv->line, field, "");
    }
}
