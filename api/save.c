/* SPDX-License-Identifier: Apache-2.0 */
/* Saving and loading histograms over one axis, and telling what was saved. */
#include "api/save.h"

#include <inttypes.h>
#include <string.h>

#include "api/histogram.h"
#include "runtime/status.h"

/* ---- saving ---- */

static uh_status collect(const char *call, uh_histogram *histogram, struct uhi_sections *sections) {
    uh_flow flow;
    if (!histogram)
        return uhi_fail_null(call, "histogram", "a histogram");
    uh_status status = uh_histogram_flow(histogram, &flow); /* which waits for the device */
    if (status)
        return status;
    const uint64_t bins = uh_axis_bins(histogram->axis);
    sections->count = 0;
    uhi_save_kind(sections, UH_SAVED_HISTOGRAM);
    uhi_save_axis(sections, 0, histogram->axis, &flow);
    uhi_sections_add(sections, "counts", "<u8", 1, &bins, histogram->counts + 1);
    return UH_SUCCESS;
}

uh_status uh_histogram_save(uh_histogram *histogram, const char *path) {
    struct uhi_sections sections;
    if (!path)
        return uhi_fail_null(__func__, "path", "the name of a file");
    uh_status status = collect(__func__, histogram, &sections);
    return status ? status : uhi_save_file(__func__, &sections, path);
}

uh_status uh_histogram_save_bytes(uh_histogram *histogram, void *bytes, size_t size, size_t *length) {
    struct uhi_sections sections;
    if (!length)
        return uhi_fail_null(__func__, "length", "where to store how many bytes there are");
    uh_status status = collect(__func__, histogram, &sections);
    return status ? status : uhi_save_memory(__func__, &sections, bytes, size, length);
}

/* ---- loading ---- */

static uh_status build(const struct uhi_source *source, uh_queue *queue, struct uhi_sections *sections,
                       uh_histogram **histogram) {
    uh_histogram *made = NULL;
    uh_axis *axis = NULL;
    const struct uhi_section *counts = NULL;
    uh_flow flow;
    uh_status status = uhi_load_kind_as(source, sections, UH_SAVED_HISTOGRAM);
    if (!status)
        status = uhi_load_axis(source, sections, 0, &axis, &flow);
    if (status)
        return status;
    const uint64_t bins = uh_axis_bins(axis);
    status = uhi_sections_get(source, sections, "counts", "<u8", 1, &bins, &counts);
    if (!status)
        status = uhi_sections_all_taken(source, sections);
    if (!status)
        status = uh_histogram_create(queue, axis, NULL, &made);
    if (!status) {
        made->counts[0] = flow.below;
        memcpy(made->counts + 1, counts->data, (size_t)bins * sizeof *made->counts);
        made->counts[bins + 1] = flow.above;
        made->counts[bins + 2] = flow.nan;
        *histogram = made;
    }
    uh_axis_destroy(axis);
    return status;
}

static uh_status load(const struct uhi_source *source, uh_queue *queue, const void *bytes, size_t size,
                      uh_histogram **histogram) {
    struct uhi_sections sections;
    uh_status status = uhi_sections_parse(source, bytes, size, &sections);
    return status ? status : build(source, queue, &sections, histogram);
}

uh_status uhi_load_check(const char *call, const uh_queue *queue, const void *histogram) {
    if (!queue)
        return uhi_fail_null(call, "queue", "a queue");
    return histogram ? UH_SUCCESS : uhi_fail_null(call, "histogram", "where to store the histogram");
}

uh_status uh_histogram_load(uh_queue *queue, const char *path, uh_histogram **histogram) {
    struct uhi_saved_file file;
    uh_status status = uhi_load_check(__func__, queue, histogram);
    if (status)
        return status;
    if (!path)
        return uhi_fail_null(__func__, "path", "the name of a file");
    status = uhi_saved_file_read(__func__, path, &file);
    if (!status) {
        const struct uhi_source source = {__func__, file.name};
        status = load(&source, queue, file.bytes, file.size, histogram);
    }
    uhi_saved_file_free(&file);
    return status;
}

uh_status uh_histogram_load_bytes(uh_queue *queue, const void *bytes, size_t size, uh_histogram **histogram) {
    const struct uhi_source source = {__func__, "bytes"};
    uh_status status = uhi_load_check(__func__, queue, histogram);
    if (status)
        return status;
    if (!bytes && size > 0)
        return uhi_fail_null(__func__, "bytes", "a saved histogram");
    return load(&source, queue, bytes, size, histogram);
}
