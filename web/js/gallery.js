// gallery.js -- positions worth seeing: what is in print, with what was found here beside it.

import * as api from "./api.js";
import { miniature } from "./discs.js";
import { count, el, table } from "./dom.js";
import { START, sideName, turnOf } from "./notation.js";
import { erratumText, foundCell, parseCsv, rows as printedRows } from "./table2.js";
import { distanceText } from "./words.js";

// From Trice and Dodgen, "The 7-piece perfect play lookup database"; `listing` names the
// line that the paper prints.
const FIGURES = [
  { name: "Figure 4", fen: "B:WK31:BK18,25", claim: 3,
    text: "Any novice wins with 18-23. A database that counts only to the next conversion would rather crown." },
  { name: "Figure 5", fen: "B:WK9,12,K21:B1,K4,8,10", claim: 253, listing: "Listing1",
    text: "The longest win with seven pieces begins with 8-11." },
  { name: "Figure 6", fen: "B:WK16,K19,K32:BK7,K21,K27,28", claim: 207, listing: "Listing2", slips: "listing4",
    text: "Three kings and a man against three kings: the man cannot move for 149 plies." },
  { name: "Figure 7", fen: "B:WK1,K22,K32:B3,K21,K28,K30", claim: 207, listing: "Listing3",
    text: "Moving the man draws; only 28-24 wins." },
  { name: "Fourth Position", fen: "B:W30,K31,K32:BK20,21,K22,K23", claim: 81, listing: "Listing8",
    text: "William Payne printed it in 1756. Black to move wins; White to move draws." },
];

function say(value, dtw, fen) {
  if (value === "draw") return "a draw";
  const side = turnOf(fen);
  const who = value === "win" ? side : side === "B" ? "W" : "B";
  return `${sideName[who]} wins${dtw === null ? "" : ` in ${distanceText(dtw)}`}`;
}

const file = (name, text) => el("a", { href: `data/${name}`, download: name }, text);
const walk = (fen, moves, text) => el("p", {}, el("a", { href: `#/${fen}/${moves.join(",")}/0` }, text));

// "27-24, 19-15, ^[1] 07-02 ..." as moves.
const plainMoves = (text) => [...text.matchAll(/\b(\d+)-(\d+)\b/g)].map((m) => `${Number(m[1])}-${Number(m[2])}`);

function figure(f, lines) {
  const found = el("p", {}, " ");
  api.position(f.fen).then((p) => {
    if (p.value === null) found.textContent = "Not in the tables here; it can be solved on the board.";
    else found.replaceChildren("Found here: ", el("b", {}, say(p.value, p.dtw, f.fen)), p.dtw === f.claim ? " ✓" : "");
  });
  const moves = lines[f.listing];
  return el("div.pic", {},
    el("a", { href: `#/${f.fen}`, "aria-label": `${f.name} on the board` }, miniature(f.fen, f.name)),
    el("div.cap", {}, el("h3", {}, f.name), el("p", {}, f.text), found,
      moves ? walk(f.fen, moves, `Walk through the printed line, ${distanceText(moves.length)}`) : null,
      f.slips ? walk(f.fen, lines[f.slips], "See a program let it slip (Listing 4, Appendix A)") : null));
}

async function table2(stats) {
  const rows = (await printedRows(stats)).map((r) => el("tr", {},
    el("td", {}, el("a", { href: `#tables/${r.name.replace(" v ", "-")}` }, r.name)),
    el("td.num", {}, count(r.positions)),
    el("td.num", {}, r.print),
    el("td.num", {}, foundCell(r)),
    el(`td${r.agrees ? ".agree" : ".differ"}`, {}, r.agrees === null ? "" : r.agrees ? "✓" : "≠"),
    el("td.wrap", {}, r.erratum ? erratumText(r.erratum) : ""),
    el("td", {}, r.example ? el("a", { href: `#/${r.example}` }, "example") : "")));
  const columns = ["Material", "#Positions", "#In print, win/loss", "#Found here", "", "Errata", "In print"];
  return table("Longest wins and losses by material", columns, rows, "max-height:32rem;overflow:auto");
}

function openings(csv) {
  return el("ul.list", {}, parseCsv(csv).map(([no, moves, result, searches, , size]) =>
    el("li", {}, el("span.no", {}, no), el("a", { href: `#/${START}/${plainMoves(moves).join(",")}` }, plainMoves(moves).join(" ")),
      el("span.grow"), el("b", {}, result.replace("<=", "≤ ").toLowerCase()),
      el("span.dim", { title: `${count(searches)} searches` }, `${count(size)} nodes`))));
}

export function show(root) {
  const figures = el("div.cards");
  const records = el("div", {}, el("p.dim", {}, "…"));
  const solved = el("div");
  root.append(
    el("h1", {}, "Gallery"),
    el("p.lead", {}, "What people have found in two and a half centuries, and what the tables say of it."),
    figures,
    el("h2", {}, "The longest wins"),
    el("p", {}, "For each material, the longest win and the longest loss of the side to move, whichever it is, ",
      "among positions in which it has no capture: as Trice and Dodgen print it, and as found here, in plies. ",
      "K is a king, C a man."),
    records,
    el("h2", {}, "Nineteen openings"),
    el("p", {}, "Solving these showed that the game is a draw (Schaeffer and others, 2007). ",
      "The result is Black's; the number is the size of their smallest proof tree."),
    solved,
    el("h2", {}, "The shortest games"),
    el("p", {}, el("a", { href: "#shortest" }, "247 games of 20 plies, with 32 final positions")));
  Promise.all([api.text("data/listings.txt"), api.text("data/listing4.txt")]).then(([text, slips]) => {
    const lines = { listing4: plainMoves(slips.split("\n").slice(2).join(" ")) };
    for (const row of text.split("\n")) {
      const [name, , moves] = row.split(" | ");
      if (moves) lines[name] = moves.trim().split(" ");
    }
    figures.append(...FIGURES.map((f) => figure(f, lines)));
    figures.after(el("p.data", {}, "Data: ", file("listings.txt", "the printed lines"), " · ", file("listing4.txt", "Listing 4")));
  });
  api.stats().then(({ stats }) => table2(stats)).then((made) => records.replaceChildren(made,
    el("p.data", {}, "Data: ", file("table2.csv", "the print"), " · ", file("errata.csv", "errata"), " · ", el("a", { href: "api/v1/stats?format=csv", download: "stats.csv" }, "found here"))));
  api.text("data/openings.csv").then((csv) => solved.append(openings(csv), el("p.data", {}, "Data: ", file("openings.csv", "CSV"))));
}
