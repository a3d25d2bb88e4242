/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* sigaction */
#include "api/cli/interrupt.h"

#include <signal.h>
#include <stdio.h>

static volatile sig_atomic_t interrupted;
static struct sigaction before;

static void note_interrupt(int number) {
    interrupted = number;
}

void cli_interrupt_begin(void) {
    const struct sigaction note = {.sa_handler = note_interrupt, .sa_flags = (int)(SA_RESTART | SA_RESETHAND)};
    sigaction(SIGINT, NULL, &before);
    if (before.sa_handler != SIG_IGN)
        sigaction(SIGINT, &note, NULL);
}

void cli_interrupt_end(void) {
    sigaction(SIGINT, &before, NULL);
}

int cli_interrupt_is_there(void) {
    return interrupted != 0;
}

void cli_interrupt_obey(void) {
    if (!interrupted)
        return;
    fflush(stdout);
    raise(SIGINT);
}
