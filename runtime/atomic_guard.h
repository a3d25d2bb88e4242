/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Removes temporary files when a signal (hangup, interrupt, quit, pipe, termination, CPU or file size limit) ends the
 * process. For programs only: a library must not handle its process's signals. Call from one thread at a time.
 */
#ifndef UHI_RUNTIME_ATOMIC_GUARD_H
#define UHI_RUNTIME_ATOMIC_GUARD_H

enum { UHI_GUARDED_FILES = 8 };

/* Guards a path (copied), preferably before the file exists. Returns a number for uhi_guard_remove, or -1 with errno:
 * ENAMETOOLONG, or EMFILE if UHI_GUARDED_FILES are already guarded. */
int uhi_guard_add(const char *path);

/* Stops guarding a path; -1 is allowed. Removing the last one restores the previous signal handlers. */
void uhi_guard_remove(int number);

#endif
