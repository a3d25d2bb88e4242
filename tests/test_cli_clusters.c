/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures of clusters: decoded, and their colours looked for where the points are. */
#include "api/cli/display/clusters.h"
#include "tests/cli_picture.h"

enum { CLUSTERS = 4, MOST = 20000 };

/* Four clusters in squares around (+-2, +-2), in turns: label 0 is right and above, 1 left and above, 2 and 3 below. */
static struct cloud {
    double points[MOST][2], centroids[CLUSTERS][2];
    uint32_t labels[MOST];
    uint64_t counts[CLUSTERS];
    struct cli_rows rows;
    uh_clusters_properties found;
    uh_mean_shift_options options;
    struct cli_clusters clusters;
} cloud;

static double next_uniform(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-53;
}

static const struct cli_clusters *make(size_t n, size_t nshown) {
    uint64_t state = n;
    memset(&cloud, 0, sizeof cloud);
    for (size_t i = 0; i < n; i++) {
        const uint32_t label = i % CLUSTERS;
        cloud.labels[i] = label;
        cloud.counts[label]++;
        for (size_t a = 0; a < 2; a++) {
            cloud.centroids[label][a] = label >> a & 1 ? -2 : 2;
            cloud.points[i][a] = cloud.centroids[label][a] + 3 * (next_uniform(&state) - 0.5);
        }
    }
    cloud.rows =
        (struct cli_rows){.dtype = UH_F64, .data = cloud.points, .n = n, .all = n, .width = 2, .names = {"x0", "x1"}};
    cloud.found = (uh_clusters_properties){.n = n,
                                           .dims = 2,
                                           .dtype = UH_F64,
                                           .clusters = CLUSTERS,
                                           .centroids = cloud.centroids[0],
                                           .counts = cloud.counts,
                                           .labels = cloud.labels};
    cloud.clusters = (struct cli_clusters){.title = "a.npy",
                                           .points = &cloud.rows,
                                           .options = &cloud.options,
                                           .found = &cloud.found,
                                           .shown = {0, 1},
                                           .nshown = nshown};
    return &cloud.clusters;
}

/* Votes of a label in a cell, counted one by one. */
static size_t votes_of(const struct cli_cloud *of, size_t width, size_t height, long x, long y, int radius,
                       uint32_t label) {
    size_t votes = 0;
    for (size_t i = 0; i < cloud.rows.n; i++) {
        const double across = (cloud.points[i][0] - of->low[0]) / (of->high[0] - of->low[0]) * (double)width;
        const double up = (cloud.points[i][1] - of->low[1]) / (of->high[1] - of->low[1]) * (double)height;
        const long dx = (long)across - x, dy = (long)height - 1 - (long)up - y;
        votes += cloud.labels[i] == label && dx * dx + dy * dy <= (long)radius * radius;
    }
    return votes;
}

UNIT_TEST(a_cell_shows_the_label_that_most_points_have_there) {
    enum { ACROSS = 11, UP = 7 };
    struct cli_error error = {.text = ""};
    struct cli_cloud of;
    assert_int_equal(cli_cloud_make(&of, make(400, 2), &error), 0);
    for (int radius = 0; radius < 3; radius++) {
        struct cli_raster raster;
        size_t fullest = 0;
        assert_int_equal(cli_raster_make(&raster, &of, ACROSS, UP, radius), 0);
        for (size_t cell = 0; cell < (size_t)ACROSS * UP; cell++) {
            uint32_t winner = CLI_RASTER_EMPTY;
            size_t most = 0, all = 0;
            for (uint32_t label = 0; label < CLUSTERS; label++) {
                const size_t votes =
                    votes_of(&of, ACROSS, UP, (long)(cell % ACROSS), (long)(cell / ACROSS), radius, label);
                winner = votes > most ? label : winner;
                most = votes > most ? votes : most;
                all += votes;
            }
            assert_int_equal(raster.first[cell + 1] - raster.first[cell], all);
            assert_int_equal(raster.winner[cell], winner);
            fullest = all > fullest ? all : fullest;
        }
        assert_int_equal(raster.fullest, fullest);
        cli_raster_free(&raster);
    }
    cli_cloud_free(&of);
}

/* Which cluster's colour a pixel has, mixed with white; -1 for one that is grey, or too pale to tell. */
static int cluster_of(unsigned pixel) {
    double best = 0;
    int found = -1;
    for (uint32_t label = 0; label < CLUSTERS; label++) {
        double product = 0, own = 0, colour = 0;
        for (int shift = 0; shift <= 16; shift += 8) {
            const double a = 255 - (double)(pixel >> shift & 255);
            const double b = 255 - (double)(cli_clusters_rgb(label) >> shift & 255);
            product += a * b;
            own += a * a;
            colour += b * b;
        }
        const double cosine = own > 50 * 50 ? product / sqrt(own * colour) : 0;
        if (cosine > best) {
            best = cosine;
            found = (int)label;
        }
    }
    return best > 0.995 ? found : -1;
}

static void draw(const struct cli_clusters *clusters) {
    struct cli_error error = {.text = ""};
    const char *path = files_path("a.png");
#ifdef UNIHIST_CAIRO
    const struct cli_clusters_files files = {.plot = path};
    if (cli_clusters_write(&files, clusters, &error))
        fail_msg("%s", error.text);
#else
    (void)clusters, (void)error;
#endif
    picture_read(path);
}

/* Few points are dots, more are pixels of a radius; each quarter of the picture has the colour of its cluster. */
UNIT_TEST(points_have_the_colour_of_their_cluster) {
    static const size_t n[] = {400, 3500, MOST};
    for (size_t i = 0; i < 3; i++) {
        draw(make(n[i], 2));
        size_t seen[CLUSTERS] = {0}, wrong = 0;
        for (int y = 140; y < HEIGHT - 120; y++)
            for (int x = 160; x < WIDTH - 60; x++) {
                const int cluster = cluster_of(pixels[y][x]);
                const int right = x > 850, above = y < 610; /* the middle of the frame, to some pixels */
                if (cluster < 0 || abs(x - 850) < 60 || abs(y - 610) < 60)
                    continue;
                if (cluster == (right ? 0 : 1) + (above ? 0 : 2))
                    seen[cluster]++;
                else
                    wrong++;
            }
        for (size_t label = 0; label < CLUSTERS; label++)
            if (seen[label] < 2000)
                fail_msg("%zu points: %zu pixels of cluster %zu", n[i], seen[label], label);
        if (wrong > 50) /* the rims of dots, where two lie upon each other */
            fail_msg("%zu points: %zu pixels of other clusters", n[i], wrong);
    }
}

/* Of one coordinate, the bars of the two clusters left of 0 have two colours above each other. */
UNIT_TEST(bars_of_one_coordinate_are_parted_by_cluster) {
    draw(make(4000, 1));
    size_t seen[CLUSTERS] = {0};
    for (int y = 140; y < HEIGHT - 108; y++)
        for (int x = 160; x < WIDTH - 60; x++) {
            const int cluster = cluster_of(pixels[y][x]);
            if (cluster < 0)
                continue;
            assert_int_equal(cluster & 1, x < 850);
            seen[cluster]++;
        }
    for (size_t label = 1; label < CLUSTERS; label++)
        if (fabs((double)seen[label] / (double)seen[0] - 1) > 0.05)
            fail_msg("%zu pixels of cluster %zu, expected about %zu", seen[label], label, seen[0]);
}

TEST_AROUND(test_cli_clusters, files_setup, files_teardown)
