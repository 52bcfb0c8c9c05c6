// hand.js -- play moves on the board, with mouse, touch, pen or keys.
//
// A move is chosen square by square: a piece, then where it lands.  A capture of several
// pieces is taken jump by jump, or at once by its last square where that leaves no doubt.
// With the keyboard a cursor goes over the squares; Enter chooses.

import { between } from "./board.js";
import { say } from "./dom.js";
import { place, squareAt } from "./notation.js";

const PIECE = { b: "black man", B: "black king", w: "white man", W: "white king" };

// Where the cursor goes: to the nearest dark square in that direction, as the board is seen.
export function neighbour(square, key, flipped) {
  const { row, column } = place(square), sign = flipped ? -1 : 1;
  const [r, c] = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[key];
  if (c) return squareAt(row, column + 2 * c * sign) || square;
  const next = row + r * sign; // rows are shifted against each other: keep to the left or right of them in turn
  return squareAt(next, column + (row % 2 ? 1 : -1)) || squareAt(next, column - (row % 2 ? 1 : -1)) || square;
}

export const nameSquare = (square, at) => `${square}, ${at[square] ? PIECE[at[square]] : "empty"}`;

export class Hand {
  // onMove(legal, walked): a move was chosen; walked: the piece stands there already.
  // onRefuse(square): a piece was chosen that may not move.
  constructor(board, { onMove, onRefuse }) {
    Object.assign(this, { board, onMove, onRefuse });
    this.active = true;
    this.legal = [];
    this.prefix = []; // squares chosen so far: a piece, then landing squares
    this.held = this.pressed = null;
    this.cursor = 0;
    const on = (name, f) => board.svg.addEventListener(name, (e) => { if (this.active) f(e); });
    on("pointerdown", (e) => this.press(e));
    on("pointermove", (e) => this.drag(e));
    on("pointerup", (e) => this.release(e));
    on("pointercancel", () => this.cancel());
    on("keydown", (e) => this.key(e));
    on("focus", () => { if (board.svg.matches(":focus-visible")) this.moveCursor(this.cursor || this.legal[0]?.path[0] || 1); });
    on("blur", () => board.showCursor(0));
  }

  // What may be moved.  The same moves again leave what is in the hand where it is.
  setLegal(legal) {
    if (legal === this.legal) return;
    this.prefix = [];
    this.held = this.pressed = null;
    this.legal = legal;
    this.show();
  }

  // Moves that begin with the squares chosen so far.
  matching() {
    return this.legal.filter((m) => this.prefix.every((s, i) => m.path[i] === s));
  }

  show() {
    const { board, prefix } = this, n = prefix.length;
    board.marks.replaceChildren();
    if (!this.active) return;
    if (!n) {
      if (this.legal.some((m) => m.captured.length))
        for (const s of new Set(this.legal.map((m) => m.path[0]))) board.mark(s, "must");
      return;
    }
    board.mark(prefix[n - 1], "chosen");
    for (const s of new Set(this.matching().map((m) => m.path[n]))) board.target(s);
  }

  // A square was chosen, by click, drop or key.  Returns whether that led anywhere.
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
    this.board.restore();
    const movable = this.legal.some((m) => m.path[0] === square);
    if (!movable && this.legal.length && this.board.position.at[square]?.toUpperCase() === this.board.position.turn) this.onRefuse(square);
    this.prefix = movable && this.prefix[0] !== square ? [square] : [];
    this.show();
    return this.prefix.length > 0;
  }

  // Part of a capture: the piece stands on its way, what it took is faded.
  step() {
    const { board, prefix } = this;
    board.move(board.pieces.get(prefix[0]), prefix[prefix.length - 1]);
    for (let i = 1; i < prefix.length; i++) board.pieces.get(between(prefix[i - 1], prefix[i]))?.classList.add("taken");
    this.show();
  }

  finish(move) {
    const walked = this.prefix.length > 2 || this.dropped;
    this.prefix = [];
    this.board.marks.replaceChildren();
    this.onMove(move, walked);
  }

  cancel() {
    if (this.held) this.held.classList.remove("held");
    this.held = this.pressed = null;
    if (!this.prefix.length) return false;
    this.prefix = [];
    this.board.restore();
    this.show();
    return true;
  }

  // ------------------------------------------------------------------- pointers --

  press(event) {
    const square = this.board.squareOf(event);
    if (!square || event.button !== 0) return;
    event.preventDefault();
    this.board.settle();
    this.pressed = { square, x: event.clientX, y: event.clientY, moved: false };
    const standing = this.prefix.length > 1 ? this.prefix[this.prefix.length - 1] : square;
    if (standing !== square || (this.prefix.length <= 1 && !this.legal.some((m) => m.path[0] === square))) return;
    this.wasChosen = this.prefix.length === 1 && this.prefix[0] === square;
    if (this.prefix.length <= 1) { this.board.restore(); this.prefix = [square]; this.show(); }
    this.held = this.board.pieces.get(this.prefix[0]);
    this.board.svg.setPointerCapture(event.pointerId);
  }

  drag(event) {
    const { held, pressed } = this;
    if (!held || !pressed) return;
    if (!pressed.moved) {
      if (Math.hypot(event.clientX - pressed.x, event.clientY - pressed.y) < 5) return;
      pressed.moved = true;
      held.classList.add("held");
      this.board.discs.append(held);
    }
    const { x, y } = this.board.point(event);
    held.style.transform = `translate(${x}px, ${y}px)`;
  }

  release(event) {
    const { held, pressed } = this;
    this.held = this.pressed = null;
    if (!pressed) return;
    if (!held) { this.choose(pressed.square); return; }
    held.classList.remove("held");
    if (!pressed.moved) {
      if (this.wasChosen) { this.prefix = []; this.show(); }
      return;
    }
    const square = this.board.squareOf(event), before = this.prefix.length;
    this.dropped = true;
    const led = square && square !== pressed.square && this.reaches(square) && this.choose(square);
    this.dropped = false;
    if (led) return;
    if (before > 1) this.step();
    else { this.board.restore(); this.prefix = []; this.show(); }
  }

  reaches(square) {
    const n = this.prefix.length;
    return this.matching().some((m) => m.path[n] === square || m.path[m.path.length - 1] === square);
  }

  // ----------------------------------------------------------------------- keys --

  moveCursor(square) {
    this.cursor = square;
    this.board.showCursor(square);
    const n = this.prefix.length;
    const may = n ? this.matching().some((m) => m.path[n] === square) && ", can land here" : this.legal.some((m) => m.path[0] === square) && ", can move";
    say(nameSquare(square, this.board.position.at) + (may || ""));
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || !this.cursor) return;
    this.board.settle();
    if (/^Arrow/.test(event.key)) this.moveCursor(neighbour(this.cursor, event.key, this.board.flipped));
    else if (event.key === "Enter" || event.key === " ") this.choose(this.cursor);
    else if (event.key !== "Escape" || !this.cancel()) return;
    event.preventDefault();
    event.stopPropagation();
  }
}
