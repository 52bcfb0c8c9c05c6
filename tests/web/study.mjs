// study.mjs -- the page as an instrument: slices, pictures of proofs, ballots, data to take away.

import { execFileSync, spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { START, adds, assert, binary, busy, drag, hide, plies, readPdn, says, shows, tables, test, toasts, until } from "./kit.mjs";

const STORED = "B:W9,23,28:B7,15,16"; // six pieces: the tables of four do not know it

test("a slice: distances, maps, longest wins with their lines, the print with its errata", async ({ page, open, picture, url }) => {
  await open("#tables");
  await page.locator("td a", { hasText: /^1K-1C$/ }).click();
  await page.locator('[data-mover="1K-1C"] .histogram').waitFor();
  assert.equal(await page.locator(".histogram").count(), 2);
  assert.equal(await page.locator(".map").count(), 4);
  await page.locator('[data-mover="1K-1C"] p').filter({ hasText: "796 positions without a capture: 32.5 % won" }).waitFor();
  await page.locator(".erratum").filter({ hasText: "The first-named side to move alone has 11/4" }).waitFor();
  const told = await page.locator("tr").filter({ hasText: /one king\s*wins/ }).innerText();
  assert.match(told, /6 moves/);
  await picture("slice", true);
  const rows = (await (await fetch(`${url}api/v1/histogram?slice=1K-1C&format=csv`)).text()).trim().split("\r\n");
  assert.equal(rows[0], "slice,value,plies,positions");
  const bars = await page.locator(".histogram rect").count();
  assert.ok(rows.length - 1 >= bars && bars > 10, `${rows.length} rows, ${bars} bars`);
  for (const href of await page.locator("#view-other .data a").evaluateAll((list) => list.map((a) => a.href))) assert.equal((await fetch(href)).status, 200, href);
  await page.locator("tr").filter({ hasText: /one king\s*wins/ }).locator("a", { hasText: "Walk through it" }).click();
  await plies(page).nth(10).waitFor();
  assert.equal(await plies(page).count(), 11);
  await open("#tables/2K-1K");
  await page.locator("td.agree").first().waitFor();
  await open("#tables/4K-4K");
  await page.locator("#view-other .error").first().filter({ hasText: "4K-4K" }).waitFor();
}, { complaints: /404/ });

test("a proof as a picture: zoomed, walked past its end, solved there", async ({ page, open, api, picture }) => {
  const fen = "W:W19,23,27,K1:B8,11,12";
  await open(`#/${fen}`);
  await adds(page, "Not in the tables");
  await page.locator("#prove-time").selectOption("600s"); // it takes no second, but the machine may be busy
  await page.locator("#prove").click();
  await page.locator(".verdict a", { hasText: "Walk through the proof" }).click();
  await page.locator(".icicle .box").nth(2).waitFor();
  const { nodes } = await api(`tree?fen=${fen}`);
  assert.equal(nodes[0].size > 3, true);
  await picture("proof-picture", true);
  const second = page.locator(".icicle .box").nth(1), to = await second.getAttribute("data-fen");
  await second.click();
  await until(page, (f) => decodeURI(location.hash) === `#proof/${f}`, to);
  await page.locator(".trail b").filter({ hasNotText: "root" }).waitFor();
  await page.goBack();
  await page.locator(".icicle .box").nth(2).waitFor();
  // A position that no proof speaks of, but the tables do; and one that has to be solved.
  await open("#proof/B:WK31:B25,K18");
  await page.locator(".proof-node h1").filter({ hasText: "Black wins" }).waitFor();
  await open("#proof/W:W20,24,28,32:B8,11,12");
  await page.locator(".proof-node h1").filter({ hasText: "White wins" }).waitFor();
});

test("a store while kelso prove works on it: live, zoomable, and proven at the end", async ({ page, spareAt, scratch, picture }) => {
  const store = join(scratch, "store"), common = ["prove", "--store", store, "--dir", tables(), STORED, "--workers", "1", "--memory", "32M", "--progress", "none"];
  try { execFileSync(binary, [...common, "--nodes", "500", "--searches", "12"], { stdio: "ignore" }); } catch { /* not proven yet: exit 1 */ }
  const server = await spareAt(tables(), "--store", store);
  await page.goto(`${server.url}#proof`);
  await page.locator("#store .fact").filter({ hasText: "threshold" }).waitFor();
  const before = await page.locator("#store .fact b").nth(1).innerText();
  await page.locator(".pic").first().click();
  await page.locator(".icicle .box.open").first().waitFor();
  const work = spawn(binary, [...common, "--nodes", "20000"], { stdio: "ignore" }), ended = new Promise((done) => work.on("exit", done));
  const grown = page.locator(".facts .fact").filter({ hasText: "positions in the store" }).locator("b").filter({ hasNotText: new RegExp(`^${before}$`) });
  await grown.waitFor();
  await picture("proof-live", true);
  assert.equal(await ended, 0, "kelso prove has proven it");
  await page.locator(".facts .fact").filter({ hasText: "nothing is left to do" }).waitFor();
  await page.locator(".proof-node h1").filter({ hasNotText: "Unresolved" }).waitFor();
  // Each position counts once, whoever tells: the page, its picture and the command line.
  const told = JSON.parse(execFileSync(binary, ["proof", "status", "--store", store, "--dir", tables(), "--json"]));
  const fact = (name) => page.locator(".facts .fact").filter({ hasText: name }).locator("b");
  await fact("positions in the store").filter({ hasText: new RegExp(`^${told.positions.toLocaleString("en-US")}$`) }).waitFor();
  await fact("leaves not needed").filter({ hasText: new RegExp(`^${(told.likely + told.open + told.unsearched).toLocaleString("en-US")}$`) }).waitFor();
  const { nodes } = await (await fetch(`${server.url}api/v1/tree?fen=${STORED}`)).json();
  assert.equal(nodes[0].size, told.positions);
  await page.goto(`${server.url}#tables`);
  await page.goto(`${server.url}#proof`);
  await page.locator(".pic").filter({ hasText: "proven" }).waitFor();
});

test("ballots: the list, a name, one by lot, go as you please", async ({ page, open, api, picture }) => {
  await open("#/");
  await says(page, "The start");
  await page.locator("#ballots").click();
  await page.locator("[data-ballot]").nth(173).waitFor();
  assert.equal(await page.locator("[data-ballot]").count(), 174);
  await picture("ballots");
  await page.locator("#ballot-search").fill("10-15 22-18");
  const listed = await page.locator("[data-ballot] .name").allInnerTexts();
  assert.ok(listed.length > 0 && listed.length < 174 && listed.every((t) => t.startsWith("10-15 22-18")), String(listed));
  await page.locator("[data-ballot]").first().click();
  await page.locator("#opening").filter({ hasText: /ballot \d+/ }).waitFor();
  assert.equal(await plies(page).count(), 3);
  await page.locator("#ballots").click();
  await page.locator("[data-ballot]").first().waitFor();
  await page.locator("#ballot-random").click();
  await until(page, () => !document.querySelector("dialog[open]"));
  const { ballots } = await api("openings"), drawn = (await plies(page).allInnerTexts()).map((t) => t.trim()).join(" ");
  assert.ok(ballots.some((b) => !b.barred && b.moves.join(" ") === drawn), drawn);
  await page.locator("#ballots").click();
  await page.locator("#ballot-free").click();
  await shows(page, START);
});

test("levels, clocks, take back and hint", async ({ page, open }) => {
  await open("#/");
  await says(page, "The start");
  await page.locator("#hint").click();
  await toasts(page, /^Try \d+-\d+, the engine's choice/);
  await page.locator("#against").selectOption("W");
  assert.equal(await page.locator("#level option").count(), 10);
  await page.locator("#level").selectOption("1");
  await page.locator("#clock").selectOption("5+0");
  await page.locator(".clock").first().filter({ hasText: "5:00" }).waitFor();
  await drag(page, 11, 15);
  await plies(page).nth(1).waitFor();
  await page.locator(".clock.runs").filter({ hasText: /●/ }).waitFor();
  await page.locator("#take-back").click();
  await shows(page, START);
}, { needs: "live" });

test("a server with a token asks for it once", async ({ page, spare, scratch }) => {
  const file = join(scratch, "token");
  writeFileSync(file, "a-long-token-of-the-owner-0123456789\n", { mode: 0o600 });
  const server = await spare("--token-file", file), asked = [];
  page.on("dialog", (d) => { asked.push(d.message()); d.accept("a-long-token-of-the-owner-0123456789"); });
  await page.goto(`${server.url}#tables`);
  await page.locator("#build-pieces").selectOption("2");
  await page.locator("#build-start").click();
  await page.locator("tr", { hasText: "1K-1K" }).waitFor();
  assert.equal(asked.length, 1, String(asked));
}, { complaints: /401/ });

test("a page that nobody looks at asks for nothing and does nothing", async ({ page, spare }) => {
  const server = await spare(), client = await page.context().newCDPSession(page);
  let asked = 0, last = 0;
  const searching = async () => (await (await fetch(`${server.url}api/v1/state`)).json()).searching;
  const cost = async () => (await client.send("Performance.getMetrics")).metrics.find((m) => m.name === "TaskDuration").value;
  // What was under way when the page was hidden may end; on a busy machine that takes a while.
  const settle = async () => {
    const end = Date.now() + busy(5000);
    while (Date.now() < end && (Date.now() - last < 1000 || await searching())) await page.waitForTimeout(100);
  };
  page.on("request", () => { asked++; last = Date.now(); });
  await client.send("Performance.enable", { timeDomain: "threadTicks" }); // processor time
  for (const [view, ready] of [["#/", "#engine-lines > *"], ["#tables", ".facts"]]) {
    await page.goto(`${server.url}${view}`);
    await page.locator(ready).first().waitFor();
    await hide(page, true);
    await settle();
    const before = { asked, cost: await cost() };
    await page.waitForTimeout(3500);
    const worked = await cost() - before.cost;
    assert.equal(asked, before.asked, `${view} asks while it is hidden`);
    assert.ok(worked < 0.2, `${view} works while it is hidden: ${worked} s`);
    assert.equal(await searching(), 0, `${view} searches while it is hidden`);
    await hide(page, false);
  }
}, { alone: true, needs: "live" });

// What the server says of a queue is tested with a real one (tests/nats/test_queue_page.c).
test("the workers of a queue: live, and unasked while nobody looks", async ({ page, open, picture }) => {
  const worker = (place) => ({ place, threads: 4, searches: 1200, searches_per_second: 1.25 });
  let asked = 0, now = { running: true, manager: "<b>desk</b>", given: 40, results: 31, searches_per_second: 2.5, redelivered: 3, dropped: 2, audits: 6, waiting: 5, under_way: 7, threads: 8, workers: [worker("attic"), worker(null)] };
  const answer = (route, json, status = 200) => route.fulfill({ status, contentType: "application/json", body: JSON.stringify(json) });
  await page.route("**/api/v1/state", async (route) => answer(route, { ...(await (await route.fetch()).json()), queue: true }));
  await page.route("**/api/v1/queue", (route) => { asked++; return now ? answer(route, now) : answer(route, { error: { status: 503, message: "no server answers" } }, 503); });
  const fact = (name, value) => page.locator("#queue .fact").filter({ hasText: name }).locator("b").filter({ hasText: new RegExp(`^${value}$`) }).waitFor();
  await open("#proof");
  for (const [name, value] of [["workers", "2"], ["threads", "8"], ["under way", "7"], ["searches a second", "2\\.5"], ["waiting", "5"], ["redelivered", "3"], ["dropped", "2"], ["audits", "6"]]) await fact(name, value);
  assert.match(await page.locator("#queue tbody").innerText(), /attic\s+4\s+1,200\s+1\.25\s+worker 2\s/);
  await page.locator("#queue .sub").filter({ hasText: "Manager: <b>desk</b>. 40 tasks given, 31 results." }).waitFor();
  await picture("queue", true);
  now = { ...now, dropped: 9, workers: [] };
  await fact("dropped", "9");
  await page.locator("#queue tbody").waitFor({ state: "detached" });
  now = null;
  await page.locator("#queue").filter({ hasText: "no server answers" }).waitFor();
  now = { running: false, manager: null, given: 0, results: 0, searches_per_second: 0, redelivered: 0, dropped: 0, audits: 0, waiting: 0, under_way: 0, threads: 0, workers: [] };
  await page.locator("#queue").filter({ hasText: "No manager is at work." }).waitFor();
  await hide(page, true);
  await page.waitForTimeout(busy(500)); // one may be under way
  const before = asked;
  await page.waitForTimeout(3000);
  assert.equal(asked, before, "it asks while it is hidden");
  await hide(page, false);
  await page.waitForRequest("**/api/v1/queue");
  await open("#tables");
  await page.locator(".facts").first().waitFor();
  await page.waitForTimeout(busy(300));
  const left = asked;
  await page.waitForTimeout(3000);
  assert.equal(asked, left, "it asks after the page is left");
}, { complaints: /503/ });

test("the report of a game and the shortest games as CSV", async ({ page, open, scratch }) => {
  const saved = async (button) => {
    const [download] = await Promise.all([page.waitForEvent("download"), button.click()]);
    const path = join(scratch, download.suggestedFilename());
    await download.saveAs(path);
    return { name: download.suggestedFilename(), rows: readFileSync(path, "utf8").trimEnd().split("\r\n") };
  };
  await open("#/");
  await readPdn(page, '[FEN "B:WK27:BK18,25"]\n\n1. 18-23 27x18 *');
  await page.locator("#report").click();
  await page.locator("#report-state").filter({ hasText: "Solid line" }).waitFor();
  const report = await saved(page.locator("#report-csv"));
  assert.equal(report.name, "analysed.csv");
  assert.equal(report.rows.length, 3);
  assert.equal(report.rows[0], "ply,fen,move,score,proven,value,plies,mark,best_move,best_score,best_proven,best_value,best_plies,best_pv");
  assert.match(report.rows[1], /^1,"B:WK27:BK18,25",18-23,-\d+,true,loss,\d+,blunder,25-30,\d+,true,win,\d+,25-30( |$)/);
  assert.match(report.rows[2], /^2,"W:WK27:BK23,25",27x18,\d+,true,win,\d+,,27x18,/);
  const [position] = await page.locator("#text .data a").evaluateAll((list) => list.map((a) => a.href));
  assert.match(await (await fetch(position)).text(), /^move,value,dtw,dtc\r\n25-30,win,/);
  const game = await saved(page.locator("#game-json"));
  assert.deepEqual(JSON.parse(game.rows.join("\n")).games[0].moves.map((m) => [m.move, m.value]), [["18-23", "loss"], ["27x18", "win"]]);
  await open("#shortest");
  const shortest = await saved(page.locator("#view-other .data a", { hasText: "CSV" }));
  assert.equal(shortest.name, "shortest.csv");
  assert.equal(shortest.rows.length, 248);
  assert.match(shortest.rows[1], /^1,21,12-16 24-19 /);
}, { needs: "live" });

test("threat on request: what the other side would do", async ({ page, spare }) => {
  const server = await spare();
  await page.goto(`${server.url}#/${START}/11-15,23-19`);
  await page.locator("#engine-lines > *").first().waitFor();
  const scores = (await page.locator("#engine-lines b").allInnerTexts()).map((t) => Number(t.replace("−", "-")));
  assert.deepEqual(scores, [...scores].sort((a, b) => b - a), "best first");
  await page.locator("#engine-threat").click();
  await page.locator("#engine-tag").filter({ hasText: "If White were to move" }).waitFor();
  await page.locator(".arrow.threat").first().waitFor();
  await page.keyboard.press("t");
  await page.locator("#engine-tag").filter({ hasText: /^Opinion/ }).waitFor();
}, { needs: "live" });

test("a large slice: a first look at once, then more, told as it goes", async ({ page, open }) => {
  let answer;
  const gate = new Promise((done) => { answer = done; }), asked = [];
  await page.route("**/api/v1/histogram?*", async (route) => {
    const pages = new URL(route.request().url()).searchParams.get("pages"), real = await route.fetch(), told = await real.json();
    asked.push(pages);
    for (const t of told.tables) t.sampled = true; // as if there were more
    if (pages === "64") await gate;
    await route.fulfill({ response: real, json: told });
  });
  await open("#tables/1K-1C");
  await page.locator("#counting").filter({ hasText: "A first look, 1 of 3; counting on" }).waitFor();
  assert.equal(await page.locator(".histogram").count(), 2);
  answer();
  await page.locator("#counting").filter({ hasText: /^$/ }).waitFor({ state: "attached" });
  assert.deepEqual(asked, ["8", "64", null]);
});
