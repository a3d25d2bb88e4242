/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/display/ticks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/cli/display/text.h"

/* Numbers of this size and above, and steps this fine, are written with powers of ten where that is shorter. */
#define LARGE 1e7L
#define FINE  1e-5L

/* A tick this share of a step outside of the axis still belongs to it: it misses by rounding. */
#define SLACK 1e-6L

static int decade_of(long double value) {
    return (int)floorl(log10l(value) + 1e-12L);
}

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

/* Writes mantissa times ten to the `exponent`, without a mantissa of 1. */
static void write_power(char label[40], const char *mantissa, int exponent, unsigned flags) {
    static const char *const raised[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    if (!(flags & CLI_TICKS_UTF8)) {
        snprintf(label, 40, "%se%d", mantissa, exponent);
        return;
    }
    char digits[12], power[40] = "";
    size_t used = 0;
    snprintf(digits, sizeof digits, "%d", exponent);
    for (const char *digit = digits; *digit; digit++)
        used += (size_t)snprintf(power + used, sizeof power - used, "%s", *digit == '-' ? "⁻" : raised[*digit - '0']);
    if (strcmp(mantissa, "1") == 0)
        snprintf(label, 40, "10%.30s", power);
    else if (strcmp(mantissa, "-1") == 0)
        snprintf(label, 40, "-10%.30s", power);
    else
        snprintf(label, 40, "%.12s×10%.20s", mantissa, power);
}

void cli_ticks_label(char label[40], long double value, long double step, long double largest, unsigned flags) {
    if (fabsl(value) < step * SLACK) {
        snprintf(label, 40, "0");
        return;
    }
    int decimals = decade_of(step) < 0 ? -decade_of(step) : 0;
    int digits = decade_of(largest) - decade_of(step) + 1; /* significant ones of the largest label */
    /* Far from zero the difference is in the last of many digits; as a power of ten it would be no shorter. */
    if ((largest < LARGE && step >= FINE) || (digits > 6 && largest < 1e12L && decimals < 6)) {
        if ((flags & CLI_TICKS_COMMAS) && decimals == 0) {
            label[0] = '-';
            cli_text_count(label + (value < 0), (uint64_t)llroundl(fabsl(value)));
        } else
            snprintf(label, 40, "%.*Lf", decimals, value);
        return;
    }
    char text[40], mantissa[24];
    int own = decade_of(fabsl(value)) - decade_of(step); /* digits behind the point of the mantissa */
    snprintf(text, sizeof text, "%.*Le", own < 0 ? 0 : own > 12 ? 12 : own, value);
    char *exponent = strchr(text, 'e');
    snprintf(mantissa, sizeof mantissa, "%.*s", (int)(exponent - text), text);
    if (strchr(mantissa, '.')) {
        char *end = mantissa + strlen(mantissa);
        while (end[-1] == '0')
            *--end = 0;
        if (end[-1] == '.')
            end[-1] = 0;
    }
    write_power(label, mantissa, (int)strtol(exponent + 1, NULL, 10), flags);
}

static struct cli_tick *add(struct cli_ticks *ticks, long double position, int major) {
    if (ticks->count == CLI_TICKS_ALL)
        return NULL;
    struct cli_tick *tick = &ticks->tick[ticks->count++];
    *tick = (struct cli_tick){.position = position <= 0 ? 0 : position >= 1 ? 1 : (double)position, .major = major};
    return tick;
}

/* Even steps; on a logarithmic axis of less than a decade they stand where their logarithms are. */
static void make_linear(struct cli_ticks *ticks, long double low, long double high, int logarithmic, unsigned max,
                        unsigned flags) {
    long double left = logarithmic ? powl(10, low) : low, right = logarithmic ? powl(10, high) : high;
    long double step = cli_ticks_step((right - left) / max);
    while (floorl(right / step + SLACK) - ceill(left / step - SLACK) >= max)
        step = cli_ticks_step(step * 1.5L);
    long double largest = fmaxl(fabsl(left), fabsl(right));
    /* 1 is divided into five, 2 into four and 5 into five. */
    int parts = fabsl(step / powl(10, (long double)decade_of(step)) - 2) < 0.5L ? 4 : 5;
    long double fine = step / parts, first = ceill(left / fine - SLACK);
    /* There are at most 5 * `most` of them, wherever they begin. */
    int count = (int)(floorl(right / fine + SLACK) - first) + 1;
    for (int i = 0; i < count; i++) {
        long double index = first + i, value = index * fine;
        int major = fmodl(index, parts) == 0;
        long double u = logarithmic ? log10l(value) : value;
        struct cli_tick *tick = add(ticks, (u - low) / (high - low), major);
        if (tick && major)
            cli_ticks_label(tick->label, value, step, largest, flags);
    }
}

/* Powers of ten, every `every`-th labelled; between neighbours the multiples 2 to 9. */
static void make_decades(struct cli_ticks *ticks, long double low, long double high, unsigned max, unsigned flags) {
    int first = (int)ceill(low - SLACK), last = (int)floorl(high + SLACK);
    int every = 1;
    while ((last - first) / every + 1 > (int)max)
        every = (int)cli_ticks_step(every + 1);
    int fine = every >= 5 ? every / 5 : 1;
    for (int decade = first - 1; decade <= last; decade++) {
        int major = decade % every == 0;
        if (decade >= first && decade % fine == 0) {
            struct cli_tick *tick = add(ticks, (decade - low) / (high - low), major);
            if (tick && major)
                write_power(tick->label, "1", decade, flags);
        }
        for (int multiple = 2; every == 1 && multiple < 10; multiple++) {
            long double u = decade + log10l(multiple);
            if (u >= low - SLACK && u <= high + SLACK)
                add(ticks, (u - low) / (high - low), 0);
        }
    }
}

/* One, two and five times powers of ten, for an axis of about a decade. */
static void make_one_two_five(struct cli_ticks *ticks, long double low, long double high, unsigned flags) {
    long double largest = powl(10, high);
    for (int decade = (int)floorl(low) - 1; decade <= high; decade++)
        for (int multiple = 1; multiple < 10; multiple++) {
            long double u = decade + log10l(multiple), value = multiple * powl(10, (long double)decade);
            if (u < low - SLACK || u > high + SLACK)
                continue;
            int major = multiple == 1 || multiple == 2 || multiple == 5;
            struct cli_tick *tick = add(ticks, (u - low) / (high - low), major);
            if (tick && major)
                cli_ticks_label(tick->label, value, powl(10, (long double)decade), largest, flags);
        }
}

static unsigned count_major(const struct cli_ticks *ticks) {
    unsigned major = 0;
    for (size_t i = 0; i < ticks->count; i++)
        major += ticks->tick[i].major != 0;
    return major;
}

void cli_ticks_make(struct cli_ticks *ticks, long double low, long double high, int logarithmic, unsigned max,
                    unsigned flags) {
    ticks->count = 0;
    max = max < 1 ? 1 : max > CLI_TICKS_MAJOR ? CLI_TICKS_MAJOR : max;
    if (!logarithmic) {
        make_linear(ticks, low, high, 0, max, flags);
        return;
    }
    int decades = (int)(floorl(high + SLACK) - ceill(low - SLACK)) + 1;
    if (decades >= 3 || (decades == 2 && max == 2)) {
        make_decades(ticks, low, high, max, flags);
        return;
    }
    make_one_two_five(ticks, low, high, flags);
    if (count_major(ticks) < 3 || count_major(ticks) > max) {
        ticks->count = 0;
        if (decades == 2)
            make_decades(ticks, low, high, max, flags);
        else
            make_linear(ticks, low, high, 1, max, flags);
    }
}
