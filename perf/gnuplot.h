/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures that gnuplot draws, where there is one. */
#ifndef PERF_GNUPLOT_H
#define PERF_GNUPLOT_H

#include "perf/error.h"

#include <stddef.h>
#include <stdio.h>

/* A picture in a file called `name`, made by a script in a file called `script_name`. Its size is 0 where there is
 * none: then `text` says why, else it is the name. */
struct perf_picture {
    const char *name, *script_name; /* static */
    char *script, *data;
    size_t size;
    char text[128];
};

/* Prints the beginning of a script: where the picture goes, and how large it is. */
void perf_gnuplot_head(FILE *file, const struct perf_picture *picture, const char *date, size_t width, size_t height);

/* Runs gnuplot on the script. */
int perf_gnuplot_draw(struct perf_picture *picture, struct perf_error *error);

void perf_picture_free(struct perf_picture *picture);

#endif
