/* SPDX-License-Identifier: Apache-2.0 */
/* The library's messages on their way to Python: the thread that has one only leaves it here, whatever it holds and
 * whoever has Python's lock; a thread of Python's takes it. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "api/python/native.h"

enum { MAX_KEPT = 20000 }; /* messages, some MB */

struct kept {
    struct kept *next;
    uhpy_message message;
    char text[];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct kept *first, **last = &first;
static size_t count;
static uint64_t lost; /* since the last that was kept */
static int ended;

static void hold(void) {
    pthread_mutex_lock(&lock);
}

static void let_go(void) {
    pthread_mutex_unlock(&lock);
}

/* What is there is the parent's to tell; who waits there is not here. */
static void begin_anew(void) {
    pthread_cond_init(&changed, NULL);
    first = NULL;
    last = &first;
    count = 0;
    let_go();
}

static void watch_forks(void) {
    pthread_atfork(hold, let_go, begin_anew);
}

static void keep(uh_log_level level, const char *message, void *context) {
    const size_t size = strlen(message) + 1;
    struct timespec now;
    (void)context;
    clock_gettime(CLOCK_REALTIME, &now);
    struct kept *kept = malloc(sizeof *kept + size);
    if (kept) {
        memcpy(kept->text, message, size);
        kept->next = NULL;
        kept->message = (uhpy_message){.level = level,
                                       .time = (double)now.tv_sec + (double)now.tv_nsec * 1e-9,
                                       .thread = (uint64_t)pthread_self(),
                                       .text = kept->text};
    }
    hold();
    if (kept && count < MAX_KEPT) {
        kept->message.lost = lost;
        *last = kept;
        last = &kept->next;
        count++;
        lost = 0;
        pthread_cond_signal(&changed);
    } else {
        lost++;
        free(kept);
    }
    let_go();
}

uh_status uhpy_log_begin(uh_log_level level) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch_forks);
    hold();
    ended = 0;
    let_go();
    return uh_set_log(level, keep, NULL);
}

void uhpy_log_end(void) {
    uh_set_log(UH_LOG_OFF, NULL, NULL);
    hold();
    ended = 1;
    pthread_cond_signal(&changed);
    let_go();
}

const uhpy_message *uhpy_log_take(void) {
    hold();
    while (!first && !ended)
        pthread_cond_wait(&changed, &lock);
    struct kept *kept = first;
    if (kept) {
        first = kept->next;
        if (!first)
            last = &first;
        count--;
    }
    let_go();
    return kept ? &kept->message : NULL;
}

void uhpy_log_drop(const uhpy_message *message) {
    free((char *)message - offsetof(struct kept, message));
}
