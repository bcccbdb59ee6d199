package content

import (
	"encoding/json"
	"errors"
	"testing"

	"quire/content/body"
	"quire/index/indextest"
	"quire/store"
)

// FuzzWrite writes any two bodies: one creates a document, the other changes it.
// Whatever the outcome, the live index equals an index that is built from the file,
// refused writes have changed nothing, and deleted documents leave nothing.
func FuzzWrite(f *testing.F) {
	for i, seed := range [][2]string{
		{`{"name": "x", "chef": "chef", "categories": [1]}`, `{"categories": {"connect": [{"id": 1, "position": {"start": true}}], "disconnect": ["cat"]}}`},
		{`{"name": "x", "opening_hours": [{"day": "mon"}, {"day": "tue"}]}`, `{"opening_hours": [{"id": 2, "note": "n"}, {"day": "sun"}]}`},
		{`{"name": "x", "sections": [{"__component": "section.quote", "text": "q", "chef": "chef"}]}`, `{"sections": [], "nearby": {"set": [null]}}`},
		{`{"name": "x", "slug": "taken", "door_code": "abc123"}`, `{"slug": "taken", "location": {"geo": {"lat": 1, "lng": 181}}}`},
	} {
		f.Add([]byte(seed[0]), []byte(seed[1]), uint8(i*37))
	}
	w := newFixture(f, guide(f))
	w.create("chef", `{"name": "Ana"}`, called("chef"))
	w.create("category", `{"name": "Vegan", "code": 1}`, called("cat"))
	w.create("restaurant", `{"name": "Taken", "slug": "taken"}`, called("taken"))
	f.Fuzz(func(t *testing.T, first, second []byte, how uint8) {
		w := w.in(t)
		before := w.index.Snapshot()
		made, err := w.fuzzed(first, "", how)
		if err != nil {
			if w.index.Snapshot() != before {
				t.Errorf("%s is refused (%v) and changes something", first, err)
			}
			return
		}
		_, err = w.fuzzed(second, made.DocumentID, how>>3)
		if errors.As(err, new(*NotFoundError)) {
			t.Errorf("%s is written and not there: %v", first, err)
		}
		w.compare()
		w.delete("restaurant", made.DocumentID, AllLocales)
		w.compare()
		if s := w.index.Snapshot(); len(s.Versions(w.kind("restaurant"), made.DocumentID)) > 0 {
			t.Errorf("%s is deleted and there", made.DocumentID)
		}
	})
}

// fuzzed sends a body, as a draft or not, in one of the locales.
func (f *fixture) fuzzed(data []byte, documentID string, how uint8) (Result, error) {
	kind := f.kind("restaurant")
	input, err := body.Decode(f.site, kind, json.RawMessage(data), nil)
	if err != nil {
		return Result{}, err
	}
	r := Request{Type: kind, DocumentID: documentID, Input: input, Locale: []string{"", "en", "fr", "it"}[how&3]}
	if how&4 != 0 {
		r.Status = store.Draft
	}
	write := f.writer.Update
	if documentID == "" {
		write = f.writer.Create
	}
	result, err := write(f.Context(), r)
	if err != nil && !errors.As(err, new(*body.ValidationError)) && !errors.As(err, new(*ApplicationError)) && !errors.As(err, new(*NotFoundError)) {
		f.Errorf("%s: %T %v", data, err, err)
	}
	return result, err
}

// compare compares the live index with an index that is built from the file.
func (f *fixture) compare() {
	f.Helper()
	if d := indextest.Diff(f.index.Snapshot(), build(f.TB, f.site, f.db).Snapshot()); d != "" {
		f.Errorf("the live index and one built from the file differ: %s", d)
	}
}
