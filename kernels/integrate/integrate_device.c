/* SPDX-License-Identifier: Apache-2.0 */
/* Samples on devices, by the kernel compiled from a text of <unihist/integrand.h>. All its inputs and outputs,
 * including the integrand's state and tables, lie in one block of device memory: pointers into it are then known to the
 * driver. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/integrate/cubature.h"
#include "kernels/integrate/integrate_samples.h"
#include "kernels/integrate/sums.h"
#include "runtime/status.h"

enum { ALIGNMENT = 64 };

/* A range of the device's memory. */
struct room {
    size_t at, bytes;
};

struct uhi_integrate_device {
    struct uhi_variant variant; /* the only kernel */
    struct uhi_variants variants;
    char name[80]; /* for messages */
    uh_kernel *kernel;
    size_t group;       /* work-items per group */
    uint64_t own_local; /* bytes of local memory that the kernel declares */
    int fp32;
    size_t real; /* bytes per number */
    struct room parameters, starts, spread, rows, given, report, state, sequence, regions;
    size_t bytes; /* total */
    char *memory; /* device memory */
    char *host;   /* host copy of the input: job, numbers, cells, sides; then the state */
};

/* ---- program and memory layout ---- */

/* Builds the integrand's kernel of this name. */
static uh_status choose_program(const struct uhi_frame *frame, const struct uhi_samples *samples, const char *kernel,
                                struct uhi_integrate_device *device) {
    const uh_integrand *integrand = samples->sampling.integrand;
    const uh_device_properties *properties = &frame->engine->properties;
    const uh_integrand_code *code = integrand->code;
    if (!code)
        return uhi_fail(UH_ERROR_UNSUPPORTED, frame->call, "integrand",
                        "is a C function, which runs on the host only, and the queue is of %s", properties->selector);
    device->fp32 = !(properties->fp64 && code->fp64);
    if (device->fp32 && samples->sampling.cubing)
        return uhi_fail(UH_ERROR_UNSUPPORTED, frame->call, "options->variant",
                        "is cubature, which computes in float64, but the integrand on %s in float32",
                        properties->selector);
    device->variant.program = device->fp32 ? code->fp32 : code->fp64;
    if (!device->variant.program)
        return uhi_fail(UH_ERROR_UNSUPPORTED, frame->call, "integrand->code",
                        "has no kernel for %s, a device with%s float64", properties->selector,
                        properties->fp64 ? "" : "out");
    if (integrand->context && integrand->context_size == 0)
        return uhi_fail_argument(frame->call, "integrand->context_size",
                                 "is 0, expected the bytes of the context, of which %s gets a copy",
                                 properties->selector);
    device->real = device->fp32 ? sizeof(float) : sizeof(double);
    device->variant.name = kernel;
    device->variant.fp64 = !device->fp32;
    device->variant.given = 1;
    (void)snprintf(device->name, sizeof device->name, "the integrand %.60s", code->name ? code->name : "");
    struct uhi_integrand_trial trial = {.of = samples, .program = device->variant.program, .fp32 = device->fp32};
    device->variants = (struct uhi_variants){&device->variant, 1, device->name, samples->trial, &trial};
    return uhi_engine_kernel_of(frame->engine, &device->variants, device->variant.name, &device->kernel);
}

static uh_status check_room(const struct uhi_frame *frame, struct uhi_integrate_device *device) {
    const uh_device_properties *properties = &frame->engine->properties;
    uh_kernel_properties kernel = {.struct_size = sizeof kernel};
    UHI_TRY(uh_kernel_get_properties(device->kernel, &kernel));
    device->group = kernel.required_group_size[0];
    device->own_local = kernel.local_memory;
    if (device->group > properties->max_group_size || device->own_local + ALIGNMENT > properties->local_memory)
        return uhi_fail(UH_ERROR_UNSUPPORTED, frame->call, "integrand",
                        "takes groups of %zu work-items with %" PRIu64
                        " bytes of local memory, of which %s has %" PRIu64 " and %" PRIu64,
                        device->group, device->own_local + ALIGNMENT, properties->selector, properties->max_group_size,
                        properties->local_memory);
    return UH_SUCCESS;
}

static size_t table_bytes(const struct uhi_integrate_device *device, const uh_integrand_table *table) {
    return table->n * (table->dtype == UH_F64 ? device->real : uh_dtype_size(table->dtype));
}

static struct room make_room(struct uhi_integrate_device *device, size_t n, size_t size) {
    const struct room room = {device->bytes, n * size};
    device->bytes += (room.bytes + ALIGNMENT) / ALIGNMENT * ALIGNMENT;
    return room;
}

static void make_room_for_state(struct uhi_integrate_device *device, const uh_integrand *integrand) {
    size_t state = (integrand->context_size + ALIGNMENT) / ALIGNMENT * ALIGNMENT;
    for (size_t i = 0; i < integrand->tables; i++)
        state += (table_bytes(device, &integrand->table[i]) + ALIGNMENT) / ALIGNMENT * ALIGNMENT;
    device->state = make_room(device, 1, state);
}

static void lay_out(struct uhi_integrate_device *device, const struct uhi_samples *samples) {
    const struct uhi_sampling *s = &samples->sampling;
    const struct uhi_field *field = &s->field;
    const uh_integrand *integrand = s->integrand;
    const size_t slots = field->dims * field->bins, cubes = samples->spread ? (size_t)s->cubes : 0;
    const size_t job = UHI_JOB_WORDS * sizeof(uint64_t) + (UHI_JOB_NUMBERS + 2 * (slots + field->dims)) * device->real;
    device->parameters = make_room(device, 1, s->cubing ? sizeof s->cubing->rule : job);
    make_room_for_state(device, integrand);
    device->report = make_room(device, field->dims + 1, device->real);
    device->given = make_room(device, 2 * slots, sizeof(uint32_t));
    device->rows = make_room(device, samples->piece + UHI_INTEGRATE_GROUP(1) / UHI_UNIT_STRIPS,
                             uhi_row_words(s) * sizeof(union uhi_word));
    device->regions = make_room(device, s->cubing ? samples->piece : 0, 2 * field->dims * sizeof(double));
    device->starts = make_room(device, cubes + 1, sizeof *samples->starts);
    device->spread = make_room(device, cubes, device->real);
    device->sequence = make_room(device, s->sequence ? s->sequence->words : 0, sizeof *s->sequence->table);
}

/* ---- numbers ---- */

static void put_number(const struct uhi_integrate_device *device, void *to, size_t i, double value) {
    const float single = (float)value;
    if (device->fp32)
        memcpy((char *)to + i * sizeof single, &single, sizeof single);
    else
        memcpy((char *)to + i * sizeof value, &value, sizeof value);
}

static double get(const struct uhi_integrate_device *device, const void *from, size_t i) {
    double value;
    float single;
    if (device->fp32)
        memcpy(&single, (const char *)from + i * sizeof single, sizeof single);
    else
        memcpy(&value, (const char *)from + i * sizeof value, sizeof value);
    return device->fp32 ? (double)single : value;
}

/* Converts sums from pairs of float32 to float64. */
static void widen(union uhi_word *words, size_t n) {
    for (size_t i = 0; i < n; i++) {
        float pair[2];
        memcpy(pair, &words[i], sizeof pair);
        words[i].f = (double)pair[0] + (double)pair[1];
    }
}

/* Copies the context followed by its tables, with device pointers. */
static void make_state(const struct uhi_integrate_device *device, const uh_integrand *integrand, char *to) {
    size_t at = (integrand->context_size + ALIGNMENT) / ALIGNMENT * ALIGNMENT;
    if (integrand->context_size)
        memcpy(to, integrand->context, integrand->context_size);
    for (size_t i = 0; i < integrand->tables; i++) {
        const uh_integrand_table *table = &integrand->table[i];
        const char *there = device->memory + device->state.at + at;
        const void *from;
        memcpy(&from, (const char *)integrand->context + table->offset, sizeof from);
        memcpy(to + table->offset, &there, sizeof there);
        for (size_t j = 0; j < table->n && table->dtype == UH_F64; j++)
            put_number(device, to + at, j, ((const double *)from)[j]);
        if (table->n > 0 && table->dtype != UH_F64)
            memcpy(to + at, from, table_bytes(device, table));
        at += (table_bytes(device, table) + ALIGNMENT) / ALIGNMENT * ALIGNMENT;
    }
}

/* ---- stages ---- */

static int in_local_memory(const struct uhi_frame *frame, const struct uhi_samples *samples) {
    const struct uhi_sampling *s = &samples->sampling;
    return 2 * s->adjusts * s->field.bins * sizeof(uint32_t) + samples->device->own_local <=
           frame->engine->properties.local_memory;
}

uh_status uhi_integrate_open_device(struct uhi_frame *frame, void *context) {
    struct uhi_samples *samples = context;
    struct uhi_integrate_device *device = samples->device = calloc(1, sizeof *device);
    void *memory = NULL;
    if (!device)
        return uhi_fail_memory(frame->call, "no memory for an integral on a device");
    UHI_TRY(choose_program(frame, samples, samples->sampling.cubing ? "cubature" : "sample", device));
    UHI_TRY(check_room(frame, device));
    samples->range = device->fp32 ? &uhi_float32_range : &uhi_float64_range;
    lay_out(device, samples);
    device->host = uhi_grid_allocate(1, device->state.at + device->state.bytes);
    samples->given = uhi_grid_allocate(1, device->given.bytes);
    if (!device->host || !samples->given)
        return uhi_fail_memory(frame->call, "no memory for %zu bytes of state", device->state.bytes);
    UHI_TRY(uhi_engine_scratch(frame->engine, device->bytes, &memory));
    device->memory = memory;
    make_state(device, samples->sampling.integrand, device->host + device->state.at);
    return uh_memcpy(frame->queue, device->memory + device->state.at, device->host + device->state.at,
                     device->state.bytes, NULL);
}

uh_status uhi_integrate_open_points(struct uhi_frame *frame, const struct uhi_samples *samples, size_t bytes,
                                    uh_kernel **kernel, void **memory, char **state) {
    struct uhi_integrate_device device = {.bytes = (bytes + ALIGNMENT) / ALIGNMENT * ALIGNMENT};
    UHI_TRY(choose_program(frame, samples, "evaluate", &device));
    UHI_TRY(check_room(frame, &device)); /* PoCL counts the local memory of other kernels too */
    make_room_for_state(&device, samples->sampling.integrand);
    UHI_TRY(uhi_engine_scratch(frame->engine, device.bytes, memory));
    char *host = uhi_grid_allocate(1, device.state.bytes);
    if (!host)
        return uhi_fail_memory(frame->call, "no memory for %zu bytes of state", device.state.bytes);
    device.memory = *memory;
    make_state(&device, samples->sampling.integrand, host);
    *kernel = device.kernel;
    *state = device.memory + device.state.at;
    const uh_status status = uh_memcpy(frame->queue, *state, host, device.state.bytes, NULL);
    uhi_engine_quiesce(frame->engine); /* it is copied */
    free(host);
    return status;
}

static void write_parameters(const struct uhi_frame *frame, const struct uhi_samples *samples) {
    const struct uhi_integrate_device *device = samples->device;
    const struct uhi_sampling *s = &samples->sampling;
    const struct uhi_field *field = &s->field;
    const size_t slots = field->dims * field->bins;
    uint64_t *job = (uint64_t *)(void *)device->host;
    char *number = (char *)(job + UHI_JOB_WORDS), *cell = number + UHI_JOB_NUMBERS * device->real;
    job[UHI_JOB_SEED] = s->seed;
    job[UHI_JOB_STREAM] = s->stream;
    job[UHI_JOB_CUBES] = s->cubes;
    job[UHI_JOB_SAMPLES] = s->samples;
    job[UHI_JOB_EACH] = s->starts ? 0 : s->each;
    job[UHI_JOB_REPORT] = s->report;
    job[UHI_JOB_BINS] = field->bins;
    job[UHI_JOB_ADJUSTS] = s->adjusts;
    job[UHI_JOB_SPREADS] = s->spread != NULL;
    job[UHI_JOB_LOCAL] = (uint64_t)in_local_memory(frame, samples);
    job[UHI_JOB_SEQUENCE] = s->sequence ? (uint64_t)s->sequence->kind : 0;
    job[UHI_JOB_FIRST] = s->sequence ? s->sequence->first : 0;
    put_number(device, number, UHI_JOB_UNIT, 1 / s->scale_of_values);
    put_number(device, number, UHI_JOB_LARGEST, samples->range->largest);
    put_number(device, number, UHI_JOB_SCALE, s->scale);
    put_number(device, number, UHI_JOB_MEAN, (double)s->samples / (double)s->cubes);
    for (size_t i = 0; i < slots; i++) {
        put_number(device, cell, 2 * i, field->cells[i].edge);
        put_number(device, cell, 2 * i + 1, field->cells[i].stretch);
    }
    for (size_t d = 0; d < field->dims; d++) {
        const uint64_t n = job[UHI_JOB_INTERVALS + d] = s->intervals[d];
        job[UHI_JOB_PARTS + d] = n == 1 ? UINT64_MAX : (uint64_t)(((unsigned __int128)1 << 64) / n);
        put_number(device, number, UHI_JOB_RATIOS + d, (double)field->bins / (double)n);
        put_number(device, cell, 2 * (slots + d), field->sides[d].kind);
        put_number(device, cell, 2 * (slots + d) + 1, field->sides[d].at);
    }
}

uh_status uhi_integrate_begin_device(struct uhi_frame *frame, void *context) {
    struct uhi_samples *samples = context;
    const struct uhi_integrate_device *device = samples->device;
    const struct uhi_sampling *s = &samples->sampling;
    const uint32_t zero = 0;
    if (s->cubing)
        memcpy(device->host, &s->cubing->rule, sizeof s->cubing->rule);
    else
        write_parameters(frame, samples);
    UHI_TRY(
        uh_memcpy(frame->queue, device->memory + device->parameters.at, device->host, device->parameters.bytes, NULL));
    if (s->starts && samples->starts_changed)
        UHI_TRY(uh_memcpy(frame->queue, device->memory + device->starts.at, s->starts, device->starts.bytes, NULL));
    if (s->starts)
        samples->starts_changed = 0;
    if (s->cubing)
        UHI_TRY(uh_memcpy(frame->queue, device->memory + device->regions.at, s->cubing->region,
                          (size_t)s->cubes * 2 * s->field.dims * sizeof(double), NULL));
    if (s->sequence)
        UHI_TRY(uh_memcpy(frame->queue, device->memory + device->sequence.at, s->sequence->table,
                          device->sequence.bytes, NULL));
    if (!s->adjusts)
        return UH_SUCCESS;
    return uh_fill(frame->queue, device->memory + device->given.at, &zero, sizeof zero, 2 * s->adjusts * s->field.bins,
                   NULL);
}

static uh_status launch_samples(const struct uhi_frame *frame, const struct uhi_samples *samples, uh_event **done) {
    const struct uhi_integrate_device *device = samples->device;
    const struct uhi_sampling *s = &samples->sampling;
    const uint64_t first = s->first_unit, units = samples->units;
    const size_t fill = uhi_engine_groups(frame->engine, device->group),
                 worth = (samples->units * UHI_UNIT_STRIPS + device->group - 1) / device->group;
    const size_t table = in_local_memory(frame, samples) ? 2 * s->adjusts * s->field.bins * sizeof(uint32_t) : 0;
    char *memory = device->memory;
    const uh_arg args[] = {uh_arg_pointer(memory + device->parameters.at),
                           uh_arg_pointer(memory + device->parameters.at + UHI_JOB_WORDS * sizeof(uint64_t)),
                           uh_arg_pointer(memory + device->starts.at),
                           uh_arg_pointer(memory + device->spread.at),
                           uh_arg_pointer(memory + device->rows.at),
                           uh_arg_pointer(memory + device->given.at),
                           uh_arg_pointer(memory + device->report.at),
                           uh_arg_pointer(memory + device->state.at),
                           uh_arg_pointer(memory + device->sequence.at),
                           UHI_ARG(first),
                           UHI_ARG(units),
                           uh_arg_local(table > 0 ? table : ALIGNMENT)};
    return uhi_engine_run(frame->engine, device->kernel, fill < worth ? fill : worth, device->group, args,
                          sizeof args / sizeof *args, NULL, done);
}

static uh_status launch_regions(const struct uhi_frame *frame, const struct uhi_samples *samples, uh_event **done) {
    const struct uhi_integrate_device *device = samples->device;
    const uint64_t n = samples->units;
    const size_t fill = uhi_engine_groups(frame->engine, device->group),
                 worth = (n + device->group - 1) / device->group;
    const char *first = device->memory + device->regions.at +
                        samples->sampling.first_unit * 2 * samples->sampling.field.dims * sizeof(double);
    const uh_arg args[] = {uh_arg_pointer(device->memory + device->parameters.at), uh_arg_pointer(first),
                           uh_arg_pointer(device->memory + device->rows.at),
                           uh_arg_pointer(device->memory + device->state.at), UHI_ARG(n)};
    return uhi_engine_run(frame->engine, device->kernel, fill < worth ? fill : worth, device->group, args,
                          sizeof args / sizeof *args, NULL, done);
}

/* Fetches the variances of the cubes that contain samples of the piece. Those of incomplete cubes are garbage until
 * their parts are joined. */
static uh_status fetch_spread(struct uhi_frame *frame, const struct uhi_samples *samples) {
    const struct uhi_integrate_device *device = samples->device;
    const struct uhi_sampling *s = &samples->sampling;
    const uint64_t end = (uint64_t)(s->first_unit + samples->units) * UHI_UNIT;
    const size_t from = (size_t)uhi_cube_of(s, (uint64_t)s->first_unit * UHI_UNIT),
                 to = (size_t)uhi_cube_of(s, (end < s->samples ? end : s->samples) - 1) + 1;
    double *spread = s->spread + from;
    UHI_TRY(uhi_engine_fetch(frame->engine, spread, device->memory + device->spread.at + from * device->real,
                             (to - from) * device->real));
    for (size_t c = to - from; c-- > 0 && device->fp32;) /* backwards: read before written */
        spread[c] = get(device, spread, c);
    return UH_SUCCESS;
}

static uh_status fetch_report(const struct uhi_frame *frame, struct uhi_samples *samples) {
    const struct uhi_integrate_device *device = samples->device;
    const size_t dims = samples->sampling.field.dims;
    double found[UH_INTEGRATE_MAX_DIMS + 1];
    UHI_TRY(uhi_engine_fetch(frame->engine, found, device->memory + device->report.at, device->report.bytes));
    for (size_t d = 0; d < dims; d++)
        samples->point[d] = get(device, found, d);
    samples->value = get(device, found, dims);
    return UH_SUCCESS;
}

uh_status uhi_integrate_sample_device(struct uhi_frame *frame, void *context) {
    struct uhi_samples *samples = context;
    const struct uhi_integrate_device *device = samples->device;
    const struct uhi_sampling *s = &samples->sampling;
    const size_t values = s->integrand->values, words = uhi_row_words(s), numbers = UHI_NUMBERS(values);
    uh_event *done = NULL;
    uh_event_times times;
    uh_status status =
        (s->cubing ? launch_regions : launch_samples)(frame, samples, frame->queue->options.profiling ? &done : NULL);
    if (!status)
        status = uhi_engine_fetch(frame->engine, s->rows, device->memory + device->rows.at,
                                  samples->units * words * sizeof *s->rows);
    for (size_t u = 0; u < samples->units && device->fp32 && !status; u++) {
        widen(s->rows + u * words + UHI_ROW_LARGEST, UHI_ROW_SUMS - UHI_ROW_LARGEST + numbers);
        widen(s->rows + u * words + UHI_ROW_FIRST(values) + 2, numbers);
        widen(s->rows + u * words + UHI_ROW_LAST(values) + 2, numbers);
    }
    if (!status && s->spread)
        status = fetch_spread(frame, samples);
    if (!status && s->report != UINT64_MAX)
        status = fetch_report(frame, samples);
    if (!status && done && !(status = uh_event_profile(done, &times)))
        samples->piece_ns = times.ended - times.started;
    uh_event_destroy(done);
    return status;
}

uh_status uhi_integrate_end_device(struct uhi_frame *frame, void *context) {
    struct uhi_samples *samples = context;
    const struct uhi_integrate_device *device = samples->device;
    const size_t slots = samples->sampling.adjusts * samples->sampling.field.bins;
    const uint32_t *half = (const uint32_t *)(const void *)samples->given;
    const uh_status status =
        uhi_engine_fetch(frame->engine, samples->given, device->memory + device->given.at, 2 * slots * sizeof *half);
    for (size_t i = 0; i < slots && !status; i++)
        samples->contributions[i] = (uint64_t)half[slots + i] << 32 | half[i];
    return status;
}

void uhi_integrate_close_device(struct uhi_samples *samples) {
    if (!samples->device)
        return;
    if (samples->frame.engine) /* the host data must stay until it has been copied */
        uhi_engine_quiesce(samples->frame.engine);
    free(samples->device->host);
    free(samples->device);
    samples->device = NULL;
}
