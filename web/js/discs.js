// discs.js -- pieces, and small boards that only show.

import { svg } from "./dom.js";
import { describe, parseFen, place } from "./notation.js";

export const SIZE = 100; // of a square, in units of the drawing
const CROWN = "M-21 9-25-14-11-4 0-21 11-4 25-14 21 9zM-20 14h40v5h-40z";

export function disc(kind) {
  const black = kind.toLowerCase() === "b", king = kind === kind.toUpperCase();
  const group = svg("g", { class: `piece ${black ? "black" : "white"}${king ? " king" : ""}` });
  group.append(svg("ellipse", { class: "shade", cx: 0, cy: 5, rx: 39, ry: 38 }));
  if (king) group.append(svg("circle", { class: "edge", cx: 0, cy: 4, r: 38.5 }));
  const lift = king ? -5 : 0;
  group.append(svg("circle", { class: "edge", cx: 0, cy: lift, r: 38.5 }));
  group.append(svg("circle", { class: "face", cx: 0, cy: lift, r: 36.5 }));
  group.append(svg("circle", { class: "ring", cx: 0, cy: lift, r: 27.5 }));
  if (king) group.append(svg("path", { class: "crown", d: CROWN, transform: "translate(0 -4) scale(.8)" }));
  else group.append(svg("circle", { class: "ring", cx: 0, cy: 0, r: 18 }));
  return group;
}

// A small board that only shows.
export function miniature(fen, label) {
  const position = typeof fen === "string" ? parseFen(fen) : fen;
  const picture = svg("svg", {
    class: "mini", viewBox: "0 0 800 800", role: "img", "aria-label": label || describe(position),
  });
  picture.append(svg("rect", { class: "light", width: 800, height: 800, rx: 14 }));
  let dark = "";
  for (let s = 1; s <= 32; s++) {
    const { row, column } = place(s);
    dark += `M${column * SIZE} ${row * SIZE}h${SIZE}v${SIZE}h-${SIZE}z`;
  }
  picture.append(svg("path", { class: "dark", d: dark }));
  for (let s = 1; s <= 32; s++) {
    if (!position.at[s]) continue;
    const { row, column } = place(s);
    const piece = disc(position.at[s]);
    piece.setAttribute("transform", `translate(${column * SIZE + 50} ${row * SIZE + 50})`);
    picture.append(piece);
  }
  return picture;
}
