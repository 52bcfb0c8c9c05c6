/* SPDX-License-Identifier: MIT */
#include "serve/message.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { METHOD_MAX = 16 };

static int refuse(struct message *m, int status, const char *why)
{
    m->why = why;
    return status;
}

/* ------------------------------------------------------------------------ the head -- */

/* Control bytes are not allowed in a head, except tabs and line ends. */
static bool is_control(unsigned char c)
{
    return (c < ' ' && c != '\t' && c != '\r' && c != '\n') || c == 0x7F;
}

long message_head(const char *bytes, size_t length, size_t *seen)
{
    for (size_t i = *seen; i < length; i++) {
        if (is_control((unsigned char)bytes[i]))
            return -1;
        if (bytes[i] == '\n' && (i == 0 || bytes[i - 1] != '\r'))
            return -1;
        if (bytes[i] != '\n' && i > 0 && bytes[i - 1] == '\r')
            return -1;
        if (bytes[i] == '\n' && i >= 3 && bytes[i - 2] == '\n')
            return (long)i + 1;
    }
    *seen = length;
    return 0;
}

static bool is_token(unsigned char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c && strchr("!#$%&'*+-.^_`|~", c));
}

static size_t token_length(const char *text)
{
    size_t n = 0;

    while (is_token((unsigned char)text[n]))
        n++;
    return n;
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* Undo %-escapes in place; the length, or -1. */
static long unescape(char *text, bool plus_is_blank)
{
    char *to = text;

    for (const char *from = text; *from; from++) {
        char c = *from;

        if (c == '+' && plus_is_blank) {
            c = ' ';
        } else if (c == '%') {
            int high = hex_digit(from[1]), low = high < 0 ? -1 : hex_digit(from[2]);

            if (low < 0 || high + low == 0)
                return -1;
            c = (char)(high << 4 | low);
            from += 2;
        }
        *to++ = c;
    }
    *to = 0;
    return to - text;
}

static int read_parameter(struct message *m, char *text)
{
    char *value = strchr(text, '=');
    struct message_pair *p = &m->parameter[m->parameters];
    size_t ignored;
    long length = 0;

    if (m->parameters == MESSAGE_PARAMETERS_MAX)
        return refuse(m, 400, "too many parameters");
    if (value)
        *value++ = 0;
    if (unescape(text, true) < 0 || (value && (length = unescape(value, true)) < 0))
        return refuse(m, 400, "a parameter has a broken %-escape or a NUL");
    if (message_parameter(m, text, &ignored))
        return refuse(m, 400, "a parameter is given twice");
    *p = (struct message_pair){text, value ? value : "", (size_t)length};
    m->parameters++;
    return 0;
}

static int read_query(struct message *m, char *text)
{
    int status = 0;

    while (text && *text && !status) {
        char *next = strchr(text, '&');

        if (next)
            *next++ = 0;
        if (*text)
            status = read_parameter(m, text);
        text = next;
    }
    return status;
}

static int read_target(struct message *m, char *target)
{
    char *query = strchr(target, '?');

    snprintf(m->target, sizeof m->target, "%s", target);
    for (const char *at = target; *at; at++)
        if ((unsigned char)*at <= ' ' || (unsigned char)*at >= 0x7F || *at == '#')
            return refuse(m, 400, "the target has bytes that should be escaped");
    if (*target != '/')
        return refuse(m, 400, "the target does not begin with '/'");
    if (query)
        *query++ = 0;
    if (unescape(target, false) < 0)
        return refuse(m, 400, "the path has a broken %-escape or a NUL");
    m->path = target;
    return read_query(m, query);
}

/* "GET /path?a=b HTTP/1.1" */
static int read_line(struct message *m, char *line)
{
    size_t n = token_length(line);
    char *target = line + n + 1, *version;

    if (n == 0 || n > METHOD_MAX || line[n] != ' ')
        return refuse(m, 400, "the first line is not a request");
    line[n] = 0;
    m->method = line;
    version = strchr(target, ' ');
    if (!version)
        return refuse(m, 400, "the first line is not a request");
    *version++ = 0;
    if (strcmp(version, "HTTP/1.1") != 0 && strcmp(version, "HTTP/1.0") != 0)
        return strncmp(version, "HTTP/", 5) == 0
                   ? refuse(m, 505, "this version of HTTP is not supported")
                   : refuse(m, 400, "the first line is not a request");
    m->http10 = version[7] == '0';
    return read_target(m, target);
}

static int read_header(struct message *m, char *line)
{
    size_t n = token_length(line);
    char *value = line + n + 1, *end;

    if (n == 0 || line[n] != ':')
        return refuse(m, 400, "a header is not 'Name: value'");
    if (m->headers == MESSAGE_HEADERS_MAX)
        return refuse(m, 431, "too many headers");
    line[n] = 0;
    value += strspn(value, " \t");
    end = value + strlen(value);
    while (end > value && (end[-1] == ' ' || end[-1] == '\t'))
        *--end = 0;
    m->header[m->headers++] = (struct message_pair){line, value, (size_t)(end - value)};
    return 0;
}

/* --------------------------------------------------------------- what headers mean -- */

static int header_count(const struct message *m, const char *name)
{
    int n = 0;

    for (int i = 0; i < m->headers; i++)
        n += strcasecmp(m->header[i].name, name) == 0;
    return n;
}

/* Is `word` in a list such as "keep-alive, Upgrade"? */
static bool list_has(const char *list, const char *word)
{
    size_t n = strlen(word);

    while (*list) {
        size_t length;

        list += strspn(list, ", \t");
        length = strcspn(list, ", \t");
        if (length == n && strncasecmp(list, word, n) == 0)
            return true;
        list += length;
    }
    return false;
}

static int read_size(struct message *m, const char *text)
{
    size_t digits = strspn(text, "0123456789");

    if (digits == 0 || digits > 18 || text[digits])
        return refuse(m, 400, "Content-Length is not a number");
    for (; *text; text++)
        m->size = m->size * 10 + (uint64_t)(*text - '0');
    m->sized = true;
    return 0;
}

static int read_meaning(struct message *m)
{
    const char *connection = message_header(m, "Connection");
    const char *expect = message_header(m, "Expect");
    const char *encoding = message_header(m, "Transfer-Encoding");
    const char *size = message_header(m, "Content-Length");
    int hosts = header_count(m, "Host");

    if (hosts > 1 || (hosts == 0 && !m->http10))
        return refuse(m, 400, hosts ? "there are two Hosts" : "there is no Host");
    if (header_count(m, "Content-Length") + header_count(m, "Transfer-Encoding") > 1)
        return refuse(m, 400, "the length of the body is given twice");
    if (header_count(m, "Connection") > 1 || header_count(m, "Authorization") > 1 ||
        header_count(m, "Origin") > 1)
        return refuse(m, 400, "a header that may occur only once is given twice");
    if (encoding && (m->http10 || strcasecmp(encoding, "chunked") != 0))
        return refuse(m, m->http10 ? 400 : 501, "the only Transfer-Encoding here is chunked");
    if (expect && strcasecmp(expect, "100-continue") != 0)
        return refuse(m, 417, "Expect supports only 100-continue");
    m->chunked = encoding != NULL;
    m->expect = expect && !m->http10;
    m->close = m->http10 || (connection && list_has(connection, "close"));
    return size ? read_size(m, size) : 0;
}

int message_read(struct message *m, char *head, size_t length)
{
    char *line = head, *end = head + length;
    int status = 0;

    m->method = m->path = "";
    m->http10 = m->close = m->expect = m->chunked = m->sized = false;
    m->size = 0;
    m->headers = m->parameters = 0;
    m->target[0] = 0;
    m->why = "";
    while (!status && line < end) {
        char *next = memchr(line, '\n', (size_t)(end - line));

        if (!next || next == line || next[-1] != '\r')
            return refuse(m, 400, "a line does not end in CR LF");
        next[-1] = 0;
        if (line == head)
            status = read_line(m, line);
        else if (*line)
            status = read_header(m, line);
        line = next + 1;
    }
    return status ? status : read_meaning(m);
}

const char *message_header(const struct message *m, const char *name)
{
    for (int i = 0; i < m->headers; i++)
        if (strcasecmp(m->header[i].name, name) == 0)
            return m->header[i].value;
    return NULL;
}

const char *message_parameter(const struct message *m, const char *name, size_t *length)
{
    for (int i = 0; i < m->parameters; i++)
        if (strcmp(m->parameter[i].name, name) == 0) {
            *length = m->parameter[i].length;
            return m->parameter[i].value;
        }
    return NULL;
}

/* ------------------------------------------------------------------------- chunks -- */

/* "5;x=y" CR LF, five bytes, CR LF; "0" CR LF, trailers, CR LF. */
enum { SIZE, EXTENSION, SIZE_LF, DATA, DATA_CR, DATA_LF, TRAILER, TRAILER_LF, OVER };
enum { DIGITS_MAX = 8, EXTENSION_MAX = 64, TRAILERS_MAX = 4096 };

/* Process one byte outside the data; returns the next state, or -1. */
static int chunks_step(struct chunks *c, char byte)
{
    int digit = hex_digit(byte);

    switch (c->step) {
    case SIZE:
        if (digit >= 0 && c->digits < DIGITS_MAX) {
            c->left = c->left << 4 | (uint64_t)digit;
            c->digits++;
            return SIZE;
        }
        c->line = 0;
        return !c->digits ? -1 : byte == '\r' ? SIZE_LF : byte == ';' ? EXTENSION : -1;
    case EXTENSION:
        if (byte == '\r')
            return SIZE_LF;
        return (unsigned char)byte >= ' ' && ++c->line < EXTENSION_MAX ? EXTENSION : -1;
    case SIZE_LF:
        c->digits = c->line = 0;
        return byte != '\n' ? -1 : c->left ? DATA : TRAILER;
    case DATA_CR:
        return byte == '\r' ? DATA_LF : -1;
    case DATA_LF:
        return byte == '\n' ? SIZE : -1;
    case TRAILER:
        if (byte == '\r')
            return TRAILER_LF;
        c->line++;
        return (unsigned char)byte >= ' ' && ++c->trailer < TRAILERS_MAX ? TRAILER : -1;
    default: /* TRAILER_LF */
        if (byte != '\n')
            return -1;
        if (!c->line)
            return OVER;
        c->line = 0;
        return TRAILER;
    }
}

enum chunks_state chunks_take(struct chunks *c, const char *in, size_t length, size_t *used,
                              char *out, size_t *made)
{
    size_t i = 0;

    *made = 0;
    while (i < length && c->step != OVER) {
        if (c->step == DATA) {
            size_t n = length - i < c->left ? length - i : (size_t)c->left;

            memmove(out + *made, in + i, n);
            *made += n;
            i += n;
            c->left -= n;
            c->step = c->left ? DATA : DATA_CR;
        } else if ((c->step = chunks_step(c, in[i++])) < 0) {
            *used = i;
            return CHUNKS_BROKEN;
        }
    }
    *used = i;
    return c->step == OVER ? CHUNKS_WHOLE : CHUNKS_MORE;
}
