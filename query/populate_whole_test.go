package query

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"

	"quire/index"
	"quire/query/params"
	"quire/schema"
	"quire/store"
)

// librarySite has books with parts in parts, which link to other books.
func librarySite(t *testing.T) *schema.Site {
	t.Helper()
	site, err := schema.Load(fstest.MapFS{
		"src/components/book/part.json": {Data: []byte(`{"info": {"displayName": "Part"}, "attributes": {"label": {"type": "string"},
			"parts": {"type": "component", "repeatable": true, "component": "book.part"}, "see": {"type": "relation", "relation": "oneToMany", "target": "api::book.book"}}}`)},
		"src/api/book/content-types/book/schema.json": {Data: []byte(`{"kind": "collectionType", "info": {"singularName": "book", "pluralName": "books", "displayName": "Book"},
			"attributes": {"title": {"type": "string"}, "text": {"type": "text"}, "note": {"type": "string", "private": true},
			"parts": {"type": "component", "repeatable": true, "component": "book.part"}}}`)},
	})
	check(t, err)
	return site
}

func part(place *uint64, label string, targets []string, inner ...store.Instance) store.Instance {
	return store.Instance{ID: 1, Component: "book.part", Fields: []store.Field{
		{Name: "label", Value: text(label)}, {Name: "see", Value: edges(place, targets...)}, {Name: "parts", Value: store.Value{Kind: store.Instances, Instances: inner}},
	}}
}

// wholeLibrary is what populate[*]=whole shows of the parts of a book whose innermost part
// links to so many others.
func wholeLibrary(t *testing.T, links int) (c *Compiler, x *index.Index) {
	t.Helper()
	site := librarySite(t)
	x = emptyIndex(t, site)
	g := &guideMaker{t: t, rng: rand.New(rand.NewPCG(7, 7)), edit: x.Edit()}
	var others []string
	for i := range links {
		others = append(others, fmt.Sprintf("other%d", i))
		g.put("book", "", store.Published, others[i], store.Field{Name: "title", Value: text(fmt.Sprint("Other ", i))}, store.Field{Name: "text", Value: text("long")})
	}
	inner := part(&g.place, "innermost", others)
	for i := range 12 {
		inner = part(&g.place, fmt.Sprint("level ", i), nil, inner)
	}
	g.put("book", "", store.Published, "whole", store.Field{Name: "title", Value: text("Whole")}, store.Field{Name: "note", Value: text("secret")},
		store.Field{Name: "parts", Value: store.Value{Kind: store.Instances, Instances: []store.Instance{inner}}})
	g.edit.Publish(store.CommitID{Revision: 1})
	return NewCompiler(site), x
}

func TestPopulateWhole(t *testing.T) {
	c, x := wholeLibrary(t, 3)
	books := c.site.Type("api::book.book")
	ask := func(raw string) map[string]any {
		t.Helper()
		n, err := params.Parse(raw, params.Limits{})
		check(t, err)
		q, err := c.Compile(books, n, everything{}, Options{})
		check(t, err)
		if cost := q.CostOfOne(x.Snapshot()); cost < 2 || cost > 1000 {
			t.Errorf("%s costs %d", raw, cost)
		}
		text, _, err := q.AppendOne(context.Background(), x.Snapshot(), "whole", nil)
		data, _ := parsed(t, modelQuery{t: books, raw: raw}, text, err).(map[string]any)["data"].(map[string]any)
		return data
	}
	whole := ask("populate[*]=whole")
	if _, shown := whole["note"]; shown || whole["title"] != "Whole" {
		t.Errorf("the entry is %v", whole)
	}
	levels, at := 0, whole
	for {
		inner := at["parts"].([]any)
		if len(inner) == 0 {
			break
		}
		at = inner[0].(map[string]any)
		levels++
	}
	want := []any{}
	for i := range 3 {
		want = append(want, map[string]any{"id": float64(i + 1), "documentId": fmt.Sprintf("other%d", i), "title": fmt.Sprint("Other ", i)})
	}
	if levels != 13 || !reflect.DeepEqual(at["see"], want) {
		t.Errorf("on level %d there is %v", levels, at["see"])
	}
	if n, err := params.Parse("populate[*]=whole&populate[parts]=true", params.Limits{}); err == nil {
		if _, err = c.Compile(books, n, everything{}, Options{}); err == nil || !strings.Contains(err.Error(), "populate[*]") {
			t.Errorf("beside something else: %v", err)
		}
	}
}

// Of a relation with many targets the first are shown.
func TestPopulateWholeEnds(t *testing.T) {
	c, x := wholeLibrary(t, mostLinked+5)
	n, err := params.Parse("populate[*]=whole", params.Limits{})
	check(t, err)
	q, err := c.Compile(c.site.Type("api::book.book"), n, everything{}, Options{})
	check(t, err)
	text, _, err := q.AppendOne(context.Background(), x.Snapshot(), "whole", nil)
	if err != nil || strings.Count(string(text), `"title":"Other`) != mostLinked {
		t.Errorf("%d targets are shown, %v", strings.Count(string(text), `"title":"Other`), err)
	}
}
