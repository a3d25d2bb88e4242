/* SPDX-License-Identifier: Apache-2.0 */
/* What terminals and pictures share: round numbers on axes, counts with commas, bins merged into columns. */
#include "tests/support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "api/cli/display/text.h"
#include "api/cli/display/ticks.h"
#include "api/cli/display/view.h"

UNIT_TEST(a_million_bins_are_averaged) {
    size_t bins = 1000000;
    double *edges = malloc((bins + 1) * sizeof *edges);
    uint64_t *counts = malloc(bins * sizeof *counts);
    assert_non_null(edges);
    assert_non_null(counts);
    /* The left half is empty but for one bin in a thousand; the right half has one value a bin. */
    for (size_t i = 0; i < bins; i++) {
        edges[i] = (double)i;
        counts[i] = i < bins / 2 ? (i % 1000 == 0) * 500 : 1;
    }
    edges[bins] = (double)bins;
    struct cli_result result = {
        .naxes = 1, .flat = 1, .axis[0].bins = bins, .axis[0].edges = edges, .counts = counts, .n = 750000};
    double heights[50];
    struct cli_view view;
    cli_view_init(&view, &result);
    assert_string_equal(cli_view_label(&view, 1), "mean count per bin");
    cli_view_columns(&view, 50, heights);
    for (int i = 0; i < 50; i++)
        assert_true(fabs(heights[i] - (i < 25 ? 0.5 : 1)) < 1e-6);
    free(edges);
    free(counts);
}

static void check_ticks(double low, double high, int logarithmic, unsigned max, unsigned flags, const char *expected) {
    struct cli_ticks ticks;
    char text[1024] = "";
    size_t used = 0;
    cli_ticks_make(&ticks, low, high, logarithmic, max, flags);
    for (size_t i = 0; i < ticks.count; i++) {
        assert_true(ticks.tick[i].position >= 0 && ticks.tick[i].position <= 1);
        assert_true(i == 0 || ticks.tick[i].position >= ticks.tick[i - 1].position);
        if (ticks.tick[i].major)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s ", ticks.tick[i].label);
    }
    assert_string_equal(text, expected);
}

UNIT_TEST(ticks_are_round_numbers) {
    check_ticks(0, 10, 0, 6, 0, "0 2 4 6 8 10 ");
    check_ticks(0, 1, 0, 3, 0, "0 0.5 1.0 ");
    check_ticks(-1, 1, 0, 5, 0, "-1.0 -0.5 0 0.5 1.0 ");
    check_ticks(0.3, 0.7, 0, 5, 0, "0.3 0.4 0.5 0.6 0.7 ");
    check_ticks(0, 30000, 0, 4, CLI_TICKS_COMMAS, "0 10,000 20,000 30,000 ");
    check_ticks(-3000, 3000, 0, 3, CLI_TICKS_COMMAS, "-2,000 0 2,000 ");
    check_ticks(0, 3e9, 0, 4, CLI_TICKS_UTF8, "0 10⁹ 2×10⁹ 3×10⁹ ");
    check_ticks(0, 3e-9, 0, 7, 0, "0 5e-10 1e-9 1.5e-9 2e-9 2.5e-9 3e-9 ");
    check_ticks(1e9, 1e9 + 20, 0, 3, 0, "1000000000 1000000010 1000000020 ");
    check_ticks(-3, 3, 1, 7, CLI_TICKS_UTF8, "10⁻³ 10⁻² 10⁻¹ 10⁰ 10¹ 10² 10³ ");
    check_ticks(-300, 300, 1, 7, 0, "1e-300 1e-200 1e-100 1e0 1e100 1e200 1e300 ");
    check_ticks(0, 1, 1, 5, 0, "1 2 5 10 ");
    check_ticks(log10(3), log10(3.5), 1, 6, 0, "3.0 3.1 3.2 3.3 3.4 3.5 ");
}

UNIT_TEST(counts_have_commas) {
    char text[CLI_TEXT_COUNT_SIZE];
    cli_text_count(text, 0);
    assert_string_equal(text, "0");
    cli_text_count(text, 999);
    assert_string_equal(text, "999");
    cli_text_count(text, 1000);
    assert_string_equal(text, "1,000");
    assert_int_equal(cli_text_count(text, UINT64_MAX), 26);
    assert_string_equal(text, "18,446,744,073,709,551,615");
}

TEST_MAIN(test_cli_plot_ticks) {
    return TEST_RUN(NULL, NULL);
}
