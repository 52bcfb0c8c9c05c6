// Tests of the page in a real browser: playwright-core drives the system's Chromium.
//
//   node tests/web/page.test.mjs [NAME...]
//
// KELSO_BINARY is the program (build/check/kelso), CHROMIUM the browser, KELSO_LONG asks
// for what takes minutes.  Answers in TAP.  Pictures stay in build/page.

import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import assert from "node:assert/strict";

const binary = process.env.KELSO_BINARY || "build/check/kelso";
const long = Boolean(process.env.KELSO_LONG);
const pictures = "build/page";
const browserPath = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]
  .find((path) => path && existsSync(path));
const tests = [];
const test = (name, run, options = {}) => tests.push({ name, run, options });

const FIGURE_4 = "B:WK31:BK18,25";
const FOURTH = "B:W30,K31,K32:BK20,21,K22,K23";
const START = "B:W21,22,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,11,12";

// ------------------------------------------------------------------- the server --

async function serve(dir, ...more) {
  const child = spawn(binary, ["serve", "--listen", "127.0.0.1:0", "--dir", dir, ...more], { stdio: ["ignore", "pipe", "inherit"] });
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

// --------------------------------------------------------------------- the page --

// The centre of a square on the screen.
async function square(page, n) {
  const box = await page.locator(".board").boundingBox();
  const row = Math.floor((n - 1) / 4), column = 2 * ((n - 1) % 4) + (row % 2 === 0 ? 1 : 0);
  return { x: box.x + box.width * (column + 0.5) / 8, y: box.y + box.height * (row + 0.5) / 8 };
}

async function click(page, n) {
  const at = await square(page, n);
  await page.mouse.click(at.x, at.y);
}

async function drag(page, from, to) {
  const a = await square(page, from), b = await square(page, to);
  await page.mouse.move(a.x, a.y);
  await page.mouse.down();
  await page.mouse.move((a.x + b.x) / 2, (a.y + b.y) / 2, { steps: 4 });
  await page.mouse.move(b.x, b.y, { steps: 4 });
  await page.mouse.up();
}

const verdict = (page) => page.locator(".verdict h1");
const says = (page, text) => verdict(page).filter({ hasText: text }).waitFor({ timeout: 20000 });
const firstMove = (page) => page.locator("button.move").first();
const fenOf = (page) => page.locator("#fen").inputValue();

async function shows(page, fen) {
  await page.waitForFunction((f) => document.getElementById("fen").value === f, fen, { timeout: 20000 });
}

const openText = (page) => page.locator("#text summary").click();

test("Figure 4: 18-23 comes first, with its distances", async ({ page, open }) => {
  await open(`#/B:WK31:B25,K18`);
  await says(page, "Black wins in 3 plies");
  assert.match(await firstMove(page).innerText(), /18-23\s+wins\s+3\s+3/);
  assert.match(await page.locator(".verdict .sub").innerText(), /Next conversion in 1 ply/);
  assert.equal(await page.locator("button.move").count(), 6);
});

test("play a move by dragging, by clicking, from the list; undo and redo", async ({ page, open }) => {
  await open(`#/${FIGURE_4}`);
  await says(page, "Black wins in 3");
  await drag(page, 18, 23);
  await shows(page, "W:WK31:BK23,25");
  await says(page, "Black wins in 2");
  await click(page, 31);
  await page.locator(".marks .target").first().waitFor();
  assert.equal(await page.locator(".marks .target").count(), 2);
  await click(page, 26);
  await shows(page, "B:WK26:BK23,25");
  await page.locator("button.move", { hasText: "23x30" }).click();
  await page.locator(".verdict .sub").filter({ hasText: "White has no pieces left" }).waitFor();
  await page.keyboard.press("ArrowLeft");
  await shows(page, "B:WK26:BK23,25");
  await page.keyboard.press("Home");
  await shows(page, FIGURE_4);
  await page.keyboard.press("End");
  await shows(page, "W:W:B25,K30");
  assert.equal(await page.locator(".ply").count(), 3);
});

test("a drop on a square that is no target puts the piece back", async ({ page, open }) => {
  await open(`#/${FIGURE_4}`);
  await says(page, "Black wins in 3");
  await drag(page, 18, 20);
  await page.waitForTimeout(300);
  assert.equal(await fenOf(page), FIGURE_4);
  assert.equal(await page.locator(".piece.held").count(), 0);
});

test("a capture of three is taken jump by jump", async ({ page, open }) => {
  await open("#/B:W6,14,22,32:B1");
  await page.locator(".marks .must").waitFor();
  await click(page, 1);
  await click(page, 10);
  assert.equal(await page.locator(".piece.taken").count(), 1);
  await click(page, 17);
  assert.equal(await page.locator(".piece.taken").count(), 2);
  assert.equal(await fenOf(page), "B:W6,14,22,32:B1");
  await click(page, 26);
  await shows(page, "W:W32:B26");
});

test("set up Figure 4 with the palette", async ({ page, open, picture }) => {
  await open("#/");
  await page.locator("#do-setup").click();
  await page.locator("#setup-clear").click();
  await page.locator('[data-tool="B"]').click();
  await click(page, 18);
  await page.locator('[data-tool="b"]').click();
  await click(page, 25);
  await click(page, 26);
  await page.locator('[data-tool="x"]').click();
  await click(page, 26);
  await page.locator('[data-tool="W"]').click();
  await click(page, 31);
  await picture("setup");
  await page.locator('[data-turn="B"]').click();
  await page.locator("#setup-done").click();
  await says(page, "Black wins in 3 plies");
  assert.match(await firstMove(page).innerText(), /18-23/);
});

test("follow Fourth Position to the end", async ({ page, open, picture }) => {
  await open("#gallery");
  await page.locator(".pic", { hasText: "Fourth Position" }).locator("a", { hasText: "Walk through" }).click();
  await page.locator(".ply").nth(80).waitFor();
  assert.equal(await page.locator(".ply").count(), 81);
  await shows(page, FOURTH);
  for (let i = 0; i < 3; i++) {
    await page.keyboard.press("ArrowRight");
    await page.locator(`.ply.now`).nth(0).waitFor();
  }
  await page.keyboard.press("End");
  await says(page, "Black wins");
  assert.match(await page.locator(".verdict .sub").innerText(), /The game is over/);
  await picture("fourth-position");
});

test("solve Fourth Position on the board and watch it won in 81", async ({ page, open, picture }) => {
  await open(`#/${FOURTH}`);
  await page.locator("#solve").click({ timeout: 60000 });
  await page.locator('[role="progressbar"]').waitFor();
  await verdict(page).filter({ hasText: "Black wins in 81 plies" }).waitFor({ timeout: 600000 });
  await page.locator("select[aria-label='Speed of play']").selectOption({ label: "fast" });
  await page.locator("#do-play").click();
  await page.locator(".ply").nth(80).waitFor();
  await page.locator(".verdict .sub").filter({ hasText: "The game is over" }).waitFor({ timeout: 120000 });
  await picture("fourth-position-solved");
}, { long: true });

test("an ending that no table has is solved on the board, with progress", async ({ page, open }) => {
  await open("#/B:WK32,K31:BK1,K2,3");
  await says(page, "Not in the tables");
  await page.locator("#solve").click({ timeout: 30000 });
  await verdict(page).filter({ hasText: /Black wins in \d+ plies|A draw/ }).waitFor({ timeout: 60000 });
  assert.ok(await page.locator("button.move").count() > 3);
});

test("a game with an error shows line and column", async ({ page, open, picture }) => {
  await open("#/");
  await openText(page);
  await page.locator("#pdn").fill('[Event "x"]\n\n1. 11-15 22-18 2. 15x22\n25-18 3. 8-11 29-24 *\n');
  await page.locator("#pdn-read").click();
  const error = page.locator("#pdn-error");
  await error.filter({ hasText: "Line 4, column 15" }).waitFor();
  await picture("pdn-error");
  await page.locator("#fen").fill("B:WK31:B25,K18x");
  await page.locator("#fen").press("Enter");
  await page.locator("#fen-error").filter({ hasText: "column 15" }).waitFor();
});

test("a game goes in as PDN and comes out again", async ({ page, open }) => {
  await open("#/");
  await openText(page);
  await page.locator("#pdn").fill(`[Event "x"]\n[SetUp "1"]\n[FEN "${FIGURE_4}"]\n\n1. 18-22 {not best} 31-27 2. 22-26 *\n`);
  await page.locator("#pdn-read").click();
  await page.locator(".ply").nth(2).waitFor();
  await shows(page, FIGURE_4);
  assert.match(await page.locator(".ply").first().innerText(), /18-22\s*\+22/);
  await page.keyboard.press("Escape");
  await page.locator("#do-forward").click();
  await page.locator(".note").filter({ hasText: "18-23 wins in 3, but 18-22 allows White 22 additional plies." }).waitFor();
  await page.locator(".chart").waitFor();
  await page.locator("#pdn-write").click();
  const text = await page.locator("#pdn").inputValue();
  assert.ok(text.includes(`[FEN "${FIGURE_4}"]`) && text.includes("1. 18-22 31-27 2. 22-26 *"), text);
});

test("a link shares position, game and place", async ({ page, open, url }) => {
  await open(`#/${FIGURE_4}`);
  await says(page, "Black wins in 3");
  await drag(page, 18, 23);
  await says(page, "Black wins in 2");
  await page.locator("button.move").first().click();
  await page.locator(".ply").nth(1).waitFor();
  await page.keyboard.press("ArrowLeft");
  await shows(page, "W:WK31:BK23,25");
  const link = page.url();
  await page.goto("about:blank");
  await page.goto(link);
  await page.locator(".ply").nth(1).waitFor();
  await shows(page, "W:WK31:BK23,25");
  assert.equal(await page.locator(".ply").count(), 2);
  assert.ok(link.startsWith(`${url}#/${FIGURE_4}/18-23,`), link);
});

test("perfect play runs by itself and can be paused", async ({ page, open, picture }) => {
  await open("#/B:WK32:B5,9");
  await says(page, "wins in");
  await page.locator("select[aria-label='Speed of play']").selectOption({ label: "fast" });
  await page.locator("#do-play").click();
  await page.locator(".ply").first().waitFor();
  await page.locator("#do-play").click();
  const at = await page.evaluate(() => location.hash);
  await page.waitForTimeout(400);
  assert.equal(await page.evaluate(() => location.hash), at);
  await page.locator("#do-play").click();
  await page.locator(".verdict .sub").filter({ hasText: "The game is over" }).waitFor({ timeout: 60000 });
  await page.locator(".chart .line").waitFor();
  await picture("played-out");
});

test("against the perfect defender each slip is told", async ({ page, open }) => {
  await open(`#/${FIGURE_4}`);
  await says(page, "Black wins in 3");
  await page.locator("#against").selectOption("W");
  await says(page, "Black wins in 3");
  await page.locator("button.move", { hasText: "18-22" }).click();
  await page.locator(".toast").filter({ hasText: "22 additional plies" }).waitFor();
  await page.locator(".ply").nth(1).waitFor();
  assert.equal((await fenOf(page))[0], "B");
});

test("the start of the game: an opinion, marked as one", async ({ page, open, picture }) => {
  await open("#/");
  await says(page, "The start");
  await page.locator(".opinion .tag").filter({ hasText: "Opinion, not truth" }).waitFor();
  await page.locator(".thought").first().waitFor({ timeout: 20000 });
  await picture("start");
});

test("a position is proven on the board, and the proof can be walked through", async ({ page, open, picture }) => {
  await open("#/W:W20,24,28:B8,11,12");
  await says(page, "Not in the tables");
  await page.locator("#prove").click();
  await says(page, "White wins");
  await page.locator(".verdict a", { hasText: "Walk through the proof" }).click();
  await page.locator(".proof-node h1").filter({ hasText: "White wins" }).waitFor();
  await page.locator(".proof-node td button").first().click();
  await page.locator(".trail b").filter({ hasNotText: "root" }).waitFor();
  await page.locator(".proof-node h1").filter({ hasText: "White wins" }).waitFor();
  await picture("proof");
  await page.locator(".trail a").click();
  await page.locator(".pic").filter({ hasText: "White wins" }).waitFor();
});

test("hovering over a move shows it on the board", async ({ page, open }) => {
  await open(`#/${FIGURE_4}`);
  await says(page, "Black wins in 3");
  await firstMove(page).hover();
  await page.locator(".arrow").waitFor();
});

test("keys: flip, and the list of moves by Tab and Enter", async ({ page, open }) => {
  await open(`#/${FIGURE_4}`);
  await says(page, "Black wins in 3");
  const before = await page.locator(".number").first().getAttribute("y");
  await page.keyboard.press("f");
  assert.notEqual(await page.locator(".number").first().getAttribute("y"), before);
  await firstMove(page).focus();
  await page.locator(".arrow").waitFor();
  await page.keyboard.press("Enter");
  await shows(page, "W:WK31:BK23,25");
});

test("gallery: Table 2 with what was found beside it", async ({ page, open, picture }) => {
  await open("#gallery");
  const row = page.locator("tr", { hasText: "2K v 1K" }).first();
  await row.waitFor();
  assert.match(await row.innerText(), /33\/34\s+33\/34\s+✓/);
  await page.locator(".pic", { hasText: "Figure 4" }).filter({ hasText: "Black wins in 3 plies ✓" }).waitFor();
  assert.equal(await page.locator(".list li").count(), 19);
  await picture("gallery", true);
});

test("the 247 shortest games, by their 32 final positions", async ({ page, open, picture }) => {
  await open("#shortest");
  await page.locator(".pic").nth(31).waitFor();
  assert.equal(await page.locator(".pic").count(), 32);
  let games = 0;
  for (const caption of await page.locator(".pic .cap").allInnerTexts()) games += Number(/· (\d+)/.exec(caption)[1]);
  assert.equal(games, 247);
  await page.locator(".pic").nth(13).click();
  await picture("shortest", true);
  await page.locator(".list a").first().click();
  await page.locator(".ply").nth(19).waitFor();
  await page.keyboard.press("End");
  await says(page, "White wins");
  assert.match(await page.locator(".verdict .sub").innerText(), /Black has no move left/);
});

test("tables: a build that is started here shows up", async ({ page, spare, picture }) => {
  const here = await spare();
  await page.goto(`${here.url}#tables`);
  await page.locator(".fact b").first().filter({ hasText: "0" }).waitFor();
  await page.locator("#build-pieces").selectOption("3");
  await page.locator("#build-start").click();
  await page.locator("tr", { hasText: "2K-1K" }).waitFor({ timeout: 30000 });
  await page.locator(".fact b").first().filter({ hasText: "9" }).waitFor({ timeout: 10000 });
  await picture("tables", true);
});

test("phone: touch plays, nothing sticks out", async ({ open, phone, picture }) => {
  const page = await phone();
  await open(`#/${FIGURE_4}`, page);
  await says(page, "Black wins in 3");
  const at = await square(page, 18), to = await square(page, 23);
  await page.touchscreen.tap(at.x, at.y);
  await page.touchscreen.tap(to.x, to.y);
  await shows(page, "W:WK31:BK23,25");
  for (const view of [`#/${FIGURE_4}`, "#gallery", "#shortest", "#tables", "#proof"]) {
    await open(view, page);
    await page.waitForTimeout(250);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(wide <= 0, `${view} is ${wide} pixels too wide`);
    await picture(`phone-${view.replace(/\W.*$/, "") || view.replace(/\W+/g, "").slice(0, 8)}`, false, page);
  }
});

test("dark: by the system's wish and by the button", async ({ open, dark, picture }) => {
  const page = await dark();
  await open(`#/${FIGURE_4}`, page);
  await says(page, "Black wins in 3");
  const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  assert.equal(await paper(), "rgb(22, 25, 21)");
  await picture("dark", false, page);
  await page.locator("#theme").click();
  assert.equal(await paper(), "rgb(250, 248, 243)");
});

test("everything one can press has a name; text has contrast", async ({ page, open }) => {
  for (const view of [`#/${FIGURE_4}`, "#gallery", "#shortest", "#tables"]) {
    await open(view);
    await page.waitForTimeout(400);
    const nameless = await page.evaluate(() => [...document.querySelectorAll("button, a, select, input, textarea, [role=img]")]
      .filter((e) => e.checkVisibility() && !(e.getAttribute("aria-label") ?? e.textContent.trim()) && !e.labels?.length).map((e) => e.outerHTML.slice(0, 80)));
    assert.deepEqual(nameless, []);
    assert.equal(await page.locator("h1:visible").count(), 1);
  }
  const ratios = await page.evaluate(() => {
    const lum = (c) => { const [r, g, b] = c.match(/[\d.]+/g).map((v) => { v /= 255; return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; }); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
    const probe = document.body.appendChild(document.createElement("i"));
    const colour = (name) => { probe.style.color = `var(--${name})`; return getComputedStyle(probe).color; };
    const out = {};
    for (const theme of ["light", "dark"]) {
      document.documentElement.dataset.theme = theme;
      for (const [ink, paper] of [["ink", "paper"], ["soft", "paper"], ["soft", "wash"], ["win", "card"], ["loss", "card"], ["draw", "card"], ["amber", "card"], ["accent-ink", "accent"], ["accent", "paper"]]) {
        const [a, b] = [lum(colour(ink)), lum(colour(paper))];
        out[`${theme} ${ink} on ${paper}`] = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
      }
    }
    return out;
  });
  for (const [pair, ratio] of Object.entries(ratios)) assert.ok(ratio >= 4.5, `${pair}: ${ratio.toFixed(2)}`);
});

test("the first paint takes less than 100 kB", async ({ page, open }) => {
  await open(`#/${FIGURE_4}`);
  await says(page, "Black wins in 3");
  const sent = await page.evaluate(() => performance.getEntriesByType("resource").concat(performance.getEntriesByType("navigation"))
    .reduce((n, e) => n + e.transferSize, 0));
  console.log(`# ${sent} bytes`);
  assert.ok(sent > 5000 && sent < 100000, String(sent));
});

// -------------------------------------------------------------------- the harness --

async function main() {
  const wanted = process.argv.slice(2);
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
  const server = await serve(tables);
  const browser = await chromium.launch({ executablePath: browserPath, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
  let failed = 0;
  for (const [i, t] of chosen.entries()) {
    if (t.options.long && !long) { console.log(`ok ${i + 1} # SKIP ${t.name}: takes minutes`); continue; }
    failed += await run(t, i + 1, { browser, server, scratch });
  }
  await browser.close();
  const end = await stop(server);
  if (end.code !== 0) { console.log(`# the server ended with ${JSON.stringify(end)}`); failed++; }
  rmSync(scratch, { recursive: true });
  process.exitCode = failed ? 1 : 0;
}

async function run(t, number, { browser, server, scratch }) {
  const contexts = [], servers = [], complaints = [];
  const page = async (options) => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, ...options });
    contexts.push(context);
    const made = await context.newPage();
    made.on("console", (m) => { if (m.type() === "error" || m.type() === "warning") complaints.push(m.text()); });
    made.on("pageerror", (e) => complaints.push(e.message));
    return made;
  };
  const first = await page({});
  const tools = {
    page: first, url: server.url,
    open: (hash, p = first) => p.goto(server.url + hash),
    phone: () => page({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }),
    dark: () => page({ colorScheme: "dark" }),
    spare: async () => { const s = await serve(join(scratch, `spare-${number}`)); servers.push(s); return s; },
    picture: (name, fullPage = false, p = first) => p.screenshot({ path: join(pictures, `${name}.png`), fullPage }),
  };
  let wrong = null;
  try {
    await t.run(tools);
    assert.deepEqual(complaints, [], "the console has complaints");
  } catch (error) {
    wrong = error;
    await first.screenshot({ path: join(pictures, `failed-${number}.png`) }).catch(() => {});
  }
  for (const c of contexts) await c.close();
  for (const s of servers) await stop(s);
  console.log(`${wrong ? "not ok" : "ok"} ${number} - ${t.name}`);
  if (wrong) console.log(`# ${String(wrong.stack || wrong).replaceAll("\n", "\n# ")}`);
  return wrong ? 1 : 0;
}

await main();
