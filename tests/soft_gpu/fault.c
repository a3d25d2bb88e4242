/* SPDX-License-Identifier: Apache-2.0 */
/* Counting calls, injecting failures, losing the devices, and the table of functions for test programs. */
#include "soft.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>

#include "soft_gpu.h"

#define MAX_FAULTS 64
#define MAX_NAMES  256

struct fault {
    char name[64]; /* "*": any call; "execute": a command */
    uint64_t nth, seen;
    bool sticky;
    ze_result_t result;
};

atomic_bool soft_lost;
atomic_bool soft_initialized;

/* Of all below; taken inside soft_lock where both are. */
static pthread_mutex_t fault_lock = PTHREAD_MUTEX_INITIALIZER;
static struct fault faults[MAX_FAULTS];
static size_t nfaults;
static uint64_t lose_in;                      /* calls until the devices are lost, 0: never */
static uint64_t lose_one_in[SOFT_MAX_LISTED]; /* calls about one until it is */
static atomic_uint losses;                    /* of one device, so far */
static struct {
    const char *name;
    uint64_t calls;
} counters[MAX_NAMES];
static uint64_t total;
static soft_gpu_callback trace_callback;
static void *trace_user;
static size_t misuses, all_misuses;
static char latest_misuse[512];

/* Those that faults are called by; others by their numbers. */
static const struct {
    const char *name;
    ze_result_t result;
} results[] = {
    {"NOT_READY", ZE_RESULT_NOT_READY},
    {"ERROR_DEVICE_LOST", ZE_RESULT_ERROR_DEVICE_LOST},
    {"ERROR_OUT_OF_HOST_MEMORY", ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY},
    {"ERROR_OUT_OF_DEVICE_MEMORY", ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY},
    {"ERROR_DEVICE_REQUIRES_RESET", ZE_RESULT_ERROR_DEVICE_REQUIRES_RESET},
    {"ERROR_UNINITIALIZED", ZE_RESULT_ERROR_UNINITIALIZED},
    {"ERROR_UNSUPPORTED_FEATURE", ZE_RESULT_ERROR_UNSUPPORTED_FEATURE},
    {"ERROR_UNKNOWN", ZE_RESULT_ERROR_UNKNOWN},
};

static bool read_result(const char *text, ze_result_t *result) {
    const char *name = strncmp(text, "ZE_RESULT_", 10) == 0 ? text + 10 : text;
    for (size_t i = 0; i < sizeof results / sizeof *results; i++)
        if (strcmp(name, results[i].name) == 0) {
            *result = results[i].result;
            return true;
        }
    char *end;
    unsigned long value = strtoul(text, &end, 0);
    *result = (ze_result_t)value;
    return isdigit((unsigned char)text[0]) && !*end && value > 0 && value <= 0x7fffffff;
}

/* "NAME:N=RESULT" or "NAME:N+=RESULT". */
static bool read_fault(struct fault *fault, const char *text) {
    int end = 0;
    if (sscanf(text, "%63[^:]:%" SCNu64 "%n", fault->name, &fault->nth, &end) != 2 || fault->nth == 0)
        return false;
    fault->sticky = text[end] == '+';
    end += fault->sticky;
    return text[end] == '=' && read_result(text + end + 1, &fault->result);
}

static bool set_faults(const char *text) {
    struct fault read[MAX_FAULTS] = {{.nth = 0}};
    size_t n = 0;
    while (text && *text) {
        char item[160];
        const size_t length = strcspn(text, ",");
        snprintf(item, sizeof item, "%.*s", (int)length, text);
        text += length + (text[length] == ',');
        if (item[0] && (n == MAX_FAULTS || !read_fault(&read[n], item)))
            return soft_refuse("'%s' is no fault, expected CALL:N=RESULT or CALL:N+=RESULT (at most %d)", item,
                               MAX_FAULTS);
        n += item[0] != '\0';
    }
    pthread_mutex_lock(&fault_lock);
    memcpy(faults, read, n * sizeof *read);
    nfaults = n;
    pthread_mutex_unlock(&fault_lock);
    return true;
}

/* "N" or "N@DEVICE". */
static bool read_loss(const char *text) {
    char *end;
    const unsigned long long n = strtoull(text, &end, 10);
    unsigned long long device = 0;
    const bool one = *end == '@' && isdigit((unsigned char)end[1]);
    if (one)
        device = strtoull(end + 1, &end, 10);
    if (!isdigit((unsigned char)text[0]) || *end || n == 0 || device >= SOFT_MAX_LISTED)
        return false;
    pthread_mutex_lock(&fault_lock);
    *(one ? &lose_one_in[device] : &lose_in) = n;
    pthread_mutex_unlock(&fault_lock);
    return true;
}

bool soft_faults_from_environment(void) {
    const char *lose = getenv("SOFT_GPU_LOSE");
    if (lose && *lose && !read_loss(lose))
        return soft_refuse(
            "SOFT_GPU_LOSE is '%s', expected the number of a call, from 1, and @DEVICE where one is lost", lose);
    return set_faults(getenv("SOFT_GPU_FAIL"));
}

static void count(const char *call) {
    size_t i = 0;
    /* Every name comes from one place, so its address tells it. */
    while (i < MAX_NAMES && counters[i].name && counters[i].name != call)
        i++;
    if (i < MAX_NAMES) {
        counters[i].name = call;
        counters[i].calls++;
    }
}

/* What the faults say about a call. Every fault counts the call, whichever decides. */
static ze_result_t decide(const char *call, bool any) {
    ze_result_t result = ZE_RESULT_SUCCESS;
    for (size_t i = 0; i < nfaults; i++) {
        struct fault *fault = &faults[i];
        if (strcmp(fault->name, call) != 0 && !(any && strcmp(fault->name, "*") == 0))
            continue;
        fault->seen++;
        if (!result && (fault->seen == fault->nth || (fault->sticky && fault->seen > fault->nth)))
            result = fault->result;
    }
    return result;
}

ze_result_t soft_enter(const char *call, enum soft_need need) {
    pthread_mutex_lock(&fault_lock);
    uint64_t nth = ++total;
    count(call);
    ze_result_t result = decide(call, true);
    bool lose = lose_in && --lose_in == 0;
    soft_gpu_callback callback = trace_callback;
    void *user = trace_user;
    pthread_mutex_unlock(&fault_lock);
    if (callback)
        callback(call, nth, user);
    if (lose) {
        pthread_mutex_lock(&soft_lock);
        soft_lose(NULL);
        pthread_mutex_unlock(&soft_lock);
    }
    if (result)
        return result;
    if (!atomic_load(&soft_initialized) && strncmp(call, "zeInit", 6) != 0)
        return ZE_RESULT_ERROR_UNINITIALIZED;
    return need == SOFT_DEVICE && atomic_load(&soft_lost) ? ZE_RESULT_ERROR_DEVICE_LOST : ZE_RESULT_SUCCESS;
}

/* With soft_lock held. */
static void lose_one(struct soft_device *device) {
    atomic_fetch_add(&losses, 1);
    soft_lose(device);
}

/* Counts a call about a device; returns whether it is to be lost now. */
static bool count_about(const struct soft_device *device) {
    uint64_t *left = &lose_one_in[device->root->number];
    pthread_mutex_lock(&fault_lock);
    const bool lose = *left && --*left == 0;
    pthread_mutex_unlock(&fault_lock);
    return lose;
}

ze_result_t soft_enter_command(struct soft_device *device) {
    pthread_mutex_lock(&fault_lock);
    count("execute");
    ze_result_t result = decide("execute", false);
    pthread_mutex_unlock(&fault_lock);
    if (count_about(device))
        lose_one(device);
    return result ? result : soft_is_lost(device) ? ZE_RESULT_ERROR_DEVICE_LOST : ZE_RESULT_SUCCESS;
}

bool soft_is_lost(const struct soft_device *device) {
    return atomic_load(&soft_lost) || (device ? atomic_load(&device->root->lost) : atomic_load(&losses) > 0);
}

bool soft_reach(const struct soft_object *object) {
    struct soft_device *device = soft_device_of(object);
    if (!device)
        return false;
    if (count_about(device)) {
        pthread_mutex_lock(&soft_lock);
        lose_one(device);
        pthread_mutex_unlock(&soft_lock);
    }
    return soft_is_lost(device);
}

ze_result_t soft_misuse(ze_result_t result, const char *call, const char *format, ...) {
    char text[sizeof latest_misuse];
    int used = snprintf(text, sizeof text, "%s: ", call);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, sizeof text - (size_t)used, format, arguments);
    va_end(arguments);
    fprintf(stderr, "soft_gpu: misuse: %s\n", text);
    pthread_mutex_lock(&fault_lock);
    misuses++;
    all_misuses++;
    memcpy(latest_misuse, text, sizeof text);
    pthread_mutex_unlock(&fault_lock);
    return result;
}

size_t soft_misuse_count(void) {
    pthread_mutex_lock(&fault_lock);
    size_t n = all_misuses;
    pthread_mutex_unlock(&fault_lock);
    return n;
}

/* ---- for test programs ---- */

static int table_fail(const char *text) { return set_faults(text) ? 0 : -1; }

static void table_lose(uint64_t n) {
    pthread_mutex_lock(&soft_lock);
    if (n == 0)
        soft_lose(NULL);
    pthread_mutex_lock(&fault_lock);
    lose_in = n;
    pthread_mutex_unlock(&fault_lock);
    pthread_mutex_unlock(&soft_lock);
}

static int table_lose_one(uint32_t number, uint64_t n) {
    struct soft_device *device = soft_device_listed(number);
    if (!device)
        return -1;
    pthread_mutex_lock(&soft_lock);
    if (n == 0)
        lose_one(device);
    pthread_mutex_lock(&fault_lock);
    lose_one_in[number] = n;
    pthread_mutex_unlock(&fault_lock);
    pthread_mutex_unlock(&soft_lock);
    return 0;
}

static void table_recover(void) {
    pthread_mutex_lock(&fault_lock);
    lose_in = 0;
    memset(lose_one_in, 0, sizeof lose_one_in);
    pthread_mutex_unlock(&fault_lock);
    atomic_store(&soft_lost, false);
    atomic_store(&losses, 0);
    for (uint32_t i = 0; soft_device_listed(i); i++)
        atomic_store(&soft_device_listed(i)->lost, false);
}

static uint64_t table_calls(const char *name) {
    pthread_mutex_lock(&fault_lock);
    uint64_t calls = name ? 0 : total;
    for (size_t i = 0; name && i < MAX_NAMES && counters[i].name; i++)
        if (strcmp(counters[i].name, name) == 0)
            calls = counters[i].calls;
    pthread_mutex_unlock(&fault_lock);
    return calls;
}

static void table_trace(soft_gpu_callback callback, void *user) {
    pthread_mutex_lock(&fault_lock);
    trace_callback = callback;
    trace_user = user;
    pthread_mutex_unlock(&fault_lock);
}

/* What has been asked for is expected, so it does not count at the end of the process. */
static size_t table_misuses(char *text, size_t size) {
    pthread_mutex_lock(&fault_lock);
    size_t n = misuses;
    all_misuses -= misuses;
    misuses = 0;
    if (text && size)
        snprintf(text, size, "%s", n ? latest_misuse : "");
    pthread_mutex_unlock(&fault_lock);
    return n;
}

static int table_set(const char *text) {
    pthread_mutex_lock(&soft_lock);
    struct soft_settings read = soft_settings;
    const bool right = soft_settings_read(&read, text);
    if (right) {
        read.devices = soft_settings.devices;
        read.tiles = soft_settings.tiles;
        read.flat = soft_settings.flat;
        soft_settings = read;
    }
    pthread_mutex_unlock(&soft_lock);
    return right ? 0 : -1;
}

extern const struct soft_gpu soft_gpu_table;
__attribute__((visibility("default"))) const struct soft_gpu soft_gpu_table = {
    table_fail,    table_lose, table_recover,     table_calls, table_trace,    soft_live,
    table_misuses, table_set,  soft_pace_longest, soft_lists,  table_lose_one, soft_pace_overlaps,
};
