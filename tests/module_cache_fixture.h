/* SPDX-License-Identifier: Apache-2.0 */
/* A folder of its own for tests of the cache of built modules, and entries whose contents are known by their number. */
#pragma once

#include "tests/files.h"

enum found { NOT_FOUND, FOUND_RIGHT, FOUND_WRONG };

/* The set-up of a group before files_teardown: XDG_CACHE_HOME is the scratch directory. The library's folder in it. */
int make_cache_folder(void **state);
const char *cache_folder(void);

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

/* Copies the soft driver into XDG_CACHE_HOME, for the children of this unit test to load the copy; returns 0 where
 * another driver is used. And has the copy look as if it were an updated one, by its time. */
int copy_driver(void);
void update_driver(void);

/* Gives up root's rights, where this process has them; 0 on success. */
int become_nobody(void);

/* Makes every further write to a file of this process fail. */
void fill_disk(void);
