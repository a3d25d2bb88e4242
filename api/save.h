/* SPDX-License-Identifier: Apache-2.0 */
/* What the files that save and load share. */
#ifndef UHI_API_SAVE_H
#define UHI_API_SAVE_H

#include <unihist/save.h>

#include "api/histogram.h"
#include "api/sections.h"

/* ---- where bytes go to and come from ---- */

/* Writes sections to a file that appears when it is whole. UH_ERROR_IO, UH_ERROR_OUT_OF_MEMORY. */
uh_status uhi_save_file(const char *call, const struct uhi_sections *sections, const char *path);

/* Writes sections to memory, or only tells their length where `bytes` is NULL. UH_ERROR_INVALID_ARGUMENT. */
uh_status uhi_save_memory(const char *call, const struct uhi_sections *sections, void *bytes, size_t size,
                          size_t *length);

/* What is done with saved bytes, whose checksum is right. */
typedef uh_status (*uhi_saved_use)(const struct uhi_source *source, struct uhi_sections *sections, void *context);

/* Reads the whole of a file and uses it. UH_ERROR_IO, UH_ERROR_INVALID_ARGUMENT, UH_ERROR_UNSUPPORTED,
 * UH_ERROR_OUT_OF_MEMORY, and what `use` returns. */
uh_status uhi_saved_use_file(const char *call, const char *path, uhi_saved_use use, void *context);

/* The same for bytes in memory. */
uh_status uhi_saved_use_bytes(const char *call, const void *bytes, size_t size, uhi_saved_use use, void *context);

/* ---- the sections of a histogram ---- */

/* Adds what a file begins with, and what the histogram is. */
void uhi_save_shape(struct uhi_sections *sections, const uh_histogram *histogram);

/* Adds axis number `number` and its flow counters. */
void uhi_save_axis(struct uhi_sections *sections, size_t number, const uh_axis *axis, const uint64_t flow[3]);

/* Adds that the axis of a histogram grows, from a minimum length. */
void uhi_save_growth(struct uhi_sections *sections, size_t minlength);

/* Adds the cells of a histogram whose contents are on the host, which is lent until all is written; the last ones. */
uh_status uhi_save_cells(const char *call, struct uhi_sections *sections, uh_histogram *histogram);

/* Bins of each axis, what a cell keeps, how weights are added. */
struct uhi_saved_shape {
    size_t naxes;
    size_t bins[UH_MAX_AXES];
    size_t cells;
    uh_storage storage;
    uh_sum sum;
};

/* Finds that, without looking at edges or cells. */
uh_status uhi_load_shape(const struct uhi_source *source, struct uhi_sections *sections, struct uhi_saved_shape *shape);

/* Stores how many bins axis number `number` has, without looking at them. */
uh_status uhi_load_bins(const struct uhi_source *source, struct uhi_sections *sections, size_t number, size_t *bins);

/* Makes axis number `number`, which the caller destroys, and stores its flow counters. */
uh_status uhi_load_axis(const struct uhi_source *source, struct uhi_sections *sections, size_t number, uh_axis **axis,
                        uint64_t flow[3]);

/* Replaces a histogram, when it has been loaded, by one whose axis grows if the saved one's did. */
uh_status uhi_load_growth(const struct uhi_source *source, struct uhi_sections *sections, uh_histogram **histogram);

/* The cells of a shape, found among the sections: a stream as uhi_store_import reads it. */
struct uhi_saved_cells {
    const struct uhi_source *source;
    struct uhi_saved_head {
        uint32_t storage, sum;
        uint64_t cells;
        struct uhi_saved_digits {
            uint32_t first, count;
        } sums, squares;
    } head;
    struct uhi_saved_piece {
        const char *next;
        uint64_t size;
    } list[8];
    size_t count, now;
};

/* Finds the cells, the last sections to be asked for: others are not expected. */
uh_status uhi_find_cells(const struct uhi_source *source, struct uhi_sections *sections,
                         const struct uhi_saved_shape *shape, struct uhi_saved_cells *cells);

/* Reads them into a new histogram of the shape, and checks counts against the numbers of points, which it is given. */
uh_status uhi_load_cells(struct uhi_saved_cells *cells, const struct uhi_histogramdd_counters *numbers,
                         uh_histogram *histogram);

#endif
