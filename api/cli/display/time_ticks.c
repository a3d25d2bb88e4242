/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/cli/display/frame.h"

/* Steps of up to a year; shorter and longer ones are 1, 2 or 5 times a power of ten. */
static const struct cli_step steps[] = {
    {0, 1},      {0, 2},      {0, 5},       {0, 10},   {0, 15},   {0, 30},    {0, 60},    {0, 120},   {0, 300},
    {0, 600},    {0, 900},    {0, 1800},    {0, 3600}, {0, 7200}, {0, 10800}, {0, 21600}, {0, 43200}, {0, 86400},
    {0, 172800}, {0, 604800}, {0, 1209600}, {1, 0},    {2, 0},    {3, 0},     {6, 0},     {12, 0}};

/* Finds the shortest step of which at most `max` begin from `low` to `high`, and the number of the first of these. */
static struct cli_step find_step(double low, double high, unsigned max, int64_t *first, int64_t *last) {
    const size_t n = sizeof steps / sizeof *steps;
    struct cli_step step = {0, (double)cli_ticks_step((high - low) / max)};
    for (size_t i = 0;;) {
        const int is_fraction = !step.months && step.seconds < 1;
        const int64_t years = step.months / 12 + 1;
        if (!is_fraction)
            step = i < n ? steps[i++] : (struct cli_step){12 * (int64_t)cli_ticks_step(years), 0};
        *first = cli_step_number(&step, low);
        *first += cli_step_begin(&step, *first) < low;
        *last = cli_step_number(&step, high);
        if (*last - *first < max)
            return step;
        if (is_fraction)
            step.seconds = (double)cli_ticks_step(1.5 * step.seconds);
    }
}

/* Writes a label to the step's precision, without what it has in common with the one before. */
static void write_label(char label[40], double at, const struct cli_step *step, char before[CLI_TIME_SIZE]) {
    char text[CLI_TIME_SIZE];
    const int clock = !step->months && step->seconds < 86400;
    cli_time_write(text, at, clock ? step->seconds : 86400);
    const size_t year = strcspn(text + 1, "-") + 1, date = year + 6;
    const size_t end = step->months % 12 ? year + 3 : step->months ? year : clock ? strlen(text) : date;
    const int midnight = clock && strspn(text + date, " 0:.") == strlen(text + date);
    size_t same = 0;
    if (clock && strncmp(text, before, date) == 0)
        same = date + 1;
    else if (!clock && !step->months && strncmp(text, before, year + 3) == 0)
        same = year + 4;
    else if (end > year && strncmp(text, before, year) == 0)
        same = year + 1;
    snprintf(before, CLI_TIME_SIZE, "%s", text);
    snprintf(label, 40, "%.*s", (int)((midnight && same <= date ? date : end) - same), text + same);
}

void cli_ticks_make_times(struct cli_ticks *ticks, double low, double high, unsigned max) {
    char before[CLI_TIME_SIZE] = "";
    int64_t first, last;
    const struct cli_step step = find_step(low, high, max < CLI_TICKS_MAJOR ? max : CLI_TICKS_MAJOR, &first, &last);
    ticks->count = 0;
    ticks->unit[0] = 0;
    for (int64_t i = first; i <= last; i++) {
        const double at = cli_step_begin(&step, i);
        struct cli_tick *tick = &ticks->tick[ticks->count++];
        *tick = (struct cli_tick){.position = (at - low) / (high - low), .major = 1};
        write_label(tick->label, at, &step, before);
    }
}
