/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/common/trial.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/grow.h"
#include "runtime/log.h"
#include "runtime/status.h"

/* ---- results ----------------------------------------------------------------------------------------------------- */

void uhi_trial_note(struct uhi_trial *trial, struct uhi_trial_result result) {
    if (uhi_grow(&trial->result, &trial->room, trial->count + 1, sizeof *trial->result))
        trial->result[trial->count++] = result;
    else
        trial->failed = 1;
}

void uhi_trial_add_all(struct uhi_trial *trial, const char *what, const void *values, size_t n, size_t size) {
    for (size_t i = 0; i < n; i++) {
        uint64_t value = 0;
        memcpy(&value, (const char *)values + i * size, size); /* little-endian, as every x86-64 */
        uhi_trial_add(trial, what, i, value);
    }
}

int uhi_trial_is(const struct uhi_trial *trial, const char *word) {
    const size_t length = strlen(word);
    for (const char *at = strstr(trial->kernel, word); at; at = strstr(at + 1, word))
        if ((at == trial->kernel || at[-1] == '_') && (at[length] == '_' || at[length] == '\0'))
            return 1;
    return 0;
}

/* ---- the host and the device ------------------------------------------------------------------------------------- */

/* Runs the trial on a device, on a queue of its own, by which engines recognize it. */
static uh_status run_trial(uh_device *device, const uh_queue *asking, const struct uhi_variants *variants,
                           struct uhi_trial *trial) {
    const uh_queue_options options = {.struct_size = sizeof options,
                                      .threads = 1,
                                      .cancelled = asking->options.cancelled,
                                      .cancelled_user = asking->options.cancelled_user};
    uh_queue *queue = NULL;
    uh_status status = uh_queue_create(device, &options, &queue);
    if (status)
        return uhi_fail_of(trial->call, status);
    queue->trial = trial;
    trial->local_memory = UINT64_MAX;
    status = variants->trial(queue, trial);
    if (!status && trial->failed)
        status =
            uhi_fail_memory(trial->call, "no memory for the self-test of %s of %s", trial->kernel, variants->operation);
    uh_queue_destroy(queue);
    return uhi_fail_of(trial->call, status);
}

/* Returns 1 if kernels store anything: a driver without hardware, which has the name of the emulated device, does
 * not. */
static int stores_anything(const uh_queue *asking, const char *call) {
    struct uhi_trial trial = {.call = call, .kernel = "pack"};
    int stored = 0;
    if (!run_trial(asking->device, asking, uhi_common_variants(), &trial))
        for (size_t i = 0; i < trial.count; i++)
            stored |= trial.result[i].value != 0;
    free(trial.result);
    return stored;
}

static double number_of(uint64_t bits) {
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

static int results_agree(const struct uhi_trial_result *host, const struct uhi_trial_result *there) {
    return host->value == there->value || isinf(host->near) || isinf(there->near) ||
           (host->near > 0 && fabs(number_of(host->value) - number_of(there->value)) <= host->near);
}

static void compare(const struct uhi_trial *host, const struct uhi_trial *there, const struct uhi_variants *variants,
                    struct uhi_verdict *verdict) {
    size_t i = 0;
    while (i < host->count && i < there->count && results_agree(&host->result[i], &there->result[i]))
        i++;
    if (i < host->count && i < there->count) {
        char input[24] = "";
        if (host->result[i].has_input)
            (void)snprintf(input, sizeof input, " 0x%" PRIx64, host->result[i].input);
        (void)snprintf(verdict->text, sizeof verdict->text,
                       "kernel %s of %s: %s%s gave 0x%" PRIx64 ", expected 0x%" PRIx64, host->kernel,
                       variants->operation, host->result[i].what, input, there->result[i].value, host->result[i].value);
    } else if (host->count != there->count) {
        (void)snprintf(verdict->text, sizeof verdict->text, "kernel %s of %s has %zu results, expected %zu",
                       host->kernel, variants->operation, there->count, host->count);
    }
}

uh_status uhi_trial_run(const uh_queue *asking, const char *call, const struct uhi_variants *variants,
                        const char *kernel, struct uhi_verdict *verdict) {
    struct uhi_trial host = {.call = call, .kernel = kernel, .context = variants->context}, there = host;
    uh_device *of_host = NULL;
    uh_status status = uhi_fail_of(call, uh_device_select("host", &of_host));
    *verdict = (struct uhi_verdict){.stays = 1};
    if (!status)
        status = run_trial(of_host, asking, variants, &host);
    if (!status)
        status = run_trial(asking->device, asking, variants, &there);
    if (!status) {
        compare(&host, &there, variants, verdict);
        verdict->reached = there.has_run;
        if (verdict->text[0] && !stores_anything(asking, call)) {
            (void)snprintf(verdict->text, sizeof verdict->text, "kernels run and store nothing");
            verdict->stays = 0;
        } else if (!verdict->reached) {
            uhi_log(UH_LOG_WARN, "self-test of %s: kernel %s of %s is not reached there",
                    asking->device->properties.selector, kernel, variants->operation);
        }
    }
    free(host.result);
    free(there.result);
    return status;
}
