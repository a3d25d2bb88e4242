/* SPDX-License-Identifier: Apache-2.0 */
/* What saved bytes hold: the sections that say what a histogram is. */
#include "api/save.h"

#include <stdio.h>
#include <string.h>

#include "runtime/sized.h"
#include "runtime/status.h"

static const char *const kinds[] = {"histogram"};
static const char *const sums[] = {[UH_SUM_EXACT] = "exact", [UH_SUM_FAST] = "fast"};

void uhi_save_shape(struct uhi_sections *sections, const uh_histogram *histogram) {
    const uint64_t naxes = histogram->naxes;
    uint64_t shape[UH_MAX_AXES];
    char writer[UHI_SECTION_OWN];
    for (size_t a = 0; a < naxes; a++)
        shape[a] = uhi_histogram_bins(histogram, a);
    snprintf(writer, sizeof writer, "unihist %s", uh_version());
    uhi_sections_add_text(sections, "kind", kinds[0]);
    uhi_sections_add_text(sections, "meta.writer", writer);
    uhi_sections_add(sections, "shape", "<u8", 1, &naxes, shape);
    uhi_sections_add_text(sections, "storage", uh_storage_name(histogram->storage));
    uhi_sections_add_text(sections, "sum", sums[histogram->sum]);
}

static uh_status load_storage(const struct uhi_source *source, struct uhi_sections *sections,
                              struct uhi_saved_shape *shape) {
    enum { STORAGES = UH_STORAGE_U16 + 1 };
    const char *storages[STORAGES];
    size_t storage = 0, sum = 0;
    for (size_t i = 0; i < STORAGES; i++)
        storages[i] = uh_storage_name((uh_storage)i);
    uh_status status = uhi_sections_choice(source, sections, "storage", storages, STORAGES, &storage);
    if (!status)
        status = uhi_sections_choice(source, sections, "sum", sums, sizeof sums / sizeof *sums, &sum);
    if (status)
        return status;
    shape->storage = (uh_storage)storage;
    shape->sum = (uh_sum)sum;
    return UH_SUCCESS;
}

uh_status uhi_load_shape(const struct uhi_source *source, struct uhi_sections *sections,
                         struct uhi_saved_shape *shape) {
    const struct uhi_section *section;
    uint64_t bins[UH_MAX_AXES];
    size_t kind;
    uh_status status = uhi_sections_choice(source, sections, "kind", kinds, sizeof kinds / sizeof *kinds, &kind);
    if (!status)
        status = uhi_sections_get(source, sections, "shape", "<u8", 1, NULL, &section);
    if (status)
        return status;
    if (section->dims[0] < 1 || section->dims[0] > UH_MAX_AXES)
        return uhi_source_fail(source, "section 'shape' has %zu numbers, expected 1 to %d", (size_t)section->dims[0],
                               UH_MAX_AXES);
    *shape = (struct uhi_saved_shape){.naxes = (size_t)section->dims[0], .cells = 1};
    memcpy(bins, section->data, shape->naxes * sizeof *bins);
    for (size_t a = 0; a < shape->naxes && !status; a++) {
        status = uhi_load_bins(source, sections, a, &shape->bins[a]);
        if (!status && bins[a] != shape->bins[a])
            status = uhi_source_fail(source, "section 'shape' and the edges of axis %zu differ", a);
        /* Both factors are below 2^32, and so was their product before. */
        if (!status && (shape->cells *= shape->bins[a]) > UH_MAX_CELLS)
            status = uhi_source_fail(source, "it has more than %zu cells", UH_MAX_CELLS);
    }
    return status ? status : load_storage(source, sections, shape);
}

static uh_status peek(const struct uhi_source *source, struct uhi_sections *sections, void *context) {
    uh_saved_info *info = context;
    struct uhi_saved_shape shape;
    uh_status status = uhi_load_shape(source, sections, &shape);
    if (status)
        return status;
    uh_saved_info made = {.struct_size = sizeof made,
                          .version = sections->version,
                          .bytes = uhi_sections_bytes(sections),
                          .naxes = shape.naxes,
                          .storage = shape.storage,
                          .sum = shape.sum};
    memcpy(made.bins, shape.bins, sizeof shape.bins);
    uhi_sized_write(info, &made);
    return UH_SUCCESS;
}

static uh_status check_info(const char *call, const uh_saved_info *info) {
    if (!info)
        return uhi_fail_null(call, "info", "where to store what was saved");
    return uhi_sized_check(call, "info", info, sizeof *info, NULL);
}

uh_status uh_saved_peek(const char *path, uh_saved_info *info) {
    uh_status status = check_info(__func__, info);
    return status ? status : uhi_saved_use_file(__func__, path, peek, info);
}

uh_status uh_saved_peek_bytes(const void *bytes, size_t size, uh_saved_info *info) {
    uh_status status = check_info(__func__, info);
    return status ? status : uhi_saved_use_bytes(__func__, bytes, size, peek, info);
}
