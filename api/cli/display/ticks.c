/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/display/ticks.h"

#include <math.h>
#include <string.h>

#include "api/cli/display/text.h"
#include "api/cli/error.h"
#include "api/cli/input/calendar.h"

/* Labels of at least LARGE, and steps below FINE, have a common factor; labels of more than DIGITS, an offset. */
#define LARGE  1e7L
#define FINE   1e-5L
#define DIGITS 6

/* A tick at most this fraction of a step outside the axis still belongs to it, because of rounding. */
#define TICK_SLACK 1e-6L

static int decade_of(long double value) { return (int)floorl(log10l(value) + 1e-12L); }

long double cli_ticks_step(long double min) {
    static const long double steps[] = {1, 2, 5, 10};
    long double decade = powl(10, (long double)decade_of(min)), step = 0;
    for (int i = 0; i < 4; i++) {
        step = steps[i] * decade;
        if (step >= min * (1 - 1e-9L))
            break;
    }
    return step;
}

/* Writes mantissa times ten to the power `exponent`; omits a mantissa of 1. */
static void write_power(char *text, size_t size, const char *mantissa, int exponent, unsigned flags) {
    static const char *const raised[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    char digits[12];
    if (!(flags & CLI_TICKS_UTF8)) {
        snprintf(text, size, "%se%d", mantissa, exponent);
        return;
    }
    snprintf(text, size, strcmp(mantissa, "1") == 0 ? "10" : "%s×10", mantissa);
    snprintf(digits, sizeof digits, "%d", exponent);
    for (const char *digit = digits; *digit; digit++)
        cli_append(text, size, "", "%s", *digit == '-' ? "⁻" : raised[*digit - '0']);
}

/* Labels are (index - origin) * step / 10^exponent, with `decimals`. */
struct form {
    long double step, origin;
    int exponent, decimals, grouped;
};

static void write_offset(char *text, size_t size, long double offset, unsigned flags) {
    char number[48];
    const int decade = decade_of(fabsl(offset)), plain = fabsl(offset) < LARGE && fabsl(offset) >= FINE;
    int used = snprintf(text, size, "%s", offset >= 0 ? "+" : flags & CLI_TICKS_UTF8 ? "−" : "-");
    snprintf(number, sizeof number, "%.17Lg", fabsl(offset) / (plain ? 1 : powl(10, decade)));
    if (!plain)
        write_power(text + used, size - (size_t)used, number, decade, flags);
    else {
        cli_text_group(number);
        snprintf(text + used, size - (size_t)used, "%s", number);
    }
}

/* Chooses how numbers at multiples of `step` from `low` to `high` are written, and writes what they have in common. */
static struct form choose_form(char unit[96], long double low, long double high, long double step, unsigned flags) {
    struct form form = {.step = step};
    long double largest = fmaxl(fabsl(low), fabsl(high));
    char offset[64] = "", factor[24] = "";
    /* Far from zero only the last of many digits differ. */
    if (decade_of(largest) - decade_of(step) >= DIGITS) {
        const int exponent = decade_of(fmaxl(high - low, step)) + 1;
        const long double common = powl(10, exponent);
        const long double count = copysignl(floorl(largest / common + TICK_SLACK), low + high);
        write_offset(offset, sizeof offset, count * common, flags);
        form.origin = count * roundl(common / step);
        largest = fmaxl(fabsl(low - count * common), fabsl(high - count * common));
    }
    if (largest >= LARGE || step < FINE) {
        form.exponent = decade_of(fmaxl(largest, step));
        write_power(factor, sizeof factor, "1", form.exponent, flags);
    }
    form.decimals = decade_of(step) < form.exponent ? form.exponent - decade_of(step) : 0;
    form.grouped = flags & CLI_TICKS_CONTENTS || largest >= 1e4L;
    snprintf(unit, 96, "%s%s%s%s",
             !*factor                 ? ""
             : flags & CLI_TICKS_UTF8 ? "×"
                                      : "x",
             factor, *factor && *offset ? " " : "", offset);
    return form;
}

static void write_label(char label[40], const struct form *form, long double index) {
    const long double shown = (index - form->origin) * (form->step / powl(10, form->exponent));
    snprintf(label, 40, "%.*Lf", form->decimals, shown);
    if (form->grouped)
        cli_text_group(label);
}

static struct cli_tick *add_tick(struct cli_ticks *ticks, long double position, int major) {
    if (ticks->count == CLI_TICKS_ALL)
        return NULL;
    struct cli_tick *tick = &ticks->tick[ticks->count++];
    *tick = (struct cli_tick){.position = position <= 0 ? 0 : position >= 1 ? 1 : (double)position, .major = major};
    return tick;
}

/* Even steps; on a logarithmic axis of less than a decade, at the positions of their logarithms. */
static void make_linear(struct cli_ticks *ticks, long double low, long double high, int logarithmic, unsigned max,
                        unsigned flags) {
    long double left = logarithmic ? powl(10, low) : low, right = logarithmic ? powl(10, high) : high;
    long double step = cli_ticks_step((right - left) / max);
    if (flags & CLI_TICKS_WHOLE)
        step = fmaxl(step, 1);
    while (floorl(right / step + TICK_SLACK) - ceill(left / step - TICK_SLACK) >= max)
        step = cli_ticks_step(step * 1.5L);
    const struct form form = choose_form(ticks->unit, left, right, step, flags);
    /* Steps of 1 are divided into five, 2 into four and 5 into five. */
    int parts = fabsl(step / powl(10, (long double)decade_of(step)) - 2) < 0.5L ? 4 : 5;
    if (flags & CLI_TICKS_WHOLE && step < parts)
        parts = (int)step;
    long double fine = step / parts, first = ceill(left / fine - TICK_SLACK);
    /* There are at most 5 * `max`, wherever they begin. */
    int count = (int)(floorl(right / fine + TICK_SLACK) - first) + 1;
    for (int i = 0; i < count; i++) {
        long double index = first + i, value = index * fine;
        int major = fmodl(index, parts) == 0;
        long double u = logarithmic ? log10l(value) : value;
        struct cli_tick *tick = add_tick(ticks, (u - low) / (high - low), major);
        if (tick && major)
            write_label(tick->label, &form, index / parts);
    }
}

/* Powers of ten, at most `max` of them labelled, with the multiples 2 to 9 between them if all are labelled. With `max`
 * 0, for an axis of about a decade, one, two and five times powers of ten are labelled. */
static void make_decades(struct cli_ticks *ticks, long double low, long double high, unsigned max, unsigned flags) {
    const int first = (int)ceill(low - TICK_SLACK), last = (int)floorl(high + TICK_SLACK);
    int every = 1;
    while (max && (last - first) / every + 1 > (int)max)
        every = (int)cli_ticks_step(every + 1);
    const int fine = every >= 5 ? every / 5 : 1;
    const long double least = powl(10, low - TICK_SLACK <= first - 1 + log10l(5) ? first - 1 : first);
    const struct form form = choose_form(ticks->unit, 0, max ? 1 : powl(10, high), max ? 1 : least, flags);
    for (int decade = first - 1; decade <= last; decade++)
        for (int multiple = 1; multiple < (every == 1 ? 10 : 2); multiple++) {
            const long double power = powl(10, (long double)decade), u = decade + log10l(multiple);
            if (u < low - TICK_SLACK || u > high + TICK_SLACK || decade % fine != 0)
                continue;
            const int major = max ? multiple == 1 && decade % every == 0 : 10 % multiple == 0;
            struct cli_tick *tick = add_tick(ticks, (u - low) / (high - low), major);
            if (tick && major && max)
                write_power(tick->label, sizeof tick->label, "1", decade, flags);
            else if (tick && major)
                write_label(tick->label, &form, roundl(multiple * (power / least)));
        }
}

void cli_ticks_make(struct cli_ticks *ticks, long double low, long double high, int logarithmic, unsigned max,
                    unsigned flags) {
    const int powers = logarithmic ? (int)(floorl(high + TICK_SLACK) - ceill(low - TICK_SLACK)) + 1 : 0;
    unsigned major = 0;
    ticks->count = 0;
    max = max < 1 ? 1 : max > CLI_TICKS_MAJOR ? CLI_TICKS_MAJOR : max;
    if (logarithmic && (powers < 2 || (powers == 2 && max != 2))) {
        make_decades(ticks, low, high, 0, flags);
        for (size_t i = 0; i < ticks->count; i++)
            major += ticks->tick[i].major != 0;
        if (major >= 3 && major <= max)
            return;
        ticks->count = 0;
    }
    if (powers >= 2)
        make_decades(ticks, low, high, max, flags);
    else
        make_linear(ticks, low, high, logarithmic, max, flags);
}

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
static void write_date(char label[40], double at, const struct cli_step *step, char before[CLI_TIME_SIZE]) {
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
        write_date(tick->label, at, &step, before);
    }
}
