/* SPDX-License-Identifier: Apache-2.0 */
/* Parboil's histo input: little-endian 32-bit words, which are the width and height of a picture, those of the
 * histogram, and the picture's pixels, each of them the number of a bin. */
#ifndef CLI_PARBOIL_H
#define CLI_PARBOIL_H

#include <stddef.h>
#include <stdint.h>

#include "api/cli/error.h"

struct cli_parboil {
    size_t width, height; /* of the histogram, whose bins an index of 32 bits can name */
    size_t picture_width, picture_height;
    uint32_t *indices; /* n = picture_width * picture_height of them; freed by cli_parboil_free */
    size_t n;
};

/* Reads a file as a whole, or standard input for "-". Returns 0, or -1 with a line for what is no such file, too short
 * or too long. What the head promises is not allocated before it is there. */
int cli_parboil_read(const char *path, struct cli_parboil *parboil, struct cli_error *error);

/* Frees the indices; may be called again. */
void cli_parboil_free(struct cli_parboil *parboil);

#endif
