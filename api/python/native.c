/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* pipe2, F_SETPIPE_SZ */
#include "api/python/native.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

uh_status uhpy_count(uh_histogram *histogram, uh_dtype dtype, const void *data, ptrdiff_t stride, size_t count,
                     void *counts) {
    const uh_array x = {dtype, data, stride, count};
    uh_status status = uh_histogram_reset(histogram);
    if (status == UH_SUCCESS)
        status = uh_histogram_fill(histogram, &x, NULL);
    if (status == UH_SUCCESS)
        status = uh_histogram_counts(histogram, counts);
    return status;
}

/* Fills in edges as numpy.linspace does in float32 or, rounded, in float64. Returns whether each step increases. */
static int fill(double first, double last, size_t bins, int single, float *edges) {
    const float low = (float)first, step_of_single = ((float)last - low) / (float)bins;
    const double step = single ? (double)step_of_single : (last - first) / (double)bins;
    for (size_t i = 0; i < bins; i++)
        edges[i] = single ? (float)i * step_of_single + low : (float)((double)i * step + first);
    edges[bins] = (float)last;
    return isfinite(step) && step > 0;
}

static int count_single(uh_queue *queue, const uh_array *x, size_t bins, const double *range, void *counts,
                        float *edges) {
    const uh_array at = uh_array_of(UH_F32, edges, bins + 1);
    const uh_bins between = uh_bins_between(&at);
    const uh_cells cells = uh_cells_of(counts);
    double first, last;
    uint64_t nan = 0;
    const uh_status status = range ? UH_SUCCESS : uh_min_max(queue, x, &first, &last, &nan);
    if (status)
        return (int)status;
    if (nan || !fill(range ? range[0] : first, range ? range[1] : last, bins, !range, edges))
        return UHPY_NOT_DONE;
    for (size_t i = 0; i < bins; i++)
        if (!(edges[i] < edges[i + 1]))
            return UHPY_NOT_DISTINCT;
    return (int)uh_histogram_of(queue, x, &between, 1, NULL, &cells);
}

static int count_double(uh_queue *queue, const uh_array *x, size_t bins, const double *range, void *counts,
                        double *edges) {
    const uh_bins equal = uh_bins_equal(bins, range);
    uh_cells cells = uh_cells_of(counts);
    cells.edges[0] = edges;
    const uh_status status = uh_histogram_of(queue, x, &equal, 1, NULL, &cells);
    for (size_t i = 0; i < bins && status == UH_SUCCESS; i++)
        if (!(edges[i] < edges[i + 1]))
            return UHPY_NOT_DISTINCT;
    return status ? UHPY_NOT_DONE : UH_SUCCESS; /* the general way names what is wrong, in NumPy's words */
}

int uhpy_count_equal(uh_queue *queue, uh_dtype dtype, const void *data, ptrdiff_t stride, size_t count, size_t bins,
                     int ranged, double first, double last, void *counts, void *edges) {
    const uh_array x = {dtype, data, stride, count};
    const double ends[2] = {first, last}, *range = ranged ? ends : NULL;
    if (ranged && !(isfinite(first) && isfinite(last) && first <= last))
        return UHPY_NOT_DONE;
    return dtype == UH_F32 ? count_single(queue, &x, bins, range, counts, edges)
                           : count_double(queue, &x, bins, range, counts, edges);
}

/* ---- the log ----
 * The library's messages go to Python through a pipe of pointers. A thread that logs may hold a lock of the library for
 * which the owner of the interpreter's lock waits; so it only writes, without waiting, and a thread of Python reads. */

/* 32,768 messages; the kernel's default if it refuses that. A message is passed as its address. */
enum { PIPE_BYTES = 1 << 18, POINTER = sizeof(void *) };

static int ends[2] = {-1, -1}; /* to read from and to write to */
static atomic_ulong lost;      /* messages since the last one in the pipe */

static void open_pipe(void) {
    if (pipe2(ends, O_CLOEXEC) == 0) {
        (void)fcntl(ends[1], F_SETPIPE_SZ, PIPE_BYTES);
        (void)fcntl(ends[1], F_SETFL, O_NONBLOCK);
    }
}

/* In a forked process: messages in the pipe belong to the parent, whose pointers they are. */
static void renew_pipe(void) {
    close(ends[0]);
    close(ends[1]);
    open_pipe();
}

static void begin(void) {
    open_pipe();
    pthread_atfork(NULL, NULL, renew_pipe);
}

static void keep(uh_log_level level, const char *text, void *context) {
    const size_t size = strlen(text) + 1;
    const unsigned long before = atomic_exchange(&lost, 0);
    uhpy_message *message = malloc(sizeof *message + size);
    struct timespec now;
    (void)context;
    clock_gettime(CLOCK_REALTIME, &now);
    if (message)
        *message = (uhpy_message){.level = level,
                                  .time = (double)now.tv_sec + (double)now.tv_nsec * 1e-9,
                                  .thread = (uint64_t)pthread_self(),
                                  .lost = before,
                                  .text = memcpy(message + 1, text, size)};
    if (!message || write(ends[1], &message, POINTER) != POINTER) {
        atomic_fetch_add(&lost, before + 1);
        free(message);
    }
}

uh_status uhpy_log_begin(uh_log_level level) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, begin);
    return uh_set_log(level, keep, NULL);
}

void uhpy_log_end(void) {
    const uhpy_message *const end = NULL;
    uh_set_log(UH_LOG_OFF, NULL, NULL);
    (void)fcntl(ends[1], F_SETFL, 0); /* waits for space in the pipe */
    while (write(ends[1], &end, POINTER) < 0 && errno == EINTR)
        ;
    (void)fcntl(ends[1], F_SETFL, O_NONBLOCK);
}

uhpy_message *uhpy_log_take(void) {
    uhpy_message *message = NULL;
    while (read(ends[0], &message, POINTER) < 0 && errno == EINTR)
        ;
    return message;
}

void uhpy_log_drop(uhpy_message *message) { free(message); }
