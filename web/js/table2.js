// table2.js -- Table 2 of Trice and Dodgen, the longest win and loss by material, beside what
// is found here, with the errata in place.

import * as api from "./api.js";
import { el } from "./dom.js";

export const parseCsv = (text) => text.trim().split("\n").slice(1)
  .map((row) => [...row.matchAll(/("([^"]*)"|[^,]*)(,|$)/g)].map((m) => m[2] ?? m[1]));

export const material = (kings, men) => `${kings ? `${kings}K` : ""}${men ? `${men}C` : ""}`;

// "3K1C-2K" as [3, 1, 2, 0].
export function materialOf(slice) {
  const part = (t) => [Number(/(\d+)K/.exec(t)?.[1] || 0), Number(/(\d+)C/.exec(t)?.[1] || 0)];
  const [a, b] = slice.split("-");
  return [...part(a), ...part(b)];
}

// Of each material with colours the longest over both sides to move, captures left out.
export function longestQuiet(stats) {
  const rows = new Map();
  for (const s of stats) {
    const key = [s.bk, s.bm, s.wk, s.wm].join();
    const row = rows.get(key) || { win: null, loss: null };
    for (const [field, name] of [["dtw_win_quiet", "win"], ["dtw_loss_quiet", "loss"]])
      if (s[field] && (!row[name] || s[field].plies > row[name].plies)) row[name] = s[field];
    rows.set(key, row);
  }
  return rows;
}

// The rows of the print: {key, name, positions, print, example, erratum, found, agrees}; `found` is
// {win, loss}, each {plies, fen}, and `agrees` is null where one of the two is not known.
export async function rows(stats) {
  const [table, errata] = await Promise.all([api.text("data/table2.csv"), api.text("data/errata.csv")]);
  const wrong = new Map(parseCsv(errata).map(([bk, bm, wk, wm, printed, found, note, witnesses]) =>
    [[bk, bm, wk, wm].join(), { printed, found, note, witnesses: witnesses.split(" ").filter(Boolean) }]));
  const here = longestQuiet(stats);
  return parseCsv(table).map(([bk, bm, wk, wm, positions, win, loss, printed, example]) => {
    const key = [bk, bm, wk, wm].join(), found = here.get(key);
    const print = printed || (win ? `${win}/${loss}` : ""), whole = found?.win && found?.loss;
    return {
      key, name: `${material(+bk, +bm)} v ${material(+wk, +wm)}`, positions: Number(positions), print, example,
      erratum: wrong.get(key) || null, found,
      agrees: whole && print ? `${found.win.plies}/${found.loss.plies}` === print : null,
    };
  });
}

const record = (found) => (found ? el("a", { href: `#/${found.fen}`, title: "Show it on the board" }, String(found.plies)) : "–");

export const foundCell = (row) => (row.found ? [record(row.found.win), "/", record(row.found.loss)] : el("span.dim", {}, "not built"));

// Why the print is wrong, with positions that show it.
export function erratumText({ note, found, witnesses }) {
  return [note ? `${note[0].toUpperCase()}${note.slice(1)}. ` : `It is ${found}. `,
    witnesses.map((fen, i) => [i ? ", " : "Witness: ", el("a", { href: `#/${fen}` }, fen)])];
}
