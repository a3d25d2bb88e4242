/* SPDX-License-Identifier: Apache-2.0 */
#include "perf/tables.h"

#include <string.h>

const char *perf_tables_variant(enum tables_variant variant) {
    static const char *const names[TABLES_VARIANTS] = {"NUMPY", "BINARY", "UNIHIST", "AUTO", "LIMIT"};
    return names[variant];
}

enum paper_variant perf_tables_beside(enum tables_variant variant) {
    switch (variant) {
    case TABLES_NUMPY: return PAPER_NUMPY;
    case TABLES_BINARY: return PAPER_BINARY;
    case TABLES_UNIHIST: return PAPER_UNIHIST;
    default: return PAPER_VARIANTS;
    }
}

double perf_tables_rate(const struct tables_device *device, const struct perf_timing *timing) {
    return timing->repetitions ? 1e-6 * (double)device->n / timing->median : 0;
}

double perf_tables_ratio(const struct perf_timing timing[TABLES_VARIANTS], enum tables_variant variant) {
    const struct perf_timing *binary = &timing[TABLES_BINARY];
    return binary->repetitions && timing[variant].repetitions ? binary->median / timing[variant].median : 0;
}

double perf_tables_paper_ratio(const struct paper_histogram *table, size_t k, size_t h) {
    return (double)table->rate[PAPER_UNIHIST][k][h] / (double)table->rate[PAPER_BINARY][k][h];
}

int perf_tables_needs(const int *wanted, enum paper_bins bins) {
    for (size_t i = 0; i < PAPER_HISTOGRAMS; i++)
        if (wanted[i] && paper_histograms[i].bins == bins)
            return 1;
    return 0;
}

int perf_tables_needs_histograms(const int *wanted) {
    for (size_t i = 0; i < PAPER_HISTOGRAMS; i++)
        if (wanted[i])
            return 1;
    return 0;
}

int perf_tables_needs_sampling(const int *wanted) {
    return wanted[PAPER_HISTOGRAMS];
}

/* ---- table XIII ------------------------------------------------------------------------------------------------- */

const char *perf_tables_sampler(enum tables_sampler sampler) {
    static const char *const names[TABLES_SAMPLERS] = {"NUMPY random choice", "UNIHIST random choice",
                                                       "ALIAS random choice", "BINARY random choice", "RANDOM uint32"};
    return names[sampler];
}

size_t perf_tables_sampler_beside(enum tables_sampler sampler) {
    for (size_t i = 0; i < PAPER_SAMPLINGS; i++)
        if (strcmp(paper_samplings[i].variant, perf_tables_sampler(sampler)) == 0)
            return i;
    return PAPER_SAMPLINGS;
}

double perf_tables_sampling_rate(const struct tables_device *device, enum tables_sampler sampler) {
    const struct perf_timing *timing = &device->sampling[sampler];
    return timing->repetitions ? 1e-6 * (double)device->samples / timing->median : 0;
}

double perf_tables_sampling_ratio(const struct tables_device *device, enum tables_sampler below) {
    const struct perf_timing *unihist = &device->sampling[SAMPLER_UNIHIST], *other = &device->sampling[below];
    return unihist->repetitions && other->repetitions ? other->median / unihist->median : 0;
}

double perf_tables_paper_sampling_ratio(enum paper_device device) {
    const int numpy = paper_samplings[perf_tables_sampler_beside(SAMPLER_NUMPY)].rate[device];
    const int unihist = paper_samplings[perf_tables_sampler_beside(SAMPLER_UNIHIST)].rate[device];
    return numpy ? (double)unihist / (double)numpy : 0;
}
