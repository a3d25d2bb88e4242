/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/output/output.h"

#include <math.h>

#include "api/cli/output/atomic.h"

/* File header and info header, as Windows defines them (BITMAPFILEHEADER, BITMAPINFOHEADER). */
enum { BMP_HEAD = 54, BMP_INFO = 40, PIXEL = 3, PIXEL_BITS = 24 };

/* Rows of pixels are padded to whole words. */
static uint64_t row_bytes(size_t width) {
    return ((uint64_t)width * PIXEL + 3) / 4 * 4;
}

int cli_wafer_check(const char *bmp, const char *npy, size_t width, size_t height, struct cli_error *error) {
    if ((bmp && cli_output_check(bmp, ".bmp", error)) || (npy && cli_output_check(npy, ".npy", error)))
        return -1;
    if (bmp && (width > INT32_MAX || height > INT32_MAX || row_bytes(width) * height > UINT32_MAX - BMP_HEAD))
        return cli_fail(error, "cannot write '%s': a picture of %zu x %zu is more than a .bmp file can be", bmp, width,
                        height);
    return 0;
}

/* Contents of both files. */
struct wafer {
    const uint8_t *counts;
    size_t width, height;
};

static int write_bmp(FILE *file, const void *what, struct cli_error *error) {
    const struct wafer *wafer = what;
    const size_t width = wafer->width, height = wafer->height;
    const uint32_t pixels = (uint32_t)(row_bytes(width) * height);
    unsigned char head[BMP_HEAD] = {'B', 'M'};
    uint8_t red[256];
    (void)error;
    cli_output_little(head + 2, BMP_HEAD + pixels, 4);
    cli_output_little(head + 10, BMP_HEAD, 4);
    cli_output_little(head + 14, BMP_INFO, 4);
    cli_output_little(head + 18, (uint32_t)width, 4);
    cli_output_little(head + 22, (uint32_t)height, 4); /* positive: the last row comes first */
    cli_output_little(head + 26, 1, 2);                /* planes */
    cli_output_little(head + 28, PIXEL_BITS, 2);
    cli_output_little(head + 34, pixels, 4);
    fwrite(head, 1, sizeof head, file);
    /* Parboil's picture: green and blue are 0. */
    for (int i = 0; i < 256; i++)
        red[i] = i ? (uint8_t)(255 * cbrt(1 + 63.0 * i / 255) / 4) : 0;
    for (size_t row = height; row-- > 0 && !ferror(file);) {
        for (size_t column = 0; column < width; column++) {
            const unsigned char pixel[PIXEL] = {0, 0, red[wafer->counts[row * width + column]]};
            fwrite(pixel, 1, sizeof pixel, file);
        }
        for (uint64_t i = (uint64_t)width * PIXEL; i < row_bytes(width); i++)
            putc(0, file);
    }
    return 0;
}

static int write_npy(FILE *file, const void *what, struct cli_error *error) {
    const struct wafer *wafer = what;
    char header[CLI_NPY_HEADER + 1];
    const size_t shape[] = {wafer->height, wafer->width};
    const size_t size = cli_output_npy_header(header, "'|u1'", shape, 2);
    (void)error;
    fwrite(header, 1, size, file);
    fwrite(wafer->counts, wafer->width, wafer->height, file);
    return 0;
}

int cli_wafer_write(const char *bmp, const char *npy, const uint8_t *counts, size_t width, size_t height,
                    struct cli_error *error) {
    const struct wafer wafer = {counts, width, height};
    return (bmp && cli_atomic_write(bmp, write_bmp, &wafer, error)) ||
                   (npy && cli_atomic_write(npy, write_npy, &wafer, error))
               ? -1
               : 0;
}
