/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>

#include <cjson/cJSON.h>

#include "api/cli/output/output.h"
#include "api/cli/output/output_formats.h"

/*
 * Members are written one after the other rather than as one tree: a tree of 10^7 bins would take gigabytes, and its
 * numbers are doubles, which do not hold every count. cJSON quotes the texts.
 */

void cli_output_json_number(FILE *file, double value) {
    char text[CLI_OUTPUT_NUMBER_SIZE];
    cli_output_number(text, value);
    fprintf(file, isfinite(value) ? "%s" : "\"%s\"", text);
}

static void write_numbers(FILE *file, const char *key, const double *values, size_t count) {
    fprintf(file, "  \"%s\": [", key);
    for (size_t i = 0; i < count && !ferror(file); i++) {
        if (i > 0)
            fputs(", ", file);
        cli_output_json_number(file, values[i]);
    }
    fputs("],\n", file);
}

static void write_integers(FILE *file, const char *key, const uint64_t *values, size_t count) {
    fprintf(file, "  \"%s\": [", key);
    for (size_t i = 0; i < count && !ferror(file); i++)
        fprintf(file, i > 0 ? ", %" PRIu64 : "%" PRIu64, values[i]);
    fputs("],\n", file);
}

void cli_output_json_text(FILE *file, const char *text) {
    cJSON *item = text ? cJSON_CreateString(text) : cJSON_CreateNull();
    char *quoted = cJSON_PrintUnformatted(item);
    fputs(quoted ? quoted : "null", file);
    cJSON_free(quoted);
    cJSON_Delete(item);
}

static void write_text(FILE *file, const char *key, const char *text) {
    fprintf(file, "  \"%s\": ", key);
    cli_output_json_text(file, text);
    fputs(",\n", file);
}

void cli_output_write_json(FILE *file, const struct cli_result *result) {
    fputs("{\n", file);
    write_numbers(file, "edges", result->edges, result->bins + 1);
    if (result->counts)
        write_integers(file, "counts", result->counts, result->bins);
    if (result->sums) {
        write_numbers(file, "sums", result->sums, result->bins);
        fputs("  \"outside_sum\": ", file);
        cli_output_json_number(file, result->outside_sum);
        fputs(",\n", file);
    }
    if (result->running)
        write_numbers(file, "cumulative", result->running, result->bins);
    if (result->cumulative)
        write_integers(file, "cumulative", result->cumulative, result->bins);
    if (result->density)
        write_numbers(file, "density", result->density, result->bins);
    fprintf(file,
            "  \"below\": %" PRIu64 ",\n  \"above\": %" PRIu64 ",\n  \"nan\": %" PRIu64 ",\n  \"n\": %" PRIu64 ",\n",
            result->flow.below, result->flow.above, result->flow.nan, result->n);
    write_text(file, "method", result->method);
    write_text(file, "plan", result->plan);
    write_text(file, "device", result->device);
    write_text(file, "dtype", result->dtype);
    fputs("  \"seconds\": ", file);
    cli_output_json_number(file, result->seconds);
    fputs("\n}\n", file);
}
