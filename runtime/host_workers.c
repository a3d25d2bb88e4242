/* SPDX-License-Identifier: Apache-2.0 */
/* Number of threads the host can use. */
#include <pthread.h>

#include "runtime/host.h"

/* A forked process inherits OpenMP's record of threads, but not the threads, and would wait for them forever. */
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
