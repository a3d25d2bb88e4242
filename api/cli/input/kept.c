/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* mkostemp */
#include "api/cli/input/kept.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/cli/error.h"

static int fail(const char *problem) { return cli_fail("values cannot be kept: %s: %s", problem, strerror(errno)); }

int cli_kept_fits(const struct cli_kept *kept, size_t bytes) {
    const size_t limit = kept->limit ? kept->limit : (size_t)1 << 30;
    return bytes <= limit && kept->bytes <= limit - bytes;
}

/* Opens an unlinked file, in the first of these directories where that works. */
static int open_file(struct cli_kept *kept) {
    const char *const directories[] = {getenv("TMPDIR"), "/var/tmp", "/tmp"};
    char path[4096];
    for (size_t i = 0; i < sizeof directories / sizeof *directories && !kept->has_file; i++) {
        const char *directory = directories[i] ? directories[i] : "";
        if (!*directory || snprintf(path, sizeof path, "%s/unihist-XXXXXX", directory) >= (int)sizeof path)
            continue;
        kept->file = mkostemp(path, O_CLOEXEC);
        kept->has_file = kept->file >= 0;
        if (kept->has_file)
            unlink(path);
    }
    return kept->has_file ? 0 : fail("no temporary file can be made in $TMPDIR, /var/tmp or /tmp");
}

static int write_chunk(struct cli_kept *kept, const unsigned char *data, size_t bytes) {
    if (!kept->has_file && open_file(kept))
        return -1;
    while (bytes > 0) {
        const ssize_t n = pwrite(kept->file, data, bytes, (off_t)kept->written);
        if (n < 0)
            return fail("the temporary file");
        data += n;
        bytes -= (size_t)n;
        kept->written += (uint64_t)n;
    }
    return 0;
}

int cli_kept_add(struct cli_kept *kept, size_t entry, const void *data, size_t n, size_t bytes) {
    struct cli_chunk chunk = {.n = n, .bytes = bytes, .entry = entry, .offset = kept->written};
    if (kept->nchunks == kept->room) {
        const size_t room = kept->room ? 2 * kept->room : 64;
        kept->chunks = cli_have(realloc(kept->chunks, room * sizeof *kept->chunks));
        kept->room = room;
    }
    if (cli_kept_fits(kept, bytes))
        chunk.data = malloc(bytes);
    if (!chunk.data && write_chunk(kept, data, bytes))
        return -1;
    if (chunk.data)
        memcpy(chunk.data, data, bytes);
    kept->bytes += chunk.data ? bytes : 0;
    kept->chunks[kept->nchunks++] = chunk;
    return 0;
}

const void *cli_kept_get(struct cli_kept *kept, size_t i) {
    const struct cli_chunk *chunk = &kept->chunks[i];
    if (chunk->data)
        return chunk->data;
    free(kept->read);
    kept->read = cli_have(malloc(chunk->bytes));
    for (size_t got = 0; got < chunk->bytes;) {
        const ssize_t n = pread(kept->file, (char *)kept->read + got, chunk->bytes - got, (off_t)(chunk->offset + got));
        if (n <= 0) {
            fail("the temporary file");
            return NULL;
        }
        got += (size_t)n;
    }
    return kept->read;
}

void cli_kept_free(struct cli_kept *kept) {
    for (size_t i = 0; i < kept->nchunks; i++)
        free(kept->chunks[i].data);
    free(kept->chunks);
    free(kept->read);
    if (kept->has_file)
        close(kept->file);
    *kept = (struct cli_kept){.limit = kept->limit};
}
