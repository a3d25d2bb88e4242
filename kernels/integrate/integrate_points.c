/* SPDX-License-Identifier: Apache-2.0 */
/* Points as a grid distributes them. */
#include <stdlib.h>
#include <string.h>

#include "kernels/common/frame.h"
#include "kernels/integrate/integrate_run.h"
#include "kernels/integrate/integrate_samples.h"
#include "kernels/integrate/tuning.h"
#include "kernels/registry.h"
#include "runtime/status.h"

/* The points' iteration number, for their streams. */
enum { POINTS_ITERATION = 4095 };

struct drawing {
    struct uhi_field field;
    const uh_grid *grid;
    const uh_points *points;
    uh_status (*trial)(uh_queue *queue, struct uhi_trial *trial);
    size_t width;           /* numbers per row */
    struct uhi_cell *cells; /* followed by the sides of each axis, for devices */
};

/* Rows of a frame, on the host. */
struct rows {
    const struct drawing *drawing;
    uint64_t first;
    size_t n, threads;
    double *rows;
    char *memory; /* of each thread */
};

static size_t memory_of(const struct drawing *drawing) {
    const size_t dims = drawing->field.dims;
    return UHI_INTEGRATE_MEMORY(dims, drawing->width - 1 - dims);
}

static void draw_part(const void *context, size_t part, size_t parts) {
    const struct rows *rows = context;
    const struct drawing *drawing = rows->drawing;
    const size_t from = uhi_part_start(rows->n, parts, part), each = memory_of(drawing);
    uhi_integrate_host()->points(&drawing->field, drawing->points, uhi_integrate_stream(POINTS_ITERATION),
                                 rows->first + from, uhi_part_start(rows->n, parts, part + 1) - from,
                                 rows->memory + part % rows->threads * each, rows->rows + from * drawing->width);
}

static uh_status draw_on_host(struct uhi_frame *frame, void *context) {
    const struct drawing *drawing = context;
    const struct uhi_values out = frame->operands.out.x;
    const size_t threads = uhi_parts_for(frame->queue, out.n, UHI_INTEGRATE_POINTS_A_THREAD);
    const struct rows rows = {
        drawing, drawing->points->offset + frame->origin, out.n,
        threads, (double *)(uintptr_t)out.first,          uhi_frame_scratch(frame, threads * memory_of(drawing))};
    if (!rows.memory)
        return UH_ERROR_OUT_OF_MEMORY;
    return uhi_frame_parallel(frame, "integrate: points", draw_part, &rows, rows.n, UHI_INTEGRATE_POINTS_A_THREAD);
}

struct launching {
    const struct drawing *drawing;
    const struct uhi_engine *engine;
    uint64_t first; /* of the frame's points */
    uh_kernel *kernel, *evaluate;
    void *memory; /* the cells, and */
    char *state;  /* the integrand's state */
};

static uh_status launch_points(void *context, const struct uhi_piece *piece) {
    const struct launching *launching = context;
    const struct drawing *drawing = launching->drawing;
    const uint64_t stream = uhi_integrate_stream(POINTS_ITERATION), first = launching->first + piece->from,
                   n = piece->n;
    const uint32_t dims = (uint32_t)drawing->field.dims, bins = (uint32_t)drawing->field.bins,
                   width = (uint32_t)drawing->width;
    const int evaluates = drawing->points->integrand != NULL;
    const uh_arg args[] = {UHI_ARG(drawing->points->seed),
                           UHI_ARG(stream),
                           UHI_ARG(first),
                           UHI_ARG(n),
                           UHI_ARG(dims),
                           UHI_ARG(width),
                           UHI_ARG(bins),
                           uh_arg_pointer(launching->memory),
                           uh_arg_pointer(piece->out)};
    UHI_TRY(uhi_engine_run_wide(launching->engine, launching->kernel, piece->n, args, 9, NULL,
                                evaluates ? NULL : piece->done));
    const uh_arg more[] = {UHI_ARG(n), uh_arg_pointer(launching->state), uh_arg_pointer(piece->out)};
    return evaluates ? uhi_engine_run_wide(launching->engine, launching->evaluate, piece->n, more, 3, NULL, piece->done)
                     : UH_SUCCESS;
}

/* Builds the kernels, and copies the cells and the integrand's state. */
static uh_status open_launching(struct uhi_frame *frame, struct launching *launching) {
    const struct drawing *drawing = launching->drawing;
    const struct uhi_samples samples = {.sampling = {.integrand = drawing->points->integrand, .field = drawing->field},
                                        .grid = drawing->grid,
                                        .trial = drawing->trial};
    const size_t bytes = drawing->field.dims * (drawing->field.bins + 1) * sizeof *drawing->cells;
    UHI_TRY(uhi_engine_kernel(frame->engine, "points", &launching->kernel));
    UHI_TRY(drawing->points->integrand ? uhi_integrate_open_points(frame, &samples, bytes, &launching->evaluate,
                                                                   &launching->memory, &launching->state)
                                       : uhi_engine_scratch(frame->engine, bytes, &launching->memory));
    return uh_memcpy(frame->engine->queue, launching->memory, drawing->cells, bytes, NULL);
}

static uh_status draw_on_device(struct uhi_frame *frame, void *context) {
    const struct drawing *drawing = context;
    struct launching launching = {
        .drawing = drawing, .engine = frame->engine, .first = drawing->points->offset + frame->origin};
    struct uhi_pieces pieces;
    const uh_device_properties *device = &frame->engine->properties;
    if (!device->fp64)
        return uhi_fail(UH_ERROR_UNSUPPORTED, frame->call, NULL,
                        "points are float64, which %s (%s) does not compute; expected a device with float64, such as "
                        "the host",
                        device->selector, device->name);
    UHI_TRY(uhi_pieces_open(&pieces, frame->engine, frame->call, &frame->operands, UHI_INTEGRATE_POINTS_A_LAUNCH));
    pieces.worst_ns *= (double)drawing->width; /* values per row */
    uh_status status = open_launching(frame, &launching);
    if (!status)
        status = uhi_pieces_for_each(&pieces, launch_points, NULL, &launching);
    return uhi_pieces_finish(&pieces, status);
}

static const struct uhi_stage draw_stage = {"integrate: points", draw_on_host, draw_on_device};

uh_status uhi_grid_points(uh_queue *queue, const char *call, const uh_grid *grid, const uh_points *points,
                          uh_status (*trial)(uh_queue *queue, struct uhi_trial *trial), double *rows) {
    const size_t cells = grid->dims * grid->bins;
    struct drawing drawing = {
        .field = {.dims = grid->dims, .bins = grid->bins}, .grid = grid, .points = points, .trial = trial};
    drawing.width = grid->dims + 1 + (points->integrand ? points->integrand->values : 0);
    drawing.cells = uhi_grid_allocate(cells + grid->dims, sizeof *drawing.cells);
    if (!drawing.cells)
        return uhi_fail_memory(call, "no memory for a grid of %zu bins", cells);
    uhi_grid_cells(grid, drawing.cells);
    for (size_t d = 0; d < grid->dims; d++)
        drawing.cells[cells + d] = (struct uhi_cell){grid->sides[d].kind, grid->sides[d].at};
    memcpy(drawing.field.sides, grid->sides, sizeof drawing.field.sides);
    drawing.field.cells = drawing.cells;
    const size_t row = drawing.width * sizeof *rows;
    const struct uhi_single single = {.call = call,
                                      .argument = "rows",
                                      .variants = uhi_integrate_variants(),
                                      .stage = &draw_stage,
                                      .x = {(const char *)rows, points->n, (ptrdiff_t)row},
                                      .size = row,
                                      .is_output = 1,
                                      .min_piece = UHI_INTEGRATE_MIN_POINTS};
    const uh_status status = uhi_frame_run_single(queue, &single, &drawing);
    free(drawing.cells);
    return status;
}
