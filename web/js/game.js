// game.js -- a game: where it starts, its moves, where we stand, and what was given away.
//
// A ply is {move, fen, path, captured, before, best, slip, changes}: `fen` is the position
// after it; `before`, {value, plies} for the side that moved, is what it had; the rest says
// what the move gave away.  What is not known is null.

import { START, turnOf } from "./notation.js";

export class Game {
  constructor() {
    this.reset(START);
  }

  reset(fen) {
    this.start = fen;
    this.plies = [];
    this.at = 0;
  }

  get fen() {
    return this.at ? this.plies[this.at - 1].fen : this.start;
  }

  get length() {
    return this.plies.length;
  }

  // The ply that led here, or undefined.
  get last() {
    return this.plies[this.at - 1];
  }

  fenAt(i) {
    return i ? this.plies[i - 1].fen : this.start;
  }

  turnAt(i) {
    return turnOf(this.fenAt(i));
  }

  // Play a move from where we stand; what followed is dropped, unless it is the same.
  play(ply) {
    if (this.plies[this.at]?.move === ply.move) Object.assign(this.plies[this.at], ply);
    else this.plies.splice(this.at, Infinity, ply);
    this.at++;
  }

  goto(i) {
    this.at = Math.max(0, Math.min(i, this.plies.length));
  }
}

// What a move gave away, from what the tables say of the position it was played in.
export function judge(position, move) {
  const unknown = { before: null, best: null, slip: 0, changes: false };
  if (!position || position.value === null) return unknown;
  const played = position.moves.find((m) => m.move === move);
  const best = position.moves[0];
  if (!played || played.value === null) return unknown;
  const ply = {
    before: { value: position.value, plies: position.dtw },
    best: { move: best.move, value: best.value, plies: best.dtw },
    slip: 0,
    changes: played.value !== best.value,
  };
  if (!ply.changes && best.value !== "draw" && best.dtw !== null && played.dtw !== null)
    ply.slip = Math.abs(played.dtw - best.dtw);
  return ply;
}

// A move of a game that the server has gone through.
export function reviewed(m) {
  const known = m.best !== null && m.best !== undefined;
  return {
    move: m.move, fen: m.fen,
    before: known ? { value: m.best.value, plies: m.best.plies } : null,
    best: known ? m.best : null,
    slip: m.slip || 0,
    changes: Boolean(m.changes_value),
  };
}

// A move of a line of perfect play.
export function perfect(m) {
  return {
    move: m.move, fen: m.fen,
    before: { value: m.value, plies: m.plies },
    best: { move: m.move, value: m.value, plies: m.plies },
    slip: 0, changes: false,
  };
}
