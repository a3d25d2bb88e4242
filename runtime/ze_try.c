/* SPDX-License-Identifier: Apache-2.0 */
/* First opens Level Zero in a separate process: a driver that crashes or hangs during initialization ends that process,
 * not the program. */
#define _GNU_SOURCE /* pipe2, memrchr */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/atomic_file.h"
#include "runtime/device_list.h"
#include "runtime/host.h"
#include "runtime/log.h"
#include "runtime/ze.h"

enum { DEFAULT_SECONDS = 20, MAX_SECONDS = 3600, MAX_MAPS = 4 << 20, LEAVING_MS = 2000 };

static char why[UHI_ZE_VERDICT + 512];

/* ---- the trial process ------------------------------------------------------------------------------------------- */

static int report_fd; /* write end of the pipe */

/* Writes the memory map, which shows the drivers' files. Async-signal-safe. */
static void report_maps(void) {
    char buffer[4096];
    const int maps = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    ssize_t n = 0;
    while (maps >= 0 && (n = read(maps, buffer, sizeof buffer)) > 0)
        if (uhi_write_all(report_fd, buffer, (size_t)n) != 0)
            break;
}

static void note_crash(int number) {
    report_maps();
    raise(number); /* ends the process when this has returned */
}

/* If a driver calls exit(), the program's own exit handlers must not run. */
static void exit_trial(void) {
    report_maps();
    _exit(EXIT_FAILURE);
}

static void be_silent(__attribute__((unused)) uh_log_level level, __attribute__((unused)) const char *message,
                      __attribute__((unused)) void *context) {}

static void prepare(void) {
    static const int crashes[] = {SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP};
    static const int requests[] = {SIGHUP, SIGINT, SIGTERM, SIGQUIT, SIGPIPE, SIGCHLD, SIGALRM};
    static char stack[64 << 10];
    const stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction action = {.sa_handler = note_crash, .sa_flags = (int)(SA_RESETHAND | SA_ONSTACK)};
    const struct rlimit none = {0, 0};
    sigset_t all;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setrlimit(RLIMIT_CORE, &none);
    sigaltstack(&other, NULL);
    for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++)
        sigaction(crashes[i], &action, NULL);
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++)
        signal(requests[i], SIG_DFL);
    sigfillset(&all);
    sigprocmask(SIG_UNBLOCK, &all, NULL);
    const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO && nothing >= 0; fd++)
        dup2(nothing, fd);
    atexit(exit_trial);
    uhi_log_set_function(UH_LOG_OFF, be_silent, NULL);
}

__attribute__((noreturn)) static void work(uh_status (*open_drivers)(struct uhi_device_list *list),
                                           const struct uhi_device_list *like, int to) {
    struct uhi_device_list list = {.call = like->call, .backend = like->backend};
    report_fd = to;
    prepare();
    (void)open_drivers(&list);
    (void)uhi_write_all(report_fd, "+\n", 2);
    report_maps();
    _exit(EXIT_SUCCESS);
}

/* ---- the waiting process ----------------------------------------------------------------------------------------- */

static int64_t now_ms(void) { return (int64_t)(uhi_host_now() / 1000000); }

/* Reads to the end, to `to` unless NULL; returns whether it was reached in time. Ignores interruptions. */
static int read_until(int fd, int64_t end, FILE *to) {
    for (;;) {
        char buffer[4096];
        struct pollfd polled = {fd, POLLIN, 0};
        const int64_t left = end - now_ms();
        const int ready = left > 0 ? poll(&polled, 1, (int)left) : 0;
        if (ready == 0)
            return 0;
        if (ready < 0 && errno != EINTR)
            return 0;
        const ssize_t n = ready > 0 ? read(fd, buffer, sizeof buffer) : -1;
        if (n == 0)
            return 1;
        if (n > 0 && to && ftell(to) < MAX_MAPS)
            fwrite(buffer, 1, (size_t)n, to);
    }
}

/* Returns a process's memory map (malloc); NULL if unknown. */
static char *maps_of(pid_t pid) {
    char path[64], *text = NULL;
    size_t room = 0;
    snprintf(path, sizeof path, "/proc/%jd/maps", (intmax_t)pid);
    FILE *file = fopen(path, "re");
    const int known = file && getdelim(&text, &room, '\0', file) > 0; /* to its end: it has no NUL */
    if (file)
        fclose(file);
    if (known)
        return text;
    free(text);
    return NULL;
}

/* Returns the mapped files that are not mapped here: those that opening the loader added. malloc, or NULL. */
static char *files_of(const char *maps) {
    char *own = maps_of(getpid()), *files = NULL, line[4096];
    size_t size = 0;
    FILE *to = own ? open_memstream(&files, &size) : NULL;
    for (const char *at = maps; to && *at; at += strcspn(at, "\n") + (at[strcspn(at, "\n")] != '\0')) {
        const size_t length = strcspn(at, "\n");
        const char *path = memchr(at, '/', length);
        const int fits =
            path && snprintf(line, sizeof line, "%.*s\n", (int)(at + length - path), path) < (int)sizeof line;
        fflush(to);
        if (fits && strstr(line, ".so") && !strstr(own, line) && !(files && strstr(files, line)))
            fputs(line, to);
    }
    if (to)
        fclose(to);
    free(own);
    return files;
}

/* Names the drivers among these files, by the prefix of their names; if none, those named by the environment. */
static void name_drivers(const char *files, char *text, size_t room) {
    size_t used = 0;
    text[0] = '\0';
    for (const char *at = files; at && *at && used < room; at += strcspn(at, "\n") + 1) {
        const int length = (int)strcspn(at, "\n");
        const char *slash = memrchr(at, '/', (size_t)length), *base = slash ? slash + 1 : at;
        if (strncmp(base, "libze_", 6) == 0 && strncmp(base, "libze_loader", 12) != 0)
            used += (size_t)snprintf(text + used, room - used, "%s%.*s", used ? ", " : "", length, at);
    }
    if (!used)
        snprintf(text, room, "%s", getenv("ZE_ENABLE_ALT_DRIVERS") ? getenv("ZE_ENABLE_ALT_DRIVERS") : "a driver");
}

/* Describes how an incomplete trial ended. */
static void describe_end(struct uhi_ze_verdict *verdict, int is_over, int known, int status, unsigned seconds) {
    char drivers[512], how[128];
    name_drivers(verdict->files, drivers, sizeof drivers);
    if (!is_over)
        snprintf(how, sizeof how, "does not answer within %u s", seconds);
    else if (known && WIFSIGNALED(status))
        snprintf(how, sizeof how, "crashes (%s)", strsignal(WTERMSIG(status)));
    else
        snprintf(how, sizeof how, "ends the process");
    snprintf(verdict->failure, sizeof verdict->failure, "%s as Level Zero is initialised: %s", how, drivers);
    for (char *c = verdict->failure; *c; c++)
        *c = (unsigned char)*c < ' ' ? '?' : *c;
}

/* Returns whether somebody else ended it, which says nothing about the driver. */
static int was_stopped(int status) {
    const int number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    return number == SIGINT || number == SIGTERM || number == SIGHUP || number == SIGQUIT || number == SIGKILL;
}

/* Waits for the process; `from` is the pipe. Returns whether the verdict may be kept. */
static int await_trial(pid_t pid, int from, unsigned seconds, struct uhi_ze_verdict *verdict) {
    char *text = NULL;
    size_t size = 0;
    int status = 0, known = 0;
    FILE *to = open_memstream(&text, &size);
    const int is_over = to && read_until(from, now_ms() + (int64_t)seconds * 1000, to);
    if (to)
        fclose(to);
    char *maps = is_over ? NULL : maps_of(pid);
    if (!is_over) {
        kill(pid, SIGKILL);
        (void)read_until(from, now_ms() + LEAVING_MS, NULL); /* a process blocked in the kernel does not end */
    }
    /* If the program has its children reaped otherwise, the exit status is unknown. */
    known = waitpid(pid, &status, is_over ? 0 : WNOHANG) == pid;
    const int is_good = is_over && text && text[0] == '+';
    const char *all = maps ? maps : text;
    verdict->files = all ? files_of(all) : NULL;
    if (!is_good)
        describe_end(verdict, is_over, known, status, seconds);
    free(maps);
    free(text);
    return is_good || !is_over || !known || !was_stopped(status);
}

static void try_drivers(uh_status (*open_drivers)(struct uhi_device_list *list), const struct uhi_device_list *like,
                        unsigned seconds, struct uhi_ze_verdict *verdict) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        uhi_log(UH_LOG_WARN, "level_zero is opened without a test: no pipe: %s", strerror(errno));
        return;
    }
    const pid_t pid = fork();
    if (pid == 0) {
        close(ends[0]);
        work(open_drivers, like, ends[1]);
    }
    close(ends[1]);
    if (pid < 0)
        uhi_log(UH_LOG_WARN, "level_zero is opened without a test: no process: %s", strerror(errno));
    else if (await_trial(pid, ends[0], seconds, verdict))
        uhi_ze_verdict_keep(verdict);
    close(ends[0]);
}

/* ---- environment settings ---------------------------------------------------------------------------------------- */

/* Parses "try" or "try:SECONDS". Returns the seconds, 0 for other text. */
static unsigned seconds_of(const char *text) {
    char *end = NULL;
    if (strcasecmp(text, "try") == 0)
        return DEFAULT_SECONDS;
    if (strncasecmp(text, "try:", 4) != 0 || text[4] < '0' || text[4] > '9')
        return 0;
    const unsigned long seconds = strtoul(text + 4, &end, 10);
    return *end || seconds > MAX_SECONDS ? 0 : (unsigned)seconds;
}

static int refuse(struct uhi_device_list *list, uh_log_level level) {
    list->why = why;
    uhi_log(level, "%s", why);
    return 0;
}

int uhi_ze_may_open(struct uhi_device_list *list, uh_status (*open_drivers)(struct uhi_device_list *list)) {
    const char *text = getenv("UNIHIST_LEVEL_ZERO");
    struct uhi_ze_verdict verdict = {.failure = ""};
    if (!text || !*text || strcasecmp(text, "on") == 0)
        return 1;
    const unsigned seconds = seconds_of(text);
    if (!seconds) {
        const int is_off = strcasecmp(text, "off") == 0;
        snprintf(why, sizeof why, "UNIHIST_LEVEL_ZERO is \"%.64s\"%s", text,
                 is_off ? "" : ", expected on, off, try or try:SECONDS; no driver is opened");
        return refuse(list, is_off ? UH_LOG_INFO : UH_LOG_WARN);
    }
    if (!uhi_ze_verdict_find(verdict.failure))
        try_drivers(open_drivers, list, seconds, &verdict);
    free(verdict.files);
    if (!verdict.failure[0])
        return 1;
    snprintf(why, sizeof why, "the driver %s; as tested in a separate process (UNIHIST_LEVEL_ZERO=on skips the test)",
             verdict.failure);
    list->is_broken = 1;
    return refuse(list, UH_LOG_WARN);
}
