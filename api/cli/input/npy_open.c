/* SPDX-License-Identifier: Apache-2.0 */
/* .npy files as inputs: which of their elements are read, and where they are. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "api/cli/input/kind.h"
#include "api/cli/input/number.h"

int cli_kind_select(struct cli_input *input, uint64_t width) {
    const struct cli_input_options *options = &input->options;
    input->row_bytes = width * input->stored.bytes;
    input->facts.width = (size_t)width;
    for (size_t i = 0; i < options->ncolumns && i < CLI_CSV_COLUMNS; i++) {
        uint64_t number;
        if (cli_parse_u64(options->columns[i], 0, width - 1, &number))
            return cli_fail("%s: column is '%.200s', expected a number from 0 to %" PRIu64, input->stream.name,
                            options->columns[i], width - 1);
        input->places[i] = number * input->stored.bytes;
        input->facts.width = options->ncolumns;
        input->gathers = 1;
    }
    return 0;
}

static int open_npy_rows(struct cli_input *input, const struct cli_npy *npy) {
    const size_t ncolumns = input->options.ncolumns;
    const char *name = input->stream.name;
    if (!input->options.rows && !ncolumns)
        return 0;
    if (npy->sizes > 2)
        return cli_fail("%s: the array has %d dimensions, expected 1 or 2, a point a row", name, npy->sizes);
    if (npy->sizes < 2 && ncolumns)
        return cli_fail("%s: column is '%.200s', but the array has %d dimension%s, expected 2 or structures", name,
                        input->options.columns[0], npy->sizes, npy->sizes == 1 ? "" : "s");
    if (npy->sizes < 2)
        return 0;
    if (npy->last == 0 || npy->last > SIZE_MAX / npy->stored.bytes)
        return cli_fail("%s: rows of %" PRIu64 " values", name, npy->last);
    const uint64_t lines = npy->count / npy->last, column_bytes = lines * npy->stored.bytes;
    if (cli_kind_select(input, npy->last))
        return -1;
    if (!npy->fortran || npy->last < 2 || lines < 2)
        return 0;
    input->gathers = 0;
    input->row_bytes = npy->stored.bytes;
    if (ncolumns == 1) {
        input->begin += input->places[0] * lines;
        input->end = input->begin + column_bytes;
    } else {
        input->facts.is_separate = input->facts.is_fortran = 1;
        input->facts.width = (size_t)npy->last;
        input->column_bytes = column_bytes;
    }
    return 0;
}

static int are_alike(const struct cli_stored *a, const struct cli_stored *b) {
    return a->dtype == b->dtype && a->bytes == b->bytes && a->swapped == b->swapped && a->half == b->half &&
           a->unit.months == b->unit.months && a->unit.num == b->unit.num && a->unit.den == b->unit.den;
}

/* Selects the requested fields of structures. They are separate if their types differ. */
static int open_fields(struct cli_input *input, const unsigned char *head, size_t have, const struct cli_npy *first) {
    const struct cli_input_options *options = &input->options;
    for (size_t i = 0; i < options->ncolumns && i < CLI_CSV_COLUMNS; i++) {
        struct cli_npy npy;
        if (cli_npy_parse(input->stream.name, head, have, options->columns[i], &npy))
            return -1;
        input->places[i] = npy.field;
        input->facts.is_separate |= !are_alike(&npy.stored, &first->stored);
    }
    input->facts.width = options->ncolumns;
    input->gathers = 1;
    return 0;
}

int cli_npy_open(struct cli_input *input, const unsigned char *head, size_t have) {
    const struct cli_input_options *options = &input->options;
    const char *name = input->stream.name;
    struct cli_npy npy;
    if (cli_npy_parse(name, head, have, options->ncolumns ? options->columns[0] : NULL, &npy) != 0)
        return -1;
    if (options->dtype && (npy.stored.dtype != input->stored.dtype || npy.stored.half != input->stored.half))
        return cli_fail("%s: dtype is '%.40s', but this .npy file holds %s; leave the dtype out", name, options->dtype,
                        npy.stored.half ? "float16" : uh_enum_name(UH_ENUM_DTYPE, npy.stored.dtype));
    input->facts.dtype = npy.stored.dtype;
    input->stored = npy.stored;
    input->row_bytes = npy.item_bytes;
    if (npy.stored.unit.den && options->no_times)
        return cli_fail("%s: the elements are dates, expected numbers", name);
    input->facts.kinds[0] = npy.stored.unit.den ? 0 : UINT32_MAX;
    input->facts.kinds[1] = ~input->facts.kinds[0];
    input->begin = npy.data_offset;
    input->end = npy.data_offset + npy.count * npy.item_bytes;
    uint64_t size = input->stream.size;
    if (size && size < input->end)
        return cli_fail("%s: truncated: the header announces %" PRIu64 " bytes of data, found %" PRIu64, name,
                        input->end - input->begin, size - input->begin);
    if (!options->ncolumns)
        memcpy(input->facts.shape, npy.shape, sizeof npy.shape);
    input->facts.is_column_major = npy.fortran;
    return npy.structured ? open_fields(input, head, have, &npy) : open_npy_rows(input, &npy);
}
