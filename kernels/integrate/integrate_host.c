/* SPDX-License-Identifier: Apache-2.0 */
/* Samples of integrals on the CPU; compiled once per x86-64 level. Arithmetic is identical at all levels, operation for
 * operation. Samples go in batches that fit in the L1 cache, with one array per coordinate. */
#include "kernels/integrate/coordinates_host.h"
#include "kernels/integrate/sums.h"
#include "kernels/registry.h"

/* ---- cubes ------------------------------------------------------------------------------------------------------- */

static inline void fill_four(double *to, double number) {
#ifdef __AVX__
    _mm256_storeu_pd(to, _mm256_set1_pd(number));
#else
    _mm_storeu_pd(to, _mm_set1_pd(number));
    _mm_storeu_pd(to + 2, _mm_set1_pd(number));
#endif
}

/* Stores a number n times, and up to three times more. */
static void fill_numbers(double *to, size_t n, double number) {
    for (size_t i = 0; i < n; i += 4)
        fill_four(to + i, number);
}

/* Stores the coordinates of cubes on an axis, each `run` times, starting at element `first`. A repeating pattern is
 * made once. */
static void fill_digits(uint64_t first, uint64_t run, uint64_t intervals, size_t n, double *to) {
    const double last = (double)(intervals - 1);
    const size_t period = run < BATCH / intervals ? (size_t)(run * intervals) : n;
    double digit = (double)(first / run % intervals);
    uint64_t left = run - first % run;
    size_t i = 0;
    for (; i < n && i < period + run; left = run, digit = digit < last ? digit + 1 : 0) {
        const size_t count = left < n - i ? (size_t)left : n - i;
        fill_numbers(to + i, count, digit);
        i += count;
    }
    for (; i < n; i += period)
        memcpy(to + i, to + i - period, (period < n - i ? period : n - i) * sizeof *to);
}

/* Stores a number for each sample of a run. Most runs are short: at least four are stored, and the next run overwrites
 * the excess. */
static void fill_runs(const uint32_t *count, size_t runs, const double *number, double *to) {
    for (size_t r = 0; r < runs; to += count[r++])
        fill_numbers(to, count[r], number[r]);
}

/* Lists the runs of samples, one per cube, that make up n samples; returns their number. */
static size_t list_runs(const struct uhi_sampling *s, const struct uhi_adding *at, size_t n, uint32_t *count) {
    uint64_t cube = at->cube, left = uhi_cube_size(s, cube) - at->seen;
    size_t runs = 0;
    for (size_t i = 0; i < n; i += count[runs++]) {
        count[runs] = left < n - i ? (uint32_t)left : (uint32_t)(n - i);
        left = ++cube < s->cubes ? uhi_cube_size(s, cube) : 0;
    }
    return runs;
}

/* Stores the coordinates of a batch's cubes on an axis; `stride` is the product of the intervals of the axes before. */
static void make_base(const struct uhi_sampling *s, uint64_t sample, uint64_t cube, size_t runs, uint64_t stride,
                      uint64_t intervals, size_t n, const struct arrays *a) {
    if (!s->starts) {
        fill_digits(sample, s->each * stride, intervals, n, a->base);
        return;
    }
    fill_digits(cube, stride, intervals, runs, a->digit);
    fill_runs(a->count, runs, a->digit, a->base);
}

/* ---- contributions to bins --------------------------------------------------------------------------------------- */

/* Integers, whose sum does not depend on the order. They are the low bits of a sum with 2^52. */
static void make_contributions(const struct uhi_sampling *s, const struct arrays *a, int shared) {
    const double *restrict v = a->value[0], *restrict share = a->share, scale = s->scale;
    uint64_t *restrict to = a->contribution;
    for (size_t i = 0; i < BATCH; i++) {
        double c = (v[i] * scale) * (v[i] * scale);
        c = shared ? c * share[i] : c;
        c = (c < UHI_MAX_GIVEN ? c : (double)UHI_MAX_GIVEN) + 0x1p52;
        memcpy(&to[i], &c, sizeof c);
        to[i] &= (UINT64_C(1) << 52) - 1;
    }
}

/* Adds to two axes at once: their loads and stores fill each other's gaps. Not inlined: its loop needs registers. */
static __attribute__((noinline)) void give_two(const uint64_t *restrict c, const int32_t *restrict bin,
                                               const int32_t *restrict other, size_t n, uint64_t *restrict to,
                                               uint64_t *restrict to_other) {
    for (size_t i = 0; i < n; i++) {
        to[bin[i]] += c[i];
        to_other[other[i]] += c[i];
    }
}

/* Stores the mean number of samples per cube, divided by that of each sample's cube. */
static void make_shares(const struct uhi_sampling *s, const struct arrays *a, uint64_t cube, size_t runs) {
    const double each = (double)s->samples / (double)s->cubes;
    for (size_t r = 0; r < runs; r++)
        a->digit[r] = each / (double)uhi_cube_size(s, cube + r);
    fill_runs(a->count, runs, a->digit, a->share);
}

static void contribute(const struct uhi_sampling *s, const struct arrays *a, size_t n,
                       const struct uhi_sampler_part *part, union uhi_word *row) {
    const uint64_t *c = a->contribution;
    uint64_t given = 0;
    make_contributions(s, a, s->starts != NULL);
    for (size_t i = 0; i < n; i++)
        given += c[i] >> UHI_GIVEN_BITS;
    row[UHI_ROW_GIVEN].i += given;
    for (size_t d = 0; d < s->adjusts; d += 2) {
        const int32_t *restrict bin = a->bin[d];
        uint64_t *to = part->contributions + d * s->field.bins;
        if (d + 1 < s->adjusts)
            give_two(c, bin, a->bin[d + 1], n, to, to + s->field.bins);
        for (size_t i = 0; i < n && d + 1 == s->adjusts; i++)
            to[bin[i]] += c[i];
    }
}

/* ---- units ------------------------------------------------------------------------------------------------------- */

/* The same for a batch with values that are not finite, which are reported and become 0, or too large to be squared. It
 * is evaluated again, because products may have hidden which is the case. */
static void weigh_not_finite(const struct uhi_sampling *s, const struct arrays *a, uint64_t sample, size_t n,
                             struct uhi_sampler_part *part, union uhi_word *row) {
    const double unit = 1 / s->scale_of_values;
    s->integrand->function(n, (const double *const *)a->x, (double *const *)a->value, s->integrand->context);
    for (size_t i = n; i-- > 0;)
        for (size_t k = s->integrand->values; k-- > 0;) {
            double *v = &a->value[k][i];
            if (isfinite(*v)) {
                *v *= a->weight[i] * unit;
                row[UHI_ROW_TOO_LARGE].i |= !(fabs(*v) <= UHI_INTEGRATE_LARGEST);
                continue;
            }
            row[UHI_ROW_NOT_FINITE].i++;
            row[UHI_ROW_FIRST_NOT_FINITE].i =
                sample + i < row[UHI_ROW_FIRST_NOT_FINITE].i ? sample + i : row[UHI_ROW_FIRST_NOT_FINITE].i;
            if (sample + i == s->report)
                part->value = *v;
            for (size_t d = 0; d < s->field.dims && sample + i == s->report; d++)
                part->point[d] = a->x[d][i];
            *v = 0;
        }
}

/* Evaluates a batch and multiplies values by weights. */
static void evaluate(const struct uhi_sampling *s, const struct arrays *a, uint64_t sample, size_t n,
                     struct uhi_sampler_part *part, union uhi_word *row) {
    const double *restrict weight = a->weight, unit = 1 / s->scale_of_values;
    int bad = 0;
    s->integrand->function(n, (const double *const *)a->x, (double *const *)a->value, s->integrand->context);
    for (size_t k = 0; k < s->integrand->values; k++) {
        double *restrict v = a->value[k];
        for (size_t i = n; i < BATCH; i++)
            v[i] = 0;
        for (size_t i = 0; i < BATCH; i++)
            v[i] *= weight[i] * unit;
        for (size_t i = 0; i < BATCH; i++)
            bad += !(fabs(v[i]) <= UHI_INTEGRATE_LARGEST);
    }
    if (bad)
        weigh_not_finite(s, a, sample, n, part, row);
}

/* The largest of BATCH absolute values, as bits. */
static uint64_t largest_of(const double *value) {
    int64_t largest = 0;
    for (size_t i = 0; i < BATCH; i++) {
        int64_t bits;
        memcpy(&bits, &value[i], sizeof bits);
        bits &= INT64_MAX;
        largest = bits > largest ? bits : largest;
    }
    return (uint64_t)largest;
}

/* Notes the largest value, multiplied by the samples' shares. */
static void note_largest(const struct uhi_sampling *s, const struct arrays *a, union uhi_word *row) {
    const double *restrict v = a->value[0], *restrict share = a->share;
    double *restrict shared = a->part;
    for (size_t i = 0; i < BATCH && s->starts; i++)
        shared[i] = v[i] * share[i];
    uhi_row_raise(row + UHI_ROW_LARGEST, largest_of(s->starts ? shared : v));
}

/* The sample before a batch, within its unit. */
struct before {
    double value, stretch, share; /* stretch 0: none */
};

/* Notes the largest jump between a batch's samples, which lie along the only axis. */
static void note_jumps(const struct uhi_sampling *s, const struct arrays *a, size_t n, struct before *before,
                       union uhi_word *row) {
    const double *restrict v = a->value[0], *restrict share = a->share;
    double *restrict stretch = a->base, *restrict jump = a->part;
    for (size_t i = 0; i < BATCH && !s->starts; i++)
        a->share[i] = 1;
    for (size_t i = 0; i < BATCH; i++)
        stretch[i] = s->field.cells[a->bin[0][i]].stretch;
    jump[0] =
        before->stretch > 0 ? uhi_jump(before->value, before->stretch, before->share, v[0], stretch[0], share[0]) : 0;
    for (size_t i = 1; i < BATCH; i++)
        jump[i] = uhi_jump(v[i - 1], stretch[i - 1], share[i - 1], v[i], stretch[i], share[i]);
    for (size_t i = n; i < BATCH; i++)
        jump[i] = 0;
    *before = (struct before){v[n - 1], stretch[n - 1], share[n - 1]};
    uhi_row_raise(row + UHI_ROW_JUMP, largest_of(jump));
}

/* Makes a batch of n samples, starting at number `sample`. */
static void sample_batch(const struct uhi_sampling *s, const struct arrays *a, struct generators *g, uint64_t sample,
                         uint64_t cube, size_t runs, size_t n) {
    const struct uhi_field *field = &s->field;
    uint64_t stride = 1;
    for (size_t d = 0; d < field->dims; stride *= s->intervals[d++]) {
        make_base(s, sample, cube, runs, stride, s->intervals[d], n, a);
        make_axis(field, d, a->ratio[d], s->sequence ? sequence_words(s, sample, d, a) : next_words(g, d, a),
                  s->sequence ? s->sequence->kind : 0, a);
    }
}

static void sample_unit(const struct uhi_sampling *s, const struct arrays *a, size_t number,
                        struct uhi_sampler_part *part) {
    const uint64_t from = number * UHI_UNIT, end = from + UHI_UNIT < s->samples ? from + UHI_UNIT : s->samples;
    const size_t values = s->integrand->values;
    const int pairs = !s->starts && s->each == 2 && values == 1;
    union uhi_word *row = s->rows + (number - s->first_unit) * UHI_ROW_WORDS(values);
    struct uhi_adding at;
    struct generators g;
    struct before before = {0, 0, 0};
    uhi_begin_unit(&at, s, from, a->strips, row);
    begin_words(&g, s->field.dims, s->seed, s->stream, from);
    for (uint64_t sample = from; sample < end; sample += BATCH) {
        const size_t n = end - sample < BATCH ? (size_t)(end - sample) : BATCH;
        const size_t runs = pairs ? 0 : list_runs(s, &at, n, a->count);
        const uint64_t cube = pairs ? sample / 2 : at.cube;
        sample_batch(s, a, &g, sample, cube, runs, n);
        evaluate(s, a, sample, n, part, row);
        if (s->starts && uhi_notes_largest(s))
            make_shares(s, a, cube, runs);
        if (uhi_notes_largest(s))
            note_largest(s, a, row);
        if (s->adjusts)
            contribute(s, a, n, part, row);
        if (s->field.dims == 1)
            note_jumps(s, a, n, &before, row);
        if (pairs)
            uhi_add_pairs(&at, a->value[0], cube, (size_t)(sample - from), n);
        else
            uhi_add_runs(&at, a->value, a->count, runs, row + UHI_ROW_FIRST(values));
    }
    uhi_end_unit(&at, row);
}

static void sample(const struct uhi_sampling *s, size_t from, size_t to, struct uhi_sampler_part *part) {
    struct arrays a;
    lay_out(&a, s->field.dims, s->integrand->values, part->memory);
    memset(part->memory, 0, UHI_INTEGRATE_MEMORY(s->field.dims, s->integrand->values));
    for (size_t d = 0; d < s->field.dims; d++)
        a.ratio[d] = (double)s->field.bins / (double)s->intervals[d];
    for (size_t number = from; number < to; number++)
        sample_unit(s, &a, number, part);
}

/* ---- points ------------------------------------------------------------------------------------------------------ */

static void points(const struct uhi_field *field, const uh_points *points, uint64_t stream, uint64_t first, size_t n,
                   void *memory, double *rows) {
    const uh_integrand *integrand = points->integrand;
    const size_t dims = field->dims, values = integrand ? integrand->values : 0;
    struct arrays a;
    struct generators g;
    lay_out(&a, dims, values, memory);
    memset(a.base, 0, BATCH * sizeof *a.base);
    begin_words(&g, dims, points->seed, stream, first);
    for (size_t i = 0; i < n; i += BATCH) {
        const size_t here = BATCH < n - i ? BATCH : n - i;
        for (size_t d = 0; d < dims; d++)
            make_axis(field, d, (double)field->bins, next_words(&g, d, &a), 0, &a);
        if (integrand)
            integrand->function(here, (const double *const *)a.x, a.value, integrand->context);
        for (size_t j = 0; j < here; j++, rows += dims + 1 + values) {
            for (size_t d = 0; d < dims; d++)
                rows[d] = a.x[d][j];
            rows[dims] = values ? a.weight[j] * a.value[0][j] : a.weight[j];
            for (size_t k = 0; k < values; k++)
                rows[dims + 1 + k] = a.value[k][j];
        }
    }
}

void UHI_JOIN(uhi_cubature_evaluate, UH_ISA)(const struct uhi_sampling *sampling, size_t from, size_t to,
                                             struct uhi_sampler_part *part);

UHI_HOST_TABLE(integrate) = {sample, points, UHI_JOIN(uhi_cubature_evaluate, UH_ISA)};
