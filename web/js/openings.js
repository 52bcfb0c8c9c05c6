// openings.js -- the three-move ballots: their names, the list to start from, one by lot.
//
// A game has the opening whose position it has gone through, whatever the order of moves.

import * as api from "./api.js";
import { dialog, el } from "./dom.js";
import { START } from "./notation.js";
import { Game } from "./tree.js";

const title = (b) => `${b.name || ""} ${b.family || ""} ${b.moves.join(" ")}`;

function fenOf(moves) {
  const game = new Game();
  for (const move of moves) game.now = game.now.grow(game.now.legal().find((m) => m.move === move));
  return game.fen;
}

const nameOfBallot = (b) => (b.name || b.family ? `${b.name || b.family} · ` : "");

let known = null; // position after the three moves -> ballot
async function byPosition() {
  if (!known) {
    const { ballots } = await api.openings("all");
    known = new Map(ballots.map((b) => [b.fen ?? fenOf(b.moves), b]));
  }
  return known;
}

// "Kelso · ballot 97" for a game from the start; empty if it has none.  A ballot without a name of
// its own goes by that of its first move.
export async function nameOf(game) {
  if (game.start !== START) return "";
  const map = await byPosition();
  const found = game.line.slice(0, 12).map((n) => map.get(n.fen)).filter(Boolean);
  const first = found[0];
  return first ? `${nameOfBallot(first)}ballot ${first.number}${first.barred ? ", barred" : ""}` : "";
}

// The window; onStart(moves) begins a game.
export async function open(onStart) {
  const list = el("div.ballots", {}), search = el("input", { type: "text", id: "ballot-search", placeholder: "Name or moves", "aria-label": "Find an opening" });
  const box = dialog("Openings",
    el("p.dim", {}, "In tournaments the first three moves are drawn by lot. Start from one of the ballots, or go as you please."),
    el("div.row", {},
      el("button.primary", { type: "button", id: "ballot-random", onclick: () => draw() }, "Draw a ballot"),
      el("button.chip", { type: "button", id: "ballot-free", onclick: () => begin([]) }, "Go as you please"), search,
      el("a", { href: "api/v1/openings?format=csv", download: "openings.csv" }, "CSV")),
    list);
  const begin = (moves) => { box.close(); onStart(moves); };
  let ballots = [];
  const draw = () => {
    const fair = ballots.filter((b) => !b.barred);
    if (fair.length) begin(fair[Math.floor(Math.random() * fair.length)].moves);
  };
  const show = () => {
    const wanted = search.value.trim().toLowerCase();
    list.replaceChildren(...ballots.filter((b) => !wanted || title(b).toLowerCase().includes(wanted)).map((b) => el("button.ballot", {
      type: "button", "data-ballot": b.number, onclick: () => begin(b.moves),
    }, el("span.no", {}, String(b.number)), el("span.name", {}, b.moves.join(" ")), el("span.dim", {}, [b.name || b.family, b.barred ? "barred" : ""].filter(Boolean).join(", ")))));
  };
  search.addEventListener("input", show);
  try {
    ({ ballots } = await api.openings("all"));
    show();
  } catch (error) {
    list.replaceChildren(el("p.error", {}, error.message));
  }
}
