/* SPDX-License-Identifier: Apache-2.0 */
/* draw_result: shows results that test_display.py and test_pictures.py make. Reads requests from its standard input,
 * each a struct request and the arrays that it announces; answers each with a length in eight bytes and the bytes.
 * Works in its current folder, where it leaves a.png. */
#ifdef UNIHIST_CAIRO
#include <cairo.h>
#endif
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "api/cli/display/clusters.h"
#include "api/cli/display/frame.h"
#include "api/cli/display/progress.h"

enum { EDGES, EDGES_UP, COUNTS, CUMULATIVE, SUMS, MEANS, DEVIATIONS, DENSITY, ARRAYS };

struct request {
    char operation[16];
    double number[4];        /* what the operation takes */
    uint64_t length[ARRAYS]; /* of its arrays, in words of eight bytes */
    uint64_t naxes, storage, n, flow[3], log;
    char title[256], name[2][32];
};

static struct request request;
static void *array[ARRAYS];
static struct cli_result result;

static int take(void) {
    if (fread(&request, sizeof request, 1, stdin) != 1)
        return 0;
    for (int i = 0; i < ARRAYS; i++) {
        free(array[i]);
        array[i] = request.length[i] ? malloc(8 * request.length[i]) : NULL;
        if (array[i] && fread(array[i], 8, request.length[i], stdin) != request.length[i])
            exit(1);
    }
    result = (struct cli_result){.naxes = request.naxes,
                                 .storage = (uh_storage)request.storage,
                                 .counts = array[COUNTS],
                                 .cumulative = array[CUMULATIVE],
                                 .sums = array[SUMS],
                                 .means = array[MEANS],
                                 .deviations = array[DEVIATIONS],
                                 .density = array[DENSITY],
                                 .n = request.n,
                                 .title = *request.title ? request.title : NULL};
    for (size_t a = 0; a < 2; a++)
        result.axis[a] = (struct cli_axis){.bins = request.length[a] - 1,
                                           .edges = array[a],
                                           .name = *request.name[a] ? request.name[a] : NULL,
                                           .log = (int)(request.log >> a & 1)};
    result.axis[0].flow = (uh_flow){request.flow[0], request.flow[1], request.flow[2]};
    return 1;
}

static void answer(const void *data, size_t size) {
    fwrite(&size, sizeof size, 1, stdout);
    fwrite(data, 1, size, stdout);
}

static void answer_text(const char *text) { answer(text, strlen(text)); }

/* On a terminal of a width, of UTF-8 and colours or not; by a scale. */
static void print(void) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    const struct cli_terminal terminal = {.out = out,
                                          .width = (size_t)request.number[0],
                                          .utf8 = (int)request.number[1],
                                          .colour = (int)request.number[2]};
    if (!out || cli_display_print(&terminal, &result, (enum cli_heat_scale)request.number[3]) || fclose(out))
        exit(1);
    answer(text, size);
    free(text);
}

/* The pixels of a .png; nothing without cairo. */
static void decode(const char *path) {
#ifdef UNIHIST_CAIRO
    cairo_surface_t *surface = cairo_image_surface_create_from_png(path);
    const size_t stride = (size_t)cairo_image_surface_get_stride(surface);
    answer(cairo_image_surface_get_data(surface), stride * (size_t)cairo_image_surface_get_height(surface));
    cairo_surface_destroy(surface);
#else
    (void)path;
    answer("", 0);
#endif
}

static void draw(void) {
#ifdef UNIHIST_CAIRO
    if (cli_display_write("a.png", &result, (enum cli_heat_scale)request.number[0])) {
        fprintf(stderr, "%s\n", cli_error.text);
        exit(1);
    }
#endif
    decode("a.png");
}

/* Of a width and a height, even or not, by a scale: values; where edges lie, if they do; label and equal. */
static void grid(void) {
    struct cli_grid grid;
    cli_grid_make(&grid, &result, (size_t)request.number[0], (size_t)request.number[1], (int)request.number[2],
                  (enum cli_heat_scale)request.number[3]);
    answer(grid.value, grid.width * grid.height * sizeof *grid.value);
    answer(&(double[]){grid.edge != NULL, grid.view[0].equal}, 2 * sizeof(double));
    answer_text(grid.label);
    cli_grid_free(&grid);
}

/* Number of steps; scale, 1 if it diverges, 2 for clusters: the colours of shares. */
static void colours(void) {
    uint32_t rgb[256];
    const size_t steps = (size_t)request.number[0];
    for (size_t i = 0; i <= steps; i++)
        rgb[i] = request.number[1] == 2 ? cli_clusters_rgb((uint32_t)i)
                                        : cli_grid_rgb((double)i / (double)steps, (int)request.number[1]);
    answer(rgb, (steps + 1) * sizeof *rgb);
}

/* From, to, logarithmic (2: times), 8 x the maximum number of labels + flags: what labels have in common, positions and
 * labels. */
static void ticks(void) {
    struct cli_ticks ticks;
    char text[1 << 14] = "";
    size_t used = 0;
    const unsigned how = (unsigned)request.number[3];
    if (request.number[2] > 1)
        cli_ticks_make_times(&ticks, request.number[0], request.number[1], how / 8);
    else
        cli_ticks_make(&ticks, request.number[0], request.number[1], (int)request.number[2], how / 8, how % 8);
    answer_text(ticks.unit);
    for (size_t i = 0; i < ticks.count; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%.17g %s\n", ticks.tick[i].position,
                                 ticks.tick[i].major ? ticks.tick[i].label : "");
    answer_text(text);
}

/* A count with commas, a text's columns, a text cut to a number of columns, of UTF-8 or not. */
static void text(void) {
    char count[CLI_TEXT_COUNT_SIZE], clean[64], columns[32];
    cli_text_count(count, request.n);
    answer_text(count);
    snprintf(columns, sizeof columns, "%zu", cli_text_columns(request.title));
    answer_text(columns);
    cli_text_clean(clean, sizeof clean, request.title, (size_t)request.number[0], (int)request.number[1]);
    answer_text(clean);
}

/* Points (sums) with labels (counts) on cells of a width, a height and a radius: the number of votes of each, who wins,
 * and the range of the cells. */
static void raster(void) {
    const size_t n = request.length[COUNTS], cells = (size_t)(request.number[0] * request.number[1]);
    uint32_t *labels = malloc(n * sizeof *labels);
    const struct cli_rows rows = {
        .dtype = UH_F64, .data = array[SUMS], .n = n, .all = n, .width = 2, .names = {"x", "y"}};
    const uh_clusters_properties found = {.n = n, .dims = 2, .dtype = UH_F64, .labels = labels};
    const struct cli_clusters clusters = {.points = &rows, .found = &found, .shown = {0, 1}, .nshown = 2};
    struct cli_cloud cloud;
    struct cli_raster raster;
    for (size_t i = 0; labels && i < n; i++)
        labels[i] = (uint32_t)((uint64_t *)array[COUNTS])[i];
    if (!labels || cli_cloud_make(&cloud, &clusters))
        exit(1);
    cli_raster_make(&raster, &cloud, (size_t)request.number[0], (size_t)request.number[1], (int)request.number[2]);
    answer(raster.first, (cells + 1) * sizeof *raster.first);
    answer(raster.winner, cells * sizeof *raster.winner);
    answer(&(double[]){cloud.low[0], cloud.low[1], cloud.high[0], cloud.high[1], (double)raster.fullest},
           5 * sizeof(double));
    cli_raster_free(&raster);
    free(cloud.dot);
    free(labels);
}

static void decode_title(void) { decode(request.title); }

/* Milliseconds, then in each the number of updates, of a work of n bytes on standard error, which end at the flow. */
static void progress(void) {
    struct cli_progress *shown = cli_progress_start(stderr, request.title, request.n, "B", 0);
    const struct timespec pause = {0, 1000000};
    for (int at = 0; at < (int)request.number[0]; at++) {
        (void)nanosleep(&pause, NULL);
        for (int i = 0; i < (int)request.number[1]; i++)
            cli_progress_update(shown, request.flow[0]);
    }
    cli_progress_update(shown, request.flow[0]);
    cli_progress_finish(shown);
    answer(&(uint8_t){shown != NULL}, 1);
}

int main(void) {
    static const struct {
        const char *name;
        void (*act)(void);
    } operations[] = {{"print", print}, {"draw", draw},       {"decode", decode_title},
                      {"grid", grid},   {"colours", colours}, {"ticks", ticks},
                      {"text", text},   {"raster", raster},   {"progress", progress}};
    while (take())
        for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
            if (strcmp(operations[i].name, request.operation) == 0)
                operations[i].act();
    for (int i = 0; i < ARRAYS; i++)
        free(array[i]);
    return fflush(stdout) == 0 ? 0 : 1;
}
