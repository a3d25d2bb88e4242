/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/input/calendar.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

__extension__ typedef __int128 wide;

enum { DAY = 86400, DIGITS = 18 /* maximum after the point */ };

static int64_t divide_down(int64_t a, int64_t b) { return a / b - (a % b < 0); }

/* Return the days since 1970-01-01 of the first of a month, counted from January of year 0; and that month of a day.
 * Years begin in March here, so that the leap day is the last one: months then have 31, 30, 31, 30, 31 days, again and
 * again, and 400 years 146,097 days. */
static int64_t first_day(int64_t month) {
    const int64_t march = month - 2, year = divide_down(march, 12), of_year = march - 12 * year;
    const int64_t leaps = divide_down(year, 4) - divide_down(year, 100) + divide_down(year, 400);
    return 365 * year + leaps + (153 * of_year + 2) / 5 - 719468;
}

static int64_t month_of(int64_t days) {
    /* The mean length of months gives one that is too late by one at most. */
    int64_t month = divide_down((days + 719528) * 4800, 146097) + 1;
    while (first_day(month) > days)
        month--;
    return month;
}

static const double monday = 4.0 * DAY;

struct cli_step cli_step_named(const char *name) {
    static const struct {
        const char *name;
        struct cli_step step;
    } steps[] = {{"minute", {0, 60}},      {"hour", {0, 3600}}, {"day", {0, DAY}},
                 {"week", {0, 7.0 * DAY}}, {"month", {1, 0}},   {"year", {12, 0}}};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        if (strcmp(name, steps[i].name) == 0)
            return steps[i].step;
    return (struct cli_step){0, 0};
}

int64_t cli_step_number(const struct cli_step *step, double seconds) {
    if (!step->months)
        return (int64_t)floor(((step->seconds < 1 ? seconds : floor(seconds)) - monday) / step->seconds);
    return divide_down(month_of((int64_t)floor(seconds / DAY)), step->months);
}

double cli_step_begin(const struct cli_step *step, int64_t number) {
    return step->months ? (double)first_day(number * step->months) * DAY : monday + (double)number * step->seconds;
}

/* Matches a pattern, in which 2 and 4 are numbers of that many digits; moves on only after a match. */
static int match(const char **at, const char *end, const char *pattern, int *values) {
    const char *p = *at;
    for (; *pattern; pattern++) {
        int n = cli_is_digit(*pattern) ? *pattern - '0' : 0;
        if (!n && (p == end || *p++ != *pattern))
            return 0;
        if (n)
            *values = 0;
        for (; n > 0; n--, p++) {
            if (p == end || !cli_is_digit(*p))
                return 0;
            *values = 10 * *values + (*p - '0');
            values += n == 1;
        }
    }
    *at = p;
    return 1;
}

/* A time in whole seconds, and digits after the point, without zeros at the end. */
struct instant {
    int64_t seconds, fraction;
    int digits;
};

static int read_fraction(const char **at, const char *end, struct instant *instant) {
    const char *begin = *at, *last;
    while (*at < end && cli_is_digit(**at))
        ++*at;
    for (last = *at; last > begin && last[-1] == '0';)
        last--;
    instant->digits = (int)(last - begin);
    for (const char *p = begin; p < last && last - begin <= DIGITS; p++)
        instant->fraction = 10 * instant->fraction + (*p - '0');
    return *at > begin && last - begin <= DIGITS;
}

static int read_instant(const char *at, const char *end, struct instant *instant) {
    int date[3], clock[3] = {0}, zone[2] = {0};
    const int extended = match(&at, end, "4-2-2", date), only = extended && at == end;
    if (!extended && !match(&at, end, "422", date))
        return 0;
    if (!only && !match(&at, end, extended ? "T2:2" : "T22", clock) && !(extended && match(&at, end, " 2:2", clock)))
        return 0;
    if (!only && match(&at, end, extended ? ":2" : "2", clock + 2) &&
        (match(&at, end, ".", zone) || match(&at, end, ",", zone)) && !read_fraction(&at, end, instant))
        return 0;
    const int sign = match(&at, end, "-", zone) ? -1 : match(&at, end, "+", zone);
    if (sign ? !match(&at, end, "2:2", zone) && !match(&at, end, "22", zone) && !match(&at, end, "2", zone)
             : !only && at < end && !match(&at, end, "Z", zone))
        return 0;
    const int64_t month = 12 * (int64_t)date[0] + date[1] - 1, day = first_day(month) + date[2] - 1;
    const int minutes = 60 * (clock[0] - sign * zone[0]) + clock[1] - sign * zone[1];
    instant->seconds = DAY * day + (int64_t)60 * minutes + clock[2];
    return at == end && (!only || !sign) && date[1] >= 1 && date[1] <= 12 && date[2] >= 1 &&
           day < first_day(month + 1) && clock[1] < 60 && clock[2] < 60 && zone[0] < 24 && zone[1] < 60 &&
           (clock[0] < 24 || (clock[0] == 24 && !clock[1] && !clock[2] && !instant->digits));
}

/* Returns p / den, rounded once. */
static double divide(wide p, int64_t den) {
    if (den == 1)
        return (double)p;
    wide size = p < 0 ? -p : p;
    int shift = 0, sticky;
    while (size && size >> 126 == 0) {
        size *= 2;
        shift++;
    }
    wide quotient = size / den;
    for (sticky = size % den != 0; quotient >> 62; shift--) {
        sticky |= (int)(quotient & 1);
        quotient >>= 1;
    }
    const double rounded = ldexp((double)((uint64_t)quotient << 1 | (uint64_t)sticky), -shift - 1);
    return p < 0 ? -rounded : rounded;
}

static int64_t power_of_ten(int digits) { return digits ? 10 * power_of_ten(digits - 1) : 1; }

int cli_time_parse(const char *text, size_t length, struct cli_time *time) {
    struct instant instant = {0, 0, 0};
    if (length < 10 || !read_instant(text, text + length, &instant))
        return -1;
    const int64_t den = power_of_ten(instant.digits);
    *time = (struct cli_time){instant.seconds, instant.digits > 0,
                              divide((wide)instant.seconds * den + instant.fraction, den)};
    return 0;
}

int cli_time_is_near(const char *text, size_t length) {
    const char *at = text, *end = text + length;
    size_t groups = 0, longest = 0;
    for (char mark = '\0'; groups < 3; groups++) {
        const char *begin = at;
        while (at < end && cli_is_digit(*at))
            at++;
        const size_t digits = (size_t)(at - begin);
        longest = digits > longest ? digits : longest;
        mark = groups || at == end ? mark : *at;
        if (digits == 0 || (groups < 2 && (at == end || *at++ != mark || !strchr("-/.", mark))))
            return 0;
    }
    return longest == 4;
}

int cli_time_is_clock(const char *text, size_t length) {
    int ignored[2];
    return match(&text, text + length, "2:2", ignored);
}

void cli_time_write(char text[CLI_TIME_SIZE], double seconds, double step) {
    const int digits = step >= 1 ? 0 : step < 1e-9 ? 9 : (int)ceil(-log10(step) - 1e-9);
    const int64_t unit = step >= DAY ? DAY : step >= 60 ? 60 : 1, parts = power_of_ten(digits);
    if (!(fabs(seconds) <= CLI_TIME_LIMIT)) {
        snprintf(text, CLI_TIME_SIZE, "%g", seconds);
        return;
    }
    int64_t whole = (int64_t)floor(seconds), part = 0;
    if (unit > 1)
        whole = unit * divide_down(whole + unit / 2, unit);
    else
        part = llround((seconds - (double)whole) * (double)parts);
    whole += part == parts;
    part = part == parts ? 0 : part;
    const int64_t days = divide_down(whole, DAY), month = month_of(days), year = divide_down(month, 12);
    const int of_day = (int)(whole - DAY * days);
    int used = snprintf(text, CLI_TIME_SIZE, "%04" PRId64 "-%02d-%02d", year, (int)(month - 12 * year) + 1,
                        (int)(days - first_day(month)) + 1);
    if (unit < DAY)
        used += snprintf(text + used, (size_t)(CLI_TIME_SIZE - used), " %02d:%02d", of_day / 3600, of_day / 60 % 60);
    if (unit == 1)
        used += snprintf(text + used, (size_t)(CLI_TIME_SIZE - used), ":%02d", of_day % 60);
    if (digits)
        snprintf(text + used, (size_t)(CLI_TIME_SIZE - used), ".%0*" PRId64, digits, part);
}

double cli_time_resolution(const double *edges, size_t n) {
    double step = DAY;
    for (size_t i = 0; i < n; i++)
        while (isfinite(edges[i]) && step > 1e-6 && fabs(remainder(edges[i], step)) > 5e-7)
            step = step == DAY ? 60 : step == 60 ? 1 : step / 10;
    return step;
}

void cli_time_write_duration(char text[CLI_TIME_SIZE], double seconds) {
    static const struct {
        double seconds;
        const char *name;
    } units[] = {{DAY, "d"}, {3600, "h"}, {60, "min"}, {1, "s"}};
    size_t i = 0;
    while (i < 3 && seconds < 2 * units[i].seconds)
        i++;
    snprintf(text, CLI_TIME_SIZE, "%.4g %s", seconds / units[i].seconds, units[i].name);
}

/* ---- elements of numpy.datetime64 -------------------------------------------------------------------------------- */

int cli_time_unit_read(const char *text, size_t length, struct cli_time_unit *unit) {
    static const char names[][3] = {"Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as"};
    static const int64_t months[] = {12, 1}, seconds[] = {0, 0, 604800, DAY, 3600, 60, 1};
    size_t digits = 0, i = 0;
    int64_t multiple = 0;
    while (digits < length && digits < 9 && cli_is_digit(text[digits]))
        multiple = 10 * multiple + (text[digits++] - '0');
    multiple = digits ? multiple : 1;
    while (i < 13 && (strlen(names[i]) != length - digits || memcmp(names[i], text + digits, length - digits) != 0))
        i++;
    if (i == 13 || multiple == 0)
        return -1;
    *unit = (struct cli_time_unit){i < 2 ? multiple * months[i] : 0, multiple * (i < 7 ? seconds[i] : 1),
                                   i < 7 ? 1 : power_of_ten(3 * ((int)i - 6))};
    return 0;
}

size_t cli_time_convert(const struct cli_time_unit *unit, const int64_t *elements, double *seconds, size_t n) {
    const wide limit = unit->months ? (wide)1 << 31 : (wide)CLI_TIME_LIMIT * unit->den;
    for (size_t i = 0; i < n; i++) {
        const wide p = (wide)elements[i] * (unit->months ? unit->months : unit->num);
        const int missing = elements[i] == INT64_MIN;
        if (!missing && (p < -limit || p > limit))
            return i;
        seconds[i] = missing        ? NAN
                     : unit->months ? (double)(DAY * first_day(INT64_C(12) * 1970 + (int64_t)p))
                                    : divide(p, unit->den);
    }
    return n;
}
