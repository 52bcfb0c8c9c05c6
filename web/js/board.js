// board.js -- the board: squares, pieces, marks and arrows, drawn in SVG.
//
// The board shows a position and knows nothing of the game.  Who touches it (hand.js plays,
// setup.js puts pieces) listens to its events and asks which square they hit.

import { SIZE, disc } from "./discs.js";
import { svg } from "./dom.js";
import { algebraicName, describe, parseFen, place, squareAt } from "./notation.js";

const pause = (ms) => new Promise((done) => setTimeout(done, ms));
const reduced = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

// The square that a jump passes over; 0 for a step.
export function between(from, to) {
  const a = place(from), b = place(to);
  if (Math.abs(a.row - b.row) !== 2) return 0;
  return squareAt((a.row + b.row) / 2, (a.column + b.column) / 2);
}

function head(id) {
  return svg("marker", { id, viewBox: "0 0 10 10", refX: 6.2, refY: 5, markerWidth: 3.4, markerHeight: 3.4, orient: "auto" },
    svg("path", { d: "M0 0 10 5 0 10 2.5 5z", class: id }));
}

export class Board {
  constructor() {
    this.flipped = false;
    this.coordinates = "numbers";
    this.pieces = new Map(); // square -> group
    this.position = { turn: "B", at: [] };
    this.arrowsShown = [];
    this.turn = 0; // counts positions shown: a walk that is overtaken stops
    this.under = null; // the move that is being walked
    this.layers();
    this.drawSquares();
  }

  layers() {
    this.svg = svg("svg", { class: "board", viewBox: "0 0 800 800", role: "application", tabindex: 0, "aria-roledescription": "draughts board", "aria-describedby": "board-help" });
    this.squares = svg("g", {});
    this.trace = svg("g", { class: "trace" }); // the last move
    this.marks = svg("g", { class: "marks" });
    this.discs = svg("g", {});
    this.lines = svg("g", { class: "lines" }); // what the engine likes
    this.above = svg("g", { class: "above" }); // what the pointer is at
    this.cursor = svg("rect", { class: "cursor", width: SIZE - 8, height: SIZE - 8, rx: 6, visibility: "hidden" });
    this.svg.append(svg("rect", { class: "light", width: 800, height: 800, rx: 6 }),
      this.squares, this.trace, this.marks, this.discs, this.lines, this.above, this.cursor,
      svg("defs", {}, head("head"), head("head-engine"), head("head-threat")));
  }

  drawSquares() {
    this.squares.replaceChildren();
    for (let s = 1; s <= 32; s++) {
      const { x, y } = this.corner(s);
      this.squares.append(svg("rect", { class: "dark", x, y, width: SIZE, height: SIZE, "data-square": s }));
      if (this.coordinates === "none") continue;
      const number = svg("text", { class: "number", x: x + 6, y: y + 19 });
      number.textContent = this.coordinates === "algebraic" ? algebraicName(s) : s;
      this.squares.append(number);
    }
  }

  // ------------------------------------------------------------------ geometry --

  corner(square) {
    let { row, column } = place(square);
    if (this.flipped) { row = 7 - row; column = 7 - column; }
    return { x: column * SIZE, y: row * SIZE };
  }

  centre(square) {
    const { x, y } = this.corner(square);
    return { x: x + SIZE / 2, y: y + SIZE / 2 };
  }

  // A point of the screen in units of the drawing.
  point(event) {
    const box = this.svg.getBoundingClientRect();
    return { x: (event.clientX - box.left) / box.width * 800, y: (event.clientY - box.top) / box.height * 800 };
  }

  // The square under a point of the screen; 0 off the board or on a light square.
  squareOf(event) {
    const { x, y } = this.point(event);
    let row = Math.floor(y / SIZE), column = Math.floor(x / SIZE);
    if (this.flipped) { row = 7 - row; column = 7 - column; }
    return squareAt(row, column);
  }

  isOff(event) {
    const { x, y } = this.point(event);
    return x < 0 || y < 0 || x >= 800 || y >= 800;
  }

  // ------------------------------------------------------------------ position --

  orient(flipped, coordinates = this.coordinates) {
    this.flipped = flipped;
    this.coordinates = coordinates;
    this.drawSquares();
    for (const [square, group] of this.pieces) this.move(group, square);
    this.above.replaceChildren();
    this.arrows(this.arrowsShown);
    this.last(this.lastPath);
  }

  move(group, square) {
    const { x, y } = this.centre(square);
    group.style.transform = `translate(${x}px, ${y}px)`;
  }

  // Show a position.  `path` and `captured`, if given, are the move that led to it: the
  // piece walks there.
  async show(fen, path, captured = []) {
    const position = typeof fen === "string" ? parseFen(fen) : fen, mine = ++this.turn;
    this.position = position;
    this.svg.setAttribute("aria-label", describe(position));
    this.under = path;
    if (path && this.pieces.has(path[0]) && !reduced()) {
      await this.walk(path, captured, mine);
      if (mine !== this.turn) return;
    }
    this.settle();
  }

  // The pieces stand where they belong, at once: nobody has to wait for a walk.
  settle() {
    if (this.under === null) return;
    this.turn++;
    this.place(this.position, this.under);
    this.under = null;
  }

  // Bring what is drawn in line with the position; pieces that stay are kept.
  place(position, path) {
    const walker = path && this.pieces.get(path[0]);
    if (walker && position.at[path[path.length - 1]]) {
      this.pieces.delete(path[0]);
      this.pieces.set(path[path.length - 1], walker);
    }
    for (const [square, group] of [...this.pieces])
      if (position.at[square] !== group.dataset.kind || !group.isConnected) {
        group.remove();
        this.pieces.delete(square);
      }
    for (let s = 1; s <= 32; s++) {
      if (!position.at[s]) continue;
      if (!this.pieces.has(s)) this.add(s, position.at[s]);
      this.pieces.get(s).classList.remove("taken", "held");
      this.move(this.pieces.get(s), s);
    }
  }

  add(square, kind) {
    const group = disc(kind);
    group.dataset.kind = kind;
    this.discs.append(group);
    this.pieces.set(square, group);
  }

  async walk(path, captured, mine) {
    const group = this.pieces.get(path[0]);
    this.discs.append(group); // above the others
    for (let i = 1; i < path.length; i++) {
      this.move(group, path[i]);
      await pause(i === path.length - 1 ? 170 : 210);
      if (mine !== this.turn) return;
      const over = between(path[i - 1], path[i]);
      if (captured.includes(over)) this.pieces.get(over)?.classList.add("taken");
    }
  }

  // Put what was half moved back.
  restore() {
    for (const [square, group] of this.pieces) {
      group.classList.remove("taken", "held");
      this.move(group, square);
    }
  }

  // ---------------------------------------------------------- marks and arrows --

  mark(square, kind) {
    const { x, y } = this.corner(square);
    this.marks.append(svg("rect", { class: kind, x: x + 3, y: y + 3, width: SIZE - 6, height: SIZE - 6, rx: 8 }));
  }

  target(square) {
    const { x, y } = this.centre(square);
    this.marks.append(svg("circle", { class: "target", cx: x, cy: y, r: 15 }));
  }

  // The squares of the last move.
  last(path) {
    this.lastPath = path;
    this.trace.replaceChildren(...(path || []).map((s) => {
      const { x, y } = this.corner(s);
      return svg("rect", { class: "last", x, y, width: SIZE, height: SIZE, "data-last": s });
    }));
  }

  arrow(path, kind, width) {
    const points = path.map((s) => this.centre(s));
    const last = points[points.length - 1], prior = points[points.length - 2];
    const length = Math.hypot(last.x - prior.x, last.y - prior.y) || 1;
    last.x -= (last.x - prior.x) / length * 14;
    last.y -= (last.y - prior.y) / length * 14;
    const marker = kind === "threat" ? "head-threat" : kind === "engine" ? "head-engine" : "head";
    return svg("path", {
      class: `arrow ${kind}`, "marker-end": `url(#${marker})`, "stroke-width": width,
      d: points.map((p, i) => `${i ? "L" : "M"}${p.x} ${p.y}`).join(""),
    });
  }

  // The move under the pointer, or none.
  pointAt(path) {
    this.above.replaceChildren(...(path ? [this.arrow(path, "hover", 13)] : []));
    this.lines.classList.toggle("faint", Boolean(path));
  }

  // [{path, kind}], best first: the first is the boldest.
  arrows(list) {
    this.arrowsShown = list;
    this.lines.replaceChildren(...list.map(({ path, kind }, i) => this.arrow(path, kind, Math.max(6, 13 - 3 * i))).reverse());
  }

  showCursor(square) {
    if (!square) { this.cursor.setAttribute("visibility", "hidden"); return; }
    const { x, y } = this.corner(square);
    this.cursor.setAttribute("x", x + 4);
    this.cursor.setAttribute("y", y + 4);
    this.cursor.setAttribute("visibility", "visible");
  }
}
