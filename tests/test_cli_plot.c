/* SPDX-License-Identifier: Apache-2.0 */
/* The pictures: decoded, and their bars looked for where the counts say they are. */
#include "tests/cli_picture.h"

#include "api/cli/display/text.h"
#include "api/cli/display/ticks.h"

/* Pixels: a bar's end lies within one and a half of where it should, and an outline takes one to its either side. */
#define TOLERANCE 4

static void draw(const struct cli_result *result) {
    picture_draw(result, CLI_HEAT_AUTO);
}

static int is_bar(int x, int y) {
    return pixels[y][x] == CLI_RGB_FILL;
}

/* Returns how many pixels of a column are filled. */
static int filled(int x) {
    int count = 0;
    for (int y = 0; y < HEIGHT; y++)
        count += is_bar(x, y);
    return count;
}

/* Finds the first and the last column with a filled pixel; returns 0 when there is none. */
static int find_bars(int *left, int *right) {
    *left = WIDTH;
    *right = -1;
    for (int x = 0; x < WIDTH; x++)
        if (filled(x) > 0) {
            *left = x < *left ? x : *left;
            *right = x;
        }
    return *right >= *left;
}

static void near_to(double value, double expected, double tolerance) {
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%g, expected %g", value, expected);
}

/* The heights in the middle of parts of the axis, from its left end, against shares of the highest. */
static void check_heights(int parts, const double *shares) {
    int left, right, highest = 0;
    assert_true(find_bars(&left, &right));
    for (int x = left; x <= right; x++)
        highest = filled(x) > highest ? filled(x) : highest;
    assert_true(highest > 650);
    for (int i = 0; i < parts; i++)
        near_to(filled(left + (int)((right - left) * (i + 0.5) / parts)), shares[i] * highest, TOLERANCE);
}

UNIT_TEST(equal_bins_are_as_high_as_their_counts) {
    static const double edges[] = {-1, 0, 1, 2, 3}, shares[] = {0.25, 1, 0, 0.75};
    static uint64_t counts[] = {1000, 4000, 0, 3000};
    struct cli_result result = LINE(4, edges, counts, .n = 8000, .title = "x.npy");
    draw(&result);
    check_heights(4, shares);
    /* The bins' boundaries lie on the quarters. */
    int left, right;
    find_bars(&left, &right);
    double quarter = (right + 1 - left) / 4.0;
    assert_true(quarter > 300);
    int x = left + (int)(2 * quarter);
    while (filled(x - 1) > 0 && filled(x) > 0)
        x--;
    near_to(x, left + 2 * quarter, TOLERANCE);
}

UNIT_TEST(bins_of_unequal_width_have_areas) {
    static const double edges[] = {0, 1, 4}, shares[] = {1, 1. / 3, 1. / 3, 1. / 3};
    static uint64_t counts[] = {300, 300};
    struct cli_result result = LINE(2, edges, counts, .n = 600);
    draw(&result);
    check_heights(4, shares);
    int left, right;
    find_bars(&left, &right);
    int x = left;
    while (filled(x) > 500 || filled(x + 3) > 500)
        x++;
    near_to(x, left + (right + 1 - left) / 4.0, TOLERANCE);
}

UNIT_TEST(decades_are_equally_wide_on_a_logarithmic_axis) {
    static const double edges[] = {1, 10, 100, 1000}, shares[] = {0.5, 1, 0.25};
    static const double uneven[] = {1, 10, 1000}, uneven_shares[] = {1, 0.5, 0.5};
    static uint64_t counts[] = {200, 400, 100}, uneven_counts[] = {100, 100};
    struct cli_result result = LINE(3, edges, counts, .n = 700, .axis[0].log = 1);
    draw(&result);
    check_heights(3, shares);
    result.axis[0].bins = 2;
    result.axis[0].edges = uneven;
    result.counts = uneven_counts;
    draw(&result);
    check_heights(3, uneven_shares);
}

UNIT_TEST(running_sums_rise) {
    static const double edges[] = {0, 1, 2, 3}, shares[] = {0.5, 0.75, 1};
    static uint64_t counts[] = {200, 100, 100}, sums[] = {200, 300, 400};
    struct cli_result result = LINE(3, edges, counts, .n = 400, .cumulative = sums);
    draw(&result);
    check_heights(3, shares);
}

UNIT_TEST(a_million_bins_are_drawn_true_and_at_once) {
    static const double shares[] = {0.1, 0.3, 0.5, 0.7, 0.9};
    size_t bins = 1000000;
    double *edges = test_memory((bins + 1) * sizeof *edges);
    uint64_t *counts = test_memory(bins * sizeof *counts);
    for (size_t i = 0; i <= bins; i++)
        edges[i] = (double)i / 7;
    for (size_t i = 0; i < bins; i++)
        counts[i] = i;
    struct cli_result result = LINE(bins, edges, counts, .n = bins);
    const uint64_t begin = test_now();
    draw(&result);
    /* It takes a tenth of a second; a rectangle for each bin would take many. Sanitizers and busy machines are slow. */
    assert_true(test_now() - begin < UINT64_C(10000000000));
    check_heights(5, shares);
    /* Uneven ones: a hundred wide bins in the left half, the others in the right half; as many values in both. */
    for (size_t i = 0; i <= bins; i++)
        edges[i] = i <= 100 ? (double)i : 100 + 100 * (double)(i - 100) / (double)(bins - 100);
    for (size_t i = 0; i < bins; i++)
        counts[i] = i < 100 ? bins - 100 : 100;
    draw(&result);
    check_heights(5, (const double[]){1, 1, 1, 1, 1});
}

UNIT_TEST(bins_without_end_are_not_drawn) {
    static const double edges[] = {(double)-INFINITY, 0, 1, 3, (double)INFINITY}, shares[] = {1, 0.25, 0.25};
    static uint64_t counts[] = {1000, 200, 100, 1000};
    struct cli_result result = LINE(4, edges, counts, .n = 2300);
    draw(&result);
    check_heights(3, shares);
}

UNIT_TEST(no_values_make_an_empty_frame) {
    static const double edges[] = {0, 1, 2};
    static uint64_t counts[] = {0, 0};
    struct cli_result result = LINE(2, edges, counts);
    int left, right, axis = 0;
    draw(&result);
    assert_false(find_bars(&left, &right));
    for (int x = 0; x < WIDTH; x++)
        for (int y = 0; y < HEIGHT; y++)
            axis += pixels[y][x] == CLI_RGB_AXIS;
    assert_true(axis > WIDTH);
}

UNIT_TEST(a_single_value_among_many_is_seen) {
    static const double edges[] = {0, 1, 2};
    static uint64_t counts[] = {1, 100000000};
    struct cli_result result = LINE(2, edges, counts);
    int marked = 0;
    draw(&result);
    int left, right;
    assert_true(find_bars(&left, &right));
    int middle = left - (right - left) / 2;
    for (int y = HEIGHT / 2; y < HEIGHT; y++)
        marked += pixels[y][middle] == CLI_RGB_OUTLINE || is_bar(middle, y);
    assert_true(marked > 0);
}

UNIT_TEST(hostile_edges_are_drawn) {
    static uint64_t counts[] = {UINT64_MAX, 1, 5, 7};
    for (size_t i = 0; i < HOSTILE; i++)
        for (int log_x = 0; log_x < 2; log_x++) {
            struct cli_result result =
                LINE(4, hostile_edges[i], counts, .axis[0].log = log_x,
                     .title = "bad \xff name \x01 with everything \xf0\x9f\x98\x80 and of a length "
                              "that the picture has no room for, in no font, at no size, ever");
            draw(&result);
            int dark = 0;
            for (int y = 0; y < HEIGHT; y++)
                dark += pixels[y][WIDTH - 4] != CLI_RGB_PAPER;
            assert_int_equal(dark, 0);
        }
}

/* ---- what terminals and pictures share: round numbers on axes, counts with commas ---- */

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

/* By Unicode's EastAsianWidth.txt; an accent of its own stands over the letter before. */
UNIT_TEST(characters_take_the_columns_that_they_have_on_a_terminal) {
    char text[16];
    assert_int_equal(cli_text_columns("a…中e\xcc\x81\xff"), 1 + 1 + 2 + 1 + 1);
    cli_text_clean(text, sizeof text, "a中中b", 5, 1);
    assert_string_equal(text, "a中…");
    cli_text_clean(text, sizeof text, "a中b\x7f", 6, 0);
    assert_string_equal(text, "a?b?");
}

TEST_AROUND(test_cli_plot, files_setup, files_teardown)
