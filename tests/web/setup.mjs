// setup.mjs -- positions put up by hand: with mouse, touch and keys.

import { FIGURE_4, START, assert, click, drag, dragTo, fenOf, firstMove, middle, readPdn, says, shows, square, test } from "./kit.mjs";

const begin = async (page) => {
  await page.locator("#do-setup").click();
  await page.locator("#setup-clear").click();
};

test("set up Figure 4 with the palette", async ({ page, open, picture }) => {
  await open("#/");
  await begin(page);
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
  await says(page, "Black wins in 2 moves");
  assert.match(await firstMove(page).innerText(), /18-23/);
});

test("set up: drag from the palette, across the board, off it; a click cycles", async ({ page, open }) => {
  await open("#/");
  await begin(page);
  await dragTo(page, await middle(page.locator('[data-tool="B"]')), await square(page, 14));
  await shows(page, "B:W:BK14");
  await drag(page, 14, 18);
  await shows(page, "B:W:BK18");
  await dragTo(page, await middle(page.locator('[data-tool="w"]')), await square(page, 10));
  await shows(page, "B:W10:BK18");
  const board = await page.locator(".board").boundingBox();
  await dragTo(page, await square(page, 10), { x: board.x - 40, y: board.y + 100 });
  await shows(page, "B:W:BK18");
  for (const fen of ["B:W:BK18,K31", "B:W31:BK18", "B:WK31:BK18", "B:W:BK18"]) {
    await click(page, 31); // a black man cannot stand there: the cycle begins with a king
    await shows(page, fen);
  }
  await page.locator("#setup-start").click();
  await shows(page, START);
  await page.locator("#setup-swap").click();
  await shows(page, START.replace(/^B/, "W"));
});

test("set up: Escape leaves without loss", async ({ page, open }) => {
  await open(`#/${FIGURE_4}`);
  await says(page, "Black wins in 2");
  await drag(page, 18, 23);
  await says(page, "Black wins in 1");
  await begin(page);
  await shows(page, "W:W:B");
  await page.keyboard.press("Escape");
  await shows(page, "W:WK31:BK23,25");
  await says(page, "Black wins in 1");
  assert.equal(await page.locator(".ply").count(), 1);
});

test("set up by keyboard", async ({ page, open }) => {
  await open("#/");
  await page.keyboard.press("s");
  await page.locator("#setup-clear").focus();
  await page.keyboard.press("Enter");
  await page.locator(".board").focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("B");
  await shows(page, "B:W:BK2");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("w");
  await shows(page, "B:W6:BK2");
  await page.keyboard.press("Delete");
  await shows(page, "B:W:BK2");
  await page.keyboard.press("Enter");
  await shows(page, "B:W:BK2,6");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Enter");
  await shows(page, "B:WK6:BK2");
  await page.locator('[data-turn="W"]').focus();
  await page.keyboard.press("Enter");
  await page.locator("#setup-done").focus();
  await page.keyboard.press("Enter");
  await page.locator(".verdict .exact").waitFor();
  assert.equal(await fenOf(page), "W:WK6:BK2");
});

test("set up by touch", async ({ open, phone, picture }) => {
  const page = await phone();
  await open("#/", page);
  await page.locator("#do-setup").tap();
  await page.locator("#setup-clear").tap();
  await page.locator('[data-tool="B"]').tap();
  for (const n of [18, 19]) { const at = await square(page, n); await page.touchscreen.tap(at.x, at.y); }
  await page.locator('[data-tool="W"]').tap();
  const at = await square(page, 32);
  await page.touchscreen.tap(at.x, at.y);
  await shows(page, "B:WK32:BK18,K19");
  await picture("phone-setup", false, page);
  await page.locator("#setup-done").tap();
  await says(page, "Black wins in");
});

test("a FEN that is none is told with its column", async ({ page, open }) => {
  await open("#/");
  await readPdn(page, "");
  await page.locator("#fen").fill("B:WK31:B25,K18x");
  await page.locator("#fen").press("Enter");
  await page.locator("#fen-error").filter({ hasText: "column 15" }).waitFor();
});

test("set up at 1280x720 and on a phone on its side: all of it in sight", async ({ newPage, sideways, open, picture }) => {
  for (const page of [await newPage({ viewport: { width: 1280, height: 720 } }), await sideways()]) {
    await open("#/", page);
    await page.locator("#do-setup").click();
    const { width, height } = page.viewportSize();
    for (const what of [".board", '[data-tool="b"]', '[data-turn="W"]', "#setup-clear", "#setup-done"]) {
      const box = await page.locator(what).boundingBox();
      assert.ok(box.y >= 0 && box.y + box.height <= height && box.x + box.width <= width, `${what} at ${width}x${height}: ${JSON.stringify(box)}`);
    }
    await picture(`setup-${width}`, false, page);
  }
});
