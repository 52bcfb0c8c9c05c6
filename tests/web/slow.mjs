// slow.mjs -- a slow server and a busy machine: what a person does counts before the answers come.

import { FIGURE_4, START, assert, click, drag, middle, plies, says, shows, test } from "./kit.mjs";

// Answers about positions wait until they are let go.
async function slowly(page) {
  let open;
  const gate = new Promise((done) => { open = done; });
  await page.route("**/api/v1/position?*", async (route) => { await gate; await route.continue(); });
  return open;
}

const chosen = (page) => page.locator(".marks .chosen");
const moves = async (page) => (await plies(page).allInnerTexts()).map((t) => t.trim());

test("moves are played before the server has answered, by clicks, drags and the list", async ({ page, open }) => {
  const answer = await slowly(page);
  await open("#/");
  await shows(page, START);
  await click(page, 9);
  await chosen(page).waitFor();
  await click(page, 14);
  await plies(page).first().waitFor();
  await drag(page, 22, 18);
  await plies(page).nth(1).waitFor();
  await page.locator("button.move", { hasText: "5-9" }).click();
  await plies(page).nth(2).waitFor();
  await page.keyboard.press("n");
  await shows(page, START);
  await click(page, 11);
  await click(page, 15);
  await plies(page).first().waitFor();
  await click(page, 24);
  await chosen(page).waitFor();
  answer();
  await page.locator(".verdict .sub").filter({ hasText: "Not in the tables" }).waitFor();
  assert.equal(await chosen(page).count(), 1, "the answer takes nothing out of the hand");
  await click(page, 19);
  await plies(page).nth(1).waitFor();
  assert.deepEqual(await moves(page), ["11-15", "24-19"]);
});

test("what a move gave away is told though it was played before the answer", async ({ page, open }) => {
  const answer = await slowly(page);
  await open(`#/${FIGURE_4}`);
  await shows(page, FIGURE_4);
  await drag(page, 18, 22);
  await plies(page).first().waitFor();
  answer();
  await plies(page).first().filter({ hasText: "+11" }).waitFor();
  await page.locator(".note").filter({ hasText: "18-23 wins in 2 moves, but 18-22 allows White 11 moves more." }).waitFor();
});

test("a move of a list that is out of date is not played", async ({ page, open }) => {
  await open(`#/${FIGURE_4}`);
  await says(page, "Black wins in 2");
  await page.locator("button.move").first().evaluate((row) => { row.click(); row.click(); });
  await says(page, "Black wins in 1");
  assert.deepEqual(await moves(page), ["18-23"]);
});

test("a piece is taken up while the last one is still on its way", async ({ page, open }) => {
  await open("#/");
  await shows(page, START);
  const { from, to } = await page.evaluate(() => {
    const box = document.querySelector(".board").getBoundingClientRect(), at = (c, r) => ({ x: box.x + box.width * (c + 0.5) / 8, y: box.y + box.height * (r + 0.5) / 8 });
    return { from: [at(5, 2), at(4, 3)], to: [at(2, 5), at(3, 4)] }; // 11-15, 22-18
  });
  // All in one go: the walk of the first piece has just begun.
  await page.evaluate((points) => {
    const board = document.querySelector(".board");
    board.setPointerCapture = () => {}; // there is no such pointer
    for (const { x, y } of points)
      for (const kind of ["pointerdown", "pointerup"]) board.dispatchEvent(new PointerEvent(kind, { clientX: x, clientY: y, button: 0, pointerId: 1, bubbles: true, isPrimary: true }));
  }, [...from, ...to]);
  await plies(page).nth(1).waitFor();
  assert.deepEqual(await moves(page), ["11-15", "22-18"]);
  await shows(page, "B:W18,21,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,12,15");
});

test("what is pressed is not drawn anew before it is released", async ({ page, open }) => {
  const answer = await slowly(page);
  await open(`#/${FIGURE_4}`);
  const row = page.locator("button.move", { hasText: "18-22" }), at = await middle(row);
  await page.mouse.move(at.x, at.y);
  await page.mouse.down();
  const told = page.waitForResponse("**/api/v1/position?*");
  answer();
  await told;
  await page.waitForTimeout(300);
  await page.mouse.up();
  await plies(page).first().waitFor();
  assert.deepEqual(await moves(page), ["18-22+11"]);
});
