/* SPDX-License-Identifier: Apache-2.0 */
/* Interrupts (control-C) of work in iterations: the first one ends it with what is known, a second one the command. */
#ifndef CLI_INTERRUPT_H
#define CLI_INTERRUPT_H

/* Takes note of an interrupt from now on, unless it is ignored; and no more. One after the other. */
void cli_interrupt_begin(void);
void cli_interrupt_end(void);

/* Returns whether there was one. */
int cli_interrupt_is_there(void);

/* Ends the process by the interrupt, as others end, where there was one; what is printed is flushed. */
void cli_interrupt_obey(void);

#endif
