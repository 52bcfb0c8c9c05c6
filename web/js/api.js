// api.js -- the questions that the page asks (docs/api.md).

const base = "api/v1/";
export let modern = false; // the server knows the openings

// A public server wants a token for what is expensive: it is asked for once in a tab.
const token = () => sessionStorage.getItem("kelso-token");
const headers = () => (token() ? { Authorization: `Bearer ${token()}` } : {});

async function send(path, options = {}) {
  const response = await fetch(base + path, { ...options, headers: headers() });
  if (response.ok) return response;
  const { error } = await response.json().catch(() => ({ error: { message: `the server answered ${response.status}` } }));
  if (response.status === 401 && options.method && wantToken()) return send(path, options);
  throw Object.assign(new Error(error.message), error, { status: response.status });
}

function wantToken() {
  const said = prompt("This server wants a token for that:");
  if (said) sessionStorage.setItem("kelso-token", said.trim());
  return Boolean(said);
}

const ask = async (path, options) => (await send(path, options)).json();

// Server-sent events over POST: onEvent(name, data) for each, until the end.
async function stream(path, { body, signal }, onEvent) {
  const response = await send(path, { method: "POST", body, signal });
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const parts = (text + value).split("\n\n");
    text = parts.pop();
    for (const part of parts) {
      const data = /^data: ?(.*)$/m.exec(part)?.[1];
      if (data) onEvent(/^event: ?(.*)$/m.exec(part)?.[1] || "message", JSON.parse(data));
    }
  }
}

function query(parameters) {
  // Colons and commas may stand as they are: addresses stay readable.
  return Object.entries(parameters).filter(([, v]) => v !== undefined)
    .map(([k, v]) => `${k}=${encodeURIComponent(v).replace(/%3A/g, ":").replace(/%2C/g, ",")}`)
    .join("&");
}

// What was asked before is not asked again; a value that has gaps is.
function remembering(fetcher, keep = () => true, most = 4000) {
  const known = new Map(); // key -> the promise of its answer
  return (key) => {
    if (known.has(key)) return known.get(key);
    if (known.size >= most) known.clear();
    const asked = fetcher(key), forget = () => { if (known.get(key) === asked) known.delete(key); };
    known.set(key, asked);
    asked.then((answer) => { if (!keep(answer)) forget(); }, forget);
    return asked;
  };
}

export const position = remembering((fen) => ask(`position?${query({ fen })}`),
  (p) => p.value !== null && p.dtw !== undefined && (p.value === "draw" || p.dtw !== null));
export const line = (fen, kind) => ask(`line?${query({ fen, kind })}`);
export const readGame = (text) => ask("game", { method: "POST", body: text });
export const state = async () => { const now = await ask("state"); modern = Boolean(now.openings); return now; };
export const slices = (pieces) => ask(`slices?${query({ pieces })}`);
export const stats = () => ask("stats");
export const statsOf = (slice) => ask(`stats?${query({ slice })}`);
export const histogram = (slice, pages) => ask(`histogram?${query({ slice, pages })}`);
export const longest = (quiet, slice) => ask(`longest?${query({ quiet: quiet ? 1 : 0, slice })}`);
export const shortest = remembering(() => ask("shortest"));
export const estimate = (fen) => ask(`estimate?${query({ fen })}`, { method: "POST" });
export const solve = (fen) => ask(`solve?${query({ fen })}`, { method: "POST" });
export const build = (what) => ask(`build?${query(what)}`, { method: "POST" });
export const job = (id) => ask(`jobs/${id}`);
export const stopJob = (id, key) => ask(`jobs/${id}?${query({ key })}`, { method: "DELETE" });
export const analysis = (fen, time) => ask(`analysis?${query({ fen, time })}`, { method: "POST" });
export const live = (fen, lines, time, body, signal, onEvent) => stream(`live?${query({ fen, lines, time })}`, { body, signal }, onEvent);
export const engineMove = (fen, level, time, body, signal) => ask(`play?${query({ fen, level, time })}`, { method: "POST", body, signal });
export const report = (body, time, signal, onEvent) => stream(`report?${query({ time })}`, { body, signal }, onEvent);
export const openings = remembering(() => ask("openings"));
export const proof = (fen) => ask(`proof?${query({ fen })}`);
export const tree = (fen, nodes) => ask(`tree?${query({ fen, nodes })}`);
export const store = () => ask("store");
export const queue = () => ask("queue");
export const proofs = () => ask("proofs");
export const prove = (fen, time) => ask(`prove?${query({ fen, time })}`, { method: "POST" });

export const text = remembering(async (path) => (await fetch(path)).text());

const seen = () => new Promise((done) => (document.hidden ? document.addEventListener("visibilitychange", done, { once: true }) : done()));

// Follow a job to its end; `tell` is called with each state.  Nothing is asked while nobody looks.
export async function follow(id, tell) {
  for (;;) {
    await seen();
    const now = await job(id);
    tell(now);
    if (now.state !== "waiting" && now.state !== "running") return now;
    await new Promise((done) => setTimeout(done, 250));
  }
}
