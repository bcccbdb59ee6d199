package content

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"quire/content/body"
	"quire/store"
)

// A caller who publishes a draft, or writes a value that is already taken, gets the
// path of the private value and never the value.
func TestIssuesDoNotRepeatHiddenValues(t *testing.T) {
	f := newFixture(t, loadSite(t, mapSite(`"title": {"type": "string"}, "note": {"type": "string", "private": true, "minLength": 90},
		"mail": {"type": "email", "private": true}, "rank": {"type": "integer", "private": true, "min": 5000000},
		"code": {"type": "string", "private": true, "unique": true}, "choice": {"type": "enumeration", "enum": ["4711-a"], "private": true}`)))
	f.create("one", `{"code": "4711-c"}`)
	draft := f.create("one", `{"title": "x", "note": "4711-n", "mail": "4711-m", "rank": 4711, "code": "4711-c"}`, asDraft)
	_, err := f.tryUpdate("one", draft, `{}`, func(r *Request) { r.Status = store.Published })
	var refused *body.ValidationError
	if !errors.As(err, &refused) || len(refused.Issues) != 4 {
		t.Fatalf("%v: %+v", err, refused)
	}
	if text, err := json.Marshal(refused.Issues); err != nil || strings.Contains(string(text), "4711") {
		t.Errorf("%s, %v", text, err)
	}
}

// The same applies to a value of a kind that the schema no longer has.
func TestIssuesAboutFormerKinds(t *testing.T) {
	f := newFixture(t, loadSite(t, mapSite(`"note": {"type": "string"}, "open": {"type": "string"}`)))
	draft := f.create("one", `{"note": "4711", "open": "4712"}`, asDraft)
	later := &fixture{TB: t, db: f.db, site: loadSite(t, mapSite(`"note": {"type": "integer", "private": true}, "open": {"type": "integer"}`))}
	later.index = build(t, later.site, f.db)
	later.writer = NewWriter(f.db, later.index, later.site, WriterOptions{Now: clock()})
	defer later.writer.Close()
	_, err := later.tryUpdate("one", draft, `{}`)
	var refused *body.ValidationError
	if !errors.As(err, &refused) || len(refused.Issues) != 2 {
		t.Fatalf("%v: %+v", err, refused)
	}
	for i, want := range []string{"note must be a `number` type", "open must be a `number` type, but the final value was: `\"4712\"`."} {
		if issue := refused.Issues[i]; issue.Message != want || i == 0 && issue.Value != nil {
			t.Errorf("%q %s, want %q", issue.Message, issue.Value, want)
		}
	}
}
