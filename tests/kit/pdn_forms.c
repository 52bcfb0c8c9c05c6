/* SPDX-License-Identifier: MIT */
#include "kit/pdn_forms.h"

const struct pdn_form pdn_forms[] = {
    {"alpha-nosep",
     "[Event \"x\"]\n"
     "[Result \"*\"]\n"
     "\n"
     "1. c3d4 *\n",
     "[Event \"x\"]\n"
     "[Result \"*\"]\n"
     "[GameType \"21\"]\n"
     "\n"
     "1. 11-15 *\n",
     "SIGN"},
    {"backslash-in-tag",
     "[Event \"a\\\\b c:\\\\x\"]\n"
     "\n"
     "1. 11-15 *\n",
     "[Event \"a\\\\b c:\\\\x\"]\n"
     "[GameType \"21\"]\n"
     "\n"
     "1. 11-15 *\n",
     ""},
    {"bom",
     "\xEF\xBB\xBF[Event \"x\"]\n"
     "[Result \"*\"]\n"
     "\n"
     "1. 11-15 23-19 *\n",
     "[Event \"x\"]\n"
     "[Result \"*\"]\n"
     "[GameType \"21\"]\n"
     "\n"
     "1. 11-15 23-19 *\n",
     ""},
    {"comment-before",
     "[Event \"x\"]\n"
     "[Result \"*\"]\n"
     "\n"
     "{before} 1. 11-15 23-19 *\n",
     "[Event \"x\"]\n"
     "[Result \"*\"]\n"
     "[GameType \"21\"]\n"
     "\n"
     "{before} 1. 11-15 23-19 *\n",
     ""},
    {"cr-only", "[Event \"x\"]\r[Result \"*\"]\r\r1. 11-15 23-19 *\r",
     "[Event \"x\"]\n"
     "[Result \"*\"]\n"
     "[GameType \"21\"]\n"
     "\n"
     "1. 11-15 23-19 *\n",
     ""},
    {"curly-quotes",
     "[Event \xE2\x80\x9Cx\xE2\x80\x9D]\n"
     "\n"
     "1. 11-15 *\n",
     "[Event \"x\"]\n"
     "[GameType \"21\"]\n"
     "\n"
     "1. 11-15 *\n",
     "TAG_QUOTES"},
    {"drawn-word",
     "[Event \"x\"]\n"
     "\n"
     "1. 11-15 23-19 Drawn 1/2-1/2\n",
     "[Event \"x\"]\n"
     "[GameType \"21\"]\n"
     "\n"
     "1. 11-15 23-19 {Drawn} 1/2-1/2\n",
     "WORDS"},
    {"ellipses",
     "[Event \"x\"]\n"
     "[Result \"*\"]\n"
     "\n"
     "1. 11-15 23-19 2. 8-11 (2. ... 9-14) 22-17 *\n",
     "[Event \"x\"]\n"
     "[Result \"*\"]\n"
     "[GameType \"21\"]\n"
     "\n"
     "1. 11-15 23-19 2. 8-11 (2. 9-14) 2... 22-17 *\n",
     ""},
    {"empty-game",
     "[Event \"x\"]\n"
     "[Result \"1/2-1/2\"]\n"
     "\n"
     "1/2-1/2\n",
     "[Event \"x\"]\n"
     "[Result \"1/2-1/2\"]\n"
     "[GameType \"21\"]\n"
     "\n"
     "1/2-1/2\n",
     ""},
    {"fen-bad-case",
     "[Setup \"1\"]\n"
     "[fen \"w:wk30:bk1\"]\n"
     "\n"
     "1. 30-26 *\n",
     "[GameType \"21\"]\n"
     "[SetUp \"1\"]\n"
     "[FEN \"W:WK30:BK1\"]\n"
     "\n"
     "1... 30-26 *\n",
     "TAG_CASE"},
    {"fen-empty",
     "[FEN \"\"]\n"
     "\n"
     "1. 11-15 *\n",
     "[GameType \"21\"]\n"
     "\n"
     "1. 11-15 *\n",
     "FEN"},
    {"fen-setup0",
     "[SetUp \"0\"]\n"
     "[FEN \"W:W30:B1\"]\n"
     "\n"
     "1. 30-26 *\n",
     "[GameType \"21\"]\n"
     "[SetUp \"1\"]\n"
     "[FEN \"W:W30:B1\"]\n"
     "\n"
     "1... 30-26 *\n",
     "SETUP"},
    {"full-path-hyphen",
     "[FEN \"W:W26:B6,14,22\"]\n"
     "\n"
     "1. 26-17-10-1 *\n",
     "[GameType \"21\"]\n"
     "[SetUp \"1\"]\n"
     "[FEN \"W:W26:B6,14,22\"]\n"
     "\n"
     "1... 26x1 *\n",
     "CAPTURE_DASH"},
    {"gametype-full",
     "[GameType \"21,B,8,8,N1,0\"]\n"
     "\n"
     "1. 11-15 *\n",
     "[GameType \"21\"]\n"
     "\n"
     "1. 11-15 *\n",
     ""},
    {"gametype-word",
     "[GameType \"English\"]\n"
     "\n"
     "1. 11-15 *\n",
     "[GameType \"21\"]\n"
     "\n"
     "1. 11-15 *\n",
     "GAME_TYPE"},
    {"latin1",
     "[Event \"Caf\xE9\"]\n"
     "[Result \"*\"]\n"
     "\n"
     "1. 11-15 {\xE9t\xE9} *\n",
     "[Event \"Caf\xC3\xA9\"]\n"
     "[Result \"*\"]\n"
     "[GameType \"21\"]\n"
     "\n"
     "1. 11-15 {\xC3\xA9t\xC3\xA9} *\n",
     ""},
    {"lidraughts-style",
     "[Event \"Casual\"]\n"
     "[Site \"https://lidraughts.org/abc\"]\n"
     "[Result \"0-2\"]\n"
     "[GameType \"21\"]\n"
     "[Opening \"x\"]\n"
     "\n"
     "1. 11-15 22-18 2. 15x22 25x18 0-2\n",
     "[Event \"Casual\"]\n"
     "[Site \"https://lidraughts.org/abc\"]\n"
     "[Result \"0-1\"]\n"
     "[Opening \"x\"]\n"
     "[GameType \"21\"]\n"
     "\n"
     "1. 11-15 22-18 2. 15x22 25x18 0-1\n",
     "RESULT_TAG"},
    {"nag-big",
     "[Event \"x\"]\n"
     "[Result \"*\"]\n"
     "\n"
     "1. 11-15 $300 *\n",
     "[Event \"x\"]\n"
     "[Result \"*\"]\n"
     "[GameType \"21\"]\n"
     "\n"
     "1. 11-15 $300 *\n",
     "NAG"},
    {"no-moves-num",
     "[Event \"x\"]\n"
     "\n"
     "1. 1-0\n",
     "[Event \"x\"]\n"
     "[GameType \"21\"]\n"
     "\n"
     "1-0\n",
     ""},
    {"no-term-then-game",
     "[Event \"x\"]\n"
     "\n"
     "1. 11-15 23-19\n"
     "\n"
     "[Event \"y\"]\n"
     "\n"
     "1. 9-14 22-18 *\n",
     "[Event \"x\"]\n"
     "[GameType \"21\"]\n"
     "\n"
     "1. 11-15 23-19 *\n"
     "\n"
     "[Event \"y\"]\n"
     "[GameType \"21\"]\n"
     "\n"
     "1. 9-14 22-18 *\n",
     "RESULT_MISSING"},
    {"num-no-space",
     "[Event \"x\"]\n"
     "[Result \"*\"]\n"
     "\n"
     "1.11-15 23-19 2.8-11 22-17 *\n",
     "[Event \"x\"]\n"
     "[Result \"*\"]\n"
     "[GameType \"21\"]\n"
     "\n"
     "1. 11-15 23-19 2. 8-11 22-17 *\n",
     ""},
    {"paren-strength",
     "[Event \"x\"]\n"
     "[Result \"*\"]\n"
     "\n"
     "1. 11-15(!) 23-19(?) 2. 8-11 22-17 *\n",
     "[Event \"x\"]\n"
     "[Result \"*\"]\n"
     "[GameType \"21\"]\n"
     "\n"
     "1. 11-15 $1 23-19 $2 2. 8-11 22-17 *\n",
     ""},
    {"percent-clk",
     "[Event \"x\"]\n"
     "[Result \"*\"]\n"
     "\n"
     "1. 11-15 {[%clk 0:05:00]} 23-19 {[%eval 0.1]} *\n",
     "[Event \"x\"]\n"
     "[Result \"*\"]\n"
     "[GameType \"21\"]\n"
     "\n"
     "1. 11-15 {[%clk 0:05:00]} 1... 23-19 {[%eval 0.1]} *\n",
     ""},
    {"quote-in-tag",
     "[Event \"the \"big\" one\"]\n"
     "[Result \"*\"]\n"
     "\n"
     "1. 11-15 *\n",
     "[Event \"the \\\"big\\\" one\"]\n"
     "[Result \"*\"]\n"
     "[GameType \"21\"]\n"
     "\n"
     "1. 11-15 *\n",
     "TAG_QUOTES"},
    {"result-half",
     "[Event \"x\"]\n"
     "[Result \"1/2\"]\n"
     "\n"
     "1. 11-15 23-19 1/2\n",
     "[Event \"x\"]\n"
     "[Result \"1/2-1/2\"]\n"
     "[GameType \"21\"]\n"
     "\n"
     "1. 11-15 23-19 1/2-1/2\n",
     "RESULT_TAG RESULT_FORM"},
    {"result-mismatch2",
     "[Event \"x\"]\n"
     "[Result \"0-1\"]\n"
     "\n"
     "1. 11-15 23-19 1-0\n",
     "[Event \"x\"]\n"
     "[Result \"0-1\"]\n"
     "[GameType \"21\"]\n"
     "\n"
     "1. 11-15 23-19 1-0\n",
     "RESULT_DIFFERS"},
    {"result-word",
     "[Event \"x\"]\n"
     "[Result \"drawn\"]\n"
     "\n"
     "1. 11-15 23-19 *\n",
     "[Event \"x\"]\n"
     "[Result \"1/2-1/2\"]\n"
     "[GameType \"21\"]\n"
     "\n"
     "1. 11-15 23-19 *\n",
     "RESULT_TAG RESULT_DIFFERS"},
    {"star-strength-pdn2",
     "[Event \"x\"]\n"
     "[Result \"*\"]\n"
     "\n"
     "1. 11-15* 23-19 2. 8-11! 22-17 *\n",
     "[Event \"x\"]\n"
     "[Result \"*\"]\n"
     "[GameType \"21\"]\n"
     "\n"
     "1. 11-15 $7 23-19 2. 8-11 $1 22-17 *\n",
     "STAR"},
    {"tag-lower",
     "[event \"x\"]\n"
     "[white \"y\"]\n"
     "\n"
     "1. 11-15 *\n",
     "[Event \"x\"]\n"
     "[White \"y\"]\n"
     "[GameType \"21\"]\n"
     "\n"
     "1. 11-15 *\n",
     "TAG_CASE"},
    {"tags-one-line", "[Event \"x\"] [White \"a\"] [Black \"b\"] 1. 11-15 *\n",
     "[Event \"x\"]\n"
     "[Black \"b\"]\n"
     "[White \"a\"]\n"
     "[GameType \"21\"]\n"
     "\n"
     "1. 11-15 *\n",
     ""},
    {"unicode-x",
     "[Event \"x\"]\n"
     "[Result \"*\"]\n"
     "\n"
     "1. 11-15 22-18 2. 15\xC3\x97"
     "22 25\xC3\x97"
     "18 *\n",
     "[Event \"x\"]\n"
     "[Result \"*\"]\n"
     "[GameType \"21\"]\n"
     "\n"
     "1. 11-15 22-18 2. 15x22 25x18 *\n",
     "SIGN"},
    {"var-with-result",
     "[Event \"x\"]\n"
     "[Result \"*\"]\n"
     "\n"
     "1. 11-15 (1. 9-14 22-18 1-0) 23-19 *\n",
     "[Event \"x\"]\n"
     "[Result \"*\"]\n"
     "[GameType \"21\"]\n"
     "\n"
     "1. 11-15 (1. 9-14 22-18) 1... 23-19 *\n",
     "VARIATION_RESULT"},
    {"x-for-quiet",
     "[Event \"x\"]\n"
     "[Result \"*\"]\n"
     "\n"
     "1. 11x15 23x19 *\n",
     "[Event \"x\"]\n"
     "[Result \"*\"]\n"
     "[GameType \"21\"]\n"
     "\n"
     "1. 11-15 23-19 *\n",
     "QUIET_X"},
    {"colon", "11:15 22:18 15:22 25:18 *",
     "[GameType \"21\"]\n"
     "\n"
     "1. 11-15 22-18 2. 15x22 25x18 *\n",
     "QUIET_X"},
    {"en-dash",
     "11\xE2\x80\x93"
     "15 23\xE2\x88\x92"
     "19 *",
     "[GameType \"21\"]\n"
     "\n"
     "1. 11-15 23-19 *\n",
     "SIGN"},
    {"four-digits", "1115 2319 *",
     "[GameType \"21\"]\n"
     "\n"
     "1. 11-15 23-19 *\n",
     "SIGN"},
    {"blank-in-move", "1. 11- 15 23 -19 2. 8 - 11 *",
     "[GameType \"21\"]\n"
     "\n"
     "1. 11-15 23-19 2. 8-11 *\n",
     "GAP"},
    {"hops",
     "[FEN \"W:W26:B6,14,22\"]\n"
     "\n"
     "1... 26x17 17x10 10x1 *",
     "[GameType \"21\"]\n"
     "[SetUp \"1\"]\n"
     "[FEN \"W:W26:B6,14,22\"]\n"
     "\n"
     "1... 26x1 *\n",
     "SPLIT"},
    {"hops-with-dash",
     "[FEN \"W:W26:B6,14,22,28\"]\n"
     "\n"
     "1... 26-17 17-10 10-1 2. 28-32 *",
     "[GameType \"21\"]\n"
     "[SetUp \"1\"]\n"
     "[FEN \"W:W26:B6,14,22,28\"]\n"
     "\n"
     "1... 26x1 2. 28-32 *\n",
     "CAPTURE_DASH SPLIT"},
    {"commas", "11-15, 23-19, 8-11, 22-17, *",
     "[GameType \"21\"]\n"
     "\n"
     "1. 11-15 23-19 2. 8-11 22-17 *\n",
     "SEPARATOR"},
    {"no-result-at-all", "1. 11-15 23-19",
     "[GameType \"21\"]\n"
     "\n"
     "1. 11-15 23-19 *\n",
     "RESULT_MISSING"},
    {"tag-twice",
     "[Event \"a\"]\n"
     "[Event \"b\"]\n"
     "\n"
     "1. 11-15 *",
     "[Event \"a\"]\n"
     "[GameType \"21\"]\n"
     "\n"
     "1. 11-15 *\n",
     "TAG_TWICE"},
    {"sign-apart", "1. 11-15 ! 23-19 ?\? *",
     "[GameType \"21\"]\n"
     "\n"
     "1. 11-15 $1 23-19 $4 *\n",
     "STRENGTH"},
    {"many-signs", "1. 11-15!!! *",
     "[GameType \"21\"]\n"
     "\n"
     "1. 11-15 $3 $1 *\n",
     "STRENGTH"},
    {"forfeit",
     "[Result \"0-0\"]\n"
     "\n"
     "1. 11-15 0-0",
     "[Result \"0-0\"]\n"
     "[GameType \"21\"]\n"
     "\n"
     "1. 11-15 0-0\n",
     ""},
    {"result-tag-empty",
     "[Result \"\"]\n"
     "\n"
     "1. 11-15 1-0",
     "[Result \"*\"]\n"
     "[GameType \"21\"]\n"
     "\n"
     "1. 11-15 1-0\n",
     "RESULT_TAG"},
    {"result-tag-asked",
     "[Result \"?\"]\n"
     "\n"
     "1. 11-15 *",
     "[Result \"*\"]\n"
     "[GameType \"21\"]\n"
     "\n"
     "1. 11-15 *\n",
     "RESULT_TAG"},
    {"result-tag-words",
     "[Result \"abandoned\"]\n"
     "\n"
     "1. 11-15 *",
     "[Result \"*\"]\n"
     "[ResultText \"abandoned\"]\n"
     "[GameType \"21\"]\n"
     "\n"
     "1. 11-15 *\n",
     "RESULT_TAG"},
    {"half",
     "[Result \"\xC2\xBD-\xC2\xBD\"]\n"
     "\n"
     "1. 11-15 \xC2\xBD",
     "[Result \"1/2-1/2\"]\n"
     "[GameType \"21\"]\n"
     "\n"
     "1. 11-15 1/2-1/2\n",
     "RESULT_TAG RESULT_FORM"},
    {"resigns",
     "[Event \"x\"]\n"
     "\n"
     "1. 11-15 23-19 Red resigns",
     "[Event \"x\"]\n"
     "[GameType \"21\"]\n"
     "\n"
     "1. 11-15 23-19 {Red resigns} 0-1\n",
     "RESULT_MISSING WORDS"},
    {"agreement",
     "11-15 23-19\n"
     "drawn by agreement\n"
     "[1] 9-14 or 9-13\n",
     "[GameType \"21\"]\n"
     "\n"
     "1. 11-15 23-19 {drawn by agreement} 1/2-1/2\n",
     "RESULT_MISSING WORDS"},
    {"nbsp",
     "1.\xC2\xA0"
     "11-15\xC2\xA0"
     "23-19 *",
     "[GameType \"21\"]\n"
     "\n"
     "1. 11-15 23-19 *\n",
     "BLANK"},
    {"tag-comment",
     "[Event \"x\"]\n"
     "{between} ; and this\n"
     "[Site \"y\"]\n"
     "\n"
     "1. 11-15 *",
     "[Event \"x\"]\n"
     "[Site \"y\"]\n"
     "[GameType \"21\"]\n"
     "\n"
     "{between} {and this} 1. 11-15 *\n",
     "TAG_COMMENT"},
    {"nested-comment", "1. 11-15 {a {b} c} 23-19 *",
     "[GameType \"21\"]\n"
     "\n"
     "1. 11-15 {a (b) c} 1... 23-19 *\n",
     "COMMENT"},
    {"algebraic-fen",
     "[FEN \"B:Wa5,Kh8:Bg1\"]\n"
     "\n"
     "1. g1-h2 *",
     "[GameType \"21\"]\n"
     "[SetUp \"1\"]\n"
     "[FEN \"B:W20,K29:B1\"]\n"
     "\n"
     "1. 1-5 *\n",
     ""},
    {"algebraic-fen-lower",
     "[fen \"b:wa5,kh8:bg1\"]\n"
     "\n"
     "1. g1h2 *",
     "[GameType \"21\"]\n"
     "[SetUp \"1\"]\n"
     "[FEN \"B:W20,K29:B1\"]\n"
     "\n"
     "1. 1-5 *\n",
     "TAG_CASE SIGN"},
    {"early-variation", "(1. 9-14 22-18) {why} (1. 9-13) 1. 11-15! 23-19 *",
     "[GameType \"21\"]\n"
     "\n"
     "1. 11-15 $1 (1. 9-14 22-18) {why} (1. 9-13) 1... 23-19 *\n",
     "EARLY_VARIATION"},
    {"early-in-variation", "1. 11-15 ((1. 9-14) 9-13) 23-19 *",
     "[GameType \"21\"]\n"
     "\n"
     "1. 11-15 (1. 9-13 (1. 9-14)) 1... 23-19 *\n",
     "EARLY_VARIATION"},
    {"glued", "1. 11-15good 23-19the best 2. 8-11 *",
     "[GameType \"21\"]\n"
     "\n"
     "1. 11-15 {good} 1... 23-19 {the best} 2. 8-11 *\n",
     "WORDS"},
    {"ambiguous",
     "[FEN \"B:W6,7,14,15,32:B2\"]\n"
     "\n"
     "1. 2x18 {a} 6-1 *",
     "[GameType \"21\"]\n"
     "[SetUp \"1\"]\n"
     "[FEN \"B:W6,7,14,15,32:B2\"]\n"
     "\n"
     "1. 2x11x18 {a} 1... 6-1 *\n",
     "AMBIGUOUS"},
    {"number-bare", "1 11-15 23-19 2 8-11 *",
     "[GameType \"21\"]\n"
     "\n"
     "1. 11-15 23-19 2. 8-11 *\n",
     "NUMBER"},
    {"star-at-end", "1. 11-15 23-19*",
     "[GameType \"21\"]\n"
     "\n"
     "1. 11-15 23-19 *\n",
     ""},
    {"star-parens", "1. 11-15(*) 23-19 *",
     "[GameType \"21\"]\n"
     "\n"
     "1. 11-15 $7 23-19 *\n",
     "STAR"},
    {"footnotes", "11-15 ^[1] 23-19 [%clk 1] 8-11 *",
     "[GameType \"21\"]\n"
     "\n"
     "1. 11-15 {[1]} 1... 23-19 {[%clk 1]} 2. 8-11 *\n",
     "SEPARATOR FOOTNOTE"},
    {"bad-variation", "1. 11-15 (1. 9-14 22-19 {x} (y) 1-5) 23-19 *",
     "[GameType \"21\"]\n"
     "\n"
     "1. 11-15 (1. 9-14 {22-19 (x) (y) 1-5}) 1... 23-19 *\n",
     "BAD_VARIATION"},
    {"open-variation", "1. 11-15 (1. 9-14 22-18 1-0",
     "[GameType \"21\"]\n"
     "\n"
     "1. 11-15 (1. 9-14 22-18) 1-0\n",
     "OPEN_VARIATION"},
    {"empty-variation", "1. 11-15 ( ) 23-19 *",
     "[GameType \"21\"]\n"
     "\n"
     "1. 11-15 23-19 *\n",
     "EMPTY_VARIATION"},
    {"comment-variation", "1. 11-15 ({no} ) 23-19 *",
     "[GameType \"21\"]\n"
     "\n"
     "1. 11-15 ({no}) 1... 23-19 *\n",
     ""},
    {"stray-paren", "1. 11-15 ) 23-19 *",
     "[GameType \"21\"]\n"
     "\n"
     "1. 11-15 23-19 *\n",
     "PARENTHESIS"},
    {"nag-first", "$1 1. 11-15 $70000 *",
     "[GameType \"21\"]\n"
     "\n"
     "1. 11-15 *\n",
     "NAG"},
    {"label",
     "# three\n"
     "one | B:WK32:BK1 | 1-5 32-28\n"
     "two#2 | B:WK31:BK1 | 1-6\n",
     "[GameType \"21\"]\n"
     "[SetUp \"1\"]\n"
     "[FEN \"B:WK32:BK1\"]\n"
     "\n"
     "1. 1-5 32-28 *\n"
     "\n"
     "[GameType \"21\"]\n"
     "[SetUp \"1\"]\n"
     "[FEN \"B:WK31:BK1\"]\n"
     "\n"
     "1. 1-6 *\n",
     "LINE FEN RESULT_MISSING SEPARATOR"},
    {"fen-in-front", "B:WK32:BK1 1-5 32-28 W:WK1:BK32 1-5 *",
     "[GameType \"21\"]\n"
     "[SetUp \"1\"]\n"
     "[FEN \"B:WK32:BK1\"]\n"
     "\n"
     "1. 1-5 32-28 *\n"
     "\n"
     "[GameType \"21\"]\n"
     "[SetUp \"1\"]\n"
     "[FEN \"W:WK1:BK32\"]\n"
     "\n"
     "1... 1-5 *\n",
     "FEN RESULT_MISSING"},
    {"unquoted",
     "[Event x y]\n"
     "[Site \"open\n"
     "[Date \"z\"\n"
     "\n"
     "1. 11-15 *",
     "[Event \"x y\"]\n"
     "[Site \"open\"]\n"
     "[Date \"z\"]\n"
     "[GameType \"21\"]\n"
     "\n"
     "1. 11-15 *\n",
     "TAG_QUOTES TAG_CLOSE"},
    {"backslash-last",
     "[Site \"C:\\games\\\"]\n"
     "\n"
     "1. 11-15 *",
     "[Site \"C:\\\\games\\\\\"]\n"
     "[GameType \"21\"]\n"
     "\n"
     "1. 11-15 *\n",
     "TAG_QUOTES"},
    {"no-name",
     "[\"x\"]\n"
     "[Event \"x\"]\n"
     "\n"
     "1. 11-15 *",
     "[Event \"x\"]\n"
     "[GameType \"21\"]\n"
     "\n"
     "1. 11-15 *\n",
     "TAG_BAD"},
    {"setup-alone",
     "[SetUp \"1\"]\n"
     "\n"
     "1. 11-15 *",
     "[GameType \"21\"]\n"
     "\n"
     "1. 11-15 *\n",
     "SETUP"},
    {"checkerboard",
     "[Event \"x\"]\n"
     "[Result \"1-0\"]\n"
     "\n"
     "1. 10x14 22x18 2. 6x10 24x19 1-0\n",
     "[Event \"x\"]\n"
     "[Result \"1-0\"]\n"
     "[GameType \"21\"]\n"
     "\n"
     "1. 10-14 22-18 2. 6-10 24-19 1-0\n",
     "QUIET_X"},
    {"trailing-comment",
     "1. 11-15 1-0 {time} ; up\n"
     "1. 9-14 *",
     "[GameType \"21\"]\n"
     "\n"
     "1. 11-15 {time} {up} 1-0\n"
     "\n"
     "[GameType \"21\"]\n"
     "\n"
     "1. 9-14 *\n",
     ""},
    {"crlf",
     "[Event \"x\"]\r\n"
     "\r\n"
     "1. 11-15\r\n"
     "23-19 *\r\n",
     "[Event \"x\"]\n"
     "[GameType \"21\"]\n"
     "\n"
     "1. 11-15 23-19 *\n",
     ""},
    {"dots", "1. ... *",
     "[GameType \"21\"]\n"
     "\n"
     "*\n",
     ""},
    {"ellipsis", "1. 11-15 1\xE2\x80\xA6 23-19 *",
     "[GameType \"21\"]\n"
     "\n"
     "1. 11-15 23-19 *\n",
     ""},
    {"issue-21", "1. 11-15 22-18 {x} 2. 15x22 25x18 *",
     "[GameType \"21\"]\n"
     "\n"
     "1. 11-15 22-18 {x} 2. 15x22 25x18 *\n",
     ""},
    {"percent",
     "% other program\n"
     "1. 11-15 *\n",
     "[GameType \"21\"]\n"
     "\n"
     "1. 11-15 *\n",
     ""},
};

const size_t pdn_forms_count = sizeof pdn_forms / sizeof *pdn_forms;
