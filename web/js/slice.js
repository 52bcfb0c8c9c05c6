// slice.js -- one slice: how its values are spread over distances and over the board, its
// longest wins, and what is in print about it.

import * as api from "./api.js";
import { calm, count, el, svg, table } from "./dom.js";
import { place } from "./notation.js";
import { settings } from "./settings.js";
import { erratumText, foundCell, materialOf, rows as table2 } from "./table2.js";
import { distance, distanceText } from "./words.js";

const LOOKS = [8, 64, undefined]; // pages of a table that are looked at, one after the other; then as many as it may be
const W = 560, H = 210, LEFT = 52, BOTTOM = 26, TOP = 10, RIGHT = 8;
const NUMBERS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];
const PIECES = { king: "a king of the side to move", man: "a man of the side to move", opponent_king: "an opposing king", opponent_man: "an opposing man" };

function sideWords(kings, men) {
  const some = (n, one, many) => (n ? `${NUMBERS[n]} ${n === 1 ? one : many}` : "");
  return [some(kings, "king", "kings"), some(men, "man", "men")].filter(Boolean).join(" and ");
}

const link = (path, text, file) => el("a", { href: `api/v1/${path}`, download: file }, text);

// JSON and CSV of what stands above.
const data = (path, name, list) => el("p.data", {}, "Data: ",
  link(`${path}&format=csv${list ? `&list=${list}` : ""}`, "CSV", `${name}.csv`), " · ", link(path, "JSON", `${name}.json`));

// ---------------------------------------------------------------------- histogram --

// Numbers of positions by distance as the visitor counts: [{at, win, loss}].
function bins(distances) {
  const found = new Map();
  for (const { value, plies, positions } of distances) {
    const at = distance(plies), bin = found.get(at) || { at, win: 0, loss: 0 };
    bin[value] += positions;
    found.set(at, bin);
  }
  return [...found.values()].sort((a, b) => a.at - b.at);
}

function label(x, y, text, anchor) {
  const node = svg("text", { class: "label", x, y, "text-anchor": anchor });
  node.textContent = text;
  return node;
}

function titled(node, text) {
  const title = svg("title");
  title.textContent = text;
  node.append(title);
  return node;
}

// A step of 1, 2 or 5 times a power of ten, for about six marks.
function stepFor(most) {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, most / 6)));
  return [1, 2, 5, 10].map((m) => m * power).find((s) => most / s <= 7);
}

// Bars on a logarithmic scale: the longest wins are few, and the ones to look for.
function chart(list, name) {
  const most = list[list.length - 1].at, high = Math.ceil(Math.log10(Math.max(...list.flatMap((b) => [b.win, b.loss]), 10)));
  const x = (v) => LEFT + (W - LEFT - RIGHT) * v / (most + 1), y = (n) => H - BOTTOM - (H - BOTTOM - TOP) * (n ? (Math.log10(n) + 0.3) / (high + 0.3) : 0);
  const unit = settings.unit === "plies" ? "plies" : "moves";
  const picture = svg("svg", { class: "chart histogram", viewBox: `0 0 ${W} ${H}`, role: "img",
    "aria-label": `${name}: positions by distance to the end, up to ${most} ${unit}` });
  for (let p = 0; p <= high; p++)
    picture.append(svg("line", { class: "grid", x1: LEFT, x2: W - RIGHT, y1: y(10 ** p), y2: y(10 ** p) }), label(LEFT - 6, y(10 ** p) + 3.5, count(10 ** p), "end"));
  for (let v = 0; v <= most; v += stepFor(most)) picture.append(label(x(v + 0.5), H - 9, String(v), "middle"));
  const wide = Math.max(0.8, (x(1) - x(0)) * 0.42);
  for (const b of list)
    for (const [kind, shift] of [["win", 0], ["loss", wide]])
      if (b[kind]) picture.append(titled(svg("rect", { class: `bar-${kind}`, x: x(b.at) + shift, y: y(b[kind]), width: wide, height: H - BOTTOM - y(b[kind]) }),
        `${kind === "win" ? "won" : "lost"} in ${b.at}: ${count(b[kind])}`));
  return picture;
}

// ---------------------------------------------------------------------------- map --

const share = ({ wins, draws, losses }, part) => part / (wins + draws + losses);

// A board with a bar in each square: won, drawn and lost with such a piece there.
function map(rows, piece) {
  const picture = svg("svg", { class: "mini map", viewBox: "0 0 800 800", role: "img", "aria-label": `Results by the square of ${PIECES[piece]}` });
  picture.append(svg("rect", { class: "light", width: 800, height: 800, rx: 14 }));
  for (let s = 1; s <= 32; s++) {
    const { row, column } = place(s), at = rows.find((r) => r.square === s);
    const cell = svg("g", { transform: `translate(${column * 100} ${row * 100})` }, svg("rect", { class: "none", width: 100, height: 100 }));
    if (at) {
      let from = 0;
      for (const [kind, part] of [["w", at.wins], ["d", at.draws], ["l", at.losses]]) {
        const high = 100 * share(at, part);
        cell.append(svg("rect", { class: kind, y: from, width: 100, height: high }));
        from += high;
      }
      titled(cell, `${s}: ${count(at.wins)} won, ${count(at.draws)} drawn, ${count(at.losses)} lost`);
    }
    picture.append(cell);
  }
  return el("figure.map-box", {}, picture, el("figcaption", {}, `By the square of ${PIECES[piece]}`));
}

// One side to move: counts, distances, map.
function mover(t, h) {
  const [kings, men, otherKings, otherMen] = materialOf(t.slice), all = t.wins + t.draws + t.losses;
  const percent = (n) => (n && n / all < 0.001 ? "under 0.1 %" : n < all && n / all > 0.999 ? "over 99.9 %" : `${(n / all * 100).toFixed(1)} %`);
  const mine = h.distances.filter((d) => d.slice === t.slice), squares = h.squares.filter((s) => s.slice === t.slice);
  const kinds = [["king", kings], ["man", men], ["opponent_king", otherKings], ["opponent_man", otherMen]].filter(([, n]) => n).map(([k]) => k);
  return el("section", { "data-mover": t.slice },
    el("h2", {}, `To move: ${sideWords(kings, men)}`),
    el("p", {}, `${count(all)} ${t.sampled ? "positions looked at, evenly spread" : "positions without a capture"}: `,
      `${percent(t.wins)} won, ${percent(t.draws)} drawn, ${percent(t.losses)} lost.`),
    mine.length ? el("div.card.wide", {}, chart(bins(mine), t.slice)) : el("p.dim", {}, h.kind ? "All are drawn." : "The distances of this slice are not built."),
    el("div.maps", {}, kinds.map((kind) => map(squares.filter((s) => s.piece === kind), kind))));
}

// ------------------------------------------------------------------------ records --

function longest(list) {
  const rows = list.map((l) => {
    const [kings, men] = materialOf(l.slice);
    return el("tr", {}, el("td", {}, sideWords(kings, men)), el("td", {}, l.value === "win" ? "wins" : "loses"),
      el("td.num", {}, distanceText(l.plies)), el("td", {}, el("a", { href: `#/${l.fen}` }, l.fen)),
      el("td", {}, l.moves.length ? el("a", { href: `#/${l.fen}/${l.moves.join(",")}/0` }, "Walk through it") : ""));
  });
  return table("Longest wins and losses", ["To move", "Result", "#In", "Position", "Perfect play"], rows);
}

function printed(row) {
  return [el("h2", {}, "In print"),
    el("p", {}, `Table 2 of Trice and Dodgen: longest win and loss of ${row.name}, whoever is to move, in plies.`),
    table("In print", ["Material", "#In print", "#Found here", ""], [el("tr", {}, el("td", {}, row.name), el("td.num", {}, row.print || "–"),
      el("td.num", {}, foundCell(row)), el(`td${row.agrees ? ".agree" : ".differ"}`, {}, row.agrees === null ? "" : row.agrees ? "✓" : "≠"))]),
    row.erratum ? el("p.erratum", {}, el("b", {}, "The print is wrong. "), erratumText(row.erratum)) : ""];
}

// Both ways to give the colours have a row of their own.
async function print(slice, box) {
  const { stats } = await api.statsOf(slice), key = materialOf(slice), turned = [...key.slice(2), ...key.slice(0, 2)];
  const mine = (await table2(stats)).filter((r) => r.key === key.join() || r.key === turned.join());
  box.replaceChildren(...mine.flatMap((r) => printed(r)));
}

// A large slice takes its time: a first look is there at once, and grows.
async function look(slice, body) {
  const query = `histogram?slice=${slice}`;
  for (const [i, pages] of LOOKS.entries()) {
    const h = await api.histogram(slice, pages), all = i === LOOKS.length - 1 || !h.tables.some((t) => t.sampled);
    await calm();
    if (!body.isConnected) return;
    body.replaceChildren(el("p.dim", { role: "status", id: "counting" }, all ? "" : `A first look, ${i + 1} of ${LOOKS.length}; counting on …`),
      el("div.movers", {}, h.tables.map((t) => mover(t, h))),
      el("p.dim", {}, `Distances in ${settings.unit === "plies" ? "plies" : "moves"}, numbers of positions on a logarithmic scale.`),
      data(query, `${slice}-distances`), el("p.data", {}, "Squares: ", link(`${query}&format=csv&list=squares`, "CSV", `${slice}-squares.csv`)));
    if (all) return;
  }
}

export function show(root, slice) {
  const [a, b, c, d] = materialOf(slice), body = el("div", {}, el("p.dim", { role: "status" }, "Counting its positions …")), records = el("div"), prints = el("div");
  const say = (box) => (error) => box.replaceChildren(el("p.error", {}, error.message));
  root.append(el("nav.trail", { "aria-label": "The way here" }, el("a", { href: "#tables" }, "Tables"), " › ", el("b", {}, slice)),
    el("h1", {}, slice), el("p.lead", {}, `Every position with ${sideWords(a, b)} against ${sideWords(c, d)}. On the maps Black is to move, and each square shows how many positions with such a piece there are won, drawn and lost.`),
    el("div.legend", {}, el("span", {}, el("i.w"), "won for the side to move"), el("span", {}, el("i.d"), "drawn"), el("span", {}, el("i.l"), "lost")),
    body, el("h2", {}, "Longest wins and losses"), records, prints);
  look(slice, body).catch(say(body));
  api.longest(false, slice).then(({ longest: list }) => records.replaceChildren(longest(list), data(`longest?slice=${slice}`, `${slice}-longest`))).catch(say(records));
  print(slice, prints).catch(say(prints));
}
