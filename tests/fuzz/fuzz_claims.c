/* SPDX-License-Identifier: MIT
 *
 * Any bytes as packed claims.  The first byte says which question they are about; what is read is a
 * set of claims about valid positions, as many as the pack says, and packs again. */
#include "fuzz.h"

#include "core/notation.h"
#include "proof/claim_pack.h"

static const char *const roots[] = {"B:W9,23,28:B7,15,16", "W:WK1,K24,27:BK4,K19", "B:W30:B7,16",
                                    "B:W21-32:B1-12"};

static void read_one(const struct pack_question *q, const uint8_t *bytes, size_t n)
{
    struct certificate c = {0}, again = {0};
    struct pack p = {0};
    struct error e = {0};

    if (!pack_read(bytes, n, q, &c, &e)) {
        MUST(c.claims == pack_claims(bytes, n));
        for (size_t i = 0; i < c.claims; i++) {
            struct board b = claim_board(&c.claim[i]);

            MUST(board_valid(&b));
        }
        /* A hold may go round; a win that does is written without what it rests on. */
        MUST(!pack_write(&p, q, &c, &e));
        MUST(!pack_read(p.bytes, p.size, q, &again, &e));
        MUST(q->wins || again.claims == c.claims);
    } else {
        MUST(c.claims == 0 && e.text[0]);
    }
    certificate_free(&c);
    certificate_free(&again);
    pack_free(&p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *root = roots[size ? data[0] >> 2 & 3 : 0];
    struct pack_question q = {.attacker = BLACK};

    if (size < 1)
        return 0;
    MUST(fen_parse(root, strlen(root), &q.root, NULL));
    q.attacker = data[0] & 1 ? WHITE : BLACK;
    q.wins = data[0] & 2;
    read_one(&q, data + 1, size - 1);
    return 0;
}
