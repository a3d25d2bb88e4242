/* SPDX-License-Identifier: Apache-2.0 */
/* Saving and loading histograms, in files and in memory. */
#include <unihist/save.h>

#include <inttypes.h>

#include "api/histogram.h"
#include "api/sections.h"
#include "runtime/status.h"

/* ---- saving ---- */

/* Computes the size of a saved histogram and, unless `bytes` is NULL, writes it to memory that the caller frees. A
 * growing histogram is saved as one over its current integers, with a section that says so. */
static uh_status save(struct uhi_sections *sections, uh_histogram *histogram, unsigned char **bytes) {
    uh_histogram *fixed = NULL;
    if (!histogram)
        return uhi_fail_null(sections->call, "histogram", "a histogram");
    uh_status status = histogram->growing ? uhi_histogram_fix(sections->call, histogram, &fixed) : UH_SUCCESS;
    uh_histogram *saved = fixed ? fixed : histogram;
    if (!status)
        status = saved->contents->fetch(sections->call, saved);
    if (!status) {
        uhi_sections_save(sections, NULL);
        uhi_save_histogram(sections, saved, histogram->growing);
    }
    if (!status && bytes) {
        *bytes = calloc(1, sections->size);
        if (*bytes) {
            uhi_sections_save(sections, *bytes);
            uhi_save_histogram(sections, saved, histogram->growing);
        } else {
            status = uhi_fail_memory(sections->call, "no memory for %" PRIu64 " bytes to save", sections->size);
        }
    }
    uh_histogram_destroy(fixed);
    return status;
}

uh_status uh_histogram_save_bytes(uh_histogram *histogram, void *bytes, size_t size, size_t *length) {
    struct uhi_sections sections = {.call = __func__};
    unsigned char *made = NULL;
    UHI_NEED(__func__, length, "where to store how many bytes there are");
    uh_status status = save(&sections, histogram, bytes ? &made : NULL);
    if (!status && bytes && size < sections.size)
        status = uhi_fail_argument(__func__, "size", "is %zu, expected at least %" PRIu64, size, sections.size);
    if (!status && made)
        memcpy(bytes, made, sections.size);
    if (!status)
        *length = (size_t)sections.size;
    free(made);
    return status;
}

uh_status uh_histogram_save(uh_histogram *histogram, const char *path) {
    struct uhi_sections sections = {.call = __func__};
    unsigned char *bytes = NULL;
    UHI_NEED(__func__, path, "the name of a file");
    uh_status status = save(&sections, histogram, &bytes);
    if (!status)
        status = uhi_saved_write(__func__, path, bytes, sections.size);
    free(bytes);
    return status;
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
