// score.js -- the score of the game: its moves with variations, comments and signs, to
// click on and to write into.

import { el, toast } from "./dom.js";
import { turnOf } from "./notation.js";
import { distance, slipNote } from "./words.js";

export const SIGNS = { 1: "!", 2: "?", 3: "!!", 4: "??", 5: "!?", 6: "?!", 7: "□" };
const SIGN_NAME = { 1: "a good move", 2: "a mistake", 3: "a star move", 4: "a blunder", 5: "interesting", 6: "doubtful" };

export class Score {
  // onGo(node): show this position; onChange(): something was written.
  constructor({ onGo, onChange }) {
    Object.assign(this, { onGo, onChange });
    this.note = el("p.note", { hidden: true });
    this.list = el("div.history", { tabindex: 0, role: "region", "aria-label": "Moves of the game" });
    this.comment = el("input", {
      type: "text", id: "comment", placeholder: "Comment on this move", "aria-label": "Comment on this move", autocomplete: "off",
      onchange: () => this.write(this.comment.value.trim()),
    });
    this.signs = Object.keys(SIGN_NAME).map((n) => el("button.chip.small", {
      type: "button", "data-sign": n, "aria-label": SIGN_NAME[n], title: SIGN_NAME[n], onclick: () => this.sign(Number(n)),
    }, SIGNS[n]));
    const button = (id, text, title, onclick) => el("button.chip.small", { type: "button", id, title, onclick }, text);
    this.up = button("promote", "Promote", "Make this variation the main line", () => { this.game.promote(this.game.now); this.changed(); });
    this.cut = button("cut", "Delete", "Delete this move and what follows", () => this.remove());
    this.editor = el("div.score-edit", {}, this.comment, el("div.row", {}, this.signs, el("span.grow"), this.up, this.cut));
  }

  show(game) {
    this.game = game;
    const focused = this.list.contains(document.activeElement);
    const { now } = game;
    this.list.replaceChildren(game.isEmpty && !game.root.comments.length
      ? el("p.dim", {}, "No moves yet. Drag a piece, or choose a move from the list.") : this.tree());
    const here = this.list.querySelector(".now");
    if (here) {
      this.list.scrollTop = here.offsetTop - this.list.clientHeight / 2;
      if (focused) here.focus({ preventScroll: true });
    }
    this.note.textContent = now.parent ? slipNote(now.verdict, now.move, turnOf(now.parent.fen)) : "";
    this.note.hidden = !this.note.textContent;
    this.showEditor(now);
  }

  showEditor(now) {
    const place = now.parent ? "Comment on this move" : "Comment before the first move";
    if (document.activeElement !== this.comment) this.comment.value = now.comments.join(" ");
    this.comment.placeholder = place;
    this.comment.setAttribute("aria-label", place);
    for (const b of this.signs) {
      b.disabled = !now.parent;
      b.setAttribute("aria-pressed", now.nags.includes(Number(b.dataset.sign)));
    }
    this.up.hidden = now.isMain;
    this.cut.disabled = !now.parent;
  }

  // ------------------------------------------------------------------ writing --

  changed() {
    this.game.touched = true;
    this.show(this.game);
    this.onChange();
  }

  write(text) {
    this.game.now.comments = text ? [text] : [];
    this.changed();
  }

  // One of the six signs, or none.
  sign(n) {
    const { now } = this.game, had = now.nags.includes(n);
    now.nags = now.nags.filter((k) => k > 6);
    if (!had) now.nags.unshift(n);
    this.changed();
  }

  remove() {
    const { game } = this, undo = game.remove(game.now);
    this.onGo(game.now);
    this.changed();
    toast("Deleted.", { text: "Undo", onclick: () => { undo(); this.onGo(game.now); this.changed(); } });
  }

  // ------------------------------------------------------------------ drawing --

  // Numbered pairs, Black's move first; comments and variations stand between them.
  tree() {
    const list = el("div.plies", { role: "group", "aria-label": "The game" });
    let number = 1, row = null;
    list.append(...this.remarks(this.game.root.comments));
    for (let node = this.game.root.main; node; node = node.main) {
      const black = turnOf(node.parent.fen) === "B";
      if (node.before.length) row = null;
      list.append(...this.remarks(node.before));
      if (black || !row) {
        row = el("div.pair", {}, el("span.no", {}, `${number}.`), black ? null : el("span.gap", {}, "…"));
        list.append(row);
      }
      row.append(this.ply(node));
      const others = node.parent.children.slice(1);
      const aside = [...this.remarks(node.comments), ...others.map((v) => el("div.variation", {}, this.inline(v, number)))];
      if (aside.length) { list.append(...aside); row = null; }
      if (!black) { number++; row = null; }
    }
    return list;
  }

  remarks(comments) {
    return comments.map((c) => el("p.remark", {}, c));
  }

  // A variation as running text; its own variations in parentheses.
  inline(node, number) {
    const parts = [];
    let numbered = true;
    for (; node; node = node.main) {
      const black = turnOf(node.parent.fen) === "B";
      for (const c of node.before) parts.push(el("em", {}, c), " ");
      if (black) parts.push(el("span.no", {}, `${number}.`));
      else if (numbered) parts.push(el("span.no", {}, `${number}…`));
      parts.push(this.ply(node, ".var"), " ");
      for (const c of node.comments) parts.push(el("em", {}, c), " ");
      numbered = node.comments.length > 0;
      const others = node === node.parent.main ? node.parent.children.slice(1) : [];
      for (const v of others) { parts.push("(", ...this.inline(v, number), ") "); numbered = true; }
      if (!black) number++;
    }
    return parts;
  }

  ply(node, kind = "") {
    const now = node === this.game.now, { verdict } = node;
    const given = verdict?.changes ? el("sup.bad", {}, "??") : verdict?.slip ? el("sup", {}, `+${distance(verdict.slip)}`) : null;
    const signs = node.nags.map((n) => SIGNS[n] ?? `$${n}`).join(" ");
    return el(`button.ply${kind}${now ? ".now" : ""}`, {
      type: "button", title: slipNote(verdict, node.move, turnOf(node.parent.fen)) || null, "aria-current": now ? "step" : null,
      onclick: () => this.onGo(node),
    }, node.move, signs ? el("b.signs", {}, signs) : null, given);
  }
}
