/* SPDX-License-Identifier: Apache-2.0 */
/* What runs commands: a stream is the worker thread of a command queue or of an immediate list. */
#ifndef SOFT_STREAM_H
#define SOFT_STREAM_H

#include "opencl.h"
#include "soft.h"

#define SOFT_PATTERN_MAX 128

enum soft_event_state { SOFT_RESET, SOFT_SIGNALED, SOFT_FAILED };

struct soft_pool {
    struct soft_object object;
    ze_event_pool_flags_t flags;
    uint32_t count;
    struct soft_event **events; /* of each place; under soft_lock */
};

struct soft_event {
    struct soft_object object;
    struct soft_pool *pool;
    uint32_t index;
    enum soft_event_state state; /* this and what follows: under soft_lock */
    ze_result_t failure;
    struct soft_stream *failed_by; /* a reference is held */
    uint64_t begin, end;           /* ticks */
};

struct soft_fence {
    struct soft_object object;
    struct soft_queue *queue;
    enum soft_event_state state;
    ze_result_t failure;
    struct soft_stream *failed_by;
};

enum soft_work_kind {
    SOFT_WORK_BARRIER,
    SOFT_WORK_COPY,
    SOFT_WORK_COPY_REGION,
    SOFT_WORK_FILL,
    SOFT_WORK_LAUNCH,
    SOFT_WORK_SIGNAL, /* and all else that does nothing itself: prefetch, advice, waiting */
    SOFT_WORK_RESET,
    SOFT_WORK_TIMESTAMP,
    SOFT_WORK_QUERY,
    SOFT_WORK_FENCE,
};

struct soft_region {
    size_t width, height, depth; /* bytes, rows, slices */
    size_t destination_pitch, destination_slice, source_pitch, source_slice;
};

/* A command, as it was appended; never changed, so that a list may be executed again. */
struct soft_work {
    struct soft_object object;
    enum soft_work_kind kind;
    uint32_t nwaits;
    struct soft_event **waits;
    struct soft_event *signal; /* or what is reset */
    struct soft_fence *fence;
    struct soft_object **used; /* references are held: events, allocations, kernel */
    size_t nused;
    void *destination;
    const void *source;
    size_t size;
    struct soft_region region;
    unsigned char pattern[SOFT_PATTERN_MAX];
    size_t pattern_size;
    struct soft_launch *launch;
    struct soft_event **queried; /* `nqueried` events whose timestamps go to `destination`; `offsets` or NULL */
    uint32_t nqueried;
    size_t *offsets;
};

struct soft_command {
    struct soft_command *next;
    struct soft_work *work;
    uint64_t not_before;
};

struct soft_stream {
    struct soft_object object;
    struct soft_device *device;
    bool copy_only, synchronous;
    bool started, quit;
    pthread_t thread;
    pthread_cond_t more;
    struct soft_command *first, **last;
    size_t pending;
    ze_result_t poison; /* every command fails with it, until the host has been told and nothing is pending */
    bool poison_told;
    uint64_t random;
    struct soft_opencl_queue *opencl;
    struct soft_stream *next;
};

struct soft_queue {
    struct soft_object object;
    struct soft_stream *stream;
    struct soft_context *context;
    struct soft_device *device;
    uint32_t ordinal;
};

struct soft_list {
    struct soft_object object;
    struct soft_context *context;
    struct soft_device *device;
    uint32_t ordinal;
    bool copy_only;
    struct soft_stream *stream; /* of an immediate list */
    bool closed;
    struct soft_work **works;
    size_t nworks, room;
};

/* A stream of a device's queue group; NULL where there is no memory or no thread. */
struct soft_stream *soft_stream_new(struct soft_device *device, bool copy_only, bool synchronous);
/* Ends it: what cannot finish any more is dropped. Reports misuse if something is pending. */
void soft_stream_end(struct soft_stream *stream, const char *call);
/* Submits commands in order; the works' references are the caller's. */
ze_result_t soft_stream_submit(struct soft_stream *stream, struct soft_work *const *works, size_t nworks);
/* Waits until nothing is pending; lock held. The poison, ZE_RESULT_NOT_READY, or the loss of the device. */
ze_result_t soft_stream_wait(struct soft_stream *stream, uint64_t timeout);
/* Wakes all streams that have something to do; lock held. */
void soft_streams_wake(void);
/* The host has been told of this stream's failure; lock held, `stream` may be NULL. */
void soft_stream_told(struct soft_stream *stream);
/* The moment `timeout` nanoseconds from now; UINT64_MAX stays. */
uint64_t soft_deadline(uint64_t timeout);

/* A new command that waits and signals; the events are checked. */
ze_result_t soft_work_new(const char *call, enum soft_work_kind kind, ze_event_handle_t signal, uint32_t nwaits,
                          ze_event_handle_t *waits, struct soft_work **created);
/* The command uses an object: holds a reference. False where there is no memory. */
bool soft_work_use(struct soft_work *work, struct soft_object *object);
/* Runs what the command does, without the lock. */
ze_result_t soft_work_run(struct soft_work *work, struct soft_stream *stream);

/* An event's states; lock held. */
void soft_event_set(struct soft_event *event, enum soft_event_state state, ze_result_t failure,
                    struct soft_stream *failed_by);

#endif
