package contenttest

import (
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"quire/content"
	"quire/content/body"
	"quire/content/verify"
	"quire/index"
	"quire/index/indextest"
	"quire/schema"
	"quire/store"
)

// Fixture is a site with an empty data file and a writer on it.
type Fixture struct {
	testing.TB
	Site   *schema.Site
	DB     *store.DB
	Index  *index.Index
	Writer *content.Writer
}

// LoadSite loads a site, which must have no problem.
func LoadSite(t testing.TB, fsys fs.FS) *schema.Site {
	t.Helper()
	site, err := schema.Load(fsys)
	if err != nil {
		t.Fatal(err)
	}
	return site
}

// Guide returns the site on which the recordings were made.
func Guide(t testing.TB) *schema.Site { return LoadSite(t, testdata(t, "site")) }

// testdata returns a folder of the repository's testdata.
func testdata(t testing.TB, name string) fs.FS {
	t.Helper()
	for root := "."; len(root) < 20; root = filepath.Join(root, "..") {
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
			return os.DirFS(filepath.Join(root, "testdata", name))
		}
	}
	t.Fatal("this is no folder of the repository")
	return nil
}

// Clock makes every write a second later than the one before.
func Clock() func() time.Time {
	now := time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)
	var mu sync.Mutex
	return func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		now = now.Add(time.Second)
		return now
	}
}

// New opens a data file. When the test ends, the live index must equal
// one that is built from the file, and an audit must find no fault.
func New(t testing.TB, site *schema.Site) *Fixture {
	t.Helper()
	return NewWith(t, site, content.WriterOptions{
		Now:          Clock(),
		HashPassword: func(_ context.Context, s string) (string, error) { return "hash of " + s, nil },
	})
}

// NewWith is New with a writer of other options.
func NewWith(t testing.TB, site *schema.Site, o content.WriterOptions) *Fixture {
	t.Helper()
	db, err := store.Open(filepath.Join(t.TempDir(), "quire.db"), store.Options{Hasty: true})
	if err != nil {
		t.Fatal(err)
	}
	f := &Fixture{TB: t, Site: site, DB: db, Index: Build(t, site, db)}
	f.Writer = content.NewWriter(db, f.Index, site, o)
	t.Cleanup(func() {
		f.Writer.Close()
		if d := indextest.Diff(f.Index.Snapshot(), Build(t, f.Site, db).Snapshot()); d != "" {
			t.Errorf("the live index and one built from the File differ: %s", d)
		}
		RequireNoFault(t, f.Site, db)
		db.Close()
	})
	return f
}

// Build returns an index of the file, without any bodies in memory, which must make no
// difference.
func Build(t testing.TB, site *schema.Site, db *store.DB) *index.Index {
	t.Helper()
	var x *index.Index
	other := *site
	other.Settings.Limits.Memory = 0
	err := db.View(func(tx *store.Tx) (err error) {
		x, err = index.Build(&other, tx)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// RequireNoFault fails the test for each fault of the content that is not a note, and if an
// index shows links differently from the stored ones.
func RequireNoFault(t testing.TB, site *schema.Site, db *store.DB) {
	t.Helper()
	RequireSides(t, site, db)
	for _, fault := range Audit(t, site, db) {
		if !fault.Note {
			t.Errorf("the writes have left a fault behind: %s: %s", fault.Place, fault.Message)
		}
	}
}

// Audit returns the faults of the content.
func Audit(t testing.TB, site *schema.Site, db *store.DB) (faults []verify.Fault) {
	t.Helper()
	err := db.View(func(tx *store.Tx) (err error) {
		faults, err = verify.Check(context.Background(), site, tx)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return faults
}

// Kind finds a content type by the end of its uid: "restaurant".
func (f *Fixture) Kind(name string) *schema.Type {
	f.Helper()
	for _, t := range f.Site.Types {
		if t.UID == name || strings.HasSuffix(t.UID, "."+name) {
			return t
		}
	}
	f.Fatalf("no type %s", name)
	return nil
}

// ask returns a request with a body.
func (f *Fixture) ask(kind, data string) (content.Request, error) {
	f.Helper()
	t := f.Kind(kind)
	in, err := body.Decode(f.Site, t, json.RawMessage(data), nil)
	return content.Request{Type: t, Input: in}, err
}

// tryCreate creates a document from a body.
func (f *Fixture) tryCreate(kind, data string, options ...func(*content.Request)) (content.Result, error) {
	f.Helper()
	return f.send(context.Background(), f.Writer.Create, kind, data, options)
}

// tryUpdate changes a document by a body.
func (f *Fixture) tryUpdate(kind, documentID, data string, options ...func(*content.Request)) (content.Result, error) {
	f.Helper()
	options = append(options, func(r *content.Request) { r.DocumentID = documentID })
	return f.send(context.Background(), f.Writer.Update, kind, data, options)
}

func (f *Fixture) send(ctx context.Context, write func(context.Context, content.Request) (content.Result, error), kind, data string, options []func(*content.Request)) (content.Result, error) {
	f.Helper()
	r, err := f.ask(kind, data)
	if err != nil {
		return content.Result{}, err
	}
	for _, option := range options {
		option(&r)
	}
	return write(ctx, r)
}

// Create creates a document, and fails the test if it is refused.
func (f *Fixture) Create(kind, data string, options ...func(*content.Request)) string {
	f.Helper()
	result, err := f.tryCreate(kind, data, options...)
	if err != nil {
		f.Fatalf("create %s %s: %v", kind, data, err)
	}
	return result.DocumentID
}

// Update changes a document, and fails the test if it is refused.
func (f *Fixture) Update(kind, documentID, data string, options ...func(*content.Request)) {
	f.Helper()
	if _, err := f.tryUpdate(kind, documentID, data, options...); err != nil {
		f.Fatalf("update %s %s %s: %v", kind, documentID, data, err)
	}
}

// Delete deletes a document in a locale.
func (f *Fixture) Delete(kind, documentID, locale string) {
	f.Helper()
	if err := f.Writer.Delete(context.Background(), content.Request{Type: f.Kind(kind), DocumentID: documentID, Locale: locale}); err != nil {
		f.Fatal(err)
	}
}

// AsDraft, In and Called set the status draft, a locale, and a documentId of a request.
func AsDraft(r *content.Request)              { r.Status = store.Draft }
func In(locale string) func(*content.Request) { return func(r *content.Request) { r.Locale = locale } }
func Called(id string) func(*content.Request) { return func(r *content.Request) { r.DocumentID = id } }

// DraftOf returns the key of a draft, LiveOf that of a published version.
func DraftOf(id, locale string) store.Key {
	return store.Key{DocumentID: id, Locale: locale, Status: store.Draft}
}
func LiveOf(id, locale string) store.Key {
	return store.Key{DocumentID: id, Locale: locale, Status: store.Published}
}

// Stored reads an entry from the file, nil if there is none.
func (f *Fixture) Stored(kind string, k store.Key) *store.Entry {
	f.Helper()
	var e *store.Entry
	err := f.DB.View(func(tx *store.Tx) (err error) {
		e, err = tx.Entry(f.Kind(kind).UID, k)
		return err
	})
	if err != nil {
		f.Fatal(err)
	}
	return e
}

// MustRead is Stored of an entry that must be there.
func (f *Fixture) MustRead(kind string, k store.Key) *store.Entry {
	f.Helper()
	e := f.Stored(kind, k)
	if e == nil {
		f.Fatalf("there is no %s %s", kind, k)
	}
	return e
}

// List returns what the inverse side shows: the owners whose attribute links to the
// document.
func (f *Fixture) List(owner, attribute, target, documentID string, status store.Status) string {
	f.Helper()
	a := f.Kind(owner).Attribute(attribute)
	var ids []string
	for _, o := range f.Index.Snapshot().Owners(a, f.Kind(target), documentID, status) {
		ids = append(ids, o.Key.DocumentID)
	}
	return strings.Join(ids, " ")
}

// Kitchen returns a site with what the guide does not have.
func Kitchen(t testing.TB) *schema.Site { return LoadSite(t, testdata(t, "kitchen")) }

// File returns a file of a site.
func File(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }

// MapSite returns a site with one draft-and-publish type "one" with the given attributes.
func MapSite(attributes string) fs.FS {
	return fstest.MapFS{"src/api/one/content-types/one/schema.json": File(`{"kind": "collectionType",
		"info": {"singularName": "one", "pluralName": "ones", "displayName": "One"},
		"options": {"draftAndPublish": true}, "attributes": {` + attributes + `}}`)}
}
