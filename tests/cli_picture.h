/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures as the command draws them, decoded. */
#ifndef TEST_CLI_PICTURE_H
#define TEST_CLI_PICTURE_H

#ifdef UNIHIST_CAIRO
#include <cairo.h>
#endif

#include <math.h>

#include "tests/cli_result.h"
#include "tests/files.h"

/* Of the .png. */
#define WIDTH  (CLI_PICTURE_SCALE * CLI_PICTURE_WIDTH)
#define HEIGHT (CLI_PICTURE_SCALE * CLI_PICTURE_HEIGHT)

static unsigned pixels[HEIGHT][WIDTH];

/* Edges of four bins that are hard to draw. */
static const double hostile_edges[][5] = {
    {-1.7e308, -1, 0, 1, 1.7e308},
    {0, 5e-324, 1e-323, 1.5e-323, 3e-323},
    {1, 1, 1, 1, 1},
    {0, 0.5, 0.5, 1, 1},
    {1e300, 1e300, 1.1e300, 1.2e300, 1.3e300},
    {(double)-INFINITY, (double)-INFINITY, 0, (double)INFINITY, (double)INFINITY},
    {(double)-INFINITY, (double)-INFINITY, (double)-INFINITY, (double)INFINITY, (double)INFINITY},
    {-5, -4, -3, 0, 0},
    {-1, 0, 1e-300, 1, 1e300},
    {1e9, 1e9, 1e9 + 1e-6, 1e9 + 2e-6, 1e9 + 3e-6},
};
#define HOSTILE (sizeof hostile_edges / sizeof *hostile_edges)

/* Decodes a .png into `pixels`. */
static inline void picture_read(const char *path) {
#ifdef UNIHIST_CAIRO
    cairo_surface_t *surface = cairo_image_surface_create_from_png(path);
    assert_int_equal(cairo_surface_status(surface), CAIRO_STATUS_SUCCESS);
    assert_int_equal(cairo_image_surface_get_width(surface), WIDTH);
    assert_int_equal(cairo_image_surface_get_height(surface), HEIGHT);
    size_t stride = (size_t)cairo_image_surface_get_stride(surface);
    const unsigned char *data = cairo_image_surface_get_data(surface);
    for (int y = 0; y < HEIGHT; y++) {
        memcpy(pixels[y], data + (size_t)y * stride, sizeof pixels[y]);
        for (int x = 0; x < WIDTH; x++)
            pixels[y][x] &= 0xffffff;
    }
    cairo_surface_destroy(surface);
    files_count(1);
#else
    (void)path, (void)pixels;
    skip_because("the command was built without cairo");
#endif
}

/* Draws a result as .png and decodes it. */
static inline void picture_draw(const struct cli_result *result, enum cli_heat_scale scale) {
    const char *path = files_path("a.png");
#ifdef UNIHIST_CAIRO
    struct cli_error error = {.text = ""};
    if (cli_display_write(path, result, scale, &error) != 0)
        fail_msg("%s", error.text);
#else
    (void)result, (void)scale;
#endif
    picture_read(path);
}

#endif
