/* SPDX-License-Identifier: Apache-2.0 */
/* What an operation may reach on a device: bounds, each as if nothing else were in the way, by the finished code, the
 * very tables of its plan, and values. None of it was measured. */
#ifndef PERF_MODEL_PREDICT_H
#define PERF_MODEL_PREDICT_H

#include "perf/model/bounds.h"

/* Predicts. What comes of every point is checked with what is right; PERF_FAILURE where something is wrong, a kernel
 * is not among the figures, or memory is lacking. */
int model_predict(const struct model_device *device, const struct model_figures *figures, const struct model_case *of,
                  struct model_prediction *prediction, struct perf_error *error);

#endif
