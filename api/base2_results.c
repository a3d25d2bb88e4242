/* SPDX-License-Identifier: Apache-2.0 */
/* Histograms and quantiles of exponential histograms, and their sums: of two, and of those of all processes. */
#include "api/base2.h"
#include "kernels/common/collective.h"
#include "runtime/status.h"

static uh_status make_histogram(const char *call, const uh_base2 *base2, uh_histogram **histogram) {
    const uh_base2_contents *contents = &base2->kept.contents;
    const uh_base2_buckets *negative = &contents->buckets[0], *positive = &contents->buckets[1];
    const uh_flow *flow = &contents->flow;
    struct uhi_base2_axis axis = {.scale = contents->scale,
                                  .zeros = contents->zero > 0 || (negative->n > 0) == (positive->n > 0),
                                  .zero_threshold = contents->zero_threshold};
    struct uhi_histogram_numbers numbers = {.flow = {{flow->below, flow->above, flow->nan}},
                                            .outside = flow->below + flow->above + flow->nan};
    uh_histogram *made = NULL;
    for (size_t s = 0; s < UHI_SIGNS; s++)
        axis.range[s] = (struct uhi_base2_range){contents->buckets[s].offset,
                                                 contents->buckets[s].offset + (int64_t)contents->buckets[s].n - 1};
    UHI_TRY(uhi_base2_over(call, base2->queue, &axis, &made));
    uint64_t *counts = uhi_histogram_get_counts(made);
    for (size_t j = 0; j < negative->n; j++)
        counts[axis.first[0] + j] = negative->counts[negative->n - 1 - j];
    for (size_t j = 0; j < positive->n; j++)
        counts[axis.first[1] + j] = positive->counts[j];
    if (axis.zeros)
        counts[axis.zero] = contents->zero;
    uhi_base2_count(contents, &numbers.points);
    uhi_histogram_set_numbers(made, &numbers);
    *histogram = made;
    return UH_SUCCESS;
}

uh_status uh_base2_histogram(const uh_base2 *base2, uh_histogram **histogram) {
    UHI_NEED(__func__, base2, "an exponential histogram");
    UHI_NEED(__func__, histogram, "where to store the histogram");
    return make_histogram(__func__, base2, histogram);
}

/* Returns the estimate of the value of this rank: of a bucket's least and greatest value the one that has the same
 * relative distance from both. */
static double value_at(const uh_histogram *histogram, uint64_t rank) {
    const uint64_t *counts = uhi_histogram_get_counts(histogram);
    const double *edges = histogram->axes[0]->as_f64;
    const uint64_t below = uhi_histogram_numbers(histogram).flow[0][UHI_FLOW_BELOW];
    size_t j = 0;
    if (rank < below)
        return -INFINITY;
    for (rank -= below; j < histogram->cells && rank >= counts[j]; j++)
        rank -= counts[j];
    if (j == histogram->cells)
        return INFINITY;
    const double least = nextafter(edges[j], INFINITY), greatest = edges[j + 1];
    const double near = edges[j] < 0 ? greatest : least, far = edges[j] < 0 ? least : greatest;
    if (edges[j] < 0 && greatest >= 0)
        return 0;
    return copysign(fmin(fabs(near / (0.5 + 0.5 * (near / far))), fabs(far)), near);
}

uh_status uh_base2_quantiles(const uh_base2 *base2, const double *q, size_t nq, double *values) {
    uh_histogram *histogram = NULL;
    UHI_NEED(__func__, base2, "an exponential histogram");
    UHI_NEED(__func__, q, "numbers from 0 to 1");
    UHI_NEED(__func__, values, "where to store them");
    for (size_t i = 0; i < nq; i++)
        if (!(q[i] >= 0 && q[i] <= 1))
            return uhi_fail_at(UH_ERROR_INVALID_ARGUMENT, __func__, "q", i, "is %.17g, expected 0 to 1", q[i]);
    UHI_TRY(make_histogram(__func__, base2, &histogram));
    const struct uhi_histogram_numbers numbers = uhi_histogram_numbers(histogram);
    const uint64_t n = numbers.points - numbers.flow[0][UHI_FLOW_NAN];
    for (size_t i = 0; i < nq && n > 0; i++) {
        const double rank = floor((double)(n - 1) * q[i]); /* at most 2^64, to which n - 1 may round */
        values[i] = value_at(histogram, rank < 0x1p64 && (uint64_t)rank < n ? (uint64_t)rank : n - 1);
    }
    uh_histogram_destroy(histogram);
    return n > 0 ? UH_SUCCESS : uhi_fail_argument(__func__, "base2", "has no values, expected some");
}

/* ---- sums ---- */

uh_status uh_base2_merge(uh_base2 *base2, const uh_base2 *from) {
    UHI_NEED(__func__, base2, "an exponential histogram");
    UHI_NEED(__func__, from, "an exponential histogram");
    return uhi_fail_of(__func__, uh_base2_add(base2, &from->kept.contents));
}

enum { HEAD_WORDS = sizeof(uh_base2_contents) / sizeof(uint64_t) };

/* Makes the words that a process sends: the contents, then the counts. */
static uint64_t *make_words(const uh_base2_contents *contents, size_t *n) {
    const uh_base2_buckets *buckets = contents->buckets;
    uint64_t *words = malloc((HEAD_WORDS + buckets[0].n + buckets[1].n) * sizeof *words);
    if (!words)
        return NULL;
    memcpy(words, contents, sizeof *contents);
    *n = HEAD_WORDS;
    for (size_t s = 0; s < UHI_SIGNS; s++)
        for (size_t j = 0; j < buckets[s].n; j++)
            words[(*n)++] = buckets[s].counts[j];
    return words;
}

/* Adds what all processes have sent. */
static uh_status add_words(uh_base2 *sum, const uint64_t *words, size_t n) {
    for (size_t at = 0; at < n;) {
        uh_base2_contents from;
        memcpy(&from, words + at, sizeof from);
        at += HEAD_WORDS;
        for (size_t s = 0; s < UHI_SIGNS; at += from.buckets[s++].n)
            from.buckets[s].counts = words + at;
        UHI_TRY(uh_base2_add(sum, &from));
    }
    return UH_SUCCESS;
}

uh_status uh_base2_exchange(uh_base2 *base2, const uh_exchange *exchange) {
    struct uhi_collective all = {.call = uhi_exchange_call(exchange, __func__), .exchange = exchange};
    uint64_t *words = NULL, *received = NULL, compared[3] = {0};
    size_t n = 0;
    uh_base2 *sum = NULL;
    UHI_TRY(uhi_exchange_check(all.call, "exchange", exchange));
    uh_status status = base2 ? UH_SUCCESS : uhi_fail_null(all.call, "base2", "an exponential histogram");
    if (!exchange->receives)
        status = uhi_fail_argument(all.call, "exchange->receives", "is 0, expected that all receive");
    if (!status) {
        const uh_base2_contents *own = &base2->kept.contents;
        const uh_base2_options options = {sizeof options, base2->max_bins, &base2->max_scale, own->zero_threshold};
        compared[0] = base2->max_bins;
        compared[1] = (uint64_t)base2->max_scale;
        memcpy(&compared[2], &own->zero_threshold, sizeof own->zero_threshold);
        status = uhi_fail_of(all.call, uh_base2_create(base2->queue, &options, &sum));
        if (!status && !(words = make_words(own, &n)))
            status = uhi_fail_memory(all.call, "no memory for counts to send");
    }
    status = uhi_collective_compare(&all, status, compared, 3, "options differ between processes");
    if (!status)
        status = uhi_collective_gather(&all, words, n, &received, &n);
    if (!status)
        status = uhi_fail_of(all.call, add_words(sum, received, n));
    status = uhi_collective_agree(&all, status);
    if (!status && base2 && sum) {
        const struct uhi_base2_kept old = base2->kept;
        base2->kept = sum->kept;
        sum->kept = old;
    }
    uh_base2_destroy(sum);
    free(words);
    free(received);
    return status;
}
