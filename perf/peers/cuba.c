/* SPDX-License-Identifier: Apache-2.0 */
/* Cuba's Vegas, Suave or Cuhre, the ALGORITHM that CMake defines: with Mersenne Twister, 1000 points a batch, no other
 * processes, and else as in Cuba's manual. How they end is a rule of their own, by which they integrate what judges
 * integrators; Vegas integrates others with a number of iterations. */
#include "perf/peers/peer_integral.h"

#include <cuba.h>

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { VEGAS, SUAVE, CUHRE };
enum { BATCH = 1000, GRID = 1, MERSENNE_TWISTER = 1, NEW = 1000, FEWEST = 2, FLATNESS = 25 };

static peer_integrand_function function;

static int at(const int *dims, const cubareal *x, const int *values, cubareal *value, void *context, const int *n) {
    struct peer_integrand *integrand = context;
    (void)values;
    for (int i = 0; i < *n; i++)
        value[i] = function(x + i * *dims, integrand);
    return 0;
}

static const char *take_integral(const struct perf_integral_task *task) {
    function = peer_integrand_of(task);
    if ((task->tau > 0 || ALGORITHM != VEGAS) && !task->row)
        return "it ends by a rule of its own";
    if (ALGORITHM == CUHRE && task->f.dims < 2)
        return "it needs two dimensions";
    if (perf_integral_lower(task) < 0 || perf_integral_upper(task) > 1)
        return "it integrates over the unit cube";
    return task->calls * task->iterations < INT_MAX ? NULL : "it has 32 bits for the number of samples";
}

/* Runs this number of iterations, on the grid of that number, or a new one if it is negative. Vegas makes all their
 * samples: by its own rule it may end while its grid still follows the integrand. */
static void iterate(const struct perf_integral_task *task, size_t iterations, int grid,
                    struct peer_integrand *integrand, struct perf_integral *found) {
    const int calls = (int)task->calls, all = calls * (int)iterations, dims = (int)task->f.dims;
    const int seed = MERSENNE_TWISTER + (int)task->seed;
    const double tau = fmax(task->tau, 1e-300), least = 1e-300;
    int evaluations, failed, regions;
    double doubt; /* the probability that the error is too small, which has no chi-square */
    integrand_t f;
    int (*const whole)(const int *, const cubareal *, const int *, cubareal *, void *, const int *) = at;
    memcpy(&f, &whole, sizeof f); /* whose type lacks the last arguments */
    switch (ALGORITHM) {
    case VEGAS:
        Vegas(dims, 1, f, integrand, BATCH, tau, least, 0, seed, all, all, calls, 0, BATCH, grid, NULL, NULL,
              &evaluations, &failed, &found->value, &found->error, &doubt);
        break;
    case SUAVE:
        Suave(dims, 1, f, integrand, BATCH, tau, least, 0, seed, 0, all, NEW, FEWEST, FLATNESS, NULL, NULL, &regions,
              &evaluations, &failed, &found->value, &found->error, &doubt);
        break;
    default:
        Cuhre(dims, 1, f, integrand, BATCH, tau, least, 0, 0, all, 0, NULL, NULL, &regions, &evaluations, &failed,
              &found->value, &found->error, &doubt);
    }
    found->reached = task->row && !failed;
}

static void run_integral(const struct perf_integral_task *task, struct perf_integral *found) {
    struct peer_integrand integrand = {task->f, &drawn, 0};
    const size_t skipped = task->row ? 0 : task->skipped;
    if (skipped)
        iterate(task, skipped, -GRID, &integrand, found);
    iterate(task, task->iterations - skipped, skipped ? GRID : -GRID, &integrand, found);
    found->evaluations = integrand.calls;
}

const char *peer_about(void) {
    static const char *const about[] = {"integrated 4 Vegas", "integrated 4 Suave", "integrated 4 Cuhre"};
    setenv("CUBACORES", "0", 1); /* the arguments of cubacores depend on the version */
    return about[ALGORITHM];
}
