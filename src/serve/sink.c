/* SPDX-License-Identifier: MIT */
#include "serve/sink.h"

#include "base/array.h"

#include <string.h>

static ssize_t sink_write(void *cookie, const char *data, size_t n)
{
    struct sink *s = cookie;

    if (!array_room((void **)&s->bytes, &s->room, s->length + n, 1)) {
        s->lost = true;
        return 0;
    }
    memcpy(s->bytes + s->length, data, n);
    s->length += n;
    return (ssize_t)n;
}

/* Back to the beginning, or nowhere. */
static int sink_seek(void *cookie, off64_t *offset, int whence)
{
    struct sink *s = cookie;

    if (whence == SEEK_SET && *offset == 0)
        s->length = 0;
    else if (whence != SEEK_CUR || *offset != 0)
        return -1;
    *offset = (off64_t)s->length;
    return 0;
}

FILE *sink_open(struct sink *s)
{
    *s = (struct sink){0};
    return fopencookie(s, "w", (cookie_io_functions_t){.write = sink_write, .seek = sink_seek});
}

bool sink_close(struct sink *s, FILE *stream)
{
    s->lost |= fclose(stream) != 0;
    return !s->lost;
}
