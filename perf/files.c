/* SPDX-License-Identifier: Apache-2.0 */
#include "perf/files.h"

#include "runtime/atomic_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int cannot_write(const char *path, const char *why, struct perf_error *error) {
    return perf_fail(error, "cannot write %s: %s", path, why);
}

/* A device or a pipe is not replaced. */
static int is_stream(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

int perf_file_check(const char *path, struct perf_error *error) {
    struct uhi_atomic_file file;
    if (is_stream(path))
        return access(path, W_OK) ? cannot_write(path, strerror(errno), error) : PERF_OK;
    /* Whether files can be made is found out by making one: permissions alone do not tell. */
    int failed = uhi_atomic_name(&file, path) || uhi_atomic_create(&file);
    uhi_atomic_abort(&file);
    return failed ? cannot_write(path, file.why, error) : PERF_OK;
}

static int write_stream(const char *path, const void *data, size_t size, struct perf_error *error) {
    int descriptor = open(path, O_WRONLY | O_CLOEXEC);
    int failed = descriptor < 0 || uhi_write_all(descriptor, data, size), number = errno;
    if (descriptor >= 0 && close(descriptor) && !failed) {
        failed = 1;
        number = errno;
    }
    return failed ? cannot_write(path, strerror(number), error) : PERF_OK;
}

int perf_file_write(const char *path, const void *data, size_t size, struct perf_error *error) {
    struct uhi_atomic_file file;
    if (is_stream(path))
        return write_stream(path, data, size, error);
    if (uhi_atomic_name(&file, path) || uhi_atomic_create(&file)) {
        uhi_atomic_abort(&file);
        return cannot_write(path, file.why, error);
    }
    if (uhi_write_all(file.fd, data, size)) {
        int number = errno;
        uhi_atomic_abort(&file);
        return cannot_write(path, strerror(number), error);
    }
    return uhi_atomic_commit(&file, 0) ? cannot_write(path, file.why, error) : PERF_OK;
}
