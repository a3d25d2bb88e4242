/* SPDX-License-Identifier: Apache-2.0 */
/* What kind an input is, raw binary, pipes, several passes and chunks. */
#include "tests/cli_input.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <time.h>

#include "api/cli/input/inputs.h"
#include "api/cli/input/npy.h"
#include "api/cli/input/stream.h"

/* A pipe with a name, fed by a thread, a few bytes at a time. */
struct feeder {
    const char *path;
    const unsigned char *data;
    size_t bytes, step;
    pthread_t thread;
};

static void *feed(void *argument) {
    const struct feeder *feeder = argument;
    int fd = open(feeder->path, O_WRONLY);
    for (size_t at = 0; fd >= 0 && at < feeder->bytes;) {
        size_t left = feeder->bytes - at;
        ssize_t n = write(fd, feeder->data + at, left < feeder->step ? left : feeder->step);
        if (n < 0)
            break;
        at += (size_t)n;
        if (at % (16 * feeder->step) < feeder->step)
            nanosleep(&(struct timespec){0, 20000}, NULL);
    }
    if (fd >= 0)
        close(fd);
    return NULL;
}

static void feeder_start(struct feeder *feeder, const char *name) {
    feeder->path = files_path(name);
    unlink(feeder->path);
    assert_int_equal(mkfifo(feeder->path, 0600), 0);
    assert_int_equal(pthread_create(&feeder->thread, NULL, feed, feeder), 0);
}

static void fill_random(void *data, size_t bytes) {
    uint64_t state = 7;
    for (size_t i = 0; i < bytes; i++)
        ((unsigned char *)data)[i] = (unsigned char)test_random_u64(&state);
}

static void assert_holds(struct input_read *read, const void *data, size_t bytes) {
    if (read->rc != 0)
        fail_msg("%s", read->error.text);
    assert_int_equal(read->n * uh_dtype_size(read->dtype), bytes);
    if (bytes)
        assert_memory_equal(read->data, data, bytes);
}

UNIT_TEST(raw_binary_is_given_as_it_is_for_every_chunk_size) {
    unsigned char data[1000];
    fill_random(data, sizeof data);
    const char *path = files_write("data.bin", data, sizeof data);
    static const char *const dtypes[] = {"uint8", "int16", "float32", "uint64"};
    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++) {
        for (size_t chunk = 1; chunk < 1100; chunk += chunk < 40 ? 1 : 97) {
            struct input_read read = input_read(path, INPUT_OPTIONS(.dtype = dtypes[d], .chunk_bytes = chunk));
            size_t element = uh_dtype_size(read.dtype);
            assert_true(read.largest * element <= (chunk > element ? chunk : element));
            assert_holds(&read, data, sizeof data);
        }
    }
}

UNIT_TEST(kind_follows_content_then_dtype_then_name) {
    static const char npy[] =
        "\x93NUMPY\x01\x00\x3a\x00{'descr': '<u2', 'fortran_order': False, 'shape': (2,)}    \n12";
    static const struct {
        const char *name, *dtype, *content;
        size_t bytes;
        uh_dtype expected;
        size_t n;
        const char *error;
    } cases[] = {
        {"a.npy", NULL, npy, 10 + 58 + 4, UH_U16, 2, NULL},
        {"a.csv", NULL, npy, 10 + 58 + 4, UH_U16, 2, NULL},
        {"a.npy", "uint16", npy, 10 + 58 + 4, UH_U16, 2, NULL},
        {"a.npy", "float64", npy, 10 + 58 + 4, UH_F64, 0, "dtype is 'float64', but this .npy file holds uint16"},
        {"a.npy", NULL, "1\n2\n", 4, UH_F64, 0, "is not a .npy file"},
        {"a.npy", "uint8", "1\n2\n", 4, UH_U8, 0, "is not a .npy file"},
        {"a.NPY", NULL, "", 0, UH_F64, 0, "is not a .npy file"},
        {"a.csv", NULL, "1\n2\n", 4, UH_F64, 2, NULL},
        {"a.csv", "uint8", "1\n2\n", 4, UH_U8, 2, NULL},
        {"a.TXT", "uint8", "1\n2\n", 4, UH_U8, 2, NULL},
        {"a.dat", "uint8", "1\n2\n", 4, UH_U8, 2, NULL},
        {"a.bin", "uint8", "1\n2\n", 4, UH_U8, 4, NULL},
        {"a", "uint8", "1\n2\n", 4, UH_U8, 4, NULL},
        {"csv", "uint8", "1\n2\n", 4, UH_U8, 4, NULL},
        {"a", NULL, "1\n2\n", 4, UH_F64, 2, NULL},
        {"a", "uint8", "", 0, UH_U8, 0, NULL},
        {"a", NULL, "", 0, UH_F64, 0, NULL},
        {"a", NULL, "\1\0\2\0", 4, UH_F64, 0, "raw binary needs a dtype"},
        {"a", "float16", "12", 2, UH_F64, 0, "float16"},
        {"a", "", "12", 2, UH_F64, 0, "expected"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct input_read read = input_read(files_write(cases[i].name, cases[i].content, cases[i].bytes),
                                            INPUT_OPTIONS(.dtype = cases[i].dtype));
        if (cases[i].error) {
            input_assert_error(&read, cases[i].error);
            continue;
        }
        if (read.rc != 0)
            fail_msg("case %zu: %s", i, read.error.text);
        assert_int_equal(read.dtype, cases[i].expected);
        assert_int_equal(read.n, cases[i].n);
    }
}

UNIT_TEST(pipe_fed_a_few_bytes_at_a_time_gives_everything) {
    unsigned char data[24000];
    fill_random(data, sizeof data);
    for (size_t step = 1; step <= 13; step += 3) {
        struct feeder feeder = {.data = data, .bytes = sizeof data, .step = step};
        feeder_start(&feeder, "pipe");
        struct input_read read = input_read(feeder.path, INPUT_OPTIONS(.dtype = "int64", .chunk_bytes = 1024));
        pthread_join(feeder.thread, NULL);
        assert_int_equal(read.largest, 128);
        assert_holds(&read, data, sizeof data);
    }
}

UNIT_TEST(kept_pipe_can_be_read_again_from_any_point) {
    unsigned char data[40000];
    fill_random(data, sizeof data);
    struct cli_error error;
    for (size_t chunks = 0; chunks <= 90; chunks += 15) {
        struct feeder feeder = {.data = data, .bytes = sizeof data, .step = 700};
        feeder_start(&feeder, "pipe");
        struct cli_input *input =
            input_open(feeder.path, INPUT_OPTIONS(.dtype = "uint32", .chunk_bytes = 512, .several_passes = 1));
        const void *chunk;
        size_t n;
        for (size_t i = 0; i < chunks; i++)
            assert_true(cli_input_next(input, &chunk, &n, &error) >= 0);
        for (int pass = 0; pass < 2; pass++) {
            assert_int_equal(cli_input_rewind(input, &error), 0);
            assert_int_equal(cli_input_bytes_read(input), 0);
            struct input_read read = input_drain(input);
            assert_int_equal(cli_input_bytes_read(input), sizeof data);
            assert_holds(&read, data, sizeof data);
        }
        pthread_join(feeder.thread, NULL);
        test_end_from(0);
    }
}

/* Of one so short that a look at its beginning has all of it, depending on who is faster, nothing would be lost. */
UNIT_TEST(pipe_that_was_not_kept_cannot_be_read_again) {
    unsigned char data[2 * CLI_STREAM_HEAD];
    fill_random(data, sizeof data);
    struct cli_error error;
    struct feeder feeder = {.data = data, .bytes = sizeof data, .step = 700};
    feeder_start(&feeder, "pipe");
    struct cli_input *input = input_open(feeder.path, INPUT_OPTIONS(.dtype = "uint32", .chunk_bytes = 512));
    struct input_read read = input_drain(input);
    pthread_join(feeder.thread, NULL);
    assert_holds(&read, data, sizeof data);
    assert_int_equal(cli_input_rewind(input, &error), -1);
    assert_non_null(strstr(error.text, "cannot be read twice"));
}

UNIT_TEST(pipe_that_tells_of_more_than_it_holds_takes_no_memory_for_it) {
    static const char head[] =
        "\x93NUMPY\x01\0\x76\0{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000000,), }";
    unsigned char data[128 + 40] = {0};
    memset(data, ' ', 128);
    memcpy(data, head, sizeof head - 1);
    data[127] = '\n';
    struct feeder feeder = {.data = data, .bytes = sizeof data, .step = 700};
    feeder_start(&feeder, "pipe");
    char *path = (char *)feeder.path;
    struct cli_error error = {.text = ""};
    struct cli_inputs *inputs;
    struct cli_numbers all;
    assert_int_equal(cli_inputs_open(&path, 1, INPUT_OPTIONS(.chunk_bytes = 16), &inputs, &error), 0);
    assert_int_equal(cli_inputs_read(inputs, SIZE_MAX, &all, &error), -1);
    pthread_join(feeder.thread, NULL);
    assert_non_null(strstr(error.text, "truncated"));
    assert_int_equal(all.n, 4);
    cli_numbers_free(&all);
    cli_inputs_close(inputs);
}

UNIT_TEST(closing_does_not_wait_for_a_silent_pipe) {
    const char *path = files_path("silent");
    assert_int_equal(mkfifo(path, 0600), 0);
    int fd = open(path, O_RDWR);
    assert_true(fd >= 0);
    unsigned char data[100] = {1};
    assert_int_equal(write(fd, data, sizeof data), sizeof data);
    struct cli_error error;
    const void *chunk;
    size_t n;
    struct cli_input *input = input_open(path, INPUT_OPTIONS(.dtype = "uint32", .chunk_bytes = 40));
    assert_int_equal(cli_input_next(input, &chunk, &n, &error), 1);
    assert_int_equal(n, 10);
    cli_input_close(test_take(input));
    close(fd);
}

UNIT_TEST(standard_input_is_read_from_where_it_stands) {
    const char *path = files_write("a", "12345678", 8);
    int saved = dup(STDIN_FILENO), fd = open(path, O_RDONLY);
    assert_true(saved >= 0 && fd >= 0);
    assert_int_equal(lseek(fd, 2, SEEK_SET), 2);
    assert_int_equal(dup2(fd, STDIN_FILENO), STDIN_FILENO);
    struct input_read read = input_read("-", INPUT_OPTIONS(.dtype = "uint8"));
    assert_holds(&read, "345678", 6);
    dup2(saved, STDIN_FILENO);
    close(saved);
    close(fd);
}

UNIT_TEST(file_cut_short_while_it_is_read_is_an_error) {
    static unsigned char data[1 << 16];
    const char *path = files_write("a.bin", data, sizeof data);
    struct cli_error error;
    const void *chunk;
    size_t n;
    struct cli_input *input = input_open(path, INPUT_OPTIONS(.dtype = "uint8", .chunk_bytes = 512));
    assert_int_equal(cli_input_next(input, &chunk, &n, &error), 1);
    assert_int_equal(truncate(path, 5000), 0);
    struct input_read read = input_drain(input);
    input_assert_error(&read, "was truncated while being read: expected 65536 bytes, found");
}

UNIT_TEST(file_that_grows_while_it_is_read_is_read_as_it_was) {
    static unsigned char data[1 << 16];
    const char *path = files_write("a.bin", data, sizeof data);
    struct cli_input *input = input_open(path, INPUT_OPTIONS(.dtype = "uint8", .chunk_bytes = 512));
    assert_int_equal(truncate(path, sizeof data + 1000), 0);
    struct input_read read = input_drain(input);
    assert_holds(&read, data, sizeof data);
}

UNIT_TEST(count_and_size_are_known_for_files) {
    const struct cli_input *input = input_open(files_write("a.bin", "123456", 6), INPUT_OPTIONS(.dtype = "uint16"));
    assert_int_equal(cli_input_facts(input)->is_counted, 1);
    assert_int_equal(cli_input_facts(input)->count, 3);
    assert_int_equal(cli_input_facts(input)->bytes, 6);
    input = input_open(files_write("a.csv", "1\n2\n3\n", 6), NULL);
    assert_int_equal(cli_input_facts(input)->is_counted, 0);
    assert_int_equal(cli_input_facts(input)->bytes, 6);
}

UNIT_TEST(every_half_is_converted_exactly) {
    static uint16_t half[65536];
    static float single[65536];
    for (size_t i = 0; i < 65536; i++)
        half[i] = (uint16_t)i;
    cli_convert_half(half, single, 65536);
    for (int i = 0; i < 65536; i++) {
        int exponent = i >> 10 & 31, fraction = i & 1023;
        uint32_t bits;
        memcpy(&bits, &single[i], 4);
        assert_int_equal(bits >> 31, i >> 15);
        if (exponent == 31) {
            assert_int_equal(bits & 0x7fffffff, 0x7f800000 | fraction << 13);
            continue;
        }
        double value = exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24);
        assert_true(fabs((double)single[i]) == value);
    }
}

UNIT_TEST(all_numbers_of_a_small_file_are_read) {
    static const struct {
        const char *name, *content;
        double expected[8];
        size_t n;
        const char *error;
    } cases[] = {
        {"e.csv", "1\n2\n3.5\n", {1, 2, 3.5}, 3, NULL},
        {"e.csv", "1,2,3.5", {1, 2, 3.5}, 3, NULL},
        {"e.txt", "1 2 \t3.5\r\n4 , 5,6,\r\n\r\n-7e0 ;8; \r\n", {1, 2, 3.5, 4, 5, 6, -7, 8}, 8, NULL},
        {"e.txt", "\xef\xbb\xbf# edges, of old\n  1\n# more\n2", {1, 2}, 2, NULL},
        {"e.txt", "edge\n1\n2", {1, 2}, 2, NULL},
        {"e.txt", "\"edge\"\n\"1\"\n\"2\"", {1, 2}, 2, NULL},
        {"e.txt", "inf nan -inf\n", {HUGE_VAL, NAN, -HUGE_VAL}, 3, NULL},
        {"e.csv", "left,right\n1,2\n2,3", {1, 2, 2, 3}, 4, NULL},
        {"e.txt", "", {0}, 0, NULL},
        {"e.txt", "edge", {0}, 0, "e.txt:1: no numbers"},
        {"e.txt", "1\n2\nx", {0}, 0, "e.txt:3: 'x', expected a number"},
        {"e.txt", "a\nb\n1", {0}, 0, "e.txt:2: 'b', expected a number"},
        {"e.txt", "1,,2", {0}, 0, "e.txt:1: nothing between two separators, expected a number"},
        {"e.txt", ",1", {0}, 0, "e.txt:1: nothing between two separators, expected a number"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *path = files_write(cases[i].name, cases[i].content, strlen(cases[i].content));
        struct input_read read = {0};
        struct cli_numbers all;
        read.rc = cli_inputs_read_file(path, &all, &read.error);
        if (cases[i].error) {
            input_assert_error(&read, cases[i].error);
            assert_null(all.data);
            continue;
        }
        if (read.rc != 0)
            fail_msg("case %zu: %s", i, read.error.text);
        assert_int_equal(all.dtype, UH_F64);
        assert_int_equal(all.n, cases[i].n);
        for (size_t j = 0; j < all.n; j++) {
            double value, expected = cases[i].expected[j];
            memcpy(&value, (char *)all.data + 8 * j, 8);
            assert_true(value == expected || (isnan(value) && isnan(expected)));
        }
        cli_numbers_free(&all);
    }
}

TEST_AROUND(test_cli_input, files_setup, files_teardown)
