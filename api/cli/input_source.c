/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* O_TMPFILE */
#include "api/cli/input_source.h"

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

struct cli_source {
    char *name;
    int fd;
    int seekable;   /* read by pread, from `base` on */
    uint64_t base;  /* where the file's position stood when it was opened (standard input) */
    uint64_t size;  /* of a seekable source, as it was when opened; 0: unknown */
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

static int source_stat(struct cli_source *source, struct cli_error *error) {
    struct stat status;
    if (fstat(source->fd, &status) != 0)
        return cli_fail(error, "%s: cannot be read: %s", source->name, strerror(errno));
    if (S_ISDIR(status.st_mode))
        return cli_fail(error, "%s: is a directory, expected a file", source->name);
    if (!S_ISREG(status.st_mode) && !S_ISBLK(status.st_mode))
        return 0;
    off_t at = lseek(source->fd, 0, SEEK_CUR);
    off_t end = S_ISBLK(status.st_mode) ? lseek(source->fd, 0, SEEK_END) : status.st_size;
    if (at < 0 || end < 0)
        return cli_fail(error, "%s: cannot be read: %s", source->name, strerror(errno));
    source->seekable = 1;
    source->base = (uint64_t)at;
    source->size = end > at ? (uint64_t)(end - at) : 0;
    return 0;
}

int cli_source_open(const char *path, struct cli_source **out, struct cli_error *error) {
    int is_stdin = strcmp(path, "-") == 0;
    struct cli_source *source = calloc(1, sizeof *source);
    char *name = strdup(is_stdin ? "standard input" : path);
    if (!source || !name) {
        free(source);
        free(name);
        return cli_fail(error, "%s: out of memory", path);
    }
    source->name = name;
    source->spool = source->wake[0] = source->wake[1] = -1;
    source->fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    int rc = 0;
    if (source->fd < 0)
        rc = cli_fail(error, "%s: cannot be opened: %s", path, strerror(errno));
    else
        rc = source_stat(source, error);
    if (rc == 0 && !source->seekable && pipe2(source->wake, O_CLOEXEC | O_NONBLOCK) != 0)
        rc = cli_fail(error, "%s: cannot be read: %s", source->name, strerror(errno));
    if (rc != 0) {
        cli_source_close(source);
        return -1;
    }
    *out = source;
    return 0;
}

void cli_source_close(struct cli_source *source) {
    if (!source)
        return;
    int descriptors[] = {source->fd == STDIN_FILENO ? -1 : source->fd, source->spool, source->wake[0], source->wake[1]};
    for (size_t i = 0; i < sizeof descriptors / sizeof *descriptors; i++)
        if (descriptors[i] >= 0)
            close(descriptors[i]);
    free(source->head);
    free(source->name);
    free(source);
}

const char *cli_source_name(const struct cli_source *source) {
    return source->name;
}

uint64_t cli_source_size(const struct cli_source *source) {
    return source->size;
}

void cli_source_keep(struct cli_source *source) {
    if (source->drawn == source->head_bytes)
        source->keep = 1;
}

int cli_source_can_rewind(const struct cli_source *source) {
    return source->seekable || source->keep || source->drawn == source->head_bytes;
}

uint64_t cli_source_bytes_read(const struct cli_source *source) {
    return atomic_load_explicit(&source->bytes_read, memory_order_relaxed);
}

void cli_source_set_bytes_read(struct cli_source *source, uint64_t bytes) {
    atomic_store_explicit(&source->bytes_read, bytes, memory_order_relaxed);
}

void cli_source_interrupt(struct cli_source *source) {
    atomic_store(&source->interrupted, 1);
    if (source->wake[1] >= 0) {
        ssize_t written = write(source->wake[1], "", 1);
        (void)written; /* a full pipe wakes as well as a written one */
    }
}

void cli_source_resume(struct cli_source *source) {
    char byte;
    while (source->wake[0] >= 0 && read(source->wake[0], &byte, 1) == 1)
        ;
    atomic_store(&source->interrupted, 0);
}

/* Draws at most `bytes` from the pipe, once it has some. *got is 0 at its end and on an interrupt. */
static int pipe_draw(struct cli_source *source, void *data, size_t bytes, size_t *got, struct cli_error *error) {
    *got = 0;
    while (!source->pipe_ended && !atomic_load(&source->interrupted)) {
        struct pollfd wait[2] = {{.fd = source->fd, .events = POLLIN}, {.fd = source->wake[0], .events = POLLIN}};
        if (poll(wait, 2, -1) < 0 && errno != EINTR)
            return cli_fail(error, "%s: cannot be read: %s", source->name, strerror(errno));
        if (!wait[0].revents)
            continue;
        ssize_t n = read(source->fd, data, bytes);
        if (n < 0 && (errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK))
            continue;
        if (n < 0)
            return cli_fail(error, "%s: cannot be read: %s", source->name, strerror(errno));
        if (n == 0)
            source->pipe_ended = 1;
        source->drawn += (uint64_t)n;
        *got = (size_t)n;
        return 0;
    }
    return 0;
}

int cli_source_peek(struct cli_source *source, size_t bytes, const unsigned char **data, size_t *got,
                    struct cli_error *error) {
    size_t wanted = bytes < HEAD_BYTES ? HEAD_BYTES : bytes;
    if (wanted > source->head_capacity) {
        unsigned char *head = realloc(source->head, wanted);
        if (!head)
            return cli_fail(error, "%s: out of memory for %zu bytes", source->name, wanted);
        source->head = head;
        source->head_capacity = wanted;
    }
    size_t have = source->seekable ? 0 : source->head_bytes;
    while (have < bytes) {
        size_t part;
        int rc = source->seekable ? cli_source_read(source, have, source->head + have, wanted - have, &part, error)
                                  : pipe_draw(source, source->head + have, source->head_capacity - have, &part, error);
        if (rc != 0)
            return -1;
        if (part == 0)
            break;
        have += part;
    }
    source->head_bytes = have;
    *data = source->head;
    *got = have;
    return 0;
}

/* Opens a file that has no name, in the first of these directories where that works. */
static int spool_open(struct cli_source *source, struct cli_error *error) {
    const char *directories[] = {getenv("TMPDIR"), "/var/tmp", "/tmp"};
    for (size_t i = 0; i < sizeof directories / sizeof *directories && source->spool < 0; i++) {
        if (!directories[i] || !*directories[i])
            continue;
        source->spool = open(directories[i], O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
        char path[4096];
        int length = snprintf(path, sizeof path, "%s/unihist-XXXXXX", directories[i]);
        if (source->spool >= 0 || length < 0 || (size_t)length >= sizeof path)
            continue;
        source->spool = mkostemp(path, O_CLOEXEC); /* some file systems do not know O_TMPFILE */
        if (source->spool >= 0)
            unlink(path);
    }
    if (source->spool < 0)
        return cli_fail(error, "%s: cannot make a temporary file to keep it in (in $TMPDIR, /var/tmp or /tmp): %s",
                        source->name, strerror(errno));
    return 0;
}

static int spool_write(struct cli_source *source, uint64_t position, const unsigned char *data, size_t bytes,
                       struct cli_error *error) {
    if (source->spool < 0 && spool_open(source, error) != 0)
        return -1;
    while (bytes > 0) {
        ssize_t n = pwrite(source->spool, data, bytes, (off_t)position);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return cli_fail(error, "%s: cannot be kept in a temporary file: %s", source->name, strerror(errno));
        position += (uint64_t)n;
        data += n;
        bytes -= (size_t)n;
    }
    return 0;
}

/* One pread from the file, or from the spool; *got is 0 at the end. */
static int read_at(struct cli_source *source, int fd, uint64_t position, void *data, size_t bytes, size_t *got,
                   struct cli_error *error) {
    ssize_t n;
    do
        n = pread(fd, data, bytes, (off_t)position);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        return cli_fail(error, "%s: cannot be read: %s", source->name, strerror(errno));
    *got = (size_t)n;
    return 0;
}

static int read_seekable(struct cli_source *source, uint64_t position, void *data, size_t bytes, size_t *got,
                         struct cli_error *error) {
    *got = 0;
    if (source->size && position >= source->size)
        return 0;
    if (source->size && bytes > source->size - position)
        bytes = (size_t)(source->size - position);
    if (read_at(source, source->fd, source->base + position, data, bytes, got, error) != 0)
        return -1;
    if (*got == 0 && source->size)
        return cli_fail(error, "%s: was cut short while it was read: expected %" PRIu64 " bytes, found %" PRIu64,
                        source->name, source->size, position);
    return 0;
}

static int read_pipe(struct cli_source *source, uint64_t position, void *data, size_t bytes, size_t *got,
                     struct cli_error *error) {
    if (position < source->head_bytes) {
        size_t at = (size_t)position;
        *got = bytes < source->head_bytes - at ? bytes : source->head_bytes - at;
        memcpy(data, source->head + at, *got);
        return 0;
    }
    uint64_t head = source->head_bytes;
    if (position < source->drawn) {
        if (bytes > source->drawn - position)
            bytes = (size_t)(source->drawn - position);
        return read_at(source, source->spool, position - head, data, bytes, got, error);
    }
    if (pipe_draw(source, data, bytes, got, error) != 0)
        return -1;
    return source->keep && *got ? spool_write(source, position - head, data, *got, error) : 0;
}

int cli_source_read(struct cli_source *source, uint64_t position, void *data, size_t bytes, size_t *got,
                    struct cli_error *error) {
    size_t have = 0;
    while (have < bytes && !atomic_load(&source->interrupted)) {
        size_t part;
        unsigned char *to = (unsigned char *)data + have;
        int rc = source->seekable ? read_seekable(source, position + have, to, bytes - have, &part, error)
                                  : read_pipe(source, position + have, to, bytes - have, &part, error);
        if (rc != 0)
            return -1;
        if (part == 0)
            break;
        have += part;
        atomic_fetch_add_explicit(&source->bytes_read, part, memory_order_relaxed);
    }
    *got = have;
    return 0;
}
