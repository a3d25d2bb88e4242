/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file save.h
 * Histograms kept in files, and in memory as the same bytes.
 *
 * The format is documented in the manual page unihist-format(5): named, typed and shaped sections, little-endian, with
 * a version and a SHA-256 of everything. It keeps the edges exactly (64-bit integers too), closed ends, flow counters,
 * storage, way of adding, and every cell exactly: sums of weights as the fixed-point numbers they are made of. So save,
 * load and merge give the very bits that one histogram filled with everything would have. The distribution that an axis
 * carries is kept too, and that an axis grows, with the minimum length. How values find their bins (method, tables,
 * device) is not part of it: a loaded histogram has the defaults on the queue it is loaded for; merge it into one of
 * your own making for others.
 *
 * A file appears only when it is whole: it is written beside the final one under a name that begins with ".unihist-",
 * brought to the disk and renamed; a call that fails removes it, and leaves a file that was there as it was. A symbolic
 * link to a file that is there is followed, one to none is UH_ERROR_IO; permissions of a file that is replaced are
 * kept. A histogram may be saved to the file that it was loaded from. To load from a FIFO waits for who writes it.
 *
 * What is loaded is not trusted. Foreign, truncated, damaged or contradictory bytes are UH_ERROR_INVALID_ARGUMENT, a
 * version that is newer than this library UH_ERROR_UNSUPPORTED, and what cannot be read or written UH_ERROR_IO; the
 * message names the file and says what is wrong. Memory is taken in proportion to the bytes that are really there. To
 * save takes as much memory for a while as the bytes that there will be.
 */
#ifndef UNIHIST_SAVE_H
#define UNIHIST_SAVE_H

#include <unihist/base.h>
#include <unihist/histogram.h>
#include <unihist/runtime.h>
#include <unihist/storage.h>

UH_BEGIN_C

/** The version of the format that this library writes, and the newest that it reads. */
#define UH_SAVED_VERSION 1

/**
 * Writes a histogram to a file, waiting until its device has counted what was filled. UH_ERROR_IO (no such folder, no
 * permission, a full disk, something that is no regular file), and as uh_histogram_counts.
 */
UH_API uh_status uh_histogram_save(uh_histogram *histogram, const char *path);

/**
 * Writes the same bytes to memory of the host. `*length` is how many there are; `bytes` may be NULL, which asks for
 * that alone. UH_ERROR_INVALID_ARGUMENT where `size` is less.
 */
UH_API uh_status uh_histogram_save_bytes(uh_histogram *histogram, void *bytes, size_t size, size_t *length);

/**
 * Makes the histogram that a file holds, on `queue`, as uh_histogram_create does without options, for the caller to
 * destroy; it can be filled, read and merged like any other.
 */
UH_API uh_status uh_histogram_load(uh_queue *queue, const char *path, uh_histogram **histogram);

/** The same from `size` bytes in memory of the host, which need not be aligned and may be freed on return. */
UH_API uh_status uh_histogram_load_bytes(uh_queue *queue, const void *bytes, size_t size, uh_histogram **histogram);

UH_END_C

#endif
