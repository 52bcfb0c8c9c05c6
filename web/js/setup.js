// setup.js -- put pieces on the board by hand.

import { el, icon } from "./dom.js";
import { START, formatFen, parseFen, pieces, place, sideName } from "./notation.js";

const TOOLS = { b: "black man", B: "black king", w: "white man", W: "white king", x: "remove" };
const CROSS = "M6 6l12 12M18 6 6 18";

export class Setup {
  // onChange(position) as it grows; onDone(fen), onCancel() at the end.
  constructor({ onChange, onDone, onCancel }) {
    this.onChange = onChange;
    this.position = null; // not at work
    this.tool = "b";
    this.error = el("p.error", { role: "alert" });
    this.done = el("button.primary", { type: "button", id: "setup-done", onclick: () => onDone(formatFen(this.position)) }, "Done");
    this.tools = Object.keys(TOOLS).map((kind) => this.toolButton(kind));
    this.turns = ["B", "W"].map((side) => this.turnButton(side));
    this.element = el("div.palette.card", { role: "group", "aria-label": "Set up a position" },
      el("div.row", {}, this.tools, el("span.grow"), this.turns),
      el("div.row", {},
        el("button.chip", { type: "button", id: "setup-clear", onclick: () => this.change({ at: [] }) }, "Clear"),
        el("button.chip", { type: "button", onclick: () => this.change(parseFen(START)) }, "Start"),
        el("span.grow"),
        el("button.chip", { type: "button", onclick: onCancel }, "Cancel"), this.done),
      this.error);
  }

  get active() {
    return this.position !== null;
  }

  start(fen) {
    this.position = parseFen(fen);
    this.change({});
  }

  end() {
    this.position = null;
  }

  toolButton(kind) {
    const man = kind.toLowerCase() === "b" ? "black" : "white";
    const picture = kind === "x" ? icon(CROSS) : el(`i.disc.${man}${kind === kind.toUpperCase() ? ".king" : ""}`);
    const choose = () => { this.tool = kind; this.change({}); };
    return el("button.tool", { type: "button", "data-tool": kind, "aria-label": TOOLS[kind], title: TOOLS[kind], onclick: choose }, picture);
  }

  turnButton(side) {
    return el("button.chip", { type: "button", "data-turn": side, onclick: () => this.change({ turn: side }) }, `${sideName[side]} to move`);
  }

  change(what) {
    Object.assign(this.position, what);
    for (const b of this.tools) b.setAttribute("aria-pressed", b.dataset.tool === this.tool);
    for (const b of this.turns) b.setAttribute("aria-pressed", b.dataset.turn === this.position.turn);
    this.error.textContent = this.wrong();
    this.done.disabled = Boolean(this.error.textContent);
    this.onChange({ turn: this.position.turn, at: [...this.position.at] });
  }

  wrong() {
    const n = pieces(this.position), black = n.b + n.B, white = n.w + n.W;
    if (black > 12 || white > 12) return "A side has at most twelve pieces.";
    return (this.position.turn === "B" ? white : black) === 0 ? "The side that has just moved needs a piece." : "";
  }

  // A square was clicked: what stands there already is taken away.
  edit(square, remove) {
    const at = [...this.position.at], row = place(square).row;
    let piece = remove || this.tool === "x" || at[square] === this.tool ? undefined : this.tool;
    if ((piece === "b" && row === 7) || (piece === "w" && row === 0)) piece = piece.toUpperCase();
    at[square] = piece;
    this.change({ at });
  }
}
