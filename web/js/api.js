// api.js -- the questions that the page asks (docs/api.md).

const base = "api/v1/";

async function ask(path, options) {
  const response = await fetch(base + path, options);
  const body = await response.json();
  if (!response.ok) throw Object.assign(new Error(body.error.message), body.error);
  return body;
}

function query(parameters) {
  // Colons and commas may stand as they are: addresses stay readable.
  return Object.entries(parameters).filter(([, v]) => v !== undefined)
    .map(([k, v]) => `${k}=${encodeURIComponent(v).replace(/%3A/g, ":").replace(/%2C/g, ",")}`)
    .join("&");
}

// What was asked before is not asked again; a value that has gaps is.
function remembering(fetcher, keep = () => true, most = 4000) {
  const known = new Map();
  return async (key) => {
    if (known.has(key)) return known.get(key);
    const answer = await fetcher(key);
    if (keep(answer)) {
      if (known.size >= most) known.clear();
      known.set(key, answer);
    }
    return answer;
  };
}

export const moves = remembering((fen) => ask(`moves?${query({ fen })}`));
export const position = remembering((fen) => ask(`position?${query({ fen })}`),
  (p) => p.value !== null && p.dtw !== undefined && (p.value === "draw" || p.dtw !== null));
export const line = (fen, kind) => ask(`line?${query({ fen, kind })}`);
export const readGame = (text) => ask("game", { method: "POST", body: text });
export const state = () => ask("state");
export const slices = (pieces) => ask(`slices?${query({ pieces })}`);
export const stats = () => ask("stats");
export const longest = (quiet, slice) => ask(`longest?${query({ quiet: quiet ? 1 : 0, slice })}`);
export const shortest = remembering(() => ask("shortest"));
export const estimate = (fen) => ask(`solve?${query({ fen })}`);
export const solve = (fen) => ask(`solve?${query({ fen })}`, { method: "POST" });
export const build = (what) => ask(`build?${query(what)}`, { method: "POST" });
export const job = (id) => ask(`jobs/${id}`);
export const stopJob = (id) => ask(`jobs/${id}`, { method: "DELETE" });
export const analysis = (fen, time, lines, signal) =>
  ask(`analysis?${query({ fen, time, lines })}`, { signal });
export const proof = (fen) => ask(`proof?${query({ fen })}`);
export const proofs = () => ask("proofs");
export const prove = (fen, time) => ask(`prove?${query({ fen, time })}`, { method: "POST" });

export const text = remembering(async (path) => (await fetch(path)).text());

// Follow a job to its end; `tell` is called with each state.
export async function follow(id, tell) {
  for (;;) {
    const now = await job(id);
    tell(now);
    if (now.state !== "waiting" && now.state !== "running") return now;
    await new Promise((done) => setTimeout(done, 250));
  }
}
