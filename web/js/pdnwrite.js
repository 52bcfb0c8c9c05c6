// pdnwrite.js -- games as PDN 3.0, with everything in them: what goes in comes out.

import { START, turnOf } from "./notation.js";

const ORDER = ["Event", "Site", "Date", "Round", "Black", "White", "Result"];
const LAST = ["GameType", "SetUp", "FEN"];
const SIGN = { 1: "!", 2: "?", 3: "!!", 4: "??", 5: "!?", 6: "?!" };

const quoted = (value) => value.replace(/["\\]/g, "\\$&").replace(/\s+/g, " ");

// Braces inside a comment stay if they are paired.
function braced(comment) {
  let depth = 0;
  for (const c of comment) {
    if (c === "{") depth++;
    if (c === "}" && --depth < 0) break;
  }
  return `{${depth === 0 ? comment : comment.replace(/[{}]/g, (c) => (c === "{" ? "(" : ")"))}}`;
}

function tagLines(game) {
  const rank = ([name]) => (ORDER.includes(name) ? ORDER.indexOf(name) : ORDER.length);
  const tags = game.tags.filter(([name]) => !LAST.includes(name)).map((t, i) => [t, i])
    .sort(([a, i], [b, j]) => rank(a) - rank(b) || i - j).map(([t]) => t);
  if (!game.tag("Event")) tags.unshift(["Event", "?"]);
  if (!game.tag("Result")) tags.splice(tags.filter((t) => rank(t) < 6).length, 0, ["Result", game.result]);
  tags.push(["GameType", "21"]);
  if (game.start !== START) tags.push(["SetUp", "1"], ["FEN", game.start]);
  return tags.map(([name, value]) => `[${name} "${quoted(value)}"]`);
}

// The words of one move, with its number where it is due.
function moveWords(node, number, numbered) {
  const black = turnOf(node.parent.fen) === "B";
  const list = node.before.map(braced), sign = SIGN[node.nags[0]] || "";
  if (black) list.push(`${number}.`);
  else if (numbered || list.length) list.push(`${number}...`);
  list.push(node.move + sign, ...node.nags.slice(sign ? 1 : 0).map((n) => `$${n}`), ...node.comments.map(braced));
  return list;
}

// The words of a line that begins with `node`; variations stand behind the move they replace.
function lineWords(node, number) {
  const list = [];
  let numbered = true;
  for (; node; node = node.main) {
    list.push(...moveWords(node, number, numbered));
    numbered = node.comments.length > 0;
    for (const variation of node === node.parent.main ? node.parent.children.slice(1) : []) {
      const inside = lineWords(variation, number);
      inside[0] = `(${inside[0]}`;
      inside[inside.length - 1] += ")";
      list.push(...inside);
      numbered = true;
    }
    if (turnOf(node.parent.fen) === "W") number++;
  }
  return list;
}

function wrapped(list) {
  const lines = [];
  let text = "";
  for (const word of list.flatMap((w) => (w.startsWith("{") || w.startsWith("({") ? w.split(" ") : [w]))) {
    if (text && text.length + word.length + 1 > 78) { lines.push(text); text = ""; }
    text += (text ? " " : "") + word;
  }
  return [...lines, text].join("\n");
}

export function writeGame(game) {
  const list = [...game.root.comments.map(braced), ...lineWords(game.root.main, 1), game.result];
  return `${tagLines(game).join("\n")}\n\n${wrapped(list)}\n`;
}

export const writeGames = (games) => games.map(writeGame).join("\n");
