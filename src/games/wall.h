/* SPDX-License-Identifier: MIT
 *
 * wall.h -- a lower bound on the plies it takes to wall in the loser's home.
 *
 * Look only at the first rows on the loser's side, the region, and allow anything outside it: the
 * winner's men enter wherever a square of the region's last row is free, jumps may start and land
 * outside, no capture is compulsory, and a side may always pass.  This relaxed game depends on the
 * region alone, each square empty, the loser's or the winner's, so all of it (3^16 states for four
 * rows) is solved once, level by level from the walled-in states. If something is impossible in n
 * plies of the relaxed game, it is impossible in the real game.
 *
 * Words, for the loser seen as Black.  A state is closed when none of the loser's pieces
 * has a move as far as the region tells, and one stands on its home edge.  Kings are not
 * distinguished from men; instead a stage for each side says where one may be.  The loser's:
 * nowhere; outside the region, so that it may come in by its next move; anywhere.  The
 * winner's: nowhere; anywhere.
 *
 * (W1) A level of n plies holds, for each pair of stages, all states from which n plies of
 *      the relaxed game lead to a closed one; the loser is to move if n is even.
 * (W2) Every legal move is a move of the relaxed game between the states of its two
 *      positions: wall_leads says so, and wall_allows(after, n - 1) implies
 *      wall_allows(before, n).
 * (W3) A deep block is closed: wall_allows(block, 0).  By (W2) and (W3), wall_allows(p, n) holds
 *      for every position p that reaches a deep block in n plies.
 * (W4) wall_allows(s, n) implies wall_allows(s, n + 2): both sides may pass.
 * Proofs in docs/shortest.md; tests/games/test_games_wall.c tries to refute each.
 *
 * The caller owns the handle.  Built by `threads` threads, then read only: any thread. */
#ifndef KELSO_GAMES_WALL_H
#define KELSO_GAMES_WALL_H

#include "games/layer.h"

enum { WALL_ROWS_MAX = 4, WALL_PLIES_MAX = 12 };

struct wall;

/* A wall of `rows` rows (2 .. WALL_ROWS_MAX) without levels; NULL when memory is short. */
struct wall *wall_open(int rows);

/* Add the level of one more ply, from 0 up to WALL_PLIES_MAX; four rows take 32 MB per level.
 * False when memory is short. */
bool wall_deepen(struct wall *w, int threads);

/* Both at once, to the level of `plies` plies. */
struct wall *wall_build(int rows, int plies, int threads);
void wall_free(struct wall **wall);

/* Can `loser` be walled in after exactly `plies` more plies?  False is certain; true is not, and is
 * always returned if `plies` is more than the wall was built for. */
bool wall_allows(const struct wall *w, struct placement s, enum side loser, int plies);

/* The same for the positions after a step of a man that does not crown, with no king on the board:
 * only the change is examined. */
struct wall_steps {
    const uint64_t *set; /* of the level after the step */
    uint32_t state;
    const uint32_t *weight; /* of a piece of the side to move, by square */
};

/* For the steps of `turn` from s, `plies` before the end; plies is at least 1 and no
 * more than the wall was built for. */
struct wall_steps wall_steps_from(const struct wall *w, struct placement s, enum side turn,
                                  enum side loser, int plies);

static inline bool wall_allows_step(const struct wall_steps *f, square from, square to)
{
    uint32_t state = f->state - f->weight[from] + f->weight[to];

    return f->set[state / 64] >> state % 64 & 1;
}

/* Is the step from one position to the next a move of the relaxed game, to a stage as
 * far as that of `after` or further?  (W2) says so of legal moves; for its test. */
bool wall_leads(const struct wall *w, struct placement before, struct placement after,
                enum side loser, bool loser_moves);

/* The states of a level, and how many of them it holds. */
uint64_t wall_states(const struct wall *w);
uint64_t wall_count(const struct wall *w, int plies);

#endif
