// tables.js -- which tables there are, what is in them, and building more.

import * as api from "./api.js";
import { bytes, calm, choice, count, duration, el, table, toast } from "./dom.js";
import { excuse, watch } from "./jobs.js";
import { settings } from "./settings.js";
import { materialOf } from "./table2.js";
import { distance } from "./words.js";

const KINDS = ["wld", "dtc", "dtw"];

function facts(slices) {
  const built = slices.filter((s) => s.bytes.wld);
  const sum = (f) => built.reduce((n, s) => n + f(s), 0);
  const values = sum((s) => s.values), size = sum((s) => KINDS.reduce((n, k) => n + (s.bytes[k] || 0), 0));
  const wld = sum((s) => s.bytes.wld);
  const fact = (value, name) => el("div.fact", {}, el("b", {}, value), el("span", {}, name));
  return el("div.facts", {},
    fact(count(built.length), built.length === 1 ? "slice built" : "slices built"),
    fact(short(values), "values, one side to move each"),
    fact(bytes(size), "on disk"),
    fact(wld ? (values / wld).toFixed(0) : "–", "values a byte, win/loss/draw"));
}

function short(n) {
  const units = ["", " thousand", " million", " billion"];
  let u = 0;
  while (n >= 1000 && u < units.length - 1) { n /= 1000; u++; }
  return `${u ? n.toPrecision(3) : n}${units[u]}`;
}

// Percentages for the side to move, of the first-named side and then of the other.
function wdlBar(stats) {
  const all = stats.reduce((n, s) => n + s.positions, 0);
  const part = (f) => stats.reduce((n, s) => n + s[f], 0) / all * 100;
  const w = part("wins"), d = part("draws"), l = part("losses");
  const label = `${w.toFixed(1)} % won, ${d.toFixed(1)} % drawn, ${l.toFixed(1)} % lost`;
  return el("div.wdl", { role: "img", "aria-label": label, title: label },
    el("i.w", { style: `width:${w}%` }), el("i.d", { style: `width:${d}%` }), el("i.l", { style: `width:${l}%` }));
}

function sliceTable(slices, stats) {
  const mine = new Map();
  for (const s of stats) {
    const key = [s.bk, s.bm, s.wk, s.wm].join();
    mine.set(key, [...(mine.get(key) || []), s]);
  }
  const rows = slices.filter((s) => s.bytes.wld).map((s) => {
    const counts = mine.get(materialOf(s.slice).join()) || [];
    const longest = counts.map((c) => c.dtw_win).filter(Boolean).sort((a, b) => b.plies - a.plies)[0];
    return el("tr", {},
      el("td", {}, el("a", { href: `#tables/${s.slice}` }, s.slice)), el("td.num", {}, count(s.values)),
      ...KINDS.map((k) => el("td.num", {}, s.bytes[k] ? bytes(s.bytes[k]) : el("span.dim", {}, "–"))),
      el("td.num", {}, (s.values / s.bytes.wld).toFixed(0)),
      el("td", {}, counts.length ? wdlBar(counts.filter((c) => c.stm === "B")) : ""),
      el("td", {}, counts.length ? wdlBar(counts.filter((c) => c.stm === "W")) : ""),
      el("td.num", {}, longest ? el("a", { href: `#/${longest.fen}` }, String(distance(longest.plies))) : "–"));
  });
  const columns = ["Slice", "#Values", "#wld", "#dtc", "#dtw", "#Values/byte", "First to move", "Second to move", `#Longest win, ${settings.unit}`];
  return table("Slices", columns, rows);
}

function builder(state, onDone) {
  const box = el("div.card", {});
  const pieces = choice({ id: "build-pieces", "aria-label": "Pieces" }, [2, 3, 4, 5, 6, 7, 8].map((n) => [n, `at most ${n} pieces`]), 5);
  const kinds = choice({ id: "build-kinds", "aria-label": "Kinds" },
    [["wld,dtc,dtw", "all distances"], ["wld,dtw", "distance to the end"], ["wld", "win, loss, draw only"]]);
  const work = el("div", { style: "margin-top:.7rem" });
  const follow = async (id) => {
    const end = await watch(id, work);
    work.replaceChildren(el("p", {}, end.state === "done" ? `Built in ${duration(end.seconds)}.` : excuse(end)));
    setTimeout(onDone, 1200); // the server looks at its tables once a second
  };
  box.append(el("div.row", {}, el("span", {}, "Build tables of"), pieces, el("span", {}, "with"), kinds,
    el("button.primary", { type: "button", id: "build-start", onclick: async () => {
      try { follow((await api.build({ pieces: pieces.value, kinds: kinds.value })).id); } catch (error) { toast(error.message); }
    } }, "Build")),
  el("p.dim", {}, "Five pieces take seconds, six pieces a few minutes, seven pieces most of an hour; finished tables are kept and used at once."), work);
  const running = state.jobs.find((j) => j.job === "build" && (j.state === "running" || j.state === "waiting"));
  if (running) follow(running.id);
  if (!state.may_build) box.replaceChildren(el("p", {}, "Builds are started on the machine itself: ", el("code", {}, "kelso build")));
  return box;
}

export function show(root, [slice]) {
  if (slice) { import("./slice.js").then((s) => s.show(root, slice)); return undefined; }
  let alive = true;
  const body = el("div", {}, el("p.dim", {}, "Looking …")), build = el("div");
  root.append(el("h1", {}, "Tables"),
    el("p.lead", {}, "A slice is what each side has: 3K1C-2K1C is three kings and a man against two kings and a man. ",
      "The tables know every position of a slice; choose one to see its distances, its map and its longest wins."),
    build, body);
  const fill = async () => {
    const state = await api.state();
    const most = Math.max(2, ...state.tables.filter((t) => t.wld).map((t) => t.pieces));
    const [{ slices, dir }, { stats }] = await Promise.all([api.slices(most), api.stats()]);
    await calm();
    if (!alive) return;
    if (!build.firstChild) build.append(builder(state, fill));
    body.replaceChildren(facts(slices), dir ? el("p.dim", {}, "In ", el("code", {}, dir)) : "",
      el("div.legend", {}, el("span", {}, el("i.w"), "won for the side to move"), el("span", {}, el("i.d"), "drawn"), el("span", {}, el("i.l"), "lost")),
      sliceTable(slices, stats),
      el("p.data", {}, "Data: ", el("a", { href: `api/v1/slices?pieces=${most}&format=csv`, download: "slices.csv" }, "slices as CSV"), " · ",
        el("a", { href: "api/v1/stats?format=csv", download: "stats.csv" }, "counts as CSV")));
  };
  fill();
  const timer = setInterval(async () => {
    if (document.hidden) return;
    const state = await api.state().catch(() => null);
    if (alive && state?.jobs.some((j) => j.job === "build" && j.state === "running")) fill();
  }, 3000);
  return () => { alive = false; clearInterval(timer); };
}
