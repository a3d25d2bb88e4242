/* SPDX-License-Identifier: Apache-2.0 */
/* The bandwidth of points that all ranks have parts of: what all distances sorted give, to the bit, and one process. */
#include "tests/meanshift_fixture.h"
#include "tests/mpi_fixture.h"

enum { SHAPES = 5 };

/* Anywhere in a box; on a grid, where distances are often the same; all alike; of all magnitudes; in a box with one
 * that is far away. */
static double shaped(unsigned shape, size_t number, uint64_t *random) {
    const double u = test_random_f64(random);
    switch (shape) {
    case 0: return 10 * u;
    case 1: return floor(4 * u) == 2 ? -0.0 : floor(4 * u);
    case 2: return 1.5;
    case 3: return ldexp(u - 0.5, (int)(test_random_u64(random) % 100) - 50);
    default: return number == 3 ? 1e15 : u;
    }
}

/* Which every rank makes. */
static struct oracle_points make_points(uh_dtype dtype, size_t n, size_t dims, unsigned shape) {
    double *rows = test_memory(n * dims * sizeof *rows);
    uint64_t random = 5 + shape;
    for (size_t i = 0; i < n * dims; i++)
        rows[i] = shaped(shape, i / dims, &random);
    return test_points_of(dtype, n, dims, rows);
}

static double sorted_bandwidth(const struct oracle_points *points, double quantile, size_t samples) {
    const size_t n = points->n, floored = (size_t)floor((double)n * quantile), k = floored < 1 ? 1 : floored;
    double *squared = test_memory(n * sizeof *squared), sum = 0;
    samples = samples == 0 || samples > n ? n : samples;
    for (size_t i = 0; i < samples; i++) {
        const size_t each = n / samples, more = n % samples, at = i * each + (i < more ? i : more);
        for (size_t j = 0; j < n; j++) {
            squared[j] = 0;
            for (size_t axis = 0; axis < points->dims; axis++) {
                const double by =
                    (double)oracle_coordinate(points, j, axis) - (double)oracle_coordinate(points, at, axis);
                squared[j] += by * by;
            }
        }
        qsort(squared, n, sizeof *squared, test_ascending);
        sum += sqrt(squared[k - 1]);
    }
    return sum / (double)samples;
}

/* Of points that ranks have parts of; with TEST_MPI_DIVISIONS of points that each has for itself. */
static double estimated(const struct oracle_points *points, int division, double quantile, size_t samples) {
    uh_array all[UH_MEAN_SHIFT_MAX_DIMS], own[UH_MEAN_SHIFT_MAX_DIMS];
    const int is_alone = division == TEST_MPI_DIVISIONS;
    double bandwidth = -1;
    uh_arrays_of_rows(points->dtype, points->rows, points->n, points->dims, all);
    if (!is_alone)
        (void)test_mpi_part((enum test_mpi_division)division, all, points->dims, own);
    test_good(uh_estimate_bandwidth(
        tested.queue, is_alone ? all : own, points->dims,
        BANDWIDTH(.quantile = quantile, .samples = samples, .exchange = is_alone ? NULL : test_mpi.exchange),
        &bandwidth));
    return bandwidth;
}

static void assert_sorted(const struct oracle_points *points, double quantile, size_t samples) {
    const double expected = sorted_bandwidth(points, quantile, samples);
    for (int division = 0; division <= TEST_MPI_DIVISIONS; division++) {
        const double found = estimated(points, division, quantile, samples);
        assert_memory_equal(&found, &expected, sizeof expected);
    }
}

UNIT_TEST(all_ranks_get_what_all_distances_sorted_give) {
    enum { N = 101 };
    static const double quantiles[] = {1e-9, 0.02, 0.3, 0.75, 1}; /* k = 1, 2, ... N */
    static const size_t samples[] = {0, 1, 10, N - 1}, dims[] = {1, 2, 3, UH_MEAN_SHIFT_MAX_DIMS};
    const size_t step = test_is_coarse() ? 7 : 1;
    for (size_t i = test_first_of(step); i < 2 * SHAPES * 4 * 5; i += step) {
        const size_t before = test_left(), rest = i / (2 * SHAPES);
        const struct oracle_points points =
            make_points(i % 2 ? UH_F64 : UH_F32, N, dims[rest % 4], (unsigned)(i / 2 % SHAPES));
        assert_sorted(&points, quantiles[rest / 4], samples[(rest + rest / 4) % 4]);
        test_end_from(before);
    }
}

UNIT_TEST(points_may_be_fewer_than_ranks) {
    for (size_t n = 1; n <= 3; n++) {
        const struct oracle_points points = make_points(UH_F32, n, 2, 0);
        assert_sorted(&points, 0.3, 0);
        assert_sorted(&points, 1, 0);
        assert_sorted(&points, 1, 1);
    }
}

/* More points than a thread takes at once, more distances than there is room for; rank 0 sorts for all. */
UNIT_TEST(many_points_take_several_turns) {
    enum { N = 300007, SAMPLES = 16 };
    const struct oracle_points points = make_points(UH_F64, N, 2, 3);
    double expected = 0;
    if (test_mpi.rank == 0)
        expected = sorted_bandwidth(&points, 0.3, SAMPLES);
    assert_int_equal(PMPI_Bcast(&expected, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD), MPI_SUCCESS);
    for (int division = 0; division < TEST_MPI_DIVISIONS; division++) {
        const double all = estimated(&points, division, 0.3, SAMPLES);
        assert_memory_equal(&all, &expected, sizeof expected);
    }
}

UNIT_TEST(no_more_is_sent_than_the_formula_says) {
    enum { N = 5000, DIMS = 2, BINS = 64, BATCH = (1 << 22) / N, BATCHES = 2, SAMPLES = BATCHES * BATCH };
    enum { FIRST = 3 }; /* collective calls before the first pass */
    const struct oracle_points points = make_points(UH_F32, N, DIMS, 0);
    const uint64_t ranks = (uint64_t)test_mpi.ranks;
    uint64_t bytes;
    test_mpi_count_anew();
    (void)estimated(&points, TEST_MPI_ALL_ON_LAST, 0.3, SAMPLES);
    const uint64_t passes = test_mpi.collectives - FIRST;
    assert_in_range(passes, 2 * BATCHES, 6 * BATCHES);
    assert_int_equal(test_mpi.messages, 2 * test_mpi_rounds() * (1 + BATCHES + passes));
    PMPI_Allreduce(&test_mpi.bytes, &bytes, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    assert_true(bytes <= 16 * (ranks - 1) * (ranks + SAMPLES * DIMS + passes * BATCH * BINS));
}

UNIT_TEST(what_is_wrong_on_one_rank_fails_on_all) {
    float x[] = {1, 2, 3}, y[] = {1, 2, test_mpi_is_last() ? NAN : 3};
    const double far[] = {test_mpi_is_last() ? 1e160 : -1e160};
    const uh_array good[] = {*ARRAY(UH_F32, x, 3), *ARRAY(UH_F32, x, 3)};
    const uh_array bad[] = {*ARRAY(UH_F32, x, 3), *ARRAY(UH_F32, y, 3)};
    const uh_array integers[] = {*ARRAY(UH_I32, x, 3)}, none[] = {*ARRAY(UH_F32, NULL, 0)};
    const struct {
        uh_queue *queue;
        const uh_array *points;
        size_t dims;
        double quantile;
        const char *text;
    } wrong[] = {{tested.queue, bad, 2, 0.3, "points[1].data is nan in row 2"},
                 {NULL, good, 2, 0.3, "queue is NULL"},
                 {tested.queue, NULL, 2, 0.3, "points is NULL"},
                 {tested.queue, integers, 1, 0.3, "points[0].dtype is int32"},
                 {tested.queue, good, 0, 0.3, "dims is 0"},
                 {tested.queue, good, UH_MEAN_SHIFT_MAX_DIMS + 1, 0.3, "dims is 257"},
                 {tested.queue, good, 2, -1, "options->quantile is -1"},
                 {tested.queue, good, 2, 1.5, "options->quantile is 1.5"},
                 {tested.queue, good, 2, NAN, "options->quantile is nan"}};
    double bandwidth = -1;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const int own = test_mpi_is_last(); /* what is wrong */
        TEST_MPI_FAILS(uh_estimate_bandwidth(
                           own ? wrong[i].queue : tested.queue, own ? wrong[i].points : good, own ? wrong[i].dims : 2,
                           BANDWIDTH(.quantile = own ? wrong[i].quantile : 0.3, .exchange = test_mpi.exchange),
                           &bandwidth),
                       INVALID_ARGUMENT, "LAST: ", wrong[i].text);
    }
    TEST_MPI_FAILS(uh_estimate_bandwidth(tested.queue, good, 2, BANDWIDTH(.exchange = test_mpi.exchange),
                                         test_mpi_is_last() ? NULL : &bandwidth),
                   INVALID_ARGUMENT, "LAST: ", "bandwidth is NULL");
    TEST_MPI_FAILS(uh_estimate_bandwidth(tested.queue, none, 1, BANDWIDTH(.exchange = test_mpi.exchange), &bandwidth),
                   INVALID_ARGUMENT, "points has none", "on any process");
    if (test_mpi.ranks > 1) /* each of which has but one place */
        TEST_MPI_FAILS(uh_estimate_bandwidth(tested.queue, ARRAY(UH_F64, far, 1), 1,
                                             BANDWIDTH(.exchange = test_mpi.exchange), &bandwidth),
                       INVALID_ARGUMENT, "points[0].data is from -1e+160 to 1e+160", "squares float64 holds");
    assert_true(bandwidth == -1);
}

UNIT_TEST(what_differs_between_ranks_is_refused_on_all) {
    const double x[] = {1, 2, 3};
    const uh_array own[] = {*ARRAY(UH_F64, x, 3), *ARRAY(UH_F64, x, 3)}, floats[] = {*ARRAY(UH_F32, x, 3)};
    const int last = test_mpi_is_last();
    double bandwidth = -1;
    for (size_t i = 0; i < 4 && test_mpi.ranks > 1; i++)
        TEST_MPI_FAILS(
            uh_estimate_bandwidth(tested.queue, i == 0 && last ? floats : own, i == 1 && last ? 2 : 1,
                                  BANDWIDTH(.quantile = i == 2 && last ? 0.31 : 0.3, .samples = i == 3 && last ? 1 : 2,
                                            .exchange = test_mpi.exchange),
                                  &bandwidth),
            INCOMPATIBLE, "dims, the points' type, quantile or samples", "differ");
    assert_true(bandwidth == -1);
}

/* Asks for the end once there is work. */
static int is_cancelled(void *user) {
    size_t *asked = user;
    return ++*asked > 1;
}

UNIT_TEST(what_is_cancelled_on_one_rank_ends_on_all) {
    enum { N = 200003 };
    const struct oracle_points points = make_points(UH_F32, N, 1, 0);
    size_t asked = 0;
    uh_queue *queue = test_queue_of(
        tested.device, QUEUE_OPTIONS(.cancelled = test_mpi_is_last() ? is_cancelled : NULL, .cancelled_user = &asked));
    const uh_array all = uh_array_of(UH_F32, points.rows, N);
    uh_array own;
    double bandwidth = -1;
    (void)test_mpi_part(TEST_MPI_EVEN, &all, 1, &own);
    TEST_MPI_FAILS(uh_estimate_bandwidth(queue, &own, 1, BANDWIDTH(.exchange = test_mpi.exchange), &bandwidth),
                   CANCELLED, "LAST: ", "cancelled");
    assert_int_equal(asked, test_mpi_is_last() ? 2 : 0);
    assert_true(bandwidth == -1);
}

MPI_TEST_MAIN(test_mpi_bandwidth)
