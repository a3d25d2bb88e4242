/* SPDX-License-Identifier: Apache-2.0 */
/* The bin rules' parts: order statistics in bounded memory, Stone's rule in pieces. The rules themselves are compared
 * with NumPy's by test_command_bins.py. */
#include "tests/files.h"

#include <unihist/unihist.h>

#include "api/cli/input/inputs.h"
#include "api/cli/rules/rules.h"
#include "tests/fixture.h"

static void close_inputs(void *inputs) { cli_inputs_close(inputs); }

/* Opens a raw file of numbers for several passes, until the unit test ends. */
static struct cli_inputs *open_inputs(const char *dtype, const void *data, size_t bytes) {
    const struct cli_input_options options = {.dtype = dtype, .chunk_bytes = 4096};
    static char *path;
    struct cli_inputs *inputs = NULL;
    path = (char *)(uintptr_t)files_path("numbers.bin");
    files_write(path, data, bytes);
    if (cli_inputs_open(&path, 1, &options, &inputs))
        fail_msg("%s", cli_error.text);
    return test_at_end(inputs, close_inputs);
}

/* All shapes of data that make the passes differ: spread over every exponent, in one prefix, few values often. */
static double shaped(unsigned shape, uint64_t *random) {
    uint64_t bits = test_random_u64(random);
    double x;
    switch (shape) {
    case 0:
        bits &= ~(UINT64_C(0x7ff) << 52) | (UINT64_C(0x7fe) << 52); /* any finite number */
        memcpy(&x, &bits, sizeof x);
        return isfinite(x) ? x : 0;
    case 1: return 1 + (double)(bits % 100000) * 0x1p-52;
    case 2: return (double)(bits % 5) - 2;
    case 3: return (bits % 10) ? 0.5 : -(double)(bits % 1000);
    default: return test_random_f64(random) - 0.5;
    }
}

UNIT_TEST(ranks_are_those_of_a_sort_however_little_is_kept) {
    enum { N = 20000, RANKS = 300 };
    static double x[N], sorted[N];
    static const size_t keeps[] = {1, 2, 7, 100, 1000, 19999, 20000, 0};
    uint64_t random = 4, ranks[RANKS];
    double values[RANKS];
    uh_queue *queue = test_queue(2, 0);
    for (unsigned shape = 0; shape < 5; shape++) {
        for (size_t i = 0; i < N; i++)
            x[i] = shaped(shape, &random);
        memcpy(sorted, x, sizeof x);
        qsort(sorted, N, sizeof *sorted, test_ascending);
        struct cli_inputs *inputs = open_inputs("f64", x, sizeof x);
        for (size_t k = 0; k < sizeof keeps / sizeof keeps[0]; k++) {
            size_t nranks = keeps[k] < 100 && keeps[k] ? 3 : RANKS;
            struct cli_selection of = {.inputs = inputs, .queue = queue, .keep = keeps[k]};
            for (size_t i = 0; i < nranks; i++)
                ranks[i] = i * (N - 1) / (nranks - 1);
            if (cli_select_ranks(&of, ranks, nranks, values))
                fail_msg("%s", cli_error.text);
            assert_int_equal(of.extent.n, N);
            assert_true(of.extent.min == sorted[0] && of.extent.max == sorted[N - 1]);
            for (size_t i = 0; i < nranks; i++)
                assert_true(values[i] == sorted[ranks[i]]);
        }
    }
}

/* In one pass it is NumPy's. */
UNIT_TEST(stones_rule_is_the_same_in_one_pass_and_in_many) {
    enum { N = 12000 };
    static float x[N];
    static const uint64_t pieces[] = {0, 100, 700, 1};
    uint64_t random = 6, bins, expected = 0;
    double lo = INFINITY, hi = -INFINITY;
    for (size_t i = 0; i < N; i++) {
        double u = test_random_f64(&random);
        x[i] = (float)(u * u + (double)(i % 3));
        lo = fmin(lo, (double)x[i]);
        hi = fmax(hi, (double)x[i]);
    }
    uh_queue *queue = test_queue(2, 0);
    struct cli_inputs *inputs = open_inputs("f32", x, sizeof x);
    for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
        if (cli_stone_bins(inputs, queue, lo, hi, hi - lo, N, pieces[i], &bins))
            fail_msg("%s", cli_error.text);
        expected = i == 0 ? bins : expected;
        assert_int_equal(bins, expected);
    }
    assert_in_range(expected, 5, 109);
}

TEST_AROUND(test_cli_rules, files_setup, files_teardown)
