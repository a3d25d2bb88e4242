/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of each option: the one table that parsing, help texts and completion go by. */
#ifndef CLI_OPTIONS_TABLE_H
#define CLI_OPTIONS_TABLE_H

#include "api/cli/options.h"

/* `values`: the words that may be completed, with blanks between. A word that ends in ':' goes on behind it; one with
 * '*' is a pattern of files' names, behind the colon where it has one. CLI_DEVICES are the selectors that `unihist
 * devices` lists; CLI_LIST before the words says that several may stand with commas between. NULL for none. */
#define CLI_DEVICES "@devices"
#define CLI_LIST    ","

struct cli_option_text {
    char letter; /* or 0 */
    const char *name;
    const char *argument; /* NULL for a flag */
    const char *values;
    const char *help; /* lines of at most 60 characters */
};

extern const struct cli_option_text cli_option_texts[CLI_OPTION_COUNT];

#endif
