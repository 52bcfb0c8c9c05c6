// report.js -- the whole game in one click: a graph, the mistakes with the better move, a
// summary for each side, and all of it written into the game or a file (PDN, CSV).
//
// What was found stays with the game, game.report = {found, summary, reason}, and survives a reload.

import * as api from "./api.js";
import { scoreChart, TOP_SCORE } from "./chart.js";
import { calm, el, save, toast } from "./dom.js";
import { sideName, turnOf } from "./notation.js";
import { writeGame } from "./pdnwrite.js";
import { distanceText, scoreText, valueName } from "./words.js";

const NAG = { blunder: 4, bad: 2 };
const MARK = { blunder: "??", bad: "?" };
const TIME = "200ms"; // a search

export class Report {
  // onGo(node); onChange(): the game or its report has changed; onClose().
  constructor({ onGo, onChange, onClose }) {
    Object.assign(this, { onGo, onChange, onClose });
    this.active = false;
    this.graph = el("div");
    this.state = el("p.dim", { id: "report-state", role: "status" });
    this.table = el("div");
    this.list = el("div.mistakes", { id: "mistakes" });
    const button = (id, text, onclick) => el("button.chip.small", { type: "button", id, onclick }, text);
    this.write = button("report-write", "Write into the game", () => { this.annotate(this.game); this.onChange(); toast("Marks, comments and better lines are in the game now."); });
    this.export = button("report-save", "Save as PDN", () => this.saveCopy());
    this.data = button("report-csv", "Save as CSV", () => save("analysed.csv", csv(this.found.filter(Boolean)), "text/csv"));
    this.stopper = button("report-stop", "Stop", () => this.abort?.abort());
    this.element = el("section.card.report", { "aria-label": "Analysis of the game" },
      el("div.row", {}, el("h2", {}, "The game, move by move"), el("span.grow"), this.stopper, button("report-close", "Close", () => { this.close(); this.game.report = null; this.onChange(); })),
      this.graph, this.state, this.table, this.list, el("div.row", {}, this.write, this.export, this.data));
  }

  async run(game) {
    this.abort?.abort();
    const abort = this.abort = new AbortController();
    Object.assign(this, { game, line: game.mainLine, found: [], summary: null, reason: null, active: true });
    this.element.hidden = false;
    if (!this.line.length) { this.close(); toast("There are no moves to analyse yet."); return; }
    this.show("thinking");
    try {
      const body = [game.start, ...this.line.map((n) => n.move)].join(" ");
      await api.report(body, TIME, abort.signal, (name, data) => { if (this.abort === abort) this.hear(name, data); });
      await calm();
      if (this.abort === abort) this.end();
    } catch (error) {
      if (this.abort !== abort) return;
      if (abort.signal.aborted) this.end();
      else this.show("failed", error.message);
    }
  }

  end() {
    const { found, summary, reason } = this;
    if (found.length) this.game.report = { found, summary, reason };
    this.show(reason === "complete" ? "done" : "stopped");
    this.onChange();
  }

  // Show the report that a game has, if it is about the game as it is now.
  recall(game) {
    const { report } = game, line = game.mainLine;
    if (!report?.found.every((f, i) => f && line[i]?.move === f.move)) return;
    this.abort?.abort();
    Object.assign(this, { game, line, ...report, active: true });
    this.element.hidden = false;
    this.show(this.reason === "complete" ? "done" : "stopped");
  }

  // Another position of the game is on the board.
  moved() {
    if (this.active) this.draw();
  }

  async hear(name, data) {
    if (name === "message") this.found[data.ply - 1] = data;
    if (name === "summary") this.summary = data;
    if (name === "done") this.reason = data.reason;
    const { abort } = this;
    await calm();
    if (this.abort === abort && !abort.signal.aborted && this.reason === null) this.show("thinking");
  }

  close() {
    if (!this.active) return;
    this.abort?.abort();
    this.active = false;
    this.element.hidden = true;
    this.onClose();
  }

  // ---------------------------------------------------------------- the picture --

  show(state, why = "") {
    const n = this.found.filter(Boolean).length, all = this.line.length;
    this.draw();
    this.state.textContent = {
      thinking: `${n} of ${all} half-moves looked at …`, done: "Solid line: proven. Thin line: the engine's opinion.",
      stopped: `Stopped after ${n} of ${all} half-moves.`, failed: why,
    }[state];
    this.stopper.hidden = state !== "thinking";
    this.write.disabled = this.export.disabled = this.data.disabled = n === 0;
    this.table.replaceChildren(this.sides());
    this.list.replaceChildren(...this.found.filter((f) => f?.mark).map((f) => this.mistake(f)));
    if (state === "done" && !this.list.firstChild) this.list.append(el("p.dim", {}, "No mistakes were found."));
  }

  draw() {
    const points = this.line.map((_, i) => this.point(this.found[i]));
    this.graph.replaceChildren(scoreChart(points, this.game.now.depth, (i) => this.onGo(i ? this.line[i - 1] : this.game.root)));
  }

  // The graph shows Black's scores; what is proven is drawn at the edge or in the middle.
  point(f) {
    if (!f) return null;
    const own = f.value ? { win: TOP_SCORE, draw: 0, loss: -TOP_SCORE }[f.value] : f.score;
    return { score: turnOf(f.fen) === "B" ? own : -own, exact: f.proven, mark: f.mark };
  }

  sides() {
    const made = (side) => this.found.filter((f) => f && turnOf(f.fen) === side);
    const row = (side) => {
      const mine = made(side), marks = (kind) => String(mine.filter((f) => f.mark === kind).length);
      const told = this.summary?.[sideName[side].toLowerCase()];
      return el("tr", {}, el("th", { scope: "row" }, sideName[side]), ["blunder", "bad"].map((k) => el("td.num", {}, marks(k))),
        el("td.num", {}, told?.average_loss === null || told?.average_loss === undefined ? "–" : scoreText(told.average_loss).replace("+", "")));
    };
    const head = ["", "Blunders", "Mistakes", "Average loss"].map((h, i) => (i ? el("th.num", { scope: "col" }, h) : el("td", {})));
    return el("table.sides", {}, el("thead", {}, el("tr", {}, head)), el("tbody", {}, row("B"), row("W")));
  }

  mistake(f) {
    const node = this.line[f.ply - 1], number = Math.ceil((f.ply + (turnOf(this.game.start) === "W" ? 1 : 0)) / 2);
    return el(`button.mistake.${f.mark}`, { type: "button", onclick: () => this.onGo(node) },
      el("b", {}, `${number}${turnOf(f.fen) === "B" ? "." : "…"} ${f.move}${MARK[f.mark]}`), el("span", {}, lesson(f)));
  }

  // -------------------------------------------------------------- written down --

  // Signs, what was better, and the better line as a variation.
  annotate(game) {
    const line = game.mainLine;
    for (const f of this.found.filter((g) => g?.mark)) {
      const node = line[f.ply - 1];
      if (!node.nags.some((n) => n <= 6)) node.nags.unshift(NAG[f.mark]);
      const text = lesson(f);
      if (!node.comments.includes(text)) node.comments.push(text);
      let better = node.parent;
      for (const move of (f.best.pv || [f.best.move]).slice(0, 8)) {
        const legal = better.legal().find((m) => m.move === move);
        if (!legal) break;
        better = better.grow(legal);
      }
    }
    game.touched = true;
  }

  async saveCopy() {
    const { read } = await import("./pdn.js");
    const [copy] = read(writeGame(this.game)).games;
    this.annotate(copy);
    save("analysed.pdn", writeGame(copy));
  }
}

// A row for each half-move, in the words of the API.
function csv(found) {
  const judged = ["move", "score", "proven", "value", "plies"], names = ["ply", "fen", ...judged, "mark", ...judged.map((n) => `best_${n}`), "best_pv"];
  const fields = (f) => [f.ply, f.fen, ...judged.map((n) => f[n]), f.mark, ...judged.map((n) => f.best[n]), f.best.pv?.join(" ")];
  const text = (v) => (/[",\r\n]/.test(v ?? "") ? `"${v.replaceAll('"', '""')}"` : String(v ?? ""));
  return [names, ...found.map(fields)].map((row) => `${row.map(text).join(",")}\r\n`).join("");
}

// "11-16 draws; this loses.", "8-11 is better (+0.12)."
function lesson(f) {
  const { best } = f, worth = (v, plies) => `${valueName[v]}${plies && v !== "draw" ? ` in ${distanceText(plies)}` : ""}`;
  if (f.value && best.value && f.value !== best.value) return `${best.move} ${worth(best.value, best.plies)}; this ${valueName[f.value]}.`;
  if (best.value) return `${best.move} ${worth(best.value, best.plies)}.`;
  return `${best.move} is better: ${scoreText(best.score)} against ${f.value ? valueName[f.value] : scoreText(f.score)}.`;
}
