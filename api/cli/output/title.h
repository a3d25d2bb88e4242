/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_TITLE_H
#define CLI_TITLE_H

#include <stddef.h>

/* Returns the inputs' names as a title: "a.npy", "a.npy, b.npy", "a.npy and 7 more", and the name of the weights or
 * samples behind them in brackets, unless `values` is NULL. The caller frees it; NULL when out of memory. */
char *cli_title(char *const *paths, size_t npaths, const char *values);

#endif
