/* SPDX-License-Identifier: Apache-2.0 */
/* The numbers in files; the files themselves are read by the tests of the command. */
#include "tests/support.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/cli/output/output.h"

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

TEST_MAIN(test_cli_output) {
    return TEST_RUN(NULL, NULL);
}
