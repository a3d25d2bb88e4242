/* SPDX-License-Identifier: Apache-2.0 */
/* Values from which rules make bins, and the rules. */
#pragma once

#include <unihist/bins.h>

#include "api/axis.h"
#include "api/bins_store.h"
#include "api/histogram.h"

/* The largest sum of whole weights, which float64 holds. */
#define UHI_MAX_WHOLE ((uint64_t)1 << 53)

struct uh_bins {
    uh_bins_options options;
    double range[2];
    int ranged;
    struct uhi_keys keys;
    uint64_t n, beyond, nan;
    uint64_t whole;                   /* sum of whole weights; values without weights have 1 */
    struct uhi_wide_sum sum, squares; /* of other weights */
    uint64_t first, last;             /* keys of the range */
    uint64_t lowest, highest;         /* and of the values */
    int refining, refined;            /* a further pass is under way; one has ended */
    uint64_t offered, seen;           /* numbers given in the first pass, and in the further one */
    struct uhi_zones zones;
    struct uhi_keys fine; /* values of the zones */
    uint8_t *dropped;     /* after a further pass: lowest bits that each key lacks */
};

/* Different values in ascending order. */
struct uhi_counted {
    size_t n;
    double *x;              /* values, */
    double *before;         /* and the number of values before each, effective ones if weighted; n + 1 of these */
    int weighted;           /* by weights that are not whole */
    unsigned joined;        /* most lowest bits that a value lacks */
    const uint8_t *dropped; /* of each value; NULL: `joined` */
};

/* Makes the values of an object, at least one; uhi_counted_free frees them. */
uh_status uhi_bins_count(const char *call, uh_bins *bins, struct uhi_counted *made);
void uhi_counted_free(struct uhi_counted *values);

static inline double uhi_counted_all(const struct uhi_counted *values) { return values->before[values->n]; }

/* After a further pass some values are exact and others joined: nothing can be added. */
uh_status uhi_bins_check_unrefined(const char *call, const uh_bins *bins);

/* Adds what another object, or process, has; of a further pass, what that has found. */
uh_status uhi_bins_join(const char *call, uh_bins *bins, const uh_bins *from);

/* Copies up to *n numbers of an array, from index `at` on, as float64; *n becomes how many. *wide is their type,
 * widened to 64 bits. The caller frees the copy. */
uh_status uhi_copy_numbers(const char *call, const char *argument, const uh_array *array, size_t at, size_t *n,
                           uh_dtype *wide, double **copy);

/* Adds an array in the host's memory. */
uh_status uhi_bins_add_here(uh_bins *bins, const uh_array *x, const uh_array *weights);

/* Adds an array without weights in the memory of the device of options.queue, which counts it. */
uh_status uhi_bins_count_there(const char *call, uh_bins *bins, const uh_array *x);

/* Ends a further pass, if one is under way. */
uh_status uhi_bins_end_pass(const char *call, uh_bins *bins);

/* Returns a quantile of a type of Hyndman and Fan. */
double uhi_counted_quantile(const struct uhi_counted *values, double q, int type);

/* Returns the lowest bits that the values lack on which a quantile depends. */
unsigned uhi_counted_joined(const struct uhi_counted *values, double q, int type);

/* Log gamma(z), z > 0, by Stirling's series; 1e-14 of its size. */
double uhi_log_gamma(double z);

/* What a rule is given: several different values, and options that are complete and checked. */
struct uhi_choosing {
    const char *call;
    const struct uhi_counted *values;
    uh_rule_options options;
    int max_is_given; /* max_bins is not the default */
    double range[2];  /* of equal bins */
    double *edges;    /* receives result.bins + 1 edges; room for max_bins + 1. Of equal bins none */
    uh_rule_result result;
};

/* Values or measures of which blocks are made: sums of both kinds before each, n + 1 of them; and the ends of cells. */
struct uhi_blocks {
    size_t n;
    const double *p, *q, *cell;
    double prior;
    int measures;
};

uh_status uhi_find_blocks(const char *call, const struct uhi_blocks *of, size_t max, double *edges,
                          uh_rule_result *result);
double uhi_blocks_prior(const uh_rule_options *options, size_t n);
void uhi_make_cells(const double *x, size_t n, double *cell);

/* Checks options, and completes them. */
uh_status uhi_check_rule(const char *call, uh_rule rule, uh_rule_options *options);

uh_status uhi_choose_equal(struct uhi_choosing *c, uh_rule rule);
uh_status uhi_choose_by_formula(struct uhi_choosing *c, uh_rule rule);
uh_status uhi_choose_nice(struct uhi_choosing *c);
uh_status uhi_choose_blocks(struct uhi_choosing *c);
uh_status uhi_choose_clusters(struct uhi_choosing *c);
void uhi_choose_quantiles(struct uhi_choosing *c);
void uhi_choose_slanted(struct uhi_choosing *c);
