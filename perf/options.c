/* SPDX-License-Identifier: Apache-2.0 */
#include "perf/options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int perf_parse_number(const char *option, const char *text, double low, double high, int whole, double *value,
                      struct perf_error *error) {
    char *end = NULL;
    double number = strtod(text, &end);
    /* strtod also takes blanks, signs, hexadecimal digits, "inf" and "nan"; none of them is meant here. */
    int plain = *text && strspn(text, "0123456789.eE+-") == strlen(text) && *text != '+' && *end == '\0';
    if (!plain || !(number >= low && number <= high) || (whole && floor(number) < number))
        return perf_usage(error, "%s is '%s', expected %s from %.10g to %.10g", option, text,
                          whole ? "a whole number" : "a number", low, high);
    *value = number;
    return PERF_OK;
}

int perf_parse_list(const char *option, const char *text, perf_list_item item, void *user, struct perf_error *error) {
    int status = PERF_OK;
    char *copy = strdup(text);
    if (!copy)
        return perf_fail(error, "%s: out of memory", option);
    char *part = copy;
    for (size_t count = 0; part && status == PERF_OK; count++) {
        char *comma = strchr(part, ',');
        if (comma)
            *comma = '\0';
        if (count == PERF_LIST_MAX)
            status = perf_usage(error, "%s is '%s', expected at most %d items", option, text, PERF_LIST_MAX);
        else
            status = item(option, part, user, error);
        part = comma ? comma + 1 : NULL;
    }
    free(copy);
    return status;
}

struct numbers_item {
    double low, high;
    int whole;
    struct perf_numbers numbers;
};

static int take_number(const char *option, const char *text, void *user, struct perf_error *error) {
    struct numbers_item *item = user;
    return perf_parse_number(option, text, item->low, item->high, item->whole,
                             &item->numbers.value[item->numbers.count++], error);
}

int perf_parse_numbers(const char *option, const char *text, double low, double high, int whole,
                       struct perf_numbers *numbers, struct perf_error *error) {
    struct numbers_item item = {.low = low, .high = high, .whole = whole};
    int status = perf_parse_list(option, text, take_number, &item, error);
    if (status == PERF_OK)
        *numbers = item.numbers;
    return status;
}

int perf_take_option(struct perf_options *options, int code, char **argv, struct perf_error *error) {
    double number = 0;
    int status = PERF_OK;
    switch (code) {
    case PERF_OPTION_N:
        status = perf_parse_number("--n", optarg, 1, PERF_N_MAX, 1, &number, error);
        options->n = (size_t)number;
        break;
    case PERF_OPTION_THREADS:
        status = perf_parse_number("--threads", optarg, 1, PERF_THREADS_MAX, 1, &number, error);
        options->threads = (uint32_t)number;
        break;
    case PERF_OPTION_TIME:
        status = perf_parse_number("--min-time", optarg, 0, 3600, 0, &options->min_time, error);
        break;
    case PERF_OPTION_JSON:
        if (!*optarg)
            return perf_usage(error, "--json is empty, expected a file name");
        options->json = optarg;
        break;
    case PERF_OPTION_LIST: options->list = 1; break;
    case 'h': options->help = 1; break;
    case ':': return perf_usage(error, "%s needs a value; see --help", argv[optind - 1]);
    default:
        /* A letter may stand in the middle of an argument, of which optind then tells nothing. */
        if (optopt > 0 && optopt < PERF_OPTION_N && optopt != 'h')
            return perf_usage(error, "-%c is not an option; see --help", optopt);
        return perf_usage(error, "%s is not an option, or takes no value; see --help", argv[optind - 1]);
    }
    return status;
}
