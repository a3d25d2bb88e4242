/* SPDX-License-Identifier: Apache-2.0 */
/* Text, read block after block and parsed by several threads.
 *
 * A block is cut after newlines into parts, and each thread parses one as if a line began there. That is so if the part
 * before it, which begins with a line, has been used up to its end: only a newline within quotes ends none, and then
 * the rest of that line is not used. So the parts are taken in order up to the first one with a rest, and those after
 * it are parsed again. What is read, also of a malformed text, does not depend on the number of threads. */
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "api/cli/input/kind.h"

enum { PIECE_BYTES = 1 << 17, PARTS = 64, FIRST_ROWS = 256 };

/* A part of a block: its parser, elements, and what came of it. */
struct cli_part {
    struct cli_csv csv;
    const char *text;
    size_t bytes, used;
    unsigned char *elements;
    size_t room, stored;
    int last, status;
};

void cli_text_start(struct cli_input *input) {
    input->text_used = input->text_bytes = 0;
    input->text_ended = 0;
    input->part = input->nparts = 0;
}

/* Reads from a file by several threads. Returns 0 if they have not read all, as at its end or after an error. */
static int read_parts(struct cli_input *input, unsigned char *to, size_t bytes) {
    const size_t n = bytes / PIECE_BYTES < PARTS ? bytes / PIECE_BYTES : PARTS;
    int bad = 0;
    if (!input->stream.seekable || n < 2)
        return 0;
#pragma omp parallel for reduction(| : bad)
    for (size_t i = 0; i < n; i++) {
        const size_t begin = bytes / n * i, end = i + 1 < n ? bytes / n * (i + 1) : bytes;
        size_t got = 0;
        bad |=
            cli_stream_read(&input->stream, input->position + begin, to + begin, end - begin, end - begin, &got) != 0;
        bad |= got < end - begin;
    }
    return !bad;
}

/* Moves the unparsed text, less than a line, to the front of the block and reads on after it. From a pipe it takes the
 * available data, so that its writer can continue; of a long line it reads at least as much again, so that it is not
 * scanned too often. */
static int read_block(struct cli_input *input) {
    const size_t rest = input->text_bytes - input->text_used;
    size_t got, room;
    memmove(input->block, input->block + input->text_used, rest);
    if (rest > input->block_bytes / 2) {
        input->block_bytes *= 2;
        input->block = cli_have(realloc(input->block, input->block_bytes + 1));
    }
    room = input->block_bytes - rest;
    if (room > input->last - input->position)
        room = (size_t)(input->last - input->position);
    if (read_parts(input, input->block + rest, room))
        got = room;
    else if (cli_stream_read(&input->stream, input->position, input->block + rest, rest ? rest : 1, room, &got))
        return -1;
    input->position += got;
    input->text_used = 0;
    input->text_bytes = rest + got;
    input->block[rest + got] = '\0';
    input->text_ended = got == 0;
    return 0;
}

/* Makes room for the elements of the parts, by the density of those before. */
static void make_room(struct cli_input *input, size_t nparts) {
    const size_t element_bytes = uh_dtype_size(input->facts.dtype);
    size_t all = 0;
    for (size_t i = 0; i < nparts; i++) {
        struct cli_part *part = &input->parts[i];
        const struct cli_csv *csv = &input->csv;
        if (csv->facts.rows)
            part->room = part->bytes / 1024 * input->density / 4 * 5 + (size_t)FIRST_ROWS * CLI_CSV_COLUMNS;
        else
            part->room = csv->ncolumns ? csv->ncolumns : CLI_CSV_COLUMNS; /* only the table's begin */
        all += part->room;
    }
    if (all > input->room) {
        free(input->elements);
        input->elements = cli_aligned(all * element_bytes);
        input->room = all;
    }
    unsigned char *next = input->elements;
    for (size_t i = 0; i < nparts; next += input->parts[i++].room * element_bytes)
        input->parts[i].elements = next;
}

/* A filter is a thread too. */
static int threads_of(const struct cli_input *input) {
    const int threads = omp_get_max_threads();
    return input->stream.filter && threads > 1 ? threads - 1 : threads;
}

/* Cuts the unparsed text into parts, at most `most`. Returns their number. */
static size_t cut(struct cli_input *input, size_t most) {
    const char *at = (const char *)input->block + input->text_used;
    const char *end = (const char *)input->block + input->text_bytes;
    const size_t bytes = (size_t)(end - at);
    const size_t piece = input->options.piece_bytes ? input->options.piece_bytes : PIECE_BYTES;
    const size_t threads = (size_t)threads_of(input);
    size_t n = input->csv.facts.rows ? bytes / piece : 0, made = 0;
    n = threads < 2 ? 0 : n;
    n = n < most ? n : most;
    for (size_t i = 1; i <= n && at < end; i++) {
        const char *target = end - (bytes / n) * (n - i);
        if (target <= at)
            continue;
        const char *newline = memchr(target - 1, '\n', (size_t)(end - target) + 1);
        const char *stop = newline ? newline + 1 : end;
        input->parts[made++] = (struct cli_part){.text = at, .bytes = (size_t)(stop - at)};
        at = stop;
    }
    if (made == 0)
        input->parts[made++] = (struct cli_part){.text = at, .bytes = bytes};
    input->parts[made - 1].last = input->text_ended;
    return made;
}

static int count_lines(struct cli_stream *stream, uint64_t end, uint64_t *lines) {
    char block[1 << 14];
    size_t got = 1;
    *lines = 0;
    for (uint64_t at = 0; at < end && got > 0; at += got) {
        const size_t wanted = end - at < sizeof block ? (size_t)(end - at) : sizeof block;
        if (cli_stream_read(stream, at, block, wanted, wanted, &got))
            return -1;
        for (size_t i = 0; i < got; i++)
            *lines += block[i] == '\n';
    }
    return 0;
}

/* Parses a part by the input's own reader. An error gives the line's number in the file; in a share, the lines before
 * it are counted only then. */
static int parse(struct cli_input *input, struct cli_part *part) {
    struct cli_csv *csv = &input->csv;
    const uint64_t line = csv->next_line;
    uint64_t before;
    part->status =
        cli_csv_parse(csv, part->text, part->bytes, part->last, &part->used, part->elements, part->room, &part->stored);
    if (!part->status)
        return 0;
    if (input->first == input->begin || count_lines(&input->stream, input->first, &before))
        return -1;
    csv->next_line = line + before;
    for (size_t i = 0; i < csv->ncolumns; i++)
        for (int times = 0; times < 2; times++)
            if (!(input->facts.kinds[times] >> i & 1) && csv->columns[i].line[times])
                csv->columns[i].line[times] += before;
    return cli_csv_parse(csv, part->text, part->bytes, part->last, &part->used, part->elements, part->room,
                         &part->stored);
}

static void parse_all(struct cli_input *input, size_t n) {
#pragma omp parallel for num_threads(threads_of(input)) schedule(dynamic, 1)
    for (size_t i = 0; i < n; i++) {
        struct cli_part *part = &input->parts[i];
        part->csv = input->csv;
        part->csv.facts = (struct cli_csv_facts){.rows = 0};
        part->csv.next_line = 1;
        part->status = cli_csv_parse(&part->csv, part->text, part->bytes, part->last, &part->used, part->elements,
                                     part->room, &part->stored);
    }
}

/* Whether a part has a column of dates where those before it have numbers, or the reverse. */
static int is_of_other_kinds(const struct cli_csv *csv, const struct cli_csv *part) {
    return ((cli_csv_kinds(csv, 0) & cli_csv_kinds(part, 1)) | (cli_csv_kinds(csv, 1) & cli_csv_kinds(part, 0))) != 0;
}

/* Takes what a part's reader has counted and found. */
static void take_part(struct cli_csv *csv, const struct cli_csv *part) {
    for (size_t i = 0; i < csv->ncolumns; i++)
        for (int times = 0; times < 2; times++)
            if (!csv->columns[i].line[times] && part->columns[i].line[times])
                csv->columns[i].line[times] = csv->next_line - 1 + part->columns[i].line[times];
    csv->next_line += part->next_line - 1;
    cli_csv_facts_add(&csv->facts, &part->facts);
}

/* Parses the unparsed text of the block as at most `most` parts. `*used`: bytes of it. */
static int parse_parts(struct cli_input *input, size_t most, size_t *used) {
    const size_t n = cut(input, most);
    size_t stored = 0;
    *used = 0;
    make_room(input, n);
    if (n > 1)
        parse_all(input, n);
    for (input->part = input->nparts = 0; input->nparts < n;) {
        struct cli_part *part = &input->parts[input->nparts++];
        if (n > 1 && !part->status && !is_of_other_kinds(&input->csv, &part->csv))
            take_part(&input->csv, &part->csv);
        else if (parse(input, part))
            return -1;
        *used += part->used;
        stored += part->stored;
        if (part->used < part->bytes)
            break;
    }
    input->text_used += *used;
    if (stored)
        input->facts.width = input->csv.ncolumns;
    if (*used >= 1024)
        input->density = stored / (*used / 1024) + 1;
    return 0;
}

static int parse_block(struct cli_input *input, size_t *used) {
    if (!input->parts)
        input->parts = cli_have(calloc(PARTS, sizeof *input->parts));
    if (parse_parts(input, PARTS, used))
        return -1;
    return *used == 0 ? parse_parts(input, 1, used) : 0; /* the first line is longer than a part */
}

int cli_text_table(struct cli_input *input, uint64_t *end) {
    size_t used;
    while (!input->csv.facts.rows) {
        const int ended = input->text_ended;
        if (parse_block(input, &used))
            return -1;
        if (!input->csv.facts.rows && ended)
            break;
        if (!input->csv.facts.rows && read_block(input))
            return -1;
    }
    *end = input->position - (input->text_bytes - input->text_used);
    return 0;
}

int cli_text_next(struct cli_input *input, const void **data, size_t *n) {
    for (;;) {
        while (input->part < input->nparts) {
            const struct cli_part *part = &input->parts[input->part++];
            *data = part->elements;
            *n = part->stored;
            if (part->stored)
                return 1;
        }
        const int ended = input->text_ended;
        size_t used = 0;
        if (parse_block(input, &used))
            return -1;
        if (used == 0 && ended)
            return 0;
        if (used == 0 && read_block(input))
            return -1;
    }
}
