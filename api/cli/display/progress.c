/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/display/progress.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "api/cli/display/text.h"
#include "api/cli/group.h"

#define FIRST_DRAW  0.2 /* seconds: what is done by then needs no line */
#define BETWEEN     0.1
#define LINE_SIZE   512
#define MIN_BAR     10
#define LARGEST_BAR 40
#define BAR_SIZE    (2 * LARGEST_BAR + 4)

struct cli_progress {
    FILE *terminal;
    uint64_t total;
    const char *unit;        /* "B", or "" for things */
    double begin, next_draw; /* by the clock */
    int drawn;               /* characters on the line now */
    char label[64];
};

double cli_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

struct cli_progress *cli_progress_start(FILE *terminal, const char *label, uint64_t total, const char *unit) {
    int descriptor = terminal ? fileno(terminal) : -1;
    if (descriptor < 0 || !isatty(descriptor) || !cli_group_is_first())
        return NULL;
    struct cli_progress *progress = malloc(sizeof *progress);
    if (!progress)
        return NULL;
    *progress = (struct cli_progress){.terminal = terminal, .unit = unit, .next_draw = cli_clock() + FIRST_DRAW};
    cli_progress_next(progress, label);
    cli_progress_expect(progress, total);
    return progress;
}

void cli_progress_next(struct cli_progress *progress, const char *label) {
    if (!progress)
        return;
    progress->begin = cli_clock();
    progress->total = 0;
    /* Names of files may hold anything; what could move the cursor, or is not one column wide, may not reach it. */
    cli_text_clean(progress->label, sizeof progress->label, label, sizeof progress->label, 0);
}

void cli_progress_expect(struct cli_progress *progress, uint64_t total) {
    if (progress)
        progress->total = total;
}

/* "999 B", "1.23 GB"; "999", "1.23 G": three digits and a unit. */
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

/* "0:07", "1:02:03". */
static void format_time(char text[16], double seconds) {
    const int known = seconds < 359999, whole = known ? (int)lround(seconds) : 0, minutes = whole / 60;
    if (!known)
        snprintf(text, 16, ">99 h");
    else if (minutes < 60)
        snprintf(text, 16, "%d:%02d", minutes, whole % 60);
    else
        snprintf(text, 16, "%d:%02d:%02d", minutes / 60, minutes % 60, whole % 60);
}

/* Writes "[####------] " where `room` is enough for a useful one, else "". */
static void format_bar(char text[BAR_SIZE], int room, double share) {
    static const char done[] = "########################################",
                      left[] = "----------------------------------------";
    const int cells = (room < LARGEST_BAR + 3 ? room : LARGEST_BAR + 3) - 3, filled = (int)(share * cells);
    text[0] = 0;
    if (cells >= MIN_BAR)
        snprintf(text, BAR_SIZE, "[%.*s%.*s] ", filled, done, cells - filled, left);
}

static void draw(struct cli_progress *progress, uint64_t amount, double seconds) {
    char line[LINE_SIZE], tail[128], bar[BAR_SIZE] = "", done[16], rate[16], time[16];
    const size_t columns = cli_terminal_columns(progress->terminal);
    int width = (columns ? (int)columns : 80) - 1; /* the last column would make some terminals wrap */
    const char *gap = *progress->label ? "  " : "";
    format_amount(done, (double)amount, progress->unit);
    format_amount(rate, seconds > 0 ? (double)amount / seconds : 0, progress->unit);
    if (progress->total > 0) {
        char total[16];
        double share = amount < progress->total ? (double)amount / (double)progress->total : 1;
        format_amount(total, (double)progress->total, progress->unit);
        format_time(time, amount > 0 ? (1 - share) * seconds / share : (double)INFINITY);
        snprintf(tail, sizeof tail, "%3.0f%%  %s of %s  %s/s  %s left", floor(share * 100), done, total, rate, time);
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

void cli_progress_update(struct cli_progress *progress, uint64_t amount) {
    if (!progress)
        return;
    const double now = cli_clock();
    if (now < progress->next_draw)
        return;
    draw(progress, amount, now - progress->begin);
    progress->next_draw = now + BETWEEN;
}

void cli_progress_finish(struct cli_progress *progress) {
    if (!progress)
        return;
    if (progress->drawn > 0) {
        fprintf(progress->terminal, "\r%*s\r", progress->drawn, "");
        fflush(progress->terminal);
    }
    free(progress);
}
