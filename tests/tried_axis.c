/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/tried_axis.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unihist/histogram.h>

#include "api/histogram.h"
#include "tests/cases_edges.h"

static const char *const names[TRIED_AXES_FEW] = {"random 100", "paper_figure_4", "log 60 decades", "nested 64",
                                                  "worst 100 0.001"};
static const char *const families[TRIED_AXES_FAMILIES] = {"equal", "crowded at one end", "crowded in the middle",
                                                          "growing"};
/* Tables and counts in local memory, counts there, counts in global memory: for each size of local memory that Intel's
 * devices have. */
static const size_t sizes[TRIED_AXES_SIZES] = {50, 500, 10000, 20000, 40000};

static void name_axis(size_t number, char *name, size_t size) {
    const size_t large = number - TRIED_AXES_FEW;
    if (number < TRIED_AXES_FEW)
        snprintf(name, size, "%s", names[number]);
    else
        snprintf(name, size, "%s %zu", families[large % TRIED_AXES_FAMILIES], sizes[large / TRIED_AXES_FAMILIES]);
}

static double edge(size_t family, double part) {
    const double side = 2 * part - 1;
    switch (family) {
    case 0: return 100 + 30000 * part;
    case 1: return 100 + 30000 * part * part * part;
    case 2: return 100 + 30000 * side * side * side * side * side * side * side;
    default: return pow(1e9, part);
    }
}

struct tried_lookup tried_lookup_of(size_t number) {
    const size_t type = number / TRIED_LOOKUPS % TRIED_TYPES;
    return (struct tried_lookup){.axis = number / TRIED_LOOKUPS / TRIED_TYPES,
                                 .dtype = type < UH_DTYPE_COUNT ? (uh_dtype)type : UH_F64,
                                 .keys = type == UH_DTYPE_COUNT,
                                 .by = (enum uhi_lookup)(number % TRIED_LOOKUPS)};
}

void tried_lookup_describe(struct tried_lookup lookup, size_t axis, int is_of_few, struct tried *tried) {
    char name[64];
    name_axis(axis, name, sizeof name);
    snprintf(tried->name, sizeof tried->name, "%s%s by %s on %s", uh_enum_name(UH_ENUM_DTYPE, lookup.dtype),
             lookup.keys ? " as keys" : "", uhi_lookup_name(lookup.by), name);
    tried->exact = is_of_few ? 5000 : 0;
    tried->in_null = is_of_few ? 0 : 5000;
}

void tried_lookup_force(struct tried_lookup lookup, uh_histogram *histogram, size_t axis) {
    uhi_histogram_want(histogram, axis, lookup.by);
    if (lookup.keys && histogram->options[axis].body == UHI_BODY_DEVICE)
        histogram->options[axis].keys = 1;
}

static void make_large(size_t number, struct tried_axis *axis) {
    const size_t bins = sizes[number / TRIED_AXES_FAMILIES];
    double *edges = malloc((bins + 1) * sizeof *edges);
    if (!edges)
        abort();
    for (size_t i = 0; i <= bins; i++)
        edges[i] = edge(number % TRIED_AXES_FAMILIES, (double)i / (double)bins);
    *axis = (struct tried_axis){.bins = bins, .dtype = UH_F64, .edges = edges};
}

void tried_axis_make(size_t number, struct tried_axis *axis) {
    struct case_axis made;
    if (number >= TRIED_AXES_FEW)
        make_large(number - TRIED_AXES_FEW, axis);
    else if (case_axis_find(names[number], &made))
        abort();
    else
        *axis = (struct tried_axis){.bins = made.nedges - 1, .dtype = made.dtype, .edges = made.edges};
    if (oracle_axis_init(&axis->oracle, axis->dtype, axis->edges, axis->bins + 1, UH_CLOSED_LEFT))
        abort();
}

void tried_axis_free(struct tried_axis *axis) {
    oracle_axis_free(&axis->oracle);
    free(axis->edges);
}

uh_axis *tried_axis_create(struct use *use, const struct tried_axis *axis) {
    const uh_distribution normal = {
        .struct_size = sizeof normal, .kind = UH_DISTRIBUTION_NORMAL, .location = 15000, .scale = 5000};
    uh_axis *plain = NULL, *made = NULL;
    if (use_call(use, "uh_axis_create_edges",
                 uh_axis_create_edges(axis->dtype, axis->edges, axis->bins + 1, UH_CLOSED_LEFT, &plain)))
        (void)use_call(use, "uh_axis_create_with_distribution",
                       uh_axis_create_with_distribution(plain, &normal, &made));
    uh_axis_destroy(plain);
    return made;
}
