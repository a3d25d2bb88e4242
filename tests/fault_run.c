/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/fault_run.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/child.h"

static struct soft_gpu gpu;
static const char *names[FAULT_MOST_CALLS];
static size_t call_count;

static const struct code {
    const char *text;
    uh_status status;
} codes[] = {
    {"0x7ffffffe", UH_ERROR_DRIVER},               /* ZE_RESULT_ERROR_UNKNOWN */
    {"0x70000002", UH_ERROR_OUT_OF_MEMORY},        /* ..._OUT_OF_HOST_MEMORY */
    {"0x70000003", UH_ERROR_OUT_OF_DEVICE_MEMORY}, /* ..._OUT_OF_DEVICE_MEMORY */
};

int fault_find(struct soft_gpu *found, uh_device **device) {
    if (uh_device_select("level_zero", device) || soft_gpu_find(&gpu) != 0) {
        printf("skipped: the driver of tests/soft_gpu is not in use (%s)\n", uh_last_error());
        return -1;
    }
    if (found)
        *found = gpu;
    return 0;
}

void fault_note(struct outcome *outcome, uh_status status) {
    if (status == UH_SUCCESS || outcome->status != UH_SUCCESS)
        return;
    outcome->status = status;
    snprintf(outcome->message, sizeof outcome->message, "%s", uh_last_error());
}

static void assert_clean(size_t alive, const char *what) {
    char text[4096];
    size_t now = gpu.live_handles(text, sizeof text);
    if (now != alive)
        fail_msg("%s: %zu handles are alive, before it were %zu:\n%s", what, now, alive, text);
    if (gpu.misuses(text, sizeof text))
        fail_msg("%s: misuse of the driver: %s", what, text);
}

static void assert_next_works(const struct fault_run *run, size_t alive, const char *what) {
    struct outcome next = run->live();
    if (next.status != UH_SUCCESS)
        fail_msg("%s, and the next life fails: %s", what, next.message);
    assert_clean(alive, what);
}

static void record(const char *name, uint64_t number, void *user) {
    (void)number;
    (void)user;
    if (call_count < FAULT_MOST_CALLS)
        names[call_count] = name;
    call_count++;
}

static struct outcome live_recorded(const struct fault_run *run) {
    call_count = 0;
    gpu.trace(record, NULL);
    struct outcome outcome = run->live();
    gpu.trace(NULL, NULL);
    return outcome;
}

static struct outcome live_with(const struct fault_run *run, size_t call, const struct code *code) {
    char fault[64];
    snprintf(fault, sizeof fault, "*:%zu=%s", call, code->text);
    assert_int_equal((gpu.fail)(fault), 0);
    struct outcome outcome = live_recorded(run);
    assert_int_equal((gpu.fail)(NULL), 0);
    return outcome;
}

/* A coarse run takes one in so many of what a run in full takes. */
static size_t coarseness(void) {
    return test_is_coarse() ? 8 : 1;
}

void fault_every_call(const struct fault_run *run) {
    const size_t step = run->step * coarseness();
    size_t runs = 0, noticed = 0;
    struct outcome first = run->live(); /* what is made once a process is made now */
    if (first.status)
        fail_msg("%s", first.message);
    const size_t alive = gpu.live_handles(NULL, 0);
    assert_int_equal(live_recorded(run).status, UH_SUCCESS);
    const size_t calls = call_count;
    assert_in_range(calls, 50, run->most_calls);
    for (size_t code = 0; code < sizeof codes / sizeof *codes; code++) {
        for (size_t call = 1 + code % step; call <= calls; call += step, runs++) {
            char what[200];
            struct outcome outcome = live_with(run, call, &codes[code]);
            /* A life may make other calls than the one before: it queries what has ended. */
            const char *name = call <= call_count ? names[call - 1] : "none";
            snprintf(what, sizeof what, "call %zu (%s) fails with %s", call, name, codes[code].text);
            if (outcome.status != UH_SUCCESS) {
                noticed++;
                if (outcome.status != codes[code].status || !strstr(outcome.message, name))
                    fail_msg("%s: status %s, message \"%s\"", what, uh_status_name(outcome.status), outcome.message);
            }
            assert_clean(alive, what);
            if (run->next && call % run->next == 0)
                assert_next_works(run, alive, what);
        }
        assert_next_works(run, alive, "the faults of one code");
    }
    printf("fault run: %zu calls, %zu lives with a fault, %zu of them noticed\n", calls, runs, noticed);
    assert_true(noticed > runs / 2);
}

void fault_one_life_after_each(const struct fault_run *run, size_t stride) {
    const size_t alive = gpu.live_handles(NULL, 0);
    assert_int_equal(live_recorded(run).status, UH_SUCCESS);
    const size_t calls = call_count;
    stride *= coarseness();
    for (size_t call = 1; call <= calls; call += stride) {
        char what[200];
        live_with(run, call, &codes[0]);
        snprintf(what, sizeof what, "call %zu (%s) has failed", call, call <= call_count ? names[call - 1] : "none");
        assert_next_works(run, alive, what);
    }
}

int fault_lose(const struct fault_run *run, uint64_t call) {
    char text[4096];
    if (run->live().status != UH_SUCCESS)
        return 2;
    size_t alive = gpu.live_handles(NULL, 0);
    gpu.lose(call);
    struct outcome outcome = run->live();
    /* Lost while everything is destroyed, nobody has to notice. */
    if (outcome.status != UH_ERROR_DEVICE_LOST && outcome.status != UH_SUCCESS) {
        printf("call %" PRIu64 ": status %s, message \"%s\"\n", call, uh_status_name(outcome.status), outcome.message);
        return 3;
    }
    struct outcome next = run->live();
    if (next.status != UH_ERROR_DEVICE_LOST) {
        printf("call %" PRIu64 ": afterwards status %s, message \"%s\"\n", call, uh_status_name(next.status),
               next.message);
        return 4;
    }
    if (run->host_goes_on && !run->host_goes_on())
        return 5;
    if (gpu.live_handles(text, sizeof text) != alive || gpu.misuses(NULL, 0)) {
        printf("call %" PRIu64 ": alive are\n%s", call, text);
        return 6;
    }
    return 0;
}

void fault_losses(const char *program, size_t lives) {
    const size_t calls = call_count;
    const size_t step = (lives && calls / lives ? calls / lives : 1) * coarseness();
    size_t lived = 0;
    for (size_t call = 1; call <= calls; call += step, lived++) {
        char number[32];
        snprintf(number, sizeof number, "%zu", call);
        const char *const environment[] = {NULL};
        struct test_child child;
        test_run_child(program, number, environment, &child);
        if (child.exit_code != 0)
            fail_msg("the device lost at call %zu (%s): exit code %d\n%s%s", call, names[call - 1], child.exit_code,
                     child.out, child.err);
    }
    printf("fault run: %zu lives with a lost device\n", lived);
}
