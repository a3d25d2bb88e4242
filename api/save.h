/* SPDX-License-Identifier: Apache-2.0 */
/* What saving and loading share for histograms of both kinds. */
#ifndef UHI_API_SAVE_H
#define UHI_API_SAVE_H

#include <unihist/save.h>

#include "api/sections.h"

/* ---- where bytes go to and come from ---- */

/* Writes sections to a file that appears when it is whole. UH_ERROR_IO, UH_ERROR_OUT_OF_MEMORY. */
uh_status uhi_save_file(const char *call, const struct uhi_sections *sections, const char *path);

/* Writes sections to memory, or only tells their length where `bytes` is NULL. UH_ERROR_INVALID_ARGUMENT. */
uh_status uhi_save_memory(const char *call, const struct uhi_sections *sections, void *bytes, size_t size,
                          size_t *length);

/* The bytes of a file, and how messages name it. */
struct uhi_saved_file {
    unsigned char *bytes;
    size_t size;
    char *name; /* the path in quotes */
};

/* Reads the whole of a file that begins as a saved histogram; the caller frees it, also after a failure. UH_ERROR_IO,
 * UH_ERROR_INVALID_ARGUMENT, UH_ERROR_UNSUPPORTED, UH_ERROR_OUT_OF_MEMORY. */
uh_status uhi_saved_file_read(const char *call, const char *path, struct uhi_saved_file *file);
void uhi_saved_file_free(struct uhi_saved_file *file);

/* Checks arguments of a load; UH_ERROR_INVALID_ARGUMENT. */
uh_status uhi_load_check(const char *call, const uh_queue *queue, const void *histogram);

/* ---- sections that both kinds have ---- */

/* Adds what a file begins with. */
void uhi_save_kind(struct uhi_sections *sections, uh_saved_kind kind);

/* Adds axis number `number` and its flow counters. */
void uhi_save_axis(struct uhi_sections *sections, size_t number, const uh_axis *axis, const uh_flow *flow);

/* Finds what kind of histogram was saved. */
uh_status uhi_load_kind(const struct uhi_source *source, struct uhi_sections *sections, uh_saved_kind *kind);

/* The same, where it must be `kind`: UH_ERROR_INCOMPATIBLE. */
uh_status uhi_load_kind_as(const struct uhi_source *source, struct uhi_sections *sections, uh_saved_kind kind);

/* What else a uh_histogramdd has: bins of each axis, what a cell keeps, how weights are added. */
struct uhi_saved_shape {
    size_t naxes;
    size_t bins[UH_MAX_AXES];
    size_t cells;
    uh_storage storage;
    uh_sum sum;
};

/* Finds that, without looking at edges or cells. */
uh_status uhi_load_shape(const struct uhi_source *source, struct uhi_sections *sections, struct uhi_saved_shape *shape);

/* The words of sections `storage` and `sum`. */
const char *uhi_saved_storage(uh_storage storage);
const char *uhi_saved_sum(uh_sum sum);

/* Stores how many bins axis number `number` has, without looking at them. */
uh_status uhi_load_bins(const struct uhi_source *source, struct uhi_sections *sections, size_t number, size_t *bins);

/* Makes axis number `number`, which the caller destroys, and stores its flow counters. */
uh_status uhi_load_axis(const struct uhi_source *source, struct uhi_sections *sections, size_t number, uh_axis **axis,
                        uh_flow *flow);

#endif
