/* SPDX-License-Identifier: Apache-2.0 */
/** @file save.h
 * Histograms in files, and as the same bytes in memory.
 *
 * The format is documented in the manual page unihist-format(5): named, typed and shaped sections, little-endian, with
 * a version and a SHA-256 of everything. It stores the edges exactly (64-bit integers too), closed ends, flow counters,
 * storage, way of adding, and every cell exactly: sums of weights as their fixed-point numbers. So save, load and merge
 * give exactly the bits of one histogram filled with everything. It also stores an axis's distribution, and that an
 * axis grows, with the minimum length. It does not store how values find their bins (method, tables, device): a loaded
 * histogram has the defaults on the queue that it is loaded for; to change them, merge it into a histogram of your own.
 *
 * A file appears only when it is complete: it is written next to the final one under a name that begins with
 * ".unihist-", flushed to disk and renamed; a call that fails removes it, and leaves an existing file unchanged. A
 * symbolic link to an existing file is followed, a dangling one is UH_ERROR_IO; permissions of a file that is replaced
 * are kept. A histogram may be saved to the file that it was loaded from. A FIFO or a character device is written in
 * place; loading from a FIFO waits for its writer.
 *
 * Loaded bytes are not trusted. Foreign, truncated, damaged or contradictory bytes are UH_ERROR_INVALID_ARGUMENT, a
 * version newer than this library UH_ERROR_UNSUPPORTED, and a read or write failure UH_ERROR_IO; the message names the
 * file and says what is wrong. Loading takes memory in proportion to the bytes actually present. Saving temporarily
 * takes as much memory as the bytes written. */
#ifndef UNIHIST_SAVE_H
#define UNIHIST_SAVE_H

#include <unihist/base.h>
#include <unihist/bins.h>
#include <unihist/device.h>
#include <unihist/histogram.h>

UH_BEGIN_C

/** The version of the format that this library writes, and the newest that it reads. */
#define UH_SAVED_VERSION 1

/** Writes a histogram to a file, after waiting until its device has counted all fills. UH_ERROR_IO (no such folder, no
 * permission, a full disk, a directory), and errors as uh_histogram_counts. */
UH_API uh_status uh_histogram_save(uh_histogram *histogram, const char *path);

/** Writes the same bytes to host memory. `*length` is their number; `bytes` may be NULL, to get only that.
 * UH_ERROR_INVALID_ARGUMENT if `size` is less. */
UH_API uh_status uh_histogram_save_bytes(uh_histogram *histogram, void *bytes, size_t size, size_t *length);

/** Makes the histogram that a file holds, on `queue`, as uh_histogram_create does without options; the caller destroys
 * it. It can be filled, read and merged like any other. */
UH_API uh_status uh_histogram_load(uh_queue *queue, const char *path, uh_histogram **histogram);

/** The same from `size` bytes in host memory, which need not be aligned and may be freed on return. */
UH_API uh_status uh_histogram_load_bytes(uh_queue *queue, const void *bytes, size_t size, uh_histogram **histogram);

/** The same for values from which bins are made (bins.h), before a further pass. */
UH_API uh_status uh_bins_save_bytes(uh_bins *bins, void *bytes, size_t size, size_t *length);
UH_API uh_status uh_bins_load_bytes(const void *bytes, size_t size, uh_bins **bins);

UH_END_C

#endif
