/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/description.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what is noted ----------------------------------------------------------------------------------------------- */

/* Notes what uh_last_error_info says wrongly of a call that has failed. A `call` that is not the library's stands
 * for several of them. */
static void check_info(struct outcome *outcome, const char *call, uh_status status) {
    const uh_error_info *info = uh_last_error_info();
    const int is_one = strncmp(call, "uh_", 3) == 0;
    char message[5000];
    snprintf(message, sizeof message, "%s: %s", info->call, info->text);
    if (outcome->wrong[0])
        return;
    if (info->status != status || (is_one ? strcmp(info->call, call) : strncmp(info->call, "uh_", 3)) != 0)
        snprintf(outcome->wrong, sizeof outcome->wrong, "%s gives %s, and the last error is %s of %s: %.100s", call,
                 uh_status_name(status), uh_status_name(info->status), info->call, info->text);
    else if (strcmp(uh_last_error(), message) != 0)
        snprintf(outcome->wrong, sizeof outcome->wrong, "the message is \"%.80s\", expected \"%.80s\"", uh_last_error(),
                 message);
}

int use_call(struct use *use, const char *call, uh_status status) {
    struct outcome *outcome = &use->outcome;
    if (status != UH_SUCCESS)
        check_info(outcome, call, status);
    if (status != UH_SUCCESS && outcome->status == UH_SUCCESS) {
        outcome->status = status;
        snprintf(outcome->call, sizeof outcome->call, "%s", call);
        snprintf(outcome->message, sizeof outcome->message, "%s", uh_last_error());
    }
    return status == UH_SUCCESS;
}

int use_data_call(struct use *use, const char *call, uh_status status) {
    /* Sums that nobody has stored may contradict themselves, which is an internal error. */
    const int refused =
        status == UH_ERROR_INVALID_ARGUMENT || status == UH_ERROR_OUT_OF_MEMORY || status == UH_ERROR_INTERNAL;
    if (use->computes || !refused)
        return use_call(use, call, status);
    check_info(&use->outcome, call, status);
    return 0;
}

void use_expect(struct use *use, int holds, const char *format, ...) {
    if (!use->computes)
        return;
    use->compared++;
    if (holds || use->outcome.wrong[0])
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(use->outcome.wrong, sizeof use->outcome.wrong, format, arguments);
    va_end(arguments);
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

struct case_block {
    _Alignas(max_align_t) struct case_block *next;
};

static struct case_block *new_block(size_t size) {
    struct case_block *block = calloc(1, sizeof *block + size);
    if (!block)
        abort();
    return block;
}

void *case_new(size_t size) { return new_block(size) + 1; }

void *case_array(void *made, size_t n, size_t element) {
    struct case_block *first = (struct case_block *)made - 1, *block = new_block(n * element);
    block->next = first->next;
    first->next = block;
    return block + 1;
}

/* Bytes from the begin of an array's memory to its first element, and to its end. */
static size_t bytes_before(const uh_array *array) {
    return array->stride < 0 && array->count > 0 ? (array->count - 1) * (size_t)-array->stride : 0;
}

static size_t bytes_of(const uh_array *array) {
    const size_t step = (size_t)(array->stride < 0 ? -array->stride : array->stride);
    return array->count > 0 ? (array->count - 1) * step + uh_dtype_size(array->dtype) : 0;
}

uh_array case_strided(void *made, uh_dtype dtype, size_t n, ptrdiff_t stride) {
    uh_array array = {.dtype = dtype, .stride = stride, .count = n};
    array.data = (char *)case_array(made, bytes_of(&array), 1) + bytes_before(&array);
    return array;
}

char *case_element(const uh_array *array, size_t i) {
    return (char *)(uintptr_t)array->data + (ptrdiff_t)i * array->stride;
}

void case_free(void *made) {
    for (struct case_block *block = made ? (struct case_block *)made - 1 : NULL, *next; block; block = next) {
        next = block->next;
        free(block);
    }
}

/* Plain memory at the begin of a vector. What the library allocates can be made to fail; this memory is not malloc's.
 */
static void *allocate_plain(size_t size) {
    return aligned_alloc(USE_GUARD, (size + USE_GUARD - 1) / USE_GUARD * USE_GUARD);
}

static struct use_array *allocate(struct use *use, enum place place, size_t before, size_t size) {
    struct use_array *array = &use->array[use->narrays];
    void *memory = NULL;
    const size_t all = before + size + USE_GUARD;
    int worked = 1;
    if (use->narrays == USE_ARRAYS)
        abort();
    if (place == PLACE_PLAIN)
        memory = allocate_plain(all);
    else
        worked = use_call(use, "uh_malloc", uh_malloc(use->device, (uh_memory_kind)place, all, 0, &memory));
    if (!worked)
        return NULL;
    if (!memory)
        abort();
    *array = (struct use_array){memory, (char *)memory + before, size, place};
    use->narrays++;
    return array;
}

static enum place next_place(struct use *use) {
    return (enum place)(((size_t)use->place + use->placed++ * use->step) % PLACES);
}

static int wait_for(struct use *use, const char *call, uh_status submitted, int eager) {
    return use_call(use, call, submitted) && (eager || use_call(use, "uh_queue_wait", uh_queue_wait(use->queue)));
}

void *use_input(struct use *use, const void *data, size_t size) {
    struct use_array *array = allocate(use, next_place(use), use->shift, size);
    if (!array)
        return NULL;
    if (array->place == PLACE_PLAIN)
        memcpy(array->data, data, size);
    else if (!wait_for(use, "uh_memcpy", uh_memcpy(use->queue, array->data, data, size, NULL), use->eager))
        return NULL;
    return array->data;
}

uh_array use_array_input(struct use *use, uh_array array) {
    const size_t before = bytes_before(&array);
    const char *memory = use_input(use, (const char *)array.data - before, bytes_of(&array));
    array.data = memory ? memory + before : NULL;
    return array;
}

static void *make_output(struct use *use, enum place place, size_t before, size_t size) {
    const uint8_t canary = USE_CANARY;
    struct use_array *array = allocate(use, place, before, size);
    const size_t all = before + size + USE_GUARD;
    if (!array)
        return NULL;
    if (place == PLACE_PLAIN)
        memset(array->memory, USE_CANARY, all);
    else if (!wait_for(use, "uh_fill", uh_fill(use->queue, array->memory, &canary, 1, all, NULL), use->eager))
        return NULL;
    return array->data;
}

void *use_output(struct use *use, size_t n, size_t element) {
    return make_output(use, next_place(use), USE_GUARD + use->shift % 5 * element, n * element);
}

void *use_output_plain(struct use *use, size_t n, size_t element) {
    return make_output(use, PLACE_PLAIN, USE_GUARD, n * element);
}

void *use_scratch(struct use *use, size_t size) { return allocate(use, PLACE_PLAIN, 0, size)->data; }

/* ---- comparison -------------------------------------------------------------------------------------------------- */

/* What lies in the array's memory, or NULL where it could not be had. What a copy may still write to when the wait for
 * it has failed is freed with the use. */
static const char *contents(struct use *use, struct use_array array) {
    const size_t before = (size_t)(array.data - array.memory), all = before + array.size + USE_GUARD;
    if (array.place == PLACE_PLAIN)
        return array.memory;
    const struct use_array *copy = allocate(use, PLACE_PLAIN, before, array.size);
    if (!copy || !wait_for(use, "uh_memcpy", uh_memcpy(use->queue, copy->memory, array.memory, all, NULL), 0))
        return NULL;
    return copy->memory;
}

static int is_canary(const char *bytes, size_t n) {
    return n == 0 || (*bytes == USE_CANARY && memcmp(bytes, bytes + 1, n - 1) == 0);
}

static void compare_bytes(struct use *use, const char *call, const char *found, const char *expected, size_t size) {
    size_t at = memcmp(found, expected, size) == 0 ? size : 0;
    while (at < size && found[at] == expected[at])
        at++;
    use_expect(use, at == size, "%s: byte %zu of %zu is 0x%02x, expected 0x%02x", call, at, size,
               at < size ? (uint8_t)found[at] : 0, at < size ? (uint8_t)expected[at] : 0);
}

static void compare_f64(struct use *use, const char *call, const char *found, const char *expected, size_t size) {
    const size_t n = size / sizeof(double);
    double x = 0, y = 0;
    size_t at = 0;
    for (; at < n; at++) {
        memcpy(&x, found + at * sizeof x, sizeof x);
        memcpy(&y, expected + at * sizeof y, sizeof y);
        if (memcmp(&x, &y, sizeof x) != 0 && !(x != x && y != y))
            break;
    }
    use_expect(use, at == n, "%s: number %zu of %zu is %.17g, expected %.17g", call, at, n, x, y);
}

typedef void compare_function(struct use *use, const char *call, const char *found, const char *expected, size_t size);

/* The array is one of the use's outputs, or the case is wrong. */
static struct use_array find_array(const struct use *use, const void *out) {
    for (size_t i = 0; i < use->narrays; i++)
        if (use->array[i].data == out)
            return use->array[i];
    abort();
}

static int written(struct use *use, const char *call, uh_status status, const void *out, const void *expected,
                   enum torn torn, compare_function *compare) {
    const int worked = use_call(use, call, status);
    const struct use_array array = find_array(use, out);
    const size_t before = (size_t)(array.data - array.memory);
    const char *found = contents(use, array);
    if (!found)
        return worked;
    use_expect(use, is_canary(found, before) && is_canary(found + before + array.size, USE_GUARD),
               "%s wrote outside its output", call);
    if (worked)
        compare(use, call, found + before, expected, array.size);
    else if (torn == USE_WHOLE &&
             array.place == PLACE_PLAIN) /* what a device writes in place is there before it fails */
        use_expect(use, is_canary(found + before, array.size), "%s failed and wrote to its output", call);
    return worked;
}

int use_written(struct use *use, const char *call, uh_status status, const void *out, const void *expected,
                enum torn torn) {
    return written(use, call, status, out, expected, torn, compare_bytes);
}

int use_written_f64(struct use *use, const char *call, uh_status status, const void *out, const double *expected) {
    return written(use, call, status, out, expected, USE_WHOLE, compare_f64);
}

void use_refused(struct use *use, const char *call, uh_status status, const void *out, const char *text) {
    const struct use_array array = find_array(use, out);
    if (status == UH_ERROR_INVALID_ARGUMENT) {
        check_info(&use->outcome, call, status);
        use_expect(use, strstr(uh_last_error(), text) != NULL, "%s: \"%.150s\" without \"%s\"", call, uh_last_error(),
                   text);
    } else if (use_data_call(use, call, status))
        use_expect(use, 0, "%s has not refused %s", call, text);
    use_expect(use, is_canary(array.data, array.size), "%s refused and wrote to its output", call);
}

/* ---- a use ------------------------------------------------------------------------------------------------------- */

void use_run(struct use *use, const struct description *description, const void *made) {
    description->run(use, made);
    for (int i = 0; i < 2; i++) /* where a wait failed, what it waited for may go on */
        (void)use_call(use, "uh_queue_wait", uh_queue_wait(use->queue));
    use_end(use);
}

void use_end(struct use *use) {
    use->placed = 0;
    while (use->narrays > 0) {
        const struct use_array *array = &use->array[--use->narrays];
        if (array->place == PLACE_PLAIN)
            free(array->memory);
        else
            (void)use_call(use, "uh_free", uh_free(array->memory));
    }
}

/* What is wrong with a use, or NULL. */
static const char *judge(const struct use *use, int refused) {
    const struct outcome *outcome = &use->outcome;
    if (refused && outcome->status == UH_SUCCESS)
        return "has not refused what the device lacks";
    if (refused && (outcome->status != UH_ERROR_UNSUPPORTED || !strstr(outcome->message, "float64")))
        return "has not named what the device lacks";
    if (outcome->wrong[0])
        return outcome->wrong;
    if (use->small && outcome->status == UH_ERROR_OUT_OF_DEVICE_MEMORY)
        return NULL;
    if (!refused && outcome->status != UH_SUCCESS)
        return "has failed";
    return use->computes && !use->compared ? "has compared nothing" : NULL;
}

int use_try(struct use *use, const struct description *description, size_t number, size_t n, uint64_t seed, int fp64,
            char *problem, size_t size) {
    static const char *const names[PLACES] = {"plain memory", "device memory", "host USM", "shared memory"};
    struct tried tried = {.fp64 = 0};
    if (description->describe(number, &tried))
        abort();
    void *made = description->make(number, n, seed);
    if (!made)
        abort();
    use->outcome = (struct outcome){.status = UH_SUCCESS};
    use->compared = 0;
    use_run(use, description, made);
    description->free(made);
    const char *wrong = judge(use, n > 0 && tried.fp64 && !fp64);
    if (!wrong)
        return 0;
    snprintf(problem, size, "%s: %s, %zu points in %s and %zu further, %zu bytes after its begin: %s (%s: %s)",
             description->name, tried.name, n, names[use->place], use->step, use->shift, wrong, use->outcome.call,
             use->outcome.message);
    return -1;
}
