// What this page loads and sends, all of it, and what it keeps.

import { call } from "../ask.js";
import { complaint, list, make, part, refuse } from "../dom.js";
import { bytes } from "../words.js";

function table(caption, head, rows) {
  const line = ([name, size]) => make("tr", {}, make("th", { scope: "row" }, name), make("td", {}, bytes(size)));
  return make(
    "table",
    { class: "loads" },
    make("caption", { class: "unseen" }, caption),
    make(
      "thead",
      {},
      make(
        "tr",
        {},
        head.map((words) => make("th", { scope: "col" }, words)),
      ),
    ),
    make("tbody", {}, rows.map(line)),
  );
}

export function show(place) {
  const box = make("div", { class: "stack" });
  place.append(
    make("h1", {}, "What this page loads and sends"),
    make(
      "p",
      { class: "lead" },
      "This page has no counters, no cookies and no parts from elsewhere. This is all that it loads and sends.",
    ),
    box,
  );
  const draw = async () => {
    const { resources, sent } = await call("loaded");
    const total = resources.reduce((sum, each) => sum + each.bytes, 0);
    box.append(
      part(
        "Sent",
        sent.length
          ? table(
              "Sent",
              ["To", "Size"],
              sent.map((each) => [each.to, each.bytes]),
            )
          : make("p", {}, "Nothing was sent yet."),
        make(
          "p",
          { class: "hint" },
          "Messages of the protocol go to your partner through the relay, encrypted. The relay sees their sizes and times.",
        ),
      ),
      part(
        "Loaded",
        make("p", { class: "quiet" }, `${resources.length} files, ${bytes(total)}.`),
        table(
          "Loaded",
          ["File", "Size"],
          resources.map((each) => [each.url, each.bytes]),
        ),
      ),
      part(
        "Kept",
        list([
          "Your key, your partners’ keys, your agreements and your receipts, until you delete them.",
          "Your list, only in the memory of this tab, until you close it.",
          "The result, only in this tab, until you save it.",
        ]),
      ),
    );
  };
  draw().catch((refusal) => {
    const error = complaint();
    box.replaceChildren(error);
    refuse(error, refusal);
  });
}
