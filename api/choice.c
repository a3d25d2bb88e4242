/* SPDX-License-Identifier: Apache-2.0 */
/* numpy.random.choice and multinomial: samplers for a single call. */
#include <stdlib.h>
#include <string.h>

#include <unihist/sample.h>

#include "api/histogram.h"
#include "kernels/sample/sample_run.h"
#include "kernels/sample/tuning.h"
#include "runtime/status.h"

struct picking {
    const char *population;
    size_t item_size, n;
    const void *indices;
    int wide;
    char *out;
};

/* Copies items whose size is a compile-time constant. */
__attribute__((always_inline)) static inline void pick_items(const struct picking *p, size_t from, size_t to,
                                                             size_t size) {
    const uint32_t *narrow = p->indices;
    const uint64_t *indices = p->indices;
    const int wide = p->wide;
    for (size_t i = from; i < to; i++)
        memcpy(p->out + i * size, p->population + (wide ? indices[i] : narrow[i]) * size, size);
}

static void pick_part(const void *context, size_t part, size_t parts) {
    const struct picking *p = context;
    const size_t from = uhi_part_start(p->n, parts, part), to = uhi_part_start(p->n, parts, part + 1);
    switch (p->item_size) {
    case 1: pick_items(p, from, to, 1); break;
    case 4: pick_items(p, from, to, 4); break;
    case 8: pick_items(p, from, to, 8); break;
    default: pick_items(p, from, to, p->item_size); break;
    }
}

/* Draws indices block by block and copies the items at them. */
static uh_status pick(uh_queue *queue, const char *call, uh_sampler *sampler, struct picking p, size_t n, uint64_t seed,
                      uint64_t offset) {
    const int wide = (uint64_t)uhi_sampler_get_form(sampler)->last > UINT32_MAX;
    const size_t max = n < UHI_CHOICE_PIECE ? n : UHI_CHOICE_PIECE;
    void *indices = malloc(max * (wide ? sizeof(uint64_t) : sizeof(uint32_t)) + 1);
    uh_status status = UH_SUCCESS;
    if (!indices)
        return uhi_fail_memory(call, "no memory for %zu indices", max);
    p.indices = indices;
    p.wide = wide;
    for (size_t at = 0; at < n && !status; at += p.n, p.out += p.n * p.item_size) {
        p.n = n - at < max ? n - at : max;
        status = uhi_sampler_draw(sampler, call, seed, offset + at, wide, indices, p.n);
        if (!status)
            uhi_host_parallel(queue, "choice: pick", pick_part, &p, uhi_parts_for(queue, p.n, UHI_CHOICE_A_THREAD));
    }
    free(indices);
    return status;
}

/* Checks that `weights` is an array of k elements. */
static uh_status check_weights(const char *call, const uh_array *weights, size_t k) {
    uh_status status = uhi_check_array(call, "from->weights", UH_NO_INDEX, weights);
    if (status || weights->count == k)
        return status;
    return uhi_fail_argument(call, "from->weights->count", "is %zu and count is %zu, expected as many", weights->count,
                             k);
}

/* Checks `population` and `out`. */
static uh_status check_memory(const char *call, const uh_queue *queue, const void *population, size_t k,
                              size_t item_size, size_t n, const void *out) {
    if (!out && n > 0)
        return uhi_fail_argument(call, "out", "is NULL, expected room for %zu elements", n);
    if (!population && item_size != 4 && item_size != 8)
        return uhi_fail_argument(call, "from->item_size", "is %zu, expected 4 or 8 where items is NULL", item_size);
    if (!population && item_size == 4 && k - 1 > UINT32_MAX)
        return uhi_fail_argument(call, "from->item_size", "is 4, which does not hold indices to %zu", k - 1);
    if (item_size == 0 || n > SIZE_MAX / item_size || (population && k > SIZE_MAX / item_size))
        return uhi_fail_argument(call, "from->item_size",
                                 "is %zu, expected 1 or more, and arrays of it that memory can hold", item_size);
    if (!population)
        return UH_SUCCESS;
    const uh_array items = uh_array_of(UH_U8, population, k * item_size);
    UHI_TRY(uhi_check_host_memory(queue, call, "from->items", population, k * item_size));
    UHI_TRY(uhi_check_host_memory(queue, call, "out", out, n * item_size));
    return uhi_check_disjoint(call, "out", out, n, item_size, "from->items", &items);
}

uh_status uh_choice(uh_queue *queue, const uh_population *from, uint64_t seed, uint64_t offset, void *out, size_t n) {
    UHI_NEED(__func__, from, "a population");
    const void *population = from->items;
    const size_t k = from->count, item_size = from->item_size;
    const uh_array *weights = from->weights;
    const struct uhi_sampler_form uniform = {.last = (int64_t)(k - 1), .uniform = 1};
    uh_sampler *sampler = NULL;
    UHI_NEED(__func__, queue, "a queue");
    if (k == 0 || k > (size_t)INT64_MAX)
        return uhi_fail_argument(__func__, "from->count", "is %zu, expected 1 to 2^63 - 1", k);
    UHI_TRY(uhi_samples_check(__func__, n, offset));
    UHI_TRY(check_memory(__func__, queue, population, k, item_size, n, out));
    if (weights)
        UHI_TRY(check_weights(__func__, weights, k));
    UHI_TRY(weights ? uhi_sampler_of_weights(queue, __func__, weights, UH_SAMPLE_UNIHIST, &sampler)
                    : uhi_sampler_make(queue, __func__, &uniform, &sampler));
    const struct picking picking = {.population = population, .item_size = item_size, .out = out};
    const uh_status status = population ? pick(queue, __func__, sampler, picking, n, seed, offset)
                                        : uhi_sampler_draw(sampler, __func__, seed, offset, item_size == 8, out, n);
    uhi_sampler_free(sampler);
    return status;
}

uh_status uh_multinomial(uh_queue *queue, const uh_array *weights, uint64_t seed, uint64_t offset, uint64_t n,
                         uint64_t *counts) {
    uh_sampler *sampler = NULL;
    UHI_NEED(__func__, queue, "a queue");
    UHI_NEED(__func__, counts, "room for one per weight");
    UHI_TRY(uhi_samples_check(__func__, n, offset));
    UHI_TRY(uhi_check_array(__func__, "weights", UH_NO_INDEX, weights));
    UHI_TRY(uhi_sampler_of_weights(queue, __func__, weights, UH_SAMPLE_UNIHIST, &sampler));
    const uh_status status = uhi_sampler_count(sampler, __func__, seed, offset, n, counts, weights->count);
    uhi_sampler_free(sampler);
    return status;
}
