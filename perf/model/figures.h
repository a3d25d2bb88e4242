/* SPDX-License-Identifier: Apache-2.0 */
/* What Intel's compiler makes of the kernels: isa-DEVICE.txt, which perf/isa.py writes. */
#ifndef PERF_MODEL_FIGURES_H
#define PERF_MODEL_FIGURES_H

#include "perf/error.h"

#include <stddef.h>
#include <stdint.h>

enum { MODEL_WAYS = 32 };

/* Messages of a kind for each point of a sub-group's lanes. */
enum model_kind {
    MODEL_LOCAL_BLOCK,
    MODEL_LOCAL_LOAD,
    MODEL_LOCAL_STORE,
    MODEL_LOCAL_ATOMIC,
    MODEL_GLOBAL_BLOCK,
    MODEL_GLOBAL_GATHER,
    MODEL_GLOBAL_STORE,
    MODEL_GLOBAL_ATOMIC,
    MODEL_KINDS
};

struct model_kernel {
    char name[64];
    uint32_t lanes, registers; /* of a sub-group; of a thread */
    double points, slots;      /* of a pass of the loop over points; issue slots a point, every branch counted */
    double messages[MODEL_KINDS], words;
    size_t ways; /* ways through the loop: messages that look something up, and slots, a point; both ascend */
    double lookups[MODEL_WAYS], way_slots[MODEL_WAYS];
};

struct model_figures {
    char compiler[64];
    size_t count;
    struct model_kernel *kernels;
};

/* Reads a file. The caller frees it by model_figures_free, also on failure. */
int model_figures_read(struct model_figures *figures, const char *path, struct perf_error *error);

/* The same of the file of a device in a folder. */
int model_figures_of(struct model_figures *figures, const char *folder, const char *device, struct perf_error *error);

void model_figures_free(struct model_figures *figures);

/* The kernel of that name, or NULL. */
const struct model_kernel *model_kernel_find(const struct model_figures *figures, const char *name);

/* Issue slots a point of a way with that many look-ups a point: between two ways by their line, beyond the longest one
 * by what its look-ups cost on average, as its loops go round once more. */
double model_kernel_slots(const struct model_kernel *kernel, double lookups);

#endif
