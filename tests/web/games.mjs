// games.mjs -- games come in whole and go out whole: PDN of all ages, the tree, files,
// what survives a reload and what travels in a link.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { FIGURE_4, START, assert, click, drag, plies, readPdn, says, shows, test, toasts, writePdn } from "./kit.mjs";

const TREE = `[Event "A match"]
[Black "Anna"]
[White "Bert"]
[Result "1/2-1/2"]
[Annotator "Carl"]
[GameType "21"]

{An old line.} 1. 11-15! {the usual} (1. 9-14 {solid} 1... 22-18 (1... 22-17
$7 {sharp} 2. 11-15)) 1... 23-19 $300 (1... 24-20?!) 2. 8-11 {a {nested} word}
2... 22-17 1/2-1/2
`;

// Text, what its main line is, its result, and whether something was mended.
const FORMS = [
  ["comment in a game without tags", "1. 11-15 22-18 {x} 2. 15x22 25x18 *", "11-15 22-18 15x22 25x18", "*", 0],
  ["result 1-0", "1. 11-15 22-18 2. 15x22! 25x18 1-0", "11-15 22-18 15x22 25x18", "1-0", 0],
  ["x for a quiet move", "1. 11x15 23x19 *", "11-15 23-19", "*", 0],
  ["algebraic, no separator", "1. c3d4 *", "11-15", "*", 0],
  ["algebraic with a hyphen", "1. c3-d4 f6-e5 *", "11-15 22-18", "*", 0],
  ["colon and multiplication sign", "1. 11-15 22-18 2. 15:22 25×18 *", "11-15 22-18 15x22 25x18", "*", 0],
  ["en-dash, blanks inside", "1. 11–15 23- 19 2. 8 - 11 *", "11-15 23-19 8-11", "*", 0],
  ["commas, no numbers, no result", "11-15, 23-19, 8-11", "11-15 23-19 8-11", "*", 0],
  ["numbers without blanks", "1.11-15 23-19 2.8-11 22-17 *", "11-15 23-19 8-11 22-17", "*", 0],
  ["ellipses", "1. 11-15 23-19 2. 8-11 (2. ... 9-14) 2... 22-17 *", "11-15 23-19 8-11 22-17", "*", 0],
  ["lines end with CR LF", '[Event "x"]\r\n\r\n1. 11-15 23-19 *\r\n', "11-15 23-19", "*", 0],
  ["byte order mark", '\ufeff[Event "x"]\n\n1. 11-15 23-19 *', "11-15 23-19", "*", 0],
  ["curly quotes", "[Event “x”]\n\n1. 11-15 *", "11-15", "*", 0],
  ["quotes inside a tag", '[Event "the "big" one"]\n\n1. 11-15 *', "11-15", "*", 0],
  ["tags on one line", '[Event "x"] [White "a"] [Black "b"] 1. 11-15 *', "11-15", "*", 0],
  ["a tag twice", '[Event "x"]\n[Event "y"]\n1. 11-15 *', "11-15", "*", 1],
  ["Drawn", "1. 11-15 23-19 Drawn", "11-15 23-19", "1/2-1/2", 1],
  ["Red resigns", "1. 11-15 23-19 Red resigns", "11-15 23-19", "0-1", 1],
  ["half a point", '[Result "1/2"]\n1. 11-15 23-19 1/2', "11-15 23-19", "1/2-1/2", 0],
  ["0-2 of ten-by-ten sites", "1. 11-15 22-18 2. 15x22 25x18 0-2", "11-15 22-18 15x22 25x18", "0-1", 0],
  ["0-0", "1. 11-15 0-0", "11-15", "*", 1],
  ["tag and end disagree", '[Result "0-1"]\n1. 11-15 23-19 1-0', "11-15 23-19", "1-0", 1],
  ["star move", "1. 11-15* 23-19 2. 8-11! 22-17 *", "11-15 23-19 8-11 22-17", "*", 1],
  ["signs in parentheses", "1. 11-15(!) 23-19 (?) 2. 8-11 *", "11-15 23-19 8-11", "*", 0],
  ["a jump in parts", '[FEN "W:W26:B6,14,22"]\n1. 26x17 17x10 10x1 *', "26x1", "*", 1],
  ["a path with hyphens", '[FEN "W:W26:B6,14,22"]\n1. 26-17-10-1 *', "26x1", "*", 0],
  ["fen in lower case", '[setup "1"]\n[fen "w:wk30:bk1"]\n1. 30-26 *', "30-26", "*", 0],
  ["algebraic FEN", '[FEN "B:Wc7:Bc3"]\n1. 11-15 *', "11-15", "*", 0],
  ["empty FEN", '[FEN ""]\n1. 11-15 *', "11-15", "*", 1],
  ["GameType in words", '[GameType "English"]\n1. 11-15 *', "11-15", "*", 0],
  ["GameType in full", '[GameType "21,B,8,8,N1,0"]\n1. 11-15 *', "11-15", "*", 0],
  ["result in a variation", "1. 11-15 (1. 9-14 22-18 1-0) 1... 23-19 *", "11-15 23-19", "*", 1],
  ["variation before the first move", "(1. 9-14) 1. 11-15 *", "11-15", "*", 1],
  ["text glued to a move", "1. 11-15ok 23-19 *", "11-15 23-19", "*", 1],
  ["non-breaking blanks", "1.\u00a011-15\u00a023-19 *", "11-15 23-19", "*", 0],
  ["comment between tags", '[Event "x"]\n{hm}\n[White "y"]\n1. 11-15 *', "11-15", "*", 0],
  ["ambiguous, the next move decides", '[FEN "B:W6,7,14,15,32:B2"]\n1. 2x18 14-9 *', "2x11x18 14-9", "*", 1],
  ["a FEN before moves", `${FIGURE_4} 18-22 31-27`, "18-22 31-27", "*", 0],
];

test("PDN as it is out there: each form is read, mended where need be, and comes out again", async ({ page, open }) => {
  await open("#/");
  const found = await page.evaluate(async (forms) => {
    const [{ read }, { writeGames }] = await Promise.all([import("/js/pdn.js"), import("/js/pdnwrite.js")]);
    return forms.map(([name, text]) => {
      const { games, errors, notes } = read(text), out = writeGames(games);
      return { name, games: games.length, errors: errors.map((e) => e.message), notes: notes.length, result: games[0]?.result,
        moves: games[0]?.mainLine.map((n) => n.move).join(" "), again: writeGames(read(out).games) === out, ...{ mended: notes.map((n) => n.message) } };
    });
  }, FORMS);
  FORMS.forEach(([name, , moves, result, mended], i) => {
    const f = found[i], said = JSON.stringify(f);
    assert.equal(f.games, 1, said);
    assert.deepEqual(f.errors, [], said);
    assert.equal(f.moves, moves, said);
    assert.equal(f.result, result, said);
    assert.equal(f.again, true, `${name}: written, read and written again it differs`);
    assert.equal(f.notes > 0, Boolean(mended), said);
  });
});

// The forms that the program's own tests read: {name, bytes}, from their C source.
function programForms() {
  const source = readFileSync("tests/kit/pdn_forms.c", "utf8"), bytes = (text) => Buffer.from(text, "latin1");
  const plain = (literal) => literal.replace(/\\(x[0-9A-Fa-f]{2}|.)/g, (_, c) => (c[0] === "x" ? String.fromCharCode(parseInt(c.slice(1), 16)) : { n: "\n", t: "\t", r: "\r" }[c] ?? c));
  return [...source.matchAll(/^    \{((?:\s*(?:"(?:[^"\\]|\\.)*"|,))+)\}/gm)].map(([, body]) => {
    const fields = [""];
    for (const [token] of body.matchAll(/"(?:[^"\\]|\\.)*"|,/g))
      if (token === ",") fields.push("");
      else fields[fields.length - 1] += plain(Buffer.from(token.slice(1, -1), "utf8").toString("latin1"));
    return { name: fields[0], bytes: bytes(fields[1]) };
  });
}

// The page reads games by itself; the program's reader is the judge of the same bytes.
test("the page reads games as the program does", async ({ page, open, api }) => {
  await open("#/");
  const forms = [...programForms(), ...FORMS.map(([name, text]) => ({ name, bytes: Buffer.from(text) }))];
  assert.ok(forms.length > 110, String(forms.length));
  const found = await page.evaluate(async (list) => {
    const { decode, read } = await import("/js/pdn.js");
    return list.map((bytes) => read(decode(new Uint8Array(bytes))).games.map((g) => g.mainLine.map((n) => n.move).join(" ")).filter(Boolean)); // the server tells of moves alone
  }, forms.map((f) => [...f.bytes]));
  const told = []; // one by one: the server lets only so many wait
  for (const f of forms) told.push(await api("game", { method: "POST", body: f.bytes }));
  const wrong = forms.flatMap((f, i) => {
    const theirs = told[i].games.map((g) => g.moves.map((m) => m.move).join(" "));
    return JSON.stringify(found[i]) === JSON.stringify(theirs) ? [] : [{ name: f.name, text: f.bytes.toString(), page: found[i], program: theirs, error: told[i].error }];
  });
  assert.deepEqual(wrong, []);
});

test("files: UTF-16, Latin-1; several games with their names; one with an error", async ({ page, open, scratch }) => {
  await open("#/");
  await says(page, "The start");
  const file = join(scratch, "two.pdn");
  writeFileSync(file, Buffer.from('\ufeff[Black "Änne"]\n[White "B"]\n\n1. 11-15 23-19 *\n\n[Event "Zwei"]\n\n1. 11-16 24-19 2. 9-9 *\n', "utf16le"));
  await page.locator("#pdn-file").setInputFiles(file);
  await toasts(page, "two.pdn: 2 games read, one error.");
  await page.locator("#pdn-error").filter({ hasText: "two.pdn, Line 8, column 19: '9-9' is not legal for Black" }).waitFor();
  assert.deepEqual(await page.locator("#games option").allInnerTexts(), ["1. Änne – B, 1 move", "2. Zwei, 1 move"]);
  await page.locator("#games").selectOption("1");
  await plies(page).nth(1).waitFor();
  assert.equal(await plies(page).first().innerText(), "11-16");
  const french = join(scratch, "one.pdn");
  writeFileSync(french, Buffer.from('[Event "Café"]\n\n1. 11-15 {été} *\n', "latin1"));
  await page.locator("#pdn-file").setInputFiles(french);
  await toasts(page, "1 game read");
  assert.match(await page.locator("#games option").nth(2).innerText(), /Café/);
  const [saved] = await Promise.all([page.waitForEvent("download"), page.locator("#game-save").click()]);
  const text = readFileSync(await saved.path(), "utf8");
  assert.ok(text.includes('[Black "Änne"]') && text.includes("{été}") && text.includes("1. 11-16 24-19 *"), text);
});

test("a file is dropped on the page", async ({ page, open }) => {
  await open("#/");
  await says(page, "The start");
  await page.evaluate(() => {
    const data = new DataTransfer();
    data.items.add(new File(["1. 9-14 22-18 *"], "dropped.pdn"));
    for (const kind of ["dragover", "drop"]) document.querySelector(".board").dispatchEvent(new DragEvent(kind, { dataTransfer: data, bubbles: true, cancelable: true }));
  });
  await toasts(page, "dropped.pdn: 1 game read.");
  assert.equal(await plies(page).count(), 2);
});

test("a game is loaded up to its first error, which is told with line and column", async ({ page, open, picture }) => {
  await open("#/");
  await readPdn(page, '[Event "x"]\n\n1. 11-15 22-18 2. 15x22\n25-18 3. 8-11 29-24 *\n');
  await page.locator("#pdn-error").filter({ hasText: "Line 4, column 15" }).waitFor();
  assert.equal(await plies(page).count(), 5);
  await picture("pdn-error");
  await readPdn(page, '[GameType "20"]\n1. 32-28 19-23 *\n');
  await page.locator("#pdn-error").filter({ hasText: "Line 1, column 1: expected GameType 21" }).waitFor();
});

test("a tree goes in as PDN and comes out to the comment", async ({ page, open, picture }) => {
  await open("#/");
  await readPdn(page, TREE);
  await plies(page).nth(3).waitFor();
  assert.equal(await page.locator(".ply.var").count(), 5);
  assert.equal(await page.locator(".shelf h2").innerText(), "Anna – Bert");
  assert.equal(await writePdn(page), TREE);
  await picture("tree", true);
});

test("variations are played, promoted, deleted and put back; comments and signs are written", async ({ page, open }) => {
  await open(`#/${FIGURE_4}`);
  await says(page, "Black wins in 2");
  await drag(page, 18, 23);
  await says(page, "Black wins in 1");
  await page.keyboard.press("ArrowLeft");
  await says(page, "Black wins in 2");
  await drag(page, 18, 22);
  await says(page, "Black wins in 12");
  assert.equal(await page.locator(".ply.var").innerText(), "18-22 +11".replace(" ", ""));
  await page.locator("#comment").fill("too slow");
  await page.locator("#comment").press("Enter");
  await page.locator('[data-sign="2"]').click();
  await page.keyboard.press("ArrowUp");
  await says(page, "Black wins in 1");
  await page.keyboard.press("ArrowDown");
  await says(page, "Black wins in 12");
  assert.ok((await writePdn(page)).includes("1. 18-23 (1. 18-22? {too slow}) *"));
  await page.locator("#promote").click();
  assert.ok((await writePdn(page)).includes("1. 18-22? {too slow} (1. 18-23) *"));
  await page.locator("#cut").click();
  assert.ok((await writePdn(page)).includes("1. 18-23 *"));
  await page.locator(".toast button").click();
  assert.ok((await writePdn(page)).includes("1. 18-22? {too slow} (1. 18-23) *"));
});

test("what the tables say of a game that is read", async ({ page, open }) => {
  await open("#/");
  await readPdn(page, `[SetUp "1"]\n[FEN "${FIGURE_4}"]\n\n1. 18-22 {not best} 31-27 2. 22-26 *\n`);
  await shows(page, FIGURE_4);
  await page.locator(".ply sup").first().waitFor();
  assert.match(await plies(page).first().innerText(), /18-22\s*\+11/);
  await page.locator("#do-forward").click();
  await page.locator(".note").filter({ hasText: "18-23 wins in 2 moves, but 18-22 allows White 11 moves more." }).waitFor();
  await page.locator(".chart").waitFor();
  assert.ok((await writePdn(page)).includes("1. 18-22 {not best} 1... 31-27 2. 22-26 *"));
});

test("a tree travels in the link", async ({ page, open, newPage }) => {
  await open("#/");
  await readPdn(page, TREE);
  await page.locator(".ply.var").nth(2).click();
  await page.locator(".ply.var.now").waitFor();
  await page.locator("#do-share").click();
  await toasts(page, "Link copied");
  const link = await page.evaluate(() => navigator.clipboard.readText());
  const elsewhere = await newPage();
  await elsewhere.goto(link);
  await elsewhere.locator(".ply.var.now").waitFor();
  assert.equal(await elsewhere.locator(".ply.var.now").innerText(), await page.locator(".ply.var.now").innerText());
  assert.equal(await writePdn(elsewhere), TREE);
});

test("games survive a reload, and New game can be undone", async ({ page, open, url }) => {
  await open("#/");
  await readPdn(page, TREE);
  await plies(page).nth(2).click();
  await page.locator("#do-fresh").click();
  await toasts(page, "New game");
  await shows(page, START);
  assert.equal(await page.locator("#games option").count(), 2);
  await page.locator(".toast button", { hasText: "Undo" }).click();
  await page.locator(".ply.now").filter({ hasText: "8-11" }).waitFor();
  assert.equal(await page.locator("#games:visible").count(), 0);
  await page.keyboard.press("n");
  await shows(page, START);
  await click(page, 9);
  await click(page, 14);
  await plies(page).first().waitFor();
  await page.reload();
  await plies(page).first().waitFor();
  assert.equal(await page.locator("#games option").count(), 2);
  await page.locator("#games").selectOption("0");
  assert.equal(await writePdn(page), TREE);
  await page.goto("about:blank");
  await page.goto(url);
  await plies(page).nth(3).waitFor();
  await page.goto(`${url}#/${FIGURE_4}`); // a link to something else takes nothing away
  await says(page, "Black wins in 2");
  assert.equal(await page.locator("#games option").count(), 3);
});

test("details of the game go into its tags", async ({ page, open }) => {
  await open("#/");
  await says(page, "The start");
  await page.locator("#game-details").click();
  await page.locator("#tag-Black").fill('Marion "Tin" Tinsley');
  await page.locator("#tag-White").fill("Chinook");
  await page.locator("#tag-Result").selectOption("1/2-1/2");
  await page.keyboard.press("Escape");
  assert.equal(await page.locator(".shelf h2").innerText(), 'Marion "Tin" Tinsley – Chinook');
  const text = await writePdn(page);
  assert.ok(text.includes('[Black "Marion \\"Tin\\" Tinsley"]') && text.includes('[Result "1/2-1/2"]') && text.endsWith("1/2-1/2\n"), text);
});

// The page has rules of its own, to read games with: the server's are the judge.
test("the page's rules are the server's, on random games", async ({ page, open }) => {
  await open("#/");
  const seed = Number(process.env.KELSO_SEED || Date.now() % 1e9);
  console.log(`# KELSO_SEED=${seed}`);
  const wrong = await page.evaluate(async (seed) => {
    const [{ legalMoves }, { parseFen }] = await Promise.all([import("/js/rules.js"), import("/js/notation.js")]);
    let state = seed;
    const random = (n) => { state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff; return (state >> 8) % n; };
    const key = (list) => JSON.stringify([...list].map(({ move, path, captured, crowns, fen }) => [move, path, [...captured].sort((a, b) => a - b), crowns, fen]).sort());
    const positions = ["B:W6,7,14,15:B2", "B:W6,7,14,15,22,23:BK2", "W:WK18:B6,7,14,15,22,23"];
    for (let game = 0; game < 6; game++) {
      let fen = "B:W21-32:B1-12";
      for (let ply = 0; ply < 70; ply++) {
        const legal = legalMoves(parseFen(fen));
        if (!legal.length) break;
        fen = legal[random(legal.length)].fen;
        if (ply % 6 === game) positions.push(fen);
      }
    }
    const told = await Promise.all(positions.map(async (fen) => (await fetch(`/api/v1/moves?fen=${fen}`)).json()));
    return positions.filter((fen, i) => key(legalMoves(parseFen(fen))) !== key(told[i].moves));
  }, seed);
  assert.deepEqual(wrong, []);
});
