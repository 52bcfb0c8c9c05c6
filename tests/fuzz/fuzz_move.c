/* SPDX-License-Identifier: MIT
 *
 * Any bytes as a FEN, a line break, and a move there: what is accepted is legal and
 * can be written and read again, (N3) of notation.h. */
#include "core/movegen.h"
#include "core/notation.h"
#include "fuzz.h"

static void must_round_trip(const struct move *m, const struct move_list *legal)
{
    for (int way = 0; way < 4; way++) {
        struct text_error error;
        char text[MOVE_TEXT_MAX];
        struct move back;
        size_t n =
            move_format(m, way & 1 ? legal : NULL, way & 2 ? MOVE_ALGEBRAIC : MOVE_NUMBERS, text);

        MUST(n == strlen(text) && n < sizeof text);
        MUST(move_parse(text, n, legal, &back, &error));
        MUST(move_equal(m, &back));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *line = size ? memchr(data, '\n', size) : NULL;
    size_t fen = line ? (size_t)(line - data) : 0, rest = size - fen - (line != NULL);
    struct board b = board_start;
    struct text_error error = {0};
    struct move_list legal;
    struct move m;
    bool found = false;

    fen_parse((const char *)data, fen, &b, NULL);
    moves_generate(&b, &legal);
    if (!move_parse((const char *)data + size - rest, rest, &legal, &m, &error)) {
        must_be_error(&error, rest);
        return 0;
    }
    for (int i = 0; i < legal.count; i++)
        found |= move_equal(&m, &legal.move[i]);
    MUST(found);
    must_round_trip(&m, &legal);
    return 0;
}
