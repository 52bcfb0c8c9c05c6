// icicle.js -- the picture of a proof: each position a box, as wide as what lies below it, the
// positions that its moves lead to in the row beneath.

import { count, el, svg } from "./dom.js";
import { boundsText } from "./bounds.js";
import { other, turnOf } from "./notation.js";

const ROW = 26, ROWS = 14, LABEL = 34; // LABEL: the least width that a move is written in

// How a position looks: who wins, a draw, one bound, or nothing known.
function kindOf({ lower, upper, fen }) {
  const side = turnOf(fen);
  if (lower === upper) return lower === "draw" ? "draw" : (lower === "win" ? side : other[side]) === "B" ? "black" : "white";
  return lower === "loss" && upper === "win" ? "open" : "bound";
}

const some = (n, one, many) => (n === 1 ? `1 ${one}` : `${count(n)} ${many}`);

function about(node) {
  const words = [boundsText(node, turnOf(node.fen)), some(node.size, "position", "positions")];
  if (node.open) words.push(`${count(node.open)} open`);
  if (node.searches) words.push(some(node.searches, "search", "searches"));
  return `${node.move ? `${node.move}: ` : ""}${words.join(", ")}`;
}

// Where each box stands: children side by side below their parent, largest first.
function place(nodes, whole) {
  const below = new Map(nodes.map((n) => [n.id, []])), boxes = [];
  for (const n of nodes) if (n.parent !== null) below.get(n.parent).push(n);
  const put = (node, x, width, level) => {
    if (level >= ROWS || width < 0.7) return;
    boxes.push({ node, x, width, level });
    let at = x;
    for (const child of below.get(node.id).sort((a, b) => b.size - a.size)) {
      const wide = width * child.size / node.size;
      put(child, at, wide, level + 1);
      at += wide;
    }
  };
  put(nodes[0], 0, whole, 0);
  return boxes;
}

// The moves from the root of the picture to a node.
function wayTo(nodes, node) {
  const byId = new Map(nodes.map((n) => [n.id, n])), way = [];
  for (let n = node; n.parent !== null; n = byId.get(n.parent)) way.unshift({ move: n.move, fen: n.fen });
  return way;
}

function box({ node, x, width, level }, onOpen) {
  const group = svg("g", { class: `box ${kindOf(node)}${node.open ? " unfinished" : ""}`, "data-fen": node.fen, transform: `translate(${x} ${level * ROW})` },
    svg("rect", { width: Math.max(0.4, width - 0.8), height: ROW - 2, rx: width > 8 ? 3 : 0 }));
  if (width >= LABEL) {
    const text = svg("text", { x: Math.min(8, width / 8), y: ROW / 2 + 3.5 });
    text.textContent = width > 110 && node.size > 1 ? `${node.move || "here"} · ${count(node.size)}` : node.move || "here";
    group.append(text);
  }
  const title = svg("title");
  title.textContent = about(node);
  group.append(title);
  group.addEventListener("click", onOpen);
  return group;
}

const LEGEND = [["black", "Black wins"], ["white", "White wins"], ["draw", "a draw"], ["bound", "one bound"], ["open", "open"]];

// `tree` as the server tells it, drawn for so many pixels; onZoom(way) when a box is chosen, with
// the moves that lead to it.
export function picture(tree, width, onZoom) {
  const { nodes } = tree, boxes = place(nodes, width), deep = Math.max(...boxes.map((b) => b.level)) + 1;
  const chart = svg("svg", { class: "icicle", viewBox: `0 0 ${width} ${deep * ROW}`, role: "img",
    "aria-label": `The proof as a picture: ${count(nodes[0].size)} positions, ${count(nodes[0].open)} open` });
  chart.append(...boxes.map((b) => box(b, () => { if (b.node.parent !== null) onZoom(wayTo(nodes, b.node)); })));
  const used = new Set(boxes.map((b) => kindOf(b.node))), idle = nodes[0].lower === nodes[0].upper ? "not needed" : "open";
  return el("figure.proof-picture", {}, chart, el("figcaption", {},
    el("span.legend", {}, LEGEND.filter(([k]) => used.has(k)).map(([k, text]) => el("span", {}, el(`i.${k}`), k === "open" ? idle : text))),
    ` ${tree.whole ? "" : "at least "}${some(nodes[0].size, "position", "positions")}${nodes[0].open ? `, ${count(nodes[0].open)} ${idle}` : ""}. A box is as wide as what it rests on; choose one to look closer.`));
}
