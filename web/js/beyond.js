// beyond.js -- what can be done where the tables do not reach: solve the ending, or find a
// proof.

import * as api from "./api.js";
import { brief, bytes, choice, count, el } from "./dom.js";
import { excuse, watch } from "./jobs.js";
import { parseFen, pieces } from "./notation.js";
import { PIECES_MAX } from "./words.js";

const PROVABLE = 16; // more pieces are hardly ever proven in minutes
const TIMES = [["20s", "20 seconds"], ["60s", "a minute"], ["300s", "5 minutes"], ["600s", "10 minutes"]];

export class Beyond {
  // onSolved(fen): something new is known of a position.
  constructor({ onSolved }) {
    this.onSolved = onSolved;
    this.element = el("div.beyond");
    this.abort = null;
  }

  // Another position is shown.
  clear() {
    this.abort?.abort();
    this.abort = null;
    this.element.replaceChildren();
  }

  // `server` says what it can do; `info` is what the tables know.
  show(fen, info, server) {
    this.clear();
    this.abort = new AbortController();
    const n = pieces(parseFen(fen)).all, signal = this.abort.signal;
    if (n <= PIECES_MAX) this.offerSolve(fen, server, signal);
    if (info.value === null && server?.proof && server.may_prove !== false) this.offerProof(fen, n);
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
    if (!work.fits) {
      box.className = "aside";
      return [el("p", {}, work.bytes === null ? "Solving this ending would take more memory than is allowed."
        : `Solving this ending would take ${bytes(work.bytes)} of memory; ${bytes(work.memory)} are allowed.`)];
    }
    const start = async () => {
      try {
        const { id, key } = await api.solve(fen);
        await this.followSolve(box, id, fen, key);
      } catch (error) {
        box.replaceChildren(el("p", {}, error.message));
      }
    };
    return [
      el("p", {}, `This ending can be solved here and now: ${count(work.values)} values, ${bytes(work.bytes)} of memory.`),
      el("button.primary", { type: "button", id: "solve", onclick: start }, "Solve it"),
    ];
  }

  async followSolve(box, id, fen, key) {
    const end = await watch(id, box, { key });
    if (end.state === "done") this.onSolved(fen);
    else box.replaceChildren(el("p", {}, excuse(end)));
  }

  // ------------------------------------------------------------------- proving --

  offerProof(fen, n) {
    const unlikely = n > PROVABLE, box = this.card(unlikely ? "quiet.thin" : "quiet"), time = choice({ id: "prove-time", "aria-label": "For how long" }, TIMES);
    const words = () => TIMES.find(([t]) => t === time.value)[1];
    const offer = (text) => box.replaceChildren(el("div.row", {},
      el("span.grow", {}, text), time, el("button.chip.small", { type: "button", id: "prove", onclick: start }, "Prove it")));
    const start = async () => {
      try {
        const { id, key } = await api.prove(fen, time.value);
        const end = await watch(id, box, { key, label: (job) => `proving, ${words()} at most${job.positions ? ` · ${brief(job.positions)} positions` : ""}` });
        if (end.state !== "done") offer(excuse(end));
        else if (end.label === "unknown") offer(`Not proven within ${words()}.`);
        else this.onSolved(fen);
      } catch (error) {
        offer(error.message);
      }
    };
    offer(unlikely ? `A proof with ${n} pieces is unlikely within minutes.` : "Search for a proof, down into the tables?");
  }
}
