/* SPDX-License-Identifier: Apache-2.0 */
#include "api/saved_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/atomic_file.h"
#include "runtime/status.h"

void uhi_saved_kind(struct uhi_sections *sections, const char *kind) {
    char writer[64];
    const char *const writers[] = {writer};
    size_t only = 0;
    snprintf(writer, sizeof writer, "unihist %s", uh_version());
    uhi_sections_choice(sections, "kind", &kind, 1, &only);
    if (!sections->loading)
        uhi_sections_choice(sections, "meta.writer", writers, 1, &only);
}

static uh_status cannot(const char *call, const char *what, const char *path, const char *why) {
    return uhi_fail(UH_ERROR_IO, call, NULL, "cannot %s '%s': %s", what, path, why);
}

/* Converts an error of the atomic file to a status. */
static uh_status fail_output(const char *call, const char *path, const struct uhi_atomic_file *file) {
    if (errno == ENOMEM)
        return uhi_fail_memory(call, "no memory to write '%s'", path);
    return cannot(call, "write", path, file->why);
}

uh_status uhi_saved_write(const char *call, const char *path, const void *bytes, size_t size) {
    struct uhi_atomic_file file;
    uh_status status = UH_SUCCESS;
    if (uhi_atomic_name(&file, path) || uhi_atomic_create(&file))
        status = fail_output(call, path, &file);
    else if (uhi_write_all(file.fd, bytes, size) != 0)
        status = cannot(call, "write", path, strerror(errno));
    if (status)
        uhi_atomic_abort(&file);
    else if (uhi_atomic_commit(&file, 1) != 0)
        status = fail_output(call, path, &file);
    return status;
}

/* Memory grows with the bytes read: the length in the header may be wrong, and a pipe may end early. */
static uh_status read_all(struct uhi_sections *sections, int fd, unsigned char **bytes, size_t *size) {
    enum { FIRST = 1 << 16 };
    size_t room = 0;
    uint64_t length = 0; /* 0: not known yet */
    ssize_t part = 1;
    while (part != 0 && (length == 0 || *size <= length)) {
        if (*size == room) {
            room = room ? 2 * room : FIRST;
            unsigned char *more = realloc(*bytes, room);
            if (!more)
                return uhi_fail_memory(sections->call, "no memory to read '%s'", sections->source);
            *bytes = more;
        }
        part = read(fd, *bytes + *size, room - *size);
        if (part < 0 && errno != EINTR)
            return cannot(sections->call, "read", sections->source, strerror(errno));
        *size += part > 0 ? (size_t)part : 0;
        if (length == 0 && part >= 0 && (part == 0 || *size >= UHI_SECTIONS_HEAD) &&
            uhi_sections_length(sections, *bytes, *size, &length))
            return sections->status;
    }
    return UH_SUCCESS;
}

uh_status uhi_saved_read(struct uhi_sections *sections, unsigned char **bytes, size_t *size) {
    const int fd = open(sections->source, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return cannot(sections->call, "read", sections->source, strerror(errno));
    const uh_status status = read_all(sections, fd, bytes, size);
    close(fd);
    return status;
}
