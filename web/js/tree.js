// tree.js -- a game: a tree of moves with comments and signs, its tags, its result.
//
// A node is a position and the move that led there; its first child is the main line, the
// others are variations.  The root has no move.  A game knows the node that is shown.
// What tables or engine say of a move hangs on its node as `verdict` and is never written out.

import { START, parseFen, turnOf } from "./notation.js";
import { legalMoves } from "./rules.js";

const QUIET_MAX = 80; // plies without a capture or a man's move: forty moves
const SILENT = ["GameType", "SetUp", "FEN"]; // tags that say nothing the moves do not

export class Node {
  constructor(parent, legal) {
    this.parent = parent;
    this.move = legal.move ?? null;
    this.path = legal.path ?? null;
    this.captured = legal.captured ?? [];
    this.fen = legal.fen;
    this.children = [];
    this.before = [];   // comments in front of the move
    this.comments = []; // comments after it
    this.nags = [];     // 1 is !, 2 is ?, and so on
    this.verdict = null; // {before, best, slip, changes}: what the move gave away
  }

  get depth() {
    let n = 0;
    for (let node = this; node.parent; node = node.parent) n++;
    return n;
  }

  get main() {
    return this.children[0];
  }

  // From the first move to this one.
  get line() {
    const nodes = [];
    for (let node = this; node.parent; node = node.parent) nodes.unshift(node);
    return nodes;
  }

  // Which child to take at each step from the root.
  get way() {
    return this.line.map((n) => n.parent.children.indexOf(n));
  }

  get isMain() {
    return this.way.every((i) => i === 0);
  }

  legal() {
    this.known ??= legalMoves(parseFen(this.fen));
    return this.known;
  }

  // A capture, or a man's move: what came before does not come back.
  get stays() {
    const moved = parseFen(this.parent.fen).at[this.path[0]];
    return this.captured.length > 0 || moved === moved.toLowerCase();
  }

  // Why a game that has come here is drawn, by the rules of `kelso play`; empty if it is not.
  get drawn() {
    let quiet = 0, seen = 1;
    for (let n = this; n.parent && !n.stays; n = n.parent) {
      quiet++;
      seen += n.parent.fen === this.fen ? 1 : 0;
    }
    if (!this.legal().length) return "";
    return seen >= 3 ? "the same position for the third time" : quiet >= QUIET_MAX ? "forty moves without progress" : "";
  }

  // The child by this move, made if there is none.
  grow(legal) {
    let child = this.children.find((c) => c.move === legal.move);
    if (!child) this.children.push(child = new Node(this, legal));
    return child;
  }
}

export class Game {
  constructor(fen = START) {
    this.root = new Node(null, { fen });
    this.now = this.root;
    this.tags = []; // [name, value], in order
    this.result = "*";
    this.touched = false; // somebody has put work into it
    this.report = null;   // what engine and tables said of it (report.js)
  }

  get start() { return this.root.fen; }
  get fen() { return this.now.fen; }
  get turn() { return turnOf(this.now.fen); }
  get isEmpty() { return !this.root.children.length; }

  tag(name) {
    return this.tags.find(([n]) => n === name)?.[1] ?? "";
  }

  setTag(name, value) {
    const old = this.tags.find(([n]) => n === name);
    if (old) old[1] = value;
    else if (value) this.tags.push([name, value]);
    this.tags = this.tags.filter(([, v]) => v !== "");
  }

  // The line that is shown: up to here, and on along first children.
  get line() {
    const nodes = this.now.line;
    for (let node = this.now.main; node; node = node.main) nodes.push(node);
    return nodes;
  }

  get mainLine() {
    const nodes = [];
    for (let node = this.root.main; node; node = node.main) nodes.push(node);
    return nodes;
  }

  // The first node with this position, or none.
  find(fen, from = this.root) {
    const open = [from];
    for (let node = open.pop(); node; node = open.pop()) {
      if (node.fen === fen) return node;
      open.push(...[...node.children].reverse());
    }
    return null;
  }

  // Nothing but one line of moves: what the short form of a link can hold.
  get isPlain() {
    const bare = (n) => n.children.length <= 1 && !n.comments.length && !n.before.length && !n.nags.length;
    const told = this.tags.some(([name, value]) => !SILENT.includes(name) && value !== "?" && value !== "*");
    return !told && this.result === "*" && [this.root, ...this.mainLine].every(bare);
  }

  play(legal) {
    const news = !this.now.children.some((c) => c.move === legal.move);
    this.now = this.now.grow(legal);
    this.touched ||= news;
    return news;
  }

  follow(way) {
    this.now = this.root;
    for (const i of way) if (this.now.children[i]) this.now = this.now.children[i];
  }

  // The i-th position of the line that is shown.
  goto(i) {
    this.now = i > 0 ? this.line[Math.min(i, this.line.length) - 1] ?? this.root : this.root;
  }

  // Make the variation that the node is in the main line, at its nearest branching.
  promote(node) {
    for (let n = node; n.parent; n = n.parent) {
      const i = n.parent.children.indexOf(n);
      if (i === 0) continue;
      n.parent.children.splice(i, 1);
      n.parent.children.splice(i - 1, 0, n);
      this.touched = true;
      return;
    }
  }

  // Take a move and all that follows it out; returns how to put it back.
  remove(node) {
    const { parent } = node, i = parent.children.indexOf(node), { now } = this;
    parent.children.splice(i, 1);
    if (now.line.includes(node)) this.now = parent;
    this.touched = true;
    return () => { parent.children.splice(i, 0, node); this.now = now; };
  }
}
