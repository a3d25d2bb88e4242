/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>

#include <cjson/cJSON.h>

#include "api/cli/output/output.h"

/*
 * Members are written one after the other rather than as one tree: a tree of 10^7 bins would take gigabytes, and its
 * numbers are doubles, which do not hold every count. cJSON quotes the texts.
 */

static void write_number(FILE *file, double value) {
    char text[CLI_OUTPUT_NUMBER_SIZE];
    cli_output_number(text, value);
    fprintf(file, isfinite(value) ? "%s" : "\"%s\"", text);
}

static void write_text(FILE *file, const char *text) {
    cJSON *item = text ? cJSON_CreateString(text) : cJSON_CreateNull();
    char *quoted = cJSON_PrintUnformatted(item);
    fputs(quoted ? quoted : "null", file);
    cJSON_free(quoted);
    cJSON_Delete(item);
}

void cli_output_facts(FILE *file, const char *first, const char *between, const struct cli_fact *facts, size_t n) {
    for (const struct cli_fact *fact = facts; fact < facts + n; fact++) {
        fprintf(file, "%s\"%s\": ", fact == facts ? first : between, fact->key);
        switch (fact->kind) {
        case CLI_FACT_INTEGER: fprintf(file, "%" PRIu64, fact->integer); break;
        case CLI_FACT_SIGNED: fprintf(file, "%" PRId64, fact->signed_integer); break;
        case CLI_FACT_NUMBER: write_number(file, fact->number); break;
        case CLI_FACT_TEXT: write_text(file, fact->text); break;
        case CLI_FACT_TRUTH: fputs(fact->integer ? "true" : "false", file); break;
        }
    }
}

static void write_edges(FILE *file, const struct cli_axis *axis) {
    fputs("\"edges\": [", file);
    for (size_t i = 0; i <= axis->bins && !ferror(file); i++) {
        fputs(i ? ", " : "", file);
        write_number(file, axis->edges[i]);
    }
    fputc(']', file);
}

/* What is said of an axis; of a flat result's, of all. */
static void write_axis_facts(FILE *file, const char *before, const struct cli_axis *axis) {
    const struct cli_fact facts[] = {CLI_TEXT("dtype", axis->dtype),         CLI_INTEGER("below", axis->flow.below),
                                     CLI_INTEGER("above", axis->flow.above), CLI_INTEGER("nan", axis->flow.nan),
                                     CLI_TEXT("method", axis->method),       CLI_TEXT("plan", axis->plan)};
    cli_output_facts(file, before, before, facts, sizeof facts / sizeof *facts);
}

static void write_axes(FILE *file, const struct cli_result *result) {
    fputs("\"axes\": [", file);
    for (size_t a = 0; a < result->naxes; a++) {
        const struct cli_axis *axis = &result->axis[a];
        fputs(a ? ",\n    {\"name\": " : "\n    {\"name\": ", file);
        write_text(file, axis->name);
        write_axis_facts(file, ", ", axis);
        fputs(", ", file);
        write_edges(file, axis);
        fputc('}', file);
    }
    fputs("\n  ],\n  \"shape\": [", file);
    for (size_t a = 0; a < result->naxes; a++)
        fprintf(file, "%s%zu", a ? ", " : "", result->axis[a].bins);
    fputc(']', file);
}

static void write_histogram_facts(FILE *file, const char *before, const struct cli_result *result) {
    struct cli_fact facts[10];
    size_t n = 0;
    if (result->flat) {
        write_axis_facts(file, before, &result->axis[0]);
        facts[n++] = CLI_INTEGER("n", result->n);
    } else {
        facts[n++] = CLI_TEXT("storage", uh_storage_name(result->storage));
        facts[n++] = CLI_TRUTH("exact", result->sum == UH_SUM_EXACT);
        facts[n++] = CLI_INTEGER("inside", result->n - result->outside);
        facts[n++] = CLI_INTEGER("outside", result->outside);
        facts[n++] = CLI_TEXT("values", result->values);
        facts[n++] = CLI_TEXT("values_dtype", result->values_dtype);
    }
    facts[n++] = CLI_TEXT("device", result->device);
    facts[n++] = CLI_NUMBER("seconds", result->seconds);
    if (result->sums)
        facts[n++] = CLI_NUMBER("outside_sum", result->outside_sum);
    if (result->squares)
        facts[n++] = CLI_NUMBER("outside_sum_squares", result->outside_squares);
    cli_output_facts(file, before, before, facts, n);
}

/* Writes lists as deep as there are axes: a bracket opens where a bin of the axis in front of it begins. */
static void write_column(FILE *file, const struct cli_result *result, const struct cli_column *column) {
    size_t rows[UH_MAX_AXES] = {0}; /* how many cells one list at a depth holds */
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
        if (column->integers)
            fprintf(file, "%" PRIu64, column->integers[i]);
        else
            write_number(file, column->numbers[i]);
        for (size_t a = 1; a < result->naxes; a++)
            if ((i + 1) % rows[a] == 0)
                fputc(']', file);
    }
    fputc(']', file);
}

void cli_output_json(FILE *file, const struct cli_result *result) {
    const char *before = "{\n  ", *between = ",\n  ";
    struct cli_column column[CLI_COLUMNS];
    const size_t n = cli_output_columns(result, column);
    if (result->facts) {
        cli_output_facts(file, before, between, result->facts, result->nfacts);
    } else {
        fputs(before, file);
        if (result->flat)
            write_edges(file, &result->axis[0]);
        else
            write_axes(file, result);
        write_histogram_facts(file, between, result);
    }
    for (size_t i = 0; i < n; i++) {
        fputs(between, file);
        write_column(file, result, &column[i]);
    }
    fputs("\n}\n", file);
}
