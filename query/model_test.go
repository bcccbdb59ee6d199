package query

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"quire/index"
	"quire/index/indextest"
	"quire/query/params"
	"quire/schema"
	"quire/store"
)

var (
	seedFlag = flag.Uint64("seed", 0, "seed of the first data set of TestModel; 0 takes one by chance")
	setsFlag = flag.Int("sets", 0, "data sets of TestModel, each with 40 queries; 0 for as many as fit a normal run")
)

// TestModel asks random questions about random documents, of the index and of
// the model. They must agree, whether the index was built for the question, was
// there already, or has grown by writes since it was built.
func TestModel(t *testing.T) {
	seed, sets := *seedFlag, *setsFlag
	if seed == 0 {
		seed = rand.Uint64N(1e9)
	}
	switch {
	case sets > 0:
	case testing.Short():
		sets = 10
	default:
		sets = 25
	}
	t.Logf("go test ./query -run TestModel -seed %d", seed)
	s := &trial{site: modelSite(t), requested: map[string]int{}}
	s.compiler = NewCompiler(s.site)
	for i := range sets {
		if s.run(t, seed+uint64(i)); t.Failed() {
			t.Fatalf("again: go test ./query -run TestModel -seed %d -sets 1", seed+uint64(i))
		}
	}
	t.Logf("%v", s.requested)
	if sets >= 25 && (2*s.requested["answered"] < 3*s.requested["refused"] || s.requested["found"] < s.requested["answered"]/6) {
		t.Errorf("the questions are too often refused or in vain: %v", s.requested)
	}
}

// trial compares the index with the model.
type trial struct {
	site      *schema.Site
	compiler  *Compiler
	requested map[string]int
}

// modelQuery is a query on a type by a caller, and a document to ask for alone.
type modelQuery struct {
	t          *schema.Type
	raw        string
	caller     schema.Access
	documentID string
}

// someTypes is a caller who may do what is in the map: an action on a type.
type someTypes map[string]bool

func (s someTypes) Allows(t *schema.Type, a schema.Action) bool { return s[t.UID+" "+string(a)] }

func (someTypes) Sight(*schema.Type) *schema.Sight { return nil }

func (someTypes) Reach(*schema.Type) *schema.Reach { return nil }

func (someTypes) Filter(*schema.Type) *schema.Filter { return nil }

// queries are n random ones; two in five are asked by a caller who may not see
// everything.
func (d *dice) queries(n int) []modelQuery {
	var all []modelQuery
	restaurant := d.site.Type("api::restaurant.restaurant") // has every kind of attribute
	for range n {
		t := pick(d, append(slices.Clone(d.site.Types), restaurant, restaurant, restaurant, restaurant)...)
		q := modelQuery{t: t, raw: d.query(t), caller: everything{}, documentID: documentName(t, d.IntN(d.docs[t]+1))}
		if d.IntN(5) < 2 {
			some := someTypes{}
			for _, t := range d.site.Types {
				some[t.UID+" find"] = d.IntN(3) > 0
				some[t.UID+" readDraft"] = d.IntN(2) > 0
			}
			q.caller = some
		}
		if d.chance(3) {
			q.caller = d.partly(q.caller)
		}
		all = append(all, q)
	}
	return all
}

func (s *trial) run(t *testing.T, seed uint64) {
	d := newDice(s.site, seed)
	w := d.world()
	file := newFile(t, s.site)
	file.apply(w.changes())
	grown := file.build()
	queries := d.queries(40)
	requested, late, later := queries[:24], queries[24:32], queries[32:]
	s.compare(t, "built for the questions so far", w, requested, grown.Snapshot)
	s.compareLinks(t, "built for the questions so far", w, requested, grown.Snapshot())
	before, worldBefore := grown.Snapshot(), w.clone()
	if d.chance(4) {
		d.churn(t, grown)
	}

	changes := d.edit(w, 1+d.IntN(2*d.size))
	file.apply(changes)
	edit := grown.Edit()
	for _, c := range changes {
		check(t, edit.Apply(c))
	}
	edit.Publish(store.CommitID{Revision: 2})
	left := func() *index.Snapshot { return before }
	s.compare(t, "grown by writes", w, requested, grown.Snapshot)
	s.compareLinks(t, "grown by writes", w, requested, grown.Snapshot())
	s.compare(t, "left behind by writes", worldBefore, slices.Concat(requested, late), left)
	s.compareLinks(t, "left behind by writes", worldBefore, requested, before)
	s.compare(t, "moved forward over writes", w, slices.Concat(late, later), grown.Snapshot)
	s.compare(t, "moved back over writes", worldBefore, later, left)
	built := file.build().Snapshot()
	s.compare(t, "built for this question", w, queries, func() *index.Snapshot { return file.build().Snapshot() })
	if difference := indextest.Diff(grown.Snapshot(), built); difference != "" {
		t.Errorf("the index that grew differs from the file's: %s", difference)
	}
}

// churn makes and deletes documents until tables and numbers of documents have been
// used again, and leaves the content as it is.
func (d *dice) churn(t *testing.T, x *index.Index) {
	restaurant := d.site.Type("api::restaurant.restaurant")
	for _, of := range []*schema.Type{restaurant, pick(d, d.site.Types...)} {
		if of.Kind == schema.Single {
			continue
		}
		locale := ""
		if of.Localized {
			locale = d.site.Settings.DefaultLocale
		}
		for range 2 {
			var come, gone []store.Change
			for i := range 2*d.size + 150 {
				for _, c := range d.versions(of, fmt.Sprint("passing", i), locale) {
					come, gone = append(come, c), append(gone, store.Change{Type: c.Type, Before: c.After})
				}
			}
			d.Shuffle(len(gone), func(i, j int) { gone[i], gone[j] = gone[j], gone[i] })
			for _, changes := range [][]store.Change{come, gone} {
				edit := x.Edit()
				for _, c := range changes {
					check(t, edit.Apply(c))
				}
				edit.Publish(store.CommitID{Revision: 1})
			}
		}
	}
}

// compare asks the questions of the model and of snapshots.
func (s *trial) compare(t *testing.T, state string, w *world, queries []modelQuery, snapshot func() *index.Snapshot) {
	t.Helper()
	if t.Failed() {
		return
	}
	for _, q := range queries {
		want, got := s.fromModel(w, q), s.fromIndex(t, snapshot(), q)
		s.requested["questions"]++
		switch {
		case want.Refused:
			s.requested["refused"]++
		case want.Count > 0:
			s.requested["found"]++
			fallthrough
		default:
			s.requested["answered"]++
		}
		if reflect.DeepEqual(want, got) {
			continue
		}
		small := q
		small.raw = shorten(q.raw, func(raw string) bool {
			small.raw = raw
			return !reflect.DeepEqual(s.fromModel(w, small), s.fromIndex(t, snapshot(), small))
		})
		want, got = s.fromModel(w, small), s.fromIndex(t, snapshot(), small)
		t.Errorf("%s\n%s?%s\nby %v, and %s alone: %s\nIt was part of %s", state, q.t.UID, small.raw, q.caller, q.documentID, differs(plainOf(got), plainOf(want)), q.raw)
		return
	}
}

// shorten drops parameters from a query as long as it still fails.
func shorten(raw string, fails func(string) bool) string {
	params := strings.Split(raw, "&")
	for i := 0; i < len(params); {
		fewer := strings.Join(append(append([]string{}, params[:i]...), params[i+1:]...), "&")
		if fails(fewer) {
			params = append(params[:i], params[i+1:]...)
		} else {
			i++
		}
	}
	return strings.Join(params, "&")
}

// answer is everything that a query can be asked for.
type answer struct {
	Refused         bool // as a list; one without envelope takes other paging
	List, Bare, One any  // as parsed JSON; nil where there is no answer
	All             any  // the entries of all pages, where the list goes from cursor to cursor
	Count           int
}

func plainOf(a answer) any {
	return map[string]any{"refused": a.Refused, "list": a.List, "bare": a.Bare, "one": a.One, "all": a.All, "count": a.Count}
}

// differs describes the first difference of two JSON values.
func differs(got, want any) string {
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		for _, key := range slices.Sorted(maps.Keys(w)) {
			if ok && !reflect.DeepEqual(g[key], w[key]) {
				return key + " " + differs(g[key], w[key])
			}
		}
	case []any:
		if g, ok := got.([]any); ok && slices.Equal(ids(g), ids(w)) {
			for i := range w {
				if !reflect.DeepEqual(g[i], w[i]) {
					return fmt.Sprint(i, " ", differs(g[i], w[i]))
				}
			}
		} else if ok {
			return fmt.Sprintf("has the ids %v and should have %v", ids(g), ids(w))
		}
	}
	return fmt.Sprintf("is %v and should be %v", got, want)
}

func ids(list []any) []any {
	var all []any
	for _, item := range list {
		object, _ := item.(map[string]any)
		all = append(all, object["id"])
	}
	return all
}

func (s *trial) fromModel(w *world, q modelQuery) answer {
	n, err := params.Parse(q.raw, params.Limits{})
	if err != nil {
		return answer{Refused: true}
	}
	read, err := w.of(q.caller).read(q.t, n, q.caller)
	if err != nil {
		return answer{Refused: true}
	}
	a := answer{List: read.list(), Bare: read.bare()}
	if a.Refused = a.List == nil; !a.Refused {
		if pages := n.Get("pagination"); pages.Get("after") != nil {
			a.All = read.showWhole(read.selected())
		}
		a.Count, a.One = len(read.selected()), read.one(q.documentID)
	}
	return a
}

func (s *trial) fromIndex(t *testing.T, snapshot *index.Snapshot, q modelQuery) answer {
	t.Helper()
	var a answer
	if list := s.compile(t, q, Options{}); list != nil {
		one, ok, err := list.AppendOne(context.Background(), snapshot, q.documentID, nil)
		if ok {
			a.One = parsed(t, q, one, err)
		}
		if a.Count, err = list.Count(context.Background(), snapshot); err != nil {
			t.Errorf("%s?%s: %v", q.t.UID, q.raw, err)
		}
		text, err := list.AppendList(context.Background(), snapshot, nil)
		a.List = parsed(t, q, text, err)
		if list.paging.byCursor {
			a.All = s.follow(t, snapshot, q, a.List)
		}
	}
	if bare := s.compile(t, q, Options{Bare: true}); bare != nil {
		text, err := bare.AppendBare(context.Background(), snapshot, nil)
		a.Bare = parsed(t, q, text, err)
	}
	a.Refused = a.List == nil
	return a
}

// follow reads the pages of a list to its end, and returns their entries. In the
// first page it puts a word in the place of the cursor.
func (s *trial) follow(t *testing.T, snapshot *index.Snapshot, q modelQuery, first any) any {
	all := []any{}
	for page := first; ; {
		data, next := pageOf(page)
		all = append(all, data...)
		if next == "" || t.Failed() {
			return all
		}
		if len(all) == len(data) {
			page.(map[string]any)["meta"].(map[string]any)["pagination"].(map[string]any)["next"] = "more"
		}
		again := q
		again.raw = strings.ReplaceAll(q.raw, "pagination[after]=", "pagination[after]="+next)
		list := s.compile(t, again, Options{})
		if list == nil || len(data) == 0 || len(all) > 10_000 {
			t.Errorf("%s?%s: after %d entries, %d of them on the last page, the list does not go on or does not end", q.t.UID, again.raw, len(all), len(data))
			return nil
		}
		text, err := list.AppendList(context.Background(), snapshot, nil)
		page = parsed(t, q, text, err)
	}
}

// pageOf is the entries of a list, and the cursor of the next page.
func pageOf(list any) (data []any, next string) {
	page, _ := list.(map[string]any)
	data, _ = page["data"].([]any)
	meta, _ := page["meta"].(map[string]any)
	pagination, _ := meta["pagination"].(map[string]any)
	next, _ = pagination["next"].(string)
	return data, next
}

// compile returns nil for a query that is refused.
func (s *trial) compile(t *testing.T, q modelQuery, o Options) *Query {
	t.Helper()
	n, err := params.Parse(q.raw, params.Limits{})
	var compiled *Query
	if err == nil {
		compiled, err = s.compiler.Compile(q.t, n, q.caller, o)
	}
	switch {
	case err == nil:
		return compiled
	case !isRefusal(err):
		t.Errorf("%s?%s: refused with %#v", q.t.UID, q.raw, err)
	}
	return nil
}

func parsed(t *testing.T, q modelQuery, text []byte, err error) (value any) {
	t.Helper()
	if err == nil {
		err = json.Unmarshal(text, &value)
	}
	if err != nil {
		t.Errorf("%s?%s: %v in %s", q.t.UID, q.raw, err, text)
	}
	return value
}

// isRefusal reports whether an error is one that clients get.
func isRefusal(err error) bool {
	var key *KeyError
	var param *params.ParamError
	var paging *PaginationError
	var draft *DraftError
	var beyond *PreviewError
	return errors.As(err, &key) || errors.As(err, &param) || errors.As(err, &paging) || errors.As(err, &draft) || errors.As(err, &beyond)
}

// file is a data file from which indexes can be built.
type file struct {
	t    *testing.T
	site *schema.Site
	db   *store.DB
}

func newFile(t *testing.T, site *schema.Site) *file {
	t.Helper()
	db, err := store.Open(filepath.Join(t.TempDir(), "quire.db"), store.Options{Hasty: true})
	check(t, err)
	t.Cleanup(func() { db.Close() })
	return &file{t, site, db}
}

func (f *file) apply(changes []store.Change) {
	f.t.Helper()
	err := f.db.Update(func(tx *store.Tx) error {
		for _, c := range changes {
			if err := tx.Apply(c); err != nil {
				return err
			}
		}
		return nil
	})
	check(f.t, err)
}

// build makes an index that has some of the content in memory, and some in a file.
func (f *file) build() *index.Index {
	f.t.Helper()
	var x *index.Index
	site := *f.site
	site.Settings.Limits.Memory = 2_000
	check(f.t, f.db.View(func(tx *store.Tx) (err error) { x, err = index.Build(&site, tx); return }))
	return x
}
