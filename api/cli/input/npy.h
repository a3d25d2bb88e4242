/* SPDX-License-Identifier: Apache-2.0 */
/* Header of NumPy's .npy files, versions 1.0, 2.0 and 3.0
 * (https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html). */
#ifndef CLI_NPY_H
#define CLI_NPY_H

#include <stddef.h>
#include <stdint.h>

#include <unihist/base.h>

#include "api/cli/error.h"

#define CLI_NPY_MAGIC        "\x93NUMPY"
#define CLI_NPY_MAGIC_BYTES  6
#define CLI_NPY_HEADER_LIMIT (1 << 16) /* longer headers are errors */

struct cli_npy {
    uh_dtype dtype;       /* of the elements once read: bool is uint8, float16 is float32 */
    size_t element_bytes; /* as stored */
    int swapped;          /* stored in the other byte order */
    int half;             /* stored as float16 */
    int fortran;          /* the first index varies fastest */
    uint64_t count;       /* elements: the product of the shape */
    int sizes;            /* number of sizes of the shape: 0 for a scalar, 2 for a table */
    uint64_t last;        /* last size, 1 for a scalar */
    uint64_t data_offset; /* where the elements begin in the file */
};

/* Returns whether the first bytes of a file (6 or more, if it has them) are NumPy's magic string. */
int cli_npy_is_magic(const unsigned char *bytes, size_t n);

/* Reads a header from a file's first bytes, CLI_NPY_FIRST_BYTES or more, fewer only if the file is shorter. `name`: for
 * messages. */
#define CLI_NPY_FIRST_BYTES (12 + CLI_NPY_HEADER_LIMIT)
int cli_npy_parse(const char *name, const unsigned char *bytes, size_t n, struct cli_npy *npy, struct cli_error *error);

/* Reverses the bytes of each of `n` elements of 1, 2, 4 or 8 bytes, in place. `data` is aligned to the element. */
void cli_convert_swap(void *data, size_t n, size_t element_bytes);

/* Converts IEEE 754 binary16 to binary32 exactly; keeps the payload and sign of a NaN. */
void cli_convert_half(const uint16_t *half, float *single, size_t n);

#endif
