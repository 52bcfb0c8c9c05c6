// explore.js -- the board and everything that is known about the position on it.

import * as api from "./api.js";
import { Board } from "./board.js";
import { distanceChart } from "./chart.js";
import { bytes, count, duration, el, icon, plies, say, toast } from "./dom.js";
import { Game, judge, perfect, reviewed } from "./game.js";
import { boundsKind, boundsText } from "./proof.js";
import { START, formatFen, formatPdn, other, parseFen, pieces, sideName, turnOf } from "./notation.js";

const game = new Game();
let board;               // the drawing
let info = null;         // what the tables say of the position shown; null: not known yet
let state = null;        // of the server
let turn = 0;            // counts positions shown: late answers to older ones are dropped
let playing = false;     // perfect play runs by itself
let opponent = "";       // the side that the tables play: "B", "W" or nobody
let timer = 0;
let setup = null;        // the position under construction
let tool = "b";          // what a click puts there
let thinking = null;     // aborts the analysis under way
const ui = {};           // the parts of the page that change

const PIECES_MAX = 8;    // what tables and solving on demand can hold
const PROVABLE = 16;     // more pieces are not proven in seconds

// ------------------------------------------------------------------- the position --

const wins = (side) => `${sideName[side]} wins`;

// Who wins, from the value for the side to move.
function winner(value, side) {
  return value === "win" ? side : value === "loss" ? other[side] : null;
}

async function refresh(walk) {
  const mine = ++turn, fen = game.fen;
  info = null;
  if (thinking) thinking.abort();
  thinking = null;
  board.point(null);
  ui.fen.value = fen;
  ui.fenError.textContent = "";
  address();
  controls();
  const shown = board.show(fen, walk?.path, walk?.captured);
  const asked = Promise.all([api.moves(fen), api.position(fen)]);
  const waiting = setTimeout(() => { if (mine === turn && !info) ui.verdict.classList.add("pending"); }, 150);
  try {
    const [legal, known] = await asked;
    await shown;
    if (mine !== turn) return;
    info = known;
    board.setLegal(opponent === turnOf(fen) || playing ? [] : legal.moves);
    verdict(fen, legal.moves);
    moveTable(legal.moves);
    history();
    if (known.value === null || (known.dtw === null && known.value !== "draw")) await beyondTables(fen, mine, legal.moves);
    else ui.beyond.replaceChildren();
    if (mine === turn) next(legal.moves);
  } catch (error) {
    if (mine === turn) failed(error);
  } finally {
    clearTimeout(waiting);
    if (mine === turn) ui.verdict.classList.remove("pending");
  }
}

function failed(error) {
  ui.verdict.replaceChildren(el("i.sign.unknown"), el("div", {}, el("h1", {}, "No answer"), el("p.sub", {}, error.message)));
  ui.moves.replaceChildren();
}

// "Black wins in 81 plies; next conversion in 38."
function verdict(fen, legal) {
  const side = turnOf(fen), who = winner(info.value, side);
  let title, sub, kind = info.value === null ? "unknown" : info.value === "draw" ? "draw" : who === "B" ? "black" : "white";
  if (!legal.length) {
    title = wins(other[side]);
    const none = parseFen(fen).at.every((p) => !p || p.toUpperCase() !== side);
    sub = `The game is over: ${sideName[side]} has no ${none ? "pieces" : "move"} left.`;
    kind = other[side] === "B" ? "black" : "white";
  } else if (info.value === null) {
    title = fen === START ? "The start" : "Not in the tables";
    sub = fen === START ? "Black to move. Schaeffer and others proved in 2007 that it is a draw."
      : pieces(parseFen(fen)).all > PIECES_MAX ? `${sideName[side]} to move. The tables hold at most eight pieces.`
      : `${sideName[side]} to move. ${info.missing.replace(/^n/, "N")}.`;
  } else if (info.value === "draw") {
    title = "A draw";
    sub = `${sideName[side]} to move. Neither side can force a win.`;
  } else {
    title = info.dtw !== null ? `${wins(who)} in ${plies(info.dtw)}` : wins(who);
    sub = info.dtc !== null ? (info.dtc === info.dtw ? "No conversion before the end." : `Next conversion in ${plies(info.dtc)}.`)
      : info.dtw === null ? "The distances are not in the tables." : "";
    sub = `${sideName[side]} to move. ${sub}`;
  }
  ui.verdict.className = `verdict ${kind}`;
  ui.verdict.replaceChildren(el(`i.sign.${kind}`, { "aria-hidden": "true" }), el("div", {}, el("h1", {}, title), el("p.sub", {}, sub)));
  say(`${title}. ${sub}`);
}

const valueName = { win: "wins", draw: "draws", loss: "loses" };

function moveTable(legal) {
  const path = new Map(legal.map((m) => [m.move, m]));
  ui.legal = legal;
  if (!legal.length) { ui.moves.replaceChildren(); return; }
  const best = info.moves[0];
  const known = info.moves.some((m) => m.value !== null);
  ui.moves.classList.toggle("bare", !known);
  const rows = info.moves.map((m) => {
    const tie = m.value !== null && m.value === best.value && m.dtw === best.dtw && info.value !== null;
    const row = el(`button.move.${m.value || "unknown"}${tie ? ".best" : ""}`, {
      type: "button", role: "listitem",
      "aria-label": `${m.move}${m.value ? `, ${valueName[m.value]}` : ""}${m.dtw !== null ? ` in ${m.dtw}, conversion in ${m.dtc ?? "unknown"}` : ""}`,
      onclick: () => choose(path.get(m.move)),
      onpointerenter: () => board.point(path.get(m.move).path, m.value || ""),
      onpointerleave: () => board.point(null),
      onfocus: () => board.point(path.get(m.move).path, m.value || ""),
      onblur: () => board.point(null),
    },
    el("span.name", {}, m.move),
    el("span.value", {}, m.value ? valueName[m.value] : ""),
    el("span.num", {}, m.dtw === null ? (m.value === "draw" || !known ? "" : "–") : String(m.dtw)),
    el("span.num.dim", {}, m.dtc === null ? "" : String(m.dtc)));
    return row;
  });
  ui.moves.replaceChildren(
    el("div.move.head", { "aria-hidden": "true" }, el("span", {}, rows.length === 1 ? "1 move" : `${rows.length} moves`), el("span", {}, ""),
      el("span.num", { title: "plies to the end of the game" }, known ? "end" : ""),
      el("span.num", { title: "plies to the next capture or crowning" }, info.moves.some((m) => m.dtc !== null) ? "conv." : "")),
    el("div", { role: "list", "aria-label": "Legal moves, best first" }, rows));
}

// --------------------------------------------------- where the tables do not reach --

async function beyondTables(fen, mine, legal) {
  ui.beyond.replaceChildren();
  if (!legal.length) return;
  const n = pieces(parseFen(fen)).all;
  if (n <= PIECES_MAX) offerSolve(fen, mine);
  if (info.value !== null) return;
  if (state?.proof && await showProof(fen, mine)) return;
  if (mine !== turn) return;
  if (state?.analysis) think(fen, mine);
  if (state?.proof && n <= PROVABLE) offerProof(fen);
}

// What a proof says, if one speaks of this position.
async function showProof(fen, mine) {
  const p = await api.proof(fen), side = turnOf(fen);
  if (mine !== turn || p.class === "not in the tree" || p.class === "unresolved") return false;
  const title = boundsText(p, side), kind = boundsKind(p, side);
  ui.verdict.className = `verdict ${kind}`;
  ui.verdict.replaceChildren(el(`i.sign.${kind}`, { "aria-hidden": "true" }), el("div", {}, el("h1", {}, title),
    el("p.sub", {}, `${sideName[side]} to move. Proven${p.size ? ` here: ${count(p.size)} claims` : ""}. `, el("a", { href: `#proof/${fen}` }, "Walk through the proof"))));
  say(`${title}, proven.`);
  return p.lower === p.upper;
}

function offerProof(fen) {
  const box = el("div.card.quiet", {});
  const again = (text) => box.replaceChildren(el("div.row", {}, el("span.grow", {}, text),
    el("button.chip", { type: "button", id: "prove", onclick: async () => {
      try { followProof((await api.prove(fen, "20s")).id); } catch (error) { again(error.message); }
    } }, "Prove it")));
  const followProof = async (id) => {
    const end = await api.follow(id, (job) => box.replaceChildren(progressBar({ ...job, label: "proving, 20 seconds at most", left: null }, () => api.stopJob(id))));
    if (end.state === "done" && end.label !== "unknown") { if (game.fen === fen) refresh(); return; }
    again(end.state === "failed" ? end.error : end.state === "stopped" ? "Stopped." : "Not proven within 20 seconds.");
  };
  ui.beyond.append(box);
  again("Search for a proof, down into the tables?");
}

async function offerSolve(fen, mine) {
  const box = el("div.card.quiet", {}, el("p", {}, "How much work would it be to solve this ending?"));
  ui.beyond.append(box);
  const running = state?.jobs?.find((j) => j.job === "solve" && j.fen === fen && j.state === "running");
  if (running) { followSolve(box, running.id, fen); return; }
  try {
    const e = await api.estimate(fen);
    if (mine !== turn) return;
    if (!e.fits) {
      box.replaceChildren(el("p", {}, `Solving this ending would take ${bytes(e.bytes)} of memory; ${bytes(e.memory)} are allowed.`));
      return;
    }
    box.replaceChildren(
      el("p", {}, `This ending can be solved here and now: ${count(e.values)} values, ${bytes(e.bytes)} of memory.`),
      el("button.primary", { type: "button", id: "solve", onclick: async () => {
        try { followSolve(box, (await api.solve(fen)).id, fen); } catch (error) { box.replaceChildren(el("p", {}, error.message)); }
      } }, "Solve it"));
  } catch (error) {
    if (mine === turn) box.replaceChildren(el("p", {}, error.message));
  }
}

// A bar with what it counts, and a way to stop.
export function progressBar(job, onStop) {
  const share = job.total ? job.done / job.total : 0;
  return el("div.job", {},
    el("div.bar", { role: "progressbar", "aria-valuenow": Math.round(share * 100), "aria-valuemin": 0, "aria-valuemax": 100, "aria-label": job.job },
      el("i", { style: `width:${(share * 100).toFixed(2)}%` })),
    el("div.row", {},
      el("span", {}, job.state === "waiting" ? "waiting" : job.label || job.state),
      el("span.dim", {}, `${Math.floor(share * 100)} %${job.left !== null ? ` · ${duration(job.left)} left` : ""}`),
      onStop ? el("button.link", { type: "button", onclick: onStop }, "stop") : null));
}

async function followSolve(box, id, fen) {
  const end = await api.follow(id, (job) => box.replaceChildren(progressBar(job, () => api.stopJob(id))));
  if (end.state === "done") {
    if (game.fen === fen) refresh();
  } else {
    box.replaceChildren(el("p", {}, end.state === "stopped" ? "Stopped." : end.error));
  }
}

// The player's opinion, deeper and deeper.
async function think(fen, mine) {
  const box = el("div.card.opinion", {}, el("p.tag", {}, "Opinion, not truth"), el("p", {}, "Thinking …"));
  ui.beyond.prepend(box);
  const abort = new AbortController();
  thinking = abort;
  for (const time of ["300ms", "1s", "3s", "8s"]) {
    try {
      const a = await api.analysis(fen, time, 3, abort.signal);
      if (mine !== turn) return;
      opinion(box, fen, a);
      if (a.lines.length && a.lines.every((l) => l.proven)) return;
    } catch (error) {
      if (error.name !== "AbortError" && mine === turn) box.replaceChildren(el("p.tag", {}, "Opinion"), el("p", {}, error.message));
      return;
    }
  }
}

function scoreText(l) {
  if (l.proven) return `${valueName[l.value]}, proven`;
  const men = l.score / 100;
  return `${men > 0 ? "+" : men < 0 ? "−" : ""}${Math.abs(men).toFixed(2)}`;
}

function opinion(box, fen, a) {
  const certain = a.lines[0]?.proven && a.lines[0].value !== "draw"; // the best move settles it
  box.replaceChildren(
    el(`p.tag${certain ? ".sure" : ""}`, {}, certain ? "Proven by search" : "Opinion, not truth"),
    el("p.dim", {}, `The player looked ${a.depth} plies deep at ${count(a.nodes)} positions. Men ahead, as ${sideName[turnOf(fen)]} sees it:`),
    ...a.lines.map((l) => {
      const move = ui.legal.find((m) => m.move === l.pv[0]);
      return el("button.thought", {
        type: "button", title: `Play ${l.pv[0]}`, onclick: () => choose(move),
        onpointerenter: () => board.point(move.path), onpointerleave: () => board.point(null),
        onfocus: () => board.point(move.path), onblur: () => board.point(null),
      }, el("b", {}, scoreText(l)), el("span", {}, l.pv.slice(0, 12).join(" ")));
    }));
}

// -------------------------------------------------------------------- moving about --

function choose(legal, walked) {
  if (!legal) return;
  stop();
  play(legal, walked === undefined ? legal.path : walked);
}

function play(legal, walk) {
  const fen = game.fen, judged = judge(info, legal.move);
  game.play({ move: legal.move, fen: legal.fen, path: legal.path, captured: legal.captured, ...judged });
  const slip = slipNote(game.last, turnOf(fen));
  if (slip && opponent) toast(slip);
  refresh(walk ? { path: walk, captured: legal.captured } : null);
}

// The wording of the paper: "25-30 wins in 201, but 20-24 allows White 4 additional plies."
function slipNote(ply, side) {
  if (!ply || (!ply.slip && !ply.changes)) return "";
  const best = `${ply.best.move} ${valueName[ply.best.value]}${ply.best.plies !== null && ply.best.value !== "draw" ? ` in ${ply.best.plies}` : ""}`;
  if (ply.changes) return `${best}, but ${ply.move} gives that away.`;
  return ply.best.value === "win" ? `${best}, but ${ply.move} allows ${sideName[other[side]]} ${ply.slip} additional plies.`
    : `${best}, but ${ply.move} spares ${sideName[other[side]]} ${plies(ply.slip)}.`;
}

async function step(by) {
  const from = game.at;
  game.goto(game.at + by);
  if (game.at === from) return;
  let walk = null;
  if (by === 1) {
    const before = game.fenAt(from), ply = game.last;
    const legal = (await api.moves(before)).moves.find((m) => m.move === ply.move);
    if (legal) walk = { path: legal.path, captured: legal.captured };
  }
  await refresh(walk);
}

function jump(i) {
  stop();
  game.goto(i);
  refresh();
}

// After a position is shown: the next move of the line, or the opponent's answer.
function next(legal) {
  clearTimeout(timer);
  if (playing) {
    if (game.at >= game.length) { stop(); return; }
    timer = setTimeout(() => step(1), Number(ui.speed.value));
  } else if (opponent && opponent === turnOf(game.fen) && legal.length && game.at === game.length) {
    timer = setTimeout(() => answer(legal), 350);
  }
}

async function answer(legal) {
  let move = info?.value !== null ? info.moves[0].move : null;
  if (!move && state?.analysis) move = (await api.analysis(game.fen, "1s", 1)).lines[0]?.pv[0];
  const chosen = legal.find((m) => m.move === move);
  if (chosen) play(chosen, chosen.path);
}

async function playOut() {
  if (playing) { stop(); return; }
  if (game.at === game.length) {
    try {
      const line = await api.line(game.fen, info && info.dtw === null && info.value !== "draw" ? "wld" : "dtw");
      if (!line.moves.length) return;
      game.plies.splice(game.at, Infinity, ...line.moves.map(perfect));
    } catch (error) {
      toast(error.message);
      return;
    }
  }
  playing = true;
  controls();
  step(1);
}

function stop() {
  clearTimeout(timer);
  playing = false;
  controls();
}

export function pause() {
  stop();
  if (thinking) thinking.abort();
}

// --------------------------------------------------------------- the game's record --

function history() {
  const list = el("ol.plies", { "aria-label": "The game" });
  let number = 1, black = turnOf(game.start) === "B", row = null;
  game.plies.forEach((p, i) => {
    if (black || !row) {
      row = el("li", {}, el("span.no", {}, `${number}.`));
      if (!black) row.append(el("span.gap", {}, "…"));
      list.append(row);
    }
    const mark = p.changes ? el("sup.bad", {}, "??") : p.slip ? el("sup", {}, `+${p.slip}`) : null;
    row.append(el(`button.ply${i + 1 === game.at ? ".now" : ""}`, {
      type: "button", onclick: () => jump(i + 1), title: slipNote(p, game.turnAt(i)) || null,
      "aria-current": i + 1 === game.at ? "step" : null,
    }, p.move, mark));
    if (!black) number++;
    black = !black;
  });
  ui.history.replaceChildren(game.length ? list : el("p.dim", {}, "No moves yet. Drag a piece, or choose a move from the list."));
  const now = list.querySelector(".now");
  if (now) ui.history.scrollTop = now.offsetTop - ui.history.clientHeight / 2;
  const note = slipNote(game.last, game.at ? game.turnAt(game.at - 1) : "B");
  ui.note.textContent = note;
  ui.note.hidden = !note;
  chart();
}

// How far the last position is from the end; if that has to be asked, the chart is drawn
// again when it is known.
let last = { fen: "", plies: null };
function endOfGame() {
  const fen = game.fenAt(game.length);
  if (last.fen !== fen) {
    last = { fen, plies: null };
    if (game.length > 1) api.position(fen).then((p) => {
      if (p.value === null || p.value === "draw" || last.fen !== fen) return;
      last.plies = p.dtw;
      chart();
    }).catch(() => {});
  }
  return last.plies === null ? null : last;
}

function chart() {
  const points = game.plies.map((p) => p.before && { plies: p.before.value === "draw" ? null : p.before.plies });
  points.push(endOfGame());
  const slips = game.plies.map((p, i) => (p.slip || p.changes ? i : -1)).filter((i) => i >= 0);
  const drawn = game.length > 1 ? distanceChart(points, slips, game.at, (i) => { if (i !== game.at) jump(i); }) : null;
  ui.chart.replaceChildren(...(drawn ? [el("h2", {}, "Plies to the end"), drawn] : []));
}

// The address follows the game: copying it shares what is seen.
function address() {
  let hash = `#/${game.start}`;
  if (game.start === START && !game.length) hash = "#/";
  if (game.length) hash += `/${game.plies.map((p) => p.move).join(",")}`;
  if (game.length && game.at !== game.length) hash += `/${game.at}`;
  if (!document.getElementById("view-explore").hidden && decodeURI(location.hash) !== hash)
    window.history.replaceState(null, "", hash);
  opened = hash.slice(2);
  document.querySelector('nav a[data-view="explore"]').href = hash; // the way back from elsewhere
}

let opened = null;

// Show what an address says.
export async function open(text) {
  if (text === opened && opened !== null) { board.svg.isConnected && refresh(); return; }
  opened = text;
  const [fen = "", moves = "", at] = text.split("/");
  endSetup();
  stop();
  try {
    game.reset(fen ? formatFen(parseFen(fen)) : START);
  } catch (error) {
    game.reset(START);
    toast(`The address does not hold a position: ${error.message}`);
  }
  if (moves) await load(`${game.start} ${moves.replaceAll(",", " ")}`, at === undefined ? undefined : Number(at));
  else await refresh();
}

// ---------------------------------------------------------------- text in and out --

function loadFen() {
  try {
    game.reset(formatFen(parseFen(ui.fen.value)));
  } catch (error) {
    ui.fenError.textContent = error.message;
    return;
  }
  stop();
  refresh();
}

// Games as text: PDN, or moves behind a FEN.
async function load(text, at) {
  ui.pdnError.replaceChildren();
  let read;
  try {
    read = await api.readGame(text);
  } catch (error) {
    ui.pdnError.textContent = error.message;
    return false;
  }
  if (read.error) showPdnError(text, read.error);
  if (read.games.length) {
    pickGame(read.games);
    take(read.games[0], at);
  } else if (!read.error) {
    ui.pdnError.textContent = "No moves found.";
  }
  return !read.error;
}

function showPdnError(text, error) {
  const line = text.split("\n")[error.line - 1] || "";
  ui.pdnError.replaceChildren(
    el("b", {}, `Line ${error.line}, column ${error.column}: `), error.message,
    el("pre", {}, `${line}\n${" ".repeat(error.column - 1)}^`));
  if (ui.pdn.value !== text) return;
  const offset = text.split("\n").slice(0, error.line - 1).reduce((n, l) => n + l.length + 1, 0) + error.column - 1;
  ui.pdn.focus();
  ui.pdn.setSelectionRange(offset, offset + Math.max(1, line.slice(error.column - 1).search(/\s|$/)));
}

function pickGame(games) {
  ui.games.hidden = games.length < 2;
  ui.games.replaceChildren(...games.map((g, i) => el("option", { value: i }, `Game ${i + 1}: ${g.moves.length} plies`)));
  ui.games.onchange = () => take(games[Number(ui.games.value)], 0);
}

function take(read, at) {
  game.reset(read.fen);
  game.plies = read.moves.map(reviewed);
  game.goto(at === undefined ? game.length : at);
  stop();
  refresh();
}

function result() {
  if (game.at === game.length && info && !info.moves.length) return turnOf(game.fen) === "W" ? "1-0" : "0-1";
  return "*";
}

async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
    toast(`${what} copied.`);
  } catch {
    toast("Copying is not allowed here; select the text instead.");
  }
}

// -------------------------------------------------------------- setting a position --

function startSetup() {
  stop();
  turn++;
  if (thinking) thinking.abort();
  setup = parseFen(game.fen);
  board.editing = true;
  board.point(null);
  board.setLegal([]);
  ui.root.classList.add("editing");
  showSetup();
}

function endSetup() {
  if (!setup) return;
  setup = null;
  board.editing = false;
  ui.root.classList.remove("editing");
}

function showSetup() {
  board.show({ turn: setup.turn, at: [...setup.at] });
  ui.fen.value = formatFen(setup);
  for (const b of ui.palette.querySelectorAll("[data-tool]")) b.setAttribute("aria-pressed", b.dataset.tool === tool);
  for (const b of ui.palette.querySelectorAll("[data-turn]")) b.setAttribute("aria-pressed", b.dataset.turn === setup.turn);
  const n = pieces(setup), idle = setup.turn === "B" ? n.w + n.W : n.b + n.B;
  const wrong = n.b + n.B > 12 || n.w + n.W > 12 ? "A side has at most twelve pieces."
    : idle === 0 ? "The side that has just moved needs a piece." : "";
  ui.setupError.textContent = wrong;
  ui.done.disabled = Boolean(wrong);
}

function edit(square, remove) {
  const row = Math.floor((square - 1) / 4);
  let piece = remove || tool === "x" || setup.at[square] === tool ? undefined : tool;
  if ((piece === "b" && row === 7) || (piece === "w" && row === 0)) piece = piece.toUpperCase();
  setup.at[square] = piece;
  showSetup();
}

function palette() {
  const toolButton = (kind, label) => el("button.tool", { type: "button", "data-tool": kind, "aria-label": label, title: label, onclick: () => { tool = kind; showSetup(); } },
    kind === "x" ? icon("M6 6l12 12M18 6 6 18") : el(`i.disc.${kind.toLowerCase() === "b" ? "black" : "white"}${kind === kind.toUpperCase() ? ".king" : ""}`));
  const turnButton = (side) => el("button.chip", { type: "button", "data-turn": side, onclick: () => { setup.turn = side; showSetup(); } }, `${sideName[side]} to move`);
  ui.setupError = el("p.error", { role: "alert" });
  ui.done = el("button.primary", { type: "button", id: "setup-done", onclick: () => {
    game.reset(formatFen(setup));
    endSetup();
    refresh();
  } }, "Done");
  return el("div.palette.card", { role: "group", "aria-label": "Set up a position" },
    el("div.row", {}, toolButton("b", "black man"), toolButton("B", "black king"), toolButton("w", "white man"), toolButton("W", "white king"), toolButton("x", "remove"),
      el("span.grow"), turnButton("B"), turnButton("W")),
    el("div.row", {},
      el("button.chip", { type: "button", id: "setup-clear", onclick: () => { setup.at = []; showSetup(); } }, "Clear"),
      el("button.chip", { type: "button", onclick: () => { setup = parseFen(START); showSetup(); } }, "Start"),
      el("span.grow"),
      el("button.chip", { type: "button", onclick: () => { endSetup(); refresh(); } }, "Cancel"), ui.done),
    ui.setupError);
}

// --------------------------------------------------------------------- the layout --

const ICONS = {
  first: "M18 6l-6 6 6 6M11 6l-6 6 6 6", back: "M15 5l-7 7 7 7", forward: "M9 5l7 7-7 7", last: "M6 6l6 6-6 6M13 6l6 6-6 6",
  play: "M8 5v14l11-7z", pause: "M8 5v14M16 5v14", flip: "M7 4v15M3.5 15.5 7 19l3.5-3.5M17 20V5M13.5 8.5 17 5l3.5 3.5",
  setup: "M4 20h4L19 9l-4-4L4 16zM13 7l4 4", share: "M9 15l6-6M10 6l1.5-1.5a4.2 4.2 0 0 1 6 6L16 12M14 18l-1.5 1.5a4.2 4.2 0 0 1-6-6L8 12", fresh: "M4 4v6h6M4.6 10A8 8 0 1 1 4 14",
};

function tool_button(name, label, onclick, key) {
  return el("button.icon-button", { type: "button", id: `do-${name}`, onclick, "aria-label": label, title: key ? `${label} (${key})` : label }, icon(ICONS[name], name === "play"));
}

function controls() {
  if (!ui.play) return;
  ui.play.replaceChildren(icon(playing ? ICONS.pause : ICONS.play, !playing));
  ui.play.setAttribute("aria-label", playing ? "Pause" : "Play out with perfect moves");
  ui.first.disabled = ui.back.disabled = game.at === 0;
  ui.forward.disabled = ui.last.disabled = game.at === game.length;
}

export function create(root) {
  ui.root = root;
  board = new Board({ onMove: (m, path) => choose(m, path), onEdit: edit });
  ui.first = tool_button("first", "To the start", () => jump(0), "Home");
  ui.back = tool_button("back", "Back", () => { stop(); step(-1); }, "←");
  ui.play = tool_button("play", "Play out with perfect moves", playOut, "space");
  ui.forward = tool_button("forward", "Forward", () => { stop(); step(1); }, "→");
  ui.last = tool_button("last", "To the end", () => jump(game.length), "End");
  ui.verdict = el("div.verdict", {}, el("i.sign.unknown"), el("div", {}, el("h1", {}, "\u00a0"), el("p.sub", {}, "\u00a0")));
  ui.beyond = el("div.beyond");
  ui.moves = el("div.moves");
  ui.note = el("p.note", { hidden: true });
  ui.history = el("div.history", { tabindex: 0, role: "region", "aria-label": "Moves of the game" });
  ui.chart = el("div.chart-box");
  ui.speed = el("select", { "aria-label": "Speed of play" }, el("option", { value: 1100 }, "slow"), el("option", { value: 450, selected: true }, "steady"), el("option", { value: 40 }, "fast"));
  ui.against = el("select", { id: "against", "aria-label": "Who plays", onchange: () => { opponent = ui.against.value; stop(); refresh(); } },
    el("option", { value: "" }, "You play both sides"), el("option", { value: "W" }, "The tables play White"), el("option", { value: "B" }, "The tables play Black"));
  ui.palette = palette();
  root.append(
    el("div.board-side", {},
      el("div.board-frame", {}, board.svg),
      el("div.toolbar", { role: "toolbar", "aria-label": "The game" },
        ui.first, ui.back, ui.play, ui.forward, ui.last, el("span.grow"),
        tool_button("fresh", "New game", () => { game.reset(START); stop(); refresh(); }),
        tool_button("setup", "Set up a position", () => (setup ? (endSetup(), refresh()) : startSetup()), "s"),
        tool_button("flip", "Flip the board", () => board.flip(), "f"),
        tool_button("share", "Copy a link to this", () => copy(location.href, "Link"))),
      ui.palette,
      el("div.options", {}, ui.against, el("label", {}, "Speed ", ui.speed)),
      el("p.keys", { "aria-hidden": "true" }, "← → step · space plays out · f flips · s sets up")),
    el("div.panel", {}, ui.verdict, ui.note, ui.beyond, ui.moves, ui.chart, el("h2", {}, "The game"), ui.history, textBox()));
  addEventListener("keydown", key);
}

function textBox() {
  ui.fen = el("input", { id: "fen", type: "text", spellcheck: "false", autocomplete: "off", "aria-label": "Position as FEN", "aria-describedby": "fen-error",
    onkeydown: (e) => { if (e.key === "Enter") loadFen(); } });
  ui.fenError = el("p.error", { id: "fen-error", role: "alert" });
  ui.pdn = el("textarea", { id: "pdn", rows: 7, spellcheck: "false", "aria-label": "Games as PDN", "aria-describedby": "pdn-error",
    placeholder: "Paste a game in PDN, or moves: 1. 11-15 23-19 2. 8-11 22-17" });
  ui.pdnError = el("div.error", { id: "pdn-error", role: "alert" });
  ui.games = el("select", { hidden: true, "aria-label": "Which game" });
  return el("details.text", { id: "text" }, el("summary", {}, "Position and game as text"),
    el("label.field", { for: "fen" }, "FEN"),
    el("div.row", {}, ui.fen, el("button.chip", { type: "button", id: "fen-load", onclick: loadFen }, "Show"), el("button.chip", { type: "button", onclick: () => copy(game.fen, "FEN") }, "Copy")),
    ui.fenError,
    el("label.field", { for: "pdn" }, "PDN"), ui.pdn, ui.pdnError,
    el("div.row", {},
      el("button.primary", { type: "button", id: "pdn-read", onclick: () => load(ui.pdn.value, 0) }, "Read"),
      el("button.chip", { type: "button", id: "pdn-write", onclick: () => { ui.pdn.value = formatPdn(game.start, game.plies.map((p) => p.move), result()); } }, "Write this game"),
      el("button.chip", { type: "button", onclick: () => copy(formatPdn(game.start, game.plies.map((p) => p.move), result()), "PDN") }, "Copy"), ui.games));
}

function key(event) {
  if (ui.root.hidden || event.ctrlKey || event.metaKey || event.altKey) return;
  if (/^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)) return;
  const onButton = event.target.tagName === "BUTTON" || event.target.tagName === "SUMMARY";
  const actions = {
    ArrowLeft: () => { stop(); step(-1); }, ArrowRight: () => { stop(); step(1); }, Home: () => jump(0), End: () => jump(game.length),
    f: () => board.flip(), s: () => (setup ? (endSetup(), refresh()) : startSetup()), Escape: () => board.cancel(),
    " ": onButton ? null : playOut,
  };
  const action = actions[event.key];
  if (!action || (setup && !["s", "f"].includes(event.key))) return;
  event.preventDefault();
  action();
}

// What the server can do, once it has said so.
export function equip(now) {
  state = now;
  const solving = now.jobs.some((j) => j.state === "running");
  if (info && info.value === null && (now.analysis || solving)) refresh();
}
