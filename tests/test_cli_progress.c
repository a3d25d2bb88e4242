/* SPDX-License-Identifier: Apache-2.0 */
/* The progress line: nothing in a pipe, something useful on a terminal, and gone at the end. */
#define _XOPEN_SOURCE 700 /* posix_openpt */
#include "tests/support.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <time.h>

#include "api/cli/display/progress.h"

static void wait_milliseconds(long milliseconds) {
    struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    nanosleep(&time, NULL);
}

/* The other end of the terminal that a test has. */
static int reader;

static void close_terminal(void *terminal) {
    fclose(terminal);
    close(reader);
}

/* Opens a terminal `columns` wide until the unit test ends; what is written to the stream is read from `reader`. */
static FILE *open_terminal(unsigned short columns) {
    struct winsize size = {.ws_row = 24, .ws_col = columns};
    reader = posix_openpt(O_RDWR | O_NOCTTY);
    if (reader < 0 || grantpt(reader) != 0 || unlockpt(reader) != 0)
        skip_because("no pseudo terminals here");
    int writer = open(ptsname(reader), O_RDWR | O_NOCTTY);
    assert_true(writer >= 0);
    assert_int_equal(ioctl(writer, TIOCSWINSZ, &size), 0);
    FILE *terminal = fdopen(writer, "w");
    assert_non_null(terminal);
    return test_at_end(terminal, close_terminal);
}

/* Reads what has arrived. */
static size_t drain(char *text, size_t size) {
    size_t used = 0;
    struct pollfd poll_reader = {.fd = reader, .events = POLLIN};
    while (used + 1 < size && poll(&poll_reader, 1, 50) > 0 && (poll_reader.revents & POLLIN)) {
        ssize_t got = read(reader, text + used, size - 1 - used);
        if (got <= 0)
            break;
        used += (size_t)got;
    }
    text[used] = 0;
    return used;
}

UNIT_TEST(a_pipe_gets_nothing) {
    int ends[2];
    char text[64];
    assert_int_equal(pipe(ends), 0);
    FILE *stream = fdopen(ends[1], "w");
    struct cli_progress *progress = cli_progress_start(stream, "reading", 1000, "B");
    assert_null(progress);
    wait_milliseconds(250);
    cli_progress_update(progress, 500);
    cli_progress_finish(progress);
    fclose(stream);
    assert_int_equal(read(ends[0], text, sizeof text), 0);
    close(ends[0]);
    assert_null(cli_progress_start(NULL, "reading", 1, "B"));
}

UNIT_TEST(a_terminal_gets_share_bytes_rate_and_time_left) {
    char text[4096];
    FILE *terminal = open_terminal(80);
    struct cli_progress *progress = cli_progress_start(terminal, "a\033[2Jb.npy", 4000000000u, "B");
    assert_non_null(progress);
    wait_milliseconds(250);
    cli_progress_update(progress, 1000000000);
    size_t length = drain(text, sizeof text);
    assert_int_equal(text[0], '\r');
    assert_true(length - 1 < 80);
    assert_non_null(strstr(text, "a?[2Jb.npy"));
    assert_non_null(strstr(text, " 25%"));
    assert_non_null(strstr(text, "1.00 GB of 4.00 GB"));
    assert_non_null(strstr(text, " GB/s"));
    /* A quarter took a bit over a quarter of a second, so the rest takes about a second (more on a busy machine). */
    assert_non_null(strstr(text, " left"));
    const char *bar = strchr(text, '['), *second = strchr(bar + 1, '[');
    assert_non_null(second);
    size_t filled = strspn(second + 1, "#"), empty = strspn(second + 1 + filled, "-");
    assert_int_equal(filled, (filled + empty) / 4);
    assert_true(filled > 0);
    cli_progress_finish(progress);
    drain(text, sizeof text);
    /* Erased: blanks over the line, and the cursor back at its beginning. */
    size_t blanks = strspn(text + 1, " ");
    assert_int_equal(text[0], '\r');
    assert_int_equal(blanks, length - 1);
    assert_string_equal(text + 1 + blanks, "\r");
}

UNIT_TEST(ten_lines_a_second_are_the_most) {
    int redraws = 0;
    char text[16384];
    FILE *terminal = open_terminal(60);
    struct cli_progress *progress = cli_progress_start(terminal, "x", 0, "B");
    const uint64_t begin = test_now();
    double seconds;
    uint64_t calls = 0;
    do {
        cli_progress_update(progress, calls++);
        seconds = 1e-9 * (double)(test_now() - begin);
    } while (seconds < 0.65);
    drain(text, sizeof text);
    for (const char *c = text; (c = strchr(c, '\r')); c++)
        redraws++;
    assert_true(redraws >= 1);
    assert_true(redraws <= (int)(seconds * 10));
    assert_true(calls > 1000);
    assert_null(strchr(text, '%'));
    cli_progress_finish(progress);
}

UNIT_TEST(a_short_run_draws_nothing) {
    enum { SHORT = 200000000 }; /* nanoseconds; on a busy machine it may take longer */
    char text[256];
    FILE *terminal = open_terminal(80);
    uint64_t begin;
    do {
        drain(text, sizeof text);
        begin = test_now();
        struct cli_progress *progress = cli_progress_start(terminal, "x", 10, "B");
        cli_progress_update(progress, 5);
        cli_progress_finish(progress);
    } while (test_now() - begin >= SHORT);
    assert_int_equal(drain(text, sizeof text), 0);
}

UNIT_TEST(a_narrow_terminal_never_wraps) {
    for (unsigned short columns = 1; columns <= 61; columns = (unsigned short)(columns + 20)) {
        char text[1024];
        FILE *terminal = open_terminal(columns);
        struct cli_progress *progress = cli_progress_start(
            terminal, "a label that is a good deal longer than the terminal is wide, and more", 1, "B");
        wait_milliseconds(210);
        cli_progress_update(progress, UINT64_MAX);
        assert_true(drain(text, sizeof text) <= columns);
        cli_progress_finish(progress);
        test_end_from(0);
    }
}
