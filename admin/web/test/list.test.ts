import assert from "node:assert/strict";
import { test } from "node:test";
import { perform, requestFor, undoOf, type BatchRequest, type Sent } from "../src/screens/list/bulk";
import { arrange, initial, moved, possible, toggled } from "../src/screens/list/columns";
import { csv } from "../src/screens/list/csv";
import { condition, resolve } from "../src/screens/list/operators";
import { everything, fromSearch, narrows, toSearch, type Question } from "../src/screens/list/question";
import { words } from "../src/screens/list/labels";
import { ask, oneOf } from "../src/screens/list/request";
import { reviewConditions } from "../src/screens/list/reviews";
import { nextOf, withPlanned } from "../src/screens/list/schedules";
import { Rows } from "../src/screens/list/rows";
import { isSelected, nothing, sizeOf, whole, withTargets, type Target } from "../src/screens/list/selection";
import type { Attribute, ContentType, Site } from "../src/core/schema";

const attribute = (name: string, type: Attribute["type"], more: Partial<Attribute> = {}): Attribute => ({ name, label: name, type, ...more });

function contentType(singularName: string, attributes: Attribute[], more: Partial<ContentType> = {}): ContentType {
  return {
    uid: `api::${singularName}.${singularName}`,
    kind: "collectionType",
    singularName,
    pluralName: singularName + "s",
    displayName: singularName,
    route: singularName + "s",
    draftAndPublish: true,
    localized: false,
    attributes,
    mainField: attributes[0]!.name,
    layout: { list: [], edit: [] },
    may: ["read"],
    own: false,
    locales: null,
    preview: false,
    ...more,
  };
}

const chefs = contentType("chef", [attribute("name", "string"), attribute("born", "date")]);
const places = contentType(
  "place",
  [
    attribute("name", "string"),
    attribute("price", "enumeration", { enum: ["low", "high"] }),
    attribute("seats", "integer"),
    attribute("opened", "datetime"),
    attribute("photo", "media", { multiple: false }),
    attribute("chef", "relation", { relation: "manyToOne", target: chefs.uid }),
    attribute("guests", "relation", { relation: "manyToMany", target: chefs.uid }),
    attribute("address", "component", { component: "shared.address" }),
    attribute("hours", "component", { component: "shared.address", repeatable: true }),
    attribute("secret", "password"),
  ],
  { localized: true, layout: { list: ["id", "name", "price"], edit: [] } },
);
const site: Site = {
  name: "Test",
  history: true,
  maxUploadBytes: 1,
  files: [],
  releases: false,
  model: null,
  users: null,
  types: [chefs, places],
  locales: [
    { code: "en", name: "English", isDefault: true },
    { code: "de", name: "German", isDefault: false },
  ],
  components: [{ uid: "shared.address", category: "shared", displayName: "Address", layout: { edit: [] }, mainField: "city", attributes: [attribute("city", "string")] }],
};

test("the URL holds the whole question, and gives it back", () => {
  const question: Question = {
    search: "blue & door",
    status: "modified",
    locale: "de",
    order: { path: "chef.name", descending: true },
    filters: [
      { path: ["name"], operator: "contains", values: ["a:b,c\\d%"] },
      { path: ["price"], operator: "among", values: ["low", "high"] },
      { path: ["chef", "born"], operator: "empty", values: [] },
    ],
  };
  assert.deepEqual(fromSearch(toSearch(question)), question);
  assert.equal(toSearch(everything), "");
  assert.deepEqual(fromSearch(""), everything);
});

test("what a URL holds besides is left out", () => {
  assert.deepEqual(fromSearch("?status=gone&sort=a b&f=x&f=name:is:1&other=2"), {
    ...everything,
    filters: [{ path: ["name"], operator: "is", values: ["1"] }],
  });
  assert.equal(narrows(everything), false);
  assert.equal(narrows({ ...everything, status: "draft" }), true);
});

test("a question becomes a query of the content API", () => {
  const query = ask({ ...everything, search: " blue ", filters: [{ path: ["chef", "name"], operator: "starts", values: ["A"] }] }, places, site, [
    "chef",
    "guests",
    "photo",
    "address",
    "hours",
    "status",
  ]);
  assert.deepEqual(query, {
    status: "draft",
    locale: "en",
    _q: "blue",
    publicationFilter: undefined,
    filters: { $and: [{ chef: { name: { $startsWithi: "A" } } }] },
    sort: "_rank,updatedAt:desc",
    fields: ["updatedAt", "name"],
    include: "state",
    populate: {
      chef: { fields: ["name"] },
      guests: { count: true },
      photo: { fields: ["name", "url", "formats", "mime", "alternativeText", "ext"] },
      address: true,
      hours: { count: true },
    },
  });
});

test("one letter ranks nothing, so the order stays that of the list", () => {
  assert.equal(ask({ ...everything, search: "b" }, chefs, site, []).sort, "updatedAt:desc");
});

test("the status and what is not translated are asked for", () => {
  assert.equal(ask({ ...everything, status: "published" }, chefs, site, []).publicationFilter, "unmodified");
  assert.deepEqual(ask({ ...everything, status: "scheduled" }, chefs, site, [], [oneOf(["x"])]).filters, {
    $and: [{ $or: [{ documentId: { $in: ["x"] } }] }],
  });
  const missing = ask({ ...everything, status: "untranslated", locale: "de" }, places, site, []);
  assert.deepEqual([missing.fallbackLocale, missing.filters], [["en"], { $and: [{ locale: { $ne: "de" } }] }]);
  assert.deepEqual(oneOf([]), { documentId: { $null: "true" } });
  assert.equal((oneOf(Array.from({ length: 900 }, String)).$or as unknown[]).length, 5);
});

test("only what can be ordered is", () => {
  const sorted = (path: string) => ask({ ...everything, order: { path, descending: false } }, places, site, []).sort;
  assert.equal(sorted("chef.name"), "chef.name:asc");
  assert.equal(sorted("seats"), "seats:asc");
  for (const path of ["guests.name", "photo", "gone", "address"]) assert.equal(sorted(path), "updatedAt:desc", path);
});

test("filters become conditions by the type of their attribute", () => {
  const of = (path: string, operator: string, ...values: string[]) => condition({ path: path.split("."), operator, values }, places, site);
  assert.deepEqual(of("seats", "between", "1", "5"), { seats: { $gte: "1", $lte: "5" } });
  assert.deepEqual(of("price", "among", "low"), { price: { $in: ["low"] } });
  assert.deepEqual(of("chef", "among", "abc"), { chef: { documentId: { $in: ["abc"] } } });
  assert.deepEqual(of("chef", "empty"), { chef: { documentId: { $null: "true" } } });
  assert.deepEqual(of("photo", "filled"), { photo: { id: { $notNull: "true" } } });
  assert.deepEqual(of("hours.city", "is", "Rome"), { hours: { city: { $eqi: "Rome" } } });
  assert.deepEqual(of("opened", "is", "2026-03-01"), {
    opened: { $gte: new Date(2026, 2, 1).toISOString(), $lt: new Date(2026, 2, 2).toISOString() },
  });
});

test("filters that the type cannot have ask for nothing", () => {
  for (const [path, operator, ...values] of [
    ["gone", "is", "1"],
    ["seats", "contains", "1"],
    ["seats", "is"],
    ["name", "is", ""],
    ["chef.born.x", "is", "1"],
    ["secret", "is", "x"],
    ["name", "constructor"],
  ]) {
    assert.equal(condition({ path: path!.split("."), operator: operator!, values }, places, site), null, path);
  }
  assert.equal(resolve(["chef", "name"], places, site)?.length, 2);
});

test("columns: the title comes first, then what the layout names", () => {
  assert.deepEqual(
    initial(places, site).map((c) => c.key),
    ["name", "status", "price", "locales", "updatedAt"],
  );
  assert.ok(!possible(places, site).some((c) => c.key === "secret"));
  assert.deepEqual(
    arrange(undefined, chefs, site).map((c) => c.key),
    ["name", "status", "updatedAt"],
  );
});

test("columns that are remembered and gone are left out, widths are bounded", () => {
  const columns = arrange([{ key: "seats", width: 9999 }, { key: "gone" }, { key: "seats" }, { key: "name", width: 10 }], places, site);
  assert.deepEqual(
    columns.map(({ key, width }) => [key, width]),
    [
      ["name", 64],
      ["seats", 900],
    ],
  );
});

test("columns move behind the title, appear and disappear", () => {
  const columns = ["a", "b", "c"].map((key) => ({ key }));
  const keys = (chosen: readonly { key: string }[]) => chosen.map((c) => c.key).join("");
  assert.equal(keys(moved(columns, "c", 0)), "acb");
  assert.equal(keys(moved(columns, "b", 9)), "acb");
  assert.equal(keys(moved(columns, "a", 2)), "abc");
  assert.equal(keys(toggled(columns, "b")), "ac");
  assert.equal(keys(toggled(columns, "d")), "abcd");
  assert.equal(keys(toggled(columns, "a")), "abc");
});

const target = (documentId: string, status = "draft"): Target => ({ documentId, title: documentId, status, locales: ["en"] });

test("a selection names entries, or all but some", () => {
  let selection = withTargets(nothing, [target("a"), target("b")], true);
  assert.deepEqual([isSelected(selection, "a"), isSelected(selection, "c"), sizeOf(selection, 10)], [true, false, 2]);
  selection = withTargets(whole, [target("a")], false);
  assert.deepEqual([isSelected(selection, "a"), isSelected(selection, "c"), sizeOf(selection, 10)], [false, true, 9]);
  assert.equal(sizeOf(withTargets(selection, [target("a")], true), 10), 10);
});

function fetcher(total: number) {
  const asked: number[] = [];
  const fetch = async (start: number, limit: number) => {
    asked.push(start);
    return { entries: Array.from({ length: Math.max(0, Math.min(limit, total - start)) }, (_, i) => ({ documentId: `d${start + i}` })), total };
  };
  return { asked, fetch };
}

test("rows are fetched by page, once", async () => {
  const { asked, fetch } = fetcher(230);
  const rows = new Rows(fetch);
  await rows.need(0, 30);
  assert.equal(rows.total.value, 230);
  await rows.need(40, 60);
  await rows.need(220, 260);
  assert.deepEqual(asked, [0, 50, 200]);
  assert.equal(rows.at(229)?.documentId, "d229");
  assert.equal(rows.at(120), undefined);
  assert.equal(rows.placeOf("d55"), 55);
  assert.deepEqual(
    (await rows.between(98, 103)).map((r) => r.documentId),
    ["d98", "d99", "d100", "d101", "d102"],
  );
});

test("of each page that is shown it is heard, and not of what is gathered", async () => {
  const came: number[] = [];
  const rows = new Rows(fetcher(230).fetch, 50, (entries) => came.push(entries.length));
  await rows.need(210, 230);
  await rows.between(0, 230);
  assert.deepEqual(came, [30]);
});

test("what is planned is told by document and locale", () => {
  const plan = (documentId: string, action: "publish" | "unpublish", locales?: string[]) => ({ documentId, action, locales, at: "2031-12-24T18:00:00Z" });
  const known = withPlanned(new Map(), ["a", "b"], [plan("a", "unpublish", ["de"]), plan("a", "publish", ["en"]), plan("b", "publish")]);
  assert.deepEqual([nextOf(known.get("a"), "en")?.action, nextOf(known.get("a"), "de")?.action, nextOf(known.get("a"), "fr")], ["publish", "unpublish", undefined]);
  assert.deepEqual([nextOf(known.get("b"), "fr")?.action, nextOf(known.get("c"), null)], ["publish", undefined]);
  assert.deepEqual([...withPlanned(known, ["b"], []).keys()], ["a"]);
});

test("rows that are not needed any more are given up, and come later", async () => {
  const given: boolean[] = [];
  const held: (() => void)[] = [];
  const rows = new Rows(async (start, limit, signal) => {
    await new Promise<void>((go) => held.push(go));
    given.push(signal.aborted);
    return { entries: Array.from({ length: limit }, (_, i) => ({ documentId: `d${start + i}` })), total: 1000 };
  });
  const first = rows.need(0, 10);
  const second = rows.need(500, 510);
  held.forEach((go) => go());
  await Promise.all([first, second]);
  assert.deepEqual(given, [true, false]);
  assert.deepEqual([rows.at(0), rows.at(500)?.documentId], [undefined, "d500"]);
});

test("a failure to fetch shows, and passes", async () => {
  let down = true;
  const rows = new Rows(async () => {
    if (down) throw new Error("down");
    return { entries: [{ documentId: "a" }], total: 1 };
  });
  await rows.need(0, 10);
  assert.match(String(rows.failure.value), /down/);
  down = false;
  await rows.refresh(0, 10);
  assert.deepEqual([rows.failure.value, rows.at(0)?.documentId], [null, "a"]);
});

test("a document is replaced in its row", async () => {
  const rows = new Rows<{ documentId: string; name?: string }>(fetcher(3).fetch);
  await rows.need(0, 3);
  const before = rows.version.value;
  rows.replace({ documentId: "d1", name: "new" });
  assert.equal(rows.at(1)?.name, "new");
  assert.ok(rows.version.value > before);
});

/** A server that refuses some documents, and whole batches beyond a size. */
function server(refused: string[], most = 1000) {
  const batches: number[] = [];
  const send = async (requests: readonly BatchRequest[]): Promise<Sent> => {
    batches.push(requests.length);
    if (requests.length > most) return { refused: null, reason: "too large", fatal: false };
    const at = requests.findIndex((r) => refused.includes(r.url));
    return at >= 0 ? { refused: at, reason: "no " + requests[at]!.url, fatal: false } : { documents: requests.map((r) => r.url) };
  };
  return { batches, send };
}

const run = (send: (requests: readonly BatchRequest[]) => Promise<Sent>, controller = new AbortController()) => ({
  send,
  progress: () => undefined,
  signal: controller.signal,
});
const named = (t: Target): BatchRequest => ({ method: "POST", url: t.documentId });
const targets = (n: number) => Array.from({ length: n }, (_, i) => target(`t${i}`));

test("many entries are changed in steps", async () => {
  const { batches, send } = server([]);
  const outcome = await perform(targets(120), named, run(send));
  assert.deepEqual(batches, [50, 50, 20]);
  assert.equal(outcome.done.length, 120);
});

test("what is refused does not hold up the rest, and says why", async () => {
  const refused = ["t1", "t7", "t30", "t31", "t49", "t60"];
  const outcome = await perform(targets(70), named, run(server(refused).send));
  assert.deepEqual(outcome.failed.map((f) => f.target.documentId).sort(), [...refused].sort());
  assert.equal(outcome.failed[0]?.reason, "no t1");
  assert.equal(outcome.done.length, 64);
  assert.equal(outcome.left.length, 0);
});

test("a batch that is too large is sent in parts", async () => {
  const { batches, send } = server(["t3"], 13);
  const outcome = await perform(targets(50), named, run(send));
  assert.equal(outcome.done.length, 49);
  assert.ok(batches.length > 4);
});

test("without a server the rest is left as it is", async () => {
  const outcome = await perform(
    targets(70),
    named,
    run(async () => ({ refused: null, reason: "offline", fatal: true })),
  );
  assert.deepEqual([outcome.done.length, outcome.left.length, outcome.reason], [0, 70, "offline"]);
});

test("stopped, it ends after the step under way", async () => {
  const controller = new AbortController();
  const { send } = server([]);
  const outcome = await perform(targets(120), named, { ...run(send, controller), progress: () => controller.abort() });
  assert.deepEqual([outcome.done.length, outcome.left.length], [50, 70]);
});

test("actions are requests of the content API", () => {
  assert.deepEqual(requestFor("publish", "x", places, "de"), { method: "POST", url: "/api/places/x/actions/publish?locale=de&fields=documentId" });
  assert.deepEqual(requestFor("delete", "x", places, "*"), { method: "DELETE", url: "/api/places/x?locale=*" });
  assert.deepEqual(requestFor("delete", "x", chefs, "de"), { method: "DELETE", url: "/api/chefs/x" });
  assert.deepEqual(requestFor("duplicate", "x", places, "de"), { method: "POST", url: "/api/places/x/actions/duplicate?fields=documentId" });
});

test("undo is offered where it leaves everything as it was", () => {
  const outcome = (...statuses: string[]) => ({
    done: statuses.map((s, i) => ({ target: target(`t${i}`, s), documentId: `n${i}` })),
    failed: [],
    left: [],
    reason: null,
  });
  assert.equal(undoOf("publish", outcome("draft", "draft"))?.action, "unpublish");
  assert.equal(undoOf("publish", outcome("draft", "modified")), null);
  assert.equal(undoOf("publish", outcome("published")), null);
  assert.equal(undoOf("unpublish", outcome("published"))?.action, "publish");
  assert.deepEqual(
    undoOf("unpublish", outcome("draft", "published"))?.targets.map((t) => t.documentId),
    ["t1"],
  );
  assert.equal(undoOf("unpublish", outcome("modified")), null);
  assert.deepEqual(undoOf("duplicate", outcome("draft"))?.targets[0]?.documentId, "n0");
  assert.equal(undoOf("delete", outcome("draft")), null);
});

test("a table for spreadsheets quotes, and holds no formulas", () => {
  assert.equal(
    csv([
      ["a", 'b"c', "d,e"],
      ["=1+1", "-5", "x\ny"],
    ]),
    '\uFEFFa,"b""c","d,e"\r\n\'=1+1,-5,"x\ny"\r\n',
  );
});

test("filters about the review ask for documents by their ids", () => {
  const type = { ...chefs, stages: [{ id: "a", name: "Writing" }, { id: "b", name: "Ready" }] };
  const ben = { id: "7", name: "Ben" };
  const known = [
    { documentId: "x", stage: "Ready", stageId: "b", assignee: null },
    { documentId: "y", stage: "Writing", stageId: "a", assignee: ben },
  ];
  const of = (path: string, operator: string, ...values: string[]) => reviewConditions([{ path: [path], operator, values }], known, type);
  assert.deepEqual(of("__stage", "among", "b"), [{ $or: [{ documentId: { $in: ["x"] } }] }]);
  assert.deepEqual(of("__stage", "among", "a"), [{ $and: [{ documentId: { $notIn: ["x"] } }] }]); // also what was never moved
  assert.deepEqual(of("__stage", "not-among", "a"), [{ $or: [{ documentId: { $in: ["x"] } }] }]);
  assert.deepEqual(of("__assignee", "among", "7"), [{ $or: [{ documentId: { $in: ["y"] } }] }]);
  assert.deepEqual(of("__assignee", "empty"), [{ $and: [{ documentId: { $notIn: ["y"] } }] }]);
  assert.deepEqual(of("__assignee", "among", "8"), [{ documentId: { $null: "true" } }]);
  assert.equal(ask({ ...everything, filters: [{ path: ["__stage"], operator: "among", values: ["a"] }] }, type, site, []).filters, undefined);
  assert.equal(words({ path: ["__stage"], operator: "among", values: ["b"] }, type, site, new Map()), "Stage is Ready");
});
