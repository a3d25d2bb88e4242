/* SPDX-License-Identifier: Apache-2.0 */
/* Preloaded under unihist-perf by test_perf.py: a library that miscounts one bin for one method, the second made. */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <unihist/histogram.h>

#include <dlfcn.h>
#include <string.h>

static const uh_histogram *second;
static int made;

uh_status uh_histogram_create(uh_queue *queue, const uh_axis *axis, const uh_histogram_options *options,
                              uh_histogram **histogram) {
    uh_status (*create)(uh_queue *, const uh_axis *, const uh_histogram_options *, uh_histogram **);
    void *symbol = dlsym(RTLD_NEXT, "uh_histogram_create");
    memcpy(&create, &symbol, sizeof create);
    uh_status status = create(queue, axis, options, histogram);
    if (status == UH_SUCCESS && ++made == 2)
        second = *histogram;
    return status;
}

uh_status uh_histogram_counts(uh_histogram *histogram, uint64_t *counts) {
    uh_status (*get_counts)(uh_histogram *, uint64_t *);
    void *symbol = dlsym(RTLD_NEXT, "uh_histogram_counts");
    memcpy(&get_counts, &symbol, sizeof get_counts);
    uh_status status = get_counts(histogram, counts);
    if (status == UH_SUCCESS && histogram == second)
        counts[3]++;
    return status;
}
