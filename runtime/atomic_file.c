/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* flock, realpath */
#include "runtime/atomic_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

/* Stores `why`, or errno's text if NULL, and returns -1; sets errno to `number`. */
static int fail_file(struct uhi_atomic_file *file, int number, const char *why) {
    snprintf(file->why, sizeof file->why, "%s", why ? why : strerror(number));
    errno = number;
    return -1;
}

/* Returns the length of a path's directory part with its slash; 0 for a bare name. */
static size_t directory_length(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

/* Checks that files can be created in a directory. */
static int check_directory(struct uhi_atomic_file *file, const char *name) {
    struct stat info;
    int number = 0;
    if (stat(name, &info) == 0 && !S_ISDIR(info.st_mode))
        number = ENOTDIR;
    else if (access(name, W_OK | X_OK) != 0)
        number = errno;
    if (number)
        snprintf(file->why, sizeof file->why, "directory '%s': %s", name, strerror(number));
    errno = number;
    return number ? -1 : 0;
}

static int find_target(struct uhi_atomic_file *file, const char *path) {
    struct stat info;
    size_t length = strlen(path);
    if (length == 0 || path[length - 1] == '/')
        return fail_file(file, EISDIR, "expected the name of a file");
    if (stat(path, &info) == 0) {
        if (S_ISDIR(info.st_mode))
            return fail_file(file, EISDIR, "it is a directory");
        file->stream = S_ISFIFO(info.st_mode) || S_ISCHR(info.st_mode);
        if (!S_ISREG(info.st_mode) && !file->stream)
            return fail_file(file, EINVAL, "it is neither a regular file nor a pipe or character device");
        if (access(path, W_OK) != 0)
            return fail_file(file, errno, NULL);
        file->mode = (int)(info.st_mode & 0777);
    } else if (errno != ENOENT) {
        return fail_file(file, errno, NULL);
    } else if (lstat(path, &info) == 0) {
        return fail_file(file, ENOENT, "it is a link to a file that does not exist");
    }
    errno = ENOMEM;
    file->target = file->mode >= 0 && !file->stream ? realpath(path, NULL) : strdup(path);
    return file->target ? 0 : fail_file(file, errno, NULL);
}

/* Writes how names of temporary files begin: with the part of the kernel's number for this boot, by which processes of
 * other machines, whose locks may not be seen here, have other names. Returns 0 if it is unknown. */
static int begin_of_names(char begin[32]) {
    char boot[9] = "";
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
    const int known = file && fscanf(file, "%8[0-9a-f]", boot) == 1;
    if (file)
        fclose(file);
    snprintf(begin, 32, ".unihist-%s-", known ? boot : "x");
    return known;
}

/* 64 random bits make the name unique, so its creator may safely remove the file. */
static int name_temporary(struct uhi_atomic_file *file) {
    uint64_t random = 0;
    size_t length = directory_length(file->target), size = length + 64;
    char *name = malloc(size), begin[32];
    if (!name)
        return fail_file(file, ENOMEM, NULL);
    file->temporary = name;
    memcpy(name, file->target, length);
    name[length] = '\0';
    if (check_directory(file, length ? name : ".") != 0)
        return -1;
    if (getrandom(&random, sizeof random, 0) != (ssize_t)sizeof random)
        return fail_file(file, errno, NULL);
    begin_of_names(begin);
    snprintf(name + length, size - length, "%s%016llx.tmp", begin, (unsigned long long)random);
    return 0;
}

int uhi_atomic_name(struct uhi_atomic_file *file, const char *path) {
    *file = (struct uhi_atomic_file){.mode = -1, .fd = -1, .lock = -1};
    return find_target(file, path) || (!file->stream && name_temporary(file)) ? -1 : 0;
}

static int close_file(struct uhi_atomic_file *file) {
    int fd = file->fd;
    file->fd = -1;
    return fd >= 0 ? close(fd) : 0;
}

/* Removes a temporary file that nobody has locked: its writer is gone. */
static void remove_abandoned(int folder, const char *name) {
    struct stat info;
    const int fd = openat(folder, name, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return;
    if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_uid == geteuid() && flock(fd, LOCK_EX | LOCK_NB) == 0)
        (void)unlinkat(folder, name, 0);
    close(fd);
}

void uhi_atomic_clean(const struct uhi_atomic_file *file) {
    const size_t length = directory_length(file->target);
    char begin[32], *name = file->stream ? NULL : strndup(file->target, length);
    DIR *folder = name && begin_of_names(begin) ? opendir(length ? name : ".") : NULL;
    for (const struct dirent *entry; folder && (entry = readdir(folder));)
        if (strncmp(entry->d_name, begin, strlen(begin)) == 0)
            remove_abandoned(dirfd(folder), entry->d_name);
    if (folder)
        closedir(folder);
    free(name);
}

int uhi_atomic_create(struct uhi_atomic_file *file) {
    struct stat info = {.st_nlink = 0};
    const int as_new = file->stream ? O_NOCTTY : O_CREAT | O_EXCL;
    /* Again if another process found it before it was locked, and removed it. */
    while (info.st_nlink == 0) {
        (void)close_file(file);
        file->fd = open(file->stream ? file->target : file->temporary, O_WRONLY | O_CLOEXEC | as_new, 0666);
        if (file->fd < 0)
            return fail_file(file, errno, NULL);
        if (file->stream)
            return 0;
        (void)flock(file->fd, LOCK_EX); /* without locks no file counts as abandoned */
        if (fstat(file->fd, &info) != 0)
            break;
    }
    file->created = 1;
    file->lock = fcntl(file->fd, F_DUPFD_CLOEXEC, 0);
    /* If permissions cannot be kept (some network file systems), the file can still be written. */
    if (file->mode >= 0)
        (void)fchmod(file->fd, (mode_t)file->mode);
    return 0;
}

int uhi_write_all(int fd, const void *bytes, size_t size) {
    const unsigned char *next = bytes;
    while (size > 0) {
        ssize_t written = write(fd, next, size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0) {
            errno = written < 0 ? errno : EIO;
            return -1;
        }
        next += written;
        size -= (size_t)written;
    }
    return 0;
}

int uhi_atomic_commit(struct uhi_atomic_file *file, int sync) {
    /* EINVAL: the file system does not support syncing on request. */
    int bad = sync && file->fd >= 0 && fsync(file->fd) != 0 && errno != EINVAL, number = errno;
    if (close_file(file) != 0 && !bad) {
        bad = 1;
        number = errno;
    }
    if (!bad && !file->stream && rename(file->temporary, file->target) != 0) {
        bad = 1;
        number = errno;
    }
    file->created = file->created && bad;
    uhi_atomic_abort(file);
    return bad ? fail_file(file, number, NULL) : 0;
}

void uhi_atomic_abort(struct uhi_atomic_file *file) {
    (void)close_file(file);
    if (file->created)
        (void)unlink(file->temporary);
    if (file->lock >= 0)
        (void)close(file->lock);
    file->lock = -1;
    free(file->temporary);
    free(file->target);
    file->created = 0;
    file->temporary = file->target = NULL;
}
