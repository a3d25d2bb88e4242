/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a .npy file: a header that is accepted makes sense, and the elements are the same from a file, from a
 * pipe and when read again, in chunks of any size. */
#define _GNU_SOURCE /* memfd_create */
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "api/cli/input/inputs.h"
#include "api/cli/input/kind.h"
#include "tests/fuzz.h"

struct result {
    int rc;
    size_t bytes;
    void *data;
};

static void check_header(const uint8_t *data, size_t size) {
    struct cli_npy npy;
    if (cli_npy_parse("f", data, size, size % 2 ? "1" : NULL, &npy) != 0) {
        CHECK(strncmp(cli_error.text, "f: ", 3) == 0);
        return;
    }
    CHECK(npy.data_offset <= size);
    CHECK(npy.stored.bytes == uh_dtype_size(npy.stored.dtype) || (npy.stored.half && npy.stored.bytes == 2));
    CHECK(npy.count <= (INT64_MAX - npy.data_offset) / npy.item_bytes);
    CHECK(npy.field + npy.stored.bytes <= npy.item_bytes);
}

static void drain(struct cli_inputs *inputs, struct result *result) {
    struct cli_numbers all;
    result->rc = cli_inputs_read(inputs, SIZE_MAX, &all);
    result->data = all.data;
    result->bytes = all.n * uh_dtype_size(all.dtype);
}

static void check_same(const struct result *a, const struct result *b) {
    CHECK(a->rc == b->rc && a->bytes == b->bytes);
    CHECK(a->bytes == 0 || memcmp(a->data, b->data, a->bytes) == 0);
}

/* Reads what `fd` gives twice. Returns 0, or -1 when it cannot be opened as an input. */
static int read_twice(int fd, size_t chunk_bytes, struct result *result) {
    char path[64];
    struct cli_input_options options = {.chunk_bytes = chunk_bytes, .several_passes = 1};
    struct cli_inputs *inputs;
    struct result again = {0};
    char *paths = path;
    uint64_t count;
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (cli_inputs_open(&paths, 1, &options, &inputs) != 0)
        return -1;
    drain(inputs, result);
    drain(inputs, &again);
    check_same(result, &again);
    if (result->rc == 0 && cli_inputs_count(inputs, &count))
        CHECK(result->bytes == count * uh_dtype_size(cli_inputs_facts(inputs)->dtype));
    free(again.data);
    cli_inputs_close(inputs);
    return 0;
}

static void check_contents(const uint8_t *data, size_t size) {
    struct result file = {0}, pipe_ = {0};
    size_t chunk_bytes = 1 + (size ? data[size - 1] : 0u) * 8u;
    int ends[2], fd = memfd_create("fuzz", MFD_CLOEXEC);
    CHECK(fd >= 0 && pipe2(ends, O_CLOEXEC) == 0);
    CHECK(write(fd, data, size) == (ssize_t)size);
    CHECK(write(ends[1], data, size) == (ssize_t)size);
    close(ends[1]);
    int file_rc = read_twice(fd, chunk_bytes, &file);
    int pipe_rc = read_twice(ends[0], chunk_bytes, &pipe_);
    /* A file's length is known at once, a pipe's only at its end. */
    if (file_rc == 0) {
        CHECK(pipe_rc == 0);
        check_same(&file, &pipe_);
    } else {
        CHECK(pipe_rc != 0 || pipe_.rc != 0);
    }
    free(file.data);
    free(pipe_.data);
    close(fd);
    close(ends[0]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    check_header(data, size);
    if (size <= 4096 && cli_npy_is_magic(data, size))
        check_contents(data, size);
    return 0;
}
