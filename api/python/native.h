/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file native.h
 * All that the Python package calls: the public headers, and a few calls made of several of theirs, so that a small
 * array costs one way from Python to C, and so that no Python (a finalizer, say) runs in between.
 */
#ifndef UNIHIST_PYTHON_NATIVE_H
#define UNIHIST_PYTHON_NATIVE_H

#include <unihist/axis.h>
#include <unihist/base.h>
#include <unihist/bins.h>
#include <unihist/device.h>
#include <unihist/histogram.h>
#include <unihist/integrate.h>
#include <unihist/meanshift.h>
#include <unihist/sample.h>
#include <unihist/save.h>

/** Counts one array from nothing in a histogram over one axis, and stores the counts. */
uh_status uhpy_count(uh_histogram *histogram, uh_dtype dtype, const void *data, ptrdiff_t stride, size_t count,
                     void *counts);

/* Calls on an array whose members are arguments, which takes cffi less time than a structure. */

/** uh_histogram_of, between edges. */
uh_status uhpy_count_edges(uh_queue *queue, uh_dtype dtype, const void *data, ptrdiff_t stride, size_t count,
                           uh_dtype edge_dtype, const void *edges, size_t nedges, void *counts);

enum {
    UHPY_NOT_DISTINCT = -1, /**< in place of a status: of the edges one is as large as the next */
    UHPY_NOT_DONE = -2      /**< nothing has been counted */
};

/** uh_histogram_of, with a range where `ranged`: UHPY_NOT_DONE where that is none. UHPY_NOT_DISTINCT too. */
int uhpy_count_equal(uh_queue *queue, uh_dtype dtype, const void *data, ptrdiff_t stride, size_t count, size_t bins,
                     int ranged, double first, double last, void *counts, void *edges);

/**
 * The same of float32 values, with edges of float32 as numpy.linspace (since NumPy 2) makes them: computed in float32
 * between the smallest and largest value, in double between the ends of a range, and rounded. UHPY_NOT_DONE also where
 * there are NaN or infinities, or edges have no distance.
 */
int uhpy_count_equal_f32(uh_queue *queue, uh_dtype dtype, const void *data, ptrdiff_t stride, size_t count, size_t bins,
                         int ranged, double first, double last, void *counts, void *edges);

/** uh_min_max: extremes[0] and extremes[1]. */
uh_status uhpy_min_max(uh_queue *queue, uh_dtype dtype, const void *data, ptrdiff_t stride, size_t count,
                       double *extremes, uint64_t *nan);

/**
 * Loads the library that a text of integrand.h has been compiled to, for uhpy_unload. Returns its integrand, or NULL
 * and stores why in `why`, a text that lasts until the thread's next call.
 */
const uh_integrand_host *uhpy_load(const char *path, void **library, const char **why);

void uhpy_unload(void *library);

/* ---- the log: log.c ---------------------------------------------------------------------------------------------- */

/** What the library has told. */
typedef struct uhpy_message {
    uh_log_level level;
    double time;     /**< seconds since 1970 */
    uint64_t thread; /**< as threading.get_ident() tells it */
    uint64_t lost;   /**< messages before this one that were not kept, as there were too many */
    const char *text;
} uhpy_message;

/** Keeps the messages of a level and those before it for uhpy_log_take from now on. */
uh_status uhpy_log_begin(uh_log_level level);

/** Keeps none any more. Those that are there are still to be taken. */
void uhpy_log_end(void);

/** Returns the next message, for uhpy_log_drop, when there is one; NULL where all are taken and no more are kept. */
const uhpy_message *uhpy_log_take(void);

void uhpy_log_drop(const uhpy_message *message);

#endif
