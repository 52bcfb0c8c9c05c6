// setup.js -- put pieces on the board by hand: with mouse, touch, pen or keys.
//
// A piece is dragged from the palette, across the board, or off it.  A click on a square
// puts the piece chosen in the palette; with none chosen it goes through all of them in turn.

import { disc } from "./discs.js";
import { el, icon, say, svg } from "./dom.js";
import { nameSquare, neighbour } from "./hand.js";
import { START, formatFen, other, parseFen, pieces, place, sideName } from "./notation.js";

const TOOLS = { b: "black man", B: "black king", w: "white man", W: "white king", x: "remove" };
const CYCLE = [undefined, "b", "B", "w", "W"];
const CROSS = "M6 6l12 12M18 6 6 18";
const mayStand = (piece, square) => !((piece === "b" && place(square).row === 7) || (piece === "w" && place(square).row === 0));

export class Setup {
  // onChange(position) as it grows; onDone(fen), onCancel() at the end.
  constructor(board, { onChange, onDone, onCancel, onFlip }) {
    Object.assign(this, { board, onChange, onCancel });
    this.position = null; // not at work
    this.tool = "";
    this.cursor = 0;
    this.error = el("p.error", { role: "alert" });
    this.done = el("button.primary", { type: "button", id: "setup-done", onclick: () => onDone(formatFen(this.position)) }, "Done");
    this.tools = Object.keys(TOOLS).map((kind) => this.toolButton(kind));
    this.turns = ["B", "W"].map((side) => this.turnButton(side));
    const chip = (id, text, onclick) => el("button.chip.small", { type: "button", id, onclick }, text);
    this.element = el("div.palette.card", { role: "group", "aria-label": "Set up a position" },
      el("div.row", {}, el("div.row", {}, this.tools), el("span.grow"), el("div.row", {}, this.turns)),
      el("div.row", {},
        chip("setup-clear", "Clear", () => this.change({ at: [] })),
        chip("setup-start", "Start", () => this.change(parseFen(START))),
        chip("setup-swap", "Swap colours", () => this.swap()),
        chip("setup-flip", "Flip board", onFlip),
        el("span.grow"), el("div.row", {}, chip("setup-cancel", "Cancel", onCancel), this.done)),
      this.error,
      el("p.dim.keys", {}, "Drag pieces; off the board removes. Keys: arrows, b B w W, Delete, Enter, Escape."));
    this.listen();
  }

  get active() {
    return this.position !== null;
  }

  start(fen) {
    this.tool = "";
    this.position = parseFen(fen);
    this.change({});
  }

  end() {
    this.position = null;
    this.ghost?.remove();
    this.ghost = this.carried = null;
  }

  // ----------------------------------------------------------------- the palette --

  toolButton(kind) {
    const man = kind.toLowerCase() === "b" ? "black" : "white";
    const picture = kind === "x" ? icon(CROSS) : el(`i.disc.${man}${kind === kind.toUpperCase() ? ".king" : ""}`);
    const button = el("button.tool", { type: "button", "data-tool": kind, "aria-label": TOOLS[kind], title: TOOLS[kind] }, picture);
    button.addEventListener("click", () => {
      if (!this.dragged) this.tool = this.tool === kind ? "" : kind; // a drag ends in a click as well
      this.dragged = false;
      this.change({});
    });
    button.addEventListener("pointerdown", (e) => { if (kind !== "x") this.take(e, { kind, from: 0 }, button); });
    this.carry(button);
    return button;
  }

  turnButton(side) {
    return el("button.chip.small", { type: "button", "data-turn": side, onclick: () => this.change({ turn: side }) }, `${sideName[side]} to move`);
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

  // The same position from the other side.
  swap() {
    const at = new Array(33), turned = { b: "w", B: "W", w: "b", W: "B" };
    for (let s = 1; s <= 32; s++) at[33 - s] = turned[this.position.at[s]];
    this.change({ at, turn: other[this.position.turn] });
  }

  put(square, piece) {
    const at = [...this.position.at];
    at[square] = piece && !mayStand(piece, square) ? piece.toUpperCase() : piece;
    this.change({ at });
  }

  // A square was clicked.
  click(square, remove) {
    const here = this.position.at[square];
    if (remove || this.tool === "x") this.put(square, undefined);
    else if (this.tool) this.put(square, here === this.tool ? undefined : this.tool);
    else this.put(square, this.next(here, square));
  }

  next(piece, square) {
    return CYCLE.slice(CYCLE.indexOf(piece) + 1).find((p) => mayStand(p, square));
  }

  // -------------------------------------------------------------------- dragging --

  listen() {
    const { svg: drawing } = this.board;
    drawing.addEventListener("pointerdown", (e) => { if (this.active) this.press(e); });
    drawing.addEventListener("contextmenu", (e) => { if (this.active) e.preventDefault(); });
    drawing.addEventListener("keydown", (e) => { if (this.active) this.key(e); });
    drawing.addEventListener("focus", () => { if (this.active && drawing.matches(":focus-visible")) this.moveCursor(this.cursor || 1); });
    this.carry(drawing);
  }

  carry(source) {
    source.addEventListener("pointermove", (e) => { if (this.active) this.drag(e); });
    source.addEventListener("pointerup", (e) => { if (this.active) this.release(e); });
    source.addEventListener("pointercancel", () => { if (this.active) this.drop(); });
  }

  press(event) {
    const square = this.board.squareOf(event);
    if (!square) return;
    event.preventDefault();
    this.take(event, { kind: this.position.at[square], from: square, remove: event.button === 2 }, this.board.svg);
  }

  take(event, what, source) {
    this.dragged = false;
    this.carried = { ...what, x: event.clientX, y: event.clientY, moved: false };
    source.setPointerCapture(event.pointerId);
  }

  drag(event) {
    const c = this.carried;
    if (!c?.kind || c.remove) return;
    if (!c.moved) {
      if (Math.hypot(event.clientX - c.x, event.clientY - c.y) < 5) return;
      c.moved = true;
      this.lift(c);
    }
    const size = this.board.svg.getBoundingClientRect().width / 8;
    Object.assign(this.ghost.style, { left: `${event.clientX - size / 2}px`, top: `${event.clientY - size / 2}px`, width: `${size}px` });
  }

  lift({ kind, from }) {
    this.ghost = el("div.ghost", {}, svg("svg", { viewBox: "-50 -50 100 100" }, disc(kind)));
    document.body.append(this.ghost);
    if (from) this.board.pieces.get(from)?.classList.add("taken");
  }

  drop() {
    this.ghost?.remove();
    this.ghost = this.carried = null;
    this.board.restore();
  }

  release(event) {
    const c = this.carried, square = this.board.squareOf(event);
    this.drop();
    if (!c) return;
    if (!c.moved) { if (c.from) this.click(c.from, c.remove); return; }
    this.dragged = !c.from;
    const at = [...this.position.at];
    if (c.from && (square || this.board.isOff(event))) at[c.from] = undefined;
    if (square) at[square] = mayStand(c.kind, square) ? c.kind : c.kind.toUpperCase();
    this.change({ at });
  }

  // ------------------------------------------------------------------------ keys --

  moveCursor(square) {
    this.cursor = square;
    this.board.showCursor(square);
    say(nameSquare(square, this.position.at));
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { cursor } = this;
    if (event.key === "Escape") this.onCancel();
    else if (!cursor) return;
    else if (/^Arrow/.test(event.key)) this.moveCursor(neighbour(cursor, event.key, this.board.flipped));
    else if (/^[bBwW]$/.test(event.key)) this.put(cursor, event.key);
    else if (event.key === "Delete" || event.key === "Backspace" || event.key === "x") this.put(cursor, undefined);
    else if (event.key === "Enter" || event.key === " ") this.click(cursor, false);
    else return;
    if (this.active && !/^Arrow/.test(event.key)) say(nameSquare(cursor, this.position.at));
    event.preventDefault();
    event.stopPropagation();
  }
}
