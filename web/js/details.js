// details.js -- who played, where and when: the tags of a game, to fill in.

import { choice, dialog, el } from "./dom.js";

const FIELDS = ["Event", "Site", "Date", "Round", "Black", "White"];
const RESULTS = [["*", "not finished"], ["1-0", "Black won (1-0)"], ["0-1", "White won (0-1)"], ["1/2-1/2", "drawn (1/2-1/2)"]];

export function open(game, onChange) {
  const changed = () => { game.touched = true; onChange(); };
  const rows = FIELDS.map((name) => el("label.setting", {}, el("span", {}, name),
    el("input", { type: "text", id: `tag-${name}`, value: game.tag(name), onchange: (e) => { game.setTag(name, e.target.value.trim()); changed(); } })));
  const result = choice({ id: "tag-Result", onchange: (e) => { game.result = e.target.value; if (game.tag("Result")) game.setTag("Result", game.result); changed(); } }, RESULTS, game.result);
  const others = game.tags.filter(([n]) => ![...FIELDS, "Result", "GameType", "SetUp", "FEN"].includes(n));
  dialog("About the game", ...rows, el("label.setting", {}, el("span", {}, "Result"), result),
    others.length ? el("dl.words", {}, others.flatMap(([n, v]) => [el("dt", {}, n), el("dd", {}, v)])) : null);
}
