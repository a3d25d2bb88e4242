/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/fault_run.h"

#include <pthread.h>

#include <unihist/device.h>

#include "kernels/common/pace.h"
#include "tests/soft_gpu/soft_gpu.h"
#include "tests/support.h"

static struct soft_gpu gpu;
static const char *names[FAULT_MAX_CALLS];
static size_t call_count;
static pthread_mutex_t record_lock = PTHREAD_MUTEX_INITIALIZER; /* of both */

static const struct code {
    const char *text;
    uh_status status;
} codes[] = {
    {"0x7ffffffe", UH_ERROR_DRIVER},               /* ZE_RESULT_ERROR_UNKNOWN */
    {"0x70000002", UH_ERROR_OUT_OF_MEMORY},        /* ..._OUT_OF_HOST_MEMORY */
    {"0x70000003", UH_ERROR_OUT_OF_DEVICE_MEMORY}, /* ..._OUT_OF_DEVICE_MEMORY */
};

int fault_find(void) {
    uh_device *device;
    if (uh_device_select("level_zero", &device) == UH_SUCCESS && soft_gpu_find(&gpu) == 0)
        return 0;
    printf("skipped: the driver of tests/soft_gpu is not in use (%s)\n", uh_last_error());
    return -1;
}

/* Keeps the first problem. */
__attribute__((format(printf, 2, 3))) static int complain(struct fault_report *report, const char *format, ...) {
    if (!report->problem[0]) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(report->problem, sizeof report->problem, format, arguments);
        va_end(arguments);
    }
    return -1;
}

static struct outcome use_once(const struct fault_run *run) {
    struct outcome outcome = {UH_SUCCESS, "", "", ""};
    run->use(run->context, &outcome);
    return outcome;
}

/* Several threads may call it, one after the other, in another order than that of their calls. */
static void record(const char *name, uint64_t number, void *user) {
    const uint64_t *before = user;
    pthread_mutex_lock(&record_lock);
    if (number - *before <= FAULT_MAX_CALLS)
        names[number - *before - 1] = name;
    call_count = call_count > number - *before ? call_count : number - *before;
    pthread_mutex_unlock(&record_lock);
}

static struct outcome use_recorded(const struct fault_run *run) {
    uint64_t before = gpu.calls(NULL);
    call_count = 0;
    gpu.trace(record, &before);
    const struct outcome outcome = use_once(run);
    gpu.trace(NULL, NULL);
    return outcome;
}

static struct outcome use_with_fault(const struct fault_run *run, size_t call, const struct code *code) {
    char fault[64];
    snprintf(fault, sizeof fault, "*:%zu=%s", call, code->text);
    if ((gpu.fail)(fault) != 0)
        abort();
    const struct outcome outcome = use_recorded(run);
    if ((gpu.fail)(NULL) != 0)
        abort();
    return outcome;
}

/* What is made once a process is made in a first use; then one has its calls recorded. */
static int begin(const struct fault_run *run, struct fault_report *report, size_t *alive) {
    uhi_pace_fix(UINT64_MAX); /* lengths of launches, which select variants, do not depend on the machine's load */
    struct outcome outcome = use_once(run);
    *report = (struct fault_report){0};
    for (int i = 0; run->several && i < 4; i++) /* until each device has built what it is given to do */
        outcome = use_once(run);
    *alive = gpu.live_handles(NULL, 0);
    if (!outcome.status && !outcome.wrong[0])
        outcome = use_recorded(run);
    report->calls = call_count;
    if (outcome.status || outcome.wrong[0])
        return complain(report, "without a fault: %s: %s%s", outcome.call, outcome.message, outcome.wrong);
    if (call_count < 8 || call_count > FAULT_MAX_CALLS)
        return complain(report, "a use makes %zu calls, expected 8 to %d", call_count, (int)FAULT_MAX_CALLS);
    return 0;
}

/* With several devices: each may build a few kernels late. */
enum { MAX_BUILDS = 6 };

static int check_clean(struct fault_report *report, size_t alive, const char *what) {
    char text[600];
    const size_t now = gpu.live_handles(text, sizeof text);
    if (now != alive)
        return complain(report, "%s: %zu handles are alive, before it were %zu:\n%s", what, now, alive, text);
    if (gpu.misuses(text, sizeof text))
        return complain(report, "%s: misuse of the driver: %s", what, text);
    return 0;
}

/* Of several devices one may have built kernels that it has not needed before: they are there once. */
static int check_next(const struct fault_run *run, struct fault_report *report, size_t *alive, const char *what) {
    struct outcome next = use_once(run);
    for (int i = 0; run->several && !next.status && gpu.live_handles(NULL, 0) > *alive && i < MAX_BUILDS; i++) {
        *alive = gpu.live_handles(NULL, 0);
        next = use_once(run);
    }
    if (next.status != UH_SUCCESS || next.wrong[0])
        return complain(report, "%s, and the next use fails: %s%s", what, next.message, next.wrong);
    return check_clean(report, *alive, what);
}

/* Where a failure makes a use go another way, the process keeps the kernels that this needs: they are there once. */
static struct outcome use_with_kept(const struct fault_run *run, size_t call, const struct code *code, size_t *alive) {
    struct outcome outcome = use_with_fault(run, call, code);
    for (int i = 0; gpu.live_handles(NULL, 0) > *alive && i < (run->several ? MAX_BUILDS : 1); i++) {
        *alive = gpu.live_handles(NULL, 0);
        outcome = use_with_fault(run, call, code);
    }
    return outcome;
}

static int check_fault(const struct fault_run *run, struct fault_report *report, size_t *alive, size_t call,
                       const struct code *code) {
    char what[200];
    const struct outcome outcome = use_with_kept(run, call, code, alive);
    /* A use may make other calls than the one before: it queries what has ended. */
    const char *name = call <= call_count ? names[call - 1] : "none";
    snprintf(what, sizeof what, "call %zu (%s) fails with %s", call, name, code->text);
    report->uses++;
    report->noticed += outcome.status != UH_SUCCESS;
    if (outcome.status != UH_SUCCESS && (outcome.status != code->status || !strstr(outcome.message, name)))
        return complain(report, "%s: %s gives status %s, message \"%s\"", what, outcome.call,
                        uh_status_name(outcome.status), outcome.message);
    if (outcome.wrong[0])
        return complain(report, "%s: %s", what, outcome.wrong);
    if (outcome.status == UH_SUCCESS && call <= call_count && run->may_pass && !run->may_pass(name))
        return complain(report, "%s, and nothing says so", what);
    if (check_clean(report, *alive, what))
        return -1;
    return run->next && call % run->next == 0 ? check_next(run, report, alive, what) : 0;
}

/* The first call of each step-th to fail or to lose the device, `further` after that of the turn. It exists. */
static size_t first_of(const struct fault_run *run, const struct fault_report *report, size_t further) {
    const size_t step = run->step < report->calls ? run->step : report->calls;
    return step ? 1 + (size_t)((further + test_turn()) % step) : 1;
}

int fault_every_call(const struct fault_run *run, struct fault_report *report) {
    size_t alive;
    if (begin(run, report, &alive))
        return -1;
    for (size_t code = 0; code < sizeof codes / sizeof *codes; code++) {
        for (size_t call = first_of(run, report, code * ((run->step + 2) / 3)); call <= report->calls;
             call += run->step)
            if (check_fault(run, report, &alive, call, &codes[code]))
                return -1;
        if (check_next(run, report, &alive, "the faults of one code"))
            return -1;
    }
    enum { FEW = 12 }; /* may be calls whose failure costs nothing */
    if (!run->several && report->uses > FEW && report->noticed <= report->uses / 2)
        return complain(report, "of %zu faults %zu were noticed", report->uses, report->noticed);
    return 0;
}

/* ---- losing the device ------------------------------------------------------------------------------------------- */

int fault_every_loss(const struct fault_run *run, void (*recover)(void), struct fault_report *report) {
    size_t alive;
    if (begin(run, report, &alive))
        return -1;
    for (size_t call = first_of(run, report, 0); call <= report->calls; call += run->step, report->uses++) {
        char what[64];
        snprintf(what, sizeof what, "the device is lost at call %zu", call);
        gpu.lose(call);
        const struct outcome outcome = use_once(run);
        gpu.recover();
        recover();
        report->noticed += outcome.status != UH_SUCCESS;
        if ((outcome.status != UH_ERROR_DEVICE_LOST && outcome.status != UH_SUCCESS) || outcome.wrong[0])
            return complain(report, "%s: %s gives status %s, message \"%s\" %s", what, outcome.call,
                            uh_status_name(outcome.status), outcome.message, outcome.wrong);
        if (check_clean(report, alive, what) || (run->next && check_next(run, report, &alive, what)))
            return -1;
    }
    return 0;
}

/* Handles that are alive; with several devices but for modules and kernels, which each builds when it needs them. */
static size_t live_handles(const struct fault_run *run) {
    char text[4096];
    size_t all = gpu.live_handles(text, sizeof text), n;
    char kind[32];
    for (const char *line = text; run->several && line && sscanf(line, "%zu %31[a-z]", &n, kind) == 2;
         line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
        all -= strcmp(kind, "module") == 0 || strcmp(kind, "kernel") == 0 ? n : 0;
    return all;
}

int fault_lose(const struct fault_run *run, uint64_t call) {
    char text[4096];
    const struct outcome first = use_once(run);
    if (first.status != UH_SUCCESS || first.wrong[0])
        return 2;
    const size_t alive = live_handles(run);
    gpu.lose(call);
    const struct outcome outcome = use_once(run);
    struct outcome next = use_once(run);
    if (run->lives_on && next.status == UH_ERROR_DEVICE_LOST && outcome.status == UH_SUCCESS)
        next = use_once(run); /* it may have been the first one to see the loss */
    /* Lost while everything is destroyed, nobody has to notice. */
    if ((outcome.status != UH_ERROR_DEVICE_LOST && outcome.status != UH_SUCCESS) || outcome.wrong[0]) {
        printf("status %s, message \"%s\" %s\n", uh_status_name(outcome.status), outcome.message, outcome.wrong);
        return 3;
    }
    if (next.status != (run->lives_on ? UH_SUCCESS : UH_ERROR_DEVICE_LOST) || next.wrong[0]) {
        printf("afterwards status %s, message \"%s\" %s\n", uh_status_name(next.status), next.message, next.wrong);
        return 4;
    }
    (void)gpu.live_handles(text, sizeof text);
    if (live_handles(run) != alive || gpu.misuses(NULL, 0)) {
        printf("alive are\n%s", text);
        return 5;
    }
    return run->host_goes_on && !run->host_goes_on(run->context) ? 6 : 0;
}

int fault_losses(const struct fault_run *run, const char *mode, size_t uses, struct fault_report *report) {
    size_t alive;
    if (begin(run, report, &alive))
        return -1;
    const size_t step = uses && report->calls / uses ? report->calls / uses : 1;
    for (size_t call = 1; call <= report->calls; call += step, report->uses++) {
        char variable[64];
        snprintf(variable, sizeof variable, "UNIHIST_TEST_LOSE=%zu", call);
        const char *const environment[] = {variable, NULL};
        struct test_child child;
        test_run_child(mode, environment, &child);
        if (child.exit_code != 0)
            return complain(report, "the device lost at call %zu (%s): exit code %d\n%.400s%.400s", call,
                            names[call - 1], child.exit_code, child.out, child.err);
    }
    return 0;
}
