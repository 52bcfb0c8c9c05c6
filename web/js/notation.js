// notation.js -- squares, and positions as text (FEN).
//
// A position is {turn: "B" or "W", at: [33 places]}; at[n] is "b", "B" (king), "w", "W" or undefined.

export const START = "B:W21,22,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,11,12";

export const sideName = { B: "Black", W: "White" };
export const other = { B: "W", W: "B" };

// Row and column of a square, seen from White: row 0 is Black's back row.
export function place(square) {
  const row = Math.floor((square - 1) / 4);
  const column = 2 * ((square - 1) % 4) + (row % 2 === 0 ? 1 : 0);
  return { row, column };
}

export function squareAt(row, column) {
  if (row < 0 || row > 7 || column < 0 || column > 7 || (row + column) % 2 === 0) return 0;
  return row * 4 + (column >> 1) + 1;
}

// The square with an algebraic name, seen from Black's side: a1 is 4; 0 if there is none.
export function algebraic(name) {
  return squareAt(Number(name[1]) - 1, 7 - (name.toLowerCase().charCodeAt(0) - 97));
}

export function algebraicName(square) {
  const { row, column } = place(square);
  return "abcdefgh"[7 - column] + (row + 1);
}

function bad(text, column, what) {
  const found = text.slice(column, column + 6);
  const error = new Error(`column ${column + 1}: expected ${what}, found ${found ? `'${found}'` : "the end"}`);
  error.column = column + 1;
  return error;
}

// Reads what the server writes and the usual spellings; throws with the column.
export function parseFen(text) {
  const at = new Array(33);
  let i = 0;
  const blanks = () => { while (/[\s]/.test(text[i] || "")) i++; };
  const number = () => {
    const named = /^[a-hA-H][1-8]/.exec(text.slice(i));
    if (named && algebraic(named[0])) { i += 2; return algebraic(named[0]); }
    const m = /^\d+/.exec(text.slice(i));
    const n = m ? Number(m[0]) : 0;
    if (n < 1 || n > 32) throw bad(text, i, "a square from 1 to 32");
    i += m[0].length;
    return n;
  };
  blanks();
  const turn = (text[i] || "").toUpperCase();
  if (turn !== "B" && turn !== "W") throw bad(text, i, "B or W, the side to move");
  i++;
  for (let side = 0; side < 2; side++) {
    blanks();
    if (text[i] !== ":") throw bad(text, i, "a colon");
    i++;
    blanks();
    const colour = (text[i] || "").toUpperCase();
    if (colour !== "B" && colour !== "W") throw bad(text, i, "B or W, whose pieces follow");
    i++;
    blanks();
    while (/[\dKka-hA-H]/.test(text[i] || "")) {
      const start = i;
      const king = /[Kk]/.test(text[i]);
      if (king) i++;
      const first = number();
      let last = first;
      if (text[i] === "-") { i++; last = number(); }
      for (let s = first; s <= last; s++) {
        if (at[s]) throw bad(text, start, "a square that is still free");
        const row = place(s).row;
        if (!king && row === (colour === "B" ? 7 : 0)) throw bad(text, start, "a king there: a man would have been crowned");
        at[s] = king ? colour : colour.toLowerCase();
      }
      blanks();
      if (text[i] !== ",") break;
      i++;
      blanks();
    }
  }
  blanks();
  if (text[i] === ".") i++;
  blanks();
  if (i < text.length && text[i] !== ";" && !/^:[HF]\d/.test(text.slice(i))) throw bad(text, i, "the end");
  const n = pieces({ at });
  if (n.b + n.B > 12 || n.w + n.W > 12) throw new Error("a side has at most twelve pieces");
  if ((turn === "B" ? n.w + n.W : n.b + n.B) === 0) throw new Error("the side that has just moved has no pieces");
  return { turn, at };
}

export function formatFen({ turn, at }) {
  const list = (colour) => {
    const out = [];
    for (let s = 1; s <= 32; s++)
      if (at[s] && at[s].toUpperCase() === colour) out.push((at[s] === colour ? "K" : "") + s);
    return out.join(",");
  };
  return `${turn}:W${list("W")}:B${list("B")}`;
}

export const turnOf = (fen) => fen[0].toUpperCase();

export function pieces(position) {
  const n = { b: 0, B: 0, w: 0, W: 0, all: 0 };
  for (let s = 1; s <= 32; s++) if (position.at[s]) { n[position.at[s]]++; n.all++; }
  return n;
}

// In words, for those who cannot see the board.
export function describe(position) {
  const names = { b: "black men", B: "black kings", w: "white men", W: "white kings" };
  const parts = ["B", "b", "W", "w"].map((kind) => {
    const where = [];
    for (let s = 1; s <= 32; s++) if (position.at[s] === kind) where.push(s);
    return where.length ? `${names[kind]} on ${where.join(", ")}` : "";
  }).filter(Boolean);
  return `${sideName[position.turn]} to move; ${parts.join("; ") || "no pieces"}`;
}
