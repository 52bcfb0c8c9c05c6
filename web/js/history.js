// history.js -- the moves of the game, with what was given away, and the distance over it.

import * as api from "./api.js";
import { distanceChart } from "./chart.js";
import { el } from "./dom.js";
import { turnOf } from "./notation.js";
import { slipNote } from "./words.js";

export class History {
  // onJump(i): show the position after i plies.
  constructor(game, onJump) {
    this.game = game;
    this.onJump = onJump;
    this.note = el("p.note", { hidden: true });
    this.list = el("div.history", { tabindex: 0, role: "region", "aria-label": "Moves of the game" });
    this.chart = el("div.chart-box");
    this.end = { fen: "", plies: null }; // how far the last position is from the end
  }

  show() {
    const { game } = this;
    const list = this.plies();
    this.list.replaceChildren(game.length ? list : el("p.dim", {}, "No moves yet. Drag a piece, or choose a move from the list."));
    const now = list.querySelector(".now");
    if (now) this.list.scrollTop = now.offsetTop - this.list.clientHeight / 2;
    this.note.textContent = game.at ? slipNote(game.last, game.turnAt(game.at - 1)) : "";
    this.note.hidden = !this.note.textContent;
    this.draw();
  }

  // Numbered pairs, Black's move first.
  plies() {
    const list = el("ol.plies", { "aria-label": "The game" });
    let number = 1, black = turnOf(this.game.start) === "B", row = null;
    this.game.plies.forEach((ply, i) => {
      if (black || !row) {
        row = el("li", {}, el("span.no", {}, `${number}.`), black ? null : el("span.gap", {}, "…"));
        list.append(row);
      }
      row.append(this.ply(ply, i));
      if (!black) number++;
      black = !black;
    });
    return list;
  }

  ply(ply, i) {
    const now = i + 1 === this.game.at;
    const mark = ply.changes ? el("sup.bad", {}, "??") : ply.slip ? el("sup", {}, `+${ply.slip}`) : null;
    return el(`button.ply${now ? ".now" : ""}`, {
      type: "button", title: slipNote(ply, this.game.turnAt(i)) || null, "aria-current": now ? "step" : null,
      onclick: () => this.onJump(i + 1),
    }, ply.move, mark);
  }

  draw() {
    const { game } = this;
    const points = game.plies.map((p) => p.before && { plies: p.before.value === "draw" ? null : p.before.plies });
    const slips = game.plies.flatMap((p, i) => (p.slip || p.changes ? [i] : []));
    points.push(this.lastPoint());
    const drawn = game.length > 1 ? distanceChart(points, slips, game.at, (i) => { if (i !== game.at) this.onJump(i); }) : null;
    this.chart.replaceChildren(...(drawn ? [el("h2", {}, "Plies to the end"), drawn] : []));
  }

  // If it has to be asked for, the chart is drawn again when it is known.
  lastPoint() {
    const fen = this.game.fenAt(this.game.length);
    if (this.end.fen !== fen) {
      this.end = { fen, plies: null };
      if (this.game.length > 1) this.askEnd(fen);
    }
    return this.end.plies === null ? null : this.end;
  }

  async askEnd(fen) {
    const p = await api.position(fen).catch(() => null);
    if (!p || p.value === null || p.value === "draw" || this.end.fen !== fen) return;
    this.end.plies = p.dtw;
    this.draw();
  }
}
