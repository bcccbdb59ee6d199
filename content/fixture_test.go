package content

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"quire/content/body"
	"quire/content/history"
	"quire/index"
	"quire/index/indextest"
	"quire/schema"
	"quire/store"
)

// fixture is a site with an empty data file and a writer.
type fixture struct {
	testing.TB
	site   *schema.Site
	db     *store.DB
	index  *index.Index
	writer *Writer
}

func loadSite(t testing.TB, fsys fs.FS) *schema.Site {
	t.Helper()
	site, err := schema.Load(fsys)
	must(t, err)
	return site
}

// guide is the site of the recordings.
func guide(t testing.TB) *schema.Site { return loadSite(t, os.DirFS("../testdata/site")) }

// clock returns a clock that advances by one second with each call.
func clock() func() time.Time {
	now := time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)
	var mu sync.Mutex
	return func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		now = now.Add(time.Second)
		return now
	}
}

// newFixture opens a data file. When the test ends, the live index must equal an index
// that is built from the file, and an audit must find no fault.
func newFixture(t testing.TB, site *schema.Site) *fixture {
	t.Helper()
	return newFixtureWith(t, site, WriterOptions{
		Now:          clock(),
		HashPassword: func(_ context.Context, s string) (string, error) { return "hash of " + s, nil },
	})
}

func newFixtureWith(t testing.TB, site *schema.Site, o WriterOptions) *fixture {
	t.Helper()
	db, err := store.Open(filepath.Join(t.TempDir(), "quire.db"), store.Options{Hasty: true})
	must(t, err)
	f := &fixture{TB: t, site: site, db: db, index: build(t, site, db)}
	f.writer = NewWriter(db, f.index, site, o)
	t.Cleanup(func() {
		f.writer.Close()
		if d := indextest.Diff(f.index.Snapshot(), build(t, f.site, db).Snapshot()); d != "" {
			t.Errorf("the live index and one built from the file differ: %s", d)
		}
		AuditFixture(t, f.site, db)
		checkHistory(t, db)
		db.Close()
	})
	return f
}

// checkHistory requires that every former version can be read.
func checkHistory(t testing.TB, db *store.DB) {
	t.Helper()
	err := db.View(func(tx *store.Tx) error {
		lost, err := history.Check(context.Background(), tx)
		for _, one := range lost {
			t.Error(one.Err)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func build(t testing.TB, site *schema.Site, db *store.DB) *index.Index {
	t.Helper()
	var x *index.Index
	err := db.View(func(tx *store.Tx) (err error) {
		x, err = index.Build(site, tx)
		return err
	})
	must(t, err)
	return x
}

// AuditFixture checks the guarantees of writes. A test outside the package sets it,
// because package audit imports this package.
var AuditFixture func(testing.TB, *schema.Site, *store.DB)

// in returns the fixture for a subtest.
func (f *fixture) in(t testing.TB) *fixture {
	here := *f
	here.TB = t
	return &here
}

// kind finds a content type by the end of its uid: "restaurant".
func (f *fixture) kind(name string) *schema.Type {
	f.Helper()
	for _, t := range f.site.Types {
		if t.UID == name || strings.HasSuffix(t.UID, "."+name) {
			return t
		}
	}
	f.Fatalf("no type %s", name)
	return nil
}

// ask returns a request with a body.
func (f *fixture) ask(kind, data string) (Request, error) {
	f.Helper()
	t := f.kind(kind)
	in, err := body.Decode(f.site, t, json.RawMessage(data), nil)
	return Request{Type: t, Input: in}, err
}

func (f *fixture) tryCreate(kind, data string, options ...func(*Request)) (Result, error) {
	f.Helper()
	return f.send(f.writer.Create, kind, data, options)
}

func (f *fixture) tryUpdate(kind, documentID, data string, options ...func(*Request)) (Result, error) {
	f.Helper()
	options = append(options, func(r *Request) { r.DocumentID = documentID })
	return f.send(f.writer.Update, kind, data, options)
}

func (f *fixture) send(write func(context.Context, Request) (Result, error), kind, data string, options []func(*Request)) (Result, error) {
	f.Helper()
	r, err := f.ask(kind, data)
	if err != nil {
		return Result{}, err
	}
	for _, option := range options {
		option(&r)
	}
	return write(context.Background(), r)
}

func (f *fixture) create(kind, data string, options ...func(*Request)) string {
	f.Helper()
	result, err := f.tryCreate(kind, data, options...)
	if err != nil {
		f.Fatalf("create %s %s: %v", kind, data, err)
	}
	return result.DocumentID
}

func (f *fixture) update(kind, documentID, data string, options ...func(*Request)) {
	f.Helper()
	if _, err := f.tryUpdate(kind, documentID, data, options...); err != nil {
		f.Fatalf("update %s %s %s: %v", kind, documentID, data, err)
	}
}

func (f *fixture) delete(kind, documentID, locale string) {
	f.Helper()
	must(f, f.writer.Delete(context.Background(), Request{Type: f.kind(kind), DocumentID: documentID, Locale: locale}))
}

func asDraft(r *Request)              { r.Status = store.Draft }
func in(locale string) func(*Request) { return func(r *Request) { r.Locale = locale } }
func called(id string) func(*Request) { return func(r *Request) { r.DocumentID = id } }
func draftOf(id, locale string) store.Key {
	return store.Key{DocumentID: id, Locale: locale, Status: store.Draft}
}
func liveOf(id, locale string) store.Key {
	return store.Key{DocumentID: id, Locale: locale, Status: store.Published}
}

// stored reads an entry from the file; nil if there is none.
func (f *fixture) stored(kind string, k store.Key) *store.Entry {
	f.Helper()
	var e *store.Entry
	err := f.db.View(func(tx *store.Tx) (err error) {
		e, err = tx.Entry(f.kind(kind).UID, k)
		return err
	})
	must(f, err)
	return e
}

func (f *fixture) mustRead(kind string, k store.Key) *store.Entry {
	f.Helper()
	e := f.stored(kind, k)
	if e == nil {
		f.Fatalf("there is no %s %s", kind, k)
	}
	return e
}

// links returns the targets of an attribute that owns its links.
func (f *fixture) links(kind string, k store.Key, attribute string) string {
	f.Helper()
	var ids []string
	for _, e := range f.mustRead(kind, k).Value(attribute).Edges {
		ids = append(ids, e.Target)
	}
	return strings.Join(ids, " ")
}

// list returns what the inverse side shows: the owners whose attribute links to the
// document.
func (f *fixture) list(owner, attribute, target, documentID string, status store.Status) string {
	f.Helper()
	a := f.kind(owner).Attribute(attribute)
	var ids []string
	for _, o := range f.index.Snapshot().Owners(a, f.kind(target), documentID, status) {
		ids = append(ids, o.Key.DocumentID)
	}
	return strings.Join(ids, " ")
}

// pathsOf returns the wrong paths of an error, with dots. It fails for errors of
// another kind.
func pathsOf(t testing.TB, err error) []string {
	t.Helper()
	var invalid *body.ValidationError
	if !errors.As(err, &invalid) {
		t.Fatalf("got error %v, want a ValidationError", err)
	}
	paths := []string{}
	for _, issue := range invalid.Issues {
		paths = append(paths, strings.Join(issue.Path, "."))
	}
	return paths
}

// kitchen is a site with features that the guide lacks.
func kitchen(t testing.TB) *schema.Site { return loadSite(t, os.DirFS("../testdata/kitchen")) }

func file(content string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(content)} }

// mapSite is a site with the type "one", which has drafts and the given attributes.
func mapSite(attributes string) fs.FS {
	return fstest.MapFS{"src/api/one/content-types/one/schema.json": file(`{"kind": "collectionType",
		"info": {"singularName": "one", "pluralName": "ones", "displayName": "One"},
		"options": {"draftAndPublish": true}, "attributes": {` + attributes + `}}`)}
}
