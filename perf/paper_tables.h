/* SPDX-License-Identifier: Apache-2.0 */
/* Tables I to XIII of "UNIHIST: Fast histogram and weighted random sampling with replacement for data-parallel
 * devices" (sections V and VI.B), as printed there: throughput in millions of values a second. */
#ifndef PERF_PAPER_TABLES_H
#define PERF_PAPER_TABLES_H

#include "tests/cases_histogram.h"

#include <stddef.h>

/* Where the paper measured. Tables I to III are of the first one, IV to VI of the second, and so on. */
enum paper_device { PAPER_LAPTOP_CPU, PAPER_LAPTOP_GPU, PAPER_SERVER_CPU, PAPER_SERVER_GPU, PAPER_DEVICES };

/* How the bins are made. Tables I, IV, VII and X are of the first family, II, V, VIII and XI of the second. */
enum paper_bins { PAPER_WORST, PAPER_RANDOM, PAPER_ALMOST, PAPER_FAMILIES };

enum paper_variant { PAPER_NUMPY, PAPER_CUPY, PAPER_BINARY, PAPER_UNIHIST, PAPER_VARIANTS };

/* All tables; the last one is not of histograms. */
enum paper_table {
    PAPER_I,
    PAPER_II,
    PAPER_III,
    PAPER_IV,
    PAPER_V,
    PAPER_VI,
    PAPER_VII,
    PAPER_VIII,
    PAPER_IX,
    PAPER_X,
    PAPER_XI,
    PAPER_XII,
    PAPER_XIII,
    PAPER_TABLES,
    PAPER_HISTOGRAMS = PAPER_XIII
};
#define PAPER_KS 2
#define PAPER_HS 3

/* The values are float32, uniform on (0, 1000). */
#define PAPER_RANGE 1000.0

extern const size_t paper_k[PAPER_KS];
extern const double paper_h[PAPER_HS];

struct paper_device_text {
    const char *name, *what;
    double n; /* values in each measurement */
};
extern const struct paper_device_text paper_devices[PAPER_DEVICES];

struct paper_family {
    enum case_bins bins;
    const char *title, *h; /* what the tables call the parameter: h_min or h_v */
};
extern const struct paper_family paper_families[PAPER_FAMILIES];

/* Which of the families a table of histograms is of, and which device. */
static inline const struct paper_family *paper_family_of(size_t table) {
    return &paper_families[table % PAPER_FAMILIES];
}
static inline const struct paper_device_text *paper_device_of(size_t table) {
    return &paper_devices[table / PAPER_FAMILIES];
}

/* 0 where the paper has no figure. Column j of row k is of paper_h[j]. */
extern const int paper_rates[PAPER_HISTOGRAMS][PAPER_VARIANTS][PAPER_KS][PAPER_HS];

/* Table XIII, one column a device: a rate, or 0 and what is printed instead. */
struct paper_sampling {
    int rate[PAPER_DEVICES];
    const char *instead[PAPER_DEVICES];
};
#define PAPER_SAMPLING_K 1000 /* outcomes, of p = 0.001 each */
extern const struct paper_sampling paper_samplings[PAPER_VARIANTS];

/* The Roman number of table `index`, from 0 for I to PAPER_TABLES - 1 for XIII. */
const char *paper_number(size_t index);

#endif
