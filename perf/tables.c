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

/* The one place to change when table XIII can be measured here: the sampler is the operation `sample`. */
const char *perf_tables_no_sampling(void) {
    static const char *const operations[] = {
#define UH_OPERATION(op) #op,
#include "kernels/registry.def"
#undef UH_OPERATION
    };
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        if (strcmp(operations[i], "sample") == 0)
            return "not measured here: unihist-perf sample measures it";
    return "not available: this build has no sampler";
}
