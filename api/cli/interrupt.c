/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* sigaction */
#include "api/cli/interrupt.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const int signals[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGXCPU, SIGXFSZ};
enum { SIGNALS = sizeof signals / sizeof *signals };
enum { FIRST = 1, EVERY }; /* which signals are held: the first one, not SIGQUIT, or every one */

static struct sigaction before[SIGNALS];
static volatile sig_atomic_t held, asks, noted;
static volatile pid_t child;

/* A path is written before `live` is set and does not change while it is set. */
enum { FILES = 8 };
static struct {
    atomic_int live;
    char path[PATH_MAX];
} files[FILES];

int cli_interrupt_remove(const char *path) {
    int number = 0;
    const size_t size = strlen(path) + 1;
    while (number < FILES && atomic_load(&files[number].live))
        number++;
    errno = number == FILES ? EMFILE : ENAMETOOLONG;
    if (number == FILES || size > sizeof files[number].path)
        return -1;
    memcpy(files[number].path, path, size);
    cli_interrupt_watch();
    atomic_store(&files[number].live, 1);
    return number;
}

void cli_interrupt_keep(int number) {
    if (number >= 0)
        atomic_store(&files[number].live, 0);
}

static void remove_files(void) {
    for (size_t i = 0; i < FILES; i++)
        if (atomic_load(&files[i].live))
            unlink(files[i].path);
}

void cli_interrupt_end(int status) {
    remove_files();
    _exit(status);
}

/* Removes files and passes the signal to its previous handler; the default kills. */
static void pass_on(int number) {
    remove_files();
    for (size_t i = 0; i < SIGNALS; i++)
        if (signals[i] == number)
            sigaction(number, &before[i], NULL);
    raise(number); /* blocked within the handler until that returns */
}

static void note_signal(int number) {
    const int again = noted, waits = number != SIGPIPE && number != SIGXCPU && number != SIGXFSZ;
    if (!waits || (held != EVERY && (held != FIRST || again || number == SIGQUIT))) {
        pass_on(number);
        return;
    }
    noted = again ? again : number;
    if (child > 0)
        kill(child, again ? SIGKILL : SIGTERM);
}

void cli_interrupt_child(pid_t pid) {
    child = pid;
    if (pid > 0 && noted)
        kill(pid, SIGTERM);
}

void cli_interrupt_watch(void) {
    static int watches;
    struct sigaction action = {.sa_handler = note_signal, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < SIGNALS && !watches; i++) {
        sigaction(signals[i], NULL, &before[i]);
        if ((before[i].sa_flags & SA_SIGINFO) || before[i].sa_handler != SIG_IGN)
            sigaction(signals[i], &action, NULL);
    }
    watches = 1;
}

int cli_interrupt_requested(void) { return asks && noted == SIGINT; }

int cli_interrupt_cancels(__attribute__((unused)) void *user) { return noted && !cli_interrupt_requested(); }

void cli_interrupt_hold(int every) { held = every ? EVERY : FIRST; }

uh_status cli_interrupt_release(uh_queue *queue, uh_status status) {
    held = 0;
    if (!cli_interrupt_cancels(NULL))
        return status;
    (void)uh_queue_wait(queue);
    pass_on(noted);
    return status;
}

void cli_interrupt_catch(void) { asks = 1; }

void cli_interrupt_obey(void) {
    if (noted != SIGINT)
        return;
    fflush(stdout);
    pass_on(noted);
}
