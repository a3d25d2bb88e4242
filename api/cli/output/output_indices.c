/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/output/output.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "api/cli/output/atomic.h"
#include "api/cli/output/output_formats.h"

struct cli_output_indices {
    struct cli_atomic *atomic;
    int text;     /* one a line, else .npy */
    size_t count; /* indices written */
    char path[];  /* for messages */
};

static const char *const extensions[] = {".npy", ".csv", ".txt"};

static int find_format(const char *path, struct cli_error *error) {
    int format = cli_output_extension(path, extensions, 3);
    return format >= 0 ? format
                       : cli_fail(error, "cannot write '%s': expected a name ending in .npy, .csv or .txt", path);
}

int cli_output_indices_check(const char *path, struct cli_error *error) {
    return find_format(path, error) < 0 ? -1 : cli_atomic_check(path, error);
}

struct cli_output_indices *cli_output_indices_open(const char *path, struct cli_error *error) {
    int format = find_format(path, error);
    if (format < 0)
        return NULL;
    size_t length = strlen(path);
    struct cli_output_indices *indices = calloc(1, sizeof *indices + length + 1);
    if (!indices) {
        cli_fail(error, "cannot write '%s': out of memory", path);
        return NULL;
    }
    memcpy(indices->path, path, length + 1);
    indices->text = format != 0;
    indices->atomic = cli_atomic_open(path, error);
    if (!indices->atomic) {
        free(indices);
        return NULL;
    }
    /* The length is not known yet; the header has room for any, and is written once more at the end. */
    if (!indices->text)
        cli_output_npy_header(cli_atomic_file(indices->atomic), "<i8", 0);
    return indices;
}

int cli_output_indices_append(struct cli_output_indices *indices, const int64_t *index, size_t n,
                              struct cli_error *error) {
    FILE *file = cli_atomic_file(indices->atomic);
    errno = 0;
    if (!indices->text)
        fwrite(index, sizeof *index, n, file);
    else
        for (size_t i = 0; i < n && !ferror(file); i++)
            fprintf(file, "%" PRId64 "\n", index[i]);
    if (ferror(file))
        return cli_fail(error, "cannot write '%s': %s", indices->path, errno ? strerror(errno) : "a write failed");
    indices->count += n;
    return 0;
}

int cli_output_indices_commit(struct cli_output_indices *indices, struct cli_error *error) {
    FILE *file = cli_atomic_file(indices->atomic);
    int result = 0;
    if (!indices->text) {
        if (fseek(file, 0, SEEK_SET) != 0) {
            result = cli_fail(error, "cannot write '%s': %s", indices->path, strerror(errno));
            cli_atomic_abort(indices->atomic);
            goto out;
        }
        cli_output_npy_header(file, "<i8", indices->count);
    }
    result = cli_atomic_commit(indices->atomic, error);
out:
    free(indices);
    return result;
}

void cli_output_indices_abort(struct cli_output_indices *indices) {
    if (indices) {
        cli_atomic_abort(indices->atomic);
        free(indices);
    }
}
