// shelf.js -- which game is on the board, what its opening is called, and the games beside it.

import * as api from "./api.js";
import { el } from "./dom.js";
import { gameName } from "./library.js";

export class Shelf {
  constructor({ library, onChoose, onOpen, onSave, onRemove, onReport, onBallots, onChange }) {
    Object.assign(this, { library, onChange });
    this.title = el("h2", {}, "The game");
    this.opening = el("span.dim", { id: "opening" });
    this.picker = el("select", { id: "games", "aria-label": "Which game", onchange: () => onChoose(Number(this.picker.value)) });
    const button = (id, text, title, onclick) => el("button.chip.small", { type: "button", id, title, onclick }, text);
    this.removal = button("game-remove", "Take off", "Take this game off the list", onRemove);
    this.several = el("div.row", { hidden: true }, this.picker, this.removal);
    this.element = el("div.shelf", {},
      el("div.row", {}, this.title, this.opening, el("span.grow")),
      el("div.row", {},
        button("report", "Analyse the game", "The engine and the tables go through the whole game", onReport),
        button("game-details", "Details", "Players, event, result", () => import("./details.js").then((d) => d.open(library.game, () => { this.show(); onChange(); }))),
        button("game-open", "Open", "Open a file of games", onOpen),
        button("game-save", "Save", "Save all games as a file", onSave),
        button("ballots", "Openings", "Start from one of the three-move ballots", onBallots)),
      this.several);
  }

  show() {
    const { games, index, game } = this.library;
    this.several.hidden = games.length < 2;
    if (games.length > 1) {
      this.picker.replaceChildren(...games.map((g, i) => el("option", { value: i }, gameName(g, i + 1))));
      this.picker.value = String(index);
    }
    const [black, white] = [game.tag("Black"), game.tag("White")];
    this.title.textContent = black || white ? `${black || "?"} – ${white || "?"}` : "The game";
    this.name(game);
  }

  // The opening is looked up once there is a move, and when the list has come.
  async name(game) {
    const fen = game.fen;
    if (game.isEmpty || !api.modern) { this.opening.textContent = ""; return; }
    const { nameOf } = await import("./openings.js");
    const name = await nameOf(game).catch(() => "");
    if (fen === game.fen) this.opening.textContent = name;
  }
}
