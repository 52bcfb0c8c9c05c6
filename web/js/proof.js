// proof.js -- walk through proofs: at each position what is proven of it and of its moves.

import * as api from "./api.js";
import { boundsKind, boundsText } from "./bounds.js";
import { miniature } from "./discs.js";
import { count, duration, el, table } from "./dom.js";
import { describe, parseFen, sideName, turnOf } from "./notation.js";

const order = { loss: 0, draw: 1, win: 2 };
const negated = { loss: "win", draw: "draw", win: "loss" };

const inTree = (p) => p.class !== "not in the tree";

// What a position rests on.
function sizeText(p) {
  if (!inTree(p)) return "not in the tree";
  if (p.store) {
    const searches = p.store.searches === 1 ? "1 search" : `${count(p.store.searches)} searches`;
    return `${p.leaf ? "leaf, " : ""}${searches}, ${count(p.store.nodes)} positions`;
  }
  if (p.leaf) return "in the tables";
  return p.size >= 50000 ? "50,000 claims or more" : p.size === 1 ? "1 claim" : `${count(p.size)} claims`;
}

function standing(p) {
  if (!inTree(p)) return "No proof here speaks of this position.";
  if (p.store) return `In the store: ${sizeText(p)}.`;
  return p.leaf ? "The tables know it." : `Rests on ${sizeText(p)}.`;
}

// What a move gives the side that makes it.
const given = (m) => ({ lower: negated[m.upper], upper: negated[m.lower] });

// Best first; what is not in the tree last.
function byResult(a, b) {
  const rank = (m) => [inTree(m) ? 1 : 0, order[given(m).lower], order[given(m).upper], m.size];
  const x = rank(a), y = rank(b);
  const i = x.findIndex((v, k) => v !== y[k]);
  return i < 0 ? 0 : y[i] - x[i];
}

function moveRow(m, side, open) {
  const known = inTree(m);
  return el("tr", {},
    el("td", {}, known ? el("button.link", { type: "button", onclick: open }, m.move) : m.move),
    el("td", {}, known ? boundsText(given(m), side) : el("span.dim", {}, "–")),
    el("td.num", {}, known && !m.leaf ? sizeText(m) : el("span.dim", {}, sizeText(m))));
}

// The moves that led here, each a way back.
function trailOf(trail, go) {
  const steps = trail.map((t, i) => (i === trail.length - 1 ? el("b", {}, t.move)
    : el("button.link", { type: "button", onclick: () => go(trail.slice(0, i + 1)) }, t.move)));
  return el("nav.trail", { "aria-label": "The way here" }, el("a", { href: "#proof" }, "Proofs"), steps.flatMap((s) => [" › ", s]));
}

async function node(root, trail) {
  const { fen } = trail[trail.length - 1], side = turnOf(fen);
  const p = await api.proof(fen);
  const go = (to) => { window.history.pushState(null, "", `#proof/${to[to.length - 1].fen}`); node(root, to); };
  const rows = [...p.moves].sort(byResult).map((m) => moveRow(m, side, () => go([...trail, { move: m.move, fen: m.fen }])));
  root.replaceChildren(
    trailOf(trail, go),
    el("div.proof-node", {},
      el("div", {}, miniature(fen), el("p", {}, el("a", { href: `#/${fen}` }, "Show on the board"))),
      el("div", {},
        el("div.verdict", {}, el(`i.sign.${boundsKind(p, side)}`),
          el("div", {}, el("h1", {}, inTree(p) ? boundsText(p, side) : "Not in a proof"),
            el("p.sub", {}, `${sideName[side]} to move. ${standing(p)}`))),
        rows.length ? table("Moves", ["Move", "Result", "#Rests on"], rows) : el("p", {}, "There is no move: the game is over."))));
}

function cost(p) {
  if (p.claims === undefined) return `under way: ${p.store ? sizeText(p) : "not begun"}`;
  return `${count(p.claims)} ${p.claims === 1 ? "claim" : "claims"}${p.seconds ? ` · ${duration(p.seconds)}` : ""}`;
}

function card(p) {
  const side = turnOf(p.fen);
  return el("a.pic", { href: `#proof/${p.fen}` }, miniature(p.fen, describe(parseFen(p.fen))),
    el("div.cap", {}, el("h3", {}, boundsText(p, side)), el("p", {}, `${sideName[side]} to move · ${cost(p)}`)));
}

async function overview(root) {
  const { proofs } = await api.proofs();
  root.replaceChildren(
    el("h1", {}, "Proofs"),
    el("p.lead", {}, "A proof names a reply to every move of the other side, down to positions that the tables know. ",
      "Each of these was checked, by the rules and the tables alone, before it was shown. ",
      "Prove a position from the board, or write proofs with ", el("code", {}, "kelso solve --tree"), "."),
    proofs.length ? el("div.cards", {}, proofs.map(card))
      : el("p.lonely", {}, "There are no proofs yet. Set up a position with nine or ten pieces on the ",
        el("a", { href: "#/" }, "board"), " and let it be proven."));
}

export function show(root, [fen]) {
  if (fen) node(root, [{ move: "root", fen }]);
  else overview(root);
}
