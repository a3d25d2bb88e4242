/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files that appear only when they are whole. What is written goes to a temporary file beside the final one, which
 * takes the final name on commit and is removed on abort. For the library, the command and the harness; the last two
 * also have the temporary file removed when a signal ends the process (runtime/atomic_guard.h).
 */
#ifndef UHI_RUNTIME_ATOMIC_FILE_H
#define UHI_RUNTIME_ATOMIC_FILE_H

#include <stddef.h>

struct uhi_atomic_file {
    char *target;    /* what the file will be called */
    char *temporary; /* what is written, in the same directory */
    int mode;        /* the permissions of the file that is replaced, -1 where there is none */
    int fd;          /* open for writing; whoever closes it stores -1 here */
    int created;
    char why[1024]; /* after a failure: what went wrong, without the path that was asked for */
};

/*
 * Finds the file that `path` stands for, past symbolic links, checks that it can be made or replaced (it is no other
 * than a regular file, its directory is writable) and names the temporary file. Creates nothing. Returns 0, or -1 with
 * `why` and errno, ENOMEM where memory was short. Call uhi_atomic_abort or _commit in the end either way.
 */
int uhi_atomic_name(struct uhi_atomic_file *file, const char *path);

/*
 * Creates the temporary file and opens it, with the permissions of the file that it replaces or those that the mask
 * leaves. Returns 0, or -1 with `why` and errno. The name is known before, so that a signal handler can have it.
 */
int uhi_atomic_create(struct uhi_atomic_file *file);

/*
 * Closes the file, gives it its name and frees what `file` has. `sync`: brings it to the disk first, where the file
 * system can do so when asked. Returns 0, or -1 with `why` and errno; then the temporary file is gone and what was
 * there before is untouched.
 */
int uhi_atomic_commit(struct uhi_atomic_file *file, int sync);

/* Removes the temporary file, if there is one, and frees what `file` has; `why` stays. */
void uhi_atomic_abort(struct uhi_atomic_file *file);

/* Writes all of a region, past interruptions. Returns 0, or -1 with errno. */
int uhi_write_all(int fd, const void *bytes, size_t size);

#endif
