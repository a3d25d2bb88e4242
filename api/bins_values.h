/* SPDX-License-Identifier: Apache-2.0 */
/* Values from which rules make bins, and the rules. */
#pragma once

#include <unihist/bins.h>

#include "api/axis.h"
#include "api/histogram.h"

struct uhi_entry {
    uint64_t key, count;
};

struct uh_bins {
    uh_bins_options options;
    double range[2];
    int ranged;
    struct uhi_entry *entries; /* ascending, n of them */
    size_t n;
    unsigned joined;  /* lowest bits of keys that are dropped */
    uint64_t *buffer; /* keys not yet merged */
    size_t buffered, room;
    uint64_t total, beyond, nan;
    double min, max;
};

/* Different values in ascending order. */
struct uhi_counted {
    size_t n;
    double *x;        /* values, */
    uint64_t *before; /* and how many values lie before each; n + 1 of these */
};

/* Makes the values of an object, at least one; uhi_counted_free frees them. */
uh_status uhi_bins_count(const char *call, uh_bins *bins, struct uhi_counted *made);
void uhi_counted_free(struct uhi_counted *values);

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

uh_status uhi_choose_equal(struct uhi_choosing *c, uh_rule rule);
uh_status uhi_choose_blocks(struct uhi_choosing *c);
uh_status uhi_choose_clusters(struct uhi_choosing *c);
