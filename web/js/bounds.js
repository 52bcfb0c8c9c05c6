// bounds.js -- what is proven of a position, in words.

import { other, sideName } from "./notation.js";

// Bounds for `side`, in words.
export function boundsText({ lower, upper }, side) {
  if (lower === upper) return lower === "draw" ? "A draw" : `${sideName[lower === "win" ? side : other[side]]} wins`;
  if (lower === "draw") return `At least a draw for ${sideName[side]}`;
  if (upper === "draw") return `At most a draw for ${sideName[side]}`;
  return "Unresolved";
}

export function boundsKind({ lower, upper }, side) {
  if (lower !== upper) return "unknown";
  if (lower === "draw") return "draw";
  return (lower === "win" ? side : other[side]) === "B" ? "black" : "white";
}
