/* SPDX-License-Identifier: MIT
 *
 * Any bytes as lines of the Hub protocol: cut into arguments inside the text; positions and moves
 * that are understood come back as they were, (H1) of hub.h. */
#include "fuzz.h"

#include "core/movegen.h"
#include "play/hub.h"

static void try_moves(const char *moves, struct board b)
{
    for (const char *p = moves; *p;) {
        size_t n = strcspn(p, " ");
        char text[HUB_MOVE_MAX];
        struct move m, again;

        if (hub_move_parse(p, n, &b, &m))
            return;
        hub_move_format(&m, text);
        MUST(strlen(text) < HUB_MOVE_MAX);
        MUST(!hub_move_parse(text, strlen(text), &b, &again));
        {
            struct board one = board_after(&b, &m), other = board_after(&b, &again);

            MUST(board_equal(&one, &other));
            b = one;
        }
        p += n;
        p += strspn(p, " ");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1), again[HUB_POSITION_MAX];
    struct board b = board_start;
    struct hub_line line;
    const char *value;

    MUST(text);
    memcpy(text, data, size);
    text[size] = 0;
    if (hub_line_parse(text, &line)) {
        MUST(line.args >= 0 && line.args <= HUB_ARGS_MAX);
        MUST(line.command >= text && line.command <= text + size);
        for (int i = 0; i < line.args; i++)
            MUST(strlen(line.arg[i].name) + strlen(line.arg[i].value) <= size);
        if ((value = hub_arg(&line, "pos")) && !hub_position_parse(value, &b)) {
            MUST(board_valid(&b));
            hub_position_format(&b, again);
            MUST(strcmp(again, value) == 0);
        }
        if ((value = hub_arg(&line, "moves")))
            try_moves(value, b);
    }
    free(text);
    return 0;
}
