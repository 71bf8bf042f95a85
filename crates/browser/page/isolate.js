// Adds the headers of a relay, which isolate the page, where its server gives none. It keeps nothing, and asks nobody else.

const HEADERS = {
  "Content-Security-Policy":
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; style-src 'self'; img-src 'self' blob: data:; " +
    "connect-src 'self' wss: ws://localhost:* ws://127.0.0.1:*; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "X-Content-Type-Options": "nosniff",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
  "Cross-Origin-Resource-Policy": "same-origin",
};

addEventListener("install", () => skipWaiting());
addEventListener("activate", (event) => event.waitUntil(clients.claim()));
addEventListener("fetch", (event) => {
  if (new URL(event.request.url).origin !== location.origin) return;
  event.respondWith(
    fetch(event.request).then((answer) => {
      if (answer.status === 0) return answer;
      const headers = new Headers(answer.headers);
      for (const [name, value] of Object.entries(HEADERS)) headers.set(name, value);
      return new Response(answer.body, { status: answer.status, statusText: answer.statusText, headers });
    }),
  );
});
