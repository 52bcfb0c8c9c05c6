// beyond.js -- what can be done where the tables do not reach: solve the ending, find a
// proof, or at least hear what the player thinks.

import * as api from "./api.js";
import { bytes, count, el } from "./dom.js";
import { excuse, watch } from "./jobs.js";
import { parseFen, pieces, sideName, turnOf } from "./notation.js";
import { PIECES_MAX, valueName } from "./words.js";

const PROVABLE = 16; // more pieces are not proven in seconds
const PROOF_TIME = "20s";
const THINKING = ["300ms", "1s", "3s", "8s"]; // one after the other, deeper and deeper

export class Beyond {
  // onSolved(fen): something new is known of a position; onChoose(move), onPoint(path).
  constructor({ onSolved, onChoose, onPoint }) {
    Object.assign(this, { onSolved, onChoose, onPoint });
    this.element = el("div.beyond");
    this.abort = null;
  }

  // Another position is shown: stop thinking about the old one.
  clear() {
    this.abort?.abort();
    this.abort = null;
    this.element.replaceChildren();
  }

  // `server` says what it can do; `info` is what the tables know.
  show(fen, legal, info, server) {
    this.clear();
    this.abort = new AbortController();
    const n = pieces(parseFen(fen)).all, signal = this.abort.signal;
    if (info.value === null && server?.analysis) this.think(fen, legal, signal);
    if (n <= PIECES_MAX) this.offerSolve(fen, server, signal);
    if (info.value === null && server?.proof && n <= PROVABLE) this.offerProof(fen);
  }

  card(kind, ...children) {
    const box = el(`div.card.${kind}`, {}, ...children);
    this.element.append(box);
    return box;
  }

  // ------------------------------------------------------------------- solving --

  async offerSolve(fen, server, signal) {
    const box = this.card("quiet", el("p", {}, "How much work would it be to solve this ending?"));
    const running = server?.jobs.find((j) => j.job === "solve" && j.fen === fen && j.state === "running");
    if (running) { this.followSolve(box, running.id, fen); return; }
    try {
      const work = await api.estimate(fen);
      if (!signal.aborted) box.replaceChildren(...this.estimate(box, fen, work));
    } catch (error) {
      box.replaceChildren(el("p", {}, error.message));
    }
  }

  estimate(box, fen, work) {
    if (!work.fits)
      return [el("p", {}, `Solving this ending would take ${bytes(work.bytes)} of memory; ${bytes(work.memory)} are allowed.`)];
    const start = async () => {
      try {
        await this.followSolve(box, (await api.solve(fen)).id, fen);
      } catch (error) {
        box.replaceChildren(el("p", {}, error.message));
      }
    };
    return [
      el("p", {}, `This ending can be solved here and now: ${count(work.values)} values, ${bytes(work.bytes)} of memory.`),
      el("button.primary", { type: "button", id: "solve", onclick: start }, "Solve it"),
    ];
  }

  async followSolve(box, id, fen) {
    const end = await watch(id, box);
    if (end.state === "done") this.onSolved(fen);
    else box.replaceChildren(el("p", {}, excuse(end)));
  }

  // ------------------------------------------------------------------- proving --

  offerProof(fen) {
    const box = this.card("quiet");
    const offer = (text) => box.replaceChildren(el("div.row", {},
      el("span.grow", {}, text),
      el("button.chip", { type: "button", id: "prove", onclick: start }, "Prove it")));
    const start = async () => {
      try {
        const end = await watch((await api.prove(fen, PROOF_TIME)).id, box, "proving, 20 seconds at most");
        if (end.state !== "done") offer(excuse(end));
        else if (end.label === "unknown") offer("Not proven within 20 seconds.");
        else this.onSolved(fen);
      } catch (error) {
        offer(error.message);
      }
    };
    offer("Search for a proof, down into the tables?");
  }

  // ------------------------------------------------------------------ thinking --

  async think(fen, legal, signal) {
    const box = this.card("opinion", el("p.tag", {}, "Opinion, not truth"), el("p", {}, "Thinking …"));
    try {
      for (const time of THINKING) {
        const a = await api.analysis(fen, time, 3, signal);
        box.replaceChildren(...this.opinion(fen, legal, a));
        if (a.lines.every((l) => l.proven)) return;
      }
    } catch (error) {
      if (!signal.aborted) box.replaceChildren(el("p.tag", {}, "Opinion"), el("p", {}, error.message));
    }
  }

  opinion(fen, legal, a) {
    const certain = a.lines[0]?.proven && a.lines[0].value !== "draw"; // the best move settles it
    return [
      el(`p.tag${certain ? ".sure" : ""}`, {}, certain ? "Proven by search" : "Opinion, not truth"),
      el("p.dim", {}, `The player looked ${a.depth} plies deep at ${count(a.nodes)} positions. Men ahead, as ${sideName[turnOf(fen)]} sees it:`),
      ...a.lines.map((l) => this.thought(l, legal.find((m) => m.move === l.pv[0]))),
    ];
  }

  thought(l, move) {
    const point = () => this.onPoint(move.path), leave = () => this.onPoint(null);
    return el("button.thought", {
      type: "button", title: `Play ${l.pv[0]}`, onclick: () => this.onChoose(move),
      onpointerenter: point, onpointerleave: leave, onfocus: point, onblur: leave,
    }, el("b", {}, score(l)), el("span", {}, l.pv.slice(0, 12).join(" ")));
  }
}

function score(l) {
  if (l.proven) return `${valueName[l.value]}, proven`;
  const men = l.score / 100;
  return `${men > 0 ? "+" : men < 0 ? "−" : ""}${Math.abs(men).toFixed(2)}`;
}
