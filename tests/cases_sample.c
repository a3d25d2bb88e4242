/* SPDX-License-Identifier: Apache-2.0 */
/* Samples, and counts of samples, by each method: of weights, at ties, of integers that are all alike, of digits. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unihist/sample.h>

#include "kernels/sample/sample_run.h"
#include "tests/descriptions.h"
#include "tests/random_oracle.h"
#include "tests/sample_oracle.h"
#include "tests/sample_ties.h"
#include "tests/support.h"

/* Tables in local and in global memory, with counts in local memory, there without the table, and in global memory. */
static const size_t sizes[] = {5, 100, 300, 14000, 100000};
static const uh_sample_method methods[] = {UH_SAMPLE_UNIHIST, UH_SAMPLE_ALIAS, UH_SAMPLE_BINARY};
enum { SIZES = sizeof sizes / sizeof *sizes, METHODS = 3, DIGITS = 3, BITS = 4 };
enum what { WEIGHTS, WEIGHTS_AND_ZEROS, AT_TIES, ALIKE, OF_DIGITS, WHATS };
static const char *const names[WHATS] = {"weights", "weights, some of them 0", "ties", "all alike", "digits"};

struct samples {
    enum what what;
    uh_sample_method method;
    size_t n, k;
    uint64_t seed, offset;
    uint64_t *weights, *c; /* C of the definition */
    uint64_t *wide, *counts;
    uint32_t *narrow;
};

static enum what what_of(size_t number) {
    return (enum what)(number / METHODS / SIZES);
}

static int describe(size_t number, struct tried *tried) {
    if (number >= WHATS * SIZES * METHODS)
        return -1;
    const enum what what = what_of(number);
    const size_t size = sizes[number / METHODS % SIZES];
    const uh_sample_method method = methods[number % METHODS];
    snprintf(tried->name, sizeof tried->name, "%s, %zu, by %s", names[what], size, uh_sample_method_name(method));
    if (((what == AT_TIES || what == OF_DIGITS) && size != 5) || (what == ALIKE && method != UH_SAMPLE_UNIHIST))
        return 0; /* nothing for any driver */
    tried->exact = size == 300 ? 60001 : 5003;
    if (size == 5 || size == 300)
        tried->few = what == AT_TIES ? 9 : what == OF_DIGITS ? 77 : 203;
    if (what == WEIGHTS_AND_ZEROS && size == 5 && method == UH_SAMPLE_UNIHIST)
        tried->few = 1100; /* as local memory pays */
    if ((what == WEIGHTS_AND_ZEROS && size == 100) || (what == ALIKE && size == 100) ||
        (what == OF_DIGITS && method == UH_SAMPLE_BINARY))
        tried->in_faults = method == UH_SAMPLE_UNIHIST ? 20001 : 2001;
    tried->in_null = 50000;
    return 0;
}

static void free_samples(void *made) {
    struct samples *s = made;
    if (!s)
        return;
    free(s->weights);
    free(s->c);
    free(s->wide);
    free(s->narrow);
    free(s->counts);
    free(s);
}

/* ---- what is right ----------------------------------------------------------------------------------------------- */

/* Weights, and where the masses begin that they have of 2^64. At ties it is the sample in the middle that begins one.
 */
static void make_weights_of(struct samples *s) {
    uint64_t state = s->seed;
    u128 total = 0, sum = 0;
    if (s->what == AT_TIES) {
        tie_weights(tie_number(s->seed, s->offset + s->n / 2), s->weights, s->c);
        return;
    }
    for (size_t j = 0; j < s->k; j++) {
        s->weights[j] = s->what == WEIGHTS_AND_ZEROS && j % 4 == 1 ? 0 : test_random_u64(&state) % 1000 + 1;
        total += s->weights[j];
    }
    for (size_t j = 0; j < s->k; j++) {
        s->c[j] = (uint64_t)((sum << 64) / total);
        sum += s->weights[j];
    }
}

/* The last outcome that begins at or before u and has mass. */
static uint64_t search(const struct samples *s, uint64_t u) {
    size_t low = 0, high = s->k; /* c[low] <= u < c[high] */
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        *(s->c[middle] <= u ? &low : &high) = middle;
    }
    return low;
}

static uint64_t expected(const struct samples *s, const uh_sampler *by_alias, uint64_t i) {
    uint64_t sum = 0;
    switch (s->what) {
    case ALIKE: return random_oracle_bounded(UH_PHILOX4X32_10, s->seed, STREAM + 16, i, s->k, 32);
    case OF_DIGITS:
        for (unsigned d = 0; d < DIGITS; d++) /* 2^BITS alike: the top bits */
            sum += (uint64_t)(word(s->seed, STREAM + 2 * d, i) >> (32 - BITS)) << d * BITS;
        return sum;
    default: return by_alias ? sample_oracle_alias(by_alias, s->seed, i) : search(s, both_words(s->seed, i));
    }
}

/* The host's sampler, of whose alias table the samples are told; NULL for the other methods. */
static int alias_of(const struct samples *s, uh_queue **queue, uh_sampler **sampler) {
    const uh_sampler_options options = {.struct_size = sizeof options, .method = s->method};
    uh_device *host;
    if (s->method != UH_SAMPLE_ALIAS || s->what > AT_TIES)
        return 0;
    return uh_device_select("host", &host) || uh_queue_create(host, NULL, queue) ||
           uh_sampler_create(*queue, UH_U64, s->weights, s->k, &options, sampler);
}

static int fill(struct samples *s) {
    uh_queue *queue = NULL;
    uh_sampler *sampler = NULL;
    s->weights = malloc(s->k * sizeof *s->weights);
    s->c = malloc((s->k + 1) * sizeof *s->c);
    s->wide = malloc((s->n + 1) * sizeof *s->wide);
    s->narrow = malloc((s->n + 1) * sizeof *s->narrow);
    s->counts = calloc(s->k, sizeof *s->counts);
    if (!s->weights || !s->c || !s->wide || !s->narrow || !s->counts)
        return -1;
    make_weights_of(s);
    if (alias_of(s, &queue, &sampler))
        return -1;
    for (size_t i = 0; i < s->n; i++) {
        s->wide[i] = expected(s, sampler, s->offset + i);
        s->narrow[i] = (uint32_t)s->wide[i];
        s->counts[s->wide[i]]++;
    }
    return uh_sampler_destroy(sampler) || (queue && uh_queue_destroy(queue)) ? -1 : 0;
}

static void *make(size_t number, size_t n, uint64_t seed) {
    static const uint64_t offsets[] = {0, 1, 2, 3, 1001, UINT64_C(0x3fffffffe), UINT64_C(0x7ffffffff00000f1)};
    struct samples *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->what = what_of(number);
    s->method = methods[number % METHODS];
    s->k = s->what == AT_TIES     ? TIE_OUTCOMES
           : s->what == OF_DIGITS ? (size_t)1 << DIGITS * BITS
                                  : sizes[number / METHODS % SIZES];
    s->seed = seed;
    s->offset = offsets[seed % 7];
    s->n = n;
    if (fill(s) == 0)
        return s;
    free_samples(s);
    return NULL;
}

/* ---- a use ------------------------------------------------------------------------------------------------------- */

static void get_alike(const void *context, size_t from, size_t n, uhi_mass *mass) {
    (void)context;
    (void)from;
    for (size_t i = 0; i < n; i++)
        mass[i] = 1;
}

static uh_sampler *create_digits(struct use *use, uh_sample_method method) {
    const struct uhi_masses masses = {get_alike, NULL, (size_t)1 << BITS};
    struct uhi_sampler_form form = {.last = ((int64_t)1 << DIGITS * BITS) - 1, .parts = 0};
    uh_sampler *sampler = NULL;
    for (unsigned d = 0; d < DIGITS; d++, form.parts++) {
        form.shift[d] = d * BITS;
        if (!use_call(use, "digits", uhi_sample_table_create(use->queue, "digits", &masses, method, &form.part[d]))) {
            while (form.parts > 0)
                uhi_sample_table_destroy(form.part[--form.parts]);
            return NULL;
        }
    }
    (void)use_call(use, "digits", uhi_sampler_make(use->queue, "digits", &form, &sampler));
    return sampler;
}

static uh_sampler *create(struct use *use, const struct samples *s) {
    const uh_sampler_options options = {.struct_size = sizeof options, .method = s->method};
    uh_sampler *sampler = NULL;
    uh_status status;
    if (s->what == OF_DIGITS)
        return create_digits(use, s->method);
    if (s->what == ALIKE) {
        status = uh_sampler_create_uniform(use->queue, 0, (int64_t)s->k - 1, NULL, &sampler);
        (void)use_call(use, "uh_sampler_create_uniform", status);
        return sampler;
    }
    const void *weights = use_input(use, s->weights, s->k * sizeof *s->weights);
    if (weights) {
        status = uh_sampler_create(use->queue, UH_U64, weights, s->k, &options, &sampler);
        (void)use_call(use, "uh_sampler_create", status);
        use_expect(use, (status == UH_SUCCESS) == (sampler != NULL), "uh_sampler_create failed and stored a sampler");
    }
    return sampler;
}

/* The calls that make a sampler of their own: choice of the outcomes themselves and of what stands for them. */
static void run_at_once(struct use *use, const struct samples *s) {
    uint32_t *narrow = use_output_plain(use, s->n, sizeof *narrow);
    uint64_t *counts = use_output_plain(use, s->k, sizeof *counts),
             *chosen = use_output_plain(use, s->n, sizeof *chosen);
    uint64_t *expected_choice = use_scratch(use, s->n * sizeof *chosen);
    for (size_t i = 0; i < s->n; i++)
        expected_choice[i] = s->weights[s->wide[i]];
    (void)use_written(
        use, "uh_choice",
        uh_choice(use->queue, NULL, s->k, sizeof *narrow, UH_U64, s->weights, s->n, s->seed, s->offset, narrow), narrow,
        s->narrow, USE_TORN);
    (void)use_written(
        use, "uh_choice",
        uh_choice(use->queue, s->weights, s->k, sizeof *chosen, UH_U64, s->weights, s->n, s->seed, s->offset, chosen),
        chosen, expected_choice, USE_TORN);
    (void)use_written(use, "uh_multinomial",
                      uh_multinomial(use->queue, s->n, UH_U64, s->weights, s->k, s->seed, s->offset, counts), counts,
                      s->counts, USE_WHOLE);
}

static void run(struct use *use, const void *made) {
    const struct samples *s = made;
    uh_sampler *sampler = create(use, s);
    uint32_t *narrow = use_output(use, s->n, sizeof *narrow);
    uint64_t *wide = use_output(use, s->n, sizeof *wide), *counts = use_output_plain(use, s->k, sizeof *counts);
    if (sampler && narrow && wide) {
        (void)use_written(use, "uh_sampler_draw", uh_sampler_draw(sampler, s->n, s->seed, s->offset, UH_U32, narrow),
                          narrow, s->narrow, USE_TORN);
        (void)use_written(use, "uh_sampler_draw", uh_sampler_draw(sampler, s->n, s->seed, s->offset, UH_I64, wide),
                          wide, s->wide, USE_TORN);
        (void)use_written(use, "uh_sampler_count", uh_sampler_count(sampler, s->n, s->seed, s->offset, counts, s->k),
                          counts, s->counts, USE_WHOLE);
    }
    (void)use_call(use, "uh_sampler_destroy", uh_sampler_destroy(sampler));
    if (use->computes && s->what <= AT_TIES && s->method == UH_SAMPLE_UNIHIST && s->k <= 300)
        run_at_once(use, s);
}

static void traffic(size_t number, size_t n, size_t *read, size_t *written) {
    (void)number;
    *read = 0;
    *written = n * sizeof(uint32_t);
}

const struct description describe_sample = {"sample", describe, make, run, free_samples, traffic};
