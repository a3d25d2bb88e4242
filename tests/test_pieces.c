/* SPDX-License-Identifier: Apache-2.0 */
/* Results in plain host memory come back piece by piece, each while the next one is computed: seen on a soft device
 * whose launches last, with little memory, so that there are many pieces. And how much of it tables take. */
#include "tests/tested.h"

#include <unihist/unihist.h>

#include "api/histogram.h"
#include "kernels/common/engine.h"
#include "kernels/common/shape.h"
#include "runtime/backend.h"
#include "tests/random_oracle.h"

enum { N = 1300000, EDGES = 11, CANARY = 0x5a, MIN_PIECES = 5, FAULTS = 14, TRIES = 10 };

enum { SEED = 5, RANDOM_STREAM = 2, OFFSET = 3 };

static struct soft_gpu gpu;
static float x[N];
static union {
    int64_t index[N];
    uint32_t word[2 * N];
    uint8_t byte[8 * N];
} out, expected;

static uh_status digitize(uh_queue *queue) {
    static const float edges[EDGES] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    const uh_array values = uh_array_of(UH_F32, x, N);
    return uh_digitize(queue, &values, ARRAY(UH_F32, edges, EDGES), 0, UH_I64, out.index);
}

static uh_status draw(uh_queue *queue) {
    return uh_random(queue, &(uh_random_stream){UH_PHILOX4X32_10, SEED, RANDOM_STREAM, OFFSET}, 0, UH_U32, out.word,
                     2 * (size_t)N);
}

static const uint64_t weights[] = {1, 2, 3, 0, 5};

static uh_status sample(uh_queue *queue) {
    const uh_array array = uh_array_of(UH_U64, weights, sizeof weights / sizeof *weights);
    uh_sampler *sampler = NULL;
    uh_status status = uh_sampler_create(queue, WEIGHTED(&array), NULL, &sampler);
    if (!status)
        status = uh_sampler_draw(sampler, SEED, 0, UH_U32, out.word, 2 * (size_t)N);
    uh_sampler_destroy(sampler);
    return status;
}

/* Makes a call again and again, after a first one that builds kernels, until as many copies as are wanted are made
 * while a launch is at work: a machine that is busy with other things may begin a copy late, so the device becomes
 * slower, which makes more and longer launches. Without an overlap there is never one. */
static void expect_overlap(uh_status (*call)(uh_queue *queue), uint64_t least_copies, uint64_t wanted) {
    uint64_t copies = 0, overlapping = 0;
    test_good(call(tested.queue));
    for (int i = 0; i < TRIES && overlapping < wanted; i++) {
        char slow[32];
        snprintf(slow, sizeof slow, "slow=%d", i < 3 ? 30 << i : 240);
        memset(&out, CANARY, sizeof out);
        assert_int_equal((gpu.set)(slow), 0);
        const uint64_t before = gpu.calls("zeCommandListAppendMemoryCopy");
        (void)gpu.overlaps();
        test_good(call(tested.queue));
        overlapping = gpu.overlaps();
        copies = gpu.calls("zeCommandListAppendMemoryCopy") - before;
        assert_int_equal((gpu.set)("slow=0"), 0);
        print_message("%u copies, %u of them while a launch is at work\n", (unsigned)copies, (unsigned)overlapping);
        assert_memory_equal(&out, &expected, sizeof out);
        assert_true(copies >= least_copies && overlapping < copies);
    }
    assert_true(overlapping >= wanted);
}

static void make_values(void) {
    for (size_t i = 0; i < N; i++) {
        x[i] = (float)(i % 1201) * 0.01F - 0.5F;
        expected.index[i] = 0;
        while (expected.index[i] < EDGES && x[i] >= (float)expected.index[i])
            expected.index[i]++;
    }
}

/* Two copies a piece, and the tables': all but the first piece's way to the device and the last one's way back may
 * be made while a launch is at work. */
UNIT_TEST(indices_come_back_while_the_next_ones_are_computed) {
    make_values();
    uhi_import_min = SIZE_MAX;
    expect_overlap(digitize, 2 * MIN_PIECES, MIN_PIECES);
    uhi_import_min = 1; /* the device fetches the values itself */
    expect_overlap(digitize, 2 * MIN_PIECES, MIN_PIECES);
}

static void expect_words(uint32_t (*word)(uint64_t i)) {
    for (uint64_t i = 0; i < 2 * (uint64_t)N; i++)
        expected.word[i] = word(i);
}

static uint32_t random_word(uint64_t i) { return random_oracle_32(UH_PHILOX4X32_10, SEED, RANDOM_STREAM, OFFSET + i); }

UNIT_TEST(random_words_come_back_while_the_next_ones_are_made) {
    expect_words(random_word);
    expect_overlap(draw, MIN_PIECES, MIN_PIECES / 2);
}

/* The outcome that holds a fraction of the weights which two streams' words tell, of 64 bits. */
static uint32_t random_outcome(uint64_t i) {
    const uint64_t stream = (uint64_t)1 << 63, high = random_oracle_32(UH_PHILOX4X32_10, SEED, stream, i),
                   low = random_oracle_32(UH_PHILOX4X32_10, SEED, stream + 1, i), sum = 11;
    uint64_t left = (high * sum + (low * sum >> 32)) >> 32;
    uint32_t outcome = 0;
    while (left >= weights[outcome])
        left -= weights[outcome++];
    return outcome;
}

UNIT_TEST(samples_come_back_while_the_next_ones_are_drawn) {
    expect_words(random_outcome);
    expect_overlap(sample, MIN_PIECES, MIN_PIECES / 2);
}

/* Counts of a piece go on from those of the pieces before. */
UNIT_TEST(a_picture_counts_on_from_piece_to_piece) {
    enum { WIDTH = 128, HEIGHT = 128, BINS = WIDTH * HEIGHT };
    uint32_t *index = test_memory(N * sizeof *index);
    uint8_t *counts = test_memory(BINS), *wanted = test_memory(BINS);
    for (size_t i = 0; i < N; i++) { /* each about 79 times: none is full */
        index[i] = (uint32_t)(i * 7919 % BINS);
        wanted[index[i]]++;
    }
    uhi_import_min = SIZE_MAX;
    test_good(uh_histo(tested.queue, ARRAY(UH_U32, index, N), HISTO_TABLE(WIDTH, HEIGHT), counts, NULL));
    assert_memory_equal(counts, wanted, BINS);
}

UNIT_TEST(a_call_is_asked_whether_it_is_cancelled_before_each_piece) {
    uh_queue *queue = test_queue_of(tested.device, QUEUE_OPTIONS(.cancelled = test_is_cancelled));
    typedef uh_status call(uh_queue * queue);
    static call *const calls[] = {digitize, draw};
    uhi_import_min = SIZE_MAX;
    for (size_t c = 0; c < sizeof calls / sizeof *calls; c++) {
        for (test_allowed = 0; test_allowed < MIN_PIECES; test_allowed++) {
            test_asked = 0;
            assert_int_equal(calls[c](queue), UH_ERROR_CANCELLED);
            assert_int_equal(test_asked, test_allowed + 1);
        }
        test_allowed = UINT64_MAX;
        test_good(calls[c](queue));
    }
}

/* One command after the other: a launch, a copy to the device or from it. What is there is whole pieces, in order. */
UNIT_TEST(a_failure_in_between_leaves_whole_pieces_at_the_begin_and_nothing_else) {
    make_values();
    for (unsigned n = 1; n <= FAULTS; n++) {
        char fault[64];
        size_t right = 0;
        memset(&out, CANARY, sizeof out);
        snprintf(fault, sizeof fault, "execute:%u=ERROR_UNKNOWN", n);
        assert_int_equal((gpu.fail)(fault), 0);
        const uh_status status = digitize(tested.queue);
        assert_int_equal((gpu.fail)(NULL), 0);
        assert_true(status != UH_SUCCESS);
        while (right < N && out.index[right] == expected.index[right])
            right++;
        assert_true(right < N && right % 1024 == 0);
        for (size_t byte = right * sizeof *out.index; byte < sizeof out; byte++)
            assert_true(out.byte[byte] == CANARY);
        (void)uh_queue_wait(tested.queue);
    }
    test_good(digitize(tested.queue));
    assert_memory_equal(&out, &expected, sizeof out);
}

/* ---- private tables take half of what is free of the memory, at most ---- */

enum { MIB = 1 << 20 };

static struct uhi_engine engine;

static uint64_t room_of(uint64_t wanted, uint64_t mine) {
    uint64_t room = 77;
    test_good(uhi_memory_room(&engine, wanted, mine, &room));
    return room;
}

static uint64_t left(void) {
    uint64_t bytes = 0;
    test_good(uh_device_free_memory(tested.device, &bytes));
    return bytes;
}

static void *take(uint64_t bytes) { return test_ze_alloc(tested.device, UH_MEMORY_DEVICE, (size_t)bytes); }

UNIT_TEST(tables_have_half_of_what_is_free_and_what_they_have_counts_as_free) {
    const uint64_t all = left();
    assert_in_range(all, 32 * MIB, 64 * MIB);
    assert_int_equal(room_of(all, 0), all / 2);
    assert_int_equal(room_of(5 * MIB, 0), 5 * MIB);
    void *others = take(30 * MIB);
    assert_int_equal(room_of(all, 0), left() / 2);
    assert_true(left() <= all - 30 * MIB);
    assert_int_equal(room_of(all, 10 * MIB), (left() + 10 * MIB) / 2);
    test_good(uh_free(test_take(others)));
    assert_int_equal(room_of(all, 0), all / 2);
}

UNIT_TEST(small_sizes_need_no_query_and_a_failure_is_reported) {
    uint64_t room = 77;
    const uint64_t before = gpu.calls("zeDeviceGetProperties");
    assert_int_equal(room_of(MIB, 0), MIB);
    assert_int_equal(gpu.calls("zeDeviceGetProperties"), before);
    assert_int_equal(room_of(MIB + 1, 0), MIB + 1);
    assert_int_equal(gpu.calls("zeDeviceGetProperties"), before + 1);
    assert_int_equal((gpu.fail)("zeDeviceGetProperties:1=ERROR_UNKNOWN"), 0);
    assert_int_equal(uhi_memory_room(&engine, 2 * MIB, 0, &room), UH_ERROR_DRIVER);
    assert_int_equal((gpu.fail)(NULL), 0);
    /* Of a small memory little is less. */
    engine.properties.memory = 4 * MIB;
    assert_int_equal(room_of(MIB, 0), MIB);
    assert_int_equal(gpu.calls("zeDeviceGetProperties"), before + 3);
    engine.properties.memory = tested.properties.memory;
}

/* As of a driver that does not tell. */
UNIT_TEST(of_a_device_that_does_not_tell_all_memory_counts) {
    uh_device silent = *tested.device;
    struct uhi_backend backend = *silent.backend;
    backend.free_memory = NULL;
    silent.backend = &backend;
    engine.device = &silent;
    assert_int_equal(room_of(UINT64_MAX, 0), tested.properties.memory / 2);
    assert_int_equal(room_of(UINT64_MAX, 5 * MIB), tested.properties.memory / 2);
    engine.device = tested.device;
}

UNIT_TEST(a_shape_has_fewer_tables_where_there_is_less_room) {
    struct uhi_shape shape = {.tier = UHI_TIER_PRIVATE, .private_tables = 16};
    const size_t slots = MIB / 4 / 2; /* of half a MiB */
    test_good(uhi_memory_room_shape(&engine, slots, 0, &shape));
    assert_int_equal(shape.private_tables, 16);
    void *others = take(left() - 9 * MIB);
    test_good(uhi_memory_room_shape(&engine, slots, 0, &shape));
    assert_int_equal(shape.private_tables, 8);
    assert_int_equal(shape.tier, UHI_TIER_PRIVATE);
    test_good(uhi_memory_room_shape(&engine, 10 * slots, 0, &shape));
    assert_int_equal(shape.private_tables, 1);
    assert_int_equal(shape.tier, UHI_TIER_GLOBAL);
    shape = (struct uhi_shape){.tier = UHI_TIER_TABLES, .private_tables = 16};
    test_good(uhi_memory_room_shape(&engine, 10 * slots, 0, &shape));
    assert_int_equal(shape.private_tables, 1);
    assert_int_equal(shape.tier, UHI_TIER_TABLES); /* the others are where they were */
    test_good(uh_free(test_take(others)));
}

/* A whole count on a device that is nearly full: with the tables that fit it is the same. */
UNIT_TEST(integers_are_counted_where_little_is_free) {
    enum { POINTS = 30000, BINS = 100000 };
    static uint32_t bins[POINTS];
    static uint64_t counts[BINS], wanted[BINS];
    uint64_t seed = 1;
    for (size_t i = 0; i < POINTS; i++)
        wanted[bins[i] = (uint32_t)(test_random_u64(&seed) % BINS)]++;
    void *others = take(left() - 2 * MIB);
    test_good(uh_bincount(tested.queue, ARRAY(UH_U32, bins, POINTS), counts, BINS, NULL));
    assert_memory_equal(counts, wanted, sizeof counts);
    test_good(uh_free(test_take(others)));
}

/* The same of points, whose tables are in local memory and whose counts are not. */
UNIT_TEST(points_are_counted_where_little_is_free) {
    enum { POINTS = 30000, BINS = 300 };
    static float row_of[POINTS], column_of[POINTS];
    static uint64_t wanted[BINS * BINS];
    uint64_t seed = 1;
    for (size_t i = 0; i < POINTS; i++) {
        const uint64_t cell = test_random_u64(&seed) % (BINS * BINS), row = cell / BINS, column = cell % BINS;
        row_of[i] = (float)row + 0.5F;
        column_of[i] = (float)column + 0.25F;
        wanted[cell]++;
    }
    uh_axis *const axes[] = {test_equal_axis(BINS, 0, BINS), test_equal_axis(BINS, 0, BINS)};
    const uh_array arrays[] = {uh_array_of(UH_F32, row_of, POINTS), uh_array_of(UH_F32, column_of, POINTS)};
    uint32_t tables[2];
    for (size_t i = 0; i < 2; i++) {
        void *others = i ? take(left() - 4 * MIB) : NULL;
        uh_histogram *histogram = test_histogram_over(tested.queue, axes, 2, NULL);
        test_good(uh_histogram_fill(histogram, arrays, NULL));
        assert_int_equal(histogram->run.launch.shape.tier, UHI_TIER_TABLES);
        tables[i] = histogram->run.launch.shape.private_tables;
        test_assert_counts(histogram, wanted, NULL);
        uh_histogram_destroy(test_take(histogram));
        test_good(uh_free(test_take(others)));
    }
    assert_true(tables[1] < tables[0]);
}

TEST_MAIN(test_pieces) {
    if (soft_gpu_find(&gpu))
        return 77;
    const int why = tested_begin();
    if (why)
        return why;
    test_good(uhi_engine_open(&engine, "test", tested.queue, uhi_bincount_variants()));
    const int failed = test_run_units(NULL, NULL);
    uhi_engine_close(&engine);
    return tested_end(failed);
}
