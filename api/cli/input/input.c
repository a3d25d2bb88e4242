/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/input/input.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "api/cli/group.h"
#include "api/cli/input/csv.h"
#include "api/cli/input/cut.h"
#include "api/cli/input/npy.h"
#include "api/cli/input/stream.h"

#define CHUNK_BYTES (8 << 20)

enum kind { NPY, RAW, TEXT };

struct cli_input {
    enum kind kind;
    struct cli_input_facts facts;
    struct cli_stream stream;
    uint64_t begin, end;   /* where the data lie in the stream; `end` is UINT64_MAX when not known */
    uint64_t position;     /* how far the stream was read */
    size_t share, shares;  /* 0: all is read; */
    uint64_t before, all;  /* bytes of the inputs that shares are of */
    uint64_t first, last;  /* where the share lies in the stream: all of it where there are none */
    uint64_t column_bytes; /* of an array in Fortran's order, */
    size_t column;         /* of whose columns this one is read: of each, the share is what lies there */
    size_t stored_bytes;   /* of one element in the stream */
    size_t chunk_elements; /* of one chunk */
    int swapped, half;
    unsigned char *block; /* as read from the stream; there is one byte more, a zero behind text */
    size_t block_bytes;
    void *elements; /* what is not given out of the block */
    struct cli_csv *csv;
    size_t text_used, text_bytes; /* of the block: parsed, and there */
    int text_ended;
};

static int fail_memory(const struct cli_input *input, struct cli_error *error) {
    return cli_fail(error, "%s: out of memory for a buffer of %zu bytes", input->stream.name, input->block_bytes);
}

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

/* Refuses what is said of another kind of input. */
static int check_options(const struct cli_input *input, const struct cli_input_options *options,
                         struct cli_error *error) {
    const char *name = input->stream.name;
    const int is_npy = input->kind == NPY;
    if (options->column && input->kind != TEXT)
        return cli_fail(error, "%s: column is '%.40s', but only text has columns and this is %s", name, options->column,
                        is_npy ? "a .npy file" : "read as raw binary");
    if (options->row && input->kind != RAW)
        return cli_fail(error, "%s: a row is said to be %zu values, but %s", name, options->row,
                        is_npy ? "a .npy file says that itself" : "this is text, whose columns are named");
    return 0;
}

/* Makes rows of an array of two dimensions, or one column of it. */
static int open_npy_rows(struct cli_input *input, const struct cli_input_options *options, const struct cli_npy *npy,
                         struct cli_error *error) {
    const char *name = input->stream.name;
    if (!options->rows)
        return 0;
    if (npy->sizes > 2)
        return cli_fail(error, "%s: the array has %d dimensions, expected 1 or 2, a point a row", name, npy->sizes);
    if (npy->sizes < 2)
        return 0;
    if (npy->last == 0 || npy->last > SIZE_MAX / npy->element_bytes)
        return cli_fail(error, "%s: rows of %" PRIu64 " values", name, npy->last);
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

static int open_npy(struct cli_input *input, const struct cli_input_options *options, struct cli_error *error) {
    const char *name = input->stream.name;
    const unsigned char *head;
    size_t have = 0;
    struct cli_npy npy;
    if (cli_stream_peek(&input->stream, 12, &head, &have, error) != 0)
        return -1;
    /* No more than the header is waited for: a pipe may have nothing behind it for long. */
    const size_t low = have < 12 ? 0 : (size_t)head[8] | (size_t)head[9] << 8;
    const int is_long = have >= 12 && head[6] > 1 && (head[10] || head[11]);
    if (cli_stream_peek(&input->stream, is_long ? CLI_NPY_FIRST_BYTES : 12 + low, &head, &have, error) != 0 ||
        cli_npy_parse(name, head, have, &npy, error) != 0)
        return -1;
    if (options->dtype && npy.dtype != input->facts.dtype)
        return cli_fail(error, "%s: dtype is '%.40s', but this .npy file holds %s; leave the dtype out", name,
                        options->dtype, uh_dtype_name(npy.dtype));
    input->facts.dtype = npy.dtype;
    input->stored_bytes = npy.element_bytes;
    input->swapped = npy.swapped;
    input->half = npy.half;
    input->begin = npy.data_offset;
    input->end = npy.data_offset + npy.count * npy.element_bytes;
    uint64_t size = input->stream.size;
    if (size && size < input->end)
        return cli_fail(error, "%s: cut short: the header tells of %" PRIu64 " bytes of data, found %" PRIu64, name,
                        input->end - input->begin, size - input->begin);
    return open_npy_rows(input, options, &npy, error);
}

static int fail_multiple(const struct cli_input *input, uint64_t bytes, struct cli_error *error) {
    char rows[40] = "";
    if (input->facts.width > 1)
        snprintf(rows, sizeof rows, "rows of %zu ", input->facts.width);
    return cli_fail(error, "%s: %" PRIu64 " bytes are no whole number of %s%s elements of %zu bytes",
                    input->stream.name, bytes, rows, uh_dtype_name(input->facts.dtype), input->stored_bytes);
}

static int open_raw(struct cli_input *input, const struct cli_input_options *options, struct cli_error *error) {
    input->stored_bytes = uh_dtype_size(input->facts.dtype);
    input->facts.width = options->row ? options->row : 1;
    uint64_t size = input->stream.size;
    return size % (input->stored_bytes * input->facts.width) == 0 ? 0 : fail_multiple(input, size, error);
}

static int open_text(struct cli_input *input, const struct cli_input_options *options, const unsigned char *head,
                     size_t have, struct cli_error *error) {
    const char *name = input->stream.name;
    if (memchr(head, '\0', have))
        return cli_fail(error, "%s: is neither .npy nor text (it has zero bytes); raw binary needs a dtype", name);
    if (!options->dtype)
        input->facts.dtype = options->integers ? UH_I64 : UH_F64;
    input->facts.is_text = 1;
    if (have >= 3 && memcmp(head, "\xef\xbb\xbf", 3) == 0)
        input->begin = 3; /* the byte order mark of UTF-8 */
    input->stored_bytes = 1;
    if (options->characters) {
        input->kind = RAW;
        input->facts.dtype = UH_U8;
        return 0;
    }
    const char *column = options->column ? options->column : "0";
    const int one = !options->ncolumns && !options->all_columns;
    input->facts.width = options->ncolumns ? options->ncolumns : 1;
    if (cli_csv_create(name, one ? &column : options->columns, one ? 1 : options->ncolumns, input->facts.dtype,
                       &input->csv, error))
        return -1;
    if (options->finite)
        cli_csv_require_finite(input->csv);
    return 0;
}

/* Decides what the input is, and reads its header. */
static int open_kind(struct cli_input *input, const char *path, const struct cli_input_options *options,
                     struct cli_error *error) {
    const unsigned char *head;
    size_t have = 0;
    if (cli_stream_open(&input->stream, path, options->several_passes, error) != 0 ||
        (options->dtype && uh_dtype_from_name(options->dtype, &input->facts.dtype) && cli_fail_library(error)) ||
        cli_stream_peek(&input->stream, CLI_NPY_MAGIC_BYTES, &head, &have, error) != 0)
        return -1;
    input->end = input->stream.size ? input->stream.size : UINT64_MAX;
    input->facts.width = 1;
    if (cli_npy_is_magic(head, have) || has_ending(path, ".npy"))
        input->kind = NPY;
    else
        input->kind = options->dtype && !is_text_name(path) ? RAW : TEXT;
    if (check_options(input, options, error))
        return -1;
    switch (input->kind) {
    case NPY: return open_npy(input, options, error);
    case RAW: return open_raw(input, options, error);
    default: return open_text(input, options, head, have, error);
    }
}

static int open_buffers(struct cli_input *input, size_t chunk_bytes, struct cli_error *error) {
    const size_t element_bytes = uh_dtype_size(input->facts.dtype);
    const uint64_t size = input->end - input->begin;
    if (chunk_bytes == 0)
        chunk_bytes = CHUNK_BYTES;
    const size_t rows = chunk_bytes / input->facts.width / element_bytes;
    input->chunk_elements = input->facts.width * (rows > 0 ? rows : 1);
    if (input->csv && cli_csv_columns(input->csv) == 0 && input->chunk_elements < CLI_CSV_COLUMNS)
        input->chunk_elements = CLI_CSV_COLUMNS; /* a row, of as many as there may be */
    input->block_bytes = input->kind == TEXT ? chunk_bytes : input->chunk_elements * input->stored_bytes;
    if (input->block_bytes > size)
        input->block_bytes = size ? (size_t)size : 1;
    void *block = NULL;
    const size_t n = input->kind == TEXT ? input->chunk_elements : input->block_bytes / input->stored_bytes;
    if (posix_memalign(&block, 64, input->block_bytes + 1) ||
        ((input->kind == TEXT || input->half) && posix_memalign(&input->elements, 64, n * element_bytes)))
        return fail_memory(input, error);
    input->block = block;
    return 0;
}

/* ---- shares ------------------------------------------------------------------------------------------------------ */

static int read_text(struct cli_input *input, struct cli_error *error);

/* Reads the text's first rows, so that its table is known; `*end` is what comes behind these. */
static int find_table(struct cli_input *input, uint64_t *end, struct cli_error *error) {
    const size_t width = cli_csv_columns(input->csv), room = width ? width : CLI_CSV_COLUMNS;
    size_t used, stored = 0;
    while (stored == 0) {
        const int ended = input->text_ended;
        if (cli_csv_parse(input->csv, (const char *)input->block + input->text_used,
                          input->text_bytes - input->text_used, ended, &used, input->elements, room, &stored, error))
            return -1;
        input->text_used += used;
        if (stored == 0 && (ended || read_text(input, error)))
            break;
    }
    *end = input->position - (input->text_bytes - input->text_used);
    return stored || input->text_ended ? 0 : -1;
}

/* Returns where a share begins, in bytes of the data of `size` bytes. */
static uint64_t cut(const struct cli_input *input, size_t share, uint64_t size) {
    const uint64_t at = cli_group_share(input->all ? input->all : size, share, input->shares);
    return at < input->before ? 0 : at - input->before < size ? at - input->before : size;
}

/* Whether this share has all of an input that is of no size, as far as one can tell: that where the input lies. */
static int has_place(const struct cli_input *input) {
    return cli_group_share(input->all, input->share, input->shares) <= input->before &&
           (cli_group_share(input->all, input->share + 1, input->shares) > input->before ||
            input->share + 1 == input->shares);
}

/* Finds the line where a share begins that the text is cut into at a position; the first rows, up to `table`, stay
 * together. */
static int find_line(struct cli_input *input, uint64_t position, uint64_t table, uint64_t *line,
                     struct cli_error *error) {
    *line = position == input->begin ? position : table;
    return position <= table ? 0 : cli_cut_find(&input->stream, position, input->end, line, error);
}

static int share_text(struct cli_input *input, uint64_t from, uint64_t to, struct cli_error *error) {
    uint64_t table;
    if (find_table(input, &table, error) || find_line(input, from, table, &input->first, error) ||
        find_line(input, to, table, &input->last, error))
        return -1;
    if (from > input->begin)
        cli_csv_set_line(input->csv, 1);
    else
        cli_csv_reset(input->csv);
    input->text_used = input->text_bytes = 0;
    input->text_ended = 0;
    return 0;
}

/* Finds what this share has of the input: the rows, or lines, that begin in its bytes. */
static int take_share(struct cli_input *input, struct cli_error *error) {
    const uint64_t size = input->end - input->begin, row = input->facts.width * input->stored_bytes;
    const uint64_t from = cut(input, input->share, size), to = cut(input, input->share + 1, size);
    if (input->kind == TEXT && from < to)
        return share_text(input, input->begin + from, input->begin + to, error);
    const uint64_t bytes = input->column_bytes ? input->stored_bytes : row;
    input->first = input->begin + (from / row + (from % row > 0)) * bytes;
    input->last = input->begin + (to / row + (to % row > 0)) * bytes;
    return 0;
}

/* Goes to the first element that is to be read. */
static int start(struct cli_input *input, struct cli_error *error) {
    input->text_used = input->text_bytes = 0;
    input->text_ended = 0;
    input->column = 0;
    input->position = input->first = input->begin;
    input->last = input->column_bytes ? input->begin + input->column_bytes : input->end;
    if (input->csv)
        cli_csv_reset(input->csv);
    if (input->shares && input->end == UINT64_MAX)
        input->last = has_place(input) ? input->end : input->begin;
    else if (input->shares && take_share(input, error))
        return -1;
    input->position = input->first;
    return 0;
}

int cli_input_open(const char *path, const struct cli_input_options *options, struct cli_input **out,
                   struct cli_error *error) {
    static const struct cli_input_options defaults;
    if (!options)
        options = &defaults;
    struct cli_input *input = calloc(1, sizeof *input);
    if (!input)
        return cli_fail(error, "%s: out of memory", path);
    input->share = options->share;
    input->shares = options->shares;
    input->before = options->before;
    input->all = options->all;
    if (open_kind(input, path, options, error) != 0 || open_buffers(input, options->chunk_bytes, error) != 0 ||
        start(input, error) != 0) {
        cli_input_close(input);
        return -1;
    }
    input->facts.is_file = input->stream.is_file;
    input->facts.bytes = input->end == UINT64_MAX ? 0 : input->end - input->begin;
    input->facts.is_counted = input->kind != TEXT && input->end != UINT64_MAX;
    input->facts.count = input->facts.is_counted ? (input->end - input->begin) / input->stored_bytes : 0;
    *out = input;
    return 0;
}

void cli_input_close(struct cli_input *input) {
    if (!input)
        return;
    cli_csv_destroy(input->csv);
    free(input->elements);
    free(input->block);
    cli_stream_close(&input->stream);
    free(input);
}

int cli_input_rewind(struct cli_input *input, struct cli_error *error) {
    if (!cli_stream_can_rewind(&input->stream))
        return cli_fail(error, "%s: cannot be read twice", input->stream.name);
    return start(input, error);
}

const struct cli_input_facts *cli_input_facts(const struct cli_input *input) {
    return &input->facts;
}

const char *cli_input_column_name(const struct cli_input *input, size_t i) {
    return input->csv ? cli_csv_column_name(input->csv, i) : "";
}

/* Elements of so many bytes of the share. */
static uint64_t elements_of(const struct cli_input *input, uint64_t bytes) {
    return bytes / input->stored_bytes * (input->column_bytes ? input->facts.width : 1);
}

uint64_t cli_input_before(const struct cli_input *input) {
    return input->kind == TEXT ? 0 : elements_of(input, input->first - input->begin);
}

uint64_t cli_input_count(const struct cli_input *input) {
    return input->facts.is_counted ? elements_of(input, input->last - input->first) : 0;
}

uint64_t cli_input_bytes_read(const struct cli_input *input) {
    return input->position - input->first - input->column * (input->first + input->column_bytes - input->last);
}

/* Moves the text that is not parsed, less than a line, to the front of the block and reads on behind it. Of a pipe it
 * takes what is there, so that whoever writes can go on; of a long line as much again as there is, so that it is not
 * looked through too often. */
static int read_text(struct cli_input *input, struct cli_error *error) {
    const size_t rest = input->text_bytes - input->text_used;
    size_t got, room;
    memmove(input->block, input->block + input->text_used, rest);
    if (rest > input->block_bytes / 2) {
        unsigned char *grown = realloc(input->block, 2 * input->block_bytes + 1);
        if (!grown)
            return fail_memory(input, error);
        input->block = grown;
        input->block_bytes *= 2;
    }
    room = input->block_bytes - rest;
    if (room > input->last - input->position)
        room = (size_t)(input->last - input->position);
    if (cli_stream_read(&input->stream, input->position, input->block + rest, rest ? rest : 1, room, &got, error))
        return -1;
    input->position += got;
    input->text_used = 0;
    input->text_bytes = rest + got;
    input->block[rest + got] = '\0';
    input->text_ended = got == 0;
    return 0;
}

/* Parses lines of the block. One that is wrong is told by its number in the file: of a share, only then are the lines
 * before it counted. */
static int parse(struct cli_input *input, void *elements, size_t room, size_t *used, size_t *stored,
                 struct cli_error *error) {
    const char *text = (const char *)input->block + input->text_used;
    const size_t bytes = input->text_bytes - input->text_used;
    const uint64_t line = cli_csv_line(input->csv);
    uint64_t before;
    if (!cli_csv_parse(input->csv, text, bytes, input->text_ended, used, elements, room, stored, error))
        return 0;
    if (input->first == input->begin || cli_cut_count(&input->stream, input->first, &before, error))
        return -1;
    cli_csv_set_line(input->csv, line + before);
    return cli_csv_parse(input->csv, text, bytes, input->text_ended, used, elements, room, stored, error);
}

static int next_text(struct cli_input *input, const void **data, size_t *n, struct cli_error *error) {
    const size_t element_bytes = uh_dtype_size(input->facts.dtype);
    size_t used, stored;
    *n = 0;
    while (*n < input->chunk_elements) {
        if (parse(input, (unsigned char *)input->elements + *n * element_bytes, input->chunk_elements - *n, &used,
                  &stored, error))
            return -1;
        input->text_used += used;
        *n += stored;
        if (stored) {
            input->facts.width = cli_csv_columns(input->csv);
            input->chunk_elements -= input->chunk_elements % input->facts.width;
        }
        if (stored == 0 && input->text_ended)
            break;
        if (stored == 0 && read_text(input, error))
            return -1;
    }
    *data = input->elements;
    return *n > 0;
}

static int next_binary(struct cli_input *input, const void **data, size_t *n, struct cli_error *error) {
    const uint64_t row = input->stored_bytes * (input->column_bytes ? 1 : input->facts.width);
    while (input->position == input->last + input->column * input->column_bytes &&
           input->column + 1 < input->facts.width && input->column_bytes)
        input->position = input->first + ++input->column * input->column_bytes;
    const uint64_t left = input->last + input->column * input->column_bytes - input->position;
    const size_t wanted = left < input->block_bytes ? (size_t)left : input->block_bytes;
    size_t bytes;
    if (cli_stream_read(&input->stream, input->position, input->block, wanted, wanted, &bytes, error))
        return -1;
    input->position += bytes;
    *n = bytes / input->stored_bytes;
    if (bytes < wanted && input->end != UINT64_MAX)
        return cli_fail(error, "%s: cut short: expected %" PRIu64 " bytes of data, found %" PRIu64, input->stream.name,
                        input->end - input->begin, input->position - input->begin);
    if (bytes % row)
        return fail_multiple(input, input->position, error);
    if (input->swapped)
        cli_convert_swap(input->block, *n, input->stored_bytes);
    if (input->half)
        cli_convert_half((const uint16_t *)(const void *)input->block, input->elements, *n);
    *data = input->half ? input->elements : input->block;
    return *n > 0;
}

int cli_input_next(struct cli_input *input, const void **data, size_t *n, struct cli_error *error) {
    return input->kind == TEXT ? next_text(input, data, n, error) : next_binary(input, data, n, error);
}
