import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../src/blocks/model";
import { narrowed, placeOf, textSplices } from "../src/core/splices";
import type { Attribute } from "../src/core/schema";
import { type FormOptions, FormStore, type Texts } from "../src/editor/form/form";
import { same } from "../src/editor/form/equal";
import type { Shape } from "../src/editor/form/shape";
import { isStoredForm, type StoredForm } from "../src/editor/form/stored";
import * as texts from "../src/editor/merge/texts";
import { type Random, random } from "./random";
import { randomBlocks } from "./random-blocks";

const attribute = (name: string, type: Attribute["type"], more: Partial<Attribute> = {}): Attribute => ({ name, label: name, type, ...more });
const markdown = attribute("notes", "richtext");
const rich = attribute("body", "blocks");

const lines = (base: string, mine: string, theirs: string) => texts.mergeText(markdown, base, mine, theirs);
const blocks = (base: unknown, mine: unknown, theirs: unknown) => texts.mergeText(rich, base, mine, theirs);
const paragraph = (text: string): JsonObject => ({ type: "paragraph", children: [{ type: "text", text }] });
const item = (text: string): JsonObject => ({ type: "list-item", children: [{ type: "text", text }] });
const list = (format: string, ...items: JsonObject[]): JsonObject => ({ type: "list", format, children: items });

test("lines of which each has changed others are merged", () => {
  const cases: { name: string; base: string; mine: string; theirs: string; merged: string | undefined }[] = [
    { name: "two paragraphs", base: "One\n\nTwo", mine: "One!\n\nTwo", theirs: "One\n\nTwo?", merged: "One!\n\nTwo?" },
    { name: "the same line", base: "One\n\nTwo", mine: "One!\n\nTwo", theirs: "One?\n\nTwo", merged: undefined },
    { name: "lines side by side", base: "One\nTwo", mine: "One!\nTwo", theirs: "One\nTwo?", merged: undefined },
    { name: "an end that is added", base: "One\n\nTwo", mine: "One!\n\nTwo", theirs: "One\n\nTwo\n\nThree", merged: "One!\n\nTwo\n\nThree" },
    { name: "two ends", base: "One", mine: "One\n\nTwo", theirs: "One\n\nThree", merged: undefined },
    { name: "the same change", base: "One\n\nTwo\n\nThree", mine: "One!\n\nTwo\n\nThree", theirs: "One!\n\nTwo\n\nThree?", merged: "One!\n\nTwo\n\nThree?" },
    { name: "one removes what the other changes", base: "One\n\nTwo\n\nThree", mine: "One\n\nThree", theirs: "One\n\nTwo!\n\nThree", merged: undefined },
    { name: "one of equal lines is removed, and another changed", base: "a\na\na\nb", mine: "a\na\nb", theirs: "a\na\na!\nb", merged: undefined },
    { name: "returns of another program", base: "One\r\n\r\nTwo\r\n", mine: "One!\n\nTwo\n", theirs: "One\r\n\r\nTwo?\r\n", merged: "One!\n\nTwo?\n" },
    { name: "returns of both", base: "One\r\n\r\nTwo", mine: "One!\r\n\r\nTwo", theirs: "One\r\n\r\nTwo?", merged: "One!\r\n\r\nTwo?" },
    { name: "a line break at the end", base: "One\n\nTwo", mine: "One!\n\nTwo", theirs: "One\n\nTwo\n", merged: "One!\n\nTwo\n" },
    { name: "signs of two units and of two characters", base: "👩‍👩‍👧\n\né", mine: "👩‍👩‍👦\n\né", theirs: "👩‍👩‍👧\n\né", merged: "👩‍👩‍👦\n\né" },
    { name: "what was empty", base: "", mine: "One", theirs: "Two", merged: undefined },
  ];
  for (const { name, base, mine, theirs, merged } of cases) {
    assert.equal(lines(base, mine, theirs), merged, name);
    assert.equal(lines(base, theirs, mine), merged, `${name}, the other way round`);
  }
});

test("blocks and items of lists of which each has changed others are merged", () => {
  const base = [paragraph("One"), paragraph("Two"), list("unordered", item("a"), item("b"), item("c")), paragraph("Three")];
  const mine = [paragraph("One!"), base[1], list("unordered", item("a"), item("b"), item("c!")), base[3]];
  const theirs = [paragraph("One"), base[1], list("unordered", item("a?"), item("b"), item("c")), base[3]];
  assert.deepEqual(blocks(base, mine, theirs), [mine[0], base[1], list("unordered", item("a?"), item("b"), item("c!")), base[3]]);
  const ordered = [base[0], base[1], list("ordered", item("a"), item("b"), item("c")), base[3]];
  assert.deepEqual(blocks(base, ordered, mine), [mine[0], base[1], list("ordered", item("a"), item("b"), item("c!")), base[3]]);
  const split = [base[0], base[1], list("unordered", item("a"), item("b")), paragraph("between"), list("unordered", item("c")), base[3]];
  assert.deepEqual(blocks(base, split, theirs), [base[0], base[1], list("unordered", item("a?"), item("b")), paragraph("between"), list("unordered", item("c")), base[3]]);
  const [one, two] = [[mine[0]!, base[1]!], [base[0]!, paragraph("Two?")]];
  assert.deepEqual(blocks(base.slice(0, 2), one, two), [mine[0], two[1]], "paragraphs side by side");
  assert.equal(blocks(base.slice(0, 2), one, [base[0], paragraph("between"), base[1]]), undefined, "a paragraph beside one that has changed");
  assert.equal(blocks(base, [...base.slice(0, 2), base[3]], theirs), undefined, "a list that is removed");
  assert.equal(blocks(null, [paragraph("One")], [paragraph("Two")]), undefined);
  assert.equal(blocks(base, null, theirs), undefined);
  assert.equal(blocks("no list", [paragraph("One")], [paragraph("Two")]), undefined);
  const image = { type: "image", image: { url: "/a.png", width: 3 }, children: [{ type: "text", text: "" }] };
  const turned = { children: [{ text: "", type: "text" }], image: { width: 3, url: "/a.png" }, type: "image" };
  assert.deepEqual(blocks([image, paragraph("One"), paragraph("Two")], [turned, paragraph("One"), paragraph("Two!")], [image, paragraph("One"), paragraph("Two")]), [image, paragraph("One"), paragraph("Two!")], "the order of members is no change");
});

let made = 0;
/** Edits of a list: units that are new have a name of their own. */
function edited<T>(r: Random, from: readonly T[], make: () => T, most = 4): T[] {
  const after = [...from];
  for (let n = r.below(most) + 1; n > 0; n--) {
    const at = r.below(after.length + 1);
    after.splice(at, r.chance(0.5) && at < after.length ? 1 + r.below(2) : 0, ...(r.chance(0.7) ? r.some(1, 2, make) : []));
  }
  return after;
}
const newLine = () => `new ${++made}`;
const isIn = (all: readonly string[]) => new Set(all);

test("a merge has what both have added and nothing that one has removed, or is a conflict", () => {
  const r = random(7);
  let merges = 0;
  for (let round = 0; round < 3000; round++) {
    const base = r.some(0, 14, newLine);
    const [a, b] = [edited(r, base, newLine), edited(r, base, newLine)];
    const text = (units: readonly string[]) => units.join("\n");
    assert.equal(lines(text(base), text(a), text(base)), text(a));
    assert.equal(lines(text(base), text(base), text(b)), text(b));
    assert.equal(lines(text(base), text(a), text(a)), text(a));
    const merged = lines(text(base), text(a), text(b));
    assert.equal(lines(text(base), text(b), text(a)), merged);
    if (typeof merged !== "string") continue;
    merges++;
    const [inA, inB, inBase, found] = [isIn(a), isIn(b), isIn(base), merged === "" ? [] : merged.split("\n")];
    const wanted = [...new Set([...base, ...a, ...b])].filter((unit) => (inBase.has(unit) ? inA.has(unit) && inB.has(unit) : true));
    assert.deepEqual(found.filter((unit) => unit !== "").toSorted(), wanted.filter((unit) => unit !== "").toSorted());
  }
  assert.ok(merges > 300, `only ${merges} merges`);
});

test("equal lines make a merge neither lose its symmetry nor change what only one has changed", () => {
  const r = random(11);
  const line = () => r.pick(["a", "b", ""]);
  for (let round = 0; round < 3000; round++) {
    const base = r.some(0, 9, line);
    const [a, b] = [edited(r, base, line), edited(r, base, line)].map((units) => units.join("\n")) as [string, string];
    const was = base.join("\n");
    assert.equal(lines(was, a, was), a);
    assert.equal(lines(was, was, b), b);
    assert.equal(lines(was, a, a), a);
    assert.equal(lines(was, a, b), lines(was, b, a));
  }
});

test("two changes of one unit are a conflict, whatever else has changed", () => {
  const r = random(13);
  for (let round = 0; round < 500; round++) {
    const base = r.some(3, 9, newLine);
    const at = r.below(base.length);
    const change = (other: number) => base.map((unit, i) => (i === at ? newLine() : i === other ? newLine() : unit)).join("\n");
    assert.equal(lines(base.join("\n"), change(r.below(base.length)), change(r.below(base.length))), undefined);
  }
});

test("random blocks are merged as valid blocks", () => {
  const r = random(17);
  let merges = 0;
  for (let round = 0; round < 600; round++) {
    const base = [...randomBlocks(r), paragraph(newLine()), list("ordered", item(newLine()), item(newLine()), item(newLine()), item(newLine()))];
    const change = (): unknown[] => {
      const after = edited<JsonObject>(r, base, () => r.pick([paragraph(newLine()), list("ordered", item(newLine()))]), 2);
      return after.map((block) => (block["type"] === "list" && r.chance(0.4) ? { ...block, children: edited(r, block["children"] as JsonObject[], () => item(newLine()), 1) } : block)).filter((block) => block["type"] !== "list" || (block["children"] as unknown[]).length > 0);
    };
    const [a, b] = [change(), change()];
    assert.deepEqual(blocks(base, a, base), a.length ? a : null);
    assert.deepEqual(blocks(base, a, a), a.length ? a : null);
    const merged = blocks(base, a, b);
    assert.deepEqual(blocks(base, b, a), merged);
    if (!Array.isArray(merged)) continue;
    merges++;
    const names = (value: unknown) => new Set(JSON.stringify(value).match(/new \d+/g) ?? []);
    const [inA, inB, inBase] = [names(a), names(b), names(base)];
    const wanted = [...inBase].filter((n) => inA.has(n) && inB.has(n)).concat([...inA, ...inB].filter((n) => !inBase.has(n)));
    assert.deepEqual([...names(merged)].toSorted(), [...new Set(wanted)].toSorted());
    for (const block of merged as JsonObject[]) if (block["type"] === "list") assert.ok(Array.isArray(block["children"]));
  }
  assert.ok(merges > 50, `only ${merges} merges`);
});

test("any number of people come to the same text, which has all that was stored and nothing that was removed", () => {
  const r = random(19);
  for (let round = 0; round < 60; round++) {
    let server = r.some(8, 20, newLine);
    const stored = new Set(server);
    const removed = new Set<string>();
    const people = Array.from({ length: 2 + r.below(4) }, () => ({ base: server, mine: server }));
    const takeOver = (one: { base: string[]; mine: string[] }) => {
      const merged = lines(one.base.join("\n"), one.mine.join("\n"), server.join("\n"));
      one.mine = merged === undefined ? server : String(merged).split("\n"); // who is asked takes theirs
      one.base = server;
    };
    for (let n = 0; n < 60; n++) {
      const one = r.pick(people);
      if (r.chance(0.5)) one.mine = edited(r, one.mine, newLine, 1);
      else if (r.chance(0.5)) takeOver(one);
      else {
        takeOver(one);
        for (const unit of one.mine) stored.add(unit);
        for (const unit of server) if (!one.mine.includes(unit)) removed.add(unit);
        server = one.base = one.mine;
      }
    }
    for (const one of people) {
      one.mine = one.base;
      takeOver(one);
    }
    assert.deepEqual(server.filter(Boolean).toSorted(), [...stored].filter((unit) => unit && !removed.has(unit)).toSorted());
    for (const one of people) assert.deepEqual(one.mine, server);
  }
});

test("a text that is too long, or of which too much has changed, is not merged", () => {
  const long = Array.from({ length: 60_000 }, (_, i) => `${i}`);
  const text = (change: (line: string, i: number) => string, of = long) => of.map(change).join("\n");
  assert.equal(lines(text((l) => l), text((l, i) => (i === 0 ? "a" : l)), text((l, i) => (i === 9000 ? "b" : l))), undefined);
  const shorter = long.slice(0, 20_000);
  assert.equal(lines(text((l) => l, shorter), text((l, i) => (i % 2 ? `a${l}` : l), shorter), text((l, i) => (i === 9000 ? "b" : l), shorter)), undefined);
  const merged = lines(text((l) => l, shorter), text((l, i) => (i === 0 ? "a" : l), shorter), text((l, i) => (i === 9000 ? "b" : l), shorter));
  assert.equal(merged, text((l, i) => (i === 0 ? "a" : i === 9000 ? "b" : l), shorter));
});

const parts: Attribute[] = [attribute("text", "text"), attribute("code", "password")];
const shape: Shape = { attributes: [attribute("title", "string"), markdown, rich, attribute("parts", "component", { component: "a.part", repeatable: true })], component: () => parts, drafts: true, localized: false };
const entry = (more: Record<string, unknown> = {}) => ({ title: "T", notes: "One\n\nTwo\n\nThree", body: [paragraph("One"), paragraph("Two"), paragraph("Three")], parts: [{ id: 1, text: "One\n\nTwo" }], ...more });
const form = (more: Partial<FormOptions> = {}) => new FormStore({ shape, entry: entry(), now: () => (clock += 5000), ...more });
let clock = 0;
const merging: Texts = texts;

test("a form merges what others have stored in the same text, in components too", () => {
  const f = form();
  const key = f.keys(["parts"]).value[0]!;
  f.set(["notes"], "One!\n\nTwo\n\nThree");
  f.set(["parts", key, "text"], "One\n\nTwo!");
  const theirs = entry({ title: "Theirs", notes: "One\n\nTwo\n\nThree?", parts: [{ id: 1, text: "One?\n\nTwo" }] });
  assert.ok(f.isTextOfBoth(theirs));
  const { taken, merged } = f.rebase(theirs, merging);
  assert.deepEqual(taken, ["title"]);
  assert.deepEqual(merged.map(({ path }) => path), [["notes"], ["parts", key, "text"]]);
  assert.equal(f.value(["notes"]).value, "One!\n\nTwo\n\nThree?");
  assert.equal(f.value(["parts", key, "text"]).value, "One?\n\nTwo!");
  assert.deepEqual(f.conflicts.value, []);
  assert.deepEqual(f.body("changes").data, { notes: "One!\n\nTwo\n\nThree?", parts: [{ id: 1, text: "One?\n\nTwo!" }] });
});

test("a form asks where a text is not merged, and goes on asking while others store something else", () => {
  const f = form();
  f.set(["notes"], "One!\n\nTwo\n\nThree");
  const clash = entry({ notes: "One?\n\nTwo\n\nThree" });
  f.rebase(clash, merging);
  assert.deepEqual(f.conflicts.value.map(({ path }) => path), [["notes"]]);
  f.rebase({ ...clash, title: "Theirs" }, merging);
  assert.deepEqual(f.conflicts.value.map(({ theirs }) => theirs), ["One?\n\nTwo\n\nThree"]);
  f.rebase(entry({ title: "Theirs", notes: "One?\n\nTwo\n\nThree and more" }), merging);
  assert.deepEqual(f.conflicts.value.map(({ mine, theirs }) => [mine, theirs]), [["One!\n\nTwo\n\nThree", "One?\n\nTwo\n\nThree and more"]]);
  const record = JSON.parse(JSON.stringify(f.store())) as StoredForm;
  assert.ok(isStoredForm(record));
  assert.equal(form({ stored: record }).conflicts.value.length, 1, "a reload asks as well");
  f.decide(f.conflicts.value[0]!, "theirs");
  assert.deepEqual(f.conflicts.value, []);
});

test("a record of what is asked has no passwords", () => {
  const f = form();
  const key = f.keys(["parts"]).value[0]!;
  f.set(["parts", key, "code"], "secret");
  f.rebase(entry({ parts: [] }));
  assert.equal(f.conflicts.value.length, 1);
  assert.ok(!JSON.stringify(f.store()).includes("secret"));
});

test("undo and redo after a merge change what was typed here, and leave theirs", () => {
  for (const path of [["notes"], ["body"]]) {
    const value = (a: string, b: string, c: string) => (path[0] === "notes" ? `${a}\n\n${b}\n\n${c}` : [paragraph(a), paragraph(b), paragraph(c)]);
    const f = form();
    f.set(path, value("One!", "Two", "Three"));
    f.set(path, value("One!!", "Two", "Three"));
    f.set(path, value("One!!!", "Two", "Three"));
    f.undo();
    f.rebase(entry({ [path[0]!]: value("One", "Two", "Three?") }), merging);
    const now = () => f.value(path).value;
    assert.deepEqual(now(), value("One!!", "Two", "Three?"));
    f.undo();
    assert.deepEqual(now(), value("One!", "Two", "Three?"));
    const again = form({ stored: JSON.parse(JSON.stringify(f.store())) as StoredForm });
    f.undo();
    assert.deepEqual(now(), value("One", "Two", "Three?"));
    assert.equal(f.dirty.value, false);
    for (const _ of [1, 2, 3]) f.redo();
    assert.deepEqual(now(), value("One!!!", "Two", "Three?"));
    again.redo();
    assert.deepEqual(again.value(path).value, value("One!!", "Two", "Three?"), "also after a reload");
  }
});

test("undo that would take theirs along is left out", () => {
  const f = form();
  f.set(["notes"], "Else");
  f.set(["notes"], "One\n\nTwo\n\nThree!");
  f.rebase(entry({ notes: "One?\n\nTwo\n\nThree" }), merging);
  assert.equal(f.value(["notes"]).value, "One?\n\nTwo\n\nThree!");
  while (f.history.undoes.value) f.undo();
  assert.equal(f.value(["notes"]).value, "One?\n\nTwo\n\nThree!");
});

test("a merge is taken back without what was typed since, and is a conflict then until it is stored", () => {
  const f = form();
  f.set(["notes"], "One!\n\nTwo\n\nThree");
  const theirs = entry({ notes: "One\n\nTwo\n\nThree?" });
  const [text] = f.rebase(theirs, merging).merged;
  f.set(["notes"], "One!!\n\nTwo\n\nThree?");
  f.unmerge(text!, merging);
  assert.equal(f.value(["notes"]).value, "One!!\n\nTwo\n\nThree");
  assert.deepEqual(f.conflicts.value.map((c) => [c.mine, c.theirs]), [["One!!\n\nTwo\n\nThree", "One\n\nTwo\n\nThree?"]]);
  f.undo();
  assert.equal(f.value(["notes"]).value, "One!!\n\nTwo\n\nThree?");

  const g = form();
  g.set(["notes"], "One!\n\nTwo\n\nThree");
  const [other] = g.rebase(theirs, merging).merged;
  g.stored(entry({ notes: "One!\n\nTwo\n\nThree?" }), g.fields());
  g.unmerge(other!, merging);
  assert.equal(g.value(["notes"]).value, "One!\n\nTwo\n\nThree");
  assert.deepEqual([g.conflicts.value, g.dirty.value], [[], true]);

  const h = form();
  h.set(["notes"], "One!\n\nTwo\n\nThree");
  const [mixed] = h.rebase(theirs, merging).merged;
  h.set(["notes"], "One!\n\nTwo\n\nThree? and mine");
  h.unmerge(mixed!, merging);
  assert.equal(h.value(["notes"]).value, "One!\n\nTwo\n\nThree? and mine", "what cannot be taken apart stays");
  assert.equal(h.conflicts.value.length, 1);
});

test("what others store between a save and its answer is merged with what was typed since, or asked", () => {
  const f = form();
  f.set(["notes"], "One!\n\nTwo\n\nThree");
  const sent = f.fields();
  f.set(["notes"], "One!!\n\nTwo\n\nThree");
  const theirs = entry({ notes: "One!\n\nTwo\n\nThree?" });
  assert.ok(f.isTextOfBoth(theirs, sent));
  assert.equal(f.stored(theirs, sent, merging).merged.length, 1);
  assert.equal(f.value(["notes"]).value, "One!!\n\nTwo\n\nThree?");
  f.stored(entry({ notes: "One?" }), { ...sent, notes: "One!\n\nTwo\n\nThree?" }, null);
  assert.equal(f.conflicts.value.length, 1);
});

test("random work of two forms and a server loses nothing that was not taken back", () => {
  const r = random(23);
  let undone = 0;
  for (let round = 0; round < 40; round++) {
    let server = r.some(6, 12, newLine).join("\n");
    const all = [1, 2].map(() => ({ f: new FormStore({ shape, entry: entry({ notes: server }), now: () => (clock += 5000) }), own: new Set<string>() }));
    const linesOf = (f: FormStore) => String(f.value(["notes"]).peek()).split("\n");
    for (let n = 0; n < 40; n++) {
      const { f, own } = r.pick(all);
      const before = linesOf(f);
      switch (r.below(6)) {
        case 0:
        case 1: {
          const after = edited(r, before, newLine, 1);
          for (const line of after) if (!before.includes(line)) own.add(line);
          f.set(["notes"], after.join("\n"), { merge: "typing" });
          break;
        }
        case 2:
        case 3: {
          const label = r.chance(0.7) ? f.undo() : f.redo();
          const { redoes } = f.history;
          if (label?.verb !== "type" || redoes.peek() !== label) break; // a decision is undone, or something is removed again
          for (const line of before) assert.ok(own.has(line) || line === "" || linesOf(f).includes(line), `undo has removed ${line}`);
          undone++;
          break;
        }
        default: {
          const known = String(f.known()["notes"]).split("\n");
          f.rebase(entry({ notes: server }), merging);
          for (const c of f.conflicts.peek()) f.decide(c, "theirs");
          for (const line of server.split("\n")) assert.ok(known.includes(line) || linesOf(f).includes(line), `${line} of the other is not there`);
          server = linesOf(f).join("\n");
          f.stored(entry({ notes: server }), f.fields());
        }
      }
    }
  }
  assert.ok(undone > 50, `only ${undone} steps undone`);
});

test("a text becomes another one around the lines of the cursor", () => {
  const r = random(29);
  const changed = (text: string, from: number, to: number, after: string) => {
    const { changes, move } = textSplices(text, after, { from, to });
    const made = changes.toReversed().reduce((now, c) => now.slice(0, c.from) + c.insert + now.slice(c.to), text);
    assert.equal(made, after);
    return [move(from), move(to)] as const;
  };
  for (let round = 0; round < 2000; round++) {
    const before = r.some(1, 8, () => r.pick(["a", "", "bb", newLine()]));
    const own = r.below(before.length);
    before[own] = "the cursor is in here";
    const after = [...edited(r, before.slice(0, own), newLine), before[own]!, ...edited(r, before.slice(own + 1), newLine)].join("\n");
    const text = before.join("\n");
    const at = text.indexOf("in here");
    const [from, to] = changed(text, at, at + 2, after);
    assert.deepEqual([from, to], [after.indexOf("in here"), after.indexOf("in here") + 2]);
  }
  for (let round = 0; round < 2000; round++) {
    const [text, after] = [r.some(0, 8, () => r.pick(["a", "", "b"])).join("\n"), r.some(0, 8, () => r.pick(["a", "", "b"])).join("\n")];
    const from = r.below(text.length + 1);
    for (const place of changed(text, from, from, after)) assert.ok(place >= 0 && place <= after.length);
  }
  assert.deepEqual(changed("One\n", 4, 4, "One\nmore\n"), [4, 4].map((n) => n + 5), "the last line is the empty one");
  assert.equal(placeOf(["x", "", "y", "", "z"], ["x", "", "new", "", "y", "", "z"], 3, 3, same), 5);
  assert.deepEqual(narrowed("abc", "abc", { from: 0, to: 3, start: 0, end: 3 }, same), []);
});
