/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* sched_setaffinity, madvise */
#include "perf/harness.h"

#include <errno.h>
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "runtime/grow.h"

/* ---- threads and memory ----------------------------------------------------------------------------------------- */

/* 1 if `cpu` is the first hardware thread of its core, or the system does not say. */
static int is_first_of_core(size_t cpu) {
    char path[128], line[64] = "";
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%zu/topology/thread_siblings_list", cpu);
    FILE *file = fopen(path, "r");
    if (!file)
        return 1;
    const int is_known = fgets(line, sizeof line, file) != NULL;
    fclose(file);
    return !is_known || strtoul(line, NULL, 10) == cpu;
}

void perf_cpus_init(struct perf_cpus *cpus) {
    cpu_set_t set[PERF_CPUS / CPU_SETSIZE];
    cpus->count = 0;
    if (sched_getaffinity(0, sizeof set, set) == 0)
        for (int first = 1; first >= 0; first--)
            for (size_t cpu = 0; cpu < PERF_CPUS; cpu++)
                if (CPU_ISSET_S(cpu, sizeof set, set) && is_first_of_core(cpu) == first)
                    cpus->cpu[cpus->count++] = cpu;
}

static int pin_this_thread(size_t cpu) {
    cpu_set_t set[PERF_CPUS / CPU_SETSIZE];
    CPU_ZERO_S(sizeof set, set);
    CPU_SET_S(cpu, sizeof set, set);
    return sched_setaffinity(0, sizeof set, set) ? errno : 0;
}

const char *perf_pin_threads(const struct perf_cpus *cpus, uint32_t threads) {
    static char text[128];
    int failed = 0;
    if (omp_get_proc_bind() != omp_proc_bind_false)
        return "bound by OMP_PROC_BIND";
    if (threads > cpus->count)
        return "not pinned: more threads than the CPUs that this process may use";
#pragma omp parallel num_threads((int)threads) reduction(max : failed)
    {
        int refused = pin_this_thread(cpus->cpu[omp_get_thread_num()]);
        failed = refused > failed ? refused : failed;
    }
    snprintf(text, sizeof text, "not pinned: sched_setaffinity: %s", strerror(failed));
    if (failed)
        return text;
    return "each pinned to its own CPU";
}

void *perf_array_create(size_t bytes, uint32_t threads) {
    const size_t huge = (size_t)2 << 20;
    if (bytes > SIZE_MAX - huge)
        return NULL;
    size_t size = (bytes + huge) / huge * huge;
    unsigned char *array = aligned_alloc(huge, size);
    if (!array)
        return NULL;
    madvise(array, size, MADV_HUGEPAGE); /* a hint: if it is refused, the pages are small */
#pragma omp parallel for schedule(static) num_threads((int)threads)
    for (size_t page = 0; page < size; page += huge)
        memset(array + page, 0, huge);
    return array;
}

/* ---- repetitions ------------------------------------------------------------------------------------------------ */

struct samples {
    double *seconds;
    size_t count, room;
    double total, cpu;
};

static double clock_seconds(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

double perf_now(void) { return clock_seconds(CLOCK_MONOTONIC); }

/* `passed` is what the run took of the measurement's time. */
static void samples_add(struct samples *samples, double seconds, double cpu, double passed) {
    if (!uhi_grow(&samples->seconds, &samples->room, samples->count + 1, sizeof *samples->seconds))
        perf_fail("out of memory for more than %zu times", samples->count);
    samples->seconds[samples->count++] = seconds;
    samples->total += passed;
    samples->cpu += cpu;
}

static void run_once(struct perf_subject *subject, struct samples *samples) {
    if (perf_interrupted)
        perf_fail("interrupted");
    if (subject->cpus) /* a team of another size, for tables or of another subject, may have replaced those pinned */
        perf_pin_threads(subject->cpus, subject->threads);
    if (subject->before)
        subject->before(subject);
    double cpu = clock_seconds(CLOCK_PROCESS_CPUTIME_ID);
    double start = perf_now();
    subject->run(subject);
    double seconds = perf_now() - start;
    double passed = seconds;
    cpu = clock_seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    if (subject->times)
        subject->times(subject, &seconds, &cpu);
    if (subject->check)
        subject->check(subject);
    samples_add(samples, seconds, cpu, passed);
}

/* Runs at least once and until the runs add up to `total` seconds. */
static void run_until(struct perf_subject *subject, double total, struct samples *samples) {
    perf_measurement = subject->result;
    do
        run_once(subject, samples);
    while (samples->total < total);
    perf_measurement = NULL;
}

static int compare(const void *a, const void *b) {
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static void summarize(struct samples *samples, struct perf_timing *timing) {
    size_t count = samples->count;
    qsort(samples->seconds, count, sizeof *samples->seconds, compare);
    timing->repetitions = count;
    timing->best = samples->seconds[0];
    timing->median = (samples->seconds[(count - 1) / 2] + samples->seconds[count / 2]) / 2;
    timing->cpu = samples->cpu / (double)count;
}

void perf_measure(struct perf_subject *subjects, size_t count, double min_time) {
    struct samples *samples = perf_memory(count, sizeof *samples);
    for (size_t i = 0; i < count; i++) {
        run_until(&subjects[i], min_time / 20, &samples[i]);
        samples[i].count = 0;
        samples[i].total = samples[i].cpu = 0;
    }
    for (size_t round = 0; round < PERF_ROUNDS; round++)
        for (size_t i = 0; i < count; i++) {
            /* Another subject goes first in each round, so that none always follows the same one. */
            size_t turn = (round + i) % count;
            double until = min_time * (double)(round + 1) / PERF_ROUNDS;
            run_until(&subjects[turn], until, &samples[turn]);
        }
    for (size_t i = 0; i < count; i++) {
        summarize(&samples[i], &subjects[i].timing);
        free(samples[i].seconds);
    }
    free(samples);
}
