/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/display/display.h"

#include <cairo-svg.h>
#include <stdio.h>

#include "api/cli/display/canvas.h"
#include "api/cli/output/atomic.h"
#include "api/cli/output/output.h"

#define SCALE ((int)(1 / CLI_CANVAS_PIXEL)) /* pixels of the .png to a user unit */

int cli_display_print(const struct cli_terminal *terminal, const struct cli_result *result, enum cli_heat_scale scale) {
    if (result->flat)
        return cli_bars_print(terminal, result);
    return result->naxes == 2 ? cli_heat_print(terminal, result, scale) : cli_table_print(terminal, result);
}

static const char *const extensions[] = {".png", ".svg"};

int cli_display_check(const char *path, struct cli_error *error) {
    return cli_output_check_format(path, extensions, 2, error);
}

static cairo_status_t write_part(void *file, const unsigned char *data, unsigned length) {
    return fwrite(data, 1, length, file) == length ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

/* Draws on `surface` and releases it; what is left to be written is written. */
static cairo_status_t draw_on(cairo_surface_t *surface, int pixels, FILE *png, const struct cli_result *result,
                              enum cli_heat_scale scale) {
    cairo_t *canvas = cairo_create(surface);
    cairo_scale(canvas, pixels, pixels);
    cli_canvas_begin(canvas);
    const int drawn = result->flat ? cli_bars_draw(canvas, result) : cli_heat_draw(canvas, result, scale);
    cairo_status_t status = drawn == 0 ? cairo_status(canvas) : CAIRO_STATUS_NO_MEMORY;
    cairo_destroy(canvas);
    if (status == CAIRO_STATUS_SUCCESS && png)
        status = cairo_surface_write_to_png_stream(surface, write_part, png);
    cairo_surface_finish(surface);
    if (status == CAIRO_STATUS_SUCCESS)
        status = cairo_surface_status(surface);
    cairo_surface_destroy(surface);
    return status;
}

static cairo_status_t write_picture(FILE *file, int svg, const struct cli_result *result, enum cli_heat_scale scale) {
    const int height = result->flat ? CLI_BARS_HEIGHT : CLI_HEAT_HEIGHT;
    cairo_surface_t *surface;
    if (!svg) {
        surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, CLI_CANVAS_WIDTH * SCALE, height * SCALE);
        return draw_on(surface, SCALE, file, result, scale);
    }
    surface = cairo_svg_surface_create_for_stream(write_part, file, CLI_CANVAS_WIDTH, height);
    cairo_svg_surface_set_document_unit(surface, CAIRO_SVG_UNIT_PX);
    return draw_on(surface, 1, NULL, result, scale);
}

int cli_display_write(const char *path, const struct cli_result *result, enum cli_heat_scale scale,
                      struct cli_error *error) {
    const int format = cli_output_format(path, extensions, 2, error);
    struct cli_atomic *atomic = format < 0 ? NULL : cli_atomic_open(path, error);
    if (!atomic)
        return -1;
    const cairo_status_t status = write_picture(cli_atomic_file(atomic), format, result, scale);
    /* A failed write leaves its reason to the commit, which says it better than cairo does. */
    if (status != CAIRO_STATUS_SUCCESS && !ferror(cli_atomic_file(atomic))) {
        cli_atomic_abort(atomic);
        return cli_fail(error, "cannot write '%s': %s", path, cairo_status_to_string(status));
    }
    return cli_atomic_commit(atomic, error);
}
