/* SPDX-License-Identifier: Apache-2.0 */
#define _XOPEN_SOURCE 700 /* nftw */
#include "tests/files.h"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>

char files_directory[256];

int files_setup(void **state) {
    const char *base = getenv("TMPDIR");
    snprintf(files_directory, sizeof files_directory, "%s/unihist-test-XXXXXX", base && *base ? base : "/tmp");
    return mkdtemp(files_directory) && chmod(files_directory, 0755) == 0 ? 0 : -1;
}

static int remove_one(const char *path, const struct stat *info, int type, struct FTW *where) {
    return where->level ? remove(path) : 0;
}

void files_clear(void) { (void)nftw(files_directory, remove_one, 16, FTW_DEPTH | FTW_PHYS); }

int files_teardown(void **state) {
    files_clear();
    return rmdir(files_directory);
}

size_t files_in(const char *folder, char paths[][FILES_PATH], size_t room) {
    size_t count = 0;
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    for (const struct dirent *d = readdir(dir); d; d = readdir(dir))
        if (strcmp(d->d_name, ".") != 0 && strcmp(d->d_name, "..") != 0 && count++ < room)
            snprintf(paths[count - 1], FILES_PATH, "%s/%s", folder, d->d_name);
    closedir(dir);
    return count;
}

const char *files_path(const char *name) {
    static char paths[4][FILES_PATH];
    static int turn;
    char *path = paths[turn++ % 4];
    snprintf(path, FILES_PATH, "%s/%s", files_directory, name);
    return path;
}

unsigned char *files_read(const char *path, size_t *size) {
    struct stat info;
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fstat(fileno(file), &info), 0);
    unsigned char *bytes = test_memory((size_t)info.st_size);
    *size = fread(bytes, 1, (size_t)info.st_size, file);
    assert_int_equal(*size, info.st_size);
    fclose(file);
    return bytes;
}

void files_write(const char *path, const void *bytes, size_t size) {
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(fd >= 0);
    if (size)
        assert_int_equal(write(fd, bytes, size), size);
    close(fd);
}
