/* SPDX-License-Identifier: Apache-2.0 */
/* Histograms, and points, which are those over several axes. One axis: every look-up of every type of values. Mixed
 * axes: the same of coordinates, on the first axis of two or the second. Then axes whose coordinates are of one type
 * and found by one look-up, as a device counts them in one launch: two and three axes, and one with weights. */
#include "api/histogram.h"
#include "tests/arrays.h"
#include "tests/cells.h"
#include "tests/support.h"
#include "tests/tried_axis.h"

enum { MAX_AXES = 3, FILLS = 2, OFF = 1 };

struct axis {
    uh_dtype dtype;
    size_t size;
    const struct oracle_axis *oracle;
    char *x;
};

/* Two fills: with a tried axis all points, then a quarter whose coordinates on it lie with gaps; of others all points,
 * then all with one axis after the first, or the weights, OFF elements further, so that arrays are not aligned alike.
 */
struct points {
    size_t number, naxes, off, shifted, fill[FILLS]; /* shifted: that axis; fill: points of each */
    struct tried_lookup lookup;
    const struct case_axis *tried; /* or NULL; */
    size_t at;                     /* which of the axes it is */
    struct oracle_axis oracle;     /* of the other axis of two, or of all */
    struct axis axis[MAX_AXES];
    char *spaced;   /* the tried coordinates of the second fill, with gaps */
    int64_t *index; /* one axis: of each of the first `part` values */
    size_t part;
    float *weights; /* on one axis: eighths, whose sums float64 holds exactly, and one that is no number */
    struct cells cells[FILLS];
};

/* ---- one axis ---- */

enum { LINES = TRIED_AXES * TRIED_TYPES * TRIED_LOOKUPS };

/* Unsigned types share their kernels with the signed ones, and small ones know no axis and no look-up. What the planner
 * chooses and packed cells have each axis, the others that of decades, which leads to look-ups of its own; of the
 * rest after the first each has one in two. */
static size_t few_of_line(size_t axis, uh_dtype dtype, enum uhi_lookup by) {
    enum { DECADES = 2 };
    const int has_kernels = dtype == UH_F32 || dtype == UH_F64 || dtype == UH_I32 || dtype == UH_I64;
    const int is_its_turn = axis == DECADES || by == UHI_LOOKUP_AUTO || by == UHI_LOOKUP_PACKED ||
                            (axis + (size_t)dtype + (size_t)by) % 2 == 0;
    if (axis >= TRIED_AXES_FEW || (axis > 0 && !(has_kernels && is_its_turn)) ||
        (uh_dtype_size(dtype) <= 2 && by != UHI_LOOKUP_AUTO) || by == UHI_LOOKUP_COMPARE)
        return 0;
    /* Once, enough for three groups of 16, of which two share a table of counts in global memory. */
    return axis == 0 && by == UHI_LOOKUP_AUTO && (dtype == UH_F32 || dtype == UH_U8) ? 3 * 16 * 64 + 7 : 90;
}

static int describe_line(size_t number, struct tried *tried) {
    const struct tried_lookup lookup = tried_lookup_of(number);
    if (number >= LINES)
        return -1;
    tried_lookup_describe(lookup, lookup.axis, lookup.axis < TRIED_AXES_FEW, tried);
    tried->few = few_of_line(lookup.axis, lookup.dtype, lookup.by);
    if (lookup.axis == 0 && lookup.by == UHI_LOOKUP_AUTO)
        tried->in_faults = lookup.dtype == UH_F32                             ? 100000
                           : lookup.dtype == UH_I32 || lookup.dtype == UH_U16 ? 3000
                                                                              : 0;
    return 0;
}

/* ---- several axes ---- */

/* Mixed axes: some of tried_axis.h, of which the last four are for Intel's devices, and one of few bins. */
static const size_t axes[] = {0, 2, 3, 4, 9, 10, 11, 12};
enum { AXES = sizeof axes / sizeof *axes, AXES_FEW = 4, FEW_BINS = 3, MIXED = AXES * TRIED_TYPES * TRIED_LOOKUPS };
static const double few_edges[FEW_BINS + 1] = {-1, 0, 2.5, 7};

/* Unsigned types share their kernels with the signed ones, and small ones know no axis and no look-up. */
static size_t few(size_t axis, uh_dtype dtype, enum uhi_lookup by) {
    if (axis >= AXES_FEW || dtype == UH_I8 || dtype == UH_I16 || dtype == UH_U32 || dtype == UH_U64)
        return 0;
    if (uh_dtype_size(dtype) <= 2)
        return axis == 0 && by == UHI_LOOKUP_SEARCH ? 70 : 0;
    if (axis == 0 && dtype == UH_F32 && by == UHI_LOOKUP_AUTO)
        return 2 * 16 * 64 + 7; /* several groups */
    return by == UHI_LOOKUP_AUTO || by == UHI_LOOKUP_COMPARE ? 0 : 70;
}

/* Axes that are alike. */
enum { BINS = 9, FAMILIES = 2, TYPES = 8, TIERS = 3 };

/* The planner's packed cells are equal ones for the first family, logarithmic ones for the second. */
static const char *const families[FAMILIES] = {"equal bins", "decades"};
static const struct type {
    uh_dtype dtype;
    int keys;
    size_t naxes;
    uh_storage storage; /* on one axis */
} types[TYPES] = {{UH_F32, 0, 1, UH_STORAGE_SUM},
                  {UH_F32, 0, 1, UH_STORAGE_WEIGHTED},
                  {UH_F32, 0, 1, UH_STORAGE_MEAN},
                  {UH_F32, 0, 2, 0},
                  {UH_F32, 0, 3, 0},
                  {UH_F64, 0, 2, 0},
                  {UH_F64, 1, 2, 0},
                  {UH_U8, 0, 2, 0}};

/* Where a device counts, if that is possible, and what is kept on several axes. */
static const struct tier {
    enum uhi_tier tier;
    const char *name;
    uh_storage storage;
} tiers[TIERS] = {{UHI_TIER_LOCAL, "local", UH_STORAGE_COUNT},
                  {UHI_TIER_MIXED, "mixed", UH_STORAGE_U16},
                  {UHI_TIER_TABLES, "tables", UH_STORAGE_U8}};

static const char *const kept[] = {
    [UH_STORAGE_SUM] = ", sums", [UH_STORAGE_WEIGHTED] = ", weighted", [UH_STORAGE_MEAN] = ", means"};

/* Numbers count up in this order: tier, type, family. */
static const struct tier *tier_of(size_t number) { return &tiers[(number - MIXED) % TIERS]; }
static const struct type *type_of(size_t number) { return &types[(number - MIXED) / TIERS % TYPES]; }
static size_t family_of(size_t number) { return (number - MIXED) / TIERS / TYPES; }

static int describe_alike(size_t number, struct tried *tried) {
    const struct type *type = type_of(number);
    const int is_local = tier_of(number)->tier == UHI_TIER_LOCAL;
    if (family_of(number) == FAMILIES)
        return -1;
    snprintf(tried->name, sizeof tried->name, "%s%s on %zu axes of %s, %s%s", uh_enum_name(UH_ENUM_DTYPE, type->dtype),
             type->keys ? " as keys" : "", type->naxes, families[family_of(number)], tier_of(number)->name,
             type->storage ? kept[type->storage] : "");
    if (type->dtype == UH_U8 && family_of(number) > 0)
        return 0; /* a byte needs no map */
    tried->exact = is_local || type->dtype == UH_F32 ? 20000 : 0;
    tried->few = 130;
    tried->in_null = 500;
    if (family_of(number) > 0 || type->dtype != UH_F32 || type->storage == UH_STORAGE_WEIGHTED)
        return 0;
    if (type->storage == UH_STORAGE_MEAN) /* of which weights with their squares are a part */
        tried->in_faults = is_local ? 3000 : 0;
    else
        tried->in_faults = is_local && type->naxes < 3 ? 70000 : 3000;
    return 0;
}

static int describe(size_t number, struct tried *tried) {
    const struct tried_lookup lookup = tried_lookup_of(number);
    if (number >= MIXED)
        return describe_alike(number, tried);
    tried_lookup_describe(lookup, axes[lookup.axis], lookup.axis < AXES_FEW, tried);
    tried->few = few(lookup.axis, lookup.dtype, lookup.by);
    if (lookup.axis == 0 && lookup.by == UHI_LOOKUP_AUTO)
        tried->in_faults = lookup.dtype == UH_F32 ? 70000 : lookup.dtype == UH_U8 ? 3000 : 0;
    return 0;
}

/* ---- inputs, and what is right ---- */

static void count(struct points *p, size_t i, size_t fill) {
    const size_t off = fill ? p->off : 0;
    const struct oracle_axis *oracles[MAX_AXES];
    long double point[MAX_AXES];
    for (size_t a = 0; a < p->naxes; a++) {
        const struct axis *axis = &p->axis[a];
        oracles[a] = axis->oracle;
        point[a] = oracle_value(axis->dtype, axis->x + (i + (a == p->shifted ? off : 0)) * axis->size);
    }
    cells_add_point(&p->cells[fill], oracles, point, p->weights ? (long double)p->weights[i + off] : 1);
}

static void set_edges(struct points *p, const double *edges, size_t n) {
    p->oracle =
        (struct oracle_axis){.edges = case_array(p, n, sizeof *p->oracle.edges), .nedges = n, .closed = UH_CLOSED_LEFT};
    for (size_t j = 0; j < n; j++)
        p->oracle.edges[j] = (long double)edges[j];
}

/* The tried axis alone, or one of two. From `alike` on all values are the same. */
static void make_tried(struct points *p, size_t axis, uint64_t seed, size_t alike) {
    const uh_dtype dtype = p->lookup.dtype;
    const size_t size = uh_dtype_size(dtype), n = p->fill[0];
    char *x = case_array(p, n, size);
    p->tried = tried_axis(axis);
    p->fill[1] = n / 4;
    p->axis[p->at] = (struct axis){dtype, size, &p->tried->oracle, x};
    p->spaced = case_array(p, p->fill[1], 3 * size);
    set_edges(p, few_edges, FEW_BINS + 1);
    case_values_fill(&p->tried->oracle, dtype, seed, x, n);
    for (size_t i = 0; i < n; i++) {
        memmove(x + i * size, x + (i < alike ? i : alike) * size, size);
        if (i < p->fill[1])
            memcpy(p->spaced + 3 * i * size, x + i * size, size);
    }
}

static void make_line(struct points *p, uint64_t seed) {
    p->lookup = tried_lookup_of(p->number);
    p->naxes = 1;
    make_tried(p, p->lookup.axis, seed, p->fill[0]);
    p->part = p->fill[1];
    if (p->lookup.by != UHI_LOOKUP_AUTO) /* they are packed in the same way for any look-up */
        p->fill[1] = 0;
    p->index = case_array(p, p->part, sizeof *p->index);
    for (size_t i = 0; i < p->part; i++)
        p->index[i] =
            oracle_index(&p->tried->oracle, oracle_value(p->lookup.dtype, p->axis[0].x + i * p->axis[0].size));
}

static void make_mixed(struct points *p, uint64_t seed) {
    const size_t n = p->fill[0], alike = n - n / 5; /* a host counts equal cells at once */
    float *y = case_array(p, n, sizeof *y);
    p->lookup = tried_lookup_of(p->number);
    p->naxes = 2;
    p->at = p->number % 2;
    make_tried(p, axes[p->lookup.axis], seed, alike);
    p->axis[!p->at] = (struct axis){UH_F32, sizeof *y, &p->oracle, (char *)y};
    for (size_t i = 0; i < n; i++)
        y[i] = (float)(((i < alike ? i : alike) + seed) % 19) / 2 - 2;
}

static void make_alike(struct points *p, uint64_t seed) {
    const struct type *type = type_of(p->number);
    const size_t size = uh_dtype_size(type->dtype), n = p->fill[0];
    double edges[BINS + 1];
    for (size_t j = 0; j <= BINS; j++)
        edges[j] = type->dtype == UH_U8        ? 7 + 25 * (double)j
                   : family_of(p->number) == 0 ? 0.3 * (double)j - 1
                                               : pow(10, (double)j - 4);
    set_edges(p, edges, BINS + 1);
    p->naxes = type->naxes;
    p->off = OFF;
    p->shifted = p->naxes == 3 ? 1 + (size_t)(seed % 2) : 1;
    p->fill[1] = n > OFF ? n - OFF : 0;
    for (size_t a = 0; a < p->naxes; a++) {
        char *x = case_array(p, n, size);
        p->axis[a] = (struct axis){type->dtype, size, &p->oracle, x};
        case_values_fill(&p->oracle, type->dtype, seed + a, x, n);
        for (size_t i = n / 2; a > 0 && i < n; i++) /* other points than along the diagonal */
            memmove(x + i * size, x + (i * 7 + a) % (n / 2 + 1) * size, size);
    }
    if (p->naxes > 1)
        return;
    p->weights = case_array(p, n, sizeof *p->weights);
    for (size_t i = 0; i < n; i++)
        p->weights[i] = i == 11 ? NAN : (float)((int)(test_random_u64(&seed) >> 52) - 2048) / 8;
}

static void *make_by(void (*make)(struct points *p, uint64_t seed), size_t number, size_t n, uint64_t seed) {
    struct points *p = case_new(sizeof *p);
    size_t cells = 1;
    p->number = number;
    p->fill[0] = n;
    make(p, seed);
    for (size_t a = 0; a < p->naxes; a++)
        cells *= oracle_bins(p->axis[a].oracle);
    for (size_t fill = 0; fill < FILLS; fill++) {
        p->cells[fill] = case_cells(p, cells, p->naxes);
        for (size_t i = 0; i < p->fill[fill]; i++)
            count(p, i, fill);
    }
    return p;
}

static void *make_histogram(size_t number, size_t n, uint64_t seed) { return make_by(make_line, number, n, seed); }

static void *make_points(size_t number, size_t n, uint64_t seed) {
    return make_by(number < MIXED ? make_mixed : make_alike, number, n, seed);
}

/* ---- a use ------------------------------------------------------------------------------------------------------- */

static uh_histogram *create(struct use *use, const struct points *p) {
    uh_histogram_options options = {.struct_size = sizeof options};
    uh_axis *axis = NULL, *tried = p->tried ? tried_axis_create(use, p->tried) : NULL;
    uh_histogram *histogram = NULL;
    double edges[BINS + 1];
    for (size_t j = 0; j < p->oracle.nedges; j++)
        edges[j] = (double)p->oracle.edges[j];
    if (!p->tried) {
        options.storage = p->weights ? type_of(p->number)->storage : tier_of(p->number)->storage;
        options.table_bytes = 4096;
    }
    if ((tried || !p->tried) &&
        use_call(use, "uh_axis_create_edges",
                 uh_axis_create_edges(UH_F64, edges, p->oracle.nedges, UH_CLOSED_LEFT, &axis))) {
        uh_axis *all[MAX_AXES] = {axis, axis, axis};
        if (p->tried)
            all[p->at] = tried;
        (void)use_call(use, "uh_histogram_create",
                       uh_histogram_create(use->queue, all, p->naxes, &options, &histogram));
    }
    uh_axis_destroy(axis);
    uh_axis_destroy(tried);
    if (histogram && p->tried)
        tried_lookup_force(p->lookup, histogram, p->at);
    for (size_t a = 0; histogram && !p->tried && a < p->naxes; a++) {
        histogram->run.launch.tiers = UHI_TIER_SET(tier_of(p->number)->tier);
        uhi_histogram_want(histogram, a, UHI_LOOKUP_PACKED);
        if (type_of(p->number)->keys && histogram->options[a].body == UHI_BODY_DEVICE)
            histogram->options[a].keys = 1;
    }
    return histogram;
}

struct placed { /* inputs in the use's place */
    const char *x[MAX_AXES], *spaced;
    const float *weights;
};

static int place(struct use *use, const struct points *p, struct placed *placed) {
    int all = 1;
    for (size_t a = 0; a < p->naxes && all; a++)
        all = (placed->x[a] = use_input(use, p->axis[a].x, p->fill[0] * p->axis[a].size)) != NULL;
    if (all && p->weights)
        all = (placed->weights = use_input(use, p->weights, p->fill[0] * sizeof *p->weights)) != NULL;
    if (all && p->tried)
        all = (placed->spaced = use_input(use, p->spaced, p->fill[1] * 3 * p->axis[p->at].size)) != NULL;
    return all;
}

/* Returns 1 if the fill worked. In the second fill of two axes the other coordinates are in plain memory. */
static int add(struct use *use, const struct points *p, uh_histogram *histogram, const struct placed *placed,
               size_t fill) {
    const size_t n = p->fill[fill], off = fill ? p->off : 0;
    const uh_array values = uh_array_of(UH_F32, p->weights ? placed->weights + off : NULL, n);
    uh_array coordinates[MAX_AXES];
    for (size_t a = 0; a < p->naxes; a++) {
        const struct axis *axis = &p->axis[a];
        coordinates[a] = uh_array_of(axis->dtype, placed->x[a] + (a == p->shifted ? off * axis->size : 0), n);
        if (fill && p->tried && a == p->at)
            coordinates[a] = (uh_array){axis->dtype, placed->spaced, 3 * (ptrdiff_t)axis->size, n};
        else if (fill && p->tried)
            coordinates[a].data = axis->x;
    }
    return use_call(use, "uh_histogram_fill", uh_histogram_fill(histogram, coordinates, p->weights ? &values : NULL));
}

static void run(struct use *use, const void *made) {
    const struct points *p = made;
    struct placed placed = {.spaced = NULL};
    if (!place(use, p, &placed))
        return;
    int64_t *index = p->index ? use_output(use, p->part, sizeof *index) : NULL;
    uh_histogram *histogram = index || !p->index ? create(use, p) : NULL;
    if (histogram) {
        const int first = add(use, p, histogram, &placed, 0),
                  second = p->tried || p->fill[1] > 0 ? add(use, p, histogram, &placed, 1) : 0;
        if (p->tried || use->computes)
            use_cells(use, histogram, &p->cells[0], (uint64_t)first, &p->cells[1], (uint64_t)second);
        else if (use_call(use, "uh_queue_wait", uh_queue_wait(use->queue))) /* what comes back may be no sums */
            (void)use_call(use, "uh_histogram_reset", uh_histogram_reset(histogram));
    }
    if (histogram && index)
        (void)use_written(use, "uh_histogram_digitize",
                          uh_histogram_digitize(histogram, ARRAY(p->lookup.dtype, placed.x[0], p->part), UH_I64, index),
                          index, p->index, USE_WHOLE);
    uh_histogram_destroy(histogram);
}

const struct description describe_histogram = {"histogram", describe_line, make_histogram, run, case_free};
const struct description describe_points = {"points", describe, make_points, run, case_free};
