// kit.mjs -- what the page's tests share: the server, the browser, hands and eyes.
//
// A test is test(name, async (tools) => ...); tools are listed in toolsFor().  Any complaint
// on a page's console fails its test.  Pictures stay in build/page.

import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import assert from "node:assert/strict";

export const binary = process.env.KELSO_BINARY || "build/check/kelso";
const long = Boolean(process.env.KELSO_LONG);
const pictures = "build/page";
const AT_ONCE = 2; // tests that run side by side
const PATIENCE = 180000; // milliseconds until a test gives up: enough for a machine that does much else
const slow = Number(process.env.KELSO_SLOW || 0); // milliseconds that each answer of the server is delayed
const FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage"];
const browserPath = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]
  .find((path) => path && existsSync(path));

export const FIGURE_4 = "B:WK31:BK18,25";
export const FOURTH = "B:W30,K31,K32:BK20,21,K22,K23";
export const START = "B:W21,22,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,11,12";
export { assert };

let builtTables = "";
export const tables = () => builtTables; // the directory of the server's tables, at most four pieces

const tests = [];
export const test = (name, run, options = {}) => tests.push({ name, run, options });

// ----------------------------------------------------------------- hands and eyes --

// The centre of a square on the screen.
export async function square(page, n) {
  const box = await page.locator(".board").boundingBox();
  const row = Math.floor((n - 1) / 4), column = 2 * ((n - 1) % 4) + (row % 2 === 0 ? 1 : 0);
  return { x: box.x + box.width * (column + 0.5) / 8, y: box.y + box.height * (row + 0.5) / 8 };
}

export async function click(page, n) {
  const at = await square(page, n);
  await page.mouse.click(at.x, at.y);
}

export async function dragTo(page, a, b) {
  await page.mouse.move(a.x, a.y);
  await page.mouse.down();
  await page.mouse.move((a.x + b.x) / 2, (a.y + b.y) / 2, { steps: 3 });
  await page.mouse.move(b.x, b.y, { steps: 3 });
  await page.mouse.up();
}

export const drag = async (page, from, to) => dragTo(page, await square(page, from), await square(page, to));

export async function middle(locator) {
  const box = await locator.boundingBox();
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

export const verdict = (page) => page.locator("#view-explore .verdict h1");
export const says = (page, text) => verdict(page).filter({ hasText: text }).waitFor();
export const adds = (page, text) => page.locator(".verdict .sub").filter({ hasText: text }).waitFor();
export const toasts = (page, text) => page.locator(".toast").filter({ hasText: text }).waitFor({ state: "attached" }); // it may be gone again
export const firstMove = (page) => page.locator("button.move").first();
export const fenOf = (page) => page.locator("#fen").inputValue();
export const plies = (page) => page.locator(".ply:not(.var)");
export const openText = (page) => page.locator("#text summary").first().click();

// Wait until a test of the page holds.  waitForFunction would evaluate a string at its second look,
// which the page's policy forbids.
export async function until(page, test, arg) {
  const end = Date.now() + PATIENCE;
  const look = () => page.evaluate(test, arg).catch((e) => { // between two documents there is nothing to ask
    if (!/context|navigation/i.test(e.message)) throw e;
  });
  while (!(await look())) {
    if (Date.now() > end) throw new Error(`waited in vain for ${test} of ${arg}`);
    await page.waitForTimeout(50);
  }
}

export const shows = (page, fen) => until(page, (f) => document.getElementById("fen")?.value === f, fen);

// Games in through the text box, and out again.
export async function readPdn(page, text) {
  if (!(await page.locator("#text[open]").count())) await openText(page);
  await page.locator("#pdn").fill(text);
  await page.locator("#pdn-read").click();
}

export async function writePdn(page) {
  if (!(await page.locator("#text[open]").count())) await openText(page);
  await page.locator("#pdn-write").click();
  return page.locator("#pdn").inputValue();
}

// Colours fade: wait until all is as it will be.
export const still = (page) => page.evaluate(() => Promise.allSettled(document.getAnimations().map((a) => a.finished)).then(() => 0));

// A browser tells a page that it is hidden; here the page is told so by hand.
export async function hide(page, hidden) {
  await page.evaluate((h) => {
    Object.defineProperty(document, "hidden", { configurable: true, get: () => h });
    document.dispatchEvent(new Event("visibilitychange"));
  }, hidden);
}

// `ms`, or more where the machine is so busy that a process gets a part of its time, at this
// moment or in the last minute (busy_seconds of tests/kit/server.h).
export function busy(ms) {
  const used = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1000; };
  const cpu = used(), began = performance.now();
  while (used() - cpu < 50);
  const factor = Math.max((performance.now() - began) / (used() - cpu), loadavg()[0] / cpus().length);
  return ms * (factor < 1.5 ? 1 : 2 * factor);
}

// -------------------------------------------------------------------- the harness --

const page = process.env.KELSO_WEB ? ["--web", process.env.KELSO_WEB] : [];

async function serve(dir, ...more) {
  const child = spawn(binary, ["serve", "--listen", "127.0.0.1:0", "--dir", dir, ...page, ...more], { stdio: ["ignore", "pipe", "inherit"] });
  let said = "";
  for await (const part of child.stdout) {
    said += part;
    const url = /http:\/\/\S+/.exec(said)?.[0];
    if (url) return { url, child };
  }
  throw new Error(`the server said: ${said}`);
}

async function stop(server) {
  const ended = new Promise((done) => server.child.on("exit", (code, signal) => done({ code, signal })));
  server.child.kill("SIGTERM");
  return ended;
}

export async function main(wanted) {
  const chosen = tests.filter((t) => !wanted.length || wanted.some((w) => t.name.includes(w)));
  console.log(`1..${chosen.length}`);
  const skip = (why) => { chosen.forEach((t, i) => console.log(`ok ${i + 1} # SKIP ${t.name}: ${why}`)); };
  if (!browserPath) return skip("there is no Chromium");
  let chromium;
  try { ({ chromium } = await import("playwright-core")); } catch { return skip("playwright-core is not installed (npm ci in tests/web)"); }
  mkdirSync(pictures, { recursive: true });
  const scratch = mkdtempSync(join(tmpdir(), "kelso-page-"));
  const tables = process.env.KELSO_TABLES || join(scratch, "tables");
  if (!process.env.KELSO_TABLES) execFileSync(binary, ["build", "--pieces", "4", "--dir", tables, "--progress", "none"], { stdio: "ignore" });
  builtTables = tables;
  const server = await serve(tables);
  const browser = await chromium.launch({ executablePath: browserPath, args: FLAGS });
  const failed = await runAll(chosen, { browser, server, scratch });
  await browser.close();
  const end = await stop(server);
  if (end.code !== 0) console.log(`# the server ended with ${JSON.stringify(end)}`);
  rmSync(scratch, { recursive: true });
  process.exitCode = failed || end.code !== 0 ? 1 : 0;
}

// A few at a time; those that want the machine for themselves come last, one by one.
async function runAll(chosen, place) {
  const state = await (await fetch(`${place.server.url}api/v1/state`)).json();
  const numbered = chosen.map((t, i) => ({ ...t, number: i + 1 }));
  let failed = 0;
  const take = async (queue) => {
    for (let t = queue.shift(); t; t = queue.shift()) {
      const why = t.options.long && !long ? "takes minutes" : t.options.needs && !state[t.options.needs] ? `the server has no ${t.options.needs}` : "";
      if (why) console.log(`ok ${t.number} # SKIP ${t.name}: ${why}`);
      else failed += await run(t, place);
    }
  };
  const together = numbered.filter((t) => !t.options.alone);
  await Promise.all(Array.from({ length: AT_ONCE }, () => take(together)));
  await take(numbered.filter((t) => t.options.alone));
  return failed;
}

// Go there, and wait until the page has followed.
async function goto(page, url, hash) {
  const [, part] = /^#(\w+)/.exec(hash) || [], view = part || "explore";
  await page.goto(url + hash);
  await page.locator(`nav a[data-view="${view}"][aria-current]`).waitFor({ state: "attached" });
  await page.locator(part ? "#view-other h1" : ".board[aria-label]").first().waitFor();
}

function toolsFor({ number }, { browser, server, scratch }, kept) {
  const page = async (options = {}) => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, permissions: ["clipboard-read", "clipboard-write"], ...options });
    kept.contexts.push(context);
    context.setDefaultTimeout(PATIENCE);
    if (slow) await context.route("**/api/v1/**", async (route) => { await new Promise((done) => setTimeout(done, slow)); await route.continue(); });
    const made = await context.newPage();
    made.on("console", (m) => { if (m.type() === "error" || m.type() === "warning") kept.complaints.push(m.text()); });
    made.on("pageerror", (e) => kept.complaints.push(e.message));
    return made;
  };
  return {
    url: server.url, newPage: page,
    open: (hash, p = kept.first) => goto(p, server.url, hash),
    api: async (path, options) => (await fetch(`${server.url}api/v1/${path}`, options)).json(),
    phone: () => page({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }),
    sideways: () => page({ viewport: { width: 844, height: 390 }, hasTouch: true, isMobile: true }),
    dark: () => page({ colorScheme: "dark" }),
    spare: async (...more) => { const s = await serve(join(scratch, `spare-${number}`), ...more); kept.servers.push(s); return s; },
    spareAt: async (dir, ...more) => { const s = await serve(dir, ...more); kept.servers.push(s); return s; },
    picture: (name, fullPage = false, p = kept.first) => p.screenshot({ path: join(pictures, `${name}.png`), fullPage }),
    scratch,
  };
}

async function run(t, place) {
  const kept = { contexts: [], servers: [], complaints: [], first: null };
  const tools = toolsFor(t, place, kept), began = Date.now();
  let wrong = null;
  try {
    kept.first = tools.page = await tools.newPage();
    await t.run(tools);
    const { complaints } = t.options; // those that are part of the test
    assert.deepEqual(kept.complaints.filter((c) => !complaints?.test(c)), [], "the console has complaints");
  } catch (error) {
    wrong = error;
    await kept.first?.screenshot({ path: join(pictures, `failed-${t.number}.png`) }).catch(() => {});
  }
  for (const c of kept.contexts) await c.close();
  for (const s of kept.servers) await stop(s);
  console.log(`${wrong ? "not ok" : "ok"} ${t.number} - ${t.name} (${((Date.now() - began) / 1000).toFixed(1)} s)`);
  if (wrong && kept.complaints.length) console.log(`# the console says: ${kept.complaints.join("\n# ")}`);
  if (wrong) console.log(`# ${String(wrong.stack || wrong).replaceAll("\n", "\n# ")}`);
  return wrong ? 1 : 0;
}
