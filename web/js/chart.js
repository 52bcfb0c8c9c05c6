// chart.js -- lines over a game that one can click: the distance to the end where the
// tables know it, and the evaluation that joins engine and tables.

import { svg } from "./dom.js";
import { distance } from "./words.js";

const W = 600, H = 130, LEFT = 48, BOTTOM = 18, TOP = 8, RIGHT = 6;

function text(x, y, said, anchor = "end") {
  const node = svg("text", { class: "label", x, y, "text-anchor": anchor });
  node.textContent = said;
  return node;
}

// An empty chart over n moves, with its scales; onPick(i) when a position is clicked.
function frame(n, label, low, high, at, onPick) {
  const x = (i) => LEFT + (W - LEFT - RIGHT) * i / n;
  const y = (v) => TOP + (H - TOP - BOTTOM) * (high - v) / (high - low);
  const chart = svg("svg", { class: "chart", viewBox: `0 0 ${W} ${H}`, role: "img", "aria-label": label });
  const grid = (v, said) => chart.append(svg("line", { class: "grid", x1: LEFT, x2: W - RIGHT, y1: y(v), y2: y(v) }), text(LEFT - 6, y(v) + 3.5, said));
  const now = svg("line", { class: "now", x1: x(at), x2: x(at), y1: TOP - 4, y2: H - BOTTOM });
  const pick = (event) => {
    const box = chart.getBoundingClientRect();
    const i = ((event.clientX - box.left) / box.width * W - LEFT) / (W - LEFT - RIGHT) * n;
    onPick(Math.round(Math.max(0, Math.min(n, i))));
  };
  chart.addEventListener("click", pick);
  return { chart, x, y, grid, now };
}

// Where a run of known points begins and ends.
function runs(points) {
  const found = [];
  points.forEach((p, i) => {
    if (p === null) return;
    if (i && points[i - 1] !== null) found[found.length - 1].push(i);
    else found.push([i]);
  });
  return found;
}

const path = (list, x, y, points) => list.map((i, k) => `${k ? "L" : "M"}${x(i)} ${y(points[i])}`).join("");

// points: [{plies}] for positions 0..n, null where nothing is known; slips: positions in
// which a move gave something away.
export function distanceChart(points, slips, at, onPick) {
  const values = points.map((p) => (p && p.plies !== null ? distance(p.plies) : null)), known = values.filter((v) => v !== null);
  if (known.length < 2) return null;
  const most = Math.max(4, ...known), step = niceStep(most / 3), n = Math.max(1, points.length - 1);
  const label = `Distance to the end over the game: from ${known[0]} to ${known[known.length - 1]}`;
  const { chart, x, y, grid, now } = frame(n, label, 0, most, at, onPick);
  for (let v = 0; v <= most; v += step) grid(v, v);
  for (const run of runs(values)) {
    const line = path(run, x, y, values);
    chart.append(svg("path", { class: "area", d: `${line}L${x(run[run.length - 1])} ${y(0)}L${x(run[0])} ${y(0)}z` }), svg("path", { class: "line", d: line }));
  }
  for (const i of slips) if (values[i] !== null) chart.append(svg("circle", { class: "slip", cx: x(i), cy: y(values[i]), r: 3.4 }));
  chart.append(now);
  if (values[at] !== null && values[at] !== undefined) chart.append(svg("circle", { class: "here", cx: x(at), cy: y(values[at]), r: 4 }));
  return chart;
}

export const TOP_SCORE = 150; // hundredths of a man: more is not drawn higher

// points: [{score, exact, mark}] after each move, scores for Black; null: not known yet.
export function scoreChart(points, at, onPick) {
  const n = Math.max(1, points.length);
  const clip = (v) => Math.max(-TOP_SCORE, Math.min(TOP_SCORE, v));
  const values = [null, ...points.map((p) => (p ? clip(p.score) : null))];
  const { chart, x, y, grid, now } = frame(n, "Evaluation over the game, Black's advantage above the middle", -TOP_SCORE, TOP_SCORE, at, onPick);
  for (const v of [-TOP_SCORE, 0, TOP_SCORE]) grid(v, v ? (v > 0 ? "Black" : "White") : "even");
  for (const run of runs(values)) {
    const line = path(run, x, y, values);
    chart.append(svg("path", { class: "area", d: `${line}L${x(run[run.length - 1])} ${y(0)}L${x(run[0])} ${y(0)}z` }), svg("path", { class: "line opinion-line", d: line }));
  }
  for (const run of runs(values.map((v, i) => (i && points[i - 1]?.exact ? v : null))))
    chart.append(svg("path", { class: "line exact-line", d: path(run, x, y, values) }));
  points.forEach((p, i) => { if (p?.mark) chart.append(svg("circle", { class: `slip ${p.mark}`, cx: x(i + 1), cy: y(values[i + 1]), r: 3.6 })); });
  chart.append(now);
  return chart;
}

function niceStep(about) {
  const power = 10 ** Math.floor(Math.log10(about));
  for (const m of [1, 2, 5, 10]) if (m * power >= about) return Math.max(1, m * power);
  return about;
}
