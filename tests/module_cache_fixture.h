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

/* Keep, or find, entry number `number`. */
void keep_entry(int number);
enum found find_entry(int number);

/* Prints whether an entry is found, and right. */
void print_found(int number);

/* Copies the soft driver into XDG_CACHE_HOME, for the children of this unit test to load the copy; returns 0 where
 * another driver is used. And has the copy look as if it were an updated one, by its time. */
int copy_driver(void);
void update_driver(void);

/* Gives up root's rights, where this process has them; 0 on success. */
int become_nobody(void);

/* Makes every further write to a file of this process fail. */
void fill_disk(void);
