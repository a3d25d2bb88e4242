/* SPDX-License-Identifier: Apache-2.0 */
/* Saving and loading histograms, in files and in memory. */
#include <unihist/save.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/histogram.h"
#include "api/sections.h"
#include "runtime/atomic_file.h"
#include "runtime/status.h"

/* ---- saving ---- */

/* Counts the bytes of a histogram, and has them written to memory for the caller to free where `bytes` is not NULL. One
 * that grows is saved as a histogram over the integers that it has, with a section that says so. */
static uh_status save(struct uhi_sections *sections, uh_histogram *histogram, unsigned char **bytes) {
    uh_histogram *fixed = NULL;
    if (!histogram)
        return uhi_fail_null(sections->call, "histogram", "a histogram");
    uh_status status = histogram->growing ? uhi_histogram_fix(sections->call, histogram, &fixed) : UH_SUCCESS;
    uh_histogram *saved = fixed ? fixed : histogram;
    if (!status)
        status = saved->contents->bring(sections->call, saved);
    if (!status) {
        uhi_sections_save(sections, NULL);
        uhi_save_histogram(sections, saved, histogram->growing);
    }
    if (!status && bytes) {
        *bytes = calloc(1, sections->size);
        if (*bytes) {
            uhi_sections_save(sections, *bytes);
            uhi_save_histogram(sections, saved, histogram->growing);
        } else {
            status = uhi_fail(UH_ERROR_OUT_OF_MEMORY, sections->call, NULL, "no memory for %" PRIu64 " bytes to save",
                              sections->size);
        }
    }
    (void)uh_histogram_destroy(fixed);
    return status;
}

uh_status uh_histogram_save_bytes(uh_histogram *histogram, void *bytes, size_t size, size_t *length) {
    struct uhi_sections sections = {.call = __func__};
    unsigned char *made = NULL;
    if (!length)
        return uhi_fail_null(__func__, "length", "where to store how many bytes there are");
    uh_status status = save(&sections, histogram, bytes ? &made : NULL);
    if (!status && bytes && size < sections.size)
        status = uhi_fail(UH_ERROR_INVALID_ARGUMENT, __func__, "size", "is %zu, expected at least %" PRIu64, size,
                          sections.size);
    if (!status && made)
        memcpy(bytes, made, sections.size);
    if (!status)
        *length = (size_t)sections.size;
    free(made);
    return status;
}

static uh_status cannot(const char *call, const char *what, const char *path, const char *why) {
    return uhi_fail(UH_ERROR_IO, call, NULL, "cannot %s '%s': %s", what, path, why);
}

/* What the atomic file says, as a status. */
static uh_status fail_output(const char *call, const char *path, const struct uhi_atomic_file *file) {
    if (errno == ENOMEM)
        return uhi_fail(UH_ERROR_OUT_OF_MEMORY, call, NULL, "no memory to write '%s'", path);
    return cannot(call, "write", path, file->why);
}

static uh_status write_file(const char *call, const char *path, const void *bytes, size_t size) {
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

uh_status uh_histogram_save(uh_histogram *histogram, const char *path) {
    struct uhi_sections sections = {.call = __func__};
    unsigned char *bytes = NULL;
    if (!path)
        return uhi_fail_null(__func__, "path", "the name of a file");
    uh_status status = save(&sections, histogram, &bytes);
    if (!status)
        status = write_file(__func__, path, bytes, sections.size);
    free(bytes);
    return status;
}

/* ---- loading ---- */

static uh_status load(struct uhi_sections *sections, const void *bytes, size_t size, uh_queue *queue,
                      uh_histogram **histogram) {
    if (uhi_sections_load(sections, bytes, size))
        return sections->status;
    uh_histogram *made = uhi_load_histogram(sections, queue);
    if (made)
        *histogram = made;
    return sections->status;
}

static uh_status check(const char *call, const uh_queue *queue, const void *histogram) {
    if (!queue)
        return uhi_fail_null(call, "queue", "a queue");
    return histogram ? UH_SUCCESS : uhi_fail_null(call, "histogram", "where to store the histogram");
}

uh_status uh_histogram_load_bytes(uh_queue *queue, const void *bytes, size_t size, uh_histogram **histogram) {
    struct uhi_sections sections = {.call = __func__, .source = "bytes", .quote = ""};
    uh_status status = check(__func__, queue, histogram);
    if (!status && !bytes && size > 0)
        status = uhi_fail_null(__func__, "bytes", "a saved histogram");
    return status ? status : load(&sections, bytes, size, queue, histogram);
}

/* Reads a file, for the caller to free, as far as its head says and a little more where there is more. Memory is taken
 * as its bytes come: what the head says may be wrong, and a pipe may end early. */
static uh_status read_file(struct uhi_sections *sections, int fd, unsigned char **bytes, size_t *size) {
    enum { FIRST = 1 << 16 };
    size_t room = 0;
    uint64_t length = 0; /* not known yet */
    ssize_t part = 1;
    while (part != 0 && (length == 0 || *size <= length)) {
        if (*size == room) {
            room = room ? 2 * room : FIRST;
            unsigned char *more = realloc(*bytes, room);
            if (!more)
                return uhi_fail(UH_ERROR_OUT_OF_MEMORY, sections->call, NULL, "no memory to read '%s'",
                                sections->source);
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

uh_status uh_histogram_load(uh_queue *queue, const char *path, uh_histogram **histogram) {
    struct uhi_sections sections = {.call = __func__, .source = path, .quote = "'"};
    unsigned char *bytes = NULL;
    size_t size = 0;
    uh_status status = check(__func__, queue, histogram);
    if (status)
        return status;
    if (!path)
        return uhi_fail_null(__func__, "path", "the name of a file");
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return cannot(__func__, "read", path, strerror(errno));
    status = read_file(&sections, fd, &bytes, &size);
    close(fd);
    if (!status)
        status = load(&sections, bytes, size, queue, histogram);
    free(bytes);
    return status;
}
