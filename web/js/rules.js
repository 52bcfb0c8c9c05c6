// rules.js -- the legal moves of a position, so that the page can read games by itself.
//
// Positions are those of notation.js.  A move is {move, path, captured, crowns, fen}, as
// /api/v1/moves writes it; tests compare the two on random games.

import { formatFen, other, place, squareAt } from "./notation.js";

const colourOf = (piece) => piece.toUpperCase();
const isKing = (piece) => piece === piece.toUpperCase();
const lastRow = { B: 7, W: 0 };

// The squares one and two steps away from each square, by direction; 0 off the board.
const DIRECTIONS = [[1, -1], [1, 1], [-1, -1], [-1, 1]];
const step = [], leap = [];
for (let s = 0; s <= 32; s++) {
  const { row, column } = place(s || 1);
  step.push(DIRECTIONS.map(([r, c]) => (s ? squareAt(row + r, column + c) : 0)));
  leap.push(DIRECTIONS.map(([r, c]) => (s ? squareAt(row + 2 * r, column + 2 * c) : 0)));
}

// Men go forward only: Black towards higher numbers.
function directionsOf(piece) {
  if (isKing(piece)) return [0, 1, 2, 3];
  return piece === "b" ? [0, 1] : [2, 3];
}

// All ways to go on jumping from the end of `path`; no piece is jumped twice, and the
// square that the piece came from is empty.
function jumps(at, piece, path, captured, found) {
  const from = path[path.length - 1], enemy = other[colourOf(piece)];
  let further = false;
  for (const d of directionsOf(piece)) {
    const over = step[from][d], to = leap[from][d];
    if (!to || !at[over] || colourOf(at[over]) !== enemy || captured.includes(over)) continue;
    if (at[to] && to !== path[0]) continue;
    further = true;
    const crowned = !isKing(piece) && place(to).row === lastRow[colourOf(piece)];
    if (crowned) found.push({ path: [...path, to], captured: [...captured, over] });
    else jumps(at, piece, [...path, to], [...captured, over], found);
  }
  if (!further && captured.length) found.push({ path, captured });
}

function steps(at, piece, from, found) {
  for (const d of directionsOf(piece)) {
    const to = step[from][d];
    if (to && !at[to]) found.push({ path: [from, to], captured: [] });
  }
}

function own({ turn, at }) {
  const squares = [];
  for (let s = 1; s <= 32; s++) if (at[s] && colourOf(at[s]) === turn) squares.push(s);
  return squares;
}

// The position after a move.
export function after({ turn, at }, { path, captured }) {
  const next = [...at], from = path[0], to = path[path.length - 1];
  let piece = at[from];
  next[from] = undefined;
  for (const s of captured) next[s] = undefined;
  if (place(to).row === lastRow[turn]) piece = turn;
  next[to] = piece;
  return { turn: other[turn], at: next };
}

// Captures are compulsory.  A capture is named by its ends where they name one move, else
// by its whole path.
export function legalMoves(position) {
  const found = [], squares = own(position);
  for (const s of squares) jumps(position.at, position.at[s], [s], [], found);
  if (!found.length) for (const s of squares) steps(position.at, position.at[s], s, found);
  const ends = ({ path }) => `${path[0]}x${path[path.length - 1]}`;
  const often = new Map();
  for (const m of found) often.set(ends(m), (often.get(ends(m)) || 0) + 1);
  return found.map((m) => {
    const next = after(position, m), from = position.at[m.path[0]];
    const move = !m.captured.length ? m.path.join("-") : often.get(ends(m)) > 1 ? m.path.join("x") : ends(m);
    return { move, ...m, crowns: !isKing(from) && isKing(next.at[m.path[m.path.length - 1]]), fen: formatFen(next) };
  });
}
