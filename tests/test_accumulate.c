/* SPDX-License-Identifier: Apache-2.0 */
/* What bins keep, against exact numbers of the tests' own (big.h): on the host, or on $UNIHIST_TEST_DEVICE. */
#include "tests/support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/accumulate/store.h"
#include "tests/big.h"

enum { MOST_THREADS = 8 };

static uh_queue *queues[MOST_THREADS + 1]; /* by their threads, where the device is the host; else only [1] */
static uh_device *device;
static int on_host;

static void works(uh_status status) {
    if (status)
        fail_msg("%s: %s", uh_status_name(status), uh_last_error());
}

/* ---- points ------------------------------------------------------------------------------------------------------ */

struct points {
    size_t n, cells;
    uint32_t *cell;
    uh_dtype dtype;
    void *w; /* NULL: none */
};

static void copy_cells(const void *context, size_t thread, size_t from, size_t n, uint32_t *cell) {
    (void)thread;
    memcpy(cell, (const uint32_t *)context + from, n * sizeof *cell);
}

static void *on_device(const void *data, size_t size) {
    void *there = NULL;
    works(uh_malloc_device(device, size ? size : 1, 0, &there));
    works(uh_memcpy(queues[1], there, data, size, NULL, 0, NULL));
    works(uh_queue_wait(queues[1]));
    return there;
}

/* Adds points [from, to), by `threads` threads where they are the host's. */
static void add_part(struct uhi_store *store, const struct points *p, size_t from, size_t to, uint32_t threads) {
    const size_t size = uh_dtype_size(p->dtype), n = to - from;
    const char *w = p->w ? (const char *)p->w + from * size : NULL;
    if (on_host) {
        const struct uhi_cell_source source = {copy_cells, p->cell + from};
        const uh_array values = uh_array_dense(p->dtype, w);
        works(uhi_store_add("test", queues[threads], store, &source, n, w ? &values : NULL));
        return;
    }
    struct uhi_store_device *there = NULL;
    void *cells = on_device(p->cell + from, n * sizeof *p->cell), *values = w ? on_device(w, n * size) : NULL;
    works(uhi_store_device_create("test", queues[1], store, &there));
    works(uhi_store_device_prepare("test", there, p->dtype));
    works(uhi_store_device_add("test", there, cells, n, p->dtype, values, NULL, NULL));
    works(uhi_store_device_settle("test", there));
    works(uhi_store_device_settle("test", there)); /* nothing more */
    uhi_store_device_destroy(there);
    works(uh_free(cells));
    works(uh_free(values));
}

static struct uhi_store *store_of(const struct points *p, uh_storage storage, uint32_t threads) {
    struct uhi_store *store = NULL;
    works(uhi_store_create("test", p->cells, storage, UH_SUM_EXACT, &store));
    add_part(store, p, 0, p->n, threads);
    return store;
}

static struct points make_points(size_t n, size_t cells, uh_dtype dtype, uint64_t *seed) {
    struct points p = {n, cells, malloc(n * sizeof *p.cell), dtype, malloc(n * uh_dtype_size(dtype))};
    assert_true(p.cell && p.w);
    for (size_t i = 0; i < n; i++) {
        const uint64_t r = test_random_u64(seed);
        p.cell[i] = r % 50 == 0 ? UHI_OUTSIDE : (uint32_t)((r >> 8) % cells);
    }
    return p;
}

static void free_points(struct points *p) {
    free(p->cell);
    free(p->w);
}

/* Weight i as a double, of float types, and exactly. */
static struct big weight(const struct points *p, size_t i) {
    switch (p->dtype) {
    case UH_F32: return big_double((double)((const float *)p->w)[i]);
    case UH_F64: return big_double(((const double *)p->w)[i]);
    case UH_I32: return big_i64(((const int32_t *)p->w)[i]);
    default: return big_i64(((const int64_t *)p->w)[i]);
    }
}

/* Weights of each kind: any finite bits, values of one size, denormals, what cancels, the ends of the range. */
enum { KINDS_OF_WEIGHTS = 7 };
static void set_weight(struct points *p, size_t i, int kind, uint64_t r) {
    double x = (double)(int64_t)(r >> 11) * 0x1p-52 - 1;
    uint32_t word = (uint32_t)(r >> 32);
    switch (kind) {
    case 0: break; /* any bits */
    case 1: x = fabs(x); break;
    case 2: x = ldexp(x, p->dtype == UH_F32 ? -130 : -1050); break;
    case 3:
        x = i % 2 ? 1 : -1;
        x = ldexp(x, (int)(r % 90));
        break;
    case 4: x = i % 3 ? 0.0 : -0.0; break;
    case 5: x = (r & 1 ? -1 : 1) * (p->dtype == UH_F32 ? 0x1.fffffep127 : 0x1.fffffffffffffp1023); break;
    default: x = 0x1.fffffffffffffp1023; break;
    }
    if (p->dtype == UH_F32) {
        float f = (float)(kind == 6 ? 0x1.fffffep127 : x);
        if ((word >> 23 & 0xff) == 0xff)
            word ^= 1u << 24;
        memcpy((float *)p->w + i, kind ? (void *)&f : (void *)&word, sizeof f);
    } else if (p->dtype == UH_F64) {
        if ((r >> 52 & 0x7ff) == 0x7ff)
            r ^= UINT64_C(1) << 53;
        memcpy((double *)p->w + i, kind ? (void *)&x : (void *)&r, sizeof x);
    } else if (p->dtype == UH_I32) {
        ((int32_t *)p->w)[i] = kind == 5 ? (r & 1 ? INT32_MAX : INT32_MIN) : kind == 6 ? INT32_MIN : (int32_t)word;
    } else {
        ((int64_t *)p->w)[i] = kind == 5 ? (r & 1 ? INT64_MAX : INT64_MIN) : kind == 6 ? INT64_MIN : (int64_t)r;
    }
}

static const uh_dtype dtypes[] = {UH_F32, UH_F64, UH_I32, UH_I64};

/* The next of 1, 2, 3 and 8 threads; with UNIHIST_TEST_ALL, of all up to 8. */
static uint32_t next_threads(uint32_t threads) {
    return threads < 3 || getenv("UNIHIST_TEST_ALL") ? threads + 1 : threads + 5;
}

/* ---- against the oracle ------------------------------------------------------------------------------------------ */

struct exact {
    struct big *sum, *squares;
    uint64_t *count;
};

static struct exact exact_of(const struct points *p) {
    struct exact e = {calloc(p->cells + 1, sizeof *e.sum), calloc(p->cells + 1, sizeof *e.squares),
                      calloc(p->cells + 1, sizeof *e.count)};
    assert_true(e.sum && e.squares && e.count);
    for (size_t i = 0; i < p->n; i++) {
        const size_t slot = p->cell[i] < p->cells ? p->cell[i] : p->cells;
        const struct big w = weight(p, i), square = big_product(w, w);
        big_add(&e.sum[slot], &w);
        big_add(&e.squares[slot], &square);
        e.count[slot]++;
    }
    return e;
}

static void free_exact(struct exact *e) {
    free(e->sum);
    free(e->squares);
    free(e->count);
}

static void check_mean(const struct exact *e, size_t slot, double mean, double m2) {
    const uint64_t n = e->count[slot];
    if (n == 0) {
        assert_true(isnan(mean) && m2 == 0);
        return;
    }
    assert_true(big_is_quotient(&e->sum[slot], n, mean));
    /* n m2 = n Q - S^2 */
    struct big scaled = big_times(e->squares[slot], n), square = big_product(e->sum[slot], e->sum[slot]);
    big_negate(&square);
    big_add(&scaled, &square);
    assert_true(big_is_quotient(&scaled, n, m2));
}

static void check_store(const struct uhi_store *store, const struct exact *e, const char *what) {
    const size_t slots = uhi_store_cells(store) + 1;
    const int is_mean = uhi_store_storage(store) == UH_STORAGE_MEAN;
    for (size_t slot = 0; slot < slots; slot++) {
        double sum = -1, squares = -1, mean = -1, m2 = -1;
        uint64_t count = 77;
        uhi_store_sums(store, slot, 1, &sum, uhi_store_storage(store) == UH_STORAGE_SUM ? NULL : &squares);
        if (!big_is_quotient(&e->sum[slot], 1, sum))
            fail_msg("%s: cell %zu: the sum %a is not the exact one rounded", what, slot, sum);
        if (uhi_store_storage(store) != UH_STORAGE_SUM && !big_is_quotient(&e->squares[slot], 1, squares))
            fail_msg("%s: cell %zu: the sum of squares %a is not the exact one rounded", what, slot, squares);
        if (!is_mean)
            continue;
        uhi_store_means(store, slot, 1, &count, &mean, &m2);
        assert_int_equal(count, e->count[slot]);
        check_mean(e, slot, mean, m2);
    }
}

static void sums_are_the_exact_ones_rounded_once(void **state) {
    static const uh_storage storages[] = {UH_STORAGE_SUM, UH_STORAGE_WEIGHTED, UH_STORAGE_MEAN};
    uint64_t seed = 1;
    (void)state;
    for (size_t d = 0; d < 4; d++)
        for (int kind = 0; kind < KINDS_OF_WEIGHTS; kind++)
            for (size_t s = 0; s < 6; s++) {
                /* Many points for the cells, then few. */
                struct points p = make_points(s < 3 ? 3000 : 300, s < 3 ? 17 : 400, dtypes[d], &seed);
                char what[64];
                for (size_t i = 0; i < p.n; i++)
                    set_weight(&p, i, kind, test_random_u64(&seed));
                struct exact e = exact_of(&p);
                struct uhi_store *store = store_of(&p, storages[s % 3], 1);
                snprintf(what, sizeof what, "%s, weights %d, storage %d", uh_dtype_name(p.dtype), kind,
                         (int)storages[s % 3]);
                check_store(store, &e, what);
                uhi_store_destroy(store);
                free_exact(&e);
                free_points(&p);
            }
}

static void weights_of_several_types_add_up(void **state) {
    uint64_t seed = 2;
    struct uhi_store *store = NULL;
    struct exact all = {0};
    (void)state;
    works(uhi_store_create("test", 5, UH_STORAGE_MEAN, UH_SUM_EXACT, &store));
    for (size_t d = 0; d < 4; d++) {
        struct points p = make_points(2000, 5, dtypes[d], &seed);
        for (size_t i = 0; i < p.n; i++)
            set_weight(&p, i, d < 2 ? (int)(i % 3) : 0, test_random_u64(&seed));
        struct exact e = exact_of(&p);
        add_part(store, &p, 0, 700, 1);
        add_part(store, &p, 700, p.n, 1);
        for (size_t slot = 0; slot < 6 && d > 0; slot++) {
            big_add(&e.sum[slot], &all.sum[slot]);
            big_add(&e.squares[slot], &all.squares[slot]);
            e.count[slot] += all.count[slot];
        }
        free_exact(&all);
        all = e;
        check_store(store, &all, "mixed");
        free_points(&p);
    }
    free_exact(&all);
    uhi_store_destroy(store);
}

/* ---- the same bits whatever the way --------------------------------------------------------------------------------
 */

struct text {
    unsigned char *bytes;
    size_t size, at;
};

static uh_status write_bytes(void *to, const void *bytes, size_t size) {
    struct text *text = to;
    text->bytes = realloc(text->bytes, text->size + size + 1);
    assert_non_null(text->bytes);
    memcpy(text->bytes + text->size, bytes, size);
    text->size += size;
    return UH_SUCCESS;
}

static uh_status read_bytes(void *from, void *bytes, size_t size) {
    struct text *text = from;
    if (size > text->size - text->at)
        return UH_ERROR_IO;
    memcpy(bytes, text->bytes + text->at, size);
    text->at += size;
    return UH_SUCCESS;
}

static struct text export_store(const struct uhi_store *store) {
    struct text text = {0};
    works(uhi_store_export(store, write_bytes, &text));
    assert_int_equal(text.size, uhi_store_export_size(store));
    return text;
}

static void assert_same(const struct uhi_store *store, const struct text *text) {
    struct text other = export_store(store);
    assert_int_equal(other.size, text->size);
    assert_memory_equal(other.bytes, text->bytes, text->size);
    free(other.bytes);
}

static void shuffle(struct points *p, uint64_t *seed) {
    const size_t size = uh_dtype_size(p->dtype);
    for (size_t i = p->n - 1; i > 0; i--) {
        const size_t j = (size_t)(test_random_u64(seed) % (i + 1));
        char a[8];
        const uint32_t cell = p->cell[i];
        p->cell[i] = p->cell[j];
        p->cell[j] = cell;
        memcpy(a, (char *)p->w + i * size, size);
        memcpy((char *)p->w + i * size, (char *)p->w + j * size, size);
        memcpy((char *)p->w + j * size, a, size);
    }
}

static void one_result_for_all_threads_orders_and_pieces(void **state) {
    uint64_t seed = 3;
    (void)state;
    for (size_t d = 0; d < 4; d++)
        for (size_t cells = 100; cells <= 40000; cells *= 400) {
            struct points p = make_points(300000, cells, dtypes[d], &seed);
            for (size_t i = 0; i < p.n; i++)
                set_weight(&p, i, i % 3 ? 1 : 0, test_random_u64(&seed));
            struct uhi_store *store = store_of(&p, UH_STORAGE_MEAN, 1);
            struct text text = export_store(store);
            for (uint32_t threads = 2; threads <= (on_host ? MOST_THREADS : 2); threads = next_threads(threads)) {
                uhi_store_clear(store);
                shuffle(&p, &seed);
                for (size_t from = 0, n; from < p.n; from += n) {
                    n = threads % 2 ? p.n : (size_t)(test_random_u64(&seed) % 150000) + 1;
                    n = n < p.n - from ? n : p.n - from;
                    add_part(store, &p, from, from + n, threads);
                }
                assert_same(store, &text);
            }
            free(text.bytes);
            uhi_store_destroy(store);
            free_points(&p);
        }
}

static void parts_merge_to_the_whole(void **state) {
    uint64_t seed = 4;
    (void)state;
    for (size_t d = 0; d < 4; d++) {
        struct points p = make_points(20000, 50, dtypes[d], &seed);
        for (size_t i = 0; i < p.n; i++)
            set_weight(&p, i, i < 10000 ? 1 : 0, test_random_u64(&seed));
        struct uhi_store *whole = store_of(&p, UH_STORAGE_WEIGHTED, 1), *sum = NULL, *loaded = NULL, *folded = NULL;
        struct text text = export_store(whole);
        works(uhi_store_create("test", 50, UH_STORAGE_WEIGHTED, UH_SUM_EXACT, &sum));
        for (size_t from = 0; from < p.n; from += 5000) {
            struct uhi_store *part = NULL;
            works(uhi_store_create("test", 50, UH_STORAGE_WEIGHTED, UH_SUM_EXACT, &part));
            add_part(part, &p, from, from + 5000, 1);
            works(uhi_store_merge("test", sum, part));
            uhi_store_destroy(part);
        }
        assert_same(sum, &text);
        works(uhi_store_import("test", 50, UH_STORAGE_WEIGHTED, UH_SUM_EXACT, read_bytes, &text, &loaded));
        assert_int_equal(text.at, text.size);
        assert_same(loaded, &text);
        /* All cells together, in two ways. */
        uint32_t all[51];
        double a[2], b[2];
        works(uhi_store_create("test", 1, UH_STORAGE_WEIGHTED, UH_SUM_EXACT, &folded));
        works(uhi_store_reserve("test", folded, loaded));
        for (uint32_t slot = 0; slot <= 50; slot++) {
            all[slot] = slot;
            uhi_store_fold(folded, 0, loaded, slot);
        }
        uhi_store_sums(folded, 0, 1, &a[0], &a[1]);
        works(uhi_store_total("test", whole, all, 51, NULL, &b[0], &b[1], NULL, NULL));
        assert_memory_equal(a, b, sizeof a);
        for (size_t i = 0; i < p.n; i++)
            p.cell[i] = 0;
        struct exact e = exact_of(&p);
        assert_true(big_is_quotient(&e.sum[0], 1, a[0]) && big_is_quotient(&e.squares[0], 1, a[1]));
        free_exact(&e);
        free(text.bytes);
        uhi_store_destroy(whole);
        uhi_store_destroy(sum);
        uhi_store_destroy(loaded);
        uhi_store_destroy(folded);
        free_points(&p);
    }
}

static void damaged_contents_are_refused(void **state) {
    uint64_t seed = 5;
    (void)state;
    struct points p = make_points(1000, 3, UH_F32, &seed);
    for (size_t i = 0; i < p.n; i++)
        set_weight(&p, i, 1, test_random_u64(&seed));
    struct uhi_store *store = store_of(&p, UH_STORAGE_SUM, 1), *none = NULL;
    struct text text = export_store(store);
    for (size_t at = 0; at < 32; at++) { /* of the head, every byte is needed */
        text.at = 0;
        text.bytes[at] ^= 0xff;
        assert_int_not_equal(uhi_store_import("test", 3, UH_STORAGE_SUM, UH_SUM_EXACT, read_bytes, &text, &none),
                             UH_SUCCESS);
        assert_null(none);
        text.bytes[at] ^= 0xff;
    }
    for (size_t size = 0; size < text.size; size++) {
        struct text cut = {text.bytes, size, 0};
        assert_int_equal(uhi_store_import("test", 3, UH_STORAGE_SUM, UH_SUM_EXACT, read_bytes, &cut, &none),
                         UH_ERROR_IO);
        assert_null(none);
    }
    free(text.bytes);
    uhi_store_destroy(store);
    free_points(&p);
}

/* ---- what is no number ------------------------------------------------------------------------------------------- */

static void nan_and_infinities_give_what_the_sum_is(void **state) {
    static const double odd[][3] = {
        {NAN, 0, 1},        {INFINITY, 1, 2}, {-INFINITY, 1, 2},      {INFINITY, -INFINITY, 0},
        {INFINITY, NAN, 0}, {1, 2, 3},        {INFINITY, INFINITY, 1}};
    enum { CELLS = 7, N = 70000 };
    uint64_t seed = 6;
    (void)state;
    for (size_t d = 0; d < 2; d++) {
        struct points p = make_points(N, CELLS, dtypes[d], &seed);
        for (size_t i = 0; i < N; i++) {
            const uint32_t cell = (uint32_t)(i % CELLS);
            const size_t which = i / CELLS == 17 ? 0 : i / CELLS == 9000 ? 1 : 2;
            const double x = which == 2 ? 0.5 : odd[cell][which];
            p.cell[i] = cell;
            if (d == 0)
                ((float *)p.w)[i] = (float)x;
            else
                ((double *)p.w)[i] = x;
        }
        struct uhi_store *store = store_of(&p, UH_STORAGE_MEAN, on_host ? 2 : 1);
        for (uint32_t cell = 0; cell < CELLS; cell++) {
            double sum, squares, mean, m2;
            const double expected = odd[cell][0] + odd[cell][1] + 0.5 * (N / CELLS - 2);
            uhi_store_sums(store, cell, 1, &sum, &squares);
            uhi_store_means(store, cell, 1, NULL, &mean, &m2);
            assert_true(isnan(expected) ? isnan(sum) && isnan(mean) : sum == expected);
            assert_true(isfinite(expected) || isnan(m2));
            assert_true(!isinf(expected) || (mean == expected && isinf(squares)));
            assert_true(isfinite(expected) == isfinite(squares));
        }
        int64_t untouched = 5;
        assert_int_equal(uhi_store_sums_i64("test", store, 0, 1, &untouched), UH_ERROR_OVERFLOW);
        assert_int_equal(untouched, 5);
        uhi_store_destroy(store);
        free_points(&p);
    }
}

static void an_int64_that_overflows_is_an_error(void **state) {
    int64_t w[] = {INT64_MAX, INT64_MIN, INT64_MAX, 1, INT64_MIN, -1, INT64_MIN, 0};
    uint32_t cell[] = {0, 1, 2, 2, 3, 3, 4, 4};
    int64_t sums[5] = {9, 9, 9, 9, 9};
    struct points p = {8, 5, cell, UH_I64, w};
    (void)state;
    struct uhi_store *store = store_of(&p, UH_STORAGE_SUM, 1);
    works(uhi_store_sums_i64("test", store, 0, 2, sums));
    assert_true(sums[0] == INT64_MAX && sums[1] == INT64_MIN && sums[2] == 9);
    assert_int_equal(uhi_store_sums_i64("test", store, 1, 4, sums), UH_ERROR_OVERFLOW);
    assert_non_null(strstr(uh_last_error(), "cell 2"));
    assert_true(sums[0] == INT64_MAX && sums[3] == 9);
    assert_int_equal(uhi_store_sums_i64("test", store, 3, 1, sums), UH_ERROR_OVERFLOW);
    works(uhi_store_sums_i64("test", store, 4, 1, sums));
    assert_true(sums[0] == INT64_MIN);
    uhi_store_destroy(store);
    double half = 0.5;
    struct points fraction = {1, 1, cell, UH_F64, &half};
    store = store_of(&fraction, UH_STORAGE_SUM, 1);
    assert_int_equal(uhi_store_sums_i64("test", store, 0, 1, sums), UH_ERROR_OVERFLOW);
    uhi_store_destroy(store);
}

/* ---- counts ------------------------------------------------------------------------------------------------------ */

static void saturating_counts_are_exactly_the_smaller(void **state) {
    static const size_t hits[] = {0, 1, 253, 254, 255, 256, 257, 65533, 65534, 65535, 65536, 65537, 200000};
    enum { CELLS = sizeof hits / sizeof *hits };
    uint64_t seed = 7;
    size_t n = 0;
    (void)state;
    for (size_t i = 0; i < CELLS; i++)
        n += hits[i];
    struct points p = make_points(n, CELLS, UH_F32, &seed);
    for (size_t i = 0, at = 0; i < CELLS; i++)
        for (size_t j = 0; j < hits[i]; j++)
            p.cell[at++] = (uint32_t)i;
    for (int shuffled = 0; shuffled < 2; shuffled++) {
        if (shuffled)
            shuffle(&p, &seed);
        for (uint32_t threads = 1; threads <= (on_host ? MOST_THREADS : 1); threads = next_threads(threads))
            for (int pieces = 1; pieces <= 7; pieces += 3)
                for (int wide = 0; wide < 2; wide++) {
                    struct uhi_store *store = NULL;
                    uint8_t u8[CELLS];
                    uint16_t u16[CELLS];
                    uint64_t u64[CELLS];
                    struct points q = p;
                    q.w = NULL;
                    q.cells = wide ? 1000000 : CELLS; /* without tables of the threads' own */
                    for (int storage = 0; storage < 3; storage++) {
                        static const uh_storage storages[] = {UH_STORAGE_U8, UH_STORAGE_U16, UH_STORAGE_COUNT};
                        works(uhi_store_create("test", q.cells, storages[storage], UH_SUM_EXACT, &store));
                        for (int i = 0; i < pieces; i++)
                            add_part(store, &q, n * (size_t)i / (size_t)pieces, n * ((size_t)i + 1) / (size_t)pieces,
                                     threads);
                        if (storage == 0)
                            uhi_store_saturated(store, 0, CELLS, u8);
                        if (storage == 1)
                            uhi_store_saturated(store, 0, CELLS, u16);
                        uhi_store_counts(store, 0, CELLS, u64);
                        const uint64_t most = storage == 0 ? 255 : storage == 1 ? 65535 : UINT64_MAX;
                        for (size_t i = 0; i < CELLS; i++) {
                            const uint64_t expected = hits[i] < most ? hits[i] : most;
                            assert_int_equal(u64[i], expected);
                            assert_true(storage != 0 || u8[i] == expected);
                            assert_true(storage != 1 || u16[i] == expected);
                        }
                        uhi_store_destroy(store);
                    }
                }
    }
    free_points(&p);
}

static void no_weights_are_weights_of_one(void **state) {
    uint64_t seed = 8;
    (void)state;
    struct points p = make_points(50000, 300, UH_I32, &seed);
    for (size_t i = 0; i < p.n; i++)
        ((int32_t *)p.w)[i] = 1;
    struct uhi_store *ones = store_of(&p, UH_STORAGE_WEIGHTED, 1);
    struct text text = export_store(ones);
    struct points none = p;
    none.w = NULL;
    struct uhi_store *store = store_of(&none, UH_STORAGE_WEIGHTED, 1);
    assert_same(store, &text);
    free(text.bytes);
    uhi_store_destroy(store);
    uhi_store_destroy(ones);
    free_points(&p);
}

/* ---- FAST, strides ----------------------------------------------------------------------------------------------- */

/* A sum of n float64 additions in any order: |error| <= (n - 1) 2^-53 sum |w|, and a little (Higham, Accuracy and
 * Stability of Numerical Algorithms, 4.2). */
static void fast_sums_are_near(void **state) {
    uint64_t seed = 9;
    (void)state;
    for (size_t d = 0; d < 4; d++)
        for (uint32_t threads = 1; threads <= (on_host ? 3 : 1); threads++) {
            struct points p = make_points(100000, threads == 1 ? 70000 : 20, dtypes[d], &seed);
            struct uhi_store *fast = NULL, *exact;
            for (size_t i = 0; i < p.n; i++)
                set_weight(&p, i, 1, test_random_u64(&seed) >> 20);
            exact = store_of(&p, UH_STORAGE_WEIGHTED, 1);
            works(uhi_store_create("test", p.cells, UH_STORAGE_WEIGHTED, UH_SUM_FAST, &fast));
            add_part(fast, &p, 0, p.n, threads);
            for (size_t slot = 0; slot <= p.cells; slot++) {
                double a, b, aq, bq;
                uhi_store_sums(exact, slot, 1, &a, &aq);
                uhi_store_sums(fast, slot, 1, &b, &bq);
                assert_true(fabs(a - b) <= 1e-10 * fabs(a) + (d < 2 ? 0 : 1e6) && fabs(aq - bq) <= 1e-10 * aq);
            }
            int64_t i64;
            assert_int_equal(uhi_store_sums_i64("test", fast, 0, 1, &i64), UH_ERROR_UNSUPPORTED);
            uhi_store_destroy(fast);
            uhi_store_destroy(exact);
            free_points(&p);
        }
}

static void strided_and_unaligned_weights_are_the_same(void **state) {
    uint64_t seed = 10;
    (void)state;
    if (!on_host)
        skip();
    struct points p = make_points(10000, 40, UH_F32, &seed);
    for (size_t i = 0; i < p.n; i++)
        set_weight(&p, i, 1, test_random_u64(&seed));
    struct uhi_store *store = store_of(&p, UH_STORAGE_SUM, 1);
    struct text text = export_store(store);
    for (ptrdiff_t stride = -7; stride <= 7; stride += 7) {
        if (stride == 0)
            continue;
        char *bytes = malloc(7 * p.n + 1), *first = stride < 0 ? bytes + 7 * (p.n - 1) + 1 : bytes + 1;
        assert_non_null(bytes);
        for (size_t i = 0; i < p.n; i++)
            memcpy(first + (ptrdiff_t)i * stride, (float *)p.w + i, sizeof(float));
        const uh_array values = {first, stride, UH_F32};
        const struct uhi_cell_source source = {copy_cells, p.cell};
        uhi_store_clear(store);
        works(uhi_store_add("test", queues[1], store, &source, p.n, &values));
        assert_same(store, &text);
        free(bytes);
    }
    free(text.bytes);
    uhi_store_destroy(store);
    free_points(&p);
}

static void tables_are_emptied_before_they_overflow(void **state) {
    enum { N = 20 << 20 };
    uint64_t seed = 11;
    (void)state;
    if (!on_host || getenv("UNIHIST_INSTRUMENTED"))
        skip();
    struct points p = make_points(N, 2, UH_F32, &seed);
    for (size_t i = 0; i < N; i++) {
        p.cell[i] = 1;
        ((float *)p.w)[i] = -0x1.fffffep6f; /* the largest integers that a window is given */
    }
    struct uhi_store *store = store_of(&p, UH_STORAGE_MEAN, 1);
    const struct big w = big_double(-0x1.fffffep6), sum = big_times(w, N), squares = big_times(big_product(w, w), N);
    double got[2];
    uhi_store_sums(store, 1, 1, &got[0], &got[1]);
    assert_true(big_is_quotient(&sum, 1, got[0]) && big_is_quotient(&squares, 1, got[1]));
    uhi_store_destroy(store);
    free_points(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_the_exact_ones_rounded_once),
        cmocka_unit_test(weights_of_several_types_add_up),
        cmocka_unit_test(one_result_for_all_threads_orders_and_pieces),
        cmocka_unit_test(parts_merge_to_the_whole),
        cmocka_unit_test(damaged_contents_are_refused),
        cmocka_unit_test(nan_and_infinities_give_what_the_sum_is),
        cmocka_unit_test(an_int64_that_overflows_is_an_error),
        cmocka_unit_test(saturating_counts_are_exactly_the_smaller),
        cmocka_unit_test(no_weights_are_weights_of_one),
        cmocka_unit_test(fast_sums_are_near),
        cmocka_unit_test(strided_and_unaligned_weights_are_the_same),
        cmocka_unit_test(tables_are_emptied_before_they_overflow),
    };
    const char *name = getenv("UNIHIST_TEST_DEVICE");
    on_host = !name;
    if (uh_device_select(name ? name : "host", &device)) {
        printf("skipped: %s\n", uh_last_error());
        return 77;
    }
    for (uint32_t threads = 1; threads <= (on_host ? MOST_THREADS : 1); threads++) {
        const uh_queue_options options = {.struct_size = sizeof options, .threads = threads};
        if (uh_queue_create(device, &options, &queues[threads])) {
            printf("%s\n", uh_last_error());
            return 1;
        }
    }
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    for (uint32_t threads = 1; threads <= MOST_THREADS; threads++)
        failed |= uh_queue_destroy(queues[threads]) != UH_SUCCESS;
    return failed;
}
