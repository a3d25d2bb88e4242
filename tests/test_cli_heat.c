/* SPDX-License-Identifier: Apache-2.0 */
/* Heat maps: colours that anybody tells apart, cells where their edges say, pictures decoded and looked at. */
#include "tests/cli_picture.h"

#include "api/cli/display/grid.h"

/* The map's inside: found by the longest lines of the frame's colour. */
struct box {
    int left, top, right, bottom; /* the last two are beyond it */
};
static struct box map, bar; /* of the last picture that draw_map drew: the map, and the bar of colours beside it */

static int is_axis(int x, int y) {
    return pixels[y][x] == CLI_RGB_AXIS;
}

/* Vertical lines of at least 500 pixels: two beside the map, then two beside the bar of colours. */
static void find_frames(void) {
    int at[8] = {0}, lines = 0, top = 0, bottom = 0;
    for (int x = 0; x < WIDTH; x++) {
        int run = 0, best = 0, end = 0;
        for (int y = 0; y < HEIGHT; y++) {
            run = is_axis(x, y) ? run + 1 : 0;
            if (run > best) {
                best = run;
                end = y;
            }
        }
        if (best < 500)
            continue;
        if (lines > 0 && x - at[lines - 1] <= 3) {
            if (lines % 2 == 1)
                at[lines - 1] = x; /* the inner side of a line on the left */
            continue;
        }
        assert_true(lines < 8);
        at[lines++] = x;
        top = end - best + 1;
        bottom = end;
    }
    assert_int_equal(lines, 4);
    int x = (at[0] + at[1]) / 2;
    while (is_axis(x, top))
        top++;
    while (is_axis(x, bottom))
        bottom--;
    map = (struct box){at[0] + 1, top, at[1], bottom + 1};
    bar = (struct box){at[2] + 1, top, at[3], bottom + 1};
}

static void draw_map(const struct cli_result *result, enum cli_heat_scale scale) {
    picture_draw(result, scale);
    find_frames();
}

/* The colour at a share of the width from the left, and of the height from the bottom. */
static unsigned at(const struct box *box, double x, double y) {
    return pixels[box->bottom - 1 - (int)(y * (box->bottom - box->top))]
                 [box->left + (int)(x * (box->right - box->left))];
}

static struct cli_result make(size_t n0, const double *edges0, size_t n1, const double *edges1, uint64_t *counts) {
    struct cli_result result = {
        .naxes = 2,
        .axis = {{.bins = n0, .edges = edges0, .name = "x.npy"}, {.bins = n1, .edges = edges1, .name = "y.npy"}},
        .counts = counts,
        .title = "x.npy, y.npy"};
    for (size_t i = 0; counts && i < n0 * n1; i++)
        result.n += counts[i];
    return result;
}

/* ---- colours ---------------------------------------------------------------------------------------------------- */

static void to_linear(unsigned rgb, double linear[3]) {
    for (int i = 0; i < 3; i++) {
        double value = (double)(rgb >> (16 - 8 * i) & 255) / 255;
        linear[i] = value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4);
    }
}

/* CIE 1976 L*a*b* of linear sRGB, white D65 (IEC 61966-2-1, ISO 11664-4): another space than the colours come from. */
static void to_lab(const double linear[3], double lab[3]) {
    static const double matrix[3][3] = {{0.4124, 0.3576, 0.1805}, {0.2126, 0.7152, 0.0722}, {0.0193, 0.1192, 0.9505}};
    static const double white[3] = {0.95047, 1, 1.08883};
    double f[3];
    for (int i = 0; i < 3; i++) {
        double x = (matrix[i][0] * linear[0] + matrix[i][1] * linear[1] + matrix[i][2] * linear[2]) / white[i];
        f[i] = x > 216.0 / 24389 ? cbrt(x) : (24389.0 / 27 * x + 16) / 116;
    }
    lab[0] = 116 * f[1] - 16;
    lab[1] = 500 * (f[0] - f[1]);
    lab[2] = 200 * (f[1] - f[2]);
}

/* As seen without red or without green receptors: Machado, Oliveira, Fernandes, IEEE TVCG 15 (2009), severity 1. */
static void lab_of(unsigned rgb, int kind, double lab[3]) {
    static const double matrices[3][3][3] = {
        {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
        {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
        {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}};
    double linear[3], seen[3];
    to_linear(rgb, linear);
    for (int i = 0; i < 3; i++) {
        const double *row = matrices[kind][i];
        seen[i] = fmin(fmax(row[0] * linear[0] + row[1] * linear[1] + row[2] * linear[2], 0), 1);
    }
    to_lab(seen, lab);
}

static double distance(const double a[3], const double b[3]) {
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

UNIT_TEST(colours_darken_evenly_for_every_eye) {
    enum { STEPS = 16 };
    for (int kind = 0; kind < 3; kind++) {
        double before[3], lab[3], min = INFINITY, max = 0;
        lab_of(cli_grid_rgb(0, 0), kind, before);
        for (int i = 1; i <= STEPS; i++) {
            lab_of(cli_grid_rgb((double)i / STEPS, 0), kind, lab);
            assert_true(lab[0] < before[0] - 2);
            double step = distance(lab, before);
            min = fmin(min, step);
            max = fmax(max, step);
            memcpy(before, lab, sizeof lab);
        }
        /* Spaces of colours differ by such a factor over where steps are equal. */
        assert_true(min > 4 && max < 2.5 * min);
    }
}

UNIT_TEST(colours_that_diverge_differ_in_sign_for_every_eye) {
    for (int kind = 0; kind < 3; kind++) {
        double middle[3], before[2][3], low[3], high[3];
        lab_of(cli_grid_rgb(0.5, 1), kind, middle);
        memcpy(before[0], middle, sizeof middle);
        memcpy(before[1], middle, sizeof middle);
        assert_true(middle[0] > 90);
        for (int i = 1; i <= 8; i++) {
            lab_of(cli_grid_rgb(0.5 - i / 16.0, 1), kind, low);
            lab_of(cli_grid_rgb(0.5 + i / 16.0, 1), kind, high);
            assert_true(low[0] < before[0][0] - 4 && high[0] < before[1][0] - 4);
            assert_true(i < 3 || distance(low, high) > 15);
            memcpy(before[0], low, sizeof low);
            memcpy(before[1], high, sizeof high);
        }
    }
}

/* ---- pictures --------------------------------------------------------------------------------------------------- */

UNIT_TEST(a_peak_is_where_it_is) {
    enum { N0 = 20, N1 = 10 };
    double edges0[N0 + 1], edges1[N1 + 1];
    uint64_t counts[N0 * N1] = {0};
    for (int i = 0; i <= N0; i++)
        edges0[i] = i;
    for (int i = 0; i <= N1; i++)
        edges1[i] = -5 + i;
    counts[3 * N1 + 8] = 1000; /* x from 3 to 4, y from 3 to 4 */
    counts[15 * N1 + 1] = 500;
    struct cli_result result = make(N0, edges0, N1, edges1, counts);
    draw_map(&result, CLI_HEAT_LINEAR);
    assert_true(map.right - map.left > 900 && map.bottom - map.top > 700);
    int dark = 0;
    for (int y = map.top; y < map.bottom; y++)
        for (int x = map.left; x < map.right; x++) {
            double px = (x - map.left + 0.5) / (map.right - map.left) * N0;
            double py = (map.bottom - y - 0.5) / (map.bottom - map.top) * N1;
            /* Edges lie between two pixels: within half a one of where they are. */
            int edge = fabs(px - round(px)) < 0.55 * N0 / (map.right - map.left) ||
                       fabs(py - round(py)) < 0.55 * N1 / (map.bottom - map.top);
            int i = (int)px, j = (int)py;
            unsigned expected = i == 3 && j == 8    ? cli_grid_rgb(1, 0)
                                : i == 15 && j == 1 ? cli_grid_rgb(0.5, 0)
                                                    : CLI_RGB_PAPER;
            if (!edge)
                assert_int_equal(pixels[y][x], expected);
            dark += pixels[y][x] == cli_grid_rgb(1, 0);
        }
    double cell = (double)(map.right - map.left) / N0 * (map.bottom - map.top) / N1;
    assert_true(fabs(dark - cell) < 0.05 * cell);
    /* The bar of colours: the highest on top, the lowest at the bottom. */
    assert_int_equal(at(&bar, 0.5, 0.9999), cli_grid_rgb(1, 0));
    assert_int_equal(at(&bar, 0.5, 0), cli_grid_rgb(0, 0));
}

UNIT_TEST(uneven_cells_have_their_extents_and_show_their_density) {
    static const double edges0[] = {0, 1, 10}, edges1[] = {0, 8, 10};
    static uint64_t counts[] = {80, 20, 720, 90}; /* densities 10, 10; 10, 5 */
    struct cli_result result = make(2, edges0, 2, edges1, counts);
    draw_map(&result, CLI_HEAT_LINEAR);
    assert_int_equal(at(&map, 0.05, 0.4), cli_grid_rgb(1, 0));
    assert_int_equal(at(&map, 0.05, 0.9), cli_grid_rgb(1, 0));
    assert_int_equal(at(&map, 0.5, 0.79), cli_grid_rgb(1, 0));
    assert_int_equal(at(&map, 0.5, 0.81), cli_grid_rgb(0.5, 0));
    assert_int_equal(at(&map, 0.11, 0.9), cli_grid_rgb(0.5, 0));
    assert_int_equal(at(&map, 0.09, 0.9), cli_grid_rgb(1, 0));
}

UNIT_TEST(logarithmic_colours_show_what_linear_ones_hide) {
    static const double edges0[] = {0, 1, 2, 3, 4}, edges1[] = {0, 1};
    static uint64_t counts[] = {1, 10, 100, 10000};
    struct cli_result result = make(4, edges0, 1, edges1, counts);
    for (int automatic = 0; automatic < 2; automatic++) {
        draw_map(&result, automatic ? CLI_HEAT_AUTO : CLI_HEAT_LOG);
        for (int i = 0; i < 4; i++)
            assert_int_equal(at(&map, (i + 0.5) / 4, 0.5), cli_grid_rgb(log10((double)counts[i]) / 4, 0));
    }
    draw_map(&result, CLI_HEAT_LINEAR);
    for (int i = 0; i < 4; i++)
        assert_int_equal(at(&map, (i + 0.5) / 4, 0.5), cli_grid_rgb((double)counts[i] / 10000, 0));
}

UNIT_TEST(decades_are_equally_wide) {
    static const double edges0[] = {1, 10, 100, 1000, 10000}, edges1[] = {0, 1};
    static uint64_t counts[] = {4, 0, 2, 3};
    struct cli_result result = make(4, edges0, 1, edges1, counts);
    result.axis[0].log = 1;
    draw_map(&result, CLI_HEAT_LINEAR);
    for (int i = 0; i < 4; i++)
        assert_int_equal(at(&map, (i + 0.5) / 4, 0.5),
                         counts[i] ? cli_grid_rgb((double)counts[i] / 4, 0) : CLI_RGB_PAPER);
}

UNIT_TEST(sums_below_zero_have_colours_of_their_own) {
    static const double edges0[] = {0, 1, 2, 3, 4, 5}, edges1[] = {0, 1};
    double sums[] = {-4, 2, 0, 4, NAN};
    struct cli_result result = make(5, edges0, 1, edges1, NULL);
    result.storage = UH_STORAGE_SUM;
    result.sums = sums;
    draw_map(&result, CLI_HEAT_AUTO);
    assert_int_equal(at(&map, 0.1, 0.5), cli_grid_rgb(0, 1));
    assert_int_equal(at(&map, 0.3, 0.5), cli_grid_rgb(0.75, 1));
    assert_int_equal(at(&map, 0.5, 0.5), CLI_RGB_PAPER);
    assert_int_equal(at(&map, 0.7, 0.5), cli_grid_rgb(1, 1));
    assert_int_equal(at(&map, 0.9, 0.5), CLI_RGB_NAN);
}

UNIT_TEST(means_are_those_of_the_cells) {
    static const double edges0[] = {0, 1, 3}, edges1[] = {0, 1, 2};
    double means[] = {-1, 3, NAN, 1}, deviations[4] = {0};
    static uint64_t counts[] = {5, 1, 0, 700};
    struct cli_result result = make(2, edges0, 2, edges1, counts);
    result.storage = UH_STORAGE_MEAN;
    result.means = means;
    result.deviations = deviations;
    draw_map(&result, CLI_HEAT_AUTO);
    assert_int_equal(at(&map, 0.1, 0.2), cli_grid_rgb(0, 0));
    assert_int_equal(at(&map, 0.1, 0.8), cli_grid_rgb(1, 0));
    assert_int_equal(at(&map, 0.7, 0.2), CLI_RGB_PAPER);
    assert_int_equal(at(&map, 0.7, 0.8), cli_grid_rgb(0.5, 0));
}

/* ---- the grid --------------------------------------------------------------------------------------------------- */

UNIT_TEST(cells_smaller_than_a_point_are_added_up_by_area) {
    enum { N = 3000, POINTS = 100 };
    double *edges = test_memory((N + 1) * sizeof *edges); /* the first 31 are the other axis's too */
    uint64_t *counts = test_memory((size_t)N * 30 * sizeof *counts);
    for (int i = 0; i <= N; i++)
        edges[i] = i;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < 30; j++)
            counts[i * 30 + j] = (uint64_t)(i / 30);
    struct cli_grid grid;
    struct cli_result result = make(N, edges, 30, edges, counts);
    assert_int_equal(cli_grid_make(&grid, &result, POINTS, 20, 0, CLI_HEAT_LINEAR), 0);
    assert_null(grid.edge);
    for (size_t y = 0; y < 20; y++)
        for (size_t x = 0; x < POINTS; x++)
            assert_true(fabs(grid.value[y * POINTS + x] - (double)x) < 1e-9);
    cli_grid_free(&grid);
    /* 64 points of 46.875 bins each: what the grid shows, times the cells of a point, adds up to everything. */
    assert_int_equal(cli_grid_make(&grid, &result, 64, 7, 0, CLI_HEAT_LINEAR), 0);
    double sum = 0;
    for (size_t i = 0; i < 64 * 7; i++)
        sum += grid.value[i] * N / 64 * 30 / 7;
    assert_true(fabs(sum - (double)result.n) < 1e-6 * sum);
    cli_grid_free(&grid);
}

UNIT_TEST(hostile_edges_are_drawn) {
    uint64_t counts[16];
    for (size_t i = 0; i < 16; i++)
        counts[i] = i == 5 ? UINT64_MAX : i;
    double sums[16] = {INFINITY, -INFINITY, NAN, 1e308, -1e308, 1e308, 1e308, 0, 5e-324};
    for (size_t i = 0; i < HOSTILE; i++)
        for (size_t kind = test_is_coarse() ? (i + test_turn()) % 4 : 0; kind < 4; kind += test_is_coarse() ? 4 : 1) {
            struct cli_result result = make(4, hostile_edges[i], 4, hostile_edges[(i + 3) % HOSTILE], counts);
            result.axis[0].log = kind & 1;
            result.axis[1].name = "bad \xff name \x01";
            if (kind & 2) {
                result.storage = UH_STORAGE_SUM;
                result.counts = NULL;
                result.sums = sums;
            }
            picture_draw(&result, kind & 1 ? CLI_HEAT_LOG : CLI_HEAT_AUTO);
            for (int y = 0; y < HEIGHT; y++)
                assert_int_equal(pixels[y][WIDTH - 4], CLI_RGB_PAPER);
        }
}

UNIT_TEST(nothing_makes_an_empty_map) {
    static const double edges[] = {0, 1, 2};
    static uint64_t counts[4] = {0};
    struct cli_result result = make(2, edges, 2, edges, counts);
    draw_map(&result, CLI_HEAT_AUTO);
    for (int y = map.top; y < map.bottom; y++)
        for (int x = map.left; x < map.right; x++)
            assert_int_equal(pixels[y][x], CLI_RGB_PAPER);
}

/* ---- on the terminal -------------------------------------------------------------------------------------------- */

static char *print(const struct cli_result *result, unsigned width, int utf8, int colour, enum cli_heat_scale scale) {
    struct printed printed;
    printed_begin(&printed, width, utf8, colour);
    assert_int_equal(cli_display_print(&printed.terminal, result, scale), 0);
    return printed_end(&printed);
}

UNIT_TEST(terminal_map_in_ascii) {
    static const double edges0[] = {0, 1, 2, 3, 4}, edges1[] = {0, 1, 2};
    static uint64_t counts[] = {9, 0, 0, 0, 0, 3, 0, 5};
    struct cli_result result = make(4, edges0, 2, edges1, counts);
    char *text = print(&result, 20, 0, 0, CLI_HEAT_LINEAR);
    static const char expected[] = "count: y.npy (up)...\n"
                                   "2 +        ====****\n"
                                   "  |        ====****\n"
                                   "  |        ====****\n"
                                   "  |        ====****\n"
                                   "  |@@@@\n"
                                   "  |@@@@\n"
                                   "  |@@@@\n"
                                   "  |@@@@\n"
                                   "0 +-------+-------+\n"
                                   "  0       2       4\n";
    assert_memory_equal(text, expected, sizeof expected - 1);
    assert_non_null(strstr(text, "\n4 x 2 bins | n 17"));
}

UNIT_TEST(terminal_map_never_passes_the_width) {
    static const double edges0[] = {0, 1, 3, 7, 100000}, edges1[] = {-1e-9, 1, 2};
    static uint64_t counts[] = {9, 0, 0, 0, 0, 3, 0, UINT64_MAX};
    struct cli_result result = make(4, edges0, 2, edges1, counts);
    for (unsigned width = 20; width <= 200; width += 9) {
        char *text = print(&result, width, 0, 0, CLI_HEAT_AUTO);
        for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
            assert_true(strlen(line) <= width);
    }
}

UNIT_TEST(terminal_map_in_colour_ends_every_colour) {
    static const double edges[] = {0, 1, 2};
    static uint64_t counts[] = {1, 0, 2, 3};
    struct cli_result result = make(2, edges, 2, edges, counts);
    char *text = print(&result, 60, 1, 1, CLI_HEAT_AUTO);
    assert_non_null(strstr(text, "▀"));
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        char *last = NULL;
        for (char *code = line; (code = strstr(code, "\033[")); code++)
            last = code;
        if (last)
            assert_memory_equal(last, "\033[0m", 4);
    }
}

TEST_AROUND(test_cli_heat, files_setup, files_teardown)
