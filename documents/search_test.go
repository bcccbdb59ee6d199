package documents_test

import (
	"log/slog"
	"testing"

	"quire/content/contenttest"
	"quire/documents"
	"quire/query/params"
	"quire/schema"
	"quire/schema/settings"
)

// A search over several types names the words of each of them. They may change while it is
// compiled, and what it then finds is not what either list of words would find.
func TestWordsThatChangeWithinASearch(t *testing.T) {
	f := contenttest.New(t, contenttest.Guide(t))
	c := ownerOf(t, f)
	lists := []*settings.SearchWords{{Version: "one"}, {Version: "two"}}
	named := func(words func() *settings.SearchWords) string {
		t.Helper()
		s, err := documents.New(documents.Config{Site: f.Site, DB: f.DB, Index: f.Index, Writer: f.Writer, Log: slog.New(slog.DiscardHandler), Words: words})
		check(t, err)
		c.Service = s
		tree, err := params.Parse("q=soup", s.Limits())
		check(t, err)
		r, err := c.SearchAll([]*schema.Type{f.Kind("chef"), f.Kind("category")}, tree, false)
		check(t, err)
		return r.Words()
	}
	one := named(func() *settings.SearchWords { return lists[0] })
	two := named(func() *settings.SearchWords { return lists[1] })
	calls := 0
	both := named(func() *settings.SearchWords { calls++; return lists[min(calls, 2)-1] })
	if one == two || both == one || both == two {
		t.Errorf("searches depend on %q, %q and %q", one, two, both)
	}
	if again := named(func() *settings.SearchWords { return lists[0] }); again != one {
		t.Errorf("the same search depends on %q and %q", one, again)
	}
}
