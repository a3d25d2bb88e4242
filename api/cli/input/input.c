/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/input/input.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "api/cli/group.h"
#include "api/cli/input/kind.h"

#define CHUNK_BYTES (8 << 20)

/* Returns how many elements are read of each `row_bytes`: one if columns are contiguous. */
static size_t unit_of(const struct cli_input *input) { return input->column_bytes ? 1 : input->facts.width; }

static void open_buffers(struct cli_input *input) {
    const size_t element_bytes = uh_dtype_size(input->facts.dtype);
    const uint64_t size = input->end - input->begin;
    const size_t chunk_bytes = input->options.chunk_bytes ? input->options.chunk_bytes : CHUNK_BYTES;
    const size_t rows = chunk_bytes / (input->gathers ? input->row_bytes : input->facts.width * element_bytes);
    const size_t chunk_elements = input->facts.width * (rows > 0 ? rows : 1);
    input->block_bytes = input->kind == TEXT ? chunk_bytes : chunk_elements / unit_of(input) * input->row_bytes;
    if (input->block_bytes > size)
        input->block_bytes = size ? (size_t)size : 1;
    const size_t n = input->kind == TEXT ? 0 : input->block_bytes / input->row_bytes * unit_of(input);
    input->block = cli_aligned(input->block_bytes + 1);
    if (input->gathers)
        input->gathered = cli_aligned(n * input->stored.bytes);
    if (input->stored.half || input->stored.unit.den)
        input->elements = cli_aligned(n * element_bytes);
}

/* Shares begin after newlines or, if ranks examine the text before theirs, after newlines that end lines. */

enum { BLOCK = 1 << 14 };

static int read_block(struct cli_stream *stream, uint64_t at, uint64_t end, char block[BLOCK], size_t *got) {
    const size_t wanted = end - at < BLOCK ? (size_t)(end - at) : BLOCK;
    return cli_stream_read(stream, at, block, wanted, wanted, got);
}

static int find_line_start(struct cli_stream *stream, uint64_t position, uint64_t end, uint64_t *found) {
    char block[BLOCK];
    size_t got = 1;
    *found = end;
    /* A line begins after a newline, which may be the byte before. */
    for (uint64_t at = position - 1; at < end && got > 0 && *found == end; at += got) {
        if (read_block(stream, at, end, block, &got))
            return -1;
        const char *newline = memchr(block, '\n', got);
        *found = newline ? at + (uint64_t)(newline - block) + 1 : end;
    }
    return 0;
}

/* ---- quotes in text ---------------------------------------------------------------------------------------------- */

/* Continues from a state at a position to `end` or, with `one`, past the newline that ends the line. */
static int find_next(struct cli_stream *stream, struct csv_syntax syntax, int one, uint64_t *at, uint64_t end,
                     enum csv_state *state) {
    char block[BLOCK];
    const char *stop = NULL;
    for (size_t got = 1; *at < end && got > 0 && !stop;) {
        if (read_block(stream, *at, end, block, &got))
            return -1;
        const char *next = block;
        do {
            stop = csv_line_end(next, block + got, syntax, state);
            next = stop ? stop + 1 : block + got;
        } while (stop && !one);
        *at += (uint64_t)(next - block);
    }
    return 0;
}

/* Computes whether the text is within quotes at `last`: in bit 0 if it is not at `first`, in bit 1 if it is. */
static int try_both(struct cli_stream *stream, struct csv_syntax syntax, uint64_t first, uint64_t last,
                    uint64_t *bits) {
    *bits = 0;
    for (unsigned inside = 0; inside < 2; inside++) {
        enum csv_state state = inside ? CSV_QUOTED : CSV_LINE;
        uint64_t at = first;
        if (find_next(stream, syntax, 0, &at, last, &state))
            return -1;
        *bits |= (uint64_t)(state == CSV_QUOTED) << inside;
    }
    return 0;
}

static int skip_quotes(struct cli_stream *stream, struct csv_syntax syntax, uint64_t end, uint64_t *at) {
    enum csv_state state = CSV_QUOTED;
    return find_next(stream, syntax, 1, at, end, &state);
}

static int leave_quotes(struct cli_stream *stream, struct csv_syntax syntax, uint64_t end, uint64_t *first,
                        uint64_t *last) {
    const size_t ranks = cli_group_ranks(), own = cli_group_rank();
    uint64_t *bits = cli_have(calloc(ranks, sizeof *bits));
    unsigned inside = 0;
    int result = try_both(stream, syntax, *first, *last, &bits[own]) || cli_group_add(bits, ranks);
    const int empty = *first == *last;
    for (size_t rank = 0; rank <= own && result == 0; rank++) {
        if (rank == own && inside && !empty)
            result = skip_quotes(stream, syntax, end, first);
        inside = (unsigned)(bits[rank] >> inside & 1);
    }
    if (result == 0 && inside && !empty)
        result = skip_quotes(stream, syntax, end, last);
    free(bits);
    return result ? -1 : 0;
}

/* Returns the start of a share, in bytes of the data of `size` bytes. */
static uint64_t cut(const struct cli_input *input, size_t share, uint64_t size) {
    const uint64_t at = cli_group_share(input->options.all ? input->options.all : size, share, input->options.shares);
    return at < input->options.before ? 0 : at - input->options.before < size ? at - input->options.before : size;
}

/* Returns whether this share reads all of an input of unknown size: the share in which the input lies. */
static int reads_all(const struct cli_input *input) {
    return cli_group_share(input->options.all, input->options.share, input->options.shares) <= input->options.before &&
           (cli_group_share(input->options.all, input->options.share + 1, input->options.shares) >
                input->options.before ||
            input->options.share + 1 == input->options.shares);
}

/* Finds the line at which a share begins that is cut at a position; the first rows, up to `table`, stay together. */
static int find_line(struct cli_input *input, uint64_t position, uint64_t table, uint64_t *line) {
    *line = position == input->begin ? position : table;
    return position <= table ? 0 : find_line_start(&input->stream, position, input->end, line);
}

static int share_text(struct cli_input *input, uint64_t from, uint64_t to) {
    uint64_t table = input->begin, quotes = (uint64_t)input->has_quotes;
    if (cli_group_largest(&quotes, 1))
        return -1;
    if (from < to && (cli_text_table(input, &table) || find_line(input, from, table, &input->first) ||
                      find_line(input, to, table, &input->last)))
        return -1;
    if (from == to)
        input->last = input->first;
    const struct csv_syntax syntax = {(char)input->csv.dialect.separator, (char)input->csv.dialect.comment};
    /* Up to `table` the reader has found the lines. */
    uint64_t first = input->first > table ? input->first : table;
    if (quotes && leave_quotes(&input->stream, syntax, input->end, &first, &input->last))
        return -1;
    input->first = from == input->begin ? from : first;
    if (from == input->begin)
        cli_csv_reset(&input->csv);
    input->csv.next_line = 1;
    input->csv.facts = (struct cli_csv_facts){.rows = 0};
    cli_text_start(input);
    return 0;
}

static int read_share(struct cli_input *input) {
    const uint64_t size = input->end - input->begin, row = input->row_bytes * (input->facts.width / unit_of(input));
    const uint64_t from = cut(input, input->options.share, size), to = cut(input, input->options.share + 1, size);
    if (input->kind == TEXT)
        return share_text(input, input->begin + from, input->begin + to);
    input->first = input->begin + (from / row + (from % row > 0)) * input->row_bytes;
    input->last = input->begin + (to / row + (to % row > 0)) * input->row_bytes;
    return 0;
}

static int start_reading(struct cli_input *input) {
    cli_text_start(input);
    input->column = 0;
    input->position = input->first = input->begin;
    input->last = input->column_bytes ? input->begin + input->column_bytes : input->end;
    cli_csv_reset(&input->csv);
    if (input->options.shares && input->end == UINT64_MAX)
        input->last = reads_all(input) ? input->end : input->begin;
    else if (input->options.shares && read_share(input))
        return -1;
    input->position = input->first;
    return 0;
}

int cli_input_open(const char *path, const struct cli_input_options *options, struct cli_input **out) {
    struct cli_input *input = cli_have(calloc(1, sizeof *input));
    input->options = *options;
    const int failed = cli_kind_open(input, path);
    if (!failed)
        open_buffers(input);
    if (failed || start_reading(input)) {
        cli_input_close(input);
        return -1;
    }
    input->facts.is_file = input->stream.is_file;
    input->facts.is_seekable = input->stream.seekable;
    input->facts.bytes = input->end == UINT64_MAX ? 0 : input->end - input->begin;
    input->facts.is_counted = input->kind != TEXT && input->end != UINT64_MAX;
    input->facts.count = input->facts.is_counted ? (input->end - input->begin) / input->row_bytes * unit_of(input) : 0;
    *out = input;
    return 0;
}

void cli_input_close(struct cli_input *input) {
    if (!input)
        return;
    free(input->parts);
    free(input->elements);
    free(input->gathered);
    free(input->block);
    cli_stream_close(&input->stream);
    free(input->contents);
    free(input);
}

int cli_input_rewind(struct cli_input *input) {
    const struct cli_stream *stream = &input->stream;
    if (!stream->seekable && stream->drawn != stream->head_bytes)
        return cli_fail("%s: cannot be read twice", input->stream.name);
    return start_reading(input);
}

const struct cli_input_facts *cli_input_facts(const struct cli_input *input) { return &input->facts; }

const struct cli_csv *cli_input_text(const struct cli_input *input) { return input->kind == TEXT ? &input->csv : NULL; }

const char *cli_input_column_name(const struct cli_input *input, size_t i) { return input->csv.columns[i].header; }

static uint64_t elements_of(const struct cli_input *input, uint64_t bytes) {
    return bytes / input->row_bytes * input->facts.width;
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

static void gather(const struct cli_input *input, size_t rows) {
    const size_t bytes = input->stored.bytes, columns = input->facts.width;
    for (size_t c = 0; c < columns; c++) {
        const unsigned char *from = input->block + input->places[c];
        unsigned char *to = (unsigned char *)input->gathered + c * bytes;
        for (size_t i = 0; i < rows; i++, from += input->row_bytes, to += columns * bytes)
            switch (bytes) {
            case 8: memcpy(to, from, 8); break;
            case 4: memcpy(to, from, 4); break;
            default: memcpy(to, from, bytes);
            }
    }
}

static int next_binary(struct cli_input *input, const void **data, size_t *n) {
    while (input->position == input->last + input->column * input->column_bytes &&
           input->column + 1 < input->facts.width && input->column_bytes)
        input->position = input->first + ++input->column * input->column_bytes;
    const uint64_t left = input->last + input->column * input->column_bytes - input->position;
    const size_t wanted = left < input->block_bytes ? (size_t)left : input->block_bytes;
    size_t bytes;
    if (cli_stream_read(&input->stream, input->position, input->block, wanted, wanted, &bytes))
        return -1;
    input->position += bytes;
    *n = bytes / input->row_bytes * unit_of(input);
    if (bytes < wanted && input->end != UINT64_MAX)
        return cli_fail("%s: truncated: expected %" PRIu64 " bytes of data, found %" PRIu64, input->stream.name,
                        input->end - input->begin, input->position - input->begin);
    if (bytes % input->row_bytes)
        return cli_kind_fail_multiple(input, input->position);
    void *elements = input->gathers ? input->gathered : input->block;
    if (input->gathers)
        gather(input, *n / input->facts.width);
    if (input->stored.swapped)
        cli_convert_swap(elements, *n, input->stored.bytes);
    if (input->stored.half)
        cli_convert_half(elements, input->elements, *n);
    const size_t good =
        input->stored.unit.den ? cli_time_convert(&input->stored.unit, elements, input->elements, *n) : *n;
    if (good < *n)
        return cli_fail("%s: element %" PRIu64 " is a date more than 2^53 seconds from 1970", input->stream.name,
                        (input->position - bytes - input->begin) / input->row_bytes * unit_of(input) + good);
    *data = input->stored.half || input->stored.unit.den ? input->elements : elements;
    return *n > 0;
}

int cli_input_next(struct cli_input *input, const void **data, size_t *n) {
    return input->kind == TEXT ? cli_text_next(input, data, n) : next_binary(input, data, n);
}
