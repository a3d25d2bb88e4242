/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/input/weights.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct cli_weights {
    struct cli_input *input;
    struct cli_input_options options;
    char *path, *column; /* `column` is within `path`, or NULL */
    const char *data;    /* of the chunk that is lent, not yet used */
    size_t left;
    uint64_t used;
    int64_t *wide; /* integers that were narrower */
    size_t room;
};

int cli_weights_open(const char *text, const char *dtype, struct cli_weights **out, struct cli_error *error) {
    struct cli_weights *weights = calloc(1, sizeof *weights);
    if (!weights || !(weights->path = strdup(text))) {
        cli_weights_close(weights);
        return cli_fail(error, "out of memory for the weights");
    }
    char *colon = strrchr(weights->path, ':');
    if (colon && access(text, F_OK) != 0) { /* a file's own name may have one */
        *colon = 0;
        weights->column = colon + 1;
    }
    weights->options = (struct cli_input_options){.column = weights->column, .dtype = dtype};
    if (cli_input_open(weights->path, &weights->options, &weights->input, error)) {
        cli_weights_close(weights);
        return -1;
    }
    *out = weights;
    return 0;
}

const char *cli_weights_name(const struct cli_weights *weights) {
    return strcmp(weights->path, "-") == 0 ? "standard input" : weights->path;
}

int cli_weights_count(const struct cli_weights *weights, uint64_t *count) {
    return cli_input_count(weights->input, count);
}

static int is_taken(uh_dtype dtype) {
    return dtype == UH_F32 || dtype == UH_F64 || dtype == UH_I32 || dtype == UH_I64;
}

static int64_t widened(uh_dtype dtype, const char *data, size_t i) {
    int8_t i8;
    int16_t i16;
    uint64_t bits = 0;
    switch (dtype) {
    case UH_I8: memcpy(&i8, data + i, sizeof i8); return i8;
    case UH_I16: memcpy(&i16, data + 2 * i, sizeof i16); return i16;
    default: memcpy(&bits, data + i * uh_dtype_size(dtype), uh_dtype_size(dtype)); return (int64_t)bits;
    }
}

/* Makes int64 of integers that the library does not take as weights. */
static int widen(struct cli_weights *weights, uh_dtype dtype, size_t n, struct cli_error *error) {
    if (n > weights->room) {
        int64_t *grown = realloc(weights->wide, n * sizeof *grown);
        if (!grown)
            return cli_fail(error, "out of memory for %zu weights", n);
        weights->wide = grown;
        weights->room = n;
    }
    for (size_t i = 0; i < n; i++) {
        weights->wide[i] = widened(dtype, weights->data, i);
        if (dtype == UH_U64 && weights->wide[i] < 0)
            return cli_fail(error, "%s: weight number %" PRIu64 " is %" PRIu64 ", expected at most %" PRId64,
                            cli_weights_name(weights), weights->used + i, (uint64_t)weights->wide[i], INT64_MAX);
    }
    return 0;
}

int cli_weights_next(struct cli_weights *weights, size_t most, uh_dtype *dtype, const void **data, size_t *n,
                     struct cli_error *error) {
    const uh_dtype stored = cli_input_dtype(weights->input);
    const void *chunk = NULL;
    while (weights->left == 0) {
        const int more = cli_input_next(weights->input, &chunk, &weights->left, error);
        if (more < 0)
            return -1;
        if (more == 0)
            return cli_fail(error, "%s: holds %" PRIu64 " weights, but there are more values",
                            cli_weights_name(weights), weights->used);
        weights->data = chunk;
    }
    *n = weights->left < most ? weights->left : most;
    *dtype = is_taken(stored) ? stored : UH_I64;
    if (!is_taken(stored) && widen(weights, stored, *n, error))
        return -1;
    *data = is_taken(stored) ? (const void *)weights->data : (const void *)weights->wide;
    weights->data += *n * uh_dtype_size(stored);
    weights->left -= *n;
    weights->used += *n;
    return 0;
}

int cli_weights_finish(struct cli_weights *weights, struct cli_error *error) {
    const void *chunk = NULL;
    if (weights->left == 0) {
        const int more = cli_input_next(weights->input, &chunk, &weights->left, error);
        if (more <= 0)
            return more;
    }
    return cli_fail(error, "%s: holds more weights than the %" PRIu64 " values", cli_weights_name(weights),
                    weights->used);
}

void cli_weights_close(struct cli_weights *weights) {
    if (!weights)
        return;
    if (weights->input)
        cli_input_close(weights->input);
    free(weights->wide);
    free(weights->path);
    free(weights);
}
