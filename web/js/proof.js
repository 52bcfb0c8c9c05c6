// proof.js -- walk through proofs: at each position what is proven of it and of its moves.

import * as api from "./api.js";
import { miniature } from "./board.js";
import { count, duration, el } from "./dom.js";
import { describe, other, parseFen, sideName, turnOf } from "./notation.js";

const order = { loss: 0, draw: 1, win: 2 };
const negated = { loss: "win", draw: "draw", win: "loss" };

// Bounds for `side`, in words.
export function boundsText({ lower, upper }, side) {
  if (lower === upper) return lower === "draw" ? "A draw" : `${sideName[lower === "win" ? side : other[side]]} wins`;
  if (lower === "draw") return `At least a draw for ${sideName[side]}`;
  if (upper === "draw") return `At most a draw for ${sideName[side]}`;
  return "Unresolved";
}

export function boundsKind({ lower, upper }, side) {
  if (lower !== upper) return "unknown";
  if (lower === "draw") return "draw";
  return (lower === "win" ? side : other[side]) === "B" ? "black" : "white";
}

const inTree = (p) => p.class !== "not in the tree";

function sizeText(p) {
  if (p.store) return `${p.leaf ? "leaf, " : ""}${count(p.store.searches)} ${p.store.searches === 1 ? "search" : "searches"}, ${count(p.store.nodes)} positions`;
  if (p.leaf) return "in the tables";
  if (!inTree(p)) return "not in the tree";
  return p.size >= 50000 ? "50,000 claims or more" : p.size === 1 ? "1 claim" : `${count(p.size)} claims`;
}

function moveRow(m, side, open) {
  // What the move gives the side that makes it.
  const mine = { lower: negated[m.upper], upper: negated[m.lower] };
  return el("tr", {},
    el("td", {}, inTree(m) ? el("button.link", { type: "button", onclick: () => open(m) }, m.move) : m.move),
    el("td", {}, inTree(m) ? boundsText(mine, side) : el("span.dim", {}, "–")),
    el("td.num", {}, inTree(m) && !m.leaf ? sizeText(m) : el("span.dim", {}, sizeText(m))));
}

async function node(root, fen, trail) {
  const p = await api.proof(fen);
  const side = turnOf(fen);
  const rank = (m) => [inTree(m) ? 1 : 0, order[negated[m.upper]], order[negated[m.lower]], m.size];
  const moves = [...p.moves].sort((a, b) => { const x = rank(a), y = rank(b); for (let i = 0; i < 4; i++) if (x[i] !== y[i]) return y[i] - x[i]; return 0; });
  const go = (to, path) => { window.history.pushState(null, "", `#proof/${to}`); node(root, to, path); };
  root.replaceChildren(
    el("nav.trail", { "aria-label": "The way here" },
      el("a", { href: "#proof" }, "Proofs"),
      ...trail.flatMap((t, i) => [" › ", i === trail.length - 1 ? el("b", {}, t.move) : el("button.link", { type: "button", onclick: () => go(t.fen, trail.slice(0, i + 1)) }, t.move)])),
    el("div.proof-node", {},
      el("div", {}, miniature(fen), el("p", {}, el("a", { href: `#/${fen}` }, "Show on the board"))),
      el("div", {},
        el("div.verdict", {}, el(`i.sign.${inTree(p) ? boundsKind(p, side) : "unknown"}`),
          el("div", {}, el("h1", {}, inTree(p) ? boundsText(p, side) : "Not in a proof"),
            el("p.sub", {}, `${sideName[side]} to move. ${p.leaf && !p.store ? "The tables know it." : inTree(p) ? p.store ? `In the store: ${sizeText(p)}.` : `Rests on ${sizeText(p)}.` : "No proof here speaks of this position."}`))),
        moves.length ? el("div.table-box", {}, el("table", {},
          el("thead", {}, el("tr", {}, el("th", {}, "Move"), el("th", {}, "Result"), el("th.num", {}, "Rests on"))),
          el("tbody", {}, moves.map((m) => moveRow(m, side, (to) => go(to.fen, [...trail, { move: m.move, fen: m.fen }])))))) : el("p", {}, "There is no move: the game is over."))));
}

function cost(p) {
  if (p.claims === undefined) return `under way: ${p.store ? sizeText(p) : "not begun"}`;
  return `${count(p.claims)} ${p.claims === 1 ? "claim" : "claims"}${p.seconds ? ` · ${duration(p.seconds)}` : ""}`;
}

async function overview(root) {
  const { proofs } = await api.proofs();
  root.replaceChildren(
    el("h1", {}, "Proofs"),
    el("p.lead", {}, "A proof names a reply to every move of the other side, down to positions that the tables know. Each of these was checked, by the rules and the tables alone, before it was shown. Prove a position from the board, or write proofs with ", el("code", {}, "kelso solve --tree"), "."),
    proofs.length ? el("div.cards", {}, proofs.map((p) => el("a.pic", { href: `#proof/${p.fen}` }, miniature(p.fen, describe(parseFen(p.fen))),
      el("div.cap", {}, el("h3", {}, boundsText(p, turnOf(p.fen))), el("p", {}, `${sideName[turnOf(p.fen)]} to move · ${cost(p)}`)))))
      : el("p.lonely", {}, "There are no proofs yet. Set up a position with nine or ten pieces on the ", el("a", { href: "#/" }, "board"), " and let it be proven."));
}

export function show(root, [fen]) {
  if (fen) node(root, fen, [{ move: "root", fen }]);
  else overview(root);
}
