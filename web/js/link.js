// link.js -- a game in an address, and back.
//
//   #/FEN/MOVES/AT     one line of moves, readable; AT is where we stand, the end if left out
//   #/~PACKED/WAY      everything else: the game as PDN, deflated, in base64url;
//                      WAY says which child to take at each step ("0.0.1")

import { START, formatFen, parseFen } from "./notation.js";
import { writeGame } from "./pdnwrite.js";
import { Game } from "./tree.js";

async function through(bytes, stream) {
  const piped = new Blob([bytes]).stream().pipeThrough(stream);
  return new Uint8Array(await new Response(piped).arrayBuffer());
}

const toBase64 = (bytes) => btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
const fromBase64 = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));

export async function write(game) {
  return game.isPlain ? plain(game) : packed(game);
}

// Everything that the short form can say.
export function plain(game) {
  const line = game.mainLine, at = game.now.depth;
  let hash = game.start === START && !line.length ? "#/" : `#/${game.start}`;
  if (line.length) hash += `/${line.map((n) => n.move).join(",")}`;
  return at === line.length ? hash : `${hash}/${at}`;
}

async function packed(game) {
  const bytes = await through(new TextEncoder().encode(writeGame(game)), new CompressionStream("deflate-raw"));
  return `#/~${toBase64(bytes)}/${game.now.way.join(".")}`;
}

// The game that an address holds.  `onTrouble(text)` hears what is wrong with it.
export async function read(said, onTrouble) {
  if (said.startsWith("~")) return unpacked(said, onTrouble);
  const [fen, moves, at] = said.split("/");
  const game = start(fen, onTrouble);
  for (const name of (moves || "").split(/[\s,]+/).filter(Boolean)) {
    const legal = game.now.legal().find((m) => m.move === name) ?? (await loosely(game, name));
    if (!legal) { onTrouble(`The address has a move that is not legal: ${name}.`); break; }
    game.now = game.now.grow(legal);
  }
  if (at !== undefined && at !== "") game.goto(Number(at));
  return game;
}

function start(fen, onTrouble) {
  try {
    return new Game(fen ? formatFen(parseFen(fen)) : START);
  } catch (error) {
    onTrouble(`The address does not hold a position: ${error.message}`);
    return new Game();
  }
}

// A move spelled in another way.
async function loosely(game, name) {
  const { read: readPdn } = await import("./pdn.js");
  const node = readPdn(`${game.fen} ${name}`).games[0]?.root.main;
  return node && game.now.legal().find((m) => m.fen === node.fen);
}

async function unpacked(said, onTrouble) {
  const [text, way] = said.slice(1).split("/");
  try {
    const { read: readPdn } = await import("./pdn.js");
    const bytes = await through(fromBase64(text), new DecompressionStream("deflate-raw"));
    const [game] = readPdn(new TextDecoder().decode(bytes)).games;
    game.follow((way || "").split(".").filter(Boolean).map(Number));
    return game;
  } catch {
    onTrouble("The address holds a game that cannot be read; perhaps it was cut off.");
    return new Game();
  }
}
