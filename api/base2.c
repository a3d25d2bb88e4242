/* SPDX-License-Identifier: Apache-2.0 */
/* Exponential histograms: values are counted by ordinary histograms, over axes of explicit edges. */
#include "api/base2.h"

#include <float.h>
#include <inttypes.h>

#include "runtime/queue.h"
#include "runtime/status.h"

/* ---- contents ---- */

static struct uhi_base2_range coarser(struct uhi_base2_range range, int scales) {
    return uhi_base2_width(range) ? (struct uhi_base2_range){range.lo >> scales, range.hi >> scales} : range;
}

/* Returns the range of buckets that are not empty, at a scale that is lower by `scales`. */
static struct uhi_base2_range range_of(const uh_base2_buckets *buckets, int scales) {
    struct uhi_base2_range range = {buckets->offset, buckets->offset + (int64_t)buckets->n - 1};
    while (range.lo <= range.hi && !buckets->counts[range.lo - buckets->offset])
        range.lo++;
    while (range.lo <= range.hi && !buckets->counts[range.hi - buckets->offset])
        range.hi--;
    return coarser(range, scales);
}

/* Stores the ranges of buckets of both that are not empty, at the highest scale at which they fit, which is
 * returned. */
static int join(const uh_base2_contents *a, const uh_base2_contents *b, size_t max_bins,
                struct uhi_base2_range joined[UHI_SIGNS]) {
    int scale = a->scale < b->scale ? a->scale : b->scale;
    for (int s = 0; s < UHI_SIGNS; s++) {
        const struct uhi_base2_range x = range_of(&a->buckets[s], a->scale - scale),
                                     y = range_of(&b->buckets[s], b->scale - scale);
        joined[s] = uhi_base2_width(x) ? x : y;
        if (uhi_base2_width(x) && uhi_base2_width(y))
            joined[s] = (struct uhi_base2_range){x.lo < y.lo ? x.lo : y.lo, x.hi > y.hi ? x.hi : y.hi};
    }
    for (; uhi_base2_width(joined[0]) > max_bins || uhi_base2_width(joined[1]) > max_bins; scale--)
        for (int s = 0; s < UHI_SIGNS; s++)
            joined[s] = coarser(joined[s], 1);
    return scale;
}

int uhi_base2_count(const uh_base2_contents *contents, uint64_t *all) {
    const uh_flow *flow = &contents->flow;
    int over = __builtin_add_overflow(contents->zero, flow->nan, all);
    over |= __builtin_add_overflow(*all, flow->below, all);
    over |= __builtin_add_overflow(*all, flow->above, all);
    for (int s = 0; s < UHI_SIGNS; s++)
        for (size_t j = 0; j < contents->buckets[s].n; j++)
            over |= __builtin_add_overflow(*all, contents->buckets[s].counts[j], all);
    return !over;
}

/* Adds buckets to counts of a scale that is lower by `scales`, which begin with bucket `lo`. */
static void add_buckets(const uh_base2_buckets *from, int scales, int64_t lo, uint64_t *counts) {
    const struct uhi_base2_range range = range_of(from, 0);
    for (int64_t i = range.lo; i <= range.hi; i++)
        counts[(i >> scales) - lo] += from->counts[i - from->offset];
}

/* Adds contents, which may be those of `to`; `to` is unchanged on failure. */
static uh_status add(const char *call, struct uhi_base2_kept *to, const uh_base2_contents *from, size_t max_bins) {
    uh_base2_contents *own = &to->contents, sum = *own;
    struct uhi_base2_range range[UHI_SIGNS];
    uint64_t all, more;
    if (!uhi_base2_count(from, &more) || !uhi_base2_count(own, &all) || more > UINT64_MAX - all)
        return uhi_fail(UH_ERROR_OVERFLOW, call, NULL, "the values pass 2^64 - 1");
    sum.scale = join(own, from, max_bins, range);
    uint64_t *counts = calloc(uhi_base2_width(range[0]) + uhi_base2_width(range[1]) + 1, sizeof *counts);
    if (!counts)
        return uhi_fail_memory(call, "no memory for buckets");
    for (int s = 0; s < UHI_SIGNS; s++) {
        uint64_t *first = counts + (s ? uhi_base2_width(range[0]) : 0);
        const size_t n = uhi_base2_width(range[s]);
        add_buckets(&own->buckets[s], own->scale - sum.scale, range[s].lo, first);
        add_buckets(&from->buckets[s], from->scale - sum.scale, range[s].lo, first);
        sum.buckets[s] = (uh_base2_buckets){n ? (int32_t)range[s].lo : 0, n, first};
    }
    sum.zero += from->zero;
    sum.flow.below += from->flow.below;
    sum.flow.above += from->flow.above;
    sum.flow.nan += from->flow.nan;
    *own = sum;
    free(to->counts);
    to->counts = counts;
    return UH_SUCCESS;
}

/* ---- objects ---- */

uh_status uh_base2_create(uh_queue *queue, const uh_base2_options *options, uh_base2 **base2) {
    uh_base2_options taken = {.struct_size = 0};
    UHI_NEED(__func__, queue, "a queue");
    UHI_NEED(__func__, base2, "where to store it");
    UHI_TRY(uhi_sized_read(__func__, "options", options, &taken, sizeof taken));
    const size_t max_bins = taken.max_bins ? taken.max_bins : 160;
    const int32_t max_scale = taken.max_scale ? *taken.max_scale : UH_BASE2_MAX_SCALE;
    UHI_TRY(uhi_check_between(__func__, "options->max_bins", UH_NO_INDEX, max_bins, 4, 1 << 20));
    if (max_scale < UH_BASE2_MIN_SCALE || max_scale > UH_BASE2_MAX_SCALE)
        return uhi_fail_argument(__func__, "options->max_scale", "is %" PRId32 ", expected %d to %d", max_scale,
                                 UH_BASE2_MIN_SCALE, UH_BASE2_MAX_SCALE);
    UHI_TRY(uhi_check_number(__func__, "options->zero_threshold", taken.zero_threshold, 0, DBL_MAX,
                             "a finite number that is not negative"));
    uh_base2 *made = calloc(1, sizeof *made);
    if (!made)
        return uhi_fail_memory(__func__, "no memory for an exponential histogram");
    made->queue = queue;
    made->max_bins = max_bins;
    made->max_scale = max_scale;
    made->kept.contents.struct_size = sizeof made->kept.contents;
    made->kept.contents.scale = max_scale;
    made->kept.contents.zero_threshold = fabs(taken.zero_threshold); /* never -0 */
    uhi_queue_retain(queue);
    *base2 = made;
    return UH_SUCCESS;
}

static void drop(struct uhi_base2_counter *counter) {
    uh_histogram_destroy(counter->histogram);
    counter->histogram = NULL;
}

void uh_base2_destroy(uh_base2 *base2) {
    if (!base2)
        return;
    drop(&base2->counter);
    free(base2->kept.counts);
    uhi_queue_release(base2->queue);
    free(base2);
}

/* ---- counting ---- */

uh_status uhi_base2_over(const char *call, uh_queue *queue, struct uhi_base2_axis *over, uh_histogram **histogram) {
    uh_axis *axis = NULL;
    UHI_TRY(uhi_base2_axis_make(call, over, &axis));
    const uh_status status = uhi_histogram_make(call, queue, &(const uh_axis *){axis}, 1, NULL, histogram);
    uh_axis_destroy(axis);
    return status;
}

/* Counts values. `found` points into the histogram until that is reset; *missed is the number of values that it lacks.
 */
static uh_status count(const char *call, const struct uhi_base2_counter *counter, const uh_array *x,
                       uh_base2_contents *found, uint64_t *missed) {
    static const char *const names[] = {"x->data", NULL};
    const struct uhi_base2_axis *axis = &counter->axis;
    uh_histogram *histogram = counter->histogram;
    UHI_TRY(uhi_histogram_fill(call, histogram, &(struct uhi_filled){x, NULL, names}));
    UHI_TRY(histogram->contents->fetch(call, histogram));
    const struct uhi_histogram_numbers numbers = uhi_histogram_numbers(histogram);
    const uint64_t *flow = numbers.flow[0];
    uint64_t *counts = uhi_histogram_get_counts(histogram), all;
    *found = (uh_base2_contents){
        .scale = axis->scale, .zero = axis->zeros ? counts[axis->zero] : 0, .flow = {.nan = flow[UHI_FLOW_NAN]}};
    if (axis->closed) {
        found->flow.below = flow[UHI_FLOW_BELOW];
        found->flow.above = flow[UHI_FLOW_ABOVE];
    }
    for (int s = 0; s < UHI_SIGNS; s++) {
        const size_t n = uhi_base2_width(axis->range[s]);
        uint64_t *first = counts + axis->first[s];
        for (size_t j = 0; j < n / 2 && s == 0; j++) { /* in the order of magnitudes */
            const uint64_t other = first[j];
            first[j] = first[n - 1 - j];
            first[n - 1 - j] = other;
        }
        found->buckets[s] = (uh_base2_buckets){n ? (int32_t)axis->range[s].lo : 0, n, first};
    }
    uhi_base2_count(found, &all);
    *missed = numbers.points - all;
    return UH_SUCCESS;
}

/* Whether buckets may fit at a scale that is higher by `more`, if nothing is known but that all buckets between the
 * outer ones become several; and are few enough to be tried. */
static int may_fit(size_t widest, int more, size_t max_bins) {
    const size_t enough = max_bins > 1024 ? 4 * max_bins : 4096;
    return widest <= enough >> more && (widest <= 2 || ((widest - 2) << more) + 2 <= max_bins);
}

/* Counts values of an unknown range: over all of float64 at a low scale, and then at higher ones over the range found.
 */
static uh_status search(const char *call, const uh_base2 *base2, const uh_array *x, int max_scale,
                        struct uhi_base2_counter *counter, uh_base2_contents *found) {
    const uh_base2_contents none = {.scale = max_scale};
    const double threshold = base2->kept.contents.zero_threshold;
    int scale = max_scale < 0 ? max_scale : 0, more = 0;
    struct uhi_base2_range range[UHI_SIGNS] = {uhi_base2_all(scale), uhi_base2_all(scale)};
    do {
        uint64_t missed;
        for (int s = 0; s < UHI_SIGNS; s++)
            if (uhi_base2_width(range[s]))
                range[s] = (struct uhi_base2_range){range[s].lo * (1 << more), (range[s].hi + 1) * (1 << more) - 1};
        scale += more;
        drop(counter);
        counter->axis = (struct uhi_base2_axis){scale, 1, 1, {range[0], range[1]}, threshold, 0, {0, 0}};
        UHI_TRY(uhi_base2_over(call, base2->queue, &counter->axis, &counter->histogram));
        UHI_TRY(count(call, counter, x, found, &missed));
        join(found, &none, SIZE_MAX, range);
        const size_t a = uhi_base2_width(range[0]), b = uhi_base2_width(range[1]), widest = a > b ? a : b;
        if (widest == 0) /* zeros have no scale */
            found->scale = scale = max_scale;
        for (more = 0; scale + more < max_scale && may_fit(widest, more + 1, base2->max_bins);)
            more++;
    } while (more > 0);
    return UH_SUCCESS;
}

/* Makes the counter for values as they were so far, and as many buckets around them as will still fit. Bins for other
 * values are left out, because those of zeros and infinite ones make look-ups slower: values in no bin are missed. */
static uh_status aim(const char *call, uh_base2 *base2, const uh_base2_contents *staged) {
    const uh_base2_contents *kept = &base2->kept.contents;
    struct uhi_base2_axis *axis = &base2->counter.axis;
    struct uhi_base2_range *range = axis->range;
    *axis = (struct uhi_base2_axis){.zero_threshold = kept->zero_threshold};
    axis->scale = join(kept, staged, base2->max_bins, range);
    const struct uhi_base2_range all = uhi_base2_all(axis->scale);
    for (int s = 0; s < UHI_SIGNS; s++) {
        const int64_t n = (int64_t)uhi_base2_width(range[s]), most = (int64_t)base2->max_bins;
        const int64_t lo = range[s].lo - (most - n) / 2;
        if (n == 0)
            continue;
        range[s].lo = lo > all.lo ? lo : all.lo;
        range[s].hi = range[s].lo + most - 1 < all.hi ? range[s].lo + most - 1 : all.hi;
    }
    axis->zeros = kept->zero + staged->zero > 0 || (uhi_base2_width(range[0]) && uhi_base2_width(range[1]));
    axis->closed = kept->flow.below + kept->flow.above + staged->flow.below + staged->flow.above > 0;
    return uhi_base2_over(call, base2->queue, axis, &base2->counter.histogram);
}

static int has_buckets(const uh_base2_contents *contents) {
    return contents->buckets[0].n > 0 || contents->buckets[1].n > 0;
}

/* Adds a part of the values to `staged`, and stores the number of them whose range was not known before. */
static uh_status fill_part(const char *call, uh_base2 *base2, const uh_array *x, struct uhi_base2_kept *staged,
                           uint64_t *missed) {
    struct uhi_base2_counter searching = {.histogram = NULL};
    uh_base2_contents found;
    uh_status status = UH_SUCCESS;
    *missed = x->count;
    if (!base2->counter.histogram && (has_buckets(&base2->kept.contents) || has_buckets(&staged->contents)))
        UHI_TRY(aim(call, base2, &staged->contents));
    if (base2->counter.histogram)
        UHI_TRY(count(call, &base2->counter, x, &found, missed));
    if (*missed) {
        drop(&base2->counter);
        status = search(call, base2, x, staged->contents.scale, &searching, &found);
    }
    if (!status)
        status = add(call, staged, &found, base2->max_bins);
    if (*missed == 0)
        uh_histogram_reset(base2->counter.histogram);
    drop(&searching);
    return status;
}

/* Parts grow, so that a search repeats little. */
uh_status uh_base2_fill(uh_base2 *base2, const uh_array *x) {
    enum { FIRST_PART = 1 << 16, FIRST_KNOWN = 1 << 20, GROWTH = 8 };
    UHI_NEED(__func__, base2, "an exponential histogram");
    UHI_TRY(uhi_check_array(__func__, "x", UH_NO_INDEX, x));
    struct uhi_base2_kept staged = {.contents = {.scale = base2->kept.contents.scale}};
    size_t size = base2->counter.histogram ? FIRST_KNOWN : FIRST_PART;
    uh_status status = UH_SUCCESS;
    for (size_t at = 0; at < x->count && !status;) {
        uh_array part = *x;
        uint64_t missed = 0;
        part.data = (const char *)x->data + (ptrdiff_t)at * x->stride;
        part.count = x->count - at < size ? x->count - at : size;
        status = fill_part(__func__, base2, &part, &staged, &missed);
        at += part.count;
        size = missed == 0 && size < SIZE_MAX / GROWTH ? size * GROWTH : size;
    }
    if (!status)
        status = add(__func__, &base2->kept, &staged.contents, base2->max_bins);
    if (status)
        drop(&base2->counter); /* it may have values */
    free(staged.counts);
    return status;
}

/* ---- contents of callers and of other objects ---- */

static uh_status check_contents(const char *call, const uh_base2 *base2, const uh_base2_contents *given) {
    if (given->scale < UH_BASE2_MIN_SCALE || given->scale > UH_BASE2_MAX_SCALE)
        return uhi_fail_argument(call, "contents->scale", "is %" PRId32 ", expected %d to %d", given->scale,
                                 UH_BASE2_MIN_SCALE, UH_BASE2_MAX_SCALE);
    const struct uhi_base2_range all = uhi_base2_all(given->scale);
    for (size_t s = 0; s < UHI_SIGNS; s++) {
        const uh_base2_buckets *buckets = &given->buckets[s];
        if (buckets->n > 0 && !buckets->counts)
            return uhi_fail_member(UH_ERROR_INVALID_ARGUMENT, call, "contents->buckets", s, "counts",
                                   "is NULL, expected %zu counts", buckets->n);
        if (buckets->n > 0 && (buckets->offset < all.lo || buckets->offset > all.hi ||
                               buckets->n > (size_t)(all.hi - buckets->offset + 1)))
            return uhi_fail_member(UH_ERROR_INVALID_ARGUMENT, call, "contents->buckets", s, "offset",
                                   "is %" PRId32 " for %zu buckets, expected those from %" PRId64 " to %" PRId64,
                                   buckets->offset, buckets->n, all.lo, all.hi);
    }
    if (given->zero_threshold == base2->kept.contents.zero_threshold)
        return UH_SUCCESS;
    return uhi_fail(UH_ERROR_INCOMPATIBLE, call, "contents->zero_threshold", "is %.17g, expected %.17g",
                    given->zero_threshold, base2->kept.contents.zero_threshold);
}

uh_status uh_base2_add(uh_base2 *base2, const uh_base2_contents *contents) {
    uh_base2_contents taken;
    UHI_NEED(__func__, base2, "an exponential histogram");
    UHI_NEED(__func__, contents, "contents to add");
    UHI_TRY(uhi_sized_read(__func__, "contents", contents, &taken, sizeof taken));
    UHI_TRY(check_contents(__func__, base2, &taken));
    return add(__func__, &base2->kept, &taken, base2->max_bins);
}

uh_status uh_base2_get_contents(const uh_base2 *base2, uh_base2_contents *contents) {
    UHI_NEED(__func__, base2, "an exponential histogram");
    UHI_NEED(__func__, contents, "where to store them");
    UHI_TRY(uhi_sized_check(__func__, "contents", contents, sizeof *contents));
    uhi_sized_write(contents, &base2->kept.contents);
    return UH_SUCCESS;
}
