/* SPDX-License-Identifier: Apache-2.0 */
/* What is saved, in files and in memory; and histograms. */
#include <unihist/save.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/histogram.h"
#include "api/sections.h"
#include "runtime/atomic_file.h"
#include "runtime/grow.h"
#include "runtime/status.h"

static uh_status cannot(const char *call, const char *what, const char *path, const char *why) {
    return uhi_fail(UH_ERROR_IO, call, NULL, "cannot %s '%s': %s", what, path, why);
}

/* Converts an error of the atomic file to a status. */
static uh_status fail_output(const char *call, const char *path, const struct uhi_atomic_file *file) {
    if (errno == ENOMEM)
        return uhi_fail_memory(call, "no memory to write '%s'", path);
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

uh_status uhi_saved_make(struct uhi_sections *sections, uhi_saved_exchange *exchange, void *object,
                         unsigned char **bytes) {
    uhi_sections_save(sections, NULL);
    exchange(sections, object);
    if (!bytes)
        return sections->status;
    *bytes = calloc(1, sections->size);
    if (!*bytes)
        return uhi_fail_memory(sections->call, "no memory for %" PRIu64 " bytes to save", sections->size);
    uhi_sections_save(sections, *bytes);
    exchange(sections, object);
    return sections->status;
}

uh_status uhi_saved_to_memory(const char *call, uhi_saved_maker *make, void *object, void *bytes, size_t size,
                              size_t *length) {
    struct uhi_sections sections = {.call = call};
    unsigned char *made = NULL;
    UHI_NEED(call, length, "where to store how many bytes there are");
    uh_status status = make(&sections, object, bytes ? &made : NULL);
    if (!status && bytes && size < sections.size)
        status = uhi_fail_argument(call, "size", "is %zu, expected at least %" PRIu64, size, sections.size);
    if (!status && made)
        memcpy(bytes, made, sections.size);
    if (!status)
        *length = (size_t)sections.size;
    free(made);
    return status;
}

uh_status uhi_saved_to_file(const char *call, uhi_saved_maker *make, void *object, const char *path) {
    struct uhi_sections sections = {.call = call};
    unsigned char *bytes = NULL;
    UHI_NEED(call, path, "the name of a file");
    uh_status status = make(&sections, object, &bytes);
    if (!status)
        status = write_file(call, path, bytes, sections.size);
    free(bytes);
    return status;
}

static uh_status load(struct uhi_sections *sections, uhi_saved_taker *take, void *wish, const void *bytes,
                      size_t size) {
    if (!uhi_sections_load(sections, bytes, size))
        take(sections, wish);
    return sections->status;
}

uh_status uhi_saved_in_memory(const char *call, uhi_saved_taker *take, void *wish, const void *bytes, size_t size) {
    struct uhi_sections sections = {.call = call, .source = "bytes", .quote = ""};
    if (!bytes && size > 0)
        return uhi_fail_null(call, "bytes", "what is saved");
    return load(&sections, take, wish, bytes, size);
}

/* Memory grows with the bytes read: the length in the header may be wrong, and a pipe may end early. */
static uh_status read_all(struct uhi_sections *sections, int fd, unsigned char **bytes, size_t *size) {
    enum { FIRST = 1 << 16 };
    size_t room = 0;
    uint64_t length = 0; /* 0: not known yet */
    ssize_t part = 1;
    while (part != 0 && (length == 0 || *size <= length)) {
        if (*size == room && !uhi_grow(bytes, &room, room ? room + 1 : FIRST, 1))
            return uhi_fail_memory(sections->call, "no memory to read '%s'", sections->source);
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

static uh_status read_file(struct uhi_sections *sections, unsigned char **bytes, size_t *size) {
    const int fd = open(sections->source, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return cannot(sections->call, "read", sections->source, strerror(errno));
    const uh_status status = read_all(sections, fd, bytes, size);
    close(fd);
    return status;
}

uh_status uhi_saved_in_file(const char *call, uhi_saved_taker *take, void *wish, const char *path) {
    struct uhi_sections sections = {.call = call, .source = path, .quote = "'"};
    unsigned char *bytes = NULL;
    size_t size = 0;
    UHI_NEED(call, path, "the name of a file");
    uh_status status = read_file(&sections, &bytes, &size);
    if (!status)
        status = load(&sections, take, wish, bytes, size);
    free(bytes);
    return status;
}

/* ---- histograms ---- */

/* A growing histogram is saved as one over its current integers, with a section that says so. */
static uh_status save(struct uhi_sections *sections, void *object, unsigned char **bytes) {
    uh_histogram *const histogram = object;
    uh_histogram *fixed = NULL;
    if (!histogram)
        return uhi_fail_null(sections->call, "histogram", "a histogram");
    uh_status status = histogram->growing ? uhi_histogram_fix(sections->call, histogram, &fixed) : UH_SUCCESS;
    struct uhi_saved_histogram saved = {fixed ? fixed : histogram, histogram->growing};
    if (!status)
        status = saved.histogram->contents->fetch(sections->call, saved.histogram);
    if (!status)
        status = uhi_saved_make(sections, uhi_save_histogram, &saved, bytes);
    uh_histogram_destroy(fixed);
    return status;
}

uh_status uh_histogram_save_bytes(uh_histogram *histogram, void *bytes, size_t size, size_t *length) {
    return uhi_saved_to_memory(__func__, save, histogram, bytes, size, length);
}

uh_status uh_histogram_save(uh_histogram *histogram, const char *path) {
    return uhi_saved_to_file(__func__, save, histogram, path);
}

uh_status uh_histogram_load_bytes(uh_queue *queue, const void *bytes, size_t size, uh_histogram **histogram) {
    struct uhi_loaded_histogram loaded = {queue, histogram};
    UHI_NEED(__func__, queue, "a queue");
    UHI_NEED(__func__, histogram, "where to store the histogram");
    return uhi_saved_in_memory(__func__, uhi_load_histogram, &loaded, bytes, size);
}

uh_status uh_histogram_load(uh_queue *queue, const char *path, uh_histogram **histogram) {
    struct uhi_loaded_histogram loaded = {queue, histogram};
    UHI_NEED(__func__, queue, "a queue");
    UHI_NEED(__func__, histogram, "where to store the histogram");
    return uhi_saved_in_file(__func__, uhi_load_histogram, &loaded, path);
}
