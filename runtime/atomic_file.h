/* SPDX-License-Identifier: Apache-2.0 */
/* Files that appear only when complete. Data goes to a temporary file next to the final one, which is renamed on commit
 * and removed on abort; a FIFO or character device is written in place. Used by the library, the command and the
 * harness. */
#pragma once

#include <stddef.h>

struct uhi_atomic_file {
    char *target;    /* final name */
    char *temporary; /* file being written, in the same directory; NULL: a stream */
    int mode;        /* permissions of the file being replaced, -1 if none exists */
    int fd;          /* open for writing; whoever closes it stores -1 here */
    int lock;        /* keeps the file locked until it has its name or is removed */
    int created;
    int stream;     /* a FIFO or character device */
    char why[1024]; /* reason of a failure, without the requested path */
};

/* Resolves `path` through symbolic links, checks that the file can be created or replaced (it is a regular file, a
 * stream or does not exist; its directory is writable) and names the temporary file. Creates nothing. Returns 0, or -1
 * with `why` and errno (ENOMEM if out of memory). Always call uhi_atomic_abort or _commit afterwards. */
int uhi_atomic_name(struct uhi_atomic_file *file, const char *path);

/* Opens the stream, or creates, locks and opens the temporary file, with the permissions of the file it replaces or
 * those left by the umask. Returns 0, or -1 with `why` and errno. The name is set earlier, so a signal handler can use
 * it. */
int uhi_atomic_create(struct uhi_atomic_file *file);

/* Removes temporary files of this user in the named file's folder whose writer has ended without removing them, as by
 * SIGKILL. A writer holds a lock on its file, which ends with it, in any container; files of other machines are left.
 */
void uhi_atomic_clean(const struct uhi_atomic_file *file);

/* Closes the file, renames it and frees the members of `file`. `sync`: flushes it to disk first, if the file system
 * supports that. Returns 0, or -1 with `why` and errno; the temporary file is then removed and the old file is
 * unchanged. */
int uhi_atomic_commit(struct uhi_atomic_file *file, int sync);

/* Removes the temporary file, if any, and frees the members of `file`; `why` stays. */
void uhi_atomic_abort(struct uhi_atomic_file *file);

/* Writes a whole region, retrying after interruptions. Returns 0, or -1 with errno. */
int uhi_write_all(int fd, const void *bytes, size_t size);
