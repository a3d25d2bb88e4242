/* SPDX-License-Identifier: Apache-2.0 */
/* Each rank fills a histogram over a growing axis; these are combined and read into an array of the resulting
 * length. */
#include <string.h>

#include <unihist/bins.h>
#include <unihist/mpi.h>

#include "api/mpi/group.h"

/* Arguments of a rank: sums if it is weighted, otherwise counts. */
struct request {
    const char *call;
    uh_queue *queue;
    const uh_array *x, *weights;
    int weighted;
    size_t minlength, *length;
    void *to; /* where to store a pointer to the result */
};

/* Makes a histogram of the rank's own values. */
static uh_status fill(const struct request *r, uh_histogram **made) {
    const uh_histogram_options options = {.struct_size = sizeof options,
                                          .storage = r->weighted ? UH_STORAGE_SUM : UH_STORAGE_COUNT,
                                          .minlength = r->minlength};
    uh_axis *axis = NULL;
    if (!r->queue)
        return uhm_fail_null(r->call, "queue", "a queue");
    if (!r->x)
        return uhm_fail_null(r->call, "x", "an array");
    if (r->weighted && !r->weights)
        return uhm_fail_null(r->call, "weights", "an array");
    if (!r->to)
        return uhm_fail_null(r->call, r->weighted ? "sums" : "counts", "where to store them");
    if (!r->length)
        return uhm_fail_null(r->call, "length", "where to store it");
    uh_status status = uh_axis_create_growing(&axis);
    if (!status)
        status = uh_histogram_create(r->queue, &axis, 1, &options, made);
    uh_axis_destroy(axis);
    return status ? status : uh_histogram_fill(*made, r->x, r->weights);
}

/* Lets the library allocate a result of one zero per cell and reads the cells into it. */
static uh_status read(const struct request *r, uh_histogram *histogram, void **result, size_t *length) {
    const uh_array none = uh_array_of(UH_U8, NULL, 0), no_weights = uh_array_of(UH_F64, NULL, 0);
    uh_histogram_properties known = {.struct_size = sizeof known};
    uint64_t *counts = NULL;
    double *sums = NULL;
    uh_status status = uh_histogram_get_properties(histogram, &known);
    const size_t cells = known.cells;
    if (status)
        return status;
    status = r->weighted ? uh_bincount_weighted(r->queue, &none, &no_weights, cells, UH_SUM_EXACT, &sums, length)
                         : uh_bincount(r->queue, &none, cells, &counts, length);
    *result = r->weighted ? (void *)sums : (void *)counts;
    if (!status && cells > 0)
        status =
            r->weighted ? uh_histogram_sums(histogram, UH_F64, sums, NULL) : uh_histogram_counts(histogram, counts);
    return status;
}

static uh_status count(const struct request *r, MPI_Comm comm) {
    struct uhm_group group;
    uh_histogram *histogram = NULL;
    void *result = NULL;
    size_t length = 0;
    uh_status status = uhm_open(r->call, comm, NULL, &group);
    if (!status)
        status = uh_exchange_agree(&group.exchange, fill(r, &histogram));
    if (!status)
        status = uh_histogram_exchange(histogram, &group.exchange);
    if (!status)
        status = uh_exchange_agree(&group.exchange, read(r, histogram, &result, &length));
    if (status) {
        uh_bincount_free(result);
    } else {
        memcpy(r->to, &result, sizeof result);
        *r->length = length;
    }
    uh_histogram_destroy(histogram);
    uhm_close(&group);
    return status;
}

uh_status uh_mpi_bincount(uh_queue *queue, const uh_array *x, size_t minlength, MPI_Comm comm, uint64_t **counts,
                          size_t *length) {
    const struct request r = {
        .call = __func__, .queue = queue, .x = x, .minlength = minlength, .length = length, .to = counts};
    return count(&r, comm);
}

uh_status uh_mpi_bincount_weighted(uh_queue *queue, const uh_array *x, const uh_array *weights, size_t minlength,
                                   MPI_Comm comm, double **sums, size_t *length) {
    const struct request r = {.call = __func__,
                              .queue = queue,
                              .x = x,
                              .weights = weights,
                              .weighted = 1,
                              .minlength = minlength,
                              .length = length,
                              .to = sums};
    return count(&r, comm);
}
