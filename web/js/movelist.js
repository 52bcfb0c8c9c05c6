// movelist.js -- the legal moves, best first, with what the tables say of each.

import { el } from "./dom.js";
import { settings } from "./settings.js";
import { distance, distanceText, valueName } from "./words.js";

export class MoveList {
  // onChoose(legal), onPoint(path).
  constructor({ onChoose, onPoint }) {
    Object.assign(this, { onChoose, onPoint });
    this.element = el("div.moves");
    this.legal = null; // the moves that are listed
  }

  // Keyboard focus stays in the list when the next position is shown, and on its move when more is
  // known of the same one.
  show(legal, info) {
    const focused = this.element.contains(document.activeElement), at = legal === this.legal ? document.activeElement?.dataset.move : null;
    this.legal = legal;
    const byName = new Map(legal.map((m) => [m.move, m]));
    const told = info?.moves.length === legal.length ? info.moves : legal.map((m) => ({ move: m.move, value: null, dtw: null, dtc: null }));
    const known = told.some((m) => m.value !== null);
    this.element.classList.toggle("bare", !known);
    this.element.replaceChildren();
    if (!legal.length) return;
    const rows = told.map((m) => this.row(m, byName.get(m.move), known && m.value === told[0].value && m.dtw === told[0].dtw));
    this.element.append(this.head(legal, known, told.some((m) => m.dtc !== null)),
      el("div", { role: "group", "aria-label": "Legal moves, best first" }, rows));
    if (focused) (rows.find((r) => r.dataset.move === at) ?? rows[0]).focus({ preventScroll: true });
  }

  head(legal, known, conversions) {
    const unit = settings.unit;
    const n = legal.length === 1 ? "1 move" : `${legal.length} moves`;
    return el("div.move.head", { "aria-hidden": "true" },
      el("span", {}, legal[0].captured.length ? `${n}: you must jump` : n), el("span"),
      el("span.num", { title: `${unit} to the end of the game` }, known ? `${unit} to end` : ""),
      el("span.num", { title: `${unit} to the next capture or crowning` }, conversions ? "to change" : ""));
  }

  row(m, legal, best) {
    const point = () => this.onPoint(legal.path), leave = () => this.onPoint(null);
    const far = m.dtw === null ? "" : ` in ${distanceText(m.dtw)}`;
    const change = m.dtc === null ? "" : `, next capture or king in ${distanceText(m.dtc)}`;
    return el(`button.move.${m.value || "unknown"}${best ? ".best" : ""}`, {
      type: "button", "data-move": m.move, "aria-label": `${m.move}${m.value ? `, ${valueName[m.value]}` : ""}${far}${change}`,
      onclick: () => this.onChoose(legal), onpointerenter: point, onpointerleave: leave, onfocus: point, onblur: leave,
    },
    el("span.name", {}, m.move), el("span.value", {}, m.value ? valueName[m.value] : ""),
    el("span.num", {}, m.dtw === null ? "" : distance(m.dtw)), el("span.num.dim", {}, m.dtc === null ? "" : distance(m.dtc)));
  }
}
