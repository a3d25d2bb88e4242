/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>

#include <cjson/cJSON.h>

#include "api/cli/output/output.h"

/* Members are written one after the other, not as one tree: a tree of 10^7 bins would take gigabytes, and its numbers
 * are doubles, which do not hold every count. cJSON quotes the texts. */

static void write_number(FILE *file, double value) {
    cli_output_element(file, &(const struct cli_column){.numbers = &value}, 0, 1);
}

void cli_output_text(FILE *file, const char *text) {
    cJSON *item = text ? cJSON_CreateString(text) : cJSON_CreateNull();
    char *quoted = cJSON_PrintUnformatted(item);
    fputs(quoted ? quoted : "null", file);
    cJSON_free(quoted);
    cJSON_Delete(item);
}

void cli_output_list(FILE *file, const double *numbers, size_t n) {
    for (size_t i = 0; i < n; i++) {
        fputs(i ? ", " : "[", file);
        write_number(file, numbers[i]);
    }
    fputc(']', file);
}

void cli_output_facts(FILE *file, const char *first, const char *between, const struct cli_fact *facts, size_t n) {
    for (size_t i = 0; i < n; i++) {
        const struct cli_fact *fact = &facts[i];
        fprintf(file, "%s\"%s\": ", i ? between : first, fact->key);
        switch (fact->kind) {
        case CLI_FACT_INTEGER: fprintf(file, "%" PRIu64, fact->integer); break;
        case CLI_FACT_SIGNED: fprintf(file, "%" PRId64, fact->signed_integer); break;
        case CLI_FACT_NUMBER: write_number(file, fact->number); break;
        case CLI_FACT_TEXT: cli_output_text(file, fact->text); break;
        case CLI_FACT_TRUTH: fputs(fact->integer ? "true" : "false", file); break;
        }
    }
}

void cli_output_object(FILE *file, const char *before, const struct cli_fact *facts, size_t n) {
    fputs(before, file);
    cli_output_facts(file, "{", ", ", facts, n);
    fputc('}', file);
}

/* Writes the edges, or the first of integer bins, or the categories. */
static void write_edges(FILE *file, const struct cli_axis *axis) {
    const double *numbers = axis->categories ? axis->categories : axis->edges;
    const size_t n = axis->categories ? axis->ncategories : axis->bins + 1;
    if (axis->integers) {
        cli_output_facts(file, "", "", &CLI_SIGNED("first", axis->first), 1);
        return;
    }
    fputs(axis->categories ? "\"categories\": [" : "\"edges\": [", file);
    for (size_t i = 0; i < n && !ferror(file); i++) {
        fputs(i ? ", " : "", file);
        write_number(file, numbers[i]);
    }
    fputs(axis->bins > n ? ", \"other\"]" : "]", file);
}

/* Writes the properties of an axis. */
static void write_axis_facts(FILE *file, const char *before, const struct cli_axis *axis) {
    const struct cli_fact facts[] = {CLI_TEXT("dtype", axis->dtype),         CLI_INTEGER("below", axis->flow.below),
                                     CLI_INTEGER("above", axis->flow.above), CLI_INTEGER("nan", axis->flow.nan),
                                     CLI_TEXT("method", axis->method),       CLI_TEXT("plan", axis->plan)};
    cli_output_facts(file, before, before, CLI_FACTS(facts));
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

int cli_output_json(FILE *file, const void *what) {
    const struct cli_result *result = what;
    const char *before = "{\n  ", *between = ",\n  ";
    struct cli_column column[CLI_COLUMNS];
    const size_t n = cli_output_columns(result, column);
    cli_output_facts(file, before, between, result->facts, result->nfacts);
    fputs(result->nfacts ? between : before, file);
    write_axes(file, result, between);
    write_histogram_facts(file, between, result);
    for (size_t i = 0; i < n; i++) {
        fputs(between, file);
        write_column(file, result, &column[i]);
    }
    fputs("\n}\n", file);
    return 0;
}
