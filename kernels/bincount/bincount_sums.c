/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/bincount/bincount_sums.h"

#include <stdlib.h>

#include "kernels/bincount/bincount_device.h"
#include "kernels/bincount/extent.h"
#include "kernels/common/engine.h"
#include "kernels/registry.h"
#include "runtime/status.h"

/* The most cells of a store. */
#define MOST_CELLS ((uint64_t)UINT32_MAX - 1)

void uhi_bincount_sums_free(struct uhi_bincount_sums *sums) {
    uhi_store_device_destroy(sums->device);
    uhi_store_destroy(sums->store);
    uhi_bincount_free(&sums->count);
    *sums = (struct uhi_bincount_sums){0};
}

void uhi_bincount_sums_clear(struct uhi_bincount_sums *sums) {
    if (sums->store)
        uhi_store_clear(sums->store);
    sums->length = 0;
}

/* A store of at least `cells` cells that holds what there is. Where it grows it grows by half at least. */
static uh_status reserve(const char *call, struct uhi_bincount_sums *sums, uint64_t cells) {
    const uint64_t now = sums->store ? uhi_store_cells(sums->store) : 0, most = now + now / 2;
    struct uhi_store *grown = NULL;
    if (now >= cells)
        return UH_SUCCESS;
    if (cells > MOST_CELLS)
        return uhi_fail(UH_ERROR_UNSUPPORTED, "%s: the largest value is %llu, expected at most %llu with weights", call,
                        (unsigned long long)cells - 1, (unsigned long long)MOST_CELLS - 1);
    cells = cells > most ? cells : most < MOST_CELLS ? most : MOST_CELLS;
    uh_status status = uhi_store_create(call, cells, UH_STORAGE_SUM, sums->sum, &grown);
    if (!status && sums->store)
        status = uhi_store_reserve(call, grown, sums->store);
    if (status) {
        uhi_store_destroy(grown);
        return status;
    }
    for (size_t v = 0; v < sums->length; v++)
        uhi_store_fold(grown, v, sums->store, v);
    uhi_store_device_destroy(sums->device); /* it holds nothing */
    sums->device = NULL;
    uhi_store_destroy(sums->store);
    sums->store = grown;
    return UH_SUCCESS;
}

/* ---- on the host ---- */

/* What a thread has seen. */
struct seen {
    _Alignas(64) uint64_t largest;
    int beyond;
};

/* The values as cells. */
struct source {
    const struct uhi_bincount_host *host;
    size_t size;
    const char *x;
    uint64_t most;
    struct seen *seen; /* of each thread */
};

static void find_cells(const void *context, size_t thread, size_t from, size_t n, uint32_t *cell) {
    const struct source *source = context;
    struct seen *seen = &source->seen[thread];
    const char *x = source->x + from * source->size;
    const uint64_t largest = source->host->largest(source->size, x, n);
    source->host->cells(source->size, x, n, source->most, UHI_OUTSIDE, cell);
    seen->largest = largest > seen->largest ? largest : seen->largest;
    seen->beyond |= largest > source->most;
}

static uh_status add_on_host(const char *call, struct uhi_bincount_sums *sums, uh_dtype dtype, const void *x, size_t n,
                             const uh_array *weights, uint64_t most) {
    const size_t threads = uh_queue_threads(sums->count.queue);
    struct source source = {.host = uhi_bincount_host(), .size = uhi_value_size(dtype), .x = x, .most = most};
    const struct uhi_cell_source cells = {find_cells, &source};
    uint64_t largest = 0;
    int beyond = 0;
    source.seen = aligned_alloc(_Alignof(struct seen), threads * sizeof *source.seen);
    if (!source.seen)
        return uhi_fail(UH_ERROR_OUT_OF_MEMORY, "%s: no memory for %zu threads", call, threads);
    for (size_t t = 0; t < threads; t++)
        source.seen[t] = (struct seen){0};
    uh_status status = uhi_store_add(call, sums->count.queue, sums->store, &cells, n, weights);
    for (size_t t = 0; t < threads; t++) {
        largest = source.seen[t].largest > largest ? source.seen[t].largest : largest;
        beyond |= source.seen[t].beyond;
    }
    free(source.seen);
    if (status)
        return status;
    if (beyond) { /* the store was empty */
        uhi_bincount_sums_clear(sums);
        return uhi_bincount_find_refused(call, sums->count.limit, dtype, x, n);
    }
    sums->length = largest + 1 > sums->length ? largest + 1 : sums->length;
    return UH_SUCCESS;
}

/* ---- on a device ---- */

static uh_status add_on_device(const char *call, struct uhi_bincount_sums *sums, uh_dtype dtype, const void *x,
                               size_t n, const uh_array *weights, uint64_t most) {
    uh_status status = UH_SUCCESS;
    if (!sums->count.device)
        status = uhi_bincount_device_create(call, sums->count.queue, &sums->count.device);
    if (!status && !sums->device)
        status = uhi_store_device_create(call, sums->count.queue, sums->store, &sums->device);
    return status ? status
                  : uhi_bincount_device_weigh(call, sums->count.device, sums->device, sums->count.limit, most + 1,
                                              dtype, x, n, weights);
}

/* Sums are added where they stay, so all values are looked at before; but into an empty store, which can be emptied
 * again, and which is large enough for whatever may come. */
uh_status uhi_bincount_sums_add(const char *call, struct uhi_bincount_sums *sums, uh_dtype dtype, const void *x,
                                size_t n, const uh_array *weights) {
    const int modules = uhi_runs_modules(sums->count.queue);
    const int blind = sums->count.limit.given && sums->length == 0 && !modules;
    uint64_t most = uhi_bincount_allowed(dtype, sums->count.limit);
    uh_status status = UH_SUCCESS;
    if (!blind)
        status = uhi_bincount_look(call, &sums->count, dtype, x, n, &most);
    if (!status)
        status = reserve(call, sums, sums->count.limit.given ? sums->count.limit.most + 1 : most + 1);
    if (status)
        return status;
    if (!modules)
        return add_on_host(call, sums, dtype, x, n, weights, most);
    status = add_on_device(call, sums, dtype, x, n, weights, most);
    if (!status)
        sums->length = most + 1 > sums->length ? most + 1 : sums->length;
    return status;
}
