/* SPDX-License-Identifier: Apache-2.0 */
/* A folder of its own for tests of the cache of built modules, and entries whose contents are known by their number. */
#ifndef TEST_MODULE_CACHE_FIXTURE_H
#define TEST_MODULE_CACHE_FIXTURE_H

#include <stddef.h>

enum found { NOT_FOUND, FOUND_RIGHT, FOUND_WRONG };

/* cmocka's set-up and tear-down of a group: between them XDG_CACHE_HOME is a folder below $TMPDIR. */
int make_cache_folder(void **state);
int remove_cache_folder(void **state);

/* XDG_CACHE_HOME itself, and the library's folder in it. */
const char *cache_root(void);
const char *cache_folder(void);

/* Removes all that is in XDG_CACHE_HOME. */
void clear_folder(void);

/* The number of files in the library's folder, and the paths of the first ones. */
size_t list_files(char paths[][1024], size_t room);
size_t count_files(void);

/* The path of an entry's file, until the next call. */
const char *file_of(int number);

/* Keeps or finds entry number `number`: in files alone, or as the library does. `place` may be NULL. */
void keep_on_disk(int number);
enum found find_on_disk(int number);
void keep_anywhere(int number);
enum found find_anywhere(int number, const char **place);

/* Prints where an entry is found, and whether it is right. */
void print_found(int number);

/* Keeps 70 entries of 1 MiB and prints which are found then; returns 0. */
int fill_memory(void);

/* Reads a whole file, whose bytes go with the unit test, and writes one. */
unsigned char *read_file(const char *path, size_t *size);
void write_file(const char *path, const void *bytes, size_t size);

/* Copies the soft driver into XDG_CACHE_HOME, for the children of this unit test to load the copy; returns 0 where
 * another driver is used. And has the copy look as if it were an updated one, by its time. */
int copy_driver(void);
void update_driver(void);

/* Gives up root's rights, where this process has them; 0 on success. */
int become_nobody(void);

/* Makes every further write to a file of this process fail. */
void fill_disk(void);

#endif
