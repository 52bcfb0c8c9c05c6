// live.js -- the engine thinks as long as somebody looks, where the tables do not know.
//
// One stream at a time: another position, a hidden tab or a closed page ends it, and the
// server stops with it.  A stream that has had its time gives way to another, and what it found
// stays until that one has come as deep.  What is proven is marked as truth, the rest as opinion.

import * as api from "./api.js";
import { brief, calm, choice, el, say } from "./dom.js";
import { formatFen, other, parseFen, sideName, turnOf } from "./notation.js";
import { legalMoves } from "./rules.js";
import { set, settings } from "./settings.js";
import { distanceText, scoreText, scoreWords, valueName } from "./words.js";

const TIME = "600s"; // a stream; the next goes on where it ends
const AGAIN = 2000; // milliseconds until a busy server is asked again
const SAID = 1; // seconds until a screen reader is told what the engine thinks

export class Live {
  // onLines(lines): [{path, kind}] to draw; onChoose(legal), onPoint(path).
  constructor({ onArrows, onChoose, onPoint }) {
    Object.assign(this, { onArrows, onChoose, onPoint });
    this.job = null;     // {fen, body}: what is to be looked at; null: nothing
    this.known = new Map();
    this.abort = null;
    this.threat = false;
    this.state = el("span.dim", { id: "engine-state" });
    this.tag = el("p.tag", { id: "engine-tag" }, "Opinion, not truth");
    this.list = el("div.thoughts", { id: "engine-lines" });
    this.toggle = el("button.switch", { type: "button", role: "switch", id: "engine-toggle", onclick: () => this.turn(!settings.engine) }, "Engine");
    this.threatButton = el("button.chip.small", { type: "button", id: "engine-threat", onclick: () => this.showThreat(!this.threat), title: "What would the other side do if it were to move?" }, "Threat");
    const lines = choice({ "aria-label": "Lines", id: "engine-count", onchange: (e) => { set("lines", Number(e.target.value)); this.restart(); } },
      [1, 2, 3, 4, 5].map((n) => [n, n === 1 ? "1 line" : `${n} lines`]), settings.lines);
    this.element = el("section.card.engine", { hidden: true, "aria-label": "Engine" },
      el("div.row", {}, this.toggle, this.state, this.threatButton, lines), this.tag, this.list);
    document.addEventListener("visibilitychange", () => (document.hidden ? this.halt("paused") : this.restart()));
    this.showSwitch();
  }

  turn(on) {
    set("engine", on);
    this.showSwitch();
    if (on) this.restart();
    else this.halt("off");
  }

  showSwitch() {
    this.toggle.setAttribute("aria-checked", settings.engine);
    this.threatButton.setAttribute("aria-pressed", this.threat);
    this.element.classList.toggle("off", !settings.engine);
  }

  // Look at a position; `body` is the game that led there, for repetitions, `moves` what tables and
  // solved endings know of its moves.
  show(fen, body, moves = []) {
    this.halt();
    this.job = { fen, body };
    this.known = new Map(moves.filter((m) => m.value !== null).map((m) => [m.move, m]));
    this.threat = this.said = false;
    this.element.hidden = false;
    this.list.replaceChildren();
    this.tag.textContent = "";
    this.restart();
  }

  // Nothing to think about: the truth is known, or another part is shown.
  clear() {
    this.halt();
    this.job = null;
    this.threat = false;
    this.element.hidden = true;
  }

  halt(why = "") {
    this.abort?.abort();
    this.abort = null;
    clearTimeout(this.timer);
    this.onArrows([]);
    this.state.textContent = why;
  }

  restart() {
    if (!this.job || !settings.engine || document.hidden) { if (this.job && !settings.engine) this.state.textContent = "off"; return; }
    this.halt();
    this.reached = 0; // the depth of what is shown
    this.showSwitch();
    const passed = this.threat && passing(this.job.fen);
    this.run(passed ? { fen: passed } : this.job);
  }

  showThreat(on) {
    if (!this.job) return;
    if (on && !passing(this.job.fen)) on = false;
    this.threat = on;
    if (!settings.engine) set("engine", true);
    this.restart();
  }

  async run({ fen, body }) {
    const abort = this.abort = new AbortController(), legal = legalMoves(parseFen(fen));
    this.state.textContent = this.reached ? `depth ${this.reached} · searching on …` : "thinking …";
    let reason = "";
    try {
      await api.live(fen, settings.lines, TIME, body, abort.signal, async (name, data) => {
        if (name === "done") { reason = data.reason; return; }
        await calm();
        if (!abort.signal.aborted) this.hear(fen, legal, data);
      });
    } catch (error) {
      if (abort.signal.aborted) return;
      reason = error.status === 503 ? "busy" : "";
      this.state.textContent = error.status === 503 ? "the engine is busy; waiting …" : error.message;
    }
    if (abort.signal.aborted) return;
    if (reason === "busy") this.timer = setTimeout(() => this.restart(), AGAIN);
    if (reason === "time") this.run({ fen, body });
  }

  // What is known of a move takes the place of what the engine thinks of it.
  informed(lines) {
    if (this.threat || !this.known.size) return lines;
    const rank = (l) => (l.value === "win" ? 1e6 - (l.plies ?? 0) : l.value === "loss" ? -1e6 + (l.plies ?? 0) : l.score);
    return lines.map((l) => {
      const k = this.known.get(l.pv[0]);
      return k ? { ...l, proven: true, value: k.value, plies: k.value === "draw" ? undefined : k.dtw ?? l.plies, score: k.value === "draw" ? 0 : l.score } : l;
    }).sort((x, y) => rank(y) - rank(x));
  }

  hear(fen, legal, a) {
    const side = turnOf(fen);
    if (a.depth < this.reached) return;
    this.reached = a.depth;
    a.lines = this.informed(a.lines);
    const best = a.lines[0];
    this.state.textContent = `depth ${a.depth} · ${brief(a.nodes)} positions${a.time > 0.2 ? ` · ${brief(a.nodes / a.time)}/s` : ""}`;
    if (!best) return;
    const sure = best.proven && (best.value === "win" || !this.known.has(best.pv[0]));
    this.tag.className = `tag${sure ? " sure" : ""}`;
    const who = this.threat ? `If ${sideName[side]} were to move: ` : "";
    this.tag.textContent = sure ? `${who}Proven: ${truth(best, side)}` : `${who}Opinion, not truth: ${scoreWords(best.score, side)}`;
    const focused = [...this.list.children].indexOf(document.activeElement);
    this.list.replaceChildren(...a.lines.map((l) => this.thought(l, legal.find((m) => m.move === l.pv[0]))));
    if (focused >= 0) this.list.children[focused]?.focus();
    if (settings.arrows) this.onArrows(this.drawn(a.lines, legal));
    if (!this.said && a.time >= SAID) { this.said = true; say(`Engine, depth ${a.depth}: ${this.tag.textContent}. Best: ${best.pv[0]}.`); }
  }

  // Arrows for the best move and those that are nearly as good.
  drawn(lines, legal) {
    const near = lines.filter((l, i) => i === 0 || (l.value === lines[0].value && Math.abs(l.score - lines[0].score) <= 40));
    return near.map((l) => legal.find((m) => m.move === l.pv[0])).filter(Boolean)
      .map((m) => ({ path: m.path, kind: this.threat ? "threat" : "engine" }));
  }

  thought(line, legal) {
    const point = () => this.onPoint(legal?.path), leave = () => this.onPoint(null);
    const parts = [el(`b${line.proven ? ".sure" : ""}`, {}, short(line)), el("span", {}, line.pv.slice(0, 14).join(" "))];
    const name = `${line.pv[0]}, ${line.proven ? `${valueName[line.value]}, proven` : scoreText(line.score)}`;
    if (this.threat || !legal) return el("div.thought", {}, parts);
    return el("button.thought", {
      type: "button", title: `Play ${line.pv[0]}`, "aria-label": name, onclick: () => this.onChoose(legal),
      onpointerenter: point, onpointerleave: leave, onfocus: point, onblur: leave,
    }, parts);
  }
}

// The same position with the other side to move; null where it would have to jump or has no move.
function passing(fen) {
  const position = parseFen(fen), passed = { turn: other[position.turn], at: position.at };
  return legalMoves(passed).length ? formatFen(passed) : null;
}

function truth(line, side) {
  if (line.value === "draw") return "a draw";
  const far = line.plies === null || line.plies === undefined ? "" : ` in ${distanceText(line.plies)}`;
  return `${sideName[line.value === "win" ? side : other[side]]} wins${far}`;
}

function short(line) {
  if (!line.proven) return scoreText(line.score);
  return `${valueName[line.value]}${line.plies ? ` in ${distanceText(line.plies)}` : ""}`;
}
