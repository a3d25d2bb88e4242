/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/output/output.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "api/cli/output/atomic.h"

/* Text is put together in a block of this many bytes. */
enum { BLOCK = 1 << 16, LONGEST = 24 /* a sign, 20 digits, the end of the line */ };

struct cli_output_integers {
    struct cli_atomic *atomic; /* NULL: standard output */
    FILE *file;
    uh_dtype dtype;
    int text;     /* one a line, else .npy */
    size_t count; /* integers written */
    char block[BLOCK];
    char path[]; /* for messages */
};

static const char *const extensions[] = {".npy", ".csv", ".txt"};
enum { EXTENSIONS = sizeof extensions / sizeof *extensions };

int cli_output_integers_check(const char *path, struct cli_error *error) {
    return cli_output_check_format(path, extensions, EXTENSIONS, error);
}

static void write_header(struct cli_output_integers *integers) {
    static const char *const names[UH_DTYPE_COUNT] = {
        [UH_U32] = "'<u4'", [UH_U64] = "'<u8'", [UH_I32] = "'<i4'", [UH_I64] = "'<i8'"};
    cli_output_npy_header(integers->file, names[integers->dtype], &integers->count, 1);
}

struct cli_output_integers *cli_output_integers_open(const char *path, uh_dtype dtype, struct cli_error *error) {
    int format = path ? cli_output_format(path, extensions, EXTENSIONS, error) : 1;
    if (format < 0)
        return NULL;
    const char *name = path ? path : "";
    size_t length = strlen(name);
    struct cli_output_integers *integers = malloc(sizeof *integers + length + 1);
    if (!integers) {
        cli_fail(error, "cannot write %s%s%s: out of memory", path ? "'" : "", path ? path : "to standard output",
                 path ? "'" : "");
        return NULL;
    }
    memcpy(integers->path, name, length + 1);
    integers->dtype = dtype;
    integers->text = format != 0;
    integers->count = 0;
    integers->atomic = path ? cli_atomic_open(path, error) : NULL;
    if (path && !integers->atomic) {
        free(integers);
        return NULL;
    }
    integers->file = path ? cli_atomic_file(integers->atomic) : stdout;
    /* The length is not known yet; the header has room for any, and is written once more at the end. */
    if (!integers->text)
        write_header(integers);
    return integers;
}

static int fail_write(const struct cli_output_integers *integers, struct cli_error *error) {
    const char *reason = errno ? strerror(errno) : "a write failed";
    return integers->atomic ? cli_fail(error, "cannot write '%s': %s", integers->path, reason)
                            : cli_fail(error, "cannot write to standard output: %s", reason);
}

static size_t count_digits(uint64_t value) {
    size_t digits = 1;
    for (; value >= 10000; value /= 10000)
        digits += 4;
    return digits + (value >= 10) + (value >= 100) + (value >= 1000);
}

/* Writes a number and the end of its line; returns how many characters that takes. */
static size_t put_line(char *text, uint64_t magnitude, int negative) {
    static const char pairs[] = "00010203040506070809101112131415161718192021222324252627282930313233343536373839"
                                "40414243444546474849505152535455565758596061626364656667686970717273747576777879"
                                "8081828384858687888990919293949596979899";
    const size_t length = (size_t)negative + count_digits(magnitude);
    char *at = text + length;
    *at = '\n';
    for (; magnitude >= 10; magnitude /= 100)
        memcpy(at -= 2, pairs + magnitude % 100 * 2, 2);
    if (at > text + negative)
        *--at = (char)('0' + magnitude);
    if (negative)
        *text = '-';
    return length + 1;
}

static int load(uh_dtype dtype, const void *data, size_t i, uint64_t *magnitude) {
    const unsigned char *from = (const unsigned char *)data + i * uh_dtype_size(dtype);
    uint64_t wide;
    uint32_t narrow;
    int negative = 0;
    if (dtype == UH_U64 || dtype == UH_I64) {
        memcpy(&wide, from, sizeof wide);
        negative = dtype == UH_I64 && wide >> 63;
    } else {
        memcpy(&narrow, from, sizeof narrow);
        negative = dtype == UH_I32 && narrow >> 31;
        wide = negative ? (uint64_t)(int64_t)(int32_t)narrow : narrow;
    }
    *magnitude = negative ? 0 - wide : wide;
    return negative;
}

static void write_text(struct cli_output_integers *integers, const void *data, size_t n) {
    size_t used = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t magnitude;
        const int negative = load(integers->dtype, data, i, &magnitude);
        used += put_line(integers->block + used, magnitude, negative);
        if (used <= BLOCK - LONGEST)
            continue;
        if (fwrite(integers->block, 1, used, integers->file) != used)
            return;
        used = 0;
    }
    fwrite(integers->block, 1, used, integers->file);
}

int cli_output_integers_append(struct cli_output_integers *integers, const void *data, size_t n,
                               struct cli_error *error) {
    errno = 0;
    if (integers->text)
        write_text(integers, data, n);
    else
        fwrite(data, uh_dtype_size(integers->dtype), n, integers->file);
    if (ferror(integers->file))
        return fail_write(integers, error);
    integers->count += n;
    return 0;
}

int cli_output_integers_commit(struct cli_output_integers *integers, struct cli_error *error) {
    int result = 0;
    errno = 0;
    if (!integers->atomic) {
        result = fflush(integers->file) ? fail_write(integers, error) : 0;
        goto out;
    }
    if (!integers->text) {
        if (fseek(integers->file, 0, SEEK_SET) != 0) {
            result = fail_write(integers, error);
            cli_atomic_abort(integers->atomic);
            goto out;
        }
        write_header(integers);
    }
    result = cli_atomic_commit(integers->atomic, error);
out:
    free(integers);
    return result;
}

void cli_output_integers_abort(struct cli_output_integers *integers) {
    if (integers && integers->atomic)
        cli_atomic_abort(integers->atomic);
    free(integers);
}
