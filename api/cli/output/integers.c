/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/output/output.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "api/cli/group.h"

/* Text is collected in a block of this many bytes. */
enum { BLOCK = 1 << 16, LONGEST = 24 /* a sign, 20 digits, the line end */ };

static size_t write_header(struct cli_output_integers *integers) {
    static const char *const names[UH_DTYPE_COUNT] = {
        [UH_U32] = "'<u4'", [UH_U64] = "'<u8'", [UH_I32] = "'<i4'", [UH_I64] = "'<i8'"};
    return cli_output_npy_header(integers->atomic.file, names[integers->dtype], &integers->count, 1);
}

int cli_output_integers_are_shared(const char *path) {
    return cli_group && path && cli_output_format(path, CLI_OUTPUT_INTEGERS) == 0;
}

int cli_output_integers_open(struct cli_output_integers *integers, const char *path, uh_dtype dtype,
                             const struct cli_share *share) {
    const int format = path ? cli_output_format(path, CLI_OUTPUT_INTEGERS) : 1;
    *integers = (struct cli_output_integers){
        .dtype = dtype, .text = format != 0, .count = share ? (size_t)share->all : 0, .shared = share != NULL};
    if (format < 0 || (share ? cli_atomic_open_shared : cli_atomic_open)(&integers->atomic, path))
        return -1;
    /* The header has room for any length: that of one process is rewritten at the end. All processes write a shared
     * one, which is the same, and continue from it. */
    const size_t header = integers->text ? 0 : write_header(integers);
    if (!share || fseek(integers->atomic.file, (long)(header + share->first * uh_dtype_size(dtype)), SEEK_SET) == 0)
        return 0;
    cli_atomic_fail(&integers->atomic);
    cli_atomic_abort(&integers->atomic);
    return -1;
}

/* Writes one line per integer, several times as fast as printf. */
static void write_text(const struct cli_output_integers *integers, const void *data, size_t n) {
    const uh_dtype dtype = integers->dtype;
    char block[BLOCK];
    size_t used = 0;
    for (size_t i = 0; i < n; i++) {
        const int64_t value = dtype == UH_U32   ? ((const uint32_t *)data)[i]
                              : dtype == UH_I32 ? ((const int32_t *)data)[i]
                                                : ((const int64_t *)data)[i];
        const int negative = dtype != UH_U64 && value < 0;
        uint64_t magnitude = negative ? 0 - (uint64_t)value : (uint64_t)value;
        char line[LONGEST], *at = line + LONGEST;
        *--at = '\n';
        do
            *--at = (char)('0' + magnitude % 10);
        while (magnitude /= 10);
        if (negative)
            *--at = '-';
        memcpy(block + used, at, (size_t)(line + LONGEST - at));
        used += (size_t)(line + LONGEST - at);
        if (used <= BLOCK - LONGEST && i + 1 < n)
            continue;
        if (fwrite(block, 1, used, integers->atomic.file) != used)
            return;
        used = 0;
    }
}

int cli_output_integers_append(struct cli_output_integers *integers, const void *data, size_t n) {
    errno = 0;
    if (integers->text)
        write_text(integers, data, n);
    else
        fwrite(data, uh_dtype_size(integers->dtype), n, integers->atomic.file);
    if (ferror(integers->atomic.file))
        return cli_atomic_fail(&integers->atomic);
    integers->count += integers->shared ? 0 : n;
    return 0;
}

int cli_output_integers_commit(struct cli_output_integers *integers) {
    /* If this fails, the calls below fail too. */
    if (!integers->text && !integers->shared && fseek(integers->atomic.file, 0, SEEK_SET) == 0)
        write_header(integers);
    return cli_atomic_commit(&integers->atomic);
}
