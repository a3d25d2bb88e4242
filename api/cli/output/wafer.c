/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/output/output.h"

#include <math.h>

#include "api/cli/output/atomic.h"

/* A file head and an info head, as Windows defines them (BITMAPFILEHEADER, BITMAPINFOHEADER). */
enum { BMP_HEAD = 54, BMP_INFO = 40, PIXEL = 3, PIXEL_BITS = 24 };

/* Rows of pixels take whole words. */
static uint64_t row_bytes(size_t width) {
    return ((uint64_t)width * PIXEL + 3) / 4 * 4;
}

int cli_wafer_check(const char *bmp, const char *npy, size_t width, size_t height, struct cli_error *error) {
    static const char *const bmp_names[] = {".bmp"}, *const npy_names[] = {".npy"};
    if ((bmp && cli_output_check_format(bmp, bmp_names, 1, error)) ||
        (npy && cli_output_check_format(npy, npy_names, 1, error)))
        return -1;
    if (bmp && (width > INT32_MAX || height > INT32_MAX || row_bytes(width) * height > UINT32_MAX - BMP_HEAD))
        return cli_fail(error, "cannot write '%s': a picture of %zu x %zu is more than a .bmp file can be", bmp, width,
                        height);
    return 0;
}

/* The red of a count in Parboil's picture; green and blue are 0. */
static uint8_t red_of(uint8_t count) {
    return count ? (uint8_t)(255 * cbrt(1 + 63.0 * count / 255) / 4) : 0;
}

static void put(unsigned char *to, uint32_t value, size_t bytes) {
    for (size_t i = 0; i < bytes; i++)
        to[i] = (unsigned char)(value >> (8 * i));
}

static void write_bmp(FILE *file, const uint8_t *counts, size_t width, size_t height) {
    const uint32_t pixels = (uint32_t)(row_bytes(width) * height);
    unsigned char head[BMP_HEAD] = {'B', 'M'};
    uint8_t red[256];
    put(head + 2, BMP_HEAD + pixels, 4);
    put(head + 10, BMP_HEAD, 4);
    put(head + 14, BMP_INFO, 4);
    put(head + 18, (uint32_t)width, 4);
    put(head + 22, (uint32_t)height, 4); /* positive: the last row comes first */
    put(head + 26, 1, 2);                /* planes */
    put(head + 28, PIXEL_BITS, 2);
    put(head + 34, pixels, 4);
    fwrite(head, 1, sizeof head, file);
    for (int i = 0; i < 256; i++)
        red[i] = red_of((uint8_t)i);
    for (size_t row = height; row-- > 0 && !ferror(file);) {
        for (size_t column = 0; column < width; column++) {
            const unsigned char pixel[PIXEL] = {0, 0, red[counts[row * width + column]]};
            fwrite(pixel, 1, sizeof pixel, file);
        }
        for (uint64_t i = (uint64_t)width * PIXEL; i < row_bytes(width); i++)
            putc(0, file);
    }
}

/* Ends a file that was written, if there is one. */
static int commit(struct cli_atomic **atomic, struct cli_error *error) {
    struct cli_atomic *whole = *atomic;
    *atomic = NULL;
    return whole ? cli_atomic_commit(whole, error) : 0;
}

int cli_wafer_write(const char *bmp, const char *npy, const uint8_t *counts, size_t width, size_t height,
                    struct cli_error *error) {
    struct cli_atomic *picture = NULL, *array = NULL;
    int result = -1;
    if ((bmp && !(picture = cli_atomic_open(bmp, error))) || (npy && !(array = cli_atomic_open(npy, error))))
        goto out;
    if (picture)
        write_bmp(cli_atomic_file(picture), counts, width, height);
    if (array) {
        cli_output_npy_header(cli_atomic_file(array), "'|u1'", (const size_t[]){height, width}, 2);
        fwrite(counts, width, height, cli_atomic_file(array));
    }
    result = commit(&picture, error) || commit(&array, error) ? -1 : 0;
out:
    cli_atomic_abort(picture);
    cli_atomic_abort(array);
    return result;
}
