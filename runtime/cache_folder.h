/* SPDX-License-Identifier: Apache-2.0 */
/* The user's cache folder: $XDG_CACHE_HOME/unihist, or ~/.cache/unihist. Folders and files that belong to another user
 * or that others can write to are not used. Also for programs of the tree, which cannot use the shared library's. */
#pragma once

#include <stddef.h>

enum { UHI_CACHE_PATH = 4096 };

/* Writes the folder's path as set by the environment. Returns 0 if it names none to use, or if the process has another
 * user's rights, which this user's environment must not direct. */
int uhi_cache_folder_path(char path[UHI_CACHE_PATH]);

/* Opens the folder; if `make` is not 0, first creates it (and its parent). Returns a descriptor, or -1 with the reason
 * in *why; NULL there means that the folder does not exist. */
int uhi_cache_folder_open(const char *path, int make, const char **why);

/* Reads a file in the folder, of at most `limit` bytes. Returns the bytes with a NUL after them, which the caller
 * frees, or NULL with the reason in *why; NULL there means that it does not exist. */
void *uhi_cache_file_read(const char *path, const char *name, size_t limit, size_t *size, const char **why);
