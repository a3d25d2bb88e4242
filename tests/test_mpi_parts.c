/* SPDX-License-Identifier: Apache-2.0 */
/* What each rank has for its own: bytes of the others, a device and CPUs; and the quantiles of all their values. */
#include <unihist/base2.h>

#include "tests/mpi_fixture.h"

/* Bytes that rank `from` has for rank `to`: none for some, of its own some. */
static size_t bytes_for(size_t from, size_t to) { return (from * 7 + to * 5) % 4 == 1 ? 0 : 100 * from + 3 * to + 1; }

static unsigned char byte_of(size_t from, size_t to, size_t i) { return (unsigned char)(from * 31 + to * 17 + i); }

UNIT_TEST(each_rank_gets_the_bytes_that_every_one_has_for_it) {
    const size_t ranks = (size_t)test_mpi.ranks, rank = (size_t)test_mpi.rank;
    size_t *sent = test_memory(ranks * sizeof *sent), *received = test_memory(ranks * sizeof *received);
    size_t given = 0, taken = 0, partners = 0;
    for (size_t r = 0; r < ranks; r++) {
        given += sent[r] = bytes_for(rank, r);
        taken += received[r] = bytes_for(r, rank);
        partners += r != rank && sent[r] > 0;
    }
    unsigned char *mine = test_memory(given + 1), *theirs = test_memory(taken + 1), *at = mine;
    const void **out = test_memory(ranks * sizeof *out);
    void **in = test_memory(ranks * sizeof *in);
    for (size_t r = 0; r < ranks; r++) {
        out[r] = at;
        for (size_t i = 0; i < sent[r]; i++)
            *at++ = byte_of(rank, r, i);
    }
    at = theirs;
    for (size_t r = 0; r < ranks; at += received[r++])
        in[r] = at;
    *at = 77;
    test_mpi_count_anew();
    test_good(test_mpi.exchange->trade(test_mpi.exchange->context, out, sent, in, received));
    assert_int_equal(test_mpi.messages, partners);
    assert_int_equal(test_mpi.bytes, given - sent[rank]);
    assert_int_equal(test_mpi.collectives, 0);
    at = theirs;
    for (size_t r = 0; r < ranks; r++)
        for (size_t i = 0; i < received[r]; i++)
            assert_int_equal(*at++, byte_of(r, rank, i));
    assert_int_equal(*at, 77);
}

/* numpy.quantile(sorted, q), as NumPy's documentation and its function _lerp have it. */
static double quantile(const double *sorted, size_t n, double q) {
    const double at = (double)(n - 1) * q, t = at - floor(at);
    const size_t i = (size_t)at;
    const double a = sorted[i], b = sorted[i + 1 < n ? i + 1 : i];
    return t >= 0.5 ? b - (b - a) * (1 - t) : a + (b - a) * t;
}

/* Values of all magnitudes, of both signs, many times the same one, or all of one float32 next to another. */
static double shaped(unsigned shape, uint64_t *random) {
    const double u = test_random_f64(random);
    switch (shape) {
    case 0: return u - 0.5;
    case 1: return floor(u * 7) - 3;
    case 2: return ldexp(u - 0.5, (int)(test_random_u64(random) % 2000) - 1000);
    case 3: return u < 0.01 ? 1e308 : u < 0.02 ? -1e308 : u < 0.5 ? -0.0 : 0x1p-1074;
    default: return 1 + (u < 0.5 ? 0 : 0x1p-52);
    }
}

/* Quantiles of the finite values of all ranks, in as many passes as they take. */
static void exact_quantiles(const uh_array *x, const double *q, size_t nq, double *values) {
    const uh_bins_options options = {.struct_size = sizeof options, .max_values = 1024};
    uh_bins *bins = NULL;
    test_good(uh_bins_create(&options, &bins));
    for (int again = 1; again;) {
        test_good(uh_bins_add(bins, x, NULL));
        test_good(uh_bins_exchange(bins, test_mpi.exchange));
        test_good(uh_bins_refine(bins, q, nq, 0, &again));
    }
    test_good(uh_bins_quantiles(bins, q, nq, 0, values));
    uh_bins_destroy(bins);
}

UNIT_TEST(quantiles_are_those_of_all_values_sorted) {
    enum { N = 3001, MAX = 300, SHAPES = 5 };
    static const size_t numbers[] = {1, 2, 41, MAX};
    double x[N] = {0}, mixed[N], q[MAX], values[MAX];
    uint64_t random = 8;
    const unsigned step = test_is_coarse() || !tested.on_host ? 4 : 1;
    for (unsigned shape = (unsigned)test_first_of(step); shape < SHAPES * TEST_MPI_DIVISIONS; shape += step) {
        size_t from, to;
        const size_t nq = numbers[shape % 4], n = shape == 7 ? 1 : N;
        for (size_t i = 0; i < n; i++)
            x[i] = mixed[i] = shaped(shape % SHAPES, &random);
        qsort(x, n, sizeof *x, test_ascending);
        for (size_t j = 0; j < nq; j++)
            q[j] = nq == 1 ? 0.37 : (double)j / (double)(nq - 1);
        test_mpi_divide((enum test_mpi_division)(shape / SHAPES), n, &from, &to);
        exact_quantiles(ARRAY(UH_F64, mixed + from, to - from), q, nq, values);
        for (size_t j = 0; j < nq; j++) {
            const double expected = quantile(x, n, q[j]);
            assert_true(values[j] == expected || (isnan(values[j]) && isnan(expected)));
        }
    }
}

/* Edges of a rule for the values of all ranks, in their parts or in one. */
static size_t chosen_edges(uh_bins *bins, uh_rule rule, double *edges) {
    const uh_rule_options options = {.struct_size = sizeof options,
                                     .bins = rule == UH_RULE_QUANTILE || rule >= UH_RULE_CLUSTERS ? 5 : 0};
    uh_axis_properties properties = {.struct_size = sizeof properties};
    uh_axis *axis = NULL;
    test_good(uh_bins_axis(bins, rule, &options, &axis, NULL));
    test_good(uh_axis_get_properties(axis, &properties));
    memcpy(edges, properties.edges, (properties.bins + 1) * sizeof *edges);
    uh_axis_destroy(axis);
    return properties.bins;
}

UNIT_TEST(rules_choose_the_bins_of_all_values) {
    enum { N = 4001 };
    double x[N], weights[N], own[N + 1], all[N + 1];
    uint64_t random = 8;
    for (size_t i = 0; i < N; i++)
        x[i] = i % 100 ? shaped(i % 3 ? 1 : 0, &random) : NAN;
    for (size_t i = 0; i < N; i++)
        weights[i] = test_random_f64(&random);
    for (int division = 0; division < TEST_MPI_DIVISIONS; division++) {
        const uh_bins_options options = {.struct_size = sizeof options, .max_values = division % 2 ? 1024 : 0};
        uh_bins_properties of_parts = {.struct_size = sizeof of_parts}, of_whole = of_parts;
        uh_bins *parts = NULL, *whole = NULL;
        size_t from, to;
        test_mpi_divide((enum test_mpi_division)division, N, &from, &to);
        test_good(uh_bins_create(&options, &parts));
        test_good(uh_bins_create(&options, &whole));
        const int weighted = division % 3 == 1;
        test_good(uh_bins_add(parts, ARRAY(UH_F64, x + from, to - from),
                              weighted ? ARRAY(UH_F64, weights + from, to - from) : NULL));
        test_good(uh_bins_add(whole, ARRAY(UH_F64, x, N), weighted ? ARRAY(UH_F64, weights, N) : NULL));
        test_good(uh_bins_exchange(parts, test_mpi.exchange));
        test_good(uh_bins_get_properties(parts, &of_parts));
        test_good(uh_bins_get_properties(whole, &of_whole));
        assert_memory_equal(&of_parts, &of_whole, sizeof of_parts);
        for (int rule = UH_RULE_AUTO; rule <= UH_RULE_DENBY_MALLOWS; rule++) {
            const size_t bins = chosen_edges(parts, (uh_rule)rule, own);
            assert_int_equal(bins, chosen_edges(whole, (uh_rule)rule, all));
            assert_memory_equal(own, all, (bins + 1) * sizeof *own);
        }
        uh_bins_destroy(parts);
        uh_bins_destroy(whole);
    }
    TEST_MPI_FAILS(uh_bins_exchange(NULL, test_mpi.exchange), INVALID_ARGUMENT, "rank 0: bins is NULL");
}

UNIT_TEST(exponential_histograms_of_all_are_those_of_one_process) {
    enum { N = 200 };
    double x[N];
    uint64_t random = 9;
    for (size_t i = 0; i < N; i++)
        x[i] = i % 50 ? fabs(ldexp(shaped(1, &random), (int)(i / 4) - 20)) : -1;
    for (int division = 0; division < TEST_MPI_DIVISIONS; division++) {
        uh_base2_contents a = {.struct_size = sizeof a}, b = a;
        uh_base2 *parts = NULL, *whole = NULL;
        size_t from, to;
        test_mpi_divide((enum test_mpi_division)division, N, &from, &to);
        test_good(uh_base2_create(tested.queue, NULL, &parts));
        test_good(uh_base2_create(tested.queue, NULL, &whole));
        test_good(uh_base2_fill(parts, ARRAY(UH_F64, x + from, to - from)));
        test_good(uh_base2_fill(whole, ARRAY(UH_F64, x, N)));
        test_good(uh_base2_exchange(parts, test_mpi.exchange));
        test_good(uh_base2_get_contents(parts, &a));
        test_good(uh_base2_get_contents(whole, &b));
        assert_true(a.scale == b.scale && a.buckets[0].n == 1 && a.buckets[0].counts[0] == b.buckets[0].counts[0]);
        assert_true(a.buckets[1].offset == b.buckets[1].offset && a.buckets[1].n == b.buckets[1].n);
        assert_memory_equal(a.buckets[1].counts, b.buckets[1].counts, a.buckets[1].n * sizeof(uint64_t));
        uh_base2_destroy(parts);
        uh_base2_destroy(whole);
    }
    TEST_MPI_FAILS(uh_base2_exchange(NULL, test_mpi.exchange), INVALID_ARGUMENT, "rank 0: base2 is NULL");
}

static const char *selector_of(uh_device *device) {
    static uh_device_properties properties;
    properties.struct_size = sizeof properties;
    test_good(uh_device_get_properties(device, &properties));
    return properties.selector;
}

/* The soft driver's two cards have two tiles each on the rung that this runs on. */
UNIT_TEST(ranks_of_a_machine_have_gpus_then_tiles_then_share_them) {
    static const char *const tiles[] = {"level_zero:0.0", "level_zero:0.1", "level_zero:1.0", "level_zero:1.1"};
    static const char *const cards[] = {"level_zero:0", "level_zero:1"};
    const int rank = test_mpi.rank, ranks = test_mpi.ranks;
    uh_device *device = NULL;
    uint32_t threads = 0;
    test_good(uh_mpi_device(MPI_COMM_WORLD, &device, &threads));
    assert_string_equal(selector_of(device), tested.on_host ? "host:0"
                                             : ranks <= 2   ? cards[rank]
                                             : ranks <= 4   ? tiles[rank]
                                                            : tiles[rank * 4 / ranks]);
}

UNIT_TEST(ranks_of_a_machine_share_its_cpus) {
    uh_device *device = NULL;
    uint32_t threads = 0;
    int all = 0;
    test_good(uh_mpi_device(MPI_COMM_WORLD, &device, &threads));
    const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    const int own = (int)threads;
    MPI_Allreduce(&own, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    assert_true(threads >= 1);
    assert_true(all <= (cpus > test_mpi.ranks ? cpus : test_mpi.ranks));
    const uint32_t share = threads;
    threads = 0;
    test_good(uh_mpi_device(MPI_COMM_WORLD, test_mpi.rank ? &device : NULL, &threads));
    assert_int_equal(threads, share);
    TEST_MPI_FAILS(uh_mpi_device(MPI_COMM_WORLD, &device, test_mpi.rank ? &threads : NULL), INVALID_ARGUMENT,
                   "rank 0: threads is NULL");
}

MPI_TEST_MAIN(test_mpi_parts)
