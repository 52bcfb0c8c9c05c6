// textbox.js -- positions and games as text: typed, pasted, from files, and out again.

import * as api from "./api.js";
import { copy, el, save, toast } from "./dom.js";
import { formatFen, parseFen } from "./notation.js";
import { writeGame, writeGames } from "./pdnwrite.js";

const LARGEST = 20_000_000; // bytes of a file

export class TextBox {
  // onFen(fen), onGames(games): something was read.
  constructor({ library, onFen, onGames }) {
    Object.assign(this, { library, onFen, onGames });
    this.fen = el("input", {
      id: "fen", type: "text", spellcheck: "false", autocomplete: "off", "aria-label": "Position as FEN", "aria-describedby": "fen-error",
      onkeydown: (e) => { if (e.key === "Enter") this.readFen(); },
    });
    this.fenError = el("p.error", { id: "fen-error", role: "alert" });
    this.pdn = el("textarea", {
      id: "pdn", rows: 7, spellcheck: "false", "aria-label": "Games as PDN", "aria-describedby": "pdn-error",
      placeholder: "Paste games in PDN, or moves: 1. 11-15 23-19 2. 8-11 22-17",
    });
    this.pdnError = el("div.error", { id: "pdn-error", role: "alert" });
    this.file = el("input", { type: "file", id: "pdn-file", accept: ".pdn,.txt,text/plain", hidden: true, onchange: () => this.readFiles(this.file.files) });
    this.data = ["csv", "json"].map((form) => el("a", { download: `position.${form}` }, form.toUpperCase()));
    const button = (text, onclick, id, kind = "chip") => el(`button.${kind}`, { type: "button", id, onclick }, text);
    this.element = el("details.text", { id: "text" }, el("summary", {}, "Position and games as text"),
      el("label.field", { for: "fen" }, "FEN"),
      el("div.row", {}, this.fen, button("Show", () => this.readFen(), "fen-load"), button("Copy", () => copy(this.library.game.fen, "FEN"))),
      this.fenError,
      el("p.data", {}, "What the tables say of each move: ", this.data[0], " · ", this.data[1], ", of the game: ", button("JSON", () => this.saveValues(), "game-json", "link")),
      el("label.field", { for: "pdn" }, "PDN"), this.pdn, this.pdnError,
      el("div.row", {},
        button("Read", () => this.read(this.pdn.value), "pdn-read", "primary"),
        button("Write this game", () => { this.pdn.value = this.written(); }, "pdn-write"),
        button("Copy", () => copy(this.written(), "PDN"), "pdn-copy")),
      this.file);
    this.acceptDrops();
  }

  showFen(fen) {
    this.fen.value = fen;
    this.fenError.textContent = "";
    for (const [i, form] of ["csv", "json"].entries()) this.data[i].href = `api/v1/position?fen=${fen}&format=${form}`;
  }

  // The main line with the tables' values, as the API tells it.
  async saveValues() {
    const { start, mainLine } = this.library.game;
    try {
      save("game.json", JSON.stringify(await api.readGame([start, ...mainLine.map((n) => n.move)].join(" ")), null, 1), "application/json");
    } catch (error) {
      toast(error.message);
    }
  }

  readFen() {
    try {
      this.onFen(formatFen(parseFen(this.fen.value)));
    } catch (error) {
      this.fenError.textContent = error.message;
    }
  }

  written() {
    return writeGame(this.library.game);
  }

  // ---------------------------------------------------------------------- files --

  openFile() {
    this.file.value = "";
    this.file.click();
  }

  // All games at hand, as one file.
  saveFile() {
    const { games, game } = this.library, name = games.length > 1 ? "games" : [game.tag("Black"), game.tag("White")].filter(Boolean).join("-") || "game";
    save(`${name.replace(/[^\p{L}\p{N}-]+/gu, "_")}.pdn`, writeGames(games));
  }

  async readFiles(files) {
    const { decode } = await import("./pdn.js");
    for (const file of files) {
      if (file.size > LARGEST) { toast(`${file.name} is too large: ${Math.round(file.size / 1e6)} MB.`); continue; }
      await this.read(decode(new Uint8Array(await file.arrayBuffer())), file.name);
    }
  }

  // A file or a text may be dropped anywhere on the page.
  acceptDrops() {
    const wanted = (e) => [...e.dataTransfer.types].some((t) => t === "Files" || t === "text/plain");
    addEventListener("dragover", (e) => { if (wanted(e)) { e.preventDefault(); document.body.classList.add("dropping"); } });
    addEventListener("dragleave", (e) => { if (!e.relatedTarget) document.body.classList.remove("dropping"); });
    addEventListener("drop", (e) => {
      document.body.classList.remove("dropping");
      if (!wanted(e) || /^(INPUT|TEXTAREA)$/.test(e.target.tagName)) return;
      e.preventDefault();
      if (e.dataTransfer.files.length) this.readFiles(e.dataTransfer.files);
      else this.read(e.dataTransfer.getData("text/plain"));
    });
  }

  // -------------------------------------------------------------------- reading --

  async read(text, name = "") {
    this.pdnError.replaceChildren();
    const { read } = await import("./pdn.js");
    const { games, errors, notes } = read(text);
    const good = games.filter((g) => !g.isEmpty || g.tags.length || g.root.fen !== games[0].root.fen);
    if (!good.length) this.pdnError.append(errors.length ? "" : "No moves found.");
    if (errors.length || notes.length) this.showTrouble(text, errors, notes, name);
    if (!good.length) return;
    for (const g of good) g.touched = true;
    this.onGames(good);
    const trouble = errors.length ? `, ${errors.length === 1 ? "one error" : `${errors.length} errors`}` : "";
    if (good.length > 1 || name) toast(`${name ? `${name}: ` : ""}${good.length === 1 ? "1 game" : `${good.length} games`} read${trouble}.`);
  }

  // Say where it is wrong and, if it is the text in the box, select it there.
  showTrouble(text, errors, notes, name) {
    const lines = text.replace(/\r\n?/g, "\n").split("\n"), [first] = errors;
    this.element.open = this.element.open || errors.length > 0;
    const place = (t) => `${name ? `${name}, ` : ""}Line ${t.line}, column ${t.column}: `;
    for (const e of errors.slice(0, 8)) {
      const wrong = lines[e.line - 1] || "";
      this.pdnError.append(el("p", {}, el("b", {}, place(e)), e.message), el("pre", {}, `${wrong}\n${" ".repeat(e.column - 1)}^`));
    }
    if (errors.length > 8) this.pdnError.append(el("p", {}, `and ${errors.length - 8} more.`));
    if (notes.length)
      this.pdnError.append(el("details.mended", { id: "pdn-notes" }, el("summary", {}, notes.length === 1 ? "1 thing was mended" : `${notes.length} things were mended`),
        el("ul", {}, notes.slice(0, 40).map((n) => el("li", {}, el("b", {}, place(n)), n.message)))));
    if (!first || this.pdn.value !== text) return;
    const start = lines.slice(0, first.line - 1).reduce((n, l) => n + l.length + 1, 0) + first.column - 1;
    this.pdn.focus();
    this.pdn.setSelectionRange(start, start + Math.max(1, (lines[first.line - 1] || "").slice(first.column - 1).search(/\s|$/)));
  }
}
