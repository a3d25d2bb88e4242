/* SPDX-License-Identifier: Apache-2.0 */
/* Preloaded under unihist-perf by its tests: a library that miscounts bin 3, of histograms over one axis only the
 * second one made, and moves point 0 of float64 too far. */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <unihist/unihist.h>

#include <dlfcn.h>
#include <math.h>
#include <string.h>

static const uh_histogram *second;
static int made;

/* The library's own function, as `function` of the caller's. */
#define OWN(function, name)                                                                                            \
    __typeof__(name) *function = NULL;                                                                                 \
    void *function##_symbol = dlsym(RTLD_NEXT, #name);                                                                 \
    memcpy(&function, &function##_symbol, sizeof function)

uh_status uh_histogram_create(uh_queue *queue, uh_axis *const *axes, size_t naxes, const uh_histogram_options *options,
                              uh_histogram **histogram) {
    OWN(create, uh_histogram_create);
    uh_status status = create(queue, axes, naxes, options, histogram);
    if (status == UH_SUCCESS && naxes == 1 && ++made == 2)
        second = *histogram;
    return status;
}

uh_status uh_histogram_counts(uh_histogram *histogram, uint64_t *counts) {
    OWN(get_counts, uh_histogram_counts);
    uh_histogram_properties properties = {.struct_size = sizeof properties};
    uh_status status = get_counts(histogram, counts);
    if (status == UH_SUCCESS)
        status = uh_histogram_get_properties(histogram, &properties);
    if (status == UH_SUCCESS && (histogram == second || properties.naxes > 1))
        counts[3]++;
    return status;
}

/* By the smallest difference. */
uh_status uh_histogram_sums(uh_histogram *histogram, uh_dtype dtype, void *sum, void *sum_squares) {
    OWN(get_sums, uh_histogram_sums);
    uh_status status = get_sums(histogram, dtype, sum, sum_squares);
    double *sums = sum;
    if (status == UH_SUCCESS && dtype == UH_F64)
        sums[3] = nextafter(sums[3], (double)INFINITY);
    return status;
}

uh_status uh_bincount(uh_queue *queue, const uh_array *x, uint64_t *counts, size_t bins, size_t *length) {
    OWN(count, uh_bincount);
    uh_status status = count(queue, x, counts, bins, length);
    if (status == UH_SUCCESS)
        counts[3]++;
    return status;
}

uh_status uh_histo(uh_queue *queue, const uh_array *indices, const uh_histo_options *options, uint8_t *out,
                   uh_histo_report *report) {
    OWN(count, uh_histo);
    uh_status status = count(queue, indices, options, out, report);
    if (status == UH_SUCCESS)
        out[3] ^= 1;
    return status;
}

uh_status uh_clusters_get_properties(const uh_clusters *clusters, uh_clusters_properties *properties) {
    static double moved[1 << 20];
    OWN(get_properties, uh_clusters_get_properties);
    uh_status status = get_properties(clusters, properties);
    const size_t words = status == UH_SUCCESS ? properties->moved * properties->dims : 0;
    if (properties->dtype == UH_F64 && words && words <= sizeof moved / sizeof *moved) {
        memcpy(moved, properties->shifted, words * sizeof *moved);
        moved[0] += 0.01 * properties->radius;
        properties->shifted = moved;
    }
    return status;
}

uh_status uh_sampler_draw(uh_sampler *sampler, uint64_t seed, uint64_t offset, uh_dtype dtype, void *out, size_t n) {
    OWN(draw, uh_sampler_draw);
    uh_status status = draw(sampler, seed, offset, dtype, out, n);
    if (status == UH_SUCCESS)
        *((unsigned char *)out + 3 * uh_dtype_size(dtype)) ^= 1;
    return status;
}
