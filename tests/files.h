/* SPDX-License-Identifier: Apache-2.0 */
/* A scratch directory for one test program, and whole files as strings. */
#ifndef TEST_FILES_H
#define TEST_FILES_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support.h"

static char files_directory[] = "/tmp/unihist-test-XXXXXX";

static inline int files_setup(void **state) {
    (void)state;
    return mkdtemp(files_directory) && chmod(files_directory, 0755) == 0 ? 0 : -1;
}

/* Returns how many files lie in the scratch directory, and removes them where asked. */
static inline int files_count(int remove_them) {
    int count = 0;
    DIR *directory = opendir(files_directory);
    if (!directory)
        return -1;
    for (struct dirent *entry; (entry = readdir(directory));)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            count++;
            if (remove_them)
                unlinkat(dirfd(directory), entry->d_name, 0);
        }
    closedir(directory);
    return count;
}

static inline int files_teardown(void **state) {
    (void)state;
    files_count(1);
    return rmdir(files_directory);
}

/* Returns the path of a file in the scratch directory; valid until the fourth call after. */
static inline const char *files_path(const char *name) {
    static char paths[4][256];
    static int turn;
    char *path = paths[turn++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", files_directory, name);
    return path;
}

/* Returns a file's content with a zero after it; the caller frees it. */
static inline char *files_read(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    long length = ftell(file);
    assert_true(length >= 0);
    rewind(file);
    char *content = malloc((size_t)length + 1);
    assert_non_null(content);
    assert_int_equal(fread(content, 1, (size_t)length, file), (size_t)length);
    content[length] = 0;
    fclose(file);
    if (size)
        *size = (size_t)length;
    return content;
}

/* Writes a file into the scratch directory; returns its path as files_path. */
static inline const char *files_write(const char *name, const void *data, size_t bytes) {
    const char *path = files_path(name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, bytes, file), bytes);
    assert_int_equal(fclose(file), 0);
    return path;
}

#endif
