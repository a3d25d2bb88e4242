/* SPDX-License-Identifier: Apache-2.0 */
/* Regions of cubature on the CPU; compiled once per x86-64 level. A node of a batch of regions is evaluated at once, in
 * an order that is the same on devices (cubature.inc). */
#include <float.h>
#include <math.h>
#include <string.h>

#include "kernels/integrate/cubature.h"
#include "kernels/integrate/sides.h"
#include "kernels/registry.h"

enum { BATCH = UH_INTEGRATE_BATCH, RULES = UHI_CUBATURE_RULES };

/* A thread's arrays, of BATCH elements each. */
struct batch {
    const struct uhi_sampling *sampling;
    const struct uhi_rule *rule;
    size_t dims, values, n, wide; /* regions, and rounded up to whole vectors */
    double *x[UHI_CUBATURE_DIMS][UHI_PLACES], *weight[UHI_CUBATURE_DIMS][UHI_PLACES]; /* of infinite sides, or NULL */
    double *difference[UHI_CUBATURE_DIMS], *centre, *before; /* fourth differences; first values, of the last node */
    double *value[UH_INTEGRATE_MAX_VALUES], *orbit[UH_INTEGRATE_MAX_VALUES], *size[UH_INTEGRATE_MAX_VALUES];
    double *sum[UH_INTEGRATE_MAX_VALUES][RULES], *all, *volume; /* a node's weight */
};

static double *take(double **memory, double value) {
    double *taken = *memory;
    *memory += BATCH;
    for (size_t i = 0; i < BATCH; i++)
        taken[i] = value;
    return taken;
}

static void place_axis(struct batch *b, size_t d, const double *region, double **memory) {
    const struct uhi_sides *sides = &b->sampling->field.sides[d];
    for (size_t p = 0; p < b->rule->places; p++) {
        double *x = b->x[d][p] = take(memory, 0);
        for (size_t i = 0; i < BATCH; i++) { /* copies of the last region fill the batch */
            const double *of = region + (i < b->n ? i : b->n - 1) * 2 * b->dims;
            x[i] = of[d] + b->rule->place[p] * of[b->dims + d];
        }
        b->weight[d][p] = sides->kind == UHI_SIDES_FINITE ? NULL : take(memory, 1);
        if (b->weight[d][p])
            uhi_map_sides(sides, x, b->weight[d][p]);
    }
    b->difference[d] = take(memory, 0);
    for (size_t i = 0; i < b->n; i++)
        b->volume[i] *= 2 * region[(2 * i + 1) * b->dims + d];
}

static void begin(struct batch *b, const double *region, double *memory) {
    b->volume = take(&memory, 1);
    b->centre = take(&memory, 0);
    b->before = take(&memory, 0);
    b->all = take(&memory, 1);
    for (size_t d = 0; d < b->dims; d++)
        place_axis(b, d, region, &memory);
    for (size_t k = 0; k == 0 || k < b->values; k++) { /* there is one: static analyzers doubt it */
        b->value[k] = take(&memory, 0);
        b->orbit[k] = take(&memory, 0);
        b->size[k] = take(&memory, 0);
        for (size_t r = 0; r < RULES; r++)
            b->sum[k][r] = take(&memory, 0);
    }
}

static void store_not_finite(const struct batch *b, size_t node, union uhi_word *rows) {
    const size_t words = UHI_REGION_WORDS(b->dims, b->values);
    for (size_t i = 0; i < b->n; i++)
        for (size_t k = 0; k < b->values; k++) {
            union uhi_word *row = rows + i * words;
            if (isfinite(b->value[k][i]))
                continue;
            if (row[UHI_REGION_NOT_FINITE].i++ == 0) {
                row[UHI_REGION_NODE].i = node;
                row[UHI_REGION_VALUE].f = b->value[k][i];
            }
            b->value[k][i] = 0;
        }
}

/* Evaluates a node, and multiplies values by the weights of infinite sides. */
static void evaluate(const struct batch *b, size_t node, union uhi_word *rows) {
    const uh_integrand *integrand = b->sampling->integrand;
    const unsigned char *at = b->rule->at[node];
    const double *x[UHI_CUBATURE_DIMS];
    double *restrict all = b->all;
    int mapped = 0, bad = 0;
    for (size_t d = 0; d < b->dims; d++) {
        const double *restrict weight = b->weight[d][at[d]];
        x[d] = b->x[d][at[d]];
        for (size_t i = 0; i < b->wide && weight; i++)
            all[i] = mapped ? all[i] * weight[i] : weight[i];
        mapped |= weight != NULL;
    }
    integrand->function(b->n, x, (double *const *)b->value, integrand->context);
    for (size_t k = 0; k < b->values; k++)
        for (size_t i = 0; i < b->n; i++)
            bad += !(fabs(b->value[k][i]) <= DBL_MAX);
    if (bad)
        store_not_finite(b, node, rows);
    for (size_t k = 0; k < b->values && mapped; k++)
        for (size_t i = 0; i < b->n; i++)
            b->value[k][i] *= all[i];
}

/* Takes the second of an axis's two nodes, of orbit 1 or 2, into its difference. */
static void differ(const struct batch *b, size_t o, size_t axis) {
    const double *restrict before = b->before, *restrict centre = b->centre, *restrict value = b->value[0],
                           ratio = b->rule->ratio;
    double *restrict to = b->difference[axis];
    for (size_t i = 0; i < b->wide && o == 1; i++)
        to[i] = (before[i] + value[i]) - 2 * centre[i];
    for (size_t i = 0; i < b->wide && o == 2; i++)
        to[i] = fabs(to[i] - ratio * ((before[i] + value[i]) - 2 * centre[i]));
}

static void add_value(size_t n, double *restrict orbit, double *restrict size, const double *restrict value) {
    for (size_t i = 0; i < n; i++) {
        orbit[i] += value[i];
        size[i] += fabs(value[i]);
    }
}

static void add_orbit(size_t n, double *restrict sum, const double *restrict orbit, double weight) {
    for (size_t i = 0; i < n; i++)
        sum[i] += weight * orbit[i];
}

static void evaluate_orbit(const struct batch *b, size_t o, union uhi_word *rows) {
    const struct uhi_rule *rule = b->rule;
    for (size_t node = rule->first[o]; node < rule->first[o + 1]; node++) {
        const size_t number = node - rule->first[o];
        evaluate(b, node, rows);
        if (o > 0 && o <= 2 && number % 2)
            differ(b, o, number / 2);
        memcpy(o == 0 ? b->centre : b->before, b->value[0], BATCH * sizeof *b->before);
        for (size_t k = 0; k < b->values; k++)
            add_value(b->wide, b->orbit[k], b->size[k], b->value[k]);
    }
    for (size_t k = 0; k < b->values; k++) {
        for (size_t r = 0; r < RULES; r++)
            add_orbit(b->wide, b->sum[k][r], b->orbit[k], rule->weight[o][r]);
        memset(b->orbit[k], 0, BATCH * sizeof *b->orbit[k]);
    }
}

static void store(const struct batch *b, size_t i, union uhi_word *row) {
    for (size_t d = 0; d < b->dims; d++)
        row[UHI_REGION_DIFFERENCES + d].f = b->difference[d][i];
    for (size_t k = 0; k < b->values; k++) {
        union uhi_word *to = row + UHI_REGION_RULES(b->dims, k);
        for (size_t r = 0; r < RULES; r++)
            to[r].f = b->sum[k][r][i] * b->volume[i];
        to[RULES].f = b->size[k][i] * b->volume[i];
    }
}

void UHI_JOIN(uhi_cubature_evaluate, UH_ISA)(const struct uhi_sampling *sampling, size_t from, size_t to,
                                             struct uhi_sampler_part *part);

void UHI_JOIN(uhi_cubature_evaluate, UH_ISA)(const struct uhi_sampling *sampling, size_t from, size_t to,
                                             struct uhi_sampler_part *part) {
    const struct uhi_cubing *cubing = sampling->cubing;
    struct batch b = {.sampling = sampling,
                      .rule = &cubing->rule,
                      .dims = sampling->field.dims,
                      .values = sampling->integrand->values};
    const size_t words = uhi_row_words(sampling);
    for (size_t first = from; first < to; first += b.n) {
        union uhi_word *rows = sampling->rows + (first - sampling->first_unit) * words;
        b.n = to - first < BATCH ? to - first : BATCH;
        b.wide = (b.n + 15) / 16 * 16;
        begin(&b, cubing->region + first * 2 * b.dims, part->memory);
        for (size_t i = 0; i < b.n; i++) {
            rows[i * words + UHI_REGION_NOT_FINITE].i = rows[i * words + UHI_REGION_VALUE].i = 0;
            rows[i * words + UHI_REGION_NODE].i = UINT64_MAX;
        }
        for (size_t o = 0; o < b.rule->orbits; o++)
            evaluate_orbit(&b, o, rows);
        for (size_t i = 0; i < b.n; i++)
            store(&b, i, rows + i * words);
    }
}
