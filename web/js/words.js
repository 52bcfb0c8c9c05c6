// words.js -- what is known of positions and moves, said in words.

import { plies } from "./dom.js";
import { START, other, parseFen, pieces, sideName, turnOf } from "./notation.js";

export const PIECES_MAX = 8; // what tables and solving on demand can hold

export const valueName = { win: "wins", draw: "draws", loss: "loses" };

const colour = { B: "black", W: "white" };
const wins = (side) => `${sideName[side]} wins`;

function gameOver(fen, side) {
  const none = parseFen(fen).at.every((p) => !p || p.toUpperCase() !== side);
  return {
    title: wins(other[side]), kind: colour[other[side]],
    sub: `The game is over: ${sideName[side]} has no ${none ? "pieces" : "move"} left.`,
  };
}

function unknown(fen, missing) {
  if (fen === START)
    return { title: "The start", sub: "Schaeffer and others proved in 2007 that it is a draw.", kind: "unknown" };
  const sub = pieces(parseFen(fen)).all > PIECES_MAX ? "The tables hold at most eight pieces." : `${missing.replace(/^n/, "N")}.`;
  return { title: "Not in the tables", sub, kind: "unknown" };
}

function decided(info, side) {
  const who = info.value === "win" ? side : other[side];
  let sub = "";
  if (info.dtw === null) sub = "The distances are not in the tables.";
  else if (info.dtc !== null) sub = info.dtc === info.dtw ? "No conversion before the end." : `Next conversion in ${plies(info.dtc)}.`;
  return { title: info.dtw === null ? wins(who) : `${wins(who)} in ${plies(info.dtw)}`, sub, kind: colour[who] };
}

// "Black wins in 81 plies", "Black to move. Next conversion in 38 plies.", and a kind for
// the looks: black, white, draw or unknown.
export function verdictOf(fen, info, legal) {
  const side = turnOf(fen);
  if (!legal.length) return gameOver(fen, side);
  const v = info.value === null ? unknown(fen, info.missing)
    : info.value === "draw" ? { title: "A draw", sub: "Neither side can force a win.", kind: "draw" }
    : decided(info, side);
  return { ...v, sub: `${sideName[side]} to move. ${v.sub}` };
}

// The wording of the paper: "25-30 wins in 201, but 20-24 allows White 4 additional plies."
// Empty if the move gave nothing away.
export function slipNote(ply, side) {
  if (!ply || (!ply.slip && !ply.changes)) return "";
  const distance = ply.best.plies === null || ply.best.value === "draw" ? "" : ` in ${ply.best.plies}`;
  const best = `${ply.best.move} ${valueName[ply.best.value]}${distance}, but ${ply.move}`;
  if (ply.changes) return `${best} gives that away.`;
  if (ply.best.value === "win") return `${best} allows ${sideName[other[side]]} ${ply.slip} additional plies.`;
  return `${best} spares ${sideName[other[side]]} ${plies(ply.slip)}.`;
}
