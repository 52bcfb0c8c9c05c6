// glossary.js -- the words of the page and its keys, explained.

import { dialog, el } from "./dom.js";

const WORDS = [
  ["Man, king", "A man moves and jumps forward; on the far row it is crowned and becomes a king, which goes both ways."],
  ["Jump, capture", "Jumping is compulsory. Any jump may be chosen, but it has to be completed."],
  ["Black, White", "Black, in some countries Red, moves first and sits at squares 1 to 12. A result of 1-0 is Black's win."],
  ["Move, ply", "A move is one of each side. A ply is a move of one side: 41 moves are 81 or 82 plies."],
  ["Tables", "Endgame databases: every position with few pieces, with its exact value and distance."],
  ["Wins in …", "How long the game lasts if the winner hurries and the loser resists as long as possible."],
  ["To change", "How long until the next capture or crowning with best play. Books call it a conversion."],
  ["Draw", "Neither side can force a win."],
  ["Engine, opinion", "Where the tables end the engine estimates. +1.00 is worth about a man for the side to move. It can be wrong."],
  ["Proven", "A search that ends in tables or in the end of the game leaves no doubt. That is the truth, not an opinion."],
  ["Threat", "What the other side would do if you passed."],
  ["Solve it", "Computes a table for just the endings that this position can lead to."],
  ["Prove it", "Searches until the value is beyond doubt, and keeps the proof to walk through."],
  ["Slice", "All positions with the same material, such as two kings and a man against two kings: 2K1C-2K."],
  ["Threshold", "While a large proof grows, a score beyond the threshold counts as a result for the time being. It rises until nothing rests on a score."],
  ["Ballot, three-move restriction", "In tournaments the first three moves are drawn by lot, so that openings are not chosen to draw. GAYP, go as you please, is the free choice."],
  ["Star move, ★ or □", "The only move that keeps the value."],
  ["FEN, PDN", "A position, and a game, as text that other programs read."],
];

const KEYS = [
  ["← →", "one move back, one forward"], ["Home, End", "to the start, to the end"], ["↑ ↓", "to another variation"],
  ["space", "play on: perfect moves from the tables, or the engine"], ["f", "flip the board"], ["s", "set up a position"],
  ["e", "engine on or off"], ["t", "threat"], ["h", "hint"], ["n", "new game"], ["Ctrl Z", "undo"], ["?", "this window"],
  ["Tab to the board", "arrows go over the squares, Enter chooses, Escape lets go"],
];

const list = (pairs, kind) => el(`dl.${kind}`, {}, pairs.flatMap(([a, b]) => [el("dt", {}, a), el("dd", {}, b)]));

export function open() {
  dialog("Words and keys", list(WORDS, "words"), el("h3", {}, "Keys"), list(KEYS, "keys-list"));
}
