/* SPDX-License-Identifier: Apache-2.0 */
/* A folder of its own for tests that use the cache of built modules, and another compiler. */
#pragma once

#include "tests/files.h"

/* The set-up of a group before files_teardown: XDG_CACHE_HOME is the scratch directory. The library's folder in it. */
int make_cache_folder(void **state);
const char *cache_folder(void);

/* Copies the soft driver into XDG_CACHE_HOME, for the children of this unit test to load the copy; returns 0 where
 * another driver is used. And has the copy look as if it were an updated one, by its time. */
int copy_driver(void);
void update_driver(void);
