/* SPDX-License-Identifier: Apache-2.0 */
/* Axes that lead a device to each of its look-ups, and on devices with much local memory to each place in which it
 * counts, for the descriptions of histograms. */
#ifndef TEST_TRIED_AXIS_H
#define TEST_TRIED_AXIS_H

#include <stddef.h>

#include "tests/description.h"
#include "tests/oracle.h"

struct tried_axis {
    char name[64];
    size_t bins;
    uh_dtype dtype;
    void *edges;
    struct oracle_axis oracle;
};

/* The first few have some hundred bins at most; of the others Intel's devices are given the launches. */
enum { TRIED_AXES_FEW = 5, TRIED_AXES_FAMILIES = 4, TRIED_AXES_SIZES = 5 };
enum { TRIED_AXES = TRIED_AXES_FEW + TRIED_AXES_FAMILIES * TRIED_AXES_SIZES };

/* A name alone; 0 or, without memory, -1. The caller frees what was made. */
void tried_axis_name(size_t number, char *name, size_t size);
int tried_axis_make(size_t number, struct tried_axis *axis);
void tried_axis_free(struct tried_axis *axis);

/* The library's axis, which carries a distribution; NULL where it could not be made, which has been noted. */
uh_axis *tried_axis_create(struct use *use, const struct tried_axis *axis);

/* Whether only a device with float64 can look up such values by this method: the paper's mesh over wide integers
 * computes in it. */
int tried_axis_fp64(uh_dtype dtype, uh_method method);

#endif
