/* SPDX-License-Identifier: Apache-2.0 */
/* Signals that end the command (hangup, control-C, termination), unless they are ignored. By default they do so at
 * once. While the library works on a queue the first one is noted instead: the work ends before its next launch or
 * piece, the device becomes idle, and then the signal has its way, as if it had come then; whoever handled it before
 * removes what files are half written. A second one does not wait for that. */
#ifndef CLI_INTERRUPT_H
#define CLI_INTERRUPT_H

#include <unihist/runtime.h>

/* Begins to look after signals, where a queue is made; again: nothing. */
void cli_interrupt_watch(void);

/* What queues are made with, as uh_queue_options.cancelled: whether the work is to end. */
int cli_interrupt_cancels(void *user);

/* The status of a call of the library that works on a queue; does not return where a signal came meanwhile. */
#define CLI_INTERRUPTIBLE(queue, call) (cli_interrupt_hold(), cli_interrupt_release(queue, call))

/* For CLI_INTERRUPTIBLE alone: a signal is noted from now on; and no more: where one was, the process ends by it when
 * the queue has nothing more to do. Returns `status`. */
void cli_interrupt_hold(void);
uh_status cli_interrupt_release(uh_queue *queue, uh_status status);

/* ---- work in iterations ---- */

/* From now on a control-C does not end the work: cli_interrupt_is_there tells of it, and what is known may be told. */
void cli_interrupt_ask(void);

/* Returns whether there was a control-C that has not ended the work. */
int cli_interrupt_is_there(void);

/* Ends the process by it, as others end, where there was one; what is printed is flushed. */
void cli_interrupt_obey(void);

#endif
