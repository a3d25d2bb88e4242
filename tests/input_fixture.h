/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of the command's input share: files in a scratch folder, and an input read to its end. */
#ifndef TEST_INPUT_FIXTURE_H
#define TEST_INPUT_FIXTURE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/cli/input/input.h"
#include "tests/support.h"

#define FIXTURE_LIMIT 4096

struct fixture {
    char directory[64];
    char path[128]; /* of the file written last */
};

/* An input that was read to its end, or to its error. */
struct fixture_read {
    int rc;
    uh_dtype dtype;
    size_t n;
    size_t largest; /* of the chunks, in elements */
    unsigned char *data;
    struct cli_error error;
};

static inline int fixture_setup(void **state) {
    struct fixture *fixture = calloc(1, sizeof *fixture);
    assert_non_null(fixture);
    snprintf(fixture->directory, sizeof fixture->directory, "/tmp/unihist-test-XXXXXX");
    assert_non_null(mkdtemp(fixture->directory));
    *state = fixture;
    return 0;
}

static inline int fixture_teardown(void **state) {
    struct fixture *fixture = *state;
    if (fixture->path[0])
        unlink(fixture->path);
    int rc = rmdir(fixture->directory);
    free(fixture);
    return rc;
}

/* Names a file in the scratch folder, in place of the one before, which is removed. */
static inline const char *fixture_name(struct fixture *fixture, const char *name) {
    if (fixture->path[0])
        unlink(fixture->path);
    snprintf(fixture->path, sizeof fixture->path, "%s/%s", fixture->directory, name);
    return fixture->path;
}

static inline const char *fixture_write(struct fixture *fixture, const char *name, const void *data, size_t bytes) {
    FILE *file = fopen(fixture_name(fixture, name), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, bytes, file), bytes);
    assert_int_equal(fclose(file), 0);
    return fixture->path;
}

/* Reads what is left of an input. */
static inline struct fixture_read fixture_drain(struct cli_input *input) {
    struct fixture_read read = {.dtype = cli_input_dtype(input)};
    size_t element_bytes = uh_dtype_size(read.dtype), n;
    const void *data;
    while ((read.rc = cli_input_next(input, &data, &n, &read.error)) > 0) {
        assert_true(n > 0);
        assert_true((uintptr_t)data % element_bytes == 0);
        read.data = realloc(read.data, (read.n + n) * element_bytes);
        assert_non_null(read.data);
        memcpy(read.data + read.n * element_bytes, data, n * element_bytes);
        read.n += n;
        read.largest = n > read.largest ? n : read.largest;
    }
    if (read.rc == 0)
        assert_int_equal(cli_input_next(input, &data, &n, &read.error), 0);
    return read;
}

/* Opens, reads to the end, closes. */
static inline struct fixture_read fixture_read(const char *path, const struct cli_input_options *options) {
    struct cli_input *input = NULL;
    struct fixture_read read = {.rc = -1};
    struct cli_error error = {{0}};
    if (cli_input_open(path, options, &input, &error) == 0) {
        read = fixture_drain(input);
        cli_input_close(input);
    } else {
        assert_null(input);
        read.error = error;
    }
    return read;
}

static inline void fixture_assert_error(const struct fixture_read *read, const char *expected) {
    assert_int_equal(read->rc, -1);
    if (!strstr(read->error.text, expected))
        fail_msg("the error is \"%s\", expected it to say \"%s\"", read->error.text, expected);
    assert_null(strchr(read->error.text, '\n'));
}

#endif
