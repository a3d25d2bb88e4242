/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/device_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "runtime/status.h"

/* Returns whether `text` contains `part`, ignoring case. */
static int contains(const char *text, const char *part) {
    size_t length = strlen(part);
    for (; *text; text++)
        if (strncasecmp(text, part, length) == 0)
            return 1;
    return 0;
}

/* Rates a match: 2 for the device's kind, backend or selector, 1 for part of its name, 0 for none. */
static int fit(const uh_device *device, const char *selector) {
    static const char *const kind_names[] = {"cpu", "gpu", "accelerator"};
    const uh_device_properties *p = &device->properties;
    if (strcasecmp(selector, kind_names[p->kind]) == 0 || strcasecmp(selector, p->backend) == 0 ||
        strcasecmp(selector, p->selector) == 0)
        return 2;
    return contains(p->name, selector);
}

/* Order of preference: GPU, then host. Accelerators are made for other work, and many take no SPIR-V; a driver's CPU
 * device is an indirect way to the host. */
static int class_of(const uh_device *device) {
    if (device->properties.kind == UH_DEVICE_GPU)
        return 3;
    if (device->backend == &uhi_backend_host)
        return 2;
    return device->properties.kind == UH_DEVICE_ACCELERATOR ? 1 : 0;
}

static uint64_t speed_of(const uh_device *device) {
    uint64_t clock = device->properties.clock_mhz;
    return device->properties.cores * (clock ? clock : 1);
}

/* Returns whether "auto" prefers `a` to `b`: by class, then whole devices before tiles, then by cores times clock. */
static int is_preferred(const uh_device *a, const uh_device *b) {
    if (class_of(a) != class_of(b))
        return class_of(a) > class_of(b);
    if ((a->tile < 0) != (b->tile < 0))
        return a->tile < 0;
    return speed_of(a) > speed_of(b);
}

uh_device *uhi_device_choose(uh_device *const *devices, size_t count, const char *selector) {
    uh_device *best = NULL;
    int best_fit = 0;
    int any = !selector || !*selector || strcasecmp(selector, "auto") == 0;
    for (size_t i = 0; i < count; i++) {
        int this_fit = any ? 1 : fit(devices[i], selector);
        if (this_fit && (this_fit > best_fit || (this_fit == best_fit && is_preferred(devices[i], best)))) {
            best = devices[i];
            best_fit = this_fit;
        }
    }
    return best;
}

uh_status uhi_device_fail_unmatched(const char *call, const struct uhi_device_list *list, const char *selector) {
    char available[1024] = "", reason[1024] = "";
    for (size_t i = 0, used = 0; i < list->count && used < sizeof available; i++) {
        const uh_device_properties *p = &list->devices[i]->properties;
        used += (size_t)snprintf(available + used, sizeof available - used, "%s%s (%s)", i ? ", " : "", p->selector,
                                 p->name);
    }
    const uh_device *unlisted = uhi_device_choose(list->devices + list->count, list->hidden, selector);
    const char *variable = getenv("ONEAPI_DEVICE_SELECTOR");
    if (unlisted)
        snprintf(reason, sizeof reason, ": ONEAPI_DEVICE_SELECTOR=\"%.200s\" hides %s (%s)", variable ? variable : "",
                 unlisted->properties.selector, unlisted->properties.name);
    else if (list->why && *list->why)
        snprintf(reason, sizeof reason, ": %s", list->why);
    return uhi_fail(list->is_broken && !unlisted ? UH_ERROR_DRIVER : UH_ERROR_NOT_FOUND, call, "selector",
                    "is \"%.128s\", which matches no device%s; there is: %s", selector, reason, available);
}
