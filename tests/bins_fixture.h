/* SPDX-License-Identifier: Apache-2.0 */
/* Values from which bins are made, and the edges of rules. */
#pragma once

#include <unihist/bins.h>

#include "tests/arrays.h"
#include "tests/fixture.h"

enum { MAX_POINTS = 400 };

#define RULE(...) (&(const uh_rule_options){.struct_size = sizeof(uh_rule_options), __VA_ARGS__})

/* Make an object that is destroyed at the end of the test. */
uh_bins *bins_of(const uh_bins_options *options);
uh_bins *bins_with(const double *x, size_t n);

/* Edges of a rule, MAX_POINTS at most. */
struct chosen {
    uh_rule_result result;
    double edges[MAX_POINTS + 1];
};

struct chosen choose(uh_bins *bins, uh_rule rule, const uh_rule_options *options);

/* Options with which each rule can be tried. */
uh_rule_options options_of(uh_rule rule);

/* Stores sorted values of several kinds: uniform, clustered, integers with many ties, two rates. Returns their
 * number. */
size_t sorted_values(uint64_t seed, double *x);
