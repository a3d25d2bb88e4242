/* SPDX-License-Identifier: Apache-2.0 */
/* Whether what mean shift has found is what the oracle (tests/meanshift_oracle.h) says. Each step is judged from where
 * the step before has left the points, so that rounding does not add up; the reduction, from where they have ended. A
 * judgement is 0, or -1 with a problem. */
#ifndef TEST_MEANSHIFT_JUDGE_H
#define TEST_MEANSHIFT_JUDGE_H

#include "tests/meanshift_oracle.h"

struct judged {
    struct oracle_points points; /* that were given */
    uh_mean_shift_options options;
    char problem[300];
};

/* One step: from `before` to `after`, which have as many rows. `earlier` is where they were before that, or NULL.
 * Looks at `targets` of the rows. */
int judge_step(struct judged *judged, const struct oracle_points *earlier, const struct oracle_points *before,
               const struct oracle_points *after, size_t targets);

/* The step that was not made, because all have ended. */
int judge_end(struct judged *judged, const struct oracle_points *earlier, const struct oracle_points *before,
              const struct oracle_points *after);

/* The clusters of points that have all moved, and what else the properties say. */
int judge_clusters(struct judged *judged, const uh_clusters_properties *found);

/* The same of points in as many groups as there are clusters: points of one group have one label, of two groups two. */
int judge_groups(struct judged *judged, const uh_clusters_properties *found, const size_t *group, size_t groups);

#endif
