/* SPDX-License-Identifier: Apache-2.0 */
/* Stone's rule in pieces. The rules themselves are compared with NumPy's by test_command_bins.py. */
#include "tests/files.h"

#include <unihist/unihist.h>

#include "api/cli/input/inputs.h"
#include "api/cli/rules/rules.h"
#include "tests/fixture.h"

static void close_inputs(void *inputs) { cli_inputs_close(inputs); }

/* Opens a raw file of float32 for several passes, until the unit test ends. */
static struct cli_inputs *open_inputs(const float *data, size_t bytes) {
    const struct cli_input_options options = {.dtype = "f32", .chunk_bytes = 4096};
    static char *path;
    struct cli_inputs *inputs = NULL;
    path = (char *)(uintptr_t)files_path("numbers.bin");
    files_write(path, data, bytes);
    if (cli_inputs_open(&path, 1, &options, &inputs))
        fail_msg("%s", cli_error.text);
    return test_at_end(inputs, close_inputs);
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
    struct cli_inputs *inputs = open_inputs(x, sizeof x);
    for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
        if (cli_stone_bins(inputs, queue, lo, hi, hi - lo, N, pieces[i], &bins))
            fail_msg("%s", cli_error.text);
        expected = i == 0 ? bins : expected;
        assert_int_equal(bins, expected);
    }
    assert_in_range(expected, 5, 109);
}

TEST_AROUND(test_cli_rules, files_setup, files_teardown)
