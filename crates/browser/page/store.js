// The files that the browser keeps for this page.

const NAME = "veilset";
const FILES = "files";

function settled(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

// Opens the store, which the first visit makes.
export async function openStore() {
  const opening = indexedDB.open(NAME, 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore(FILES);
  const base = await settled(opening);
  return {
    // All files: names and bytes.
    async all() {
      const files = base.transaction(FILES).objectStore(FILES);
      const [names, contents] = await Promise.all([settled(files.getAllKeys()), settled(files.getAll())]);
      return names.map((name, place) => [name, contents[place]]);
    },
    // Puts a file there, or takes it away; the promise is kept once the browser has that on its disk.
    keep(name, bytes) {
      return new Promise((resolve, reject) => {
        const change = base.transaction(FILES, "readwrite", { durability: "strict" });
        change.oncomplete = () => resolve();
        change.onabort = () => reject(change.error);
        const files = change.objectStore(FILES);
        if (bytes === null) files.delete(name);
        else files.put(bytes, name);
      });
    },
  };
}
