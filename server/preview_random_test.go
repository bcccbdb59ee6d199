package server_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// randomPreviewPath returns a path with random parameters, as the holder of a link to the
// first restaurant could send.
func (a *asker) randomPreviewPath() string {
	t := a.site.Type("api::restaurant.restaurant")
	params := []string{"status=" + []string{"draft", "published"}[a.IntN(2)]}
	for range 1 + a.IntN(2) {
		switch a.IntN(4) {
		case 0:
			params = append(params, "filters"+a.filter(t, 3))
		case 1, 2:
			params = append(params, a.populate("populate", t, 3)...)
		case 3:
			params = append(params, "sort="+a.path(t, 3), "locale=*")
		}
	}
	return []string{"/api/restaurants?", "/api/restaurants/{r1}?"}[a.IntN(2)] + strings.Join(params, "&")
}

// Whatever the holder of a link requests, the response stays the same to the last byte
// when drafts change that the maker of the link may not read, and when documents change
// to which this one does not lead.
func TestNoPreviewShowsMoreThanItsMakerReads(t *testing.T) {
	t.Parallel()
	s := openDrafts(t)
	a := &asker{rand.New(rand.NewPCG(*draftSeed, 15)), s.site}
	readers := slices.DeleteFunc(slices.Clone(s.callers), func(c draftCaller) bool { return !strings.Contains(c.as, "/api/restaurants") })
	paths := make([]string, 60)
	for i := range paths {
		paths[i] = a.randomPreviewPath()
	}
	look := func() map[callerPath]sight {
		all := map[callerPath]sight{}
		for _, path := range paths {
			for _, c := range readers {
				got := s.ask(c.as, "GET", path, "")
				if got.status >= 500 {
					t.Fatalf("-draft-seed %d: GET %s: %d %s", *draftSeed, path, got.status, got.body)
				}
				got.header.Del("X-Request-Id")
				all[callerPath{c, path}] = sightOf(got)
			}
		}
		return all
	}
	before, seen := look(), 0
	for _, letter := range []byte("cdhcdh-") {
		if letter != '-' {
			s.change(letter)
		} else {
			s.make("apart", "/api/restaurants?status=draft", `{"name": "apart", "chef": "{c1}", "categories": ["{cat}"], "nearby": ["{r2}"]}`)
			s.make("apart review", "/api/reviews", `{"note": 9, "restaurant": "{apart}"}`)
			s.write(200, "PUT", "/api/restaurants/{apart}", `{"data": {"name": "published"}}`)
		}
		after := look()
		for what, is := range after {
			switch was := before[what]; {
			case was == is:
			case strings.IndexByte(what.reads, letter) < 0:
				t.Errorf("-draft-seed %d: GET %s: %q sees a change (%c):\n%s\n%s", *draftSeed, what.path, what.as, letter, was, is)
			default:
				seen++
			}
		}
		before = after
	}
	if len(readers) < 3 || seen == 0 {
		t.Errorf("-draft-seed %d: %d links, through which %d changes are seen", *draftSeed, len(readers), seen)
	}
}
