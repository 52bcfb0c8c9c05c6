// dom.js -- make elements, and say things.

// el("button.primary", {type: "button", onclick: f}, "text", child, ...)
export function el(spec, attributes = {}, ...children) {
  const [tag, ...classes] = spec.split(".");
  const node = document.createElement(tag || "div");
  if (classes.length) node.className = classes.join(" ");
  set(node, attributes);
  node.append(...children.flat(3).filter((c) => c !== null && c !== undefined && c !== false));
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

// Between press and release nothing is drawn anew: an element that is replaced takes the click
// with it.  What has arrived meanwhile waits for calm().
const HELD = 3000; // milliseconds: a longer press is no click, or was released elsewhere
let pressed = null; // resolves at the release
addEventListener("pointerdown", () => {
  if (pressed) return;
  const heard = new AbortController(), mine = pressed = new Promise((done) => {
    const release = () => setTimeout(() => { heard.abort(); if (pressed === mine) pressed = null; done(); });
    for (const end of ["pointerup", "pointercancel"]) addEventListener(end, release, { capture: true, signal: heard.signal });
    setTimeout(release, HELD);
  });
}, true);
export const calm = async () => { while (pressed) await pressed; };

// For screen readers.
export function say(text) {
  document.getElementById("say").textContent = text;
}

// A line that goes away by itself; `action`, {text, onclick}, can be taken meanwhile.
let toastTimer;
export function toast(text, action) {
  const box = document.getElementById("toast");
  const close = () => { box.hidden = true; };
  const act = () => { close(); action.onclick(); };
  box.replaceChildren(text, action ? el("button.link", { type: "button", onclick: act }, action.text) : "");
  box.hidden = false;
  clearTimeout(toastTimer);
  toastTimer = setTimeout(close, action ? 20000 : 4000);
}

// A window in front of the page; Escape and a click beside it close it.
export function dialog(title, ...children) {
  const box = el("dialog", { "aria-label": title },
    el("div.dialog-head", {}, el("h2", {}, title), el("button.icon-button", { type: "button", "aria-label": "Close", onclick: () => box.close() }, icon("M6 6l12 12M18 6 6 18"))),
    el("div.dialog-body", {}, ...children));
  box.addEventListener("close", () => box.remove());
  box.addEventListener("click", (e) => { if (e.target === box) box.close(); });
  document.body.append(box);
  box.showModal();
  return box;
}

// Let the browser save a text as a file.
export function save(name, text, type = "application/x-draughts-pdn") {
  const link = el("a", { href: URL.createObjectURL(new Blob([text], { type })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

export async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
    toast(`${what} copied.`);
  } catch {
    toast("Copying is not allowed here; select the text instead.");
  }
}

// 1.5 M, 320 k, 87.
export const brief = (n) => (n >= 1e6 ? `${(n / 1e6).toFixed(1)} M` : n >= 1e4 ? `${Math.round(n / 1e3)} k` : String(Math.round(n)));

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
