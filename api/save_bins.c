/* SPDX-License-Identifier: Apache-2.0 */
/* Saving and loading values from which bins are made. */
#include <unihist/save.h>

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/bins_values.h"
#include "api/sections.h"
#include "runtime/status.h"

/* What is saved. */
struct saved {
    double range[2];
    uint64_t numbers[10]; /* as numbers_of has them */
    struct uhi_wide_sum sums[2];
    uint64_t n, dims[2];
    size_t weights; /* 0: counts, 1: sums */
    const void *keys, *contents;
};

/* The numbers of an object, to be saved or loaded. */
static void numbers_of(uh_bins *bins, uint64_t *numbers, int loading) {
    uint64_t ranged = (uint64_t)bins->ranged, max = bins->keys.max, joined = bins->keys.joined;
    uint64_t *const all[] = {&ranged,       &max,       &joined,      &bins->offered, &bins->n,
                             &bins->beyond, &bins->nan, &bins->whole, &bins->lowest,  &bins->highest};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (loading)
            *all[i] = numbers[i];
        else
            numbers[i] = *all[i];
    bins->ranged = ranged != 0;
    bins->options.max_values = bins->keys.max = (size_t)max;
    bins->keys.joined = (unsigned)joined;
}

/* In both directions. */
static void exchange(struct uhi_sections *sections, void *object) {
    struct saved *const saved = object;
    static const char *const kinds[] = {"count", "weight"};
    uint64_t n = saved->n;
    uhi_sections_kind(sections, "bins");
    uhi_sections_numbers(sections, "range", "<f8", 2, saved->range);
    uhi_sections_numbers(sections, "numbers", "<u8", 10, saved->numbers);
    uhi_sections_numbers(sections, "sums", "<f8", 6, saved->sums);
    uhi_sections_array(sections, "keys", "<u8", 1, &n, &saved->keys);
    uhi_sections_choice(sections, "contents", kinds, 2, &saved->weights);
    saved->n = saved->dims[0] = n;
    saved->dims[1] = 3;
    uhi_sections_array(sections, kinds[saved->weights], saved->weights ? "<f8" : "<u8", saved->weights ? 2 : 1,
                       saved->dims, &saved->contents);
    uhi_sections_end(sections);
}

/* ---- saving ---- */

/* Makes the bytes, unless `bytes` is NULL, in memory that the caller frees. */
static uh_status save(struct uhi_sections *sections, void *object, unsigned char **bytes) {
    uh_bins *const bins = object;
    struct saved saved = {.n = 0};
    UHI_NEED(sections->call, bins, "bins");
    if (bins->refining || bins->refined)
        return uhi_fail_argument(sections->call, "bins", "has been refined, expected it before");
    UHI_TRY(uhi_keys_sort(sections->call, &bins->keys));
    memcpy(saved.range, bins->range, sizeof saved.range);
    numbers_of(bins, saved.numbers, 0);
    saved.sums[0] = bins->sum;
    saved.sums[1] = bins->squares;
    saved.n = bins->keys.n;
    saved.weights = bins->keys.sum != NULL;
    saved.keys = bins->keys.key ? (const void *)bins->keys.key : &saved;
    saved.contents = bins->keys.sum     ? (const void *)bins->keys.sum
                     : bins->keys.count ? (const void *)bins->keys.count
                                        : &saved;
    return uhi_saved_make(sections, exchange, &saved, bytes);
}

uh_status uh_bins_save_bytes(uh_bins *bins, void *bytes, size_t size, size_t *length) {
    return uhi_saved_to_memory(__func__, save, bins, bytes, size, length);
}

/* ---- loading ---- */

/* Checks what later steps rely on. */
static const char *fault_of(const uh_bins *bins) {
    const struct uhi_keys *keys = &bins->keys;
    uint64_t counts = 0;
    if (!(bins->range[0] < bins->range[1] && isfinite(bins->range[0]) && isfinite(bins->range[1])))
        return "'range' does not ascend";
    if (keys->max < 1024 || keys->max > (size_t)1 << 28 || keys->joined > 63 || keys->n > keys->max ||
        (keys->n > 0) != (bins->n > 0))
        return "'numbers' contradict each other";
    for (size_t i = 0; i < keys->n; i++) {
        if ((i > 0 && keys->key[i] <= keys->key[i - 1]) ||
            keys->key[i] >> keys->joined << keys->joined != keys->key[i] || keys->key[i] > uhi_key_of_f64(DBL_MAX) ||
            keys->key[i] < uhi_key_of_f64(-DBL_MAX) >> keys->joined << keys->joined)
            return "'keys' do not ascend";
        if (keys->sum && !(keys->sum[i].part[0] > 0 && isfinite(keys->sum[i].part[0])))
            return "'weight' has a sum that is not above 0";
        if (!keys->sum && __builtin_add_overflow(counts, keys->count[i], &counts))
            return "'count' is too large";
    }
    if (!keys->sum && counts != bins->whole)
        return "'count' does not add up to the number of values";
    if (keys->n > 0 &&
        (bins->lowest >> keys->joined << keys->joined > keys->key[0] || bins->highest < keys->key[keys->n - 1]))
        return "'numbers' have other extremes than 'keys'";
    return NULL;
}

/* Returns a copy of n words, at least one. */
static void *copy_of(const void *words, size_t n) {
    void *copy = calloc(n + 1, sizeof(uint64_t));
    if (copy && n > 0)
        memcpy(copy, words, n * sizeof(uint64_t));
    return copy;
}

static void load(struct uhi_sections *sections, void *wish) {
    struct saved saved = {.n = 0};
    uh_bins *made = NULL;
    exchange(sections, &saved);
    if (!sections->status)
        sections->status = uhi_fail_of(sections->call, uh_bins_create(NULL, &made));
    if (sections->status)
        return;
    memcpy(made->range, saved.range, sizeof saved.range);
    made->first = uhi_key_of_f64(made->range[0]);
    made->last = uhi_key_of_f64(made->range[1]);
    numbers_of(made, saved.numbers, 1);
    made->sum = saved.sums[0];
    made->squares = saved.sums[1];
    made->keys.n = saved.n;
    made->keys.weighted = saved.weights != 0;
    made->keys.key = copy_of(saved.keys, saved.n);
    if (saved.weights)
        made->keys.sum = copy_of(saved.contents, 3 * saved.n);
    else
        made->keys.count = copy_of(saved.contents, saved.n);
    const int has_memory = made->keys.key && (made->keys.sum || made->keys.count);
    const char *fault = has_memory ? fault_of(made) : NULL;
    if (!has_memory)
        sections->status = uhi_fail_memory(sections->call, "no memory for %" PRIu64 " values", saved.n);
    else if (fault)
        uhi_sections_fail(sections, "section %s", fault);
    if (sections->status)
        uh_bins_destroy(made);
    else
        *(uh_bins **)wish = made;
}

uh_status uh_bins_load_bytes(const void *bytes, size_t size, uh_bins **bins) {
    UHI_NEED(__func__, bins, "where to store the bins");
    return uhi_saved_in_memory(__func__, load, bins, bytes, size);
}
