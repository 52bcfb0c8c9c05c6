// storebox.js -- how far the proofs in the server's store have come, while `kelso prove` works on
// them: threshold, positions, searches a second, workers at work; and who works on its queue.

import * as api from "./api.js";
import { count, duration, el, table } from "./dom.js";

const EVERY = 2000; // milliseconds between two looks

// What happened between two answers; null where nothing can be said yet.
function pace(before, now) {
  const seconds = before ? now.at - before.at : 0;
  if (seconds <= 0) return null;
  return { searches: (now.searches - before.searches) / seconds, workers: (now.search_time - before.search_time) / seconds };
}

function fact(value, name) {
  return el("div.fact", {}, el("b", {}, value), el("span", {}, name));
}

// The words are those of `kelso prove` and `kelso proof status`.
function facts(now, speed) {
  const sizes = [fact(count(now.positions), "positions in the store"), fact(count(now.proven), "of them proven")];
  if (now.finished)
    return [fact("proven", "nothing is left to do"), ...sizes, fact(count(now.likely + now.open + now.unsearched), "leaves not needed"),
      fact(count(now.searches), "searches"), fact(duration(now.search_time), "of search")];
  return [
    fact(String(now.threshold), "threshold, hundredths of a man"), ...sizes,
    fact(count(now.open + now.unsearched), "leaves open"),
    fact(speed ? speed.searches.toFixed(1) : "–", "searches a second"),
    fact(speed ? speed.workers.toFixed(1) : "–", "workers at work"),
    now.left !== null ? fact(duration(now.left), "of search left, at a guess") : null,
  ].filter(Boolean);
}

// Ask again and again until the function that is returned is called.  Nothing is asked while
// nobody looks.
function watch(box, look) {
  let timer = 0, alive = true;
  const again = async () => {
    if (!alive || document.hidden) return;
    try {
      await look(() => alive);
    } catch (error) {
      if (alive) box.replaceChildren(el("p.dim", {}, error.message));
    }
    clearTimeout(timer);
    if (alive) timer = setTimeout(again, EVERY);
  };
  const wake = () => { clearTimeout(timer); again(); };
  document.addEventListener("visibilitychange", wake);
  again();
  return () => { alive = false; clearTimeout(timer); document.removeEventListener("visibilitychange", wake); };
}

// Show the store in `box`; onChange() when it has grown.
export function watchStore(box, onChange) {
  let before = null, first = null;
  return watch(box, async (alive) => {
    const now = await api.store();
    if (!alive()) return;
    if (before && now.searches !== before.searches) onChange();
    first ??= now;
    box.replaceChildren(...facts(now, pace(before && now.at > before.at ? before : null, now) || (now === first ? null : pace(first, now))));
    if (!before || now.at > before.at) before = now;
  });
}

// Who is at work on the queue.
function workerRow(w, i) {
  return el("tr", {}, el("td", {}, w.place ?? `worker ${i + 1}`), el("td.num", {}, count(w.threads)), el("td.num", {}, count(w.searches)),
    el("td.num", {}, w.searches_per_second.toFixed(2)));
}

function queueFacts(q) {
  const manager = q.running ? `Manager: ${q.manager ?? "at work"}.` : "No manager is at work.";
  return [
    el("div.facts", {},
      fact(count(q.workers.length), q.workers.length === 1 ? "worker" : "workers"), fact(count(q.threads), "threads"), fact(count(q.under_way), "searches under way"),
      fact(q.searches_per_second.toFixed(1), "searches a second"), fact(count(q.waiting), "tasks waiting"), fact(count(q.redelivered), "redelivered"),
      fact(count(q.dropped), "dropped"), fact(count(q.audits), "audits")),
    el("p.sub", {}, `${manager} ${count(q.given)} tasks given, ${count(q.results)} results.`),
    q.workers.length ? table("Workers", ["Worker", "#Threads", "#Searches", "#A second"], q.workers.map(workerRow)) : null,
    el("p.data", {}, "Data: ", el("a", { href: "api/v1/queue?format=csv", download: "workers.csv" }, "CSV"), " · ", el("a", { href: "api/v1/queue", download: "queue.json" }, "JSON")),
  ].filter(Boolean);
}

export function watchQueue(box) {
  let last = "";
  return watch(box, async (alive) => {
    const now = await api.queue().catch((error) => { last = ""; throw error; }), text = JSON.stringify(now);
    if (alive() && text !== last) box.replaceChildren(...queueFacts(now)); // the focus stays where nothing has changed
    last = text;
  });
}
