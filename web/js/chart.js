// chart.js -- the distance to the end over a game, as a line one can click.

import { svg } from "./dom.js";

const W = 600, H = 130, LEFT = 30, BOTTOM = 18, TOP = 8;

// points: [{plies, value, side}] for positions 0..n, null where nothing is known;
// slips: indices of positions in which a move gave something away.
export function distanceChart(points, slips, at, onPick) {
  const known = points.filter((p) => p && p.plies !== null);
  if (known.length < 2) return null;
  const most = Math.max(4, ...known.map((p) => p.plies));
  const step = niceStep(most / 3);
  const n = Math.max(1, points.length - 1);
  const x = (i) => LEFT + (W - LEFT - 6) * i / n;
  const y = (v) => TOP + (H - TOP - BOTTOM) * (1 - v / most);
  const chart = svg("svg", {
    class: "chart", viewBox: `0 0 ${W} ${H}`, role: "img",
    "aria-label": `Plies to the end over the game: from ${known[0].plies} to ${known[known.length - 1].plies}`,
  });
  for (let v = 0; v <= most; v += step) {
    chart.append(svg("line", { class: "grid", x1: LEFT, x2: W - 6, y1: y(v), y2: y(v) }));
    const label = svg("text", { class: "label", x: LEFT - 6, y: y(v) + 3.5, "text-anchor": "end" });
    label.textContent = v;
    chart.append(label);
  }
  let path = "", area = "", open = false, first = 0;
  points.forEach((p, i) => {
    const gone = !p || p.plies === null;
    if (gone) { if (open) area += `L${x(i - 1)} ${y(0)}L${x(first)} ${y(0)}z`; open = false; return; }
    if (!open) { first = i; area += `M${x(i)} ${y(p.plies)}`; } else area += `L${x(i)} ${y(p.plies)}`;
    path += `${open ? "L" : "M"}${x(i)} ${y(p.plies)}`;
    open = true;
  });
  if (open) area += `L${x(points.length - 1)} ${y(0)}L${x(first)} ${y(0)}z`;
  chart.append(svg("path", { class: "area", d: area }), svg("path", { class: "line", d: path }));
  for (const i of slips)
    if (points[i] && points[i].plies !== null)
      chart.append(svg("circle", { class: "slip", cx: x(i), cy: y(points[i].plies), r: 3.4 }));
  chart.append(svg("line", { class: "now", x1: x(at), x2: x(at), y1: TOP - 4, y2: H - BOTTOM }));
  if (points[at] && points[at].plies !== null)
    chart.append(svg("circle", { class: "here", cx: x(at), cy: y(points[at].plies), r: 4 }));
  const caption = svg("text", { class: "label", x: W - 6, y: H - 4, "text-anchor": "end" });
  caption.textContent = `${n} plies`;
  chart.append(caption);
  const pick = (event) => {
    const box = chart.getBoundingClientRect();
    const at = ((event.clientX - box.left) / box.width * W - LEFT) / (W - LEFT - 6) * n;
    onPick(Math.round(Math.max(0, Math.min(n, at))));
  };
  chart.addEventListener("pointerdown", (e) => { pick(e); chart.setPointerCapture(e.pointerId); });
  chart.addEventListener("pointermove", (e) => { if (e.buttons) pick(e); });
  return chart;
}

function niceStep(about) {
  const power = 10 ** Math.floor(Math.log10(about));
  for (const m of [1, 2, 5, 10]) if (m * power >= about) return Math.max(1, m * power);
  return about;
}
