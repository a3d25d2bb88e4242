/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/input/kind.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "api/cli/input/container.h"

static const char texts[] = " .csv .tsv .tab .txt .text .dat .asc";

static int check_options(const struct cli_input *input) {
    const struct cli_input_options *options = &input->options;
    const char *name = input->stream.name;
    if (options->ncolumns && input->kind == RAW && !options->row)
        return cli_fail("%s: column is '%.40s', but raw binary has columns only with --row", name, options->columns[0]);
    if (options->row && input->kind != RAW)
        return cli_fail("%s: a row is said to be %zu values, but %s", name, options->row,
                        input->kind == NPY ? "a .npy file contains its type"
                                           : "text columns are selected by name or number");
    if (input->kind == TEXT && (input->stored.half || input->stored.swapped))
        return cli_fail("%s: dtype is '%.40s', which text is not converted to; f32 and f64 are", name, options->dtype);
    return 0;
}

/* Selects the requested columns, or all, of rows of `width` values. */
static int select_columns(struct cli_input *input, uint64_t width) {
    const struct cli_input_options *options = &input->options;
    input->row_bytes = width * input->stored.bytes;
    input->facts.width = (size_t)width;
    for (size_t i = 0; i < options->ncolumns && i < CLI_CSV_COLUMNS; i++) {
        uint64_t number;
        if (cli_parse_u64(options->columns[i], 0, width - 1, &number))
            return cli_fail("%s: column is '%.200s', expected a number from 0 to %" PRIu64, input->stream.name,
                            options->columns[i], width - 1);
        input->places[i] = number * input->stored.bytes;
        input->facts.width = options->ncolumns;
        input->gathers = 1;
    }
    return 0;
}

static int open_npy_rows(struct cli_input *input, const struct cli_npy *npy) {
    const size_t ncolumns = input->options.ncolumns;
    const char *name = input->stream.name;
    if (!input->options.rows && !ncolumns)
        return 0;
    if (npy->sizes > 2)
        return cli_fail("%s: the array has %d dimensions, expected 1 or 2, a point a row", name, npy->sizes);
    if (npy->sizes < 2 && ncolumns)
        return cli_fail("%s: column is '%.200s', but the array has %d dimension%s, expected 2 or structures", name,
                        input->options.columns[0], npy->sizes, npy->sizes == 1 ? "" : "s");
    if (npy->sizes < 2)
        return 0;
    if (npy->last == 0 || npy->last > SIZE_MAX / npy->stored.bytes)
        return cli_fail("%s: rows of %" PRIu64 " values", name, npy->last);
    const uint64_t lines = npy->count / npy->last, column_bytes = lines * npy->stored.bytes;
    if (select_columns(input, npy->last))
        return -1;
    if (!npy->fortran || npy->last < 2 || lines < 2)
        return 0;
    input->gathers = 0;
    input->row_bytes = npy->stored.bytes;
    if (ncolumns == 1) {
        input->begin += input->places[0] * lines;
        input->end = input->begin + column_bytes;
    } else {
        input->facts.is_separate = input->facts.is_fortran = 1;
        input->facts.width = (size_t)npy->last;
        input->column_bytes = column_bytes;
    }
    return 0;
}

static int are_alike(const struct cli_stored *a, const struct cli_stored *b) {
    return a->dtype == b->dtype && a->bytes == b->bytes && a->swapped == b->swapped && a->half == b->half &&
           a->unit.months == b->unit.months && a->unit.num == b->unit.num && a->unit.den == b->unit.den;
}

/* Selects the requested fields of structures. They are separate if their types differ. */
static int open_fields(struct cli_input *input, const unsigned char *head, size_t have, const struct cli_npy *first) {
    const struct cli_input_options *options = &input->options;
    for (size_t i = 0; i < options->ncolumns && i < CLI_CSV_COLUMNS; i++) {
        struct cli_npy npy;
        if (cli_npy_parse(input->stream.name, head, have, options->columns[i], &npy))
            return -1;
        input->places[i] = npy.field;
        input->facts.is_separate |= !are_alike(&npy.stored, &first->stored);
    }
    input->facts.width = options->ncolumns;
    input->gathers = 1;
    return 0;
}

/* Opens a .npy file, whose first bytes have the header. */
static int open_array(struct cli_input *input, const unsigned char *head, size_t have) {
    const struct cli_input_options *options = &input->options;
    const char *name = input->stream.name;
    struct cli_npy npy;
    if (cli_npy_parse(name, head, have, options->ncolumns ? options->columns[0] : NULL, &npy) != 0)
        return -1;
    if (options->dtype && (npy.stored.dtype != input->stored.dtype || npy.stored.half != input->stored.half))
        return cli_fail("%s: dtype is '%.40s', but this .npy file holds %s; leave the dtype out", name, options->dtype,
                        npy.stored.half ? "float16" : uh_enum_name(UH_ENUM_DTYPE, npy.stored.dtype));
    input->facts.dtype = npy.stored.dtype;
    input->stored = npy.stored;
    input->row_bytes = npy.item_bytes;
    if (npy.stored.unit.den && options->no_times)
        return cli_fail("%s: the elements are dates, expected numbers", name);
    input->facts.kinds[0] = npy.stored.unit.den ? 0 : UINT32_MAX;
    input->facts.kinds[1] = ~input->facts.kinds[0];
    input->begin = npy.data_offset;
    input->end = npy.data_offset + npy.count * npy.item_bytes;
    uint64_t size = input->stream.size;
    if (size && size < input->end)
        return cli_fail("%s: truncated: the header announces %" PRIu64 " bytes of data, found %" PRIu64, name,
                        input->end - input->begin, size - input->begin);
    if (!options->ncolumns)
        memcpy(input->facts.shape, npy.shape, sizeof npy.shape);
    input->facts.is_column_major = npy.fortran;
    return npy.structured ? open_fields(input, head, have, &npy) : open_npy_rows(input, &npy);
}

static int open_npy(struct cli_input *input) {
    const unsigned char *head;
    size_t have = 0;
    if (cli_stream_peek(&input->stream, 12, &head, &have) != 0)
        return -1;
    /* Waits only for the header: a pipe may have nothing after it for long. */
    const size_t low = have < 12 ? 0 : (size_t)head[8] | (size_t)head[9] << 8;
    const int is_long = have >= 12 && head[6] > 1 && (head[10] || head[11]);
    if (cli_stream_peek(&input->stream, is_long ? CLI_NPY_FIRST_BYTES : 12 + low, &head, &have) != 0)
        return -1;
    return open_array(input, head, have);
}

int cli_kind_fail_multiple(const struct cli_input *input, uint64_t bytes) {
    char rows[40] = "";
    if (input->facts.width > 1)
        snprintf(rows, sizeof rows, "rows of %zu ", input->facts.width);
    return cli_fail("%s: %" PRIu64 " bytes do not hold whole %s%s elements of %zu bytes", input->stream.name, bytes,
                    rows, uh_enum_name(UH_ENUM_DTYPE, input->facts.dtype), input->stored.bytes);
}

static int open_raw(struct cli_input *input) {
    const uint64_t size = input->stream.size;
    if (select_columns(input, input->options.row ? input->options.row : 1))
        return -1;
    return size % input->row_bytes == 0 ? 0 : cli_kind_fail_multiple(input, size);
}

enum { SAMPLE_LINES = 100 };

/* Reads the first rows, as far as they can be, for the kinds of the columns. */
static void find_kinds(struct cli_input *input, const char *text, size_t bytes, int last) {
    struct cli_csv csv = input->csv;
    uint64_t elements[SAMPLE_LINES * CLI_CSV_COLUMNS];
    size_t used, stored;
    (void)cli_csv_parse(&csv, text, bytes, last, &used, elements, sizeof elements / sizeof *elements, &stored);
    for (int times = 0; times < 2; times++) {
        input->facts.kinds[times] = cli_csv_kinds(&csv, times);
        for (size_t i = 0; i < csv.ncolumns; i++)
            input->csv.columns[i].line[times] = csv.columns[i].line[times];
    }
}

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
    if (peek_sample(input, &head, &have, &ended))
        return -1;
    /* Results of the command, which bins can be taken from. */
    const int is_result =
        options->characters && have > 3 && (!memcmp(head, "PK\3\4", 4) || !memcmp(head, "\x89UHI", 4));
    if (!is_result &&
        (cli_encoding_open(&input->stream, &input->csv.dialect.encoding) || peek_sample(input, &head, &have, &ended)))
        return -1;
    if (!is_result && memchr(head, '\0', have))
        return cli_fail(
            "%s: is neither .npy nor text (it has zero bytes); raw binary needs a dtype, and UTF-16 without "
            "a byte order mark --encoding",
            name);
    if (!options->dtype)
        input->facts.dtype = options->integers ? UH_I64 : UH_F64;
    input->facts.is_text = 1;
    if (have >= 3 && memcmp(head, "\xef\xbb\xbf", 3) == 0)
        input->begin = 3; /* byte order mark of UTF-8 */
    input->row_bytes = input->stored.bytes = 1;
    input->has_quotes = memchr(head, '"', have) != NULL;
    if (options->characters) {
        input->kind = RAW;
        input->facts.dtype = UH_U8;
        return 0;
    }
    static const char *const first = "0";
    const int one = !options->ncolumns && !options->all_columns;
    struct cli_dialect_use use = {.columns = one ? &first : options->columns,
                                  .ncolumns = one ? 1 : options->ncolumns,
                                  .integers = input->facts.dtype != UH_F32 && input->facts.dtype != UH_F64};
    input->facts.width = options->ncolumns ? options->ncolumns : 1;
    const struct cli_dialect dialect = input->csv.dialect;
    if (cli_csv_start(&input->csv, name, use.columns, use.ncolumns, input->facts.dtype))
        return -1;
    input->csv.finite = options->finite;
    input->csv.no_times = options->no_times;
    input->csv.dialect = dialect;
    for (size_t i = 0; i < input->csv.ncolumns; i++)
        use.named |= input->csv.columns[i].name != NULL;
    const char *text = (const char *)head + input->begin;
    if (cli_dialect_find(&input->csv.dialect, name, text, have - input->begin, !ended, &use))
        return -1;
    find_kinds(input, text, have - input->begin, ended);
    return 0;
}

int cli_kind_open(struct cli_input *input, const char *path) {
    const struct cli_input_options *options = &input->options;
    const unsigned char *head;
    size_t have = 0;
    if (options->dtype && cli_stored_from_name(options->dtype, &input->stored))
        return cli_fail("dtype is '%.40s', expected f16 to f64, i8 to i64, u8 to u64, or NumPy's name of one",
                        options->dtype);
    input->facts.dtype = input->stored.dtype;
    input->facts.width = 1;
    const int raw = options->characters ? -1 : options->dtype && !cli_ending_of(texts, path);
    if (cli_container_open(&input->stream, path, raw, &input->contents) ||
        cli_stream_peek(&input->stream, CLI_NPY_MAGIC_BYTES, &head, &have) != 0)
        return -1;
    input->facts.kinds[0] = UINT32_MAX;
    if (cli_npy_is_magic(head, have) || cli_ending_of(" .npy", input->contents))
        input->kind = NPY;
    else
        input->kind = options->dtype && !cli_ending_of(texts, input->contents) ? RAW : TEXT;
    if (check_options(input))
        return -1;
    const int status = input->kind == TEXT ? open_text(input) : input->kind == NPY ? open_npy(input) : open_raw(input);
    if (status == 0 && input->kind != NPY)
        input->end = input->stream.size ? input->stream.size : UINT64_MAX;
    return status;
}
