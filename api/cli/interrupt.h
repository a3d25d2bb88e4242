/* SPDX-License-Identifier: Apache-2.0 */
/* Signals that end the command, unless they are ignored: hangup, interrupt, quit, termination, pipe, CPU or file size
 * limit. They remove half-written files. While the library works on a queue, the first of SIGHUP, SIGINT and SIGTERM is
 * only noted: the work ends before its next launch or piece, the device becomes idle, and then the signal takes effect
 * as if it had just come. A second signal, and the others, do not wait for that. */
#pragma once

#include <sys/types.h>

#include <unihist/device.h>

/* Starts to handle signals when a queue is made or a file opened; further calls do nothing. */
void cli_interrupt_watch(void);

/* Has a path (copied) removed when a signal ends the command, preferably before the file exists. Returns a number for
 * cli_interrupt_keep, or -1 with errno if it is too long or there are too many. -1 is no path to keep. */
int cli_interrupt_remove(const char *path);
void cli_interrupt_keep(int number);

/* Removes these files, and ends the command with an exit status. */
_Noreturn void cli_interrupt_end(int status);

/* The callback uh_queue_options.cancelled of queues: returns whether the work is to end. */
int cli_interrupt_cancels(void *user);

/* Evaluates to the status of a library call that works on a queue; does not return if a signal came during it. */
#define CLI_INTERRUPTIBLE(queue, call) (cli_interrupt_hold(0), cli_interrupt_release(queue, call))

/* The first notes signals from now on, or `every` one for temporary files, which must be removed; the second no longer,
 * and if one was noted, ends the process by it once the queue is idle. Returns `status`. */
void cli_interrupt_hold(int every);
uh_status cli_interrupt_release(uh_queue *queue, uh_status status);

/* Ends this program, 0 for none, when a signal is noted; a second signal kills it. */
void cli_interrupt_child(pid_t pid);

/* From now on a control-C does not end the work: cli_interrupt_requested reports it, so that results so far can be
 * printed. */
void cli_interrupt_catch(void);

/* Returns whether there was a control-C that has not ended the work. */
int cli_interrupt_requested(void);

/* Flushes standard output and ends the process by that control-C, if there was one, as any process ends by it. */
void cli_interrupt_obey(void);
