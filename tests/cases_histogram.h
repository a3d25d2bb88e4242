/* SPDX-License-Identifier: Apache-2.0 */
/* What is tried on a histogram: bin families (the UNIHIST paper's and others), axes and shapes of data, shared by the
 * tests and unihist-perf: made from a seed, the same on every machine, without any of the library's code. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <unihist/base.h>

#include "tests/oracle.h"

/* How wide the bins are. The first three are the paper's (sections III and V). */
enum case_bins {
    CASE_WORST,   /* k-1 bins of width h_min at the left, one wide bin: section III */
    CASE_RANDOM,  /* random widths, each h_min or more */
    CASE_ALMOST,  /* each width range/k, give or take up to h_v */
    CASE_DECADES, /* edges from 1/range to range, their logarithms random: every scale has as many bins */
    CASE_EQUAL,   /* each width range/k */
    /* Equal parts of a distribution over the range (the paper's section VI.C), see case_bins_parameters. */
    CASE_BINS_NORMAL,
    CASE_BINS_EXPONENTIAL,
    CASE_BINS_LOGNORMAL
};
#define CASE_BINS_COUNT 8

/* Where the values lie. The paper has the first only. */
enum case_data {
    CASE_UNIFORM,  /* uniform over the whole range */
    CASE_NARROW,   /* in the tenth of the bins that are narrowest (and all that are as narrow), each as often */
    CASE_ONEBIN,   /* all in bin k/2 (the next one that has a width, where that one has none) */
    CASE_SORTED,   /* one uniform value in each n-th part of the range, so in ascending order */
    CASE_EACHBIN,  /* uniform within the bins, each bin as often: the distribution that the bins follow */
    CASE_LOGNORMAL /* logarithms nearly normal (a sum of four uniform numbers), the smallest positive edge and the last
                    * one 3 standard deviations from their mean, no value further than 3.5 */
};
#define CASE_DATA_COUNT 6

/* The name on the command line: "worst", "random", "almost", "decades", "equal", "normal", "exponential",
 * "lognormal"; "uniform", "narrow", "onebin", "sorted", "eachbin", "lognormal". Static; NULL after the last one. */
const char *case_bins_name(unsigned family);
const char *case_data_name(unsigned shape);

/* The one of a name, or -1. */
int case_bins_named(const char *name);
int case_data_named(const char *name);

/* Returns 1 where case_edges looks at `h` for this family, else 0. */
int case_bins_have_h(enum case_bins family);

/* Returns 1 where the family's bins are equal parts of a distribution over [0, range], and stores its parameters: mean
 * and standard deviation (normal: the range is 4 of them to both sides), location and scale (exponential: 10 of them),
 * or those of the logarithm (lognormal: the range ends 4 of them above the middle). 0 for the other families. */
int case_bins_parameters(enum case_bins family, double range, double *location, double *scale);

/* Writes the k+1 edges of bins over [0, range] (decades: [1/range, range]), non-decreasing, the first and the last
 * exactly the range's ends. `h` is h_min (worst, random) or h_v (almost). Returns 0, or -1 and writes nothing where k
 * is 0, range is not a positive finite number (decades: above 1), or h is invalid or does not fit: k * h_min (worst:
 * (k-1) * h_min) or k * h_v reaches `range`. */
int case_edges(enum case_bins family, size_t k, double range, double h, uint64_t seed, double *edges);

/* Writes n values of type f32, f64, i32 or u8, drawn as float64 and rounded (to integers downwards, kept within the
 * type): one next to an edge may round onto it or past it. Every value depends on (seed, its index, n) alone. Takes a
 * few nanoseconds a value (lognormal: ten or more). Returns 0, or -1 where memory for one number a bin (narrow) is
 * lacking, every bin is empty, no edge is positive (lognormal), or the type is another. */
int case_fill(uh_dtype dtype, enum case_data shape, size_t k, const double *edges, uint64_t seed, void *x, size_t n);

/* ---- every kind of edges that might lead a look-up astray (cases_edges.c) ---- */

struct case_axis {
    const char *name;
    uh_dtype dtype;
    const void *edges;
    size_t nedges;
    struct oracle_axis oracle; /* closed on the left */
};

/* How many axes there are. */
size_t case_axis_count(void);

/* Axis `number`, and the one of a name that there is: made when it is first asked for, and kept while the process runs.
 * Those of many bins, which take long, come last. */
const struct case_axis *case_axis(size_t number);
const struct case_axis *case_axis_named(const char *name);
