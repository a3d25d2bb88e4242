/* SPDX-License-Identifier: Apache-2.0 */
/* What the model predicts for the paper's GPUs (perf/model), as unihist-model says: it asks the planner, which the
 * shared library that is measured here hides. */
#ifndef PERF_PREDICTED_H
#define PERF_PREDICTED_H

#include "perf/paper_tables.h"

enum perf_predicted_method { PERF_PREDICTED_MESH, PERF_PREDICTED_AUTO, PERF_PREDICTED_METHODS };

struct perf_predicted {
    double rates[PAPER_HISTOGRAMS][PERF_PREDICTED_METHODS][PAPER_KS][PAPER_HS]; /* millions a second; 0: none */
    char why[512]; /* why there is none; empty where there are all */
};

/* Not 0 where a table of histograms is of a GPU. */
int perf_is_of_gpu(size_t table);

/* Has those of the tables, whose bits are set, that are of GPUs predicted. */
void perf_predict(struct perf_predicted *predicted, unsigned tables);

#endif
