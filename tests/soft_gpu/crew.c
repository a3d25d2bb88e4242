/* SPDX-License-Identifier: Apache-2.0 */
#include "crew.h"

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <time.h>

enum { MOST = 1024 };

static long before[MOST], crew[MOST];
static size_t nbefore, ncrew;

/* The numbers of the process's threads; returns how many. */
static size_t list_threads(long *threads) {
    DIR *directory = opendir("/proc/self/task");
    size_t count = 0;
    for (const struct dirent *entry; directory && count < MOST && (entry = readdir(directory));) {
        threads[count] = strtol(entry->d_name, NULL, 10);
        count += threads[count] > 0;
    }
    if (directory)
        closedir(directory);
    return count;
}

void soft_crew_before(void) {
    nbefore = list_threads(before);
}

void soft_crew_after(void) {
    static long now[MOST];
    const size_t count = list_threads(now);
    for (size_t i = 0; i < count; i++) {
        bool is_new = true;
        for (size_t k = 0; k < nbefore; k++)
            is_new &= now[i] != before[k];
        if (is_new)
            crew[ncrew++] = now[i];
    }
}

static uint64_t time_of(clockid_t clock) {
    struct timespec time;
    return clock_gettime(clock, &time) == 0 ? (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec : 0;
}

/* The clock of a thread's CPU time, as pthread_getcpuclockid has it of one that is known by a pthread_t. */
static clockid_t clock_of(long thread) {
    enum { OF_A_THREAD = 4, OF_THE_SCHEDULER = 2, SHIFT = 3 };
    return (clockid_t)(~(unsigned)thread << SHIFT | OF_A_THREAD | OF_THE_SCHEDULER);
}

uint64_t soft_crew_time(void) {
    uint64_t sum = 0;
    for (size_t i = 0; i < ncrew; i++)
        sum += time_of(clock_of(crew[i]));
    return ncrew ? sum : time_of(CLOCK_PROCESS_CPUTIME_ID);
}
