/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/log.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* A message of uhi_fail, what stands before and behind it, and the end of the line. */
enum { LINE_SIZE = 4352 };

static const char *const level_names[] = {"off", "error", "warn", "info", "trace"};

static pthread_once_t level_once = PTHREAD_ONCE_INIT;
static enum uhi_log_level wanted_level;

static void write_line(enum uhi_log_level level, const char *format, va_list arguments) {
    char line[LINE_SIZE];
    int head = snprintf(line, sizeof line, "unihist: %s: ", level_names[level]);
    vsnprintf(line + head, sizeof line - (size_t)head - 1, format, arguments);
    size_t length = strlen(line);
    line[length] = '\n';
    /* One call a line: lines of several threads do not mix. */
    fwrite(line, 1, length + 1, stderr);
}

__attribute__((format(printf, 2, 3))) static void write_always(enum uhi_log_level level, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    write_line(level, format, arguments);
    va_end(arguments);
}

static void read_level(void) {
    const char *text = getenv("UNIHIST_LOG");
    if (!text || !*text)
        return;
    for (enum uhi_log_level level = UHI_LOG_ERROR; level <= UHI_LOG_TRACE; level++)
        if (strcasecmp(text, level_names[level]) == 0)
            wanted_level = level;
    if (wanted_level == UHI_LOG_OFF) {
        wanted_level = UHI_LOG_WARN;
        write_always(UHI_LOG_WARN, "UNIHIST_LOG is \"%.64s\", expected error, warn, info or trace; using warn", text);
    }
}

enum uhi_log_level uhi_log_level(void) {
    pthread_once(&level_once, read_level);
    return wanted_level;
}

void uhi_log(enum uhi_log_level level, const char *format, ...) {
    if (level == UHI_LOG_OFF || level > uhi_log_level())
        return;
    int saved = errno;
    va_list arguments;
    va_start(arguments, format);
    write_line(level, format, arguments);
    va_end(arguments);
    errno = saved;
}
