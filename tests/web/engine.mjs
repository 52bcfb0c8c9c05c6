// engine.mjs -- live analysis and play against the engine.

import { adds, assert, busy, click, drag, hide, plies, readPdn, says, shows, test, toasts, until, writePdn } from "./kit.mjs";

const depth = async (page) => Number(/depth (\d+)/.exec(await page.locator("#engine-state").innerText())?.[1] || 0);
const thinks = (page) => page.locator("#engine-state").filter({ hasText: /depth ([3-9]|\d\d)/ }).waitFor();

const searching = async (url) => (await (await fetch(`${url}api/v1/state`)).json()).searching;

test("live analysis: deeper and deeper, lines best first, an end when the page is closed", async ({ newPage, spare, picture }) => {
  const server = await spare(), one = await newPage(), two = await newPage();
  for (const page of [one, two]) {
    await page.goto(`${server.url}#/`);
    await thinks(page);
  }
  await one.locator("#engine-count").selectOption("3");
  await thinks(one);
  await one.locator("#engine-lines > *").nth(2).waitFor();
  assert.match(await one.locator("#engine-tag").innerText(), /^Opinion, not truth/);
  await one.locator(".arrow.engine").first().waitFor();
  await one.locator("#say").filter({ hasText: /^Engine, depth \d+: Opinion, not truth: .*\. Best: \d+-\d+\.$/ }).waitFor({ state: "attached" });
  await picture("live", false, one);
  const before = await depth(two);
  assert.ok(before >= 3);
  assert.equal(await searching(server.url), 2);
  await one.close();
  await two.close();
  let left = 2;
  for (let i = 0; i < 600 && left; i++) {
    await new Promise((done) => setTimeout(done, 200));
    left = await searching(server.url);
  }
  assert.equal(left, 0, "the pool is empty again");
}, { needs: "live", alone: true });

test("play against the engine, which answers each move", async ({ page, open }) => {
  await open("#/");
  await page.locator("#against").selectOption("W");
  await page.locator("#level").selectOption("2");
  await drag(page, 11, 15);
  await plies(page).nth(1).waitFor();
  assert.equal(await plies(page).count(), 2);
}, { needs: "live" });

test("the report of a game: the blunder, what was better, and both in the game", async ({ page, open }) => {
  await open("#/");
  await readPdn(page, '[FEN "B:WK27:BK18,25"]\n\n1. 18-23 27x18 *');
  await page.locator("#report").click();
  await page.locator("#report-state").filter({ hasText: "Solid line" }).waitFor();
  assert.match(await page.locator("#mistakes").innerText(), /1\. 18-23\?\?\s+\S+ wins in .*; this loses\./);
  assert.deepEqual(await page.locator(".sides tbody tr").allInnerTexts(), ["Black\t1\t0\t–", "White\t0\t0\t–"]);
  await page.locator("#report-write").click();
  assert.match(await writePdn(page), /18-23\?\? \{25-30 wins in .*\} \(1\. 25-30 /);
}, { needs: "live" });

test("a proof is searched for with progress, and can be stopped", async ({ page, open }) => {
  await open("#/B:W18,21,22,25,29,30,31:B1,2,3,5,6,7,12");
  await adds(page, "Not in the tables");
  await page.locator("#prove-time").selectOption("600s");
  await page.locator("#prove").click();
  await page.locator('[role="progressbar"][aria-label="prove"]').waitFor();
  await page.locator(".job").filter({ hasText: /proving, 10 minutes at most · [\d.]+ [kM]? ?positions/ }).waitFor();
  // The button stays the same while the bar grows, and a hidden page does not ask how far it is.
  const stop = page.locator(".job button", { hasText: "stop" });
  await stop.focus();
  await hide(page, true);
  await page.waitForTimeout(busy(600)); // an answer may be under way
  let asked = 0;
  page.on("request", () => asked++);
  await page.waitForTimeout(1000);
  assert.equal(asked, 0);
  await Promise.all([page.waitForRequest("**/api/v1/jobs/*"), hide(page, false)]);
  assert.ok(await stop.evaluate((b) => b === document.activeElement), "the focus stays on the button");
  await page.keyboard.press("Enter");
  await page.locator(".beyond .card").filter({ hasText: "Stopped." }).waitFor();
  await page.locator("#prove").waitFor();
});

test("a proof goes on when another position is shown: seen, found again, stopped there", async ({ page, open, picture }) => {
  const fen = "B:W18,21,22,25,29,30,32:B1,2,3,5,6,7,12", bar = (where) => page.locator(`${where} [role="progressbar"][aria-label="prove"]`);
  await open(`#/${fen}`);
  await adds(page, "Not in the tables");
  await page.locator("#prove-time").selectOption("600s");
  await page.locator("#prove").click();
  await bar(".beyond:not(#elsewhere)").waitFor();
  await page.locator("button.move").first().click();
  await page.locator("#elsewhere").filter({ hasText: "Proving another position: 14 pieces, Black to move." }).waitFor();
  await bar("#elsewhere").waitFor();
  await page.locator("#prove").waitFor(); // this position has an offer of its own
  await picture("elsewhere", true);
  await page.locator("#elsewhere button", { hasText: "show it" }).click();
  await shows(page, fen);
  await bar(".beyond:not(#elsewhere)").waitFor();
  assert.equal(await bar("#elsewhere").count(), 0);
  assert.equal(await plies(page).count(), 1, "it is the same game");
  await page.reload();
  await bar(".beyond:not(#elsewhere)").waitFor();
  await page.locator("button.move").first().click();
  await page.locator("#elsewhere .job button", { hasText: "stop" }).click();
  await toasts(page, "Stopped.");
  await page.locator("#elsewhere .job").waitFor({ state: "detached" });
});

// What the engine says of a stream that has had its time, told by hand.
test("live analysis goes on after ten minutes, from what it has found", async ({ page, open }) => {
  const streams = [], line = (move, score) => ({ score, proven: false, value: null, plies: null, pv: [move] });
  const told = (depth, move, score) => `data: ${JSON.stringify({ depth, nodes: 1000 * depth, time: depth, lines: [line(move, score)] })}\n\n`;
  const done = 'event: done\ndata: {"reason":"time"}\n\n', bodies = [told(24, "11-15", 12) + done, told(3, "9-13", 5) + told(25, "11-15", 9)];
  await page.route("**/api/v1/live?*", async (route) => {
    streams.push(route.request().url());
    if (bodies.length) await route.fulfill({ contentType: "text/event-stream", body: bodies.shift() });
  });
  await open("#/");
  await page.locator("#engine-state").filter({ hasText: "depth 25" }).waitFor();
  assert.equal(streams.length, 2);
  assert.match(await page.locator("#engine-lines").innerText(), /\+0\.09\s+11-15/);
}, { needs: "live" });

test("a stream that begins again does not show less than was found", async ({ page, open }) => {
  const line = { score: 12, proven: false, value: null, plies: null, pv: ["11-15"] }, told = (depth, move) => `data: ${JSON.stringify({ depth, nodes: 9000, time: 1, lines: [{ ...line, pv: [move] }] })}\n\n`;
  const bodies = [`${told(24, "11-15")}event: done\ndata: {"reason":"time"}\n\n`, told(7, "9-13")];
  await page.route("**/api/v1/live?*", (route) => (bodies.length ? route.fulfill({ contentType: "text/event-stream", body: bodies.shift() }) : null));
  await open("#/");
  await page.locator("#engine-state").filter({ hasText: "depth 24 · searching on" }).waitFor();
  assert.match(await page.locator("#engine-lines").innerText(), /11-15/);
}, { needs: "live" });

// The engine's moves are told by hand: two kings that go to and fro.
test("a game against the engine is drawn at the third repetition", async ({ page, open }) => {
  const start = "B:WK32:BK1", fro = { "32": "32-28", "28": "28-32" };
  await page.route("**/api/v1/play?*", (route) => {
    const [, at] = /WK(\d+)/.exec(decodeURIComponent(route.request().url()));
    return route.fulfill({ contentType: "application/json", body: JSON.stringify({ move: fro[at], level: 1, depth: 1 }) });
  });
  await open(`#/${start}`);
  await says(page, "A draw");
  await page.locator("#against").selectOption("W");
  for (const [from, to, n] of [[1, 5, 2], [5, 1, 4], [1, 5, 6], [5, 1, 8]]) {
    await click(page, from);
    await click(page, to);
    await plies(page).nth(n - 1).waitFor();
  }
  await adds(page, "The game is over: the same position for the third time.");
  assert.match(await writePdn(page), /4\. 5-1 28-32 1\/2-1\/2\n$/);
  await click(page, 1);
  assert.equal(await page.locator(".marks .chosen").count(), 0, "the game is over");
  await page.locator("button.move").first().click();
  await toasts(page, "The game is over.");
  assert.equal(await plies(page).count(), 8);
  await page.locator("#against").selectOption("");
  await adds(page, "In a game this is a draw: the same position for the third time.");
  await click(page, 1);
  await page.locator(".marks .chosen").waitFor();
}, { needs: "live" });

test("the engine alone plays to the third repetition, and the board is free again", async ({ page, open }) => {
  const fro = { "WK32": "32-28", "WK28": "28-32", "BK1": "1-5", "BK5": "5-1" }, answer = (route, json) => route.fulfill({ contentType: "application/json", body: JSON.stringify(json) });
  await page.route("**/api/v1/line?*", (route) => answer(route, { moves: [] }));
  await page.route("**/api/v1/play?*", (route) => {
    const [, side, white, black] = /fen=(.):(WK\d+):(BK\d+)/.exec(decodeURIComponent(route.request().url()));
    return answer(route, { move: fro[side === "W" ? white : black], level: 10, depth: 1 });
  });
  await open("#/B:WK32:BK1");
  await says(page, "A draw");
  await page.locator("#do-play").click();
  await adds(page, "The game is over: the same position for the third time.");
  await page.locator('#do-play[aria-label="Play on"]').waitFor();
  assert.equal(await plies(page).count(), 8);
  await click(page, 1);
  await page.locator(".marks .chosen").waitFor();
  await page.locator("#do-play").click();
  await toasts(page, "A draw: the same position for the third time.");
}, { needs: "live" });

test("forty moves without progress are a draw, counted as the program counts", async ({ page, open }) => {
  await open("#/");
  const found = await page.evaluate(async () => {
    const [{ Game }, { legalMoves }, { parseFen }] = await Promise.all(["tree", "rules", "notation"].map((m) => import(`/js/${m}.js`)));
    const game = new Game("B:WK30,K32:BK1,K3"), said = [], moves = (fen) => legalMoves(parseFen(fen)), jumps = (m) => moves(m.fen).some((r) => r.captured.length);
    const seen = new Map([[game.fen, 1]]), often = (m) => seen.get(m.fen) ?? 0;
    for (let ply = 0; ply < 90; ply++) { // as few repetitions as can be had
      const quiet = game.now.legal().filter((m) => !jumps(m) && !moves(m.fen).every(jumps));
      game.now = game.now.grow(quiet.reduce((a, b) => (often(b) < often(a) ? b : a)));
      seen.set(game.fen, often(game) + 1);
      said.push(game.now.drawn);
    }
    return { said, first: said.findIndex(Boolean) };
  });
  assert.equal(found.first, 79, JSON.stringify(found.said.slice(found.first, found.first + 2)));
  assert.equal(found.said[79], "forty moves without progress");
});

test("what is proven is marked as truth among the engine's lines", async ({ page, open }) => {
  await open("#/B:W18,K32:BK9,K1,2"); // five pieces, which the tables of four do not know
  await adds(page, "Not in the tables");
  await page.locator("#engine-tag.sure").filter({ hasText: /^Proven: Black wins/ }).waitFor();
  await page.locator("#engine-lines b.sure").first().waitFor();
  assert.match(await page.locator("#engine-lines b.sure").first().innerText(), /^wins/);
}, { needs: "live" });

test("a game against the engine: taken back as on a board, its result at the end", async ({ page, open }) => {
  await open("#/B:WK26:BK23,25");
  await says(page, "Black wins in 1");
  await page.locator("#against").selectOption("W");
  await click(page, 23);
  await click(page, 30);
  await adds(page, "White has no pieces left");
  assert.match(await writePdn(page), /1\. 23x30 1-0\n$/);
  await page.locator("#take-back").click();
  await shows(page, "B:WK26:BK23,25");
  assert.equal(await plies(page).count(), 0);
  await page.locator(".toast button", { hasText: "Undo" }).click();
  await adds(page, "White has no pieces left");
  assert.match(await writePdn(page), /1\. 23x30 1-0\n$/);
}, { needs: "live" });

test("the report of a game survives a reload, and follows the game", async ({ page, open }) => {
  await open("#/");
  await readPdn(page, '[FEN "B:WK27:BK18,25"]\n\n1. 18-23 27x18 *');
  await page.locator("#report").click();
  await page.locator("#report-state").filter({ hasText: "Solid line" }).waitFor();
  const marker = () => page.locator(".report .now").getAttribute("x1"), first = await marker();
  await page.locator("#do-forward").click();
  await until(page, (x) => document.querySelector(".report .now").getAttribute("x1") !== x, first);
  await page.reload();
  await page.locator("#mistakes").filter({ hasText: "18-23??" }).waitFor();
  await page.locator("#report-close").click();
  await page.reload();
  await plies(page).nth(1).waitFor();
  assert.equal(await page.locator(".report:visible").count(), 0);
}, { needs: "live" });
