/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/common/shares.h"

#include <pthread.h>
#include <stdio.h>

#include "runtime/backend.h"
#include "runtime/host.h"
#include "runtime/log.h"
#include "runtime/memory.h"
#include "runtime/status.h"

/* A part of unknown speed starts with 1/FIRST_PIECES of its equal share. */
enum { FIRST_PIECES = 16 };

/* A part takes this fraction of its share of the remaining elements at current speeds: half, so that some remain for
 * parts that turn out faster. A piece has a minimum time in seconds, because its results are copied to the host,
 * and a maximum, because progress is reported between pieces. */
#define SHARE_OF_REMAINING 0.5
#define MIN_SECONDS        0.004
#define MAX_SECONDS        0.5

/* Weight of a part's earlier pieces relative to its last: long pieces weigh more, because the fixed cost of a short
 * piece hides the part's speed. */
#define MEMORY 0.5

struct range {
    size_t from, n;
};

/* One part in one call. */
struct worker {
    struct sharing *sharing;
    size_t part;
    uh_queue *queue;
    int may, started;
    uint64_t elements, pieces;
    double recent, seconds; /* elements and their time, with less weight on earlier pieces */
    uh_status failed;
    pthread_t thread;
};

struct sharing {
    const struct uhi_share *share;
    struct uhi_speeds *speeds;
    pthread_mutex_t lock; /* guards the members below */
    pthread_cond_t changed;
    size_t next, done;                     /* elements taken once; elements done */
    struct range returned[UHI_MAX_SHARES]; /* by failed parts, at most one each */
    size_t nreturned, busy, alive;         /* `busy` pieces, `alive` threads */
    int stopped;
    uh_status first; /* failure and its message */
    struct uhi_message message;
    struct worker worker[UHI_MAX_SHARES];
};

int uhi_is_shared(const uh_queue *queue) { return queue->nparts > 0; }

size_t uhi_share_text(const uh_queue *queue, char *text, size_t size) {
    const char *before = "; divided by speed among ";
    size_t length = 0;
    if (size > 0)
        text[0] = '\0';
    for (size_t i = 0; i < queue->nparts; i++) {
        const size_t used = length < size ? length : size;
        if (uhi_device_is_lost(queue->parts[i]->device))
            continue;
        const int written = snprintf(size ? text + used : NULL, size - used, "%s%s", before,
                                     queue->parts[i]->device->properties.selector);
        length += written > 0 ? (size_t)written : 0;
        before = ", ";
    }
    return length;
}

/* ---- pieces ------------------------------------------------------------------------------------------------------ */

/* Returns 1 for failures that other parts may not have. */
static int is_of_the_part(uh_status status) {
    return status == UH_ERROR_OUT_OF_MEMORY || status == UH_ERROR_OUT_OF_DEVICE_MEMORY ||
           status == UH_ERROR_UNSUPPORTED || status == UH_ERROR_TIMEOUT || status == UH_ERROR_DEVICE_LOST ||
           status == UH_ERROR_DRIVER || status == UH_ERROR_BUILD;
}

/* Returns the number of elements not taken. Locked, as are the functions up to do_next. */
static size_t count_remaining(const struct sharing *sharing) {
    size_t left = sharing->share->n - sharing->next;
    for (size_t i = 0; i < sharing->nreturned; i++)
        left += sharing->returned[i].n;
    return left;
}

/* Returns the total speed of all working parts; unknown speeds count as `own`. */
static double speed_of_all(const struct sharing *sharing, double own) {
    double all = 0;
    for (size_t i = 0; i < sharing->share->queue->nparts; i++) {
        const struct worker *worker = &sharing->worker[i];
        if (worker->started && !worker->failed)
            all += sharing->speeds->of[i] > 0 ? sharing->speeds->of[i] : own;
    }
    return all > own ? all : own;
}

static size_t length_of_next(const struct sharing *sharing, size_t part) {
    const size_t left = count_remaining(sharing), min_piece = sharing->share->min_piece ? sharing->share->min_piece : 1;
    const double own = sharing->speeds->of[part];
    double length = (double)sharing->share->n / (FIRST_PIECES * (double)sharing->share->queue->nparts);
    if (own > 0) {
        length = (double)left * own / speed_of_all(sharing, own) * SHARE_OF_REMAINING;
        length = length > own * MIN_SECONDS ? length : own * MIN_SECONDS;
        length = length < own * MAX_SECONDS ? length : own * MAX_SECONDS;
    }
    const size_t n = length > (double)min_piece ? (size_t)length : min_piece;
    return left - (n < left ? n : left) < min_piece ? left : n;
}

/* Takes the next piece; waits while others work, because they may return theirs. Returns 0 if none is left. */
static size_t take_piece(struct worker *worker, size_t *from) {
    struct sharing *sharing = worker->sharing;
    while (!sharing->stopped && !worker->failed && count_remaining(sharing) == 0 && sharing->busy > 0)
        pthread_cond_wait(&sharing->changed, &sharing->lock);
    if (sharing->stopped || worker->failed || count_remaining(sharing) == 0)
        return 0;
    size_t n = length_of_next(sharing, worker->part);
    if (sharing->nreturned > 0) {
        struct range *range = &sharing->returned[sharing->nreturned - 1];
        n = n < range->n ? n : range->n;
        *from = range->from;
        range->from += n;
        range->n -= n;
        sharing->nreturned -= range->n == 0;
    } else {
        const size_t fresh = sharing->share->n - sharing->next;
        n = n < fresh ? n : fresh;
        *from = sharing->next;
        sharing->next += n;
    }
    sharing->busy++;
    return n;
}

static void return_piece(struct worker *worker, struct range piece, uh_status status) {
    struct sharing *sharing = worker->sharing;
    worker->failed = status;
    sharing->returned[sharing->nreturned++] = piece;
    if (!is_of_the_part(status))
        sharing->stopped = 1;
    if (sharing->first && is_of_the_part(status)) /* the first failure of a part, or one of the caller */
        return;
    sharing->first = status;
    uhi_message_keep(&sharing->message);
}

static void note_speed(struct worker *worker, size_t n, uint64_t nanoseconds) {
    worker->recent = worker->recent * MEMORY + (double)n;
    worker->seconds = worker->seconds * MEMORY + (double)(nanoseconds ? nanoseconds : 1) * 1e-9;
    worker->sharing->speeds->of[worker->part] = worker->recent / worker->seconds;
}

/* Does one piece; returns 0 without one. */
static int do_next(struct worker *worker) {
    struct sharing *sharing = worker->sharing;
    size_t from = 0;
    pthread_mutex_lock(&sharing->lock);
    const size_t n = take_piece(worker, &from);
    pthread_mutex_unlock(&sharing->lock);
    if (n == 0)
        return 0;
    const uint64_t begin = uhi_host_now();
    const uh_status status = sharing->share->piece(sharing->share->context, worker->part, from, n);
    const uint64_t nanoseconds = uhi_host_now() - begin;
    pthread_mutex_lock(&sharing->lock);
    sharing->busy--;
    if (status) {
        return_piece(worker, (struct range){from, n}, status);
    } else {
        note_speed(worker, n, nanoseconds);
        sharing->done += n;
        worker->elements += n;
        worker->pieces++;
    }
    pthread_cond_broadcast(&sharing->changed);
    pthread_mutex_unlock(&sharing->lock);
    return 1;
}

/* ---- threads ----------------------------------------------------------------------------------------------------- */

static void *run_worker(void *context) {
    struct worker *worker = context;
    struct sharing *sharing = worker->sharing;
    while (do_next(worker))
        ;
    pthread_mutex_lock(&sharing->lock);
    sharing->alive--;
    pthread_cond_broadcast(&sharing->changed);
    pthread_mutex_unlock(&sharing->lock);
    return NULL;
}

static void report_progress(struct sharing *sharing, size_t *reported) {
    const struct uhi_share *share = sharing->share;
    const size_t done = sharing->done;
    if (!share->progress || done == *reported || done == share->n || sharing->stopped)
        return;
    *reported = done;
    pthread_mutex_unlock(&sharing->lock);
    const int stops = share->progress(share->context, done);
    pthread_mutex_lock(&sharing->lock);
    sharing->stopped |= stops;
}

/* Runs as many parts at once as there are pieces for, one thread each; returns when all have ended. */
static void work_together(struct sharing *sharing) {
    const size_t nparts = sharing->share->queue->nparts,
                 min_piece = sharing->share->min_piece ? sharing->share->min_piece : 1;
    const size_t worth = sharing->share->n / min_piece;
    size_t reported = 0;
    if (worth < 2)
        return;
    pthread_mutex_lock(&sharing->lock); /* so that new threads see all parts */
    for (size_t i = 0; i < nparts && sharing->alive < worth; i++) {
        struct worker *worker = &sharing->worker[i];
        worker->started = worker->may && pthread_create(&worker->thread, NULL, run_worker, worker) == 0;
        sharing->alive += worker->started ? 1 : 0;
    }
    while (sharing->alive > 0) {
        pthread_cond_wait(&sharing->changed, &sharing->lock);
        report_progress(sharing, &reported);
    }
    pthread_mutex_unlock(&sharing->lock);
    for (size_t i = 0; i < nparts; i++)
        if (sharing->worker[i].started)
            (void)pthread_join(sharing->worker[i].thread, NULL);
}

/* Does the rest with parts that have not started, one after another, in the calling thread. */
static void run_alone(struct sharing *sharing) {
    size_t reported = sharing->done;
    for (size_t i = 0; i < sharing->share->queue->nparts; i++) {
        struct worker *worker = &sharing->worker[i];
        if (!worker->may || worker->started)
            continue;
        worker->started = 1;
        while (do_next(worker)) {
            pthread_mutex_lock(&sharing->lock);
            report_progress(sharing, &reported);
            pthread_mutex_unlock(&sharing->lock);
        }
    }
}

/* ---- the call ---------------------------------------------------------------------------------------------------- */

/* Returns 1 if a part can access an array: plain memory and host USM are for all, other USM only for its own card. */
static int reaches(const uh_queue *part, const void *array) {
    uh_pointer_info info = {.kind = UH_MEMORY_UNKNOWN};
    (void)uh_pointer_type(array, &info);
    return info.kind == UH_MEMORY_UNKNOWN || info.kind == UH_MEMORY_HOST || uhi_memory_reaches(part->device, &info);
}

/* Selects the parts that are not lost and can access all arrays; otherwise the lead, which reports the
 * error or copies. Returns their number. */
static size_t choose_parts(struct sharing *sharing) {
    const struct uhi_share *share = sharing->share;
    size_t count = 0;
    for (size_t i = 0; i < share->queue->nparts; i++) {
        struct worker *worker = &sharing->worker[i];
        *worker = (struct worker){.sharing = sharing, .part = i, .queue = share->queue->parts[i], .may = 1};
        for (size_t a = 0; a < share->narrays; a++)
            worker->may &= reaches(worker->queue, share->array[a]);
        worker->may &= worker->queue->shared.status != UH_ERROR_DEVICE_LOST;
        count += worker->may ? 1 : 0;
    }
    for (size_t i = 0; i < share->queue->nparts && count == 0; i++)
        sharing->worker[i].may = share->queue->parts[i] == uhi_queue_lead(share->queue);
    return count ? count : 1;
}

/* Adds a part's work to its queue's statistics and logs a failure. */
static void log_worker(const struct worker *worker, const char *call, int done_by_others) {
    struct uhi_shared *shared = &worker->queue->shared;
    const char *selector = worker->queue->device->properties.selector;
    shared->elements += worker->elements;
    shared->pieces += worker->pieces;
    if (!worker->failed || !is_of_the_part(worker->failed))
        return;
    shared->failures++;
    shared->status = worker->failed;
    uhi_log(UH_LOG_WARN, "%s: %s %s after %llu pieces; %s", call, selector,
            worker->failed == UH_ERROR_DEVICE_LOST ? "is lost" : uh_status_text(worker->failed),
            (unsigned long long)worker->pieces,
            done_by_others ? "its work is done by the others" : "no other device can do its work");
}

/* Arrays are read after the queue's earlier work, which the lead does: other parts cannot wait for it. A former lead
 * that is lost may have had work too. */
static uh_status wait_for_lead(const struct uhi_share *share) {
    const uh_queue *lead = uhi_queue_lead(share->queue);
    uh_status status = UH_SUCCESS;
    for (size_t i = 0; i < share->queue->nparts && !status; i++) {
        uh_queue *part = share->queue->parts[i];
        if (part == lead || uhi_device_is_lost(part->device))
            status = uhi_fail_of(share->call, uhi_several_wait(part));
    }
    return status;
}

uh_status uhi_share_out(const struct uhi_share *share, struct uhi_speeds *speeds) {
    const uh_status waited = wait_for_lead(share);
    if (waited)
        return waited;
    struct sharing sharing = {
        .share = share, .speeds = speeds, .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
    struct uhi_message before; /* failures of single parts are not the caller's */
    uhi_message_keep(&before);
    if (choose_parts(&sharing) > 1)
        work_together(&sharing);
    if (!sharing.stopped)
        run_alone(&sharing);
    const int whole = sharing.done == share->n;
    for (size_t i = 0; i < share->queue->nparts; i++) {
        const struct worker *worker = &sharing.worker[i];
        log_worker(worker, share->call, whole);
        if (worker->pieces)
            uhi_log(UH_LOG_INFO, "%s: %s did %llu of %zu elements in %llu pieces", share->call,
                    worker->queue->device->properties.selector, (unsigned long long)worker->elements, share->n,
                    (unsigned long long)worker->pieces);
    }
    pthread_cond_destroy(&sharing.changed);
    pthread_mutex_destroy(&sharing.lock);
    const uh_status status = whole ? UH_SUCCESS : sharing.first;
    uhi_message_restore(status ? &sharing.message : &before);
    return status;
}
