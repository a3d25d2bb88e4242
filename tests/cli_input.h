/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of the command's input share: an input read to its end. */
#ifndef TEST_CLI_INPUT_H
#define TEST_CLI_INPUT_H

#include "api/cli/input/input.h"
#include "tests/files.h"

#define INPUT_OPTIONS(...) (&(const struct cli_input_options){__VA_ARGS__})

/* An input that was read to its end, or to its error; the data end with the unit test. */
struct input_read {
    int rc;
    uh_dtype dtype;
    size_t n;
    size_t largest; /* of the chunks, in elements */
    unsigned char *data;
    struct cli_error error;
};

/* Reads what is left of an input. */
static inline struct input_read input_drain(struct cli_input *input) {
    struct input_read read = {.dtype = cli_input_facts(input)->dtype};
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
    test_at_end(read.data, free);
    return read;
}

static inline void input_close(void *input) {
    cli_input_close(input);
}

/* Opens an input, which is closed at the end of the unit test. */
static inline struct cli_input *input_open(const char *path, const struct cli_input_options *options) {
    struct cli_input *input = NULL;
    struct cli_error error = {.text = ""};
    if (cli_input_open(path, options, &input, &error) != 0)
        fail_msg("%s", error.text);
    return test_at_end(input, input_close);
}

/* Opens, reads to the end, closes. */
static inline struct input_read input_read(const char *path, const struct cli_input_options *options) {
    struct cli_input *input = NULL;
    struct input_read read = {.rc = -1};
    struct cli_error error = {.text = ""};
    if (cli_input_open(path, options, &input, &error) == 0) {
        read = input_drain(input);
        cli_input_close(input);
    } else {
        assert_null(input);
        read.error = error;
    }
    return read;
}

static inline void input_assert_error(const struct input_read *read, const char *expected) {
    assert_int_equal(read->rc, -1);
    if (!strstr(read->error.text, expected))
        fail_msg("the error is \"%s\", expected it to say \"%s\"", read->error.text, expected);
    assert_null(strchr(read->error.text, '\n'));
}

#endif
