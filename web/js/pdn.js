// pdn.js -- read games as people have them: PDN of all ages, and bare lists of moves.
//
// read(text) gives {games, errors, notes}.  A game is loaded up to its first error, and
// reading goes on with the next game.  An error or a note is {line, column, message, game};
// a note says what was mended.  The separators of moves say nothing: `11x15` may be quiet.

import { algebraic, formatFen, other, parseFen, sideName } from "./notation.js";
import { Game, Node } from "./tree.js";

const SQUARE = "(?:\\d{1,2}|[a-hA-H][1-8])";
const SEPARATOR = "[ \\t\\u00a0]*[-xX:\\u00d7\\u2010-\\u2015\\u2212][ \\t\\u00a0]*";
const MOVE = new RegExp(`^(?:${SQUARE}(?:${SEPARATOR}${SQUARE})+|(?:[a-hA-H][1-8]){2,}|\\d{4})(?!\\d)`);
const RESULT = /^(?:1\/2\s*-\s*1\/2|½\s*-\s*½|1\/2|½|1-0|0-1|2-0|0-2|1-1|0-0)(?![\d\/])/;
const NUMBER = /^(?:\d+\s*[.…]+|[.…,]+|\d{1,3}(?=\s+[\da-hA-H]))/; // of a move; and what stands for a missing one
const RESULTS = { "2-0": "1-0", "0-2": "0-1", "1-1": "1/2-1/2", "1/2": "1/2-1/2", "½": "1/2-1/2", "½-½": "1/2-1/2", "0-0": "*" };
const FEN = /^[BWbw]:[BWbw][^\s\[{(]*/;
const SIGNS = { "!": 1, "?": 2, "!!": 3, "??": 4, "!?": 5, "?!": 6 };
const QUOTE = "[\"\\u201c\\u201d\\u201e\\u201f\\u00ab\\u00bb]";
const TAG = new RegExp(`\\[\\s*([A-Za-z_]\\w*)\\s*${QUOTE}(.*?)${QUOTE}\\s*\\](?=\\s*(?:$|[\\[{;%\\d(*]|[a-hA-H]\\d))`, "my");
const NAMES = ["Event", "Site", "Date", "Round", "Black", "White", "Result", "GameType", "SetUp", "FEN", "Annotator", "Opening", "Time", "TimeControl", "PlyCount"];
const OUR_GAME = /^\s*(?:21\b|english|american|checkers|draughts|anglo|pool\s*no|$)/i;

class Wrong extends Error {
  constructor(offset, message) {
    super(message);
    this.offset = offset;
  }
}

// The text in a file: UTF-8, UTF-16 with its mark, or Latin-1.
export function decode(bytes) {
  const [a, b] = bytes;
  if (a === 0xff && b === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  if (a === 0xfe && b === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

export function read(text) {
  return new Reader(text.replace(/^\ufeff/, "").replace(/\r\n?/g, "\n")).file();
}

class Reader {
  constructor(text) {
    this.text = text;
    this.i = 0;
    this.games = [];
    this.errors = [];
    this.notes = [];
  }

  place(offset) {
    const before = this.text.slice(0, offset);
    return { line: before.split("\n").length, column: offset - before.lastIndexOf("\n"), game: this.games.length + 1 };
  }

  note(offset, message) {
    this.notes.push({ ...this.place(offset), message });
  }

  found(offset) {
    const word = /^\S{1,16}/.exec(this.text.slice(offset))?.[0];
    return word ? `found '${word}'` : "found the end";
  }

  // --------------------------------------------------------------------- files --

  file() {
    for (;;) {
      this.blanks();
      if (this.i >= this.text.length) break;
      const from = this.i;
      this.game();
      if (this.i === from) this.i++; // never stand still
    }
    return { games: this.games, errors: this.errors, notes: this.notes };
  }

  // One game.  At an error the rest of it is skipped: up to the next line with a tag.
  game() {
    const game = new Game();
    this.current = { word: "", result: "", inside: "" };
    let read = false;
    try {
      read = this.tags(game);
      read = this.moves(game.root, 0) || read;
    } catch (error) {
      if (!(error instanceof Wrong)) throw error;
      read = true;
      this.errors.push({ ...this.place(error.offset), message: error.message });
      this.skip();
    }
    if (!read && game.isEmpty) return;
    this.finish(game);
    this.games.push(game);
  }

  // The result: the mark at the end, else a word such as "Drawn", else the tag.
  finish(game) {
    const said = this.current.result, tag = game.tags.find(([n]) => n === "Result");
    const tagged = tag ? resultIn(tag[1]) : "";
    game.result = said || this.current.word || tagged || "*";
    if (said && tagged && tagged !== "*" && said !== tagged)
      this.note(this.i, `the Result tag says ${tagged}, the end of the game ${said}; both are kept`);
    game.now = game.root;
    game.touched = false;
  }

  skip() {
    const rest = this.text.slice(this.i), next = /\n[ \t]*\[\s*[A-Za-z_]\w*\s*["\u201c]/.exec(rest);
    this.i = next ? this.i + next.index + 1 : this.text.length;
  }

  // ---------------------------------------------------------------------- tags --

  tags(game) {
    let any = this.position(game);
    for (;;) {
      this.blanks();
      if (this.text[this.i] === "{" || this.text[this.i] === ";") {
        const comment = this.comment();
        if (comment) game.root.comments.push(comment);
        continue;
      }
      if (this.text[this.i] !== "[") break;
      this.tag(game);
      any = true;
    }
    return any;
  }

  // "name | FEN | moves", a game to a line: the length of what stands before the FEN, or 0.
  label(at) {
    if (at && !/\n[ \t]*$/.test(this.text.slice(Math.max(0, at - 80), at))) return 0;
    return /^[^\n|{}()"]*\|\s*(?=[BWbw]:[BWbw])/.exec(this.text.slice(at, at + 200))?.[0].length || 0;
  }

  // A FEN in front of moves, as programs print lines.
  position(game) {
    this.i += this.label(this.i);
    const match = FEN.exec(this.text.slice(this.i, this.i + 400));
    if (!match) return false;
    this.fen(game, match[0], this.i);
    this.i += match[0].length;
    this.i += /^\s*\|/.exec(this.text.slice(this.i, this.i + 40))?.[0].length || 0;
    return true;
  }

  tag(game) {
    const at = this.i;
    TAG.lastIndex = at;
    const match = TAG.exec(this.text);
    if (!match || match[0].includes("\n")) {
      const end = this.text.indexOf("\n", at);
      this.note(at, "expected [Name \"value\"]; the line was left out");
      this.i = end < 0 ? this.text.length : end;
      return;
    }
    this.i += match[0].length;
    const name = NAMES.find((n) => n.toLowerCase() === match[1].toLowerCase()) || match[1];
    const value = match[2].replace(/\\(["\\])/g, "$1");
    if (game.tags.some(([n]) => n === name)) { this.note(at, `the tag ${name} is given twice; the first counts`); return; }
    game.tags.push([name, value]);
    if (name === "FEN") this.fen(game, value, at);
    if (name === "GameType" && !OUR_GAME.test(value)) throw new Wrong(at, `expected GameType 21, English draughts, found '${value}'`);
  }

  fen(game, value, at) {
    if (!value.trim()) { this.note(at, "an empty FEN: the game begins at the start"); return; }
    try {
      const root = new Node(null, { fen: formatFen(parseFen(value)) });
      root.comments = game.root.comments;
      game.root = root;
    } catch (error) {
      throw new Wrong(at, `the FEN is wrong: ${error.message}`);
    }
  }

  // --------------------------------------------------------------------- moves --

  // A line of moves from `node`; returns whether anything was there.
  moves(from, depth) {
    const line = { from, node: from, pending: [], early: [], depth, fresh: false, any: false };
    while (this.item(line)) line.any = true;
    if (line.pending.length) line.node.comments.push(...line.pending);
    if (line.early.length) from.children.push(...line.early);
    return line.any;
  }

  // One thing in a line: false at its end.
  item(line) {
    this.blanks();
    const at = this.i, c = this.text[at], rest = this.text.slice(at, at + 80);
    if (c === undefined) return this.end(line, at);
    if (c === "{" || c === ";") return this.addComment(line, this.comment());
    if (c === "[" || c === "^") return this.bracket(line, at, rest);
    if (!line.depth && (FEN.test(rest) || this.label(at))) return false; // the next game
    if (c === "(") return this.parenthesis(line, at, rest);
    if (c === ")") return this.close(line, at);
    if (c === "$") return this.nag(line, at, rest);
    if (c === "!" || c === "?") return this.sign(line, rest);
    if (c === "*") return this.star(line, at);
    const result = RESULT.exec(rest);
    if (result) return this.result(line, at, result[0]);
    const number = NUMBER.exec(rest);
    if (number) { this.i += number[0].length; return true; }
    const move = MOVE.exec(rest);
    if (move) return this.move(line, at, move[0]);
    return this.word(line, at);
  }

  // A result in a variation that is not closed is the game's.
  end(line, at) {
    if (!line.depth) return false;
    this.note(at, "a variation is not closed");
    this.current.word ||= this.current.inside;
    return false;
  }

  // A tag in the middle of moves begins the next game; a footnote or a clock is a comment.
  bracket(line, at, rest) {
    const foot = /^\^?(\[(?!\s*[A-Za-z_]\w*\s*["\u201c])[^\[\]\n]*\])/.exec(rest);
    if (foot && this.current.word && /\n[ \t]*$/.test(this.text.slice(Math.max(0, at - 80), at))) { // notes below the game
      this.note(at, "a note below the game is left out");
      this.i = (this.text.indexOf("\n", at) + 1 || this.text.length + 1) - 1;
      return true;
    }
    if (foot) {
      this.i += foot[0].length;
      this.note(at, `'${foot[0]}' is read as a comment`);
      return this.addComment(line, foot[1]);
    }
    if (!/^\[\s*[A-Za-z_]\w*\s*["\u201c]/.test(rest)) throw new Wrong(at, `expected a move, ${this.found(at)}`);
    if (line.depth) this.note(at, "a variation is not closed");
    return false;
  }

  addComment(line, comment) {
    if (!comment) return true;
    if (line.fresh || (!line.node.parent && !line.depth)) line.node.comments.push(comment);
    else line.pending.push(comment);
    return true;
  }

  // Braces may nest.  A line comment goes to the end of its line.
  comment() {
    if (this.text[this.i] === ";") {
      const end = this.text.indexOf("\n", this.i), stop = end < 0 ? this.text.length : end;
      const said = this.text.slice(this.i + 1, stop).trim();
      this.i = stop;
      return said;
    }
    const at = this.i;
    let depth = 0;
    for (let i = at; i < this.text.length; i++) {
      if (this.text[i] === "{") depth++;
      if (this.text[i] === "}" && --depth === 0) {
        this.i = i + 1;
        return this.text.slice(at + 1, i).replace(/\s+/g, " ").trim();
      }
    }
    // Not closed, or a brace inside that is no comment's: the first closing brace ends it.
    const end = this.text.indexOf("}", at);
    this.note(at, "a comment is not closed");
    this.i = end < 0 ? this.text.length : end + 1;
    return this.text.slice(at + 1, end < 0 ? undefined : end).replace(/\s+/g, " ").trim();
  }

  // A variation replaces the move before it; `(!)` is a sign.
  parenthesis(line, at, rest) {
    const sign = /^\(([!?]{1,2}|\*)\)/.exec(rest);
    if (sign) { this.i += sign[0].length; this.addNag(line, SIGNS[sign[1]] ?? 7); return true; }
    this.i++;
    if (line.depth >= 32) throw new Wrong(at, "variations are nested more than 32 deep");
    const early = !line.node.parent || line.node === line.from;
    const parent = early ? line.node : line.node.parent, had = parent.children.length;
    this.variation(parent, line.depth + 1);
    if (early) { // it stands before the first move: it follows once that is there
      this.note(at, "a variation before the first move");
      line.early.push(...parent.children.splice(had));
    }
    line.fresh = false;
    return true;
  }

  // Its errors end the variation, not the game.
  variation(parent, depth) {
    try {
      this.moves(parent, depth);
      if (this.text[this.i] === ")") this.i++;
    } catch (error) {
      if (!(error instanceof Wrong)) throw error;
      this.errors.push({ ...this.place(error.offset), message: `in a variation: ${error.message}` });
      this.leave();
    }
  }

  // To behind the parenthesis that closes the variation we are in.
  leave() {
    for (let depth = 1; this.i < this.text.length && depth; ) {
      const c = this.text[this.i];
      if (c === "{") { this.comment(); continue; }
      if (c === "[" && this.text[this.i - 1] === "\n") return;
      if (c === "(") depth++;
      if (c === ")") depth--;
      this.i++;
    }
  }

  close(line, at) {
    if (line.depth) return false;
    this.note(at, "a parenthesis that closes nothing");
    this.i++;
    return true;
  }

  nag(line, at, rest) {
    const match = /^\$\s?(\d{1,5})/.exec(rest);
    if (!match) throw new Wrong(at, `expected a number after $, ${this.found(at)}`);
    this.i += match[0].length;
    this.addNag(line, Number(match[1]));
    return true;
  }

  sign(line, rest) {
    const text = /^(?:!!|\?\?|!\?|\?!|!|\?)/.exec(rest)[0];
    this.i += text.length;
    this.addNag(line, SIGNS[text]);
    return true;
  }

  addNag(line, n) {
    if (line.node.parent) line.node.nags.push(n);
  }

  // Glued to a move it is the star of PDN 2.0, else the result.
  star(line, at) {
    this.i++;
    if (/[\da-hA-H!?]/.test(this.text[at - 1] || "") && line.node.parent && !this.endsHere()) {
      this.note(at, "a star after a move is read as $7, the only move");
      this.addNag(line, 7);
      return true;
    }
    return this.result(line, at, "*");
  }

  endsHere() {
    return /^\s*(?:$|\[)/.test(this.text.slice(this.i, this.i + 40));
  }

  result(line, at, text) {
    this.i = at + text.length;
    const said = RESULTS[text.replace(/\s/g, "")] ?? text.replace(/\s/g, "");
    if (line.depth) { this.note(at, "a result inside a variation is left out"); this.current.inside = said; return true; }
    if (text === "0-0") this.note(at, "0-0 is read as *");
    this.current.result = said;
    this.trailing(line);
    return false;
  }

  // Comments behind the result, on its own line, belong to the last move.
  trailing(line) {
    for (;;) {
      const rest = /^[ \t]*(?=[{;])/.exec(this.text.slice(this.i, this.i + 200));
      if (!rest) return;
      this.i += rest[0].length;
      const comment = this.comment();
      if (comment) line.node.comments.push(comment);
    }
  }

  // Words after the moves: "Drawn", "Red resigns".  They are kept as a comment.
  word(line, at) {
    const text = /^[^\s{}()\[\];$]+/.exec(this.text.slice(at))?.[0] || this.text[at];
    if (!/[\p{L}½]/u.test(text)) throw new Wrong(at, `expected a move, ${this.found(at)}`);
    const stop = /[\n{}()\[\]]|\s(?=\d+\.|\d+-\d|1\/2|\*)/.exec(this.text.slice(at));
    const said = this.text.slice(at, stop ? at + stop.index : undefined).trim();
    this.i = at + Math.max(said.length, 1);
    this.note(at, `'${said}' is read as a comment`);
    this.current.word ||= resultIn(said);
    return this.addComment(line, said);
  }

  move(line, at, text) {
    this.i = at + text.length;
    const wanted = squaresIn(text), legal = line.node.legal();
    let fits = legal.filter((m) => matches(m, wanted));
    if (!fits.length) {
      const joined = this.joinHops(legal, wanted);
      if (joined.length) { this.note(at, `${text.trim()}: a jump written in parts`); fits = joined; }
    }
    if (!fits.length) {
      this.i = at;
      throw new Wrong(at, expected(line.node, legal, text.trim()));
    }
    const results = new Set(fits.map((m) => m.fen));
    if (results.size > 1) fits = this.decide(fits, at, text.trim());
    this.add(line, fits[0]);
    return true;
  }

  add(line, legal) {
    const node = new Node(line.node, legal);
    node.before = line.pending.splice(0);
    line.node.children.push(node, ...line.early.splice(0));
    line.node = node;
    line.fresh = true;
  }

  // `26x17 17x10`: the path so far is the beginning of a jump, the next move goes on from there.
  joinHops(legal, wanted) {
    let path = wanted, i = this.i;
    for (;;) {
      const begin = legal.filter((m) => m.captured.length && path.every((s, k) => m.path[k] === s));
      const whole = begin.filter((m) => m.path.length === path.length);
      if (whole.length) { this.i = i; return whole; }
      const next = /^\s*(?:\d+\s*\.+\s*)?/.exec(this.text.slice(i, i + 80))[0].length;
      const move = MOVE.exec(this.text.slice(i + next, i + next + 80));
      if (!begin.length || !move) return [];
      const more = squaresIn(move[0]);
      if (more[0] !== path[path.length - 1]) return [];
      path = [...path, ...more.slice(1)];
      i += next + move[0].length;
    }
  }

  // Several captures fit: the one after which the next move of the text is legal.
  decide(fits, at, text) {
    const skip = /^(?:\s|\d+\s*\.+|[!?]|\$\d+|\{[^}]*\})*/.exec(this.text.slice(this.i, this.i + 800))[0].length;
    const next = MOVE.exec(this.text.slice(this.i + skip, this.i + skip + 80));
    const good = next ? fits.filter((m) => new Node(null, m).legal().some((n) => matches(n, squaresIn(next[0])))) : [];
    if (new Set(good.map((m) => m.fen)).size !== 1)
      throw new Wrong(at, `'${text}' is ambiguous: expected one of ${fits.map((m) => m.path.join("x")).join(", ")}`);
    this.note(at, `${text} is ambiguous; the next move decides for ${good[0].path.join("x")}`);
    return good;
  }

  // Blanks, and lines that begin with % or #.
  blanks() {
    for (;;) {
      const match = /^[\s\u00a0\ufeff\u200b]+/.exec(this.text.slice(this.i, this.i + 400));
      if (match) { this.i += match[0].length; continue; }
      if ((this.text[this.i] !== "%" && this.text[this.i] !== "#") || (this.i && this.text[this.i - 1] !== "\n")) return;
      const end = this.text.indexOf("\n", this.i);
      this.i = end < 0 ? this.text.length : end;
    }
  }
}

// The squares that a move names; algebraic ones look at the board from Black's side.
function squaresIn(text) {
  if (/[a-hA-H]/.test(text)) return text.match(/[a-hA-H][1-8]/g).map(algebraic);
  return (/^\d{4}$/.test(text) ? [text.slice(0, 2), text.slice(2)] : text.match(/\d+/g)).map(Number);
}

// Ends, and any of the squares between in order.
function matches({ path }, wanted) {
  if (path[0] !== wanted[0] || path[path.length - 1] !== wanted[wanted.length - 1]) return false;
  let i = 0;
  for (const s of path) if (s === wanted[i]) i++;
  return i === wanted.length;
}

function expected(node, legal, text) {
  const side = sideName[node.fen[0]];
  if (!legal.length) return `the game is over here, found '${text}'`;
  const must = legal[0].captured.length ? " (a jump is due)" : "";
  const list = legal.map((m) => m.move);
  const names = list.length > 6 ? `${list.slice(0, 6).join(", ")}, …` : list.join(", ");
  return `'${text}' is not legal for ${side}${must}: expected ${names}`;
}

// What a result says in words: 1-0 is Black's win (docs/notation.md).
export function resultIn(text) {
  const t = text.trim().toLowerCase(), plain = t.replace(/\s/g, "");
  if (["1-0", "0-1", "1/2-1/2", "*"].includes(plain)) return plain;
  if (RESULTS[plain]) return RESULTS[plain];
  if (/draw|\bdr\b|½/.test(t)) return "1/2-1/2";
  const side = /black|red|first/.test(t) ? "B" : /white/.test(t) ? "W" : "";
  if (!side) return "";
  const winner = /win|won/.test(t) ? side : /resign|los|lost/.test(t) ? other[side] : "";
  return winner ? (winner === "B" ? "1-0" : "0-1") : "";
}
