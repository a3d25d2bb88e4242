/* SPDX-License-Identifier: Apache-2.0 */
/* Saved histograms in files and in memory. */
#include "api/save.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/atomic_file.h"
#include "runtime/status.h"

/* ---- memory ---- */

static uh_status append(void *context, const void *bytes, size_t size) {
    char **next = context;
    memcpy(*next, bytes, size);
    *next += size;
    return UH_SUCCESS;
}

uh_status uhi_save_memory(const char *call, const struct uhi_sections *sections, void *bytes, size_t size,
                          size_t *length) {
    uint64_t whole = uhi_sections_bytes(sections);
    char *next = bytes;
    if (bytes && size < whole)
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, call, "size", "is %zu, expected at least %" PRIu64, size, whole);
    uh_status status = bytes ? uhi_sections_write(call, sections, append, &next) : UH_SUCCESS;
    if (!status && length)
        *length = (size_t)whole;
    return status;
}

/* ---- writing a file ---- */

static uh_status cannot(const char *call, const char *what, const char *path, const char *why) {
    return uhi_fail(UH_ERROR_IO, call, NULL, "cannot %s '%s': %s", what, path, why);
}

/* The file that is written. */
struct output {
    const char *call, *path;
    struct uhi_atomic_file file;
    size_t held;
    unsigned char block[1 << 16];
};

/* What the atomic file says, as a status. */
static uh_status fail_output(const struct output *output) {
    if (errno == ENOMEM)
        return uhi_fail(UH_ERROR_OUT_OF_MEMORY, output->call, NULL, "no memory to write '%s'", output->path);
    return cannot(output->call, "write", output->path, output->file.why);
}

static uh_status flush(struct output *output) {
    size_t held = output->held;
    output->held = 0;
    if (uhi_write_all(output->file.fd, output->block, held) != 0)
        return cannot(output->call, "write", output->path, strerror(errno));
    return UH_SUCCESS;
}

static uh_status write_piece(void *context, const void *bytes, size_t size) {
    struct output *output = context;
    const char *next = bytes;
    uh_status status = UH_SUCCESS;
    while (size > 0 && !status) {
        size_t room = sizeof output->block - output->held, part = size < room ? size : room;
        memcpy(output->block + output->held, next, part);
        output->held += part;
        next += part;
        size -= part;
        if (output->held == sizeof output->block)
            status = flush(output);
    }
    return status;
}

uh_status uhi_save_file(const char *call, const struct uhi_sections *sections, const char *path) {
    struct output *output = malloc(sizeof *output);
    if (!output)
        return uhi_fail(UH_ERROR_OUT_OF_MEMORY, call, NULL, "no memory to write '%s'", path);
    output->call = call;
    output->path = path;
    output->held = 0;
    uh_status status = UH_SUCCESS;
    if (uhi_atomic_name(&output->file, path) || uhi_atomic_create(&output->file))
        status = fail_output(output);
    if (!status)
        status = uhi_sections_write(call, sections, write_piece, output);
    if (!status)
        status = flush(output);
    if (status)
        uhi_atomic_abort(&output->file);
    else if (uhi_atomic_commit(&output->file, 1) != 0)
        status = fail_output(output);
    free(output);
    return status;
}

/* ---- reading a file ---- */

/* The bytes of a file. */
struct input {
    unsigned char *bytes;
    size_t size;
};

/* Reads up to `size` bytes; fewer only at the end. Returns how many, or -1. */
static ssize_t read_up_to(int fd, unsigned char *bytes, size_t size) {
    size_t got = 0;
    while (got < size) {
        size_t max = size - got < SSIZE_MAX ? size - got : SSIZE_MAX;
        ssize_t part = read(fd, bytes + got, max);
        if (part < 0 && errno == EINTR)
            continue;
        if (part < 0)
            return -1;
        if (part == 0)
            break;
        got += (size_t)part;
    }
    return (ssize_t)got;
}

/* Reads what comes behind the first `got` bytes, `length` in all and one more where there is one. What is not a file
 * with a length (a pipe) may end early, so memory is taken as its bytes come. */
static uh_status read_rest(const struct uhi_source *source, int fd, int whole, uint64_t length, size_t got,
                           struct input *file) {
    enum { FIRST = 1 << 16 };
    size_t room = whole || length < FIRST ? (size_t)length + 1 : FIRST;
    while (got <= length) {
        unsigned char *more = realloc(file->bytes, room);
        if (!more)
            return uhi_fail(UH_ERROR_OUT_OF_MEMORY, source->call, NULL, "no memory for the %" PRIu64 " bytes of %s",
                            length, source->name);
        file->bytes = more;
        ssize_t part = read_up_to(fd, more + got, room - got);
        if (part < 0)
            return uhi_fail(UH_ERROR_IO, source->call, NULL, "cannot read %s: %s", source->name, strerror(errno));
        file->size = got += (size_t)part;
        if (got < room)
            break;
        room = length / 2 < room ? (size_t)length + 1 : 2 * room;
    }
    return UH_SUCCESS;
}

static uh_status read_open(const struct uhi_source *source, int fd, struct input *file) {
    struct stat info;
    uint64_t length;
    file->bytes = malloc(UHI_SECTIONS_HEAD);
    if (!file->bytes)
        return uhi_fail(UH_ERROR_OUT_OF_MEMORY, source->call, NULL, "no memory to read %s", source->name);
    ssize_t got = fstat(fd, &info) == 0 ? read_up_to(fd, file->bytes, UHI_SECTIONS_HEAD) : -1;
    if (got < 0)
        return uhi_fail(UH_ERROR_IO, source->call, NULL, "cannot read %s: %s", source->name, strerror(errno));
    uh_status status = uhi_sections_head(source, file->bytes, (size_t)got, &length);
    if (status)
        return status;
    int whole = S_ISREG(info.st_mode);
    if (whole && (uint64_t)info.st_size != length)
        return uhi_source_fail(source, "%s: %" PRIu64 " bytes, expected %" PRIu64,
                               (uint64_t)info.st_size < length ? "it is truncated" : "it has more behind its end",
                               (uint64_t)info.st_size, length);
    if (length >= SIZE_MAX)
        return uhi_source_fail(source, "it is damaged: it says that it has %" PRIu64 " bytes", length);
    return read_rest(source, fd, whole, length, (size_t)got, file);
}

/* ---- using what was saved ---- */

static uh_status use_bytes(const struct uhi_source *source, const void *bytes, size_t size, uhi_saved_use use,
                           void *context) {
    struct uhi_sections sections;
    uh_status status = uhi_sections_parse(source, bytes, size, &sections);
    return status ? status : use(source, &sections, context);
}

uh_status uhi_saved_use_bytes(const char *call, const void *bytes, size_t size, uhi_saved_use use, void *context) {
    const struct uhi_source source = {call, "bytes"};
    if (!bytes && size > 0)
        return uhi_fail_null(call, "bytes", "a saved histogram");
    return use_bytes(&source, bytes, size, use, context);
}

uh_status uhi_saved_use_file(const char *call, const char *path, uhi_saved_use use, void *context) {
    struct input file = {.bytes = NULL};
    if (!path)
        return uhi_fail_null(call, "path", "the name of a file");
    const size_t size = strlen(path) + 3;
    char *name = malloc(size);
    if (!name)
        return uhi_fail(UH_ERROR_OUT_OF_MEMORY, call, NULL, "no memory for the name '%s'", path);
    snprintf(name, size, "'%s'", path);
    const struct uhi_source source = {call, name};
    uh_status status = UH_SUCCESS;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        status = cannot(call, "read", path, strerror(errno));
    } else {
        status = read_open(&source, fd, &file);
        close(fd);
    }
    if (!status)
        status = use_bytes(&source, file.bytes, file.size, use, context);
    free(file.bytes);
    free(name);
    return status;
}
