/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/display/frame.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- round numbers ----------------------------------------------------------------------------------------------- */

/* Numbers of at least LARGE, and steps below FINE, are written with powers of ten if that is shorter. */
#define LARGE 1e7L
#define FINE  1e-5L

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
    if (fabsl(value) < step * TICK_SLACK) {
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
    while (floorl(right / step + TICK_SLACK) - ceill(left / step - TICK_SLACK) >= max)
        step = cli_ticks_step(step * 1.5L);
    long double largest = fmaxl(fabsl(left), fabsl(right));
    /* Steps of 1 are divided into five, 2 into four and 5 into five. */
    int parts = fabsl(step / powl(10, (long double)decade_of(step)) - 2) < 0.5L ? 4 : 5;
    long double fine = step / parts, first = ceill(left / fine - TICK_SLACK);
    /* There are at most 5 * `max`, wherever they begin. */
    int count = (int)(floorl(right / fine + TICK_SLACK) - first) + 1;
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
    const int first = (int)ceill(low - TICK_SLACK), last = (int)floorl(high + TICK_SLACK);
    int every = 1;
    while (max && (last - first) / every + 1 > (int)max)
        every = (int)cli_ticks_step(every + 1);
    const int fine = every >= 5 ? every / 5 : 1;
    for (int decade = first - 1; decade <= last; decade++)
        for (int multiple = 1; multiple < (every == 1 ? 10 : 2); multiple++) {
            const long double power = powl(10, (long double)decade), u = decade + log10l(multiple);
            if (u < low - TICK_SLACK || u > high + TICK_SLACK || decade % fine != 0)
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

/* ---- frame ------------------------------------------------------------------------------------------------------- */

#define MAX_STEPS 6 /* maximum number of steps in the heights of bars */

/* Tolerance for rounded positions of marks. */
#define SLACK 1e-6

static double widest(const struct cli_ticks *ticks, const struct cli_paper *paper) {
    double width = 0;
    for (size_t i = 0; i < ticks->count; i++)
        width = fmax(width, paper->measure(paper->on, ticks->tick[i].label));
    return ceil(width / paper->point) * paper->point;
}

/* Divides the heights into round steps that contain all bars; whole steps for whole numbers. */
static void make_heights(struct cli_frame *frame, const struct cli_paper *paper) {
    const struct cli_grid *grid = &frame->grid;
    const long double low = paper->below_zero ? grid->low : 0;
    const long double high = grid->high > 0 || low < 0 ? grid->high : 1;
    long double step = cli_ticks_step((high - low) / MAX_STEPS);
    if (grid->whole)
        step = fmaxl(step, 1);
    const long double first = floorl(low / step + SLACK), last = ceill(high / step - SLACK);
    frame->low = first * step;
    frame->high = last * step;
    frame->steps = (unsigned)(last - first);
    frame->up.count = frame->steps + 1;
    for (unsigned i = 0; i <= frame->steps; i++) {
        struct cli_tick *tick = &frame->up.tick[i];
        *tick = (struct cli_tick){.position = (double)i / frame->steps, .major = 1};
        cli_ticks_label(tick->label, (first + i) * step, step, fmaxl(frame->high, -frame->low),
                        paper->flags | CLI_TICKS_COMMAS);
    }
}

static void make_ticks(struct cli_ticks *ticks, const struct cli_view *view, unsigned max, unsigned flags) {
    ticks->count = 0;
    if (!view->unbounded)
        cli_ticks_make(ticks, view->low, view->high, view->log, max, flags);
}

static void make_sides(struct cli_frame *frame, const struct cli_paper *paper) {
    const struct cli_grid *grid = &frame->grid;
    if (grid->result->naxes == 1) {
        make_heights(frame, paper);
        return;
    }
    make_ticks(&frame->up, &grid->view[1], paper->max_up, paper->flags);
    if (paper->colours)
        cli_ticks_make(&frame->colours, grid->logarithmic ? log10l(grid->low) : grid->low,
                       grid->logarithmic ? log10l(grid->high) : grid->high, grid->logarithmic, paper->max_up,
                       paper->flags | CLI_TICKS_COMMAS);
}

/* Places the labels below, within the line, and drops those that overlap. Returns whether none did. */
static int place_labels(struct cli_frame *frame, const struct cli_paper *paper) {
    double used = 0;
    int separate = 1;
    for (size_t i = 0; i < frame->across.count; i++) {
        struct cli_tick *tick = &frame->across.tick[i];
        const double at = tick->position * (frame->right - frame->left), width = paper->measure(paper->on, tick->label);
        tick->mark = frame->left + (paper->characters ? ceil(at - SLACK) : at);
        /* On a terminal a mark is the character before its position. */
        const double begin = paper->characters ? floor(tick->mark - (width + 1) / 2) : tick->mark - width / 2;
        tick->begin = fmax(fmin(begin, paper->width - width), 0);
        if (!tick->label[0])
            continue;
        if (tick->begin < used) {
            tick->label[0] = 0;
            separate = 0;
        } else
            used = tick->begin + width + paper->gap;
    }
    return separate;
}

int cli_frame_make(struct cli_frame *frame, const struct cli_result *result, enum cli_heat_scale scale,
                   const struct cli_paper *paper) {
    const struct cli_grid *grid = &frame->grid;
    double labels = 0, colours = 0;
    *frame = (struct cli_frame){.steps = 1};
    /* The labels' widths depend on the values, which depend on the room that the labels leave. */
    for (int i = 0; i < 4; i++) {
        frame->left = paper->left + labels;
        const double room = floor((paper->width - paper->right - colours - frame->left) / paper->point);
        cli_grid_free(&frame->grid);
        if (cli_grid_make(&frame->grid, result, (size_t)fmax(room, 1), paper->rows, paper->characters, scale))
            return -1;
        frame->right = frame->left + (double)grid->width * paper->point;
        make_sides(frame, paper);
        const double wanted = widest(&frame->up, paper), colour_width = widest(&frame->colours, paper);
        if (wanted <= labels && colour_width <= colours)
            break;
        labels = fmax(labels, wanted);
        colours = fmax(colours, colour_width);
    }
    unsigned max = paper->max_across;
    do
        make_ticks(&frame->across, &grid->view[0], max, paper->flags);
    while (!place_labels(frame, paper) && --max > 0);
    return 0;
}

void cli_frame_axis_name(char text[128], const struct cli_result *result, size_t axis, int utf8) {
    const char *name = result->axis[axis].name;
    if (name && *name)
        cli_text_clean(text, 128, name, 24, utf8);
    else
        snprintf(text, 128, result->naxes == 1 ? "value" : "axis %zu", axis);
}

void cli_frame_words(struct cli_lines *lines, const struct cli_result *result, const struct cli_grid *grid, int utf8) {
    const char *times = utf8 ? " × " : " x ";
    char name[128], before[256] = "";
    size_t used = 0;
    for (size_t a = 0; a < result->naxes; a++)
        used += (size_t)snprintf(before + used, sizeof before - used, "%s%zu", a ? times : "", result->axis[a].bins);
    cli_lines_add(lines, "%s %s", before, cli_result_cells(result) == 1 ? "bin" : "bins");
    cli_lines_count(lines, "n", result->n);
    if (result->naxes > 1)
        cli_lines_count(lines, "outside", result->outside);
    for (size_t a = 0; a < result->naxes; a++) {
        const uh_flow *flow = &result->axis[a].flow;
        cli_frame_axis_name(name, result, a, utf8);
        snprintf(before, sizeof before, result->naxes == 1 ? "below" : "%s: below", name);
        cli_lines_count(lines, before, flow->below);
        cli_lines_count(lines, "above", flow->above);
        cli_lines_count(lines, "NaN", flow->nan);
    }
    if (result->sums)
        cli_lines_add(lines, "weight outside %.6g", result->outside_sum);
    if (grid && grid->has_beyond)
        cli_lines_add(lines, "in bins without end %.15g", grid->beyond);
    cli_lines_end(lines);
}
