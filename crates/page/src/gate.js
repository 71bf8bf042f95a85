// The way to the program. The token of the address opens it once, for a secret that this tab keeps, also when it is loaded
// again, and sends in a header. No cookie has it: cookies go to every port of this machine.

const HEADER = "x-veilset-page";
const KEY = "secret";

// A browser may be set to keep nothing; then the secret lasts until the page is loaded again.
let secret = "";
const kept = () => {
  try {
    return sessionStorage.getItem(KEY) ?? "";
  } catch {
    return "";
  }
};
const keep = () => {
  try {
    sessionStorage.setItem(KEY, secret);
  } catch {}
};

async function enter() {
  const token = location.hash.slice(1);
  // Without its token the address can be shown to anybody.
  history.replaceState(null, "", location.pathname);
  secret = kept();
  if (!token) return;
  const answer = await fetch("enter", { method: "POST", headers: { [HEADER]: token } });
  // The tab may know the secret although the address was opened again.
  if (!answer.ok) return;
  secret = await answer.text();
  keep();
}

// A program that has ended is noticed by the first question.
const entered = enter().catch(() => {});

// As `fetch`, with the secret. Whoever has none is told so in place of the page.
export async function call(path, options = {}) {
  await entered;
  const answer = await fetch(path, { ...options, headers: { [HEADER]: secret } });
  if (answer.status === 403) {
    const words = document.createElement("p");
    words.id = "refused";
    words.textContent = await answer.text();
    document.body.replaceChildren(words);
    throw new Error("refused");
  }
  return answer;
}

// Calls `heard` with each event of a stream, as long as the program lives.
export async function follow(path, heard) {
  const answer = await call(path);
  const parts = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (let part = await parts.read(); !part.done; part = await parts.read()) {
    text += part.value;
    const events = text.split("\n\n");
    text = events.pop();
    for (const event of events) if (event.startsWith("data:")) heard(JSON.parse(event.slice(5)));
  }
}

// Saves what the program answers as a file, which a link could not ask for.
export async function save(path, name) {
  const answer = await call(path);
  if (!answer.ok) throw new Error(`no ${name}`);
  const link = document.createElement("a");
  link.href = URL.createObjectURL(await answer.blob());
  link.download = name;
  link.click();
  // The browser has it by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
