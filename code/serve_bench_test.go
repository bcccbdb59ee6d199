package code

import (
	"encoding/json"
	"fmt"
	"testing"
)

// A controller that calls super.find and maps the rows of a page: what the code adds to the
// time of the plain list.
func BenchmarkSuperFind(b *testing.B) {
	p, host := benched(b, coreNote+`
-- src/api/note/controllers/note.js --
module.exports = require('@strapi/strapi').factories.createCoreController('api::note.note', () => ({
  async find(ctx) { const { data, meta } = await super.find(ctx); return { data: data.map((n) => ({ ...n, shout: n.title.toUpperCase() })), meta }; },
}));
`)
	rows := []map[string]any{}
	for i := range 25 {
		rows = append(rows, map[string]any{"id": i, "documentId": fmt.Sprint("d", i), "title": "A title of some length", "slug": "a-title", "views": i, "publishedAt": "2026-01-01T00:00:00.000Z"})
	}
	page, err := json.Marshal(map[string]any{"data": rows, "meta": map[string]any{}})
	check(b, err)
	host.fixed = map[string][]byte{"core.find": page}
	route, params, err := p.Match("GET", "/api/notes")
	check(b, err)
	for b.Loop() {
		got, err := p.Serve(b.Context(), Request{Route: route, Params: params, Method: "GET", URL: "/api/notes?sort=title", Access: Allowed})
		if err != nil || got.Status != 200 {
			b.Fatal(got, err)
		}
	}
}

// A create with two lifecycles, in a transaction as the Writer begins it: what the code adds to the
// time of the write.
func BenchmarkLifecycles(b *testing.B) {
	p, host := benched(b, `
-- src/api/tag/content-types/tag/lifecycles.js --
module.exports = { beforeCreate(event) { event.params.data.score = event.params.data.name.length; }, async afterCreate(event) { event.state.seen = event.result.name; } };
`)
	host.fixed = map[string][]byte{"documents.validate": []byte("null"), "documents.create": []byte(`{"id":1,"documentId":"d1","name":"a"}`), "transaction.watch": []byte("null")}
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := p.Write(b.Context(), "t", "api::tag.tag", "create", []byte(`{"data":{"name":"a"}}`), true); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func benched(b *testing.B, text string) (*Program, *memory) {
	o, host := optionsOf(b, text)
	p, err := Load(o)
	check(b, err)
	b.Cleanup(p.Close)
	check(b, p.Bootstrap(b.Context()))
	return p, host
}
