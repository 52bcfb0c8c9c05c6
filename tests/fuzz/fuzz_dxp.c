/* SPDX-License-Identifier: MIT
 *
 * Any bytes as a message of DamExchange: what is understood is in range and, written and read
 * again, the same: (X1) of dxp_wire.h. */
#include "fuzz.h"

#include "play/dxp_wire.h"

static void must_be_printable(const char *text)
{
    for (; *text; text++)
        MUST(*text >= ' ' && *text <= '~');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1), out[DXP_MESSAGE_MAX];
    struct dxp_message m, again;

    MUST(text);
    memcpy(text, data, size);
    text[size] = 0;
    if (!dxp_decode(text, &m)) {
        size_t n;

        must_be_printable(m.name);
        must_be_printable(m.text);
        MUST(strlen(m.name) < DXP_NAME_MAX && strlen(m.text) < DXP_TEXT_MAX);
        MUST(m.kind != 'R' || board_valid(&m.start));
        n = dxp_encode(&m, out);
        MUST(n >= 2 && n <= DXP_MESSAGE_MAX && out[n - 1] == 0);
        MUST(!dxp_decode(out, &again));
        MUST(again.kind == m.kind && again.from == m.from && again.to == m.to &&
             again.captured == m.captured && again.code == m.code && again.stop == m.stop);
        MUST(strcmp(again.name, m.name) == 0 && strcmp(again.text, m.text) == 0);
        MUST(m.kind != 'R' || board_equal(&again.start, &m.start));
    }
    free(text);
    return 0;
}
