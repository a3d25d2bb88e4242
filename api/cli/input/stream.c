/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* pipe2, F_SETPIPE_SZ */
#include "api/cli/input/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api/cli/group.h"

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

static int filter_join(struct cli_filter *filter) {
    if (!filter->is_joined)
        pthread_join(filter->thread, NULL);
    filter->is_joined = 1;
    return filter->status;
}

/* Does one read of the available data, at `position` of a file or next of a pipe; *got is 0 at the end. */
static int draw(struct cli_stream *stream, uint64_t position, void *data, size_t bytes, size_t *got) {
    if (stream->size && bytes > stream->size - position)
        bytes = (size_t)(stream->size - position);
    ssize_t n;
    if (stream->left_at >= 0) {
        struct pollfd ends[] = {{.fd = stream->fd, .events = POLLIN}, {.fd = stream->left_at}};
        while (!stream->seekable && poll(ends, 2, -1) < 0 && errno == EINTR)
            ;
        if (ends[1].revents) {
            *got = 0;
            return 0;
        }
    }
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
    if (n == 0 && bytes > 0 && stream->filter && filter_join(stream->filter))
        return cli_fail("%s", stream->filter->error.text);
    *got = (size_t)n;
    if (!stream->seekable)
        stream->drawn += *got;
    return 0;
}

int cli_stream_open(struct cli_stream *stream, const char *path) {
    const int is_stdin = strcmp(path, "-") == 0;
    *stream = (struct cli_stream){.fd = -1, .left_at = -1};
    stream->name = cli_have(strdup(is_stdin ? "standard input" : path));
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
    if (stream->filter) { /* the pipe is closed, which ends it */
        filter_join(stream->filter);
        cli_stream_close(&stream->filter->from);
        free(stream->filter);
    }
    free(stream->head);
    free(stream->name);
}

int cli_stream_peek(struct cli_stream *stream, size_t bytes, const unsigned char **data, size_t *got) {
    if (!stream->head)
        stream->head = cli_have(malloc(CLI_STREAM_HEAD + 1));
    for (size_t part = 1; stream->head_bytes < bytes && part > 0; stream->head_bytes += part)
        if (draw(stream, stream->head_bytes, stream->head + stream->head_bytes, CLI_STREAM_HEAD - stream->head_bytes,
                 &part))
            return -1;
    stream->head[stream->head_bytes] = '\0'; /* text is followed by no part of a number */
    *data = stream->head;
    *got = stream->head_bytes;
    return 0;
}

/* Reads some bytes of a pipe: from its head, or new ones; *got is 0 at the end. */
static int read_pipe(struct cli_stream *stream, uint64_t position, void *data, size_t bytes, size_t *got) {
    const uint64_t head = stream->head_bytes;
    if (position >= head)
        return draw(stream, position, data, bytes, got);
    *got = bytes < head - position ? bytes : (size_t)(head - position);
    memcpy(data, stream->head + position, *got);
    return 0;
}

int cli_stream_read(struct cli_stream *stream, uint64_t position, void *data, size_t wanted, size_t bytes,
                    size_t *got) {
    char skipped[1 << 14];
    size_t part = 1;
    *got = 0;
    while (!stream->seekable && position > stream->drawn && part > 0) {
        const uint64_t left = position - stream->drawn;
        if (read_pipe(stream, stream->drawn, skipped, left < sizeof skipped ? (size_t)left : sizeof skipped, &part))
            return -1;
    }
    while (*got < wanted && part > 0) {
        unsigned char *to = (unsigned char *)data + *got;
        if ((stream->seekable ? draw : read_pipe)(stream, position + *got, to, bytes - *got, &part))
            return -1;
        *got += part;
    }
    return 0;
}

static void *run_filter(void *argument) {
    struct cli_filter *filter = argument;
    filter->status = filter->decode(filter);
    filter->error = cli_error;
    close(filter->to);
    return NULL;
}

/* Signals are for the main thread; without a reader, a write fails with EPIPE. */
static int start_thread(struct cli_filter *filter) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int status = pthread_create(&filter->thread, NULL, run_filter, filter);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return status;
}

int cli_stream_filter(struct cli_stream *stream, int (*decode)(struct cli_filter *filter), const char *argument) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return fail_read(stream, "cannot be decoded");
    struct cli_filter *filter = cli_have(malloc(sizeof *filter));
    char *name = cli_have(strdup(stream->name));
    (void)fcntl(ends[1], F_SETPIPE_SZ, 1 << 20); /* fewer changes of thread; the limit of a user may be lower */
    *filter = (struct cli_filter){.from = *stream, .argument = argument, .decode = decode, .to = ends[1]};
    *stream = (struct cli_stream){
        .name = name, .is_file = filter->from.is_file, .fd = ends[0], .left_at = -1, .filter = filter};
    filter->from.left_at = ends[1];
    if (!start_thread(filter))
        return 0;
    close(ends[1]);
    filter->is_joined = 1;
    return cli_fail("%s: cannot be decoded: no thread can be started", name);
}

int cli_filter_write(struct cli_filter *filter, const void *data, size_t bytes) {
    for (const char *at = data; bytes > 0;) {
        const ssize_t n = write(filter->to, at, bytes);
        if (n < 0 && errno != EINTR)
            return cli_fail("%s: cannot be decoded: %s", filter->from.name, strerror(errno));
        at += n > 0 ? n : 0;
        bytes -= n > 0 ? (size_t)n : 0;
    }
    return 0;
}
