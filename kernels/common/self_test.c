/* SPDX-License-Identifier: Apache-2.0 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "kernels/common/trial.h"
#include "runtime/cache_folder.h"
#include "runtime/grow.h"
#include "runtime/log.h"
#include "runtime/module_cache.h"
#include "runtime/status.h"

/* Cached text: this, or the time of failure in seconds and the difference. */
#define PASSED    "passed"
#define FAILED    "failed"
#define FAILED_AT FAILED " at "

/* Seconds until a failed kernel is tested again: the fault may have been the machine's. */
enum { FAILURE_LIFETIME = 24 * 3600 };

/* Answers for callers' programs kept per process; others are in the cache. */
enum { MAX_OF_CALLERS = 64 };

/* ---- cached answers ---------------------------------------------------------------------------------------------- */

static void make_key(const uh_device *device, const uh_program *program, struct uhi_cache_key *key) {
    const uh_device_properties *p = &device->properties;
    static const char what[] = "self-test";
    const char *version = uh_version(); /* determines the tested values */
    *key = (struct uhi_cache_key){0};
    uhi_cache_key_add(key, what, sizeof what);
    uhi_cache_key_add(key, version, strlen(version));
    uhi_cache_key_add(key, p->name, strlen(p->name));
    uhi_cache_key_add(key, p->driver_version, strlen(p->driver_version));
    uhi_cache_key_add(key, &p->device_id, sizeof p->device_id);
    uhi_cache_key_add_compiler(key);
    uhi_cache_key_add(key, program->spirv, program->spirv_size);
}

static int has_expired(long long failed_at) {
    const long long age = (long long)time(NULL) - failed_at;
    return age < 0 || age > FAILURE_LIFETIME;
}

/* Returns the difference in the text of a failure and stores its time; NULL for other text. */
static const char *read_failure(const char *text, long long *failed_at) {
    char *end = NULL;
    if (strncmp(text, FAILED_AT, sizeof FAILED_AT - 1) != 0)
        return NULL;
    errno = 0;
    *failed_at = strtoll(text + sizeof FAILED_AT - 1, &end, 10);
    return errno == 0 && strncmp(end, ": ", 2) == 0 ? end + 2 : NULL;
}

/* Returns 1 if there is an answer; invalid text and expired failures do not count. */
static int find_verdict(const struct uhi_cache_key *key, struct uhi_verdict *verdict) {
    char text[sizeof verdict->text + 64];
    struct uhi_cache_entry entry;
    if (!uhi_cache_find(key, &entry))
        return 0;
    const size_t n = entry.size < sizeof text ? entry.size : 0;
    memcpy(text, entry.binary, n);
    text[n] = '\0';
    uhi_cache_entry_free(&entry);
    const char *failure = read_failure(text, &verdict->failed_at);
    if (failure && !has_expired(verdict->failed_at))
        (void)snprintf(verdict->text, sizeof verdict->text, "%s", failure);
    return verdict->text[0] || strcmp(text, PASSED) == 0;
}

static void keep_verdict(const struct uhi_cache_key *key, const struct uhi_verdict *verdict) {
    char text[sizeof verdict->text + 64] = PASSED;
    struct uhi_cache_entry entry;
    if (verdict->text[0])
        (void)snprintf(text, sizeof text, FAILED_AT "%lld: %s", verdict->failed_at, verdict->text);
    if (!uhi_cache_entry_make(&entry, text, strlen(text), "", 0))
        return;
    uhi_cache_keep(key, &entry);
    uhi_cache_entry_free(&entry);
}

static uh_status find_out(const uh_queue *queue, const char *call, const struct uhi_variants *variants,
                          const struct uhi_variant *variant, struct uhi_verdict *verdict) {
    const uh_device *device = queue->device;
    struct uhi_cache_key key;
    uh_status status = UH_SUCCESS;
    make_key(device, variant->program, &key);
    if (!find_verdict(&key, verdict)) {
        const uint64_t begin = uhi_host_now();
        status = uhi_trial_run(queue, call, variants, variant->name, verdict);
        verdict->failed_at = (long long)time(NULL);
        if (!status && verdict->stays)
            keep_verdict(&key, verdict);
        if (!status)
            uhi_log(UH_LOG_INFO, "self-test of %s, %s of %s: %s%s, in %.1f ms", device->properties.selector,
                    variant->name, variants->operation, verdict->text[0] ? FAILED ": " : PASSED, verdict->text,
                    (double)(uhi_host_now() - begin) * 1e-6);
    }
    uhi_cache_key_free(&key);
    return status;
}

/* ---- once per process -------------------------------------------------------------------------------------------- */

static struct {
    pthread_mutex_t lock;
    size_t count, room;
    struct answer {
        const uh_device *device;
        const uh_program *program; /* for the library's programs; otherwise NULL */
        uint64_t module;           /* a module's serial number; otherwise 0 */
        char *failure;             /* NULL: passed */
        long long failed_at;       /* time of the failure */
    } * of;
} known = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void remove_answer(size_t i) {
    free(known.of[i].failure);
    known.count--;
    memmove(&known.of[i], &known.of[i + 1], (known.count - i) * sizeof *known.of);
}

/* The library's programs are identified by address; callers' programs are temporary and are identified by their
 * modules' serial numbers. Removes an expired failure. */
static const struct answer *find_answer(const struct answer *wanted) {
    size_t i = 0;
    while (i < known.count && (known.of[i].device != wanted->device || known.of[i].program != wanted->program ||
                               known.of[i].module != wanted->module))
        i++;
    if (i == known.count)
        return NULL;
    if (!known.of[i].failure || !has_expired(known.of[i].failed_at))
        return &known.of[i];
    remove_answer(i);
    return NULL;
}

/* Removes the earliest answer for a caller's program if there are many. */
static void make_room(void) {
    size_t count = 0, first = 0;
    for (size_t i = known.count; i-- > 0;)
        if (known.of[i].module) {
            first = i;
            count++;
        }
    if (count >= MAX_OF_CALLERS)
        remove_answer(first);
}

/* If out of memory, the next use asks again. */
static void note_answer(struct answer answer, const struct uhi_verdict *verdict) {
    if (answer.module)
        make_room();
    if (!uhi_grow(&known.of, &known.room, known.count + 1, sizeof *known.of))
        return;
    answer.failure = verdict->text[0] ? strdup(verdict->text) : NULL;
    answer.failed_at = verdict->failed_at;
    if (answer.failure || !verdict->text[0])
        known.of[known.count++] = answer;
}

static int is_off(void) {
    const char *text = getenv("UNIHIST_SELF_TEST");
    return text && strcasecmp(text, "off") == 0;
}

/* Locked: a second thread waits for the answer. */
static uh_status run_test(const uh_queue *queue, const char *call, const struct uhi_variants *variants,
                          const struct uhi_variant *variant, const uh_module *module, struct uhi_verdict *verdict) {
    const struct answer wanted = {.device = queue->device,
                                  .program = variant->given ? NULL : variant->program,
                                  .module = variant->given && module ? module->serial : 0},
                        *answer = find_answer(&wanted);
    if (answer && answer->failure)
        memcpy(verdict->text, answer->failure, strlen(answer->failure) + 1);
    if (answer)
        return UH_SUCCESS;
    const uh_status status = find_out(queue, call, variants, variant, verdict);
    if (!status)
        note_answer(wanted, verdict);
    return status;
}

static uh_status refuse(const uh_device *device, const char *call, const struct uhi_verdict *verdict) {
    char folder[UHI_CACHE_PATH];
    const int kept = uhi_cache_is_on() && uhi_cache_folder_path(folder);
    return uhi_fail(
        UH_ERROR_UNSUPPORTED, call, NULL,
        "%s (%s, driver %s) gives other results than the host: %s; it is tested again after a day, after an "
        "update of the driver or its compiler%s%.512s%s; UNIHIST_SELF_TEST=off skips the test",
        device->properties.selector, device->properties.name, device->properties.driver_version, verdict->text,
        kept ? ", or when " : "", kept ? folder : "", kept ? " is removed" : "");
}

static uh_status check(const uh_queue *queue, const char *call, const struct uhi_variants *variants,
                       const struct uhi_variant *variant, const uh_module *module) {
    struct uhi_verdict verdict = {.text = ""};
    pthread_mutex_lock(&known.lock);
    const uh_status status = run_test(queue, call, variants, variant, module, &verdict);
    pthread_mutex_unlock(&known.lock);
    return status || !verdict.text[0] ? status : refuse(queue->device, call, &verdict);
}

uh_status uhi_self_test(const uh_queue *queue, const char *call, const struct uhi_variants *variants,
                        const struct uhi_variant *variant, const uh_module *module) {
    const struct uhi_variants *common = uhi_common_variants();
    uh_status status = UH_SUCCESS;
    if (is_off() ||
        uhi_device_is_lost(queue->device)) /* its use fails; a forked process may wait for the lock forever */
        return UH_SUCCESS;
    if (!variants->trial || variant->given)
        status = check(queue, call, common,
                       uhi_find_variant(common, variant->fp64 ? "arithmetic_f64" : "arithmetic_f32"), NULL);
    return status || !variants->trial ? status : check(queue, call, variants, variant, module);
}
