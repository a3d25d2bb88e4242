/* SPDX-License-Identifier: Apache-2.0 */
/* Points of clusters on a grid, and what is said about clusters. */
#include "api/cli/display/clusters.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/cli/extent.h"
#include "api/cli/group.h"
#include "api/cli/output/output.h"

#define ROOM 0.04 /* around all points, as a fraction of their range */

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

static double coordinate_of(const struct cli_clusters *clusters, size_t point, size_t shown) {
    const struct cli_rows *points = clusters->points;
    if (shown >= clusters->nshown)
        return 0;
    const size_t at = point * points->width + clusters->shown[shown];
    return points->dtype == UH_F32 ? (double)((const float *)points->data)[at] : ((const double *)points->data)[at];
}

double cli_cloud_centroid(const struct cli_cloud *cloud, size_t cluster, size_t shown) {
    const struct cli_clusters *clusters = cloud->clusters;
    return shown < clusters->nshown
               ? clusters->found->centroids[cluster * clusters->found->dims + clusters->shown[shown]]
               : 0;
}

static int find_ends(struct cli_cloud *cloud) {
    for (size_t shown = 0; shown < 2; shown++) {
        double low = INFINITY, high = -INFINITY;
        for (size_t i = 0; i < cloud->clusters->points->n; i++) {
            low = fmin(low, coordinate_of(cloud->clusters, i, shown));
            high = fmax(high, coordinate_of(cloud->clusters, i, shown));
        }
        if (cli_extremes_join(&low, &high))
            return -1;
        const double room = low < high ? ROOM * (high - low) : fmax(0.5, fabs(low) / 1000);
        cloud->low[shown] = low - room;
        cloud->high[shown] = high + room;
    }
    return 0;
}

static void add_local(struct cli_cloud *cloud, size_t drawn) {
    const struct cli_clusters *clusters = cloud->clusters;
    const struct cli_rows *points = clusters->points;
    const double each = (double)points->all / (double)drawn;
    for (size_t i = 0; i < drawn; i++) {
        const uint64_t number = drawn == points->all ? i : (uint64_t)((double)i * each);
        if (number < points->first || number - points->first >= points->n)
            continue;
        const size_t own = (size_t)(number - points->first);
        cloud->dot[cloud->drawn++] =
            (struct cli_dot){.at = {coordinate_of(clusters, own, 0), coordinate_of(clusters, own, 1)},
                             .label = clusters->found->labels[own]};
    }
}

static int add_remote(void *context, const void *dots, size_t n) {
    struct cli_cloud *cloud = context;
    memcpy(cloud->dot + cloud->drawn, dots, n * sizeof *cloud->dot);
    cloud->drawn += n;
    return 0;
}

int cli_cloud_make(struct cli_cloud *cloud, const struct cli_clusters *clusters) {
    const struct cli_rows *points = clusters->points;
    const size_t drawn = points->all < CLI_RASTER_POINTS ? (size_t)points->all : CLI_RASTER_POINTS;
    const size_t room = cli_group_is_first() || points->n > drawn ? drawn : points->n;
    *cloud = (struct cli_cloud){.clusters = clusters};
    cloud->dot = cli_have(malloc((room ? room : 1) * sizeof *cloud->dot));
    add_local(cloud, drawn);
    return find_ends(cloud) ? -1 : cli_group_collect(cloud->dot, cloud->drawn, sizeof *cloud->dot, add_remote, cloud);
}

static int by_label(const void *left, const void *right) {
    const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

/* Returns the most frequent of ascending labels; the first of equals. */
static uint32_t most_frequent(const uint32_t *vote, size_t n) {
    uint32_t winner = CLI_RASTER_EMPTY;
    for (size_t i = 0, maximum = 0, next; i < n; i = next) {
        for (next = i + 1; next < n && vote[next] == vote[i]; next++) {
        }
        if (next - i <= maximum)
            continue;
        maximum = next - i;
        winner = vote[i];
    }
    return winner;
}

static size_t cell_of(double value, double low, double high, size_t cells) {
    const double at = (value / 2 - low / 2) / (high / 2 - low / 2) * (double)cells;
    return at > 0 ? (at < (double)cells ? (size_t)at : cells - 1) : 0;
}

/* Counts the votes or, if `places` has the next index of each cell, stores them there. */
static void vote_all(struct cli_raster *raster, const struct cli_cloud *cloud, int radius, size_t *places) {
    const long width = (long)raster->width, height = (long)raster->height;
    for (const struct cli_dot *dot = cloud->dot; dot < cloud->dot + cloud->drawn; dot++) {
        const long x = (long)cell_of(dot->at[0], cloud->low[0], cloud->high[0], raster->width);
        const long y = height - 1 - (long)cell_of(dot->at[1], cloud->low[1], cloud->high[1], raster->height);
        for (long up = -radius; up <= radius; up++)
            for (long across = -radius; across <= radius; across++) {
                if (up * up + across * across > (long)radius * radius || x + across < 0 || x + across >= width ||
                    y + up < 0 || y + up >= height)
                    continue;
                const size_t cell = (size_t)((y + up) * width + x + across);
                if (places)
                    raster->vote[places[cell]++] = dot->label;
                else
                    raster->first[cell + 1]++;
            }
    }
}

static int is_ascending(const uint32_t *vote, size_t n) {
    for (size_t i = 1; i < n; i++)
        if (vote[i] < vote[i - 1])
            return 0;
    return 1;
}

void cli_raster_make(struct cli_raster *raster, const struct cli_cloud *cloud, size_t width, size_t height,
                     int radius) {
    const size_t cells = width * height;
    *raster = (struct cli_raster){.width = width, .height = height};
    raster->first = cli_have(calloc(cells + 1, sizeof *raster->first));
    raster->winner = cli_have(malloc(cells * sizeof *raster->winner));
    size_t *places = cli_have(malloc(cells * sizeof *places));
    vote_all(raster, cloud, radius, NULL);
    for (size_t cell = 0; cell < cells; cell++) {
        raster->fullest = raster->first[cell + 1] > raster->fullest ? raster->first[cell + 1] : raster->fullest;
        places[cell] = raster->first[cell];
        raster->first[cell + 1] += raster->first[cell];
    }
    raster->vote = cli_have(malloc((raster->first[cells] + 1) * sizeof *raster->vote));
    vote_all(raster, cloud, radius, places);
    for (size_t cell = 0; cell < cells; cell++) {
        uint32_t *votes = raster->vote + raster->first[cell];
        const size_t n = raster->first[cell + 1] - raster->first[cell];
        if (!is_ascending(votes, n))
            qsort(votes, n, sizeof *votes, by_label);
        raster->winner[cell] = most_frequent(votes, n);
    }
    free(places);
}

void cli_raster_free(struct cli_raster *raster) {
    free(raster->first);
    free(raster->vote);
    free(raster->winner);
}

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
    if (all > 1)
        printf("plan       %s\nsums       %.3f s\n", clusters->found->plan, (double)found->kernel_ns / 1e9);
    printf("in all     %.3f s\n", clusters->seconds);
}
