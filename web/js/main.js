// main.js -- which part of the explorer is shown.
//
// The address says it: #/... is the board with a game (link.js), #gallery and the like are
// the other parts.

import * as explore from "./explore.js";
import * as api from "./api.js";
import { apply, set, settings } from "./settings.js";

const parts = {
  gallery: () => import("./gallery.js"),
  shortest: () => import("./shortest.js"),
  tables: () => import("./tables.js"),
  proof: () => import("./proof.js"),
};

let leave = null; // what to do when a part is left
let routes = 0;

// The other parts bring their looks.
function looks() {
  if (document.querySelector('link[href="pages.css"]')) return null;
  return new Promise((done) => {
    const sheet = document.createElement("link");
    Object.assign(sheet, { rel: "stylesheet", href: "pages.css", onload: done, onerror: done });
    document.head.append(sheet);
  });
}

async function route() {
  const hash = decodeURI(location.hash).slice(1);
  const name = hash && !hash.startsWith("/") ? hash.split("/")[0] : "explore";
  const other = parts[name], asked = ++routes;
  if (leave) leave();
  leave = null;
  document.getElementById("view-explore").hidden = Boolean(other);
  document.getElementById("view-other").hidden = !other;
  for (const link of document.querySelectorAll("nav a"))
    if (link.dataset.view === (other ? name : "explore")) {
      link.setAttribute("aria-current", "page");
      link.scrollIntoView({ block: "nearest", inline: "center" });
    } else {
      link.removeAttribute("aria-current");
    }
  if (!other) {
    explore.open(hash.replace(/^\//, ""));
    return;
  }
  explore.pause();
  const box = document.getElementById("view-other");
  box.replaceChildren();
  const [{ show }] = await Promise.all([other(), looks()]);
  if (asked !== routes) return;
  const left = show(box, hash.split("/").slice(1));
  leave = typeof left === "function" ? left : null;
  window.scrollTo(0, 0);
}

function buttons() {
  const on = (id, action) => document.getElementById(id).addEventListener("click", action);
  on("theme", () => {
    const dark = settings.theme ? settings.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    set("theme", dark ? "light" : "dark");
  });
  on("settings", () => import("./options.js").then((o) => o.open()));
  on("words", () => import("./glossary.js").then((g) => g.open()));
}

apply();
buttons();
explore.create(document.getElementById("view-explore"));
addEventListener("hashchange", route);
route();
api.state().then((state) => {
  explore.equip(state);
  document.querySelector('nav a[data-view="proof"]').hidden = !state.proof;
  document.querySelector("nav a[aria-current]").scrollIntoView({ block: "nearest", inline: "center" });
});
