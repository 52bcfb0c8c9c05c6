// Tests of the page in a real browser: playwright-core drives the system's Chromium.
//
//   node tests/web/page.test.mjs [NAME...]
//
// KELSO_BINARY is the program (build/check/kelso), CHROMIUM the browser, KELSO_WEB a folder to
// serve the page from, KELSO_LONG asks for what takes minutes, KELSO_SLOW delays each answer of the
// server by so many milliseconds.  Answers in TAP.

import { main } from "./kit.mjs";
import "./play.mjs";
import "./slow.mjs";
import "./games.mjs";
import "./setup.mjs";
import "./engine.mjs";
import "./pages.mjs";
import "./study.mjs";
import "./looks.mjs";

await main(process.argv.slice(2));
