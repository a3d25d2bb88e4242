/* SPDX-License-Identifier: Apache-2.0 */
/* The cases of a run, what they are called, and the devices that they run on. */
#include "perf/bench.h"

#include "runtime/grow.h"

static uint32_t threads_of(const uh_queue *queue) {
    uh_queue_properties known = {.struct_size = sizeof known};
    return uh_queue_get_properties(queue, &known) ? 0 : known.threads;
}

/* ---- devices ---------------------------------------------------------------------------------------------------- */

uh_queue *perf_queue(struct perf_device *device, uint32_t threads) {
    const uh_queue_options options = {.struct_size = sizeof options, .threads = device->host ? threads : 0};
    for (size_t i = 0; i < device->queue_count; i++)
        if (!device->host || threads_of(device->queues[i]) == threads)
            return device->queues[i];
    if (device->queue_count == PERF_LIST_MAX)
        perf_fail("more than %d numbers of threads", PERF_LIST_MAX);
    perf_check(uh_queue_create(device->device, &options, &device->queues[device->queue_count]));
    return device->queues[device->queue_count++];
}

void perf_settle_threads(struct perf_device *device, struct perf_numbers *threads) {
    if (!device->host)
        *threads = (struct perf_numbers){1, {1}};
    for (size_t i = 0; device->host && i < threads->count; i++)
        threads->value[i] = threads_of(perf_queue(device, (uint32_t)threads->value[i]));
}

void perf_find_device(struct perf_bench *bench, const char *otherwise) {
    const char *named = bench->options.device, *wanted = named ? named : otherwise;
    uh_device *device = NULL;
    uh_status found = uh_device_select(wanted, &device);
    if ((found == UH_ERROR_NOT_FOUND || found == UH_ERROR_DRIVER) && !named && strcmp(wanted, "cpu") != 0) {
        if (found == UH_ERROR_DRIVER)
            fprintf(stderr, "unihist-perf: warning: %s\n", uh_last_error_info()->text);
        found = uh_device_select("cpu", &device);
    }
    if (found == UH_ERROR_NOT_FOUND && named)
        perf_usage("--device: %s", uh_last_error());
    perf_check(found);
    bench->device = (struct perf_device){.device = device, .properties.struct_size = sizeof bench->device.properties};
    perf_check(uh_device_get_properties(device, &bench->device.properties));
    bench->device.host = strcmp(bench->device.properties.backend, "host") == 0;
}

void perf_close_queues(struct perf_device *device) {
    while (device->queue_count)
        uh_queue_destroy(device->queues[--device->queue_count]);
}

void perf_drop_cases(struct perf_bench *bench) {
    perf_close_queues(&bench->device);
    free(bench->cases);
    bench->cases = NULL;
    *bench->left_out = '\0';
    bench->case_count = bench->case_room = bench->threads_max = 0;
}

/* ---- names ------------------------------------------------------------------------------------------------------ */

void perf_result_name(const struct perf_case *what, const char *pattern, const char *subject, uint32_t threads,
                      char name[PERF_NAME_MAX]) {
    size_t length = 0;
    for (; *pattern && length < PERF_NAME_MAX; pattern++)
        if (*pattern == '*')
            length += (size_t)snprintf(name + length, PERF_NAME_MAX - length, "%s", subject);
        else if (*pattern == '#' && what->device->host)
            length += (size_t)snprintf(name + length, PERF_NAME_MAX - length, "threads:%u", (unsigned)threads);
        else if (*pattern == '#')
            length += (size_t)snprintf(name + length, PERF_NAME_MAX - length, "%s", what->device->properties.selector);
        else
            name[length++] = *pattern;
    name[length < PERF_NAME_MAX ? length : PERF_NAME_MAX - 1] = '\0';
}

const char *perf_dtype_word(unsigned dtype) {
    static const char *const names[] = {[UH_F32] = "f32", [UH_F64] = "f64", [UH_I32] = "i32", [UH_U8] = "u8"};
    return dtype >= sizeof names / sizeof *names ? NULL : names[dtype] ? names[dtype] : "";
}

/* ---- the list --------------------------------------------------------------------------------------------------- */

void perf_add_case(struct perf_bench *bench, const struct perf_case *what) {
    if (!uhi_grow(&bench->cases, &bench->case_room, bench->case_count + 1, sizeof *bench->cases))
        perf_fail("out of memory for more than %zu cases", bench->case_count);
    struct perf_case *added = &bench->cases[bench->case_count++];
    *added = *what;
    added->bench = bench;
    added->device = &bench->device;
    if (!added->device->host && what->operation->row_count)
        added->threads = (struct perf_numbers){1, {1}};
    for (size_t i = 0; added->device->host && i < added->threads.count; i++)
        if (added->threads.value[i] > bench->threads_max)
            bench->threads_max = (uint32_t)added->threads.value[i];
}

void perf_leave_out(struct perf_bench *bench, const char *text) {
    const size_t length = strlen(bench->left_out);
    if (!strstr(bench->left_out, text))
        snprintf(bench->left_out + length, sizeof bench->left_out - length, "%s%s", length ? "; " : "", text);
}

struct perf_case perf_case_of_row(const struct perf_bench *bench, const struct perf_operation *operation,
                                  const struct perf_row *row, int shape) {
    static const char *const shapes[PERF_SHAPES] = {"usual", "onebin", "sorted"};
    const struct perf_numbers one_and_two = {bench->cpus.count < 2 ? 1 : 2, {1, 2}};
    struct perf_case what = {.operation = operation,
                             .row = row,
                             .unit = row->unit,
                             .alone = row->alone,
                             .baseline = operation->baseline,
                             .n = bench->options.n.count ? (size_t)bench->options.n.value[0] : row->n,
                             .calls = 1,
                             .threads = row->by_threads ? bench->options.threads : one_and_two,
                             .shape = shape,
                             .dtype = row->dtype,
                             .bytes = (double)uh_dtype_size(row->dtype),
                             .k = row->k,
                             .title = row->title,
                             .goals = row->goals};
    snprintf(what.name, sizeof what.name, "%s/%s/%s/*/#", operation->name, row->what, shapes[shape]);
    snprintf(what.usual, sizeof what.usual, "%s/%s/%s/*/#", operation->name, row->usual ? row->usual : row->what,
             shapes[PERF_USUAL]);
    return what;
}

void perf_list_cases(struct perf_bench *bench, const struct perf_operation *operation) {
    const int host = bench->device.host;
    const char *selector = bench->device.properties.selector;
    char text[512];
    if (operation->list)
        operation->list(bench);
    if (!host && operation->row_count) {
        snprintf(text, sizeof text, "limits, plain loops and the host's peers on %s, which are the host's alone",
                 selector);
        perf_leave_out(bench, text);
    }
    for (size_t i = 0; i < operation->row_count; i++) {
        const struct perf_row *row = &operation->rows[i];
        if (row->host && !host) {
            snprintf(text, sizeof text, "%s/%s on %s, which is the host's alone", operation->name, row->what, selector);
            perf_leave_out(bench, text);
            continue;
        }
        for (int shape = 0; shape < PERF_SHAPES; shape++)
            if (row->shapes >> shape & 1) {
                struct perf_case what = perf_case_of_row(bench, operation, row, shape);
                if (row->by_threads)
                    perf_settle_threads(&bench->device, &what.threads);
                perf_add_case(bench, &what);
            }
    }
}
