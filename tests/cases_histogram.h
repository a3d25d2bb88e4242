/* SPDX-License-Identifier: Apache-2.0 */
/* What is tried on a histogram: bin families of the UNIHIST paper and shapes of data, shared by the tests and
 * unihist-perf. Everything is made from a seed, the same on every machine, and without any of the library's code. */
#ifndef TEST_CASES_HISTOGRAM_H
#define TEST_CASES_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

/* How wide the bins are (sections III and V of the paper). */
enum case_bins {
    CASE_WORST,  /* k-1 bins of width h_min at the left, one wide bin: section III */
    CASE_RANDOM, /* random widths, each h_min or more */
    CASE_ALMOST  /* each width range/k, give or take up to h_v */
};
#define CASE_BINS_COUNT 3

/* Where the values lie. The paper has the first only. */
enum case_data {
    CASE_UNIFORM, /* uniform over the whole range */
    CASE_NARROW,  /* in the tenth of the bins that are narrowest (and all that are as narrow), each as often */
    CASE_ONEBIN,  /* all in bin k/2 (the next one that has a width, where that one has none) */
    CASE_SORTED   /* one uniform value in each n-th part of the range, so in ascending order */
};
#define CASE_DATA_COUNT 4

/* The name on the command line: "worst", "random", "almost"; "uniform", "narrow", "onebin", "sorted". Static. */
const char *case_bins_name(enum case_bins family);
const char *case_data_name(enum case_data shape);

/* Finds one by its name. Returns 0, or -1 and leaves the output alone where there is no such name. */
int case_bins_from_name(const char *name, enum case_bins *family);
int case_data_from_name(const char *name, enum case_data *shape);

/* Writes the k+1 edges of bins over [0, range], non-decreasing, the first exactly 0 and the last exactly `range`. `h`
 * is h_min (worst, random) or h_v (almost). Returns 0, or -1 and writes nothing where k is 0, range or h is not a
 * positive finite number, or h does not fit: k * h_min (worst: (k-1) * h_min) or k * h_v reaches `range`. */
int case_edges(enum case_bins family, size_t k, double range, double h, uint64_t seed, double *edges);

/* Writes n values, drawn as float64 and rounded to the type: one next to an edge may round onto it or past it. Every
 * value depends on (seed, its index, n) alone. Takes a few nanoseconds a value. Returns 0, or -1 where memory for one
 * number a bin (narrow) is lacking, or every bin is empty. */
int case_fill_f32(enum case_data shape, size_t k, const double *edges, uint64_t seed, float *x, size_t n);
int case_fill_f64(enum case_data shape, size_t k, const double *edges, uint64_t seed, double *x, size_t n);

#endif
