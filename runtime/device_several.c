/* SPDX-License-Identifier: Apache-2.0 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "runtime/device_list.h"
#include "runtime/fork.h"
#include "runtime/status.h"

enum { MAX_DEVICES = 32, MAX_BACKEND = 32, MAX_TERM = 160 };

/* ---- properties of a combined device ----------------------------------------------------------------------------- */

static void append(char *text, size_t size, const char *more) {
    const size_t used = strlen(text);
    snprintf(text + used, size - used, "%s", more);
}

/* Joins the names: "2 x NAME + OTHER". */
static void join_names(char *name, size_t size, uh_device *const *parts, size_t count) {
    name[0] = '\0';
    for (size_t i = 0, next; i < count; i = next) {
        char times[32] = "";
        const char *of_part = parts[i]->properties.name;
        for (next = i + 1; next < count && strcmp(parts[next]->properties.name, of_part) == 0;)
            next++;
        if (next - i > 1)
            snprintf(times, sizeof times, "%zu x ", next - i);
        append(name, size, i ? " + " : "");
        append(name, size, times);
        append(name, size, of_part);
    }
}

/* Clears `text` unless both are equal. */
static void keep_common(char *text, const char *other) {
    if (strcmp(text, other) != 0)
        text[0] = '\0';
}

#define SUM(member)     p->member += q->member
#define MINIMUM(member) p->member = q->member < p->member ? q->member : p->member
#define MAXIMUM(member) p->member = q->member > p->member ? q->member : p->member
#define COMMON(member)  p->member = q->member == p->member ? p->member : 0

static void add_sub_groups(uh_device_properties *p, const uh_device_properties *q) {
    enum { ROOM = sizeof p->sub_group_sizes / sizeof p->sub_group_sizes[0] };
    size_t kept = 0;
    for (size_t i = 0; i < ROOM; i++)
        for (size_t j = 0; j < ROOM && p->sub_group_sizes[i]; j++)
            if (p->sub_group_sizes[i] == q->sub_group_sizes[j]) {
                p->sub_group_sizes[kept++] = q->sub_group_sizes[j];
                break;
            }
    for (size_t i = kept; i < ROOM; i++)
        p->sub_group_sizes[i] = 0;
}

/* Merges a part's properties into those of the parts before it. */
static void add_part(uh_device_properties *p, const uh_device_properties *q) {
    if (strcmp(p->backend, q->backend) != 0)
        snprintf(p->backend, sizeof p->backend, "%s", uhi_backend_several.name);
    keep_common(p->driver_version, q->driver_version);
    if (!p->isa[0])
        snprintf(p->isa, sizeof p->isa, "%s", q->isa);
    SUM(cores);
    SUM(threads);
    SUM(sockets);
    SUM(numa_nodes);
    SUM(memory);
    MINIMUM(cache_l1d);
    MINIMUM(cache_l2);
    MINIMUM(cache_l3);
    MINIMUM(local_memory);
    MINIMUM(max_group_size);
    MAXIMUM(timer_resolution);
    MINIMUM(max_allocation);
    COMMON(vendor_id);
    COMMON(device_id);
    SUM(memory_bandwidth);
    keep_common(p->pci_address, q->pci_address);
    if (memcmp(p->uuid, q->uuid, sizeof p->uuid) != 0)
        memset(p->uuid, 0, sizeof p->uuid);
    MINIMUM(clock_mhz);
    MINIMUM(fp64);
    MINIMUM(fp_exact);
    MINIMUM(int64_atomics);
    MINIMUM(unified_memory);
    add_sub_groups(p, q);
}

/* Makes `device` a combination of `count` > 0 others, numbered like the first; the caller sets its selector. Keeps
 * `parts`. */
static void combine(uh_device *device, uh_device *const *parts, size_t count) {
    *device = (uh_device){.backend = &uhi_backend_several,
                          .index = parts[0]->index,
                          .tile = -1,
                          .root = parts[0]->root,
                          .root_tile = -1,
                          .properties = parts[0]->properties,
                          .parts = parts,
                          .nparts = count};
    for (size_t i = 1; i < count; i++)
        add_part(&device->properties, &parts[i]->properties);
    join_names(device->properties.name, sizeof device->properties.name, parts, count);
}

/* ---- cards whose tiles the driver lists as devices --------------------------------------------------------------- */

/* Returns whether a device is a tile that its driver lists as a device. */
static int is_listed_tile(const uh_device *device) { return device->tile >= 0 && device->root_tile < 0; }

static int is_of_same_card(const uh_device *a, const uh_device *b) {
    return is_listed_tile(a) && is_listed_tile(b) && a->backend == b->backend && a->index == b->index;
}

/* Returns the number of consecutive tiles, from device `first` on, of its card; 0 if one of them is hidden. */
static size_t count_tiles(const struct uhi_device_list *list, size_t first) {
    const uh_device *tile = list->devices[first];
    size_t tiles = 1;
    while (first + tiles < list->count && is_of_same_card(tile, list->devices[first + tiles]))
        tiles++;
    for (size_t i = list->count; i < list->count + list->hidden; i++)
        if (is_of_same_card(tile, list->devices[i]))
            return 0;
    return tiles;
}

/* Turns entry `at` of the list into a card made of the tiles after it. */
static uh_status make_card(const struct uhi_device_list *list, size_t at) {
    enum { INTEL = 0x8086 };
    uh_device *card = list->devices[at];
    const size_t tiles = card->nparts;
    uh_device **parts = calloc(tiles, sizeof(uh_device *)); /* owned by the card, which lives as long as the process */
    if (!parts)
        return uhi_fail_memory(list->call, "out of memory for the tiles of a card");
    memcpy(parts, &list->devices[at + 1], tiles * sizeof(uh_device *));
    combine(card, parts, tiles);
    uhi_device_list_name(card, parts[0]->backend->name);
    uh_device_properties *p = &card->properties;
    snprintf(p->name, sizeof p->name, "%s", parts[0]->properties.name);
    if (p->vendor_id == INTEL) { /* Intel numbers tiles in the last byte */
        memcpy(p->uuid, parts[0]->properties.uuid, sizeof p->uuid);
        p->uuid[sizeof p->uuid - 1] = 0;
    }
    return UH_SUCCESS;
}

uh_status uhi_cards_add(struct uhi_device_list *list) {
    for (size_t i = 0; i < list->count; i++) {
        const size_t tiles = is_listed_tile(list->devices[i]) ? count_tiles(list, i) : 0;
        if (tiles > 1) {
            uh_device card = *list->devices[i];
            card.nparts = tiles;
            UHI_TRY(uhi_device_list_insert(list, i, &card));
            UHI_TRY(make_card(list, i));
            i += tiles;
        }
    }
    return UH_SUCCESS;
}

/* ---- devices named by a selector --------------------------------------------------------------------------------- */

/* Devices that the selector's terms have named so far. */
struct choice {
    const char *call;
    const char *selector;
    const struct uhi_device_list *list;
    uh_device *named[MAX_DEVICES];
    size_t count;
};

static size_t part_count(const uh_device *device) { return device->nparts ? device->nparts : 1; }

static const uh_device *part_of(const uh_device *device, size_t i) {
    return device->nparts ? device->parts[i] : device;
}

/* Returns whether two devices are the same, or one is a tile of the other. */
static int is_within(const uh_device *a, const uh_device *b) {
    return a == b ||
           (a->backend == b->backend && a->index == b->index && (a->tile < 0 || b->tile < 0 || a->tile == b->tile));
}

static int overlap(const uh_device *a, const uh_device *b) {
    for (size_t i = 0; i < part_count(a); i++)
        for (size_t j = 0; j < part_count(b); j++)
            if (is_within(part_of(a, i), part_of(b, j)))
                return 1;
    return 0;
}

static uh_status name_device(struct choice *choice, uh_device *device) {
    size_t parts = part_count(device);
    for (size_t i = 0; i < choice->count; i++) {
        if (overlap(choice->named[i], device))
            return uhi_fail_argument(
                choice->call, "selector", "is \"%.128s\", which names %s and %s, expected disjoint devices",
                choice->selector, choice->named[i]->properties.selector, device->properties.selector);
        parts += part_count(choice->named[i]);
    }
    if (parts > MAX_DEVICES)
        return uhi_fail_argument(choice->call, "selector",
                                 "is \"%.128s\", which names more than %d devices, the maximum of a combined device",
                                 choice->selector, MAX_DEVICES);
    choice->named[choice->count++] = device;
    return UH_SUCCESS;
}

/* Returns whether a device is a GPU and not a tile of a listed one. */
static int is_whole_gpu(const struct uhi_device_list *list, const uh_device *device) {
    if (device->properties.kind != UH_DEVICE_GPU)
        return 0;
    for (size_t i = 0; i < list->count && device->tile >= 0; i++)
        if (list->devices[i] != device && list->devices[i]->tile < 0 && overlap(list->devices[i], device))
            return 0;
    return 1;
}

/* Names all whole GPUs of a backend, or of all backends if `backend` is NULL. */
static uh_status name_gpus(struct choice *choice, const char *backend, size_t length) {
    uh_status status = UH_SUCCESS;
    for (size_t i = 0; i < choice->list->count && !status; i++) {
        uh_device *device = choice->list->devices[i];
        const char *its = device->properties.backend;
        if (backend && (strncasecmp(its, backend, length) != 0 || its[length]))
            continue;
        if (is_whole_gpu(choice->list, device))
            status = name_device(choice, device);
    }
    return status;
}

static uh_status name_term(struct choice *choice, const char *term) {
    const size_t length = strlen(term), before = choice->count;
    const int all = strcasecmp(term, "all") == 0;
    uh_device *const *devices = choice->list->devices, *one = NULL;
    uh_status status = UH_SUCCESS;
    if (all)
        status = name_gpus(choice, NULL, 0);
    else if (length > 2 && strcmp(term + length - 2, ":*") == 0)
        status = name_gpus(choice, term, length - 2);
    else
        one = uhi_device_choose(devices, choice->list->count, term);
    if (all && !status)
        one = uhi_device_choose(devices, choice->list->count, "host");
    if (one)
        status = name_device(choice, one);
    if (!status && choice->count == before)
        status = uhi_device_fail_unmatched(choice->call, choice->list, term);
    return status;
}

/* Takes the next term off `*at`; one that begins with a number refers to the last named backend. */
static void read_term(const char **at, char backend[MAX_BACKEND], char term[MAX_BACKEND + MAX_TERM]) {
    const size_t length = strcspn(*at, ",");
    const char *colon = memchr(*at, ':', length);
    const int bare = !colon && length && strchr("*0123456789", **at);
    snprintf(term, MAX_BACKEND + MAX_TERM, "%s%.*s", bare ? backend : "",
             (int)(length < MAX_TERM ? length : MAX_TERM - 1), *at);
    if (colon)
        snprintf(backend, MAX_BACKEND, "%.*s", (int)(colon + 1 - *at < MAX_BACKEND ? colon + 1 - *at : 0), *at);
    *at += length;
}

static uh_status name_all(struct choice *choice) {
    char backend[MAX_BACKEND] = "", term[MAX_BACKEND + MAX_TERM];
    const char *at = choice->selector;
    uh_status status;
    do {
        read_term(&at, backend, term);
        if (!term[0])
            return uhi_fail_argument(choice->call, "selector", "is \"%.128s\", expected a device at character %zu",
                                     choice->selector, (size_t)(at - choice->selector) + 1);
        status = name_term(choice, term);
    } while (!status && *at++ == ',');
    return status;
}

int uhi_several_matches(const char *selector) {
    return selector && (strcasecmp(selector, "all") == 0 || strchr(selector, ',') || strstr(selector, ":*"));
}

/* ---- existing combined devices ----------------------------------------------------------------------------------- */

struct kept {
    struct kept *next;
    uh_device device;
    uh_device *parts[]; /* the device's parts */
};

/* Made on demand; live as long as the process. */
static struct {
    pthread_mutex_t lock;
    struct kept *first;
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};
UHI_HELD_AT_FORK(all, all.lock)

/* Joins the selectors, omitting a backend equal to the previous one: "level_zero:0,1,host:0". */
static void join_selectors(char *text, size_t size, const struct choice *choice) {
    text[0] = '\0';
    for (size_t i = 0; i < choice->count; i++) {
        const uh_device_properties *p = &choice->named[i]->properties;
        const char *own = p->selector;
        if (i && strcmp(p->backend, choice->named[i - 1]->properties.backend) == 0)
            own += strlen(p->backend) + 1;
        append(text, size, i ? "," : "");
        append(text, size, own);
    }
}

static int has_parts(const uh_device *device, uh_device *const *parts, size_t count) {
    return device->nparts == count && memcmp(device->parts, parts, count * sizeof(uh_device *)) == 0;
}

/* Returns the device made of these parts, or NULL. Locked. */
static uh_device *find_combined(const struct uhi_device_list *list, uh_device *const *parts, size_t count) {
    for (size_t i = 0; i < list->count; i++)
        if (has_parts(list->devices[i], parts, count))
            return list->devices[i];
    for (struct kept *kept = all.first; kept; kept = kept->next)
        if (has_parts(&kept->device, parts, count))
            return &kept->device;
    return NULL;
}

/* Makes a device of these parts; NULL if out of memory. Locked. */
static uh_device *make_combined(const struct choice *choice, uh_device *const *parts, size_t count) {
    struct kept *made = calloc(1, sizeof *made + count * sizeof(uh_device *));
    if (!made)
        return NULL;
    memcpy(made->parts, parts, count * sizeof(uh_device *));
    combine(&made->device, made->parts, count);
    join_selectors(made->device.properties.selector, sizeof made->device.properties.selector, choice);
    made->next = all.first;
    all.first = made;
    return &made->device;
}

uh_status uhi_several_select(const char *call, const struct uhi_device_list *list, const char *selector,
                             uh_device **device) {
    struct choice choice = {.call = call, .selector = selector, .list = list};
    uh_device *parts[MAX_DEVICES];
    size_t count = 0;
    UHI_TRY(name_all(&choice));
    if (choice.count < 2) {
        *device = choice.named[0];
        return UH_SUCCESS;
    }
    for (size_t i = 0; i < choice.count; i++)
        for (size_t j = 0; j < part_count(choice.named[i]); j++)
            parts[count++] = choice.named[i]->nparts ? choice.named[i]->parts[j] : choice.named[i];
    pthread_mutex_lock(&all.lock);
    uh_device *found = find_combined(list, parts, count);
    if (!found)
        found = make_combined(&choice, parts, count);
    pthread_mutex_unlock(&all.lock);
    if (!found)
        return uhi_fail_memory(call, "out of memory for a device that is made of %zu", count);
    *device = found;
    return UH_SUCCESS;
}
