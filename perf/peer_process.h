/* SPDX-License-Identifier: Apache-2.0 */
/* A peer at work: a child that answers one line to each line, and is gone when this process is, however that ends. */
#pragma once

#include "perf/error.h"

#include <stdio.h>
#include <sys/types.h>

/* The longest line of the protocol, its end included. */
#define PERF_PEER_LINE 512

struct peer_process {
    char name[32], title[96], how[160]; /* the second with the version; the third is the call */
    double patience;                    /* seconds that it may take for an answer */
    pid_t pid;                          /* 0: no process */
    FILE *connection;                   /* its standard input and output; NULL: none */
    int log;                            /* what it writes to standard error */
};

/* Starts the program `path` with one thread as far as the usual libraries' variables say so, on the CPUs of the calling
 * thread, and with `shared`, three files, as its descriptors 3 to 5. It is killed when the calling thread ends. The
 * caller ends it by peer_process_end. If its package is missing, `why` says so. */
void peer_process_start(struct peer_process *process, const char *name, const char *path, const int shared[3],
                        double patience, char why[PERF_PEER_LINE]);

/* Sends a line and reads the answer; `line` is the question and becomes the answer. */
void peer_process_ask(struct peer_process *process, char line[PERF_PEER_LINE]);

/* Closes the connection, at which it should end, kills it if it has not in a second, and waits for its end. Does
 * nothing without a process. The second one kills it at once. */
void peer_process_end(struct peer_process *process);
void peer_process_kill(struct peer_process *process);
