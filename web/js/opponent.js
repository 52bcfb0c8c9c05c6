// opponent.js -- play against the engine: whose pieces it has, how strong it is, the clocks.
//
// The engine moves by itself only while it plays a side.  A clock runs for the side to move,
// from the first move on, and stops when the game is looked at elsewhere.

import * as api from "./api.js";
import { choice, el } from "./dom.js";
import { other, sideName } from "./notation.js";
import { set, settings } from "./settings.js";

const CLOCKS = [["", "no clock"], ["3+2", "3 min + 2 s"], ["5+0", "5 min"], ["10+5", "10 min + 5 s"], ["30+0", "30 min"]];
const SHORTEST = 150, LONGEST = 3000; // milliseconds that the engine takes for a move

const clockText = (ms) => {
  const s = Math.max(0, Math.ceil(ms / 1000));
  return `${Math.floor(s / 60)}:${String(s % 60).padStart(2, "0")}`;
};

export class Opponent {
  // onChange(): another side or none; onTakeBack(), onHint(), onFlag(side).
  constructor({ onChange, onTakeBack, onHint, onFlag }) {
    Object.assign(this, { onChange, onFlag });
    this.side = "";
    this.clock = null; // {B, W: milliseconds left, increment, turn, since}
    this.who = choice({ id: "against", "aria-label": "Who plays", onchange: () => this.choose(this.who.value) },
      [["", "You play both sides"], ["W", "Engine plays White"], ["B", "Engine plays Black"]]);
    this.level = choice({ id: "level", "aria-label": "Strength of the engine", onchange: () => set("level", Number(this.level.value)) },
      Array.from({ length: 10 }, (_, i) => [i + 1, i ? `level ${i + 1}${i === 9 ? ", full" : ""}` : "level 1, easy"]), settings.level);
    this.time = choice({ id: "clock", "aria-label": "Clock", onchange: () => { set("clock", this.time.value); this.wind(); } }, CLOCKS, settings.clock);
    this.faces = Object.fromEntries(["B", "W"].map((s) => [s, el("span.clock", { role: "timer", "aria-label": `${sideName[s]}'s clock`, hidden: true })]));
    const button = (id, text, onclick) => el("button.chip.small", { type: "button", id, onclick }, text);
    this.back = button("take-back", "Take back", onTakeBack);
    this.hint = button("hint", "Hint", onHint);
    this.state = el("span.dim", { id: "pondering", role: "status" });
    this.extras = el("div.row.playing", { hidden: true }, this.level, this.time, this.back, this.state);
    this.element = el("div.options", {}, el("div.row", {}, this.who, this.hint, this.faces.B, this.faces.W), this.extras);
  }

  choose(side) {
    this.side = this.who.value = side;
    this.extras.hidden = !side;
    this.wind();
    this.onChange();
  }

  // ------------------------------------------------------------------- clocks --

  // Full time for both; no clock without an opponent.
  wind() {
    clearInterval(this.ticking);
    const [minutes, seconds] = settings.clock.split("+").map(Number);
    this.clock = this.side && settings.clock ? { B: minutes * 60000, W: minutes * 60000, increment: seconds * 1000, turn: "", since: 0 } : null;
    if (this.clock) this.ticking = setInterval(() => this.tick(), 200);
    this.tick();
  }

  left(side) {
    const c = this.clock;
    return c[side] - (c.turn === side ? performance.now() - c.since : 0);
  }

  tick() {
    for (const side of ["B", "W"]) {
      const face = this.faces[side];
      face.hidden = !this.clock;
      if (!this.clock) continue;
      face.textContent = `${side === "B" ? "●" : "○"} ${clockText(this.left(side))}`;
      face.classList.toggle("runs", this.clock.turn === side);
      face.classList.toggle("short", this.left(side) < 20000);
    }
    if (this.clock?.turn && this.left(this.clock.turn) <= 0) this.fall(this.clock.turn);
  }

  fall(side) {
    this.rest();
    clearInterval(this.ticking);
    this.onFlag(side);
  }

  // A move was made: the clock goes over to `turn`.
  press(turn) {
    const c = this.clock;
    if (!c) return;
    const moved = other[turn];
    if (c.turn === moved) c[moved] = this.left(moved) + c.increment;
    Object.assign(c, { turn, since: performance.now() });
    this.tick();
  }

  rest() {
    const c = this.clock;
    if (!c?.turn) return;
    c[c.turn] = this.left(c.turn);
    c.turn = "";
  }

  // ------------------------------------------------------------------- moving --

  ponder(on) {
    this.state.textContent = on ? "thinking …" : "";
  }

  // The engine's move; `body` is the game so far.
  async move(fen, body, signal, strong = false) {
    const own = this.clock && this.side ? Math.min(LONGEST, Math.max(SHORTEST, this.left(this.side) / 30)) : 1000;
    const answer = await api.engineMove(fen, strong ? 10 : settings.level, `${Math.round(own)}ms`, body, signal);
    return answer.move;
  }
}
