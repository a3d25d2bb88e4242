/* SPDX-License-Identifier: Apache-2.0 */
/* The Parboil histogram against counting one by one, on the device that UNIHIST_TEST_DEVICE names (default: the host),
 * and against what Parboil made of its own picture. */
#define _GNU_SOURCE /* memfd_create */
#include "tests/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <unihist/histo.h>

#include "runtime/sha256.h"
#include "tests/cases_histo.h"
#include "tests/fixture.h"

enum { GUARD = 64, CANARY = 0xa5 };

static uh_device *device;
static int on_host;

static uh_queue *queue_of(uint32_t threads) {
    const uh_queue_options options = {.struct_size = sizeof options, .threads = threads};
    uh_queue *queue = NULL;
    if (uh_queue_create(device, &options, &queue))
        fail_msg("no queue: %s", uh_last_error());
    return queue;
}

/* Counts into guarded memory and compares with counting one by one. */
static void check(uh_queue *queue, const char *what, const uint32_t *indices, size_t n, size_t width, size_t height) {
    const size_t bins = width * height;
    uint32_t *counts = malloc(bins * sizeof *counts);
    uint8_t *expected = malloc(bins), *out = malloc(bins + 2 * GUARD);
    uint64_t beyond = 0;
    assert_true(counts && expected && out);
    memset(out, CANARY, bins + 2 * GUARD);
    uint64_t expected_beyond = case_wafer_count(indices, n, bins, counts, expected);
    if (uh_histo_saturating_2d(queue, n ? indices : NULL, n, width, height, out + GUARD, &beyond))
        fail_msg("%s: %s", what, uh_last_error());
    for (size_t b = 0; b < bins; b++)
        if (out[GUARD + b] != expected[b])
            fail_msg("%s, %zu indices, %zu x %zu: bin %zu is %u, expected %u (of %u)", what, n, width, height, b,
                     out[GUARD + b], expected[b], (unsigned)counts[b]);
    for (size_t i = 0; i < GUARD; i++)
        assert_true(out[i] == CANARY && out[GUARD + bins + i] == CANARY);
    if (beyond != expected_beyond)
        fail_msg("%s: %llu beyond, expected %llu", what, (unsigned long long)beyond,
                 (unsigned long long)expected_beyond);
    free(counts);
    free(expected);
    free(out);
}

static uint32_t *make(enum case_wafer wafer, size_t width, size_t height, size_t n) {
    uint32_t *indices = malloc((n + 1) * sizeof *indices);
    assert_non_null(indices);
    case_wafer_make(wafer, width, height, indices, n);
    return indices;
}

static void every_wafer_in_every_size_is_counted_exactly(void **state) {
    (void)state;
    static const size_t sizes[][2] = {{256, 4096}, {256, 8192}, {1, 1},    {1, 5000}, {5000, 1},
                                      {3, 7},      {1000, 77},  {77, 999}, {40000, 3}};
    uh_queue *queue = queue_of(0);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int wafer = 0; wafer < CASE_WAFER_COUNT; wafer++) {
            const size_t n = on_host ? 300000 : 70000;
            uint32_t *indices = make((enum case_wafer)wafer, sizes[s][0], sizes[s][1], n);
            check(queue, case_wafer_name((enum case_wafer)wafer), indices, n, sizes[s][0], sizes[s][1]);
            free(indices);
        }
    assert_int_equal(uh_queue_destroy(queue), UH_SUCCESS);
}

static void any_number_of_indices_is_counted_exactly(void **state) {
    (void)state;
    static const size_t ns[] = {0,  1,  2,   3,   5,   7,   15,   16,   17,   63,  64,
                                65, 66, 100, 127, 128, 129, 1000, 4095, 4096, 4097};
    uh_queue *queue = queue_of(0);
    for (size_t i = 0; i < sizeof ns / sizeof *ns; i++)
        for (int wafer = 0; wafer < CASE_WAFER_COUNT; wafer += on_host ? 1 : 3) {
            uint32_t *indices = make((enum case_wafer)wafer, 16, 64, ns[i] + 3);
            for (size_t shift = 0; shift < 4; shift++) /* at any alignment to vectors */
                check(queue, case_wafer_name((enum case_wafer)wafer), indices + shift, ns[i], 16, 64);
            free(indices);
        }
    assert_int_equal(uh_queue_destroy(queue), UH_SUCCESS);
}

static void counts_around_255_are_exact_with_any_number_of_threads(void **state) {
    (void)state;
    enum { BINS = 1024, TIMES = 600, N = BINS * TIMES };
    uint32_t *indices = malloc(N * sizeof *indices);
    assert_non_null(indices);
    size_t n = 0;
    /* Bin b is hit b times, for b < 600; then in another order, so that hits of a bin are far apart. */
    for (uint32_t time = 0; time < TIMES; time++)
        for (uint32_t b = time + 1; b < TIMES; b++)
            indices[n++] = b;
    for (uint32_t threads = 1; threads <= (on_host ? 8 : 1); threads++) {
        uh_queue *queue = queue_of(threads);
        check(queue, "steps", indices, n, 32, BINS / 32);
        check(queue, "steps", indices, n, BINS, 64);
        assert_int_equal(uh_queue_destroy(queue), UH_SUCCESS);
    }
    free(indices);
}

static void threads_do_not_matter(void **state) {
    (void)state;
    enum { N = 400000 };
    for (uint32_t threads = 1; threads <= 8; threads++) {
        uh_queue *queue = queue_of(threads);
        for (int wafer = 0; wafer < CASE_WAFER_COUNT; wafer++) {
            uint32_t *indices = make((enum case_wafer)wafer, 256, 512, N);
            check(queue, case_wafer_name((enum case_wafer)wafer), indices, N, 256, 512);
            free(indices);
        }
        /* An eye that the sample does not show: every sample is beyond the histogram, or in one corner. */
        uint32_t *indices = make(CASE_WAFER_UNIFORM, 256, 512, N);
        for (size_t i = 0; i < N; i += 98)
            indices[i] = 0;
        check(queue, "wrong eye", indices, N, 256, 512);
        for (size_t i = 0; i < N; i += 98)
            indices[i] = UINT32_MAX;
        check(queue, "no eye", indices, N, 256, 512);
        free(indices);
        assert_int_equal(uh_queue_destroy(queue), UH_SUCCESS);
        if (!on_host)
            break;
    }
}

/* The same pages over and over: 4 GB of indices in 1 MiB of memory. */
static void a_billion_hits_of_one_bin_are_255(void **state) {
    (void)state;
    const size_t piece = (size_t)1 << 20, pieces = 3815, n = (size_t)1000000000;
    uint8_t out[12] = {0};
    uint64_t beyond = 1;
    if (!on_host || getenv("UNIHIST_INSTRUMENTED"))
        skip();
    int file = memfd_create("one", 0);
    assert_true(file >= 0 && ftruncate(file, (off_t)piece) == 0);
    uint32_t *indices =
        mmap(NULL, piece * pieces, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    assert_true(indices != MAP_FAILED);
    for (size_t i = 0; i < pieces; i++)
        assert_true(mmap((char *)indices + i * piece, piece, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) !=
                    MAP_FAILED);
    for (size_t i = 0; i < piece / sizeof *indices; i++)
        indices[i] = 5;
    for (uint32_t threads = 1; threads <= 2; threads++) {
        uh_queue *queue = queue_of(threads);
        assert_int_equal(uh_histo_saturating_2d(queue, indices, n, 4, 3, out, &beyond), UH_SUCCESS);
        for (size_t b = 0; b < sizeof out; b++)
            assert_int_equal(out[b], b == 5 ? 255 : 0);
        assert_int_equal(beyond, 0);
        assert_int_equal(uh_queue_destroy(queue), UH_SUCCESS);
    }
    munmap(indices, piece * pieces);
    close(file);
}

/* ---- Parboil's picture ------------------------------------------------------------------------------------------ */

static uint32_t *read_picture(size_t *n, size_t *width, size_t *height) {
    char path[4096];
    uint32_t head[4];
    const char *folder = test_data_directory();
    if (!folder) {
        printf("skipped: no test data\n");
        skip();
    }
    snprintf(path, sizeof path, "%s/parboil-histo/img.bin", folder);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fread(head, sizeof *head, 4, file), 4);
    *n = (size_t)head[0] * head[1];
    *width = head[2];
    *height = head[3];
    uint32_t *indices = malloc(*n * sizeof *indices);
    assert_non_null(indices);
    assert_int_equal(fread(indices, sizeof *indices, *n, file), *n);
    fclose(file);
    return indices;
}

/* Its SHA-256 as Parboil's own serial program gives it. */
static void check_picture(const uint8_t *out, size_t bins) {
    static const char expected[] = "2c8d7b866dd905e7b3974ee71a98f4c52f191f554c6d73fa425129390bb86429";
    unsigned char digest[UHI_SHA256_SIZE];
    char text[UHI_SHA256_HEX];
    uhi_sha256_of(out, bins, digest);
    uhi_sha256_hex(digest, text);
    assert_string_equal(text, expected);
}

static void parboils_picture_is_counted_as_parboil_does_however_often(void **state) {
    (void)state;
    size_t n, width, height;
    uint32_t *indices = read_picture(&n, &width, &height);
    /* On the soft driver a thousand take half a minute: once, where local memory has the eye. */
    uh_device_properties properties = {.struct_size = sizeof properties};
    assert_int_equal(uh_device_get_properties(device, &properties), UH_SUCCESS);
    const int all = getenv("UNIHIST_TEST_ALL") ||
                    (!getenv("UNIHIST_INSTRUMENTED") && (on_host || properties.local_memory >= 32768));
    const size_t times[] = {1, all ? 1000 : 10};
    for (uint32_t threads = 1; threads <= (on_host ? 2 : 1); threads++)
        for (size_t t = 0; t < 2; t++) {
            uh_queue *queue = queue_of(threads);
            uint8_t *out = malloc(width * height);
            uh_histo_times *each = calloc(times[t], sizeof *each);
            assert_true(out && each);
            const uh_histo_options options = {.struct_size = sizeof options, .iterations = times[t], .each = each};
            uh_histo_report report = {.struct_size = sizeof report};
            if (uh_histo_run(queue, indices, n, width, height, &options, out, &report))
                fail_msg("%s", uh_last_error());
            check_picture(out, width * height);
            assert_int_equal(report.iterations, times[t]);
            assert_int_equal(report.beyond, 0);
            uint64_t total = 0;
            for (size_t i = 0; i < times[t]; i++) {
                assert_true(each[i].total >= each[i].prescan + each[i].count + each[i].reduce && each[i].count > 0);
                total += each[i].total;
            }
            assert_int_equal(total, report.times.total);
            assert_true(report.total >= report.times.total);
            printf("%u threads, %zu times: %s; eye of %zu rows from %zu; us each: prescan %.0f, count %.0f, reduce "
                   "%.0f\n",
                   (unsigned)threads, times[t], report.plan, report.eye_rows, report.eye_first,
                   (double)report.times.prescan / 1e3 / (double)times[t],
                   (double)report.times.count / 1e3 / (double)times[t],
                   (double)report.times.reduce / 1e3 / (double)times[t]);
            free(out);
            free(each);
            assert_int_equal(uh_queue_destroy(queue), UH_SUCCESS);
        }
    free(indices);
}

/* ---- where memory lies ------------------------------------------------------------------------------------------ */

static uh_status allocate(size_t kind, size_t size, void **memory) {
    return kind == 0   ? uh_malloc_device(device, size, 0, memory)
           : kind == 1 ? uh_malloc_host(device, size, 0, memory)
                       : uh_malloc_shared(device, size, 0, memory);
}

static void indices_and_counts_may_lie_in_any_memory_the_device_reaches(void **state) {
    (void)state;
    enum { N = 50000, WIDTH = 50, HEIGHT = 101, BINS = WIDTH * HEIGHT };
    static uint8_t expected[BINS], got[BINS];
    static uint32_t counts[BINS];
    uint32_t *indices = make(CASE_WAFER_FAR, WIDTH, HEIGHT, N);
    const uint64_t expected_beyond = case_wafer_count(indices + 1, N - 1, BINS, counts, expected);
    uh_queue *queue = queue_of(0);
    for (size_t from = 0; from < 3; from++)
        for (size_t to = 0; to < 3; to++)
            for (size_t shift = 0; shift < 3; shift++) { /* bytes: at any address, also where no index is aligned */
                void *x = NULL, *out = NULL;
                uint64_t beyond = 0;
                assert_int_equal(allocate(from, N * sizeof *indices, &x), UH_SUCCESS);
                assert_int_equal(allocate(to, BINS, &out), UH_SUCCESS);
                char *first = (char *)x + shift;
                assert_int_equal(uh_memcpy(queue, first, indices + 1, (N - 1) * sizeof *indices, NULL, 0, NULL), 0);
                if (uh_histo_saturating_2d(queue, (const uint32_t *)(void *)first, N - 1, WIDTH, HEIGHT, out, &beyond))
                    fail_msg("%s", uh_last_error());
                assert_int_equal(uh_memcpy(queue, got, out, BINS, NULL, 0, NULL), 0);
                assert_int_equal(uh_queue_wait(queue), 0);
                assert_memory_equal(got, expected, BINS);
                assert_int_equal(beyond, expected_beyond);
                assert_int_equal(uh_free(x), UH_SUCCESS);
                assert_int_equal(uh_free(out), UH_SUCCESS);
            }
    free(indices);
    assert_int_equal(uh_queue_destroy(queue), UH_SUCCESS);
}

/* ---- errors ----------------------------------------------------------------------------------------------------- */

static void wrong_arguments_are_named_and_nothing_is_written(void **state) {
    (void)state;
    uh_queue *queue = queue_of(0);
    uint32_t index = 0;
    uint8_t out = CANARY;
    uint64_t beyond = CANARY;
    uh_histo_report report = {.struct_size = 1};
    uh_histo_options options = {.struct_size = 1};
    const uh_status bad = UH_ERROR_INVALID_ARGUMENT;
    test_assert_failed(uh_histo_saturating_2d(NULL, &index, 1, 1, 1, &out, &beyond), bad, "queue is NULL");
    test_assert_failed(uh_histo_saturating_2d(queue, NULL, 1, 1, 1, &out, &beyond), bad, "indices is NULL");
    test_assert_failed(uh_histo_saturating_2d(queue, &index, 1, 1, 1, NULL, &beyond), bad, "out is NULL");
    test_assert_failed(uh_histo_saturating_2d(queue, &index, 1, 0, 1, &out, &beyond), bad, "width is 0", "at least 1");
    test_assert_failed(uh_histo_saturating_2d(queue, &index, 1, 1, 0, &out, &beyond), bad, "height is 0");
    test_assert_failed(uh_histo_saturating_2d(queue, &index, 1, SIZE_MAX, 2, &out, &beyond), bad, "width * height");
    test_assert_failed(uh_histo_saturating_2d(queue, &index, SIZE_MAX / 2, 1, 1, &out, &beyond), bad, "n is ");
    test_assert_failed(uh_histo_run(queue, &index, 1, 1, 1, NULL, &out, &report), bad, "report->struct_size is 1");
    test_assert_failed(uh_histo_run(queue, &index, 1, 1, 1, &options, &out, NULL), bad, "options->struct_size is 1");
    assert_int_equal(out, CANARY);
    assert_int_equal(beyond, CANARY);
    assert_int_equal(uh_histo_saturating_2d(queue, &index, 1, 1, 1, &out, NULL), UH_SUCCESS);
    assert_int_equal(out, 1);
    assert_int_equal(uh_queue_destroy(queue), UH_SUCCESS);
}

TEST_MAIN(test_histo) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_wafer_in_every_size_is_counted_exactly),
        cmocka_unit_test(any_number_of_indices_is_counted_exactly),
        cmocka_unit_test(counts_around_255_are_exact_with_any_number_of_threads),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(a_billion_hits_of_one_bin_are_255),
        cmocka_unit_test(parboils_picture_is_counted_as_parboil_does_however_often),
        cmocka_unit_test(indices_and_counts_may_lie_in_any_memory_the_device_reaches),
        cmocka_unit_test(wrong_arguments_are_named_and_nothing_is_written),
    };
    const char *selector = getenv("UNIHIST_TEST_DEVICE");
    if (uh_device_select(selector ? selector : "host", &device)) {
        printf("skipped: %s\n", uh_last_error());
        return 77;
    }
    uh_device_properties properties = {.struct_size = sizeof properties};
    on_host = uh_device_get_properties(device, &properties) == UH_SUCCESS && strcmp(properties.backend, "host") == 0;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
