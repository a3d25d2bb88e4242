/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/meanshift_fixture.h"

#include "tests/fixture.h"

struct oracle_points test_points_of(uh_dtype dtype, size_t n, size_t dims, const double *rows) {
    const size_t size = uh_dtype_size(dtype);
    char *memory = test_memory(n * dims * size);
    for (size_t i = 0; i < n * dims; i++)
        (void)oracle_store(dtype, (long double)rows[i], memory + i * size);
    return (struct oracle_points){dtype, n, dims, memory};
}

struct oracle_points test_groups(uh_dtype dtype, size_t n, size_t dims, uint64_t seed) {
    double *rows = test_memory(n * dims * sizeof *rows);
    for (size_t i = 0; i < n * dims; i++) {
        const size_t group = i / dims % 3, axis = i % dims;
        const double centre = group == 1 ? 8 : group == 2 && axis == 0 ? -9 : 0;
        rows[i] = centre + (2 * test_random_f64(&seed) - 1) / (double)(dims < 4 ? 1 : 2);
    }
    return test_points_of(dtype, n, dims, rows);
}

struct oracle_points test_box(uh_dtype dtype, size_t n, size_t dims, double side, uint64_t seed) {
    double *rows = test_memory(n * dims * sizeof *rows);
    for (size_t i = 0; i < n * dims; i++)
        rows[i] = side * (test_random_f64(&seed) - 0.5);
    return test_points_of(dtype, n, dims, rows);
}

struct oracle_points test_reached(void) {
    static const double lone[2] = {3, 0}, comer[2] = {1.28125, 0}, corner[2] = {-0.09375, -50};
    double rows[TEST_REACHED_POINTS][2];
    for (size_t i = 0; i < TEST_REACHED_POINTS; i++) {
        const double crowd[] = {2.09375, i % 2 ? 0.53125 : -0.53125};
        const double *at = i < TEST_REACHED_LONE     ? crowd
                           : i == TEST_REACHED_LONE  ? lone
                           : i == TEST_REACHED_COMER ? comer
                                                     : corner;
        for (size_t axis = 0; axis < 2; axis++)
            rows[i][axis] = 0x1p18 + at[axis];
    }
    return test_points_of(UH_F32, TEST_REACHED_POINTS, 2, *rows);
}

struct oracle_points test_reordered(const struct oracle_points *points, const size_t *order) {
    const size_t row = points->dims * uh_dtype_size(points->dtype);
    char *rows = test_memory(points->n * row);
    for (size_t i = 0; i < points->n; i++)
        memcpy(rows + i * row, (const char *)points->rows + order[i] * row, row);
    return (struct oracle_points){points->dtype, points->n, points->dims, rows};
}

static void end_clusters(void *clusters) { uh_clusters_destroy(clusters); }

uh_clusters_properties test_clusters(uh_queue *queue, const uh_array *points, size_t dims,
                                     const uh_mean_shift_options *options) {
    uh_clusters *clusters = NULL;
    uh_clusters_properties found = {.struct_size = sizeof found};
    test_good(uh_mean_shift(queue, points, dims, options, &clusters));
    test_good(uh_clusters_get_properties(test_at_end(clusters, end_clusters), &found));
    return found;
}

uh_clusters_properties test_shift(uh_queue *queue, const struct oracle_points *points,
                                  const uh_mean_shift_options *options) {
    uh_array arrays[UH_MEAN_SHIFT_MAX_DIMS];
    uh_arrays_of_rows(points->dtype, points->rows, points->n, points->dims, arrays);
    return test_clusters(queue, arrays, points->dims, options);
}

void test_same_clusters(const uh_clusters_properties *a, const uh_clusters_properties *b) {
    assert_int_equal(a->moved, b->moved);
    assert_int_equal(a->iterations, b->iterations);
    assert_int_equal(a->end, b->end);
    assert_memory_equal(a->shifted, b->shifted, a->moved * a->dims * uh_dtype_size(a->dtype));
    assert_int_equal(a->clusters, b->clusters);
    assert_memory_equal(a->centroids, b->centroids, a->clusters * a->dims * sizeof *a->centroids);
    assert_memory_equal(a->counts, b->counts, a->clusters * sizeof *a->counts);
    assert_memory_equal(a->labels, b->labels, a->n * sizeof *a->labels);
}

void test_judge_clusters(const struct oracle_points *points, const uh_mean_shift_options *options,
                         const uh_clusters_properties *found) {
    struct judged judged = {.points = *points, .options = *options};
    if (judge_clusters(&judged, found))
        fail_msg("%s", judged.problem);
}

struct oracle_points test_read_points(uh_dtype dtype, size_t dims, const char *name) {
    enum { MAX = 8192 };
    const char *folder = test_data_directory();
    double *numbers = test_memory(MAX * sizeof *numbers);
    char path[1100], line[1000];
    size_t n = 0;
    snprintf(path, sizeof path, "%s/mean-shift/%s", folder ? folder : "", name);
    FILE *file = folder ? fopen(path, "r") : NULL;
    if (!file)
        skip_because("there is no file %s; UNIHIST_TEST_DATA names the folder", path);
    while (fgets(line, sizeof line, file))
        for (char *at = line, *end; *at && *at != '\n'; at = *end == ',' ? end + 1 : end) {
            assert_true(n < MAX);
            numbers[n++] = strtod(at, &end);
            assert_true(end != at);
        }
    fclose(file);
    assert_true(n > 0 && n % dims == 0);
    return test_points_of(dtype, n / dims, dims, numbers);
}
