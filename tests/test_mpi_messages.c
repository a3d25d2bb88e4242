/* SPDX-License-Identifier: Apache-2.0 */
/* What is sent where histograms are put together and points divided: no more messages and bytes than there should
 * be. */
#include "tests/meanshift_fixture.h"
#include "tests/mpi_fixture.h"

static uint64_t sum_of_all(uint64_t of_rank) {
    PMPI_Allreduce(MPI_IN_PLACE, &of_rank, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    return of_rank;
}

/* A histogram whose bins from 0 to `used` have a count each. */
static uh_histogram *counted(size_t bins, size_t used) {
    uint32_t *x = test_memory(used * sizeof *x);
    for (size_t i = 0; i < used; i++)
        x[i] = (uint32_t)(i * (bins / used));
    uh_axis *axis = test_equal_axis(bins, 0, (double)bins);
    uh_histogram *made = test_line(tested.queue, axis);
    test_good(uh_histogram_fill(made, ARRAY(UH_U32, x, used), NULL));
    return made;
}

/* Where ranks take turns on a few cores, the largest tables would take minutes. */
static int is_crowded(void) { return test_mpi.ranks > 16; }

UNIT_TEST(counts_take_no_more_bytes_and_messages_than_the_formula_says) {
    static const size_t bins[] = {1000, 100003, (1 << 20) + 12345};
    enum { WORDS = 6, PIECE = 1 << 18 }; /* numbers of points; words of a piece */
    const uint64_t ranks = (uint64_t)test_mpi.ranks;
    for (size_t i = 0; i < (is_crowded() ? 2 : sizeof bins / sizeof *bins); i++) {
        uh_histogram *part = counted(bins[i], bins[i]);
        uint64_t *counts = test_memory(bins[i] * sizeof *counts);
        const uint64_t least = 2 * 8 * bins[i] * (ranks - 1), pieces = (bins[i] + PIECE - 1) / PIECE;
        test_mpi_count_anew();
        test_good(uh_histogram_exchange(part, test_mpi.exchange));
        const uint64_t messages = test_mpi.messages, bytes = test_mpi.bytes, collectives = test_mpi.collectives;
        assert_in_range(sum_of_all(bytes), least, least + 2 * 8 * WORDS * (ranks - 1));
        assert_in_range(messages, 2 * test_mpi_rounds() * pieces, 2 * test_mpi_rounds() * (pieces + 1));
        assert_int_equal(collectives, 2);
        /* Of each rank, against the bound of all: 1.05 is the goal. */
        if (ranks > 1 && bins[i] > 1000)
            assert_true((double)bytes <= 1.05 * (double)least / (double)ranks);
        test_good(uh_histogram_counts(part, counts));
        for (size_t j = 0; j < bins[i]; j++)
            assert_int_equal(counts[j], ranks);

        part = counted(bins[i], bins[i]);
        test_mpi_count_anew();
        test_mpi_exchange(part, 0, MPI_COMM_WORLD);
        assert_in_range(test_mpi.messages, 0, (test_mpi_rounds() + 1) * (pieces + 1));
        test_end_from(0);
    }
}

UNIT_TEST(of_cells_that_are_mostly_empty_the_others_are_sent) {
    enum { USED = 64, PAIR = 16 };
    const size_t bins = is_crowded() ? 3 << 16 : 3 << 20;
    uh_histogram *part = counted(bins, USED);
    uint64_t *counts = test_memory(bins * sizeof *counts), sum = 0;
    test_mpi_count_anew();
    test_good(uh_histogram_exchange(part, test_mpi.exchange));
    const uint64_t bytes = test_mpi.bytes;
    assert_in_range(bytes, 0, 2 * test_mpi_rounds() * (USED + 6) * PAIR);
    test_good(uh_histogram_counts(part, counts));
    for (size_t j = 0; j < bins; j++) {
        assert_true(counts[j] == 0 || (counts[j] == (uint64_t)test_mpi.ranks && j % (bins / USED) == 0));
        sum += counts[j];
    }
    assert_int_equal(sum, USED * test_mpi.ranks);
}

struct sent {
    uint64_t messages, bytes, collectives;
};

/* Messages of a number of iterations, and before and after them: bytes of all ranks, otherwise of this one. */
static struct sent send_in(const uh_array points[2], uh_mean_shift_method method, size_t iterations) {
    uh_clusters *clusters = NULL;
    test_mpi_count_anew();
    test_good(uh_mean_shift(
        tested.queue, points, 2,
        SHIFT(.sigma = 1, .method = method, .iterations = iterations, .eps = -1, .exchange = test_mpi.exchange),
        &clusters));
    const struct sent sent = {test_mpi.messages, sum_of_all(test_mpi.bytes), test_mpi.collectives};
    uh_clusters_destroy(clusters);
    return sent;
}

UNIT_TEST(an_iteration_of_mean_shift_takes_no_more_bytes_and_messages_than_the_formula_says) {
    enum { EACH = 60, DIMS = 2, SAMPLES = 128, SAMPLE = 4, WINDOW = 4 };
    const uint64_t ranks = (uint64_t)test_mpi.ranks, n = EACH * ranks;
    float x[EACH * DIMS];
    uint64_t seed = 7 + (uint64_t)test_mpi.rank;
    for (size_t i = 0; i < EACH * DIMS; i++) /* so long that slabs are wider than neighbours are far */
        x[i] = (float)(test_random_f64(&seed) * (i % 2 ? 20 : 30 * (double)ranks));
    const uh_array points[DIMS] = {{.dtype = UH_F32, .data = x, .stride = 8, .count = EACH},
                                   {.dtype = UH_F32, .data = x + 1, .stride = 8, .count = EACH}};
    for (int tiles = 0; tiles < 2; tiles++) {
        const uh_mean_shift_method method = tiles ? UH_MEAN_SHIFT_TILES : UH_MEAN_SHIFT_CELLS;
        const struct sent one = send_in(points, method, 1), two = send_in(points, method, 2);
        /* By cells points of the slabs on both sides are needed, else those of all. */
        const uint64_t others = ranks - 1,
                       near = tiles        ? others
                              : others < 4 ? others
                                           : 4,
                       windows = tiles ? (ranks + WINDOW - 1) / WINDOW : 1;
        const uint64_t words = (SAMPLES * SAMPLE + 3) * ranks + 2;
        assert_int_equal(two.collectives - one.collectives, 11 + windows);
        assert_in_range(two.messages - one.messages, 0,
                        10 * test_mpi_rounds() + (DIMS + 2) * others + (DIMS + 1) * near);
        /* Samples, counts, places there and sums back, and points, those of each slab to as many. */
        assert_in_range(two.bytes - one.bytes, 0,
                        16 * others * words + 8 * ranks * (others + near) + n * (4 * DIMS + 8 * (DIMS + 2)) +
                            n * 4 * DIMS * near);
    }
}

MPI_TEST_MAIN(test_mpi_messages)
