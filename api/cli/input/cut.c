/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/input/cut.h"

#include <string.h>

enum { BLOCK = 1 << 14 };

int cli_cut_find(struct cli_stream *stream, uint64_t position, uint64_t end, uint64_t *found, struct cli_error *error) {
    char block[BLOCK];
    /* It begins behind an end of line, which may be the byte before. */
    for (uint64_t at = position - 1; at < end;) {
        const size_t wanted = end - at < BLOCK ? (size_t)(end - at) : BLOCK;
        size_t got;
        if (cli_stream_read(stream, at, block, wanted, wanted, &got, error))
            return -1;
        const char *newline = memchr(block, '\n', got);
        if (newline) {
            *found = at + (uint64_t)(newline - block) + 1;
            return 0;
        }
        at += got;
        if (got < wanted)
            break;
    }
    *found = end;
    return 0;
}

int cli_cut_count(struct cli_stream *stream, uint64_t end, uint64_t *lines, struct cli_error *error) {
    char block[BLOCK];
    *lines = 0;
    for (uint64_t at = 0; at < end;) {
        const size_t wanted = end - at < BLOCK ? (size_t)(end - at) : BLOCK;
        size_t got;
        if (cli_stream_read(stream, at, block, wanted, wanted, &got, error))
            return -1;
        for (size_t i = 0; i < got; i++)
            *lines += block[i] == '\n';
        at += got;
        if (got < wanted)
            break;
    }
    return 0;
}
