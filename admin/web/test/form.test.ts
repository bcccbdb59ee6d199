import assert from "node:assert/strict";
import { test } from "node:test";
import type { Attribute, Condition } from "../src/core/schema";
import { fromEntry, Keys, targetsIn } from "../src/editor/form/entry";
import { reshaped } from "../src/editor/form/reshaped";
import { type FormOptions, FormStore } from "../src/editor/form/form";
import { type Item, itemsOf, type Link, type Shape } from "../src/editor/form/shape";
import { isStoredForm, type StoredForm } from "../src/editor/form/stored";

const attribute = (name: string, type: Attribute["type"], more: Partial<Attribute> = {}): Attribute => ({ name, label: name, type, ...more });

const components: Record<string, Attribute[]> = {
  "part.text": [attribute("heading", "string"), attribute("secret", "password"), attribute("notes", "component", { component: "part.note", repeatable: true })],
  "part.quote": [attribute("quote", "text", { required: true, maxLength: 20 })],
  "part.note": [attribute("note", "string")],
};

const attributes = [
  attribute("title", "string", { required: true, maxLength: 60, minLength: 3 }),
  attribute("body", "richtext"),
  attribute("seats", "integer", { min: 1, max: 500 }),
  attribute("big", "biginteger", { max: "9007199254740993" }),
  attribute("price", "decimal"),
  attribute("open", "boolean", { default: true }),
  attribute("mail", "email"),
  attribute("kind", "enumeration", { enum: ["a", "b"], default: "a" }),
  attribute("day", "date"),
  attribute("facts", "json"),
  attribute("secret", "password", { minLength: 6 }),
  attribute("seo", "component", { component: "part.quote" }),
  attribute("sections", "dynamiczone", { components: ["part.text", "part.quote"], max: 4 }),
  attribute("friends", "relation", { relation: "manyToMany", target: "api::a.a" }),
  attribute("cook", "relation", { relation: "manyToOne", target: "api::b.b" }),
  attribute("photos", "media", { multiple: true }),
  attribute("fixed", "string", { readOnly: true }),
];

const shape: Shape = { attributes, component: (uid) => components[uid] ?? [], drafts: true, localized: true };

interface Stored {
  [name: string]: unknown;
  sections: Record<string, unknown>[];
}

const entry = (): Stored => ({
  title: "Blue Door", body: "long ".repeat(60), seats: 12, big: "9007199254740993", price: 1.5, open: true, kind: "b", facts: { a: 1 },
  seo: { id: 4, quote: "seen" },
  sections: [
    { __component: "part.text", id: 1, heading: "One", notes: [{ id: 7, note: "n" }] },
    { __component: "part.quote", id: 2, quote: "Two" },
    { __component: "part.text", id: 3, heading: "Three", notes: [] },
  ],
  friends: ["p", "q", "r", "s"].map((documentId) => ({ documentId, name: documentId.toUpperCase() })),
  cook: { documentId: "ada", name: "Ada" },
  photos: [{ id: 5, name: "a.jpg" }],
  fixed: "x",
});

let clock = 0;
const form = (more: Partial<FormOptions> = {}) => new FormStore({ shape, entry: entry(), now: () => clock, ...more });
const zone = (f: FormStore) => f.keys(["sections"]).value;
const headings = (f: FormStore) => itemsOf(f.fields()["sections"]).map((i) => i.fields["heading"] ?? i.fields["quote"]);
const key = (f: FormStore, i: number) => zone(f)[i] ?? -1;
const link = (documentId: string): Link => ({ documentId });

test("a form that nobody touched is not dirty and has nothing to write", () => {
  const f = form();
  assert.equal(f.dirty.value, false);
  assert.deepEqual(f.body("changes").data, {});
});

test("only what differs is written", () => {
  const f = form();
  f.set(["title"], "Red Door");
  f.set(["seats"], "40");
  f.set(["open"], null);
  assert.deepEqual(f.body("changes").data, { title: "Red Door", seats: 40, open: null });
  f.set(["title"], "Blue Door");
  f.set(["seats"], "12.0");
  f.set(["open"], true);
  assert.equal(f.dirty.value, false);
});

test("a suggestion that was taken is noted until it is stored or taken back", () => {
  const f = form();
  f.copyFrom({ body: "short" }, ["body"]);
  f.suggest(["body"]);
  assert.ok(f.hasSuggestions());
  assert.ok(form({ stored: JSON.parse(JSON.stringify(f.store())) as StoredForm }).hasSuggestions(), "after a reload");
  f.undo();
  assert.ok(!f.hasSuggestions(), "what was taken back is in no version");
  f.redo();
  const { sent } = f.body("changes");
  f.stored({ ...entry(), body: "short" }, sent);
  assert.ok(!f.hasSuggestions());
  f.set(["body"], "typed");
  assert.ok(!f.hasSuggestions(), "what is typed after that is one's own");
});

test("values are written exactly", () => {
  const f = form();
  f.set(["big"], "9223372036854775807");
  f.set(["price"], "2,25");
  f.set(["facts"], '{"b": [1, 2]}');
  f.set(["day"], "2026-01-02");
  f.set(["photos"], []);
  f.set(["cook"], [link("bea")]);
  assert.deepEqual(f.body("changes").data, { big: "9223372036854775807", price: 2.25, facts: { b: [1, 2] }, day: "2026-01-02", photos: [], cook: { documentId: "bea" } });
});

test("components keep their ids, and only what differs in them is written", () => {
  const f = form();
  f.set(["sections", key(f, 1), "quote"], "Second");
  f.move(["sections"], key(f, 2), 0);
  const added = f.insert(["sections"], 1, "part.quote");
  f.set(["sections", added, "quote"], "New");
  assert.deepEqual(f.body("changes").data, {
    sections: [
      { __component: "part.text", id: 3 },
      { __component: "part.quote", quote: "New" },
      { __component: "part.text", id: 1 },
      { __component: "part.quote", id: 2, quote: "Second" },
    ],
  });
});

test("a single component is made, removed and kept", () => {
  const f = form();
  f.set(["seo", "quote"], "other");
  assert.deepEqual(f.body("changes").data, { seo: { id: 4, quote: "other" } });
  f.clear(["seo"]);
  assert.deepEqual(f.body("changes").data, { seo: null });
  f.fill(["seo"]);
  f.set(["seo", "quote"], "fresh");
  assert.deepEqual(f.body("changes").data, { seo: { quote: "fresh" } });
});

test("a list of links is connected and disconnected, and moves as few as it can", () => {
  const f = form();
  f.set(["friends"], ["s", "p", "q", "x"].map(link));
  assert.deepEqual(f.body("changes").data, {
    friends: {
      connect: [{ documentId: "s", position: { start: true } }, { documentId: "x", position: { after: "q" } }],
      disconnect: [{ documentId: "r" }],
    },
  });
});

/** What the server makes of connect and disconnect. */
function connected(before: string[], body: { connect: { documentId: string; position: { after?: string } }[]; disconnect: { documentId: string }[] }): string[] {
  const list = before.filter((d) => !body.disconnect.some((x) => x.documentId === d));
  for (const { documentId, position } of body.connect) {
    if (list.includes(documentId)) list.splice(list.indexOf(documentId), 1);
    list.splice(position.after === undefined ? 0 : list.indexOf(position.after) + 1, 0, documentId);
  }
  return list;
}

test("every order of links is reached", () => {
  const random = numbers(7);
  for (let round = 0; round < 300; round++) {
    const f = form();
    const pool = ["p", "q", "r", "s", "t", "u", "v"].sort(() => random() - 0.5).slice(0, Math.floor(random() * 8));
    f.set(["friends"], pool.map(link));
    const body = f.body("changes").data["friends"] as Parameters<typeof connected>[1] | undefined;
    if (body) assert.deepEqual(connected(["p", "q", "r", "s"], body), pool);
  }
});

test("a new entry starts with the defaults and writes all that has a value", () => {
  const f = form({ entry: null });
  assert.equal(f.value(["kind"]).value, "a");
  f.set(["title"], "New");
  f.set(["open"], null);
  f.set(["friends"], [link("p"), link("q")]);
  assert.deepEqual(f.body("document").data, { title: "New", kind: "a", open: null, friends: [{ documentId: "p" }, { documentId: "q" }] });
});

test("another locale begins with what all locales share, and writes its own", () => {
  const localized = { ...shape, attributes: attributes.map((a) => (["title", "kind", "sections"].includes(a.name) ? { ...a, localized: true } : a)) };
  const f = form({ shape: localized, entry: null, shared: entry() });
  assert.equal(f.dirty.value, false);
  assert.deepEqual([f.value(["title"]).value, f.value(["seats"]).value, zone(f).length], ["", "12", 0]);
  f.set(["title"], "Blaue Tür");
  assert.deepEqual(f.body("locale").data, { title: "Blaue Tür", kind: "a" });
  f.set(["seo", "quote"], "for all");
  assert.deepEqual(f.body("locale").data["seo"], { quote: "for all" });
});

test("undo takes back what was done last, whichever field it was in", () => {
  const f = form();
  f.set(["title"], "A");
  const removed = key(f, 0);
  f.remove(["sections"], removed);
  f.move(["sections"], key(f, 1), 0);
  assert.deepEqual(headings(f), ["Three", "Two"]);
  assert.equal(f.undo()?.verb, "move");
  assert.equal(f.undo()?.verb, "remove");
  assert.deepEqual(headings(f), ["One", "Two", "Three"]);
  assert.equal(key(f, 0), removed);
  f.undo();
  assert.equal(f.dirty.value, false);
  assert.equal(f.undo(), null);
  f.redo();
  f.redo();
  assert.deepEqual(headings(f), ["Two", "Three"]);
  f.set(["title"], "B");
  assert.equal(f.redo(), null);
});

test("one run of typing is one step, a pause or another field begins the next", () => {
  const f = form();
  const type = (name: string, text: string) => f.set([name], text, { merge: name });
  for (const text of ["h", "he", "hey"]) type("title", text);
  clock += 5000;
  type("title", "hey you");
  type("mail", "a@b.c");
  type("title", "hey you!");
  const titles = [];
  while (f.undo()) titles.push(f.value(["title"]).value);
  assert.deepEqual(titles, ["hey you", "hey you", "hey", "Blue Door"]);
});

test("long texts are undone exactly", () => {
  const f = form();
  const before = f.value(["body"]).value;
  const text = `${String(before).slice(0, 100)} in the middle ${String(before).slice(100)}`;
  f.set(["body"], text, { merge: "body" });
  const stored = JSON.stringify(f.store().history);
  assert.ok(stored.length < 400, `${stored.length} bytes are kept of a small change`);
  f.undo();
  assert.equal(f.value(["body"]).value, before);
  f.redo();
  assert.equal(f.value(["body"]).value, text);
});

test("a reload brings back what was typed and can be undone, but no passwords", () => {
  const f = form();
  f.set(["title"], "Typed");
  f.insert(["sections"], 1, "part.text");
  f.set(["secret"], "open sesame", { merge: "s" });
  f.set(["sections", key(f, 0), "secret"], "hidden word", { merge: "t" });
  const text = JSON.stringify(f.store());
  assert.ok(!text.includes("sesame") && !text.includes("hidden word"));
  const stored = JSON.parse(text) as StoredForm;
  assert.ok(isStoredForm(stored));
  const again = form({ stored });
  assert.equal(again.dirty.value, true);
  assert.equal(again.value(["title"]).value, "Typed");
  assert.equal(zone(again).length, 4);
  again.undo();
  again.undo();
  assert.equal(again.dirty.value, false);
  assert.deepEqual(zone(again), zone(form()));
});

test("after a save the ids of new components are known, and what was typed meanwhile stays", () => {
  const f = form();
  const added = f.insert(["sections"], 0, "part.quote");
  f.set(["sections", added, "quote"], "New");
  f.set(["price"], "1.005");
  const { sent } = f.body("changes");
  f.set(["title"], "Typed while it was saved");
  const saved = entry();
  f.stored({ ...saved, price: 1.01, sections: [{ __component: "part.quote", id: 9, quote: "New" }, ...saved.sections] }, sent);
  assert.equal(key(f, 0), added);
  assert.equal(f.value(["price"]).value, "1.01");
  assert.deepEqual(f.body("changes").data, { title: "Typed while it was saved" });
  f.set(["sections", added, "quote"], "Newer");
  assert.deepEqual((f.body("changes").data["sections"] as object[])[0], { __component: "part.quote", id: 9, quote: "Newer" });
});

test("what somebody else changed elsewhere is taken over", () => {
  const f = form();
  f.set(["title"], "Mine");
  f.set(["sections", key(f, 0), "heading"], "Mine too");
  const theirs = entry();
  theirs["seats"] = 99;
  theirs.sections = [{ __component: "part.quote", id: 20, quote: "Inserted" }, theirs.sections[0]!, { ...theirs.sections[1]!, quote: "Theirs" }];
  assert.deepEqual(f.rebase(theirs).taken, ["seats", "sections"]);
  assert.deepEqual(f.conflicts.value, []);
  assert.deepEqual(headings(f), ["Inserted", "Mine too", "Theirs"]);
  assert.equal(f.value(["seats"]).value, "99");
  assert.deepEqual(Object.keys(f.body("changes").data), ["title", "sections"]);
});

test("what both changed asks, and either side can be taken", () => {
  const f = form();
  f.set(["title"], "Mine");
  f.rebase({ ...entry(), title: "Theirs" });
  const [conflict] = f.conflicts.value;
  assert.deepEqual([conflict?.path, conflict?.mine, conflict?.theirs], [["title"], "Mine", "Theirs"]);
  assert.equal(f.value(["title"]).value, "Mine");
  f.decide(conflict!, "theirs");
  assert.equal(f.value(["title"]).value, "Theirs");
  assert.deepEqual(f.conflicts.value, []);
  assert.equal(f.dirty.value, false);
  f.undo();
  assert.deepEqual(f.body("changes").data, { title: "Mine" });
});

const linked = (documentIds: string) => [...documentIds].map((documentId) => ({ documentId, name: documentId.toUpperCase() }));
const idsOf = (value: unknown) => (value as Link[]).map((l) => l.documentId).join("");

/** A form of friends pqrs in which they are mine, after somebody else has made them theirs. */
function friends(mine: string, theirs: string): FormStore {
  const f = form();
  f.set(["friends"], linked(mine));
  f.rebase({ ...entry(), friends: linked(theirs) });
  return f;
}

test("links that both changed are merged one by one", () => {
  const cases: [mine: string, theirs: string, both: string][] = [
    ["pqrsx", "pqrsy", "pqrsyx"], // both add at the end
    ["xpqrs", "pqrs", "xpqrs"],
    ["pqrs", "pqyrs", "pqyrs"],
    ["pqxrs", "pqyrs", "pqyxrs"],
    ["prs", "pqrsy", "prsy"], // one removes, the other adds
    ["prs", "pqr", "pr"], // both remove
    ["prs", "prs", "prs"],
    ["prsx", "prsx", "prsx"], // both add the same
    ["srqp", "pqrsy", "syrqp"], // one puts them in another order, the other adds behind s
    ["pqrsx", "srqp", "sxrqp"],
    ["", "pqrsy", "y"], // one removes all
    ["x", "qrs", "x"],
  ];
  for (const [mine, theirs, both] of cases) {
    const f = friends(mine, theirs);
    assert.deepEqual(f.conflicts.value, [], `${mine} and ${theirs}`);
    assert.equal(idsOf(f.value(["friends"]).value), both, `${mine} and ${theirs}`);
  }
});

test("links ask only where both have put them in another order, and neither loses what the other added", () => {
  for (const whose of ["mine", "theirs"] as const) {
    const f = friends("qprsx", "pqsry");
    const [conflict, more] = f.conflicts.value;
    assert.deepEqual(conflict?.path, ["friends"]);
    assert.equal(more, undefined);
    assert.equal(idsOf(f.value(["friends"]).value), "qprysx");
    f.decide(conflict!, whose);
    assert.equal(idsOf(f.value(["friends"]).value), whose === "mine" ? "qprysx" : "pqsxry");
  }
});

test("what is merged of links is written by itself", () => {
  const f = friends("prsx", "pqrsy");
  assert.deepEqual(f.body("changes").data, {
    friends: { connect: [{ documentId: "x", position: { after: "y" } }], disconnect: [{ documentId: "q" }] },
  });
});

test("files are merged one by one, one link that both changed asks", () => {
  const f = form();
  const file = (id: number) => ({ id, name: `${id}.jpg` });
  f.set(["photos"], [file(5), file(6)]);
  f.set(["cook"], [{ documentId: "bea" }]);
  f.rebase({ ...entry(), photos: [file(7)], cook: { documentId: "cid", name: "Cid" } });
  assert.deepEqual((f.value(["photos"]).value as { id: number }[]).map(({ id }) => id), [7, 6]);
  assert.deepEqual(f.conflicts.value.map((c) => c.path), [["cook"]]);
});

test("links of both sides are all there in any order of changes", () => {
  const random = numbers(7);
  for (let round = 0; round < 500; round++) {
    const change = (added: string) => [..."pqrs", ...added].filter(() => random() < 0.8).map((id) => [random() < 0.7 ? 0 : random(), id] as const).sort((a, b) => a[0] - b[0]).map(([, id]) => id).join("");
    const [mine, theirs] = [change("xy"), change("yz")];
    const merged = idsOf(friends(mine, theirs).value(["friends"]).value);
    const wanted = [..."pqrsxyz"].filter((id) => ("pqrs".includes(id) ? mine.includes(id) && theirs.includes(id) : mine.includes(id) || theirs.includes(id)));
    assert.deepEqual([...merged].sort(), wanted, `${mine} and ${theirs} are ${merged}`);
  }
});

test("what was discarded comes back where nothing was typed since", () => {
  const typed = form();
  typed.set(["title"], "Discarded");
  typed.set(["seats"], "40");
  typed.set(["sections", key(typed, 2), "heading"], "Discarded too");
  const added = typed.insert(["sections"], 0, "part.quote");
  typed.set(["sections", added, "quote"], "New");
  const now = form();
  const since = now.fields();
  now.set(["title"], "Typed since");
  now.set(["mail"], "a@example.org");
  assert.deepEqual(now.giveBack(typed, since), ["title"]);
  assert.equal(now.value(["title"]).value, "Typed since");
  assert.equal(now.value(["seats"]).value, "40");
  assert.deepEqual(headings(now), ["New", "One", "Two", "Discarded too"]);
  assert.deepEqual(now.body("changes").data, { ...typed.body("changes").data, title: "Typed since", mail: "a@example.org" });
  now.undo();
  assert.deepEqual(now.body("changes").data, { title: "Typed since", mail: "a@example.org" });
});

test("a component that one side removed and the other changed asks", () => {
  const f = form();
  const kept = key(f, 0);
  f.set(["sections", kept, "heading"], "Changed");
  f.remove(["sections"], key(f, 1));
  const theirs = entry();
  theirs.sections = [{ ...theirs.sections[1]!, quote: "Changed there" }, theirs.sections[2]!];
  f.rebase(theirs);
  assert.equal(f.conflicts.value.length, 2);
  const [mine, gone] = f.conflicts.value;
  f.decide(gone!, "theirs");
  f.decide(mine!, "mine");
  assert.deepEqual(headings(f), ["Changed there", "Changed", "Three"]);
  const written = f.body("changes").data["sections"] as Record<string, unknown>[];
  assert.deepEqual(written[1], { __component: "part.text", heading: "Changed", notes: [{ note: "n" }] });
  assert.deepEqual(written[0], { __component: "part.quote", id: 2 });
});

test("merging what both made gives both the same", () => {
  const random = numbers(3);
  for (let round = 0; round < 200; round++) {
    const theirs = form();
    scramble(theirs, random, "theirs");
    const mine = form();
    const saved = asEntry(theirs);
    mine.rebase(saved);
    assert.equal(mine.dirty.value, false);
    assert.deepEqual(asEntry(mine), saved);
  }
});

test("limits are said while typing, other rules when the field is left, what publishing needs at the end", () => {
  const say: FormOptions["say"] = (p) => p.rule + (p.n ?? "");
  const f = form({ say });
  const title = f.errors(["title"]);
  f.set(["title"], "x".repeat(61));
  assert.deepEqual(title.value, ["maxLength60"]);
  f.set(["title"], "ab");
  assert.deepEqual(title.value, []);
  f.problems.leave(["title"]);
  assert.deepEqual(title.value, ["minLength3"]);
  f.set(["title"], "");
  assert.deepEqual(title.value, []);
  assert.deepEqual(f.problems.blocking("save"), []);
  assert.deepEqual(f.problems.blocking("publish"), [{ path: ["title"], message: "required" }]);
  f.problems.sentFor.value = "publish";
  assert.deepEqual(title.value, ["required"]);
});

test("every rule", () => {
  const wrong: [string, unknown, string][] = [
    ["seats", "1.5", "integer"], ["seats", "x", "number"], ["seats", "501", "max500"], ["seats", "0", "min1"],
    ["seats", "3000000000", "max2147483647"], ["big", "9007199254740994", "max9007199254740993"], ["big", "1e3", "integer"],
    ["big", "9223372036854775808", "max9223372036854775807"], ["price", "100000000", "max99999999.99"], ["kind", "c", "choice"],
    ["mail", "nobody", "email"], ["day", "2026-02-30", "moment"], ["facts", "{", "json"], ["secret", "short", "minLength6"],
    ["secret", "ä".repeat(40), "bytes72"], ["title", "x".repeat(256), "maxLength60"],
  ];
  for (const [name, value, rule] of wrong) {
    const f = form({ say: (p) => p.rule + (p.n ?? "") });
    f.set([name], value);
    assert.deepEqual(f.problems.blocking("publish").map((p) => p.message), [rule], `${name}: ${String(value)}`);
  }
});

test("what is wrong inside is counted outside", () => {
  const f = form({ say: (p) => p.rule });
  const added = f.insert(["sections"], 0, "part.quote");
  f.set(["sections", added, "quote"], "x".repeat(30));
  assert.equal(f.problems.visible(["sections"]).length, 1);
  assert.equal(f.problems.visible(["sections", added]).length, 1);
  assert.equal(f.problems.visible(["sections", key(f, 1)]).length, 0);
  assert.equal(f.problems.visible(["seo"]).length, 0);
});

test("what the server refuses is shown where it is, until that changes", () => {
  const f = form();
  const inner = f.errors(["sections", key(f, 1), "quote"]);
  const rest = f.refuse([{ path: ["sections", "1", "quote"], message: "no good" }, { path: ["title"], message: "taken" }, { path: [], message: "as a whole" }], f.fields());
  assert.deepEqual(rest, ["as a whole"]);
  assert.deepEqual(inner.value, ["no good"]);
  f.move(["sections"], key(f, 1), 0);
  assert.deepEqual(inner.value, ["no good"]);
  f.set(["sections", key(f, 0), "quote"], "better");
  assert.deepEqual(inner.value, []);
  assert.deepEqual(f.errors(["title"]).value, ["taken"]);
});

test("what the server refuses by a rule that the form knows is said once, as the form says it", () => {
  const f = form({ say: (p) => p.rule });
  f.set(["title"], "");
  f.refuse([{ path: ["title"], message: "title must be defined." }, { path: ["mail"], message: "This attribute must be unique" }], f.fields());
  assert.deepEqual(f.errors(["title"]).value, ["required"]);
  assert.deepEqual(f.errors(["mail"]).value, ["unique"]);
  f.problems.sentFor.value = "publish";
  assert.deepEqual(f.errors(["title"]).value, ["required"]);
});

test("typing in one field is heard by that field alone", () => {
  const f = form();
  let heard = 0;
  const stop = f.value(["mail"]).subscribe(() => heard++);
  f.set(["title"], "x");
  f.set(["sections", key(f, 0), "heading"], "y");
  assert.equal(heard, 1);
  f.set(["mail"], "z");
  assert.equal(heard, 2);
  stop();
});

test("random work is undone to the beginning and done again to the end", () => {
  const random = numbers(11);
  for (let round = 0; round < 60; round++) {
    const f = form();
    const first = f.fields();
    scramble(f, random, "w");
    const last = f.fields();
    while (f.undo());
    assert.deepEqual(f.fields(), first);
    assert.equal(f.dirty.value, false);
    while (f.redo());
    assert.deepEqual(f.fields(), last);
  }
});

/** Numbers from 0 to 1 that are the same in each run. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 16807) % 2147483647) / 2147483647;
}

function scramble(f: FormStore, random: () => number, word: string) {
  for (let i = 0; i < 12; i++) {
    const keys = zone(f);
    const some = keys[Math.floor(random() * keys.length)] ?? -1;
    const place = Math.floor(random() * (keys.length + 1));
    switch (Math.floor(random() * 7)) {
      case 0:
        f.set(["title"], word + i, { merge: "title" });
        break;
      case 1:
        f.set(["sections", some, "heading"], word + i);
        break;
      case 2:
        f.insert(["sections"], place, random() < 0.5 ? "part.text" : "part.quote");
        break;
      case 3:
        f.remove(["sections"], some);
        break;
      case 4:
        f.move(["sections"], some, place);
        break;
      case 5:
        f.duplicate(["sections"], some);
        break;
      case 6:
        if (f.slot(["seo"]).value) f.clear(["seo"]);
        else f.fill(["seo"]);
    }
  }
}

let nextId = 100;

/** The entry that the server would have after the form was saved. */
function asEntry(f: FormStore): Stored {
  const item = (i: Item): Record<string, unknown> => ({
    __component: i.component, id: i.id ?? nextId++, ...i.fields,
    ...(i.fields["notes"] !== undefined && { notes: itemsOf(i.fields["notes"]).map(item) }),
  });
  const fields = f.fields();
  return {
    ...entry(), title: fields["title"], sections: itemsOf(fields["sections"]).map(item), seo: fields["seo"] && item(fields["seo"] as Item),
  };
}

test("values of another entry are taken over as one step, which leaves nothing when it is undone", () => {
  const form = new FormStore({ shape, entry: { title: "Mine", seo: null, sections: [{ id: 1, __component: "part.quote", quote: "mine" }], friends: [] } });
  const before = form.fields();
  const theirs = {
    title: "Theirs",
    seo: { id: 7, quote: "short" },
    sections: [{ id: 8, __component: "part.text", heading: "Their heading", notes: [{ id: 9, note: "n" }] }],
    friends: [{ documentId: "f1", name: "Ada" }],
  };
  form.copyFrom(theirs, ["title", "seo", "sections", "friends"]);
  const { data } = form.body("document");
  assert.equal(data["title"], "Theirs");
  assert.deepEqual(data["seo"], { quote: "short" }, "a component is a copy, without the id of the other");
  assert.deepEqual(data["sections"], [{ __component: "part.text", heading: "Their heading", notes: [{ note: "n" }] }]);
  assert.equal(form.undo()?.verb, "merge");
  assert.deepEqual(form.fields(), before);
  assert.equal(form.dirty.value, false);
  assert.equal(form.undo(), null);
  form.redo();
  assert.deepEqual(form.body("document").data, data);
});

test("what an entry links to is found at any depth, each once", () => {
  const known: Record<string, Attribute[]> = {
    "part.a": [attribute("one", "relation", { relation: "manyToOne", target: "api::b.b" }), attribute("inner", "component", { component: "part.b" })],
    "part.b": [attribute("any", "relation", { relation: "morphToMany" })],
  };
  const own = [attribute("cook", "relation", { relation: "manyToOne", target: "api::b.b" }), attribute("zone", "dynamiczone", { components: ["part.a"] }), attribute("photos", "media")];
  const whole: Shape = { attributes: own, component: (uid) => known[uid] ?? [], drafts: true, localized: true };
  const inner = { id: 2, any: [{ documentId: "x", __type: "api::c.c", title: "X" }, { documentId: "ada", __type: "api::b.b", name: "Ada" }] };
  const stored = { cook: { documentId: "ada", name: "Ada" }, zone: [{ __component: "part.a", id: 1, one: { documentId: "bob", name: "Bob" }, inner }], photos: { id: 1, name: "a.jpg" } };
  const found = targetsIn(whole, own, fromEntry(whole, own, stored, new Keys()));
  assert.deepEqual(found.map(({ type, title }) => `${type} ${title}`), ["api::b.b Ada", "api::b.b Bob", "api::c.c X"]);
});

test("another schema keeps what was typed where it still can be", () => {
  const f = form();
  f.set(["title"], "Typed");
  f.set(["seats"], "some");
  f.set(["secret"], "a password");
  f.set(["open"], false);
  f.set(["sections", key(f, 0), "heading"], "Typed inside");
  f.set(["photos"], []);
  const parts: Record<string, Attribute[]> = { ...components, "part.text": [attribute("heading", "string"), attribute("notes", "string")] };
  const changed = attributes
    .filter((a) => a.name !== "mail" && a.name !== "open")
    .map((a) => ({ ...a, ...(a.name === "seats" && { type: "string" as const }), ...(a.name === "cook" && { relation: "manyToMany" }), ...(a.name === "sections" && { components: ["part.text"] }) }));
  const to: Shape = { ...shape, attributes: [...changed, attribute("extra", "string", { default: "given" })], component: (uid) => parts[uid] ?? [] };
  const fresh = new FormStore({ shape: to, entry: { ...entry(), extra: "stored" } });
  const { form: stored, gone } = reshaped(f.whole(), attributes, to, fresh.known());
  assert.deepEqual(gone.map((a) => a.name), ["open", "mail", "cook"]);
  const next = new FormStore({ shape: to, entry: entry(), stored });
  assert.equal(next.value(["title"]).value, "Typed");
  assert.equal(next.value(["seats"]).value, "some");
  assert.equal(next.value(["secret"]).value, "a password");
  assert.equal(next.value(["extra"]).value, "stored");
  assert.deepEqual(headings(next), ["Typed inside", "Three"]);
  const { data } = next.body("changes");
  assert.deepEqual(Object.keys(data), ["title", "seats", "secret", "sections", "photos"]);
  for (const step of ["photos", "secret", "seats", "title"]) assert.deepEqual(next.undo()?.path, [step]);
  assert.equal(next.undo(), null, "steps inside of components are forgotten");
  assert.deepEqual(Object.keys(next.body("changes").data), ["sections"]);
});

const conditional = (more: Partial<Attribute>): FormStore => {
  const attributes = [attribute("kind", "enumeration", { enum: ["text", "video"] }), attribute("seats", "integer"), attribute("address", "string", { required: true, ...more })];
  return new FormStore({ shape: { ...shape, attributes }, entry: { kind: "text", seats: 3 }, now: () => clock });
};

test("a value that the schema hides is shown nowhere, and breaks no rule", () => {
  const f = conditional({ visible: { "==": [{ var: "kind" }, "video"] } });
  const address = f.shape.attributes[2]!;
  assert.deepEqual(f.problems.blocking("publish"), []);
  assert.equal(f.shows(["address"], address, true), false);
  f.set(["kind"], "video");
  assert.equal(f.shows(["address"], address, true), true);
  assert.equal(f.problems.blocking("publish").length, 1);
});

test("a field that people hide is shown where something is wrong with it", () => {
  for (const [more, inForm] of [[{ shown: { ">": [{ var: "seats" }, 5] } }, true], [{}, false]] as const) {
    const f = conditional(more);
    const address = f.shape.attributes[2]!;
    assert.equal(f.shows(["address"], address, inForm), false);
    f.problems.sentFor.value = "publish";
    assert.equal(f.shows(["address"], address, inForm), true);
    f.problems.sentFor.value = "nothing";
    f.set(["seats"], "6");
    assert.equal(f.shows(["address"], address, inForm), inForm);
  }
});

test("conditions are those of the server", () => {
  const table: [Condition, boolean][] = [
    [{ "==": [{ var: "kind" }, "text"] }, true],
    [{ "!=": [{ var: "kind" }, "text"] }, false],
    [{ "==": [{ var: "seats" }, "3"] }, true],
    [{ "===": [{ var: "seats" }, "3"] }, false],
    [{ "!==": [{ var: "seats" }, 4] }, true],
    [{ "<": [{ var: "seats" }, 4] }, true],
    [{ ">=": [{ var: "seats" }, 4] }, false],
    [{ in: [{ var: "kind" }, ["video", "text"]] }, true],
    [{ in: ["ex", { var: "kind" }] }, true],
    [{ and: [{ var: "kind" }, { "!": [{ var: "missing" }] }] }, true],
    [{ or: [{ var: "missing" }, { var: "address" }] }, false],
    [{ "!!": [{ var: "address" }] }, false],
    [{ if: [{ var: "missing" }, false, { var: "kind" }, true, false] }, true],
    [{ "==": [{ var: "missing" }, true] }, false],
    [{ "==": [{ var: "address" }, null] }, true],
  ];
  for (const [shown, want] of table) {
    const f = conditional({ shown });
    assert.equal(f.shows(["address"], f.shape.attributes[2]!, true), want, JSON.stringify(shown));
  }
});
