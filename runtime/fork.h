/* SPDX-License-Identifier: Apache-2.0 */
/* Protects the library's locks across fork(). The child has only the forking thread, so a lock held by another thread
 * would never be released there. Each macro follows the definition of a lock of static duration. */
#pragma once

#include <pthread.h>

/* fork() waits until the lock is free, so that the protected data is consistent in the child. For locks that are held
 * briefly, and never together with another of these. */
#define UHI_HELD_AT_FORK(name, lock)                                                                                   \
    static void hold_##name(void) { pthread_mutex_lock(&(lock)); }                                                     \
    static void let_go_of_##name(void) { pthread_mutex_unlock(&(lock)); }                                              \
    __attribute__((constructor)) static void watch_forks_of_##name(void) {                                             \
        pthread_atfork(hold_##name, let_go_of_##name, let_go_of_##name);                                               \
    }

/* The child calls `renew`, which reinitializes the lock: for locks held during driver calls, which may never return.
 * The protected data must be consistent at all times. */
#define UHI_RENEWED_AT_FORK(renew)                                                                                     \
    __attribute__((constructor)) static void watch_forks_by_##renew(void) { pthread_atfork(NULL, NULL, renew); }
