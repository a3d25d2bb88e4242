/* SPDX-License-Identifier: Apache-2.0 */
/* Bins that separate classes: recursive cuts of the smallest entropy, which the minimum description length accepts. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/bins_values.h"
#include "runtime/status.h"

enum { MAX_CUTS = (1 << 20) - 1 };

/* All different values of all classes, with the values of each class before each. */
struct classes {
    size_t n, classes;
    double *x;
    double *before; /* [value][class], n + 1 rows */
    double *cuts;
    size_t ncuts;
};

/* Returns the number of values in [from, to) times their entropy in bits, and how many classes they have. */
static double entropy_of(const struct classes *c, size_t from, size_t to, double *all, size_t *present) {
    double sum = 0, weighted = 0;
    *present = 0;
    for (size_t k = 0; k < c->classes; k++) {
        const double count = c->before[to * c->classes + k] - c->before[from * c->classes + k];
        if (count > 0) {
            sum += count;
            weighted += count * log2(count);
            ++*present;
        }
    }
    *all = sum;
    return sum > 0 ? fmax(sum * log2(sum) - weighted, 0) : 0;
}

/* Finds the cut of [from, to) before value *cut. Returns whether it is accepted. */
static int find_cut(const struct classes *c, size_t from, size_t to, size_t *cut) {
    size_t present, left_present, right_present;
    double all, left, right, best = INFINITY, gain_needed = 0;
    const double whole = entropy_of(c, from, to, &all, &present);
    for (size_t at = from + 1; at < to; at++) {
        const double left_entropy = entropy_of(c, from, at, &left, &left_present);
        const double right_entropy = entropy_of(c, at, to, &right, &right_present);
        if (left_entropy + right_entropy < best) {
            best = left_entropy + right_entropy;
            *cut = at;
            gain_needed = log2(all - 1) +
                          (present < 30 ? log2(pow(3, (double)present) - 2) : (double)present * log2(3)) -
                          ((double)present * whole / all - (double)left_present * left_entropy / left -
                           (double)right_present * right_entropy / right);
        }
    }
    return present > 1 && whole - best > gain_needed;
}

/* Makes all cuts in ascending order. The stack has the ends of the ranges that contain the present one. */
static int make_cuts(struct classes *c) {
    size_t *ends = malloc((c->n + 1) * sizeof *ends), depth = 1, from = 0, cut = 0;
    c->cuts = malloc((c->n + 1) * sizeof *c->cuts);
    if (!ends || !c->cuts) {
        free(ends);
        return -1;
    }
    ends[0] = c->n;
    while (depth > 0) {
        const size_t to = ends[depth - 1];
        if (c->ncuts + depth <= MAX_CUTS && find_cut(c, from, to, &cut)) {
            ends[depth++] = cut;
            continue;
        }
        from = to;
        if (--depth > 0)
            c->cuts[c->ncuts++] = c->x[to - 1] + (c->x[to] - c->x[to - 1]) / 2;
    }
    free(ends);
    return 0;
}

/* Merges the values of the classes. */
static int merge_classes(struct classes *c, const struct uhi_counted *values) {
    size_t all = 0, *next = calloc(c->classes, sizeof *next);
    for (size_t k = 0; k < c->classes; k++)
        all += values[k].n;
    c->x = malloc(all * sizeof *c->x);
    c->before = calloc((all + 1) * c->classes, sizeof *c->before);
    for (; next && c->x && c->before;) {
        double x = INFINITY;
        for (size_t k = 0; k < c->classes; k++)
            if (next[k] < values[k].n)
                x = fmin(x, values[k].x[next[k]]);
        if (isinf(x))
            break;
        c->x[c->n++] = x;
        for (size_t k = 0; k < c->classes; k++) {
            next[k] += next[k] < values[k].n && values[k].x[next[k]] == x;
            c->before[c->n * c->classes + k] = values[k].n ? values[k].before[next[k]] : 0;
        }
    }
    const int made = next && c->x && c->before;
    free(next);
    return made ? 0 : -1;
}

static uh_status make_axis(const char *call, struct classes *c, uh_closed closed, uh_axis **axis) {
    const double x = c->n > 0 ? c->x[0] : 0;
    double *edges = malloc((c->ncuts + 2) * sizeof *edges);
    if (!edges)
        return uhi_fail_memory(call, "no memory for edges");
    edges[0] = c->n > 1 ? x : fmin(x - 0.5, nextafter(x, -INFINITY));
    if (c->ncuts > 0)
        memcpy(edges + 1, c->cuts, c->ncuts * sizeof *edges);
    edges[c->ncuts + 1] = c->n > 1 ? c->x[c->n - 1] : fmax(x + 0.5, nextafter(x, INFINITY));
    return uhi_axis_of(call, UH_F64, edges, c->ncuts + 2, closed, axis);
}

uh_status uh_bins_mdlp(uh_bins *const *classes, size_t nclasses, uh_closed closed, uh_axis **axis) {
    struct classes c = {.classes = nclasses};
    uh_status status = UH_SUCCESS;
    size_t taken = 0, all = 0;
    UHI_NEED(__func__, classes, "the values of each class");
    UHI_TRY(uhi_check_between(__func__, "nclasses", UH_NO_INDEX, nclasses, 2, 1 << 16));
    UHI_TRY(uhi_axis_check(__func__, closed, axis));
    struct uhi_counted *values = calloc(nclasses, sizeof *values);
    if (!values)
        return uhi_fail_memory(__func__, "no memory for %zu classes", nclasses);
    for (; taken < nclasses && !status; taken++) {
        if (!classes[taken])
            status = uhi_fail_null(__func__, "classes[i]", "the values of a class");
        else if (classes[taken]->n > 0)
            status = uhi_bins_count(__func__, classes[taken], &values[taken]);
        all += values[taken].n;
    }
    if (!status && all == 0)
        status = uhi_fail_argument(__func__, "classes", "has no values, expected some");
    if (!status && (merge_classes(&c, values) || make_cuts(&c)))
        status = uhi_fail_memory(__func__, "no memory for the values of %zu classes", nclasses);
    status = status ? status : make_axis(__func__, &c, closed, axis);
    while (taken > 0)
        uhi_counted_free(&values[--taken]);
    free(values);
    free(c.x);
    free(c.before);
    free(c.cuts);
    return status;
}
