// toolbar.js -- the buttons below the board.

import { choice, el, icon } from "./dom.js";

const ICONS = {
  first: "M18 6l-6 6 6 6M11 6l-6 6 6 6",
  back: "M15 5l-7 7 7 7",
  play: "M8 5v14l11-7z",
  pause: "M8 5v14M16 5v14",
  forward: "M9 5l7 7-7 7",
  last: "M6 6l6 6-6 6M13 6l6 6-6 6",
  fresh: "M4 4v6h6M4.6 10A8 8 0 1 1 4 14",
  setup: "M4 20h4L19 9l-4-4L4 16zM13 7l4 4",
  flip: "M7 4v15M3.5 15.5 7 19l3.5-3.5M17 20V5M13.5 8.5 17 5l3.5 3.5",
  share: "M9 15l6-6M10 6l1.5-1.5a4.2 4.2 0 0 1 6 6L16 12M14 18l-1.5 1.5a4.2 4.2 0 0 1-6-6L8 12",
};
const LABELS = {
  first: "To the start (Home)", back: "Back (←)", play: "Play on (space)", forward: "Forward (→)", last: "To the end (End)",
  fresh: "New game (n)", setup: "Set up a position (s)", flip: "Flip the board (f)", share: "Copy a link to this game",
};

export class Toolbar {
  constructor(actions) {
    this.buttons = {};
    const tool = (name) => {
      const button = el("button.icon-button", {
        type: "button", id: `do-${name}`, onclick: actions[name], "aria-label": LABELS[name].replace(/ \(.*/, ""), title: LABELS[name],
      }, icon(ICONS[name], name === "play"));
      this.buttons[name] = button;
      return button;
    };
    this.pace = choice({ "aria-label": "Speed of play" }, [[1100, "slow"], [450, "steady"], [40, "fast"]], 450);
    this.element = el("div.toolbar", { role: "toolbar", "aria-label": "The game" },
      ["first", "back", "play", "forward", "last"].map(tool), this.pace, el("span.grow"), ["fresh", "setup", "flip", "share"].map(tool));
  }

  get speed() {
    return this.pace.value;
  }

  show({ playing, atStart, atEnd }) {
    const { play, first, back, forward, last } = this.buttons;
    // An icon that is replaced between press and release takes the click with it.
    if (this.playing !== playing) {
      this.playing = playing;
      play.replaceChildren(icon(playing ? ICONS.pause : ICONS.play, !playing));
      play.setAttribute("aria-label", playing ? "Pause" : "Play on");
    }
    first.disabled = back.disabled = atStart;
    forward.disabled = last.disabled = atEnd;
  }
}
