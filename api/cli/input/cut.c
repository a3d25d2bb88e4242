/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/input/kind.h"

#include <stdlib.h>
#include <string.h>

#include "api/cli/group.h"

enum { BLOCK = 1 << 14 };

/* Reads the text from a position on, up to `end` or a whole block. */
static int read_block(struct cli_stream *stream, uint64_t at, uint64_t end, char block[BLOCK], size_t *got,
                      struct cli_error *error) {
    const size_t wanted = end - at < BLOCK ? (size_t)(end - at) : BLOCK;
    return cli_stream_read(stream, at, block, wanted, wanted, got, error);
}

int cli_cut_find(struct cli_stream *stream, uint64_t position, uint64_t end, uint64_t *found, struct cli_error *error) {
    char block[BLOCK];
    size_t got = 1;
    *found = end;
    /* A line begins after a newline, which may be the byte before. */
    for (uint64_t at = position - 1; at < end && got > 0 && *found == end; at += got) {
        if (read_block(stream, at, end, block, &got, error))
            return -1;
        const char *newline = memchr(block, '\n', got);
        *found = newline ? at + (uint64_t)(newline - block) + 1 : end;
    }
    return 0;
}

int cli_cut_count(struct cli_stream *stream, uint64_t end, uint64_t *lines, struct cli_error *error) {
    char block[BLOCK];
    size_t got = 1;
    *lines = 0;
    for (uint64_t at = 0; at < end && got > 0; at += got) {
        if (read_block(stream, at, end, block, &got, error))
            return -1;
        for (size_t i = 0; i < got; i++)
            *lines += block[i] == '\n';
    }
    return 0;
}

/* ---- quotes ------------------------------------------------------------------------------------------------------ */

/* Continues from a state at a position to `end` or, with `one`, past the newline that ends the line. */
static int find_next(struct cli_stream *stream, char separator, int one, uint64_t *at, uint64_t end,
                     enum csv_state *state, struct cli_error *error) {
    char block[BLOCK];
    const char *stop = NULL;
    for (size_t got = 1; *at < end && got > 0 && !stop;) {
        if (read_block(stream, *at, end, block, &got, error))
            return -1;
        const char *next = block;
        do {
            stop = csv_line_end(next, block + got, separator, state);
            next = stop ? stop + 1 : block + got;
        } while (stop && !one);
        *at += (uint64_t)(next - block);
    }
    return 0;
}

/* Computes whether the text is within quotes at `last`: in bit 0 if it is not at `first`, in bit 1 if it is. */
static int try_both(struct cli_stream *stream, char separator, uint64_t first, uint64_t last, uint64_t *bits,
                    struct cli_error *error) {
    *bits = 0;
    for (unsigned inside = 0; inside < 2; inside++) {
        enum csv_state state = inside ? CSV_QUOTED : CSV_LINE;
        uint64_t at = first;
        if (find_next(stream, separator, 0, &at, last, &state, error))
            return -1;
        *bits |= (uint64_t)(state == CSV_QUOTED) << inside;
    }
    return 0;
}

static int skip_quotes(struct cli_stream *stream, char separator, uint64_t end, uint64_t *at, struct cli_error *error) {
    enum csv_state state = CSV_QUOTED;
    return find_next(stream, separator, 1, at, end, &state, error);
}

int cli_cut_outside_quotes(struct cli_stream *stream, char separator, uint64_t end, uint64_t *first, uint64_t *last,
                           struct cli_error *error) {
    const size_t ranks = cli_group_ranks(), own = cli_group_rank();
    uint64_t *bits = calloc(ranks, sizeof *bits);
    unsigned inside = 0;
    if (!bits)
        return cli_fail(error, "out of memory for %zu ranks", ranks);
    int result = try_both(stream, separator, *first, *last, &bits[own], error) || cli_group_add(bits, ranks, error);
    const int empty = *first == *last;
    for (size_t rank = 0; rank <= own && result == 0; rank++) {
        if (rank == own && inside && !empty)
            result = skip_quotes(stream, separator, end, first, error);
        inside = (unsigned)(bits[rank] >> inside & 1);
    }
    if (result == 0 && inside && !empty)
        result = skip_quotes(stream, separator, end, last, error);
    free(bits);
    return result ? -1 : 0;
}
