/* SPDX-License-Identifier: Apache-2.0 */
/* One result whatever the way: threads, order, pieces, merging, saving; and sums in any order, which only come near. */
#include "tests/support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/accumulate_points.h"

/* ---- the same bits whatever the way --------------------------------------------------------------------------------
 */

struct text {
    unsigned char *bytes;
    size_t size, room, at;
};

static uh_status write_bytes(void *to, const void *bytes, size_t size) {
    struct text *text = to;
    if (text->size + size >= text->room) { /* in ever larger steps: a sanitizer's realloc copies each time */
        text->room = 2 * (text->size + size + 1);
        text->bytes = realloc(text->bytes, text->room);
        assert_non_null(text->bytes);
    }
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
    acc_works(uhi_store_export(store, write_bytes, &text));
    assert_int_equal(text.size, uhi_store_export_size(store));
    return text;
}

static void assert_same(const struct uhi_store *store, const struct text *text) {
    struct text other = export_store(store);
    assert_int_equal(other.size, text->size);
    assert_memory_equal(other.bytes, text->bytes, text->size);
    free(other.bytes);
}

UNIT_TEST(one_result_for_all_threads_orders_and_pieces) {
    uint64_t seed = 3;
    for (size_t d = 0; d < 4; d++)
        for (size_t cells = 100; cells <= 60000; cells *= 600) { /* in tables of the threads' own, and without */
            struct points p = acc_points(cells == 100 ? 300000 : 100000, cells, acc_dtypes[d], &seed);
            for (size_t i = 0; i < p.n; i++)
                acc_set_weight(&p, i, i % 3 ? 1 : 0, test_random_u64(&seed));
            struct uhi_store *store = acc_store(&p, UH_STORAGE_MEAN, 1);
            struct text text = export_store(store);
            for (uint32_t threads = 2; threads <= (acc_on_host && cells == 100 ? MOST_THREADS : 2); threads++) {
                uhi_store_clear(store);
                acc_shuffle(&p, &seed);
                for (size_t from = 0, n; from < p.n; from += n) {
                    n = threads % 2 ? p.n : (size_t)(test_random_u64(&seed) % 150000) + 1;
                    n = n < p.n - from ? n : p.n - from;
                    acc_add(store, &p, from, from + n, threads);
                }
                assert_same(store, &text);
            }
            free(text.bytes);
            uhi_store_destroy(store);
            acc_points_free(&p);
        }
}

UNIT_TEST(parts_merge_to_the_whole) {
    uint64_t seed = 4;
    for (size_t d = 0; d < 4; d++) {
        struct points p = acc_points(20000, 50, acc_dtypes[d], &seed);
        for (size_t i = 0; i < p.n; i++)
            acc_set_weight(&p, i, i < 10000 ? 1 : 0, test_random_u64(&seed));
        struct uhi_store *whole = acc_store(&p, UH_STORAGE_WEIGHTED, 1), *sum = NULL, *loaded = NULL, *folded = NULL;
        struct text text = export_store(whole);
        acc_works(uhi_store_create("test", 50, UH_STORAGE_WEIGHTED, UH_SUM_EXACT, &sum));
        for (size_t from = 0; from < p.n; from += 5000) {
            struct uhi_store *part = NULL;
            acc_works(uhi_store_create("test", 50, UH_STORAGE_WEIGHTED, UH_SUM_EXACT, &part));
            acc_add(part, &p, from, from + 5000, 1);
            acc_works(uhi_store_merge("test", sum, part));
            uhi_store_destroy(part);
        }
        assert_same(sum, &text);
        acc_works(uhi_store_import("test", 50, UH_STORAGE_WEIGHTED, UH_SUM_EXACT, read_bytes, &text, &loaded));
        assert_int_equal(text.at, text.size);
        assert_same(loaded, &text);
        /* All cells together, in two ways. */
        uint32_t all[51];
        double a[2], b[2];
        acc_works(uhi_store_create("test", 1, UH_STORAGE_WEIGHTED, UH_SUM_EXACT, &folded));
        acc_works(uhi_store_reserve("test", folded, loaded));
        for (uint32_t slot = 0; slot <= 50; slot++) {
            all[slot] = slot;
            uhi_store_fold(folded, 0, loaded, slot);
        }
        uhi_store_sums(folded, 0, 1, &a[0], &a[1]);
        acc_works(uhi_store_total("test", whole, all, 51, NULL, &b[0], &b[1], NULL, NULL));
        assert_memory_equal(a, b, sizeof a);
        for (size_t i = 0; i < p.n; i++)
            p.cell[i] = 0;
        struct exact e = acc_exact(&p);
        assert_true(big_is_quotient(&e.sum[0], 1, a[0]) && big_is_quotient(&e.squares[0], 1, a[1]));
        acc_exact_free(&e);
        free(text.bytes);
        uhi_store_destroy(whole);
        uhi_store_destroy(sum);
        uhi_store_destroy(loaded);
        uhi_store_destroy(folded);
        acc_points_free(&p);
    }
}

UNIT_TEST(damaged_contents_are_refused) {
    uint64_t seed = 5;
    struct points p = acc_points(1000, 3, UH_F32, &seed);
    for (size_t i = 0; i < p.n; i++)
        acc_set_weight(&p, i, 1, test_random_u64(&seed));
    struct uhi_store *store = acc_store(&p, UH_STORAGE_SUM, 1), *none = NULL;
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
        struct text cut = {.bytes = text.bytes, .size = size};
        assert_int_equal(uhi_store_import("test", 3, UH_STORAGE_SUM, UH_SUM_EXACT, read_bytes, &cut, &none),
                         UH_ERROR_IO);
        assert_null(none);
    }
    free(text.bytes);
    uhi_store_destroy(store);
    acc_points_free(&p);
}

UNIT_TEST(no_weights_are_weights_of_one) {
    uint64_t seed = 8;
    struct points p = acc_points(50000, 300, UH_I32, &seed);
    for (size_t i = 0; i < p.n; i++)
        ((int32_t *)p.w)[i] = 1;
    struct uhi_store *ones = acc_store(&p, UH_STORAGE_WEIGHTED, 1);
    struct text text = export_store(ones);
    struct points none = p;
    none.w = NULL;
    struct uhi_store *store = acc_store(&none, UH_STORAGE_WEIGHTED, 1);
    assert_same(store, &text);
    free(text.bytes);
    uhi_store_destroy(store);
    uhi_store_destroy(ones);
    acc_points_free(&p);
}

/* ---- FAST, strides ----------------------------------------------------------------------------------------------- */

/* A sum of n float64 additions in any order: |error| <= (n - 1) 2^-53 sum |w|, and a little (Higham, Accuracy and
 * Stability of Numerical Algorithms, 4.2). */
UNIT_TEST(fast_sums_are_near) {
    uint64_t seed = 9;
    for (size_t d = 0; d < 4; d++)
        for (uint32_t threads = 1; threads <= (acc_on_host ? 3 : 1); threads++) {
            struct points p = acc_points(100000, threads == 1 ? 70000 : 20, acc_dtypes[d], &seed);
            struct uhi_store *fast = NULL, *exact;
            for (size_t i = 0; i < p.n; i++)
                acc_set_weight(&p, i, 1, test_random_u64(&seed) >> 20);
            exact = acc_store(&p, UH_STORAGE_WEIGHTED, 1);
            acc_works(uhi_store_create("test", p.cells, UH_STORAGE_WEIGHTED, UH_SUM_FAST, &fast));
            acc_add(fast, &p, 0, p.n, threads);
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
            acc_points_free(&p);
        }
}

UNIT_TEST(strided_and_unaligned_weights_are_the_same) {
    uint64_t seed = 10;
    if (!acc_on_host)
        skip();
    struct points p = acc_points(10000, 40, UH_F32, &seed);
    for (size_t i = 0; i < p.n; i++)
        acc_set_weight(&p, i, 1, test_random_u64(&seed));
    struct uhi_store *store = acc_store(&p, UH_STORAGE_SUM, 1);
    struct text text = export_store(store);
    for (ptrdiff_t stride = -7; stride <= 7; stride += 7) {
        if (stride == 0)
            continue;
        char *bytes = calloc(7, p.n + 1), *first = stride < 0 ? bytes + 7 * (p.n - 1) + 1 : bytes + 1;
        assert_non_null(bytes);
        for (size_t i = 0; i < p.n; i++)
            memcpy(first + (ptrdiff_t)i * stride, (float *)p.w + i, sizeof(float));
        const uh_array values = {UH_F32, first, stride, p.n};
        uhi_store_clear(store);
        acc_works(acc_add_values(store, 1, p.cell, p.n, &values));
        assert_same(store, &text);
        free(bytes);
    }
    free(text.bytes);
    uhi_store_destroy(store);
    acc_points_free(&p);
}

TEST_MAIN(test_accumulate_ways) {
    const int status = acc_begin();
    if (status)
        return status;
    const int failed = TEST_RUN(NULL, NULL);
    return acc_end() || failed;
}
