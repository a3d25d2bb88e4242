/* SPDX-License-Identifier: Apache-2.0 */
/* Saving and loading histograms, in files and in memory. */
#include <unihist/save.h>

#include <stdlib.h>

#include "api/histogram.h"
#include "api/sections.h"
#include "runtime/status.h"

/* ---- saving ---- */

struct saved {
    uh_histogram *histogram;
    const struct uhi_growing *growing;
};

static void exchange(struct uhi_sections *sections, void *object) {
    const struct saved *saved = object;
    uhi_save_histogram(sections, saved->histogram, saved->growing);
}

/* A growing histogram is saved as one over its current integers, with a section that says so. */
static uh_status save(struct uhi_sections *sections, void *object, unsigned char **bytes) {
    uh_histogram *const histogram = object;
    uh_histogram *fixed = NULL;
    if (!histogram)
        return uhi_fail_null(sections->call, "histogram", "a histogram");
    uh_status status = histogram->growing ? uhi_histogram_fix(sections->call, histogram, &fixed) : UH_SUCCESS;
    struct saved saved = {fixed ? fixed : histogram, histogram->growing};
    if (!status)
        status = saved.histogram->contents->fetch(sections->call, saved.histogram);
    if (!status)
        status = uhi_saved_make(sections, exchange, &saved, bytes);
    uh_histogram_destroy(fixed);
    return status;
}

uh_status uh_histogram_save_bytes(uh_histogram *histogram, void *bytes, size_t size, size_t *length) {
    return uhi_saved_to_memory(__func__, save, histogram, bytes, size, length);
}

uh_status uh_histogram_save(uh_histogram *histogram, const char *path) {
    return uhi_saved_to_file(__func__, save, histogram, path);
}

/* ---- loading ---- */

static uh_status load(struct uhi_sections *sections, const void *bytes, size_t size, uh_queue *queue,
                      uh_histogram **histogram) {
    if (uhi_sections_load(sections, bytes, size))
        return sections->status;
    uh_histogram *made = uhi_load_histogram(sections, queue);
    if (made)
        *histogram = made;
    return sections->status;
}

static uh_status check(const char *call, const uh_queue *queue, const void *histogram) {
    UHI_NEED(call, queue, "a queue");
    UHI_NEED(call, histogram, "where to store the histogram");
    return UH_SUCCESS;
}

uh_status uh_histogram_load_bytes(uh_queue *queue, const void *bytes, size_t size, uh_histogram **histogram) {
    struct uhi_sections sections = {.call = __func__, .source = "bytes", .quote = ""};
    UHI_TRY(check(__func__, queue, histogram));
    if (!bytes && size > 0)
        return uhi_fail_null(__func__, "bytes", "a saved histogram");
    return load(&sections, bytes, size, queue, histogram);
}

uh_status uh_histogram_load(uh_queue *queue, const char *path, uh_histogram **histogram) {
    struct uhi_sections sections = {.call = __func__, .source = path, .quote = "'"};
    unsigned char *bytes = NULL;
    size_t size = 0;
    UHI_TRY(check(__func__, queue, histogram));
    UHI_NEED(__func__, path, "the name of a file");
    uh_status status = uhi_saved_read(&sections, &bytes, &size);
    if (!status)
        status = load(&sections, bytes, size, queue, histogram);
    free(bytes);
    return status;
}
