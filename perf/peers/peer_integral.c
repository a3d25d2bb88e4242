/* SPDX-License-Identifier: Apache-2.0 */
#include "perf/peers/peer_integral.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- integrands ---- */

#define INTEGRANDS(X) X(F1) X(F2) X(F3) X(F4) X(F5) X(F6) X(FA) X(FB)
#define DEFINE(name_)                                                                                                  \
    static double at_##name_(const double *x, struct peer_integrand *integrand) {                                      \
        const struct integrand_of f = {name_, integrand->f.dims}; /* a constant, of which the switches are gone */     \
        integrand->calls++;                                                                                            \
        return integrand_at(&f, x);                                                                                    \
    }
INTEGRANDS(DEFINE)

peer_integrand_function peer_integrand_of(enum integrand_name name) {
#define ROW(name_) [name_] = at_##name_,
    static const peer_integrand_function functions[INTEGRAND_NAMES] = {INTEGRANDS(ROW)};
#undef ROW
    return functions[name];
}

/* ---- talking ---- */

static double seconds(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

double peer_integral_now(void) {
    return seconds(CLOCK_MONOTONIC);
}

/* Takes "integrate NAME DIMS CALLS ITERATIONS SKIPPED TAU SECONDS SEED". Returns 0 where it is another question. */
static int read_task(const char *line, struct perf_integral_task *task) {
    static const char word[] = "integrate ";
    char *at = NULL;
    if (strncmp(line, word, sizeof word - 1) != 0)
        return 0;
    *task = (struct perf_integral_task){.f.name = F1};
    line += sizeof word - 1;
    const size_t length = strcspn(line, " ");
    while (task->f.name < INTEGRAND_NAMES && (strncmp(perf_integrand_name(task->f.name), line, length) != 0 ||
                                              perf_integrand_name(task->f.name)[length] != '\0'))
        task->f.name++;
    task->f.dims = strtoull(line + length, &at, 10);
    task->calls = strtoull(at, &at, 10);
    task->iterations = strtoull(at, &at, 10);
    task->skipped = strtoull(at, &at, 10);
    task->tau = strtod(at, &at);
    task->seconds = strtod(at, &at);
    const char *last = at;
    task->seed = strtoull(last, &at, 10);
    return task->f.name < INTEGRAND_NAMES && at != last && strcmp(at, "\n") == 0 && task->f.dims >= 1 &&
           task->f.dims <= UH_INTEGRATE_MAX_DIMS;
}

static void answer_run(const struct peer_integrator *peer, const struct perf_integral_task *task,
                       struct perf_integral *found) {
    *found = (struct perf_integral){.reached = 0};
    double cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
    const double start = peer_integral_now();
    peer->integrate(task, found);
    const double wall = peer_integral_now() - start;
    cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    printf("seconds %.9f %.9f\n", wall, cpu);
}

int peer_integral_main(const struct peer_integrator *peer) {
    struct perf_integral_task task = {.calls = 0};
    struct perf_integral found = {.reached = 0};
    char line[256];
    printf("ready %s %s\n", peer->version, peer->how);
    fflush(stdout);
    while (fgets(line, sizeof line, stdin)) {
        if (strncmp(line, "case ", 5) == 0 || strncmp(line, "draw ", 5) == 0) {
            printf("cannot it integrates\n");
        } else if (read_task(line, &task)) {
            const char *why = peer->take(&task);
            printf("%s %s\n", why ? "cannot" : "ok", why ? why : "integrated");
        } else if (task.calls && strcmp(line, "run\n") == 0) {
            answer_run(peer, &task, &found);
        } else if (task.calls && strcmp(line, "integral\n") == 0) {
            printf("integral %.17g %.17g %.17g %.17g %d\n", found.value, found.error, found.chi2, found.evaluations,
                   found.reached);
        } else {
            printf("failed not understood\n");
        }
        fflush(stdout);
    }
    return 0;
}
