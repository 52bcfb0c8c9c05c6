// textbox.js -- positions and games as text, in and out.

import * as api from "./api.js";
import { copy, el } from "./dom.js";
import { formatFen, formatPdn, parseFen } from "./notation.js";

export class TextBox {
  // onFen(fen), onGame(read, at): something was read; current() is {fen, start, moves, result}.
  constructor({ onFen, onGame, current }) {
    Object.assign(this, { onFen, onGame, current });
    this.fen = el("input", {
      id: "fen", type: "text", spellcheck: "false", autocomplete: "off", "aria-label": "Position as FEN", "aria-describedby": "fen-error",
      onkeydown: (e) => { if (e.key === "Enter") this.readFen(); },
    });
    this.fenError = el("p.error", { id: "fen-error", role: "alert" });
    this.pdn = el("textarea", {
      id: "pdn", rows: 7, spellcheck: "false", "aria-label": "Games as PDN", "aria-describedby": "pdn-error",
      placeholder: "Paste a game in PDN, or moves: 1. 11-15 23-19 2. 8-11 22-17",
    });
    this.pdnError = el("div.error", { id: "pdn-error", role: "alert" });
    this.games = el("select", { hidden: true, "aria-label": "Which game" });
    const button = (text, onclick, id, kind = "chip") => el(`button.${kind}`, { type: "button", id, onclick }, text);
    this.element = el("details.text", { id: "text" }, el("summary", {}, "Position and game as text"),
      el("label.field", { for: "fen" }, "FEN"),
      el("div.row", {}, this.fen, button("Show", () => this.readFen(), "fen-load"), button("Copy", () => copy(current().fen, "FEN"))),
      this.fenError,
      el("label.field", { for: "pdn" }, "PDN"), this.pdn, this.pdnError,
      el("div.row", {},
        button("Read", () => this.read(this.pdn.value, 0), "pdn-read", "primary"),
        button("Write this game", () => { this.pdn.value = this.written(); }, "pdn-write"),
        button("Copy", () => copy(this.written(), "PDN")), this.games));
  }

  showFen(fen) {
    this.fen.value = fen;
    this.fenError.textContent = "";
  }

  readFen() {
    try {
      this.onFen(formatFen(parseFen(this.fen.value)));
    } catch (error) {
      this.fenError.textContent = error.message;
    }
  }

  written() {
    const { start, moves, result } = this.current();
    return formatPdn(start, moves, result);
  }

  // Games as text: PDN, or moves behind a FEN.  The first is shown, at ply `at`.
  async read(text, at) {
    this.pdnError.replaceChildren();
    try {
      const { games, error } = await api.readGame(text);
      if (error) this.showError(text, error);
      else if (!games.length) this.pdnError.textContent = "No moves found.";
      this.games.hidden = games.length < 2;
      this.games.replaceChildren(...games.map((g, i) => el("option", { value: i }, `Game ${i + 1}: ${g.moves.length} plies`)));
      this.games.onchange = () => this.onGame(games[Number(this.games.value)], 0);
      if (games.length) this.onGame(games[0], at);
    } catch (error) {
      this.pdnError.textContent = error.message;
    }
  }

  // Say where it is wrong and, if it is the text in the box, select it there.
  showError(text, { line, column, message }) {
    const lines = text.split("\n"), wrong = lines[line - 1] || "";
    this.pdnError.replaceChildren(
      el("b", {}, `Line ${line}, column ${column}: `), message,
      el("pre", {}, `${wrong}\n${" ".repeat(column - 1)}^`));
    if (this.pdn.value !== text) return;
    const start = lines.slice(0, line - 1).reduce((n, l) => n + l.length + 1, 0) + column - 1;
    this.pdn.focus();
    this.pdn.setSelectionRange(start, start + Math.max(1, wrong.slice(column - 1).search(/\s|$/)));
  }
}
