/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/output/output_wafer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/cli/output/atomic.h"
#include "api/cli/output/output_formats.h"

/* A file head and an info head, as Windows defines them (BITMAPFILEHEADER, BITMAPINFOHEADER). */
enum { BMP_HEAD = 54, BMP_INFO = 40, PIXEL = 3, PIXEL_BITS = 24, NPY_HEAD = 128 };

/* Rows of pixels take whole words. */
static uint64_t row_bytes(size_t width) {
    return ((uint64_t)width * PIXEL + 3) / 4 * 4;
}

int cli_wafer_check(const char *bmp, const char *npy, size_t width, size_t height, struct cli_error *error) {
    static const char *const bmp_names[] = {".bmp"}, *const npy_names[] = {".npy"};
    if (bmp && cli_output_extension(bmp, bmp_names, 1) < 0)
        return cli_fail(error, "cannot write '%s': expected a name ending in .bmp", bmp);
    if (npy && cli_output_extension(npy, npy_names, 1) < 0)
        return cli_fail(error, "cannot write '%s': expected a name ending in .npy", npy);
    if ((bmp && cli_atomic_check(bmp, error)) || (npy && cli_atomic_check(npy, error)))
        return -1;
    if (bmp && (width > INT32_MAX || height > INT32_MAX || row_bytes(width) * height > UINT32_MAX - BMP_HEAD))
        return cli_fail(error, "cannot write '%s': a picture of %zu x %zu is more than a .bmp file can be", bmp, width,
                        height);
    return 0;
}

uint8_t cli_wafer_red(uint8_t count) {
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
        red[i] = cli_wafer_red((uint8_t)i);
    for (size_t row = height; row-- > 0 && !ferror(file);) {
        for (size_t column = 0; column < width; column++) {
            const unsigned char pixel[PIXEL] = {0, 0, red[counts[row * width + column]]};
            fwrite(pixel, 1, sizeof pixel, file);
        }
        for (uint64_t i = (uint64_t)width * PIXEL; i < row_bytes(width); i++)
            putc(0, file);
    }
}

/* Format 1.0 of NumPy's numpy.lib.format, see output.c. */
static void write_npy(FILE *file, const uint8_t *counts, size_t width, size_t height) {
    char head[NPY_HEAD + 1];
    memset(head, ' ', sizeof head);
    memcpy(head, "\x93NUMPY\x01\x00", 8);
    head[8] = (char)(NPY_HEAD - 10);
    head[9] = 0;
    const int used = snprintf(head + 10, sizeof head - 10,
                              "{'descr': '|u1', 'fortran_order': False, 'shape': (%zu, %zu), }", height, width);
    head[10 + used] = ' ';
    head[NPY_HEAD - 1] = '\n';
    fwrite(head, 1, NPY_HEAD, file);
    fwrite(counts, width, height, file);
}

int cli_wafer_write(const char *bmp, const char *npy, const uint8_t *counts, size_t width, size_t height,
                    struct cli_error *error) {
    struct cli_atomic *picture = NULL, *array = NULL;
    int result = -1;
    if ((bmp && !(picture = cli_atomic_open(bmp, error))) || (npy && !(array = cli_atomic_open(npy, error))))
        goto out;
    if (picture)
        write_bmp(cli_atomic_file(picture), counts, width, height);
    if (array)
        write_npy(cli_atomic_file(array), counts, width, height);
    if (picture) {
        struct cli_atomic *whole = picture;
        picture = NULL;
        if (cli_atomic_commit(whole, error))
            goto out;
    }
    if (array) {
        struct cli_atomic *whole = array;
        array = NULL;
        if (cli_atomic_commit(whole, error))
            goto out;
    }
    result = 0;
out:
    cli_atomic_abort(picture);
    cli_atomic_abort(array);
    return result;
}
