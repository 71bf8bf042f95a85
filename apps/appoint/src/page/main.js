// The steps together: what one changes, the others follow.

import * as calendar from "./calendar.js";
import { ask, at, clear, refuse } from "./dom.js";
import * as meeting from "./meeting.js";
import * as order from "./order.js";
import * as other from "./other.js";
import * as run from "./run.js";
import * as week from "./week.js";

const FIELDS = ["dates", "length", "step", "scheme", "hours", "zone", "prefer", "order"];

// Milliseconds that somebody may pause within a stroke before the program is asked.
const PAUSE = 120;

// Cells by their start, and whether they are free, where that is not what the calendar says.
let corrections = {};
// Only the last question's answer is shown.
let asked = 0;
let timer = null;
let answered = Promise.resolve();
// The field of the last refusal, which may be a calendar's.
let refused = "dates";

const times = () => ({ ...meeting.meeting(), corrections, ...order.preference() });

async function refresh() {
  timer = null;
  asked += 1;
  const question = asked;
  try {
    const { cells, slots } = await ask("times", times());
    if (question !== asked) return;
    clear(...FIELDS, refused);
    refused = "dates";
    week.show(cells);
    order.show(slots);
  } catch (refusal) {
    if (question !== asked) return;
    clear(...FIELDS, refused);
    refused = refusal.field;
    refuse(refusal);
  }
}

function changed() {
  clearTimeout(timer);
  answered = refresh();
}

function painted(cells) {
  for (const [start, free] of cells) {
    if (free === null) delete corrections[start];
    else corrections[start] = free;
  }
  count();
  clearTimeout(timer);
  timer = setTimeout(changed, PAUSE);
}

function count() {
  at("uncorrect").hidden = Object.keys(corrections).length === 0;
}

// All that a run needs, after the last change is in it.
async function wanted() {
  if (timer !== null) changed();
  await answered;
  return { times: times(), order: order.order(), ...other.other() };
}

const setup = await ask("setup");
meeting.begin(setup.presets, changed);
calendar.begin(setup.calendar, changed);
week.start(painted);
order.begin(setup.presets, changed);
other.begin(setup);
run.begin(wanted, (slot) => {
  week.mark(slot);
  order.mark(slot);
});
at("uncorrect").addEventListener("click", () => {
  corrections = {};
  count();
  changed();
});
changed();
