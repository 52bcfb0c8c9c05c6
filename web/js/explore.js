// explore.js -- the board and everything that is known about the position on it.

import * as api from "./api.js";
import { Beyond } from "./beyond.js";
import { Board } from "./board.js";
import { choice, copy, count, el, icon, say, toast } from "./dom.js";
import { Game, judge, perfect, reviewed } from "./game.js";
import { History } from "./history.js";
import { START, formatFen, parseFen, sideName, turnOf } from "./notation.js";
import { boundsKind, boundsText } from "./proof.js";
import { Setup } from "./setup.js";
import { TextBox } from "./textbox.js";
import { slipNote, valueName, verdictOf } from "./words.js";

const game = new Game();
let board, beyond, history, setup, text; // the parts, made by create()
let info = null;     // what the tables say of the position shown; null: not known yet
let server = null;   // what it can do
let turn = 0;        // counts positions shown: late answers to older ones are dropped
let playing = false; // perfect play runs by itself
let opponent = "";   // the side that the tables play: "B", "W" or nobody
let timer = 0;
let opened = null;   // what the address said last
const ui = {};       // elements that change

// ------------------------------------------------------------------- the position --

// Show the position of the game; `walk`, {path, captured}, is the move that led there.
async function refresh(walk) {
  const mine = ++turn, fen = game.fen;
  info = null;
  beyond.clear();
  board.point(null);
  text.showFen(fen);
  address();
  controls();
  const shown = board.show(fen, walk?.path, walk?.captured);
  const waiting = setTimeout(() => { if (mine === turn) ui.verdict.classList.add("pending"); }, 150);
  try {
    const [{ moves }, known] = await Promise.all([api.moves(fen), api.position(fen)]);
    await shown;
    if (mine !== turn) return;
    clearTimeout(waiting);
    info = known;
    board.setLegal(opponent === turnOf(fen) || playing ? [] : moves);
    showVerdict(verdictOf(fen, known, moves));
    moveTable(moves);
    history.show();
    const gap = known.value === null || (known.dtw === null && known.value !== "draw");
    if (gap && moves.length) lookBeyond(fen, mine, moves);
    next(moves);
  } catch (error) {
    clearTimeout(waiting);
    if (mine === turn) showVerdict({ title: "No answer", sub: error.message, kind: "unknown" });
  }
}

function showVerdict({ title, sub, kind, link }) {
  ui.verdict.className = "verdict";
  ui.verdict.replaceChildren(
    el(`i.sign.${kind}`, { "aria-hidden": "true" }),
    el("div", {}, el("h1", {}, title), el("p.sub", {}, sub, " ", link)));
  say(`${title}. ${sub}`);
}

// The tables do not know it: a proof might.
async function lookBeyond(fen, mine, legal) {
  const p = info.value === null && server?.proof ? await api.proof(fen).catch(() => null) : null;
  if (mine !== turn) return;
  if (p && (p.lower !== "loss" || p.upper !== "win")) {
    const side = turnOf(fen);
    showVerdict({
      title: boundsText(p, side), kind: boundsKind(p, side),
      sub: `${sideName[side]} to move. Proven${p.size ? ` here: ${count(p.size)} claims` : ""}.`,
      link: el("a", { href: `#proof/${fen}` }, "Walk through the proof"),
    });
    if (p.lower === p.upper) return;
  }
  beyond.show(fen, legal, info, server);
}

function moveTable(legal) {
  const byName = new Map(legal.map((m) => [m.move, m]));
  const known = info.moves.some((m) => m.value !== null), conversions = info.moves.some((m) => m.dtc !== null);
  ui.moves.classList.toggle("bare", !known);
  ui.moves.replaceChildren();
  if (!legal.length) return;
  ui.moves.append(
    el("div.move.head", { "aria-hidden": "true" },
      el("span", {}, legal.length === 1 ? "1 move" : `${legal.length} moves`), el("span"),
      el("span.num", { title: "plies to the end of the game" }, known ? "end" : ""),
      el("span.num", { title: "plies to the next capture or crowning" }, conversions ? "conv." : "")),
    el("div", { role: "list", "aria-label": "Legal moves, best first" }, info.moves.map((m) => moveRow(m, byName.get(m.move)))));
}

function moveRow(m, legal) {
  const best = info.moves[0];
  const tie = info.value !== null && m.value === best.value && m.dtw === best.dtw;
  const point = () => board.point(legal.path), leave = () => board.point(null);
  const distance = m.dtw === null ? "" : ` in ${m.dtw}${m.dtc === null ? "" : `, conversion in ${m.dtc}`}`;
  return el(`button.move.${m.value || "unknown"}${tie ? ".best" : ""}`, {
    type: "button", role: "listitem",
    "aria-label": `${m.move}${m.value ? `, ${valueName[m.value]}` : ""}${distance}`,
    onclick: () => choose(legal), onpointerenter: point, onpointerleave: leave, onfocus: point, onblur: leave,
  },
  el("span.name", {}, m.move),
  el("span.value", {}, m.value ? valueName[m.value] : ""),
  el("span.num", {}, m.dtw ?? ""),
  el("span.num.dim", {}, m.dtc ?? ""));
}

// -------------------------------------------------------------------- moving about --

// The player has chosen a move.  `walked`: the piece has been dragged there already.
function choose(legal, walked = false) {
  stop();
  play(legal, walked);
}

function play(legal, walked = false) {
  const side = turnOf(game.fen);
  game.play({ move: legal.move, fen: legal.fen, ...judge(info, legal.move) });
  if (opponent && game.last.best) {
    const slip = slipNote(game.last, side);
    if (slip) toast(slip);
  }
  refresh(walked ? null : legal);
}

async function step(by) {
  const from = game.at;
  game.goto(from + by);
  if (game.at === from) return;
  const { moves } = by === 1 ? await api.moves(game.fenAt(from)) : { moves: [] };
  await refresh(moves.find((m) => m.move === game.last.move));
}

function stepAlone(by) {
  stop();
  step(by);
}

function jump(i) {
  stop();
  game.goto(i);
  refresh();
}

function start(fen) {
  stop();
  game.reset(fen);
  refresh();
}

// After a position is shown: the next move of the line, or the opponent's answer.
function next(legal) {
  clearTimeout(timer);
  if (playing && game.at < game.length) timer = setTimeout(() => step(1), Number(ui.speed.value));
  else if (playing) stop();
  else if (opponent === turnOf(game.fen) && legal.length && game.at === game.length) timer = setTimeout(() => answer(legal), 350);
}

async function answer(legal) {
  const mine = turn;
  let move = info.value !== null ? info.moves[0].move : null;
  if (!move && server?.analysis) move = (await api.analysis(game.fen, "1s", 1)).lines[0]?.pv[0];
  const chosen = legal.find((m) => m.move === move);
  if (chosen && mine === turn) play(chosen);
}

// Perfect play from here, or the rest of the game that is there.
async function playOut() {
  if (playing) { stop(); return; }
  if (game.at === game.length) {
    try {
      const line = await api.line(game.fen, info?.dtw === null && info.value !== "draw" ? "wld" : "dtw");
      game.plies.push(...line.moves.map(perfect));
    } catch (error) {
      toast(error.message);
    }
  }
  if (game.at === game.length) return;
  playing = true;
  controls();
  step(1);
}

function stop() {
  clearTimeout(timer);
  playing = false;
  controls();
}

// Another part of the explorer is shown.
export function pause() {
  stop();
  beyond.clear();
}

// --------------------------------------------------------------------- the address --

// The address follows the game: copying it shares what is seen.
function address() {
  let hash = game.start === START && !game.length ? "#/" : `#/${game.start}`;
  if (game.length) hash += `/${game.plies.map((p) => p.move).join(",")}`;
  if (game.at !== game.length) hash += `/${game.at}`;
  if (!ui.root.hidden && decodeURI(location.hash) !== hash) window.history.replaceState(null, "", hash);
  opened = hash.slice(2);
  document.querySelector('nav a[data-view="explore"]').href = hash; // the way back from elsewhere
}

// Show what an address says.
export async function open(said) {
  if (said === opened) { refresh(); return; }
  const [fen, moves, at] = said.split("/");
  endSetup();
  stop();
  try {
    game.reset(fen ? formatFen(parseFen(fen)) : START);
  } catch (error) {
    game.reset(START);
    toast(`The address does not hold a position: ${error.message}`);
  }
  if (moves) await text.read(`${game.start} ${moves.replaceAll(",", " ")}`, at && Number(at));
  else await refresh();
}

// A game that was read; without `at`, at its end.
function take(read, at) {
  stop();
  game.reset(read.fen);
  game.plies = read.moves.map(reviewed);
  game.goto(at ?? game.length);
  refresh();
}

function written() {
  const over = game.at === game.length && info && !info.moves.length;
  return {
    fen: game.fen, start: game.start, moves: game.plies.map((p) => p.move),
    // 1-0 is Black's win, as everywhere here (docs/notation.md)
    result: !over ? "*" : turnOf(game.fen) === "W" ? "1-0" : "0-1",
  };
}

// -------------------------------------------------------------- setting a position --

function toggleSetup() {
  if (setup.active) { endSetup(); refresh(); return; }
  stop();
  turn++; // answers under way are for nobody
  beyond.clear();
  board.point(null);
  board.editing = true;
  ui.root.classList.add("editing");
  setup.start(game.fen);
}

function endSetup() {
  setup.end();
  board.editing = false;
  ui.root.classList.remove("editing");
}

// --------------------------------------------------------------------- the layout --

const ICONS = {
  first: "M18 6l-6 6 6 6M11 6l-6 6 6 6",
  back: "M15 5l-7 7 7 7",
  play: "M8 5v14l11-7z",
  pause: "M8 5v14M16 5v14",
  forward: "M9 5l7 7-7 7",
  last: "M6 6l6 6-6 6M13 6l6 6-6 6",
  fresh: "M4 4v6h6M4.6 10A8 8 0 1 1 4 14",
  setup: "M4 20h4L19 9l-4-4L4 16zM13 7l4 4",
  flip: "M7 4v15M3.5 15.5 7 19l3.5-3.5M17 20V5M13.5 8.5 17 5l3.5 3.5",
  share: "M9 15l6-6M10 6l1.5-1.5a4.2 4.2 0 0 1 6 6L16 12M14 18l-1.5 1.5a4.2 4.2 0 0 1-6-6L8 12",
};

function tool(name, label, onclick, key) {
  return el("button.icon-button", {
    type: "button", id: `do-${name}`, onclick, "aria-label": label, title: key ? `${label} (${key})` : label,
  }, icon(ICONS[name], name === "play"));
}

function controls() {
  ui.play.replaceChildren(icon(playing ? ICONS.pause : ICONS.play, !playing));
  ui.play.setAttribute("aria-label", playing ? "Pause" : "Play out with perfect moves");
  ui.first.disabled = ui.back.disabled = game.at === 0;
  ui.forward.disabled = ui.last.disabled = game.at === game.length;
}

function toolbar() {
  ui.first = tool("first", "To the start", () => jump(0), "Home");
  ui.back = tool("back", "Back", () => stepAlone(-1), "←");
  ui.play = tool("play", "Play out with perfect moves", playOut, "space");
  ui.forward = tool("forward", "Forward", () => stepAlone(1), "→");
  ui.last = tool("last", "To the end", () => jump(game.length), "End");
  return el("div.toolbar", { role: "toolbar", "aria-label": "The game" },
    ui.first, ui.back, ui.play, ui.forward, ui.last, el("span.grow"),
    tool("fresh", "New game", () => start(START)),
    tool("setup", "Set up a position", toggleSetup, "s"),
    tool("flip", "Flip the board", () => board.flip(), "f"),
    tool("share", "Copy a link to this", () => copy(location.href, "Link")));
}

function options() {
  const against = (e) => { opponent = e.target.value; stop(); refresh(); };
  ui.speed = choice({ "aria-label": "Speed of play" }, [[1100, "slow"], [450, "steady"], [40, "fast"]], 450);
  return el("div.options", {},
    choice({ id: "against", "aria-label": "Who plays", onchange: against },
      [["", "You play both sides"], ["W", "The tables play White"], ["B", "The tables play Black"]]),
    el("label", {}, "Speed ", ui.speed));
}

export function create(root) {
  board = new Board({ onMove: choose, onEdit: (square, remove) => setup.edit(square, remove) });
  beyond = new Beyond({
    onSolved: (fen) => { if (game.fen === fen) refresh(); },
    onChoose: (move) => choose(move),
    onPoint: (path) => board.point(path),
  });
  history = new History(game, jump);
  text = new TextBox({ onFen: start, onGame: take, current: written });
  setup = new Setup({
    onChange: (position) => { board.show(position); text.showFen(formatFen(position)); },
    onDone: (fen) => { endSetup(); start(fen); },
    onCancel: toggleSetup,
  });
  ui.root = root;
  ui.verdict = el("div.verdict", {}, el("i.sign.unknown"), el("div", {}, el("h1", {}, "\u00a0"), el("p.sub", {}, "\u00a0")));
  ui.moves = el("div.moves");
  root.append(
    el("div.board-side", {}, el("div.board-frame", {}, board.svg), toolbar(), setup.element, options(),
      el("p.keys", { "aria-hidden": "true" }, "← → step · space plays out · f flips · s sets up")),
    el("div.panel", {}, ui.verdict, history.note, beyond.element, ui.moves, history.chart,
      el("h2", {}, "The game"), history.list, text.element));
  addEventListener("keydown", key);
}

function key(event) {
  if (ui.root.hidden || event.ctrlKey || event.metaKey || event.altKey) return;
  if (/^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)) return;
  const presses = event.target.tagName === "BUTTON" || event.target.tagName === "SUMMARY"; // space is theirs
  const always = { f: () => board.flip(), s: toggleSetup };
  const playingOn = {
    ArrowLeft: () => stepAlone(-1), ArrowRight: () => stepAlone(1), Home: () => jump(0), End: () => jump(game.length),
    Escape: () => board.cancel(), " ": presses ? undefined : playOut,
  };
  const action = always[event.key] || (setup.active ? undefined : playingOn[event.key]);
  if (!action) return;
  event.preventDefault();
  action();
}

// What the server can do, once it has said so.
export function equip(now) {
  server = now;
  if (info && info.value === null) refresh();
}
