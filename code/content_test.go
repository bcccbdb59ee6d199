package code

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"quire/code/engine"
)

// recorder is a project whose lifecycles and middlewares write down what they see.
const recorder = `
-- src/index.js --
module.exports = { register({ strapi }) { strapi.seen = []; } };
-- src/api/note/content-types/note/lifecycles.js --
const see = (event) => {
  const { action, params, result, model } = event;
  const part = (v) => (v ? [v.title, v.publishedAt ? 'published' : 'draft'].join('/') : '');
  strapi.seen.push([action, part(params.data), params.where ? typeof params.where.id : '', part(result), model.uid === 'api::note.note'].filter(Boolean).join(' '));
};
module.exports = {
  beforeCreate(event) { see(event); event.state.begun = true; if (!event.params.data.slug) event.params.data.slug = event.params.data.title.toLowerCase(); if (event.params.data.publishedAt) event.params.data.views = 7; },
  async afterCreate(event) { see(event); if (!event.state.begun) throw new Error('no state'); },
  beforeUpdate: see, afterUpdate: see, beforeDelete: see, afterDelete: see,
};
`

// Lifecycles run for each entry, in Strapi's order: publishing deletes the published entry
// and creates it again.
func TestOrderOfLifecycles(t *testing.T) {
	r := run(t, recorder)
	steps := `strapi.seen.length = 0; const docs = strapi.documents('api::note.note'); const id = ((await docs.findFirst()) || {}).documentId; `
	r.evaluate(steps+`const e = await docs.create({ data: { title: 'A' } }); return [e.slug, e.publishedAt, strapi.seen]`,
		`["a",null,["beforeCreate A/draft true","afterCreate A/draft A/draft true"]]`)
	r.evaluate(steps+`const { entries } = await docs.publish({ documentId: id }); return [entries.length, entries[0].views, strapi.seen]`,
		`[1,7,["beforeCreate A/published true","afterCreate A/published A/published true"]]`)
	r.evaluate(steps+`const e = await docs.update({ documentId: id, data: { title: 'B' }, status: 'published' }); return [e.title, e.views, strapi.seen]`,
		`["B",7,["beforeUpdate B/draft number true","afterUpdate B/draft number B/draft true","beforeDelete number true","afterDelete number A/published true","beforeCreate B/published true","afterCreate B/published B/published true"]]`)
	r.evaluate(steps+`await docs.update({ documentId: id, data: { title: 'C' } }); strapi.seen.length = 0; const { entries } = await docs.discardDraft({ documentId: id }); return [entries[0].title, strapi.seen]`,
		`["B",["beforeDelete number true","afterDelete number C/draft true","beforeCreate B/draft true","afterCreate B/draft B/draft true"]]`)
	r.evaluate(steps+`await docs.unpublish({ documentId: id }); return strapi.seen`, `["beforeDelete number true","afterDelete number B/published true"]`)
	r.evaluate(steps+`const { entries } = await docs.delete({ documentId: id }); return [entries.length, strapi.seen, await docs.findOne({ documentId: id })]`,
		`[1,["beforeDelete number true","afterDelete number B/draft true"],null]`)
	r.evaluate(steps+`return [await docs.update({ documentId: 'none', data: { title: 'X' } }), strapi.seen]`, `[null,[]]`)
	r.evaluate(steps+`try { await docs.create({ data: { title: 5 } }) } catch (e) { return [e.name, e instanceof strapi.errors.ValidationError, e.details.errors[0].path, strapi.seen] }`,
		`["ValidationError",true,["title"],[]]`)
	r.evaluate(steps+`const a = await docs.create({ data: { title: 'D' } }); strapi.seen.length = 0; const { documentId, entries } = await docs.clone({ documentId: a.documentId, data: { title: 'E' } }); return [documentId === a.documentId, entries.length, entries[0].title, strapi.seen]`,
		`[false,1,"E",["beforeCreate E/draft true","afterCreate E/draft E/draft true"]]`)
}

// An operation, its lifecycles and what they write are one transaction: an error takes all of
// it back, reads inside see what was written, and nested operations run in the same one.
func TestAnErrorTakesWritesBack(t *testing.T) {
	r := run(t, `
-- src/index.js --
module.exports = {};
-- src/api/note/content-types/note/lifecycles.js --
const { errors } = require('@strapi/utils');
module.exports = { async afterCreate({ result }) {
  await strapi.documents('api::tag.tag').create({ data: { name: 'of ' + result.title } });
  if (result.title === 'Undo me') throw new errors.ApplicationError('Undone', { seen: await strapi.documents('api::note.note').count(), tags: await strapi.db.query('api::tag.tag').count() });
} };
`)
	r.evaluate(`try { await strapi.documents('api::note.note').create({ data: { title: 'Undo me' } }); } catch (e) { return [e.message, e.details, await strapi.documents('api::note.note').count(), await strapi.db.query('api::tag.tag').count()]; }`,
		`["Undone",{"seen":1,"tags":1},0,0]`)
	r.evaluate(`await strapi.documents('api::note.note').create({ data: { title: 'Stays' } }); return [await strapi.documents('api::note.note').count(), await strapi.db.query('api::tag.tag').count()]`, `[1,1]`)
	r.evaluate(`const { documentId } = await strapi.documents('api::tag.tag').create({ data: { name: 'a' } }); const before = await strapi.db.query('api::tag.tag').count(); await strapi.documents('api::tag.tag').clone({ documentId, data: { name: 'b' } }); return await strapi.db.query('api::tag.tag').count() - before`, `1`)
	if r.host.begun != 3 {
		t.Errorf("%d transactions began, and not 3: %s", r.host.begun, r.host.calls)
	}
}

// If something that an operation read has changed, it runs again, from the params as they
// were given; after ten runs the error is the caller's.
func TestOvertakenOperationsRunAgain(t *testing.T) {
	r := run(t, `
-- src/index.js --
module.exports = { register({ strapi }) {
  strapi.runs = [];
  strapi.documents.use(async (context, next) => { strapi.runs.push(context.params.data.name); context.params.data.name += '!'; const result = await next(); result.marked = true; return result; });
} };
`)
	r.host.refuse = 3
	r.evaluate(`const params = { data: { name: 'a' } }; const e = await strapi.documents('api::tag.tag').create(params); return [e.name, e.marked, params.data.name, strapi.runs, await strapi.db.query('api::tag.tag').count()]`, `["a!",true,"a",["a","a","a","a"],1]`)
	r.host.refuse = 100
	r.evaluate(`strapi.runs = []; try { await strapi.documents('api::tag.tag').create({ data: { name: 'b' } }); } catch (e) { return [e.name, e.status, strapi.runs.length]; }`, `["ServiceUnavailableError",503,10]`)
}

// A write whose code does not end in time fails, and nothing of it is stored.
func TestAWriteThatTakesTooLong(t *testing.T) {
	o, host := optionsOf(t, `
-- src/index.js --
module.exports = { register({ strapi }) { strapi.documents.use(async (context, next) => { const result = await next(); if (context.params.data.name === 'hang') await new Promise(() => {}); return result; }); } };
`)
	o.LongestWrite = time.Millisecond
	p, err := Load(o)
	check(t, err)
	defer p.Close()
	check(t, p.Bootstrap(t.Context()))
	var wrong *engine.Error
	if _, err := p.Write(t.Context(), "", "api::tag.tag", "create", []byte(`{"data":{"name":"hang"}}`), false); !errors.As(err, &wrong) || wrong.Status != 503 {
		t.Error(err)
	}
	if len(host.state.rows["api::tag.tag"]) != 0 || len(host.open) != 0 {
		t.Error(host.state.rows, host.open)
	}
}

// A write whose code waits for longer than its turn lasts does not take a turn again, which it
// would only lose.
func TestSlowWritesDoWithoutTheirTurn(t *testing.T) {
	r := run(t, `
-- src/index.js --
module.exports = { register({ strapi }) { strapi.documents.use(async (context, next) => { await new Promise((resolve) => setTimeout(resolve, 25)); return next(); }); } };
`)
	r.host.refuse = 2
	r.evaluate(`return (await strapi.documents('api::tag.tag').create({ data: { name: 'a' } })).name`, `"a"`)
	if want := []any{false, true, true}; !slices.Equal(r.host.slow, want) {
		t.Errorf("the transactions are %v and not %v", r.host.slow, want)
	}
}

// Middlewares of documents surround operations, the first outermost, and see their action.
func TestMiddlewaresOfDocuments(t *testing.T) {
	r := run(t, `
-- src/index.js --
module.exports = { register({ strapi }) {
  strapi.seen = [];
  strapi.documents.use(async (context, next) => { strapi.seen.push('1 ' + context.action + ' ' + context.uid + ' ' + context.contentType.kind); const result = await next(); strapi.seen.push('1 end'); return result; });
  strapi.documents.use(async (context, next) => { if (context.action === 'findMany') context.params.filters = { name: 'b' }; if (context.action === 'delete') return { documentId: context.params.documentId, entries: [], kept: true }; return next(); });
} };
`)
	r.evaluate(`const tags = strapi.documents('api::tag.tag'); await tags.create({ data: { name: 'a' } }); await tags.create({ data: { name: 'b' } }); const found = await tags.findMany({}); const gone = await tags.delete({ documentId: found[0].documentId }); return [found.map((t) => t.name), gone.kept, strapi.seen]`,
		`[["b"],true,["1 create api::tag.tag collectionType","1 end","1 create api::tag.tag collectionType","1 end","1 findMany api::tag.tag collectionType","1 end","1 delete api::tag.tag collectionType","1 end"]]`)
	if !r.Handles("api::tag.tag") || !r.HandlesReads("api::tag.tag") {
		t.Error("types with middlewares are not handled")
	}
}

// A write that comes from elsewhere in the program passes through the code, in the transaction
// that the program names.
func TestWritesOfTheProgram(t *testing.T) {
	r := run(t, recorder)
	if !r.Handles("api::note.note") || r.Handles("api::tag.tag") || r.HandlesReads("api::note.note") {
		t.Error("a type with lifecycles is not handled, or one without is")
	}
	got, err := r.Write(t.Context(), "", "api::note.note", "create", []byte(`{"data":{"title":"A"}}`), false)
	if err != nil || !strings.Contains(string(got), `"slug":"a"`) {
		t.Error(string(got), err)
	}
	r.evaluate(`strapi.db.lifecycles.subscribe({ models: ['api::note.note'], beforeCreate(event) { const ctx = strapi.requestContext.get(); strapi.writer = ctx && [ctx.state.user.id, ctx.get('x-a'), ctx.query.a]; } })`, `null`)
	by := WithRequest(t.Context(), &Request{Method: "POST", URL: "/api/notes?a=1", User: []byte(`{"id":7}`), Headers: map[string]string{"x-a": "b"}})
	if _, err := r.Write(by, "", "api::note.note", "create", []byte(`{"data":{"title":"C"}}`), false); err != nil {
		t.Error(err)
	}
	r.evaluate(`return strapi.writer`, `[7,"b","1"]`)
	r.evaluate(`await strapi.documents('api::note.note').delete({ documentId: (await strapi.db.query('api::note.note').findOne({ where: { title: 'C' } })).documentId })`, `null`)
	id, err := r.host.transaction("begin", nil)
	check(t, err)
	within := id.(map[string]any)["id"].(string)
	if _, err := r.Write(t.Context(), within, "api::note.note", "create", []byte(`{"data":{"title":"B"}}`), false); err != nil {
		t.Error(err)
	}
	r.evaluate(`return await strapi.documents('api::note.note').count()`, `1`)
	if _, err := r.host.transaction("commit", map[string]any{"id": within}); err != nil {
		t.Error(err)
	}
	r.evaluate(`return await strapi.documents('api::note.note').count()`, `2`)
}

// What the program has validated is not validated again, but what hooks write with it is.
func TestCheckedWrites(t *testing.T) {
	r := run(t, `
-- src/api/tag/content-types/tag/lifecycles.js --
module.exports = { async beforeCreate({ params }) { if (params.data.name === 'both') await strapi.documents('api::tag.tag').create({ data: { name: 'other' } }); } };
`)
	for checked, want := range map[bool]int{false: 2, true: 1} {
		id, err := r.host.transaction("begin", nil)
		check(t, err)
		within := id.(map[string]any)["id"].(string)
		_, err = r.Write(t.Context(), within, "api::tag.tag", "create", []byte(`{"data":{"name":"both"}}`), checked)
		check(t, err)
		var calls []string
		for _, call := range r.host.calls {
			if strings.HasSuffix(call, " "+within) {
				calls = append(calls, strings.TrimSuffix(call, " "+within))
			}
		}
		if text := strings.Join(calls, " "); strings.Count(text, "documents.validate") != want || strings.Count(text, "documents.create") != 2 || len(calls) != want+2 {
			t.Errorf("checked %t: %s", checked, text)
		}
	}
}

// db.query works on rows: drafts and published entries alike, by where.
func TestRows(t *testing.T) {
	r := run(t, `
-- src/index.js --
module.exports = { bootstrap({ strapi }) {
  strapi.seen = [];
  strapi.db.lifecycles.subscribe({ models: ['api::tag.tag'], async beforeCreate(event) { if (event.params.data?.name === 'Nobody') event.params.data.name = 'Somebody'; }, async afterUpdate(event) { if (event.result.score > 100) strapi.seen.push('high ' + event.result.name); }, beforeDeleteMany: () => strapi.seen.push('before many'), afterFindMany: (event) => strapi.seen.push('found ' + event.result.length) });
  strapi.db.lifecycles.subscribe((event) => { if (event.action === 'afterDelete') strapi.seen.push(event.action + ' ' + event.model.singularName); });
} };
`)
	q := `const q = strapi.db.query('api::tag.tag'); `
	r.evaluate(q+`return [(await q.create({ data: { name: 'Nobody' } })).name, await q.createMany({ data: [{ name: 'a', score: 1 }, { name: 'b', score: 2 }] })]`, `["Somebody",{"count":2,"ids":[2,3]}]`)
	r.evaluate(q+`return [(await q.findOne({ where: { name: 'a' } })).id, await q.findOne({ where: { name: 'none' } }), (await q.findMany({ where: { score: { $gt: 0 } } })).length, await q.count(), (await q.findWithCount({ limit: 1 }))[1]]`, `[2,null,2,3,3]`)
	r.evaluate(q+`return await q.findPage({ page: 2, pageSize: 2 }).then((p) => p.pagination)`, `{"page":2,"pageSize":2,"pageCount":2,"total":3}`)
	r.evaluate(q+`return [(await q.update({ where: { name: 'a' }, data: { score: 200 } })).score, await q.update({ where: { name: 'none' }, data: { score: 1 } }), await q.updateMany({ where: { score: { $gt: 0 } }, data: { score: 0 } })]`, `[200,null,{"count":2}]`)
	r.evaluate(q+`const refused = []; for (const f of [() => q.updateMany({ where: {}, data: {} }), () => q.update({ data: { a: 1 } }), () => q.update({ where: { id: 1 } }), () => q.delete({}), () => q.create({}), () => q.createMany({ data: [] })]) await f().catch((e) => refused.push(e.message)); return refused`,
		`["Update requires data","Update requires a where parameter","Update requires a data object","Delete requires a where parameter","Create expects a data object","Nothing to insert"]`)
	r.evaluate(q+`strapi.seen.length = 0; return [(await q.delete({ where: { name: 'a' } })).name, await q.delete({ where: { name: 'a' } }), await q.deleteMany({ where: { score: 0 } }), await q.count(), strapi.seen]`, `["a",null,{"count":2},0,["afterDelete tag","before many"]]`)
	r.evaluate(`return [strapi.query('api::tag.tag') === strapi.db.query('api::tag.tag'), (() => { try { strapi.db.query('api::none.none') } catch (e) { return e.message } })()]`, `[true,"Model api::none.none not found"]`)
	r.evaluate(`const states = []; await strapi.db.transaction(async ({ onCommit, onRollback }) => { onCommit(() => states.push('committed')); onRollback(() => states.push('no')); await strapi.db.query('api::tag.tag').create({ data: { name: 'in' } }); states.push(strapi.db.inTransaction()); });
	  await strapi.db.transaction(async ({ onRollback }) => { onRollback(() => states.push('rolled back')); await strapi.db.query('api::tag.tag').create({ data: { name: 'out' } }); throw new Error('no'); }).catch((e) => states.push(e.message));
	  return [states, (await strapi.db.query('api::tag.tag').findMany()).map((t) => t.name), strapi.db.inTransaction()]`, `[[true,"committed","rolled back","no"],["in"],false]`)
}

// entityService names documents by the numeric id of an entry.
func TestEntityService(t *testing.T) {
	r := run(t, "-- src/index.js --\nmodule.exports = {};")
	r.evaluate(`const s = strapi.entityService, uid = 'api::tag.tag'; const a = await s.create(uid, { data: { name: 'a' } }); await s.create(uid, { data: { name: 'b' } });
	  return [(await s.findOne(uid, a.id)).name, await s.findOne(uid, 99), (await s.findMany(uid, {})).length, await s.count(uid), (await s.update(uid, a.id, { data: { name: 'c' } })).name, (await s.delete(uid, a.id)).name, await s.delete(uid, 99), (await s.findPage(uid, { page: 1, pageSize: 5 })).pagination.total]`,
		`["a",null,2,2,"c","c",null,1]`)
}

const coreNote = `
-- src/api/note/routes/note.js --
module.exports = require('@strapi/strapi').factories.createCoreRouter('api::note.note');
-- src/api/note/services/note.js --
module.exports = require('@strapi/strapi').factories.createCoreService('api::note.note');
`

// super is Strapi's own action. The program answers for it if no code has a part in it, and
// otherwise it runs through the service.
func TestSuper(t *testing.T) {
	const controller = `
-- src/api/note/controllers/note.js --
const { factories } = require('@strapi/strapi');
module.exports = factories.createCoreController('api::note.note', ({ strapi }) => ({
  async find(ctx) { const { data, meta } = await super.find(ctx); return { data: data.map((n) => ({ ...n, shout: n.title.toUpperCase() })), meta: { ...meta, served: 'find' } }; },
  async findOne(ctx) { if (ctx.params.id === 'first') ctx.params.id = 'd1'; const answer = await super.findOne(ctx); if (answer) answer.data.minutes = 1; return answer; },
  async create(ctx) { const answer = await super.create(ctx); ctx.status = 201; return answer; },
  delete: async (ctx) => ctx.forbidden('never'),
}));
`
	r := run(t, coreNote+controller)
	r.requireAnswer(r.send("POST", "/api/notes", `{"data":{"title":"a","secret":"s"}}`), 201, `{"data":{"documentId":"d1","id":1,"publishedAt":null,"slug":null,"title":"a","views":0},"meta":{}}`)
	r.requireAnswer(r.send("POST", "/api/notes", `{}`), 400, `{"data":null,"error":{"status":400,"name":"ValidationError","message":"Missing \"data\" payload in the request body","details":{}}}`)
	r.requireAnswer(r.send("DELETE", "/api/notes/d1", ""), 403, `{"data":null,"error":{"status":403,"name":"ForbiddenError","message":"never","details":{}}}`)
	r.evaluate(`await strapi.documents('api::note.note').publish({ documentId: 'd1' })`, `null`)
	r.requireAnswer(r.send("GET", "/api/notes", ""), 200, `{"data":[{"documentId":"d1","id":2,"publishedAt":"2026-01-01T00:00:00.000Z","slug":null,"title":"a","views":0,"shout":"A"}],"meta":{"by":"the host","served":"find"}}`)

	r = run(t, coreNote+controller+`
-- src/api/note/services/note.js --
module.exports = require('@strapi/strapi').factories.createCoreService('api::note.note', () => ({
  async create(params) { const made = await super.create({ ...params, data: { ...params.data, secret: 'by the service', slug: params.status === undefined ? 'none' : params.status } }); return made; },
  async find(params) { const answer = await super.find(params); return { ...answer, results: answer.results.slice(0, 1) }; },
}));
`)
	r.requireAnswer(r.send("POST", "/api/notes", `{"data":{"title":"a"}}`), 201, `{"data":{"documentId":"d1","id":1,"publishedAt":null,"slug":"none","title":"a","views":0},"meta":{}}`)
	r.evaluate(`await strapi.documents('api::note.note').publish({ documentId: 'd1' }); return (await strapi.db.query('api::note.note').findMany())[0].secret`, `"by the service"`)
	r.requireAnswer(r.send("GET", "/api/notes?pagination[pageSize]=5", ""), 200, `{"data":[{"documentId":"d1","id":2,"publishedAt":"2026-01-01T00:00:00.000Z","slug":"none","title":"a","views":0,"shout":"A"}],"meta":{"pagination":{"page":1,"pageSize":5,"pageCount":1,"total":1},"served":"find"}}`)
	r.requireAnswer(r.send("GET", "/api/notes/first", ""), 200, `{"data":{"documentId":"d1","id":2,"publishedAt":"2026-01-01T00:00:00.000Z","slug":"none","title":"a","views":0,"minutes":1},"meta":{}}`)
	r.requireAnswer(r.send("GET", "/api/notes/none", ""), 404, notFound)
	r.requireAnswer(r.send("PUT", "/api/notes/d1", `{"data":{"title":"b"}}`), 200, `{"data":{"documentId":"d1","id":1,"publishedAt":null,"slug":"none","title":"b","views":0},"meta":{}}`)
}

// A single type has find, update and delete, and update makes it.
func TestSingleTypes(t *testing.T) {
	r := run(t, `
-- src/api/page/routes/page.js --
module.exports = require('@strapi/strapi').factories.createCoreRouter('api::page.page');
-- src/api/page/controllers/page.js --
module.exports = require('@strapi/strapi').factories.createCoreController('api::page.page', () => ({ async find(ctx) { const a = await super.find(ctx); return a; }, sanitizeOutput: (data) => data }));
-- src/api/page/services/page.js --
module.exports = require('@strapi/strapi').factories.createCoreService('api::page.page');
`)
	r.requireAnswer(r.send("GET", "/api/page", ""), 404, notFound)
	r.requireAnswer(r.send("PUT", "/api/page", `{"data":{"title":"a"}}`), 200, `{"data":{"documentId":"d1","id":1,"publishedAt":"2026-01-01T00:00:00.000Z","title":"a"},"meta":{}}`)
	r.requireAnswer(r.send("PUT", "/api/page", `{"data":{"title":"b"}}`), 200, `{"data":{"documentId":"d1","id":1,"publishedAt":"2026-01-01T00:00:00.000Z","title":"b"},"meta":{}}`)
	r.requireAnswer(r.send("GET", "/api/page", "", "Strapi-Response-Format: v4"), 200, `{"data":{"id":1,"documentId":"d1","attributes":{"publishedAt":"2026-01-01T00:00:00.000Z","title":"b"}},"meta":{}}`)
	r.requireAnswer(r.send("DELETE", "/api/page", ""), 204, ``)
	r.requireAnswer(r.send("GET", "/api/page", ""), 404, notFound)
}
