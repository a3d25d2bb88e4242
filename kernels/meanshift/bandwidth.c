/* SPDX-License-Identifier: Apache-2.0 */
/* Bandwidths from distances to neighbours. The bits of squared distances, called keys, are integers in the same order.
 * The keys of a sample are counted in bins; the search goes on in the bin of the k-th, between the smallest and the
 * largest key in it, until these are equal (Knuth, TAOCP vol. 3, 5.2.5, radix methods from the most significant digit).
 * As many samples as fit are processed side by side. Processes that have parts of the points count their own, and go on
 * with the totals. */
#include "kernels/meanshift/meanshift_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/common/keys.h"
#include "runtime/queue.h"
#include "runtime/status.h"

enum {
    DIGIT = 6,               /* bits of a key resolved per pass: its bins, */
    BINS = 1 << DIGIT,       /* per sample */
    FIRST_SHIFT = 51,        /* bins of the first pass are half octaves; lower keys are in the first bin */
    CHUNK = 1 << 15,         /* points per unit of work of a thread */
    MAX_SAMPLES = 1 << 12,   /* side by side: their counts are 2 MiB */
    MAX_ALONE = 1 << 20,     /* distances of all these, to fit in caches; a single sample may have more */
    MAX_COLLECTIVE = 1 << 22 /* the same if processes wait for each other in each pass: 32 MiB */
};

/* Returns the bits of a number; for nonnegative numbers they are in the same order. */
static uint64_t bits_of(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

struct all_points {
    size_t from;    /* number of this process's first point */
    size_t n;       /* total number of points */
    size_t maximum; /* maximum per process */
};

/* ---- exchanges between processes ---- */

/* Checks that all processes have the same arguments, and counts the points of all. */
static uh_status gather(struct uhi_collective *collective, const struct uhi_coordinates *points, double quantile,
                        size_t samples, struct all_points *all) {
    const size_t ranks = uhi_collective_ranks(collective), local = uhi_collective_rank(collective);
    const uint64_t words[] = {points->dims, points->size, bits_of(quantile), samples};
    uint64_t *counts = calloc(ranks, sizeof *counts);
    uh_status status =
        counts ? UH_SUCCESS : uhi_fail_memory(collective->call, "no memory for numbers of %zu ranks", ranks);
    status = uhi_collective_compare(collective, status, words, sizeof words / sizeof *words,
                                    "dims, the points' type, quantile or samples differ between processes, expected "
                                    "the same on all");
    *all = (struct all_points){0, 0, 0};
    if (!status && counts) {
        counts[local] = points->count;
        status = uhi_collective_add(collective, counts, ranks);
    }
    for (size_t rank = 0; rank < ranks && counts && !status; rank++) {
        if (rank == local)
            all->from = all->n;
        all->n += counts[rank];
        all->maximum = counts[rank] > all->maximum ? counts[rank] : all->maximum;
    }
    free(counts);
    if (status || all->n > 0)
        return status;
    return uhi_collective_fail(collective, uhi_fail_argument(collective->call, "points",
                                                             "has none on any process, expected 1 at least on one"));
}

/* Finds an upper bound of all squared distances as computed: the distance across all points is computed like the
 * others, so that it is the largest even after rounding. */
static uh_status find_largest(struct uhi_collective *collective, uh_status mine, const struct uhi_coordinates *points,
                              double *squared) {
    struct uhi_span spans[UH_MEAN_SHIFT_MAX_DIMS];
    const uh_status status = uhi_points_span(collective, mine, points, spans);
    *squared = 0;
    for (size_t a = 0; a < points->dims && !status; a++)
        *squared += (spans[a].upper - spans[a].lower) * (spans[a].upper - spans[a].lower);
    return status;
}

/* The search for a sample's k-th key. */
struct sought {
    uint64_t low, high; /* within these keys, */
    uint64_t k;         /* at this position among them, from 0 */
    uint64_t base;      /* from here on each bin has 2^shift keys */
    unsigned shift;
};

struct search {
    uh_queue *queue;
    struct uhi_collective *collective;
    const struct uhi_coordinates *points; /* of this process */
    struct all_points all;
    size_t samples, k;
    uint64_t top;          /* upper bound of keys */
    size_t batch, chunks;  /* samples side by side; chunks of the process's points */
    size_t first, count;   /* current samples */
    uint64_t *places;      /* the bits of their coordinates */
    int fresh;             /* distances are not computed yet */
    double *squared;       /* this process's remaining distances to each sample, a section per chunk */
    uint32_t *left;        /* their numbers */
    struct sought *sought; /* per sample */
    size_t *open, nopen;   /* samples whose k-th is not known yet */
    uint64_t *counts;      /* in the bins of each open sample */
    uint64_t *said;        /* for uhi_collective_agree_maximum; ~smallest and largest key per open sample */
};

/* ---- one pass ---- */

/* A chunk of points for one open sample. */
struct unit {
    size_t j, sample; /* open[j] */
    size_t chunk;
    double *squared;
    uint32_t *left;
};

static struct unit unit_of(const struct search *search, size_t number) {
    const size_t j = number / search->chunks, chunk = number % search->chunks, sample = search->open[j];
    return (struct unit){j, sample, chunk, search->squared + sample * search->points->count + chunk * CHUNK,
                         search->left + sample * search->chunks + chunk};
}

static void measure(const struct search *search, const struct unit *unit) {
    const struct uhi_coordinates *points = search->points;
    const size_t from = unit->chunk * CHUNK, rest = points->count - from, n = rest < CHUNK ? rest : CHUNK;
    double *squared = unit->squared, x;
    for (size_t i = 0; i < n; i++)
        squared[i] = 0;
    for (size_t axis = 0; axis < points->dims; axis++) {
        memcpy(&x, &search->places[unit->sample * points->dims + axis], sizeof x);
        if (points->size == sizeof(float)) {
            const float *at = (const float *)points->x + axis * points->stride + from;
            for (size_t i = 0; i < n; i++)
                squared[i] += ((double)at[i] - x) * ((double)at[i] - x);
        } else {
            const double *at = (const double *)points->x + axis * points->stride + from;
            for (size_t i = 0; i < n; i++)
                squared[i] += (at[i] - x) * (at[i] - x);
        }
    }
    *unit->left = (uint32_t)n;
}

static void count_part(const void *context, size_t part, size_t parts) {
    enum { TABLES = 2 }; /* consecutive hits of a bin do not wait for each other */
    const struct search *search = context;
    const size_t units = search->nopen * search->chunks, last = uhi_part_start(units, parts, part + 1);
    for (size_t number = uhi_part_start(units, parts, part); number < last; number++) {
        const struct unit unit = unit_of(search, number);
        const uint64_t base = search->sought[unit.sample].base;
        const unsigned shift = search->sought[unit.sample].shift;
        uint32_t counts[TABLES][BINS] = {{0}};
        if (search->fresh)
            measure(search, &unit);
        for (size_t i = 0, left = *unit.left; i < left; i++) {
            const uint64_t key = bits_of(unit.squared[i]);
            counts[i % TABLES][((key < base ? base : key) - base) >> shift]++;
        }
        for (size_t bin = 0; bin < BINS; bin++)
            if (counts[0][bin] + counts[1][bin] > 0)
                __atomic_fetch_add(&search->counts[unit.j * BINS + bin], counts[0][bin] + counts[1][bin],
                                   __ATOMIC_RELAXED);
    }
}

/* Continues in the bin of the k-th. */
static void narrow(struct sought *sought, const uint64_t counts[BINS]) {
    size_t bin = 0;
    for (; bin + 1 < BINS && sought->k >= counts[bin]; bin++)
        sought->k -= counts[bin];
    const uint64_t begin = sought->base + ((uint64_t)bin << sought->shift),
                   end = begin + (((uint64_t)1 << sought->shift) - 1);
    sought->low = bin > 0 ? begin : sought->low;
    sought->high = end < sought->high ? end : sought->high;
}

/* Keeps the distances within the range of keys, and finds the smallest and the largest. */
static void keep_part(const void *context, size_t part, size_t parts) {
    const struct search *search = context;
    const size_t units = search->nopen * search->chunks, last = uhi_part_start(units, parts, part + 1);
    for (size_t number = uhi_part_start(units, parts, part); number < last; number++) {
        const struct unit unit = unit_of(search, number);
        const uint64_t low = search->sought[unit.sample].low, width = search->sought[unit.sample].high - low;
        uint64_t smallest = UINT64_MAX, largest = 0;
        size_t kept = 0;
        for (size_t i = 0, left = *unit.left; i < left; i++) {
            const double squared = unit.squared[i];
            unit.squared[kept] = squared;
            kept += bits_of(squared) - low <= width;
        }
        for (size_t i = 0; i < kept; i++) {
            const uint64_t key = bits_of(unit.squared[i]);
            smallest = key < smallest ? key : smallest;
            largest = key > largest ? key : largest;
        }
        *unit.left = (uint32_t)kept;
        uhi_atomic_raise(&search->said[1 + 2 * unit.j], ~smallest);
        uhi_atomic_raise(&search->said[2 + 2 * unit.j], largest);
    }
}

/* Runs threads over all remaining distances. */
static void share_points(const struct search *search, const char *name, uhi_part_function function) {
    size_t distances = search->fresh ? search->nopen * search->points->count : 0;
    for (size_t j = 0; j < search->nopen && !search->fresh; j++)
        for (size_t chunk = 0; chunk < search->chunks; chunk++)
            distances += search->left[search->open[j] * search->chunks + chunk];
    uhi_host_parallel(search->queue, name, function, search, uhi_parts_for(search->queue, distances, CHUNK));
}

/* Continues between the smallest and the largest key; closes samples for which they are equal. */
static void take_keys(struct search *search) {
    size_t nopen = 0;
    for (size_t j = 0; j < search->nopen; j++) {
        struct sought *sought = &search->sought[search->open[j]];
        sought->base = sought->low = ~search->said[1 + 2 * j];
        sought->high = search->said[2 + 2 * j];
        if (sought->low < sought->high) {
            const int bits = 64 - __builtin_clzll(sought->high - sought->low);
            sought->shift = bits > DIGIT ? (unsigned)(bits - DIGIT) : 0;
            search->open[nopen++] = search->open[j];
        }
    }
    search->nopen = nopen;
}

static uh_status pass(struct search *search) {
    const size_t words = search->nopen * BINS, numbers = 1 + 2 * search->nopen;
    memset(search->counts, 0, words * sizeof *search->counts);
    share_points(search, "mean shift: distances", count_part);
    UHI_TRY(uhi_collective_add(search->collective, search->counts, words));
    for (size_t j = 0; j < search->nopen; j++)
        narrow(&search->sought[search->open[j]], search->counts + j * BINS);
    memset(search->said, 0, numbers * sizeof *search->said);
    share_points(search, "mean shift: near distances", keep_part);
    search->fresh = 0;
    UHI_TRY(uhi_collective_agree_maximum(
        search->collective, uhi_queue_check_cancelled(search->queue, search->collective->call), search->said, numbers));
    take_keys(search);
    return UH_SUCCESS;
}

/* ---- samples ---- */

/* Sends the coordinates of the current samples, which are spread evenly over all points, to all processes. */
static uh_status gather_remaining(const struct search *search) {
    const size_t dims = search->points->dims, words = search->count * dims;
    memset(search->places, 0, words * sizeof *search->places);
    for (size_t i = 0; i < search->count; i++) {
        const size_t row = uhi_part_start(search->all.n, search->samples, search->first + i) - search->all.from;
        for (size_t axis = 0; axis < dims && row < search->points->count; axis++)
            search->places[i * dims + axis] = bits_of(uhi_coordinate(search->points, axis, row));
    }
    return uhi_collective_add(search->collective, search->places, words);
}

/* Finds the k-th of each current sample. */
static uh_status find_distances(struct search *search) {
    const uint64_t keys = (uint64_t)BINS << FIRST_SHIFT;
    uh_status status = gather_remaining(search);
    search->fresh = 1;
    search->nopen = 0;
    for (size_t i = 0; i < search->count; i++) {
        search->sought[i] = (struct sought){.high = search->top,
                                            .k = search->k - 1,
                                            .base = search->top < keys ? 0 : search->top - keys + 1,
                                            .shift = FIRST_SHIFT};
        if (search->top > 0)
            search->open[search->nopen++] = i;
    }
    while (search->nopen > 0 && !status)
        status = pass(search);
    return status;
}

/* Stores the mean, summed in the order of samples. */
static uh_status find_all(struct search *search, double *bandwidth) {
    double sum = 0, squared;
    for (search->first = 0; search->first < search->samples; search->first += search->count) {
        const size_t rest = search->samples - search->first;
        search->count = rest < search->batch ? rest : search->batch;
        UHI_TRY(find_distances(search));
        for (size_t i = 0; i < search->count; i++) {
            memcpy(&squared, &search->sought[i].low, sizeof squared);
            sum += sqrt(squared);
        }
    }
    *bandwidth = sum / (double)search->samples;
    return UH_SUCCESS;
}

/* All processes have equally many samples side by side. */
static uh_status make_room(struct search *search) {
    const size_t count = search->points->count,
                 fit = (search->collective->exchange ? MAX_COLLECTIVE : MAX_ALONE) /
                       (search->all.maximum > 0 ? search->all.maximum : 1),
                 maximum = fit < 1             ? 1
                           : fit < MAX_SAMPLES ? fit
                                               : MAX_SAMPLES,
                 batch = search->batch = search->samples < maximum ? search->samples : maximum,
                 chunks = search->chunks = (count + CHUNK - 1) / CHUNK;
    search->places = malloc((batch * search->points->dims + 1) * sizeof *search->places);
    search->squared = malloc((batch * count + 1) * sizeof *search->squared);
    search->left = malloc((batch * chunks + 1) * sizeof *search->left);
    search->sought = malloc((batch + 1) * sizeof *search->sought);
    search->open = malloc((batch + 1) * sizeof *search->open);
    search->counts = malloc((batch + 1) * BINS * sizeof *search->counts);
    search->said = malloc((1 + 2 * batch) * sizeof *search->said);
    if (search->places && search->squared && search->left && search->sought && search->open && search->counts &&
        search->said)
        return UH_SUCCESS;
    return uhi_fail_memory(search->collective->call, "no memory for the distances of %zu points", count);
}

uh_status uhi_estimate_bandwidth(uh_queue *queue, struct uhi_collective *collective,
                                 const struct uhi_coordinates *points, double quantile, size_t samples,
                                 double *bandwidth) {
    struct search search = {.queue = queue, .collective = collective, .points = points};
    double largest = 0;
    UHI_TRY(gather(collective, points, quantile, samples, &search.all));
    const size_t n = search.all.n, k = (size_t)((double)n * quantile);
    search.samples = samples && samples < n ? samples : n;
    search.k = k ? k : 1;
    uh_status status = find_largest(collective, make_room(&search), points, &largest);
    search.top = bits_of(largest);
    if (!status)
        status = find_all(&search, bandwidth);
    free(search.places);
    free(search.squared);
    free(search.left);
    free(search.sought);
    free(search.open);
    free(search.counts);
    free(search.said);
    return status;
}
