package content

import (
	"context"
	"errors"
	"testing"

	"quire/content/body"
	"quire/store"
)

// If a single type was deleted and created again meanwhile, its former version is not
// found. If it was only deleted, a restore creates it again.
func TestRestoreOfASingleTypeThatChanges(t *testing.T) {
	f := newFixture(t, guide(t))
	home := f.create("homepage", `{"title": "Home"}`)
	version := f.version("homepage", home)
	f.update("homepage", home, `{"title": "New"}`)
	restore := func(match *Match) error {
		var dropped []Dropped
		r := Restoration{Step: Step{Type: f.kind("homepage"), DocumentID: home, Match: match}, Locale: "en", Status: store.Draft, Revision: version, Create: true}
		_, err := f.writer.Together(context.Background(), []Write{ToRestore(r, func() error { return nil }, &dropped)})
		return err
	}
	f.delete("homepage", home, AllLocales)
	if err := restore(&Match{Versions: []uint64{version}, Drafts: true}); !errors.As(err, new(*ConflictError)) {
		t.Errorf("what was deleted is restored for its version with %v", err)
	}
	if err := restore(nil); err != nil || f.mustRead("homepage", draftOf(home, "en")).Value("title").Text != "Home" {
		t.Errorf("what was deleted is restored with %v", err)
	}
	f.delete("homepage", home, AllLocales)
	other := f.create("homepage", `{"title": "Other"}`)
	for _, match := range []*Match{nil, {Versions: []uint64{version}, Drafts: true}} {
		var missing *NotFoundError
		if err := restore(match); !errors.As(err, &missing) {
			t.Errorf("with %+v, what was replaced is restored with %v", match, err)
		}
	}
	if got := f.mustRead("homepage", draftOf(other, "en")).Value("title").Text; got != "Other" {
		t.Errorf("the other has the title %q", got)
	}
}

// In a type without drafts, a restored version must be valid: a name that another
// document has by now is refused, although the body of a restore is empty.
func TestRestoreOfWhatIsTakenMeanwhile(t *testing.T) {
	f := newFixture(t, guide(t))
	soup := f.create("category", `{"name": "Soup"}`)
	version := f.version("category", soup)
	f.update("category", soup, `{"name": "Stew"}`)
	f.create("category", `{"name": "Soup"}`)
	var dropped []Dropped
	r := Restoration{Step: Step{Type: f.kind("category"), DocumentID: soup}, Status: store.Published, Revision: version}
	_, err := f.writer.Together(context.Background(), []Write{ToRestore(r, func() error { return nil }, &dropped)})
	var invalid *body.ValidationError
	if !errors.As(err, &invalid) || len(invalid.Issues) != 1 || invalid.Issues[0].Message != NotUnique {
		t.Errorf("a name that is taken is restored with %v", err)
	}
}
