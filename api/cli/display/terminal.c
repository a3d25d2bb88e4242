/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/display/terminal.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "api/cli/numbers.h"

/* The variables decide in POSIX's order; setlocale is not called, so that numbers keep their point. */
static int locale_is_utf8(void) {
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (int i = 0; i < 3; i++) {
        const char *value = getenv(names[i]);
        if (!value || !*value)
            continue;
        const char *dot = strchr(value, '.');
        return dot && (strncasecmp(dot, ".utf-8", 6) == 0 || strncasecmp(dot, ".utf8", 5) == 0);
    }
    return 0;
}

static unsigned find_width(int is_terminal) {
    struct winsize size;
    const char *columns = getenv("COLUMNS");
    uint64_t width;
    if (is_terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return size.ws_col;
    return columns && cli_parse_u64(columns, 20, 1000, &width) == 0 ? (unsigned)width : 80;
}

struct cli_terminal cli_terminal_look(void) {
    struct cli_terminal terminal;
    const char *term = getenv("TERM"), *no_color = getenv("NO_COLOR");
    terminal.is_terminal = isatty(STDOUT_FILENO);
    terminal.width = find_width(terminal.is_terminal);
    terminal.utf8 = locale_is_utf8();
    terminal.colour = terminal.is_terminal && !(no_color && *no_color) && !(term && strcmp(term, "dumb") == 0);
    return terminal;
}
