/* SPDX-License-Identifier: Apache-2.0 */
/* Sections of a saved histogram. All but the cells pass through a structure, which is filled from a histogram to save
 * and used to make a loaded one. */
#include "api/sections.h"

#include <inttypes.h>
#include <stdio.h>

#include "api/histogram.h"
#include "runtime/status.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

/* Takes the place of a closed end if the axis's edges are category values. */
enum { CATEGORIES = UH_HALF_OPEN_RIGHT + 1 };

struct saved_axis {
    size_t type; /* index into edge_types */
    uint64_t nedges;
    const void *edges;
    size_t closed, flow_bins;
    int carries; /* carries a distribution; it changes no result, so that readers may skip its sections */
    size_t kind;
    double parameters[2];
    uint64_t table[2]; /* dimensions: rows and points */
    const void *numbers;
};

struct saved {
    uint64_t naxes, shape[UH_MAX_AXES];
    size_t storage, sum;
    struct uhi_histogram_numbers numbers;
    struct saved_axis axes[UH_MAX_AXES];
    int grows; /* readers may treat such an axis as one over its current integers */
    uint64_t minlength;
};

static const struct {
    const char *name;
    uh_dtype dtype;
} edge_types[] = {{"<f8", UH_F64}, {"<i8", UH_I64}, {"<u8", UH_U64}};

static const char growth[] = "meta.axis0.minlength";

struct name {
    char text[UHI_SECTION_NAME];
};

static struct name name_of(size_t axis, const char *what) {
    struct name name;
    /* An axis is below UH_MAX_AXES; the modulo tells the compiler that the name fits. */
    snprintf(name.text, sizeof name.text, what, axis % UH_MAX_AXES);
    return name;
}

/* ---- in both directions ---- */

static void exchange_axis(struct uhi_sections *sections, size_t a, struct saved_axis *axis, uint64_t flow[3]) {
    static const char *const closed_ends[] = {[UH_CLOSED_LEFT] = "left",
                                              [UH_CLOSED_RIGHT] = "right",
                                              [UH_HALF_OPEN_LEFT] = "half-open left",
                                              [UH_HALF_OPEN_RIGHT] = "half-open right",
                                              [CATEGORIES] = "categories"};
    const struct name edges = name_of(a, "axis%zu.edges"), carried = name_of(a, "meta.axis%zu.distribution");
    for (size_t i = 0; i < COUNT_OF(edge_types) && sections->loading; i++)
        if (uhi_sections_have(sections, edges.text, edge_types[i].name))
            axis->type = i;
    uhi_sections_array(sections, edges.text, edge_types[axis->type].name, 1, &axis->nedges, &axis->edges);
    uhi_sections_choice(sections, name_of(a, "axis%zu.closed").text, closed_ends, COUNT_OF(closed_ends), &axis->closed);
    uhi_sections_choice(sections, name_of(a, "axis%zu.flowbins").text, uhi_enum_names(UH_ENUM_FLOW_BINS),
                        UH_FLOW_BINS_BOTH + 1, &axis->flow_bins);
    uhi_sections_numbers(sections, name_of(a, "axis%zu.flow").text, "<u8", 3, flow);
    if (sections->loading)
        axis->carries = uhi_sections_have(sections, carried.text, NULL);
    if (!axis->carries)
        return;
    uhi_sections_choice(sections, carried.text, uhi_distribution_names, UHI_DISTRIBUTIONS, &axis->kind);
    uhi_sections_numbers(sections, name_of(a, "meta.axis%zu.parameters").text, "<f8", 2, axis->parameters);
    axis->table[0] = 2; /* rows: x and f */
    uhi_sections_array(sections, name_of(a, "meta.axis%zu.table").text, "<f8", 2, axis->table, &axis->numbers);
}

static void exchange(struct uhi_sections *sections, struct saved *saved) {
    const void *shape = saved->shape;
    uint64_t points[2] = {saved->numbers.points - saved->numbers.outside, saved->numbers.outside};
    uhi_sections_kind(sections, "histogram");
    uhi_sections_array(sections, "shape", "<u8", 1, &saved->naxes, &shape);
    if (saved->naxes > UH_MAX_AXES) {
        uhi_sections_fail(sections, "section 'shape' has %" PRIu64 " numbers, expected at most %d", saved->naxes,
                          UH_MAX_AXES);
        return;
    }
    if (shape && sections->loading)
        memcpy(saved->shape, shape, saved->naxes * sizeof *saved->shape);
    uhi_sections_choice(sections, "storage", uhi_enum_names(UH_ENUM_STORAGE), UH_STORAGE_U16 + 1, &saved->storage);
    uhi_sections_choice(sections, "sum", uhi_enum_names(UH_ENUM_SUM), UH_SUM_FAST + 1, &saved->sum);
    uhi_sections_numbers(sections, "points", "<u8", 2, points);
    saved->numbers.outside = points[1];
    if (__builtin_add_overflow(points[0], points[1], &saved->numbers.points))
        uhi_sections_fail(sections, "section 'points' says more than 2^64 - 1 points");
    for (size_t a = 0; a < saved->naxes; a++)
        exchange_axis(sections, a, &saved->axes[a], saved->numbers.flow[a]);
    if (sections->loading)
        saved->grows = uhi_sections_have(sections, growth, NULL);
    if (saved->grows)
        uhi_sections_numbers(sections, growth, "<u8", 1, &saved->minlength);
}

/* The counts of one axis, followed by the number of points in no cell. */
static void exchange_line(struct uhi_sections *sections, const uh_histogram *histogram) {
    const size_t cells = histogram->cells;
    uint64_t slots = cells + 1;
    if (sections->loading) {
        const void *from = uhi_sections_get(sections, "counts", "<u8", 1, &slots);
        if (from)
            memcpy(histogram->counts + 1, from, cells * sizeof *histogram->counts);
        return;
    }
    uint64_t *to = uhi_sections_add(sections, "counts", "<u8", 1, &slots, NULL);
    if (to) {
        memcpy(to, histogram->counts + 1, cells * sizeof *to);
        to[cells] = uhi_histogram_numbers(histogram).outside;
    }
}

/* The arrays of a store. Loads into an empty store, which has no digits yet. */
static void exchange_cells(struct uhi_sections *sections, uh_histogram *histogram) {
    static const struct {
        const char *name, *exponent;
    } arrays[UHI_STORE_ARRAYS] = {[UHI_STORE_COUNTS] = {"counts", NULL},
                                  [UHI_STORE_SUMS] = {"sums", NULL},
                                  [UHI_STORE_SQUARES] = {"squares", NULL},
                                  [UHI_STORE_SUM_DIGITS] = {"sums.digits", "sums.exponent"},
                                  [UHI_STORE_SQUARE_DIGITS] = {"squares.digits", "squares.exponent"},
                                  [UHI_STORE_FLAGS] = {"flags", NULL}};
    if (histogram->counts) {
        exchange_line(sections, histogram);
        return;
    }
    for (enum uhi_store_array i = 0; i < UHI_STORE_ARRAYS && !sections->status; i++) {
        struct uhi_store_layout layout = uhi_store_layout(histogram->store, i);
        uint64_t dims[2] = {histogram->cells + 1, layout.columns};
        const size_t ndims = arrays[i].exponent ? 2 : 1;
        if (!layout.type)
            continue;
        if (arrays[i].exponent)
            uhi_sections_numbers(sections, arrays[i].exponent, "<i8", 1, &layout.exponent);
        if (sections->loading) {
            const void *from = uhi_sections_get(sections, arrays[i].name, layout.type, ndims, dims);
            layout.columns = dims[1];
            if (from && uhi_store_import(sections->call, histogram->store, i, &layout, from))
                uhi_sections_failed(sections, arrays[i].name);
        } else {
            void *to = uhi_sections_add(sections, arrays[i].name, layout.type, ndims, dims, NULL);
            if (to)
                uhi_store_export(histogram->store, i, &layout, to);
        }
    }
}

/* ---- saving ---- */

static void describe_axis(const uh_axis *axis, struct saved_axis *saved) {
    const struct uhi_edges *edges = &axis->edges;
    const uh_distribution *distribution = edges->distribution;
    *saved = (struct saved_axis){.nedges = uhi_edges_values(edges),
                                 .edges = edges->values,
                                 .closed = edges->order ? CATEGORIES : (size_t)edges->closed,
                                 .flow_bins = (size_t)uhi_axis_flow_bins(axis)};
    while (edge_types[saved->type].dtype != edges->dtype)
        saved->type++;
    if (!distribution)
        return;
    saved->carries = 1;
    saved->kind = (size_t)distribution->kind;
    saved->parameters[0] = distribution->location;
    saved->parameters[1] = distribution->scale;
    saved->table[1] = distribution->points;
    saved->numbers = distribution->x; /* f follows x in an axis's own copy */
}

void uhi_save_histogram(struct uhi_sections *sections, void *object) {
    const struct uhi_saved_histogram *of = object;
    uh_histogram *histogram = of->histogram;
    struct saved saved = {.naxes = histogram->naxes,
                          .storage = (size_t)histogram->storage,
                          .sum = (size_t)histogram->sum,
                          .numbers = uhi_histogram_numbers(histogram),
                          .grows = of->grows != NULL,
                          .minlength = of->grows ? of->grows->minlength : 0};
    for (size_t a = 0; a < histogram->naxes; a++) {
        saved.shape[a] = uhi_histogram_bins(histogram, a);
        describe_axis(histogram->axes[a], &saved.axes[a]);
    }
    exchange(sections, &saved);
    exchange_cells(sections, histogram);
    uhi_sections_end(sections);
}

/* ---- loading ---- */

/* Takes the distribution saved with an axis. The table is copied to *numbers to be aligned; the caller frees that, also
 * after a failure. */
static void take_distribution(struct uhi_sections *sections, const struct saved_axis *saved, size_t number,
                              double **numbers, uh_distribution *taken) {
    const size_t points = (size_t)saved->table[1];
    *numbers = malloc((2 * points + 1) * sizeof **numbers);
    if (!*numbers) {
        sections->status = uhi_fail_memory(sections->call, "no memory for a table of %zu points", points);
        return;
    }
    memcpy(*numbers, saved->numbers, 2 * points * sizeof **numbers);
    const uh_distribution distribution = {.struct_size = sizeof distribution,
                                          .kind = (uh_distribution_kind)saved->kind,
                                          .location = saved->parameters[0],
                                          .scale = saved->parameters[1],
                                          .x = points ? *numbers : NULL,
                                          .f = points ? *numbers + points : NULL,
                                          .points = points};
    if (uhi_distribution_take(sections->call, &distribution, taken))
        uhi_sections_failed(sections, name_of(number, "meta.axis%zu.distribution").text);
}

/* Makes an axis; returns NULL on failure. */
static uh_axis *make_axis(struct uhi_sections *sections, const struct saved_axis *saved, size_t number) {
    const struct name edges = name_of(number, "axis%zu.edges");
    const int below = saved->flow_bins & UH_FLOW_BINS_BELOW, above = (saved->flow_bins & UH_FLOW_BINS_ABOVE) != 0;
    const int categories = saved->closed == CATEGORIES;
    const uh_dtype dtype = edge_types[saved->type].dtype;
    const size_t n = (size_t)saved->nedges;
    uh_axis *plain = NULL, *made = NULL;
    double *numbers = NULL;
    uh_distribution distribution;
    if (categories && below)
        uhi_sections_fail(sections, "section 'axis%zu.flowbins' is '%s', expected none or above of categories", number,
                          uhi_enum_names(UH_ENUM_FLOW_BINS)[saved->flow_bins]);
    else if (categories ? uhi_axis_make_categories(sections->call, edges.text, dtype, saved->edges, n, above, &plain)
                        : uhi_axis_make(sections->call, edges.text, dtype, saved->edges, n, 2, (uh_closed)saved->closed,
                                        &plain))
        uhi_sections_failed(sections, NULL);
    if (categories || sections->status)
        return plain;
    const size_t bins = uhi_axis_bins(plain);
    if (bins < (size_t)below + (size_t)above || (below && plain->as_f64[0] != -(double)INFINITY) ||
        (above && plain->as_f64[bins] != (double)INFINITY))
        uhi_sections_fail(sections, "section 'axis%zu.flowbins' is '%s', expected infinite edges at these ends", number,
                          uhi_enum_names(UH_ENUM_FLOW_BINS)[saved->flow_bins]);
    else if (saved->carries)
        take_distribution(sections, saved, number, &numbers, &distribution);
    if (sections->status)
        uh_axis_destroy(plain);
    else if (uhi_axis_complete(sections->call, plain, below, above, saved->carries ? &distribution : NULL, &made))
        uhi_sections_failed(sections, NULL);
    free(numbers);
    return made;
}

/* Makes an empty histogram. */
static uh_histogram *make(struct uhi_sections *sections, uh_queue *queue, const struct saved *saved) {
    const uh_histogram_options options = {
        .struct_size = sizeof options, .storage = (uh_storage)saved->storage, .sum = (uh_sum)saved->sum};
    uh_axis *axes[UH_MAX_AXES] = {NULL};
    uh_histogram *made = NULL;
    uint64_t cells = 1;
    for (size_t a = 0; a < saved->naxes && !sections->status; a++) {
        const uint64_t *flow = saved->numbers.flow[a];
        axes[a] = make_axis(sections, &saved->axes[a], a);
        if (sections->status)
            break;
        if (uhi_axis_bins(axes[a]) != saved->shape[a])
            uhi_sections_fail(sections, "section 'shape' and the edges of axis %zu differ", a);
        /* Both factors are below 2^32. A cell takes at least one saved byte, which bounds the allocation. */
        else if ((cells *= saved->shape[a]) > UH_MAX_CELLS || cells > sections->size)
            uhi_sections_fail(sections, "it has more cells than its %" PRIu64 " bytes can hold", sections->size);
        /* Merging relies on no counter exceeding the total. */
        else if ((uhi_int_128)flow[0] + flow[1] + flow[2] > saved->numbers.outside)
            uhi_sections_fail(sections, "section 'axis%zu.flow' has more points than section 'points' outside", a);
    }
    if (!sections->status &&
        uhi_histogram_make(sections->call, queue, (const uh_axis *const *)axes, (size_t)saved->naxes, &options, &made))
        uhi_sections_failed(sections, NULL);
    for (size_t a = 0; a < saved->naxes; a++)
        uh_axis_destroy(axes[a]);
    return made;
}

/* Checks that the counts add up to the points in cells, if the storage keeps all counts. */
static void check_counts(struct uhi_sections *sections, const uh_histogram *histogram,
                         const struct uhi_histogram_numbers *numbers) {
    enum { BLOCK = 1024 };
    uint64_t counts[BLOCK];
    uhi_int_128 sum = 0;
    if (histogram->storage != UH_STORAGE_COUNT && histogram->storage != UH_STORAGE_MEAN)
        return;
    for (size_t from = 0; from < histogram->cells; from += BLOCK) {
        size_t n = histogram->cells - from < BLOCK ? histogram->cells - from : BLOCK;
        uhi_histogram_read_counts(histogram, from, n, counts);
        for (size_t i = 0; i < n; i++)
            sum += counts[i];
    }
    if (sum != numbers->points - numbers->outside)
        uhi_sections_fail(sections, "its counts do not add up to the number of points in section 'points'");
}

static void grow(struct uhi_sections *sections, uint64_t minlength, uh_histogram **histogram) {
    uh_histogram *fixed = *histogram, *made = NULL;
    if (fixed->naxes > 1 || (fixed->storage != UH_STORAGE_COUNT && fixed->storage != UH_STORAGE_SUM)) {
        uhi_sections_fail(sections, "section '%s' is there, expected one axis, and storage count or sum", growth);
        return;
    }
    if (minlength > fixed->cells) {
        uhi_sections_fail(sections, "section '%s' says %" PRIu64 ", expected at most %zu, the number of bins", growth,
                          minlength, fixed->cells);
        return;
    }
    uh_status status = uhi_growing_make(sections->call, fixed, (size_t)minlength, &made);
    if (!status && uhi_histogram_numbers(fixed).points > 0) /* without points, the file's only bin may stand for none */
        status = uh_histogram_merge(made, fixed);
    if (status == UH_ERROR_INCOMPATIBLE)
        uhi_sections_fail(sections, "section '%s' is there, expected the integers from 0 as bins", growth);
    else if (status)
        uhi_sections_failed(sections, NULL);
    *histogram = made;
    uh_histogram_destroy(fixed);
}

void uhi_load_histogram(struct uhi_sections *sections, void *wish) {
    const struct uhi_loaded_histogram *loaded = wish;
    struct saved saved = {.naxes = 0};
    uh_histogram *made = NULL;
    exchange(sections, &saved);
    if (!sections->status)
        made = make(sections, loaded->queue, &saved);
    if (made)
        exchange_cells(sections, made);
    uhi_sections_end(sections);
    if (made && !sections->status) {
        check_counts(sections, made, &saved.numbers);
        uhi_histogram_set_numbers(made, &saved.numbers);
        if (saved.grows && !sections->status)
            grow(sections, saved.minlength, &made);
    }
    if (sections->status)
        uh_histogram_destroy(made);
    else
        *loaded->histogram = made;
}
