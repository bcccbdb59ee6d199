"use strict";

// Shows openapi.json, which lies beside this page. Whatever the description says
// is put on the page as text, never as markup.

const at = (id) => document.getElementById(id);
const known = { document: null };

// make returns an element with attributes and children; texts are children too.
function make(name, attributes, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes ?? {})) {
    if (key === "class") element.className = value;
    else element.setAttribute(key, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

// prose shows `code` in a text as code.
function prose(text, name = "p") {
  const parts = text.split("`").map((part, i) => (i % 2 ? make("code", {}, part) : part));
  return make(name, {}, ...parts);
}

// resolve follows a reference within the document.
function resolve(value) {
  if (!value?.$ref) return value;
  return value.$ref.slice(2).split("/").reduce((place, key) => place[key.replaceAll("~1", "/").replaceAll("~0", "~")], known.document);
}

const nameOf = (schema) => schema.$ref?.split("/").pop();

// typeOf names a schema in a few words.
function typeOf(schema) {
  if (schema.$ref) return nameOf(schema);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  const options = schema.anyOf ?? schema.oneOf;
  if (options && !schema.properties) return options.map(typeOf).join(" | ");
  if (schema.type === "array") return `list of ${typeOf(schema.items ?? {})}`;
  const type = [schema.type ?? "anything"].flat().join(" | ");
  return schema.format ? `${type} (${schema.format})` : type;
}

const limits = ["minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems", "pattern", "default"];

function noteOf(schema) {
  const said = limits.filter((key) => schema[key] !== undefined).map((key) => `${key} ${JSON.stringify(schema[key])}`);
  return [schema.description, said.join(", ")].filter(Boolean).join(" ");
}

// inside lists the schemas that a reader may want to open.
function inside(schema) {
  if (schema.$ref || schema.properties) return [schema];
  if (schema.items) return inside(schema.items);
  if (typeof schema.additionalProperties === "object") return inside(schema.additionalProperties);
  return (schema.anyOf ?? schema.oneOf ?? []).flatMap(inside);
}

// fold is a part that is made when it is opened first: schemas may be endless.
function fold(title, fill) {
  const details = make("details", {}, make("summary", {}, ...title));
  details.addEventListener("toggle", () => details.open && details.childElementCount === 1 && details.append(fill()));
  return details;
}

function fields(schema) {
  const whole = resolve(schema);
  const list = make("div", { class: "fields" });
  if (!whole.properties) {
    list.append(row("", whole, false));
    return list;
  }
  for (const [name, property] of Object.entries(whole.properties)) {
    list.append(row(name, property, whole.required?.includes(name)));
  }
  return list;
}

// row shows one property, with what is inside it to open.
function row(name, schema, required) {
  const title = [name ? make("code", {}, name) : null, required ? " (required) " : " ", make("span", { class: "type" }, typeOf(schema))];
  const note = noteOf(schema);
  const below = make("div", {}, ...(note ? [prose(note, "div")] : []));
  below.className = "note";
  const nested = inside(schema);
  if (nested.length === 0) return make("div", {}, ...title, below);
  return fold(title, () => {
    const parts = nested.map((one) => (nested.length === 1 ? fields(one) : fold([typeOf(one)], () => fields(one))));
    return make("div", {}, below, ...parts);
  });
}

function parametersOf(operation) {
  if (!operation.parameters?.length) return [];
  const list = make("dl");
  for (const reference of operation.parameters) {
    const p = resolve(reference);
    const required = p.required ? " (required)" : "";
    list.append(make("dt", {}, make("code", {}, p.name), ` in ${p.in}${required} `, make("span", { class: "type" }, typeOf(p.schema))));
    if (p.description) list.append(prose(p.description, "dd"));
    if (p.style === "deepObject") list.append(make("dd", {}, fold(["what may stand in the brackets"], () => fields(p.schema))));
  }
  return [make("h4", {}, "Parameters"), list];
}

function contentOf(content) {
  return Object.entries(content ?? {}).map(([media, { schema }]) => row(media, schema ?? {}, false));
}

function examplesOf(content) {
  const examples = Object.values(content).map(({ example }) => example).filter(Boolean);
  return examples.map((example) => fold(["An example"], () => make("pre", {}, JSON.stringify(example, null, 2))));
}

function bodyOf(operation) {
  if (!operation.requestBody) return [];
  const { content } = operation.requestBody;
  return [make("h4", {}, "Body"), ...contentOf(content), ...examplesOf(content)];
}

function answersOf(operation) {
  const list = make("dl");
  for (const [status, reference] of Object.entries(operation.responses)) {
    const answer = resolve(reference);
    list.append(make("dt", {}, make("code", {}, status), ` ${answer.description}`));
    for (const part of contentOf(answer.content)) list.append(make("dd", {}, part));
  }
  return [make("h4", {}, "Answers"), list];
}

function lockOf(operation) {
  const ways = operation.security ?? [];
  if (ways.length === 0) return "open to everybody";
  return ways.some((way) => Object.keys(way).length === 0) ? "needs no credential" : "needs a credential";
}

const anchor = (operation) => operation.operationId.replaceAll("/", "-");

function articleOf({ method, path, operation }) {
  const head = make(
    "header", {},
    make("span", { class: `method ${method}` }, method),
    make("h3", { class: "path" }, path),
    make("span", { class: "summary" }, operation.summary ?? ""),
    make("span", { class: "lock" }, lockOf(operation)),
  );
  const about = operation.description ? [prose(operation.description)] : [];
  const body = make("div", {}, ...about, ...parametersOf(operation), ...bodyOf(operation), ...answersOf(operation));
  return make("article", { id: anchor(operation) }, head, body);
}

function operationsByTag(description) {
  const groups = new Map(description.tags.map((tag) => [tag.name, { tag, operations: [] }]));
  for (const [path, methods] of Object.entries(description.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      groups.get(operation.tags[0]).operations.push({ method, path, operation });
    }
  }
  return [...groups.values()];
}

// show puts the whole description on the page, and a list of it beside.
function show(description) {
  known.document = description;
  const main = at("main");
  main.replaceChildren(make("h1", {}, description.info.title), prose(description.info.description));
  for (const { tag, operations } of operationsByTag(description)) {
    const links = operations.map(({ method, path, operation }) =>
      make("li", { "data-words": `${method} ${path} ${operation.summary}`.toLowerCase() },
        make("a", { href: `#${anchor(operation)}` }, make("span", { class: `method ${method}` }, method), ` ${path}`)));
    at("index").append(make("div", {}, make("h2", {}, tag.description || tag.name), make("ul", {}, ...links)));
    main.append(make("section", {}, make("h2", {}, tag.description || tag.name), ...operations.map(articleOf)));
  }
  if (location.hash) at(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView();
}

// narrow hides what does not have every word that is looked for.
function narrow() {
  const words = at("search").value.toLowerCase().split(/\s+/);
  for (const item of document.querySelectorAll("#index li")) {
    item.hidden = !words.every((word) => item.dataset.words.includes(word));
  }
  for (const group of at("index").children) group.hidden = !group.querySelector("li:not([hidden])");
}

async function load() {
  const answer = await fetch(location.pathname.replace(/docs\/*$/, "openapi.json"));
  const body = await answer.json();
  if (!answer.ok) throw new Error(body.error?.message ?? `status ${answer.status}`);
  show(body);
}

at("search").addEventListener("input", narrow);
load().catch((error) => at("main").replaceChildren(make("p", { class: "error", role: "alert" }, `The description cannot be shown: ${error.message}`)));
