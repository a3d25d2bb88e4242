/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/output/output_counts.h"

#include <inttypes.h>

#include "api/cli/output/atomic.h"
#include "api/cli/output/output_formats.h"

/* Returns the format that the path's extension names, or -1 with a line in `error`. */
static int find_format(const char *path, struct cli_error *error) {
    static const char *const extensions[] = {".npy", ".csv", ".json"};
    int format = cli_output_extension(path, extensions, 3);
    return format >= 0 ? format
                       : cli_fail(error, "cannot write '%s': expected a name ending in .npy, .csv or .json", path);
}

int cli_output_counts_check(const char *path, struct cli_error *error) {
    return find_format(path, error) < 0 ? -1 : cli_atomic_check(path, error);
}

/* Outcome j: there is none beyond INT64_MAX. */
static int64_t outcome(const struct cli_counts_result *result, size_t j) {
    return (int64_t)((uint64_t)result->first + j);
}

static void write_npy(FILE *file, const struct cli_counts_result *result) {
    cli_output_npy_header(file, "<u8", result->length);
    fwrite(result->counts, sizeof *result->counts, result->length, file);
}

static void write_csv(FILE *file, const struct cli_counts_result *result) {
    fputs("outcome,count\n", file);
    for (size_t j = 0; j < result->length && !ferror(file); j++)
        fprintf(file, "%" PRId64 ",%" PRIu64 "\n", outcome(result, j), result->counts[j]);
}

static void write_text(FILE *file, const char *key, const char *text) {
    fprintf(file, "  \"%s\": ", key);
    cli_output_json_text(file, text);
    fputs(",\n", file);
}

static void write_json(FILE *file, const struct cli_counts_result *result) {
    fputs("{\n", file);
    write_text(file, "distribution", result->distribution);
    fprintf(file, "  \"first\": %" PRId64 ",\n  \"counts\": [", result->first);
    for (size_t j = 0; j < result->length && !ferror(file); j++)
        fprintf(file, j > 0 ? ", %" PRIu64 : "%" PRIu64, result->counts[j]);
    fprintf(file, "],\n  \"n\": %" PRIu64 ",\n  \"seed\": %" PRIu64 ",\n  \"offset\": %" PRIu64 ",\n", result->n,
            result->seed, result->offset);
    write_text(file, "method", result->method);
    write_text(file, "device", result->device);
    fputs("  \"seconds\": ", file);
    cli_output_json_number(file, result->seconds);
    fputs("\n}\n", file);
}

int cli_output_counts_write(const char *path, const struct cli_counts_result *result, struct cli_error *error) {
    static void (*const writers[])(FILE *, const struct cli_counts_result *) = {write_npy, write_csv, write_json};
    int format = find_format(path, error);
    struct cli_atomic *atomic = format < 0 ? NULL : cli_atomic_open(path, error);
    if (!atomic)
        return -1;
    writers[format](cli_atomic_file(atomic), result);
    return cli_atomic_commit(atomic, error);
}
