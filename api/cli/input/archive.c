/* SPDX-License-Identifier: Apache-2.0 */
/* Compressed files and zip archives, by zlib (which checks gzip's sums; libarchive does not) and libarchive. */
#include <archive.h>
#include <archive_entry.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "api/cli/input/container.h"

enum { BLOCK = 1 << 18 };

/* ---- gzip: members one after the other, and zeros after them ----------------------------------------------------- */

static int fail_gzip(const struct cli_filter *filter, const char *problem) {
    return cli_fail("%s: cannot be decompressed by gzip: %s", filter->from.name, problem);
}

/* Decompresses the available bytes. `*between`: no member is open. */
static int inflate_block(struct cli_filter *filter, z_stream *z, unsigned char *out, int *between) {
    while (z->avail_in > 0) {
        while (*between && z->avail_in > 0 && *z->next_in == 0) {
            z->next_in++;
            z->avail_in--;
        }
        if (z->avail_in == 0)
            break;
        z->next_out = out;
        z->avail_out = BLOCK;
        const int status = inflate(z, Z_NO_FLUSH);
        if (status != Z_OK && status != Z_STREAM_END)
            return fail_gzip(filter, z->msg ? z->msg : "it is damaged");
        if (cli_filter_write(filter, out, BLOCK - z->avail_out))
            return -1;
        *between = status == Z_STREAM_END;
        if (*between)
            inflateReset(z);
    }
    return 0;
}

int cli_decode_gzip(struct cli_filter *filter) {
    unsigned char *blocks = cli_have(malloc((size_t)2 * BLOCK));
    z_stream z = {.next_in = NULL};
    int result = -1, between = 0;
    size_t got = 1;
    if (inflateInit2(&z, 16 + MAX_WBITS) != Z_OK) {
        free(blocks);
        return fail_gzip(filter, "out of memory");
    }
    for (uint64_t at = 0; got > 0; at += got) {
        result = cli_stream_read(&filter->from, at, blocks, 1, BLOCK, &got);
        z.next_in = blocks;
        z.avail_in = (unsigned)got;
        if (result == 0)
            result = inflate_block(filter, &z, blocks + BLOCK, &between);
        if (result)
            break;
    }
    if (result == 0 && !between)
        result = fail_gzip(filter, "it is truncated");
    inflateEnd(&z);
    free(blocks);
    return result;
}

/* ---- libarchive -------------------------------------------------------------------------------------------------- */

struct source {
    struct cli_stream *stream;
    uint64_t at;
    char block[BLOCK];
};

static la_ssize_t read_source(struct archive *archive, void *data, const void **block) {
    struct source *source = data;
    size_t got;
    *block = source->block;
    if (cli_stream_read(source->stream, source->at, source->block, 1, BLOCK, &got)) {
        archive_set_error(archive, ARCHIVE_FATAL, "%s", cli_error.text);
        return -1;
    }
    source->at += got;
    return (la_ssize_t)got;
}

static la_int64_t seek_source(__attribute__((unused)) struct archive *archive, void *data, la_int64_t offset,
                              int whence) {
    struct source *source = data;
    const uint64_t base = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? source->at : source->stream->size;
    source->at = base + (uint64_t)offset;
    return (la_int64_t)source->at;
}

static int fail_archive(const struct cli_stream *stream, struct archive *archive) {
    const char *problem = archive_error_string(archive);
    return cli_fail("%s: cannot be decompressed: %s", stream->name, problem ? problem : "it is damaged");
}

static int open_archive(struct cli_stream *stream, int zip, struct source *source, struct archive **out) {
    struct archive *archive = *out = cli_have(archive_read_new());
    source->stream = stream;
    source->at = 0;
    if (zip) {
        archive_read_support_format_zip_seekable(archive);
        archive_read_set_seek_callback(archive, seek_source);
    } else {
        archive_read_support_format_raw(archive);
        archive_read_support_format_empty(archive);
        archive_read_support_filter_bzip2(archive);
        archive_read_support_filter_xz(archive);
        archive_read_support_filter_zstd(archive);
        archive_read_support_filter_lz4(archive);
    }
    archive_read_set_read_callback(archive, read_source);
    archive_read_set_callback_data(archive, source);
    return archive_read_open1(archive) == ARCHIVE_OK ? 0 : fail_archive(stream, archive);
}

static int copy_entry(struct cli_filter *filter, struct archive *archive) {
    const void *block;
    size_t bytes;
    la_int64_t offset;
    int status;
    while ((status = archive_read_data_block(archive, &block, &bytes, &offset)) == ARCHIVE_OK)
        if (cli_filter_write(filter, block, bytes))
            return -1;
    return status == ARCHIVE_EOF ? 0 : fail_archive(&filter->from, archive);
}

int cli_decode_archive(struct cli_filter *filter) {
    const char *name = filter->argument;
    struct source *source = cli_have(malloc(sizeof *source));
    struct archive *archive = NULL;
    struct archive_entry *entry;
    int result = open_archive(&filter->from, name != NULL, source, &archive), status = ARCHIVE_OK, found = 0;
    while (result == 0 && !found && (status = archive_read_next_header(archive, &entry)) == ARCHIVE_OK)
        found = !name || strcmp(archive_entry_pathname(entry), name) == 0;
    if (found)
        result = copy_entry(filter, archive);
    else if (result == 0 && (name || status != ARCHIVE_EOF)) /* nothing, compressed, has no entry */
        result = fail_archive(&filter->from, archive);
    archive_read_free(archive);
    free(source);
    return result;
}

int cli_zip_find(struct cli_stream *stream, const char *member, char **name) {
    struct source *source = cli_have(malloc(sizeof *source));
    struct archive *archive = NULL;
    struct archive_entry *entry;
    struct cli_members members = {.wanted = member};
    int result = open_archive(stream, 1, source, &archive), status = ARCHIVE_EOF;
    while (result == 0 && (status = archive_read_next_header(archive, &entry)) == ARCHIVE_OK)
        if (archive_entry_filetype(entry) == AE_IFREG && archive_entry_pathname(entry))
            cli_members_add(&members, archive_entry_pathname(entry));
    if (result == 0 && status != ARCHIVE_EOF)
        result = fail_archive(stream, archive);
    archive_read_free(archive);
    free(source);
    return cli_members_end(&members, stream->name, result, name);
}
