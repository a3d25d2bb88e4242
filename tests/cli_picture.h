/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures as the command draws them, decoded. */
#ifndef TEST_CLI_PICTURE_H
#define TEST_CLI_PICTURE_H

#include <cairo.h>

#include "api/cli/display/canvas.h"
#include "tests/cli_result.h"
#include "tests/files.h"

/* Of the .png: two to a unit. */
#define WIDTH (2 * CLI_CANVAS_WIDTH)

static unsigned pixels[2 * CLI_HEAT_HEIGHT][WIDTH];

/* Draws a result as .png, of that height, and decodes it into `pixels`. */
static inline void picture_draw(const struct cli_result *result, enum cli_heat_scale scale, int height) {
    struct cli_error error = {""};
    const char *path = files_path("a.png");
    if (cli_display_write(path, result, scale, &error) != 0)
        fail_msg("%s", error.text);
    cairo_surface_t *surface = cairo_image_surface_create_from_png(path);
    assert_int_equal(cairo_surface_status(surface), CAIRO_STATUS_SUCCESS);
    assert_int_equal(cairo_image_surface_get_width(surface), WIDTH);
    assert_int_equal(cairo_image_surface_get_height(surface), height);
    size_t stride = (size_t)cairo_image_surface_get_stride(surface);
    const unsigned char *data = cairo_image_surface_get_data(surface);
    for (int y = 0; y < height; y++) {
        memcpy(pixels[y], data + (size_t)y * stride, sizeof pixels[y]);
        for (int x = 0; x < WIDTH; x++)
            pixels[y][x] &= 0xffffff;
    }
    cairo_surface_destroy(surface);
    files_count(1);
}

#endif
