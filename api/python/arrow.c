/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of Arrow's arrays, read in place. */
#include "api/python/native.h"

#include <math.h>
#include <string.h>

/* Adds the values that bits from `first` on say are known, and NaN for the others. */
static int fill_known(uh_histogram *histogram, const uh_array *x, const uint8_t *bits, size_t first) {
    enum { BLOCK = 1 << 14, WORD = sizeof(double) };
    const float nan = NAN;
    _Alignas(double) char values[BLOCK * WORD];
    const char *data = x->data;
    const size_t size = (size_t)x->stride;
    size_t n = 0, missing = 0;
    /* An axis of integers that grows has no NaN. */
    int status = uh_histogram_prepare(histogram, &(uh_dtype){UH_F32}) ? UHPY_NOT_DONE : UH_SUCCESS;
    for (size_t i = 0; i < x->count && !status; i++) {
        const size_t known = bits[(first + i) / 8] >> (first + i) % 8 & 1;
        if (size == WORD)
            memcpy(values + n * WORD, data + i * WORD, WORD);
        else
            memcpy(values + n * size, data + i * size, size);
        n += known;
        missing += !known;
        if (n == BLOCK || i + 1 == x->count) {
            status = (int)uh_histogram_fill(histogram, &(uh_array){x->dtype, values, x->stride, n}, NULL);
            n = 0;
        }
    }
    return status ? status : (int)uh_histogram_fill(histogram, &(uh_array){UH_F32, &nan, 0, missing}, NULL);
}

int uhpy_fill_chunk(uh_histogram *histogram, const uhpy_arrow_array *chunk, size_t count, const int *places,
                    uh_array *arrays) {
    for (size_t a = 0; a < count; a++) {
        const uhpy_arrow_array *own = places[a] < 0 ? chunk : chunk->children[places[a]];
        const size_t first = (size_t)(own == chunk ? chunk->offset : chunk->offset + own->offset);
        if (chunk->length == 0)
            return UH_SUCCESS; /* it may have no buffers */
        arrays[a].data = (const char *)own->buffers[1] + first * (size_t)arrays[a].stride;
        arrays[a].count = (size_t)chunk->length;
        if (own != chunk && chunk->null_count && chunk->buffers[0])
            return UHPY_NOT_DONE;
        if (own->null_count && own->buffers[0])
            return count == 1 ? fill_known(histogram, arrays, own->buffers[0], first) : UHPY_NOT_DONE;
    }
    return (int)uh_histogram_fill(histogram, arrays, NULL);
}
