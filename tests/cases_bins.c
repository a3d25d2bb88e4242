/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/cases_histogram.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/splitmix.h"

static const char *const bins_names[CASE_BINS_COUNT] = {"worst", "random", "almost",      "decades",
                                                        "equal", "normal", "exponential", "lognormal"};
static const char *const data_names[CASE_DATA_COUNT] = {"uniform", "narrow",  "onebin",
                                                        "sorted",  "eachbin", "lognormal"};

const char *case_bins_name(unsigned family) { return family < CASE_BINS_COUNT ? bins_names[family] : NULL; }

const char *case_data_name(unsigned shape) { return shape < CASE_DATA_COUNT ? data_names[shape] : NULL; }

int case_bins_have_h(enum case_bins family) { return family < CASE_DECADES; }

static int find_name(const char *name, const char *const *names, int count) {
    for (int i = 0; i < count; i++)
        if (strcmp(name, names[i]) == 0)
            return i;
    return -1;
}

int case_bins_named(const char *name) { return find_name(name, bins_names, CASE_BINS_COUNT); }

int case_data_named(const char *name) { return find_name(name, data_names, CASE_DATA_COUNT); }

/* Uniform in (0, 1), both ends left out. */
static inline double random_unit(uint64_t seed, uint64_t i) {
    return ((double)(splitmix_at(seed, i) >> 12) + 0.5) * 0x1p-52;
}

/* Exponential spacings are those of sorted uniform edges, so random bins are as uneven as chance makes them. */
static double random_spacing(uint64_t seed, size_t i) { return -log(random_unit(seed, i)); }

static void random_edges(size_t k, double range, double h_min, uint64_t seed, double *edges) {
    double total = 0, sum = 0;
    for (size_t j = 0; j < k; j++)
        total += random_spacing(seed, j);
    double scale = (range - (double)k * h_min) / total;
    for (size_t j = 1; j < k; j++) {
        sum += random_spacing(seed, j - 1);
        edges[j] = fmin((double)j * h_min + scale * sum, range);
    }
}

/* The mean of the variations is taken out of each, so that they add up to nothing over the range. */
static void almost_edges(size_t k, double range, double h_v, uint64_t seed, double *edges) {
    double mean = 0, sum = 0;
    for (size_t j = 0; j < k; j++)
        mean += (2 * random_unit(seed, j) - 1) / (double)k;
    for (size_t j = 1; j < k; j++) {
        sum += 2 * random_unit(seed, j - 1) - 1 - mean;
        edges[j] = fmax(edges[j - 1], fmin(range * ((double)j / (double)k) + h_v * sum, range));
    }
}

/* Random spacings again, of the logarithms. */
static void decades_edges(size_t k, double range, uint64_t seed, double *edges) {
    double total = 0, sum = 0, low = -log(range);
    for (size_t j = 0; j < k; j++)
        total += random_spacing(seed, j);
    edges[0] = 1 / range;
    for (size_t j = 1; j < k; j++) {
        sum += random_spacing(seed, j - 1);
        edges[j] = fmax(edges[j - 1], fmin(exp(low - 2 * low * (sum / total)), range));
    }
}

int case_bins_parameters(enum case_bins family, double range, double *location, double *scale) {
    switch (family) {
    case CASE_BINS_NORMAL:
        *location = range / 2;
        *scale = range / 8;
        return 1;
    case CASE_BINS_EXPONENTIAL:
        *location = 0;
        *scale = range / 10;
        return 1;
    case CASE_BINS_LOGNORMAL:
        *location = log(range) - 4;
        *scale = 1;
        return 1;
    default: return 0;
    }
}

/* F, in units of the distribution's scale. */
static double distribution(enum case_bins family, double x, double location, double scale) {
    if (family == CASE_BINS_EXPONENTIAL)
        return -expm1(-(x - location) / scale);
    if (family == CASE_BINS_LOGNORMAL)
        x = log(x);
    return erfc(-(x - location) / scale * sqrt(0.5)) / 2;
}

/* Each edge by bisection between the one before and the end. */
static void distribution_edges(enum case_bins family, size_t k, double range, double *edges) {
    double location = 0, scale = 1;
    case_bins_parameters(family, range, &location, &scale);
    const double first = distribution(family, 0, location, scale), last = distribution(family, range, location, scale);
    for (size_t j = 1; j < k; j++) {
        double v = first + (last - first) * ((double)j / (double)k), low = edges[j - 1], high = range;
        for (int step = 0; step < 60; step++) {
            double middle = low + (high - low) / 2;
            if (distribution(family, middle, location, scale) < v)
                low = middle;
            else
                high = middle;
        }
        edges[j] = low;
    }
}

static int edges_fit(enum case_bins family, size_t k, double range, double h) {
    double bins = family == CASE_WORST ? (double)k - 1 : (double)k;
    if (k == 0 || !isfinite(range) || !(range > (family == CASE_DECADES ? 1 : 0)))
        return 0;
    return !case_bins_have_h(family) || (h > 0 && bins * h < range);
}

int case_edges(enum case_bins family, size_t k, double range, double h, uint64_t seed, double *edges) {
    if (!edges_fit(family, k, range, h))
        return -1;
    edges[0] = 0;
    edges[k] = range;
    switch (family) {
    case CASE_WORST:
        for (size_t j = 1; j < k; j++)
            edges[j] = (double)j * h;
        break;
    case CASE_RANDOM: random_edges(k, range, h, seed, edges); break;
    case CASE_ALMOST: almost_edges(k, range, h, seed, edges); break;
    case CASE_DECADES: decades_edges(k, range, seed, edges); break;
    case CASE_EQUAL:
        for (size_t j = 1; j < k; j++)
            edges[j] = range * (double)j / (double)k;
        break;
    default: distribution_edges(family, k, range, edges); break;
    }
    return 0;
}

/* Values lie in bins chosen[0..count), each as often; NULL: in the one bin `first`. Those of `lognormal` are
 * exp(middle + width * t), t a sum of four uniform numbers less its mean. */
struct source {
    enum case_data shape;
    const double *edges;
    size_t *chosen;
    size_t count, first, k, n;
    uint64_t seed;
    double middle, width;
};

static int compare_doubles(const void *a, const void *b) {
    double x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

/* Chooses the bins that are not wider than the narrowest tenth; the slack takes widths for equal that differ by the
 * rounding of their edges only. */
static int choose_narrow(struct source *source) {
    const double *edges = source->edges;
    double *widths = malloc(source->k * sizeof *widths);
    size_t positive = 0;
    source->chosen = malloc(source->k * sizeof *source->chosen);
    if (widths && source->chosen) {
        for (size_t j = 0; j < source->k; j++)
            if (edges[j + 1] > edges[j])
                widths[positive++] = edges[j + 1] - edges[j];
        qsort(widths, positive, sizeof *widths, compare_doubles);
        double limit = positive ? widths[(positive - 1) / 10] * (1 + 1e-6) : 0;
        for (size_t j = 0; j < source->k; j++)
            if (edges[j + 1] > edges[j] && edges[j + 1] - edges[j] <= limit)
                source->chosen[source->count++] = j;
    }
    free(widths);
    return source->count ? 0 : -1;
}

static int choose_each(struct source *source) {
    source->chosen = malloc(source->k * sizeof *source->chosen);
    for (size_t j = 0; source->chosen && j < source->k; j++)
        if (source->edges[j + 1] > source->edges[j])
            source->chosen[source->count++] = j;
    return source->count ? 0 : -1;
}

static int choose_one(struct source *source) {
    for (size_t j = 0; j < source->k; j++) {
        size_t bin = (source->k / 2 + j) % source->k;
        if (source->edges[bin + 1] > source->edges[bin]) {
            source->first = bin;
            return 0;
        }
    }
    return -1;
}

static int choose_logarithms(struct source *source) {
    const double *edges = source->edges;
    size_t j = 0;
    while (j < source->k && !(edges[j] > 0))
        j++;
    if (!(edges[j] > 0))
        return -1;
    double low = log(edges[j]), high = log(edges[source->k]);
    source->middle = (low + high) / 2;
    source->width = (high - low) / (6 * sqrt(4.0 / 12)); /* the sum's standard deviation is sqrt(4/12) */
    return 0;
}

static int source_init(struct source *source, enum case_data shape, size_t k, const double *edges, uint64_t seed,
                       size_t n) {
    *source = (struct source){.shape = shape, .edges = edges, .k = k, .n = n, .seed = seed};
    switch (shape) {
    case CASE_NARROW: return choose_narrow(source);
    case CASE_EACHBIN: return choose_each(source);
    case CASE_ONEBIN: return choose_one(source);
    case CASE_LOGNORMAL: return choose_logarithms(source);
    default: return edges[k] > edges[0] ? 0 : -1;
    }
}

static inline double value_inside(double left, double right, double u) { return left + (right - left) * u; }

/* Four numbers from the halves of two random words. */
static inline double random_sum(uint64_t seed, uint64_t i) {
    uint64_t a = splitmix_at(seed, i), b = splitmix_at(~seed, i);
    uint64_t sum = (a >> 32) + (a & UINT32_MAX) + (b >> 32) + (b & UINT32_MAX);
    return (double)sum * 0x1p-32;
}

static inline double source_value(const struct source *source, size_t i) {
    const double *edges = source->edges;
    double u = random_unit(source->seed, i);
    size_t bin = source->first;
    switch (source->shape) {
    case CASE_UNIFORM: return value_inside(edges[0], edges[source->k], u);
    case CASE_SORTED: return value_inside(edges[0], edges[source->k], ((double)i + u) / (double)source->n);
    case CASE_EACHBIN:
    case CASE_NARROW:
        /* Bins number fewer than 2^32, so the upper half of another random word picks one without a division. */
        bin = source->chosen[((splitmix_at(~source->seed, i) >> 32) * source->count) >> 32];
        break;
    case CASE_ONEBIN: break;
    case CASE_LOGNORMAL: return exp(source->middle + source->width * (random_sum(source->seed, i) - 2));
    }
    return value_inside(edges[bin], edges[bin + 1], u);
}

/* The integer in whose unit the value lies. */
static inline double whole(double value, double low, double high) { return fmax(low, fmin(floor(value), high)); }

#define FILL(type, VALUE)                                                                                              \
    for (size_t i = 0; i < n; i++)                                                                                     \
    ((type *)x)[i] = (type)VALUE

int case_fill(uh_dtype dtype, enum case_data shape, size_t k, const double *edges, uint64_t seed, void *x, size_t n) {
    struct source source;
    int status = source_init(&source, shape, k, edges, seed, n);
    n = status == 0 ? n : 0;
    switch (dtype) {
    case UH_F32: FILL(float, source_value(&source, i)); break;
    case UH_F64: FILL(double, source_value(&source, i)); break;
    case UH_I32: FILL(int32_t, whole(source_value(&source, i), INT32_MIN, INT32_MAX)); break;
    case UH_U8: FILL(uint8_t, whole(source_value(&source, i), 0, UINT8_MAX)); break;
    default: status = -1;
    }
    free(source.chosen);
    return status;
}
