/* SPDX-License-Identifier: MIT
 *
 * Ask a directory of tables about positions: value, distances, what each move gives,
 * and how the game goes on.
 *
 *     cc probe.c $(pkg-config --cflags --libs kelso) -o probe
 *     ./probe DIRECTORY FEN... */
#include <kelso.h>

#include <stdio.h>

enum { LINE_ROOM = 512 };

/* A distance, or "-" where there is none. */
static const char *plies_text(int plies, char *buf, size_t size)
{
    if (plies < 0)
        return "-";
    snprintf(buf, size, "%d", plies);
    return buf;
}

static kelso_status show_moves(kelso_tables *tables, const kelso_position *p, kelso_error *error)
{
    kelso_ranked_move moves[KELSO_MOVES_MAX];
    kelso_status status;
    int count;

    if ((status = kelso_probe_moves(tables, p, moves, &count, error)))
        return status;
    for (int i = 0; i < count; i++) {
        char text[KELSO_MOVE_TEXT_MAX], dtw[16], dtc[16];

        printf("  %-8s %-4s dtw %-4s dtc %s\n", kelso_move_format(&moves[i].move, text),
               kelso_value_name(moves[i].value), plies_text(moves[i].dtw, dtw, sizeof dtw),
               plies_text(moves[i].dtc, dtc, sizeof dtc));
    }
    return KELSO_OK;
}

static kelso_status show_line(kelso_tables *tables, const kelso_position *p, kelso_error *error)
{
    kelso_move moves[LINE_ROOM];
    kelso_status status;
    int count;

    if ((status = kelso_line(tables, p, KELSO_DTW, moves, LINE_ROOM, &count, NULL, error)))
        return status;
    for (int i = 0; i < count; i++) {
        char text[KELSO_MOVE_TEXT_MAX];

        printf("%s%s", i ? " " : "  ", kelso_move_format(&moves[i], text));
    }
    printf("\n");
    return KELSO_OK;
}

static kelso_status show(kelso_tables *tables, const char *fen, kelso_error *error)
{
    kelso_position p;
    kelso_answer answer;
    kelso_status status;

    if ((status = kelso_position_parse(fen, &p, error)) ||
        (status = kelso_probe_dtw(tables, &p, &answer, error)))
        return status;
    printf("%s: %s", fen, kelso_value_name(answer.value));
    if (answer.value != KELSO_DRAW)
        printf(" in %d", answer.plies);
    printf("\n");
    if ((status = show_moves(tables, &p, error)))
        return status;
    return show_line(tables, &p, error);
}

int main(int argc, char **argv)
{
    kelso_tables *tables;
    kelso_error error;
    int failed = 0;

    if (argc < 3) {
        fprintf(stderr, "usage: probe DIRECTORY FEN...\n");
        return 2;
    }
    if (kelso_open(&tables, argv[1], 0, &error)) {
        fprintf(stderr, "probe: %s\n", error.text);
        return 1;
    }
    for (int i = 2; i < argc; i++)
        if (show(tables, argv[i], &error)) {
            fprintf(stderr, "probe: %s: %s (%s)\n", argv[i], error.text,
                    kelso_strerror(error.status));
            failed = 1;
        }
    kelso_close(&tables);
    return failed;
}
