// proof.js -- walk through proofs: at each position what is proven of it and of its moves, and a
// picture of what lies below.  Past the leaves of a proof the tables and the solver go on.

import * as api from "./api.js";
import { boundsKind, boundsText } from "./bounds.js";
import { miniature } from "./discs.js";
import { calm, count, duration, el, table } from "./dom.js";
import { picture } from "./icicle.js";
import { excuse, watch } from "./jobs.js";
import { describe, parseFen, sideName, turnOf } from "./notation.js";
import { watchQueue, watchStore } from "./storebox.js";
import { legalMoves } from "./rules.js";
import { scoreText, scoreWords, verdictOf } from "./words.js";

const PROOF_TIME = "20s";

const order = { loss: 0, draw: 1, win: 2 };
const negated = { loss: "win", draw: "draw", win: "loss" };

const inTree = (p) => p.class !== "not in the tree";

// What a position rests on.
function sizeText(p) {
  if (!inTree(p)) return "not in the tree";
  if (p.store) {
    const searches = p.store.searches === 1 ? "1 search" : `${count(p.store.searches)} searches`;
    return `${p.leaf ? "leaf, " : ""}${searches}, ${count(p.store.nodes)} expanded`;
  }
  if (p.leaf) return "in the tables";
  return p.size >= 50000 ? "50,000 claims or more" : p.size === 1 ? "1 claim" : `${count(p.size)} claims`;
}

function standing(p) {
  if (!inTree(p)) return "No proof here covers this position.";
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
    el("td", {}, el("button.link", { type: "button", onclick: open }, m.move)),
    el("td", {}, known ? boundsText(given(m), side) : el("span.dim", {}, "–")),
    el("td.num", {}, known && !m.leaf ? sizeText(m) : el("span.dim", {}, sizeText(m))));
}

// The moves that led here, each a way back.
function trailOf(trail, go) {
  const steps = trail.map((t, i) => (i === trail.length - 1 ? el("b", {}, t.move)
    : el("button.link", { type: "button", onclick: () => go(trail.slice(0, i + 1)) }, t.move)));
  return el("nav.trail", { "aria-label": "The way here" }, el("a", { href: "#proof" }, "Proofs"), steps.flatMap((s) => [" › ", s]));
}

// --------------------------------------------------------- past the end of a proof --

// What the tables know of a position that no proof speaks of, else what the solver finds.
async function solveHere(box, fen, again) {
  const known = await api.position(fen), legal = legalMoves(parseFen(fen));
  if (known.value !== null || !legal.length) {
    const v = verdictOf(fen, known, legal);
    box.replaceChildren(el("p", {}, el("b", {}, v.title), ". ", v.sub));
  } else if ((await api.state()).may_prove) {
    await proveHere(box, fen, again);
  } else {
    await opinionHere(box, fen);
  }
}

async function proveHere(box, fen, again) {
  try {
    const { id, key } = await api.prove(fen, PROOF_TIME);
    const end = await watch(id, box, { key, label: "solving, 20 seconds at most" });
    if (end.state === "done" && end.label !== "unknown") again();
    else if (end.state === "done") await opinionHere(box, fen, "Not solved within 20 seconds. ");
    else box.replaceChildren(el("p", {}, excuse(end)));
  } catch (error) {
    await opinionHere(box, fen, `${error.message}. `);
  }
}

async function opinionHere(box, fen, before = "") {
  const a = await api.analysis(fen, "1s"), best = a.lines[0];
  box.replaceChildren(el("p", {}, before, best.proven ? `Proven: ${boundsText({ lower: best.value, upper: best.value }, turnOf(fen))}`
    : `Opinion, not truth: ${scoreWords(best.score, turnOf(fen))} (${scoreText(best.score)}), ${best.pv.slice(0, 6).join(" ")}`));
}

// ---------------------------------------------------------------------- one position --

async function drawTree(box, fen, onZoom) {
  const tree = await api.tree(fen, 400).catch(() => null);
  if (!tree || tree.nodes.length < 2) { box.replaceChildren(); return; }
  const path = `api/v1/tree?fen=${fen}&nodes=2000`;
  box.replaceChildren(el("h2", {}, "What it rests on"), picture(tree, box.clientWidth || 1000, onZoom),
    el("p.data", {}, "Data: ", el("a", { href: `${path}&format=csv`, download: "proof.csv" }, "CSV"), " · ", el("a", { href: path, download: "proof.json" }, "JSON")));
}

let shown = 0; // counts positions shown: late answers to older ones are dropped

// What is known of a position, and of what its moves lead to.
function knownOf(p, side, go) {
  const rows = [...p.moves].sort(byResult).map((m) => moveRow(m, side, () => go([{ move: m.move, fen: m.fen }])));
  return [
    el("div.verdict", {}, el(`i.sign.${boundsKind(p, side)}`),
      el("div", {}, el("h1", {}, inTree(p) ? boundsText(p, side) : "Past the end of the proof"),
        el("p.sub", {}, `${sideName[side]} to move. ${standing(p)}`))),
    rows.length ? table("Moves", ["Move", "Result", "#Rests on"], rows) : el("p", {}, "There is no move: the game is over.")];
}

async function node(root, trail, state) {
  const { fen } = trail[trail.length - 1], side = turnOf(fen), mine = ++shown;
  const show = (to) => { window.history.pushState(null, "", `#proof/${to[to.length - 1].fen}`); node(root, to, state); };
  const go = (way) => show([...trail, ...way]);
  const first = await api.proof(fen);
  if (mine !== shown) return;
  const solved = el("div", { id: "solved-here", role: "status" }), drawing = el("div"), facts = el("div.facts"), known = el("div", {}, knownOf(first, side, go));
  root.replaceChildren(
    trailOf(trail, show), facts,
    el("div.proof-node", {},
      el("div", {}, miniature(fen), el("p", {}, el("a", { href: `#/${fen}` }, "Show on the board"))),
      el("div", {}, known, solved)), drawing);
  const draw = () => drawTree(drawing, fen, go);
  const grown = async () => {
    const now = await api.proof(fen);
    await calm();
    if (mine !== shown) return;
    const focused = [...known.querySelectorAll("button")].indexOf(document.activeElement);
    known.replaceChildren(...knownOf(now, side, go));
    if (focused >= 0) known.querySelectorAll("button")[focused]?.focus();
    draw();
  };
  state.leave?.();
  state.leave = first.store ? watchStore(facts, grown) : null;
  if (!inTree(first)) solveHere(solved, fen, () => { if (mine === shown) node(root, trail, state); });
  if (inTree(first) && (first.store || !first.leaf)) draw();
}

function cost(p) {
  if (p.claims === undefined)
    return `${p.lower === p.upper ? "proven" : p.store ? "under way" : "not begun"}: ${count(p.positions)} ${p.positions === 1 ? "position" : "positions"} in the store`;
  return `${count(p.claims)} ${p.claims === 1 ? "claim" : "claims"}${p.seconds ? ` · ${duration(p.seconds)}` : ""}`;
}

function card(p) {
  const side = turnOf(p.fen);
  return el("a.pic", { href: `#proof/${p.fen}` }, miniature(p.fen, describe(parseFen(p.fen))),
    el("div.cap", {}, el("h3", {}, boundsText(p, side)), el("p", {}, `${sideName[side]} to move · ${cost(p)}`)));
}

async function overview(root, state) {
  const mine = ++shown, { proofs } = await api.proofs(), { store, queue } = await api.state();
  if (mine !== shown) return;
  const under = proofs.filter((p) => p.claims === undefined), done = proofs.filter((p) => p.claims !== undefined), facts = el("div.facts", { id: "store" });
  const cards = el("div.cards", {}, under.map(card)), workers = el("div", { id: "queue" });
  root.replaceChildren(
    el("h1", {}, "Proofs"),
    el("p.lead", {}, "A proof names a reply to every move of the other side, down to positions that the tables know. ",
      "Each finished one was checked, by the rules and the tables alone, before it was shown. ",
      "Prove a position from the board, or write proofs with ", el("code", {}, "kelso solve --tree"), "."),
    ...(queue ? [el("h2", {}, "On the queue"), workers] : []),
    ...(store ? [el("h2", {}, "In the store"), facts, cards] : []),
    ...(store || queue ? [el("h2", {}, "Finished")] : []),
    done.length ? el("div.cards", {}, done.map(card))
      : el("p.lonely", {}, "There are no finished proofs yet. Set up a position with nine or ten pieces on the ",
        el("a", { href: "#/" }, "board"), " and let it be proven."),
    el("p.data", {}, "Data: ", el("a", { href: "api/v1/proofs?format=csv", download: "proofs.csv" }, "CSV"), " · ", el("a", { href: "api/v1/proofs", download: "proofs.json" }, "JSON")));
  const again = async () => { const now = await api.proofs(); await calm(); if (mine === shown) cards.replaceChildren(...now.proofs.filter((p) => p.claims === undefined).map(card)); };
  const watched = [store && watchStore(facts, again), queue && watchQueue(workers)].filter(Boolean);
  state.leave = () => watched.forEach((end) => end());
}

export function show(root, [fen]) {
  const state = { leave: null }; // stops what is watched
  if (fen) node(root, [{ move: "root", fen }], state);
  else overview(root, state);
  return () => { shown++; state.leave?.(); };
}
