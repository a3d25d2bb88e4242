/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/output/output_bins.h"

#include <inttypes.h>
#include <math.h>

#include <cjson/cJSON.h>

#include "api/cli/output/atomic.h"
#include "api/cli/output/output.h"
#include "api/cli/output/output_formats.h"

/* Returns the format that the path's extension names, or -1 with a line in `error`. */
static int find_format(const char *path, struct cli_error *error) {
    static const char *const extensions[] = {".npy", ".csv", ".json"};
    int format = cli_output_extension(path, extensions, 3);
    return format >= 0 ? format
                       : cli_fail(error, "cannot write '%s': expected a name ending in .npy, .csv or .json", path);
}

int cli_output_bins_check(const char *path, struct cli_error *error) {
    return find_format(path, error) < 0 ? -1 : cli_atomic_check(path, error);
}

static void write_npy(FILE *file, const struct cli_bins_result *result) {
    cli_output_npy_header(file, result->sums ? "<f8" : "<u8", result->length);
    if (result->sums)
        fwrite(result->sums, sizeof *result->sums, result->length, file);
    else if (result->counts)
        fwrite(result->counts, sizeof *result->counts, result->length, file);
}

static void write_csv(FILE *file, const struct cli_bins_result *result) {
    fprintf(file, "value,%s\n", result->sums ? "sum" : "count");
    for (size_t v = 0; v < result->length && !ferror(file); v++) {
        char sum[CLI_OUTPUT_NUMBER_SIZE];
        if (result->sums) {
            cli_output_number(sum, result->sums[v]);
            fprintf(file, "%zu,%s\n", v, sum);
        } else {
            fprintf(file, "%zu,%" PRIu64 "\n", v, result->counts[v]);
        }
    }
}

static void write_number(FILE *file, double value) {
    char text[CLI_OUTPUT_NUMBER_SIZE];
    cli_output_number(text, value);
    fprintf(file, isfinite(value) ? "%s" : "\"%s\"", text);
}

static void write_text(FILE *file, const char *key, const char *text) {
    cJSON *item = text ? cJSON_CreateString(text) : cJSON_CreateNull();
    char *quoted = cJSON_PrintUnformatted(item);
    fprintf(file, "  \"%s\": %s,\n", key, quoted ? quoted : "null");
    cJSON_free(quoted);
    cJSON_Delete(item);
}

static void write_json(FILE *file, const struct cli_bins_result *result) {
    fprintf(file, "{\n  \"%s\": [", result->sums ? "sums" : "counts");
    for (size_t v = 0; v < result->length && !ferror(file); v++) {
        if (v > 0)
            fputs(", ", file);
        if (result->sums)
            write_number(file, result->sums[v]);
        else
            fprintf(file, "%" PRIu64, result->counts[v]);
    }
    fprintf(file, "],\n  \"length\": %zu,\n  \"n\": %" PRIu64 ",\n", result->length, result->n);
    write_text(file, "weights", result->weights);
    fprintf(file, "  \"exact\": %s,\n", result->fast ? "false" : "true");
    write_text(file, "device", result->device);
    write_text(file, "dtype", result->dtype);
    fputs("  \"seconds\": ", file);
    write_number(file, result->seconds);
    fputs("\n}\n", file);
}

int cli_output_bins_write(const char *path, const struct cli_bins_result *result, struct cli_error *error) {
    static void (*const writers[])(FILE *, const struct cli_bins_result *) = {write_npy, write_csv, write_json};
    int format = find_format(path, error);
    struct cli_atomic *atomic = format < 0 ? NULL : cli_atomic_open(path, error);
    if (!atomic)
        return -1;
    writers[format](cli_atomic_file(atomic), result);
    return cli_atomic_commit(atomic, error);
}
