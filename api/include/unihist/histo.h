/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file histo.h
 * The Parboil / SPEC ACCEL 116 histogram: counts of each index of an array, in a table of bytes that saturate at 255.
 *
 * Bin i of the table, `height` consecutive rows of `width` bins, holds exactly min(255, number of indices equal to i),
 * for any number of indices. Indices of width * height or more are counted in `beyond` and not stored. Nearly all
 * indices may fall into a few rows, the "eye", as in Parboil's pictures of silicon wafers: a sample finds it, and those
 * rows are counted in fast memory. Any other input takes longer and gives the same counts.
 *
 * Indices and `out` are plain host memory, or USM that the queue's device can access. Times and reports are host
 * memory.
 *
 * Source: the benchmark histo of Parboil, 116.histo of SPEC ACCEL; devices use the algorithm of its description.
 */
#ifndef UNIHIST_HISTO_H
#define UNIHIST_HISTO_H

#include <unihist/runtime.h>
#include <unihist/storage.h>

UH_BEGIN_C

/** Nanoseconds, by the host's clock. */
typedef struct uh_histo_times {
    uint64_t prescan; /**< finding the eye from a sample; 0 if no eye is needed */
    uint64_t count;   /**< clearing and counting; on devices other than the host including the copy of the indices */
    uint64_t reduce;  /**< merging the partial histograms */
    uint64_t total;   /**< all of these, and the time between them */
} uh_histo_times;

/** Options of uh_histo. Zero everything but struct_size for the defaults. */
typedef struct uh_histo_options {
    size_t struct_size;   /**< sizeof(uh_histo_options) */
    size_t iterations;    /**< number of iterations, each from an empty table; 0 is 1 */
    uh_histo_times *each; /**< room for the times of each iteration, or NULL */
} uh_histo_options;

/** Report of uh_histo. */
typedef struct uh_histo_report {
    size_t struct_size;   /**< in: sizeof(uh_histo_report) */
    uint64_t beyond;      /**< number of indices beyond the table */
    size_t iterations;    /**< number of iterations done */
    uh_histo_times times; /**< sum over all iterations */
    uint64_t total;       /**< nanoseconds of the whole call: includes work before the first and after the last
                               iteration, such as making buffers and storing the counts */
    size_t eye_first;     /**< first row of the eye */
    size_t eye_rows;      /**< rows of the eye; all if one host thread counts, which needs no eye; 0 for none */
    char plan[160];       /**< method of counting, in words; ends in 0 */
} uh_histo_report;

/**
 * Counts `indices`, of type UH_U32, into width * height bytes at `out`, as many times as `options` say (NULL: once),
 * and fills in `*report` unless it is NULL. The table is that of one iteration. Returns when all is done. On devices
 * other than the host, phases are timed separately by waiting for each, only if a report or times are requested. If the
 * queue's `cancelled` stops the call between two iterations on the host, `out` has the counts of the earlier one.
 * UH_ERROR_INVALID_ARGUMENT (indices of another dtype, a width or height of 0, more bins than SIZE_MAX, an `out` that
 * overlaps the indices, memory that the queue's device cannot access or that crosses the bounds of an allocation),
 * UH_ERROR_OUT_OF_DEVICE_MEMORY, UH_ERROR_UNSUPPORTED (a build without kernels for devices, or a queue for copies),
 * UH_ERROR_BUILD.
 */
UH_API uh_status uh_histo(uh_queue *queue, const uh_array *indices, size_t width, size_t height,
                          const uh_histo_options *options, uint8_t *out, uh_histo_report *report);

UH_END_C

#endif
