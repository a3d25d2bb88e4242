/* SPDX-License-Identifier: Apache-2.0 */
/* Text: tables, their separators, headers and quotes, and numbers, correctly rounded. */
#include "tests/input_fixture.h"

#include <inttypes.h>
#include <locale.h>
#include <math.h>

#include "api/cli/csv_number.h"

struct table {
    const char *column, *dtype, *content;
    double expected[8];
    size_t n;
    const char *error; /* what the message says, when the table is refused */
};

#define EMPTY NAN

static const struct table tables[] = {
    {NULL, NULL, "", {0}, 0, NULL},
    {NULL, NULL, "\n\r\n  \n# 1\n", {0}, 0, NULL},
    {NULL, NULL, "1", {1}, 1, NULL},
    {NULL, NULL, "1\n2\r\n3\n", {1, 2, 3}, 3, NULL},
    {NULL, NULL, "\n\n1\n\n  \n\t\n2\n\r\n", {1, 2}, 2, NULL},
    {NULL, NULL, "# 5\n  # \"6\n1\n#\n2\n", {1, 2}, 2, NULL},
    {NULL, NULL, "# isn't \"it\n1\n2\n# \"\n3", {1, 2, 3}, 3, NULL},
    {NULL,
     NULL,
     "\xef\xbb\xbf"
     "1\n2\n",
     {1, 2},
     2,
     NULL},
    {"x", NULL, "\xef\xbb\xbfx\n1\n2\n", {1, 2}, 2, NULL},
    {"x\ny", NULL, "\xef\xbb\xbf\"x\ny\",b\n1,3\n2,4\n", {1, 2}, 2, NULL},
    {NULL, NULL, "  1  \n\t2\t\n", {1, 2}, 2, NULL},
    /* separators */
    {"1", NULL, "1,10\n2,20\n", {10, 20}, 2, NULL},
    {"1", NULL, "1;10\n2;20\n", {10, 20}, 2, NULL},
    {"1", NULL, "1\t10\n2\t20\n", {10, 20}, 2, NULL},
    {"1", NULL, "1 10\n2    20\n", {10, 20}, 2, NULL},
    {"1", NULL, "  1 10  \n 2 \t 20 \n", {10, 20}, 2, NULL},
    {"1", NULL, "1 , 10\n2 ,20 , 3\n", {10, 20}, 2, NULL},
    {"2", NULL, "1\t\t10\n\t\t20\n\t\t\n", {10, 20, EMPTY}, 3, NULL},
    {"0", NULL, "1\t2\n\t20\n", {1, EMPTY}, 2, NULL},
    {"1", NULL, "date;price, EUR\n2020;1.5\n", {1.5}, 1, NULL},
    {"1", NULL, "a;b,c\n1,2\n", {2}, 1, NULL},
    {"wave length", NULL, "wave length\n1.5\n2\n", {1.5, 2}, 2, NULL},
    {"length", NULL, "wave length\n1.5 7\n2 8\n", {7, 8}, 2, NULL},
    {"1", NULL, "\"a,b\";1\n\"c\";2\n", {1, 2}, 2, NULL},
    {"2", NULL, "1;1,5;3\n", {3}, 1, NULL},
    {"1", NULL, "1;1,5;3\n", {0}, 0, "t.csv:1: column 1 is '1,5' and no line follows, expected a number"},
    {"1", NULL, "0;1;3\n1;1,5;3\n", {0}, 0, "t.csv:2: column 1 is '1,5', expected a number"},
    /* headers */
    {NULL, NULL, "x\n1\n2\n", {1, 2}, 2, NULL},
    {"1", NULL, "a,b\n1,2\n", {2}, 1, NULL},
    {"b", NULL, "a,b\n1,2\n3,4\n", {2, 4}, 2, NULL},
    {"b", NULL, "a , b , c\n1,2,3\n", {2}, 1, NULL},
    {"b c", NULL, "a,\"b c\"\n1,2\n", {2}, 1, NULL},
    {"say \"b\"", NULL, "a,\"say \"\"b\"\"\"\n1,2\n", {2}, 1, NULL},
    {"b", NULL, "#c\n\na,b\n\n# d\n1,2\n", {2}, 1, NULL},
    {"b", NULL, "a,b\n", {0}, 0, NULL},
    {"b", NULL, "", {0}, 0, NULL},
    {NULL, NULL, ",a,b\n0,1,2\n", {0}, 1, NULL},
    {NULL, NULL, ",1\n2,3\n", {EMPTY, 2}, 2, NULL},
    {"c", NULL, "a,b\n1,2\n", {0}, 0, "t.csv:1: no column is named 'c', expected one in the header 'a,b'"},
    {"c", NULL, "a,b\n", {0}, 0, "t.csv:1: no column is named 'c', expected one in the header 'a,b'"},
    {"c", NULL, "1,2\n3,4\n", {0}, 0, "t.csv:1: no column is named 'c', expected one in the header '1,2'"},
    {"b", NULL, "\nb,b\n1,2\n", {0}, 0, "t.csv:2: more than one column is named 'b', expected one in the header 'b,b'"},
    {"b", NULL, "a,b\n1,x\n", {0}, 0, "t.csv:2: column 1, 'b' is 'x', expected a number"},
    {NULL, NULL, "x\n", {0}, 0, "t.csv:1: column 0 is 'x' and no line follows, expected a number"},
    {NULL, NULL, "x\ny\n1\n", {0}, 0, "t.csv:2: column 0 is 'y', expected a number"},
    {"", NULL, "1\n", {0}, 0, "column is '', expected a number from 0 or a name"},
    {"99999999999999999999", NULL, "1\n", {0}, 0, "column is '99999999999999999999', expected a number from 0"},
    {"18446744073709551615", NULL, "1\n2\n", {0}, 0, "t.csv:2: the line has 1 column, expected column 1844674407"},
    {"2", NULL, "1,2,3\n\n4,5\n", {0}, 0, "t.csv:3: the line has 2 columns, expected column 2 (the first is 0)"},
    {"2", NULL, "1,2\n4,5\n", {0}, 0, "t.csv:2: the line has 2 columns, expected column 2 (the first is 0)"},
    /* quotes */
    {"1", NULL, "\"a\",\"1.5\"\n\"b, or \"\"c\"\"\",\" 2 \"\n", {1.5, 2}, 2, NULL},
    {"1", NULL, "\"a\r\nb\",1\n\"c\n\nd\",2\r\n", {1, 2}, 2, NULL},
    {"1", NULL, "5\" pipe,1\n6\" pipe,2\n", {1, 2}, 2, NULL},
    {"1", NULL, "\"a\" b,1\n, \"2\"\n", {1, 2}, 2, NULL},
    {"0", NULL, "1\n\"\"\n\"3\"\n", {1, EMPTY, 3}, 3, NULL},
    {"1", NULL, "\"a\n\nb\",1\n2,x\n", {0}, 0, "t.csv:4: column 1 is 'x', expected a number"},
    {"1", NULL, "a,1\nb,\"2\"\"\"\n", {0}, 0, "t.csv:2: column 1 is '\"2\"\"\"', expected a number"},
    {"1", NULL, "a,1\n\"b,2\n", {0}, 0, "t.csv:2: a quoted field begins in this line and never ends"},
    {"1", NULL, "a,1\nb,\"\n", {0}, 0, "t.csv:2: a quoted field begins in this line and never ends"},
    {NULL, NULL, "1\n\"\n", {0}, 0, "t.csv:2: a quoted field begins in this line and never ends"},
    /* what is no number */
    {NULL, NULL, "1\nabc\n", {0}, 0, "t.csv:2: column 0 is 'abc', expected a number"},
    {NULL, NULL, "1\n1_000\n", {0}, 0, "'1_000', expected a number"},
    {NULL, NULL, "1\n0x10\n", {0}, 0, "'0x10', expected a number"},
    {NULL, NULL, "1\n1e\n", {0}, 0, "'1e', expected a number"},
    {NULL, NULL, "1\n+-1\n", {0}, 0, "'+-1', expected a number"},
    {NULL, NULL, "1\n.\n", {0}, 0, "'.', expected a number"},
    {NULL, NULL, "1\n1.2.3\n", {0}, 0, "'1.2.3', expected a number"},
    {NULL, NULL, "1\nnano\n", {0}, 0, "'nano', expected a number"},
    {NULL, NULL, "1\n\x1b[2J\xff\n", {0}, 0, "column 0 is '\\x1b[2J\\xff', expected a number"},
    {NULL,
     NULL,
     "1\naaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n",
     {0},
     0,
     "aaaa...'"},
    /* integers */
    {NULL, "int8", "-128\n+127\n-0\n007\n", {-128, 127, 0, 7}, 4, NULL},
    {NULL, "uint8", "0\n255\n-0\n", {0, 255, 0}, 3, NULL},
    {NULL, "int16", "-32768\n32767\n", {-32768, 32767}, 2, NULL},
    {NULL, "uint16", "65535\n", {65535}, 1, NULL},
    {NULL, "int32", "x\n-2147483648\n2147483647\n", {-2147483648.0, 2147483647}, 2, NULL},
    {NULL, "uint32", "4294967295\n", {4294967295.0}, 1, NULL},
    {NULL,
     "int8",
     "1\n128\n",
     {0},
     0,
     "t.csv:2: column 0 is '128', out of range, expected an integer from -128 to 127"},
    {NULL, "int8", "-129\n", {0}, 0, "column 0 is '-129', out of range, expected an integer from -128 to 127"},
    {NULL, "uint8", "-1\n", {0}, 0, "column 0 is '-1', out of range, expected an integer from 0 to 255"},
    {NULL,
     "uint64",
     "18446744073709551616\n",
     {0},
     0,
     "out of range, expected an integer from 0 to 18446744073709551615"},
    {NULL, "int64", "9223372036854775808\n", {0}, 0, "out of range"},
    {NULL, "int64", "99999999999999999999999999999999999999999\n", {0}, 0, "out of range"},
    {NULL,
     "int32",
     "1\n2.0\n",
     {0},
     0,
     "t.csv:2: column 0 is '2.0', expected an integer from -2147483648 to 2147483647"},
    {NULL, "int32", "1.5\n2\n", {0}, 0, "t.csv:1: column 0 is '1.5', expected an integer"},
    {NULL, "int32", "1\nnan\n", {0}, 0, "column 0 is 'nan', expected an integer"},
    {"1", "int32", "1,1\n2,\n", {0}, 0, "t.csv:2: column 1 is empty, expected an integer"},
    {"1", "int32", "1,1\n2,\"\"\n", {0}, 0, "t.csv:2: column 1 is empty, expected an integer"},
};

static double element_as_double(const struct fixture_read *read, size_t i) {
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
    struct cli_input_options options = {.column = table->column, .dtype = table->dtype, .chunk_bytes = chunk};
    struct fixture_read read = fixture_read(path, &options);
    if (table->error) {
        fixture_assert_error(&read, table->error);
        free(read.data);
        return;
    }
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
    free(read.data);
}

static void tables_are_read_the_same_wherever_they_are_cut(void **state) {
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        const char *path = fixture_write(*state, "t.csv", tables[i].content, strlen(tables[i].content));
        for (size_t chunk = 1; chunk <= strlen(tables[i].content) + 1; chunk++)
            check_table(&tables[i], path, chunk);
        check_table(&tables[i], path, 0);
    }
}

static void text_is_read_again_after_a_rewind(void **state) {
    const char *path = fixture_write(*state, "t.csv", "a;b\n1;2\n3;4\n", 12);
    struct cli_input_options options = {.column = "b", .chunk_bytes = 5};
    struct cli_input *input;
    struct cli_error error;
    assert_int_equal(cli_input_open(path, &options, &input, &error), 0);
    for (int pass = 0; pass < 3; pass++) {
        struct fixture_read read = fixture_drain(input);
        assert_int_equal(read.rc, 0);
        assert_int_equal(read.n, 2);
        assert_true(element_as_double(&read, 1) == 4);
        free(read.data);
        assert_int_equal(cli_input_rewind(input, &error), 0);
    }
    cli_input_close(input);
}

static void line_over_the_limit_is_an_error(void **state) {
    size_t bytes = (16 << 20) + 3;
    char *text = malloc(bytes);
    assert_non_null(text);
    memset(text, ' ', bytes);
    memcpy(text, "1\n", 2);
    struct fixture_read read = fixture_read(fixture_write(*state, "t.csv", text, bytes - 1), NULL);
    assert_int_equal(read.rc, 0);
    assert_int_equal(read.n, 1);
    free(read.data);
    for (size_t chunk = 1 << 20; chunk <= 32 << 20; chunk *= 32) {
        struct cli_input_options options = {.chunk_bytes = chunk};
        for (int ends = 0; ends < 2; ends++) {
            text[bytes - 1] = ends ? '\n' : ' ';
            text[bytes - 2] = '2';
            const char *path = fixture_write(*state, "t.csv", text, bytes);
            read = fixture_read(path, &options);
            if (ends) {
                assert_int_equal(read.rc, 0);
                assert_int_equal(read.n, 2);
            } else {
                fixture_assert_error(&read, "t.csv:2: the line is longer than 16777216 bytes");
            }
            free(read.data);
        }
    }
    free(text);
}

/* The C library's strtod is the oracle: it rounds correctly (IEEE 754-2008, 5.12.2), as glibc documents. */
static void check_number(const char *text) {
    double f64, expected64 = strtod(text, NULL);
    float f32, expected32 = strtof(text, NULL);
    assert_int_equal(cli_number_parse(text, strlen(text), UH_F64, &f64), CLI_NUMBER_OK);
    assert_int_equal(cli_number_parse(text, strlen(text), UH_F32, &f32), CLI_NUMBER_OK);
    if (memcmp(&f64, &expected64, 8) != 0)
        fail_msg("%s is %a, expected %a", text, f64, expected64);
    if (memcmp(&f32, &expected32, 4) != 0)
        fail_msg("%s is %a as float32, expected %a", text, (double)f32, (double)expected32);
}

static void numbers_are_correctly_rounded(void **state) {
    (void)state;
    static const char *const texts[] = {
        "0",
        "-0",
        "+0.0",
        "-.0",
        "0e999999999999",
        "1e-999999999999",
        "-1e999999999999",
        "1.",
        ".5",
        "1E5",
        "1e+5",
        "9007199254740993",
        "9007199254740992.5",
        "0.1",
        "1e22",
        "1e23",
        "8.988465674311579e307",
        "1.7976931348623157e308",
        "1.7976931348623158e308",
        "1.7976931348623159e308",
        "2.2250738585072011e-308",
        "2.2250738585072014e-308",
        "4.9406564584124654e-324",
        "2.4703282292062327e-324",
        "2.4703282292062328e-324",
        "3.4028235e38",
        "3.4028235677973366e38",
        "3.4028235677973365e38",
        "1.17549435e-38",
        "1.401298464e-45",
        "7.006492321624085e-46",
        "7.006492321624086e-46",
        "16777217",
        "16777217.0000000001",
        "16777219",
        "0.000000000000000000000000000000000000001",
        "100000000000000000000000000000000000000000",
        "18446744073709551615",
        "18446744073709551616",
        "9999999999999999999",
        "10000000000000000000",
        "00000000000000000000000000000000000000000000000000000000012.5000000000000000000000000000000000000000000",
        "6.8466e-5",
        "1.00000005960464477539062500000000000000000000000000000000001",
        "1.0000000596046447753906250",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        check_number(texts[i]);
}

static void random_numbers_are_correctly_rounded(void **state) {
    (void)state;
    uint64_t random = 11;
    char text[128];
    for (int i = 0; i < 300000; i++) {
        uint64_t word = test_random_u64(&random);
        double value;
        memcpy(&value, &word, 8);
        if (!isfinite(value))
            continue;
        int digits = (int)(test_random_u64(&random) % 24);
        snprintf(text, sizeof text, "%.*e", digits, value);
        check_number(text);
        value = ldexp(value / 0x1p1023, (int)(test_random_u64(&random) % 100));
        snprintf(text, sizeof text, "%.*f", digits, ldexp(test_random_f64(&random), (int)(word % 60)));
        check_number(text);
        snprintf(text, sizeof text, "%" PRIu64 "e%d", word >> (word % 64), (int)(word >> 40) % 64 - 32);
        check_number(text);
    }
}

/* Halfway between two neighbours, and a hair to both sides: where a second rounding would show. */
static void midpoints_are_correctly_rounded(void **state) {
    (void)state;
    uint64_t random = 13;
    char text[1200];
    for (int i = 0; i < 20000; i++) {
        int bits = i % 2 ? 24 : 53, shift = (int)(test_random_u64(&random) % 200) - 100;
        uint64_t odd = test_random_u64(&random) >> (63 - bits) | 1;
        /* The midpoint has one bit more than the type; long double holds it, and %Lf writes it exactly. */
        int n = snprintf(text, sizeof text, "%.160Lf", ldexpl((long double)odd, shift));
        check_number(text);
        text[n] = '1';
        text[n + 1] = '\0';
        check_number(text);
        text[n] = '\0';
        char *p = text + n - 1;
        for (; *p == '0' || *p == '.'; p--)
            if (*p == '0')
                *p = '9';
        --*p;
        check_number(text);
        /* So few digits that they are not the midpoint's any more, but close enough to be rounded onto it. */
        snprintf(text, sizeof text, "%.18Le", ldexpl((long double)odd, shift / 2));
        check_number(text);
    }
}

static void long_mantissas_are_correctly_rounded(void **state) {
    (void)state;
    /* 2^-1075, half of the least double, is exactly representable in 1075 decimals; so is 3 * 2^-1075. */
    char text[2400];
    int n = snprintf(text, 1200, "%.1075Lf", ldexpl(1, -1075));
    check_number(text);
    memset(text + n, '0', 1000);
    text[n + 1000] = '\0';
    check_number(text);
    text[n + 999] = '1';
    check_number(text);
    n = snprintf(text, 1200, "%.1075Lf", ldexpl(3, -1075));
    memset(text + n, '0', 1000);
    text[n + 999] = '1';
    text[n + 1000] = '\0';
    check_number(text);
    text[n - 1] = '4'; /* was 5: below the midpoint */
    check_number(text);
    memset(text, '7', 2000);
    snprintf(text + 2000, 100, ".25e-1990");
    check_number(text);
}

static void names_of_no_number_are_read_in_any_case(void **state) {
    (void)state;
    static const char *const texts[] = {"nan", "NaN",  "-NAN", "+nan",     "inf",
                                        "INF", "-Inf", "+inf", "infinity", "-Infinity"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        double value = 0, expected = strtod(texts[i], NULL);
        assert_int_equal(cli_number_parse(texts[i], strlen(texts[i]), UH_F64, &value), CLI_NUMBER_OK);
        assert_true(value == expected || (isnan(value) && isnan(expected)));
    }
}

static void locale_does_not_matter(void **state) {
    (void)state;
    if (!setlocale(LC_ALL, "de_DE.UTF-8")) {
        print_message("skipped: the locale de_DE.UTF-8 is not installed\n");
        skip();
    }
    double value = 0;
    assert_int_equal(cli_number_parse("1.00000000000000000000000000000001e-300", 39, UH_F64, &value), CLI_NUMBER_OK);
    setlocale(LC_ALL, "C");
    assert_true(value == 1e-300);
    assert_int_equal(cli_number_parse("1,5", 3, UH_F64, &value), CLI_NUMBER_MALFORMED);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        TEST(tables_are_read_the_same_wherever_they_are_cut),
        TEST(text_is_read_again_after_a_rewind),
        TEST(line_over_the_limit_is_an_error),
        cmocka_unit_test(numbers_are_correctly_rounded),
        cmocka_unit_test(random_numbers_are_correctly_rounded),
        cmocka_unit_test(midpoints_are_correctly_rounded),
        cmocka_unit_test(long_mantissas_are_correctly_rounded),
        cmocka_unit_test(names_of_no_number_are_read_in_any_case),
        cmocka_unit_test(locale_does_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
