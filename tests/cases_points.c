/* SPDX-License-Identifier: Apache-2.0 */
/* Histograms over several axes. Mixed axes: every look-up of every type of coordinates, on the first axis of two or the
 * second. Then axes whose coordinates are of one type and found by one look-up, as a device counts them in one launch:
 * two and three axes, and one with weights. */
#include "api/histogram.h"
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

/* Two fills: of mixed axes all points, then a quarter whose tried coordinates lie with gaps; of others all points, then
 * all with one axis after the first, or the weights, OFF elements further, so that arrays are not aligned alike. */
struct points {
    size_t number, naxes, off, shifted, fill[FILLS]; /* shifted: that axis; fill: points of each */
    int mixed;
    struct tried_lookup lookup;
    const struct case_axis *tried; /* mixed: axis[lookup's turn] */
    struct oracle_axis oracle;     /* of the other axis, or of all */
    struct axis axis[MAX_AXES];
    char *spaced;   /* mixed: the tried coordinates of the second fill, with gaps */
    float *weights; /* on one axis: eighths, whose sums float64 holds exactly, and one that is no number */
    struct cells cells[FILLS];
};

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

static void make_mixed(struct points *p, uint64_t seed) {
    const size_t second = p->number % 2,
                 alike = p->fill[0] - p->fill[0] / 5; /* all from there on: a host counts equal cells at once */
    p->lookup = tried_lookup_of(p->number);
    p->tried = tried_axis(axes[p->lookup.axis]);
    set_edges(p, few_edges, FEW_BINS + 1);
    const uh_dtype dtype = p->lookup.dtype;
    const size_t size = uh_dtype_size(dtype);
    char *x = case_array(p, p->fill[0], size);
    float *y = case_array(p, p->fill[0], sizeof *y);
    p->naxes = 2;
    p->fill[1] = p->fill[0] / 4;
    p->axis[second] = (struct axis){dtype, size, &p->tried->oracle, x};
    p->axis[!second] = (struct axis){UH_F32, sizeof *y, &p->oracle, (char *)y};
    p->spaced = case_array(p, p->fill[1], 3 * size);
    case_values_fill(&p->tried->oracle, dtype, seed, x, p->fill[0]);
    for (size_t i = 0; i < p->fill[0]; i++) {
        const size_t from = i < alike ? i : alike;
        memmove(x + i * size, x + from * size, size);
        y[i] = (float)((from + seed) % 19) / 2 - 2;
        if (i < p->fill[1])
            memcpy(p->spaced + 3 * i * size, x + i * size, size);
    }
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

static void *make(size_t number, size_t n, uint64_t seed) {
    struct points *p = case_new(sizeof *p);
    p->number = number;
    p->fill[0] = n;
    p->mixed = number < MIXED;
    if (p->mixed)
        make_mixed(p, seed);
    else
        make_alike(p, seed);
    size_t cells = 1;
    for (size_t a = 0; a < p->naxes; a++)
        cells *= oracle_bins(p->axis[a].oracle);
    for (size_t fill = 0; fill < FILLS; fill++) {
        p->cells[fill] = case_cells(p, cells, p->naxes);
        for (size_t i = 0; i < p->fill[fill]; i++)
            count(p, i, fill);
    }
    return p;
}

/* ---- a use ------------------------------------------------------------------------------------------------------- */

static uh_histogram *create(struct use *use, const struct points *p) {
    const size_t second = p->number % 2;
    uh_histogram_options options = {.struct_size = sizeof options};
    uh_axis *axis = NULL, *tried = p->mixed ? tried_axis_create(use, p->tried) : NULL;
    uh_histogram *histogram = NULL;
    double edges[BINS + 1];
    for (size_t j = 0; j < p->oracle.nedges; j++)
        edges[j] = (double)p->oracle.edges[j];
    if (!p->mixed) {
        options.storage = p->weights ? type_of(p->number)->storage : tier_of(p->number)->storage;
        options.table_bytes = 4096;
    }
    if ((tried || !p->mixed) &&
        use_call(use, "uh_axis_create_edges",
                 uh_axis_create_edges(UH_F64, edges, p->oracle.nedges, UH_CLOSED_LEFT, &axis))) {
        uh_axis *all[MAX_AXES] = {axis, axis, axis};
        if (p->mixed)
            all[second] = tried;
        (void)use_call(use, "uh_histogram_create",
                       uh_histogram_create(use->queue, all, p->naxes, &options, &histogram));
    }
    uh_axis_destroy(axis);
    uh_axis_destroy(tried);
    if (histogram && p->mixed)
        tried_lookup_force(p->lookup, histogram, second);
    if (!histogram || p->mixed)
        return histogram;
    histogram->run.launch.tiers = UHI_TIER_SET(tier_of(p->number)->tier);
    for (size_t a = 0; a < p->naxes; a++) {
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
    if (all && p->mixed)
        all = (placed->spaced = use_input(use, p->spaced, p->fill[1] * 3 * p->axis[p->number % 2].size)) != NULL;
    return all;
}

/* Returns 1 if the fill worked. In the second fill of mixed axes the other coordinates are in plain memory. */
static int add(struct use *use, const struct points *p, uh_histogram *histogram, const struct placed *placed,
               size_t fill) {
    const size_t n = p->fill[fill], off = fill ? p->off : 0;
    const uh_array values = uh_array_of(UH_F32, p->weights ? placed->weights + off : NULL, n);
    uh_array coordinates[MAX_AXES];
    for (size_t a = 0; a < p->naxes; a++) {
        const struct axis *axis = &p->axis[a];
        coordinates[a] = uh_array_of(axis->dtype, placed->x[a] + (a == p->shifted ? off * axis->size : 0), n);
        if (fill && p->mixed && a == p->number % 2)
            coordinates[a] = (uh_array){axis->dtype, placed->spaced, 3 * (ptrdiff_t)axis->size, n};
        else if (fill && p->mixed)
            coordinates[a].data = axis->x;
    }
    return use_call(use, "uh_histogram_fill", uh_histogram_fill(histogram, coordinates, p->weights ? &values : NULL));
}

static void run(struct use *use, const void *made) {
    const struct points *p = made;
    struct placed placed = {.spaced = NULL};
    if (!place(use, p, &placed))
        return;
    uh_histogram *histogram = create(use, p);
    if (histogram) {
        const int first = add(use, p, histogram, &placed, 0),
                  second = p->mixed || p->fill[1] > 0 ? add(use, p, histogram, &placed, 1) : 0;
        if (p->mixed || use->computes)
            use_cells(use, histogram, &p->cells[0], (uint64_t)first, &p->cells[1], (uint64_t)second);
        else if (use_call(use, "uh_queue_wait", uh_queue_wait(use->queue))) /* what comes back may be no sums */
            (void)use_call(use, "uh_histogram_reset", uh_histogram_reset(histogram));
    }
    uh_histogram_destroy(histogram);
}

const struct description describe_points = {"points", describe, make, run, case_free};
