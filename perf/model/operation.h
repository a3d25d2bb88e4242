/* SPDX-License-Identifier: Apache-2.0 */
/* What the model knows of an operation: which kernel it launches and how, and what that does for each point. */
#ifndef PERF_MODEL_OPERATION_H
#define PERF_MODEL_OPERATION_H

#include "perf/error.h"
#include "perf/model/device.h"
#include "perf/model/way.h"

#include "tests/cases_histogram.h"

#include <unihist/histogram.h>

/* What is predicted. Bincount and draw have no bins but the values and the outcomes, 0 to k - 1: their data are those
 * of unit bins, and an outcome's weight is uniform, or nearly all of it is one outcome's. */
struct model_case {
    uh_dtype type; /* of the values; of samples UH_U32 */
    enum case_bins bins;
    enum case_data data;
    size_t k; /* of each axis */
    double h;
    uh_method method;
};

/* Points that are simulated: whole shares of every sub-group, enough for the third digit. */
enum { MODEL_POINTS = 1 << 17, MODEL_SEED = 20260101 };

/* Bins reach from 0 to this, as the paper's. */
#define MODEL_RANGE 1000.0

/* How a kernel is launched, and what of a point is not in its way. */
struct model_launch {
    char kernel[64];
    char additions[64]; /* a kernel whose ways tell what this one's additions cost with the look-ups; or "" */
    const char *where;  /* its tables and counts are, in a word */
    size_t group_size, groups;
    uint32_t local_tables, local_bytes; /* of local memory that a group asks for; the tables are its beginning */
    uint32_t copies;                    /* of counters in local memory */
    uint32_t width;                     /* points of a work-item at a time */
    uint32_t arrays, written;           /* arrays that it reads; bytes that it writes */
};

struct model_operation {
    const char *name;
    /* Makes what follows needs, which close frees. */
    void *(*open)(const struct model_device *device, const struct model_case *of, struct model_launch *launch);
    /* Appends what lane number `lane` of a sub-group does for point i. */
    void (*follow)(void *work, size_t i, uint32_t lane, struct model_way *way);
    /* What came of all points is compared with what is right, by code that has nothing of the kernels' ways. */
    void (*check)(const void *work);
    void (*close)(void *work);
};

/* Counts over one axis; counts over two axes alike, of float32; exact sums of float32 weights, uniform in [0, 1); int32
 * counted as they are; samples of 32 bits by the guide. */
extern const struct model_operation model_histogram, model_pair, model_sum, model_integers, model_draw;

#endif
