/* SPDX-License-Identifier: Apache-2.0 */
/* Common functions of the writers of all formats. */
#include "api/cli/output/output.h"

#include <cjson/cJSON.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

const double cli_quantile_parts[CLI_QUANTILES] = {0.05, 0.25, 0.5, 0.75, 0.95};

const char *const cli_closed_names[] = {[UH_CLOSED_LEFT] = "left",
                                        [UH_CLOSED_RIGHT] = "right",
                                        [UH_HALF_OPEN_LEFT] = "half-open left",
                                        [UH_HALF_OPEN_RIGHT] = "half-open right"};

int cli_output_format(const char *path, const char *format, const char *names) {
    const size_t length = strlen(path);
    int index = 0;
    for (const char *name = strchr(names, '.'); name; name = strchr(name + 1, '.'), index++) {
        const size_t tail = strcspn(name, ", ");
        if (format
                ? strlen(format) == tail - 1 && strncmp(format, name + 1, tail - 1) == 0
                : length > tail && path[length - tail - 1] != '/' && strncasecmp(path + length - tail, name, tail) == 0)
            return index;
    }
    if (format)
        return cli_usage("--format %s: expected one of %s here", format, names);
    if (cli_atomic_is_stream(path) && strcmp(names, CLI_OUTPUT_HISTOGRAM) != 0 && strcmp(names, CLI_OUTPUT_RESULT) != 0)
        return 0;
    return cli_usage("cannot write '%s': expected a name ending in %s", path, names);
}

int cli_output_check(const char *path, const char *format, const char *names) {
    static const char *const texts[] = {".csv", ".json", ".svg", ".txt"};
    const int index = cli_output_format(path, format, names);
    const char *name = strchr(names, '.');
    int binary = 1;
    for (int i = 0; i < index; i++)
        name = strchr(name + 1, '.');
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        binary = binary && strncmp(name, texts[i], strlen(texts[i])) != 0;
    return index < 0 ? -1 : cli_atomic_check(path, binary);
}

int cli_output_number(char text[CLI_OUTPUT_NUMBER_SIZE], double value) {
    const char *word = isnan(value) ? "nan" : isinf(value) ? (value < 0 ? "-inf" : "inf") : NULL;
    if (word)
        return snprintf(text, CLI_OUTPUT_NUMBER_SIZE, "%s", word);
    /* %.15g finds every number of at most 15 digits (C17 5.2.4.2.2, DBL_DIG) except subnormal ones, which have fewer
     * bits. */
    int length = 0;
    for (int digits = fabs(value) < DBL_MIN ? 1 : DBL_DIG; digits <= DBL_DECIMAL_DIG; digits++) {
        length = snprintf(text, CLI_OUTPUT_NUMBER_SIZE, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    return length;
}

void cli_output_little(unsigned char *to, uint64_t value, size_t bytes) {
    for (size_t i = 0; i < bytes; i++)
        to[i] = (unsigned char)(value >> (8 * i));
}

size_t cli_output_columns(const struct cli_result *result, struct cli_column columns[CLI_COLUMNS]) {
    const size_t bytes = result->storage == UH_STORAGE_U8 ? 1 : result->storage == UH_STORAGE_U16 ? 2 : 8;
    const int own = !result->density && !cli_result_is_cumulative(result);
    const struct cli_column all[CLI_COLUMNS] = {
        {"counts", "count", result->counts, NULL, bytes, own},
        {"sums", "sum", NULL, result->sums, 8, own},
        {"sum_squares", "sum_squares", NULL, result->squares, 8, own},
        {"means", "mean", NULL, result->means, 8, own},
        {"m2", "m2", NULL, result->deviations, 8, own},
        {"cumulative", "cumulative", result->cumulative, result->running, 8, 1},
        {"density", "density", NULL, result->density, 8, 1},
    };
    size_t n = 0;
    for (size_t i = 0; i < CLI_COLUMNS; i++)
        if (all[i].integers || all[i].numbers)
            columns[n++] = all[i];
    return n;
}

void cli_output_element(FILE *file, const struct cli_column *column, size_t i, int quoted) {
    char text[CLI_OUTPUT_NUMBER_SIZE];
    if (column->integers) {
        fprintf(file, "%" PRIu64, column->integers[i]);
        return;
    }
    cli_output_number(text, column->numbers[i]);
    fprintf(file, quoted && !isfinite(column->numbers[i]) ? "\"%s\"" : "%s", text);
}

const char *cli_output_category(const struct cli_axis *axis, size_t bin, char text[CLI_OUTPUT_NUMBER_SIZE]) {
    if (bin >= axis->ncategories)
        return "other";
    cli_output_number(text, axis->categories[bin]);
    return text;
}

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
