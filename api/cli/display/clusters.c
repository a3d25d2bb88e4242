/* SPDX-License-Identifier: Apache-2.0 */
/* Clusters on a terminal: a picture in characters, and a table. */
#include "api/cli/display/clusters.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/cli/display/display.h"
#include "api/cli/display/ticks.h"
#include "api/cli/output/output.h"

#define LISTED   20 /* clusters */
#define ROWS     18 /* of the picture */
#define COLUMNS  72
#define NUMBER   13 /* width of a coordinate */
#define FIXED    26 /* width of the columns before them */
#define MIN_ROOM 20
#define MAX_UP   5

unsigned cli_clusters_rgb(uint32_t label) {
    static const unsigned colours[CLI_CLUSTER_COLOURS] = {0x3b78b4, 0xe0801f, 0x3f9a4a, 0xc8403f, 0x8763b5,
                                                          0x17a2a8, 0xd673b4, 0x8a5a44, 0xa69b2d, 0x5d6b7a};
    return colours[label % CLI_CLUSTER_COLOURS];
}

void cli_clusters_words(char *text, size_t size, const struct cli_clusters *clusters, const char *between) {
    const uh_clusters_properties *found = clusters->found;
    char points[CLI_TEXT_COUNT_SIZE], count[CLI_TEXT_COUNT_SIZE], sigma[40] = "";
    cli_text_count(points, clusters->points->all);
    cli_text_count(count, found->clusters);
    if (clusters->options->kernel == UH_KERNEL_GAUSSIAN)
        snprintf(sigma, sizeof sigma, ", sigma %.5g", found->sigma);
    snprintf(text, size, "%s cluster%s of %s points%s%s%s, radius %.5g%s%s, iterations: %zu", count,
             found->clusters == 1 ? "" : "s", points, between,
             uh_enum_name(UH_ENUM_DENSITY_KERNEL, clusters->options->kernel), sigma, found->radius, between,
             uh_enum_name(UH_ENUM_MEAN_SHIFT_ALGORITHM, clusters->options->algorithm), found->iterations);
}

/* ---- picture in characters --------------------------------------------------------------------------------------- */

/* A cluster is shown as its digit, or as a plus from 10 on. */
static void print_cells(const struct cli_terminal *terminal, const uint32_t *labels, size_t n) {
    unsigned code = 0;
    for (size_t i = 0; i < n; i++) {
        const unsigned own = labels[i] == CLI_RASTER_EMPTY ? code : cli_terminal_code(cli_clusters_rgb(labels[i]));
        if (terminal->colour && own != code)
            fprintf(terminal->out, "\033[38;5;%um", code = own);
        fputc(labels[i] == CLI_RASTER_EMPTY     ? ' '
              : labels[i] < CLI_CLUSTER_COLOURS ? '0' + (int)labels[i]
                                                : '+',
              terminal->out);
    }
    cli_terminal_end(terminal);
}

static const char *label_at(const struct cli_ticks *ticks, size_t row) {
    for (const struct cli_tick *tick = ticks->tick; tick < ticks->tick + ticks->count; tick++)
        if (tick->major && (size_t)lround((1 - tick->position) * (ROWS - 1)) == row)
            return tick->label;
    return "";
}

/* Prints the ends of the horizontal axis, and its name between them. */
static void print_below(const struct cli_terminal *terminal, const struct cli_cloud *cloud, size_t left, size_t width) {
    char low[40], high[40];
    const char *name = cloud->clusters->points->names[cloud->clusters->shown[0]];
    cli_terminal_style(terminal, CLI_DIM);
    fprintf(terminal->out, "%*s%s", (int)left, "", terminal->utf8 ? "└" : "+");
    for (size_t i = 0; i < width; i++)
        fputs(terminal->utf8 ? "─" : "-", terminal->out);
    cli_terminal_end(terminal);
    cli_terminal_style(terminal, CLI_DIM);
    const size_t used = (size_t)snprintf(low, sizeof low, "%.4g", cloud->low[0]);
    const size_t after = (size_t)snprintf(high, sizeof high, "%.4g", cloud->high[0]);
    char clean[128];
    const size_t room = width > used + after + 2 ? width - used - after - 2 : 0;
    cli_text_clean(clean, sizeof clean, name, room, terminal->utf8);
    const size_t blank = width - used - after - cli_text_columns(clean);
    fprintf(terminal->out, "%*s%s%*s%s%*s%s", (int)left + 1, "", low, (int)(blank / 2), "", clean,
            (int)(blank - blank / 2), "", high);
    cli_terminal_end(terminal);
}

static int print_picture(const struct cli_terminal *terminal, const struct cli_clusters *clusters,
                         struct cli_error *error) {
    struct cli_cloud cloud;
    struct cli_raster raster = {.first = NULL};
    struct cli_ticks up;
    size_t left = 0;
    int result = cli_cloud_make(&cloud, clusters, error);
    cli_ticks_make(&up, cloud.low[1], cloud.high[1], 0, MAX_UP, terminal->utf8 ? CLI_TICKS_UTF8 : 0u);
    for (size_t row = 0; row < ROWS; row++)
        left = cli_text_columns(label_at(&up, row)) > left ? cli_text_columns(label_at(&up, row)) : left;
    const size_t room = terminal->width > left + 2 + MIN_ROOM ? terminal->width - left - 2 : MIN_ROOM;
    const size_t width = room < COLUMNS ? room : COLUMNS;
    if (result == 0 && cli_raster_make(&raster, &cloud, width, ROWS, 0))
        result = cli_fail(error, "out of memory for the picture");
    for (size_t row = 0; row < ROWS && result == 0; row++) {
        const char *label = label_at(&up, row);
        size_t end = width;
        while (end > 0 && raster.winner[row * width + end - 1] == CLI_RASTER_EMPTY)
            end--;
        cli_terminal_style(terminal, CLI_DIM);
        fprintf(terminal->out, "%*s%s%s", (int)(left - cli_text_columns(label)), "", label,
                *label           ? terminal->utf8 ? "┤" : "+"
                : terminal->utf8 ? "│"
                                 : "|");
        cli_terminal_style(terminal, CLI_NORMAL);
        print_cells(terminal, raster.winner + row * width, end);
    }
    if (result == 0)
        print_below(terminal, &cloud, left, width);
    cli_raster_free(&raster);
    cli_cloud_free(&cloud);
    return result;
}

/* ---- table ------------------------------------------------------------------------------------------------------- */

static void print_head(const struct cli_terminal *terminal, const struct cli_clusters *clusters, size_t coordinates) {
    char name[64];
    cli_terminal_style(terminal, CLI_DIM);
    fprintf(terminal->out, "%5s %11s %7s", "#", "points", "share");
    for (size_t a = 0; a < coordinates; a++) {
        cli_text_clean(name, sizeof name, clusters->points->names[a], NUMBER - 1, terminal->utf8);
        fprintf(terminal->out, "%*s%s", NUMBER - (int)cli_text_columns(name), "", name);
    }
    cli_terminal_end(terminal);
}

/* Prints as many coordinates as fit. */
static void print_table(const struct cli_terminal *terminal, const struct cli_clusters *clusters) {
    const uh_clusters_properties *found = clusters->found;
    const size_t room = terminal->width > FIXED + NUMBER ? (terminal->width - FIXED) / NUMBER : 1;
    const size_t coordinates = found->dims < room ? found->dims : room;
    const size_t listed = found->clusters < LISTED ? found->clusters : LISTED;
    const char *more = coordinates == found->dims ? "" : terminal->utf8 ? " …" : " ..";
    char count[CLI_TEXT_COUNT_SIZE];
    uint64_t rest = clusters->points->all;
    print_head(terminal, clusters, coordinates);
    for (size_t i = 0; i < listed; i++) {
        cli_text_count(count, found->counts[i]);
        fprintf(terminal->out, "%5zu %11s %6.2f%%", i, count,
                100 * (double)found->counts[i] / (double)clusters->points->all);
        for (size_t a = 0; a < coordinates; a++)
            fprintf(terminal->out, "%*.6g", NUMBER, found->centroids[i * found->dims + a]);
        fprintf(terminal->out, "%s\n", more);
        rest -= found->counts[i];
    }
    if (listed == found->clusters)
        return;
    cli_text_count(count, rest);
    fprintf(terminal->out, "and %zu more of %s point%s\n", found->clusters - listed, count, rest == 1 ? "" : "s");
}

int cli_display_clusters_print(const struct cli_terminal *terminal, const struct cli_clusters *clusters,
                               struct cli_error *error) {
    if (clusters->nshown > 1 && print_picture(terminal, clusters, error))
        return -1;
    print_table(terminal, clusters);
    return 0;
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

void cli_clusters_print_lines(const uh_clusters_properties *found) {
    char number[CLI_OUTPUT_NUMBER_SIZE];
    for (size_t i = 0; i < found->clusters; i++) {
        printf("%zu %" PRIu64, i, found->counts[i]);
        for (size_t a = 0; a < found->dims; a++) {
            cli_output_number(number, found->centroids[i * found->dims + a]);
            printf(" %s", number);
        }
        putchar('\n');
    }
}

void cli_clusters_print_words(const struct cli_terminal *terminal, const struct cli_clusters *clusters, int all) {
    const uh_clusters_properties *found = clusters->found;
    const double seconds = (double)found->total_ns / 1e9;
    char text[400];
    cli_clusters_words(text, sizeof text, clusters, terminal->utf8 ? " · " : " | ");
    printf("%s%s\n", terminal->is_terminal ? "\n" : "", text);
    printf("%s in %.3f s, %.3g pairs, %.3g per second\n",
           found->end == UH_MEAN_SHIFT_CONVERGED ? "converged" : "not converged", seconds, (double)found->interactions,
           seconds > 0 ? (double)found->interactions / seconds : 0);
    printf("%s, %s", clusters->device, uh_enum_name(UH_ENUM_DTYPE, found->dtype));
    if (clusters->threads)
        printf(", threads: %" PRIu32, clusters->threads);
    putchar('\n');
    if (!all)
        return;
    if (clusters->quantile > 0)
        printf("bandwidth  estimated, quantile %g\n", clusters->quantile);
    printf("delta      %.9g, %s\n", found->delta,
           uh_enum_name(UH_ENUM_MEAN_SHIFT_REDUCTION, clusters->options->reduction));
    printf("plan       %s\n", clusters->plan);
    printf("sums       %.3f s\n", (double)found->kernel_ns / 1e9);
    printf("in all     %.3f s\n", clusters->seconds);
}
