/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/common/self_test.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "runtime/backend.h"
#include "runtime/host.h"
#include "runtime/log.h"
#include "runtime/module.h"
#include "runtime/module_cache.h"
#include "runtime/queue.h"
#include "runtime/status.h"

#define COUNT_ONE(what, expression) +1
#define TESTS                       17
enum { TEXT = 256 };
_Static_assert(TESTS == UHI_SELF_TESTS(COUNT_ONE), "a row of UHI_SELF_TESTS for each");
#undef COUNT_ONE

/* What results are before the kernel runs: a device that computes nothing leaves them so. */
#define UNTOUCHED UINT64_C(0xa5a5a5a5a5a5a5a5)

#define PASSED "passed"
#define FAILED "failed: "

/* ---- what there is to compute ------------------------------------------------------------------------------------ */

static const uint64_t integers[UHI_SELF_TEST_INTEGERS] = {0, UINT64_C(0xfffffffffffffff1), UINT64_C(0x1fffffff7)};
static const float reals_f32[UHI_SELF_TEST_REALS] = {0x1.001p0f,       0x1.001p0f,      -0x1.002p0f, 0x1p-126f, 0.5f,
                                                     0x1.8p-148f,      0x1p-147f,       1,           0x1p-24f,  0,
                                                     __builtin_inff(), 0x1.fffffep127f, 4294966.75f};
static const double reals_f64[UHI_SELF_TEST_REALS] = {
    0x1.0000001p0,   0x1.0000001p0,          -0x1.0000002p0, 0x1p-1022, 0.5, 0x1.8p-1073, 0x1p-1072, 1, 0x1p-53, 0,
    __builtin_inf(), 0x1.fffffffffffffp1023, 4294966.75};
static const uint64_t half_way[2] = {(UINT64_C(1) << 24) + 1, (UINT64_C(1) << 53) + 3}; /* n[0] of either */

static uint64_t bits_f32(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static uint64_t bits_f64(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

#define ANSWER(what, expression) *out++ = (uint64_t)(expression);

static void answer_f32(const float *x, const uint64_t *n, uint64_t *out) {
#define REAL float
#define BITS bits_f32
    UHI_SELF_TESTS(ANSWER)
#undef REAL
#undef BITS
}

static void answer_f64(const double *x, const uint64_t *n, uint64_t *out) {
#define REAL double
#define BITS bits_f64
    UHI_SELF_TESTS(ANSWER)
#undef REAL
#undef BITS
}

/* What goes to the device and comes back. */
struct memory {
    double x[UHI_SELF_TEST_REALS]; /* of the kernel's type */
    uint64_t n[UHI_SELF_TEST_INTEGERS], out[TESTS];
    uint32_t count[2];
};

static void prepare(int fp64, struct memory *memory, uint64_t *expected) {
    memset(memory, 0, sizeof *memory);
    memcpy(memory->n, integers, sizeof integers);
    memory->n[0] = half_way[fp64];
    for (size_t i = 0; i < TESTS; i++)
        memory->out[i] = UNTOUCHED;
    if (fp64)
        memcpy(memory->x, reals_f64, sizeof reals_f64);
    else
        memcpy(memory->x, reals_f32, sizeof reals_f32);
    if (fp64)
        answer_f64(reals_f64, memory->n, expected);
    else
        answer_f32(reals_f32, memory->n, expected);
    expected[TESTS] = UHI_SELF_TEST_ITEMS * memory->n[1];
}

/* ---- on the device ----------------------------------------------------------------------------------------------- */

static uh_status run_kernel(uh_queue *queue, const uh_kernel *kernel, struct memory *memory, char *there) {
    const uh_nd_range range = {.dims = 1, .global = {UHI_SELF_TEST_ITEMS}, .local = {1}};
    const uh_arg args[] = {
        uh_arg_pointer(there + offsetof(struct memory, x)), uh_arg_pointer(there + offsetof(struct memory, n)),
        uh_arg_pointer(there + offsetof(struct memory, out)), uh_arg_pointer(there + offsetof(struct memory, count))};
    uh_status status = uh_memcpy(queue, there, memory, sizeof *memory, NULL, 0, NULL);
    if (!status)
        status = uh_parallel_for(queue, kernel, &range, args, 4, NULL, 0, NULL);
    if (!status)
        status = uh_memcpy(queue, memory, there, sizeof *memory, NULL, 0, NULL);
    if (!status)
        status = uh_queue_wait(queue);
    return status;
}

static uh_status compute(uh_device *device, const struct uhi_variant *variant, struct memory *memory) {
    uh_module *module = NULL;
    uh_kernel *kernel = NULL;
    uh_queue *queue = NULL;
    void *there = NULL;
    uh_status status = uhi_module_acquire(device, variant->program, &module);
    if (!status)
        status = uh_kernel_get(module, variant->name, &kernel);
    if (!status)
        status = uh_queue_create(device, NULL, &queue);
    if (!status)
        status = uh_malloc(device, UH_MEMORY_DEVICE, sizeof *memory, 0, &there);
    if (!status)
        status = run_kernel(queue, kernel, memory, there);
    struct uhi_message message;
    uhi_message_keep(&message);
    uhi_queue_drain(queue);
    (void)uh_free(there);
    (void)uh_queue_destroy(queue);
    uhi_module_release(module);
    uhi_message_restore(&message);
    return status;
}

/* Writes the verdict: PASSED, or FAILED and what differs. Returns whether it may be kept: not that of a driver without
 * hardware, which goes by the name of what it plays. */
static int judge(const struct memory *memory, const uint64_t expected[TESTS + 1], int fp64, char verdict[TEXT]) {
#define NAME(what, expression) what,
    static const char *const names[TESTS + 1] = {UHI_SELF_TESTS(NAME) "a counter of 64 bits that work-items add to"};
#undef NAME
    const uint64_t count = (uint64_t)memory->count[1] << 32 | memory->count[0];
    size_t untouched = 0, i = 0;
    while (untouched < TESTS && memory->out[untouched] == UNTOUCHED)
        untouched++;
    while (i < TESTS && memory->out[i] == expected[i])
        i++;
    if (untouched == TESTS && count == 0)
        snprintf(verdict, TEXT, FAILED "kernels run and store nothing");
    else if (i == TESTS && count == expected[TESTS])
        snprintf(verdict, TEXT, PASSED);
    else
        snprintf(verdict, TEXT, FAILED "%s (%s) gave 0x%" PRIx64 ", expected 0x%" PRIx64, names[i],
                 fp64 ? "float64" : "float32", i < TESTS ? memory->out[i] : count, expected[i]);
    return untouched < TESTS || count != 0;
}

/* ---- answers that are kept --------------------------------------------------------------------------------------- */

static void make_key(const uh_device *device, const uh_program *program, struct uhi_cache_key *key) {
    const uh_device_properties *p = &device->properties;
    static const char what[] = "self-test";
    *key = (struct uhi_cache_key){0};
    uhi_cache_key_add(key, what, sizeof what);
    uhi_cache_key_add(key, p->name, strlen(p->name));
    uhi_cache_key_add(key, p->driver_version, strlen(p->driver_version));
    uhi_cache_key_add(key, &p->device_id, sizeof p->device_id);
    uhi_cache_key_add(key, program->spirv, program->spirv_size);
}

/* Whether there is a verdict; any other text is none. */
static int find_verdict(const struct uhi_cache_key *key, char verdict[TEXT]) {
    struct uhi_cache_entry entry;
    if (!uhi_cache_find(key, &entry))
        return 0;
    const size_t n = entry.size < TEXT ? entry.size : 0;
    memcpy(verdict, entry.binary, n);
    verdict[n] = '\0';
    uhi_cache_entry_free(&entry);
    return strcmp(verdict, PASSED) == 0 || strncmp(verdict, FAILED, sizeof FAILED - 1) == 0;
}

static void keep_verdict(const struct uhi_cache_key *key, const char *verdict) {
    struct uhi_cache_entry entry;
    if (!uhi_cache_entry_make(&entry, verdict, strlen(verdict), "", 0))
        return;
    uhi_cache_keep(key, &entry);
    uhi_cache_entry_free(&entry);
}

static uh_status find_out(uh_device *device, int fp64, char verdict[TEXT]) {
    const struct uhi_variant *variant =
        uhi_find_variant(uhi_common_variants(), fp64 ? "self_test_f64" : "self_test_f32");
    struct uhi_cache_key key;
    uh_status status = UH_SUCCESS;
    make_key(device, variant->program, &key);
    if (!find_verdict(&key, verdict)) {
        const uint64_t begin = uhi_host_now();
        uint64_t expected[TESTS + 1];
        struct memory memory;
        prepare(fp64, &memory, expected);
        status = compute(device, variant, &memory);
        if (!status) {
            if (judge(&memory, expected, fp64, verdict))
                keep_verdict(&key, verdict);
            uhi_log(UHI_LOG_INFO, "self-test of %s, %s: %s, in %.1f ms", device->properties.selector,
                    fp64 ? "float64" : "float32", verdict, (double)(uhi_host_now() - begin) * 1e-6);
        }
    }
    uhi_cache_key_free(&key);
    return status;
}

/* ---- once a process ---------------------------------------------------------------------------------------------- */

enum { MAX_KNOWN = 64 }; /* devices of a process whose answers stay; others ask the cache each time */

static struct {
    pthread_mutex_t lock;
    size_t count;
    struct {
        const uh_device *device;
        int fp64;
        char verdict[TEXT];
    } of[MAX_KNOWN];
} known = {.lock = PTHREAD_MUTEX_INITIALIZER};

static int is_off(void) {
    const char *text = getenv("UNIHIST_SELF_TEST");
    return text && strcasecmp(text, "off") == 0;
}

/* Locked: who comes second waits for the answer. */
static uh_status ask(uh_device *device, int fp64, char verdict[TEXT]) {
    for (size_t i = 0; i < known.count; i++)
        if (known.of[i].device == device && known.of[i].fp64 == fp64) {
            memcpy(verdict, known.of[i].verdict, TEXT);
            return UH_SUCCESS;
        }
    const uh_status status = find_out(device, fp64, verdict);
    if (!status && known.count < MAX_KNOWN) {
        known.of[known.count].device = device;
        known.of[known.count].fp64 = fp64;
        memcpy(known.of[known.count++].verdict, verdict, TEXT);
    }
    return status;
}

uh_status uhi_self_test(uh_device *device, const char *call, int fp64) {
    char verdict[TEXT] = PASSED;
    uh_status status = UH_SUCCESS;
    if (is_off())
        return UH_SUCCESS;
    pthread_mutex_lock(&known.lock);
    status = ask(device, 0, verdict);
    if (!status && fp64 && strcmp(verdict, PASSED) == 0)
        status = ask(device, 1, verdict);
    pthread_mutex_unlock(&known.lock);
    if (status || strcmp(verdict, PASSED) == 0)
        return status;
    return uhi_fail(UH_ERROR_UNSUPPORTED, call, NULL,
                    "%s (%s, driver %s) is not used, as it computes otherwise than the host: %s; "
                    "UNIHIST_SELF_TEST=off does not ask",
                    device->properties.selector, device->properties.name, device->properties.driver_version,
                    verdict + sizeof FAILED - 1);
}
