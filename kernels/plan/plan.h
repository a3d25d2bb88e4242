/* SPDX-License-Identifier: Apache-2.0 */
/* A plan: finds the bins of one axis for values of one type. Immutable after creation. */
#pragma once

#include <unihist/axis.h>
#include <unihist/histogram.h>

#include "kernels/common/costs.h"
#include "kernels/common/frame.h"
#include "kernels/common/loads.h"
#include "kernels/plan/tables.h"
#include "kernels/plan/thresholds.h"

/* Returns the look-up of a public method; UHI_LOOKUPS for an invalid one. */
enum uhi_lookup uhi_lookup_of_method(uh_method method);

/* Returns the look-up's name, static; that of its method if it has one. */
const char *uhi_lookup_name(enum uhi_lookup lookup);

struct uhi_plan_options {
    enum uhi_lookup lookup;        /* the one wanted; PACKED and COMPARE only if the edges allow them */
    enum uhi_body body;            /* target of the plan; tables only for another body are omitted */
    uint32_t leaf_bins;            /* the paper's l, at least 1 */
    size_t table_bytes;            /* limit for cells and nodes, in bytes; thresholds not included */
    int keys;                      /* float64 as keys, see uhi_lacks_double; the body is then a device's */
    const struct uhi_costs *costs; /* of the target device; NULL: the host */
    uint64_t room;                 /* bytes available for tables in a group's local memory; 0: none */
};

/* Sets the options that depend on the target: a queue's device, `counters` counters, and plans of `axes` axes,
 * including this one. `shared`: used by any of the device's parts. */
void uhi_plan_aim(struct uhi_plan_options *options, uh_queue *queue, size_t counters, size_t axes, int shared);

struct uhi_histogram_plan {
    struct uhi_histogram_tables tables;
    uh_dtype dtype;
    enum uhi_lookup wanted;        /* as in the options */
    const struct uhi_edges *edges; /* valid only during creation */
    const char *kind;              /* cdf: the distribution's name; otherwise NULL */
    uint32_t depth;                /* mesh: levels below the first */
    uint32_t depth_limit;          /* mesh: the paper's eq. (5) */
    size_t all_cells;              /* cells of all levels; not of packed cells */
    size_t bytes;                  /* of all tables */
    size_t max_in_cell;            /* cdf: maximum thresholds per cell */
    size_t crowded_cells;          /* cdf: cells with more than one threshold */
    size_t packed_crowded;         /* packed cells with more than one cut */
    uint32_t packed_max;           /* maximum cuts in a packed cell */
    double comparisons;            /* expected comparisons per point; mesh: for data uniform over the range */
    size_t all_cuts;               /* of a group: those of all groups; otherwise 0 */
    void *owned[12];               /* memory of the tables */
    size_t owned_bytes[12];
    size_t owned_count;
};

/* Creates a plan, which the caller destroys; the edges are read only here. Messages name `call`.
 * UH_ERROR_OUT_OF_MEMORY; UH_ERROR_INVALID_ARGUMENT if the axis lacks something that the method needs. */
uh_status uhi_plan_create(const char *call, const struct uhi_edges *edges, uh_dtype dtype,
                          const struct uhi_plan_options *options, struct uhi_histogram_plan **plan);

void uhi_plan_destroy(struct uhi_histogram_plan *plan);

/* Writes a one-line description of the plan for `body`, beginning with the wanted look-up's name, as snprintf; returns
 * the full length. */
int uhi_plan_text(const struct uhi_histogram_plan *plan, enum uhi_body body, char *text, size_t size);

/* The paper's eq. (5): levels below the first needed in the worst case, from the width of the range, the smallest
 * positive bin width and k. */
uint32_t uhi_plan_depth_limit(double range, double smallest, size_t bins);

/* ---- internal to the planner ---- */

/* Returns uninitialized memory that the plan owns and counts; NULL if out of memory. */
static inline void *uhi_plan_alloc(struct uhi_histogram_plan *plan, size_t count, size_t size) {
    void *memory = uhi_huge_alloc(count * size, 2 * UHI_HUGE_PAGE);
    if (memory) {
        plan->owned_bytes[plan->owned_count] = count * size;
        plan->owned[plan->owned_count++] = memory;
        plan->bytes += count * size;
    }
    return memory;
}

/* The best cells of one level, and whether two are much better. */
struct uhi_plan_cells {
    enum uhi_map map;
    size_t cells;
    int is_cdf; /* the tables of both levels are made */
};

/* Returns the comparisons of a binary search that reaches every rank among these thresholds. */
static inline uint32_t uhi_plan_steps(size_t thresholds) {
    uint32_t steps = 0;
    while (((uint64_t)1 << steps) <= thresholds)
        steps++;
    return steps;
}

enum { UHI_PLAN_QUANTILES = 4096 };

/* What is in 2^group_shift neighbouring packed cells. */
struct uhi_plan_unit {
    double share;      /* of the values */
    uint32_t cuts;     /* their number */
    uint32_t repeated; /* cuts that are not the first in their cell */
};

/* What groups are made by: uhi_plan_units of the type, and what makes a group's packed cells. Their `on_host` is not
 * PACKED if they do not fit; -1 if out of memory. */
struct uhi_plan_grouping {
    void (*add_units)(const struct uhi_histogram_plan *plan, struct uhi_plan_unit *units);
    int (*make)(struct uhi_histogram_plan *group, const struct uhi_plan_options *options, struct uhi_plan_cells cells);
};

/* Sets `hot_bytes` and, if that is faster, groups. Returns -1 if out of memory. */
int uhi_plan_groups(struct uhi_histogram_plan *plan, const struct uhi_plan_options *options,
                    struct uhi_plan_grouping by);

/* Frees what the plan owns. */
void uhi_plan_empty(struct uhi_histogram_plan *plan);

/* Returns the maximum number of cuts of packed cells whose entries' lower part has `rank_bits` bits: entries hold
 * 1 + rank, and ranks go up to 1 + the number of cuts. */
static inline size_t uhi_max_packed_ranks(uint32_t rank_bits) { return (size_t)uhi_rank_mask(rank_bits) - 2; }

/* Functions per type, in calling order. Those that return an int return -1 if out of memory. */
#define UHI_PLAN_FUNCTIONS(type)                                                                                       \
    /* Stores the distinct inner thresholds, with room after them, and slots of ranks if some were equal. */           \
    int uhi_plan_inner_##type(struct uhi_histogram_plan *plan, const void *thresholds, size_t count);                  \
    /* Chooses the cells for the inner thresholds; for look-up cdf, or if two levels are much better, makes their      \
     * tables but the first ranks. */                                                                                  \
    int uhi_plan_cells_##type(struct uhi_histogram_plan *plan, const struct uhi_plan_options *options,                 \
                              struct uhi_plan_cells *chosen);                                                          \
    /* Makes the table of cdf's first ranks. */                                                                        \
    int uhi_plan_base_##type(struct uhi_histogram_plan *plan);                                                         \
    /* Makes the mesh. */                                                                                              \
    int uhi_plan_mesh_##type(struct uhi_histogram_plan *plan, const struct uhi_plan_options *options);                 \
    /* Pads the inner thresholds, as far as a kernel may read, with values never reached: NaN for floats; for          \
     * integers the largest value, whose rank the kernels limit. */                                                    \
    void uhi_plan_pad_##type(struct uhi_histogram_plan *plan);                                                         \
    /* Extracts the cuts from thresholds with repetitions. */                                                          \
    int uhi_plan_cuts_##type(struct uhi_histogram_plan *plan, const void *thresholds, size_t count);                   \
    /* Makes about `cells` packed cells for the cuts, at most `budget` bytes, and sets `lookup` and `on_host`; does    \
     * nothing if they do not fit. */                                                                                  \
    int uhi_plan_packed_##type(struct uhi_histogram_plan *plan, struct uhi_plan_cells cells, size_t budget,            \
                               int for_device);                                                                        \
    /* Adds up the units of packed cells; those of values, by the distribution's quantiles, are zero before. */        \
    void uhi_plan_units_##type(const struct uhi_histogram_plan *plan, struct uhi_plan_unit *units)

UHI_PLAN_FUNCTIONS(f32);
UHI_PLAN_FUNCTIONS(f64);
UHI_PLAN_FUNCTIONS(i32);
UHI_PLAN_FUNCTIONS(i64);
UHI_PLAN_FUNCTIONS(k64);

/* ---- distributions (distribution.c); they are hints only: no result depends on them ---- */

/* Names of the kinds, such as "normal"; the function returns that of a distribution, NULL for an invalid kind. */
enum { UHI_DISTRIBUTIONS = UH_DISTRIBUTION_WEIBULL + 1 };
extern const char *const uhi_distribution_names[UHI_DISTRIBUTIONS];
const char *uhi_distribution_name(const uh_distribution *distribution);

/* Returns F(b) - F(a), a <= b, the mass between them, with its own precision in the tails. */
double uhi_distribution_mass(const uh_distribution *distribution, double a, double b);

/* Returns the smallest x with F(x) >= v, for 0 <= v <= 1. */
double uhi_distribution_quantile(const uh_distribution *distribution, double v);
