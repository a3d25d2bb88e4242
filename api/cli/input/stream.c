/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* O_TMPFILE */
#include "api/cli/input/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEAD_BYTES 4096

struct cli_stream {
    char *name;
    int fd;
    int seekable;   /* read by pread, from `base` on */
    uint64_t base;  /* where the file's position stood when it was opened (standard input) */
    uint64_t size;  /* of a seekable stream, as it was when opened; 0: unknown */
    uint64_t drawn; /* how much has come out of a pipe */
    int pipe_ended;
    unsigned char *head; /* the first bytes of a pipe, peeked at */
    size_t head_bytes, head_capacity;
    int keep;
    int spool;   /* what came out of a pipe after the head; -1: none yet */
    int wake[2]; /* a byte in it interrupts the wait for a pipe */
    atomic_int interrupted;
    _Atomic uint64_t bytes_read;
};

static int stream_stat(struct cli_stream *stream, struct cli_error *error) {
    struct stat status;
    if (fstat(stream->fd, &status) != 0)
        return cli_fail(error, "%s: cannot be read: %s", stream->name, strerror(errno));
    if (S_ISDIR(status.st_mode))
        return cli_fail(error, "%s: is a directory, expected a file", stream->name);
    if (!S_ISREG(status.st_mode) && !S_ISBLK(status.st_mode))
        return 0;
    off_t at = lseek(stream->fd, 0, SEEK_CUR);
    off_t end = S_ISBLK(status.st_mode) ? lseek(stream->fd, 0, SEEK_END) : status.st_size;
    if (at < 0 || end < 0)
        return cli_fail(error, "%s: cannot be read: %s", stream->name, strerror(errno));
    stream->seekable = 1;
    stream->base = (uint64_t)at;
    stream->size = end > at ? (uint64_t)(end - at) : 0;
    return 0;
}

int cli_stream_open(const char *path, struct cli_stream **out, struct cli_error *error) {
    int is_stdin = strcmp(path, "-") == 0;
    struct cli_stream *stream = calloc(1, sizeof *stream);
    char *name = strdup(is_stdin ? "standard input" : path);
    if (!stream || !name) {
        free(stream);
        free(name);
        return cli_fail(error, "%s: out of memory", path);
    }
    stream->name = name;
    stream->spool = stream->wake[0] = stream->wake[1] = -1;
    stream->fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    int rc = 0;
    if (stream->fd < 0)
        rc = cli_fail(error, "%s: cannot be opened: %s", path, strerror(errno));
    else
        rc = stream_stat(stream, error);
    if (rc == 0 && !stream->seekable && pipe2(stream->wake, O_CLOEXEC | O_NONBLOCK) != 0)
        rc = cli_fail(error, "%s: cannot be read: %s", stream->name, strerror(errno));
    if (rc != 0) {
        cli_stream_close(stream);
        return -1;
    }
    *out = stream;
    return 0;
}

void cli_stream_close(struct cli_stream *stream) {
    if (!stream)
        return;
    int descriptors[] = {stream->fd == STDIN_FILENO ? -1 : stream->fd, stream->spool, stream->wake[0], stream->wake[1]};
    for (size_t i = 0; i < sizeof descriptors / sizeof *descriptors; i++)
        if (descriptors[i] >= 0)
            close(descriptors[i]);
    free(stream->head);
    free(stream->name);
    free(stream);
}

const char *cli_stream_name(const struct cli_stream *stream) {
    return stream->name;
}

uint64_t cli_stream_size(const struct cli_stream *stream) {
    return stream->size;
}

void cli_stream_keep(struct cli_stream *stream) {
    if (stream->drawn == stream->head_bytes)
        stream->keep = 1;
}

int cli_stream_can_rewind(const struct cli_stream *stream) {
    return stream->seekable || stream->keep || stream->drawn == stream->head_bytes;
}

uint64_t cli_stream_bytes_read(const struct cli_stream *stream) {
    return atomic_load_explicit(&stream->bytes_read, memory_order_relaxed);
}

void cli_stream_set_bytes_read(struct cli_stream *stream, uint64_t bytes) {
    atomic_store_explicit(&stream->bytes_read, bytes, memory_order_relaxed);
}

void cli_stream_interrupt(struct cli_stream *stream) {
    atomic_store(&stream->interrupted, 1);
    if (stream->wake[1] >= 0) {
        ssize_t written = write(stream->wake[1], "", 1);
        (void)written; /* a full pipe wakes as well as a written one */
    }
}

void cli_stream_resume(struct cli_stream *stream) {
    char byte;
    while (stream->wake[0] >= 0 && read(stream->wake[0], &byte, 1) == 1)
        ;
    atomic_store(&stream->interrupted, 0);
}

/* Draws at most `bytes` from the pipe, once it has some. *got is 0 at its end and on an interrupt. */
static int pipe_draw(struct cli_stream *stream, void *data, size_t bytes, size_t *got, struct cli_error *error) {
    *got = 0;
    while (!stream->pipe_ended && !atomic_load(&stream->interrupted)) {
        struct pollfd wait[2] = {{.fd = stream->fd, .events = POLLIN}, {.fd = stream->wake[0], .events = POLLIN}};
        if (poll(wait, 2, -1) < 0 && errno != EINTR)
            return cli_fail(error, "%s: cannot be read: %s", stream->name, strerror(errno));
        if (!wait[0].revents)
            continue;
        ssize_t n = read(stream->fd, data, bytes);
        if (n < 0 && (errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK))
            continue;
        if (n < 0)
            return cli_fail(error, "%s: cannot be read: %s", stream->name, strerror(errno));
        if (n == 0)
            stream->pipe_ended = 1;
        stream->drawn += (uint64_t)n;
        *got = (size_t)n;
        return 0;
    }
    return 0;
}

int cli_stream_peek(struct cli_stream *stream, size_t bytes, const unsigned char **data, size_t *got,
                    struct cli_error *error) {
    size_t wanted = bytes < HEAD_BYTES ? HEAD_BYTES : bytes;
    if (wanted > stream->head_capacity) {
        unsigned char *head = realloc(stream->head, wanted);
        if (!head)
            return cli_fail(error, "%s: out of memory for %zu bytes", stream->name, wanted);
        stream->head = head;
        stream->head_capacity = wanted;
    }
    size_t have = stream->seekable ? 0 : stream->head_bytes;
    while (have < bytes) {
        size_t part = 0;
        int rc = stream->seekable ? cli_stream_read(stream, have, stream->head + have, wanted - have, &part, error)
                                  : pipe_draw(stream, stream->head + have, stream->head_capacity - have, &part, error);
        if (rc != 0)
            return -1;
        if (part == 0)
            break;
        have += part;
    }
    stream->head_bytes = have;
    *data = stream->head;
    *got = have;
    return 0;
}

/* Opens a file that has no name, in the first of these directories where that works. */
static int spool_open(struct cli_stream *stream, struct cli_error *error) {
    const char *directories[] = {getenv("TMPDIR"), "/var/tmp", "/tmp"};
    for (size_t i = 0; i < sizeof directories / sizeof *directories && stream->spool < 0; i++) {
        if (!directories[i] || !*directories[i])
            continue;
        stream->spool = open(directories[i], O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
        char path[4096];
        int length = snprintf(path, sizeof path, "%s/unihist-XXXXXX", directories[i]);
        if (stream->spool >= 0 || length < 0 || (size_t)length >= sizeof path)
            continue;
        stream->spool = mkostemp(path, O_CLOEXEC); /* some file systems do not know O_TMPFILE */
        if (stream->spool >= 0)
            unlink(path);
    }
    if (stream->spool < 0)
        return cli_fail(error, "%s: cannot make a temporary file to keep it in (in $TMPDIR, /var/tmp or /tmp): %s",
                        stream->name, strerror(errno));
    return 0;
}

static int spool_write(struct cli_stream *stream, uint64_t position, const unsigned char *data, size_t bytes,
                       struct cli_error *error) {
    if (stream->spool < 0 && spool_open(stream, error) != 0)
        return -1;
    while (bytes > 0) {
        ssize_t n = pwrite(stream->spool, data, bytes, (off_t)position);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return cli_fail(error, "%s: cannot be kept in a temporary file: %s", stream->name, strerror(errno));
        position += (uint64_t)n;
        data += n;
        bytes -= (size_t)n;
    }
    return 0;
}

/* One pread from the file, or from the spool; *got is 0 at the end. */
static int read_at(struct cli_stream *stream, int fd, uint64_t position, void *data, size_t bytes, size_t *got,
                   struct cli_error *error) {
    ssize_t n;
    do
        n = pread(fd, data, bytes, (off_t)position);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        return cli_fail(error, "%s: cannot be read: %s", stream->name, strerror(errno));
    *got = (size_t)n;
    return 0;
}

static int read_seekable(struct cli_stream *stream, uint64_t position, void *data, size_t bytes, size_t *got,
                         struct cli_error *error) {
    *got = 0;
    if (stream->size && position >= stream->size)
        return 0;
    if (stream->size && bytes > stream->size - position)
        bytes = (size_t)(stream->size - position);
    if (read_at(stream, stream->fd, stream->base + position, data, bytes, got, error) != 0)
        return -1;
    if (*got == 0 && stream->size)
        return cli_fail(error, "%s: was cut short while it was read: expected %" PRIu64 " bytes, found %" PRIu64,
                        stream->name, stream->size, position);
    return 0;
}

static int read_pipe(struct cli_stream *stream, uint64_t position, void *data, size_t bytes, size_t *got,
                     struct cli_error *error) {
    if (position < stream->head_bytes) {
        size_t at = (size_t)position;
        *got = bytes < stream->head_bytes - at ? bytes : stream->head_bytes - at;
        memcpy(data, stream->head + at, *got);
        return 0;
    }
    uint64_t head = stream->head_bytes;
    if (position < stream->drawn) {
        if (bytes > stream->drawn - position)
            bytes = (size_t)(stream->drawn - position);
        return read_at(stream, stream->spool, position - head, data, bytes, got, error);
    }
    if (pipe_draw(stream, data, bytes, got, error) != 0)
        return -1;
    return stream->keep && *got ? spool_write(stream, position - head, data, *got, error) : 0;
}

int cli_stream_read(struct cli_stream *stream, uint64_t position, void *data, size_t bytes, size_t *got,
                    struct cli_error *error) {
    size_t have = 0;
    while (have < bytes && !atomic_load(&stream->interrupted)) {
        size_t part = 0;
        unsigned char *to = (unsigned char *)data + have;
        int rc = stream->seekable ? read_seekable(stream, position + have, to, bytes - have, &part, error)
                                  : read_pipe(stream, position + have, to, bytes - have, &part, error);
        if (rc != 0)
            return -1;
        if (part == 0)
            break;
        have += part;
        atomic_fetch_add_explicit(&stream->bytes_read, part, memory_order_relaxed);
    }
    *got = have;
    return 0;
}
