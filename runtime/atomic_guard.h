/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Temporary files that go when a signal (hangup, interrupt, quit, pipe, termination, CPU or file size limit) ends the
 * process. For programs alone: a library has no business with its process's signals. Called by one thread at a time.
 */
#ifndef UHI_RUNTIME_ATOMIC_GUARD_H
#define UHI_RUNTIME_ATOMIC_GUARD_H

enum { UHI_GUARDED_FILES = 8 };

/* Guards a path, which is copied, best before the file exists. Returns a number for uhi_guard_remove, or -1 with errno:
 * ENAMETOOLONG, or EMFILE where UHI_GUARDED_FILES are guarded already. */
int uhi_guard_add(const char *path);

/* Guards it no longer; -1 is allowed. With the last one the signals are handled as before. */
void uhi_guard_remove(int number);

#endif
