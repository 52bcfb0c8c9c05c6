// options.js -- the window with the visitor's preferences.

import { choice, dialog, el } from "./dom.js";
import { set, settings } from "./settings.js";

const CHOICES = {
  theme: ["Light or dark", [["", "as the system"], ["light", "light"], ["dark", "dark"]]],
  board: ["Board", [["green", "green and buff"], ["wood", "wood"], ["blue", "blue and grey"], ["contrast", "high contrast"]]],
  coordinates: ["Squares", [["numbers", "numbers"], ["algebraic", "letters and numbers"], ["none", "nothing"]]],
  below: ["Below", [["W", "White"], ["B", "Black"]]],
  unit: ["Distances in", [["moves", "moves"], ["plies", "plies"]]],
};
const SWITCHES = { sound: "Sounds", arrows: "Arrows for the engine's moves" };

export function open() {
  const selects = Object.entries(CHOICES).map(([name, [label, options]]) => el("label.setting", {}, el("span", {}, label),
    choice({ id: `set-${name}`, onchange: (e) => set(name, e.target.value) }, options, settings[name])));
  const boxes = Object.entries(SWITCHES).map(([name, label]) => el("label.setting", {}, el("span", {}, label),
    el("input", { type: "checkbox", id: `set-${name}`, checked: settings[name], onchange: (e) => set(name, e.target.checked) })));
  dialog("Settings", ...selects, ...boxes);
}
