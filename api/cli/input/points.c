/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/input/inputs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/cli/display/progress.h"

enum { SOURCES = UH_MAX_AXES + 1 };

/* Maximum number of values that are widened at a time. */
#define WIDENED ((size_t)1 << 20)

/* One input, and what is left of the chunk that it gave. */
struct source {
    struct cli_inputs *inputs;
    size_t width;
    uh_dtype dtype;
    const char *data;
    size_t left;   /* rows */
    uint64_t rows; /* given so far */
};

/* A pass. */
struct pass {
    const struct cli_points *points;
    struct source source[SOURCES];
    size_t nsources;
    size_t of_axis[UH_MAX_AXES]; /* its source */
    size_t of_values;
    void *widened;
};

static size_t add_source(struct pass *pass, struct cli_inputs *inputs) {
    size_t i = 0;
    while (i < pass->nsources && pass->source[i].inputs != inputs)
        i++;
    if (i == pass->nsources)
        pass->source[pass->nsources++] = (struct source){.inputs = inputs, .width = cli_inputs_facts(inputs)->width};
    return i;
}

static void list_sources(struct pass *pass, const struct cli_points *points) {
    *pass = (struct pass){.points = points};
    for (size_t a = 0; a < points->naxes; a++)
        pass->of_axis[a] = add_source(pass, points->axis[a].inputs);
    if (points->values)
        pass->of_values = add_source(pass, points->values);
}

int cli_points_check(const struct cli_points *points, struct cli_error *error) {
    struct pass pass;
    uint64_t rows[SOURCES];
    size_t known[SOURCES], n = 0;
    list_sources(&pass, points);
    for (size_t i = 0; i < pass.nsources; i++)
        if (cli_inputs_count(pass.source[i].inputs, &rows[i])) {
            rows[i] /= pass.source[i].width;
            known[n++] = i;
        }
    for (size_t i = 1; i < n; i++)
        if (rows[known[i]] != rows[known[0]])
            return cli_fail(error, "%.300s holds %" PRIu64 " and %.300s %" PRIu64 ", expected as many of each",
                            cli_inputs_name(pass.source[known[0]].inputs), rows[known[0]],
                            cli_inputs_name(pass.source[known[i]].inputs), rows[known[i]]);
    return 0;
}

/* Makes every source have something, and finds how much all have. Returns 1; 0 at the end of all; -1. */
static int advance(struct pass *pass, size_t *n, struct cli_error *error) {
    size_t ended = 0, min = SIZE_MAX, first_ended = 0, first_more = 0;
    for (size_t i = pass->nsources; i-- > 0;) {
        struct source *source = &pass->source[i];
        if (!source->left) {
            const void *data;
            size_t count;
            int more = cli_inputs_next(source->inputs, &source->dtype, &data, &count, error);
            if (more < 0)
                return -1;
            source->data = data;
            source->left = more ? count / source->width : 0;
        }
        if (source->left)
            first_more = i;
        else {
            first_ended = i;
            ended++;
        }
        min = source->left < min ? source->left : min;
    }
    *n = min;
    if (ended == pass->nsources)
        return 0;
    if (ended)
        return cli_fail(error, "%.300s ends after %" PRIu64 ", and %.300s holds more, expected as many of each",
                        cli_inputs_name(pass->source[first_ended].inputs), pass->source[first_ended].rows,
                        cli_inputs_name(pass->source[first_more].inputs));
    return 1;
}

static uh_array array_of(const struct source *source, size_t element, size_t n) {
    size_t bytes = uh_dtype_size(source->dtype);
    return (uh_array){.dtype = source->dtype,
                      .data = source->data + element * bytes,
                      .stride = (ptrdiff_t)(source->width * bytes),
                      .count = n};
}

/* ---- values of other types -------------------------------------------------------------------------------------- */

static int is_taken(uh_dtype dtype) {
    return dtype == UH_F32 || dtype == UH_F64 || dtype == UH_I32 || dtype == UH_I64;
}

/* Reads an integer; returns -1 where it is beyond int64. */
static int read_integer(uh_dtype dtype, const char *data, int64_t *value) {
    union {
        int8_t i8;
        int16_t i16;
        uint8_t u8;
        uint16_t u16;
        uint32_t u32;
        uint64_t u64;
    } x;
    memcpy(&x, data, uh_dtype_size(dtype));
    switch (dtype) {
    case UH_I8: *value = x.i8; return 0;
    case UH_I16: *value = x.i16; return 0;
    case UH_U8: *value = x.u8; return 0;
    case UH_U16: *value = x.u16; return 0;
    case UH_U32: *value = x.u32; return 0;
    default: *value = (int64_t)(x.u64 & INT64_MAX); return x.u64 > INT64_MAX ? -1 : 0;
    }
}

static int widen(struct pass *pass, const struct source *source, uh_array *values, struct cli_error *error) {
    if (!pass->widened && !(pass->widened = malloc(WIDENED * sizeof(int64_t))))
        return cli_fail(error, "out of memory for %zu weights", WIDENED);
    int64_t *wide = pass->widened;
    for (size_t i = 0; i < values->count; i++)
        if (read_integer(values->dtype, (const char *)values->data + (ptrdiff_t)i * values->stride, &wide[i]))
            return cli_fail(error, "%.300s: value %" PRIu64 " is above 2^63 - 1, the largest weight",
                            cli_inputs_name(source->inputs), source->rows + i);
    *values = uh_array_of(UH_I64, wide, values->count);
    return 0;
}

/* ---- passes ----------------------------------------------------------------------------------------------------- */

static int give(struct pass *pass, size_t n, cli_points_each each, void *context, struct cli_error *error) {
    uh_array coordinates[UH_MAX_AXES], values;
    const struct cli_points *points = pass->points;
    for (size_t a = 0; a < points->naxes; a++)
        coordinates[a] = array_of(&pass->source[pass->of_axis[a]], points->axis[a].element, n);
    if (points->values) {
        const struct source *source = &pass->source[pass->of_values];
        values = array_of(source, 0, n);
        if (!is_taken(source->dtype) && widen(pass, source, &values, error))
            return -1;
    }
    if (each(context, coordinates, points->values ? &values : NULL, error))
        return -1;
    for (size_t i = 0; i < pass->nsources; i++) {
        struct source *source = &pass->source[i];
        source->data += n * source->width * uh_dtype_size(source->dtype);
        source->left -= n;
        source->rows += n;
    }
    return 0;
}

static void sum_bytes(const struct pass *pass, uint64_t *total, uint64_t *read) {
    int known = 1;
    *total = *read = 0;
    for (size_t i = 0; i < pass->nsources; i++) {
        uint64_t bytes = cli_inputs_bytes_total(pass->source[i].inputs);
        known = known && bytes > 0;
        *total += bytes;
        *read += cli_inputs_bytes_read(pass->source[i].inputs);
    }
    *total = known ? *total : 0;
}

int cli_points_pass(const struct cli_points *points, const char *label, cli_points_each each, void *context,
                    struct cli_error *error) {
    struct pass pass;
    uint64_t total, read;
    size_t n;
    int more = 1, result = 0;
    list_sources(&pass, points);
    for (size_t i = 0; i < pass.nsources; i++) {
        cli_inputs_choose(pass.source[i].inputs, CLI_INPUTS_ROWS);
        cli_inputs_start(pass.source[i].inputs);
    }
    sum_bytes(&pass, &total, &read);
    struct cli_progress *progress = cli_progress_start(stderr, label, total, "B");
    while (result == 0 && more) {
        more = advance(&pass, &n, error);
        int wide = more > 0 && points->values && !is_taken(pass.source[pass.of_values].dtype);
        if (more)
            result = more < 0 ? -1 : give(&pass, wide && n > WIDENED ? WIDENED : n, each, context, error);
        sum_bytes(&pass, &total, &read);
        cli_progress_update(progress, read);
    }
    for (size_t i = 0; i < pass.nsources; i++)
        cli_inputs_stop(pass.source[i].inputs);
    cli_progress_finish(progress);
    free(pass.widened);
    return result;
}
