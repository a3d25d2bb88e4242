/* SPDX-License-Identifier: Apache-2.0 */
/* GSL's samples by Walker's alias table, of float64, with the generator that GSL's manual takes for an example: MT19937
 * is its default. */
#include "perf/peers/peer.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <gsl/gsl_version.h>

#include <stdlib.h>

static gsl_ran_discrete_t *table;
static gsl_rng *generator;

static const char *take(const struct peer_case *what) {
    double *weights = malloc(what->k * sizeof *weights);
    if (table)
        gsl_ran_discrete_free(table);
    table = NULL;
    for (size_t j = 0; weights && j < what->k; j++)
        weights[j] = (double)((const float *)what->x)[j];
    if (weights)
        table = gsl_ran_discrete_preproc(what->k, weights);
    free(weights);
    return table ? NULL : "out of memory";
}

static void draw(uint32_t *samples, size_t n) {
    for (size_t i = 0; i < n; i++)
        samples[i] = (uint32_t)gsl_ran_discrete(generator, table);
}

int main(void) {
    const struct peer peer = {.version = gsl_version,
                              .how = "gsl_ran_discrete with gsl_rng_mt19937, sample by sample",
                              .rule = PEER_DRAWN,
                              .take = take,
                              .draw = draw};
    gsl_set_error_handler_off(); /* the handler would abort */
    generator = gsl_rng_alloc(gsl_rng_mt19937);
    if (!generator)
        return 1;
    return peer_main(&peer);
}
