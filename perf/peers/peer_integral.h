/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of peer.h for a peer that finds integrals, which defines take_integral and run_integral. */
#pragma once

#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include "perf/integral.h"
#include "perf/peers/peer.h"

#include <string.h>
#include <time.h>

/* An integrand for one point at a time; it counts its calls. */
struct peer_integrand {
    const struct integrand_of f;
    const struct set_integrand *drawn;
    double calls;
};
typedef double (*peer_integrand_function)(const double *x, struct peer_integrand *integrand);

#define INTEGRANDS(X) X(F1) X(F2) X(F3) X(F4) X(F5) X(F6) X(FA) X(FB)
#define DEFINE(name_)                                                                                                  \
    static double at_##name_(const double *x, struct peer_integrand *integrand) {                                      \
        const struct integrand_of f = {name_, integrand->f.dims}; /* a constant, of which the switches are gone */     \
        integrand->calls++;                                                                                            \
        return integrand_at(&f, x);                                                                                    \
    }
INTEGRANDS(DEFINE)

static double at_drawn(const double *x, struct peer_integrand *integrand) {
    double value;
    integrand->calls++;
    set_on_unit_cube(integrand->drawn, 1, x, &value);
    return isfinite(value) ? value : 0;
}

/* That of a task, one of the paper compiled for it alone. */
static peer_integrand_function peer_integrand_of(const struct perf_integral_task *task) {
#define ROW(name_) [name_] = at_##name_,
    static const peer_integrand_function functions[INTEGRAND_NAMES] = {INTEGRANDS(ROW)};
#undef ROW
    return task->row ? at_drawn : functions[task->f.name];
}

/* Seconds of a clock that never goes back. */
static inline double peer_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* What the peer defines: whether it can (NULL, or why not), and the integral. */
static const char *take_integral(const struct perf_integral_task *task);
static void run_integral(const struct perf_integral_task *task, struct perf_integral *found);

static struct perf_integral_task current;
static struct set_integrand drawn;
static struct perf_integral found;

const char *peer_take_task(const char *name, const double numbers[7]) {
    current = (struct perf_integral_task){.f = {perf_integrand_find(name), (size_t)numbers[0]},
                                          .calls = (uint64_t)numbers[1],
                                          .iterations = (size_t)numbers[2],
                                          .skipped = (size_t)numbers[3],
                                          .tau = numbers[4],
                                          .seconds = numbers[5],
                                          .seed = (uint64_t)numbers[6]};
    current.row = set_find(name);
    if (current.row)
        drawn = set_draw(current.row, current.seed);
    if ((current.f.name == INTEGRAND_NAMES && !current.row) || current.f.dims < 1 ||
        current.f.dims > UH_INTEGRATE_MAX_DIMS)
        return "it does not understand the task";
    return take_integral(&current);
}

void peer_reset(void) { found = (struct perf_integral){.reached = 0}; }

void peer_run(const struct peer_case *what) {
    (void)what;
    run_integral(&current, &found);
}

void peer_found(double numbers[5]) {
    const double all[] = {found.value, found.error, found.chi2, found.evaluations, found.reached};
    memcpy(numbers, all, sizeof all);
}
