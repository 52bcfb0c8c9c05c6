import "./kit.mjs";
