// board.js -- the board: drawn in SVG, played on with mouse, touch or pen.
//
// The board is told a position and the legal moves (with their paths) and calls back
// with the move that was chosen, and whether the piece has walked there already.  A capture of several pieces is taken jump by jump, or
// at once by its last square where that leaves no doubt.

import { svg } from "./dom.js";
import { parseFen, place, squareAt, describe } from "./notation.js";

const SIZE = 100; // of a square, in units of the drawing
const CROWN = "M-21 9-25-14-11-4 0-21 11-4 25-14 21 9zM-20 14h40v5h-40z";

function disc(kind) {
  const black = kind.toLowerCase() === "b", king = kind === kind.toUpperCase();
  const group = svg("g", { class: `piece ${black ? "black" : "white"}${king ? " king" : ""}` });
  group.append(svg("ellipse", { class: "shade", cx: 0, cy: 5, rx: 39, ry: 38 }));
  if (king) group.append(svg("circle", { class: "edge", cx: 0, cy: 4, r: 38.5 }));
  const lift = king ? -5 : 0;
  group.append(svg("circle", { class: "edge", cx: 0, cy: lift, r: 38.5 }));
  group.append(svg("circle", { class: "face", cx: 0, cy: lift, r: 36.5 }));
  group.append(svg("circle", { class: "ring", cx: 0, cy: lift, r: 27.5 }));
  if (king) group.append(svg("path", { class: "crown", d: CROWN, transform: "translate(0 -4) scale(.8)" }));
  else group.append(svg("circle", { class: "ring", cx: 0, cy: 0, r: 18 }));
  return group;
}

// A small board that only shows.
export function miniature(fen, label) {
  const position = typeof fen === "string" ? parseFen(fen) : fen;
  const picture = svg("svg", {
    class: "mini", viewBox: "0 0 800 800", role: "img", "aria-label": label || describe(position),
  });
  picture.append(svg("rect", { class: "light", width: 800, height: 800, rx: 14 }));
  let dark = "";
  for (let s = 1; s <= 32; s++) {
    const { row, column } = place(s);
    dark += `M${column * SIZE} ${row * SIZE}h${SIZE}v${SIZE}h-${SIZE}z`;
  }
  picture.append(svg("path", { class: "dark", d: dark }));
  for (let s = 1; s <= 32; s++) {
    if (!position.at[s]) continue;
    const { row, column } = place(s);
    const piece = disc(position.at[s]);
    piece.setAttribute("transform", `translate(${column * SIZE + 50} ${row * SIZE + 50})`);
    picture.append(piece);
  }
  return picture;
}

export class Board {
  constructor({ onMove, onEdit }) {
    this.onMove = onMove;
    this.onEdit = onEdit;
    this.flipped = false;
    this.editing = false;
    this.legal = [];
    this.pieces = new Map(); // square -> group
    this.position = { turn: "B", at: [] };
    this.clearChoice();
    this.draw();
  }

  // ---------------------------------------------------------------- the drawing --

  draw() {
    this.svg = svg("svg", { class: "board", viewBox: "0 0 800 800", role: "img" });
    this.svg.append(svg("rect", { class: "light", width: 800, height: 800, rx: 6 }));
    this.squares = svg("g", {});
    this.marks = svg("g", { class: "marks" });
    this.discs = svg("g", {});
    this.above = svg("g", { class: "above" });
    this.svg.append(this.squares, this.marks, this.discs, this.above);
    this.svg.append(svg("defs", {},
      svg("marker", { id: "head", viewBox: "0 0 10 10", refX: 6.2, refY: 5, markerWidth: 3.4, markerHeight: 3.4, orient: "auto" },
        svg("path", { d: "M0 0 10 5 0 10 2.5 5z", class: "head" }))));
    this.svg.addEventListener("pointerdown", (e) => this.press(e));
    this.svg.addEventListener("pointermove", (e) => this.drag(e));
    this.svg.addEventListener("pointerup", (e) => this.release(e));
    this.svg.addEventListener("pointercancel", () => this.cancel());
    this.svg.addEventListener("contextmenu", (e) => { if (this.editing) e.preventDefault(); });
    this.drawSquares();
  }

  drawSquares() {
    this.squares.replaceChildren();
    for (let s = 1; s <= 32; s++) {
      const { x, y } = this.corner(s);
      this.squares.append(svg("rect", { class: "dark", x, y, width: SIZE, height: SIZE, "data-square": s }));
      const number = svg("text", { class: "number", x: x + 6, y: y + 19 });
      number.textContent = s;
      this.squares.append(number);
    }
  }

  corner(square) {
    let { row, column } = place(square);
    if (this.flipped) { row = 7 - row; column = 7 - column; }
    return { x: column * SIZE, y: row * SIZE };
  }

  centre(square) {
    const { x, y } = this.corner(square);
    return { x: x + SIZE / 2, y: y + SIZE / 2 };
  }

  move(group, square) {
    const { x, y } = this.centre(square);
    group.style.transform = `translate(${x}px, ${y}px)`;
  }

  flip() {
    this.flipped = !this.flipped;
    this.drawSquares();
    for (const [square, group] of this.pieces) this.move(group, square);
    this.showChoice();
    this.above.replaceChildren();
  }

  // Show a position.  `path` and `captured`, if given, are the move that led to it: the
  // piece walks there.
  async show(fen, path, captured = []) {
    const position = typeof fen === "string" ? parseFen(fen) : fen;
    this.cancel();
    this.clearChoice();
    this.legal = [];
    this.position = position;
    this.turn = (this.turn || 0) + 1;
    this.svg.setAttribute("aria-label", describe(position));
    if (path && this.pieces.has(path[0]) && !reduced()) {
      const turn = this.turn;
      await this.walk(path, captured);
      if (turn !== this.turn) return;
    }
    this.place(position, path);
  }

  // Bring what is drawn in line with the position; pieces that stay are kept.
  place(position, path) {
    if (path) {
      const walker = this.pieces.get(path[0]);
      if (walker && position.at[path[path.length - 1]]) {
        this.pieces.delete(path[0]);
        this.pieces.set(path[path.length - 1], walker);
      }
    }
    for (const [square, group] of [...this.pieces])
      if (position.at[square] !== group.dataset.kind || !group.isConnected) {
        group.remove();
        this.pieces.delete(square);
      }
    for (let s = 1; s <= 32; s++) {
      if (!position.at[s]) continue;
      let group = this.pieces.get(s);
      if (!group) {
        group = disc(position.at[s]);
        group.dataset.kind = position.at[s];
        this.discs.append(group);
        this.pieces.set(s, group);
      }
      this.move(group, s);
    }
    this.showChoice();
  }

  async walk(path, captured) {
    const group = this.pieces.get(path[0]);
    this.discs.append(group); // above the others
    for (let i = 1; i < path.length; i++) {
      this.move(group, path[i]);
      await pause(i === path.length - 1 ? 170 : 210);
      for (const s of captured)
        if (between(path[i - 1], path[i]) === s) this.pieces.get(s)?.classList.add("taken");
    }
  }

  // ------------------------------------------------------------------- choosing --

  setLegal(legal) {
    this.legal = legal;
    this.showChoice();
  }

  clearChoice() {
    this.prefix = []; // squares chosen so far: a piece, then landing squares
    this.held = null;
  }

  // Moves that begin with the squares chosen so far.
  matching(prefix = this.prefix) {
    return this.legal.filter((m) => prefix.every((s, i) => m.path[i] === s));
  }

  showChoice() {
    this.marks.replaceChildren();
    if (this.editing) return;
    const mark = (square, kind) => {
      const { x, y } = this.corner(square);
      this.marks.append(svg("rect", { class: kind, x: x + 3, y: y + 3, width: SIZE - 6, height: SIZE - 6, rx: 8 }));
    };
    if (!this.prefix.length) {
      if (this.legal.some((m) => m.captured.length))
        for (const s of new Set(this.legal.map((m) => m.path[0]))) mark(s, "must");
      return;
    }
    mark(this.prefix[this.prefix.length - 1], "chosen");
    const matching = this.matching(), n = this.prefix.length;
    for (const s of new Set(matching.map((m) => m.path[n]))) {
      const { x, y } = this.centre(s);
      this.marks.append(svg("circle", { class: "target", cx: x, cy: y, r: 15 }));
    }
  }

  // A square was chosen, by click or by drop.  Returns whether that led anywhere.
  choose(square) {
    const n = this.prefix.length;
    if (n > 0) {
      const next = this.matching().filter((m) => m.path[n] === square);
      const whole = this.matching().filter((m) => m.path[m.path.length - 1] === square);
      if (next.length) {
        this.prefix.push(square);
        if (next.length === 1 && next[0].path.length === n + 1) this.finish(next[0]);
        else this.step();
        return true;
      }
      if (whole.length === 1) { this.finish(whole[0]); return true; }
    }
    this.restore();
    this.prefix = this.legal.some((m) => m.path[0] === square) && this.prefix[0] !== square ? [square] : [];
    this.showChoice();
    return this.prefix.length > 0;
  }

  // Part of a capture: the piece stands on its way, what it took is faded.
  step() {
    const group = this.pieces.get(this.prefix[0]);
    this.move(group, this.prefix[this.prefix.length - 1]);
    for (let i = 1; i < this.prefix.length; i++)
      this.pieces.get(between(this.prefix[i - 1], this.prefix[i]))?.classList.add("taken");
    this.showChoice();
  }

  restore() {
    for (const [square, group] of this.pieces) {
      group.classList.remove("taken", "held");
      this.move(group, square);
    }
  }

  finish(move) {
    const walked = this.prefix.length;
    const dropped = this.dropped;
    this.clearChoice();
    this.marks.replaceChildren();
    this.onMove(move, walked > 2 || dropped);
  }

  // -------------------------------------------------------------------- pointers --

  squareOf(event) {
    const box = this.svg.getBoundingClientRect();
    let column = Math.floor((event.clientX - box.left) / box.width * 8);
    let row = Math.floor((event.clientY - box.top) / box.height * 8);
    if (this.flipped) { row = 7 - row; column = 7 - column; }
    return squareAt(row, column);
  }

  press(event) {
    const square = this.squareOf(event);
    if (!square) return;
    if (this.editing) { event.preventDefault(); this.onEdit(square, event.button === 2); return; }
    if (event.button !== 0) return;
    event.preventDefault();
    this.pressed = { square, x: event.clientX, y: event.clientY, moved: false };
    const standing = this.prefix.length > 1 ? this.prefix[this.prefix.length - 1] : square;
    if (standing === square && (this.prefix.length > 1 || this.legal.some((m) => m.path[0] === square))) {
      this.wasChosen = this.prefix.length === 1 && this.prefix[0] === square;
      if (this.prefix.length <= 1) { this.restore(); this.prefix = [square]; this.showChoice(); }
      this.held = this.pieces.get(this.prefix[0]);
      this.svg.setPointerCapture(event.pointerId);
    }
  }

  drag(event) {
    if (!this.held || !this.pressed) return;
    const far = Math.hypot(event.clientX - this.pressed.x, event.clientY - this.pressed.y);
    if (!this.pressed.moved && far < 5) return;
    if (!this.pressed.moved) {
      this.pressed.moved = true;
      this.held.classList.add("held");
      this.discs.append(this.held);
    }
    const box = this.svg.getBoundingClientRect(), scale = 800 / box.width;
    this.held.style.transform = `translate(${(event.clientX - box.left) * scale}px, ${(event.clientY - box.top) * scale}px)`;
  }

  release(event) {
    const { held, pressed } = this;
    this.held = this.pressed = null;
    if (!pressed) return;
    if (!held) { this.choose(pressed.square); return; }
    held.classList.remove("held");
    if (!pressed.moved) {
      if (this.wasChosen) { this.prefix = []; this.showChoice(); }
      return;
    }
    const square = this.squareOf(event);
    const before = this.prefix.length;
    this.dropped = true;
    const led = square && square !== pressed.square && this.reaches(square) && this.choose(square);
    this.dropped = false;
    if (!led) {
      if (before > 1) this.step();
      else { this.restore(); this.prefix = []; this.showChoice(); }
    }
  }

  reaches(square) {
    const n = this.prefix.length;
    return this.matching().some((m) => m.path[n] === square || m.path[m.path.length - 1] === square);
  }

  cancel() {
    if (this.held) this.held.classList.remove("held");
    this.held = this.pressed = null;
    if (this.prefix.length) { this.prefix = []; this.restore(); this.showChoice(); }
  }

  // ------------------------------------------------------------------ highlights --

  // An arrow along a move, or none.
  point(path, kind = "") {
    this.above.replaceChildren();
    if (!path) return;
    const points = path.map((s) => this.centre(s));
    const last = points[points.length - 1], prior = points[points.length - 2];
    const length = Math.hypot(last.x - prior.x, last.y - prior.y);
    last.x -= (last.x - prior.x) / length * 14;
    last.y -= (last.y - prior.y) / length * 14;
    this.above.append(svg("path", {
      class: `arrow ${kind}`, "marker-end": "url(#head)",
      d: points.map((p, i) => `${i ? "L" : "M"}${p.x} ${p.y}`).join(""),
    }));
  }
}

// The square that a jump passes over; 0 for a step.
export function between(from, to) {
  const a = place(from), b = place(to);
  if (Math.abs(a.row - b.row) !== 2) return 0;
  return squareAt((a.row + b.row) / 2, (a.column + b.column) / 2);
}

const pause = (ms) => new Promise((done) => setTimeout(done, ms));
const reduced = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
