/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/output/atomic.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "api/cli/group.h"

static int cannot_write(const char *path, const char *why) {
    return path ? cli_fail("cannot write '%s': %s", path, why) : cli_fail("cannot write to standard output: %s", why);
}

int cli_atomic_check(const char *path) {
    struct uhi_atomic_file file;
    int result = uhi_atomic_name(&file, path) ? cannot_write(path, file.why) : 0;
    uhi_atomic_abort(&file);
    return result;
}

/* Names and creates the temporary file; the guard is set before the file exists. */
static int create(struct cli_atomic *atomic) {
    if (uhi_atomic_name(&atomic->whole, atomic->path))
        return cannot_write(atomic->path, atomic->whole.why);
    atomic->guard = uhi_guard_add(atomic->whole.temporary);
    if (atomic->guard < 0 && errno == EMFILE)
        return cli_fail("cannot write '%s': more than %d output files at once", atomic->path, UHI_GUARDED_FILES);
    if (atomic->guard < 0)
        return cannot_write(atomic->path, strerror(errno));
    if (uhi_atomic_create(&atomic->whole) != 0)
        return cannot_write(atomic->path, atomic->whole.why);
    atomic->file = fdopen(atomic->whole.fd, "wb");
    if (!atomic->file)
        return cannot_write(atomic->path, strerror(errno));
    atomic->whole.fd = -1; /* the stream closes it */
    return 0;
}

int cli_atomic_open(struct cli_atomic *atomic, const char *path) {
    *atomic = (struct cli_atomic){.file = stdout, .path = path, .guard = -1};
    if (!path || create(atomic) == 0)
        return 0;
    uhi_atomic_abort(&atomic->whole);
    uhi_guard_remove(atomic->guard);
    atomic->file = NULL;
    return -1;
}

int cli_atomic_open_shared(struct cli_atomic *atomic, const char *path) {
    const int joins = !cli_group_is_first();
    char temporary[PATH_MAX] = "";
    *atomic = (struct cli_atomic){.guard = -1};
    if (!joins && cli_atomic_open(atomic, path))
        return -1;
    if (!joins)
        snprintf(temporary, sizeof temporary, "%s", atomic->whole.temporary);
    if (cli_group_broadcast(0, temporary, sizeof temporary)) {
        cli_atomic_abort(atomic);
        return -1;
    }
    if (joins)
        *atomic = (struct cli_atomic){.file = fopen(temporary, "r+b"), .path = path, .guard = -1, .joined = 1};
    atomic->shared = 1;
    return atomic->file ? 0
                        : cli_fail("cannot write '%s' together: this rank does not see the file of rank 0: %s", path,
                                   strerror(errno));
}

int cli_atomic_fail(const struct cli_atomic *atomic) {
    return cannot_write(atomic->path, errno ? strerror(errno) : "a write failed");
}

int cli_atomic_commit(struct cli_atomic *atomic) {
    int result = 0;
    errno = 0;
    /* After an earlier failure, fflush gives the reason again. */
    if (fflush(atomic->file) | ferror(atomic->file))
        result = cli_atomic_fail(atomic);
    if (atomic->path && fclose(atomic->file) && result == 0)
        result = cli_atomic_fail(atomic);
    if (atomic->shared)
        result = cli_group_agree(result);
    const int owned = atomic->path && !atomic->joined;
    if (result && owned)
        uhi_atomic_abort(&atomic->whole);
    else if (owned && uhi_atomic_commit(&atomic->whole, 0) != 0)
        result = cannot_write(atomic->path, atomic->whole.why);
    uhi_guard_remove(atomic->guard);
    atomic->file = NULL;
    return result;
}

void cli_atomic_abort(struct cli_atomic *atomic) {
    if (!atomic->file)
        return;
    if (atomic->path)
        fclose(atomic->file);
    if (atomic->path && !atomic->joined)
        uhi_atomic_abort(&atomic->whole);
    uhi_guard_remove(atomic->guard);
    atomic->file = NULL;
}

int cli_atomic_write(const char *path, int (*write)(FILE *file, const void *what), const void *what) {
    struct cli_atomic atomic;
    if (cli_atomic_open(&atomic, path))
        return -1;
    if (write(atomic.file, what) == 0 || ferror(atomic.file))
        return cli_atomic_commit(&atomic);
    cli_atomic_abort(&atomic);
    return -1;
}
