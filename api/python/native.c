/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* pipe2, F_SETPIPE_SZ */
#include "api/python/native.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

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

static void keep(uh_log_level level, const char *text, __attribute__((unused)) void *context) {
    const size_t size = strlen(text) + 1;
    const unsigned long before = atomic_exchange(&lost, 0);
    uhpy_message *message = malloc(sizeof *message + size);
    struct timespec now;
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
