// pages.mjs -- the other parts: gallery, shortest games, tables and slices, proofs.

import { adds, assert, plies, says, test } from "./kit.mjs";

test("a position is proven on the board, and the proof can be walked through", async ({ page, open, picture }) => {
  await open("#/W:W20,24,28:B8,11,12");
  await adds(page, "Not in the tables");
  await page.locator("#prove-time").selectOption("600s"); // it takes no second, but the machine may be busy
  await page.locator("#prove").click();
  await says(page, "White wins");
  await page.locator(".verdict a", { hasText: "Walk through the proof" }).click();
  await page.locator(".proof-node h1").filter({ hasText: "White wins" }).waitFor();
  await page.locator(".proof-node td button").first().click();
  await page.locator(".trail b").filter({ hasNotText: "root" }).waitFor();
  await page.locator(".proof-node h1").filter({ hasText: "White wins" }).waitFor();
  await picture("proof");
  await page.locator(".trail a").click();
  await page.locator(".pic").filter({ hasText: "White wins" }).first().waitFor();
});

test("gallery: Table 2 with what was found beside it", async ({ page, open, picture }) => {
  await open("#gallery");
  const row = page.locator("tr", { hasText: "2K v 1K" }).first();
  await row.waitFor();
  assert.match(await row.innerText(), /33\/34\s+33\/34\s+✓/);
  await page.locator(".pic", { hasText: "Figure 4" }).filter({ hasText: "Black wins in 2 moves ✓" }).waitFor();
  assert.equal(await page.locator(".list li").count(), 19);
  const links = await page.locator("#view-other .data a").evaluateAll((list) => list.map((a) => a.href));
  assert.ok(links.length >= 6, String(links));
  for (const href of links) assert.equal((await fetch(href)).status, 200, href);
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
  await plies(page).nth(19).waitFor();
  await page.keyboard.press("End");
  await says(page, "White wins");
  await adds(page, "Black has no moves left");
});

test("tables: a build that is started here shows up", async ({ page, spare, picture }) => {
  const here = await spare();
  await page.goto(`${here.url}#tables`);
  await page.locator(".fact b").first().filter({ hasText: "0" }).waitFor();
  await page.locator("#build-pieces").selectOption("3");
  await page.locator("#build-start").click();
  await page.locator("tr", { hasText: "2K-1K" }).waitFor();
  await page.locator(".fact b").first().filter({ hasText: "9" }).waitFor();
  await picture("tables", true);
});
