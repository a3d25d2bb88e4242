/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* F_DUPFD_CLOEXEC */
#include "api/cli/output/atomic.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api/cli/group.h"
#include "api/cli/interrupt.h"

static int standard_output = STDOUT_FILENO; /* its descriptor for results */

static int cannot_write(const char *path, const char *why) {
    return cli_atomic_is_standard_output(path) ? cli_fail("cannot write to standard output: %s", why)
                                               : cli_fail("cannot write '%s': %s", path, why);
}

/* Returns the descriptor that a path names, or -1. Opened by its path, its file would be written from the start. */
static int named_descriptor(const char *path) {
    static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"}; /* as shells name process substitutions */
    const char *number = strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0 ? "1"
                         : strcmp(path, "/dev/stderr") == 0                         ? "2"
                                                                                    : "";
    for (size_t i = 0; i < 2; i++)
        if (strncmp(path, folders[i], strlen(folders[i])) == 0)
            number = path + strlen(folders[i]);
    if (!*number || strspn(number, "0123456789") != strlen(number) || strlen(number) > 6)
        return -1;
    const int descriptor = (int)strtol(number, NULL, 10);
    return descriptor == STDOUT_FILENO ? standard_output : descriptor;
}

int cli_atomic_is_standard_output(const char *path) { return named_descriptor(path) == standard_output; }

int cli_atomic_is_stream(const char *path) {
    struct stat info;
    return named_descriptor(path) >= 0 || (stat(path, &info) == 0 && (S_ISFIFO(info.st_mode) || S_ISCHR(info.st_mode)));
}

int cli_atomic_take_standard_output(void) {
    const int taken = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (taken < 0)
        return cannot_write("-", strerror(errno));
    if (dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
        (void)dup2(open("/dev/null", O_WRONLY | O_CLOEXEC), STDOUT_FILENO);
    standard_output = taken;
    return 0;
}

int cli_atomic_standard_output_is_taken(void) { return standard_output != STDOUT_FILENO; }

const char *cli_atomic_name(const char *path, char name[32]) {
    snprintf(name, 32, "/dev/fd/%d", named_descriptor(path));
    return named_descriptor(path) < 0 ? path : name;
}

/* Returns whether a path is a terminal. A FIFO is not opened: its reader would see that it is closed again. */
static int is_terminal(const char *path) {
    struct stat info;
    const int named = named_descriptor(path);
    if (named >= 0)
        return isatty(named);
    const int fd = stat(path, &info) == 0 && S_ISCHR(info.st_mode) ? open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY) : -1;
    const int terminal = fd >= 0 && isatty(fd);
    if (fd >= 0)
        close(fd);
    return terminal;
}

int cli_atomic_check(const char *path, int binary) {
    struct uhi_atomic_file file;
    const int named = named_descriptor(path), flags = named < 0 ? O_WRONLY : fcntl(named, F_GETFL);
    if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY)
        return cannot_write(path, "it is not open for writing");
    if (binary && is_terminal(path))
        return cannot_write(path, "a terminal does not show a binary format; give a file or a pipe");
    if (named >= 0)
        return 0;
    int result = uhi_atomic_name(&file, path) ? cannot_write(path, file.why) : 0;
    uhi_atomic_abort(&file);
    return result;
}

static int create(struct cli_atomic *atomic) {
    if (uhi_atomic_name(&atomic->whole, atomic->path))
        return cannot_write(atomic->path, atomic->whole.why);
    uhi_atomic_clean(&atomic->whole);
    if (!atomic->whole.stream && (atomic->guard = cli_interrupt_remove(atomic->whole.temporary)) < 0)
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
    const int named = named_descriptor(path);
    *atomic = (struct cli_atomic){.path = path, .guard = -1, .owned = named < 0};
    if (named >= 0) {
        const int fd = fcntl(named, F_DUPFD_CLOEXEC, 0);
        atomic->file = fd < 0 ? NULL : fdopen(fd, "wb");
        return atomic->file ? 0 : cannot_write(path, strerror(errno));
    }
    if (create(atomic) == 0)
        return 0;
    uhi_atomic_abort(&atomic->whole);
    cli_interrupt_keep(atomic->guard);
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
        *atomic = (struct cli_atomic){.file = fopen(temporary, "r+b"), .path = path, .guard = -1};
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
    if (fclose(atomic->file) && result == 0)
        result = cli_atomic_fail(atomic);
    if (atomic->shared)
        result = cli_group_agree(result);
    if (result && atomic->owned)
        uhi_atomic_abort(&atomic->whole);
    else if (atomic->owned && uhi_atomic_commit(&atomic->whole, 0) != 0)
        result = cannot_write(atomic->path, atomic->whole.why);
    cli_interrupt_keep(atomic->guard);
    atomic->file = NULL;
    return result;
}

void cli_atomic_abort(struct cli_atomic *atomic) {
    if (!atomic->file)
        return;
    fclose(atomic->file);
    if (atomic->owned)
        uhi_atomic_abort(&atomic->whole);
    cli_interrupt_keep(atomic->guard);
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
