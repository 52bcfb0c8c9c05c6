// engine.mjs -- live analysis and play against the engine.

import { adds, assert, busy, click, drag, hide, plies, readPdn, says, shows, test, writePdn } from "./kit.mjs";

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
  await page.waitForFunction((x) => document.querySelector(".report .now").getAttribute("x1") !== x, first);
  await page.reload();
  await page.locator("#mistakes").filter({ hasText: "18-23??" }).waitFor();
  await page.locator("#report-close").click();
  await page.reload();
  await plies(page).nth(1).waitFor();
  assert.equal(await page.locator(".report:visible").count(), 0);
}, { needs: "live" });
