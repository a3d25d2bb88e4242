/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/display/plot.h"

#include <cairo-svg.h>
#include <cairo.h>
#include <stdio.h>

#include "api/cli/display/plot_draw.h"
#include "api/cli/display/plot_save.h"
#include "api/cli/output/atomic.h"
#include "api/cli/output/output_formats.h"

#define SCALE ((int)(1 / CLI_PLOT_PIXEL)) /* pixels of the .png to a user unit */

static const char *const extensions[] = {".png", ".svg"};

static int find_format(const char *path, struct cli_error *error) {
    int format = cli_output_extension(path, extensions, 2);
    return format >= 0 ? format : cli_fail(error, "cannot write '%s': expected a name ending in .png or .svg", path);
}

int cli_plot_check(const char *path, struct cli_error *error) {
    return find_format(path, error) < 0 ? -1 : cli_atomic_check(path, error);
}

static cairo_status_t write_part(void *file, const unsigned char *data, unsigned length) {
    return fwrite(data, 1, length, file) == length ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

/* A picture to be made. */
struct picture {
    int width, height; /* user units */
    cli_plot_draw_function draw;
    const void *result;
};

/* Draws on `surface` and releases it; what is left to be written is written. */
static cairo_status_t draw_on(cairo_surface_t *surface, int scale, FILE *png, const struct picture *picture) {
    cairo_t *canvas = cairo_create(surface);
    cairo_scale(canvas, scale, scale);
    cairo_status_t status = picture->draw(canvas, picture->result) == 0 ? cairo_status(canvas) : CAIRO_STATUS_NO_MEMORY;
    cairo_destroy(canvas);
    if (status == CAIRO_STATUS_SUCCESS && png)
        status = cairo_surface_write_to_png_stream(surface, write_part, png);
    cairo_surface_finish(surface);
    if (status == CAIRO_STATUS_SUCCESS)
        status = cairo_surface_status(surface);
    cairo_surface_destroy(surface);
    return status;
}

static cairo_status_t write_png(FILE *file, const struct picture *picture) {
    cairo_surface_t *surface =
        cairo_image_surface_create(CAIRO_FORMAT_RGB24, picture->width * SCALE, picture->height * SCALE);
    return draw_on(surface, SCALE, file, picture);
}

static cairo_status_t write_svg(FILE *file, const struct picture *picture) {
    cairo_surface_t *surface = cairo_svg_surface_create_for_stream(write_part, file, picture->width, picture->height);
    cairo_svg_surface_set_document_unit(surface, CAIRO_SVG_UNIT_PX);
    return draw_on(surface, 1, NULL, picture);
}

int cli_plot_save(const char *path, int width, int height, cli_plot_draw_function draw, const void *result,
                  struct cli_error *error) {
    const struct picture picture = {width, height, draw, result};
    int format = find_format(path, error);
    struct cli_atomic *atomic = format < 0 ? NULL : cli_atomic_open(path, error);
    if (!atomic)
        return -1;
    cairo_status_t status = (format == 0 ? write_png : write_svg)(cli_atomic_file(atomic), &picture);
    /* A failed write leaves its reason to the commit, which says it better than cairo does. */
    if (status != CAIRO_STATUS_SUCCESS && !ferror(cli_atomic_file(atomic))) {
        cli_atomic_abort(atomic);
        return cli_fail(error, "cannot write '%s': %s", path, cairo_status_to_string(status));
    }
    return cli_atomic_commit(atomic, error);
}

static int draw_bars(cairo_t *canvas, const void *result) {
    return cli_plot_draw(canvas, result);
}

int cli_plot_write(const char *path, const struct cli_result *result, struct cli_error *error) {
    return cli_plot_save(path, CLI_PLOT_WIDTH, CLI_PLOT_HEIGHT, draw_bars, result, error);
}
