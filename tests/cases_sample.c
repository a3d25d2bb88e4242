/* SPDX-License-Identifier: Apache-2.0 */
/* Samples, and counts of samples, by each method: of weights of each type, of weights whose parts begin where samples
 * are, of integers that are all alike, of digits. */
#include "kernels/sample/sample_run.h"
#include "tests/arrays.h"
#include "tests/description.h"
#include "tests/oracle.h"
#include "tests/random_oracle.h"

__extension__ typedef unsigned __int128 u128;

/* Tables in local and in global memory, with counts in local memory, there without the table, and in global memory.
 * Products of the last size are refused now and then; it is for integers that are all alike. */
static const size_t sizes[] = {5, 100, 300, 14000, 100000, 1, 2, 3, 1000, 3 << 20};
static const uh_sample_method methods[] = {UH_SAMPLE_UNIHIST, UH_SAMPLE_ALIAS, UH_SAMPLE_BINARY};
enum { SIZES = sizeof sizes / sizeof *sizes, USUAL_SIZES = 5, METHODS = 3, PARTS = 3, MAX_TIES = 700, MAX_ITEM = 24 };
enum what { RANDOM, HOLES, AT_TIES, ALIKE, OF_DIGITS, EQUAL, STEEP, ONE_OF_MANY, TINY_AMONG_HUGE, SPLIT, WHATS };
static const char *const names[WHATS] = {"random weights", "mostly 0", "ties",        "all alike",     "digits",
                                         "equal weights",  "steep",    "one above 0", "tiny and huge", "split cells"};

/* A sampler's streams begin here. */
#define STREAM ((uint64_t)1 << 63)

struct part {
    size_t k;
    unsigned shift;
    uint64_t *weights;
    u128 *c;                         /* C of the definition, C[k] = 2^64 */
    struct uhi_sample_table *walker; /* made on the host; test_sample_table shows that it realises the same; or NULL */
};

struct samples {
    enum what what;
    uh_sample_method method;
    uh_dtype dtype;                    /* of the weights */
    size_t n, size, used, parts, item; /* used: up to the last outcome with mass */
    int64_t first;
    uint64_t seed, offset, limit;
    struct part part[PARTS];
    uh_array typed; /* weights */
    uint64_t *wide, *counts, *cumulative;
    uint32_t *narrow;
    char *population, *chosen;
};

/* Whether there is such a case: some weights are of few sizes, and what has none, or its own, of one size or method. */
static int is_case(enum what what, size_t size, uh_sample_method method) {
    switch (what) {
    case RANDOM:
    case HOLES: return size < 3 << 20;
    case ALIKE: return method == UH_SAMPLE_UNIHIST;
    case AT_TIES:
    case OF_DIGITS: return size == 5;
    case SPLIT: return size == 300 || size == 100000;
    default: return size == 2 || size == 1000;
    }
}

static int describe(size_t number, struct tried *tried) {
    if (number >= WHATS * SIZES * METHODS)
        return -1;
    const enum what what = (enum what)(number / METHODS / SIZES);
    const size_t size = sizes[number / METHODS % SIZES];
    const uh_sample_method method = methods[number % METHODS];
    snprintf(tried->name, sizeof tried->name, "%s, %zu, by %s", names[what], size,
             uh_enum_name(UH_ENUM_SAMPLE_METHOD, method));
    if (!is_case(what, size, method))
        return 0; /* nothing for any driver */
    tried->exact = (what <= HOLES && size == 300) || size > 100000 ? 60001 : 5003;
    if (what == RANDOM && size == 1000 && method == UH_SAMPLE_UNIHIST)
        tried->pieces = 5000003;
    if (number / METHODS % SIZES >= USUAL_SIZES)
        return 0;
    tried->in_null = 5000;
    if (size == 5 || size == 300)
        tried->few = what == AT_TIES ? 9 : what == OF_DIGITS ? 77 : 203;
    if (what == HOLES && size == 5 && method == UH_SAMPLE_UNIHIST)
        tried->few = 1100; /* as local memory pays */
    if ((what == HOLES && size == 100) || (what == ALIKE && size == 100) ||
        (what == OF_DIGITS && method == UH_SAMPLE_BINARY))
        tried->in_faults = method == UH_SAMPLE_UNIHIST ? 20001 : 2001;
    return 0;
}

static void free_samples(void *made) {
    struct samples *s = made;
    for (size_t d = 0; s && d < s->parts; d++)
        uhi_sample_table_destroy(s->part[d].walker);
    case_free(made);
}

/* ---- what is right ----------------------------------------------------------------------------------------------- */

/* What decides sample i, by digit d's streams. */
static uint64_t number_of(const struct samples *s, unsigned d, uint64_t i) {
    const uint64_t stream = STREAM + 2 * (uint64_t)d;
    return (uint64_t)random_oracle_32(UH_PHILOX4X32_10, s->seed, stream, i) << 32 |
           random_oracle_32(UH_PHILOX4X32_10, s->seed, stream + 1, i);
}

/* Weights of small types are small; those of the others a float32 holds. */
static uint64_t most_of(uh_dtype dtype) {
    const size_t bits = 8 * uh_dtype_size(dtype) - (dtype < UH_U8);
    return bits > 16 ? 16000000 : (UINT64_C(1) << bits) - 20;
}

static uint64_t weight_of(enum what what, size_t j, size_t k, uint64_t most, uint64_t random) {
    switch (what) {
    case HOLES: return random % 3 && j != k / 3 ? 0 : random / 3 % most + 1;
    case EQUAL: return most;
    case STEEP: return most / (j + 1) + 1;
    case ONE_OF_MANY: return j == k / 2 ? most : 0;
    case TINY_AMONG_HUGE: return j % 7 == 3 ? most : 1;
    case SPLIT: return j < k / 2 ? 10000 : j % 64 == 0 ? 500000 * k : k; /* most of the mass in crowded cells */
    default: return random % most + 1;
    }
}

static void make_part(struct samples *s, struct part *part, enum what what) {
    const uint64_t most = most_of(s->dtype);
    uint64_t state = s->seed + part->k;
    u128 total = 0, sum = 0;
    for (size_t j = 0; j < part->k; j++)
        total += part->weights[j] = weight_of(what, j, part->k, most, test_random_u64(&state) >> 8);
    if (total == 0)
        abort();
    for (size_t j = 0; j <= part->k; j++) {
        part->c[j] = (sum << 64) / total;
        sum += j < part->k ? part->weights[j] : 0;
    }
}

static int compare_u128(const void *a, const void *b) {
    u128 x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

/* Integers of sum 2^64, so that they are the masses. They begin at the numbers that are drawn, directly next to them,
 * or where only the lower half decides; two outcomes are what an alias's threshold decides. */
static void make_ties(struct samples *s, struct part *part) {
    const uint64_t where = s->seed % 5, last = s->n < MAX_TIES ? s->n : MAX_TIES;
    size_t k = 0, found = 1;
    part->c[k++] = 0;
    for (uint64_t i = 0; i < last && s->method != UH_SAMPLE_ALIAS; i++) {
        const u128 u = number_of(s, 0, s->offset + i);
        const u128 edges[] = {u, u + 1, u >> 32 << 32, u - 1};
        for (size_t e = 0; e < 4; e++)
            if (where == e || where == 4)
                part->c[k++] = edges[e];
    }
    if (k == 1)
        part->c[k++] = number_of(s, 0, s->offset + s->n / 2) + s->seed % 2;
    qsort(part->c, k, sizeof *part->c, compare_u128);
    for (size_t j = 1; j < k; j++)
        if (part->c[j] != part->c[found - 1])
            part->c[found++] = part->c[j];
    part->k = found;
    part->c[found] = (u128)1 << 64;
    for (size_t j = 0; j < found; j++)
        part->weights[j] = (uint64_t)(part->c[j + 1] - part->c[j]);
}

static void get_weights(const void *context, size_t from, size_t n, uhi_mass *mass) {
    for (size_t i = 0; i < n; i++)
        mass[i] = ((const struct part *)context)->weights[from + i];
}

static uh_status make_table(uh_queue *queue, const struct part *part, uh_sample_method method,
                            struct uhi_sample_table **table) {
    const struct uhi_masses masses = {get_weights, part, part->k};
    return uhi_sample_table_create(queue, "uh_digits", &masses, method, table);
}

/* Of a number, by Walker's table or by a search for the last outcome that begins at or before it. */
static uint64_t outcome_of(const struct part *part, uint64_t u) {
    const struct uhi_sample_table *t = part->walker;
    size_t low = 0, high = part->k; /* c[low] <= u < c[high] */
    if (t) {
        const uint64_t column = u >> (64 - t->bits), own = (uint64_t)t->threshold[column] << 32 | t->rest[column];
        return (u & (((uint64_t)1 << (64 - t->bits)) - 1)) < own ? column : t->alias[column];
    }
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        *(part->c[middle] <= u ? &low : &high) = middle;
    }
    return low;
}

static uint64_t expected(const struct samples *s, uint64_t i) {
    uint64_t sum = 0;
    if (s->what == ALIKE)
        return random_oracle_bounded(UH_PHILOX4X32_10, s->seed, STREAM + 16, i, s->size, 32);
    for (unsigned d = 0; d < s->parts; d++)
        sum += outcome_of(&s->part[d], number_of(s, d, i)) << s->part[d].shift;
    return sum;
}

/* The weights as an array of their type, some of them times a power of two. */
static void make_typed(struct samples *s, uint64_t seed) {
    const int exponent = s->dtype == UH_F32 ? -10 : s->dtype == UH_F64 ? 990 : s->dtype == UH_I64 ? 38 : 0;
    const ptrdiff_t size = (ptrdiff_t)uh_dtype_size(s->dtype), strides[] = {size, size, -size, 3 * size + 1, -2 * size};
    s->typed = case_strided(s, s->dtype, s->part->k, strides[seed % (sizeof strides / sizeof *strides)]);
    for (size_t j = 0; j < s->part->k; j++)
        (void)oracle_store(s->dtype, ldexpl((long double)s->part->weights[j], exponent), case_element(&s->typed, j));
}

static void make_parts(struct samples *s, size_t size) {
    static const size_t digits[PARTS] = {4, 5, 7};
    static const unsigned shifts[PARTS] = {0, 3, 7};
    uh_device *host = NULL;
    uh_queue *queue = NULL;
    s->parts = s->what == ALIKE ? 0 : s->what == OF_DIGITS ? PARTS : 1;
    for (size_t d = 0; d < s->parts && d < PARTS; d++) {
        struct part *part = &s->part[d];
        part->k = s->what == OF_DIGITS ? digits[d] : s->what == AT_TIES ? 4 * MAX_TIES + 1 : size;
        part->shift = shifts[d];
        part->weights = case_array(s, part->k, sizeof *part->weights);
        part->c = case_array(s, part->k + 1, sizeof *part->c);
        if (s->what == AT_TIES)
            make_ties(s, part);
        else
            make_part(s, part, s->what != OF_DIGITS ? s->what : d == 1 ? HOLES : RANDOM);
    }
    if (uh_device_select("host", &host) || uh_queue_create(host, NULL, &queue))
        abort();
    for (size_t d = 0; d < s->parts && s->method == UH_SAMPLE_ALIAS; d++)
        if (make_table(queue, &s->part[d], s->method, &s->part[d].walker))
            abort();
    uh_queue_destroy(queue);
}

static void *make(size_t number, size_t n, uint64_t seed) {
    static const uint64_t offsets[] = {0, 1, 2, 3, 1001, UINT64_C(0x3fffffffe), UINT64_C(0x7ffffffff00000f1), STREAM};
    static const size_t items[] = {1, 2, 3, 4, 8, 16, MAX_ITEM};
    struct samples *s = case_new(sizeof *s);
    s->what = (enum what)(number / METHODS / SIZES);
    s->method = methods[number % METHODS];
    s->seed = seed;
    s->offset = offsets[seed % 8] < STREAM - n ? offsets[seed % 8] : STREAM - n;
    s->n = n;
    s->limit = seed % 3 ? UINT32_MAX : n / 4 + 100;
    s->item = items[seed / 3 % 7];
    s->dtype = s->what == SPLIT || s->what == AT_TIES ? UH_U64 : (uh_dtype)(seed / 8 % UH_DTYPE_COUNT);
    s->first = s->what == OF_DIGITS ? -3 : 0;
    make_parts(s, sizes[number / METHODS % SIZES]);
    s->size = s->what == OF_DIGITS ? 1 << 10 : s->parts ? s->part->k : sizes[number / METHODS % SIZES];
    if (s->parts == 1)
        make_typed(s, seed / 21);
    s->wide = case_array(s, n, sizeof *s->wide);
    s->narrow = case_array(s, n, sizeof *s->narrow);
    s->counts = case_array(s, s->size, sizeof *s->counts);
    s->cumulative = case_array(s, s->size, sizeof *s->cumulative);
    s->population = case_array(s, s->size, s->item);
    s->chosen = case_array(s, n, s->item);
    for (size_t b = 0; b < s->size * s->item; b++)
        s->population[b] = (char)(test_random_u64(&seed) >> 9);
    for (size_t j = 0; j < s->size && s->parts == 1; j++)
        s->cumulative[j] = (uint64_t)s->part->c[j];
    for (s->used = s->size; s->parts == 1 && s->used > 1 && s->part->c[s->used - 1] >> 64; s->used--)
        ;
    for (size_t i = 0; i < n; i++) {
        const uint64_t outcome = expected(s, s->offset + i);
        s->wide[i] = outcome + (uint64_t)s->first;
        s->narrow[i] = (uint32_t)s->wide[i];
        s->counts[outcome]++;
        memcpy(s->chosen + i * s->item, s->population + outcome * s->item, s->item);
    }
    return s;
}

/* ---- a use ------------------------------------------------------------------------------------------------------- */

static uh_sampler *create_digits(struct use *use, const struct samples *s) {
    struct uhi_sampler_form form = {.first = s->first, .last = s->first + (int64_t)s->size - 1};
    uh_sampler *sampler = NULL;
    for (; form.parts < PARTS; form.parts++) {
        form.shift[form.parts] = s->part[form.parts].shift;
        if (!use_call(use, "uh_digits",
                      make_table(use->queue, &s->part[form.parts], s->method, &form.part[form.parts]))) {
            while (form.parts > 0)
                uhi_sample_table_destroy(form.part[--form.parts]);
            return NULL;
        }
    }
    (void)use_call(use, "uh_digits", uhi_sampler_make(use->queue, "uh_digits", &form, &sampler));
    return sampler;
}

static uh_sampler *create(struct use *use, const struct samples *s) {
    const uh_sampler_options options = {.struct_size = sizeof options, .method = s->method};
    uh_sampler *sampler = NULL;
    if (s->what == OF_DIGITS)
        return create_digits(use, s);
    if (s->what == ALIKE) {
        const uh_discrete alike = DISCRETE(UNIFORM, .low = 0, .high = (int64_t)s->size - 1);
        (void)use_call(use, "uh_sampler_create", uh_sampler_create(use->queue, &alike, NULL, &sampler));
        return sampler;
    }
    /* what a device that computes nothing copies back is no weight */
    const uh_array weights = use->computes ? use_array_input(use, s->typed) : s->typed;
    if (weights.data) {
        const uh_status status = uh_sampler_create(use->queue, WEIGHTED(&weights), &options, &sampler);
        (void)use_call(use, "uh_sampler_create", status);
        use_expect(use, (status == UH_SUCCESS) == (sampler != NULL), "uh_sampler_create failed and stored a sampler");
    }
    return sampler;
}

/* The calls that make a sampler of their own: choice of the outcomes themselves and of what stands for them. */
static void run_at_once(struct use *use, const struct samples *s) {
    uint32_t *narrow = use_output_plain(use, s->n, sizeof *narrow);
    uint64_t *wide = use_output_plain(use, s->n, sizeof *wide);
    char *chosen = use_output_plain(use, s->n, s->item);
    const uh_array *w = s->parts ? &s->typed : NULL;
    (void)use_written(use, "uh_choice",
                      uh_choice(use->queue, &(uh_population){NULL, s->size, 4, w}, s->seed, s->offset, narrow, s->n),
                      narrow, s->narrow, USE_TORN);
    (void)use_written(use, "uh_choice",
                      uh_choice(use->queue, &(uh_population){NULL, s->size, 8, w}, s->seed, s->offset, wide, s->n),
                      wide, s->wide, USE_TORN);
    (void)use_written(
        use, "uh_choice",
        uh_choice(use->queue, &(uh_population){s->population, s->size, s->item, w}, s->seed, s->offset, chosen, s->n),
        chosen, s->chosen, USE_TORN);
}

/* Counts of earlier calls are dropped. */
static void count(struct use *use, const struct samples *s, uh_sampler *sampler) {
    uint64_t *counts[2] = {use_output_plain(use, s->size, sizeof **counts),
                           use_output_plain(use, s->size, sizeof **counts)};
    if (s->limit < sampler->counters.max_pending && !use->faulty)
        sampler->counters.max_pending = s->limit;
    for (size_t i = 0; i < (use->faulty ? 1 : 2); i++)
        (void)use_written(use, "uh_sampler_count",
                          uh_sampler_count(sampler, s->seed, s->offset, s->n, counts[i], s->size), counts[i], s->counts,
                          USE_WHOLE);
}

static void look(struct use *use, const struct samples *s, const uh_sampler *sampler) {
    uint64_t *c = use_output_plain(use, s->size, sizeof *c);
    size_t used = 0;
    uh_sampler_properties is = {.struct_size = sizeof is};
    (void)use_call(use, "uh_sampler_get_properties", uh_sampler_get_properties(sampler, &is));
    use_expect(use, is.first == s->first && is.size == s->size && is.last == s->first + (int64_t)s->size - 1,
               "the sampler has outcomes %lld to %lld", (long long)is.first, (long long)is.last);
    use_expect(use, s->what == ALIKE || is.method == s->method, "the sampler's method is %s",
               uh_enum_name(UH_ENUM_SAMPLE_METHOD, is.method));
    if (s->parts != 1)
        return;
    if (use_written(use, "uh_sampler_cumulative", uh_sampler_cumulative(sampler, c, &used), c, s->cumulative,
                    USE_WHOLE))
        use_expect(use, used == s->used, "the last of %zu outcomes has mass, expected %zu", used, s->used);
}

static void run(struct use *use, const void *made) {
    const struct samples *s = made;
    const int is_signed = s->first < 0 || s->seed % 2;
    uh_sampler *sampler = create(use, s);
    uint32_t *narrow = use_output(use, s->n, sizeof *narrow);
    uint64_t *wide = use_output(use, s->n, sizeof *wide);
    if (sampler && narrow && wide) {
        look(use, s, sampler);
        (void)use_written(use, "uh_sampler_draw",
                          uh_sampler_draw(sampler, s->seed, s->offset, is_signed ? UH_I32 : UH_U32, narrow, s->n),
                          narrow, s->narrow, USE_TORN);
        (void)use_written(use, "uh_sampler_draw",
                          uh_sampler_draw(sampler, s->seed, s->offset, is_signed ? UH_I64 : UH_U64, wide, s->n), wide,
                          s->wide, USE_TORN);
        count(use, s, sampler);
    }
    uh_sampler_destroy(sampler);
    if (use->computes && s->parts <= 1 && s->method == UH_SAMPLE_UNIHIST && s->size <= 3000)
        run_at_once(use, s);
}

const struct description describe_sample = {"sample", describe, make, run, free_samples};
