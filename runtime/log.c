/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "runtime/fork.h"

/* A message of uhi_fail, its prefix and suffix, and the newline. */
enum { LINE_SIZE = 4352 };

const char *const uhi_log_level_names[] = {"off", "error", "warn", "info", "trace"};

/* ---- destination of messages ------------------------------------------------------------------------------------- */

static pthread_once_t level_once = PTHREAD_ONCE_INIT;
static uh_log_level wanted_level; /* from UNIHIST_LOG */

/* Protects `taker`; held for reading while its function runs. */
static pthread_rwlock_t taker_lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER; /* held while waiting, so readers do not starve a writer */
static struct {
    uh_log_function function;
    void *context;
} taker;
static atomic_int taker_level = -1; /* taker's level; -1: UNIHIST_LOG decides */

/* The threads that were reading do not exist in a forked process. */
static void free_lock(void) {
    pthread_mutex_init(&gate, NULL);
    pthread_rwlock_init(&taker_lock, NULL);
}

UHI_RENEWED_AT_FORK(free_lock)

void uhi_log_set_function(uh_log_level level, uh_log_function function, void *context) {
    pthread_mutex_lock(&gate);
    pthread_rwlock_wrlock(&taker_lock);
    pthread_mutex_unlock(&gate);
    taker.function = function;
    taker.context = context;
    atomic_store_explicit(&taker_level, function ? (int)level : -1, memory_order_relaxed);
    pthread_rwlock_unlock(&taker_lock);
}

/* ---- levels ------------------------------------------------------------------------------------------------------ */

static void read_level(void) {
    const char *text = getenv("UNIHIST_LOG");
    if (!text || !*text)
        return;
    for (uh_log_level level = UH_LOG_ERROR; level <= UH_LOG_TRACE; level++)
        if (strcasecmp(text, uhi_log_level_names[level]) == 0)
            wanted_level = level;
    if (wanted_level == UH_LOG_OFF) {
        wanted_level = UH_LOG_WARN;
        fprintf(stderr, "unihist: warn: UNIHIST_LOG is \"%.64s\", expected error, warn, info or trace; using warn\n",
                text);
    }
}

uh_log_level uhi_log_level(void) {
    const int level = atomic_load_explicit(&taker_level, memory_order_relaxed);
    if (level >= 0)
        return (uh_log_level)level;
    pthread_once(&level_once, read_level);
    return wanted_level;
}

/* ---- messages ---------------------------------------------------------------------------------------------------- */

void uhi_log(uh_log_level level, const char *format, ...) {
    if (level == UH_LOG_OFF || level > uhi_log_level())
        return;
    const int saved = errno;
    char line[LINE_SIZE];
    const int head = snprintf(line, sizeof line, "unihist: %s: ", uhi_log_level_names[level]);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line + head, sizeof line - (size_t)head - 1, format, arguments);
    va_end(arguments);
    pthread_mutex_lock(&gate);
    pthread_rwlock_rdlock(&taker_lock);
    pthread_mutex_unlock(&gate);
    const int wanted = level <= uhi_log_level(); /* may have changed since the check above */
    if (wanted && taker.function) {
        taker.function(level, line + head, taker.context);
    } else if (wanted) { /* one call per line, so lines of several threads do not mix */
        const size_t length = strlen(line);
        line[length] = '\n';
        fwrite(line, 1, length + 1, stderr);
    }
    pthread_rwlock_unlock(&taker_lock);
    errno = saved;
}
