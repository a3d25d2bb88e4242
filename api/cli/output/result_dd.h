/* SPDX-License-Identifier: Apache-2.0 */
/* What a finished histogram over several axes is, for all that write or draw one. */
#ifndef CLI_RESULT_DD_H
#define CLI_RESULT_DD_H

#include <stddef.h>
#include <stdint.h>

#include <unihist/histogramdd.h>

/* One axis. Everything is lent by the caller; texts may be NULL. */
struct cli_result_axis {
    size_t bins;
    const double *edges; /* bins + 1, non-decreasing; infinities allowed */
    uh_flow flow;        /* points on this axis, whatever the others say */
    const char *name;    /* of the coordinate: a file, a column */
    const char *dtype;
    const char *method;
    const char *plan;
    int log; /* draw it logarithmically */
};

/* Everything is lent by the caller; texts may be NULL. Cells are row-major, the last axis fastest. An array is NULL
 * where the storage does not keep it: COUNT, U8 and U16 have `counts`; SUM `sums`; WEIGHTED `sums` and `squares`; MEAN
 * `counts`, `means` and `deviations`. */
struct cli_result_dd {
    size_t naxes; /* 1 to UH_MAX_AXES */
    struct cli_result_axis axis[UH_MAX_AXES];
    size_t cells; /* the product of the axes' bins */
    uh_storage storage;
    uh_sum sum;
    const uint64_t *counts;
    const double *sums, *squares;
    const double *means, *deviations; /* NaN and 0 where no point is; `deviations`: the sum of their squares */
    const double *density;            /* NULL, or cells: written and drawn instead of counts or sums; may hold NaN */
    uint64_t inside, outside;         /* points in a cell and in none */
    double outside_sum, outside_squares;
    const char *device;
    const char *values; /* the name of the weights or samples */
    const char *values_dtype;
    const char *title;
    double seconds;
    uh_histogramdd *histogram; /* what a .uh file keeps */
};

#endif
