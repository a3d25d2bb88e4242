/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/selector.h"

#include <string.h>
#include <strings.h>

/* The backends in oneAPI's documentation, and our host. */
static const char *const backends[] = {"level_zero",     "opencl",     "cuda",    "hip",
                                       "esimd_emulator", "native_cpu", "offload", "host"};

static const struct {
    const char *name;
    uh_device_kind kind;
} kinds[] = {{"cpu", UH_DEVICE_CPU}, {"gpu", UH_DEVICE_GPU}, {"fpga", UH_DEVICE_ACCELERATOR}};

struct reader {
    const char *text;
    const char *at;
    const struct uhi_selector_device *device;
    struct uhi_selector_error *error;
    int unknown; /* nonzero: the device's number, and whether it is a tile, are unknown */
    int guess;   /* result of comparing a number then */
};

static int malformed(struct reader *r, const char *expected) {
    r->error->position = (size_t)(r->at - r->text);
    r->error->expected = expected;
    return -1;
}

static int skip(struct reader *r, char c) {
    if (*r->at != c)
        return 0;
    r->at++;
    return 1;
}

static int is_word(const char *word, const char *text, size_t length) {
    return strlen(word) == length && strncasecmp(word, text, length) == 0;
}

/* Reads the backend and its colon. Returns whether it is the device's backend, or -1. */
static int read_backend(struct reader *r) {
    int matches = 0;
    size_t length = strcspn(r->at, ":;,");
    if (is_word("*", r->at, length)) {
        matches = 1;
    } else {
        size_t i = 0, n = sizeof backends / sizeof backends[0];
        while (i < n && !is_word(backends[i], r->at, length))
            i++;
        if (i == n)
            return malformed(r, "a backend, such as level_zero or *");
        matches = r->device && strcasecmp(backends[i], r->device->backend) == 0;
    }
    r->at += length;
    if (!skip(r, ':'))
        return malformed(r, "\":\" and devices, such as level_zero:gpu");
    return matches;
}

/* Reads a number or *. Returns whether it matches `wanted`, or -1. */
static int read_number(struct reader *r, int64_t wanted) {
    if (skip(r, '*'))
        return wanted >= 0 || (r->unknown && r->guess);
    if (*r->at < '0' || *r->at > '9')
        return malformed(r, "*, cpu, gpu, fpga, a number or a tile such as 0.1");
    uint64_t number = 0;
    for (; *r->at >= '0' && *r->at <= '9'; r->at++)
        if (number <= UINT32_MAX)
            number = number * 10 + (uint64_t)(*r->at - '0');
    return r->unknown ? r->guess : wanted >= 0 && number == (uint64_t)wanted;
}

/* Reads one device of the list after the colon. Returns whether it matches the device, or -1. */
static int read_device(struct reader *r) {
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (is_word(kinds[i].name, r->at, strcspn(r->at, ",;"))) {
            r->at += strlen(kinds[i].name);
            return r->device && r->device->kind == kinds[i].kind;
        }
    int matches = read_number(r, r->device ? (int64_t)r->device->index : 0);
    for (int part = 1; matches >= 0 && part < 3 && skip(r, '.'); part++) {
        int matched = read_number(r, part == 1 && r->device ? r->device->tile : -1);
        matches = matched < 0 ? -1 : matches && matched;
    }
    if (matches >= 0 && *r->at && !strchr(",;", *r->at))
        return malformed(r, "\",\", \";\" or the end");
    return r->device ? matches : (matches < 0 ? -1 : 0);
}

/* Reads "backend:device,device". Returns whether it includes the device, or -1. */
static int read_term(struct reader *r) {
    int backend = read_backend(r);
    int matches = 0;
    if (backend < 0)
        return -1;
    do {
        int matched = read_device(r);
        if (matched < 0)
            return -1;
        matches |= backend && matched;
    } while (skip(r, ','));
    return matches;
}

static int read_all(struct reader *r, int *accepted) {
    int accepts = 0, discards = 0, accept = 0, discard = 0;
    do {
        int negative = skip(r, '!');
        if (!negative && discards)
            return malformed(r, "\"!\": what is discarded comes last");
        r->guess = !negative;
        int matched = read_term(r);
        if (matched < 0)
            return -1;
        if (negative) {
            discards = 1;
            discard |= matched;
        } else {
            accepts = 1;
            accept |= matched;
        }
    } while (skip(r, ';'));
    *accepted = (accept || !accepts) && !discard;
    return 0;
}

int uhi_selector_accepts(const char *text, const struct uhi_selector_device *device, int *accepted,
                         struct uhi_selector_error *error) {
    struct reader r = {.text = text, .at = text, .device = device, .error = error};
    return read_all(&r, accepted);
}

int uhi_selector_may_accept(const char *text, const char *backend) {
    static const uh_device_kind has[] = {UH_DEVICE_GPU, UH_DEVICE_ACCELERATOR};
    int accepts = 0;
    for (size_t i = 0; i < sizeof has / sizeof *has; i++) {
        const struct uhi_selector_device device = {backend, has[i], 0, -1};
        struct uhi_selector_error error;
        struct reader r = {.text = text, .at = text, .device = &device, .error = &error, .unknown = 1};
        int accepted = 0;
        (void)read_all(&r, &accepted);
        accepts |= accepted;
    }
    return accepts;
}
