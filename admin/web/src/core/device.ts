// What this device keeps by itself, in IndexedDB: unsaved work, above all.

export interface Record<T = unknown> {
  key: string;
  value: T;
  savedAt: string;
}

const database = "quire-admin";
const store = "records";
let opened: Promise<IDBDatabase> | undefined;

function open(): Promise<IDBDatabase> {
  opened ??= new Promise((resolve, reject) => {
    const opening = indexedDB.open(database, 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore(store, { keyPath: "key" });
    opening.onsuccess = () => resolve(opening.result);
    opening.onerror = () => reject(opening.error ?? new Error("IndexedDB"));
  });
  opened.catch(() => (opened = undefined));
  return opened;
}

async function run<T>(mode: IDBTransactionMode, act: (records: IDBObjectStore) => IDBRequest<T>): Promise<T> {
  const transaction = (await open()).transaction(store, mode, { durability: "strict" });
  const asked = act(transaction.objectStore(store));
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve(asked.result);
    transaction.onerror = transaction.onabort = () => reject(transaction.error ?? new Error("IndexedDB"));
  });
}

/** What is kept under key; undefined if nothing is. */
export async function get<T>(key: string): Promise<Record<T> | undefined> {
  return run("readonly", (records) => records.get(key) as IDBRequest<Record<T> | undefined>);
}

/** Keeps value under key; it is on the disk when the promise resolves. */
export async function set(key: string, value: unknown): Promise<void> {
  await run("readwrite", (records) => records.put({ key, value, savedAt: new Date().toISOString() } satisfies Record));
}

export async function remove(key: string): Promise<void> {
  await run("readwrite", (records) => records.delete(key));
}

/** All records whose keys begin with prefix. */
export async function list<T>(prefix: string): Promise<Record<T>[]> {
  const range = IDBKeyRange.bound(prefix, prefix + "\uffff");
  return run("readonly", (records) => records.getAll(range) as IDBRequest<Record<T>[]>);
}

/** The name of this browser among those of the account: 16 hex digits, kept in local storage. */
export function device(): string {
  const known = localStorage.getItem("quire-device");
  if (known) return known;
  const made = hex(8);
  localStorage.setItem("quire-device", made);
  return made;
}

/** n random bytes as hex digits. */
export function hex(n: number): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(n)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
