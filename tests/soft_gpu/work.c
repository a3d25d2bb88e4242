/* SPDX-License-Identifier: Apache-2.0 */
/* What a command is made of, and what it does. */
#include "stream.h"

#include <signal.h>
#include <time.h>

pthread_mutex_t soft_lock = PTHREAD_MUTEX_INITIALIZER;

uint64_t soft_deadline(uint64_t timeout) {
    uint64_t now = uhi_host_now();
    return timeout > UINT64_MAX - now ? UINT64_MAX : now + timeout;
}

uint64_t soft_ticks(uint64_t nanoseconds) { return nanoseconds / soft_settings.timer; }

uint64_t soft_tick_mask(void) {
    return soft_settings.timer_bits == 64 ? UINT64_MAX : (UINT64_C(1) << soft_settings.timer_bits) - 1;
}

bool soft_wait(pthread_cond_t *condition, uint64_t deadline) {
    if (deadline == UINT64_MAX) {
        pthread_cond_wait(condition, &soft_lock);
        return true;
    }
    if (uhi_host_now() >= deadline)
        return false;
    struct timespec end = {(time_t)(deadline / 1000000000u), (long)(deadline % 1000000000u)};
    pthread_cond_timedwait(condition, &soft_lock, &end);
    return true;
}

void soft_condition_init(pthread_cond_t *condition) {
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &monotonic);
    pthread_condattr_destroy(&monotonic);
}

int soft_thread_start(pthread_t *thread, void *(*function)(void *), void *argument) {
    sigset_t most, before;
    sigfillset(&most);
    sigdelset(&most, SIGSEGV);
    sigdelset(&most, SIGBUS);
    sigdelset(&most, SIGFPE);
    sigdelset(&most, SIGILL);
    pthread_sigmask(SIG_SETMASK, &most, &before);
    const int failed = pthread_create(thread, NULL, function, argument);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return failed;
}

bool soft_work_use(struct soft_work *work, struct soft_object *object) {
    struct soft_object **used = realloc(work->used, (work->nused + 1) * sizeof(struct soft_object *));
    if (!used)
        return false;
    work->used = used;
    used[work->nused++] = object;
    soft_reference(object);
    return true;
}

static void release(struct soft_object *object) {
    struct soft_work *work = (struct soft_work *)object;
    for (size_t i = 0; i < work->nused; i++)
        soft_unreference(work->used[i]);
    free(work->used);
    free(work->waits);
    free(work->counts);
    free(work->launch);
}

ze_result_t soft_work_new(const char *call, enum soft_work_kind kind, ze_event_handle_t signal, uint32_t nwaits,
                          ze_event_handle_t *waits, struct soft_work **created) {
    ze_result_t result = ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    if (nwaits && !waits)
        return ZE_RESULT_ERROR_INVALID_SIZE;
    struct soft_work *work = soft_new(SOFT_KIND_work, sizeof *work, NULL, release);
    if (!work)
        return result;
    work->kind = kind;
    if (nwaits && (!(work->waits = calloc(nwaits, sizeof(struct soft_event *))) ||
                   !(work->counts = calloc(nwaits, sizeof *work->counts))))
        goto out;
    for (uint32_t i = 0; i < nwaits; i++) {
        struct soft_event *event = soft_get(waits[i], SOFT_KIND_event, call);
        result = event ? ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY : ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
        if (!event || !soft_work_use(work, &event->object))
            goto out;
        work->waits[work->nwaits++] = event;
    }
    if (signal) {
        work->signal = soft_get(signal, SOFT_KIND_event, call);
        result = work->signal ? ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY : ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
        if (!work->signal || !soft_work_use(work, &work->signal->object))
            goto out;
    }
    result = ZE_RESULT_SUCCESS;
out:
    if (result)
        soft_unreference(&work->object);
    else
        *created = work;
    return result;
}

ze_result_t soft_work_run(struct soft_work *work, struct soft_stream *stream) {
    switch (work->kind) {
    case SOFT_WORK_COPY: return soft_pace_copy(stream, work->destination, work->source, work->size);
    case SOFT_WORK_FILL:
        return soft_executor->fill(stream->queue, work->destination, work->size, work->pattern, work->pattern_size);
    case SOFT_WORK_LAUNCH: return soft_torn_run(stream, work);
    case SOFT_WORK_BARRIER: break;
    }
    return ZE_RESULT_SUCCESS;
}
