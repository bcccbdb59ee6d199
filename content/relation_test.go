package content

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"quire/content/body"
	"quire/store"
)

// world has categories a to e and restaurant r, and replaces their names in bodies.
type world struct {
	*fixture
	ids map[string]string
}

func newWorld(t *testing.T) *world {
	w := &world{newFixture(t, guide(t)), map[string]string{}}
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		w.ids[name] = w.create("category", fmt.Sprintf(`{"name": %q}`, name))
	}
	w.ids["r"] = w.create("restaurant", `{"name": "The r"}`)
	return w
}

// body replaces $a by the documentId of a, and #a by the numeric id of its published entry.
func (w *world) body(text string) string {
	for name, id := range w.ids {
		text = strings.ReplaceAll(text, "$"+name, `"`+id+`"`)
		if strings.Contains(text, "#"+name) {
			text = strings.ReplaceAll(text, "#"+name, fmt.Sprint(w.mustRead("category", liveOf(id, "")).ID))
		}
	}
	return text
}

// names replaces documentIds by names.
func (w *world) names(ids string) string {
	for name, id := range w.ids {
		ids = strings.ReplaceAll(ids, id, name)
	}
	return ids
}

func TestLinkLists(t *testing.T) {
	w := newWorld(t)
	for _, e := range []struct{ from, body, want string }{
		{"", `[$a, $b]`, "a b"},
		{"a b", `[$c]`, "c"},
		{"a b", `[]`, ""},
		{"a b", `null`, ""},
		{"a b", `[null]`, ""},
		{"a b", `{}`, "a b"},
		{"a b", `{"connect": [null]}`, "a b"},
		{"a b", `{"set": [$b, $a, $b]}`, "b a"},
		{"a b", `{"set": [$c], "connect": [$d], "disconnect": [$c]}`, "c"},
		{"a", `#b`, "b"},
		{"a", `[{"id": #b}, {"documentId": $c}]`, "b c"},
		{"a", `["#c"]`, "c"}, // a numeric string that is not a documentId
		{"a b", `{"connect": $c}`, "a b c"},
		{"a b", `{"connect": [$a]}`, "b a"},
		{"a b", `{"connect": [$b]}`, "a b"},
		{"a b c", `{"disconnect": [$b]}`, "a c"},
		{"a b c", `{"disconnect": [$d, 999999]}`, "a b c"},
		{"a b c", `{"disconnect": [#a], "connect": [$a]}`, "b c a"},
		{"a b", `{"connect": [{"documentId": $c, "position": {"start": true}}]}`, "c a b"},
		{"a b", `{"connect": [{"documentId": $c, "position": {"before": $b}}, {"documentId": $d, "position": {"after": $c}}]}`, "a c d b"},
		{"a b c", `{"connect": [{"documentId": $a, "position": {"after": #b}}]}`, "b a c"},
		{"a b c", `{"connect": [{"documentId": $c, "position": {"before": {"id": #a}}}]}`, "c a b"},
		{"a b", `{"connect": [{"documentId": $c, "position": {"before": $e}}], "options": {"strict": false}}`, "a b c"},
	} {
		set := `{"categories": [` + strings.ReplaceAll(`$`+strings.ReplaceAll(e.from, " ", ", $"), "$,", "") + `]}`
		if e.from == "" {
			set = `{"categories": []}`
		}
		w.update("restaurant", w.ids["r"], w.body(set))
		w.update("restaurant", w.ids["r"], w.body(`{"categories": `+e.body+`}`))
		if got := w.names(w.links("restaurant", liveOf(w.ids["r"], "en"), "categories")); got != e.want {
			t.Errorf("%s and then %s: %s, want %s", e.from, e.body, got, e.want)
		}
	}
}

func TestRefusedLinks(t *testing.T) {
	w := newWorld(t)
	w.update("restaurant", w.ids["r"], w.body(`{"categories": [$a, $b]}`))
	for body, message := range map[string]string{
		`["nobody"]`:                   `Document with id "nobody", locale "null" not found`,
		`{"disconnect": ["nobody"]}`:   `Document with id "nobody", locale "null" not found`,
		`[999999]`:                     `1 relation(s) of type api::category.category associated with this entity do not exist`,
		`{"connect": [999999, 99999]}`: `2 relation(s) of type api::category.category associated with this entity do not exist`,
		`{"connect": [{"documentId": $c, "position": {"before": "nobody"}}]}`: `Document with id "nobody", locale "null" not found`,
		`{"connect": [{"documentId": $c, "position": {"before": $e}}]}`:       "",
		`{"connect": [$c, #c]}`: "",
	} {
		_, err := w.tryUpdate("restaurant", w.ids["r"], w.body(`{"categories": `+body+`}`))
		if err == nil || message != "" && err.Error() != message {
			t.Errorf("%s: got %v, want %s", body, err, message)
		}
	}
	if got := w.names(w.links("restaurant", draftOf(w.ids["r"], "en"), "categories")); got != "a b" {
		t.Errorf("refused writes left %s", got)
	}
}

func TestToOne(t *testing.T) {
	f := newFixture(t, guide(t))
	x, y := f.create("chef", `{"name": "X"}`), f.create("chef", `{"name": "Y"}`)
	id := f.create("restaurant", fmt.Sprintf(`{"name": "One", "chef": %q}`, x))
	for _, e := range []struct{ body, want string }{
		{`{"connect": [%q]}`, y},
		{`{"disconnect": [%q]}`, ""},
		{`{"set": [%q]}`, y},
		{`[%q]`, y},
		{`{"connect": ["` + x + `", %q]}`, y}, // the last one wins
	} {
		f.update("restaurant", id, `{"chef": `+fmt.Sprintf(e.body, y)+`}`)
		if got := f.links("restaurant", liveOf(id, "en"), "chef"); got != e.want {
			t.Errorf("%s: %q, want %q", e.body, got, e.want)
		}
	}
	f.update("restaurant", id, fmt.Sprintf(`{"chef": {"disconnect": [%q]}}`, x)) // not its current one
	if got := f.links("restaurant", liveOf(id, "en"), "chef"); got != y {
		t.Errorf("disconnecting another chef left %q", got)
	}
}

// Writing the list of the inverse side changes the owners: the drafts at once, and the
// published versions when the written document is published.
func TestInverseLists(t *testing.T) {
	f := newFixture(t, guide(t))
	x, y := f.create("chef", `{"name": "X"}`), f.create("chef", `{"name": "Y"}`)
	a := f.create("restaurant", fmt.Sprintf(`{"name": "aa", "chef": %q}`, x))
	b := f.create("restaurant", `{"name": "bb"}`)
	stamp := f.mustRead("restaurant", draftOf(a, "en")).UpdatedAt
	lists := func(want ...string) {
		t.Helper()
		got := []string{
			f.list("restaurant", "chef", "chef", x, store.Draft), f.list("restaurant", "chef", "chef", x, store.Published),
			f.list("restaurant", "chef", "chef", y, store.Draft), f.list("restaurant", "chef", "chef", y, store.Published),
		}
		for i := range got {
			got[i] = strings.NewReplacer(a, "a", b, "b").Replace(got[i])
		}
		if !slices.Equal(got, want) {
			t.Errorf("lists are %q, want %q", got, want)
		}
	}
	lists("a", "a", "", "")
	f.update("chef", y, fmt.Sprintf(`{"restaurants": [%q, %q]}`, b, a), asDraft)
	lists("", "a", "b a", "")
	f.update("chef", y, `{}`)
	lists("", "", "b a", "b a")
	f.update("chef", y, fmt.Sprintf(`{"restaurants": {"connect": [{"documentId": %q, "position": {"before": %q}}]}}`, a, b))
	lists("", "", "a b", "a b")
	f.update("chef", x, fmt.Sprintf(`{"restaurants": %q}`, b))
	lists("b", "b", "a", "a")
	f.update("restaurant", b, `{"chef": null}`, asDraft)
	lists("", "b", "a", "a")
	f.update("chef", y, `{"restaurants": {"disconnect": ["`+a+`"]}}`)
	lists("", "b", "", "")
	if got := f.mustRead("restaurant", draftOf(a, "en")).UpdatedAt; got != stamp {
		t.Error("writing a chef's list touched the restaurant's updatedAt")
	}
}

// A link that is connected where it is already is not written again, whatever numbers the
// places of the list have. So the history of its owner does not grow.
func TestConnectedWhereItIs(t *testing.T) {
	for others := range 3 { // that take the places between those of the list
		f := newFixture(t, guide(t))
		x, y := f.create("chef", `{"name": "X"}`), f.create("chef", `{"name": "Y"}`)
		create := func(name, chef string) string {
			return f.create("restaurant", fmt.Sprintf(`{"name": %q, "chef": %q}`, name, chef))
		}
		a := create("aa", x)
		for range others {
			create("other", y)
		}
		b := create("bb", x)
		versions := func() (all []uint64) {
			for _, k := range []store.Key{draftOf(a, "en"), liveOf(a, "en"), draftOf(b, "en"), liveOf(b, "en")} {
				all = append(all, f.mustRead("restaurant", k).Stamp.Version)
			}
			return all
		}
		before := versions()
		for _, connect := range []string{`{"documentId": %[1]q, "position": {"start": true}}`, `{"documentId": %[1]q, "position": {"before": %[2]q}}`, `{"documentId": %[2]q, "position": {"after": %[1]q}}`} {
			f.update("chef", x, `{"restaurants": {"connect": [`+fmt.Sprintf(connect, a, b)+`]}}`)
			if after := versions(); !slices.Equal(after, before) {
				t.Errorf("%d others: %s changed versions %d to %d", others, connect, before, after)
			}
		}
		f.update("chef", x, fmt.Sprintf(`{"restaurants": {"connect": [{"documentId": %q, "position": {"start": true}}]}}`, b))
		if got := f.list("restaurant", "chef", "chef", x, store.Published); got != b+" "+a {
			t.Errorf("%d others: the list is %s, want %s %s", others, got, b, a)
		}
	}
}

// A document without drafts changes the drafts and the published versions of the owners,
// also if an owner has only one of them.
func TestInverseListsWithoutDrafts(t *testing.T) {
	f := newFixture(t, guide(t))
	both := f.create("restaurant", `{"name": "both"}`)
	draft := f.create("restaurant", `{"name": "draft"}`, asDraft)
	live := f.create("restaurant", `{"name": "live"}`)
	f.put("restaurant", f.mustRead("restaurant", draftOf(live, "en")), nil)
	c := f.create("category", fmt.Sprintf(`{"name": "C", "restaurants": [%q, %q, %q]}`, live, both, draft))
	if got, want := f.list("restaurant", "categories", "category", c, store.Draft), both+" "+draft; got != want {
		t.Errorf("drafts are %s, want %s", got, want)
	}
	if got, want := f.list("restaurant", "categories", "category", c, store.Published), live+" "+both; got != want {
		t.Errorf("published are %s, want %s", got, want)
	}
	f.update("category", c, `{"restaurants": []}`)
	for _, status := range []store.Status{store.Draft, store.Published} {
		if got := f.list("restaurant", "categories", "category", c, status); got != "" {
			t.Errorf("still there: %s", got)
		}
	}
}

func TestExclusiveLinks(t *testing.T) {
	f := newFixture(t, kitchen(t))
	create := func() string { return f.create("thing", `{"slug": null, "specs": [{}]}`, asDraft) }
	a, b, c := create(), create(), create()
	held := func(want ...string) {
		t.Helper()
		got := []string{
			f.links("thing", draftOf(a, ""), "partner"), f.links("thing", draftOf(b, ""), "partner"), f.links("thing", draftOf(c, ""), "partner"),
		}
		if !slices.Equal(got, want) {
			t.Errorf("partners are %q, want %q", got, want)
		}
	}
	link := func(id, attribute, to string) {
		t.Helper()
		f.update("thing", id, fmt.Sprintf(`{%q: %q}`, attribute, to), asDraft)
	}
	link(a, "partner", c)
	held(c, "", "")
	link(b, "partner", c)
	held("", c, "")
	link(c, "partnerOf", a)
	held(c, "", "")
	link(b, "partnerOf", a)
	held(b, "", "")
	link(a, "partnerOf", a) // itself, from the other side
	held(a, "", "")
	f.update("thing", a, `{"partnerOf": null}`, asDraft)
	held("", "", "")

	f.update("thing", c, `{"slug": "c"}`)
	for i, id := range []string{a, b} {
		f.update("thing", id, fmt.Sprintf(`{"slug": "t%d", "partner": %q}`, i, c))
	}
	if got := f.links("thing", liveOf(a, ""), "partner"); got != "" {
		t.Errorf("the published partner was not taken away: %s", got)
	}
	if got := f.links("thing", liveOf(b, ""), "partner"); got != c {
		t.Errorf("the published partner is %q", got)
	}
}

func TestMorphLinks(t *testing.T) {
	f := newFixture(t, kitchen(t))
	thing := f.create("thing", `{"slug": null, "specs": [{}]}`, asDraft)
	note := f.create("note", fmt.Sprintf(`{"text": "n", "about": {"documentId": %q, "__type": "api::thing.thing"}}`, thing))
	edges := f.mustRead("note", liveOf(note, "en")).Value("about").Edges
	if len(edges) != 1 || edges[0].Type != "api::thing.thing" || edges[0].Target != thing {
		t.Fatalf("edges are %+v", edges)
	}
	other := f.create("note", `{"text": "o"}`)
	f.update("thing", thing, fmt.Sprintf(`{"notes": [%q, %q]}`, other, note), asDraft)
	if got, want := f.list("note", "about", "thing", thing, store.Published), other+" "+note; got != want {
		t.Errorf("notes are %s, want %s", got, want)
	}
	f.update("thing", thing, fmt.Sprintf(`{"about": [{"documentId": %q, "__type": "api::note.note", "locale": "en"}, {"documentId": %[2]q, "__type": "api::thing.thing"}]}`, note, thing), asDraft)
	if got := f.mustRead("thing", draftOf(thing, "")).Value("about").Edges; len(got) != 2 || got[0].Locale != "en" || got[1].Locale != "" {
		t.Errorf("edges are %+v", got)
	}
	for _, link := range []string{`"x"`, `5`, `{"documentId": "x"}`, `{"documentId": "x", "__type": "zzz"}`, `{"documentId": "x", "__type": "part.spec"}`, `{"documentId": "x", "__type": 5}`} {
		if _, err := f.tryUpdate("note", note, `{"about": `+link+`}`); !errors.As(err, new(*body.ValidationError)) {
			t.Errorf("%s: got %v", link, err)
		}
	}
}

func TestLocaleOfLinks(t *testing.T) {
	f := newFixture(t, guide(t))
	a := f.create("restaurant", `{"name": "en"}`)
	f.update("restaurant", a, `{"name": "fr"}`, in("fr"))
	onlyIt := f.create("restaurant", `{"name": "it"}`, in("it"))
	frID := f.mustRead("restaurant", liveOf(a, "fr")).ID

	for _, e := range []struct{ body, locale string }{
		{fmt.Sprintf(`%q`, a), "en"},
		{fmt.Sprintf(`{"documentId": %q, "locale": "fr"}`, a), "fr"},
		{fmt.Sprint(frID), "fr"},
		{fmt.Sprintf(`{"documentId": %q, "locale": "it"}`, onlyIt), "it"},
		{fmt.Sprintf(`%q`, onlyIt), ""},
		{fmt.Sprintf(`{"documentId": %q, "locale": "zz"}`, a), ""},
	} {
		id, err := f.tryCreate("review", `{"note": 1, "restaurant": `+e.body+`}`)
		if (err == nil) != (e.locale != "") {
			t.Errorf("%s: got %v", e.body, err)
		} else if err == nil {
			if edge := f.mustRead("review", liveOf(id.DocumentID, "")).Value("restaurant").Edges[0]; edge.Locale != e.locale {
				t.Errorf("%s: links to locale %s, want %s", e.body, edge.Locale, e.locale)
			}
		}
	}

	// Links of a localized entry lead to its own locale, and name none.
	f.update("restaurant", a, fmt.Sprintf(`{"nearby": [%q]}`, a), in("fr"))
	if edge := f.mustRead("restaurant", liveOf(a, "fr")).Value("nearby").Edges[0]; edge.Locale != "" {
		t.Errorf("the edge names locale %s", edge.Locale)
	}
	if got := f.links("restaurant", liveOf(a, "en"), "nearby"); got != "" {
		t.Errorf("the link was carried to another locale: %s", got)
	}
	_, err := f.tryUpdate("restaurant", a, fmt.Sprintf(`{"nearby": [%q]}`, onlyIt), in("fr"))
	if err == nil || err.Error() != fmt.Sprintf(`Document with id %q, locale "fr" not found`, onlyIt) {
		t.Errorf("got %v", err)
	}

	// A new locale version can link to itself.
	f.update("restaurant", a, fmt.Sprintf(`{"name": "it", "nearby": [%q]}`, a), in("it"))
	if got := f.links("restaurant", liveOf(a, "it"), "nearby"); got != a {
		t.Errorf("it links to %q", got)
	}

	// Writing the list of reviews in one locale does not change the lists of other locales.
	mine := f.create("review", `{"note": 2}`)
	f.update("restaurant", a, fmt.Sprintf(`{"reviews": [%q]}`, mine), in("fr"))
	edge := f.mustRead("review", liveOf(mine, "")).Value("restaurant").Edges[0]
	if edge.Target != a || edge.Locale != "fr" {
		t.Errorf("the review links to %+v", edge)
	}
	if got := f.list("review", "restaurant", "restaurant", a, store.Published); strings.Count(got, " ") != 1 {
		t.Errorf("reviews of all locales: %s", got) // the first and mine; the other fr ones are gone
	}
}

func TestMedia(t *testing.T) {
	f := newFixture(t, guide(t))
	upload := func(name, mime string) string {
		return f.create("file", fmt.Sprintf(`{"name": %q, "mime": %q, "hash": "h", "size": 1, "url": "/u", "provider": "local"}`, name, mime))
	}
	picture, text, film := upload("p.svg", "image/svg+xml"), upload("t.txt", "text/plain"), upload("f.mp4", "video/mp4")
	pictureID := f.mustRead("file", liveOf(picture, "")).ID
	id := f.create("restaurant", fmt.Sprintf(`{"name": "Pic", "cover": %d, "gallery": [%q, {"documentId": %q}]}`, pictureID, text, picture))
	if got, want := f.links("restaurant", liveOf(id, "en"), "gallery"), text+" "+picture; got != want {
		t.Errorf("the gallery is %s, want %s", got, want)
	}
	for body, path := range map[string]string{
		fmt.Sprintf(`{"cover": %q}`, text):                                   "cover",
		fmt.Sprintf(`{"gallery": {"connect": %q}}`, film):                    "gallery",
		fmt.Sprintf(`{"seo": {"meta_title": "t", "share_image": %q}}`, text): "seo.share_image",
		`{"cover": 999999}`: "",
	} {
		_, err := f.tryUpdate("restaurant", id, body)
		if got := pathsOf(t, err); !slices.Equal(got, []string{path}) {
			t.Errorf("%s: wrong at %q, want %q", body, got, path)
		}
	}
	f.update("restaurant", id, `{"cover": null, "gallery": {"disconnect": [`+fmt.Sprint(pictureID)+`]}}`)
	if got := f.links("restaurant", liveOf(id, "en"), "gallery"); got != text {
		t.Errorf("the gallery is %s", got)
	}
}

// Every inverse list gets ascending places. Links that stay in order keep their places.
func TestSpread(t *testing.T) {
	for _, e := range []struct {
		places []uint64
		want   func(before, after []uint64) bool
	}{
		{[]uint64{10, 20, 30}, slices.Equal[[]uint64]},
		{[]uint64{10, 0, 20}, func(_, p []uint64) bool { return p[0] == 10 && p[1] == 15 && p[2] == 20 }},
		{[]uint64{0, 10}, func(_, p []uint64) bool { return p[0] == 5 && p[1] == 10 }},
		{[]uint64{10, 0}, func(_, p []uint64) bool { return p[0] == 10 && p[1] >= PlaceGap }},
		{[]uint64{10, 0, 11}, func(_, p []uint64) bool { return p[0] >= PlaceGap }}, // no space
		{[]uint64{30, 10, 20}, func(_, p []uint64) bool { return p[0] == 5 && p[1] == 10 && p[2] == 20 }},
		{[]uint64{0, 0, 0}, func(_, p []uint64) bool { return p[0] >= PlaceGap }},
		{nil, slices.Equal[[]uint64]},
	} {
		f := newFixture(t, guide(t))
		err := f.db.View(func(tx *store.Tx) error {
			op := f.writer.operation(tx, f.index.Snapshot())
			list := make([]store.Edge, len(e.places))
			for i, place := range e.places {
				list[i].Place = place
			}
			op.spread(f.kind("restaurant").Attribute("chef"), list)
			var got []uint64
			for _, edge := range list {
				got = append(got, edge.Place)
			}
			if !slices.IsSorted(got) || len(slices.Compact(slices.Clone(got))) != len(got) || !e.want(e.places, got) {
				t.Errorf("%v became %v", e.places, got)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
}

func TestFileClass(t *testing.T) {
	for mime, want := range map[string]string{
		"image/png": "images", "video/mp4": "videos", "audio/mpeg": "audios", "text/plain": "files", "application/pdf": "files", "": "files",
	} {
		if got := fileClass(mime); got != want {
			t.Errorf("%q is one of the %s, want %s", mime, got, want)
		}
	}
}
