// explore.js -- the analyst's desk: the board, the game, and everything that is known about
// the position on it.

import * as api from "./api.js";
import { Board } from "./board.js";
import { calm, copy, count, el, say, toast } from "./dom.js";
import { Hand } from "./hand.js";
import { Library } from "./library.js";
import * as link from "./link.js";
import { MoveList } from "./movelist.js";
import { START, formatFen, other, sideName, turnOf } from "./notation.js";
import { Opponent } from "./opponent.js";
import { Score } from "./score.js";
import { onSetting, set, settings } from "./settings.js";
import { Shelf } from "./shelf.js";
import { TextBox } from "./textbox.js";
import { Toolbar } from "./toolbar.js";
import { Game } from "./tree.js";
import { judge, perfect, reviewed, slipNote, verdictDrawn, verdictOf } from "./words.js";

const PATIENCE = 150; // milliseconds until an answer is late

const library = new Library();
let board, hand, list, score, shelf, text, tools, rival; // the parts, made by create()
let live, beyond, setup, report; // and those that are fetched when they are wanted
let info = null;     // what the tables say of the position shown; null: not known yet
let server = null;   // what it can do
let turn = 0;        // counts positions shown: late answers to older ones are dropped
let playing = false; // the game plays on by itself
let lining = null;   // a line of perfect play is on its way
let thinking = null; // the engine's move is on its way
let timer = 0;
let opened = null;   // what the address said last
let changes = 0;     // counts games put on the board: an address that is read late gives way
let undo = null;     // brings back what was there before New game and the like
const ui = {};       // elements that change
const game = () => library.game;

// ------------------------------------------------------------------- the position --

// Show the position of the game; `walk`, {path, captured}, is the move that led there.
async function refresh(walk) {
  const mine = ++turn, { fen, now } = game(), legal = now.legal();
  info = null;
  cancelThinking();
  live?.halt();
  beyond?.clear();
  board.pointAt(null);
  text.showFen(fen);
  address();
  controls();
  board.last(now.path);
  const mayMove = rival.side === turnOf(fen) || playing || isOver() ? [] : legal;
  const shown = hand.legal === mayMove ? null : board.show(fen, walk?.path, walk?.captured); // the same again: the hand may hold a piece
  hand.setLegal(mayMove);
  if (walk && settings.sound) import("./sound.js").then(({ knocks }) => knocks(walk.path, walk.captured));
  score.show(game());
  shelf.show();
  report?.moved();
  const waiting = setTimeout(() => pend(mine, legal), PATIENCE);
  const known = await api.position(fen).catch((error) => ({ error }));
  await shown;
  await calm();
  clearTimeout(waiting);
  if (mine !== turn) return;
  if (known.error) stranded(fen, legal, known.error);
  else arrive(fen, legal, known);
}

// The answer takes its time: what is known of the last position must not pass for this one.
async function pend(mine, legal) {
  await calm();
  if (mine !== turn || info) return;
  ui.verdict.classList.add("pending");
  if (list.legal !== legal) list.show(legal, null);
}

function arrive(fen, legal, known) {
  info = known;
  const mine = turn;
  const verdict = verdictOf(fen, known, legal), why = game().now.drawn;
  showVerdict(why ? verdictDrawn(why, verdict, isOver()) : verdict);
  list.show(legal, known);
  drawChart();
  const gap = known.value === null || (known.dtw === null && known.value !== "draw");
  if (gap && legal.length && !isOver()) lookBeyond(fen, mine, legal);
  else live?.clear();
  next(legal);
}

// The server does not answer: the game can go on all the same.
function stranded(fen, legal, error) {
  hand.setLegal(legal);
  list.show(legal, null);
  live?.clear();
  showVerdict({ title: "No answer", sub: error.message, kind: "unknown" });
}

function showVerdict({ title, sub, kind, link: way, exact }) {
  ui.verdict.className = "verdict";
  ui.verdict.replaceChildren(
    el(`i.sign.${kind}`, { "aria-hidden": "true" }),
    el("div", {}, el("h1", {}, title, exact ? el("span.exact", { title: `Exact: ${way ? "proven" : "from the tables"}` }, "exact") : null), el("p.sub", {}, sub, " ", way)));
  const { now } = game();
  say(`${now.move ? `${sideName[other[turnOf(now.fen)]]} played ${now.move}. ` : ""}${title}. ${sub}`);
}

// The tables do not know it: a proof might, and the engine has an opinion.
async function lookBeyond(fen, mine, legal) {
  const p = info.value === null && server?.proof ? await api.proof(fen).catch(() => null) : null;
  await calm();
  if (mine !== turn) return;
  if (p && (p.lower !== "loss" || p.upper !== "win")) {
    const side = turnOf(fen), { boundsKind, boundsText } = await import("./bounds.js");
    showVerdict({
      title: boundsText(p, side), kind: boundsKind(p, side), exact: p.lower === p.upper,
      sub: `${sideName[side]} to move. Proven${p.size ? ` here: ${count(p.size)} claims` : ""}.`,
      link: el("a", { href: `#proof/${fen}` }, "Walk through the proof"),
    });
    if (p.lower === p.upper) { live?.clear(); return; }
  }
  await fetchBeyond();
  if (mine !== turn) return;
  if (!rival.side) beyond.show(fen, info, server); // a game that is played goes on by itself
  if (info.value === null && server?.live && rival.side !== turnOf(fen) && !playing) live.show(fen, soFar(), info.moves);
  else live.clear();
}

async function fetchBeyond() {
  if (live) return;
  const [{ Live }, { Beyond }] = await Promise.all([import("./live.js"), import("./beyond.js")]);
  if (live) return;
  live = new Live({ onArrows: (a) => board.arrows(a), onChoose: (m) => choose(m), onPoint: (path) => board.pointAt(path) });
  beyond = new Beyond({ onSolved: (fen) => { if (game().fen === fen) refresh(); }, onShow: showPosition });
  ui.beyond.append(live.element, beyond.element, beyond.elsewhere);
}

// A position of this game, else by itself.
function showPosition(fen) {
  const node = game().find(fen);
  if (node) go(node);
  else newGame(fen);
}

// The game up to here, as the server reads it: repetitions count.
function soFar() {
  return [game().start, ...game().now.line.map((n) => n.move)].join(" ");
}

// The distance to the end along the line that is shown, where the tables know it.
async function drawChart() {
  const mine = turn, line = game().line, at = game().now.depth;
  const points = line.map(({ verdict }) => verdict?.before && { plies: verdict.before.value === "draw" ? null : verdict.before.plies });
  const lost = line.flatMap(({ verdict }, i) => (verdict?.slip || verdict?.changes ? [i] : []));
  points.push(at === line.length && info?.value && info.value !== "draw" ? { plies: info.dtw } : null);
  const wanted = points.filter(Boolean).length > 1 && !report?.active;
  const drawn = wanted ? (await import("./chart.js")).distanceChart(points, lost, at, jump) : null;
  await calm();
  if (mine !== turn) return;
  ui.chart.replaceChildren(...(drawn ? [el("h2", {}, `${settings.unit === "plies" ? "Plies" : "Moves"} to the end`), drawn] : []));
}

// -------------------------------------------------------------------- moving about --

// The player has chosen a move.  `walked`: the piece has been dragged there already.  A list that
// is out of date may offer moves of another position.
function choose(said, walked = false) {
  const legal = game().now.legal().find((m) => m.move === said.move && m.fen === said.fen);
  if (!legal) return;
  if (isOver()) { toast("The game is over. Take back a move, or play both sides to go on."); return; }
  stop();
  play(legal, walked);
}

function play(legal, walked = false) {
  const side = game().turn;
  const fresh = game().play(legal);
  const { now } = game();
  now.verdict ??= judge(info, legal.move);
  if (fresh) library.changed();
  conclude();
  rival.press(game().turn);
  if (info) warn(now, side);
  else judgeLater(now, side);
  refresh(walked ? null : legal);
}

// A slip in a game against the engine is told at once.
function warn({ verdict, move }, side) {
  const slip = rival.side && rival.side !== side && slipNote(verdict, move, side);
  if (slip) toast(slip);
}

// The move was played before the tables had answered.
async function judgeLater(node, side) {
  const known = await api.position(node.parent.fen).catch(() => null);
  await calm();
  node.verdict ??= judge(known, node.move);
  if (!node.verdict || !game().line.includes(node)) return;
  warn(node, side);
  score.show(game());
  drawChart();
}

// A game that is played, against the engine or by it alone, has come to its end.
function isOver() {
  const { now } = game();
  return Boolean((rival.side || playing) && !now.main && (!now.legal().length || now.drawn));
}

// A game against the engine that is played to its end has a result.
function conclude() {
  const { now } = game();
  if (!rival.side || !now.isMain || !isOver() || game().result !== "*") return;
  game().result = now.drawn ? "1/2-1/2" : turnOf(now.fen) === "B" ? "0-1" : "1-0";
}

function go(node) {
  const forward = node.parent === game().now;
  stop();
  rival.rest();
  game().now = node;
  library.changed();
  refresh(forward ? node : null);
}

function step(by) {
  const { now } = game(), to = by > 0 ? now.main : now.parent;
  if (to) go(to);
}

function jump(i) {
  game().goto(i);
  go(game().now);
}

// To the variation above or below, where there is one.
function sideways(by) {
  const { now } = game(), rest = now.parent?.children || [];
  const to = rest[rest.indexOf(now) + by];
  if (to) go(to);
}

// After a position is shown: the next move of the line, or the engine's answer.
function next(legal) {
  clearTimeout(timer);
  const { now } = game();
  if (playing && now.main) timer = setTimeout(() => { game().now = now.main; library.changed(); refresh(now.main); }, Number(tools.speed));
  else if (lining) return;
  else if (isOver()) end(legal);
  else if (playing) engineAnswers(legal, true);
  else if (rival.side === game().turn && legal.length && !now.main) timer = setTimeout(() => engineAnswers(legal, false), 300);
}

// The game that was played is over: the board is there to look on.
function end(legal) {
  stop();
  rival.rest();
  if (!rival.side) hand.setLegal(legal);
}

function cancelThinking() {
  thinking?.abort();
  thinking = null;
}

async function engineAnswers(legal, strong) {
  cancelThinking();
  const mine = turn, abort = thinking = new AbortController();
  rival.ponder(true);
  try {
    const move = await rival.move(game().fen, soFar(), abort.signal, strong);
    const chosen = legal.find((m) => m.move === move);
    if (mine === turn && chosen) play(chosen);
  } catch (error) {
    if (!abort.signal.aborted) { stop(); toast(error.message); }
  }
  if (thinking === abort || !thinking) rival.ponder(false);
}

async function hint() {
  const mine = turn;
  try {
    const known = info ?? await api.position(game().fen);
    if (mine !== turn) return;
    if (known.value) { point(known.moves[0].move, "from the tables"); return; }
    const move = await rival.move(game().fen, soFar(), undefined, true);
    if (mine === turn) point(move, "the engine's choice");
  } catch (error) {
    toast(error.message);
  }
}

function point(move, whose) {
  board.pointAt(game().now.legal().find((m) => m.move === move)?.path);
  toast(`Try ${move}, ${whose}.`);
}

// Back to where the visitor was to move.  Moves at the end of the game are gone, as on a real
// board; within it nothing is lost.
function takeBack() {
  const { now, result } = game();
  let to = now, first = null;
  do { first = to; to = to.parent ?? to; } while (to.parent && turnOf(to.fen) === rival.side);
  if (to === now) return;
  if (!now.main) {
    const putBack = game().remove(first);
    game().result = "*";
    toast("Taken back.", { text: "Undo", onclick: () => { putBack(); game().result = result; go(now); } });
  }
  go(to);
}

// The rest of the game, then perfect play from the tables, else the engine for both sides.
async function playOut() {
  if (playing) { stop(); refresh(); return; }
  const { now } = game();
  if (!now.main && now.drawn) toast(`A draw: ${now.drawn}.`);
  if (!now.legal().length || (!now.main && now.drawn)) return;
  playing = true;
  live?.clear();
  controls();
  if (!now.main) await perfectLine(now);
  if (playing && game().now === now) next(now.legal());
}

async function perfectLine(from) {
  const mine = lining = {};
  try {
    const known = info ?? await api.position(from.fen);
    if (!known.value) return;
    const line = await api.line(from.fen, known.dtw === null && known.value !== "draw" ? "wld" : "dtw");
    let node = from;
    for (const m of line.moves) {
      node = node.grow(node.legal().find((l) => l.move === m.move));
      node.verdict = perfect(m);
    }
    library.changed();
  } catch (error) {
    toast(error.message);
  } finally {
    if (lining === mine) lining = null;
  }
}

function stop() {
  clearTimeout(timer);
  cancelThinking();
  playing = false;
  lining = null;
  controls();
}

// Another part of the explorer is shown.
export function pause() {
  stop();
  rival.rest();
  beyond?.clear();
  live?.clear();
}

// --------------------------------------------------------------- games in and out --

// What is on the board gives way; it can be had back.
function replace(what, change) {
  const back = library.snapshot();
  changes++;
  stop();
  endSetup();
  change();
  undo = () => { back(); undo = null; settle(); };
  if (what) toast(what, { text: "Undo", onclick: () => undo?.() });
  settle();
}

function settle() {
  report?.close();
  rival.wind();
  library.changed();
  refresh();
  if (game().report) recallReport();
}

function newGame(fen = START, moves = []) {
  const made = new Game(fen), worth = game().touched && !game().isEmpty;
  for (const move of moves) made.now = made.now.grow(made.now.legal().find((m) => m.move === move));
  replace(worth ? "New game. The old one is in the list." : game().isEmpty ? "" : "New game.", () => library.add(made));
}

function takeGames(games) {
  replace(library.game.touched ? "Read." : "", () => library.addAll(games));
  review(game());
}

// What the tables say of each move of the main line.
async function review(which) {
  const line = which.mainLine;
  if (!line.length) return;
  try {
    const { games } = await api.readGame([which.start, ...line.map((n) => n.move)].join(" "));
    games[0]?.moves.forEach((m, i) => { if (line[i]) line[i].verdict = reviewed(m); });
    await calm();
    if (which === game()) { score.show(which); drawChart(); }
  } catch { /* without the tables' word the game is there all the same */ }
}

// The address follows the game: copying it shares what is seen.
async function address() {
  const mine = turn, hash = await link.write(game());
  if (mine !== turn) return;
  if (!ui.root.hidden && decodeURI(location.hash) !== hash) {
    window.history.replaceState(null, "", hash);
    library.changed(); // games are kept under their address
  }
  opened = hash.slice(2);
  document.querySelector('nav a[data-view="explore"]').href = hash; // the way back from elsewhere
}

// Show what an address says: the first time it may be what was kept.
export async function open(said) {
  if (said === opened) { refresh(); return; }
  const first = opened === null, mine = ++changes;
  opened = said;
  endSetup();
  const kept = first ? await library.restore() : null;
  if (mine !== changes) { library.changed(); shelf.show(); return; } // the visitor was faster
  if (kept && (!said || decodeURI(kept.hash || "").slice(2) === said)) { settle(); review(game()); return; }
  const read = await link.read(said, toast);
  if (mine !== changes) return;
  stop();
  library.add(read);
  settle();
  review(read);
}

// -------------------------------------------------------------- setting a position --

async function toggleSetup() {
  if (setup?.active) { endSetup(); refresh(); return; }
  stop();
  turn++; // answers under way are for nobody
  live?.clear();
  beyond?.clear();
  board.pointAt(null);
  board.last(null);
  hand.active = false;
  hand.setLegal([]);
  ui.root.classList.add("editing");
  for (const part of ui.panel.children) part.inert = part !== text.element && part !== ui.setup;
  if (!setup) await fetchSetup();
  setup.start(game().fen);
}

async function fetchSetup() {
  const { Setup } = await import("./setup.js");
  setup = new Setup(board, {
    onChange: (position) => { board.show(position); text.showFen(formatFen(position)); },
    onDone: (fen) => { endSetup(); if (fen === game().fen) refresh(); else newGame(fen); },
    onCancel: toggleSetup, onFlip: flip,
  });
  ui.setup.append(setup.element);
}

function endSetup() {
  setup?.end();
  hand.active = true;
  ui.root.classList.remove("editing");
  for (const part of ui.panel.children) part.inert = false;
}

// --------------------------------------------------------------------- the layout --

function controls() {
  tools.show({ playing, atStart: !game().now.parent, atEnd: !game().now.main });
}

function orient() {
  board.orient(settings.below === "B", settings.coordinates);
  hand.show();
}

const flip = () => set("below", other[settings.below]);

function refuse() {
  if (game().now.legal()[0]?.captured.length) toast(`You must jump: ${game().now.legal().map((m) => m.move).join(" or ")}.`);
}

async function fetchReport() {
  const { Report } = await import("./report.js");
  report ??= new Report({ onGo: go, onChange: () => { score.show(game()); library.changed(); }, onClose: drawChart });
  ui.report.replaceChildren(report.element);
  ui.chart.replaceChildren();
}

async function openReport() {
  await fetchReport();
  report.run(game());
}

async function recallReport() {
  const which = game();
  await fetchReport();
  if (which === game()) report.recall(which);
}

async function openBallots() {
  const { open: show } = await import("./openings.js");
  show((moves) => newGame(START, moves));
}

function flagFalls(side) {
  stop();
  game().result = side === "B" ? "0-1" : "1-0";
  toast(`${sideName[side]}'s time is up: ${sideName[other[side]]} wins.`);
  library.changed();
}

function makeParts() {
  board = new Board();
  hand = new Hand(board, { onMove: choose, onRefuse: refuse });
  list = new MoveList({ onChoose: (m) => choose(m), onPoint: (path) => board.pointAt(path) });
  score = new Score({ onGo: go, onChange: () => { library.changed(); address(); shelf.show(); } });
  text = new TextBox({ library, onFen: (fen) => newGame(fen), onGames: takeGames });
  shelf = new Shelf({
    library, onChoose: (i) => { stop(); library.choose(i); settle(); review(game()); }, onOpen: () => text.openFile(), onSave: () => text.saveFile(),
    onRemove: () => replace("The game was taken off the list.", () => library.remove(library.index)), onReport: openReport, onBallots: openBallots,
    onChange: () => { library.changed(); address(); },
  });
  rival = new Opponent({ onChange: () => { stop(); refresh(); }, onTakeBack: takeBack, onHint: hint, onFlag: flagFalls });
  tools = new Toolbar({
    first: () => jump(0), back: () => step(-1), play: playOut, forward: () => step(1), last: () => jump(Infinity),
    fresh: () => newGame(), setup: toggleSetup, flip, share: async () => { await address(); copy(location.href, "Link"); },
  });
}

export function create(root) {
  ui.root = root;
  makeParts();
  ui.verdict = el("div.verdict", {}, el("i.sign.unknown"), el("div", {}, el("h1", {}, "\u00a0"), el("p.sub", {}, "\u00a0")));
  ui.chart = el("div.chart-box");
  ui.report = el("div");
  ui.setup = el("div.setting-up");
  ui.beyond = el("div");
  ui.panel = el("div.panel", {}, ui.setup, ui.verdict, score.note, ui.beyond, list.element, ui.report, ui.chart,
    shelf.element, score.list, score.editor, text.element);
  root.append(
    el("div.board-side", {}, el("div.board-frame", {}, board.svg), tools.element, rival.element,
      el("p.sr", { id: "board-help" }, "Arrow keys go over the squares, Enter chooses a piece and where it lands.")), ui.panel);
  orient();
  addEventListener("keydown", key);
  onSetting((name) => {
    if (name === "below" || name === "coordinates") orient();
    if (name === "unit") refresh();
  });
}

function key(event) {
  if (ui.root.hidden || event.altKey || document.querySelector("dialog[open]")) return;
  if (/^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)) return;
  if (event.ctrlKey || event.metaKey) {
    if (event.key === "z" && undo) { event.preventDefault(); undo(); }
    return;
  }
  const presses = event.target.tagName === "BUTTON" || event.target.tagName === "SUMMARY"; // space is theirs
  const always = { f: flip, s: toggleSetup, "?": () => import("./glossary.js").then((g) => g.open()) };
  const playingOn = {
    ArrowLeft: () => step(-1), ArrowRight: () => step(1), ArrowUp: () => sideways(-1), ArrowDown: () => sideways(1),
    Home: () => jump(0), End: () => jump(Infinity), Escape: () => hand.cancel(), " ": presses ? undefined : playOut,
    e: () => live?.turn(!settings.engine), t: () => live?.showThreat(!live.threat), h: hint, n: () => newGame(),
  };
  const action = always[event.key] || (setup?.active ? { Escape: toggleSetup }[event.key] : playingOn[event.key]);
  if (!action) return;
  event.preventDefault();
  action();
}

// What the server can do, once it has said so.
export function equip(now) {
  server = now;
  shelf.show();
  if (info && info.value === null) refresh();
}
