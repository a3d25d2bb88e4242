/* SPDX-License-Identifier: Apache-2.0 */
/* The library's locks where the process is forked. The child has the forking thread alone: a lock that another one
 * holds at that moment would never be free there. Each macro stands behind the definition of a lock of static duration.
 */
#ifndef UHI_FORK_H
#define UHI_FORK_H

#include <pthread.h>

/* fork() waits until nobody holds the lock, so that what it protects is whole in the child. For locks that are held
 * shortly, and while no other of these is. */
#define UHI_HELD_AT_FORK(name, lock)                                                                                   \
    static void hold_##name(void) {                                                                                    \
        pthread_mutex_lock(&(lock));                                                                                   \
    }                                                                                                                  \
    static void let_go_of_##name(void) {                                                                               \
        pthread_mutex_unlock(&(lock));                                                                                 \
    }                                                                                                                  \
    __attribute__((constructor)) static void watch_forks_of_##name(void) {                                             \
        pthread_atfork(hold_##name, let_go_of_##name, let_go_of_##name);                                               \
    }

/* The child calls `renew`, which makes the lock anew: for locks that are held while drivers work, which may be for
 * ever. What they protect must be whole at any time. */
#define UHI_RENEWED_AT_FORK(renew)                                                                                     \
    __attribute__((constructor)) static void watch_forks_by_##renew(void) {                                            \
        pthread_atfork(NULL, NULL, renew);                                                                             \
    }

#endif
