// library.js -- the games at hand: one of them is on the board, all of them survive a reload.
//
// They are kept as PDN, in this tab first and in the browser second, so that two tabs do not
// overwrite each other while both are open.

import { toast } from "./dom.js";
import { START } from "./notation.js";
import { writeGames } from "./pdnwrite.js";
import { Game } from "./tree.js";

const KEY = "kelso-games";
const MOST = 2_000_000; // characters that a browser will surely keep

export class Library {
  constructor() {
    this.games = [new Game()];
    this.index = 0;
    this.timer = 0;
    addEventListener("pagehide", () => { if (this.timer) this.keep(); });
  }

  get game() {
    return this.games[this.index];
  }

  choose(index) {
    this.index = Math.max(0, Math.min(index, this.games.length - 1));
  }

  // Put a game on the board.  One with nobody's work in it makes room.
  add(game) {
    if (!this.game.touched && this.games.length === 1) this.games[0] = game;
    else { this.games.push(game); this.index = this.games.length - 1; }
  }

  // The games of a file take the place of what is there, or join it.
  addAll(games) {
    const idle = this.games.length === 1 && !this.game.touched;
    this.index = idle ? 0 : this.games.length;
    this.games = idle ? games : [...this.games, ...games];
  }

  remove(index) {
    this.games.splice(index, 1);
    if (!this.games.length) this.games.push(new Game());
    this.choose(this.index > index || this.index === this.games.length ? this.index - 1 : this.index);
  }

  // How things are now, to come back to.
  snapshot() {
    const games = [...this.games], { index } = this, { now } = this.game;
    return () => { this.games = games; this.index = index; this.game.now = now; };
  }

  // -------------------------------------------------------------------- keeping --

  changed() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.keep(), 250);
  }

  keep() {
    clearTimeout(this.timer);
    this.timer = 0;
    const idle = this.games.length === 1 && this.game.isEmpty && this.game.start === START && this.game.isPlain;
    const text = idle ? "" : JSON.stringify({
      pdn: writeGames(this.games), index: this.index, way: this.game.now.way,
      touched: this.games.map((g) => (g.touched ? 1 : 0)).join(""), reports: this.games.map((g) => g.report), hash: location.hash,
    });
    if (text.length > MOST) { this.tooLarge ??= toast("These games are too many to survive a reload; save them as a file."); return; }
    for (const store of [sessionStorage, localStorage]) {
      try {
        if (text) store.setItem(KEY, text);
        else store.removeItem(KEY);
      } catch { /* full or forbidden: the other may do */ }
    }
  }

  // What was kept: {hash}, or null if there is nothing.
  async restore() {
    let kept = null;
    try { kept = JSON.parse(sessionStorage.getItem(KEY) || localStorage.getItem(KEY)); } catch { /* not ours */ }
    if (!kept?.pdn) return null;
    const { read } = await import("./pdn.js");
    const { games } = read(kept.pdn);
    if (!games.length) return null;
    const early = this.games.filter((g) => g.touched || !g.isEmpty); // while this was read
    this.games = [...games, ...early];
    games.forEach((g, i) => { g.touched = kept.touched?.[i] === "1"; g.report = kept.reports?.[i] ?? null; });
    this.choose(early.length ? this.games.length - 1 : kept.index);
    if (!early.length) this.game.follow(kept.way || []);
    return kept;
  }
}

// What a game is called in a list.
export function gameName(game, number) {
  const black = game.tag("Black"), white = game.tag("White"), known = (t) => t && t !== "?";
  const moves = Math.ceil(game.mainLine.length / 2), length = moves === 1 ? "1 move" : `${moves} moves`;
  const title = known(black) || known(white) ? `${black || "?"} – ${white || "?"}` : known(game.tag("Event")) ? game.tag("Event") : `Game ${number}`;
  return `${number}. ${title}, ${length}${game.result === "*" ? "" : `, ${game.result}`}`;
}
