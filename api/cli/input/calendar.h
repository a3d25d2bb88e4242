/* SPDX-License-Identifier: Apache-2.0 */
/* Dates and times of ISO 8601 as seconds since 1970-01-01T00:00:00Z, in the proleptic Gregorian calendar with days of
 * 86,400 seconds. */
#pragma once

#include <stddef.h>
#include <stdint.h>

static inline int cli_is_digit(char c) { return c >= '0' && c <= '9'; }

#define CLI_TIME_UNIT  "seconds since 1970-01-01T00:00:00Z"
#define CLI_TIME_FORM  "dates are written as 2026-11-28, 2026-11-28 13:45 or 2026-11-28T13:45:06.5+01:00"
#define CLI_TIME_LIMIT 0x1p53 /* seconds; whole ones are exact up to here */

struct cli_time {
    int64_t whole;  /* seconds, rounded down */
    int fraction;   /* there is a fraction of a second */
    double seconds; /* rounded once */
};

/* Reads the whole text as a date or time. Returns 0 or -1. */
int cli_time_parse(const char *text, size_t length, struct cli_time *time);

/* Return whether a text, which is no date, has the form of one; and whether it begins as a time of day. */
int cli_time_is_near(const char *text, size_t length);
int cli_time_is_clock(const char *text, size_t length);

/* Writes a time to the day, minute, second or decimal of a second that shows `step` seconds; seconds that are no time
 * of the calendar as a number. */
#define CLI_TIME_SIZE 40
void cli_time_write(char text[CLI_TIME_SIZE], double seconds, double step);

/* Returns the largest step that shows the edges exactly, to the millionth of a second. */
double cli_time_resolution(const double *edges, size_t n);

/* Writes a number of seconds, in the longest of days, hours, minutes and seconds of which there are two. */
void cli_time_write_duration(char text[CLI_TIME_SIZE], double seconds);

/* Steps along the axis: months from January of year 0 or, if these are 0, seconds from a Monday. */
struct cli_step {
    int64_t months;
    double seconds;
};

/* Return the step named minute, hour, day, week, month or year, of no length for others; the number of the step
 * that contains a time; and the begin of a step. Seconds are within CLI_TIME_LIMIT. */
struct cli_step cli_step_named(const char *name);
int64_t cli_step_number(const struct cli_step *step, double seconds);
double cli_step_begin(const struct cli_step *step, int64_t number);

/* ---- elements of numpy.datetime64 -------------------------------------------------------------------------------- */

/* An element is a number of months, or `num` / `den` seconds; zero: elements are no times. */
struct cli_time_unit {
    int64_t months, num, den;
};

/* Reads a unit such as "ns" or "25s". Returns 0 or -1. */
int cli_time_unit_read(const char *text, size_t length, struct cli_time_unit *unit);

/* Converts n elements to the nearest seconds, NaT to NaN. Returns the number of those before the first one beyond
 * CLI_TIME_LIMIT: n if none is. */
size_t cli_time_convert(const struct cli_time_unit *unit, const int64_t *elements, double *seconds, size_t n);
