/* SPDX-License-Identifier: Apache-2.0 */
/* GSL's samples by Walker's alias table, of float64, with the generator that GSL's manual takes for an example: MT19937
 * is its default. */
#include "perf/peers/peer.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <gsl/gsl_version.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static gsl_ran_discrete_t *table;
static gsl_rng *generator;

static uint32_t *samples;
static size_t count;

const char *peer_about(void) {
    static char about[128];
    gsl_set_error_handler_off(); /* the handler would abort */
    generator = gsl_rng_alloc(gsl_rng_mt19937);
    snprintf(about, sizeof about, "drawn %s gsl_ran_discrete with gsl_rng_mt19937, sample by sample", gsl_version);
    return about;
}

const char *peer_take(const struct peer_case *what) {
    double *weights = malloc(what->k * sizeof *weights);
    if (table)
        gsl_ran_discrete_free(table);
    free(samples);
    table = NULL;
    count = what->n;
    samples = malloc(count * sizeof *samples);
    for (size_t j = 0; weights && j < what->k; j++)
        weights[j] = (double)((const float *)what->x)[j];
    if (weights)
        table = gsl_ran_discrete_preproc(what->k, weights);
    free(weights);
    if (what->type != PEER_float32)
        return "its weights are float32";
    return table && samples && generator ? NULL : "out of memory";
}

void peer_reset(void) { memset(samples, 0xff, count * sizeof *samples); }

void peer_run(const struct peer_case *what) {
    for (size_t i = 0; i < what->n; i++)
        samples[i] = (uint32_t)gsl_ran_discrete(generator, table);
}

void peer_counts(const struct peer_case *what, uint64_t *to) {
    for (size_t i = 0; i < what->n; i++)
        if (samples[i] < what->k)
            to[samples[i]]++;
}
