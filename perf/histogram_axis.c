/* SPDX-License-Identifier: Apache-2.0 */
/* The axis of a case, with the distribution that its bins follow where the method goes by one. */
#include "perf/histogram_rivals.h"

#include <stdlib.h>

static uh_status carry_table(const double *edges, size_t k, const uh_axis *axis, uh_axis **made) {
    double *part = malloc((k + 1) * sizeof *part);
    if (!part)
        return UH_ERROR_OUT_OF_MEMORY;
    for (size_t j = 0; j <= k; j++)
        part[j] = (double)j / (double)k;
    const uh_distribution table = {
        .struct_size = sizeof table, .kind = UH_DISTRIBUTION_TABLE, .x = edges, .f = part, .points = k + 1};
    uh_status status = uh_axis_create_with_distribution(axis, &table, made);
    free(part);
    return status;
}

int histogram_axis(const struct histogram_rival *rival, uh_axis **axis, struct perf_error *error) {
    const struct histogram_case *what = rival->what;
    const double *edges = rival->bench->work.edges;
    uh_distribution distribution = {.struct_size = sizeof distribution};
    uh_axis *plain = NULL;
    if (uh_axis_create_edges(UH_F64, edges, what->k + 1, UH_CLOSED_LEFT, &plain))
        return histogram_library_failed(error);
    if (rival->choice != UH_METHOD_CDF) {
        *axis = plain;
        return PERF_OK;
    }
    uh_status status;
    if (case_bins_parameters(what->bins, edges[what->k], &distribution.location, &distribution.scale)) {
        distribution.kind = what->bins == CASE_BINS_NORMAL        ? UH_DISTRIBUTION_NORMAL
                            : what->bins == CASE_BINS_EXPONENTIAL ? UH_DISTRIBUTION_EXPONENTIAL
                                                                  : UH_DISTRIBUTION_LOGNORMAL;
        status = uh_axis_create_with_distribution(plain, &distribution, axis);
    } else {
        status = carry_table(edges, what->k, plain, axis);
    }
    uh_axis_destroy(plain);
    return status ? histogram_library_failed(error) : PERF_OK;
}
