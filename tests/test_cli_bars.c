/* SPDX-License-Identifier: Apache-2.0 */
/* The charts on the terminal, against pictures worked out by hand and against sums done the long way. */
#include "tests/cli_result.h"

#include "api/cli/display/grid.h"

/* Prints the chart, which ends with the unit test. */
static char *print(unsigned width, int utf8, int colour, const struct cli_result *result) {
    struct printed printed;
    printed_begin(&printed, width, utf8, colour);
    assert_int_equal(cli_display_print(&printed.terminal, result, CLI_HEAT_AUTO), 0);
    return printed_end(&printed);
}

static void expect(unsigned width, int utf8, const struct cli_result *result, const char *expected) {
    assert_string_equal(print(width, utf8, 0, result), expected);
}

/* 21 columns for bars; 8 fills them, 4 takes 10 1/2, 2 takes 5 1/4, 1 takes 2 5/8. */
UNIT_TEST(few_equal_bins_get_a_row_each) {
    static const double edges[] = {0, 1, 2, 3, 4};
    static uint64_t counts[] = {1, 2, 4, 8};
    struct cli_result result = LINE(4, edges, counts, .n = 1018, .axis[0].flow = {1000, 1, 2});
    expect(30, 1, &result,
           "count\n"
           "0 … 1 │██▋ 1\n"
           "1 … 2 │█████▎ 2\n"
           "2 … 3 │██████████▌ 4\n"
           "3 … 4 │█████████████████████ 8\n"
           "4 bins · n 1,018 · below 1,000\n"
           "above 1 · NaN 2\n");
    /* ASCII: one column more for the dots, and whole characters only. */
    result.title = "a.npy";
    expect(41, 0, &result,
           "a.npy - count\n"
           "0 .. 1 |#### 1\n"
           "1 .. 2 |######## 2\n"
           "2 .. 3 |################ 4\n"
           "3 .. 4 |############################### 8\n"
           "4 bins | n 1,018 | below 1,000 | above 1\n"
           "NaN 2\n");
}

/* A thousandth of the longest bar is less than an eighth of a column, but a bin with a value in it has a bar. */
UNIT_TEST(few_values_beside_many_show) {
    static const double edges[] = {0, 1, 2, 3};
    static uint64_t counts[] = {0, 1, 1000};
    struct cli_result result = LINE(3, edges, counts, .n = 1001);
    expect(30, 1, &result,
           "count\n"
           "0 … 1 │0\n"
           "1 … 2 │▏ 1\n"
           "2 … 3 │█████████████████ 1,000\n"
           "3 bins · n 1,001 · below 0\n"
           "above 0 · NaN 0\n");
}

/*
 * Edges 0, 1, 4 with three values in each bin: densities 3 and 1. The labels take three columns, the axis two, so 15
 * are left for 4 units: the edge at 1 falls on 3.75, and so between the fourth and the fifth. Twelve rows are four to a
 * unit.
 */
UNIT_TEST(bins_of_unequal_width_have_areas) {
    static const double edges[] = {0, 1, 4};
    static uint64_t counts[] = {3, 3};
    struct cli_result result = LINE(2, edges, counts, .n = 6);
    expect(20, 1, &result,
           "count per unit width\n"
           "3.0 ┤████\n"
           "    │████\n"
           "2.5 ┤████\n"
           "    │████\n"
           "2.0 ┤████\n"
           "    │████\n"
           "1.5 ┤████\n"
           "    │████\n"
           "1.0 ┤███████████████\n"
           "    │███████████████\n"
           "0.5 ┤███████████████\n"
           "    │███████████████\n"
           "  0 ┼───────┬──────┬\n"
           "    0       2      4\n"
           "2 bins · n 6\n"
           "below 0 · above 0\n"
           "NaN 0\n");
}

/*
 * Twenty-two equal bins of one column each, bin j holding j, and one without end that is not drawn. The scale to 25 has
 * five steps of two rows: a value is 10/25 of a row, 3.2 eighths. Of 28 columns two are for labels, two for the axis
 * and 22 for bins; two are left over.
 */
UNIT_TEST(columns_are_eighths_high_and_bins_without_end_are_told_of) {
    double edges[24];
    uint64_t counts[23];
    for (unsigned i = 0; i < 23; i++) {
        edges[i] = i;
        counts[i] = i;
    }
    edges[23] = (double)INFINITY;
    counts[22] = 1000;
    struct cli_result result = LINE(23, edges, counts, .n = 1231);
    expect(28, 1, &result,
           "count\n"
           "25 ┤\n"
           "   │                     ▃\n"
           "20 ┤                  ▂▅██\n"
           "   │                ▃▆████\n"
           "15 ┤             ▂▅███████\n"
           "   │           ▃▆█████████\n"
           "10 ┤        ▂▅████████████\n"
           "   │      ▃▆██████████████\n"
           " 5 ┤   ▂▅█████████████████\n"
           "   │ ▃▆███████████████████\n"
           " 0 ┼────┬────┬────┬────┬──\n"
           "   0    5   10   15   20\n"
           "23 bins · n 1,231 · below 0\n"
           "above 0 · NaN 0\n"
           "in bins without end 1000\n");
    expect(28, 0, &result,
           "count\n"
           "25 +\n"
           "   |                     .\n"
           "20 +                  .:##\n"
           "   |                .:####\n"
           "15 +             .:#######\n"
           "   |           .:#########\n"
           "10 +        .:############\n"
           "   |      .:##############\n"
           " 5 +   .:#################\n"
           "   | .:###################\n"
           " 0 +----+----+----+----+--\n"
           "   0    5   10   15   20\n"
           "23 bins | n 1,231 | below 0\n"
           "above 0 | NaN 0\n"
           "in bins without end 1000\n");
}

UNIT_TEST(an_empty_histogram_has_an_empty_chart) {
    static const double edges[] = {0, 1, 10, 100};
    static uint64_t counts[] = {0, 0, 0};
    struct cli_result result = LINE(3, edges, counts);
    char *text = print(40, 1, 0, &result);
    assert_null(strstr(text, "█"));
    assert_null(strstr(text, "▁"));
    assert_non_null(strstr(text, "n 0"));
    result.axis[0].log = 1;
    result.axis[0].edges = edges + 1;
    result.axis[0].bins = 2;
    expect(30, 1, &result, "count\n  1 …  10 │0\n 10 … 100 │0\n2 bins · n 0 · below 0\nabove 0 · NaN 0\n");
}

/* One value among a million is far below an eighth of a row, but there. */
UNIT_TEST(what_is_not_zero_is_seen) {
    double edges[31];
    uint64_t counts[30] = {0};
    for (int i = 0; i < 31; i++)
        edges[i] = i;
    counts[7] = 1;
    counts[20] = 1000000;
    struct cli_result result = LINE(30, edges, counts, .n = 1000001);
    char *text = print(41, 1, 0, &result);
    /* Labels take 9 columns ("1,000,000"), the axis 2, and each bin one. */
    assert_non_null(strstr(text, "          │       ▁            █\n        0 ┼"));
    /* Rows show it too. */
    result.axis[0].bins = 8;
    text = print(80, 1, 0, &result);
    assert_non_null(strstr(text, "│█"));
}

UNIT_TEST(running_sums_and_densities_are_shown_where_asked_for) {
    static const double edges[] = {0, 0.5, 1};
    static uint64_t counts[] = {1, 3}, cumulative[] = {1, 4};
    static double density[] = {0.5, 1.5};
    struct cli_result result = LINE(2, edges, counts, .n = 4, .cumulative = cumulative);
    expect(30, 1, &result,
           "cumulative count\n"
           "  0 … 0.5 │████▎ 1\n"
           "0.5 …   1 │█████████████████ 4\n"
           "2 bins · n 4 · below 0\n"
           "above 0 · NaN 0\n");
    result.cumulative = NULL;
    result.density = density;
    char *text = print(30, 1, 0, &result);
    assert_non_null(strstr(text, "density\n"));
    assert_non_null(strstr(text, "█ 1.5\n"));
}

UNIT_TEST(a_name_cannot_play_with_the_terminal) {
    static const double edges[] = {0, 1};
    static uint64_t counts[] = {1};
    struct cli_result result = LINE(1, edges, counts, .title = "a\033[2J\n\xff\xc3\xa4.npy");
    char *text = print(60, 1, 0, &result);
    assert_memory_equal(text, "a?[2J??ä.npy · count\n", strlen("a?[2J??ä.npy · count\n"));
    text = print(60, 0, 0, &result);
    assert_memory_equal(text, "a?[2J???.npy - count\n", strlen("a?[2J???.npy - count\n"));
    result.title = "a-name-that-is-longer-than-the-line.npy";
    text = print(24, 1, 0, &result);
    assert_memory_equal(text, "a-name-that-is-… · count\n", strlen("a-name-that-is-… · count\n"));
}

/* Removes escape sequences that set colours. */
static void strip_colours(char *text) {
    char *to = text;
    for (const char *from = text; *from; from++) {
        if (*from == '\033') {
            from = strchr(from, 'm');
            assert_non_null(from);
        } else
            *to++ = *from;
    }
    *to = 0;
}

/* Every line is at most `width` characters of the right kind. */
static void check_lines(const char *text, size_t width, int utf8) {
    while (*text) {
        const char *end = strchr(text, '\n');
        assert_non_null(end);
        size_t characters = 0;
        for (const char *c = text; c < end; c++) {
            assert_true(utf8 || (*c >= ' ' && *c <= '~'));
            characters += ((unsigned char)*c & 0xc0) != 0x80;
        }
        if (characters > width)
            fail_msg("%zu characters in a line of %zu: %.*s", characters, width, (int)(end - text), text);
        text = end + 1;
    }
}

/* Random edges, non-decreasing: equal, uneven, over decades, with duplicates and infinities. */
static void random_histogram(uint64_t *random, size_t bins, double *edges, uint64_t *counts) {
    uint64_t kind = test_random_u64(random) % 4;
    double x = kind == 3 ? 1e-30 : -2 + test_random_f64(random) * (kind == 1 ? 1e9 : 1);
    for (size_t i = 0; i <= bins; i++) {
        edges[i] = x;
        if (kind == 3)
            x *= 1 + 3 * test_random_f64(random);
        else if (kind != 2 || test_random_u64(random) % 4 > 0)
            x += kind == 0 ? 0.25 : test_random_f64(random);
    }
    if (test_random_u64(random) % 3 == 0)
        edges[0] = (double)-INFINITY;
    if (test_random_u64(random) % 3 == 0)
        edges[bins] = (double)INFINITY;
    for (size_t i = 0; i < bins; i++)
        counts[i] = test_random_u64(random) >> (test_random_u64(random) % 64);
    for (size_t i = 0; i < bins; i++)
        counts[i] >>= 8;
}

UNIT_TEST(every_line_fits_every_width) {
    double edges[200];
    uint64_t counts[200], random = 3;
    for (unsigned i = 0; i < 3000; i++) {
        size_t bins = 1 + test_random_u64(&random) % (i % 2 ? 22 : 150);
        unsigned width = i % 10 ? 20 + i % 180 : 20;
        random_histogram(&random, bins, edges, counts);
        struct cli_result result =
            LINE(bins, edges, counts, .n = UINT64_MAX, .axis[0].flow = {UINT64_MAX, UINT64_MAX, UINT64_MAX},
                 .title = "data.npy", .axis[0].log = i % 3 == 0);
        for (int utf8 = 0; utf8 < 2; utf8++) {
            char *text = print(width, utf8, 0, &result), *coloured = print(width, utf8, 1, &result);
            /* "above 18,446,744,073,709,551,615" is wider than the narrowest lines and is never cut. */
            char *flow = strstr(text, "n 18,446");
            assert_non_null(flow);
            strip_colours(coloured);
            assert_string_equal(coloured, text);
            while (flow[-1] != '\n')
                flow--;
            *flow = 0;
            check_lines(text, width, utf8);
        }
        test_end_from(0);
    }
}

/* Returns 1 when it is a matter of rounding in which column a bin lies: it is very narrow and on the boundary of two,
 * or ends in the middle of one. */
static int is_ambiguous(size_t bins, const double *edges, size_t columns) {
    long double column = ((long double)edges[bins] - edges[0]) / columns;
    for (size_t i = 0; i < bins; i++) {
        long double position = ((long double)edges[i] - edges[0]) / column;
        if (fabsl(position - floorl(position) - 0.5L) < 1e-9L)
            return 1;
        if (edges[i + 1] - edges[i] < 1e-3L * column && fabsl(position - roundl(position)) < 1e-2L)
            return 1;
    }
    return 0;
}

/* Where an edge lies, in columns: where all bins are at least one wide, between two of them. */
static long double column_of(const double *edges, size_t bins, size_t edge, size_t columns, int whole) {
    long double at = ((long double)edges[edge] - edges[0]) / ((long double)edges[bins] - edges[0]) * columns;
    return whole ? roundl(at) : at;
}

/* The overlap of every bin with every column, as its definition says. */
UNIT_TEST(columns_hold_what_lies_over_them) {
    double edges[200];
    uint64_t counts[200], random = 7;
    int compared[2] = {0};
    for (unsigned i = 0; i < 2000; i++) {
        size_t bins = 1 + test_random_u64(&random) % (i % 2 ? 150 : 5), columns = 1 + test_random_u64(&random) % 64;
        random_histogram(&random, bins, edges, counts);
        if (isinf(edges[0]))
            edges[0] = edges[1] - 1;
        if (isinf(edges[bins]))
            edges[bins] = edges[bins - 1] + 1;
        if (edges[0] == edges[bins] || is_ambiguous(bins, edges, columns))
            continue;
        struct cli_result result = LINE(bins, edges, counts);
        struct cli_grid grid;
        assert_int_equal(cli_grid_make(&grid, &result, columns, 1, 0, CLI_HEAT_AUTO), 0);
        const int whole = grid.edge != NULL, equal = grid.view[0].equal;
        compared[whole]++;
        assert_string_equal(grid.label, !equal ? "count per unit width" : whole ? "count" : "mean count per bin");
        const long double range = (long double)edges[bins] - edges[0];
        long double all = 0;
        for (size_t j = 0; j < bins; j++) {
            all += counts[j];
            if (whole)
                assert_true(column_of(edges, bins, j + 1, columns, 0) - column_of(edges, bins, j, columns, 0) > 0.999L);
        }
        for (size_t c = 0; c < columns; c++) {
            long double expected = 0;
            for (size_t j = 0; j < bins; j++) {
                long double left = column_of(edges, bins, j, columns, whole);
                long double right = column_of(edges, bins, j + 1, columns, whole);
                long double overlap = fminl(right, c + 1) - fmaxl(left, c);
                /* As high as the whole bin, or as the part of it that lies here is. */
                long double width = whole ? (long double)edges[j + 1] - edges[j] : range / columns;
                long double part = right > left && overlap > 0 ? (whole ? 1 : overlap / (right - left))
                                   : right == left && left >= c && (left < c + 1 || c + 1 == columns) ? 1
                                                                                                      : 0;
                expected += part * counts[j] / (!equal ? width : whole ? 1 : (long double)bins / columns);
            }
            /* An edge within a millionth of a column of a boundary is moved onto it. */
            long double slack = all * 3e-6L * columns * bins / (equal ? bins : range);
            if (fabsl((long double)grid.value[c] - expected) > slack + 1e-9L * expected)
                fail_msg("column %zu of %zu: %g, expected %Lg", c, columns, grid.value[c], expected);
        }
        cli_grid_free(&grid);
    }
    assert_true(compared[0] > 300 && compared[1] > 300);
}

UNIT_TEST(a_full_output_is_an_error) {
    static const double edges[] = {0, 1};
    static uint64_t counts[] = {1};
    struct cli_result result = LINE(1, edges, counts);
    FILE *full = fopen("/dev/full", "w");
    if (!full)
        skip_because("no /dev/full here");
    setvbuf(full, NULL, _IONBF, 0);
    const struct cli_terminal terminal = {.out = full, .width = 40, .utf8 = 1};
    assert_int_equal(cli_display_print(&terminal, &result, CLI_HEAT_AUTO), -1);
    fclose(full);
}
