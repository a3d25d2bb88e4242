/* SPDX-License-Identifier: Apache-2.0 */
/* The Parboil histogram, in addition to its description (cases_histo.c): many hits, what Parboil made of its own
 * picture, and wrong arguments. */
#include "tests/tested.h"

#include "runtime/sha256.h"
#include "tests/cases_histo.h"

UNIT_TEST(a_billion_hits_of_one_bin_are_255) {
    const uint32_t index = 5;
    uint8_t out[12] = {0};
    tested_on_host_only();
    if (getenv("UNIHIST_INSTRUMENTED"))
        skip_because("10^9 indices take minutes in an instrumented build");
    for (uint32_t threads = 1; threads <= 2; threads++) {
        uh_histo_report report = {.struct_size = sizeof report, .beyond = 1};
        test_good(uh_histo(tested_queue(threads), STRIDED(UH_U32, &index, (size_t)1000000000, 0), HISTO_TABLE(4, 3),
                           out, &report));
        for (size_t b = 0; b < sizeof out; b++)
            assert_int_equal(out[b], b == 5 ? 255 : 0);
        assert_int_equal(report.beyond, 0);
    }
}

/* Counters of 16 bits in local memory lie two to a word: one that held more would carry into its neighbour. A device of
 * one thread has one group, which counts all of this. */
UNIT_TEST(more_hits_than_16_bits_hold_leave_the_neighbour_alone) {
    enum { WIDTH = 4, HEIGHT = 3, BIN = 4, OTHERS = 3, N = 300000 };
    uint32_t *indices = test_memory(N * sizeof *indices);
    uint8_t out[WIDTH * HEIGHT];
    uh_histo_report report = {.struct_size = sizeof report};
    for (size_t i = 0; i < N; i++)
        indices[i] = i < OTHERS ? BIN + 1 : BIN;
    const uh_histo_options options = {.struct_size = sizeof options, .width = WIDTH, .height = HEIGHT, .iterations = 2};
    test_good(uh_histo(tested.queue, THERE(UH_U32, indices, N), &options, out, &report));
    for (size_t b = 0; b < sizeof out; b++)
        assert_int_equal(out[b], b == BIN ? 255 : b == BIN + 1 ? OTHERS : 0);
    if (!tested.on_host && tested.properties.threads == 1) {
        assert_non_null(strstr(report.plan, "1 batch of 1 group"));
        assert_non_null(strstr(report.plan, "bins of 16 bits"));
    }
}

/* Its SHA-256 as Parboil's own serial program gives it. */
static void check_picture(const uint8_t *out) {
    static const char expected[] = "2c8d7b866dd905e7b3974ee71a98f4c52f191f554c6d73fa425129390bb86429";
    unsigned char digest[UHI_SHA256_SIZE];
    char text[UHI_SHA256_HEX];
    uhi_sha256_of(out, (size_t)CASE_PARBOIL_WIDTH * CASE_PARBOIL_HEIGHT, digest);
    uhi_sha256_hex(digest, text);
    assert_string_equal(text, expected);
}

UNIT_TEST(parboils_picture_is_counted_as_parboil_does_however_often) {
    enum { BINS = CASE_PARBOIL_WIDTH * CASE_PARBOIL_HEIGHT };
    uint32_t *indices = test_memory(CASE_PARBOIL_N * sizeof *indices);
    if (!test_data_directory())
        skip_because("UNIHIST_TEST_DATA names no folder");
    assert_true(case_parboil_read(test_data_directory(), indices));
    /* On the soft driver a thousand take half a minute: once, where local memory has the eye. */
    const int all = !getenv("UNIHIST_INSTRUMENTED") && (tested.on_host || tested.properties.local_memory >= 32768);
    const size_t times[] = {1, all ? 1000 : 10};
    for (uint32_t threads = 1; threads <= (tested.on_host ? 2 : 1); threads++)
        for (size_t t = 0; t < 2; t++) {
            uh_queue *queue = tested_queue(threads);
            uint8_t *out = test_memory(BINS);
            uh_histo_times *each = test_memory(times[t] * sizeof *each);
            const uh_histo_options options = {.struct_size = sizeof options,
                                              .width = CASE_PARBOIL_WIDTH,
                                              .height = CASE_PARBOIL_HEIGHT,
                                              .iterations = times[t],
                                              .each = each};
            uh_histo_report report = {.struct_size = sizeof report};
            test_good(uh_histo(queue, ARRAY(UH_U32, indices, CASE_PARBOIL_N), &options, out, &report));
            check_picture(out);
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
        }
}

UNIT_TEST(strided_indices_have_the_eye_of_those_side_by_side) {
    enum { WIDTH = 64, HEIGHT = 64, N = 36000, TABLES = 3 }; /* every ninth index is a sample */
    uint32_t *indices = test_memory(N * sizeof *indices), *column = test_memory(2 * N * sizeof *indices);
    uint8_t out[TABLES][WIDTH * HEIGHT];
    uh_histo_report report[TABLES];
    uh_queue *queue = tested_queue(2);
    case_wafer_make(CASE_WAFER_EYE, WIDTH, HEIGHT, indices, N);
    for (size_t i = 0; i < N; i++)
        column[2 * i] = indices[i];
    const void *there = test_to_device(queue, column, 2 * N * sizeof *column);
    const uh_array arrays[TABLES] = {{UH_U32, indices, 4, N}, {UH_U32, column, 8, N}, {UH_U32, there, 8, N}};
    for (size_t t = 0; t < TABLES; t++) {
        report[t] = (uh_histo_report){.struct_size = sizeof *report};
        test_good(uh_histo(queue, &arrays[t], HISTO_TABLE(WIDTH, HEIGHT), out[t], &report[t]));
        assert_memory_equal(out[t], out[0], sizeof *out);
        assert_int_equal(report[t].eye_first, report[0].eye_first);
        assert_int_equal(report[t].eye_rows, report[0].eye_rows);
        assert_string_equal(report[t].plan, report[0].plan); /* a device decides by its kernel as by the host */
    }
}

/* Requests to the driver, in order: l for a launch, w for a wait. */
static struct {
    char text[200];
    size_t length;
} asked;

static void note_call(const char *name, uint64_t number, void *user) {
    const char what = strcmp(name, "zeCommandListAppendLaunchKernel") == 0 ? 'l'
                      : strstr(name, "Synchronize")                        ? 'w'
                                                                           : 0;
    if (what && asked.length + 1 < sizeof asked.text)
        asked.text[asked.length++] = what;
}

/* The waits of the end are for the ring's last piece and for the queue, and those of the stored counts. */
UNIT_TEST(a_device_finds_the_eye_and_counts_without_a_wait_in_between) {
    enum { WIDTH = 64, HEIGHT = 64, N = 36000 };
    static uint32_t indices[N];
    static uint8_t out[WIDTH * HEIGHT], expected[WIDTH * HEIGHT];
    static uint32_t counts[WIDTH * HEIGHT];
    tested_on_devices_only();
    const struct soft_gpu gpu = test_soft_gpu();
    case_wafer_make(CASE_WAFER_EYE, WIDTH, HEIGHT, indices, N);
    (void)case_wafer_count(indices, N, WIDTH * HEIGHT, counts, expected);
    const void *there = test_to_device(tested.queue, indices, sizeof indices);
    const uh_array *array = ARRAY(UH_U32, there, N);
    for (size_t times = 1; times <= 3; times += 2) {
        const uh_histo_options options = {
            .struct_size = sizeof options, .width = WIDTH, .height = HEIGHT, .iterations = times};
        test_good(uh_histo(tested.queue, array, &options, out, NULL)); /* builds the kernels */
        memset(&asked, 0, sizeof asked);
        gpu.trace(note_call, NULL);
        const uh_status status = uh_histo(tested.queue, array, &options, out, NULL);
        gpu.trace(NULL, NULL);
        test_good(status);
        assert_memory_equal(out, expected, sizeof out);
        const char *at = asked.text;
        for (size_t i = 0; i < times; i++) {
            at += strspn(at, "w");
            const size_t launches = strspn(at, "l");
            assert_int_equal(launches, tested.properties.local_memory >= 256 ? 3 : launches);
            assert_in_range(launches, 2, 3);
            at += launches;
        }
        assert_null(strchr(at, 'l'));
    }
}

UNIT_TEST(wrong_arguments_are_named_and_nothing_is_written) {
    uh_queue *const queue = tested.queue;
    const uint32_t index = 0;
    const uh_array *one = ARRAY(UH_U32, &index, 1);
    uint8_t out = 77;
    uh_histo_report report = {.struct_size = sizeof report, .beyond = 77}, unsized = {.struct_size = 1};
    const uh_histo_options options = {.struct_size = 1};
    test_null_is_refused(uh_histo(NAMED(queue, queue), NAMED(indices, one), NAMED(options, HISTO_TABLE(1, 1)),
                                  NAMED(out, &out), &report));
    test_invalid(uh_histo(queue, ARRAY(UH_U32, NULL, 1), HISTO_TABLE(1, 1), &out, &report), "indices->data is NULL");
    test_invalid(uh_histo(queue, ARRAY(UH_I32, &index, 1), HISTO_TABLE(1, 1), &out, &report),
                 "uh_histo: indices->dtype is int32, expected uint32");
    test_invalid(uh_histo(queue, ARRAY((uh_dtype)77, &index, 1), HISTO_TABLE(1, 1), &out, &report),
                 "indices->dtype is 77");
    test_invalid(uh_histo(queue, one, HISTO_TABLE(0, 1), &out, &report), "options->width is 0", "at least 1");
    test_invalid(uh_histo(queue, one, HISTO_TABLE(1, 0), &out, &report), "options->height is 0");
    test_invalid(uh_histo(queue, one, HISTO_TABLE(SIZE_MAX, 2), &out, &report), "options->width * height");
    test_invalid(uh_histo(queue, ARRAY(UH_U32, &index, SIZE_MAX / 2), HISTO_TABLE(1, 1), &out, &report),
                 "indices->count is ");
    test_invalid(uh_histo(queue, STRIDED(UH_U32, &index, 3, PTRDIFF_MIN), HISTO_TABLE(1, 1), &out, &report),
                 "indices->count is 3 and stride -");
    test_invalid(uh_histo(queue, one, HISTO_TABLE(1, 1), &out, &unsized), "report->struct_size is 1");
    test_invalid(uh_histo(queue, one, &options, &out, NULL), "options->struct_size is 1");
    assert_true(out == 77 && report.beyond == 77);
    test_good(uh_histo(queue, ARRAY(UH_U32, NULL, 0), HISTO_TABLE(1, 1), &out, &report));
    assert_true(out == 0 && report.beyond == 0);
    test_good(uh_histo(queue, one, HISTO_TABLE(1, 1), &out, NULL));
    assert_int_equal(out, 1);
}

TESTED_MAIN(test_histo)
