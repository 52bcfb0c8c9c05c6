// settings.js -- what the visitor prefers; kept in the browser, read by all parts.

const KEY = "kelso-settings";
const DEFAULTS = {
  theme: "",              // as the system wishes, "light" or "dark"
  board: "green",         // the colours of the board
  coordinates: "numbers", // "algebraic" or "none"
  below: "W",             // whose side of the board is below
  sound: false,
  unit: "moves",          // or "plies"
  engine: true,           // think where the tables end
  lines: 3,
  arrows: true,
  level: 10,
  clock: "",              // "minutes+seconds", or none
};

export const settings = { ...DEFAULTS };
try {
  Object.assign(settings, JSON.parse(localStorage.getItem(KEY) || "{}"));
} catch { /* what is kept is not ours: the defaults stand */ }

const listeners = [];
export const onSetting = (listener) => listeners.push(listener);

export function set(name, value) {
  settings[name] = value;
  try { localStorage.setItem(KEY, JSON.stringify(settings)); } catch { /* no room: it holds for today */ }
  apply();
  for (const listener of listeners) listener(name, value);
}

// The looks that style sheets read.
export function apply() {
  const { dataset } = document.documentElement;
  if (settings.theme) dataset.theme = settings.theme;
  else delete dataset.theme;
  dataset.board = settings.board;
}
