// beyond.js -- what can be done where the tables do not reach: solve the ending, or find a
// proof.
//
// What was begun goes on when another position is shown: it stands in a list of its own, with the
// way back and a button to stop it.

import * as api from "./api.js";
import { brief, bytes, choice, count, el, toast } from "./dom.js";
import { excuse, watch } from "./jobs.js";
import { parseFen, pieces, sideName, turnOf } from "./notation.js";
import { PIECES_MAX } from "./words.js";

const PROVABLE = 16; // more pieces are hardly ever proven in minutes
const TIMES = [["20s", "20 seconds"], ["60s", "a minute"], ["300s", "5 minutes"], ["600s", "10 minutes"]];

export class Beyond {
  // onSolved(fen): something new is known of a position; onShow(fen): it is to be seen.
  constructor({ onSolved, onShow }) {
    Object.assign(this, { onSolved, onShow });
    this.element = el("div.beyond");
    this.elsewhere = el("div.beyond", { id: "elsewhere", role: "region", "aria-label": "At work on other positions" });
    this.works = new Map(); // kind and position -> {fen, words, card, box}: what goes on
    this.taken = new Set(); // jobs that were begun before this page
    this.abort = null;
  }

  // Another position is shown.
  clear() {
    this.abort?.abort();
    this.abort = null;
    this.fen = null;
    this.element.replaceChildren();
    this.showElsewhere();
  }

  // `server` says what it can do; `info` is what the tables know.
  show(fen, info, server) {
    this.clear();
    this.abort = new AbortController();
    this.fen = fen;
    this.showElsewhere();
    const n = pieces(parseFen(fen)).all, signal = this.abort.signal;
    if (n <= PIECES_MAX) this.offerSolve(fen, server, signal);
    if (info.value === null && server?.proof && server.may_prove !== false) this.offerProof(fen, n, server);
  }

  card(kind, ...children) {
    const box = el(`div.card.${kind}`, {}, ...children);
    this.element.append(box);
    return box;
  }

  // ------------------------------------------------------------------- at work --

  // Follow a job in a card that is there whenever its position is; returns how it ended.
  async work(kind, fen, { id, key }, card, options) {
    const name = `${kind} ${fen}`, box = el("div");
    this.works.set(name, { fen, words: kind === "prove" ? "Proving" : "Solving", card, box });
    card.replaceChildren(box);
    try {
      return await watch(id, box, { key, ...options });
    } finally {
      this.works.delete(name);
      this.showElsewhere();
    }
  }

  // Take up what goes on for this position; false if that is nothing.
  resume(kind, fen) {
    const work = this.works.get(`${kind} ${fen}`);
    if (!work) return false;
    work.card.replaceChildren(work.box);
    this.element.append(work.card);
    return true;
  }

  showElsewhere() {
    const others = [...this.works.values()].filter((w) => w.fen !== this.fen);
    this.elsewhere.replaceChildren(...others.map(({ fen, words, box }) => el("div.card.quiet", {},
      el("div.row", {}, el("span.grow", {}, `${words} another position: ${pieces(parseFen(fen)).all} pieces, ${sideName[turnOf(fen)]} to move.`),
        el("button.link", { type: "button", title: fen, onclick: () => this.onShow(fen) }, "show it")), box)));
  }

  // How it ended: on the board, or to be told.  `known`: something is known now.
  tell(fen, text, known) {
    if (fen !== this.fen) toast(text, { text: "Show it", onclick: () => this.onShow(fen) });
    else if (known) this.onSolved(fen);
  }

  // What the server was at work on when the page was opened, once.
  running(kind, fen, server) {
    const job = server?.jobs.find((j) => j.job === kind && j.fen === fen && (j.state === "running" || j.state === "waiting") && !this.taken.has(j.id));
    if (job) this.taken.add(job.id);
    return job;
  }

  // ------------------------------------------------------------------- solving --

  async offerSolve(fen, server, signal) {
    if (this.resume("solve", fen)) return;
    const box = this.card("quiet", el("p", {}, "How much work would it be to solve this ending?")), job = this.running("solve", fen, server);
    if (job) { this.followSolve(box, fen, () => job); return; }
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
    return [
      el("p", {}, `This ending can be solved here and now: ${count(work.values)} values, ${bytes(work.bytes)} of memory.`),
      el("button.primary", { type: "button", id: "solve", onclick: () => this.followSolve(box, fen, () => api.solve(fen)) }, "Solve it"),
    ];
  }

  async followSolve(box, fen, begin) {
    const say = (text, known) => { box.replaceChildren(el("p", {}, text)); this.tell(fen, text, known); };
    try {
      const end = await this.work("solve", fen, await begin(), box);
      say(end.state === "done" ? "The ending is solved." : excuse(end), end.state === "done");
    } catch (error) {
      say(error.message, false);
    }
  }

  // ------------------------------------------------------------------- proving --

  offerProof(fen, n, server) {
    if (this.resume("prove", fen)) return;
    const unlikely = n > PROVABLE, box = this.card(unlikely ? "quiet.thin" : "quiet"), time = choice({ id: "prove-time", "aria-label": "For how long" }, TIMES);
    const offer = (text) => box.replaceChildren(el("div.row", {},
      el("span.grow", {}, text), time, el("button.chip.small", { type: "button", id: "prove", onclick: () => follow(() => api.prove(fen, time.value), TIMES.find(([t]) => t === time.value)[1]) }, "Prove it")));
    const say = (text, known) => { offer(text); this.tell(fen, text, known); };
    const follow = async (begin, words) => {
      const label = (job) => `proving${words ? `, ${words} at most` : ""}${job.positions ? ` · ${brief(job.positions)} positions` : ""}`;
      try {
        const end = await this.work("prove", fen, await begin(), box, { label });
        if (end.state !== "done") say(excuse(end), false);
        else if (end.label === "unknown") say(`Not proven${words ? ` within ${words}` : ""}.`, false);
        else say("A proof was found.", true);
      } catch (error) {
        say(error.message, false);
      }
    };
    const job = this.running("prove", fen, server);
    if (job) follow(() => job, "");
    else offer(unlikely ? `A proof with ${n} pieces is unlikely within minutes.` : "Search for a proof, down into the tables?");
  }
}
