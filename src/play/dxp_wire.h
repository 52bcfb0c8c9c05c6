/* SPDX-License-Identifier: MIT
 *
 * dxp_wire.h -- messages of the DamExchange protocol, version 1, as bytes.
 *
 * A message is text of fixed fields, ended by a NUL.
 *
 *     R  version 2, name 32, follower's colour 1, minutes 3, moves 3, A  ask for a game
 *        ... or B and colour to move 1, a letter a square 32             from a position
 *     A  name 32, code 1                                                 and the answer
 *     M  seconds 4, from 2, to 2, captured 2, 2 for each                 a move
 *     E  reason 1, stop 1       0 unknown, 1 I lose, 2 draw, 3 I win     the end of a game
 *     C  text                                                            words for people
 *     B  move 3, colour 1;  K  code 1                                    take moves back
 *
 * Colours are W and Z; men w and z, kings W and Z, empty e.
 *
 * (X1) dxp_decode(dxp_encode(m)) == m, for all fields that the kind of m has.
 *
 * Values; any thread. */
#ifndef KELSO_PLAY_DXP_WIRE_H
#define KELSO_PLAY_DXP_WIRE_H

#include "core/move.h"

#include <stddef.h>

enum { DXP_NAME_MAX = 33, DXP_TEXT_MAX = 128, DXP_MESSAGE_MAX = 256 };

enum dxp_reason { DXP_UNKNOWN = '0', DXP_I_LOSE, DXP_DRAW, DXP_I_WIN };

enum { DXP_ACCEPTED = '0', DXP_VERSION_WRONG = '1', DXP_REFUSED = '2' };

struct dxp_message {
    char kind; /* R, A, M, E, C, B or K */
    char name[DXP_NAME_MAX];
    enum side colour; /* R: the follower's */
    int minutes, moves;
    int version;
    struct board start; /* R */
    int seconds;        /* M */
    int from, to;       /* M: numbers of squares */
    squares captured;   /* M */
    char code;          /* A, K: the answer; E: the reason */
    char stop;          /* E: 1 if no further game follows */
    char text[DXP_TEXT_MAX];
};

/* Returns the length, including the NUL. */
size_t dxp_encode(const struct dxp_message *m, char out[DXP_MESSAGE_MAX]);

/* NULL, or what is wrong.  `text` ends with a NUL. */
const char *dxp_decode(const char *text, struct dxp_message *m);

#endif
