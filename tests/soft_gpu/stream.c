/* SPDX-License-Identifier: Apache-2.0 */
#include "stream.h"

static struct soft_stream *streams; /* these are under soft_lock */
static uint64_t random_stream = 1;

enum { MAX_DELAY = 20000 }; /* nanoseconds from the submission of a command until it begins, at most */

void soft_streams_wake(void) {
    for (struct soft_stream *stream = streams; stream; stream = stream->next)
        if (stream->first)
            pthread_cond_signal(&stream->more);
}

void soft_stream_seen(struct soft_stream *stream) {
    if (stream)
        stream->poison_seen = true;
}

/* xorshift64* (Vigna 2016). */
static uint64_t draw(uint64_t *state) {
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * 0x2545f4914f6cdd1du;
}

static bool waits_over(const struct soft_work *work) {
    for (uint32_t i = 0; i < work->nwaits; i++) {
        const struct soft_event *event = work->waits[i];
        if (event->pool->counts ? event->ended < work->counts[i] : event->state == SOFT_RESET)
            return false;
    }
    return true;
}

/* Whether a command may begin now; `first` is whether all earlier ones are done. A barrier that waits for events does
 * not wait for earlier commands: zeCommandListAppendBarrier says so. */
static bool ready(const struct soft_work *work, bool first, uint64_t now, uint64_t *wake) {
    if (!waits_over(work))
        return false;
    if (!first && work->kind == SOFT_WORK_BARRIER && work->nwaits == 0)
        return false;
    if (now < work->not_before) {
        *wake = work->not_before < *wake ? work->not_before : *wake;
        return false;
    }
    return true;
}

/* The place of the command to run next, NULL if none may; *wake is when to look again. Level Zero orders the commands
 * of a list by barriers and events only, so any that is ready may be next, unless the list is made to be in order. */
static struct soft_work **pick(struct soft_stream *stream, uint64_t *wake) {
    struct soft_work **picked = NULL;
    uint64_t candidates = 0, now = uhi_host_now();
    *wake = UINT64_MAX;
    for (struct soft_work **place = &stream->first; *place; place = &(*place)->next) {
        if (ready(*place, place == &stream->first, now, wake) && draw(&stream->random) % ++candidates == 0)
            picked = place;
        if ((*place)->kind == SOFT_WORK_BARRIER || stream->in_order)
            break;
    }
    return picked;
}

/* The failure that a command takes over: its stream's, or that of an event it waited for. */
static ze_result_t inherited(const struct soft_stream *stream, const struct soft_work *work) {
    ze_result_t failure = stream->poison;
    for (uint32_t i = 0; !failure && i < work->nwaits; i++)
        if (work->waits[i]->state == SOFT_FAILED) {
            failure = work->waits[i]->failure;
            soft_stream_seen(work->waits[i]->failed_by); /* this stream passes the failure on */
        }
    return failure;
}

static void release_work(struct soft_stream *stream, struct soft_work *work) {
    for (size_t i = 0; i < work->nused; i++)
        work->used[i]->uses--;
    stream->pending--;
    soft_unreference(&work->object);
}

/* Signals the end of a command. A counter that a later command is to raise shows that one's. */
static void signal_end(struct soft_work *work, ze_result_t failure, struct soft_stream *failed_by) {
    struct soft_event *event = work->signal;
    if (!event)
        return;
    if (event->ended < work->signal_count)
        event->ended = work->signal_count;
    if (!event->pool->counts || event->given == work->signal_count)
        soft_event_set(event, failure ? SOFT_FAILED : SOFT_SIGNALED, failure, failed_by);
}

/* A command that is never done: the devices are lost, or its own is, which others may wait for, or its list is gone. */
static void drop(struct soft_stream *stream, struct soft_work *work) {
    if (atomic_load(&stream->device->root->lost))
        signal_end(work, ZE_RESULT_ERROR_DEVICE_LOST, NULL);
    release_work(stream, work);
}

static void drop_all(struct soft_stream *stream) {
    while (stream->first) {
        struct soft_work *work = stream->first;
        stream->first = work->next;
        drop(stream, work);
    }
    stream->last = &stream->first;
    soft_streams_wake();
    pthread_cond_broadcast(&soft_changed);
}

void soft_lose(struct soft_device *device) {
    atomic_store(device ? &device->root->lost : &soft_lost, true);
    for (struct soft_stream *stream = streams; stream; stream = stream->next)
        if (!stream->busy && soft_is_lost(stream->device))
            drop_all(stream);
    pthread_cond_broadcast(&soft_changed);
}

/* `is_own`: the failure is not that of an event that was waited for. */
static void poison(struct soft_stream *stream, ze_result_t failure, bool is_own) {
    if (!stream->poison)
        stream->poison_seen = false;
    stream->poison = failure;
    if (failure == ZE_RESULT_ERROR_DEVICE_LOST && is_own)
        soft_lose(NULL);
}

static void complete(struct soft_stream *stream, struct soft_work *work, uint64_t begin) {
    if (work->signal) {
        work->signal->begin = soft_ticks(begin);
        work->signal->end = soft_ticks(uhi_host_now());
    }
    signal_end(work, stream->poison, stream);
    release_work(stream, work);
    soft_streams_wake();
    pthread_cond_broadcast(&soft_changed);
}

/* Runs the command at `place`; the lock is held, but released while it runs. */
static void run(struct soft_stream *stream, struct soft_work **place) {
    struct soft_work *work = *place;
    stream->busy = true;
    ze_result_t failure = inherited(stream, work);
    const bool is_own = !failure;
    if (!failure)
        failure = soft_enter_command(stream->device);
    uint64_t begin = uhi_host_now();
    if (!failure) {
        pthread_mutex_unlock(&soft_lock);
        failure = soft_work_run(work, stream);
        pthread_mutex_lock(&soft_lock);
    }
    if (failure)
        poison(stream, failure, is_own && !soft_is_lost(stream->device));
    /* Only the end of the list has changed during this time. */
    *place = work->next;
    if (stream->last == &work->next)
        stream->last = place;
    stream->busy = false;
    if (soft_is_lost(stream->device)) {
        stream->poison = ZE_RESULT_SUCCESS;
        drop(stream, work);
        drop_all(stream);
    } else {
        complete(stream, work, begin);
    }
}

static void *work_on(void *argument) {
    struct soft_stream *stream = argument;
    soft_protection_open();
    pthread_mutex_lock(&soft_lock);
    while (!stream->quit || stream->first) {
        uint64_t wake = UINT64_MAX;
        struct soft_work **place = pick(stream, &wake);
        if (place)
            run(stream, place);
        else if (stream->quit && wake == UINT64_MAX)
            drop_all(stream);
        else
            soft_wait(&stream->more, wake);
    }
    pthread_mutex_unlock(&soft_lock);
    return NULL;
}

/* ---- without workers ---- */

static void run_here(struct soft_stream *stream, struct soft_work **place) {
    const int before = soft_protection_open();
    run(stream, place);
    soft_protection_restore(before);
}

/* Runs a command of any list without a worker. False if none may run. */
static bool run_any(void) {
    struct soft_stream *picked = NULL;
    struct soft_work **place = NULL;
    uint64_t candidates = 0, wake;
    for (struct soft_stream *stream = streams; stream; stream = stream->next) {
        struct soft_work **ready = stream->worker || stream->busy ? NULL : pick(stream, &wake);
        if (ready && draw(&random_stream) % ++candidates == 0) {
            picked = stream;
            place = ready;
        }
    }
    if (picked)
        run_here(picked, place);
    return picked != NULL;
}

bool soft_streams_wait(uint64_t deadline) {
    return run_any() ? uhi_host_now() < deadline : soft_wait(&soft_changed, deadline);
}

/* What a worker does once it is to quit. */
static void run_rest(struct soft_stream *stream) {
    uint64_t wake;
    while (stream->first) {
        struct soft_work **place = stream->busy ? NULL : pick(stream, &wake);
        if (place)
            run_here(stream, place);
        else if (stream->busy)
            soft_wait(&soft_changed, UINT64_MAX);
        else
            drop_all(stream);
    }
}

static void release(struct soft_object *object) {
    struct soft_stream *stream = (struct soft_stream *)object;
    if (stream->queue)
        soft_executor->queue_free(stream->queue);
    pthread_cond_destroy(&stream->more);
}

struct soft_stream *soft_stream_new(struct soft_device *device, bool in_order) {
    struct soft_stream *stream = soft_new(SOFT_KIND_stream, sizeof *stream, NULL, release);
    if (!stream)
        return NULL;
    soft_condition_init(&stream->more);
    stream->device = device;
    stream->in_order = in_order;
    stream->last = &stream->first;
    stream->random = (soft_settings.seed + stream->object.number) * 0x9e3779b97f4a7c15u | 1;
    stream->queue = soft_executor->queue_new();
    stream->worker = soft_settings.workers;
    if (!stream->queue || (stream->worker && soft_thread_start(&stream->thread, work_on, stream) != 0)) {
        soft_unreference(&stream->object);
        return NULL;
    }
    pthread_mutex_lock(&soft_lock);
    stream->next = streams;
    streams = stream;
    pthread_mutex_unlock(&soft_lock);
    return stream;
}

void soft_stream_end(struct soft_stream *stream, const char *call) {
    pthread_mutex_lock(&soft_lock);
    size_t pending = stream->pending;
    stream->quit = true;
    pthread_cond_signal(&stream->more);
    if (!stream->worker)
        run_rest(stream);
    pthread_mutex_unlock(&soft_lock);
    if (pending && !soft_is_lost(stream->device))
        soft_misuse(ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE, call, "%zu commands are not done", pending);
    if (stream->worker)
        pthread_join(stream->thread, NULL);
    pthread_mutex_lock(&soft_lock);
    struct soft_stream **place = &streams;
    while (*place && *place != stream)
        place = &(*place)->next;
    if (*place)
        *place = stream->next;
    pthread_mutex_unlock(&soft_lock);
    soft_unreference(&stream->object);
}

ze_result_t soft_stream_wait(struct soft_stream *stream, uint64_t deadline) {
    while (stream->pending && !soft_is_lost(stream->device))
        if (!soft_streams_wait(deadline) && stream->pending)
            return ZE_RESULT_NOT_READY;
    if (soft_is_lost(stream->device))
        return ZE_RESULT_ERROR_DEVICE_LOST;
    soft_stream_seen(stream);
    return stream->poison;
}

/* Counters are for lists in order, and what is waited for has been promised. */
static ze_result_t check_counters(const struct soft_stream *stream, const struct soft_work *work) {
    bool counts = work->signal && work->signal->pool->counts;
    for (uint32_t i = 0; i < work->nwaits; i++) {
        counts |= work->waits[i]->pool->counts;
        if (soft_event_check_given(work->waits[i], "append"))
            return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    }
    return counts && !stream->in_order ? soft_misuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "append",
                                                     "the event is a counter, and the list is not in order")
                                       : ZE_RESULT_SUCCESS;
}

/* What a command waits for and what it will have signaled, which counters know from when it is appended. */
static void count_events(struct soft_work *work) {
    for (uint32_t i = 0; i < work->nwaits; i++)
        work->counts[i] = work->waits[i]->given;
    if (!work->signal)
        return;
    work->signal_count = ++work->signal->given;
    if (work->signal->pool->counts)
        soft_event_set(work->signal, SOFT_RESET, ZE_RESULT_SUCCESS, NULL);
}

ze_result_t soft_stream_submit(struct soft_stream *stream, struct soft_work *work, ze_result_t result) {
    if (!result)
        result = check_counters(stream, work);
    if (result) {
        if (work)
            soft_unreference(&work->object);
        return result;
    }
    pthread_mutex_lock(&soft_lock);
    if (stream->poison && stream->poison_seen && !stream->pending)
        stream->poison = ZE_RESULT_SUCCESS;
    for (size_t i = 0; i < work->nused; i++)
        work->used[i]->uses++;
    count_events(work);
    work->not_before = stream->worker ? uhi_host_now() + draw(&stream->random) % MAX_DELAY : 0;
    stream->pending++;
    *stream->last = work;
    stream->last = &work->next;
    if (soft_is_lost(stream->device) && !stream->busy)
        drop_all(stream);
    pthread_cond_signal(&stream->more);
    pthread_mutex_unlock(&soft_lock);
    return ZE_RESULT_SUCCESS;
}
