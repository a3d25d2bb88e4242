/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays for NumPy: one per file, or several in an archive; and long lists of integers, in such a file or as text. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "api/cli/output/output.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, ".npy arrays are written as they lie in memory");

enum { HEADER = 5 * 64 }; /* of an array: enough for the longest type and eight axes of 20 digits */

/* Writes bytes, unless the file is NULL, and updates their CRC-32 as in ZIP and PNG, before its last inversion, unless
 * that is NULL. */
static void put_bytes(FILE *file, uint32_t *crc, const void *data, size_t bytes) {
    static const uint32_t of_half_byte[16] = {0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4,
                                              0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
                                              0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};
    const unsigned char *at = data;
    if (file)
        fwrite(data, 1, bytes, file);
    for (size_t i = 0; i < bytes && crc; i++) {
        *crc = *crc >> 4 ^ of_half_byte[(*crc ^ at[i]) & 15];
        *crc = *crc >> 4 ^ of_half_byte[(*crc ^ at[i] >> 4) & 15];
    }
}

/* Format 1.0 of NumPy's numpy.lib.format: magic, version, header length, and a Python dictionary padded with spaces so
 * that the data begin at a multiple of 64 bytes. With one dimension and a plain type the dictionary takes 57 to 76
 * bytes; NumPy too keeps room for an axis of 21 digits. */
static size_t put_layout(FILE *file, uint32_t *crc, const char *descr, const char *order, const char *shape) {
    static const char magic[] = {'\x93', 'N', 'U', 'M', 'P', 'Y', 1, 0};
    char header[HEADER + 1];
    const size_t size = sizeof header;
    memset(header, ' ', size);
    memcpy(header, magic, sizeof magic);
    const int used =
        10 + snprintf(header + 10, size - 10, "{'descr': %s, 'fortran_order': %s, 'shape': %s, }", descr, order, shape);
    header[used] = ' ';
    const size_t length = ((size_t)used + 1 + 63) / 64 * 64;
    cli_output_little((unsigned char *)header + 8, length - 10, 2);
    header[length - 1] = '\n';
    put_bytes(file, crc, header, length);
    return length;
}

size_t cli_output_npy_header(FILE *file, uint32_t *crc, const char *descr, const size_t *shape, size_t dimensions) {
    char text[HEADER - 64] = "(";
    for (size_t i = 0; i < dimensions; i++)
        cli_append(text, sizeof text, i ? ", " : "", "%zu", shape[i]);
    cli_append(text, sizeof text, dimensions == 1 ? "," : "", ")");
    return put_layout(file, crc, descr, "False", text);
}

static size_t write_array(FILE *file, uint32_t *crc, const struct cli_column *column, const size_t *shape,
                          size_t dimensions) {
    const char *type = column->numbers      ? "'<f8'"
                       : column->bytes == 1 ? "'|u1'"
                       : column->bytes == 2 ? "'<u2'"
                                            : "'<u8'";
    size_t cells = 1;
    for (size_t a = 0; a < dimensions; a++)
        cells *= shape[a];
    const size_t header = cli_output_npy_header(file, crc, type, shape, dimensions);
    if (column->bytes == 8)
        put_bytes(file, crc, column->numbers ? (const void *)column->numbers : column->integers, 8 * cells);
    for (size_t i = 0; i < cells && column->bytes < 8 && !(file && ferror(file)); i++)
        put_bytes(file, crc, &column->integers[i], column->bytes); /* low bytes are first in memory */
    return header + cells * column->bytes;
}

static void get_shape(const struct cli_result *result, size_t shape[UH_MAX_AXES]) {
    for (size_t a = 0; a < result->naxes; a++)
        shape[a] = result->axis[a].bins;
}

int cli_output_npy(FILE *file, const void *what) {
    const struct cli_result *result = what;
    struct cli_column column[CLI_COLUMNS];
    const size_t n = cli_output_columns(result, column);
    size_t shape[UH_MAX_AXES] = {0}, shown = 0;
    /* Densities are last, and running sums come after the column they sum. */
    for (size_t i = 0; i < n; i++)
        shown = column[i].shown ? i : shown;
    get_shape(result, shape);
    write_array(file, NULL, &column[shown], shape, result->naxes);
    return 0;
}

/* ---- archives: ZIP as in PKWARE's APPNOTE.TXT, without compression ----------------------------------------------- */

enum { LOCAL = 30, CENTRAL = 46, END = 22, ARRAYS = CLI_COLUMNS + UH_MAX_AXES + 3 };

struct archive {
    FILE *file;
    size_t entries, at;
    struct entry {
        char name[32];
        uint32_t crc;
        size_t at, size;
    } entry[ARRAYS];
};

/* Writes the header of an array, before it or in the directory. */
static void write_head(FILE *file, const struct entry *entry, int directory) {
    unsigned char head[CENTRAL] = {0}, *same = head + (directory ? 6 : 4);
    const size_t name = strlen(entry->name);
    cli_output_little(head, directory ? 0x02014b50 : 0x04034b50, 4);
    cli_output_little(same, 20, 2);       /* version needed to read, 2.0 */
    cli_output_little(same + 8, 0x21, 2); /* 1 January 1980, the first possible date: the same bytes every day */
    cli_output_little(same + 10, entry->crc, 4);
    cli_output_little(same + 14, entry->size, 4);
    cli_output_little(same + 18, entry->size, 4);
    cli_output_little(same + 22, name, 2);
    if (directory)
        cli_output_little(head + 42, entry->at, 4);
    fwrite(head, 1, directory ? CENTRAL : LOCAL, file);
    fwrite(entry->name, 1, name, file);
}

/* Adds an array, after its size and checksum: what is written may be a pipe. */
static void add_array(struct archive *archive, const char *name, const struct cli_column *column, const size_t *shape,
                      size_t dimensions) {
    uint32_t crc = UINT32_MAX;
    struct entry *entry = &archive->entry[archive->entries++];
    snprintf(entry->name, sizeof entry->name, "%s.npy", name);
    entry->at = archive->at;
    entry->size = write_array(NULL, &crc, column, shape, dimensions);
    entry->crc = ~crc;
    write_head(archive->file, entry, 0);
    write_array(archive->file, NULL, column, shape, dimensions);
    archive->at += LOCAL + strlen(entry->name) + entry->size;
}

static void add_axes(struct archive *archive, const struct cli_result *result) {
    uint64_t flow[UH_MAX_AXES][3], closed[UH_MAX_AXES], flow_bins[UH_MAX_AXES];
    for (size_t a = 0; a < result->naxes; a++) {
        const struct cli_axis *axis = &result->axis[a];
        const int by_value = axis->categories != NULL;
        const struct cli_column ends = {.numbers = by_value ? axis->categories : axis->edges, .bytes = 8};
        char name[16];
        snprintf(name, sizeof name, by_value ? "categories%zu" : "edges%zu", a);
        if (!axis->integers)
            add_array(archive, name, &ends, (const size_t[]){by_value ? axis->ncategories : axis->bins + 1}, 1);
        closed[a] = axis->closed;
        flow_bins[a] = axis->flow_bins;
        memcpy(flow[a], (const uint64_t[]){axis->flow.below, axis->flow.above, axis->flow.nan}, sizeof flow[a]);
    }
    if (result->axis[0].integers)
        return; /* bins are integers from 0, and have no flow */
    const struct cli_column flows = {.integers = flow[0], .bytes = 8};
    add_array(archive, "flow", &flows, (const size_t[]){result->naxes, 3}, 2);
    const struct cli_column ends = {.integers = closed, .bytes = 1}, more = {.integers = flow_bins, .bytes = 1};
    add_array(archive, "closed", &ends, &result->naxes, 1);
    add_array(archive, "flow_bins", &more, &result->naxes, 1);
}

int cli_output_npz(FILE *file, const void *what) {
    const struct cli_result *result = what;
    struct archive archive = {.file = file};
    struct cli_column column[CLI_COLUMNS];
    const size_t held = cli_output_columns(result, column);
    size_t shape[UH_MAX_AXES] = {0}, numbers = held * cli_result_cells(result);
    for (size_t a = 0; a < result->naxes; a++)
        numbers += result->axis[a].bins + 1;
    if (numbers > (UINT32_MAX >> 3) - ARRAYS * (HEADER + LOCAL + CENTRAL) / 8)
        return cli_fail("the result exceeds the 4 GiB of a .npz file: %zu numbers", numbers);
    get_shape(result, shape);
    for (size_t i = 0; i < held; i++)
        add_array(&archive, column[i].key, &column[i], shape, result->naxes);
    add_axes(&archive, result);
    size_t directory = 0;
    for (size_t i = 0; i < archive.entries; i++) {
        write_head(file, &archive.entry[i], 1);
        directory += CENTRAL + strlen(archive.entry[i].name);
    }
    unsigned char end[END] = {0};
    cli_output_little(end, 0x06054b50, 4);
    cli_output_little(end + 8, archive.entries, 2);
    cli_output_little(end + 10, archive.entries, 2);
    cli_output_little(end + 12, directory, 4);
    cli_output_little(end + 16, archive.at, 4);
    fwrite(end, 1, END, file);
    return 0;
}

/* ---- lists of integers ------------------------------------------------------------------------------------------- */

enum { BLOCK = 1 << 16, LONGEST = 24 /* a sign, 20 digits, the line end */ };

static size_t write_header(FILE *file, const struct cli_output_integers *integers) {
    static const char *const names[UH_DTYPE_COUNT] = {
        [UH_U32] = "'<u4'", [UH_U64] = "'<u8'", [UH_I32] = "'<i4'", [UH_I64] = "'<i8'"};
    if (integers->shape)
        return put_layout(file, NULL, names[integers->dtype], integers->is_column_major ? "True" : "False",
                          integers->shape);
    return cli_output_npy_header(file, NULL, names[integers->dtype], &integers->count, 1);
}

int cli_output_integers_open(struct cli_output_integers *integers, const char *path, const char *format, uh_dtype dtype,
                             const struct cli_share *share) {
    const int index = cli_output_format(path, format, CLI_OUTPUT_INTEGERS), together = share && share->together;
    *integers = (struct cli_output_integers){.dtype = dtype,
                                             .text = index != CLI_INTEGERS_NPY,
                                             .count = share ? (size_t)share->all : 0,
                                             .known = share != NULL};
    if (index < 0 || (together ? cli_atomic_open_shared : cli_atomic_open)(&integers->atomic, path))
        return -1;
    FILE *file = integers->atomic.file;
    if (!integers->text && !share && cli_atomic_is_stream(path)) {
        integers->kept = file;
        file = integers->atomic.file = cli_have(open_memstream(&integers->memory, &integers->bytes));
    }
    /* The header has room for any length: an unknown one is rewritten at the end. All processes write a shared one,
     * which is the same, and continue from it. */
    const size_t header = !integers->text && !integers->kept ? write_header(file, integers) : 0;
    if (!together || fseek(file, (long)(header + share->first * uh_dtype_size(dtype)), SEEK_SET) == 0)
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
    integers->count += integers->known ? 0 : n;
    return 0;
}

int cli_output_integers_commit(struct cli_output_integers *integers) {
    FILE *kept = integers->kept;
    const int lost = kept && fclose(integers->atomic.file) != 0;
    integers->atomic.file = kept ? kept : integers->atomic.file;
    if (lost)
        return cli_atomic_fail(&integers->atomic);
    /* If this fails, the calls below fail too. */
    if (!integers->text && !integers->known && (kept || fseek(integers->atomic.file, 0, SEEK_SET) == 0))
        write_header(integers->atomic.file, integers);
    if (kept)
        fwrite(integers->memory, 1, integers->bytes, kept);
    free(integers->memory);
    return cli_atomic_commit(&integers->atomic);
}
