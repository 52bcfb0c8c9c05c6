/* SPDX-License-Identifier: MIT
 *
 * Any bytes as PDN: reading goes forward, errors lie in the text, and what is written
 * of the good games reads back and is written the same again, (W1) of pdn_writer.h. */
#include "core/pdn.h"
#include "core/pdn_writer.h"
#include "fuzz.h"

struct buffer {
    char *bytes;
    size_t length, capacity;
};

static void buffer_add(void *context, const char *bytes, size_t length)
{
    struct buffer *b = context;

    if (b->length + length > b->capacity) {
        b->capacity = 2 * (b->length + length);
        b->bytes = realloc(b->bytes, b->capacity);
        MUST(b->bytes);
    }
    memcpy(b->bytes + b->length, bytes, length);
    b->length += length;
}

/* The good games of a text in canonical form; counts the bad ones. */
static struct buffer canonical(const char *bytes, size_t size, int *bad)
{
    struct pdn_reader r = pdn_open(bytes, size);
    struct buffer out = {0};
    struct pdn_writer w = pdn_writer_open(buffer_add, &out, MOVE_NUMBERS);
    struct text_error error;
    enum pdn_status s;

    *bad = 0;
    for (size_t from = r.text.at; (s = pdn_next(&r, NULL, NULL, &error)) != PDN_AT_END;
         from = r.text.at) {
        struct pdn_reader again = {.text = {bytes, from, r.text.at}};

        MUST(r.text.at > from && r.text.at <= size); /* (D2) */
        if (s == PDN_GOOD) {
            MUST(pdn_next(&again, pdn_writer_event, &w, &error) == PDN_GOOD);
        } else {
            must_be_error(&error, size);
            ++*bad;
        }
    }
    return out;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int bad;
    struct buffer first = canonical((const char *)data, size, &bad);
    struct buffer second = canonical(first.bytes ? first.bytes : "", first.length, &bad);

    MUST(bad == 0);
    MUST(first.length == second.length);
    MUST(first.length == 0 || memcmp(first.bytes, second.bytes, first.length) == 0);
    free(first.bytes);
    free(second.bytes);
    return 0;
}
