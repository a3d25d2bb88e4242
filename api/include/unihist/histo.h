/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file histo.h
 * The Parboil / SPEC ACCEL 116 histogram: how often each index of an array occurs, in a table of bytes that stay at
 * 255.
 *
 * Bin i of the table, which has `height` rows of `width` bins one after the other, holds min(255, how many of the
 * indices are i), exactly, however many indices there are. Indices of width * height and more are counted in `beyond`
 * and written nowhere. Nearly all indices may fall into a few rows, the "eye", as in Parboil's pictures of silicon
 * wafers: a sample tells where, and those rows are counted in memory that is fast. Any other input takes longer and
 * gives the same counts.
 *
 * Indices and `out` are plain host memory, or USM that the queue's device reaches. Times and reports are host memory.
 *
 * Source: the benchmark histo of Parboil, 116.histo of SPEC ACCEL, whose description is the algorithm on devices.
 */
#ifndef UNIHIST_HISTO_H
#define UNIHIST_HISTO_H

#include <unihist/runtime.h>
#include <unihist/storage.h>

UH_BEGIN_C

/** Nanoseconds, by the host's clock. */
typedef struct uh_histo_times {
    uint64_t prescan; /**< finding the eye from a sample; 0 where no eye is needed */
    uint64_t count;   /**< clearing and counting, on other devices than the host with the copying of indices to them */
    uint64_t reduce;  /**< joining the partial histograms */
    uint64_t total;   /**< of these together, and what comes between them */
} uh_histo_times;

/** How uh_histo works. Zero everything but struct_size for the defaults. */
typedef struct uh_histo_options {
    size_t struct_size;   /**< sizeof(uh_histo_options) */
    size_t iterations;    /**< how often all of it is done, each time from an empty table; 0 is 1 */
    uh_histo_times *each; /**< room for the times of each of the `iterations`, or NULL */
} uh_histo_options;

/** What uh_histo did. */
typedef struct uh_histo_report {
    size_t struct_size;   /**< in: sizeof(uh_histo_report) */
    uint64_t beyond;      /**< indices that lie beyond the table */
    size_t iterations;    /**< how many were done */
    uh_histo_times times; /**< of all iterations together */
    uint64_t total;       /**< nanoseconds of the whole call: also what is done before the first iteration and after
                               the last one, such as making buffers and storing the counts */
    size_t eye_first;     /**< the eye's first row */
    size_t eye_rows;      /**< its rows; all where one host thread counts, which needs no eye, and 0 for none */
    char plan[160];       /**< how it was counted, in words; ends in 0 */
} uh_histo_report;

/**
 * Counts `indices`, which are of UH_U32, into width * height bytes at `out`, as often as `options` say (NULL: once),
 * and fills in `*report` unless that is NULL. The table is that of one iteration. Returns when all is done. The phases
 * of other devices than the host are told apart by waiting for each, but only where a report or times are asked for.
 * Where the queue's `cancelled` ends it between two iterations on the host, `out` has the counts of the first of them.
 * UH_ERROR_INVALID_ARGUMENT (indices of another dtype, a width or height of 0, more bins than SIZE_MAX, an `out` that
 * overlaps the indices, memory that the queue's device cannot reach or that crosses the bounds of an allocation),
 * UH_ERROR_OUT_OF_DEVICE_MEMORY, UH_ERROR_UNSUPPORTED (a build without kernels for devices, or a queue for copies),
 * UH_ERROR_BUILD.
 */
UH_API uh_status uh_histo(uh_queue *queue, const uh_array *indices, size_t width, size_t height,
                          const uh_histo_options *options, uint8_t *out, uh_histo_report *report);

UH_END_C

#endif
