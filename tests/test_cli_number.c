/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers in text are correctly rounded, in arguments whole, and written with no digit too many. */
#include <locale.h>

#include "api/cli/input/number.h"
#include "api/cli/output/output.h"
#include "tests/support.h"

/* The C library's strtod is the oracle: it rounds correctly (IEEE 754-2008, 5.12.2), as glibc documents. */
static void check_number(const char *text) {
    double f64, expected64 = strtod(text, NULL);
    float f32, expected32 = strtof(text, NULL);
    assert_int_equal(cli_number_parse(text, strlen(text), UH_F64, &f64), CLI_NUMBER_OK);
    assert_int_equal(cli_number_parse(text, strlen(text), UH_F32, &f32), CLI_NUMBER_OK);
    uint64_t bits64, expected_bits64;
    uint32_t bits32, expected_bits32;
    memcpy(&bits64, &f64, 8);
    memcpy(&expected_bits64, &expected64, 8);
    memcpy(&bits32, &f32, 4);
    memcpy(&expected_bits32, &expected32, 4);
    if (bits64 != expected_bits64)
        fail_msg("%s is %a, expected %a", text, f64, expected64);
    if (bits32 != expected_bits32)
        fail_msg("%s is %a as float32, expected %a", text, (double)f32, (double)expected32);
}

UNIT_TEST(numbers_are_correctly_rounded) {
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
        "1.0000000596046447753906250"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        check_number(texts[i]);
}

UNIT_TEST(random_numbers_are_correctly_rounded) {
    uint64_t random = 11;
    char text[128];
    for (int i = 0; i < 60000; i++) {
        uint64_t word = test_random_u64(&random);
        double value;
        memcpy(&value, &word, 8);
        if (!isfinite(value))
            continue;
        int digits = (int)(test_random_u64(&random) % 24);
        snprintf(text, sizeof text, "%.*e", digits, value);
        check_number(text);
        snprintf(text, sizeof text, "%.*f", digits, ldexp(test_random_f64(&random), (int)(word % 60)));
        check_number(text);
        snprintf(text, sizeof text, "%" PRIu64 "e%d", word >> (word % 64), (int)(word >> 40) % 64 - 32);
        check_number(text);
    }
}

/* Halfway between two neighbours, and a hair to both sides: where a second rounding would show. */
UNIT_TEST(midpoints_are_correctly_rounded) {
    uint64_t random = 13;
    char text[1200];
    for (int i = 0; i < 4000; i++) {
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

UNIT_TEST(long_mantissas_are_correctly_rounded) {
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

UNIT_TEST(names_of_no_number_are_read_in_any_case) {
    static const char *const texts[] = {"nan", "NaN",  "-NAN", "+nan",     "inf",
                                        "INF", "-Inf", "+inf", "infinity", "-Infinity"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        double value = 0, expected = strtod(texts[i], NULL);
        assert_int_equal(cli_number_parse(texts[i], strlen(texts[i]), UH_F64, &value), CLI_NUMBER_OK);
        assert_true(value == expected || (isnan(value) && isnan(expected)));
    }
}

UNIT_TEST(locale_does_not_matter) {
    if (!setlocale(LC_ALL, "de_DE.UTF-8"))
        skip_because("the locale de_DE.UTF-8 is not installed");
    double value = 0;
    assert_int_equal(cli_number_parse("1.00000000000000000000000000000001e-300", 39, UH_F64, &value), CLI_NUMBER_OK);
    setlocale(LC_ALL, "C");
    assert_true(value == 1e-300);
    assert_int_equal(cli_number_parse("1,5", 3, UH_F64, &value), CLI_NUMBER_MALFORMED);
}

UNIT_TEST(an_argument_is_one_number_as_a_whole) {
    static const char *const bad[] = {"", " ", "1x", "x", "1 2", "1e400", "-1e400", "--1", "1,", "0x", "1e"};
    double value = 7;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(cli_parse_double(bad[i], strlen(bad[i]), &value), -1);
    assert_true(value == 7);
    assert_true(cli_parse_double(" -2.5e3 ,", 8, &value) == 0 && value == -2500);
    assert_true(cli_parse_double("-inf", 4, &value) == 0 && value == -INFINITY);
    assert_true(cli_parse_double("1e-400", 6, &value) == 0 && value == 0);
}

UNIT_TEST(an_integer_keeps_to_its_bounds_and_may_have_an_exponent) {
    static const char *const bad[] = {
        "",   "0",    "11",    "-5",     "+-5",  "5.0",  "0x5",     "99999999999999999999",   "5e",
        "e1", ".5e1", "50e-1", "1.25e1", "5e0x", "5 e0", "1.2.3e5", "1e99999999999999999999", "-e1",
        "e",  "1.5",  "-1e3"};
    static const struct {
        const char *text;
        uint64_t value;
    } good[] = {{"10", 10},
                {"1e9", 1000000000},
                {"2.5e6", 2500000},
                {"5e0", 5},
                {" 1E+3 ", 1000},
                {"1.50e1", 15},
                {"0.001e3", 1},
                {"0e99", 0},
                {"0", 0},
                {"0.0000000000000000000000000000000005e34", 5},
                {"18446744073709551615", UINT64_MAX},
                {"18446744073709551.615e3", UINT64_MAX}};
    uint64_t value = 7;
    int64_t number;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(cli_parse_u64(bad[i], 1, 10, &value), -1);
    assert_int_equal(cli_parse_u64("18446744073709551.616e3", 0, UINT64_MAX, &value), -1);
    assert_int_equal(value, 7);
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_true(cli_parse_u64(good[i].text, 0, UINT64_MAX, &value) == 0 && value == good[i].value);
    assert_true(cli_parse_i64("-2.5e6", &number) == 0 && number == -2500000);
    assert_true(cli_parse_i64("-9223372036854775.808e3", &number) == 0 && number == INT64_MIN);
}

UNIT_TEST(a_list_takes_the_narrowest_type_that_is_exact) {
    struct cli_numbers numbers;
    struct cli_error error;
    assert_int_equal(cli_parse_list("-1, 9007199254740993", &numbers, &error), 0);
    assert_int_equal(numbers.dtype, UH_I64);
    assert_int_equal(numbers.n, 2);
    assert_true(((int64_t *)numbers.data)[1] == INT64_C(9007199254740993));
    cli_numbers_free(&numbers);
    assert_int_equal(cli_parse_list("1,18446744073709551615", &numbers, &error), 0);
    assert_int_equal(numbers.dtype, UH_U64);
    assert_true(((uint64_t *)numbers.data)[1] == UINT64_MAX);
    cli_numbers_free(&numbers);
    assert_int_equal(cli_parse_list("-1,18446744073709551615", &numbers, &error), 0);
    assert_int_equal(numbers.dtype, UH_F64);
    assert_true(((double *)numbers.data)[1] == 0x1p64);
    cli_numbers_free(&numbers);
    assert_int_equal(cli_parse_list("0,1,2.5,10", &numbers, &error), 0);
    assert_true(((double *)numbers.data)[2] == 2.5);
    cli_numbers_free(&numbers);
    assert_int_equal(cli_parse_list("0,1.5,,10", &numbers, &error), -1);
    assert_non_null(strstr(error.text, "item 3"));
}

UNIT_TEST(numbers_have_the_fewest_digits_that_read_back) {
    static const struct {
        double value;
        const char *text;
    } known[] = {{0.1, "0.1"},
                 {0.1 + 0.2, "0.30000000000000004"},
                 {1.0 / 3, "0.3333333333333333"},
                 {5e-324, "5e-324"},
                 {DBL_MIN, "2.2250738585072014e-308"},
                 {DBL_MAX, "1.7976931348623157e+308"},
                 {-0.0, "-0"},
                 {100, "100"},
                 {9007199254740993.0, "9007199254740992"},
                 {INFINITY, "inf"},
                 {-INFINITY, "-inf"},
                 {NAN, "nan"},
                 {2e-310, "2e-310"},
                 {123456.7, "123456.7"}};
    char text[CLI_OUTPUT_NUMBER_SIZE], shorter[64];
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        assert_int_equal(cli_output_number(text, known[i].value), strlen(known[i].text));
        assert_string_equal(text, known[i].text);
    }
    uint64_t random = 1;
    for (int i = 0; i < 200000; i++) {
        uint64_t bits = test_random_u64(&random);
        double value;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value))
            continue;
        cli_output_number(text, value);
        assert_true(strtod(text, NULL) == value);
        int digits = 0;
        for (const char *c = text; *c && *c != 'e'; c++)
            digits += *c >= '0' && *c <= '9';
        if (digits > 1 && i % 16 == 0) {
            /* One significant digit less does not do (leading zeros are none: they would make `digits` too large). */
            int leading = 0;
            for (const char *c = text; *c == '-' || *c == '0' || *c == '.'; c++)
                leading += *c == '0';
            snprintf(shorter, sizeof shorter, "%.*e", digits - leading - 2, value);
            assert_true(digits - leading < 2 || strtod(shorter, NULL) != value);
        }
    }
}
