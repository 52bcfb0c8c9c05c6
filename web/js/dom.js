// dom.js -- make elements, and say things.

// el("button.primary", {type: "button", onclick: f}, "text", child, ...)
export function el(spec, attributes = {}, ...children) {
  const [tag, ...classes] = spec.split(".");
  const node = document.createElement(tag || "div");
  if (classes.length) node.className = classes.join(" ");
  set(node, attributes);
  node.append(...children.flat().filter((c) => c !== null && c !== undefined && c !== false));
  return node;
}

export function svg(tag, attributes = {}, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  set(node, attributes);
  node.append(...children);
  return node;
}

function set(node, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "value") node.value = value;
    else node.setAttribute(name, value === true ? "" : value);
  }
}

// A select of [value, text] pairs.
export function choice(attributes, options, chosen) {
  return el("select", attributes, options.map(([value, text]) => el("option", { value, selected: value === chosen }, text)));
}

// A table that scrolls in its box; a column whose name begins with # holds numbers.
export function table(label, columns, rows, style) {
  const heads = columns.map((c) => (c.startsWith("#") ? el("th.num", {}, c.slice(1)) : el("th", {}, c)));
  return el("div.table-box", { tabindex: 0, role: "region", "aria-label": label, style },
    el("table", {}, el("thead", {}, el("tr", {}, heads)), el("tbody", {}, rows)));
}

// A line drawing of 24 by 24, for buttons.
export function icon(path, filled = false) {
  return svg("svg", { viewBox: "0 0 24 24", width: 20, height: 20, "aria-hidden": "true" },
    svg("path", {
      d: path, fill: filled ? "currentColor" : "none", stroke: "currentColor",
      "stroke-width": 1.8, "stroke-linecap": "round", "stroke-linejoin": "round",
    }));
}

// For screen readers.
export function say(text) {
  document.getElementById("say").textContent = text;
}

let toastTimer;
export function toast(text) {
  const box = document.getElementById("toast");
  box.textContent = text;
  box.hidden = false;
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => { box.hidden = true; }, 3500);
}

export async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
    toast(`${what} copied.`);
  } catch {
    toast("Copying is not allowed here; select the text instead.");
  }
}

export function count(n) {
  return Number(n).toLocaleString("en-US");
}

export function bytes(n) {
  const units = ["bytes", "kB", "MB", "GB", "TB"];
  let u = 0;
  while (n >= 1000 && u < units.length - 1) { n /= 1000; u++; }
  return `${u && n < 100 ? n.toPrecision(3) : Math.round(n)} ${units[u]}`;
}

export function duration(seconds) {
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 90) return `${Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? `${minutes} min` : `${(minutes / 60).toFixed(1)} h`;
}

export function plies(n) {
  return n === 1 ? "1 ply" : `${n} plies`;
}
