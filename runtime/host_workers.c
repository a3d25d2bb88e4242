/* SPDX-License-Identifier: Apache-2.0 */
/* How many threads the host has to work. */
#include <pthread.h>

#include "runtime/host.h"

/* A process that is forked has what OpenMP knows of threads, but not the threads: it would wait for them for ever. */
static int forked;

static void note_fork(void) {
    forked = 1;
}

static void watch_forks(void) {
    pthread_atfork(NULL, NULL, note_fork);
}

uint32_t uhi_host_workers(uint32_t threads) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (threads > 1)
        pthread_once(&once, watch_forks);
    return forked ? 1 : threads;
}
