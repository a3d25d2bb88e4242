/* SPDX-License-Identifier: Apache-2.0 */
#include "perf/peers/peer_integral.h"

#include <stdlib.h>
#include <string.h>

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

int peer_read_task(const char *text, struct perf_integral_task *task) {
    char *at = NULL;
    *task = (struct perf_integral_task){.f.name = F1};
    const size_t length = strcspn(text, " ");
    while (task->f.name < INTEGRAND_NAMES && (strncmp(perf_integrand_name(task->f.name), text, length) != 0 ||
                                              perf_integrand_name(task->f.name)[length] != '\0'))
        task->f.name++;
    task->f.dims = strtoull(text + length, &at, 10);
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
