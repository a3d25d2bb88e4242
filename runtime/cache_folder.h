/* SPDX-License-Identifier: Apache-2.0 */
/* The folder of the user's cache: $XDG_CACHE_HOME/unihist, or ~/.cache/unihist. Nothing in it is used that another user
 * could have written: neither a folder nor a file that belongs to somebody else or that others can write to. Also for
 * programs of the tree, which cannot reach the shared library's own. */
#ifndef UHI_CACHE_FOLDER_H
#define UHI_CACHE_FOLDER_H

#include <stddef.h>
#include <sys/stat.h>

enum { UHI_CACHE_PATH = 4096 };

/* Writes the folder's path by the environment; returns 0 where it names none to use, or where the process has another
 * user's rights, which this user's environment must not direct. */
int uhi_cache_folder_path(char path[UHI_CACHE_PATH]);

/* Opens it, making it (and the folder above it) first where `make` is not 0. Returns a descriptor, or -1 with the
 * reason in *why; that is NULL where there is no such folder. */
int uhi_cache_folder_open(const char *path, int make, const char **why);

/* Opens a file of the folder for reading. As above. */
int uhi_cache_file_open(int folder, const char *name, struct stat *info, const char **why);

#endif
