/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/display/progress.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "api/cli/display/text.h"
#include "api/cli/group.h"

#define FIRST_DRAW  0.2 /* seconds; shorter work needs no line */
#define BETWEEN     0.1
#define PATIENCE    10 /* message intervals */
#define LINE_SIZE   512
#define MIN_BAR     10
#define LARGEST_BAR 40
#define BAR_SIZE    (2 * LARGEST_BAR + 4)

struct cli_progress {
    FILE *terminal;
    uint64_t total;
    const char *unit;        /* "B", or "" for things */
    double begin, next_draw; /* in seconds of cli_clock */
    int drawn;               /* characters now on the line */
    char label[64];
    const struct cli_watch *watch; /* of shared work, or NULL */
    uint64_t done;                 /* by this process */
};

double cli_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

struct cli_progress *cli_progress_start(FILE *terminal, const char *label, uint64_t total, const char *unit,
                                        int shared) {
    const struct cli_watch *watch = cli_group && terminal ? cli_group->watch : NULL;
    const int reports = shared && watch && !cli_group_is_first();
    terminal = cli_group ? watch ? watch->terminal : NULL : terminal;
    terminal = terminal && isatty(fileno(terminal)) ? terminal : NULL;
    struct cli_progress *progress = terminal || reports ? malloc(sizeof *progress) : NULL;
    if (!progress)
        return NULL;
    *progress = (struct cli_progress){
        .terminal = terminal, .unit = unit, .next_draw = cli_clock() + FIRST_DRAW, .watch = shared ? watch : NULL};
    cli_progress_next(progress, label);
    cli_progress_expect(progress, total);
    struct cli_part *parts = shared && watch && terminal ? watch->look(watch->context) : NULL;
    for (size_t r = 0; parts && r < cli_group_ranks(); r++) /* clears earlier work, which may have the same name */
        parts[r] = (struct cli_part){.done = 0};
    return progress;
}

void cli_progress_next(struct cli_progress *progress, const char *label) {
    if (!progress)
        return;
    progress->begin = cli_clock();
    progress->total = 0;
    /* File names may hold anything; removes characters that could move the cursor or is not one column wide. */
    cli_text_clean(progress->label, sizeof progress->label, label, sizeof progress->label, 0);
}

void cli_progress_expect(struct cli_progress *progress, uint64_t total) {
    if (progress)
        progress->total = total;
}

/* Formats three digits and a unit: "999 B", "1.23 GB"; "999", "1.23 G". */
static void format_amount(char text[16], double amount, const char *unit) {
    static const char *const prefixes[] = {"", "k", "M", "G", "T", "P", "E"};
    size_t prefix = 0;
    while (amount >= 999.5 && prefix + 1 < sizeof prefixes / sizeof *prefixes) {
        amount /= 1000;
        prefix++;
    }
    snprintf(text, 16, "%.*f%s%s%s",
             prefix == 0 || amount >= 99.95 ? 0
             : amount >= 9.995              ? 1
                                            : 2,
             amount, prefix || *unit ? " " : "", prefixes[prefix], unit);
}

static void format_time(char text[16], double seconds) {
    const int known = seconds < 359999, whole = known ? (int)lround(seconds) : 0, minutes = whole / 60;
    if (!known)
        snprintf(text, 16, ">99 h");
    else if (minutes < 60)
        snprintf(text, 16, "%d:%02d", minutes, whole % 60);
    else
        snprintf(text, 16, "%d:%02d:%02d", minutes / 60, minutes % 60, whole % 60);
}

/* Writes "[####------] " if `room` suffices for a useful bar, otherwise "". */
static void format_bar(char text[BAR_SIZE], int room, double share) {
    static const char done[] = "########################################",
                      left[] = "----------------------------------------";
    const int cells = (room < LARGEST_BAR + 3 ? room : LARGEST_BAR + 3) - 3, filled = (int)(share * cells);
    text[0] = 0;
    if (cells >= MIN_BAR)
        snprintf(text, BAR_SIZE, "[%.*s%.*s] ", filled, done, cells - filled, left);
}

/* Returns the work done and the total of all processes; *slowest: share of the slowest one. A process that has not
 * reported yet counts with nothing done of this one's total. */
static struct cli_part merge_parts(const struct cli_progress *progress, double *slowest) {
    struct cli_part all = {.done = progress->done, .total = progress->total};
    const double own = progress->total ? (double)progress->done / (double)progress->total : 0;
    const struct cli_part *parts = progress->watch ? progress->watch->look(progress->watch->context) : NULL;
    *slowest = own < 1 ? own : 1;
    for (size_t r = 1; parts && r < cli_group_ranks(); r++) {
        const int is_current = strcmp(parts[r].label, progress->label) == 0;
        const uint64_t total = is_current ? parts[r].total : progress->total, done = is_current ? parts[r].done : 0;
        const double share = total ? (double)done / (double)total : 1;
        *slowest = share < *slowest ? share : *slowest;
        all.done += done;
        all.total += total;
    }
    return all;
}

static void draw_line(struct cli_progress *progress, double seconds) {
    double slowest;
    const struct cli_part all = merge_parts(progress, &slowest);
    const uint64_t amount = all.done;
    char line[LINE_SIZE], tail[160], bar[BAR_SIZE] = "", done[16], rate[16], time[16];
    const size_t columns = cli_terminal_columns(progress->terminal);
    int width = (columns ? (int)columns : 80) - 1; /* the last column would make some terminals wrap */
    const char *gap = *progress->label ? "  " : "";
    format_amount(done, (double)amount, progress->unit);
    format_amount(rate, seconds > 0 ? (double)amount / seconds : 0, progress->unit);
    if (all.total > 0) {
        char total[16];
        double share = amount < all.total ? (double)amount / (double)all.total : 1;
        format_amount(total, (double)all.total, progress->unit);
        format_time(time, amount > 0 ? (1 - share) * seconds / share : (double)INFINITY);
        const int length = snprintf(tail, sizeof tail, "%3.0f%%  %s of %s  %s/s  %s left", floor(share * 100), done,
                                    total, rate, time);
        if (progress->watch && length > 0 && length < (int)sizeof tail)
            snprintf(tail + length, sizeof tail - (size_t)length, "  slowest %.0f%%", floor(slowest * 100));
        format_bar(bar, width - (int)(strlen(progress->label) + strlen(gap) + strlen(tail)), share);
    } else {
        format_time(time, seconds);
        snprintf(tail, sizeof tail, "%s  %s/s  %s", done, rate, time);
    }
    snprintf(line, sizeof line, "%s%s%s%s", progress->label, gap, bar, tail);
    if (width < (int)sizeof line)
        line[width > 0 ? width : 0] = 0;
    int length = (int)strlen(line);
    int leftover = progress->drawn > length ? progress->drawn - length : 0;
    fprintf(progress->terminal, "\r%s%*s", line, leftover, "");
    fflush(progress->terminal);
    progress->drawn = length;
}

/* Limits the messages to the first process to a thousand per second, for any number of processes. */
static double between_messages(void) {
    const double ranks = (double)cli_group_ranks();
    return ranks < 100 ? BETWEEN : ranks * BETWEEN / 100;
}

static void report_rank(const struct cli_progress *progress) {
    struct cli_part part = {.done = progress->done, .total = progress->total};
    memcpy(part.label, progress->label, sizeof part.label);
    progress->watch->report(progress->watch->context, &part);
}

void cli_progress_update(struct cli_progress *progress, uint64_t amount) {
    if (!progress)
        return;
    const double now = cli_clock();
    progress->done = amount;
    if (now < progress->next_draw)
        return;
    if (progress->terminal)
        draw_line(progress, now - progress->begin);
    else
        report_rank(progress);
    progress->next_draw = now + (progress->terminal ? BETWEEN : between_messages());
}

/* The first process draws until the others are done, but gives up if it hears nothing from them, for example because
 * one failed before this work. */
static void report_all(struct cli_progress *progress) {
    const struct timespec pause = {0, 20000000};
    double last_report = cli_clock(), slowest = 0;
    uint64_t before = 0;
    progress->done = progress->total;
    while (cli_clock() - last_report < PATIENCE * between_messages()) {
        const uint64_t done = merge_parts(progress, &slowest).done;
        if (slowest >= 1)
            return;
        if (done != before)
            last_report = cli_clock();
        before = done;
        cli_progress_update(progress, progress->total);
        nanosleep(&pause, NULL);
    }
}

void cli_progress_finish(struct cli_progress *progress) {
    if (!progress)
        return;
    if (!progress->terminal) {
        progress->done = progress->total;
        report_rank(progress);
    } else if (progress->watch && progress->total > 0) {
        report_all(progress);
    }
    if (progress->drawn > 0) {
        fprintf(progress->terminal, "\r%*s\r", progress->drawn, "");
        fflush(progress->terminal);
    }
    free(progress);
}
