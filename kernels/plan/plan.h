/* SPDX-License-Identifier: Apache-2.0 */
/* A plan: how values of one type find their bin of one axis. Immutable once made. */
#ifndef UHI_PLAN_H
#define UHI_PLAN_H

#include <unihist/histogram.h>

#include "kernels/common/body.h"
#include "kernels/common/costs.h"
#include "kernels/common/huge.h"
#include "kernels/plan/tables.h"
#include "kernels/plan/thresholds.h"

/* The ways that UH_METHOD_AUTO chooses from, each forced: further values of uh_method, which tests ask for. */
#define UHI_METHOD_UNIFORM   ((uh_method)4) /* one uniform mesh over the range, whatever the edges */
#define UHI_METHOD_LOGARITHM ((uh_method)5) /* one mesh over the value's own bits, logarithmic for floats */
#define UHI_METHOD_PIECEWISE ((uh_method)6) /* two levels, the piecewise-linear distribution of the edges */
#define UHI_METHOD_COMPARE   ((uh_method)7) /* every value compared with every edge; on a device as AUTO */
/* One look-up that brings bin and edge, where they fit; else and on a device one mesh, uniform or logarithmic. */
#define UHI_METHOD_PACKED ((uh_method)8)
enum { UHI_METHODS = 9 };

struct uhi_plan_options {
    uh_method method;
    enum uhi_body body;            /* that the plan is for; it has no tables that only the other reads */
    uint32_t leaf_bins;            /* the paper's l, at least 1 */
    size_t table_bytes;            /* limit for cells and nodes, in bytes; the thresholds come on top */
    int keys;                      /* float64 by its keys, see uhi_lacks_double; the body is a device's then */
    const struct uhi_costs *costs; /* of the device that the plan is for; NULL: the host */
    uint64_t room;                 /* bytes of tables that have room in a group's local memory; 0: none */
};

/* Sets what depends on where the plan is to be used: on a queue's device, beside so many counters and the plans of so
 * many axes, its own included. `shared`: by any of the device's parts. */
void uhi_plan_aim(struct uhi_plan_options *options, uh_queue *queue, size_t counters, size_t axes, int shared);

struct uhi_histogram_plan {
    struct uhi_histogram_tables tables;
    uh_dtype dtype;
    uh_method method;
    const struct uhi_edges *edges; /* only while the plan is made */
    const char *kind;              /* cdf: the distribution's name; else NULL */
    uint32_t depth;                /* mesh: levels below the first */
    uint32_t depth_limit;          /* mesh: the paper's eq. (5) */
    size_t all_cells;              /* cells of all levels */
    size_t bytes;                  /* of all tables */
    size_t max_in_cell;            /* thresholds in one cell of the map's table, at most */
    size_t crowded_cells;          /* cells that hold more than one */
    size_t packed_crowded;         /* packed cells that hold more than one cut */
    uint32_t packed_max;           /* cuts in one of them, at most */
    double comparisons;            /* expected comparisons a point; mesh: for data uniform over the range */
    void *owned[12];               /* the tables' memory */
    size_t owned_bytes[12];
    size_t owned_count;
};

/* Makes a plan; the edges are read only here. Messages name `call`. UH_ERROR_OUT_OF_MEMORY; UH_ERROR_INVALID_ARGUMENT
 * where the method needs what the axis does not have. The caller destroys it. */
uh_status uhi_plan_create(const char *call, const struct uhi_edges *edges, uh_dtype dtype,
                          const struct uhi_plan_options *options, struct uhi_histogram_plan **plan);

void uhi_plan_destroy(struct uhi_histogram_plan *plan);

/* Writes the one-line description of what `body` does by it, which begins with the method's name, as snprintf does;
 * returns its whole length. */
int uhi_plan_text(const struct uhi_histogram_plan *plan, const char *method, enum uhi_body body, char *text,
                  size_t size);

/* The paper's eq. (5): levels below the first that the worst case needs, from the width of the range, the smallest
 * positive bin width and k. */
uint32_t uhi_plan_depth_limit(double range, double smallest, size_t bins);

/* ---- between the planner's own files ---- */

/* Memory with anything in it that the plan owns and counts; NULL when there is none left. */
static inline void *uhi_plan_alloc(struct uhi_histogram_plan *plan, size_t count, size_t size) {
    void *memory = uhi_huge_alloc(count * size, 2 * UHI_HUGE_PAGE);
    if (memory) {
        plan->owned_bytes[plan->owned_count] = count * size;
        plan->owned[plan->owned_count++] = memory;
        plan->bytes += count * size;
    }
    return memory;
}

/* The distinct inner thresholds and what the planner needs to know beside them. */
struct uhi_plan_input {
    const struct uhi_plan_options *options;
    size_t bins;
    union uhi_scalar range_lo, range_hi; /* first and last threshold, for the mesh */
};

/* Ranks that have room in packed cells: one, or 1 more than the number of cuts, and 1 added to it, is in an entry. */
static inline size_t uhi_most_packed_ranks(uint32_t rank_bits) {
    return ((size_t)1 << rank_bits) - 3;
}

/* Each type's functions, in the order in which they run. Those that return an int return -1 when memory runs out. */
#define UHI_PLAN_FUNCTIONS(type)                                                                                       \
    /* Takes over the distinct inner thresholds, with room behind them, and slots of ranks where some were equal. */   \
    int uhi_plan_inner_##type(struct uhi_histogram_plan *plan, const void *thresholds, size_t count);                  \
    /* Chooses the map for the inner thresholds and makes all its tables but the cells' first ranks; with `packed` not \
     * 0 packed cells are to come of a map of one level. */                                                            \
    int uhi_plan_map_##type(struct uhi_histogram_plan *plan, const struct uhi_plan_options *options, int packed);      \
    /* Makes the table of the cells' first ranks. */                                                                   \
    int uhi_plan_base_##type(struct uhi_histogram_plan *plan);                                                         \
    /* Makes the mesh. */                                                                                              \
    int uhi_plan_mesh_##type(struct uhi_histogram_plan *plan, const struct uhi_plan_input *input);                     \
    /* Puts behind the inner thresholds what no value reaches, as far as a kernel may read: NaN for floats; for        \
     * integers the largest value, whose rank the kernels limit. */                                                    \
    void uhi_plan_pad_##type(struct uhi_histogram_plan *plan);                                                         \
    /* Takes the cuts out of thresholds with repetitions. */                                                           \
    int uhi_plan_cuts_##type(struct uhi_histogram_plan *plan, const void *thresholds, size_t count);                   \
    /* Makes about so many packed cells for the cuts and the map of one level, of at most `budget` bytes, and sets the \
     * form; leaves it where they do not fit, and where not all cuts lie in cells though `inside` is not 0. */         \
    int uhi_plan_packed_##type(struct uhi_histogram_plan *plan, size_t cells, size_t budget, int inside)

UHI_PLAN_FUNCTIONS(f32);
UHI_PLAN_FUNCTIONS(f64);
UHI_PLAN_FUNCTIONS(i32);
UHI_PLAN_FUNCTIONS(i64);
UHI_PLAN_FUNCTIONS(k64);

#endif
