/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a saved histogram, as they are and with length and checksum made right, so that the code after these
 * checks is tried too: what is taken is sound, can be counted with, and comes back from its own bytes. */
#include <stdint.h>
#include <string.h>

#include "runtime/sha256.h"
#include "tests/fuzz.h"

enum { HEAD = 24, DIGEST = 32, MAX = 1 << 16 };

/* The bytes of a histogram that was loaded hold it again. */
static void use(uh_histogram *histogram) {
    static const double x[] = {-1, 0, 0.5, 1e30};
    static const int64_t i[] = {0, 5};
    size_t size, again;
    uh_histogram *twice;
    (void)uh_histogram_merge(histogram, histogram);
    CHECK(uh_histogram_save_bytes(histogram, NULL, 0, &size) == UH_SUCCESS);
    unsigned char *bytes = malloc(2 * size);
    CHECK(bytes && uh_histogram_save_bytes(histogram, bytes, size, &size) == UH_SUCCESS);
    CHECK(uh_histogram_load_bytes(fuzz_queue(), bytes, size, &twice) == UH_SUCCESS);
    CHECK(uh_histogram_save_bytes(twice, bytes + size, size, &again) == UH_SUCCESS);
    CHECK(again == size && memcmp(bytes, bytes + size, size) == 0);
    uh_histogram_properties properties = {.struct_size = sizeof properties};
    CHECK(uh_histogram_get_properties(twice, &properties) == UH_SUCCESS);
    uh_array arrays[UH_MAX_AXES];
    const uh_array integers = uh_array_of(UH_I64, i, sizeof i / sizeof *i); /* for an axis that grows */
    for (size_t a = 0; a < UH_MAX_AXES; a++)
        arrays[a] = uh_array_of(UH_F64, x, sizeof x / sizeof *x);
    CHECK(uh_histogram_fill(twice, arrays, properties.storage == UH_STORAGE_MEAN ? arrays : NULL) == UH_SUCCESS ||
          uh_histogram_fill(twice, &integers, NULL) == UH_SUCCESS);
    uh_histogram_destroy(twice);
    free(bytes);
}

static void load(const unsigned char *bytes, size_t size) {
    uh_histogram *histogram = NULL;
    if (uh_histogram_load_bytes(fuzz_queue(), bytes, size, &histogram) == UH_SUCCESS)
        use(histogram);
    uh_histogram_destroy(histogram);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    load(data, size);
    if (size < HEAD || size > MAX)
        return 0;
    unsigned char *right = malloc(size + DIGEST);
    CHECK(right);
    memcpy(right, data, size);
    const uint64_t length = size + DIGEST;
    memcpy(right + 16, &length, sizeof length);
    uhi_sha256_of(right, size, right + size);
    load(right, size + DIGEST);
    free(right);
    return 0;
}
