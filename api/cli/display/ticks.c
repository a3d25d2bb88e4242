/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/display/frame.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Numbers of at least LARGE, and steps below FINE, are written with powers of ten if that is shorter. */
#define LARGE 1e7L
#define FINE  1e-5L

/* A tick at most this fraction of a step outside the axis still belongs to it, because of rounding. */
#define SLACK 1e-6L

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
static void write_power(char label[40], const char *mantissa, int exponent, unsigned flags) {
    static const char *const raised[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    const int negative = *mantissa == '-', one = strcmp(mantissa + negative, "1") == 0;
    char digits[12];
    if (!(flags & CLI_TICKS_UTF8)) {
        snprintf(label, 40, "%se%d", mantissa, exponent);
        return;
    }
    int used = snprintf(label, 40, "%.*s%s10", one ? negative : 16, mantissa, one ? "" : "×");
    snprintf(digits, sizeof digits, "%d", exponent);
    for (const char *digit = digits; *digit; digit++)
        used += snprintf(label + used, 40 - (size_t)used, "%s", *digit == '-' ? "⁻" : raised[*digit - '0']);
}

void cli_ticks_label(char label[40], long double value, long double step, long double largest, unsigned flags) {
    if (fabsl(value) < step * SLACK) {
        snprintf(label, 40, "0");
        return;
    }
    int decimals = decade_of(step) < 0 ? -decade_of(step) : 0;
    int digits = decade_of(largest) - decade_of(step) + 1; /* significant digits of the largest label */
    /* Far from zero only the last of many digits differ, and a power of ten would be no shorter. */
    if ((largest < LARGE && step >= FINE) || (digits > 6 && largest < 1e12L && decimals < 6)) {
        if ((flags & CLI_TICKS_COMMAS) && decimals == 0) {
            label[0] = '-';
            cli_text_count(label + (value < 0), (uint64_t)llroundl(fabsl(value)));
        } else
            snprintf(label, 40, "%.*Lf", decimals, value);
        return;
    }
    char text[40];
    int own = decade_of(fabsl(value)) - decade_of(step); /* digits after the decimal point of the mantissa */
    own = own < 0 ? 0 : own > 12 ? 12 : own;
    snprintf(text, sizeof text, "%.*Le", own, value);
    const int exponent = (int)strtol(strchr(text, 'e') + 1, NULL, 10);
    snprintf(text, sizeof text, "%.*Lg", own + 1, value / powl(10, exponent));
    write_power(label, text, exponent, flags);
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
    while (floorl(right / step + SLACK) - ceill(left / step - SLACK) >= max)
        step = cli_ticks_step(step * 1.5L);
    long double largest = fmaxl(fabsl(left), fabsl(right));
    /* Steps of 1 are divided into five, 2 into four and 5 into five. */
    int parts = fabsl(step / powl(10, (long double)decade_of(step)) - 2) < 0.5L ? 4 : 5;
    long double fine = step / parts, first = ceill(left / fine - SLACK);
    /* There are at most 5 * `max`, wherever they begin. */
    int count = (int)(floorl(right / fine + SLACK) - first) + 1;
    for (int i = 0; i < count; i++) {
        long double index = first + i, value = index * fine;
        int major = fmodl(index, parts) == 0;
        long double u = logarithmic ? log10l(value) : value;
        struct cli_tick *tick = add_tick(ticks, (u - low) / (high - low), major);
        if (tick && major)
            cli_ticks_label(tick->label, value, step, largest, flags);
    }
}

/* Powers of ten, at most `max` of them labelled, with the multiples 2 to 9 between them if all are labelled. With `max`
 * 0, for an axis of about a decade, one, two and five times powers of ten are labelled. */
static void make_decades(struct cli_ticks *ticks, long double low, long double high, unsigned max, unsigned flags) {
    const int first = (int)ceill(low - SLACK), last = (int)floorl(high + SLACK);
    int every = 1;
    while (max && (last - first) / every + 1 > (int)max)
        every = (int)cli_ticks_step(every + 1);
    const int fine = every >= 5 ? every / 5 : 1;
    for (int decade = first - 1; decade <= last; decade++)
        for (int multiple = 1; multiple < (every == 1 ? 10 : 2); multiple++) {
            const long double power = powl(10, (long double)decade), u = decade + log10l(multiple);
            if (u < low - SLACK || u > high + SLACK || decade % fine != 0)
                continue;
            const int major = max ? multiple == 1 && decade % every == 0 : 10 % multiple == 0;
            struct cli_tick *tick = add_tick(ticks, (u - low) / (high - low), major);
            if (tick && major && max)
                write_power(tick->label, "1", decade, flags);
            else if (tick && major)
                cli_ticks_label(tick->label, multiple * power, power, powl(10, high), flags);
        }
}

void cli_ticks_make(struct cli_ticks *ticks, long double low, long double high, int logarithmic, unsigned max,
                    unsigned flags) {
    const int powers = logarithmic ? (int)(floorl(high + SLACK) - ceill(low - SLACK)) + 1 : 0;
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
