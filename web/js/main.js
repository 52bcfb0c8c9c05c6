// main.js -- which part of the explorer is shown, and the light.
//
// The address says it: #/FEN/MOVES/AT is the board, #gallery and the like the other parts.

import * as explore from "./explore.js";
import * as api from "./api.js";

const parts = {
  gallery: () => import("./gallery.js"),
  shortest: () => import("./shortest.js"),
  tables: () => import("./tables.js"),
  proof: () => import("./proof.js"),
};

let leave = null; // what to do when a part is left
let routes = 0;

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
  const { show } = await other();
  if (asked !== routes) return;
  const left = show(box, hash.split("/").slice(1));
  leave = typeof left === "function" ? left : null;
  window.scrollTo(0, 0);
}

function theme() {
  const root = document.documentElement;
  const kept = localStorage.getItem("kelso-theme");
  if (kept) root.dataset.theme = kept;
  document.getElementById("theme").addEventListener("click", () => {
    const dark = root.dataset.theme ? root.dataset.theme === "dark"
      : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    localStorage.setItem("kelso-theme", root.dataset.theme);
  });
}

theme();
explore.create(document.getElementById("view-explore"));
addEventListener("hashchange", route);
route();
api.state().then((state) => {
  explore.equip(state);
  document.querySelector('nav a[data-view="proof"]').hidden = !state.proof;
  document.querySelector("nav a[aria-current]").scrollIntoView({ block: "nearest", inline: "center" });
});
