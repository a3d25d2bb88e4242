/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/cache_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int uhi_cache_folder_path(char path[UHI_CACHE_PATH]) {
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int n = -1;
    if (geteuid() != getuid() || getegid() != getgid())
        n = -1;
    else if (cache && cache[0] == '/') /* XDG specification: relative paths are ignored */
        n = snprintf(path, UHI_CACHE_PATH, "%s/unihist", cache);
    else if (home && home[0] == '/')
        n = snprintf(path, UHI_CACHE_PATH, "%s/.cache/unihist", home);
    if (n > 0 && n < UHI_CACHE_PATH)
        return 1;
    path[0] = '\0';
    return 0;
}

/* Returns whether an open file or folder belongs to this user and no one else can write to it. */
static int is_ours(int fd, struct stat *info) {
    return fstat(fd, info) == 0 && info->st_uid == geteuid() && (info->st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

static void make_folder(const char *path) {
    char parent[UHI_CACHE_PATH];
    if (mkdir(path, 0700) == 0 || errno != ENOENT)
        return;
    snprintf(parent, sizeof parent, "%.*s", (int)(strrchr(path, '/') - path), path);
    if (mkdir(parent, 0700) == 0)
        (void)mkdir(path, 0700);
}

int uhi_cache_folder_open(const char *path, int make, const char **why) {
    struct stat info;
    *why = NULL;
    if (!*path)
        return -1;
    if (make)
        make_folder(path);
    const int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) {
        *why = make || errno != ENOENT ? strerror(errno) : NULL;
        return -1;
    }
    if (is_ours(fd, &info))
        return fd;
    *why = "it belongs to another user, or others can write to it";
    close(fd);
    return -1;
}

/* Opens a file in the folder. Returns as uhi_cache_folder_open. */
static int open_file(int folder, const char *name, struct stat *info, const char **why) {
    const int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0) {
        *why = errno == ENOENT ? NULL : strerror(errno);
        return -1;
    }
    if (is_ours(fd, info) && S_ISREG(info->st_mode))
        return fd;
    *why = "it is no file of this user that nobody else can write to";
    close(fd);
    return -1;
}

void *uhi_cache_file_read(const char *path, const char *name, size_t limit, size_t *size, const char **why) {
    struct stat info;
    char *bytes = NULL;
    const int at = uhi_cache_folder_open(path, 0, why), fd = at < 0 ? -1 : open_file(at, name, &info, why);
    if (at >= 0)
        close(at);
    if (fd < 0)
        return NULL;
    *why = "it is too large";
    *size = (size_t)info.st_size;
    if (*size <= limit) {
        bytes = calloc(1, *size + 1);
        const ssize_t got = bytes ? read(fd, bytes, *size) : -1;
        *why = got < 0 ? strerror(errno) : (size_t)got < *size ? "it changed while being read" : NULL;
    }
    close(fd);
    if (!*why)
        return bytes;
    free(bytes);
    return NULL;
}
