// words.js -- what is known of positions and moves, said in words.
//
// Players count in moves: a move is one of each side.  Plies, a move of one side each, are
// shown on request.

import { START, other, parseFen, pieces, sideName, turnOf } from "./notation.js";
import { settings } from "./settings.js";

export const PIECES_MAX = 8; // what tables and solving on demand can hold

export const valueName = { win: "wins", draw: "draws", loss: "loses" };

const colour = { B: "black", W: "white" };
const wins = (side) => `${sideName[side]} wins`;
const some = (n, one, many) => (n === 1 ? `1 ${one}` : `${n} ${many}`);

// A distance as the visitor counts: the number, and with its unit.
export const distance = (plies) => (settings.unit === "plies" ? plies : Math.ceil(plies / 2));
export const distanceText = (plies) => (settings.unit === "plies" ? some(plies, "ply", "plies") : some(distance(plies), "move", "moves"));

function gameOver(fen, side) {
  const none = parseFen(fen).at.every((p) => !p || p.toUpperCase() !== side);
  return {
    title: wins(other[side]), kind: colour[other[side]],
    sub: `The game is over: ${sideName[side]} has no ${none ? "pieces" : "moves"} left.`,
  };
}

// The tables do not know: say whose turn it is, and why.
function unknown(fen, missing, turn) {
  if (fen === START)
    return { title: "The start", sub: `${turn}. Perfect play by both sides ends in a draw (Schaeffer and others, 2007).`, kind: "unknown" };
  const n = pieces(parseFen(fen)).all;
  const why = n > PIECES_MAX ? `${n} pieces, and they hold at most eight` : missing.replace(/^no table (\S+)\.\w+$/, "$1 is not built");
  return { title: turn, sub: `Not in the tables: ${why}.`, kind: "unknown" };
}

function decided(info, side) {
  const who = info.value === "win" ? side : other[side];
  let sub = "";
  if (info.dtw === null) sub = "The tables here do not hold the distance.";
  else if (info.dtc !== null)
    sub = info.dtc === info.dtw ? "No capture or king before the end." : `Next capture or king in ${distanceText(info.dtc)}.`;
  return { title: info.dtw === null ? wins(who) : `${wins(who)} in ${distanceText(info.dtw)}`, sub, kind: colour[who] };
}

// "Black wins in 41 moves", "Black to move. Next capture or king in 19 moves.", and a kind
// for the looks: black, white, draw or unknown.
export function verdictOf(fen, info, legal) {
  const side = turnOf(fen);
  if (!legal.length) return gameOver(fen, side);
  const turn = `${sideName[side]} ${legal[0].captured.length ? "must jump" : "to move"}`;
  if (info.value === null) return unknown(fen, info.missing, turn);
  const v = info.value === "draw" ? { title: "A draw", sub: "Neither side can force a win.", kind: "draw" } : decided(info, side);
  return { ...v, sub: `${turn}. ${v.sub}`, exact: true };
}

// The same where a game is drawn, `why`.  One that is played is over; one that is looked at may go on.
export function verdictDrawn(why, verdict, over) {
  if (over) return { title: "A draw", sub: `The game is over: ${why}.`, kind: "draw" };
  return { ...verdict, sub: `${verdict.sub} In a game this is a draw: ${why}.` };
}

// The wording of the paper: "25-30 wins in 101 moves, but 20-24 allows White 2 more."
// Empty if the move gave nothing away.
export function slipNote(verdict, move, side) {
  if (!verdict || (!verdict.slip && !verdict.changes)) return "";
  const { best } = verdict;
  const far = best.plies === null || best.value === "draw" ? "" : ` in ${distanceText(best.plies)}`;
  const text = `${best.move} ${valueName[best.value]}${far}, but ${move}`;
  if (verdict.changes) return `${text} gives that away.`;
  const more = distanceText(verdict.slip);
  if (best.value === "win") return `${text} allows ${sideName[other[side]]} ${more} more.`;
  return `${text} spares ${sideName[other[side]]} ${more}.`;
}

// A score in hundredths of a man, as players write it.
export function scoreText(score) {
  const men = score / 100;
  return `${men > 0 ? "+" : men < 0 ? "−" : ""}${Math.abs(men).toFixed(2)}`;
}

// What a score means for `side`, in words.
export function scoreWords(score, side) {
  const size = Math.abs(score), who = sideName[score >= 0 ? side : other[side]];
  if (size < 15) return "About even";
  if (size < 60) return `${who} is a little better`;
  return size < 150 ? `${who} is better` : `${who} is winning, it seems`;
}

// What the tables say that a move gave away.
export function judge(position, move) {
  if (!position || position.value === null) return null;
  const played = position.moves.find((m) => m.move === move), best = position.moves[0];
  if (!played || played.value === null) return null;
  const changes = played.value !== best.value;
  const timed = !changes && best.value !== "draw" && best.dtw !== null && played.dtw !== null;
  return {
    before: { value: position.value, plies: position.dtw },
    best: { move: best.move, value: best.value, plies: best.dtw },
    slip: timed ? Math.abs(played.dtw - best.dtw) : 0, changes,
  };
}

// The same from a game that the server has gone through.
export function reviewed(m) {
  if (!m.best) return null;
  return { before: { value: m.best.value, plies: m.best.plies }, best: m.best, slip: m.slip || 0, changes: Boolean(m.changes_value) };
}

// And from a line of perfect play.
export function perfect(m) {
  return { before: { value: m.value, plies: m.plies }, best: { move: m.move, value: m.value, plies: m.plies }, slip: 0, changes: false };
}
