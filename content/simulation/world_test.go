package simulation

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing/fstest"
	"time"

	"quire/content"
	"quire/content/body"
	"quire/content/release"
	"quire/content/verify"
	"quire/index"
	"quire/index/indextest"
	"quire/query"
	"quire/schema"
	"quire/store"
	"quire/store/storetest"
)

// all names all locales of an article.
const all = content.AllLocales

var locales = []string{"en", "fr", "it"}

const (
	articleUID  = "api::article.article"
	categoryUID = "api::category.category"
)

// loadSite loads the site of the simulation. It keeps few former versions, and values outside
// of memory if they are longer than that.
func loadSite(memory int64) *schema.Site {
	localized := `, "pluginOptions": {"i18n": {"localized": true}}`
	files := map[string]string{
		"site.json": `{"i18n": {"defaultLocale": "en", "locales": [{"code": "en", "name": "en"}, {"code": "fr", "name": "fr"}, {"code": "it", "name": "it"}]},
			"rest": {"maxLimit": 1000}}`,
		"src/api/article/content-types/article/schema.json": `{"kind": "collectionType", "info": {"singularName": "article", "pluralName": "articles", "displayName": "Article"},
			"options": {"draftAndPublish": true}, "pluginOptions": {"i18n": {"localized": true}}, "attributes": {
			"title": {"type": "string", "required": true` + localized + `}, "rank": {"type": "integer"` + localized + `}, "code": {"type": "text"},
			"tags": {"type": "relation", "relation": "manyToMany", "target": "` + categoryUID + `", "inversedBy": "articles"` + localized + `}}}`,
		"src/api/category/content-types/category/schema.json": `{"kind": "collectionType", "info": {"singularName": "category", "pluralName": "categories", "displayName": "Category"},
			"options": {"draftAndPublish": false}, "attributes": {
			"name": {"type": "string", "required": true, "unique": true},
			"parent": {"type": "relation", "relation": "manyToOne", "target": "` + categoryUID + `", "inversedBy": "children"},
			"children": {"type": "relation", "relation": "oneToMany", "target": "` + categoryUID + `", "mappedBy": "parent"},
			"articles": {"type": "relation", "relation": "manyToMany", "target": "` + articleUID + `", "mappedBy": "tags"}}}`,
	}
	fsys := fstest.MapFS{}
	for name, text := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	site, err := schema.Load(fsys)
	must(err)
	site.Settings.History.Versions, site.Settings.History.Age = keptVersions, 100*365*24*time.Hour
	site.Settings.Events.Retention, site.Settings.Limits.Memory = time.Hour, memory
	return site
}

// keptVersions are the former versions that the site keeps of each entry.
const keptVersions = 4

// failure is what is wrong, and which of the comparisons has found it.
type failure struct{ kind, text string }

// world is a site with its clock, and the model of it.
type world struct {
	seed   uint64
	number int // of the current step
	random *rand.Rand
	now    time.Time
	folder string

	site              *schema.Site
	article, category *schema.Type
	compiler          *query.Compiler
	nodes             []*node

	state  *state
	states map[uint64]*state // of the last revisions
	last   uint64            // revision

	versions map[versionName]*version // all that is known about former versions
	known    []versionName            // the latest of them
	backup   *backup
	made     int      // for names
	latest   []string // of what was done, for a failure
	trace    uint64
	counts   map[string]int
}

const mostKnown = 300

type versionName struct {
	key      store.Key
	revision uint64
}

// backup is a copy of the data file.
type backup struct {
	path  string
	state *state
}

// node is a data file with its writer.
type node struct {
	*world
	path     string
	db       *store.DB
	index    *index.Index
	writer   *content.Writer
	calendar *release.Calendar
	disk     *disk     // nil for a replica, whose journal has the commits
	copies   [2]reader // one that seldom reads, and one that often does
	journal  *link     // nil for a single node
	lost     bool      // the journal cannot be followed any more
}

func newWorld(seed uint64, folder string, nodes int) *world {
	w := &world{
		seed: seed, folder: folder, now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), state: newState(),
		states: map[uint64]*state{}, versions: map[versionName]*version{}, counts: map[string]int{},
	}
	w.site = loadSite([]int64{0, 64 << 20}[seed%2])
	w.article, w.category = w.site.Type(articleUID), w.site.Type(categoryUID)
	w.compiler = query.NewCompiler(w.site)
	journal := storetest.NewMemory()
	for i := range nodes {
		n := &node{world: w, path: filepath.Join(folder, fmt.Sprint("quire", i, ".db"))}
		if nodes > 1 {
			n.journal = newLink(journal, n)
		} else {
			n.disk = &disk{path: n.path, fired: w.counts}
		}
		w.nodes = append(w.nodes, n)
		n.open()
	}
	w.last = w.nodes[0].revision()
	w.states[w.last] = w.state
	return w
}

// clock is the one of the site. It does not stand still.
func (w *world) clock() time.Time {
	w.now = w.now.Add(time.Millisecond)
	return w.now
}

func (w *world) fail(format string, args ...any) {
	panic(failure{format, fmt.Sprintf(format, args...)})
}

// note adds to the trace, by which two runs are compared, and to what a failure prints.
func (w *world) note(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	h := fnv.New64a()
	fmt.Fprint(h, w.trace, text)
	w.trace = h.Sum64()
	if w.latest = append(w.latest, fmt.Sprint(w.number, " ", text)); len(w.latest) > 10 {
		w.latest = w.latest[1:]
	}
}

// open opens the file and serves what is in it.
func (n *node) open() {
	o := store.Options{}
	if n.journal != nil {
		o.Journal, o.LostTrack = n.journal, func() { n.lost = true }
	}
	var err error
	if n.db, err = store.Open(n.path, o); err != nil {
		n.fail("open: %v", err)
	}
	n.serve()
}

// serve reads the content and begins to write.
func (n *node) serve() {
	n.index, n.lost = n.build(), false
	n.writer = content.NewWriter(n.db, n.index, n.site, content.WriterOptions{Now: n.clock})
	n.calendar = release.New(n.db, n.site, n.writer, n.clock)
	if n.disk != nil {
		n.disk.attach(n.db)
	}
}

// build reads the content into an index.
func (n *node) build() (x *index.Index) {
	err := n.db.View(func(tx *store.Tx) (err error) { x, err = index.Build(n.site, tx); return err })
	if err != nil {
		n.fail("build: %v", err)
	}
	return x
}

func (n *node) revision() (revision uint64) {
	must(n.db.View(func(tx *store.Tx) error { revision = tx.Revision(); return nil }))
	return revision
}

// reached returns the revision that the node shows. The index of a replica may have an earlier
// one, after commits of others without content.
func (n *node) reached() uint64 {
	if n.journal != nil {
		return n.revision()
	}
	return n.index.Snapshot().Revision()
}

// reopen does what the server does after a commit with an unknown outcome.
func (n *node) reopen() {
	must(n.writer.Close())
	if n.disk != nil {
		n.disk.forget()
	}
	if err := n.db.Reopen(); err != nil {
		n.fail("reopen: %v", err)
	}
	n.serve()
}

// restart kills the process. With the power, what was not synced is lost.
func (n *node) restart(power bool) {
	left, err := os.ReadFile(n.path)
	must(err)
	if n.journal != nil {
		n.journal.reset()
	}
	must(n.writer.Close())
	must(n.db.Close())
	if n.journal != nil {
		must(os.WriteFile(n.path, left, 0o600)) // not closed in order
	}
	if n.disk != nil && power {
		if n.disk.lied {
			n.tryTorn()
		}
		must(os.WriteFile(n.path, n.disk.left(), 0o600))
	}
	if n.disk != nil {
		n.disk.end, n.disk.full, n.disk.bolt = nil, 0, nil
	}
	n.open()
}

// tryTorn opens what a disk leaves that lies and reorders: nobody knows what is in it, but it
// is opened and checked, or refused.
func (n *node) tryTorn() {
	path := filepath.Join(n.folder, "torn.db")
	must(os.WriteFile(path, n.disk.file.Cut(n.disk.chance), 0o600))
	db, err := store.Open(path, store.Options{})
	if err != nil {
		if !errors.As(err, new(*store.CorruptError)) && !errors.As(err, new(*store.FormatError)) {
			n.fail("a torn file: %v", err)
		}
		return
	}
	_, err = db.Check(context.Background())
	must(errors.Join(err, db.Close()))
}

// recover brings the node back to work after a fault, and finds out which of the states the
// site is in: states[i] is the one after i commits.
func (n *node) recover(states []*state, least int) {
	lied := n.disk != nil && n.disk.end == errPower && n.disk.lied
	was := n.writer
	switch {
	case n.disk != nil && n.disk.end != nil:
		n.restart(n.disk.end == errPower)
	case n.db.Suspended() || n.lost:
		n.reopen()
	}
	n.fresh()
	revision := n.revision()
	for i, s := range states {
		n.states[n.last+uint64(i)] = s
	}
	switch {
	case revision > n.last+uint64(len(states)-1) || n.states[revision] == nil:
		n.fail("after the fault the file has revision %d, and it was %d", revision, n.last)
	case revision < n.last+uint64(least) && !lied:
		n.fail("an acknowledged write is lost: the file has revision %d, and it was %d", revision, n.last+uint64(least))
	case revision < n.last:
		n.goBack()
	}
	n.state, n.last = n.states[revision], revision
	if n.writer != was { // the content was read again
		n.check()
	}
}

// goBack forgets what is known about revisions that are given out again.
func (w *world) goBack() {
	clear(w.versions)
	w.known = nil
	for _, n := range w.nodes {
		n.copies = [2]reader{}
	}
	maps.DeleteFunc(w.states, func(revision uint64, _ *state) bool { return revision > w.last })
}

// fresh waits until a replica has what all nodes have written.
func (n *node) fresh() {
	if n.journal == nil {
		return
	}
	n.journal.reset()
	if err := n.db.Fresh(context.Background()); err != nil || n.lost {
		n.reopen()
	}
}

// expected reports whether an error may come from a fault.
func expected(err error) bool {
	var journal *store.JournalError
	return store.Uncertain(err) || store.Suspends(err) || errors.Is(err, store.ErrFull) || errors.As(err, &journal) || errors.As(err, new(*store.SuspendedError)) || errors.As(err, new(*store.UndecidedError)) || errors.As(err, new(*store.RefusedError))
}

// refuses reports whether an error is about the content of a write.
func refuses(err error) bool {
	return errors.As(err, new(*body.ValidationError)) || errors.As(err, new(*content.NotFoundError)) || errors.As(err, new(*content.ApplicationError))
}

// commit does what makes one commit. model makes the state after it, nil if it has to be
// refused. A node that is behind the others may refuse a write, or find nothing to write,
// because of what it shows.
func (n *node) commit(what string, model func(*state) *state, do func() error) (done bool) {
	n.note("%s", what)
	shown := n.states[n.reached()]
	err := do()
	planned := model(n.state) // another node may have been first
	n.note("%s", kindOf(err))
	switch {
	case err == nil && n.reached() <= n.last && shown != n.state && alike(model(shown), shown):
		n.count("nothing to write")
	case err == nil && planned == nil:
		n.fail("%s was not refused", what)
	case err == nil:
		n.count("written")
		n.advance(planned)
		return true
	case refuses(err):
		n.count("refused")
		if planned != nil && model(shown) != nil {
			n.fail("%s: %v", what, err)
		}
	case !expected(err):
		n.fail("%s: %v", what, err)
	default:
		n.count("failed")
		if n.journal == nil {
			n.compare(n.index.Snapshot(), n.state) // nothing shows what was not acknowledged
		}
		states := []*state{n.state}
		if planned != nil && store.Uncertain(err) {
			states = append(states, planned)
		}
		n.recover(states, 0)
	}
	return false
}

// alike reports whether two states have the same content and records.
func alike(a, b *state) bool {
	return a != nil && b != nil && a.text() == b.text() && a.records() == b.records()
}

func (w *world) count(what string) { w.counts[what]++ }

// advance takes over the state after a commit that was acknowledged.
func (n *node) advance(s *state) {
	revision := n.reached()
	switch {
	case revision != n.last && revision != n.last+1:
		n.fail("the revision is %d after %d", revision, n.last)
	case revision == n.last && !alike(s, n.state):
		n.fail("there was no commit")
	}
	n.last, n.state = revision, s
	n.states[revision] = s
	delete(n.states, revision-200)
}

// kindOf names an error without what differs from run to run.
func kindOf(err error) string {
	for err != nil {
		if inner := errors.Unwrap(err); inner != nil {
			err = inner
			continue
		}
		return fmt.Sprintf("%T", err)
	}
	return "done"
}

// check compares everything that a node has with the model: the file, the index, an index
// that is built anew, and what writes guarantee.
func (n *node) check() {
	n.count("checked")
	snapshot := n.index.Snapshot()
	n.compare(snapshot, n.state)
	must(n.db.View(func(tx *store.Tx) error {
		is, records := n.stored(tx)
		if a, b := is.text(), n.state.text(); a != b {
			n.fail("the file holds\n%s\nand should hold\n%s", a, b)
		}
		if a, b := records, n.state.records(); a != b {
			n.fail("the file has\n%s\nand should have\n%s", a, b)
		}
		faults, err := verify.Check(context.Background(), n.site, tx)
		for _, f := range faults {
			if !f.Note {
				n.fail("%s: %s", f.Place, f.Message)
			}
		}
		return err
	}))
	if n.random.IntN(4) == 0 {
		if d := indextest.Diff(snapshot, n.build().Snapshot()); d != "" {
			n.fail("the index and one that is built from the file differ: %s", d)
		}
	}
}

// stored reads the content of the file as a state, and the rest of it as its text.
func (n *node) stored(tx *store.Tx) (is *state, records string) {
	is = newState()
	must(tx.Scan(articleUID, func(e *store.Entry) error {
		is.put(e)
		n.learn(e)
		return nil
	}))
	must(tx.Scan(categoryUID, func(e *store.Entry) error { is.put(e); return nil }))
	var lines []string
	parcels, err := tx.Parcels(parcelKind)
	must(err)
	for _, p := range parcels {
		lines = append(lines, "parcel "+p.Key)
	}
	must(tx.Records(release.Moments, func(key string, _ []byte) error {
		lines = append(lines, "due "+key[:len(momentForm)]+" "+strings.Split(key, "/")[2])
		return nil
	}))
	slices.Sort(lines)
	return is, strings.Join(lines, "\n")
}

// learn notes what a version of an article is, to compare former versions with it.
func (w *world) learn(e *store.Entry) {
	name, v := versionName{e.Key(), e.Stamp.Version}, versionOf(e)
	if was := w.versions[name]; was != nil && !reflect.DeepEqual(was, v) {
		w.fail("%v was %+v, and is %+v", name, was, v)
	}
	if w.versions[name] == nil {
		w.known = append(w.known, name)
		w.known = w.known[max(0, len(w.known)-mostKnown):]
	}
	w.versions[name] = v
}

func versionOf(e *store.Entry) *version {
	v := &version{title: e.Value("title").Text, code: e.Value("code").Text, rank: int(e.Value("rank").Num)}
	for _, edge := range e.Value("tags").Edges {
		v.tags = append(v.tags, edge.Target)
	}
	return v
}

// put adds an entry to a state.
func (s *state) put(e *store.Entry) {
	if e.Status == store.Draft || e.Locale != "" {
		a := s.change(e.DocumentID)
		versions := a.draft
		if e.Status == store.Published {
			versions = a.live
		}
		versions[e.Locale] = versionOf(e)
		return
	}
	c := &category{name: e.Value("name").Text}
	for _, edge := range e.Value("parent").Edges {
		c.parent = edge.Target
	}
	s.categories[e.DocumentID] = c
}
