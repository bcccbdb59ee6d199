package content

import (
	"context"
	"errors"
	"testing"

	"quire/content/body"
	"quire/store"
)

// hookedRequest returns a request, which must be valid.
func (f *fixture) hookedRequest(kind, data string, options ...func(*Request)) Request {
	f.Helper()
	r, err := f.ask(kind, data)
	must(f, err)
	for _, o := range options {
		o(&r)
	}
	return r
}

// Writes that are done together see each other, share one commit, and have separate
// versions.
func TestTogether(t *testing.T) {
	f := newFixture(t, guide(t))
	was := f.index.Snapshot().Revision()
	results, err := f.writer.Together(context.Background(), []Write{
		ToCreate(f.hookedRequest("chef", `{"name": "Ada"}`, called("ada"))),
		ToCreate(f.hookedRequest("restaurant", `{"name": "One", "chef": "ada"}`, called("one"), asDraft)),
		ToUpdate(f.hookedRequest("restaurant", `{"name": "Un"}`, called("one"), in("fr"), asDraft)),
		ToPublish(f.asks("restaurant", "one", AllLocales)),
		ToDelete(Request{Type: f.kind("restaurant"), DocumentID: "one", Locale: "fr"}),
		ToRecord(func(tx *store.Tx) error { return tx.PutRecord("notes", "x", []byte("x")) }),
	})
	must(t, err)
	if now := f.index.Snapshot().Revision(); now != was+1 {
		t.Errorf("the writes took %d commits", now-was)
	}
	if len(results) != 6 || len(results[3]) != 2 || results[1][0].Version >= results[3][0].Version || results[0][0].Snapshot != f.index.Snapshot() {
		t.Errorf("%+v", results)
	}
	if f.stored("restaurant", liveOf("one", "en")) == nil || f.stored("restaurant", draftOf("one", "fr")) != nil || f.notes() != "x" {
		t.Error("not all was done")
	}
}

// If one write is refused, those before it are undone. The error names it.
func TestTogetherOrNotAtAll(t *testing.T) {
	f := newFixture(t, guide(t))
	f.create("category", `{"name": "taken"}`)
	ctx := context.Background()
	for name, test := range map[string]struct {
		last Write
		want any
	}{
		"a value that is taken":  {ToCreate(f.hookedRequest("category", `{"name": "new"}`)), new(*body.ValidationError)},
		"no document":            {ToUpdate(f.hookedRequest("category", `{"name": "x"}`, called("none"))), new(*NotFoundError)},
		"a record that fails":    {ToRecord(func(*store.Tx) error { return &ApplicationError{"no"} }), new(*ApplicationError)},
		"a draft that is not in": {ToPublish(f.asks("restaurant", "none")), new(*NotFoundError)},
	} {
		_, err := f.writer.Together(ctx, []Write{
			ToCreate(f.hookedRequest("category", `{"name": "new"}`)),
			ToRecord(func(tx *store.Tx) error { return tx.PutRecord("notes", "x", nil) }),
			test.last,
		})
		var part *PartError
		if !errors.As(err, &part) || part.Part != 2 || !errors.As(err, test.want) {
			t.Errorf("%s: %v", name, err)
		}
		if n := f.index.Snapshot().Table(f.kind("category"), store.Published).Len(); n != 1 || f.notes() != "" {
			t.Errorf("%s: there are %d categories and the notes %q", name, n, f.notes())
		}
	}
}

// Writes that share the transaction with failing ones are done all the same.
func TestTogetherBesideOthers(t *testing.T) {
	f := newFixture(t, guide(t))
	bad := f.creating("new")
	bad.plans = append(bad.plans, bad.plans[0])
	batch := []*write{f.creating("a"), bad, f.creating("new")}
	f.writer.commit(batch)
	if batch[0].err != nil || bad.err == nil || batch[2].err != nil {
		t.Errorf("got %v, %v and %v", batch[0].err, bad.err, batch[2].err)
	}
}

// Try undoes everything and names each refused write. It tries the other writes on the
// result of those before them.
func TestTry(t *testing.T) {
	f := newFixture(t, guide(t))
	f.create("category", `{"name": "taken"}`)
	was := f.index.Snapshot().Revision()
	refused, err := f.writer.Try(context.Background(), []Write{
		ToCreate(f.hookedRequest("category", `{"name": "taken"}`)),
		ToCreate(f.hookedRequest("restaurant", `{"name": "One"}`, called("one"), asDraft)),
		ToPublish(f.asks("restaurant", "none")),
		ToPublish(f.asks("restaurant", "one")),
		ToCreate(f.hookedRequest("category", `{"name": "taken"}`)),
	})
	if err != nil || len(refused) != 5 {
		t.Fatalf("%v, %v", refused, err)
	}
	if !errors.As(refused[0], new(*body.ValidationError)) || refused[1] != nil || !errors.As(refused[2], new(*NotFoundError)) || refused[3] != nil || refused[4] == nil {
		t.Errorf("got %v", refused)
	}
	if f.index.Snapshot().Revision() != was || f.stored("restaurant", draftOf("one", "en")) != nil {
		t.Error("something was done")
	}
	f.create("category", `{"name": "free"}`)
	f.writer.Close()
	if _, err := f.writer.Try(context.Background(), nil); !errors.Is(err, ErrClosed) {
		t.Errorf("a closed writer: %v", err)
	}
}
