/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/output/output.h"

#include <inttypes.h>
#include <stdlib.h>

#include <unihist/save.h>

static void write_csv_names(FILE *file, const struct cli_result *result, const struct cli_column *column, size_t n) {
    for (size_t a = 0; a < result->naxes; a++)
        if (result->axis[a].integers)
            fputs(result->axis[a].name, file);
        else if (result->axis[a].categories && result->naxes == 1)
            fputs("value", file);
        else if (result->axis[a].categories)
            fprintf(file, "%svalue%zu", a ? "," : "", a);
        else if (result->naxes == 1)
            fputs("left,right", file);
        else
            fprintf(file, "%sleft%zu,right%zu", a ? "," : "", a, a);
    for (size_t i = 0; i < n; i++)
        if (column[i].shown)
            fprintf(file, ",%s", column[i].name);
    fputc('\n', file);
}

static void write_bin(FILE *file, const struct cli_axis *axis, size_t bin) {
    char left[CLI_OUTPUT_NUMBER_SIZE], right[CLI_OUTPUT_NUMBER_SIZE];
    if (axis->integers) {
        fprintf(file, "%" PRId64, (int64_t)((uint64_t)axis->first + bin));
        return;
    }
    if (axis->categories) {
        fputs(cli_output_category(axis, bin, left), file);
        return;
    }
    cli_output_number(left, axis->edges[bin]);
    cli_output_number(right, axis->edges[bin + 1]);
    fprintf(file, "%s,%s", left, right);
}

static int write_csv(FILE *file, const void *what) {
    const struct cli_result *result = what;
    struct cli_column column[CLI_COLUMNS];
    const size_t n = cli_output_columns(result, column), cells = cli_result_cells(result);
    write_csv_names(file, result, column, n);
    for (size_t cell = 0; cell < cells && !ferror(file); cell++) {
        size_t rows = cells;
        for (size_t a = 0; a < result->naxes; a++) {
            rows /= result->axis[a].bins;
            fputs(a ? "," : "", file);
            write_bin(file, &result->axis[a], cell / rows % result->axis[a].bins);
        }
        for (size_t i = 0; i < n; i++)
            if (column[i].shown) {
                fputc(',', file);
                cli_output_element(file, &column[i], cell, 0);
            }
        fputc('\n', file);
    }
    return 0;
}

static void write_edges(FILE *file, const struct cli_axis *axis) {
    const double *numbers = axis->categories ? axis->categories : axis->edges;
    const size_t n = axis->categories ? axis->ncategories : axis->bins + 1;
    if (axis->integers) {
        fprintf(file, "\"first\": %" PRId64, axis->first);
        return;
    }
    fputs(axis->categories ? "\"categories\": [" : "\"edges\": [", file);
    for (size_t i = 0; i < n && !ferror(file); i++) {
        fputs(i ? ", " : "", file);
        cli_output_element(file, &(const struct cli_column){.numbers = numbers}, i, 1);
    }
    fputs(axis->bins > n ? ", \"other\"]" : "]", file);
}

static void write_axis_facts(FILE *file, const char *before, const struct cli_axis *axis) {
    const struct cli_fact facts[] = {CLI_TEXT("dtype", axis->dtype),
                                     CLI_INTEGER("below", axis->flow.below),
                                     CLI_INTEGER("above", axis->flow.above),
                                     CLI_INTEGER("nan", axis->flow.nan),
                                     CLI_TEXT("method", axis->method),
                                     CLI_TEXT("plan", axis->plan),
                                     CLI_TEXT("closed", cli_closed_names[axis->closed]),
                                     CLI_TEXT("flow_bins", uh_enum_name(UH_ENUM_FLOW_BINS, axis->flow_bins))};
    cli_output_facts(file, before, before, facts, sizeof facts / sizeof *facts - (axis->integers ? 2 : 0));
    if (axis->time)
        cli_output_facts(file, before, before, &CLI_TEXT("unit", CLI_TIME_UNIT), 1);
}

/* Writes several axes; the members of a single axis are written as those of the whole. */
static void write_axes(FILE *file, const struct cli_result *result, const char *between) {
    if (result->naxes == 1) {
        write_edges(file, &result->axis[0]);
        write_axis_facts(file, between, &result->axis[0]);
        return;
    }
    fputs("\"axes\": [", file);
    for (size_t a = 0; a < result->naxes; a++) {
        const struct cli_axis *axis = &result->axis[a];
        fputs(a ? ",\n    {\"name\": " : "\n    {\"name\": ", file);
        cli_output_text(file, axis->name);
        write_axis_facts(file, ", ", axis);
        fputs(", ", file);
        write_edges(file, axis);
        fputc('}', file);
    }
    fputs("\n  ]", file);
}

static void write_histogram_facts(FILE *file, const char *before, const struct cli_result *result) {
    struct cli_fact facts[] = {CLI_INTEGER("n", result->n),
                               CLI_TEXT("storage", uh_enum_name(UH_ENUM_STORAGE, result->storage)),
                               CLI_TRUTH("exact", result->sum == UH_SUM_EXACT),
                               CLI_INTEGER("inside", result->n - result->outside),
                               CLI_INTEGER("outside", result->outside),
                               CLI_TEXT("values", result->values),
                               CLI_TEXT("values_dtype", result->values_dtype),
                               CLI_TEXT("device", result->device),
                               CLI_NUMBER("seconds", result->seconds),
                               CLI_NUMBER("outside_sum", result->outside_sum),
                               CLI_NUMBER("outside_sum_squares", result->outside_squares)};
    const size_t n = sizeof facts / sizeof *facts;
    cli_output_facts(file, before, before, facts, result->squares ? n : result->sums ? n - 1 : n - 2);
}

static void write_text(FILE *file, const char *before, const struct cli_text_report *report) {
    char separator[32];
    const char decimal[] = {(char)report->dialect.decimal, '\0'}, comment[] = {(char)report->dialect.comment, '\0'};
    const struct cli_csv_facts *read = &report->facts;
    cli_dialect_separator(&report->dialect, separator);
    const struct cli_fact facts[] = {CLI_TEXT("encoding", report->dialect.encoding),
                                     CLI_TEXT("separator", separator),
                                     CLI_TEXT("decimal", decimal),
                                     CLI_TEXT("comment", *comment ? comment : NULL),
                                     CLI_INTEGER("header", read->header),
                                     CLI_INTEGER("rows", read->rows),
                                     CLI_INTEGER("skipped", read->skipped),
                                     CLI_INTEGER("blank", read->blank),
                                     CLI_INTEGER("comments", read->comments),
                                     CLI_INTEGER("missing", read->missing)};
    fprintf(file, "%s\"text\": ", before);
    cli_output_object(file, "", CLI_FACTS(facts));
}

/* Writes lists nested as deep as there are axes: a bracket opens where a bin of the axis before begins. */
static void write_column(FILE *file, const struct cli_result *result, const struct cli_column *column) {
    size_t rows[UH_MAX_AXES] = {0}; /* cells per list at each depth */
    size_t cells = 1;
    for (size_t a = result->naxes; a-- > 0;)
        rows[a] = cells *= result->axis[a].bins;
    fprintf(file, "\"%s\": [", column->key);
    for (size_t i = 0; i < cells && !ferror(file); i++) {
        if (i)
            fputs(", ", file);
        for (size_t a = 1; a < result->naxes; a++)
            if (i % rows[a] == 0)
                fputc('[', file);
        cli_output_element(file, column, i, 1);
        for (size_t a = 1; a < result->naxes; a++)
            if ((i + 1) % rows[a] == 0)
                fputc(']', file);
    }
    fputc(']', file);
}

static int write_json(FILE *file, const void *what) {
    const struct cli_result *result = what;
    const char *before = "{\n  ", *between = ",\n  ";
    struct cli_column column[CLI_COLUMNS];
    const size_t n = cli_output_columns(result, column);
    cli_output_facts(file, before, between, result->facts, result->nfacts);
    fputs(result->nfacts ? between : before, file);
    write_axes(file, result, between);
    write_histogram_facts(file, between, result);
    if (result->text && result->text->texts)
        write_text(file, between, result->text);
    for (size_t i = 0; i < n; i++) {
        fputs(between, file);
        write_column(file, result, &column[i]);
    }
    fputs("\n}\n", file);
    return 0;
}

/* Not by uh_histogram_save: like all outputs of the command, the file is removed if a signal ends the command. */
static int write_saved(FILE *file, const void *what) {
    uh_histogram *histogram = ((const struct cli_result *)what)->histogram;
    size_t size;
    if (uh_histogram_save_bytes(histogram, NULL, 0, &size))
        return cli_fail_library();
    void *bytes = cli_have(malloc(size));
    const int status = uh_histogram_save_bytes(histogram, bytes, size, &size) ? cli_fail_library()
                       : fwrite(bytes, 1, size, file) == size                 ? 0
                                                                              : -1;
    free(bytes);
    return status;
}

int cli_output_write(const char *path, const char *format, const struct cli_result *result) {
    static int (*const writers[])(FILE *, const void *) = {cli_output_npy, write_csv, write_json, cli_output_npz,
                                                           write_saved}; /* as in CLI_OUTPUT_HISTOGRAM */
    const int index = cli_output_format(path, format, result->histogram ? CLI_OUTPUT_HISTOGRAM : CLI_OUTPUT_RESULT);
    return index < 0 ? -1 : cli_atomic_write(path, writers[index], result);
}
