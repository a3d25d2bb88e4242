/* SPDX-License-Identifier: Apache-2.0 */
/* peer-needs: pkg-config gsl (libgsl-dev) */
/* peer-of: sample */
/* GSL's samples by Walker's alias table, of float64, with the generator that GSL's manual takes for an example: MT19937
 * is its default. */
#include "perf/peers/peer.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <gsl/gsl_version.h>

#include <stdlib.h>
#include <string.h>

static struct peer_case current;
static gsl_ran_discrete_t *table;
static gsl_rng *generator;
static uint32_t *samples;

static const char *take(const struct peer_case *what) {
    double *weights = malloc(what->k * sizeof *weights);
    current = *what;
    if (table)
        gsl_ran_discrete_free(table);
    table = NULL;
    free(samples);
    samples = malloc(what->n * sizeof *samples);
    if (what->type != PEER_float32) {
        free(weights);
        return "its weights are float32";
    }
    if (weights && samples) {
        for (size_t j = 0; j < what->k; j++)
            weights[j] = (double)((const float *)what->x)[j];
        table = gsl_ran_discrete_preproc(what->k, weights);
    }
    free(weights);
    return table ? NULL : "out of memory";
}

static void reset(void) {
    memset(samples, 0xff, current.n * sizeof *samples);
}

static void run(void) {
    for (size_t i = 0; i < current.n; i++)
        samples[i] = (uint32_t)gsl_ran_discrete(generator, table);
}

static void counts(uint64_t *to) {
    memset(to, 0, current.k * sizeof *to);
    for (size_t i = 0; i < current.n; i++)
        if (samples[i] < current.k)
            to[samples[i]]++;
}

int main(void) {
    const struct peer peer = {
        gsl_version, "gsl_ran_discrete with gsl_rng_mt19937, sample by sample", PEER_DRAWN, take, reset, run, counts};
    gsl_set_error_handler_off(); /* the handler would abort */
    generator = gsl_rng_alloc(gsl_rng_mt19937);
    if (!generator)
        return 1;
    return peer_main(&peer);
}
