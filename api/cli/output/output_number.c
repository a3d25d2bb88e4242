/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/output/output.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

int cli_output_number(char text[CLI_OUTPUT_NUMBER_SIZE], double value) {
    const char *word = isnan(value) ? "nan" : isinf(value) ? (value < 0 ? "-inf" : "inf") : NULL;
    if (word)
        return snprintf(text, CLI_OUTPUT_NUMBER_SIZE, "%s", word);
    /* Whatever has at most 15 digits, %.15g finds (C17 5.2.4.2.2, DBL_DIG), but for subnormal numbers, which have
     * fewer bits. */
    int length = 0;
    for (int digits = fabs(value) < DBL_MIN ? 1 : DBL_DIG; digits <= DBL_DECIMAL_DIG; digits++) {
        length = snprintf(text, CLI_OUTPUT_NUMBER_SIZE, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    return length;
}
