/* SPDX-License-Identifier: Apache-2.0 */
/* The probabilities that tables realise, found without drawing anything: by going through every cell of a guide and
 * every column of an alias table. That they are the weights' parts of the sum is shown by test_probabilities.py. */
#include "kernels/sample/sample_run.h"
#include "kernels/sample/table.h"
#include "tests/oracle.h"
#include "tests/tested.h"

__extension__ typedef unsigned __int128 u128;

static void masses_of_cumulative(const struct uhi_sample_table *t, u128 *mass) {
    memset(mass, 0, t->size * sizeof *mass);
    for (uint32_t r = 0; r < t->items; r++) {
        const u128 start = (u128)t->top[r] << 32 | t->low[r];
        const u128 end = r + 1 < t->items ? (u128)t->top[r + 1] << 32 | t->low[r + 1] : (u128)1 << 64;
        assert_true(end > start);
        mass[t->map ? t->map[r] : r] = end - start;
    }
}

/* What sample.h says of a w and an x with s low bits: adds `words` of them, and 2^32 v each, to their answers. */
static void walk_words(const struct uhi_sample_table *t, uint32_t entry, uint64_t first, uint64_t end, uint32_t s,
                       u128 *by_rank) {
    const uint32_t crowded = entry >> s, carry = (uint32_t)(((uint64_t)1 << s) - (entry & (((uint64_t)1 << s) - 1)));
    if (crowded >= t->items) { /* binary search: by the cumulative itself */
        uint32_t rank = uhi_sample_search(t->top, t->low, t->items, (uint32_t)first, 0);
        u128 at = (u128)first << 32;
        const u128 stop = (u128)end << 32;
        for (; at < stop; rank++) {
            const u128 next = rank + 1 < t->items ? (u128)t->top[rank + 1] << 32 | t->low[rank + 1] : (u128)1 << 64;
            const u128 to = next < stop ? next : stop;
            by_rank[rank] += to - at;
            at = to;
        }
        return;
    }
    /* Words below the carry have rank `crowded`, the others one more; x with no low bit is at word 0 and at the carry.
     */
    const uint64_t words = end - first, below = carry < words ? carry : words;
    by_rank[crowded] += (u128)below << 32;
    if (below < words)
        by_rank[crowded + 1] += (u128)(words - below) << 32;
    for (int i = 0; i < 2; i++) {
        const uint64_t word = i ? carry : 0;
        if (word >= words || (i == 0 && (entry & (((uint64_t)1 << s) - 1))))
            continue;
        const uint32_t rank = (uint32_t)(((uint64_t)entry + word) >> s);
        if (rank > 0 && t->top[rank] == first + word) { /* v < low: the rank before */
            by_rank[rank] -= t->low[rank];
            by_rank[rank - 1] += t->low[rank];
        }
    }
}

static void masses_of_guide(const struct uhi_sample_table *t, u128 *mass) {
    const uint32_t s = 32 - t->bits, s2 = s - t->more;
    u128 *by_rank = test_memory(((size_t)t->items + 1) * sizeof *by_rank);
    assert_true(t->items <= (uint64_t)1 << (t->bits - 1) && t->splits <= (uint64_t)1 << (t->bits - 1));
    assert_true(t->splits == 0 || (t->more >= 1 && t->more < s));
    for (uint64_t cell = 0; cell < (uint64_t)1 << t->bits; cell++) {
        const uint32_t x = t->cells[cell];
        if (x >> s < t->items) {
            walk_words(t, x, cell << s, (cell + 1) << s, s, by_rank);
            continue;
        }
        const uint32_t f = (x >> s) - ((uint32_t)1 << (t->bits - 1));
        assert_true(f < t->splits && x << t->bits == 0);
        for (uint64_t p = 0; p < (uint64_t)1 << t->more; p++) {
            const uint64_t first = (cell << s) + (p << s2);
            walk_words(t, t->cells[((size_t)1 << t->bits) + ((size_t)f << t->more) + p], first,
                       first + ((uint64_t)1 << s2), s2, by_rank);
        }
    }
    memset(mass, 0, t->size * sizeof *mass);
    for (uint32_t r = 0; r < t->items; r++)
        mass[t->map ? t->map[r] : r] = by_rank[r];
    assert_true(by_rank[t->items] == 0);
}

static void masses_of_alias(const struct uhi_sample_table *t, u128 *mass) {
    const uint64_t capacity = (uint64_t)1 << (64 - t->bits), columns = (uint64_t)1 << t->bits; /* bits from 1 on */
    assert_true(columns >= t->size);
    memset(mass, 0, t->size * sizeof *mass);
    for (uint64_t c = 0; c < columns; c++) {
        const uint64_t own = (uint64_t)t->threshold[c] << 32 | t->rest[c];
        assert_true(own <= capacity && (own == 0 || c < t->size) && t->alias[c] < columns);
        if (own)
            mass[c] += own;
        if (own < capacity) {
            assert_true(t->alias[c] < t->size);
            mass[t->alias[c]] += capacity - own;
        }
    }
}

/* The integers are the same by each method, add up to 2^64, are 0 where the weight is, and are what the tables say. */
static void check(uh_dtype dtype, const void *weights, size_t k) {
    static const uh_sample_method methods[] = {UH_SAMPLE_BINARY, UH_SAMPLE_UNIHIST, UH_SAMPLE_ALIAS};
    u128 *mass = test_memory(k * sizeof *mass), *first = test_memory(k * sizeof *first), sum = 0;
    uint64_t *c = test_memory(k * sizeof *c);
    for (size_t m = 0; m < 3; m++) {
        const uh_sampler_options options = {sizeof options, methods[m]};
        uh_sampler *sampler = NULL;
        test_good(uh_sampler_create(tested.queue, WEIGHTED(ARRAY(dtype, weights, k)), &options, &sampler));
        const struct uhi_sample_table *t = sampler->form.part[0];
        masses_of_cumulative(t, mass);
        if (m == 0) {
            memcpy(first, mass, k * sizeof *mass);
            for (size_t j = 0; j < k; j++) {
                sum += mass[j];
                assert_true(!mass[j] || oracle_value(dtype, (const char *)weights + j * uh_dtype_size(dtype)) > 0);
            }
            assert_true(sum == (u128)1 << 64);
        }
        assert_memory_equal(mass, first, k * sizeof *mass);
        if (methods[m] == UH_SAMPLE_UNIHIST)
            masses_of_guide(t, mass);
        else if (methods[m] == UH_SAMPLE_ALIAS)
            masses_of_alias(t, mass);
        for (size_t j = 0; j < k; j++)
            if (mass[j] != first[j])
                fail_msg("%s: the table of %zu realises other masses than the cumulative, from %zu on",
                         uh_enum_name(UH_ENUM_SAMPLE_METHOD, methods[m]), k, j);
        size_t used = 0;
        test_good(uh_sampler_cumulative(sampler, c, &used));
        assert_true(first[used - 1] > 0);
        for (size_t j = used; j < k; j++)
            assert_true(first[j] == 0);
        for (size_t j = 0; j < k; j++)
            assert_true((uint64_t)((j + 1 < k ? c[j + 1] : 0) - c[j]) == (uint64_t)first[j]);
        uh_sampler_destroy(sampler);
    }
}

enum hostile { EQUAL, RANDOM, HOLES, DECADES, ONE_HUGE, DENORMAL, OVERFLOWING, LONELY, LAST, STEEP, KINDS };

static double weight(enum hostile kind, size_t j, size_t k, uint64_t *state) {
    const double r = test_random_f64(state);
    switch (kind) {
    case EQUAL: return 0.1;
    case RANDOM: return r;
    case HOLES: return r < 0.6 ? 0 : r;
    case DECADES: return pow(10, -30 + 60 * r);
    case ONE_HUGE: return j == k / 3 ? 1e300 : r;
    case DENORMAL: return j % 2 ? DBL_TRUE_MIN * (1 + floor(100 * r)) : DBL_MIN * r;
    case OVERFLOWING: return DBL_MAX * (0.5 + r / 2);
    case LONELY: return j == k / 2 ? 0x1p-1074 : 0;
    case LAST: return j == k - 1 ? 1 : r * 0x1p-40;
    default: return 1 / pow((double)(j + 1), 3);
    }
}

UNIT_TEST(every_table_realises_the_cumulative) {
    static const size_t sizes[] = {1, 2, 3, 1000, 1024, 1025, 70000};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int kind = 0; kind < KINDS; kind++) {
            double *weights = test_memory(sizes[s] * sizeof *weights);
            uint64_t seed = sizes[s] + (uint64_t)kind;
            for (size_t j = 0; j < sizes[s]; j++)
                weights[j] = weight((enum hostile)kind, j, sizes[s], &seed);
            weights[sizes[s] / 2] += kind == HOLES ? 0.5 : 0;
            check(UH_F64, weights, sizes[s]);
            test_end_from(0);
        }
}

UNIT_TEST(tables_of_a_million_outcomes_do_too) {
    enum { K = 1000000 };
    double *weights = test_memory(K * sizeof *weights);
    static const enum hostile kinds[] = {RANDOM, DECADES, HOLES};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        uint64_t seed = i;
        for (size_t j = 0; j < K; j++)
            weights[j] = weight(kinds[i], j, K, &seed);
        check(UH_F64, weights, K);
    }
}

UNIT_TEST(tables_of_integers_near_2_64_do_too) {
    static const size_t sizes[] = {1, 2, 1000};
    uint64_t weights[1000], seed = 5;
    for (size_t s = 0; s < 3; s++) {
        for (size_t j = 0; j < sizes[s]; j++)
            weights[j] = UINT64_MAX - test_random_u64(&seed) % 1000;
        check(UH_U64, weights, sizes[s]);
        for (size_t j = 0; j < sizes[s]; j++)
            weights[j] = j % 3 ? j % 5 : UINT64_MAX - j;
        check(UH_U64, weights, sizes[s]);
    }
}

/* Masses below 2^127 whose quotients are by hand: P_j / T of few bits, and of thirds. */
struct by_hand {
    uhi_mass mass[3];
};

static void get_by_hand(const void *context, size_t from, size_t n, uhi_mass *mass) {
    memcpy(mass, ((const struct by_hand *)context)->mass + from, n * sizeof *mass);
}

UNIT_TEST(quotients_are_rounded_down_for_any_sum) {
    for (unsigned shift = 0; shift <= 125; shift++)
        for (uhi_mass off = 0; off < 2; off++) {
            const uhi_mass unit = (uhi_mass)1 << shift;
            if (off && shift == 0)
                continue;
            const struct by_hand hand = {{unit, unit - off, unit + off}}; /* sum 3 * 2^shift < 2^127 */
            const struct uhi_masses masses = {get_by_hand, &hand, 3};
            struct uhi_sample_table *t = NULL;
            test_good(uhi_sample_table_create(tested.queue, "test", &masses, UH_SAMPLE_BINARY, &t));
            const uint32_t last = t->items - 1;
            const uint64_t c1 = (uint64_t)t->top[1] << 32 | t->low[1], c2 = (uint64_t)t->top[last] << 32 | t->low[last];
            assert_true(c1 == 0x5555555555555555u);
            if (!off) {
                assert_true(c2 == 0xaaaaaaaaaaaaaaaau);
            } else { /* (2 unit - 1) / (3 unit) * 2^64: of 0xaaaa...aaaa 2/3 at most 1/3 is taken from shift 64 on */
                const uhi_mass less = shift >= 64 ? 0 : ((uhi_mass)1 << (64 - shift));
                const uhi_mass numerator = ((uhi_mass)2 << 64) - less; /* of 3 */
                const uint64_t floor_of = (uint64_t)(shift >= 64 ? 0xaaaaaaaaaaaaaaaau : numerator / 3);
                assert_true(c2 == floor_of);
            }
            uhi_sample_table_destroy(t);
        }
}

TESTED_MAIN(test_sample_table)
