/* SPDX-License-Identifier: Apache-2.0 */
/* Exact quantiles of the values of one or several processes. The bits of a float64 give its key, an integer in the same
 * order. Key ranges that hold wanted values are divided; histograms over the dividing numbers tell which part holds
 * each value; this repeats until one key is left (Knuth, TAOCP vol. 3, 5.2.5, radix methods from the most significant
 * digit). Devices count, and processes add, ordinary histograms. */

#include "api/histogram.h"
#include "kernels/common/collective.h"
#include "runtime/status.h"

/* Approximate number of values that divide the keys per pass; their counts, 512 KiB, are sent. */
enum { DIVIDED = 1 << 16 };

/* Values with keys low to high, at least one of them wanted. */
struct bracket {
    uint64_t low, high;
    uint64_t before; /* number of values smaller than these */
};

struct search {
    const char *call;
    const uh_exchange *exchange;
    uh_queue *queue;
    const uh_array *x;
    const double *q;
    size_t nq;
    uint64_t n;       /* values of all processes, excluding NaN */
    uint64_t *places; /* wanted indices into all sorted values; ascending */
    double *found;    /* the values at `places`; the quantiles follow after room for 2 nq */
    size_t nplaces;   /* at most 2 nq, as is the number of brackets */
    struct bracket *brackets, *next;
    size_t nbrackets, parts; /* parts per bracket */
    double *edges;           /* at most nbrackets (parts + 1) + 1 */
    uint64_t *counts;
    size_t nedges;
};

/* ---- one pass ---- */

/* Returns the number of keys per part of a bracket. */
static uint64_t step_of(const struct search *search, const struct bracket *bracket) {
    return (bracket->high - bracket->low) / search->parts + 1;
}

/* Makes the edges: the start of each part, the value after each bracket, and infinity. */
static uh_status make_edges(struct search *search) {
    const size_t most = DIVIDED / search->nbrackets;
    search->parts = most > 2 ? most : 2;
    const size_t room = search->nbrackets * (search->parts + 1) + 1;
    free(search->edges);
    free(search->counts);
    search->edges = malloc(room * sizeof *search->edges);
    search->counts = malloc(room * sizeof *search->counts);
    if (!search->edges || !search->counts)
        return uhi_fail_memory(search->call, "no memory for %zu edges", room);
    search->nedges = 0;
    for (size_t b = 0; b < search->nbrackets; b++) {
        const struct bracket *bracket = &search->brackets[b];
        const uint64_t step = step_of(search, bracket), keys = bracket->high - bracket->low;
        for (uint64_t at = 0; at <= keys; at += step)
            search->edges[search->nedges++] = uhi_f64_of_key(bracket->low + at);
        if (bracket->high < uhi_key_of_f64(INFINITY))
            search->edges[search->nedges++] = uhi_f64_of_key(bracket->high + 1);
    }
    search->edges[search->nedges++] = INFINITY;
    return UH_SUCCESS;
}

static uh_status fill(struct search *search, uh_histogram **made) {
    static const char *const names[UH_MAX_AXES + 1] = {"x->data"};
    uh_axis *axis = NULL;
    uh_status status = make_edges(search);
    if (!status)
        status = uh_axis_create_edges(UH_F64, search->edges, search->nedges, UH_CLOSED_LEFT, &axis);
    if (!status)
        status = uh_histogram_create(search->queue, &axis, 1, NULL, made);
    uh_axis_destroy(axis);
    if (status)
        return uhi_fail_of(search->call, status);
    return uhi_histogram_fill(search->call, *made, &(struct uhi_filled){search->x, NULL, names});
}

/* Counts the values of all processes. */
static uh_status count(struct search *search) {
    uh_histogram *histogram = NULL;
    uh_status status = uhi_exchange_agree(search->call, search->exchange, fill(search, &histogram));
    if (!status && search->exchange)
        status = uh_histogram_exchange(histogram, search->exchange);
    if (!status)
        status = uh_histogram_counts(histogram, search->counts);
    uh_histogram_destroy(histogram);
    return status;
}

/* Narrows the brackets to the parts that hold wanted values. */
static void narrow(struct search *search) {
    size_t place = 0, edge = 0, n = 0;
    for (size_t b = 0; b < search->nbrackets; b++) {
        const struct bracket bracket = search->brackets[b];
        const uint64_t step = step_of(search, &bracket), keys = bracket.high - bracket.low;
        uint64_t before = bracket.before;
        for (uint64_t at = 0; at <= keys; at += step, before += search->counts[edge++]) {
            const uint64_t counted = search->counts[edge];
            if (place == search->nplaces || search->places[place] - before >= counted)
                continue;
            const uint64_t last = keys - at < step ? keys : at + step - 1;
            search->next[n++] = (struct bracket){bracket.low + at, bracket.low + last, before};
            while (place < search->nplaces && search->places[place] - before < counted)
                place++;
        }
        edge += bracket.high < uhi_key_of_f64(INFINITY); /* skip the bin after the bracket */
    }
    struct bracket *old = search->brackets;
    search->brackets = search->next;
    search->next = old;
    search->nbrackets = n;
}

/* ---- all passes ---- */

/* Returns the index at or below a quantile's position. Clamped because the last index may be rounded up to float64. */
static uint64_t place_below(const struct search *search, double at) {
    const uint64_t last = search->n - 1;
    return at < (double)last ? (uint64_t)at : last;
}

/* Finds the wanted indices: both neighbours of each quantile, each once, ascending. */
static void find_places(struct search *search) {
    const uint64_t last = search->n - 1;
    search->nplaces = 0;
    for (size_t j = 0; j < search->nq; j++) {
        const uint64_t below = place_below(search, (double)last * search->q[j]);
        for (uint64_t place = below; place <= below + 1 && place <= last; place++)
            if (search->nplaces == 0 || place > search->places[search->nplaces - 1])
                search->places[search->nplaces++] = place;
    }
}

/* Linear interpolation as in numpy.quantile. `values` may alias q. */
static void interpolate(const struct search *search, double *values) {
    const uint64_t last = search->n - 1;
    double *made = search->found + 2 * search->nq;
    size_t i = 0;
    for (size_t j = 0; j < search->nq; j++) {
        const double at = (double)last * search->q[j], t = at - floor(at);
        while (search->places[i] < place_below(search, at))
            i++;
        const double a = search->found[i], b = search->places[i] < last ? search->found[i + 1] : a, step = b - a;
        made[j] = t >= 0.5 ? b - step * (1 - t) : a + step * t;
    }
    memcpy(values, made, search->nq * sizeof *made);
}

static uh_status find(struct search *search, double *values) {
    uh_status status = UH_SUCCESS;
    int started = 0;
    search->brackets[0] = (struct bracket){uhi_key_of_f64(-INFINITY), uhi_key_of_f64(INFINITY), 0};
    search->nbrackets = 1;
    for (int left = 1; left && !status;) {
        status = count(search);
        if (status)
            return status;
        if (!started++) {
            search->n = 0;
            for (size_t i = 0; i + 1 < search->nedges; i++)
                search->n += search->counts[i];
            if (search->n == 0)
                return uhi_fail_argument(search->call, "x",
                                         search->exchange ? "has no values on any process" : "has no values");
            find_places(search);
        }
        narrow(search);
        left = 0;
        for (size_t b = 0; b < search->nbrackets; b++)
            left |= search->brackets[b].low < search->brackets[b].high;
    }
    for (size_t i = 0, b = 0; i < search->nplaces; i++) {
        while (b + 1 < search->nbrackets && search->brackets[b + 1].before <= search->places[i])
            b++;
        search->found[i] = uhi_f64_of_key(search->brackets[b].low) + 0.0; /* turns -0 into +0 */
    }
    interpolate(search, values);
    return UH_SUCCESS;
}

/* Checks the arguments of this process and allocates memory. */
static uh_status begin(struct search *search, const double *values) {
    const char *call = search->call;
    UHI_TRY(uhi_check_call(call, search->queue, search->x));
    if (!search->q || !values)
        return uhi_fail_null(call, !search->q ? "q" : "values", !search->q ? "an array" : "where to store them");
    if (search->nq < 1 || search->nq > UH_MAX_QUANTILES)
        return uhi_fail_argument(call, "nq", "is %zu, expected 1 to %zu", search->nq, (size_t)UH_MAX_QUANTILES);
    for (size_t j = 0; j < search->nq; j++)
        if (!(search->q[j] >= (j > 0 ? search->q[j - 1] : 0) && search->q[j] <= 1))
            return uhi_fail_at(UH_ERROR_INVALID_ARGUMENT, call, "q", j,
                               "is %g, expected numbers from 0 to 1 that do not descend", search->q[j]);
    if (search->exchange && !search->exchange->receives)
        return uhi_fail_argument(call, "exchange->receives", "is 0, expected that all receive");
    search->places = malloc(2 * search->nq * sizeof *search->places);
    search->found = malloc(3 * search->nq * sizeof *search->found);
    search->brackets = malloc(2 * search->nq * sizeof *search->brackets);
    search->next = malloc(2 * search->nq * sizeof *search->next);
    if (!search->places || !search->found || !search->brackets || !search->next)
        return uhi_fail_memory(call, "no memory for %zu quantiles", search->nq);
    return UH_SUCCESS;
}

/* Checks that all processes want the same quantiles; otherwise some would continue alone. */
static uh_status compare(const struct search *search) {
    struct uhi_collective all = {.call = search->call, .exchange = search->exchange};
    memcpy(search->places, search->q, search->nq * sizeof *search->q); /* there is room for twice as many */
    search->places[search->nq] = search->nq;
    return uhi_collective_compare(&all, UH_SUCCESS, search->places, search->nq + 1,
                                  "q is not the same on all processes");
}

uh_status uh_quantiles(uh_queue *queue, const uh_array *x, const double *q, size_t nq, const uh_exchange *exchange,
                       double *values) {
    struct search search = {
        .call = uhi_exchange_call(exchange, __func__), .exchange = exchange, .queue = queue, .x = x, .q = q, .nq = nq};
    uh_exchange named;
    UHI_TRY(exchange ? uhi_exchange_check(search.call, "exchange", exchange) : UH_SUCCESS);
    if (exchange) { /* for the messages of uh_histogram_exchange */
        named = *exchange;
        named.call = search.call;
        search.exchange = &named;
    }
    uh_status status = uhi_exchange_agree(search.call, search.exchange, begin(&search, values));
    if (!status && search.places)
        status = compare(&search);
    if (!status && search.brackets)
        status = find(&search, values);
    free(search.places);
    free(search.found);
    free(search.brackets);
    free(search.next);
    free(search.edges);
    free(search.counts);
    return status;
}
