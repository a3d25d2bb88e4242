/* SPDX-License-Identifier: Apache-2.0 */
/* Saving and loading histograms. */
#include "api/save.h"

#include <string.h>

#include "runtime/status.h"

/* ---- saving ---- */

/* The sections of a histogram, which is lent to them until they are written. `growing`: whose bins it has, or NULL. */
static uh_status collect(const char *call, uh_histogram *histogram, const struct uhi_growing *growing,
                         struct uhi_sections *sections) {
    const uint64_t two = 2;
    uh_status status = histogram->contents->bring(call, histogram);
    if (status)
        return status;
    const struct uhi_histogramdd_counters numbers = uhi_histogram_numbers(histogram);
    const uint64_t points[2] = {numbers.points - numbers.outside, numbers.outside};
    sections->count = 0;
    uhi_save_shape(sections, histogram);
    uhi_sections_add(sections, "points", "<u8", 1, &two, points);
    for (size_t a = 0; a < histogram->naxes; a++)
        uhi_save_axis(sections, a, histogram->axes[a], numbers.flow[a]);
    if (growing)
        uhi_save_growth(sections, growing->minlength);
    return uhi_save_cells(call, sections, histogram);
}

/* Where to: a file, or, where its name is NULL, memory. */
struct saving {
    const char *path;
    void *bytes;
    size_t size, *length;
};

/* One that grows is saved as a histogram over the integers that it has, with a section that says so. */
static uh_status save(const char *call, uh_histogram *histogram, const struct saving *to) {
    struct uhi_sections sections;
    uh_histogram *fixed = NULL;
    if (!histogram)
        return uhi_fail_null(call, "histogram", "a histogram");
    uh_status status = histogram->growing ? uhi_histogram_fix(call, histogram, &fixed) : UH_SUCCESS;
    if (!status)
        status = collect(call, fixed ? fixed : histogram, histogram->growing, &sections);
    if (!status)
        status = to->path ? uhi_save_file(call, &sections, to->path)
                          : uhi_save_memory(call, &sections, to->bytes, to->size, to->length);
    (void)uh_histogram_destroy(fixed);
    return status;
}

uh_status uh_histogram_save(uh_histogram *histogram, const char *path) {
    const struct saving to = {.path = path};
    if (!path)
        return uhi_fail_null(__func__, "path", "the name of a file");
    return save(__func__, histogram, &to);
}

uh_status uh_histogram_save_bytes(uh_histogram *histogram, void *bytes, size_t size, size_t *length) {
    const struct saving to = {.bytes = bytes, .size = size, .length = length};
    if (!length)
        return uhi_fail_null(__func__, "length", "where to store how many bytes there are");
    return save(__func__, histogram, &to);
}

/* ---- loading ---- */

/* Finds the numbers of points. No counter is larger than that of all, on which merging relies. */
static uh_status load_numbers(const struct uhi_source *source, struct uhi_sections *sections,
                              const struct uhi_saved_shape *shape, struct uhi_histogramdd_counters *numbers) {
    const struct uhi_section *section = NULL;
    const uint64_t two = 2;
    uint64_t points[2], sum;
    uh_status status = uhi_sections_get(source, sections, "points", "<u8", 1, &two, &section);
    if (status)
        return status;
    memcpy(points, section->data, sizeof points);
    numbers->outside = points[1];
    if (__builtin_add_overflow(points[0], points[1], &numbers->points))
        return uhi_source_fail(source, "section 'points' says more than 2^64 - 1 points");
    for (size_t a = 0; a < shape->naxes; a++) {
        const uint64_t *flow = numbers->flow[a];
        if (__builtin_add_overflow(flow[0], flow[1], &sum) || __builtin_add_overflow(sum, flow[2], &sum) ||
            sum > numbers->outside)
            return uhi_source_fail(source, "section 'axis%zu.flow' has more points than section 'points' outside", a);
    }
    return UH_SUCCESS;
}

struct loading {
    uh_queue *queue;
    uh_histogram **histogram;
};

static uh_status build(const struct uhi_source *source, struct uhi_sections *sections, void *context) {
    const struct loading *loading = context;
    struct uhi_histogramdd_counters numbers = {.points = 0};
    struct uhi_saved_shape shape = {.naxes = 0};
    struct uhi_saved_cells cells;
    uh_histogram *made = NULL;
    uh_axis *axes[UH_MAX_AXES] = {NULL};
    uh_status status = uhi_load_shape(source, sections, &shape);
    for (size_t a = 0; a < shape.naxes && !status; a++)
        status = uhi_load_axis(source, sections, a, &axes[a], numbers.flow[a]);
    if (!status)
        status = load_numbers(source, sections, &shape, &numbers);
    if (!status)
        status = uhi_find_cells(source, sections, &shape, &cells);
    const uh_histogram_options options = {.struct_size = sizeof options, .storage = shape.storage, .sum = shape.sum};
    if (!status)
        status = uhi_histogram_make(source->call, loading->queue, (const uh_axis *const *)axes, shape.naxes, &options,
                                    &made);
    if (!status)
        status = uhi_load_cells(&cells, &numbers, made);
    if (!status)
        status = uhi_load_growth(source, sections, &made);
    if (status)
        uh_histogram_destroy(made);
    else
        *loading->histogram = made;
    for (size_t a = 0; a < shape.naxes; a++)
        uh_axis_destroy(axes[a]);
    return status;
}

static uh_status check(const char *call, const uh_queue *queue, const void *histogram) {
    if (!queue)
        return uhi_fail_null(call, "queue", "a queue");
    return histogram ? UH_SUCCESS : uhi_fail_null(call, "histogram", "where to store the histogram");
}

uh_status uh_histogram_load(uh_queue *queue, const char *path, uh_histogram **histogram) {
    struct loading loading = {queue, histogram};
    uh_status status = check(__func__, queue, histogram);
    return status ? status : uhi_saved_use_file(__func__, path, build, &loading);
}

uh_status uh_histogram_load_bytes(uh_queue *queue, const void *bytes, size_t size, uh_histogram **histogram) {
    struct loading loading = {queue, histogram};
    uh_status status = check(__func__, queue, histogram);
    return status ? status : uhi_saved_use_bytes(__func__, bytes, size, build, &loading);
}
