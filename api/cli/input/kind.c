/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* mkostemp */
#include "api/cli/input/kind.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api/cli/group.h"

/* ---- bytes ------------------------------------------------------------------------------------------------------- */

/* Stores the failed operation and the system's reason. */
static int fail_read(const struct cli_stream *stream, const char *what) {
    return cli_fail("%s: %s: %s", stream->name, what, strerror(errno));
}

static int look_at(struct cli_stream *stream) {
    struct stat status;
    if (fstat(stream->fd, &status) != 0)
        return fail_read(stream, "cannot be read");
    if (S_ISDIR(status.st_mode))
        return cli_fail("%s: is a directory, expected a file", stream->name);
    if (!S_ISREG(status.st_mode) && !S_ISBLK(status.st_mode))
        return 0;
    off_t at = lseek(stream->fd, 0, SEEK_CUR);
    off_t end = S_ISBLK(status.st_mode) ? lseek(stream->fd, 0, SEEK_END) : status.st_size;
    if (at < 0 || end < 0)
        return fail_read(stream, "cannot be read");
    stream->seekable = 1;
    stream->base = (uint64_t)at;
    stream->size = end > at ? (uint64_t)(end - at) : 0;
    posix_fadvise(stream->fd, at, 0, POSIX_FADV_SEQUENTIAL);
    return 0;
}

/* Does one read of the available data, at `position` of a file or next of a pipe; *got is 0 at the end. */
static int draw(struct cli_stream *stream, uint64_t position, void *data, size_t bytes, size_t *got) {
    if (stream->size && bytes > stream->size - position)
        bytes = (size_t)(stream->size - position);
    ssize_t n;
    while ((n = stream->seekable ? pread(stream->fd, data, bytes, (off_t)(stream->base + position))
                                 : read(stream->fd, data, bytes)) < 0) {
        if (errno == EAGAIN) /* standard input may be non-blocking */
            poll(&(struct pollfd){.fd = stream->fd, .events = POLLIN}, 1, -1);
        else if (errno != EINTR)
            return fail_read(stream, "cannot be read");
    }
    if (n == 0 && bytes > 0 && stream->size)
        return cli_fail("%s: was truncated while being read: expected %" PRIu64 " bytes, found %" PRIu64, stream->name,
                        stream->size, position);
    *got = (size_t)n;
    if (!stream->seekable)
        stream->drawn += *got;
    return 0;
}

int cli_stream_open(struct cli_stream *stream, const char *path, int keep) {
    const int is_stdin = strcmp(path, "-") == 0;
    *stream = (struct cli_stream){.fd = -1, .spool = -1, .keep = keep};
    if (!(stream->name = strdup(is_stdin ? "standard input" : path)))
        return cli_fail("%s: out of memory", path);
    stream->fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (stream->fd < 0)
        return fail_read(stream, "cannot be opened");
    if (look_at(stream))
        return -1;
    stream->is_file = stream->seekable && !is_stdin;
    if (cli_group && !stream->is_file) /* before reading: a rank may wait forever if MPI gives another the data */
        return cli_fail("%.300s is a pipe, which ranks cannot share; give a file", stream->name);
    return 0;
}

void cli_stream_close(struct cli_stream *stream) {
    if (stream->fd > STDIN_FILENO)
        close(stream->fd);
    if (stream->spool >= 0)
        close(stream->spool);
    free(stream->head);
    free(stream->name);
}

int cli_stream_peek(struct cli_stream *stream, size_t bytes, const unsigned char **data, size_t *got) {
    if (!stream->head && !(stream->head = malloc(CLI_STREAM_HEAD + 1)))
        return cli_fail("%s: out of memory for %d bytes", stream->name, CLI_STREAM_HEAD);
    for (size_t part = 1; stream->head_bytes < bytes && part > 0; stream->head_bytes += part)
        if (draw(stream, stream->head_bytes, stream->head + stream->head_bytes, CLI_STREAM_HEAD - stream->head_bytes,
                 &part))
            return -1;
    stream->head[stream->head_bytes] = '\0'; /* text is followed by no part of a number */
    *data = stream->head;
    *got = stream->head_bytes;
    return 0;
}

/* Opens an unlinked file, in the first of these directories where that works. */
static int spool_open(struct cli_stream *stream) {
    const char *const directories[] = {getenv("TMPDIR"), "/var/tmp", "/tmp"};
    char path[4096];
    for (size_t i = 0; i < sizeof directories / sizeof *directories && stream->spool < 0; i++) {
        const char *directory = directories[i] ? directories[i] : "";
        if (!*directory || snprintf(path, sizeof path, "%s/unihist-XXXXXX", directory) >= (int)sizeof path)
            continue;
        stream->spool = mkostemp(path, O_CLOEXEC);
        if (stream->spool >= 0)
            unlink(path);
    }
    if (stream->spool < 0)
        return fail_read(stream, "cannot make a temporary file to keep it in (in $TMPDIR, /var/tmp or /tmp)");
    return 0;
}

static int spool_write(struct cli_stream *stream, const unsigned char *data, size_t bytes) {
    if (stream->spool < 0 && spool_open(stream) != 0)
        return -1;
    while (bytes > 0) {
        const ssize_t n = write(stream->spool, data, bytes);
        if (n < 0)
            return fail_read(stream, "cannot be kept in a temporary file");
        data += n;
        bytes -= (size_t)n;
    }
    return 0;
}

/* Reads some bytes of a pipe: from its head, from its temporary file, or new ones; *got is 0 at the end. */
static int read_pipe(struct cli_stream *stream, uint64_t position, void *data, size_t bytes, size_t *got) {
    const uint64_t head = stream->head_bytes;
    if (position < head) {
        *got = bytes < head - position ? bytes : (size_t)(head - position);
        memcpy(data, stream->head + position, *got);
        return 0;
    }
    if (position < stream->drawn) {
        ssize_t n = pread(stream->spool, data, bytes, (off_t)(position - head));
        if (n < 0)
            return fail_read(stream, "cannot be read again");
        *got = (size_t)n;
        return 0;
    }
    if (draw(stream, position, data, bytes, got) != 0)
        return -1;
    return stream->keep && *got ? spool_write(stream, data, *got) : 0;
}

int cli_stream_read(struct cli_stream *stream, uint64_t position, void *data, size_t wanted, size_t bytes,
                    size_t *got) {
    size_t part = 1;
    *got = 0;
    while (*got < wanted && part > 0) {
        unsigned char *to = (unsigned char *)data + *got;
        if ((stream->seekable ? draw : read_pipe)(stream, position + *got, to, bytes - *got, &part))
            return -1;
        *got += part;
    }
    return 0;
}

/* ---- kinds ------------------------------------------------------------------------------------------------------- */

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

static int open_raw(struct cli_input *input) {
    input->stored_bytes = uh_dtype_size(input->facts.dtype);
    input->facts.width = input->options.row ? input->options.row : 1;
    uint64_t size = input->stream.size;
    return size % (input->stored_bytes * input->facts.width) == 0 ? 0 : cli_kind_fail_multiple(input, size);
}

/* What a file of another kind is, by its first bytes, and what makes text of it; NULL for text. */
static const char *reader_of(const unsigned char *head, size_t have) {
    static const struct {
        const char *magic;
        size_t bytes;
        const char *is;
    } kinds[] = {{"\x1f\x8b", 2, "compressed by gzip; zcat FILE | unihist ... - reads it"},
                 {"BZh", 3, "compressed by bzip2; bzcat FILE | unihist ... - reads it"},
                 {"\xfd"
                  "7zXZ",
                  5, "compressed by xz; xzcat FILE | unihist ... - reads it"},
                 {"\x28\xb5\x2f\xfd", 4, "compressed by zstd; zstdcat FILE | unihist ... - reads it"},
                 {"\x04\x22\x4d\x18", 4, "compressed by lz4; lz4cat FILE | unihist ... - reads it"},
                 {"PK\x03\x04", 4, "a zip archive or .npz; unzip -p FILE MEMBER | unihist ... - reads a member"},
                 {"\x89HDF", 4, "an HDF5 file; h5dump -d DATASET -b LE -o OUT FILE makes raw binary of it"},
                 {"PAR1", 4, "a Parquet file; duckdb -csv -c \"from 'FILE'\" | unihist ... - reads it"},
                 {"\xff\xfe", 2, "UTF-16; iconv -f UTF-16 -t UTF-8 FILE | unihist ... - reads it"},
                 {"\xfe\xff", 2, "UTF-16; iconv -f UTF-16 -t UTF-8 FILE | unihist ... - reads it"}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (have >= kinds[i].bytes && memcmp(head, kinds[i].magic, kinds[i].bytes) == 0)
            return kinds[i].is;
    return NULL;
}

enum { SAMPLE_LINES = 100 };

/* Looks at the text's first lines: SAMPLE_LINES, or as many as the head holds. */
static int find_dialect(struct cli_input *input, struct cli_dialect_use use) {
    const unsigned char *head;
    size_t have = 0, before, lines = 0;
    do {
        before = have;
        if (cli_stream_peek(&input->stream, have + 1, &head, &have))
            return -1;
        for (size_t i = before; i < have; i++)
            lines += head[i] == '\n';
    } while (have > before && have < CLI_STREAM_HEAD && lines < SAMPLE_LINES);
    for (size_t i = 0; i < input->csv.ncolumns; i++)
        use.named |= input->csv.columns[i].name != NULL;
    const size_t begin = (size_t)input->begin < have ? (size_t)input->begin : have;
    return cli_dialect_find(&input->csv.dialect, input->stream.name, (const char *)head + begin, have - begin,
                            have > before, &use);
}

static int open_text(struct cli_input *input, const unsigned char *head, size_t have) {
    const struct cli_input_options *options = &input->options;
    const char *name = input->stream.name;
    const char *reads = reader_of(head, have);
    if (reads)
        return cli_fail("%s: is %s", name, reads);
    if (memchr(head, '\0', have))
        return cli_fail("%s: is neither .npy nor text (it has zero bytes); raw binary needs a dtype", name);
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
    const struct cli_dialect_use use = {.columns = one ? &column : options->columns,
                                        .ncolumns = one ? 1 : options->ncolumns,
                                        .integers = input->facts.dtype != UH_F32 && input->facts.dtype != UH_F64};
    input->facts.width = options->ncolumns ? options->ncolumns : 1;
    if (cli_csv_start(&input->csv, name, use.columns, use.ncolumns, input->facts.dtype))
        return -1;
    input->csv.finite = options->finite;
    input->csv.dialect = options->dialect ? *options->dialect : CLI_DIALECT_FOUND;
    return find_dialect(input, use);
}

int cli_kind_open(struct cli_input *input, const char *path) {
    const struct cli_input_options *options = &input->options;
    const unsigned char *head;
    size_t have = 0;
    unsigned dtype = input->facts.dtype;
    if (cli_stream_open(&input->stream, path, options->several_passes) != 0 ||
        (options->dtype && uh_enum_from_name(UH_ENUM_DTYPE, options->dtype, &dtype) && cli_fail_library()) ||
        cli_stream_peek(&input->stream, CLI_NPY_MAGIC_BYTES, &head, &have) != 0)
        return -1;
    input->facts.dtype = (uh_dtype)dtype;
    input->end = input->stream.size ? input->stream.size : UINT64_MAX;
    input->facts.width = 1;
    if (cli_npy_is_magic(head, have) || has_ending(path, ".npy"))
        input->kind = NPY;
    else
        input->kind = options->dtype && !is_text_name(path) ? RAW : TEXT;
    if (check_options(input))
        return -1;
    switch (input->kind) {
    case NPY: return open_npy(input);
    case RAW: return open_raw(input);
    default: return open_text(input, head, have);
    }
}
