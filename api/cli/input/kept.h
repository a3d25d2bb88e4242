/* SPDX-License-Identifier: Apache-2.0 */
/* Chunks of values, kept to be read again: in memory, and beyond a limit in an unlinked temporary file (in $TMPDIR,
 * else /var/tmp, else /tmp). */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct cli_chunk {
    void *data; /* NULL: in the file, at `offset` */
    uint64_t offset;
    size_t n, bytes;
    size_t entry; /* the input's number */
};

struct cli_kept {
    struct cli_chunk *chunks;
    size_t nchunks, room;
    size_t limit; /* of bytes in memory; 0: 1 GiB */
    size_t bytes; /* in memory */
    uint64_t written;
    int has_file, file;
    void *read; /* the chunk last read from the file */
};

/* Returns whether this many more bytes fit in memory. */
int cli_kept_fits(const struct cli_kept *kept, size_t bytes);

/* Appends a chunk of an entry: n elements, of a number of bytes in all. Returns 0 or -1. */
int cli_kept_add(struct cli_kept *kept, size_t entry, const void *data, size_t n, size_t bytes);

/* Returns a chunk's data, valid until the next call; NULL with a message. */
const void *cli_kept_get(struct cli_kept *kept, size_t i);

void cli_kept_free(struct cli_kept *kept);
