/* SPDX-License-Identifier: Apache-2.0 */
/* The measurements of unihist-perf tables: one choice of bins, or samples, on one device, all rows in the same rounds.
 */
#ifndef PERF_TABLES_MEASURE_H
#define PERF_TABLES_MEASURE_H

#include "perf/limit.h"
#include "perf/peers.h"
#include "perf/reference.h"
#include "perf/report.h"
#include "perf/tables.h"

#include <unihist/unihist.h>

#include <signal.h>

/* The paper's larger k. */
#define TABLES_K_MAX 1000

/* One device at work. */
struct tables_site {
    struct tables_device *device;
    uh_queue *queue;
    float *x;    /* device->n values on the host */
    void *there; /* where the library reads them: x, or memory of the device */
    struct perf_limit limit;
    struct perf_peers *numpy, *choice; /* one each, NULL where there is none */

    const struct perf_cpus *cpus;
    uint32_t threads; /* of the host */
    double min_time;
    struct perf_report *report;
    const volatile sig_atomic_t *interrupted; /* a signal has come */

    double edges[TABLES_K_MAX + 1];
    uint64_t bins[TABLES_K_MAX], right[TABLES_K_MAX];
    struct perf_counts expected; /* in `right` */
};

/* NumPy at work on a case. */
struct tables_guest {
    struct tables_site *site;
    struct perf_peer *peer;
};

/* Its subject, which notices signals. */
struct perf_subject perf_site_guest(struct tables_guest *guest);

/* The name of a measurement, such as "tables/worst/k:100/h:0.1/host:0/unihist". */
void perf_tables_name(const struct tables_device *device, enum paper_bins bins, size_t k, size_t h,
                      enum tables_variant variant, char *name, size_t size);

/* Not 0 where the device has this row. */
int perf_tables_takes_part(const struct tables_device *device, enum tables_variant variant);

/* Fails where a signal has come. */
int perf_site_interrupted(const struct tables_site *site, struct perf_error *error);

/* The status of a call that failed because a signal has come, or for a reason of its own. */
int perf_site_failed(const struct tables_site *site, int status, struct perf_error *error);

/* Measures all rows for paper_k[k] bins and paper_h[h], compares every count with the right one, and records the times
 * in the device and in the report. */
int perf_site_measure(struct tables_site *site, enum paper_bins bins, size_t k, size_t h, struct perf_error *error);

/* The name of a measurement of table XIII, such as "tables/sampling/k:1000/host:0/unihist". */
void perf_tables_sampling_name(const struct tables_device *device, enum tables_sampler sampler, char *name,
                               size_t size);

/* Not 0 where the device has this row. */
int perf_tables_samples(const struct tables_device *device, enum tables_sampler sampler);

/* Measures all rows of table XIII: device->samples samples of 1000 outcomes that are all alike. Every sample is
 * checked, and times are recorded as above. */
int perf_site_sample(struct tables_site *site, struct perf_error *error);

#endif
