// play.mjs -- moves on the board and in the list, lines of perfect play, links.

import { FIGURE_4, FOURTH, adds, assert, click, drag, fenOf, firstMove, plies, says, shows, test, toasts, verdict } from "./kit.mjs";

test("Figure 4: 18-23 comes first, with its distances in moves", async ({ page, open }) => {
  await open("#/B:WK31:B25,K18");
  await says(page, "Black wins in 2 moves");
  assert.match(await firstMove(page).innerText(), /18-23\s+wins\s+2\s+2/);
  await adds(page, "Next capture or king in 1 move.");
  assert.equal(await page.locator("button.move").count(), 6);
});

test("plies on request", async ({ page, open }) => {
  await open(`#/${FIGURE_4}`);
  await says(page, "Black wins in 2 moves");
  await page.locator("#settings").click();
  await page.locator("#set-unit").selectOption("plies");
  await page.keyboard.press("Escape");
  await says(page, "Black wins in 3 plies");
  assert.match(await firstMove(page).innerText(), /18-23\s+wins\s+3\s+3/);
});

test("play a move by dragging, by clicking, from the list; back and forward", async ({ page, open }) => {
  await open(`#/${FIGURE_4}`);
  await says(page, "Black wins in 2");
  await drag(page, 18, 23);
  await shows(page, "W:WK31:BK23,25");
  await says(page, "Black wins in 1");
  assert.deepEqual(await page.locator("[data-last]").evaluateAll((l) => l.map((e) => e.dataset.last)), ["18", "23"]);
  await click(page, 31);
  await page.locator(".marks .target").first().waitFor();
  assert.equal(await page.locator(".marks .target").count(), 2);
  await click(page, 26);
  await shows(page, "B:WK26:BK23,25");
  await page.locator("button.move", { hasText: "23x30" }).click();
  await adds(page, "White has no pieces left");
  await page.keyboard.press("ArrowLeft");
  await shows(page, "B:WK26:BK23,25");
  await page.keyboard.press("Home");
  await shows(page, FIGURE_4);
  await page.keyboard.press("End");
  await shows(page, "W:W:B25,K30");
  assert.equal(await plies(page).count(), 3);
});

test("a drop on a square that is no target puts the piece back", async ({ page, open }) => {
  await open(`#/${FIGURE_4}`);
  await says(page, "Black wins in 2");
  await drag(page, 18, 20);
  await page.waitForTimeout(200);
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

test("who must jump is told", async ({ page, open }) => {
  await open("#/B:W14,32:B1,9");
  await page.locator(".marks .must").waitFor();
  await adds(page, "Black must jump");
  await click(page, 1);
  await toasts(page, "You must jump: 9x18");
});

test("the board is played with the keyboard alone, and says what it does", async ({ page, open }) => {
  await open(`#/${FIGURE_4}`);
  await says(page, "Black wins in 2");
  const heard = (text) => page.locator("#say").filter({ hasText: text }).waitFor({ state: "attached" });
  await page.locator("#do-share").focus();
  await page.keyboard.press("Shift+Tab"); // a key was used: focus is to be seen from here on
  await page.locator(".board").focus();
  await heard("black king, can move");
  await page.keyboard.press("Enter");
  await page.keyboard.press("ArrowDown");
  await heard("22, empty, can land here");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  await shows(page, "W:WK31:BK23,25");
  await heard("Black played 18-23. Black wins in 1 move");
  assert.ok(await page.evaluate(() => document.activeElement.classList.contains("board")), "the focus stays on the board");
});

test("keys: flip, the list of moves by Tab and Enter; the focus stays in the list", async ({ page, open }) => {
  await open(`#/${FIGURE_4}`);
  await says(page, "Black wins in 2");
  const before = await page.locator(".number").first().getAttribute("y");
  await page.keyboard.press("f");
  assert.notEqual(await page.locator(".number").first().getAttribute("y"), before);
  await firstMove(page).focus();
  await page.locator(".arrow.hover").waitFor();
  await page.keyboard.press("Enter");
  await says(page, "Black wins in 1");
  assert.ok(await page.evaluate(() => document.activeElement.matches("button.move")));
});

test("hovering over a move shows it on the board", async ({ page, open }) => {
  await open(`#/${FIGURE_4}`);
  await says(page, "Black wins in 2");
  await firstMove(page).hover();
  await page.locator(".arrow.hover").waitFor();
});

test("follow Fourth Position to the end", async ({ page, open, picture }) => {
  await open("#gallery");
  await page.locator(".pic", { hasText: "Fourth Position" }).locator("a", { hasText: "Walk through" }).click();
  await plies(page).nth(80).waitFor();
  assert.equal(await plies(page).count(), 81);
  await shows(page, FOURTH);
  await page.keyboard.press("ArrowRight");
  await page.locator(".ply.now").waitFor();
  await page.keyboard.press("End");
  await says(page, "Black wins");
  await adds(page, "The game is over");
  await picture("fourth-position");
});

test("solve Fourth Position on the board and watch it won in 41 moves", async ({ page, open, picture }) => {
  await open(`#/${FOURTH}`);
  await page.locator("#solve").click();
  await page.locator('[role="progressbar"]').waitFor();
  await verdict(page).filter({ hasText: "Black wins in 41 moves" }).waitFor({ timeout: 600000 });
  await page.locator("select[aria-label='Speed of play']").selectOption({ label: "fast" });
  await page.locator("#do-play").click();
  await plies(page).nth(80).waitFor();
  await page.locator(".verdict .sub").filter({ hasText: "The game is over" }).waitFor({ timeout: 120000 });
  await picture("fourth-position-solved");
}, { long: true });

test("an ending that no table has is solved on the board, with progress", async ({ page, open }) => {
  await open("#/B:WK32,K31:BK1,K2,3");
  await adds(page, "Not in the tables");
  await page.locator("#solve").click();
  await verdict(page).filter({ hasText: /Black wins in \d+ moves|A draw/ }).waitFor();
  assert.ok(await page.locator("button.move").count() > 3);
});

test("perfect play runs by itself and can be paused", async ({ page, open, picture }) => {
  await open("#/B:WK32:B5,9");
  await says(page, "wins in");
  await page.locator("select[aria-label='Speed of play']").selectOption({ label: "fast" });
  await page.locator("#do-play").click();
  await page.locator(".ply.now").waitFor();
  await page.locator("#do-play").click();
  await page.locator('#do-play[aria-label="Play on"]').waitFor();
  const at = await fenOf(page);
  await page.waitForTimeout(700);
  assert.equal(await fenOf(page), at);
  await page.locator("#do-play").click();
  await page.locator(".verdict .sub").filter({ hasText: "The game is over" }).waitFor();
  await page.locator(".chart .line").waitFor();
  await picture("played-out");
});

test("a link shares position, game and place", async ({ page, open, url }) => {
  await open(`#/${FIGURE_4}`);
  await says(page, "Black wins in 2");
  await drag(page, 18, 23);
  await says(page, "Black wins in 1");
  await firstMove(page).click();
  await plies(page).nth(1).waitFor();
  await page.keyboard.press("ArrowLeft");
  await shows(page, "W:WK31:BK23,25");
  await page.locator("#do-share").click();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  assert.ok(link.startsWith(`${url}#/${FIGURE_4}/18-23,`), link);
  await page.goto("about:blank");
  await page.goto(link);
  await plies(page).nth(1).waitFor();
  await shows(page, "W:WK31:BK23,25");
  assert.equal(await plies(page).count(), 2);
});
