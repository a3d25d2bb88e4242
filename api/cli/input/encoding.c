/* SPDX-License-Identifier: Apache-2.0 */
/* Encodings of text, by iconv. */
#include <errno.h>
#include <iconv.h>
#include <string.h>
#include <strings.h>

#include "api/cli/input/container.h"

enum { BLOCK = 1 << 16 };

static int decode_text(struct cli_filter *filter) {
    char in[BLOCK], out[2 * BLOCK];
    iconv_t made = iconv_open("UTF-8", filter->argument);
    size_t rest = 0, got = 1;
    int result = 0;
    if (made == (iconv_t)-1)
        return cli_fail("--encoding '%.40s': expected a name that 'iconv -l' lists", filter->argument);
    for (uint64_t at = 0; got > 0 && result == 0; at += got) {
        result = cli_stream_read(&filter->from, at, in + rest, 1, BLOCK - rest, &got);
        for (size_t left = rest + got; result == 0; left = rest) {
            char *from = in, *to = out;
            size_t room = sizeof out;
            const size_t before = left, status = iconv(made, &from, &left, &to, &room);
            const int problem = status == (size_t)-1 ? errno : 0;
            if (problem == EILSEQ || (problem == EINVAL && got == 0))
                result = cli_fail("%s: byte %llu is no %s; --encoding names another", filter->from.name,
                                  (unsigned long long)(at + got - left), filter->argument);
            else
                result = cli_filter_write(filter, out, (size_t)(to - out));
            memmove(in, from, left);
            rest = left;
            if (problem != E2BIG || before == left)
                break;
        }
    }
    iconv_close(made);
    return result;
}

/* Returns whether the text is UTF-8, but for a character that is cut at its end. */
static int is_utf8(const unsigned char *text, size_t n) {
    char out[BLOCK], *from = (char *)text;
    iconv_t made = iconv_open("UTF-16LE", "UTF-8");
    size_t status = 0;
    int problem = E2BIG;
    while (problem == E2BIG) {
        char *to = out;
        size_t room = sizeof out;
        status = iconv(made, &from, &n, &to, &room);
        problem = status == (size_t)-1 ? errno : 0;
    }
    iconv_close(made);
    return problem != EILSEQ;
}

int cli_encoding_open(struct cli_stream *stream, const char **encoding) {
    const unsigned char *head;
    size_t have = 0, plain = 0;
    if (cli_stream_peek(stream, 4, &head, &have))
        return -1;
    while (plain < have && head[plain] < 0x80)
        plain++;
    const int given = *encoding != NULL;
    if (given)
        ;
    else if (have >= 4 && memcmp(head, "\xff\xfe\0\0", 4) == 0)
        *encoding = "UTF-32";
    else if (have >= 2 && (memcmp(head, "\xff\xfe", 2) == 0 || memcmp(head, "\xfe\xff", 2) == 0))
        *encoding = "UTF-16";
    else
        *encoding = plain == have || is_utf8(head, have) ? "UTF-8" : "ISO-8859-1";
    if (strcasecmp(*encoding, "UTF-8") == 0 || strcasecmp(*encoding, "UTF8") == 0)
        return 0;
    return cli_stream_filter(stream, decode_text, *encoding);
}
