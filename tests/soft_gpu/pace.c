/* SPDX-License-Identifier: Apache-2.0 */
/* The time model: launches last as long as on a device that is some times slower than this CPU, however busy the CPU
 * is with other things. */
#include "opencl.h"
#include "stream.h"

#include <dirent.h>
#include <inttypes.h>
#include <time.h>

static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER; /* so that the CPUs' time is one launch's */
static uint64_t longest;                                          /* under soft_lock */
static atomic_uint_fast64_t started, ended, overlaps;             /* launches; copies while one was at work */

static uint64_t slowness(const struct soft_device *device) {
    const uint64_t tiles = soft_settings.tiles,
                   place = device->index * tiles + (device->tile < 0 ? 0 : (uint64_t)device->tile);
    return soft_settings.nslow == 0 ? 0
                                    : soft_settings.slow[place < soft_settings.nslow ? place : soft_settings.nslow - 1];
}

static void sleep_until(uint64_t end) {
    const struct timespec until = {(time_t)(end / 1000000000u), (long)(end % 1000000000u)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) != 0)
        ;
}

/* What a driver does about a launch that does not end: it resets the device. */
static ze_result_t watch(uint64_t nanoseconds, const struct soft_launch *launch) {
    pthread_mutex_lock(&soft_lock);
    longest = nanoseconds > longest ? nanoseconds : longest;
    const uint64_t most = soft_settings.watchdog * 1000000;
    pthread_mutex_unlock(&soft_lock);
    if (most == 0 || nanoseconds <= most)
        return ZE_RESULT_SUCCESS;
    fprintf(stderr, "soft_gpu: kernel %s: reset after %" PRIu64 " ms, as it would have lasted %" PRIu64 " ms\n",
            launch->description->name, most / 1000000, nanoseconds / 1000000);
    return ZE_RESULT_ERROR_DEVICE_LOST;
}

static ze_result_t run(const struct soft_stream *stream, const struct soft_launch *launch) {
    const uint64_t factor = slowness(stream->device), begin = uhi_host_now();
    static uint64_t idle = UINT64_MAX; /* under one_at_a_time */
    uint64_t took;
    while (soft_settings.hang)
        sleep_until(UINT64_C(1) << 62);
    if (factor == 0)
        return soft_executor->run(stream->queue, launch, NULL);
    pthread_mutex_lock(&one_at_a_time);
    if (idle == UINT64_MAX)
        idle = soft_executor->idle(stream->queue);
    ze_result_t result = soft_executor->run(stream->queue, launch, &took);
    took = took > idle ? took - idle : 0;
    pthread_mutex_unlock(&one_at_a_time);
    const uint64_t modelled = took * factor / (stream->device->tile < 0 ? soft_settings.tiles : 1);
    if (result == ZE_RESULT_SUCCESS)
        result = watch(modelled, launch);
    if (result == ZE_RESULT_SUCCESS)
        sleep_until(begin + modelled);
    return result;
}

ze_result_t soft_pace_run(const struct soft_stream *stream, const struct soft_launch *launch) {
    atomic_fetch_add(&started, 1);
    const ze_result_t result = run(stream, launch);
    atomic_fetch_add(&ended, 1);
    return result;
}

static bool at_work(void) {
    const uint64_t over = atomic_load(&ended);
    return over < atomic_load(&started);
}

ze_result_t soft_pace_copy(const struct soft_stream *stream, void *destination, const void *source, size_t size) {
    const bool before = at_work();
    const ze_result_t result = soft_executor->copy(stream->queue, destination, source, size);
    if (before || at_work())
        atomic_fetch_add(&overlaps, 1);
    return result;
}

uint64_t soft_pace_overlaps(void) { return atomic_exchange(&overlaps, 0); }

uint64_t soft_pace_longest(void) {
    pthread_mutex_lock(&soft_lock);
    const uint64_t found = longest;
    longest = 0;
    pthread_mutex_unlock(&soft_lock);
    return found;
}

/* ---- the crew ---- */

enum { MAX_THREADS = 1024 };

static long before[MAX_THREADS], crew[MAX_THREADS];
static size_t nbefore, ncrew;

/* The numbers of the process's threads; returns how many. */
static size_t list_threads(long *threads) {
    DIR *directory = opendir("/proc/self/task");
    size_t count = 0;
    for (const struct dirent *entry; directory && count < MAX_THREADS && (entry = readdir(directory));) {
        threads[count] = strtol(entry->d_name, NULL, 10);
        count += threads[count] > 0;
    }
    if (directory)
        closedir(directory);
    return count;
}

void soft_crew_before(void) { nbefore = list_threads(before); }

void soft_crew_after(void) {
    static long now[MAX_THREADS];
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
