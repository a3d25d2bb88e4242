/* SPDX-License-Identifier: Apache-2.0 */
/* Grids in files. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <unihist/integrate.h>

#include "api/saved_file.h"
#include "kernels/integrate/grid.h"
#include "runtime/status.h"

/* Saved data: sides of the box, and edges of all axes. */
struct saved_grid {
    uint64_t lower_dims, upper_dims, shape[2]; /* axes, and edges per axis */
    const void *lower, *upper, *edges;
};

static void exchange(struct uhi_sections *sections, struct saved_grid *saved) {
    uhi_saved_kind(sections, "grid");
    uhi_sections_array(sections, "lower", "<f8", 1, &saved->lower_dims, &saved->lower);
    uhi_sections_array(sections, "upper", "<f8", 1, &saved->upper_dims, &saved->upper);
    uhi_sections_array(sections, "edges", "<f8", 2, saved->shape, &saved->edges);
    uhi_sections_end(sections);
}

static void save(struct uhi_sections *sections, const uh_grid *grid, unsigned char *bytes) {
    struct saved_grid saved = {.lower_dims = grid->dims,
                               .upper_dims = grid->dims,
                               .shape = {grid->dims, grid->bins + 1},
                               .lower = grid->lower,
                               .upper = grid->upper,
                               .edges = grid->edges};
    uhi_sections_save(sections, bytes);
    exchange(sections, &saved);
}

uh_status uh_grid_save(const uh_grid *grid, const char *path) {
    struct uhi_sections sections = {.call = __func__};
    UHI_NEED(__func__, grid, "a grid");
    UHI_NEED(__func__, path, "the name of a file");
    save(&sections, grid, NULL);
    unsigned char *bytes = calloc(1, sections.size);
    if (!bytes)
        return uhi_fail_memory(__func__, "no memory for %" PRIu64 " bytes to save", sections.size);
    save(&sections, grid, bytes);
    const uh_status status = uhi_saved_write(__func__, path, bytes, sections.size);
    free(bytes);
    return status;
}

/* Makes the grid from copies of the numbers, which must be aligned. */
static void make(struct uhi_sections *sections, const struct saved_grid *saved, uh_grid **grid) {
    const uint64_t dims = saved->shape[0], edges = saved->shape[1];
    double lower[UH_INTEGRATE_MAX_DIMS], upper[UH_INTEGRATE_MAX_DIMS];
    if (dims < 1 || dims > UH_INTEGRATE_MAX_DIMS || edges < 2 || edges > UH_INTEGRATE_MAX_BINS + 1) {
        uhi_sections_fail(sections, "section 'edges' has %" PRIu64 " x %" PRIu64 " numbers, expected 1 to %d x 2 to %d",
                          dims, edges, UH_INTEGRATE_MAX_DIMS, UH_INTEGRATE_MAX_BINS + 1);
        return;
    }
    if (saved->lower_dims != dims || saved->upper_dims != dims) {
        uhi_sections_fail(sections,
                          "sections 'lower' and 'upper' have %" PRIu64 " and %" PRIu64 " numbers, expected %" PRIu64,
                          saved->lower_dims, saved->upper_dims, dims);
        return;
    }
    double *copy = malloc((size_t)(dims * edges) * sizeof *copy);
    if (!copy) {
        sections->status =
            uhi_fail_memory(sections->call, "no memory for a grid of %" PRIu64 " x %" PRIu64 " edges", dims, edges);
        return;
    }
    memcpy(lower, saved->lower, (size_t)dims * sizeof *lower);
    memcpy(upper, saved->upper, (size_t)dims * sizeof *upper);
    memcpy(copy, saved->edges, (size_t)(dims * edges) * sizeof *copy);
    if (uhi_grid_make(sections->call, "", (size_t)dims, (size_t)edges - 1, lower, upper, copy, grid))
        uhi_sections_failed(sections, NULL);
    free(copy);
}

uh_status uh_grid_load(const char *path, uh_grid **grid) {
    struct uhi_sections sections = {.call = __func__, .source = path, .quote = "'"};
    struct saved_grid saved = {.lower_dims = 0};
    unsigned char *bytes = NULL;
    size_t size = 0;
    UHI_NEED(__func__, grid, "where to store the grid");
    UHI_NEED(__func__, path, "the name of a file");
    uh_status status = uhi_saved_read(&sections, &bytes, &size);
    if (!status && !uhi_sections_load(&sections, bytes, size)) {
        exchange(&sections, &saved);
        if (!sections.status)
            make(&sections, &saved, grid);
    }
    free(bytes);
    return status ? status : sections.status;
}
