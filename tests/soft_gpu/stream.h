/* SPDX-License-Identifier: Apache-2.0 */
/* What runs commands: a stream is what a list has been given, and its worker thread, if lists have any. */
#pragma once

#include "executor.h"

#define SOFT_PATTERN_MAX 128

enum soft_event_state { SOFT_RESET, SOFT_SIGNALED, SOFT_FAILED };

struct soft_pool {
    struct soft_object object;
    ze_event_pool_flags_t flags;
    bool counts; /* its events are counters */
    uint32_t count;
    struct soft_event **events; /* of each place; under soft_lock */
};

struct soft_event {
    struct soft_object object;
    struct soft_pool *pool;
    uint32_t index;
    enum soft_event_state state; /* this and what follows: under soft_lock */
    uint64_t given, ended;       /* how many commands that signal it were appended; the last of them that has ended */
    ze_result_t failure;
    struct soft_stream *failed_by; /* a reference is held */
    uint64_t begin, end;           /* ticks */
};

enum soft_work_kind { SOFT_WORK_BARRIER, SOFT_WORK_COPY, SOFT_WORK_FILL, SOFT_WORK_LAUNCH };

/* A command, as it was appended. */
struct soft_work {
    struct soft_object object;
    struct soft_work *next;
    enum soft_work_kind kind;
    uint64_t not_before;
    uint32_t nwaits;
    struct soft_event **waits;
    uint64_t *counts; /* of those that are counters, what is waited for */
    struct soft_event *signal;
    uint64_t signal_count;
    struct soft_object **used; /* references are held: events, allocations, kernel */
    size_t nused;
    void *destination;
    const void *source;
    size_t size;
    unsigned char pattern[SOFT_PATTERN_MAX];
    size_t pattern_size;
    struct soft_launch *launch;
};

struct soft_stream {
    struct soft_object object;
    struct soft_device *device;
    bool in_order;
    bool worker; /* else commands run in threads that wait, and not before */
    bool quit;
    bool busy; /* one of its commands runs, without the lock */
    pthread_t thread;
    pthread_cond_t more;
    struct soft_work *first, **last;
    size_t pending;
    ze_result_t poison; /* every command fails with it, until the host has seen it and nothing is pending */
    bool poison_seen;
    uint64_t random;
    struct soft_queue *queue;
    struct soft_stream *next;
};

struct soft_list {
    struct soft_object object;
    struct soft_context *context;
    struct soft_device *device;
    bool copy_only;
    ze_command_queue_priority_t priority;
    struct soft_stream *stream;
};

/* Runs a launch, and loses what the settings `torn` and `torn_in` say (launch.c). */
ze_result_t soft_torn_run(struct soft_stream *stream, struct soft_work *work);

/* A stream of a device, for a list that is in order or not; NULL without memory or a thread. */
struct soft_stream *soft_stream_new(struct soft_device *device, bool in_order);
/* Ends it: what cannot finish any more is dropped. Reports misuse if something is pending. */
void soft_stream_end(struct soft_stream *stream, const char *call);
/* Submits a command, or drops it (it may be NULL) and returns `result` if that is a failure. */
ze_result_t soft_stream_submit(struct soft_stream *stream, struct soft_work *work, ze_result_t result);
/* Waits until the stream is at rest, or `deadline`; returns what became of its commands, or NOT_READY. */
ze_result_t soft_stream_wait(struct soft_stream *stream, uint64_t deadline);
/* Wakes all streams that have something to do; lock held. */
void soft_streams_wake(void);
/* Waits for a change until `deadline`, as soft_wait does; lock held, but released during the wait. If lists have no
 * workers, a command that may run now is run, and was the change: even if the time is over, so that asking again and
 * again ends.
 */
bool soft_streams_wait(uint64_t deadline);
/* The host has seen this stream's failure; lock held, `stream` may be NULL. */
void soft_stream_seen(struct soft_stream *stream);

/* A new command that waits and signals; the events are checked. */
ze_result_t soft_work_new(const char *call, enum soft_work_kind kind, ze_event_handle_t signal, uint32_t nwaits,
                          ze_event_handle_t *waits, struct soft_work **created);
/* The command uses an object: holds a reference. False without memory. */
bool soft_work_use(struct soft_work *work, struct soft_object *object);
/* Runs what the command does, without the lock. */
ze_result_t soft_work_run(struct soft_work *work, struct soft_stream *stream);

/* Runs a launch, which lasts as long as the time model says. */
ze_result_t soft_pace_run(const struct soft_stream *stream, const struct soft_launch *launch);
/* Copies, and counts the copy if a launch runs at the same time. */
ze_result_t soft_pace_copy(const struct soft_stream *stream, void *destination, const void *source, size_t size);

/* The moment `timeout` nanoseconds from now; UINT64_MAX stays. */
uint64_t soft_deadline(uint64_t timeout);

/* Reports the use of a counter that no appended command will raise. */
ze_result_t soft_event_check_given(const struct soft_event *event, const char *call);

/* An event's states; lock held. */
void soft_event_set(struct soft_event *event, enum soft_event_state state, ze_result_t failure,
                    struct soft_stream *failed_by);
