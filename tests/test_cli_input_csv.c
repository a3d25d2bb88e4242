/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of text: separators, headers, quotes, and what is refused with which words. */
#include "tests/cli_input.h"

struct table {
    const char *column, *dtype, *content;
    double expected[8];
    size_t n;
};

#define EMPTY NAN

static const struct table tables[] = {
    {NULL, NULL, "", {0}, 0},
    {NULL, NULL, "\n\r\n  \n# 1\n", {0}, 0},
    {NULL, NULL, "1", {1}, 1},
    {NULL, NULL, "1\n2\r\n3\n", {1, 2, 3}, 3},
    {NULL, NULL, "\n\n1\n\n  \n\t\n2\n\r\n", {1, 2}, 2},
    {NULL, NULL, "# 5\n  # \"6\n1\n#\n2\n", {1, 2}, 2},
    {NULL, NULL, "# isn't \"it\n1\n2\n# \"\n3", {1, 2, 3}, 3},
    {NULL, NULL, "\357\273\2771\n2\n", {1, 2}, 2},
    {"x", NULL, "\xef\xbb\xbfx\n1\n2\n", {1, 2}, 2},
    {"x\ny", NULL, "\xef\xbb\xbf\"x\ny\",b\n1,3\n2,4\n", {1, 2}, 2},
    {NULL, NULL, "  1  \n\t2\t\n", {1, 2}, 2},
    /* separators */
    {"1", NULL, "1,10\n2,20\n", {10, 20}, 2},
    {"1", NULL, "1;10\n2;20\n", {10, 20}, 2},
    {"1", NULL, "1\t10\n2\t20\n", {10, 20}, 2},
    {"1", NULL, "1 10\n2    20\n", {10, 20}, 2},
    {"1", NULL, "  1 10  \n 2 \t 20 \n", {10, 20}, 2},
    {"1", NULL, "1 , 10\n2 ,20 , 3\n", {10, 20}, 2},
    {"2", NULL, "1\t\t10\n\t\t20\n\t\t\n", {10, 20, EMPTY}, 3},
    {"0", NULL, "1\t2\n\t20\n", {1, EMPTY}, 2},
    {"1", NULL, "date;price, EUR\n2020;1.5\n", {1.5}, 1},
    {"1", NULL, "a;b,c\n1,2\n", {2}, 1},
    {"wave length", NULL, "wave length\n1.5\n2\n", {1.5, 2}, 2},
    {"length", NULL, "wave length\n1.5 7\n2 8\n", {7, 8}, 2},
    {"1", NULL, "\"a,b\";1\n\"c\";2\n", {1, 2}, 2},
    {"2", NULL, "1;1,5;3\n", {3}, 1},
    {"1", NULL, "a;b\t10\nc\t20\n", {10, 20}, 2},
    /* headers */
    {NULL, NULL, "x\n1\n2\n", {1, 2}, 2},
    {"1", NULL, "a,b\n1,2\n", {2}, 1},
    {"b", NULL, "a,b\n1,2\n3,4\n", {2, 4}, 2},
    {"b", NULL, "a , b , c\n1,2,3\n", {2}, 1},
    {"b c", NULL, "a,\"b c\"\n1,2\n", {2}, 1},
    {"say \"b\"", NULL, "a,\"say \"\"b\"\"\"\n1,2\n", {2}, 1},
    {"b", NULL, "#c\n\na,b\n\n# d\n1,2\n", {2}, 1},
    {"b", NULL, "a,b\n", {0}, 0},
    {"b", NULL, "", {0}, 0},
    {NULL, NULL, ",a,b\n0,1,2\n", {0}, 1},
    {NULL, NULL, ",1\n2,3\n", {EMPTY, 2}, 2},
    /* quotes */
    {"1", NULL, "\"a\",\"1.5\"\n\"b, or \"\"c\"\"\",\" 2 \"\n", {1.5, 2}, 2},
    {"1", NULL, "\"a \"\"b\"\", c\",1\n\"d \"\"\n,e\"\"\",2\n", {1, 2}, 2},
    {"1", NULL, "\"a\r\nb\",1\n\"c\n\nd\",2\r\n", {1, 2}, 2},
    {"1", NULL, "5\" pipe,1\n6\" pipe,2\n", {1, 2}, 2},
    {"0", NULL, "1,#a,\"b\nc\"\n2,#d,e\n", {1, 2}, 2},
    {"1", NULL, "\"a\" b,1\n, \"2\"\n", {1, 2}, 2},
    {"0", NULL, "1\n\"\"\n\"3\"\n", {1, EMPTY, 3}, 3},
    /* integers */
    {NULL, "int8", "-128\n+127\n-0\n007\n", {-128, 127, 0, 7}, 4},
    {NULL, "uint8", "0\n255\n-0\n", {0, 255, 0}, 3},
    {NULL, "int16", "-32768\n32767\n", {-32768, 32767}, 2},
    {NULL, "uint16", "65535\n", {65535}, 1},
    {NULL, "int32", "x\n-2147483648\n2147483647\n", {-2147483648.0, 2147483647}, 2},
    {NULL, "uint32", "4294967295\n", {4294967295.0}, 1},
};

/* What is refused, and with which words. */
static const struct refused {
    const char *column, *dtype, *content, *error;
} refused[] = {
    /* separators */
    {"1", NULL, "1;1,5;3\n", "t.csv:1: column 1 is '1,5' and no line follows, expected a number"},
    {"1", NULL, "0;1;3\n1;1,5;3\n", "t.csv:2: column 1 is '1,5', expected a number"},
    /* headers */
    {"c", NULL, "a,\"b\"\n1,2\n", "t.csv:1: no column is named 'c', expected one of 'a', 'b'"},
    {"c", NULL, "a,b\n", "t.csv:1: no column is named 'c', expected one of 'a', 'b'"},
    {"c", NULL, "1,2\n3,4\n", "t.csv:1: no column is named 'c', expected one of '1', '2'"},
    {"b", NULL, "\nb,b\n1,2\n", "t.csv:2: more than one column is named 'b'; give the number of one"},
    {"b", NULL, "a,b\n1,x\n", "t.csv:2: column 1, 'b' is 'x', expected a number"},
    {NULL, NULL, "x\n", "t.csv:1: column 0 is 'x' and no line follows, expected a number"},
    {NULL, NULL, "x\ny\n1\n", "t.csv:2: column 0 is 'y', expected a number"},
    {"", NULL, "1\n", "column is '', expected a number from 0 or a name"},
    {"99999999999999999999", NULL, "1\n", "column is '99999999999999999999', expected a number from 0"},
    {"18446744073709551615", NULL, "1\n2\n", "t.csv:2: the line has 1 column, expected column 1844674407"},
    {"2", NULL, "1,2,3\n\n4,5\n", "t.csv:3: the line has 2 columns, expected column 2 (the first is 0)"},
    {"2", NULL, "1,2\n4,5\n", "t.csv:2: the line has 2 columns, expected column 2 (the first is 0)"},
    /* quotes */
    {"1", NULL, "\"a\n\nb\",1\n2,x\n", "t.csv:4: column 1 is 'x', expected a number"},
    {"1", NULL, "a,1\nb,\"2\"\"\"\n", "t.csv:2: column 1 is '\"2\"\"\"', expected a number"},
    {"1", NULL, "a,1\n\"b,2\n", "t.csv:2: a quoted field begins in this line and never ends"},
    {"1", NULL, "a,1\nb,\"\n", "t.csv:2: a quoted field begins in this line and never ends"},
    {NULL, NULL, "1\n\"\n", "t.csv:2: a quoted field begins in this line and never ends"},
    /* what is no number */
    {NULL, NULL, "1\nabc\n", "t.csv:2: column 0 is 'abc', expected a number"},
    {NULL, NULL, "1\n1_000\n", "'1_000', expected a number"},
    {NULL, NULL, "1\n0x10\n", "'0x10', expected a number"},
    {NULL, NULL, "1\n1e\n", "'1e', expected a number"},
    {NULL, NULL, "1\n+-1\n", "'+-1', expected a number"},
    {NULL, NULL, "1\n.\n", "'.', expected a number"},
    {NULL, NULL, "1\n1.2.3\n", "'1.2.3', expected a number"},
    {NULL, NULL, "1\nnano\n", "'nano', expected a number"},
    {NULL, NULL, "1\n\x1b[2J\xff\n", "column 0 is '\\x1b[2J\\xff', expected a number"},
    {NULL, NULL, "1\naaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n", "aaaa...'"},
    /* integers */
    {NULL, "int8", "1\n128\n", "t.csv:2: column 0 is '128', out of range, expected an integer from -128 to 127"},
    {NULL, "int8", "-129\n", "column 0 is '-129', out of range, expected an integer from -128 to 127"},
    {NULL, "uint8", "-1\n", "column 0 is '-1', out of range, expected an integer from 0 to 255"},
    {NULL, "uint64", "18446744073709551616\n", "out of range, expected an integer from 0 to 18446744073709551615"},
    {NULL, "int64", "9223372036854775808\n", "out of range"},
    {NULL, "int64", "99999999999999999999999999999999999999999\n", "out of range"},
    {NULL, "int32", "1\n2.0\n", "t.csv:2: column 0 is '2.0', expected an integer from -2147483648 to 2147483647"},
    {NULL, "int32", "1.5\n2\n", "t.csv:1: column 0 is '1.5', expected an integer"},
    {NULL, "int32", "1\nnan\n", "column 0 is 'nan', expected an integer"},
    {"1", "int32", "1,1\n2,\n", "t.csv:2: column 1 is empty, expected an integer"},
    {"1", "int32", "1,1\n2,\"\"\n", "t.csv:2: column 1 is empty, expected an integer"},
};

static double element_as_double(const struct input_read *read, size_t i) {
    const unsigned char *at = read->data + i * uh_dtype_size(read->dtype);
    union {
        float f32;
        double f64;
        int8_t i8;
        int16_t i16;
        int32_t i32;
        int64_t i64;
        uint64_t u64;
    } value = {.u64 = 0};
    memcpy(&value, at, uh_dtype_size(read->dtype));
    switch (read->dtype) {
    case UH_F32: return (double)value.f32;
    case UH_F64: return value.f64;
    case UH_I8: return value.i8;
    case UH_I16: return value.i16;
    case UH_I32: return value.i32;
    case UH_I64: return (double)value.i64;
    default: return (double)value.u64;
    }
}

static void check_table(const struct table *table, const char *path, size_t chunk) {
    const struct input_read read =
        input_read(path, INPUT_OPTIONS(.column = table->column, .dtype = table->dtype, .chunk_bytes = chunk));
    if (read.rc != 0)
        fail_msg("\"%s\" in chunks of %zu: %s", table->content, chunk, read.error.text);
    if (read.n != table->n)
        fail_msg("\"%s\" in chunks of %zu: %zu elements, expected %zu", table->content, chunk, read.n, table->n);
    for (size_t i = 0; i < read.n; i++) {
        double value = element_as_double(&read, i), expected = table->expected[i];
        if (value != expected && !(isnan(value) && isnan(expected)))
            fail_msg("\"%s\" in chunks of %zu: element %zu is %g, expected %g", table->content, chunk, i, value,
                     expected);
    }
    test_end_from(0);
}

/* Chunks of every size up to the whole, then the usual size. */
static size_t next_chunk(size_t chunk, const char *content) {
    return chunk == 0 ? SIZE_MAX : chunk <= strlen(content) ? chunk + 1 : 0;
}

UNIT_TEST(tables_are_read_the_same_wherever_they_are_cut) {
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        const char *path = files_write("t.csv", tables[i].content, strlen(tables[i].content));
        for (size_t chunk = 1; chunk != SIZE_MAX; chunk = next_chunk(chunk, tables[i].content))
            check_table(&tables[i], path, chunk);
    }
}

UNIT_TEST(tables_are_refused_with_the_same_words_wherever_they_are_cut) {
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        const struct refused *table = &refused[i];
        const char *path = files_write("t.csv", table->content, strlen(table->content));
        for (size_t chunk = 1; chunk != SIZE_MAX; chunk = next_chunk(chunk, table->content)) {
            const struct input_read read =
                input_read(path, INPUT_OPTIONS(.column = table->column, .dtype = table->dtype, .chunk_bytes = chunk));
            input_assert_error(&read, table->error);
            test_end_from(0);
        }
    }
}

/* All columns, whose numbers have to be finite. */
static const struct whole_table {
    const char *content;
    double expected[8];
    size_t n, width;
    const char *name; /* of column 1 */
    const char *error;
} whole_tables[] = {
    {"1,2\n3,4\n", {1, 2, 3, 4}, 4, 2, "", NULL},
    {"a,\"b c\",d\n1,2,3\n4,5,6\n", {1, 2, 3, 4, 5, 6}, 6, 3, "b c", NULL},
    {"# a\n\nx y\n1 2\n  3 4  \n", {1, 2, 3, 4}, 4, 2, "y", NULL},
    {"x\n1;2\n3;4\n", {1, 2, 3, 4}, 4, 2, "", NULL},
    {"7\n8\n", {7, 8}, 2, 1, "", NULL},
    {"", {0}, 0, 1, "", NULL},
    {"1,2\n3\n", {0}, 0, 0, NULL, "t.csv:2: the line has 1 column, expected 2 as before"},
    {"1,2\n3,4,5\n", {0}, 0, 0, NULL, "t.csv:2: the line has 3 columns, expected 2 as before"},
    {"a,b\n1,2\n3,\n", {0}, 0, 0, NULL, "t.csv:3: column 1 is empty, expected a number"},
    {"1,2\n-inf,3\n", {0}, 0, 0, NULL, "t.csv:2: column 0 is '-inf', not finite, expected a number"},
    {"a,b\n", {0}, 0, 0, NULL, "t.csv:1: column 0 is 'a' and no line follows, expected a number"},
    {"1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17\n",
     {0},
     0,
     0,
     NULL,
     "t.csv:1: the line has 17 columns, expected at most 16"},
};

UNIT_TEST(all_columns_are_those_of_the_first_line_wherever_they_are_cut) {
    for (const struct whole_table *table = whole_tables;
         table < whole_tables + sizeof whole_tables / sizeof *whole_tables; table++) {
        const char *path = files_write("t.csv", table->content, strlen(table->content));
        for (size_t chunk = 1; chunk != SIZE_MAX; chunk = next_chunk(chunk, table->content)) {
            const struct cli_input_options options = {.all_columns = 1, .finite = 1, .chunk_bytes = chunk};
            if (table->error) {
                const struct input_read read = input_read(path, &options);
                input_assert_error(&read, table->error);
            } else {
                struct cli_input *input = input_open(path, &options);
                const struct input_read read = input_drain(input);
                assert_int_equal(read.rc, 0);
                assert_int_equal(read.n, table->n);
                assert_int_equal(cli_input_facts(input)->width, table->width);
                assert_string_equal(cli_input_column_name(input, 1), table->name);
                for (size_t i = 0; i < read.n; i++)
                    assert_true(element_as_double(&read, i) == table->expected[i]);
            }
            test_end_from(0);
        }
    }
}

UNIT_TEST(text_is_read_again_after_a_rewind) {
    struct cli_input *input =
        input_open(files_write("t.csv", "a;b\n1;2\n3;4\n", 12), INPUT_OPTIONS(.column = "b", .chunk_bytes = 5));
    struct cli_error error;
    for (int pass = 0; pass < 3; pass++) {
        struct input_read read = input_drain(input);
        assert_int_equal(read.rc, 0);
        assert_int_equal(read.n, 2);
        assert_true(element_as_double(&read, 1) == 4);
        assert_int_equal(cli_input_rewind(input, &error), 0);
    }
}

UNIT_TEST(line_over_the_limit_is_an_error) {
    size_t bytes = (16 << 20) + 3;
    char *text = test_memory(bytes);
    memset(text, ' ', bytes);
    text[0] = '1';
    text[1] = '\n';
    struct input_read read = input_read(files_write("t.csv", text, bytes - 1), NULL);
    assert_int_equal(read.rc, 0);
    assert_int_equal(read.n, 1);
    for (size_t chunk = 1 << 20; chunk <= 32 << 20; chunk *= 32) {
        struct cli_input_options options = {.chunk_bytes = chunk};
        for (int ends = 0; ends < 2; ends++) {
            text[bytes - 1] = ends ? '\n' : ' ';
            text[bytes - 2] = '2';
            const char *path = files_write("t.csv", text, bytes);
            read = input_read(path, &options);
            if (ends) {
                assert_int_equal(read.rc, 0);
                assert_int_equal(read.n, 2);
            } else {
                input_assert_error(&read, "t.csv:2: the line is longer than 16777216 bytes");
            }
        }
    }
}

TEST_AROUND(test_cli_input_csv, files_setup, files_teardown)
