/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/atomic_file.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

/* Read by the signal handler. A path is written before `live` is set and does not change while it is set. */
static struct {
    atomic_int live;
    char path[PATH_MAX];
} slots[UHI_GUARDED_FILES];

static const int fatal_signals[] = {SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM, SIGXCPU, SIGXFSZ};
#define FATAL_SIGNALS (sizeof fatal_signals / sizeof *fatal_signals)

static struct sigaction previous_actions[FATAL_SIGNALS];
static int guarded;

/* Passes the signal to the previous handler: by default it kills; compilers in GPU drivers first remove files. */
static void remove_and_pass_on(int number) {
    for (size_t i = 0; i < UHI_GUARDED_FILES; i++)
        if (atomic_load(&slots[i].live))
            unlink(slots[i].path);
    for (size_t i = 0; i < FATAL_SIGNALS; i++)
        if (fatal_signals[i] == number)
            sigaction(number, &previous_actions[i], NULL);
    raise(number); /* blocked until the handler returns */
}

/* An ignored signal (nohup) stays ignored. */
static void watch_signals(void) {
    for (size_t i = 0; i < FATAL_SIGNALS; i++) {
        struct sigaction action = {.sa_handler = remove_and_pass_on};
        sigemptyset(&action.sa_mask);
        sigaction(fatal_signals[i], NULL, &previous_actions[i]);
        if ((previous_actions[i].sa_flags & SA_SIGINFO) || previous_actions[i].sa_handler != SIG_IGN)
            sigaction(fatal_signals[i], &action, NULL);
    }
}

int uhi_guard_add(const char *path) {
    int slot = 0;
    size_t size = strlen(path) + 1;
    while (slot < UHI_GUARDED_FILES && atomic_load(&slots[slot].live))
        slot++;
    if (slot == UHI_GUARDED_FILES || size > sizeof slots[slot].path) {
        errno = slot == UHI_GUARDED_FILES ? EMFILE : ENAMETOOLONG;
        return -1;
    }
    memcpy(slots[slot].path, path, size);
    if (guarded++ == 0)
        watch_signals();
    atomic_store(&slots[slot].live, 1);
    return slot;
}

void uhi_guard_remove(int number) {
    if (number < 0)
        return;
    atomic_store(&slots[number].live, 0);
    if (--guarded == 0)
        for (size_t i = 0; i < FATAL_SIGNALS; i++)
            sigaction(fatal_signals[i], &previous_actions[i], NULL);
}
