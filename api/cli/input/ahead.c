/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/input/stream.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

struct slot {
    unsigned char *data;
    size_t bytes;
    int full;
    int rc; /* -1: `error` says why */
    struct cli_error error;
};

/* The thread fills the slots in turn, the caller empties them in turn. The first block is read by the caller, so that
 * a short stream needs no thread. */
struct cli_ahead {
    struct cli_stream *stream;
    size_t block;
    uint64_t position, to; /* of the next block to read; the thread's own while it runs */
    struct slot slots[2];
    int current;      /* the slot that the caller has, or had last */
    int begun, ended; /* the caller has had a block; has had the last one */
    int running;
    int stopping; /* guarded by the mutex, as is slot.full */
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
};

struct cli_ahead *cli_ahead_create(struct cli_stream *stream, size_t block) {
    struct cli_ahead *ahead = calloc(1, sizeof *ahead);
    if (!ahead)
        return NULL;
    ahead->stream = stream;
    ahead->block = block;
    pthread_mutex_init(&ahead->mutex, NULL);
    pthread_cond_init(&ahead->changed, NULL);
    return ahead;
}

static void fill(struct cli_ahead *ahead, struct slot *slot) {
    uint64_t left = ahead->to - ahead->position;
    size_t wanted = left < ahead->block ? (size_t)left : ahead->block;
    slot->bytes = 0;
    slot->rc = 0;
    void *memory = NULL;
    if (!slot->data && posix_memalign(&memory, 64, ahead->block) != 0) {
        slot->rc = cli_fail(&slot->error, "%s: out of memory for a buffer of %zu bytes", cli_stream_name(ahead->stream),
                            ahead->block);
        return;
    }
    if (memory)
        slot->data = memory;
    slot->rc = cli_stream_read(ahead->stream, ahead->position, slot->data, wanted, &slot->bytes, &slot->error);
    ahead->position += slot->bytes;
}

/* No more blocks come after this one. */
static int is_last(const struct cli_ahead *ahead, const struct slot *slot) {
    return slot->rc != 0 || slot->bytes < ahead->block;
}

static void *read_ahead(void *argument) {
    struct cli_ahead *ahead = argument;
    int last = 0;
    for (int next = 1; !last; next = !next) {
        struct slot *slot = &ahead->slots[next];
        pthread_mutex_lock(&ahead->mutex);
        while (slot->full && !ahead->stopping)
            pthread_cond_wait(&ahead->changed, &ahead->mutex);
        last = ahead->stopping;
        pthread_mutex_unlock(&ahead->mutex);
        if (last)
            break;
        fill(ahead, slot);
        last = is_last(ahead, slot);
        pthread_mutex_lock(&ahead->mutex);
        slot->full = 1;
        pthread_cond_broadcast(&ahead->changed);
        pthread_mutex_unlock(&ahead->mutex);
    }
    return NULL;
}

/* Starts the thread with every signal blocked: they are the caller's. */
static int start(struct cli_ahead *ahead, struct cli_error *error) {
    sigset_t all, old;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    int code = pthread_create(&ahead->thread, NULL, read_ahead, ahead);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (code != 0)
        return cli_fail(error, "%s: cannot start a thread to read it: %s", cli_stream_name(ahead->stream),
                        strerror(code));
    ahead->running = 1;
    return 0;
}

static void stop(struct cli_ahead *ahead) {
    if (!ahead->running)
        return;
    pthread_mutex_lock(&ahead->mutex);
    ahead->stopping = 1;
    pthread_cond_broadcast(&ahead->changed);
    pthread_mutex_unlock(&ahead->mutex);
    cli_stream_interrupt(ahead->stream);
    pthread_join(ahead->thread, NULL);
    cli_stream_resume(ahead->stream);
    ahead->running = ahead->stopping = 0;
}

void cli_ahead_destroy(struct cli_ahead *ahead) {
    if (!ahead)
        return;
    stop(ahead);
    pthread_cond_destroy(&ahead->changed);
    pthread_mutex_destroy(&ahead->mutex);
    free(ahead->slots[0].data);
    free(ahead->slots[1].data);
    free(ahead);
}

void cli_ahead_seek(struct cli_ahead *ahead, uint64_t from, uint64_t to) {
    stop(ahead);
    ahead->position = from;
    ahead->to = to;
    ahead->slots[0].full = ahead->slots[1].full = 0;
    ahead->current = ahead->begun = ahead->ended = 0;
    cli_stream_set_bytes_read(ahead->stream, from);
}

/* Gives the current slot back to the thread and waits for the other one. */
static struct slot *exchange(struct cli_ahead *ahead) {
    pthread_mutex_lock(&ahead->mutex);
    ahead->slots[ahead->current].full = 0;
    ahead->current = !ahead->current;
    struct slot *slot = &ahead->slots[ahead->current];
    pthread_cond_broadcast(&ahead->changed);
    while (!slot->full)
        pthread_cond_wait(&ahead->changed, &ahead->mutex);
    pthread_mutex_unlock(&ahead->mutex);
    return slot;
}

int cli_ahead_next(struct cli_ahead *ahead, unsigned char **data, size_t *bytes, struct cli_error *error) {
    if (ahead->ended)
        return 0;
    struct slot *slot = &ahead->slots[0];
    if (ahead->begun) {
        slot = exchange(ahead);
    } else {
        ahead->begun = 1;
        fill(ahead, slot);
        slot->full = 1;
        if (!is_last(ahead, slot) && start(ahead, error) != 0) {
            ahead->ended = 1;
            return -1;
        }
    }
    ahead->ended = is_last(ahead, slot);
    if (slot->rc != 0)
        return cli_fail(error, "%s", slot->error.text);
    *data = slot->data;
    *bytes = slot->bytes;
    return slot->bytes > 0;
}
