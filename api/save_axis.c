/* SPDX-License-Identifier: Apache-2.0 */
/* The sections of the axes of saved histograms. */
#include "api/save.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/status.h"

static const char *const closed_ends[] = {[UH_CLOSED_LEFT] = "left",
                                          [UH_CLOSED_RIGHT] = "right",
                                          [UH_HALF_OPEN_LEFT] = "half-open left",
                                          [UH_HALF_OPEN_RIGHT] = "half-open right"};

static void name_section(char name[UHI_SECTION_NAME], size_t axis, const char *what) {
    snprintf(name, UHI_SECTION_NAME, "axis%zu.%s", axis, what);
}

/* ---- distributions, which change no result: readers may skip them ---- */

static const char *const distributions[] = {[UH_DISTRIBUTION_EXPONENTIAL] = "exponential",
                                            [UH_DISTRIBUTION_NORMAL] = "normal",
                                            [UH_DISTRIBUTION_LOGNORMAL] = "lognormal",
                                            [UH_DISTRIBUTION_TABLE] = "table"};

static void name_meta(char name[UHI_SECTION_NAME], size_t axis, const char *what) {
    snprintf(name, UHI_SECTION_NAME, "meta.axis%zu.%s", axis, what);
}

static void save_distribution(struct uhi_sections *sections, size_t number, const uh_distribution *distribution) {
    char name[UHI_SECTION_NAME];
    const uint64_t points = distribution->points, two = 2;
    name_meta(name, number, "distribution");
    uhi_sections_add_text(sections, name, distributions[distribution->kind]);
    if (distribution->kind != UH_DISTRIBUTION_TABLE) {
        const double parameters[2] = {distribution->location, distribution->scale};
        name_meta(name, number, "parameters");
        uhi_sections_add(sections, name, "<f8", 1, &two, parameters);
        return;
    }
    name_meta(name, number, "x");
    uhi_sections_add(sections, name, "<f8", 1, &points, distribution->x);
    name_meta(name, number, "f");
    uhi_sections_add(sections, name, "<f8", 1, &points, distribution->f);
}

/* Reads the numbers of a table, which are in `*numbers` then, for the caller to free. */
static uh_status load_table(const struct uhi_source *source, struct uhi_sections *sections, size_t number,
                            double **numbers, uh_distribution *distribution) {
    char name[UHI_SECTION_NAME];
    const struct uhi_section *x = NULL, *f = NULL;
    name_meta(name, number, "x");
    uh_status status = uhi_sections_get(source, sections, name, "<f8", 1, NULL, &x);
    name_meta(name, number, "f");
    if (!status)
        status = uhi_sections_get(source, sections, name, "<f8", 1, x->dims, &f);
    if (status)
        return status;
    const size_t points = (size_t)x->dims[0];
    if (points < 2 || f->dims[0] != points)
        return uhi_source_fail(source, "section '%s' has %" PRIu64 " numbers for %zu, expected 2 or more of both", name,
                               f->dims[0], points);
    double *copy = malloc(2 * points * sizeof *copy);
    if (!copy)
        return uhi_fail(UH_ERROR_OUT_OF_MEMORY, source->call, NULL, "no memory for a table of %zu points", points);
    memcpy(copy, x->data, points * sizeof *copy);
    memcpy(copy + points, f->data, points * sizeof *copy);
    distribution->x = copy;
    distribution->f = copy + points;
    distribution->points = points;
    *numbers = copy;
    return UH_SUCCESS;
}

static uh_status load_parameters(const struct uhi_source *source, struct uhi_sections *sections, size_t number,
                                 uh_distribution *distribution) {
    char name[UHI_SECTION_NAME];
    const struct uhi_section *section = NULL;
    const uint64_t two = 2;
    double parameters[2];
    name_meta(name, number, "parameters");
    uh_status status = uhi_sections_get(source, sections, name, "<f8", 1, &two, &section);
    if (status)
        return status;
    memcpy(parameters, section->data, sizeof parameters);
    distribution->location = parameters[0];
    distribution->scale = parameters[1];
    return UH_SUCCESS;
}

/* Replaces the axis by one that carries the distribution that was saved with it, if there is one. */
static uh_status load_distribution(const struct uhi_source *source, struct uhi_sections *sections, size_t number,
                                   uh_axis **axis) {
    char name[UHI_SECTION_NAME];
    uh_distribution distribution = {.struct_size = sizeof distribution};
    double *numbers = NULL;
    uh_axis *carrying = NULL;
    size_t kind = 0;
    name_meta(name, number, "distribution");
    if (!uhi_sections_find(sections, name))
        return UH_SUCCESS;
    uh_status status =
        uhi_sections_choice(source, sections, name, distributions, sizeof distributions / sizeof *distributions, &kind);
    if (status)
        return status;
    distribution.kind = (uh_distribution_kind)kind;
    status = kind == UH_DISTRIBUTION_TABLE ? load_table(source, sections, number, &numbers, &distribution)
                                           : load_parameters(source, sections, number, &distribution);
    if (!status && uhi_axis_carry(source->call, *axis, &distribution, &carrying))
        status = uhi_source_failed(source, name);
    free(numbers);
    if (!status) {
        uhi_axis_release(*axis);
        *axis = carrying;
    }
    return status;
}

/* ---- an axis that grows: readers may take it for the integers that it has ---- */

static const char growth[] = "meta.axis0.minlength";

void uhi_save_growth(struct uhi_sections *sections, size_t minlength) {
    const uint64_t one = 1, least = minlength;
    uhi_sections_add(sections, growth, "<u8", 1, &one, &least);
}

uh_status uhi_load_growth(const struct uhi_source *source, struct uhi_sections *sections, uh_histogram **histogram) {
    const struct uhi_section *section = NULL;
    const uint64_t one = 1;
    uint64_t minlength, points;
    uh_histogram *fixed = *histogram, *made = NULL;
    if (!uhi_sections_find(sections, growth))
        return UH_SUCCESS;
    uh_status status = uhi_sections_get(source, sections, growth, "<u8", 1, &one, &section);
    if (status)
        return status;
    memcpy(&minlength, section->data, sizeof minlength);
    if (fixed->naxes > 1 || (fixed->storage != UH_STORAGE_COUNT && fixed->storage != UH_STORAGE_SUM))
        return uhi_source_fail(source, "section '%s' is there, expected one axis, and storage count or sum", growth);
    if (minlength > fixed->cells)
        return uhi_source_fail(source, "section '%s' says %" PRIu64 ", expected at most %zu, the number of bins",
                               growth, minlength, fixed->cells);
    points = uhi_histogram_numbers(fixed).points;
    status = uhi_growing_make(source->call, fixed, (size_t)minlength, &made);
    if (!status && points > 0) /* else the one bin of the file may stand for none */
        status = uh_histogram_merge(made, fixed);
    if (status == UH_ERROR_INCOMPATIBLE)
        status = uhi_source_fail(source, "section '%s' is there, expected the integers from 0 as bins", growth);
    if (status) {
        (void)uh_histogram_destroy(made);
        return status;
    }
    (void)uh_histogram_destroy(fixed);
    *histogram = made;
    return UH_SUCCESS;
}

/* ---- axes ---- */

void uhi_save_axis(struct uhi_sections *sections, size_t number, const uh_axis *axis, const uint64_t flow[3]) {
    char name[UHI_SECTION_NAME];
    const struct uhi_edges *edges = &axis->edges;
    const uint64_t nedges = edges->count, three = 3;
    name_section(name, number, "edges");
    uhi_sections_add(sections, name,
                     edges->dtype == UH_F64   ? "<f8"
                     : edges->dtype == UH_I64 ? "<i8"
                                              : "<u8",
                     1, &nedges, edges->values);
    name_section(name, number, "closed");
    uhi_sections_add_text(sections, name, closed_ends[edges->closed]);
    if (uhi_axis_flow_bins(axis)) {
        name_section(name, number, "flowbins");
        uhi_sections_add_text(sections, name, uhi_flow_bins_names[uhi_axis_flow_bins(axis)]);
    }
    name_section(name, number, "flow");
    uhi_sections_add(sections, name, "<u8", 1, &three, flow);
    if (edges->distribution)
        save_distribution(sections, number, edges->distribution);
}

/* Marks the bins of an axis, which is not shared yet, that were saved as those beyond the others. */
static uh_status load_flow_bins(const struct uhi_source *source, struct uhi_sections *sections, size_t number,
                                uh_axis *axis) {
    char name[UHI_SECTION_NAME];
    const double *edges = axis->as_f64;
    size_t which = 0;
    name_section(name, number, "flowbins");
    if (!uhi_sections_find(sections, name))
        return UH_SUCCESS;
    uh_status status = uhi_sections_choice(source, sections, name, uhi_flow_bins_names, UH_FLOW_BINS_BOTH + 1, &which);
    if (status)
        return status;
    const int below = which & UH_FLOW_BINS_BELOW, above = (which & UH_FLOW_BINS_ABOVE) != 0;
    if (uhi_axis_bins(axis) < (size_t)below + (size_t)above || (below && edges[0] != -(double)INFINITY) ||
        (above && edges[uhi_axis_bins(axis)] != (double)INFINITY))
        return uhi_source_fail(source, "section '%s' is '%s', expected infinite edges at these ends", name,
                               uhi_flow_bins_names[which]);
    axis->edges.below = below;
    axis->edges.above = above;
    return UH_SUCCESS;
}

/* Finds the edges of an axis. */
static uh_status find_edges(const struct uhi_source *source, struct uhi_sections *sections, size_t number,
                            const struct uhi_section **edges, uh_dtype *dtype) {
    char name[UHI_SECTION_NAME];
    name_section(name, number, "edges");
    const struct uhi_section *found = uhi_sections_find(sections, name);
    if (!found)
        return uhi_source_fail(source, "section '%s' is missing", name);
    *dtype = strcmp(found->type, "<i8") == 0 ? UH_I64 : strcmp(found->type, "<u8") == 0 ? UH_U64 : UH_F64;
    if (*dtype == UH_F64 && strcmp(found->type, "<f8") != 0)
        return uhi_source_fail(source, "section '%s' is of type '%s', expected '<f8', '<i8' or '<u8'", name,
                               found->type);
    uh_status status = uhi_sections_get(source, sections, name, found->type, 1, NULL, &found);
    if (!status && (found->dims[0] < 2 || found->dims[0] > UH_MAX_BINS + 1))
        status = uhi_source_fail(source, "section '%s' has %" PRIu64 " edges, expected 2 to %zu", name, found->dims[0],
                                 UH_MAX_BINS + 1);
    *edges = found;
    return status;
}

uh_status uhi_load_bins(const struct uhi_source *source, struct uhi_sections *sections, size_t number, size_t *bins) {
    const struct uhi_section *edges = NULL;
    uh_dtype dtype;
    uh_status status = find_edges(source, sections, number, &edges, &dtype);
    if (!status)
        *bins = (size_t)edges->dims[0] - 1;
    return status;
}

uh_status uhi_load_axis(const struct uhi_source *source, struct uhi_sections *sections, size_t number, uh_axis **axis,
                        uint64_t flow[3]) {
    char name[UHI_SECTION_NAME];
    uh_axis *made = NULL;
    const struct uhi_section *edges = NULL, *flows = NULL;
    const uint64_t three = 3;
    uh_dtype dtype = UH_F64;
    size_t closed = 0;
    uh_status status = find_edges(source, sections, number, &edges, &dtype);
    name_section(name, number, "closed");
    if (!status)
        status =
            uhi_sections_choice(source, sections, name, closed_ends, sizeof closed_ends / sizeof *closed_ends, &closed);
    name_section(name, number, "flow");
    if (!status)
        status = uhi_sections_get(source, sections, name, "<u8", 1, &three, &flows);
    if (status)
        return status;
    if (uhi_axis_make(source->call, edges->name, dtype, edges->data, (size_t)edges->dims[0], 2, (uh_closed)closed,
                      &made))
        return uhi_source_failed(source, NULL);
    status = load_flow_bins(source, sections, number, made);
    if (!status)
        status = load_distribution(source, sections, number, &made);
    if (status) {
        uhi_axis_release(made);
        return status;
    }
    *axis = made;
    memcpy(flow, flows->data, 3 * sizeof *flow);
    return UH_SUCCESS;
}
