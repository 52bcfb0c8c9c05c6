// shortest.js -- the 247 complete games of 20 plies, by their 32 final positions.

import * as api from "./api.js";
import { miniature } from "./discs.js";
import { el } from "./dom.js";
import { START } from "./notation.js";

const gamesText = (n) => (n === 1 ? "1 game" : `${n} games`);

export async function show(root, [chosen]) {
  const list = el("div", { "aria-live": "polite" });
  const grid = el("div.cards.small");
  root.append(
    el("h1", {}, "The shortest games"),
    el("p.lead", {}, "A complete game of draughts takes at least 20 plies. There are 247 such games, all lost by Black, ",
      "with 32 final positions; in one of them, the fourteenth, Black is not out of pieces but blocked. ",
      "Martin Bryant found them; ", el("code", {}, "kelso shortest --plies 20"), " finds them again."),
    grid, list,
    el("p.data", {}, "Data: ", el("a", { href: "api/v1/shortest?format=csv", download: "shortest.csv" }, "CSV"), " · ", el("a", { href: "api/v1/shortest", download: "shortest.json" }, "JSON")));
  const { games, finals } = await api.shortest("all");
  const byFinal = finals.map((_, i) => games.filter((g) => g.final === i + 1));
  const open = (i) => {
    for (const b of grid.children) b.setAttribute("aria-pressed", b.dataset.final === String(i));
    list.replaceChildren(
      el("h2", {}, `Final position ${i}: ${gamesText(byFinal[i - 1].length)}`),
      el("p", {}, "Choose a game to walk through it."),
      el("ul.list", {}, byFinal[i - 1].map((g) => el("li", {}, el("span.no", {}, String(g.number)),
        el("a", { href: `#/${START}/${g.moves.replaceAll(" ", ",")}/0` }, g.moves)))));
    window.history.replaceState(null, "", `#shortest/${i}`);
  };
  grid.append(...finals.map((fen, i) => el("button.pic", {
    type: "button", "data-final": i + 1, "aria-pressed": "false",
    "aria-label": `Final position ${i + 1}, ${byFinal[i].length} games`,
    onclick: () => { open(i + 1); list.scrollIntoView({ behavior: "smooth", block: "start" }); },
  }, miniature(fen, ""), el("div.cap", {}, el("span", {}, el("b", {}, String(i + 1)), ` · ${gamesText(byFinal[i].length)}`)))));
  if (chosen) open(Number(chosen));
}
