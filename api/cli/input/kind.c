/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/input/kind.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "api/cli/input/container.h"

static int has_ending(const char *path, const char *ending) {
    size_t length = strlen(path), n = strlen(ending);
    return length > n && strcasecmp(path + length - n, ending) == 0;
}

static int is_text_name(const char *path) {
    static const char *const endings[] = {".csv", ".tsv", ".tab", ".txt", ".text", ".dat", ".asc"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (has_ending(path, endings[i]))
            return 1;
    return 0;
}

/* Rejects options for another kind of input. */
static int check_options(const struct cli_input *input) {
    const struct cli_input_options *options = &input->options;
    const char *name = input->stream.name;
    const int is_npy = input->kind == NPY;
    if (options->column && input->kind != TEXT)
        return cli_fail("%s: column is '%.40s', but only text has columns and this is %s", name, options->column,
                        is_npy ? "a .npy file" : "read as raw binary");
    if (options->row && input->kind != RAW)
        return cli_fail("%s: a row is said to be %zu values, but %s", name, options->row,
                        is_npy ? "a .npy file contains its type" : "text columns are selected by name or number");
    return 0;
}

/* Makes rows of a two-dimensional array, or selects one column of it. */
static int open_npy_rows(struct cli_input *input, const struct cli_npy *npy) {
    const struct cli_input_options *options = &input->options;
    const char *name = input->stream.name;
    if (!options->rows)
        return 0;
    if (npy->sizes > 2)
        return cli_fail("%s: the array has %d dimensions, expected 1 or 2, a point a row", name, npy->sizes);
    if (npy->sizes < 2)
        return 0;
    if (npy->last == 0 || npy->last > SIZE_MAX / npy->element_bytes)
        return cli_fail("%s: rows of %" PRIu64 " values", name, npy->last);
    uint64_t lines = npy->count / npy->last;
    input->facts.width = (size_t)npy->last;
    const uint64_t column_bytes = lines * npy->element_bytes;
    input->facts.is_fortran = npy->fortran && npy->last > 1 && lines > 1;
    if (options->part) {
        input->facts.width = 1;
        input->begin += (options->part - 1) * column_bytes;
        input->end = input->begin + column_bytes;
    } else if (input->facts.is_fortran) {
        input->column_bytes = column_bytes;
    }
    return 0;
}

static int open_npy(struct cli_input *input) {
    const struct cli_input_options *options = &input->options;
    const char *name = input->stream.name;
    const unsigned char *head;
    size_t have = 0;
    struct cli_npy npy;
    if (cli_stream_peek(&input->stream, 12, &head, &have) != 0)
        return -1;
    /* Waits only for the header: a pipe may have nothing after it for long. */
    const size_t low = have < 12 ? 0 : (size_t)head[8] | (size_t)head[9] << 8;
    const int is_long = have >= 12 && head[6] > 1 && (head[10] || head[11]);
    if (cli_stream_peek(&input->stream, is_long ? CLI_NPY_FIRST_BYTES : 12 + low, &head, &have) != 0 ||
        cli_npy_parse(name, head, have, &npy) != 0)
        return -1;
    if (options->dtype && npy.dtype != input->facts.dtype)
        return cli_fail("%s: dtype is '%.40s', but this .npy file holds %s; leave the dtype out", name, options->dtype,
                        uh_enum_name(UH_ENUM_DTYPE, npy.dtype));
    input->facts.dtype = npy.dtype;
    input->stored_bytes = npy.element_bytes;
    input->swapped = npy.swapped;
    input->half = npy.half;
    input->begin = npy.data_offset;
    input->end = npy.data_offset + npy.count * npy.element_bytes;
    uint64_t size = input->stream.size;
    if (size && size < input->end)
        return cli_fail("%s: truncated: the header announces %" PRIu64 " bytes of data, found %" PRIu64, name,
                        input->end - input->begin, size - input->begin);
    return open_npy_rows(input, &npy);
}

int cli_kind_fail_multiple(const struct cli_input *input, uint64_t bytes) {
    char rows[40] = "";
    if (input->facts.width > 1)
        snprintf(rows, sizeof rows, "rows of %zu ", input->facts.width);
    return cli_fail("%s: %" PRIu64 " bytes do not hold whole %s%s elements of %zu bytes", input->stream.name, bytes,
                    rows, uh_enum_name(UH_ENUM_DTYPE, input->facts.dtype), input->stored_bytes);
}

int cli_kind_fail_memory(const struct cli_input *input) {
    return cli_fail("%s: out of memory for a buffer of %zu bytes", input->stream.name, input->block_bytes);
}

static int open_raw(struct cli_input *input) {
    input->stored_bytes = uh_dtype_size(input->facts.dtype);
    input->facts.width = input->options.row ? input->options.row : 1;
    uint64_t size = input->stream.size;
    return size % (input->stored_bytes * input->facts.width) == 0 ? 0 : cli_kind_fail_multiple(input, size);
}

enum { SAMPLE_LINES = 100 };

/* Gets the first lines of a text: SAMPLE_LINES, or as many as the head holds. `*ended`: the text has no more. */
static int peek_sample(struct cli_input *input, const unsigned char **head, size_t *have, int *ended) {
    size_t before, lines = 0;
    *have = 0;
    do {
        before = *have;
        if (cli_stream_peek(&input->stream, *have + 1, head, have))
            return -1;
        for (size_t i = before; i < *have; i++)
            lines += (*head)[i] == '\n';
    } while (*have > before && *have < CLI_STREAM_HEAD && lines < SAMPLE_LINES);
    *ended = *have == before;
    return 0;
}

static int open_text(struct cli_input *input) {
    const struct cli_input_options *options = &input->options;
    const char *name = input->stream.name;
    const unsigned char *head;
    size_t have;
    int ended;
    if (options->dialect)
        input->csv.dialect = *options->dialect;
    else
        input->csv.dialect = CLI_DIALECT_FOUND;
    if (peek_sample(input, &head, &have, &ended) || cli_encoding_open(&input->stream, &input->csv.dialect.encoding) ||
        peek_sample(input, &head, &have, &ended))
        return -1;
    if (memchr(head, '\0', have))
        return cli_fail(
            "%s: is neither .npy nor text (it has zero bytes); raw binary needs a dtype, and UTF-16 without "
            "a byte order mark --encoding",
            name);
    if (!options->dtype)
        input->facts.dtype = options->integers ? UH_I64 : UH_F64;
    input->facts.is_text = 1;
    if (have >= 3 && memcmp(head, "\xef\xbb\xbf", 3) == 0)
        input->begin = 3; /* byte order mark of UTF-8 */
    input->stored_bytes = 1;
    input->has_quotes = memchr(head, '"', have) != NULL;
    if (options->characters) {
        input->kind = RAW;
        input->facts.dtype = UH_U8;
        return 0;
    }
    const char *column = options->column ? options->column : "0";
    const int one = !options->ncolumns && !options->all_columns;
    struct cli_dialect_use use = {.columns = one ? &column : options->columns,
                                  .ncolumns = one ? 1 : options->ncolumns,
                                  .integers = input->facts.dtype != UH_F32 && input->facts.dtype != UH_F64};
    input->facts.width = options->ncolumns ? options->ncolumns : 1;
    const struct cli_dialect dialect = input->csv.dialect;
    if (cli_csv_start(&input->csv, name, use.columns, use.ncolumns, input->facts.dtype))
        return -1;
    input->csv.finite = options->finite;
    input->csv.dialect = dialect;
    for (size_t i = 0; i < input->csv.ncolumns; i++)
        use.named |= input->csv.columns[i].name != NULL;
    return cli_dialect_find(&input->csv.dialect, name, (const char *)head + input->begin, have - input->begin, !ended,
                            &use);
}

int cli_kind_open(struct cli_input *input, const char *path) {
    const struct cli_input_options *options = &input->options;
    const unsigned char *head;
    size_t have = 0;
    unsigned dtype = input->facts.dtype;
    if (options->dtype && uh_enum_from_name(UH_ENUM_DTYPE, options->dtype, &dtype))
        return cli_fail_library();
    input->facts.dtype = (uh_dtype)dtype;
    input->facts.width = 1;
    const int raw = options->dtype && !is_text_name(path);
    if (cli_container_open(&input->stream, path, raw, &input->contents) ||
        cli_stream_peek(&input->stream, CLI_NPY_MAGIC_BYTES, &head, &have) != 0)
        return -1;
    if (cli_npy_is_magic(head, have) || has_ending(input->contents, ".npy"))
        input->kind = NPY;
    else
        input->kind = options->dtype && !is_text_name(input->contents) ? RAW : TEXT;
    if (check_options(input))
        return -1;
    const int status = input->kind == TEXT ? open_text(input) : input->kind == NPY ? open_npy(input) : open_raw(input);
    if (status == 0 && input->kind != NPY)
        input->end = input->stream.size ? input->stream.size : UINT64_MAX;
    return status;
}
