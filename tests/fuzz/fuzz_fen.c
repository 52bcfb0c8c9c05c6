/* SPDX-License-Identifier: MIT
 *
 * Any bytes as FEN: (N1) and (N2) of notation.h. */
#include "core/notation.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct text_error error = {0};
    struct board b, again;
    char fen[FEN_TEXT_MAX];
    size_t n;

    if (!fen_parse((const char *)data, size, &b, &error)) {
        must_be_error(&error, size);
        return 0;
    }
    MUST(board_valid(&b));
    MUST(b.side[side_other(b.turn)]);
    n = fen_format(&b, fen);
    MUST(n == strlen(fen) && n < sizeof fen);
    MUST(fen_parse(fen, n, &again, &error));
    MUST(board_equal(&b, &again));
    return 0;
}
